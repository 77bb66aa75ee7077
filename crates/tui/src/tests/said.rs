//! What must be seen wherever one is, and what a window changes.

use super::{live, model, press, replayed, shown};
use crate::Model;
use std::sync::Arc;
use wirewait_analysis::{Outcome, Transaction, UnansweredRequest, Unfinished};
use wirewait_report::About;

/// The cells of a column, as they are shown.
fn column(model: &Model, group: &str, title: &str) -> Vec<String> {
    let rows = model.rows().unwrap();
    let heads = rows.heads();
    let same = |head: &&&crate::table::Head| head.title == title && head.group == group;
    let head = heads.iter().find(same).unwrap();
    let column = heads.iter().position(|h| std::ptr::eq(*h, *head)).unwrap();
    let context = model.context();
    let cell = |row| rows.cell(row, column, &context).shown(context.units, 20);
    (0..rows.len()).map(cell).collect()
}

#[test]
fn a_damaged_file_is_said_on_every_screen() {
    let mut feed = replayed();
    feed.about = Arc::new(About {
        damage: vec!["demo.pcapng: frame 7 at offset 812 is cut short".to_owned()],
        ..About::default()
    });
    for (width, height) in [(44, 12), (80, 24), (120, 35)] {
        let mut model = model(feed.clone(), width, height);
        for tab in ["1", "2", "3", "4", "5", "6"] {
            press(&mut model, tab);
            let text = shown(&model);
            assert!(text.contains("DAMAGED"), "{text}");
            if width >= 120 {
                assert!(text.contains("offset 812 is cut short"), "{text}");
            }
        }
    }
}

#[test]
fn memory_is_never_in_bits() {
    let mut model = model(replayed(), 132, 43);
    press(&mut model, "u");
    let text = shown(&model);
    assert!(text.contains("own: cpu 2.1 %, 34.0 MB"), "{text}");
    press(&mut model, "u");
    assert!(shown(&model).contains("32.4 MiB"));
}

#[test]
fn a_window_is_that_of_counters_courses_and_places() {
    let mut model = model(replayed(), 132, 43);
    press(&mut model, "5");
    assert!(
        shown(&model).contains("Counters: 83.0 s"),
        "{}",
        shown(&model)
    );
    let all = column(&model, "", "average");
    press(&mut model, "w");
    assert!(
        shown(&model).contains("Counters: 10.0 s"),
        "{}",
        shown(&model)
    );
    assert_ne!(column(&model, "", "average"), all);
    // A response in each of the last ten seconds at most: nothing is older.
    press(&mut model, "2");
    let context = model.context();
    let course = context.course(&wirewait_analysis::recent::Of::All);
    assert_eq!(course.len(), 10);
    // The places of symptoms are those of the last ten seconds.
    press(&mut model, "6");
    let feed = model.feed.clone().unwrap();
    let begins = feed.recent.last(10).begins();
    let found = &feed.snapshot.symptoms.found;
    let late = |number: u64| {
        let mut sights = found.iter().flat_map(|symptom| symptom.hits.kept());
        sights.any(|s| s.from.frame == number && s.until.max(s.to.at) >= begins)
    };
    let mut seen = 0;
    let often = column(&model, "", "how often");
    let places = column(&model, "", "frames").into_iter().zip(often);
    // What is found in a sum has no moments, and says so.
    for (places, _) in places.filter(|(_, often)| !often.starts_with("since start")) {
        for place in places
            .split(", ")
            .filter(|place| !matches!(*place, "-" | "..."))
        {
            let from = place.split('>').next().unwrap().parse().unwrap();
            assert!(late(from), "{place}");
            seen += 1;
        }
    }
    assert!(seen > 0);
}

/// The only conversation of a client has its response times: exactly where they are known
/// exactly, and as "at most" where they were counted in steps.
#[test]
fn the_same_percentile_is_never_two_numbers() {
    let mut model = model(replayed(), 132, 43);
    press(&mut model, "3");
    let exact = column(&model, "response", "p95")[0].clone();
    press(&mut model, "3 enter");
    let most = column(&model, "response", "p95")[0].clone();
    assert_eq!((exact.as_str(), most.as_str()), ("1.39 ms", "≤1.41 ms"));
    press(&mut model, "2 w");
    assert!(
        column(&model, "turnaround", "p95")
            .iter()
            .all(|p95| p95.starts_with('≤'))
    );
}

/// What to do about a mistake stands at the end of what is said, on any screen.
#[test]
fn a_long_notice_is_not_cut_off() {
    for (width, height) in [(44, 12), (80, 24), (120, 35)] {
        let mut model = model(replayed(), width, height);
        model.complain(
            "cannot write to /srv/captures/of/the/third/floor/requests-20260301T090122Z.pcapng: \
             Permission denied; make the folder writable",
        );
        let text = shown(&model);
        let flat: Vec<&str> = text.split_whitespace().collect();
        let flat = flat.join(" ");
        assert!(flat.contains("make the folder writable"), "{text}");
        assert!(text.contains("? help"), "{text}");
    }
}

/// A notice takes no key from the line of keys, and a key that does nothing here says why.
#[test]
fn keys_stay_visible_and_say_why_they_do_nothing() {
    let mut model = model(replayed(), 80, 24);
    let hints = |model: &Model| shown(model).lines().last().unwrap_or_default().to_owned();
    let before = hints(&model);
    press(&mut model, "t");
    let text = shown(&model);
    assert!(text.contains("colours: light"), "{text}");
    assert_eq!(hints(&model), before);
    press(&mut model, "x");
    assert!(
        shown(&model).contains("x works only on the chart"),
        "{}",
        shown(&model)
    );
    press(&mut model, "s");
    assert!(shown(&model).contains("s works only where there is a table"));
    press(&mut model, "y");
    assert!(shown(&model).contains("y has no meaning; ? lists the keys"));
    // There is no such screen.
    press(&mut model, "7");
    assert!(shown(&model).contains("7 has no meaning; ? lists the keys"));
    assert_eq!(hints(&model), before);
}

fn click(model: &mut Model, column: u16, row: u16) -> Vec<crate::Command> {
    use ratatui::crossterm::event::{Event, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
    let click = MouseEvent {
        kind: MouseEventKind::Down(MouseButton::Left),
        column,
        row,
        modifiers: KeyModifiers::NONE,
    };
    crate::update(model, crate::Message::Terminal(Event::Mouse(click)))
}

/// Where a text begins on the screen.
fn place(model: &Model, text: &str) -> (u16, u16) {
    let shown = shown(model);
    let (row, line) = shown
        .lines()
        .enumerate()
        .find(|(_, line)| line.contains(text))
        .unwrap();
    let column = line.split(text).next().unwrap().chars().count();
    (column as u16, row as u16)
}

#[test]
fn heads_hints_and_rows_can_be_clicked() {
    let mut model = model(replayed(), 120, 35);
    press(&mut model, "2");
    let (x, y) = place(&model, "requests");
    click(&mut model, x + 1, y);
    assert!(shown(&model).contains("requests▼"), "{}", shown(&model));
    click(&mut model, x + 1, y);
    assert!(shown(&model).contains("requests▲"));
    // A row is chosen by the first click and opened by the second.
    let (x, y) = place(&model, "10.0.0.9");
    click(&mut model, x, y);
    assert!(shown(&model).starts_with(" 1 Overview"));
    click(&mut model, x, y);
    assert!(
        shown(&model).contains("Servers › 10.0.0.9"),
        "{}",
        shown(&model)
    );
    let (x, y) = place(&model, "? help");
    click(&mut model, x, y);
    assert!(shown(&model).contains("Keys (Esc closes)"));
    press(&mut model, "esc");
    let (x, y) = place(&model, "q quit");
    assert_eq!(
        click(&mut model, x + 2, y),
        [crate::Command::Quit { keep: false }]
    );
}

/// What is below its threshold stands below, and can be opened.
#[test]
fn symptoms_that_were_not_raised_can_be_looked_at() {
    let mut snapshot = wirewait::Snapshot::clone(&replayed().snapshot);
    if let Some(last) = snapshot.symptoms.found.last_mut() {
        last.state = wirewait_analysis::State::TooFew;
    }
    let symptoms = snapshot.symptoms.clone();
    let snapshot = Arc::new(snapshot);
    let mut model = model(
        crate::Feed {
            snapshot,
            ..replayed()
        },
        120,
        45,
    );
    press(&mut model, "6");
    let judged = column(&model, "", "judged");
    assert_eq!(judged.len(), symptoms.found.len());
    // In words, not by the names that programs read.
    assert!(judged.iter().any(|word| word == "too few"), "{judged:?}");
    assert!(judged.iter().all(|word| !word.contains('_')), "{judged:?}");
    press(&mut model, "end");
    let text = shown(&model);
    assert!(text.contains("why        "), "{text}");
    assert!(
        text.contains("too few to judge") || text.contains("below the threshold"),
        "{text}"
    );
}

/// As on a live segment: nothing at first, then symptoms, one of which goes again.
#[test]
fn symptoms_that_appear_and_go_are_noted_with_their_time() {
    let feed = replayed();
    let of = |keep: &dyn Fn(usize) -> bool| {
        let mut snapshot = feed.snapshot.as_ref().clone();
        let mut number = 0;
        snapshot.symptoms.found.retain(|symptom| {
            number += usize::from(symptom.state == wirewait_analysis::State::Raised);
            symptom.state == wirewait_analysis::State::Raised && keep(number)
        });
        crate::Feed {
            snapshot: Arc::new(snapshot),
            ..feed.clone()
        }
    };
    let mut model = model(of(&|_| false), 120, 45);
    assert!(model.changes.is_empty());
    for keep in [&(|n: usize| n <= 2) as &dyn Fn(usize) -> bool, &|n| n == 2] {
        crate::update(&mut model, crate::Message::Fed(Arc::new(of(keep))));
    }
    let seen: Vec<(bool, &str)> = model.changes.iter().map(|c| (c.appeared, c.rule)).collect();
    let raised: Vec<&str> = feed.snapshot.symptoms.raised().map(|s| s.rule.id).collect();
    let mut expected = vec![(true, raised[0]), (true, raised[1])];
    expected.sort_unstable();
    expected.push((false, raised[0]));
    assert_eq!(seen, expected);
    press(&mut model, "6");
    let text = shown(&model);
    let title = |nth: usize| feed.about.texts.title(raised[nth]);
    for (what, nth) in [("withdrawn", 0), ("raised   ", 1)] {
        let said = format!("09:01:22   {what} {}", title(nth));
        assert!(text.contains(&said), "{said}: {text}");
    }
}

/// The request that has no response yet is the slowest of all where it was open for longest, also when it is not among the latest.
#[test]
fn a_request_without_a_response_at_the_end_is_among_the_slowest() {
    let mut feed = replayed();
    let mut snapshot = (*feed.snapshot).clone();
    let on_first = |t: &&Transaction| t.server.to_string().starts_with("00000022.02001b000008");
    let mut request = feed.transactions.iter().find(on_first).unwrap().clone();
    (request.response, request.outcome) = (None, Outcome::Unanswered);
    let number = request.number;
    let mut latest = feed.transactions.to_vec();
    let place = latest.iter().position(|t| t.number == number).unwrap();
    latest[place] = request.clone();
    feed.transactions = Arc::new(latest);
    snapshot.unfinished = Some(Unfinished::new(request, 777_000_000_000, true));
    feed.snapshot = Arc::new(snapshot);
    for forgotten in [false, true] {
        if forgotten {
            let mut latest = feed.transactions.to_vec();
            latest.retain(|t| t.number != number);
            feed.transactions = Arc::new(latest);
        }
        let mut model = model(feed.clone(), 132, 43);
        press(&mut model, "2 T");
        let first = (column(&model, "", "#"), column(&model, "", "response"));
        let at = first
            .0
            .iter()
            .position(|n| *n == number.to_string())
            .unwrap();
        assert_eq!(first.1[at], "777 s");
        assert_eq!(column(&model, "", "outcome")[at], "no response yet");
        press(&mut model, "home enter");
        let text = shown(&model);
        assert!(text.contains(&format!("#{number}")), "{text}");
        assert!(text.contains("over 777 s: no response yet"), "{text}");
    }
}

/// One that was given up after 60 s, which is not among the latest any more.
#[test]
fn a_request_that_was_given_up_is_among_the_slowest() {
    let mut feed = replayed();
    let mut snapshot = (*feed.snapshot).clone();
    let on_first = |t: &&Transaction| t.server.to_string().starts_with("00000022.02001b000008");
    let mut request = feed.transactions.iter().find(on_first).unwrap().clone();
    (request.response, request.outcome) = (None, Outcome::Unanswered);
    let number = request.number;
    let mut latest = feed.transactions.to_vec();
    latest.retain(|t| t.number != number);
    feed.transactions = Arc::new(latest);
    snapshot.slowest.retain(|t| t.number != number);
    snapshot.unanswered = vec![UnansweredRequest::new(request, 600_000_000_000)];
    feed.snapshot = Arc::new(snapshot);
    let mut model = model(feed, 132, 43);
    press(&mut model, "2 T");
    let numbers = column(&model, "", "#");
    let at = numbers.iter().position(|n| *n == number.to_string());
    let at = at.unwrap();
    assert_eq!(column(&model, "", "response")[at], "600 s");
    assert_eq!(column(&model, "", "outcome")[at], "unanswered");
    press(&mut model, "home enter");
    let text = shown(&model);
    assert!(text.contains("600 s: no response"), "{text}");
}

/// The first 363 ms of the shipped capture: no mean is above the scale of its chart, nor above the
/// greatest value of its counter.
#[test]
fn a_capture_of_less_than_a_second_has_no_mean_above_its_highest() {
    let feed = super::of_first(Some(363_000_000));
    let carried = feed.recent.last(u32::MAX).captured(None).on_wire;
    let elapsed = feed
        .now
        .unwrap()
        .since(feed.snapshot.capture.first.unwrap());
    assert!((300_000_000..=363_000_000).contains(&elapsed));
    let mut model = model(feed, 132, 43);
    let rate = carried * 1_000_000_000 / elapsed.unsigned_abs();
    let rate = model.units.rate(rate);
    let text = shown(&model);
    assert!(text.contains(&format!("mean {rate}")), "{text}");
    assert!(
        text.contains(&format!("{rate} ")) && text.matches(&rate).count() == 2,
        "{rate}: {text}"
    );
    press(&mut model, "5");
    let columns = ["last", "average", "min", "max"].map(|title| column(&model, "", title));
    assert!(columns[0].iter().any(|value| value != "-" && value != "0"));
    let [last, average, min, max] = &columns;
    assert!(
        average == max && min == average && last == average,
        "{columns:?}"
    );
}

/// The file and its bytes in the line of the status: all of its path, its name, or that frames are saved.
#[test]
fn saving_is_said_where_there_is_room() {
    let mut feed = live(0);
    if let crate::Input::Live { saving, filter, .. } = &mut feed.input {
        *filter = Some("tcp port 445 or 139".to_owned());
        *saving = Some(crate::Saving {
            file: "/srv/captures/of/the/file/servers/in/the/cellar/monday.pcapng".to_owned(),
            files: 1,
            bytes: 12_300_000,
            trouble: None,
        });
    }
    for (width, said) in [
        (
            200,
            "saving /srv/captures/of/the/file/servers/in/the/cellar/monday.pcapng, 12.3 MB",
        ),
        (120, "saving monday.pcapng, 12.3 MB"),
        (80, "saving 12.3 MB"),
    ] {
        let text = shown(&model(feed.clone(), width, 24));
        assert!(text.contains(said), "{width}: {text}");
        assert!(
            text.contains("only \"tcp port 445 or 139\""),
            "{width}: {text}"
        );
    }
    if let crate::Input::Live {
        saving: Some(saving),
        ..
    } = &mut feed.input
    {
        saving.trouble = Some("no space left".to_owned());
    }
    let text = shown(&model(feed, 80, 24));
    assert!(
        text.contains("NOT SAVING: no space left") && !text.contains("12.3 MB"),
        "{text}"
    );
}

/// Which capture it is stands above the overview, by as much of its name as there is room for.
#[test]
fn the_overview_names_the_capture() {
    let named = |all: &[&str], width: u16| {
        let mut feed = replayed();
        if let crate::Input::Files { names, .. } = &mut feed.input {
            *names = all.iter().map(|name| (*name).to_owned()).collect();
        }
        let text = shown(&model(feed, width, 24));
        text.lines().nth(1).unwrap_or_default().to_owned()
    };
    let long = [
        "/srv/captures/of/the/file/servers/monday.pcapng",
        "b.pcapng",
    ];
    let begins = |line: &str, with: &str| assert!(line.starts_with(with), "{line}");
    begins(
        &named(&["demo.pcapng"], 132),
        "Overview of demo.pcapng: 2,702 frames in 82.1 s, ",
    );
    begins(
        &named(&["demo.pcapng"], 80),
        "demo.pcapng: 2,702 frames in 82.1 s, ",
    );
    begins(
        &named(&["demo.pcapng"], 44),
        "demo.pcapng: 2,702 frames, 82.1 s",
    );
    begins(
        &named(&long, 160),
        &format!("Overview of {} and 1 more: 2,702 ", long[0]),
    );
    begins(&named(&long, 120), "monday.pcapng and 1 more: 2,702 frames");
    begins(
        &named(&["a name that has no room beside the rest.pcapng"], 44),
        "Overview: 2,702",
    );
    // An interface is named by the status.
    begins(
        shown(&model(live(0), 132, 24)).lines().nth(1).unwrap(),
        "Overview: 2,702",
    );
}

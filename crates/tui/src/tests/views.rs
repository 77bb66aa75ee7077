//! Clients, conversations, counters, symptoms, frames: where they lead, and what their keys do.

use super::{golden, live, model, press, replayed, shown};
use crate::{Command, Message, Model, What, update};
use std::path::PathBuf;
use std::sync::Arc;
use wirewait::{Source, registry};
use wirewait_report::decode::{Decoded, Decoder, Shape, Time};
use wirewait_report::text::Look;

/// Those frames of the shipped capture.
fn decoded(from: u64, to: u64) -> Arc<Vec<Decoded>> {
    let file: PathBuf = [env!("CARGO_MANIFEST_DIR"), "../../captures/demo.pcapng"]
        .iter()
        .collect();
    let mut source =
        wirewait_capture::open(&[file], &wirewait_capture::Options::default()).unwrap();
    let known = registry();
    let mut decoder =
        Decoder::new(&known, Shape::Line, Time::Relative, Look::FILE).following(registry());
    let mut frames = Vec::new();
    let mut number = 0;
    while let Ok(Some(frame)) = source.next_frame() {
        number += 1;
        decoder.pass(&frame);
        if (from..=to).contains(&number) {
            frames.push(decoder.plain(&frame));
        }
    }
    Arc::new(frames)
}

/// A frame that is asked for by its number is the chosen one among those around it.
#[test]
fn a_frame_asked_for_is_the_one_that_is_open() {
    let mut model = model(replayed(), 120, 36);
    press(&mut model, "o f 1 2 6");
    let asked = press(&mut model, "enter");
    assert!(
        matches!(&asked[..], [Command::Decode(frames)] if *frames == (116..=136)),
        "{asked:?}"
    );
    update(&mut model, Message::Decoded(decoded(116, 136)));
    let rows = model.rows().unwrap();
    let chosen = model.level().table.chosen().unwrap();
    let number = rows.cell(chosen, 0, &model.context());
    assert_eq!(number.exported().to_string(), "126");
    assert!(shown(&model).contains("frame 126"), "{}", shown(&model));
}

/// What is saved is what is listed.
#[test]
fn frames_that_are_listed_are_those_that_are_saved() {
    let mut model = model(replayed(), 120, 36);
    press(&mut model, "o f 1 2 6 enter");
    update(&mut model, Message::Decoded(decoded(116, 136)));
    let asked = press(&mut model, "W");
    assert!(
        matches!(&asked[..], [Command::Save(What::Frames(116, 136), path)]
            if path.as_os_str() == "wirewait-frames-116-136.pcapng"),
        "{asked:?}"
    );
}

/// The screen with the decoded frames of the costliest symptom, as its caller delivers them.
fn frames(width: u16, height: u16) -> Model {
    let mut model = model(replayed(), width, height);
    let asked = press(&mut model, "6 enter");
    let [Command::Decode(range)] = asked.as_slice() else {
        panic!("{asked:?}");
    };
    assert!(shown(&model).contains("Searching for the frames."));
    let found = decoded(*range.start(), *range.end());
    assert_eq!(found.len() as u64, range.end() - range.start() + 1);
    update(&mut model, Message::Decoded(found));
    model
}

/// A view, and the keys that lead to it.
const VIEWS: &[(&str, &str)] = &[
    ("clients", "3"),
    ("client-conversations", "3 enter"),
    ("conversations", "4"),
    ("counters", "5 down left"),
    ("counters-bars", "5 v"),
    ("counters-numbers", "5 v v"),
    ("counters-objects", "5 a"),
    ("counters-instances", "5 a enter"),
    ("counters-kinds", "5 a enter down enter enter"),
    ("symptoms", "6 down"),
];

const SIZES: [(u16, u16); 3] = [(80, 24), (132, 43), (44, 12)];

#[test]
fn every_one_at_every_size() {
    for (view, keys) in VIEWS {
        for (width, height) in SIZES {
            let mut model = model(replayed(), width, height);
            press(&mut model, keys);
            golden(&format!("{view}-{width}x{height}.txt"), &shown(&model));
        }
    }
}

/// Drops are loud on every one of them, and stand beside percentiles.
#[test]
fn drops_are_never_hidden_here_either() {
    for (view, keys) in VIEWS {
        for (width, height) in SIZES {
            let mut model = model(live(1234), width, height);
            press(&mut model, keys);
            let text = shown(&model);
            assert!(text.contains("DROPS 1,234"), "{view}:\n{text}");
            let count = |what: &str| text.matches(what).count();
            assert_eq!(count("p50"), count("p50!"), "{view}:\n{text}");
            assert_eq!(count("p95"), count("p95!"), "{view}:\n{text}");
        }
    }
}

/// Before anything was seen, and when everything is gone.
#[test]
fn without_figures_they_say_so() {
    let mut feed = replayed();
    feed.recent = Arc::default();
    feed.counters = Arc::default();
    let mut snapshot = feed.snapshot.as_ref().clone();
    snapshot.stations.clear();
    snapshot.symptoms.found.clear();
    feed.snapshot = Arc::new(snapshot);
    for (keys, said) in [
        ("3", "No client has sent a request to a file server yet."),
        ("4", "No request to a file server in the last minutes."),
        ("5", "The chart is empty. a adds counters."),
        ("6", "No symptom."),
    ] {
        for (width, height) in SIZES {
            let mut model = model(feed.clone(), width, height);
            press(&mut model, keys);
            let words = shown(&model);
            let words: Vec<&str> = words.split_whitespace().collect();
            assert!(words.join(" ").contains(said), "{words:?}");
            // Nothing is chosen: no key does any harm.
            press(&mut model, "enter x . = left v left enter down T");
            shown(&model);
        }
    }
}

#[test]
fn frames_at_every_size() {
    for (width, height) in SIZES {
        let mut model = frames(width, height);
        // Into the fields, to the file's offset.
        press(&mut model, "enter down down down down");
        golden(&format!("frames-{width}x{height}.txt"), &shown(&model));
    }
}

/// The marked letters of the lowest part, in the order of the screen.
fn marked(model: &Model) -> String {
    let picture = crate::export::picture(model);
    let chosen = model.palette.theme().chosen;
    let width = usize::from(picture.area.width);
    let rows: Vec<_> = picture.content.chunks(width).collect();
    let from = rows.iter().rposition(|row| row[0].symbol() == "─").unwrap() + 1;
    let cells = rows[from..].iter().flat_map(|row| row.iter().take(55));
    let of = cells.filter(|cell| {
        let style = cell.style();
        style == style.patch(chosen)
    });
    of.map(|cell| cell.symbol()).collect::<String>()
}

/// Frame 189 is a NetWare read: Ethernet 14 bytes, IPX 30, then 22 22, and so on.
#[test]
fn the_bytes_of_the_chosen_field_are_marked() {
    let mut model = frames(132, 43);
    press(&mut model, "enter");
    assert!(shown(&model).contains("bytes 44 to 63 of 64 of the frame"));
    press(&mut model, "down");
    assert!(shown(&model).contains("Packet type  0x2222"));
    assert_eq!(marked(&model), "22 22");
    // Up to the layer of Ethernet, all of which is marked when it is chosen.
    press(&mut model, "home down");
    assert_eq!(
        marked(&model).replace(' ', ""),
        "02001b00000802001b0000238137"
    );
    // It opens, and its first field is the destination.
    press(&mut model, "right right");
    assert_eq!(marked(&model), "02 00 1b 00 00 08");
    // The next frame: the same field.
    press(&mut model, "esc down");
    assert_eq!(marked(&model), "02 00 1b 00 00 23");
}

#[test]
fn tab_goes_from_part_to_part_and_esc_back_to_the_symptoms() {
    let mut model = frames(80, 24);
    let above = |model: &Model| shown(model).matches('▶').count();
    assert_eq!(above(&model), 0);
    press(&mut model, "tab");
    assert_eq!(above(&model), 1);
    press(&mut model, "tab pgdn pgdn pgdn up");
    assert_eq!(above(&model), 1);
    press(&mut model, "tab");
    assert_eq!(above(&model), 0);
    press(&mut model, "enter esc esc");
    assert!(shown(&model).contains("try first"), "{}", shown(&model));
}

/// What is shown, wherever its lines end.
fn words(model: &Model) -> String {
    shown(model)
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

#[test]
fn frames_that_are_gone_are_said_to_be_gone() {
    for (feed, helps) in [
        (
            live(0),
            "--keep-frames 1G keeps more, --save FILE keeps all.",
        ),
        (
            replayed(),
            "--keep-frames 1G keeps more; a file instead of a pipe is read again.",
        ),
    ] {
        let mut model = model(feed, 80, 24);
        press(&mut model, "6 enter");
        update(&mut model, Message::Decoded(Arc::default()));
        let text = words(&model);
        assert!(
            text.contains("no longer in memory") && text.contains(helps),
            "{text}"
        );
    }
    let mut model = model(replayed(), 80, 24);
    press(&mut model, "6 enter");
    update(&mut model, Message::Decoded(Arc::default()));
    // What nobody asked for changes nothing.
    press(&mut model, "1");
    let before = shown(&model);
    update(&mut model, Message::Decoded(decoded(1, 2)));
    assert_eq!(shown(&model), before);
}

/// A request that was looked at while it was forgotten.
#[test]
fn a_transaction_that_is_gone_says_what_helps() {
    for (feed, helps) in [
        (live(0), "wirewait transactions FILE lists their requests."),
        (replayed(), "Enter reads its frames from the file again."),
    ] {
        let mut model = model(feed.clone(), 80, 24);
        // The last one: the slowest ones stay.
        press(&mut model, "2 enter enter G enter");
        let transactions = Arc::default();
        update(
            &mut model,
            Message::Fed(Arc::new(crate::Feed {
                transactions,
                ..feed
            })),
        );
        let text = words(&model);
        assert!(
            text.contains("no longer in memory") && text.contains(helps),
            "{text}"
        );
    }
}

#[test]
fn hidden_names_are_not_in_frames_either() {
    let mut model = frames(80, 24);
    press(&mut model, "p");
    let text = shown(&model);
    assert!(
        text.contains("Names are hidden") && !text.contains("READ FROM"),
        "{text}"
    );
    press(&mut model, "p");
    assert!(shown(&model).contains("READ FROM"));
}

/// From a client down to the frames of one of its requests.
#[test]
fn a_client_leads_to_its_conversations_their_transactions_and_frames() {
    let mut model = model(replayed(), 132, 43);
    press(&mut model, "3 enter");
    let text = shown(&model);
    assert!(
        text.contains("Conversations of 00000022.02001b000023"),
        "{text}"
    );
    assert!(!text.contains("10.0.0.22"), "only its own");
    press(&mut model, "enter");
    assert!(shown(&model).contains("374 rows"), "{}", shown(&model));
    press(&mut model, "enter");
    let asked = press(&mut model, "enter");
    let [Command::DecodeTransaction(number)] = asked.as_slice() else {
        panic!("{asked:?}");
    };
    assert!(shown(&model).contains(&format!("frames of #{number}")));
    // The same transactions by T.
    press(&mut model, "3 3 T");
    assert!(shown(&model).contains("transactions of 00000022.02001b000023"));
    assert!(shown(&model).contains("374 rows"));
}

/// Performance Monitor's way: an object, whose, which counters.
#[test]
fn lines_are_put_on_the_chart_and_taken_away() {
    let mut model = model(replayed(), 132, 43);
    press(&mut model, "5 a enter enter");
    let text = shown(&model);
    assert!(
        text.contains("Redirector of all instances; 3 of 26 lines"),
        "{text}"
    );
    press(&mut model, "enter");
    assert!(
        shown(&model).contains("6 of 26 lines"),
        "one for each of three clients"
    );
    press(&mut model, "enter");
    assert!(shown(&model).contains("3 of 26 lines"), "and off again");
    // More than there is room for.
    for _ in 0..7 {
        press(&mut model, "enter down");
    }
    press(&mut model, "enter");
    let text = shown(&model);
    assert!(
        text.contains("26 of 26 lines") && text.contains("its maximum"),
        "{text}"
    );
    press(&mut model, "esc esc esc");
    let lines = |model: &Model| model.chart.count();
    assert_eq!(lines(&model), 26);
    press(&mut model, "x x");
    assert_eq!(lines(&model), 24);
    // A new feed adds nothing by itself.
    update(&mut model, Message::Fed(Arc::new(replayed())));
    assert_eq!(lines(&model), 24);
}

#[test]
fn what_only_the_machine_knows_is_said_and_never_drawn() {
    let mut model = model(replayed(), 132, 43);
    press(&mut model, "5 a / b r o w enter enter");
    assert!(shown(&model).contains("Browser: host-internal"));
    press(
        &mut model,
        "esc / r e d i enter enter down enter / c o u n t e r : c a c h e enter enter",
    );
    let text = shown(&model);
    assert!(text.contains("host-internal"), "{text}");
    assert!(text.contains("never estimated"), "{text}");
    assert_eq!(model.chart.count(), 3);
}

/// The bar below the chart: 34,000 bytes in the busiest second of 83, 6,261 on average. The
/// greatest power of ten that keeps 34,000 below 100 is 0.001.
#[test]
fn scales_and_the_value_bar() {
    let mut model = model(replayed(), 132, 43);
    press(&mut model, "5");
    let text = shown(&model);
    let bar = "average 6,328   min 0   max 34,000   graph time 82.1 s";
    assert!(text.contains(bar), "{text}");
    assert!(text.contains(" 0.001 "), "{text}");
    press(&mut model, ".");
    assert!(shown(&model).contains("scale of A: 0.01"));
    press(&mut model, ", , ,");
    assert!(shown(&model).contains("scale of A: 0.00001"));
    press(&mut model, "=");
    assert!(shown(&model).contains("scale of A: 0.001"));
    // A time that is looked at; Esc leaves it.
    press(&mut model, "left left");
    assert!(shown(&model).contains("A: at 09:01:2"), "{}", shown(&model));
    press(&mut model, "esc");
    assert!(!shown(&model).contains("A: at "));
    press(&mut model, "v");
    assert!(shown(&model).contains("0 to 100 after scaling"));
    press(&mut model, "v v");
    assert!(shown(&model).contains("graph time"));
}

/// All seconds together are the ledger of the report; a window has its part of it, and what is of
/// all the capture says so.
#[test]
fn a_window_changes_where_the_time_went_and_says_what_it_does_not_change() {
    let feed = replayed();
    let ends = [i64::MIN, i64::MAX].map(wirewait_wire::Timestamp::from_nanos);
    let whole = feed.ledgers.between(ends[0], ends[1]);
    let rows = &feed.snapshot.ledgers;
    let capture = rows
        .iter()
        .find(|row| row.of == wirewait_analysis::LedgerOf::Capture);
    // Seconds have the phases; only rows have the bounds of what else may be distance.
    let whole_of = |phase| (whole.get(phase), capture.unwrap().ledger.get(phase));
    for phase in wirewait_analysis::Phase::ALL {
        let (seconds, row) = whole_of(phase);
        assert_eq!(seconds, row, "{phase:?}");
    }
    for (width, height) in SIZES {
        let mut model = model(feed.clone(), width, height);
        let legend = |text: &str| {
            let line = text
                .lines()
                .find(|line| line.starts_with("C ") || line.starts_with("S "));
            line.map(str::to_owned)
        };
        let before = legend(&shown(&model)).unwrap();
        press(&mut model, "w");
        let text = shown(&model);
        assert_ne!(legend(&text).as_ref(), Some(&before), "{text}");
        assert!(
            text.contains("Since start: Server: 45.8 to 48.9 %")
                || text.contains("Since start: Server: 48.9 %"),
            "{text}"
        );
        assert!(text.contains("since start"), "{text}");
        press(&mut model, "6");
        let text = shown(&model);
        assert!(text.contains("Symptoms, cost in the last 10 s"), "{text}");
    }
}

/// By what was lost in it; what was not seen then is counted, and with the whole capture as the
/// window all is as it was.
#[test]
fn symptoms_are_ranked_by_what_they_cost_in_the_window() {
    let mut feed = replayed();
    // One of which nothing is known in these seconds.
    let mut snapshot = feed.snapshot.as_ref().clone();
    let dated = snapshot.symptoms.raised().find(|s| s.rule.dated());
    let mut past = dated.unwrap().clone();
    past.subject = wirewait_analysis::Subject::Segment;
    snapshot.symptoms.found.push(past);
    feed.snapshot = Arc::new(snapshot);
    let mut model = model(feed.clone(), 132, 43);
    press(&mut model, "6");
    let column = |model: &Model, title: &str| -> Vec<String> {
        let rows = model.rows().unwrap();
        let heads = rows.heads();
        let column = heads.iter().position(|head| head.title == title).unwrap();
        let cells = (0..rows.len()).map(|row| rows.cell(row, column, &model.context()));
        cells.map(|cell| cell.exported().to_string()).collect()
    };
    let number = |text: &String| text.parse::<u64>().unwrap_or(0);
    let all = column(&model, "cost");
    press(&mut model, "w");
    let window = feed.recent.last(10);
    let lost = feed.symptoms.between(window.begins(), window.ends());
    let found = &feed.snapshot.symptoms;
    let mut raised: Vec<u64> = found
        .raised()
        .map(|symptom| lost.of(symptom))
        .filter(|lost| lost.times > 0 || lost.cost_ns > 0)
        .map(|lost| lost.cost_ns)
        .collect();
    raised.sort_unstable_by(|a, b| b.cmp(a));
    let costs: Vec<u64> = column(&model, "cost").iter().map(number).collect();
    assert_eq!(costs.get(..raised.len()), Some(raised.as_slice()));
    assert!(raised.len() > 1 && raised.len() < all.len(), "{raised:?}");
    let hidden = all.len() - costs.len();
    let text = shown(&model);
    assert!(hidden > 0, "{text}");
    assert!(
        text.contains(&format!("; {hidden} not seen then")),
        "{text}"
    );
    assert!(text.contains(" in the last 10 s, "), "{text}");
    // Five minutes are all of it, 82.1 s, but for the one.
    press(&mut model, "w w");
    let text = shown(&model);
    assert!(text.contains("cost in the last 82.1 s"), "{text}");
    let sum = |costs: &[String]| costs.iter().map(number).sum::<u64>();
    let past = found.found[found.found.len() - 1].hits.cost_ns;
    assert_eq!(sum(&column(&model, "cost")) + past, sum(&all));
}

/// In the last ten seconds of the capture, from 09:01:13 on.
#[test]
fn clients_are_counted_in_the_window() {
    let feed = replayed();
    let mut model = model(feed.clone(), 132, 43);
    press(&mut model, "3");
    let requests = |model: &Model| -> u64 {
        let rows = model.rows().unwrap();
        let heads = rows.heads();
        let column = heads
            .iter()
            .position(|head| head.title == "requests")
            .unwrap();
        let cells = (0..rows.len()).map(|row| rows.cell(row, column, &model.context()));
        cells
            .map(|cell| cell.exported().parse::<u64>().unwrap())
            .sum()
    };
    let all = feed
        .recent
        .whole()
        .tally(&wirewait_analysis::recent::Of::All);
    assert_eq!(requests(&model), all.counts.requests);
    press(&mut model, "w");
    let last = feed
        .recent
        .last(10)
        .tally(&wirewait_analysis::recent::Of::All);
    assert_eq!(requests(&model), last.counts.requests);
    assert!(last.counts.requests < all.counts.requests);
    let text = shown(&model);
    assert!(text.contains("Clients; their ledgers"), "{text}");
    // So are conversations; some of those that stood still are not there.
    press(&mut model, "4");
    assert_eq!(requests(&model), last.counts.requests);
    assert!(shown(&model).contains("Conversations of the last 10 s"));
}

/// What is not known of a window is not there with nothing in it; the chooser of columns says why.
#[test]
fn columns_that_a_window_has_not_are_hidden_while_it_is_shown() {
    let whole = [
        "server %",
        "net+server",
        "of all ",
        "× mean",
        "of active",
        "think",
    ];
    let in_table = |model: &Model| -> Vec<&str> {
        let text = shown(model);
        let lines: Vec<&str> = text.lines().filter(|line| line.contains("p95")).collect();
        let heads = lines.join(" ");
        whole
            .into_iter()
            .filter(|title| heads.contains(title))
            .collect()
    };
    for (keys, some) in [("1", 4), ("2", 1), ("2 enter", 2), ("3", 4)] {
        let mut model = model(replayed(), 200, 50);
        press(&mut model, keys);
        assert!(in_table(&model).len() >= some, "{keys}:\n{}", shown(&model));
        press(&mut model, "w");
        assert_eq!(in_table(&model), [""; 0], "{keys}:\n{}", shown(&model));
        press(&mut model, "w w w");
        assert!(in_table(&model).len() >= some, "{keys}");
    }
    let mut model = model(replayed(), 132, 50);
    press(&mut model, "1 w");
    let text = shown(&model);
    assert!(
        text.contains("5 clients, by net+server time since start"),
        "{text}"
    );
    press(&mut model, "3 c");
    let text = shown(&model);
    assert_eq!(text.matches("Not known of a window. ").count(), 5, "{text}");
}

/// The dearest place first; the others by keys, each asked for when the one before has come.
#[test]
fn a_symptom_has_places_that_are_paged_through() {
    let mut model = model(replayed(), 132, 43);
    let asked = press(&mut model, "6 enter");
    let [Command::Decode(first)] = asked.as_slice() else {
        panic!("{asked:?}");
    };
    let title = |model: &Model| shown(model).lines().nth(1).unwrap_or_default().to_owned();
    assert!(title(&model).contains(&format!(
        "frames {} to {}, place ",
        first.start(),
        first.end()
    )));
    assert!(
        press(&mut model, "n N").is_empty(),
        "these have not come yet"
    );
    let mut seen = vec![first.clone()];
    for key in ["N", "n"] {
        loop {
            let range = seen[seen.len() - 1].clone();
            update(
                &mut model,
                Message::Decoded(decoded(*range.start(), *range.end())),
            );
            assert!(shown(&model).contains("0000  "), "{}", shown(&model));
            match press(&mut model, key).as_slice() {
                [Command::Decode(next)] => seen.push(next.clone()),
                none => {
                    assert!(none.is_empty());
                    break;
                }
            }
        }
    }
    assert!(
        title(&model).contains(&format!("place {0} of {0}", {
            let mut all: Vec<u64> = seen.iter().map(|range| *range.start()).collect();
            all.sort_unstable();
            all.dedup();
            all.len()
        })),
        "{}",
        title(&model)
    );
    assert!(seen.len() > 3, "{seen:?}");
}

//! What holds for the document as a whole.

mod reading;

use super::*;
use crate::ladder::Rung;
use crate::samples::{self, made};
use crate::text::tests::about;
use reading::{base64_digest, check_figures, tags};
use std::collections::BTreeSet;
use wirewait_analysis::{
    Bounds, Deed, Grouping, Ledger, LedgerOf, LedgerRow, Load, Phase, PlaceRow, ServerRow,
    StationRow,
};
use wirewait_wire::Endpoint;

const ABSENT: Conversation<'_> = Conversation::Absent("It was not read twice.");

fn written(about: &About, snapshot: &Snapshot, conversation: Conversation<'_>) -> String {
    let further = Further {
        conversation,
        counters: Metered::Absent("They were not sampled."),
    };
    let mut out = Vec::new();
    report(&mut out, about, snapshot, further).unwrap();
    String::from_utf8(out).unwrap()
}

/// A request in two frames, an acknowledgement, a pause, a retransmission, the response.
fn ladder() -> Ladder {
    let rung = |frame, micros, from_client, deeds: &[(u64, Deed)]| Rung {
        left_out: 0,
        frame,
        at: samples::at(micros),
        from_client,
        bytes: 64,
        deeds: deeds.to_vec(),
        words: format!("smb1 <frame {frame}>"),
    };
    Ladder {
        transaction: samples::answered(),
        earlier: 3,
        rungs: vec![
            rung(16, -30_000, false, &[]),
            rung(17, 0, true, &[(12, Deed::Request)]),
            rung(18, 10, true, &[(12, Deed::Request), (11, Deed::Ack)]),
            rung(19, 500, false, &[(12, Deed::Ack)]),
            rung(20, 1010, false, &[(12, Deed::Response)]),
            Rung {
                left_out: 2,
                ..rung(
                    23,
                    1510,
                    false,
                    &[(12, Deed::Response), (12, Deed::Retransmitted)],
                )
            },
            rung(24, 9_000_000, true, &[(12, Deed::Retransmitted)]),
        ],
    }
}

#[test]
fn the_style_and_the_script_are_those_that_are_allowed() {
    assert_eq!(
        STYLE_HASH,
        base64_digest(STYLE),
        "what html/mod.rs has to say"
    );
    assert_eq!(
        SCRIPT_HASH,
        base64_digest(SCRIPT),
        "what html/mod.rs has to say"
    );
}

#[test]
fn nothing_comes_from_elsewhere_and_only_our_script_runs() {
    let ladder = ladder();
    let html = written(&about(), &samples::snapshot(), Conversation::Drawn(&ladder));
    let tags = tags(&html);
    assert_eq!(tags.iter().filter(|(name, _)| name == "script").count(), 1);
    for (name, attributes) in &tags {
        assert!(!["img", "link", "iframe", "object", "base"].contains(&name.as_str()));
        for (key, value) in attributes {
            assert!(
                !key.starts_with("on") && key != "src" && key != "style",
                "{key}"
            );
            assert!(key != "href" || value.starts_with('#'), "{value}");
            assert!(
                !value.contains("://") && !value.starts_with("//"),
                "{value}"
            );
        }
    }
    assert!(!STYLE.contains("@import") && !STYLE.contains("//"));
    assert!(STYLE.split("url(").skip(1).all(|url| url.starts_with('#')));
    assert!(html.contains("content=\"default-src &#39;none&#39;; style-src &#39;sha256-"));
}

#[test]
fn identifiers_are_unique_and_what_is_referred_to_is_there() {
    let ladder = ladder();
    let html = written(&about(), &samples::snapshot(), Conversation::Drawn(&ladder));
    let tags = tags(&html);
    let attributes = || tags.iter().flat_map(|(_, attributes)| attributes);
    let mut ids = BTreeSet::new();
    for (_, id) in attributes().filter(|(key, _)| key == "id") {
        assert!(ids.insert(id.clone()), "{id} twice");
    }
    let mut referred = 0;
    for (key, value) in attributes() {
        let names: Vec<&str> = match key.as_str() {
            "href" => vec![value.trim_start_matches('#')],
            "aria-labelledby" => value.split(' ').collect(),
            "marker-end" => vec![value.trim_start_matches("url(#").trim_end_matches(')')],
            _ => continue,
        };
        for name in names {
            assert!(ids.contains(name), "{name}");
            referred += 1;
        }
    }
    for url in STYLE.split("url(#").skip(1) {
        assert!(ids.contains(url.split_once(')').unwrap().0), "{url}");
    }
    assert!(referred > 20, "{referred}");
}

#[test]
fn names_from_the_capture_are_harmless() {
    const EVIL: &str = "\"'><script>alert(1)</script><img src=x onerror=alert(1)>\x1b[2J\u{202e}";
    let mut about = about();
    about.files.push(EVIL.to_owned());
    about.damage.push(EVIL.to_owned());
    about.selection.filter = Some(EVIL.to_owned());
    about.interfaces[0].name = Some(EVIL.to_owned());
    let mut snapshot = samples::snapshot();
    let again = snapshot.segment.interfaces[0].clone();
    snapshot.segment.interfaces.push(again);
    for by in [Grouping::User, Grouping::Share, Grouping::File] {
        snapshot.places.push(made!(PlaceRow {
            by: by,
            name: EVIL.into(),
            share: Some(EVIL.into()),
            ..snapshot.places[0].clone()
        }));
    }
    let slow = &mut snapshot.slowest[0];
    slow.place = Some(std::sync::Arc::new(wirewait_analysis::Place {
        path: Some(EVIL.into()),
        ..wirewait_analysis::Place::default()
    }));
    let mut ladder = ladder();
    ladder.rungs[1].words = EVIL.to_owned();
    let html = written(&about, &snapshot, Conversation::Drawn(&ladder));
    assert!(html.matches("&lt;script&gt;").count() >= 8);
    assert!(!html.contains('\x1b') && !html.contains('\u{202e}'));
    assert_eq!(html.matches("<script").count(), 1, "ours");
    for (name, attributes) in tags(&html) {
        assert_ne!(name, "img");
        assert!(attributes.iter().all(|(key, _)| key != "onerror"));
    }
}

#[test]
fn what_plots_show_is_in_the_json_report() {
    let (snapshot, ladder) = (samples::snapshot(), ladder());
    let html = written(&about(), &snapshot, Conversation::Drawn(&ladder));
    let mut json = Vec::new();
    crate::json::report_with(&mut json, &about(), &snapshot, Some(&ladder)).unwrap();
    let json = serde_json::from_slice(&json).unwrap();
    let checked = check_figures(&html, &json);
    assert!(checked > 20, "{checked}");
}

#[test]
fn a_ladder_tells_its_arrows_apart_without_colour() {
    let ladder = ladder();
    let html = written(&about(), &samples::snapshot(), Conversation::Drawn(&ladder));
    for words in [
        "17: request, 64 B",
        "18: request + ack of #11, 64 B",
        "19: ack, 64 B",
        "24: retransmitted, 64 B",
        "16: other, 64 B",
        "2 frames left out, 500 µs",
        "9.00 s without a frame",
        "turnaround 1.00 ms",
        "3 earlier frames",
        "class=\"again\"",
        "class=\"ack\"",
        "class=\"apart\"",
    ] {
        assert!(html.contains(words), "{words}");
    }
}

#[test]
fn without_any_request_there_is_still_a_report() {
    let mut empty = samples::snapshot();
    empty.capture.first = None;
    empty.capture.last = None;
    empty.servers.clear();
    empty.stations.clear();
    empty.places.clear();
    empty.ledgers.clear();
    empty.slowest.clear();
    empty.excluded.clear();
    empty.distribution = wirewait_analysis::Distributions::default();
    empty.load = wirewait_analysis::Load::default();
    empty.fairness = wirewait_analysis::Fairness::default();
    let html = written(&About::default(), &empty, ABSENT);
    tags(&html);
    assert!(html.contains("No request to a file server was found."));
    assert!(!html.contains("NaN") && !html.contains("inf"));
    for absent in ["ledger", "distribution", "stations", "slowest", "ladder"] {
        assert!(
            !html.contains(&format!("<section id=\"{absent}\"")),
            "{absent}"
        );
    }
}

#[test]
fn a_request_without_a_response_at_the_end_is_among_the_slowest() {
    let mut snapshot = samples::snapshot();
    snapshot.unfinished = Some(samples::unfinished(7_100_000_000));
    let number = samples::unfinished(0).request.number;
    for nothing_else in [false, true] {
        if nothing_else {
            snapshot.slowest.clear();
        }
        let html = written(&about(), &snapshot, ABSENT);
        let from = html.find("<section id=\"slowest\"").unwrap();
        let section = &html[from..];
        for words in [
            "over 7.10 s",
            "no response yet",
            &format!("--transaction {number} "),
        ] {
            assert!(section.contains(words), "{words}");
        }
    }
}

#[test]
fn a_symptom_says_what_it_cost_and_what_to_try() {
    let about = about();
    let snapshot = samples::snapshot();
    let html = written(&about, &snapshot, ABSENT);
    let raised: Vec<_> = snapshot.symptoms.raised().collect();
    assert!(!raised.is_empty());
    for symptom in raised {
        let texts = about.texts.of(symptom.rule.id).unwrap();
        for words in texts
            .causes
            .iter()
            .chain(&texts.actions)
            .chain([&texts.title])
        {
            let mut page = Page::default();
            page.text(words);
            assert!(html.contains(&page.finish()), "{words}");
        }
    }
    assert!(html.contains("wirewait decode -F "), "the frames");
}

#[test]
fn the_same_figures_are_the_same_bytes() {
    let ladder = ladder();
    let one = written(&about(), &samples::snapshot(), Conversation::Drawn(&ladder));
    let other = written(&about(), &samples::snapshot(), Conversation::Drawn(&ladder));
    assert_eq!(one, other);
}

/// What a report is no longer than, however much there is in a capture.
const BOUND: usize = 3_500_000;

#[test]
fn a_thousand_of_everything_stays_below_the_bound() {
    let mut snapshot = samples::snapshot();
    let end = |n: u64| Endpoint::ipx(n as u32, [0xff; 6], 0x4003);
    let many = 0..2000u64;
    let server = snapshot.servers[0].clone();
    // Full tables of many servers, each with many operations.
    snapshot.servers = many
        .clone()
        .flat_map(|n| (0..if n < 100 { 300 } else { 1 }).map(move |code| (n, code)))
        .map(|(n, code)| {
            made!(ServerRow {
                server: end(n).station(),
                code: code,
                command: "UNKNOWN",
                ..server.clone()
            })
        })
        .collect();
    let station = snapshot.stations[0].clone();
    snapshot.stations = many
        .clone()
        .map(|n| {
            made!(StationRow {
                client: end(n),
                ..station.clone()
            })
        })
        .collect();
    let name = "\u{1f5a7}&".repeat(wirewait_analysis::LONGEST_NAME / 2);
    let place = snapshot.places[0].clone();
    snapshot.places = [Grouping::User, Grouping::Share, Grouping::File]
        .into_iter()
        .flat_map(|by| many.clone().map(move |_| by))
        .map(|by| {
            made!(PlaceRow {
                by: by,
                name: name.as_str().into(),
                share: Some(name.as_str().into()),
                ..place.clone()
            })
        })
        .collect();
    let ledger = snapshot.ledgers[0].clone();
    snapshot.ledgers = [LedgerOf::Capture]
        .into_iter()
        .chain(many.clone().map(|n| LedgerOf::Server(end(n))))
        .chain(many.clone().map(|n| LedgerOf::Client(end(n))))
        .chain(many.clone().flat_map(|n| {
            let pair = |server| LedgerOf::Pair {
                client: end(n),
                server: end(server),
            };
            [pair(1), pair(2)]
        }))
        .map(|of| {
            made!(LedgerRow {
                of: of,
                ..ledger.clone()
            })
        })
        .collect();
    let link = &mut snapshot.segment.interfaces[0];
    link.course.buckets = vec![link.course.buckets[0]; 2000];
    snapshot.segment.interfaces = vec![link.clone(); 2000];
    let load = &mut snapshot.load;
    load.timeline.buckets = vec![load.timeline.buckets[0]; 1200];
    load.levels[0].levels = vec![load.levels[0].levels[0]; 2000];
    load.levels = vec![load.levels[0].clone(); 200];
    load.sizes[0].sizes = vec![load.sizes[0].sizes[0].clone(); 2000];
    load.sizes = vec![load.sizes[0].clone(); 200];
    load.routes = vec![load.routes[0].clone(); 2000];
    load.services = vec![load.services[0].clone(); 2000];
    let row = snapshot.distribution.servers[0].clone();
    snapshot.distribution.servers = vec![row; 2000];
    let slow = snapshot.slowest[0].clone();
    snapshot.slowest = vec![slow; 2000];
    let about = About {
        files: vec!["some/folder/with/captures/of-a-day.pcapng".to_owned(); 2000],
        ..about()
    };
    let mut long = ladder();
    let rung = long.rungs[2].clone();
    long.rungs = vec![rung; 84];
    let html = written(&about, &snapshot, Conversation::Drawn(&long));
    assert!(html.len() < BOUND, "{}", html.len());
    assert!(
        html.contains("and 1,975 more"),
        "what is left out is counted"
    );
    tags(&html);
}

/// Of 40 ms of the client, 15; of 50 of the server, 30: beside the network's part, which begins at 40 %.
#[test]
fn what_may_be_the_networks_is_hatched() {
    let mut snapshot = samples::snapshot();
    let ms = |ms: u64| ms * 1_000_000;
    let up_to = |most| Bounds {
        low: 0,
        high: ms(most),
    };
    let times = [
        (Phase::Client, ms(40)),
        (Phase::Response, ms(10)),
        (Phase::Server, ms(50)),
    ];
    let row = made!(LedgerRow {
        of: LedgerOf::Capture,
        ledger: Ledger::from_iter(times).with_network(up_to(30), up_to(15)),
        ..snapshot.ledgers[0].clone()
    });
    snapshot.ledgers = vec![row];
    let html = written(&about(), &snapshot, ABSENT);
    for (from, wide) in [("25", "15"), ("50", "30")] {
        let hatched = format!("class=\"over-perhaps\" x=\"{from}%\" y=\"1\" width=\"{wide}%\"");
        assert!(html.contains(&hatched), "{hatched}\n{html}");
    }
    assert!(
        html.contains("hatched: 30.0 ms (30.0 %) may be the network"),
        "{html}"
    );
}

#[test]
fn the_network_is_one_part_of_a_bar() {
    let mut snapshot = samples::snapshot();
    let row = made!(LedgerRow {
        of: LedgerOf::Capture,
        ledger: [
            (Phase::Client, 40),
            (Phase::Request, 5),
            (Phase::Server, 30),
            (Phase::Response, 5),
            (Phase::Retransmission, 20),
        ]
        .into_iter()
        .map(|(phase, ms)| (phase, ms * 1_000_000))
        .collect(),
        ..snapshot.ledgers[0].clone()
    });
    snapshot.ledgers = vec![row];
    let html = written(&about(), &snapshot, ABSENT);
    assert!(
        html.contains(
            "network 30.0 ms (30.0 %): request transfer 5.00 ms (5.0 %), response transfer \
             5.00 ms (5.0 %), loss recovery 20.0 ms (20.0 %)"
        ),
        "{html}"
    );
    // Its phases stand beside each other: from 40 to 70 % of the bar.
    let bar = html.split("id=\"ledger-all\"").nth(1).unwrap();
    let bar = bar.split("</svg>").next().unwrap();
    let places: Vec<&str> = bar
        .split("x=\"")
        .skip(1)
        .map(|part| part.split('"').next().unwrap())
        .collect();
    assert_eq!(
        places,
        [
            "0%", "20%", "40%", "40%", "45%", "45%", "50%", "50%", "55%", "70%", "85%"
        ]
    );
}

/// Papers have how long a request takes by the number of stations and by what is moved, all configurations in each plot.
#[test]
fn configurations_by_load_are_in_two_plots() {
    let names: Vec<String> = (1..=9).map(|n| format!("configuration {n}")).collect();
    let snapshot = samples::snapshot();
    let loads: Vec<(String, &Load)> = names
        .iter()
        .map(|name| (name.clone(), &snapshot.load))
        .collect();
    let page = |loads: &[(String, &Load)]| {
        let mut page = markup::Page::default();
        assert!(configurations::configurations(&mut page, loads));
        page.finish()
    };
    let html = page(&loads[..3]);
    let key = "<ol class=\"key\"><li>configuration 1</li><li>configuration 2</li><li>configuration 3</li></ol>";
    assert!(html.contains(key), "{html}");
    let levels = snapshot.load.levels.iter();
    let mut levels = levels.filter(|curve| curve.of == wirewait_analysis::LoadOf::Capture);
    let points = levels.next().unwrap().levels.iter();
    let points = points.filter(|row| row.stations > 0).count();
    for id in ["levels", "delay-throughput"] {
        let (_, svg) = html.split_once(&format!("id=\"{id}-title\"")).unwrap();
        let (svg, _) = svg.split_once("</svg>").unwrap();
        for n in 1..=3 {
            let dots = svg.matches(&format!("class=\"of{n}\"")).count();
            assert!((1..=points).contains(&dots), "{id} {n}: {svg}");
            assert!(svg.contains(&format!(">{n}</text>")), "{id} {n}: {svg}");
        }
    }
    // One more than there are marks is in the table alone.
    let html = page(&loads);
    assert!(html.contains("class=\"of8\"") && !html.contains("class=\"of9\""));
    assert!(html.contains("<td class=\"t\">configuration 9</td>"));
}

#[test]
fn a_comparison_is_a_page_with_all_captures_side_by_side() {
    use crate::compare::{Compared, Configuration};
    let configurations = ["before", "<after>"].map(|name| Configuration {
        name: name.to_owned(),
        about: About::default(),
        snapshot: samples::snapshot(),
    });
    let snapshots: Vec<&Snapshot> = configurations.iter().map(|one| &one.snapshot).collect();
    let comparison = wirewait_judge::compare::Comparison::of(&snapshots, None);
    let compared = Compared {
        configurations: &configurations,
        comparison: &comparison,
        groups_wanted: false,
        at: None,
        digits: Digits::Three,
    };
    let mut out = Vec::new();
    compare(&mut out, &compared).unwrap();
    let html = String::from_utf8(out).unwrap();
    let found = tags(&html);
    let mut ids = BTreeSet::new();
    for (_, attributes) in &found {
        for (_, id) in attributes.iter().filter(|(name, _)| name == "id") {
            assert!(ids.insert(id.clone()), "{id} stands twice");
        }
    }
    for id in [
        "ledger-0",
        "ledger-1",
        "spread-0-response_time-title",
        "spread-1-response_time-title",
        "spread-1-turnaround-title",
        "figures",
        "groups",
        "load",
        "reading",
    ] {
        assert!(ids.contains(id), "{id}: {ids:?}");
    }
    for text in [
        "<title>wirewait comparison: before, &lt;after&gt;</title>",
        "<figcaption>&lt;after&gt;",
        "<caption class=\"unseen\">Configurations by active stations</caption>",
    ] {
        assert!(html.contains(text), "{text}: {html}");
    }
    // Each load of the one stands beside that of the other.
    let load = html.split("id=\"load\"").nth(1).unwrap();
    let order: Vec<usize> = ["before", "&lt;after&gt;"]
        .iter()
        .map(|name| load.find(&format!("<td class=\"t\">{name}</td>")).unwrap())
        .collect();
    assert!(order[0] < order[1]);
}

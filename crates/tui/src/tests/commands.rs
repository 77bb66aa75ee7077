//! What keys make of the capture: windows, replay, files.

use super::keys::on_servers;
use super::{live, model, press, replayed, shown};
use crate::model::Overlay;
use crate::{Command, Input, Message, Model, Pace, What, update};
use std::sync::Arc;
use wirewait_wire::Timestamp;

/// The last seconds, counted by hand from the transactions of the capture.
#[test]
fn a_window_has_the_figures_of_the_last_seconds() {
    let mut model = on_servers();
    let answered = |model: &Model| -> u64 {
        let rows = model.rows().unwrap();
        let context = model.context();
        let column = rows
            .heads()
            .iter()
            .position(|h| h.title == "requests")
            .unwrap();
        (0..rows.len())
            .map(|row| match rows.cell(row, column, &context).value {
                crate::table::Value::Count(n) => n,
                other => panic!("{other:?}"),
            })
            .sum()
    };
    let feed = replayed();
    assert_eq!(answered(&model), 206 + 543 + 125 + 165);
    for seconds in [10, 60, 300] {
        press(&mut model, "w");
        assert!(shown(&model).contains(&format!("last {seconds} s")));
        let last = feed.now.unwrap().as_nanos() / 1_000_000_000;
        let from = last - i64::from(seconds) + 1;
        let second = |t: &&wirewait_analysis::Transaction| {
            let end = t.response.or(t.request).unwrap().last.at;
            t.response.is_some() && end.as_nanos() / 1_000_000_000 >= from
        };
        let expected = feed.transactions.iter().filter(second).count() as u64;
        assert!(expected > 0);
        assert_eq!(answered(&model), expected, "{seconds}");
        press(&mut model, "T");
        assert!(model.level().table.all() > 0);
        press(&mut model, "2");
    }
    press(&mut model, "w");
    assert_eq!(model.window, None);
}

#[test]
fn freezing_what_is_live() {
    let mut model = on_servers();
    assert_eq!(press(&mut model, "space"), []);
    let mut later = live(3);
    later.now = Some(Timestamp::from_parts(2_000_000_000, 0));
    update(&mut model, Message::Fed(Arc::new(later)));
    assert!(shown(&model).contains("09:01:22 UTC"), "as it was");
    press(&mut model, "space");
    assert!(
        shown(&model).contains("03:33:20 UTC"),
        "what came meanwhile"
    );
    assert!(!shown(&model).contains("FROZEN"));
}

#[test]
fn replaying_files() {
    let mut model = model(replayed(), 80, 24);
    assert_eq!(press(&mut model, "space"), [Command::Pause(true)]);
    assert_eq!(press(&mut model, "+"), [Command::Pace(Pace::Times(20))]);
    assert_eq!(press(&mut model, "-"), [Command::Pace(Pace::Times(5))]);
    let Input::Files { span, .. } = replayed().input else {
        panic!("files");
    };
    let (first, last) = span.unwrap();
    assert!(last.since(first) > 60_000_000_000);
    for (keys, seconds) in [("( )", 1), ("[ ]", 10), ("{ }", 60)] {
        let back = Command::Seek(last.plus(-seconds * 1_000_000_000));
        let asked = press(&mut model, keys);
        assert_eq!(asked, [back, Command::Seek(last)], "and not beyond");
    }
    assert_eq!(press(&mut model, "^"), [Command::Seek(first)]);
    assert_eq!(press(&mut model, "$"), [Command::Seek(last)]);
    // One after the other, while it is still looking.
    let mut feed = replayed();
    if let Input::Files { seeking, .. } = &mut feed.input {
        *seeking = Some(first.plus(30_000_000_000));
    }
    update(&mut model, Message::Fed(Arc::new(feed)));
    let next = Command::Seek(first.plus(40_000_000_000));
    assert_eq!(press(&mut model, "]"), [next]);
    // Where the files begin and end is not known before they were read through.
    let mut feed = replayed();
    if let Input::Files { span, .. } = &mut feed.input {
        *span = None;
    }
    update(&mut model, Message::Fed(Arc::new(feed)));
    let end = Command::Seek(Timestamp::from_nanos(i64::MAX));
    assert_eq!(press(&mut model, "$"), [end]);
    let back = Command::Seek(last.plus(-10_000_000_000));
    assert_eq!(press(&mut model, "["), [back]);
    let with = |pace, again, paused| {
        let mut feed = replayed();
        feed.input = match feed.input {
            Input::Files { names, span, .. } => Input::Files {
                names,
                span,
                pace,
                paused,
                ended: false,
                seeking: None,
                again,
            },
            live => live,
        };
        Arc::new(feed)
    };
    update(&mut model, Message::Fed(with(Pace::Max, false, true)));
    assert_eq!(press(&mut model, "+"), []);
    assert_eq!(press(&mut model, "-"), [Command::Pace(Pace::Times(100))]);
    assert_eq!(
        press(&mut model, "["),
        [],
        "what came through a pipe is gone"
    );
    assert!(shown(&model).contains("cannot be read a second time"));
    assert_eq!(press(&mut model, "space"), [Command::Pause(false)]);
    update(&mut model, Message::Fed(with(Pace::Times(1), true, false)));
    assert_eq!(press(&mut model, "-"), []);
    // As fast as they can be read, a replay would be at the end again at once.
    update(&mut model, Message::Fed(with(Pace::Max, true, false)));
    let back = Command::Seek(last.plus(-10_000_000_000));
    assert_eq!(press(&mut model, "["), [Command::Pause(true), back]);
    assert!(shown(&model).contains("space goes on"));
    assert_eq!(press(&mut model, "$"), [Command::Seek(last)]);
}

#[test]
fn saving_the_frames_of_what_is_open() {
    let saved = |keys: &str| {
        let mut model = model(live(0), 132, 43);
        match press(&mut model, keys).pop() {
            Some(Command::Save(what, path)) => (what, path.display().to_string()),
            other => panic!("{keys}: {other:?}"),
        }
    };
    let last = "wirewait-last-minute-19990301T090122Z.pcapng".to_owned();
    assert_eq!(saved("W"), (What::LastSeconds(60), last));
    let (what, path) = saved("4 enter W");
    let What::Conversation(number) = what else {
        panic!("{what:?}");
    };
    assert_eq!(path, format!("wirewait-conversation-{number}.pcapng"));
    let (what, path) = saved("4 enter enter W");
    let What::Transaction(number) = what else {
        panic!("{what:?}");
    };
    assert_eq!(path, format!("wirewait-request-{number}.pcapng"));
}

#[test]
fn resetting_asks_first() {
    let mut model = on_servers();
    assert_eq!(press(&mut model, "r"), []);
    assert_eq!(press(&mut model, "n"), []);
    assert_eq!(model.overlay, Overlay::None);
    assert_eq!(press(&mut model, "r y"), [Command::Reset]);
}

#[test]
fn exporting_what_is_shown() {
    let mut model = on_servers();
    let mut exported = |keys: &str| match press(&mut model, keys).as_slice() {
        [Command::Export { path, content }] => (path.display().to_string(), content.clone()),
        other => panic!("{other:?}"),
    };
    let (path, text) = exported("e enter");
    assert_eq!(path, "wirewait-servers-19990301T090122Z.txt");
    assert!(text.starts_with("server  "), "{text}");
    assert_eq!(text.lines().count(), 5);
    let (path, csv) = exported("e down enter");
    assert_eq!(path, "wirewait-servers-19990301T090122Z.csv");
    assert!(
        csv.starts_with("server,protocols,requests,turnaround p50 (ns),turnaround p95 (ns)"),
        "{csv}"
    );
    assert!(csv.contains("\r\n10.0.0.8,smb2/tcp,206,"), "{csv}");
    assert!(csv.contains(",data (bytes),frames/req,"), "{csv}");
    let (path, json) = exported("e down down enter");
    assert_eq!(path, "wirewait-servers-19990301T090122Z.json");
    assert!(
        json.contains("\"server\": \"10.0.0.8\", \"protocols\": \"smb2/tcp\", \"requests\": 206"),
        "{json}"
    );
    assert_eq!(exported("1 e").0, "wirewait-overview-19990301T090122Z.txt");
    assert_eq!(press(&mut model, "2 e esc"), []);
}

#[test]
fn any_request_is_opened_by_its_number() {
    let mut model = model(replayed(), 80, 24);
    press(&mut model, "o 1 2");
    assert!(shown(&model).contains("open: 12_"), "{}", shown(&model));
    let asked = press(&mut model, "enter");
    assert_eq!(asked, [Command::DecodeTransaction(12)]);
    assert!(shown(&model).contains("frames of #12"));
    update(
        &mut model,
        Message::Failed("there is no request 12".to_owned()),
    );
    let text = shown(&model);
    assert!(text.contains("there is no request 12") && !text.contains("frames of #12"));
    assert_eq!(
        press(&mut model, "o f 2 0 enter"),
        [Command::Decode(10..=30)]
    );
    press(&mut model, "esc o x enter");
    assert!(shown(&model).contains("x: write 17 (request #17)"));
    assert!(press(&mut model, "o 5 esc").is_empty());
}

#[test]
fn answers_are_shown_until_the_next_key() {
    let mut model = on_servers();
    update(&mut model, Message::Said("written: a.csv".to_owned()));
    assert!(shown(&model).contains("written: a.csv"));
    press(&mut model, "j");
    assert!(!shown(&model).contains("written: a.csv"));
    update(
        &mut model,
        Message::Failed("a.csv: disk full\x1b[2J".to_owned()),
    );
    assert!(shown(&model).contains(r"disk full\x1b[2J"));
}

//! Every view at three sizes, as files in `golden/`.

use super::{golden, live, model, press, replayed, shown};
use crate::{Message, Model, Palette, update};

const SIZES: [(u16, u16); 3] = [(80, 24), (132, 43), (44, 12)];

/// A view, and the keys that lead to it.
const VIEWS: &[(&str, &str)] = &[
    ("overview", "1"),
    ("servers", "2"),
    ("operations", "2 enter"),
    ("transactions", "2 enter enter"),
    ("transaction", "2 enter enter enter"),
];

/// The tabs beside these.
const TABS: &[(&str, &str)] = &[
    ("clients", "3"),
    ("conversations", "4"),
    ("counters", "5"),
    ("symptoms", "6"),
    ("statistics", "D"),
    ("statistic", "D enter"),
];

#[test]
fn every_view_at_every_size() {
    for (view, keys) in VIEWS {
        for (width, height) in SIZES {
            let mut model = model(replayed(), width, height);
            press(&mut model, keys);
            golden(&format!("{view}-{width}x{height}.txt"), &shown(&model));
        }
    }
}

/// As large as terminals are: nothing is empty, nothing is cut.
#[test]
fn the_overview_takes_the_room_that_there_is() {
    for (width, height) in [(44, 24), (120, 35), (200, 50)] {
        let model = model(replayed(), width, height);
        let text = shown(&model);
        golden(&format!("overview-{width}x{height}.txt"), &text);
        let empty = text.lines().filter(|line| line.trim().is_empty()).count();
        assert!(empty <= 1, "{empty} empty lines:\n{text}");
        if width >= 120 {
            assert!(!text.contains('…'), "{text}");
        }
    }
}

#[test]
fn what_lies_above_a_view() {
    let mut model = model(live(0), 80, 24);
    for (name, keys) in [
        ("help", "2 ?"),
        ("sort", "esc 2 s"),
        ("export", "esc e"),
        ("reset", "esc r"),
        ("filter", "esc / n c p"),
    ] {
        press(&mut model, keys);
        golden(&format!("{name}.txt"), &shown(&model));
    }
}

/// Drops are loud on every screen, whatever its size, and stand beside percentiles.
#[test]
fn drops_are_never_hidden() {
    for (view, keys) in VIEWS.iter().chain(TABS) {
        for (width, height) in SIZES {
            let mut model = model(live(1234), width, height);
            press(&mut model, keys);
            let text = shown(&model);
            assert!(text.contains("DROPS 1,234"), "{view}:\n{text}");
            let percentiles = text.matches("p95").count() + text.matches("p99").count();
            let marked = text.matches("p95!").count() + text.matches("p99!").count();
            assert_eq!(percentiles, marked, "{view}:\n{text}");
        }
    }
    let mut model = model(live(0), 44, 12);
    press(&mut model, "2 space");
    assert!(shown(&model).contains("drops 0"));
    // Standing still hides no drops.
    update(&mut model, Message::Fed(std::sync::Arc::new(live(5))));
    let text = shown(&model);
    assert!(
        text.contains("DROPS 5") && text.contains("FROZEN"),
        "{text}"
    );
}

#[test]
fn without_colours_nothing_is_lost() {
    for (_, keys) in VIEWS {
        let mut plain = model(live(7), 132, 43);
        press(&mut plain, keys);
        let text = shown(&plain);
        for palette in Palette::ALL {
            plain.palette = palette;
            assert_eq!(shown(&plain), text, "letters do not depend on colours");
        }
    }
    // And what has no colour has emphasis.
    let mut mono = model(live(7), 80, 24);
    mono.palette = Palette::Mono;
    let picture = crate::export::picture(&mono);
    let coloured = |cell: &&ratatui::buffer::Cell| {
        use ratatui::style::Color::Reset;
        (cell.fg, cell.bg) != (Reset, Reset)
    };
    assert_eq!(picture.content.iter().filter(coloured).count(), 0);
}

/// Without a line above a table, its heading says how much of it is not there.
#[test]
fn rows_of_the_overview_that_are_not_shown_are_counted() {
    let text = shown(&model(replayed(), 80, 24));
    assert!(text.contains(" symptom +7 more: key 6"), "{text}");
    assert!(text.contains("server +2 more: key 2"), "{text}");
}

#[test]
fn too_small_is_said() {
    for (width, height) in [(43, 12), (44, 11), (20, 5)] {
        let text = shown(&model(replayed(), width, height));
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.starts_with("Too small:"), "{text}");
    }
    assert!(!shown(&model(replayed(), 44, 12)).contains("Too small"));
}

#[test]
fn before_anything_came_it_says_so() {
    golden("waiting.txt", &shown(&Model::default()));
}

/// An interface on which nothing passes is no empty capture: no verdict, no doubt, no date.
#[test]
fn before_the_first_frame_every_view_waits() {
    let mut snapshot = wirewait::Snapshot::clone(&replayed().snapshot);
    snapshot.capture.frames = 0;
    let feed = |feed: crate::Feed| crate::Feed {
        snapshot: snapshot.clone().into(),
        now: None,
        ..feed
    };
    for (view, keys) in VIEWS.iter().chain(TABS) {
        let mut model = model(feed(live(0)), 80, 24);
        press(&mut model, keys);
        let text = shown(&model);
        assert!(
            text.contains("Waiting for frames on eth0 ..."),
            "{view}:\n{text}"
        );
        assert!(
            !text.contains("Doubt") && !text.contains("UTC"),
            "{view}:\n{text}"
        );
    }
    let mut ended = feed(replayed());
    if let crate::Input::Files { ended, .. } = &mut ended.input {
        *ended = true;
    }
    let text = shown(&model(ended.clone(), 80, 24));
    assert!(text.contains("No frames since the reset."), "{text}");
    if let crate::Input::Files { span, .. } = &mut ended.input {
        *span = None;
    }
    let text = shown(&model(ended, 80, 24));
    assert!(text.contains("No frames in demo.pcapng."), "{text}");
}

/// A name from the wire cannot command the terminal, in the table, the title or the details.
#[test]
fn names_from_the_wire_are_harmless() {
    let mut feed = replayed();
    let mut transactions = feed.transactions.as_ref().clone();
    for t in &mut transactions {
        let mut place = t.place.as_deref().cloned().unwrap_or_default();
        place.path = Some("\x1b]0;owned\x07\u{202e}\u{9b}2J.txt".into());
        t.place = Some(std::sync::Arc::new(place));
    }
    feed.transactions = std::sync::Arc::new(transactions);
    for keys in ["2 enter enter", "2 enter enter enter"] {
        let mut model = model(feed.clone(), 200, 24);
        press(&mut model, keys);
        let text = shown(&model);
        assert!(
            text.contains(r"\x1b]0;owned\x07\u{202e}\x9b2J.txt"),
            "{text}"
        );
        assert!(!text.contains(['\x1b', '\x07', '\u{202e}', '\u{9b}']));
    }
}

#[test]
fn private_names_are_numbers_and_the_same_name_is_the_same_number() {
    let named = |model: &Model| -> Vec<String> {
        let rows = model.rows().unwrap();
        let file = rows.heads().iter().position(|h| h.title == "file").unwrap();
        let context = model.context();
        (0..rows.len())
            .map(|row| rows.cell(row, file, &context).shown(context.units, 0))
            .collect()
    };
    let mut model = model(replayed(), 132, 43);
    press(&mut model, "2 end T");
    let plain = named(&model);
    press(&mut model, "p");
    let hidden = named(&model);
    assert!(shown(&model).contains("private"));
    assert!(plain.iter().any(|name| name.len() > 1), "{plain:?}");
    for (a, b) in plain.iter().zip(&hidden).filter(|(a, _)| *a != "-") {
        assert!(b.starts_with("file-") && !b.contains(a), "{a} {b}");
        let same = |names: &[String], name: &String| names.iter().filter(|n| *n == name).count();
        assert_eq!(same(&plain, a), same(&hidden, b));
    }
}

/// The verdict names a file, too.
#[test]
fn no_view_shows_a_hidden_name() {
    let verdict = wirewait_judge::Verdict::on(&replayed().snapshot);
    let name = verdict.file.expect("the verdict names a file").path;
    let mut model = model(replayed(), 200, 50);
    assert!(shown(&model).contains(&*name));
    press(&mut model, "p");
    for view in ["1", "2", "3", "4", "5", "6"] {
        press(&mut model, view);
        assert!(!shown(&model).contains(&*name), "view {view}");
    }
}

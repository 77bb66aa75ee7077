//! What each key does.

use super::{live, model, press, replayed, shown};
use crate::keys::{BINDINGS, Where};
use crate::model::{Level, Overlay};
use crate::place::Place;
use crate::table::{self, RowIdentity};
use crate::{Command, Message, Model, update, view};
use ratatui::crossterm::event::{Event, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::Rect;
use std::collections::BTreeSet;
use std::sync::Arc;

pub(super) fn on_servers() -> Model {
    let mut model = model(live(0), 132, 43);
    press(&mut model, "2");
    model
}

#[test]
fn quitting() {
    let mut model = on_servers();
    assert_eq!(press(&mut model, "q"), [Command::Quit { keep: false }]);
    assert_eq!(press(&mut model, "Q"), [Command::Quit { keep: true }]);
    // Whatever is open, Ctrl-C ends it.
    for open in ["?", "s", "/", "r", "e"] {
        press(&mut model, &format!("esc esc {open}"));
        assert_eq!(press(&mut model, "ctrl-c"), [Command::Quit { keep: false }]);
    }
}

#[test]
fn digits_and_tab_open_screens_which_keep_their_place() {
    let mut model = on_servers();
    press(&mut model, "enter");
    assert!(matches!(model.level().place, Place::Operations(_)));
    press(&mut model, "1");
    assert_eq!(model.level().place, Place::Overview);
    press(&mut model, "tab");
    assert!(matches!(model.level().place, Place::Operations(_)));
    press(&mut model, "2");
    assert_eq!(model.level().place, Place::Servers, "again: to its top");
    press(&mut model, "backtab");
    assert_eq!(model.level().place, Place::Overview);
    press(&mut model, "9");
    assert_eq!(model.level().place, Place::Overview, "there is no ninth");
}

/// Every row of the overview leads to where there is more of it, and Esc to the list.
#[test]
fn the_overview_is_where_work_starts() {
    let feed = replayed();
    let symptom = feed.snapshot.symptoms.raised().nth(1).unwrap().clone();
    let server = feed.snapshot.server_totals()[0].server;
    let client = feed.snapshot.stations[0].client;
    let mut model = model(feed, 120, 35);
    let chosen = |model: &Model| model.level().table.chosen_key().cloned();
    press(&mut model, "down enter");
    assert_eq!(model.level().place, Place::Symptoms);
    let key = RowIdentity::Symptom(symptom.rule.id, symptom.subject);
    assert_eq!(chosen(&model), Some(key));
    assert!(shown(&model).contains(symptom.rule.id));
    // The first server stands below the symptoms, the last client at the end.
    let marked = |model: &Model| {
        let picture = crate::export::picture(model);
        let chosen = model.palette.theme().chosen;
        let row = picture
            .content
            .chunks(120)
            .skip(2)
            .find(|row| row[3].style() == row[3].style().patch(chosen));
        let row = row.map(|row| row.iter().map(|cell| cell.symbol()).collect::<String>());
        row.unwrap_or_default()
    };
    press(&mut model, "1 home");
    while !marked(&model).starts_with(&server.to_string()) {
        let before = marked(&model);
        press(&mut model, "down");
        assert_ne!(marked(&model), before, "the end was reached");
    }
    press(&mut model, "enter");
    assert_eq!(model.level().place, Place::Operations(server));
    press(&mut model, "esc");
    assert_eq!(
        (&model.level().place, chosen(&model)),
        (&Place::Servers, Some(RowIdentity::Station(server)))
    );
    press(&mut model, "1 end");
    while !marked(&model).starts_with(&client.to_string()) {
        press(&mut model, "up");
    }
    press(&mut model, "enter");
    assert_eq!(model.level().place, Place::Conversations(Some(client)));
    // A click chooses a row likewise.
    press(&mut model, "1 home");
    let text = shown(&model);
    let line = text
        .lines()
        .position(|line| line.starts_with(&client.to_string()))
        .unwrap();
    let click = MouseEvent {
        kind: MouseEventKind::Down(MouseButton::Left),
        column: 5,
        row: line as u16,
        modifiers: KeyModifiers::NONE,
    };
    update(&mut model, Message::Terminal(Event::Mouse(click)));
    assert!(
        marked(&model).starts_with(&client.to_string()),
        "{}",
        shown(&model)
    );
}

#[test]
fn down_to_a_transaction_and_back() {
    let mut model = on_servers();
    press(&mut model, "enter enter enter");
    assert!(matches!(model.level().place, Place::Transaction(_)));
    press(&mut model, "esc esc backspace");
    assert_eq!(model.level().place, Place::Servers);
    press(&mut model, "esc");
    assert!(shown(&model).contains("this is the top"));
    press(&mut model, "T");
    assert!(matches!(model.level().place, Place::Transactions(_)));
}

#[test]
fn moving_and_paging() {
    let mut model = on_servers();
    press(&mut model, "T");
    let last = model.level().table.order().len() - 1;
    assert!(last > 100);
    let page = model.page(model.rows().unwrap().as_ref());
    for (key, cursor) in [
        ("j", 1),
        ("down", 2),
        ("k", 1),
        ("up", 0),
        ("up", 0),
        ("pgdn", page),
        ("pgup", 0),
        ("ctrl-f", page),
        ("ctrl-b", 0),
        ("G", last),
        ("end", last),
        ("g", 0),
        ("end", last),
        ("home", 0),
    ] {
        press(&mut model, key);
        assert_eq!(model.level().table.cursor(), cursor, "{key}");
    }
    press(&mut model, "right l h");
    assert_eq!(model.level().table.step, 1);
    press(&mut model, "left left left");
    assert_eq!(model.level().table.step, 0);
}

/// Each key to the right shows a column that was not seen yet until there is none; the line above
/// says how many there are. The keys to the left show the same the other way round.
#[test]
fn scrolling_shows_every_column() {
    for (width, keys) in [
        (80, "2"),
        (80, "3"),
        (80, "4"),
        (80, "6"),
        (44, "4"),
        (200, "4"),
    ] {
        let mut model = model(replayed(), width, 24);
        press(&mut model, keys);
        let all = model.rows().unwrap().heads().len();
        let drawn = |model: &Model| {
            let (rows, body) = (
                model.rows().unwrap(),
                view::body(Rect::new(0, 0, width, 24)),
            );
            let Level { place, table, .. } = model.level();
            let area = view::of(place).table_area(model, place, body);
            table::columns(rows.as_ref(), table, &model.context(), area)
        };
        let mut seen: BTreeSet<usize> = drawn(&model).into_iter().collect();
        let mut screens = vec![shown(&model)];
        while seen.len() < all {
            let (n, above) = (all - seen.len(), screens[screens.len() - 1].lines().nth(1));
            let said = [format!("→ {n} more "), format!("→{n} ")];
            let is_said = |line: &str| said.iter().any(|said| line.contains(said));
            assert!(above.is_some_and(is_said), "{width} {keys} {n}: {above:?}");
            press(&mut model, "right");
            let before = seen.len();
            seen.extend(drawn(&model));
            assert!(seen.len() > before, "{width} {keys}:\n{}", shown(&model));
            screens.push(shown(&model));
        }
        let last = screens.pop().unwrap();
        assert!(!last.contains('→'), "{last}");
        press(&mut model, "right");
        assert_eq!(shown(&model), last);
        for screen in screens.iter().rev() {
            press(&mut model, "left");
            assert_eq!(shown(&model), *screen);
        }
    }
}

#[test]
fn filtering_while_it_is_typed() {
    let mut model = on_servers();
    let all = model.level().table.order().len();
    assert_eq!(all, 4);
    press(&mut model, "/ n c p");
    assert_eq!(model.level().table.order().len(), 1);
    press(&mut model, "ctrl-u ! n c p enter");
    assert_eq!(model.level().table.order().len(), 3);
    assert!(shown(&model).contains("3 of 4 rows"));
    press(&mut model, "/ backspace backspace backspace backspace");
    assert_eq!(model.level().table.order().len(), all);
    press(&mut model, "esc");
    assert_eq!(model.level().table.order().len(), 3, "as it was");
    press(&mut model, "esc");
    assert_eq!(model.level().table.order().len(), all, "taken away");
    press(&mut model, "/ x y z");
    assert!(shown(&model).contains("Nothing matches \"xyz\""));
    // Letters that are keys elsewhere are letters here.
    press(&mut model, "ctrl-u q");
    assert_eq!(model.level().table.filter_text, "q");
}

#[test]
fn sorting() {
    let mut model = on_servers();
    let sorted = |model: &Model| {
        let rows = model.rows().unwrap();
        let (column, descending) = model.level().table.sort(rows.as_ref()).unwrap();
        (rows.heads()[column].title, descending)
    };
    assert_eq!(sorted(&model), ("total", true));
    press(&mut model, "S");
    assert_eq!(sorted(&model), ("total", false));
    press(&mut model, "<");
    assert_eq!(sorted(&model), ("p99", true));
    press(&mut model, "< < < < < < <");
    assert_eq!(sorted(&model), ("server", false));
    press(&mut model, ">");
    assert_eq!(sorted(&model), ("protocols", false));
    press(&mut model, "s");
    assert_eq!(model.overlay, Overlay::Sort(1));
    press(&mut model, "down enter");
    assert_eq!(sorted(&model), ("requests", true));
    press(&mut model, "s enter");
    assert_eq!(
        sorted(&model),
        ("requests", false),
        "the same again: reversed"
    );
    press(&mut model, "s esc");
    assert_eq!(
        (sorted(&model), &model.overlay),
        (("requests", false), &Overlay::None)
    );
}

#[test]
fn units_names_and_colours() {
    let mut model = on_servers();
    let before = shown(&model);
    press(&mut model, "1 u");
    assert!(shown(&model).contains("kbit/s") && !before.contains("kbit/s"));
    press(&mut model, "u u p");
    assert!(model.private);
    press(&mut model, "p t");
    assert!(!model.private && shown(&model).contains("colours: light"));
}

#[test]
fn help_shows_every_key() {
    let mut model = model(replayed(), 132, 60);
    press(&mut model, "?");
    let text = shown(&model);
    for binding in BINDINGS {
        for key in binding.keys {
            assert!(text.contains(&crate::keys::shown(key)), "{key}:\n{text}");
        }
    }
    press(&mut model, "q");
    assert_eq!(model.overlay, Overlay::None, "closes, and does not quit");
    // On a small screen all of it can be reached.
    model.size = (44, 12);
    press(&mut model, "f1");
    let mut text = String::new();
    for _ in 0..30 {
        text.push_str(&shown(&model));
        press(&mut model, "pgdn");
    }
    assert!(text.contains("Ctrl-C") && text.contains("Quit."), "{text}");
}

/// Other keys are those that work, and those that help and hints show.
#[test]
fn chosen_keys_take_the_place_of_others() {
    let mut keys = crate::Keymap::default();
    keys.change(&"filter=f ctrl-x".parse().unwrap());
    let mut model = Model::new(crate::Options {
        keys,
        ..crate::Options::default()
    });
    update(&mut model, Message::Fed(Arc::new(live(0))));
    press(&mut model, "2");
    assert!(shown(&model).contains("f filter"), "{}", shown(&model));
    press(&mut model, "/");
    assert_eq!(model.overlay, Overlay::None);
    press(&mut model, "ctrl-x");
    assert!(matches!(model.overlay, Overlay::Filter(_)));
    press(&mut model, "esc ?");
    model.size = (132, 60);
    assert!(shown(&model).contains("f Ctrl-X"), "{}", shown(&model));
}

/// Every key of the table does something where the table says so.
#[test]
fn every_key_changes_something() {
    // Those of places are tried where there are frames.
    for binding in BINDINGS
        .iter()
        .filter(|binding| binding.at != Where::Places)
    {
        for name in binding.keys {
            let feed = match binding.at {
                Where::Files => replayed(),
                Where::Everywhere | Where::Tables | Where::Chart | Where::Places => live(0),
            };
            let mut model = model(feed, 80, 24);
            press(
                &mut model,
                match binding.at {
                    Where::Chart => "5 down",
                    _ => "2 j / 0 enter right enter down T pgdn right",
                },
            );
            let before = (shown(&model), format!("{:?}", model.level()));
            model.said = None;
            let commands = press(&mut model, name);
            let after = (shown(&model), format!("{:?}", model.level()));
            assert!(!commands.is_empty() || before != after, "{name}");
        }
    }
}

#[test]
fn columns_are_hidden_and_shown_and_stay_so() {
    let mut model = model(live(0), 80, 24);
    press(&mut model, "2");
    let heads = |model: &Model| shown(model).lines().nth(3).unwrap().to_owned();
    let before = heads(&model);
    assert!(before.contains("requests"), "{before}");
    press(&mut model, "c");
    assert!(shown(&model).contains("[x] requests"), "{}", shown(&model));
    let at = |model: &Model, title: &str| {
        let rows = model.rows().unwrap();
        rows.heads().iter().position(|head| head.title == title)
    };
    let requests = at(&model, "requests").unwrap();
    press(&mut model, &vec!["down"; requests].join(" "));
    press(&mut model, "space");
    assert!(shown(&model).contains("[ ] requests"), "{}", shown(&model));
    press(&mut model, "esc");
    assert!(!heads(&model).contains("requests"), "{}", heads(&model));
    // One that found no room is shown instead of others.
    let rows = model.rows().unwrap();
    let (last, title) = (rows.heads().len() - 1, rows.heads().last().unwrap().title);
    drop(rows);
    assert!(!heads(&model).contains(title), "{}", heads(&model));
    press(&mut model, "c end space esc");
    assert!(heads(&model).contains(title), "{title}: {}", heads(&model));
    assert_eq!(model.level().table.wishes.get(&last), Some(&true));
    // The first column says what the rows are.
    press(&mut model, "c space");
    assert_eq!(model.level().table.wishes.get(&0), None);
    press(&mut model, "esc c");
    press(&mut model, &vec!["down"; requests].join(" "));
    press(&mut model, "enter esc");
    assert!(heads(&model).contains("requests"), "{}", heads(&model));
    // Other tables of the kind have the same columns.
    press(&mut model, "enter c down space esc");
    let wished = model.level().table.wishes.clone();
    assert_eq!(wished.len(), 1);
    press(&mut model, "esc down enter");
    assert_eq!(model.level().table.wishes, wished);
}

#[test]
fn the_mouse_chooses_tabs_and_rows() {
    let mut model = model(live(0), 132, 24);
    let click = |model: &mut Model, column, row| {
        let kind = MouseEventKind::Down(MouseButton::Left);
        let event = MouseEvent {
            kind,
            column,
            row,
            modifiers: KeyModifiers::NONE,
        };
        update(model, Message::Terminal(Event::Mouse(event)));
    };
    let line = shown(&model);
    let at = line.find("Servers").unwrap();
    click(&mut model, at as u16, 0);
    assert_eq!(model.level().place, Place::Servers);
    let text = shown(&model);
    let row = text
        .lines()
        .position(|line| line.starts_with("10.0.0.9"))
        .unwrap();
    click(&mut model, 3, row as u16);
    let chosen = model.level().table.chosen_key().cloned();
    assert!(format!("{chosen:?}").contains("10, 0, 0, 9"), "{chosen:?}");
    // Neither the status nor what is free of the first line does anything.
    click(&mut model, 3, 22);
    click(&mut model, 131, 0);
    assert_eq!(model.level().table.chosen_key().cloned(), chosen);
}

fn mouse(model: &mut Model, kind: MouseEventKind, (column, row): (u16, u16)) -> Vec<Command> {
    let event = MouseEvent {
        kind,
        column,
        row,
        modifiers: KeyModifiers::NONE,
    };
    update(model, Message::Terminal(Event::Mouse(event)))
}

/// The wheel moves what lies above, and nothing beneath it.
#[test]
fn the_wheel_scrolls_the_help() {
    let mut model = model(replayed(), 80, 24);
    press(&mut model, "?");
    let at_first = shown(&model);
    for _ in 0..3 {
        mouse(&mut model, MouseEventKind::ScrollDown, (20, 10));
    }
    assert_eq!(model.overlay, Overlay::Help(3));
    assert_ne!(shown(&model), at_first);
    mouse(&mut model, MouseEventKind::ScrollUp, (20, 10));
    assert_eq!(model.overlay, Overlay::Help(2));
    press(&mut model, "esc r");
    mouse(&mut model, MouseEventKind::ScrollDown, (20, 10));
    assert_eq!(model.overlay, Overlay::Reset, "a confirmation stays");
}

/// A click on the scroll bar goes there, and opens nothing.
#[test]
fn a_click_on_the_scroll_bar_goes_there() {
    let mut model = on_servers();
    press(&mut model, "T");
    let place = model.level().place.clone();
    let last = model.level().table.order().len() - 1;
    let text = shown(&model);
    let right = model.size.0 - 1;
    let bar = |line: &str| line.chars().last().is_some_and(|c| matches!(c, '█' | '│'));
    let lines = text.lines().enumerate().filter(|(_, line)| bar(line));
    let rows: Vec<u16> = lines.map(|(n, _)| n as u16).collect();
    let (Some(top), Some(bottom)) = (rows.first(), rows.last()) else {
        panic!("{text}");
    };
    let click = MouseEventKind::Down(MouseButton::Left);
    mouse(&mut model, click, (right, *bottom));
    assert_eq!(model.level().table.cursor(), last);
    mouse(&mut model, click, (right, *bottom));
    mouse(&mut model, click, (right, *top));
    assert_eq!(model.level().table.cursor(), 0);
    mouse(&mut model, click, (right, *top));
    assert_eq!(model.level().place, place);
}

/// Where nothing of it is to be seen, no key does anything but quit.
#[test]
fn a_terminal_that_is_too_small_takes_no_keys() {
    let mut model = model(replayed(), 40, 10);
    assert_eq!(press(&mut model, "6 enter W r y"), []);
    assert_eq!(model.level().place, Place::Overview);
    let click = MouseEventKind::Down(MouseButton::Left);
    assert_eq!(mouse(&mut model, click, (20, 0)), []);
    assert_eq!(model.level().place, Place::Overview);
    assert_eq!(press(&mut model, "q"), [Command::Quit { keep: false }]);
}

/// `docs/screen.md` has the table of keys as the program has it; WIREWAIT_BLESS=1 puts it there.
#[test]
fn the_documentation_has_the_keys() {
    let manifest = env!("CARGO_MANIFEST_DIR");
    let path: std::path::PathBuf = [manifest, "../../docs/screen.md"].iter().collect();
    let readme = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = readme.split_once("src/keys.rs -->\n").unwrap();
    let (table, after) = rest.split_once("<!-- end of keys -->").unwrap();
    let made = crate::keys_markdown();
    if std::env::var_os("WIREWAIT_BLESS").is_some_and(|v| v == "1") {
        let blessed = format!("{before}src/keys.rs -->\n{made}<!-- end of keys -->{after}");
        std::fs::write(&path, blessed).unwrap();
        return;
    }
    assert_eq!(table, made, "WIREWAIT_BLESS=1 writes it");
}

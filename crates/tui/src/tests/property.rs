//! Whatever happens at the terminal, at whatever size: nothing panics, and the screen is drawn.

use super::{key, live, model, replayed, shown};
use crate::{Message, update};
use proptest::prelude::*;
use ratatui::crossterm::event::{Event, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use std::sync::Arc;

#[derive(Clone, Debug)]
enum Happens {
    Key(&'static str),
    Letter(char),
    Size(u16, u16),
    Click(u16, u16),
    Wheel(bool),
    Fed(bool, u64),
}

const KEYS: &[&str] = &[
    "enter",
    "esc",
    "backspace",
    "tab",
    "backtab",
    "up",
    "down",
    "left",
    "right",
    "pgup",
    "pgdn",
    "home",
    "end",
    "space",
    "f1",
    "ctrl-u",
    "ctrl-f",
    "1",
    "2",
    "s",
    "S",
    "<",
    ">",
    "/",
    "e",
    "r",
    "y",
    "p",
    "u",
    "t",
    "T",
    "?",
    "w",
    "G",
    "[",
    "]",
    "+",
    "-",
];

fn happens() -> impl Strategy<Value = Happens> {
    prop_oneof![
        8 => prop::sample::select(KEYS).prop_map(Happens::Key),
        2 => any::<char>().prop_map(Happens::Letter),
        2 => (1u16..=300, 1u16..=100).prop_map(|(w, h)| Happens::Size(w, h)),
        1 => (0u16..=300, 0u16..=100).prop_map(|(x, y)| Happens::Click(x, y)),
        1 => any::<bool>().prop_map(Happens::Wheel),
        1 => (any::<bool>(), 0u64..3).prop_map(|(files, drops)| Happens::Fed(files, drops)),
    ]
}

fn message(happens: &Happens) -> Message {
    let mouse = |kind, column, row| {
        Message::Terminal(Event::Mouse(MouseEvent {
            kind,
            column,
            row,
            modifiers: KeyModifiers::NONE,
        }))
    };
    match happens {
        Happens::Key(name) => key(name),
        Happens::Letter(c) => Message::Terminal(Event::Key(
            ratatui::crossterm::event::KeyCode::Char(*c).into(),
        )),
        Happens::Size(width, height) => Message::Terminal(Event::Resize(*width, *height)),
        Happens::Click(x, y) => mouse(MouseEventKind::Down(MouseButton::Left), *x, *y),
        Happens::Wheel(true) => mouse(MouseEventKind::ScrollUp, 0, 0),
        Happens::Wheel(false) => mouse(MouseEventKind::ScrollDown, 0, 0),
        Happens::Fed(true, _) => Message::Fed(Arc::new(replayed())),
        Happens::Fed(false, drops) => {
            let mut feed = live(*drops);
            // Most of what was there is gone.
            let mut snapshot = feed.snapshot.as_ref().clone();
            let rows = snapshot.servers.len();
            snapshot.servers.truncate(rows * *drops as usize / 2);
            snapshot.ledgers.truncate(*drops as usize);
            snapshot.slowest.clear();
            feed.snapshot = Arc::new(snapshot);
            let some = feed.transactions.iter().take(*drops as usize * 40).cloned();
            feed.transactions = Arc::new(some.collect());
            Message::Fed(Arc::new(feed))
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn nothing_panics(
        first in (1u16..=300, 1u16..=100),
        events in prop::collection::vec(happens(), 1..60),
    ) {
        let mut model = model(replayed(), first.0, first.1);
        for event in &events {
            update(&mut model, message(event));
            let text = shown(&model);
            prop_assert_eq!(text.lines().count(), usize::from(model.size.1));
            for line in text.lines() {
                prop_assert!(crate::text::width(line) <= usize::from(model.size.0), "{}", line);
            }
        }
    }
}

#[test]
fn every_size_is_drawn() {
    for keys in [
        "1",
        "2",
        "2 enter",
        "2 enter enter",
        "2 enter enter enter",
        "2 ?",
        "2 s",
    ] {
        let mut model = model(live(9), 80, 24);
        super::press(&mut model, keys);
        for (width, height) in (1..=300)
            .step_by(23)
            .flat_map(|w| (1..=100).step_by(9).map(move |h| (w, h)))
        {
            update(&mut model, Message::Terminal(Event::Resize(width, height)));
            shown(&model);
        }
    }
}

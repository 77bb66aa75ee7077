//! The keys: one table, from which come what they do, the help, the line of hints and the
//! table in `docs/screen.md`.

mod bindings;
mod names;

use crate::place::TABS;

pub(crate) use bindings::BINDINGS;
pub(crate) use names::{name, shown};

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Action {
    Quit,
    QuitKeep,
    #[cfg(unix)]
    Suspend,
    Help,
    Tab(usize),
    NextTab,
    PreviousTab,
    Up,
    Down,
    PageUp,
    PageDown,
    First,
    Last,
    Left,
    Right,
    Enter,
    Transactions,
    Statistics,
    Back,
    Filter,
    SortChoose,
    SortReverse,
    SortLeft,
    SortRight,
    Columns,
    Number,
    Freeze,
    Window,
    Reset,
    Export,
    Save,
    Private,
    Units,
    Theme,
    Faster,
    Slower,
    /// By this number of seconds; backwards if negative.
    SeekBy(i8),
    SeekStart,
    SeekEnd,
    Add,
    Remove,
    Look,
    ScaleUp,
    ScaleDown,
    ScaleFit,
    NextPlace,
    PreviousPlace,
}

/// Where a key does something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Where {
    /// On every screen.
    Everywhere,
    /// Where there is a table.
    Tables,
    /// Where files are replayed.
    Files,
    /// On the chart of the counters.
    Chart,
    /// Where frames of several places are shown, one after the other.
    Places,
}

impl Where {
    /// All of them, with what stands above their keys in the help.
    pub(crate) const ALL: [(Self, &'static str); 5] = [
        (Self::Everywhere, "EVERYWHERE"),
        (Self::Tables, "TABLES"),
        (Self::Files, "FILES"),
        (Self::Chart, "COUNTERS"),
        (Self::Places, "FRAMES"),
    ];
}

/// A line of the table.
#[derive(Debug)]
pub(crate) struct Binding {
    pub(crate) action: Action,
    /// By which other keys are given to it.
    pub(crate) name: &'static str,
    /// The keys that it has unless others were chosen.
    pub(crate) keys: &'static [&'static str],
    pub(crate) at: Where,
    /// One word for the line of hints; none for what everyone finds.
    pub(crate) hint: &'static str,
    /// A sentence for the help.
    pub(crate) help: &'static str,
}

/// The table of `docs/screen.md`.
#[must_use]
pub fn markdown() -> String {
    let screens = TABS.len();
    let mut out = format!(
        "| key | what it does | name |\n|---|---|---|\n| `1` to `{screens}` | Open that screen. | |\n"
    );
    for binding in BINDINGS {
        let keys: Vec<String> = binding
            .keys
            .iter()
            .map(|k| format!("`{}`", shown(k)))
            .collect();
        let only = match binding.at {
            Where::Files => " (files)",
            Where::Chart => " (counters)",
            Where::Places => " (frames)",
            Where::Everywhere | Where::Tables => "",
        };
        out.push_str(&format!(
            "| {} | {}{only} | `{}` |\n",
            keys.join(" "),
            binding.help,
            binding.name
        ));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
    use std::collections::BTreeSet;

    #[test]
    fn no_key_has_two_meanings_and_every_key_can_be_pressed() {
        let mut seen = BTreeSet::new();
        let mut names = BTreeSet::new();
        for binding in BINDINGS {
            assert!(names.insert(binding.name), "{} stands twice", binding.name);
            assert!(binding.help.ends_with('.'), "{binding:?}");
            assert!(!binding.keys.is_empty());
            for key in binding.keys {
                assert!(seen.insert(*key), "{key} stands twice");
                assert!(key.parse::<u8>().is_err(), "digits are screens");
            }
        }
        let press = |code, modifiers| name(&KeyEvent::new(code, modifiers)).unwrap();
        assert_eq!(press(KeyCode::Char('c'), KeyModifiers::CONTROL), "ctrl-c");
        assert_eq!(press(KeyCode::Char('Q'), KeyModifiers::SHIFT), "Q");
        assert_eq!(press(KeyCode::F(1), KeyModifiers::NONE), "f1");
    }
}

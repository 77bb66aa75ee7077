//! The keys: one table, from which come what they do, the help, the line of hints and the
//! table in `docs/screen.md`.

mod bindings;
mod names;

use crate::model::Model;
use crate::place::Place;
use ratatui::crossterm::event::KeyEvent;

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

/// What a key does here.
pub(crate) fn action(model: &Model, event: &KeyEvent) -> Option<Action> {
    let name = name(event)?;
    if let Some(digit) = name.parse::<usize>().ok().filter(|n| (1..=9).contains(n)) {
        return Some(Action::Tab(digit - 1));
    }
    let mut all = BINDINGS.iter().zip(model.keys.iter());
    all.find(|(binding, keys)| applies(model, binding) && keys.contains(&name))
        .map(|(binding, _)| binding.action)
}

/// Why a key does nothing here.
pub(crate) fn why_not(model: &Model, event: &KeyEvent) -> Option<String> {
    let name = name(event)?;
    let help = model.keys.first(Action::Help);
    let mut all = BINDINGS.iter().zip(model.keys.iter());
    let Some((binding, _)) = all.find(|(_, keys)| keys.contains(&name)) else {
        return Some(format!(
            "{} has no meaning; {help} lists the keys",
            shown(&name)
        ));
    };
    let only = match binding.at {
        Where::Everywhere => return None,
        Where::Tables => "where there is a table",
        Where::Files => "where files are shown",
        Where::Chart => "on the chart of the counters",
        Where::Places => "at the frames of a symptom with several places",
    };
    Some(format!(
        "{} works only {only}: {}",
        shown(&name),
        binding.help
    ))
}

/// Whether a key does something on the screen that is shown.
pub(crate) fn applies(model: &Model, binding: &Binding) -> bool {
    match binding.at {
        Where::Everywhere => true,
        Where::Tables => model.has_table(),
        Where::Files => model.replays(),
        Where::Chart => model.level().place == Place::Counters,
        Where::Places => model.level().pane.has_places(),
    }
}

/// The table of `docs/screen.md`.
#[must_use]
pub fn markdown() -> String {
    let mut out = String::from(
        "| key | what it does | name |\n|---|---|---|\n| `1` to `9` | Open that screen. | |\n",
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
    use ratatui::crossterm::event::{KeyCode, KeyModifiers};
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

//! The keys: one table, from which come what they do, the help, the line of hints and the
//! table in the README.

use crate::model::Model;
use crate::place::Place;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

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
    Back,
    Filter,
    SortChoose,
    SortReverse,
    SortLeft,
    SortRight,
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
    /// So many seconds.
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

const fn key(
    action: Action,
    name: &'static str,
    keys: &'static [&'static str],
    at: Where,
    hint: &'static str,
    help: &'static str,
) -> Binding {
    Binding {
        action,
        name,
        keys,
        at,
        hint,
        help,
    }
}

use Action as A;
use Where::{Chart, Everywhere, Files, Places, Tables};

/// All keys, in the order of the help; hints stand in this order too.
pub(crate) static BINDINGS: &[Binding] = &[
    key(
        A::Enter,
        "open",
        &["enter"],
        Everywhere,
        "open",
        "Open what is chosen: from a server to its operations, their transactions, their frames.",
    ),
    key(
        A::Transactions,
        "transactions",
        &["T"],
        Tables,
        "",
        "The transactions of a server, whatever their operation.",
    ),
    key(
        A::Add,
        "add",
        &["a"],
        Chart,
        "add",
        "Put more lines on the chart: an object, whose, which counters.",
    ),
    key(
        A::Remove,
        "remove",
        &["x", "delete"],
        Chart,
        "take away",
        "Take the chosen line off the chart.",
    ),
    key(
        A::Look,
        "look",
        &["v"],
        Chart,
        "look",
        "The chart over time, the latest values as bars, or as numbers.",
    ),
    key(
        A::ScaleUp,
        "scale_up",
        &["."],
        Chart,
        "",
        "Draw the chosen line ten times as high.",
    ),
    key(
        A::ScaleDown,
        "scale_down",
        &[","],
        Chart,
        "",
        "Draw the chosen line a tenth as high.",
    ),
    key(
        A::ScaleFit,
        "scale_fit",
        &["="],
        Chart,
        "fit",
        "Draw the chosen line as high as the chart allows.",
    ),
    key(
        A::NextPlace,
        "next_place",
        &["n"],
        Places,
        "next place",
        "The frames of the next place where the symptom is seen.",
    ),
    key(
        A::PreviousPlace,
        "previous_place",
        &["N"],
        Places,
        "",
        "The frames of the place before.",
    ),
    key(
        A::Back,
        "back",
        &["esc", "backspace"],
        Everywhere,
        "back",
        "Back: close what is open, take the filter away, go up a level.",
    ),
    key(A::Up, "up", &["up", "k"], Everywhere, "", "Up a line."),
    key(
        A::Down,
        "down",
        &["down", "j"],
        Everywhere,
        "",
        "Down a line.",
    ),
    key(
        A::PageUp,
        "page_up",
        &["pgup", "ctrl-b"],
        Everywhere,
        "",
        "Up a page.",
    ),
    key(
        A::PageDown,
        "page_down",
        &["pgdn", "ctrl-f"],
        Everywhere,
        "",
        "Down a page.",
    ),
    key(
        A::First,
        "first",
        &["home", "g"],
        Everywhere,
        "",
        "To the first line.",
    ),
    key(
        A::Last,
        "last",
        &["end", "G"],
        Everywhere,
        "",
        "To the last line.",
    ),
    key(
        A::Left,
        "left",
        &["left", "h"],
        Tables,
        "",
        "Columns to the left.",
    ),
    key(
        A::Right,
        "right",
        &["right", "l"],
        Tables,
        "",
        "Columns to the right that found no room.",
    ),
    key(
        A::Filter,
        "filter",
        &["/"],
        Tables,
        "filter",
        "Show only rows with these words; !word without it; column:word in that column.",
    ),
    key(
        A::SortChoose,
        "sort",
        &["s"],
        Tables,
        "sort",
        "Choose the column to sort by; the list says what each column means.",
    ),
    key(
        A::SortReverse,
        "sort_reverse",
        &["S"],
        Tables,
        "",
        "Reverse the order.",
    ),
    key(
        A::SortLeft,
        "sort_left",
        &["<"],
        Tables,
        "",
        "Sort by the column to the left.",
    ),
    key(
        A::SortRight,
        "sort_right",
        &[">"],
        Tables,
        "",
        "Sort by the column to the right.",
    ),
    key(
        A::Freeze,
        "freeze",
        &["space"],
        Everywhere,
        "freeze",
        "Stand still, and go on. What comes meanwhile is counted, not lost.",
    ),
    key(
        A::Window,
        "window",
        &["w"],
        Everywhere,
        "window",
        "Figures of the last 10 s, minute or 5 minutes, or of all the capture.",
    ),
    key(
        A::Faster,
        "faster",
        &["+"],
        Files,
        "faster",
        "Replay faster.",
    ),
    key(
        A::Slower,
        "slower",
        &["-"],
        Files,
        "slower",
        "Replay slower.",
    ),
    key(
        A::SeekBy(-1),
        "back_1s",
        &["("],
        Files,
        "",
        "Back by a second.",
    ),
    key(
        A::SeekBy(1),
        "forward_1s",
        &[")"],
        Files,
        "",
        "Forward by a second.",
    ),
    key(
        A::SeekBy(-10),
        "back_10s",
        &["["],
        Files,
        "",
        "Back by ten seconds.",
    ),
    key(
        A::SeekBy(10),
        "forward_10s",
        &["]"],
        Files,
        "",
        "Forward by ten seconds.",
    ),
    key(
        A::SeekBy(-60),
        "back_1min",
        &["{"],
        Files,
        "",
        "Back by a minute.",
    ),
    key(
        A::SeekBy(60),
        "forward_1min",
        &["}"],
        Files,
        "",
        "Forward by a minute.",
    ),
    key(
        A::SeekStart,
        "seek_start",
        &["^"],
        Files,
        "",
        "To the beginning of the files.",
    ),
    key(
        A::SeekEnd,
        "seek_end",
        &["$"],
        Files,
        "",
        "To the end of the files.",
    ),
    key(
        A::Save,
        "save",
        &["W"],
        Everywhere,
        "",
        "Save frames as a capture: of the request or conversation that is open, or of the last minute.",
    ),
    key(
        A::Export,
        "export",
        &["e"],
        Everywhere,
        "export",
        "Write what is shown to a file: as text, CSV or JSON.",
    ),
    key(
        A::Reset,
        "reset",
        &["r"],
        Everywhere,
        "",
        "Forget all figures and begin anew; asks first.",
    ),
    key(
        A::Private,
        "private",
        &["p"],
        Everywhere,
        "",
        "Hide the names of users, shares and files, or show them.",
    ),
    key(
        A::Units,
        "units",
        &["u"],
        Everywhere,
        "",
        "Bytes, bits, or bytes in powers of 1024.",
    ),
    key(
        A::Theme,
        "theme",
        &["t"],
        Everywhere,
        "",
        "Colours: dark, light, colour-blind, mono.",
    ),
    key(
        A::NextTab,
        "next_screen",
        &["tab"],
        Everywhere,
        "",
        "The next screen.",
    ),
    key(
        A::PreviousTab,
        "previous_screen",
        &["backtab"],
        Everywhere,
        "",
        "The screen before.",
    ),
    key(
        A::Help,
        "help",
        &["?", "f1"],
        Everywhere,
        "help",
        "This help.",
    ),
    #[cfg(unix)]
    key(
        A::Suspend,
        "suspend",
        &["ctrl-z"],
        Everywhere,
        "",
        "Give the terminal back to the shell until `fg`; what the system cannot keep meanwhile counts as dropped.",
    ),
    key(
        A::QuitKeep,
        "quit_keep",
        &["Q"],
        Everywhere,
        "",
        "Quit, and leave the last screen in the terminal.",
    ),
    key(
        A::Quit,
        "quit",
        &["q", "ctrl-c"],
        Everywhere,
        "quit",
        "Quit.",
    ),
];

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

/// What a key is called in the table; `None` for those that nothing is called by.
pub(crate) fn name(event: &KeyEvent) -> Option<String> {
    let plain = match event.code {
        KeyCode::Char(' ') => "space".to_owned(),
        KeyCode::Char(c) => c.to_string(),
        KeyCode::Enter => "enter".to_owned(),
        KeyCode::Esc => "esc".to_owned(),
        KeyCode::Backspace => "backspace".to_owned(),
        KeyCode::Tab => "tab".to_owned(),
        KeyCode::BackTab => "backtab".to_owned(),
        KeyCode::Up => "up".to_owned(),
        KeyCode::Down => "down".to_owned(),
        KeyCode::Left => "left".to_owned(),
        KeyCode::Right => "right".to_owned(),
        KeyCode::PageUp => "pgup".to_owned(),
        KeyCode::PageDown => "pgdn".to_owned(),
        KeyCode::Home => "home".to_owned(),
        KeyCode::End => "end".to_owned(),
        KeyCode::Delete => "delete".to_owned(),
        KeyCode::F(n) => format!("f{n}"),
        _ => return None,
    };
    let mut name = String::new();
    if event.modifiers.contains(KeyModifiers::CONTROL) {
        name.push_str("ctrl-");
    }
    if event.modifiers.contains(KeyModifiers::ALT) {
        name.push_str("alt-");
    }
    name.push_str(&plain);
    Some(name)
}

/// What a key is called where people read it.
pub(crate) fn shown(key: &str) -> String {
    let named = match key {
        "enter" => "Enter",
        "esc" => "Esc",
        "backspace" => "Backspace",
        "space" => "Space",
        "tab" => "Tab",
        "backtab" => "Shift-Tab",
        "up" => "↑",
        "down" => "↓",
        "left" => "←",
        "right" => "→",
        "pgup" => "PgUp",
        "pgdn" => "PgDn",
        "home" => "Home",
        "end" => "End",
        "delete" => "Delete",
        other => {
            if let Some(letter) = other.strip_prefix("ctrl-") {
                return format!("Ctrl-{}", shown(letter).to_uppercase());
            }
            if let Some(letter) = other.strip_prefix("alt-") {
                return format!("Alt-{}", shown(letter));
            }
            return match other.len() {
                2.. if other.is_ascii() => other.to_uppercase(),
                _ => other.to_owned(),
            };
        }
    };
    named.to_owned()
}

/// The table of the README.
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

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
}

/// A line of the table.
#[derive(Debug)]
pub(crate) struct Binding {
    pub(crate) action: Action,
    pub(crate) keys: &'static [&'static str],
    pub(crate) at: Where,
    /// One word for the line of hints; none for what everyone finds.
    pub(crate) hint: &'static str,
    /// A sentence for the help.
    pub(crate) help: &'static str,
}

const fn key(
    action: Action,
    keys: &'static [&'static str],
    at: Where,
    hint: &'static str,
    help: &'static str,
) -> Binding {
    Binding {
        action,
        keys,
        at,
        hint,
        help,
    }
}

use Action as A;
use Where::{Chart, Everywhere, Files, Tables};

/// All keys, in the order of the help; hints stand in this order too.
pub(crate) static BINDINGS: &[Binding] = &[
    key(
        A::Enter,
        &["enter"],
        Everywhere,
        "open",
        "Open what is chosen: from a server to its operations, their transactions, their frames.",
    ),
    key(
        A::Transactions,
        &["T"],
        Tables,
        "",
        "The transactions of a server, whatever their operation.",
    ),
    key(
        A::Add,
        &["a"],
        Chart,
        "add",
        "Put more lines on the chart: an object, whose, which counters.",
    ),
    key(
        A::Remove,
        &["x", "delete"],
        Chart,
        "take away",
        "Take the chosen line off the chart.",
    ),
    key(
        A::Look,
        &["v"],
        Chart,
        "look",
        "The chart over time, the latest values as bars, or as numbers.",
    ),
    key(
        A::ScaleUp,
        &["."],
        Chart,
        "",
        "Draw the chosen line ten times as high.",
    ),
    key(
        A::ScaleDown,
        &[","],
        Chart,
        "",
        "Draw the chosen line a tenth as high.",
    ),
    key(
        A::ScaleFit,
        &["="],
        Chart,
        "fit",
        "Draw the chosen line as high as the chart allows.",
    ),
    key(
        A::Back,
        &["esc", "backspace"],
        Everywhere,
        "back",
        "Back: close what is open, take the filter away, go up a level.",
    ),
    key(A::Up, &["up", "k"], Everywhere, "", "Up a line."),
    key(A::Down, &["down", "j"], Everywhere, "", "Down a line."),
    key(A::PageUp, &["pgup", "ctrl-b"], Everywhere, "", "Up a page."),
    key(
        A::PageDown,
        &["pgdn", "ctrl-f"],
        Everywhere,
        "",
        "Down a page.",
    ),
    key(
        A::First,
        &["home", "g"],
        Everywhere,
        "",
        "To the first line.",
    ),
    key(A::Last, &["end", "G"], Everywhere, "", "To the last line."),
    key(A::Left, &["left", "h"], Tables, "", "Columns to the left."),
    key(
        A::Right,
        &["right", "l"],
        Tables,
        "",
        "Columns to the right that found no room.",
    ),
    key(
        A::Filter,
        &["/"],
        Tables,
        "filter",
        "Show only rows with these words; !word without it; column:word in that column.",
    ),
    key(
        A::SortChoose,
        &["s"],
        Tables,
        "sort",
        "Choose the column to sort by; the list says what each column means.",
    ),
    key(A::SortReverse, &["S"], Tables, "", "Reverse the order."),
    key(
        A::SortLeft,
        &["<"],
        Tables,
        "",
        "Sort by the column to the left.",
    ),
    key(
        A::SortRight,
        &[">"],
        Tables,
        "",
        "Sort by the column to the right.",
    ),
    key(
        A::Freeze,
        &["space"],
        Everywhere,
        "freeze",
        "Stand still, and go on. What comes meanwhile is counted, not lost.",
    ),
    key(
        A::Window,
        &["w"],
        Everywhere,
        "window",
        "Figures of the last 10 s, minute or 5 minutes, or of all the capture.",
    ),
    key(A::Faster, &["+"], Files, "faster", "Replay faster."),
    key(A::Slower, &["-"], Files, "slower", "Replay slower."),
    key(A::SeekBy(-1), &["("], Files, "", "Back by a second."),
    key(A::SeekBy(1), &[")"], Files, "", "Forward by a second."),
    key(A::SeekBy(-10), &["["], Files, "", "Back by ten seconds."),
    key(A::SeekBy(10), &["]"], Files, "", "Forward by ten seconds."),
    key(A::SeekBy(-60), &["{"], Files, "", "Back by a minute."),
    key(A::SeekBy(60), &["}"], Files, "", "Forward by a minute."),
    key(
        A::SeekStart,
        &["^"],
        Files,
        "",
        "To the beginning of the files.",
    ),
    key(A::SeekEnd, &["$"], Files, "", "To the end of the files."),
    key(
        A::Save,
        &["W"],
        Everywhere,
        "",
        "Save frames as a capture: of the request or conversation that is open, or of the last minute.",
    ),
    key(
        A::Export,
        &["e"],
        Everywhere,
        "export",
        "Write what is shown to a file: as text, CSV or JSON.",
    ),
    key(
        A::Reset,
        &["r"],
        Everywhere,
        "",
        "Forget all figures and begin anew; asks first.",
    ),
    key(
        A::Private,
        &["p"],
        Everywhere,
        "",
        "Hide the names of users, shares and files, or show them.",
    ),
    key(
        A::Units,
        &["u"],
        Everywhere,
        "",
        "Bytes, bits, or bytes in powers of 1024.",
    ),
    key(
        A::Theme,
        &["t"],
        Everywhere,
        "",
        "Colours: dark, light, colour-blind, mono.",
    ),
    key(A::NextTab, &["tab"], Everywhere, "", "The next screen."),
    key(
        A::PreviousTab,
        &["backtab"],
        Everywhere,
        "",
        "The screen before.",
    ),
    key(A::Help, &["?", "f1"], Everywhere, "help", "This help."),
    key(
        A::QuitKeep,
        &["Q"],
        Everywhere,
        "",
        "Quit, and leave the last screen in the terminal.",
    ),
    key(A::Quit, &["q", "ctrl-c"], Everywhere, "quit", "Quit."),
];

/// What a key does here.
pub(crate) fn action(model: &Model, event: &KeyEvent) -> Option<Action> {
    let name = name(event)?;
    if let Some(digit) = name.parse::<usize>().ok().filter(|n| (1..=9).contains(n)) {
        return Some(Action::Tab(digit - 1));
    }
    BINDINGS
        .iter()
        .filter(|binding| applies(model, binding))
        .find(|binding| binding.keys.contains(&name.as_str()))
        .map(|binding| binding.action)
}

/// Whether a key does something on the screen that is shown.
pub(crate) fn applies(model: &Model, binding: &Binding) -> bool {
    match binding.at {
        Where::Everywhere => true,
        Where::Tables => model.has_table(),
        Where::Files => model.replays(),
        Where::Chart => model.level().place == Place::Counters,
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
        "f1" => "F1",
        other => match other.strip_prefix("ctrl-") {
            Some(letter) => return format!("Ctrl-{}", letter.to_uppercase()),
            None => other,
        },
    };
    named.to_owned()
}

/// The table of the README.
#[must_use]
pub fn markdown() -> String {
    let mut out =
        String::from("| key | what it does |\n|---|---|\n| `1` to `9` | Open that screen. |\n");
    for binding in BINDINGS {
        let keys: Vec<String> = binding
            .keys
            .iter()
            .map(|k| format!("`{}`", shown(k)))
            .collect();
        let only = match binding.at {
            Where::Files => " (files)",
            Where::Chart => " (counters)",
            Where::Everywhere | Where::Tables => "",
        };
        out.push_str(&format!(
            "| {} | {}{only} |\n",
            keys.join(" "),
            binding.help
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
        for binding in BINDINGS {
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

//! What keys are called: in the table and by who chooses others, and where people read it.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

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

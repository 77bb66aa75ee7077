//! What is typed into the last line: a filter, or the number of a request or of frames.

use crate::model::{Model, Overlay};
use crate::{Command, view};
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use std::ops::RangeInclusive;

/// What a key does to the text of a prompt.
enum Typed {
    Text,
    /// It is done.
    Enter,
    /// It is given up.
    Esc,
}

fn edit(text: &mut String, key: &KeyEvent) -> Typed {
    match key.code {
        KeyCode::Enter | KeyCode::Up | KeyCode::Down => return Typed::Enter,
        KeyCode::Esc => return Typed::Esc,
        KeyCode::Backspace if text.is_empty() => return Typed::Esc,
        KeyCode::Backspace => {
            text.pop();
        }
        KeyCode::Char('u' | 'w') if key.modifiers.contains(KeyModifiers::CONTROL) => text.clear(),
        // More than anyone types, and no more than can be looked for quickly.
        KeyCode::Char(c) if !key.modifiers.contains(KeyModifiers::CONTROL) && text.len() < 200 => {
            text.push(c);
        }
        _ => {}
    }
    Typed::Text
}

/// The filter is being typed; `before` is what it was.
pub(crate) fn filter(model: &mut Model, key: &KeyEvent, before: String) {
    let mut text = model.level().table.filter_text.clone();
    match edit(&mut text, key) {
        Typed::Enter => return,
        Typed::Esc => text = before,
        Typed::Text => model.overlay = Overlay::Filter(before),
    }
    model.with_table(|table, _, _| table.filter_by(&text));
}

/// The number of what is to be opened is being typed.
pub(crate) fn number(model: &mut Model, key: &KeyEvent, mut text: String) -> Vec<Command> {
    match edit(&mut text, key) {
        Typed::Esc => Vec::new(),
        Typed::Text => {
            model.overlay = Overlay::Number(text);
            Vec::new()
        }
        Typed::Enter => match JumpTarget::parse(&text) {
            Some(JumpTarget::Request(number)) => model.open_frames(
                format!("frames of #{number}"),
                Command::DecodeTransaction(number),
            ),
            Some(JumpTarget::Frames(frames)) => {
                let (first, last) = (frames.start(), frames.end());
                model.open_frames(format!("frames {first} to {last}"), Command::Decode(frames))
            }
            Some(JumpTarget::Frame(number)) => {
                let first = number.saturating_sub(AROUND).max(1);
                let frames = first..=number.saturating_add(AROUND);
                let title = format!("frame {number} and those around it");
                let asked = model.open_frames(title, Command::Decode(frames));
                model.level_mut().pane.wanted = Some(number);
                asked
            }
            None => {
                model.complain(format!("{text}: {}", view::NUMBER_SYNTAX));
                Vec::new()
            }
        },
    }
}

/// Frames around the one that was named.
const AROUND: u64 = 10;

#[derive(Debug, PartialEq, Eq)]
enum JumpTarget {
    Request(u64),
    /// With those around it.
    Frame(u64),
    Frames(RangeInclusive<u64>),
}

impl JumpTarget {
    fn parse(text: &str) -> Option<Self> {
        let number = |text: &str| text.parse::<u64>().ok().filter(|n| *n > 0);
        let text = text.trim();
        let Some(frames) = text.strip_prefix('f') else {
            return number(text.strip_prefix('#').unwrap_or(text)).map(Self::Request);
        };
        match frames.split_once('-') {
            Some((first, last)) => {
                let (first, last) = number(first).zip(number(last))?;
                (first <= last).then_some(Self::Frames(first..=last))
            }
            None => number(frames).map(Self::Frame),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_and_frames_are_told_by_number() {
        assert_eq!(JumpTarget::parse("17"), Some(JumpTarget::Request(17)));
        assert_eq!(JumpTarget::parse("#17 "), Some(JumpTarget::Request(17)));
        assert_eq!(JumpTarget::parse("f5"), Some(JumpTarget::Frame(5)));
        assert_eq!(
            JumpTarget::parse("f120-140"),
            Some(JumpTarget::Frames(120..=140))
        );
        for text in [
            "",
            "0",
            "f",
            "f0",
            "f9-3",
            "x",
            "-1",
            "f1-",
            "99999999999999999999",
        ] {
            assert_eq!(JumpTarget::parse(text), None, "{text}");
        }
    }
}

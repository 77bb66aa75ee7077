//! One line per frame: number, time, who to whom, and what the inner layers say.

use super::tree::{Item, Layer};
use super::{Shown, Summary, Time, Tree};
use crate::figures::Grouped;
use crate::time::Rfc3339;
use std::fmt::{self, Write};

impl Shown<'_> {
    /// Writes the line.
    pub(super) fn line(&self, time: Time, text: &mut String) -> fmt::Result {
        let (frame, walk) = (self.frame, self.walk);
        write!(text, "{:>6}  ", self.number)?;
        match time {
            Time::Absolute => write!(text, "{}  ", Rfc3339(frame.at))?,
            Time::Relative => column(text, -16, Seconds(self.clock.since_start(frame.at)))?,
            Time::Delta => column(text, -16, Seconds(self.clock.since_shown(frame.at)))?,
        }
        if let Some(deeds) = self.role {
            let names: Vec<&str> = deeds.iter().map(|deed| deed.name()).collect();
            column(text, 13, names.join("+"))?;
        }
        let (from, to) = (walk.facts.from, walk.facts.to);
        column(text, 43, format_args!("{from} > {to}"))?;
        self.words(text)?;
        text.push('\n');
        Ok(())
    }

    /// What it says, in a line.
    pub(super) fn words(&self, text: &mut String) -> fmt::Result {
        let start = text.len();
        self.tree.words(text)?;
        for whole in &self.wholes {
            if !whole.tree.items.iter().any(|i| matches!(i, Item::Layer(_))) {
                continue;
            }
            separate(text, start);
            whole.tree.words(text)?;
            let (total, frames) = (whole.message.total(), whole.message.frames());
            write!(
                text,
                " [{} bytes from {frames} frames]",
                Grouped(total.into())
            )?;
        }
        if text.len() == start {
            write!(text, "-      link type {}", self.frame.link.0)?;
        }
        if let Some(stop) = self.tree.stop {
            write!(text, " [{stop}]")?;
        }
        text.truncate(text.trim_end().len());
        Ok(())
    }
}

impl Tree<'_> {
    /// What is worth words in one line: the innermost layers, those whose messages mean
    /// something of their own beside what they carry (NBF), and what else is known of bytes.
    pub(crate) fn words(&self, text: &mut String) -> fmt::Result {
        let start = text.len();
        for (n, item) in self.items.iter().enumerate() {
            match item {
                Item::Layer(layer) => {
                    if self.is_innermost(n, layer) || layer.dissector.exchange.is_some() {
                        separate(text, start);
                        write!(text, "{:<6} {}", layer.dissector.name, Summary(layer))?;
                    }
                }
                Item::Rest(rest) if !rest.note.is_empty() => {
                    write!(text, " [{}]", rest.note)?;
                }
                Item::Rest(_) => {}
            }
        }
        Ok(())
    }

    /// Whether no other layer lies in the payload of this one.
    fn is_innermost(&self, n: usize, layer: &Layer<'_>) -> bool {
        let behind = self.items.get(n + 1..).unwrap_or_default();
        let next = behind.iter().find_map(|item| match item {
            Item::Layer(next) => Some(next.depth),
            Item::Rest(_) => None,
        });
        next.is_none_or(|depth| depth <= layer.depth)
    }
}

fn separate(text: &mut String, start: usize) {
    if text.len() > start {
        text.truncate(text.trim_end().len());
        text.push_str(" | ");
    }
}

/// Writes a cell and two blanks. A negative width aligns to the right; what is wider pushes
/// the rest of the line on.
fn column(text: &mut String, width: isize, cell: impl fmt::Display) -> fmt::Result {
    let start = text.len();
    write!(text, "{cell}")?;
    let written = text.get(start..).map_or(0, crate::table::width);
    for _ in written..width.unsigned_abs() {
        if width < 0 {
            text.insert(start, ' ');
        } else {
            text.push(' ');
        }
    }
    text.push_str("  ");
    Ok(())
}

/// Seconds with 9 digits.
pub(super) struct Seconds(pub(super) i64);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let nanos = self.0.unsigned_abs();
        write!(
            f,
            "{sign}{}.{:09}",
            nanos / 1_000_000_000,
            nanos % 1_000_000_000
        )
    }
}

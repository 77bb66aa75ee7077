//! One line per frame: number, time, who to whom, and what the inner layers say.

use super::{Shown, Time};
use crate::escape::Escaping;
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
        let (from, to) = (walk.facts.from, walk.facts.to);
        column(text, 43, format_args!("{from} > {to}"))?;
        let mut any = false;
        for (n, span) in walk.spans().iter().enumerate() {
            if !self.is_shown(n) {
                continue;
            }
            let dissector = self.registry.dissector(span.dissector);
            if any {
                text.push_str(" | ");
            }
            any = true;
            write!(text, "{:<6} ", dissector.name)?;
            (dissector.describe)(walk.bytes(frame, *span), &mut Escaping(text))?;
        }
        if !any {
            write!(text, "-      link type {}", frame.link.0)?;
        }
        if let Some(stop) = walk.stop {
            write!(text, " [{stop}]")?;
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
        Ok(())
    }

    /// Whether a layer is worth words in one line: it is innermost, or its messages mean
    /// something of their own beside what they carry (NBF).
    fn is_shown(&self, n: usize) -> bool {
        let spans = self.walk.spans();
        let Some(span) = spans.get(n) else {
            return false;
        };
        let carries_the_next = spans
            .get(n + 1)
            .is_some_and(|next| next.start >= span.payload && next.start < span.end.max(1));
        !carries_the_next || self.registry.dissector(span.dissector).exchange.is_some()
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

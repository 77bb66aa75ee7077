//! The detail pane: a heading per layer, a row per field, and the bytes.

use super::hex::{INDENT, hex};
use super::line::Seconds;
use super::tree::{Item, Layer, Rest};
use super::{Selector, Shown, Summary, Tree, Whole};
use crate::escape::Escaping;
use crate::figures::Grouped;
use crate::table::width;
use crate::text::Look;
use crate::time::Rfc3339;
use anstyle::Style;
use std::fmt::{self, Write};
use std::ops::Range;
use wirewait_wire::{Field, Value};

/// Names are padded to the longest of their layer, but no further than this.
const NAME: usize = 34;
/// Bytes of a field without a form of its own that are shown beside it; all of them stand
/// in the dump below.
const SHOWN: usize = 16;

impl Shown<'_> {
    /// Writes what stands below the line. `found` learns which selectors were met.
    pub(super) fn detail(
        &self,
        look: Look,
        selectors: &[Selector],
        found: &mut [bool],
        text: &mut String,
    ) -> fmt::Result {
        let frame = self.frame;
        writeln!(
            text,
            "{INDENT}{}, {} s from the first frame, {} s from the one shown before\n\
             {INDENT}{} bytes on the wire, {} captured, interface {}",
            Rfc3339(frame.at),
            Seconds(self.clock.since_start(frame.at)),
            Seconds(self.clock.since_shown(frame.at)),
            Grouped(frame.wire_len.into()),
            Grouped(frame.bytes.len() as u64),
            frame.interface,
        )?;
        self.deeds(text)?;
        let marked = self.tree.text(look, selectors, found, text)?;
        if let Some(stop) = self.tree.stop {
            writeln!(text, "{INDENT}{stop}")?;
        }
        hex(text, frame.bytes, &marked, look)?;
        let missing = u64::from(frame.wire_len).saturating_sub(frame.bytes.len() as u64);
        if missing > 0 {
            let missing = Grouped(missing);
            writeln!(text, "{INDENT}({missing} more bytes were not captured)")?;
        }
        for whole in &self.wholes {
            writeln!(text, "{INDENT}{}", FieldOrigin(whole))?;
            let marked = whole.tree.text(look, selectors, found, text)?;
            if let Some(stop) = whole.tree.stop {
                writeln!(text, "{INDENT}{stop}")?;
            }
            if !marked.is_empty() {
                hex(text, whole.tree.bytes, &marked, look)?;
            }
        }
        text.push('\n');
        Ok(())
    }

    /// Writes what the frame did in which transactions.
    fn deeds(&self, text: &mut String) -> fmt::Result {
        let mut before = None;
        for (transaction, deed) in &self.deeds {
            if before == Some(transaction) {
                write!(text, ", {}", deed.name())?;
                continue;
            }
            if before.is_some() {
                text.push('\n');
            }
            write!(text, "{INDENT}transaction {transaction}: {}", deed.name())?;
            before = Some(transaction);
        }
        if before.is_some() {
            text.push('\n');
        }
        Ok(())
    }
}

/// Frames that are named one by one.
const NAMED: usize = 16;

/// How long a message is, and where it comes from.
pub(super) struct FieldOrigin<'a>(pub(super) &'a Whole<'a>);

impl fmt::Display for FieldOrigin<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Whole { message, tree } = self.0;
        let (total, stretches) = (u64::from(message.total()), &message.stretches);
        write!(f, "Message of {} bytes from frames ", Grouped(total))?;
        for (n, stretch) in stretches.iter().take(NAMED).enumerate() {
            let comma = if n > 0 { ", " } else { "" };
            let length = Grouped(stretch.length.into());
            match stretch.frame {
                0 => write!(f, "{comma}none ({length}: never captured)")?,
                frame => write!(f, "{comma}{frame} ({length})")?,
            }
        }
        let more = stretches.len().saturating_sub(NAMED) + message.omitted as usize;
        if more > 0 {
            write!(f, " and {more} more")?;
        }
        let shown = tree.bytes.len() as u64;
        if shown < total {
            write!(f, "; its first {} are in memory", Grouped(shown))?;
        }
        f.write_str("; positions count from its beginning")
    }
}

impl Tree<'_> {
    /// Writes the layers and fields; says which bytes are to be marked.
    fn text(
        &self,
        look: Look,
        selectors: &[Selector],
        found: &mut [bool],
        text: &mut String,
    ) -> Result<Vec<Range<u32>>, fmt::Error> {
        let mut marked = Vec::new();
        for item in &self.items {
            match item {
                Item::Layer(layer) => {
                    let mut here = Vec::new();
                    for (selector, found) in selectors.iter().zip(found.iter_mut()) {
                        let ranges = selector.ranges(layer);
                        *found |= !ranges.is_empty();
                        here.extend(ranges);
                    }
                    layer.text(look, &here, text)?;
                    marked.extend(here);
                }
                Item::Rest(rest) => rest.text(text)?,
            }
        }
        Ok(marked)
    }
}

impl Layer<'_> {
    fn text(&self, look: Look, marked: &[Range<u32>], text: &mut String) -> fmt::Result {
        let (bold, plain) = match look.colour {
            true => (Style::new().bold(), Style::new()),
            false => (Style::new(), Style::new()),
        };
        let own = self.described();
        let mark = if marked.contains(&own) { '>' } else { ' ' };
        row(text, mark, Some(&own), 0)?;
        write!(
            text,
            "{bold}{}{bold:#}: {}",
            self.dissector.name,
            Summary(self)
        )?;
        end_row(text);
        // Numbers and the bits of numbers have columns of their own.
        let wide = [false, true].map(|bits| {
            let alike = self.fields.iter().filter(|f| (f.mask != 0) == bits);
            alike.map(|f| label(f).1).max().unwrap_or(0).min(NAME)
        });
        for field in &self.fields {
            let range = field.start..field.end;
            let is_marked = marked.contains(&range) && field.mask == 0;
            let mark = if is_marked { '>' } else { ' ' };
            let shown = Some(&range).filter(|_| field.mask == 0);
            row(text, mark, shown, 1)?;
            let style = if is_marked && look.colour {
                Style::new().invert()
            } else {
                plain
            };
            let (name, taken) = label(field);
            write!(text, "{style}")?;
            Escaping(text).write_str(&name)?;
            write!(text, "{style:#}")?;
            if field.value != Value::Heading || !field.meaning.is_empty() {
                let wide = wide[usize::from(field.mask != 0)];
                write!(text, "{:fill$}", "", fill = wide.saturating_sub(taken))?;
                text.push_str("  ");
                value(field, self.goes_on, text)?;
            }
            end_row(text);
        }
        Ok(())
    }
}

impl Rest {
    fn text(&self, text: &mut String) -> fmt::Result {
        row(text, ' ', Some(&self.range), 1)?;
        writeln!(text, "{self}")
    }
}

/// The name and the value, without indentation.
pub(super) fn field_text(field: &Field<'_>, goes_on: bool) -> Result<String, fmt::Error> {
    let mut text = String::new();
    Escaping(&mut text).write_str(label(field).0.trim_start())?;
    if field.value != Value::Heading || !field.meaning.is_empty() {
        text.push_str("  ");
        value(field, goes_on, &mut text)?;
    }
    Ok(text)
}

/// The columns in front of a name: a mark, the bytes, how far it is indented.
fn row(text: &mut String, mark: char, range: Option<&Range<u32>>, depth: usize) -> fmt::Result {
    let start = text.len();
    if let Some(range) = range {
        write!(text, "{}", Bytes(range))?;
    }
    let taken = text.len() - start;
    // As wide as two numbers of six digits and the dash between them.
    for _ in taken..13 {
        text.insert(start, ' ');
    }
    text.insert(start, mark);
    write!(text, "  {:indent$}", "", indent = depth * 2)
}

fn end_row(text: &mut String) {
    text.truncate(text.trim_end().len());
    text.push('\n');
}

/// Bytes from the first to the last, both counted from 0.
struct Bytes<'a>(&'a Range<u32>);

impl fmt::Display for Bytes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Range { start, end } = *self.0;
        match end.saturating_sub(start) {
            0 => Ok(()),
            1 => write!(f, "{start}"),
            _ => write!(f, "{start}-{}", end - 1),
        }
    }
}

/// The name with its indentation and, for some bits of a number, which they are; and how
/// wide that is.
fn label(field: &Field<'_>) -> (String, usize) {
    let mut text = " ".repeat(usize::from(field.depth) * 2);
    if field.mask != 0 {
        let bits = field
            .end
            .saturating_sub(field.start)
            .saturating_mul(8)
            .min(64);
        for bit in (0..bits).rev() {
            text.push(match field.mask >> bit & 1 {
                0 => '.',
                _ => bit_of(field, bit),
            });
            if bit > 0 && bit % 4 == 0 {
                text.push(' ');
            }
        }
        text.push_str("  ");
    }
    text.push_str(&field.name);
    let wide = width(&text);
    (text, wide)
}

/// A bit of the number that the field is part of, as a digit.
fn bit_of(field: &Field<'_>, bit: u32) -> char {
    let (Value::Decimal(value) | Value::Hex(value)) = field.value else {
        return '?';
    };
    let whole = value.checked_shl(field.mask.trailing_zeros()).unwrap_or(0);
    if whole >> bit & 1 == 1 { '1' } else { '0' }
}

/// The value, and what it means.
fn value(field: &Field<'_>, goes_on: bool, text: &mut String) -> fmt::Result {
    let one_bit = field.mask.count_ones() == 1;
    let mut any = true;
    match &field.value {
        Value::Heading => any = false,
        Value::Decimal(1) if one_bit && field.meaning.is_empty() => text.push_str("set"),
        Value::Decimal(_) if one_bit && field.meaning.is_empty() => text.push_str("not set"),
        // The pattern shows it.
        Value::Decimal(_) if one_bit => any = false,
        Value::Decimal(number) => write!(text, "{number}")?,
        Value::Hex(number) => {
            let digits = match field.mask {
                0 => field.end.saturating_sub(field.start).min(8) as usize * 2,
                mask => (mask.count_ones() as usize).div_ceil(4),
            };
            write!(text, "{number:#0wide$x}", wide = digits + 2)?;
        }
        Value::Bytes(bytes) => {
            if bytes.len() > SHOWN {
                write!(text, "{} bytes: ", Grouped(bytes.len() as u64))?;
            }
            for (n, byte) in bytes.iter().take(SHOWN).enumerate() {
                write!(text, "{}{byte:02x}", if n > 0 { " " } else { "" })?;
            }
            if bytes.len() > SHOWN {
                text.push_str(" ...");
            }
        }
        Value::Text(words) if words.is_empty() => text.push_str("(empty)"),
        Value::Text(words) => Escaping(text).write_str(words)?,
        Value::Cut if goes_on => text.push_str("goes on in a later frame"),
        Value::Cut => text.push_str("cut off"),
    }
    if !field.meaning.is_empty() {
        if any {
            text.push_str("  ");
        }
        Escaping(text).write_str(&field.meaning)?;
    }
    Ok(())
}

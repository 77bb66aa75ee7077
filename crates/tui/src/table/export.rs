//! What a table shows, as a file.

use super::{AnyRows, State};
use crate::context::Context;
use crate::text;
use std::fmt::Write;
use wirewait_report::{CsvRow, Escaped};

/// Forms of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Text,
    Csv,
    Json,
}

impl Format {
    pub(crate) const ALL: [Self; 3] = [Self::Text, Self::Csv, Self::Json];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Csv => "CSV",
            Self::Json => "JSON",
        }
    }

    pub(crate) const fn ending(self) -> &'static str {
        match self {
            Self::Text => "txt",
            Self::Csv => "csv",
            Self::Json => "json",
        }
    }
}

/// All rows that the filter takes, in their order, with all columns: text as it is shown,
/// the others with plain numbers.
pub(crate) fn export(
    rows: &dyn AnyRows,
    state: &State,
    context: &Context<'_>,
    format: Format,
) -> String {
    let heads = rows.heads();
    let titles: Vec<String> = heads
        .iter()
        .map(|head| match head.group {
            "" => head.title.to_owned(),
            group => format!("{group} {}", head.title),
        })
        .collect();
    let cell = |row: usize, c: usize| rows.cell(row, c, context);
    // A plain number says nothing of what it counts: its column does. It is that of all rows,
    // whatever the filter takes.
    let units: Vec<String> = titles
        .iter()
        .enumerate()
        .map(|(c, title)| {
            let unit = (0..rows.len()).find_map(|row| cell(row, c).unit());
            unit.map_or_else(|| title.clone(), |unit| format!("{title} ({unit})"))
        })
        .collect();
    match format {
        Format::Text => {
            let mut table = vec![titles];
            for row in state.order() {
                let wide = |c: usize| usize::from(heads[c].width.0);
                let cells = (0..heads.len()).map(|c| cell(*row, c).shown(context.units, wide(c)));
                table.push(cells.collect());
            }
            let right: Vec<bool> = heads.iter().map(|head| head.right).collect();
            text::aligned(&table, &right)
        }
        Format::Csv => {
            let (mut line, mut out) = (CsvRow::new(), Vec::new());
            units.iter().for_each(|title| line.value(title));
            // A vector takes all that is written to it.
            let _ = line.end(&mut out);
            for row in state.order() {
                (0..heads.len()).for_each(|c| cell(*row, c).csv(&mut line));
                let _ = line.end(&mut out);
            }
            String::from_utf8_lossy(&out).into_owned()
        }
        Format::Json => {
            let mut out = String::from("[");
            for (n, row) in state.order().iter().enumerate() {
                out.push_str(if n == 0 { "\n  {" } else { ",\n  {" });
                for (c, title) in units.iter().enumerate() {
                    let comma = if c == 0 { "" } else { ", " };
                    let _ = write!(out, "{comma}{}: {}", json(title), cell(*row, c).json());
                }
                out.push('}');
            }
            out.push_str("\n]\n");
            out
        }
    }
}

/// As RFC 8259 wants it.
pub(super) fn json(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if Escaped::is_needed(c) => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

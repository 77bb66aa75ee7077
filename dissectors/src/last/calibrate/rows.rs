//! Rows of a layout: what was found, how sure that is, and the frames that show it.

use super::doubts::Doubts;
use super::search::Search;
use super::{NAMED, Pair, SURE, plain};
use std::fmt::Write as _;
use wirewait_wire::{Confidence, Form, LayoutRow, Values};

/// Characters of a file's name in a row.
const LABEL: usize = 60;
/// Characters of a source, as many as a table's cell has.
const SOURCE: usize = 300;

impl Search<'_> {
    /// A row, confirmed only where there are enough cases and nothing else fits.
    #[expect(clippy::too_many_arguments, reason = "the cells of a row")]
    pub(super) fn found(
        &mut self,
        message: &str,
        name: &str,
        place: (usize, usize),
        form: Form,
        values: Values,
        cases: usize,
        text: String,
        pairs: &[Pair<'_>],
        doubts: &Doubts,
    ) {
        let mut row = row(message, name, place, form, values, cases);
        let mut source = self.source(text, pairs);
        for doubt in doubts.iter() {
            row.confidence = Confidence::Assumed;
            if source.chars().count() + 2 + doubt.chars().count() <= SOURCE {
                let _ = write!(source, "; {doubt}");
                continue;
            }
            let note = format!("{name}: {doubt}");
            if !self.findings.notes.contains(&note) {
                self.findings.note(note);
            }
        }
        self.add(row, source);
    }

    fn add(&mut self, mut row: LayoutRow, source: String) {
        let (Some(from), Some(bits)) = (row.offset, row.bits) else {
            return;
        };
        let from = from as usize;
        let to = (from + bits as usize / 8).min(self.taken.len());
        self.taken[from..to].fill(true);
        row.source = source;
        self.findings.rows.push(row);
    }

    /// A name that no row has; the second of its kind has a number.
    pub(super) fn unused(&self, name: &str) -> String {
        let taken = |name: &str| self.findings.rows.iter().any(|row| row.field == name);
        let numbered = (2..).map(|n| format!("{name}_{n}"));
        std::iter::once(name.to_owned())
            .chain(numbered)
            .find(|name| !taken(name))
            .unwrap_or_default()
    }

    fn source(&self, text: String, cases: &[Pair<'_>]) -> String {
        let mut source = format!("{}: {text}", label(self.file));
        for (n, (one, other)) in cases.iter().take(NAMED).enumerate() {
            let between = if n == 0 { " (frames " } else { ", " };
            let _ = write!(source, "{between}{}>{}", one.frame, other.frame);
        }
        if !cases.is_empty() {
            source.push(')');
        }
        source
    }
}

fn row(
    message: &str,
    field: &str,
    (at, n): (usize, usize),
    form: Form,
    values: Values,
    cases: usize,
) -> LayoutRow {
    LayoutRow {
        layer: "last".to_owned(),
        message: message.to_owned(),
        field: field.to_owned(),
        offset: u32::try_from(at).ok(),
        bits: u32::try_from(8 * n).ok(),
        form: Some(form),
        values,
        confidence: if cases >= SURE {
            Confidence::CaptureConfirmed
        } else {
            Confidence::Assumed
        },
        source: String::new(),
        line: 0,
    }
}

/// The name of a file for a cell.
fn label(file: &str) -> String {
    plain(file).chars().take(LABEL).collect()
}

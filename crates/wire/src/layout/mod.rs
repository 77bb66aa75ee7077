//! Where the fields of a protocol stand, as data: for protocols whose specification is not
//! public. Each row says how sure it is and why, so that what is known can be told from what
//! is assumed, and put right without a new program.
//!
//! Fields are shown by it. What belongs together may be read from it only where its rows are sure
//! enough; that is for the dissector to say ([`Dissector::placed`](crate::Dissector::placed)).

mod parse;

pub use parse::LayoutError;

use crate::{Fields, Form, Input};
use std::fmt;

/// How sure a [`LayoutRow`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Confidence {
    /// Only that there is such a field is known.
    ExistsOnly,
    /// Somebody supposes it.
    Assumed,
    /// A document says so, and no capture was compared with it.
    DocumentedUnchecked,
    /// Captures show it.
    CaptureConfirmed,
    /// A document says so and captures show it, or it cannot be otherwise.
    Verified,
}

impl Confidence {
    /// All of them, the surest first.
    pub const ALL: [Self; 5] = [
        Self::Verified,
        Self::CaptureConfirmed,
        Self::DocumentedUnchecked,
        Self::Assumed,
        Self::ExistsOnly,
    ];

    /// The word for it in a file.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Verified => "verified",
            Self::CaptureConfirmed => "capture-confirmed",
            Self::DocumentedUnchecked => "documented-unchecked",
            Self::Assumed => "assumed",
            Self::ExistsOnly => "exists-only",
        }
    }
}

/// Values from one to another, both included, and what they mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The lowest.
    pub from: u64,
    /// The highest.
    pub to: u64,
    /// What they mean; may be empty.
    pub means: String,
}

/// What a field holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Values {
    /// Anything.
    Any,
    /// The bytes of the whole PDU.
    Length,
    /// One of these. A PDU in which another value stands is not the row's message.
    Listed(Vec<Listed>),
}

/// A field: where it stands, in which messages, and how that is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayoutRow {
    /// The layer that the field belongs to, where several have one header in common.
    pub layer: String,
    /// The kind of message that has it; [`LayoutRow::ANY`] for all.
    pub message: String,
    /// Its name.
    pub field: String,
    /// Its first byte, counted from the start of the PDU; `None` if that is not known.
    pub offset: Option<u32>,
    /// How many bits it has, a multiple of 8; `None` if that is not known.
    pub bits: Option<u32>,
    /// How it is read; `None` if that is not known.
    pub form: Option<Form>,
    /// What it holds.
    pub values: Values,
    /// How sure all this is.
    pub confidence: Confidence,
    /// Who says so.
    pub source: String,
    /// The line of the file that it stands in, counted from 1.
    pub line: usize,
}

impl LayoutRow {
    /// The message of rows that hold for all messages.
    pub const ANY: &'static str = "any";

    /// Its bytes, from and to, and how they are read; `None` if any of that is not known.
    #[must_use]
    pub fn place(&self) -> Option<(u32, u32, Form)> {
        let (offset, bits) = (self.offset?, self.bits?);
        Some((offset, offset.saturating_add(bits / 8), self.form?))
    }

    /// Whether it holds for all messages.
    #[must_use]
    pub fn is_for_any(&self) -> bool {
        self.message == Self::ANY
    }

    /// The number that stands there; `None` where it is none, or was not captured.
    #[must_use]
    pub fn number(&self, pdu: Input<'_>) -> Option<u64> {
        let (from, to, form) = self.place()?;
        if to > pdu.length {
            return None;
        }
        form.number(pdu.bytes.get(from as usize..to as usize)?)
    }

    /// Whether what stands there is what should; `None` if it could be anything, or cannot
    /// be told.
    #[must_use]
    pub fn fits(&self, pdu: Input<'_>) -> Option<bool> {
        match &self.values {
            Values::Any => None,
            Values::Length => Some(self.number(pdu)? == u64::from(pdu.length)),
            Values::Listed(listed) => {
                let number = self.number(pdu)?;
                Some(listed.iter().any(|v| (v.from..=v.to).contains(&number)))
            }
        }
    }

    fn meaning(&self, number: u64, length: u32) -> &str {
        match &self.values {
            Values::Any => "",
            Values::Length if number == u64::from(length) => "all bytes of the message",
            Values::Length => "not the bytes of the message",
            Values::Listed(listed) => listed
                .iter()
                .find(|v| (v.from..=v.to).contains(&number))
                .map_or("not one of the values in the table", |v| &v.means),
        }
    }
}

/// The table: all rows, in the order in which they were written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    rows: Vec<LayoutRow>,
}

impl Layout {
    /// A table without rows: nothing is known.
    pub const EMPTY: Self = Self { rows: Vec::new() };

    /// All rows.
    #[must_use]
    pub fn rows(&self) -> &[LayoutRow] {
        &self.rows
    }

    /// The row of this field in this message (not: of any message, unless that is asked for).
    #[must_use]
    pub fn row(&self, message: &str, field: &str) -> Option<&LayoutRow> {
        self.rows
            .iter()
            .find(|row| row.message == message && row.field == field)
    }

    /// The kind of message that this PDU is: the first of which every row that says which
    /// values stand there finds them there. `hint` is what the dissector thinks it is; that
    /// is believed of a kind with rows, none of which says otherwise.
    #[must_use]
    pub fn message(&self, pdu: Input<'_>, hint: Option<&str>) -> Option<&str> {
        let kinds = self.rows.iter().filter(|row| !row.is_for_any());
        let verdict = |kind: &str| {
            let own = self.rows.iter().filter(|row| row.message == kind);
            own.filter(|row| row.place().is_some() && row.values != Values::Any)
                .map(|row| row.fits(pdu) == Some(true))
                .fold(None, |all, one| Some(all.unwrap_or(true) && one))
        };
        kinds
            .clone()
            .find(|row| verdict(&row.message) == Some(true))
            .or_else(|| {
                let hinted = kinds.clone().find(|row| Some(row.message.as_str()) == hint);
                hinted.filter(|row| verdict(&row.message).is_none())
            })
            .map(|row| row.message.as_str())
    }

    /// Describes the bytes of `pdu` up to `end` by the rows of these layers that hold for any
    /// message or for `message`. What lies between them is not known, and said to be so.
    pub fn fields(
        &self,
        f: &mut Fields<'_>,
        pdu: Input<'_>,
        layers: &[&str],
        message: Option<&str>,
        end: u32,
    ) -> Option<()> {
        let mut rows: Vec<(u32, u32, Form, &LayoutRow)> = self
            .rows
            .iter()
            .filter(|row| layers.contains(&row.layer.as_str()))
            .filter(|row| row.is_for_any() || Some(row.message.as_str()) == message)
            .filter_map(|row| row.place().map(|(from, to, form)| (from, to, form, row)))
            .collect();
        rows.sort_by_key(|(from, ..)| *from);
        for (from, to, form, row) in rows {
            if from < f.at() || to > end {
                continue;
            }
            f.until(from, NOT_KNOWN)?;
            row_field(f, pdu, to - from, form, row)?;
        }
        f.until(end, NOT_KNOWN)?;
        Some(())
    }
}

const NOT_KNOWN: &str = "Not known";

fn row_field(
    f: &mut Fields<'_>,
    pdu: Input<'_>,
    n: u32,
    form: Form,
    row: &LayoutRow,
) -> Option<()> {
    let number = form.describe(f, n, row.field.clone())?;
    let known = number.map_or("", |number| row.meaning(number, pdu.length));
    let divider = if known.is_empty() { "" } else { "; " };
    f.means(format_args!("{known}{divider}{}", row.confidence.name()));
    Some(())
}

/// The table as the file that [`Layout::parse`] reads.
impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "# layer, message, field, offset, bits, endian, values, confidence, source"
        )?;
        for row in self.rows.iter() {
            writeln!(f, "{row}")?;
        }
        Ok(())
    }
}

impl fmt::Display for LayoutRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = |n: Option<u32>| n.map_or("?".to_owned(), |n| n.to_string());
        write!(
            f,
            "{}, {}, {}, {}, {}, {}, {}, {}, {}",
            self.layer,
            self.message,
            self.field,
            known(self.offset),
            known(self.bits),
            self.form.map_or("?", Form::name),
            self.values,
            self.confidence.name(),
            self.source
        )
    }
}

impl fmt::Display for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let listed = match self {
            Self::Any => return f.write_str("-"),
            Self::Length => return f.write_str("length"),
            Self::Listed(listed) => listed,
        };
        for (n, value) in listed.iter().enumerate() {
            write!(f, "{}{:#x}", if n == 0 { "" } else { "|" }, value.from)?;
            if value.to != value.from {
                write!(f, "..{:#x}", value.to)?;
            }
            if !value.means.is_empty() {
                write!(f, "={}", value.means)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Value;

    const TABLE: &str = "\
last, any, length, 0, 16, le, length, verified, a
last, any, kind, 2, 8, le, 1=ask|2=answer, assumed, b
last, ask, slot, 4, 8, le, 7..9=slots, assumed, c
last, ask, kind again, 3, 8, be, 1, assumed, d, and e
last, answer, name, 4, 24, text, -, assumed, f
last, any, sum, ?, ?, ?, -, exists-only, g
";

    fn table() -> Layout {
        Layout::parse("table", TABLE).unwrap()
    }

    /// Name, start, end, meaning.
    fn shown(table: &Layout, bytes: &[u8], hint: Option<&str>) -> Vec<(String, u32, u32, String)> {
        let input = Input::whole(bytes);
        let message = table.message(input, hint).map(str::to_owned);
        let mut f = Fields::new(input, None);
        let _ = table.fields(&mut f, input, &["last"], message.as_deref(), input.length);
        f.finish()
            .into_iter()
            .map(|x| (x.name.into_owned(), x.start, x.end, x.meaning))
            .collect()
    }

    #[test]
    fn a_message_is_known_by_its_values() {
        let ask = [6, 0, 1, 1, 8, 0];
        assert_eq!(table().message(Input::whole(&ask), None), Some("ask"));
        assert_eq!(
            shown(&table(), &ask, None),
            [
                (
                    "length".into(),
                    0,
                    2,
                    "all bytes of the message; verified".into()
                ),
                ("kind".into(), 2, 3, "ask; assumed".into()),
                ("kind again".into(), 3, 4, "assumed".into()),
                ("slot".into(), 4, 5, "slots; assumed".into()),
                ("Not known".into(), 5, 6, String::new()),
            ]
        );
        let other = [6, 0, 1, 2, 8, 0];
        assert_eq!(table().message(Input::whole(&other), Some("ask")), None);
    }

    #[test]
    fn a_hint_is_believed_where_no_value_speaks() {
        let bytes = [9, 0, 3, 0, b'A', 0, b'B', 1];
        assert_eq!(
            table().message(Input::whole(&bytes), Some("answer")),
            Some("answer")
        );
        assert_eq!(table().message(Input::whole(&bytes), Some("nothing")), None);
        let fields = shown(&table(), &bytes, Some("answer"));
        assert_eq!(fields[0].3, "not the bytes of the message; verified");
        assert_eq!(fields[1].3, "not one of the values in the table; assumed");
        assert_eq!((fields[3].1, fields[3].2), (4, 7));
    }

    #[test]
    fn fields_that_end_behind_the_header_are_left_out() {
        let input = Input::whole(&[3, 0, 1, 0xff, b'S']);
        let mut f = Fields::new(input, None);
        let described = table().fields(&mut f, input, &["last"], Some("answer"), 3);
        described.unwrap();
        let fields = f.finish();
        assert_eq!(fields.len(), 2);
        assert_eq!(fields[1].value, Value::Decimal(1));
    }

    #[test]
    fn what_is_displayed_is_read_again() {
        let text = table().to_string();
        let again = Layout::parse("again", &text).unwrap();
        assert_eq!(again.to_string(), text);
        assert_eq!(again.rows().len(), table().rows().len());
        assert!(text.contains("last, any, sum, ?, ?, ?, -, exists-only, g"));
    }

    #[test]
    fn a_cut_message_is_not_known() {
        let input = Input {
            bytes: &[6, 0, 1],
            length: 6,
        };
        assert_eq!(table().message(input, None), None);
    }
}

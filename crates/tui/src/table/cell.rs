//! What stands in a cell: a value with its kind, from which follow how it is written, sorted,
//! searched and exported.

use crate::spark;
use crate::theme::Tone;
use crate::units::Units;
use std::borrow::Cow;
use std::cmp::Ordering;
use wirewait_report::words::{Grouped, Milli, Percent, Short, range};
use wirewait_report::{CsvRow, Escaped};

/// A value.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Value {
    /// There is none.
    #[default]
    Nothing,
    /// Text, perhaps from outside: it is made harmless when it is shown.
    Text(Cow<'static, str>),
    /// How many.
    Count(u64),
    /// A number that names something: no commas.
    Number(u64),
    /// Nanoseconds.
    Time(i64),
    /// Nanoseconds, not more than this: a percentile of counts in steps.
    AtMost(i64),
    /// Between two times that cannot be told apart, ns.
    Between(i64, i64),
    /// Bytes.
    Bytes(u64),
    /// Bytes, at least.
    AtLeast(u64),
    /// Bytes per second.
    Rate(u64),
    /// A part of a whole.
    Share(u64, u64),
    /// A part of a whole, behind the mark of an interval that is wide.
    MarkedShare(&'static str, u64, u64),
    /// Thousandths.
    Milli(u64),
    /// A value of a counter.
    Float(f64),
    /// A value of a counter of seconds: people see it in the unit that fits.
    Seconds(f64),
    /// A course over time, the latest last; sorted by its sum.
    Course(Vec<u64>),
}

/// A value and how much it calls for attention.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Cell {
    pub(crate) value: Value,
    pub(crate) tone: Tone,
    /// Zero is shown as nothing; files have it.
    pub(crate) quiet: bool,
}

impl From<Value> for Cell {
    fn from(value: Value) -> Self {
        Self {
            value,
            tone: Tone::Plain,
            quiet: false,
        }
    }
}

impl Cell {
    pub(crate) fn text(text: impl Into<Cow<'static, str>>) -> Self {
        Value::Text(text.into()).into()
    }

    /// A count of something that should be rare: nothing stands out from nothing, and what is
    /// there calls for attention.
    pub(crate) fn trouble(n: u64, tone: Tone) -> Self {
        let cell = Self::from(Value::Count(n)).quiet();
        match n {
            0 => cell,
            _ => cell.toned(tone),
        }
    }

    /// Zero is shown as nothing.
    pub(crate) fn quiet(mut self) -> Self {
        self.quiet = true;
        self
    }

    /// A count where zero is nothing special.
    pub(crate) fn count(n: u64) -> Self {
        Value::Count(n).into()
    }

    /// A time, or nothing.
    pub(crate) fn time(ns: Option<i64>) -> Self {
        ns.map_or(Value::Nothing, Value::Time).into()
    }

    pub(crate) fn toned(mut self, tone: Tone) -> Self {
        self.tone = tone;
        self
    }

    /// As it is shown in a column of this width.
    pub(crate) fn shown(&self, units: Units, width: usize) -> String {
        if self.quiet && weight(&self.value) == 0 {
            return "-".to_owned();
        }
        match &self.value {
            Value::Nothing => "-".to_owned(),
            Value::Text(text) => Escaped(text).to_string(),
            Value::Count(n) => Grouped(*n).to_string(),
            Value::Number(n) => n.to_string(),
            Value::Time(ns) => Short(*ns).to_string(),
            Value::AtMost(ns) => format!("≤{}", Short(*ns)),
            Value::Between(low, high) => range(&Short(*low).to_string(), &Short(*high).to_string()),
            Value::Bytes(n) => units.size(*n),
            Value::AtLeast(n) => format!(">={}", units.size(*n)),
            Value::Rate(n) => units.rate(*n),
            Value::Share(part, whole) => Percent(*part, *whole).to_string(),
            Value::MarkedShare(mark, part, whole) => format!("{mark}{}", Percent(*part, *whole)),
            Value::Milli(n) => Milli(*n).to_string(),
            Value::Float(value) => float(*value),
            Value::Seconds(value) => Short((*value * 1e9).round() as i64).to_string(),
            Value::Course(values) => spark::line(&spark::squeezed(values, width), width),
        }
    }

    /// As a file has it: a plain number in the unit of the column, or text.
    pub(crate) fn exported(&self) -> String {
        match &self.value {
            Value::Nothing => String::new(),
            Value::Text(text) => text.clone().into_owned(),
            Value::Count(n)
            | Value::Number(n)
            | Value::Bytes(n)
            | Value::AtLeast(n)
            | Value::Rate(n) => n.to_string(),
            Value::Time(ns) | Value::AtMost(ns) => ns.to_string(),
            Value::Between(low, high) => format!("{low}..{high}"),
            Value::Share(part, whole) | Value::MarkedShare(_, part, whole) => {
                Milli::ratio(*part, *whole).map_or_else(String::new, |share| decimal(share.0))
            }
            Value::Milli(n) => decimal(*n),
            Value::Float(value) | Value::Seconds(value) => value.to_string(),
            Value::Course(values) => {
                let values: Vec<String> = values.iter().map(u64::to_string).collect();
                values.join(" ")
            }
        }
    }

    /// As a cell of a CSV file: a text is harmless to terminals and to spreadsheets.
    pub(super) fn csv(&self, row: &mut CsvRow) {
        match &self.value {
            Value::Text(text) => row.text(&Escaped(text).to_string()),
            _ => row.value(self.exported()),
        }
    }

    /// The unit of the number in an exported file, if it has one.
    pub(super) fn unit(&self) -> Option<&'static str> {
        match &self.value {
            Value::Time(_) | Value::AtMost(_) | Value::Between(..) => Some("ns"),
            Value::Bytes(_) | Value::AtLeast(_) => Some("bytes"),
            Value::Rate(_) => Some("bytes/s"),
            Value::Share(..) | Value::MarkedShare(..) => Some("of 1"),
            Value::Nothing
            | Value::Text(_)
            | Value::Count(_)
            | Value::Number(_)
            | Value::Milli(_)
            | Value::Float(_)
            | Value::Seconds(_)
            | Value::Course(_) => None,
        }
    }

    /// As a JSON value.
    pub(super) fn json(&self) -> String {
        match &self.value {
            Value::Nothing => "null".to_owned(),
            Value::Text(text) => super::export::json(text),
            Value::Between(low, high) => format!("[{low}, {high}]"),
            Value::Course(values) => {
                let values: Vec<String> = values.iter().map(u64::to_string).collect();
                format!("[{}]", values.join(", "))
            }
            _ => match self.exported() {
                none if none.is_empty() => "null".to_owned(),
                number => number,
            },
        }
    }

    /// By what columns are sorted: nothing is less than anything.
    pub(crate) fn compare(&self, other: &Self) -> Ordering {
        match (&self.value, &other.value) {
            (Value::Nothing, Value::Nothing) => Ordering::Equal,
            (Value::Nothing, _) => Ordering::Less,
            (_, Value::Nothing) => Ordering::Greater,
            (Value::Text(a), Value::Text(b)) => a.cmp(b),
            (
                Value::Share(a, of_a) | Value::MarkedShare(_, a, of_a),
                Value::Share(b, of_b) | Value::MarkedShare(_, b, of_b),
            ) => {
                let (a, b) = (u128::from(*a), u128::from(*b));
                (a * u128::from(*of_b)).cmp(&(b * u128::from(*of_a)))
            }
            (a, b) => weight(a).cmp(&weight(b)),
        }
    }
}

/// Three significant digits, as [`Milli`] has them.
fn float(value: f64) -> String {
    let sign = if value < 0.0 { "-" } else { "" };
    // Below 2^64, and what is not fits into it as well as it can: casts saturate.
    format!("{sign}{}", Milli((value.abs() * 1000.0).round() as u64))
}

/// Thousandths with all their digits, for programs.
fn decimal(thousandths: u64) -> String {
    format!("{}.{:03}", thousandths / 1000, thousandths % 1000)
}

fn weight(value: &Value) -> i128 {
    match value {
        Value::Nothing | Value::Text(_) => 0,
        Value::Count(n)
        | Value::Number(n)
        | Value::Bytes(n)
        | Value::AtLeast(n)
        | Value::Rate(n)
        | Value::Milli(n)
        | Value::Share(n, _)
        | Value::MarkedShare(_, n, _) => i128::from(*n),
        Value::Time(ns) | Value::AtMost(ns) => i128::from(*ns),
        // As large as it may be, it becomes a number: casts saturate.
        Value::Float(value) | Value::Seconds(value) => (*value * 1e6) as i128,
        Value::Between(low, high) => (i128::from(*low) + i128::from(*high)) / 2,
        Value::Course(values) => values.iter().map(|n| i128::from(*n)).sum(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_from_outside_is_harmless() {
        let cell = Cell::text("\x1b[2J\u{202e}x");
        assert_eq!(cell.shown(Units::Bytes, 80), r"\x1b[2J\u{202e}x");
    }

    #[test]
    fn nothing_is_less_than_anything_and_shares_compare_as_ratios() {
        let share = |a, b| Cell::from(Value::Share(a, b));
        assert_eq!(Cell::default().compare(&Cell::count(0)), Ordering::Less);
        assert_eq!(share(1, 3).compare(&share(2, 7)), Ordering::Greater);
        assert_eq!(share(1, 2).compare(&share(2, 4)), Ordering::Equal);
        assert_eq!(
            Cell::time(Some(-1)).compare(&Cell::time(None)),
            Ordering::Greater
        );
    }

    fn csv(cell: &Cell) -> String {
        let (mut row, mut out) = (CsvRow::new(), Vec::new());
        cell.csv(&mut row);
        row.end(&mut out).unwrap();
        String::from_utf8(out).unwrap().trim_end().to_owned()
    }

    #[test]
    fn a_text_in_a_file_is_no_formula_and_a_negative_number_no_text() {
        assert_eq!(csv(&Cell::text("=1+1,\x1b")), r#""'=1+1,\x1b""#);
        assert_eq!(csv(&Cell::text("-5")), "'-5");
        assert_eq!(csv(&Cell::time(Some(-5))), "-5");
    }

    /// A count of none is a figure: a program that reads the file must not take it for unknown.
    #[test]
    fn zero_is_nothing_on_the_screen_and_zero_in_a_file() {
        let none = Cell::trouble(0, Tone::Bad);
        assert_eq!(none.shown(Units::Bytes, 8), "-");
        assert_eq!((none.json(), csv(&none)), ("0".to_owned(), "0".to_owned()));
        assert_eq!(none.tone, Tone::Plain);
        let bytes = Cell::from(Value::Bytes(0)).quiet();
        assert_eq!(
            (bytes.shown(Units::Bytes, 8).as_str(), bytes.json().as_str()),
            ("-", "0")
        );
        assert_eq!(Cell::default().json(), "null", "what is not known");
        let most = Cell::from(Value::AtMost(1_410_000));
        assert_eq!(most.shown(Units::Bytes, 8), "≤1.41 ms");
    }

    #[test]
    fn a_file_has_plain_numbers() {
        assert_eq!(Cell::time(Some(1_234_567)).exported(), "1234567");
        assert_eq!(Cell::from(Value::Share(1, 8)).exported(), "0.125");
        assert_eq!(Cell::from(Value::Milli(1_234_567)).exported(), "1234.567");
        let shown = |value| Cell::from(value).shown(Units::Bytes, 8);
        assert_eq!(shown(Value::Milli(1_234_567)), "1,235");
        let floats = [0.0, 610.0, -32.554, 0.25, 6261.4].map(|n| shown(Value::Float(n)));
        assert_eq!(floats, ["0", "610", "-32.6", "0.250", "6,261"]);
        let seconds = [0.0, 0.001, 0.000_25, 12.0].map(|n| shown(Value::Seconds(n)));
        assert_eq!(seconds, ["0 µs", "1.00 ms", "250 µs", "12.0 s"]);
        assert_eq!(Cell::from(Value::Seconds(0.001)).exported(), "0.001");
        assert_eq!(Cell::from(Value::Share(1, 0)).exported(), "");
    }
}

//! What the user looks for: words that all have to be there, `!word` that must not, `column:word`
//! for one column alone, and `column > 200` for figures.

use super::{Cell, Head, Value};
use std::cmp::Ordering;

/// A filter, ready to be asked.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Filter {
    words: Vec<Word>,
    figures: Vec<Figure>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Word {
    wanted: bool,
    column: Option<String>,
    text: String,
}

/// A column and what its figure is compared with.
#[derive(Clone, Debug, PartialEq)]
struct Figure {
    column: String,
    sign: Sign,
    value: f64,
    unit: String,
}

/// How figures are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sign {
    More,
    AtLeast,
    Less,
    AtMost,
    Equal,
}

impl Sign {
    const ALL: [(&'static str, Self); 5] = [
        (">=", Self::AtLeast),
        ("<=", Self::AtMost),
        (">", Self::More),
        ("<", Self::Less),
        ("=", Self::Equal),
    ];

    fn holds(self, found: f64, wanted: f64) -> bool {
        let order = found.partial_cmp(&wanted);
        match self {
            Self::More => order == Some(Ordering::Greater),
            Self::AtLeast => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
            Self::Less => order == Some(Ordering::Less),
            Self::AtMost => matches!(order, Some(Ordering::Less | Ordering::Equal)),
            Self::Equal => order == Some(Ordering::Equal),
        }
    }
}

impl Figure {
    /// `requests>200`; nothing where it is no comparison, or is still being typed.
    fn new(text: &str) -> Option<Self> {
        let (at, sign, of) = Sign::ALL
            .iter()
            .filter_map(|(sign, of)| Some((text.find(sign)?, sign, of)))
            .min_by_key(|(at, sign, _)| (*at, std::cmp::Reverse(sign.len())))?;
        let (column, value) = (text.get(..at)?, text.get(at + sign.len()..)?);
        let end = value
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .unwrap_or(value.len());
        let (number, unit) = value.split_at(end);
        Some(Self {
            column: column.to_owned(),
            sign: *of,
            value: number.parse().ok()?,
            unit: unit.to_owned(),
        })
        .filter(|figure| is_title(&figure.column))
    }

    fn takes(&self, cell: &Cell) -> bool {
        let by = |units: &[(&str, f64)], usual: f64| {
            let known = units.iter().find(|(unit, _)| *unit == self.unit);
            known.map_or(usual, |(_, by)| *by)
        };
        const SIZES: [(&str, f64); 6] = [
            ("k", 1e3),
            ("kb", 1e3),
            ("m", 1e6),
            ("mb", 1e6),
            ("g", 1e9),
            ("gb", 1e9),
        ];
        const TIMES: [(&str, f64); 6] = [
            ("ns", 1.0),
            ("us", 1e3),
            ("µs", 1e3),
            ("ms", 1e6),
            ("s", 1e9),
            ("min", 6e10),
        ];
        let (found, by) = match &cell.value {
            // A figure, not an exact sum: it is compared, and goes nowhere.
            Value::Time(ns) | Value::AtMost(ns) => (*ns as f64, by(&TIMES, 1e6)),
            Value::Share(part, whole) | Value::MarkedShare(_, part, whole) => {
                (100.0 * *part as f64 / (*whole).max(1) as f64, 1.0)
            }
            Value::Milli(n) => (*n as f64 / 1e3, 1.0),
            Value::Float(value) => (*value, by(&SIZES, 1.0)),
            Value::Seconds(value) => (*value * 1e9, by(&TIMES, 1e6)),
            Value::Count(n)
            | Value::Number(n)
            | Value::Bytes(n)
            | Value::AtLeast(n)
            | Value::Rate(n) => (*n as f64, by(&SIZES, 1.0)),
            Value::Nothing | Value::Text(_) | Value::Between(..) | Value::Course(_) => {
                return false;
            }
        };
        self.sign.holds(found, self.value * by)
    }
}

/// Words as they are meant: a sign belongs to what stands on both sides of it.
fn joined(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut open = false;
    for word in text.split_whitespace() {
        // As "server %" stands above its column.
        let starts = word.starts_with(['>', '<', '=', '%']);
        match words.last_mut() {
            Some(last) if open || starts => last.push_str(word),
            _ => words.push(word.to_owned()),
        }
        open = word.ends_with(['>', '<', '=']);
    }
    words
}

impl Filter {
    pub(crate) fn new(text: &str) -> Self {
        let mut filter = Self::default();
        for word in joined(&text.to_lowercase()) {
            if let Some(figure) = Figure::new(&word) {
                filter.figures.push(figure);
                continue;
            }
            let (wanted, word) = match word.strip_prefix('!') {
                Some(rest) => (false, rest),
                None => (true, word.as_str()),
            };
            let (column, text) = match word.split_once(':') {
                // Addresses contain colons; titles of columns are letters.
                Some((column, text)) if is_title(column) => (Some(column.to_owned()), text),
                _ => (None, word),
            };
            // A comparison without its number is still being typed.
            if !text.is_empty() && !text.ends_with(['>', '<', '=']) {
                filter.words.push(Word {
                    wanted,
                    column,
                    text: text.to_owned(),
                });
            }
        }
        filter
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.words.is_empty() && self.figures.is_empty()
    }

    /// What is wrong with it where these are the columns.
    pub(crate) fn error(&self, heads: &[&Head]) -> Option<String> {
        let known = |column: &str| heads.iter().any(|head| names(head, column));
        let figures = self.figures.iter().map(|figure| &figure.column);
        // What has letters beyond f cannot be the beginning of an address.
        let letters = |column: &&String| !column.chars().all(|c| c.is_ascii_hexdigit());
        let words = self
            .words
            .iter()
            .filter_map(|word| word.column.as_ref())
            .filter(letters);
        let unknown = figures.chain(words).find(|column| !known(column))?;
        let titles: Vec<&str> = heads
            .iter()
            .map(|head| head.title)
            .filter(|t| !t.is_empty())
            .collect();
        Some(format!(
            "no column is called \"{unknown}\"; there are {}",
            titles.join(", ")
        ))
    }

    /// Whether a row with these cells, as values and as they are shown in small letters, is
    /// wanted.
    pub(crate) fn takes(&self, heads: &[&Head], cells: &[(Cell, String)]) -> bool {
        let figures = self.figures.iter().all(|figure| {
            let mut named = heads
                .iter()
                .zip(cells)
                .filter(|(head, _)| names(head, &figure.column));
            named.any(|(_, (cell, _))| figure.takes(cell))
        });
        figures
            && self.words.iter().all(|word| {
                let mut known = false;
                let found = heads.iter().zip(cells).any(|(head, (_, cell))| {
                    let here = word.column.as_ref().is_none_or(|c| names(head, c));
                    known |= here;
                    here && cell.contains(&word.text)
                });
                // No column is called that: the colon was meant.
                let found = match &word.column {
                    Some(column) if !known => {
                        let whole = format!("{column}:{}", word.text);
                        cells.iter().any(|(_, cell)| cell.contains(&whole))
                    }
                    _ => found,
                };
                found == word.wanted
            })
    }
}

fn is_title(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic())
}

/// Whether the title of a column, or the heading of its group and its title, begin like this: `resp.p95`.
fn names(head: &Head, start: &str) -> bool {
    let begins = |title: &str, start: &str| {
        let title: String = title.split_whitespace().collect();
        title.to_lowercase().starts_with(start)
    };
    let above = |(group, title): (&str, &str)| {
        !group.is_empty() && begins(head.group, group) && begins(head.title, title)
    };
    begins(head.title, start) || start.split_once('.').is_some_and(above)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Cell;

    fn takes(filter: &str) -> bool {
        let heads = [
            &Head::left("server", 8),
            &Head::left("file name", 8),
            &Head::right("p95", 8),
            &Head::right("server %", 8),
            &Head::right("p99", 8).under("response"),
        ];
        let cells = [
            Cell::text("10.0.0.1:445"),
            Cell::text(r"\pay\march.xls"),
            Cell::time(Some(1_500_000)),
            Value::Share(45, 100).into(),
            Cell::time(Some(9_000_000)),
        ];
        let cells = cells.map(|cell| {
            let shown = cell.shown(crate::Units::Bytes, 0).to_lowercase();
            (cell, shown)
        });
        Filter::new(filter).takes(&heads, &cells)
    }

    #[test]
    fn all_words_have_to_be_there() {
        assert!(takes(""));
        assert!(takes("  pay MARCH "));
        assert!(!takes("pay april"));
    }

    #[test]
    fn an_exclamation_mark_means_not() {
        assert!(takes("pay !april"));
        assert!(!takes("pay !march"));
        assert!(takes("!"), "still being typed");
    }

    #[test]
    fn a_column_is_named_by_its_beginning() {
        assert!(takes("server:10.0"));
        assert!(!takes("file:10.0"));
        assert!(takes("filename:pay"));
        assert!(takes("!file:10.0"));
        assert!(takes("file:"), "still being typed");
        assert!(takes("0.1:445"), "a colon that belongs to an address");
        assert!(!takes("nothing:445"));
    }

    /// 1.5 ms against what is typed, with blanks or without.
    #[test]
    fn figures_are_compared_in_their_units() {
        for (filter, taken) in [
            ("p95 > 1", true),
            ("p95>1ms", true),
            ("p95 >1.5ms", false),
            ("p95 >= 1.5", true),
            ("p95< 2", true),
            ("p95 < 1400us", false),
            ("p95 = 1.5ms", true),
            ("p95 > 1 pay", true),
            ("p95 > 2 pay", false),
            ("resp.p99 > 8ms", true),
            ("response.p99 > 9ms", false),
            ("turn.p99 > 1", false),
            ("server % > 40 pay", true),
            ("server %>45", false),
            ("p95 >", true),
            ("file > 3", false),
        ] {
            assert_eq!(takes(filter), taken, "{filter}");
        }
    }

    #[test]
    fn a_column_that_is_not_there_is_an_error() {
        let heads = [&Head::left("server", 8), &Head::right("requests", 8)];
        let error = |text: &str| Filter::new(text).error(&heads);
        assert_eq!(error("requests > 200 server:x 10.0"), None);
        let said = error("rquests > 200").unwrap();
        assert_eq!(
            said,
            "no column is called \"rquests\"; there are server, requests"
        );
        assert!(error("vlan:7").is_some());
        assert_eq!(error("fe80:1"), None, "an address");
    }
}

//! The answer of a scenario: what an analyser must find, computed by hand.

use super::error::Fault;
use super::words::{Word, seconds};

/// Everything that stands behind `[answer]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// Transactions that must be there, in no particular order.
    pub transactions: Vec<Expected>,
    /// Numbers that must come out altogether.
    pub totals: Vec<Totals>,
    /// What tshark shows for the same frames, right or wrong.
    pub tshark: Vec<TsharkSays>,
    /// What must be found where LAST is read by the table in this file of the workspace.
    pub by_profile: Option<(String, Box<Answer>)>,
}

/// Transactions with these field values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expected {
    /// Line in the scenario file, for messages.
    pub line: usize,
    /// Exact number of transactions in the capture that have all of these values.
    pub count: u64,
    /// Paths and values; a path is a field name of the NDJSON output, with a dot for a
    /// field in a field (`frames.request`). Values must be equal, with two exceptions:
    /// `flags` must contain those listed (and may contain others), and `without_flags`,
    /// which is no field, lists flags that must not be there.
    pub fields: Vec<(String, Value)>,
}

/// A sum over the capture, or over one protocol of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Totals {
    /// Line in the scenario file, for messages.
    pub line: usize,
    /// The protocol; `None` for the whole capture.
    pub protocol: Option<String>,
    /// Names and numbers.
    pub fields: Vec<(String, i64)>,
}

/// What tshark says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TsharkSays {
    /// All values of a field, frame by frame.
    Field {
        /// Line in the scenario file, for messages.
        line: usize,
        /// The field's name.
        name: String,
        /// Its values times 10^9: nanoseconds where tshark prints seconds.
        values: Vec<i64>,
    },
    /// How many frames a display filter matches.
    Count {
        /// Line in the scenario file, for messages.
        line: usize,
        /// The display filter.
        filter: String,
        /// Frames that match.
        frames: u64,
    },
}

/// The value of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A whole number; times are nanoseconds.
    Int(i64),
    /// Text.
    Text(String),
    /// True or false.
    Bool(bool),
    /// There is no value.
    Null,
    /// Several values.
    List(Vec<Value>),
}

impl Answer {
    pub(super) fn parse(lines: &[Vec<Word>]) -> Result<Self, Fault> {
        let mut answer = Self::default();
        for (number, line) in lines.iter().enumerate() {
            let Some((first, rest)) = line.split_first() else {
                continue;
            };
            if let ("last-profile", [file]) = (first.text.as_str(), rest) {
                let other = Box::new(Self::parse(&lines[number + 1..])?);
                answer.by_profile = Some((file.text.clone(), other));
                break;
            }
            answer.line(first, rest)?;
        }
        Ok(answer)
    }

    fn line(&mut self, first: &Word, rest: &[Word]) -> Result<(), Fault> {
        let line = first.place.line;
        match (first.text.as_str(), rest) {
            ("transaction", fields) => self.transactions.push(Expected {
                line,
                count: 1,
                fields: values(first, fields)?,
            }),
            ("transactions", [count, fields @ ..]) => self.transactions.push(Expected {
                line,
                count: count.text.parse().map_err(|_| count.expected("how many"))?,
                fields: values(first, fields)?,
            }),
            ("total", fields) => self.totals.push(totals(first, fields)?),
            ("tshark", [what, filter, frames]) if what.text == "count" => {
                self.tshark.push(TsharkSays::Count {
                    line,
                    filter: filter.text.clone(),
                    frames: frames
                        .text
                        .parse()
                        .map_err(|_| frames.expected("how many frames"))?,
                });
            }
            ("tshark", [name, numbers @ ..]) => {
                let mut values = Vec::new();
                for word in numbers {
                    let (number, times) = word.text.split_once('*').unwrap_or((&word.text, "1"));
                    let (Some(number), Ok(times)) = (seconds(number), times.parse::<u16>()) else {
                        return Err(word.expected("a decimal number, or NUMBER*TIMES"));
                    };
                    values.extend(std::iter::repeat_n(number, times.into()));
                }
                self.tshark.push(TsharkSays::Field {
                    line,
                    name: name.text.clone(),
                    values,
                });
            }
            _ => {
                return Err(first.expected(
                    "`transaction FIELD=VALUE ...`, `transactions COUNT FIELD=VALUE ...`, \
                     `total NAME=NUMBER ...`, `tshark FIELD VALUE ...` or `last-profile FILE`",
                ));
            }
        }
        Ok(())
    }
}

fn values(first: &Word, words: &[Word]) -> Result<Vec<(String, Value)>, Fault> {
    if words.is_empty() {
        return Err(first.fault("nothing is said about this transaction"));
    }
    words
        .iter()
        .map(|word| {
            let (key, text) = word
                .text
                .split_once('=')
                .ok_or_else(|| word.expected("FIELD=VALUE"))?;
            Ok((key.to_owned(), value(text)))
        })
        .collect()
}

fn totals(first: &Word, words: &[Word]) -> Result<Totals, Fault> {
    let mut protocol = None;
    let mut fields = Vec::new();
    for (word, (key, value)) in words.iter().zip(values(first, words)?) {
        match value {
            Value::Text(text) if key == "protocol" => protocol = Some(text),
            Value::Int(number) => fields.push((key, number)),
            _ => return Err(word.expected("NAME=NUMBER or protocol=NAME")),
        }
    }
    Ok(Totals {
        line: first.place.line,
        protocol,
        fields,
    })
}

/// `null`, `true`, a number, a time with its unit, a list in brackets, or text.
fn value(text: &str) -> Value {
    if let Some(inside) = text.strip_prefix('[').and_then(|t| t.strip_suffix(']')) {
        let items = inside.split(',').filter(|item| !item.is_empty());
        return Value::List(items.map(value).collect());
    }
    match text {
        "null" => Value::Null,
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        _ => match text.parse().ok().or_else(|| time(text)) {
            Some(number) => Value::Int(number),
            None => Value::Text(text.to_owned()),
        },
    }
}

/// `10ms`, `1.5s`, `250us`, `40ns` as nanoseconds.
fn time(text: &str) -> Option<i64> {
    let (number, divisor) = if let Some(number) = text.strip_suffix("ns") {
        (number, 1_000_000_000)
    } else if let Some(number) = text.strip_suffix("us") {
        (number, 1_000_000)
    } else if let Some(number) = text.strip_suffix("ms") {
        (number, 1_000)
    } else {
        (text.strip_suffix('s')?, 1)
    };
    let nanos = seconds(number)?;
    (nanos % divisor == 0).then_some(nanos / divisor)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::words::split;

    fn answer(text: &str) -> Result<Answer, Fault> {
        let lines: Vec<_> = text
            .lines()
            .enumerate()
            .map(|(index, line)| split(index + 1, line).unwrap())
            .collect();
        Answer::parse(&lines)
    }

    #[test]
    fn values_of_every_kind() {
        assert_eq!(value("12"), Value::Int(12));
        assert_eq!(value("-1"), Value::Int(-1));
        assert_eq!(value("10ms"), Value::Int(10_000_000));
        assert_eq!(value("0.6s"), Value::Int(600_000_000));
        assert_eq!(value("1.5us"), Value::Int(1_500));
        assert_eq!(value("0.5ns"), Value::Text("0.5ns".into()));
        assert_eq!(value("null"), Value::Null);
        assert_eq!(value("status"), Value::Text("status".into()));
        assert_eq!(value("[]"), Value::List(Vec::new()));
        assert_eq!(
            value("[100ms,raw]"),
            Value::List(vec![Value::Int(100_000_000), Value::Text("raw".into())])
        );
    }

    #[test]
    fn lines_of_every_kind() {
        let a = answer(
            "transaction command=\"READ FROM A FILE\" frames.request=1\n\
             transactions 400 ok=true\n\
             total protocol=ncp answered=400\n\
             tshark ncp.time 0.010 1\n\
             tshark count \"ncp && ipx\" 3\n",
        )
        .unwrap();
        assert_eq!(a.transactions.len(), 2);
        assert_eq!(
            a.transactions[0].fields[0],
            ("command".into(), Value::Text("READ FROM A FILE".into()))
        );
        assert_eq!(a.transactions[1].count, 400);
        assert_eq!(a.totals[0].protocol.as_deref(), Some("ncp"));
        assert_eq!(a.totals[0].fields, [("answered".into(), 400)]);
        assert_eq!(a.tshark.len(), 2);
        for (text, column) in [
            ("transaction", 1),
            ("transactions x y=1", 14),
            ("total a=b", 7),
        ] {
            assert_eq!(answer(text).unwrap_err().place.column, column, "{text}");
        }
    }
}

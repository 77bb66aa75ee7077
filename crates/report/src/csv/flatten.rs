//! From nested values to rows.

use crate::cells::CsvRow;
use crate::escape::Escaped;
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use std::collections::HashMap;
use std::fmt;
use std::io::{self, Write};

/// Keys whose texts tell an entry of a list from the others, where it begins with them.
const NAMES: [&str; 12] = [
    "client", "server", "protocol", "carrier", "command", "share", "file", "name", "from",
    "reason", "station", "object",
];

/// Writes a row for each value of a JSON document, in its order.
///
/// # Errors
/// What `out` says.
pub(super) fn flatten(json: &[u8], row: CsvRow, out: &mut impl Write) -> io::Result<()> {
    let mut rows = FlatRows {
        out,
        row,
        path: Vec::new(),
        figure: 1,
        objects: Vec::new(),
        called: HashMap::new(),
        failed: None,
    };
    let mut reader = serde_json::Deserializer::from_slice(json);
    let value = FlatValue {
        rows: &mut rows,
        place: CellPlace::Field,
    };
    let read = value.deserialize(&mut reader).map_err(io::Error::from);
    rows.failed.map_or(read, Err)
}

struct FlatRows<'w, W> {
    out: &'w mut W,
    row: CsvRow,
    /// Keys down to the value at hand; the first is the section.
    path: Vec<String>,
    /// Where in the path the figure begins.
    figure: usize,
    /// The names of the list entries on the way.
    objects: Vec<String>,
    /// How often entries of a list were called so.
    called: HashMap<String, u64>,
    /// Why a row could not be written: the reader's errors have no kind.
    failed: Option<io::Error>,
}

impl<W: Write> FlatRows<'_, W> {
    fn row<E: serde::de::Error>(&mut self, unit: Option<&str>, value: &str) -> Result<(), E> {
        self.write(unit, value).map_err(|error| {
            let stopped = E::custom(&error);
            self.failed = Some(error);
            stopped
        })
    }

    fn write(&mut self, unit: Option<&str>, value: &str) -> io::Result<()> {
        let section = self.path.first().map_or("", String::as_str);
        let figure = self.path.get(self.figure..).unwrap_or_default().join(".");
        let unit = unit.unwrap_or_else(|| unit_of(&self.path, "count"));
        let object = self.objects.join(" / ");
        for text in [section, &object, &figure, unit] {
            self.row.text(&Escaped(text).to_string());
        }
        match unit {
            "text" => self.row.text(&Escaped(value).to_string()),
            _ => self.row.value(value),
        }
        self.row.end(self.out)
    }

    /// Calls the entry at hand so, or otherwise if another one was before.
    fn call(&mut self, name: String) {
        let lists = self.path.get(..self.figure).unwrap_or_default();
        let key = format!("{lists:?}{:?}{name}", self.objects);
        let times = self.called.entry(key).or_default();
        *times += 1;
        self.objects.push(match *times {
            1 => name,
            n => format!("{name} ({n})"),
        });
    }
}

/// Ends of keys, and their units.
const UNITS: [(&str, &str); 11] = [
    ("ns", "ns"),
    ("bits_per_second", "bit/s"),
    ("bytes_per_second", "bytes/s"),
    ("per_second", "1/s"),
    ("ms", "ms"),
    ("percent", "percent"),
    ("per_mille", "per mille"),
    ("bytes", "bytes"),
    ("bytes_per_operation", "bytes"),
    ("frames", "frames"),
    ("frames_of", "frames"),
];

/// Keys of one side of a figure, which has the unit in its own key.
const SIDES: [&str; 2] = ["low", "high"];

/// The unit that the key at the end of a path has, or else the one that it is a part of; `other` where none is known.
fn unit_of(path: &[String], other: &'static str) -> &'static str {
    let known = |key: &String| {
        if key.starts_with("share") {
            // Of frames, or of time: a part of them.
            return None;
        }
        let ends = |end: &str| {
            key.strip_suffix(end)
                .is_some_and(|k| k.is_empty() || k.ends_with('_'))
        };
        UNITS
            .iter()
            .find(|(end, _)| ends(end))
            .map(|(_, unit)| *unit)
    };
    let Some((last, outer)) = path.split_last() else {
        return other;
    };
    if SIDES.contains(&last.as_str()) {
        return unit_of(outer, other);
    }
    // Frames of some kind, and not the number of one.
    let of = outer.last().and_then(known);
    let of = of.filter(|unit| *unit == "frames" && !last.ends_with("frame"));
    known(last).or(of).unwrap_or(other)
}

/// Where a value stands.
#[derive(Clone, Copy)]
enum CellPlace {
    Field,
    /// In a list, at this place counted from 1.
    Entry(usize),
}

struct FlatValue<'r, 'w, W> {
    rows: &'r mut FlatRows<'w, W>,
    place: CellPlace,
}

impl<'de, W: Write> DeserializeSeed<'de> for FlatValue<'_, '_, W> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, value: D) -> Result<(), D::Error> {
        value.deserialize_any(self)
    }
}

impl<W: Write> FlatValue<'_, '_, W> {
    /// A value that is no list and has no fields.
    fn plain<E: serde::de::Error>(self, unit: Option<&str>, value: &str) -> Result<(), E> {
        let Self { rows, place } = self;
        if let CellPlace::Entry(n) = place {
            rows.path.push(n.to_string());
        }
        // In a list the key of the list has the unit.
        let unit = unit.or_else(|| match (place, rows.path.split_last()) {
            (CellPlace::Entry(_), Some((_, list))) => Some(unit_of(list, "count")),
            _ => None,
        });
        let written = rows.row(unit, value);
        if let CellPlace::Entry(_) = place {
            rows.path.pop();
        }
        written
    }
}

impl<'de, W: Write> Visitor<'de> for FlatValue<'_, '_, W> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E: serde::de::Error>(self, value: bool) -> Result<(), E> {
        self.plain(Some("bool"), if value { "true" } else { "false" })
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<(), E> {
        self.plain(None, &value.to_string())
    }

    fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<(), E> {
        self.plain(None, &value.to_string())
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<(), E> {
        // As JSON writes it.
        let number = serde_json::Number::from_f64(value);
        let unit = unit_of(&self.rows.path, "ratio");
        self.plain(
            Some(unit),
            &number.map_or_else(String::new, |n| n.to_string()),
        )
    }

    fn visit_str<E: serde::de::Error>(self, value: &str) -> Result<(), E> {
        self.plain(Some("text"), value)
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<(), E> {
        self.plain(Some(""), "")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        let mut n = 1;
        while entries
            .next_element_seed(FlatValue {
                rows: &mut *self.rows,
                place: CellPlace::Entry(n),
            })?
            .is_some()
        {
            n += 1;
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<(), A::Error> {
        let Self { rows, place } = self;
        let outer = (rows.objects.len(), rows.figure);
        // What an entry begins with are its names; until then it has none.
        let mut names = match place {
            CellPlace::Field => None,
            CellPlace::Entry(_) => Some(Vec::new()),
        };
        while let Some(key) = fields.next_key::<String>()? {
            if let Some(known) = &mut names {
                if NAMES.contains(&key.as_str()) {
                    known.extend(fields.next_value::<Option<String>>()?);
                    continue;
                }
                let known = names.take().unwrap_or_default();
                rows.enter(place, known);
            }
            rows.path.push(key);
            let value = FlatValue {
                rows: &mut *rows,
                place: CellPlace::Field,
            };
            fields.next_value_seed(value)?;
            rows.path.pop();
        }
        if let Some(known) = names {
            // It is nothing but names.
            let text = known.join(" ");
            rows.enter(place, known);
            rows.row(Some("text"), &text)?;
        }
        rows.objects.truncate(outer.0);
        rows.figure = outer.1;
        Ok(())
    }
}

impl<W: Write> FlatRows<'_, W> {
    /// The values that follow are those of a list entry with these names.
    fn enter(&mut self, place: CellPlace, names: Vec<String>) {
        let lists = self.path.get(self.figure..).unwrap_or_default().join(".");
        let name = match place {
            CellPlace::Entry(n) if names.is_empty() => n.to_string(),
            _ => names.join(" "),
        };
        let name = match lists.as_str() {
            "" => name,
            lists => format!("{lists} / {name}"),
        };
        self.call(name);
        self.figure = self.path.len();
    }
}

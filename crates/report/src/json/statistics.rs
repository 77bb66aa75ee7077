//! Statistics that show themselves.

use crate::document::documents;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use wirewait_analysis::{Cell, Column};

documents! {
    /// A statistic.
    pub(super) struct Statistic<'a> of statistic: &'a wirewait_analysis::Statistic {
        /// Its name.
        name: &'static str,
        /// Its title.
        title: &'static str,
        /// What it is about, in words.
        about: &'static str,
        /// Requests that stand in no row, because nothing is kept of their client.
        requests_without_row: u64 = statistic.without_row,
        /// Each with the same names, units in them.
        #[cfg_attr(
            test,
            schemars(with = "Vec<std::collections::BTreeMap<String, Option<StatisticValue>>>")
        )]
        rows: Vec<StatisticRow<'a>> =
            statistic.rows.iter().map(|row| StatisticRow(statistic.columns, row)).collect(),
    }
}

/// A row, as the names of its columns and what stands there.
struct StatisticRow<'a>(&'static [Column], &'a [Cell]);

/// What may stand in a row.
#[derive(Serialize)]
#[serde(untagged)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
enum StatisticValue {
    Text(String),
    Count(u64),
    Signed(i64),
}

impl Serialize for StatisticRow<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(columns, cells) = self;
        let mut row = serializer.serialize_map(Some(columns.len()))?;
        for (column, cell) in columns.iter().zip(*cells) {
            row.serialize_entry(column.name, &value(cell))?;
        }
        row.end()
    }
}

fn value(cell: &Cell) -> Option<StatisticValue> {
    match cell {
        Cell::Station(station) => Some(StatisticValue::Text(station.to_string())),
        Cell::Count(n) | Cell::Bytes(n) => Some(StatisticValue::Count(*n)),
        Cell::Time(ns) => Some(StatisticValue::Signed(*ns)),
        Cell::Nothing => None,
    }
}

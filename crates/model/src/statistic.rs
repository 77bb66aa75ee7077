//! A statistic as a table that every output shows in its own way.

use wirewait_wire::Endpoint;

/// A table of figures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statistic {
    /// Its name for programs (`request_size`).
    pub name: &'static str,
    /// Its heading for people.
    pub title: &'static str,
    /// What is counted, and what is not, in a sentence.
    pub about: &'static str,
    /// Its columns; the first one names the row.
    pub columns: &'static [Column],
    /// Its rows, the most important first, with a cell for each column.
    pub rows: Vec<Vec<Cell>>,
    /// Requests that stand in no row, because nothing is kept of their client.
    pub without_row: u64,
}

/// A column of a [`Statistic`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name for programs, with its unit (`median_bytes`).
    pub name: &'static str,
    /// Its heading for people.
    pub title: &'static str,
    /// Whether it is a percentile, which means little where frames were lost.
    pub percentile: bool,
}

impl Column {
    /// A column with these names.
    #[must_use]
    pub const fn new(name: &'static str, title: &'static str) -> Self {
        Self {
            name,
            title,
            percentile: false,
        }
    }

    /// One of percentiles.
    #[must_use]
    pub const fn percentile(name: &'static str, title: &'static str) -> Self {
        Self {
            percentile: true,
            ..Self::new(name, title)
        }
    }
}

/// What stands in a row of a [`Statistic`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cell {
    /// A station.
    Station(Endpoint),
    /// How many.
    Count(u64),
    /// How many bytes.
    Bytes(u64),
    /// How long, ns.
    Time(i64),
    /// There is none.
    Nothing,
}

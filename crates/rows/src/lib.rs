//! Rows as files of columns: Parquet and Arrow.
//!
//! A [`Rows`] takes one row of a [`Table`] after the other, keeps a batch of [`BATCH`] of them, and
//! gives the bytes of the file as they are ready ([`Rows::take`]); [`Rows::finish`] writes its
//! footer. Memory depends on the width of the rows alone: a row group of a Parquet file ends after
//! [`ROW_GROUP`] rows or [`ROW_GROUP_BYTES`] bytes.
//!
//! Columns are those of the table, with the names and values of NDJSON and CSV.

#![forbid(unsafe_code)]

mod column;
mod file;
mod pandas;

pub use file::{BATCH, Format, ROW_GROUP, ROW_GROUP_BYTES, Rows, RowsError};
pub use wirewait_report::rows::Table;

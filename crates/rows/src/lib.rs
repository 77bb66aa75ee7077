//! Rows as files of columns: Parquet and Arrow; and as batches of columns in memory.
//!
//! A [`RowsFile`] takes one row of a [`RowTable`] after the other, keeps a batch of [`BATCH`] of them, and
//! gives the bytes of the file as they are ready ([`RowsFile::take`]); [`RowsFile::finish`] writes its
//! footer. Memory depends on the width of the rows alone: a row group of a Parquet file ends after
//! [`ROW_GROUP`] rows or [`ROW_GROUP_BYTES`] bytes.
//!
//! [`Batches`] are the same columns without a file, for programs that take Arrow's record batches.
//!
//! Columns are those of the table, with the names and values of NDJSON and CSV.

#![forbid(unsafe_code)]

mod batches;
mod column;
mod file;
mod pandas;

pub use batches::{BATCH, Batches};
pub use file::{Format, ROW_GROUP, ROW_GROUP_BYTES, RowsError, RowsFile};
pub use wirewait_report::rows::RowTable;

//! Rows as batches of columns in memory.

use crate::RowsError;
use crate::column::{self, Builder};
use crate::pandas;
use arrow_array::RecordBatch;
use arrow_schema::{Schema, SchemaRef};
use std::collections::HashMap;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use wirewait_report::rows::{RowTable, Text};

/// Rows that are put into columns at once.
pub const BATCH: usize = 4096;

/// Rows of a table on their way into columns: at most [`BATCH`] of them are held.
pub struct Batches<T> {
    table: PhantomData<fn(T)>,
    builders: Vec<Builder>,
    /// Rows in the builders.
    held: usize,
    schema: SchemaRef,
    scratch: Text,
}

impl<T> fmt::Debug for Batches<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Batches")
            .field("schema", &self.schema)
            .field("held", &self.held)
            .finish_non_exhaustive()
    }
}

impl<T: RowTable> Batches<T> {
    /// No rows yet. `metadata` are names and values for the metadata of the schema, beside the
    /// version of the table (`wirewait.schema`).
    #[must_use]
    pub fn new(metadata: &[(&str, String)]) -> Self {
        let fields: Vec<_> = T::COLUMNS.iter().map(column::field).collect();
        let own = [
            ("wirewait.schema", T::SCHEMA.to_owned()),
            (pandas::KEY, pandas::metadata(&fields)),
        ];
        let metadata = own.iter().chain(metadata);
        let metadata: HashMap<_, _> = metadata
            .map(|(name, value)| ((*name).to_owned(), value.clone()))
            .collect();
        Self {
            table: PhantomData,
            builders: T::COLUMNS.iter().map(Builder::of).collect(),
            held: 0,
            schema: Arc::new(Schema::new(fields).with_metadata(metadata)),
            scratch: Text::default(),
        }
    }

    /// Columns and metadata.
    #[must_use]
    pub fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    /// Adds a row. Gives a batch when it is full.
    ///
    /// # Errors
    /// When the library refuses the columns.
    pub fn add(&mut self, row: &T::Row<'_>) -> Result<Option<RecordBatch>, RowsError> {
        for (column, builder) in T::COLUMNS.iter().zip(&mut self.builders) {
            builder.add(column, row, &mut self.scratch);
        }
        self.held += 1;
        match self.held < BATCH {
            true => Ok(None),
            false => self.rest(),
        }
    }

    /// The rows that are held, if there are any.
    ///
    /// # Errors
    /// As [`Batches::add`].
    pub fn rest(&mut self) -> Result<Option<RecordBatch>, RowsError> {
        if self.held == 0 {
            return Ok(None);
        }
        let columns = self.builders.iter_mut().map(Builder::finish).collect();
        self.held = 0;
        Ok(Some(RecordBatch::try_new(self.schema(), columns)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;
    use wirewait_report::counters::Counters;
    use wirewait_report::decode::FrameRows;
    use wirewait_report::transactions::Transactions;

    /// Columns of a version are a promise: those in `columns/` stay, with name, type and place. Of
    /// a table that has more, `WIREWAIT_BLESS=1` adds the new ones at the end of the file.
    fn only_grows<T: RowTable>() {
        let schema = Batches::<T>::new(&[]).schema();
        let fields = schema.fields().iter();
        let columns: Vec<_> = fields
            .map(|field| format!("{} {}", field.name(), field.data_type()))
            .collect();
        let name = format!("{}.txt", T::SCHEMA.replace('/', "."));
        let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "columns", &name]
            .iter()
            .collect();
        let promised = std::fs::read_to_string(&path).unwrap_or_default();
        let promised: Vec<_> = promised.lines().collect();
        let kept = columns.get(..promised.len());
        assert_eq!(
            kept,
            Some(promised.iter().map(ToString::to_string).collect::<Vec<_>>()).as_deref(),
            "{}: a change of columns needs a new version",
            T::SCHEMA
        );
        if std::env::var_os("WIREWAIT_BLESS").is_some_and(|v| v == "1") {
            std::fs::write(&path, columns.join("\n") + "\n").unwrap();
        } else {
            assert_eq!(columns.len(), promised.len(), "{}: bless it", T::SCHEMA);
        }
    }

    #[test]
    fn columns_of_a_version_stay() {
        only_grows::<Transactions>();
        only_grows::<FrameRows>();
        only_grows::<Counters>();
    }
}

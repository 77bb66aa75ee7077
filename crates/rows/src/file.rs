//! Files of columns, written batch by batch.

use crate::Batches;
use arrow_array::RecordBatch;
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions};
use arrow_schema::ArrowError;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use std::fmt;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};
use wirewait_report::rows::RowTable;

/// Rows of a row group of a Parquet file at most.
pub const ROW_GROUP: usize = 1 << 17;

/// Bytes that a row group may hold in memory before it is written, even if it has fewer rows.
pub const ROW_GROUP_BYTES: usize = 1 << 25;

/// The format of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Apache Parquet, pages compressed with zstd.
    Parquet,
    /// Apache Arrow's file format (Feather version 2), buffers compressed with zstd.
    Arrow,
}

/// Why rows could not be written.
#[derive(Debug)]
pub struct RowsError(String);

impl fmt::Display for RowsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for RowsError {}

impl From<ArrowError> for RowsError {
    fn from(error: ArrowError) -> Self {
        Self(error.to_string())
    }
}

impl From<ParquetError> for RowsError {
    fn from(error: ParquetError) -> Self {
        Self(error.to_string())
    }
}

/// A file of rows of a table, as it is written.
pub struct RowsFile<T> {
    batches: Batches<T>,
    file: File,
    bytes: Bytes,
}

/// The writers of the libraries take their output for themselves; it is drained from behind.
enum File {
    Parquet(Box<ArrowWriter<Bytes>>),
    Arrow(Box<FileWriter<Bytes>>),
}

impl<T> fmt::Debug for RowsFile<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RowsFile")
            .field("batches", &self.batches)
            .finish_non_exhaustive()
    }
}

impl<T: RowTable> RowsFile<T> {
    /// Begins a file. `metadata` are names and values for the metadata of the file, beside the
    /// version of the schema (`wirewait.schema`).
    ///
    /// # Errors
    /// When the libraries refuse the columns.
    pub fn new(format: Format, metadata: &[(&str, String)]) -> Result<Self, RowsError> {
        let batches = Batches::<T>::new(metadata);
        // Its metadata stand also within Parquet's schema of Arrow: what reads the file as Arrow
        // looks nowhere else.
        let schema = batches.schema();
        let bytes = Bytes::default();
        let file = match format {
            Format::Parquet => {
                let mut metadata: Vec<_> = schema.metadata().iter().collect();
                metadata.sort_unstable();
                let metadata = metadata.into_iter();
                let metadata = metadata.map(|(name, value)| named(name, value));
                let properties = WriterProperties::builder()
                    .set_compression(Compression::ZSTD(ZstdLevel::default()))
                    .set_max_row_group_row_count(Some(ROW_GROUP))
                    // Those of pages would make the footer larger than it helps.
                    .set_statistics_enabled(EnabledStatistics::Chunk)
                    .set_offset_index_disabled(true)
                    .set_created_by(concat!("wirewait ", env!("CARGO_PKG_VERSION")).to_owned())
                    .set_key_value_metadata(Some(metadata.collect()))
                    .build();
                let writer =
                    ArrowWriter::try_new(bytes.clone(), Arc::clone(&schema), Some(properties))?;
                File::Parquet(Box::new(writer))
            }
            Format::Arrow => {
                let options =
                    IpcWriteOptions::default().try_with_compression(Some(CompressionType::ZSTD))?;
                let writer = FileWriter::try_new_with_options(bytes.clone(), &schema, options)?;
                File::Arrow(Box::new(writer))
            }
        };
        Ok(Self {
            batches,
            file,
            bytes,
        })
    }

    /// Adds a row.
    ///
    /// # Errors
    /// When the libraries cannot write a batch.
    pub fn add(&mut self, row: &T::Row<'_>) -> Result<(), RowsError> {
        match self.batches.add(row)? {
            Some(batch) => self.file.write(&batch),
            None => Ok(()),
        }
    }

    /// The bytes of the file that are ready and were not taken yet.
    #[must_use]
    pub fn take(&mut self) -> Vec<u8> {
        self.bytes.take()
    }

    /// Writes what is held and the footer, and gives the last bytes of the file. `metadata` is
    /// added to that of the beginning, where the format allows it (Parquet).
    ///
    /// # Errors
    /// When the libraries cannot write it.
    pub fn finish(mut self, metadata: &[(&str, String)]) -> Result<Vec<u8>, RowsError> {
        if let Some(batch) = self.batches.rest()? {
            self.file.write(&batch)?;
        }
        match self.file {
            File::Parquet(mut writer) => {
                for (name, value) in metadata {
                    writer.append_key_value_metadata(named(name, value));
                }
                writer.close()?;
            }
            File::Arrow(mut writer) => writer.finish()?,
        }
        Ok(self.bytes.take())
    }
}

impl File {
    fn write(&mut self, batch: &RecordBatch) -> Result<(), RowsError> {
        match self {
            Self::Parquet(writer) => {
                writer.write(batch)?;
                if writer.in_progress_size() > ROW_GROUP_BYTES {
                    writer.flush()?;
                }
            }
            Self::Arrow(writer) => writer.write(batch)?,
        }
        Ok(())
    }
}

fn named(name: &str, value: &str) -> KeyValue {
    KeyValue::new(name.to_owned(), value.to_owned())
}

/// What was written and not taken yet.
#[derive(Clone, Default)]
struct Bytes(Arc<Mutex<Vec<u8>>>);

impl Bytes {
    fn take(&self) -> Vec<u8> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Write for Bytes {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        held.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

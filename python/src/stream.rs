//! Batches that a thread makes while another one takes them.

use crate::failure::Failure;
use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{Builder, JoinHandle};
use wirewait_rows::{Batches, RowTable};

/// Batches that wait to be taken, at most.
const WAITING: usize = 2;

type Made = Result<RecordBatch, ArrowError>;

/// Where a thread puts its rows.
pub(crate) struct Outbox<T> {
    batches: Batches<T>,
    to: SyncSender<Made>,
}

impl<T: RowTable> Outbox<T> {
    /// Adds a row.
    ///
    /// # Errors
    /// [`Failure::Gone`] when nobody takes it.
    pub(crate) fn add(&mut self, row: &T::Row<'_>) -> Result<(), Failure> {
        match self.batches.add(row)? {
            Some(batch) => self.to.send(Ok(batch)).map_err(|_| Failure::Gone),
            None => Ok(()),
        }
    }

    fn finish(mut self, worked: Result<(), Failure>) {
        let rest = worked.and_then(|()| Ok(self.batches.rest()?));
        let last = match rest {
            Ok(None) | Err(Failure::Gone) => return,
            Ok(Some(batch)) => Ok(batch),
            Err(failure) => Err(ArrowError::ExternalError(Box::new(failure))),
        };
        // Nobody may want it.
        let _ = self.to.send(last);
    }
}

/// The batches of a thread, as they come.
pub(crate) struct Stream {
    schema: SchemaRef,
    from: Receiver<Made>,
    worker: Option<JoinHandle<()>>,
}

impl Stream {
    /// Starts a thread that puts rows into the outbox.
    ///
    /// # Errors
    /// When the system starts no thread.
    pub(crate) fn of<T: RowTable + 'static>(
        batches: Batches<T>,
        work: impl FnOnce(&mut Outbox<T>) -> Result<(), Failure> + Send + 'static,
    ) -> Result<Self, Failure> {
        let (to, from) = sync_channel(WAITING);
        let schema = batches.schema();
        let worker = Builder::new()
            .name("wirewait-rows".to_owned())
            .spawn(move || {
                let mut outbox = Outbox { batches, to };
                let worked = work(&mut outbox);
                outbox.finish(worked);
            })
            .map_err(|error| Failure::Internal(format!("no thread can be started: {error}")))?;
        Ok(Self {
            schema,
            from,
            worker: Some(worker),
        })
    }
}

impl Iterator for Stream {
    type Item = Made;

    fn next(&mut self) -> Option<Made> {
        if let Ok(made) = self.from.recv() {
            return Some(made);
        }
        // A thread that failed is not to pass for the end of the rows.
        let ended = self.worker.take()?.join();
        ended.err().map(|_| {
            let text = "the analysis failed; please report this";
            Err(ArrowError::ExternalError(text.into()))
        })
    }
}

impl RecordBatchReader for Stream {
    fn schema(&self) -> SchemaRef {
        SchemaRef::clone(&self.schema)
    }
}

//! Transactions as Arrow's record batches while a capture is read, without a file between: the
//! slowest requests, for example, or whatever else an engine of columns computes.
//! `cargo run --example rows_to_arrow FILE...`

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, RecordBatch};
use std::error::Error;
use std::path::PathBuf;
use wirewait::{Engine, Settings};
use wirewait_capture::{Options, open};
use wirewait_report::transactions::{ColumnEntry, Transactions};
use wirewait_rows::Batches;

fn main() -> Result<(), Box<dyn Error>> {
    let files: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    for batch in batches(&files)? {
        let slowest = longest(&batch).map_or_else(
            || "none answered".to_owned(),
            |(ns, command)| format!("{command} in {ns} ns"),
        );
        println!("{} transactions, slowest: {slowest}", batch.num_rows());
    }
    Ok(())
}

/// All of a capture. A program that has no use for all of them at once sends each batch on when it
/// is full.
pub(crate) fn batches(files: &[PathBuf]) -> Result<Vec<RecordBatch>, Box<dyn Error>> {
    let mut rows = Batches::<Transactions>::new(&[]);
    let mut full = Vec::new();
    let source = open(files, &Options::default())?;
    for transaction in Engine::new(source, Settings::default()).transactions() {
        let row = ColumnEntry {
            // Damage to the capture ends this program; a loop that goes on finds what is behind it.
            transaction: &transaction?,
            // Programs that read several files say here which of them has it.
            origin: None,
        };
        full.extend(rows.add(&row)?);
    }
    full.extend(rows.rest()?);
    Ok(full)
}

/// The longest turnaround of a batch, and its command. Names of columns are those of NDJSON.
pub(crate) fn longest(batch: &RecordBatch) -> Option<(i64, String)> {
    let turnarounds = batch
        .column_by_name("turnaround_ns")?
        .as_primitive_opt::<Int64Type>()?;
    let commands = batch.column_by_name("command")?.as_string_opt::<i32>()?;
    let rows = (0..batch.num_rows()).filter(|row| turnarounds.is_valid(*row));
    let slowest = rows.max_by_key(|row| turnarounds.value(*row))?;
    Some((
        turnarounds.value(slowest),
        commands.value(slowest).to_owned(),
    ))
}

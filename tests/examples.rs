//! The examples of the library say what the program says.

use crate::support::{program, root};
use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use serde_json::Value;
use wirewait::model::Cell;
use wirewait::{Engine, Settings, Sink, Transaction, analyse};

#[path = "../crates/wirewait/examples/live_loop.rs"]
#[allow(dead_code)]
mod live_loop;
#[path = "../crates/wirewait/examples/own_collector.rs"]
#[allow(dead_code)]
mod own_collector;
#[path = "../crates/wirewait/examples/own_protocol.rs"]
#[allow(dead_code)]
mod own_protocol;
#[path = "../crates/rows/examples/rows_to_arrow.rs"]
#[allow(dead_code)]
mod rows_to_arrow;
#[path = "../crates/wirewait/examples/verdict.rs"]
#[allow(dead_code)]
mod verdict;

/// What the program writes of the shipped capture.
fn written(command: &str, format: &str) -> Vec<u8> {
    let demo = root().join("captures/demo.pcapng");
    let mut program = program();
    let written = program.args([command, "--format", format]).arg(demo);
    written.output().unwrap().stdout
}

fn report() -> Value {
    serde_json::from_slice(&written("report", "json")).unwrap()
}

#[test]
fn the_verdict_of_a_file() {
    let lines = verdict::verdict(&[root().join("captures/demo.pcapng")]).unwrap();
    let report = report();
    let said = &report["verdict"];
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let mut expected = vec![format!(
        "{} of {} ns active",
        text(&said["culprit"]),
        said["active_ns"]
    )];
    for culprit in ["client", "network", "server"] {
        let share = &said["shares"][culprit];
        expected.push(format!(
            "{culprit}: {} to {} thousandths",
            share["low_per_mille"], share["high_per_mille"]
        ));
    }
    let found = report["symptoms"]["found"].as_array().unwrap();
    let raised = found.iter().filter(|one| one["state"] == "raised");
    expected.extend(raised.map(|one| format!("{}: {} ns lost", text(&one["id"]), one["cost_ns"])));
    assert_eq!(lines, expected);
    assert!(lines.len() > 6, "{lines:?}");
}

#[test]
fn a_loop_over_frames_that_come_in() {
    let lines = live_loop::live_loop(&[root().join("captures/demo.pcapng")]).unwrap();
    let report = report();
    let rows = written("transactions", "ndjson");
    let rows = rows.iter().filter(|byte| **byte == b'\n').count();
    // A look every ten of 82 seconds, and one at the end.
    assert_eq!(lines.len(), 9, "{lines:?}");
    let last = format!(
        "{} frames, {rows} transactions: {}",
        report["capture"]["frames"],
        report["verdict"]["culprit"].as_str().unwrap()
    );
    assert_eq!(lines.last(), Some(&last), "{lines:?}");
}

/// Two requests that cross: each response is that of its own number. A third is not answered.
#[test]
fn a_protocol_of_ones_own() {
    assert_eq!(
        own_protocol::pairs(),
        [
            "time_service TIME: Answered in Some(7000000) ns",
            "time_service TIME: Answered in Some(4000000) ns",
            "time_service TIME: Unanswered in None ns",
        ]
    );
}

/// By client, as the rows of its transactions count.
#[test]
fn a_statistic_of_ones_own() {
    let statistic = own_collector::readers(&[root().join("captures/demo.pcapng")]).unwrap();
    let rows = String::from_utf8(written("transactions", "ndjson")).unwrap();
    let rows: Vec<Value> = rows
        .lines()
        .map(|row| serde_json::from_str(row).unwrap())
        .collect();
    let (mut requests, mut reads) = (0, 0);
    for row in &statistic.rows {
        let [Cell::Station(client), Cell::Count(all), Cell::Count(read)] = &row[..] else {
            panic!("{row:?}");
        };
        let client = client.to_string();
        let of = |row: &&Value| row["client"].as_str().unwrap().starts_with(&client);
        let its = rows.iter().filter(of);
        let reading = its.clone().filter(|row| row["kind"] == "read").count();
        assert_eq!(
            (its.count(), reading),
            (*all as usize, *read as usize),
            "{client}"
        );
        requests += all;
        reads += read;
    }
    assert_eq!((requests, statistic.rows.len()), (1039, 5));
    assert!(reads > 900, "{reads}");
}

/// Batches hold the rows that the program writes, in their order.
#[test]
fn rows_to_arrow() {
    let batches = rows_to_arrow::batches(&[root().join("captures/demo.pcapng")]).unwrap();
    let rows = String::from_utf8(written("transactions", "ndjson")).unwrap();
    let rows: Vec<Value> = rows
        .lines()
        .map(|row| serde_json::from_str(row).unwrap())
        .collect();
    let all: usize = batches.iter().map(RecordBatch::num_rows).sum();
    assert_eq!((all, rows.len()), (1039, 1039));
    let turnarounds = batches.iter().flat_map(|batch| {
        let column = batch.column_by_name("turnaround_ns").unwrap();
        column.as_primitive::<Int64Type>().iter()
    });
    let expected = rows.iter().map(|row| row["turnaround_ns"].as_i64());
    assert!(turnarounds.eq(expected));
    let slowest = batches.iter().filter_map(rows_to_arrow::longest).max();
    let expected = rows.iter().filter_map(|row| {
        let command = row["command"].as_str().unwrap().to_owned();
        Some((row["turnaround_ns"].as_i64()?, command))
    });
    assert_eq!(slowest, expected.max());
}

/// A loop over transactions gets those that a sink gets, and leaves the figures of `analyse`.
#[test]
fn transactions_one_after_the_other() {
    let files = [root().join("captures/demo.pcapng")];
    let source = || wirewait_capture::open(&files, &wirewait_capture::Options::default()).unwrap();
    let mut sink = Kept::default();
    let whole = analyse(source(), Settings::default(), &mut sink, |_| ()).unwrap();
    let mut transactions = Engine::new(source(), Settings::default()).transactions();
    let mut kept = Kept::default();
    for transaction in &mut transactions {
        kept.transaction(&transaction.unwrap());
    }
    assert_eq!((kept.0.len(), &kept.0), (1039, &sink.0));
    let (snapshot, _) = transactions.finish();
    assert_eq!(format!("{snapshot:?}"), format!("{whole:?}"));
    // Half of them: what the others wait for is closed by the end.
    let mut transactions = Engine::new(source(), Settings::default()).transactions();
    assert!(transactions.by_ref().take(500).all(|item| item.is_ok()));
    assert!(transactions.finish().0.capture.frames > 500);
}

#[derive(Default)]
struct Kept(Vec<String>);

impl Sink for Kept {
    fn transaction(&mut self, transaction: &Transaction) {
        self.0.push(format!("{transaction:?}"));
    }
}

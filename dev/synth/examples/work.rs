//! What the programs of a scenario's stations measured, without any analyser:
//! `cargo run -p wirewait-synth --example work -- FILE.scenario [--calls]`; with `--calls` each
//! request has a line.

use std::collections::BTreeMap;
use std::process::ExitCode;
use wirewait_synth::Scenario;
use wirewait_synth::scenario::Call;

fn main() -> ExitCode {
    let Some(file) = std::env::args().nth(1) else {
        eprintln!("usage: work FILE.scenario");
        return ExitCode::FAILURE;
    };
    let text = std::fs::read_to_string(&file).map_err(|error| format!("{file}: {error}"));
    let scenario =
        text.and_then(|text| Scenario::parse(&file, &text).map_err(|error| error.to_string()));
    match scenario {
        Ok(scenario) => {
            println!("{} frames", scenario.frames().len());
            let mut stations: BTreeMap<&str, Vec<&Call>> = BTreeMap::new();
            for call in scenario.calls().iter().filter(|call| call.verb != "open") {
                stations.entry(&call.station).or_default().push(call);
            }
            if std::env::args().nth(2).as_deref() == Some("--calls") {
                list(scenario.calls());
            }
            row("all", stations.values().flatten().copied());
            for (name, calls) in &stations {
                row(name, calls.iter().copied());
            }
            ExitCode::SUCCESS
        }
        Err(what) => {
            eprintln!("work: {what}");
            ExitCode::FAILURE
        }
    }
}

/// One line for each request: station, verb, record, bytes, asked, answered (nanoseconds),
/// copies, failed.
fn list(calls: &[Call]) {
    for call in calls {
        println!(
            "call {} {} {} {} {} {} {} {}",
            call.station,
            call.verb,
            call.record,
            call.bytes,
            call.asked.as_nanos(),
            call.answered.map_or(0, wirewait_wire::Timestamp::as_nanos),
            call.copies,
            call.failed
        );
    }
}

fn row<'a>(name: &str, calls: impl Iterator<Item = &'a Call> + Clone) {
    let answered = |call: &Call| Some(call.answered?.as_nanos());
    let (Some(first), Some(last)) = (
        calls.clone().map(|call| call.asked.as_nanos()).min(),
        calls.clone().filter_map(answered).max(),
    ) else {
        println!("{name}: nothing was answered");
        return;
    };
    let seconds = (last - first) as f64 / 1e9;
    let bytes: u64 = calls.clone().map(|call| call.bytes).sum();
    let (count, total) = calls
        .clone()
        .filter_map(|call| Some(answered(call)? - call.asked.as_nanos()))
        .fold((0u64, 0), |(n, sum), time| (n + 1, sum + time));
    let rate = bytes as f64 / seconds;
    println!(
        "{name}: {} asked, {count} answered, {} failed, {} copies, {} interims; {bytes} bytes in \
         {seconds:.6} s: {:.4} Kbyte/s, {:.4} Mbit/s; mean response {:.6} ms",
        calls.clone().count(),
        calls.clone().filter(|call| call.failed).count(),
        calls
            .clone()
            .map(|call| u64::from(call.copies))
            .sum::<u64>(),
        calls.map(|call| u64::from(call.interims)).sum::<u64>(),
        rate / 1024.0,
        rate * 8.0 / 1e6,
        total as f64 / count as f64 / 1e6,
    );
}

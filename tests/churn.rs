//! Clients that come and go by the thousand, in tables far too small for them: what stays at
//! work keeps its figures, and what had to go is counted.

use std::collections::BTreeSet;
use wirewait::Driver;
use wirewait_analysis::{Analyzer, Settings};
use wirewait_dissectors::registry;
use wirewait_synth::Shape;
use wirewait_synth::bulk::Bulk;

#[test]
fn those_who_stay_keep_their_figures() {
    let mut settings = Settings::default();
    settings.conversations = 2_000;
    settings.rows = 600;
    settings.names = 600;
    settings.open_requests = 3_000;
    let mut driver = Driver::new(Analyzer::new(registry(), settings));
    let generator = Bulk {
        shape: Shape::Churn,
        clients: 130,
        servers: None,
        seed: 5,
    };
    let truth = generator.run(150_000, &mut |frame| driver.frame(&frame, &mut ()));
    driver.finish(&mut ());
    let found = driver.snapshot();
    assert!(
        found.capture.evicted > 500,
        "{} left",
        found.capture.evicted
    );
    let rows = found.capture.reasons.iter();
    let dropped: u64 = rows
        .filter(|r| r.name == "rows_evicted")
        .map(|r| r.count)
        .sum();
    assert!(dropped > 5_000, "{dropped} rows were dropped");
    // The two servers of those who stay, on each of three transports.
    let staying: Vec<_> = found
        .servers
        .iter()
        .filter(|row| {
            let name = row.server.to_string();
            [
                "10.2.0.0",
                "10.2.0.1",
                "02-00-00-ff-00-00",
                "02-00-00-ff-00-01",
            ]
            .contains(&&*name)
                || name.ends_with(".020000ff0000")
                || name.ends_with(".020000ff0001")
        })
        .collect();
    let servers: BTreeSet<_> = staying.iter().map(|row| row.server).collect();
    assert_eq!(servers.len(), 6);
    let sum = |of: fn(&wirewait_analysis::ServerRow) -> u64| -> u64 {
        staying.iter().map(|row| of(row)).sum()
    };
    assert_eq!(sum(|row| row.counts.requests), truth.requests);
    assert_eq!(sum(|row| row.counts.answered), truth.answered);
    assert_eq!(sum(|row| row.turnaround.n), truth.answered);
    let total: i128 = staying.iter().map(|row| row.turnaround.total).sum();
    assert_eq!(total, i128::from(truth.turnaround_sum));
    let longest = staying.iter().map(|row| row.turnaround.max).max();
    assert_eq!(longest, i64::try_from(truth.turnaround_max).ok());
}

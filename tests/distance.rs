//! How far stations are: what their transports said by themselves, frame by frame.

use crate::support::{analyse, root};
use wirewait_analysis::RoundTrip;

/// Station, samples, the shortest in nanoseconds, and its frames.
type Row<'a> = (&'a str, u64, i64, [u64; 2]);

fn rows(capture: &str) -> Vec<(String, u64, i64, [u64; 2])> {
    let found = analyse(&[root().join("captures").join(capture)]).unwrap();
    let row = |row: &RoundTrip| {
        let frames = [row.asked, row.answered];
        (
            row.station.to_string(),
            row.samples,
            row.shortest_ns,
            frames,
        )
    };
    found.snapshot.round_trips.iter().map(row).collect()
}

fn assert_rows(capture: &str, expected: &[Row<'_>]) {
    let found = rows(capture);
    let found: Vec<Row<'_>> = found
        .iter()
        .map(|(s, n, ns, f)| (&**s, *n, *ns, *f))
        .collect();
    assert_eq!(found, expected, "{capture}");
}

/// Times are those that the scenarios give to the frames, and tshark to the captures.
#[test]
fn acknowledgements_of_bursts_and_watchdogs_over_udp_show_how_far_stations_are() {
    // Of four signs of life two were asked for once.
    assert_rows(
        "ncp/watchdog-over-udp.pcapng",
        &[("10.0.0.1", 1, 12_000_000, [9, 10])],
    );
    let (server, client) = ("00000022.020000000001", "00000022.020000002201");
    assert_rows(
        "ncp/burst-acknowledged.pcapng",
        &[(server, 1, 3_000_000, [3, 4]), (client, 2, 400_000, [5, 6])],
    );
    // Of three acknowledgements one is lost before the capture, and one comes behind a repetition.
    assert_rows(
        "ncp/burst-trouble.pcapng",
        &[(client, 1, 2_000_000, [14, 15])],
    );
    // What is missing is asked for before all is acknowledged.
    assert_rows("ncp/burst-lost-fragments.pcapng", &[]);
    assert_rows("ncp/burst.pcapng", &[]);
}

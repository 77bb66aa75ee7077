//! How far stations are: what their transports said by themselves, frame by frame.

use crate::support::{analyse, root};
use wirewait_analysis::{LedgerOf, RoundTrip};

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

/// The client is 100 us away, there and back. It asks again 2 ms after each of 29 responses, and needs 1.9 ms of that
/// for itself: its kernel says so three times, and leaves the acknowledgement to the program 26 times, for 1.5 ms.
/// Where little shows what the client needs, three quarters of that count: so 0.575 ms are the way's at most,
/// and what the request is longer than an acknowledgement.
#[test]
fn what_a_program_reads_late_was_on_no_long_way() {
    let found = analyse(&[root().join("captures/tcp/late-reader.pcapng")]).unwrap();
    let mut rows = found.snapshot.ledgers.iter();
    let all = rows.find(|row| row.of == LedgerOf::Capture).unwrap();
    assert_eq!(all.ledger.client().high, 29 * 1_900_000);
    let way = all.ledger.network_in_client();
    assert_eq!(way.low, 29 * 100_000);
    let most = 26 * (575_000 + 75_000) + 3 * 125_000;
    assert!((way.low..=most).contains(&way.high), "{}", way.high);
}

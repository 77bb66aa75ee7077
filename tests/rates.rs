//! Rates of requests count the bytes of those whose time they count, and no others.

use crate::compare::made;
use crate::support::Folder;
use crate::support::program;
use serde_json::Value;
use std::fmt::Write as _;
use wirewait_analysis::{LedgerOf, Snapshot};
use wirewait_judge::Verdict;
use wirewait_judge::compare::{By, Change, Comparison, Figure};
use wirewait_synth::Scenario;

/// Forty reads of 512 bytes, 2 ms each, one every 100 ms. With `lost`, the capture lacks the request of
/// one more, whose response brings 8,192 bytes.
fn reads(lost: bool) -> String {
    let mut text = "title rates\n\
         client C tcp 10.0.0.1:1025\n\
         server S tcp 10.0.0.9:445\n\
         0.000 repeat 40 every 0.1 {\n\
         0.000 C>S smb2 read file=1 offset=0 length=512\n\
         +0.002 S>C smb2 read data=512\n\
         }\n"
    .to_owned();
    if lost {
        text += "4.000 C>S smb2 read file=1 offset=0 length=8192 | missed=1\n\
                 +0.002 S>C smb2 read data=8192\n";
    }
    text
}

/// 20,480 bytes in 80 ms are 256,000 bytes per second; with the 8,192 of which nobody knows how long they took
/// they would be 358,400.
#[test]
fn bytes_without_a_time_make_no_row_faster() {
    let (whole, lossy) = (made(&reads(false)), made(&reads(true)));
    for (snapshot, all) in [(&whole, 20_480), (&lossy, 28_672)] {
        let [row] = snapshot.servers.as_slice() else {
            panic!("{:?}", snapshot.servers)
        };
        assert_eq!(row.data_bytes, all);
        assert_eq!((row.moving_bytes, row.moving_ns), (20_480, 80_000_000));
        assert_eq!(row.throughput, Some(256_000));
        let [station] = snapshot.stations.as_slice() else {
            panic!("{:?}", snapshot.stations)
        };
        assert_eq!((station.data_bytes, station.moving_bytes), (all, 20_480));
        // A client that waits for 80 ms.
        let busy = snapshot.efficiency.together.moved.rates().busy;
        assert_eq!(busy, Some(256_000));
    }
    // The time of the 8,192 is in no account either.
    let active = |of: &Snapshot| {
        let mut rows = of.ledgers.iter();
        let row = rows.find(|row| row.of == LedgerOf::Capture);
        row.unwrap().ledger.active()
    };
    assert_eq!(active(&whole), active(&lossy));
    let result = Comparison::of(&[&whole, &lossy], None);
    for figure in [
        Figure::Throughput,
        Figure::BusyThroughput,
        Figure::ActiveThroughput,
    ] {
        let change = result.all.change(0, figure);
        assert_eq!(change, Some(Change::Thousandths(0)), "{figure:?}");
    }
    // By the clock they moved.
    let moved = result.all.change(0, Figure::DataBytes);
    assert_eq!(moved, Some(Change::Thousandths(400)));
}

/// Responses of 4,000 bytes in three segments come one every 20.0 ms, 19.6 ms of which they are on their way: 200,000 bytes per second.
/// So it is of two clients likewise, and where a client asks for two at once, of which the second waits for the first. Pauses
/// are no time of it. Where the clients have most of the time, nothing is said.
#[test]
fn a_verdict_on_the_network_says_how_fast_data_moved() {
    let of = |clients: &[&str], at_once: usize, every: usize| {
        let mut text = "title verdict\nserver S tcp 10.0.0.9:445\n".to_owned();
        for (n, client) in clients.iter().enumerate() {
            writeln!(text, "client {client} tcp 10.0.0.{}:1025", n + 1).unwrap();
        }
        let second = |us: usize| us as f64 / 1e6;
        for n in 0..40 {
            let (at, mid) = (second(n * every), n * at_once + 1);
            for client in clients {
                for one in 0..at_once {
                    let mid = mid + one;
                    writeln!(text, "{at:.6} {client}>S smb2 read length=4000 mid={mid}").unwrap();
                }
            }
            for one in 0..at_once {
                let (at, mid) = (second(n * every + one * 20_000 + 400), mid + one);
                for client in clients {
                    let data = "data=4000";
                    writeln!(
                        text,
                        "{at:.6} S>{client} smb2 read {data} mid={mid} | gap=0.0098"
                    )
                    .unwrap();
                }
            }
        }
        Verdict::on(&made(&text))
    };
    for (clients, at_once) in [(&["C"][..], 1), (&["C", "D"], 1), (&["C"], 2)] {
        let seen = of(clients, at_once, 21_000 * at_once);
        assert_eq!(seen.finding.name(), "network");
        assert_eq!(seen.bytes_per_second, Some(200_000));
        let said = wirewait_report::words::sentence(&seen);
        assert!(said.contains("for SMB2 READ there (at 200 kB/s)"), "{said}");
    }
    let seen = of(&["C"], 1, 100_000);
    assert_eq!(seen.finding.name(), "client_or_network");
    assert_eq!(seen.bytes_per_second, None);
}

/// A curve of the load counts requests whose whole life lies in a steady stretch. 60 reads of 1,000 bytes
/// and 5 ms of one client, and of a second one those that begin and end in the middle: while both come and go, nothing is steady.
#[test]
fn rates_by_load_are_those_of_whole_requests() {
    let mut text = "title load\nclient C tcp 10.0.0.1:1025\nclient D tcp 10.0.0.2:1025\n\
         server S tcp 10.0.0.9:445\n"
        .to_owned();
    for n in 0..60 {
        let at = n as f64 * 0.1;
        writeln!(text, "{at:.3} C>S smb2 read file=1 offset=0 length=1000").unwrap();
        let answered = at + 0.005;
        // The second client begins within a read of the first one, and stays for two seconds.
        if (20..40).contains(&n) {
            let (begins, ends) = (at + 0.002, at + 0.004);
            writeln!(
                text,
                "{begins:.3} D>S smb2 read file=2 offset=0 length=1000"
            )
            .unwrap();
            writeln!(text, "{ends:.3} S>D smb2 read data=1000").unwrap();
        }
        writeln!(text, "{answered:.3} S>C smb2 read data=1000").unwrap();
    }
    let snapshot = made(&text);
    let curve = &snapshot.load.levels[0];
    let mut seen = 0;
    for row in curve.levels.iter().filter(|row| row.stations > 0) {
        let moved = row.steady.moved;
        assert!(moved.data_bytes <= row.steady.data_bytes);
        assert_eq!(moved.data_bytes, 1000 * moved.response_time.n);
        seen += u64::from(moved.data_bytes < row.steady.data_bytes);
    }
    assert!(seen > 0, "some end in another stretch than they began in");
    let result = Comparison::of(&[&snapshot, &snapshot], Some(By::Load));
    let one = result
        .groups
        .first()
        .and_then(|group| group.base())
        .unwrap();
    // 1,000 bytes in 5 ms.
    let rate = Figure::Throughput
        .of(one)
        .map(|ratio| ratio.scaled(1_000_000_000));
    assert_eq!(rate, Some(200_000), "{one:?}");
}

/// What a summary says of it is what the rows say; one of an earlier version lacks it, and all bytes stand in for it.
#[test]
fn summaries_keep_the_bytes_of_a_time() {
    let folder = Folder::new("rates");
    let scenario = Scenario::parse("made", &reads(true)).unwrap_or_else(|e| panic!("{e}"));
    let capture = folder.0.join("lossy.pcap");
    let frames: Vec<_> = scenario.frames().to_vec();
    std::fs::write(&capture, crate::support::capture_of(&frames)).unwrap();
    let sums = folder.0.join("sums.json");
    let done = program()
        .args(["report", "--short", "--summary"])
        .args([&sums, &capture])
        .output()
        .unwrap();
    assert!(done.status.success(), "{done:?}");
    let text = std::fs::read_to_string(&sums).unwrap();
    assert_eq!(text.matches("\"moving_bytes\": 20480").count(), 2, "{text}");
    let old = folder.0.join("old.json");
    std::fs::write(&old, text.replace("\"moving_bytes\": 20480, ", "")).unwrap();
    let merged = |files: &[&std::path::Path]| -> Value {
        let done = program()
            .args(["merge", "--format", "json"])
            .args(files)
            .output()
            .unwrap();
        assert!(done.status.success(), "{done:?}");
        serde_json::from_slice(&done.stdout).unwrap()
    };
    for (files, bytes) in [
        (vec![sums.as_path()], 20_480),
        (vec![old.as_path()], 28_672),
    ] {
        let sum = merged(&files);
        assert_eq!(sum["servers"][0]["moving_bytes"], bytes);
        assert_eq!(sum["servers"][0]["moving_ns"], 80_000_000);
        assert_eq!(sum["stations"][0]["moving_bytes"], bytes);
    }
}

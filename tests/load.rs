//! Service against the load: what the analysis finds is what the stations of a scenario did,
//! as computed by hand from its service times.

use crate::support::{Analysis, Run, analyse, root};
use wirewait_analysis::{LedgerOf, LoadOf, Phase, Snapshot, Times};
use wirewait_synth::Scenario;
use wirewait_wire::Kind;

fn play(text: &str) -> Analysis {
    let scenario = Scenario::parse("inline", text).unwrap();
    let mut run = Run::new();
    for frame in scenario.frames() {
        run.frame(&frame.as_frame());
    }
    run.finish()
}

fn study(name: &str) -> Snapshot {
    let path = root().join("captures/studies/bridges").join(name);
    analyse(&[path]).unwrap().snapshot
}

/// Whether it is this many nanoseconds, to one in a hundred.
fn near(found: i64, expected: i64) -> bool {
    (found - expected).abs() * 100 <= expected
}

/// The server works at two requests at once, 10 ms at each, so that it answers at most 200
/// a second. With N stations a station's turn comes every max(10 ms + way, N / 200 s); of that
/// 0.2 ms are its own. The ways are 1.08 ms and less.
///   1 and 2 stations: about 11 ms; 3: 15 - 0.2 ms; 4: 20 - 0.2 ms; 5: 25 - 0.2 ms.
/// Each moves 1,000 bytes a request, so S = N x 1000 / T, and with 5 of them 200 kB/s move.
#[test]
fn response_time_and_throughput_by_active_stations() {
    let analysis = play(
        "title five stations, one after the other\n\
         ethernet raw\n\
         link 10M\n\
         client A..E ipx 00000011.00001b020001:4003\n\
         server FS ipx 00000011.00001b0200fe:0451\n\
         service FS read=10ms workers=2\n\
         snaplen 96\n\
         0.000 A..E>FS work ops=read:1000 overlaid for=20 every=3 turn=0.2ms\n",
    );
    let load = &analysis.snapshot.load;
    assert_eq!(load.levels.len(), 1);
    let curve = &load.levels[0];
    assert_eq!((curve.of, curve.unplaced), (LoadOf::Capture, 0));
    let level = |n: u32| {
        &curve
            .levels
            .iter()
            .find(|l| l.stations == n)
            .unwrap()
            .steady
    };
    let mean = |n: u32| level(n).response_time.mean().unwrap();
    for n in 1..=5 {
        assert!(level(n).response_time.n > 200, "{n} stations");
        assert!(level(n).ns > 2_900_000_000, "{n} stations");
    }
    assert!(
        mean(1) > 10_000_000 && mean(2) < 11_500_000,
        "{} {}",
        mean(1),
        mean(2)
    );
    for (n, expected) in [(3, 14_800_000), (4, 19_800_000), (5, 24_800_000)] {
        assert!(near(mean(n), expected), "{n} stations: {}", mean(n));
    }
    let five = level(5);
    assert!(near(five.throughput().unwrap() as i64, 200_000));
    assert!(near(five.transactions().unwrap() as i64, 200_000));
    // Without the stations' own pauses, 0.2 ms in 25 ms.
    let s = five.reads.closed_loop(5).unwrap() as i64;
    assert!(near(s, 200_000 * 250 / 248), "{s}");
    let knee = curve.knee.unwrap();
    assert_eq!((knee.flat_to, knee.stations), (2, 3));
    // The wire has room: 200 requests of 88 bytes and answers of 1,078 with preamble and gap
    // are 1.9 of 10 Mbit/s.
    let wire = knee.wire_bytes_per_second.unwrap() * 8;
    assert!((1_500_000..2_200_000).contains(&wire), "{wire}");
    let total: u64 = curve.levels.iter().map(|l| l.steady.ns + l.ramps.ns).sum();
    assert_eq!(total, curve.elapsed_ns);
    let answered: u64 = load.timeline.buckets.iter().map(|b| b.answered).sum();
    let placed: u64 = curve
        .levels
        .iter()
        .map(|l| l.steady.answered + l.ramps.answered)
        .sum();
    assert_eq!(
        (answered, placed),
        (analysis.transactions.len() as u64, answered)
    );
}

/// Reads of some 600 bytes take 40 ms more than others; nobody says so to the analysis.
#[test]
fn a_slow_size_is_found_without_being_told_where() {
    let sizes = [100, 200, 300, 400, 500, 600, 700, 800, 900, 1000];
    let works: String = sizes
        .iter()
        .enumerate()
        .map(|(n, size)| {
            let at = n * 2;
            format!("{at}.000 A>FS work ops=read:{size} overlaid count=20 turn=1ms\n")
        })
        .collect();
    let analysis = play(&format!(
        "title one size is slow\n\
         ethernet raw\n\
         link 10M\n\
         client A ipx 00000011.00001b020001:4003\n\
         server FS ipx 00000011.00001b0200fe:0451\n\
         service FS read=5ms slow=590-610:40ms\n\
         {works}"
    ));
    let curve = &analysis.snapshot.load.sizes[0];
    assert_eq!((curve.kind, curve.sizes.len()), (Kind::Read, 10));
    let slow: Vec<u64> = curve.anomalies.iter().map(|a| a.to_bytes).collect();
    assert_eq!(slow, [600]);
    let anomaly = &curve.anomalies[0];
    assert_eq!(anomaly.next.0, 700);
    assert!(anomaly.p50_ns - anomaly.expected_ns > 35_000_000);
    for example in &anomaly.examples {
        let fits = |t: &&wirewait_analysis::Transaction| t.number == example.transaction;
        let t = analysis.transactions.iter().find(fits).unwrap();
        assert_eq!(t.asked_bytes, 600);
        assert_eq!(t.request.unwrap().first.frame, example.request_frame);
        assert_eq!(t.response.unwrap().last.frame, example.response_frame);
    }
}

/// What a bridge takes, as the scenario computes it, and each request once.
#[test]
fn a_router_seen_from_both_sides() {
    let snapshot = study("both-sides.pcapng");
    let there_and_back: Vec<(u32, u32, Times)> = snapshot
        .load
        .transits
        .iter()
        .map(|row| (row.from_interface, row.to_interface, row.transit))
        .collect();
    let [(0, 1, there), (1, 0, back)] = there_and_back[..] else {
        panic!("{there_and_back:?}");
    };
    assert_eq!((there.n, there.min, there.max), (80, 492_800, 492_800));
    assert_eq!((back.n, back.min, back.max), (80, 1_145_400, 1_145_400));
    let row = &snapshot.servers[0];
    assert_eq!((row.counts.requests, row.counts.repeated), (80, 0));
    // 5 ms, both ways over the bridge, and 578 bytes on the server's cable.
    let expected = 5_000_000 + 492_800 + 1_145_400 + 462_400;
    assert!(near(row.turnaround.mean().unwrap(), expected));
    assert_eq!(snapshot.attribution.duplicates, 160);
    // The bridge is network: it kept each of 80 requests and its response. The rest of their
    // turnarounds may still contain more of the way, as the 578 bytes do.
    let all = &snapshot
        .ledgers
        .iter()
        .find(|row| row.of == LedgerOf::Capture)
        .unwrap()
        .ledger;
    let bridge = 80 * (492_800 + 1_145_400);
    assert_eq!(all.get(Phase::Distance), bridge);
    assert_eq!(all.network().low, bridge);
    assert_eq!(all.server().high, 80 * (5_000_000 + 462_400));
    let heard: Vec<(u32, Option<u16>, Option<u16>)> = snapshot
        .load
        .routes
        .iter()
        .map(|route| (route.network, route.hops, route.ticks))
        .collect();
    assert_eq!(heard, [(0x11, Some(1), Some(2)), (0x12, Some(1), Some(2))]);
}

#[test]
fn the_limit_of_hops_is_noticed() {
    let load = study("hop-limit.pcapng").load;
    assert_eq!(load.most_hops, Some(15));
    assert!(load.at_hop_limit > 0);
    let hops: Vec<(u8, u64)> = load
        .hops
        .iter()
        .map(|row| (row.hops, row.counts.answered))
        .collect();
    // In front of the last bridge: 14 passed by the requests, and 1 by their responses. The
    // one that is given up has passed 15.
    assert_eq!(hops, [(15, 4)]);
    let gone = load
        .routes
        .iter()
        .find(|route| route.network == 0x21)
        .unwrap();
    assert_eq!((gone.hops, gone.unreachable), (None, 1));
}

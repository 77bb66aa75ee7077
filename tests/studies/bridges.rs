//! NetWare bridges in series (Jackman): PERFORM2, six stations that read 4096 bytes.
//!
//! Not asserted, because nothing of it is on the wire: the utilisation of the servers'
//! processors in table III. The 43 percent that table I prints for one bridge do not follow
//! from table III (41.3); what the capture says is asserted.

use super::{Study, assert_near, bytes_per_second, waited};
use wirewait_analysis::{Outcome, Snapshot, Transaction};
use wirewait_judge::compare::{Change, Comparison, Effect, Figure};
use wirewait_judge::{Culprit, Finding};

/// Table III, and the drop against no bridge that follows from it.
const TABLE: [(&str, &str, &str); 15] = [
    ("none", "622.92", "0.0"),
    ("external-1", "365.39", "41.3"),
    ("external-2", "295.97", "52.5"),
    ("external-3", "251.86", "59.6"),
    ("external-4", "172.52", "72.3"),
    ("external-5", "150.83", "75.8"),
    ("external-6", "119.50", "80.8"),
    ("nondedicated-1", "250.31", "59.8"),
    ("nondedicated-2", "206.72", "66.8"),
    ("internal-215-386-dedicated", "363.57", "41.6"),
    ("internal-215-386-nondedicated", "366.88", "41.1"),
    ("internal-30-dedicated", "365.20", "41.4"),
    ("internal-30-nondedicated", "364.26", "41.5"),
    ("internal-215-286-dedicated", "320.61", "48.5"),
    ("internal-215-286-nondedicated", "213.37", "65.7"),
];

/// Table I, for one to six bridges in series; the first does not follow from table III.
const TABLE_I: [(&str, &str); 6] = [
    ("external-1", "41"),
    ("external-2", "52"),
    ("external-3", "60"),
    ("external-4", "72"),
    ("external-5", "76"),
    ("external-6", "81"),
];

/// Kbyte (1024 bytes) of file data per second, from the first request's first frame to the
/// last answer's last, as `compare` has it.
fn kbyte_per_second(comparison: &Comparison, number: usize) -> f64 {
    let side = comparison.all.sides[number].as_ref().unwrap();
    let rate = Figure::WallThroughput.of(side).unwrap();
    rate.part as f64 / rate.of as f64 * 1e9 / 1024.0
}

#[test]
fn the_throughput_of_table_iii_and_the_drop_against_no_bridge() {
    let studies: Vec<Study> = TABLE
        .iter()
        .map(|(name, ..)| Study::of(&format!("bridges/{name}")))
        .collect();
    let snapshots: Vec<&Snapshot> = studies.iter().map(Study::snapshot).collect();
    let comparison = Comparison::of(&snapshots, None);
    let base = kbyte_per_second(&comparison, 0);
    for (number, (name, printed, drop)) in TABLE.iter().enumerate() {
        let rate = kbyte_per_second(&comparison, number);
        assert_eq!(format!("{rate:.2}"), *printed, "{name}");
        assert_eq!(
            format!("{:.1}", 100.0 - rate * 100.0 / base),
            *drop,
            "{name}"
        );
        // The programs measured the same; the nondedicated bridges' own program is not seen.
        let six = studies[number]
            .calls()
            .filter(|call| call.station.len() == 1);
        assert_near(name, rate, bytes_per_second(six) / 1024.0, 1e6);
        if number > 0 {
            // And as the comparison itself says it.
            let change = comparison.all.change(number - 1, Figure::WallThroughput);
            let tenths = (drop.parse::<f64>().unwrap() * 10.0).round() as i64;
            assert_eq!(change, Some(Change::Thousandths(-tenths)), "{name}");
            // Behind a bridge a request takes less time and moves half as much: that is slower.
            let verdict = &comparison.verdicts[number - 1];
            assert_eq!(verdict.effect, Effect::Slower, "{name}");
            // "This leaves only the degradation caused by the bridging device": from the stations' cable
            // that cannot be told from a slower server.
            let either = Finding::Either(Culprit::Network, Culprit::Server);
            let bridge = [Finding::Named(Culprit::Network), either].contains(&verdict.finding);
            assert!(bridge, "{name}: {:?}", verdict.finding);
            let work = verdict.work.as_ref().unwrap_or_else(|| panic!("{name}"));
            let Change::Thousandths(moved) = work.change() else {
                panic!("{name}: {:?}", work.change())
            };
            assert!((moved + tenths).abs() <= 10, "{name}: {moved} {tenths}");
        }
    }
    for (name, printed) in TABLE_I {
        let number = TABLE.iter().position(|(known, ..)| *known == name).unwrap();
        let drop = 100.0 - kbyte_per_second(&comparison, number) * 100.0 / base;
        assert_eq!(format!("{drop:.0}"), printed, "{name}");
    }
}

/// The same capture made on the server's cable.
fn beside_the_server(text: String) -> String {
    let lines = text.lines().map(|line| match line.split_once(' ') {
        Some(("segment", rest)) if rest.starts_with("STATIONS") => format!("{line} quiet"),
        Some(("segment", rest)) if rest.starts_with("BACKBONE") => line.replace(" quiet", ""),
        _ => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn a_bridge_that_is_a_workstation_too_is_slowed_down_to_30_to_60_kbyte() {
    for (name, bridges) in [("nondedicated-1", 1), ("nondedicated-2", 2)] {
        let study = Study::changed(&format!("bridges/{name}"), beside_the_server);
        let rates: Vec<f64> = study
            .snapshot()
            .stations
            .iter()
            .filter(|row| row.client.to_string().contains("00001b0200b"))
            .map(|row| row.data_bytes as f64 * 1e9 / (row.busy_ns + row.client_ns) as f64 / 1024.0)
            .collect();
        assert_eq!(rates.len(), bridges, "{name}");
        for rate in rates {
            // "Less than 10 percent of the throughput shown in the test using no bridge."
            assert!(
                (30.0..60.0).contains(&rate) && rate < 62.29,
                "{name}: {rate}"
            );
        }
    }
}

fn mean_ms<'a>(transactions: impl Iterator<Item = &'a Transaction>) -> f64 {
    let (n, sum) = transactions
        .filter_map(Transaction::response_time_ns)
        .fold((0u32, 0i64), |(n, sum), ns| (n + 1, sum + ns));
    sum as f64 / f64::from(n) / 1e6
}

#[test]
fn hops_are_told_and_response_time_grows_with_them() {
    let study = Study::of("bridges/by-hops");
    let snapshot = study.snapshot();
    let mut before = 0.0;
    for hops in 0..=6u8 {
        let with = || {
            study
                .analysis
                .transactions
                .iter()
                .filter(|t| t.hops == Some(hops))
        };
        assert_eq!(with().count(), 144, "{hops}");
        let mean = mean_ms(with());
        assert!(mean > before, "{hops}: {mean} after {before}");
        before = mean;
        // What the programs measured: 144 reads from one server after the other.
        let calls: Vec<_> = study.calls().collect();
        let phase = &calls[144 * usize::from(hops)..144 * usize::from(hops + 1)];
        let waits: i64 = phase.iter().filter_map(|call| waited(call)).sum();
        assert_near("mean", mean, waits as f64 / 144e6, 1e9);
        // And by hops, in the figures of load.
        let row = snapshot
            .load
            .hops
            .iter()
            .find(|row| row.hops == hops)
            .unwrap();
        assert_eq!(row.counts.answered, 144);
        assert_near("row", row.response_time.total as f64, waits as f64, 1e12);
        let rate = bytes_per_second(phase.iter().copied());
        assert_near("rate", row.throughput().unwrap() as f64, rate, 1e4);
    }
    assert_eq!(snapshot.load.hops.len(), 7);
}

#[test]
fn routes_as_they_are_told() {
    let study = Study::of("bridges/by-hops");
    let routes = &study.snapshot().load.routes;
    let found: Vec<_> = routes
        .iter()
        .map(|row| (row.network, row.hops, row.ticks, row.best))
        .collect();
    // NET6 is told of by two routers, and the one with fewer ticks is the best; likewise NET5.
    for (network, hops, ticks, best) in [
        (0x12, 1, 2, true),
        (0x13, 2, 3, true),
        (0x14, 3, 4, true),
        (0x15, 4, 5, true),
        (0x16, 5, 6, true),
        (0x16, 2, 13, false),
        (0x17, 6, 7, true),
        (0x17, 1, 12, false),
    ] {
        assert!(
            found.contains(&(network, Some(hops), Some(ticks), best)),
            "{network:x}: {found:?}"
        );
    }
    assert_eq!(found.len(), 8);
}

#[test]
fn a_bridges_own_time_is_seen_from_both_sides() {
    let study = Study::of("bridges/both-sides");
    let transits = &study.snapshot().load.transits;
    let row = |from: u32| {
        let row = transits.iter().find(|row| row.from_interface == from);
        row.unwrap_or_else(|| panic!("{transits:?}")).transit
    };
    // As computed in the scenario: requests towards the server, answers back.
    let (requests, answers) = (row(0), row(1));
    assert_eq!(
        (requests.n, requests.min, requests.max),
        (80, 492_800, 492_800)
    );
    assert_eq!(
        (answers.n, answers.min, answers.max),
        (80, 1_145_400, 1_145_400)
    );
    assert!(
        transits
            .iter()
            .all(|row| row.routers == 1 && row.ambiguous == 0)
    );
}

#[test]
fn sixteen_hops_are_one_too_many() {
    let study = Study::of("bridges/hop-limit");
    let snapshot = study.snapshot();
    assert_eq!(snapshot.load.most_hops, Some(15));
    // NEAR's four requests arrive with 15 hops at the server's cable, and its answers would
    // at NEAR's, which is not captured; FAR's three copies are seen with 15 in front of the
    // bridge that gives them up.
    assert_eq!(snapshot.load.at_hop_limit, 7);
    let unanswered = study.analysis.transactions.iter();
    let given_up: Vec<_> = unanswered
        .filter(|t| t.outcome == Outcome::Unanswered)
        .collect();
    assert_eq!(given_up.len(), 1);
    assert_eq!((given_up[0].copies, given_up[0].hops), (3, Some(15)));
    // Told as unreachable, and as far as can be.
    let routes = &snapshot.load.routes;
    let far = routes.iter().find(|row| row.network == 0x21).unwrap();
    assert_eq!((far.hops, far.unreachable), (None, 1));
    let near = routes.iter().find(|row| row.network == 0x10).unwrap();
    assert_eq!((near.hops, near.ticks), (Some(15), Some(16)));
}

#[test]
fn with_bridges_the_wait_is_no_longer_the_servers() {
    // Beside the clients all bridges are behind the capture, as the server is; beside the
    // server its turnaround is its own: the same with six bridges as with one.
    let turnaround = |name: &str| {
        let study = Study::changed(&format!("bridges/{name}"), beside_the_server);
        let reads = study
            .snapshot()
            .servers
            .iter()
            .find(|row| row.command.contains("READ"));
        reads.unwrap().turnaround.p50
    };
    assert_eq!(turnaround("external-6"), turnaround("external-2"));
}

//! Where the time went: the ledgers of real and made captures against their transactions.

use crate::support::{all_captures, analyse, analyse_frames, captures, files, root};
use std::collections::BTreeMap;
use std::path::PathBuf;
use wirewait_analysis::{
    Flags, Ledger, LedgerOf, LedgerRow, OperationKey, Outcome, Phase, RoundTrip, Transaction,
};
use wirewait_judge::{Culprit, Doubt, Finding, Verdict};
use wirewait_synth::Scenario;
use wirewait_wire::{Endpoint, Kind, Timestamp};

/// From when to when a client waited for it.
fn busy(t: &Transaction) -> (Timestamp, Timestamp) {
    let end = t.response.unwrap().last.at;
    let end = t.raw_end.map_or(end, |mark| mark.at.max(end));
    (t.request.unwrap().first.at, end)
}

/// Length of the union of some intervals, and from its first to its last instant.
fn union(mut intervals: Vec<(Timestamp, Timestamp)>) -> (u64, u64) {
    intervals.sort_unstable();
    let first = intervals[0].0;
    let mut reached = first;
    let mut covered = 0;
    for (from, to) in intervals {
        let from = from.max(reached);
        if to > from {
            covered += to.since(from) as u64;
            reached = to;
        }
    }
    (covered, reached.since(first) as u64)
}

/// Sums of the rows of a kind, phase by phase.
fn sum(rows: &[LedgerRow], wanted: fn(&LedgerOf) -> bool) -> Ledger {
    let mut sum = Ledger::default();
    for row in rows.iter().filter(|row| wanted(&row.of)) {
        sum.merge(&row.ledger);
    }
    sum
}

#[test]
fn ledgers_cover_what_clients_waited_for() {
    let mut paths: Vec<PathBuf> = ["ncp", "smb1", "smb2"]
        .iter()
        .flat_map(|folder| files(&root().join("captures").join(folder)))
        .filter(|path| path.extension().is_some_and(|e| e == "pcapng"))
        .collect();
    if let Some(folder) = captures("ledgers_cover_what_clients_waited_for") {
        let lab = files(&folder.join("lab"));
        paths.extend(lab.into_iter().filter(|path| {
            path.extension()
                .is_some_and(|e| e == "pcap" || e == "pcapng")
        }));
    }
    // There two addresses are one client.
    paths.retain(|path| !path.ends_with("smb2/channels.pcapng"));
    let (mut clients, mut busy_ns) = (0, 0);
    for path in paths {
        let found = analyse(std::slice::from_ref(&path)).unwrap();
        let mut of: BTreeMap<Endpoint, Option<Vec<_>>> = BTreeMap::new();
        // What a client waits for by design last is in its account, too.
        let mut waits: BTreeMap<Endpoint, Timestamp> = BTreeMap::new();
        for t in &found.transactions {
            if t.kind == Kind::Wait && t.request.is_some() {
                let end = t.response.map(|response| response.last.at);
                let end = end.or(found.snapshot.capture.last).unwrap();
                let known = waits.entry(t.client.station()).or_insert(end);
                *known = end.max(*known);
            }
            if matches!(t.kind, Kind::Wait | Kind::Break) || t.outcome == Outcome::OrphanResponse {
                continue;
            }
            let intervals = of
                .entry(t.client.station())
                .or_insert_with(|| Some(Vec::new()));
            // How long somebody waited for no answer is not said by the transaction.
            if t.response.is_none() || t.flags.contains(Flags::CLOCK_STEP) {
                *intervals = None;
            } else if let Some(intervals) = intervals {
                intervals.push(busy(t));
            }
        }
        for row in &found.snapshot.ledgers {
            let LedgerOf::Client(client) = row.of else {
                continue;
            };
            let Some(Some(intervals)) = of.get(&client) else {
                continue;
            };
            let (covered, elapsed) = union(intervals.clone());
            let first = intervals.iter().map(|(from, _)| *from).min().unwrap();
            let waited = waits.get(&client).map_or(0, |end| end.since(first));
            let elapsed = elapsed.max(u64::try_from(waited).unwrap_or(0));
            let name = format!("{}: {client}", path.display());
            assert_eq!(row.ledger.total(), elapsed, "{name}");
            assert_eq!(row.span_ns, elapsed, "{name}");
            // Time lost after an answer was complete is a client's pause otherwise.
            let waited = row.ledger.waited();
            let lost = row.ledger.get(Phase::Retransmission);
            assert!(
                (covered..=covered + lost).contains(&waited),
                "{name}: waited {waited}, covered {covered}, lost {lost}"
            );
            clients += 1;
            busy_ns += covered;
        }
    }
    assert!(clients > 40, "{clients}");
    assert!(busy_ns > 1_000_000_000, "{busy_ns}");
}

/// There is one account: its roll-ups sum to the same time, to the nanosecond and phase by phase.
#[test]
fn clients_servers_pairs_and_operations_sum_to_the_total_of_every_capture() {
    let paths = all_captures(
        "clients_servers_pairs_and_operations_sum_to_the_total_of_every_capture",
        &["real", "lab", "derived", "formats", "found"],
        4 << 20,
    );
    let (mut captures, mut of_several, mut operations) = (0, 0, 0);
    for path in paths {
        let Ok(found) = analyse(std::slice::from_ref(&path)) else {
            continue;
        };
        let rows = &found.snapshot.ledgers;
        let total = sum(rows, |of| matches!(of, LedgerOf::Capture));
        let sums = [
            sum(rows, |of| matches!(of, LedgerOf::Client(_))),
            sum(rows, |of| matches!(of, LedgerOf::Server(_))),
            sum(rows, |of| matches!(of, LedgerOf::Pair { .. })),
            sum(rows, |of| matches!(of, LedgerOf::Operation { .. })),
        ];
        assert_eq!(sums, [total; 4], "{}", path.display());
        // Each has its row in the table of operations.
        for row in rows {
            if let Some(key) = row.of.operation() {
                let mut servers = found.snapshot.servers.iter();
                let listed = servers.any(|of| OperationKey::from(of) == key);
                assert!(listed, "{}: {:?}", path.display(), row.of);
                operations += 1;
            }
        }
        captures += usize::from(total.total() > 0);
        of_several += usize::from(rows.len() > 4);
    }
    println!(
        "{captures} captures with requests, {of_several} with several clients or servers, {operations} operations"
    );
    assert!(operations > 300, "{operations}");
    assert!(captures > 40 && of_several > 10, "{captures} {of_several}");
}

/// A link that loses 3 % of its frames: what it costs is not the server's.
#[test]
fn lost_frames_are_charged_to_retransmission() {
    let Some(folder) = captures("lost_frames_are_charged_to_retransmission") else {
        return;
    };
    let ledger = |file: &str| {
        let found = analyse(&[folder.join("lab").join(file)]).unwrap();
        let rows = found.snapshot.ledgers;
        rows.into_iter()
            .find(|row| row.of == LedgerOf::Capture)
            .unwrap()
            .ledger
    };
    let lossy = ledger("10_loss3pct_dup1pct_reorder2pct_srv.pcap");
    assert!(lossy.get(Phase::Retransmission) > 20 * lossy.get(Phase::Server));
    let clean = ledger("01_smb1_nt1_port139_records_1client_srv.pcap");
    assert_eq!(clean.get(Phase::Retransmission), 0);
    assert!(clean.get(Phase::Server) > 0);
}

/// The same traffic captured at both ends of a link that delays what the server sends by 5 ms:
/// at the client's end the delay is within the turnarounds, at the server's within the
/// client's pauses. Either way it is the network's.
#[test]
fn both_ends_of_a_slow_link_agree() {
    let Some(folder) = captures("both_ends_of_a_slow_link_agree") else {
        return;
    };
    let [client, server] = ["cli", "srv"].map(|end| {
        let file = format!("lab/04_smb2_202_delay5ms_server_egress_{end}.pcap");
        Verdict::on(&analyse(&[folder.join(file)]).unwrap().snapshot)
    });
    assert_eq!(client.culprit(), Some(Culprit::Network));
    assert_eq!(server.culprit(), client.culprit());
    let share = |verdict: &Verdict| verdict.share(Culprit::Network).thousandths;
    let (from, to) = (share(&client), share(&server));
    assert!(
        from.low <= to.high && to.low <= from.high,
        "{client:?} {server:?}"
    );
    let far = |trip: Option<RoundTrip>| trip.unwrap().shortest_ns;
    let (at_client, at_server) = (client.on_the_way, server.on_the_way);
    assert!(
        (5_000_000..5_300_000).contains(&far(at_client.server)),
        "{client:?}"
    );
    assert!(
        (5_000_000..5_300_000).contains(&far(at_server.client)),
        "{server:?}"
    );
    assert!(far(at_client.client) < 100_000 && far(at_server.server) < 100_000);
    // 200 + 120 + 4 + 20 + 30 requests and more, 5 ms each.
    assert!(at_client.in_turnarounds.low > 374 * 5_000_000, "{client:?}");
    assert!(at_server.in_pauses.low > 374 * 5_000_000, "{server:?}");
}

#[test]
fn too_few_requests_are_no_verdict() {
    let found = analyse(&[root().join("captures/smb1/session.pcapng")]).unwrap();
    let verdict = Verdict::on(&found.snapshot);
    assert_eq!(verdict.finding, Finding::None);
    assert_eq!(verdict.at, None);
    assert_eq!(verdict.doubts, [Doubt::FewRequests(verdict.answered)]);
}

/// A client with two addresses reads over two channels of one session in turn, 10 ms each, with 0.1 ms between two. It waits all the
/// time: while nothing is outstanding on one channel, there is on the other.
#[test]
fn channels_of_one_session_are_one_client() {
    /// That of scenarios.
    const SESSION: u64 = 0x400_0000_0001;
    let run = |binding: &str| {
        let mut text = format!(
            "title channels\n\
             client C tcp 10.0.0.1:49152\n\
             server S tcp 10.0.0.9:445\n\
             client D tcp 10.0.1.1:49153\n\
             server T tcp 10.0.1.9:445\n\n\
             0.000 C>S connect gap=0.001\n\
             0.010 C>S smb2 session-setup round=2 session={SESSION}\n\
             0.011 S>C smb2 session-setup round=2\n\
             0.020 D>T connect gap=0.001\n\
             0.030 D>T smb2 session-setup round=2 {binding}\n\
             0.031 T>D smb2 session-setup round=2\n"
        );
        for n in 0..40 {
            let (client, server) = if n % 2 == 0 { ("C", "S") } else { ("D", "T") };
            let at = f64::from(n).mul_add(0.0101, 0.0311);
            text += &format!(
                "{at:.4} {client}>{server} smb2 read mid={} file=9 length=512\n",
                20 + n
            );
            let at = at + 0.01;
            text += &format!(
                "{at:.4} {server}>{client} smb2 read mid={} data=512\n",
                20 + n
            );
        }
        let scenario = Scenario::parse("channels", &text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        analyse_frames(scenario.frames()).snapshot
    };
    let found = run(&format!("binding session={SESSION}"));
    let clients = |of: &LedgerOf| matches!(of, LedgerOf::Client(_));
    let rows: Vec<_> = found
        .ledgers
        .iter()
        .filter(|row| clients(&row.of))
        .collect();
    let [row] = rows[..] else {
        panic!("{rows:?}");
    };
    assert_eq!(
        row.ledger,
        sum(&found.ledgers, |of| matches!(of, LedgerOf::Pair { .. }))
    );
    // 40 pauses of 0.1 ms, and 20 ms behind the first log-on.
    assert!(row.ledger.get(Phase::Client) < 25_000_000, "{row:?}");
    let verdict = Verdict::on(&found);
    assert_eq!(
        verdict.finding,
        Finding::Named(Culprit::Server),
        "{verdict:?}"
    );
    assert_eq!(verdict.clients, 1);
    // So it is one station, with its first address, at two servers' addresses, and one that is active.
    let [station] = &found.stations[..] else {
        panic!("{:?}", found.stations);
    };
    assert_eq!(station.client.to_string(), "10.0.0.1");
    assert_eq!((station.servers, station.counts.requests), (2, 42));
    assert_eq!(station.response_time.n, 40);
    // Two log-ons of 1 ms, and 40 reads of 10 ms; 0.1 ms before each read, and 20 ms before the second log-on less 1 ms.
    assert_eq!(station.busy_ns + station.client_ns, 425_000_000);
    let most = found.load.levels[0]
        .levels
        .iter()
        .map(|level| level.stations)
        .max();
    assert_eq!(most, Some(1), "{:?}", found.load.levels[0]);
    // Two clients with a session each wait by turns, and are busy with something else half of the time.
    let found = run("");
    assert_eq!(
        found.ledgers.iter().filter(|row| clients(&row.of)).count(),
        2
    );
    assert_eq!(found.stations.len(), 2);
    let most = found.load.levels[0]
        .levels
        .iter()
        .map(|level| level.stations)
        .max();
    assert_eq!(most, Some(2), "{:?}", found.load.levels[0]);
    assert!(sum(&found.ledgers, clients).get(Phase::Client) > 350_000_000);
}

/// A client with two addresses reads over two channels of one session in turn, captured at the server, which answers within 0.1 ms. It
/// goes on at once; of the second channel each way takes 15 ms. What one channel shows of its way says nothing of the other's,
/// whichever was there first.
#[test]
fn each_channel_has_its_own_way() {
    /// That of scenarios.
    const SESSION: u64 = 0x400_0000_0001;
    for far in ["C", "D"] {
        let way = |client: &str| if client == far { 0.015 } else { 0.000_02 };
        let mut text = format!(
            "title channels\n\
             client C tcp 10.0.0.1:49152\n\
             server S tcp 10.0.0.9:445\n\
             client D tcp 10.0.1.1:49153\n\
             server T tcp 10.0.1.9:445\n\n\
             0.000 C>S connect gap={}\n\
             0.090 C>S smb2 session-setup round=2 session={SESSION}\n\
             0.0901 S>C smb2 session-setup round=2\n\
             0.100 D>T connect gap={}\n\
             0.180 D>T smb2 session-setup round=2 binding session={SESSION}\n\
             0.1801 T>D smb2 session-setup round=2\n",
            2.0 * way("C"),
            2.0 * way("D"),
        );
        let mut at = 0.1801;
        let mut before = "D";
        for n in 0..40 {
            let (client, server) = if n % 2 == 0 { ("C", "S") } else { ("D", "T") };
            at += way(before) + way(client);
            let mid = 20 + n;
            text += &format!("{at:.6} {client}>{server} smb2 read mid={mid} file=9 length=512\n");
            at += 0.000_1;
            text += &format!("{at:.6} {server}>{client} smb2 read mid={mid} data=512\n");
            before = client;
        }
        let scenario = Scenario::parse("channels", &text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let verdict = Verdict::on(&analyse_frames(scenario.frames()).snapshot);
        assert_eq!(
            verdict.finding,
            Finding::Named(Culprit::Network),
            "{far} is far: {verdict:?}"
        );
        assert_eq!(verdict.clients, 1);
    }
}

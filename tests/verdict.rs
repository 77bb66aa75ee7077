//! The verdict against captures whose answer is known from the logs of who made them: what the
//! client program timed of itself, what the link was set to, what the server was told.
//!
//! A share is known between bounds, too: the client program's own gaps are its, the delay that the
//! link was set to is the network's for each call, tshark's times at the server's end are the
//! server's at most; who has the rest of a call (libraries, the stations' stacks, the bridge) no
//! log says.

use crate::support::{analyse, captures};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use wirewait_analysis::{Bounds, LedgerOf, Phase, State};
use wirewait_judge::{Culprit, Doubt, Finding, Verdict};

use Culprit::{Client, Network, Server};

/// Each lab capture, and what may be said of it: the truth, or the two between which a capture
/// at that end cannot tell, the truth being one of them.
const LAB: &[(&str, Culprit, Finding)] = &[
    // 1 ms each way for each of a thousand calls, of 3.4 s.
    (
        "01_smb1_nt1_port139_records_1client_srv.pcap",
        Network,
        Finding::Named(Network),
    ),
    (
        "04_smb2_202_delay5ms_server_egress_cli.pcap",
        Network,
        Finding::Named(Network),
    ),
    (
        "04_smb2_202_delay5ms_server_egress_srv.pcap",
        Network,
        Finding::Named(Network),
    ),
    (
        "05_smb2_210_pipelined_credits_srv.pcapng",
        Network,
        Finding::Named(Network),
    ),
    (
        "07_smb3_311_encrypted_srv.pcap",
        Network,
        Finding::Named(Network),
    ),
    // The program slept between its calls for 10.5 s of 14.8 s.
    (
        "09_midconnection_start_nt1_smb2_srv.pcap",
        Client,
        Finding::Named(Client),
    ),
    (
        "10_loss3pct_dup1pct_reorder2pct_srv.pcap",
        Network,
        Finding::Named(Network),
    ),
    (
        "11_smb2_compound_related_unrelated_srv.pcapng",
        Network,
        Finding::Named(Network),
    ),
    (
        "12_smb2_async_pending_notify_lock_cancel_srv.pcap",
        Client,
        Finding::Named(Client),
    ),
    // 2.4 ms of each call of 3 ms. Of the last two nothing measures the way to the clients.
    (
        "e1_span_duplicates_nt1_smb2_span.pcap",
        Network,
        Finding::Named(Network),
    ),
    (
        "nbf1_llc2_smb1_3clients_srv.pcap",
        Network,
        Finding::Either(Client, Network),
    ),
    (
        "ncp1_ethernet_ii_1client_srv.pcap",
        Network,
        Finding::Either(Client, Network),
    ),
    // 40 ms each, 700 ms every tenth.
    (
        "ncp3_8022_slowserver_requestbeingprocessed_cli.pcap",
        Server,
        Finding::Named(Server),
    ),
    (
        "ncp3_8022_slowserver_requestbeingprocessed_srv.pcap",
        Server,
        Finding::Named(Server),
    ),
];

/// Captures whose truth was recomputed with tshark: parts per thousand of the active time of client,
/// network and server, as far as they are known without a log.
const RECOMPUTED: &[(&str, Finding, [Option<f64>; 3])] = &[
    // Reads from pipes last up to 157 s; ShareType 2 marks their tree. Of the other requests' time
    // 389 ms are the server's (230 ms StartService, 89 ms CreateService, 45 ms SESSION_SETUP), and
    // 1,654 ms are pauses of up to 500 ms: between the end of a request, or of such a read, and the next beginning.
    // 4,319 reads of a pipe were answered within milliseconds.
    (
        "real/smb2_remcom_8883.pcap",
        Finding::Named(Client),
        [Some(809.6), Some(0.4), Some(190.0)],
    ),
    // 4,000 requests outstanding, each answered after 1 s.
    (
        "found/open-requests-4000-1.pcap",
        Finding::Named(Server),
        [Some(0.0), None, Some(1000.0)],
    ),
    // Each connection in one direction: nothing was seen to be answered.
    ("real/smb1_139+445_mgove413.pcap", Finding::None, [None; 3]),
    // One request: a segment of it was lost on the wire, and sent again.
    (
        "found/lost-segment-190-behind.pcap",
        Finding::None,
        [Some(0.0), Some(900.0), Some(100.0)],
    ),
    (
        "found/lost-segment-300-behind.pcap",
        Finding::None,
        [Some(0.0), Some(900.0), Some(100.0)],
    ),
    // One stamp is far away.
    ("found/stray-stamp.cap", Finding::None, [None; 3]),
];

/// Calls that pause by design, or whose time overlaps others: the log gives no shares.
const NO_SHARES: [&str; 3] = ["05_", "10_", "12_"];

/// Seconds that the log proves: of the client, of the network, and all of it.
struct Log {
    client: f64,
    network: f64,
    all: f64,
}

impl Log {
    /// Of the rows of a client program, one call after the other.
    fn read(capture: &Path) -> Option<Self> {
        let json = capture.with_extension("json");
        let json: Value = serde_json::from_str(&std::fs::read_to_string(json).unwrap()).unwrap();
        let delay = |way: &str| json["link_settings"][way].as_f64().unwrap_or(0.0) / 1e6;
        let delay = delay("a2b__delay") + delay("b2a__delay");
        let run = json["name"].as_str().unwrap();
        let rows =
            std::fs::read_to_string(capture.with_file_name(format!("{run}.ops.csv"))).ok()?;
        let mut lines = rows.lines();
        let names: Vec<&str> = lines.next()?.split(',').collect();
        let column = |options: [&str; 2]| names.iter().position(|n| options.contains(n));
        let client = column(["client", "client_node"])?;
        let (start, end) = (
            column(["t_start", "t_start_guest"])?,
            column(["t_end", "t_end_guest"])?,
        );
        let mut calls = BTreeMap::<&str, Vec<(f64, f64)>>::new();
        for line in lines {
            let fields: Vec<&str> = line.splitn(names.len(), ',').collect();
            let call = (fields[start].parse().unwrap(), fields[end].parse().unwrap());
            calls.entry(fields[client]).or_default().push(call);
        }
        let mut log = Self {
            client: 0.0,
            network: 0.0,
            all: 0.0,
        };
        for calls in calls.values_mut() {
            calls.sort_by(|a, b| a.partial_cmp(b).unwrap());
            let first = calls[0].0;
            let mut until = first;
            for (start, end) in &*calls {
                log.client += (start - until).max(0.0);
                log.network += delay;
                until = until.max(*end);
            }
            log.all += until - first;
        }
        Some(log)
    }

    /// Thousandths that are surely this one's.
    fn least(&self, of: Culprit) -> f64 {
        let proved = match of {
            Client => self.client,
            Network => self.network,
            Server => 0.0,
        };
        proved / self.all * 1000.0
    }
}

#[test]
fn verdicts_are_those_of_the_lab() {
    let Some(folder) = captures("verdicts_are_those_of_the_lab") else {
        return;
    };
    let mut wrong = Vec::new();
    for (file, truth, said) in LAB {
        let path = folder.join("lab").join(file);
        let found = analyse(std::slice::from_ref(&path)).unwrap();
        let verdict = Verdict::on(&found.snapshot);
        let part = |of: Culprit| verdict.share(of).thousandths;
        let log = Log::read(&path);
        let least = |of| log.as_ref().map_or(0.0, |log| log.least(of));
        let shown = Culprit::ALL.map(|of| {
            let Bounds { low, high } = part(of);
            format!("{} {low}-{high} (at least {:.0})", of.name(), least(of))
        });
        println!(
            "{:.45}  truth {:8} said {:18} {}",
            file,
            truth.name(),
            verdict.finding.name(),
            shown.join(", ")
        );
        let named = match verdict.finding {
            Finding::Named(one) => one == *truth,
            Finding::Either(one, other) => [one, other].contains(truth),
            Finding::None => false,
        };
        if !named || verdict.finding != *said {
            wrong.push(format!("{file}: {:?}, not {said:?}", verdict.finding));
        }
        if NO_SHARES.iter().any(|name| file.starts_with(name)) {
            continue;
        }
        // The capture has some requests that the log has not, and 2 % of slack.
        for of in Culprit::ALL {
            let others: f64 = Culprit::ALL
                .into_iter()
                .filter(|o| *o != of)
                .map(least)
                .sum();
            let (low, high) = (part(of).low as f64, part(of).high as f64);
            if high + 20.0 < least(of) || low - 20.0 > 1000.0 - others {
                wrong.push(format!("{file}: {} {low} to {high}", of.name()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn verdicts_are_those_that_tshark_gives() {
    let Some(folder) = captures("verdicts_are_those_that_tshark_gives") else {
        return;
    };
    let mut wrong = Vec::new();
    for (file, said, truth) in RECOMPUTED {
        let found = analyse(&[folder.join(file)]).unwrap();
        let verdict = Verdict::on(&found.snapshot);
        let shares = verdict.shares.map(|share| share.thousandths);
        println!("{file}: {} {shares:?}", verdict.finding.name());
        if verdict.finding != *said {
            wrong.push(format!("{file}: {:?}, not {said:?}", verdict.finding));
        }
        for (share, truth) in shares.iter().zip(truth) {
            let (low, high) = (share.low as f64, share.high as f64);
            // Thousandths are rounded, and the truth is, too.
            if truth.is_some_and(|truth| truth < low - 2.0 || truth > high + 2.0) {
                wrong.push(format!("{file}: {low} to {high} for {truth:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Parts of one whole: every share lies within it, and the bounds in their order.
#[test]
fn shares_are_parts_of_the_active_time() {
    let Some(folder) = captures("shares_are_parts_of_the_active_time") else {
        return;
    };
    for (file, ..) in LAB {
        let found = analyse(&[folder.join("lab").join(file)]).unwrap();
        let verdict = Verdict::on(&found.snapshot);
        let sum = |of: fn(Bounds) -> u64| -> u64 {
            verdict.shares.iter().map(|share| of(share.ns)).sum()
        };
        let (low, high) = (sum(|ns| ns.low), sum(|ns| ns.high));
        assert!(
            low <= verdict.active_ns && verdict.active_ns <= high,
            "{file}: {verdict:?}"
        );
        for share in verdict.shares {
            assert!(share.ns.low <= share.ns.high, "{file}: {share:?}");
            assert!(share.ns.high <= verdict.active_ns, "{file}: {share:?}");
        }
    }
}

/// Echoes, and addresses that somebody on the link answered for: station, samples, the shortest in
/// nanoseconds, and its frames. Echoes by tshark's `icmp.resptime`, addresses by its times of the frames.
#[test]
fn echoes_and_addresses_show_how_far_stations_are() {
    let Some(folder) = captures("echoes_and_addresses_show_how_far_stations_are") else {
        return;
    };
    let far: &[(&str, &str, u64, i64, [u64; 2])] = &[
        (
            "tr+eth_iptrace2_dualhome.iptrace",
            "192.168.49.211",
            2,
            16_988,
            [14, 15],
        ),
        (
            "tr+eth_iptrace2_dualhome.iptrace",
            "192.168.118.211",
            2,
            85_179,
            [26, 27],
        ),
        // Acknowledgements as well, of which none was faster.
        (
            "smb1_139+445_lan1.pcap",
            "192.168.1.103",
            13,
            115_000,
            [127, 129],
        ),
        (
            "smb1_139+445_lan1.pcap",
            "192.168.1.100",
            4,
            238_000,
            [141, 142],
        ),
        (
            "smb2_nfstrace_cifs2.pcap",
            "10.20.0.4",
            1,
            426_000,
            [52, 53],
        ),
        (
            "nbf+hp-switch_shark_truncated-file.pcap",
            "137.204.66.15",
            1,
            99_000,
            [2876, 2877],
        ),
        (
            "smb31_win10-handshake.pcapng",
            "fe80::78da:c04d:12da:8a08",
            1,
            123_000,
            [253, 254],
        ),
        // Its own transport said 210 us (frames 311 to 312): that counts, not the 200 us of frames 3 to 4.
        (
            "smb1_139+445_provabis.pcap",
            "192.168.0.2",
            10,
            210_000,
            [311, 312],
        ),
    ];
    for (file, station, samples, ns, frames) in far {
        let found = analyse(&[folder.join("real").join(file)]).unwrap();
        let mut rows = found.snapshot.round_trips.iter();
        let row = rows.find(|row| row.station.to_string() == *station);
        let row = row.map(|row| (row.samples, row.shortest_ns, [row.asked, row.answered]));
        assert_eq!(row, Some((*samples, *ns, *frames)), "{file}: {station}");
    }
    // A server's watchdog, and what the workstation says to it 2 ms later.
    let made = crate::support::root().join("captures/ipx/netware-messages.pcapng");
    let found = analyse(&[made]).unwrap();
    let [row] = &found.snapshot.round_trips[..] else {
        panic!("{:?}", found.snapshot.round_trips);
    };
    assert_eq!(row.station.to_string(), "00000022.020000002201");
    let frames = (row.shortest_ns, row.asked, row.answered);
    assert_eq!(frames, (2_000_000, 3, 4));
}

/// Thirty replies lost behind the capture, as the scenario says: 201 ms each until the client had
/// the reply, 120 ms of the server, 1,312 ms of gaps.
#[test]
fn lost_replies_are_loss_recovery() {
    let capture = crate::support::root().join("captures/ncp/lost-reply.pcapng");
    let found = analyse(&[capture]).unwrap();
    let rows = &found.snapshot.ledgers;
    let all = rows.iter().find(|row| row.of == LedgerOf::Capture).unwrap();
    let ms = |phase| all.ledger.get(phase) as f64 / 1e6;
    assert_eq!(ms(Phase::Retransmission), 6_030.0);
    assert_eq!(ms(Phase::Server), 120.0);
    assert_eq!(ms(Phase::Client), 1_312.0);
    let verdict = Verdict::on(&found.snapshot);
    assert_eq!(verdict.finding, Finding::Named(Network));
    let raised = |rule: &str| {
        let mut symptoms = found.snapshot.symptoms.found.iter();
        symptoms.any(|s| s.rule.id == rule && s.state == State::Raised)
    };
    assert!(raised("frames_resent"));
    assert!(!raised("client_impatient"));
}

/// Thirty requests lost before the capture, as the scenario says: 200 ms each of 207 without a
/// frame, 240 ms of the server, 330 and 899 ms of gaps.
#[test]
fn requests_lost_before_the_capture_are_loss_recovery() {
    let capture = crate::support::root().join("captures/tcp/lost-requests.pcapng");
    let found = analyse(&[capture]).unwrap();
    let rows = &found.snapshot.ledgers;
    let all = rows.iter().find(|row| row.of == LedgerOf::Capture).unwrap();
    let ms = |phase| all.ledger.get(phase) as f64 / 1e6;
    assert_eq!(ms(Phase::Retransmission), 6_000.0);
    assert_eq!(ms(Phase::Server), 240.0);
    assert_eq!(ms(Phase::Client), 1_229.0);
    let verdict = Verdict::on(&found.snapshot);
    assert_eq!(verdict.finding, Finding::Named(Network));
    let mut symptoms = found.snapshot.symptoms.found.iter();
    let lost = symptoms.find(|s| s.rule.id == "frames_resent").unwrap();
    assert_eq!((lost.state, lost.hits.count), (State::Raised, 30));
}

/// Of two responses the first is lost before the capture: it had been sent before the second, which came 199.999 ms
/// before it was retransmitted. A pause of 99 ms and 19 of 98 ms are the client's, less the
/// way of 113 us each.
#[test]
fn a_response_that_later_ones_overtake_by_a_timer_was_lost() {
    let capture = crate::support::root().join("captures/tcp/lost-response-of-two.pcapng");
    let found = analyse(&[capture]).unwrap();
    let rows = &found.snapshot.ledgers;
    let all = rows.iter().find(|row| row.of == LedgerOf::Capture).unwrap();
    let us = |phase| all.ledger.get(phase) / 1_000;
    assert_eq!(us(Phase::Retransmission), 20 * 199_999);
    assert_eq!(us(Phase::Client), 98_887 + 19 * 97_887);
    let verdict = Verdict::on(&found.snapshot);
    assert_eq!(verdict.finding, Finding::Named(Network));
    let symptoms = found.snapshot.symptoms.found.iter();
    let raised = symptoms.filter(|s| s.state == State::Raised);
    let raised: Vec<_> = raised.map(|s| s.rule.id).collect();
    assert_eq!(raised, ["frames_resent"]);
}

/// Thirteen ECHO requests over IPX to a station that is never heard (frames 43 to 55, tshark), before the
/// session over NetBEUI: nobody is known to wait for them, and no direction is missing.
#[test]
fn who_asks_whether_a_station_is_there_does_not_wait() {
    let Some(folder) = captures("who_asks_whether_a_station_is_there_does_not_wait") else {
        return;
    };
    let capture = folder.join("real/nbf_smb_dos-win98_netbeui-ipx-nbt.pcapng");
    let found = analyse(&[capture]).unwrap();
    let verdict = Verdict::on(&found.snapshot);
    assert_eq!(verdict.unknown_ns, 0);
    assert_eq!(verdict.finding, Finding::Named(Client));
    let reasons = &found.snapshot.capture.reasons;
    assert!(!reasons.iter().any(|reason| reason.name == "one_sided"));
    let mut echoes = found.transactions.iter().filter(|t| t.carrier == "ipx");
    let echo = echoes.find(|t| t.operation.name == "ECHO").unwrap();
    assert_eq!(echo.copies, 13);
}

/// The same where no identification shows it: thirty pauses of 207 ms may be recovery of requests
/// that were lost. Everything else is known: 720 ms of the server; between the other requests 2 ms
/// each, and 29 ms (280 less 251) before each of the later rounds.
#[test]
fn requests_that_may_be_lost_before_the_capture_are_nobodys_for_sure() {
    let capture = crate::support::root().join("captures/tcp/lost-requests-unnumbered.pcapng");
    let found = analyse(&[capture]).unwrap();
    let ms = 1_000_000;
    let pauses = found.snapshot.unsure_pauses;
    assert_eq!((pauses.count, pauses.ns), (30, 30 * 207 * ms));
    assert_eq!(found.snapshot.unsure_turnarounds.count, 0);
    let verdict = Verdict::on(&found.snapshot);
    assert_eq!(verdict.finding, Finding::Either(Client, Network));
    let rest = (300 * 2 + 29 * 29) * ms;
    let client = verdict.share(Client).ns;
    assert_eq!(client.high, rest + 30 * 207 * ms);
    let network = verdict.share(Network).ns;
    assert!(network.high - network.low >= 30 * 207 * ms, "{network:?}");
    let named: Vec<_> = verdict.doubts.iter().collect();
    assert!(
        matches!(named[..], [Doubt::Timers(Client, told)] if *told == pauses),
        "{named:?}"
    );
}

//! What a request without a response costs: until its time-out, until the next request on its connection, or until
//! that ends, whichever is first.

use crate::support::{Analysis, analyse_frames, captures, owned_frames};
use wirewait_analysis::{Flags, LedgerOf, Outcome, Phase};
use wirewait_judge::{Culprit, Finding, Verdict};
use wirewait_synth::Scenario;

const TIMEOUT_MS: i64 = 60_000;
/// The client asks again at once behind this.
const RESET_MS: i64 = 1;

/// A protocol: its stations, a read and the response, and whether its connection can be reset. `N` is the
/// number of the read.
struct Protocol {
    name: &'static str,
    stations: [&'static str; 2],
    asks: &'static str,
    answers: &'static str,
    tcp: bool,
    /// One request at a time: the next one says that this one was given up.
    one: bool,
}

const PROTOCOLS: [Protocol; 7] = [
    Protocol {
        name: "SMB1 over TCP",
        stations: ["tcp 10.0.0.1:1025", "tcp 10.0.0.9:445"],
        asks: "smb1 read-andx length=512",
        answers: "smb1 read-andx data=512",
        tcp: true,
        one: false,
    },
    Protocol {
        name: "SMB1 over NetBEUI",
        stations: ["nbf 02-00-00-00-22-01", "nbf 02-00-00-00-00-01"],
        asks: "smb1 read-andx length=512",
        answers: "smb1 read-andx data=512",
        tcp: false,
        one: false,
    },
    Protocol {
        name: "SMB1 over IPX",
        stations: [
            "ipx 00000022.020000002201:0552",
            "ipx 00000022.020000000001:0550",
        ],
        asks: "smb1 read-andx length=512",
        answers: "smb1 read-andx data=512",
        tcp: false,
        one: false,
    },
    Protocol {
        name: "SMB2",
        stations: ["tcp 10.0.0.1:1025", "tcp 10.0.0.9:445"],
        asks: "smb2 read length=512 mid=N",
        answers: "smb2 read data=512 mid=N",
        tcp: true,
        one: false,
    },
    Protocol {
        name: "NCP over IPX",
        stations: [
            "ipx 00000022.020000002201:4003",
            "ipx 00000022.020000000001:0451",
        ],
        asks: "ncp read length=512",
        answers: "ncp reply data=512",
        tcp: false,
        one: true,
    },
    Protocol {
        name: "NCP over UDP",
        stations: ["udp 10.0.0.1:1025", "udp 10.0.0.9:524"],
        asks: "ncp read length=512",
        answers: "ncp reply data=512",
        tcp: false,
        one: true,
    },
    Protocol {
        name: "NCP over TCP",
        stations: ["tcp 10.0.0.1:1025", "tcp 10.0.0.9:524"],
        asks: "ncp read length=512",
        answers: "ncp reply data=512",
        tcp: true,
        one: true,
    },
];

impl Protocol {
    /// Twenty-five reads of 2 ms, 10 ms apart; one without a response; and so long after that twenty-five more,
    /// perhaps on the connection that was reset and opened again between the same ports. `last`: and one 70 s
    /// later.
    fn scenario(&self, gap_ms: i64, reset: bool, last: bool) -> Scenario {
        let mut lines = vec![
            format!("title {}", self.name),
            "ethernet ii".to_owned(),
            format!("client C {}", self.stations[0]),
            format!("server S {}", self.stations[1]),
        ];
        let mut number = 0;
        let mut says = |us: i64, answered: bool| {
            number += 1;
            let of = |text: &str| text.replace('N', &number.to_string());
            let at = |us: i64| format!("{}.{:06}", us / 1_000_000, us % 1_000_000);
            let mut both = vec![format!("{} C>S {}", at(us), of(self.asks))];
            if answered {
                both.push(format!("{} S>C {}", at(us + 2_000), of(self.answers)));
            }
            both
        };
        let connects = self.tcp || self.name.contains("NetBEUI");
        if connects {
            lines.push("0.000 C>S connect gap=0.0001".to_owned());
        }
        let mut now = 10_000;
        for _ in 0..25 {
            lines.extend(says(now, true));
            now += 10_000;
        }
        lines.extend(says(now, false));
        now += gap_ms * 1_000;
        if reset {
            let ms = (now / 1_000 - RESET_MS, now / 1_000 - RESET_MS + 1);
            lines.push(format!(
                "{}.{:03} C>S tcp reset",
                ms.0 / 1_000,
                ms.0 % 1_000
            ));
            lines.push(format!(
                "{}.{:03}1 C>S connect gap=0.0001",
                ms.0 / 1_000,
                ms.0 % 1_000
            ));
        }
        for _ in 0..25 {
            lines.extend(says(now, true));
            now += 10_000;
        }
        if last {
            lines.extend(says(now + 70_000_000, true));
        }
        lines.push("[answer]".to_owned());
        let text = lines.join("\n") + "\n";
        Scenario::parse("unanswered", &text).unwrap_or_else(|e| panic!("{e}\n{text}"))
    }

    /// Whether a client that asks for something else within its time-out has the response, which the capture lost: it has one
    /// request at a time, and nothing below repeats what is lost, so that it would repeat it.
    fn has_it(&self, gap_ms: i64) -> bool {
        self.one && !self.tcp && gap_ms < TIMEOUT_MS
    }

    /// Time of a request without a response, and time that is unknown, ms.
    fn cost(&self, gap_ms: i64, reset: bool, last: bool) -> [i64; 2] {
        let scenario = self.scenario(gap_ms, reset, last);
        let found = analyse_frames(scenario.frames());
        let mut rows = found.snapshot.ledgers.iter();
        let all = rows
            .find(|row| matches!(row.of, LedgerOf::Capture))
            .unwrap();
        let ms = |phase| i64::try_from(all.ledger.get(phase)).unwrap() / 1_000_000;
        [ms(Phase::Unanswered), ms(Phase::Unknown)]
    }
}

#[test]
fn a_request_without_a_response_ends_with_the_next_one_or_its_time_out() {
    for protocol in &PROTOCOLS {
        for gap in [500, 5_000, 59_000, 61_000, 120_000] {
            let expected = match protocol.has_it(gap) {
                true => [0, gap],
                false => [gap.min(TIMEOUT_MS), 0],
            };
            let cost = protocol.cost(gap, false, true);
            assert_eq!(cost, expected, "{}, {gap} ms", protocol.name);
            if protocol.tcp {
                // It ends with its connection, whatever opens between the same ports.
                let expected = [(gap - RESET_MS).min(TIMEOUT_MS), 0];
                let cost = protocol.cost(gap, true, true);
                assert_eq!(cost, expected, "{}, {gap} ms, reset", protocol.name);
            }
        }
    }
}

/// Where several may be outstanding, the next request does not say that this one was given up. So if the capture
/// ends before its time-out, the response may still have come: the time up to the next request is unknown.
#[test]
fn a_request_that_is_open_at_the_end_costs_nothing_that_is_known() {
    for protocol in &PROTOCOLS {
        let cost = protocol.cost(5_000, false, false);
        let unknown = !protocol.one || protocol.has_it(5_000);
        let expected = if unknown { [0, 5_000] } else { [5_000, 0] };
        assert_eq!(cost, expected, "{}", protocol.name);
    }
}

/// Reads of 2 ms, 10 ms apart, and how one more ends that is asked for at 1 s.
fn ends_so(end: &str) -> Analysis {
    let mut text = "title A connection ends\nethernet ii\nclient C tcp 10.0.0.1:1025\n\
        server S tcp 10.0.0.9:445\n0.000 C>S connect gap=0.0001\n"
        .to_owned();
    for n in 1..=25 {
        let ms = 10 * n;
        text += &format!("0.{ms:03} C>S smb2 read length=512 mid={n}\n");
        text += &format!("0.{:03} S>C smb2 read data=512 mid={n}\n", ms + 2);
    }
    text += end;
    text += "[answer]\n";
    let scenario = Scenario::parse("ends", &text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    analyse_frames(scenario.frames())
}

/// Time of the server with the ways, without a response, and unknown, ms, but for those ways: 0.2 ms of a request.
fn ms(found: &Analysis) -> [u64; 3] {
    let mut rows = found.snapshot.ledgers.iter();
    let all = rows
        .find(|row| matches!(row.of, LedgerOf::Capture))
        .unwrap();
    let of = |phases: &[Phase]| -> u64 { phases.iter().map(|of| all.ledger.get(*of)).sum() };
    let server = of(&[Phase::Server, Phase::Distance]);
    let others = [Phase::Unanswered, Phase::Unknown].map(|phase| of(&[phase]));
    // 26 requests at most.
    let [server, others @ ..] = [server, others[0], others[1]].map(|ns| ns / 1_000_000);
    [server / 10 * 10, others[0], others[1]]
}

/// A client that closes its connection waits no longer, whether a response comes or not. With its last request in the
/// same segment, it may.
#[test]
fn a_client_that_closes_its_connection_waits_no_more() {
    let late = "1.000 C>S smb2 read length=512 mid=30\n1.002 S>C tcp ack\n3.000 C>S tcp fin\n\
        5.000 S>C smb2 read data=512 mid=30\n5.001 C>S tcp reset\n";
    let found = ends_so(late);
    assert_eq!(ms(&found), [2_050, 0, 0]);
    let last = found.transactions.last().unwrap();
    assert_eq!(last.outcome, Outcome::Answered);
    assert!(last.flags.contains(Flags::ABANDONED));
    assert_eq!(
        last.turnaround.exact(),
        Some(4_000_000_000),
        "the server needed so long"
    );
    let symptom = |id: &str| found.snapshot.symptoms.raised().any(|s| s.rule.id == id);
    assert!(symptom("requests_abandoned"));

    let never = "1.000 C>S smb2 read length=512 mid=30\n1.002 S>C tcp ack\n3.000 C>S tcp fin\n\
        3.001 S>C tcp ack\n3.002 S>C tcp fin\n3.003 C>S tcp ack\n";
    let found = ends_so(never);
    // Its acknowledgement says that the server had the request.
    assert_eq!(ms(&found), [2_050, 0, 0]);
    assert_eq!(
        found.transactions.last().unwrap().outcome,
        Outcome::Unanswered
    );
}

/// What a client acknowledges of a connection that the server closed contains the number of its FIN (RFC 9293, 3.4),
/// which is no byte that the capture lacks.
#[test]
fn a_closed_connection_lacks_no_byte() {
    let refused = "1.000 S>C tcp fin\n1.010 C>S smb2 read length=512 mid=30\n1.011 S>C tcp reset\n";
    let found = ends_so(refused);
    let last = found.transactions.last().unwrap();
    assert_eq!(last.outcome, Outcome::Unanswered);
    assert!(
        !last.flags.contains(Flags::CAPTURE_LOSS),
        "{:?}",
        last.flags
    );
    assert_eq!(ms(&found), [50, 1, 0]);
}

/// 1 ms of each way, in 1,762 pauses, is some 63 % of the time at this server. A reply that the capture lacks says nothing of
/// the way to the client: the next request shows that it came, and not when.
#[test]
fn a_reply_that_the_capture_lacks_bounds_no_way() {
    let Some(folder) = captures("a_reply_that_the_capture_lacks_bounds_no_way") else {
        return;
    };
    let all = owned_frames(&folder.join("lab/ncp1_ethernet_ii_1client_srv.pcap"));
    for lost in [&[650][..], &[1144], &[582], &[582, 650, 1144, 2000, 2501]] {
        let frames = all.iter().enumerate();
        let frames: Vec<_> = frames
            .filter(|(n, _)| !lost.contains(n))
            .map(|(_, frame)| frame.clone())
            .collect();
        let found = analyse_frames(&frames).snapshot;
        let verdict = Verdict::on(&found);
        assert_eq!(
            verdict.finding,
            Finding::Either(Culprit::Client, Culprit::Network),
            "{lost:?}"
        );
        let network = verdict.shares.map(|share| share.thousandths.high)[Culprit::Network as usize];
        assert!(network >= 630, "{lost:?}: {network}");
    }
}

/// A reset is the server's where that has a request to answer, or has just answered it, and nobody had begun to close the
/// connection; and where its number is one that the server has reached.
#[test]
fn a_server_that_resets_a_connection_in_use() {
    let cost = |end: &str| {
        let found = ends_so(end);
        let mut raised = found.snapshot.symptoms.raised();
        let symptom = raised.find(|s| s.rule.id == "connection_reset");
        symptom.map(|s| (s.hits.count, s.hits.cost_ns / 1_000_000))
    };
    let read = "1.000 C>S smb2 read length=512 mid=30\n";
    let with = |end: &str| cost(&format!("{read}{end}"));
    assert_eq!(with("1.700 S>C tcp reset\n"), Some((1, 700)));
    assert_eq!(
        with("1.001 S>C tcp ack\n1.700 S>C tcp reset\n1.701 S>C tcp reset\n"),
        Some((1, 700)),
        "sent twice"
    );
    // Two are open, and the older one counts.
    let two = "1.200 C>S smb2 read length=512 mid=31\n1.700 S>C tcp reset\n";
    assert_eq!(with(two), Some((1, 700)));
    let answered = "1.002 S>C smb2 read data=512 mid=30\n1.003 S>C tcp reset\n";
    assert_eq!(with(answered), Some((1, 0)));
    let acknowledged =
        "1.002 S>C smb2 read data=512 mid=30\n1.003 C>S tcp ack\n1.004 S>C tcp reset\n";
    assert_eq!(with(acknowledged), None);
    // The client's own, one behind a FIN of either, and one while nothing is open.
    assert_eq!(with("1.700 C>S tcp reset\n"), None);
    assert_eq!(with("1.600 C>S tcp reset\n1.700 S>C tcp reset\n"), None);
    assert_eq!(with("1.600 C>S tcp fin\n1.700 S>C tcp reset\n"), None);
    assert_eq!(cost("9.000 S>C tcp reset\n"), None);
    // It closes it as well as it resets it, with all that it had sent, and before its client does.
    let closed = "1.600 S>C tcp fin\n";
    assert_eq!(with(closed), Some((1, 600)));
    assert_eq!(
        with(&format!("{closed}1.700 S>C tcp reset\n")),
        Some((1, 600))
    );
    assert_eq!(with(&format!("1.500 C>S tcp fin\n{closed}")), None);
    let answered = "1.002 S>C smb2 read data=512 mid=30\n";
    assert_eq!(with(&format!("{answered}{closed}")), None);
    let lost = "1.590 S>C smb2 read data=512 mid=31 | missed=1\n";
    assert_eq!(with(&format!("{lost}{closed}")), None);
}

/// A server that closes its connection with a request open is done with it: what its client does until it closes its side is its
/// own, and no waiting.
#[test]
fn a_client_does_not_wait_for_a_server_that_closed_the_connection() {
    let end = "1.000 C>S smb2 read length=512 mid=30\n1.002 S>C tcp ack\n1.200 S>C tcp fin\n\
        1.201 C>S tcp ack\n3.000 C>S tcp fin\n3.001 S>C tcp ack\n";
    let found = ends_so(end);
    assert_eq!(ms(&found), [250, 0, 0]);
    let last = found.transactions.last().unwrap();
    assert_eq!(last.outcome, Outcome::Unanswered);
    assert!(!last.flags.contains(Flags::ABANDONED));
    let raised = |id: &str| found.snapshot.symptoms.raised().any(|s| s.rule.id == id);
    assert!(raised("connection_reset") && !raised("requests_abandoned"));
}

/// Reads of 2 ms, 10 ms apart, of which the capture lacks some requests: from the response before on, nobody knows what the
/// client did and when the server began. Its pauses do not grow by that.
#[test]
fn what_comes_before_a_response_whose_request_is_missing_is_unknown() {
    for protocol in &PROTOCOLS {
        let scenario = protocol.scenario(10, false, false);
        let all = scenario.frames();
        let ms = |found: &Analysis| {
            let mut rows = found.snapshot.ledgers.iter();
            let all = rows
                .find(|row| matches!(row.of, LedgerOf::Capture))
                .unwrap();
            let of = |phase| all.ledger.get(phase).div_ceil(1_000_000);
            [Phase::Client, Phase::Server, Phase::Unknown].map(of)
        };
        let whole = analyse_frames(all);
        let requests = [5, 6, 11, 40].map(|n: usize| {
            let request = whole.transactions[n].request.unwrap();
            request.first.frame
        });
        let frames = (1..).zip(all).filter(|(n, _)| !requests.contains(n));
        let frames: Vec<_> = frames.map(|(_, frame)| frame.clone()).collect();
        let found = analyse_frames(&frames);
        let ([client, server, unknown], now) = (ms(&whole), ms(&found));
        let expected = [client - 4 * 8, server - 4 * 2, unknown + 4 * 10];
        // The ways there and back are some microseconds of each response.
        let near = now
            .iter()
            .zip(expected)
            .all(|(now, of)| now.abs_diff(of) <= 1);
        assert!(near, "{}: {now:?}, and not {expected:?}", protocol.name);
        let reasons = &found.snapshot.capture.reasons;
        let lost = |name: &str| reasons.iter().any(|reason| reason.name == name);
        assert!(lost("lost_messages") || lost("gaps"), "{}", protocol.name);
    }
}

/// Time of clients, of servers, and unknown, ms, and how many messages the capture lost where nothing below is numbered.
fn spent(found: &Analysis) -> [i64; 4] {
    let mut rows = found.snapshot.ledgers.iter();
    let all = rows
        .find(|row| matches!(row.of, LedgerOf::Capture))
        .unwrap();
    let ms = [Phase::Client, Phase::Server, Phase::Unknown]
        .map(|phase| i64::try_from(all.ledger.get(phase).div_ceil(1_000_000)).unwrap());
    let mut reasons = found.snapshot.capture.reasons.iter();
    let lost = reasons.find(|reason| reason.name == "lost_messages");
    let lost = lost.map_or(0, |reason| i64::try_from(reason.count).unwrap());
    [ms[0], ms[1], ms[2], lost]
}

/// Reads of 2 ms, 10 ms apart, of which the capture lacks requests together with their responses. Only the sequence numbers of
/// the others tell: a client does nothing for so long without asking, or asks and waits.
#[test]
fn what_lacks_in_both_directions_is_not_the_clients() {
    // Without these requests and these responses: so much less of the client and of the server, so much more is unknown,
    // and as many messages are lost.
    const LACKS: [([usize; 3], [usize; 3], [i64; 4]); 7] = [
        ([5; 3], [5; 3], [16, 2, 18, 2]),
        ([6, 7, 7], [6, 7, 7], [24, 4, 28, 4]),
        ([6, 7, 8], [6, 7, 8], [32, 6, 38, 6]),
        // The response to one of them is there.
        ([30, 31, 31], [31; 3], [24, 4, 28, 3]),
        ([30, 31, 31], [30; 3], [16, 4, 20, 3]),
        ([40, 41, 42], [40, 42, 42], [32, 6, 38, 5]),
        // The request of one of them is there, at which its client waits.
        ([41; 3], [40, 41, 41], [16, 4, 20, 3]),
    ];
    let unnumbered = |protocol: &&Protocol| protocol.one && !protocol.tcp;
    for protocol in PROTOCOLS.iter().filter(unnumbered) {
        let scenario = protocol.scenario(10, false, false);
        let all = scenario.frames();
        let whole = analyse_frames(all);
        let before = spent(&whole);
        for (requests, responses, [client, server, unknown, lost]) in LACKS {
            let row = |n: usize| &whole.transactions[n];
            let frames = [
                requests.map(|n| row(n).request.unwrap().first.frame),
                responses.map(|n| row(n).response.unwrap().first.frame),
            ];
            let rest = (1..)
                .zip(all)
                .filter(|(n, _)| !frames.as_flattened().contains(n));
            let rest: Vec<_> = rest.map(|(_, frame)| frame.clone()).collect();
            let now = spent(&analyse_frames(&rest));
            let expected = [
                before[0] - client,
                before[1] - server,
                before[2] + unknown,
                before[3] + lost,
            ];
            // The ways there and back are some microseconds of each response.
            let near = now
                .iter()
                .zip(expected)
                .all(|(now, of)| (now - of).abs() <= 1);
            assert!(
                near && now[3] == expected[3],
                "{}, {requests:?} {responses:?}: {now:?}, and not {expected:?}",
                protocol.name
            );
        }
    }
}

/// Nothing lacks where the sequence number goes on in another way than by one.
#[test]
fn sequence_numbers_that_leave_nothing_out() {
    const READ: &str = "+0.010 C>S ncp read length=512\n+0.002 S>C ncp reply data=512\n";
    const READS: &str = "+0.010 repeat 300 every 0.010 {\n0.000 C>S ncp read length=512\n\
        0.002 S>C ncp reply data=512\n}\n";
    const BURST: &str = "+0.010 C>S burst read handle=1 offset=0 length=4000\n\
        +0.005 S>C burst read data=4000 | gap=0.001\n";
    // Replies say the number of the connection, which the second of a client is given once more.
    const CREATED: &str = "+0.010 C>S ncp create-connection\n+0.001 S>C ncp reply\n";
    const DESTROYED: &str = "+0.010 C>S ncp destroy-connection\n+0.001 S>C ncp reply\n";
    let answered = |more: &str| {
        format!("+0.010 C>S ncp read length=512 {more}\n+0.002 S>C ncp reply data=512\n")
    };
    let cases = [
        ("wraps", READS.to_owned()),
        ("begins in the middle", answered("sequence=77") + READ),
        (
            "asked again",
            format!(
                "{READ}+0.010 C>S ncp read length=512\n+0.500 C>S again\n\
                 +0.002 S>C ncp reply data=512\n{READ}"
            ),
        ),
        (
            "answered, and asked again late",
            format!(
                "{READ}{READ}{}{READ}",
                "+0.300 C>S again\n+0.001 S>C again\n"
            ),
        ),
        (
            "several tasks",
            format!("{READ}{}{}{READ}", answered("task=5"), answered("task=2")),
        ),
        ("created", format!("{CREATED}{READ}{READ}")),
        (
            "destroyed and created",
            format!("{CREATED}{READ}{READ}{DESTROYED}{CREATED}{READ}{READ}"),
        ),
        (
            "created once more",
            format!(
                "{CREATED}{READ}{READ}{READ}{CREATED}+3.000 C>S ncp date-and-time\n+0.001 S>C ncp reply\n{READ}"
            ),
        ),
        (
            "another connection",
            format!("{READ}{}{READ}", answered("connection=9 sequence=60")),
        ),
        (
            "packet burst",
            format!(
                "+0.010 C>S ncp burst-connect\n+0.001 S>C ncp reply\n{READ}{BURST}{BURST}{READ}"
            ),
        ),
        (
            "works on it",
            format!(
                "{READ}+0.010 C>S ncp read length=512\n+0.100 C>S again\n\
                 +0.001 S>C ncp being-processed\n+0.500 S>C ncp reply data=512\n{READ}"
            ),
        ),
        (
            "watchdog",
            format!("{READ}+30.000 S>C netware watchdog\n+0.001 C>S netware still-there\n{READ}"),
        ),
    ];
    for (name, lines) in cases {
        let text = format!(
            "title {name}\nethernet ii\nclient C ipx 00000022.020000002201:4003\n\
             server S ipx 00000022.020000000001:0451\n{lines}[answer]\n"
        );
        let scenario = Scenario::parse(name, &text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let found = analyse_frames(scenario.frames());
        assert!(found.transactions.len() >= 2, "{name}");
        assert_eq!(spent(&found)[2..], [0, 0], "{name}");
    }
}

/// A server that says that it works on a repeated request has it: a client that goes on has the response.
#[test]
fn who_goes_on_behind_a_server_that_works_has_the_response() {
    let mut text = "title A reply is missing\nethernet ii\n\
        client C ipx 00000022.020000002201:4003\nserver S ipx 00000022.020000000001:0451\n"
        .to_owned();
    for n in 1..=30 {
        let at = n * 1_000;
        text += &format!("{}.{:03} C>S ncp read length=512\n", at / 1_000, at % 1_000);
        if n == 15 {
            text += &format!("{}.500 C>S again\n{}.501 S>C ncp being-processed\n", n, n);
        } else {
            text += &format!("{}.002 S>C ncp reply data=512\n", n);
        }
    }
    text += "[answer]\n";
    let scenario = Scenario::parse("busy", &text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let found = analyse_frames(scenario.frames());
    let lost = |t: &&wirewait_analysis::Transaction| t.flags.contains(Flags::CAPTURE_LOSS);
    assert_eq!(found.transactions.iter().filter(lost).count(), 1);
    let counts = found.snapshot.servers[0].counts;
    assert_eq!((counts.unanswered, counts.capture_loss), (0, 1));
}

/// Frames cut to 512 bytes: responses that begin behind the cut are none that the server owes, and no client lost patience.
#[test]
fn responses_that_were_cut_off_are_not_missing() {
    let Some(folder) = captures("responses_that_were_cut_off_are_not_missing") else {
        return;
    };
    let name = "lab/11_smb2_compound_related_unrelated_srv.pcapng";
    let mut frames = owned_frames(&folder.join(name));
    let whole = analyse_frames(&frames).snapshot;
    frames
        .iter_mut()
        .for_each(|frame| frame.bytes.truncate(512));
    let found = analyse_frames(&frames).snapshot;
    let sum = |of: fn(&wirewait_analysis::Counts) -> u64| -> u64 {
        found.servers.iter().map(|row| of(&row.counts)).sum()
    };
    let of = |snapshot: &wirewait_analysis::Snapshot, name: &str| {
        snapshot.symptoms.raised().any(|s| s.rule.id == name)
    };
    assert!(!of(&whole, "requests_abandoned") && !of(&found, "requests_abandoned"));
    assert_eq!(sum(|counts| counts.unanswered), 0);
    assert!(sum(|counts| counts.capture_loss) > 400);
    let reasons = &found.capture.reasons;
    assert!(reasons.iter().any(|reason| reason.name == "lost_messages"));
}

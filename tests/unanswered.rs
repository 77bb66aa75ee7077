//! What a request without a response costs: until its time-out, until the next request on its connection, or until
//! that ends, whichever is first.

use crate::support::analyse_frames;
use wirewait_analysis::{LedgerOf, Phase};
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

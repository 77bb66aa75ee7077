use super::super::State;
use super::super::testing::{Bench, station};
use super::*;
use crate::path::Path;
use wirewait_wire::{Facts, Frame, LinkType, Span, Walk};

/// A frame from a station on the link under a network address.
struct Sent {
    station: u8,
    from: [u8; 4],
    cast: Cast,
    message: bool,
    packet: Option<u16>,
    interface: u32,
}

/// As which a host sends to itself.
const LOOPED: u8 = 255;

const ONE: Sent = Sent {
    station: 1,
    from: [10, 0, 0, 1],
    cast: Cast::Unicast,
    message: false,
    packet: None,
    interface: 0,
};

impl Bench {
    fn sent(&mut self, sent: &Sent, at_ns: i64) {
        self.last += 1;
        let frame = self.last as u64;
        let mut walk = Walk::default();
        walk.neighbours.0 = match sent.station {
            0 => Address::Mac([1, 0, 0x5e, 0, 0, 1]),
            LOOPED => LOOPBACK,
            n => station(n).address,
        };
        walk.message = sent.message.then(Span::default);
        walk.facts = Facts {
            from: Endpoint {
                address: Address::V4(sent.from),
                ..Endpoint::default()
            },
            cast: sent.cast,
            packet_id: sent.packet,
            ..Facts::default()
        };
        let now = wirewait_wire::Timestamp::from_nanos(at_ns);
        let frame_seen = Frame {
            at: now,
            link: LinkType(147),
            interface: sent.interface,
            wire_len: 60,
            bytes: &[],
        };
        let course = self.watch.course_mut();
        self.frames.seen(
            &Seen {
                before: &None,
                hops: None,
                mark: Mark { frame, at: now },
                frame: &frame_seen,
                on_wire: 0,
                walk: &walk,
                carrier: "",
                path: &Path::default(),
            },
            course,
        );
    }
}

/// 301 frames to everyone in a second, in two of them; 300 are none.
#[test]
fn a_storm() {
    let run = |per_second: i64, seconds: i64| {
        let mut bench = Bench::new();
        for second in 0..seconds {
            for n in 0..per_second {
                let sent = Sent {
                    cast: Cast::Broadcast,
                    ..ONE
                };
                bench.sent(&sent, second * 1_000_000_000 + n * 1_000_000);
            }
        }
        bench.state("broadcast_storm")
    };
    assert_eq!(run(301, 2), Some(State::Raised));
    assert_eq!(run(301, 1), Some(State::Below));
    assert_eq!(run(300, 9), None);
}

/// 51 messages in ten seconds, three times.
#[test]
fn a_station_that_calls_everyone() {
    let run = |messages: i64, message: bool| {
        let mut bench = Bench::new();
        for stretch in 0..3 {
            for n in 0..messages {
                let sent = Sent {
                    cast: Cast::Broadcast,
                    message,
                    ..ONE
                };
                bench.sent(&sent, stretch * 10_000_000_000 + n * 100_000_000);
            }
        }
        bench.state("excessive_group_messages")
    };
    assert_eq!(run(51, true), Some(State::Raised));
    assert_eq!(run(50, true), None);
    assert_eq!(run(51, false), None, "no message");
}

/// The address goes from station 1 to station 2 and back: the third frame is the first that
/// shows it.
#[test]
fn an_address_used_twice() {
    let run = |frames: usize, change: fn(&mut Sent, usize)| {
        let mut bench = Bench::new();
        for n in 0..frames {
            let mut sent = Sent {
                station: 1 + (n % 2) as u8,
                ..ONE
            };
            change(&mut sent, n);
            bench.sent(&sent, n as i64);
        }
        bench.state("duplicate_address")
    };
    assert_eq!(run(5, |_, _| ()), Some(State::Raised));
    assert_eq!(run(4, |_, _| ()), Some(State::Below));
    assert_eq!(
        run(9, |sent, n| sent.station = 1 + u8::from(n > 4)),
        None,
        "moved"
    );
    // Station 2 sends under other addresses too.
    let router = run(9, |sent, n| {
        if n == 7 {
            sent.from = [10, 0, 0, 77];
        }
    });
    assert_eq!(router, Some(State::Withdrawn(Against::Router)));
    // Station 2 hands on each packet of station 1.
    let handed_on = run(9, |sent, n| sent.packet = Some((n / 2) as u16));
    assert_eq!(handed_on, Some(State::Withdrawn(Against::Router)));
    // A server with a card at each of two links.
    let cards = run(9, |sent, n| sent.interface = (n % 2) as u32);
    assert_eq!(cards, None);
    // A host that calls itself and others, captured on all interfaces at once.
    let itself = run(9, |sent, n| {
        sent.station = if n % 2 == 0 { LOOPED } else { 1 };
    });
    assert_eq!(itself, None);
}

#[test]
fn a_group_sends_nothing() {
    let run = |stations: u8, frames: i64| {
        let mut bench = Bench::new();
        for n in 1..=stations {
            let sent = Sent {
                station: n,
                from: [10, 0, 0, n],
                ..ONE
            };
            bench.sent(&sent, 0);
        }
        for n in 0..frames {
            bench.sent(&Sent { station: 0, ..ONE }, n);
        }
        bench.state("illegal_source_address")
    };
    assert_eq!(run(2, 3), Some(State::Raised));
    assert_eq!(run(2, 2), Some(State::Below));
    assert_eq!(run(1, 3), Some(State::Withdrawn(Against::PointToPoint)));
    let from = |from: [u8; 4]| {
        let mut bench = Bench::new();
        for n in 0..3 {
            for (station, from) in [(1, from), (2, [10, 0, 0, 2]), (3, [10, 0, 0, 3])] {
                let sent = Sent {
                    station,
                    from,
                    ..ONE
                };
                bench.sent(&sent, n);
            }
        }
        bench.state("illegal_source_address")
    };
    assert_eq!(from([255; 4]), Some(State::Raised));
    // In a network of more than 256 addresses a station may have this one.
    assert_eq!(from([10, 1, 7, 255]), None);
}

//! Requests that are outstanding together: the way is no part of a turnaround that began while the request had been
//! there already, and a wait by design takes nothing from what a client does besides. The answer is what the server
//! worked and the client thought, by the simulation's own clock; captured at both ends.

use crate::support::{Folder, capture_of, program};
use serde_json::Value;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use wirewait_synth::OwnedFrame;
use wirewait_synth::ethernet::{Encapsulation, Header, frame};
use wirewait_synth::ipv4::{Segment, Socket, flag, packet, tcp};
use wirewait_synth::smb2::{self, command, request, response};
use wirewait_wire::{LinkType, Timestamp};

const US: i64 = 1_000;
const MS: i64 = 1_000 * US;

/// One client and one server, whose requests wait in one queue.
struct Case {
    name: &'static str,
    connections: usize,
    /// Requests outstanding on each.
    together: usize,
    reads: usize,
    /// Each way, the server's work, and the client's before its next request, ns.
    way: i64,
    work: i64,
    think: i64,
    /// A CHANGE_NOTIFY is outstanding all the time.
    notify: bool,
}

/// Whose the time was, ns, and both captures.
struct Ran {
    client: i64,
    server: i64,
    ends: [Vec<OwnedFrame>; 2],
}

/// One connection.
#[derive(Clone)]
struct Bytes {
    /// What each side has sent, and when.
    sent: [Vec<(i64, u32)>; 2],
    /// The next message.
    next: u64,
}

impl Bytes {
    /// Sequence number behind what this side sent until `at`.
    fn behind(&self, side: usize, at: i64) -> u32 {
        let sent = self.sent[side].iter().rev();
        sent.copied()
            .find(|(when, _)| *when <= at)
            .map_or(1, |(_, behind)| behind)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Happens {
    Asks,
    Arrives(u64),
    Replies(u64),
    Answered,
}

impl Case {
    fn run(&self) -> Ran {
        let mut ran = Ran {
            client: 0,
            server: 0,
            ends: [Vec::new(), Vec::new()],
        };
        let mut bytes = vec![
            Bytes {
                sent: [Vec::new(), Vec::new()],
                next: 0
            };
            self.connections
        ];
        let mut events = BinaryHeap::new();
        let mut left = self.reads;
        for (connection, of) in bytes.iter_mut().enumerate() {
            let at = 700 * US * connection as i64;
            self.handshake(connection, at, &mut ran);
            let ready = at + 2 * self.way + 50 * US;
            if self.notify {
                let body = request::change_notify(7);
                let message = self.message(command::CHANGE_NOTIFY, 0, 0, body);
                self.send(connection, of, ready, 0, &message, &mut ran);
                of.next += 1;
            }
            for n in 0..self.together {
                let at = ready + 5 * US * (n as i64 + 1);
                events.push(Reverse((at, connection, Happens::Asks)));
            }
        }
        let (mut free, mut open, mut since) = (0i64, 0usize, None);
        while let Some(Reverse((now, connection, what))) = events.pop() {
            let of = &mut bytes[connection];
            match what {
                Happens::Asks if left == 0 => {}
                Happens::Asks => {
                    left -= 1;
                    if open == 0 {
                        ran.client += since.map_or(0, |since| now - since);
                    }
                    open += 1;
                    let number = of.next;
                    of.next += 1;
                    let body = request::read(7, number * 1024, 1024);
                    let message = self.message(command::READ, 0, number, body);
                    self.send(connection, of, now, 0, &message, &mut ran);
                    events.push(Reverse((
                        now + self.way,
                        connection,
                        Happens::Arrives(number),
                    )));
                }
                Happens::Arrives(number) => {
                    free = free.max(now) + self.work;
                    ran.server += self.work;
                    events.push(Reverse((free, connection, Happens::Replies(number))));
                }
                Happens::Replies(number) => {
                    let body = response::read(&[7; 1024]);
                    let message = self.message(command::READ, smb2::flag::RESPONSE, number, body);
                    self.send(connection, of, now, 1, &message, &mut ran);
                    events.push(Reverse((now + self.way, connection, Happens::Answered)));
                }
                Happens::Answered => {
                    open -= 1;
                    since = Some(now);
                    events.push(Reverse((now + self.think, connection, Happens::Asks)));
                }
            }
        }
        for end in &mut ran.ends {
            end.sort_by_key(|frame| frame.at);
        }
        ran
    }

    fn message(&self, command: u16, flags: u32, message: u64, body: Vec<u8>) -> Vec<u8> {
        let header = smb2::Header {
            command,
            status: 0,
            credit_charge: 1,
            credits: 64,
            flags,
            message,
            asynchronous: 0,
            tree: 1,
            session: 9,
        };
        let message = smb2::message(&[(header, body)]);
        let mut out = u32::try_from(message.len()).unwrap().to_be_bytes().to_vec();
        out.extend(message);
        out
    }

    /// A message of one segment, which acknowledges what its sender has.
    fn send(
        &self,
        connection: usize,
        of: &mut Bytes,
        at: i64,
        side: usize,
        data: &[u8],
        ran: &mut Ran,
    ) {
        let sequence = of.behind(side, i64::MAX);
        let acknowledgement = of.behind(1 - side, at - self.way);
        self.segment(
            (connection, side),
            at,
            ran,
            &Segment {
                sequence,
                acknowledgement,
                flags: flag::ACK | flag::PSH,
                window: 65_535,
                options: &[],
                data,
            },
        );
        let behind = sequence + u32::try_from(data.len()).unwrap();
        of.sent[side].push((at, behind));
    }

    fn handshake(&self, connection: usize, at: i64, ran: &mut Ran) {
        let plain = |sequence, acknowledgement, flags| Segment {
            sequence,
            acknowledgement,
            flags,
            window: 65_535,
            options: &[],
            data: &[],
        };
        let (syn, ack) = (flag::SYN, flag::ACK);
        self.segment((connection, 0), at, ran, &plain(0, 0, syn));
        let at = at + self.way;
        self.segment((connection, 1), at, ran, &plain(0, 1, syn | ack));
        let at = at + self.way;
        self.segment((connection, 0), at, ran, &plain(1, 1, ack));
    }

    /// Seen at once where it is sent, and behind the way at the other end.
    fn segment(
        &self,
        (connection, side): (usize, usize),
        at: i64,
        ran: &mut Ran,
        segment: &Segment<'_>,
    ) {
        let socket = |of: usize| Socket {
            address: Ipv4Addr::new(10, 0, 0, [2, 9][of]),
            port: [50_000 + u16::try_from(connection).unwrap(), 445][of],
        };
        let (from, to) = (socket(side), socket(1 - side));
        let id = u16::try_from(ran.ends[side].len() & 0xffff).unwrap();
        let ip = packet(from.address, to.address, 6, id, &tcp(from, to, segment));
        let mac = |of: usize| [2, 0, 0, 0, 0, [2, 9][of]];
        let header = Header {
            destination: mac(1 - side),
            source: mac(side),
            vlan: None,
        };
        let bytes = frame(&header, Encapsulation::Type(0x0800), &ip);
        for end in 0..2 {
            let at = at + if end == side { 0 } else { self.way };
            ran.ends[end].push(OwnedFrame {
                at: Timestamp::from_nanos(1_700_000_000_000_000_000 + at),
                link: LinkType::ETHERNET,
                interface: 0,
                wire_len: u32::try_from(bytes.len()).unwrap(),
                bytes: bytes.clone(),
            });
        }
    }
}

fn json(arguments: &[&str], files: &[&Path]) -> Value {
    let output = program()
        .args(arguments)
        .args(["--format", "json"])
        .args(files)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Thousandths of the active time, from and to.
fn share(verdict: &Value, of: &str) -> [f64; 2] {
    ["low_per_mille", "high_per_mille"].map(|bound| verdict["shares"][of][bound].as_f64().unwrap())
}

/// Runs the case, and looks at both ends and at both together; widest interval in points, and who is named.
fn holds(case: &Case, widest: f64, culprit: &str) {
    let ran = case.run();
    let folder = Folder::new("overlapping");
    let files: Vec<PathBuf> = (0..2)
        .map(|end| {
            let path = folder.join(format!("{}-{end}.pcapng", case.name));
            std::fs::write(&path, capture_of(&ran.ends[end])).unwrap();
            path
        })
        .collect();
    for (end, file) in files.iter().enumerate() {
        let report = json(&["report", "--no-config"], &[file]);
        let verdict = &report["verdict"];
        let active = verdict["active_ns"].as_f64().unwrap();
        let of = |ns: i64| ns as f64 / active * 1000.0;
        let network = 1000.0 - of(ran.client) - of(ran.server);
        let truths = [
            ("client", of(ran.client)),
            ("network", network),
            ("server", of(ran.server)),
        ];
        for (name, truth) in truths {
            let [low, high] = share(verdict, name);
            let name = format!("{}, end {end}, {name}", case.name);
            assert!(
                low - 8.0 <= truth && truth <= high + 8.0,
                "{name}: {truth} in {low} to {high}"
            );
            assert!(high - low <= widest * 10.0, "{name}: {low} to {high}");
        }
        assert_eq!(verdict["culprit"], culprit, "{}, end {end}", case.name);
    }
    let joined = json(&["between"], &[&files[0], &files[1]]);
    let of = |name: &str| joined[name].as_f64().unwrap();
    let active = of("client_ns") + of("way_ns") + of("server_ns") + of("unknown_ns");
    let near = |name: &str, truth: i64| {
        let off = (of(name) - truth as f64).abs() / active;
        assert!(
            off < 0.01,
            "{}: {name} {} and not {truth}",
            case.name,
            of(name)
        );
    };
    near("server_ns", ran.server);
    near("client_ns", ran.client);
}

const QUEUE: Case = Case {
    name: "queue",
    connections: 1,
    together: 8,
    reads: 300,
    way: 1_500 * US,
    work: 4 * MS,
    think: 50 * US,
    notify: false,
};

/// The server is never without a request: all of the time is its own, however long the way.
#[test]
fn a_full_queue_is_the_servers() {
    holds(&QUEUE, 5.0, "server");
    let far = Case {
        name: "far",
        together: 16,
        way: 10 * MS,
        work: 2 * MS,
        reads: 600,
        ..QUEUE
    };
    holds(&far, 5.0, "server");
}

/// Two are too few to fill a way of 3 ms: the server works 1.6 ms of 3.8.
#[test]
fn a_short_queue_leaves_part_of_the_way() {
    let short = Case {
        name: "short",
        together: 2,
        work: 800 * US,
        think: 10 * US,
        ..QUEUE
    };
    holds(&short, 50.0, "network");
}

/// Each connection has one request outstanding, and the client never waits for less than both.
#[test]
fn two_connections_of_one_client() {
    let two = Case {
        name: "two",
        connections: 2,
        together: 1,
        work: 800 * US,
        think: 10 * US,
        ..QUEUE
    };
    holds(&two, 50.0, "network");
}

/// A client thinks 50 ms between reads, while it waits to be told of changes in a folder.
#[test]
fn a_wait_by_design_takes_nothing_from_the_client() {
    let notify = Case {
        name: "notify",
        together: 1,
        reads: 200,
        way: 100 * US,
        work: MS,
        think: 50 * MS,
        notify: true,
        ..QUEUE
    };
    holds(&notify, 10.0, "client");
}

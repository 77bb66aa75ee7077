//! Ways whose delay varies: what was on its way is not the server's time, nor the client's. Sequential requests in
//! virtual time over TCP, on a line that keeps frames in order, captured at both ends; the answer is in the log of who
//! made them.

use crate::support::analyse_frames;
use std::net::Ipv4Addr;
use wirewait_judge::{Culprit, Finding, Verdict};
use wirewait_synth::ethernet::{self, Encapsulation};
use wirewait_synth::ipv4::{self, Segment, Socket, flag};
use wirewait_synth::smb2::{self, command, request, response};
use wirewait_synth::{OwnedFrame, Random, file_data};
use wirewait_wire::{LinkType, Timestamp};

const US: i64 = 1_000;
const MS: i64 = 1_000_000;
/// Thousandths that the two ends, and the first frames and the last, may make.
const TOLERANCE: i64 = 5;
/// Thousandths: intervals are narrower where requests have acknowledgements of their own. 150 are aimed at.
const NARROW: i64 = 170;
const CLIENT: usize = 0;
const SERVER: usize = 1;
/// Bytes of data in a frame, beside a time stamp.
const MOST: usize = 1448;

/// How long something takes.
#[derive(Clone, Copy)]
enum Takes {
    Always(i64),
    /// Anything between the two.
    Between(i64, i64),
    /// The first; one time in ten between the two behind it.
    Mostly(i64, i64, i64),
    /// The first; the second for three of each ten tenths of a second.
    InBursts(i64, i64),
}

impl Takes {
    fn ns(self, at: i64, random: &mut Random) -> i64 {
        let between = |random: &mut Random, from: i64, to: i64| {
            from + random.below((to - from).unsigned_abs()).cast_signed()
        };
        match self {
            Self::Always(ns) => ns,
            Self::Between(from, to) => between(random, from, to),
            Self::Mostly(ns, from, to) if random.below(10) > 0 => {
                let _ = (from, to);
                ns
            }
            Self::Mostly(_, from, to) => between(random, from, to),
            Self::InBursts(_, late) if at / (100 * MS) % 10 > 6 => late,
            Self::InBursts(ns, _) => ns,
        }
    }
}

struct Case {
    name: &'static str,
    way: Takes,
    /// Each frame is as late by itself, and not all of one direction of an exchange.
    by_frame: bool,
    /// Segments have time stamps, of the sender's clock in ticks of so long.
    stamps: Option<i64>,
    server: Takes,
    client: Takes,
    writes: bool,
    bytes: usize,
    calls: u64,
    /// Whom the captures at the client and at the server show.
    shown: [Finding; 2],
    /// Where the interval of the network is narrow.
    narrow: [bool; 2],
}

/// Stations, and the line between them.
struct Run<'a> {
    case: &'a Case,
    random: Random,
    delay: [i64; 2],
    /// When the latest frame of each direction was there.
    there: [i64; 2],
    next: [u32; 2],
    ids: [u16; 2],
    /// As captured at the client and at the server.
    captured: [Vec<OwnedFrame>; 2],
    /// ns of client, network and server.
    had: [i64; 3],
}

const SOCKETS: [Socket; 2] = [
    Socket {
        address: Ipv4Addr::new(10, 0, 0, 2),
        port: 49_152,
    },
    Socket {
        address: Ipv4Addr::new(10, 0, 0, 9),
        port: 445,
    },
];

impl<'a> Run<'a> {
    fn of(case: &'a Case) -> Self {
        let mut run = Self {
            case,
            random: Random::new(18),
            delay: [0; 2],
            there: [0; 2],
            next: [1_000, 700_000],
            ids: [0; 2],
            captured: [Vec::new(), Vec::new()],
            had: [0; 3],
        };
        run.all();
        for frames in &mut run.captured {
            frames.sort_by_key(|frame| frame.at);
        }
        run
    }

    /// This side sends a segment; when it is there.
    fn sends(&mut self, side: usize, at: i64, flags: u8, data: &[u8]) -> i64 {
        let (from, to) = (SOCKETS[side], SOCKETS[1 - side]);
        if self.case.by_frame {
            self.delay[side] = self.case.way.ns(at, &mut self.random);
        }
        let there = (at + self.delay[side]).max(self.there[side] + US);
        self.there[side] = there;
        let options = self.case.stamps.map(|tick| {
            let stamp = |side: usize| (0xffff_ff00 + side as u32).wrapping_add((at / tick) as u32);
            // RFC 7323, 3.2, behind two that do nothing; nobody looks at the echo.
            let [own, echo] = [side, 1 - side].map(|side| stamp(side).to_be_bytes());
            [[1, 1, 8, 10], own, echo].concat()
        });
        let segment = Segment {
            sequence: self.next[side],
            acknowledgement: self.next[1 - side],
            flags,
            window: 65_000,
            options: options.as_deref().unwrap_or_default(),
            data,
        };
        let opens = u32::from(flags & flag::SYN != 0);
        self.next[side] += data.len() as u32 + opens;
        self.ids[side] += 1;
        let segment = ipv4::tcp(from, to, &segment);
        let packet = ipv4::packet(
            from.address,
            to.address,
            ipv4::TCP,
            self.ids[side],
            &segment,
        );
        let mac = |side: usize| [2, 0, 0, 0, 0, side as u8];
        let header = ethernet::Header {
            destination: mac(1 - side),
            source: mac(side),
            vlan: None,
        };
        let bytes = ethernet::frame(&header, Encapsulation::Type(0x0800), &packet);
        for (end, frames) in self.captured.iter_mut().enumerate() {
            frames.push(OwnedFrame {
                at: Timestamp::from_nanos(if end == side { at } else { there }),
                link: LinkType::ETHERNET,
                interface: 0,
                wire_len: bytes.len() as u32,
                bytes: bytes.clone(),
            });
        }
        there
    }

    /// A message, each second segment of which is acknowledged at once; when all of it is there.
    fn message(&mut self, side: usize, at: i64, message: &[u8]) -> i64 {
        let mut bytes = (message.len() as u32).to_be_bytes().to_vec();
        bytes.extend_from_slice(message);
        let [acknowledged, before] = [self.next[side], self.next[1 - side]];
        let mut there = at;
        let mut ends = Vec::new();
        for (n, piece) in (0..).zip(bytes.chunks(MOST)) {
            there = self.sends(side, at + n * US, flag::ACK | flag::PSH, piece);
            ends.push((there, self.next[side]));
        }
        let all = self.next[side];
        for pair in ends.as_chunks::<2>().0 {
            let (there, end) = pair[1];
            self.next[side] = end;
            self.sends(1 - side, there + US, flag::ACK, &[]);
        }
        self.next[side] = all;
        assert!(acknowledged < all && before == self.next[1 - side]);
        there
    }

    /// A request and its response: from when to when.
    fn call(&mut self, at: i64, [request, response]: [&[u8]; 2], server: i64) -> i64 {
        for side in [CLIENT, SERVER] {
            self.delay[side] = self.case.way.ns(at, &mut self.random);
        }
        let there = self.message(CLIENT, at, request);
        let end = self.message(SERVER, there + server, response);
        self.had[1] += end - at - server;
        self.had[2] += server;
        end
    }

    fn all(&mut self) {
        let case = self.case;
        self.delay = [case.way.ns(0, &mut self.random); 2];
        let at = self.sends(CLIENT, 0, flag::SYN, &[]);
        let at = self.sends(SERVER, at + US, flag::SYN | flag::ACK, &[]);
        self.sends(CLIENT, at + US, flag::ACK, &[]);
        let data = file_data(0, case.bytes);
        let mut at = at + MS;
        for number in 0..case.calls {
            let (what, asks, answers) = match case.writes {
                true => (
                    command::WRITE,
                    request::write(1, number, &data),
                    response::write(case.bytes as u32),
                ),
                false => (
                    command::READ,
                    request::read(1, number, case.bytes as u32),
                    response::read(&data),
                ),
            };
            let [asks, answers] = [(0, asks), (1, answers)].map(|(flags, body)| {
                let header = smb2::Header {
                    command: what,
                    status: 0,
                    credit_charge: 1,
                    credits: 1,
                    flags,
                    message: number,
                    asynchronous: 0,
                    tree: 1,
                    session: 7,
                };
                smb2::message(&[(header, body)])
            });
            let server = case.server.ns(at, &mut self.random);
            let end = self.call(at, [&asks, &answers], server);
            at = end;
            if number + 1 < case.calls {
                let client = case.client.ns(at, &mut self.random);
                self.had[0] += client;
                at += client;
            }
        }
    }
}

const NAMED: Finding = Finding::Named(Culprit::Network);
const SERVERS: Finding = Finding::Named(Culprit::Server);
const SERVER_OR: Finding = Finding::Either(Culprit::Network, Culprit::Server);
const CLIENT_OR: Finding = Finding::Either(Culprit::Client, Culprit::Network);

/// Server and client take 1 ms, and each way 1.5 to 8 ms: of 11.5 ms, each of them has 8.7 % and the network 82.6.
fn varies(name: &'static str) -> Case {
    Case {
        name,
        way: Takes::Between(3 * MS / 2, 8 * MS),
        by_frame: false,
        stamps: None,
        server: Takes::Always(MS),
        client: Takes::Always(MS),
        writes: false,
        bytes: 8_000,
        calls: 200,
        shown: [SERVER_OR, NAMED],
        narrow: [false, true],
    }
}

fn cases() -> Vec<Case> {
    vec![
        // Requests have acknowledgements of their own at the client, and responses at the server.
        Case {
            writes: true,
            shown: [NAMED, CLIENT_OR],
            narrow: [true, false],
            ..varies("writes")
        },
        varies("reads"),
        // Neither has.
        Case {
            bytes: 1_000,
            shown: [SERVER_OR, CLIENT_OR],
            narrow: [false, false],
            ..varies("short reads")
        },
        Case {
            writes: true,
            by_frame: true,
            // What comes behind an acknowledgement may have waited for it, which leaves more open.
            shown: [NAMED, NAMED],
            narrow: [false, false],
            ..varies("writes, frame by frame")
        },
        Case {
            by_frame: true,
            shown: [NAMED, NAMED],
            ..varies("reads, frame by frame")
        },
        // Mostly 0.5 ms, and each tenth direction of an exchange 20 to 60.
        Case {
            way: Takes::Mostly(MS / 2, 20 * MS, 60 * MS),
            writes: true,
            calls: 300,
            shown: [NAMED, CLIENT_OR],
            narrow: [true, false],
            ..varies("writes, a few late")
        },
        // 120 ms each way for three tenths of each second. Without stamps of the senders, at the client, that is the server's
        // time: nothing shows that it is not.
        Case {
            way: Takes::InBursts(MS / 2, 120 * MS),
            calls: 2_000,
            stamps: Some(MS),
            shown: [SERVER_OR, NAMED],
            narrow: [false, false],
            ..varies("bursts, with stamps")
        },
        Case {
            way: Takes::InBursts(MS / 2, 120 * MS),
            calls: 2_000,
            stamps: Some(10 * MS),
            shown: [SERVER_OR, NAMED],
            narrow: [false, false],
            ..varies("bursts, with coarse stamps")
        },
        // Stamps say nothing against a server that is late in bursts.
        Case {
            way: Takes::Always(MS / 2),
            server: Takes::InBursts(MS, 120 * MS),
            calls: 2_000,
            stamps: Some(MS),
            shown: [SERVER_OR, SERVERS],
            narrow: [false, true],
            ..varies("a server with bursts, with stamps")
        },
        // It is the server that varies, by as much, and acknowledgements show it.
        Case {
            way: Takes::Always(3 * MS / 2),
            server: Takes::Between(MS, 14 * MS),
            writes: true,
            shown: [SERVERS, SERVERS],
            narrow: [true, false],
            ..varies("a server that varies, writes")
        },
        // A steady way is as narrow as ever.
        Case {
            way: Takes::Always(5 * MS),
            shown: [NAMED, NAMED],
            narrow: [true, true],
            ..varies("a steady way, reads")
        },
        Case {
            way: Takes::Always(5 * MS),
            writes: true,
            shown: [NAMED, NAMED],
            narrow: [true, true],
            ..varies("a steady way, writes")
        },
        // So is a server that always sleeps.
        Case {
            way: Takes::Always(MS / 2),
            server: Takes::Always(8 * MS),
            shown: [SERVERS, SERVERS],
            narrow: [true, true],
            ..varies("a server that sleeps, reads")
        },
    ]
}

#[test]
fn what_varies_on_the_way_is_nobody_elses() {
    let mut wrong = Vec::new();
    for case in cases() {
        let run = Run::of(&case);
        let active: i64 = run.had.iter().sum();
        let truth = run.had.map(|ns| ns * 1000 / active);
        for (end, name) in ["client", "server"].into_iter().enumerate() {
            let found = analyse_frames(&run.captured[end]);
            let verdict = Verdict::on(&found.snapshot);
            let shares = Culprit::ALL.map(|who| verdict.share(who).thousandths);
            let row = format!(
                "{}, at the {name}: {truth:?} in {shares:?}, {:?}",
                case.name, verdict.finding
            );
            println!("{row}");
            let inside = shares.iter().zip(truth).all(|(share, true_share)| {
                let [low, high] = [share.low, share.high].map(u64::cast_signed);
                (low - TOLERANCE..=high + TOLERANCE).contains(&true_share)
            });
            let width = (shares[1].high - shares[1].low).cast_signed();
            if !inside || verdict.finding != case.shown[end] || case.narrow[end] && width >= NARROW
            {
                wrong.push(row);
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

//! Time within a transfer or a turnaround that is a station's own: a closed receive window, an acknowledgement that is
//! kept waiting while the sender waits for it, an oplock that another client holds. Each traffic is captured at both
//! ends; what it must give is what the stations that made it did, added up here.

use crate::support::{Analysis, Folder, analyse_frames, capture_of, program};
use serde_json::Value;
use std::net::Ipv4Addr;
use wirewait_analysis::{LedgerOf, Phase, StallCause, State};
use wirewait_judge::{Culprit, Finding, Verdict};
use wirewait_synth::OwnedFrame;
use wirewait_synth::ethernet::{self, Encapsulation};
use wirewait_synth::ipv4::{self, Segment, Socket, flag};
use wirewait_synth::smb1;
use wirewait_synth::smb1::transaction::{self, TransactionPart};
use wirewait_synth::smb2::{self, Header, PENDING, command, request, response};
use wirewait_wire::{LinkType, Timestamp};

pub(crate) const US: i64 = 1_000;
pub(crate) const MS: i64 = 1_000_000;
/// Data in a full segment.
pub(crate) const FULL: usize = 1460;
pub(crate) const OPEN: u16 = 65_535;
/// A longer pause is idle.
const THINK: i64 = 500 * MS;
/// The sides of a connection.
pub(crate) const CLIENT: usize = 0;
pub(crate) const SERVER: usize = 1;
pub(crate) const ENDS: [usize; 2] = [CLIENT, SERVER];

/// What the stations did, ns: a client's requests one after the other.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Did {
    client: i64,
    server: i64,
    active: i64,
    /// When its latest request was over.
    over: Option<i64>,
}

impl Did {
    /// A request from then to then, of which this was the client's (or another client's), and the server's.
    pub(crate) fn call(&mut self, (from, to): (i64, i64), client: i64, server: i64) {
        let gap = self.over.map_or(0, |over| from - over);
        if gap <= THINK {
            self.client += gap;
            self.active += gap;
        }
        self.client += client;
        self.server += server;
        self.active += to - from;
        self.over = Some(to);
    }

    /// Of the time until then nothing is known.
    pub(crate) fn unknown_until(&mut self, at: i64) {
        self.over = Some(at);
    }

    fn and(self, other: Self) -> Self {
        Self {
            client: self.client + other.client,
            server: self.server + other.server,
            active: self.active + other.active,
            over: None,
        }
    }

    /// Per mille of the active time, in the order of [`Culprit::ALL`].
    pub(crate) fn shares(&self) -> [i64; 3] {
        let network = self.active - self.client - self.server;
        [self.client, network, self.server].map(|ns| ns * 1000 / self.active)
    }
}

/// A connection, and the wire between its ends.
pub(crate) struct Link {
    sockets: [Socket; 2],
    /// From each end to the capture, ns.
    pub(crate) ways: [i64; 2],
    next: [u32; 2],
    /// What each end has of the other.
    has: [u32; 2],
    id: [u16; 2],
    pub(crate) message: u64,
    frames: Vec<OwnedFrame>,
    pub(crate) did: Did,
    pub(crate) at: i64,
}

impl Link {
    /// A client with this last byte of its address, captured at `end`, `way` ns from the other one.
    pub(crate) fn new(client: u8, end: usize, way: i64) -> Self {
        let mut link = Self::connected(client, end, way);
        link.negotiate();
        link
    }

    /// As [`Self::new`], and nothing was said yet.
    pub(crate) fn connected(client: u8, end: usize, way: i64) -> Self {
        let socket = |last, port| Socket {
            address: Ipv4Addr::new(10, 1, 0, last),
            port,
        };
        let mut ways = [way, way];
        ways[end] = 10 * US;
        let mut link = Self {
            sockets: [socket(client, 49_152), socket(9, 445)],
            ways,
            next: [1_000, 500_000],
            has: [0; 2],
            id: [1, 1],
            message: 0,
            frames: Vec::new(),
            did: Did::default(),
            at: 1_000_000 * MS,
        };
        let at = link.segment(CLIENT, link.at, (flag::SYN, OPEN), &[]);
        link.has[SERVER] = link.next[CLIENT];
        let at = link.segment(SERVER, at + US, (flag::SYN | flag::ACK, OPEN), &[]);
        link.has[CLIENT] = link.next[SERVER];
        link.at = link.acknowledges(CLIENT, at + US, OPEN) + 100 * US;
        link
    }

    /// `side` sends one; when it arrives.
    fn segment(&mut self, side: usize, at: i64, (flags, window): (u8, u16), data: &[u8]) -> i64 {
        let [from, to] = [self.sockets[side], self.sockets[1 - side]];
        let syn = flags & flag::SYN != 0;
        let segment = Segment {
            sequence: self.next[side],
            acknowledgement: self.has[side],
            flags,
            window,
            options: if syn { &[2, 4, 5, 0xb4] } else { &[] },
            data,
        };
        self.next[side] = self.next[side].wrapping_add(data.len() as u32 + u32::from(syn));
        self.id[side] = self.id[side].wrapping_add(1);
        let segment = ipv4::tcp(from, to, &segment);
        let packet = ipv4::packet(from.address, to.address, ipv4::TCP, self.id[side], &segment);
        let mac = |socket: Socket| [2, 0, 0, 0, 0, socket.address.octets()[3]];
        let header = ethernet::Header {
            destination: mac(to),
            source: mac(from),
            vlan: None,
        };
        let bytes = ethernet::frame(&header, Encapsulation::Type(0x0800), &packet);
        self.frames.push(OwnedFrame {
            at: Timestamp::from_nanos(at + self.ways[side]),
            link: LinkType::ETHERNET,
            interface: 0,
            wire_len: bytes.len() as u32,
            bytes,
        });
        at + self.ways[0] + self.ways[1]
    }

    pub(crate) fn acknowledges(&mut self, side: usize, at: i64, window: u16) -> i64 {
        self.has[side] = self.next[1 - side];
        self.segment(side, at, (flag::ACK, window), &[])
    }

    /// `side` sends these bytes at once; when the last of them arrives.
    pub(crate) fn sends(&mut self, side: usize, at: i64, data: &[u8]) -> i64 {
        let mut at = at;
        let mut arrives = at;
        for part in data.chunks(FULL) {
            arrives = self.segment(side, at, (flag::ACK | flag::PSH, OPEN), part);
            at += US;
        }
        self.has[1 - side] = self.next[side];
        arrives
    }

    fn message(&self, side: usize, command: u16, status: u32, body: Vec<u8>) -> Vec<u8> {
        let header = Header {
            command,
            status,
            credit_charge: 1,
            credits: 1,
            flags: if side == SERVER {
                smb2::flag::RESPONSE
            } else {
                0
            },
            message: self.message,
            asynchronous: 0,
            tree: 1,
            session: 0x77,
        };
        framed(&[(header, body)])
    }

    /// A request that the server answers behind so long, and its response.
    fn call(&mut self, command: u16, bodies: [Vec<u8>; 2], server: i64) {
        let began = self.at;
        let [asked, answered] = bodies;
        let asked = self.message(CLIENT, command, 0, asked);
        let answered = self.message(SERVER, command, 0, answered);
        let at = self.sends(CLIENT, began, &asked) + server;
        let end = self.sends(SERVER, at, &answered);
        self.over((began, end), 0, server);
    }

    pub(crate) fn over(&mut self, span: (i64, i64), client: i64, server: i64) {
        self.did.call(span, client, server);
        self.message += 1;
        self.at = span.1 + MS;
    }

    fn negotiate(&mut self) {
        let bodies = [request::negotiate(&[0x0210]), response::negotiate(0x0210)];
        self.call(command::NEGOTIATE, bodies, 300 * US);
        self.opens(1, "a.dat");
    }

    fn opens(&mut self, file: u64, name: &str) {
        let bodies = [request::create(name, 9), response::create(file, 1 << 20, 9)];
        self.call(command::CREATE, bodies, 300 * US);
    }

    /// A response to a read, and a request to write, of this number of bytes, behind what was sent before it.
    fn transfer(&self, side: usize, bytes: usize) -> Vec<u8> {
        let data = vec![7; bytes];
        match side {
            SERVER => self.message(SERVER, command::READ, 0, response::read(&data)),
            _ => self.message(CLIENT, command::WRITE, 0, request::write(1, 0, &data)),
        }
    }

    /// A read, or a write, of `bytes`, which `sender` sends in two parts: what happens between its first
    /// part, of `first` bytes, and the second says `between`, with when the first has arrived; it gives when the sender
    /// goes on, and how long the other one was the reason that it did not.
    fn in_two(
        &mut self,
        (sender, bytes, first): (usize, usize, usize),
        between: impl Fn(&mut Self, i64) -> (i64, i64),
    ) {
        self.in_parts((sender, 1 - sender, bytes, first), between);
    }

    /// As [`Self::in_two`], where `whose` was the reason.
    fn in_parts(
        &mut self,
        (sender, whose, bytes, first): (usize, usize, usize, usize),
        between: impl Fn(&mut Self, i64) -> (i64, i64),
    ) {
        const WORKS: i64 = MS;
        let began = self.at;
        let data = self.transfer(sender, bytes);
        let (head, rest) = data.split_at(first);
        let begins = match sender {
            SERVER => {
                let asked =
                    self.message(CLIENT, command::READ, 0, request::read(1, 0, bytes as u32));
                self.sends(CLIENT, began, &asked) + WORKS
            }
            _ => began,
        };
        let arrived = self.sends(sender, begins, head);
        let (goes_on, own) = between(self, arrived);
        let mut end = self.sends(sender, goes_on, rest);
        if sender == CLIENT {
            let answered = self.message(SERVER, command::WRITE, 0, response::write(bytes as u32));
            end = self.sends(SERVER, end + WORKS, &answered);
        }
        let (client, server) = match whose {
            CLIENT => (own, 0),
            _ => (0, own),
        };
        self.over((began, end), client, server + WORKS);
    }

    /// The receiver has all of the first part and says so; so long after that, the sender sends the rest.
    fn stopped(&mut self, sender: usize, parts: (usize, usize), ns: i64) {
        let (bytes, first) = parts;
        self.in_parts((sender, sender, bytes, first), |link, arrived| {
            let told = link.acknowledges(1 - sender, arrived, OPEN);
            (told + ns, ns)
        });
    }

    /// The sender sends one segment, whose acknowledgement is lost behind the capture, another one when its timer runs out, and the
    /// rest when that is acknowledged.
    fn probed(&mut self, sender: usize) {
        let began = self.at;
        let data = self.transfer(sender, 8_000);
        let mut at = began;
        if sender == SERVER {
            let asked = self.message(CLIENT, command::READ, 0, request::read(1, 0, 8_000));
            at = self.sends(CLIENT, began, &asked) + MS;
        }
        let arrived = self.sends(sender, at, &data[..FULL]);
        self.acknowledges(1 - sender, arrived, OPEN);
        let arrived = self.sends(sender, at + 212 * MS, &data[FULL..2 * FULL]);
        let told = self.acknowledges(1 - sender, arrived, OPEN);
        at = told + 20 * US;
        let mut end = self.sends(sender, at, &data[2 * FULL..]);
        if sender == CLIENT {
            let answered = self.message(SERVER, command::WRITE, 0, response::write(8_000));
            end = self.sends(SERVER, end + MS, &answered);
        }
        self.over((began, end), 0, MS);
    }

    /// A message of which each segment takes so long on the line, and is acknowledged as it comes.
    fn slowly(&mut self, sender: usize, bytes: usize, ns: i64) {
        let began = self.at;
        let data = self.transfer(sender, bytes);
        let mut at = began;
        if sender == SERVER {
            let asked = self.message(CLIENT, command::READ, 0, request::read(1, 0, bytes as u32));
            at = self.sends(CLIENT, began, &asked) + MS;
        }
        let mut end = at;
        for part in data.chunks(FULL) {
            // The line is before the capture where that is at the receiver.
            let left = self.ways[0] + self.ways[1];
            end = self.sends(sender, at + ns - left, part);
            self.acknowledges(1 - sender, end, OPEN);
            at = end;
        }
        if sender == CLIENT {
            let answered = self.message(SERVER, command::WRITE, 0, response::write(bytes as u32));
            end = self.sends(SERVER, end + MS, &answered);
        }
        self.over((began, end), 0, MS);
    }

    /// A message of which each segment is sent so long after the one before is acknowledged.
    pub(crate) fn steadily(&mut self, sender: usize, bytes: usize, ns: i64) {
        let began = self.at;
        let data = self.transfer(sender, bytes);
        let (mut at, mut own) = (began, 0);
        if sender == SERVER {
            let asked = self.message(CLIENT, command::READ, 0, request::read(1, 0, bytes as u32));
            at = self.sends(CLIENT, began, &asked) + MS;
        }
        let mut end = at;
        for part in data.chunks(FULL) {
            end = self.sends(sender, at, part);
            at = self.acknowledges(1 - sender, end, OPEN) + ns;
            own += ns;
        }
        own -= ns;
        let (client, mut server) = if sender == SERVER { (0, own) } else { (own, 0) };
        if sender == CLIENT {
            let answered = self.message(SERVER, command::WRITE, 0, response::write(bytes as u32));
            end = self.sends(SERVER, end + MS, &answered);
        }
        server += MS;
        self.over((began, end), client, server);
    }

    /// The receiver says that it can take nothing more, and so long after that, that it can.
    fn closed_window(&mut self, sender: usize, ns: i64) {
        self.in_two((sender, 32_768, 16_060), |link, arrived| {
            let told = link.acknowledges(1 - sender, arrived, 0);
            let opens = arrived + ns;
            let goes_on = link.acknowledges(1 - sender, opens, OPEN);
            (goes_on, opens - told)
        });
    }

    /// The sender fills the window, whose receiver acknowledges nothing before its program reads, so long after that came.
    fn filled_window(&mut self, sender: usize, ns: i64) {
        self.in_two((sender, 100_000, 44 * FULL), |link, arrived| {
            let goes_on = link.acknowledges(1 - sender, arrived + ns, OPEN);
            (goes_on, ns)
        });
    }

    /// What does not fill it is acknowledged at once.
    fn acknowledged_at_once(&mut self, sender: usize) {
        self.in_two((sender, 4_000, 2 * FULL), |link, arrived| {
            (link.acknowledges(1 - sender, arrived, OPEN), 0)
        });
    }

    /// The receiver acknowledges the only segment on its way so much later, and the sender waits for that.
    fn delayed_acknowledgement(&mut self, sender: usize, ns: i64) {
        self.in_two((sender, 2_000, FULL), |link, arrived| {
            let told = link.acknowledges(1 - sender, arrived + ns, OPEN);
            (told + 20 * US, ns)
        });
    }
}

fn framed(parts: &[(Header, Vec<u8>)]) -> Vec<u8> {
    let message = smb2::message(parts);
    let mut out = (message.len() as u32).to_be_bytes().to_vec();
    out.extend(message);
    out
}

/// A message of SMB 1 with this number.
pub(crate) fn smb1_message(side: usize, number: u16, block: smb1::Block) -> Vec<u8> {
    let header = smb1::Header {
        flags: if side == SERVER { 0x80 } else { 0 },
        mid: number,
        status: 0,
        flags2: 0,
        connectionless: (0, 0),
        tid: 1,
        pid: 1,
        uid: 1,
    };
    let message = smb1::message(&header, &[block]);
    let mut framed = (message.len() as u32).to_be_bytes().to_vec();
    framed.extend(message);
    framed
}

/// What several connections did.
impl Link {
    /// Two writes at once. The server has both responses ready `works` behind them, and sends the second, which is no full segment, only
    /// behind the acknowledgement of the first if it `holds` it; else so long behind that as it still works. The client acknowledges `ns` late.
    fn held_response(&mut self, ns: i64, holds: bool, works: i64) {
        const FIRST: i64 = MS;
        let began = self.at;
        let asks = |link: &Self| link.transfer(CLIENT, 512);
        let told = |link: &Self| link.message(SERVER, command::WRITE, 0, response::write(512));
        let (asked, first) = (asks(self), told(self));
        self.sends(CLIENT, began, &asked);
        self.message += 1;
        let (asked, second) = (asks(self), told(self));
        let arrived = self.sends(CLIENT, began + US, &asked);
        let arrived = self.sends(SERVER, arrived + FIRST, &first);
        let sent = arrived - self.ways[0] - self.ways[1];
        let heard = self.acknowledges(CLIENT, arrived + ns, OPEN);
        let (at, client, server) = match holds {
            true => (heard + 20 * US, ns, FIRST),
            false => (sent + works, 0, FIRST + works),
        };
        let end = self.sends(SERVER, at, &second);
        self.over((began, end), client, server);
    }
}

impl Link {
    /// A search whose response is three messages: a server that waits for its transport sends each behind the acknowledgement of the one
    /// before, which the client keeps, as it has less than two segments of it.
    fn found_in_parts(&mut self, ns: i64) {
        const WORKS: i64 = MS;
        const PART: usize = 4_000;
        let began = self.at;
        self.message += 1;
        let number = self.message as u16;
        let message = |side: usize, block| smb1_message(side, number, block);
        let search = transaction::find_first2("*", 100);
        let part = TransactionPart::of(search, Vec::new(), 0, 0);
        let asked = message(CLIENT, transaction::transaction2(1, &part));
        let mut at = self.sends(CLIENT, began, &asked) + WORKS;
        let parameters = transaction::find_first2_answer(100);
        let mut end = at;
        for from in [0, PART, 2 * PART] {
            let part = TransactionPart::of(parameters.clone(), vec![7; 3 * PART], from, PART);
            let part = message(SERVER, transaction::transaction2_response(&part));
            let sent = self.sends(SERVER, at, &part[..2 * FULL]);
            self.acknowledges(CLIENT, sent, OPEN);
            end = self.sends(SERVER, at + 3 * US, &part[2 * FULL..]);
            if from < 2 * PART {
                at = self.acknowledges(CLIENT, end + ns, OPEN) + 500 * US;
            }
        }
        // What its transport takes to tell the server is the network's, as all of a transfer that no stall is.
        self.over((began, end), 2 * ns, WORKS);
    }
}

/// Forty windows that are filled, behind twelve transfers that show the way.
fn forty_filled(sender: usize, end: usize, way: i64, ns: i64) -> (Vec<OwnedFrame>, Did) {
    let mut link = Link::new(2, end, way);
    (0..12).for_each(|_| link.acknowledged_at_once(sender));
    (0..40).for_each(|_| link.filled_window(sender, ns));
    captured(vec![link])
}

pub(crate) fn captured(links: Vec<Link>) -> (Vec<OwnedFrame>, Did) {
    let did = links
        .iter()
        .fold(Did::default(), |sum, link| sum.and(link.did));
    let mut frames: Vec<OwnedFrame> = links.into_iter().flat_map(|link| link.frames).collect();
    frames.sort_by_key(|frame| frame.at);
    (frames, did)
}

/// Forty of them.
fn forty(end: usize, way: i64, each: impl Fn(&mut Link)) -> (Vec<OwnedFrame>, Did) {
    let mut link = Link::new(2, end, way);
    (0..40).for_each(|_| each(&mut link));
    captured(vec![link])
}

/// A second client opens thirty files that the first one has, and gives back `hold` later; `pause` is between two.
fn broken(from: (usize, i64), hold: i64, pause: i64) -> (Vec<OwnedFrame>, Did) {
    broken_for(from, (hold, pause), "f")
}

/// How a client gives an oplock back.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Gives {
    /// It says so.
    Acknowledges,
    /// It closes the file.
    Closes,
    /// It does not, until the server has waited for so long.
    Never,
}

/// As [`broken`]; the names of what the second client opens begin with this, and those of the first one's with "f".
fn broken_for(from: (usize, i64), times: (i64, i64), opens: &str) -> (Vec<OwnedFrame>, Did) {
    broken_and_given(from, times, opens, Gives::Acknowledges)
}

fn broken_and_given(
    (end, way): (usize, i64),
    (hold, pause): (i64, i64),
    opens: &str,
    gives_by: Gives,
) -> (Vec<OwnedFrame>, Did) {
    let [mut holder, mut other] = [2, 3].map(|last| Link::new(last, end, way));
    for file in 10..40 {
        let name = format!("f{file}.doc");
        let start = holder.at.max(other.at) + pause;
        holder.at = start;
        holder.opens(file, &name);
        other.at = holder.at + MS;
        let began = other.at;
        let name = format!("{opens}{file}.doc");
        let asked = other.message(CLIENT, command::CREATE, 0, request::create(&name, 9));
        let came = other.sends(CLIENT, began, &asked);
        let interim = other.message(SERVER, command::CREATE, PENDING, response::error());
        let works = 300 * US;
        other.sends(SERVER, came + works, &interim);
        let breaks = Header {
            command: command::OPLOCK_BREAK,
            status: 0,
            credit_charge: 0,
            credits: 0,
            flags: smb2::flag::RESPONSE,
            message: u64::MAX,
            asynchronous: 0,
            tree: 0,
            session: 0,
        };
        let breaks = framed(&[(breaks, request::oplock_break(file, 0))]);
        let told = holder.sends(SERVER, came + works, &breaks);
        let gives = told + hold;
        let given = match gives_by {
            Gives::Acknowledges => {
                let body = || request::oplock_break(file, 0);
                Some((command::OPLOCK_BREAK, [body(), body()]))
            }
            Gives::Closes => Some((command::CLOSE, [request::close(file), response::close()])),
            Gives::Never => None,
        };
        let came = match given {
            Some((by, [asked_by, answered_by])) => {
                let acknowledges = holder.message(CLIENT, by, 0, asked_by);
                let came = holder.sends(CLIENT, gives, &acknowledges);
                let answer = holder.message(SERVER, by, 0, answered_by);
                let end = holder.sends(SERVER, came + 100 * US, &answer);
                holder.over((gives, end), 0, 100 * US);
                came
            }
            None => came + works + hold,
        };
        let opened = other.message(
            SERVER,
            command::CREATE,
            0,
            response::create(file + 100, 1 << 20, 0),
        );
        let end = other.sends(SERVER, came + 100 * US, &opened);
        other.over((began, end), hold, works + 100 * US);
    }
    captured(vec![holder, other])
}

struct Expected<'a> {
    culprit: Culprit,
    /// By the name that programs have of it.
    stall: &'static str,
    /// In the sentence.
    words: &'a str,
    symptom: &'static str,
    never: &'static [&'static str],
}

/// A station as the verdict names it, and as it calls it.
pub(crate) fn station(end: usize) -> (Culprit, &'static str) {
    match end {
        CLIENT => (Culprit::Client, "client"),
        _ => (Culprit::Server, "server"),
    }
}

/// Intervals are narrower than this, per mille, and may miss the truth by so much.
const NARROW: u64 = 150;
pub(crate) const TOLERANCE: i64 = 5;

/// Each share is within its interval, and that is narrow.
pub(crate) fn assert_within(name: &str, verdict: &Verdict, did: &Did) {
    for (culprit, truth) in Culprit::ALL.into_iter().zip(did.shares()) {
        let share = verdict.share(culprit).thousandths;
        let [low, high] = [share.low, share.high].map(|of| of as i64);
        let within = low - TOLERANCE <= truth && truth <= high + TOLERANCE;
        assert!(
            within,
            "{name}: {culprit:?} is {truth} and not {low} to {high}"
        );
        assert!(
            share.high - share.low < NARROW,
            "{name}: {culprit:?} {low} to {high} is wide"
        );
    }
}

fn judged(name: &str, frames: &[OwnedFrame], did: &Did, expected: &Expected<'_>) -> Analysis {
    let found = analyse_frames(frames);
    let verdict = Verdict::on(&found.snapshot);
    assert_eq!(
        verdict.finding,
        Finding::Named(expected.culprit),
        "{name}: {verdict:?}"
    );
    assert_within(name, &verdict, did);
    let stall = verdict.stall.unwrap_or_else(|| panic!("{name}: no stall"));
    let part = stall.thousandths;
    assert_eq!(stall.cause.name(), expected.stall, "{name}");
    assert!(part > 900, "{name}: {part}");
    // The symptom has the same time.
    let raised: Vec<_> = found.snapshot.symptoms.raised().collect();
    let symptom = raised
        .iter()
        .find(|symptom| symptom.rule.id == expected.symptom);
    let cost = symptom
        .unwrap_or_else(|| panic!("{name}: {raised:?}"))
        .hits
        .cost_ns;
    assert_eq!(cost, stall.whole_ns, "{name}");
    for rule in expected.never {
        let mut all = found.snapshot.symptoms.found.iter();
        let raised = all.any(|s| s.rule.id == *rule && s.state == State::Raised);
        assert!(!raised, "{name}: {rule}");
    }
    // Rows of each kind have all of it.
    let sum = |wanted: fn(&LedgerOf) -> bool| -> [u64; Phase::ALL.len()] {
        let rows = found.snapshot.ledgers.iter().filter(|row| wanted(&row.of));
        rows.fold([0; Phase::ALL.len()], |mut sum, row| {
            for (sum, phase) in sum.iter_mut().zip(Phase::ALL) {
                *sum += row.ledger.get(phase);
            }
            sum
        })
    };
    let total = sum(|of| matches!(of, LedgerOf::Capture));
    assert_eq!(total, sum(|of| matches!(of, LedgerOf::Server(_))), "{name}");
    assert_eq!(total, sum(|of| matches!(of, LedgerOf::Client(_))), "{name}");
    assert_eq!(
        total,
        sum(|of| matches!(of, LedgerOf::Operation { .. })),
        "{name}"
    );
    let active = verdict.active_ns as i64;
    assert!(
        (active - did.active).abs() * 200 <= did.active,
        "{name}: {active} and not {}",
        did.active
    );
    said(name, frames, expected);
    found
}

/// Text, page and JSON say the same.
fn said(name: &str, frames: &[OwnedFrame], expected: &Expected<'_>) {
    let folder = Folder::new("stalls");
    let capture = folder.join(format!("{name}.pcap"));
    std::fs::write(&capture, capture_of(frames)).unwrap();
    let run = |format: &str| {
        let mut report = program();
        let report = report.args(["report", "--format", format]).arg(&capture);
        let output = report.output().unwrap();
        assert!(output.status.success(), "{name}");
        String::from_utf8(output.stdout).unwrap()
    };
    let json: Value = serde_json::from_str(&run("json")).unwrap();
    let verdict = &json["verdict"];
    let sentence = verdict["sentence"].as_str().unwrap();
    assert!(sentence.contains(expected.words), "{name}: {sentence}");
    assert!(
        !sentence.contains("between their requests"),
        "{name}: {sentence}"
    );
    assert_eq!(verdict["culprit"], expected.culprit.name(), "{name}");
    assert_eq!(verdict["stall"], expected.stall, "{name}");
    assert!(
        verdict["stall_share"].as_f64() > Some(0.9),
        "{name}: {verdict}"
    );
    let flat = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = flat(run("text"));
    assert!(
        text.contains(sentence),
        "{name}: {sentence} is not in {text:.600}"
    );
    let html = flat(run("html")).replace("&#39;", "'");
    assert!(html.contains(expected.words), "{name}: html");
}

/// The client's program reads nothing for 150 ms in each response; the server can take nothing for as long in each request.
#[test]
fn a_closed_window_is_its_stations_time() {
    for sender in ENDS {
        let (culprit, whose) = station(1 - sender);
        let words = format!("was with a {whose}'s receive window closed");
        for end in ENDS {
            for way in [100 * US, 5 * MS] {
                let (frames, did) = forty(end, way, |link| link.closed_window(sender, 150 * MS));
                let expected = Expected {
                    culprit,
                    stall: "closed_window",
                    words: &words,
                    symptom: "receiver_busy",
                    never: &["slow_server", "server_busy"],
                };
                let name = format!("window-{sender}-{end}-{way}");
                judged(&name, &frames, &did, &expected);
            }
        }
    }
}

/// A program reads what fills its window so late, each time, and its kernel says nothing before that: neither the way nor the
/// line takes so long.
#[test]
fn a_window_that_is_full_until_a_program_reads_is_its_stations_time() {
    let cases = [30 * MS, 150 * MS].into_iter().flat_map(|late| {
        [100 * US, MS].into_iter().flat_map(move |way| {
            let pairs = ENDS
                .into_iter()
                .flat_map(|sender| ENDS.map(|end| (sender, end)));
            pairs.map(move |(sender, end)| (late, way, sender, end))
        })
    });
    for (late, way, sender, end) in cases {
        let (culprit, _) = station(1 - sender);
        let (frames, did) = forty_filled(sender, end, way, late);
        let name = format!("full-{sender}-{end}-{way}-{late}");
        let verdict = Verdict::on(&analyse_frames(&frames).snapshot);
        assert_eq!(
            verdict.finding,
            Finding::Named(culprit),
            "{name}: {verdict:?}"
        );
        let stall = verdict.stall.unwrap_or_else(|| panic!("{name}: no stall"));
        assert_eq!(stall.cause, StallCause::ClosedWindow, "{name}");
        let (share, truth) = (
            verdict.share(culprit).thousandths,
            did.shares()[culprit as usize],
        );
        let [low, high] = [share.low, share.high].map(|of| of as i64);
        assert!(
            low - TOLERANCE <= truth && truth <= high + TOLERANCE,
            "{name}: {truth} and not {low} to {high}"
        );
    }
}

/// A way of 30 ms, over which a window that is full keeps a sender waiting for as long as it takes there and back.
#[test]
fn a_window_that_is_full_over_a_long_way_is_the_networks_time() {
    for (sender, end) in [
        (SERVER, CLIENT),
        (SERVER, SERVER),
        (CLIENT, CLIENT),
        (CLIENT, SERVER),
    ] {
        let (frames, did) = forty_filled(sender, end, 30 * MS, 0);
        let verdict = Verdict::on(&analyse_frames(&frames).snapshot);
        let named = Finding::Named(Culprit::Network);
        assert_eq!(verdict.finding, named, "{sender} {end}: {verdict:?}");
        let network = verdict.share(Culprit::Network).thousandths;
        let truth = did.shares()[1];
        assert!(
            network.low as i64 - 2 * TOLERANCE <= truth && truth <= network.high as i64 + TOLERANCE,
            "{sender} {end}: {network:?} and not {truth}"
        );
    }
}

/// A window that was closed while nothing was held back by it says nothing.
#[test]
fn a_window_that_is_closed_between_messages_is_nobodys() {
    let mut link = Link::new(2, CLIENT, 100 * US);
    for _ in 0..40 {
        let bodies = [request::read(1, 0, 512), response::read(&[7; 512])];
        link.call(command::READ, bodies, MS);
        let at = link.at;
        link.acknowledges(CLIENT, at, 0);
        link.acknowledges(CLIENT, at + 150 * MS, OPEN);
        link.at = at + 151 * MS;
    }
    let (frames, did) = captured(vec![link]);
    let found = analyse_frames(&frames);
    let verdict = Verdict::on(&found.snapshot);
    assert_eq!(verdict.stall, None, "{verdict:?}");
    assert_eq!(verdict.finding, Finding::Named(Culprit::Client));
    let share = verdict.share(Culprit::Client).thousandths;
    assert!(
        (did.shares()[0] - share.high as i64).abs() <= TOLERANCE,
        "{share:?}"
    );
}

/// The holder takes 700 ms, and 20 ms; the server sends the break at once, and responds at once.
#[test]
fn an_oplock_that_another_client_holds_is_a_clients_time() {
    let expected = Expected {
        culprit: Culprit::Client,
        stall: "break",
        words: "was waiting for another client to give its oplock back",
        symptom: "break_waits",
        never: &[
            "slow_server",
            "server_busy",
            "slow_answers",
            "regular_slow_answers",
        ],
    };
    let (frames, did) = broken((SERVER, 100 * US), 700 * MS, 600 * MS);
    judged("break-700", &frames, &did, &expected);
    // All that is beside it is active time, too: the holder's own, and pauses.
    for (way, hold) in [(100 * US, 20), (100 * US, 400), (5 * MS, 400)] {
        let (frames, did) = broken((SERVER, way), hold * MS, 50 * MS);
        let found = analyse_frames(&frames).snapshot;
        let verdict = Verdict::on(&found);
        assert_eq!(
            verdict.finding,
            Finding::Named(Culprit::Client),
            "{way} {hold}"
        );
        assert_within(&format!("break-{hold}-{way}"), &verdict, &did);
        let sum = found.stalls.of(false, StallCause::Break);
        let least = 30 * hold * MS;
        let most = 30 * (hold * MS + 2 * way + 10 * US);
        assert!((least..=most).contains(&(sum.whole_ns as i64)), "{sum:?}");
        assert!(sum.ns as i64 <= least, "{sum:?}");
        assert_eq!(sum.count, 30);
    }
}

/// A capture of 96 bytes of each frame has no more of a break than that it is one, and of 128 with options of TCP neither.
#[test]
fn a_break_that_is_cut_off_is_a_clients_time() {
    let (whole, did) = broken((SERVER, 100 * US), 700 * MS, 600 * MS);
    for length in [96, 128] {
        let mut frames = whole.clone();
        for frame in &mut frames {
            frame.bytes.truncate(length);
        }
        let found = analyse_frames(&frames).snapshot;
        let verdict = Verdict::on(&found);
        assert_eq!(
            verdict.finding,
            Finding::Named(Culprit::Client),
            "{length}: {verdict:?}"
        );
        assert_within(&format!("cut-{length}"), &verdict, &did);
        assert_eq!(found.stalls.of(false, StallCause::Break).count, 30);
    }
}

/// The holder closes the file instead of saying that it gives its oplock back.
#[test]
fn an_oplock_that_is_given_back_by_closing_is_a_clients_time() {
    let expected = Expected {
        culprit: Culprit::Client,
        stall: "break",
        words: "was waiting for another client to give its oplock back",
        symptom: "break_waits",
        never: &["slow_server", "server_busy", "slow_answers"],
    };
    let (frames, did) =
        broken_and_given((SERVER, 100 * US), (700 * MS, 600 * MS), "f", Gives::Closes);
    judged("closes-700", &frames, &did, &expected);
}

/// The holder does not say anything, and the server gives up after 35 s. One that takes 3 s, which is less than any server
/// waits for that, takes them for something else.
#[test]
fn an_oplock_that_is_never_given_back_is_a_clients_time() {
    let expected = Expected {
        culprit: Culprit::Client,
        stall: "break",
        words: "was waiting for another client, 10.1.0.2, to give its oplock back",
        symptom: "break_waits",
        never: &["slow_server", "server_busy", "slow_answers"],
    };
    let (frames, did) = broken_and_given(
        (SERVER, 100 * US),
        (35_000 * MS, 600 * MS),
        "f",
        Gives::Never,
    );
    judged("never", &frames, &did, &expected);
    let (frames, _) = broken_and_given(
        (SERVER, 100 * US),
        (3_000 * MS, 600 * MS),
        "f",
        Gives::Never,
    );
    let verdict = Verdict::on(&analyse_frames(&frames).snapshot);
    assert_eq!(verdict.finding, Finding::Named(Culprit::Server));
}

/// While a client gives another file back, the server takes its time for an open.
#[test]
fn a_break_of_another_file_keeps_nobody_waiting() {
    let (frames, _) = broken_for((SERVER, 100 * US), (700 * MS, 600 * MS), "g");
    let found = analyse_frames(&frames).snapshot;
    let verdict = Verdict::on(&found);
    assert_eq!(
        verdict.finding,
        Finding::Named(Culprit::Server),
        "{verdict:?}"
    );
    assert_eq!(verdict.stall, None);
    let raised = found
        .symptoms
        .raised()
        .any(|symptom| symptom.rule.id == "break_waits");
    assert!(!raised);
}

/// Nagle's algorithm holds the rest of each message until the receiver's delayed acknowledgement.
#[test]
fn a_delayed_acknowledgement_is_its_receivers_time() {
    for sender in ENDS {
        let (culprit, whose) = station(1 - sender);
        let words = format!("was waiting for a {whose}'s delayed acknowledgements");
        for end in ENDS {
            for delay in [45 * MS, 200 * MS] {
                let (frames, did) = forty(end, 100 * US, |link| {
                    link.delayed_acknowledgement(sender, delay)
                });
                let expected = Expected {
                    culprit,
                    stall: "delayed_acknowledgement",
                    words: &words,
                    symptom: "acknowledgement_waits",
                    never: &["slow_server"],
                };
                let name = format!("delayed-{sender}-{end}-{delay}");
                judged(&name, &frames, &did, &expected);
            }
        }
    }
}

/// As for the rest of a message, for a whole response behind another one.
#[test]
fn an_acknowledgement_for_which_the_next_response_waits_is_the_clients_time() {
    for end in ENDS {
        for delay in [45 * MS, 200 * MS] {
            let (frames, did) = forty(end, 100 * US, |link| link.held_response(delay, true, 0));
            let expected = Expected {
                culprit: Culprit::Client,
                stall: "delayed_acknowledgement",
                words: "was waiting for a client's delayed acknowledgements",
                symptom: "acknowledgement_waits",
                never: &["slow_server", "queueing", "server_busy"],
            };
            let name = format!("held-{end}-{delay}");
            judged(&name, &frames, &did, &expected);
        }
    }
}

/// As within a message, between the messages of one response.
#[test]
fn an_acknowledgement_for_which_the_next_part_waits_is_the_clients_time() {
    for end in ENDS {
        let mut link = Link::connected(2, end, 100 * US);
        (0..40).for_each(|_| link.found_in_parts(200 * MS));
        let (frames, did) = captured(vec![link]);
        let expected = Expected {
            culprit: Culprit::Client,
            stall: "delayed_acknowledgement",
            words: "was waiting for a client's delayed acknowledgements",
            symptom: "acknowledgement_waits",
            never: &["slow_server", "queueing", "server_busy"],
        };
        judged(&format!("parts-{end}"), &frames, &did, &expected);
    }
}

/// A server that works for longer than the client keeps its acknowledgement has all of that time, also where one in eight of its
/// responses comes right behind it.
#[test]
fn a_response_behind_an_acknowledgement_by_chance_is_its_servers_time() {
    for end in ENDS {
        let count = std::cell::Cell::new(0);
        let (frames, did) = forty(end, 100 * US, |link| {
            let turn = count.replace(count.get() + 1);
            let works = if turn % 8 == 7 {
                45_250 * US
            } else {
                (50 + turn) * MS
            };
            link.held_response(45 * MS, false, works);
        });
        let found = analyse_frames(&frames).snapshot;
        let verdict = Verdict::on(&found);
        assert_eq!(verdict.finding, Finding::Named(Culprit::Server), "{end}");
        assert_within("by chance", &verdict, &did);
        let sum = found.stalls.of(false, StallCause::DelayedAcknowledgement);
        assert_eq!(sum.count, 0, "{sum:?}");
    }
}

/// A round trip of 60 ms is no delay of the receiver: its acknowledgement is as far as every other one.
#[test]
fn an_acknowledgement_that_is_far_away_is_the_networks_time() {
    for end in ENDS {
        let (frames, did) = forty(end, 30 * MS, |link| link.delayed_acknowledgement(SERVER, 0));
        let verdict = Verdict::on(&analyse_frames(&frames).snapshot);
        assert_eq!(
            verdict.finding,
            Finding::Named(Culprit::Network),
            "{end}: {verdict:?}"
        );
        let share = verdict.share(Culprit::Client).thousandths;
        assert_eq!(verdict.stall, None);
        let truth = did.shares()[0];
        let within =
            share.low as i64 - TOLERANCE <= truth && truth <= share.high as i64 + TOLERANCE;
        assert!(within, "{end}: {truth} and not {share:?}");
    }
}

/// Half of a message, then nothing though all of it is acknowledged and the window is open, then the rest.
#[test]
fn who_stops_within_a_message_has_that_time() {
    for sender in ENDS {
        let (culprit, whose) = station(sender);
        let words = format!("was with a {whose} stopped in the middle of a message");
        for end in ENDS {
            for way in [100 * US, 5 * MS] {
                // The rest is half of it, or a single segment.
                for parts in [(32_768, 16_060), (16_100, 16_060)] {
                    let (frames, did) =
                        forty(end, way, |link| link.stopped(sender, parts, 300 * MS));
                    let name = format!("stopped-{sender}-{end}-{way}-{}", parts.0);
                    let found = analyse_frames(&frames);
                    let verdict = Verdict::on(&found.snapshot);
                    assert_eq!(
                        verdict.finding,
                        Finding::Named(culprit),
                        "{name}: {verdict:?}"
                    );
                    assert_within(&name, &verdict, &did);
                    let stall = verdict.stall.unwrap();
                    assert_eq!(
                        (stall.cause, stall.of),
                        (StallCause::Stopped, culprit),
                        "{name}"
                    );
                    let expected = Expected {
                        culprit,
                        stall: "stopped",
                        words: &words,
                        symptom: "",
                        never: &[],
                    };
                    said(&name, &frames, &expected);
                }
            }
        }
    }
}

/// A line of 64 kbit/s takes 190 ms for each segment: its receiver has acknowledged all when the next one comes.
#[test]
fn a_slow_line_is_no_sender_that_stops() {
    for sender in ENDS {
        let (frames, _) = forty(1 - sender, 100 * US, |link| {
            link.slowly(sender, 6_000, 190 * MS)
        });
        let found = analyse_frames(&frames).snapshot;
        for server in [false, true] {
            let sum = found.stalls.of(server, StallCause::Stopped);
            assert_eq!(sum.count, 0, "{sender}: {sum:?}");
        }
        if sender == SERVER {
            let verdict = Verdict::on(&found);
            assert_eq!(
                verdict.finding,
                Finding::Named(Culprit::Network),
                "{verdict:?}"
            );
        }
    }
}

/// A round trip of 300 ms, of which nothing is known as the capture began later: each flight waits for the one before.
#[test]
fn a_sender_that_waits_for_its_acknowledgements_has_not_stopped() {
    for sender in ENDS {
        let far = 150 * MS;
        let (frames, did) = forty(1 - sender, far, |link| {
            link.stopped(sender, (32_768, 16_060), 0)
        });
        for frames in [&frames[..], &frames[3..]] {
            let verdict = Verdict::on(&analyse_frames(frames).snapshot);
            let [client, _, server] = did.shares();
            for (culprit, truth) in [(Culprit::Client, client), (Culprit::Server, server)] {
                let low = verdict.share(culprit).thousandths.low as i64;
                assert!(
                    low <= truth + TOLERANCE,
                    "{sender}: {culprit:?} {low} {truth}"
                );
            }
            assert_eq!(verdict.stall, None, "{sender}");
        }
    }
}

/// Its data was lost before the capture: a number is missing, and a timer runs out.
#[test]
fn data_that_was_lost_before_the_capture_stops_nobody() {
    for sender in ENDS {
        let (frames, _) = forty(1 - sender, 100 * US, |link| {
            link.in_parts((sender, sender, 32_768, 16_060), |link, arrived| {
                let told = link.acknowledges(1 - sender, arrived, OPEN);
                link.id[sender] = link.id[sender].wrapping_add(1);
                (told + 204 * MS, 0)
            });
        });
        let verdict = Verdict::on(&analyse_frames(&frames).snapshot);
        let finding = Finding::Named(Culprit::Network);
        assert_eq!(verdict.finding, finding, "{sender}: {verdict:?}");
    }
}

/// An acknowledgement is lost behind the capture, and the sender's timer sends one more segment: that time is the network's.
#[test]
fn a_sender_that_lacks_an_acknowledgement_has_not_stopped() {
    for sender in ENDS {
        let (frames, _) = forty(sender, MS, |link| link.probed(sender));
        let found = analyse_frames(&frames).snapshot;
        for server in [false, true] {
            let sum = found.stalls.of(server, StallCause::Stopped);
            assert_eq!(sum.count, 0, "{sender}: {sum:?}");
        }
        let finding = Verdict::on(&found).finding;
        assert_eq!(finding, Finding::Named(Culprit::Network), "{sender}");
    }
}

//! A dialogue over TCP whose segments come cut, swapped, repeated and overlapping. As nothing
//! is lost, it must give the same transactions as in whole messages and in order.

use super::analysis::{self, Found};
use super::input::Choices;
use std::net::Ipv4Addr;
use wirewait_analysis::Settings;
use wirewait_synth::ethernet::{self, Encapsulation};
use wirewait_synth::ipv4::{self, Segment, Socket, flag};
use wirewait_synth::smb2::{self, command, request, response};
use wirewait_wire::{Frame, LinkType, Timestamp};

const CLIENT: Socket = Socket {
    address: Ipv4Addr::new(10, 0, 0, 1),
    port: 50_000,
};
const SERVER: Socket = Socket {
    address: Ipv4Addr::new(10, 0, 0, 9),
    port: 445,
};
/// Fewer than the analysis holds back.
const SEGMENTS: usize = 100;

/// Plays the dialogue that `data` describes both ways and compares.
///
/// # Panics
/// When the two differ.
pub(crate) fn play(data: &[u8]) {
    let mut choices = Choices(data);
    let mut plain = Wire::new(&mut choices);
    let mut wild = Wire {
        frames: plain.frames.clone(),
        ..plain
    };
    let mut message = 1;
    for _ in 0..1 + choices.byte() % 4 {
        let mut directions: [Vec<Vec<u8>>; 2] = Default::default();
        for _ in 0..1 + choices.byte() % 4 {
            let (ask, reply, taken) = exchange(&mut choices, message);
            message += taken;
            directions[0].push(ask);
            directions[1].push(reply);
        }
        for (side, messages) in directions.iter().enumerate() {
            for message in messages {
                plain.send(side, 0, message);
                plain.next[side] = plain.next[side].wrapping_add(message.len() as u32);
            }
            wild.scramble(side, &messages.concat(), &mut choices);
        }
    }
    let [plain, wild] = [plain, wild].map(Wire::found);
    assert_eq!(wild.reason("gaps"), 0, "nothing is missing");
    assert_eq!(plain.transactions.len() as u64, message - 1);
    assert_eq!(essence(&wild), essence(&plain));
}

/// What does not depend on how the bytes came.
fn essence(found: &Found) -> Vec<String> {
    let mut all: Vec<String> = found
        .transactions
        .iter()
        .map(|t| {
            let handle = t.file.map(|f| (f.handle, f.offset));
            format!(
                "{:?} {} {:?} {:?} asked {} data {} bytes {} {} chain {} file {handle:?}",
                t.outcome,
                t.operation.name,
                t.kind,
                t.status,
                t.asked_bytes,
                t.data_bytes,
                t.request_bytes,
                t.response_bytes,
                t.chain.iter().count(),
            )
        })
        .collect();
    all.sort();
    all
}

/// A request and its response, framed, and how many transactions they are.
fn exchange(choices: &mut Choices<'_>, message: u64) -> (Vec<u8>, Vec<u8>, u64) {
    let kind = choices.byte();
    let size = usize::from(choices.word()) % 20_000;
    let data = vec![kind; size];
    let header = |command, flags, index: u64| smb2::Header {
        command,
        status: 0,
        credit_charge: 1,
        credits: 1,
        flags,
        message: message + index,
        asynchronous: 0,
        tree: 5,
        session: 7,
    };
    let one = |command, ask, reply| {
        (
            vec![(header(command, 0, 0), ask)],
            vec![(header(command, smb2::flag::RESPONSE, 0), reply)],
        )
    };
    let (ask, reply) = match kind % 5 {
        0 => one(command::ECHO, request::bare(), response::bare()),
        1 => one(
            command::READ,
            request::read(3, 4096, size as u32),
            response::read(&data),
        ),
        2 => one(
            command::WRITE,
            request::write(3, 4096, &data),
            response::write(size as u32),
        ),
        3 => one(command::CLOSE, request::close(3), response::close()),
        _ => {
            let (mut ask, mut reply) = one(
                command::WRITE,
                request::write(3, 0, &data),
                response::write(size as u32),
            );
            ask.push((
                header(command::READ, 0, 1),
                request::read(3, 0, size as u32),
            ));
            reply.push((
                header(command::READ, smb2::flag::RESPONSE, 1),
                response::read(&data),
            ));
            (ask, reply)
        }
    };
    let taken = ask.len() as u64;
    (framed(&ask), framed(&reply), taken)
}

/// With the header of SMB over port 445.
fn framed(parts: &[(smb2::Header, Vec<u8>)]) -> Vec<u8> {
    let message = smb2::message(parts);
    let mut out = (message.len() as u32).to_be_bytes().to_vec();
    out.extend(message);
    out
}

/// The capture of one connection.
struct Wire {
    frames: Vec<Vec<u8>>,
    /// The sequence number of each side's next byte.
    next: [u32; 2],
    /// The first of each side's.
    origin: [u32; 2],
}

impl Wire {
    fn new(choices: &mut Choices<'_>) -> Self {
        let mut number = || u32::from(choices.word()) << 16 | u32::from(choices.word());
        let origin = [number(), number()];
        let mut wire = Self {
            frames: Vec::new(),
            next: origin.map(|n| n.wrapping_sub(1)),
            origin,
        };
        wire.frame(0, wire.next[0], flag::SYN, b"");
        wire.next[0] = origin[0];
        wire.frame(1, wire.next[1], flag::SYN | flag::ACK, b"");
        wire.next[1] = origin[1];
        wire.frame(0, wire.next[0], flag::ACK, b"");
        wire
    }

    /// Data `offset` bytes behind what this side has sent.
    fn send(&mut self, side: usize, offset: u32, data: &[u8]) {
        self.frame(side, self.next[side].wrapping_add(offset), flag::ACK, data);
    }

    fn frame(&mut self, side: usize, sequence: u32, flags: u8, data: &[u8]) {
        let (from, to) = [(CLIENT, SERVER), (SERVER, CLIENT)][side];
        let segment = Segment {
            sequence,
            acknowledgement: self.next[1 - side],
            flags,
            window: 8192,
            options: &[],
            data,
        };
        let tcp = ipv4::tcp(from, to, &segment);
        // An identification of its own: no frame is another's copy.
        let id = self.frames.len() as u16 + 1;
        let packet = ipv4::packet(from.address, to.address, ipv4::TCP, id, &tcp);
        let header = ethernet::Header {
            destination: [2, 0, 0, 0, 0, 1],
            source: [2, 0, 0, 0, 0, 2],
            vlan: None,
        };
        self.frames.push(ethernet::frame(
            &header,
            Encapsulation::Type(0x0800),
            &packet,
        ));
    }

    /// All of `data`, but not in order, not at once and not once only.
    fn scramble(&mut self, side: usize, data: &[u8], choices: &mut Choices<'_>) {
        let mut segments = Vec::new();
        let mut at = 0;
        while at < data.len() {
            let size = match segments.len() {
                0..SEGMENTS => 1 + usize::from(choices.word()) % 1460,
                _ => 32_000,
            };
            let end = data.len().min(at + size);
            segments.push(at..end);
            at = end;
        }
        for _ in 0..choices.byte() % 32 {
            let n = segments.len();
            let (a, b) = (choices.byte(), choices.byte());
            let (a, b) = (usize::from(a) % n, usize::from(b) % n);
            if !choices.byte().is_multiple_of(3) {
                segments.swap(a, b);
            } else {
                // Some bytes again, cut otherwise, somewhere in between.
                let from = usize::from(choices.word()) % data.len();
                let to = data
                    .len()
                    .min(from + 1 + usize::from(choices.word()) % 3000);
                segments.insert(b, from..to);
            }
        }
        for segment in segments {
            self.send(side, segment.start as u32, &data[segment]);
            if choices.byte() & 15 == 1 {
                // From the very beginning of the connection.
                let begun = self.next[side].wrapping_sub(self.origin[side]);
                if begun > 0 {
                    self.frame(side, self.origin[side], flag::ACK, b"\0");
                }
            }
        }
        self.next[side] = self.next[side].wrapping_add(data.len() as u32);
    }

    fn found(self) -> Found {
        let frames = (0i64..).zip(&self.frames).map(|(n, bytes)| Frame {
            at: Timestamp::from_nanos(1_700_000_000_000_000_000 + n * 1_000_000),
            link: LinkType::ETHERNET,
            interface: 0,
            wire_len: bytes.len() as u32,
            bytes,
        });
        analysis::analyse(wirewait_dissectors::registry, frames, Settings::default())
    }
}

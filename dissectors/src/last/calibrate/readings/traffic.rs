//! Traffic whose messages have whatever header a test makes.

use super::super::super::locate::tests::smb1;
use super::super::*;

/// What a header is made from.
#[derive(Clone, Copy)]
pub(super) struct Told {
    pub(super) client: u8,
    pub(super) server: u8,
    /// 1 asks, 2 answers.
    pub(super) kind: u8,
    /// Another one for each copy.
    pub(super) sequence: u32,
    /// That of the first one for each copy.
    pub(super) transaction: u32,
    /// Copies that were sent before this one.
    pub(super) copy: u32,
    /// Requests that this client sent to this server before.
    pub(super) nth: u32,
    /// Frames of the message before this one.
    pub(super) segment: u32,
}

/// How much is said, and by how many.
#[derive(Clone, Copy, Debug)]
pub(super) struct Traffic {
    pub(super) clients: u8,
    pub(super) servers: u8,
    /// Of each client to each server.
    pub(super) requests: u32,
    /// One request in this number is sent twice.
    pub(super) again: u32,
    /// One in this number is answered in several frames.
    pub(super) long: u32,
    /// Whether such a request takes several frames, too.
    pub(super) writes: bool,
    /// Bytes of SMB in a frame, and in a long message.
    pub(super) most: usize,
    pub(super) longest: usize,
    /// The first numbers.
    pub(super) sequence: u32,
    pub(super) transaction: u32,
}

pub(super) const TRAFFIC: Traffic = Traffic {
    clients: 2,
    servers: 2,
    requests: 400,
    again: 100,
    long: 66,
    writes: false,
    most: 1400,
    longest: 3840,
    sequence: 1,
    transaction: 1,
};

impl Traffic {
    /// What its capture says of the headers that `header` makes; they begin with the length word.
    pub(super) fn findings(self, header: impl Fn(&Told) -> Vec<u8>) -> Findings {
        let mut capture = Calibration::new();
        let mut frame = 0;
        let mut at = 0;
        let mut say = |told: Told, smb: &[u8]| {
            // What is shorter is not taken for the first piece of more.
            let (one, others) = smb.split_at(self.most.max(512).min(smb.len()));
            let parts = std::iter::once(one).chain(others.chunks(self.most));
            for (segment, part) in parts.enumerate() {
                let told = Told {
                    segment: segment as u32,
                    ..told
                };
                let mut bytes = header(&told);
                bytes.extend(part);
                let length = (bytes.len() as u16).to_le_bytes();
                bytes[0] |= length[0];
                bytes[1] |= length[1];
                let client = Endpoint::mac([8, 0, 0x2b, 0, 0, told.client]);
                let server = Endpoint::mac([8, 0, 0x2b, 0, 0x10, told.server]);
                let ends = if told.kind == 1 {
                    (client, server)
                } else {
                    (server, client)
                };
                frame += 1;
                at += 1_000_000;
                capture.take(frame, Timestamp::from_nanos(at), ends, Input::whole(&bytes));
            }
        };
        let mut sequences = [self.sequence; 16];
        for nth in 0..self.requests {
            for client in 0..self.clients {
                for server in 0..self.servers {
                    let sequence = &mut sequences[usize::from(4 * client + server)];
                    let mut told = Told {
                        client,
                        server,
                        kind: 1,
                        sequence: *sequence,
                        transaction: self.transaction.wrapping_add(nth),
                        copy: 0,
                        nth,
                        segment: 0,
                    };
                    // Of each circuit other numbers.
                    let own = u32::from(4 * client + server) * 5;
                    told.transaction = told.transaction.wrapping_add(own);
                    let is_long = nth % self.long == 3;
                    let words = [&nth.to_le_bytes()[..], &[0; 6]].concat();
                    let size = if is_long {
                        self.longest
                    } else {
                        1 + (nth * 7 % 1300) as usize
                    };
                    let written = if is_long && self.writes {
                        self.longest
                    } else {
                        0
                    };
                    let asks = smb1(0x0b, 0, &words, &vec![7; written]);
                    let says = smb1(0x0b, 0x80, &[0; 10], &vec![9; size]);
                    say(told, &asks);
                    if nth % self.again == 5 {
                        *sequence = sequence.wrapping_add(1);
                        told.sequence = *sequence;
                        told.copy = 1;
                        say(told, &asks);
                    }
                    told.kind = 2;
                    say(told, &says);
                    *sequence = sequence.wrapping_add(1);
                }
            }
        }
        capture.findings("a.pcap")
    }
}

/// Two bytes for the length, a kind, a zero, and the circuit's numbers: 8 bytes.
pub(super) fn begin(told: &Told, kind: u8) -> Vec<u8> {
    let client = (0x1100 + u16::from(told.client)).to_le_bytes();
    let server = (0x2200 + u16::from(told.server)).to_le_bytes();
    let (to, from) = if told.kind == 1 {
        (server, client)
    } else {
        (client, server)
    };
    [&[0, 0, kind, 0], &to[..], &from].concat()
}

/// `begin`, then these bytes from 8 on, then zeros up to 20.
pub(super) fn header(told: &Told, bytes: &[u8]) -> Vec<u8> {
    let mut header = begin(told, told.kind);
    header.extend(bytes);
    header.resize(20, 0);
    header
}

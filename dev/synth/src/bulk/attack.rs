//! Traffic that attacks an analyser: made to be costly to analyse, not to be correct.
//!
//! Each attacker has one connection. What an analyser spends on a frame must not grow with the
//! frames before it.

use super::{Talker, Truth, mac};
use crate::ethernet::{self, Encapsulation, Header};
use crate::ipv4::{self, Socket, flag};
use crate::prng::Random;
use crate::smb1::{self, NT_STATUS};
use crate::smb2;

/// What is done to the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attack {
    /// Segments with a hole before each, which is never filled.
    Holes,
    /// Segments with a hole before each, in descending order of sequence number.
    Backwards,
    /// Segments behind a hole that overlap each other anyhow.
    Overlaps,
    /// Messages of 64 KiB, a byte in each segment.
    Bytes,
    /// Requests with ever new numbers; none is answered.
    Open,
    /// Requests that all have the same number.
    Same,
    /// Compounds whose next part begins a byte behind.
    Compound,
    /// Chains of commands that lead back to their beginning.
    Chain,
    /// First fragments of packets of which nothing else comes.
    Fragments,
    /// Every frame opens another connection.
    Connections,
    /// Every frame comes from another station.
    Stations,
    /// Every frame asks for something from another station, and none is answered.
    HalfOpen,
}

impl Attack {
    /// All of them.
    pub const ALL: [Self; 12] = [
        Self::Holes,
        Self::Backwards,
        Self::Overlaps,
        Self::Bytes,
        Self::Open,
        Self::Same,
        Self::Compound,
        Self::Chain,
        Self::Fragments,
        Self::Connections,
        Self::Stations,
        Self::HalfOpen,
    ];

    /// What it is called.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Holes => "holes",
            Self::Backwards => "backwards",
            Self::Overlaps => "overlaps",
            Self::Bytes => "bytes",
            Self::Open => "open",
            Self::Same => "same",
            Self::Compound => "compound",
            Self::Chain => "chain",
            Self::Fragments => "fragments",
            Self::Connections => "connections",
            Self::Stations => "stations",
            Self::HalfOpen => "half-open",
        }
    }
}

/// Most data in a segment.
const MOST: usize = 1460;
/// Where the attacker's numbers begin.
const FIRST: u32 = 0x1000_0000;

/// A station that attacks.
pub(super) struct Attacker {
    attack: Attack,
    number: u32,
    sent: u32,
    /// Its next sequence number.
    next: u32,
    frame: Vec<u8>,
}

impl Attacker {
    pub(super) fn new(attack: Attack, number: u32) -> Self {
        Self {
            attack,
            number,
            sent: 0,
            next: FIRST,
            frame: Vec::new(),
        }
    }

    /// A segment to the server's port 445.
    fn segment(&self, sequence: u32, flags: u8, data: &[u8]) -> Vec<u8> {
        let (station, port) = match self.attack {
            Attack::Connections => (self.number, 1025 + (self.sent % 60_000) as u16),
            Attack::Stations | Attack::HalfOpen => (self.number.wrapping_add(self.sent << 8), 1025),
            _ => (self.number, 1025),
        };
        let [a, b, c, d] = station.to_be_bytes();
        let from = Socket {
            address: [10u8.wrapping_add(a), b, c, d].into(),
            port,
        };
        let to = Socket {
            address: [192, 168, 0, 1].into(),
            port: 445,
        };
        let segment = ipv4::Segment {
            sequence,
            acknowledgement: 1,
            flags,
            window: 8760,
            options: &[],
            data,
        };
        let id = self.sent as u16;
        let segment = ipv4::tcp(from, to, &segment);
        ipv4::packet(from.address, to.address, ipv4::TCP, id, &segment)
    }

    /// Data where the last segment ended.
    fn follows(&mut self, data: &[u8]) -> Vec<u8> {
        let packet = self.segment(self.next, flag::PSH | flag::ACK, data);
        self.next = self.next.wrapping_add(data.len() as u32);
        packet
    }

    fn packet(&mut self, random: &mut Random) -> Vec<u8> {
        let data = [0x55; MOST];
        let hole = |n: u32| FIRST.wrapping_add(n.wrapping_mul(200));
        match self.attack {
            Attack::Connections | Attack::Stations => self.segment(FIRST, flag::SYN, &[]),
            Attack::HalfOpen => {
                let message = smb1::message(&header(1), &[smb1::request::read_andx(1, 0, 512)]);
                self.segment(FIRST, flag::PSH | flag::ACK, &framed(&message))
            }
            _ if self.sent == 0 => self.segment(FIRST.wrapping_sub(1), flag::SYN, &[]),
            Attack::Holes => self.segment(hole(self.sent), flag::ACK, &data[..100]),
            Attack::Backwards => {
                let down = 0x1000_0000_u32.wrapping_sub(self.sent.wrapping_mul(200));
                self.segment(FIRST.wrapping_add(down), flag::ACK, &data[..100])
            }
            Attack::Overlaps => {
                let at = FIRST + 100 + random.below(60_000) as u32;
                let length = 1 + random.below(MOST as u64) as usize;
                self.segment(at, flag::ACK, &data[..length])
            }
            Attack::Bytes => {
                let byte = match self.sent % 0x1_0003 {
                    1 => 0,
                    2 => 0,
                    3 | 4 => 0xff,
                    at => b"\xffSMB\x2e".get(at as usize - 5).copied().unwrap_or(0),
                };
                self.follows(&[byte])
            }
            Attack::Open | Attack::Same => {
                let mid = if self.attack == Attack::Same {
                    7
                } else {
                    (self.sent % 0xfffe) as u16 + 1
                };
                let message = smb1::message(&header(mid), &[smb1::request::read_andx(1, 0, 512)]);
                self.follows(&framed(&message))
            }
            Attack::Compound => {
                let head = smb2::Header {
                    command: smb2::command::READ,
                    status: 0,
                    credit_charge: 1,
                    credits: 1,
                    flags: 0,
                    message: u64::from(self.sent),
                    asynchronous: 0,
                    tree: 1,
                    session: 1,
                };
                let mut message = smb2::message(&[(head, smb2::request::read(1, 0, 512))]);
                message.resize(1400, 0xfe);
                // Where the next part begins.
                message[20..24].copy_from_slice(&1u32.to_le_bytes());
                for at in (64..1396).step_by(4) {
                    message[at..at + 4].copy_from_slice(b"\xfeSMB");
                }
                self.follows(&framed(&message))
            }
            Attack::Chain => {
                let mid = (self.sent % 0xfffe) as u16 + 1;
                let read = smb1::request::read_andx(1, 0, 512);
                let mut message = smb1::message(&header(mid), &[read]);
                // The next command is a read, too, and stands where this one does.
                message[33] = 0x2e;
                message[35..37].copy_from_slice(&32u16.to_le_bytes());
                self.follows(&framed(&message))
            }
            Attack::Fragments => {
                let mut packet = self.segment(self.sent, flag::ACK, &data[..512]);
                packet[6] = 0x20;
                packet[7] = 0;
                packet[10..12].fill(0);
                let checksum = ipv4::fold(ipv4::sum(&packet[..20]));
                packet[10..12].copy_from_slice(&checksum.to_be_bytes());
                packet
            }
        }
    }
}

fn header(mid: u16) -> smb1::Header {
    smb1::Header {
        status: 0,
        flags: 0x18,
        flags2: NT_STATUS | 1,
        connectionless: (0, 0),
        tid: 1,
        pid: 1,
        uid: 1,
        mid,
    }
}

/// A message behind its length.
fn framed(message: &[u8]) -> Vec<u8> {
    [&(message.len() as u32).to_be_bytes()[..], message].concat()
}

impl Talker for Attacker {
    fn speak(&mut self, random: &mut Random, _: &mut Truth) -> (&[u8], i64) {
        let packet = self.packet(random);
        let station = match self.attack {
            Attack::Stations | Attack::HalfOpen => self.number.wrapping_add(self.sent << 8),
            _ => self.number,
        };
        let header = Header {
            destination: mac(0xff_0000),
            source: mac(station),
            vlan: None,
        };
        self.frame = ethernet::frame(&header, Encapsulation::Type(0x0800), &packet);
        self.sent = self.sent.wrapping_add(1);
        (&self.frame, 100_000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_have_one_name_and_all_make_frames_that_differ() {
        let mut names = std::collections::BTreeSet::new();
        for attack in Attack::ALL {
            assert!(names.insert(attack.name()));
            let mut attacker = Attacker::new(attack, 1);
            let mut random = Random::new(1);
            let mut truth = Truth::default();
            let mut speak = || attacker.speak(&mut random, &mut truth).0.to_vec();
            let frames: Vec<_> = (0..100).map(|_| speak()).collect();
            let distinct: std::collections::BTreeSet<_> = frames.iter().collect();
            assert_eq!(distinct.len(), 100, "{attack:?}");
        }
    }

    #[test]
    fn a_chain_leads_back_to_its_beginning() {
        let mut attacker = Attacker::new(Attack::Chain, 1);
        let mut random = Random::new(1);
        attacker.packet(&mut random);
        attacker.sent = 1;
        let packet = attacker.packet(&mut random);
        // 20 bytes of IP, 20 of TCP, 4 of length: the message.
        let message = &packet[44..];
        assert_eq!(message[..4], *b"\xffSMB");
        assert_eq!((message[33], message[35], message[36]), (0x2e, 32, 0));
    }
}

//! SMB1 and SMB2 over TCP: a request, its ACK, an answer (three segments when it is a read's),
//! its ACK.

use super::{FOLLOWS, Talker, Truth, mac, think, turnaround};
use crate::bytes::file_data;
use crate::ethernet::{self, Encapsulation, Header};
use crate::ipv4::{self, Socket, flag, fold};
use crate::prng::Random;
use crate::smb1::{self, NT_STATUS, REPLY};
use crate::smb2;

/// Bytes in a read.
const LENGTH: u16 = 4096;
/// Most data in one segment.
const MOST: usize = 1460;

/// Where things stand in a frame without options.
const IP: usize = 14;
const TCP: usize = 34;
const DATA: usize = 54;
/// Where the SMB begins, behind its length.
const SMB: usize = DATA + 4;

/// A segment whose checksums follow every change.
struct BulkSegment {
    bytes: Vec<u8>,
    /// Sum of what the IP header's checksum covers, and of what TCP's covers.
    ip: u64,
    tcp: u64,
    length: u32,
}

impl BulkSegment {
    fn new(from: (u32, Socket), to: (u32, Socket), flags: u8, data: &[u8]) -> Self {
        let header = Header {
            destination: mac(to.0),
            source: mac(from.0),
            vlan: None,
        };
        let offer = [2, 4, 0x05, 0xb4];
        let segment = ipv4::Segment {
            sequence: 0,
            acknowledgement: 0,
            flags,
            window: 8760,
            options: if flags & flag::SYN != 0 { &offer } else { &[] },
            data,
        };
        let segment = ipv4::tcp(from.1, to.1, &segment);
        let packet = ipv4::packet(from.1.address, to.1.address, ipv4::TCP, 0, &segment);
        // The sums that give the checksums that are there now: their complements.
        let sum_of =
            |bytes: &[u8], at: usize| u64::from(!u16::from_be_bytes([bytes[at], bytes[at + 1]]));
        Self {
            ip: sum_of(&packet, 10),
            tcp: sum_of(&segment, 16),
            length: data.len() as u32,
            bytes: ethernet::frame(&header, Encapsulation::Type(0x0800), &packet),
        }
    }

    /// What bytes at this place add to a checksum. Places count from an even one, so that
    /// even ones are the high halves of words.
    fn weight(at: usize, bytes: &[u8]) -> u64 {
        bytes
            .iter()
            .enumerate()
            .map(|(index, byte)| u64::from(*byte) << (8 * ((at + index + 1) % 2)))
            .sum()
    }

    /// Writes a field of the TCP segment.
    fn write(&mut self, at: usize, value: &[u8]) {
        let place = &mut self.bytes[at..at + value.len()];
        // Adding the complement takes the old bytes out (RFC 1624).
        let old = fold(Self::weight(at, place));
        self.tcp += u64::from(old) + Self::weight(at, value);
        place.copy_from_slice(value);
    }

    /// Writes what every segment needs, and the checksums.
    fn seal(&mut self, id: u16, sequence: u32, acknowledgement: u32) -> &[u8] {
        self.write(TCP + 4, &sequence.to_be_bytes());
        self.write(TCP + 8, &acknowledgement.to_be_bytes());
        let old = u16::from_be_bytes([self.bytes[IP + 4], self.bytes[IP + 5]]);
        self.ip += u64::from(!old) + u64::from(id);
        self.bytes[IP + 4..IP + 6].copy_from_slice(&id.to_be_bytes());
        for (at, total) in [(IP + 10, &mut self.ip), (TCP + 16, &mut self.tcp)] {
            let checksum = fold(*total);
            *total = u64::from(!checksum);
            self.bytes[at..at + 2].copy_from_slice(&checksum.to_be_bytes());
        }
        &self.bytes
    }
}

/// The request that a client repeats.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Asks {
    Smb1Read,
    Smb1Open,
    Smb2Read,
}

pub(super) struct TcpClient {
    asks: Asks,
    /// Number of the client: no two clients open the same file.
    number: u32,
    syn: BulkSegment,
    syn_ack: BulkSegment,
    client_ack: BulkSegment,
    server_ack: BulkSegment,
    request: BulkSegment,
    answer: Vec<BulkSegment>,
    step: TcpStep,
    /// Next numbers and next packet identifications of client and server.
    next: [u32; 2],
    id: [u16; 2],
    message: u64,
    offset: u32,
    waited: i64,
}

#[derive(Clone, Copy)]
enum TcpStep {
    Syn,
    SynAck,
    Connected,
    Request,
    RequestAck,
    Answer(usize),
    AnswerAck,
}

impl TcpClient {
    pub(super) fn new(number: u32, server: u32, asks: Asks) -> Self {
        let [_, high, a, b] = number.to_be_bytes();
        let port = if asks == Asks::Smb2Read || number.is_multiple_of(2) {
            445
        } else {
            139
        };
        let client = (
            number,
            Socket {
                address: if high == 0 {
                    [10, 1, a, b].into()
                } else {
                    [11, high, a, b].into()
                },
                port: 1025,
            },
        );
        let [_, _, a, b] = server.to_be_bytes();
        let server = (
            server,
            Socket {
                address: [10, 2, a, b].into(),
                port,
            },
        );
        let (request, answer) = match asks {
            Asks::Smb2Read => messages2(),
            Asks::Smb1Read => messages1(number as u16),
            Asks::Smb1Open => opening(number as u16),
        };
        let (request, answer) = (framed(&request), framed(&answer));
        let push = flag::PSH | flag::ACK;
        let pieces = answer.chunks(MOST).collect::<Vec<_>>();
        let last = pieces.len() - 1;
        Self {
            asks,
            number,
            syn: BulkSegment::new(client, server, flag::SYN, &[]),
            syn_ack: BulkSegment::new(server, client, flag::SYN | flag::ACK, &[]),
            client_ack: BulkSegment::new(client, server, flag::ACK, &[]),
            server_ack: BulkSegment::new(server, client, flag::ACK, &[]),
            request: BulkSegment::new(client, server, push, &request),
            answer: pieces
                .into_iter()
                .enumerate()
                .map(|(index, piece)| {
                    let flags = if index == last { push } else { flag::ACK };
                    BulkSegment::new(server, client, flags, piece)
                })
                .collect(),
            step: TcpStep::Syn,
            next: [number << 16, 0x8000_0000 + (number << 16)],
            id: [1, 1],
            message: 0,
            offset: 0,
            waited: 0,
        }
    }

    /// Seals a segment of one side and counts what it takes.
    fn send<'a>(
        segment: &'a mut BulkSegment,
        next: &mut [u32; 2],
        id: &mut [u16; 2],
        by: usize,
        takes: u32,
    ) -> &'a [u8] {
        let (sequence, acknowledgement) = (next[by], next[1 - by]);
        next[by] = sequence.wrapping_add(takes);
        id[by] = id[by].wrapping_add(1);
        segment.seal(id[by], sequence, acknowledgement)
    }
}

/// A message behind its length, as TCP carries it.
fn framed(message: &[u8]) -> Vec<u8> {
    [&(message.len() as u32).to_be_bytes()[..], message].concat()
}

/// Where the name stands in a request to open: behind 32 bytes of header, 24 words and their
/// count, the length of the bytes, and the name's first letters.
const NAME: usize = 32 + 1 + 48 + 2 + NAME_BEGINS.len();
const NAME_BEGINS: &str = "\\f";
/// Digits of the client's number and of the request's.
const NAME_DIGITS: usize = 16;

/// Those of a request and its answer.
fn headers1(pid: u16) -> (smb1::Header, smb1::Header) {
    let header = smb1::Header {
        status: 0,
        flags: 0x18,
        flags2: NT_STATUS | 1,
        connectionless: (0, 0),
        tid: 1,
        pid,
        uid: 1,
        mid: 0,
    };
    let answer = smb1::Header {
        flags: 0x18 | REPLY,
        ..header
    };
    (header, answer)
}

fn opening(pid: u16) -> (Vec<u8>, Vec<u8>) {
    let (header, answer) = headers1(pid);
    let name = format!("{NAME_BEGINS}{:0NAME_DIGITS$}", 0);
    (
        smb1::message(&header, &[smb1::request::nt_create_andx(&name, false)]),
        smb1::message(&answer, &[smb1::response::nt_create_andx(1, 4096, 0)]),
    )
}

fn messages1(pid: u16) -> (Vec<u8>, Vec<u8>) {
    let (header, answer) = headers1(pid);
    let data = file_data(0, LENGTH.into());
    (
        smb1::message(&header, &[smb1::request::read_andx(1, 0, LENGTH)]),
        smb1::message(&answer, &[smb1::response::read_andx(&data)]),
    )
}

fn messages2() -> (Vec<u8>, Vec<u8>) {
    let header = smb2::Header {
        command: smb2::command::READ,
        status: 0,
        credit_charge: 1,
        credits: 1,
        flags: 0,
        message: 0,
        asynchronous: 0,
        tree: 1,
        session: 0x0400_0000_0001,
    };
    let answer = smb2::Header {
        flags: smb2::flag::RESPONSE,
        ..header
    };
    let data = file_data(0, LENGTH.into());
    (
        smb2::message(&[(header, smb2::request::read(1, 0, LENGTH.into()))]),
        smb2::message(&[(answer, smb2::response::read(&data))]),
    )
}

impl Talker for TcpClient {
    fn speak(&mut self, random: &mut Random, truth: &mut Truth) -> (&[u8], i64) {
        let Self { next, id, .. } = self;
        match self.step {
            TcpStep::Syn => {
                self.step = TcpStep::SynAck;
                let frame = Self::send(&mut self.syn, next, id, 0, 1);
                (frame, FOLLOWS)
            }
            TcpStep::SynAck => {
                self.step = TcpStep::Connected;
                (Self::send(&mut self.syn_ack, next, id, 1, 1), FOLLOWS)
            }
            TcpStep::Connected => {
                self.step = TcpStep::Request;
                (
                    Self::send(&mut self.client_ack, next, id, 0, 0),
                    think(random),
                )
            }
            TcpStep::Request => {
                truth.requests += 1;
                self.step = TcpStep::RequestAck;
                self.message += 1;
                let segment = &mut self.request;
                // Multiplex numbers 1 to 0xfffe.
                let mid = (self.message % 0xfffe + 1) as u16;
                match self.asks {
                    Asks::Smb2Read => {
                        segment.write(SMB + 24, &self.message.to_le_bytes());
                        segment.write(SMB + 72, &u64::from(self.offset).to_le_bytes());
                    }
                    Asks::Smb1Read => {
                        segment.write(SMB + 30, &mid.to_le_bytes());
                        segment.write(SMB + 39, &self.offset.to_le_bytes());
                    }
                    Asks::Smb1Open => {
                        segment.write(SMB + 30, &mid.to_le_bytes());
                        let name = format!("{:08x}{:08x}", self.number, self.message as u32);
                        segment.write(SMB + NAME, name.as_bytes());
                    }
                }
                self.offset = self.offset.wrapping_add(LENGTH.into());
                self.waited = turnaround(random);
                let takes = segment.length;
                (Self::send(segment, next, id, 0, takes), 100_000)
            }
            TcpStep::RequestAck => {
                self.step = TcpStep::Answer(0);
                let frame = Self::send(&mut self.server_ack, next, id, 1, 0);
                (frame, self.waited - 100_000)
            }
            TcpStep::Answer(index) => {
                let last = index + 1 == self.answer.len();
                let segment = &mut self.answer[index];
                if index == 0 && self.asks == Asks::Smb2Read {
                    segment.write(SMB + 24, &self.message.to_le_bytes());
                } else if index == 0 {
                    let mid = (self.message % 0xfffe + 1) as u16;
                    segment.write(SMB + 30, &mid.to_le_bytes());
                }
                if last {
                    truth.count(self.waited);
                }
                self.step = if last {
                    TcpStep::AnswerAck
                } else {
                    TcpStep::Answer(index + 1)
                };
                let takes = segment.length;
                (Self::send(segment, next, id, 1, takes), FOLLOWS)
            }
            TcpStep::AnswerAck => {
                self.step = TcpStep::Request;
                (
                    Self::send(&mut self.client_ack, next, id, 0, 0),
                    think(random),
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ipv4::sum;

    #[test]
    fn checksums_stay_right_when_fields_change() {
        let mut client = TcpClient::new(3, 0xff_0001, Asks::Smb1Open);
        let mut random = Random::new(1);
        let mut truth = Truth::default();
        for _ in 0..100 {
            let (frame, _) = client.speak(&mut random, &mut truth);
            assert_eq!(fold(sum(&frame[IP..TCP])), 0, "IP");
            let length = usize::from(u16::from_be_bytes([frame[IP + 2], frame[IP + 3]])) - 20;
            let pseudo = sum(&frame[IP + 12..IP + 20]) + 6 + length as u64;
            let total = pseudo + sum(&frame[TCP..TCP + length]);
            assert_eq!(fold(total), 0, "TCP");
        }
        assert_eq!(truth.requests, truth.answered + 1);
    }
}

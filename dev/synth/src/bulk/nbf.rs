//! SMB1 over NetBEUI: a request, its RR, two data frames, their RR.

use super::{FOLLOWS, Talker, Truth, mac, think, turnaround};
use crate::bytes::file_data;
use crate::ethernet::{self, Encapsulation, Header};
use crate::llc::{self, Control, Supervisory};
use crate::nbf::{self, command, flag};
use crate::prng::Random;
use crate::smb1::{self, NT_STATUS, REPLY, request, response};

/// Where N(S) and N(R) stand: 14 bytes of Ethernet, 2 of service access points.
const SENT: usize = 16;
const EXPECTED: usize = 17;
/// Where NBF's flags stand: behind 4 bytes of LLC and 5 of NBF.
const DATA1: usize = 23;
/// Where NBF's correlators stand: behind 4 bytes of LLC and 8 of NBF.
const CORRELATORS: usize = 26;
/// Where the SMB begins: 14 + 4 + 14.
const SMB: usize = 32;
/// Most data in one frame.
const MOST: usize = 1482;

pub(super) struct NbfClient {
    sabme: Vec<u8>,
    ua: Vec<u8>,
    request: Vec<u8>,
    server_rr: Vec<u8>,
    first: Vec<u8>,
    last: Vec<u8>,
    client_rr: Vec<u8>,
    step: NbfStep,
    /// I-frames sent by the client and by the server, modulo 128.
    sent: [u8; 2],
    correlator: u16,
    mid: u16,
    offset: u32,
    waited: i64,
}

#[derive(Clone, Copy)]
enum NbfStep {
    Sabme,
    Ua,
    Request,
    ServerRr,
    First,
    Last,
    ClientRr,
}

impl NbfClient {
    pub(super) fn new(number: u32, server: u32) -> Self {
        let (client, server) = (mac(number), mac(server));
        let frame = |from_client: bool, control, information: &[u8]| {
            let (source, destination) = if from_client {
                (client, server)
            } else {
                (server, client)
            };
            let header = Header {
                destination,
                source,
                vlan: None,
            };
            let pdu = llc::pdu(control, information);
            ethernet::frame(&header, Encapsulation::Length, &pdu)
        };
        let rr = Control::Rr(Supervisory {
            expected: 0,
            poll_final: false,
            response: true,
        });
        let header = smb1::Header {
            status: 0,
            flags: 0x18,
            flags2: NT_STATUS | 1,
            connectionless: (0, 0),
            tid: 1,
            pid: number as u16,
            uid: 1,
            mid: 0,
        };
        let answer = smb1::Header {
            flags: 0x18 | REPLY,
            ..header
        };
        let request = smb1::message(&header, &[request::read_andx(1, 0, 2048)]);
        let response = smb1::message(&answer, &[response::read_andx(&file_data(0, 2048))]);
        let (head, tail) = response.split_at(MOST.min(response.len()));
        let data = |command, data1, to, from, data: &[u8]| {
            let header = nbf::Header {
                command,
                data1,
                ..nbf::Header::default()
            };
            nbf::session(header, to, from, data)
        };
        let question = data(command::DATA_ONLY_LAST, flag::ACK_WITH_DATA, 7, 5, &request);
        let first = data(command::DATA_FIRST_MIDDLE, flag::ACK_INCLUDED, 5, 7, head);
        let last = data(command::DATA_ONLY_LAST, flag::ACK_WITH_DATA, 5, 7, tail);
        let i = Control::I(0, 0, false);
        Self {
            sabme: frame(true, Control::Sabme, &[]),
            ua: frame(false, Control::Ua, &[]),
            request: frame(true, i, &question),
            server_rr: frame(false, rr, &[]),
            first: frame(false, i, &first),
            last: frame(false, i, &last),
            client_rr: frame(true, rr, &[]),
            step: NbfStep::Sabme,
            sent: [0; 2],
            correlator: 0,
            mid: 1,
            offset: 0,
            waited: 0,
        }
    }
}

/// Writes N(S) and N(R), and counts the frame.
fn number(frame: &mut [u8], sent: &mut [u8; 2], by: usize) {
    frame[SENT] = sent[by] << 1;
    frame[EXPECTED] = sent[1 - by] << 1;
    sent[by] = (sent[by] + 1) & 0x7f;
}

fn correlate(frame: &mut [u8], transmit: u16, response: u16) {
    frame[CORRELATORS..CORRELATORS + 2].copy_from_slice(&transmit.to_le_bytes());
    frame[CORRELATORS + 2..CORRELATORS + 4].copy_from_slice(&response.to_le_bytes());
}

impl Talker for NbfClient {
    fn speak(&mut self, random: &mut Random, truth: &mut Truth) -> (&[u8], i64) {
        match self.step {
            NbfStep::Sabme => {
                self.step = NbfStep::Ua;
                (&self.sabme, FOLLOWS)
            }
            NbfStep::Ua => {
                self.step = NbfStep::Request;
                (&self.ua, think(random))
            }
            NbfStep::Request => {
                truth.requests += 1;
                self.step = NbfStep::ServerRr;
                // The request acknowledges the answer before it; the first has none before it.
                let answered = self.correlator;
                let first = self.offset == 0;
                self.correlator = self.correlator.wrapping_add(1).max(1);
                self.mid = if self.mid >= 0xfffe { 1 } else { self.mid + 1 };
                let correlator = self.correlator;
                let frame = &mut self.request;
                number(frame, &mut self.sent, 0);
                if first {
                    correlate(frame, 0, correlator);
                } else {
                    frame[DATA1] |= flag::ACK_INCLUDED;
                    correlate(frame, answered, correlator);
                }
                frame[SMB + 30..SMB + 32].copy_from_slice(&self.mid.to_le_bytes());
                frame[SMB + 39..SMB + 43].copy_from_slice(&self.offset.to_le_bytes());
                self.offset = self.offset.wrapping_add(2048);
                self.waited = turnaround(random);
                (frame, 100_000)
            }
            NbfStep::ServerRr => {
                self.step = NbfStep::First;
                self.server_rr[EXPECTED] = self.sent[0] << 1;
                (&self.server_rr, self.waited - 100_000)
            }
            NbfStep::First => {
                self.step = NbfStep::Last;
                let frame = &mut self.first;
                number(frame, &mut self.sent, 1);
                correlate(frame, self.correlator, self.correlator);
                frame[SMB + 30..SMB + 32].copy_from_slice(&self.mid.to_le_bytes());
                (frame, FOLLOWS)
            }
            NbfStep::Last => {
                truth.count(self.waited);
                self.step = NbfStep::ClientRr;
                let frame = &mut self.last;
                number(frame, &mut self.sent, 1);
                correlate(frame, 0, self.correlator);
                (frame, FOLLOWS)
            }
            NbfStep::ClientRr => {
                self.step = NbfStep::Request;
                self.client_rr[EXPECTED] = self.sent[1] << 1;
                (&self.client_rr, think(random))
            }
        }
    }
}

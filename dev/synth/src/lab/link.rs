//! Numbered links: LLC type 2 below NetBEUI, and NetBIOS sessions over IPX. Messages go in pieces,
//! each under a number, in a window; what is not acknowledged is retransmitted.

use super::LabCarrier;
use super::places::{TO_CLIENT, TO_SERVER};
use super::run::{LabPacket, Stage};
use crate::llc::{Control, Supervisory};
use crate::nbf::{self, command, flag};
use crate::nbipx;
use std::collections::VecDeque;

/// Frames on their way at most.
const WINDOW: usize = 7;
/// Bytes of a message in a frame: what Ethernet leaves below NetBEUI, and what Windows agrees on
/// over IPX.
const NBF_MOST: usize = 1482;
const NBIPX_MOST: usize = 1424;

/// Nothing was acknowledged: T1; over IPX the packets are retransmitted at once.
const T1: usize = 0;
const T1_NS: i64 = 400_000_000;
/// An acknowledgement alone is due: T2.
const T2: usize = 1;
const T2_NS: i64 = 80_000_000;
/// NetBEUI's own acknowledgement found no data to ride on.
const RIDE: usize = 2;
const RIDE_NS: i64 = 30_000_000;
/// Timers of a station.
pub(super) const TIMERS: usize = 3;
/// Frames that are acknowledged together at once.
const TOGETHER: usize = 2;

/// What a numbered frame carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cargo {
    /// A piece of the message of this step.
    Piece {
        step: usize,
        last: bool,
    },
    /// NetBEUI: a session is wanted, and accepted.
    Initialize,
    Confirm,
    /// NetBEUI's acknowledgement of a message.
    DataAck,
}

/// What is sent on a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LinkPacket {
    /// Opens it, and the answer.
    Open,
    Opened,
    Data {
        number: u64,
        expects: u64,
        poll: bool,
        cargo: Cargo,
    },
    /// Says what is expected; asks the other side what it expects, or answers that.
    Ready {
        expects: u64,
        asks: bool,
        answers: bool,
    },
    /// Asks for everything from there on.
    Reject {
        expects: u64,
    },
}

#[derive(Clone, Debug)]
struct LinkUnit {
    number: u64,
    cargo: Cargo,
    data: Vec<u8>,
    /// Where in its message it is, and how long that is.
    offset: usize,
    total: usize,
}

/// One end of a link.
pub(super) struct LinkEnd {
    carrier: LabCarrier,
    direction: usize,
    next: u64,
    /// Sent and not acknowledged; then what waits for the window.
    sent: VecDeque<LinkUnit>,
    waiting: VecDeque<LinkUnit>,
    expects: u64,
    /// Frames that are not acknowledged to the other side.
    owed: usize,
    rejected: bool,
    polling: bool,
    /// NetBEUI: correlators of its next message, and of the other side's that is not acknowledged.
    correlator: u16,
    riding: Option<u16>,
}

impl LinkEnd {
    pub(super) fn new(carrier: LabCarrier, direction: usize) -> Self {
        // The call over IPX takes the client's first number.
        let call = u64::from(carrier == LabCarrier::Nbipx);
        let (next, expects) = match direction {
            TO_SERVER => (call, 0),
            _ => (0, call),
        };
        Self {
            carrier,
            direction,
            next,
            sent: VecDeque::new(),
            waiting: VecDeque::new(),
            expects,
            owed: 0,
            rejected: false,
            polling: false,
            correlator: 1,
            riding: None,
        }
    }

    fn is_nbipx(&self) -> bool {
        self.carrier == LabCarrier::Nbipx
    }

    pub(super) fn open(&self, stage: &mut Stage<'_>) {
        self.put(LinkPacket::Open, stage);
    }

    /// Sends the message of a step.
    pub(super) fn send(&mut self, step: usize, stage: &mut Stage<'_>) {
        let steps = stage.steps;
        let message = match self.direction {
            TO_SERVER => &steps[step].request,
            _ => &steps[step].response,
        };
        let most = if self.is_nbipx() {
            NBIPX_MOST
        } else {
            NBF_MOST
        };
        let count = message.len().div_ceil(most);
        let correlator = self.correlator;
        self.correlator = correlator.wrapping_add(1).max(1);
        for (n, piece) in message.chunks(most).enumerate() {
            let last = n + 1 == count;
            let data = if self.is_nbipx() {
                piece.to_vec()
            } else {
                let rides = self.riding.take().filter(|_| n == 0);
                let header = nbf::Header {
                    command: match last {
                        true => command::DATA_ONLY_LAST,
                        false => command::DATA_FIRST_MIDDLE,
                    },
                    data1: rides.map_or(0, |_| flag::ACK_INCLUDED)
                        | if last { flag::ACK_WITH_DATA } else { 0 },
                    transmit: rides.unwrap_or(0),
                    response: correlator,
                    ..nbf::Header::default()
                };
                self.session(header, piece, stage)
            };
            let unit = LinkUnit {
                number: 0,
                cargo: Cargo::Piece { step, last },
                data,
                offset: n * most,
                total: message.len(),
            };
            self.waiting.push_back(unit);
        }
        stage.disarm(RIDE);
        self.flush(stage);
    }

    /// A NetBEUI frame of the session.
    fn session(&self, header: nbf::Header, data: &[u8], stage: &Stage<'_>) -> Vec<u8> {
        let numbers = stage.places.numbers();
        let (to, from) = match self.direction {
            TO_SERVER => (numbers[1], numbers[0]),
            _ => (numbers[0], numbers[1]),
        };
        nbf::session(header, to, from, data)
    }

    /// Sends a NetBEUI frame that is no data.
    fn control(&mut self, cargo: Cargo, transmit: u16, stage: &mut Stage<'_>) {
        let header = nbf::Header {
            command: match cargo {
                Cargo::Initialize => command::SESSION_INITIALIZE,
                Cargo::Confirm => command::SESSION_CONFIRM,
                _ => command::DATA_ACK,
            },
            transmit,
            ..nbf::Header::default()
        };
        let data = self.session(header, &[], stage);
        self.waiting.push_back(LinkUnit {
            number: 0,
            cargo,
            offset: 0,
            total: data.len(),
            data,
        });
        self.flush(stage);
    }

    /// What the window has room for.
    fn flush(&mut self, stage: &mut Stage<'_>) {
        while self.sent.len() < WINDOW && !self.polling {
            let Some(mut unit) = self.waiting.pop_front() else {
                return;
            };
            unit.number = self.next;
            self.next += 1;
            if self.sent.is_empty() {
                stage.arm(T1, T1_NS);
            }
            self.transmit(&unit, stage);
            self.sent.push_back(unit);
        }
    }

    fn transmit(&mut self, unit: &LinkUnit, stage: &mut Stage<'_>) {
        let last = matches!(unit.cargo, Cargo::Piece { last: true, .. });
        let poll = last && self.carrier == LabCarrier::NbfPoll;
        self.acknowledged(stage);
        let packet = LinkPacket::Data {
            number: unit.number,
            expects: self.expects,
            poll,
            cargo: unit.cargo,
        };
        let frame = if self.is_nbipx() {
            let end = match last {
                true => nbipx::flag::END_OF_MESSAGE,
                false => 0,
            };
            let header = nbipx::Header {
                control: nbipx::flag::ACK_WANTED | end,
                sequence: unit.number as u16,
                total: unit.total as u16,
                offset: unit.offset as u16,
                ..self.header(stage)
            };
            let session = nbipx::session(header, &unit.data);
            stage.places.nbipx(self.direction, &session)
        } else {
            let control = Control::I(unit.number as u8, self.expects as u8, poll);
            stage.places.llc(self.direction, control, &unit.data)
        };
        stage.send(frame, LabPacket::Link(packet));
    }

    /// What every NBIPX packet says.
    fn header(&self, stage: &Stage<'_>) -> nbipx::Header {
        let numbers = stage.places.numbers().map(u16::from);
        nbipx::Header {
            stream: nbipx::stream::DATA,
            source: numbers[self.direction],
            destination: numbers[1 - self.direction],
            sequence: self.next as u16,
            expects: self.expects as u16,
            ..nbipx::Header::default()
        }
    }

    /// What goes now says what is expected.
    fn acknowledged(&mut self, stage: &mut Stage<'_>) {
        self.owed = 0;
        stage.disarm(T2);
    }

    /// Sends a frame that is not numbered.
    fn put(&self, packet: LinkPacket, stage: &mut Stage<'_>) {
        let frame = if self.is_nbipx() {
            self.nbipx(packet, stage)
        } else {
            let ready = |poll_final, response| Supervisory {
                expected: self.expects as u8,
                poll_final,
                response,
            };
            let control = match packet {
                LinkPacket::Open => Control::Sabme,
                LinkPacket::Opened => Control::Ua,
                LinkPacket::Ready { asks, answers, .. } => {
                    Control::Rr(ready(asks || answers, !asks))
                }
                _ => Control::Rej(ready(false, true)),
            };
            stage.places.llc(self.direction, control, &[])
        };
        stage.send(frame, LabPacket::Link(packet));
    }

    fn nbipx(&self, packet: LinkPacket, stage: &Stage<'_>) -> Vec<u8> {
        let names = [nbf::name("CLIENT", 0), nbf::name("SERVER", 0x20)];
        let (own, other) = (&names[self.direction], &names[1 - self.direction]);
        let mut header = self.header(stage);
        header.control = nbipx::flag::SYSTEM;
        let mut data = Vec::new();
        match packet {
            LinkPacket::Open => {
                header.control = nbipx::flag::ACK_WANTED | nbipx::flag::MICROSOFT;
                header.destination = nbipx::UNKNOWN;
                (header.sequence, header.total) = (0, 38);
                data = nbipx::opening(own, other, NBIPX_MOST as u16);
            }
            LinkPacket::Opened => {
                header.control |= nbipx::flag::MICROSOFT;
                header.total = 38;
                data = nbipx::opening(own, other, NBIPX_MOST as u16);
            }
            LinkPacket::Reject { .. } => header.control |= nbipx::flag::RESEND,
            _ => {}
        }
        stage
            .places
            .nbipx(self.direction, &nbipx::session(header, &data))
    }

    fn ready(&mut self, asks: bool, answers: bool, stage: &mut Stage<'_>) {
        self.acknowledged(stage);
        let expects = self.expects;
        let packet = LinkPacket::Ready {
            expects,
            asks,
            answers,
        };
        self.put(packet, stage);
    }

    pub(super) fn receive(&mut self, packet: LabPacket, stage: &mut Stage<'_>) {
        let LabPacket::Link(packet) = packet else {
            return;
        };
        match packet {
            LinkPacket::Open => self.put(LinkPacket::Opened, stage),
            LinkPacket::Opened if self.is_nbipx() => stage.open(),
            LinkPacket::Opened => self.control(Cargo::Initialize, 0, stage),
            LinkPacket::Data {
                number,
                expects,
                poll,
                cargo,
            } => {
                self.heard(expects, stage);
                self.data(number, poll, cargo, stage);
            }
            LinkPacket::Ready {
                expects,
                asks,
                answers,
            } => {
                if answers && self.polling {
                    // The other side is there: what it lacks is retransmitted.
                    self.polling = false;
                    self.heard(expects, stage);
                    self.again(stage);
                } else {
                    self.heard(expects, stage);
                }
                if asks {
                    self.ready(false, true, stage);
                }
            }
            LinkPacket::Reject { expects } => {
                self.heard(expects, stage);
                self.again(stage);
            }
        }
    }

    /// The other side has everything before this number.
    fn heard(&mut self, expects: u64, stage: &mut Stage<'_>) {
        let before = self.sent.len();
        while self.sent.front().is_some_and(|unit| unit.number < expects) {
            self.sent.pop_front();
        }
        if self.sent.len() == before {
            return;
        }
        self.polling = false;
        if self.sent.is_empty() {
            stage.disarm(T1);
        } else {
            stage.arm(T1, T1_NS);
        }
        self.flush(stage);
    }

    fn data(&mut self, number: u64, poll: bool, cargo: Cargo, stage: &mut Stage<'_>) {
        if number == self.expects {
            self.expects += 1;
            self.rejected = false;
            self.owed += 1;
            if poll {
                self.ready(false, true, stage);
            } else if self.owed >= TOGETHER {
                self.ready(false, false, stage);
            } else {
                stage.arm(T2, T2_NS);
            }
            self.take(cargo, stage);
        } else if number < self.expects {
            // Seen before: the acknowledgement was lost.
            self.ready(false, poll, stage);
        } else if !self.rejected {
            self.rejected = true;
            let expects = self.expects;
            self.put(LinkPacket::Reject { expects }, stage);
        } else if poll {
            self.ready(false, true, stage);
        }
    }

    fn take(&mut self, cargo: Cargo, stage: &mut Stage<'_>) {
        match cargo {
            Cargo::Piece { step, last: true } => {
                if !self.is_nbipx() {
                    // The correlator of a message is the number of its step.
                    self.riding = Some(step as u16 + 1);
                    stage.arm(RIDE, RIDE_NS);
                }
                stage.deliver(step);
            }
            Cargo::Initialize => self.control(Cargo::Confirm, 0, stage),
            Cargo::Confirm => stage.open(),
            Cargo::Piece { .. } | Cargo::DataAck => {}
        }
    }

    /// Everything that is not acknowledged, once more.
    fn again(&mut self, stage: &mut Stage<'_>) {
        if self.sent.is_empty() {
            self.flush(stage);
            return;
        }
        let units: Vec<LinkUnit> = self.sent.iter().cloned().collect();
        for unit in &units {
            stage.repeated();
            self.transmit(unit, stage);
        }
        stage.arm(T1, T1_NS);
    }

    pub(super) fn expired(&mut self, timer: usize, stage: &mut Stage<'_>) {
        match timer {
            T1 if self.sent.is_empty() => {}
            T1 if self.is_nbipx() => self.again(stage),
            T1 => {
                self.polling = true;
                self.ready(true, false, stage);
                stage.arm(T1, T1_NS);
            }
            T2 if self.owed > 0 => self.ready(false, false, stage),
            RIDE => {
                if let Some(correlator) = self.riding.take() {
                    self.control(Cargo::DataAck, correlator, stage);
                }
            }
            _ => {}
        }
    }
}

const _: () = assert!(TO_SERVER == 0 && TO_CLIENT == 1);

//! A laboratory of known culprits, in virtual time: stations that speak NCP and SMB over carriers
//! that no operating system at hand has any more, and a wire between them that delays, drops,
//! duplicates, reorders and limits the rate in each direction. Every run is captured at both ends,
//! and everyone logs what he did: clients when they asked and had their answers, the server when a
//! request had arrived and when it answered, the wire what it did to frames. From these logs alone
//! follows whose each nanosecond was ([`LabRun::truth`]).
//!
//! The recovery is that of the protocols:
//!
//! * NCP (over IPX or UDP) and SMB directly over IPX: the client repeats a request that is not
//!   answered, under the same number, after a time that doubles; a server that still works at it
//!   says so (0x9999; ERRSRV/ERRworking), one that has answered answers again.
//! * LLC type 2, below NetBEUI: numbered frames; REJ for the one that is missing, a poll after T1,
//!   acknowledgements at once if polled or for the second frame, else after T2, or on data.
//! * NetBIOS over IPX: numbered packets, acknowledged alone or on data, asked for again where one is
//!   missing, and repeated after a while.
//!
//! One request of a client is outstanding at a time. Chance is seeded: a case gives the same frames
//! everywhere.

mod exchange;
mod link;
mod places;
mod run;
mod steps;
mod wire;

use crate::{OwnedFrame, pcapng};
use std::fmt::Write as _;
use wirewait_wire::{LinkType, Timestamp};

/// What the requests travel in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LabCarrier {
    /// NCP over IPX.
    NcpIpx,
    /// NCP over UDP.
    NcpUdp,
    /// SMB directly over IPX.
    SmbIpx,
    /// SMB over NetBEUI.
    Nbf,
    /// SMB over NetBEUI; the last frame of a message asks for its acknowledgement (P=1).
    NbfPoll,
    /// SMB over NetBIOS over IPX.
    Nbipx,
}

/// What the wire does in one direction.
#[derive(Clone, Copy, Debug, Default)]
pub struct LabWay {
    /// How long a frame is on its way, ns.
    pub ns: i64,
    /// Of ten thousand frames this number is lost,
    pub lost: u64,
    /// arrives twice,
    pub twice: u64,
    /// or is late,
    pub late: u64,
    /// by so much, ns.
    pub late_ns: i64,
    /// Bytes in a second; 0 if frames of any length take no time besides the way.
    pub rate: u64,
}

/// What is wrong with the stations and the wire of one run.
#[derive(Clone, Debug)]
pub struct LabCase {
    /// What it is called; chance begins with it.
    pub name: String,
    /// What the requests travel in.
    pub carrier: LabCarrier,
    /// Clients at the same time.
    pub clients: usize,
    /// Reads of each.
    pub reads: u64,
    /// Bytes of each read.
    pub size: u16,
    /// The server sleeps so long, ns,
    pub sleep_ns: i64,
    /// in every read of this number,
    pub sleep_every: u64,
    /// of this file alone: 0 or 1.
    pub sleep_file: Option<usize>,
    /// Requests that the server works at together.
    pub workers: usize,
    /// A client thinks so long before each read, ns.
    pub think_ns: i64,
    /// From the clients, and to them.
    pub ways: [LabWay; 2],
    /// This client is farther, by so much each way, ns.
    pub far: Option<(usize, i64)>,
    /// The capture begins when this client asks for the first time: its link was opened before.
    pub before: Option<usize>,
}

impl LabCase {
    /// A case in which nothing is wrong.
    #[must_use]
    pub fn new(name: impl Into<String>, carrier: LabCarrier) -> Self {
        let way = LabWay {
            ns: 5_000,
            lost: 0,
            twice: 0,
            late: 0,
            late_ns: 0,
            rate: 0,
        };
        Self {
            name: name.into(),
            carrier,
            clients: 1,
            reads: 120,
            size: 1024,
            sleep_ns: 0,
            sleep_every: 1,
            sleep_file: None,
            workers: 1,
            think_ns: 0,
            ways: [way; 2],
            far: None,
            before: None,
        }
    }

    /// Lets the stations work, and captures at both ends.
    #[must_use]
    pub fn run(&self) -> LabRun {
        run::run(self)
    }
}

/// What became of one request, by the logs of its client and of the server. Times are ns from the
/// beginning of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LabCall {
    /// Number of the client.
    pub client: usize,
    /// Number of its request.
    pub step: usize,
    /// The client gave the request to its transport.
    pub asked: i64,
    /// The server had all of it for the first time.
    pub arrived: i64,
    /// The server gave the response to its transport.
    pub replied: i64,
    /// The client had all of that.
    pub answered: i64,
}

/// Where the capture is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LabEnd {
    /// Where all clients are.
    Client,
    /// At the server.
    Server,
}

impl LabEnd {
    /// Both.
    pub const BOTH: [Self; 2] = [Self::Client, Self::Server];
}

/// Whose the time was, by the logs, ns: of all clients together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LabTruth {
    /// Nothing was asked: between an answer and the next request.
    pub client: i64,
    /// A request or its response was on its way, or was lost and not yet retransmitted.
    pub network: i64,
    /// The server had the request and had not answered.
    pub server: i64,
}

impl LabTruth {
    /// All of it.
    #[must_use]
    pub const fn active(&self) -> i64 {
        self.client + self.network + self.server
    }
}

/// Both captures of a run, and its logs.
#[derive(Clone, Debug, Default)]
pub struct LabRun {
    /// Captured at the clients, and at the server.
    captures: [Vec<OwnedFrame>; 2],
    /// Whose link was opened before.
    before: Option<usize>,
    /// Every request, by clients, in order.
    pub calls: Vec<LabCall>,
    /// Frames that the wire lost, delayed besides, and doubled, from the clients and to them.
    pub lost: [u64; 2],
    /// Likewise.
    pub late: [u64; 2],
    /// Likewise.
    pub twice: [u64; 2],
    /// Messages and frames that the stations repeated, from the clients and to them.
    pub repeated: [u64; 2],
}

/// Runs begin on 1 March 1999, 09:00:00 UTC.
const BEGIN_NS: i64 = 920_278_800_000_000_000;

impl LabRun {
    /// The frames seen at one end.
    #[must_use]
    pub fn frames(&self, end: LabEnd) -> &[OwnedFrame] {
        &self.captures[end as usize]
    }

    /// They as a pcapng file.
    #[must_use]
    pub fn file(&self, end: LabEnd) -> Vec<u8> {
        pcapng::file("", &[], self.frames(end))
    }

    /// They by a clock that is so much ahead.
    #[must_use]
    pub fn file_ahead(&self, end: LabEnd, ahead_ns: i64) -> Vec<u8> {
        let mut frames = self.frames(end).to_vec();
        for frame in &mut frames {
            frame.at = frame.at.plus(ahead_ns);
        }
        pcapng::file("", &[], &frames)
    }

    /// Whose the time was.
    #[must_use]
    pub fn truth(&self) -> LabTruth {
        let mut truth = LabTruth::default();
        let mut before: Option<LabCall> = None;
        for call in &self.calls {
            let server = call.replied - call.arrived;
            truth.server += server;
            truth.network += call.answered - call.asked - server;
            if let Some(before) = before.filter(|before| before.client == call.client) {
                truth.client += call.asked - before.answered;
            }
            before = Some(*call);
        }
        truth
    }

    /// How long all clients together took until their first requests, ns: they open links and sessions, and turn to
    /// their work. That of one that did so before the captures is not in these.
    #[must_use]
    pub fn set_up(&self) -> i64 {
        let before = self.before;
        let first = self.calls.iter().filter(|call| call.step == 0);
        let first = first.filter(|call| Some(call.client) != before);
        first
            .map(|call| call.asked - run::STAGGER_NS * call.client as i64)
            .sum()
    }

    /// The logs as JSON.
    #[must_use]
    pub fn log(&self) -> String {
        let mut out = String::from("{\"calls\":[");
        for (n, call) in self.calls.iter().enumerate() {
            let comma = if n > 0 { "," } else { "" };
            let _ = write!(
                out,
                "{comma}\n{{\"client\":{},\"step\":{},\"asked\":{},\"arrived\":{},\"replied\":{},\"answered\":{}}}",
                call.client, call.step, call.asked, call.arrived, call.replied, call.answered
            );
        }
        let (lost, late, twice, repeated) = (self.lost, self.late, self.twice, self.repeated);
        let _ = write!(
            out,
            "],\n\"lost\":{lost:?},\"late\":{late:?},\"twice\":{twice:?},\"repeated\":{repeated:?}}}\n"
        );
        out
    }

    fn captured(&mut self, end: usize, at: i64, bytes: &[u8]) {
        self.captures[end].push(OwnedFrame {
            at: Timestamp::from_nanos(BEGIN_NS.saturating_add(at)),
            link: LinkType::ETHERNET,
            interface: 0,
            wire_len: u32::try_from(bytes.len()).unwrap_or(u32::MAX),
            bytes: bytes.to_vec(),
        });
    }
}

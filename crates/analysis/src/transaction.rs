//! One request and everything that belongs to its answer.

mod counting;

use crate::Place;
use crate::clock::{SharedSteps, Steps};
use std::sync::Arc;
use wirewait_model::records::LineTimes;
use wirewait_model::{Extent, Flags, FrameCounts, Mark, Outcome, Turnaround};
use wirewait_wire::word::Name;
use wirewait_wire::{Chain, Effects, Endpoint, File, Kind, Operation, Status, Timestamp};

/// The times of a request and its answer, which exist only where they can have passed: no part of
/// the answer is before its request, and nothing is below zero. Nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Times {
    pub(crate) request_transfer: i64,
    pub(crate) turnaround: i64,
    pub(crate) response_transfer: i64,
}

impl Times {
    #[inline]
    pub(crate) fn of(request: Extent, response: Extent) -> Option<Self> {
        Some(Self {
            request_transfer: request.first.until(request.last)?,
            turnaround: request.last.until(response.first)?,
            response_transfer: response.first.until(response.last)?,
        })
    }
}

/// One frame of the capture, in the units in which frames are shared out among
/// transactions. Shares over all transactions, plus control, plus other frames, sum to
/// this times the frames of the capture.
pub const WHOLE_FRAME: u64 = 1 << 20;

/// One request and everything that belongs to its answer. Definitions: t1 first byte of
/// the request seen, t2 request complete, t3 first byte of the final response seen, t4
/// response complete.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Transaction {
    /// Its number in the capture, counted from 1 in the order in which requests were seen
    /// (and responses without one).
    pub number: u64,
    /// The protocol of the request (`smb1`, `ncp`).
    pub protocol: Name,
    /// What carried it (`nbf`, `ipx`, `nbt`, `tcp`).
    pub carrier: Name,
    /// Who asked.
    pub client: Endpoint,
    /// Who was asked.
    pub server: Endpoint,
    /// Number of the conversation in the capture, counted from 1.
    pub conversation: u64,
    /// What was asked for.
    pub operation: &'static Operation,
    /// The protocol's number for it.
    pub code: u32,
    /// Further operations in the same message.
    pub chain: Chain,
    /// Its class; a lock that had to wait is `Wait`, whatever the operation's own class.
    pub kind: Kind,
    /// What became of it.
    pub outcome: Outcome,
    /// How it ended.
    pub status: Option<Status>,
    /// t1 and t2.
    pub request: Option<Extent>,
    /// t3 and t4.
    pub response: Option<Extent>,
    /// Where a raw write's last data frame came after the response: its end (t5).
    pub raw_end: Option<Mark>,
    /// Until when the response, or the request, was retransmitted after all of the response had been seen: its client
    /// lacked it.
    pub lost_until: Option<Timestamp>,
    /// t3 - t2.
    pub turnaround: Turnaround,
    /// t3 - max(t2, end of the answer before it on the conversation), ns: the time this
    /// request had the server to itself, if the server does one thing after the other. Without the time until a
    /// response, lost before the capture, was retransmitted, as far as that is proved.
    pub service_ns: Option<i64>,
    /// Interim answers.
    pub interims: u32,
    /// Message bytes of them, framing headers included.
    pub interim_bytes: u64,
    /// The first of them.
    pub first_interim: Option<Mark>,
    /// How often the request was seen; 1 is once.
    pub copies: u32,
    /// Responses seen again after the final one.
    pub duplicate_responses: u32,
    /// Bytes of file data asked for.
    pub asked_bytes: u64,
    /// Bytes of file data moved.
    pub data_bytes: u64,
    /// Message bytes of the request, framing headers included.
    pub request_bytes: u64,
    /// Message bytes of the final response likewise.
    pub response_bytes: u64,
    /// Message bytes of the final response in its first frame.
    pub response_head_bytes: u64,
    /// Frames, by what they did.
    pub frames: FrameCounts,
    /// Its share of the capture's frames, in units of [`WHOLE_FRAME`].
    pub share: u64,
    /// The file it concerned.
    pub file: Option<File>,
    /// Dialect, user, share and file by name, as far as the capture shows them.
    pub place: Option<Arc<Place>>,
    /// What it does to what the server keeps, by request and response together.
    pub effects: Effects,
    /// Of a negotiation: bytes of the largest message, or read, agreed on.
    pub buffer: Option<u32>,
    /// Routers between the client and the server: those that the request had passed when it
    /// was captured, and those that the response had. The router inside a NetWare server, to
    /// its internal network, is one of them where its responses count it.
    pub hops: Option<u8>,
    /// What to bear in mind.
    pub flags: Flags,
    /// Any station may answer, and all of them were asked.
    pub(crate) everyone: bool,
    /// The name that it looks for.
    pub(crate) sought: Option<Arc<str>>,
}

/// One that nothing is known of.
impl Default for Transaction {
    fn default() -> Self {
        static NOTHING: Operation = Operation::new("", Kind::Other, true);
        Self {
            number: 0,
            protocol: "",
            carrier: "",
            client: Endpoint::default(),
            server: Endpoint::default(),
            conversation: 0,
            operation: &NOTHING,
            code: 0,
            chain: Chain::default(),
            kind: Kind::Other,
            outcome: Outcome::Unanswered,
            status: None,
            request: None,
            response: None,
            raw_end: None,
            lost_until: None,
            turnaround: Turnaround::None,
            service_ns: None,
            interims: 0,
            interim_bytes: 0,
            first_interim: None,
            copies: 0,
            duplicate_responses: 0,
            asked_bytes: 0,
            data_bytes: 0,
            request_bytes: 0,
            response_bytes: 0,
            response_head_bytes: 0,
            frames: FrameCounts::default(),
            share: 0,
            file: None,
            place: None,
            effects: Effects::NONE,
            buffer: None,
            hops: None,
            flags: Flags::default(),
            everyone: false,
            sought: None,
        }
    }
}

impl Transaction {
    /// Becomes a copy of this one without the names of its place. They are shared, and a thread that counts who
    /// has them would wait for the others. That it is a pipe is not lost.
    pub(crate) fn copy_unnamed(&mut self, t: &Self) {
        let Self {
            number,
            protocol,
            carrier,
            client,
            server,
            conversation,
            operation,
            code,
            chain,
            kind,
            outcome,
            status,
            request,
            response,
            raw_end,
            lost_until,
            turnaround,
            service_ns,
            interims,
            interim_bytes,
            first_interim,
            copies,
            duplicate_responses,
            asked_bytes,
            data_bytes,
            request_bytes,
            response_bytes,
            response_head_bytes,
            frames,
            share,
            file,
            effects,
            buffer,
            hops,
            flags,
            everyone,
            place,
            sought,
        } = t;
        self.number = *number;
        self.protocol = *protocol;
        self.carrier = *carrier;
        self.client = *client;
        self.server = *server;
        self.conversation = *conversation;
        self.operation = *operation;
        self.code = *code;
        self.chain = *chain;
        self.kind = *kind;
        self.outcome = *outcome;
        self.status = *status;
        self.request = *request;
        self.response = *response;
        self.raw_end = *raw_end;
        self.lost_until = *lost_until;
        self.turnaround = *turnaround;
        self.service_ns = *service_ns;
        self.interims = *interims;
        self.interim_bytes = *interim_bytes;
        self.first_interim = *first_interim;
        self.copies = *copies;
        self.duplicate_responses = *duplicate_responses;
        self.asked_bytes = *asked_bytes;
        self.data_bytes = *data_bytes;
        self.request_bytes = *request_bytes;
        self.response_bytes = *response_bytes;
        self.response_head_bytes = *response_head_bytes;
        self.frames = *frames;
        self.share = *share;
        self.file = *file;
        self.effects = *effects;
        self.buffer = *buffer;
        self.hops = *hops;
        self.flags = *flags;
        self.everyone = *everyone;
        self.place = place.as_ref().filter(|place| place.pipes).cloned();
        self.sought.clone_from(sought);
    }

    /// What the user felt: t4 - t1 (t5 - t1 for a raw write that is not confirmed), ns.
    /// `None` also where the clock stepped back in between, as for all times.
    #[must_use]
    #[inline(always)]
    pub fn response_time_ns(&self) -> Option<i64> {
        self.times()?;
        self.request?.first.until(self.end()?)
    }

    /// Where what the user waited for ended: t4, or t5 if that is later.
    pub(crate) fn end(&self) -> Option<Mark> {
        let t4 = self.response?.last;
        Some(self.raw_end.filter(|t5| t4.precedes(*t5)).unwrap_or(t4))
    }

    /// All its times, if it has any: not where the clock of the capture stepped meanwhile, nor
    /// where the stamps have the answer before its request.
    #[inline]
    pub(crate) fn times(&self) -> Option<Times> {
        if self.flags.contains(Flags::CLOCK_STEP) {
            return None;
        }
        Times::of(self.request?, self.response?)
    }

    /// Whether the clock stepped between the frames that its times are of, or one of them has a
    /// wrong stamp.
    #[inline]
    pub(crate) fn clock_stepped(&self, steps: &SharedSteps) -> bool {
        // Nothing begins before its request, except where frames overtook each other.
        let begin = self.request.or(self.response);
        begin.is_some_and(|begin| steps.concern(begin.first.frame.min(begin.last.frame)))
            && self.clock_stepped_within(&steps.borrow())
    }

    #[inline(never)]
    fn clock_stepped_within(&self, steps: &Steps) -> bool {
        let ends = [self.request, self.response].into_iter().flatten();
        let ends = ends.flat_map(|extent| [extent.first, extent.last]);
        let others = [self.raw_end, self.first_interim].into_iter().flatten();
        let (mut first, mut last) = (u64::MAX, 0);
        for mark in ends.chain(others) {
            if steps.misled(mark.frame) {
                return true;
            }
            (first, last) = (first.min(mark.frame), last.max(mark.frame));
        }
        steps.between(first, last)
    }

    /// Whether it says itself that it goes to all stations, any of which may answer, or none.
    #[must_use]
    pub const fn asks_everyone(&self) -> bool {
        self.everyone
    }

    /// Whether nobody answered in the time that there was, as far as the capture shows: one that was open at its end, or whose
    /// response it may lack, may have been answered; one that was cancelled, or taken by a limit, too.
    #[must_use]
    pub const fn is_unanswered(&self) -> bool {
        let unseen = self.flags.contains(Flags::ONE_SIDED)
            || self.flags.contains(Flags::OPEN_AT_END)
            || self.flags.contains(Flags::CAPTURE_LOSS);
        matches!(self.outcome, Outcome::Unanswered) && !unseen
    }

    /// Whether the operation did what was asked; `None` if that cannot be told. A raw
    /// answer has no status: it is denied when it is empty.
    #[must_use]
    pub fn ok(&self) -> Option<bool> {
        let raw = self.flags.contains(Flags::RAW) && self.outcome == Outcome::Answered;
        match self.status {
            Some(status) => Some(status.ok),
            None if raw => Some(self.data_bytes > 0),
            None => None,
        }
    }

    /// Whether doing it twice leaves what doing it once leaves: all of it, where several
    /// operations came in one message.
    #[must_use]
    pub fn idempotent(&self) -> bool {
        self.operation.idempotent
            && self.chain.more == 0
            && self.chain.iter().all(|operation| operation.idempotent)
    }

    /// t2 - t1, ns.
    #[must_use]
    pub fn request_transfer_ns(&self) -> Option<i64> {
        let request = self.request.filter(|_| self.is_timed())?;
        request.first.until(request.last)
    }

    /// t4 - t3, ns.
    #[must_use]
    pub fn response_transfer_ns(&self) -> Option<i64> {
        let response = self.response.filter(|_| self.is_timed())?;
        response.first.until(response.last)
    }

    /// From the complete request to the first interim answer, ns. `None` as well where that
    /// came before the request was complete: it asked for the rest.
    #[must_use]
    pub fn first_interim_ns(&self) -> Option<i64> {
        let request = self.request.filter(|_| self.is_timed())?;
        request.last.until(self.first_interim?)
    }

    /// What it took, if it counts in statistics of times.
    #[must_use]
    #[inline(always)]
    pub fn took(&self) -> Option<LineTimes> {
        if self.outcome != Outcome::Answered {
            return None;
        }
        let times = self.times()?;
        let (request, response) = (self.request?, self.response?);
        Some(LineTimes {
            first_frame: request.first.frame,
            last_frame: response.last.frame,
            response_ns: request.first.until(self.end()?)?,
            turnaround_ns: self.clean_turnaround_ns(),
            request_transfer_ns: times.request_transfer,
            response_transfer_ns: times.response_transfer,
        })
    }

    /// The turnaround, if it is the server's work on this request alone.
    pub(crate) fn clean_turnaround_ns(&self) -> Option<i64> {
        let clean = !self.flags.contains(Flags::PIPELINED) && !self.flags.is_incomplete();
        self.turnaround.exact().filter(|_| clean)
    }

    /// Whether nothing speaks against its stamps.
    fn is_timed(&self) -> bool {
        !self.flags.contains(Flags::CLOCK_STEP)
            && (self.request.is_none() || self.response.is_none() || self.times().is_some())
    }
}

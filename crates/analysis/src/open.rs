//! One open request: what it is waiting for, and what has come of it. [`pairing`](crate::pairing)
//! changes it.

use crate::account::{ReachedAt, SURE};
use crate::names::Told;
use crate::parties::Parties;
use crate::piece::PieceTally;
use crate::ranges::Ranges;
use crate::{Deed, Extent, FrameCounts, Mark, Outcome, Transaction, Turnaround};
use std::ops::{Deref, DerefMut};
use wirewait_wire::{Expect, Id, Status, Timestamp};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OpenState {
    /// More of the request is to come.
    Asking,
    /// The request is complete.
    Waiting,
    /// `rest` bytes without header are to come from the client.
    Raw { rest: u32, answered: bool },
    /// More of the response is to come.
    Answering,
    /// The response is complete.
    Done,
}

/// What an answer brought.
pub(crate) struct Shelved {
    pub(crate) response: Extent,
    pub(crate) outcome: Outcome,
    pub(crate) status: Option<Status>,
    pub(crate) turnaround: Turnaround,
    pub(crate) service_ns: Option<i64>,
    pub(crate) data_bytes: u64,
    pub(crate) response_bytes: u64,
    pub(crate) frames: u32,
}

/// Raw data that a server let come.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UnconfirmedRaw {
    /// The request as it was before.
    pub(crate) request: Extent,
    pub(crate) go_ahead: PieceTally,
}

pub(crate) struct Open {
    pub(crate) serial: u64,
    pub(crate) transaction: Tracked,
    /// Whom it concerns; not known while that may have changed.
    pub(crate) parties: Parties,
    pub(crate) state: OpenState,
    /// The request was sent by this side.
    pub(crate) side: usize,
    pub(crate) id: Option<Id>,
    pub(crate) alias: Option<Id>,
    pub(crate) lane: Option<Id>,
    /// Where its response repeats it.
    pub(crate) command: Option<u8>,
    /// Behind its first message, among all that its sender sent; and how far he had then what the
    /// other side sent.
    pub(crate) asked_to: u64,
    pub(crate) had: u64,
    /// Behind what came of its response, among all that the other side sent.
    pub(crate) answered_to: u64,
    /// The answer may be among what is missing: how often data of its own side was missing then.
    pub(crate) awaited: Option<u64>,
    /// The server said that it goes on: how often data of its own side was missing then.
    pub(crate) goes_on: Option<u64>,
    /// The client's number of it, where that tells a repetition.
    pub(crate) number: Option<u16>,
    pub(crate) expect: Expect,
    pub(crate) may_wait: bool,
    pub(crate) opaque: bool,
    pub(crate) cancelled: bool,
    /// What the request named itself.
    pub(crate) told: Told,
    /// What was got and what is to be got, of request or response.
    pub(crate) got: [u64; 2],
    pub(crate) of: [u64; 2],
    pub(crate) mask: u32,
    /// When the server said last that it works on the request, and when a copy of it was sent behind that. Only where
    /// [`ASKED_AGAIN`](crate::account::ASKED_AGAIN) says that there was one.
    pub(crate) worked_on_at: Timestamp,
    /// The go-ahead to raw data, where nothing shows whether that will be confirmed.
    pub(crate) unconfirmed: Option<Box<UnconfirmedRaw>>,
    pub(crate) asked_again_at: Timestamp,
    /// The response came as soon behind the last copy as others behind their requests: it is the one to that. Only where
    /// [`COPIED`](crate::account::COPIED) says that there was one.
    pub(crate) by_copy: bool,
    /// The server has said that it lacks some of the request.
    pub(crate) lacking: bool,
    /// What was seen of the request and of the response, where their parts are ranges.
    pub(crate) asked: Ranges,
    pub(crate) answered: Ranges,
    /// End of the last copy of the request that came before the response.
    pub(crate) resent: Option<Mark>,
    /// The other side has said that request and response arrived before they were repeated.
    pub(crate) arrived: [bool; 2],
    /// The server has said that the request arrived before it was repeated, after bytes of its own up to there that
    /// did not come: a position in its stream, or [`u64::MAX`].
    pub(crate) arrived_but_for: u64,
    /// Since when it is known that its last copy was not delivered.
    pub(crate) refused: Option<Timestamp>,
    /// When the response was repeated last. Whether it had been lost shows until it is closed.
    pub(crate) repeated_at: Option<Timestamp>,
    /// Its client has acknowledged the response since then.
    pub(crate) heard_out: bool,
    /// The server has said that the answer will come, however long it takes.
    pub(crate) promised: bool,
    /// The server's transport has acknowledged all of it in a frame of its own, before any response.
    pub(crate) reached: bool,
    /// When it did so, beside other requests.
    pub(crate) reached_at: Option<ReachedAt>,
    /// Time lost in the request and in the response, ns.
    pub(crate) lost_ns: [i64; 2],
    /// As long after they had come were the request and the response in order, ns: something before them was missing.
    pub(crate) held_ns: [i64; 2],
    /// The least time until the response, lost before the capture, was retransmitted, ns.
    pub(crate) recovered_ns: i64,
    /// The request, or the response, may have been lost before the capture for longer than this, ns: nothing
    /// shows it. Else [`SURE`], or [`UNNUMBERED`](crate::account::UNNUMBERED).
    pub(crate) unsure: [i64; 2],
    /// And the request no longer than this besides, ns.
    pub(crate) unsure_ns: i64,
    /// Until when the answer was still being sent, or asked for, again after it was complete.
    pub(crate) lost_until: Option<Timestamp>,
    /// What the figures were told.
    pub(crate) waiting: Waiting,
    /// Any station may answer.
    pub(crate) anyone: bool,
    /// Neither request nor response says what it is.
    pub(crate) by_turn: bool,
    /// What was seen last of it came in several frames.
    pub(crate) grown: bool,
    /// Another command came under its identifier.
    pub(crate) overtaken: bool,
    /// Its client went on to the next one, of which it has one at a time, and did not ask for it again: it has the response.
    pub(crate) passed_over: bool,
    /// When the next request of its side was seen.
    pub(crate) followed: Option<Timestamp>,
    /// It is kept until the next request comes.
    pub(crate) lingers: bool,
    /// An answer that does not seem to have arrived.
    pub(crate) shelved: Option<Box<Shelved>>,
    pub(crate) deadline: Timestamp,
    /// Under which deadline it can be found.
    pub(crate) listed: Timestamp,
    /// What the message at hand did.
    pub(crate) deed: Deed,
}

/// A transaction that knows whether it was written to since others were told what it is: they need not be told again.
pub(crate) struct Tracked {
    transaction: Transaction,
    written: bool,
}

impl Tracked {
    const fn of(transaction: Transaction) -> Self {
        Self {
            transaction,
            written: true,
        }
    }

    /// Others know it as it is now.
    pub(crate) const fn mark_told(&mut self) {
        self.written = false;
    }

    /// Whether it is what others were told, but for frames that were [counted](Self::counted).
    pub(crate) const fn is_as_told(&self) -> bool {
        !self.written
    }

    /// Its frames and its share of them, which are told again in any case.
    pub(crate) const fn counted(&mut self) -> (&mut FrameCounts, &mut u64) {
        (&mut self.transaction.frames, &mut self.transaction.share)
    }
}

impl Deref for Tracked {
    type Target = Transaction;

    #[inline(always)]
    fn deref(&self) -> &Transaction {
        &self.transaction
    }
}

impl DerefMut for Tracked {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut Transaction {
        self.written = true;
        &mut self.transaction
    }
}

/// What the figures were told about an open request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Waiting {
    /// Nothing: it is not complete, over, or keeps nobody waiting.
    #[default]
    Nobody,
    /// The client waits for it, since it began.
    Client(Timestamp),
    /// It waits by design, since it began.
    ByDesign(Timestamp),
}

/// An open request that stays where it is, whatever comes and goes before it.
pub(crate) struct HeldRequest(Box<Open>);

impl HeldRequest {
    #[cold]
    fn new() -> Self {
        Self(Box::new(Open::of(Transaction::default())))
    }
}

impl Deref for HeldRequest {
    type Target = Open;

    fn deref(&self) -> &Open {
        &self.0
    }
}

impl DerefMut for HeldRequest {
    fn deref_mut(&mut self) -> &mut Open {
        &mut self.0
    }
}

/// Requests that are over, in whose place the next ones are put: they are large, and nothing is
/// to be allocated while as many begin as end.
#[derive(Default)]
pub(crate) struct Spare(Vec<HeldRequest>);

impl Spare {
    /// Kept at most.
    const MOST: usize = 64;

    /// Room for the next one, which is to [begin](Open::begin).
    #[inline]
    pub(crate) fn next(&mut self) -> HeldRequest {
        self.0.pop().unwrap_or_else(HeldRequest::new)
    }

    pub(crate) fn keep(&mut self, over: HeldRequest) {
        if self.0.len() < Self::MOST {
            self.0.push(over);
        }
    }
}

impl Open {
    fn of(transaction: Transaction) -> Self {
        Self {
            serial: 0,
            transaction: Tracked::of(transaction),
            parties: Parties::UNKNOWN,
            state: OpenState::Asking,
            side: 0,
            id: None,
            alias: None,
            lane: None,
            command: None,
            asked_to: 0,
            had: u64::MAX,
            answered_to: 0,
            awaited: None,
            goes_on: None,
            number: None,
            expect: Expect::Response,
            may_wait: false,
            opaque: false,
            cancelled: false,
            told: Told::default(),
            got: [0; 2],
            of: [u64::MAX; 2],
            mask: 0,
            asked: Ranges::default(),
            answered: Ranges::default(),
            resent: None,
            worked_on_at: Timestamp::default(),
            unconfirmed: None,
            asked_again_at: Timestamp::default(),
            by_copy: false,
            lacking: false,
            arrived: [false; 2],
            refused: None,
            repeated_at: None,
            arrived_but_for: u64::MAX,
            heard_out: false,
            promised: false,
            reached: false,
            reached_at: None,
            lost_ns: [0; 2],
            held_ns: [0; 2],
            recovered_ns: 0,
            unsure: [SURE; 2],
            unsure_ns: i64::MAX,
            lost_until: None,
            waiting: Waiting::Nobody,
            anyone: false,
            by_turn: false,
            grown: false,
            overtaken: false,
            passed_over: false,
            followed: None,
            lingers: false,
            shelved: None,
            deadline: Timestamp::from_nanos(0),
            listed: Timestamp::from_nanos(0),
            deed: Deed::Request,
        }
    }
}

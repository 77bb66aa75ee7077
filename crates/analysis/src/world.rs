//! What the parts of the analysis know in common, and tell each other.

use crate::account::Outstanding;
use crate::arrivals::SentBytes;
use crate::assembler::Rooms;
use crate::case::{Case, Wait};
use crate::clock::SharedSteps;
use crate::duplicates::SeenBefore;
use crate::flow::{ANY_NS, LostBefore};
use crate::lateness::Lateness;
use crate::names::KnownNames;
use crate::open::Spare;
use crate::parties::Parties;
use crate::path::Path;
use crate::piece::PieceTally;
use crate::stalls::Stall;
use crate::{Assembled, Deed, Mark, Notice, Settings, Transaction};
use std::cell::{Cell, RefCell};
use std::ops::Deref;
use std::sync::Arc;
use wirewait_wire::word::Name;
use wirewait_wire::{DissectorId, Endpoint, Frame, Registry, Timestamp, Walk};

/// What every part of the analysis may use.
pub(crate) struct Shared {
    pub(crate) registry: Arc<Registry>,
    pub(crate) names: RefCell<KnownNames>,
    pub(crate) settings: Settings,
    pub(crate) spare: RefCell<Spare>,
    pub(crate) rooms: Rooms,
    /// Where the capture's clock stepped, which it hardly ever does.
    pub(crate) steps: SharedSteps,
    /// The latest frame before which it seems to have been set: a response after nobody sent anything for longer
    /// than its client waits, or any frame behind a silence in which a timer should have run out.
    pub(crate) suspect: Cell<u64>,
    /// How long the clock stands still, as far as that has shown, ns.
    pub(crate) tick_ns: Cell<i64>,
    /// Somebody wants to know of each request as it is asked.
    pub(crate) metered: bool,
}

/// What is the same for every conversation.
pub(crate) struct World<'a> {
    pub(crate) shared: &'a Shared,
    /// The moment that has surely passed.
    pub(crate) sure: Timestamp,
    /// Requests open in all conversations.
    pub(crate) open: usize,
    /// Bytes held back in all streams.
    pub(crate) held: usize,
    /// The capture is over.
    pub(crate) over: bool,
    /// Somebody wants to know of every message and every frame.
    pub(crate) observed: bool,
}

impl Deref for World<'_> {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        self.shared
    }
}

/// A frame of the capture that is no mirror copy.
pub(crate) struct Seen<'a> {
    /// Its number and time.
    pub(crate) mark: Mark,
    /// Its interface, link, length and bytes.
    pub(crate) frame: &'a Frame<'a>,
    /// Its layers, and what they mean together.
    pub(crate) walk: &'a Walk,
    /// Where and when its packet was seen before, if routers count it.
    pub(crate) before: &'a Option<SeenBefore>,
    /// How many routers it has passed, counted as there.
    pub(crate) hops: Option<u8>,
    /// The direction in which it goes, and where data about its two ends is stored.
    pub(crate) path: &'a Path,
    /// The innermost of its layers that carries requests; empty if there is none.
    pub(crate) carrier: &'static str,
    /// Bytes on the wire, preamble and gap included; 0 where the link is not known.
    pub(crate) on_wire: u64,
}

/// What a conversation tells the books.
pub(crate) enum Event<'a> {
    /// A request was seen: asks for the number of its transaction, and for its parties, of
    /// which it tells those of the one before.
    Opened(&'a mut Transaction, &'a mut Parties),
    /// A request of a client [on probation](Parties::on_probation) is answered: asks for its
    /// parties.
    Admitted(&'a Transaction, &'a mut Parties),
    /// A response without a request was seen: asks for its number and parties, as `Opened` does.
    Orphaned(&'a mut Transaction, &'a mut Parties),
    /// Bytes by which the data held back in a stream grows, or shrinks if negative.
    Held(isize),
    /// A request is complete that keeps its client waiting.
    Begins(Wait<'a>),
    /// The client no longer waits for it since then. What it waited for when, if it did.
    Ends(Wait<'a>, Timestamp, Option<&'a Outstanding>),
    /// Something else became of a wait.
    Happens(Wait<'a>, WaitEvent),
    /// The wait that ends next was for this, within one of its phases.
    Stalled(&'a Stall),
    /// Its request and its response were so much longer than others on their way.
    Late([Lateness; 2]),
    /// This client's connection is one more of a session that this one began, at another address: they are one.
    SameClient(Case<'a>, Endpoint),
    /// A server asks a client for an oplock or a lease back.
    TookBack(Case<'a>),
    /// A client acknowledged that.
    GaveBack(Case<'a>),
    /// A transport did something that an administrator counts.
    Notice(&'a Notice),
    /// The frame under way acknowledges part of one frame of data, as where that was cut into several only
    /// behind the capture.
    PartAcknowledged,
    /// It acknowledged a message by itself, which shows how far it is.
    Reached(&'a Reached),
    /// A request is complete.
    Asked(Case<'a>),
    /// Its answer is complete.
    Answered(Case<'a>),
    /// What was thought to be complete has more.
    Grows(Case<'a>, Growth),
    /// A transaction is closed; whether it is as it was when its wait ended, but for frames that were counted.
    Closed(Case<'a>, bool),
    /// The capture ended before anything of a response to this one came; whether its server's transport has acknowledged it.
    Unfinished(&'a Transaction, bool),
    /// Nobody waits any more for this one, which has no response, since then.
    GaveUp(&'a Transaction, Timestamp),
    /// Where nothing below repeats what is lost, the frame under way repeats a message whose
    /// first copy came so long ago, ns.
    Repeated(i64),
    /// Their receiver says that these bytes arrived twice. Whether they were retransmitted.
    Twice(&'a SentBytes, bool),
    /// A message was taken for a request because it was its sender's turn; nothing in it says so.
    Guessed,
    /// The capture lacks a message, as others show where nothing below is numbered.
    Lacked,
    /// A request, or a response, comes in messages of their own.
    InParts,
    /// A request of a conversation whose ends take turns, as far as anyone knows: its header is not published.
    TakesTurns,
    /// A response that cannot be read came, and more than one request may be what it answers.
    GuessedOrder,
    /// Something was given up because of this limit.
    Limited(Limited),
    /// So much of the frames belongs to no transaction.
    Control(u64),
    /// A message of this protocol was completed by the frame under way.
    Protocol(DissectorId),
    /// A message is complete, or goes on with the frame under way.
    Assembled(&'a Assembled<'a>),
    /// The transaction with this number has to do with a frame: the one under way, if none is
    /// named.
    Did(u64, Deed, Option<u64>),
}

/// What becomes of a wait, beside that somebody begins to wait and stops.
#[derive(Clone, Copy, Debug)]
pub(crate) enum WaitEvent {
    /// It is by design, and its request is complete.
    Waits,
    /// It was by design, and is over since then.
    Waited(Timestamp),
    /// Loss recovery from its beginning to then: the response was retransmitted, or the request was lost.
    Lost(Timestamp),
    /// From its beginning to then, requests were made that the capture lacks.
    Unseen(Timestamp),
    /// The client aborted the connection then, while it waited.
    Abandoned(Timestamp),
    /// The server reset the connection then, while its client waited or right behind a response; it began when that waited, or
    /// had the response.
    CutOff(Timestamp, CutOff),
}

/// What a server left undone that reset a connection.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CutOff {
    /// The response was complete, and its client had not acknowledged it.
    pub(crate) answered: bool,
    /// Otherwise: the capture may lack it.
    pub(crate) lacks: bool,
}

/// A message was acknowledged by a transport, and all of it had come.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reached {
    /// Who acknowledged it, and to whom.
    pub(crate) ends: [Endpoint; 2],
    pub(crate) at: Mark,
    /// Where it ended, and its bytes if all were in that frame; else none.
    pub(crate) sent: Mark,
    pub(crate) bytes: u64,
}

/// What comes to a request or an answer that was counted when it seemed complete.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Growth {
    /// Of the request; otherwise of the answer.
    pub(crate) asks: bool,
    /// Further messages: none if one that was counted goes on.
    pub(crate) messages: u64,
    /// Their bytes.
    pub(crate) bytes: u64,
    /// Those of them that are data of the file, where they are still to be counted.
    pub(crate) data: u64,
}

/// A limit of the [`Settings`] that was reached, where a conversation notices it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Limited {
    /// [`Settings::open_requests`].
    OpenRequests,
    /// [`Settings::conversation_requests`].
    ConversationRequests,
    /// [`Settings::held_bytes`].
    HeldBytes,
    /// [`Settings::stream_bytes`].
    StreamBytes,
    /// A message is in more pieces than are [kept apart](crate::bounds::Bound::Pieces).
    Pieces,
    /// A message stood still more often than is [remembered](crate::bounds::Bound::Stalls).
    Stalls,
}

/// Who hears of it.
pub(crate) trait Events {
    fn tell(&mut self, event: Event<'_>);
}

/// What all transactions of a conversation have in common.
#[derive(Default)]
pub(crate) struct Between {
    /// The ends, in the order in which the conversation numbers its sides.
    pub(crate) ends: [Endpoint; 2],
    /// Which of them serves.
    pub(crate) server: usize,
    pub(crate) carrier: Name,
    pub(crate) conversation: u64,
    /// Frames are not put in order below: requests may be repeated.
    pub(crate) unordered: bool,
    /// Whether requests may have been lost before the capture, where nothing else shows it:
    /// [`SURE`](crate::account::SURE) or [`UNNUMBERED`](crate::account::UNNUMBERED).
    pub(crate) unsure: i64,
    /// A byte stream: acknowledgements say which bytes they mean.
    pub(crate) stream: bool,
    /// The conversation began before the capture.
    pub(crate) mid_capture: bool,
    /// Only one side was ever seen.
    pub(crate) one_sided: bool,
    /// The ends take turns.
    pub(crate) turns: bool,
    /// Their messages say which request they are about.
    pub(crate) named: bool,
    /// The latest question that any station may answer went to all of them.
    pub(crate) everyone: bool,
    /// The frame under way was captured a little before one that came before it.
    pub(crate) displaced: bool,
    /// Data of the other side was captured that cannot be read yet: some before it is missing.
    pub(crate) held_back: bool,
    /// Up to where data of the other side was captured without a hole, if some behind that is
    /// missing; else all of it.
    pub(crate) seen_to: u64,
    /// What of each side may have been lost before the capture.
    pub(crate) lost: [LostBefore; 2],
}

impl Between {
    /// Whether this message may have been lost before the capture, and be retransmitted.
    #[inline]
    pub(crate) fn may_be_again(&self, side: usize, tally: &PieceTally) -> bool {
        tally.extent.first.frame <= self.lost[side].latest
    }

    /// This frame of `side` brings what was lost before the capture, so long ago at least, ns, and at most, if that is
    /// longer.
    #[cold]
    pub(crate) fn was_lost_before(&mut self, side: usize, mark: Mark, (ns, most_ns): (i64, i64)) {
        let unsure = match self.lost[side].unsure {
            (first, u64::MAX) => (first, u64::MAX),
            _ => (mark.frame, mark.frame),
        };
        self.lost[side] = LostBefore {
            unsure,
            frame: mark.frame,
            proved_ns: ns,
            most_ns,
            latest: unsure.1,
            ..LostBefore::default()
        };
    }

    /// The bytes that this piece brings were missing so long, ns, while later ones were there: what begins in it was
    /// sent before those.
    #[cold]
    pub(crate) fn was_missing(&mut self, side: usize, mark: Mark, late_ns: i64) {
        // A message that began before keeps what is known of it.
        let lost = &mut self.lost[side];
        lost.missing = (mark.frame, late_ns);
        lost.latest = lost.latest.max(mark.frame);
    }

    /// How long its sender waited at least to send this message again, ns, and how long at most if that is
    /// longer; 0 where nothing shows whether it was lost, `None` where it was not.
    #[cold]
    pub(crate) fn again_after(&self, side: usize, tally: &PieceTally) -> Option<(i64, i64)> {
        self.again_at(side, tally.extent.first.frame)
    }

    /// Likewise of data in this frame.
    #[cold]
    pub(crate) fn again_at(&self, side: usize, frame: u64) -> Option<(i64, i64)> {
        let lost = &self.lost[side];
        let (first, latest) = lost.unsure;
        let (missing, late_ns) = lost.missing;
        if frame == lost.frame {
            let late_ns = if frame == missing { late_ns } else { 0 };
            return Some((lost.proved_ns.max(late_ns), lost.most_ns));
        }
        if frame == missing {
            return Some((late_ns, 0));
        }
        (first..=latest).contains(&frame).then_some((0, ANY_NS))
    }
}

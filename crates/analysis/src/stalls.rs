//! Time within a transfer, or within a turnaround, that is a station's own: what the wire shows that it was for.

use crate::Noticed;
use crate::breaks::TakenBack;
use crate::table::TablePlace;
use wirewait_wire::{Endpoint, Operation, Timestamp};

/// A sender that sends nothing more for less has not stopped, ns: other work of its own takes as long.
pub(crate) const STOPPED_NS: i64 = 5_000_000;
/// Data that follows so soon waited for what came before it, ns, but for the way.
pub(crate) const AT_ONCE_NS: i64 = 1_000_000;
/// No receiver keeps an acknowledgement waiting for less, ns: the shortest timers of systems (Linux).
const DELAYED_NS: i64 = 40_000_000;

/// Whether this acknowledges what its receiver may have kept waiting.
#[inline]
pub(crate) fn is_late(what: &Noticed) -> bool {
    matches!(what, Noticed::Acknowledged { after_ns, .. } if *after_ns >= DELAYED_NS)
}

/// Whether this acknowledges something so late that its sender stands still if it may send nothing more.
#[inline]
pub(crate) fn is_slow(what: &Noticed) -> bool {
    matches!(what, Noticed::Acknowledged { after_ns, .. } if *after_ns >= STOPPED_NS)
}

/// Whether this acknowledges several segments.
#[inline]
pub(crate) fn shows_several(what: &Noticed) -> bool {
    matches!(what, Noticed::Acknowledged { frames: 2.., .. })
}

/// Why a transfer or a turnaround stood still.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum StallCause {
    /// The receiver of a message could take nothing more of it: from when it said so, or had no room left for a full segment
    /// beside what it had not acknowledged, until it could.
    ClosedWindow,
    /// A client gave an oplock or a lease back for which another one waited: from the break to its acknowledgement.
    Break,
    /// The receiver kept its acknowledgement waiting, and the sender sent the rest of its message, or the next one, only behind
    /// that: from the data to the acknowledgement.
    DelayedAcknowledgement,
    /// The sender of a message sent nothing more of it for a while, though its receiver could take more and no
    /// acknowledgement kept it waiting: from its latest data to the next.
    Stopped,
    /// A server let a request go on of which it had the first messages: from the last of these to its go-ahead.
    GoAhead,
    /// A client that was let go on sent the rest of its request: from the go-ahead to that.
    Rest,
}

impl StallCause {
    /// All of them, in the order in which they are shown.
    pub const ALL: [Self; 6] = [
        Self::ClosedWindow,
        Self::Break,
        Self::DelayedAcknowledgement,
        Self::Stopped,
        Self::GoAhead,
        Self::Rest,
    ];

    /// The name used in every output for programs.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ClosedWindow => "closed_window",
            Self::Break => "break",
            Self::DelayedAcknowledgement => "delayed_acknowledgement",
            Self::Stopped => "stopped",
            Self::GoAhead => "go_ahead",
            Self::Rest => "rest",
        }
    }

    /// Whether it is time of the one who sends, and not of the one who receives.
    const fn is_the_senders(self) -> bool {
        matches!(self, Self::Stopped | Self::Rest)
    }
}

/// Stalls of one cause that are time of clients, or of servers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct StallSum {
    /// How many parts of slices they are.
    pub count: u64,
    /// The stations' time, as tables show it: without the way that is proved, ns.
    pub ns: u64,
    /// With it, ns.
    pub whole_ns: u64,
    /// How many were for a lease that another client gave back.
    pub leases: u64,
}

/// All stalls, as far as they are time of somebody who waits for nothing else.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stalls([[StallSum; StallCause::ALL.len()]; 2]);

impl Stalls {
    /// Those of this cause that are the clients' time, or the servers'.
    #[must_use]
    pub const fn of(&self, server: bool, cause: StallCause) -> &StallSum {
        &self.0[server as usize][cause as usize]
    }

    pub(crate) fn add(&mut self, stall: &Stall, ns: u64, whole_ns: u64) {
        let sum = &mut self.0[usize::from(stall.server)][stall.cause as usize];
        sum.count += 1;
        sum.leases += u64::from(stall.lease);
        sum.ns = sum.ns.saturating_add(ns);
        sum.whole_ns = sum.whole_ns.saturating_add(whole_ns);
    }
}

/// A stall of a request, as the capture has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stall {
    pub(crate) from: Timestamp,
    pub(crate) to: Timestamp,
    pub(crate) cause: StallCause,
    /// The server's; else the client's.
    pub(crate) server: bool,
    /// What ended it may be the repetition of what was lost before the capture, or its way may have been as long.
    pub(crate) unsure: bool,
    /// How long its sender lacked an acknowledgement of what it had sent, ns. Of a closed window all of it, or 0.
    pub(crate) lacked_ns: u64,
    /// What was acknowledged late on a link.
    pub(crate) on_link: Option<LateOnLink>,
    /// It is none: each frame of the message but the first was sent behind the acknowledgement of the one before.
    pub(crate) waited: bool,
    /// The response as a whole was sent behind it: it lies in what would be the server's turnaround.
    pub(crate) whole: bool,
    /// Another client gave a lease back.
    pub(crate) lease: bool,
    /// Of how many that follow each other it is, each behind a frame: a slow line would look alike. 0 where it is none of those.
    pub(crate) steady: u32,
}

/// Frames of a link that were acknowledged late.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LateOnLink {
    /// How many, and their bytes.
    pub(crate) frames: u32,
    pub(crate) bytes: u64,
    /// How long behind the acknowledgement the next data came, ns; `None` where that had been lost before the capture.
    pub(crate) behind_ns: Option<u64>,
    /// Whether their sender sends again without asking first.
    pub(crate) resends: bool,
}

impl Stall {
    /// How long it is, with the way, ns.
    pub(crate) fn ns(&self) -> u64 {
        u64::try_from(self.to.since(self.from)).unwrap_or(0)
    }
}

/// A stall of a message of `sender`, a side of its conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MessageStall {
    pub(crate) sender: usize,
    /// The number of the request, where the message need not be the only one that is under way from its sender.
    pub(crate) of: Option<u64>,
    pub(crate) from: Timestamp,
    pub(crate) to: Timestamp,
    pub(crate) cause: StallCause,
    /// As those of the request's.
    pub(crate) unsure: bool,
    pub(crate) lacked_ns: u64,
    /// A timer may have ended it, of a sender that lacked an acknowledgement.
    pub(crate) timer: bool,
    /// Its sender goes on in the same pace before or behind it: of how many that follow each other it is one.
    pub(crate) steady: u32,
    pub(crate) on_link: Option<LateOnLink>,
    /// It is none: frames of a message that were sent behind the acknowledgement of all before them.
    pub(crate) waited: Option<WaitedFrames>,
    /// It is none of a message that was under way: responses of its sender waited as a whole.
    pub(crate) held: Option<HeldResponses>,
}

/// Responses that were ready, and that their server sent behind the acknowledgement of what it had sent before (Nagle's algorithm).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HeldResponses {
    /// What they are responses to.
    pub(crate) operation: &'static Operation,
    /// The frame that has them, once it came.
    pub(crate) frame: u64,
}

/// Frames of a message that were sent behind the acknowledgement of all before them: how fast they come shows no line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WaitedFrames {
    /// The number of the message.
    pub(crate) serial: u64,
    pub(crate) count: u64,
}

impl MessageStall {
    /// One of which no more is known.
    #[cold]
    pub(crate) const fn new(
        sender: usize,
        cause: StallCause,
        (from, to): (Timestamp, Timestamp),
    ) -> Self {
        Self {
            sender,
            of: None,
            from,
            to,
            cause,
            unsure: false,
            lacked_ns: 0,
            timer: false,
            steady: 0,
            on_link: None,
            waited: None,
            held: None,
        }
    }

    /// A frame of the message with this number, which was sent then.
    #[cold]
    pub(crate) const fn of_waited(sender: usize, serial: u64, at: Timestamp) -> Self {
        let span = (at.plus(-1), at);
        Self {
            waited: Some(WaitedFrames { serial, count: 1 }),
            ..Self::new(sender, StallCause::DelayedAcknowledgement, span)
        }
    }

    /// Whether this steady one goes on in that one.
    pub(crate) fn goes_on_in(&self, next: &Self) -> bool {
        let same = (self.sender, self.of, self.to) == (next.sender, next.of, next.from);
        same && self.steady > 0 && next.steady > 0 && self.unsure == next.unsure
    }

    /// That of a request of this side, or of the response to it.
    pub(crate) fn of_request(&self, side: usize) -> Stall {
        Stall {
            from: self.from,
            to: self.to,
            cause: self.cause,
            server: (self.sender == side) != self.cause.is_the_senders(),
            unsure: self.unsure,
            lacked_ns: self.lacked_ns,
            on_link: self.on_link,
            waited: self.waited.is_some(),
            whole: self.held.is_some(),
            lease: false,
            steady: self.steady,
        }
    }
}

/// An oplock or a lease that a server took back, and from whom.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GivenBack {
    pub(crate) of: TakenBack<TablePlace>,
    /// Who had it, and its row.
    pub(crate) holder: Endpoint,
    pub(crate) at: TablePlace,
    /// The row of both.
    pub(crate) pair: TablePlace,
    /// It is a lease.
    pub(crate) lease: bool,
    /// What the break is called.
    pub(crate) word: &'static str,
    /// Nobody acknowledged it before the server gave up.
    pub(crate) in_vain: bool,
    /// That it comes late, or not at all, was said.
    pub(crate) told: bool,
}

impl GivenBack {
    /// What it is of a request that waited for it.
    pub(crate) const fn stall(&self) -> Stall {
        Stall {
            from: self.of.from.at,
            to: self.of.to.at,
            cause: StallCause::Break,
            server: false,
            unsure: false,
            lacked_ns: 0,
            on_link: None,
            waited: false,
            whole: false,
            lease: self.lease,
            steady: 0,
        }
    }
}

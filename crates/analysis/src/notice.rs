//! What transports do that an administrator counts.

use crate::{Mark, Windows};
use wirewait_wire::Endpoint;
use wirewait_wire::word::Name;

/// Something that a transport did, told when the frame that shows it is taken in.
///
/// Only what the frames say is told; what they mean for a time or a judgement is for who
/// reads them. The same happens in the same order however the capture is split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Notice {
    /// The frame that shows it; where a frame failed to come, the last one before.
    pub mark: Mark,
    /// Who sent that frame.
    pub from: Endpoint,
    /// To whom.
    pub to: Endpoint,
    /// The carrier, as in [`crate::Transaction`]; empty while nothing has shown it.
    pub carrier: Name,
    /// Number of the conversation, where there is one; the one that used a shared link last.
    pub conversation: Option<u64>,
    /// Bytes of data concerned, headers not counted: resent, rejected, acknowledged.
    pub bytes: u64,
    /// What it did.
    pub what: Noticed,
}

impl Notice {
    /// A notice of which no more is known: no carrier, no conversation, no data.
    #[must_use]
    pub fn new(mark: Mark, from: Endpoint, to: Endpoint, what: Noticed) -> Self {
        Self {
            mark,
            from,
            to,
            carrier: "",
            conversation: None,
            bytes: 0,
            what,
        }
    }
}

/// What a transport did. "The sender" and "the receiver" are those of the frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Noticed {
    /// The sender sent data again that it had sent before.
    Resent {
        /// Since it had last sent it, ns; `None` if that is not in the capture, or forgotten.
        after_ns: Option<i64>,
    },
    /// Data came behind data that was sent after it, too soon to be a retransmission.
    Overtaken {
        /// Since the first data that overtook it came, ns.
        late_ns: i64,
    },
    /// The sender has data of the other side that was retransmitted, though the copy cannot have come yet, or says that it
    /// arrived twice: behind the capture, frames that followed it had overtaken it.
    OvertakenBehind,
    /// The sender did not take all the data of the other side, and wants it again.
    Rejected,
    /// The sender can take no more for now.
    Busy,
    /// The sender can take data again.
    Ready {
        /// Since it said that it could not, ns.
        after_ns: i64,
    },
    /// The sender asks the other side to say how far it got.
    Polled {
        /// Data frames that the other side has not acknowledged.
        waiting: u32,
    },
    /// The sender asks once more; nothing came of the time before.
    PollUnanswered {
        /// Since it asked last, ns.
        after_ns: i64,
    },
    /// The sender acknowledges data of the other side.
    Acknowledged {
        /// In a frame that carries no data; else it rides on one that does.
        bare: bool,
        /// A whole message, above a link that acknowledges frames. Then the link's
        /// figures are not told: `bytes` and those below are 0.
        message: bool,
        /// Of a message: the other side allowed it to wait for data to ride on.
        may_ride: bool,
        /// Data frames that it acknowledges.
        frames: u32,
        /// Bytes that were on their way when the acknowledgement came: what the other side
        /// sent before it had to stop, if it had to.
        outstanding: u64,
        /// Bytes of data in the last of the frames.
        last_bytes: u32,
        /// Since the last of the frames was sent, ns.
        after_ns: i64,
        /// Number of that frame; `None` where one of them was retransmitted, so that it is not known
        /// which copy is acknowledged.
        sent: Option<u64>,
        /// No receiver keeps such an acknowledgement waiting: bare, on a byte stream, of more
        /// than one full-sized segment, none of which was retransmitted (RFC 5681, section 4.2).
        at_once: bool,
    },
    /// The sender said how much it can take; what it said since that was told last, which is
    /// at least once a second. The frame is the last that said so, the sender that of it.
    Offered(Windows),
    /// The sender sent a long message, of which this is the last frame, no faster than the receiver's window allowed: it
    /// waited a round trip for each window.
    FilledWindow {
        /// Where it began.
        first: Mark,
        /// The largest window that the receiver had offered, bytes.
        window: u64,
        /// How long a round trip took, ns.
        round_trip_ns: i64,
        /// How long the message takes at least with these two, ns.
        least_ns: i64,
    },
    /// The sender asks for a connection.
    Asked {
        /// How often by now.
        tries: u32,
    },
    /// The sender agrees to a connection.
    Opened {
        /// How often it had been asked.
        tries: u32,
        /// Since it was asked first, ns.
        after_ns: i64,
    },
    /// The sender says that it will not have the connection that it was asked for.
    Refused {
        /// How often it had been asked.
        tries: u32,
    },
    /// Nobody answered the sender, who asked for a connection.
    NotAnswered {
        /// How often it asked.
        tries: u32,
        /// Where it asked first; the frame of the notice is where it asked last.
        first: Mark,
    },
    /// The sender ends a connection in good order.
    Closed,
    /// The sender ends a connection at once.
    Aborted,
    /// The sender sent data again, or polled, and heard nothing any more: so it ended.
    Died {
        /// How often it tried since it last heard of the other side.
        tries: u32,
        /// From when it last heard to its last try, ns.
        silent_ns: i64,
    },
}

/// Least number of unanswered tries for [`Noticed::Died`]; a capture that ends in a pause shows
/// fewer.
pub const DEAD_AFTER: u32 = 3;

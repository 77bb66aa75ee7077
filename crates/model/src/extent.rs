//! Frames and stretches of frames.

use wirewait_wire::Timestamp;

/// Frames that a card with several queues hands over out of order are not farther apart, ns.
pub const DISPLACED_NS: i64 = 10_000_000;

/// A frame and its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Number of the frame in the capture, counted from 1 as every analyser shows it.
    pub frame: u64,
    /// Its time stamp.
    pub at: Timestamp,
}

/// From the first frame that carries a byte of a message to the one that completes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// The first (t1 of a request, t3 of a response).
    pub first: Mark,
    /// The last (t2 of a request, t4 of a response).
    pub last: Mark,
}

impl Mark {
    /// Nanoseconds from this frame to a later one; `None` if that one is not later: no time that
    /// passed is below zero.
    #[must_use]
    #[inline]
    pub const fn until(self, later: Self) -> Option<i64> {
        let ns = later.at.since(self.at);
        if ns >= 0 { Some(ns) } else { None }
    }

    /// Whether this frame came before the other: by their stamps where those are right, and by
    /// their places in the capture where the clock stepped.
    #[must_use]
    pub fn precedes(self, other: Self) -> bool {
        let ns = other.at.since(self.at);
        if ns.unsigned_abs() <= DISPLACED_NS.unsigned_abs() && ns != 0 {
            ns > 0
        } else {
            self.frame < other.frame
        }
    }
}

impl Extent {
    /// Makes it reach over the other as well.
    pub fn widen(&mut self, other: Self) {
        if other.first.precedes(self.first) {
            self.first = other.first;
        }
        if self.last.precedes(other.last) {
            self.last = other.last;
        }
    }
}

//! What receivers say about frames that were seen twice: that both arrived (D-SACK, RFC 2883).
//!
//! Identical frames may be one that was captured twice, or one that was doubled on the way. Only their
//! receiver knows, and a later acknowledgement of it may say so.

use std::collections::VecDeque;
use wirewait_wire::Endpoint;

/// Copies whose receiver may still say something. It does so in a round trip.
const COPIES: usize = 64;

/// Bytes of a byte stream, by their sender, receiver and first sequence number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SentBytes {
    pub(crate) from: Endpoint,
    pub(crate) to: Endpoint,
    pub(crate) seq: u32,
}

/// The latest copies, and how many of all frames arrived twice.
#[derive(Clone, Debug, Default)]
pub(crate) struct Arrivals {
    copies: VecDeque<SentBytes>,
    /// Sent once, and doubled on the way.
    pub(crate) doubled: u64,
    /// Retransmitted, though the first one had arrived.
    pub(crate) needless: u64,
}

impl Arrivals {
    /// A frame was seen whose bytes another one had a moment ago.
    #[cold]
    pub(crate) fn copy(&mut self, sent: SentBytes) {
        if self.copies.len() == COPIES {
            self.copies.pop_front();
        }
        self.copies.push_back(sent);
    }

    /// Their receiver says that these bytes arrived twice. `again`: they were retransmitted.
    #[cold]
    pub(crate) fn twice(&mut self, sent: &SentBytes, again: bool) {
        let copy = self.copies.iter().rposition(|copy| copy == sent);
        match (copy, again) {
            (Some(place), false) => {
                self.copies.remove(place);
                self.doubled += 1;
            }
            (None, true) => self.needless += 1,
            // Either of both, or what the capture has not.
            (Some(_), true) | (None, false) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(seq: u32) -> SentBytes {
        SentBytes {
            from: Endpoint::mac([2, 0, 0, 0, 0, 1]),
            to: Endpoint::mac([2, 0, 0, 0, 0, 2]),
            seq,
        }
    }

    #[test]
    fn a_copy_that_arrived_twice_was_doubled_on_the_way() {
        let mut arrivals = Arrivals::default();
        arrivals.copy(sent(1));
        arrivals.copy(sent(2));
        arrivals.twice(&sent(2), false);
        // Said once more, and of what has no copy.
        arrivals.twice(&sent(2), false);
        arrivals.twice(&sent(3), false);
        assert_eq!((arrivals.doubled, arrivals.needless), (1, 0));
        // The other direction has numbers of its own.
        let SentBytes { from, to, seq } = sent(1);
        arrivals.twice(
            &SentBytes {
                from: to,
                to: from,
                seq,
            },
            false,
        );
        assert_eq!(arrivals.doubled, 1);
    }

    #[test]
    fn what_was_sent_again_and_arrived_twice_was_sent_needlessly() {
        let mut arrivals = Arrivals::default();
        arrivals.twice(&sent(1), true);
        assert_eq!((arrivals.doubled, arrivals.needless), (0, 1));
        // Captured twice as well: which of both the receiver means is unknown.
        arrivals.copy(sent(2));
        arrivals.twice(&sent(2), true);
        assert_eq!((arrivals.doubled, arrivals.needless), (0, 1));
    }

    #[test]
    fn the_oldest_copy_makes_room() {
        let mut arrivals = Arrivals::default();
        (0..=COPIES as u32).for_each(|seq| arrivals.copy(sent(seq)));
        arrivals.twice(&sent(0), false);
        assert_eq!(arrivals.doubled, 0);
        arrivals.twice(&sent(1), false);
        assert_eq!((arrivals.doubled, arrivals.copies.len()), (1, COPIES - 1));
    }
}

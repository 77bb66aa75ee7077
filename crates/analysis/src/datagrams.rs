//! What the identifications of datagrams show that are messages of their own: that a request was lost
//! before the capture, or that none was.
//!
//! No timer of a transport is known here, but the gaps are between what the other side said last and
//! what comes then. Where a datagram follows the one before it by number, none is missing, and its gap
//! is what its sender took. Longer than that, where numbers are missing, it waited to send again.

use crate::Mark;
use crate::flow::{ANY_NS, LostBefore};
use crate::packets::{Packets, TIMER_NS};
use wirewait_wire::Timestamp;

/// The longest first timer of a client, ns; it doubles with each try (RFC 6298, 2.1 has the same).
const LONGEST_NS: i64 = 1_000_000_000;
/// Tries that are counted.
const TRIES: u16 = 3;
/// Datagrams of which none is missing that show that a sender's count is that of the conversation.
const VOUCHED: u8 = 16;

/// Both directions of a conversation of datagrams with identifications.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Datagrams {
    ways: [DatagramWay; 2],
    /// When the latest of either side came.
    heard: Option<Timestamp>,
}

#[derive(Clone, Copy, Debug, Default)]
struct DatagramWay {
    packets: Packets,
    /// The longest gap before a new message that follows the one before it by number, ns.
    longest_ns: i64,
    /// The gap before the latest, if it does.
    latest_ns: i64,
    /// The transaction of the latest new one.
    transaction: u64,
    /// How many did so.
    vouched: u8,
    /// Numbers were left out where nothing can have been lost: others share the count.
    shared: bool,
}

impl Datagrams {
    /// A datagram of `side` with this identification and data of this length. Returns what may have been
    /// lost before the capture; `None` where the identifications show that nothing was.
    pub(crate) fn came(
        &mut self,
        side: usize,
        packet: (Option<u16>, u32),
        mark: Mark,
    ) -> Option<LostBefore> {
        let heard = self.heard.replace(mark.at);
        let gap = heard.map_or(0, |heard| mark.at.since(heard));
        let way = &mut self.ways[side];
        let Some(missing) = way.packets.came(packet, mark.frame) else {
            way.latest_ns = gap;
            way.vouched = way.vouched.saturating_add(1);
            return None;
        };
        way.latest_ns = 0;
        Some(way.lost(missing, gap))
    }

    /// What came is of this transaction. What is repeated, as its response was lost, came after a timer.
    pub(crate) fn is_of(&mut self, side: usize, transaction: u64) {
        let way = &mut self.ways[side];
        if transaction > way.transaction {
            way.transaction = transaction;
            way.longest_ns = way.longest_ns.max(way.latest_ns);
        }
    }
}

impl DatagramWay {
    #[cold]
    fn lost(&mut self, missing: u16, gap: i64) -> LostBefore {
        let unsure = self.packets.unsure();
        let waited = gap.saturating_sub(self.longest_ns);
        // Twice as long with each try.
        let most = ((1 << missing.min(TRIES)) - 1) * LONGEST_NS;
        let recovers = missing > 0 && missing <= TRIES && waited >= TIMER_NS && gap <= most;
        self.shared |= missing > 0 && !recovers;
        let proved = recovers && !self.shared && self.vouched >= VOUCHED;
        LostBefore {
            unsure: (unsure.first, unsure.latest),
            frame: unsure.latest,
            proved_ns: if proved { waited } else { 0 },
            most_ns: ANY_NS,
            latest: unsure.latest,
            ..LostBefore::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: i64 = 1_000_000;

    /// A client that takes `think` ms asks 20 times, and then what `then` has: the gap in ms before
    /// another datagram of it, and by how much its number is more. How long it recovered before the last
    /// one, in ms; `None` where nothing was lost.
    fn recovered(think: i64, then: &[(i64, u16)]) -> Option<i64> {
        let mut datagrams = Datagrams::default();
        let (mut now, mut frame, mut number) = (0, 0, 100);
        let mut last = None;
        let usual = std::iter::repeat_n((think, 1), 20);
        for (gap, step) in usual.chain(then.iter().copied()) {
            for side in [0, 1] {
                now += if side == 0 { gap * MS } else { MS };
                frame += 1;
                number += if side == 0 { step } else { 0 };
                let id = if side == 0 { number } else { 7 };
                let mark = Mark {
                    frame,
                    at: Timestamp::from_nanos(now),
                };
                let lost = datagrams.came(side, (Some(id), 100), mark);
                datagrams.is_of(side, number.into());
                if side == 0 {
                    last = lost.map(|lost| lost.proved_ns / MS);
                }
            }
        }
        last
    }

    #[test]
    fn a_gap_with_a_missing_number_is_recovery_beyond_what_the_sender_takes() {
        assert_eq!(recovered(20, &[(20, 1)]), None);
        assert_eq!(recovered(20, &[(520, 2)]), Some(500));
        assert_eq!(recovered(0, &[(500, 2)]), Some(500));
        assert_eq!(recovered(20, &[(1520, 3)]), Some(1500), "500 and 1000 ms");
    }

    #[test]
    fn a_pause_in_which_no_number_is_missing_is_a_pause() {
        assert_eq!(recovered(20, &[(520, 1)]), None);
        // It may take as long again.
        assert_eq!(recovered(20, &[(520, 1), (600, 2)]), Some(0));
    }

    /// A request that is repeated, as its response was lost, follows by number, too, after a timer.
    #[test]
    fn the_gap_before_a_repetition_is_none_of_the_sender() {
        let mut datagrams = Datagrams::default();
        let mut came = |n: u16, ms: i64, transaction| {
            let mark = Mark {
                frame: n.into(),
                at: Timestamp::from_nanos(ms * MS),
            };
            let lost = datagrams.came(0, (Some(n), 100), mark);
            datagrams.is_of(0, transaction);
            lost.map(|lost| lost.proved_ns / MS)
        };
        for n in 1..=20 {
            came(n, i64::from(n) * 20, n.into());
        }
        assert_eq!(came(21, 900, 20), None, "the last one again");
        assert_eq!(came(23, 1420, 21), Some(500));
    }

    /// One number may be missing, but one timer does not take so long; and two of them take longer.
    #[test]
    fn gaps_that_no_timer_explains_show_nothing() {
        assert_eq!(recovered(20, &[(1100, 2)]), Some(0));
        assert_eq!(recovered(20, &[(150, 2)]), Some(0));
        assert_eq!(recovered(20, &[(900, 6)]), Some(0), "other packets");
    }

    #[test]
    fn a_count_that_others_share_shows_nothing() {
        assert_eq!(recovered(20, &[(20, 3), (20, 1), (520, 2)]), Some(0));
    }
}

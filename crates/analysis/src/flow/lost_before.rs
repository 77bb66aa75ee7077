//! What of a direction may have been lost before the capture.

use super::StreamFlow;
use crate::Mark;
use crate::packets::{self, SentPacket, TIMER_NS};

/// What of a direction may have been lost before the capture.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LostBefore {
    /// From which frame to which nothing shows that no packet before them is missing.
    pub(crate) unsure: (u64, u64),
    /// The frame of which the rest says something.
    pub(crate) frame: u64,
    /// The least time that its sender waited before it sent lost data again in the latest of them,
    /// ns; 0 where that is not proved.
    pub(crate) proved_ns: i64,
    /// It may have waited longer, but no longer than this; 0 where it did not.
    pub(crate) most_ns: i64,
    /// The latest frame with bytes that were missing while later ones were there, and for how long, ns.
    pub(crate) missing: (u64, i64),
    /// The latest frame of which any of this says something.
    pub(crate) latest: u64,
}

impl LostBefore {
    /// Nothing ever shows whether something was lost.
    pub(crate) const UNSEEN: Self = Self {
        unsure: (0, u64::MAX),
        frame: 0,
        proved_ns: 0,
        most_ns: 0,
        missing: (0, 0),
        latest: u64::MAX,
    };
}

/// How long a sender waits at most where only what else is known of the time says that: it is a multiple of its
/// timer.
pub(crate) const ANY_NS: i64 = i64::MAX;
/// Likewise, and one number is missing before the latest packet: whether that is a packet that was lost, pauses as long as this
/// one tell.
pub(crate) const MISSING_NS: i64 = ANY_NS - 1;

impl StreamFlow {
    /// What is [heard](Self::heard) next from `side` is this packet. Returns what may have been lost before the
    /// capture; `None` where the identifications show that nothing was.
    #[inline]
    pub(crate) fn recovers(
        &mut self,
        side: usize,
        packet: &SentPacket,
        mark: Mark,
        of_others: impl FnOnce(u16) -> bool,
    ) -> Option<LostBefore> {
        let SentPacket { id, bytes, .. } = *packet;
        let missing = self.ways[side].packets.came((id, bytes), mark.frame)?;
        let missing = if of_others(missing) { 0 } else { missing };
        Some(self.recovered(side, (packet, missing), mark))
    }

    /// What may be recovered where this number of packets is missing.
    #[cold]
    fn recovered(
        &mut self,
        side: usize,
        (packet, missing): (&SentPacket, u16),
        mark: Mark,
    ) -> LostBefore {
        let since = |heard: &Mark| mark.at.since(heard.at);
        let heard = self.ways[1 - side].heard.as_ref().map(since);
        let (owes, tried) = (
            !self.ways[1 - side].sent.is_empty(),
            self.ways[1 - side].tries > 0,
        );
        let way = &mut self.ways[side];
        let silent_ns = way.heard.as_ref().map_or(0, since);
        // A pause ends with the timer.
        let pause_ns = heard.map_or(silent_ns, |ns| ns.min(silent_ns));
        let unsure = way.packets.unsure();
        let mut lost = LostBefore {
            unsure: (unsure.first, unsure.latest),
            frame: unsure.latest,
            latest: unsure.latest,
            ..LostBefore::default()
        };
        if packet.id.is_none() {
            let renamed = way.packets.is_renamed(packet.flow_label);
            if packet.bytes == 0 || packet.again {
                // What was lost was lost behind the capture, or nothing was.
                return lost;
            }
            if renamed {
                // One or two tries.
                if pause_ns >= TIMER_NS {
                    way.renamed = true;
                    (lost.proved_ns, lost.most_ns) = (TIMER_NS, pause_ns.min(packets::TWICE_NS));
                }
            } else if way.renamed {
                // No timer, but a probe.
                lost.most_ns = packets::recovered_within(1, pause_ns).1;
            }
            return lost;
        }
        // What is missing may be an acknowledgement, where one was owed.
        if (owes && !(missing == 1 && way.packets.are_its_own())) || tried {
            return lost;
        }
        lost.proved_ns = packets::recovered(missing, silent_ns);
        if lost.proved_ns > 0 {
            // A timer is longer by the round trips that its sender had measured.
            lost.most_ns = pause_ns;
        }
        if packet.alone && !owes && way.packets.are_vouched() {
            let (least, most) = packets::recovered_within(missing, pause_ns);
            (lost.proved_ns, lost.most_ns) = (lost.proved_ns.max(least), lost.most_ns.max(most));
        }
        let nothing = (lost.proved_ns, lost.most_ns) == (0, 0);
        if missing == 1 && nothing && pause_ns >= TIMER_NS {
            lost.most_ns = MISSING_NS;
        }
        lost
    }
}

#[cfg(test)]
mod tests {
    use super::super::STREAM;
    use super::super::tests::mark;
    use super::*;

    /// A client whose packets 1 to 40 came, one each ms, pauses until `ms`; then one comes with this number.
    fn after_a_pause(
        number: u16,
        alone: bool,
        ms: i64,
        change: impl Fn(&mut StreamFlow),
    ) -> [i64; 2] {
        let mut flow = StreamFlow::new(STREAM);
        let packet = |id, bytes| SentPacket {
            id: Some(id),
            bytes,
            alone,
            ..SentPacket::default()
        };
        for n in 1..=40 {
            flow.recovers(0, &packet(n, 0), mark(n.into()), |_| false);
            flow.heard(0, mark(n.into()));
        }
        change(&mut flow);
        let found = flow.recovers(0, &packet(number, 100), mark(ms), |_| false);
        let found = found.unwrap_or_default();
        [found.proved_ns, found.most_ns].map(|ns| ns / 1_000_000)
    }

    /// 907 ms of silence with one number missing: 700 ms of a pause, and a timer.
    #[test]
    fn a_request_that_is_lost_behind_a_pause_waits_for_its_timer_alone() {
        assert_eq!(after_a_pause(42, true, 947, |_| {}), [200, 400]);
        assert_eq!(after_a_pause(43, true, 1_447, |_| {}), [400, 1_200]);
        assert_eq!(
            after_a_pause(42, true, 247, |_| {}),
            [200, 207],
            "a timer alone"
        );
        assert_eq!(
            after_a_pause(41, true, 947, |_| {}),
            [0, 0],
            "none is missing"
        );
        assert_eq!(
            after_a_pause(42, false, 947, |_| {}),
            [0, MISSING_NS / 1_000_000],
            "others may count"
        );
        // 207 ms are a timer without a pause, of any count; it may have been one of as much.
        assert_eq!(after_a_pause(42, false, 247, |_| {}), [200, 207]);
        let owes = |flow: &mut StreamFlow| flow.sent(1, (1, 101), 100, mark(40));
        assert_eq!(
            after_a_pause(42, true, 947, owes),
            [0, 0],
            "an acknowledgement"
        );
        let spoke = |flow: &mut StreamFlow| flow.heard(1, mark(800));
        assert_eq!(after_a_pause(42, true, 947, spoke), [0, 0], "147 ms ago");
    }

    /// A client without numbers calls its flow 5 in each packet of a ms; then, after pauses, by these names.
    fn after_pauses(before: &[u32], then: &[(i64, u32)], again: bool) -> Vec<[i64; 2]> {
        let mut flow = StreamFlow::new(STREAM);
        let mut at = 0;
        let mut came = |ms: i64, flow_label| {
            at += ms;
            let packet = SentPacket {
                bytes: 100,
                flow_label,
                again,
                ..SentPacket::default()
            };
            let found = flow.recovers(0, &packet, mark(at), |_| false);
            let found = found.unwrap_or_default();
            flow.heard(0, mark(at));
            [found.proved_ns, found.most_ns].map(|ns| ns / 1_000_000)
        };
        before.iter().for_each(|label| {
            came(1, *label);
        });
        then.iter().map(|(ms, label)| came(*ms, *label)).collect()
    }

    /// Where no packet has a number, another name of the flow shows that a timer ran out: once, or a second time.
    /// From then on, a pause without another name may end with a probe.
    #[test]
    fn another_name_of_the_flow_shows_that_a_timer_ran_out() {
        let same = [5; 9];
        let then = [(700, 5), (907, 6), (700, 6), (1, 6)];
        let found = after_pauses(&same, &then, false);
        assert_eq!(found, [[0, 0], [200, 907], [0, 400], [0, 0]]);
        assert_eq!(after_pauses(&same, &[(230, 6)], false), [[200, 230]]);
        assert_eq!(
            after_pauses(&same, &[(199, 6)], false),
            [[0, 0]],
            "no timer"
        );
        assert_eq!(after_pauses(&same, &[(907, 0)], false), [[0, 0]], "no name");
        assert_eq!(
            after_pauses(&[0; 9], &[(907, 6)], false),
            [[0, 0]],
            "none before"
        );
        let again = after_pauses(&same, &then, true);
        assert_eq!(again, [[0, 0]; 4], "behind the capture");
        let changes = [5, 6, 7, 8, 9, 5, 6, 7, 8, 9];
        assert_eq!(
            after_pauses(&changes, &[(907, 6)], false),
            [[0, 0]],
            "at will"
        );
    }
}

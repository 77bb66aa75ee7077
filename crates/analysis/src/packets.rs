//! What the identifications of a sender's packets show: that some of them were lost before the
//! capture.
//!
//! Some stacks number the packets of each connection one by one (Linux; RFC 6864 leaves it to
//! them). A number that is missing after a silence as long as a retransmission timer is a packet
//! that was lost, and what comes then is that again. Unless another connection of the same station has it.

use wirewait_wire::Endpoint;

/// The shortest retransmission timer in use, ns: Linux' (`TCP_RTO_MIN`). RFC 6298 has 1 s.
pub(crate) const TIMER_NS: i64 = 200_000_000;
/// What two tries in a row take at most, the second twice as long, ns.
pub(crate) const TWICE_NS: i64 = 6 * TIMER_NS;
/// Consecutive numbers that show a count, and what a missing one subtracts from them.
const COUNTED: u8 = 4;
const LEFT_OUT: u8 = 4;
const MOST: u8 = 64;
/// As many show that no other connection has numbers of this count, as far as numbers can show it.
const VOUCHED: u8 = 16;
/// Packets with one name of a flow that show that it does not change at will.
const LABELLED: u8 = 8;
/// Where more are missing, the count has begun anew.
const LOST: u16 = 4;
/// Numbers with which connections went on that are remembered.
const SHARED: usize = 64;
/// A segment with more bytes was cut into several packets behind the capture, each with a number.
const CUT: u32 = 1460;

/// How a sender numbers the packets of a connection.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Packets {
    latest: u16,
    /// How many came in a row lately; 0 while `latest` is not known.
    counted: u8,
    /// Data of what came last: if it was cut, it took several numbers.
    bytes: u32,
    /// The first had none: the count began with the connection, and is that of no other (Linux, for
    /// the side that accepts it).
    own: bool,
    unsure: Unsure,
    /// What it calls the flow, and how many in a row had that name.
    label: u32,
    labelled: u8,
}

/// A packet of a connection.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SentPacket {
    /// Its identification.
    pub(crate) id: Option<u16>,
    /// Bytes of data in it.
    pub(crate) bytes: u32,
    /// No other connection of its sender shares the count of identifications.
    pub(crate) alone: bool,
    /// What its sender calls the flow; 0 where it has no name.
    pub(crate) flow_label: u32,
    /// Its data is in the capture already; known of one without an identification.
    pub(crate) again: bool,
}

/// Packets in a row that do not follow the one before by number: others may be missing before each
/// of them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Unsure {
    /// The frames of the first and of the latest of them; 0 where there was none.
    pub(crate) first: u64,
    pub(crate) latest: u64,
    /// The number of the latest; `None` where it had none.
    number: Option<u16>,
}

impl Unsure {
    /// One more, in this frame; the packet before it had the number `before`.
    fn add(&mut self, frame: u64, before: Option<u16>, number: Option<u16>) {
        if self.latest == 0 || self.number != before {
            self.first = frame;
        }
        (self.latest, self.number) = (frame, number);
    }
}

/// Numbers with which connections went on elsewhere than behind their latest, as their sender has one count for several:
/// what is missing of one connection is of another then.
pub(crate) struct SharedCounts {
    recent: [(Endpoint, u16); SHARED],
    next: usize,
}

impl Default for SharedCounts {
    fn default() -> Self {
        Self {
            recent: [(Endpoint::default(), 0); SHARED],
            next: 0,
        }
    }
}

impl SharedCounts {
    /// A connection of this station goes on with this number, before which as many are missing. Whether another connection
    /// went on with one of those.
    pub(crate) fn goes_on(&mut self, station: Endpoint, number: u16, missing: u16) -> bool {
        let others = (1..=missing).any(|n| {
            let of = (station, number.wrapping_sub(n));
            self.recent.contains(&of)
        });
        self.recent[self.next] = (station, number);
        self.next = (self.next + 1) % SHARED;
        others
    }
}

impl Packets {
    /// A packet with this identification and data of this length: `None` where its number follows
    /// that of the one before, so that none is missing, else how many are, where they are counted.
    #[inline]
    pub(crate) fn came(&mut self, (packet, bytes): (Option<u16>, u32), frame: u64) -> Option<u16> {
        let Some(packet) = packet else {
            self.has_no_number(frame);
            return Some(0);
        };
        let step = packet.wrapping_sub(std::mem::replace(&mut self.latest, packet));
        let before = std::mem::replace(&mut self.bytes, bytes);
        if step == 1 {
            if self.counted < MOST {
                self.counted += 1;
            }
            return None;
        }
        let number = (!self.is_without()).then_some(packet.wrapping_sub(step));
        self.unsure.add(frame, number, Some(packet));
        Some(self.skips(step, before > CUT))
    }

    /// Whether a packet with this identification follows the latest one.
    #[inline]
    pub(crate) fn expects(&self, packet: Option<u16>) -> bool {
        packet == Some(self.latest.wrapping_add(1))
    }

    /// The latest packets of which it is not sure that none is missing before them.
    pub(crate) fn unsure(&self) -> Unsure {
        self.unsure
    }

    /// Whether no other connection shares the count.
    pub(crate) fn are_its_own(&self) -> bool {
        self.own
    }

    /// Whether a packet without a number is the first with another name of the flow than long before. Linux gives a
    /// connection another one when its timer has run out (`net.core.txrehash`), to be led another way.
    pub(crate) fn is_renamed(&mut self, flow_label: u32) -> bool {
        let before = std::mem::replace(&mut self.label, flow_label);
        if before == flow_label {
            self.labelled = self.labelled.saturating_add(1);
            return false;
        }
        std::mem::take(&mut self.labelled) >= LABELLED && before != 0 && flow_label != 0
    }

    /// Whether numbers have followed each other for long, the latest that are missing not counted.
    pub(crate) fn are_vouched(&self) -> bool {
        self.counted >= VOUCHED
    }

    /// Whether the latest packet had no identification.
    fn is_without(&self) -> bool {
        self.own && self.counted == 0
    }

    /// The latest packet has no identification.
    #[cold]
    fn has_no_number(&mut self, frame: u64) {
        let before = (!self.is_without()).then_some(self.latest);
        self.unsure.add(frame, before, None);
        (self.counted, self.own) = (0, true);
    }

    /// The latest packet is another one than the next.
    #[cold]
    fn skips(&mut self, step: u16, cut: bool) -> u16 {
        if self.counted > 0 && (cut || step == 0) {
            return 0;
        }
        // Those that overtook each other.
        let missing = step.wrapping_sub(1);
        let back = step.wrapping_neg() <= LOST;
        if back {
            self.latest = self.latest.wrapping_add(step.wrapping_neg());
        }
        let counted = self.counted >= COUNTED;
        self.counted = match missing {
            _ if back => self.counted,
            ..=LOST => self.counted.saturating_sub(LEFT_OUT).max(1),
            _ => 1,
        };
        let lost = counted && !back && missing <= LOST;
        if lost { missing } else { 0 }
    }
}

/// How long, at least, a sender waited to send again what was lost `missing` times, after a silence
/// of `silent_ns`; 0 where that is no such wait, or may be another one.
pub(crate) fn recovered(missing: u16, silent_ns: i64) -> i64 {
    // Each try waits twice as long as the one before. The first may be a probe, after which the
    // timer begins anew (RFC 8985, 7.2).
    let waits: &[i64] = match missing {
        1 => &[TIMER_NS],
        2 => &[3 * TIMER_NS, 2 * TIMER_NS],
        _ => &[],
    };
    // Where one number serves all connections of a station (Windows), a pause shows others.
    let fits = |wait: &&i64| (**wait..**wait + **wait / 2).contains(&silent_ns);
    waits.iter().find(fits).copied().unwrap_or(0)
}

/// How long a sender waited at least, and at most, to send again what was lost `missing` times, at the end of a
/// silence of `silent_ns` of which no more is known; 0 where that is no such wait.
pub(crate) fn recovered_within(missing: u16, silent_ns: i64) -> (i64, i64) {
    // The shortest is a probe, and then timers that begin with the first (RFC 8985, 7.2); the longest is timers
    // alone, the first of which takes twice as long: a receiver that keeps acknowledgements waiting makes it longer.
    let [least, most] = match missing {
        1 => [2, 4],
        2 => [4, 12],
        3 => [8, 28],
        4 => [16, 60],
        _ => return (0, 0),
    };
    let [least, most] = [least, most].map(|halves| halves * (TIMER_NS / 2));
    match silent_ns >= least {
        true => (least, most.min(silent_ns)),
        false => (0, 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: i64 = 1_000_000;

    /// What is found missing before each of these packets.
    fn missing(packets: &[(u16, u32)]) -> Vec<u16> {
        let mut known = Packets::default();
        let came = |(id, bytes): &(u16, u32)| known.came((Some(*id), *bytes), 1).unwrap_or(0);
        packets.iter().map(came).collect()
    }

    fn counted(from: u16, more: &[(u16, u32)]) -> Vec<u16> {
        let first = (0..10).map(|n| (from.wrapping_add(n), 0));
        let all: Vec<_> = first.chain(more.iter().copied()).collect();
        missing(&all).split_off(10)
    }

    #[test]
    fn a_number_that_is_left_out_is_a_packet_that_is_missing() {
        // 0xFFFF and 0 stand for "none".
        assert_eq!(counted(100, &[(110, 0), (112, 0), (113, 0)]), [0, 1, 0]);
        assert_eq!(counted(100, &[(112, 0)]), [2]);
        assert_eq!(counted(100, &[(115, 0)]), [0], "another count");
    }

    #[test]
    fn numbers_that_are_not_counted_show_nothing() {
        assert_eq!(missing(&[(5, 0), (7, 0), (9, 0), (11, 0), (13, 0)]), [0; 5]);
        let random = [(5, 0), (900, 0), (17, 0), (19, 0)];
        assert_eq!(missing(&random), [0; 4]);
        let mut known = Packets::default();
        assert_eq!(known.came((None, 100), 1), Some(0));
    }

    /// One station counts for two connections: one goes on with 12 where 11 is missing, which the other had gone on with. What
    /// 14 lacks is nobody's, and another station's 13 is none of it.
    #[test]
    fn what_another_connection_of_the_station_has_is_not_missing() {
        let station = |n| Endpoint::mac([n; 6]);
        let mut counts = SharedCounts::default();
        assert!(!counts.goes_on(station(1), 11, 4));
        assert!(counts.goes_on(station(1), 12, 1));
        assert!(!counts.goes_on(station(2), 13, 0));
        assert!(!counts.goes_on(station(1), 14, 1));
    }

    /// One try waits 200 to 400 ms; a probe and a timer 400, two timers up to 400 and 800; and so on, each twice as
    /// long. No time is longer than the silence.
    #[test]
    fn at_the_end_of_a_pause_tries_took_between_two_times() {
        let found = |missing, ms| {
            let (least, most) = recovered_within(missing, ms * MS);
            (least / MS, most / MS)
        };
        assert_eq!(found(1, 907), (200, 400));
        assert_eq!(found(1, 250), (200, 250));
        assert_eq!(found(1, 199), (0, 0));
        assert_eq!(found(2, 1_500), (400, 1_200));
        assert_eq!(found(3, 1_500), (800, 1_500));
        assert_eq!(found(4, 9_000), (1_600, 6_000));
        assert_eq!((found(0, 9_000), found(5, 9_000)), ((0, 0), (0, 0)));
    }

    #[test]
    fn sixteen_numbers_in_a_row_vouch_for_a_count() {
        let mut known = Packets::default();
        known.came((Some(100), 0), 1);
        for number in 101..=114 {
            known.came((Some(number), 0), 1);
            assert!(!known.are_vouched(), "{number}");
        }
        known.came((Some(115), 0), 1);
        assert!(known.are_vouched());
        known.came((Some(117), 0), 1);
        assert!(!known.are_vouched(), "one is missing");
    }

    /// From which frame to which nothing vouches, after these packets in frames 1, 2, 3, ...
    fn unsure(packets: &[Option<u16>]) -> (u64, u64) {
        let mut known = Packets::default();
        for (frame, packet) in (1..).zip(packets) {
            known.came((*packet, 0), frame);
        }
        (known.unsure().first, known.unsure().latest)
    }

    #[test]
    fn a_number_that_follows_the_one_before_vouches_that_none_is_missing() {
        let counted = |ids: &[u16]| unsure(&ids.iter().copied().map(Some).collect::<Vec<_>>());
        // Nothing is known before the first.
        assert_eq!(counted(&[7, 8, 9]), (1, 1));
        assert_eq!(counted(&[7, 8, 10, 11]), (3, 3));
        assert_eq!(counted(&[7, 8, 10, 30, 31]), (3, 4), "a run");
        assert_eq!(counted(&[7, 8, 10, 11, 30]), (5, 5), "another one");
        assert_eq!(counted(&[7, 900, 17, 19]), (1, 4), "random");
        assert_eq!(unsure(&[None, None, None]), (1, 3));
        assert_eq!(unsure(&[None, Some(8), Some(9), Some(10)]), (1, 2));
        assert_eq!(unsure(&[None, Some(8), Some(9), None]), (4, 4));
    }

    #[test]
    fn packets_that_overtook_each_other_are_not_missing_later() {
        assert_eq!(
            counted(100, &[(111, 0), (110, 0), (112, 0), (113, 0)])[1..],
            [0; 3]
        );
    }

    #[test]
    fn a_segment_that_was_cut_behind_the_capture_took_several_numbers() {
        assert_eq!(counted(100, &[(110, 4_000), (113, 0), (114, 0)]), [0; 3]);
    }

    /// 200 ms once; twice 200 and 400, or a probe and 200. What is longer may be a pause in which
    /// its sender spoke to others.
    #[test]
    fn silence_is_recovery_where_a_timer_fits() {
        let found = [
            (1, 199),
            (1, 207),
            (1, 300),
            (2, 415),
            (2, 610),
            (2, 900),
            (3, 1_400),
        ];
        let found = found.map(|(missing, ms)| recovered(missing, ms * MS) / MS);
        assert_eq!(found, [0, 200, 0, 400, 600, 0, 0]);
    }
}

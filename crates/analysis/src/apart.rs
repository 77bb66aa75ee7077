//! Two captures of one traffic with clocks that differ, merged: each packet comes once more, and always as much later.
//!
//! Copies that come within the window of duplicates are found by `duplicates.rs`. Of those that come hours later,
//! a sample of packets is remembered: all at first, and half of them whenever there is no more room.
//!
//! The window is short for packets that their sender does not number (NetBEUI, IPX, IPv6): a mirror port that copies each frame
//! twice may take longer, which shows likewise.

use wirewait_wire::{Frame, Walk};

/// Packets that are remembered.
const WATCHED: usize = 1024;
/// Slots for them.
const SLOTS: usize = 2 * WATCHED;
/// Packets that come again as much later, at least,
const AGAIN: u64 = 16;
/// and of how many of those remembered they are one, at least.
const AGAIN_IN: u64 = 4;
/// Copies of a mirror port come as much later, give or take this part of it,
const EVENLY: u64 = 4;
/// and this, ns.
const JITTER_NS: u64 = 20_000;
/// Shorter frames, bytes on the wire, may hold nothing but an acknowledgement, and be sent alike again.
const TELLING: u32 = 90;

/// A packet that is remembered.
#[derive(Clone, Copy, Default)]
struct WatchedPacket {
    /// 0 where there is none.
    digest: u64,
    at: i64,
    interface: u32,
    /// It came again.
    again: bool,
}

/// A sample of all packets, from the first one on.
#[derive(Clone)]
pub(crate) struct Watched {
    slots: Vec<WatchedPacket>,
    count: usize,
    /// Digests up to this one are in the sample.
    pub(crate) up_to: u64,
    steadiness: Steadiness,
    /// Of packets without numbers that came again soon.
    copies: Steadiness,
    /// Some of those went this way, and the other one. A port that copies each frame copies both; who was asked twice responds
    /// twice.
    copied: [bool; 2],
}

impl Watched {
    pub(crate) fn new() -> Self {
        Self {
            slots: vec![WatchedPacket::default(); SLOTS],
            count: 0,
            // That of a frame without bytes is none.
            up_to: u64::MAX - 1,
            steadiness: Steadiness::default(),
            copies: Steadiness::default(),
            copied: [false; 2],
        }
    }

    /// A packet in the sample; those that come again within `window`, ns, are copies.
    #[cold]
    #[inline(never)]
    pub(crate) fn look(&mut self, digest: u64, (frame, walk): (&Frame<'_>, &Walk), window: i64) {
        let Some(ns) = self.again(digest, frame, walk) else {
            return;
        };
        let watched = self.count as u64;
        let (after, window) = (ns.unsigned_abs(), window.unsigned_abs());
        if after > window {
            self.steadiness.again(ns, watched, window);
        } else if walk.packet_start.is_none() && after <= ClocksApart::COPIES_NS {
            let near = (self.copies.found.ns.unsigned_abs() / EVENLY).max(JITTER_NS);
            self.copies.again(ns, watched, near);
            self.copied[usize::from(walk.facts.from > walk.facts.to)] = true;
        }
    }

    /// Two clocks that stamped the same packets, if there are two; or what copied them twice.
    pub(crate) fn found(&self) -> Option<ClocksApart> {
        let copies = || self.copies.found().filter(|_| self.copied == [true; 2]);
        self.steadiness.found().or_else(copies)
    }

    /// After what time a packet in the sample came again, ns. A sender without packet numbers may send identical
    /// packets: a repetition counts only from another interface, or with data if it comes too soon for a
    /// retransmission.
    fn again(&mut self, digest: u64, frame: &Frame<'_>, walk: &Walk) -> Option<i64> {
        let digest = digest.max(1);
        let mut slot = digest as usize % SLOTS;
        while self.slots[slot].digest != 0 {
            let known = &mut self.slots[slot];
            if known.digest == digest {
                let after = frame.at.as_nanos().saturating_sub(known.at);
                let soon = after.unsigned_abs() <= ClocksApart::COPIES_NS;
                let same = walk.packet_start.is_some()
                    || known.interface != frame.interface
                    || soon && frame.wire_len >= TELLING;
                if known.again || !same {
                    return None;
                }
                known.again = true;
                return Some(after);
            }
            slot = (slot + 1) % SLOTS;
        }
        self.slots[slot] = WatchedPacket {
            digest,
            at: frame.at.as_nanos(),
            interface: frame.interface,
            again: false,
        };
        self.count += 1;
        if self.count > WATCHED {
            self.halve();
        }
        None
    }

    /// Forgets half of them.
    fn halve(&mut self) {
        let all = std::mem::replace(&mut self.slots, vec![WatchedPacket::default(); SLOTS]);
        while self.count > WATCHED / 2 {
            self.up_to /= 2;
            let left = all.iter().filter(|known| self.keeps(known));
            self.count = left.count();
        }
        for known in all {
            if !self.keeps(&known) {
                continue;
            }
            let mut slot = known.digest as usize % SLOTS;
            while self.slots[slot].digest != 0 {
                slot = (slot + 1) % SLOTS;
            }
            self.slots[slot] = known;
        }
    }

    fn keeps(&self, known: &WatchedPacket) -> bool {
        known.digest != 0 && known.digest <= self.up_to
    }
}

/// Two clocks stamped the same packets; or a mirror port copied them twice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClocksApart {
    /// So far they are apart, ns.
    pub ns: i64,
    /// Packets of a sample that came as much later once more.
    pub packets: u64,
}

impl ClocksApart {
    /// What is no farther apart may be the copies of a mirror port, and not two clocks, ns.
    pub const COPIES_NS: u64 = 10_000_000;
}

/// Finds how far apart two clocks are: most packets that come again do so as much later.
#[derive(Clone, Copy, Debug, Default)]
struct Steadiness {
    found: ClocksApart,
    watched: u64,
}

impl Steadiness {
    /// A packet came again, while `watched` are remembered; those that differ by no more than `near`, ns, came as much
    /// later as the others.
    fn again(&mut self, ns: i64, watched: u64, near: u64) {
        self.watched = watched;
        let found = &mut self.found;
        if found.packets > 0 && ns.abs_diff(found.ns) <= near {
            found.packets += 1;
            // Clocks drift.
            found.ns = ns;
        } else if found.packets > 0 {
            found.packets -= 1;
        } else {
            *found = ClocksApart { ns, packets: 1 };
        }
    }

    /// The clocks, if they are apart.
    fn found(&self) -> Option<ClocksApart> {
        let ClocksApart { packets, .. } = self.found;
        (packets >= AGAIN && packets * AGAIN_IN >= self.watched).then_some(self.found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wirewait_wire::{Endpoint, LinkType, Timestamp};

    const MS: i64 = 1_000_000;

    fn look(
        watched: &mut Watched,
        digest: u64,
        at: i64,
        interface: u32,
        number: bool,
    ) -> Option<i64> {
        let frame = Frame {
            at: Timestamp::from_nanos(at),
            link: LinkType::ETHERNET,
            interface,
            wire_len: 0,
            bytes: &[],
        };
        let mut walk = Walk::default();
        walk.packet_start = number.then_some(14);
        watched.again(digest, &frame, &walk)
    }

    #[test]
    fn a_packet_is_the_same_where_it_has_a_number_or_another_interface() {
        let mut watched = Watched::new();
        assert_eq!(look(&mut watched, 7, 0, 0, true), None);
        assert_eq!(look(&mut watched, 7, 400 * MS, 0, true), Some(400 * MS));
        assert_eq!(look(&mut watched, 7, 800 * MS, 0, true), None, "once");
        assert_eq!(look(&mut watched, 9, 0, 0, false), None);
        assert_eq!(look(&mut watched, 9, 5, 0, false), None);
        assert_eq!(look(&mut watched, 9, 10, 1, false), Some(10));
    }

    /// 16 of 64 frames, 120 us later, give or take a quarter; 10 ms are the most.
    #[test]
    fn a_mirror_port_that_copies_each_frame_twice_shows() {
        let ran =
            |later: &dyn Fn(u64) -> i64, times: u64, length: u32, number: bool, both: bool| {
                let mut watched = Watched::new();
                let mut walk = Walk::default();
                walk.packet_start = number.then_some(14);
                let ends = [1, 2].map(|last| Endpoint::mac([2, 0, 0, 0, 0, last]));
                for n in 0..64 {
                    let ways = if both { n as usize % 2 } else { 0 };
                    (walk.facts.from, walk.facts.to) = (ends[ways], ends[1 - ways]);
                    let at = n as i64 * 20 * MS;
                    let mut stamps = vec![at];
                    if n < times {
                        stamps.push(at + later(n));
                    }
                    for at in stamps {
                        let frame = Frame {
                            at: Timestamp::from_nanos(at),
                            link: LinkType::ETHERNET,
                            interface: 0,
                            wire_len: length,
                            bytes: &[],
                        };
                        watched.look(n + 1, (&frame, &walk), 50 * MS);
                    }
                }
                watched.found().map(|found| (found.ns, found.packets))
            };
        let run = |later: &dyn Fn(u64) -> i64, times: u64, length: u32, number: bool| {
            ran(later, times, length, number, true)
        };
        let even = |_: u64| 120_000;
        assert_eq!(
            ran(&even, 64, 90, false, false),
            None,
            "responses alone: both copies of each request had arrived"
        );
        assert_eq!(run(&even, 16, 90, false), Some((120_000, 16)));
        assert_eq!(run(&even, 15, 90, false), None, "too few");
        assert_eq!(run(&even, 16, 89, false), None, "acknowledgements");
        assert_eq!(run(&even, 16, 90, true), None, "the window finds them");
        let about = |n: u64| {
            if n.is_multiple_of(2) {
                120_000
            } else {
                150_000
            }
        };
        assert_eq!(run(&about, 64, 90, false), Some((150_000, 64)));
        let uneven = |n: u64| 100_000 << (n % 6);
        assert_eq!(run(&uneven, 64, 90, false), None, "not steady");
        assert_eq!(run(&|_| 10 * MS, 16, 90, false), Some((10 * MS, 16)));
        assert_eq!(run(&|_| 10 * MS + 1, 16, 90, false), None, "too late");
    }

    /// Digests spread evenly over all: of 50,000 a part is remembered to the end, and found an hour later.
    #[test]
    fn a_sample_lasts_to_the_end() {
        let mut watched = Watched::new();
        let digest = |n: u64| n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut again = Vec::new();
        for round in 0..2 {
            for n in 1..=50_000 {
                let at = round * 3_600_000 * MS + n as i64 * MS;
                if digest(n) <= watched.up_to
                    && let Some(ns) = look(&mut watched, digest(n), at, 0, true)
                {
                    again.push(ns);
                }
            }
        }
        assert!(
            (WATCHED / 2 - 100..=WATCHED).contains(&again.len()),
            "{}",
            again.len()
        );
        assert!(again.iter().all(|ns| *ns == 3_600_000 * MS));
        assert_eq!(watched.count, again.len());
    }

    fn found(again: impl IntoIterator<Item = i64>, watched: u64) -> Option<(i64, u64)> {
        let mut steadiness = Steadiness::default();
        for ms in again {
            steadiness.again(ms * MS, watched, 50_000_000);
        }
        let found = steadiness.found();
        found.map(|found| (found.ns / MS, found.packets))
    }

    #[test]
    fn clocks_are_apart_where_many_packets_come_as_much_later() {
        assert_eq!(found(vec![400; 16], 64), Some((400, 16)));
        assert_eq!(found(vec![400; 15], 15), None, "too few");
        assert_eq!(found(vec![400; 16], 65), None, "a small part");
        assert_eq!(
            found((0..16).map(|n| 400 + n), 16),
            Some((415, 16)),
            "drift"
        );
        assert_eq!(
            found((0..64).map(|n| n * 100 + 100), 16),
            None,
            "not steady"
        );
        let disturbed = (0..20).map(|n| if n == 3 { 2_000 } else { 400 });
        assert_eq!(found(disturbed, 16), Some((400, 18)));
    }
}

//! Segments that a network adapter puts together or cuts behind the capture (offload): other frames have the same bytes at
//! the other end. On connections with such segments bytes are compared, not frames.

use super::segments::SegmentSight;
use super::sights::{FrameSight, FramesSeen};
use std::collections::HashMap;
use wirewait_wire::Endpoint;

/// Bytes that are in more segments than this, on average, are compared with nothing: a combined segment has some fifty parts.
const OVERLAPS: usize = 256;

/// A direction of a connection: whether it is that to the server, client and server, ports of the sender and the receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ConnectionWay(bool, (Endpoint, Endpoint), [u16; 2]);

impl ConnectionWay {
    pub(super) fn of(
        forth: bool,
        ends: (Endpoint, Endpoint),
        segment: Option<SegmentSight>,
    ) -> Self {
        Self(forth, ends, segment.map_or([0; 2], |segment| segment.ports))
    }
}

/// The place of a segment, and where its bytes begin and end; numbers of bytes do not wrap here.
type Bytes = (usize, u64, u64);

/// What was sent on a way with combined segments.
#[derive(Debug, Default)]
struct Sendings {
    /// The number of the first byte of all, and of the last segment that was looked at.
    first: Option<u64>,
    last: u64,
    /// Segments of each capture that the other does not have as one frame.
    alone: [Vec<Bytes>; 2],
}

impl Sendings {
    /// The number of the first byte of this segment, near that of the one before.
    fn position(&mut self, seq: u32) -> u64 {
        let Some(_) = self.first else {
            // Some may begin before.
            self.last = (1 << 33) | u64::from(seq);
            self.first = Some(self.last);
            return self.last;
        };
        // The low half of a number is that of the segment.
        let away = seq.wrapping_sub(self.last as u32).cast_signed();
        self.last = self.last.saturating_add_signed(away.into());
        self.last
    }

    /// Gives for each segment of this capture, by place, the bytes that the other has not. Bytes that were sent twice are
    /// there twice, or one was lost.
    /// Nothing where more overlap than [`OVERLAPS`]: nobody sends like that.
    fn missing(&self, which: usize) -> Vec<(usize, u64)> {
        let mut edges: Vec<u64> = (self.alone.iter().flatten())
            .flat_map(|(_, from, to)| [*from, *to])
            .collect();
        edges.sort_unstable();
        edges.dedup();
        let cells = |(_, from, to): &Bytes| {
            let at = |edge: &u64| edges.partition_point(|known| known < edge);
            at(from)..at(to)
        };
        let all = self.alone.iter().flatten();
        let looks: usize = all.map(|segment| cells(segment).len()).sum();
        if looks > edges.len().saturating_mul(OVERLAPS) {
            return Vec::new();
        }
        let mut there = vec![0u32; edges.len()];
        for segment in &self.alone[1 - which] {
            for cell in cells(segment) {
                there[cell] = there[cell].saturating_add(1);
            }
        }
        let missing = self.alone[which].iter().map(|segment| {
            let mut bytes = 0u64;
            for cell in cells(segment) {
                match there[cell] {
                    0 => bytes = bytes.saturating_add(edges[cell + 1] - edges[cell]),
                    _ => there[cell] -= 1,
                }
            }
            (segment.0, bytes)
        });
        missing.collect()
    }
}

/// Segments of both captures of which other frames have the bytes in the other one.
#[derive(Debug, Default)]
pub(super) struct ByBytes {
    /// By place: how many frames of it, on the wire, the other capture has not.
    missing: [HashMap<usize, u64>; 2],
}

impl ByBytes {
    /// Of the frames of both captures, with their places in the other. Ways without combined segments are not looked at.
    pub(super) fn of(
        seen: [&FramesSeen; 2],
        same: [&[Option<u32>]; 2],
        way: impl Fn(usize, &FrameSight) -> Option<ConnectionWay>,
    ) -> Self {
        let mut ways: HashMap<ConnectionWay, Sendings> = HashMap::new();
        for (which, seen) in seen.into_iter().enumerate() {
            let combined =
                |frame: &&FrameSight| frame.segment.is_some_and(|segment| segment.each > 0);
            let combined = seen.frames.iter().filter(combined);
            for known in combined.filter_map(|frame| way(which, frame)) {
                ways.entry(known).or_default();
            }
        }
        let mut found = Self::default();
        if ways.is_empty() {
            return found;
        }
        let mut of_first: HashMap<usize, u64> = HashMap::new();
        for which in [0, 1] {
            for (place, frame) in seen[which].frames.iter().enumerate() {
                let Some(segment) = frame.segment else {
                    continue;
                };
                let known = way(which, frame).and_then(|way| ways.get_mut(&way));
                let Some(sendings) = known else {
                    continue;
                };
                let other = same[which].get(place).copied().flatten();
                let there = other.and_then(|other| of_first.get(&(other as usize)).copied());
                if let Some(there) = there.filter(|_| which == 1) {
                    sendings.last = there;
                }
                let from = sendings.position(segment.seq);
                if which == 0 {
                    of_first.insert(place, from);
                }
                if other.is_none() && !seen[which].is_copy(place) {
                    let to = from.saturating_add(segment.length.into());
                    sendings.alone[which].push((place, from, to));
                }
            }
            for sendings in ways.values_mut() {
                sendings.last = sendings.first.unwrap_or(0);
            }
        }
        for sendings in ways.values() {
            for which in [0, 1] {
                for (place, bytes) in sendings.missing(which) {
                    let segment = seen[which].frames[place].segment;
                    let frames = segment.map_or(1, |segment| segment.frames(bytes));
                    found.missing[which].insert(place, frames);
                }
            }
        }
        found
    }

    /// How many frames on the wire of this one the other capture has not; `None` where bytes are not compared.
    pub(super) fn missing(&self, which: usize, place: usize) -> Option<u64> {
        self.missing[which].get(&place).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of 4 parts of 1,000 bytes that were sent as one, the third was lost and retransmitted alone; then two parts were
    /// retransmitted as one, of which the first came.
    #[test]
    fn what_was_sent_twice_is_there_twice_or_lost() {
        let mut sent = Sendings::default();
        sent.alone[0] = vec![(0, 5_000, 9_000), (1, 7_000, 8_000), (2, 7_000, 9_000)];
        let came = [5_000, 6_000, 8_000, 7_000, 7_000];
        sent.alone[1] = (10..)
            .zip(came)
            .map(|(n, at)| (n, at, at + 1_000))
            .collect();
        let lost: u64 = sent.missing(0).iter().map(|(_, bytes)| bytes).sum();
        assert_eq!(lost, 2_000, "{:?}", sent.missing(0));
        assert!(sent.missing(1).iter().all(|(_, bytes)| *bytes == 0));
    }

    /// A thousand segments of which each contains those behind it: half a million looks.
    #[test]
    fn segments_that_overlap_without_end_are_not_compared() {
        let mut sent = Sendings::default();
        sent.alone[0] = (0..1_000).map(|n| (n as usize, n, 1 << 20)).collect();
        sent.alone[1] = vec![(0, 0, 1 << 20)];
        assert!(sent.missing(0).is_empty());
    }

    #[test]
    fn numbers_of_bytes_go_on_where_they_wrap() {
        let mut way = Sendings::default();
        let first = way.position(u32::MAX - 99);
        assert_eq!(way.position(900), first + 1_000);
        assert_eq!(way.position(u32::MAX - 99), first);
    }
}

//! The two directions of a link, told by the station at its end.

use super::Peak;
use super::peaks::{Peaks, WIDTHS_NS};
use super::spacing::Spaced;
use crate::segment::Volume;
use crate::timeline::NARROWEST_NS;
use wirewait_wire::{Address, Cast, Timestamp};

/// What went one way.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SegmentWay {
    total: Volume,
    peaks: Peaks,
    pub(super) spaced: Spaced,
    /// The moment of the latest frame. No statistic over time is narrower, so it counts there when
    /// it is over.
    moment: Moment,
}

/// Frames of one moment: of the narrowest bucket that anything has.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Moment {
    pub(super) begins: Timestamp,
    pub(super) volume: Volume,
}

impl SegmentWay {
    /// Gives the moment that is over with this frame, if one is.
    #[inline]
    pub(super) fn add(
        &mut self,
        at: Timestamp,
        bytes: u64,
        byte_time: Option<u64>,
    ) -> Option<Moment> {
        self.spaced.add(at, bytes, byte_time);
        let moment = &mut self.moment;
        if (0..NARROWEST_NS).contains(&at.since(moment.begins)) {
            moment.volume.count(bytes);
            return None;
        }
        let begins = at.as_nanos().div_euclid(NARROWEST_NS);
        let new = Moment {
            begins: Timestamp::from_nanos(begins.saturating_mul(NARROWEST_NS)),
            volume: Volume::frame(bytes),
        };
        let over = std::mem::replace(moment, new);
        self.count(over);
        Some(over)
    }

    /// The moment that is not over yet.
    pub(super) const fn moment(&self) -> Moment {
        self.moment
    }

    /// All of it, as it stands.
    pub(super) fn total(&self) -> Volume {
        let mut total = self.total;
        total += self.moment.volume;
        total
    }

    /// The fullest buckets as things stand.
    pub(super) fn peaks(&self) -> [Peak; WIDTHS_NS.len()] {
        let mut so_far = *self;
        so_far.count(self.moment);
        so_far.peaks.found()
    }

    fn count(&mut self, Moment { begins, volume }: Moment) {
        if volume.frames > 0 {
            self.total += volume;
            self.peaks.add(begins, volume);
        }
    }
}

/// A station that may be alone at one end of the link.
#[derive(Clone, Debug)]
pub(super) struct WayEnd {
    pub(super) station: Address,
    pub(super) from: SegmentWay,
    pub(super) to: SegmentWay,
}

/// Who may be alone at an end of the link: of the two stations of the first frame to one
/// station, those that all later ones came from or went to.
#[derive(Clone, Debug, Default)]
pub(super) struct Ends {
    begun: bool,
    pub(super) before: Volume,
    candidates: Vec<WayEnd>,
}

impl Ends {
    #[inline]
    pub(super) fn add(
        &mut self,
        neighbours: &(Address, Address),
        cast: Cast,
        at: Timestamp,
        bytes: u64,
        byte_time: Option<u64>,
    ) {
        // Mostly no station is at an end.
        if !self.begun || !self.candidates.is_empty() {
            self.add_to_ends(neighbours, cast, at, bytes, byte_time);
        }
    }

    #[inline(never)]
    fn add_to_ends(
        &mut self,
        (from, to): &(Address, Address),
        cast: Cast,
        at: Timestamp,
        bytes: u64,
        byte_time: Option<u64>,
    ) {
        let to_one = cast == Cast::Unicast && *from != Address::None && *to != Address::None;
        if to_one && !self.begun {
            self.begun = true;
            let stations = [*from, *to];
            // Who speaks with itself is on no link.
            let stations = stations.iter().take(if from == to { 0 } else { 2 });
            self.candidates = stations.map(|station| WayEnd::new(*station)).collect();
        }
        if !self.begun {
            self.before.count(bytes);
            return;
        }
        let mut all = true;
        for end in &mut self.candidates {
            let way = if end.station == *from {
                &mut end.from
            } else if !to_one || end.station == *to {
                &mut end.to
            } else {
                all = false;
                continue;
            };
            let _ = way.add(at, bytes, byte_time);
        }
        if !all {
            let concerns = |end: &WayEnd| end.station == *from || end.station == *to;
            self.candidates.retain(concerns);
        }
    }

    /// The station at the end of the link, if there is one.
    pub(super) fn found(&self) -> Option<&WayEnd> {
        self.candidates.first()
    }
}

impl WayEnd {
    fn new(station: Address) -> Self {
        Self {
            station,
            from: SegmentWay::default(),
            to: SegmentWay::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: Address = Address::Mac([2, 0, 0, 0, 0, 1]);
    const B: Address = Address::Mac([2, 0, 0, 0, 0, 2]);
    const C: Address = Address::Mac([2, 0, 0, 0, 0, 3]);
    const ALL: Address = Address::Mac([255; 6]);

    fn ends(frames: &[(Address, Address, u64)]) -> Ends {
        let mut ends = Ends::default();
        for (n, (from, to, bytes)) in (0..).zip(frames) {
            let cast = if *to == ALL {
                Cast::Broadcast
            } else {
                Cast::Unicast
            };
            let at = Timestamp::from_nanos(n);
            ends.add(&(*from, *to), cast, at, *bytes, None);
        }
        ends
    }

    fn shown(ends: &Ends) -> Option<(Address, u64, u64)> {
        let end = ends.found()?;
        Some((end.station, end.from.total().bytes, end.to.total().bytes))
    }

    #[test]
    fn a_station_that_all_frames_concern_is_at_the_end_of_the_link() {
        // C asks everyone, A and then B speak with C: C's link. The first frame came before
        // anything could be told.
        let found = ends(&[
            (C, ALL, 1),
            (A, C, 10),
            (C, A, 100),
            (C, ALL, 1000),
            (B, ALL, 10_000),
            (B, C, 100_000),
        ]);
        assert_eq!(shown(&found), Some((C, 1100, 110_010)));
        assert_eq!(found.before.bytes, 1);
    }

    #[test]
    fn on_a_segment_of_many_nobody_is() {
        assert_eq!(shown(&ends(&[(A, B, 1), (B, C, 1), (C, A, 1)])), None);
        assert_eq!(shown(&ends(&[(A, A, 1), (A, B, 1)])), None);
        assert_eq!(shown(&ends(&[(Address::None, B, 1)])), None);
        assert_eq!(shown(&ends(&[])), None);
    }

    #[test]
    fn of_two_the_one_that_began() {
        assert_eq!(shown(&ends(&[(A, B, 1), (B, A, 10)])), Some((A, 1, 10)));
    }
}

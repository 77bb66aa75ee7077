//! The two directions of a link, told by the station at its end.

use super::peaks::Peaks;
use super::spacing::Spaced;
use crate::segment::Volume;
use serde::{Deserialize, Serialize};
use wirewait_wire::{Address, Cast, Timestamp};

/// What went one way.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Way {
    pub(super) total: Volume,
    pub(super) peaks: Peaks,
    pub(super) spaced: Spaced,
}

impl Way {
    pub(super) fn add(&mut self, at: Timestamp, bytes: u64, byte_time: Option<u64>) {
        self.total += Volume::frame(bytes);
        self.peaks.add(at, bytes);
        self.spaced.add(at, bytes, byte_time);
    }
}

/// A station that may be alone at one end of the link.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct End {
    pub(super) station: Address,
    pub(super) from: Way,
    pub(super) to: Way,
}

/// Who may be alone at an end of the link: of the two stations of the first frame to one
/// station, those that all later ones came from or went to.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Ends {
    begun: bool,
    pub(super) before: Volume,
    candidates: Vec<End>,
}

impl Ends {
    pub(super) fn add(
        &mut self,
        (from, to): (Address, Address),
        cast: Cast,
        at: Timestamp,
        bytes: u64,
        byte_time: Option<u64>,
    ) {
        if self.begun && self.candidates.is_empty() {
            return;
        }
        let to_one = cast == Cast::Unicast && from != Address::None && to != Address::None;
        if to_one && !self.begun {
            self.begun = true;
            let stations = [from, to];
            // Who speaks with itself is on no link.
            let stations = stations.iter().take(if from == to { 0 } else { 2 });
            self.candidates = stations.map(|station| End::new(*station)).collect();
        }
        if !self.begun {
            self.before += Volume::frame(bytes);
            return;
        }
        if to_one {
            let candidates = &mut self.candidates;
            candidates.retain(|end| end.station == from || end.station == to);
        }
        for end in &mut self.candidates {
            let way = if end.station == from {
                &mut end.from
            } else {
                &mut end.to
            };
            way.add(at, bytes, byte_time);
        }
    }

    /// The station at the end of the link, if there is one.
    pub(super) fn found(&self) -> Option<&End> {
        self.candidates.first()
    }
}

impl End {
    fn new(station: Address) -> Self {
        Self {
            station,
            from: Way::default(),
            to: Way::default(),
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
            ends.add((*from, *to), cast, at, *bytes, None);
        }
        ends
    }

    fn shown(ends: &Ends) -> Option<(Address, u64, u64)> {
        let end = ends.found()?;
        Some((end.station, end.from.total.bytes, end.to.total.bytes))
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

//! The wire: what becomes of each frame.

use super::LabWay;
use crate::Random;

/// A copy that the wire makes comes so much later.
const COPY_NS: i64 = 300_000;

/// One direction.
pub(super) struct LabWire {
    way: LabWay,
    /// When it can take the next frame.
    free: i64,
    chance: Random,
    pub(super) lost: u64,
    pub(super) late: u64,
    pub(super) twice: u64,
}

impl LabWire {
    pub(super) fn new(way: LabWay, chance: Random) -> Self {
        Self {
            way,
            free: i64::MIN,
            chance,
            lost: 0,
            late: 0,
            twice: 0,
        }
    }

    /// When a frame sent now arrives: never, once or twice. A spared frame only takes its time.
    pub(super) fn send(&mut self, now: i64, bytes: usize, spared: bool) -> Vec<i64> {
        let scaled = (bytes as u64).saturating_mul(1_000_000_000);
        let time = scaled.checked_div(self.way.rate).unwrap_or(0);
        self.free = now.max(self.free).saturating_add(time as i64);
        let mut due = self.free.saturating_add(self.way.ns);
        if spared {
            return vec![due];
        }
        let mut happens = |of: u64| of > 0 && self.chance.below(10_000) < of;
        let (lost, late, twice) = (
            happens(self.way.lost),
            happens(self.way.late),
            happens(self.way.twice),
        );
        if lost {
            self.lost += 1;
            return Vec::new();
        }
        if late {
            self.late += 1;
            due = due.saturating_add(self.way.late_ns);
        }
        if twice {
            self.twice += 1;
            return vec![due, due.saturating_add(COPY_NS)];
        }
        vec![due]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wire(way: LabWay) -> LabWire {
        LabWire::new(way, Random::new(1))
    }

    /// At 12,500,000 bytes/s 1250 bytes take 100 us, and the way 2 ms; the second waits for the first.
    #[test]
    fn frames_follow_each_other_and_take_their_way() {
        let mut wire = wire(LabWay {
            ns: 2_000_000,
            rate: 12_500_000,
            ..LabWay::default()
        });
        assert_eq!(wire.send(0, 1250, false), [2_100_000]);
        assert_eq!(wire.send(0, 1250, false), [2_200_000]);
        assert_eq!(wire.send(1_000_000, 1250, false), [3_100_000]);
    }

    #[test]
    fn it_loses_delays_and_doubles_as_often_as_it_is_told() {
        let mut wire = wire(LabWay {
            lost: 500,
            late: 1000,
            late_ns: 7,
            twice: 2000,
            ..LabWay::default()
        });
        let fates: Vec<usize> = (0..10_000)
            .map(|n| wire.send(n * 1_000_000, 125, false).len())
            .collect();
        let of = |n| fates.iter().filter(|fate| **fate == n).count() as u64;
        assert_eq!((of(0), of(2)), (wire.lost, wire.twice));
        // Three standard deviations: 65, 90, 117.
        assert!((435..=565).contains(&wire.lost), "{}", wire.lost);
        assert!((860..=1040).contains(&wire.late), "{}", wire.late);
        assert!((1783..=2017).contains(&wire.twice), "{}", wire.twice);
        assert_eq!(wire.send(i64::MAX / 2, 125, true).len(), 1, "spared");
    }
}

//! How soon a client's program reads what came for it.
//!
//! A kernel acknowledges data when it is there, or leaves that to the reading of a program (Linux: `__tcp_ack_snd_check`,
//! while the window cannot advance): so an acknowledgement may come late although the way is short. A queue on the way
//! makes it late, too; but then the next request is as much later, because the program had the data later.

use super::super::ceiling::Ceiling;
use super::STEADY;

/// Acknowledgements of a program that reads late come early at least one time in this number.
const EARLY: u64 = 8;

/// What is remembered of it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ReadingPace {
    /// How long data took until it was acknowledged.
    soonest: Ceiling,
    /// The shortest time from an acknowledgement that was not late to the next request, ns, and how many there were.
    work: Option<(u64, u64)>,
    /// All times from an acknowledgement to the next request, together, ns, and how many.
    behind: (u64, u64),
}

/// What the ways of a response and of the next request take of the gap between these, ns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ReadWithin {
    /// At least this, if that is less than what the acknowledgement took.
    pub(super) least: u64,
    /// At most.
    pub(super) most: u64,
}

impl ReadWithin {
    /// Nothing is known.
    pub(super) const UNKNOWN: Self = Self {
        least: u64::MAX,
        most: u64::MAX,
    };
}

impl ReadingPace {
    /// Whether requests come as much later as acknowledgements do, on average: then the ways of both vary. A program
    /// that reads late needs no more time after that.
    pub(super) fn follow(&self) -> bool {
        let (sum, count) = self.behind;
        let (work, early) = self.work.unwrap_or_default();
        // Of those who read late, many have what came for them at once.
        let few = early.saturating_mul(EARLY) < count;
        count >= STEADY && (few || sum / count >= work - work / 8)
    }

    /// These bytes were acknowledged so long after they were sent, in a gap of this length.
    pub(super) fn acknowledged(&mut self, bytes: u64, after: u64, gap: u64) -> ReadWithin {
        let before = self.soonest.as_few(bytes);
        self.soonest.took(bytes, after);
        let least = self.soonest.as_few(bytes);
        let near = least.saturating_add(least / 4);
        if before > near {
            // All that came before was late.
            self.work = None;
        }
        if after <= near {
            // The program had it no sooner.
            let work = gap.saturating_sub(after);
            let (shortest, count) = self.work.unwrap_or((u64::MAX, 0));
            self.work = Some((shortest.min(work), count.saturating_add(1)));
        }
        let (sum, count) = &mut self.behind;
        *sum = sum.saturating_add(gap.saturating_sub(after));
        *count += 1;
        let most = match self.work {
            // Few do not show the shortest.
            Some((work, count)) if count < STEADY => gap.saturating_sub(work - work / 4),
            Some((work, _)) => gap.saturating_sub(work - work / 8),
            None => gap,
        };
        ReadWithin {
            least,
            most: most.max(near),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Responses of 4,000 bytes, and gaps of 1,200: the acknowledgement comes after 700, or after 100. The program
    /// needs 1,100 behind the latter, so no less than 825 of a gap are its own.
    #[test]
    fn a_late_reader_is_no_long_way() {
        let mut reading = ReadingPace::default();
        let mut read = |after, gap| {
            let ReadWithin { least, most } = reading.acknowledged(4_000, after, gap);
            (least, most)
        };
        assert_eq!(read(700, 1_200), (700, 875), "nothing else was seen");
        assert_eq!(read(100, 1_200), (100, 375));
        assert_eq!(read(700, 1_200), (100, 375));
        assert_eq!(read(700, 900), (100, 125), "no less than it varies");
        // A queue holds the next one: the request is as much later.
        assert_eq!(read(700, 1_800), (100, 975));
        // Eight show it better.
        (0..6).for_each(|_| {
            read(110, 1_210);
        });
        assert_eq!(read(700, 1_200), (100, 375));
        read(100, 1_200);
        assert_eq!(read(700, 1_200), (100, 1_200 - 1_100 + 137));
    }

    /// Acknowledgements come after 100 and after 700, in gaps of 1,200: 800 behind them on average, where it was 1,100. If the
    /// request is as much later, both were on the way.
    #[test]
    fn requests_follow_acknowledgements_where_ways_vary() {
        let followed = |gap: fn(u64) -> u64| {
            let mut reading = ReadingPace::default();
            for after in [100, 700, 100, 700, 100, 700, 100, 700] {
                reading.acknowledged(4_000, after, gap(after));
            }
            reading.follow()
        };
        assert!(!followed(|_| 1_200));
        assert!(followed(|after| after + 1_100));
        assert!(!ReadingPace::default().follow(), "nothing was seen");
    }

    /// Two frames were there after 6,000, and three after 9,000: this line takes no less for three than for two.
    #[test]
    fn more_bytes_take_no_less() {
        let mut reading = ReadingPace::default();
        assert_eq!(reading.acknowledged(2_800, 6_000, 20_000).least, 6_000);
        assert_eq!(reading.acknowledged(4_200, 9_000, 20_000).least, 6_000);
        assert_eq!(reading.acknowledged(4_200, 8_400, 20_000).least, 8_400);
    }
}

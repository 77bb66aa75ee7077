//! Time that is lost counts once, however many ways it was lost in at once.

/// Stretches of time that are remembered. Requests are closed within seconds of each other, in another order
/// than they were answered.
const STRETCHES: usize = 32;

/// Which time was counted as a cost: stretches that neither meet nor overlap, in order, ns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct LostTime {
    stretches: Vec<(i64, i64)>,
    /// Those before this moment are forgotten, and count no more.
    since: i64,
}

impl LostTime {
    /// How much of the time from `from` to `to` was not counted before, ns; now it is.
    pub(super) fn spend(&mut self, from: i64, to: i64) -> u64 {
        let from = match self.since {
            0 => from,
            since => from.max(since),
        };
        if to <= from {
            return 0;
        }
        let first = self.stretches.partition_point(|(_, end)| *end < from);
        let behind = self.stretches.partition_point(|(begin, _)| *begin <= to);
        let met = &self.stretches[first..behind.max(first)];
        let known = met.iter().map(|(begin, end)| {
            let (begin, end) = (from.max(*begin), to.min(*end));
            if end > begin { end.abs_diff(begin) } else { 0 }
        });
        let known = known.fold(0, u64::saturating_add);
        let begin = met.first().map_or(from, |(begin, _)| from.min(*begin));
        let end = met.last().map_or(to, |(_, end)| to.max(*end));
        self.stretches
            .splice(first..behind.max(first), [(begin, end)]);
        if self.stretches.len() > STRETCHES {
            self.since = self.stretches.remove(0).1;
        }
        to.abs_diff(from).saturating_sub(known)
    }

    /// Enters all of another one. How much of that was not counted before, ns.
    pub(super) fn join(&mut self, other: &Self) -> u64 {
        let stretches = other.stretches.iter();
        let lost = stretches.map(|(from, to)| self.spend(*from, *to));
        lost.fold(0, u64::saturating_add)
    }

    /// All that is remembered, ns.
    pub(super) fn ns(&self) -> u64 {
        let stretches = self.stretches.iter();
        let lost = stretches.map(|(from, to)| to.abs_diff(*from));
        lost.fold(0, u64::saturating_add)
    }

    #[cfg(test)]
    pub(super) fn stretches(&self) -> &[(i64, i64)] {
        &self.stretches
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Of wrong stamps a stretch is as long as all of time.
    #[test]
    fn a_stretch_may_be_longer_than_half_of_time() {
        let mut lost = LostTime::default();
        assert_eq!(lost.spend(i64::MIN, i64::MAX), u64::MAX);
        assert_eq!(lost.spend(i64::MIN, 0), 0);
        let mut other = LostTime::default();
        assert_eq!(other.spend(-5, 5), 10);
        assert_eq!((other.join(&lost), other.ns()), (u64::MAX - 10, u64::MAX));
    }

    proptest! {
        /// However the waits overlap, what is lost is the moments in which somebody waited, and never more
        /// where stretches are forgotten.
        #[test]
        fn what_is_lost_is_the_time_in_which_somebody_waits(
            waits in proptest::collection::vec((1i64..300, 1i64..12), 0..80)
        ) {
            let mut spent = LostTime::default();
            let mut moments = std::collections::BTreeSet::new();
            let mut lost = 0;
            for (from, ns) in waits {
                lost += spent.spend(from, from + ns);
                moments.extend(from..from + ns);
                prop_assert!(spent.stretches.len() <= STRETCHES);
            }
            let all = moments.len() as u64;
            prop_assert!(lost <= all);
            prop_assert!(spent.since != 0 || lost == all);
        }
    }
}

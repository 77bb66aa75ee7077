//! How long a way is at most, by acknowledgements that their receiver may have kept waiting.
//!
//! What was acknowledged with the next that was sent may have waited for that, and what was acknowledged by itself for a
//! timer. So neither shows how long a way is at least. But many that came as soon as each other show that the way does not
//! vary: there is nothing else that waited.

use super::{RoundTrips, found_at};
use crate::account::Ceiling;
use crate::table::TablePlace;
use wirewait_wire::Endpoint;

/// As many acknowledgements show how much they differ.
const MANY: u64 = 16;
/// As many count half as much then: the latest count more.
const FULL: u64 = 512;
/// They do not differ if they are no later than the shortest, on average, than this part of it,
const PART: u64 = 4;
/// and this, ns: the processors of stations and captures have other work.
const LATE_NS: u64 = 100_000;

/// How soon a station acknowledged data of another.
#[derive(Clone, Copy, Default)]
pub(super) struct AtMost {
    /// With the next that it sent.
    rode: Ceiling,
    alone: AloneAnswers,
    /// For so long its messages wait for the other's acknowledgement of what was before them, ns.
    waits: u64,
}

/// Acknowledgements of a station of whose way nothing else is known, by themselves.
#[derive(Clone, Copy, Default)]
struct AloneAnswers {
    soonest: Ceiling,
    count: u64,
    /// How much later than the soonest they were, all together, ns.
    later: u64,
}

impl AtMost {
    pub(super) fn rode(&self) -> Ceiling {
        self.rode
    }

    /// As long as a way takes at most, if those acknowledgements show one that does not vary.
    pub(super) fn alone(&self) -> Ceiling {
        self.alone.most()
    }

    pub(super) fn waits(&self) -> u64 {
        self.waits
    }
}

impl AloneAnswers {
    /// Data of these bytes was acknowledged after so long. Says whether that is news.
    fn took(&mut self, bytes: u64, ns: u64) -> bool {
        let before = self.is_steady();
        let least = self.soonest.least();
        let soonest = self.soonest.took(bytes, ns);
        if least.saturating_sub(ns) > LATE_NS {
            // Those before were later than seemed.
            (self.count, self.later) = (0, 0);
        }
        self.count += 1;
        let later = ns.saturating_sub(self.soonest.at(bytes));
        self.later = self.later.saturating_add(later);
        if self.count >= FULL {
            (self.count, self.later) = (self.count / 2, self.later / 2);
        }
        let steady = self.is_steady();
        steady != before || steady && (soonest || self.count.is_power_of_two())
    }

    fn mean(&self) -> u64 {
        self.later / self.count.max(1)
    }

    /// They came as soon as each other.
    fn is_steady(&self) -> bool {
        self.count >= MANY && self.mean() <= (self.soonest.least() / PART).saturating_add(LATE_NS)
    }

    fn most(&self) -> Ceiling {
        match self.is_steady() {
            // There and back may be later each.
            true => self.soonest.later(2 * self.mean()),
            false => Ceiling::NONE,
        }
    }
}

impl RoundTrips {
    /// No longer than this can the way of a message of these bytes to a station and back be: it acknowledged data with
    /// the next that it sent.
    pub(super) fn rode(&mut self, ends: [Endpoint; 2], (bytes, ns): (u64, i64)) {
        let ns = u64::try_from(ns).unwrap_or(0);
        let place = self.place_of_most(ends);
        let is_news = self.at_most.at(place).rode.took(bytes, ns);
        self.bounded(is_news);
    }

    /// Nor longer than this: it acknowledged them by itself, and nothing else is known of that way.
    #[cold]
    #[inline(never)]
    pub(super) fn alone(&mut self, ends: [Endpoint; 2], (bytes, ns): (u64, i64)) {
        if let Ok(ns) = u64::try_from(ns) {
            let place = self.place_of_most(ends);
            let is_news = self.at_most.at(place).alone.took(bytes, ns);
            // Nobody has to look for them before they show something.
            self.some_alone |= is_news;
            self.bounded(is_news);
        }
    }

    /// Its messages wait so long for the other's acknowledgement of what was before them.
    #[cold]
    pub(super) fn waits_for(&mut self, ends: [Endpoint; 2], ns: u64) {
        let place = self.place_of_most(ends);
        let before = std::mem::replace(&mut self.at_most.at(place).waits, ns);
        self.some_wait = true;
        self.bounded(before != ns);
    }

    /// A bound of a way may have become another.
    #[inline]
    fn bounded(&mut self, is_news: bool) {
        self.version += u64::from(is_news);
        self.news += u64::from(is_news);
    }

    #[inline]
    fn place_of_most(&mut self, ends: [Endpoint; 2]) -> TablePlace {
        let known = &self.found_at_most[found_at(ends)];
        let found = known
            .get()
            .filter(|place| self.at_most.is_at(*place, &ends));
        found.unwrap_or_else(|| {
            let (place, gone) = self.at_most.place_of(&ends, AtMost::default);
            known.set(Some(place));
            let gone = u64::from(gone.is_some());
            self.evicted += gone;
            self.version += gone;
            self.news += gone;
            place
        })
    }

    /// What is known of how soon the first of these acknowledged data of the other. `at`: where that was found last.
    pub(super) fn at_most(
        &self,
        [end, other]: [&Endpoint; 2],
        at: &mut Option<TablePlace>,
    ) -> Option<&AtMost> {
        let key = [end.station(), other.station()];
        let known = at.filter(|place| self.at_most.key_at(*place) == Some(&key));
        *at = known.or_else(|| self.at_most.whereabouts(&key));
        at.and_then(|place| self.at_most.peek(place))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const US: u64 = 1_000;

    /// Acknowledgements of single frames of 100 bytes after these times, us: the way of as many bytes takes so long at most.
    fn most(us: impl Iterator<Item = u64>) -> Option<u64> {
        let mut alone = AloneAnswers::default();
        us.for_each(|us| {
            alone.took(100, us * US);
        });
        let most = alone.most();
        (most != Ceiling::NONE).then(|| most.at(100))
    }

    /// Sixteen after 10 us bound the way by that, and if they are up to 100 us later on average, by twice as much as they are. One after
    /// 2 ms among them shows that they differ, but not among 32 of 10 us: 1.99 ms / 32 is 62 us.
    #[test]
    fn many_that_come_as_soon_as_each_other_bound_the_way() {
        assert_eq!(most([10; 15].into_iter()), None);
        assert_eq!(most([10; 16].into_iter()), Some(10 * US));
        let later = [10, 210].into_iter().cycle();
        assert_eq!(most(later.clone().take(16)), Some(210 * US));
        assert_eq!(most([10, 230].into_iter().cycle().take(16)), None);
        let one = |of: usize| (0..of).map(|n| if n == 3 { 2_000 } else { 10 });
        assert_eq!(most(one(16)), None);
        assert_eq!(most(one(32)), Some(10 * US + 2 * (1_990 * US / 32)));
    }

    /// A timer of 5 ms on a way of 1 ms is 6 ms each time: the way is no longer than that. Where some come at once, after 1 ms,
    /// the timer is none of the way's, and it is not known whether that varies.
    #[test]
    fn a_timer_bounds_a_way_and_some_at_once_show_that_it_was_one() {
        assert_eq!(most([6_000; 64].into_iter()), Some(6_000 * US));
        let some = (0..64).map(|n| if n % 4 == 0 { 1_000 } else { 6_000 });
        assert_eq!(most(some), None);
    }

    /// 1,000 bytes take as much longer as they are long, 10 us a byte: that is no other way. By 100 bytes, 1,000 take up to
    /// 1,620 us * 1,132 / 162.
    #[test]
    fn longer_frames_take_longer() {
        let mut alone = AloneAnswers::default();
        for n in 0..64 {
            let bytes = if n % 2 == 0 { 100 } else { 1_000 };
            alone.took(bytes, 10 * US * (bytes + 62));
        }
        let most = alone.most();
        assert_eq!(
            [100, 1_000].map(|of| most.at(of)),
            [1_620 * US, 11_320 * US]
        );
    }
}

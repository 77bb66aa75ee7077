//! What is known of a station, and of each of the ways to it.

use super::questions::DataShown;
use super::singles::SingleAnswers;
use crate::account::{DataThere, Distance, STEADY, Took, Variation, WholeAnswers};
use crate::{Mark, RoundTrip};
use wirewait_wire::{Endpoint, Timestamp};

/// The way to a station may change: the shortest answer counts for so long, ns, and at most twice
/// that.
const WINDOW_NS: i64 = 60_000_000_000;
/// An acknowledgement that is later than twice the shortest answer by this, ns, may have been kept waiting, or its way was longer.
const NEAR_NS: i64 = 1_000_000;
/// As many that are not later show a steady way, if no more than one in as many is.
const MANY: u32 = 16;
/// The shortest timer for acknowledgements in use, ns (Linux: 40 ms, by a clock that ticks every 4).
const LINUX_NS: i64 = 36_000_000;
/// It runs from the first segment on: an acknowledgement comes this long after the last one, ns, if a line of 1 Mbit/s has let
/// that through meanwhile.
const TIMER_NS: i64 = LINUX_NS - 12_000_000;
/// Timers are as exact as this, ns (Linux: 4 ms).
const TICK_NS: u64 = 4_000_000;
/// As many acknowledgements in a row that take as long for their bytes show how fast a line is,
const EVEN: u32 = 4;
/// give or take this part of it.
const EVENLY: u32 = 8;

/// What is known of a station.
#[derive(Clone, Default)]
pub(super) struct Station {
    /// The shortest answer of all; `None` where there was none.
    pub(super) row: Option<RoundTrip>,
    /// With all other ends together.
    pub(super) way: StationWay,
    /// Whom it answered first.
    first: Option<Endpoint>,
    /// It answered others as well: the ways of each are known apart.
    several: bool,
    /// Which differ: what is known of the way where the other end had no answer of its own.
    pub(super) apart: Option<Box<Distance>>,
}

/// What is known of a way to a station.
#[derive(Clone, Copy, Default)]
pub(super) struct StationWay {
    /// The shortest of the window that began then, and of the one before, ns.
    window: Timestamp,
    shortest: [Option<i64>; 2],
    /// Those of the same time to all that there was.
    whole: WholeAnswers,
    late: LateAnswers,
    /// Acknowledgements of fewer than two full segments: not later than a timer lets them be, and others.
    eager: LateAnswers,
    /// How late the latest of these others was, ns.
    kept: i64,
    even: EvenAnswers,
    singles: SingleAnswers,
    pub(super) distance: Distance,
}

/// Acknowledgements that a station may have kept waiting: hardly later than the shortest answer, and others.
#[derive(Clone, Copy, Default)]
struct LateAnswers {
    near: u32,
    far: u32,
}

/// What may have kept an acknowledgement waiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MayWait {
    No,
    /// A timer: it was as late as the one before.
    Timer,
    /// That, or the way.
    Something,
}

/// Acknowledgements of data that came one after the other, all of which had been sent before the first of them: a line
/// lets as many bytes through in the same time, and no program reads as evenly.
#[derive(Clone, Copy, Default)]
struct EvenAnswers {
    /// How long the latest took for 1,024 bytes, ns, and how many were like it.
    pace: u32,
    count: u32,
}

impl Station {
    /// Of which nothing is known, from then on.
    pub(super) fn new(now: Timestamp) -> Self {
        Self {
            way: StationWay::new(now, false),
            ..Self::default()
        }
    }

    /// Whom it answered, if that is one alone.
    pub(super) fn only(&self) -> Option<Endpoint> {
        self.first.filter(|_| !self.several)
    }

    /// It answers this one. Where it has answered others, too: whom it had answered alone until now, if this
    /// is the second, and all that is known of that way.
    #[inline]
    pub(super) fn answers(
        &mut self,
        other: Endpoint,
    ) -> Option<Option<Box<(Endpoint, StationWay)>>> {
        if self.several {
            return Some(None);
        }
        let first = *self.first.get_or_insert(other);
        self.several = first != other;
        self.several.then(|| Some(Box::new((first, self.way))))
    }
}

impl StationWay {
    /// Of which nothing is known, from then on; whether it is one of several.
    pub(super) fn new(now: Timestamp, apart: bool) -> Self {
        Self {
            window: now,
            shortest: [None; 2],
            whole: WholeAnswers::default(),
            late: LateAnswers::default(),
            eager: LateAnswers::default(),
            kept: 0,
            even: EvenAnswers::default(),
            singles: SingleAnswers::default(),
            distance: Distance {
                apart,
                ..Distance::UNKNOWN
            },
        }
    }

    /// An answer took so long; which may have been kept waiting if it came `late`. Says whether that is news of how much longer frames take.
    pub(super) fn measured(
        &mut self,
        (asked, answered, data, bytes): (Mark, Mark, Option<DataShown>, u64),
        (ns, late): (i64, bool),
    ) -> bool {
        let past = answered.at.since(self.window);
        let mut again = false;
        if past >= WINDOW_NS {
            let before = self.shortest[0].filter(|_| past < 2 * WINDOW_NS);
            self.shortest = [None, before];
            self.window = answered.at;
            self.whole.fades();
            self.late.fades();
            self.eager.fades();
            (self.distance.line.longer, again) = (Took::NONE, true);
        }
        let shortest = self.shortest[0].map_or(ns, |shortest| shortest.min(ns));
        self.shortest[0] = Some(shortest);
        let distance = &mut self.distance;
        let shortest = self.shortest[1].map_or(shortest, |before| before.min(shortest));
        let reach = &mut distance.reach;
        reach.samples = reach.samples.saturating_add(1);
        reach.total = reach.total.saturating_add(ns);
        let behind = data.map(|data| data.left);
        let behind = behind.filter(|left| *left != DataThere::UNKNOWN_LEFT);
        let whole = behind.is_none_or(|left| left <= DataThere::ONE_FRAME);
        // One that may have been kept waiting counts for how short it is: it does not show how much others differ.
        if !late && let Some(variation) = self.whole.took(ns, bytes, whole) {
            reach.variation = variation;
        }
        let moved = std::mem::replace(&mut reach.shortest, shortest) != shortest;
        let moved = moved || reach.samples == STEADY;
        let first = data.is_some() && distance.heard.is_none();
        if let Some(DataShown { left, bytes, .. }) = data {
            let heard = DataThere {
                at: answered.at,
                frame: asked.frame,
                left,
                pace: 0,
                late: false,
            };
            let times = [asked.at, answered.at];
            let pace = self.even.took(distance.heard.as_ref(), times, bytes);
            distance.heard = Some(DataThere { pace, ..heard });
            if pace > 0 {
                distance.line.pace = pace;
            }
        }
        let took = Took {
            ns: u64::try_from(ns).unwrap_or(0),
            bytes,
        };
        let line = &mut distance.line;
        let denser = took.ns < line.longer.ns || bytes > line.longer.bytes || again;
        if moved || first || denser {
            return line.measured(took, ns == shortest) || moved || first;
        }
        false
    }

    /// Whether enough answers at once are known, beside which others say nothing.
    pub(super) fn is_known(&self) -> bool {
        self.whole.is_known()
    }

    /// Fewer than two full segments, these bytes, were acknowledged: what may have kept them waiting.
    #[cold]
    pub(super) fn waited(&mut self, [asked, answered]: [Timestamp; 2], bytes: u32) -> MayWait {
        let ns = answered.since(asked);
        let reach = &self.distance.reach;
        let soon = match reach.samples {
            0 => LINUX_NS,
            _ => reach.shortest.saturating_add(TIMER_NS),
        };
        let heard = self.distance.heard.as_ref();
        if ns < soon || self.even.is_like(heard, [asked, answered], bytes) {
            self.eager.near = self.eager.near.saturating_add(1);
            return MayWait::No;
        }
        self.eager.far = self.eager.far.saturating_add(1);
        let LateAnswers { near, far } = self.eager;
        let before = std::mem::replace(&mut self.kept, ns);
        // Many receivers keep nothing waiting that is more than one segment: it is one of them if most came early.
        if u64::from(near) >= STEADY && near >= far {
            MayWait::No
        } else if before.abs_diff(ns) <= TICK_NS || self.distance.heard.is_none() {
            MayWait::Timer
        } else {
            MayWait::Something
        }
    }

    /// A single segment of these bytes was acknowledged by itself, or several (0 bytes); `left` were sent behind it. Says
    /// whether it came as evenly as a line lets segments through, so that it shows the way.
    #[inline]
    pub(super) fn single(
        &mut self,
        (asked, answered): (Mark, Mark),
        bytes: u32,
        left: u32,
    ) -> bool {
        let pace = self.singles.took([asked.at, answered.at], bytes);
        if pace > 0 {
            self.distance.line.pace = pace;
            self.distance.even = Some(DataThere {
                at: answered.at,
                frame: asked.frame,
                left,
                pace,
                late: false,
            });
        }
        pace > 0
    }

    /// What was acknowledged just now may have been kept waiting.
    #[cold]
    pub(super) fn was_late(&mut self) {
        self.even = EvenAnswers::default();
        if let Some(heard) = &mut self.distance.heard {
            (heard.left, heard.pace, heard.late) = (DataThere::UNKNOWN_LEFT, 0, true);
        }
    }

    /// An acknowledgement that may have been kept waiting took so long. Says whether it is news that the way is steady, or
    /// that it may not be.
    #[inline]
    pub(super) fn late(&mut self, ns: i64) -> bool {
        let LateAnswers { near, far } = &mut self.late;
        let reach = &mut self.distance.reach;
        match ns <= reach.shortest.saturating_mul(2).saturating_add(NEAR_NS) {
            true => *near = near.saturating_add(1),
            false => *far = far.saturating_add(1),
        }
        let steady = *near >= MANY && *far <= *near / MANY;
        let variation = match steady {
            true => Variation::NONE,
            false => Variation::UNKNOWN,
        };
        std::mem::replace(&mut reach.variation, variation) != variation
    }
}

impl EvenAnswers {
    /// How long 1,024 bytes of what was sent then took, ns, if all of it was on the line when the acknowledgement before
    /// came.
    #[inline]
    fn pace(before: Option<&DataThere>, [sent, now]: [Timestamp; 2], bytes: u32) -> Option<u32> {
        let before = before.filter(|before| sent <= before.at)?;
        let ns = u64::try_from(now.since(before.at)).ok()?;
        u32::try_from(ns.saturating_mul(1_024).checked_div(bytes.into())?).ok()
    }

    /// Whether these came no later behind what was acknowledged before than that behind what was before it.
    #[cold]
    fn is_like(&self, before: Option<&DataThere>, times: [Timestamp; 2], bytes: u32) -> bool {
        let pace = Self::pace(before, times, bytes);
        pace.is_some_and(|pace| pace <= self.pace.saturating_add(self.pace / EVENLY))
    }

    /// Data that was sent then was acknowledged, and other data before: how long 1,024 bytes take on the line, ns, if
    /// these acknowledgements come evenly; else 0.
    #[inline]
    fn took(&mut self, before: Option<&DataThere>, times: [Timestamp; 2], bytes: u32) -> u32 {
        // The first of a message shows none.
        let Some(pace) = Self::pace(before, times, bytes) else {
            return 0;
        };
        let near = pace.abs_diff(self.pace) <= self.pace / EVENLY;
        self.count = if near {
            self.count.saturating_add(1)
        } else {
            1
        };
        self.pace = pace;
        if self.count >= EVEN { pace } else { 0 }
    }
}

impl LateAnswers {
    /// What was before counts half as much.
    fn fades(&mut self) {
        (self.near, self.far) = (self.near / 2, self.far / 2);
    }
}

/// One more answer of a station took so long. Whether none was as short before.
#[inline]
pub(super) fn took(
    row: &mut Option<RoundTrip>,
    station: Endpoint,
    ns: i64,
    (asked, answered): (Mark, Mark),
) -> bool {
    let row = row.get_or_insert(RoundTrip {
        station,
        shortest_ns: i64::MAX,
        ..RoundTrip::default()
    });
    row.samples = row.samples.saturating_add(1);
    let shorter = ns < row.shortest_ns;
    if shorter {
        row.shortest_ns = ns;
        (row.asked, row.answered) = (asked.frame, answered.frame);
    }
    shorter
}

#[cfg(test)]
mod tests {
    use super::*;

    const US: i64 = 1_000;

    /// A way of 200 us by one answer; and then acknowledgements after these times, us.
    fn way(late: impl Iterator<Item = i64>) -> StationWay {
        let mark = |us: i64| Mark {
            frame: 1,
            at: Timestamp::from_nanos(us * US),
        };
        let mut way = StationWay::new(Timestamp::from_nanos(0), false);
        way.measured((mark(0), mark(200), None, 120), (200 * US, false));
        late.for_each(|us| {
            way.late(us * US);
        });
        way
    }

    /// Sixteen that came at once, as far as 1 ms beyond twice 200 us, show that it does not vary; one of them in
    /// sixteen may be later.
    #[test]
    fn acknowledgements_that_are_not_kept_waiting_show_a_steady_way() {
        let known = |late: &[i64]| way(late.iter().copied()).distance.reach.variation;
        assert_eq!(known(&[250; 15]), Variation::UNKNOWN);
        assert_eq!(known(&[1_400; 16]), Variation::NONE);
        assert_eq!(known(&[1_401; 16]), Variation::UNKNOWN);
        let mut some = vec![250; 32];
        some.extend([40_000; 2]);
        assert_eq!(known(&some), Variation::NONE);
        some.push(40_000);
        assert_eq!(known(&some), Variation::UNKNOWN);
    }

    /// A way of 200 us that had acknowledged data at once. Fewer than two full segments, 2,244 bytes, are acknowledged after
    /// 43 ms each time: a timer's, but for the first, of which nothing shows that. After 80 ms it is not the same.
    #[test]
    fn fewer_than_two_full_segments_may_wait_for_a_timer() {
        let mark = |us: i64| Mark {
            frame: 1,
            at: Timestamp::from_nanos(us * US),
        };
        let known = || {
            let mut way = way(std::iter::empty());
            let data = Some(DataShown {
                left: 2_244,
                bytes: 2_920,
                may_wait: false,
            });
            way.measured((mark(0), mark(6_400), data, 1_551), (6_400 * US, false));
            way
        };
        let waited = |way: &mut StationWay, us: i64| {
            let times = [mark(0), mark(us)].map(|mark| mark.at);
            way.waited(times, 2_244)
        };
        let mut way = known();
        assert_eq!(waited(&mut way, 24_199), MayWait::No);
        assert_eq!(waited(&mut way, 43_000), MayWait::Something);
        assert_eq!(waited(&mut way, 43_000), MayWait::Timer);
        assert_eq!(waited(&mut way, 47_000), MayWait::Timer);
        assert_eq!(waited(&mut way, 80_000), MayWait::Something);
        way.was_late();
        let heard = way.distance.heard.unwrap();
        assert_eq!(
            (heard.late, heard.left),
            (true, DataThere::UNKNOWN_LEFT),
            "no lower bound"
        );
        // Sixteen came at once: it keeps none waiting.
        let mut way = known();
        (0..16).for_each(|_| assert_eq!(waited(&mut way, 6_500), MayWait::No));
        assert_eq!(waited(&mut way, 43_000), MayWait::No);
        // Nothing is known of the way: one that takes 30 ms is no timer's.
        let mut unknown = StationWay::default();
        assert_eq!(waited(&mut unknown, 30_000), MayWait::No);
        assert_eq!(waited(&mut unknown, 40_000), MayWait::Timer);
    }

    /// A line that lets 2,920 bytes through in 6 ms: the next 2,244 that come 4.6 ms behind those did not wait, although a
    /// queue held all of them for 60 ms; what comes 40 ms behind them may have.
    #[test]
    fn what_comes_as_evenly_as_before_did_not_wait() {
        let mark = |us: i64| Mark {
            frame: 1,
            at: Timestamp::from_nanos(us * US),
        };
        let data = |bytes| {
            Some(DataShown {
                left: 9_000,
                bytes,
                may_wait: false,
            })
        };
        let mut way = way(std::iter::empty());
        for us in [54_000, 60_000] {
            way.measured((mark(0), mark(us), data(2_920), 1_551), (us * US, false));
        }
        let mut waited = |us: i64| {
            let times = [mark(0), mark(us)].map(|mark| mark.at);
            way.waited(times, 2_244)
        };
        assert_eq!(waited(64_600), MayWait::No);
        assert_eq!(waited(100_000), MayWait::Something);
    }
}

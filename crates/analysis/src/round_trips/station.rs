//! What is known of a station, and of each of the ways to it.

use crate::account::{DataThere, Distance, STEADY, Took, WholeAnswers};
use crate::{Mark, RoundTrip};
use wirewait_wire::{Endpoint, Timestamp};

/// The way to a station may change: the shortest answer counts for so long, ns, and at most twice
/// that.
const WINDOW_NS: i64 = 60_000_000_000;

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
    pub(super) distance: Distance,
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
            distance: Distance {
                apart,
                ..Distance::UNKNOWN
            },
        }
    }

    /// An answer took so long. Says whether that is news of how much longer frames take.
    pub(super) fn measured(
        &mut self,
        (asked, answered, data, bytes): (Mark, Mark, Option<u32>, u64),
        ns: i64,
    ) -> bool {
        let past = answered.at.since(self.window);
        let mut again = false;
        if past >= WINDOW_NS {
            let before = self.shortest[0].filter(|_| past < 2 * WINDOW_NS);
            self.shortest = [None, before];
            self.window = answered.at;
            self.whole.fades();
            (self.distance.line.longer, again) = (Took::NONE, true);
        }
        let shortest = self.shortest[0].map_or(ns, |shortest| shortest.min(ns));
        self.shortest[0] = Some(shortest);
        let distance = &mut self.distance;
        let shortest = self.shortest[1].map_or(shortest, |before| before.min(shortest));
        let reach = &mut distance.reach;
        reach.samples = reach.samples.saturating_add(1);
        reach.total = reach.total.saturating_add(ns);
        let behind = data.filter(|left| *left != DataThere::UNKNOWN_LEFT);
        let whole = behind.is_none_or(|left| left <= DataThere::ONE_FRAME);
        if let Some(variation) = self.whole.took(ns, bytes, whole) {
            reach.variation = variation;
        }
        let moved = std::mem::replace(&mut reach.shortest, shortest) != shortest;
        let moved = moved || reach.samples == STEADY;
        let first = data.is_some() && distance.heard.is_none();
        if let Some(left) = data {
            distance.heard = Some(DataThere {
                at: answered.at,
                frame: asked.frame,
                left,
            });
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

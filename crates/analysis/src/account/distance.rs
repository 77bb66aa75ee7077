//! The way between the capture point and a station, which lies within the slices of that station:
//! what each slice contains of it at least and at most.
//!
//! At least: what the station's transport needs to answer by itself, as
//! the [`Evidence`] has it. At most: the shortest turnaround of
//! a server, or the shortest gap before a client's next request, that was seen so far. Every
//! request pays the way, so none of them is shorter than it.

use super::{Bounds, Outstanding, Phase};
use crate::case::Case;
use crate::table::TablePlace;
use crate::{Flags, Transaction};
use wirewait_wire::{Endpoint, Timestamp};

/// Samples that show how a way varies.
const STEADY: u64 = 8;

/// Who measures the ways.
pub(crate) trait Evidence {
    /// How far the station of this end is, as far as that is known. `at`: where that was found last.
    fn of(&self, end: &Endpoint, at: &mut Option<TablePlace>) -> &Distance;

    /// The way through routers between these two that lies at least within the time of the first
    /// and of the second, ns; `None` where none was seen on both sides of a router.
    fn between(&self, one: &Endpoint, other: &Endpoint) -> Option<[i64; 2]>;

    /// Another number whenever [`Evidence::of`] may say something else.
    fn version(&self) -> u64;
}

/// Evidence of how far a station is, ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Distance {
    /// Answers that a transport gave by itself.
    pub(crate) samples: u64,
    /// The shortest of them lately.
    pub(crate) shortest: i64,
    /// All of them together.
    pub(crate) total: i64,
    /// The shortest time in which data was acknowledged by what it was the reason for: the next
    /// request, or the response.
    pub(crate) ceiling: Option<i64>,
    /// When it last acknowledged data that it may not keep waiting.
    pub(crate) heard: Option<Timestamp>,
}

impl Distance {
    /// Without any evidence.
    pub(crate) const UNKNOWN: Self = Self {
        samples: 0,
        shortest: 0,
        total: 0,
        ceiling: None,
        heard: None,
    };

    /// What a slice of this station contains of the way, where nothing shorter than `ceiling` was
    /// seen besides.
    fn bounds(&self, ceiling: Option<i64>) -> Bounds {
        let ceiling = match (self.ceiling, ceiling) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        let ceiling = ceiling.map_or(u64::MAX, ns);
        if self.samples == 0 {
            return Bounds {
                low: 0,
                high: ceiling,
            };
        }
        let shortest = ns(self.shortest);
        // Few samples do not show how much the way varies.
        let spread = match self.samples {
            STEADY.. => shortest / 4,
            _ => shortest,
        };
        let mean = ns(self.total) / self.samples;
        let high = mean.max(shortest.saturating_add(spread)).min(ceiling);
        Bounds {
            low: shortest.min(high),
            high,
        }
    }
}

/// What is left of the way to the server, within its slice, and of that to the client, within the
/// gap before the request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Ways {
    server: Bounds,
    client: Bounds,
}

impl Ways {
    /// The gap before the request may contain so much of the network. Says whether that is more
    /// than was known.
    pub(super) fn client_up_to(&mut self, ns: u64) -> bool {
        up_to(&mut self.client, ns)
    }

    /// The turnaround may.
    pub(super) fn server_up_to(&mut self, ns: u64) -> bool {
        up_to(&mut self.server, ns)
    }

    /// What a slice of this length contains.
    #[inline]
    pub(super) fn within(&mut self, phase: Phase, length: i64) -> Option<Bounds> {
        let left = match phase {
            Phase::Server => &mut self.server,
            Phase::Client => &mut self.client,
            _ => return None,
        };
        let length = ns(length);
        let way = Bounds {
            low: left.low.min(length),
            high: left.high.min(length),
        };
        left.low -= way.low;
        left.high -= way.high;
        Some(way)
    }
}

/// What is remembered of a client to bound its distance.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Nearest {
    /// The latest request that closed: its conversation, and when it ended.
    latest: Option<(u64, Timestamp)>,
    /// The shortest gap between a response and the next request of its conversation, ns.
    gap: Option<i64>,
    /// When the one before it ended.
    before: Option<Timestamp>,
    /// When the client had last acknowledged data at once, as its latest request began; and what
    /// the evidence was then.
    heard: (Option<Timestamp>, u64),
    /// What was found last, and of which state of the evidence and which two.
    found: Option<(u64, [TablePlace; 2], [Distance; 2])>,
    /// The way through routers between these two, if that is known, ns.
    routers: Option<[i64; 2]>,
    /// Where the evidence of the client was found, and that of this server.
    client_at: Option<TablePlace>,
    server_at: Option<(TablePlace, Option<TablePlace>)>,
}

impl Nearest {
    /// A request of this client begins.
    #[inline]
    pub(super) fn began(&mut self, client: Endpoint, evidence: &impl Evidence) {
        if self.heard.1 != evidence.version() {
            let distance = evidence.of(&client, &mut self.client_at);
            self.heard = (distance.heard, evidence.version());
        }
    }

    /// How long of the gap before a request that began then the response before it was still on
    /// its way: until its data was acknowledged. A queue on the way makes that longer than the way
    /// is otherwise.
    fn underway(&self, began: Timestamp) -> Option<u64> {
        let (heard, before) = (self.heard.0?, self.before?);
        (before < heard && heard <= began).then(|| ns(heard.since(before)))
    }

    /// How long nothing was asked for before a request that began then, ns.
    pub(super) fn pause(&self, began: Timestamp) -> Option<i64> {
        Some(began.since(self.before?))
    }

    /// The server and the client of the latest request.
    pub(super) fn distances(&self) -> [Distance; 2] {
        self.found.map_or(Default::default(), |(.., found)| found)
    }

    /// A request closed. The next one of the same conversation that begins after its end was
    /// sent by who had the response.
    #[inline]
    pub(super) fn closed(&mut self, t: &Transaction, done: &Outstanding) {
        if let Some((conversation, end)) = self.latest
            && conversation == t.conversation
            && t.copies == 1
        {
            let gap = done.begin.since(end);
            if gap >= 0 {
                self.gap = Some(self.gap.map_or(gap, |shortest| shortest.min(gap)));
            }
        }
        self.before = self.latest.map(|(_, end)| end);
        self.latest = Some((t.conversation, done.end()));
    }

    /// The ways within the slices of this request. `turnaround`: the shortest of its server.
    #[inline]
    pub(super) fn ways(
        &mut self,
        (case, began): (Case<'_>, Timestamp),
        turnaround: Option<i64>,
        evidence: &impl Evidence,
    ) -> Ways {
        let two = [case.parties.server, case.parties.client];
        let [server, client] = match self.found {
            Some((version, places, found)) if version == evidence.version() && places == two => {
                found
            }
            _ => {
                let t = case.transaction;
                let known = self.server_at.filter(|(place, _)| *place == two[0]);
                let mut server_at = known.and_then(|(_, at)| at);
                let found = [
                    *evidence.of(&t.server, &mut server_at),
                    *evidence.of(&t.client, &mut self.client_at),
                ];
                self.server_at = (two[0] != TablePlace::NOWHERE).then_some((two[0], server_at));
                self.routers = evidence.between(&t.server, &t.client);
                self.found = Some((evidence.version(), two, found));
                found
            }
        };
        // Where acknowledgements say what a request was sent after, a gap says nothing more.
        let gap = self.gap.filter(|_| client.ceiling.is_none());
        let mut to_client = client.bounds(gap);
        if let Some(underway) = self.underway(began) {
            // What came last may have come a little later.
            to_client.high = to_client.high.max(underway.saturating_add(underway / 4));
            to_client.low = to_client.low.max(underway);
        }
        let mut ways = Ways {
            server: server.bounds(turnaround),
            client: to_client,
        };
        if let Some([to_server, to_client]) = self.routers {
            ways.server = behind(to_server, ways.server, turnaround);
            ways.client = behind(to_client, ways.client, gap);
        }
        ways
    }
}

/// A way through routers that take this long, of which `way` is known besides; no slice shorter
/// than `ceiling` was seen.
#[cold]
fn behind(routers: i64, way: Bounds, ceiling: Option<i64>) -> Bounds {
    let least = ns(ceiling.map_or(routers, |ceiling| routers.min(ceiling)));
    Bounds {
        low: way.low.max(least),
        high: way.high.max(least),
    }
}

fn up_to(way: &mut Bounds, ns: u64) -> bool {
    let more = ns > way.high;
    way.high = way.high.max(ns);
    more
}

/// A turnaround that contains the whole way to the server and back, ns.
pub(super) fn turnaround(t: &Transaction) -> Option<i64> {
    let guessed = [Flags::BY_ORDER, Flags::ENCRYPTED, Flags::OUT_OF_ORDER];
    let guessed = guessed.into_iter().any(|flag| t.flags.contains(flag));
    t.turnaround.exact().filter(|ns| *ns >= 0 && !guessed)
}

fn ns(ns: i64) -> u64 {
    u64::try_from(ns).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(samples: u64, shortest: i64, mean: i64, ceiling: Option<i64>) -> Distance {
        Distance {
            samples,
            shortest,
            total: mean * samples as i64,
            ceiling,
            ..Distance::default()
        }
    }

    fn bounds(distance: Distance, ceiling: Option<i64>) -> (u64, u64) {
        let Bounds { low, high } = distance.bounds(ceiling);
        (low, high)
    }

    #[test]
    fn without_evidence_the_shortest_slice_bounds_the_way() {
        assert_eq!(bounds(Distance::default(), None), (0, u64::MAX));
        assert_eq!(bounds(Distance::default(), Some(700)), (0, 700));
        let acknowledged = measured(0, 0, 0, Some(500));
        assert_eq!(bounds(acknowledged, Some(700)), (0, 500));
    }

    /// 100 ns were measured once: at most twice that, and no more than 150 where a slice of 150
    /// was seen; eight samples of 110 on average leave 25.
    #[test]
    fn evidence_bounds_the_way_from_both_sides() {
        assert_eq!(bounds(measured(1, 100, 100, None), None), (100, 200));
        assert_eq!(bounds(measured(1, 100, 100, None), Some(150)), (100, 150));
        assert_eq!(bounds(measured(8, 100, 110, None), Some(999)), (100, 125));
        assert_eq!(bounds(measured(8, 100, 190, None), Some(999)), (100, 190));
    }

    /// Routers that were seen on both sides are a least, beside what a transport shows.
    #[test]
    fn routers_on_the_way_are_part_of_it() {
        let behind = |routers, samples, ceiling| {
            let way = measured(samples, 100, 110, None).bounds(ceiling);
            let Bounds { low, high } = super::behind(routers, way, ceiling);
            (low, high)
        };
        assert_eq!(behind(80, 0, Some(999)), (80, 999));
        assert_eq!(behind(80, 0, Some(50)), (50, 50));
        assert_eq!(behind(80, 8, Some(999)), (100, 125));
        assert_eq!(behind(200, 8, Some(999)), (200, 200));
    }

    /// An answer that came late: no slice contains more than the shortest one.
    #[test]
    fn no_estimate_exceeds_what_a_request_took() {
        assert_eq!(
            bounds(measured(1, 5_968, 5_968, None), Some(1_300)),
            (1_300, 1_300)
        );
    }

    #[test]
    fn a_slice_contains_no_more_than_its_length() {
        let way = |low, high| Bounds { low, high };
        let mut ways = Ways {
            server: way(10, 30),
            client: way(0, 5),
        };
        assert_eq!(ways.within(Phase::Client, 4), Some(way(0, 4)));
        assert_eq!(ways.within(Phase::Server, 20), Some(way(10, 20)));
        assert_eq!(ways.within(Phase::Server, 20), Some(way(0, 10)), "its rest");
        assert_eq!(ways.within(Phase::Response, 20), None);
    }

    /// The way as it is at this version.
    struct Known(Distance, u64);

    impl Evidence for Known {
        fn of(&self, _: &Endpoint, _: &mut Option<TablePlace>) -> &Distance {
            &self.0
        }

        fn between(&self, _: &Endpoint, _: &Endpoint) -> Option<[i64; 2]> {
            None
        }

        fn version(&self) -> u64 {
            self.1
        }
    }

    /// A response ended at 1,000; its data was acknowledged at 1,900, over a way of 100 whose queue
    /// was full; the next request began at 2,500. So 900 of the gap are the way's, and the queue may
    /// have held the last of it a little longer.
    #[test]
    fn what_a_queue_holds_is_on_its_way_until_it_is_acknowledged() {
        let at = Timestamp::from_nanos;
        let heard = |ns| Distance {
            heard: Some(at(ns)),
            ..measured(8, 100, 110, Some(120))
        };
        let mut nearest = Nearest {
            before: Some(at(1_000)),
            ..Nearest::default()
        };
        nearest.began(Endpoint::default(), &Known(heard(1_900), 1));
        assert_eq!(nearest.underway(at(2_500)), Some(900));
        // What the client acknowledged later is not heard before: it was another response.
        nearest.began(Endpoint::default(), &Known(heard(1_950), 1));
        assert_eq!(nearest.underway(at(2_500)), Some(900), "the same version");
        nearest.began(Endpoint::default(), &Known(heard(2_600), 2));
        assert_eq!(nearest.underway(at(2_500)), None);
        nearest.began(Endpoint::default(), &Known(heard(900), 3));
        assert_eq!(nearest.underway(at(2_500)), None, "before it ended");
    }
}

//! The way between the capture point and a station, which lies within the slices of that station:
//! what each slice contains of it at least and at most.
//!
//! At least: what the station's transport needs to answer by itself, as the [`Evidence`] has it, and
//! what frames that follow each other evenly show of the line. At most: the shortest turnaround of a
//! server, or the shortest gap before a client's next request, that was seen so far with frames as long.
//! Every request pays the way, so none of them is shorter than it.
//!
//! Where a capture is made at several places, or beside many clients, a server is not as far for each of them. What
//! is known of one end with another counts for these two alone as soon as the ways differ: by the evidence,
//! or by what [`Paces`] says of turnarounds.

mod client;
mod reading;
mod server;
mod shared;
mod varying;

use super::ceiling::{BOTH_SHORTEST, Ceiling, Took};
use super::{Bounds, Phase};
use crate::Extent;
use crate::lateness::Lateness;
use crate::table::TablePlace;
pub(super) use client::{Nearest, Paces, PairWays};
pub(super) use server::ServerWay;
pub(super) use varying::OwedWay;
pub(crate) use varying::{Variation, WholeAnswers};
use wirewait_wire::{Endpoint, Timestamp};

/// Acknowledgements that may go ahead of two messages, one each way: bytes of those of NetBIOS over IPX.
const AHEAD: u64 = 160;
/// Samples that show how a way varies.
pub(crate) const STEADY: u64 = 8;

/// As many samples show how far from their mean they are.
const MANY: u64 = 16;
/// The capture was made at a station that answers in this part of the time that the other takes.
const NEARER: i64 = 4;
/// A station may be as late as this with an answer, ns: its processor has other work.
const LATE_NS: u64 = 100_000;
/// A way varies by this part of it at least, whatever they show.
const LEAST: u64 = 16;

/// Who measures the ways.
pub(crate) trait Evidence {
    /// How far the station of this end is from where frames between it and the other end are captured, as far as
    /// that is known. `at`: where that was found last.
    fn of(&self, end: &Endpoint, other: &Endpoint, at: &mut DistanceAt) -> &Distance;

    /// What the station of the first of these shows of its way to the second by what it answered others; `None` where
    /// it answered this one as well.
    fn of_others(&self, ends: [&Endpoint; 2], at: &DistanceAt) -> Option<Distance>;

    /// The times in which the first of these acknowledged data of the other by what it was the reason for: the
    /// next request, or the response. `at`: where that was found last.
    fn rode(&self, ends: [&Endpoint; 2], at: &mut Option<TablePlace>) -> Ceiling;

    /// The times in which the first of these acknowledged data of the other by itself. Used only if nothing else is known of
    /// its way and they show that it does not vary. It may have kept each waiting, so they bound the way from above alone.
    fn alone(&self, ends: [&Endpoint; 2], at: &mut Option<TablePlace>) -> Ceiling;

    /// How long messages of the first of these wait for the other to acknowledge what was before them, ns; 0 where they do not.
    fn waits(&self, ends: [&Endpoint; 2], at: &mut Option<TablePlace>) -> u64;

    /// The way through routers between these two that lies at least within the time of the first
    /// and of the second, ns; `None` where none was seen on both sides of a router.
    fn between(&self, one: &Endpoint, other: &Endpoint) -> Option<[i64; 2]>;

    /// The way of two packets alone: the one sent to the first of these, seen at the first time on the side that
    /// is followed, and the one that came back at the second.
    fn passed(&self, ends: [&Endpoint; 2], there_back: [Timestamp; 2]) -> Option<i64>;

    /// Another number whenever [`Evidence::of`] may say something else.
    fn version(&self) -> u64;

    /// Another number whenever it may say something else of how much longer frames take.
    fn news(&self) -> u64;
}

/// Where the distance of a station was found, and that of its way to some other end.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DistanceAt {
    pub(crate) station: Option<TablePlace>,
    pub(crate) way: Option<TablePlace>,
}

/// Evidence of how far a station is, ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Distance {
    pub(crate) reach: Reach,
    /// When it last acknowledged data that it may not keep waiting.
    pub(crate) heard: Option<DataThere>,
    /// When it last acknowledged a single segment as evenly as a line lets those through, perhaps later than at once.
    pub(crate) even: Option<DataThere>,
    pub(crate) line: LineEvidence,
    /// The ways to this station differ by the other end, or may: it is not known of this one.
    pub(crate) apart: bool,
}

/// Data that a station may not keep waiting for its acknowledgement was there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct DataThere {
    /// When the acknowledgement came.
    pub(crate) at: Timestamp,
    /// The frame in which the last of the data was sent.
    pub(crate) frame: u64,
    /// Bytes that had been sent behind it.
    pub(crate) left: u32,
    /// As long as 1,024 bytes take on the line, ns, where acknowledgements before this one came evenly; else 0.
    pub(crate) pace: u32,
    /// It may have been kept waiting until then.
    pub(crate) late: bool,
}

impl DataThere {
    /// How much had been sent behind it is not known.
    pub(crate) const UNKNOWN_LEFT: u32 = u32::MAX;
    /// No more than one frame.
    pub(crate) const ONE_FRAME: u32 = 1514;
}

/// How far a station is by the answers that its transport gave by itself, ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reach {
    /// How many there were.
    pub(crate) samples: u64,
    /// The shortest of them lately.
    pub(crate) shortest: i64,
    /// All of them together.
    pub(crate) total: i64,
    /// The shortest answer of somebody on its link, who may have answered for it; 0 where there was none.
    /// It does not say how long the way is at most.
    pub(crate) link: i64,
    /// The shortest answer that the station gave to others, where it gave none to this end; or 0. That does not say
    /// how long the way is at most, either.
    pub(crate) others: i64,
    /// How much they differ.
    pub(crate) variation: Variation,
}

/// What says how much longer frames take on the way to a station.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LineEvidence {
    /// Bytes on the line in the shortest answer, there and back.
    pub(crate) bytes: u64,
    /// The answer with the shortest time for a byte.
    pub(crate) longer: Took,
    /// As long as 1,024 bytes took where acknowledgements came evenly last, ns; 0 where they never did.
    pub(crate) pace: u32,
}

impl LineEvidence {
    /// A transport answered by itself, as fast as ever if that is so. Says whether that is news.
    #[cold]
    pub(crate) fn measured(&mut self, took: Took, shortest: bool) -> bool {
        let nearer = shortest && self.bytes != took.bytes;
        if nearer {
            self.bytes = took.bytes;
        }
        let denser = took.is_denser(&self.longer);
        if denser {
            self.longer = took;
        }
        nearer || denser
    }
}

/// What nothing shorter was seen than.
#[derive(Clone, Copy, Debug)]
struct Most {
    /// Of any length.
    least: u64,
    /// Of this one.
    here: u64,
}

impl Most {
    fn of(ceiling: &Ceiling, bytes: u64) -> Self {
        Self {
            least: ceiling.least(),
            here: ceiling.at(bytes),
        }
    }

    fn and(self, other: Self) -> Self {
        Self {
            least: self.least.min(other.least),
            here: self.here.min(other.here),
        }
    }
}

/// What the length of the frames adds to a way.
#[derive(Clone, Copy, Debug)]
struct Longer {
    most: Most,
    /// At most as much more than the shortest answer took,
    more: u64,
    /// and at least.
    proved: u64,
    /// Bytes on the line in the shortest answer, there and back.
    bytes: u64,
}

impl Default for Longer {
    fn default() -> Self {
        Self {
            most: Most {
                least: u64::MAX,
                here: u64::MAX,
            },
            more: 0,
            proved: 0,
            bytes: 0,
        }
    }
}

impl Distance {
    /// Without any evidence.
    pub(crate) const UNKNOWN: Self = Self {
        reach: Reach {
            samples: 0,
            shortest: 0,
            total: 0,
            link: 0,
            others: 0,
            variation: Variation::UNKNOWN,
        },
        heard: None,
        even: None,
        line: LineEvidence {
            bytes: 0,
            longer: Took::NONE,
            pace: 0,
        },
        apart: false,
    };

    /// That for an end that had no answers: it may be farther than those who had, on another line.
    pub(crate) fn of_others(&self) -> Self {
        let line = LineEvidence {
            bytes: self.line.bytes,
            ..LineEvidence::default()
        };
        Self {
            reach: Reach {
                others: self.reach.shortest,
                ..Reach::default()
            },
            line,
            apart: true,
            ..Self::UNKNOWN
        }
    }

    /// The latest data that was there, by any acknowledgement that shows it.
    #[cold]
    fn latest(&self) -> Option<DataThere> {
        let at = |there: &Option<DataThere>| there.map(|there| there.at);
        match at(&self.even) > at(&self.heard) {
            true => self.even,
            false => self.heard,
        }
    }

    /// The shortest answer, or what it would be at least.
    fn nearest(&self) -> Took {
        Took {
            ns: ns(self.reach.shortest.max(self.reach.others)),
            bytes: self.line.bytes.max(BOTH_SHORTEST),
        }
    }

    /// The way to this station and back for frames with `more` bytes than the shortest, where nothing of it took less
    /// than `least`, ns.
    #[cold]
    pub(super) fn way(&self, least: u64, more: u64) -> Bounds {
        let most = Most {
            least,
            here: u64::MAX,
        };
        let more = match self.reach.samples {
            0 => 0,
            _ => self.longer(more),
        };
        let way = self.reach.bounds(&Longer {
            most,
            more,
            proved: 0,
            bytes: self.line.bytes,
        });
        Bounds {
            low: way.low,
            // Without evidence, what took least is all that is known.
            high: match self.reach.samples {
                0 => least,
                _ => way.high,
            },
        }
    }

    /// How much longer than the shortest answer frames of `more` bytes beside it take at most.
    fn longer(&self, more: u64) -> u64 {
        let nearest = self.nearest();
        let Bounds { high, .. } = self.reach.bounds(&Longer::default());
        let longer = self.line.longer.longer(more, &nearest);
        longer.min(nearest.stretched(high, more))
    }
}

impl Reach {
    /// The capture was made at this station, and not at the other one, as far as both show.
    pub(super) fn is_here(&self, other: &Self) -> bool {
        let known = self.samples > 0 && other.samples > 0;
        known && self.shortest.saturating_mul(NEARER) <= other.shortest
    }

    /// Of all samples, of which there are some.
    fn mean(&self) -> u64 {
        ns(self.total) / self.samples
    }

    /// By how much a way varies of which `shortest` is the shortest.
    fn spread(&self, shortest: u64) -> u64 {
        // Few samples do not show it. Many do: by as much more than their mean as that is more than the shortest, at
        // most a quarter. A mean below the shortest is of another way than this one.
        match self.samples {
            MANY.. if self.mean() >= shortest => {
                (2 * (self.mean() - shortest)).clamp(shortest / LEAST, shortest / 4)
            }
            STEADY.. => shortest / 4,
            _ => shortest,
        }
    }

    /// What a slice of this station contains of the way.
    #[inline]
    fn bounds(&self, longer: &Longer) -> Bounds {
        let Longer {
            most, more, proved, ..
        } = *longer;
        if self.samples == 0 {
            let others = match ns(self.others) {
                // It is nearer than they are.
                others if others > most.least => 0,
                others => others,
            };
            let low = ns(self.link).min(most.least).max(others);
            let high = most.here.min(most.least.saturating_add(more));
            return Bounds {
                low: low.saturating_add(proved).min(high),
                high,
            };
        }
        // No estimate exceeds what a request took. An answer that took far longer than that was late itself, or the way has
        // become shorter: it shows nothing.
        let shortest = ns(self.shortest).min(most.least);
        // That of short frames took as much less at most as they are shorter.
        let bytes = longer.bytes.max(BOTH_SHORTEST);
        let least = ns(self.shortest).saturating_mul(BOTH_SHORTEST) / bytes;
        let late = least > shortest.saturating_mul(2).saturating_add(LATE_NS);
        let (mean, spread) = (self.mean(), self.spread(shortest));
        let high = mean.max(shortest.saturating_add(spread)).min(most.least);
        let low = if late { 0 } else { shortest };
        let low = low.saturating_add(proved);
        let high = high.saturating_add(more).max(low).min(most.here);
        Bounds {
            low: low.min(high),
            high,
        }
    }
}

/// All of it is in one frame.
fn is_single(extent: Option<Extent>) -> bool {
    extent.is_some_and(|extent| extent.first == extent.last)
}

/// What is left of the way to the server, within its slice, and of that to the client, within the
/// gap before the request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Ways {
    pub(super) server: Bounds,
    pub(super) client: Bounds,
    /// What a first frame of the response takes on the line at least, beside the shortest, ns.
    line: u64,
    /// What all frames of the request take there at most, where nothing shows when they had come, ns.
    asked: u64,
}

impl Ways {
    /// The gap before the request may contain so much of the network. Says whether that is more
    /// than was known.
    pub(super) fn client_up_to(&mut self, ns: u64) -> bool {
        up_to(&mut self.client, ns)
    }

    /// The gap before the request may contain so much of the network beside the ways. Says whether that is anything.
    pub(super) fn client_longer(&mut self, ns: u64) -> bool {
        self.client.high = self.client.high.saturating_add(ns);
        ns > 0
    }

    /// The turnaround contains so much that is the network's or the server's, ns. Gives it back.
    #[cold]
    pub(super) fn server_longer(&mut self, ns: i64) -> u64 {
        let ns = self::ns(ns);
        self.server.high = self.server.high.saturating_add(ns);
        ns
    }

    /// The turnaround may.
    pub(super) fn server_up_to(&mut self, ns: u64) -> bool {
        up_to(&mut self.server, ns)
    }

    /// The first frames of request and response were so much longer than others on their way, and what went there before may
    /// have been as long. What is known of a way that `varies` contains what it is longer at times; of another one that is
    /// the shortest.
    #[cold]
    #[inline(never)]
    pub(super) fn late(&mut self, [request, response]: [Lateness; 2], varies: [bool; 2]) {
        let [server, client] = varies;
        for (way, late, varies) in [
            (&mut self.client, request, client),
            (&mut self.server, response, server),
        ] {
            let [least, most] = [late.least_us, late.most_us].map(|us| u64::from(us) * 1_000);
            way.high = match varies {
                true => way.high.max(way.low.saturating_add(2 * most)),
                false => way.high.saturating_add(2 * most),
            };
            way.low = way.low.max(least);
        }
    }

    /// The request had been on its way for this long when its slice began. Behind a response of the same
    /// server it had been there all the time since that was sent, but for what is left of the way; behind
    /// anything else its own response may have all of the way still before it.
    pub(super) fn travelled(&mut self, ns: i64, behind: bool) {
        let travelled = self::ns(ns);
        self.server.low = self.server.low.saturating_sub(travelled);
        if behind {
            // It comes no sooner behind the response before than the line lets it, and the request behind the one before.
            let line = self.line.saturating_add(self.line / 8);
            let line = line.min(self.server.high).max(self.asked);
            self.server.high = self.server.high.saturating_sub(travelled).max(line);
        }
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

/// A way through routers that take this long at least, and in this case as long as `passed` says, of which `way` is
/// known besides; no slice shorter than `shortest` was seen.
#[cold]
fn behind((routers, passed): (i64, Option<i64>), way: Bounds, shortest: u64) -> Bounds {
    let least = ns(routers).min(shortest);
    let passed = passed.map_or(0, ns);
    // What is beside the routers takes no longer than in all other cases.
    let more = passed.saturating_sub(ns(routers));
    Bounds {
        low: way.low.max(least).max(passed),
        high: way.high.max(least).saturating_add(more).max(passed),
    }
}

fn up_to(way: &mut Bounds, ns: u64) -> bool {
    let more = ns > way.high;
    way.high = way.high.max(ns);
    more
}

fn ns(ns: i64) -> u64 {
    u64::try_from(ns).unwrap_or(0)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(super) fn measured(samples: u64, shortest: i64, mean: i64) -> Distance {
        Distance {
            reach: Reach {
                samples,
                shortest,
                total: mean * samples as i64,
                ..Reach::default()
            },
            ..Distance::default()
        }
    }

    /// What is known of all ways at this version, and how long a station took to acknowledge a frame with the next that it
    /// sent.
    pub(in crate::account) struct Known {
        pub(super) way: Distance,
        pub(super) rode: Ceiling,
        pub(super) version: u64,
    }

    impl Known {
        /// Nothing of the ways, and those times.
        pub(in crate::account) const fn acknowledged_in(rode: Ceiling) -> Self {
            Self {
                way: Distance::UNKNOWN,
                rode,
                version: 0,
            }
        }
    }

    impl Evidence for Known {
        fn of(&self, _: &Endpoint, _: &Endpoint, _: &mut DistanceAt) -> &Distance {
            &self.way
        }

        fn of_others(&self, _: [&Endpoint; 2], _: &DistanceAt) -> Option<Distance> {
            None
        }

        fn rode(&self, _: [&Endpoint; 2], _: &mut Option<TablePlace>) -> Ceiling {
            self.rode
        }

        fn alone(&self, _: [&Endpoint; 2], _: &mut Option<TablePlace>) -> Ceiling {
            Ceiling::NONE
        }

        fn waits(&self, _: [&Endpoint; 2], _: &mut Option<TablePlace>) -> u64 {
            0
        }

        fn between(&self, _: &Endpoint, _: &Endpoint) -> Option<[i64; 2]> {
            None
        }

        fn passed(&self, _: [&Endpoint; 2], _: [Timestamp; 2]) -> Option<i64> {
            None
        }

        fn version(&self) -> u64 {
            self.version
        }

        fn news(&self) -> u64 {
            self.version
        }
    }

    /// Nothing took less than this.
    fn no_less(ns: u64) -> Longer {
        Longer {
            most: Most {
                least: ns,
                here: ns,
            },
            ..Longer::default()
        }
    }

    fn bounds(distance: Distance, most: u64) -> (u64, u64) {
        let Bounds { low, high } = distance.reach.bounds(&no_less(most));
        (low, high)
    }

    #[test]
    fn without_evidence_the_shortest_slice_bounds_the_way() {
        assert_eq!(bounds(Distance::default(), u64::MAX), (0, u64::MAX));
        assert_eq!(bounds(Distance::default(), 700), (0, 700));
    }

    /// Somebody answered for the station after 100 ns: no less, and no more than the shortest slice.
    #[test]
    fn what_answers_for_a_station_bounds_the_way_from_below() {
        let mut distance = Distance::default();
        distance.reach.link = 100;
        assert_eq!(bounds(distance, u64::MAX), (100, u64::MAX));
        assert_eq!(bounds(distance, 700), (100, 700));
        assert_eq!(bounds(distance, 80), (80, 80), "a slice of 80 was seen");
        let mut better = measured(8, 60, 60);
        better.reach.link = 100;
        assert_eq!(
            bounds(better, u64::MAX),
            bounds(measured(8, 60, 60), u64::MAX)
        );
    }

    /// A station answered others after 100 ns. Its way to an end that it did not answer takes as long, and may take as long
    /// as the shortest slice. If that took less, this end is nearer, and nothing says how near.
    #[test]
    fn answers_to_others_bound_the_way_from_below() {
        let distance = measured(8, 100, 110).of_others();
        assert!(distance.apart);
        assert_eq!(bounds(distance, u64::MAX), (100, u64::MAX));
        assert_eq!(bounds(distance, 5_000), (100, 5_000));
        assert_eq!(bounds(distance, 100), (100, 100));
        assert_eq!(bounds(distance, 99), (0, 99));
    }

    /// 100 ns were measured once: at most twice that, and no more than 150 where a slice of 150
    /// was seen; eight samples of 110 on average leave 25.
    #[test]
    fn evidence_bounds_the_way_from_both_sides() {
        assert_eq!(bounds(measured(1, 100, 100), u64::MAX), (100, 200));
        assert_eq!(bounds(measured(1, 100, 100), 150), (100, 150));
        assert_eq!(bounds(measured(8, 100, 110), 999), (100, 125));
        assert_eq!(bounds(measured(8, 100, 190), 999), (100, 190));
    }

    /// Sixteen of 110 on average leave twice the 10, of 101 a sixteenth; of 140 the mean; and of 90, which are of
    /// another way, the quarter of eight.
    #[test]
    fn many_samples_show_how_much_a_way_varies() {
        assert_eq!(bounds(measured(15, 100, 101), 999), (100, 125));
        assert_eq!(bounds(measured(16, 100, 110), 999), (100, 120));
        assert_eq!(bounds(measured(16, 100, 101), 999), (100, 106));
        assert_eq!(bounds(measured(16, 100, 113), 999), (100, 125));
        assert_eq!(bounds(measured(16, 100, 140), 999), (100, 140));
        assert_eq!(bounds(measured(16, 100, 90), 999), (100, 125));
    }

    /// Routers that were seen on both sides are a least, beside what a transport shows.
    #[test]
    fn routers_on_the_way_are_part_of_it() {
        let behind = |routers, samples, most| {
            let way = measured(samples, 100, 110).reach.bounds(&no_less(most));
            let Bounds { low, high } = super::behind((routers, None), way, most);
            (low, high)
        };
        let passed = |passed, samples, most| {
            let way = measured(samples, 100, 110).reach.bounds(&no_less(most));
            let Bounds { low, high } = super::behind((80, Some(passed)), way, most);
            (low, high)
        };
        assert_eq!(behind(80, 0, 999), (80, 999));
        assert_eq!(behind(80, 0, 50), (50, 50));
        assert_eq!(behind(80, 8, 999), (100, 125));
        assert_eq!(behind(200, 8, 999), (200, 200));
        // This time it was 80, 90 or 300.
        assert_eq!(passed(80, 0, 999), (80, 999));
        assert_eq!(passed(80, 8, 999), (100, 125));
        assert_eq!(passed(90, 8, 999), (100, 135));
        assert_eq!(passed(300, 8, 999), (300, 345));
        assert_eq!(passed(300, 0, 150), (300, 370));
    }

    /// An answer that came late, or before the way became shorter: no slice contains more than the shortest one, and
    /// nothing says that it has all of that. One may take twice as long, and 100 us.
    #[test]
    fn no_estimate_exceeds_what_a_request_took() {
        let late = |us: i64| bounds(measured(1, us * 1_000, us * 1_000), 1_300_000);
        assert_eq!(late(5_968), (0, 1_300_000));
        assert_eq!(late(2_701), (0, 1_300_000));
        assert_eq!(late(2_700), (1_300_000, 1_300_000));
    }

    #[test]
    fn a_slice_contains_no_more_than_its_length() {
        let way = |low, high| Bounds { low, high };
        let mut ways = Ways {
            server: way(10, 30),
            client: way(0, 5),
            line: 0,
            asked: 0,
        };
        assert_eq!(ways.within(Phase::Client, 4), Some(way(0, 4)));
        assert_eq!(ways.within(Phase::Server, 20), Some(way(10, 20)));
        assert_eq!(ways.within(Phase::Server, 20), Some(way(0, 10)), "its rest");
        assert_eq!(ways.within(Phase::Response, 20), None);
    }
}

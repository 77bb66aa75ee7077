//! The receive windows that stations advertise.

use crate::Mark;
use crate::flow::FULL;
use wirewait_wire::{Scaling, Stream, Timestamp};

/// What one side of a conversation can take at once, as it said in some of its segments. Those
/// that open a connection or end it at once are left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Windows {
    /// How often it said so.
    pub times: u64,
    /// The smallest, bytes; 0 where nothing was said.
    pub smallest: u64,
    /// The largest.
    pub largest: u64,
    /// The sum of all.
    pub total: u64,
    /// How often it could take nothing.
    pub closed: u64,
    /// Of how many it is not known how they are scaled, because the capture does not have the
    /// opening of the connection: the true ones are these or larger.
    pub unscaled: u64,
}

impl Windows {
    /// Counts an advertised window of `bytes`, or more where the scale is not known.
    pub fn add(&mut self, bytes: u64, scaled: bool) {
        self.smallest = match self.times {
            0 => bytes,
            _ => self.smallest.min(bytes),
        };
        self.largest = self.largest.max(bytes);
        self.times = self.times.saturating_add(1);
        self.total = self.total.saturating_add(bytes);
        self.closed = self.closed.saturating_add(u64::from(bytes == 0));
        let unscaled = u64::from(!scaled && bytes > 0);
        self.unscaled = self.unscaled.saturating_add(unscaled);
    }

    /// Adds all of another one.
    pub fn merge(&mut self, other: &Self) {
        let Self {
            times,
            smallest,
            largest,
            total,
            closed,
            unscaled,
        } = *other;
        self.smallest = match (self.times, times) {
            (0, _) => smallest,
            (_, 0) => self.smallest,
            _ => self.smallest.min(smallest),
        };
        self.largest = self.largest.max(largest);
        self.times = self.times.saturating_add(times);
        self.total = self.total.saturating_add(total);
        self.closed = self.closed.saturating_add(closed);
        self.unscaled = self.unscaled.saturating_add(unscaled);
    }

    /// On average, rounded down; `None` where nothing was said.
    #[must_use]
    pub fn mean(&self) -> Option<u64> {
        self.total.checked_div(self.times)
    }
}

/// How the two sides of a byte stream scale their windows, and what was not told of them yet.
///
/// All that a side said in a second is told together when its next second begins, or its
/// connection ends; but a window that is smaller or larger than any before is told at once.
#[derive(Default)]
pub(crate) struct Offers {
    /// What the segments that opened the stream said.
    scaling: [Scaling; 2],
    /// How far the windows of each side are shifted, if that is known.
    shift: [Option<u8>; 2],
    untold: [Untold; 2],
    /// Who asked for the connection, and when, until it goes on; without a time if it had to ask again.
    asked: Option<(usize, Option<Timestamp>)>,
    /// How long it took from there until it went on: both ways, ns.
    round_trip_ns: Option<i64>,
}

#[derive(Default)]
struct Untold {
    windows: Windows,
    last: Option<Mark>,
    /// The latest of them, bytes.
    latest: u64,
    /// When the second ends in which they were said.
    until: Timestamp,
    /// The extremes so far, whether told or not.
    extremes: Option<(u64, u64)>,
}

impl Offers {
    /// `side` sent this. What is to be told of what it said.
    pub(crate) fn segment(
        &mut self,
        side: usize,
        segment: &Stream,
        mark: Mark,
    ) -> Option<(Windows, Mark)> {
        if segment.syn {
            self.opens(side, segment, mark);
            return None;
        }
        if segment.rst || segment.ack.is_none() {
            return None;
        }
        let shift = self.shift[side];
        let bytes = u64::from(segment.window) << shift.unwrap_or(0).min(14);
        let untold = &mut self.untold[side];
        let over = mark.at >= untold.until;
        let told = if over { untold.take() } else { None };
        untold.windows.add(bytes, shift.is_some());
        untold.latest = bytes;
        untold.last = Some(mark);
        if over {
            untold.until = next_second(mark.at);
        }
        let (least, most) = untold.extremes.unwrap_or((u64::MAX, 0));
        if bytes < least || bytes > most || untold.extremes.is_none() {
            if let Some((_, at)) = self.asked.take_if(|(asker, _)| *asker == side) {
                self.round_trip_ns = at.map(|at| mark.at.since(at));
            }
            untold.extremes = Some((least.min(bytes), most.max(bytes)));
            // What was said in an earlier second is told first, and this soon enough.
            return told.or_else(|| untold.take());
        }
        told
    }

    /// Counts a segment with data of which nothing is to be told: it says neither less nor more than others before, in the same
    /// second. False, and nothing is counted, where there is more to it.
    #[inline]
    pub(crate) fn again(&mut self, side: usize, segment: &Stream, mark: Mark) -> bool {
        let shift = self.shift[side];
        let bytes = u64::from(segment.window) << shift.unwrap_or(0).min(14);
        let untold = &mut self.untold[side];
        let known = |(least, most): (u64, u64)| (least..=most).contains(&bytes);
        let wide = u64::from(segment.window) > FULL;
        let usual = wide && mark.at < untold.until && untold.extremes.is_some_and(known);
        if usual {
            untold.windows.add(bytes, shift.is_some());
            untold.latest = bytes;
            untold.last = Some(mark);
        }
        usual
    }

    /// Whether a window of `side` with this number has no room for a full segment of Ethernet, as far as it is known how it
    /// is to be read: who sends waits then until it has (RFC 1122, 4.2.3.4).
    #[cold]
    pub(crate) fn is_narrow(&self, side: usize, window: u16) -> bool {
        let bytes = self.shift[side].map(|shift| u64::from(window) << shift.min(14));
        bytes.is_some_and(|bytes| bytes < FULL)
    }

    /// The window that `side` had when it was heard last, bytes, as far as it is known how it is to be read.
    #[cold]
    pub(crate) fn latest(&self, side: usize) -> Option<u64> {
        self.shift[side].map(|_| self.untold[side].latest)
    }

    /// The largest window that `side` has offered, bytes, and how long a round trip took between both ends, ns; where the opening
    /// of the connection was captured, and nothing of it twice.
    #[cold]
    pub(crate) fn largest(&self, side: usize) -> Option<(u64, i64)> {
        let (_, largest) = self.untold[side].extremes?;
        self.shift[side]?;
        Some((largest, self.round_trip_ns?))
    }

    /// As when it was new.
    pub(crate) fn restart(&mut self) {
        *self = Self::default();
    }

    /// It is over, and may begin anew: what is left to be told of `side`. The segments that
    /// end it come after it, and are scaled as all were.
    #[inline]
    pub(crate) fn over(&mut self, side: usize) -> Option<(Windows, Mark)> {
        let untold = &mut self.untold[side];
        let told = untold.take();
        // Windows that were told already are no longer looked back at.
        (untold.until, untold.extremes) = Default::default();
        told
    }

    fn opens(&mut self, side: usize, segment: &Stream, mark: Mark) {
        if segment.ack.is_none() {
            self.asked = Some((side, Some(mark.at).filter(|_| self.asked.is_none())));
            self.round_trip_ns = None;
            // Whatever the other side said before was of another connection.
            self.scaling[1 - side] = Scaling::Unsaid;
        }
        self.scaling[side] = segment.scaling;
        let [here, there] = [self.scaling[side], self.scaling[1 - side]];
        let by = |scaling| match scaling {
            Scaling::By(shift) => Some(shift),
            _ => None,
        };
        let (mine, other) = match (here, there) {
            (Scaling::Never, _) | (_, Scaling::Never) => (Some(0), Some(0)),
            (Scaling::By(_), Scaling::By(_)) => (by(here), by(there)),
            // Who agrees says it only if it was asked (RFC 7323, 1.3).
            _ if segment.ack.is_some() => (by(here), None),
            _ => (None, None),
        };
        self.shift[side] = mine;
        self.shift[1 - side] = other;
    }
}

impl Untold {
    fn take(&mut self) -> Option<(Windows, Mark)> {
        let last = self.last.take()?;
        Some((std::mem::take(&mut self.windows), last))
    }
}

/// Where the second after the one of this moment begins.
fn next_second(at: Timestamp) -> Timestamp {
    const SECOND_NS: i64 = 1_000_000_000;
    let second = at.as_nanos().div_euclid(SECOND_NS).saturating_add(1);
    Timestamp::from_nanos(second.saturating_mul(SECOND_NS))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(ms: i64) -> Mark {
        Mark {
            frame: ms.unsigned_abs(),
            at: Timestamp::from_nanos(ms * 1_000_000),
        }
    }

    fn syn(ack: bool, scaling: Scaling) -> Stream {
        Stream {
            syn: true,
            ack: ack.then_some(1),
            window: 65535,
            scaling,
            ..Stream::default()
        }
    }

    fn ack(window: u16) -> Stream {
        Stream {
            ack: Some(1),
            window,
            ..Stream::default()
        }
    }

    /// Of the first window of each side after these openings: bytes, and how many unscaled.
    fn first(openings: &[(usize, Stream)]) -> [(u64, u64); 2] {
        let mut offers = Offers::default();
        for (side, segment) in openings {
            assert_eq!(offers.segment(*side, segment, mark(1)), None);
        }
        [0, 1].map(|side| {
            let (windows, _) = offers.segment(side, &ack(100), mark(2)).unwrap();
            assert_eq!(windows.largest, windows.smallest);
            (windows.largest, windows.unscaled)
        })
    }

    #[test]
    fn windows_are_scaled_if_both_sides_said_so() {
        let (by, never) = (Scaling::By, Scaling::Never);
        let both = [(0, syn(false, by(2))), (1, syn(true, by(7)))];
        assert_eq!(first(&both), [(400, 0), (12800, 0)]);
        let refused = [(0, syn(false, by(2))), (1, syn(true, never))];
        assert_eq!(first(&refused), [(100, 0), (100, 0)]);
        assert_eq!(first(&[(0, syn(false, never))]), [(100, 0), (100, 0)]);
        // Whether the other side agreed is not in the capture, or not all of it.
        assert_eq!(first(&[(0, syn(false, by(2)))]), [(100, 1), (100, 1)]);
        let cut = [(0, syn(false, by(2))), (1, syn(true, Scaling::Unsaid))];
        assert_eq!(first(&cut), [(100, 1), (100, 1)]);
        // It agreed, so it was asked; by how much is not known.
        assert_eq!(first(&[(1, syn(true, by(3)))]), [(100, 1), (800, 0)]);
        assert_eq!(first(&[]), [(100, 1), (100, 1)]);
        let again = [
            (0, syn(false, by(2))),
            (1, syn(true, by(7))),
            (0, syn(false, by(1))),
        ];
        assert_eq!(first(&again), [(100, 1), (100, 1)], "another connection");
    }

    #[test]
    fn the_opening_shows_a_round_trip_and_what_is_offered_later_the_largest_window() {
        let by = Scaling::By(0);
        let largest = |asked: &[i64]| {
            let mut offers = Offers::default();
            for ms in asked {
                offers.segment(0, &syn(false, by), mark(*ms));
            }
            offers.segment(1, &syn(true, by), mark(31));
            offers.segment(1, &ack(900), mark(35));
            offers.segment(0, &ack(500), mark(40));
            offers.segment(0, &ack(700), mark(60));
            offers.segment(0, &ack(600), mark(90));
            offers.largest(0)
        };
        assert_eq!(largest(&[1]), Some((700, 39_000_000)));
        assert_eq!(largest(&[1, 20]), None, "asked twice");
        assert_eq!(largest(&[]), None);
    }

    /// 5000, 6000, 5500 twice, then in the next second 5500, 0 and 5500.
    #[test]
    fn extremes_are_told_at_once_and_the_rest_by_the_second() {
        let mut offers = Offers::default();
        let mut sum = Windows::default();
        let mut told = Vec::new();
        for (ms, window) in [
            (100, 5000),
            (200, 6000),
            (300, 5500),
            (900, 5500),
            (1000, 5500),
            (1100, 0),
            (1200, 5500),
        ] {
            if let Some((windows, mark)) = offers.segment(0, &ack(window), mark(ms)) {
                told.push((ms, mark.frame, windows.times));
                sum.merge(&windows);
            }
        }
        assert_eq!(
            told,
            [
                (100, 100, 1),
                (200, 200, 1),
                (1000, 900, 2),
                (1100, 1100, 2)
            ]
        );
        let [left, none] = [0, 1].map(|side| offers.over(side));
        let (windows, mark) = left.unwrap();
        assert_eq!((mark.frame, windows.times, none), (1200, 1, None));
        sum.merge(&windows);
        let expected = Windows {
            times: 7,
            smallest: 0,
            largest: 6000,
            total: 33_000,
            closed: 1,
            unscaled: 6,
        };
        assert_eq!((sum, sum.mean()), (expected, Some(4714)));
        assert_eq!(Windows::default().mean(), None);
        let mut none = Windows::default();
        none.merge(&sum);
        none.merge(&Windows::default());
        assert_eq!(none, sum);
    }

    #[test]
    fn what_says_nothing_of_a_window_is_left_out() {
        let mut offers = Offers::default();
        let reset = Stream {
            rst: true,
            ..ack(0)
        };
        assert_eq!(offers.segment(0, &reset, mark(1)), None);
        assert_eq!(offers.segment(0, &Stream::default(), mark(2)), None);
        assert_eq!([0, 1].map(|side| offers.over(side)), [None, None]);
    }
}

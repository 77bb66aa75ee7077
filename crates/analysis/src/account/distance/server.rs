//! What is remembered of a server.

use super::super::ceiling::{BOTH_SHORTEST, Ceiling, FrameSpacing, Took, most_on_line, on_line};
use super::shared::SharedLine;
use super::{AHEAD, Distance, Longer, Most, is_single};
use crate::Transaction;
use crate::flow::FULL;
use crate::table::TablePlace;

/// What is remembered of a server to bound its distance.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::account) struct ServerWay {
    /// Its turnarounds.
    pub(super) ceiling: Ceiling,
    /// The one that is longer than the way of the shortest frames by the least for a byte more than those.
    flattest: Took,
    /// The shortest of those with few bytes.
    short: Took,
    /// Its responses in several frames.
    spacing: FrameSpacing,
    /// Its responses to all clients, one behind the other.
    shared: SharedLine,
    /// Another number whenever one of these may say something else.
    pub(super) news: u64,
}

/// Fewer bytes on the line, there and back, are no data.
const FEW: u64 = 384;
/// The line is not slow where a turnaround takes this many times as long as the rest of the response.
pub(super) const SHORT: u64 = 16;

impl ServerWay {
    /// The shortest turnaround, ns.
    #[cold]
    pub(in crate::account) fn shortest(&self) -> u64 {
        self.ceiling.least()
    }

    /// A request of a server that is so far away took so long.
    pub(super) fn took(&mut self, t: &Transaction, turnaround: u64, distance: &Distance) {
        // Of what had several frames only the last is sure to be within the turnaround.
        let request = if is_single(t.request) {
            t.request_bytes
        } else {
            0
        };
        let mut news = self
            .ceiling
            .took(request + t.response_head_bytes, turnaround);
        if distance.reach.samples > 0 || distance.apart {
            let bytes = on_line(request) + on_line(t.response_head_bytes);
            let took = Took {
                ns: turnaround,
                bytes,
            };
            let way = &distance.nearest();
            if took.longer(1 << 10, way) < self.flattest.longer(1 << 10, way) {
                (self.flattest, news) = (took, true);
            }
            if bytes < FEW && turnaround < self.short.ns {
                (self.short, news) = (took, true);
            }
        }
        self.news += u64::from(news);
    }

    /// How long this request of the client may have waited on a slow line for responses to others, ns.
    #[inline]
    pub(super) fn waited_for_others(&mut self, t: &Transaction, client: TablePlace) -> u64 {
        let spacing = &self.spacing;
        match spacing.is_known() && self.shared.is_shared(client) {
            true => self
                .shared
                .answered(t, client, |bytes| spacing.least(bytes)),
            false => 0,
        }
    }

    /// A response in several frames: how long those behind the first took, and the turnaround; whether no such
    /// response took less, and whether its frames came as fast as the line let them.
    pub(super) fn transferred(
        &mut self,
        t: &Transaction,
        (took, turnaround): (u64, u64),
        (is_less, by_line): (bool, bool),
    ) {
        let bytes = t.response_bytes.saturating_sub(t.response_head_bytes);
        if is_less {
            self.spacing.took(bytes, took);
            self.news += 1;
        }
        let counts = by_line && took.saturating_mul(SHORT) > turnaround;
        if counts && self.spacing.counts(bytes, took) {
            self.news += 1;
        }
    }

    /// What the lengths of this request and its response add to the way within the turnaround.
    pub(super) fn longer(
        &self,
        t: &Transaction,
        distance: &Distance,
        [rode, alone]: [&Ceiling; 2],
    ) -> Longer {
        // Data in several frames is acknowledged as it comes, if it is at all.
        let known = distance.heard.is_some() && !is_single(t.request);
        let request = if known { 0 } else { t.request_bytes };
        let bytes = request + t.response_head_bytes;
        // Where messages are acknowledged, this one may have had more ahead of it than those before.
        let unknown = distance.reach.samples == 0 && *rode != Ceiling::NONE;
        let ahead = if unknown { AHEAD } else { 0 };
        let most = Most::of(&self.ceiling, bytes + ahead).and(Most::of(rode, bytes + AHEAD));
        let most = most.and(Most::of(alone, bytes + AHEAD));
        // What is on the line at most besides the shortest frames, with acknowledgements that may go ahead.
        let line = most_on_line(request) + most_on_line(t.response_head_bytes);
        let line = line + AHEAD - BOTH_SHORTEST;
        // The line may be slower in the direction of the requests.
        let spacing = Some(&self.spacing).filter(|_| request <= t.response_head_bytes);
        let spacing = spacing.and_then(|spacing| spacing.most(line));
        let spacing = spacing.unwrap_or(u64::MAX);
        let here = most.here.min(most.least.saturating_add(spacing));
        let flattest = self.flattest.longer(line, &distance.nearest());
        // The server itself takes no less for long frames than it did for short ones.
        let growth = self.growth(line, here);
        let more = spacing.min(flattest).min(growth);
        Longer {
            most: Most { here, ..most },
            more: more.min(distance.longer(line)),
            bytes: distance.line.bytes,
            // A longer one was put together from several, or will be cut into several, by the station that captured it: that
            // was there with the first of them, or before.
            proved: self
                .spacing
                .least(on_line(t.response_head_bytes.min(FULL)) - BOTH_SHORTEST / 2),
        }
    }

    /// How much longer `bytes` take at most than few of them, where they take no more than `most`.
    fn growth(&self, bytes: u64, most: u64) -> u64 {
        if bytes < 2 * FEW || self.short == Took::NONE {
            return u64::MAX;
        }
        let growth = most.saturating_sub(self.short.ns);
        let growth = growth.saturating_mul(bytes) / bytes.saturating_sub(self.short.bytes).max(1);
        // Acknowledgements may have gone ahead of the short ones.
        growth.saturating_add(growth / 8)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::measured;
    use super::*;
    use crate::account::Bounds;
    use crate::{Extent, Mark, Turnaround};
    use wirewait_wire::Timestamp;

    /// One request after the other, in one frame each: bytes of the request, of the response, and the
    /// turnaround in us.
    fn turnarounds(all: &[(u64, u64, i64)], distance: &Distance) -> Bounds {
        let at = |frame: u64, us: i64| {
            let mark = Mark {
                frame,
                at: Timestamp::from_nanos(us * 1_000),
            };
            Some(Extent {
                first: mark,
                last: mark,
            })
        };
        let mut way = ServerWay::default();
        let mut within = Bounds::default();
        for (n, (request, response, us)) in (1..).zip(all) {
            let t = Transaction {
                request: at(n * 2, 0),
                response: at(n * 2 + 1, *us),
                turnaround: Turnaround::Exact(us * 1_000),
                request_bytes: *request,
                response_bytes: *response,
                response_head_bytes: *response,
                ..Transaction::default()
            };
            way.took(&t, us.unsigned_abs() * 1_000, distance);
            within = distance
                .reach
                .bounds(&way.longer(&t, distance, [&Ceiling::NONE; 2]));
        }
        within
    }

    /// A request of 20 bytes and an answer of 20 took 200 us: on the line at least 120 bytes. A read of 1,024
    /// that takes 8 ms has 40 + 1,030 + 132 bytes at most, which are there within 200 us * 1,202 / 120.
    #[test]
    fn long_frames_may_take_longer_in_proportion() {
        let short = (20, 20, 200);
        let way = |all: &[_]| turnarounds(all, &Distance::UNKNOWN);
        assert_eq!(way(&[short]).high, 200_000);
        assert_eq!(way(&[short, (40, 1_030, 8_000)]).high, 2_003_333);
        assert_eq!(way(&[short, (40, 1_030, 8_000), short]).high, 200_000);
        assert_eq!(way(&[short, (40, 1_030, 600)]).high, 600_000);
        assert_eq!(
            way(&[short, (40, 1_030, 600), (40, 1_030, 8_000)]).high,
            600_000
        );
    }

    /// A transport answers in 200 us. Requests of 20 and of 200 bytes with answers of 20 both take 300 us: what
    /// 171 bytes more on the line take is within the 100 us that are left, at most. So 1,242, with those that
    /// may go ahead, take at most 100 us * 1,242 / 171 more than the 250 us.
    #[test]
    fn what_takes_no_longer_with_more_bytes_shows_a_fast_line() {
        let near = measured(8, 200_000, 200_000);
        let all = [(20, 20, 300), (200, 20, 300), (40, 1_030, 8_000)];
        let Bounds { low, high } = turnarounds(&all, &near);
        assert_eq!((low, high), (200_000, 250_000 + 100_000 * 1_242 / 171));
    }

    /// What is behind the first frame takes 8 ns a byte, each time. A first frame of 1,000 bytes took as long, but for the 60
    /// of the shortest; of one of 65,536 bytes, which offload put together, only one segment did.
    #[test]
    fn a_frame_that_offload_put_together_took_as_long_as_its_first_segment() {
        let proved = |head: u64| {
            let mut way = ServerWay::default();
            let t = Transaction {
                response_bytes: head + 65_536,
                response_head_bytes: head,
                ..Transaction::default()
            };
            for n in 0..8 {
                way.transferred(&t, (8 * 65_536, 2_000_000), (n == 0, true));
            }
            let longer = way.longer(&t, &Distance::UNKNOWN, [&Ceiling::NONE; 2]);
            longer.proved
        };
        assert_eq!(proved(1_000), 8 * (1_031 - 60));
        assert_eq!(proved(65_536), 8 * (1_460 + 31 - 60));
    }
}

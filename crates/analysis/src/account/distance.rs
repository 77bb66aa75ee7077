//! The way between the capture point and a station, which lies within the slices of that station:
//! what each slice contains of it at least and at most.
//!
//! At least: what the station's transport needs to answer by itself, as the [`Evidence`] has it, and
//! what frames that follow each other evenly show of the line. At most: the shortest turnaround of a
//! server, or the shortest gap before a client's next request, that was seen so far with frames as long.
//! Every request pays the way, so none of them is shorter than it.

use super::ceiling::{BOTH_SHORTEST, Ceiling, FrameSpacing, Took, most_on_line, on_line};
use super::{Bounds, Outstanding, Phase};
use crate::case::Case;
use crate::table::TablePlace;
use crate::{Extent, Flags, Transaction};
use wirewait_wire::{Endpoint, Timestamp};

/// Acknowledgements that may go ahead of two messages, one each way: bytes of those of NetBIOS over IPX.
const AHEAD: u64 = 160;
/// Samples that show how a way varies.
pub(crate) const STEADY: u64 = 8;

/// So many samples show how far from their mean they are.
const MANY: u64 = 16;
/// A way varies by this part of it at least, whatever they show.
const LEAST: u64 = 16;

/// Who measures the ways.
pub(crate) trait Evidence {
    /// How far the station of this end is, as far as that is known. `at`: where that was found last.
    fn of(&self, end: &Endpoint, at: &mut Option<TablePlace>) -> &Distance;

    /// The way through routers between these two that lies at least within the time of the first
    /// and of the second, ns; `None` where none was seen on both sides of a router.
    fn between(&self, one: &Endpoint, other: &Endpoint) -> Option<[i64; 2]>;

    /// Another number whenever [`Evidence::of`] may say something else.
    fn version(&self) -> u64;

    /// Another number whenever it may say something else of how much longer frames take.
    fn news(&self) -> u64;
}

/// Evidence of how far a station is, ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Distance {
    pub(crate) reach: Reach,
    /// When it last acknowledged data that it may not keep waiting, and in which frame that was sent.
    pub(crate) heard: Option<(Timestamp, u64)>,
    pub(crate) line: LineEvidence,
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
}

/// What says how much longer frames take on the way to a station.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LineEvidence {
    /// Bytes on the line in the shortest answer, there and back.
    pub(crate) bytes: u64,
    /// The answer with the shortest time for a byte.
    pub(crate) longer: Took,
    /// The times in which data was acknowledged by what it was the reason for: the next
    /// request, or the response.
    pub(crate) ceiling: Ceiling,
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
        },
        heard: None,
        line: LineEvidence {
            bytes: 0,
            longer: Took::NONE,
            ceiling: Ceiling::NONE,
        },
    };

    /// What acknowledgements that came with messages say. Others may have gone ahead of both messages.
    fn most(&self, bytes: u64) -> Most {
        Most::of(&self.line.ceiling, bytes + AHEAD)
    }

    /// The shortest answer.
    fn nearest(&self) -> Took {
        Took {
            ns: ns(self.reach.shortest),
            bytes: self.line.bytes.max(BOTH_SHORTEST),
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
        let Longer { most, more, proved } = *longer;
        if self.samples == 0 {
            let low = ns(self.link).min(most.least).saturating_add(proved);
            return Bounds {
                low: low.min(most.here),
                high: most.here,
            };
        }
        // No estimate exceeds what a request took.
        let shortest = ns(self.shortest).min(most.least);
        let (mean, spread) = (self.mean(), self.spread(shortest));
        let high = mean.max(shortest.saturating_add(spread)).min(most.least);
        let low = shortest.saturating_add(proved);
        let high = high.saturating_add(more).max(low).min(most.here);
        Bounds {
            low: low.min(high),
            high,
        }
    }
}

/// What is remembered of a server to bound its distance.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ServerWay {
    /// Its turnarounds.
    ceiling: Ceiling,
    /// The one that is longer than the way of the shortest frames by the least for a byte more than those.
    flattest: Took,
    /// The shortest of those with few bytes.
    short: Took,
    /// Its responses in several frames.
    spacing: FrameSpacing,
    /// Another number whenever one of these may say something else.
    news: u64,
}

/// The line is not slow where a turnaround takes this many times as long as the rest of the response.
const SHORT: u64 = 16;
/// Fewer bytes on the line, there and back, are no data.
const FEW: u64 = 384;

impl ServerWay {
    /// A request of a server that is so far away took so long.
    fn took(&mut self, t: &Transaction, turnaround: u64, distance: &Distance) {
        // Of what had several frames only the last is sure to be within the turnaround.
        let request = if is_single(t.request) {
            t.request_bytes
        } else {
            0
        };
        let mut news = self
            .ceiling
            .took(request + t.response_head_bytes, turnaround);
        if distance.reach.samples > 0 {
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

    /// A response in several frames: how long those behind the first took, and the turnaround; whether no such
    /// response took less.
    fn transferred(&mut self, t: &Transaction, (took, turnaround): (u64, u64), is_less: bool) {
        let bytes = t.response_bytes.saturating_sub(t.response_head_bytes);
        if is_less {
            self.spacing.took(bytes, took);
            self.news += 1;
        }
        if took.saturating_mul(SHORT) > turnaround && self.spacing.counts(bytes, took) {
            self.news += 1;
        }
    }

    /// What the lengths of this request and its response add to the way within the turnaround.
    fn longer(&self, t: &Transaction, distance: &Distance) -> Longer {
        // Data in several frames is acknowledged as it comes, if it is at all.
        let known = distance.heard.is_some() && !is_single(t.request);
        let request = if known { 0 } else { t.request_bytes };
        let bytes = request + t.response_head_bytes;
        // Where messages are acknowledged, this one may have had more ahead of it than those before.
        let unknown = distance.reach.samples == 0 && distance.line.ceiling != Ceiling::NONE;
        let ahead = if unknown { AHEAD } else { 0 };
        let most = Most::of(&self.ceiling, bytes + ahead).and(distance.most(bytes));
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
            proved: self
                .spacing
                .least(on_line(t.response_head_bytes) - BOTH_SHORTEST / 2),
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

/// All of it is in one frame.
fn is_single(extent: Option<Extent>) -> bool {
    extent.is_some_and(|extent| extent.first == extent.last)
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

/// Bytes of a response, and of those the ones in its first frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sizes {
    bytes: u64,
    head: u64,
}

impl Sizes {
    /// Bytes on the line, and of those the ones in the last frame.
    fn on_line(&self, of: impl Fn(u64) -> u64) -> (u64, u64) {
        let head = self.head.max(1);
        let before = self.bytes.saturating_sub(1) / head;
        let last = of(self.bytes.saturating_sub(before * head));
        (before * of(head) + last, last)
    }
}

/// A request that is over.
#[derive(Clone, Copy, Debug, Default)]
struct Over {
    /// When, and in which frame.
    end: Timestamp,
    frame: u64,
    response: Sizes,
}

/// What was asked and answered, and answered before that: mostly the same again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Lengths {
    request: u64,
    response: Sizes,
    before: Sizes,
}

/// What the lengths of frames add to the ways within the slices of a request.
#[derive(Clone, Copy, Debug, Default)]
struct LongerWays {
    /// Of these lengths, by the evidence of then.
    of: Lengths,
    news: u64,
    /// The shortest turnaround, gap and transfer of these lengths that is known already, ns.
    known: [u64; 3],
    server: Longer,
    client: Longer,
    /// The shortest gap that says something, ns, and the shortest of all.
    gaps: [u64; 2],
}

/// What is remembered of a client to bound its distance.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Nearest {
    /// The latest request that closed, and its conversation.
    latest: Option<(u64, Over)>,
    /// The gaps between a response and the next request of its conversation.
    gaps: Ceiling,
    /// The latest of them, ns.
    gap: u64,
    /// The request before the latest.
    before: Option<Over>,
    /// When the client had last acknowledged data at once, as its latest request began; and what
    /// the evidence was then.
    heard: (Option<(Timestamp, u64)>, u64),
    /// What was found last, and of which state of the evidence and which two.
    found: Option<(u64, [TablePlace; 2], [Reach; 2])>,
    longer: LongerWays,
    /// By both of these.
    ways: Ways,
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

    /// How long of the gap before a request of these bytes that began then the response before it was
    /// still on its way: until its data was acknowledged. A queue on the way makes that longer than the way
    /// is otherwise.
    fn underway(&self, began: Timestamp, request: u64, shortest: u64) -> Option<Bounds> {
        let ((heard, sent), before) = (self.heard.0?, self.before?);
        if before.end >= heard || heard > began {
            return None;
        }
        let low = ns(heard.since(before.end));
        let (bytes, last) = before.response.on_line(on_line);
        if sent >= before.frame {
            // All of it: the request is longer than the acknowledgement.
            let high = low.saturating_add(low.saturating_mul(request) / bytes.max(1));
            return Some(Bounds { low, high });
        }
        // What came last may have come a little later.
        let [_, client] = self.distances();
        let spread = client.spread(ns(client.shortest)).min(low / 4);
        let high = low.saturating_add(spread);
        // The last frame came behind what was acknowledged: on a slow line, as much later as it is long.
        let acknowledged = (bytes - last).max(1);
        let for_last = |ns: u64| ns.saturating_mul(last) / acknowledged;
        let line = low.saturating_sub(shortest);
        Some(Bounds {
            low: low.saturating_add(for_last(line)),
            high: high.saturating_add(for_last(low)),
        })
    }

    /// How long nothing was asked for before a request that began then, ns.
    pub(super) fn pause(&self, began: Timestamp) -> Option<i64> {
        Some(began.since(self.before?.end))
    }

    /// The server and the client of the latest request.
    pub(super) fn distances(&self) -> [Reach; 2] {
        self.found.map_or(Default::default(), |(.., found)| found)
    }

    /// A request closed. The next one of the same conversation that begins after its end was
    /// sent by who had the response.
    #[inline]
    pub(super) fn closed(&mut self, t: &Transaction, done: &Outstanding) {
        self.gap = u64::MAX;
        if let Some((conversation, latest)) = &self.latest
            && *conversation == t.conversation
            && t.copies == 1
        {
            let gap = done.begin.since(latest.end);
            self.gap = u64::try_from(gap).unwrap_or(u64::MAX);
        }
        self.before = self.latest.map(|(_, over)| over);
        let over = Over {
            end: done.end(),
            frame: t.response.map_or(0, |response| response.last.frame),
            response: Sizes {
                bytes: t.response_bytes,
                head: t.response_head_bytes,
            },
        };
        self.latest = Some((t.conversation, over));
    }

    /// The ways within the slices of this request.
    #[inline]
    pub(super) fn ways(
        &mut self,
        (case, began): (Case<'_>, Timestamp),
        pace: &mut ServerWay,
        evidence: &impl Evidence,
    ) -> Ways {
        let two = [case.parties.server, case.parties.client];
        let t = case.transaction;
        let version = evidence.version();
        let (same, mut known) = match &self.found {
            Some((of, places, _)) if *places == two => (true, *of == version),
            _ => (false, false),
        };
        if !known {
            self.found = Some((version, two, self.find(t, two, evidence)));
        }
        let lengths = Lengths {
            request: t.request_bytes,
            response: Sizes {
                bytes: t.response_bytes,
                head: t.response_head_bytes,
            },
            before: self.before.map_or(Sizes::default(), |over| over.response),
        };
        let turnaround = turnaround(t).map_or(u64::MAX, ns);
        let longer = &self.longer;
        let again = same && lengths == longer.of;
        if !again
            || evidence.news() + pace.news != longer.news
            || turnaround < longer.known[0]
            || self.gap < longer.known[1]
        {
            let of = (lengths, two[0]);
            self.take_in(t, of, (turnaround, again), pace, evidence);
            known = false;
        }
        if t.response_bytes > t.response_head_bytes
            && !t.flags.contains(Flags::CLOCK_STEP)
            && let Some(response) = t.response
            && let Some(took) = response.first.until(response.last)
        {
            let took = ns(took);
            let least = &mut self.longer.known[2];
            let is_less = took < *least;
            if is_less {
                *least = took;
            }
            // Else it says nothing of the line.
            if is_less || took.saturating_mul(SHORT) > turnaround {
                pace.transferred(t, (took, turnaround), is_less);
            }
        }
        if !known {
            let [server, client] = self.distances();
            self.ways = Ways {
                server: server.bounds(&self.longer.server),
                client: client.bounds(&self.longer.client),
            };
        }
        let mut ways = self.ways;
        let [gap, shortest] = self.longer.gaps;
        if self.heard.0.is_some()
            && let Some(underway) = self.underway(began, most_on_line(t.request_bytes), shortest)
        {
            ways.client.high = ways.client.high.max(underway.high);
            ways.client.low = ways.client.low.max(underway.low);
        }
        if let Some([to_server, to_client]) = self.routers {
            ways.server = behind(to_server, ways.server, pace.ceiling.least());
            ways.client = behind(to_client, ways.client, gap);
        }
        ways
    }

    /// Looks up how far the two are.
    fn find(
        &mut self,
        t: &Transaction,
        two: [TablePlace; 2],
        evidence: &impl Evidence,
    ) -> [Reach; 2] {
        let known = self.server_at.filter(|(place, _)| *place == two[0]);
        let mut server_at = known.and_then(|(_, at)| at);
        let found = [
            evidence.of(&t.server, &mut server_at).reach,
            evidence.of(&t.client, &mut self.client_at).reach,
        ];
        self.server_at = (two[0] != TablePlace::NOWHERE).then_some((two[0], server_at));
        self.routers = evidence.between(&t.server, &t.client);
        found
    }

    /// Other lengths than last time, or other evidence.
    #[inline(never)]
    fn take_in(
        &mut self,
        t: &Transaction,
        (lengths, server): (Lengths, TablePlace),
        (turnaround, again): (u64, bool),
        pace: &mut ServerWay,
        evidence: &impl Evidence,
    ) {
        let found = self.server_at.filter(|(place, _)| *place == server);
        let mut server_at = found.and_then(|(_, at)| at);
        let server = evidence.of(&t.server, &mut server_at);
        let client = evidence.of(&t.client, &mut self.client_at);
        if turnaround < u64::MAX {
            pace.took(t, turnaround, server);
        }
        if self.gap < u64::MAX {
            // Of a response in several frames the first may have been there long before the last.
            let Sizes { bytes, head } = lengths.before;
            let response = if bytes > head { 0 } else { bytes };
            let request = if is_single(t.request) {
                t.request_bytes
            } else {
                0
            };
            self.gaps.took(response + request, self.gap);
        }
        // Where acknowledgements say what a request was sent after, a gap says nothing more.
        let acknowledged = client.line.ceiling != Ceiling::NONE;
        let gaps = if acknowledged {
            Ceiling::NONE
        } else {
            self.gaps
        };
        let mut known = [turnaround, self.gap, u64::MAX];
        if again {
            for (new, old) in known.iter_mut().zip(self.longer.known) {
                *new = old.min(*new);
            }
        }
        self.longer = LongerWays {
            of: lengths,
            news: evidence.news() + pace.news,
            known,
            server: pace.longer(t, server),
            client: to_client(t, lengths.before, client, &gaps),
            gaps: [
                gaps.least(),
                client.line.ceiling.least().min(self.gaps.least()),
            ],
        };
    }
}

/// What the lengths of the response before this request, and of the request, add to the way within the gap.
fn to_client(t: &Transaction, before: Sizes, client: &Distance, gaps: &Ceiling) -> Longer {
    let bytes = before.bytes + t.request_bytes;
    let most = client.most(bytes).and(Most::of(gaps, bytes));
    // Who acknowledges data at once does so when long frames have come.
    if client.heard.is_some() {
        let here = most.least;
        return Longer {
            most: Most { here, ..most },
            ..Longer::default()
        };
    }
    let line = before.on_line(most_on_line).0 + most_on_line(t.request_bytes);
    Longer {
        most,
        more: client.longer(line + AHEAD - BOTH_SHORTEST),
        proved: 0,
    }
}

/// A way through routers that take this long, of which `way` is known besides; no slice shorter
/// than `shortest` was seen.
#[cold]
fn behind(routers: i64, way: Bounds, shortest: u64) -> Bounds {
    let least = ns(routers).min(shortest);
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
fn turnaround(t: &Transaction) -> Option<i64> {
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

    fn measured(samples: u64, shortest: i64, mean: i64) -> Distance {
        Distance {
            reach: Reach {
                samples,
                shortest,
                total: mean * samples as i64,
                link: 0,
            },
            ..Distance::default()
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

    /// One request after the other, in one frame each: bytes of the request, of the response, and the
    /// turnaround in us.
    fn turnarounds(all: &[(u64, u64, i64)], distance: &Distance) -> Bounds {
        let at = |frame: u64, us: i64| {
            let mark = crate::Mark {
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
                turnaround: crate::Turnaround::Exact(us * 1_000),
                request_bytes: *request,
                response_bytes: *response,
                response_head_bytes: *response,
                ..Transaction::default()
            };
            way.took(&t, ns(*us) * 1_000, distance);
            within = distance.reach.bounds(&way.longer(&t, distance));
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

    /// Routers that were seen on both sides are a least, beside what a transport shows.
    #[test]
    fn routers_on_the_way_are_part_of_it() {
        let behind = |routers, samples, most| {
            let way = measured(samples, 100, 110).reach.bounds(&no_less(most));
            let Bounds { low, high } = super::behind(routers, way, most);
            (low, high)
        };
        assert_eq!(behind(80, 0, 999), (80, 999));
        assert_eq!(behind(80, 0, 50), (50, 50));
        assert_eq!(behind(80, 8, 999), (100, 125));
        assert_eq!(behind(200, 8, 999), (200, 200));
    }

    /// An answer that came late: no slice contains more than the shortest one.
    #[test]
    fn no_estimate_exceeds_what_a_request_took() {
        assert_eq!(bounds(measured(1, 5_968, 5_968), 1_300), (1_300, 1_300));
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

        fn news(&self) -> u64 {
            self.1
        }
    }

    /// A response ended at 1,000, in frame 7; its data was acknowledged at 1,900, over a way of 100 whose queue
    /// was full; the next request began at 2,500. So 900 of the gap are the way's.
    #[test]
    fn what_a_queue_holds_is_on_its_way_until_it_is_acknowledged() {
        let at = Timestamp::from_nanos;
        let heard = |ns, sent| Distance {
            heard: Some((at(ns), sent)),
            ..measured(8, 100, 110)
        };
        let before = |bytes, head| Nearest {
            before: Some(Over {
                end: at(1_000),
                frame: 7,
                response: Sizes { bytes, head },
            }),
            ..Nearest::default()
        };
        let underway = |nearest: &Nearest| {
            let way = nearest.underway(at(2_500), 90, 120)?;
            Some((way.low, way.high))
        };
        let mut nearest = before(869, 869);
        nearest.began(Endpoint::default(), &Known(heard(1_900, 7), 1));
        // All 900 bytes on the line are there; the request has 90.
        assert_eq!(underway(&nearest), Some((900, 990)));
        // What the client acknowledged later is not heard before: it was another response.
        nearest.began(Endpoint::default(), &Known(heard(1_950, 7), 1));
        assert_eq!(underway(&nearest), Some((900, 990)), "the same version");
        nearest.began(Endpoint::default(), &Known(heard(2_600, 7), 2));
        assert_eq!(underway(&nearest), None);
        nearest.began(Endpoint::default(), &Known(heard(900, 7), 3));
        assert_eq!(underway(&nearest), None, "before it ended");
        // Two frames of 1,000 bytes on the line are there after 900, and the third has 500. No gap was
        // shorter than 120: so 780 are the line's, and 195 more behind them, or 225; and what came last
        // may have come a little later.
        let mut nearest = before(2 * 969 + 469, 969);
        nearest.began(Endpoint::default(), &Known(heard(1_900, 6), 1));
        assert_eq!(underway(&nearest), Some((1_095, 1_125 + 225)));
    }
}

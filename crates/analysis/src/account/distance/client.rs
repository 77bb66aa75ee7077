//! What is remembered of a client, and the ways within the slices of its requests.

mod lengths;
mod own;
mod pairs;
mod ways;

use super::super::Outstanding;
use super::super::ceiling::Ceiling;
use super::reading::ReadingPace;
use super::{Bounds, DataThere, DistanceAt, Evidence, Reach, Variation, Ways, behind, is_single};
use crate::Transaction;
use crate::table::TablePlace;
use lengths::{Lengths, LongerWays, Sizes, all_on_line, to_client};
use pairs::{BothAnswered, between};
pub(in crate::account) use pairs::{Paces, PairWays};
use wirewait_wire::{Endpoint, Timestamp};

/// A station may be as late as this with an acknowledgement, ns: its processor has other work.
const LATE_NS: i64 = 100_000;
/// What is behind an acknowledgement on an even line takes as long as its bytes, give or take this part of it.
const EVENLY: u64 = 8;

/// A request that is over.
#[derive(Clone, Copy, Debug, Default)]
struct Over {
    end: Timestamp,
    /// The first and the last frame of the response.
    frames: [u64; 2],
    response: Sizes,
    /// Its end among all that the server sent.
    sent_to: u64,
}

impl Over {
    /// Its response was captured, once: what its client sent next says when it had that. A response that the capture lacks
    /// is known to have come by the next request alone.
    #[inline]
    fn is_answered(&self) -> bool {
        self.frames[0] > 0
    }
}

/// What is remembered of a client to bound its distance.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::account) struct Nearest {
    /// The latest request that closed, and its conversation.
    latest: Option<(u64, Over)>,
    /// The gaps between a response and the next request of its conversation.
    gaps: Ceiling,
    /// The latest of them, ns.
    gap: u64,
    /// The latest request was under way all that time: its client sent it before it had the response.
    ahead: bool,
    /// The request before the latest.
    before: Option<Over>,
    /// Which data the client had last acknowledged at once, as its latest request began; and what
    /// the evidence was then.
    heard: (Option<DataThere>, u64),
    /// It has several addresses, each on a way of its own.
    several: bool,
    /// Of such a client: the address of the latest request that closed, and the way to it.
    channel: Option<(Endpoint, Bounds)>,
    /// The capture was made at the client, or at this server.
    is_here: bool,
    is_there: bool,
    /// Which data this server had last acknowledged at once, as the request closed, if the capture was not made there.
    server_heard: Option<DataThere>,
    /// How much the answers of the server, and of the client, differ.
    variations: [Variation; 2],
    /// What was found last, and of which state of the evidence and which two.
    found: Option<(u64, [TablePlace; 2], [Reach; 2])>,
    /// Whether the ways to the server differ by the other end.
    apart: bool,
    longer: LongerWays,
    /// How long responses took until all of them was acknowledged at once.
    wholes: Ceiling,
    /// How soon its programs read them.
    reading: ReadingPace,
    /// By both of these.
    ways: Ways,
    /// The way through routers between these two, if that is known, ns.
    routers: Option<[i64; 2]>,
    /// Where the evidence of the client was found, and that of this server.
    client_at: DistanceAt,
    /// And what bounds them by acknowledgements on messages.
    rode_at: [Option<TablePlace>; 2],
    server_at: Option<(TablePlace, DistanceAt)>,
}

/// A machine's transport answers sooner than that, ns.
const LOCAL_NS: i64 = 100_000;

impl Nearest {
    /// A request of the second of these to the first begins.
    #[inline]
    pub(in crate::account) fn began(
        &mut self,
        [server, client]: [&Endpoint; 2],
        evidence: &impl Evidence,
    ) {
        if self.heard.1 != evidence.version() {
            if self.several {
                return self.began_on([server, client], evidence);
            }
            let distance = evidence.of(client, server, &mut self.client_at);
            self.heard = (distance.latest(), evidence.version());
        }
    }

    /// As [`Self::began`], of a client with several addresses: what it acknowledged from another one shows nothing of the way
    /// of this request.
    #[cold]
    fn began_on(&mut self, [server, client]: [&Endpoint; 2], evidence: &impl Evidence) {
        let station = client.station();
        let again = self.channel.is_some_and(|(latest, _)| latest == station);
        let distance = evidence.of(client, server, &mut DistanceAt::default());
        let heard = distance.latest().filter(|_| again);
        // Whichever comes next has to be asked about as well.
        self.heard = (heard, evidence.version().wrapping_sub(1));
    }

    /// It has a further address, on a way of its own.
    #[cold]
    pub(in crate::account) fn has_several(&mut self) {
        self.several = true;
        self.found = None;
        self.heard.1 = self.heard.1.wrapping_sub(1);
    }

    /// The way within the pause before a request from this address: behind a response that went to another one it is
    /// half of each, on average of the changes from one to the other and back.
    #[cold]
    #[inline(never)]
    fn across(&mut self, station: Endpoint) {
        // The next request may come from another one: nothing of this holds for that.
        if let Some((version, ..)) = &mut self.found {
            *version = version.wrapping_sub(1);
        }
        let own = self.ways.client;
        let before = self.channel.replace((station, own));
        let Some((_, before)) = before.filter(|(before, _)| *before != station) else {
            return;
        };
        let half = |one: u64, other: u64| (one / 2).saturating_add(other / 2);
        self.ways.client = Bounds {
            low: half(before.low, own.low),
            high: half(before.high, own.high),
        };
    }

    /// How long nothing was asked for before a request that began then, ns.
    pub(in crate::account) fn pause(&self, began: Timestamp) -> Option<i64> {
        Some(began.since(self.before?.end))
    }

    /// The shortest gap between a response and the next request, ns.
    #[cold]
    pub(in crate::account) fn shortest_gap(&self) -> u64 {
        self.gaps.least()
    }

    /// The response that was complete `before` was lost, and its client had it only then: it paused since. Or it had the first
    /// copy after all, so that what it sends next shows nothing of the way.
    #[cold]
    pub(in crate::account) fn had_it_later(&mut self, before: Timestamp, then: Timestamp) {
        if let Some((_, latest)) = &mut self.latest
            && latest.end == before
        {
            (latest.end, latest.frames) = (then, [0; 2]);
        }
    }

    /// The clock was set: what follows does not come as long behind what was as its stamps say.
    pub(in crate::account) fn clock_was_set(&mut self) {
        (self.latest, self.before) = (None, None);
    }

    /// The server and the client of the latest request.
    pub(in crate::account) fn distances(&self) -> [Reach; 2] {
        self.found.map_or(Default::default(), |(.., found)| found)
    }

    /// Whether the ways to the server and to the client vary, as far as their answers show it.
    #[cold]
    pub(in crate::account) fn vary(&self) -> [bool; 2] {
        self.variations.map(|of| of.deviation > 0)
    }

    /// How many answers of the two were known.
    #[inline]
    fn answers(&self) -> [u64; 2] {
        match &self.found {
            Some((.., [server, client])) => [server.samples, client.samples],
            None => [0; 2],
        }
    }

    /// A request closed. The next one of the same conversation that begins after its end was
    /// sent by who had the response.
    #[inline]
    pub(in crate::account) fn closed(&mut self, t: &Transaction, done: &Outstanding) {
        (self.gap, self.ahead) = (u64::MAX, false);
        if let Some((conversation, latest)) = &self.latest
            && *conversation == t.conversation
            && t.copies == 1
            && latest.is_answered()
        {
            let gap = done.begin.since(latest.end);
            self.ahead = gap > 0 && done.asked_before(latest.sent_to);
            if !self.ahead {
                self.gap = u64::try_from(gap).unwrap_or(u64::MAX);
            }
        }
        self.before = self.latest.map(|(_, over)| over);
        let over = Over {
            end: done.end(),
            frames: t.response.map_or([0; 2], |response| {
                [response.first.frame, response.last.frame]
            }),
            response: Sizes {
                bytes: t.response_bytes,
                head: t.response_head_bytes,
            },
            sent_to: done.answered_to(),
        };
        self.latest = Some((t.conversation, over));
    }

    /// Whether an acknowledgement of data may show the way to the client: a program that reads late shows none where the
    /// capture was made, but none reads as evenly as a line.
    #[inline]
    fn may_show(&self, there: DataThere) -> bool {
        !there.late && (!self.is_here || there.left == DataThere::UNKNOWN_LEFT || there.pace > 0)
    }

    /// Whether the client answered no sooner than a machine answers by itself: it may be a way off.
    #[cold]
    #[inline(never)]
    fn is_remote(&self) -> bool {
        self.distances()[1].shortest >= LOCAL_NS
    }

    /// These ways, where routers that are seen on both sides take so long at least.
    #[cold]
    fn behind(
        &self,
        [to_server, to_client]: [i64; 2],
        (t, began): (&Transaction, Timestamp),
        (ways, [turnaround, gap]): (Ways, [u64; 2]),
        evidence: &impl Evidence,
    ) -> Ways {
        let (server, client) = (&t.server, &t.client);
        // Each packet has its own time.
        let turned = t.request.zip(t.response);
        let turned = turned.map(|(request, response)| [request.last.at, response.first.at]);
        let turned = turned.and_then(|turned| evidence.passed([server, client], turned));
        let paused = self.before.map(|before| [before.end, began]);
        let paused = paused.and_then(|paused| evidence.passed([client, server], paused));
        Ways {
            line: ways.line,
            asked: ways.asked,
            server: behind((to_server, turned), ways.server, turnaround),
            client: behind((to_client, paused), ways.client, gap),
        }
    }

    /// Looks up how far the two are.
    fn find(
        &mut self,
        t: &Transaction,
        two: [TablePlace; 2],
        answered: &mut BothAnswered,
        evidence: &impl Evidence,
    ) -> [Reach; 2] {
        let known = self.server_at.filter(|(place, _)| *place == two[0]);
        let mut server_at = known.map_or(DistanceAt::default(), |(_, at)| at);
        if self.several {
            self.client_at = DistanceAt::default();
        }
        let (mut shared, ends) = ([None; 2], [&t.server, &t.client]);
        let ats = [&mut server_at, &mut self.client_at];
        let [server, client] = between(ends, (ats, answered), &mut shared, evidence);
        let [at_server, at_client] = [&server.reach, &client.reach];
        let here = at_server.is_here(at_client);
        (self.server_heard, self.is_there) = (server.heard.filter(|_| !here), here);
        self.is_here = at_client.is_here(at_server);
        let of_client = at_client.variation.of_client(at_client.shortest);
        self.variations = [at_server.variation.at(here), of_client.at(self.is_here)];
        let answered = [at_server, at_client].map(|end| end.samples > 0);
        let alone = self.alone(ends, answered, evidence);
        for (variation, alone) in self.variations.iter_mut().zip(alone) {
            if alone != Ceiling::NONE {
                *variation = Variation::NONE;
            }
        }
        if std::mem::replace(&mut self.apart, server.apart) != server.apart {
            // What was found is that of another way.
            self.longer = LongerWays::default();
        }
        self.server_at = (!two[0].is_nowhere()).then_some((two[0], server_at));
        self.routers = evidence.between(&t.server, &t.client);
        [server.reach, client.reach]
    }

    /// Other lengths than last time, or other evidence.
    #[inline(never)]
    fn take_in(
        &mut self,
        t: &Transaction,
        (lengths, server): (Lengths, TablePlace),
        (turnaround, again): (u64, bool),
        paces: &mut Paces<'_>,
        evidence: &impl Evidence,
    ) {
        let found = self.server_at.filter(|(place, _)| *place == server);
        let mut server_at = found.map_or(DistanceAt::default(), |(_, at)| at);
        let (mut shared, two) = ([None; 2], [&t.server, &t.client]);
        let ats = [&mut server_at, &mut self.client_at];
        let known = (ats, &mut paces.own.answered);
        let [server, client] = between(two, known, &mut shared, evidence);
        let rode = evidence.rode(two, &mut self.rode_at[0]);
        let client_rode = evidence.rode([two[1], two[0]], &mut self.rode_at[1]);
        // Where a station answered nothing, it may have acknowledged data.
        let answered = [server, client].map(|end| end.reach.samples > 0);
        let alone = self.alone(two, answered, evidence);
        if turnaround < u64::MAX {
            paces.server.took(t, turnaround, server);
            paces.own.pace.took(t, turnaround, server);
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
            paces.own.gaps.took(response + request, self.gap);
        }
        let seen = match client.apart || self.several {
            false => self.gaps,
            true => paces.own.gaps,
        };
        let pace = paces.bounding(server.apart);
        // Where acknowledgements say what a request was sent after, a gap says nothing more.
        let acknowledged = client_rode != Ceiling::NONE;
        let [server_waits, client_waits] = [
            evidence.waits(two, &mut self.rode_at[0]),
            evidence.waits([two[1], two[0]], &mut self.rode_at[1]),
        ];
        let gaps = if acknowledged { Ceiling::NONE } else { seen };
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
            server: pace.longer(t, server, [&rode, &alone[0]]),
            client: to_client(
                t,
                lengths.before,
                (client, [&client_rode, &alone[1]]),
                &gaps,
            ),
            gaps: [gaps.least(), client_rode.least().min(seen.least())],
            last: lengths.last(client),
            queued: match lengths.before.bytes > lengths.before.head {
                true => client.longer(all_on_line(lengths.before.bytes)),
                false => 0,
            },
            waits: [server_waits, client_waits],
            several: !is_single(t.request) && !self.is_here,
            asked: match is_single(t.request) || server.heard.is_some() {
                true => 0,
                false => server.longer(all_on_line(t.request_bytes)),
            },
        };
    }
}

#[cfg(test)]
mod tests {
    use super::super::Distance;
    use super::super::tests::{Known, measured};
    use super::*;
    use crate::{Extent, Mark};

    /// The acknowledgement that came then, of that frame, with so much behind it; over a way of 100.
    fn heard(ns: i64, frame: u64, left: u32) -> Distance {
        let heard = DataThere {
            at: Timestamp::from_nanos(ns),
            frame,
            left,
            pace: 0,
            late: false,
        };
        Distance {
            heard: Some(heard),
            ..measured(16, 100, 110)
        }
    }

    /// A response that ended at 1,000, in frames 5 to 7, with as much in each as in the first.
    fn before(bytes: u64, head: u64) -> Nearest {
        let mut nearest = Nearest {
            before: Some(Over {
                end: Timestamp::from_nanos(1_000),
                frames: [5, 7],
                response: Sizes { bytes, head },
                sent_to: 0,
            }),
            ..Nearest::default()
        };
        nearest.longer.last = u64::MAX;
        nearest
    }

    /// How much of the gap before a request that began at 2,500 is the way's, by this evidence; and at most.
    fn underway(
        nearest: &mut Nearest,
        distance: Distance,
        version: u64,
    ) -> Option<(u64, u64, Option<u64>)> {
        let known = Known {
            way: distance,
            rode: Ceiling::NONE,
            version,
        };
        nearest.began([&Endpoint::default(); 2], &known);
        let began = Timestamp::from_nanos(2_500);
        let there = nearest.there(began)?;
        let (way, most) = nearest.underway(there, (began, 90), 120);
        Some((way.low, way.high, most))
    }

    const UNKNOWN: u32 = DataThere::UNKNOWN_LEFT;

    /// A response ended at 1,000, in frame 7; its data was acknowledged at 1,900, over a way of 100 whose queue
    /// was full; the next request began at 2,500. So 900 of the gap are the way's.
    #[test]
    fn what_a_queue_holds_is_on_its_way_until_it_is_acknowledged() {
        let mut nearest = before(869, 869);
        // All 900 bytes on the line are there; the request has 90.
        let whole = Some((900, 990, Some(990)));
        assert_eq!(underway(&mut nearest, heard(1_900, 7, 0), 1), whole);
        // What the client acknowledged later is not heard before: it was another response.
        let later = heard(1_950, 7, 0);
        assert_eq!(underway(&mut nearest, later, 1), whole, "the same version");
        assert_eq!(underway(&mut nearest, heard(2_600, 7, 0), 2), None);
        let before_its_end = heard(900, 7, 0);
        assert_eq!(underway(&mut nearest, before_its_end, 3), None);
        // Two frames of 1,000 bytes on the line are there after 900, and the third has 500. No gap was
        // shorter than 120: so 780 are the line's, and 195 more behind them, or 225, and 40 for the request; and what came
        // last may have come a little later.
        let mut nearest = before(2 * 969 + 469, 969);
        let part = Some((1_095, 1_125 + 265, None));
        assert_eq!(underway(&mut nearest, heard(1_900, 6, UNKNOWN), 1), part);
    }

    /// The way as above, where 16 answers took 100 at least and 110 on average: so a way varies by 20, or by 6 where it was
    /// measured just now.
    #[test]
    fn what_a_response_shows_of_its_own_way_is_all_of_it() {
        let near = |mut nearest: Nearest| {
            let reach = measured(16, 100, 110).reach;
            nearest.found = Some((0, [TablePlace::NOWHERE; 2], [reach; 2]));
            nearest
        };
        let mut whole = near(before(869, 869));
        let of_it = |nearest: &mut Nearest, frame, left| {
            let version = 1_000 * frame + u64::from(left);
            underway(nearest, heard(1_900, frame, left), version)
        };
        assert_eq!(of_it(&mut whole, 7, 0), Some((900, 990, Some(996))));
        // No more than 40 for the request.
        whole.longer.last = 40;
        assert_eq!(of_it(&mut whole, 7, 1), Some((900, 990, Some(946))));
        // Data of another conversation, which was sent behind it.
        assert_eq!(of_it(&mut whole, 8, 0), Some((900, 990, None)));
        // One of the three frames is behind what was acknowledged, or two that are not both full; or more than that.
        let mut part = near(before(2 * 969 + 469, 969));
        let high = 900 + 6 + 265;
        assert_eq!(of_it(&mut part, 6, 469), Some((1_095, high, Some(high))));
        let two = Some((2_011, 2_266, Some(2_266)));
        assert_eq!(of_it(&mut part, 5, 1_438), two);
        assert_eq!(of_it(&mut part, 5, 2_100), Some((1_095, 1_185, None)));
        // Frames as long take 210 on this line; or another response as long was there as a whole after 310.
        part.longer.last = 210;
        assert_eq!(of_it(&mut part, 6, 468), Some((1_095, 1_116, Some(1_116))));
        part.longer.last = u64::MAX;
        part.wholes.took(2 * 969 + 469, 310);
        assert_eq!(of_it(&mut part, 6, 467), Some((1_095, 1_116, Some(1_116))));
        // No less than what the line is known to take.
        part.wholes.took(2 * 969 + 469, 250);
        assert_eq!(of_it(&mut part, 6, 466), Some((1_095, 1_101, Some(1_101))));
    }

    /// Two programs, each with a request: one response ends at 300, at byte 80 of all that the server sent. A request that
    /// comes at 350 from a client that had 79 was under way all that time; one that had 80 was sent behind it.
    #[test]
    fn a_request_that_does_not_have_the_response_before_was_under_way_since_then() {
        let at = Timestamp::from_nanos;
        let closes = |nearest: &mut Nearest,
                      (begin, end): (i64, i64),
                      (had, sent_to): (u64, u64),
                      answered: bool| {
            let phases = Outstanding::ANSWERED;
            let done = Outstanding::new(at(begin), [at(end); 5], phases).sent(had, sent_to);
            let mark = |ns| Mark {
                frame: 1,
                at: at(ns),
            };
            let response = answered.then(|| Extent {
                first: mark(end),
                last: mark(end),
            });
            let t = Transaction {
                copies: 1,
                response,
                ..Transaction::default()
            };
            nearest.closed(&t, &done);
            (nearest.ahead, nearest.gap)
        };
        let closed = |nearest: &mut Nearest, times: (i64, i64), sent: (u64, u64)| {
            closes(nearest, times, sent, true)
        };
        let mut nearest = Nearest::default();
        closed(&mut nearest, (0, 300), (0, 80));
        assert_eq!(
            closed(&mut nearest, (350, 400), (79, 120)),
            (true, u64::MAX)
        );
        assert_eq!(closed(&mut nearest, (450, 500), (120, 160)), (false, 50));
        // Nothing numbers what is sent.
        assert_eq!(closed(&mut nearest, (550, 600), (u64::MAX, 0)), (false, 50));
        assert_eq!(closed(&mut nearest, (650, 700), (0, 0)), (false, 50));
        // The capture lacks the response: it ended when the next request came, or sooner.
        closes(&mut nearest, (750, 800), (0, 0), false);
        let next = closed(&mut nearest, (800, 900), (0, 0));
        assert_eq!(next, (false, u64::MAX));
    }
}

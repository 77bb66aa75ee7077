//! What is remembered of a server with one of its clients, and how far both are.

use super::super::server::ServerWay;
use super::super::varying::{OwedWay, VaryingWay};
use super::super::{Distance, DistanceAt, Evidence, STEADY, ns};
use crate::Transaction;
use crate::account::Phase;
use crate::account::ceiling::{Ceiling, FrameSpacing, most_on_line};
use wirewait_wire::Endpoint;

/// What is remembered of a server with one of its clients.
#[derive(Clone, Debug, Default)]
pub(in crate::account) struct PairWays {
    pub(super) pace: ServerWay,
    /// Its requests in several frames.
    pub(super) asked: FrameSpacing,
    /// The gaps between a response of this server and the client's next request of its conversation.
    pub(super) gaps: Ceiling,
    /// Requests that waited behind none: one that others overtook counts as [`STEADY`].
    pub(super) unqueued: u64,
    pub(super) answered: BothAnswered,
    /// The turnarounds of this server, and the gaps of this client, if their ways vary.
    pub(super) turnarounds: VaryingWay,
    pub(super) pauses: VaryingWay,
}

/// A first frame has no more of a message, where it is not all.
pub(super) const FIRST: u64 = 1_460;

impl PairWays {
    /// How long the first of several frames of this request was on the line at most, where those behind it show that, ns.
    /// It is seen when all of it has come.
    #[cold]
    pub(super) fn first_of(&mut self, t: &Transaction, stalled: bool) -> u64 {
        let took = t
            .request
            .and_then(|request| request.first.until(request.last));
        let behind = t.request_bytes.saturating_sub(FIRST);
        if let Some(took) = took
            && behind > 0
            && !stalled
        {
            self.asked.took(behind, ns(took));
        }
        self.asked.most(most_on_line(FIRST)).unwrap_or(0)
    }

    /// Slices of earlier requests that may contain more of the way than was known then.
    #[inline]
    pub(in crate::account) fn owed(&mut self) -> Option<(Phase, Vec<OwedWay>)> {
        let turnarounds = self.turnarounds.owed();
        let turnarounds = turnarounds.map(|owed| (Phase::Server, owed));
        turnarounds.or_else(|| Some((Phase::Client, self.pauses.owed()?)))
    }
}

/// Whether the transports of a server and a client answered each other.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BothAnswered {
    /// That of the server, and that of the client: once known, that is so.
    pub(super) by: [bool; 2],
    /// The latest version of the evidence by which none of them had answered others alone; the greatest number where both
    /// answered each other.
    pub(super) settled: u64,
}

/// What is remembered of the server of a request.
pub(in crate::account) struct Paces<'a> {
    /// Of all its clients.
    pub(in crate::account) server: &'a mut ServerWay,
    /// Of this one.
    pub(in crate::account) own: &'a mut PairWays,
}

impl Paces<'_> {
    /// What bounds the way to the server. It is one for all of its clients, as far as nothing speaks against it: if
    /// the evidence does, or if this client's requests take as long as they do although they wait behind none, others'
    /// turnarounds say nothing.
    #[inline]
    pub(super) fn bounding(&mut self, apart: bool) -> &mut ServerWay {
        match apart || self.own.unqueued >= STEADY {
            false => self.server,
            true => &mut self.own.pace,
        }
    }
}

/// How far a server and its client are, each from the other. What a station answered others says no more than how far it
/// is at least.
#[inline]
pub(super) fn between<'a>(
    ends: [&Endpoint; 2],
    (ats, answered): ([&mut DistanceAt; 2], &mut BothAnswered),
    shared: &'a mut [Option<Distance>; 2],
    evidence: &'a impl Evidence,
) -> [&'a Distance; 2] {
    let ([server, client], [server_at, client_at]) = (ends, ats);
    let known = [
        evidence.of(server, client, server_at),
        evidence.of(client, server, client_at),
    ];
    match answered.settled >= evidence.version() {
        true => known,
        false => settled(
            known,
            (ends, [server_at, client_at]),
            (answered, shared),
            evidence,
        ),
    }
}

/// Of each of them, where it answered others alone, what that says.
#[cold]
pub(super) fn settled<'a>(
    known: [&'a Distance; 2],
    ([server, client], ats): ([&Endpoint; 2], [&DistanceAt; 2]),
    (answered, shared): (&mut BothAnswered, &'a mut [Option<Distance>; 2]),
    evidence: &impl Evidence,
) -> [&'a Distance; 2] {
    let ends = [[server, client], [client, server]];
    for n in [0, 1] {
        if known[n].reach.samples > 0 && !answered.by[n] {
            shared[n] = evidence.of_others(ends[n], ats[n]);
            answered.by[n] = shared[n].is_none();
        }
    }
    let [server, client] = &*shared;
    if server.is_none() && client.is_none() {
        answered.settled = match answered.by {
            [true, true] => u64::MAX,
            _ => evidence.version(),
        };
    }
    [
        server.as_ref().unwrap_or(known[0]),
        client.as_ref().unwrap_or(known[1]),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Extent, Mark};
    use wirewait_wire::Timestamp;

    /// 12,000 bytes whose first frame comes first and whose others take so long, us.
    fn written(us: i64) -> Transaction {
        let mark = |frame, us: i64| Mark {
            frame,
            at: Timestamp::from_nanos(us * 1_000),
        };
        Transaction {
            request: Some(Extent {
                first: mark(1, 500),
                last: mark(9, 500 + us),
            }),
            request_bytes: 12_000,
            ..Transaction::default()
        }
    }

    /// 10,540 bytes behind the first frame in 21,080 us are 2 us each: a first one of 1,526 took 3,052 at most. The fastest
    /// counts, and none that the receiver held up.
    #[test]
    fn a_first_frame_takes_no_longer_than_those_behind_it() {
        let mut pair = PairWays::default();
        assert_eq!(pair.first_of(&written(10_000), true), 0, "it stood still");
        assert_eq!(pair.first_of(&written(21_080), false), 3_052_000);
        assert_eq!(pair.first_of(&written(42_160), false), 3_052_000);
        assert_eq!(pair.first_of(&written(10_540), false), 1_526_000);
        let short = Transaction {
            request_bytes: 1_460,
            ..written(1)
        };
        assert_eq!(pair.first_of(&short, false), 1_526_000, "no more than one");
    }
}

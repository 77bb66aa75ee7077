use super::super::State;
use super::super::testing::{Bench, at, mark, station, transaction, unanswered};
use super::*;
use crate::bounds::Hits;
use crate::{Notice, Noticed};
use wirewait_wire::Kind;

/// Seen again 300 ms after the first time, answered 10 ms later.
fn again(t: &mut Transaction) {
    t.copies = 2;
    t.turnaround = Turnaround::Between(10_000_000, 310_000_000);
    t.service_ns = None;
}

/// 3 of 300 is 1 %; each lost 300 ms.
#[test]
fn repeated_requests() {
    let repeated = |good: u64, times: u64, change: fn(&mut Transaction)| {
        let mut bench = Bench::new();
        bench.good(good);
        for _ in 0..times {
            bench.one(Kind::Read, 310, change);
        }
        bench
    };
    let bench = repeated(297, 3, again);
    let found = bench.found("requests_repeated").unwrap();
    assert_eq!(
        (found.state, found.hits.cost_ns),
        (State::Raised, 900_000_000)
    );
    assert_eq!(
        bench.state("too_many_requests_repeated"),
        Some(State::Below)
    );
    let bench = repeated(298, 3, again);
    assert_eq!(bench.state("requests_repeated"), Some(State::Below));
    let bench = repeated(298, 2, again);
    assert_eq!(bench.state("requests_repeated"), Some(State::Below));
    // 6 of 30 are too many, and say it for both; 6 of 31 are not.
    let bench = repeated(24, 6, again);
    assert_eq!(
        bench.state("too_many_requests_repeated"),
        Some(State::Raised)
    );
    assert_eq!(
        bench.state("requests_repeated"),
        Some(State::Covered("too_many_requests_repeated"))
    );
    let bench = repeated(25, 6, again);
    assert_eq!(
        bench.state("too_many_requests_repeated"),
        Some(State::Below)
    );
    // What comes at once was not sent by anyone.
    let doubled = repeated(24, 6, |t| {
        t.copies = 2;
        t.turnaround = Turnaround::Between(10_000_000, 10_999_999);
    });
    assert_eq!(
        doubled.state("too_many_requests_repeated"),
        Some(State::Withdrawn(Against::Doubled))
    );
}

#[test]
fn more_than_three_repeats() {
    for (copies, state) in [(5, Some(State::Raised)), (4, None)] {
        let mut bench = Bench::new();
        bench.one(Kind::Read, 310, |t| {
            again(t);
            t.copies = copies;
        });
        assert_eq!(bench.state("station_not_responding"), state);
    }
}

#[test]
fn an_impatient_client_gets_an_answer_to_each_copy() {
    let mut bench = Bench::new();
    for n in 0..3 {
        assert_eq!(
            bench.state("client_impatient"),
            (n > 0).then_some(State::Below)
        );
        bench.one(Kind::Read, 310, |t| {
            again(t);
            t.duplicate_responses = 1;
        });
    }
    assert_eq!(bench.state("client_impatient"), Some(State::Raised));
}

/// The response was seen, and then the request again.
#[test]
fn a_client_whose_responses_are_lost_is_not_impatient() {
    let mut bench = Bench::new();
    for _ in 0..3 {
        bench.one(Kind::Read, 10, |t| {
            t.copies = 2;
            t.duplicate_responses = 1;
        });
    }
    assert_eq!(
        bench.state("client_impatient"),
        Some(State::Withdrawn(Against::LostResponse))
    );
}

/// Of a response transfer of 250 ms, 240 passed before the retransmission of a frame.
#[test]
fn lost_frames() {
    let run = |good: u64, lost_ms: i64| {
        let mut bench = Bench::new();
        bench.good(good);
        for n in 0..3 {
            let t = transaction(good + 1 + n, Kind::Read, bench.last, bench.last + 260);
            let begin = at(bench.last);
            let ends = [0, 0, 10, 20, 20 + lost_ms].map(|ms| begin.plus(ms * 1_000_000));
            let outstanding = Outstanding::new(begin, ends, Outstanding::ANSWERED);
            let asked = bench.last;
            bench.begins(&t, asked, false);
            bench.ends(&t, asked, (false, asked + 260), Some(&outstanding));
            bench.closed(&t);
            bench.last += 261;
        }
        bench.found("frames_resent")
    };
    let found = run(297, 240).unwrap();
    assert_eq!(
        (found.state, found.hits.cost_ns),
        (State::Raised, 720_000_000)
    );
    assert_eq!(run(298, 240).unwrap().state, State::Below);
    assert!(run(298, 0).is_none());
}

/// Lost three times, in its answer and behind it: one request of one, and all of its time. One that
/// waits by design is no request of that kind.
#[test]
fn a_request_that_loses_several_frames_is_one_request() {
    for (kind, share) in [(Kind::Read, Some((1, Some(1)))), (Kind::Wait, None)] {
        let mut bench = Bench::new();
        let t = transaction(1, kind, 0, 260);
        let ends = [0, 0, 10, 20, 260].map(at);
        let outstanding = Outstanding::new(at(0), ends, Outstanding::ANSWERED);
        bench.begins(&t, 0, false);
        bench.ends(&t, 0, (false, 260), Some(&outstanding));
        let found = |bench: &Bench| {
            let found = bench.found("frames_resent");
            found.map(|s| (s.hits.count, s.of))
        };
        assert_eq!(found(&bench), share, "it counts before it is closed");
        for again in [300, 400] {
            bench.lost_behind(&t, 260, again);
        }
        bench.closed(&t);
        assert_eq!(found(&bench), share);
        // The next one is another.
        bench.good(3);
        let expected = share.map(|_| (1, Some(4)));
        assert_eq!(found(&bench), expected);
    }
}

/// 200 frames with data by 95 requests, 10 of which repeat others, are 5 %.
#[test]
fn too_many_resent_frames() {
    let run = |times: u64, after_ns: Option<i64>| {
        let mut bench = Bench::new();
        bench.good(95);
        for n in 0..times {
            bench.noticed(&Notice {
                mark: mark(300 + n, 5000),
                from: station(9),
                to: station(1),
                carrier: "toy_link",
                conversation: None,
                bytes: 100,
                what: Noticed::Resent { after_ns },
            });
        }
        bench
            .found("too_many_frames_resent")
            .map(|s| (s.state, s.of))
    };
    assert_eq!(run(10, Some(200_000_000)), Some((State::Raised, Some(200))));
    assert_eq!(run(9, Some(200_000_000)).unwrap().0, State::Below);
    assert_eq!(
        run(10, Some(999_999)).unwrap().0,
        State::Withdrawn(Against::Doubled)
    );
    // Nothing is known of the one before, which may be forgotten.
    assert_eq!(run(10, None).unwrap().0, State::Raised);
}

/// Of 200 frames with data two were overtaken: 1 %.
#[test]
fn reordered_frames() {
    let run = |good: u64, times: u64| {
        let mut bench = Bench::new();
        bench.good(good);
        for n in 0..times {
            bench.noticed(&Notice {
                mark: mark(300 + n, 5000),
                from: station(9),
                to: station(1),
                carrier: "toy_link",
                conversation: None,
                bytes: 100,
                what: Noticed::Overtaken { late_ns: 1_500_000 },
            });
        }
        bench.found("frames_reordered").map(|s| (s.state, s.of))
    };
    assert_eq!(run(150, 3), Some((State::Raised, Some(300))));
    assert_eq!(run(151, 3).unwrap().0, State::Below);
    assert_eq!(run(100, 2).unwrap().0, State::Below);
    assert_eq!(run(100, 0), None);
}

impl super::super::Watch {
    /// More requests of a pair have a retransmitted response than are remembered, by two.
    pub(crate) fn overrun_resent() -> Hits {
        let mut bench = Bench::new();
        for n in 0..crate::symptoms::pair::RESENT as u64 + 2 {
            bench.lost_behind(&transaction(n + 1, Kind::Read, 0, 100), 100, 200);
        }
        bench.watch.hits()
    }

    /// Two requests of a pair go unanswered, and a third is answered, with more behind them than
    /// are remembered.
    pub(crate) fn overrun_waiting() -> Hits {
        let mut bench = Bench::new();
        for n in 1..=crate::symptoms::pair::WAITING as u64 + 3 {
            bench.begins(&unanswered(n, Kind::Read, n as i64), n as i64, false);
        }
        let known = unanswered(4, Kind::Read, 4);
        let answered = transaction(3, Kind::Read, 3, 5000);
        let lost = [1, 2].map(|n| unanswered(n, Kind::Read, n as i64));
        for t in [&known, &answered, &lost[0], &lost[1]] {
            bench.ends(t, 1, (false, 5000), None);
            bench.closed(t);
        }
        bench.watch.hits()
    }
}

use super::super::State;
use super::super::testing::{Bench, failed, mark, transaction};
use super::*;
use wirewait_wire::Status;

#[test]
fn nothing_is_wrong_with_good_service() {
    let mut bench = Bench::new();
    bench.good(500);
    assert_eq!(bench.raised(), [] as [&str; 0]);
}

/// 5 of 100 is 5 %; each costs from the interim answer on: 40 - 10 = 30 ms.
#[test]
fn a_busy_server() {
    let busy = |bench: &mut Bench, times: u64| {
        for _ in 0..times {
            bench.one(Kind::Read, 40, |t| {
                t.interims = 1;
                let asked = t.request.unwrap().last;
                t.first_interim = Some(mark(asked.frame, asked.at.as_nanos() / 1_000_000 + 10));
            });
        }
    };
    let mut bench = Bench::new();
    bench.good(95);
    busy(&mut bench, 5);
    let found = bench.found("server_busy").unwrap();
    assert_eq!(
        (found.state, found.hits.count, found.of),
        (State::Raised, 5, Some(100))
    );
    assert_eq!(found.hits.cost_ns, 5 * 30_000_000);
    assert_eq!(found.words, [("READ", 5)]);
    let mut bench = Bench::new();
    bench.good(96);
    busy(&mut bench, 4);
    assert_eq!(bench.state("server_busy"), Some(State::Below), "4 %");
    let mut bench = Bench::new();
    bench.good(14);
    busy(&mut bench, 5);
    assert_eq!(
        bench.state("server_busy"),
        Some(State::TooFew),
        "19 requests"
    );
}

/// Five of 100 requests were repeated and are slow whichever copy was answered: each counts with the lower bound of
/// 110 to 300 ms, and costs 10 ms. At 100 ms it does not count, nor do the others count among those with a
/// known turnaround.
#[test]
fn an_ambiguous_turnaround_is_slow_if_both_bounds_are() {
    let found = |low: i64| {
        let mut bench = Bench::new();
        bench.good(95);
        for _ in 0..5 {
            bench.one(Kind::Read, 300, |t| {
                t.copies = 2;
                t.turnaround = Turnaround::Between(low * 1_000_000, 300_000_000);
            });
        }
        bench.found("slow_answers")
    };
    let slow = found(110).unwrap();
    assert_eq!(
        (slow.state, slow.hits.count, slow.of),
        (State::Raised, 5, Some(100))
    );
    assert_eq!(slow.hits.cost_ns, 5 * 10_000_000);
    assert!(found(100).is_none());
}

#[test]
fn waits_by_design_and_go_aheads_make_no_busy_server() {
    let mut bench = Bench::new();
    bench.good(80);
    for _ in 0..20 {
        bench.one(Kind::Wait, 5000, |t| {
            t.interims = 1;
            t.first_interim = t.request.map(|r| r.last);
        });
    }
    assert_eq!(
        bench.state("server_busy"),
        Some(State::Withdrawn(Against::ByDesign))
    );
    let mut bench = Bench::new();
    bench.good(80);
    for _ in 0..20 {
        bench.one(Kind::Write, 50, |t| {
            t.interims = 1;
            t.first_interim = Some(mark(1, 0));
        });
    }
    assert_eq!(bench.state("server_busy"), None, "told to go on");
}

/// 5 of 100 above 100 ms; each costs what is beyond: 50 ms.
#[test]
fn slow_answers() {
    let mut bench = Bench::new();
    bench.good(95);
    for _ in 0..5 {
        bench.one(Kind::Read, 150, |_| ());
    }
    let found = bench.found("slow_answers").unwrap();
    assert_eq!((found.state, found.hits.count), (State::Raised, 5));
    assert_eq!(found.hits.cost_ns, 5 * 50_000_000);
    let kept: Vec<(u64, u64)> = found
        .hits
        .kept()
        .map(|s| (s.from.frame, s.to.frame))
        .collect();
    assert_eq!(kept[0], (191, 192), "request 96");
    let mut bench = Bench::new();
    bench.good(95);
    for _ in 0..5 {
        bench.one(Kind::Read, 100, |_| ());
    }
    assert_eq!(bench.state("slow_answers"), None, "not above 100 ms");
    // 1 of 100 is too few, unless it costs a second: 1100 - 100 ms.
    for (ms, state) in [(1099, State::Below), (1100, State::Raised)] {
        let mut bench = Bench::new();
        bench.good(99);
        bench.one(Kind::Read, ms, |_| ());
        assert_eq!(bench.state("slow_answers"), Some(state));
    }
}

#[test]
fn a_threshold_that_is_set_holds() {
    let mut bench = Bench::new();
    bench.set(Threshold::SlowAnswer, 50);
    bench.good(19);
    bench.one(Kind::Read, 1051, |_| ());
    let found = bench.found("slow_answers").unwrap();
    assert_eq!(
        (found.state, found.hits.cost_ns),
        (State::Raised, 1_001_000_000)
    );
    bench.set(Threshold::NotableCost, 1002);
    assert_eq!(bench.state("slow_answers"), Some(State::Below));
}

#[test]
fn what_waits_or_queues_is_not_slow() {
    type Change = fn(&mut Transaction);
    let cases: [(Against, Kind, Change); 4] = [
        (Against::ByDesign, Kind::Wait, |_| ()),
        (Against::Encrypted, Kind::Other, |t| {
            t.flags.set(Flags::ENCRYPTED)
        }),
        (Against::CaptureLoss, Kind::Read, |t| {
            t.flags.set(Flags::CAPTURE_LOSS)
        }),
        (Against::Pipelined, Kind::Read, |t| t.service_ns = Some(1)),
    ];
    for (why, kind, change) in cases {
        let mut bench = Bench::new();
        bench.good(80);
        let operation_of = if kind == Kind::Other {
            Kind::Read
        } else {
            kind
        };
        for _ in 0..20 {
            bench.one(operation_of, 3000, |t| {
                t.kind = kind;
                change(t);
            });
        }
        assert_eq!(bench.state("slow_answers"), Some(State::Withdrawn(why)));
    }
}

/// Thirty times a client asks for two things at once, and waits 200 ms for both: 6 s, not 12, though
/// the mean is that of sixty responses.
#[test]
fn moments_that_a_client_waits_for_several_responses_cost_once() {
    let mut bench = Bench::new();
    for n in 0..30 {
        let asked = n * 300;
        let both =
            [1, 2].map(|one| transaction(2 * n as u64 + one, Kind::Read, asked, asked + 200));
        both.iter().for_each(|t| bench.begins(t, asked, false));
        for t in both {
            bench.ends(&t, asked, (false, asked + 200), None);
            bench.close(t);
        }
        bench.last = asked + 200;
    }
    let slow = bench.found("slow_server").unwrap();
    assert_eq!(slow.state, State::Raised);
    assert_eq!((slow.hits.count, slow.of), (60, Some(60)));
    assert_eq!(slow.hits.cost_ns, 6_000_000_000);
    assert_eq!(slow.hits.total_ns, 12_000_000_000);
}

/// 501 responses of 1 ms and one of 58 s: a mean of 117 ms, of which a colleague says that one took 58 s.
#[test]
fn one_response_makes_no_slow_server() {
    let mut bench = Bench::new();
    bench.good(501);
    bench.one(Kind::Open, 58_000, |_| ());
    assert_eq!(
        bench.state("slow_server"),
        Some(State::Withdrawn(Against::Single))
    );
    assert_eq!(bench.state("slow_answers"), Some(State::Raised));
    // Two of them have the mean together.
    bench.one(Kind::Open, 58_000, |_| ());
    assert_eq!(bench.state("slow_server"), Some(State::Raised));
    // Where the others are slow as well, so is the server.
    let mut bench = Bench::new();
    for _ in 0..50 {
        bench.one(Kind::Read, 150, |_| ());
    }
    bench.one(Kind::Open, 58_000, |_| ());
    assert_eq!(bench.state("slow_server"), Some(State::Raised));
}

/// A lock that is taken is requested repeatedly: 20 times of 30.
#[test]
fn locks_that_are_refused_again_and_again_are_denied() {
    let asked = |ok: bool| {
        let mut bench = Bench::new();
        bench.good(10);
        for _ in 0..20 {
            bench.one(Kind::Lock, 1, |t| {
                t.status = Some(Status {
                    code: 0xc000_0055,
                    name: Some("STATUS_LOCK_NOT_GRANTED"),
                    ok,
                    failure: false,
                });
            });
        }
        bench.state("requests_denied")
    };
    assert_eq!(asked(false), Some(State::Raised));
    assert_eq!(asked(true), None);
}

/// 50 answers of 1 ms and 50 of 199 ms: a mean of 100 ms.
#[test]
fn a_slow_server_says_more_than_slow_answers() {
    let mut bench = Bench::new();
    bench.good(50);
    for _ in 0..50 {
        bench.one(Kind::Write, 199, |_| ());
    }
    assert_eq!(bench.state("slow_server"), Some(State::Raised));
    assert_eq!(
        bench.state("slow_answers"),
        Some(State::Covered("slow_server"))
    );
    bench.good(1);
    assert_eq!(bench.state("slow_server"), Some(State::Below));
    assert_eq!(bench.state("slow_answers"), Some(State::Raised));
}

/// 3 of 103 requests; each was given up after 500 ms.
#[test]
fn requests_without_an_answer() {
    let mut bench = Bench::new();
    bench.good(100);
    for _ in 0..3 {
        bench.lost(Kind::Read, 500, |_| ());
    }
    let found = bench.found("unanswered_requests").unwrap();
    assert_eq!(
        (found.state, found.hits.cost_ns),
        (State::Raised, 1_500_000_000)
    );
    let mut bench = Bench::new();
    bench.good(100);
    for _ in 0..2 {
        bench.lost(Kind::Read, 499, |_| ());
    }
    assert_eq!(bench.state("unanswered_requests"), Some(State::Below));
}

#[test]
fn whoever_asks_for_the_next_thing_no_longer_waits_for_this_one() {
    let mut bench = Bench::new();
    let first = super::super::testing::unanswered(1, Kind::Read, 10);
    let second = super::super::testing::unanswered(2, Kind::Read, 30);
    bench.begins(&first, 10, false);
    bench.begins(&second, 30, false);
    bench.ends(&first, 10, (false, 60_010), None);
    bench.closed(&first);
    bench.ends(&second, 30, (false, 1030), None);
    bench.closed(&second);
    let found = bench.found("unanswered_requests").unwrap();
    assert_eq!(found.hits.cost_ns, 20_000_000 + 1_000_000_000);
}

#[test]
fn an_answer_that_was_not_captured_is_no_fault_of_the_server() {
    for (flag, why) in [
        (Flags::ONE_SIDED, Against::OneSided),
        (Flags::OPEN_AT_END, Against::EndOfCapture),
        (Flags::CAPTURE_LOSS, Against::CaptureLoss),
    ] {
        let mut bench = Bench::new();
        bench.good(100);
        for _ in 0..5 {
            bench.lost(Kind::Read, 500, |t| t.flags.set(flag));
        }
        assert_eq!(
            bench.state("unanswered_requests"),
            Some(State::Withdrawn(why))
        );
    }
    let mut bench = Bench::new();
    bench.good(100);
    for _ in 0..5 {
        bench.lost(Kind::Read, 500, |_| ());
    }
    let [client, server] = [1, 9].map(super::super::testing::station);
    let pair = bench.directory.pair_of(client, server);
    bench.watch.missed(pair);
    assert_eq!(
        bench.state("unanswered_requests"),
        Some(State::Withdrawn(Against::CaptureLoss))
    );
}

#[test]
fn a_server_that_does_not_respond_was_asked_more_than_three_times_again() {
    for (copies, state) in [(5, Some(State::Raised)), (4, None)] {
        let mut bench = Bench::new();
        bench.lost(Kind::Read, 500, |t| t.copies = copies);
        assert_eq!(bench.state("server_not_responding"), state);
    }
    let mut bench = Bench::new();
    bench.lost(Kind::Read, 500, |t| {
        t.copies = 5;
        t.flags.set(Flags::ONE_SIDED);
    });
    assert_eq!(
        bench.state("server_not_responding"),
        Some(State::Withdrawn(Against::OneSided))
    );
}

/// Five requests whose first and last are 4 x 2501 ms apart.
#[test]
fn one_way_traffic_is_said_once() {
    let silent = |ms: i64, change: fn(&mut Transaction)| {
        let mut bench = Bench::new();
        bench.good(3);
        for _ in 0..8 {
            bench.lost(Kind::Read, ms - 1, change);
        }
        bench.found("one_way_traffic")
    };
    let found = silent(2501, |_| ()).unwrap();
    assert_eq!((found.state, found.hits.count), (State::Raised, 1));
    assert!(silent(1428, |_| ()).is_none(), "eight in 9996 ms");
    assert_eq!(
        silent(2501, |t| t.flags.set(Flags::ONE_SIDED))
            .unwrap()
            .state,
        State::Withdrawn(Against::OneSided)
    );
}

#[test]
fn an_answer_in_between_ends_the_silence() {
    let mut bench = Bench::new();
    for _ in 0..5 {
        bench.lost(Kind::Read, 2500, |_| ());
        bench.good(1);
    }
    assert_eq!(bench.state("one_way_traffic"), None);
}

/// 8 of 28 is 28.6 %; 8 of 41 is 19.5 %.
#[test]
fn requests_denied() {
    let denied = |good: u64, kind: Kind| {
        let mut bench = Bench::new();
        bench.good(good);
        for _ in 0..8 {
            bench.one(kind, 2, |t| t.status = failed("no access"));
        }
        bench.found("requests_denied")
    };
    let found = denied(20, Kind::Open).unwrap();
    assert_eq!(
        (found.state, found.hits.count, found.of),
        (State::Raised, 8, Some(28))
    );
    assert_eq!(found.words, [("no access", 8)]);
    assert_eq!(found.hits.cost_ns, 16_000_000);
    assert_eq!(denied(33, Kind::Open).unwrap().state, State::Below);
    assert!(denied(20, Kind::Session).is_none(), "a log-on is no file");
}

/// 30 encrypted requests of 120 ms each. What brings 64 KiB reads a file; what brings 200 bytes may wait by design, as what brings
/// as many as a notification may.
#[test]
fn an_encrypted_response_that_brings_much_is_judged() {
    let judged = |request_bytes, response_bytes| {
        let mut bench = Bench::new();
        for _ in 0..30 {
            bench.one(Kind::Read, 120, |t| {
                t.flags.set(Flags::ENCRYPTED);
                t.kind = Kind::Other;
                (t.request_bytes, t.response_bytes) = (request_bytes, response_bytes);
            });
        }
        (bench.raised(), bench.judge().unreadable)
    };
    assert_eq!(judged(169, 65_672), (vec!["slow_server"], 0));
    assert_eq!(judged(65_672, 136), (vec!["slow_server"], 0));
    assert_eq!(judged(169, BY_DESIGN_BYTES + 1), (vec!["slow_server"], 0));
    assert_eq!(judged(169, BY_DESIGN_BYTES), (vec![], 30));
    assert_eq!(judged(169, 200), (vec![], 30));
}

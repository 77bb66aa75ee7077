use super::super::State;
use super::super::testing::{Bench, at, mark, station};
use super::*;
use wirewait_wire::{Facts, Frame, LinkType, Numbered, Walk};

const MS: i64 = 1_000_000;

impl Bench {
    /// Station 9 does something to station 1.
    fn notice(&mut self, frame: u64, ms: i64, what: Noticed) {
        self.noticed(&Notice {
            mark: mark(frame, ms),
            from: station(9),
            to: station(1),
            carrier: "toy_link",
            conversation: None,
            bytes: 0,
            what,
        });
    }

    /// Station 1 does something to station 9.
    fn answer(&mut self, frame: u64, ms: i64, what: Noticed) {
        self.noticed(&Notice {
            mark: mark(frame, ms),
            from: station(1),
            to: station(9),
            carrier: "toy_link",
            conversation: None,
            bytes: 0,
            what,
        });
    }

    /// A data frame from station 1 to station 9.
    fn data(&mut self, frame: u64, ms: i64) {
        self.data_between((station(1), station(9)), frame, ms);
    }

    fn data_between(&mut self, (from, to): (Endpoint, Endpoint), frame: u64, ms: i64) {
        let mut walk = Walk::default();
        walk.facts = Facts {
            from,
            to,
            order: Order::Numbered(Numbered {
                kind: NumberedKind::Data,
                number: 0,
                connection: None,
                modulus: 128,
                expects: None,
                poll: false,
                response: false,
            }),
            ..Facts::default()
        };
        let frame_seen = Frame {
            at: at(ms),
            link: LinkType(147),
            interface: 0,
            wire_len: 60,
            bytes: &[],
        };
        let course = self.watch.course_mut();
        self.frames.seen(
            &Seen {
                before: &None,
                hops: None,
                mark: mark(frame, ms),
                frame: &frame_seen,
                on_wire: 0,
                walk: &walk,
                carrier: "toy_link",
                path: &Path::default(),
            },
            course,
        );
    }
}

const fn acknowledged(after_ms: i64, bare: bool) -> Noticed {
    Noticed::Acknowledged {
        bare,
        message: false,
        may_ride: false,
        frames: 1,
        outstanding: 1460,
        last_bytes: 1460,
        after_ns: after_ms * MS,
        sent: None,
        at_once: false,
    }
}

/// A receiver 80 ms away acknowledges after 119 ms, and after 120: a round trip is no wait.
#[test]
fn over_a_distance_nobody_waits_for_less_than_a_round_trip() {
    let run = |after_ms: i64| {
        let mut bench = Bench::new();
        let mut soon = acknowledged(80, true);
        if let Noticed::Acknowledged { at_once, .. } = &mut soon {
            *at_once = true;
        }
        bench.notice(1, 0, soon);
        for n in 1..4 {
            let now = n as i64 * 1000;
            bench.notice(2 * n + 1, now, acknowledged(after_ms, true));
            bench.data(2 * n + 2, now + 1);
        }
        let found = bench.found("acknowledgement_waits");
        found.map(|found| found.hits.cost_ns)
    };
    assert_eq!(run(119), None);
    assert_eq!(run(120), Some(360_000_000));
}

/// Three messages of 20 windows took 760 ms each. The smaller window of the two is named, and what it does to
/// acknowledgements is not said as well.
#[test]
fn a_window_limits_what_is_sent_over_a_distance() {
    let mut bench = Bench::new();
    for n in 0..3 {
        let now = n as i64 * 1000;
        let filled = Noticed::FilledWindow {
            first: mark(100 * n + 1, now),
            window: if n == 1 { 32_768 } else { 65_535 },
            round_trip_ns: 40 * MS,
            least_ns: 760 * MS,
        };
        bench.answer(100 * n + 50, now + 760, filled);
        for frame in 0..3 {
            let ms = now + 100 * frame;
            bench.notice(100 * n + 2 * frame as u64 + 2, ms, acknowledged(40, true));
            bench.data(100 * n + 2 * frame as u64 + 3, ms);
        }
    }
    let found = bench.found("window_limits").unwrap();
    assert_eq!((found.state, found.hits.count), (State::Raised, 3));
    assert_eq!(found.hits.cost_ns, 2_280_000_000);
    let window = found.window.unwrap();
    assert_eq!(
        (window.receiver, window.bytes),
        (station(9).station(), 32_768)
    );
    assert_eq!(window.bytes_per_second(), 819_200);
    let waits = bench.found("acknowledgement_waits").unwrap();
    assert_eq!(waits.state, State::Covered("window_limits"));
}

/// Three times an acknowledgement comes after 40 ms, and more data at once.
#[test]
fn a_sender_waits_for_acknowledgements() {
    let run = |times: u64, after_ms: i64, pause_ms: i64| {
        let mut bench = Bench::new();
        for n in 0..times {
            let now = n as i64 * 1000;
            bench.notice(2 * n + 1, now, acknowledged(after_ms, true));
            bench.data(2 * n + 2, now + pause_ms);
        }
        bench.found("acknowledgement_waits")
    };
    let found = run(3, 40, 1).unwrap();
    assert_eq!(
        (found.state, found.hits.cost_ns),
        (State::Raised, 120_000_000)
    );
    let first = found.hits.kept().next().unwrap();
    assert_eq!((first.from.frame, first.to.frame), (1, 2));
    assert_eq!(run(2, 40, 1).unwrap().state, State::Below);
    assert!(run(3, 39, 1).is_none(), "no long wait");
    assert!(run(3, 40, 2).is_none(), "it had nothing to send yet");
}

/// Over a way of 40 ms each acknowledgement takes that long. The next request comes behind it, and
/// what is sent then is its response.
#[test]
fn a_response_to_the_next_request_has_not_waited_for_the_acknowledgement() {
    let mut bench = Bench::new();
    for n in 0..5 {
        let now = n * 1000;
        bench.notice(3 * n as u64 + 1, now, acknowledged(40, true));
        bench.data_between((station(9), station(1)), 3 * n as u64 + 2, now);
        bench.data(3 * n as u64 + 3, now + 1);
    }
    assert!(bench.found("acknowledgement_waits").is_none());
}

#[test]
fn acknowledgements_that_come_late() {
    let run = |late: u64, good: u64, bare: bool| {
        let mut bench = Bench::new();
        for n in 0..late {
            bench.notice(n + 1, 0, acknowledged(251, bare));
        }
        for n in 0..good {
            bench.notice(n + 100, 0, acknowledged(250, true));
        }
        bench.state("late_acknowledgements")
    };
    assert_eq!(run(5, 20, true), Some(State::Raised), "20 %");
    assert_eq!(run(5, 21, true), Some(State::Below));
    assert_eq!(run(5, 14, true), Some(State::TooFew));
    assert_eq!(run(5, 20, false), None, "they ride on data");
}

#[test]
fn receivers_that_can_take_no_more() {
    let run = |ms: i64| {
        let mut bench = Bench::new();
        let after_ns = ms * MS;
        bench.notice(1, 0, Noticed::Ready { after_ns });
        (bench.state("receiver_busy"), bench.state("frozen_window"))
    };
    assert_eq!(run(10), (None, None));
    assert_eq!(run(11), (Some(State::Raised), None));
    assert_eq!(run(5000), (Some(State::Raised), None));
    assert_eq!(
        run(5001),
        (Some(State::Covered("frozen_window")), Some(State::Raised))
    );
}

#[test]
fn rejects_and_polls_without_answer() {
    for (id, what) in [
        ("rejects", Noticed::Rejected),
        (
            "polls_unanswered",
            Noticed::PollUnanswered { after_ns: 200 * MS },
        ),
    ] {
        let mut bench = Bench::new();
        bench.notice(1, 0, what);
        bench.notice(2, 300, what);
        assert_eq!(bench.state(id), Some(State::Below));
        bench.notice(3, 600, what);
        assert_eq!(bench.state(id), Some(State::Raised));
    }
}

/// More than three rounds, with nothing heard in between.
#[test]
fn data_that_is_not_acknowledged() {
    let run = |rounds: u64, apart_ms: i64, heard: Option<u64>| {
        let mut bench = Bench::new();
        for n in 0..rounds {
            let now = n as i64 * apart_ms;
            if heard == Some(n) {
                bench.noticed(&Notice {
                    mark: mark(50, now),
                    from: station(1),
                    to: station(9),
                    carrier: "toy_link",
                    conversation: None,
                    bytes: 0,
                    what: acknowledged(1, true),
                });
            }
            bench.notice(
                n + 1,
                now,
                Noticed::Resent {
                    after_ns: Some(300 * MS),
                },
            );
        }
        bench
            .found("data_not_acknowledged")
            .map(|s| (s.state, s.hits.cost_ns))
    };
    assert_eq!(run(4, 300, None), Some((State::Raised, 900_000_000)));
    assert_eq!(run(3, 300, None), None);
    assert_eq!(run(6, 300, Some(3)), None, "it was heard in between");
    assert_eq!(run(9, 5, None), None, "one round of many frames");
}

#[test]
fn ends_that_cannot_be_reached() {
    let state = |id: &str, what: Noticed| {
        let mut bench = Bench::new();
        bench.notice(1, 0, what);
        bench.state(id)
    };
    let died = |tries| Noticed::Died {
        tries,
        silent_ns: 7000 * MS,
    };
    assert_eq!(state("connection_timed_out", died(3)), Some(State::Raised));
    assert_eq!(state("connection_timed_out", died(2)), None);
    let asked = |tries| Noticed::NotAnswered {
        tries,
        first: mark(1, 0),
    };
    assert_eq!(
        state("connection_not_answered", asked(4)),
        Some(State::Raised)
    );
    assert_eq!(state("connection_not_answered", asked(3)), None);
    let opened = |ms: i64| Noticed::Opened {
        tries: 1,
        after_ns: ms * MS,
    };
    assert_eq!(state("slow_connection", opened(1001)), Some(State::Raised));
    assert_eq!(state("slow_connection", opened(1000)), None);
}

#[test]
fn whoever_finds_another_door_was_not_refused() {
    let refused = |bench: &mut Bench, times: u64| {
        for n in 0..times {
            bench.notice(n + 1, n as i64, Noticed::Refused { tries: 1 });
        }
    };
    let mut bench = Bench::new();
    refused(&mut bench, 2);
    assert_eq!(bench.state("connection_refused"), Some(State::Below));
    refused(&mut bench, 1);
    assert_eq!(bench.state("connection_refused"), Some(State::Raised));
    bench.notice(
        9,
        9,
        Noticed::Opened {
            tries: 1,
            after_ns: 1,
        },
    );
    assert_eq!(
        bench.state("connection_refused"),
        Some(State::Withdrawn(Against::OtherDoor))
    );
}

/// Who is refused, and asks again within 30 s, had nothing else to do: three seconds here. What comes later is another attempt.
#[test]
fn refusals_cost_the_time_until_the_next_one() {
    let mut bench = Bench::new();
    for (n, ms) in [(1, 0), (2, 1_000), (3, 3_000), (4, 40_000)] {
        bench.notice(n, ms, Noticed::Refused { tries: 1 });
    }
    let found = bench.found("connection_refused").unwrap();
    assert_eq!((found.hits.count, found.hits.cost_ns), (4, 3_000_000_000));
}

/// The server was started anew: the door is the same, and was closed for 2 s.
#[test]
fn whoever_was_refused_for_long_was_refused() {
    for (opened_ms, state) in [
        (2_003, State::Raised),
        (1_003, State::Withdrawn(Against::OtherDoor)),
    ] {
        let mut bench = Bench::new();
        for n in 0..3_u64 {
            let refused = Noticed::Refused { tries: 1 };
            bench.notice(n + 1, 3 + 200 * n as i64, refused);
        }
        let opened = Noticed::Opened {
            tries: 1,
            after_ns: 1,
        };
        bench.notice(9, opened_ms, opened);
        assert_eq!(
            bench.state("connection_refused"),
            Some(state),
            "{opened_ms}"
        );
    }
}

impl super::super::Watch {
    /// Two acknowledgements more come late within a millisecond than are remembered.
    pub(crate) fn overrun_late() -> Hits {
        let mut bench = Bench::new();
        for n in 0..LATE as u64 + 2 {
            bench.notice(n + 1, 0, acknowledged(200, true));
        }
        bench.frames.hits()
    }
}

/// Attempts with three requests each, at 0, 1 and 3 s of it: each costs 3 s. More than three requests in a row make it one, whether
/// in one attempt or in several.
#[test]
fn a_server_that_answers_no_attempt_is_found_over_several() {
    let attempt = |bench: &mut Bench, n: u64, tries: u32| {
        let began = n as i64 * 7000;
        let what = Noticed::NotAnswered {
            tries,
            first: mark(n * 10 + 1, began),
        };
        bench.notice(n * 10 + 3, began + 3000, what);
    };
    let judged = |attempts: u64, tries: u32| {
        let mut bench = Bench::new();
        (0..attempts).for_each(|n| attempt(&mut bench, n, tries));
        let found = bench.found("connection_not_answered");
        found.map(|s| (s.state, s.hits.count, s.hits.cost_ns / 1_000_000))
    };
    assert_eq!(judged(10, 3), Some((State::Raised, 10, 30_000)));
    assert_eq!(judged(2, 3), Some((State::Raised, 2, 6000)));
    assert_eq!(judged(1, 4), Some((State::Raised, 1, 3000)));
    assert_eq!(judged(1, 3), None, "one attempt with few requests");
    assert_eq!(judged(20, 1), None, "nothing says that no response came");
    // Answered, or refused, in between; or another port is open.
    let opened = Noticed::Opened {
        tries: 1,
        after_ns: 0,
    };
    for answer in [opened, Noticed::Refused { tries: 1 }] {
        let mut bench = Bench::new();
        for n in 0..10 {
            attempt(&mut bench, n, 3);
            bench.answer(n * 10 + 5, n as i64 * 7000 + 4000, answer);
        }
        assert_eq!(bench.state("connection_not_answered"), None, "{answer:?}");
    }
}

use super::super::State;
use super::super::testing::{Bench, failed, transaction, unanswered};
use super::*;
use crate::Flags;
use crate::bounds::Hits;
use crate::world::CutOff;
use wirewait_wire::Effects;

#[test]
fn a_log_on_refused_three_times() {
    let mut bench = Bench::new();
    for n in 0..3 {
        assert_eq!(
            bench.state("logon_refused"),
            (n > 0).then_some(State::Below)
        );
        bench.one(Kind::Session, 1, |t| t.status = failed("wrong password"));
    }
    let found = bench.found("logon_refused").unwrap();
    assert_eq!(found.state, State::Raised);
    assert_eq!(found.words, [("wrong password", 3)]);
}

/// One second is not too long; what is beyond is the cost.
#[test]
fn a_slow_log_on() {
    let mut bench = Bench::new();
    bench.one(Kind::Session, 1000, |_| ());
    assert_eq!(bench.state("slow_connect"), None);
    bench.one(Kind::Session, 1400, |_| ());
    let found = bench.found("slow_connect").unwrap();
    assert_eq!(
        (found.state, found.hits.cost_ns),
        (State::Raised, 400_000_000)
    );
    assert_eq!(bench.state("slow_answers"), None, "no answer about a file");
}

#[test]
fn a_session_that_is_never_set_up() {
    let mut bench = Bench::new();
    for n in 0..3 {
        assert_eq!(
            bench.state("no_connection"),
            (n > 0).then_some(State::Below)
        );
        bench.lost(Kind::Session, 100, |t| t.effects = Effects::LOGS_ON);
    }
    assert_eq!(bench.state("no_connection"), Some(State::Raised));
    // To log off, or to ask who is logged on, takes a session.
    let mut bench = Bench::new();
    for effects in [Effects::LOGS_OFF, Effects::DETACHES, Effects::NONE] {
        bench.lost(Kind::Session, 100, |t| t.effects = effects);
    }
    assert_eq!(bench.state("no_connection"), None);
    for effects in [Effects::NEGOTIATES, Effects::SETS_UP] {
        bench.lost(Kind::Session, 100, |t| t.effects = effects);
    }
    assert_eq!(bench.state("no_connection"), Some(State::Below));
    bench.lost(Kind::Session, 100, |t| t.effects = Effects::ATTACHES);
    assert_eq!(bench.state("no_connection"), Some(State::Raised));
    let mut bench = Bench::new();
    for _ in 0..3 {
        bench.lost(Kind::Session, 100, |t| {
            t.effects = Effects::LOGS_ON;
            t.flags.set(Flags::OPEN_AT_END);
        });
    }
    assert_eq!(
        bench.state("no_connection"),
        Some(State::Withdrawn(Against::EndOfCapture))
    );
}

/// A client that calls a name that is not there tries another one (RFC 1002, section 4.3.4): where that works nothing is
/// wrong.
#[test]
fn calls_that_are_refused_matter_where_none_is_accepted() {
    let refused = |t: &mut crate::Transaction| {
        t.effects = Effects::SETS_UP;
        t.status = failed("CALLED NAME NOT PRESENT");
        if let Some(status) = &mut t.status {
            status.failure = false;
        }
    };
    let mut bench = Bench::new();
    for _ in 0..3 {
        bench.one(Kind::Session, 1, refused);
    }
    let found = bench.found("logon_refused").unwrap();
    assert_eq!((found.state, found.hits.count), (State::Raised, 3));
    bench.one(Kind::Read, 1, |_| ());
    assert_eq!(
        bench.state("logon_refused"),
        Some(State::Withdrawn(Against::OtherDoor))
    );
}

/// One after the other, on connections that are closed together later.
#[test]
fn waits_that_are_over_before_their_requests_are_closed_cost_each_their_own() {
    let mut bench = Bench::new();
    let calls = [1, 2, 3, 4].map(|n| {
        let mut t = unanswered(n, Kind::Session, n as i64 * 20_000);
        t.effects = Effects::SETS_UP;
        t
    });
    for (t, n) in calls.iter().zip(1..) {
        bench.begins(t, n * 20_000, false);
        bench.ends(t, n * 20_000, (false, n * 20_000 + 15_000), None);
    }
    for t in &calls {
        bench.closed(t);
    }
    let found = bench.found("no_connection").unwrap();
    assert_eq!((found.hits.count, found.hits.cost_ns), (4, 60_000_000_000));
}

/// A read was open for 700 ms when its server reset the connection.
#[test]
fn a_server_that_resets_the_connection_of_a_client_that_waits() {
    let mut bench = Bench::new();
    let read = unanswered(1, Kind::Read, 10);
    bench.cut_off(&read, (10, 710), CutOff::default());
    let found = bench.found("connection_reset").unwrap();
    assert_eq!(
        (found.state, found.hits.cost_ns),
        (State::Raised, 700_000_000)
    );
    assert_eq!(found.words, [("READ", 1)]);
    // What refuses to set up a session is said otherwise.
    let mut bench = Bench::new();
    let log_on = unanswered(1, Kind::Session, 10);
    bench.cut_off(&log_on, (10, 710), CutOff::default());
    assert_eq!(bench.state("connection_reset"), None);
}

/// One second behind the response, and a millisecond more.
#[test]
fn a_reset_right_behind_a_response() {
    let state = |kind: Kind, after: i64| {
        let mut bench = Bench::new();
        let answered = CutOff {
            answered: true,
            ..CutOff::default()
        };
        bench.cut_off(&transaction(1, kind, 10, 20), (20, 20 + after), answered);
        let found = bench.found("connection_reset");
        found.map(|found| (found.state, found.hits.cost_ns))
    };
    assert_eq!(state(Kind::Read, 1000), Some((State::Raised, 0)));
    assert_eq!(state(Kind::Read, 1001), None);
    assert_eq!(state(Kind::Session, 1), None, "it logged off");
    assert_eq!(state(Kind::Wait, 1), None);
}

#[test]
fn a_reset_that_takes_nothing_away_is_withdrawn() {
    let state = |kind: Kind, lacks: bool| {
        let mut bench = Bench::new();
        let cut = CutOff {
            lacks,
            ..CutOff::default()
        };
        bench.cut_off(&unanswered(1, kind, 10), (10, 900_010), cut);
        bench.state("connection_reset").unwrap()
    };
    // Servers end sessions in which nothing but a notification was open for a quarter of an hour.
    assert_eq!(
        state(Kind::Wait, false),
        State::Withdrawn(Against::ByDesign)
    );
    assert_eq!(
        state(Kind::Read, true),
        State::Withdrawn(Against::CaptureLoss)
    );
}

/// Any station may respond to a lookup: a lost one is no fault of a file server.
#[test]
fn lookups_stand_apart() {
    let mut bench = Bench::new();
    for n in 1..=3 {
        let t = unanswered(n, Kind::Session, n as i64);
        bench.begins(&t, n as i64, true);
        bench.ends(&t, n as i64, (true, 60_000), None);
        assert_eq!(
            bench.state("lookups_unanswered"),
            (n > 1).then_some(State::Below)
        );
        bench.closed(&t);
    }
    assert_eq!(bench.raised(), ["lookups_unanswered"]);
}

/// A single one costs from the first to the last time that it was asked, and is raised by that.
#[test]
fn a_lookup_costs_what_its_repetitions_took() {
    let state = |last: i64| {
        let mut bench = Bench::new();
        let t = unanswered(1, Kind::Session, 10);
        bench.begins(&t, 10, true);
        bench.repeated = Some(last);
        bench.ends(&t, 10, (true, 60_000), None);
        bench.closed(&t);
        let found = bench.found("lookups_unanswered").unwrap();
        (found.state, found.hits.cost_ns)
    };
    assert_eq!(state(1009), (State::Below, 999_000_000));
    assert_eq!(state(4010), (State::Raised, 4_000_000_000));
}

/// A name service that is not there sends nothing, and the capture ends before a time-out: what was repeated was not
/// answered all the same. Where it was refused in between, its waits of 1 and 2 s come one by one.
#[test]
fn a_lookup_that_was_repeated_needs_no_other_evidence() {
    for (flag, why) in [
        (Flags::ONE_SIDED, Against::OneSided),
        (Flags::OPEN_AT_END, Against::EndOfCapture),
    ] {
        for (copies, state) in [(1, State::Withdrawn(why)), (2, State::Raised)] {
            let mut bench = Bench::new();
            for n in 1..=3 {
                let asked = n as i64 * 10_000;
                let mut t = unanswered(n, Kind::Session, asked);
                t.flags.set(flag);
                t.copies = copies;
                bench.begins(&t, asked, true);
                for (began, repeated) in [(0, 0), (1, 1001), (1002, 3002)] {
                    let (began, repeated) = (asked + began, asked + repeated);
                    bench.repeated = (copies > 1).then_some(repeated);
                    bench.ends(&t, began, (true, repeated), None);
                }
                bench.closed(&t);
            }
            let found = bench.found("lookups_unanswered").unwrap();
            let cost_ns = 9_000_000_000 * u64::from(copies > 1);
            assert_eq!((found.state, found.hits.cost_ns), (state, cost_ns));
        }
    }
}

/// Twenty names that everyone was asked for three times, 250 ms apart, and that nobody has: nineteen are below
/// the threshold. None of them costs anything, and none is a name server's.
#[test]
fn names_that_nobody_has() {
    let mut bench = Bench::new();
    let ask = |bench: &mut Bench, n: u64, copies: u32, change: fn(&mut Transaction)| {
        let from = n as i64 * 1000;
        let mut t = unanswered(n, Kind::Session, from);
        (t.everyone, t.copies) = (true, copies);
        let name = if n.is_multiple_of(4) {
            "FS2<20>"
        } else {
            "FS1<20>"
        };
        t.sought = Some(name.into());
        change(&mut t);
        bench.begins(&t, from, true);
        bench.repeated = (copies > 1).then_some(from + 500);
        bench.ends(&t, from, (true, from + 60_000), None);
        bench.closed(&t);
    };
    for n in 1..=19 {
        ask(&mut bench, n, 3, |_| ());
    }
    assert_eq!(bench.state("absent_names"), Some(State::Below));
    // What was asked once may have been answered unseen, and a registration looks for no name.
    ask(&mut bench, 20, 1, |_| ());
    ask(&mut bench, 21, 3, |t| t.sought = None);
    let found = bench.found("absent_names").unwrap();
    assert_eq!(found.state, State::Withdrawn(Against::OneSided));
    ask(&mut bench, 22, 3, |_| ());
    let found = bench.found("absent_names").unwrap();
    assert_eq!(bench.raised(), ["absent_names"]);
    assert_eq!((found.hits.count, found.hits.cost_ns), (20, 0));
    // 4, 8, 12, 16 of the first nineteen.
    assert_eq!(found.names, [("FS1<20>".into(), 16), ("FS2<20>".into(), 4)]);
    assert_eq!(found.lasted_ns, 20 * 500_000_000);
    assert_eq!(bench.state("lookups_unanswered"), None);
}

impl super::super::Watch {
    /// Two questions to anyone more are open than are remembered. Those that are closed need no room.
    pub(crate) fn overrun_lookups() -> Hits {
        let mut bench = Bench::new();
        let ask = |bench: &mut Bench, n: u64| {
            let t = unanswered(n, Kind::Session, 0);
            bench.begins(&t, 0, true);
            bench.ends(&t, 0, (true, 100), None);
            t
        };
        for n in 1..=crate::symptoms::watch::LOOKUPS as u64 {
            let t = ask(&mut bench, n);
            bench.closed(&t);
        }
        for n in 0..crate::symptoms::watch::LOOKUPS as u64 + 2 {
            ask(&mut bench, 1000 + n);
        }
        bench.watch.hits()
    }
}

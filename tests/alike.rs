//! Captures that did other work than the baseline: failures, another mix of operations, servers of which one became
//! slower and another faster, long waits, a coarse clock. What happened is known, as the frames are made.

use crate::compare::run;
use std::fmt::Write;
use wirewait_analysis::Sink;
use wirewait_judge::compare::{
    Against, Basis, By, Caveat, Change, Comparison, Condition, ConditionOutcome, Confidence,
    Effect, Figure, Key, Relation, Values,
};

/// A request: read or query, of which client and server (0 or 1), what it takes, µs, and whether it is
/// refused.
#[derive(Clone, Copy)]
struct Request {
    reads: bool,
    pair: usize,
    us: i64,
    refused: bool,
}

fn read(us: i64) -> Request {
    Request {
        reads: true,
        pair: 0,
        us,
        refused: false,
    }
}

fn query(us: i64) -> Request {
    Request {
        reads: false,
        ..read(us)
    }
}

/// Within 5 % of what it takes, and no two requests alike.
fn around(us: i64, at: usize) -> i64 {
    us * (950 + i64::try_from(at * 7919 % 101).unwrap()) / 1000
}

/// Requests one after the other with pauses of 2 ms, by a clock of such ticks.
fn capture(requests: impl Iterator<Item = Request>, tick_us: i64) -> String {
    let mut text = "title alike\n\
        client C tcp 10.0.0.1:1025\n\
        client D tcp 10.0.0.2:1025\n\
        server S tcp 10.0.0.8:445\n\
        server T tcp 10.0.0.9:445\n"
        .to_owned();
    let seconds = |us: i64| {
        let us = us / tick_us * tick_us;
        format!("{}.{:06}", us / 1_000_000, us % 1_000_000)
    };
    let mut now = 0;
    for one in requests {
        let (c, s) = [("C", "S"), ("D", "T")][one.pair];
        let (asked, responded) = match (one.reads, one.refused) {
            (true, false) => ("read file=1 offset=0 length=512", "read data=512"),
            (true, true) => ("read file=1 offset=0 length=512", "read status=0xc0000022"),
            (false, false) => ("query-info file=1", "query-info"),
            (false, true) => ("query-info file=1", "query-info status=0xc0000022"),
        };
        writeln!(text, "{} {c}>{s} smb2 {asked}", seconds(now)).unwrap();
        writeln!(text, "{} {s}>{c} smb2 {responded}", seconds(now + one.us)).unwrap();
        now += one.us + 2000;
    }
    text
}

fn with_ticks(base: Vec<Request>, other: Vec<Request>, tick_us: i64) -> Comparison {
    let analyses = [(base, 1), (other, tick_us)]
        .map(|(requests, tick_us)| run(&capture(requests.into_iter(), tick_us)));
    let values: Vec<Values> = analyses
        .iter()
        .map(|analysis| {
            let mut values = Values::new(500_000_000);
            let transactions = analysis.transactions.iter();
            transactions.for_each(|t| values.transaction(t));
            values
        })
        .collect();
    let [base, other] = &analyses;
    Comparison::with(&[&base.snapshot, &other.snapshot], &values, None)
}

fn compared(base: Vec<Request>, other: Vec<Request>) -> Comparison {
    with_ticks(base, other, 1)
}

fn made(n: usize, of: impl Fn(usize) -> Request) -> Vec<Request> {
    (0..n).map(of).collect()
}

fn named(key: Option<&Key>) -> &str {
    match key {
        Some(Key::Operation { command, .. }) => command,
        _ => "",
    }
}

fn longer(comparison: &Comparison) -> ConditionOutcome {
    let condition = Condition {
        text: "it".to_owned(),
        figure: Figure::ResponseTime,
        group: None,
        relation: Relation::Above,
        against: Against::Baseline(100_000),
        significant: false,
    };
    condition.judge(comparison, |_| String::new())[0].outcome
}

/// Every read is refused in 0.4 ms, where each took 5 ms.
#[test]
fn refusals_are_not_faster_work() {
    let reads = |at| read(around(5000, at));
    let refused = |at| Request {
        refused: true,
        ..read(around(400, at))
    };
    let result = compared(made(200, reads), made(200, refused));
    let verdict = &result.verdicts[0];
    let errors = verdict.errors.as_ref().unwrap();
    assert_eq!((errors.other.answered, errors.other.failed), (200, 200));
    assert!(errors.rose() && errors.decides() && errors.succeeded.is_none());
    assert_eq!(named(errors.most.as_ref()), "READ");
    assert_eq!(
        (verdict.effect, verdict.basis),
        (Effect::TooFew, Basis::Succeeded)
    );
    assert!(matches!(longer(&result), ConditionOutcome::Failing(..)));

    // Half of them: those that succeed take as long, and a read moves as much.
    let half = |at: usize| {
        if at * 13 % 7 < 3 {
            refused(at)
        } else {
            reads(at)
        }
    };
    let result = compared(made(200, reads), made(200, half));
    let verdict = &result.verdicts[0];
    assert_eq!(
        (verdict.effect, verdict.basis),
        (Effect::None, Basis::Succeeded)
    );
    assert!(verdict.work.is_none(), "{verdict:?}");
    let succeeded = verdict.errors.as_ref().unwrap().succeeded.unwrap();
    assert!(
        matches!(succeeded.change(), Change::Thousandths(-20..=20)),
        "{succeeded:?}"
    );

    // Those that succeed take twice as long.
    let slow = |at: usize| Request {
        us: if at * 13 % 7 < 3 {
            400
        } else {
            around(10_000, at)
        },
        ..half(at)
    };
    let verdict = &compared(made(200, reads), made(200, slow)).verdicts[0];
    assert_eq!(
        (verdict.effect, verdict.basis),
        (Effect::Slower, Basis::Succeeded)
    );

    // Where as many fail as before nothing is said of it.
    let result = compared(made(200, half), made(200, half));
    assert_eq!(result.verdicts[0].errors, None);
    assert_eq!(longer(&result), ConditionOutcome::No);
}

/// One read in ten requests, then nine: each operation takes as long.
#[test]
fn another_mix_of_operations_is_no_slower_server() {
    let mix = |reads: usize, times: i64| {
        made(300, |at| match at * 7 % 10 < reads {
            true => read(around(10_000 * times / 10, at)),
            false => query(around(1000 * times / 10, at)),
        })
    };
    let verdict = &compared(mix(1, 10), mix(9, 10)).verdicts[0];
    assert_eq!(
        (verdict.effect, verdict.basis),
        (Effect::None, Basis::Operations)
    );
    assert_eq!(verdict.moved, []);
    // Each a third slower, and fewer of the long ones.
    let result = compared(mix(5, 10), mix(2, 13));
    let verdict = &result.verdicts[0];
    assert_eq!(
        (verdict.effect, verdict.basis),
        (Effect::Slower, Basis::Operations)
    );
    let faster = result.all.change(0, Figure::ResponseTime).unwrap();
    assert!(matches!(faster, Change::Thousandths(..-100)), "{faster:?}");
}

/// 6 and 6 ms become 9 and 3.
#[test]
fn servers_that_change_places_are_named() {
    let pairs = |a: i64, b: i64| {
        made(400, |at| Request {
            pair: at % 2,
            ..read(around(if at % 2 == 0 { a } else { b }, at))
        })
    };
    let verdict = &compared(pairs(6000, 6000), pairs(9000, 3000)).verdicts[0];
    assert_eq!(verdict.effect, Effect::None);
    let [slower, faster] = verdict.moved.as_slice() else {
        panic!("{:?}", verdict.moved);
    };
    assert_eq!((slower.by, faster.by), (By::Server, By::Server));
    assert!(matches!(slower.change(), Change::Thousandths(480..=520)));
    assert!(matches!(faster.change(), Change::Thousandths(-520..=-480)));
    assert_eq!(
        compared(pairs(6000, 6000), pairs(6000, 6000)).verdicts[0].moved,
        []
    );
}

/// One request in twenty takes ten times as long, which is less than a tenth of all.
#[test]
fn a_rare_operation_that_changed_is_named() {
    let rare = |us: i64| {
        made(500, |at| match at % 20 {
            0 => query(around(us, at)),
            _ => read(around(5000, at)),
        })
    };
    let verdict = &compared(rare(1000), rare(9000)).verdicts[0];
    assert_eq!(verdict.effect, Effect::None);
    let [moved] = verdict.moved.as_slice() else {
        panic!("{:?}", verdict.moved);
    };
    assert_eq!(named(Some(&moved.key)), "QUERY_INFO");
    assert!(moved.p < 0.001, "{moved:?}");
}

/// One read in sixty takes 50 ms, and the others are 8 % faster.
#[test]
fn long_waits_are_said_behind_a_mean_that_stayed() {
    let reads = |long: bool| {
        made(600, |at| match long && at % 60 == 7 {
            true => read(40_000),
            false => read(around(if long { 4600 } else { 5000 }, at)),
        })
    };
    let verdict = &compared(reads(false), reads(true)).verdicts[0];
    assert_eq!(verdict.effect, Effect::None, "{verdict:?}");
    let tail = verdict.tail.as_ref().unwrap();
    assert_eq!((tail.base, tail.other), ((600, 0), (600, 10)));
    assert!(tail.grew() && tail.p < 0.01, "{tail:?}");
    assert_eq!(compared(reads(false), reads(false)).verdicts[0].tail, None);
}

/// 21 ms by a clock of 55 ms: nothing is faster or slower by it.
#[test]
fn a_coarse_clock_makes_no_change() {
    let reads = || made(300, |at| read(around(21_000, at)));
    let result = with_ticks(reads(), reads(), 55_000);
    let verdict = &result.verdicts[0];
    assert!(matches!(
        result.all.sure[0].response_time,
        Confidence::Coarse(_)
    ));
    assert_eq!(
        (verdict.effect, verdict.basis),
        (Effect::None, Basis::ActiveTime)
    );
    let coarse = |doubt: &Caveat| matches!(doubt, Caveat::Coarse { base: false, .. });
    assert!(verdict.doubts.iter().any(coarse), "{:?}", verdict.doubts);
    // Three times as long is more than a tick.
    let slow = made(300, |at| read(around(150_000, at)));
    let result = with_ticks(reads(), slow, 55_000);
    assert_eq!(result.verdicts[0].effect, Effect::Slower);
}

use super::super::testing::{Bench, at, station};
use super::super::{Severity, links, segment};
use super::*;
use wirewait_wire::{File, Kind};

const MS: u64 = 1_000_000;

fn second_of(course: &SymptomCourse, n: i64, key: CourseKey) -> (u64, u64) {
    let lost = course.between(at(n * 1000), at(n * 1000 + 1000));
    let Lost { times, cost_ns } = lost.0.get(&key).copied().unwrap_or_default();
    (times, cost_ns / MS)
}

/// 2.5 s until 12.25 s: a quarter of the 9th second, the 10th, the 11th, a quarter of the 12th.
#[test]
fn what_was_lost_over_seconds_counts_in_each_and_happened_once() {
    let mut course = SymptomCourse::new(600);
    let subject = Subject::Station(station(1));
    let cost = (2_500 * MS, at(12_250));
    course.enter(&links::ACK_WAIT, subject, (at(12_251), 1), cost);
    let key = (number(&links::ACK_WAIT).unwrap(), subject);
    let each: Vec<_> = (8..14).map(|n| second_of(&course, n, key)).collect();
    let expected = [(0, 0), (0, 250), (0, 1000), (0, 1000), (1, 250), (0, 0)];
    assert_eq!(each, expected);
    // A whole second belongs to the one before its end.
    course.enter(
        &links::ACK_WAIT,
        subject,
        (at(20_000), 1),
        (1000 * MS, at(20_000)),
    );
    assert_eq!(second_of(&course, 19, key), (0, 1000));
    assert_eq!(second_of(&course, 20, key), (1, 0));
}

/// Two answers that take 1.5 s (100 ms are allowed) and one request that nobody answers for
/// 3 s; and in the end all of it is what the symptoms cost.
#[test]
fn each_cost_falls_where_somebody_waited_and_together_they_are_the_symptoms() {
    let mut bench = Bench::new();
    bench.watch.keep_course(600);
    bench.good(100);
    assert_eq!(bench.last, 200);
    // From 1.001 to 2.501 s: what was too long began at 1.101.
    bench.last = 1000;
    bench.one(Kind::Read, 1500, |_| ());
    bench.last = 60_000;
    bench.one(Kind::Read, 1500, |_| ());
    bench.last = 70_000;
    bench.lost(Kind::Read, 3000, |_| ());
    let symptoms = bench.judge();
    let course = bench.watch.course();
    let of = |id: &str, from: i64, to: i64| {
        let symptom = symptoms.found.iter().find(|s| s.rule.id == id).unwrap();
        let lost = course.between(at(from), at(to)).of(symptom);
        (lost.times, lost.cost_ns / MS)
    };
    assert_eq!(of("slow_answers", 0, 2000), (0, 899));
    assert_eq!(of("slow_answers", 2000, 3000), (1, 501));
    assert_eq!(of("slow_answers", 3000, 60_000), (0, 0));
    assert_eq!(of("slow_answers", 60_000, 70_000), (1, 1400));
    // Asked at 70.001 s, given up 3 s later; the request itself was a single frame.
    assert_eq!(of("unanswered_requests", 70_000, 71_000), (1, 999));
    assert_eq!(of("unanswered_requests", 71_000, 80_000), (0, 2001));
    let whole = course.between(at(0), at(100_000));
    for symptom in symptoms.found.iter().filter(|s| s.rule.dated()) {
        let lost = whole.of(symptom);
        let hits = &symptom.hits;
        let expected = (hits.count, hits.cost_ns);
        assert_eq!((lost.times, lost.cost_ns), expected, "{}", symptom.rule.id);
    }
    assert!(symptoms.found.len() >= 3);
}

#[test]
fn a_slow_transfer_that_goes_on_is_in_it_as_far_as_it_went() {
    let mut bench = Bench::new();
    bench.watch.keep_course(600);
    bench.set(super::super::Threshold::TransferSize, 1);
    bench.set(super::super::Threshold::TransferTime, 1);
    for n in 0..10u64 {
        bench.one(Kind::Read, 400, |t| {
            t.data_bytes = 512;
            t.file = Some(File {
                handle: 7,
                offset: Some(n * 512),
            });
        });
    }
    let symptom = bench.found("slow_transfer").unwrap();
    let whole = bench
        .watch
        .course()
        .between(at(0), at(100_000))
        .of(&symptom);
    assert!(whole.cost_ns > 1000 * MS);
    assert_eq!(whole.cost_ns, symptom.hits.cost_ns);
    // Asked again, it is not there twice.
    let again = bench
        .watch
        .course()
        .between(at(0), at(100_000))
        .of(&symptom);
    assert_eq!(again, whole);
}

#[test]
fn nobody_pays_who_does_not_watch() {
    let mut bench = Bench::new();
    bench.one(Kind::Read, 1500, |_| ());
    assert!(bench.watch.course().seconds.is_empty());
}

#[test]
fn what_is_found_in_sums_has_no_moment() {
    let dated = |id: &str| RULES.iter().find(|rule| rule.id == id).unwrap().dated();
    assert!(!dated("fluctuating_server") && !dated("starving_client"));
    assert!(dated("slow_answers") && dated("rejects"));
    assert_eq!(segment::STORM.severity, Severity::Diagnosis);
}

#[test]
fn the_oldest_go_where_there_is_no_room_and_that_is_said() {
    let mut course = SymptomCourse::new(10);
    course.most = 4;
    let enter = |course: &mut SymptomCourse, n: u8, ms: i64| {
        let subject = Subject::Station(station(n));
        course.enter(&links::REJECTS, subject, (at(ms), 1), (0, at(ms)));
    };
    for n in 0..4 {
        enter(&mut course, n, i64::from(n) * 1000 + 500);
    }
    assert_eq!((course.rows, course.whole_from()), (4, None));
    enter(&mut course, 9, 3600);
    assert_eq!((course.rows, course.whole_from()), (4, Some(at(1000))));
    // What is older than what was given up is not taken in again.
    enter(&mut course, 9, 200);
    assert_eq!(course.rows, 4);
    for n in 10..20 {
        enter(&mut course, n, 3700);
    }
    assert_eq!((course.rows, course.missed()), (4, 8));
    assert_eq!(course.whole_from(), Some(at(3000)));
    // Ten seconds later nothing of it is asked for any more.
    course.advance(at(13_000));
    assert_eq!((course.rows, course.whole_from()), (0, None));
}

#[test]
fn no_clock_confuses_it() {
    let mut course = SymptomCourse::new(600);
    let subject = Subject::Station(station(1));
    let key = (number(&links::ACK_WAIT).unwrap(), subject);
    let enter = |course: &mut SymptomCourse, ms: i64, cost_ns: u64| {
        course.advance(at(ms));
        course.enter(&links::ACK_WAIT, subject, (at(ms), 1), (cost_ns, at(ms)));
    };
    enter(&mut course, 5_000_000, 1000 * MS);
    // An hour back, and forth again.
    enter(&mut course, 1_400_000, 1000 * MS);
    assert_eq!((course.seconds.len(), course.rows), (2, 2));
    // What is told late of the time before does not set the clock again.
    course.enter(
        &links::ACK_WAIT,
        subject,
        (at(5_000_000), 1),
        (MS, at(5_000_000)),
    );
    assert_eq!((course.latest, course.rows), (Some(1400), 2));
    enter(&mut course, 5_000_500, 250 * MS);
    assert_eq!(second_of(&course, 5000, key), (1, 250));
    assert_eq!(course.seconds.len(), 1);
    for ns in [i64::MIN, i64::MAX, 0, i64::MIN + 1] {
        let stamp = Timestamp::from_nanos(ns);
        course.advance(stamp);
        course.enter(&links::ACK_WAIT, subject, (stamp, 1), (u64::MAX, stamp));
        assert!(course.seconds.len() <= 600 && course.rows <= 600, "{ns}");
    }
}

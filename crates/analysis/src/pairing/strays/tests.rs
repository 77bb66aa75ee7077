use super::super::testing::{Bench, Heard, at};
use crate::clock::DISPLACED_NS;
use crate::{Flags, Outcome};

/// The longest that frames are out of place.
const MOST: i64 = DISPLACED_NS / 1_000_000;

/// How the response of 100 ms was closed that came before its request of then, and what became of the
/// request.
fn overtaken(by_ms: i64) -> Vec<Heard> {
    let mut bench = Bench::new();
    bench.sure = 100;
    bench.answers(1, 100);
    bench.asks_late(1, 100 - by_ms);
    bench.finish(1000);
    bench.heard
}

#[test]
fn a_response_that_overtook_its_request_answers_it() {
    let mut bench = Bench::new();
    bench.sure = 100;
    bench.answers(1, 100);
    assert_eq!(bench.heard, [], "its request may come");
    bench.asks_late(1, 95);
    assert_eq!(bench.heard, [Heard::Ends(2, 100), Heard::Answered(2)]);
    bench.finish(1000);
    let [t] = bench.closed.as_slice() else {
        panic!("{:?}", bench.heard);
    };
    assert_eq!(t.outcome, Outcome::Answered);
    assert_eq!(t.response_time_ns(), Some(5_000_000));
    assert!(t.flags.contains(Flags::OUT_OF_ORDER));
    assert_eq!(overtaken(MOST)[1], Heard::Answered(2));
}

#[test]
fn whoever_came_in_its_place_is_not_answered_by_it() {
    let orphan = Heard::Closed(1, Outcome::OrphanResponse);
    let asked = |ask: &dyn Fn(&mut Bench)| {
        let mut bench = Bench::new();
        bench.sure = 100;
        bench.answers(1, 100);
        ask(&mut bench);
        bench.finish(1000);
        let answered = bench.heard.iter().any(|h| matches!(h, Heard::Answered(_)));
        assert_eq!(
            answered,
            !bench.heard.contains(&orphan),
            "{:?}",
            bench.heard
        );
        // One that is not given to the request that came is not taken out, and counted again.
        assert_eq!(bench.orphans, 1);
        answered
    };
    assert!(asked(&|bench| bench.asks_late(1, 99)));
    assert!(!asked(&|bench| bench.asks_late(2, 99)), "another one");
    assert!(!asked(&|bench| bench.asks(1, 99)), "which is in its place");
    assert!(
        !asked(&|bench| bench.asks_late(1, 101)),
        "which was sent behind it"
    );
}

#[test]
fn a_response_is_kept_for_as_long_as_its_request_may_come() {
    let orphan = Heard::Closed(1, Outcome::OrphanResponse);
    let mut bench = Bench::new();
    bench.sure = 100;
    bench.answers(1, 100);
    let due = at(100 + MOST);
    assert!(!bench.pairing.is_due(due.plus(-1)) && bench.pairing.is_due(due));
    bench.expire(100 + MOST - 1);
    assert_eq!(bench.heard, []);
    assert!(bench.pairing.is_due(due), "it still falls due then");
    bench.expire(100 + MOST);
    assert_eq!(bench.heard, [orphan]);
    bench.asks_late(1, 95);
    assert_eq!(bench.heard, [orphan], "it is gone");
}

#[test]
fn there_is_one_at_a_time_and_none_in_the_end() {
    let orphan = |frame| Heard::Closed(frame, Outcome::OrphanResponse);
    let mut bench = Bench::new();
    bench.sure = 100;
    bench.answers(1, 100);
    bench.answers(2, 101);
    assert_eq!(bench.heard, [orphan(1)], "the latest is kept");
    bench.finish(102);
    assert_eq!(bench.heard, [orphan(1), orphan(2)]);
}

/// Where frames are put in order, no response comes before its request.
#[test]
fn none_is_kept_where_frames_are_in_order() {
    let mut bench = Bench::new();
    bench.between.unordered = false;
    bench.sure = 100;
    bench.answers(1, 100);
    assert_eq!(bench.heard, [Heard::Closed(1, Outcome::OrphanResponse)]);
}

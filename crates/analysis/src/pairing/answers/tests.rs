use super::super::testing::{Bench, CLIENT, Heard, SERVER, at, exchange};
use crate::account::SURE;
use crate::clock::Clock;
use crate::{Flags, Mark, Outcome, Transaction, Turnaround};
use wirewait_wire::{Address, Exchange, Expect, Id, Role, Side, Timestamp};

/// A request at 0, answered so late; the stamp of the request is the last that is sure.
fn answered_after(ms: i64) -> Bench {
    let mut bench = Bench::new();
    bench.asks(1, 0);
    bench.answers(1, ms);
    bench
}

#[test]
fn an_answer_after_a_second_waits_for_the_next_stamp() {
    let told = |ms| [Heard::Ends(1, ms), Heard::Answered(1)];
    assert_eq!(answered_after(1000).heard, told(1000), "soon enough");
    let mut bench = answered_after(1001);
    assert_eq!(bench.heard, [], "its stamp may be wrong");
    assert!(
        bench.pairing.is_due(Timestamp::from_nanos(i64::MIN)),
        "at any time"
    );
    // The next frame says that so much time passed.
    bench.sure = 1001;
    bench.expire(1001);
    assert_eq!(bench.heard, told(1001));
    bench.expire(1002);
    assert_eq!(bench.heard, told(1001), "it is told once");
    bench.finish(5000);
    assert_eq!(bench.closed[0].turnaround, Turnaround::Exact(1_001_000_000));
}

/// The stamp of the second frame is ten seconds ahead, and that of the third is not.
#[test]
fn a_wrong_stamp_shows_before_anything_is_told_of_it() {
    let mut clock = Clock::default();
    for (number, ms) in (1..).zip([0, 10_000, 5]) {
        clock.frame(number, Timestamp::from_nanos(ms * 1_000_000));
    }
    assert!(clock.steps.misled(2));
    let mut bench = answered_after(10_000);
    (bench.steps, bench.sure) = (clock.steps, 5);
    bench.expire(5);
    // Nobody waited longer than until the next frame.
    assert_eq!(bench.heard.last(), Some(&Heard::Answered(1)));
    bench.finish(6);
    let [t] = bench.closed.as_slice() else {
        panic!("{:?}", bench.heard);
    };
    assert_eq!(
        (t.outcome, t.turnaround),
        (Outcome::Answered, Turnaround::None)
    );
    assert!(t.flags.contains(Flags::CLOCK_STEP));
}

/// In each way that a request can be closed before time has passed.
#[test]
fn closing_settles_first() {
    let told = [
        Heard::Ends(1, 2000),
        Heard::Answered(1),
        Heard::Closed(1, Outcome::Answered),
    ];
    let mut over = answered_after(2000);
    over.finish(2000);
    let mut again = answered_after(2000);
    again.asks(1, 2000);
    let mut crowded = answered_after(2000);
    crowded.between.stream = true;
    crowded.shared.settings.conversation_requests = 1;
    crowded.asks(2, 2000);
    for (why, bench) in [("over", over), ("again", again), ("crowded", crowded)] {
        assert_eq!(bench.heard[..3], told, "{why}: {:?}", bench.heard);
        let t = &bench.closed[0];
        assert_eq!(t.turnaround, Turnaround::Exact(2_000_000_000), "{why}");
    }
}

/// Perf definitions, R2: t3 - max(t2, t4 of the previous response that was sent before t3). A compound of two, asked at
/// 1 ms and answered at 12, is served since the response at 10: both parts of it.
#[test]
fn parts_of_a_compound_are_served_behind_the_response_before_all_of_them() {
    let mut bench = Bench::new();
    bench.between.unordered = false;
    bench.asks(1, 0);
    bench.asks(2, 1);
    bench.goes_on(CLIENT, exchange(Role::Request, 3), 1);
    bench.answers(1, 10);
    bench.asks(4, 11);
    bench.answers(2, 12);
    bench.goes_on(SERVER, exchange(Role::Response, 3), 12);
    bench.answers(4, 15);
    bench.finish(20);
    let served = |t: &crate::Transaction| {
        let asked = t.request.map(|of| of.first.frame);
        let queued = t.flags.contains(Flags::PIPELINED);
        (asked, t.service_ns.map(|ns| ns / 1_000_000), queued)
    };
    let mut all: Vec<_> = bench.closed.iter().map(served).collect();
    all.sort_unstable();
    assert_eq!(
        all,
        [
            (Some(1), Some(10), false),
            (Some(2), Some(2), true),
            (Some(2), Some(2), true),
            (Some(4), Some(3), true),
        ]
    );
}

/// SMB1 redirectors ask under one identifier one after the other, and one of a pipe may take longer
/// than what is asked behind it.
#[test]
fn requests_with_one_identifier_are_told_apart_by_their_commands() {
    let of = |role, command| Exchange {
        command: Some(command),
        ..exchange(role, 0)
    };
    let mut bench = Bench::new();
    (bench.between.unordered, bench.between.stream) = (false, true);
    bench.says(CLIENT, of(Role::Request, 0x25), 0);
    bench.says(CLIENT, of(Role::Request, 0x71), 1);
    bench.says(SERVER, of(Role::Response, 0x71), 2);
    bench.says(CLIENT, of(Role::Request, 0x74), 3);
    bench.says(SERVER, of(Role::Response, 0x25), 4);
    bench.says(SERVER, of(Role::Response, 0x74), 5);
    // Nobody asked for this.
    bench.says(SERVER, of(Role::Response, 0x2e), 6);
    bench.finish(7);
    let frames = |t: &crate::Transaction| {
        let frame = |extent: Option<crate::Extent>| extent.map(|e| e.first.frame);
        (frame(t.request), frame(t.response))
    };
    let mut pairs: Vec<_> = bench.closed.iter().map(frames).collect();
    pairs.sort_unstable();
    assert_eq!(
        pairs,
        [
            (None, Some(7)),
            (Some(1), Some(5)),
            (Some(2), Some(3)),
            (Some(4), Some(6)),
        ]
    );
}

/// The identifier of one that the server has told to go on may be used again by mistake: where data
/// of the client is missing since, nothing tells whose the response is.
#[test]
fn what_goes_on_behind_a_gap_is_in_doubt() {
    for gap in [false, true] {
        let mut bench = Bench::new();
        (bench.between.unordered, bench.between.stream) = (false, true);
        bench.asks(1, 0);
        bench.says(SERVER, exchange(Role::Interim, 1), 1);
        if gap {
            bench.pairing.awaits(CLIENT);
        }
        bench.answers(1, 2);
        bench.finish(3);
        let lost = bench.closed[0].flags.contains(Flags::CAPTURE_LOSS);
        assert_eq!(lost, gap);
    }
}

/// A file may be asked back twice: who gives it back had more of the server than the capture, or a
/// break and what answered it are missing in between. Then nothing tells which break is answered,
/// and one that is all there has no such doubt.
#[test]
fn a_break_whose_twin_may_be_missing_is_in_doubt() {
    let closes = |id: u8| Exchange {
        answers: Some(Id::new(1, id.into())),
        ..exchange(Role::Request, 100)
    };
    let in_doubt = |hurt: &dyn Fn(&mut Bench)| {
        let mut bench = Bench::new();
        (bench.between.unordered, bench.between.stream) = (false, true);
        let asks_back = Exchange {
            sender: Side::Server,
            ..exchange(Role::Request, 1)
        };
        bench.says(SERVER, asks_back, 0);
        // What the client waits for meanwhile changes nothing.
        bench.asks(50, 1);
        hurt(&mut bench);
        bench.says(CLIENT, closes(1), 2);
        bench.finish(3);
        let row = bench.closed.iter();
        let mut row = row.filter(|t| t.request.is_some_and(|request| request.first.frame == 1));
        let row = row.next().unwrap();
        assert_eq!(row.outcome, Outcome::Answered);
        row.flags.contains(Flags::CAPTURE_LOSS)
    };
    assert!(!in_doubt(&|_| {}));
    // Only what answers is missing, and only another break: neither makes a pair.
    assert!(!in_doubt(&|bench| bench.pairing.awaits(CLIENT)));
    assert!(!in_doubt(&|bench| bench.pairing.awaits(SERVER)));
    assert!(in_doubt(&|bench| {
        bench.pairing.awaits(CLIENT);
        bench.pairing.awaits(SERVER);
    }));
    // The acknowledgement of the client covers more than was seen.
    assert!(in_doubt(&|bench| bench.between.seen_to = 0));
}

/// A repetition of the request that was captured a little behind what it came before, the whole
/// response or its first part: by their stamps it came before the response, which is in doubt then.
#[test]
fn a_repetition_in_the_wrong_place_came_when_its_stamp_says() {
    let repeated = |late_ms: i64, answered_before: bool| {
        let mut bench = Bench::new();
        (bench.between.unordered, bench.between.stream) = (false, true);
        bench.asks(1, 0);
        let mark = Mark {
            frame: 2 + u64::from(answered_before),
            at: at(late_ms),
        };
        let repeats = |bench: &mut Bench| bench.repeats(CLIENT, mark, false);
        if answered_before {
            bench.answers(1, 100);
            repeats(&mut bench);
        } else {
            repeats(&mut bench);
            // Its first part has a lower number than the repetition.
            bench.frame = 0;
            bench.answers(1, 100);
        }
        bench.finish(200);
        (bench.closed[0].turnaround, bench.closed[0].flags)
    };
    let exact = Turnaround::Exact(100_000_000);
    let between = Turnaround::Between(1_000_000, 100_000_000);
    // The response was complete already.
    let (turnaround, flags) = repeated(99, true);
    assert_eq!(turnaround, exact);
    assert!(flags.contains(Flags::OUT_OF_ORDER));
    assert!(!repeated(101, true).1.contains(Flags::OUT_OF_ORDER));
    // A stamp that is far off says nothing: the place does.
    assert!(!repeated(1, true).1.contains(Flags::OUT_OF_ORDER));
    // It was under way.
    let (turnaround, flags) = repeated(99, false);
    assert_eq!(turnaround, between);
    assert!(flags.contains(Flags::AMBIGUOUS));
    assert_eq!(repeated(101, false).0, exact);
    assert_eq!(repeated(1, false).0, exact);
}

/// A request that was acknowledged before its repetition, or of which its receiver says afterwards
/// that it arrived twice, was not lost: the server had it from the first copy on, however often it is
/// repeated after that.
#[test]
fn a_repeated_request_that_had_arrived_is_not_in_doubt() {
    let repeated = |had: bool, twice: bool| {
        let mut bench = Bench::new();
        (bench.between.unordered, bench.between.stream) = (false, true);
        bench.asks(1, 0);
        let mark = |ms: i64| Mark {
            frame: 1,
            at: at(ms),
        };
        bench.repeats(CLIENT, mark(200), had);
        if twice {
            bench.pairing.had_arrived(0, SERVER);
        }
        bench.repeats(CLIENT, mark(300), false);
        bench.answers(1, 350);
        bench.finish(400);
        let row = &bench.closed[0];
        (row.copies, row.turnaround)
    };
    let (all, rest) = (350_000_000, 50_000_000);
    assert_eq!(
        repeated(false, false),
        (3, Turnaround::Between(rest, all)),
        "which copy was answered is not known"
    );
    for (had, twice) in [(true, false), (false, true), (true, true)] {
        assert_eq!(repeated(had, twice), (3, Turnaround::Exact(all)));
    }
}

/// The server's "pending" is lost, and comes after the client has sent its request again; before it does, the server
/// says that the request arrived twice. Where it had sent no more than that, nothing cost time; else the response may
/// have been lost, and the first 200 ms may be loss recovery.
#[test]
fn a_lost_interim_response_costs_nothing() {
    let recovered = |to: Option<u64>| {
        let mut bench = Bench::new();
        (bench.between.unordered, bench.between.stream) = (false, true);
        bench.asks(1, 0);
        let mark = Mark {
            frame: 1,
            at: at(200),
        };
        bench.repeats(CLIENT, mark, false);
        if let Some(to) = to {
            bench.pairing.had_arrived_but_for(0, SERVER, to);
        }
        bench.says(SERVER, exchange(Role::Interim, 1), 202);
        bench.answers(1, 350);
        bench.finish(400);
        (bench.closed[0].turnaround, bench.recovered)
    };
    // The bench's messages end at position 0.
    let exact = Turnaround::Exact(350_000_000);
    let between = Turnaround::Between(150_000_000, 350_000_000);
    assert_eq!(recovered(Some(0)), (exact, 0));
    assert_eq!(recovered(Some(4000)), (between, 200));
    assert_eq!(recovered(None), (between, 200));
}

/// A response that is repeated after it was complete had been lost, unless the client says that it
/// arrived twice. A client that repeats its request lacks it, whatever it says of the repetition.
#[test]
fn a_repeated_response_that_had_arrived_was_not_lost() {
    let lost = |twice: bool, asks_again: bool, heard: bool| {
        let mut bench = Bench::new();
        (bench.between.unordered, bench.between.stream) = (false, true);
        bench.asks(1, 0);
        bench.answers(1, 10);
        let mark = |ms: i64| Mark {
            frame: 1,
            at: at(ms),
        };
        bench.repeats(SERVER, mark(210), false);
        if asks_again {
            bench.repeats(CLIENT, mark(211), false);
        }
        if twice {
            bench.pairing.had_arrived(0, CLIENT);
        }
        bench.repeats(SERVER, mark(610), false);
        if heard {
            bench.acknowledges(CLIENT);
        }
        bench.finish(700);
        bench.lost
    };
    assert_eq!(lost(false, false, true), [(10, 610)]);
    assert_eq!(lost(true, false, true), []);
    assert_eq!(lost(false, true, true), [(10, 210), (210, 610)]);
    assert_eq!(lost(true, true, true), [(10, 210)]);
    // Of a client that says nothing any more nothing shows that it waited.
    assert_eq!(lost(false, false, false), []);
    assert_eq!(lost(false, true, false), [(10, 210)]);
}

/// What was repeated of a request and of a response so far had arrived before. What is repeated later may have been lost
/// all the same.
#[test]
fn what_had_arrived_before_it_was_repeated_costs_nothing() {
    let mark = |ms: i64| Mark {
        frame: 1,
        at: at(ms),
    };
    let found = |needless: bool, later: bool| {
        let mut bench = Bench::new();
        (bench.between.unordered, bench.between.stream) = (false, true);
        bench.asks(1, 0);
        bench.repeats(CLIENT, mark(4), false);
        if needless {
            bench.pairing.repeated_needlessly(0, SERVER);
        }
        if later {
            bench.repeats(CLIENT, mark(6), false);
        }
        bench.answers(1, 10);
        bench.repeats(SERVER, mark(14), false);
        if needless {
            bench.pairing.repeated_needlessly(0, CLIENT);
        }
        if later {
            bench.repeats(SERVER, mark(16), false);
        }
        bench.acknowledges(CLIENT);
        bench.acknowledges(CLIENT);
        bench.finish(700);
        (bench.closed[0].turnaround, bench.lost)
    };
    let ms = |ms: i64| ms * 1_000_000;
    assert_eq!(found(true, false), (Turnaround::Exact(ms(10)), vec![]));
    let between = |low: i64| Turnaround::Between(ms(low), ms(10));
    assert_eq!(found(false, false), (between(6), vec![(10, 14)]));
    assert_eq!(found(true, true), (between(4), vec![(10, 16)]));
}

/// A tail-loss probe crosses the acknowledgement of the response: the client acknowledges it, sends its next
/// request, and only then says that the response arrived twice. Where it does not say so before it
/// acknowledges the next response, the response had been lost.
#[test]
fn a_client_may_say_behind_its_acknowledgement_that_a_response_arrived_twice() {
    let lost = |twice: bool| {
        let mut bench = Bench::new();
        (bench.between.unordered, bench.between.stream) = (false, true);
        bench.asks(1, 0);
        bench.answers(1, 10);
        let mark = Mark {
            frame: 1,
            at: at(18),
        };
        bench.repeats(SERVER, mark, false);
        bench.acknowledges(CLIENT);
        bench.asks(2, 19);
        if twice {
            bench.pairing.had_arrived(0, CLIENT);
        }
        assert_eq!(bench.closed.len(), 0);
        bench.answers(2, 30);
        bench.acknowledges(CLIENT);
        assert_eq!(bench.closed.len(), 2);
        bench.lost
    };
    assert_eq!(lost(true), []);
    assert_eq!(lost(false), [(10, 18)]);
}

/// Bytes without a header that were announced and never came: the answer that let them come stands,
/// also where no frame behind it tells whether it came as late as its stamp says.
#[test]
fn an_answer_before_raw_bytes_stands_at_the_end() {
    for late_ms in [10, 50_000] {
        let mut bench = Bench::new();
        let mut writes = exchange(Role::Request, 1);
        writes.expect = Expect::GoAhead {
            rest: 4000,
            confirmed: Some(false),
        };
        bench.says(CLIENT, writes, 0);
        bench.says(SERVER, exchange(Role::Interim, 1), late_ms);
        bench.finish(late_ms + 1);
        let row = &bench.closed[0];
        assert_eq!(row.outcome, Outcome::Answered, "after {late_ms} ms");
        assert!(row.response.is_some());
    }
}

/// A router asks stations for their status and always uses the same identifier (RFC 1002 wants another
/// one each time): the first is asked twice and does not respond, the second responds at once, the first
/// does after it was asked again. Times of the answers are those of the second station alone.
#[test]
fn a_question_to_one_station_is_not_answered_by_another() {
    let mut bench = Bench::new();
    bench.asks_of(Some(46), 7, 0);
    bench.asks_of(Some(46), 7, 2_021);
    bench.asks_of(Some(195), 7, 5_373);
    bench.answers_as(195, 7, 5_374);
    // Late, and still its own.
    bench.answers_as(46, 7, 5_400);
    bench.finish(60_000);
    let found: Vec<_> = bench.closed.iter().map(summary).collect();
    let expected = [
        (
            46,
            Outcome::Answered,
            2,
            Turnaround::Between(3_379_000_000, 5_400_000_000),
        ),
        (195, Outcome::Answered, 1, Turnaround::Exact(1_000_000)),
    ];
    assert_eq!(found, expected);
    assert_eq!(bench.orphans, 0);
    // The same in the other order: what the second says does not answer the first.
    let mut bench = Bench::new();
    bench.asks_of(Some(46), 7, 0);
    bench.answers_as(195, 7, 1);
    bench.finish(60_000);
    let found: Vec<_> = bench.closed.iter().map(summary).collect();
    let answered = |f: &&(u8, Outcome, u32, Turnaround)| f.1 == Outcome::Answered;
    assert_eq!((found.iter().find(answered), bench.orphans), (None, 1));
}

/// Whom everyone was asked for, anyone may be; and that is another question than one to a station.
#[test]
fn a_question_to_everyone_is_answered_by_anyone() {
    let mut bench = Bench::new();
    bench.asks_of(Some(46), 7, 0);
    bench.asks_of(None, 7, 4_500);
    bench.asks_of(None, 7, 4_750);
    bench.answers_as(9, 7, 4_751);
    bench.finish(60_000);
    let mut found: Vec<_> = bench.closed.iter().map(summary).collect();
    found.sort_by_key(|(server, ..)| *server);
    let expected = [
        (
            9,
            Outcome::Answered,
            2,
            Turnaround::Between(1_000_000, 251_000_000),
        ),
        (46, Outcome::Unanswered, 1, Turnaround::None),
    ];
    assert_eq!(found, expected);
}

/// The status of a station is asked for twice, 2 s apart, and again after 38 s.
#[test]
fn a_question_is_not_asked_again_after_it_was_given_up() {
    let mut bench = Bench::new();
    for ms in [0, 2_021, 39_811, 41_831] {
        bench.asks_of(Some(46), 7, ms);
    }
    bench.answers_as(46, 7, 41_832);
    bench.finish(100_000);
    let found: Vec<_> = bench.closed.iter().map(summary).collect();
    let expected = [
        (46, Outcome::Unanswered, 2, Turnaround::None),
        (
            46,
            Outcome::Answered,
            2,
            Turnaround::Between(1_000_000, 2_021_000_000),
        ),
    ];
    assert_eq!(found, expected);
}

/// A server that works on a request says so to each further copy of it (NCP 0x9999): the first arrived, and the
/// turnaround of 705 ms is exact. Where a transport repeats what was lost, an interim response after the
/// copy may be the copy's, and the time up to that may be loss recovery; one before it is the first one's, and
/// nothing was lost.
#[test]
fn who_says_that_he_works_on_it_has_it() {
    let turnaround = |unordered: bool, copies: [i64; 2], interim: i64| {
        let mut bench = Bench::new();
        bench.between.unordered = unordered;
        bench.asks(1, 0);
        let mut events = [(copies[0], false), (copies[1], false), (interim, true)];
        events.sort_unstable();
        for (ms, says) in events {
            match says {
                true => bench.says(SERVER, exchange(Role::Interim, 1), ms),
                false => {
                    let mut x = exchange(Role::Request, 1);
                    x.repeats = true;
                    bench.says(CLIENT, x, ms);
                }
            }
        }
        bench.answers(1, 705);
        bench.finish(9000);
        let t = &bench.closed[0];
        assert_eq!((t.copies, t.interims), (3, 1));
        (
            t.turnaround,
            t.flags.contains(Flags::AMBIGUOUS),
            bench.recovered,
        )
    };
    let exact = (Turnaround::Exact(705_000_000), false, 0);
    assert_eq!(turnaround(true, [206, 400], 209), exact);
    assert_eq!(turnaround(true, [206, 400], 403), exact);
    assert_eq!(turnaround(false, [206, 400], 100), exact);
    let low = |ms: i64| Turnaround::Between(ms * 1_000_000, 705_000_000);
    assert_eq!(turnaround(false, [206, 400], 403), (low(305), true, 400));
}

/// Eight requests before that of a test, each of which takes so long, ms.
fn answers_usually(bench: &mut Bench, ms: i64) {
    for id in 101..109 {
        let at = (i64::from(id) - 110) * 100;
        bench.asks(id, at);
        bench.answers(id, at + ms);
    }
}

/// A server says after 300 ms that it works on a request, and the client asks again after 4300 ms. A response 2 ms behind
/// that may have been lost before: the server had it for 300 ms for sure. One 300 ms behind it came of itself; and one
/// behind a copy to which the server said again that it works on it, 4310 ms for sure.
#[test]
fn what_comes_right_behind_a_copy_may_have_been_lost() {
    let unsure = |interims: &[i64], response: i64| {
        let mut bench = Bench::new();
        answers_usually(&mut bench, 31);
        bench.asks(1, 0);
        let mut events: Vec<(i64, bool)> = interims.iter().map(|ms| (*ms, true)).collect();
        events.extend([(299, false), (4300, false)]);
        events.sort_unstable();
        for (ms, says) in events {
            if says {
                bench.says(SERVER, exchange(Role::Interim, 1), ms);
            } else {
                let mut x = exchange(Role::Request, 1);
                x.repeats = true;
                bench.says(CLIENT, x, ms);
            }
        }
        bench.answers(1, response);
        bench.finish(9000);
        bench.unsure[1]
    };
    let ms = 1_000_000;
    assert_eq!(unsure(&[300], 4302), 300 * ms);
    assert_eq!(unsure(&[300], 4600), SURE);
    assert_eq!(unsure(&[300, 4310], 4312), SURE);
    assert_eq!(unsure(&[], 4302), SURE, "it is the copy that is answered");
}

/// A request is repeated after 500 ms where no transport repeats it. A response 31 ms behind that comes right behind it: the
/// first copy, or its response, was lost, where others take as long. One 100 ms behind it may be the first copy's, of a server
/// that took 600 ms, and so may one 31 ms behind it where others take 10. Over a transport it is loss recovery all the same;
/// and of a question to everyone, never.
#[test]
fn a_copy_is_a_loss_only_where_the_response_comes_right_behind_it() {
    let recovered_where = |usual: i64, unordered: bool, response: i64| {
        let mut bench = Bench::new();
        bench.between.unordered = unordered;
        answers_usually(&mut bench, usual);
        bench.asks(1, 0);
        let mut x = exchange(Role::Request, 1);
        x.repeats = true;
        bench.says(CLIENT, x, 500);
        bench.answers(1, response);
        bench.finish(9000);
        let copies = bench.closed.iter().map(|t| t.copies).max();
        assert_eq!(copies, Some(2));
        bench.recovered
    };
    let recovered = |unordered, response| recovered_where(31, unordered, response);
    assert_eq!(recovered_where(11, true, 531), 500);
    assert_eq!(recovered_where(10, true, 531), 0);
    assert_eq!(recovered(true, 531), 500);
    assert_eq!(recovered(true, 532), 0);
    assert_eq!(recovered(true, 600), 0);
    assert_eq!(recovered(false, 600), 500);
    let mut bench = Bench::new();
    for ms in [0, 250] {
        bench.asks_of(None, 1, ms);
    }
    bench.answers_as(9, 1, 251);
    bench.finish(9000);
    assert_eq!((bench.closed[0].copies, bench.recovered), (2, 0));
}

/// Who served, what became of it, how often it was asked, and its turnaround.
fn summary(t: &Transaction) -> (u8, Outcome, u32, Turnaround) {
    let server = match t.server.address {
        Address::Mac(mac) => mac[5],
        _ => 0,
    };
    (server, t.outcome, t.copies, t.turnaround)
}

/// One that takes 500 ms while the server answers two that came later was behind none. Of two that are answered one
/// after the other in their order, the later one waited.
#[test]
fn what_is_overtaken_did_not_queue() {
    let mut bench = Bench::new();
    bench.between.unordered = false;
    bench.asks(1, 0);
    for (id, ms) in [(2, 10), (3, 20)] {
        bench.asks(id, ms);
        bench.answers(id, ms + 2);
    }
    bench.answers(1, 500);
    bench.asks(4, 510);
    bench.asks(5, 511);
    bench.answers(4, 520);
    bench.answers(5, 530);
    bench.finish(600);
    let own: Vec<(u64, Option<i64>, bool)> = bench
        .closed
        .iter()
        .map(|t| {
            let queued = t.flags.contains(Flags::PIPELINED);
            let ms = t.service_ns.map(|ns| ns / 1_000_000);
            (t.request.unwrap().first.frame, ms, queued)
        })
        .collect();
    let expected = [
        (1, Some(500), false),
        (2, Some(2), false),
        (4, Some(2), false),
        (7, Some(10), false),
        (8, Some(10), true),
    ];
    for one in expected {
        assert!(own.contains(&one), "{one:?} in {own:?}");
    }
}

/// Four that are there at once, of which the server takes the second first: the first waited for it (9 of 14 ms).
#[test]
fn what_one_alone_overtakes_may_have_waited() {
    let mut bench = Bench::new();
    bench.between.unordered = false;
    for (id, ms) in [(10, 0), (11, 1), (12, 2), (13, 3)] {
        bench.asks(id, ms);
    }
    for (id, ms) in [(11, 10), (10, 14), (13, 16), (12, 20)] {
        bench.answers(id, ms);
    }
    bench.finish(100);
    let mut queued: Vec<(u64, bool)> = bench
        .closed
        .iter()
        .map(|t| {
            (
                t.request.unwrap().first.frame,
                t.flags.contains(Flags::PIPELINED),
            )
        })
        .collect();
    queued.sort_unstable();
    assert_eq!(queued, [(1, true), (2, false), (3, true), (4, true)]);
}

/// The server's transport acknowledged a request that is answered after 61 s; one that it did not is given up.
#[test]
fn a_request_that_arrived_may_be_answered_behind_its_time_out() {
    for arrived in [true, false] {
        let mut bench = Bench::new();
        bench.between.unordered = false;
        bench.asks(1, 0);
        if arrived {
            bench.hears_of(0);
        }
        for ms in [60_500, 60_900] {
            bench.sure = ms;
            bench.expire(ms);
        }
        bench.answers(1, 61_000);
        bench.finish(61_001);
        let expected = match arrived {
            true => [(Outcome::Answered, Some(61_000))].to_vec(),
            false => [(Outcome::Unanswered, None)].to_vec(),
        };
        let found: Vec<(Outcome, Option<i64>)> = bench
            .closed
            .iter()
            .filter(|t| t.request.is_some())
            .map(|t| (t.outcome, t.turnaround.exact().map(|ns| ns / 1_000_000)))
            .collect();
        assert_eq!(found, expected);
    }
}

use super::*;
use crate::books::{Books, Reporter};
use crate::case::Case;
use crate::parties;
use crate::path::Path;
use crate::symptoms::testing::{at, mark, station, transaction, unanswered};
use crate::world::{Event, Events};
use crate::{Flags, Noticed, Outcome, Settings, Windows};
use proptest::prelude::*;
use wirewait_model::records::RecordBatch;
use wirewait_wire::{Kind, LinkType};

fn frame(recent: &mut Recent, ms: i64, interface: u32, bytes: u32) {
    let frame = Frame {
        at: at(ms),
        link: LinkType::ETHERNET,
        interface,
        wire_len: bytes,
        bytes: &[],
    };
    recent.captured(&frame, u64::from(bytes) + 24);
}

fn limited(seconds: u32, rows: usize, bytes: usize) -> Recent {
    Recent::new(Limits {
        seconds,
        rows,
        bytes,
    })
}

fn requests(history: &History, of: &Of) -> Vec<u64> {
    let window = history.whole();
    window
        .each(of)
        .map(|tally| tally.map_or(0, |tally| tally.counts.requests))
        .collect()
}

/// Client 1 has a request answered in each of the seconds 1 and 2, client 2 in 1 and 3. In second 3 it turns out to be client 1.
#[test]
fn a_further_address_of_a_client_is_that_clients_in_all_seconds() {
    let mut recent = Recent::default();
    frame(&mut recent, 900, 0, 100);
    frame(&mut recent, 4100, 0, 100);
    let of = |number, client, ms| {
        let mut t = transaction(number, Kind::Read, ms - 10, ms);
        t.client = station(client);
        t
    };
    recent.transaction(&of(1, 1, 1100));
    recent.transaction(&of(2, 2, 1200));
    recent.transaction(&of(3, 1, 2100));
    recent.same_client(station(2), station(1));
    recent.transaction(&of(4, 2, 3100));
    let history = recent.history();
    assert_eq!(requests(&history, &Of::Client(station(1))), [0, 2, 1, 1, 0]);
    assert_eq!(requests(&history, &Of::Client(station(2))), [0; 5]);
    let rows = history.whole().rows(|of| matches!(of, Of::Client(_)));
    assert_eq!(rows.len(), 1);
    let times = rows[&Of::Client(station(1))].response_time.times();
    assert_eq!((times.n, times.total), (4, 40_000_000));
}

/// Two requests are answered in second 1, one in second 3; second 4 is under way.
#[test]
fn a_transaction_counts_in_the_second_of_its_answer() {
    let mut recent = Recent::default();
    frame(&mut recent, 900, 0, 100);
    frame(&mut recent, 4100, 0, 100);
    recent.transaction(&transaction(1, Kind::Read, 900, 1000));
    recent.transaction(&transaction(2, Kind::Read, 1900, 1950));
    recent.transaction(&transaction(3, Kind::Write, 1980, 3999));
    let history = recent.history();
    assert_eq!(requests(&history, &Of::All), [0, 2, 0, 1, 0]);
    assert_eq!(requests(&history, &Of::Client(station(1))), [0, 2, 0, 1, 0]);
    assert_eq!(requests(&history, &Of::Server(station(1))), [0; 5]);
    // The last complete seconds are 1, 2 and 3.
    let last = history.last(3);
    assert_eq!((last.seconds(), last.begins()), (3, at(1000)));
    let tally = last.tally(&Of::Server(station(9)));
    let times = tally.response_time.times();
    assert_eq!(
        (times.n, times.min, times.max),
        (3, 50_000_000, 2_019_000_000)
    );
    // The 2nd of three is 100 ms: in the part from 100 to 103.125 ms.
    assert_eq!(times.p50, 103_124_999);
    assert_eq!(last.per_second(tally.counts.requests), Some(1000));
    let operations = last.rows(|of| matches!(of, Of::Operation(_)));
    let names: Vec<_> = operations
        .iter()
        .map(|(of, tally)| match of {
            Of::Operation(key) => (key.command, tally.counts.answered),
            _ => ("", 0),
        })
        .collect();
    assert_eq!(names, [("READ", 2), ("WRITE", 1)]);
    let parties = last.parties();
    assert_eq!(parties[&1].server, station(9));
}

/// A capture that begins and ends within seconds: rates are by the time that it has.
#[test]
fn rates_are_by_the_time_that_the_capture_has() {
    let mut recent = Recent::default();
    frame(&mut recent, 900, 0, 100);
    frame(&mut recent, 1400, 0, 100);
    recent.finish();
    let history = recent.history();
    let last = history.last(10);
    assert_eq!((last.seconds(), last.elapsed_ns()), (2, 500_000_000));
    assert_eq!(last.per_second(10), Some(20_000));
    assert_eq!(history.last(1).elapsed_ns(), 400_000_000);
    let mut alone = Recent::default();
    frame(&mut alone, 900, 0, 100);
    alone.finish();
    assert_eq!(alone.history().last(10).per_second(10), None, "no time");
    // Time that passes without frames is time.
    let mut live = Recent::default();
    frame(&mut live, 900, 0, 100);
    live.advance(at(3500));
    assert_eq!(live.history().last(10).elapsed_ns(), 2_100_000_000);
}

#[test]
fn what_is_not_answered_counts_when_it_is_given_up() {
    let mut recent = Recent::default();
    frame(&mut recent, 0, 0, 60);
    recent.advance(at(2000));
    recent.transaction(&unanswered(1, Kind::Read, 0));
    let history = recent.history();
    let tally = history.whole().tally(&Of::All);
    assert_eq!(
        (tally.counts.unanswered, tally.response_time.spread().n),
        (1, 0)
    );
    assert_eq!(requests(&history, &Of::All), [0, 0, 1]);
}

/// 10 Mbit/s for 2 s are 2,500,000 bytes; 124 + 324 of them are 179 millionths.
#[test]
fn frames_count_by_interface() {
    let mut recent = Recent::default();
    frame(&mut recent, 100, 0, 100);
    frame(&mut recent, 1100, 2, 300);
    frame(&mut recent, 2100, 0, 60);
    let history = recent.history();
    let last = history.last(10);
    assert_eq!(last.seconds(), 2);
    let all = last.captured(None);
    assert_eq!((all.frames, all.bytes, all.on_wire), (2, 400, 448));
    assert_eq!(all.utilisation(10_000_000, 2), Some(179));
    assert_eq!(all.utilisation(0, 2), None);
    assert_eq!(last.captured(Some(2)).frames, 1);
    assert_eq!(last.captured(Some(1)), Captured::default());
    let each: Vec<u64> = last.captured_each(None).map(|c| c.bytes).collect();
    assert_eq!(each, [100, 300]);
    recent.finish();
    assert_eq!(recent.history().last(10).seconds(), 3, "the last one, too");
}

#[test]
fn what_transports_do_counts_for_their_conversation() {
    let mut recent = Recent::default();
    let mut notice = Notice {
        mark: mark(1, 500),
        from: station(1),
        to: station(9),
        carrier: "toy_link",
        conversation: Some(7),
        bytes: 100,
        what: Noticed::Acknowledged {
            bare: true,
            message: false,
            may_ride: false,
            frames: 2,
            outstanding: 3000,
            last_bytes: 1500,
            after_ns: 5,
            sent: None,
            at_once: false,
        },
    };
    recent.noticed(&notice);
    notice.what = Noticed::Resent { after_ns: None };
    recent.noticed(&notice);
    notice.conversation = None;
    recent.noticed(&notice);
    notice.what = Noticed::Closed;
    recent.noticed(&notice);
    let history = recent.history();
    let of = |of| history.whole().tally(&of).transport;
    let link = of(Of::Conversation(7));
    assert_eq!(
        (link.acks_alone, link.resent, link.window_max),
        (1, 1, 3000)
    );
    assert_eq!(link.window_mean(), Some(3000));
    assert_eq!(
        (of(Of::All).resent, of(Of::All).window_mean()),
        (2, Some(3000))
    );
    assert_eq!(of(Of::Conversation(8)), Transport::default());
}

/// Station 1 acknowledges 3000 bytes of station 9 and says that it can take 100, then 700 of
/// 2000 ms; station 9 acknowledges 50.
#[test]
fn windows_count_by_the_end_that_can_take_so_much() {
    let mut recent = Recent::default();
    let mut tell = |ms, (from, to), what| {
        recent.noticed(&Notice {
            mark: mark(1, ms),
            from: station(from),
            to: station(to),
            carrier: "toy_stream",
            conversation: Some(7),
            bytes: 0,
            what,
        });
    };
    let acknowledged = |outstanding| Noticed::Acknowledged {
        bare: true,
        message: false,
        may_ride: false,
        frames: 1,
        outstanding,
        last_bytes: 0,
        after_ns: 5,
        sent: None,
        at_once: false,
    };
    let offered = |bytes| {
        let mut windows = Windows::default();
        windows.add(bytes, true);
        Noticed::Offered(windows)
    };
    tell(500, (1, 9), acknowledged(3000));
    tell(500, (1, 9), offered(100));
    tell(2000, (1, 9), offered(700));
    tell(2000, (9, 1), acknowledged(50));
    let history = recent.history();
    let transport = history.whole().tally(&Of::Conversation(7)).transport;
    let client = transport.end(&station(1), &station(9));
    let server = transport.end(&station(9), &station(1));
    assert_eq!(client.offered.mean(), Some(400));
    let extremes = (client.offered.smallest, client.offered.largest);
    assert_eq!((extremes, client.offered.times), ((100, 700), 2));
    assert_eq!((client.in_flight, server.in_flight), (3000, 50));
    assert_eq!(server.offered, Windows::default());
    // The latest second alone.
    let last = history.whole();
    let latest = last.each(&Of::Conversation(7)).last().flatten().unwrap();
    let end = latest.transport.end(&station(1), &station(9));
    assert_eq!((end.offered.smallest, end.in_flight), (700, 0));
    let all = history.whole().tally(&Of::All).transport;
    assert_eq!(all.end(&station(1), &station(9)), End::default());
}

#[test]
fn old_seconds_go_and_what_comes_too_late_is_told() {
    let mut recent = limited(3, 100, usize::MAX);
    for second in 0..5 {
        frame(&mut recent, second * 1000, 0, 60);
    }
    let history = recent.history();
    assert_eq!(
        (history.whole().seconds(), history.missed()),
        (3, Missed::default())
    );
    assert_eq!(history.whole().begins(), at(2000));
    recent.transaction(&transaction(1, Kind::Read, 900, 1000));
    frame(&mut recent, 1000, 0, 60);
    let missed = recent.history().missed();
    assert_eq!((missed.late, missed.frames, missed.restarts), (1, 1, 0));
    assert_eq!(
        history.missed(),
        Missed::default(),
        "handed out is handed out"
    );
}

#[test]
fn a_clock_that_steps_far_begins_anew() {
    let mut recent = limited(100, 100, usize::MAX);
    frame(&mut recent, 1_000_000, 0, 60);
    frame(&mut recent, 990_000, 0, 60);
    assert_eq!(
        recent.history().whole().seconds(),
        11,
        "ten seconds are not far"
    );
    frame(&mut recent, 900_000, 0, 60);
    let history = recent.history();
    assert_eq!(
        (history.whole().seconds(), history.missed().restarts),
        (1, 1)
    );
    // A stamp from nowhere, and back.
    frame(&mut recent, i64::MAX / 1_000_000, 0, 60);
    frame(&mut recent, i64::MIN / 1_000_000, 0, 60);
    recent.advance(Timestamp::from_nanos(i64::MAX));
    frame(&mut recent, 900_000, 0, 60);
    assert_eq!(recent.history().whole().captured(None).frames, 1);
}

/// A transaction that is told late, of the hour before the clock was set back.
#[test]
fn what_is_told_late_does_not_set_the_clock() {
    let mut recent = limited(600, 100, usize::MAX);
    frame(&mut recent, 3_600_000, 0, 60);
    frame(&mut recent, 1000, 0, 60);
    recent.transaction(&transaction(1, Kind::Read, 3_599_000, 3_600_000));
    frame(&mut recent, 2000, 0, 60);
    let history = recent.history();
    let missed = history.missed();
    assert_eq!((missed.restarts, missed.late), (1, 1));
    let whole = history.whole();
    assert_eq!((whole.seconds(), whole.captured(None).frames), (2, 2));
}

#[test]
fn too_many_rows_are_counted_and_everything_is_still_whole() {
    let mut recent = limited(3, 6, usize::MAX);
    for n in 1..5u8 {
        let mut t = transaction(n.into(), Kind::Read, 0, 10);
        t.client = station(20 + n);
        t.conversation = n.into();
        recent.transaction(&t);
    }
    // All, a server, an operation, a client and a conversation; one client more. The other
    // five find no room.
    let history = recent.history();
    assert_eq!(history.missed().rows, 5);
    assert_eq!(requests(&history, &Of::All), [4]);
}

#[test]
fn memory_is_bounded_by_forgetting_early() {
    let mut recent = limited(600, 2048, 300_000);
    for second in 0..60i64 {
        for n in 0..50u8 {
            let ms = second * 1000 + i64::from(n);
            let mut t = transaction(1, Kind::Read, ms, ms + 10);
            t.client = station(n);
            recent.transaction(&t);
        }
    }
    let history = recent.history();
    let (kept, missed) = (history.whole().seconds(), history.missed());
    assert!((2..60).contains(&kept), "{kept}");
    assert_eq!(u64::from(kept) + missed.seconds, 60);
    let held: usize = history.seconds.iter().map(|second| second.held()).sum();
    assert!(
        held <= 300_000 * 2,
        "{held}: the bound, and one second under way"
    );
    assert_eq!(
        history.whole().tally(&Of::All).counts.requests,
        u64::from(kept) * 50
    );
}

fn any_transaction() -> impl Strategy<Value = Transaction> {
    let kinds = prop::sample::select(vec![
        Kind::Read,
        Kind::Write,
        Kind::Session,
        Kind::Wait,
        Kind::Break,
    ]);
    let what = (0..10u8, 0..5u8, any::<bool>(), any::<bool>());
    (kinds, 0..30_000i64, 0..4000i64, 1..6u8, 1..4u8, what).prop_map(
        |(kind, asked, takes, client, server, (outcome, again, busy, lost))| {
            let mut t = match outcome {
                0 => unanswered(1, kind, asked),
                _ => transaction(1, kind, asked, asked + takes),
            };
            if outcome == 1 {
                t.outcome = Outcome::OrphanResponse;
                t.request = None;
            }
            t.client = station(client).with_port(u16::from(again));
            t.server = station(100 + server);
            t.conversation = u64::from(client) * 10 + u64::from(server);
            t.data_bytes = takes.unsigned_abs();
            t.frames.retransmitted = again.into();
            for (flag, set) in [(Flags::PIPELINED, busy), (Flags::CAPTURE_LOSS, lost)] {
                if set {
                    t.flags.set(flag);
                }
            }
            t
        },
    )
}

proptest! {
    /// What the seconds say together is what the figures of the whole say.
    #[test]
    fn all_seconds_together_are_the_whole(all in prop::collection::vec(any_transaction(), 1..80)) {
        let mut recent = Recent::default();
        let settings = Settings::default();
        let mut books = Books::new(settings, 0);
        books.record();
        let options = wirewait_stats::Options { rows: settings.rows, think_ns: settings.think_ns };
        let mut collectors = wirewait_stats::Collectors::new(&options);
        frame(&mut recent, 0, 0, 60);
        for t in &all {
            recent.transaction(t);
            let mut parties = parties::Parties::UNKNOWN;
            books.directory.meet(t, &mut parties);
            let case = Case {
                transaction: t,
                parties: &parties,
            };
            Reporter::new(&mut books, &Path::default(), &mut ()).tell(Event::Closed(case, false));
        }
        books.post();
        collectors.batch(&books.take_batch(RecordBatch::default()));
        let figures = collectors.figures(&books);
        let history = recent.history();
        let whole = history.whole();
        prop_assert_eq!(history.missed(), Missed::default());
        let rows = figures.servers;
        let operations = whole.rows(|of| matches!(of, Of::Operation(_)));
        prop_assert_eq!(operations.len(), rows.len());
        for row in rows {
            let key = OperationKey {
                server: row.server,
                protocol: row.protocol,
                carrier: row.carrier,
                command: row.command,
                code: row.code,
                kind: row.kind,
            };
            let tally = &operations[&Of::Operation(key)];
            prop_assert_eq!((tally.counts, tally.frames), (row.counts, row.frames));
            prop_assert_eq!(tally.data_bytes, row.data_bytes);
            let found = tally.response_time.spread();
            let times = row.response_time;
            prop_assert_eq!((found.n, found.min, found.max, found.total), (times.n, times.min, times.max, times.total));
            let found = tally.turnaround.spread();
            prop_assert_eq!((found.n, found.total), (row.turnaround.n, row.turnaround.total));
        }
        for row in figures.stations {
            let tally = whole.tally(&Of::Client(row.client));
            prop_assert_eq!((tally.counts, tally.frames), (row.counts, row.frames));
            prop_assert_eq!(tally.retransmitted, row.retransmitted);
            prop_assert_eq!(tally.response_time.spread().total, row.response_time.total);
        }
        let spread = figures.distribution;
        let tally = whole.tally(&Of::All);
        prop_assert_eq!(tally.counts.requests + tally.counts.orphan_responses, all.len() as u64);
        prop_assert_eq!(tally.response_time.histogram(), spread.response_time);
        prop_assert_eq!(tally.turnaround.histogram(), spread.turnaround);
        for row in spread.servers {
            let tally = whole.tally(&Of::Server(row.server));
            prop_assert_eq!(tally.response_time.histogram(), row.response_time);
        }
        let talks = whole.rows(|of| matches!(of, Of::Conversation(_)));
        let n: u64 = talks.values().map(|t| t.counts.requests + t.counts.orphan_responses).sum();
        prop_assert_eq!(n, all.len() as u64);
        prop_assert_eq!(talks.len(), whole.parties().len());
    }

    /// Whatever the clock does: bounded, and every frame is somewhere.
    #[test]
    fn no_clock_confuses_it(stamps in prop::collection::vec(-200_000..200_000i64, 1..60), room in 1..90u32) {
        let mut recent = limited(room, 10, usize::MAX);
        for ms in &stamps {
            frame(&mut recent, *ms, 0, 60);
            let history = recent.history();
            prop_assert!(history.whole().seconds() <= room);
            let kept = history.whole().captured(None).frames;
            prop_assert!(kept + history.missed().frames <= stamps.len() as u64);
            let there = number(at(*ms)) - history.first;
            prop_assert!(there < i64::from(room), "the latest frame is not ahead of the ring");
        }
    }
}

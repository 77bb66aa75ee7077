use super::super::testing::{Bench, station, transaction};
use super::super::{State, Watch};
use super::*;
use crate::Times;

/// The right is given back 50 ms after it was asked for, within the open.
#[test]
fn an_open_waits_for_another_client() {
    let run = |ms: i64| {
        let mut bench = Bench::new();
        let mut right = transaction(2, Kind::Break, 15, 15 + ms);
        right.client = station(2);
        bench.closed(&right);
        bench.closed(&transaction(1, Kind::Open, 10, 20 + ms));
        bench.found("break_waits")
    };
    let found = run(50).unwrap();
    assert_eq!(
        (found.state, found.hits.cost_ns),
        (State::Raised, 50_000_000)
    );
    assert_eq!(found.subject, Subject::Server(station(9)));
    assert!(run(49).is_none());
}

/// The right was asked for 20 s before the open was answered, and is not given back.
#[test]
fn an_open_waits_for_a_client_that_gives_nothing_back() {
    let run = |kind: Kind, ms: i64| {
        let mut bench = Bench::new();
        let mut right = transaction(2, Kind::Break, 15, 15 + ms);
        right.client = station(2);
        right.response = None;
        bench.about(&right, Watch::took_back);
        bench.closed(&transaction(1, kind, 10, 15 + ms));
        bench.found("break_waits").map(|found| found.hits.cost_ns)
    };
    assert_eq!(run(Kind::Open, 20_000), Some(20_000_000_000));
    assert_eq!(run(Kind::Open, 19_999), None);
    assert_eq!(run(Kind::Read, 20_000), None);
}

/// Who was asked for the right is named once, however its own break ends: when the server gives up, or when the capture ends 1,001 ms
/// after the break while the other one waits.
#[test]
fn who_gives_nothing_back_is_named_when_another_client_waited() {
    let run = |answered: bool, ms: i64, at_end: bool| {
        let mut bench = Bench::new();
        let mut right = transaction(2, Kind::Break, 15, 16);
        right.client = station(2);
        right.response = None;
        bench.about(&right, Watch::took_back);
        let mut open = transaction(1, Kind::Open, 10, 15 + ms);
        if !answered {
            (open.response, open.outcome) = (None, Outcome::Unanswered);
            open.flags.set(Flags::OPEN_AT_END);
            bench.begins(&open, 10, false);
            bench.ends(&open, 10, (false, 15 + ms), None);
        }
        right.outcome = Outcome::Unanswered;
        if at_end {
            right.flags.set(Flags::OPEN_AT_END);
        }
        bench.closed(&open);
        bench.closed(&right);
        let found = bench.found("slow_break")?;
        let count = (found.state == State::Raised).then_some(found.hits.count)?;
        Some((found.subject, count, found.words.clone()))
    };
    let named = Some((Subject::Client(station(2)), 1, vec![("BREAK", 1)]));
    assert_eq!(run(true, 20_000, true), named);
    assert_eq!(run(true, 20_000, false), named);
    assert_eq!(run(true, 19_999, true), None, "the server did not give up");
    assert_eq!(run(false, 1_001, true), named);
    assert_eq!(run(false, 1_000, true), None);
}

#[test]
fn what_waits_for_another_client_is_no_slow_answer() {
    let mut bench = Bench::new();
    bench.good(20);
    let start = bench.last;
    bench.close(transaction(21, Kind::Break, start + 5, start + 3005));
    bench.close(transaction(22, Kind::Open, start, start + 3010));
    assert_eq!(
        bench.state("slow_answers"),
        Some(State::Withdrawn(Against::Break))
    );
}

/// Opens of 3,010 ms, of which the break took so long; first "being processed".
fn opens_behind(breaks_ms: i64) -> Bench {
    let mut bench = Bench::new();
    for n in 0..30 {
        let start = n as i64 * 10_000;
        let mut right = transaction(100 + n, Kind::Break, start + 5, start + 5 + breaks_ms);
        right.client = station(2);
        bench.closed(&right);
        let mut open = transaction(200 + n, Kind::Open, start, start + 3_010);
        open.first_interim = open.request.map(|request| request.last);
        bench.closed(&open);
    }
    bench
}

/// 10 ms of each are the server's; of the others 2,010.
#[test]
fn a_server_that_waits_for_another_client_is_neither_slow_nor_busy() {
    let bench = opens_behind(3_000);
    assert_eq!(
        bench.found("break_waits").unwrap().hits.cost_ns,
        90_000_000_000
    );
    assert_eq!(bench.state("slow_server"), Some(State::Below));
    assert_eq!(
        bench.found("slow_server").unwrap().hits.cost_ns,
        300_000_000
    );
    let withdrawn = Some(State::Withdrawn(Against::Break));
    assert_eq!(bench.state("slow_answers"), withdrawn);
    assert_eq!(bench.state("regular_slow_answers"), None);
    let bench = opens_behind(1_000);
    assert_eq!(bench.state("slow_server"), Some(State::Raised));
    assert_eq!(
        bench.found("slow_server").unwrap().hits.cost_ns,
        60_300_000_000
    );
}

#[test]
fn a_right_given_back_late_or_never() {
    let mut bench = Bench::new();
    bench.one(Kind::Break, 1000, |_| ());
    assert_eq!(bench.state("slow_break"), None);
    bench.one(Kind::Break, 1001, |_| ());
    assert_eq!(bench.state("slow_break"), Some(State::Raised));
    let mut bench = Bench::new();
    bench.lost(Kind::Break, 60_000, |_| ());
    assert_eq!(bench.state("slow_break"), Some(State::Raised));
    let mut bench = Bench::new();
    bench.lost(Kind::Break, 60_000, |t| t.flags.set(Flags::ONE_SIDED));
    assert_eq!(
        bench.state("slow_break"),
        Some(State::Withdrawn(Against::OneSided))
    );
}

/// Turnaround 60 ms, of which 10 were the request's own: 50 ms behind others.
#[test]
fn requests_that_queue() {
    let run = |own_ms: i64, times: u64| {
        let mut bench = Bench::new();
        for _ in 0..times {
            bench.one(Kind::Read, 60, |t| {
                t.flags.set(Flags::PIPELINED);
                t.service_ns = Some(own_ms * 1_000_000);
            });
        }
        bench.state("queueing")
    };
    assert_eq!(run(10, 20), Some(State::Raised));
    assert_eq!(run(11, 20), Some(State::Below));
    assert_eq!(run(10, 19), Some(State::TooFew));
}

fn row(p50: i64, p95: i64, n: u64) -> ServerRow {
    let times = Times {
        n,
        p50,
        p95,
        total: i128::from(p50) * i128::from(n) + 7_000_000,
        ..Times::default()
    };
    let mut row = ServerRow::default();
    row.server = station(9);
    row.protocol = "toy";
    row.carrier = "toy_link";
    row.command = "READ";
    row.code = 1;
    row.kind = Kind::Read;
    row.turnaround = times;
    row.response_time = times;
    row.request_transfer = times;
    row.response_transfer = times;
    row
}

/// A median of 1 ms, and one in twenty above ten of them: cost is all beyond the median.
#[test]
fn a_server_whose_answers_fluctuate() {
    let mut bench = Bench::new();
    bench.good(50);
    let state = |row: ServerRow| {
        let found = bench
            .watch
            .judge(
                &bench.frames,
                &bench.directory,
                (&[row], &BTreeMap::new()),
                None,
            )
            .found;
        found
            .into_iter()
            .find(|s| s.rule.id == "fluctuating_server")
            .map(|s| (s.state, s.hits.cost_ns))
    };
    const MS: i64 = 1_000_000;
    assert_eq!(
        state(row(MS, 11 * MS, 50)),
        Some((State::Raised, 7_000_000))
    );
    assert_eq!(
        state(row(MS, 11 * MS - 1, 50)),
        None,
        "less than 10 ms apart"
    );
    assert_eq!(
        state(row(2 * MS, 20 * MS - 1, 50)),
        None,
        "less than tenfold"
    );
    assert_eq!(state(row(MS, 11 * MS, 49)), None, "too few");

    // Five of 100 are one in twenty, although the 95th percentile is a fast one; four are fewer.
    let sampled = |slow: u64| {
        let mut row = row(MS, MS, 100);
        let values = [(MS, 100 - slow), (11 * MS, slow)].into_iter();
        row.samples.turnaround = crate::Sample::counted(values, crate::Fidelity::Exact);
        state(row)
    };
    assert_eq!(sampled(5), Some((State::Raised, 7_000_000)));
    assert_eq!(sampled(4), None);
}

/// Two clients read in 1 ms, a third in 6 ms: more than five times as long.
#[test]
fn a_client_that_starves() {
    let run = |clients: u8, ms: i64, change: fn(&mut Transaction)| {
        let mut bench = Bench::new();
        for client in 1..=clients {
            for _ in 0..20 {
                bench.one(Kind::Read, if client == 1 { ms } else { 1 }, |t| {
                    t.client = station(client);
                    if client == 1 {
                        change(t);
                    }
                });
            }
        }
        bench.found("starving_client")
    };
    let found = run(3, 6, |_| ()).unwrap();
    assert_eq!(
        (found.state, found.hits.cost_ns),
        (State::Raised, 20 * 5_000_000)
    );
    assert!(run(3, 5, |_| ()).is_none(), "exactly five times");
    assert!(run(2, 6, |_| ()).is_none(), "one other is no measure");
    assert_eq!(
        run(3, 6, |t| t.hops = Some(2)).unwrap().state,
        State::Withdrawn(Against::Distance)
    );
    assert!(
        run(3, 6, |t| t.data_bytes = 2).is_none(),
        "larger reads take longer"
    );
}

/// What all but one read together, as adding up the others finds it.
#[test]
fn the_others_of_a_client_are_all_but_it() {
    let mean = |n: u64, total_ns: u64, bytes: u64, hops: u8| Mean {
        n,
        total_ns,
        bytes,
        hops,
        slowest: None,
    };
    let near = [mean(3, 30, 7, 0), mean(5, u64::MAX, 9, 0), mean(2, 9, 1, 0)];
    let one_far = [mean(1, 2, 3, 1), mean(4, 5, 6, 2), mean(7, 8, 9, 1)];
    let two_far = [mean(1, 2, 3, 2), mean(4, 5, 6, 2), mean(7, 8, u64::MAX, 0)];
    for clients in [near, one_far, two_far] {
        let mut together = Reads::default();
        clients.iter().for_each(|one| together.add(one));
        for (at, one) in clients.iter().enumerate() {
            let others = (0..clients.len()).filter(|other| *other != at);
            let others: Vec<Mean> = others.map(|other| clients[other]).collect();
            let sum = |of: fn(&Mean) -> u64| others.iter().map(of).fold(0, u64::saturating_add);
            let rest = together.without(one);
            assert_eq!(rest.n, sum(|m| m.n));
            assert_eq!(rest.total_ns, sum(|m| m.total_ns));
            assert_eq!(rest.bytes, sum(|m| m.bytes));
            let farthest = others.iter().all(|other| other.hops < one.hops);
            assert_eq!(together.is_farthest(one), farthest, "{one:?}");
        }
    }
}

impl super::super::Watch {
    /// An open waits for the first of more breaks than are remembered, another one for none of them,
    /// and a third one for one that is remembered.
    pub(crate) fn overrun_breaks() -> Hits {
        let mut bench = Bench::new();
        for n in 0..=BREAKS as i64 {
            let mut right = transaction(100 + n as u64, Kind::Break, 10 + n * 100, 70 + n * 100);
            right.client = station(2);
            bench.closed(&right);
        }
        let last = BREAKS as i64 * 100;
        bench.closed(&transaction(1, Kind::Open, 5, 75));
        bench.closed(&transaction(2, Kind::Open, 11, 12));
        bench.closed(&transaction(3, Kind::Open, 40, 110));
        bench.closed(&transaction(4, Kind::Open, last + 5, last + 75));
        bench.watch.hits()
    }
}

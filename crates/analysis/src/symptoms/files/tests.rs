use super::super::State;
use super::super::testing::Bench;
use super::*;
use wirewait_wire::File;

impl Bench {
    /// A read or write of `length` bytes at `offset` that takes `ms`.
    fn moves(&mut self, kind: Kind, offset: u64, length: u64, ms: i64) {
        self.one(kind, ms, |t| {
            t.file = Some(File {
                handle: 7,
                offset: Some(offset),
            });
            t.data_bytes = length;
        });
    }
}

/// From the third time on it is a loop: of 22 reads of one range, 20.
#[test]
fn the_same_range_again_and_again() {
    let mut bench = Bench::new();
    for _ in 0..22 {
        bench.moves(Kind::Read, 4096, 1024, 2);
    }
    let found = bench.found("request_loops").unwrap();
    assert_eq!(
        (found.state, found.hits.count, found.of),
        (State::Raised, 20, Some(22))
    );
    assert_eq!(found.hits.cost_ns, 20 * 2_000_000);
    assert_eq!(
        bench.state("overlapping_reads"),
        Some(State::Covered("request_loops"))
    );
    let mut bench = Bench::new();
    for n in 0..22 {
        bench.moves(Kind::Read, n / 2 * 1024, 1024, 2);
    }
    assert_eq!(bench.state("request_loops"), None, "each twice");
    // 5 of 26 is 19.2 %.
    let mut bench = Bench::new();
    for n in 0..21 {
        bench.moves(Kind::Read, n * 1024, 1024, 2);
    }
    for _ in 0..7 {
        bench.moves(Kind::Read, 100_000, 1024, 2);
    }
    assert_eq!(bench.state("request_loops"), Some(State::Below));
}

#[test]
fn what_was_written_anew_is_read_anew() {
    let mut bench = Bench::new();
    bench.moves(Kind::Read, 8192, 100, 1);
    for _ in 0..30 {
        bench.moves(Kind::Write, 4096, 1024, 1);
        bench.moves(Kind::Read, 4096, 1024, 1);
    }
    let found = bench.found("request_loops").unwrap();
    assert_eq!(found.hits.count, 28, "the writes");
    assert_eq!(bench.state("overlapping_reads"), None);
}

#[test]
fn a_pipe_has_no_ranges() {
    let mut bench = Bench::new();
    for _ in 0..30 {
        bench.moves(Kind::Write, 0, 100, 1);
        bench.moves(Kind::Read, 0, 1024, 1);
        bench.moves(Kind::Read, 0, 1024, 1);
    }
    assert_eq!(bench.raised(), [] as [&str; 0]);
}

/// Each read begins in the middle of the one before: 20 of 21 overlap.
#[test]
fn overlapping_reads() {
    let run = |step: u64| {
        let mut bench = Bench::new();
        for n in 0..21 {
            bench.moves(Kind::Read, n * step, 1024, 1);
        }
        bench
            .found("overlapping_reads")
            .map(|s| (s.state, s.hits.count))
    };
    assert_eq!(run(512), Some((State::Raised, 20)));
    assert_eq!(run(1024), None);
}

/// 100 reads of 512 bytes, one behind the other; the first follows nothing.
#[test]
fn small_reads() {
    let run = |times: u64, length: u64, step: u64| {
        let mut bench = Bench::new();
        for n in 0..times {
            bench.moves(Kind::Read, n * step, length, 1);
        }
        bench.found("small_reads").map(|s| (s.state, s.hits.count))
    };
    assert_eq!(run(100, 512, 512), Some((State::Raised, 99)));
    assert_eq!(run(100, 513, 513), None, "not small");
    assert_eq!(run(99, 512, 512), Some((State::TooFew, 98)));
    assert_eq!(
        run(100, 512, 5000),
        Some((State::Withdrawn(Against::Scattered), 0))
    );
}

/// 65,536 bytes in 2000 ms are 32,768 bytes/s. At 50,000 bytes/s they take 1310.72 ms.
#[test]
fn a_slow_transfer() {
    let run = |blocks: u64, ms: i64, close: bool| {
        let mut bench = Bench::new();
        for n in 0..blocks {
            bench.moves(Kind::Read, n * 4096, 4096, ms);
        }
        if close {
            bench.one(Kind::Close, 1, |t| {
                t.file = Some(File {
                    handle: 7,
                    offset: None,
                });
            });
        }
        bench
            .found("slow_transfer")
            .map(|s| (s.state, s.hits.cost_ns, s.bytes_per_second))
    };
    // 16 x 124.0625 would be too fine for a clock of milliseconds: 16 x 125 + 15 = 2015 ms.
    let rate = 65_536 * 1000 / 2_015;
    let slow = Some((State::Raised, 2_015_000_000 - 1_310_720_000, Some(rate)));
    assert_eq!(run(16, 125, true), slow);
    assert_eq!(run(16, 125, false), slow, "it goes on");
    assert_eq!(run(16, 124, true), None, "1999 ms");
    assert_eq!(run(15, 140, true), None, "61,440 bytes");
    assert_eq!(run(50, 80, true), None, "204,800 bytes in 4049 ms");
}

#[test]
fn raw_reads_that_are_refused() {
    let run = |others: u64, brought: u64| {
        let mut bench = Bench::new();
        for n in 0..20 + others {
            let refused = n < 5;
            let offset = n * 4096;
            bench.one(Kind::Read, 1, |t| {
                t.file = Some(File {
                    handle: 7,
                    offset: Some(offset),
                });
                t.flags.set(Flags::RAW);
                t.data_bytes = if refused { 0 } else { 4096 };
            });
            if refused {
                bench.moves(Kind::Read, offset, brought, 1);
            }
        }
        bench.found("raw_reads_denied").map(|s| (s.state, s.of))
    };
    assert_eq!(run(5, 4096), Some((State::Raised, Some(25))));
    assert_eq!(run(6, 4096), Some((State::Below, Some(26))));
    assert_eq!(
        run(5, 0),
        Some((State::Withdrawn(Against::EndOfFile), Some(25)))
    );
}

impl super::super::Watch {
    /// A file is read from its beginning to behind the ranges that are remembered; then the latest,
    /// which is, and the first two, which are not.
    pub(crate) fn overrun_ranges() -> Hits {
        let mut bench = Bench::new();
        let last = RANGES as u64 + 1;
        for n in (0..=last).chain([last, 0, 1]) {
            bench.moves(Kind::Read, n * 1024, 1024, 1);
        }
        bench.watch.hits()
    }
}

//! However many threads: the same comes out.

use std::path::Path;
use wirewait::{
    Analyzer, Choice, Engine, Frame, Settings, Standing, Timestamp, Transaction, registry,
};
use wirewait_capture::{Files, Options, open};

fn demo() -> Files {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../captures/demo.pcapng");
    open(&[path], &Options::default()).unwrap()
}

/// Everything that is found, and what was seen of the meters before each frame.
fn analysed(window: Option<(i64, i64)>, threads: usize) -> (String, usize, Vec<u64>) {
    let analyzer = Analyzer::new(registry(), Settings::default());
    analysed_by(analyzer, window, threads)
}

fn analysed_by(
    analyzer: Analyzer,
    window: Option<(i64, i64)>,
    threads: usize,
) -> (String, usize, Vec<u64>) {
    let mut engine = Engine::with(demo(), analyzer);
    let mut transactions: Vec<Transaction> = Vec::new();
    let mut watched = Vec::new();
    let mut first: Option<Timestamp> = None;
    let mut choose = |frame: &Frame<'_>| {
        let seconds = frame.at.since(*first.get_or_insert(frame.at)) / 1_000_000_000;
        match window {
            Some((from, _)) if seconds < from => Choice::Skip,
            Some((_, to)) if seconds >= to => Choice::Stop,
            _ => Choice::Take,
        }
    };
    let mut watch = |frame: &Frame<'_>, analyzer: &Analyzer| {
        let readings = analyzer.readings();
        let segment: u64 = readings.segments.iter().map(|(_, m)| m.frames).sum();
        watched.push(segment ^ frame.at.as_nanos().unsigned_abs());
    };
    let mut read = 0;
    let mut between = |standing: Standing, _: &mut Vec<Transaction>| {
        assert_eq!(standing.error, None);
        read = standing.read;
        Ok::<(), ()>(())
    };
    let sink = &mut transactions;
    let ran = engine.run_on(threads, &mut choose, sink, &mut watch, &mut between);
    ran.unwrap();
    assert!(read > 0, "bytes are counted");
    let (snapshot, readings, _) = engine.finish_metered(sink);
    let shown = format!("{snapshot:?} {readings:?} {transactions:?}");
    (shown, transactions.len(), watched)
}

#[test]
fn what_comes_out_does_not_depend_on_the_threads() {
    for window in [None, Some((1, 3))] {
        let one = analysed(window, 1);
        assert!(one.1 > 10, "there is something to compare");
        for threads in [2, 3, 4, 9] {
            assert_eq!(one, analysed(window, threads), "{threads} threads");
        }
    }
}

/// The last seconds are kept of accounts and of frames together: accounts stay with the analysis then.
#[test]
fn kept_seconds_do_not_depend_on_the_threads() {
    let keeping = || Analyzer::new(registry(), Settings::default()).keeping_course(60);
    assert!(keeping().lend().is_none());
    let one = analysed_by(keeping(), None, 1);
    for threads in [2, 3, 4] {
        assert_eq!(
            one,
            analysed_by(keeping(), None, threads),
            "{threads} threads"
        );
    }
}

/// What is read ahead, entered in accounts and counted by others is all there when somebody goes on
/// with the same analysis.
#[test]
fn a_second_run_goes_on_where_the_first_ended() {
    let frames = |threads: [usize; 2]| {
        let mut engine = Engine::new(demo(), Settings::default());
        let mut read = 0;
        let mut few = |_: &Frame<'_>| {
            read += 1;
            if read > 40 {
                Choice::Stop
            } else {
                Choice::Take
            }
        };
        let mut all = |_: &Frame<'_>| Choice::Take;
        let mut watch = |_: &Frame<'_>, _: &Analyzer| {};
        let mut between = |_: Standing, _: &mut ()| Ok::<(), ()>(());
        let [first, second] = threads;
        let ran = engine.run_on(first, &mut few, &mut (), &mut watch, &mut between);
        ran.unwrap();
        let half = format!("{:?}", engine.snapshot());
        let ran = engine.run_on(second, &mut all, &mut (), &mut watch, &mut between);
        ran.unwrap();
        (half, format!("{:?}", engine.finish(&mut ()).0))
    };
    let one = frames([1, 1]);
    assert_ne!(one.0, one.1);
    for threads in [[2, 2], [4, 1], [1, 4], [3, 2]] {
        assert_eq!(one, frames(threads), "{threads:?} threads");
    }
}

#[test]
fn the_first_error_ends_the_run() {
    for threads in 1..=4 {
        let mut engine = Engine::new(demo(), Settings::default());
        let mut calls = 0;
        let mut enough = |_: Standing, _: &mut ()| {
            calls += 1;
            Err("enough")
        };
        let mut all = |_: &Frame<'_>| Choice::Take;
        let mut watch = |_: &Frame<'_>, _: &Analyzer| {};
        let ended = engine.run_on(threads, &mut all, &mut (), &mut watch, &mut enough);
        assert_eq!((ended, calls), (Err("enough"), 1));
        assert!(engine.number() > 0);
    }
}

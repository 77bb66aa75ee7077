//! What must hold for the analysis of any frames at all.

use wirewait_analysis::{Analyzer, Outcome, Settings, Snapshot, Transaction, WHOLE_FRAME};
use wirewait_judge::Verdict;
use wirewait_judge::compare::Comparison;
use wirewait_stats::{Collectors, Options};
use wirewait_wire::{Frame, Registry};

/// What came out of an analysis.
pub(crate) struct Found {
    pub(crate) transactions: Vec<Transaction>,
    pub(crate) snapshot: Snapshot,
}

/// Analyses frames and checks what must hold for any.
///
/// # Panics
/// When it does not.
pub(crate) fn analyse<'a>(
    registry: fn() -> Registry,
    frames: impl IntoIterator<Item = Frame<'a>, IntoIter: Clone>,
    settings: Settings,
) -> Found {
    let frames = frames.into_iter();
    let (count, found) = at_once(registry(), frames.clone(), settings);
    found.check(count);
    let by_roles = by_roles(registry(), frames, settings);
    let all = |of: &Found| format!("{:?} {:?}", of.transactions, of.snapshot);
    assert_eq!(all(&by_roles), all(&found), "by roles, as on threads");
    found
}

/// Frame by frame, and how many there were.
fn at_once<'a>(
    registry: Registry,
    frames: impl Iterator<Item = Frame<'a>>,
    settings: Settings,
) -> (u64, Found) {
    let mut analyzer = Analyzer::new(registry, settings).recording();
    let mut statistics = collectors(&settings);
    let mut transactions = Vec::new();
    let mut count = 0;
    for frame in frames {
        count += 1;
        analyzer.frame(&frame, &mut transactions);
        if analyzer.has_batch() {
            statistics.batch(&analyzer.take_batch(Default::default()));
        }
    }
    (count, Found::at_the_end(analyzer, statistics, transactions))
}

/// As it is done on several threads: frames are looked at ahead, and accounts are kept by who was lent them, behind.
fn by_roles<'a>(
    registry: Registry,
    frames: impl Iterator<Item = Frame<'a>>,
    settings: Settings,
) -> Found {
    let mut analyzer = Analyzer::new(registry, settings).recording();
    let mut statistics = collectors(&settings);
    let mut transactions = Vec::new();
    let mut intake = analyzer.intake_counting();
    let mut accounting = analyzer.lend().expect("no seconds are kept");
    let (mut entries, mut look) = Default::default();
    for (number, frame) in (0u32..).zip(frames) {
        intake.look(&frame, &mut look);
        analyzer.looked(&frame, &look, &mut transactions);
        // Wherever entries are cut: here seldom, so that what is known of earlier ones matters.
        if number.is_multiple_of(7) || analyzer.has_entries() {
            entries = analyzer.take_entries(entries);
            accounting.enter_all(&mut entries);
            statistics.batch(&accounting.take_batch(Default::default()));
        }
    }
    analyzer.intake_over(intake);
    analyzer.give_back(accounting);
    Found::at_the_end(analyzer, statistics, transactions)
}

fn collectors(settings: &Settings) -> Collectors {
    Collectors::new(&Options {
        rows: settings.rows,
        think_ns: settings.think_ns,
    })
}

impl Found {
    fn at_the_end(
        mut analyzer: Analyzer,
        mut statistics: Collectors,
        mut transactions: Vec<Transaction>,
    ) -> Self {
        analyzer.finish(&mut transactions);
        statistics.batch(&analyzer.take_all(Default::default()));
        let figures = statistics.figures(analyzer.entities());
        Self {
            transactions,
            snapshot: analyzer.snapshot(figures),
        }
    }

    /// The count of a reason for the capture's grade.
    #[must_use]
    pub(crate) fn reason(&self, name: &str) -> u64 {
        self.snapshot
            .capture
            .reasons
            .iter()
            .find(|r| r.name == name)
            .map_or(0, |r| r.count)
    }

    fn check(&self, frames: u64) {
        let (snapshot, transactions) = (&self.snapshot, &self.transactions);
        assert_eq!(snapshot.capture.frames, frames);
        let settings = snapshot.settings;

        // Whatever the figures are, they can be judged and compared.
        for share in Verdict::on(snapshot).shares {
            let of = share.thousandths;
            assert!(of.low <= of.high && of.high <= 1000, "{share:?}");
        }
        let same = Comparison::of(&[snapshot, snapshot], None);
        assert_eq!(same.verdicts.len(), 1);

        // Every frame went somewhere, and only there.
        let a = snapshot.attribution;
        assert_eq!(
            a.transactions + a.control + (a.other + a.duplicates) * WHOLE_FRAME,
            frames * WHOLE_FRAME,
            "transactions {}, control {}, other {}, duplicates {}: not the {frames} frames",
            a.transactions as f64 / WHOLE_FRAME as f64,
            a.control as f64 / WHOLE_FRAME as f64,
            a.other,
            a.duplicates,
        );
        let shares: u64 = transactions.iter().map(|t| t.share).sum();
        assert_eq!(shares, a.transactions, "shares of the transactions");

        // Tables are bounded, and say what they gave up.
        assert!(snapshot.servers.len() <= settings.rows.max(1));
        // There is always room for a client and its server, and each may ask the other.
        assert!(snapshot.stations.len() <= settings.rows.max(2));
        assert!(snapshot.slowest.len() <= settings.slowest);
        if self.reason("rows_evicted") == 0 {
            let requests: u64 = snapshot.servers.iter().map(|r| r.counts.requests).sum();
            let orphans: u64 = snapshot
                .servers
                .iter()
                .map(|r| r.counts.orphan_responses + r.counts.responses_given_up)
                .sum();
            assert_eq!(requests + orphans, transactions.len() as u64, "server rows");
            let requests: u64 = snapshot.stations.iter().map(|r| r.counts.requests).sum();
            let orphans: u64 = snapshot
                .stations
                .iter()
                .map(|r| r.counts.orphan_responses + r.counts.responses_given_up)
                .sum();
            assert_eq!(
                requests + orphans,
                transactions.len() as u64,
                "station rows"
            );
        }

        for t in transactions {
            one(t, frames);
        }
        // A station's time is time of the capture. (Where the clock stepped, there is none.)
        if self.reason("clock_steps") == 0 {
            // Longer captures than 292 years have no length that could be told.
            let span = match snapshot.capture.elapsed_ns {
                ns if ns >= i64::MAX.unsigned_abs() => u128::MAX,
                ns => u128::from(ns),
            };
            for row in &snapshot.stations {
                // A response that has to be sent again keeps a client busy that seems to think.
                let all = u128::from(row.busy_ns) + u128::from(row.client_ns);
                assert!(
                    all <= span && u128::from(row.think_ns) <= span,
                    "{:?}: busy {} + client {}, think {} ns in a capture of {span} ns",
                    row.client,
                    row.busy_ns,
                    row.client_ns,
                    row.think_ns
                );
            }
        }
        for row in &snapshot.servers {
            for times in [
                row.turnaround,
                row.response_time,
                row.request_transfer,
                row.response_transfer,
            ] {
                let ladder = [
                    times.min, times.p50, times.p90, times.p95, times.p99, times.max,
                ];
                assert!(ladder.is_sorted(), "{ladder:?}");
            }
        }
    }
}

fn one(t: &Transaction, frames: u64) {
    let marks = [t.request, t.response]
        .into_iter()
        .flatten()
        .flat_map(|e| [e.first, e.last])
        .chain(t.raw_end)
        .chain(t.first_interim);
    for mark in marks {
        assert!((1..=frames).contains(&mark.frame), "{t:?}");
    }
    match t.outcome {
        Outcome::Answered => assert!(t.request.is_some() && t.response.is_some(), "{t:?}"),
        Outcome::OrphanResponse => assert!(t.request.is_none() && t.response.is_some(), "{t:?}"),
        Outcome::Unanswered | Outcome::GivenUp => {
            assert!(t.request.is_some() && t.response.is_none(), "{t:?}");
        }
        Outcome::Cancelled => assert!(t.request.is_some(), "{t:?}"),
    }
    assert!(t.conversation > 0 && !t.protocol.is_empty(), "{t:?}");
    assert!(t.share > 0 || t.frames.total() > 0, "{t:?}");
}

//! What frames cost in memory: nothing more, once everything has found its place.

use allocation_counter::measure;
use wirewait_analysis::recent::{Limits, Recent};
use wirewait_analysis::{Analyzer, Notice, Settings, Sink, Transaction};
use wirewait_synth::Shape;
use wirewait_synth::bulk::Bulk;
use wirewait_wire::Frame;

/// Until then conversations and rows are made, and times that were kept one by one go into
/// buckets.
const BEGUN: u64 = 90_000;
const FRAMES: u64 = 100_000;

/// Once conversations, rows and buckets are there, a frame allocates nothing: what little is
/// left are buckets for times that did not occur before and queues that double, the fewer the
/// longer it goes on.
#[test]
fn a_frame_allocates_nothing_in_the_long_run() {
    for shape in ["ncp", "smbtcp", "smbnbf", "smb2", "mix"] {
        let bulk = Bulk {
            shape: Shape::by_name(shape).expect("a shape"),
            clients: 50,
            servers: None,
            seed: 7,
        };
        let registry = wirewait_dissectors::registry();
        let mut analyzer = Analyzer::new(registry, Settings::default());
        let (mut frames, mut begun, mut later) = (0, 0, 0);
        bulk.run(FRAMES, &mut |frame| {
            frames += 1;
            let made = measure(|| analyzer.frame(&frame, &mut ())).count_total;
            *(if frames > BEGUN {
                &mut later
            } else {
                &mut begun
            }) += made;
        });
        assert!(begun > 0, "{shape}: nothing is counted");
        assert!(
            later * 50 < FRAMES - BEGUN,
            "{shape}: {later} allocations in {} frames, {begun} before",
            FRAMES - BEGUN
        );
    }
}

/// The last minutes, and what an allocator counts for them.
#[derive(Default)]
struct Weighed {
    recent: Recent,
    bytes: i64,
}

impl Sink for Weighed {
    fn transaction(&mut self, transaction: &Transaction) {
        self.bytes += measure(|| self.recent.transaction(transaction)).bytes_current;
    }

    fn captured(&mut self, frame: &Frame<'_>, on_wire: u64) {
        self.bytes += measure(|| self.recent.captured(frame, on_wire)).bytes_current;
    }

    fn noticed(&mut self, notice: &Notice) {
        self.bytes += measure(|| self.recent.noticed(notice)).bytes_current;
    }
}

/// The last minutes keep to their limit by a count of their own, which is no more than a quarter
/// off, whether seconds are new or have the memory of those that were given up.
#[test]
fn what_the_last_minutes_take_is_what_they_count() {
    for (clients, seconds) in [(50, 600), (50, 3), (5000, 600), (5000, 3)] {
        let bulk = Bulk {
            shape: Shape::by_name("smbtcp").expect("a shape"),
            clients,
            servers: None,
            seed: 7,
        };
        let registry = wirewait_dissectors::registry();
        let mut analyzer = Analyzer::new(registry, Settings::default());
        let limits = Limits {
            seconds,
            ..Limits::default()
        };
        let mut weighed = Weighed::default();
        weighed.bytes = measure(|| weighed.recent = Recent::new(limits)).bytes_current;
        // The more there are the less of a second a hundred thousand frames are.
        let stretch = i64::from(clients / 50);
        let mut first = None;
        bulk.run(FRAMES, &mut |frame| {
            let first = *first.get_or_insert(frame.at);
            let at = first.plus(frame.at.since(first) * stretch);
            analyzer.frame(&Frame { at, ..frame }, &mut weighed);
        });
        let (taken, counted) = (weighed.bytes, weighed.recent.held());
        let kept = weighed.recent.history().whole().seconds();
        eprintln!(
            "the last minutes, {clients} clients: {counted} bytes by their own count, {taken} by \
             the allocator's, in {kept} seconds"
        );
        let counted = i64::try_from(counted).unwrap();
        assert!(
            kept > 2 && counted > 1000,
            "{clients} clients, {kept} seconds"
        );
        assert!(counted * 4 >= taken * 3, "{counted} counted, {taken} taken");
        assert!(counted * 3 <= taken * 4, "{counted} counted, {taken} taken");
        assert!(counted <= 64 << 20);
    }
}

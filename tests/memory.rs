//! What frames cost in memory: nothing more, once everything has found its place.

use allocation_counter::measure;
use wirewait_analysis::{Analyzer, Settings};
use wirewait_synth::Shape;
use wirewait_synth::bulk::Bulk;

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

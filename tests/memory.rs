//! What frames cost in memory: nothing more, once everything has found its place.

use allocation_counter::measure;
use wirewait_analysis::{Analyzer, Settings};
use wirewait_synth::Shape;
use wirewait_synth::bulk::Bulk;
use wirewait_wire::{Frame, LinkType, Timestamp};

/// A frame that can be kept.
struct Kept {
    at: Timestamp,
    link: LinkType,
    wire_len: u32,
    bytes: Vec<u8>,
}

fn frames(shape: &str, n: u64) -> Vec<Kept> {
    let bulk = Bulk {
        shape: Shape::by_name(shape).expect("a shape"),
        clients: 50,
        seed: 7,
    };
    let mut kept = Vec::new();
    bulk.run(n, &mut |frame| {
        kept.push(Kept {
            at: frame.at,
            link: frame.link,
            wire_len: frame.wire_len,
            bytes: frame.bytes.to_vec(),
        });
    });
    kept
}

fn feed(analyzer: &mut Analyzer, frames: &[Kept]) {
    for frame in frames {
        let frame = Frame {
            at: frame.at,
            link: frame.link,
            interface: 0,
            wire_len: frame.wire_len,
            bytes: &frame.bytes,
        };
        analyzer.frame(&frame, &mut ());
    }
}

/// Once conversations, rows and histograms are there, a frame allocates nothing: what little
/// is left are buffers that double, the fewer the longer it goes on.
#[test]
fn a_frame_allocates_nothing_in_the_long_run() {
    for shape in ["ncp", "smbtcp", "smbnbf", "smb2", "mix"] {
        let frames = frames(shape, 30_000);
        let (first, then) = frames.split_at(20_000);
        let registry = wirewait_dissectors::registry();
        let mut analyzer = Analyzer::new(registry, Settings::default());
        let begun = measure(|| feed(&mut analyzer, first)).count_total;
        let later = measure(|| feed(&mut analyzer, then)).count_total;
        assert!(begun > 0, "{shape}: nothing is counted");
        assert!(
            later * 50 < then.len() as u64,
            "{shape}: {later} allocations in {} frames",
            then.len()
        );
    }
}

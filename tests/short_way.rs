//! Segments that bring nothing but the next bytes of a message are taken in short. Who wants to see every message takes the
//! long way with all of them: both come to the same figures, for every capture, and with frames missing, doubled and
//! in another order.

use crate::support::all_captures;
use wirewait::Driver;
use wirewait_analysis::{Analyzer, Settings};
use wirewait_capture::Options;
use wirewait_dissectors::registry;
use wirewait_synth::{OwnedFrame, Random};
use wirewait_wire::Source;

/// The figures, and every transaction as it was closed.
fn figures(frames: &[OwnedFrame], observed: bool) -> String {
    let analyzer = Analyzer::new(registry(), Settings::default());
    let mut driver = Driver::new(match observed {
        true => analyzer.observed(),
        false => analyzer,
    });
    let mut transactions = Vec::new();
    for frame in frames {
        driver.frame(&frame.as_frame(), &mut transactions);
    }
    driver.finish(&mut transactions);
    format!("{:#?}\n{:#?}", driver.into_snapshot(), transactions)
}

/// Some frames less, some twice, some behind the next.
fn changed(frames: &[OwnedFrame], dice: &mut Random) -> Vec<OwnedFrame> {
    let mut changed = Vec::with_capacity(frames.len());
    for frame in frames {
        match dice.below(60) {
            0 => {}
            1 => changed.extend([frame.clone(), frame.clone()]),
            2 if !changed.is_empty() => changed.insert(changed.len() - 1, frame.clone()),
            _ => changed.push(frame.clone()),
        }
    }
    changed
}

#[test]
fn the_short_way_of_segments_comes_to_the_same_as_the_long_way() {
    let mut dice = Random::new(0x7368_6f72);
    let mut compared = 0;
    let folders = ["real", "derived", "lab", "found"];
    for path in all_captures("short_way", &folders, 4_000_000) {
        let Ok(mut source) =
            wirewait_capture::open(std::slice::from_ref(&path), &Options::default())
        else {
            continue;
        };
        let mut frames = Vec::new();
        while let Ok(Some(frame)) = source.next_frame() {
            frames.push(OwnedFrame::from(&frame));
        }
        for frames in [frames.clone(), changed(&frames, &mut dice)] {
            let [short, long] = [false, true].map(|observed| figures(&frames, observed));
            let differs = short.lines().zip(long.lines()).find(|(a, b)| a != b);
            assert_eq!(differs, None, "{}", path.display());
            assert_eq!(short.len(), long.len(), "{}", path.display());
            compared += usize::from(frames.len() > 100);
        }
    }
    assert!(compared > 80, "only {compared} captures");
}

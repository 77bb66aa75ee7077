//! Wherever a capture is interrupted and gone on with from what was written down: the same
//! report, to the last byte.

use crate::support::{all_captures, root};
use std::path::Path;
use wirewait_analysis::{Analyzer, Refused, Settings, Threshold, Thresholds, Transaction};
use wirewait_capture::Options;
use wirewait_dissectors::registry;
use wirewait_report::{About, json};
use wirewait_wire::{Frame, LinkType, Source, Timestamp};

/// Captures this short are interrupted behind every frame.
const SHORT: usize = 120;

struct Record {
    at: Timestamp,
    link: LinkType,
    interface: u32,
    wire_len: u32,
    bytes: Vec<u8>,
}

fn read(path: &Path) -> Vec<Record> {
    let Ok(mut source) = wirewait_capture::open(&[path.to_owned()], &Options::default()) else {
        return Vec::new();
    };
    let mut frames = Vec::new();
    while let Ok(Some(frame)) = source.next_frame() {
        frames.push(Record {
            at: frame.at,
            link: frame.link,
            interface: frame.interface,
            wire_len: frame.wire_len,
            bytes: frame.bytes.to_vec(),
        });
    }
    frames
}

/// Works the frames through, interrupted wherever `seam` says so. Gives all there is to print,
/// and how often it was interrupted.
fn work(
    frames: &[Record],
    settings: Settings,
    observed: bool,
    seam: impl Fn(usize) -> bool,
) -> (String, usize) {
    let mut analyzer = Analyzer::new(registry(), settings);
    if observed {
        analyzer = analyzer.observed();
    }
    let mut transactions: Vec<Transaction> = Vec::new();
    let mut seams = 0;
    for (n, record) in frames.iter().enumerate() {
        if seam(n) {
            let bytes = analyzer.checkpoint(&[1, 2, 3]);
            let again = Analyzer::resume(registry(), settings, Thresholds::default(), &bytes);
            let (resumed, beside) = again.unwrap_or_else(|e| panic!("before frame {n}: {e}"));
            assert_eq!(beside, [1, 2, 3]);
            assert!(resumed.checkpoint(&[1, 2, 3]) == bytes, "before frame {n}");
            analyzer = resumed;
            seams += 1;
        }
        let frame = Frame {
            at: record.at,
            link: record.link,
            interface: record.interface,
            wire_len: record.wire_len,
            bytes: &record.bytes,
        };
        analyzer.frame(&frame, &mut transactions);
    }
    analyzer.finish(&mut transactions);
    let snapshot = analyzer.snapshot();
    let mut out = Vec::new();
    json::report(&mut out, &About::default(), &snapshot).unwrap();
    let out = String::from_utf8(out).unwrap();
    let rest = format!(
        "{snapshot:#?}\n{transactions:#?}\n{:#?}",
        analyzer.readings()
    );
    (out + &rest, seams)
}

fn assert_same(got: &str, want: &str, what: &str) {
    let lines = got.lines().zip(want.lines());
    if let Some((n, (a, b))) = (1..).zip(lines).find(|(_, (a, b))| a != b) {
        panic!("{what}: line {n} is\n  {a}\nand not\n  {b}");
    }
    assert_eq!(got.len(), want.len(), "{what}");
}

#[test]
fn in_parts_as_in_one() {
    let (mut checked, mut all_seams) = (0, 0);
    for path in all_captures("checkpoint", &["real", "derived", "lab"], 3_000_000) {
        let frames = read(&path);
        if frames.len() < 3 {
            continue;
        }
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let settings = Settings::default();
        let (whole, none) = work(&frames, settings, false, |_| false);
        assert_eq!(none, 0);
        // Every frame of short ones; of others some that lie a prime apart, so that seams fall
        // into the middle of everything.
        let step = if frames.len() <= SHORT {
            1
        } else {
            (frames.len() / 7) | 1
        };
        let (parts, seams) = work(&frames, settings, false, |n| n % step == step - 1);
        assert_same(&parts, &whole, &format!("{name}, every {step} frames"));
        checked += 1;
        all_seams += seams;
    }
    assert!(checked > 40 && all_seams > 500, "{checked} {all_seams}");
    println!("checkpoint: {checked} captures, {all_seams} seams");
}

/// With tables that overflow all the time what is oldest is known behind a seam, too; and with
/// names hidden the same ones get the same numbers.
#[test]
fn in_parts_as_in_one_where_room_is_short() {
    let settings = Settings {
        conversations: 3,
        open_requests: 4,
        held_bytes: 3000,
        rows: 4,
        slowest: 3,
        names: 3,
        private: true,
        ..Settings::default()
    };
    let mut checked = 0;
    for path in all_captures("checkpoint", &["real", "derived", "lab"], 3_000_000) {
        let frames = read(&path);
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if !(3..2000).contains(&frames.len()) {
            continue;
        }
        let (whole, _) = work(&frames, settings, true, |_| false);
        let step = if frames.len() <= SHORT { 1 } else { 97 };
        let (parts, _) = work(&frames, settings, true, |n| n % step == step - 1);
        assert_same(&parts, &whole, &format!("{name}, every {step} frames"));
        checked += 1;
    }
    assert!(checked > 40, "{checked}");
}

#[test]
fn what_is_not_its_own_is_refused() {
    let frames = read(&root().join("captures/demo.pcapng"));
    let mut analyzer = Analyzer::new(registry(), Settings::default());
    for record in &frames[..50] {
        let frame = Frame {
            at: record.at,
            link: record.link,
            interface: record.interface,
            wire_len: record.wire_len,
            bytes: &record.bytes,
        };
        analyzer.frame(&frame, &mut ());
    }
    let good = analyzer.checkpoint(&[]);
    let resume = |settings: Settings, thresholds: Thresholds, bytes: &[u8]| {
        let resumed = Analyzer::resume(registry(), settings, thresholds, bytes);
        resumed.err()
    };
    let plain = |bytes: &[u8]| resume(Settings::default(), Thresholds::default(), bytes);
    assert_eq!(plain(&good), None);
    assert_eq!(plain(b""), Some(Refused::Foreign));
    assert_eq!(plain(b"{\"schema\": 1}"), Some(Refused::Foreign));
    assert_eq!(plain(&good[..good.len() - 1]), Some(Refused::Cut));
    assert_eq!(plain(&[&good[..], &[0]].concat()), Some(Refused::Cut));
    assert_eq!(plain(&good[..10]), Some(Refused::Cut));
    for at in [24, 25, 60, good.len() / 2, good.len() - 1] {
        let mut bad = good.clone();
        bad[at] ^= 0x10;
        assert_eq!(plain(&bad), Some(Refused::Damaged), "byte {at}");
    }
    let mut newer = good.clone();
    newer[8] = 2;
    assert_eq!(plain(&newer), Some(Refused::Schema(2)));
    let impatient = Settings {
        timeout_ns: 1_000_000_000,
        ..Settings::default()
    };
    let refused = resume(impatient, Thresholds::default(), &good).unwrap();
    assert_eq!(
        refused.to_string(),
        "the checkpoint was made with other settings: timeout_ns: 60000000000 then, \
         timeout_ns: 1000000000 now"
    );
    let mut strict = Thresholds::default();
    strict.set(Threshold::SlowAnswer, 7);
    let refused = resume(Settings::default(), strict, &good).unwrap();
    assert!(refused.to_string().ends_with("= 7 now"), "{refused}");
}

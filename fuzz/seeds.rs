//! Writes the corpora to start from: the project's captures, and the real ones beside the
//! project if they are there. `cargo run --bin seeds` in this folder.

#[path = "checks/frames.rs"]
mod frames;
#[path = "checks/input.rs"]
mod input;
#[path = "checks/pairs.rs"]
mod pairs;

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use wirewait_capture::{Options, open};
use wirewait_synth::{OwnedFrame, Random};
use wirewait_wire::{Depth, Frame, Registry, Source, Timestamp, Walk};

/// Frames of one capture in one input of `analyse`.
const FRAMES: usize = 60;
/// Larger files teach the reader nothing more.
const FILE: u64 = 40_000;

fn main() -> std::io::Result<()> {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = Vec::new();
    for folder in ["../captures", "../../shared/captures"] {
        collect(&fuzz.join(folder), &mut paths);
    }
    paths.sort();
    for target in [
        "dissect",
        "answers",
        "analyse",
        "pairing",
        "stream",
        "files",
        "filter",
        "profile",
        "config",
        "condition",
    ] {
        fs::create_dir_all(fuzz.join("corpus").join(target))?;
    }
    let corpus = |target: &str, name: String| fuzz.join("corpus").join(target).join(name);

    let registry = wirewait_dissectors::registry();
    let mut walk = Walk::default();
    let mut known = HashSet::new();
    let mut answered = HashSet::new();
    let mut captures = 0;
    for path in &paths {
        let Some(name) = path.file_name().map(|n| n.to_string_lossy().into_owned()) else {
            continue;
        };
        if fs::metadata(path)?.len() <= FILE {
            fs::copy(path, corpus("files", name.clone()))?;
        }
        let frames = read(path);
        if frames.is_empty() {
            continue;
        }
        captures += 1;
        for (n, frame) in frames.iter().enumerate() {
            registry.walk(&frame.as_frame(), Depth::Full, &mut walk);
            let layers: Vec<u16> = walk.spans().iter().map(|s| s.dissector.0).collect();
            let meant = meanings(&registry, &walk, &frame.as_frame());
            if known.insert((frame.link, layers, meant, frame.bytes.len() / 32)) {
                let mut bytes = frame.link.0.to_le_bytes().to_vec();
                let cut = u64::from(frame.wire_len) - frame.bytes.len() as u64;
                bytes.push(u8::try_from(cut.isqrt()).unwrap_or(u8::MAX));
                bytes.extend(&frame.bytes);
                fs::write(corpus("dissect", format!("{name}-{n}")), bytes)?;
            }
        }
        let frames_seen = frames.iter().map(OwnedFrame::as_frame);
        for (n, pair) in pairs::pairs(frames_seen).iter().enumerate() {
            if answered.insert(pair.kind()) {
                let name = format!("{name}-{n}");
                let reader = pair.reader.0.to_le_bytes();
                let length = u16::try_from(pair.request.len()).unwrap_or(u16::MAX);
                let parts = [
                    &reader,
                    &length.to_le_bytes()[..],
                    &pair.request,
                    &pair.response,
                ];
                fs::write(corpus("answers", name), parts.concat())?;
            }
        }
        // Small frames say as much about conversations as large ones.
        let small = frames.iter().filter(|f| f.bytes.len() <= 400);
        let part = small
            .filter(|f| frames::LINKS.contains(&f.link.0))
            .take(FRAMES)
            .map(OwnedFrame::as_frame);
        let input = encode(part.clone());
        assert_eq!(frames::frames(&input).1.len(), part.count(), "{name}");
        fs::write(corpus("analyse", name), input)?;
    }
    let mut dice = Random::new(1);
    for n in 0..64u64 {
        let length = 64 << (n % 6);
        let bytes: Vec<u8> = (0..length).map(|_| dice.bits() as u8).collect();
        fs::write(corpus("stream", format!("random-{n}")), &bytes)?;
        fs::write(corpus("pairing", format!("random-{n}")), &bytes)?;
    }
    for (n, expression) in [
        "smb1 and not (nbf or tcp)",
        "src 10.0.0.1 or dst host 00-00-1b-12-34-56 && port 0x451",
        "command \"READ*\" and smb2.MessageId >= 0x10",
        "tcp.\"Source port\" != 445 or ncp.\"Completion code\" == \"a \\\" b\"",
        ",tcp.port=abc",
    ]
    .iter()
    .enumerate()
    {
        fs::write(corpus("filter", format!("expression-{n}")), expression)?;
    }
    for (n, text) in [
        "[analysis]\ntimeout = \"60s\" # as it was\nprivate = true\n",
        "[symptoms]\nbusy_percent = 1_0\nslow_answer_ms = 0xfa\n\n[limits]\nheld_bytes = \"1MiB\"\n",
        "files.'last_profile' = \"\"\"a\\\"b\\\\\"\"\"\n[\"a b\"]\nc = [\"d\", 1, 2.5]\n",
        "[a]\nb = { c = 1 }\n[[d]]\ne = 2026-11-20T07:00:00Z\n",
    ]
    .iter()
    .enumerate()
    {
        fs::write(corpus("config", format!("file-{n}")), text)?;
    }
    for (n, text) in [
        "response_time > +10%",
        "p95 of smb1 READ_ANDX >= 50.5ms",
        "turnaround.mean < -2.5% significant",
        "wall_throughput < 39 KiB/s",
        "unanswered > 0",
    ]
    .iter()
    .enumerate()
    {
        fs::write(corpus("condition", format!("condition-{n}")), text)?;
    }
    // Behind a byte that says how much of the rest is a PDU.
    let table = [
        &[40][..],
        &[40; 40],
        wirewait_dissectors::last::BUILT_IN.as_bytes(),
    ]
    .concat();
    fs::write(corpus("profile", "built-in".to_owned()), table)?;
    println!(
        "seeds of {captures} captures, {} kinds of frames, {} of answers",
        known.len(),
        answered.len()
    );
    Ok(())
}

/// The operations in a frame, as far as it alone shows them.
fn meanings(registry: &Registry, walk: &Walk, frame: &Frame<'_>) -> Vec<(u32, bool)> {
    let spans = walk.spans().iter();
    let meant = spans.filter_map(|span| {
        let read = registry.dissector(span.dissector).exchange?;
        let x = read(walk.bytes(frame, *span)).ok()?.exchange?;
        Some((x.code, x.status.is_some_and(|status| status.failure)))
    });
    meant.collect()
}

/// The input that the target `analyse` makes these frames of, as nearly as it can hold them.
fn encode<'a>(frames: impl IntoIterator<Item = Frame<'a>>) -> Vec<u8> {
    let mut out = vec![2];
    let mut before: Option<Timestamp> = None;
    for frame in frames {
        let Some(link) = frames::LINKS.iter().position(|l| *l == frame.link.0) else {
            continue;
        };
        let delay = before.map_or(0, |before| frame.at.since(before));
        before = Some(frame.at);
        let mut mantissa = delay;
        let mut power = 0u8;
        while i16::try_from(mantissa).is_err() {
            mantissa /= 10;
            power += 1;
        }
        let length = frame.bytes.len().min(usize::from(u16::MAX));
        let beyond = u64::from(frame.wire_len).saturating_sub(length as u64);
        out.extend((mantissa as i16).to_le_bytes());
        out.push(power.min(15) << 4 | link as u8);
        out.extend((length as u16).to_le_bytes());
        out.push(u8::try_from(beyond.isqrt()).unwrap_or(u8::MAX));
        out.extend(&frame.bytes[..length]);
    }
    out
}

/// All files under a folder, if it is there.
fn collect(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, paths);
        } else {
            paths.push(path);
        }
    }
}

/// The first frames of a file, if it is a capture.
fn read(path: &Path) -> Vec<OwnedFrame> {
    let mut frames = Vec::new();
    if let Ok(mut source) = open(&[path.to_owned()], &Options::default()) {
        while let Ok(Some(frame)) = source.next_frame() {
            frames.push(OwnedFrame::from(&frame));
            if frames.len() >= 5000 {
                break;
            }
        }
    }
    frames
}

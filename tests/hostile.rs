//! Bytes that nobody should send: cut, flipped and lying frames, mutilated captures, files
//! that are none. Nothing may panic (tests check arithmetic), nothing may be lost unsaid.

#[path = "../fuzz/checks/analyse.rs"]
mod analysis;
#[path = "../fuzz/checks/answers.rs"]
mod answering;
#[path = "../fuzz/checks/config.rs"]
mod configs;
#[path = "../fuzz/checks/dialogue.rs"]
mod dialogue;
#[path = "../fuzz/checks/filter.rs"]
mod filters;
#[path = "../fuzz/checks/input.rs"]
mod input;
#[path = "../fuzz/checks/dissect.rs"]
mod layers;
#[path = "../fuzz/checks/pairs.rs"]
mod pairs;
#[path = "../fuzz/checks/files.rs"]
pub(crate) mod reading;

use crate::support::{Folder, captures, files, root};
use analysis::Found;
use layers::dissect;
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::OnceLock;
use wirewait_analysis::Settings;
use wirewait_capture::{Files, Options};
use wirewait_dissectors::registry;
use wirewait_synth::{OwnedFrame, Random};
use wirewait_wire::{Depth, Frame, LinkType, Source, SourceErrorKind, Timestamp, Walk};

/// Every capture at hand, by name: those of the project always, the real ones if they are
/// there.
pub(crate) fn everything() -> &'static [(String, Vec<OwnedFrame>)] {
    static ALL: OnceLock<Vec<(String, Vec<OwnedFrame>)>> = OnceLock::new();
    ALL.get_or_init(|| {
        let mut folders = Vec::new();
        for entry in std::fs::read_dir(root().join("captures")).unwrap() {
            folders.extend(Some(entry.unwrap().path()).filter(|p| p.is_dir()));
        }
        if let Some(real) = captures("hostile input") {
            folders.extend(["real", "derived", "lab", "formats", "pcapng"].map(|f| real.join(f)));
        }
        folders.sort();
        let mut all = Vec::new();
        for path in folders.iter().filter(|f| f.is_dir()).flat_map(|f| files(f)) {
            let frames = read(&path);
            if !frames.is_empty() {
                all.push((
                    path.file_name().unwrap().to_string_lossy().into_owned(),
                    frames,
                ));
            }
        }
        assert!(all.len() > 20, "only {} captures can be read", all.len());
        all
    })
}

/// The frames of a file, as far as it can be read.
fn read(path: &Path) -> Vec<OwnedFrame> {
    match wirewait_capture::open(&[path.to_owned()], &Options::default()) {
        Ok(mut source) => drain(&mut source).0,
        Err(_) => Vec::new(),
    }
}

/// The frames of a source and what was said meanwhile.
pub(crate) fn drain(source: &mut dyn Source) -> (Vec<OwnedFrame>, Vec<String>) {
    let (mut frames, mut errors) = (Vec::new(), Vec::new());
    loop {
        match source.next_frame() {
            Ok(Some(frame)) => frames.push(OwnedFrame::from(&frame)),
            Ok(None) => return (frames, errors),
            Err(error) => {
                errors.push(error.to_string());
                assert!(errors.len() < 100_000, "damage without end: {error}");
            }
        }
    }
}

/// Distinct frames that are cut at every place, of each kind (layers and length).
const PER_KIND: u64 = 25;
/// Up to here every prefix is tried; behind it one in `THIN`.
const ALL_PREFIXES: usize = 200;
const THIN: usize = 97;

/// Frames of all captures that differ in more than their data: of each chain of layers (and
/// size class) so many; `rare` says whether a frame is one of them.
pub(crate) fn distinct(mut take: impl FnMut(&OwnedFrame, bool)) -> (u64, u64) {
    let registry = registry();
    let mut walk = Walk::default();
    let mut kinds: HashMap<(LinkType, Vec<u16>, usize), u64> = HashMap::new();
    let mut seen = HashSet::new();
    let (mut frames, mut rare_frames) = (0, 0);
    for (_, capture) in everything() {
        for frame in capture {
            if !seen.insert((frame.link, &frame.bytes)) {
                continue;
            }
            registry.walk(&frame.as_frame(), Depth::Full, &mut walk);
            let layers = walk.spans().iter().map(|s| s.dissector.0).collect();
            let class = frame.bytes.len().min(512) / 8;
            let n = kinds.entry((frame.link, layers, class)).or_default();
            *n += 1;
            let rare = *n <= PER_KIND;
            frames += 1;
            rare_frames += u64::from(rare);
            take(frame, rare);
        }
    }
    (frames, rare_frames)
}

/// Answers of every kind to what they answer: cut at every place, and with one bit changed.
#[test]
fn every_answer_cut_and_changed() {
    let registry = registry();
    let mut known = HashSet::new();
    let mut dice = Random::new(3);
    for (_, capture) in everything() {
        for pair in pairs::pairs(capture.iter().take(5000).map(OwnedFrame::as_frame)) {
            if !known.insert(pair.kind()) {
                continue;
            }
            let reader = registry.dissector(pair.reader);
            for length in 0..=pair.response.len() {
                answering::answers(reader, &pair.request, &pair.response[..length]);
            }
            for _ in 0..64 {
                let mut both = [pair.request.clone(), pair.response.clone()];
                let one = &mut both[usize::from(dice.bits().is_multiple_of(2))];
                if !one.is_empty() {
                    let at = dice.bits() as usize % one.len();
                    one[at] ^= 1 << (dice.bits() % 8);
                }
                answering::answers(reader, &both[0], &both[1]);
            }
        }
    }
    assert!(known.len() > 100, "{} kinds of answers", known.len());
}

#[test]
fn every_prefix_of_every_kind_of_frame() {
    let registry = registry();
    let (mut walk, mut line) = (Walk::default(), String::new());
    let mut tried = 0u64;
    // Most of an hour of work: for when a release is near.
    let every = std::env::var_os("WIREWAIT_EVERY_PREFIX").is_some();
    let (frames, rare) = distinct(|frame, rare| {
        let length = frame.bytes.len();
        let prefixes: Vec<usize> = if every {
            // Of what offloading made larger than any frame on a wire, not all: each prefix
            // is searched for messages from its beginning.
            (0..length.min(1518))
                .chain((1518..length).step_by(THIN))
                .chain([length])
                .collect()
        } else if rare {
            (0..length.min(ALL_PREFIXES))
                .chain((ALL_PREFIXES..length).step_by(THIN))
                .chain([length])
                .collect()
        } else {
            vec![length]
        };
        for n in prefixes {
            let bytes = &frame.bytes[..n];
            // Cut off by the capture, and by the sender.
            for wire_len in [frame.wire_len, n as u32] {
                dissect(
                    &registry,
                    &mut walk,
                    &mut line,
                    &Frame {
                        wire_len,
                        bytes,
                        ..frame.as_frame()
                    },
                );
                tried += 1;
            }
        }
    });
    let whole = if every { frames } else { rare };
    println!("{frames} distinct frames, every prefix of {whole}; {tried} walks");
    assert!(rare > 100 && tried > 10_000);
}

#[test]
fn flipped_bytes_and_lying_lengths() {
    const EDGES: [u16; 8] = [0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff];
    let registry = registry();
    let (mut walk, mut line) = (Walk::default(), String::new());
    let mut dice = Random::new(0x6c79_696e);
    let mut tried = 0u64;
    distinct(|frame, rare| {
        if frame.bytes.is_empty() {
            return;
        }
        let mut bytes = frame.bytes.clone();
        for _ in 0..if rare { 150 } else { 4 } {
            let kept = bytes.clone();
            // Headers stand in front: half of the changes fall into the first 128 bytes.
            let within = [bytes.len(), bytes.len().min(128)][dice.below(2) as usize];
            let at = dice.below(within as u64) as usize;
            match dice.below(3) {
                0 => bytes[at] ^= 1 << dice.below(8),
                1 => bytes[at] = EDGES[dice.below(5) as usize] as u8,
                _ => {
                    let value = EDGES[dice.below(8) as usize].to_be_bytes();
                    let width = 1 + dice.below(4) as usize;
                    for (place, byte) in
                        bytes[at..].iter_mut().take(width).zip(value.iter().cycle())
                    {
                        *place = *byte;
                    }
                }
            }
            let frame = Frame {
                bytes: &bytes,
                ..frame.as_frame()
            };
            dissect(&registry, &mut walk, &mut line, &frame);
            tried += 1;
            // Changes pile up for a while.
            if dice.below(4) > 0 {
                bytes = kept;
            }
        }
    });
    println!("{tried} changed frames");
    assert!(tried > 10_000);
}

/// Settings under which every table overflows at once.
fn narrow() -> Settings {
    let mut settings = Settings::default();
    settings.conversations = 4;
    settings.rows = 3;
    settings.slowest = 2;
    settings
}

fn run(frames: &[OwnedFrame], settings: Settings) -> Found {
    analysis::analyse(registry, frames.iter().map(OwnedFrame::as_frame), settings)
}

#[test]
fn every_capture_in_tables_that_are_too_small() {
    let (mut evicted, mut rows) = (0, 0);
    for (_, frames) in everything() {
        let found = run(frames, narrow());
        assert!(found.snapshot.capture.evicted <= found.reason("evicted"));
        evicted += found.snapshot.capture.evicted;
        rows += found.reason("rows_evicted");
    }
    assert!(
        evicted > 0 && rows > 0,
        "{evicted} conversations, {rows} rows"
    );
}

/// Drops, copies, swaps, cuts and changes frames; the dice say how many.
fn mutilate(frames: &[OwnedFrame], dice: &mut Random) -> Vec<OwnedFrame> {
    // Of one capture a fifth suffers, of another a hundredth.
    let one_in = [5, 20, 100][dice.below(3) as usize];
    let mut out: Vec<OwnedFrame> = Vec::with_capacity(frames.len());
    for frame in frames {
        let mut frame = frame.clone();
        if dice.below(one_in) > 0 {
            out.push(frame);
            continue;
        }
        match dice.below(8) {
            0 => continue,
            1 => {
                let late = dice.below(3) as i64 * 40_000_000;
                out.push(frame.clone());
                frame.at = frame.at.plus(late);
            }
            2 => {
                // Earlier than its predecessors, with its own time or theirs.
                let back = out.len() - (dice.below(6) as usize).min(out.len());
                if dice.below(2) == 0
                    && let Some(other) = out.get(back)
                {
                    frame.at = other.at;
                }
                out.insert(back, frame);
                continue;
            }
            3 => frame
                .bytes
                .truncate(dice.below(frame.bytes.len() as u64 + 1) as usize),
            4 => {
                frame
                    .bytes
                    .truncate(dice.below(frame.bytes.len() as u64 + 1) as usize);
                frame.wire_len = frame.bytes.len() as u32;
            }
            5 => {
                for _ in 0..=dice.below(4) {
                    if !frame.bytes.is_empty() {
                        let at = dice.below(frame.bytes.len().min(160) as u64) as usize;
                        frame.bytes[at] ^= 1 << dice.below(8);
                    }
                }
            }
            6 => {
                let odd = [
                    i64::MIN,
                    i64::MAX,
                    0,
                    frame.at.as_nanos() - 3_600_000_000_000,
                ];
                frame.at = Timestamp::from_nanos(odd[dice.below(4) as usize]);
            }
            _ => {
                frame.wire_len =
                    [u32::MAX, frame.wire_len.saturating_add(1)][dice.below(2) as usize]
            }
        }
        out.push(frame);
    }
    out
}

#[test]
fn mutilated_captures() {
    let mut dice = Random::new(0x6d75_7469);
    let mut frames_in = 0u64;
    for (name, frames) in everything() {
        // Small captures often, large ones in part.
        let part = &frames[..frames.len().min(3000)];
        for round in 0..(6000 / part.len()).clamp(2, 12) {
            let mutilated = mutilate(part, &mut dice);
            frames_in += mutilated.len() as u64;
            for settings in [narrow(), Settings::default()] {
                let outcome = std::panic::catch_unwind(|| run(&mutilated, settings));
                assert!(outcome.is_ok(), "{name}, round {round}, {settings:?}");
            }
        }
    }
    println!("{frames_in} frames of mutilated captures");
}

#[test]
fn segments_in_any_order_give_the_same_transactions() {
    let mut dice = Random::new(0x7363_7261);
    for round in 0..800 {
        let bytes: Vec<u8> = (0..2000).map(|_| dice.bits() as u8).collect();
        let outcome = std::panic::catch_unwind(|| dialogue::play(&bytes));
        assert!(outcome.is_ok(), "round {round}");
    }
}

/// Output is text: lines without control characters, of so many fields or of JSON.
fn assert_text(what: &str, out: &[u8], is_json: bool) {
    let text = std::str::from_utf8(out).unwrap_or_else(|e| panic!("{what}: {e}"));
    for line in text.lines() {
        assert!(!line.contains(char::is_control), "{what}: {line:?}");
        if is_json {
            let value: Result<serde_json::Value, _> = serde_json::from_str(line);
            assert!(value.is_ok(), "{what}: {line}");
        }
    }
}

#[test]
fn whatever_comes_in_what_goes_out_is_text() {
    use wirewait_report::decode::{Decoder, Shape, Time};
    use wirewait_report::text::Look;
    use wirewait_report::transactions::{Format, Writer};
    let registry = registry();
    let mut dice = Random::new(0x7465_7874);
    let about = wirewait_report::About {
        files: vec!["\u{1b}[2Ja\nfile\u{7}\u{202e}".to_owned()],
        ..wirewait_report::About::default()
    };
    for (name, frames) in everything() {
        let mutilated = mutilate(&frames[..frames.len().min(400)], &mut dice);
        for (shape, time) in [
            (Shape::Line, Time::Absolute),
            (Shape::Detail, Time::Relative),
            (Shape::Json, Time::Absolute),
        ] {
            let (mut out, mut decoder) =
                (Vec::new(), Decoder::new(&registry, shape, time, Look::FILE));
            if time == Time::Absolute {
                decoder = decoder.following(wirewait_dissectors::registry());
            }
            for frame in &mutilated {
                decoder.pass(&frame.as_frame());
                decoder.write(&mut out, &frame.as_frame()).unwrap();
            }
            assert_text(name, &out, shape == Shape::Json);
        }
        let found = run(&mutilated, Settings::default());
        for format in [Format::Ndjson, Format::Csv, Format::Text] {
            let (mut out, mut writer) = (Vec::new(), Writer::new(format));
            for transaction in &found.transactions {
                writer.row(&mut out, transaction, None).unwrap();
            }
            assert_text(name, &out, format == Format::Ndjson);
        }
        let mut out = Vec::new();
        wirewait_report::json::report(&mut out, &about, &found.snapshot).unwrap();
        let report: serde_json::Value = serde_json::from_slice(&out).unwrap();
        assert!(report.is_object());
        assert_text(name, &out, false);
        let mut out = Vec::new();
        let look = wirewait_report::text::Look::FILE;
        wirewait_report::text::report(&mut out, &about, &found.snapshot, look).unwrap();
        assert_text(name, &out, false);
    }
}

#[test]
fn expressions_that_nobody_should_type() {
    const WORDS: [&str; 20] = [
        "smb1",
        "nbf",
        "and",
        "or",
        "not",
        "(",
        ")",
        "host",
        "src",
        "port",
        "command",
        "==",
        "<",
        "smb2.MessageId",
        "10.0.0.1",
        "0x",
        "\"a b\"",
        "*",
        ".",
        "\u{202e}",
    ];
    let registry = registry();
    let mut dice = Random::new(0x7368_6f77);
    for _ in 0..20_000 {
        let mut text = String::new();
        for _ in 0..dice.below(12) {
            text.push_str(WORDS[dice.below(20) as usize]);
            if dice.below(5) > 0 {
                text.push(' ');
            }
            if dice.below(20) == 0 {
                text.push(char::from(dice.below(256) as u8));
            }
        }
        filters::filter(&registry, &text);
    }
}

#[test]
fn configurations_that_nobody_should_write() {
    const WORDS: [&str; 22] = [
        "[analysis]\n",
        "[symptoms]\n",
        "[",
        "]",
        "[[",
        "timeout",
        "busy_percent",
        " = ",
        "=",
        "\n",
        "\"60s\"",
        "\"",
        "'",
        "\"\"\"",
        "\\",
        "true",
        "0x1f",
        "1_0",
        "{ a = 1 }",
        "[1, \"b\"]",
        ".",
        "#",
    ];
    let mut dice = Random::new(0x636f_6e66);
    for _ in 0..20_000 {
        let mut text = String::new();
        for _ in 0..dice.below(14) {
            text.push_str(WORDS[dice.below(22) as usize]);
            if dice.below(20) == 0 {
                text.push(char::from(dice.below(256) as u8));
            }
        }
        configs::config(&text);
    }
}

// ---- files ----

/// The bytes of a small capture: Ethernet frames of 60 to 90 bytes, a millisecond apart.
fn small(write: fn(&[OwnedFrame]) -> Vec<u8>) -> (Vec<OwnedFrame>, Vec<u8>) {
    let frames: Vec<OwnedFrame> = (0..12u8)
        .map(|i| OwnedFrame {
            at: Timestamp::from_nanos(1_700_000_000_000_000_000 + i64::from(i) * 1_000_000),
            link: LinkType::ETHERNET,
            interface: 0,
            wire_len: 60 + u32::from(i) * 3,
            bytes: vec![i; 60 + usize::from(i) * 3],
        })
        .collect();
    let bytes = write(&frames);
    (frames, bytes)
}

fn pcap(frames: &[OwnedFrame]) -> Vec<u8> {
    use wirewait_capture::write::{PcapWriter, Precision};
    let mut writer =
        PcapWriter::new(Vec::new(), LinkType::ETHERNET, Precision::Nanos, 65_535).unwrap();
    for frame in frames {
        writer.frame(&frame.as_frame()).unwrap();
    }
    writer.finish().unwrap()
}

fn pcapng(frames: &[OwnedFrame]) -> Vec<u8> {
    use wirewait_capture::write::PcapngWriter;
    let mut writer = PcapngWriter::new(Vec::new(), "hostile").unwrap();
    writer
        .interface(Some("eth0"), LinkType::ETHERNET, 0)
        .unwrap();
    for frame in frames {
        writer.frame(&frame.as_frame(), None).unwrap();
    }
    writer.finish().unwrap()
}

fn stream(bytes: &[u8]) -> Result<(Vec<OwnedFrame>, Vec<String>), String> {
    let reader = Box::new(std::io::Cursor::new(bytes.to_vec()));
    let mut source =
        Files::from_reader("capture", reader, &Options::default()).map_err(|e| e.to_string())?;
    Ok(drain(&mut source))
}

#[test]
fn a_file_cut_anywhere_gives_the_frames_before_the_cut() {
    for write in [pcap, pcapng] {
        let (frames, bytes) = small(write);
        let whole = stream(&bytes).unwrap();
        assert_eq!((&whole.0, whole.1.len()), (&frames, 0));
        let mut least = 0;
        for cut in 0..bytes.len() {
            match stream(&bytes[..cut]) {
                Ok((got, errors)) => {
                    assert_eq!(got, frames[..got.len()], "cut at {cut}");
                    assert!(got.len() >= least, "cut at {cut}: a frame less");
                    least = got.len();
                    assert!(errors.len() <= 1, "{errors:?}");
                    for error in errors {
                        assert!(
                            error.starts_with("capture: the file ends inside a"),
                            "{error}"
                        );
                        assert!(error.contains("the frames before it were read"), "{error}");
                        assert!(error.contains("(at byte "), "{error}");
                    }
                }
                Err(error) if cut == 0 => {
                    assert_eq!(
                        error,
                        "capture: the file is empty (0 bytes); nothing was captured, or the \
                         capture has not been flushed yet"
                    );
                }
                Err(error) => {
                    assert!(
                        error.starts_with("capture: the file ends inside its"),
                        "{error}"
                    );
                    assert_eq!(least, 0, "cut at {cut}: {error}");
                }
            }
        }
        assert_eq!(least, frames.len() - 1);
    }
}

#[test]
fn damage_inside_a_file_keeps_what_was_before_it() {
    let (frames, good) = small(pcap);
    // The header of the sixth record.
    let at = 24
        + frames[..5]
            .iter()
            .map(|f| 16 + f.bytes.len())
            .sum::<usize>();
    let mut larger = good.clone();
    larger[at + 8..at + 12].copy_from_slice(&0x00ff_ffffu32.to_le_bytes());
    let (got, errors) = stream(&larger).unwrap();
    assert_eq!(got, frames[..5]);
    assert_eq!(
        errors,
        [format!(
            "capture: a record claims 16777215 captured bytes, more than the 262144 of any link; \
             the file is damaged from here on, the frames before were read (at byte {at})"
        )]
    );

    let mut zeros = good.clone();
    zeros[at..].fill(0);
    let (got, errors) = stream(&zeros).unwrap();
    assert_eq!(got, frames[..5]);
    assert!(
        matches!(&errors[..], [e] if e.contains("from here on the file is zeros")),
        "{errors:?}"
    );

    // A record of no bytes is odd, and no damage.
    let empty = OwnedFrame {
        wire_len: 60,
        bytes: Vec::new(),
        ..frames[3].clone()
    };
    let odd = [&frames[..3], &[empty], &frames[3..]].concat();
    assert_eq!(stream(&pcap(&odd)).unwrap(), (odd.clone(), Vec::new()));
    assert_eq!(stream(&pcapng(&odd)).unwrap(), (odd, Vec::new()));

    // Nor is time that goes backwards: frames stay where they are.
    let mut back = frames.clone();
    back[6].at = back[0].at.plus(-5_000_000_000);
    assert_eq!(stream(&pcap(&back)).unwrap(), (back.clone(), Vec::new()));
    assert_eq!(stream(&pcapng(&back)).unwrap(), (back, Vec::new()));

    let (frames, good) = small(pcapng);
    let block = |bytes: &[u8]| 32 + (bytes.len()).next_multiple_of(4);
    let tail: usize = frames[5..].iter().map(|f| block(&f.bytes)).sum();
    let at = good.len() - tail;
    for (offset, value, message) in [
        (
            4,
            8u32,
            "a block of type 6 claims 8 bytes, which it cannot have",
        ),
        (4, 0x7fff_fff0, "larger than any frame"),
        (20, 0xffff_fff0, "claims"),
    ] {
        let mut bad = good.clone();
        bad[at + offset..at + offset + 4].copy_from_slice(&value.to_le_bytes());
        let (got, errors) = stream(&bad).unwrap();
        assert_eq!(got[..5], frames[..5], "{message}");
        assert!(errors[0].contains(message), "{errors:?}");
        assert!(errors[0].contains(&format!("(at byte {at})")), "{errors:?}");
    }
}

/// What is read from these bytes when they come in pieces of this size.
fn in_pieces(bytes: &[u8], size: usize) -> (Vec<OwnedFrame>, Vec<String>) {
    let pieces = reading::Pieces {
        bytes: std::io::Cursor::new(bytes.to_vec()),
        size,
    };
    let mut source = Files::from_reader("capture", Box::new(pieces), &Options::default()).unwrap();
    drain(&mut source)
}

#[test]
fn damage_in_a_compressed_file_keeps_what_was_before_it() {
    let Some(real) = captures("damage in a compressed file") else {
        return;
    };
    let good = std::fs::read(real.join("real/smb2_dac_sample.pcap.gz")).unwrap();
    let (whole, _) = in_pieces(&good, usize::MAX);
    let (mut dice, mut lost) = (Random::new(0x677a), 0);
    for _ in 0..40 {
        let mut bad = good.clone();
        let at = 100 + dice.below(bad.len() as u64 - 200) as usize;
        // What follows is no deflate stream any more.
        bad[at..]
            .iter_mut()
            .take(64)
            .for_each(|b| *b = dice.bits() as u8);
        // A reader that sees one byte more at a time loses nothing that came before.
        let (most, _) = in_pieces(&bad, 1);
        let (got, errors) = in_pieces(&bad, usize::MAX);
        assert_eq!(got.len(), most.len(), "damage at {at}: {errors:?}");
        assert_eq!(got, most);
        assert!(
            matches!(&errors[..], [e] if e.contains("before")),
            "{errors:?}"
        );
        lost += whole.len() - got.len();
    }
    assert!(lost > 0);
}

#[test]
fn flipped_bytes_of_files_never_panic_and_never_grow_frames() {
    let mut dice = Random::new(0x666c_6970);
    for write in [pcap, pcapng] {
        let (_, good) = small(write);
        for _ in 0..3000 {
            let mut bad = good.clone();
            for _ in 0..=dice.below(5) {
                let at = dice.below(bad.len() as u64) as usize;
                bad[at] = dice.bits() as u8;
            }
            reading::check(&bad);
        }
    }
}

#[test]
fn what_is_no_capture_is_refused_with_a_word_on_what_to_do() {
    let folder = Folder::new("refused");
    let refused = |path: &Path| {
        let error = wirewait_capture::open(&[path.to_owned()], &Options::default()).unwrap_err();
        assert_eq!(error.kind, SourceErrorKind::Unreadable);
        let text = error.to_string();
        let name = path.display().to_string();
        text.strip_prefix(&format!("{name}: "))
            .unwrap_or_else(|| panic!("{text}"))
            .to_owned()
    };
    assert_eq!(
        refused(&folder.file("empty", b"")),
        "the file is empty (0 bytes); nothing was captured, or the capture has not been flushed yet"
    );
    assert_eq!(
        refused(&folder.file("text", b"once upon a time there was a capture")),
        "not a capture file wirewait knows: first bytes 6f 6e 63 65 20 75 70 6f; if Wireshark \
         opens it, convert it with `editcap -F pcap IN OUT`"
    );
    assert_eq!(
        refused(&folder.0),
        "is a directory; name the capture files in it"
    );
    let missing = refused(&folder.0.join("missing"));
    assert!(missing.starts_with("cannot be opened: "), "{missing}");
    let version = refused(&folder.file(
        "version",
        &[&[0xd4, 0xc3, 0xb2, 0xa1, 9, 0, 9, 0][..], &[0; 16]].concat(),
    ));
    assert_eq!(
        version,
        "says it is pcap version 9.9, which does not exist; it is damaged or another format"
    );

    // One that cannot be used stops the run; an empty one beside a good one does not.
    let (frames, bytes) = small(pcap);
    let good = folder.file("good", &bytes);
    let paths = [folder.0.join("empty"), good.clone()];
    let mut both = wirewait_capture::open(&paths, &Options::default()).unwrap();
    assert_eq!(both.warnings().len(), 1);
    assert_eq!(drain(&mut both), (frames, Vec::new()));
    let paths = [good, folder.0.join("text")];
    let error = wirewait_capture::open(&paths, &Options::default()).unwrap_err();
    assert!(
        error.to_string().contains("text: not a capture file"),
        "{error}"
    );
}

#[cfg(unix)]
#[test]
fn a_file_without_permission_says_so() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new("forbidden");
    let path = folder.file("forbidden", &small(pcap).1);
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o000)).unwrap();
    if std::fs::File::open(&path).is_ok() {
        eprintln!("SKIPPED: a file without permission: this user may read everything");
        return;
    }
    let error = wirewait_capture::open(&[path], &Options::default()).unwrap_err();
    assert!(error.to_string().contains("cannot be opened: "), "{error}");
}

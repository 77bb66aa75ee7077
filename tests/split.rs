//! However a capture is cut into files, and however its bytes come: the same output to the
//! last byte. And twice the same.

use crate::hostile::reading::Pieces;
use crate::support::Folder;
use crate::support::{all_captures, analyse_source};
use std::io;
use std::path::{Path, PathBuf};
use wirewait_capture::write::{PcapWriter, PcapngWriter, Precision};
use wirewait_capture::{Files, Interface, Options};
use wirewait_report::transactions::{Format, Writer};
use wirewait_report::{About, json};
use wirewait_synth::Random;
use wirewait_wire::{OwnedFrame, Source};

/// As far as stamps may step back between two files of one capture, nanoseconds.
const STEP_BACK: i64 = 1_000_000;

struct Capture {
    /// A pcap file can hold it: one interface, no odd times.
    pcap: bool,
    interfaces: Vec<Interface>,
    frames: Vec<OwnedFrame>,
}

impl Capture {
    /// A file that can be read, as far as it can.
    fn read(path: &Path) -> Option<Self> {
        let mut source = wirewait_capture::open(&[path.to_owned()], &Options::default()).ok()?;
        let mut frames = Vec::new();
        while let Ok(Some(frame)) = source.next_frame() {
            frames.push(OwnedFrame::from(&frame));
        }
        // Parts of a capture whose clock steps back are read in order of time, and could not
        // give the same.
        let mut latest = i64::MIN;
        if frames.iter().any(|frame: &OwnedFrame| {
            latest = latest.max(frame.at.as_nanos());
            latest - frame.at.as_nanos() >= STEP_BACK
        }) {
            frames.sort_by_key(|frame| frame.at);
        }
        // What only pcapng can hold is not cut into pcap files.
        let dated = |f: &OwnedFrame| f.at.as_nanos() >= 0 && f.at.as_nanos() >> 32 < 1_000_000_000;
        Some(Self {
            pcap: source.interfaces().len() == 1 && frames.iter().all(dated),
            interfaces: source.interfaces().to_vec(),
            frames,
        })
    }

    /// Some of its frames as a pcapng file that describes all its interfaces.
    fn pcapng<'a>(&self, frames: impl IntoIterator<Item = &'a OwnedFrame>) -> Vec<u8> {
        let mut writer = PcapngWriter::new(Vec::new(), "split").unwrap();
        for i in &self.interfaces {
            writer
                .interface(i.name.as_deref(), i.link, i.snaplen)
                .unwrap();
        }
        for frame in frames {
            writer.frame(&frame.as_frame(), None).unwrap();
        }
        writer.finish().unwrap()
    }

    /// The same as a pcap file, which has one interface.
    fn pcap(&self, frames: &[OwnedFrame]) -> Vec<u8> {
        let i = &self.interfaces[0];
        let mut writer = PcapWriter::new(Vec::new(), i.link, Precision::Nanos, i.snaplen).unwrap();
        for frame in frames {
            writer.frame(&frame.as_frame()).unwrap();
        }
        writer.finish().unwrap()
    }

    /// Where it is cut into about this many files: anywhere, as long as no two files begin
    /// with one time stamp (which of them came first, nobody could tell).
    fn cuts(&self, files: usize, dice: &mut Random) -> Vec<usize> {
        let mut cuts: Vec<usize> = (1..files)
            .map(|_| dice.below(self.frames.len() as u64) as usize)
            .collect();
        cuts.sort_unstable();
        let mut chosen = vec![0];
        for at in cuts {
            let before = chosen.last().map(|at| self.frames[*at].at);
            if before.is_some_and(|before| before < self.frames[at].at) {
                chosen.push(at);
            }
        }
        chosen.push(self.frames.len());
        chosen
    }
}

/// Everything that the program would print: report and transactions.
fn output(mut source: Files) -> String {
    let analysis = analyse_source(&mut source);
    let about = About {
        interfaces: source
            .interfaces()
            .iter()
            .map(|i| wirewait_report::Interface {
                name: i.name.clone(),
                link_type: i.link.0,
                dropped: i.dropped,
                not_saved: i.not_saved,
            })
            .collect(),
        ..About::default()
    };
    let mut out = Vec::new();
    json::report(&mut out, &about, &analysis.snapshot).unwrap();
    for format in [Format::Ndjson, Format::Csv] {
        let mut writer = Writer::new(format);
        writer.begin(&mut out).unwrap();
        for transaction in &analysis.transactions {
            writer.row(&mut out, transaction, None).unwrap();
        }
    }
    // What the outputs leave out must not differ either.
    let debug = format!("{:#?}", analysis.snapshot);
    String::from_utf8(out).unwrap() + &debug
}

/// The first line that differs, as the whole is far too long to read.
fn assert_same(got: &str, want: &str, what: &str) {
    if let Some((n, (a, b))) = (1..)
        .zip(got.lines().zip(want.lines()))
        .find(|(_, (a, b))| a != b)
    {
        panic!("{what}: line {n} is\n  {a}\nand not\n  {b}");
    }
    assert_eq!(got.len(), want.len(), "{what}");
}

fn each_capture(mut check: impl FnMut(&str, &Capture)) {
    let mut checked = 0;
    for path in all_captures("split", &["real", "derived", "lab", "formats"], 4_000_000) {
        if let Some(capture) = Capture::read(&path).filter(|c| c.frames.len() > 2) {
            check(&path.file_name().unwrap().to_string_lossy(), &capture);
            checked += 1;
        }
    }
    assert!(checked > 40, "only {checked} captures");
}

fn from_bytes(bytes: &[u8], size: usize) -> Files {
    let pieces = Pieces {
        bytes: io::Cursor::new(bytes.to_vec()),
        size,
    };
    Files::from_reader("standard input", Box::new(pieces), &Options::default()).unwrap()
}

#[test]
fn any_cutting_into_files_gives_the_same_output() {
    let folder = Folder::new("split");
    let mut dice = Random::new(0x7370_6c69);
    let mut most = 0;
    each_capture(|name, capture| {
        let whole = output(from_bytes(&capture.pcapng(&capture.frames), usize::MAX));
        for files in [2, 3, 8, 50] {
            let as_pcap = capture.pcap && files % 2 == 0;
            let cuts = capture.cuts(files, &mut dice);
            let pieces: Vec<&[OwnedFrame]> = cuts
                .windows(2)
                .map(|w| &capture.frames[w[0]..w[1]])
                .collect();
            // Names and the order in which they are named say nothing about time.
            let mut names: Vec<usize> = (0..pieces.len()).collect();
            for i in (1..names.len()).rev() {
                names.swap(i, dice.below(i as u64 + 1) as usize);
            }
            let mut paths: Vec<PathBuf> = pieces
                .iter()
                .zip(&names)
                .map(|(piece, name)| {
                    let bytes = if as_pcap {
                        capture.pcap(piece)
                    } else {
                        capture.pcapng(*piece)
                    };
                    folder.file(&format!("part{name:03}"), &bytes)
                })
                .collect();
            paths.sort();
            most = most.max(paths.len());
            let source = wirewait_capture::open(&paths, &Options::default()).unwrap();
            assert_eq!(source.warnings(), [], "{name}");
            let got = output(source);
            if as_pcap && capture.interfaces[0].name.is_some() {
                // A pcap file has no name for its interface.
                let whole = output(from_bytes(&capture.pcap(&capture.frames), usize::MAX));
                assert_same(&got, &whole, &format!("{name}, pcap cut at {cuts:?}"));
            } else {
                assert_same(&got, &whole, &format!("{name}, cut at {cuts:?}"));
            }
        }
    });
    assert!(most > 30, "only {most} files");
}

/// Frames dealt out to files in turn, as some capturing programs do that write with several
/// threads. Frames of one time stamp are put together as they were, too.
#[test]
fn dealing_out_to_files_gives_the_same_output() {
    let folder = Folder::new("dealt");
    let (mut equal, mut known) = (0, 0);
    each_capture(|name, capture| {
        // Files are read in order of time, however they were dealt out.
        let mut frames: Vec<&OwnedFrame> = capture.frames.iter().collect();
        frames.sort_by_key(|frame| frame.at);
        let whole = output(from_bytes(
            &capture.pcapng(frames.iter().copied()),
            usize::MAX,
        ));
        for hands in [2, 3, 8] {
            let firsts = &frames[..hands.min(frames.len())];
            // A capture as short as a file may step back looks as if one file followed the
            // other.
            let ends = frames.iter().rev().take(hands);
            let long = |end: &&OwnedFrame| {
                firsts
                    .iter()
                    .all(|first| end.at.since(first.at) > STEP_BACK)
            };
            if frames.len() < 2 * hands || !ends.copied().all(|end| long(&end)) {
                continue;
            }
            let paths: Vec<PathBuf> = (0..hands)
                .map(|hand| {
                    let dealt = frames.iter().copied().skip(hand).step_by(hands);
                    folder.file(&format!("part{hand}"), &capture.pcapng(dealt))
                })
                .collect();
            let source = wirewait_capture::open(&paths, &Options::default()).unwrap();
            let together = firsts.windows(2).any(|pair| pair[0].at == pair[1].at);
            assert_eq!(source.warnings().len(), usize::from(together), "{name}");
            assert_same(
                &output(source),
                &whole,
                &format!("{name}, dealt to {hands}"),
            );
            known += 1;
            equal += usize::from(frames.windows(2).any(|pair| pair[0].at == pair[1].at));
        }
    });
    assert!(known > 60, "only {known} were dealt out");
    assert!(equal > 5, "only {equal} have frames of one time stamp");
}

#[test]
fn any_chunks_of_a_stream_give_the_same_output() {
    each_capture(|name, capture| {
        // Byte by byte is slow: large captures in part.
        let part = &capture.frames[..capture.frames.len().min(1000)];
        let bytes = capture.pcapng(part);
        let whole = output(from_bytes(&bytes, usize::MAX));
        for size in [1, 7, 777] {
            assert_same(
                &output(from_bytes(&bytes, size)),
                &whole,
                &format!("{name}, by {size}"),
            );
        }
    });
}

#[test]
fn the_same_run_twice_gives_the_same_output() {
    each_capture(|name, capture| {
        let bytes = capture.pcapng(&capture.frames);
        let first = output(from_bytes(&bytes, usize::MAX));
        assert_same(&output(from_bytes(&bytes, usize::MAX)), &first, name);
    });
}

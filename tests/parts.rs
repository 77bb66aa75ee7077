//! `report --checkpoint`: files worked through one after the other, each by a run of its own,
//! give the report of one run over all of them.

use crate::hostile::Folder;
use crate::support::{captures, program, root};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Output;
use wirewait_capture::write::{Counts, Description, Notes, PcapngWriter};
use wirewait_wire::{Frame, LinkType, Source, Timestamp};

/// Frames of two interfaces that lose some, as a ring of pcapng files holds them.
struct Ring {
    frames: Vec<(Timestamp, LinkType, u32, u32, Vec<u8>)>,
    interfaces: Vec<Description>,
}

impl Ring {
    /// The capture, seen by two interfaces in turns.
    fn of(path: &Path) -> Self {
        let mut source = wirewait_capture::open(&[path.to_owned()], &Default::default()).unwrap();
        let mut frames = Vec::new();
        let mut numbers: BTreeMap<(LinkType, bool), u32> = BTreeMap::new();
        let mut interfaces = Vec::new();
        while let Ok(Some(frame)) = source.next_frame() {
            let other = frames.len() / 5 % 2 == 1;
            let number = *numbers.entry((frame.link, other)).or_insert_with(|| {
                let mut interface = Description::of(frame.link);
                interface.name = other.then(|| "second".to_owned());
                // What is said of it later does not hold for what went before.
                interface.speed = (!other).then_some(100_000_000);
                interfaces.push(interface);
                interfaces.len() as u32 - 1
            });
            frames.push((
                frame.at,
                frame.link,
                number,
                frame.wire_len,
                frame.bytes.to_vec(),
            ));
        }
        Self { frames, interfaces }
    }

    /// Cut behind every `length` frames where time goes on, each file with what was lost until
    /// then.
    fn files(&self, folder: &Folder, length: usize) -> Vec<PathBuf> {
        let mut ends: Vec<usize> = (length..self.frames.len()).step_by(length).collect();
        let latest = |end: usize| self.frames[..end].iter().map(|frame| frame.0).max();
        ends.retain(|end| Some(self.frames[*end].0) >= latest(*end));
        ends.push(self.frames.len());
        let mut start = 0;
        let mut files = Vec::new();
        for (n, end) in ends.into_iter().enumerate() {
            let mut writer = PcapngWriter::new(Vec::new(), "ring").unwrap();
            for interface in &self.interfaces {
                let mut interface = interface.clone();
                interface.speed = interface.speed.map(|speed| speed * (n as u64 + 1));
                writer.describe(&interface).unwrap();
            }
            for (at, link, interface, wire_len, bytes) in &self.frames[start..end] {
                let frame = Frame {
                    at: *at,
                    link: *link,
                    interface: *interface,
                    wire_len: *wire_len,
                    bytes,
                };
                let notes = Notes {
                    comment: None,
                    lost: u64::from(bytes.len() % 41 == 0),
                };
                writer.noted(&frame, notes).unwrap();
            }
            let counts = Counts {
                began: Some(Timestamp::from_nanos(1)),
                received: Some(end as u64),
                dropped: Some(end as u64 / 3),
                ..Counts::default()
            };
            let last = self.frames[end - 1].0;
            writer.statistics(0, last, counts).unwrap();
            files.push(folder.file(&format!("part{n:03}.pcapng"), &writer.finish().unwrap()));
            start = end;
        }
        files
    }
}

fn run(args: &[&str], files: &[PathBuf]) -> Output {
    let mut command = program();
    command.current_dir(root()).args(["--no-config", "report"]);
    command.args(args).args(files).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A path in the folder at which nothing is.
fn nothing(folder: &Folder, name: &str) -> PathBuf {
    let path = folder.file(name, b"");
    std::fs::remove_file(&path).unwrap();
    path
}

/// One run over the files, and a run for each of them.
fn assert_same(folder: &Folder, files: &[PathBuf], options: &[&str]) {
    let path = nothing(folder, "state");
    let state = path.to_str().unwrap();
    let (last, before) = files.split_last().unwrap();
    let mut steps = Vec::new();
    for (n, file) in before.iter().enumerate() {
        let threads = ["1", "2"][n % 2];
        let args = [&["--threads", threads, "--checkpoint", state], options].concat();
        steps.push(run(&args, std::slice::from_ref(file)));
        let step = &steps[n];
        assert!(matches!(step.status.code(), Some(0 | 3)), "{step:?}");
        assert!(!step.stdout.is_empty());
    }
    for format in ["text", "json", "csv"] {
        let whole = run(&[&["--format", format], options].concat(), files);
        // The state stays, so that it can be finished as often as wanted.
        let args = ["--finish", "--format", format, "--checkpoint", state];
        let parts = run(&[&args, options].concat(), std::slice::from_ref(last));
        assert!(
            whole.stdout == parts.stdout,
            "{files:?} {options:?} {format}: the reports differ: {}",
            text(&parts.stderr)
        );
        assert_eq!(whole.status.code(), parts.status.code(), "{options:?}");
        assert!(whole.stdout.len() > 500, "there is a report");
    }
}

#[test]
fn hour_by_hour_is_the_same_as_at_once() {
    let folder = Folder::new("parts");
    let mut all: Vec<PathBuf> = [
        "demo",
        "smb2/session",
        "nbf/example",
        "spx/spx2",
        "ncp/burst",
    ]
    .iter()
    .map(|name| root().join("captures").join(name).with_extension("pcapng"))
    .filter(|path| path.is_file())
    .collect();
    assert!(all.len() >= 4, "{all:?}");
    if let Some(real) = captures("captures worked through in parts") {
        let real = real.join("real");
        all.push(real.join("smb1_filename.pcap"));
        all.push(real.join("ipx_sll_hari.pcap"));
    }
    let mut seams = 0;
    for path in all {
        let ring = Ring::of(&path);
        let files = ring.files(&folder, ring.frames.len() / 4 + 1);
        seams += files.len() - 1;
        assert_same(&folder, &files, &[]);
    }
    assert!(seams > 8, "{seams}");
}

/// What goes by before, behind and beside what is wanted counts as in one run, too, and damage is
/// told.
#[test]
fn windows_filters_and_damage_pass_over_the_seams() {
    let folder = Folder::new("parts-chosen");
    let ring = Ring::of(&root().join("captures/demo.pcapng"));
    let files = ring.files(&folder, 700);
    assert!(files.len() >= 4, "{}", files.len());
    assert_same(&folder, &files, &["--since", "9", "--until", "30"]);
    assert_same(&folder, &files, &["--until", "1"]);
    #[cfg(feature = "libpcap")]
    assert_same(&folder, &files, &["--filter", "ether[0] & 1 = 0"]);
    assert_same(&folder, &files, &["--private", "--timeout", "2s"]);
    let whole = std::fs::read(&files[1]).unwrap();
    std::fs::write(&files[1], &whole[..whole.len() - 99]).unwrap();
    assert_same(&folder, &files, &[]);
}

#[test]
fn what_cannot_be_gone_on_with_is_told_and_the_state_kept() {
    let folder = Folder::new("parts-refused");
    let ring = Ring::of(&root().join("captures/demo.pcapng"));
    let files = ring.files(&folder, 700);
    let path = nothing(&folder, "state");
    let state = path.to_str().unwrap();
    let refused = |args: &[&str], files: &[PathBuf], code: i32, what: &str| {
        let before = std::fs::read(&path).ok();
        let output = run(args, files);
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{args:?}: {told}");
        assert!(told.contains(what), "{args:?}: {told}");
        assert!(output.stdout.is_empty(), "{args:?}");
        assert!(before == std::fs::read(&path).ok(), "{args:?}: it is kept");
    };
    refused(
        &["--checkpoint", state],
        &[],
        2,
        "there is no such checkpoint yet",
    );
    refused(&["--finish"], &files[..1], 2, "--checkpoint");
    let second = run(&["--checkpoint", state], &files[1..2]);
    assert!(second.status.success(), "{}", text(&second.stderr));
    let good = std::fs::read(&path).unwrap();
    for (args, what) in [
        (&["--since", "3"][..], "--since was not given then"),
        (&["--zone", "+01:00"], "--zone was not given then"),
        (&["--timeout", "5s"], "timeout_ns: 60000000000 then"),
        (
            &["--threshold", "slow_answer_ms=3"],
            "slow_answer_ms = 3 now",
        ),
        (&["--parallel", "2"], "--parallel is for captures"),
        (
            &["--conversation", "1", "--format", "json"],
            "reads the capture twice",
        ),
        (&["-o", state], "cannot be the same file"),
        (&["--summary", state], "cannot be the same file"),
    ] {
        let args = [&["--checkpoint", state], args].concat();
        refused(&args, &files[2..3], 2, what);
    }
    let checkpoint = ["--checkpoint", state];
    refused(
        &checkpoint,
        &files[..1],
        2,
        "before the end of what was worked through",
    );
    refused(
        &checkpoint,
        &["-".into()],
        2,
        "the standard input cannot be known again",
    );
    refused(
        &checkpoint,
        &[root().join("captures")],
        2,
        "cannot be known again",
    );
    refused(&checkpoint, &[root().join("README.md")], 1, "README.md");

    // The same once more, by another name, changes nothing.
    let whole = std::fs::read(&files[1]).unwrap();
    let moved = folder.file("moved.pcapng", &whole);
    let again = run(&checkpoint, &[files[1].clone(), moved]);
    assert!(again.status.success() && again.stdout == second.stdout);
    assert!(text(&again.stderr).contains("2 files were worked through before"));
    assert!(std::fs::read(&path).unwrap() == good);
    assert!(run(&checkpoint, &[]).stdout == second.stdout);
    // With something behind it that is another matter.
    let behind = std::fs::read(&files[2]).unwrap();
    folder.file("part001.pcapng", &[&whole[..], &behind].concat());
    refused(
        &checkpoint,
        &files[1..2],
        2,
        "has changed since it was worked through",
    );

    let bad = |name: &str, bytes: &[u8], what: &str| {
        let bad = folder.file(name, bytes);
        let args = ["--checkpoint", bad.to_str().unwrap()];
        let code = if what.contains("no checkpoint") { 2 } else { 1 };
        refused(&args, &files[2..3], code, what);
        assert!(std::fs::read(&bad).unwrap() == bytes, "{what}");
    };
    bad("foreign", b"{}", "this is no checkpoint; name another file");
    bad("cut", &good[..good.len() / 2], "is cut off");
    let mut damaged = good.clone();
    damaged[good.len() / 2] ^= 1;
    bad(
        "damaged",
        &damaged,
        "is damaged: its checksum is another one; put a copy of it back",
    );
    let mut newer = good.clone();
    newer[8] += 1;
    bad("newer", &newer, "go on with the program that wrote it");
}

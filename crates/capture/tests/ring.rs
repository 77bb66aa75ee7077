//! Saving while watching, read back by our own reader and by Wireshark's programs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Mutex, MutexGuard, PoisonError};
use wirewait_capture::ring::{Limits, News, Ring, Saved};
use wirewait_capture::write::Description;
use wirewait_capture::{Options, open};
use wirewait_wire::{Frame, LinkType, Source, Timestamp};

const SECOND: i64 = 1_000_000_000;
/// `date -u -d @1700000000` is 2023-11-14 22:13:20.
const START: i64 = 1_700_000_000 * SECOND + 123_456_789;

/// A folder that goes when the test is over.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("wirewait-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn files(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(&self.0).unwrap();
        let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
        files.sort();
        files
    }

    fn names(&self) -> Vec<String> {
        let name = |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().to_owned();
        self.files().iter().map(name).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn eth0() -> Description {
    Description {
        name: Some("eth0".to_owned()),
        snaplen: 65_535,
        ..Description::of(LinkType::ETHERNET)
    }
}

fn frame(nanos: i64, bytes: &[u8]) -> Frame<'_> {
    Frame {
        at: Timestamp::from_nanos(nanos),
        link: LinkType::ETHERNET,
        interface: 0,
        wire_len: bytes.len() as u32 + 50,
        bytes,
    }
}

fn at(nanos: i64) -> Timestamp {
    Timestamp::from_nanos(nanos)
}

fn ring(folder: &Folder, limits: Limits) -> Ring {
    let path = folder.0.join("lan.pcapng");
    Ring::new(&path, "wirewait", limits, &[eth0()], at(START)).unwrap()
}

/// Times and first bytes of all frames, and what is said of the interfaces.
fn read(files: &[PathBuf]) -> (Vec<(i64, u8)>, Vec<wirewait_capture::Interface>) {
    let mut source = open(files, &Options::default()).unwrap();
    let mut frames = Vec::new();
    while let Some(frame) = source.next_frame().unwrap() {
        frames.push((
            frame.at.as_nanos(),
            frame.bytes.first().copied().unwrap_or(0),
        ));
    }
    assert!(source.warnings().is_empty(), "{:?}", source.warnings());
    (frames, source.interfaces().to_vec())
}

/// While it is held, the tests beside it run no programs. For a moment, a program that starts has
/// the files open that this process has (they are closed only after its start was reported), and a
/// file that is removed in that moment does not give its space back at once.
fn no_program_runs() -> MutexGuard<'static, ()> {
    static RUNS: Mutex<()> = Mutex::new(());
    RUNS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a program prints.
fn output(command: &mut Command) -> std::io::Result<Output> {
    let _runs = no_program_runs();
    command.output()
}

/// What a program of Wireshark's says, if it is there.
fn says(program: &str, arguments: &[&str], file: &Path) -> Option<String> {
    let output = match output(Command::new(program).args(arguments).arg(file)) {
        Ok(output) => output,
        Err(_) => {
            let required = std::env::var_os("WIREWAIT_REQUIRE_TSHARK").is_some_and(|v| v == "1");
            assert!(!required, "{program} is missing");
            eprintln!("SKIPPED: {program} is missing, it did not read what was saved");
            return None;
        }
    };
    let complaints = String::from_utf8_lossy(&output.stderr);
    let complaints: Vec<&str> = complaints
        .lines()
        .filter(|line| !line.contains("Running as user"))
        .collect();
    assert!(
        output.status.success() && complaints.is_empty(),
        "{complaints:?}"
    );
    Some(String::from_utf8(output.stdout).unwrap())
}

#[test]
fn a_file_ends_before_it_is_too_large_and_the_oldest_goes() {
    // Section 44, interface 40, statistics 52 before the first frame and 76 at the end, and 132
    // for a frame of 100 bytes; 16 more are kept free for a count of what is missing.
    for (limit, per_file) in [(624, 3), (623, 2)] {
        let folder = Folder::new(&format!("size-{limit}"));
        let limits = Limits {
            file_bytes: Some(limit),
            files: Some(2),
            ..Limits::default()
        };
        let mut ring = ring(&folder, limits);
        for n in 0..11u8 {
            ring.frame(&frame(START + i64::from(n) * SECOND / 4, &[n; 100]));
            ring.counted(0, u64::from(n) + 1 + 5, 5);
            assert!(folder.files().len() <= 2);
        }
        let saved = ring.finish(at(START + 3 * SECOND)).0;
        let files = 11_u64.div_ceil(per_file);
        assert_eq!(
            saved,
            Saved {
                files,
                frames: 11,
                lost: 0,
                removed_files: files - 2,
                removed_frames: (files - 2) * per_file,
            }
        );
        for file in folder.files() {
            assert!(fs::metadata(&file).unwrap().len() <= limit);
        }
        let expected: Vec<(i64, u8)> = ((files - 2) * per_file..11)
            .map(|n| (START + n as i64 * SECOND / 4, n as u8))
            .collect();
        let (frames, interfaces) = read(&folder.files());
        assert_eq!(frames, expected);
        // Counted once, although each file says it.
        assert_eq!(interfaces.len(), 1);
        assert_eq!(
            (interfaces[0].received, interfaces[0].dropped),
            (Some(16), Some(5))
        );
        assert_eq!(interfaces[0].not_saved, Some(0));
        assert_eq!(interfaces[0].snaplen, 65_535);
        if per_file == 3 {
            let names = [
                "lan_00003_20231114221321.pcapng",
                "lan_00004_20231114221322.pcapng",
            ];
            assert_eq!(folder.names(), names);
        }
    }
}

#[test]
fn each_file_is_whole_by_itself_for_wireshark() {
    let folder = Folder::new("whole");
    let limits = Limits {
        file_ns: Some(2 * SECOND),
        ..Limits::default()
    };
    let mut ring = ring(&folder, limits);
    let sll = Description {
        name: Some("any".to_owned()),
        speed: Some(100_000_000),
        ..Description::of(LinkType::LINUX_SLL)
    };
    ring.interface(sll);
    for n in 0..5 {
        let bytes = [n as u8; 61];
        ring.frame(&frame(START + n * SECOND, &bytes));
        ring.frame(&Frame {
            interface: 1,
            link: LinkType::LINUX_SLL,
            ..frame(START + n * SECOND + 1, &bytes)
        });
        ring.counted(0, 10 + n as u64, 3);
    }
    // The third one is over although nothing comes any more.
    ring.advance(at(START + 7 * SECOND));
    let files = folder.files();
    assert_eq!(files.len(), 3);
    assert_eq!(ring.finish(at(START + 8 * SECOND)).0.frames, 10);
    for (n, file) in files.iter().enumerate() {
        let (frames, interfaces) = read(std::slice::from_ref(file));
        assert_eq!(frames.len(), if n < 2 { 4 } else { 2 });
        assert_eq!(interfaces[1].speed, Some(100_000_000));
        // What was counted until the first frame behind the file.
        let received = [11, 13, 14][n];
        assert_eq!(interfaces[0].received, Some(received));
        assert_eq!(interfaces[0].dropped, Some(3));
        let fields = [
            "-T",
            "fields",
            "-e",
            "frame.time_epoch",
            "-e",
            "frame.interface_name",
        ];
        let fields = [
            &fields[..],
            &["-e", "frame.len", "-e", "frame.cap_len", "-r"],
        ]
        .concat();
        let Some(rows) = says("tshark", &fields, file) else {
            continue;
        };
        let second = 1_700_000_000 + 2 * n;
        let rows: Vec<&str> = rows.lines().collect();
        assert_eq!(rows.len(), frames.len());
        assert_eq!(rows[0], format!("{second}.123456789\teth0\t111\t61"));
        assert_eq!(rows[1], format!("{second}.123456790\tany\t111\t61"));
        let Some(about) = says("capinfos", &[], file) else {
            continue;
        };
        assert!(about.contains("Number of stat entries = 2"), "{about}");
        assert!(about.contains("Name = eth0"), "{about}");
        assert!(about.contains("nanoseconds (9)"), "{about}");
        assert!(about.contains("wirewait"), "{about}");
    }
}

#[test]
fn one_file_is_called_as_it_was_asked_for_and_never_written_over() {
    let folder = Folder::new("one");
    let mut first = ring(&folder, Limits::default());
    assert_eq!(folder.names(), ["lan.pcapng"], "made at once");
    first.frame(&frame(START, b"a"));
    first.finish(at(START));
    let before = fs::read(&folder.files()[0]).unwrap();
    let path = folder.0.join("lan.pcapng");
    let again = Ring::new(&path, "wirewait", Limits::default(), &[], at(START));
    let trouble = again.unwrap_err().to_string();
    assert!(trouble.starts_with(&format!("cannot write to {}: ", path.display())));
    assert!(trouble.ends_with("; name another file"), "{trouble}");
    assert_eq!(fs::read(&folder.files()[0]).unwrap(), before);
    let nowhere = folder.0.join("none/lan.pcapng");
    let nowhere = Ring::new(&nowhere, "wirewait", Limits::default(), &[], at(START));
    assert!(
        nowhere
            .unwrap_err()
            .to_string()
            .ends_with("; make the folder")
    );
}

#[test]
fn a_ring_goes_on_where_an_earlier_one_ended() {
    let folder = Folder::new("again");
    fs::write(folder.0.join("lan_notes.txt"), b"kept").unwrap();
    let limits = Limits {
        file_ns: Some(SECOND),
        files: Some(3),
        ..Limits::default()
    };
    for run in 0..3 {
        let mut ring = ring(&folder, limits);
        for n in 0..2 {
            ring.frame(&frame(START + (run * 2 + n) * SECOND, &[1]));
        }
        ring.counted(0, 2, 1);
        ring.finish(at(START + (run * 2 + 2) * SECOND));
    }
    let names = folder.names();
    assert_eq!(names.len(), 4, "{names:?}");
    for (name, number) in names.iter().zip(4..=6) {
        assert!(name.starts_with(&format!("lan_{number:05}_")), "{names:?}");
    }
    assert_eq!(names[3], "lan_notes.txt");
}

#[test]
fn what_waits_is_written_after_a_second() {
    let folder = Folder::new("flush");
    let mut ring = ring(&folder, Limits::default());
    let file = folder.files().remove(0);
    let frames = || read(std::slice::from_ref(&file)).0.len();
    ring.frame(&frame(START + 1, b"a"));
    ring.frame(&frame(START, b"before the other one: no reason to hurry"));
    assert_eq!(frames(), 0);
    ring.advance(at(START + SECOND - 1));
    assert_eq!(frames(), 0);
    ring.advance(at(START + SECOND));
    assert_eq!(frames(), 2);
    ring.frame(&frame(START + SECOND, b"c"));
    ring.frame(&frame(START - 3600 * SECOND, b"the clock was set back"));
    assert_eq!(frames(), 4);
}

#[test]
fn a_clock_that_is_set_back_does_not_make_a_file_last() {
    let folder = Folder::new("clock");
    let limits = Limits {
        file_ns: Some(2 * SECOND),
        ..Limits::default()
    };
    let mut ring = ring(&folder, limits);
    let back = START - 3600 * SECOND;
    for nanos in [START, back, back + SECOND, back + 2 * SECOND, START] {
        ring.frame(&frame(nanos, b"a"));
    }
    ring.finish(at(START));
    let counts = folder
        .files()
        .iter()
        .map(|file| read(std::slice::from_ref(file)).0.len())
        .collect::<Vec<_>>();
    assert_eq!(counts, [3, 1, 1]);
}

#[test]
fn frames_that_do_not_fit_are_counted_or_described() {
    let folder = Folder::new("odd");
    let mut ring = ring(&folder, Limits::default());
    ring.frame(&frame(-1, b"before 1970"));
    ring.frame(&frame(START, b"a"));
    // Nobody described it, and one came back on another kind of link.
    ring.frame(&Frame {
        interface: 2,
        ..frame(START + 1, b"b")
    });
    ring.frame(&Frame {
        link: LinkType::RAW,
        ..frame(START + 2, b"c")
    });
    ring.frame(&Frame {
        interface: u32::MAX,
        ..frame(START + 3, b"d")
    });
    assert_eq!(
        ring.saved(),
        Saved {
            files: 1,
            frames: 3,
            lost: 2,
            ..Saved::default()
        }
    );
    ring.finish(at(START));
    let (frames, interfaces) = read(&folder.files());
    assert_eq!(
        frames,
        [(START, b'a'), (START + 1, b'b'), (START + 2, b'c')]
    );
    let noted: u64 = interfaces.iter().map(|known| known.dropped_noted).sum();
    let missing: u64 = interfaces.iter().filter_map(|known| known.not_saved).sum();
    assert_eq!((noted, missing), (0, 1), "noted beside the frame behind it");
}

#[test]
fn a_folder_that_vanishes_is_told_once_and_saving_goes_on_when_it_is_back() {
    let folder = Folder::new("vanishes");
    let limits = Limits {
        file_ns: Some(SECOND),
        ..Limits::default()
    };
    let mut ring = ring(&folder, limits);
    ring.frame(&frame(START, b"a"));
    fs::remove_dir_all(&folder.0).unwrap();
    for n in 1..=5 {
        ring.frame(&frame(START + n * SECOND, b"b"));
    }
    let news = ring.news().expect("it is told");
    assert!(matches!(news, News::Stopped(_)));
    let news = news.to_string();
    assert!(
        news.contains("make the folder; it is tried again every 10 s"),
        "{news}"
    );
    ring.advance(at(START + 11 * SECOND));
    assert!(ring.news().is_none(), "tried, in vain, and not told again");
    fs::create_dir_all(&folder.0).unwrap();
    ring.frame(&frame(START + 20 * SECOND, b"c"));
    assert!(ring.news().is_none(), "it is not time yet");
    ring.frame(&frame(START + 21 * SECOND, b"d"));
    match ring.news() {
        Some(News::Resumed { lost, file }) => {
            assert_eq!((lost, Some(&file)), (6, folder.files().first()));
        }
        other => panic!("{other:?}"),
    }
    let saved = ring.finish(at(START + 22 * SECOND)).0;
    assert_eq!((saved.frames, saved.lost), (2, 6));
    let (frames, interfaces) = read(&folder.files());
    assert_eq!(frames, [(START + 21 * SECOND, b'd')]);
    assert_eq!(interfaces[0].not_saved, Some(6));
    assert_eq!(interfaces[0].lost(), None);
}

/// A file system of 64 KiB; taken away when the test is over.
struct Small(Folder);

impl Small {
    fn new(name: &str) -> Option<Self> {
        let folder = Folder::new(name);
        let size = ["-t", "tmpfs", "-o", "size=64k", "tmpfs"];
        let mounted = output(Command::new("mount").args(size).arg(&folder.0));
        if mounted.is_ok_and(|output| output.status.success()) {
            return Some(Self(folder));
        }
        eprintln!("SKIPPED: no right to mount a small file system, no disk was full");
        None
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        let _ = output(Command::new("umount").arg(&(self.0).0));
    }
}

#[test]
fn a_full_disk_is_told_once_and_what_is_written_can_be_read() {
    let Some(small) = Small::new("full") else {
        return;
    };
    let folder = &small.0;
    let other = folder.0.join("somebody-elses");
    fs::write(&other, vec![0; 30_000]).unwrap();
    let mut ring = ring(folder, Limits::default());
    let file = folder.0.join("lan.pcapng");
    let mut told = Vec::new();
    // A thousand bytes in a frame, ten frames in a second.
    let mut sent = 0;
    let mut send = |ring: &mut Ring, frames: i64| {
        for _ in 0..frames {
            ring.frame(&frame(START + sent * SECOND / 10, &[7; 1000]));
            ring.counted(0, 1000, 0);
            told.extend(ring.news());
            sent += 1;
        }
    };
    send(&mut ring, 60);
    let there = says(
        "tshark",
        &["-T", "fields", "-e", "frame.number", "-r"],
        &file,
    );
    let ours = read(std::slice::from_ref(&file)).0.len();
    assert!((20..40).contains(&ours), "{ours}");
    if let Some(there) = there {
        assert_eq!(there.lines().count(), ours);
    }
    // Without space, nothing changes for a long time.
    send(&mut ring, 300);
    assert_eq!(read(std::slice::from_ref(&file)).0.len(), ours);
    fs::remove_file(other).unwrap();
    send(&mut ring, 90);
    let saved = ring.finish(at(START + 60 * SECOND)).0;
    let told: Vec<String> = told.iter().map(ToString::to_string).collect();
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(
        told[0].contains("No space left") && told[0].contains("free some space"),
        "{told:?}"
    );
    assert!(told[1].starts_with("saving goes on in "), "{told:?}");
    assert_eq!(saved.frames + saved.lost, 450);
    let (frames, interfaces) = read(std::slice::from_ref(&file));
    assert_eq!(frames.len() as u64, saved.frames);
    assert_eq!(interfaces[0].not_saved, Some(saved.lost));
    assert_eq!(interfaces[0].lost(), Some(0), "the system dropped none");
    assert_eq!(interfaces[0].received, Some(1000));
    if let Some(rows) = says(
        "tshark",
        &["-T", "fields", "-e", "frame.number", "-r"],
        &file,
    ) {
        assert_eq!(rows.lines().count(), frames.len());
    }
}

#[test]
fn what_could_not_be_written_at_the_end_is_counted() {
    let Some(small) = Small::new("end") else {
        return;
    };
    let folder = &small.0;
    let mut ring = ring(folder, Limits::default());
    for n in 0..200 {
        ring.frame(&frame(START + n, &[7; 1000]));
    }
    assert_eq!(ring.saved().frames, 200, "within a second");
    let (saved, trouble) = ring.finish(at(START + SECOND));
    assert!(trouble.unwrap().to_string().ends_with("free some space"));
    assert_eq!(saved.frames + saved.lost, 200);
    let (frames, interfaces) = read(&folder.files());
    assert_eq!(frames.len() as u64, saved.frames);
    assert!((50..64).contains(&frames.len()), "{}", frames.len());
    // The end of the file says so, although there was no space for it.
    assert_eq!(interfaces[0].not_saved, Some(saved.lost));
    says("capinfos", &[], &folder.files()[0]);
}

#[test]
fn a_disk_without_any_space_is_told_at_once_and_nothing_is_left_there() {
    let Some(small) = Small::new("none") else {
        return;
    };
    let folder = &small.0;
    fs::write(folder.0.join("other"), [0; 65_536]).unwrap();
    let path = folder.0.join("lan.pcapng");
    let refused = Ring::new(&path, "wirewait", Limits::default(), &[eth0()], at(START));
    let trouble = refused.unwrap_err().to_string();
    assert!(trouble.ends_with("free some space"), "{trouble}");
    assert_eq!(folder.names(), ["other"]);
}

#[test]
fn a_ring_on_a_disk_that_is_too_small_keeps_its_newest_files() {
    let Some(small) = Small::new("two") else {
        return;
    };
    let folder = &small.0;
    let limits = Limits {
        file_bytes: Some(30_000),
        files: Some(2),
        ..Limits::default()
    };
    let mut ring = ring(folder, limits);
    // Two files fit into 64 KiB, and a third once the first is removed.
    let _space_comes_back_at_once = no_program_runs();
    for n in 0..300 {
        ring.frame(&frame(START + n * SECOND / 10, &[7; 1000]));
        let news = ring.news();
        assert!(news.is_none(), "{news:?} at frame {n}");
    }
    let saved = ring.finish(at(START + 31 * SECOND)).0;
    assert_eq!((saved.frames, saved.lost), (300, 0));
    let (frames, _) = read(&folder.files());
    assert_eq!(
        frames.last().map(|(at, _)| *at),
        Some(START + 299 * SECOND / 10)
    );
}

#[test]
fn each_file_of_a_ring_tells_what_it_misses_itself() {
    let folder = Folder::new("each");
    let limits = Limits {
        file_ns: Some(2 * SECOND),
        ..Limits::default()
    };
    let mut ring = ring(&folder, limits);
    for n in 0..6 {
        // What is stamped before 1970 cannot be saved, and ends the second file early: the
        // third notes it. One more is behind the last frame.
        if n == 3 {
            ring.frame(&frame(-1, b"x"));
        }
        ring.frame(&frame(START + n * SECOND, b"a"));
    }
    ring.frame(&frame(-1, b"y"));
    let saved = ring.finish(at(START + 6 * SECOND)).0;
    assert_eq!((saved.files, saved.frames, saved.lost), (4, 6, 2));
    let files = folder.files();
    for (files, wanted) in [
        (&files[..1], 0),
        (&files[1..2], 0),
        (&files[2..3], 1),
        (&files[3..], 1),
        (&files[1..], 2),
        (&files[..], 2),
    ] {
        let (_, interfaces) = read(files);
        assert_eq!(interfaces[0].not_saved, Some(wanted), "{files:?}");
        assert_eq!(interfaces[0].lost(), None, "{files:?}");
    }
}

#[test]
fn a_disk_that_stays_full_is_told_by_the_file() {
    let Some(small) = Small::new("stays") else {
        return;
    };
    let folder = &small.0;
    let limits = Limits {
        file_ns: Some(20 * SECOND),
        ..Limits::default()
    };
    let mut ring = ring(folder, limits);
    for n in 0..600 {
        ring.frame(&frame(START + n * SECOND / 10, &[7; 1000]));
        ring.counted(0, 600, 0);
    }
    let (saved, trouble) = ring.finish(at(START + 60 * SECOND));
    assert!(trouble.is_some());
    assert_eq!(saved.frames + saved.lost, 600);
    let (frames, interfaces) = read(&folder.files());
    assert_eq!(frames.len() as u64, saved.frames);
    assert_eq!(interfaces[0].not_saved, Some(saved.lost));
    assert_eq!(interfaces[0].lost(), Some(0));
}

//! `report --parallel N --summaries FOLDER`: a run that was interrupted, however, goes on where it
//! was, and the report is that of a run that was not. The reference is always a run without the
//! option.

use crate::counters::python;
use crate::support::Folder;
use crate::support::{program, root, shared_folder};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

const ENDING: &str = ".part.json";

/// Nothing takes longer, however busy the machine is.
const PATIENCE: Duration = Duration::from_secs(120);

/// Thirty of the shipped captures and what is none, beneath a folder `captures`.
fn archive(name: &str) -> Folder {
    let folder = Folder::new(&format!("resume-{name}"));
    let captures = folder.0.join("captures");
    shared_folder(&captures);
    let mut copied = 0;
    for kind in ["smb1", "smb2", "ncp", "spx", "nbf"] {
        let files = crate::support::files(&root().join("captures").join(kind));
        let files = files
            .iter()
            .filter(|path| path.extension().is_some_and(|e| e == "pcapng"));
        for file in files.take(30 - copied) {
            let name = file.file_name().unwrap().to_str().unwrap();
            fs::copy(file, captures.join(format!("{kind}-{name}"))).unwrap();
            copied += 1;
        }
    }
    assert_eq!(copied, 30);
    fs::write(captures.join("notes.txt"), "no capture").unwrap();
    folder
}

fn command(folder: &Folder, options: &[&str]) -> Command {
    command_on("2", folder, options)
}

fn command_on(workers: &str, folder: &Folder, options: &[&str]) -> Command {
    let mut command = program();
    command
        .args([
            "--no-config",
            "report",
            "--parallel",
            workers,
            "--format",
            "json",
        ])
        .args(options)
        .arg("captures")
        .current_dir(&folder.0)
        .stdin(Stdio::null());
    command
}

fn run(folder: &Folder, options: &[&str]) -> Output {
    command(folder, options).output().unwrap()
}

/// What was said beside how many sums were there.
fn warnings(output: &Output) -> Vec<String> {
    let text = String::from_utf8(output.stderr.clone()).unwrap();
    let lines = text
        .lines()
        .filter(|line| !line.contains("whose sums were there"));
    lines.map(str::to_owned).collect()
}

/// How many captures were taken from the folder, and how many were analysed.
fn taken(output: &Output) -> (u64, u64) {
    let text = String::from_utf8_lossy(&output.stderr);
    let line = text
        .lines()
        .find(|line| line.contains("whose sums were there"));
    let line = line.unwrap_or_else(|| panic!("{text}"));
    let number = |words: &str| {
        let rest = line.split_once(words).unwrap().1;
        rest.split([',', ' ']).next().unwrap().parse().unwrap()
    };
    (number("were there: "), number("analysed: "))
}

fn same(output: &Output, wanted: &Output) {
    assert_eq!(warnings(output), warnings(wanted));
    assert_eq!(output.status.code(), wanted.status.code());
    assert!(output.stdout == wanted.stdout, "another report");
}

/// Files of the folder of sums, hidden ones included.
fn parts(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut parts: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    parts.sort();
    parts
}

fn is_part(path: &Path) -> bool {
    path.to_str().unwrap().ends_with(ENDING)
}

/// Each file with a final name holds whole sums.
fn all_whole(folder: &Path) {
    for part in parts(folder).iter().filter(|path| is_part(path)) {
        let output = program().arg("merge").arg(part).output().unwrap();
        assert!(output.status.success(), "{}", part.display());
    }
}

#[test]
fn what_is_there_is_not_analysed_again() {
    let folder = archive("again");
    let reference = run(&folder, &[]);
    assert_eq!(reference.status.code(), Some(3), "one is no capture");
    assert_eq!(warnings(&reference).len(), 1);
    let kept = ["--summaries", "sums"];
    let first = run(&folder, &kept);
    same(&first, &reference);
    assert_eq!(taken(&first), (0, 30));
    let second = run(&folder, &kept);
    same(&second, &reference);
    assert_eq!(taken(&second), (30, 0));
    // The sums are those of `merge`, too.
    let sums = parts(&folder.0.join("sums"));
    assert_eq!(sums.len(), 30);
    let mut merge = program();
    let merged = merge
        .args(["merge", "--format", "json"])
        .args(&sums)
        .output()
        .unwrap();
    assert!(merged.stdout == reference.stdout);
    // Typed otherwise they are the same captures.
    let mut elsewhere = program();
    elsewhere
        .args(["--no-config", "report", "--parallel", "2"])
        .args(["--summaries", "../sums", "."])
        .current_dir(folder.0.join("captures"));
    assert_eq!(taken(&elsewhere.output().unwrap()), (30, 0));
}

/// The first line of a file is as its published schema says, the rest as that of summaries. The judge
/// is Python's jsonschema.
#[cfg(unix)]
#[test]
fn sums_are_as_their_published_schemas_say() {
    use std::os::unix::ffi::OsStrExt;
    let folder = archive("schema");
    let odd = std::ffi::OsStr::from_bytes(b"odd-\xff.pcapng");
    let odd = folder.0.join("captures").join(odd);
    fs::copy(root().join("captures/demo.pcapng"), odd).unwrap();
    for options in [&[][..], &["--filter", "tcp", "--zone", "+01:00"]] {
        let kept = [&["--summaries", "sums"], options].concat();
        assert_eq!(taken(&run(&folder, &kept)), (0, 31));
    }
    let schemas = root().join("schemas");
    let program = format!(
        "import json, os, sys, jsonschema\n\
         def judge(name):\n\
         \x20   schema = json.load(open(os.path.join({schemas:?}, name)))\n\
         \x20   jsonschema.Draft202012Validator.check_schema(schema)\n\
         \x20   return jsonschema.Draft202012Validator(schema)\n\
         head, rest = judge('part.schema.json'), judge('summary.schema.json')\n\
         judged = filtered = odd = 0\n\
         for entry in os.scandir(sys.stdin.read()):\n\
         \x20   first, sums = open(entry.path, 'rb').read().split(b'\\n', 1)\n\
         \x20   first = json.loads(first)\n\
         \x20   head.validate(first)\n\
         \x20   rest.validate(json.loads(sums))\n\
         \x20   wrong = dict(first, origin=dict(first['origin'], capture=7))\n\
         \x20   assert not head.is_valid(wrong)\n\
         \x20   judged += 1\n\
         \x20   filtered += first['origin']['terms']['filter'] == 'tcp'\n\
         \x20   odd += isinstance(first['origin']['capture'], list)\n\
         print(judged, filtered, odd)"
    );
    let sums = folder.0.join("sums");
    let sums = sums.to_str().unwrap().as_bytes();
    let test = "sums_are_as_their_published_schemas_say";
    if let Some(judged) = python(test, &["json", "jsonschema"], &program, sums) {
        assert_eq!(judged.trim(), "62 31 2");
    }
}

/// The very captures are analysed that are others now.
#[test]
fn what_changed_is_analysed_again() {
    let folder = archive("changed");
    let kept = ["--summaries", "sums"];
    run(&folder, &kept);
    let mut captures = crate::support::files(&folder.0.join("captures"));
    captures.retain(|path| path.extension().is_some_and(|e| e == "pcapng"));
    // Another content; another time alone; one more; one less.
    fs::copy(&captures[0], &captures[3]).unwrap();
    let file = fs::File::options().write(true).open(&captures[5]).unwrap();
    file.set_modified(std::time::SystemTime::UNIX_EPOCH)
        .unwrap();
    fs::copy(&captures[7], folder.0.join("captures/zz.pcapng")).unwrap();
    fs::remove_file(&captures[9]).unwrap();
    let reference = run(&folder, &[]);
    let changed = run(&folder, &kept);
    same(&changed, &reference);
    let said = String::from_utf8_lossy(&changed.stderr);
    assert_eq!(taken(&changed), (27, 3), "{said}");
    let again = run(&folder, &kept);
    same(&again, &reference);
    assert_eq!(taken(&again), (30, 0));
    // Old sums of a capture make room for new ones; those of the one that is gone stay.
    assert_eq!(parts(&folder.0.join("sums")).len(), 31);
}

/// A ring that has grown is one capture as before, and its sums are in one place.
#[test]
fn a_ring_that_grows_is_analysed_again_as_one() {
    let folder = Folder::new("resume-ring");
    let captures = folder.0.join("captures");
    shared_folder(&captures);
    let demo = root().join("captures/demo.pcapng");
    let split = program()
        .args([
            "--no-config",
            "live",
            "--save",
            "lan.pcapng",
            "--save-size",
            "150k",
            "--format",
            "json",
        ])
        .arg("-")
        .current_dir(&captures)
        .stdin(fs::File::open(&demo).unwrap())
        .output()
        .unwrap();
    assert!(
        split.status.success(),
        "{}",
        String::from_utf8_lossy(&split.stderr)
    );
    let files = crate::support::files(&captures);
    assert!(files.len() > 2, "{files:?}");
    let last = folder.0.join("last");
    fs::rename(&files[files.len() - 1], &last).unwrap();
    let kept = ["--summaries", "sums"];
    assert_eq!(taken(&run(&folder, &kept)), (0, 1));
    fs::rename(&last, &files[files.len() - 1]).unwrap();
    let reference = run(&folder, &[]);
    let grown = run(&folder, &kept);
    same(&grown, &reference);
    assert_eq!(taken(&grown), (0, 1));
    assert_eq!(parts(&folder.0.join("sums")).len(), 1);
    let again = run(&folder, &kept);
    same(&again, &reference);
    assert_eq!(taken(&again), (1, 0));
}

/// Root reads them before it becomes somebody else, and their sums are found all the same.
#[cfg(target_os = "linux")]
#[test]
fn captures_that_only_their_owner_may_read_and_names_that_are_no_text_are_found() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new("resume-private");
    let captures = folder.0.join("captures");
    fs::create_dir(&captures).unwrap();
    for (kind, name) in [
        ("smb2/session", &b"a\xff.pcapng"[..]),
        ("demo", b"b.pcapng"),
    ] {
        let from = root().join("captures").join(kind).with_extension("pcapng");
        let to = captures.join(OsStr::from_bytes(name));
        fs::copy(from, &to).unwrap();
        fs::set_permissions(&to, fs::Permissions::from_mode(0o600)).unwrap();
    }
    fs::set_permissions(&captures, fs::Permissions::from_mode(0o700)).unwrap();
    let reference = run(&folder, &[]);
    assert_eq!(reference.status.code(), Some(0));
    for from_there in [0, 2] {
        let output = run(&folder, &["--summaries", "sums"]);
        same(&output, &reference);
        assert_eq!(taken(&output), (from_there, 2 - from_there));
    }
    // Another file that differs in what is no text alone.
    let [from, to] =
        [&b"a\xff.pcapng"[..], b"a\xfe.pcapng"].map(|name| captures.join(OsStr::from_bytes(name)));
    fs::rename(from, to).unwrap();
    let output = run(&folder, &["--summaries", "sums"]);
    assert_eq!(taken(&output), (1, 1));
}

/// Sums by other settings are other sums, beside those that are there.
#[test]
fn each_setting_has_sums_of_its_own() {
    let folder = archive("settings");
    let mut settings: Vec<&[&str]> = vec![
        &[],
        &["--private"],
        &["--timeout", "30ms"],
        &["--think", "1ms"],
        &["--wait", "1ms"],
        &["--copies", "0s"],
        &["--copies-identified", "0s"],
        &["--link-speed", "10M"],
        &["--duplex", "half"],
        &["--limit", "names=16"],
        &["--since", "0.1"],
        &["--until", "0.1"],
        &["--zone=+01:00"],
    ];
    if cfg!(feature = "libpcap") {
        settings.push(&["--filter", "tcp"]);
    }
    for turn in 0..2 {
        for (known, options) in settings.iter().enumerate() {
            let reference = run(&folder, options);
            let output = run(&folder, &[*options, &["--summaries", "sums"]].concat());
            same(&output, &reference);
            let (from_there, analysed) = taken(&output);
            assert_eq!(from_there, 30 * turn, "{options:?}: {analysed}");
            let there = if turn == 0 { known + 1 } else { settings.len() };
            assert_eq!(
                parts(&folder.0.join("sums")).len(),
                30 * there,
                "{options:?}"
            );
        }
    }
}

/// They change no sum.
#[test]
fn what_changes_no_sum_has_no_sums_of_its_own() {
    let folder = archive("same");
    run(&folder, &["--summaries", "sums"]);
    for options in [
        &["--threshold", "slow_answer_ms=1"][..],
        &["--format", "text", "--precise"],
        &["--parallel", "1"],
        &["--summary", "all.json"],
    ] {
        let mut command = program();
        command.args(["--no-config", "report"]).args(options);
        if !options.contains(&"--parallel") {
            command.args(["--parallel", "3"]);
        }
        let output = command
            .args(["--summaries", "sums", "captures"])
            .current_dir(&folder.0)
            .output()
            .unwrap();
        assert_eq!(taken(&output), (30, 0), "{options:?}");
    }
}

/// Nothing is trusted that is not whole, or not of this capture and these settings.
#[test]
fn what_is_damaged_or_foreign_is_said_and_analysed_again() {
    let folder = archive("damaged");
    let kept = ["--summaries", "sums"];
    let reference = run(&folder, &kept);
    run(&folder, &["--private", "--summaries", "private"]);
    let sums = folder.0.join("sums");
    let all = parts(&sums);
    let read = |at: usize| fs::read(&all[at]).unwrap();
    // A digit of a count.
    let mut digit = read(0);
    let text = String::from_utf8(digit.clone()).unwrap();
    let at = text.find("\"frames\": ").unwrap() + "\"frames\": ".len();
    digit[at] = if digit[at] == b'9' {
        b'8'
    } else {
        digit[at] + 1
    };
    fs::write(&all[0], digit).unwrap();
    // A path in the first line.
    let moved = String::from_utf8(read(1))
        .unwrap()
        .replacen("captures", "capture5", 1);
    fs::write(&all[1], moved).unwrap();
    fs::write(&all[2], &read(2)[..500]).unwrap();
    let short = read(3);
    fs::write(&all[3], &short[..short.len() - 40]).unwrap();
    fs::write(&all[4], b"").unwrap();
    fs::write(&all[5], b"{\"schema\":\"wirewait-part/2\"}\n{}").unwrap();
    // A summary that is whole, but says of nothing that it is of this capture.
    let summary = folder.0.join("summary.json");
    let capture = crate::support::files(&folder.0.join("captures"));
    let mut report = program();
    report
        .arg("report")
        .arg(&capture[6])
        .arg("--summary")
        .arg(&summary);
    assert!(report.output().unwrap().status.success());
    fs::copy(&summary, &all[6]).unwrap();
    // Of another capture, and of other settings.
    fs::copy(&all[8], &all[7]).unwrap();
    fs::copy(&parts(&folder.0.join("private"))[9], &all[9]).unwrap();
    let output = run(&folder, &kept);
    assert!(output.stdout == reference.stdout);
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(taken(&output), (21, 9));
    let told: BTreeSet<String> = warnings(&output).into_iter().collect();
    for (at, why) in [
        (0, "its digest is not that of its content"),
        (1, "its digest is not that of its content"),
        (2, "is damaged"),
        (3, "its digest is not that of its content"),
        (4, "is no summary that --summaries keeps"),
        (5, "this program knows \"wirewait-part/1\""),
        (6, "is no summary that --summaries keeps"),
        (7, "of another capture, or of other settings"),
        (9, "of another capture, or of other settings"),
    ] {
        let name = all[at].file_name().unwrap().to_str().unwrap();
        let line = told.iter().find(|line| line.contains(name));
        let line = line.unwrap_or_else(|| panic!("{name}: {told:?}"));
        assert!(line.contains(why), "{line}");
        assert!(line.ends_with("the capture is analysed again"), "{line}");
    }
    assert_eq!(told.len(), 10, "{told:?}");
    let repaired = run(&folder, &kept);
    same(&repaired, &reference);
    assert_eq!(taken(&repaired), (30, 0));
    // What is no file is not followed or read, and a folder stays.
    for at in [11, 12, 13] {
        fs::remove_file(&all[at]).unwrap();
    }
    fs::create_dir(&all[11]).unwrap();
    std::os::unix::fs::symlink(&summary, &all[12]).unwrap();
    assert!(
        Command::new("mkfifo")
            .arg(&all[13])
            .status()
            .unwrap()
            .success()
    );
    let output = run(&folder, &kept);
    assert!(output.stdout == reference.stdout);
    assert_eq!(taken(&output), (27, 3));
    assert!(all[11].is_dir() && all[12].symlink_metadata().unwrap().is_file());
    assert!(
        warnings(&output)
            .iter()
            .any(|line| line.contains("cannot be kept"))
    );
}

/// Of a capture that is cut the report is of what was read; it is tried again each time.
#[test]
fn what_could_not_be_read_as_a_whole_is_tried_again() {
    let folder = archive("cut");
    let captures = crate::support::files(&folder.0.join("captures"));
    let whole = fs::read(&captures[4]).unwrap();
    fs::write(&captures[4], &whole[..whole.len() - 9]).unwrap();
    let reference = run(&folder, &[]);
    assert_eq!(warnings(&reference).len(), 2);
    for from_there in [0, 29, 29] {
        let output = run(&folder, &["--summaries", "sums"]);
        same(&output, &reference);
        assert_eq!(taken(&output), (from_there, 30 - from_there));
    }
    fs::write(&captures[4], &whole).unwrap();
    let output = run(&folder, &["--summaries", "sums"]);
    same(&output, &run(&folder, &[]));
    assert_eq!(taken(&output), (29, 1));
}

/// Ends the program if a test breaks off.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The same command with the signals of a terminal: a shell starts what runs in the background without SIGINT, and all
/// that it starts.
fn heeding(command: &Command) -> Command {
    let mut heeding = Command::new("env");
    heeding.arg("--default-signal=INT,TERM");
    heeding.arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => heeding.env(name, value),
            None => heeding.env_remove(name),
        };
    }
    if let Some(folder) = command.get_current_dir() {
        heeding.current_dir(folder);
    }
    heeding.stdin(Stdio::null());
    heeding
}

#[test]
fn a_run_that_was_interrupted_goes_on_where_it_was() {
    for signal in ["-INT", "-TERM", "-KILL"] {
        let folder = archive(&format!("signal{signal}"));
        let captures = folder.0.join("captures");
        // One of many sections takes long enough to be in the middle of it.
        let demo = fs::read(root().join("captures/demo.pcapng")).unwrap();
        let long = captures.join("smb2--long.pcapng");
        fs::write(&long, demo.repeat(100)).unwrap();
        let is_before = |path: &&PathBuf| **path < long && path.extension().unwrap() == "pcapng";
        let files = crate::support::files(&captures);
        let before = files.iter().filter(is_before).count() as u64;
        assert!((5..26).contains(&before), "{before}");
        let reference = run(&folder, &[]);
        let sums = folder.0.join("sums");
        let named = || parts(&sums).iter().filter(|path| is_part(path)).count() as u64;
        // On a busy machine it may have ended before the signal is sent.
        let interrupted = (0..8).any(|_| {
            let _ = fs::remove_dir_all(&sums);
            let mut one = heeding(&command_on("1", &folder, &["--summaries", "sums"]));
            let child = one.stdout(Stdio::null()).stderr(Stdio::null());
            let mut running = Running(child.spawn().unwrap());
            let begin = Instant::now();
            while named() < before {
                assert!(
                    begin.elapsed() < PATIENCE,
                    "{signal}: {} of {before}",
                    named()
                );
                std::thread::sleep(Duration::from_millis(2));
            }
            let process = running.0.id().to_string();
            let sent = Command::new("kill").args([signal, &process]).status();
            assert!(sent.unwrap().success());
            running.0.wait().unwrap().code().is_none()
        });
        assert!(interrupted, "{signal}: it ended before, each time");
        let there = named();
        assert!((before..31).contains(&there), "{signal}: {there}");
        all_whole(&sums);
        let output = run(&folder, &["--summaries", "sums"]);
        same(&output, &reference);
        assert_eq!(taken(&output), (there, 31 - there), "{signal}");
        all_whole(&sums);
    }
}

#[test]
fn a_full_disk_is_said_and_the_report_comes_all_the_same() {
    let folder = archive("full");
    let sums = folder.0.join("sums");
    shared_folder(&sums);
    let mount = |size: &str| {
        let output = Command::new("mount")
            .args(["-t", "tmpfs", "-o", size, "tmpfs"])
            .arg(&sums)
            .output();
        output.is_ok_and(|output| output.status.success())
    };
    if !mount("size=64k,mode=777") {
        eprintln!("SKIPPED: no right to mount a small file system, no disk was full");
        return;
    }
    let reference = run(&folder, &[]);
    let checked = std::panic::catch_unwind(|| {
        let output = run(&folder, &["--summaries", "sums"]);
        assert!(output.stdout == reference.stdout);
        assert_eq!(output.status.code(), Some(3));
        assert_eq!(taken(&output), (0, 30));
        let told = warnings(&output);
        assert_eq!(told.len(), 2, "said once: {told:?}");
        let full = told
            .iter()
            .find(|line| line.contains("No space left on device"));
        let full = full.unwrap_or_else(|| panic!("{told:?}"));
        assert!(full.contains("free some space"), "{full}");
        let line = String::from_utf8_lossy(&output.stderr);
        assert!(
            line.contains("of which the sums could not be kept: "),
            "{line}"
        );
        let there = parts(&sums);
        assert!((1..30).contains(&there.len()), "{there:?}");
        assert!(there.iter().all(|path| is_part(path)), "{there:?}");
        all_whole(&sums);
        assert!(mount("remount,size=8m"));
        let output = run(&folder, &["--summaries", "sums"]);
        same(&output, &reference);
        assert_eq!(taken(&output).0, there.len() as u64);
    });
    let _ = Command::new("umount").arg(&sums).status();
    checked.unwrap();
}

#[test]
fn several_runs_in_one_folder_do_not_hurt_each_other() {
    let folder = archive("several");
    let reference = run(&folder, &[]);
    for turn in 0..3 {
        let runs: Vec<Child> = (0..4)
            .map(|_| {
                let mut command = command(&folder, &["--summaries", "sums"]);
                let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
                command.spawn().unwrap()
            })
            .collect();
        for run in runs {
            same(&run.wait_with_output().unwrap(), &reference);
        }
        let there = parts(&folder.0.join("sums"));
        assert_eq!(there.len(), 30, "{there:?}");
        all_whole(&folder.0.join("sums"));
        assert_eq!(taken(&run(&folder, &["--summaries", "sums"])), (30, 0));
        // The next ones find sums that do not hold any longer.
        for capture in crate::support::files(&folder.0.join("captures")) {
            let at = std::time::SystemTime::UNIX_EPOCH + Duration::from_secs(turn);
            let file = fs::File::options().write(true).open(capture).unwrap();
            file.set_modified(at).unwrap();
        }
    }
}

/// The folder may be one of those that are read.
#[test]
fn sums_beneath_the_captures_are_no_captures() {
    let folder = archive("beneath");
    let reference = run(&folder, &[]);
    shared_folder(&folder.0.join("captures/sums"));
    for (place, from_there) in [
        ("captures/sums", 0),
        ("captures/sums", 30),
        ("captures", 0),
        ("captures", 30),
    ] {
        let output = run(&folder, &["--summaries", place]);
        if place == "captures/sums" {
            same(&output, &reference);
        }
        assert!(output.stdout == reference.stdout);
        assert_eq!(taken(&output), (from_there, 30 - from_there), "{place}");
        if from_there == 30 {
            let _ = fs::remove_dir_all(folder.0.join("captures/sums"));
        }
    }
}

#[test]
fn what_cannot_be_is_said_before_anything_is_read() {
    let folder = archive("usage");
    let said = |arguments: &[&str]| {
        let mut command = program();
        command
            .args(["--no-config", "report"])
            .args(arguments)
            .arg("captures");
        let output = command.current_dir(&folder.0).output().unwrap();
        (
            output.status.code(),
            String::from_utf8(output.stderr).unwrap(),
        )
    };
    let (code, text) = said(&["--summaries", "sums"]);
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("add --parallel 2"), "{text}");
    assert!(!folder.0.join("sums").exists());
    let (code, text) = said(&["--parallel", "2", "--summaries", "captures/notes.txt"]);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("cannot be made"), "{text}");
    let (code, text) = said(&["--parallel", "2", "--summaries", "/proc/none/sums"]);
    assert_eq!(code, Some(1), "{text}");
    assert!(
        text.contains("--summaries: the folder /proc/none/sums cannot be made"),
        "{text}"
    );
}

/// The sandbox lets it write there, and nowhere else.
#[cfg(target_os = "linux")]
#[test]
fn nothing_but_the_folder_can_be_written() {
    let folder = archive("sandbox");
    let output = run(&folder, &["--summaries", "sums", "--print-rights"]);
    let text = String::from_utf8(output.stdout).unwrap();
    if !text.contains("landlock: ") || text.contains("landlock: no") {
        eprintln!("SKIPPED: nothing_but_the_folder_can_be_written: {text}");
        return;
    }
    let writes: Vec<&str> = text
        .lines()
        .filter(|line| line.contains("beneath"))
        .collect();
    assert_eq!(writes.len(), 1, "{text}");
    let sums = folder.0.join("sums").canonicalize().unwrap();
    assert!(writes[0].ends_with(sums.to_str().unwrap()), "{}", writes[0]);
}

//! Folders, patterns, lists and archives as inputs, with the sandbox in force.

use crate::support::{program, root, shared_folder};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn captures() -> [PathBuf; 3] {
    ["smb2/session", "nbf/example", "spx/spx2"]
        .map(|name| root().join("captures").join(name).with_extension("pcapng"))
}

/// A folder with three captures and what is none.
fn folder(name: &str) -> PathBuf {
    let folder = root().join("target/inputs").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    shared_folder(&folder);
    shared_folder(&folder.join("deep/er"));
    for (from, to) in captures().iter().zip(NAMES) {
        std::fs::copy(from, folder.join(to)).unwrap();
    }
    folder
}

fn report(arguments: &[&Path]) -> Output {
    let mut command = program();
    command.args(["report", "--format", "json"]).args(arguments);
    command.stdin(Stdio::null()).output().unwrap()
}

/// The report, without the names of the files.
fn read(output: &Output) -> Value {
    let told = String::from_utf8_lossy(&output.stderr);
    let mut report: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{told}"));
    let files = report["capture"]["files"].take();
    assert!(files.as_array().is_some_and(|files| !files.is_empty()));
    report
}

fn frames(output: &Output) -> u64 {
    read(output)["capture"]["frames"].as_u64().unwrap()
}

/// Of the three captures together.
fn wanted() -> Value {
    let all = captures();
    let output = report(&all.each_ref().map(PathBuf::as_path));
    assert_eq!(output.status.code(), Some(0));
    read(&output)
}

/// The paths of the captures in the folder, in the order of [`captures`].
const NAMES: [&str; 3] = ["a.pcapng", "deep/b.pcapng", "deep/er/c.pcapng"];

#[test]
fn folders_patterns_and_lists_are_their_files() {
    let folder = folder("all");
    let list = folder.join("../all.list");
    let lines = NAMES.map(|name| folder.join(name).display().to_string());
    std::fs::write(&list, lines.join("\n")).unwrap();
    let pattern = folder.join("**/*.pcapng");
    let from = Path::new("--files-from");
    for arguments in [&[folder.as_path()][..], &[&pattern], &[from, &list]] {
        let output = report(arguments);
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {told}");
        assert_eq!(read(&output), wanted(), "{arguments:?}");
    }
    // A list from a pipe.
    let output = program()
        .args(["report", "--format", "json", "--files-from", "-"])
        .stdin(Stdio::from(std::fs::File::open(&list).unwrap()))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(read(&output), wanted());
}

#[test]
fn what_gives_no_file_is_a_mistake() {
    let folder = folder("none");
    for (argument, says) in [
        (folder.join("*.cap"), "no file matches"),
        (folder.join("missing"), "cannot be opened"),
    ] {
        let output = report(&[&argument]);
        let told = String::from_utf8_lossy(&output.stderr);
        let code = if says.starts_with("no") { 2 } else { 1 };
        assert_eq!(output.status.code(), Some(code), "{told}");
        assert!(told.contains(says), "{told}");
    }
    let output = program().args(["report"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}

/// Of a folder with 2,000 files one that is no capture is listed and skipped; the rest counts.
#[test]
fn a_bad_file_among_many_is_skipped() {
    let folder = root().join("target/inputs/many");
    let _ = std::fs::remove_dir_all(&folder);
    shared_folder(&folder);
    let capture = std::fs::read(&captures()[0]).unwrap();
    for number in 0..2000 {
        let file = folder.join(format!("{number:04}.pcapng"));
        match number {
            1234 => std::fs::write(file, "no capture").unwrap(),
            _ => std::fs::write(file, &capture).unwrap(),
        }
    }
    let one = frames(&report(&[&captures()[0]]));
    let output = report(&[&folder]);
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{told}");
    assert!(told.contains("1234.pcapng: not a capture file"), "{told}");
    assert!(told.contains("it is skipped"), "{told}");
    assert_eq!(frames(&output), 1999 * one);
    // Each is one of its own.
    let output = program()
        .args(["report", "--parallel", "4", "--format", "json"])
        .arg(&folder)
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{told}");
    assert!(told.contains("1234.pcapng: not a capture file"), "{told}");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn archives_are_their_files() {
    let folder = folder("archives");
    let packed = root().join("target/inputs/packed");
    shared_folder(&packed);
    for (name, program, options) in [
        ("x.tar", "tar", "-cf"),
        ("x.tar.gz", "tar", "-czf"),
        ("x.txz", "tar", "-cJf"),
        ("x.tar.bz2", "tar", "-cjf"),
        ("x.tar.zst", "tar", "-acf"),
        ("x.zip", "zip", "-q"),
    ] {
        let archive = packed.join(name);
        let _ = std::fs::remove_file(&archive);
        let made = Command::new(program)
            .arg(options)
            .arg(&archive)
            .args(NAMES)
            .current_dir(&folder)
            .output();
        if !made.is_ok_and(|made| made.status.success()) {
            eprintln!("SKIPPED: archives_are_their_files: {program} cannot make {name}");
            continue;
        }
        let output = report(&[&archive]);
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{name}: {told}");
        assert_eq!(read(&output), wanted(), "{name}");
    }
    // A name that does not say that it has to be unpacked.
    let odd = packed.join("odd.gz");
    std::fs::copy(packed.join("x.tar.gz"), &odd).unwrap();
    let output = report(&[&odd]);
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains("unpack it first"), "{told}");
}

#[test]
fn compressed_files_are_what_is_in_them() {
    let folder = folder("compressed");
    let mut tried = 0;
    for (program, ending) in [
        ("gzip", "gz"),
        ("xz", "xz"),
        ("bzip2", "bz2"),
        ("zstd", "zst"),
    ] {
        let mut files = Vec::new();
        for name in NAMES {
            let made = Command::new(program)
                .arg("-c")
                .arg(folder.join(name))
                .output();
            let Some(made) = made.ok().filter(|made| made.status.success()) else {
                break;
            };
            let file = folder.join(format!("{name}.{ending}"));
            std::fs::write(&file, made.stdout).unwrap();
            files.push(file);
        }
        if files.len() < NAMES.len() {
            eprintln!("SKIPPED: compressed_files_are_what_is_in_them: no {program}");
            continue;
        }
        let files: Vec<&Path> = files.iter().map(PathBuf::as_path).collect();
        let output = report(&files);
        assert_eq!(output.status.code(), Some(0), "{program}");
        assert_eq!(read(&output), wanted(), "{program}");
        // Compressed and plain ones together.
        let plain = folder.join(NAMES[1]);
        let mixed = [files[0], &plain, files[2]];
        assert_eq!(read(&report(&mixed)), wanted(), "{program}");
        tried += 1;
    }
    assert!(tried > 0);
}

/// One warning, not one for each file, where a folder holds more that are no captures.
#[test]
fn many_bad_files_are_one_warning() {
    let folder = folder("worse");
    for number in 0..5 {
        std::fs::write(folder.join(format!("{number}.csv")), "no capture").unwrap();
    }
    let output = report(&[&folder]);
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{told}");
    let skipped = told.lines().filter(|line| line.contains("skipped"));
    assert_eq!(skipped.count(), 1, "{told}");
    assert!(told.contains("5 files are no captures"), "{told}");
    assert!(
        told.contains("0.csv") && told.contains("and 2 more"),
        "{told}"
    );
}

/// Without a terminal there is no screen: it is the report.
#[test]
fn view_without_a_terminal_is_the_report() {
    let run = |command: &str| {
        let mut program = program();
        let program = program
            .arg(command)
            .arg(root().join("captures/demo.pcapng"));
        let output = program.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        output.stdout
    };
    assert_eq!(run("view"), run("report"));
}

/// What is no capture is listed and skipped, in a list and in an archive as in a folder.
#[test]
fn a_bad_file_in_a_list_or_an_archive_is_skipped() {
    let folder = folder("bad");
    std::fs::write(folder.join("deep/bad.pcapng"), "no capture").unwrap();
    let names = [NAMES[0], "deep/bad.pcapng", NAMES[1], NAMES[2]];
    let list = root().join("target/inputs/bad.list");
    let lines = names.map(|name| folder.join(name).display().to_string());
    std::fs::write(&list, lines.join("\n")).unwrap();
    let archive = root().join("target/inputs/bad.tar");
    let made = Command::new("tar")
        .arg("-cf")
        .arg(&archive)
        .args(names)
        .current_dir(&folder)
        .status()
        .unwrap();
    assert!(made.success());
    for arguments in [
        &[folder.as_path()][..],
        &[Path::new("--files-from"), &list],
        &[&archive],
    ] {
        let output = report(arguments);
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{arguments:?}: {told}");
        assert!(told.contains("bad.pcapng: not a capture file"), "{told}");
        assert!(told.contains("it is skipped"), "{told}");
        let (mut found, mut wanted) = (read(&output), wanted());
        let damage = found["capture"]["damage"].take();
        let [damage] = &damage.as_array().unwrap()[..] else {
            panic!("{damage}");
        };
        assert!(
            damage.as_str().unwrap().contains("bad.pcapng: "),
            "{damage}"
        );
        wanted["capture"]["damage"].take();
        assert!(found == wanted, "{arguments:?}");
    }
}

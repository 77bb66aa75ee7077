//! Output that harms nobody: spreadsheets run nothing, terminals obey nothing, and a file is
//! whole or as it was.

use crate::support::{captures, copied_program, program, root, shared_folder};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A folder of this test's own, empty.
fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("safe")
        .join(test);
    let _ = fs::remove_dir_all(&folder);
    shared_folder(&folder);
    folder
}

fn run(folder: &Path, arguments: &[&OsStr]) -> Output {
    program()
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

fn names(folder: &Path) -> Vec<OsString> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    names
}

fn demo() -> PathBuf {
    root().join("captures/demo.pcapng")
}

/// Cells of RFC 4180.
fn cells(text: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let (mut quoted, mut chars) = (false, text.chars().peekable());
    while let Some(c) = chars.next() {
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => {
                chars.next();
                cells.last_mut().unwrap().push('"');
            }
            '"' => quoted = !quoted,
            ',' | '\n' if !quoted => cells.push(String::new()),
            '\r' if !quoted => {}
            c => cells.last_mut().unwrap().push(c),
        }
    }
    cells
}

/// A capture of a session in which a file is called `=1+1|A!'Z1`.
#[test]
fn no_cell_of_any_csv_is_a_formula() {
    let Some(captures) = captures("no_cell_of_any_csv_is_a_formula") else {
        return;
    };
    let capture = captures.join("found/csv-formula.pcapng");
    let capture = capture.to_str().unwrap();
    let named = format!("@x={capture}");
    for (arguments, has_name) in [
        (&["transactions", "--format", "csv", capture][..], true),
        (&["report", "--format", "csv", capture], true),
        (&["counters", "--format", "csv", capture], false),
        (&["counters", "--format", "pdh-csv", capture], false),
        (
            &[
                "compare", "--format", "csv", "--by", "file", capture, &named,
            ],
            true,
        ),
    ] {
        let arguments: Vec<&OsStr> = arguments.iter().map(OsStr::new).collect();
        let output = run(root(), &arguments);
        let text = String::from_utf8(output.stdout).unwrap();
        let cells = cells(&text);
        assert!(cells.len() > 50, "{arguments:?}");
        for cell in &cells {
            let harmless = !cell.starts_with(['=', '+', '-', '@', '\t', '\r']);
            assert!(
                harmless || cell.parse::<f64>().is_ok(),
                "{arguments:?}: {cell}"
            );
        }
        let named = |cell: &String| cell.to_lowercase().contains("=1+1|a!'z1");
        assert_eq!(cells.iter().any(named), has_name, "{arguments:?}");
    }
}

/// No byte but line ends commands a terminal, and no line was made by the name.
fn assert_harmless(what: &str, bytes: &[u8]) {
    let text = String::from_utf8(bytes.to_vec()).unwrap_or_else(|e| panic!("{what}: {e}"));
    let bad = |c: char| {
        c != '\n' && c != '\r' && c.is_control()
            || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    assert!(!text.contains(bad), "{what}: {text:?}");
    let made = |line: &str| line.starts_with("FAKE");
    assert!(!text.lines().any(made), "{what}: {text}");
}

/// A name with ESC, a line end, a right-to-left override, C1 and bytes that are no UTF-8.
const NAME: &[u8] = b"a\x1b[2J\nFAKE \xe2\x80\xaeexe\xc2\x9b31m\xff.pcapng";

#[test]
fn no_name_commands_the_terminal() {
    let folder = folder("names");
    let name = OsString::from_vec(NAME.to_vec());
    let path = folder.join(&name);
    fs::copy(demo(), &path).unwrap();
    let missing = OsString::from_vec([b"no-", NAME].concat());
    let damaged = OsString::from_vec([b"cut-", NAME].concat());
    let whole = fs::read(demo()).unwrap();
    fs::write(folder.join(&damaged), &whole[..20_001]).unwrap();
    let notes = OsString::from_vec([b"notes-", NAME].concat());
    fs::write(folder.join(&notes), b"no capture, no state, no table\n").unwrap();
    let closed = OsString::from_vec([b"none/", NAME].concat());
    let with = |front: &str| OsString::from_vec([front.as_bytes(), NAME].concat());
    let (equal, threshold) = (with("--format="), with("--threshold="));
    let (show, select, filter) = (with("--show="), with("--select="), with("--filter="));
    let format = |command: &'static str, format: &'static str| [command, "--format", format];
    let mut runs: Vec<Vec<&OsStr>> = Vec::new();
    let shapes = [
        format("report", "text"),
        format("report", "json"),
        format("report", "csv"),
        format("report", "html"),
        format("transactions", "text"),
        format("transactions", "csv"),
        format("transactions", "ndjson"),
        format("counters", "text"),
        format("counters", "json"),
        format("decode", "json"),
        format("decode", "text"),
    ];
    for shape in &shapes {
        for file in [&name, &damaged, &notes, &missing] {
            let mut run: Vec<&OsStr> = shape.iter().map(OsStr::new).collect();
            run.push(file);
            runs.push(run);
        }
    }
    let o = |text: &'static str| OsStr::new(text);
    for one in [&name, &missing, &notes, &closed] {
        runs.extend([
            vec![o("compare"), &name, one],
            vec![o("compare"), o("--format=json"), &name, one],
            vec![o("between"), &name, one],
            vec![o("merge"), one],
            vec![o("view"), one],
            vec![o("last-calibrate"), one],
            vec![o("protocols"), one],
            vec![o("completions"), one],
            vec![o("live"), o("-i"), one],
            vec![o("live"), one],
            vec![one.as_os_str()],
            vec![o("report"), &name, o("--symptom-texts"), one],
            vec![o("report"), &name, o("--last-profile"), one],
            vec![o("report"), &name, o("--config"), one],
            vec![o("report"), &name, o("--explain"), one],
            vec![o("report"), &name, o("--summary"), &closed],
            vec![o("report"), one, o("-o"), one],
            vec![o("report"), o("--parallel=2"), one, &damaged],
            vec![o("man"), o("--output"), one],
        ]);
    }
    for option in [&equal, &threshold, &show, &select, &filter] {
        runs.push(vec![o("report"), option, &name]);
        runs.push(vec![o("decode"), option, &name]);
    }
    let mut failed = 0;
    for arguments in &runs {
        let output = run(&folder, arguments);
        let what = format!("{arguments:?}");
        assert_harmless(&what, &output.stdout);
        assert_harmless(&what, &output.stderr);
        failed += u32::from(!output.status.success());
        // What `report -o` refused, and others replaced, is there for the next.
        if fs::read(&path).unwrap() != whole {
            fs::write(&path, &whole).unwrap();
        }
    }
    assert!(
        runs.len() > 120 && failed > 60,
        "{failed} of {}",
        runs.len()
    );
}

fn report<'a>(output: &'a Path, more: &'a [&'a str]) -> Vec<&'a OsStr> {
    let front = ["report", "--format", "json", "-o"].map(OsStr::new);
    let mut arguments = front.to_vec();
    arguments.push(output.as_os_str());
    arguments.extend(more.iter().map(OsStr::new));
    arguments
}

/// A limit on the size of files stands for a full disk: writing fails in the middle.
#[test]
fn a_full_disk_leaves_what_was_there() {
    let folder = folder("full");
    let (old, new) = (folder.join("old.json"), folder.join("new.json"));
    fs::write(&old, "old").unwrap();
    let program = env!("CARGO_BIN_EXE_wirewait");
    let demo = demo();
    for (file, option) in [
        (&old, "-o"),
        (&new, "-o"),
        (&old, "--summary"),
        (&new, "--summary"),
    ] {
        // Blocks of 1024 bytes in bash, of 512 in others: 8 are less than any of these files.
        let line = r#"ulimit -f 8; exec "$0" report --no-config --format json "$@" >/dev/null"#;
        let output = Command::new("sh")
            .args(["-c", line, program])
            .arg(&demo)
            .arg(option)
            .arg(file)
            .output()
            .unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{option} {told}");
        assert!(told.contains("cannot write to "), "{option}: {told}");
        assert_eq!(fs::read(&old).unwrap(), b"old", "{option}");
        assert_eq!(names(&folder), ["old.json"], "{option}");
    }
}

#[test]
fn links_permissions_pipes_and_devices_are_heeded() {
    let folder = folder("targets");
    let demo = demo();
    let demo = demo.to_str().unwrap();
    let expected = run(
        &folder,
        &["report", "--format", "json", demo].map(OsStr::new),
    )
    .stdout;
    // A link to a file with permissions of its own.
    let (real, link) = (folder.join("real.json"), folder.join("link.json"));
    fs::write(&real, "old").unwrap();
    fs::set_permissions(&real, fs::Permissions::from_mode(0o604)).unwrap();
    symlink("real.json", &link).unwrap();
    assert!(run(&folder, &report(&link, &[demo])).status.success());
    assert_eq!(fs::read(&real).unwrap(), expected);
    assert_eq!(real.metadata().unwrap().mode() & 0o777, 0o604);
    assert!(link.symlink_metadata().unwrap().is_symlink());
    // The standard output by its other names, behind what is in it already.
    let line = r#"echo before; exec "$0" report --no-config --format json "$1" -o /dev/stdout"#;
    let file = fs::File::create(folder.join("stdout.json")).unwrap();
    let mut shell = Command::new("sh");
    shell.args(["-c", line, env!("CARGO_BIN_EXE_wirewait"), demo]);
    assert!(shell.stdout(file).status().unwrap().success());
    let written = fs::read(folder.join("stdout.json")).unwrap();
    assert_eq!(written, [b"before\n", expected.as_slice()].concat());
    // A device, and a pipe.
    assert!(
        run(&folder, &report(Path::new("/dev/null"), &[demo]))
            .status
            .success()
    );
    assert!(!Path::new("/dev/null").is_file());
    let fifo = folder.join("pipe");
    assert!(
        Command::new("mkfifo")
            .arg(&fifo)
            .status()
            .unwrap()
            .success()
    );
    let reader = {
        let fifo = fifo.clone();
        std::thread::spawn(move || fs::read(fifo).unwrap())
    };
    assert!(run(&folder, &report(&fifo, &[demo])).status.success());
    assert_eq!(reader.join().unwrap(), expected);
    let left = ["link.json", "pipe", "real.json", "stdout.json"];
    assert_eq!(names(&folder), left, "and nothing else");
    // A folder.
    let told = run(&folder, &report(&folder, &[demo]));
    assert_eq!(told.status.code(), Some(1));
    // A file that must not be written is not replaced either, by others than root.
    let readable = folder.join("kept.json");
    fs::write(&readable, "kept").unwrap();
    fs::set_permissions(&readable, fs::Permissions::from_mode(0o444)).unwrap();
    if folder.metadata().unwrap().uid() != 0 {
        let told = run(&folder, &report(&readable, &[demo]));
        assert_eq!(told.status.code(), Some(1));
        assert_eq!(fs::read(&readable).unwrap(), b"kept");
    }
}

/// As a user who may write a file, but not its folder. Root may write everything: it becomes
/// nobody for this.
#[test]
fn a_file_in_a_closed_folder_is_written_in_place_and_that_is_said() {
    let test = "a_file_in_a_closed_folder_is_written_in_place_and_that_is_said";
    // The build may be where nobody else gets.
    let folder = std::env::temp_dir().join(format!("wirewait-closed-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let program = folder.join("wirewait");
    copied_program(&program);
    let (capture, file) = (folder.join("demo.pcapng"), folder.join("report.txt"));
    fs::copy(demo(), &capture).unwrap();
    fs::write(&file, "old").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).unwrap();
    fs::set_permissions(&capture, fs::Permissions::from_mode(0o444)).unwrap();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o555)).unwrap();
    let is_root = folder.metadata().unwrap().uid() == 0;
    let mut command = match is_root {
        true => {
            let mut command = Command::new("setpriv");
            command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]);
            command.arg(&program);
            command
        }
        false => Command::new(&program),
    };
    let mut written = |name: &str| {
        command
            .args(["report", "--no-config", "demo.pcapng", "-o", name])
            .current_dir(&folder)
            .output()
    };
    let output = written("report.txt");
    let content = fs::read_to_string(&file).unwrap();
    let names = names(&folder);
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
    fs::remove_dir_all(&folder).unwrap();
    let Ok(output) = output else {
        eprintln!("SKIPPED: {test}: no setpriv");
        return;
    };
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{told}");
    assert!(told.contains("report.txt is written in place"), "{told}");
    assert!(content.contains("quality      good"), "{content}");
    assert_eq!(names, ["demo.pcapng", "report.txt", "wirewait"]);
}

/// One stamp among 217 is eight days ahead: a second each makes 415 million values.
#[test]
fn a_stray_stamp_makes_no_gigabyte() {
    let Some(captures) = captures("a_stray_stamp_makes_no_gigabyte") else {
        return;
    };
    let folder = folder("stray");
    let capture = captures.join("found/stray-stamp.cap");
    let capture = capture.to_str().unwrap();
    for format in ["csv", "pdh-csv", "json"] {
        let arguments = ["counters", "--format", format, capture, "-o", "x"].map(OsStr::new);
        let output = run(&folder, &arguments);
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{told}");
        assert!(
            told.contains("frame 102 is stamped 8.5 days after"),
            "{told}"
        );
        assert!(told.contains("--until 2019-12-15T"), "{told}");
        assert!(names(&folder).is_empty(), "nothing was written");
        // The first way out that it names.
        let until = told.split("--until ").nth(1).unwrap();
        let until = until.split([',', ' ']).next().unwrap();
        let arguments = [
            "counters", "--format", format, capture, "-o", "x", "--until", until,
        ];
        let output = run(&folder, &arguments.map(OsStr::new));
        assert_eq!(output.status.code(), Some(3), "its end is damaged");
        // Two minutes.
        let bytes = folder.join("x").metadata().unwrap().len();
        assert!((100_000..10_000_000).contains(&bytes), "{format}: {bytes}");
        fs::remove_file(folder.join("x")).unwrap();
    }
    for command in [
        &["counters", capture][..],
        &["report", capture],
        &["report", "--format", "json", capture],
        &["report", "--format", "html", capture],
        &["report", "--format", "csv", capture],
    ] {
        let arguments: Vec<&OsStr> = command.iter().map(OsStr::new).collect();
        let output = run(&folder, &arguments);
        assert_eq!(output.status.code(), Some(3), "{command:?}");
        assert!(output.stdout.len() < 1_000_000, "{command:?}");
        let told = String::from_utf8(output.stderr).unwrap();
        let warned = told.contains("frame 102 is stamped 8.5 days after");
        assert_eq!(warned, command[0] == "counters", "{told}");
    }
    assert!(OsStr::from_bytes(NAME).to_str().is_none());
}

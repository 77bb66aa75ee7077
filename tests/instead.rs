//! Mistakes that users of other tools make: the message says what to type instead.

use crate::support::{self, Folder, root, text, wirewait};
use std::path::{Path, PathBuf};
use std::process::Stdio;

const DEMO: &str = "captures/demo.pcapng";

/// What the program says when it refuses, in one line.
fn refused(arguments: &[&str], code: i32) -> String {
    let output = wirewait(arguments);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {error}");
    assert!(output.stdout.is_empty(), "{arguments:?}");
    error
}

/// A file of this name and content, in a folder that the program may write to.
fn file(name: &str, content: &[u8]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("instead");
    support::shared_folder(&folder);
    let path = folder.join(name);
    std::fs::write(&path, content).unwrap();
    path
}

#[test]
fn options_of_tshark_and_tcpdump() {
    for (arguments, instead) in [
        (&["-r", DEMO][..], "wirewait captures/demo.pcapng"),
        (&["-i", "eth7"], "wirewait live -i eth7"),
        (&["-D"], "wirewait live -D"),
        (
            &["-w", "out.pcapng", DEMO],
            "wirewait live --save out.pcapng",
        ),
        (&["-Y", "tcp.port == 139", DEMO], "--filter 'tcp port 139'"),
        (&["report", DEMO, "-Y", "smb2"], "--filter 'tcp port 445'"),
        (&["live", "-w", "out.pcapng"], "--save out.pcapng"),
        (&["live", "-Y", "smb2"], "-f 'tcp port 445'"),
        (&[DEMO, "-z", "smb,srt"], "wirewait FILE"),
        (&[DEMO, "-V"], "wirewait --version"),
        (&["-q", DEMO], "--short"),
        (&["--json", DEMO], "--format json"),
    ] {
        let error = refused(arguments, 2);
        assert!(error.contains(instead), "{arguments:?}: {error}");
        assert!(error.contains("is no option of wirewait"), "{error}");
    }
}

#[test]
fn wiresharks_syntax_in_a_filter() {
    for (display, instead) in [
        ("tcp.port == 445", "here: tcp port 445 "),
        (
            "ip.addr==10.0.0.8 && smb2",
            "here: host 10.0.0.8 and tcp port 445 ",
        ),
        ("smb2.cmd == 8", "here: tcp port 445 "),
    ] {
        let error = refused(&["report", "--filter", display, DEMO], 2);
        assert!(error.contains("is Wireshark's display syntax"), "{error}");
        assert!(error.contains(instead), "{error}");
    }
    let error = refused(&["report", "--filter", "host and", DEMO], 2);
    assert!(!error.contains("Wireshark"), "{error}");
}

#[test]
fn mistyped_commands() {
    for (arguments, near) in [
        (&["reprot", DEMO][..], "did you mean `wirewait report`?"),
        (
            &["transaction", DEMO],
            "did you mean `wirewait transactions`?",
        ),
        (&["trans", DEMO], "did you mean `wirewait transactions`?"),
        (&["show", DEMO], "did you mean `wirewait decode`?"),
        (&["zebra", DEMO], "wirewait -h lists the commands"),
        (&["helpp"], "did you mean `wirewait help`?"),
        (&["zebra"], "wirewait -h lists the commands"),
    ] {
        let error = refused(arguments, 2);
        assert!(error.contains(near), "{arguments:?}: {error}");
    }
}

#[test]
fn numbers_that_are_none() {
    let error = refused(&["live", "--count", "x"], 2);
    let says = "--count <N>: \"x\" is not a whole number; type one: --count 10";
    assert!(error.contains(says), "{error}");
}

#[test]
fn a_command_behind_its_options() {
    let error = refused(&["--full", "report", DEMO], 2);
    let instead = "the command report comes before its options: wirewait report OPTIONS FILE";
    assert!(error.contains(instead), "{error}");
    // Those of all commands may stand before it.
    for options in [
        &["--no-sandbox"][..],
        &["--no-config", "--no-sandbox"],
        &["--user", "nobody"],
        &["--user=nobody", "--no-config"],
    ] {
        let output = wirewait(&[options, &["report", "--short", DEMO]].concat());
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.starts_with("Server: "), "{options:?}: {text}");
    }
}

#[test]
fn help_is_a_command_with_examples() {
    for arguments in [
        &["help", "report"][..],
        &["report", "-h"],
        &["report", "--help"],
    ] {
        let output = wirewait(arguments);
        let help = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
        assert!(help.contains("Usage: wirewait report"), "{help}");
        assert!(help.contains("Examples:\n  wirewait report "), "{help}");
    }
    let short = String::from_utf8(wirewait(&["report", "-h"]).stdout).unwrap();
    assert!(
        !short.contains("--no-sandbox"),
        "options of all commands stand once: {short}"
    );
    let start = String::from_utf8(wirewait(&["-h"]).stdout).unwrap();
    assert!(
        start.contains("--no-sandbox") && start.contains("--config FILE"),
        "{start}"
    );
    for line in start.lines().chain(short.lines()) {
        assert!(line.chars().count() <= 100, "{line}");
    }
}

#[test]
fn files_that_are_no_captures() {
    let archive = file("a.7z", b"7z\xbc\xaf\x27\x1caaaaaaaaaaaaaaaaaaaaaaa");
    let note = file("note.txt", b"hello, world\n");
    let url = "https://example.com/a.pcap";
    for (name, instead) in [
        (text(&archive), "7z e -so"),
        (text(&note), "text2pcap"),
        (url, "curl -sSL 'https://example.com/a.pcap' | wirewait -"),
    ] {
        let error = refused(&["report", name], 1);
        assert!(error.contains(instead), "{name}: {error}");
        assert_eq!(error.lines().count(), 1, "{error}");
    }
}

#[test]
fn captures_and_summaries_taken_for_each_other() {
    let error = refused(&["merge", DEMO], 1);
    assert!(error.contains("wirewait report --summary"), "{error}");
    let summary = file("sums.json", b"");
    let written = wirewait(&["report", "--summary", text(&summary), DEMO]);
    assert_eq!(written.status.code(), Some(0));
    let error = refused(&["report", text(&summary)], 1);
    assert!(error.contains("wirewait merge "), "{error}");
}

#[test]
fn a_link_speed_without_a_unit() {
    let error = refused(&["report", "--link-speed", "1000", DEMO], 2);
    assert!(
        error.contains("1000M (Mbit/s), 1000k (kbit/s) or 1000b (bit/s)"),
        "{error}"
    );
    assert_eq!(
        wirewait(&["report", "--link-speed", "1000M", DEMO])
            .status
            .code(),
        Some(0)
    );
}

#[test]
fn a_symptom_behind_explain() {
    let joined = wirewait(&["report", DEMO, "--explain", "slow_server"]);
    let known = wirewait(&["report", DEMO, "--explain=slow_server"]);
    assert_eq!(joined.status.code(), Some(0));
    assert_eq!(joined.stdout, known.stdout);
    let error = refused(&["report", DEMO, "--explain", "slow_srver"], 2);
    assert!(error.contains("did you mean slow_server?"), "{error}");
    // A file behind it stays a file.
    let all = wirewait(&["report", "--explain", DEMO]);
    assert_eq!(all.status.code(), Some(0));
}

#[test]
fn an_empty_capture() {
    // A pcap header, and no frame.
    let mut header = vec![0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0];
    header.extend([0; 8]);
    header.extend([0, 0, 4, 0, 1, 0, 0, 0]);
    let empty = file("empty.pcap", &header);
    let output = wirewait(&["report", text(&empty)]);
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(
        error.contains("has no frames") && error.contains("wirewait live"),
        "{error}"
    );
    let output = wirewait(&["decode", text(&empty)]);
    assert_eq!(output.status.code(), Some(0));
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("has no frames"), "{error}");
    let output = wirewait(&["report", "--filter", "port 9", DEMO]);
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("none of the 2,702 frames"), "{error}");
}

#[test]
fn the_name_of_the_output_decides_the_format() {
    for (name, begins) in [
        ("x.html", "<!DOCTYPE html>"),
        ("x.json", "{"),
        ("x.csv", "section,"),
    ] {
        let path = file(name, b"");
        let output = wirewait(&["report", DEMO, "-o", text(&path)]);
        assert_eq!(output.status.code(), Some(0), "{name}");
        let written = std::fs::read_to_string(&path).unwrap();
        assert!(written.starts_with(begins), "{name}: {}", &written[..40]);
    }
    let path = file("named.html", b"");
    let output = wirewait(&["report", "--format", "json", DEMO, "-o", text(&path)]);
    assert_eq!(output.status.code(), Some(0), "what is named holds");
    assert!(std::fs::read_to_string(&path).unwrap().starts_with('{'));
    let path = file("compared.html", b"");
    let output = wirewait(&[
        "compare",
        DEMO,
        "again=captures/demo.pcapng",
        "-o",
        text(&path),
    ]);
    assert_eq!(output.status.code(), Some(0), "a comparison is a page, too");
    let page = std::fs::read_to_string(&path).unwrap();
    let title = "<title>wirewait comparison: demo.pcapng, again</title>";
    assert!(
        page.starts_with("<!DOCTYPE html>") && page.contains(title),
        "{}",
        &page[..400]
    );
    let error = refused(&["transactions", DEMO, "-o", "x.html"], 2);
    assert!(error.contains("text, ndjson, csv"), "{error}");
}

#[test]
fn the_short_report_fits_one_screen() {
    let captures = support::all_captures("the_short_report", &[], 1 << 20);
    assert!(captures.len() > 50, "{}", captures.len());
    for capture in captures {
        let output = wirewait(&["report", "--short", text(&capture)]);
        let short = String::from_utf8(output.stdout).unwrap();
        let name = capture.file_name().unwrap().to_str().unwrap();
        assert!(short.lines().count() <= 22, "{name}:\n{short}");
        for line in short.lines().filter(|line| !line.contains(text(&capture))) {
            assert!(line.chars().count() <= 80, "{name}: {line}");
        }
    }
}

#[test]
fn precise_durations_have_all_digits() {
    let precise = String::from_utf8(wirewait(&["--precise", DEMO]).stdout).unwrap();
    let rounded = String::from_utf8(wirewait(&[DEMO]).stdout).unwrap();
    assert!(precise.contains("603.000 ms") && !rounded.contains("603.000 ms"));
    assert!(rounded.contains("603 ms"));
}

/// Durations in milliseconds with three digits or more behind the point.
fn long(text: &str) -> usize {
    let words: Vec<&str> = text.split_whitespace().collect();
    let pairs = words
        .windows(2)
        .filter(|pair| pair[1].trim_end_matches([':', ',', ';', ')']) == "ms");
    pairs
        .filter_map(|pair| pair[0].split_once('.'))
        .filter(|(_, behind)| behind.len() >= 3 && behind.bytes().all(|b| b.is_ascii_digit()))
        .count()
}

#[test]
fn every_text_has_three_digits_and_precise_ones() {
    let folder = Folder::new("digits");
    let sums = folder.join("sums.json");
    let sums_name = sums.to_str().unwrap().to_owned();
    assert!(
        wirewait(&["report", "--summary", &sums_name, "--short", DEMO])
            .status
            .success()
    );
    let commands: [&[&str]; 5] = [
        &["report", "--full", DEMO],
        &["transactions", DEMO],
        &["compare", DEMO, "again=captures/demo.pcapng"],
        &["merge", &sums_name],
        &[
            "counters",
            "--interval",
            "1500us",
            "captures/smb1/oplock-break.pcapng",
        ],
    ];
    for command in commands {
        let text = |more: &[&str]| {
            let output = wirewait(&[command, more].concat());
            String::from_utf8(output.stdout).unwrap()
        };
        let (rounded, precise) = (text(&[]), text(&["--precise"]));
        assert!(rounded.contains(" ms"), "{command:?}: {rounded}");
        assert_eq!(long(&rounded), 0, "{command:?}: {rounded}");
        assert!(long(&precise) > 0, "{command:?}: {precise}");
    }
}

/// A terminal of util-linux' `script` pages through $PAGER; a pipe, and --no-pager, do not.
#[cfg(target_os = "linux")]
#[test]
fn a_terminal_gets_a_pager() {
    let script = std::process::Command::new("script")
        .arg("--version")
        .output();
    if script.is_err() {
        assert!(
            std::env::var_os("WIREWAIT_REQUIRE_TMUX").is_none(),
            "there is no script(1)"
        );
        eprintln!("SKIPPED: a_terminal_gets_a_pager: no script(1)");
        return;
    }
    let paged = |options: &str| {
        let program = support::program();
        let name = program.get_program().to_str().unwrap().to_owned();
        let line = format!("{name} --full {options} {DEMO}");
        let mut terminal = std::process::Command::new("script");
        terminal.args(["-qec", &line, "/dev/null"]);
        terminal.current_dir(root()).stdin(Stdio::null());
        terminal
            .env("PAGER", "sed -e 's/^/paged: /'")
            .env("TERM", "xterm");
        terminal.env("XDG_CONFIG_HOME", support::NO_FOLDER);
        let output = terminal.output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let with = paged("");
    let lines = with
        .lines()
        .filter(|line| line.starts_with("paged: "))
        .count();
    assert!(lines > 100, "{lines}: {with}");
    assert!(!paged("--no-pager").contains("paged: "));
    let pipe = wirewait(&["--full", DEMO]);
    assert!(!String::from_utf8_lossy(&pipe.stdout).contains("paged: "));
}

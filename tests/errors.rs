//! Messages of what goes wrong: exit codes, what to do, and no numbers of the system's.

use crate::support::{self, command, root, text, wirewait};
use std::path::{Path, PathBuf};
use std::process::Output;

const DEMO: &str = "captures/demo.pcapng";

fn told(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// A folder of this name that the program may write to, with these files.
fn folder(name: &str, files: &[(&str, &[u8])]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("errors");
    support::shared_folder(&folder);
    let folder = folder.join(name);
    let _ = std::fs::remove_dir_all(&folder);
    support::shared_folder(&folder);
    for (name, content) in files {
        std::fs::write(folder.join(name), content).unwrap();
    }
    folder
}

/// What was typed wrong is 2; what cannot be read, and what the capture does not have, is 1.
#[test]
fn one_kind_of_mistake_has_one_exit_code() {
    let made = folder("codes", &[("hello.txt", b"hello\n")]);
    let hello = made.join("hello.txt");
    let (hello, made) = (text(&hello), text(&made));
    let pattern = format!("{made}/*.pcapng");
    let empty = folder("codes-empty", &[]);
    for (code, arguments) in [
        (1, &["report", "no-such-file"][..]),
        (1, &["report", text(&empty)]),
        (1, &["report", made]),
        (1, &["report", DEMO, "--symptom-texts", hello]),
        (1, &["report", DEMO, "--symptom-texts", "no-such-file"]),
        (1, &["report", DEMO, "--last-profile", hello]),
        (1, &["report", DEMO, "--last-profile", "no-such-file"]),
        (1, &["report", "--files-from", "no-such-file"]),
        (1, &["merge", "no-such-file"]),
        (1, &["merge", hello]),
        (1, &["decode", DEMO, "-F", "999999"]),
        (1, &["decode", DEMO, "--transaction", "999999"]),
        (
            1,
            &["report", DEMO, "--format", "json", "--conversation", "999"],
        ),
        (2, &["report", &pattern]),
        (2, &["report", DEMO, "--explain=foo"]),
        (2, &["report", DEMO, "--threshold", "foo=1"]),
        (2, &["report", DEMO, "--limit", "foo=1"]),
        (2, &["report", DEMO, "--no-such-option"]),
        (2, &["protocols", "foo"]),
        (2, &["decode", DEMO, "--select", "foo"]),
        (2, &["decode", DEMO, "--show", "foo.bar == 1"]),
        (2, &["decode", DEMO, "-F", "0"]),
        (2, &["decode", DEMO, "--transaction", "0"]),
        (
            2,
            &["report", DEMO, "--format", "json", "--conversation", "0"],
        ),
        (2, &["report", DEMO, "--full", "--short"]),
    ] {
        let output = wirewait(arguments);
        let told = told(&output);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {told}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
        assert!(!told.contains("os error"), "{arguments:?}: {told}");
    }
}

#[test]
fn a_file_that_cannot_be_opened_or_written_says_what_to_do() {
    for arguments in [
        &["report", "no-such-file"][..],
        &["merge", "no-such-file"],
        &["report", DEMO, "--last-profile", "no-such-file"],
        &["report", DEMO, "--symptom-texts", "no-such-file"],
        &["report", DEMO, "--config", "no-such-file"],
    ] {
        let told = told(&wirewait(arguments));
        let says = "wirewait: no-such-file: cannot be opened: No such file or directory; check its \
                    name and folder\n";
        assert_eq!(told, says, "{arguments:?}");
    }
    let output = wirewait(&["report", DEMO, "-o", "no/folder/x.json"]);
    let says = "wirewait: cannot write to no/folder/x.json: No such file or directory; make the \
                folder no/folder\n";
    assert_eq!(told(&output), says);
    let folder = folder("written", &[]);
    let output = wirewait(&["report", DEMO, "-o", text(&folder)]);
    assert!(told(&output).ends_with("Is a directory; name another file\n"));
}

#[cfg(target_os = "linux")]
#[test]
fn help_that_cannot_be_written_is_a_failure() {
    for arguments in [
        &["--help"][..],
        &["--version"],
        &["help", "report"],
        &["report", "-h"],
    ] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full");
        let output = command(arguments).stdout(full.unwrap()).output().unwrap();
        let told = told(&output);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {told}");
        assert!(
            told.contains("No space left on device; free some space"),
            "{told}"
        );
    }
    let output = wirewait(&["help", "--help"]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(output.stdout, wirewait(&["--help"]).stdout);
}

#[test]
fn a_folder_without_a_capture_names_what_was_looked_at() {
    let files: Vec<String> = (0..5).map(|number| format!("{number}.txt")).collect();
    let files: Vec<(&str, &[u8])> = files
        .iter()
        .map(|f| (f.as_str(), &b"hello\n"[..]))
        .collect();
    let folder = folder("none", &files);
    let told = told(&wirewait(&["report", text(&folder)]));
    let says = "no capture in this folder; 5 files were looked at, none is a capture that can be \
                read: 0.txt, 1.txt, 2.txt, 2 more; ";
    assert!(told.contains(says), "{told}");
    // Of captures that are each their own, each says why it is none.
    let each = wirewait(&["report", "--parallel", "2", text(&folder)]);
    assert_eq!(
        String::from_utf8_lossy(&each.stderr)
            .matches("a text file")
            .count(),
        5
    );
}

#[test]
fn an_unknown_name_leads_to_those_that_are_known() {
    for (arguments, says) in [
        (
            &["report", DEMO, "--explain=foo"][..],
            "there is no symptom foo; names are ",
        ),
        (
            &["report", DEMO, "--explain=slow_servr"],
            "did you mean slow_server?",
        ),
        (
            &["report", DEMO, "--threshold", "foo=1"],
            "`wirewait --print-config` lists all of them",
        ),
        (
            &["report", DEMO, "--threshold", "slow_anser_ms=1"],
            "did you mean slow_answer_ms?",
        ),
        (
            &["protocols", "foo"],
            "`wirewait protocols` lists all of them",
        ),
    ] {
        let told = told(&wirewait(arguments));
        assert!(told.contains(says), "{arguments:?}: {told}");
    }
}

#[test]
fn an_ending_that_no_format_has_is_refused() {
    let folder = folder("endings", &[]);
    let written = |command: &str, name: &str| {
        let file = folder.join(name);
        let output = wirewait(&[command, DEMO, "-o", text(&file)]);
        (output.status.code(), told(&output), file.exists())
    };
    for (command, name, says) in [
        (
            "report",
            "x.docx",
            "endings are .html, .htm, .json, .csv, .pcapng, .txt",
        ),
        (
            "report",
            "x.pcap",
            "captures are written as pcapng: name it .pcapng",
        ),
        (
            "decode",
            "x.pcap",
            "captures are written by `wirewait live --save FILE.pcapng`",
        ),
        ("merge", "x.xml", "endings are .json, .txt"),
    ] {
        let (code, told, is_there) = written(command, name);
        assert_eq!(code, Some(2), "{name}: {told}");
        assert!(told.contains(says), "{name}: {told}");
        let usage = format!("Usage: wirewait {command} ");
        assert!(told.contains(&usage), "{name}: {told}");
        assert!(!is_there, "{name}");
    }
    for name in ["x", "x.txt", "x.TXT"] {
        let (code, told, is_there) = written("report", name);
        assert_eq!((code, is_there), (Some(0), true), "{name}: {told}");
        assert!(
            std::fs::read_to_string(folder.join(name))
                .unwrap()
                .starts_with("Server: ")
        );
    }
    let file = folder.join("x.docx");
    let output = wirewait(&["report", DEMO, "--format", "json", "-o", text(&file)]);
    assert_eq!(output.status.code(), Some(0), "what is named holds");
    let output = wirewait(&["report", DEMO, "--since", "60", "--until", "30"]);
    assert!(
        told(&output).contains("Usage: wirewait report "),
        "{}",
        told(&output)
    );
}

#[test]
fn small_mistakes_are_named() {
    let with = |name: &str, value: &str| {
        let mut command = command(&["report", "--short", DEMO]);
        told(&command.env(name, value).output().unwrap())
    };
    assert_eq!(
        with("WIREWAIT_LINK_SPED", "1G"),
        "wirewait: warning: WIREWAIT_LINK_SPED sets nothing; did you mean WIREWAIT_LINK_SPEED?\n"
    );
    assert_eq!(with("WIREWAIT_SOMETHING_ELSE", "1"), "");
    let begun = folder("begun", &[("x.pcapng", b"\n\r\r\n")]).join("x.pcapng");
    let told_of = told(&wirewait(&["report", text(&begun)]));
    assert!(
        told_of.contains("cut off before its first frame"),
        "{told_of}"
    );
    let output = wirewait(&["counters", "--interval", "1ns", DEMO]);
    let counters = String::from_utf8(output.stdout).unwrap();
    assert!(counters.contains("in intervals of 1 ns: "), "{counters}");
}

/// Where it is wrong is where it would be in the unpacked file.
#[test]
fn a_position_in_a_compressed_capture_says_what_it_counts() {
    let whole = std::fs::read(root().join(DEMO)).unwrap();
    // Stored as it is (RFC 1951, 3.2.4), and cut off inside the block.
    let header = [
        0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0, 0x60, 0xea, 0x9f, 0x15,
    ];
    let packed = [&header, &whole[..20_000]].concat();
    let cut = folder("cut", &[("x.gz", packed.as_slice())]).join("x.gz");
    let output = wirewait(&["report", "--short", text(&cut)]);
    let told = told(&output);
    assert_eq!(output.status.code(), Some(3), "{told}");
    assert!(
        told.contains("; position in the unpacked data (at byte "),
        "{told}"
    );
}

#[cfg(feature = "libpcap")]
#[test]
fn live_capture_refuses_what_files_refuse() {
    let display = ["live", "-i", "no-such-interface", "-f", "tcp.port == 445"];
    let output = wirewait(&display);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        told(&output).contains("here: tcp port 445 (pcap-filter syntax)"),
        "{}",
        told(&output)
    );
    for (address, instead) in [
        ("127.0.0.1", "127.0.0.1:9464"),
        ("::1", "[::1]:9464"),
        ("x", "127.0.0.1:9464"),
    ] {
        let output = wirewait(&["live", "--listen", address]);
        let told = told(&output);
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(
            told.contains(&format!("write an IP address and a port: {instead}")),
            "{told}"
        );
    }
}

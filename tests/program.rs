//! The program as a user meets it: output, exit codes, errors.

use crate::support::{root, text, wirewait};
use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// A file of this name and content, in a folder of this test's own.
fn file(test: &str, name: &str, content: &[u8]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join(name);
    std::fs::write(&path, content).unwrap();
    path
}

const DEMO: &str = "captures/demo.pcapng";

#[test]
fn a_file_alone_means_its_report() {
    let alone = wirewait(&[DEMO]);
    let report = wirewait(&["report", DEMO]);
    assert_eq!(alone.status.code(), Some(0));
    assert_eq!(stdout(&alone), stdout(&report));
    assert_eq!(stderr(&alone), "", "progress and talk are for terminals");
    for line in [
        "quality      good",
        "Server 10.0.0.8, smb2 over tcp",
        "READ FROM A FILE",
    ] {
        assert!(stdout(&alone).contains(line), "{line}");
    }
}

#[test]
fn the_report_as_json_has_the_names_of_the_contract() {
    let output = wirewait(&["report", "--format", "json", DEMO]);
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    for name in [
        "schema",
        "capture",
        "protocols",
        "segment",
        "servers",
        "stations",
        "slowest",
        "excluded",
    ] {
        assert!(json.get(name).is_some(), "{name}");
    }
    let slow = json["servers"]
        .as_array()
        .unwrap()
        .iter()
        .find(|row| row["server"] == "10.0.0.8" && row["command"] == "READ")
        .unwrap();
    assert_eq!(slow["turnaround"]["max_ns"], 250_000_000);
    assert_eq!(json["protocols"]["ncp"], 1106);
}

#[test]
fn a_transaction_has_the_fields_of_the_contract_in_their_order() {
    let output = wirewait(&[
        "transactions",
        "--format",
        "ndjson",
        "captures/ncp/retransmitted.pcapng",
    ]);
    let line = stdout(&output);
    let names: Vec<&str> = line
        .trim_start_matches('{')
        .split(",\"")
        .filter_map(|part| part.trim_start_matches('"').split("\":").next())
        .collect();
    let contract = [
        "protocol",
        "carrier",
        "client",
        "server",
        "conversation",
        "command",
        "function",
        "subfunction",
        "kind",
        "outcome",
        "status",
        "ok",
        "request_first_frame",
        "request_last_frame",
        "response_first_frame",
        "response_last_frame",
        "request_time",
        "turnaround_ns",
        "turnaround_bounds_ns",
        "response_time_ns",
        "request_transfer_ns",
        "response_transfer_ns",
        "copies",
        "interims",
        "first_interim_ns",
        "data_bytes",
        "request_bytes",
        "response_bytes",
        "frames",
    ];
    assert_eq!(&names[..contract.len()], contract);
    let row: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(row["turnaround_ns"], Value::Null);
    assert_eq!(
        row["turnaround_bounds_ns"],
        serde_json::json!([100_000_000, 600_000_000])
    );
    assert_eq!(row["request_time"], "1999-03-01T09:00:00.000000000Z");
    assert_eq!(row["hops"], 0);
    assert_eq!(row["flags"], serde_json::json!(["ambiguous"]));
}

#[test]
fn csv_and_text_have_a_row_per_transaction() {
    let rows = |format| {
        let output = wirewait(&[
            "transactions",
            "--format",
            format,
            "captures/ncp/session.pcapng",
        ]);
        assert_eq!(output.status.code(), Some(0));
        stdout(&output).lines().count()
    };
    assert_eq!((rows("csv"), rows("text"), rows("ndjson")), (13, 13, 12));
}

#[test]
fn decode_shows_the_frames_asked_for() {
    let output = wirewait(&["decode", "captures/ncp/retransmitted.pcapng", "-F", "2-3"]);
    let text = stdout(&output);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 2);
    assert!(
        lines[0].trim_start().starts_with('2') && lines[0].contains("READ FROM A FILE"),
        "{text}"
    );
    assert!(lines[1].contains("R ok"), "{text}");
}

#[test]
fn decode_shows_the_frames_of_a_transaction_and_what_they_did() {
    let capture = "captures/nbf/write.pcapng";
    let rows = wirewait(&["transactions", "--format", "ndjson", capture]);
    let write = stdout(&rows)
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .find(|row| row["command"] == "WRITE_ANDX")
        .unwrap();
    let number = write["transaction"].to_string();
    let output = wirewait(&["decode", capture, "--transaction", &number]);
    let text = stdout(&output);
    let roles: Vec<(&str, &str)> = text
        .lines()
        .map(|line| {
            let mut words = line.split_whitespace();
            (words.next().unwrap(), words.nth(1).unwrap())
        })
        .collect();
    // As captures/nbf/write.scenario plays it: three frames, acknowledged twice.
    assert_eq!(
        roles,
        [
            ("11", "request"),
            ("12", "request"),
            ("13", "ack"),
            ("14", "request"),
            ("15", "response"),
            ("16", "ack"),
        ]
    );
    let output = wirewait(&["decode", capture, "--transaction", "99"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr(&output).contains("the capture has 3"),
        "{}",
        stderr(&output)
    );
    let output = wirewait(&["decode", "-", "--transaction", "1"]);
    assert_eq!(output.status.code(), Some(2));
    let output = wirewait(&["decode", capture, "-F", "1,3-4", "-F", "16"]);
    assert_eq!(stdout(&output).lines().count(), 4);
}

#[test]
fn decode_shows_the_frames_that_fit() {
    let lines = |show: &str| {
        let output = wirewait(&["decode", "captures/nbf/write.pcapng", "--show", show]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let text = stdout(&output);
        let numbers = text
            .lines()
            .map(|l| l.split_whitespace().next().unwrap().to_owned());
        numbers.collect::<Vec<_>>()
    };
    // Frame 12 carries the middle of the request, and says so only by its NBF header.
    assert_eq!(lines("smb1"), ["11", "14", "15"]);
    assert_eq!(lines("netbeui and not smb1"), ["1", "2", "7", "9", "12"]);
    assert_eq!(
        lines("command write_* and src 00-00-1b-00-00-01"),
        ["11", "14"]
    );
    assert_eq!(lines("host 00-00-1b-00-00-09 and not nbf").len(), 8);
    let output = wirewait(&["decode", DEMO, "--show", "smb2 and (ncp"]);
    assert_eq!(output.status.code(), Some(2));
    let expected = "wirewait: --show: column 14: ) should stand here, for the ( in column 10\n  \
                    smb2 and (ncp\n               ^\n";
    assert_eq!(stderr(&output), expected);
}

#[test]
fn decode_marks_what_is_selected() {
    let arguments = [
        "decode",
        "captures/ncp/over-udp.pcapng",
        "-F",
        "3",
        "--select",
    ];
    let with = |selector| wirewait(&[&arguments[..], &[selector]].concat());
    let text = stdout(&with("udp.source port"));
    assert!(text.contains("\n>        34-35"), "{text}");
    assert!(text.contains("[04 01]"), "{text}");
    let output = with("udp.no such field");
    assert!(
        stderr(&output).contains("no frame that was shown"),
        "{}",
        stderr(&output)
    );
    assert_eq!(with("nonsense.x").status.code(), Some(2));
}

#[test]
fn standard_input_gives_what_the_file_gives() {
    let bytes = std::fs::read(root().join(DEMO)).unwrap();
    let mut child = crate::support::program()
        .args(["transactions", "--format", "ndjson", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || {
        for chunk in bytes.chunks(777) {
            stdin.write_all(chunk).unwrap();
        }
    });
    let piped = child.wait_with_output().unwrap();
    writer.join().unwrap();
    let named = wirewait(&["transactions", "--format", "ndjson", DEMO]);
    // But for the name of the file.
    let file = |name: &str| format!("\"file\":\"{name}\"");
    let piped = String::from_utf8(piped.stdout).unwrap();
    assert!(piped.contains(&file("standard input")));
    let piped = piped.replace(&file("standard input"), &file(DEMO));
    assert_eq!(piped, stdout(&named));
}

#[test]
fn a_damaged_capture_is_reported_as_far_as_it_goes() {
    let whole = std::fs::read(root().join("captures/ncp/retransmitted.pcapng")).unwrap();
    let cut = file("damaged", "cut.pcapng", &whole[..whole.len() - 7]);
    let output = wirewait(&["report", text(&cut)]);
    assert_eq!(output.status.code(), Some(3));
    assert!(stdout(&output).contains("READ FROM A FILE"));
    let warning = stderr(&output);
    assert!(
        warning.contains("cut.pcapng") && warning.contains("byte"),
        "{warning}"
    );
}

#[test]
fn what_cannot_be_read_is_one_clear_line() {
    let empty = file("unreadable", "empty", b"");
    let noise = file("unreadable", "noise", &[0x42; 4096]);
    for (name, says) in [
        ("no/such/file", "no/such/file"),
        (text(&empty), "empty"),
        (text(&noise), "not a capture file"),
    ] {
        let output = wirewait(&["report", name]);
        let error = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{name}: {error}");
        assert_eq!(stdout(&output), "", "{name}");
        assert_eq!(error.lines().count(), 1, "{error}");
        assert!(
            error.starts_with("wirewait: ") && error.contains(says),
            "{error}"
        );
    }
}

#[test]
fn wrong_usage_is_exit_code_2() {
    for arguments in [
        &[][..],
        &["report"],
        &["report", "--format", "yaml", DEMO],
        &["decode", DEMO, "-F", "9-3"],
    ] {
        let output = wirewait(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(!output.stderr.is_empty() || !output.stdout.is_empty());
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let mut child = crate::support::program()
        .args(["transactions", "--format", "ndjson", DEMO])
        .current_dir(root())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(stderr(&output), "");
}

#[test]
fn protocols_lists_every_dissector() {
    let output = wirewait(&["protocols"]);
    let text = stdout(&output);
    for dissector in wirewait_dissectors::ALL {
        assert!(text.contains(dissector.name), "{}", dissector.name);
    }
    let json: Value =
        serde_json::from_slice(&wirewait(&["protocols", "--format", "json"]).stdout).unwrap();
    assert!(json.is_array() || json.is_object());
}

#[test]
fn protocols_are_found_by_what_people_call_them() {
    for (word, name) in [
        ("NetBEUI", "nbf"),
        ("netbios frames", "nbf"),
        ("NetWare", "ncp"),
        ("CIFS", "smb1"),
        ("PATHWORKS", "smb1"),
        ("LAN Manager", "smb1"),
        ("3+Open", "smb1"),
        ("XNS", "ipx"),
        ("NWLink", "nbipx"),
        ("WINS", "nbns"),
    ] {
        let output = wirewait(&["protocols", "--format", "json", word]);
        let json: Value = serde_json::from_slice(&output.stdout).unwrap();
        let names: Vec<&str> = json
            .as_array()
            .unwrap()
            .iter()
            .map(|row| row["name"].as_str().unwrap())
            .collect();
        assert!(names.contains(&name), "{word}: {names:?}");
    }
    let output = wirewait(&["protocols", "gopher"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("gopher"), "{}", stderr(&output));
}

#[test]
fn a_filter_and_a_time_choose_frames_and_keep_their_numbers() {
    let first_frame = |arguments: &[&str]| {
        let output = wirewait(arguments);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let rows: Vec<Value> = stdout(&output)
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let first = rows
            .iter()
            .filter_map(|row| row["request_first_frame"].as_u64());
        (first.min().unwrap(), rows.len())
    };
    let whole = wirewait(&["transactions", "--format", "ndjson", DEMO]);
    let whole = stdout(&whole).lines().count();
    let (late, rows) = first_frame(&["transactions", "--format", "ndjson", "--since", "40", DEMO]);
    assert!(late > 500 && rows > 100 && rows < whole, "{late} {rows}");
    let (_, rows) = first_frame(&[
        "transactions",
        "--format",
        "ndjson",
        "--filter",
        "host 10.0.0.9",
        DEMO,
    ]);
    assert!(rows > 100 && rows < whole, "{rows}");
}

#[test]
fn private_output_names_no_user_share_or_file() {
    let capture = "captures/smb1/session.pcapng";
    for (command, format) in [
        ("report", "text"),
        ("report", "json"),
        ("transactions", "text"),
        ("transactions", "ndjson"),
        ("transactions", "csv"),
    ] {
        let open = stdout(&wirewait(&[command, "--format", format, capture]));
        let private = stdout(&wirewait(&[
            command,
            "--private",
            "--format",
            format,
            capture,
        ]));
        for (name, number) in [("LEDGER.DAT", "file-1"), ("ANNA", "user-1")] {
            let shown = name == "LEDGER.DAT" || format != "text" || command == "report";
            assert_eq!(open.contains(name), shown, "{command} {format}\n{open}");
            assert!(!private.contains(name), "{command} {format}");
            assert_eq!(
                private.contains(number),
                shown,
                "{command} {format}\n{private}"
            );
        }
    }
}

#[test]
fn a_link_that_is_more_than_full_has_another_speed() {
    let said = |speed: &[&str]| {
        let output = wirewait(&[&["report", "--short"], speed, &[DEMO]].concat());
        let text = stdout(&output);
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let slow = said(&["--link-speed", "100k"]);
    let wrong =
        "busy in a second: its speed or duplex mode (--link-speed, --duplex) cannot be right.";
    assert!(slow.contains(wrong), "{slow}");
    let fast = said(&["--link-speed", "100M"]);
    assert!(
        fast.contains("No link was more than") && !fast.contains(wrong),
        "{fast}"
    );
}

/// Also where frames are shown in words; and what would write the frames themselves is refused.
#[test]
fn private_output_hides_what_frames_say() {
    let capture = "captures/smb1/session.pcapng";
    let names = ["LEDGER.DAT", "ANNA"];
    let mut named = 0;
    for arguments in [
        &["report", "--format", "html"][..],
        &["report", "--format", "json", "--conversation", "1"],
        &["report", "--format", "csv"],
        &["counters", "--format", "json"],
        &["compare", "--format", "json", capture],
    ] {
        let open = stdout(&wirewait(&[arguments, &[capture]].concat()));
        named += usize::from(open.contains(names[0]));
        let private = wirewait(&[arguments, &["--private", capture]].concat());
        let private = stdout(&private);
        assert!(private.len() > 500, "{arguments:?}");
        for name in names {
            assert!(!private.contains(name), "{arguments:?}: {name}");
        }
    }
    assert!(named >= 2, "{named}");
    let frames = wirewait(&["report", "--private", "--format", "pcapng", capture]);
    assert_eq!(frames.status.code(), Some(2));
    assert!(stderr(&frames).contains("whose frames have the names"));
}

const LAST: &str = "captures/last/calibration.pcapng";

/// What is invented of LAST in this capture is found again, where the invention put it
/// (`dev/synth/src/last.rs`), and can be used.
#[test]
fn positions_of_last_are_derived_and_used() {
    let output = wirewait(&["last-calibrate", LAST]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let table = stdout(&output);
    let row = |message: &str, field: &str| {
        let start = [
            format!("last, {message}, {field}, "),
            format!("bmp, {message}, {field}, "),
        ];
        let found = table
            .lines()
            .find(|line| start.iter().any(|start| line.starts_with(start.as_str())));
        let found = found.unwrap_or_else(|| panic!("{message} {field}\n{table}"));
        let cells: Vec<&str> = found.splitn(9, ',').map(str::trim).collect();
        (
            cells[3].to_owned(),
            cells[4].to_owned(),
            cells[7].to_owned(),
        )
    };
    let at = |offset: &str, bits: &str, sure: &str| {
        (offset.to_owned(), bits.to_owned(), sure.to_owned())
    };
    // Confirmed is what can be read in no other way, and here nothing is: no message has 2048 bytes,
    // and one client was seen, whose numbers stay below 256.
    for (message, field, offset, bits, sure) in [
        ("any", "length", "0", "16", "assumed"),
        ("request", "kind", "2", "8", "assumed"),
        ("request", "receiver", "4", "16", "assumed"),
        ("response", "sender", "6", "16", "assumed"),
        ("request", "sequence", "10", "8", "assumed"),
        ("response", "transaction", "14", "8", "assumed"),
        ("request", "segment", "12", "8", "assumed"),
        ("response", "segment", "12", "8", "assumed"),
    ] {
        assert_eq!(row(message, field), at(offset, bits, sure), "{field}");
    }
    for says in [
        "3 copies of requests",
        "bytes 8 to 9 are 01 00 in all messages",
        "changes places with the other end in all",
        "(frames ",
        "; one client was seen: whose number it is does not show",
        "; it did not count beyond 255: bytes beside it may be its high ones",
        "; its bits 6, 11 to 15 never changed: they may be another field",
    ] {
        assert!(table.contains(says), "{says}\n{table}");
    }

    let profile = file("last", "derived.csv", table.as_bytes());
    let shown = wirewait(&[
        "decode",
        "-d",
        "-F",
        "3",
        LAST,
        "--last-profile",
        text(&profile),
    ]);
    assert_eq!(shown.status.code(), Some(0), "{}", stderr(&shown));
    let shown = stdout(&shown);
    for says in ["transaction", "sequence", "receiver", "assumed"] {
        assert!(shown.contains(says), "{says}\n{shown}");
    }
    let built_in = stdout(&wirewait(&["decode", "-d", "-F", "3", LAST]));
    assert!(
        !built_in.contains("receiver") && built_in.contains("Not known"),
        "{built_in}"
    );
    // What is assumed changes no figure.
    for command in ["report", "transactions"] {
        let with = wirewait(&[command, LAST, "--last-profile", text(&profile)]);
        assert_eq!(stdout(&with), stdout(&wirewait(&[command, LAST])));
    }
}

/// Figures by identifiers are the same in all commands, and by turn they come with a doubt.
#[test]
fn roles_of_last_are_guessed_or_known() {
    const FILE: &str = "captures/last/outstanding.pcapng";
    const TABLE: &str = "dev/synth/last.csv";
    let report = |more: &[&str]| -> serde_json::Value {
        let arguments = [&["report", FILE, "--format", "json"], more].concat();
        serde_json::from_str(&stdout(&wirewait(&arguments))).unwrap()
    };
    let guessed = |report: &serde_json::Value| {
        let reasons = report["capture"]["quality"]["reasons"].as_array().unwrap();
        let found = reasons.iter().find(|r| r["name"] == "guessed_roles");
        found.map(|found| (found["count"].clone(), found["grade"].clone()))
    };
    let by_turn = report(&[]);
    assert_eq!(guessed(&by_turn), Some((5.into(), "fair".into())));
    assert_eq!(by_turn["capture"]["quality"]["grade"], "fair");
    let named = report(&["--last-profile", TABLE]);
    assert_eq!(guessed(&named), None);
    // Nobody has published what that means.
    assert_eq!(named["capture"]["quality"]["grade"], "fair");
    let reasons = named["capture"]["quality"]["reasons"].as_array().unwrap();
    let unpublished = reasons.iter().find(|r| r["name"] == "unpublished");
    assert_eq!(unpublished.map(|r| &r["count"]), Some(&8.into()));
    let rows = |more: &[&str]| {
        let arguments = [&["transactions", FILE, "--format", "ndjson"], more].concat();
        stdout(&wirewait(&arguments)).lines().count()
    };
    assert_eq!((rows(&[]), rows(&["--last-profile", TABLE])), (7, 8));
    let said = stdout(&wirewait(&["report", FILE]));
    assert!(said.contains("guessed by turn"), "{said}");
    // Frame 4 answers what frame 1 asked, 10 ms before.
    let shown = stdout(&wirewait(&[
        "decode",
        "--transaction",
        "1",
        FILE,
        "--last-profile",
        TABLE,
    ]));
    assert_eq!(shown.lines().count(), 2, "{shown}");
    let counted = |more: &[&str]| {
        let arguments = [&["counters", FILE, "--format", "json"], more].concat();
        stdout(&wirewait(&arguments))
    };
    assert_ne!(counted(&[]), counted(&["--last-profile", TABLE]));
    let compared = wirewait(&[
        "compare",
        FILE,
        FILE,
        "--last-profile",
        TABLE,
        "--format",
        "json",
    ]);
    assert_eq!(compared.status.code(), Some(0), "{}", stderr(&compared));
}

#[test]
fn a_table_that_is_none_is_refused_with_its_place() {
    let bad = file(
        "last",
        "bad.csv",
        b"# a table\nlast, any, x, 0, 7, le, -, assumed, me\n",
    );
    for (command, input) in [
        ("report", LAST),
        ("transactions", LAST),
        ("decode", LAST),
        ("live", "-"),
    ] {
        let output = wirewait(&[command, input, "--last-profile", text(&bad)]);
        assert_eq!(output.status.code(), Some(1), "{command}");
        let says = stderr(&output);
        assert!(
            says.contains("bad.csv:2:18: bits: fields have whole bytes"),
            "{says}"
        );
        assert_eq!(stdout(&output), "");
    }
    let none = wirewait(&["last-calibrate", DEMO]);
    assert_eq!(none.status.code(), Some(1));
    assert!(
        stderr(&none).contains("no message of DEC LAST"),
        "{}",
        stderr(&none)
    );
}

//! `wirewait counters`, judged by readers of its formats that are not ours.

use crate::support::{captures, files, root};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn counters(capture: &Path, arguments: &[&str]) -> Vec<u8> {
    let output = crate::support::program()
        .arg("counters")
        .arg(capture)
        .args(arguments)
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {told}", capture.display());
    output.stdout
}

/// What this program of Python prints of a `document` that is as the schema of this name says;
/// `None`, with a loud word, where no validator is installed.
pub(crate) fn validated(test: &str, schema: &str, then: &str, document: &[u8]) -> Option<String> {
    let schema = root().join(format!("schemas/{schema}.schema.json"));
    let program = format!(
        "import json, sys, jsonschema\n\
         schema = json.load(open({schema:?}))\n\
         jsonschema.Draft202012Validator.check_schema(schema)\n\
         document = json.load(sys.stdin)\n\
         jsonschema.Draft202012Validator(schema).validate(document)\n\
         {then}"
    );
    python(test, &["json", "jsonschema"], &program, document)
}

/// Runs a program of Python on this input; `None`, with a loud word, where a module is missing.
pub(crate) fn python(test: &str, modules: &[&str], program: &str, input: &[u8]) -> Option<String> {
    let imports = format!("import {}", modules.join(", "));
    let there = Command::new("python3").args(["-c", &imports]).output();
    if !there.is_ok_and(|output| output.status.success()) {
        eprintln!("SKIPPED: {test}: no python3 with {}", modules.join(" and "));
        return None;
    }
    let mut child = Command::new("python3")
        .args(["-c", program])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    let output = child.wait_with_output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}");
    Some(String::from_utf8(output.stdout).unwrap())
}

fn some_captures() -> Vec<PathBuf> {
    [
        "demo",
        "nbf/link-upkeep",
        "nbf/example",
        "spx/spx2",
        "nbipx/session",
        "smb2/session",
    ]
    .map(|name| root().join("captures").join(name).with_extension("pcapng"))
    .to_vec()
}

#[test]
fn json_is_as_its_schema_says() {
    let then = "n = len(document['times'])\n\
         rows = document['instances']\n\
         assert all(len(c['values']) == n for r in rows for c in r['counters'])\n\
         print(len(rows))";
    for capture in some_captures() {
        let document = counters(&capture, &["--format", "json"]);
        let test = "json_is_as_its_schema_says";
        let Some(rows) = validated(test, "counters", then, &document) else {
            return;
        };
        assert!(rows.trim().parse::<u32>().unwrap() > 0, "{rows}");
    }
}

/// What perfmon-mcp makes of the log that `relog` writes: a time, and for each path host,
/// object, instance, counter. It is not on the package index: `docs/decisions/0013-counters.md`
/// says where it is.
#[test]
fn pdh_csv_is_read_by_others() {
    let program = "\
        import pathlib, sys, tempfile\n\
        from perfmon_mcp.parsing.relog import parse_relog_csv\n\
        file = pathlib.Path(tempfile.mkdtemp()) / 'log.csv'\n\
        file.write_bytes(sys.stdin.buffer.read())\n\
        table = parse_relog_csv(file)\n\
        assert table.Timestamp.notna().all()\n\
        one = table[(table.Object == 'NetBEUI') & (table.Counter == 'Packets Received/sec')]\n\
        one = one[one.Hostname == '00-00-1B-00-00-01']\n\
        assert one.Timestamp.is_monotonic_increasing\n\
        print(one.Value.sum(), table.Object.nunique())";
    let capture = root().join("captures/nbf/link-upkeep.pcapng");
    let log = counters(&capture, &["--format", "pdh-csv"]);
    let modules = ["pandas", "perfmon_mcp.parsing.relog"];
    if let Some(found) = python("pdh_csv_is_read_by_others", &modules, program, &log) {
        // 15 of its 33 frames go to the client; the intervals are a second long. Objects:
        // segment, interface, NetBEUI, redirector, server, queues.
        assert_eq!(found.trim(), "15.0 6");
    }
}

/// The format without a reader of its own: quoted, as many values as names, times that rise.
#[test]
fn pdh_csv_is_a_table() {
    for capture in some_captures() {
        let log = String::from_utf8(counters(&capture, &["--format", "pdh-csv"])).unwrap();
        let mut lines = log.split_terminator("\r\n");
        let names: Vec<&str> = lines.next().unwrap().split("\",\"").collect();
        assert_eq!(names[0], "\"(PDH-CSV 4.0) (UTC)(0)");
        assert!(names[1..].iter().all(|name| name.starts_with(r"\\")));
        let mut distinct = names.clone();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(distinct.len(), names.len(), "no path twice");
        let mut last = String::new();
        for line in lines {
            assert!(line.starts_with('"') && line.ends_with('"'), "{line}");
            let values: Vec<&str> = line.trim_matches('"').split("\",\"").collect();
            assert_eq!(values.len(), names.len(), "{line}");
            assert!(values[0] > last.as_str(), "{} after {last}", values[0]);
            last = values[0].to_owned();
            let numbers = values[1..].iter();
            assert!(
                numbers
                    .clone()
                    .all(|v| *v == " " || v.parse::<f64>().is_ok())
            );
        }
    }
}

/// Real and lab captures, whatever is in them: sensible, and no number that is none.
#[test]
fn counters_of_all_captures_are_numbers() {
    let Some(folder) = captures("counters_of_all_captures_are_numbers") else {
        return;
    };
    let mut seen = 0;
    for part in ["real", "lab"] {
        for capture in files(&folder.join(part)) {
            let known = capture.extension().and_then(|e| e.to_str());
            let small = capture.metadata().is_ok_and(|data| data.len() < 2_000_000);
            if !matches!(known, Some("pcap" | "pcapng" | "cap")) || !small {
                continue;
            }
            let output = crate::support::program()
                .arg("counters")
                .arg(&capture)
                .args(["--interval", "1h"])
                .output()
                .unwrap();
            let shown = String::from_utf8(output.stdout).unwrap();
            let told = String::from_utf8_lossy(&output.stderr);
            let code = output.status.code();
            // Damaged captures are among them: 3.
            assert!(matches!(code, Some(0 | 3)), "{}: {told}", capture.display());
            assert!(!shown.contains("NaN") && !shown.contains("inf "), "{shown}");
            seen += 1;
        }
    }
    assert!(seen > 20, "only {seen}");
}

/// A frame a second between two stations for this long: all of their sums change all the time.
#[cfg(target_os = "linux")]
fn a_frame_each_second(seconds: u32) -> Vec<u8> {
    let mut file = Vec::new();
    let mut put = |numbers: &[u32]| file.extend(numbers.iter().flat_map(|n| n.to_le_bytes()));
    put(&[0xa1b2_c3d4, 0x0004_0002, 0, 0, 65_535, 1]);
    for second in 0..seconds {
        put(&[1_795_158_000 + second, 0, 60, 60]);
        // To 2.0.0.0.0.2 from 2.0.0.0.0.1 or back, and a type for experiments.
        let (to, from) = (1 + second % 2, 2 - second % 2);
        put(&[2, (to << 8) | 0x0002_0000, from << 24, 0x0000_b588]);
        put(&[0; 11]);
    }
    file
}

/// The most memory that this process had so far, KiB. `None` where it is over.
#[cfg(target_os = "linux")]
fn peak(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// The most memory that counters of this capture take, KiB, and the bytes they write. The program
/// lives as long as its input is open or its output unread, so that its figure can be had.
#[cfg(target_os = "linux")]
fn memory(capture: &[u8], format: &str) -> (u64, usize) {
    let mut child = crate::support::program()
        .args(["counters", "-", "--format", format])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(capture).unwrap();
    let mut most = peak(child.id()).unwrap();
    drop(input);
    let mut output = child.stdout.take().unwrap();
    let (mut bytes, mut length) = (vec![0; 1 << 16], 0);
    loop {
        let read = output.read(&mut bytes).unwrap();
        length += read;
        most = most.max(peak(child.id()).unwrap_or(0));
        if read == 0 {
            break;
        }
    }
    assert!(child.wait().unwrap().success());
    (most, length)
}

/// Ten times the time takes no more memory, though there is ten times as much to write.
#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_grow_with_the_time() {
    let (short, long) = (a_frame_each_second(20_000), a_frame_each_second(200_000));
    for format in ["text", "pdh-csv", "json"] {
        let (before, few) = memory(&short, format);
        let (after, many) = memory(&long, format);
        assert!(format == "text" || many > 9 * few, "{format}: {few} {many}");
        assert!(before > 1000, "{format}: {before} KiB?");
        assert!(
            after < before + 4 * 1024,
            "{format}: {before} KiB, then {after} KiB"
        );
    }
}

/// What does not fit memory needs a folder of temporary files; what does, does not.
#[cfg(target_os = "linux")]
#[test]
fn a_missing_folder_for_temporary_files_is_named_where_it_is_needed() {
    let of = |capture: &[u8]| {
        let mut child = crate::support::program()
            .args(["counters", "-", "--format", "csv"])
            .env("TMPDIR", "/nowhere/at/all")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(capture).unwrap();
        child.wait_with_output().unwrap()
    };
    let little = of(&a_frame_each_second(100));
    assert!(little.status.success());
    let much = of(&a_frame_each_second(30_000));
    let told = String::from_utf8(much.stderr).unwrap();
    assert_eq!(much.status.code(), Some(1), "{told}");
    let says = "wirewait: cannot write to a temporary file in /nowhere/at/all: No such file or";
    assert!(told.starts_with(says), "{told}");
    assert!(told.contains("name another folder in TMPDIR"), "{told}");
    assert!(much.stdout.is_empty());
}

/// What `counters` shows of each counter of this name: station, object, its total where it has
/// one, and the greatest value at any time where it has none.
fn shown(capture: &Path, interval: &str, counter: &str) -> Vec<(String, String, f64)> {
    let document = counters(capture, &["--format", "json", "--interval", interval]);
    let document: serde_json::Value = serde_json::from_slice(&document).unwrap();
    let mut found = Vec::new();
    for instance in document["instances"].as_array().unwrap() {
        let text = |key: &str| instance[key].as_str().unwrap().to_owned();
        let mut of = instance["counters"].as_array().unwrap().iter();
        let Some(of) = of.find(|of| of["counter"] == counter) else {
            continue;
        };
        let gauge = counter.starts_with("Current") || counter == "Server Sessions";
        let value = match of["total"].as_f64().filter(|_| !gauge) {
            Some(total) => total,
            None => {
                let values = of["values"].as_array().unwrap().iter();
                values
                    .filter_map(serde_json::Value::as_f64)
                    .fold(0.0, f64::max)
            }
        };
        found.push((text("station"), text("object"), value));
    }
    assert!(!found.is_empty(), "{}: {counter}", capture.display());
    found
}

/// The sum of what all stations show, in one object.
fn sum(capture: &Path, object: &str, counter: &str) -> f64 {
    let rows = shown(capture, "1h", counter).into_iter();
    rows.filter(|(_, of, _)| of == object)
        .map(|(.., value)| value)
        .sum()
}

/// `DATA_ONLY_LAST` with the flag "acknowledge with data allowed", and `DATA_ACK`, as tshark counts
/// them (`netbios.flags.ack_with_data`, `netbios.command`): none of 1416 messages, and 24 from each
/// side, of which 10 that come from the server are acknowledged by a `DATA_ACK`.
#[test]
fn piggyback_acknowledgements_are_those_of_messages_that_allow_it() {
    let Some(folder) = captures("piggyback_acknowledgements") else {
        return;
    };
    let strict = folder.join("lab/nbf1_llc2_smb1_3clients_srv.pcap");
    let free = folder.join("real/nbf_smb_dos-win98_netbeui-ipx-nbt.pcapng");
    for (capture, queued, alone) in [(strict, 0.0, 0.0), (free, 48.0, 10.0)] {
        let name = capture.display();
        let found = sum(&capture, "NetBEUI", "Piggyback Ack Queued/sec");
        assert_eq!(found, queued, "{name}");
        let found = sum(&capture, "NetBEUI", "Piggyback Ack Timeouts");
        assert_eq!(found, alone, "{name}");
    }
}

/// A client counts once, however many kinds of connections it has, and until they end. Addresses
/// that ask, as tshark lists them.
#[test]
fn current_clients_are_stations() {
    let Some(folder) = captures("current_clients_are_stations") else {
        return;
    };
    for (capture, clients) in [
        ("01_smb1_nt1_port139_records_1client_srv.pcap", 1.0),
        ("02_smb1_lanman_smbclient_2clients_srv.pcap", 2.0),
        ("nbf1_llc2_smb1_3clients_srv.pcap", 3.0),
    ] {
        let capture = folder.join("lab").join(capture);
        let rows = shown(&capture, "20ms", "Current Clients");
        let most = rows.iter().map(|(.., value)| *value).fold(0.0, f64::max);
        assert_eq!(most, clients, "{}: {rows:?}", capture.display());
        let last = shown(&capture, "1h", "Current Clients");
        let left: f64 = last.iter().map(|(.., value)| value).sum();
        assert_eq!(left, 0.0, "{}: all have gone", capture.display());
    }
}

/// Three clients log on at 2.18 s (frames 44, 48 and 53) and off at 2.66, 2.81 and 3.04 s (2730, 3466
/// and 3931, tshark): three at once, of which one is left at 3 s. What stands is as it was at the
/// ends of intervals, and the text says so.
#[test]
fn what_stands_is_as_it_was_at_the_ends_of_intervals() {
    let Some(folder) = captures("what_stands_is_as_it_was_at_the_ends_of_intervals") else {
        return;
    };
    let capture = folder.join("lab/nbf1_llc2_smb1_3clients_srv.pcap");
    for (interval, sessions) in [("20ms", 3.0), ("1s", 1.0)] {
        let rows = shown(&capture, interval, "Server Sessions");
        let server = rows.iter().find(|(_, object, _)| object == "Server");
        assert_eq!(server.unwrap().2, sessions, "{interval}");
    }
    let text = String::from_utf8(counters(&capture, &[])).unwrap();
    let first = text.lines().take(4).collect::<Vec<_>>().join(" ");
    let says = "Sessions, files, clients and commands are counted at the end of each interval; what \
                begins and ends within an interval is not counted.";
    assert!(first.contains(says), "{first}");
}

/// A scanner sets up sessions and resets its connections: of 290 connections with SMB tshark shows
/// a FIN or RST in each.
#[test]
fn nothing_is_left_of_connections_that_ended() {
    let Some(folder) = captures("nothing_is_left_of_connections_that_ended") else {
        return;
    };
    let capture = folder.join("real/smb1_xscan.pcap");
    for counter in ["Server Sessions", "Current Clients"] {
        let during = shown(&capture, "1s", counter);
        let at_the_end = shown(&capture, "1h", counter);
        let server = |rows: &[(String, String, f64)]| {
            let mut of = rows.iter().filter(|(station, object, _)| {
                station == "192.168.1.120" && object.starts_with("Server")
            });
            of.next().unwrap().2
        };
        assert!(server(&during) > 0.0, "{counter}: {during:?}");
        assert_eq!(server(&at_the_end), 0.0, "{counter}");
    }
}

/// A server says 80 times that an answer will take long, in 77 bytes each (tshark:
/// `smb2.nt_status==0x103`); what it sends is the sum of all its messages.
#[test]
fn interim_answers_are_received_too() {
    let Some(folder) = captures("interim_answers_are_received_too") else {
        return;
    };
    let capture = folder.join("lab/12_smb2_async_pending_notify_lock_cancel_srv.pcap");
    let rows = shown(&capture, "1h", "Bytes Received/sec");
    let client = |(station, object, _): &&(String, String, f64)| {
        station == "10.77.0.101" && object == "Redirector"
    };
    let received = rows.iter().find(client).unwrap().2;
    assert_eq!(received, 263_755.0 + 80.0 * 77.0);
}

/// The data of a raw write has no header of its own, and follows when the server said that it may.
/// tshark: `tcp.len` of all segments from the client, none of them sent again, is 422,174 bytes, 72
/// of them a session request; 20 raw writes of 4096 bytes with 4 of framing are among them. The
/// server's: 1,757,771, among them the session's answer and 20 keep-alives of 4 bytes each.
#[test]
fn the_data_of_raw_writes_is_sent_and_received() {
    let Some(folder) = captures("the_data_of_raw_writes_is_sent_and_received") else {
        return;
    };
    let capture = folder.join("lab/01_smb1_nt1_port139_records_1client_srv.pcap");
    for (object, counter, total) in [
        ("Redirector", "Bytes Transmitted/sec", 422_102.0),
        ("Server", "Bytes Received/sec", 422_102.0),
        ("Server", "Bytes Transmitted/sec", 1_757_687.0),
        ("Redirector", "Bytes Received/sec", 1_757_687.0),
        // From the client to the server, and back, at both.
        ("NBT Connection", "Bytes Sent/sec", 422_174.0 + 1_757_691.0),
        (
            "NBT Connection",
            "Bytes Received/sec",
            422_174.0 + 1_757_691.0,
        ),
    ] {
        assert_eq!(sum(&capture, object, counter), total, "{object}: {counter}");
    }
    // With write-through and without (4000 bytes and 4 of framing, each), one that is refused, and one with 1000 bytes in its
    // request and 3000 behind it; tshark: requests of 64 bytes, a write of 1064.
    let capture = root().join("captures/smb1/write-raw.pcapng");
    let written = sum(&capture, "Server", "Bytes Received/sec");
    let asked = 3.0 * 64.0 + 2.0 * 4004.0 + 1064.0 + 1064.0 + 3004.0;
    assert_eq!(written, asked);
}

/// A break is the server's request, and what acknowledges it is one message of the client's,
/// whether it is answered or not. Bytes of SMB2 messages with their framing, as tshark counts them:
/// 134 + 92 + 104 from the client, 156 + 92 + 92 + 112 + 104 from the server.
#[test]
fn breaks_go_from_the_server_to_the_client() {
    let capture = root().join("captures/smb2/oplock-and-lease-break.pcapng");
    for (counter, total) in [
        ("Bytes Transmitted/sec", 330.0),
        ("Packets Transmitted/sec", 3.0),
        ("Bytes Received/sec", 556.0),
        ("Packets Received/sec", 5.0),
    ] {
        assert_eq!(sum(&capture, "Redirector", counter), total, "{counter}");
    }
}

/// The server of SMB 2.0.2 agrees to 65536 bytes in message 0; of the reads that tshark lists 200
/// ask for 512 bytes, 120 for 4096 and 4 for 65536.
#[test]
fn the_buffer_of_a_negotiation_in_message_0_is_known() {
    let Some(folder) = captures("the_buffer_of_a_negotiation_in_message_0_is_known") else {
        return;
    };
    let capture = folder.join("lab/04_smb2_202_delay5ms_server_egress_srv.pcap");
    let small = sum(&capture, "Redirector", "Read Packets Small/sec");
    assert_eq!(small, 320.0);
}

/// Where reads go on. A client reads 4096 bytes, gets 3109 and reads on from there; another opens
/// files and reads elsewhere in three of them (frames 498, 519 and 576); on pipes no place is
/// another one.
#[test]
fn random_reads_go_elsewhere() {
    let Some(folder) = captures("random_reads_go_elsewhere") else {
        return;
    };
    for (capture, reads, writes) in [
        ("real/smb2_peter.pcap", 0.0, 0.0),
        ("real/smb1_139+445_lan1.pcap", 3.0, 0.0),
        ("real/smb1_xscan.pcap", 0.0, 0.0),
    ] {
        let capture = folder.join(capture);
        let name = capture.display();
        let found = sum(&capture, "Redirector", "Read Operations Random/sec");
        assert_eq!(found, reads, "{name}");
        let found = sum(&capture, "Redirector", "Write Operations Random/sec");
        assert_eq!(found, writes, "{name}");
    }
}

/// The clock is set back in the capture: its time is that of the report, and rates are per that.
#[test]
fn the_time_of_a_capture_is_that_of_its_report() {
    let Some(folder) = captures("the_time_of_a_capture_is_that_of_its_report") else {
        return;
    };
    for (capture, elapsed_ns) in [
        ("found/clock-smb2-session-back-20.pcap", 130_000_000),
        ("found/clock-smb2-session-glitch-19.pcap", 131_000_000),
        (
            "formats/fmt_pcapng_2linktypes_example.pcapng",
            22_528_294_049_i64,
        ),
    ] {
        let capture = folder.join(capture);
        let document = counters(&capture, &["--format", "json", "--interval", "1h"]);
        let document: serde_json::Value = serde_json::from_slice(&document).unwrap();
        assert_eq!(document["elapsed_ns"], elapsed_ns, "{}", capture.display());
    }
}

/// The highest value of a rate is not below its mean, though most captures end in an interval.
#[test]
fn no_peak_is_below_its_mean() {
    let mut compared = 0;
    for capture in some_captures() {
        let text = String::from_utf8(counters(&capture, &[])).unwrap();
        for line in text.lines().filter(|line| line.contains("/sec")) {
            let number = |text: &str| text.replace(',', "").parse::<f64>().ok();
            let numbers: Vec<f64> = line.split_whitespace().filter_map(number).collect();
            if let [mean, highest, ..] = numbers[..] {
                assert!(highest >= mean, "{}: {line}", capture.display());
                compared += 1;
            }
        }
    }
    assert!(compared > 50, "only {compared}");
}

/// Definition R2: a request is served from when it is complete, or from the end of the latest
/// response of its conversation, whichever is later. Here from the rows alone.
#[test]
fn service_begins_behind_the_latest_response() {
    use wirewait_wire::Kind;
    let Some(folder) = captures("service_begins_behind_the_latest_response") else {
        return;
    };
    let (mut queued, mut compared) = (0, 0);
    for name in [
        "10_loss3pct_dup1pct_reorder2pct_srv.pcap",
        "01_smb1_nt1_port139_records_1client_srv.pcap",
        "11_smb2_compound_related_unrelated_srv.pcapng",
    ] {
        let analysis = crate::support::analyse(&[folder.join("lab").join(name)]).unwrap();
        let rows = &analysis.transactions;
        for t in rows {
            let (Some(request), Some(response), Some(service_ns)) =
                (t.request, t.response, t.service_ns)
            else {
                continue;
            };
            if matches!(t.kind, Kind::Wait | Kind::Break) {
                continue;
            }
            let (t2, t3) = (request.last, response.first);
            let before = rows.iter().filter(|other| {
                other.conversation == t.conversation
                    && other.number != t.number
                    && !matches!(other.kind, Kind::Wait | Kind::Break)
            });
            // One frame may end a response and begin the next one; parts of one message begin and
            // end together. The last of these captures has compounds, each in frames of its own: their parts were asked
            // and answered together.
            let asked = |of: &wirewait::Transaction| of.request.map(|of| of.first.frame);
            let together = name.contains("compound");
            let before = before.filter(|other| !together || asked(other) != asked(t));
            let before = before.filter_map(|other| other.response);
            let before = before.filter(|other| {
                (other.last.at, other.last.frame) <= (t3.at, t3.frame)
                    && (other.first.at, other.first.frame) < (t3.at, t3.frame)
            });
            let latest = before.map(|other| other.last.at).max();
            let from = latest.map_or(t2.at, |latest| latest.max(t2.at));
            assert_eq!(service_ns, t3.at.since(from), "{name}: frame {}", t2.frame);
            queued += usize::from(from > t2.at);
            compared += 1;
        }
    }
    assert!(compared > 1000 && queued > 0, "{compared}, {queued}");
}

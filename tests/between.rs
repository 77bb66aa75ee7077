//! `wirewait between`: both captures of each run of the laboratory in virtual time, against its logs;
//! and real captures that were made at both ends.

use crate::known::{CARRIERS, TROUBLES};
use crate::support::{Folder, capture_of, captures, program};
use serde_json::Value;
use std::path::{Path, PathBuf};
use wirewait_analysis::{LedgerOf, LedgerRow, Phase};
use wirewait_synth::Scenario;
use wirewait_synth::lab::{LabCase, LabEnd, LabRun, LabTruth};

/// The clock at the servers is an hour ahead, and a bit: no stamps of the two can be compared.
const AHEAD_NS: i64 = 3_600_123_456_789;

fn between(first: &Path, second: &Path) -> Result<Value, String> {
    let output = program()
        .args(["between", "--format", "json"])
        .args([first, second])
        .output()
        .unwrap();
    match output.status.success() {
        true => Ok(serde_json::from_slice(&output.stdout).unwrap()),
        false => Err(String::from_utf8(output.stderr).unwrap()),
    }
}

fn number(value: &Value, of: &str) -> i64 {
    value[of]
        .as_i64()
        .unwrap_or_else(|| panic!("{of}: {value}"))
}

/// Both captures of a run, that at the servers by another clock.
fn written(folder: &Path, name: &str, run: &LabRun) -> [std::path::PathBuf; 2] {
    LabEnd::BOTH.map(|end| {
        let path = folder.join(format!("{name}-{end:?}.pcapng"));
        let file = match end {
            LabEnd::Client => run.file(end),
            LabEnd::Server => run.file_ahead(end, AHEAD_NS),
        };
        std::fs::write(&path, file).unwrap();
        path
    })
}

/// What of a joined run is not as its logs have it.
fn wrong(case: &LabCase, run: &LabRun, truth: LabTruth, joined: &Value) -> Vec<String> {
    let mut wrong = Vec::new();
    // The captures have the set-up of sessions, too, which no call counts: two round trips each, and what took longer
    // than that, and 1 ms, was lost on the way.
    let round: i64 = case.ways.iter().map(|way| way.ns).sum();
    let clients = i64::try_from(case.clients).unwrap();
    let set_up = clients * 2 * round;
    let lost = (run.set_up() - set_up - clients * 1_000_000).max(0);
    let truths = [truth.client, truth.network + lost, truth.server];
    let active: i64 = truths.iter().sum();
    for (of, truth) in ["client_ns", "way_ns", "server_ns"].into_iter().zip(truths) {
        let found = number(joined, of);
        if (found - truth).abs() > active / 100 + set_up {
            wrong.push(format!("{of} is {found}, and {truth} by the logs"));
        }
    }
    let counts = run.lost.into_iter().zip(run.twice);
    for (of, (lost, twice)) in ["to_servers", "to_clients"].into_iter().zip(counts) {
        let found = number(&joined[of], "lost");
        if found != i64::try_from(lost).unwrap() {
            wrong.push(format!("{of}: {found} lost, and {lost} by the log"));
        }
        let unseen = number(&joined[of], "only_behind");
        if unseen != i64::try_from(twice).unwrap() {
            wrong.push(format!(
                "{of}: {unseen} from nowhere, {twice} doubled by the log"
            ));
        }
    }
    // Each kind of row has all of it.
    for kind in ["by_client", "by_server", "by_operation"] {
        let rows = joined[kind].as_array().unwrap();
        for of in ["client_ns", "way_ns", "server_ns", "unknown_ns", "requests"] {
            let sum: i64 = rows.iter().map(|row| number(row, of)).sum();
            if sum != number(joined, of) {
                wrong.push(format!("{kind}: {of} sums to {sum}"));
            }
        }
        // As far as the clocks are known, the way forth is the link's, and so is the way back.
        let unsure = number(&joined["clock"], "unsure_ns");
        let clean = run.lost == [0, 0] && run.twice == [0, 0];
        for row in rows.iter().filter(|_| clean) {
            for (of, way) in ["request_way_ns", "response_way_ns"]
                .into_iter()
                .zip(&case.ways)
            {
                let least = number(&row[of], "least");
                if least + unsure < way.ns {
                    wrong.push(format!("{kind}: {of} is {least} on a way of {}", way.ns));
                }
            }
        }
    }
    let mut most: Vec<(i64, &str)> = truths
        .into_iter()
        .zip(["client", "network", "server"])
        .collect();
    most.sort_unstable();
    let said = joined["culprit"].as_str().unwrap();
    if most[2].0 - most[1].0 > active / 20 && said != most[2].1 {
        wrong.push(format!("{said} is named, and it is the {}", most[2].1));
    }
    wrong
}

#[test]
fn both_ends_together_are_what_the_logs_say() {
    let folder = Folder::new("between");
    let (mut rows, mut all) = (0, Vec::new());
    for (carrier, kind) in CARRIERS {
        for (name, trouble) in TROUBLES {
            let mut case = LabCase::new(format!("{carrier}-{name}"), kind);
            trouble(&mut case);
            let run = case.run();
            let [clients, servers] = written(&folder, &case.name, &run);
            // Which is which is found out.
            let joined = match rows % 2 {
                0 => between(&clients, &servers),
                _ => between(&servers, &clients),
            };
            let ahead = if rows % 2 == 0 { AHEAD_NS } else { -AHEAD_NS };
            rows += 1;
            let joined = match joined {
                Ok(joined) => joined,
                Err(why) => {
                    all.push(format!("{}: {why}", case.name));
                    continue;
                }
            };
            let mut wrong = wrong(&case, &run, run.truth(), &joined);
            let clock = &joined["clock"];
            let away = (number(clock, "second_ahead_ns") - ahead).abs();
            if away > number(clock, "unsure_ns") {
                wrong.push(format!("the clocks are wrong by {away} ns: {clock}"));
            }
            all.extend(wrong.iter().map(|wrong| format!("{}: {wrong}", case.name)));
        }
    }
    assert!(rows > 100, "only {rows}");
    assert!(
        all.is_empty(),
        "{} of {rows}:\n{}",
        all.len(),
        all.join("\n")
    );
}

/// 5 ms of delay from the server (`link_settings` in the log); a server that sleeps for 40 ms, and for
/// 700 ms at every tenth request. The server's part at its own end is the sum of turnarounds of
/// tshark's there.
#[test]
fn real_captures_of_both_ends_are_joined() {
    let Some(folder) = captures("real_captures_of_both_ends_are_joined") else {
        return;
    };
    for (name, culprit) in [
        ("04_smb2_202_delay5ms_server_egress", "network"),
        ("ncp3_8022_slowserver_requestbeingprocessed", "server"),
    ] {
        let [client, server] =
            ["cli", "srv"].map(|end| folder.join("lab").join(format!("{name}_{end}.pcap")));
        let joined = between(&client, &server).unwrap();
        assert_eq!(joined["culprit"], culprit, "{name}: {joined}");
        assert_eq!(joined["at_clients"], client.display().to_string(), "{name}");
        for of in ["to_servers", "to_clients"] {
            assert_eq!(number(&joined[of], "lost"), 0, "{name}: {joined}");
        }
        if culprit == "network" {
            // At the clients the way back alone is 5 ms of each request.
            let way = number(&joined["way_of_a_request_ns"], "least");
            assert!((5_000_000..6_000_000).contains(&way), "{way}");
        }
        // The same capture twice was made at one place.
        let why = between(&client, &client).unwrap_err();
        assert!(why.contains("both were captured at one place"), "{why}");
    }
    let other = folder.join("lab/ncp1_ethernet_ii_1client_srv.pcap");
    let smb = folder.join("lab/01_smb1_nt1_port139_records_1client_srv.pcap");
    let why = between(&other, &smb).unwrap_err();
    assert!(why.contains("no frame in common"), "{why}");
}

/// 25 requests of 4 ms, 2 of them at the server; and one at 3 s that is not answered, before the next one at 8 s. Whose the
/// 5 s are shows at the server: it had not the request; or it answered after 40 ms; or never.
#[test]
fn a_wait_in_vain_is_of_the_one_that_the_other_capture_shows() {
    let folder = Folder::new("in-vain");
    let scenario = |[asked, answered]: [i64; 2], lost: &str| {
        let at = |us: i64| format!("{}.{:06}", us / 1_000_000, us % 1_000_000);
        let mut text = "title reads\nethernet raw\nclient C ipx 00000022.020000002201:0552\n\
             server S ipx 00000022.020000000001:0550\n"
            .to_owned();
        for n in 0..26 {
            let begin = if n < 25 { n * 100_000 } else { 8_000_000 };
            if n == 25 {
                text += lost;
            }
            let (asks, answers) = (at(begin + asked), at(begin + answered));
            text += &format!(
                "{asks} C>S smb1 open-andx name=\\F{n}.TXT cid=7 sequence={} mid=3\n\
                 {answers} S>C smb1 open-andx fid={n} size=100\n",
                n + 1
            );
        }
        let scenario = wirewait_synth::Scenario::parse("made", &text);
        let frames = scenario.unwrap_or_else(|e| panic!("{e}")).frames().to_vec();
        crate::support::capture_of(&frames)
    };
    let ask = |at: &str| format!("{at} C>S smb1 open-andx name=\\X.TXT cid=7 sequence=99 mid=3\n");
    let answer = "3.041000 S>C smb1 open-andx fid=99 size=100\n";
    let files = ["clients", "servers"].map(|end| folder.join(format!("{end}.pcap")));
    std::fs::write(&files[0], scenario([0, 4_000], &ask("3.000000"))).unwrap();
    let (ms, all) = (1_000_000, 5_000 * 1_000_000);
    for (lost, way, server) in [
        (String::new(), all, 0),
        (ask("3.001000") + answer, all - 40 * ms, 40 * ms),
        (ask("3.001000"), 0, all),
    ] {
        std::fs::write(&files[1], scenario([1_000, 3_000], &lost)).unwrap();
        let joined = between(&files[0], &files[1]).unwrap();
        let vain = &joined["waited_in_vain"];
        assert_eq!(number(&joined, "unanswered"), 1, "{joined}");
        assert_eq!(number(vain, "way_ns"), way, "{lost}: {joined}");
        assert_eq!(number(vain, "server_ns"), server, "{lost}: {joined}");
        assert_eq!(number(vain, "unknown_ns"), 0, "{lost}: {joined}");
        // 26 others: 2 ms each.
        assert_eq!(number(&joined, "way_ns"), way + 26 * 2 * ms, "{joined}");
        assert_eq!(
            number(&joined, "server_ns"),
            server + 26 * 2 * ms,
            "{joined}"
        );
        let named = if server == all { "server" } else { "network" };
        assert_eq!(joined["culprit"], named, "{joined}");
    }
}

/// Forty reads of 2 ms, captured at their client and, 3 ms away, at their server, whose mirror port shows each frame twice
/// (`doubled`), and whose clock is set forward by half a second behind the first twenty (`set`).
fn forty_reads(doubled: bool, set: bool) -> Value {
    let mut lines = vec![
        "title forty reads".to_owned(),
        "client C tcp 10.0.0.1:1025".to_owned(),
        "server S tcp 10.0.0.9:445".to_owned(),
        "0.000 C>S connect gap=0.02".to_owned(),
    ];
    for n in 0..40 {
        let at = 100 + 20 * n;
        let second = |ms: i64| format!("{}.{:03}", ms / 1000, ms % 1000);
        lines.push(format!("{} C>S smb2 read length=512 mid={n}", second(at)));
        lines.push(format!("{} S>C smb2 read data=512 mid={n}", second(at + 8)));
    }
    lines.push("[answer]".to_owned());
    let scenario = Scenario::parse("forty", &(lines.join("\n") + "\n"));
    let at_client = scenario.unwrap_or_else(|e| panic!("{e}")).frames().to_vec();
    let mut at_server = Vec::new();
    for frame in &at_client {
        let mut frame = frame.clone();
        // The sender's address in a frame of Ethernet and IPv4.
        let from_client = frame.bytes[26..30] == [10, 0, 0, 1];
        let way = if from_client { 3_000_000 } else { -3_000_000 };
        let later = match set && at_server.len() > 40 {
            true => 500_000_000,
            false => 0,
        };
        frame.at = frame.at.plus(way + later);
        let mut again = frame.clone();
        again.at = again.at.plus(20_000);
        at_server.push(frame);
        if doubled {
            at_server.push(again);
        }
    }
    let folder = Folder::new("forty");
    let [first, second] = [("client", &at_client), ("server", &at_server)].map(|(end, frames)| {
        let name = format!(
            "wirewait-forty-{doubled}-{set}-{end}-{}.pcap",
            std::process::id()
        );
        let path = folder.join(name);
        std::fs::write(&path, capture_of(frames)).unwrap();
        path
    });
    between(&first, &second).unwrap()
}

#[test]
fn a_frame_that_was_captured_twice_was_not_lost() {
    for doubled in [false, true] {
        let joined = forty_reads(doubled, false);
        for way in ["to_servers", "to_clients"] {
            assert_eq!(number(&joined[way], "lost"), 0, "{doubled}: {joined}");
        }
        assert_eq!(number(&joined, "requests"), 40);
        assert_eq!(number(&joined, "clocks_moved_ns"), 0);
        assert_eq!(
            number(&joined["clock"], "shortest_round_trip_ns"),
            6_000_000
        );
    }
}

/// Before, it was 0 ahead, behind it 500 ms, and the way forth and back is 6 ms: 494 ms at least.
#[test]
fn clocks_that_move_against_each_other_tell_no_way() {
    let joined = forty_reads(false, true);
    assert_eq!(number(&joined, "clocks_moved_ns"), 494_000_000, "{joined}");
    assert!(joined["clock"].is_null());
    for row in joined["by_client"].as_array().unwrap() {
        assert!(row["request_way_ns"].is_null(), "{row}");
    }
}

/// B's open takes 210 ms at the server, 200 of which A needs to give its oplock or lease back; no frame of A is in the capture at
/// B, 1 ms away.
#[test]
fn a_wait_for_another_clients_oplock_is_not_the_servers() {
    let name = "captures/smb1/oplock-break.scenario";
    let text = std::fs::read_to_string(crate::support::root().join(name)).unwrap();
    let scenario = Scenario::parse("break", &text);
    let at_server = scenario.unwrap_or_else(|e| panic!("{e}")).frames().to_vec();
    let b = [10, 0, 0, 2];
    let of_b = at_server.iter().filter_map(|frame| {
        // Addresses in a frame of Ethernet and IPv4.
        let way = match (frame.bytes[26..30] == b, frame.bytes[30..34] == b) {
            (true, _) => -1_000_000,
            (_, true) => 1_000_000,
            _ => return None,
        };
        let mut frame = frame.clone();
        frame.at = frame.at.plus(way);
        Some(frame)
    });
    let at_b: Vec<_> = of_b.collect();
    let folder = Folder::new("break");
    let files = [("b", &at_b), ("server", &at_server)].map(|(end, frames)| {
        let path = folder.join(format!("wirewait-break-{end}-{}.pcap", std::process::id()));
        std::fs::write(&path, capture_of(frames)).unwrap();
        path
    });
    let joined = between(&files[0], &files[1]).unwrap();
    let ms = 1_000_000;
    assert_eq!(number(&joined, "requests"), 1, "{joined}");
    assert_eq!(number(&joined, "client_held_ns"), 200 * ms, "{joined}");
    assert_eq!(number(&joined, "client_ns"), 200 * ms, "{joined}");
    assert_eq!(number(&joined, "server_ns"), 10 * ms, "{joined}");
    assert_eq!(number(&joined, "way_ns"), 2 * ms, "{joined}");
}

/// Forty reads of 2 ms at their server, 3 ms away: each with an identification of its own, but for its length like
/// any other. The frames at the client, those at the server.
fn forty_frames() -> [Vec<wirewait_synth::OwnedFrame>; 2] {
    let mut text = "title forty reads\nclient C tcp 10.0.0.1:1025\nserver S tcp 10.0.0.9:445\n\
         0.000 C>S connect gap=0.02\n"
        .to_owned();
    for n in 0..40 {
        let (asks, answers) = (100 + 20 * n, 108 + 20 * n);
        let second = |ms: i64| format!("{}.{:03}", ms / 1000, ms % 1000);
        text += &format!("{} C>S smb2 read length=512 mid={n}\n", second(asks));
        text += &format!("{} S>C smb2 read data=512 mid={n}\n", second(answers));
    }
    let scenario = Scenario::parse("forty", &text);
    let at_client = scenario.unwrap_or_else(|e| panic!("{e}")).frames().to_vec();
    let mut at_server = at_client.clone();
    for frame in &mut at_server {
        let from_client = frame.bytes[26..30] == [10, 0, 0, 1];
        let way = if from_client { 3_000_000 } else { -3_000_000 };
        frame.at = frame.at.plus(way);
    }
    [at_client, at_server]
}

fn file_of(folder: &Path, name: &str, frames: &[wirewait_synth::OwnedFrame]) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, capture_of(frames)).unwrap();
    path
}

/// A capture that keeps 96 bytes of a frame, or 68, has less of a packet than is compared where both are whole.
#[test]
fn captures_of_which_one_is_cut_are_joined() {
    let folder = Folder::new("cut");
    let [at_client, at_server] = forty_frames();
    let client = file_of(&folder, "client.pcap", &at_client);
    let whole = between(&client, &file_of(&folder, "server.pcap", &at_server)).unwrap();
    assert_eq!(number(&whole, "requests"), 40);
    let same = number(&whole, "same_frames");
    assert_eq!(same, at_client.len() as i64);
    for snaplen in [96, 68] {
        let cut = folder.join(format!("cut-{snaplen}.pcap"));
        let done = std::process::Command::new("editcap")
            .args(["-s", &snaplen.to_string()])
            .args([&folder.join("server.pcap"), &cut])
            .status();
        let Ok(status) = done else {
            println!("skipped: editcap is missing");
            return;
        };
        assert!(status.success());
        if snaplen == 68 {
            // They have no whole header of a request.
            let why = between(&client, &cut).unwrap_err();
            assert!(why.contains("have frames in common"), "{why}");
            continue;
        }
        let joined = between(&client, &cut).unwrap();
        assert_eq!(number(&joined, "same_frames"), same, "{snaplen}: {joined}");
        for way in ["to_servers", "to_clients"] {
            assert_eq!(number(&joined[way], "lost"), 0, "{snaplen}: {joined}");
            assert_eq!(
                number(&joined[way], "only_behind"),
                0,
                "{snaplen}: {joined}"
            );
        }
        assert_eq!(number(&joined, "requests"), 40, "{joined}");
        assert_eq!(joined["culprit"], whole["culprit"]);
        // The other way round, too.
        assert_eq!(
            number(&between(&cut, &client).unwrap(), "same_frames"),
            same
        );
    }
}

/// A station asks everyone for a name that nobody has, as both captures show: no request to a server was in vain.
#[test]
fn questions_to_everyone_are_not_requests_in_vain() {
    let folder = Folder::new("everyone");
    let mut frames = forty_frames();
    let path = crate::support::root().join("captures/nbipx/find-name.scenario");
    let text = std::fs::read_to_string(path).unwrap();
    let asked = Scenario::parse("name", &text).unwrap_or_else(|e| panic!("{e}"));
    for frames in &mut frames {
        let first = frames[0].at;
        let from = asked.frames()[0].at;
        frames.extend(asked.frames().iter().map(|frame| {
            let mut frame = frame.clone();
            frame.at = first.plus(frame.at.since(from) + 100_500_000);
            frame
        }));
        frames.sort_by_key(|frame| frame.at);
    }
    let client = file_of(&folder, "client.pcap", &frames[0]);
    let server = file_of(&folder, "server.pcap", &frames[1]);
    let rows = program().arg("transactions").arg(&client).output().unwrap();
    let rows = String::from_utf8(rows.stdout).unwrap();
    let asked = |row: &&str| row.contains("FIND NAME") && row.contains("unanswered");
    assert_eq!(rows.lines().filter(asked).count(), 1, "{rows}");
    let joined = between(&client, &server).unwrap();
    // One of the names is there.
    assert_eq!(number(&joined, "requests"), 41, "{joined}");
    assert_eq!(number(&joined, "unanswered"), 0, "{joined}");
}

/// What both ends tell of frames at the client, each of which is at the server 1 ms later, or was 1 ms before.
fn between_1ms(name: &str, at_client: &[wirewait_synth::OwnedFrame]) -> Value {
    let folder = Folder::new(name);
    let mut at_server = at_client.to_vec();
    for frame in &mut at_server {
        // The port of the receiver in a frame of Ethernet, IPv4 and TCP.
        let to_server = frame.bytes[36..38] == 445_u16.to_be_bytes();
        let way = if to_server { 1_000_000 } else { -1_000_000 };
        frame.at = frame.at.plus(way);
    }
    at_server.sort_by_key(|frame| frame.at);
    let client = file_of(&folder, "client.pcap", at_client);
    let server = file_of(&folder, "server.pcap", &at_server);
    between(&client, &server).unwrap()
}

/// A client with two addresses reads over two channels of one session in turn, 10 ms each, with 0.1 ms between two: 2 log-ons of 5 ms,
/// 15 ms between them, and 40 reads behind pauses of 0.1 ms. Of each 2 ms are the way's.
#[test]
fn channels_of_one_session_are_one_client_at_both_ends() {
    const SESSION: u64 = 0x400_0000_0001;
    let mut text = format!(
        "title channels\n\
         client C tcp 10.0.0.1:49152\n\
         server S tcp 10.0.0.9:445\n\
         client D tcp 10.0.1.1:49153\n\
         server T tcp 10.0.1.9:445\n\n\
         0.000 C>S connect gap=0.003\n\
         0.010 C>S smb2 session-setup round=2 session={SESSION}\n\
         0.015 S>C smb2 session-setup round=2\n\
         0.020 D>T connect gap=0.003\n\
         0.030 D>T smb2 session-setup round=2 binding session={SESSION}\n\
         0.035 T>D smb2 session-setup round=2\n"
    );
    for n in 0..40 {
        let (client, server) = if n % 2 == 0 { ("C", "S") } else { ("D", "T") };
        let (at, mid) = (f64::from(n).mul_add(0.0101, 0.0351), 20 + n);
        text += &format!("{at:.4} {client}>{server} smb2 read mid={mid} file=9 length=512\n");
        let at = at + 0.01;
        text += &format!("{at:.4} {server}>{client} smb2 read mid={mid} data=512\n");
    }
    let scenario = Scenario::parse("channels", &text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let joined = between_1ms("channels", scenario.frames());
    let us = 1_000;
    assert_eq!(number(&joined, "clients"), 1, "{joined}");
    assert_eq!(number(&joined, "requests"), 42, "{joined}");
    assert_eq!(number(&joined, "client_ns"), 19_000 * us, "{joined}");
    assert_eq!(number(&joined, "way_ns"), 42 * 2_000 * us, "{joined}");
    assert_eq!(
        number(&joined, "server_ns"),
        (2 * 3_000 + 40 * 8_000) * us,
        "{joined}"
    );
    assert_eq!(joined["culprit"], "server");
    let rows = joined["by_client"].as_array().unwrap();
    assert_eq!(rows.len(), 1, "{joined}");
    assert_eq!(rows[0]["client"], "10.0.0.1", "{joined}");
}

/// 40 reads of 8 ms, 12 ms apart, while a change notification is outstanding all the time. Behind the 20th, 12 ms later, a lock that
/// another client has is waited for, 400 ms; then it goes on 12 ms later. Behind the 30th it does nothing for 3 s.
#[test]
fn waits_by_design_are_nobodys_at_both_ends() {
    let mut text = "title waits\nclient C tcp 10.0.0.1:1025\nserver S tcp 10.0.0.9:445\n\
         0.000 C>S connect gap=0.003\n\
         0.050 C>S smb2 change-notify mid=900 file=9\n\
         0.054 S>C smb2 change-notify mid=900 status=pending\n"
        .to_owned();
    let mut at = 100;
    let second = |ms: i64| format!("{}.{:03}", ms / 1000, ms % 1000);
    for n in 0..40 {
        match n {
            20 => {
                text += &format!(
                    "{} C>S smb2 lock mid=901 file=3 offset=0 length=10\n\
                     {} S>C smb2 lock mid=901 status=pending\n\
                     {} S>C smb2 lock mid=901\n",
                    second(at),
                    second(at + 4),
                    second(at + 400)
                );
                at += 412;
            }
            30 => at += 3_000 - 12,
            _ => {}
        }
        text += &format!("{} C>S smb2 read length=512 mid={n}\n", second(at));
        text += &format!("{} S>C smb2 read data=512 mid={n}\n", second(at + 8));
        at += 20;
    }
    let scenario = Scenario::parse("waits", &text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let found = crate::support::analyse_frames(scenario.frames()).snapshot;
    let joined = between_1ms("waits", scenario.frames());
    let ms = 1_000_000;
    let of_client = |row: &LedgerRow| matches!(row.of, LedgerOf::Client(_));
    let [row] = (found
        .ledgers
        .iter()
        .filter(|row| of_client(row))
        .collect::<Vec<_>>())[..]
    else {
        panic!("one client: {:?}", found.ledgers);
    };
    let ledger = &row.ledger;
    for (of, truth, phase) in [
        // 37 between two reads, and one on each side of the lock.
        ("client_ns", 39 * 12 * ms, None),
        // The lock, and the pause of 3 s in which a notification was waited for.
        ("waiting_ns", (400 + 3_000) * ms, Some(Phase::Waiting)),
        ("idle_ns", 0, Some(Phase::Idle)),
    ] {
        assert_eq!(number(&joined, of), truth, "{of}: {joined}");
        // Of the client's time, a report takes some for the network's.
        if let Some(phase) = phase {
            assert_eq!(ledger.get(phase), truth.unsigned_abs(), "{of}: {ledger:?}");
        }
    }
    assert_eq!(number(&joined, "requests"), 40, "{joined}");
    assert_eq!(number(&joined, "way_ns"), 40 * 2 * ms, "{joined}");
    assert_eq!(number(&joined, "server_ns"), 40 * 6 * ms, "{joined}");
    assert_eq!(number(&joined, "unanswered"), 0, "{joined}");
}

/// B opens a file of which A has an oplock, that A never gives back: the server answers after 35 s, of which 34.9 s are A's.
#[test]
fn a_break_in_vain_is_not_the_servers_at_both_ends() {
    let text = "title break\nclient A tcp 10.0.0.1:1025\nclient B tcp 10.0.0.2:1025\n\
         server S tcp 10.0.0.9:445\n\
         0.000 A>S connect gap=0.003\n0.010 B>S connect gap=0.003\n\
         1.000 A>S smb2 create mid=10 name=a.txt oplock=9\n\
         1.008 S>A smb2 create mid=10 file=4 size=500 oplock=9\n\
         2.000 B>S smb2 create mid=10 name=a.txt oplock=9\n\
         2.100 S>A smb2 oplock-break file=4 level=1\n\
         37.002 S>B smb2 create mid=10 file=5 size=500\n";
    let scenario = Scenario::parse("break", text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let joined = between_1ms("in-vain-break", scenario.frames());
    let ms = 1_000_000;
    // At the server: asked at 2.001, break at 2.099, answered at 37.001.
    assert_eq!(number(&joined, "client_held_ns"), 34_902 * ms, "{joined}");
    assert_eq!(number(&joined, "server_ns"), (6 + 98) * ms, "{joined}");
}

/// Requests every 5 s, each 20 ms at its server; as its client sees them, 15.0 ms away.
fn every_five_seconds(
    requests: i64,
    asks: [&str; 2],
    answers: &str,
) -> Vec<wirewait_synth::OwnedFrame> {
    let mut text = "title requests\nclient C tcp 10.0.0.1:1025\nserver S tcp 10.0.0.9:445\n\
         0.000 C>S connect gap=0.05\n"
        .to_owned();
    for n in 0..requests {
        let at = 5 * n + 1;
        text += &format!("{at}.000 C>S smb2 {} mid={n} {}\n", asks[0], asks[1]);
        text += &format!("{at}.050 S>C smb2 {answers} mid={n}\n");
    }
    let scenario = Scenario::parse("requests", &text);
    scenario.unwrap_or_else(|e| panic!("{e}")).frames().to_vec()
}

/// As the server sees them, by a clock that is `ahead` by that number of ns, this long after the first frame.
fn far_away(
    at_client: &[wirewait_synth::OwnedFrame],
    ahead: impl Fn(i64) -> i64,
) -> Vec<wirewait_synth::OwnedFrame> {
    let first = at_client[0].at;
    let frames = at_client.iter().map(|frame| {
        let mut frame = frame.clone();
        let from_client = frame.bytes[26..30] == [10, 0, 0, 1];
        let way = if from_client { 15_000_000 } else { -15_000_000 };
        let late = frame.at.since(first) + way;
        frame.at = frame.at.plus(way + ahead(late));
        frame
    });
    let mut frames: Vec<_> = frames.collect();
    frames.sort_by_key(|frame| frame.at);
    frames
}

/// By construction: 15.0 ms each way for 750 s, in which the clock at the servers gains 15 ms; or is set by 15 ms.
#[test]
fn a_clock_that_drifts_is_followed_and_one_that_was_set_is_not() {
    let folder = Folder::new("drift");
    let at_client = every_five_seconds(150, ["read length=512", ""], "read data=512");
    let client = file_of(&folder, "client.pcap", &at_client);
    let drifts = far_away(&at_client, |late| late / 50_000);
    let server = file_of(&folder, "server.pcap", &drifts);
    for (files, sign) in [([&client, &server], 1), ([&server, &client], -1)] {
        let joined = between(files[0], files[1]).unwrap();
        let near = |found: i64, truth: i64, most: i64| {
            assert!((found - truth).abs() <= most, "{found}, {truth}: {joined}");
        };
        let clock = &joined["clock"];
        near(number(clock, "drift_ppb"), sign * 20_000, 100);
        near(number(clock, "shortest_round_trip_ns"), 30_000_000, 100_000);
        for row in joined["by_client"].as_array().unwrap() {
            for way in ["request_way_ns", "response_way_ns"] {
                for of in ["least", "median", "most"] {
                    near(number(&row[way], of), 15_000_000, 100_000);
                }
            }
        }
    }
    let set = far_away(&at_client, |late| match late < 375_000_000_000 {
        true => 0,
        false => 15_000_000,
    });
    let joined = between(&client, &file_of(&folder, "set.pcap", &set)).unwrap();
    assert!(joined["clock"].is_null(), "{joined}");
    assert_eq!(number(&joined, "clocks_moved_ns"), 15_000_000, "{joined}");
}

/// Data that follows that of the frame before is put together with it, as a client that offloads has it: its own headers, and
/// the length of all.
fn combined(frames: &[wirewait_synth::OwnedFrame]) -> Vec<wirewait_synth::OwnedFrame> {
    let data = |frame: &wirewait_synth::OwnedFrame| 34 + usize::from(frame.bytes[46] >> 4) * 4;
    let mut found: Vec<wirewait_synth::OwnedFrame> = Vec::new();
    let mut goes_on = false;
    for frame in frames {
        let full = frame.bytes.len() >= 1_514 && frame.bytes[26..30] == [10, 0, 0, 1];
        match found.last_mut() {
            Some(last) if goes_on => {
                last.bytes.extend_from_slice(&frame.bytes[data(frame)..]);
                last.wire_len = u32::try_from(last.bytes.len()).unwrap();
                let length = u16::try_from(last.bytes.len() - 14).unwrap();
                last.bytes[16..18].copy_from_slice(&length.to_be_bytes());
            }
            _ => found.push(frame.clone()),
        }
        goes_on = full;
    }
    found
}

/// Thirty writes of 20,000 bytes: the client captures each as one frame, and the server its parts. None is lost; then two are.
#[test]
fn parts_of_a_combined_segment_were_not_lost() {
    let folder = Folder::new("combined");
    let parts = every_five_seconds(
        30,
        ["write file=1 offset=0 data=20000", "| gap=0.00001"],
        "write count=20000",
    );
    let at_client = combined(&parts);
    assert!(at_client.len() + 300 < parts.len(), "{}", at_client.len());
    let client = file_of(&folder, "client.pcap", &at_client);
    let mut at_server = far_away(&parts, |_| 0);
    let server = file_of(&folder, "server.pcap", &at_server);
    let joined = between(&client, &server).unwrap();
    for way in ["to_servers", "to_clients"] {
        assert_eq!(number(&joined[way], "lost"), 0, "{joined}");
        assert_eq!(number(&joined[way], "only_behind"), 0, "{joined}");
    }
    let from_client = parts
        .iter()
        .filter(|frame| frame.bytes[26..30] == [10, 0, 0, 1]);
    let sent = i64::try_from(from_client.count()).unwrap();
    assert_eq!(number(&joined["to_servers"], "sent"), sent, "{joined}");
    assert_eq!(number(&joined["to_servers"], "combined"), 30, "{joined}");
    assert_eq!(number(&joined, "requests_with_lost_frames"), 0, "{joined}");
    assert_eq!(
        number(&joined["clock"], "shortest_round_trip_ns"),
        30_000_000
    );
    assert_eq!(number(&joined["clock"], "second_ahead_ns"), 0);
    let full = |frame: &wirewait_synth::OwnedFrame| frame.bytes.len() >= 1_514;
    for from in [100, 200] {
        let lost = (from..at_server.len())
            .find(|at| full(&at_server[*at]))
            .unwrap();
        at_server.remove(lost);
    }
    let server = file_of(&folder, "lossy.pcap", &at_server);
    let joined = between(&client, &server).unwrap();
    assert_eq!(number(&joined["to_servers"], "lost"), 2, "{joined}");
    assert_eq!(number(&joined["to_servers"], "only_behind"), 0, "{joined}");
}

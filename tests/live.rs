//! `wirewait live`: against dumpcap on the same wire, with a real server, and with everything
//! that can go wrong. Needs root and network namespaces; where they are missing it says so, and
//! fails where they are required.

use crate::support::{Folder, root};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::{Mutex, PoisonError};

fn wirewait(args: &[&str]) -> Output {
    crate::support::program()
        .args(args)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// One at a time: each builds a network and keeps a processor busy.
static LAB: Mutex<()> = Mutex::new(());

/// One step of the script that builds a network for it.
fn lab(step: &str) {
    let _one = LAB.lock().unwrap_or_else(PoisonError::into_inner);
    let output = Command::new(root().join("scripts/live-lab.sh"))
        .arg(env!("CARGO_BIN_EXE_wirewait"))
        .arg(step)
        .output()
        .unwrap();
    let said = text(&output.stdout) + &text(&output.stderr);
    match output.status.code() {
        Some(0) => {
            assert!(
                said.contains("ok: ") && said.ends_with("all well\n"),
                "{said}"
            );
            eprintln!("{said}");
        }
        Some(77) => {
            assert!(
                std::env::var_os("WIREWAIT_REQUIRE_LIVE").is_none(),
                "live capture is required here: {said}"
            );
            eprintln!("SKIPPED: live {step}: {said}");
        }
        _ => panic!("{said}"),
    }
}

#[test]
fn live_samba_is_what_dumpcap_saved() {
    lab("samba");
}

#[test]
fn live_old_protocols_are_what_dumpcap_saved() {
    lab("replay");
}

#[test]
fn live_several_interfaces_are_what_dumpcap_saved() {
    lab("several");
}

#[test]
fn live_an_interface_that_goes_away_is_survived() {
    lab("gone");
}

#[test]
fn live_rights_are_given_up() {
    lab("rights");
}

#[test]
fn live_bad_input_and_signals() {
    lab("input");
}

#[test]
fn live_interfaces_are_listed_without_rights() {
    let output = wirewait(&["live", "-D"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(
        text(&output.stdout)
            .lines()
            .any(|line| line.contains("loopback")),
        "{}",
        text(&output.stdout)
    );
}

#[test]
fn live_refuses_what_makes_no_sense() {
    for args in [
        &["live", "eth0"][..],
        &["live", "-", "-i", "eth0"],
        &["live", "--duration", "0"],
        &["live", "--count", "0"],
        &["live", "--once", "--duration", "5"],
        &["live", "--fail-if", "p99 > +10%"],
        &["live", "--explain", "--format", "json"],
        &["live", "--buffer", "7"],
    ] {
        let output = wirewait(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
    }
}

/// A capture in a pipe is analysed as the file is: one of any age, and one whose clock steps.
#[test]
fn live_a_pipe_gives_the_report_of_the_file() {
    for file in ["demo", "capture/clock-step", "capture/snaplen-96"] {
        piped(&root().join(format!("captures/{file}.pcapng")), &[]);
    }
}

/// Two requests outstanding at once are two by the identifiers of the table, and one by turn.
#[test]
fn live_reads_last_by_the_users_table() {
    let file = root().join("captures/last/outstanding.pcapng");
    let table = root().join("dev/synth/last.csv");
    let named = piped(&file, &["--last-profile", table.to_str().unwrap()]);
    let by_turn = piped(&file, &[]);
    let guessed = |document: &serde_json::Value| {
        let reasons = document["capture"]["quality"]["reasons"]
            .as_array()
            .unwrap();
        reasons
            .iter()
            .any(|reason| reason["name"] == "guessed_roles")
    };
    assert!(guessed(&by_turn) && !guessed(&named), "{named}");
}

/// The document that both write.
fn piped(file: &Path, more: &[&str]) -> serde_json::Value {
    let file_name = file.to_str().unwrap();
    let saved = wirewait(&[&["report", "--format", "json", file_name], more].concat());
    let live = crate::support::program()
        .args(["live", "-", "--format", "json"])
        .args(more)
        .stdin(std::fs::File::open(file).unwrap())
        .output()
        .unwrap();
    assert!(live.status.success(), "{}", text(&live.stderr));
    let mut documents = [&saved, &live]
        .map(|output| serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap());
    for document in &mut documents {
        document["capture"]["files"].take();
    }
    assert_eq!(documents[0], documents[1]);
    let [_, live] = documents;
    live
}

/// What is watched without a screen is saved all the same: what is saved gives the same report.
#[test]
fn live_without_a_screen_frames_are_saved_too() {
    let folder = Folder::new("saved");
    let saved = folder.join("saved.pcapng");
    let demo = root().join("captures/demo.pcapng");
    let live = crate::support::program()
        .args(["live", "-", "--save"])
        .arg(&saved)
        .stdin(std::fs::File::open(&demo).unwrap())
        .output()
        .unwrap();
    let said = text(&live.stderr);
    assert!(live.status.success(), "{said}");
    assert!(said.contains("2,702 frames saved"), "{said}");
    // But for the name of the file.
    let rows = |file: &Path| {
        let name = file.to_str().unwrap();
        let args = ["transactions", "--format", "ndjson", name];
        let text = text(&wirewait(&args).stdout);
        assert!(text.contains(&format!("\"file\":\"{name}\"")), "{text}");
        text.replace(name, "FILE")
    };
    assert_eq!(rows(&saved), rows(&demo));
}

//! The program `wirewait-synth`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn synth(args: &[&Path]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wirewait-synth"));
    command.args(args).current_dir(root()).output().unwrap()
}

fn folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("program");
    fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn the_shipped_capture_is_made_again() {
    let made = folder().join("made.pcapng");
    let scenario = Path::new("captures/ncp/retransmitted.scenario");
    let output = synth(&[scenario, Path::new("-o"), &made]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    let shipped = fs::read(root().join("captures/ncp/retransmitted.pcapng")).unwrap();
    assert_eq!(fs::read(made).unwrap(), shipped);
}

#[test]
fn a_name_that_ends_in_pcap_gets_that_format() {
    let made = folder().join("made.pcap");
    let scenario = Path::new("captures/ncp/retransmitted.scenario");
    let output = synth(&[scenario, Path::new("-o"), &made]);
    assert_eq!(output.status.code(), Some(0));
    // Nanoseconds, in this machine's order of bytes.
    assert_eq!(fs::read(made).unwrap()[..4], 0xa1b2_3c4d_u32.to_ne_bytes());
}

#[test]
fn a_mistake_is_reported_with_its_place() {
    let wrong = folder().join("wrong.scenario");
    fs::write(&wrong, b"title x\nnonsense\n").unwrap();
    let made = folder().join("none.pcapng");
    let output = synth(&[&wrong, Path::new("-o"), &made]);
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("wrong.scenario:2:1"), "{said}");
    assert!(!made.exists());
}

#[test]
fn arguments_are_required() {
    let output = synth(&[Path::new("a.scenario")]);
    assert_eq!(output.status.code(), Some(2));
}

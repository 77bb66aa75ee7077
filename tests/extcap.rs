//! wirewait as a source in Wireshark: tshark lists it, captures over it, and shows its comments.

use crate::annotate::{capture, commented, numbers, tshark};
use crate::support::{copied_program, program, root, shared_folder};
use std::fs::File;
use std::net::UdpSocket;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

fn folder(name: &str) -> PathBuf {
    let folder = root().join("target/extcap").join(name);
    shared_folder(&folder);
    folder
}

#[test]
fn frames_from_a_pipe_keep_their_bytes_and_get_comments() {
    let capture = capture("demo");
    let out = folder("pipe").join("demo.pcapng");
    let done = program()
        .args(["live", "-", "--format", "pcapng", "-o"])
        .arg(&out)
        .stdin(File::open(&capture).unwrap())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success() && said.is_empty(), "{said}");
    let bytes = |path| tshark(path, &["-x", "-t", "e"]);
    let (Some(before), Some(after)) = (bytes(&capture), bytes(&out)) else {
        return;
    };
    assert!(before == after, "frames differ");
    let slow = numbers(&capture, "smb2.time > 0.1 && smb2.cmd == 8", "frame.number").unwrap();
    assert!(slow.len() >= 10);
    assert_eq!(
        commented(&out, "response to the slow smb2 READ").unwrap(),
        slow
    );
}

#[test]
fn wireshark_is_answered() {
    let done = program()
        .args(["--extcap-interfaces", "--extcap-version=4.0"])
        .output()
        .unwrap();
    assert!(done.status.success());
    let text = String::from_utf8(done.stdout).unwrap();
    assert!(text.starts_with("extcap {version="), "{text}");
    let wrong = program()
        .args(["--extcap-interface", "wirewait-lo", "--capture"])
        .output()
        .unwrap();
    assert_eq!(wrong.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("--fifo"));
}

/// As a user that may capture: for root, tshark ignores folders of the environment.
#[cfg(target_os = "linux")]
#[test]
fn tshark_captures_over_it() {
    let folder = folder("sources");
    copied_program(&folder.join("wirewait"));
    let tshark = |arguments: &[&str]| {
        let mut command = Command::new("setpriv");
        let may = "+net_raw,+net_admin";
        command.args(["--reuid", "65534", "--regid", "65534", "--clear-groups"]);
        command.args(["--inh-caps", may, "--ambient-caps", may, "tshark"]);
        command.args(arguments).stdin(Stdio::null());
        command
            .env("WIRESHARK_EXTCAP_DIR", &folder)
            .env("HOME", &folder);
        command
    };
    let listed = tshark(&["-D"]).output();
    let listed = listed.map(|done| String::from_utf8_lossy(&done.stdout).into_owned());
    let able = listed
        .as_ref()
        .is_ok_and(|text| text.contains("wirewait-lo"));
    if !able {
        let required = std::env::var_os("WIREWAIT_REQUIRE_LIVE").is_some();
        assert!(!required, "tshark does not list it: {listed:?}");
        println!("SKIPPED: tshark does not list it here: {listed:?}");
        return;
    }
    let out = folder.join("captured.pcapng");
    let _ = std::fs::remove_file(&out);
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let to = socket.local_addr().unwrap();
    let filter = format!("udp port {}", to.port());
    let arguments = [
        "-i",
        "wirewait-lo",
        "-f",
        &filter,
        "-c",
        "10",
        "-w",
        out.to_str().unwrap(),
    ];
    let mut running = tshark(&arguments).stderr(Stdio::piped()).spawn().unwrap();
    let begun = Instant::now();
    while running.try_wait().unwrap().is_none() {
        socket.send_to(b"asked of nobody", to).unwrap();
        std::thread::sleep(Duration::from_millis(20));
        if begun.elapsed() > Duration::from_secs(60) {
            let _ = running.kill();
        }
    }
    let said = running.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&said.stderr).into_owned();
    let shown = crate::annotate::tshark(
        &out,
        &[
            "-T",
            "fields",
            "-e",
            "data.text",
            "-e",
            "udp.port",
            "-o",
            "data.show_as_text:TRUE",
        ],
    );
    let shown = shown.unwrap();
    assert_eq!(shown.lines().count(), 10, "{said}\n{shown}");
    assert!(
        shown
            .lines()
            .all(|line| line.starts_with("asked of nobody")),
        "{shown}"
    );
}

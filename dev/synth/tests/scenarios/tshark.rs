//! tshark as an independent judge: it must read every capture as it is meant, and show the
//! values that the scenario says it shows (right or wrong ones).

use crate::common::scenarios;
use std::path::Path;
use std::process::Command;
use std::thread;
use wirewait_synth::Scenario;
use wirewait_synth::scenario::TsharkSays;

#[test]
fn tshark_reads_the_captures_as_meant() {
    if Command::new("tshark").arg("--version").output().is_err() {
        assert!(
            std::env::var_os("WIREWAIT_REQUIRE_TSHARK").is_none(),
            "tshark is required and not there"
        );
        eprintln!("SKIPPED: tshark is not installed, so nothing judged the captures");
        return;
    }
    let scenarios = scenarios();
    // A run of tshark is mostly its start: several at a time.
    let wrong: Vec<String> = thread::scope(|scope| {
        let judges: Vec<_> = scenarios
            .chunks(scenarios.len().div_ceil(4))
            .map(|chunk| {
                scope.spawn(move || {
                    let judged = chunk.iter().map(|(path, scenario)| judge(path, scenario));
                    judged.flatten().collect::<Vec<_>>()
                })
            })
            .collect();
        judges
            .into_iter()
            .flat_map(|judge| judge.join().unwrap())
            .collect()
    });
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// Where tshark sees something else than what is meant.
fn judge(path: &Path, scenario: &Scenario) -> Vec<String> {
    let mut wrong = Vec::new();
    let made = std::env::temp_dir().join(format!(
        "wirewait-synth-{}-{}.pcapng",
        std::process::id(),
        path.display().to_string().replace(['/', '\\', ':'], "_")
    ));
    std::fs::write(&made, scenario.pcapng()).unwrap();
    let says = &scenario.answer().tshark;
    // Malformed frames and expert errors must be announced, or not be there.
    let sick = "_ws.expert.severity == error";
    let announced = says
        .iter()
        .any(|say| matches!(say, TsharkSays::Count { filter, .. } if filter == sick));
    let filter = if announced {
        "_ws.malformed".to_owned()
    } else {
        format!("_ws.malformed || {sick}")
    };
    // A long study is more of the same: its beginning is judged.
    let beginning = ["-c", "3000"];
    let part = if says.is_empty() { &beginning[..] } else { &[] };
    let found = tshark(&made, &[part, &["-Y", &filter]].concat())
        .lines()
        .count();
    if found != 0 {
        wrong.push(format!("{}: {found} frames with {filter}", path.display()));
    }
    for say in says {
        match say {
            TsharkSays::Count {
                line,
                filter,
                frames: expected,
            } => {
                let found = frames(&made, filter);
                if found != *expected {
                    wrong.push(format!(
                        "{}:{line}: {found} frames match {filter}, not {expected}",
                        path.display()
                    ));
                }
            }
            TsharkSays::Field { line, name, values } => {
                let found = field(&made, name);
                if found != *values {
                    wrong.push(format!("{}:{line}: {name} is {found:?}", path.display()));
                }
            }
        }
    }
    std::fs::remove_file(&made).unwrap();
    wrong
}

fn tshark(file: &Path, arguments: &[&str]) -> String {
    let output = Command::new("tshark")
        // Checksums are part of what is judged.
        .args([
            "-o",
            "tcp.check_checksum:TRUE",
            "-o",
            "ip.check_checksum:TRUE",
        ])
        .arg("-r")
        .arg(file)
        .args(arguments)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "tshark {arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn frames(file: &Path, filter: &str) -> u64 {
    tshark(file, &["-Y", filter]).lines().count() as u64
}

/// All values of a field, times 10^9.
fn field(file: &Path, name: &str) -> Vec<i64> {
    tshark(file, &["-Y", name, "-T", "fields", "-e", name])
        .split(|c: char| c == ',' || c.is_whitespace())
        .filter(|text| !text.is_empty())
        .map(|text| {
            let (sign, text) = text.strip_prefix('-').map_or((1, text), |rest| (-1, rest));
            let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
            let whole: i64 = whole.parse().unwrap();
            let fraction: i64 = format!("{fraction:0<9}").parse().unwrap();
            sign * (whole * 1_000_000_000 + fraction)
        })
        .collect()
}

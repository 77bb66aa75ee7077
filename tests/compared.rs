//! What `compare` says of two captures, against the logs of those who made them: the laboratory in
//! virtual time (`tests/known.rs`) makes a run in which nothing is wrong, and others in which one thing
//! is. From the logs alone follow the direction, whether it is sure, and whose it is.

use crate::known::{CARRIERS, TROUBLES};
use crate::support::{Folder, program};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use wirewait_synth::lab::{LabCase, LabEnd, LabRun};

/// What is compared with a run in which nothing is wrong.
const FAULTS: [&str; 15] = [
    "sleep-8ms",
    "sleep-every-20th-80ms",
    "sleep-one-file-20ms",
    "think-20ms",
    "think-5ms",
    "way-0.2ms",
    "way-10ms",
    "lost-requests-2",
    "lost-responses-2",
    "lost-both-5",
    "rate-4mbit",
    "sleep-8ms-way-2ms",
    "sleep-8ms-think-2ms",
    "think-4ms-way-10ms",
    "clients-6",
];

/// Where one is to be named alone: server and client have no way in them that is not known to be
/// short, as the shortest request is. NetBEUI's link answers by itself, so that the way to the server
/// is known, too.
const ALONE: [(&str, &str, Option<LabEnd>); 11] = [
    ("ncp-ipx-sleep-8ms", "server", None),
    ("ncp-ipx-sleep-every-20th-80ms", "server", None),
    ("ncp-ipx-think-20ms", "client", None),
    ("smb-ipx-sleep-8ms", "server", None),
    ("smb-ipx-think-20ms", "client", None),
    ("nbf-sleep-8ms", "server", None),
    ("nbf-sleep-every-20th-80ms", "server", None),
    ("nbf-think-20ms", "client", None),
    ("nbf-think-5ms", "client", None),
    ("nbf-lost-both-5", "network", None),
    ("nbf-way-10ms", "network", Some(LabEnd::Client)),
];

/// Rows that are known to fall short: nothing at the server shows that a request was lost on its way,
/// and the pause is longer than the think limit, so that it is idle. That is said; no name is.
const WITHOUT_A_NAME: [(&str, LabEnd); 2] = [
    ("ncp-ipx-lost-requests-2", LabEnd::Server),
    ("smb-ipx-lost-requests-2", LabEnd::Server),
];

const PARTS: usize = 8;

/// Of a run, by its logs: each one's time for a request, ns, and that of eight parts of the run.
struct Truth {
    each: [f64; 3],
    parts: Vec<f64>,
}

impl Truth {
    fn of(run: &LabRun) -> Self {
        let truth = run.truth();
        let n = run.calls.len() as f64;
        let each = [truth.client, truth.network, truth.server].map(|ns| ns as f64 / n);
        // Of one client, and with the pause before each call.
        let mut parts = vec![0.0; PARTS];
        let mut before = None;
        for (number, call) in run.calls.iter().enumerate() {
            let from = before.filter(|(client, _)| *client == call.client);
            let from = from.map_or(call.asked, |(_, answered)| answered);
            let part = number * PARTS / run.calls.len();
            parts[part] += (call.answered - from) as f64;
            before = Some((call.client, call.answered));
        }
        Self { each, parts }
    }

    fn all(&self) -> f64 {
        self.each.iter().sum()
    }
}

const WHO: [&str; 3] = ["client", "network", "server"];

fn compared(base: &Path, other: &Path) -> Value {
    let output = program()
        .args(["compare", "--format", "json"])
        .args([base, other])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", other.display());
    let mut json: Value = serde_json::from_slice(&output.stdout).unwrap();
    json["configurations"][1]["verdict"].take()
}

fn text<'a>(verdict: &'a Value, of: &str) -> &'a str {
    verdict[of].as_str().unwrap_or("nobody")
}

/// What is wrong with a verdict; `slower` is whether the other is the one with the fault.
fn wrong(
    name: &str,
    end: LabEnd,
    truths: [&Truth; 2],
    verdict: &Value,
    slower: bool,
) -> Vec<String> {
    let [none, fault] = truths;
    let (effect, culprit) = (text(verdict, "effect"), text(verdict, "culprit"));
    let mut wrong = Vec::new();
    let times = fault.all() / none.all();
    let expected = if slower { "slower" } else { "faster" };
    let usual = none.parts.iter().copied().fold(0.0, f64::max);
    let longer = fault.parts.iter().filter(|ns| **ns > usual * 1.5).count();
    // Six of eight parts longer than all of the other's come by chance in 90 of 12,870 ways; to an
    // end of the line the parts may be a request earlier or later.
    let sure = longer >= 7 && times >= 1.2;
    let right = match effect {
        "too_few_samples" => !sure && times >= 2.0,
        "none" => times < 1.2,
        effect => effect == expected && times >= 1.05,
    };
    if !right {
        wrong.push(format!(
            "{effect}, and it takes {times:.2} times as long ({longer} parts)"
        ));
    }
    let grown: Vec<f64> = (0..3).map(|n| fault.each[n] - none.each[n]).collect();
    let most = (0..3)
        .max_by(|a, b| grown[*a].total_cmp(&grown[*b]))
        .unwrap();
    let named = culprit.contains(WHO[most]) || effect == "none";
    if !named && !WITHOUT_A_NAME.contains(&(name, end)) {
        wrong.push(format!("{culprit} is named, and it is the {}", WHO[most]));
    }
    for (of, who, at) in ALONE {
        if of == name && at.is_none_or(|at| at == end) && culprit != who {
            wrong.push(format!("{culprit} is named, and the {who} alone can be"));
        }
    }
    wrong
}

/// Captures of a run at both ends.
fn captured(folder: &Path, name: &str, run: &LabRun) -> [PathBuf; 2] {
    LabEnd::BOTH.map(|end| {
        let path = folder.join(format!("{name}-{end:?}.pcapng"));
        std::fs::write(&path, run.file(end)).unwrap();
        path
    })
}

fn judged(carrier: &str, folder: &Path) -> (usize, Vec<String>) {
    let kind = CARRIERS
        .iter()
        .find(|(name, _)| *name == carrier)
        .unwrap()
        .1;
    let made = |name: &str| {
        let mut case = LabCase::new(format!("{carrier}-{name}"), kind);
        if let Some((_, trouble)) = TROUBLES.iter().find(|(of, _)| *of == name) {
            trouble(&mut case);
        }
        let run = case.run();
        (captured(folder, &case.name, &run), Truth::of(&run))
    };
    let (none, nothing) = made("none");
    let (again, _) = made("again");
    let mut rows = 0;
    let mut all = Vec::new();
    let mut row = |name: &str, wrong: Vec<String>, verdict: &Value| {
        rows += 1;
        let said = text(verdict, "sentence");
        all.extend(wrong.iter().map(|wrong| format!("{name}: {wrong}: {said}")));
    };
    let unchanged = |verdict: &Value| match text(verdict, "effect") {
        "none" => Vec::new(),
        effect => vec![format!("{effect}, and nothing changed")],
    };
    for end in LabEnd::BOTH {
        // Nothing is wrong in either; chance is another.
        let verdict = compared(&none[end as usize], &again[end as usize]);
        row(
            &format!("{carrier}-again {end:?}"),
            unchanged(&verdict),
            &verdict,
        );
    }
    for fault in FAULTS {
        let (captures, truth) = made(fault);
        let name = format!("{carrier}-{fault}");
        for end in LabEnd::BOTH {
            let (base, other) = (&none[end as usize], &captures[end as usize]);
            for (verdict, slower) in [
                (compared(base, other), true),
                (compared(other, base), false),
            ] {
                let wrong = wrong(&name, end, [&nothing, &truth], &verdict, slower);
                row(&format!("{name} {end:?} {slower}"), wrong, &verdict);
            }
        }
        // The same traffic, at two places.
        let [client, server] = &captures;
        for (base, other) in [(client, server), (server, client)] {
            let verdict = compared(base, other);
            row(&format!("{name} both ends"), unchanged(&verdict), &verdict);
        }
    }
    (rows, all)
}

#[test]
fn a_comparison_agrees_with_the_logs_of_both_captures() {
    let folder = Folder::new("compared");
    let carriers = ["ncp-ipx", "smb-ipx", "nbf"];
    let next = AtomicUsize::new(0);
    let done = Mutex::new((0, Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(carrier) = carriers.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let (rows, wrong) = judged(carrier, &folder);
                    let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
                    done.0 += rows;
                    done.1.extend(wrong);
                }
            });
        }
    });
    let (rows, wrong) = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    assert_eq!(rows, carriers.len() * (2 + 6 * FAULTS.len()));
    assert!(
        wrong.is_empty(),
        "{} of {rows} are wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// Real servers, from the laboratory of captures with logs.
#[test]
fn real_captures_of_one_traffic_at_two_ends_do_not_differ() {
    let Some(folder) = crate::support::captures("compare") else {
        return;
    };
    let lab = |name: &str| folder.join("lab").join(name);
    for name in [
        "04_smb2_202_delay5ms_server_egress",
        "ncp3_8022_slowserver_requestbeingprocessed",
    ] {
        let [client, server] = ["cli", "srv"].map(|end| lab(&format!("{name}_{end}.pcap")));
        for (base, other) in [(&client, &server), (&server, &client)] {
            let verdict = compared(base, other);
            let said = (text(&verdict, "effect"), text(&verdict, "culprit"));
            assert_eq!(said, ("none", "nobody"), "{name}: {verdict}");
        }
    }
    // The same kind of work with other requests, in parts that differ much; 3 % of the frames were lost.
    let [fine, lossy] = [
        "01_smb1_nt1_port139_records_1client_srv.pcap",
        "10_loss3pct_dup1pct_reorder2pct_srv.pcap",
    ]
    .map(lab);
    let verdict = compared(&fine, &lossy);
    let said = (text(&verdict, "effect"), text(&verdict, "culprit"));
    assert_eq!(said, ("slower", "network"), "{verdict}");
    // tshark finds no retransmission in the first.
    let losses = &verdict["by_losses"];
    assert_eq!(losses["baseline_repeated"], 0, "{verdict}");
    assert!(losses["repeated"].as_u64().unwrap() > 8, "{verdict}");
}

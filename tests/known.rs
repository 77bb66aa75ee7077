//! The laboratory of known culprits for protocols that no server at hand speaks any more: NCP and SMB
//! over IPX, UDP, NetBEUI and NBIPX, in virtual time (`wirewait_synth::lab`). Each case is captured at
//! both ends. What `wirewait report --format json` prints of a capture must agree with the logs of
//! those who made it: the share of each within the printed interval, the culprit right, and the
//! interval narrow wherever the wire has evidence.
//!
//! `WIREWAIT_LAB=FOLDER` keeps captures, logs and the table.

use crate::support::{Folder, program};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use wirewait_synth::lab::{LabCarrier, LabCase, LabEnd, LabRun, LabTruth, LabWay};

/// By how many thousandths a printed interval may miss the truth: the capture begins and ends a little
/// later than the logs.
const TOLERANCE: i64 = 15;
/// Intervals are narrower than this, in thousandths, where there is evidence.
const NARROW: i64 = 150;
/// A culprit that is ahead by less is not clear.
const CLEAR: i64 = 20;

const MS: i64 = 1_000_000;

pub(crate) const CARRIERS: [(&str, LabCarrier); 6] = [
    ("ncp-ipx", LabCarrier::NcpIpx),
    ("ncp-udp", LabCarrier::NcpUdp),
    ("smb-ipx", LabCarrier::SmbIpx),
    ("nbf", LabCarrier::Nbf),
    ("nbf-poll", LabCarrier::NbfPoll),
    ("nbipx", LabCarrier::Nbipx),
];

/// What goes wrong: its name, and what it does to a case.
pub(crate) type Trouble = (&'static str, fn(&mut LabCase));

fn far(case: &mut LabCase, ns: i64) {
    for way in &mut case.ways {
        way.ns = ns;
    }
}

/// Hundredths of a per cent.
fn lossy(case: &mut LabCase, lost: [u64; 2]) {
    for (way, lost) in case.ways.iter_mut().zip(lost) {
        way.lost = lost;
    }
}

pub(crate) const TROUBLES: &[Trouble] = &[
    ("none", |_| {}),
    ("sleep-8ms", |c| c.sleep_ns = 8 * MS),
    ("sleep-every-20th-80ms", |c| {
        (c.sleep_ns, c.sleep_every) = (80 * MS, 20);
    }),
    ("sleep-one-file-20ms", |c| {
        (c.sleep_ns, c.sleep_file) = (20 * MS, Some(1));
    }),
    // Longer than any time-out of the stations.
    ("sleep-1200ms", |c| {
        (c.sleep_ns, c.reads) = (1200 * MS, 24);
    }),
    ("sleep-350ms-way-2ms", |c| {
        (c.sleep_ns, c.reads) = (350 * MS, 24);
        far(c, 2 * MS);
    }),
    ("think-20ms", |c| c.think_ns = 20 * MS),
    ("think-5ms", |c| c.think_ns = 5 * MS),
    ("think-350ms", |c| {
        (c.think_ns, c.reads) = (350 * MS, 24);
    }),
    ("way-0.2ms", |c| far(c, MS / 5)),
    ("way-2ms", |c| far(c, 2 * MS)),
    ("way-10ms", |c| far(c, 10 * MS)),
    ("way-20ms", |c| far(c, 20 * MS)),
    ("lost-requests-2", |c| lossy(c, [200, 0])),
    ("lost-responses-2", |c| lossy(c, [0, 200])),
    ("lost-both-0.2", |c| {
        c.reads = 1000;
        lossy(c, [20, 20]);
    }),
    ("lost-both-5", |c| lossy(c, [500, 500])),
    ("late-1.5ms-way-4ms", |c| {
        c.size = 1400;
        far(c, 4 * MS);
        for way in &mut c.ways {
            (way.late, way.late_ns) = (500, 3 * MS / 2);
        }
    }),
    ("twice-5-way-2ms", |c| {
        far(c, 2 * MS);
        for way in &mut c.ways {
            way.twice = 500;
        }
    }),
    ("rate-4mbit", |c| {
        c.size = 1400;
        for way in &mut c.ways {
            way.rate = 500_000;
        }
    }),
    ("rate-0.5mbit", |c| {
        c.size = 1400;
        for way in &mut c.ways {
            way.rate = 62_500;
        }
    }),
    ("sleep-8ms-way-2ms", |c| {
        c.sleep_ns = 8 * MS;
        far(c, 2 * MS);
    }),
    ("sleep-2ms-way-10ms", |c| {
        c.sleep_ns = 2 * MS;
        far(c, 10 * MS);
    }),
    ("sleep-8ms-think-2ms", |c| {
        (c.sleep_ns, c.think_ns) = (8 * MS, 2 * MS);
    }),
    ("think-20ms-way-2ms", |c| {
        c.think_ns = 20 * MS;
        far(c, 2 * MS);
    }),
    ("think-4ms-way-10ms", |c| {
        c.think_ns = 4 * MS;
        far(c, 10 * MS);
    }),
    ("sleep-4ms-think-20ms-way-2ms", |c| {
        (c.sleep_ns, c.think_ns) = (4 * MS, 20 * MS);
        far(c, 2 * MS);
    }),
    ("sleep-20ms-lost-2", |c| {
        c.sleep_ns = 20 * MS;
        lossy(c, [200, 200]);
    }),
    ("think-20ms-lost-1", |c| {
        c.think_ns = 20 * MS;
        lossy(c, [100, 100]);
    }),
    ("clients-6", |c| c.clients = 6),
    ("clients-6-sleep-8ms", |c| {
        (c.clients, c.sleep_ns) = (6, 8 * MS);
    }),
    ("clients-15-way-2ms-workers-4", |c| {
        (c.clients, c.workers, c.reads) = (15, 4, 60);
        far(c, 2 * MS);
    }),
    // One of them is behind a way of its own, which the capture at the clients has in the server's time.
    ("clients-4-one-way-20ms", |c| {
        (c.clients, c.workers, c.far) = (4, 4, Some((1, 20 * MS)));
    }),
    ("clients-4-one-way-20ms-sleep-8ms", |c| {
        (c.clients, c.workers, c.far) = (4, 4, Some((1, 20 * MS)));
        c.sleep_ns = 8 * MS;
    }),
    // Its link was opened before the capture: of its own way, only turnarounds say something.
    ("clients-2-one-way-5ms-before", |c| {
        (c.clients, c.workers, c.far) = (2, 2, Some((1, 5 * MS)));
        c.before = Some(1);
    }),
    ("clients-2-one-way-5ms-before-sleep-8ms", |c| {
        (c.clients, c.workers, c.far) = (2, 2, Some((1, 5 * MS)));
        (c.before, c.sleep_ns) = (Some(1), 8 * MS);
    }),
    // That of the other one was, which is near.
    ("clients-2-one-way-5ms-near-before", |c| {
        (c.clients, c.workers, c.far) = (2, 2, Some((1, 5 * MS)));
        (c.before, c.sleep_ns) = (Some(0), 8 * MS);
    }),
    ("clients-4-lost-2", |c| {
        (c.clients, c.workers) = (4, 4);
        lossy(c, [200, 200]);
    }),
];

/// On links that cut messages into frames, also reads that need several.
const IN_PIECES: &[Trouble] = &[
    ("pieces", |c| c.size = 4096),
    ("pieces-way-2ms", |c| {
        c.size = 4096;
        far(c, 2 * MS);
    }),
    ("pieces-think-20ms-way-2ms", |c| {
        (c.size, c.think_ns) = (4096, 20 * MS);
        far(c, 2 * MS);
    }),
    ("pieces-sleep-8ms-way-2ms", |c| {
        (c.size, c.sleep_ns) = (4096, 8 * MS);
        far(c, 2 * MS);
    }),
    ("pieces-lost-2", |c| {
        c.size = 4096;
        lossy(c, [200, 200]);
    }),
    ("pieces-late-1.5ms-way-4ms", |c| {
        c.size = 4096;
        far(c, 4 * MS);
        for way in &mut c.ways {
            (way.late, way.late_ns) = (500, 3 * MS / 2);
        }
    }),
    ("pieces-rate-4mbit", |c| {
        c.size = 4096;
        for way in &mut c.ways {
            way.rate = 500_000;
        }
    }),
];

fn is_link(carrier: LabCarrier) -> bool {
    matches!(
        carrier,
        LabCarrier::Nbf | LabCarrier::NbfPoll | LabCarrier::Nbipx
    )
}

fn cases() -> Vec<LabCase> {
    let mut all = Vec::new();
    for (carrier_name, carrier) in CARRIERS {
        let pieces = if is_link(carrier) { IN_PIECES } else { &[] };
        for (name, trouble) in TROUBLES.iter().chain(pieces) {
            let mut case = LabCase::new(format!("{carrier_name}-{name}"), carrier);
            trouble(&mut case);
            all.push(case);
        }
    }
    all
}

/// Who can have the time, in the order of a row.
const WHO: [&str; 3] = ["client", "network", "server"];

/// Thousandths of the active time, by the logs.
fn shares(truth: LabTruth) -> [i64; 3] {
    [truth.client, truth.network, truth.server].map(|ns| ns * 1000 / truth.active())
}

/// Bytes that a read has on the line, there and back, for each that the shortest request and its answer have.
fn stretch(case: &LabCase) -> i64 {
    (i64::from(case.size) + 240) / 120
}

/// Whether the wire shows how much of the time this one has, as far as the description of the case
/// says so. What hides in a station's time is the way to it: it is known where the station's transport
/// answers by itself, and it is no longer than the shortest time that the station took. So there is
/// evidence, too, where the way and the cheapest request, for all requests together, are less than an
/// interval may be. Where all reads take long, the cheapest request is a short one; on a line that is as slow
/// as that allows, a read is on its way for as many times longer as it has more bytes.
fn has_evidence(case: &LabCase, end: LabEnd, who: usize, truth: LabTruth) -> bool {
    if hides_losses(case, end) {
        return false;
    }
    let requests = (case.reads * case.clients as u64) as i64;
    // The shortest frames, each way.
    let line = |way: &LabWay| (60 * 1_000_000_000_u64).checked_div(way.rate).unwrap_or(0) as i64;
    let way: i64 = case.ways.iter().map(|way| way.ns + line(way)).sum();
    let line = case.ways.iter().any(|way| way.rate > 0);
    // The way to a station and back, and what it needs besides.
    let known = |station: LabEnd, cheapest: i64, slow: bool| {
        let way = if station == end { 0 } else { way };
        let slow = slow || line && station != end;
        let stretch = if slow { stretch(case) } else { 1 };
        let far = case.far.map_or(0, |(_, ns)| 2 * ns * case.reads as i64);
        let far = if station == end { 0 } else { far };
        let most = ((way + cheapest) * requests + far) * stretch * 1000;
        let short = most < NARROW * 9 / 10 * truth.active();
        short
            || answers_by_itself(case, station)
                && (station == end || !line || shows_line(case, end))
    };
    let thinks = case.think_ns > 0;
    let sleeps = case.sleep_ns > 0 && case.sleep_every == 1 && case.sleep_file.is_none();
    let client = || known(LabEnd::Client, 90_000, thinks);
    let server = || known(LabEnd::Server, 200_000, sleeps);
    match who {
        0 => client(),
        2 => server(),
        _ => client() && server(),
    }
}

/// Whether something is lost before the capture that nothing in it can show: requests without a number of
/// their own, as all over IPX, on the way to the server; and responses that are lost once more where nobody
/// polls for them, on the way to the client.
fn hides_losses(case: &LabCase, end: LabEnd) -> bool {
    let [to_server, to_client] = [0, 1].map(|way| case.ways[way].lost);
    match (case.carrier, end) {
        (LabCarrier::NcpIpx | LabCarrier::SmbIpx, LabEnd::Server) => to_server > 0,
        (LabCarrier::Nbipx, LabEnd::Client) => to_client >= 500,
        _ => false,
    }
}

/// Whether something shows how long a frame of data takes on the line to the other end: at the server, what
/// acknowledges it at once; at the client, frames that follow each other.
fn shows_line(case: &LabCase, end: LabEnd) -> bool {
    let frames = usize::from(case.size).div_ceil(1400);
    frames > 1 || case.carrier == LabCarrier::NbfPoll && end == LabEnd::Server
}

/// Whether this station's transport answers at once what it is sent, without its program.
fn answers_by_itself(case: &LabCase, station: LabEnd) -> bool {
    let frames = usize::from(case.size).div_ceil(1400);
    match case.carrier {
        LabCarrier::NcpIpx | LabCarrier::NcpUdp | LabCarrier::SmbIpx => false,
        LabCarrier::NbfPoll => true,
        // Where a link was opened before, nothing was.
        _ if case.before.is_some() => false,
        // A server's link is opened by the link itself, and a client acknowledges every second frame at
        // once. Whether NBIPX accepts a call without its program is not documented.
        LabCarrier::Nbf => station == LabEnd::Server || frames > 1,
        LabCarrier::Nbipx => station == LabEnd::Client && frames > 1,
    }
}

struct Judged {
    row: String,
    wrong: Vec<String>,
}

fn judged(case: &LabCase, end: LabEnd, truth: LabTruth, capture: &Path) -> Judged {
    let report = program()
        .args(["report", "--format", "json"])
        .arg(capture)
        .output()
        .unwrap();
    assert!(report.status.success(), "{}", capture.display());
    let json: Value = serde_json::from_slice(&report.stdout).unwrap();
    let verdict = &json["verdict"];
    let named = verdict["culprit"].as_str().unwrap();
    let truths = shares(truth);
    let mut wrong = Vec::new();
    let mut printed = Vec::new();
    for (n, who) in WHO.iter().enumerate() {
        let side = |side: &str| verdict["shares"][who][side].as_i64().unwrap();
        let (low, high) = (side("low_per_mille"), side("high_per_mille"));
        printed.push(format!("{low}-{high}"));
        if low > truths[n] + TOLERANCE || high < truths[n] - TOLERANCE {
            wrong.push(format!("{who} is {} and not {low} to {high}", truths[n]));
        }
        if high - low >= NARROW && has_evidence(case, end, n, truth) {
            wrong.push(format!("{who}: {low} to {high} is wide"));
        }
    }
    let mut ranked = [0, 1, 2];
    ranked.sort_by_key(|n| -truths[*n]);
    let clear = truths[ranked[0]] - truths[ranked[1]] >= CLEAR;
    if clear && !named.contains(WHO[ranked[0]]) {
        wrong.push(format!("{named} was named"));
    }
    let row = format!(
        "| {} | {end:?} | {} | {} | {named} | {} |",
        case.name,
        truths.map(|share| share.to_string()).join(", "),
        printed.join(", "),
        wrong.join("; ")
    );
    Judged { row, wrong }
}

/// Where captures go that the user wants to keep.
fn kept() -> Option<PathBuf> {
    let folder = PathBuf::from(std::env::var_os("WIREWAIT_LAB")?);
    crate::support::shared_folder(&folder);
    Some(folder)
}

fn examined(case: &LabCase, folder: &Path) -> Vec<Judged> {
    let run = case.run();
    std::fs::write(folder.join(format!("{}.json", case.name)), run.log()).unwrap();
    LabEnd::BOTH
        .into_iter()
        .map(|end| {
            let name = format!("{}-at-{end:?}.pcapng", case.name).to_lowercase();
            let capture = folder.join(name);
            std::fs::write(&capture, run.file(end)).unwrap();
            judged(case, end, run.truth(), &capture)
        })
        .collect()
}

#[test]
fn the_verdict_agrees_with_the_logs_of_those_who_made_the_capture() {
    let (kept, own) = (kept(), Folder::new("known"));
    let folder = kept.as_deref().unwrap_or(&own);
    let only = std::env::var("WIREWAIT_LAB_ONLY").unwrap_or_default();
    let mut cases = cases();
    cases.retain(|case| case.name.contains(&only));
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let rows = examined(case, folder);
                    let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
                    done.push((case.name.clone(), rows));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    assert_eq!(done.len(), cases.len());
    done.sort_by_key(|(name, _)| cases.iter().position(|case| case.name == *name));
    let rows: Vec<&Judged> = done.iter().flat_map(|(_, rows)| rows).collect();
    if kept.is_some() {
        let table: Vec<&str> = rows.iter().map(|row| row.row.as_str()).collect();
        std::fs::write(folder.join("table.md"), table.join("\n")).unwrap();
    }
    let wrong: Vec<&str> = rows
        .iter()
        .filter(|row| !row.wrong.is_empty())
        .map(|row| row.row.as_str())
        .collect();
    assert!(
        wrong.is_empty(),
        "{} of {} rows are wrong:\n{}",
        wrong.len(),
        rows.len(),
        wrong.join("\n")
    );
}

/// The same case gives the same frames, and what its wire and its stations did is in its logs.
#[test]
fn the_laboratory_does_what_it_is_told() {
    let mut case = LabCase::new("ncp-ipx-told", LabCarrier::NcpIpx);
    (case.sleep_ns, case.sleep_every, case.think_ns) = (80 * MS, 20, 5 * MS);
    lossy(&mut case, [500, 300]);
    let run: LabRun = case.run();
    assert_eq!(run.file(LabEnd::Client), case.run().file(LabEnd::Client));
    let sent = |end| run.frames(end).len() as i64;
    let lost = |way: usize| run.lost[way] as i64;
    // Each end has what it sent, and of what the other sent what was not lost.
    assert_eq!(
        sent(LabEnd::Client) - sent(LabEnd::Server),
        lost(0) - lost(1)
    );
    assert!(run.lost.iter().all(|lost| *lost > 0));
    assert!(run.repeated.iter().sum::<u64>() >= run.lost.iter().sum());
    let log: Value = serde_json::from_str(&run.log()).unwrap();
    assert_eq!(log["calls"].as_array().unwrap().len(), run.calls.len());
    assert_eq!(log["lost"][0].as_u64(), Some(run.lost[0]));
    // 120 reads: six of them asleep, each thought about.
    let truth = run.truth();
    assert!((6 * 80 * MS..6 * 80 * MS + 30 * MS).contains(&truth.server));
    assert!((120 * 5 * MS..120 * 5 * MS + 20 * MS).contains(&truth.client));
}

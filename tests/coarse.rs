//! A capture whose clock ticks: stamps of fine captures, made coarse by rounding down. What the fine capture
//! says is the answer: each share that is printed of the coarse one must hold it, and no other may be named.

use crate::support::{Analysis, analyse_frames, captures, owned_frames};
use wirewait_judge::{Culprit, Doubt, Finding, Verdict, row_parts};
use wirewait_synth::OwnedFrame;
use wirewait_synth::lab::{LabCarrier, LabCase, LabEnd};
use wirewait_wire::Timestamp;

const MS: i64 = 1_000_000;

/// Of a millisecond, of ten, of a PC (18.2 a second), and of a second.
const TICKS: [i64; 4] = [MS, 10 * MS, 54_925_400, 1_000 * MS];

/// Captures of the laboratory without losses.
const LAB: [&str; 8] = [
    "01_smb1_nt1_port139_records_1client_srv.pcap",
    "04_smb2_202_delay5ms_server_egress_cli.pcap",
    "04_smb2_202_delay5ms_server_egress_srv.pcap",
    "07_smb3_311_encrypted_srv.pcap",
    "09_midconnection_start_nt1_smb2_srv.pcap",
    "nbf1_llc2_smb1_3clients_srv.pcap",
    "ncp1_ethernet_ii_1client_srv.pcap",
    "ncp3_8022_slowserver_requestbeingprocessed_cli.pcap",
];

/// Stamped by a clock that ticks.
fn coarse(frames: &[OwnedFrame], tick: i64) -> Vec<OwnedFrame> {
    let mut frames = frames.to_vec();
    for frame in &mut frames {
        let at = frame.at.as_nanos();
        frame.at = Timestamp::from_nanos(at - at.rem_euclid(tick));
    }
    frames
}

/// What is wrong with what a coarse capture says, where the fine one says this.
fn wrong(name: &str, tick: i64, (fine, coarse): (&Analysis, &Analysis)) -> Vec<String> {
    let mut wrong = Vec::new();
    let found = coarse.snapshot.tick.ns;
    if found < tick as u64 {
        wrong.push(format!("{name}: a tick of {found}, not {tick}"));
    }
    let (of, said) = (Verdict::on(&fine.snapshot), Verdict::on(&coarse.snapshot));
    let shares = |verdict: &Verdict| {
        Culprit::ALL.map(|of| {
            let share = verdict.share(of).thousandths;
            (share.low, share.high)
        })
    };
    println!(
        "{name} {tick}: {} {:?}, {} {:?}",
        of.finding.name(),
        shares(&of),
        said.finding.name(),
        shares(&said)
    );
    for ((who, fine), coarse) in Culprit::ALL.iter().zip(shares(&of)).zip(shares(&said)) {
        // Thousandths are rounded.
        if coarse.0 > fine.0 + 1 || coarse.1 + 1 < fine.1 {
            wrong.push(format!(
                "{name} {tick}: {} {coarse:?} for {fine:?}",
                who.name()
            ));
        }
        if said.active_ns > 0 && coarse.0 == coarse.1 {
            wrong.push(format!("{name} {tick}: {} is exact", who.name()));
        }
    }
    // Each row of a table, too.
    for row in &coarse.snapshot.ledgers {
        let Some(known) = fine.snapshot.ledgers.iter().find(|of| of.of == row.of) else {
            continue;
        };
        let bounds = row_parts(row, &coarse.snapshot.tick);
        let exact = row_parts(known, &fine.snapshot.tick);
        for (who, (coarse, fine)) in Culprit::ALL.iter().zip(bounds.into_iter().zip(exact)) {
            if coarse.low > fine.low || coarse.high < fine.high {
                let (of, who) = (&row.of, who.name());
                wrong.push(format!(
                    "{name} {tick}: {who} {coarse:?} for {fine:?} of {of:?}"
                ));
            }
        }
    }
    if said.finding != Finding::None && said.finding != of.finding {
        wrong.push(format!("{name} {tick}: {:?}", said.finding));
    }
    let doubts = said.doubts.iter();
    let doubts = doubts.filter(|doubt| matches!(doubt, Doubt::CoarseClock { .. }));
    if doubts.count() != 1 {
        wrong.push(format!("{name} {tick}: no doubt of the clock"));
    }
    let mut reasons = coarse.snapshot.capture.reasons.iter();
    if !reasons.any(|reason| reason.name == "coarse_clock") {
        wrong.push(format!("{name} {tick}: not said of the capture"));
    }
    wrong
}

#[test]
fn what_a_coarse_clock_leaves_holds_what_a_fine_one_shows() {
    let Some(folder) = captures("what_a_coarse_clock_leaves_holds_what_a_fine_one_shows") else {
        return;
    };
    let mut bad = Vec::new();
    let mut named = 0;
    for file in LAB {
        let frames = owned_frames(&folder.join("lab").join(file));
        let fine = analyse_frames(&frames);
        assert_eq!(fine.snapshot.tick.ns, 0, "{file}");
        for tick in TICKS {
            let coarse = analyse_frames(&coarse(&frames, tick));
            bad.extend(wrong(file, tick, (&fine, &coarse)));
            named += u32::from(Verdict::on(&coarse.snapshot).finding != Finding::None);
        }
    }
    assert!(bad.is_empty(), "{}", bad.join("\n"));
    assert!(named > 0, "where the times are long, a tick turns nothing");
}

/// In virtual time, where the logs say what is true: within the interval, by no more than what the ends of a
/// log and a capture differ by (`tests/known.rs`).
#[test]
fn what_a_coarse_clock_leaves_holds_what_the_logs_say() {
    const TOLERANCE: i64 = 15;
    let mut bad = Vec::new();
    for (name, carrier) in [("ncp-ipx", LabCarrier::NcpIpx), ("nbf", LabCarrier::Nbf)] {
        for (trouble, sleep, think, way) in [
            ("sleep-8ms", 8, 0, 0),
            ("think-20ms", 0, 20, 0),
            ("way-10ms", 0, 0, 10),
            ("sleep-40ms-think-3ms", 40, 3, 0),
        ] {
            let mut case = LabCase::new(format!("{name}-{trouble}"), carrier);
            (case.sleep_ns, case.think_ns) = (sleep * MS, think * MS);
            for one in &mut case.ways {
                one.ns += way * MS;
            }
            let run = case.run();
            let truth = run.truth();
            let truths = [truth.client, truth.network, truth.server];
            let truths = truths.map(|ns| ns * 1000 / truth.active());
            for end in LabEnd::BOTH {
                for tick in [MS, 10 * MS] {
                    let found = analyse_frames(&coarse(run.frames(end), tick));
                    let verdict = Verdict::on(&found.snapshot);
                    let shares = verdict.shares.map(|share| share.thousandths);
                    println!(
                        "{} {end:?} {tick}: {} {truths:?} {shares:?}",
                        case.name,
                        verdict.finding.name()
                    );
                    for (share, truth) in shares.iter().zip(truths) {
                        let (low, high) = (share.low as i64, share.high as i64);
                        if truth + TOLERANCE < low || truth - TOLERANCE > high {
                            bad.push(format!(
                                "{} {end:?} {tick}: {truth} not in {share:?}",
                                case.name
                            ));
                        }
                    }
                    let most = truths.iter().max();
                    if let Finding::Named(one) = verdict.finding
                        && most != Some(&truths[one as usize])
                    {
                        bad.push(format!("{} {end:?} {tick}: {one:?}", case.name));
                    }
                }
            }
        }
    }
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}

/// Real stamps in milliseconds: a file of Network Monitor 1 made from one with microseconds.
#[test]
fn a_file_of_milliseconds_is_known_by_its_stamps() {
    let Some(folder) = captures("a_file_of_milliseconds_is_known_by_its_stamps") else {
        return;
    };
    let tick = |file: &str| {
        let frames = owned_frames(&folder.join("derived").join(file));
        analyse_frames(&frames).snapshot.tick.ns
    };
    assert_eq!(tick("ncp-fddi.netmon1.cap"), 1_000_000);
    assert_eq!(tick("ncp-fddi.snoop.snoop"), 0);
}

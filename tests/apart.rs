//! Two captures of the same traffic whose clocks differ, merged as `mergecap` does: what was said of each alone
//! is true, and nothing may be said of both together.

use crate::support::{
    Analysis, Folder, analyse_frames, capture_of, captures, owned_frames, program,
};
use serde_json::Value;
use wirewait_judge::{Doubt, Finding, Verdict};
use wirewait_synth::OwnedFrame;
use wirewait_synth::lab::{LabCarrier, LabCase, LabEnd};

const MS: i64 = 1_000_000;

/// Both in the order of their stamps; those of the second are so much later. As of one interface, or of two.
fn merged(one: &[OwnedFrame], two: &[OwnedFrame], later: i64, interfaces: u32) -> Vec<OwnedFrame> {
    let mut all = one.to_vec();
    for frame in two {
        let mut frame = frame.clone();
        frame.at = frame.at.plus(later);
        frame.interface = interfaces - 1;
        all.push(frame);
    }
    all.sort_by_key(|frame| frame.at);
    all
}

fn finding(found: &Analysis) -> Finding {
    Verdict::on(&found.snapshot).finding
}

/// How far apart the clocks are said to be; no verdict follows, and the capture is said to be poor.
fn apart(found: &Analysis) -> Option<i64> {
    let apart = found.snapshot.clocks_apart?;
    let verdict = Verdict::on(&found.snapshot);
    assert_eq!(verdict.finding, Finding::None);
    assert!(
        verdict.doubts.contains(&Doubt::ClocksApart(apart.ns)),
        "{:?}",
        verdict.doubts
    );
    let mut reasons = found.snapshot.capture.reasons.iter();
    let reason = reasons.find(|reason| reason.name == "clocks_apart");
    assert_eq!(reason.map(|reason| reason.count), Some(apart.packets));
    Some(apart.ns)
}

/// The way takes 5 ms in one direction: the difference is steady within that.
#[test]
fn both_ends_with_clocks_apart_give_no_verdict() {
    let Some(folder) = captures("both_ends_with_clocks_apart_give_no_verdict") else {
        return;
    };
    let file = |end: &str| {
        let name = format!("lab/04_smb2_202_delay5ms_server_egress_{end}.pcap");
        owned_frames(&folder.join(name))
    };
    let (server, client) = (file("srv"), file("cli"));
    for end in [&server, &client] {
        let found = analyse_frames(end);
        assert_eq!(apart(&found), None);
        assert_ne!(finding(&found), Finding::None);
    }
    for interfaces in [1, 2] {
        for later in [400 * MS, 30_000 * MS, 3_600_000 * MS, -3_600_000 * MS] {
            let both = merged(&server, &client, later, interfaces);
            let found = apart(&analyse_frames(&both)).expect("apart");
            let off = found.abs_diff(later.abs());
            assert!(off <= 10 * MS as u64, "{found} and not {later}");
        }
        // Copies that come at once are known as such: the verdict is that of one end.
        let both = analyse_frames(&merged(&server, &client, 0, interfaces));
        assert_eq!(apart(&both), None);
        assert_eq!(finding(&both), finding(&analyse_frames(&server)));
    }
}

/// Frames without a number of their own: NCP over IPX, whose sequence numbers come again after 256 requests,
/// and NetBEUI. From another interface they are the same.
#[test]
fn frames_without_numbers_are_the_same_on_another_interface() {
    for (name, carrier) in [("ncp", LabCarrier::NcpIpx), ("nbf", LabCarrier::Nbf)] {
        let mut case = LabCase::new(name, carrier);
        (case.reads, case.think_ns) = (600, 5 * MS);
        let run = case.run();
        let ends = [LabEnd::Client, LabEnd::Server].map(|end| run.frames(end));
        for end in ends {
            assert_eq!(apart(&analyse_frames(end)), None, "{name}");
        }
        for later in [400 * MS, 3_600_000 * MS] {
            let found = apart(&analyse_frames(&merged(ends[0], ends[1], later, 2)));
            let found = found.expect("apart");
            assert!(
                found.abs_diff(later) <= 10 * MS as u64,
                "{name}: {found}, {later}"
            );
        }
    }
}

/// What is printed names the difference, and what to do.
#[test]
fn what_to_do_about_clocks_apart_is_said() {
    let Some(folder) = captures("what_to_do_about_clocks_apart_is_said") else {
        return;
    };
    let name = "lab/04_smb2_202_delay5ms_server_egress_srv.pcap";
    let frames = owned_frames(&folder.join(name));
    let folder = Folder::new("apart");
    let file = folder.join("apart.pcapng");
    let both = merged(&frames, &frames, 3_600_000 * MS, 1);
    std::fs::write(&file, capture_of(&both)).unwrap();
    let report = program()
        .args(["report", "--format", "json"])
        .arg(&file)
        .output()
        .unwrap();
    let json: Value = serde_json::from_slice(&report.stdout).unwrap();
    let verdict = &json["verdict"];
    assert_eq!(verdict["culprit"], "none");
    assert_eq!(
        verdict["sentence"],
        "No verdict: the capture was put together of two whose clocks differ."
    );
    let doubts = verdict["doubts"].as_array().unwrap().iter();
    let doubts: Vec<&str> = doubts.map(|doubt| doubt.as_str().unwrap()).collect();
    let said = "by `wirewait between`; or set the later clock right and merge them again: editcap -t -3600 LATER FIXED.";
    assert!(
        doubts.iter().any(|doubt| doubt.ends_with(said)),
        "{doubts:?}"
    );
}

/// A mirror of a trunk that copies each frame with its tag and without, 20 us later: what stands in the tag tells no frame from
/// its copy.
#[test]
fn a_copy_with_a_tag_is_a_copy() {
    let Some(folder) = captures("a_copy_with_a_tag_is_a_copy") else {
        return;
    };
    for name in [
        "nbf1_llc2_smb1_3clients_srv.pcap",
        "ncp1_ethernet_ii_1client_srv.pcap",
        "04_smb2_202_delay5ms_server_egress_srv.pcap",
    ] {
        let plain = owned_frames(&folder.join("lab").join(name));
        let mut both = Vec::new();
        for frame in &plain {
            let mut copy = frame.clone();
            copy.at = copy.at.plus(20_000);
            copy.bytes.splice(12..12, [0x81, 0x00, 0x00, 0x07]);
            copy.wire_len += 4;
            both.extend([frame.clone(), copy]);
        }
        both.sort_by_key(|frame| frame.at);
        let [plain, both] = [&plain, &both].map(|frames: &Vec<OwnedFrame>| analyse_frames(frames));
        let copies = both.snapshot.attribution.duplicates - plain.snapshot.attribution.duplicates;
        assert_eq!(copies, plain.snapshot.capture.frames, "{name}");
        assert_eq!(finding(&both), finding(&plain), "{name}");
        assert_eq!(both.transactions.len(), plain.transactions.len(), "{name}");
    }
}

//! Captures that cannot show who has the time: each says why there is no verdict and what to do, or names those
//! between whom it cannot tell. Parts of captures of the laboratory, as filters would leave them.

use crate::support::{
    Analysis, Folder, analyse, analyse_frames, capture_of, captures, owned_frames, program, root,
};
use serde_json::Value;
use wirewait_judge::{Culprit, Doubt, Finding, Missing, Verdict};
use wirewait_synth::{OwnedFrame, Scenario};
use wirewait_wire::Timestamp;

const SMB: u16 = 445;
const LAB: &str = "lab/04_smb2_202_delay5ms_server_egress_cli.pcap";

/// Ports, and the length of the data, of a TCP segment in IPv4 on Ethernet (RFC 791, RFC 9293).
fn segment(frame: &OwnedFrame) -> Option<([u16; 2], usize)> {
    let bytes = frame.bytes.get(14..)?;
    if frame.bytes.get(12..14)? != [8, 0] || *bytes.get(9)? != 6 {
        return None;
    }
    let word = |at: usize| Some(u16::from_be_bytes([*bytes.get(at)?, *bytes.get(at + 1)?]));
    let tcp = usize::from(bytes[0] & 15) * 4;
    let data = tcp + usize::from(bytes.get(tcp + 12)? >> 4) * 4;
    let ports = [word(tcp)?, word(tcp + 2)?];
    Some((ports, usize::from(word(2)?).saturating_sub(data)))
}

fn verdict(frames: &[OwnedFrame]) -> Verdict {
    Verdict::on(&analyse_frames(frames).snapshot)
}

/// No verdict for this reason; what is printed says why, and what to do.
fn assert_none(name: &str, frames: &[OwnedFrame], reason: Doubt, why: &str, todo: &str) {
    let verdict = verdict(frames);
    assert_eq!(verdict.finding, Finding::None, "{name}");
    assert!(
        verdict.doubts.contains(&reason),
        "{name}: {:?}",
        verdict.doubts
    );
    let file = format!("wirewait-unknowable-{name}-{}.pcap", std::process::id());
    let folder = Folder::new("unknowable");
    let file = folder.join(file);
    std::fs::write(&file, capture_of(frames)).unwrap();
    let report = program()
        .args(["report", "--format", "json"])
        .arg(&file)
        .output()
        .unwrap();
    let json: Value = serde_json::from_slice(&report.stdout).unwrap();
    let printed = &json["verdict"];
    assert_eq!(printed["culprit"], "none", "{name}");
    assert_eq!(printed["sentence"], format!("No verdict: {why}."), "{name}");
    let doubts = printed["doubts"].as_array().unwrap();
    let said = doubts.iter().filter_map(|doubt| doubt.as_str());
    let said: Vec<&str> = said.filter(|doubt| doubt.contains(todo)).collect();
    assert_eq!(said.len(), 1, "{name}: {doubts:?}");
}

#[test]
fn what_a_capture_lacks_is_said_with_what_to_do() {
    let Some(folder) = captures("what_a_capture_lacks_is_said_with_what_to_do") else {
        return;
    };
    let all = owned_frames(&folder.join(LAB));
    let kept = |keep: &dyn Fn([u16; 2], usize) -> bool| -> Vec<OwnedFrame> {
        let of =
            |frame: &&OwnedFrame| segment(frame).is_some_and(|(ports, data)| keep(ports, data));
        all.iter().filter(of).cloned().collect()
    };
    let both = "Capture both: a mirror port";
    assert_none(
        "responses",
        &kept(&|ports, _| ports[0] == SMB),
        Doubt::Missing(Missing::Requests),
        "the capture has responses of file servers and no requests",
        both,
    );
    assert_none(
        "requests",
        &kept(&|ports, _| ports[1] == SMB),
        Doubt::Missing(Missing::Responses),
        "the capture has requests to file servers and no responses",
        both,
    );
    // The server acknowledges, and answers nothing.
    let unanswered = kept(&|ports, data| ports[1] == SMB || data == 0);
    let requests: u64 = {
        let found = analyse_frames(&unanswered);
        found
            .snapshot
            .servers
            .iter()
            .map(|row| row.counts.requests)
            .sum()
    };
    assert_none(
        "unanswered",
        &unanswered,
        Doubt::Missing(Missing::Answers(requests)),
        "no request to a file server was answered",
        "Capture at the server",
    );
    let none = "the capture has no requests to file servers";
    for (name, frames) in [
        ("three", all[..3].to_vec()),
        ("no-data", kept(&|_, data| data == 0)),
        // 33 name queries by broadcast, as tshark lists them: nobody answers, and no file server is asked.
        (
            "lookups",
            owned_frames(&folder.join("real/nbf_prima-cattura.pcap")),
        ),
        (
            "no-files",
            all.iter()
                .filter(|f| segment(f).is_none())
                .cloned()
                .collect(),
        ),
    ] {
        let missing = Doubt::Missing(Missing::FileTraffic);
        assert_none(
            name,
            &frames,
            missing,
            none,
            "Capture at a client or at the server",
        );
    }
    assert_none(
        "empty",
        &[],
        Doubt::NoFrames,
        "the capture has no frames",
        "Capture again",
    );
}

/// Up to the last frame before the twentieth response.
#[test]
fn nineteen_responses_are_too_few_and_twenty_are_not() {
    let Some(folder) = captures("nineteen_responses_are_too_few_and_twenty_are_not") else {
        return;
    };
    let all = owned_frames(&folder.join(LAB));
    let answered = |frames: &[OwnedFrame]| verdict(frames).answered;
    let up_to = |n: u64| {
        (1..=all.len())
            .find(|end| answered(&all[..*end]) == n)
            .unwrap()
    };
    assert_none(
        "nineteen",
        &all[..up_to(19)],
        Doubt::FewRequests(19),
        "only 19 requests were answered, too few to judge",
        "Capture for longer",
    );
    assert_ne!(verdict(&all[..up_to(20)]).finding, Finding::None);
}

/// Stamps that are all the same.
#[test]
fn no_time_is_no_verdict() {
    let Some(folder) = captures("no_time_is_no_verdict") else {
        return;
    };
    let mut all = owned_frames(&folder.join(LAB));
    for frame in &mut all {
        frame.at = Timestamp::from_nanos(1_000_000_000);
    }
    let why = "the capture has no active time";
    assert_none("no-time", &all, Doubt::NoTime, why, "with stamps");
}

/// Of two clients one lacks what it is sent: its time is unknown, and the verdict is that of the other.
#[test]
fn one_client_in_one_direction_takes_nothing_from_the_other() {
    let Some(folder) = captures("one_client_in_one_direction_takes_nothing_from_the_other") else {
        return;
    };
    let whole = owned_frames(&folder.join(LAB));
    let mut all = whole.clone();
    for frame in &whole {
        let mut other = frame.clone();
        if let Some(([from, _], _)) = segment(frame)
            && from != SMB
        {
            // The address of another client: the last byte of the source.
            other.bytes[29] ^= 0x40;
            other.at = frame.at.plus(1_000);
            all.push(other);
        }
    }
    all.sort_by_key(|frame| frame.at);
    let (alone, both) = (verdict(&whole), verdict(&all));
    assert!(both.unknown_ns > 0 && alone.unknown_ns == 0, "{both:?}");
    assert_eq!(both.answered, alone.answered);
    let unknown = |doubt: &Doubt| matches!(doubt, Doubt::Unknown(part) if *part > 333);
    match both.finding {
        // More than a third of the time.
        Finding::None => assert!(both.doubts.iter().any(unknown), "{:?}", both.doubts),
        said => assert_eq!(said, alone.finding),
    }
}

fn by_hops(server: u8, client: u8) -> Analysis {
    let hops = |n: u8| match n {
        0 => String::new(),
        n => format!(" hops={n} mac=00-00-1b-00-00-0a"),
    };
    let scenario = format!(
        "title Behind routers, by their count\n\
         ethernet raw\n\
         client A ipx 00000022.020000002201:4003{}\n\
         server S ipx 00000033.020000000001:0451{}\n\
         0.000 repeat 30 every 0.010 {{\n\
           0.000 A>S ncp read handle=1 offset=i*512 length=512\n\
           0.006 S>A ncp reply\n\
         }}\n\
         [answer]\n",
        hops(client),
        hops(server)
    );
    let scenario = Scenario::parse("by-hops", &scenario).unwrap_or_else(|e| panic!("{e}"));
    analyse_frames(scenario.frames())
}

/// Routers that are counted prove a way, not how long it takes: none of it is proved, and all of the time at the
/// station behind them may be the network's. Turnarounds of 6 ms, pauses of 4.
#[test]
fn a_count_of_routers_bounds_nothing() {
    for (server, client) in [(3, 0), (0, 3)] {
        let found = by_hops(server, client);
        let verdict = Verdict::on(&found.snapshot);
        assert_eq!(found.snapshot.load.most_hops, Some(3));
        assert_eq!(verdict.share(Culprit::Network).ns.low, 0);
        assert_eq!(verdict.on_the_way.in_turnarounds.high, 30 * 6_000_000);
        assert_eq!(verdict.on_the_way.in_pauses.high, 29 * 4_000_000);
        assert_eq!(
            verdict.finding,
            Finding::Either(Culprit::Network, Culprit::Server)
        );
        assert_eq!(verdict.decided_at(), Some(Culprit::Server));
    }
}

/// Each packet on both sides of a router: 0.4928 ms to the server and 1.1454 ms back for each of 80 reads, as the
/// scenario computes them, are the network's; 400 ms are the server's.
#[test]
fn the_way_through_a_router_that_was_seen_is_not_the_servers() {
    let capture = root().join("captures/studies/bridges/both-sides.pcapng");
    let verdict = Verdict::on(&analyse(&[capture]).unwrap().snapshot);
    let transit = 80 * (492_800 + 1_145_400);
    assert_eq!(verdict.on_the_way.in_turnarounds.low, transit);
    assert_eq!(verdict.share(Culprit::Network).ns.low, transit);
    let server = verdict.share(Culprit::Server).ns;
    assert!(
        (server.low..=server.high).contains(&400_000_000),
        "{server:?}"
    );
    assert!(server.high < 440_000_000, "568 ms less the way: {server:?}");
    assert_eq!(
        verdict.finding,
        Finding::Either(Culprit::Network, Culprit::Server)
    );
}

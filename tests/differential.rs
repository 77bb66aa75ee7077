//! Frames with flipped bytes and cut ends: which layers wirewait finds in them, and which tshark
//! does. Where the two differ, a rule says why; what no rule explains fails.
//!
//! Compared is what a frame tells by itself, down to datagrams and to the segment of a stream.
//! What streams carry depends on frames before, which are others here.

use crate::hostile::distinct;
use crate::support::{Folder, PROTOCOLS, captures};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::BufWriter;
use std::process::Command;
use wirewait_capture::write::{Description, PcapngWriter};
use wirewait_dissectors::registry;
use wirewait_synth::{OwnedFrame, Random};
use wirewait_wire::{Depth, LinkType, StopReason, Timestamp, Walk};

/// What is compared: not Ethernet and PPP, which begin every frame of theirs, nor SMB, which
/// depends on the frames before.
fn compared() -> impl Iterator<Item = (&'static str, &'static str)> {
    let left_out = ["eth", "ppp", "smb", "smb2"];
    let all = PROTOCOLS.iter().copied();
    all.filter(move |(theirs, _)| !left_out.contains(theirs))
}

/// Copies of each frame, each hurt in another way.
const COPIES: usize = 3;
/// Bytes are flipped so far from the beginning at most: headers stand there.
const HEADERS: u64 = 96;

/// Flips bits of one to three bytes, or cuts the end off, or both.
fn hurt(frame: &OwnedFrame, copy: usize, dice: &mut Random) -> OwnedFrame {
    let mut frame = frame.clone();
    let whole = frame.bytes.len() as u64;
    if copy != 1 {
        for _ in 0..=dice.below(3) {
            let at = dice.below(whole.min(HEADERS)) as usize;
            frame.bytes[at] ^= (1 + dice.below(255)) as u8;
        }
    }
    if copy > 0 {
        frame.bytes.truncate(1 + dice.below(whole) as usize);
        if dice.below(2) == 0 {
            frame.wire_len = frame.bytes.len() as u32;
        }
    }
    frame
}

/// What both say of one frame.
struct Case<'a> {
    name: &'static str,
    ours: &'a [&'static str],
    theirs: &'a BTreeSet<&'static str>,
    stop: Option<(&'static str, StopReason)>,
    found: bool,
    frame: &'a OwnedFrame,
    /// The protocol that the innermost IPv4 header says it carries.
    carried: Option<u8>,
}

/// Why one of the two has a layer that the other has not: the first rule that fits.
fn reason(case: &Case<'_>) -> Option<&'static str> {
    let Case {
        name,
        ours,
        theirs,
        stop,
        found,
        frame,
        carried,
    } = *case;
    let stopped_at = stop.map(|(layer, _)| layer);
    let innermost = ours.last().copied().unwrap_or_default();
    if name == "ncp" && (ours.contains(&"tcp") || theirs.contains("tcp")) {
        return Some("NCP in a stream depends on the frames before");
    }
    if stopped_at == Some(name) {
        return Some(if found {
            "a layer that is not whole is shown here, and not there"
        } else {
            NOT_WHOLE
        });
    }
    if innermost.is_empty() && stop.is_none() {
        return Some("a link type that is not read");
    }
    let kind = || frame.bytes.get(12..14);
    if !found {
        if carried == Some(ICMP) && ["ipv4", "ipv6", "icmp"].contains(&innermost) {
            return Some("a packet quoted by ICMP is data here");
        }
        if carried == Some(ETHER_IP) && innermost == "ipv4" {
            return Some("frames of Ethernet within IP (RFC 3378) are not read");
        }
        if innermost == "ethernet"
            && (kind() == Some(&[0x88, 0x64]) || kind() == Some(&[0x88, 0x63]))
        {
            return Some("PPPoE is not read");
        }
        if innermost == "ethernet" && frame.bytes.starts_with(&[1, 0, 0x0c, 0]) {
            return Some("Cisco's ISL is not read");
        }
        if name == "sap" && innermost == "ipx" {
            return Some("EIGRP for IPX, which carries SAP, is not read");
        }
        if innermost == "llc-3com" {
            return Some("behind 3Com's SAP only its own types are read");
        }
        if stopped_at == Some("ipv4") && name == "ipv6" {
            return Some("IPv4 whose version is another is an error here");
        }
        if stop.is_some() {
            return Some("behind a header that is wrong nothing is read");
        }
        return None;
    }
    if name == "ncp" && theirs.contains("ipx") {
        return Some("NCP is known by IPX's packet type, too, whatever the sockets");
    }
    if ours.iter().position(|l| *l == "snap") < ours.iter().position(|l| *l == name)
        && ours.contains(&"snap")
    {
        return Some("SNAP is read if one of the SAPs says so");
    }
    if name == "nbdgm" || name == "nbns" {
        return Some("a port of another protocol on the other side");
    }
    if stop.is_some() {
        return Some("a layer before the cut is shown here, and not there");
    }
    None
}

const NOT_WHOLE: &str = "a header that is not whole, or wrong, is no layer: the error names it";

/// Protocol number of ICMP.
const ICMP: u8 = 1;
/// That of frames of Ethernet (RFC 3378).
const ETHER_IP: u8 = 97;

#[test]
fn hurt_frames_have_the_layers_that_tshark_finds() {
    if captures("differential test with tshark").is_none() {
        return;
    }
    if Command::new("tshark").arg("--version").output().is_err() {
        assert!(
            std::env::var_os("WIREWAIT_REQUIRE_TSHARK").is_none(),
            "tshark is required and not there"
        );
        eprintln!("SKIPPED: tshark is not installed, so nothing judged hurt frames");
        return;
    }
    let folder = Folder::new("differential");
    let path = folder.join("hurt.pcapng");
    let frames = write(&path);
    let theirs = theirs(&path);
    assert_eq!(theirs.len(), frames.len(), "frames that tshark read");
    let registry = registry();
    let mut walk = Walk::default();
    let mut same = 0u64;
    let mut rules: BTreeMap<&str, u64> = BTreeMap::new();
    let mut wrong: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (n, (frame, theirs)) in frames.iter().zip(&theirs).enumerate() {
        registry.walk(&frame.as_frame(), Depth::Full, &mut walk);
        let spans = walk.spans().iter();
        let ours: Vec<&str> = spans
            .map(|s| registry.dissector(s.dissector).name)
            .collect();
        let stop = walk.stop.map(|stop| (stop.layer, stop.reason));
        let ipv4 = walk.spans().iter().rev();
        let ipv4 = ipv4
            .zip(ours.iter().rev())
            .find(|(_, name)| **name == "ipv4");
        let carried = ipv4.map(|(span, _)| frame.bytes[span.start as usize + 9]);
        for (_, name) in compared() {
            let found = ours.contains(&name);
            if found == theirs.contains(name) {
                same += u64::from(found);
                continue;
            }
            let case = Case {
                name,
                ours: &ours,
                theirs,
                stop,
                found,
                frame,
                carried,
            };
            match reason(&case) {
                Some(rule) => *rules.entry(rule).or_default() += 1,
                None => {
                    let key = format!(
                        "{name}: {} {ours:?} {stop:?}, tshark {theirs:?}, IP carries {carried:?}",
                        if found { "only ours" } else { "only tshark's" },
                    );
                    wrong.entry(key).or_default().push(n + 1);
                }
            }
        }
    }
    println!("{} hurt frames: {same} layers found by both", frames.len());
    for (rule, n) in &rules {
        println!("  {n} by one of them: {rule}");
    }
    let mut wrong: Vec<_> = wrong.into_iter().collect();
    wrong.sort_by_key(|(_, frames)| std::cmp::Reverse(frames.len()));
    let n: usize = wrong.iter().map(|(_, frames)| frames.len()).sum();
    let list: Vec<String> = wrong
        .iter()
        .take(60)
        .map(|(key, at)| {
            format!(
                "{} times {key}: frames {:?}",
                at.len(),
                &at[..at.len().min(3)]
            )
        })
        .collect();
    assert!(wrong.is_empty(), "{n} unexplained:\n{}", list.join("\n"));
    assert!(same > 20_000, "only {same} layers were compared");
    // Headers that are cut are many, because many were cut; all other rules are for few.
    let few: u64 = rules
        .iter()
        .filter(|(rule, _)| **rule != NOT_WHOLE)
        .map(|(_, n)| n)
        .sum();
    assert!(few < same / 50, "{few} differ, of {same}");
}

/// Hurts frames of every kind, writes them, and gives them.
fn write(path: &std::path::Path) -> Vec<OwnedFrame> {
    let mut dice = Random::new(0x6469_6666);
    let mut links: Vec<LinkType> = Vec::new();
    let mut frames = Vec::new();
    let mut out =
        PcapngWriter::new(BufWriter::new(File::create(path).unwrap()), "wirewait").unwrap();
    distinct(|frame, rare| {
        if !rare || frame.bytes.is_empty() || frame.bytes.len() > 2000 {
            return;
        }
        let interface = links
            .iter()
            .position(|l| *l == frame.link)
            .unwrap_or_else(|| {
                out.describe(&Description::of(frame.link)).unwrap();
                links.push(frame.link);
                links.len() - 1
            });
        for copy in 0..COPIES {
            let mut hurt = hurt(frame, copy, &mut dice);
            hurt.interface = interface as u32;
            // In one order and of no conversation in time.
            hurt.at = Timestamp::from_nanos(1_000_000_000 * frames.len() as i64);
            out.frame(&hurt.as_frame(), None).unwrap();
            frames.push(hurt);
        }
    });
    out.finish().unwrap();
    frames
}

/// The protocols that tshark finds in each frame.
fn theirs(path: &std::path::Path) -> Vec<BTreeSet<&'static str>> {
    let mut command = Command::new("tshark");
    command.args(["-n", "-o", "tcp.desegment_tcp_streams:FALSE"]);
    command.args(["-o", "ip.defragment:FALSE", "-o", "ipv6.defragment:FALSE"]);
    command.args(["-T", "fields", "-e", "frame.number"]);
    for (protocol, _) in compared() {
        command.args(["-e", protocol]);
    }
    let output = command.arg("-r").arg(path).output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let text = String::from_utf8_lossy(&output.stdout);
    let lines = text.lines().map(|line| {
        let cells = line.split('\t').skip(1);
        let found = compared().zip(cells).filter(|(_, cell)| !cell.is_empty());
        found.map(|((_, name), _)| name).collect()
    });
    lines.collect()
}

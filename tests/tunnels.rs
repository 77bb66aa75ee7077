//! Traffic in tunnels, as clouds, switches and lines of subscribers carry and mirror it: each capture of the
//! project is put into each, header by header as the documents say. What is said of its requests must not change.

use crate::annotate::tshark;
use crate::support::{
    Analysis, Folder, all_captures, analyse_frames, capture_of, owned_frames, root,
};
use wirewait_judge::{Doubt, Missing, Verdict};
use wirewait_synth::OwnedFrame;
use wirewait_synth::tunnel::TUNNELS;
use wirewait_wire::LinkType;

/// Bytes of an Ethernet header.
const LINK: usize = 14;

/// All that is said of requests and responses.
fn said(analysis: &Analysis) -> Vec<String> {
    let mut all: Vec<String> = analysis
        .transactions
        .iter()
        .map(|transaction| format!("{transaction:?}"))
        .collect();
    all.push(format!("{:?}", analysis.snapshot.attribution));
    all.push(format!("{:?}", Verdict::on(&analysis.snapshot).finding));
    all
}

#[test]
fn what_goes_through_a_tunnel_is_read_as_without_it() {
    let mut compared = 0;
    for path in all_captures("tunnels", &[], 300_000) {
        let frames = owned_frames(&path);
        let plain = analyse_frames(&frames);
        if plain.transactions.is_empty() {
            continue;
        }
        for tunnel in TUNNELS.iter().filter(|tunnel| tunnel.carries(&frames)) {
            let through = analyse_frames(&tunnel.all(&frames));
            let name = format!("{} in {}", path.display(), tunnel.name);
            let (plain, through) = (said(&plain), said(&through));
            assert_eq!(plain.len(), through.len(), "{name}");
            for (plain, through) in plain.iter().zip(&through) {
                assert_eq!(plain, through, "{name}");
            }
            compared += 1;
        }
    }
    assert!(compared > 400, "{compared}");
}

/// A switch mirrors what comes into one port and leaves another: each frame comes twice, in packets that differ.
#[test]
fn a_mirror_of_two_ports_counts_each_frame_once() {
    let frames = owned_frames(&root().join("captures/smb2/pipelined.pcapng"));
    let plain = analyse_frames(&frames);
    for tunnel in TUNNELS.iter().filter(|tunnel| tunnel.whole) {
        let mut twice = Vec::new();
        for frame in &frames {
            for copy in 0..2 {
                let mut frame = tunnel.through(2 * twice.len(), frame);
                frame.at = frame.at.plus(copy * 5_000);
                twice.push(frame);
            }
        }
        let through = analyse_frames(&twice);
        let dropped = through.snapshot.attribution.duplicates;
        assert_eq!(dropped, frames.len() as u64, "{}", tunnel.name);
        let count = |of: &Analysis| of.transactions.len();
        assert_eq!(count(&through), count(&plain), "{}", tunnel.name);
    }
}

/// A full packet of 1,500 bytes is longer with a tunnel's header, and one frame nevertheless.
#[test]
fn a_tunnel_is_no_segmentation_offload() {
    let mut frames = owned_frames(&root().join("captures/smb2/pipelined.pcapng"));
    let full = frames
        .iter_mut()
        .find(|frame| frame.bytes.len() > 70)
        .unwrap();
    let grown = 1514 - full.bytes.len();
    full.bytes.resize(1514, 0);
    full.wire_len = 1514;
    let total = u16::from_be_bytes([full.bytes[16], full.bytes[17]]) + grown as u16;
    full.bytes[16..18].copy_from_slice(&total.to_be_bytes());
    let offloaded = |frames: &[OwnedFrame]| {
        let found = analyse_frames(frames);
        let reasons = found.snapshot.capture.reasons;
        reasons.iter().any(|reason| reason.name == "offloaded")
    };
    assert!(!offloaded(&frames));
    for tunnel in TUNNELS {
        assert!(!offloaded(&tunnel.all(&frames)), "{}", tunnel.name);
    }
    // One byte more than a link carries, with a tag or without a tunnel.
    let place = frames
        .iter()
        .position(|frame| frame.bytes.len() == 1514)
        .unwrap();
    frames[place].bytes.resize(1519, 0);
    frames[place].wire_len = 1519;
    frames[place].bytes[16..18].copy_from_slice(&(total + 5).to_be_bytes());
    assert!(offloaded(&frames));
    for tunnel in TUNNELS {
        assert!(offloaded(&tunnel.all(&frames)), "{}", tunnel.name);
    }
}

/// tshark pairs in a tunnel what it pairs without: the headers above are what they are said to be.
#[test]
fn tshark_reads_the_tunnels_too() {
    let frames = owned_frames(&root().join("captures/smb2/pipelined.pcapng"));
    let file = format!("wirewait-tunnels-{}.pcapng", std::process::id());
    let folder = Folder::new("tunnels");
    let file = folder.join(file);
    let times = |frames: &[OwnedFrame]| {
        std::fs::write(&file, capture_of(frames)).unwrap();
        tshark(
            &file,
            &[
                "-Y",
                "smb2.time",
                "-T",
                "fields",
                "-e",
                "frame.number",
                "-e",
                "smb2.time",
            ],
        )
    };
    let Some(plain) = times(&frames) else {
        return;
    };
    assert!(plain.lines().count() > 3, "{plain}");
    for tunnel in TUNNELS {
        assert_eq!(
            times(&tunnel.all(&frames)).unwrap(),
            plain,
            "{}",
            tunnel.name
        );
    }
}

/// Each segment of a response in two fragments: the second is not read, and the capture is not at fault.
#[test]
fn fragments_are_told_from_frames_that_are_missing() {
    let frames = owned_frames(&root().join("captures/smb2/pipelined.pcapng"));
    let mut parts = Vec::new();
    let mut cut = 0;
    for frame in &frames {
        let data = &frame.bytes[LINK + 20..];
        if data.len() < 128 {
            parts.push(frame.clone());
            continue;
        }
        cut += 1;
        for (offset, part, more) in [(0, &data[..64], 0x20), (8, &data[64..], 0)] {
            let mut bytes = frame.bytes[..LINK + 20].to_vec();
            bytes.extend(part);
            bytes[16..18].copy_from_slice(&(20 + part.len() as u16).to_be_bytes());
            bytes[20..22].copy_from_slice(&[more, offset]);
            parts.push(OwnedFrame {
                wire_len: bytes.len() as u32,
                bytes,
                ..frame.clone()
            });
        }
    }
    assert!(cut > 3);
    let count = |frames: &[OwnedFrame]| {
        let found = analyse_frames(frames).snapshot.capture;
        let fragments = found.reasons.iter().find(|of| of.name == "fragments");
        fragments.map(|reason| reason.count)
    };
    assert_eq!(count(&parts), Some(cut));
    assert_eq!(count(&frames), None);
}

/// Frames of a link that nobody reads are not missing, and may hold what is looked for.
#[test]
fn links_that_are_not_read_are_named_as_such() {
    let mut frames = owned_frames(&root().join("captures/smb2/pipelined.pcapng"));
    for frame in &mut frames {
        // IEEE 802.11 with radiotap.
        frame.link = LinkType(127);
    }
    let found = analyse_frames(&frames);
    let verdict = Verdict::on(&found.snapshot);
    let links = Doubt::Missing(Missing::Links(frames.len() as u64));
    assert!(verdict.doubts.contains(&links), "{:?}", verdict.doubts);
    assert!(!verdict.doubts.contains(&Doubt::PoorCapture));
}

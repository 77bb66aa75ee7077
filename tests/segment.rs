//! How much of a segment was used, as tshark counts it on real captures.
//!
//! `oracle/segment.list` holds tshark's sums; `oracle/segment.sh` makes it and says what is in it.

use crate::support::{analyse, analyse_frames, captures, root};
use std::net::Ipv4Addr;
use wirewait_analysis::{KnownBy, SegmentRow};
use wirewait_synth::OwnedFrame;
use wirewait_synth::ethernet::{self, Encapsulation};
use wirewait_synth::ipv4::{self, Segment, Socket, flag};
use wirewait_wire::{LinkType, Timestamp};

/// Captures whose frames hold something that tshark counts and that is none of the frame.
const DIFFER: &[(&str, &str)] = &[];

/// What tshark counts, of ours.
fn ours(row: &SegmentRow) -> Vec<u64> {
    let [narrow, _, wide] = row.all.peaks.map(|peak| peak.bytes);
    let mut sums = vec![
        row.captured.frames,
        row.captured.bytes,
        row.broadcast.frames,
        row.multicast.frames,
        row.bytes.on_wire,
        wide,
        narrow,
    ];
    sums.extend(row.sizes);
    sums
}

#[test]
fn frames_bytes_peaks_and_sizes_are_those_of_tshark() {
    let Some(folder) = captures("segment") else {
        return;
    };
    let table = std::fs::read_to_string(root().join("tests/oracle/segment.list")).unwrap();
    let (mut same, mut copied) = (0, 0);
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let (capture, theirs) = line.split_once('\t').unwrap();
        let path = folder.join(capture);
        let theirs: Vec<u64> = theirs.split('\t').map(|n| n.parse().unwrap()).collect();
        let found = analyse(&[path]).unwrap().snapshot.segment;
        let row = &found.together;
        let ours = ours(row);
        if DIFFER.iter().any(|(name, _)| *name == capture) {
            assert_ne!(ours, theirs, "{capture}: no longer differs");
            continue;
        }
        assert_eq!(ours[..2], theirs[..2], "{capture}: frames and bytes");
        let course: u64 = row.course.buckets.iter().map(|bucket| bucket.bytes).sum();
        assert_eq!(course, row.bytes.on_wire, "{capture}: over time");
        if row.copies.frames == 0 {
            assert_eq!(ours, theirs, "{capture}");
            same += 1;
        } else {
            // Copies take no time on the wire; tshark knows nothing of them.
            let with_copies: u64 = ours[7..].iter().sum::<u64>() + row.copies.frames;
            assert_eq!(with_copies, theirs[7..].iter().sum::<u64>(), "{capture}");
            assert!(row.bytes.on_wire < theirs[4], "{capture}");
            copied += 1;
        }
    }
    assert!(same > 50 && copied > 0, "{same} and {copied} captures");
}

#[test]
fn a_token_ring_is_counted_by_its_own_rule() {
    let Some(folder) = captures("segment") else {
        return;
    };
    let found = analyse(&[folder.join("real/tr_rpl_sample.pcap.gz")]).unwrap();
    let row = found.snapshot.segment.together;
    let frames = row.frames();
    assert!(frames > 3 && row.bare == 0);
    // Nothing is padded; 4 bytes of check sequence, and 3 of delimiters and frame status.
    assert_eq!(
        row.bytes.without_check,
        row.captured.bytes - row.copies.bytes
    );
    assert_eq!(row.bytes.on_wire, row.bytes.without_check + 7 * frames);
    assert_eq!(row.speed, None, "4 or 16 Mbit/s: the file does not say");
}

#[test]
fn a_sniffer_says_how_fast_its_link_was() {
    let Some(folder) = captures("segment") else {
        return;
    };
    for (file, speed) in [
        ("fmt_snifferpro2.001_tcpshake.cap", 10_000_000),
        ("fmt_snifferpro2.002_languard-scan_smb1.cap", 100_000_000),
    ] {
        let options = wirewait_capture::Options::default();
        let source = wirewait_capture::open(&[folder.join("formats").join(file)], &options);
        let found = wirewait::analyse(
            source.unwrap(),
            wirewait::Settings::default(),
            &mut (),
            |damage| panic!("{file}: {damage}"),
        );
        let row = found.unwrap().segment.together;
        assert_eq!(row.speed, Some((speed, KnownBy::Capture)), "{file}");
        assert!(
            row.all.utilisation.is_some_and(|used| used < 1_000_000),
            "{file}"
        );
    }
}

/// A connection whose ends say that they take `sizes` bytes in a segment, and a response of `data` bytes in one frame, on a link of this kind.
fn put_together(link: LinkType, sizes: [u16; 2], data: usize) -> (u64, u64) {
    let ends = [1, 9].map(|n| Socket {
        address: Ipv4Addr::new(10, 0, 0, n),
        port: if n == 1 { 50_000 } else { 445 },
    });
    let mut frames = Vec::new();
    let mut send = |side: usize, flags: u8, options: &[u8], data: &[u8]| {
        let (from, to) = (ends[side], ends[1 - side]);
        let segment = Segment {
            sequence: if flags & flag::SYN != 0 { 99 } else { 100 },
            acknowledgement: 100,
            flags,
            window: 65_535,
            options,
            data,
        };
        let number = frames.len() as u16;
        let packet = ipv4::packet(
            from.address,
            to.address,
            6,
            number,
            &ipv4::tcp(from, to, &segment),
        );
        let bytes = match link {
            LinkType::ETHERNET => {
                let header = ethernet::Header {
                    destination: [2, 0, 0, 0, 0, to.address.octets()[3]],
                    source: [2, 0, 0, 0, 0, from.address.octets()[3]],
                    vlan: None,
                };
                ethernet::frame(&header, Encapsulation::Type(0x0800), &packet)
            }
            _ => packet,
        };
        frames.push(OwnedFrame {
            at: Timestamp::from_nanos(i64::from(number) * 1_000_000),
            link,
            interface: 0,
            wire_len: bytes.len() as u32,
            bytes,
        });
    };
    let size = |n: u16| [2, 4, n.to_be_bytes()[0], n.to_be_bytes()[1]];
    send(0, flag::SYN, &size(sizes[0]), b"");
    send(1, flag::SYN | flag::ACK, &size(sizes[1]), b"");
    // Twelve bytes of options, as with time stamps, take their part.
    send(1, flag::ACK, &[1; 12], &vec![0; data]);
    let found = analyse_frames(&frames).snapshot.segment.together;
    (found.oversize, found.oversize_on_wire)
}

/// RFC 9293, 3.7.1 and RFC 6691: 8,960 bytes less 12 of options in a jumbo frame, 1,448 in one of Ethernet, 65,483 on a loopback
/// interface; the end that takes less decides.
#[test]
fn how_long_a_segment_is_on_the_wire_both_ends_have_said() {
    let raw = LinkType(101);
    let of = |sizes, data| put_together(LinkType::ETHERNET, sizes, data);
    assert_eq!(of([8_960, 8_960], 8_948), (0, 0));
    assert_eq!(of([8_960, 8_960], 8_949), (1, 2));
    assert_eq!(of([8_960, 8_960], 30_000), (1, 4));
    assert_eq!(of([8_960, 1_460], 2_896), (1, 2));
    assert_eq!(of([65_495, 65_495], 60_000), (0, 0));
    assert_eq!(put_together(raw, [1_460, 1_460], 2_897), (1, 3));
    assert_eq!(put_together(raw, [1_460, 1_460], 1_448), (0, 0));
}

//! Both sides of an IP router in one capture: what routers change is known, and each packet counts once.

use crate::support::{Analysis, analyse_frames, owned_frames, root};
use wirewait_analysis::{Bounds, LedgerOf, Transaction};
use wirewait_synth::OwnedFrame;

const ETHERNET: usize = 14;
/// From one side of the router to the other, ns.
const TRANSIT_NS: i64 = 100_000;

/// A frame behind a router: other neighbours, one router less to go (RFC 1812 section 5.3.1, RFC 8200 section 3).
fn behind(frame: &OwnedFrame) -> OwnedFrame {
    let mut frame = frame.clone();
    frame.bytes[..12].copy_from_slice(&[2, 9, 9, 0, 0, 1, 2, 9, 9, 0, 0, 2]);
    let ip = &mut frame.bytes[ETHERNET..];
    match ip[0] >> 4 {
        6 => ip[7] -= 1,
        _ => {
            ip[8] -= 1;
            ip[10..12].fill(0);
            let words = ip[..20].as_chunks::<2>().0.iter();
            let sum: u32 = words.map(|word| u32::from(u16::from_be_bytes(*word))).sum();
            let folded = (sum & 0xffff) + (sum >> 16);
            let sum = !(folded as u16);
            ip[10..12].copy_from_slice(&sum.to_be_bytes());
        }
    }
    frame
}

/// A capture at the client, and what is seen on the server's side of a router at the same time; of one interface,
/// or of two. The client sent the first frame.
fn both_sides(at_client: &[OwnedFrame], interfaces: u32) -> Vec<OwnedFrame> {
    let client = at_client[0].bytes[6..12].to_vec();
    let mut all = Vec::new();
    for frame in at_client {
        let from_client = frame.bytes[6..12] == client[..];
        let (mut here, mut there) = match from_client {
            true => (frame.clone(), behind(frame)),
            false => (behind(frame), frame.clone()),
        };
        if !from_client {
            here.bytes[..12].copy_from_slice(&frame.bytes[..12]);
            there.bytes[..12].copy_from_slice(&[2, 9, 9, 0, 0, 2, 2, 9, 9, 0, 0, 1]);
        }
        there.at = frame
            .at
            .plus(if from_client { TRANSIT_NS } else { -TRANSIT_NS });
        here.at = frame.at;
        there.interface = interfaces - 1;
        all.extend([here, there]);
    }
    all.sort_by_key(|frame| frame.at);
    all
}

/// The same packet over IPv6.
fn over_ipv6(frame: &OwnedFrame) -> OwnedFrame {
    let mut frame = frame.clone();
    let ip = &frame.bytes[ETHERNET..];
    let address = |at: usize| [&[0xfd; 12], &ip[at..at + 4]].concat();
    let length = u16::from_be_bytes([ip[2], ip[3]]) - 20;
    let mut bytes = frame.bytes[..12].to_vec();
    bytes.extend([0x86, 0xdd, 0x60, 0, 0, 0]);
    bytes.extend(length.to_be_bytes());
    bytes.extend([ip[9], ip[8]]);
    bytes.extend(address(12));
    bytes.extend(address(16));
    bytes.extend(&ip[20..20 + usize::from(length)]);
    frame.wire_len = bytes.len() as u32;
    frame.bytes = bytes;
    frame
}

fn count(found: &Analysis, reason: &str) -> u64 {
    let mut reasons = found.snapshot.capture.reasons.iter();
    reasons.find(|r| r.name == reason).map_or(0, |r| r.count)
}

/// What of a transaction does not depend on the numbers of frames.
fn rows(found: &Analysis) -> Vec<(&str, Option<i64>, Option<i64>, u32)> {
    let row = |t: &Transaction| {
        let began = t.request.map(|r| r.first.at.as_nanos());
        let ended = t.response.map(|r| r.last.at.as_nanos());
        (began, ended)
    };
    let transactions = found.transactions.iter();
    transactions
        .map(|t| {
            let (began, ended) = row(t);
            (t.operation.name, began, ended, t.copies)
        })
        .collect()
}

#[test]
fn both_sides_of_an_ip_router_are_one_capture() {
    type Change = fn(&OwnedFrame) -> OwnedFrame;
    for (name, change) in [
        ("smb2/session.pcapng", OwnedFrame::clone as Change),
        ("smb2/session.pcapng", over_ipv6),
        ("ncp/over-udp.pcapng", OwnedFrame::clone),
        ("ncp/over-udp.pcapng", over_ipv6),
    ] {
        let frames = owned_frames(&root().join("captures").join(name));
        let frames: Vec<OwnedFrame> = frames.iter().map(change).collect();
        let alone = analyse_frames(&frames);
        assert!(alone.transactions.len() > 3, "{name}");
        let two = analyse_frames(&both_sides(&frames, 2));
        assert_eq!(rows(&two), rows(&alone), "{name}");
        let one = analyse_frames(&both_sides(&frames, 1));
        for found in [&one, &two] {
            let packets = found.snapshot.load.transits.iter().map(|row| row.transit.n);
            assert_eq!(packets.sum::<u64>(), frames.len() as u64, "{name}");
            assert_eq!(
                count(found, "beyond_routers"),
                frames.len() as u64,
                "{name}"
            );
            assert_eq!(
                count(found, "retransmitted"),
                count(&alone, "retransmitted"),
                "{name}"
            );
            let symptoms = &found.snapshot.symptoms.found;
            let twice = symptoms.iter().find(|s| s.rule.id == "duplicate_address");
            assert!(twice.is_none(), "{name}: {twice:?}");
            for row in &found.snapshot.load.transits {
                assert_eq!((row.transit.min, row.transit.max), (TRANSIT_NS, TRANSIT_NS));
            }
        }
        // Of one interface the first sight counts: a request where its client sent it, a response where
        // its server did.
        let shorter: Vec<_> = rows(&alone)
            .into_iter()
            .map(|(name, began, ended, copies)| {
                (name, began, ended.map(|at| at - TRANSIT_NS), copies)
            })
            .collect();
        assert_eq!(rows(&one), shorter, "{name}");
    }
}

/// Requests and responses whose way through the router takes longer each time: by the number of the frame, ns.
fn transit(frame: usize) -> i64 {
    50_000 * (frame as i64 + 1)
}

/// Requests are answered 1, 4, 2, 1 and 1 ms after they were seen at the client. Of that, the router has what it kept
/// that very request and its response: of the first 50 and 100 us, of the last 450 and 500. The clock of the
/// other side is 30 us ahead.
#[test]
fn each_packet_has_its_own_way_through_a_router() {
    let frames = owned_frames(&root().join("captures/ncp/over-udp.pcapng"));
    assert_eq!(frames.len(), 10);
    let way = |found: &Analysis| {
        let mut rows = found.snapshot.ledgers.iter();
        let all = rows.find(|row| row.of == LedgerOf::Capture).unwrap();
        let ways = [
            all.ledger.network_in_server(),
            all.ledger.network_in_client(),
        ];
        ways.map(|Bounds { low, high }| {
            assert!(low <= high);
            low as i64
        })
    };
    let sides = |interfaces: u32, ahead: i64| {
        let mut all = both_sides(&frames, interfaces);
        for (n, frame) in frames.iter().enumerate() {
            let request = n % 2 == 0;
            let way = if request { transit(n) } else { -transit(n) };
            // The one beyond has another link header.
            let beyond = all.iter_mut().find(|other| {
                let same = other.bytes[ETHERNET + 20..] == frame.bytes[ETHERNET + 20..];
                same && other.at != frame.at
            });
            beyond.unwrap().at = frame.at.plus(way + ahead);
        }
        all.sort_by_key(|frame| frame.at);
        analyse_frames(&all)
    };
    let sum = |frames: &[usize]| frames.iter().map(|n| transit(*n)).sum::<i64>();
    let all: Vec<usize> = (0..10).collect();
    assert_eq!(sum(&all), 2_750_000);
    assert_eq!(way(&sides(2, 30_000)), [2_750_000, 0]);
    // Of one interface the first sight counts: of requests the way is in the server's time, of responses in
    // the client's, as far as another request follows.
    let [requests, responses] = [&[0, 2, 4, 6, 8][..], &[1, 3, 5, 7]];
    assert_eq!(way(&sides(1, 0)), [sum(requests), sum(responses)]);
}

/// A packet that is sent again as it was has as many routers to go as before: it is no other side of one.
#[test]
fn what_is_sent_again_has_passed_no_router() {
    let frames = owned_frames(&root().join("captures/smb2/session.pcapng"));
    let mut again = Vec::new();
    for frame in &frames {
        again.push(frame.clone());
        let mut copy = frame.clone();
        copy.at = frame.at.plus(300_000);
        // Another packet: its identification is another one.
        copy.bytes[ETHERNET + 4] ^= 0x55;
        again.push(copy);
    }
    again.sort_by_key(|frame| frame.at);
    let found = analyse_frames(&again);
    assert_eq!(count(&found, "beyond_routers"), 0);
    assert!(count(&found, "retransmitted") > 10);
}

//! DEC LAST in the only public capture that has some: four frames of one node, two seconds
//! apart, that keep a circuit up. Two of them hold what is left of an SMB in memory. And what a
//! table is worth that is derived from a capture whose header is invented.

use crate::support::{analyse, analyse_frames, assert_frames_close, capture_of, captures};
use std::path::Path;
use wirewait_analysis::WHOLE_FRAME;
use wirewait_capture::Options;
use wirewait_judge::{Culprit, Doubt, Verdict};
use wirewait_report::words::doubts;
use wirewait_synth::ethernet::{self, Encapsulation};
use wirewait_synth::{OwnedFrame, last, smb1};
use wirewait_wire::{Depth, LinkType, Source, Timestamp, Walk};

const FILE: &str = "real/dec_last8041+lavc+lat+decnet_genbroad.snoop";

#[test]
fn circuit_upkeep_is_no_request() {
    let Some(folder) = captures("frames of LAST") else {
        return;
    };
    let analysis = analyse(&[folder.join(FILE)]).unwrap();
    assert_frames_close(FILE, &analysis.snapshot);
    let protocols = &analysis.snapshot.protocols;
    let last = protocols.iter().find(|(name, _)| *name == "last");
    assert_eq!(last, Some(&("last", 4)));
    for transaction in &analysis.transactions {
        assert_ne!(transaction.carrier, "last");
        assert_ne!(transaction.protocol, "last");
    }
    // Nothing else in this capture has upkeep of its own.
    let control = analysis.snapshot.attribution.control;
    assert!(control >= 4 * WHOLE_FRAME, "{control}");
}

#[test]
fn the_node_is_named_and_the_stale_smb_is_not_shown() {
    let Some(folder) = captures("frames of LAST") else {
        return;
    };
    let mut source = wirewait_capture::open(&[folder.join(FILE)], &Options::default()).unwrap();
    let registry = wirewait_dissectors::registry();
    let mut walk = Walk::default();
    let mut shown = Vec::new();
    while let Some(frame) = source.next_frame().unwrap() {
        registry.walk(&frame, Depth::Full, &mut walk);
        let Some(last) = walk.last() else { continue };
        let dissector = registry.dissector(last.dissector);
        if walk.next.is_none() && dissector.name == "last" {
            let mut line = String::new();
            (dissector.describe)(walk.bytes(&frame, last), &mut line).unwrap();
            shown.push(line);
        }
    }
    assert_eq!(shown, ["circuit upkeep, node ZINGER, 84 bytes"; 4]);
}

/// A station's address.
type Station = [u8; 6];

const CLIENTS: [Station; 2] = [[8, 0, 0x2b, 0, 0, 1], [8, 0, 0x2b, 0, 0, 2]];
const SERVERS: [Station; 2] = [[8, 0, 0x2b, 0, 0x10, 1], [8, 0, 0x2b, 0, 0x10, 2]];

/// A frame of LAST: its length word, and what follows.
fn frame(at_us: i64, from: Station, to: Station, bytes: &[u8]) -> OwnedFrame {
    let mut message = (bytes.len() as u16 + 2).to_le_bytes().to_vec();
    message.extend(bytes);
    let header = ethernet::Header {
        destination: to,
        source: from,
        vlan: None,
    };
    let bytes = ethernet::frame(&header, Encapsulation::Type(last::TYPE), &message);
    OwnedFrame {
        at: Timestamp::from_nanos(1_000_000_000_000 + at_us * 1000),
        link: LinkType::ETHERNET,
        interface: 0,
        wire_len: bytes.len() as u32,
        bytes,
    }
}

/// An SMB that reads so much at this offset, or the answer, of always the same process and number.
fn read(reply: bool, offset: u32) -> Vec<u8> {
    numbered_read(reply, offset, 1)
}

/// With this multiplex number.
fn numbered_read(reply: bool, offset: u32, mid: u16) -> Vec<u8> {
    let header = smb1::Header {
        status: 0,
        flags: if reply { smb1::REPLY } else { 0 },
        flags2: 0,
        connectionless: (0, 0),
        tid: 1,
        pid: 77,
        uid: 5,
        mid,
    };
    let mut block = smb1::Block::new(smb1::command::READ);
    if reply {
        block.words = vec![4, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        block.bytes = vec![1, 4, 0, 9, 9, 9, 9];
    } else {
        block.words = vec![1, 0, 4, 0];
        block.words.extend(offset.to_le_bytes());
        block.words.extend([0, 0]);
    }
    smb1::message(&header, &[block])
}

/// What the invented headers of these tests say: whether they answer, a sequence number, a
/// transaction.
type Header = fn(bool, u32, u32) -> Vec<u8>;

/// 300 requests of each of two clients to each of two servers; every hundredth is sent twice.
fn plenty(header: Header) -> Vec<OwnedFrame> {
    let (mut frames, mut at) = (Vec::new(), 0);
    // Of each circuit other numbers.
    let mut sequences = [10, 20, 30, 40];
    for nth in 0..300 {
        for (circuit, sequence) in sequences.iter_mut().enumerate() {
            let (client, server) = (CLIENTS[circuit / 2], SERVERS[circuit % 2]);
            let transaction = nth + 7 * circuit as u32;
            for sent in 0..=u8::from(nth % 100 == 7) {
                at += if sent == 0 { 3000 } else { 2_500_000 };
                *sequence += 1;
                let front = header(false, *sequence, transaction);
                let bytes = [front, read(false, 512 * nth)].concat();
                frames.push(frame(at, client, server, &bytes));
            }
            at += 4000;
            let bytes = [header(true, *sequence, transaction), read(true, 0)].concat();
            frames.push(frame(at, server, client, &bytes));
        }
    }
    frames
}

/// A client that asks twice, 1 ms apart, and has its answers in the other order, after 4 and 9 ms.
fn outstanding(header: Header) -> Vec<OwnedFrame> {
    let mut frames = Vec::new();
    let (client, server) = (CLIENTS[0], SERVERS[0]);
    for round in 0..100 {
        let at = 20_000 * i64::from(round);
        let two = [2 * round + 1, 2 * round + 2];
        for (n, after) in [(0, 0), (1, 1000)] {
            let bytes = [header(false, two[n], two[n]), read(false, 0)].concat();
            frames.push(frame(at + after, client, server, &bytes));
        }
        for (n, after) in [(1, 5000), (0, 9000)] {
            let bytes = [header(true, two[n], two[n]), read(true, 0)].concat();
            frames.push(frame(at + after, server, client, &bytes));
        }
    }
    frames
}

fn program(arguments: &[&str]) -> String {
    let output = crate::support::program().args(arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The turnarounds of all rows in microseconds, without a table and with the one that is derived
/// from a capture with the same header, and how many rows of that are confirmed.
fn with_own_table(name: &str, header: Header) -> (Vec<Option<u64>>, Vec<Option<u64>>, usize) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("last-derived");
    std::fs::create_dir_all(&folder).unwrap();
    let file = |part: &str| folder.join(format!("{name}-{part}")).display().to_string();
    let (many, two, table) = (file("many.pcap"), file("two.pcap"), file("table.csv"));
    std::fs::write(&many, capture_of(&plenty(header))).unwrap();
    std::fs::write(&two, capture_of(&outstanding(header))).unwrap();
    let derived = program(&["last-calibrate", &many]);
    std::fs::write(&table, &derived).unwrap();
    let rows = |more: &[&str]| -> Vec<Option<u64>> {
        let rows = program(&[&["transactions", &two, "--format", "ndjson"], more].concat());
        let mut rows: Vec<Option<u64>> = rows
            .lines()
            .map(|line| {
                let row: serde_json::Value = serde_json::from_str(line).unwrap();
                row["turnaround_ns"].as_u64().map(|ns| ns / 1000)
            })
            .collect();
        rows.sort_unstable();
        rows
    };
    let sure = derived
        .lines()
        .filter(|line| line.contains("many.pcap: ") && line.contains(", capture-confirmed, "));
    (rows(&[]), rows(&["--last-profile", &table]), sure.count())
}

/// An identifier that nothing else can be tells two requests apart that are outstanding at once;
/// one that may be something else changes no figure.
#[test]
fn a_derived_table_matches_by_what_it_confirms() {
    let (plain, derived, sure) = with_own_table("byte", |answers, sequence, transaction| {
        vec![
            1 + u8::from(answers),
            0,
            sequence as u8,
            7,
            transaction as u8,
            0,
        ]
    });
    assert_eq!(sure, 4, "both identifiers, in requests and answers");
    let true_ones = [[Some(4000); 100], [Some(9000); 100]].concat();
    assert_eq!(derived, true_ones);
    assert_ne!(plain, true_ones);
    // 12 bits of a sequence below a slot that is always 5, in one word; no transaction.
    let (plain, derived, sure) = with_own_table("slot", |answers, sequence, _| {
        let [low, high] = ((sequence & 0xfff | 0x5000) as u16).to_le_bytes();
        vec![1 + u8::from(answers), 0, low, high, 0, 0]
    });
    assert_eq!(sure, 0);
    assert_eq!(derived, plain);
}

/// A capture that begins with an answer: who speaks first is taken for the client, so the time of the
/// client is the server's, and the verdict has to doubt that.
#[test]
fn a_verdict_on_guessed_roles_says_that_they_may_be_the_other_way_round() {
    let (client, server) = (CLIENTS[0], SERVERS[0]);
    let frames = |from: usize| -> Vec<OwnedFrame> {
        let both = (0..100).flat_map(|n: u8| {
            let at = 10_000 * i64::from(n);
            let asks = frame(at, client, server, &[[1, n], [0; 2]].concat().repeat(20));
            let says = frame(
                at + 4000,
                server,
                client,
                &[[2, n], [0; 2]].concat().repeat(20),
            );
            [asks, says]
        });
        both.skip(from).collect()
    };
    for from in [0, 1] {
        let analysis = analyse_frames(&frames(from));
        let verdict = Verdict::on(&analysis.snapshot);
        let guessed = Doubt::GuessedRoles(100);
        assert!(verdict.doubts.contains(&guessed), "{:?}", verdict.doubts);
        let mut said = doubts(&verdict);
        assert!(
            said.any(|doubt| doubt.contains("client and server may be the other way round")),
            "{from}"
        );
    }
    // An SMB says itself whether it asks.
    let known = analyse_frames(&plenty(|_, sequence, _| vec![sequence as u8; 6]));
    let verdict = Verdict::on(&known.snapshot);
    let guessed = |doubt: &Doubt| matches!(doubt, Doubt::GuessedRoles(_));
    assert!(!verdict.doubts.iter().any(guessed), "{:?}", verdict.doubts);
}

/// 160 reads of 5 ms, 15 ms apart, captured at the server. Of one response in eight nothing comes to the client, which asks
/// again after 2 s: 40 s of loss recovery, 2.4 s of its own and 0.8 s of the server, which needs 5.5 ms for a repetition.
fn lost_responses(header: Header, mid: fn(u32) -> u16) -> Vec<OwnedFrame> {
    let (client, server) = (CLIENTS[0], SERVERS[0]);
    let (mut frames, mut at, mut sequence) = (Vec::new(), 0, 0);
    for nth in 0..160 {
        for sent in 0..=u8::from(nth % 8 == 7) {
            at += if sent == 0 { 15_000 } else { 1_995_000 };
            sequence += 1;
            let asks = numbered_read(false, 512 * nth, mid(nth));
            let says = numbered_read(true, 0, mid(nth));
            let (asks, says) = (
                [header(false, sequence, nth), asks].concat(),
                [header(true, sequence, nth), says].concat(),
            );
            frames.push(frame(at, client, server, &asks));
            at += if sent == 0 { 5_000 } else { 5_500 };
            frames.push(frame(at, server, client, &says));
        }
    }
    frames
}

/// A repetition has the identifier of its request: in the header, or in the SMB. Where neither has one, the network may have
/// had the time.
#[test]
fn responses_lost_behind_the_capture_are_loss_recovery() {
    let nothing: Header = |_, _, _| vec![0; 6];
    let copies: Header = |_, sequence, _| vec![1, 0, sequence as u8, (sequence >> 8) as u8];
    let requests: Header = |_, sequence, nth| vec![1, 0, sequence as u8, nth as u8];
    let numbers: [fn(u32) -> u16; 2] = [|_| 1, |nth| nth as u16 + 64];
    let shares = |header, mid| {
        let analysis = analyse_frames(&lost_responses(header, mid));
        let verdict = Verdict::on(&analysis.snapshot);
        let network = verdict.shares[Culprit::Network as usize].thousandths;
        let (low, high) = (network.low, network.high);
        let said = format!("{:?}", verdict.finding);
        (verdict.finding.culprit(), low, high, said)
    };
    // 40 of 43.2 s.
    let truth = 40_000 * 1000 / 43_200;
    for (header, mid) in [
        (requests, numbers[0]),
        (nothing, numbers[1]),
        (copies, numbers[1]),
    ] {
        let (named, low, high, said) = shares(header, mid);
        assert_eq!(named, Some(Culprit::Network), "{said}");
        assert!(
            low <= truth + 15 && truth <= high + 15,
            "{low} {high} {said}"
        );
        assert!(low >= 850, "{low} {high} {said}");
    }
    for header in [nothing, copies] {
        let (named, low, high, said) = shares(header, numbers[0]);
        assert_eq!(named, None, "{said}");
        assert!(low <= truth && truth <= high + 15, "{low} {high} {said}");
    }
}

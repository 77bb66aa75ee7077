//! SMB and NCP on ports that nobody claims: the same captures with other port numbers have the
//! same figures, and streams of other protocols are left alone.

use crate::support::{Analysis, Run, captures, files, root};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use wirewait_analysis::{Outcome, Transaction};
use wirewait_capture::Options;
use wirewait_synth::OwnedFrame;
use wirewait_wire::{Depth, Endpoint, Frame, Registry, Source, Walk};

/// A port that is claimed, and one that is not.
const MOVED: [(u16, u16); 2] = [(445, 1445), (524, 1524)];

/// Hands every frame of a capture to `each`, damage passed over.
fn each_frame(path: &Path, mut each: impl FnMut(&Frame<'_>)) -> Option<()> {
    let mut source = wirewait_capture::open(&[path.to_owned()], &Options::default()).ok()?;
    let mut damages = 0;
    while damages < 10_000 {
        match source.next_frame() {
            Ok(Some(frame)) => each(&frame),
            Ok(None) => break,
            Err(_) => damages += 1,
        }
    }
    Some(())
}

/// Where the TCP header of a frame begins, if it has one.
fn tcp(registry: &Registry, walk: &mut Walk, frame: &Frame<'_>) -> Option<usize> {
    registry.walk(frame, Depth::Handover, walk);
    let mut spans = walk.spans().iter();
    let span = spans.find(|span| registry.dissector(span.dissector).name == "tcp")?;
    Some(span.start as usize)
}

/// The capture as it is, and with other ports.
fn both(path: &Path) -> Option<[Analysis; 2]> {
    let registry = wirewait_dissectors::registry();
    let mut walk = Walk::default();
    let (mut plain, mut moved) = (Run::new(), Run::new());
    each_frame(path, |frame| {
        plain.frame(frame);
        let mut bytes = frame.bytes.to_vec();
        if let Some(at) = tcp(&registry, &mut walk, frame) {
            for port in bytes[at..at + 4].chunks_exact_mut(2) {
                let number = u16::from_be_bytes([port[0], port[1]]);
                if let Some((_, other)) = MOVED.iter().find(|(from, _)| *from == number) {
                    port.copy_from_slice(&other.to_be_bytes());
                }
            }
        }
        moved.frame(&Frame {
            bytes: &bytes,
            ..*frame
        });
    })?;
    Some([plain.finish(), moved.finish()])
}

/// What must be the same of a transaction.
fn row(t: &Transaction) -> String {
    let end = |mut end: Endpoint| {
        if let Some((port, _)) = MOVED.iter().find(|(_, to)| end.port == Some(*to)) {
            end.port = Some(*port);
        }
        end
    };
    let flags: Vec<&str> = t.flags.names().filter(|n| *n != "mid_capture").collect();
    format!(
        "{} {} {} {} {} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {} {} {} {} {:?}",
        t.protocol,
        t.carrier,
        end(t.client),
        end(t.server),
        t.operation.name,
        (t.code, t.kind, t.interims, t.copies),
        t.outcome,
        t.status,
        t.request,
        t.response,
        t.turnaround,
        t.service_ns,
        t.file,
        t.asked_bytes,
        t.data_bytes,
        t.request_bytes,
        t.response_bytes,
        flags,
    )
}

/// Rows that are in one list and not in the other, both ways, and how many there are in both.
fn compare([plain, moved]: &[Analysis; 2]) -> (Vec<String>, Vec<String>, usize) {
    let mut left: BTreeMap<String, i64> = BTreeMap::new();
    for t in &plain.transactions {
        *left.entry(row(t)).or_default() += 1;
    }
    for t in &moved.transactions {
        *left.entry(row(t)).or_default() -= 1;
    }
    let times = |n: i64| usize::try_from(n).unwrap_or(0);
    let rows = |sign: i64| -> Vec<String> {
        let wrong = left.iter().filter(|(_, n)| **n * sign > 0);
        wrong
            .flat_map(|(row, n)| std::iter::repeat_n(row.clone(), times(n * sign)))
            .collect()
    };
    let (lost, new) = (rows(1), rows(-1));
    let same = plain.transactions.len() - lost.len();
    (lost, new, same)
}

#[test]
fn on_another_port_the_figures_are_the_same() {
    let mut compared = 0;
    for theme in ["smb2", "smb1", "ncp", "tcp"] {
        for path in files(&root().join("captures").join(theme)) {
            if path.extension().is_none_or(|e| e != "pcapng") {
                continue;
            }
            let both = both(&path).unwrap();
            let (lost, new, same) = compare(&both);
            compared += same;
            if path.ends_with("tcp/split-header.pcapng") {
                // The one request there does not begin with its header in one segment, so
                // the stream is known from the answer on.
                assert_eq!((lost.len(), new.len()), (1, 0), "{lost:?} {new:?}");
                continue;
            }
            assert!(
                lost.is_empty() && new.is_empty(),
                "{}: only on the known port {lost:#?}, only on the other {new:#?}",
                path.display()
            );
        }
    }
    assert!(compared > 400, "{compared}");
}

/// What differs are messages that no segment begins with: the capture of an evasion tool
/// that sends a few bytes at a time, and a request in pieces.
#[test]
fn on_another_port_real_captures_have_the_same_figures() {
    let Some(folder) = captures("other ports") else {
        return;
    };
    let (mut all, mut missing) = (0, 0);
    for theme in ["real", "lab"] {
        for path in capture_files(&folder.join(theme)) {
            let Some(both) = both(&path) else { continue };
            let (lost, new, same) = compare(&both);
            all += same + lost.len();
            missing += lost.len();
            if !lost.is_empty() || !new.is_empty() {
                let name = path.file_name().unwrap().to_string_lossy().into_owned();
                println!(
                    "{name}: {same} the same, {} lost, {} new",
                    lost.len(),
                    new.len()
                );
                for row in lost.iter().take(2).chain(new.iter().take(2)) {
                    println!("    {row}");
                }
            }
        }
    }
    println!("{all} transactions on known ports, {missing} otherwise on others");
    assert!(all > 30_000, "{all}");
    assert!(missing * 2000 <= all, "{missing} of {all}");
}

/// Segments of the relay that begin with a message.
const RELAYED: u64 = 894;

#[test]
fn other_streams_are_not_taken_for_smb_or_ncp() {
    let Some(folder) = captures("streams that are none of ours") else {
        return;
    };
    let registry = wirewait_dissectors::registry();
    let mut walk = Walk::default();
    let (mut segments, mut streams) = (0u64, BTreeSet::new());
    let mut taken: BTreeMap<(String, u16), u64> = BTreeMap::new();
    for theme in ["real", "lab", "formats", "srt"] {
        for path in capture_files(&folder.join(theme)) {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            each_frame(&path, |frame| {
                let Some(at) = tcp(&registry, &mut walk, frame) else {
                    return;
                };
                let ports = [walk.facts.from.port, walk.facts.to.port];
                let claimed = registry.claimed(&walk.next).is_some();
                let payload = walk.payload(frame);
                if claimed || payload.bytes.is_empty() || at == 0 {
                    return;
                }
                segments += 1;
                streams.insert((name.clone(), ports.iter().min().copied()));
                if registry.recognise(&walk.next, payload.bytes).is_some() {
                    let port = ports.into_iter().flatten().min().unwrap();
                    *taken.entry((name.clone(), port)).or_default() += 1;
                }
            });
        }
    }
    println!(
        "{segments} segments of {} streams on other ports",
        streams.len()
    );
    println!("taken: {taken:?}");
    assert!(segments > 10_000, "{segments}");
    // SMB 2 handed on by a relay; tshark agrees when told to (`-d tcp.port==4445,nbss`).
    let relay = ("smb2_null-linktype_loopback.pcap".to_owned(), 4445);
    assert_eq!(taken, BTreeMap::from([(relay, RELAYED)]));
}

fn capture_files(folder: &Path) -> Vec<PathBuf> {
    let mut found = files(folder);
    found.retain(|path| {
        path.extension()
            .is_none_or(|e| !["json", "csv", "txt", "tsv", "md"].iter().any(|x| e == *x))
    });
    found
}

/// How the numbers of the two directions of a second connection differ from those of the first.
fn renumber(bytes: &mut [u8], at: usize, [low, high]: [u32; 2]) {
    // The end with the lower port has one difference, the other one the other.
    let (from, to) = (&bytes[at..at + 2], &bytes[at + 2..at + 4]);
    let (own, other) = if from < to { (low, high) } else { (high, low) };
    for (place, by) in [(at + 4, own), (at + 8, other)] {
        let number = &mut bytes[place..place + 4];
        let known = u32::from_be_bytes([number[0], number[1], number[2], number[3]]);
        number.copy_from_slice(&known.wrapping_add(by).to_be_bytes());
    }
}

/// The frames of TCP without those that open connections, a day later, with other numbers.
fn again(path: &Path, by: [u32; 2]) -> Vec<(OwnedFrame, bool)> {
    let registry = wirewait_dissectors::registry();
    let mut walk = Walk::default();
    let mut frames = Vec::new();
    each_frame(path, |frame| {
        let Some(at) = tcp(&registry, &mut walk, frame) else {
            return;
        };
        if frame.bytes.len() < at + 20 || frame.bytes[at + 13] & 2 != 0 {
            return;
        }
        let mut owned = OwnedFrame::from(frame);
        frames.push((owned.clone(), false));
        owned.at = frame.at.plus(86_400_000_000_000);
        renumber(&mut owned.bytes, at, by);
        frames.push((owned, true));
    });
    frames.sort_by_key(|(_, later)| *later);
    frames
}

/// What must be the same of a transaction, whichever connection it is on.
fn facts(t: &Transaction) -> (&'static str, u32, Outcome, Option<i64>, u64) {
    let took = t.took().map(|took| took.response_ns);
    (t.protocol, t.code, t.outcome, took, t.data_bytes)
}

/// Of these the capture has one direction at most of the connections: nothing says of a segment
/// what the other end would have sent. After three in a row they are believed; the requests of
/// those before are lost.
const ONE_SIDED: [(&str, usize, usize); 2] = [
    ("one-direction.pcapng", 40, 38),
    ("smb1_139+445_mgove413.pcap", 2388, 2356),
];

/// The same ports are used again, and the capture has not seen how.
#[test]
fn a_connection_between_ports_that_were_used_before_is_another_one() {
    let far = 1 << 30;
    let back = 0u32.wrapping_sub(1 << 29);
    let mut compared = 0;
    let Some(folder) = captures("ports that are used again") else {
        return;
    };
    let own =
        ["smb2", "smb1", "ncp", "tcp"].map(|theme| files(&root().join("captures").join(theme)));
    let others = ["real", "lab"].map(|theme| capture_files(&folder.join(theme)));
    for path in own.into_iter().chain(others).flatten() {
        for by in [[far, back], [back, far], [back, back - 12_345]] {
            let frames = again(&path, by);
            let run = |wanted: &[bool]| {
                let mut run = Run::new();
                let frames = frames.iter().filter(|(_, later)| wanted.contains(later));
                frames.for_each(|(frame, _)| run.frame(&frame.as_frame()));
                run.finish()
            };
            let [first, second, both] = [&[false][..], &[true], &[false, true]].map(run);
            if first.transactions.len() < 2 {
                continue;
            }
            let mut expected: Vec<_> = first.transactions.iter().map(facts).collect();
            expected.extend(second.transactions.iter().map(facts));
            let mut seen: Vec<_> = both.transactions.iter().map(facts).collect();
            expected.sort_unstable();
            seen.sort_unstable();
            compared += 1;
            let name = path.file_name().unwrap().to_string_lossy();
            if let Some((_, most, least)) = ONE_SIDED.iter().find(|(one, ..)| *one == name) {
                assert_eq!((expected.len(), seen.len()), (*most, *least), "{name}");
                continue;
            }
            assert!(
                expected == seen,
                "{name} by {by:?}: {} transactions, not {}",
                seen.len(),
                expected.len()
            );
        }
    }
    assert!(compared > 100, "{compared}");
}

/// All frames of a connection without its SYNs (and, if `open`, without its FINs), and the same again `later`, with other
/// sequence numbers.
fn taken_again(
    frames: &[OwnedFrame],
    open: bool,
    later: i64,
    [client, server]: [u32; 2],
) -> Vec<OwnedFrame> {
    const FLAGS: usize = 13;
    let registry = wirewait_dissectors::registry();
    let mut walk = Walk::default();
    let (mut first, mut second) = (Vec::new(), Vec::new());
    for frame in frames {
        let at = tcp(&registry, &mut walk, &frame.as_frame()).expect("TCP");
        let flags = frame.bytes[at + FLAGS];
        if flags & 2 != 0 || open && flags & 5 != 0 {
            continue;
        }
        first.push(frame.clone());
        let mut again = frame.clone();
        again.at = frame.at.plus(later);
        let from_client = u16::from_be_bytes([frame.bytes[at + 2], frame.bytes[at + 3]]) == 445;
        let ways = if from_client {
            [client, server]
        } else {
            [server, client]
        };
        for (place, ahead) in [(at + 4, ways[0]), (at + 8, ways[1])] {
            let number = &mut again.bytes[place..place + 4];
            let before = u32::from_be_bytes([number[0], number[1], number[2], number[3]]);
            number.copy_from_slice(&before.wrapping_add(ahead).to_be_bytes());
        }
        second.push(again);
    }
    first.extend(second);
    first
}

/// The initial numbers of a connection are random (RFC 9293 section 3.4.1): ahead of those before as often as behind
/// them. A connection that nobody was seen to open on the ports of another is known by what it begins with, or because
/// the one before was closed.
#[test]
fn ports_that_are_taken_again_are_another_connection_wherever_its_numbers_begin() {
    let frames = files(&root().join("captures/smb2"));
    let path = frames
        .iter()
        .find(|f| f.ends_with("session.pcapng"))
        .unwrap();
    let frames = crate::support::owned_frames(path);
    let once = crate::support::analyse_frames(&frames);
    let pairs = |found: &Analysis| {
        let answered = found
            .transactions
            .iter()
            .filter(|t| t.outcome == Outcome::Answered);
        answered
            .map(|t| (t.operation.name, t.turnaround.exact()))
            .collect::<Vec<_>>()
    };
    let expected = [pairs(&once), pairs(&once)].concat();
    let ahead = 1_000_000_000u32;
    for open in [true, false] {
        for later in [2_000_000_000, 200_000_000_000] {
            for numbers in [
                [ahead, ahead],
                [ahead.wrapping_neg(), ahead],
                [ahead, ahead.wrapping_neg()],
                [3_000_000u32.wrapping_neg(); 2],
                [200_000u32.wrapping_neg(), 1_200_000],
                [1 << 31, 17],
            ] {
                let found =
                    crate::support::analyse_frames(&taken_again(&frames, open, later, numbers));
                let what = format!("open {open}, later {later}, {numbers:?}");
                assert_eq!(pairs(&found), expected, "{what}");
                assert_eq!(found.snapshot.capture.conversations, 2, "{what}");
                let mut reasons = found.snapshot.capture.reasons.iter();
                assert!(!reasons.any(|reason| reason.name == "gaps"), "{what}");
            }
        }
    }
}

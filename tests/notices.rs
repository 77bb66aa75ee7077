//! What transports do, told where the frames show it.

use crate::support::{captures, root};
use std::path::Path;
use wirewait_analysis::{Analyzer, Notice, Noticed, Settings, Sink, Transaction};
use wirewait_capture::Options;
use wirewait_wire::Source;

#[derive(Default)]
struct Told(Vec<Notice>);

impl Sink for Told {
    fn transaction(&mut self, _: &Transaction) {}

    fn noticed(&mut self, notice: &Notice) {
        self.0.push(*notice);
    }
}

fn notices(path: &Path) -> Vec<Notice> {
    let mut source = wirewait_capture::open(&[path.into()], &Options::default()).unwrap();
    let mut told = Told::default();
    let mut analyzer = Analyzer::new(wirewait_dissectors::registry(), Settings::default());
    while let Ok(Some(frame)) = source.next_frame() {
        analyzer.frame(&frame, &mut told);
    }
    analyzer.finish(&mut told);
    told.0
}

/// Frame, bytes and what, without acknowledgements.
fn events(path: &str) -> Vec<(u64, u64, Noticed)> {
    notices(&root().join("captures").join(path))
        .iter()
        .filter(|n| !matches!(n.what, Noticed::Acknowledged { .. }))
        .map(|n| (n.mark.frame, n.bytes, n.what))
        .collect()
}

const MS: i64 = 1_000_000;

/// The scenario of this capture says what each frame is.
#[test]
fn a_link_that_is_busy_rejects_and_polls() {
    let found = events("nbf/link-upkeep.pcapng");
    // 1: name query, 2: recognised. 3: SABME, 4: UA 1 ms later; 5: poll, 6: final; 7: session
    // initialise, 9: session confirm 2 ms later.
    let opening = [
        (3, 0, Noticed::Asked { tries: 1 }),
        (
            4,
            0,
            Noticed::Opened {
                tries: 1,
                after_ns: MS,
            },
        ),
        (5, 0, Noticed::Polled { waiting: 0 }),
        (7, 0, Noticed::Asked { tries: 1 }),
        (
            9,
            0,
            Noticed::Opened {
                tries: 1,
                after_ns: 2 * MS,
            },
        ),
    ];
    assert_eq!(found[..5], opening);
    // RNR at 2.001, RR at 2.050. The poll at 62 s. REJ while the third frame of the request
    // is on its way; then the second for the first time in the capture (the sender was asked
    // for it, so he sends it again), and the third again 8 ms after the first copy:
    // 70.004 (the third of three frames 2 ms apart) and 70.012.
    // The request is an SMB of 32 bytes and 12 words, 2 bytes of length, 1 of padding and the
    // data: 32 + 1 + 24 + 2 + 1 + 2988 = 3048 bytes: 1482, 1482 and 84.
    let upkeep = [
        (15, 0, Noticed::Busy),
        (16, 0, Noticed::Ready { after_ns: 49 * MS }),
        (21, 0, Noticed::Polled { waiting: 0 }),
        (25, 84, Noticed::Rejected),
        (26, 1482, Noticed::Resent { after_ns: None }),
        (
            27,
            84,
            Noticed::Resent {
                after_ns: Some(8 * MS),
            },
        ),
    ];
    assert_eq!(found[5..11], upkeep);
    // The end: the session in good order, then the link.
    let ends: Vec<_> = found[11..].iter().map(|(_, _, what)| *what).collect();
    assert_eq!(ends, [Noticed::Closed, Noticed::Closed]);
}

#[test]
fn acknowledgements_are_bare_or_ride_on_data() {
    let path = root().join("captures/nbf/link-upkeep.pcapng");
    let acks: Vec<_> = notices(&path)
        .iter()
        .filter(|n| (11..=14).contains(&n.mark.frame))
        .map(|n| {
            (
                n.mark.frame,
                n.bytes,
                n.what,
                n.carrier,
                n.conversation.is_some(),
            )
        })
        .collect();
    // 11: request, of 32 + 1 + 20 + 2 bytes; 12: its answer acknowledges it on the link and
    // above it, and has 32 + 1 + 24 + 2 + 1 + 512 bytes; 13: RR 1 ms later; 14: the next
    // request acknowledges the answer above the link.
    let link = |bare, outstanding, after_ns, sent| Noticed::Acknowledged {
        bare,
        message: false,
        may_ride: false,
        frames: 1,
        outstanding,
        last_bytes: outstanding as u32,
        after_ns,
        sent: Some(sent),
        at_once: false,
    };
    let message = Noticed::Acknowledged {
        bare: false,
        message: true,
        may_ride: true,
        frames: 0,
        outstanding: 0,
        last_bytes: 0,
        after_ns: 0,
        sent: None,
        at_once: false,
    };
    let found: Vec<_> = acks.iter().map(|a| (a.0, a.2)).collect();
    assert!(acks.iter().all(|a| a.3 == "nbf" && a.4), "{acks:?}");
    assert_eq!(
        found,
        [
            (12, link(false, 55, 10 * MS, 11)),
            (12, message),
            (13, link(true, 572, MS, 12)),
            (14, message),
        ]
    );
}

#[test]
fn the_same_frame_twice_is_data_sent_again() {
    let found = events("nbf/retransmitted.pcapng");
    let resent: Vec<_> = found
        .iter()
        .filter(|(_, _, what)| matches!(what, Noticed::Resent { .. }))
        .collect();
    // READ_ANDX: 32 bytes, 10 or 12 words, length.
    let [(12, bytes, what)] = resent[..] else {
        panic!("{resent:?}");
    };
    assert!((55..=60).contains(bytes), "{bytes}");
    assert_eq!(
        *what,
        Noticed::Resent {
            after_ns: Some(500 * MS)
        }
    );
}

/// tshark counts what it calls retransmissions, zero windows and resets; so do notices, as
/// far as the frames belong to connections that are followed.
#[test]
fn byte_streams_agree_with_tshark() {
    let Some(folder) = captures("byte_streams_agree_with_tshark") else {
        return;
    };
    let mut compared = 0;
    for path in crate::support::files(&folder.join("lab")) {
        if !path
            .extension()
            .is_some_and(|e| e == "pcap" || e == "pcapng")
        {
            continue;
        }
        let Some(expected) = tshark(&path) else {
            eprintln!("SKIPPED: byte_streams_agree_with_tshark: no tshark");
            return;
        };
        let found = notices(&path);
        let frames = |which: fn(&Noticed) -> bool| -> Vec<u64> {
            let of = found.iter().filter(|n| which(&n.what));
            of.map(|n| n.mark.frame).collect()
        };
        let resent = frames(|w| matches!(w, Noticed::Resent { .. }));
        // What fills a gap is a retransmission for tshark; that it was sent twice is not seen.
        let missed: Vec<_> = resent.iter().filter(|f| !expected[0].contains(f)).collect();
        assert!(missed.is_empty(), "{}: {missed:?}", path.display());
        let busy = frames(|w| matches!(w, Noticed::Busy));
        assert!(
            busy.iter().all(|f| expected[1].contains(f)),
            "{}",
            path.display()
        );
        assert_eq!(
            busy.is_empty(),
            expected[1].is_empty(),
            "{}",
            path.display()
        );
        compared += resent.len() + busy.len();
    }
    assert!(compared > 40, "only {compared} frames compared");
}

/// Frames that tshark calls sent again, and those with a window of nothing.
fn tshark(path: &Path) -> Option<[Vec<u64>; 2]> {
    let select = |filter: &str| {
        let arguments = ["-n", "-Y", filter, "-T", "fields", "-e", "frame.number"];
        let output = std::process::Command::new("tshark")
            .arg("-r")
            .arg(path)
            .args(arguments)
            .output()
            .ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        Some(text.lines().filter_map(|line| line.parse().ok()).collect())
    };
    let ports = "(tcp.port==445||tcp.port==139||tcp.port==524)";
    let again = "(tcp.analysis.retransmission||tcp.analysis.out_of_order||tcp.analysis.keep_alive)";
    Some([
        select(&format!("{ports}&&{again}&&tcp.len>0"))?,
        select(&format!(
            "{ports}&&tcp.window_size_value==0&&!tcp.flags.reset&&!tcp.flags.syn"
        ))?,
    ])
}

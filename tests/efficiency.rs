//! What frames are spent on: answers worked out by hand on the scenarios, and sums that must
//! close on everything.

use crate::support::{analyse, analyse_frames, captures, files, owned_frames, root};
use std::collections::BTreeSet;
use wirewait_analysis::{Accesses, Efficiency, EfficiencyRow, Outcome, Snapshot, Transaction};
use wirewait_synth::OwnedFrame;
use wirewait_wire::{File, Kind};

fn scenario(name: &str) -> Efficiency {
    let path = root().join("captures").join(name).with_extension("pcapng");
    analyse(&[path]).unwrap().snapshot.efficiency
}

/// Frames of data, resent, of control, and of each layer: acknowledgements alone and riding.
type Spent = (u64, u64, u64, Vec<(&'static str, u64, u64)>);

fn spent(row: &EfficiencyRow) -> Spent {
    let acks = row.acks.iter();
    let acks = acks.map(|a| (a.layer, a.alone.frames, a.riding)).collect();
    (row.data.frames, row.resent.frames, row.control.frames, acks)
}

/// The row of the only server.
fn server(found: &Efficiency) -> &EfficiencyRow {
    let mut rows = found.rows.iter().filter(|row| row.server.is_some());
    let row = rows.next().unwrap();
    assert!(rows.next().is_none());
    row
}

#[test]
fn netbeui_acknowledges_twice() {
    let found = scenario("nbf/example");
    // Data: name query and answer (1, 2), session set-up (7, 9), request (11), answer (12, 14,
    // 16). Control: SABME, UA, poll, final (3 to 6). RR: 8, 10, 13, 15, 17; the answer's first
    // frame (12) acknowledges the request, in LLC's N(R) and in NBF's flags. DATA_ACK: 18.
    assert_eq!(
        spent(&found.together),
        (8, 0, 4, vec![("llc", 5, 1), ("nbf", 1, 1)])
    );
    // 64 bytes each, with preamble and gap 84.
    assert_eq!(found.together.acks_alone().bytes, 6 * 84);
    // The link belongs to nobody before the session is set up.
    let row = server(&found);
    assert_eq!(spent(row), (8, 0, 0, vec![("llc", 5, 1), ("nbf", 1, 1)]));
    assert_eq!(row.carrier, "nbf");
    assert_eq!(row.session_frames, 4);
    // The name, the session, and the read.
    assert_eq!(
        (row.exchanges, row.frames.request, row.frames.response),
        (3, 3, 5)
    );
    let moved = row.moved;
    assert_eq!((moved.bytes, moved.timed_bytes), (2988, 2988));
    assert_eq!(moved.response_ns, 14_000_000);
    // 3048 bytes of SMB, 1482 of them in the first frame; 4 ms from it to the last.
    assert_eq!((moved.sending_bytes, moved.sending_ns), (1566, 4_000_000));

    // DATA_ACK: 12 and 14, which acknowledge the I-frames before them as they go; RR: 8, 10
    // and 15, for 14.
    let found = scenario("nbf/no-piggyback");
    assert_eq!(
        spent(&found.together),
        (6, 0, 4, vec![("llc", 3, 2), ("nbf", 2, 0)])
    );
}

#[test]
fn what_is_sent_again_is_counted_by_who_sends_it() {
    let found = scenario("nbf/retransmitted");
    let row = server(&found);
    assert_eq!(
        spent(&found.together),
        (6, 1, 4, vec![("llc", 3, 1), ("nbf", 0, 1)])
    );
    // The client: 1, 7, 11 and 12, which is 11 half a second later. The server: 2, 9, 13.
    let [client, server_units] = row.units;
    assert_eq!(
        (client.sent, client.resent, client.lost_ns),
        (4, 1, 500_000_000)
    );
    assert_eq!((server_units.sent, server_units.resent), (3, 0));

    // Nothing below NCP repeats anything: it does so itself.
    let found = scenario("ncp/retransmitted");
    let row = server(&found);
    assert_eq!(spent(&found.together), (2, 1, 0, vec![]));
    let [client, server_units] = row.units;
    assert_eq!(
        (client.sent, client.resent, client.lost_ns),
        (2, 1, 500_000_000)
    );
    assert_eq!((server_units.sent, server_units.resent), (1, 0));
}

#[test]
fn acknowledgements_ride_on_data_where_they_can() {
    // 3 and 9 are answered by 4 and 10, which acknowledge them; 9 acknowledges 8. Alone: 5, 7,
    // 11. The probe, its answer, the end and its answer are control.
    let found = scenario("nbipx/session");
    assert_eq!(spent(&found.together), (8, 0, 4, vec![("nbipx", 3, 3)]));
    // Set-up of three; two requests; three segments of answers, the first of which
    // acknowledges both requests.
    let found = scenario("tcp/mid-segment");
    assert_eq!(spent(&found.together), (5, 0, 3, vec![("tcp", 0, 1)]));
    // Nobody reads what these programs send: 1000 bytes in two packets, 100 twice, 100 again.
    // Watchdog, its answer, set-up and end are control.
    let found = scenario("spx/stop-and-wait");
    assert!(found.rows.iter().all(|row| row.server.is_none()));
    assert_eq!(found.together.resent.frames, 1);
    let lost: u64 = found.together.units.iter().map(|u| u.lost_ns).sum();
    assert_eq!(lost, 600_000_000);
}

#[test]
fn an_ncp_session_by_its_reads_and_writes() {
    let found = scenario("ncp/session");
    let row = server(&found);
    assert_eq!(spent(row), (24, 0, 0, vec![]));
    // Create, negotiate, end of job, logout, destroy, with their answers.
    assert_eq!(row.session_frames, 10);
    assert_eq!(
        (row.exchanges, row.frames.request, row.frames.response),
        (12, 12, 12)
    );
    // At 0 and 1024, in a row; at 2049, not 2048; and after the file was closed.
    let reads = row.reads;
    assert_eq!((reads.count, reads.bytes, reads.sized), (4, 2999, 4));
    assert_eq!((reads.placed, reads.random), (2, 1));
    // 1024 bytes each, which is just a quarter of the 4096 that are taken for granted.
    assert_eq!((reads.small, reads.large, reads.assumed), (0, 0, 4));
    assert_eq!((reads.again_bytes, reads.crossed_bytes), (0, 0));
    assert_eq!((row.writes.count, row.writes.bytes), (1, 700));
    assert_eq!(row.writes.placed, 0, "the first of its kind");
    // 1 + 1 + 10 + 2 + 2 + 2 + 7 + 1 + 1 + 1 + 1 + 1 ms; of those that moved data 2 + 2 + 2 + 7.
    let moved = row.moved;
    assert_eq!(
        (moved.bytes, moved.timed_bytes, moved.answers),
        (3699, 3699, 12)
    );
    assert_eq!((moved.busy_ns, moved.response_ns), (30_000_000, 13_000_000));
    assert_eq!(moved.wall_ns(), Some(121_000_000));
    assert_eq!(moved.sending_ns, 0, "all in one frame");
}

/// What tshark counts on lab captures: pure acknowledgements on the servers' ports, those of
/// them that only end the set-up of a connection, and segments with data.
#[test]
fn acknowledgements_of_the_lab_are_those_of_tshark() {
    let Some(folder) = captures("efficiency") else {
        return;
    };
    for (name, pure, others, data) in [
        ("01_smb1_nt1_port139_records_1client_srv.pcap", 353, 1, 3647),
        ("04_smb2_202_delay5ms_server_egress_srv.pcap", 290, 1, 1518),
        ("05_smb2_210_pipelined_credits_srv.pcapng", 424, 2, 1390),
    ] {
        let found = analyse(&[folder.join("lab").join(name)]).unwrap();
        // What else stations say (names, browsers) is not tshark's to count here.
        let rows = found.snapshot.efficiency.rows;
        let (mut alone, mut new, mut again) = (0, 0, 0);
        for row in rows {
            if let Some(tcp) = row.acks.iter().find(|acks| acks.layer == "tcp") {
                alone += tcp.alone.frames;
                new += row.data.frames;
                again += row.resent.frames;
            }
        }
        assert_eq!(
            (alone, new, again),
            (pure - others, data, 0),
            "{name}: acknowledgements, data, data sent again"
        );
    }
    let name = "nbf1_llc2_smb1_3clients_srv.pcap";
    let found = analyse(&[folder.join("lab").join(name)]).unwrap();
    let found = found.snapshot.efficiency.together;
    let alone = |layer| {
        let acks = found.acks.iter().find(|acks| acks.layer == layer);
        acks.map_or(0, |acks| acks.alone.frames)
    };
    // 1416 DATA_ACK; 708 supervisory frames, of which the final of each poll says nothing new.
    assert_eq!((alone("nbf"), alone("llc")), (1416, 708));
}

fn closes(name: &str, snapshot: &Snapshot) {
    let found = &snapshot.efficiency;
    let mut all = found.together.all();
    all += found.elsewhere;
    all += found.copies;
    assert_eq!(
        all.frames, snapshot.capture.frames,
        "{name}: frames by class"
    );
    assert_eq!(
        found.copies.frames, snapshot.attribution.duplicates,
        "{name}"
    );
    assert_eq!(found.elsewhere.frames, snapshot.attribution.other, "{name}");
    let rows = found.rows.iter().map(EfficiencyRow::all);
    let (frames, bytes) = rows.fold((0, 0), |sum, v| (sum.0 + v.frames, sum.1 + v.bytes));
    let together = found.together.all();
    assert_eq!((frames, bytes), (together.frames, together.bytes), "{name}");
    if snapshot.segment.interfaces.len() == 1 {
        let wire = snapshot.segment.together.bytes.on_wire;
        let counted = together.bytes + found.elsewhere.bytes;
        let reasons = &snapshot.capture.reasons;
        // What was sent on by a router is on the wire twice.
        match reasons.iter().any(|reason| reason.name == "beyond_routers") {
            true => assert!(
                counted < wire && wire - counted <= found.copies.bytes,
                "{name}: bytes"
            ),
            false => assert_eq!(counted, wire, "{name}: bytes"),
        }
    }
    for row in found.rows.iter().chain([&found.together]) {
        let [client, server] = row.units;
        assert!(client.resent + server.resent <= row.resent.frames, "{name}");
        for Accesses {
            count,
            sized,
            small,
            large,
            placed,
            random,
            bytes,
            again_bytes,
            ..
        } in [row.reads, row.writes]
        {
            assert!(
                sized <= count && small + large <= sized && random <= placed,
                "{name}"
            );
            assert!(again_bytes <= bytes, "{name}");
        }
    }
}

#[test]
fn frames_by_class_are_the_frames_of_every_capture() {
    for folder in files_of_scenarios() {
        for path in files(&folder)
            .iter()
            .filter(|p| p.extension().is_some_and(|e| e == "pcapng"))
        {
            closes(
                &path.display().to_string(),
                &analyse(std::slice::from_ref(path)).unwrap().snapshot,
            );
        }
    }
    let Some(folder) = captures("efficiency") else {
        return;
    };
    for theme in ["real", "lab"] {
        for path in files(&folder.join(theme)) {
            let name = path.display().to_string();
            let is_capture = [".pcap", ".pcapng", ".gz", ".cap", ".snoop"];
            if is_capture.iter().any(|end| name.ends_with(end)) {
                closes(&name, &analyse(&[path]).unwrap().snapshot);
            }
        }
    }
}

fn files_of_scenarios() -> Vec<std::path::PathBuf> {
    let folders = std::fs::read_dir(root().join("captures")).unwrap();
    let mut folders: Vec<_> = folders.map(|entry| entry.unwrap().path()).collect();
    folders.retain(|path| path.is_dir());
    folders.sort();
    folders
}

/// An adapter hands three segments of a response over as one, and their receiver acknowledges each: what
/// acknowledges part of a frame of the capture is an acknowledgement, too.
#[test]
fn acknowledgements_of_part_of_a_long_frame_are_acknowledgements() {
    const TCP: usize = 14 + 20;
    const DATA: usize = TCP + 20;
    let whole = owned_frames(&root().join("captures/smb2/session.pcapng"));
    let number = |frame: &OwnedFrame, at: usize| {
        let bytes = frame.bytes[TCP + at..].first_chunk::<4>().unwrap();
        u32::from_be_bytes(*bytes)
    };
    let part = |n: usize| &whole[n].bytes[DATA..];
    let mut long = whole[16].clone();
    long.bytes.extend([part(17), part(18)].concat());
    long.wire_len = long.bytes.len() as u32;
    let length = (long.bytes.len() - 14) as u16;
    long.bytes[16..18].copy_from_slice(&length.to_be_bytes());
    let mut end = number(&whole[16], 4);
    let acks = [16, 17, 18].map(|n| {
        let mut ack = whole[2].clone();
        ack.at = whole[18].at.plus(n as i64 * 10_000);
        end += part(n).len() as u32;
        let says = [number(&whole[19], 4).to_be_bytes(), end.to_be_bytes()].concat();
        ack.bytes[TCP + 4..TCP + 12].copy_from_slice(&says);
        ack
    });
    let mut frames = whole[..16].to_vec();
    frames.push(long);
    frames.extend(acks);
    frames.extend(whole[19..].to_vec());
    let spent = |frames: &[OwnedFrame]| {
        let found = analyse_frames(frames);
        let row = &found.snapshot.efficiency.together;
        let alone: u64 = row.acks.iter().map(|layer| layer.alone.frames).sum();
        (alone, row.control.frames, row.data.frames)
    };
    let (alone, control, data) = spent(&whole);
    assert_eq!(spent(&frames), (alone + 3, control, data - 2));
}

/// Definitions, section 4: of a segment that the capturing station put together, each request and response counts the
/// frames on the wire, `ceil(tcp.len / (tcp.options.mss_val - options))`. Against the same sum over the frames of tshark
/// (`frame.len > 1518 && (smb2 || nbss)`, and what is reassembled with these), none of which has two messages.
#[test]
fn frames_per_request_are_those_on_the_wire() {
    let Some(folder) = captures("frames_per_request_are_those_on_the_wire") else {
        return;
    };
    for (name, beyond) in [
        // A loopback interface: both SYNs say 65,495, and no segment has more.
        ("smb2_100_small_files.pcap", 0),
        ("smb2_netshareenum_139.pcap.gz", 7),
        ("smb2_dac_sample.pcap.gz", 9),
        ("smb2_peter.pcap", 144),
    ] {
        let analysis = analyse(&[folder.join("real").join(name)]).unwrap();
        let rows = analysis.transactions.iter();
        let offloaded: u32 = rows.map(|t| t.frames.offloaded).sum();
        assert_eq!(offloaded, beyond, "{name}");
        let row = &analysis.snapshot.efficiency.together;
        let frames = &row.frames;
        let captured = frames.request + frames.response + frames.interim;
        assert_eq!(row.data_frames(), captured + u64::from(beyond), "{name}");
    }
}

/// A read or write has a place in its file if one of its kind was asked for there before, since the handle was given out.
fn placed_by_hand(transactions: &[Transaction]) -> u64 {
    let mut all: Vec<&Transaction> = transactions
        .iter()
        .filter(|t| t.request.is_some())
        .collect();
    all.sort_by_key(|t| (t.request.map(|extent| extent.first.frame), t.number));
    let mut before = BTreeSet::new();
    let mut placed = 0;
    for t in all {
        let handle = t.file.map(|file| file.handle);
        let Some(handle) = handle.filter(|handle| *handle != File::PREVIOUS) else {
            continue;
        };
        // What is read from a pipe has no place.
        if t.place.as_ref().is_some_and(|place| place.pipes) {
            continue;
        }
        let at = |write| (t.conversation, handle, write);
        match t.kind {
            Kind::Open | Kind::Close => {
                before.remove(&at(false));
                before.remove(&at(true));
            }
            Kind::Read | Kind::Write if t.file.is_some_and(|file| file.offset.is_some()) => {
                let again = !before.insert(at(t.kind == Kind::Write));
                placed += u64::from(again && t.outcome == Outcome::Answered);
            }
            _ => {}
        }
    }
    placed
}

/// The first read of a file begins before the open is closed, as it acknowledges the response to that.
#[test]
fn only_the_first_of_each_kind_on_a_handle_has_no_place() {
    let Some(folder) = captures("efficiency") else {
        return;
    };
    let lab = folder.join("lab");
    for (name, expected) in [
        ("04_smb2_202_delay5ms_server_egress_cli.pcap", 350),
        ("05_smb2_210_pipelined_credits_srv.pcapng", 210),
        ("10_loss3pct_dup1pct_reorder2pct_srv.pcap", 475),
        ("11_smb2_compound_related_unrelated_srv.pcapng", 716),
        ("12_smb2_async_pending_notify_lock_cancel_srv.pcap", 448),
    ] {
        let found = analyse(&[lab.join(name)]).unwrap();
        let together = &found.snapshot.efficiency.together;
        let placed = together.reads.placed + together.writes.placed;
        assert_eq!(
            placed_by_hand(&found.transactions),
            expected,
            "{name}: by hand"
        );
        assert_eq!(placed, expected, "{name}");
    }
}

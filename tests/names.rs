//! Names of shares and files: the same as tshark's, request by request, and as the lab's.
//!
//! `oracle/names.txt` holds which file tshark 4.0.17 says each SMB request is about
//! (`oracle/names.sh` makes it).

use crate::support::{Analysis, analyse, analyse_frames, captures, root};
use std::collections::{BTreeMap, BTreeSet};
use wirewait_analysis::{Grouping, Place, Transaction, counts_for_places};
use wirewait_synth::Scenario;

/// The number that stands for a name in the table: names of real captures are not printed.
fn number(name: &str) -> u64 {
    name.bytes()
        .fold(7, |h, byte| (h * 31 + u64::from(byte)) % 2_147_483_647)
}

fn path(t: &Transaction) -> Option<&str> {
    t.place.as_ref()?.path.as_deref()
}

/// Why tshark names another file in this request.
fn explain(of_frame: &[&Transaction]) -> Option<&'static str> {
    let does = |words: &[&str]| {
        of_frame
            .iter()
            .any(|t| words.iter().any(|word| t.operation.name.contains(word)))
    };
    if does(&["RENAME", "SET_INFO"]) {
        return Some("the new name of a file renamed");
    }
    if does(&["SEARCH", "FIND"]) {
        return Some("the pattern in the resume key of a search that goes on");
    }
    None
}

#[test]
fn requests_are_about_the_files_that_tshark_names() {
    let Some(folder) = captures("requests_are_about_the_files_that_tshark_names") else {
        return;
    };
    let table = std::fs::read_to_string(root().join("tests/oracle/names.txt")).unwrap();
    let mut captures: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for line in table.lines() {
        let (capture, rest) = line.split_once('\t').unwrap();
        captures.entry(capture).or_default().push(rest);
    }
    let (mut same, mut explained) = (0, BTreeMap::<&str, u32>::new());
    for (capture, lines) in captures {
        let found = analyse(&[folder.join(capture)]).unwrap().transactions;
        for line in lines {
            let mut cells = line.split('\t');
            let (protocol, frame) = (cells.next().unwrap(), cells.next().unwrap());
            let frame: u64 = frame.parse().unwrap();
            let theirs: BTreeSet<u64> = cells.map(|cell| cell.parse().unwrap()).collect();
            let of_frame: Vec<&Transaction> = found
                .iter()
                .filter(|t| (t.protocol == "smb1") == (protocol == "smb"))
                .filter(|t| t.request.is_some_and(|r| r.last.frame == frame))
                .collect();
            // tshark has no name for the root of a share that is opened by an empty one.
            let ours: BTreeSet<u64> = of_frame
                .iter()
                .filter_map(|t| path(t))
                .map(number)
                .collect();
            if theirs.is_subset(&ours) {
                same += 1;
                continue;
            }
            let why = explain(&of_frame);
            assert!(why.is_some(), "{capture} frame {frame}: {of_frame:#?}");
            *explained.entry(why.unwrap()).or_default() += 1;
        }
    }
    eprintln!("names: {same} requests as tshark has them, {explained:?}");
    assert!(same > 1900, "{same}");
    assert!(explained.values().sum::<u32>() < 40, "{explained:?}");
}

fn lab(file: &str) -> Option<Analysis> {
    let folder = captures("names in the lab")?;
    Some(analyse(&[folder.join("lab").join(file)]).unwrap())
}

/// The lab's client read data4m.bin of \\10.77.0.1\PUB and wrote w.bin there.
#[test]
fn every_read_and_write_of_the_lab_has_its_file() {
    let Some(found) = lab("01_smb1_nt1_port139_records_1client_srv.pcap") else {
        return;
    };
    let place = |t: &Transaction| t.place.as_deref().cloned().unwrap_or_default();
    let reads = found
        .transactions
        .iter()
        .filter(|t| matches!(t.operation.name, "READ" | "READ_RAW" | "READ_ANDX"));
    let mut n = 0;
    for t in reads {
        let Place { share, path, .. } = place(t);
        assert_eq!(share.as_deref(), Some(r"\\10.77.0.1\PUB"), "{t:?}");
        assert_eq!(path.as_deref(), Some(r"\data4m.bin"), "{t:?}");
        n += 1;
    }
    assert_eq!(n, 430 + 186 + 12, "as tshark counts them");
    let row = found
        .snapshot
        .places
        .iter()
        .find(|row| row.by == Grouping::File && &*row.name == r"\data4m.bin")
        .unwrap();
    let moved: u64 = found
        .transactions
        .iter()
        .filter(|t| path(t) == Some(r"\data4m.bin"))
        .map(|t| t.data_bytes)
        .sum();
    assert_eq!(row.read_bytes + row.written_bytes, moved);
}

/// A client opens the directory entry that a search gave it, without a name; the answer names it (as tshark 4.0.17 reads these
/// bytes, `ncp.file_name`). What it reads through the handle is that file's, until it is closed.
#[test]
fn a_file_that_only_the_answer_to_its_open_names() {
    let text = "title NCP\nethernet ii\nclient C ipx 00000022.020000002201:4003\n\
        server S ipx 00000022.020000000001:0451\n\
        0.000 C>S ncp open name=A.TXT\n0.001 S>C ncp reply handle=3\n\
        0.010 C>S ncp read handle=3 length=512\n0.011 S>C ncp reply data=512\n\
        0.020 C>S ncp write handle=3 data=100\n0.021 S>C ncp reply\n\
        0.030 C>S ncp close handle=3\n0.031 S>C ncp reply\n\
        0.040 C>S ncp read handle=3 length=512\n0.041 S>C ncp reply data=512\n[answer]\n";
    let scenario = Scenario::parse("named", text).unwrap_or_else(|e| panic!("{e}"));
    // Name space and mode; attributes; what is to be returned: all, or all but the name; attributes and rights; volume,
    // directory entry, "directory base", and a path of no components or of one.
    let opens = |mask: u16, path: &[u8]| {
        let mut open = vec![87, 1, 0, 1, 6, 0];
        open.extend(mask.to_le_bytes());
        open.extend([0; 6]);
        open.extend([3, 0, 1, 0x34, 0x12, 0, 0, 1]);
        open.extend(path);
        open
    };
    // Handle 3, opened; 76 bytes of information in the old style; the name.
    let reply = |name: &[u8]| {
        let mut reply = vec![0, 0, 3, 0, 0, 0, 1, 0];
        reply.extend([0; 76]);
        reply.extend(name);
        reply
    };
    let files = |open: &[u8], reply: &[u8]| {
        let mut frames = scenario.frames().to_vec();
        // Behind the headers of Ethernet and IPX; type, sequence and connection stay.
        const NCP: usize = 14 + 30;
        for (frame, body) in frames.iter_mut().zip([open, reply]) {
            frame.bytes.truncate(NCP + 6);
            frame.bytes.extend(body);
            let length = u16::try_from(frame.bytes.len() - 14).unwrap();
            frame.bytes[16..18].copy_from_slice(&length.to_be_bytes());
            frame.wire_len = u32::try_from(frame.bytes.len()).unwrap();
        }
        let found = analyse_frames(&frames);
        let paths = found
            .transactions
            .iter()
            .map(|t| path(t).map(str::to_owned));
        paths.collect::<Vec<_>>()
    };
    let named = |name: &str| {
        let name = Some(name.to_owned());
        [name.clone(), name.clone(), name.clone(), name, None]
    };
    let file = reply(b"\x0aLEDGER.DAT");
    assert_eq!(files(&opens(0x0fff, b"\0"), &file), named("LEDGER.DAT"));
    // A request that names it itself says where it is, too.
    let path = opens(0x0fff, b"\x02\x03DIR\x0aLEDGER.DAT");
    assert_eq!(files(&path, &file), named("DIR/LEDGER.DAT"));
    // Nobody names it.
    assert_eq!(
        files(&opens(0x0ffe, b"\0"), &reply(b"")),
        [const { None }; 5]
    );
    // The open failed.
    let mut failed = file.clone();
    failed[0] = 0xff;
    assert_eq!(files(&opens(0x0fff, b"\0"), &failed), [const { None }; 5]);
}

/// Whatever is named is counted once under its share, and no more.
#[test]
fn rows_of_shares_and_files_sum_to_their_transactions() {
    for file in [
        "02_smb1_lanman_smbclient_2clients_srv.pcap",
        "05_smb2_210_pipelined_credits_srv.pcapng",
    ] {
        let Some(found) = lab(file) else {
            return;
        };
        for (by, name) in [
            (Grouping::User, (|p| p.user.is_some()) as fn(&Place) -> bool),
            (Grouping::Share, |p| p.share.is_some()),
            (Grouping::File, |p| p.path.is_some()),
        ] {
            let named = found
                .transactions
                .iter()
                .filter(|t| t.place.as_ref().is_some_and(|place| name(place)))
                .count();
            let counted: u64 = found
                .snapshot
                .places
                .iter()
                .filter(|row| row.by == by)
                .map(|row| row.counts.requests + row.counts.orphan_responses)
                .sum();
            assert_eq!(counted, named as u64, "{file} {by:?}");
            assert!(named > 0 || by == Grouping::User, "{file} {by:?}");
        }
    }
}

/// The servers of these captures have each share once; clients write it in two ways.
#[test]
fn a_share_is_one_in_whatever_capitals() {
    let Some(folder) = captures("a_share_is_one_in_whatever_capitals") else {
        return;
    };
    for capture in [
        "found/1-1793-smb2_getinfo.pcap",
        "lab/01_smb1_nt1_port139_records_1client_srv.pcap",
        "lab/10_loss3pct_dup1pct_reorder2pct_srv.pcap",
        "lab/e1_span_duplicates_nt1_smb2_span.pcap",
        "real/smb2_rawip-linktype_krb5.pcap",
    ] {
        let found = analyse(&[folder.join(capture)]).unwrap();
        let written: BTreeSet<(String, String)> = found
            .transactions
            .iter()
            .filter(|t| counts_for_places(t.kind))
            .filter_map(|t| {
                let share = t.place.as_ref()?.share.as_deref()?;
                Some((t.server.station().to_string(), share.to_owned()))
            })
            .collect();
        let shares: BTreeSet<_> = written
            .iter()
            .map(|(server, share)| (server.clone(), share.to_lowercase()))
            .collect();
        assert!(written.len() > shares.len(), "{capture}: {written:?}");
        let rows = found.snapshot.places.iter();
        let rows = rows.filter(|row| row.by == Grouping::Share);
        let named: Vec<_> = rows
            .map(|row| (row.server.to_string(), row.name.to_lowercase()))
            .collect();
        assert_eq!(named.len(), shares.len(), "{capture}: {named:?}");
        assert_eq!(
            named.into_iter().collect::<BTreeSet<_>>(),
            shares,
            "{capture}"
        );
        // A file's row has the share as that is spelled in its own.
        let of = |by| found.snapshot.places.iter().filter(move |row| row.by == by);
        let own: BTreeSet<_> = of(Grouping::Share)
            .map(|row| (row.server, row.name.clone()))
            .collect();
        for file in of(Grouping::File) {
            let share = file.share.clone().map(|share| (file.server, share));
            let known = share.as_ref().is_none_or(|share| own.contains(share));
            assert!(known, "{capture}: {share:?} of {}", file.name);
        }
    }
}

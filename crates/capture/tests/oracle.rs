//! Every pcap and pcapng file of the shared captures, frame by frame as tshark reads it.
//!
//! `oracle/refresh.sh` remakes the table. The captures are not part of the repository;
//! without them the test says that it was skipped, and fails if
//! `WIREWAIT_REQUIRE_CAPTURES=1`.

mod shared;

use shared::captures;
use std::collections::BTreeMap;
use std::path::Path;
use wirewait_capture::{Options, open};
use wirewait_wire::{Source, SourceErrorKind};

const TABLE: &str = include_str!("oracle/tshark.tsv");

/// Where wirewait reads more than tshark, with reasons.
const OURS: &str = include_str!("oracle/ours.tsv");

/// What a reader makes of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Digest {
    frames: u64,
    wire: u64,
    captured: u64,
    /// FNV-1a over times and lengths.
    rows: u64,
    whole: bool,
}

impl Digest {
    fn parse(row: &str) -> (&str, Self) {
        let fields: Vec<&str> = row.split('\t').collect();
        let [name, frames, wire, captured, rows, whole] = fields[..] else {
            panic!("not a row of the table: {row}");
        };
        let digest = Self {
            frames: frames.parse().unwrap(),
            wire: wire.parse().unwrap(),
            captured: captured.parse().unwrap(),
            rows: u64::from_str_radix(rows, 16).unwrap(),
            whole: whole == "whole",
        };
        (name, digest)
    }

    fn of(path: &Path) -> Self {
        let mut digest = Self {
            frames: 0,
            wire: 0,
            captured: 0,
            rows: 0xcbf2_9ce4_8422_2325,
            whole: true,
        };
        let mut files = match open(&[path.to_path_buf()], &Options::default()) {
            Ok(files) => files,
            Err(error) => panic!("{error}"),
        };
        loop {
            match files.next_frame() {
                Ok(Some(frame)) => {
                    let captured = frame.bytes.len() as u32;
                    digest.frames += 1;
                    digest.wire += u64::from(frame.wire_len);
                    digest.captured += u64::from(captured);
                    digest.add(&frame.at.as_nanos().to_le_bytes());
                    digest.add(&frame.wire_len.to_le_bytes());
                    digest.add(&captured.to_le_bytes());
                }
                Ok(None) => return digest,
                Err(error) => {
                    assert_eq!(error.kind, SourceErrorKind::Damaged, "{error}");
                    digest.whole = false;
                }
            }
        }
    }

    fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.rows = (self.rows ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
        }
    }
}

#[test]
fn reads_what_tshark_reads() {
    let Some(folder) = captures() else { return };
    let rows = |table: &'static str| {
        let rows = table.lines().filter(|line| !line.starts_with('#'));
        rows.map(Digest::parse).collect::<BTreeMap<_, _>>()
    };
    let exceptions = rows(OURS);
    let mut differences = Vec::new();
    let mut compared = 0;
    for (name, tshark) in rows(TABLE) {
        let wanted = exceptions.get(name).unwrap_or(&tshark);
        let read = Digest::of(&folder.join(name));
        compared += 1;
        if read != *wanted {
            differences.push(format!("{name}\n  read   {read:?}\n  wanted {wanted:?}"));
        }
    }
    assert!(compared > 100, "only {compared} files in the table");
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

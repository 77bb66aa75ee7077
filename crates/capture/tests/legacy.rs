//! The older formats: every such file of the shared captures as tshark reads it, and
//! files that were made from a pcap file against that one.
//!
//! `oracle/refresh.sh` remakes the table. The captures are not part of the repository;
//! without them the tests say that they were skipped, and fail if
//! `WIREWAIT_REQUIRE_CAPTURES=1`.

mod shared;

use shared::captures;
use std::path::Path;
use wirewait_capture::{Files, Options, open};
use wirewait_wire::{LinkType, Source};

const TABLE: &str = include_str!("oracle/legacy.tsv");

/// Where wirewait reads something else than tshark, with reasons.
const OURS: &str = include_str!("oracle/legacy-ours.tsv");

#[derive(Clone, Debug, PartialEq, Eq)]
struct Seen {
    nanos: i64,
    link: LinkType,
    wire_len: u32,
    bytes: Vec<u8>,
}

fn read(path: &Path) -> (Vec<Seen>, Files) {
    let mut files = match open(&[path.to_path_buf()], &Options::default()) {
        Ok(files) => files,
        Err(error) => panic!("{error}"),
    };
    let mut seen = Vec::new();
    while let Some(frame) = files.next_frame().unwrap_or_else(|error| panic!("{error}")) {
        seen.push(Seen {
            nanos: frame.at.as_nanos(),
            link: frame.link,
            wire_len: frame.wire_len,
            bytes: frame.bytes.to_vec(),
        });
    }
    (seen, files)
}

/// FNV-1a over links, lengths and bytes.
fn digest(frames: &[Seen]) -> u64 {
    let mut digest = 0xcbf2_9ce4_8422_2325_u64;
    let mut add = |bytes: &[u8]| {
        for byte in bytes {
            digest = (digest ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
        }
    };
    for frame in frames {
        add(&frame.link.0.to_le_bytes());
        add(&frame.wire_len.to_le_bytes());
        add(&(frame.bytes.len() as u32).to_le_bytes());
        add(&frame.bytes);
    }
    digest
}

/// Whether the times of a file are sure only as differences.
fn is_relative(name: &str) -> bool {
    name.contains("lanalyzer")
}

#[test]
fn reads_what_tshark_reads() {
    let Some(folder) = captures() else { return };
    let mut compared = 0;
    let rows = |table: &'static str| table.lines().filter(|line| !line.starts_with('#'));
    for row in rows(TABLE) {
        let named = |other: &&str| other.split('\t').next() == row.split('\t').next();
        let row = rows(OURS).find(named).unwrap_or(row);
        let fields: Vec<&str> = row.split('\t').collect();
        let [name, count, sum, times] = fields[..] else {
            panic!("not a row of the table: {row}");
        };
        let (frames, _) = read(&folder.join(name));
        assert_eq!(frames.len().to_string(), count, "{name}");
        assert_eq!(format!("{:016x}", digest(&frames)), sum, "{name}");
        let times = times.split(' ').map(|pair| {
            let (number, nanos) = pair.split_once(':').unwrap();
            (number.parse().unwrap(), nanos.parse().unwrap())
        });
        let times: Vec<(usize, i64)> = times.collect();
        // tshark takes the times of LANalyzer from the midnight of its date.
        let shift = match is_relative(name) {
            true => frames[0].nanos - times[0].1,
            false => 0,
        };
        for (number, nanos) in times {
            // It reckons those of NetXRay in floating point, and rounds them down.
            let off = frames[number].nanos - shift - nanos;
            assert!(off.abs() <= 1, "{name}: frame {number} is {off} ns off");
        }
        compared += 1;
    }
    assert!(compared > 40, "only {compared} files in the table");
}

/// Files made by Wireshark's `editcap`, what they were made from, and the tick of their
/// format in nanoseconds.
const MADE: &[(&str, &str, i64)] = &[
    ("dosw98.lanalyzer.tr1", DOSW98, 500),
    ("dosw98.netmon1.cap", DOSW98, 1_000_000),
    ("dosw98.netmon1.cap.gz", DOSW98, 1_000_000),
    ("dosw98.netmon2.cap", DOSW98, 1000),
    ("dosw98.ngsniffer.enc", DOSW98, 839),
    ("dosw98.ngsniffer.enc.gz", DOSW98, 839),
    ("dosw98.ngwsniffer_1_1.cap", DOSW98, 1000),
    ("dosw98.ngwsniffer_2_0.cap", DOSW98, 1000),
    ("dosw98.snoop.snoop", DOSW98, 1000),
    ("dosw98-tr.lanalyzer.tr1", DOSW98_TR, 500),
    ("dosw98-tr.netmon1.cap", DOSW98_TR, 1_000_000),
    ("dosw98-tr.netmon2.cap", DOSW98_TR, 1000),
    ("dosw98-tr.ngwsniffer_1_1.cap", DOSW98_TR, 1000),
    ("dosw98-tr.ngwsniffer_2_0.cap", DOSW98_TR, 1000),
    ("dosw98-tr.snoop.snoop", DOSW98_TR, 1000),
    ("genbroad.lanalyzer.tr1", GENBROAD, 500),
    ("genbroad.netmon2.cap", GENBROAD, 1000),
    ("genbroad.ngsniffer.enc", GENBROAD, 839),
    ("genbroad.snoop.snoop", GENBROAD, 1000),
    ("ncp8022.netmon1.cap", NCP, 1_000_000),
    ("ncp8022.netmon2.cap", NCP, 1000),
    ("ncp8022.ngwsniffer_2_0.cap", NCP, 1000),
    ("ncp-fddi.netmon1.cap", NCP_FDDI, 1_000_000),
    ("ncp-fddi.netmon2.cap", NCP_FDDI, 1000),
    ("ncp-fddi.ngsniffer.fdc", NCP_FDDI, 839),
    ("ncp-fddi.ngwsniffer_2_0.cap", NCP_FDDI, 1000),
    ("ncp-fddi.snoop.snoop", NCP_FDDI, 1000),
];

const DOSW98: &str = "real/nbf_smb_dos-win98_netbeui-ipx-nbt.ndpi.pcap";
const DOSW98_TR: &str = "derived/dosw98-tr.pcapng.pcapng";
const GENBROAD: &str = "real/dec_last8041+lavc+lat+decnet_genbroad.snoop";
const NCP: &str = "derived/ncp-over-ipx_8022.pcap";
/// The frames of its FDDI interface.
const NCP_FDDI: &str = "derived/multi-if_eth+tr+fddi+sll_nsec.pcapng";

#[test]
fn reads_what_the_file_was_made_from() {
    let Some(folder) = captures() else { return };
    for (name, source, tick) in MADE {
        let (frames, files) = read(&folder.join("derived").join(name));
        let (mut original, _) = read(&folder.join(source));
        if *source == NCP_FDDI {
            original.retain(|frame| frame.link == LinkType::FDDI);
        }
        assert_eq!(frames.len(), original.len(), "{name}");
        let shift = match is_relative(name) {
            true => frames[0].nanos - original[0].nanos,
            false => 0,
        };
        // What LANalyzer leaves out of its start is a part of a second.
        assert!(shift <= 0 && shift > -1_000_000_000, "{name}: {shift}");
        for (number, (frame, wanted)) in frames.iter().zip(&original).enumerate() {
            let off = frame.nanos - shift - wanted.nanos;
            assert!(off.abs() < *tick, "{name}: frame {number} is {off} ns off");
            let timed = Seen {
                nanos: wanted.nanos,
                ..frame.clone()
            };
            assert_eq!(timed, *wanted, "{name}: frame {number}");
        }
        let local = ["lanalyzer", "netmon", "ngsniffer"];
        let local = local.iter().any(|format| name.contains(format));
        let told = files.warnings().iter().any(|w| w.message.contains("zone"));
        assert_eq!(told, local, "{name}: {:?}", files.warnings());
    }
}

#[test]
fn the_zone_that_is_given_holds() {
    let Some(folder) = captures() else { return };
    let path = folder.join("derived/dosw98.netmon2.cap");
    let utc = read(&path).0[0].nanos;
    let mut options = Options::default();
    options.zone_offset = Some(-5 * 3600);
    let mut files = open(&[path], &options).unwrap();
    assert_eq!(files.warnings(), []);
    let frame = files.next_frame().unwrap().unwrap();
    assert_eq!(frame.at.as_nanos(), utc + 5 * 3600 * 1_000_000_000);
}

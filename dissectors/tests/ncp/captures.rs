//! NCP against captures of real clients and servers: every frame's header as tshark 4.0
//! reads it, and the bytes that the client programs say they read and wrote.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use wirewait_dissectors::ncp::{Header, Message, Packet};
use wirewait_dissectors::{ALL, registry};
use wirewait_wire::{
    Answered, Asked, Depth, Dissector, DissectorId, Exchange, Frame, Framing, Id, Input, Kind,
    LinkType, Registry, Role, Side, Timestamp, Walk,
};

/// The captures beside the repository; `None`, loudly, where they are not installed.
pub(crate) fn captures() -> Option<PathBuf> {
    let path = Path::new(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../shared/captures"
    ));
    if path.is_dir() {
        return Some(path.to_path_buf());
    }
    assert!(
        std::env::var_os("WIREWAIT_REQUIRE_CAPTURES").is_none_or(|v| v != "1"),
        "no captures at {}",
        path.display()
    );
    eprintln!("SKIPPED: no captures at {}", path.display());
    None
}

const LAB: [&str; 3] = [
    "ncp1_ethernet_ii_1client_srv",
    "ncp3_8022_slowserver_requestbeingprocessed_srv",
    "ncp3_8022_slowserver_requestbeingprocessed_cli",
];

#[test]
fn lab_packets_and_pairs_are_as_tshark_reads_them() {
    let Some(captures) = captures() else { return };
    for name in LAB {
        let ours = packets(&captures.join(format!("lab/{name}.pcap")));
        let theirs = table(&captures.join(format!("lab/{name}.tx-ncp.tsv")), '\t');
        assert_eq!(ours.len(), theirs.len(), "{name}");
        for (ours, theirs) in ours.iter().zip(&theirs) {
            let theirs = |column: &str| theirs[column].as_str();
            let frame = ours.frame.to_string();
            assert_eq!(frame, theirs("frame"), "{name}");
            let columns = [
                "type",
                "seq",
                "conn",
                "task",
                "func",
                "subfunc",
                "completion",
            ];
            assert_eq!(line(ours), columns.map(theirs), "{name}, frame {frame}");
            let request = ours
                .answered
                .map_or(String::new(), |a| a.request.to_string());
            assert_eq!(request, theirs("req_frame"), "{name}, frame {frame}");
        }
    }
}

#[test]
fn lab_byte_counts_are_what_the_clients_read_and_wrote() {
    let Some(captures) = captures() else { return };
    for (name, operations) in [
        (LAB[0], "ncp1_ethernet_ii_1client"),
        (LAB[1], "ncp3_8022_slowserver_requestbeingprocessed"),
        (LAB[2], "ncp3_8022_slowserver_requestbeingprocessed"),
    ] {
        let (mut read, mut written) = (0, 0);
        for row in table(&captures.join(format!("lab/{operations}.ops.csv")), ',') {
            let result = || row["result"].parse::<u64>().unwrap();
            match row["op"].as_str() {
                "read" => read += result(),
                "write" => written += result(),
                // Made without the file system: the result is the length of the reply,
                // header and count included.
                "ncp72 read" => read += result().saturating_sub(10),
                _ => {}
            }
        }
        let ours = packets(&captures.join(format!("lab/{name}.pcap")));
        let sum = |kind| {
            ours.iter()
                .filter_map(|p| p.answered)
                .filter(|a| a.asked.operation.kind == kind)
                .map(|a| a.answered.data)
                .sum::<u64>()
        };
        assert!(read > 0);
        assert_eq!(
            (sum(Kind::Read), sum(Kind::Write)),
            (read, written),
            "{name}"
        );
        let carried: u64 = ours.iter().filter_map(|p| p.exchange).map(|e| e.data).sum();
        assert_eq!(
            carried, written,
            "{name}: what writes bring is in their requests"
        );
    }
}

#[test]
fn lab_handles_come_from_opens_and_go_to_reads_writes_and_closes() {
    let Some(captures) = captures() else { return };
    let mut open: HashMap<u128, usize> = HashMap::new();
    let (mut used, mut refused) = (0, 0);
    for packet in packets(&captures.join(format!("lab/{}.pcap", LAB[0]))) {
        let Some(answered) = packet.answered else {
            continue;
        };
        if let Some(file) = answered.answered.file {
            assert_eq!(answered.asked.operation.kind, Kind::Open);
            *open.entry(file.handle).or_default() += 1;
        }
        if let Some(file) = answered.asked.file {
            match answered.answered.status.unwrap().name {
                Some("ok") => {
                    assert!(open.contains_key(&file.handle), "frame {}", packet.frame);
                    used += 1;
                }
                name => {
                    assert_eq!(name, Some("invalid file handle"));
                    assert!(answered.answered.status.unwrap().failure);
                    refused += 1;
                }
            }
        }
    }
    assert_eq!(
        open.values().sum::<usize>(),
        22,
        "as many as closes; the 10 directories that 87/1 makes have no handle"
    );
    assert_eq!((used, refused), (710 + 225 + 22, 60));
}

#[test]
fn a_busy_server_says_so_and_answers_later() {
    let Some(captures) = captures() else { return };
    let ours = packets(&captures.join(format!("lab/{}.pcap", LAB[1])));
    let interims = ours
        .iter()
        .filter(|p| p.exchange.is_some_and(|e| e.role == Role::Interim));
    assert_eq!(interims.clone().count(), 18);
    for interim in interims {
        let request = interim.answered.unwrap().request;
        assert!(
            ours.iter().any(|p| p.frame > interim.frame
                && p.exchange.is_some_and(|e| e.role == Role::Response)
                && p.answered.is_some_and(|a| a.request == request)),
            "request of frame {request}"
        );
    }
}

#[test]
fn file_access_over_tcp_and_the_same_over_ipx() {
    let Some(captures) = captures() else { return };
    let over_tcp = packets(&captures.join("real/ncp_tcp524_netware-file-io.pcap"));
    let lines: Vec<_> = over_tcp.iter().map(line).collect();
    let count = |packet_type: &str, function: &str, subfunction: &str, completion: &str| {
        lines
            .iter()
            .filter(|l| {
                [&l[0], &l[4], &l[5], &l[6]] == [packet_type, function, subfunction, completion]
            })
            .count()
    };
    // As tshark counts them.
    assert_eq!(lines.len(), 468);
    assert_eq!(count("0x2222", "0x48", "", ""), 58);
    assert_eq!(count("0x3333", "0x48", "", "0x00"), 57);
    assert_eq!(count("0x3333", "0x57", "34", "0x00"), 56);
    assert_eq!(count("0x3333", "0x42", "", "0x00"), 56);
    assert_eq!(count("0x3333", "0x59", "32", "0x00"), 55);
    assert_eq!(count("0x3333", "0x59", "6", "0x00"), 3);
    assert_eq!(count("0x3333", "0x59", "6", "0xff"), 2);
    assert_eq!(
        count("0x3333", "", "", "0x00"),
        1,
        "its request is not captured"
    );
    for answered in over_tcp.iter().filter_map(|p| p.answered) {
        let status = answered.answered.status.unwrap();
        assert!(!status.failure, "a name that is not there is no failure");
        assert!(status.ok || status.name == Some("no files found"));
    }
    for framing in ["eth2", "8022", "raw8023", "vlan100-8022"] {
        let over_ipx = packets(&captures.join(format!("derived/ncp-over-ipx_{framing}.pcap")));
        assert_eq!(
            over_ipx.iter().map(line).collect::<Vec<_>>(),
            lines,
            "{framing}"
        );
    }
}

#[test]
fn a_watchdog_over_udp_says_that_a_station_is_there() {
    let Some(captures) = captures() else { return };
    let ours = packets(&captures.join("derived/ncp-udp524-watchdog_ethereal-users-200205.pcap"));
    assert_eq!(ours.len(), 1);
    assert_eq!(ours[0].header.message, Message::Watchdog { what: b'Y' });
    assert_eq!(ours[0].header.connection, 6);
    let says = ours[0].exchange.unwrap();
    assert_eq!((says.role, says.sender), (Role::Alive, Side::Client));
    assert_eq!(says.number, Some(6));
}

/// One NCP packet of a capture.
pub(crate) struct Seen {
    /// Number of the frame, from 1.
    pub(crate) frame: u32,
    pub(crate) bytes: Vec<u8>,
    header: Header,
    exchange: Option<Exchange>,
    pub(crate) answered: Option<Pair>,
}

/// A reply or interim, and its request.
#[derive(Clone, Copy)]
pub(crate) struct Pair {
    /// Number of the request's frame.
    request: u32,
    pub(crate) asked: Asked,
    /// What the reply says once its request is known.
    answered: Answered,
}

/// Every service packet of a capture with IPX datagrams or TCP segments in order.
pub(crate) fn packets(file: &Path) -> Vec<Seen> {
    let registry = registry();
    let ncp = dissector("ncp");
    let mut walk = Walk::default();
    let mut open: HashMap<Id, (u32, Asked)> = HashMap::new();
    let mut found = Vec::new();
    for (frame, number) in pcap(file).iter().zip(1..) {
        let frame = Frame {
            bytes: &frame.1,
            ..frame.0
        };
        registry.walk(&frame, Depth::Handover, &mut walk);
        let messages = match walk.message {
            Some(span) if span.dissector == id(&registry, ncp) => {
                vec![walk.bytes(&frame, span)]
            }
            _ => stream(&registry, &walk, walk.payload(&frame)),
        };
        for message in messages {
            // Service advertising of some servers comes with NCP's IPX packet type.
            let Ok(Packet::Service(header)) = Packet::parse(message) else {
                continue;
            };
            let part = (ncp.exchange.unwrap())(message).unwrap();
            assert_eq!(part.length, message.length, "one part per packet");
            let answered = part
                .exchange
                .and_then(|e| pair(&mut open, number, &e, message));
            found.push(Seen {
                frame: number,
                bytes: message.bytes.to_vec(),
                header,
                exchange: part.exchange,
                answered,
            });
        }
    }
    found
}

/// Stop and wait makes pairing simple: the last request under an identifier is the one.
fn pair(
    open: &mut HashMap<Id, (u32, Asked)>,
    frame: u32,
    exchange: &Exchange,
    message: Input<'_>,
) -> Option<Pair> {
    let id = exchange.id?;
    match exchange.role {
        Role::Request => {
            let asked = Asked {
                operation: exchange.operation,
                code: exchange.code,
                asked: exchange.asked,
                file: exchange.file,
            };
            open.insert(id, (frame, asked));
            None
        }
        Role::Response | Role::Interim => {
            let (request, asked) = *open.get(&id).or_else(|| open.get(&exchange.alias?))?;
            let answered = match exchange.role {
                Role::Response => (dissector("ncp").answer.unwrap())(message, &asked),
                _ => Answered::default(),
            };
            Some(Pair {
                request,
                asked,
                answered,
            })
        }
        _ => None,
    }
}

/// The messages in a TCP segment of port 524 that begins at a message.
fn stream<'a>(registry: &Registry, walk: &Walk, mut rest: Input<'a>) -> Vec<Input<'a>> {
    let framer = dissector("ncp_tcp");
    if registry.resolve(&walk.next, rest.bytes) != Some(id(registry, framer)) {
        return Vec::new();
    }
    let mut messages = Vec::new();
    while let Framing::Message { header, length, .. } = (framer.framing.unwrap())(rest.bytes) {
        messages.push(Input {
            bytes: &rest.bytes[header as usize..(header + length) as usize],
            length,
        });
        rest = rest.skip(header + length);
    }
    assert!(rest.bytes.is_empty(), "whole messages only in this capture");
    messages
}

fn dissector(name: &str) -> &'static Dissector {
    ALL.iter().find(|d| d.name == name).unwrap()
}

fn id(registry: &Registry, wanted: &Dissector) -> DissectorId {
    let at = registry
        .dissectors()
        .iter()
        .position(|d| d.name == wanted.name)
        .unwrap();
    DissectorId(u16::try_from(at).unwrap())
}

/// The records of a little-endian pcap file.
fn pcap(file: &Path) -> Vec<(Frame<'static>, Vec<u8>)> {
    let bytes = std::fs::read(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    let long = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    assert!(
        [0xa1b2_c3d4, 0xa1b2_3c4d].contains(&long(0)),
        "{} is no little-endian pcap",
        file.display()
    );
    let link = LinkType(u16::try_from(long(20) & 0xffff).unwrap());
    let mut records = Vec::new();
    let mut at = 24;
    while at < bytes.len() {
        let (captured, wire_len) = (long(at + 8) as usize, long(at + 12));
        let data = bytes[at + 16..at + 16 + captured].to_vec();
        let frame = Frame {
            at: Timestamp::from_parts(long(at).into(), long(at + 4)),
            link,
            interface: 0,
            wire_len,
            bytes: &[],
        };
        records.push((frame, data));
        at += 16 + captured;
    }
    records
}

/// A packet as a line of tshark's table: type, sequence, connection, task, function,
/// subfunction, completion code. A reply has the function of its request; for tshark
/// creating a connection is function 1 there, and destroying one 5.
fn line(packet: &Seen) -> [String; 7] {
    let code = match (packet.answered, packet.exchange) {
        (Some(answered), _) => Some(answered.asked.code),
        (None, Some(exchange)) if exchange.role == Role::Request => Some(exchange.code),
        _ => None,
    };
    let (function, subfunction) = match code {
        Some(code) if code <= 0xffff => {
            let subfunction = matches!(code & 0xff, 22 | 23 | 87 | 89).then_some(code >> 8);
            (Some(code & 0xff), subfunction)
        }
        Some(code) if packet.answered.is_some() => (Some(code >> 16 & 0xf), None),
        _ => (None, None),
    };
    let (packet_type, completion) = match packet.header.message {
        Message::Create => (0x1111, None),
        Message::Request { .. } => (0x2222, None),
        Message::Reply { completion, .. } => (0x3333, Some(completion)),
        Message::Destroy => (0x5555, None),
        Message::BeingProcessed => (0x9999, Some(0)),
        Message::Notice { .. } => (0xbbbb, None),
        Message::Watchdog { .. } => (0x3e3e, None),
    };
    [
        format!("{packet_type:#06x}"),
        packet.header.sequence.to_string(),
        packet.header.connection.to_string(),
        packet.header.task.to_string(),
        function.map_or(String::new(), |f| format!("{f:#04x}")),
        subfunction.map_or(String::new(), |s| s.to_string()),
        completion.map_or(String::new(), |c| format!("{c:#04x}")),
    ]
}

/// The rows of a table with a header line, by column name.
fn table(file: &Path, separator: char) -> Vec<HashMap<String, String>> {
    let text = std::fs::read_to_string(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    let mut lines = text.lines();
    let columns: Vec<&str> = lines.next().unwrap().split(separator).collect();
    lines
        .map(|line| {
            columns
                .iter()
                .map(ToString::to_string)
                .zip(line.split(separator).map(ToString::to_string))
                .collect()
        })
        .collect()
}

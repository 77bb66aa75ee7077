//! The fields of IPX and of what goes over it have the values that tshark shows.
//!
//! `oracle/ipx/*.tsv` hold those of tshark 4.0.17 (`oracle/ipx/refresh.sh` makes them). Each
//! combination of values of a protocol's fields must occur in as many frames as there, and in
//! the same frame first. Where tshark shows something else by its nature, the kind of
//! difference is named and counted; a difference of no such kind fails the test.

use crate::support::{captures, files, root};
use std::collections::BTreeMap;
use std::path::PathBuf;
use wirewait_capture::Options;
use wirewait_dissectors::registry;
use wirewait_wire::{Depth, Field, Fields, Registry, Source, Value, Walk};

/// A protocol as tshark names it, as this program does, and its fields by both names.
type Protocol = (
    &'static str,
    &'static str,
    &'static [(&'static str, &'static str)],
);

const PROTOCOLS: [Protocol; 9] = [
    (
        "ipx",
        "ipx",
        &[
            ("ipx.checksum", "Checksum"),
            ("ipx.len", "Length"),
            ("ipx.hops", "Transport control"),
            ("ipx.packet_type", "Packet type"),
            ("ipx.dst.net", "Destination network"),
            ("ipx.dst.node", "Destination node"),
            ("ipx.dst.socket", "Destination socket"),
            ("ipx.src.net", "Source network"),
            ("ipx.src.node", "Source node"),
            ("ipx.src.socket", "Source socket"),
        ],
    ),
    (
        "ipxrip",
        "rip",
        &[
            ("ipxrip.packet_type", "Operation"),
            ("ipxrip.route_vector", "Network number"),
            ("ipxrip.hops", "Hops"),
            ("ipxrip.ticks", "Ticks"),
        ],
    ),
    (
        "ipxsap",
        "sap",
        &[
            ("ipxsap.packet_type", "Operation"),
            ("ipxsap.server.type", "Server type"),
            ("ipxsap.server.network", "Network"),
            ("ipxsap.server.node", "Node"),
            ("ipxsap.server.socket", "Socket"),
            ("ipxsap.server.intermediate_networks", "Hops"),
        ],
    ),
    (
        "spx",
        "spx",
        &[
            ("spx.ctl.sys", "System packet"),
            ("spx.ctl.send_ack", "Acknowledgement"),
            ("spx.ctl.attn", "Attention"),
            ("spx.ctl.eom", "End of message"),
            ("spx.type", "Datastream type"),
            ("spx.src", "Source connection ID"),
            ("spx.dst", "Destination connection ID"),
            ("spx.seq", "Sequence number"),
            ("spx.ack", "Acknowledge number"),
            ("spx.alloc", "Allocation number"),
            ("spx.neg_size", "Negotiation size"),
        ],
    ),
    (
        "nbipx",
        "nbipx",
        &[
            ("nmpi.packettype", "Data stream type"),
            ("nmpi.name_flags", "Name flags"),
            ("nmpi.conn_control", "Connection control"),
            ("nmpi.session.src_conn_id", "Source connection ID"),
            ("nmpi.session.dest_conn_id", "Destination connection ID"),
            ("nmpi.session.send_seq_number", "Send sequence number"),
            ("nmpi.session.total_data_length", "Total data length"),
            ("nmpi.session.offset", "Data offset"),
            ("nmpi.session.data_length", "Data length"),
            ("nmpi.session.recv_seq_number", "Receive sequence number"),
            ("nmpi.session.bytes_received", "Bytes received"),
            ("nmpi.ipx_network", "Network 1"),
        ],
    ),
    (
        "nlsp",
        "nlsp",
        &[
            ("nlsp.type", "Packet type"),
            ("nlsp.header_length", "Header length"),
            ("nlsp.minor_version", "Minor version"),
            ("nlsp.major_version", "Major version"),
            ("nlsp.packet_length", "Packet length"),
            ("nlsp.hello.circuit_type", "Circuit type"),
            (
                "nlsp.hello.sending_router_system_id",
                "Sending router system ID",
            ),
            ("nlsp.hello.holding_timer", "Holding time"),
            ("nlsp.hello.priority", "Priority"),
            (
                "nlsp.hello.designated_router_system_id",
                "Designated router system ID",
            ),
            (
                "nlsp.hello.designated_router_pseudonode_id",
                "Designated router pseudonode",
            ),
            ("nlsp.area_address.network_number", "Area address"),
            ("nlsp.area_address.mask", "Mask"),
            ("nlsp.neighbor", "Neighbor"),
            ("nlsp.hello_local_mtu.mtu_size", "MTU size"),
            ("nlsp.csnp.source_id_system_id", "Source system ID"),
            ("nlsp.csnp.source_id_pseudonode_id", "Source pseudonode"),
            ("nlsp.csnp.lsp_sequence_number", "Sequence number"),
            ("nlsp.csnp.remaining_lifetime", "Remaining lifetime"),
            ("nlsp.csnp.lsp_checksum", "Checksum"),
        ],
    ),
    (
        "ipxmsg",
        "ncp_watchdog",
        &[
            ("ipxmsg.conn", "Connection number"),
            ("ipxmsg.sigchar", "Signature character"),
        ],
    ),
    (
        "nw_serial",
        "serial",
        &[("nw_serial.serial_number", "Serial number")],
    ),
    (
        "nmpi",
        "nmpi",
        &[
            ("nmpi.opcode", "Opcode"),
            ("nmpi.name_type", "Name type"),
            ("nmpi.messageid", "Message ID"),
            ("nmpi.ipx_network", "Network 1"),
        ],
    ),
];

/// The values of some fields of a layer, and how often and where first it has them.
type Rows = BTreeMap<Vec<String>, (u64, u64)>;

/// All rows of a capture, by tshark's name of the protocol.
type Table = BTreeMap<String, Rows>;

/// A number or an address as both are compared.
fn value(text: &str) -> String {
    let number = match (text.strip_prefix("0x"), text.as_bytes()) {
        (Some(digits), _) => u64::from_str_radix(digits, 16).ok(),
        // A character.
        (None, [b'\'', c, b'\'']) => Some((*c).into()),
        (None, _) => text.parse().ok(),
    };
    number.map_or_else(|| text.replace(':', "-"), |n: u64| n.to_string())
}

fn theirs(text: &str) -> Table {
    let mut table = Table::new();
    let mut protocol = String::new();
    for line in text.lines() {
        let cells: Vec<&str> = line.split('\t').collect();
        if let Some(name) = line.strip_prefix('#') {
            protocol = name.split('\t').next().unwrap().to_owned();
            let names = PROTOCOLS.iter().find(|p| p.0 == protocol).unwrap().2;
            let names: Vec<&str> = names.iter().map(|n| n.0).collect();
            assert_eq!(cells[1..], names, "columns of {protocol}");
            continue;
        }
        let values = cells[2..]
            .iter()
            .map(|cell| cell.split(',').map(value).collect::<Vec<_>>().join(","))
            .collect();
        let (n, first) = (cells[0].parse().unwrap(), cells[1].parse().unwrap());
        let rows = table.entry(protocol.clone()).or_default();
        assert!(rows.insert(values, (n, first)).is_none());
    }
    table
}

fn shown(field: &Field<'_>) -> Option<String> {
    match &field.value {
        Value::Decimal(n) | Value::Hex(n) => Some(n.to_string()),
        Value::Text(text) => Some(text.clone()),
        Value::Bytes(bytes) => Some(bytes.iter().map(|b| format!("{b:02x}")).collect()),
        Value::Heading | Value::Cut => None,
    }
}

/// The values of our fields of this name, as tshark would show them.
fn values(fields: &[Field<'_>], name: &str) -> String {
    // tshark leaves out the places for networks that are not used.
    let networks = name == "Network 1";
    let fits = |field: &&Field<'_>| match networks {
        true => field.name.starts_with("Network "),
        false => field.name == name,
    };
    fields
        .iter()
        .filter(fits)
        .filter_map(shown)
        .filter(|value| !networks || value != "0")
        .collect::<Vec<_>>()
        .join(",")
}

fn ours(path: PathBuf, registry: &Registry) -> Table {
    let mut source = wirewait_capture::open(&[path], &Options::default()).unwrap();
    let mut table = Table::new();
    let mut walk = Walk::default();
    let mut number = 0;
    // What is damaged ends the capture, for tshark too.
    while let Ok(Some(frame)) = source.next_frame() {
        number += 1;
        registry.walk(&frame, Depth::Full, &mut walk);
        for span in walk.spans() {
            let dissector = registry.dissector(span.dissector);
            let Some(protocol) = PROTOCOLS.iter().find(|p| p.1 == dissector.name) else {
                continue;
            };
            let mut fields = Fields::new(walk.bytes(&frame, *span), None);
            let _ = (dissector.fields)(&mut fields);
            let fields = fields.finish();
            let row = protocol.2.iter().map(|(_, name)| values(&fields, name));
            let rows = table.entry(protocol.0.to_owned()).or_default();
            rows.entry(row.collect()).or_insert((0, number)).0 += 1;
        }
    }
    table
}

/// Why tshark does not show a row of ours, or we one of tshark's.
fn explain(capture: &str, protocol: &str, row: &[String]) -> Option<&'static str> {
    let is = |column: usize, value: &str| row.get(column).is_some_and(|v| v == value);
    match protocol {
        "ipx" if row[1].parse::<u16>().is_ok_and(|length| length < 30) => {
            Some("a length less than the header's is malformed here")
        }
        "ipxsap" if capture.contains("eigrp") && is(1, "65535") => {
            Some("SAP within EIGRP, which is not read here")
        }
        "nbipx" if row[0].parse::<u8>().is_ok_and(|kind| kind > 11) => {
            Some("connection control before an unknown data stream type")
        }
        _ => None,
    }
}

#[test]
fn the_same_values_as_tshark() {
    let registry = registry();
    let captures = captures("the same field values as tshark");
    let (mut rows, mut frames, mut compared) = (0, 0, 0);
    let mut reasons: BTreeMap<&'static str, u64> = BTreeMap::new();
    let mut unexplained = Vec::new();
    for file in files(&root().join("tests/oracle/ipx")) {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        let Some(name) = name.strip_suffix(".tsv") else {
            continue;
        };
        let path = match (name.strip_prefix("made__"), &captures) {
            (Some(made), _) => root().join("captures").join(made.replace("__", "/")),
            (None, Some(captures)) => captures.join(name.replacen("__", "/", 1)),
            (None, None) => continue,
        };
        let theirs = theirs(&std::fs::read_to_string(&file).unwrap());
        let ours = ours(path, &registry);
        let none = Rows::new();
        for (protocol, _, fields) in PROTOCOLS {
            let theirs = theirs.get(protocol).unwrap_or(&none);
            let ours = ours.get(protocol).unwrap_or(&none);
            for (row, found) in theirs {
                rows += 1;
                frames += found.0;
                compared += found.0 * fields.len() as u64;
                if ours.get(row) == Some(found) {
                    continue;
                }
                match explain(name, protocol, row) {
                    Some(reason) => *reasons.entry(reason).or_default() += found.0,
                    None => {
                        unexplained.push(format!("{name}: tshark: {protocol} {found:?} {row:?}"))
                    }
                }
            }
            for (row, found) in ours {
                if theirs.get(row) == Some(found) {
                    continue;
                }
                match explain(name, protocol, row) {
                    Some(reason) => *reasons.entry(reason).or_default() += found.0,
                    None => unexplained.push(format!("{name}: here: {protocol} {found:?} {row:?}")),
                }
            }
        }
    }
    println!("{compared} values in {frames} PDUs, {rows} kinds of them");
    for (reason, n) in &reasons {
        println!("  tshark differs in {n} PDUs: {reason}");
    }
    unexplained.truncate(40);
    assert!(unexplained.is_empty(), "{}", unexplained.join("\n"));
    assert!(
        captures.is_none() || compared > 100_000,
        "only {compared} values"
    );
}

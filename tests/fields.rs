//! The fields of every layer of every frame that there is: each byte of a header stands in
//! one of them, and those that tshark has too have its values.

use crate::columns::{
    Column, column, decimal, each_frame, hex, hex2, is_read, mac, mac_turned, same_as_tshark, words,
};
use crate::support::{captures, files, root};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use wirewait_dissectors::ALL;
use wirewait_wire::{Field, Fields, Frame, Value, Walk};

/// Dissectors that no frame of any capture here leads to.
const NOT_SEEN: &[&str] = &["dec_netbios", "llc-dix", "sll2"];

/// Every capture file that is read: the project's own, and the real ones if they are there.
fn every_capture() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let own = root().join("captures");
    let folders = std::fs::read_dir(&own).unwrap();
    let folders = folders.map(|entry| entry.unwrap().path());
    for folder in folders.filter(|path| path.is_dir()).chain([own]) {
        let captures = files(&folder);
        found.extend(
            captures
                .into_iter()
                .filter(|path| path.extension().is_some_and(|e| e == "pcapng")),
        );
    }
    found.sort();
    if let Some(folder) = captures("fields of every frame") {
        for theme in ["real", "lab", "derived", "formats", "pcapng"] {
            let captures = files(&folder.join(theme));
            found.extend(captures.into_iter().filter(|path| is_read(path)));
        }
    }
    found
}

#[test]
fn each_byte_of_each_layer_stands_in_one_field() {
    let mut known = HashSet::new();
    let mut layers: BTreeMap<&str, u64> = BTreeMap::new();
    // Bytes at the end of the line that no field stands for, by protocol.
    let mut untold: BTreeMap<&str, u64> = BTreeMap::new();
    let captures = every_capture();
    for path in &captures {
        each_frame(path, |number, frame, walk| {
            let mut hasher = DefaultHasher::new();
            (frame.link, frame.wire_len, frame.bytes).hash(&mut hasher);
            if !known.insert(hasher.finish()) {
                return;
            }
            for (n, span) in walk.spans().iter().enumerate() {
                let dissector = ALL[usize::from(span.dissector.0)];
                let told = told(frame, walk, n)
                    .unwrap_or_else(|e| panic!("{} frame {number}: {e}", path.display()));
                *layers.entry(dissector.name).or_default() += 1;
                let captured = walk.bytes(frame, *span).bytes.len();
                if !dissector.conveys && told < captured {
                    *untold.entry(dissector.name).or_default() += (captured - told) as u64;
                }
            }
        });
    }
    let frames = known.len();
    println!("{frames} distinct frames of {} captures", captures.len());
    for (name, n) in &layers {
        let untold = untold.get(name).copied().unwrap_or(0);
        println!("  {name:<12} {n:>7} layers, {untold} bytes without a field");
    }
    if self::captures("dissectors that are not seen").is_some() {
        assert!(frames > 100_000, "only {frames} frames");
        let seen: BTreeSet<&str> = layers.into_keys().collect();
        let all: BTreeSet<&str> = ALL.iter().map(|d| d.name).collect();
        let missing: BTreeSet<&str> = all.difference(&seen).copied().collect();
        assert_eq!(missing, NOT_SEEN.iter().copied().collect());
    }
}

#[rustfmt::skip]
const LINKS: &[Column] = &[
    column("eth.dst", &["ethernet"], "Destination", mac),
    column("eth.src", &["ethernet"], "Source", mac),
    column("eth.type", &["ethernet"], "Type", hex),
    column("vlan.priority", &["vlan"], "Priority", decimal),
    column("vlan.id", &["vlan"], "VLAN", decimal),
    column("arp.hw.type", &["arp"], "Hardware type", decimal),
    column("arp.proto.type", &["arp"], "Protocol type", hex),
    column("arp.hw.size", &["arp"], "Hardware address length", decimal),
    column("arp.proto.size", &["arp"], "Protocol address length", decimal),
    column("arp.opcode", &["arp"], "Operation", decimal),
    column("arp.src.hw_mac", &["arp"], "Sender hardware address", mac),
    column("arp.src.proto_ipv4", &["arp"], "Sender protocol address", words),
    column("arp.dst.hw_mac", &["arp"], "Target hardware address", mac),
    column("arp.dst.proto_ipv4", &["arp"], "Target protocol address", words),
    column("tr.ac", &["token-ring"], "Access control (AC)", hex),
    column("tr.fc", &["token-ring"], "Frame control (FC)", hex),
    column("tr.dst", &["token-ring"], "Destination", mac),
    column("tr.rif.ring", &["token-ring"], "Ring", hex),
    column("tr.rif.bridge", &["token-ring"], "Bridge", hex2),
    column("fddi.fc", &["fddi"], "Frame control (FC)", hex),
    column("fddi.dst", &["fddi"], "Destination", mac_turned),
    column("fddi.src", &["fddi"], "Source", mac_turned),
    column("sll.pkttype", &["sll", "sll2"], "Packet type", decimal),
    column("sll.hatype", &["sll", "sll2"], "Hardware type (ARPHRD)", decimal),
    column("sll.halen", &["sll", "sll2"], "Address length", decimal),
    column("sll.src.eth", &["sll", "sll2"], "Source", mac),
    column("null.family", &["loopback"], "Address family", decimal),
    column("ppp.protocol", &["ppp"], "Protocol", hex),
    column("chdlc.address", &["chdlc"], "Address", hex),
    column("chdlc.protocol", &["chdlc"], "Type", hex),
];

#[rustfmt::skip]
const INTERNET: &[Column] = &[
    column("ip.hdr_len", &["ipv4"], "Header length", bytes_of_words),
    column("ip.len", &["ipv4"], "Total length", decimal),
    column("ip.id", &["ipv4"], "Identification", hex),
    column("ip.flags.df", &["ipv4"], "Don't fragment", decimal),
    column("ip.flags.mf", &["ipv4"], "More fragments", decimal),
    column("ip.frag_offset", &["ipv4"], "Fragment offset", decimal),
    column("ip.ttl", &["ipv4"], "Time to live", decimal),
    column("ip.proto", &["ipv4"], "Protocol", decimal),
    column("ip.checksum", &["ipv4"], "Header checksum", hex),
    column("ip.src", &["ipv4"], "Source", words),
    column("ip.dst", &["ipv4"], "Destination", words),
    column("ipv6.plen", &["ipv6"], "Payload length", decimal),
    column("ipv6.nxt", &["ipv6"], "Next header", decimal),
    column("ipv6.hlim", &["ipv6"], "Hop limit", decimal),
    column("ipv6.src", &["ipv6"], "Source", words),
    column("ipv6.dst", &["ipv6"], "Destination", words),
    column("ipv6.flow", &["ipv6"], "Flow label", hex6),
    column("tcp.srcport", &["tcp"], "Source port", decimal),
    column("tcp.dstport", &["tcp"], "Destination port", decimal),
    column("tcp.seq_raw", &["tcp"], "Sequence number", decimal),
    column("tcp.ack_raw", &["tcp"], "Acknowledgement number", decimal),
    column("tcp.hdr_len", &["tcp"], "Data offset", bytes_of_words),
    column("tcp.flags", &["tcp"], "Data offset and control bits", control_bits),
    column("tcp.window_size_value", &["tcp"], "Window", decimal),
    column("tcp.checksum", &["tcp"], "Checksum", hex),
    column("tcp.urgent_pointer", &["tcp"], "Urgent pointer", decimal),
    column("tcp.options.mss_val", &["tcp"], "Maximum segment size", decimal),
    column("tcp.options.wscale.shift", &["tcp"], "Window scale", decimal),
    column("tcp.options.timestamp.tsval", &["tcp"], "Timestamp value", decimal),
    column("tcp.options.timestamp.tsecr", &["tcp"], "Timestamp echo reply", decimal),
    column("tcp.options.sack_le", &["tcp"], "Left edge of block", decimal),
    column("tcp.options.sack_re", &["tcp"], "Right edge of block", decimal),
    column("udp.srcport", &["udp"], "Source port", decimal),
    column("udp.dstport", &["udp"], "Destination port", decimal),
    column("udp.length", &["udp"], "Length", decimal),
];

#[rustfmt::skip]
const NETBIOS: &[Column] = &[
    column("llc.dsap", &["llc"], "DSAP", hex),
    column("llc.ssap", &["llc"], "SSAP", hex),
    column("llc.control", &["llc"], "Control", hex4),
    column("llc.control.n_s", &["llc"], "N(S)", decimal),
    column("llc.control.n_r", &["llc"], "N(R)", decimal),
    column("llc.control.p", &["llc"], "P/F", of_command),
    column("llc.control.f", &["llc"], "P/F", of_response),
    column("llc.oui", &["snap"], "Organisation code (OUI)", organisation),
    column("llc.type", &["snap"], "EtherType (PID)", hex),
    column("netbios.command", &["nbf"], "Command", hex),
    column("netbios.hdr_len", &["nbf"], "Length", decimal),
    column("netbios.xmit_corrl", &["nbf"], "Transmit correlator", correlator),
    column("netbios.resp_corrl", &["nbf"], "Response correlator", correlator),
    column("netbios.local_session", &["nbf"], "Source session number", hex),
    column("netbios.remote_session", &["nbf"], "Destination session number", hex),
    column("netbios.flags", &["nbf"], "Flags (DATA1)", hex),
    column("netbios.resync_indicator", &["nbf"], "Re-synchronization indicator (DATA2)", hex),
    column("netbios.max_data_recv_size", &["nbf"], "Maximum data receive size (DATA2)", decimal),
    column("netbios.termination_indicator", &["nbf"], "Termination indicator (DATA2)", hex),
    column("netbios.num_data_bytes_accepted", &["nbf"], "Data bytes accepted (DATA2)", decimal),
    column("netbios.local_session_no", &["nbf"], "Session number", hex2),
    column("netbios.largest_frame", &["nbf"], "Largest frame", decimal),
    column("nbss.type", &["nbss", "direct_tcp", "nbt"], "Packet type", hex),
    column("nbss.length", &["nbss", "direct_tcp", "nbt"], "Length", decimal),
    column("nbss.error_code", &["nbt"], "Error code", hex),
    column("nbss.called_name", &["nbt"], "Called name", name_and_suffix),
    column("nbss.calling_name", &["nbt"], "Calling name", name_and_suffix),
    column("nbdgm.type", &["nbdgm"], "Message type", decimal),
    column("nbdgm.flags", &["nbdgm"], "Flags", hex),
    column("nbdgm.dgram_id", &["nbdgm"], "Datagram id", hex),
    column("nbdgm.src.ip", &["nbdgm"], "Source address", words),
    column("nbdgm.src.port", &["nbdgm"], "Source port", decimal),
    column("nbdgm.dgram_len", &["nbdgm"], "Datagram length", decimal),
    column("nbdgm.pkt_offset", &["nbdgm"], "Packet offset", decimal),
    column("nbdgm.error_code", &["nbdgm"], "Error code", hex),
    column("nbdgm.source_name", &["nbdgm"], "Source name", name_and_suffix),
    column("nbdgm.destination_name", &["nbdgm"], "Destination name", name_and_suffix),
    column("nbns.id", &["nbns"], "Transaction id", hex),
    column("nbns.flags", &["nbns"], "Flags", hex),
    column("nbns.flags.opcode", &["nbns"], "Opcode", decimal),
    column("nbns.count.queries", &["nbns"], "Questions", decimal),
    column("nbns.count.answers", &["nbns"], "Answer records", decimal),
    column("nbns.count.auth_rr", &["nbns"], "Authority records", decimal),
    column("nbns.count.add_rr", &["nbns"], "Additional records", decimal),
    column("nbns.type", &["nbns"], "Type", decimal),
    column("nbns.class", &["nbns"], "Class", decimal),
    column("nbns.ttl", &["nbns"], "Time to live", decimal),
    column("nbns.data_length", &["nbns"], "Data length", decimal),
    column("nbns.nb_flags", &["nbns"], "NB flags", hex),
    column("nbns.addr", &["nbns"], "Address", words),
    column("nbns.number_of_names", &["nbns"], "Number of names", decimal),
    column("nbns.name_flags", &["nbns"], "Name flags", hex),
    column("nbns.unit_id", &["nbns"], "Unit id", mac),
    column("nbns.num_good_sends", &["nbns"], "Number of good sends", decimal),
];

/// A length that is written in units of four bytes.
fn bytes_of_words(field: &Field<'_>) -> Option<String> {
    Some((decimal(field)?.parse::<u64>().unwrap() * 4).to_string())
}

/// tshark shows the control bits without the data offset before them.
fn control_bits(field: &Field<'_>) -> Option<String> {
    match field.value {
        Value::Hex(number) => Some(format!("{:#06x}", number & 0x0fff)),
        _ => None,
    }
}

fn hex4(field: &Field<'_>) -> Option<String> {
    match field.value {
        Value::Hex(number) => Some(format!("{number:#06x}")),
        _ => None,
    }
}

fn hex6(field: &Field<'_>) -> Option<String> {
    match field.value {
        Value::Decimal(number) => Some(format!("{number:#08x}")),
        _ => None,
    }
}

/// tshark has the bit where it is set.
fn of_command(field: &Field<'_>) -> Option<String> {
    decimal(field).filter(|_| field.meaning == "poll")
}

fn of_response(field: &Field<'_>) -> Option<String> {
    decimal(field).filter(|_| field.meaning == "final")
}

/// A correlator that the command uses.
fn correlator(field: &Field<'_>) -> Option<String> {
    hex(field).filter(|_| field.meaning != "reserved")
}

fn organisation(field: &Field<'_>) -> Option<String> {
    let digits = words(field)?.replace('-', "");
    Some(u32::from_str_radix(&digits, 16).unwrap().to_string())
}

/// `NAME<20>`; tshark writes what cannot be printed as `<01>`, and nothing but blanks as
/// blanks.
fn name_and_suffix(field: &Field<'_>) -> Option<String> {
    let mut text = words(field)?;
    while let Some(at) = text.find("\\x") {
        let code = text[at + 2..at + 4].to_owned();
        text.replace_range(at..at + 4, &format!("<{code}>"));
    }
    Some(match text.strip_prefix('<') {
        Some(_) if text.len() == 4 => format!("{:15}{text}", ""),
        _ => text,
    })
}

#[test]
fn fields_of_netbios_are_those_of_tshark() {
    let compared = same_as_tshark("netbios", NETBIOS);
    assert!(
        compared == 0 || compared > 100_000,
        "only {compared} values"
    );
}

#[test]
fn fields_of_the_internet_are_those_of_tshark() {
    let compared = same_as_tshark("internet", INTERNET);
    assert!(
        compared == 0 || compared > 1_000_000,
        "only {compared} values"
    );
}

#[test]
fn fields_of_links_are_those_of_tshark() {
    let compared = same_as_tshark("links", LINKS);
    assert!(
        compared == 0 || compared > 500_000,
        "only {compared} values"
    );
}

/// How many bytes of the `n`th layer its fields stand for, if they stand one behind the
/// other, reach the end of the header, and leave the next layer to itself.
fn told(frame: &Frame<'_>, walk: &Walk, n: usize) -> Result<usize, String> {
    let span = walk.spans()[n];
    let dissector = ALL[usize::from(span.dissector.0)];
    let input = walk.bytes(frame, span);
    let mut fields = Fields::new(input, None);
    let _ = (dissector.fields)(&mut fields);
    let fields = fields.finish();
    let wrong = |what: &str| {
        let list = fields
            .iter()
            .map(|f| format!("{} {}-{}", f.name, f.start, f.end));
        let list = list.collect::<Vec<_>>().join(", ");
        Err(format!("{}: {what}: {list}", dissector.name))
    };
    let mut at = 0;
    for field in fields.iter().filter(|field| field.is_whole()) {
        if field.start != at || field.end < at {
            return wrong(&format!("byte {at} is in no field or in two"));
        }
        at = field.end;
    }
    if at as usize > input.bytes.len() {
        return wrong("fields behind the captured bytes");
    }
    let header = span.payload - span.start;
    if (at as usize) < (header as usize).min(input.bytes.len()) {
        return wrong(&format!("{at} of {header} bytes of header"));
    }
    // What `Dissector::PLAIN` says of a layer whose fields are not told yet.
    let untold = fields.len() == 1 && fields[0].name == "Data";
    let next = walk.spans().get(n + 1).map(|next| next.start);
    if let Some(next) = next.filter(|next| (span.payload..span.end).contains(next))
        && span.start + at > next
        && !untold
    {
        return wrong("fields in the next layer");
    }
    Ok(at as usize)
}

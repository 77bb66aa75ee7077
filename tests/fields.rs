//! The fields of every layer of every frame that there is: each byte of a header stands in
//! one of them, and those that tshark has too have its values.

use crate::columns::{
    Column, decimal, each_frame, hex, hex2, is_read, mac, mac_turned, same_as_tshark, words,
};
use crate::support::{captures, files, root};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use wirewait_dissectors::ALL;
use wirewait_wire::{Field, Fields, Frame, Walk};

/// Dissectors that no frame of any capture here leads to.
const NOT_SEEN: &[&str] = &["llc-dix", "ncp_watchdog", "sll2"];

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

const fn column(
    theirs: &'static str,
    layers: &'static [&'static str],
    ours: &'static str,
    form: fn(&Field<'_>) -> Option<String>,
) -> Column {
    Column {
        theirs,
        layers,
        ours,
        form,
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

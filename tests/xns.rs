//! XNS, of which no real capture was found: of the frames that `synth` made, what this program
//! shows is what tshark shows, field by field; and the checksums, which tshark does not check,
//! are right by two computations that share nothing.

use crate::support::{files, root};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use wirewait_capture::Options;
use wirewait_dissectors::registry;
use wirewait_wire::{Depth, Field, Fields, Source, Value, Walk};

/// Layer, tshark's name and ours.
const FIELDS: [(&str, &str, &str); 21] = [
    ("idp", "idp.checksum", "Checksum"),
    ("idp", "idp.len", "Length"),
    ("idp", "idp.hops", "Hops"),
    ("idp", "idp.packet_type", "Packet type"),
    ("idp", "idp.dst.net", "Destination network"),
    ("idp", "idp.dst.node", "Destination host"),
    ("idp", "idp.dst.socket", "Destination socket"),
    ("idp", "idp.src.net", "Source network"),
    ("idp", "idp.src.node", "Source host"),
    ("idp", "idp.src.socket", "Source socket"),
    ("llc-3com", "3comxns.type", "Type"),
    ("spp", "spp.ctl", "Connection control"),
    ("spp", "spp.ctl.sys", "System packet"),
    ("spp", "spp.ctl.send_ack", "Send acknowledgement"),
    ("spp", "spp.ctl.attn", "Attention"),
    ("spp", "spp.ctl.eom", "End of message"),
    ("spp", "spp.src", "Source connection ID"),
    ("spp", "spp.dst", "Destination connection ID"),
    ("spp", "spp.seq", "Sequence number"),
    ("spp", "spp.ack", "Acknowledge number"),
    ("spp", "spp.alloc", "Allocation number"),
];

/// A number or an address as both are compared.
fn value(text: &str) -> String {
    let number = match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    };
    number.map_or_else(|| text.replace(':', "-"), |n: u64| n.to_string())
}

/// What tshark shows in each frame, in the order of [`FIELDS`]; empty where it has no such
/// field.
fn theirs(path: &Path) -> Vec<Vec<String>> {
    let mut command = Command::new("tshark");
    command.arg("-r").arg(path).args(["-T", "fields"]);
    for (_, name, _) in FIELDS {
        command.args(["-e", name]);
    }
    let output = command.output().unwrap();
    assert!(output.status.success(), "tshark: {output:?}");
    String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|line| line.split('\t').map(value).collect())
        .collect()
}

/// Layer by layer, the fields of each frame.
fn each(path: &Path, mut see: impl FnMut(&BTreeMap<&str, Vec<Field<'_>>>)) {
    let registry = registry();
    let mut walk = Walk::default();
    let mut source = wirewait_capture::open(&[path.to_path_buf()], &Options::default()).unwrap();
    while let Some(frame) = source.next_frame().unwrap() {
        registry.walk(&frame, Depth::Full, &mut walk);
        let layers = walk
            .spans()
            .iter()
            .map(|span| {
                let dissector = registry.dissector(span.dissector);
                let mut fields = Fields::new(walk.bytes(&frame, *span), None);
                let _ = (dissector.fields)(&mut fields);
                (dissector.name, fields.finish())
            })
            .collect();
        see(&layers);
    }
}

fn ours(path: &Path) -> Vec<Vec<String>> {
    let mut frames = Vec::new();
    each(path, |layers| {
        let row = FIELDS.map(|(layer, _, name)| {
            let fields = layers.get(layer).map_or(&[][..], Vec::as_slice);
            let field = fields.iter().find(|field| field.name == name);
            field.map_or(String::new(), |field| match &field.value {
                Value::Decimal(n) | Value::Hex(n) => n.to_string(),
                Value::Text(words) => words.clone(),
                other => panic!("{name}: {other:?}"),
            })
        });
        frames.push(row.to_vec());
    });
    frames
}

#[test]
fn the_same_fields_as_tshark() {
    if Command::new("tshark").arg("--version").output().is_err() {
        assert!(
            std::env::var_os("WIREWAIT_REQUIRE_TSHARK").is_none(),
            "tshark is required and not there"
        );
        eprintln!("SKIPPED: tshark is not installed, so nothing judged the fields of XNS");
        return;
    }
    let mut compared = 0;
    for path in captures() {
        let (ours, theirs) = (ours(&path), theirs(&path));
        assert_eq!(ours.len(), theirs.len(), "{}", path.display());
        for (n, (ours, theirs)) in ours.iter().zip(&theirs).enumerate() {
            for ((field, ours), theirs) in FIELDS.iter().zip(ours).zip(theirs) {
                let place = format!("{}, frame {}: {}", path.display(), n + 1, field.1);
                assert_eq!(ours, theirs, "{place}");
                compared += u32::from(!ours.is_empty());
            }
        }
    }
    println!("{compared} fields of XNS are those of tshark");
    assert!(compared > 1_500, "only {compared} fields were compared");
}

#[test]
fn every_checksum_is_right() {
    let mut checked = 0;
    for path in captures() {
        each(&path, |layers| {
            if let Some(fields) = layers.get("idp") {
                assert_eq!(fields[0].meaning, "right", "{}", path.display());
                checked += 1;
            }
        });
    }
    assert!(checked > 90, "only {checked} packets");
}

fn captures() -> Vec<std::path::PathBuf> {
    let mut captures = files(&root().join("captures/xns"));
    captures.retain(|path| path.extension().is_some_and(|e| e == "pcapng"));
    captures
}

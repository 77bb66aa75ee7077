//! DECnet in a real capture: two logical links of DEC's PHONE, from a node to itself. Frames,
//! numbers and times are those that tshark 4.0.17 shows.

use crate::support::{analyse, assert_frames_close, captures};
use std::collections::BTreeMap;
use wirewait_capture::Options;
use wirewait_wire::{Depth, Source, Value, Walk};

const FILE: &str = "real/dec_decnet-phone.pcap";

#[test]
fn links_are_opened_and_nothing_is_lost_or_repeated() {
    let Some(folder) = captures("DECnet links") else {
        return;
    };
    let analysis = analyse(&[folder.join(FILE)]).unwrap();
    assert_frames_close(FILE, &analysis.snapshot);
    let connects: Vec<_> = analysis
        .transactions
        .iter()
        .map(|t| {
            assert_eq!((t.protocol, t.operation.name), ("nsp", "CONNECT"));
            let (request, response) = (t.request.unwrap().last, t.response.unwrap().first);
            let ns = response.at.since(request.at);
            (request.frame, response.frame, ns, t.frames.ack)
        })
        .collect();
    assert_eq!(connects, [(6, 8, 558_000, 1), (20, 22, 47_000, 1)]);
    for reason in &analysis.snapshot.capture.reasons {
        assert!(
            !["gaps", "retransmitted", "malformed", "one_sided"].contains(&reason.name),
            "{reason:?}"
        );
    }
    assert_eq!(analysis.snapshot.attribution.other, 0);
}

#[test]
fn messages_and_numbers_are_those_of_tshark() {
    let Some(folder) = captures("DECnet fields") else {
        return;
    };
    let registry = wirewait_dissectors::registry();
    let mut source = wirewait_capture::open(&[folder.join(FILE)], &Options::default()).unwrap();
    let mut walk = Walk::default();
    let mut kinds: BTreeMap<u64, u64> = BTreeMap::new();
    let (mut segments, mut visited) = (0, 0);
    while let Some(frame) = source.next_frame().unwrap() {
        registry.walk(&frame, Depth::Full, &mut walk);
        for span in walk.spans() {
            if registry.dissector(span.dissector).name != "nsp" {
                continue;
            }
            visited += 1;
            let input = walk.bytes(&frame, *span);
            for field in registry.fields(span.dissector, input, None) {
                let (Value::Hex(n) | Value::Decimal(n)) = field.value else {
                    continue;
                };
                match field.name.as_ref() {
                    "Message flags" => *kinds.entry(n).or_default() += 1,
                    "Segment number" => segments += n,
                    _ => {}
                }
            }
        }
    }
    assert_eq!(visited, 128);
    let kinds: Vec<(u64, u64)> = kinds.into_iter().collect();
    assert_eq!(
        kinds,
        [
            (0x04, 49),
            (0x10, 9),
            (0x14, 9),
            (0x18, 2),
            (0x24, 2),
            (0x28, 2),
            (0x38, 2),
            (0x48, 4),
            (0x60, 49)
        ]
    );
    assert_eq!(segments, 575, "the sum of all segment numbers");
}

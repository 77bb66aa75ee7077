//! DEC LAST in the only public capture that has some: four frames of one node, two seconds
//! apart, that keep a circuit up. Two of them hold what is left of an SMB in memory.

use crate::support::{analyse, assert_frames_close, captures};
use wirewait_analysis::WHOLE_FRAME;
use wirewait_capture::Options;
use wirewait_wire::{Depth, Source, Walk};

const FILE: &str = "real/dec_last8041+lavc+lat+decnet_genbroad.snoop";

#[test]
fn circuit_upkeep_is_no_request() {
    let Some(folder) = captures("frames of LAST") else {
        return;
    };
    let analysis = analyse(&[folder.join(FILE)]).unwrap();
    assert_frames_close(FILE, &analysis.snapshot);
    let protocols = &analysis.snapshot.protocols;
    let last = protocols.iter().find(|(name, _)| *name == "last");
    assert_eq!(last, Some(&("last", 4)));
    for transaction in &analysis.transactions {
        assert_ne!(transaction.carrier, "last");
        assert_ne!(transaction.protocol, "last");
    }
    // Nothing else in this capture has upkeep of its own.
    let control = analysis.snapshot.attribution.control;
    assert!(control >= 4 * WHOLE_FRAME, "{control}");
}

#[test]
fn the_node_is_named_and_the_stale_smb_is_not_shown() {
    let Some(folder) = captures("frames of LAST") else {
        return;
    };
    let mut source = wirewait_capture::open(&[folder.join(FILE)], &Options::default()).unwrap();
    let registry = wirewait_dissectors::registry();
    let mut walk = Walk::default();
    let mut shown = Vec::new();
    while let Some(frame) = source.next_frame().unwrap() {
        registry.walk(&frame, Depth::Full, &mut walk);
        let Some(last) = walk.last() else { continue };
        let dissector = registry.dissector(last.dissector);
        if walk.next.is_none() && dissector.name == "last" {
            let mut line = String::new();
            (dissector.describe)(walk.bytes(&frame, last), &mut line).unwrap();
            shown.push(line);
        }
    }
    assert_eq!(shown, ["circuit upkeep, node ZINGER, 84 bytes"; 4]);
}

//! What receivers say about frames that were seen twice.

use crate::support::{analyse, captures, root};
use std::collections::BTreeMap;

/// The reasons of the quality of a capture, by name.
fn reasons(name: &str) -> Option<BTreeMap<&'static str, u64>> {
    let folder = captures("reasons")?;
    let analysis = analyse(&[folder.join("lab").join(name)]).unwrap();
    let reasons = analysis.snapshot.capture.reasons.into_iter();
    Some(reasons.map(|reason| (reason.name, reason.count)).collect())
}

/// By tshark, of the 32 acknowledgements with a D-SACK (`tcp.options.sack.dsack_le`) 3 are of bytes with two
/// identical frames (`ip.id`, `tcp.seq`, `tcp.len`) and no other: doubled on the way. 13 are of bytes that
/// were sent again with another `ip.id`, and 16 of what was doubled behind the capture. Of the 13 one is counted
/// nowhere: it was sent again before its message was whole.
#[test]
fn frames_that_arrived_twice_were_doubled_on_the_way_or_sent_needlessly() {
    let Some(found) = reasons("10_loss3pct_dup1pct_reorder2pct_srv.pcap") else {
        return;
    };
    assert_eq!(found.get("duplicates"), Some(&8));
    assert_eq!(found.get("doubled"), Some(&3));
    assert_eq!(found.get("needless"), Some(&12));
}

/// A mirror port gives each frame twice: no receiver says anything (0 D-SACKs by tshark).
#[test]
fn what_was_captured_twice_did_not_arrive_twice() {
    let Some(found) = reasons("e1_span_duplicates_nt1_smb2_span.pcap") else {
        return;
    };
    assert!(found["duplicates"] > 100, "{found:?}");
    assert_eq!(found.get("doubled"), None);
    assert_eq!(found.get("needless"), None);
}

/// Ten segments are overtaken behind the capture, and their receiver says nothing of D-SACK: it acknowledges the rest sooner than
/// what was retransmitted can have come. Three others are lost, and cost 4.12 ms each.
#[test]
fn what_is_acknowledged_sooner_than_it_can_have_come_was_overtaken() {
    let capture = root().join("captures/tcp/overtaken-behind-capture.pcapng");
    let found = analyse(&[capture]).unwrap().snapshot;
    let symptom = |id: &str| {
        let of = found.symptoms.found.iter().find(|s| s.rule.id == id);
        of.map(|symptom| (symptom.hits.count, symptom.hits.cost_ns))
    };
    assert_eq!(symptom("frames_reordered"), Some((10, 0)));
    assert_eq!(symptom("frames_resent"), Some((3, 12_360_000)));
    let needless = found.capture.reasons.iter().find(|r| r.name == "needless");
    assert_eq!(needless.map(|reason| reason.count), Some(10));
}

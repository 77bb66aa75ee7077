//! A capture whose frames were cut off by a snap length says of the time what the whole one says, or that it does not know.

use crate::support::{analyse, analyse_frames, captures, owned_frames};
use wirewait_analysis::{Flags, Snapshot};
use wirewait_judge::{Culprit, Verdict};

/// Bounds of everyone's part of the active time, in thousandths.
fn shares(snapshot: &Snapshot) -> [(u64, u64); 3] {
    let verdict = Verdict::on(snapshot);
    Culprit::ALL.map(|one| {
        let part = verdict.share(one).thousandths;
        (part.low, part.high)
    })
}

/// TCP with time stamps leaves two bytes of a MessageId. By order alone, the responses to several requests that are
/// outstanding together went to others.
#[test]
fn two_bytes_of_a_message_id_match_responses() {
    let Some(folder) = captures("snapped") else {
        return;
    };
    for name in [
        "04_smb2_202_delay5ms_server_egress_cli.pcap",
        "04_smb2_202_delay5ms_server_egress_srv.pcap",
        "09_midconnection_start_nt1_smb2_srv.pcap",
    ] {
        let path = folder.join("lab").join(name);
        let whole = analyse(std::slice::from_ref(&path)).unwrap();
        let mut frames = owned_frames(&path);
        for frame in &mut frames {
            frame.bytes.truncate(96);
        }
        let cut = analyse_frames(&frames);
        assert_eq!(shares(&cut.snapshot), shares(&whole.snapshot), "{name}");
        let smb2 = cut.transactions.iter().filter(|t| t.protocol == "smb2");
        let (mut answered, mut by_order) = (0, 0);
        for t in smb2.filter(|t| t.request.is_some() && t.response.is_some()) {
            answered += 1;
            by_order += u32::from(t.flags.contains(Flags::BY_ORDER));
        }
        assert!(answered > 100, "{name}: {answered}");
        assert_eq!(by_order, 0, "{name}, of {answered}");
    }
}

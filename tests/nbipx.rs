//! NetBIOS sessions over IPX in real captures: Novell's and those of Windows for Workgroups.
//! Frames, numbers and times are those that tshark 4.0.17 shows.

use crate::support::{analyse, assert_frames_close, captures};
use wirewait_analysis::Outcome;

/// A capture, its sessions (frames of the call and of its answer, ns between them), and how
/// many frames repeat data.
type Expected = (&'static str, &'static [(u64, u64, i64)], u64);

const EXPECTED: [Expected; 4] = [
    (
        "nbf+nbipx+nmpi+smb-direct-ipx_wfw311.pcapng",
        &[
            (110, 112, 44_000),
            (273, 277, 66_000),
            (300, 304, 70_000),
            (324, 327, 75_000),
        ],
        0,
    ),
    // Frame 17 asks for frame 15 again, and 18 brings it.
    ("ipx_nbipx_eth2.pcapng", &[(13, 14, 61_871)], 1),
    ("ipx_nbipx_802.2.pcapng", &[(11, 12, 57_876)], 0),
    ("ipx_nbipx_raw802.3.pcapng", &[(13, 14, 58_828)], 0),
];

/// A capture, and the names looked for in it and found: frame of the first question, of the
/// answer, ns between them, how often it was asked.
type Found = (&'static str, &'static [(u64, u64, i64, u32)]);

const FOUND: [Found; 4] = [
    (
        "nbf+nbipx+nmpi+smb-direct-ipx_wfw311.pcapng",
        &[
            (57, 58, 51_000, 1),
            (105, 108, 41_000, 1),
            (139, 140, 66_000, 1),
            (153, 154, 51_000, 1),
            (216, 217, 54_000, 1),
            (257, 258, 56_000, 1),
            (268, 271, 70_000, 1),
            (398, 399, 46_000, 1),
        ],
    ),
    ("ipx_nbipx_eth2.pcapng", &[(11, 12, 93_773, 1)]),
    ("ipx_nbipx_802.2.pcapng", &[(3, 10, 6_068_941_236, 4)]),
    ("ipx_nbipx_raw802.3.pcapng", &[(11, 12, 135_033, 1)]),
];

#[test]
fn names_looked_for_are_found() {
    let Some(folder) = captures("names looked for over NBIPX") else {
        return;
    };
    for (file, expected) in FOUND {
        let analysis = analyse(&[folder.join("real").join(file)]).unwrap();
        let mut found: Vec<_> = analysis
            .transactions
            .iter()
            .filter(|t| t.operation.name == "FIND NAME" && t.outcome == Outcome::Answered)
            .map(|t| {
                let (request, response) = (t.request.unwrap().first, t.response.unwrap().first);
                let ns = response.at.since(request.at);
                (request.frame, response.frame, ns, t.copies)
            })
            .collect();
        found.sort();
        assert_eq!(found, expected, "{file}");
    }
}

#[test]
fn sessions_are_opened_ordered_and_acknowledged() {
    let Some(folder) = captures("sessions over NBIPX") else {
        return;
    };
    for (file, sessions, repeated) in EXPECTED {
        let analysis = analyse(&[folder.join("real").join(file)]).unwrap();
        assert_frames_close(file, &analysis.snapshot);
        let found: Vec<_> = analysis
            .transactions
            .iter()
            .filter(|t| t.operation.name == "SESSION INITIALIZE")
            .map(|t| {
                let (request, response) = (t.request.unwrap().last, t.response.unwrap().first);
                let ns = response.at.since(request.at);
                (request.frame, response.frame, ns)
            })
            .collect();
        assert_eq!(found, sessions, "{file}");
        let reason = |name: &str| {
            let reasons = &analysis.snapshot.capture.reasons;
            reasons
                .iter()
                .find(|r| r.name == name)
                .map_or(0, |r| r.count)
        };
        assert_eq!(reason("retransmitted"), repeated, "{file}");
        assert_eq!(reason("gaps"), 0, "{file}");
        assert_eq!(reason("one_sided"), 0, "{file}: both sides were captured");
    }
}

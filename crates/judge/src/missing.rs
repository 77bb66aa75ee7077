//! Why no request of a capture was answered.

use wirewait_analysis::{ServerRow, Snapshot};

/// What a capture lacks in which no request was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// Requests and responses.
    FileTraffic,
    /// Requests and responses, and this number of its frames, half of them or more, are UDP: they may be in there, as SMB over
    /// QUIC is not read.
    Datagrams(u64),
    /// Requests and responses, and this number of its frames are of a kind of link that is not read: they may be there.
    Links(u64),
    /// Requests: it has responses alone.
    Requests,
    /// Responses: it has one direction alone.
    Responses,
    /// Responses, though it has both directions, and this number of requests.
    Answers(u64),
    /// The rest of this number of frames, which the capture cut short: no request or response is known as such.
    Rest(u64),
    /// Nothing: it has this number of requests without a response, and this one of responses without a request. Others may
    /// have been answered.
    Together(u64, u64),
}

/// If one frame in ten is cut short, that may be why no request is known, where frames of a file service are.
const CUT: u64 = 10;
/// From this part of the frames with TCP on, in percent, hardly more than headers were captured: what they carry does not show.
const HEADERS: u64 = 80;
/// Protocols of file services, or of what carries nothing else.
const FILES: [&str; 5] = ["smb1", "smb2", "ncp", "direct_tcp", "nbt"];
/// Protocols in which stations are looked for, or look whether another one is there: no request for files is among these.
const LOOKUPS: [&str; 9] = [
    "nbns", "nbf", "nbipx", "sap", "rip", "ipxping", "spp", "pep", "xns_echo",
];
/// From this part of the requests on, in percent, responses that answer none of them are theirs.
const STRAY: u64 = 50;
/// As many responses without a request, and this part of the requests in percent, are more than the beginning of a capture has.
const MANY: u64 = 16;
const PART: u64 = 5;
/// Where the transport shows what the capture lacks.
const NUMBERED: [&str; 2] = ["tcp", "nbt"];

impl Missing {
    pub(crate) fn of(snapshot: &Snapshot) -> Self {
        let asked = || {
            snapshot
                .servers
                .iter()
                .filter(|row| !LOOKUPS.contains(&row.protocol))
        };
        let sum = |of: fn(&ServerRow) -> u64| -> u64 { asked().map(of).sum() };
        let requests = sum(|row| row.counts.requests);
        let cut = crate::reason(snapshot, "snapped");
        let files = snapshot
            .protocols
            .iter()
            .any(|(name, _)| FILES.contains(name));
        let tcp = frames_of(snapshot, "tcp");
        let headers = tcp > 0 && cut.saturating_mul(100) >= tcp.saturating_mul(HEADERS);
        let cut = if files || headers { cut } else { 0 };
        match (requests, sum(|row| row.counts.orphan_responses)) {
            (0, 0) if cut > 0 && cut * CUT >= snapshot.capture.frames => Self::Rest(cut),
            (0, 0) => match crate::reason(snapshot, "unknown_link") {
                0 => match frames_of(snapshot, "udp") {
                    frames if frames > 0 && frames.saturating_mul(2) >= snapshot.capture.frames => {
                        Self::Datagrams(frames)
                    }
                    _ => Self::FileTraffic,
                },
                frames => Self::Links(frames),
            },
            (0, _) => Self::Requests,
            _ if sum(|row| row.counts.one_sided) * 2 > requests => Self::Responses,
            (_, strays) if strays * 100 >= requests * STRAY => Self::Together(requests, strays),
            _ => Self::Answers(requests),
        }
    }

    /// Requests without a response, and responses without a request, where others were answered and the capture lacks neither.
    pub(crate) fn apart(snapshot: &Snapshot) -> Option<Self> {
        let rows = snapshot.servers.iter();
        let rows = rows.filter(|row| NUMBERED.contains(&row.carrier));
        let [mut requests, mut open, mut strays] = [0_u64; 3];
        for row in rows {
            let counts = &row.counts;
            requests = requests.saturating_add(counts.requests);
            let waited = counts.unanswered.saturating_add(counts.open_at_end);
            // As one operation stands for both.
            open = open.saturating_add(waited.min(counts.orphan_responses));
            strays = strays.saturating_add(counts.orphan_responses);
        }
        let many = strays >= MANY && strays.saturating_mul(100) >= requests.saturating_mul(PART);
        let both = open.saturating_mul(100) >= strays.saturating_mul(STRAY);
        // What two clocks put in the wrong order is there; frames that the capture lost leave gaps in the streams.
        let gaps = crate::reason(snapshot, "gaps");
        let lost = gaps.saturating_mul(2) >= open.saturating_add(strays);
        (many && both && !lost).then_some(Self::Together(open, strays))
    }
}

/// Frames that contain this protocol.
fn frames_of(snapshot: &Snapshot, protocol: &str) -> u64 {
    let mut known = snapshot.protocols.iter();
    let known = known.find(|(name, _)| *name == protocol);
    known.map_or(0, |(_, frames)| *frames)
}

#[cfg(test)]
mod tests {
    use super::*;
    use wirewait_analysis::{Grade, Reason};

    /// Requests of two operations over TCP: all, open at the end, and responses without a request.
    fn apart(rows: &[[u64; 3]], carrier: &'static str) -> Option<Missing> {
        Missing::apart(&snapshot_of(rows, carrier))
    }

    fn snapshot_of(rows: &[[u64; 3]], carrier: &'static str) -> Snapshot {
        let mut snapshot = Snapshot::default();
        for [requests, open, strays] in rows {
            let mut row = ServerRow::default();
            row.carrier = carrier;
            row.counts.requests = *requests;
            row.counts.open_at_end = *open;
            row.counts.orphan_responses = *strays;
            snapshot.servers.push(row);
        }
        snapshot
    }

    /// Of 100 frames with TCP, 80 are cut, or 79: then so much was captured of the others that files would show.
    #[test]
    fn frames_of_which_only_headers_were_captured_may_be_of_files() {
        let of = |cut: u64| {
            let mut snapshot = Snapshot::default();
            snapshot.capture.frames = 120;
            snapshot.protocols = vec![("ethernet", 120), ("tcp", 100)];
            snapshot.capture.reasons.push(Reason {
                name: "snapped",
                text: "",
                count: cut,
                grade: Grade::Good,
            });
            Missing::of(&snapshot)
        };
        assert_eq!((of(80), of(79)), (Missing::Rest(80), Missing::FileTraffic));
    }

    #[test]
    fn what_is_mostly_datagrams_may_be_smb_over_quic() {
        let of = |frames: u64, udp: u64| {
            let mut snapshot = Snapshot::default();
            snapshot.capture.frames = frames;
            snapshot.protocols = vec![("ethernet", frames), ("udp", udp)];
            Missing::of(&snapshot)
        };
        assert_eq!(of(10, 5), Missing::Datagrams(5));
        assert_eq!(of(10, 4), Missing::FileTraffic);
        assert_eq!(of(0, 0), Missing::FileTraffic);
    }

    #[test]
    fn responses_that_come_before_their_requests_are_stamped_by_another_clock() {
        let of = |open, strays| apart(&[[300, 0, 0], [120, open, strays]], "tcp");
        assert_eq!(of(120, 120), Some(Missing::Together(120, 120)));
        assert_eq!(of(11, 21), Some(Missing::Together(11, 21)));
        assert_eq!(of(10, 21), None, "the requests of others");
        assert_eq!(of(20, 20), None, "less than one in twenty");
        assert_eq!(
            apart(&[[120, 15, 15]], "tcp"),
            None,
            "a beginning and an end"
        );
        assert_eq!(
            apart(&[[120, 0, 60], [60, 60, 0]], "tcp"),
            None,
            "of others"
        );
        assert_eq!(apart(&[[120, 120, 120]], "ipx"), None, "some may be lost");
    }

    /// Of 1,000 requests and responses of a capture that lost one frame in twelve, 69 each lack the other: 138 gaps and more.
    #[test]
    fn frames_that_a_capture_lost_are_no_second_clock() {
        let of = |gaps: u64| {
            let mut snapshot = snapshot_of(&[[922, 69, 69]], "tcp");
            snapshot.capture.reasons.push(Reason {
                name: "gaps",
                text: "",
                count: gaps,
                grade: Grade::Fair,
            });
            Missing::apart(&snapshot)
        };
        assert_eq!(of(69), None);
        assert_eq!(of(68), Some(Missing::Together(69, 69)));
    }
}

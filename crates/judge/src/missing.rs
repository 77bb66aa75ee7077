//! Why no request of a capture was answered.

use wirewait_analysis::{ServerRow, Snapshot};

/// What a capture lacks in which no request was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// Requests and responses.
    FileTraffic,
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
    /// Nothing: it has this number of requests without a response, and this one of responses without a request.
    Together(u64, u64),
}

/// If one frame in ten is cut short, that may be why no request is known, where frames of a file service are.
const CUT: u64 = 10;
/// Protocols of file services, or of what carries nothing else.
const FILES: [&str; 5] = ["smb1", "smb2", "ncp", "direct_tcp", "nbt"];
/// Protocols in which stations are looked for, or look whether another one is there: no request for files is among these.
const LOOKUPS: [&str; 9] = [
    "nbns", "nbf", "nbipx", "sap", "rip", "ipxping", "spp", "pep", "xns_echo",
];
/// From this part of the requests on, in percent, responses that answer none of them are theirs.
const STRAY: u64 = 50;

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
        let cut = if files { cut } else { 0 };
        match (requests, sum(|row| row.counts.orphan_responses)) {
            (0, 0) if cut > 0 && cut * CUT >= snapshot.capture.frames => Self::Rest(cut),
            (0, 0) => match crate::reason(snapshot, "unknown_link") {
                0 => Self::FileTraffic,
                frames => Self::Links(frames),
            },
            (0, _) => Self::Requests,
            _ if sum(|row| row.counts.one_sided) * 2 > requests => Self::Responses,
            (_, strays) if strays * 100 >= requests * STRAY => Self::Together(requests, strays),
            _ => Self::Answers(requests),
        }
    }
}

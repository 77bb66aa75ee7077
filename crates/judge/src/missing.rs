//! Why no request of a capture was answered.

use wirewait_analysis::{ServerRow, Snapshot};

/// What a capture lacks in which no request was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// Requests and responses.
    FileTraffic,
    /// Requests: it has responses alone.
    Requests,
    /// Responses: it has one direction alone.
    Responses,
    /// Responses, though it has both directions, and this number of requests.
    Answers(u64),
}

impl Missing {
    pub(crate) fn of(snapshot: &Snapshot) -> Self {
        let sum = |of: fn(&ServerRow) -> u64| -> u64 { snapshot.servers.iter().map(of).sum() };
        let requests = sum(|row| row.counts.requests);
        match (requests, sum(|row| row.counts.orphan_responses)) {
            (0, 0) => Self::FileTraffic,
            (0, _) => Self::Requests,
            _ if sum(|row| row.counts.one_sided) * 2 > requests => Self::Responses,
            _ => Self::Answers(requests),
        }
    }
}

//! Answers for tests.

use crate::testing::{SERVER, id};
use wirewait_model::records::Answer;
use wirewait_wire::{Kind, Timestamp};

/// A read of client 1 that took the server the whole of its time.
pub(super) fn read(began: Timestamp, ended: Timestamp, data_bytes: u64) -> Answer {
    Answer {
        client: Some(id(1)),
        server: Some(id(SERVER)),
        began,
        ended,
        kind: Kind::Read,
        data_bytes,
        response_ns: Some(ended.since(began)),
        turnaround_ns: Some(ended.since(began)),
    }
}

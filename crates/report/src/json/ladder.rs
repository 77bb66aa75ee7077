//! Key `ladder`.

use crate::ladder::{Ladder, Rung};
use crate::time::Rfc3339;
use crate::transactions::bounds;
use serde::Serialize;

/// Frames of a conversation around one of its transactions.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct LadderConversation<'a> {
    conversation: u64,
    transaction: u64,
    client: String,
    server: String,
    response_time_ns: Option<i64>,
    /// Null when ambiguous, as in the rows of transactions.
    turnaround_ns: Option<i64>,
    turnaround_bounds_ns: Option<[i64; 2]>,
    /// Frames of the conversation before the first one that is listed.
    earlier_frames: u64,
    frames: Vec<LadderStep<'a>>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct LadderStep<'a> {
    /// Frames of the conversation between the one before and this.
    left_out_frames: u64,
    frame: u64,
    time: Rfc3339,
    /// Since the first frame of the transaction.
    since_begin_ns: i64,
    from: &'static str,
    bytes: u32,
    does: Vec<Does>,
    summary: &'a str,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Does {
    transaction: u64,
    deed: &'static str,
}

pub(super) fn ladder(ladder: &Ladder) -> LadderConversation<'_> {
    let t = &ladder.transaction;
    LadderConversation {
        conversation: t.conversation,
        transaction: t.number,
        client: t.client.to_string(),
        server: t.server.to_string(),
        response_time_ns: t.response_time_ns(),
        turnaround_ns: t.turnaround.exact(),
        turnaround_bounds_ns: bounds(t),
        earlier_frames: ladder.earlier,
        frames: ladder.rungs.iter().map(|rung| step(ladder, rung)).collect(),
    }
}

fn step<'a>(ladder: &Ladder, rung: &'a Rung) -> LadderStep<'a> {
    LadderStep {
        left_out_frames: rung.left_out,
        frame: rung.frame,
        time: Rfc3339(rung.at),
        since_begin_ns: ladder.since_begin(rung),
        from: if rung.from_client { "client" } else { "server" },
        bytes: rung.bytes,
        does: rung
            .deeds
            .iter()
            .map(|(transaction, deed)| Does {
                transaction: *transaction,
                deed: deed.name(),
            })
            .collect(),
        summary: &rung.words,
    }
}

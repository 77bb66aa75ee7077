//! Key `ladder`.

use crate::document::{documents, of};
use crate::ladder::{Ladder, Rung};
use crate::time::Rfc3339;
use crate::transactions::bounds;
use wirewait_analysis::Deed;

documents! {
    /// Frames of a conversation around one of its transactions.
    pub(super) struct LadderConversation<'a> of ladder: &'a Ladder
    where
        let t = &ladder.transaction;
    {
        conversation: u64 = t.conversation,
        transaction: u64 = t.number,
        client: String = of(&t.client),
        server: String = of(&t.server),
        response_time_ns: Option<i64> = t.response_time_ns(),
        /// Null when ambiguous, as in the rows of transactions.
        turnaround_ns: Option<i64> = t.turnaround.exact(),
        turnaround_bounds_ns: Option<[i64; 2]> = bounds(t),
        /// Frames of the conversation before the first one that is listed.
        earlier_frames: u64 = ladder.earlier,
        frames: Vec<LadderStep<'a>> = ladder.rungs.iter().map(|rung| of((ladder, rung))).collect(),
    }

    struct LadderStep<'a> of ladder, rung: (&'a Ladder, &'a Rung) {
        /// Frames of the conversation between the one before and this.
        left_out_frames: u64 = rung.left_out,
        frame: u64 = rung.frame,
        time: Rfc3339 = Rfc3339(rung.at),
        /// Since the first frame of the transaction.
        since_begin_ns: i64 = ladder.since_begin(rung),
        from: &'static str = if rung.from_client { "client" } else { "server" },
        bytes: u32 = rung.bytes,
        does: Vec<Does> = of(&rung.deeds),
        summary: &'a str = &rung.words,
    }

    struct Does of done: &(u64, Deed) {
        transaction: u64 = done.0,
        deed: &'static str = done.1.name(),
    }
}

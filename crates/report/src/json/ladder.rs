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
        /// Its number.
        conversation: u64 = t.conversation,
        /// Number of the transaction.
        transaction: u64 = t.number,
        /// The client.
        client: String = of(&t.client),
        /// The server.
        server: String = of(&t.server),
        /// Its TCP or UDP port, IPX socket or LLC service access point, as a number.
        server_port: Option<u16> = t.server.port,
        /// Likewise of the client.
        client_port: Option<u16> = t.client.port,
        /// t4 - t1, ns.
        response_time_ns: Option<i64> = t.response_time_ns(),
        /// Null when ambiguous, as in the rows of transactions.
        turnaround_ns: Option<i64> = t.turnaround.exact(),
        /// At least and at most, ns, where it is ambiguous.
        turnaround_bounds_ns: Option<[i64; 2]> = bounds(t),
        /// Frames of the conversation before the first one that is listed.
        earlier_frames: u64 = ladder.earlier,
        /// The frames, in order.
        frames: Vec<LadderStep<'a>> = ladder.rungs.iter().map(|rung| of((ladder, rung))).collect(),
    }

    struct LadderStep<'a> of ladder, rung: (&'a Ladder, &'a Rung) {
        /// Frames of the conversation between the one before and this.
        left_out_frames: u64 = rung.left_out,
        /// Number of the frame.
        frame: u64 = rung.frame,
        /// Its stamp.
        time: Rfc3339 = Rfc3339(rung.at),
        /// Since the first frame of the transaction.
        since_begin_ns: i64 = ladder.since_begin(rung),
        /// `client` or `server`.
        from: &'static str = if rung.from_client { "client" } else { "server" },
        /// Its length, bytes.
        bytes: u32 = rung.bytes,
        /// What it does in which transaction.
        does: Vec<Does> = of(&rung.deeds),
        /// What it is, in a line.
        summary: &'a str = &rung.words,
    }

    struct Does of done: &(u64, Deed) {
        /// Number of the transaction.
        transaction: u64 = done.0,
        /// What the frame does in it.
        deed: &'static str = done.1.name(),
    }
}

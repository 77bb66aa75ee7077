//! The document of two joined captures, for programs.

use super::{BetweenReport, sentence};
use crate::document::{Written, documents, of};
use crate::escape;
use crate::figures::Command;
use std::io::{self, Write};
use wirewait_judge::between::{BetweenOf, BetweenRow, Clocks, InVain, LostFrames};
use wirewait_judge::{Culprit, Verdict};

/// The version of the JSON form.
const SCHEMA: &str = "wirewait-between/1";

/// Writes the same as JSON.
///
/// # Errors
/// What `out` says.
pub fn json(out: &mut impl Write, report: &BetweenReport<'_>) -> io::Result<()> {
    let document: BetweenDocument<'_> = of(report);
    escape::json(&mut *out, |out| {
        serde_json::to_writer_pretty(out, &document)
    })?;
    writeln!(out)
}

documents! {
    struct BetweenDocument<'a> of report: &'a BetweenReport<'_>
    where
        let joined = report.joined;
        let rows = |wanted: fn(&BetweenOf) -> bool| {
            let rows = joined.rows.iter().filter(|row| wanted(&row.of));
            rows.map(of).collect()
        };
        let [first, second] = report.names;
        let [at_clients, at_servers] =
            if joined.first_at_clients { [first, second] } else { [second, first] };
    {
        schema: &'static str = SCHEMA,
        sentence: String = sentence(report),
        culprit: &'static str = joined.finding.name(),
        captures: [&'a str; 2] = report.names,
        at_clients: &'a str = at_clients,
        at_servers: &'a str = at_servers,
        same_frames: u64 = joined.same_frames,
        requests: u64 = joined.requests,
        clients: u64 = joined.clients,
        only_at_clients: u64 = joined.only_at_clients,
        unanswered: u64 = joined.unanswered,
        /// Of the times below, those in which clients waited for these.
        waited_in_vain: BetweenInVain = of(&joined.in_vain),
        active_ns: u64 = joined.active_ns(),
        client_ns: u64 = joined.client_ns,
        /// Of that, in requests that waited until another client gave an oplock or a lease back.
        client_held_ns: u64 = joined.held_ns,
        way_ns: u64 = joined.way_ns,
        server_ns: u64 = joined.server_ns,
        unknown_ns: u64 = joined.unknown_ns,
        idle_ns: u64 = joined.idle_ns,
        way_with_lost_frames_ns: u64 = joined.lost_ns,
        requests_with_lost_frames: u64 = joined.with_losses,
        way_of_a_request_ns: Spread<u64> = of(joined.way_of_a_request),
        turnaround_ns: Spread<u64> = of(joined.turnaround),
        clock: Option<BetweenClock> = joined.clocks.map(of),
        /// By how much the clocks moved against each other at least; `clock` is null then.
        clocks_moved_ns: u64 = joined.clocks_moved_ns,
        to_servers: Lost<'a> = of(&joined.to_servers),
        to_clients: Lost<'a> = of(&joined.to_clients),
        /// What each capture says alone.
        alone: [Alone<'a>; 2] = [of((report.alone[0], first)), of((report.alone[1], second))],
        /// Rows of a kind sum to the whole.
        by_client: Vec<BetweenTime> = rows(|of| matches!(of, BetweenOf::Client(_))),
        by_server: Vec<BetweenTime> = rows(|of| matches!(of, BetweenOf::Server(_))),
        by_operation: Vec<BetweenTime> = rows(|of| matches!(of, BetweenOf::Operation { .. })),
        left_out: u64 = joined.left_out,
    }

    /// The verdict on one capture.
    struct Alone<'a> of verdict, capture: (&Verdict, &'a str)
    where
        let share = |culprit| {
            let share = verdict.share(culprit).thousandths;
            [share.low, share.high]
        };
    {
        capture: &'a str = capture,
        culprit: &'static str = verdict.finding.name(),
        active_ns: u64,
        /// At least and at most, per mille of the active time.
        client_per_mille: [u64; 2] = share(Culprit::Client),
        /// At least and at most, per mille of the active time.
        network_per_mille: [u64; 2] = share(Culprit::Network),
        /// At least and at most, per mille of the active time.
        server_per_mille: [u64; 2] = share(Culprit::Server),
    }

    struct BetweenInVain of vain: &InVain {
        way_ns: u64,
        server_ns: u64,
        unknown_ns: u64,
    }

    /// Someone's time at both ends.
    struct BetweenTime of row: &BetweenRow
    where
        let (client, server, operation) = match row.of {
            BetweenOf::Client(client) => (Some(client), None, None),
            BetweenOf::Server(server) => (None, Some(server), None),
            BetweenOf::Operation { server, protocol, command: name, code } => {
                (None, Some(server), Some((protocol, Command { name, code })))
            }
        };
        let operation = operation.as_ref();
    {
        client: Option<String> = of(&client),
        server: Option<String> = of(&server),
        protocol: Option<&'static str> = operation.map(|(protocol, _)| *protocol),
        command: Option<String> = operation.map(|(_, command)| command.to_string()),
        code: Option<u32> = operation.map(|(_, command)| command.code),
        requests: u64,
        active_ns: u64 = row.active_ns(),
        client_ns: u64,
        way_ns: u64,
        server_ns: u64,
        unknown_ns: u64,
        requests_with_lost_frames: u64 = row.with_losses,
        /// By the clocks' difference; null where that is not known.
        request_way_ns: Option<Spread<i64>> = row.request_way.map(of),
        turnaround_ns: Spread<u64> = of(row.turnaround),
        response_way_ns: Option<Spread<i64>> = row.response_way.map(of),
    }

    struct BetweenClock of clocks: Clocks {
        second_ahead_ns: i64 = clocks.ahead_ns,
        unsure_ns: i64,
        shortest_round_trip_ns: i64 = clocks.shortest_round_ns,
    }

    struct Lost<'a> of lost: &'a LostFrames {
        sent: u64,
        lost: u64,
        first_lost_frames: &'a [u64] = &lost.first,
        only_behind: u64 = lost.unseen,
    }
}

#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Spread<T> {
    least: T,
    median: T,
    most: T,
}

impl<T> Written<[T; 3]> for Spread<T> {
    fn of([least, median, most]: [T; 3]) -> Self {
        Self {
            least,
            median,
            most,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_is_the_published_one() {
        let schema = crate::schema::of::<BetweenDocument<'_>>(SCHEMA);
        crate::schema::check("between.schema.json", &schema);
    }
}

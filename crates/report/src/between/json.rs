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
        /// Name and version of this form.
        schema: &'static str = SCHEMA,
        /// The verdict in words.
        sentence: String = sentence(report),
        /// Who has most of the time, as in the verdict of a report.
        culprit: &'static str = joined.finding.name(),
        /// The two captures.
        captures: [&'a str; 2] = report.names,
        /// The capture at the clients.
        at_clients: &'a str = at_clients,
        /// The capture at the servers.
        at_servers: &'a str = at_servers,
        /// Frames that both have.
        same_frames: u64 = joined.same_frames,
        /// Requests that both have answered.
        requests: u64 = joined.requests,
        /// Clients of these. Addresses with channels of one SMB session are one client.
        clients: u64 = joined.clients,
        /// Requests that the capture at the clients alone has answered.
        only_at_clients: u64 = joined.only_at_clients,
        /// Requests that were not answered at the clients.
        unanswered: u64 = joined.unanswered,
        /// Of the times below, those in which clients waited for these.
        waited_in_vain: BetweenInVain = of(&joined.in_vain),
        /// Time of client, way and server, in client-ns: the base of the shares.
        active_ns: u64 = joined.active_ns(),
        /// Between requests, at the clients, and while others waited for one, ns.
        client_ns: u64 = joined.client_ns,
        /// Of that, in requests that waited until another client gave an oplock or a lease back.
        client_held_ns: u64 = joined.held_ns,
        /// On the way between both captures, lost frames included, ns.
        way_ns: u64 = joined.way_ns,
        /// From the whole request to the response, at the servers, ns.
        server_ns: u64 = joined.server_ns,
        /// Of requests that one capture alone has, or that nobody answered, ns; nobody's.
        unknown_ns: u64 = joined.unknown_ns,
        /// Pauses that count as idle, ns; no part of the active time.
        idle_ns: u64 = joined.idle_ns,
        /// In waits by design while nothing else was outstanding, ns; no part of the active time.
        waiting_ns: u64 = joined.waiting_ns,
        /// Of the way, that of requests of which a frame was lost, ns.
        way_with_lost_frames_ns: u64 = joined.lost_ns,
        /// Those requests.
        requests_with_lost_frames: u64 = joined.with_losses,
        /// What a request spent on the way, ns.
        way_of_a_request_ns: Spread<u64> = of(joined.way_of_a_request),
        /// What its turnaround was at the servers, ns.
        turnaround_ns: Spread<u64> = of(joined.turnaround),
        /// How the two clocks stand; null where that is not known.
        clock: Option<BetweenClock> = joined.clocks.map(of),
        /// By how much the clocks moved against each other at least; `clock` is null then.
        clocks_moved_ns: u64 = joined.clocks_moved_ns,
        /// Frames to the servers.
        to_servers: Lost<'a> = of(&joined.to_servers),
        /// Frames to the clients.
        to_clients: Lost<'a> = of(&joined.to_clients),
        /// What each capture says alone.
        alone: [Alone<'a>; 2] = [of((report.alone[0], first)), of((report.alone[1], second))],
        /// Rows of a kind sum to the whole.
        by_client: Vec<BetweenTime> = rows(|of| matches!(of, BetweenOf::Client(_))),
        /// By server.
        by_server: Vec<BetweenTime> = rows(|of| matches!(of, BetweenOf::Server(_))),
        /// By operation at a server.
        by_operation: Vec<BetweenTime> = rows(|of| matches!(of, BetweenOf::Operation { .. })),
        /// Frames and requests that were not looked at because there are too many.
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
        /// The capture.
        capture: &'a str = capture,
        /// Who had most of the time by it.
        culprit: &'static str = verdict.finding.name(),
        /// The base of the shares, ns.
        active_ns: u64,
        /// At least and at most, per mille of the active time.
        client_per_mille: [u64; 2] = share(Culprit::Client),
        /// At least and at most, per mille of the active time.
        network_per_mille: [u64; 2] = share(Culprit::Network),
        /// At least and at most, per mille of the active time.
        server_per_mille: [u64; 2] = share(Culprit::Server),
    }

    struct BetweenInVain of vain: &InVain {
        /// The request or its response was lost between the two, ns.
        way_ns: u64,
        /// With the server, ns.
        server_ns: u64,
        /// It is not known where, ns.
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
        /// The client.
        client: Option<String> = of(&client),
        /// The server.
        server: Option<String> = of(&server),
        /// Protocol of the operation.
        protocol: Option<&'static str> = operation.map(|(protocol, _)| *protocol),
        /// The specification's name of the operation.
        command: Option<String> = operation.map(|(_, command)| command.to_string()),
        /// The protocol's number for it.
        code: Option<u32> = operation.map(|(_, command)| command.code),
        /// Requests.
        requests: u64,
        /// The base of its shares, ns.
        active_ns: u64 = row.active_ns(),
        /// The clients' time, ns.
        client_ns: u64,
        /// On the way between both captures, ns.
        way_ns: u64,
        /// The servers' time, ns.
        server_ns: u64,
        /// Nobody's time, ns.
        unknown_ns: u64,
        /// Requests of which a frame was lost.
        requests_with_lost_frames: u64 = row.with_losses,
        /// By the clocks' difference; null where that is not known.
        request_way_ns: Option<Spread<i64>> = row.request_way.map(of),
        /// Turnaround at the servers, ns.
        turnaround_ns: Spread<u64> = of(row.turnaround),
        /// As `request_way_ns`, of the response.
        response_way_ns: Option<Spread<i64>> = row.response_way.map(of),
    }

    struct BetweenClock of clocks: Clocks {
        /// How far the clock of the second capture is ahead, ns; if it drifts, at the first frame that both have.
        second_ahead_ns: i64 = clocks.ahead_ns,
        /// How much the clock of the second capture gains, parts per billion; 0 where nothing shows that it drifts.
        drift_ppb: i64,
        /// By how much that may be wrong, ns.
        unsure_ns: i64,
        /// The shortest way forth and back, ns.
        shortest_round_trip_ns: i64 = clocks.shortest_round_ns,
    }

    struct Lost<'a> of lost: &'a LostFrames {
        /// Frames that the end that they come from has.
        sent: u64,
        /// Those of them that the other end does not have.
        lost: u64,
        /// The first of them, by their numbers at the end that they come from.
        first_lost_frames: &'a [u64] = &lost.first,
        /// Frames that the other end alone has.
        only_behind: u64 = lost.unseen,
        /// Frames of either capture that offload combined from several on the wire; counts above are of those on the wire.
        combined: u64,
    }
}

#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Spread<T> {
    /// The least.
    least: T,
    /// The median.
    median: T,
    /// The most.
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
        crate::schema::described(&schema);
    }
}

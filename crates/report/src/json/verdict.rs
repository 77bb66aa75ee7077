//! Keys `verdict` and `round_trips`.

use super::common::{Between, millionths, thousandths};
use crate::document::{documents, of};
use crate::escape::Escaped;
use crate::figures::Command;
use crate::time::Rfc3339;
use crate::verdict::{doubts, position, sentence};
use wirewait_analysis::{Bounds, RoundTrip};
use wirewait_judge::{BusyTime, Culprit, Verdict};

documents! {
    /// The answer in one sentence, and what it rests on.
    pub(super) struct Judged of verdict: &Verdict
    where
        let file = verdict.file.as_ref();
    {
        /// The verdict in words.
        sentence: String = sentence(verdict),
        /// `client`, `network`, `server`; `client_or_network`, `server_or_network`,
        /// `client_or_server` where the capture cannot tell which of the two; `none` where there is
        /// too little, or too much of it is unknown.
        culprit: &'static str = verdict.finding.name(),
        /// Parts of the active time, from and to.
        shares: Shares = of(verdict),
        /// The base of the shares.
        active_ns: u64,
        /// Time of which the capture cannot tell what it was; no part of the active time.
        unknown_ns: u64,
        /// Clients with active time.
        clients: u64,
        /// Requests with a response.
        answered: u64,
        /// The station with most of the time of those found; null where it says nothing.
        at: Option<String> = verdict.at.map(|(at, _)| at.to_string()),
        /// Its part of the time of those found, 0 to 1.
        at_share: Option<f64> = verdict.at.map(|(_, share)| thousandths(share)),
        /// The operation with most of that time there; null where it says nothing.
        command: Option<String> =
            verdict.operation.map(|of| Command { name: of.command, code: of.code }.to_string()),
        /// Its part of the time of those found, as `at_share` is the station's.
        command_share: Option<f64> = verdict.operation.map(|of| thousandths(of.thousandths)),
        /// File data that it moved by the time of it that is the network's or the server's, bytes per second: how fast, for each client
        /// that waits; null where it moved none, and where `culprit` is not `network`.
        command_bytes_per_second: Option<u64> = verdict.bytes_per_second,
        /// The file with most of that time, if it has a tenth, and half of what the share or the client below has.
        file: Option<String> = file.map(|file| Escaped(&file.path).to_string()),
        /// Its part of that time, 0 to 1.
        file_share: Option<f64> = file.map(|file| thousandths(file.thousandths)),
        /// The share with most of that time, if it has eight tenths, its server has others that were used, and no file is named.
        tree: Option<String> = verdict.tree.as_ref().map(|tree| Escaped(&tree.share).to_string()),
        /// Its part of that time, 0 to 1.
        tree_share: Option<f64> = verdict.tree.as_ref().map(|tree| thousandths(tree.thousandths)),
        /// The client whose requests most of that time is of, if it has eight tenths, there are several, and neither clients nor a file are named.
        waiting_client: Option<String> = verdict.waited.map(|(client, _)| client.to_string()),
        /// Its part of that time, 0 to 1.
        waiting_client_share: Option<f64> = verdict.waited.map(|(_, share)| thousandths(share)),
        /// For what transfers or turnarounds stood still that are the time of those found, if that is a tenth of it:
        /// `closed_window`, `break` (of another client's oplock or lease), `delayed_acknowledgement`, `stopped` (a sender
        /// in the middle of a message), `go_ahead` (a server that lets requests go on) or `rest` (a client that sends what
        /// follows).
        stall: Option<&'static str> = verdict.stall.map(|stall| stall.cause.name()),
        /// Whose time it is.
        stall_of: Option<&'static str> = verdict.stall.map(|stall| stall.of.name()),
        /// Its part of that time.
        stall_share: Option<f64> = verdict.stall.map(|stall| thousandths(stall.thousandths)),
        /// All of it, with the way between the station and the capture.
        stall_ns: Option<u64> = verdict.stall.map(|stall| stall.whole_ns),
        /// The client that acknowledged breaks late, or never, where `stall` is `break` and it alone did.
        stall_holder: Option<String> =
            verdict.stall.and_then(|stall| stall.holder).map(|holder| holder.to_string()),
        /// What most of the network's time was, where the network is named: `request_transfer`,
        /// `response_transfer`, `distance` or `retransmission`.
        phase: Option<&'static str> = verdict.phase.map(|(phase, _)| phase.name()),
        /// Its part of the network's time, 0 to 1.
        phase_share: Option<f64> = verdict.phase.map(|(_, share)| thousandths(share)),
        /// When most of the active time was, where that was a short time; else null.
        when: Option<When> = of(&verdict.when),
        /// Highest of any link in any second; null where no speed is known.
        peak_utilisation: Option<f64> = verdict.busiest.map(millionths),
        /// What of the network's time lies within turnarounds and pauses of the ledgers.
        on_the_way: VerdictWay = of(verdict),
        /// What speaks against the verdict, a sentence each.
        doubts: Vec<String> = doubts(verdict).collect(),
    }

    /// The time that stands out most from the rest of the capture, by the steps of `load.timeline`.
    struct When of busy: &BusyTime {
        /// When it began.
        from: Rfc3339 = Rfc3339(busy.from),
        /// When it ended.
        to: Rfc3339 = Rfc3339(busy.to),
        /// Its part of the active time, 0 to 1.
        active_share: f64 = thousandths(busy.thousandths),
        /// All steps of the time line, ns.
        of_ns: i64 = busy.of_ns,
    }

    /// Parts of the active time.
    struct Shares of verdict: &Verdict {
        /// Between requests, and stalls of clients.
        client: PerMille = of(verdict.share(Culprit::Client).thousandths),
        /// Transfers, loss recovery and known distance.
        network: PerMille = of(verdict.share(Culprit::Network).thousandths),
        /// Turnarounds without known distance.
        server: PerMille = of(verdict.share(Culprit::Server).thousandths),
    }

    /// A part of the active time, from and to.
    struct PerMille of bounds: Bounds {
        /// At least, per mille of the active time.
        low_per_mille: u64 = bounds.low,
        /// At most, per mille of the active time.
        high_per_mille: u64 = bounds.high,
    }

    struct VerdictWay of verdict: &Verdict
    where
        let way = &verdict.on_the_way;
    {
        /// Where the capture was made, in words; null where that is not known.
        sentence: Option<String> = position(verdict),
        /// The shortest round trip to a server; null where none is known.
        server: Option<Trip> = of(&way.server),
        /// The shortest round trip to a client; null where none is known.
        client: Option<Trip> = of(&way.client),
        /// Distance within turnarounds, in client-ns.
        in_turnarounds_ns: Between = of(way.in_turnarounds),
        /// Distance within clients' pauses, in client-ns.
        in_pauses_ns: Between = of(way.in_pauses),
        /// Within idle time, which is no part of the active time: loss recovery before the capture, if it is that.
        in_idle_ns: Between = of(way.in_idle),
    }

    /// The shortest round trip between the capture and a station.
    pub(super) struct Trip of trip: &RoundTrip {
        /// The station.
        station: String,
        /// Round trips that were seen.
        samples: u64,
        /// The shortest of them, ns.
        shortest_ns: i64,
        /// Frame that began it.
        asked_frame: u64 = trip.asked,
        /// Frame that ended it.
        answered_frame: u64 = trip.answered,
    }
}

//! Keys `verdict` and `round_trips`.

use super::common::{Between, millionths, thousandths};
use crate::document::{documents, of};
use crate::escape::Escaped;
use crate::figures::Command;
use crate::verdict::{doubts, position, sentence};
use wirewait_analysis::{Bounds, RoundTrip};
use wirewait_judge::{Culprit, Verdict};

documents! {
    /// The answer in one sentence, and what it rests on.
    pub(super) struct Judged of verdict: &Verdict
    where
        let file = verdict.file.as_ref();
    {
        sentence: String = sentence(verdict),
        /// `client`, `network`, `server`; `client_or_network`, `server_or_network`,
        /// `client_or_server` where the capture cannot tell which of the two; `none` where there is
        /// too little, or too much of it is unknown.
        culprit: &'static str = verdict.finding.name(),
        shares: Shares = of(verdict),
        /// The base of the shares.
        active_ns: u64,
        /// Time of which the capture cannot tell what it was; no part of the active time.
        unknown_ns: u64,
        clients: u64,
        answered: u64,
        at: Option<String> = verdict.at.map(|(at, _)| at.to_string()),
        at_share: Option<f64> = verdict.at.map(|(_, share)| thousandths(share)),
        command: Option<String> =
            verdict.operation.map(|of| Command { name: of.command, code: of.code }.to_string()),
        /// Its part of the time of those found, as `at_share` is the station's.
        command_share: Option<f64> = verdict.operation.map(|of| thousandths(of.thousandths)),
        /// The file with most of that time, if it has a tenth.
        file: Option<String> = file.map(|file| Escaped(&file.path).to_string()),
        file_share: Option<f64> = file.map(|file| thousandths(file.thousandths)),
        /// The share with most of that time, if it has eight tenths, its server has others that were used, and no file is named.
        tree: Option<String> = verdict.tree.as_ref().map(|tree| Escaped(&tree.share).to_string()),
        tree_share: Option<f64> = verdict.tree.as_ref().map(|tree| thousandths(tree.thousandths)),
        /// The client that waited for most of that time, if it has eight tenths, there are several, and neither clients nor a file are named.
        waiting_client: Option<String> = verdict.waited.map(|(client, _)| client.to_string()),
        waiting_client_share: Option<f64> = verdict.waited.map(|(_, share)| thousandths(share)),
        /// For what transfers or turnarounds stood still that are the time of those found, if that is a tenth of it:
        /// `closed_window`, `break` (of another client's oplock or lease), `delayed_acknowledgement` or `stopped` (a sender
        /// in the middle of a message).
        stall: Option<&'static str> = verdict.stall.map(|stall| stall.cause.name()),
        /// Whose time it is.
        stall_of: Option<&'static str> = verdict.stall.map(|stall| stall.of.name()),
        /// Its part of that time.
        stall_share: Option<f64> = verdict.stall.map(|stall| thousandths(stall.thousandths)),
        /// All of it, with the way between the station and the capture.
        stall_ns: Option<u64> = verdict.stall.map(|stall| stall.whole_ns),
        /// What most of the network's time was, where the network is named: `request_transfer`,
        /// `response_transfer`, `distance` or `retransmission`.
        phase: Option<&'static str> = verdict.phase.map(|(phase, _)| phase.name()),
        phase_share: Option<f64> = verdict.phase.map(|(_, share)| thousandths(share)),
        /// Highest of any link in any second; null where no speed is known.
        peak_utilisation: Option<f64> = verdict.busiest.map(millionths),
        /// What of the network's time lies within turnarounds and pauses of the ledgers.
        on_the_way: VerdictWay = of(verdict),
        doubts: Vec<String> = doubts(verdict).collect(),
    }

    /// Parts of the active time.
    struct Shares of verdict: &Verdict {
        client: PerMille = of(verdict.share(Culprit::Client).thousandths),
        network: PerMille = of(verdict.share(Culprit::Network).thousandths),
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
        sentence: Option<String> = position(verdict),
        server: Option<Trip> = of(&way.server),
        client: Option<Trip> = of(&way.client),
        in_turnarounds_ns: Between = of(way.in_turnarounds),
        in_pauses_ns: Between = of(way.in_pauses),
        /// Within idle time, which is no part of the active time: loss recovery before the capture, if it is that.
        in_idle_ns: Between = of(way.in_idle),
    }

    /// The shortest round trip between the capture and a station.
    pub(super) struct Trip of trip: &RoundTrip {
        station: String,
        samples: u64,
        shortest_ns: i64,
        asked_frame: u64 = trip.asked,
        answered_frame: u64 = trip.answered,
    }
}

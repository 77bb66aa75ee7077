//! Keys `verdict` and `round_trips`.

use crate::escape::Escaped;
use crate::figures::Command;
use serde::Serialize;
use wirewait_analysis::{Bounds, RoundTrip, Snapshot};
use wirewait_judge::{Culprit, Verdict};

/// The answer in one sentence, and what it rests on.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Judged {
    sentence: String,
    /// `client`, `network`, `server`; `client_or_network`, `server_or_network`,
    /// `client_or_server` where the capture cannot tell which of the two; `none` where there is
    /// too little, or too much of it is unknown.
    culprit: &'static str,
    shares: Shares,
    /// The base of the shares.
    active_ns: u64,
    /// Time of which the capture cannot tell what it was; no part of the active time.
    unknown_ns: u64,
    clients: u64,
    answered: u64,
    at: Option<String>,
    at_share: Option<f64>,
    command: Option<String>,
    /// Its part of the time of those found, as `at_share` is the station's.
    command_share: Option<f64>,
    /// The file with most of that time, if it has a tenth.
    file: Option<String>,
    file_share: Option<f64>,
    /// What most of the network's time was, where the network is named: `request_transfer`,
    /// `response_transfer`, `distance` or `retransmission`.
    phase: Option<&'static str>,
    phase_share: Option<f64>,
    /// Highest of any link in any second; null where no speed is known.
    peak_utilisation: Option<f64>,
    /// What of the network's time lies within turnarounds and pauses of the ledgers.
    on_the_way: VerdictWay,
    doubts: Vec<String>,
}

/// Parts of the active time.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Shares {
    client: PerMille,
    network: PerMille,
    server: PerMille,
}

/// Per mille of the active time, at least and at most.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct PerMille {
    low: u64,
    high: u64,
}

/// Nanoseconds, at least and at most.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Between {
    low: u64,
    high: u64,
}

impl From<Bounds> for Between {
    fn from(Bounds { low, high }: Bounds) -> Self {
        Self { low, high }
    }
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct VerdictWay {
    sentence: Option<String>,
    server: Option<Trip>,
    client: Option<Trip>,
    in_turnarounds_ns: Between,
    in_pauses_ns: Between,
    /// Within idle time, which is no part of the active time: loss recovery before the capture, if it is that.
    in_idle_ns: Between,
}

/// The shortest round trip between the capture and a station.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Trip {
    station: String,
    samples: u64,
    shortest_ns: i64,
    asked_frame: u64,
    answered_frame: u64,
}

impl From<&RoundTrip> for Trip {
    fn from(trip: &RoundTrip) -> Self {
        Self {
            station: trip.station.to_string(),
            samples: trip.samples,
            shortest_ns: trip.shortest_ns,
            asked_frame: trip.asked,
            answered_frame: trip.answered,
        }
    }
}

pub(super) fn judged(snapshot: &Snapshot) -> Judged {
    let verdict = Verdict::on(snapshot);
    let part = |thousandths: u64| thousandths as f64 / 1e3;
    let per_mille = |culprit| {
        let Bounds { low, high } = verdict.share(culprit).thousandths;
        PerMille { low, high }
    };
    Judged {
        sentence: crate::verdict::sentence(&verdict),
        culprit: verdict.finding.name(),
        shares: Shares {
            client: per_mille(Culprit::Client),
            network: per_mille(Culprit::Network),
            server: per_mille(Culprit::Server),
        },
        active_ns: verdict.active_ns,
        unknown_ns: verdict.unknown_ns,
        clients: verdict.clients,
        answered: verdict.answered,
        at: verdict.at.map(|(at, _)| at.to_string()),
        at_share: verdict.at.map(|(_, share)| part(share)),
        command: verdict.operation.map(|of| {
            Command {
                name: of.command,
                code: of.code,
            }
            .to_string()
        }),
        command_share: verdict.operation.map(|of| part(of.thousandths)),
        file: verdict
            .file
            .as_ref()
            .map(|file| Escaped(&file.path).to_string()),
        file_share: verdict.file.as_ref().map(|file| part(file.thousandths)),
        phase: verdict.phase.map(|(phase, _)| phase.name()),
        phase_share: verdict.phase.map(|(_, share)| part(share)),
        peak_utilisation: verdict.busiest.map(|millionths| millionths as f64 / 1e6),
        on_the_way: VerdictWay {
            sentence: crate::verdict::position(&verdict),
            server: verdict.on_the_way.server.as_ref().map(Trip::from),
            client: verdict.on_the_way.client.as_ref().map(Trip::from),
            in_turnarounds_ns: verdict.on_the_way.in_turnarounds.into(),
            in_pauses_ns: verdict.on_the_way.in_pauses.into(),
            in_idle_ns: verdict.on_the_way.in_idle.into(),
        },
        doubts: crate::verdict::doubts(&verdict).collect(),
    }
}

//! Keys `verdict` and `round_trips`.

use crate::figures::Command;
use serde::Serialize;
use wirewait_analysis::{RoundTrip, Snapshot};
use wirewait_judge::{Culprit, Verdict};

/// The answer in one sentence, and what it rests on.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Judged {
    sentence: String,
    /// `client`, `network` or `server`; null where there is too little to tell.
    culprit: Option<&'static str>,
    share: Option<f64>,
    active_ns: u64,
    clients: u64,
    answered: u64,
    at: Option<String>,
    at_share: Option<f64>,
    command: Option<String>,
    /// Highest of any link in any second; null where no speed is known.
    peak_utilisation: Option<f64>,
    /// What of the network's time lies within turnarounds and pauses of the ledgers.
    on_the_way: Way,
    doubts: Vec<String>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Way {
    sentence: Option<String>,
    server: Option<Trip>,
    client: Option<Trip>,
    in_turnarounds_ns: u64,
    in_pauses_ns: u64,
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
    Judged {
        sentence: crate::verdict::sentence(&verdict),
        culprit: verdict.culprit.map(Culprit::name),
        share: verdict.culprit.map(|_| part(verdict.share)),
        active_ns: verdict.active_ns,
        clients: verdict.clients,
        answered: verdict.answered,
        at: verdict.at.map(|(at, _)| at.to_string()),
        at_share: verdict.at.map(|(_, share)| part(share)),
        command: verdict
            .operation
            .map(|(_, name, code)| Command { name, code }.to_string()),
        peak_utilisation: verdict.busiest.map(|millionths| millionths as f64 / 1e6),
        on_the_way: Way {
            sentence: crate::verdict::position(&verdict),
            server: verdict.on_the_way.server.as_ref().map(Trip::from),
            client: verdict.on_the_way.client.as_ref().map(Trip::from),
            in_turnarounds_ns: verdict.on_the_way.in_turnarounds_ns,
            in_pauses_ns: verdict.on_the_way.in_pauses_ns,
        },
        doubts: crate::verdict::doubts(&verdict).collect(),
    }
}

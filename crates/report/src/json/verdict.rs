//! Key `verdict`.

use crate::figures::Command;
use serde::Serialize;
use wirewait_analysis::{Culprit, Snapshot, Verdict};

/// The answer in one sentence, and what it rests on.
#[derive(Serialize)]
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
    doubts: Vec<String>,
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
        doubts: crate::verdict::doubts(&verdict).collect(),
    }
}

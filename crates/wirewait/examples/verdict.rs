//! Where the time of a capture went, and what else is wrong: `cargo run --example verdict FILE...`

use std::path::PathBuf;
use wirewait::{Culprit, Settings, SourceError, Verdict, analyse};
use wirewait_capture::{Options, open};

fn main() -> Result<(), SourceError> {
    let files: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    for line in verdict(&files)? {
        println!("{line}");
    }
    Ok(())
}

/// A line for the finding, for each of client, network and server, and for each symptom.
pub(crate) fn verdict(files: &[PathBuf]) -> Result<Vec<String>, SourceError> {
    let source = open(files, &Options::default())?;
    // Damage is passed over: what is behind it counts.
    let snapshot = analyse(source, Settings::default(), &mut (), |_| ())?;
    let verdict = Verdict::on(&snapshot);
    let mut lines = vec![format!(
        "{} of {} ns active",
        verdict.finding.name(),
        verdict.active_ns
    )];
    for (culprit, share) in Culprit::ALL.into_iter().zip(verdict.shares) {
        // No capture knows all: the share is at least this, and at most that.
        let per_mille = share.thousandths;
        lines.push(format!(
            "{}: {} to {} thousandths",
            culprit.name(),
            per_mille.low,
            per_mille.high
        ));
    }
    for symptom in snapshot.symptoms.raised() {
        lines.push(format!(
            "{}: {} ns lost",
            symptom.rule.id, symptom.hits.cost_ns
        ));
    }
    Ok(lines)
}

//! The published experiments, made again: each figure of the sources comes out of the
//! analysis, at the precision in which it is printed.
//!
//! What must come out is taken from the source, or computed from what the programs of the
//! stations measured in the simulation ([`Call`]); never from the analyser. What the analyser
//! gets is the capture as a file has it.

mod bridges;
mod lans;
mod netbench;
mod nt;
mod wells;

use crate::support::{Analysis, Run, analyse_source, root};
use wirewait_analysis::Snapshot;
use wirewait_capture::{Files, Options};
use wirewait_synth::Scenario;
use wirewait_synth::scenario::Call;

/// A study: the simulation, and what the analysis makes of its capture.
pub(crate) struct Study {
    pub(crate) scenario: Scenario,
    pub(crate) analysis: Analysis,
}

impl Study {
    /// `captures/studies/NAME.scenario`
    pub(crate) fn of(name: &str) -> Self {
        Self::changed(name, |text| text)
    }

    /// The same with other lines.
    pub(crate) fn changed(name: &str, change: impl FnOnce(String) -> String) -> Self {
        let path = root().join(format!("captures/studies/{name}.scenario"));
        let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{name}: {e}"));
        let scenario = Scenario::parse(name, &change(text)).unwrap_or_else(|e| panic!("{e}"));
        let reader = Box::new(std::io::Cursor::new(scenario.pcapng()));
        let mut source = Files::from_reader(name, reader, &Options::default()).unwrap();
        Self {
            analysis: analyse_source(&mut source),
            scenario,
        }
    }

    /// What the analysis makes of a part of the capture, in seconds from its beginning.
    pub(crate) fn within(&self, from: f64, to: f64) -> Snapshot {
        let frames = self.scenario.frames();
        let mut run = Run::new();
        for frame in frames {
            let at = frame.at.since(frames[0].at) as f64 / 1e9;
            if (from..to).contains(&at) {
                run.frame(&frame.as_frame());
            }
        }
        run.finish().snapshot
    }

    pub(crate) fn snapshot(&self) -> &Snapshot {
        &self.analysis.snapshot
    }

    /// What programs measured, the opening of files apart.
    pub(crate) fn calls(&self) -> impl Iterator<Item = &Call> + Clone {
        let calls = self.scenario.calls().iter();
        calls.filter(|call| call.verb != "open")
    }
}

/// Response time of a request that was answered, ns.
pub(crate) fn waited(call: &Call) -> Option<i64> {
    Some(call.answered?.as_nanos() - call.asked.as_nanos())
}

/// S = N x M / T: bytes of all stations together per second of the time from the first
/// request to the last answer.
pub(crate) fn bytes_per_second<'a>(calls: impl Iterator<Item = &'a Call> + Clone) -> f64 {
    let first = calls.clone().map(|call| call.asked.as_nanos()).min();
    let last = calls.clone().filter_map(|call| call.answered);
    let last = last.map(|at| at.as_nanos()).max();
    let bytes: u64 = calls.map(|call| call.bytes).sum();
    bytes as f64 * 1e9 / (last.unwrap() - first.unwrap()) as f64
}

/// Whether two figures are the same to one part in so many.
#[track_caller]
pub(crate) fn assert_near(what: &str, found: f64, expected: f64, parts: f64) {
    assert!(
        (found - expected).abs() <= expected.abs() / parts,
        "{what}: {found}, expected {expected}"
    );
}

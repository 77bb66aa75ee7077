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

use crate::support::{Analysis, Folder, Run, analyse_source, root};
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

/// What a paper concludes is the first line of the command that repeats it (`scripts/studies.sh` prints
/// them): base and other, further arguments, how the line begins, and what it says besides.
const CONCLUSIONS: &[(&str, &str, &[&str], &str, &str)] = &[
    // "A 41 percent decrease in throughput."
    (
        "bridges/none",
        "bridges/external-1",
        &[],
        "Slower: ",
        "41.4 % less",
    ),
    // "Both operate the bridging function equally well."
    (
        "bridges/internal-215-386-dedicated",
        "bridges/internal-30-dedicated",
        &[],
        "No change: ",
        "0.5 % faster",
    ),
    // 2.2 ms and 0.8 ms, with the pause of the client.
    (
        "wells/interface-qio",
        "wells/interface-kernel",
        &[],
        "Faster: ",
        "44.1 %",
    ),
    // 1434 s and 1091 s; 212 s and 163 s.
    (
        "wells/all-io-4-decnet",
        "wells/all-io-4-last",
        &[],
        "Faster: ",
        "",
    ),
    ("wells/tp-5-decnet", "wells/tp-5-last", &[], "Faster: ", ""),
    // The transport has no effect on the copy of a tree.
    (
        "wells/xcopy-to-client-last",
        "wells/xcopy-to-client-decnet",
        &[],
        "No change: ",
        "",
    ),
    // "A value equivalent to that of 3Server"; "about three times higher".
    (
        "lans/novell-30k-read",
        "lans/3server-30k-read",
        &[],
        "No change: ",
        "",
    ),
    // At each load the other moves 57 to 65 % less; all loads with the same weight, 62.9 % by hand from the
    // figures of steady loads, and ramps are in the captures, too.
    (
        "lans/novell-6k-read",
        "lans/3server-6k-read",
        &[],
        "Slower: with as many stations active (1 to 15) ",
        "63.0 % less",
    ),
    (
        "lans/3server-750-read",
        "lans/novell-750-read",
        &["--peak"],
        "At its peak ",
        "201.2 % more",
    ),
    // "45 % more throughput at 45 clients", "84 % more transactions per second".
    (
        "netbench/netbench-prosignia",
        "netbench/netbench-netfinity",
        &["--at-load", "45"],
        "With 45 stations active ",
        "45.7 % more",
    ),
    (
        "netbench/serverbench-prosignia",
        "netbench/serverbench-netfinity",
        &["--peak"],
        "At its peak ",
        "84.0 % more",
    ),
];

#[test]
fn the_papers_conclusions_are_the_first_line_of_a_comparison() {
    let folder = Folder::new("studies");
    for (base, other, arguments, begins, says) in CONCLUSIONS {
        let files = [base, other].map(|name| {
            let path = root().join(format!("captures/studies/{name}.scenario"));
            let scenario = Scenario::parse(name, &std::fs::read_to_string(path).unwrap());
            let file = folder.join(format!("{}.pcapng", name.replace('/', "-")));
            std::fs::write(&file, scenario.unwrap().pcapng()).unwrap();
            file
        });
        let output = crate::support::program()
            .arg("compare")
            .args(&files)
            .args(*arguments)
            .output()
            .unwrap();
        let shown = String::from_utf8(output.stdout).unwrap();
        let first = shown.lines().next().unwrap_or_default();
        assert!(
            first.starts_with(begins) && first.contains(says),
            "{other}: {first}"
        );
    }
}

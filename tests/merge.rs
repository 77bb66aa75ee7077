//! Summaries of parts add up to that of the whole, whichever conversations are in which part.

use crate::counters::python;
use crate::support::Folder;
use crate::support::{captures, files, root};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use wirewait::Driver;
use wirewait_analysis::{Analyzer, Settings, Summary};
use wirewait_dissectors::registry;
use wirewait_synth::Random;
use wirewait_wire::{
    Address, Carries, Cast, Depth, Endpoint, Frame, LinkType, Source, Timestamp, Walk,
};

struct Record {
    at: Timestamp,
    link: LinkType,
    interface: u32,
    wire_len: u32,
    bytes: Vec<u8>,
    /// Who talks with whom: frames of one group belong together.
    group: usize,
}

/// Stations that talk with each other, directly or through others, have one root.
#[derive(Default)]
struct Groups {
    of: BTreeMap<Endpoint, usize>,
    parents: Vec<usize>,
}

impl Groups {
    fn root(&self, mut at: usize) -> usize {
        while self.parents[at] != at {
            at = self.parents[at];
        }
        at
    }

    fn station(&mut self, station: Endpoint) -> usize {
        let next = self.parents.len();
        let at = *self.of.entry(station).or_insert(next);
        if at == next {
            self.parents.push(next);
        }
        at
    }

    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.root(one), self.root(other));
        self.parents[other] = one;
    }
}

fn read(path: &Path) -> Vec<Record> {
    let registry = registry();
    let mut source = wirewait_capture::open(&[path.to_owned()], &Default::default()).unwrap();
    let (mut records, mut groups) = (Vec::new(), Groups::default());
    let mut walk = Walk::default();
    while let Ok(Some(frame)) = source.next_frame() {
        registry.walk(&frame, Depth::Handover, &mut walk);
        let group = groups.station(walk.facts.from.station());
        if walk.facts.cast == Cast::Unicast {
            let to = groups.station(walk.facts.to.station());
            groups.join(group, to);
        }
        // Clients with several protocols are told by their link address.
        let mut same = |station: Address| {
            let link = groups.station(Endpoint::at(station));
            groups.join(group, link);
        };
        same(walk.neighbours.0);
        if let Address::Node { node, .. } = walk.facts.from.address {
            same(Address::Mac(node));
        }
        // What answers for a station's address says how far it is.
        if let Carries::Probe(probe) = walk.facts.carries
            && let Some(of) = probe.of
        {
            let of = groups.station(Endpoint::at(of));
            groups.join(group, of);
        }
        records.push(Record {
            at: frame.at,
            link: frame.link,
            interface: frame.interface,
            wire_len: frame.wire_len,
            bytes: frame.bytes.to_vec(),
            group,
        });
    }
    for record in &mut records {
        record.group = groups.root(record.group);
    }
    records
}

fn summary<'a>(records: impl Iterator<Item = &'a Record>, over: Timestamp) -> Summary {
    let mut driver = Driver::new(Analyzer::new(registry(), Settings::default()));
    for record in records {
        let frame = Frame {
            at: record.at,
            link: record.link,
            interface: record.interface,
            wire_len: record.wire_len,
            bytes: &record.bytes,
        };
        driver.frame(&frame, &mut ());
    }
    // A part that falls silent early knows that time went on.
    driver.advance(over, &mut ());
    driver.finish(&mut ());
    Summary::of(&driver.snapshot())
}

#[test]
fn parts_add_up_to_the_whole() {
    let mut paths: Vec<PathBuf> = vec![root().join("captures/demo.pcapng")];
    if let Some(folder) = captures("parts_add_up_to_the_whole") {
        let lab = files(&folder.join("lab"));
        let real = files(&folder.join("real"));
        paths.extend(lab.into_iter().chain(real).filter(|path| {
            let named = |end| path.extension().is_some_and(|e| e == end);
            let small = path.metadata().is_ok_and(|m| m.len() < 1_000_000);
            small && (named("pcap") || named("pcapng") || named("cap"))
        }));
    }
    let mut dice = Random::new(7);
    let (mut cut, mut transactions) = (0, 0);
    for path in paths {
        if wirewait_capture::open(std::slice::from_ref(&path), &Default::default()).is_err() {
            continue;
        }
        let records = read(&path);
        let stepped = records.windows(2).any(|pair| pair[1].at < pair[0].at);
        let mut groups: Vec<usize> = records.iter().map(|r| r.group).collect();
        groups.sort_unstable();
        groups.dedup();
        // Where the clock steps back each part has its own steps.
        if stepped || groups.len() < 2 {
            continue;
        }
        let over = records.last().unwrap().at;
        let whole = summary(records.iter(), over);
        let parts = 2 + dice.below(3) as usize;
        let part: BTreeMap<usize, usize> = groups
            .iter()
            .map(|group| (*group, dice.below(parts as u64) as usize))
            .collect();
        let mut sum = Summary::default();
        for n in (0..parts).rev() {
            sum.merge(&summary(
                records.iter().filter(|r| part[&r.group] == n),
                over,
            ));
        }
        // How many parts there were, and which, is not the whole's.
        let seen = |summary: &Summary| -> Vec<_> {
            let list = summary.sightings.list().iter();
            list.map(|s| (s.conversation, s.first, s.last)).collect()
        };
        assert_eq!(seen(&sum), seen(&whole), "{}", path.display());
        assert_eq!(sum.sightings.common().twice, 0, "{}", path.display());
        assert!(sum.parts == parts as u64 && sum.covered_ns <= whole.covered_ns * sum.parts);
        sum.parts = whole.parts;
        sum.covered_ns = whole.covered_ns;
        sum.sightings = whole.sightings.clone();
        assert_eq!(sum, whole, "{}", path.display());
        cut += 1;
        transactions += whole
            .operations
            .values()
            .map(|row| row.counts.requests)
            .sum::<u64>();
    }
    assert!(cut >= 1 && transactions > 1000, "{cut} {transactions}");
    println!("merge: {cut} captures in parts, {transactions} transactions");
}

/// What the program prints; it has to do so without a word of complaint.
fn run(args: &[&str]) -> Vec<u8> {
    let output = Command::new(env!("CARGO_BIN_EXE_wirewait"))
        .args(args)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{args:?}: {said}");
    output.stdout
}

/// Three captures, at once or one after the other, in any order: the same bytes.
#[test]
fn sums_do_not_depend_on_the_order_or_on_who_adds() {
    let folder = Folder::new("merge");
    let names = ["demo", "smb2/session", "nbf/example"];
    let captures: Vec<PathBuf> = names
        .iter()
        .map(|name| root().join("captures").join(name).with_extension("pcapng"))
        .collect();
    let mut summaries = Vec::new();
    for (n, capture) in captures.iter().enumerate() {
        let summary = folder.file(&format!("{n}.json"), b"");
        let (capture, path) = (capture.to_str().unwrap(), summary.to_str().unwrap());
        let plain = run(&["report", capture]);
        assert_eq!(run(&["report", capture, "--summary", path]), plain);
        summaries.push(summary);
    }
    let [a, b, c] = [0, 1, 2].map(|n| summaries[n].to_str().unwrap());
    let sum = run(&["merge", "--format", "json", a, b, c]);
    assert_eq!(run(&["merge", "--format", "json", c, a, b]), sum);
    let two = folder.file("two.json", &run(&["merge", "--format", "json", c, b]));
    assert_eq!(
        run(&["merge", "--format", "json", a, two.to_str().unwrap()]),
        sum
    );
    let text = run(&["merge", a, b, c]);
    assert!(text.starts_with(b"Sum of 3 analyses"));
    let files: Vec<&str> = captures.iter().map(|path| path.to_str().unwrap()).collect();
    for workers in ["1", "2", "5"] {
        for turn in 0..3 {
            let mut args = vec!["report", "--parallel", workers, "--format", "json"];
            args.extend(files.iter().cycle().skip(turn).take(3));
            assert_eq!(run(&args), sum, "{workers} workers, from {turn}");
            args[4] = "text";
            assert_eq!(run(&args), text, "{workers} workers, from {turn}");
        }
    }
    // The very same capture twice is noticed.
    let twice = String::from_utf8(run(&["merge", a, a])).unwrap();
    assert!(twice.contains("quality: poor"), "{twice}");
    assert!(twice.contains("the very same part"), "{twice}");
}

/// What a summary says is what the report says, as Python reads both; and it is as the published
/// schema says.
#[test]
fn a_summary_holds_the_figures_of_the_report() {
    let test = "a_summary_holds_the_figures_of_the_report";
    let folder = Folder::new("summary");
    let schema = root().join("schemas/summary.schema.json");
    let mut judged = 0;
    for name in ["demo", "smb2/session", "nbf/example", "spx/spx2"] {
        let capture = root().join("captures").join(name).with_extension("pcapng");
        let summary = folder.file("summary.json", b"");
        let (capture, path) = (capture.to_str().unwrap(), summary.to_str().unwrap());
        let report = run(&["report", "--format", "json", capture, "--summary", path]);
        let program = format!(
            "import json, sys, jsonschema\n\
             schema = json.load(open({schema:?}))\n\
             report, summary = json.load(sys.stdin), json.load(open({path:?}))\n\
             jsonschema.Draft202012Validator.check_schema(schema)\n\
             jsonschema.Draft202012Validator(schema).validate(summary)\n\
             assert summary['frames'] == report['capture']['frames']\n\
             assert summary['bytes'] == report['capture']['bytes']\n\
             assert summary['grade'] == report['capture']['quality']['grade']\n\
             protocols = {{p['protocol']: p['frames'] for p in summary['protocols']}}\n\
             assert protocols == report['protocols']\n\
             rows = lambda d: list((r['protocol'], r['carrier'], r['code'], r['data_bytes'],\n\
             \x20   r.get('outcomes', r)['requests'], r.get('outcomes', r)['answered'],\n\
             \x20   [[r[t][k] for k in ('n', 'min_ns', 'p50_ns', 'p90_ns', 'p95_ns', 'p99_ns',\n\
             \x20       'max_ns', 'mean_ns', 'total_ns')] for t in ('turnaround', 'response_time')])\n\
             \x20   for r in d['servers'])\n\
             key = lambda r: json.dumps(r)\n\
             assert sorted(rows(summary), key=key) == sorted(rows(report), key=key)\n\
             assert len(summary['stations']) == len(report['stations'])\n\
             print(len(summary['servers']))"
        );
        let Some(rows) = python(test, &["json", "jsonschema"], &program, &report) else {
            return;
        };
        judged += rows.trim().parse::<u32>().unwrap();
    }
    assert!(judged > 20, "only {judged} rows");
}

/// Warnings come in the order of the captures, however long each takes.
#[test]
fn warnings_do_not_depend_on_who_is_first() {
    let folder = Folder::new("parallel-warnings");
    let whole = std::fs::read(root().join("captures/demo.pcapng")).unwrap();
    // The first takes longest.
    let lengths = [whole.len() - 9, 9001, 7001, 5001, 3001];
    let names = ["a", "b", "c", "d", "e"];
    let cut: Vec<PathBuf> = names
        .iter()
        .zip(lengths)
        .map(|(name, length)| folder.file(name, &whole[..length]))
        .collect();
    let run = |workers: &str, files: &[&PathBuf]| {
        let mut command = crate::support::program();
        command.args(["--no-config", "report", "--parallel", workers]);
        let output = command.args(files).output().unwrap();
        (
            output.status.code(),
            String::from_utf8(output.stderr).unwrap(),
        )
    };
    let all: Vec<&PathBuf> = cut.iter().collect();
    let one = run("1", &all);
    assert_eq!(one.0, Some(3));
    let told: Vec<&str> = one.1.lines().collect();
    assert_eq!(told.len(), 5, "{told:?}");
    for (line, path) in told.iter().zip(&cut) {
        assert!(line.contains(path.to_str().unwrap()), "{line}");
    }
    let backwards: Vec<&PathBuf> = all.iter().rev().copied().collect();
    for workers in ["2", "5"] {
        assert_eq!(run(workers, &all), one, "{workers} workers");
        assert_eq!(run(workers, &backwards), one, "{workers} workers");
    }
    // One in the middle is no capture: what is before it is told, and nothing behind it.
    std::fs::write(&cut[2], b"GIF89a and so on").unwrap();
    let failed = run("1", &all);
    assert_eq!(
        (failed.0, failed.1.lines().count()),
        (Some(1), 3),
        "{failed:?}"
    );
    for workers in ["2", "5"] {
        assert_eq!(run(workers, &all), failed, "{workers} workers");
    }
}

/// Summaries of parts, an interval each, and the sum of all intervals is that of `merge` alone.
#[test]
fn by_time_each_interval_has_its_parts() {
    let folder = Folder::new("by-time");
    let demo = root().join("captures/demo.pcapng");
    let demo = demo.to_str().unwrap();
    // The demo begins at 09:00:00 and ends at 09:01:22.
    let spans = [("0", "60"), ("60", "120")];
    let mut parts = Vec::new();
    for (n, (since, until)) in spans.iter().enumerate() {
        let path = folder.file(&format!("{n}.json"), b"");
        let summary = path.to_str().unwrap();
        run(&[
            "report",
            demo,
            "--since",
            since,
            "--until",
            until,
            "--summary",
            summary,
        ]);
        parts.push(summary.to_owned());
    }
    let with = |options: &[&str]| {
        let mut args = vec!["merge", "--format", "json"];
        args.extend(parts.iter().map(String::as_str));
        args.extend(options);
        let value: serde_json::Value = serde_json::from_slice(&run(&args)).unwrap();
        value
    };
    let frames = |summary: &serde_json::Value| summary["frames"].as_u64().unwrap();
    let minutes = with(&["--by", "1min"]);
    let minutes = minutes["buckets"].as_array().unwrap();
    let alone: Vec<u64> = parts
        .iter()
        .map(|part| frames(&serde_json::from_slice(&std::fs::read(part).unwrap()).unwrap()))
        .collect();
    let found: Vec<u64> = minutes.iter().map(|b| frames(&b["summary"])).collect();
    assert_eq!(found, alone);
    assert!(found.iter().all(|frames| *frames > 0), "{found:?}");
    let starts = minutes
        .iter()
        .map(|bucket| bucket["start"].as_str().unwrap());
    for start in starts {
        assert!(
            start.starts_with("1999-03-01T09:0") && start.ends_with(":00.000000000Z"),
            "{start}"
        );
    }
    // Longer than all of it: the sum of all.
    let hours = with(&["--by", "1h"]);
    assert_eq!(hours["buckets"].as_array().unwrap().len(), 1);
    assert_eq!(hours["buckets"][0]["summary"], with(&[]));
}

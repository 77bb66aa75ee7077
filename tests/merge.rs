//! Summaries of parts add up to that of the whole, whichever conversations are in which part.

use crate::support::{captures, files, root};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use wirewait_analysis::{Analyzer, Settings, Summary};
use wirewait_dissectors::registry;
use wirewait_synth::Random;
use wirewait_wire::{Cast, Depth, Endpoint, Frame, LinkType, Source, Timestamp, Walk};

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
    let mut analyzer = Analyzer::new(registry(), Settings::default());
    for record in records {
        let frame = Frame {
            at: record.at,
            link: record.link,
            interface: record.interface,
            wire_len: record.wire_len,
            bytes: &record.bytes,
        };
        analyzer.frame(&frame, &mut ());
    }
    // A part that falls silent early knows that time went on.
    analyzer.advance(over, &mut ());
    analyzer.finish(&mut ());
    Summary::of(&analyzer.snapshot())
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

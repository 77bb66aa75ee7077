//! Frames of each protocol, as many as tshark finds, in every real capture.
//!
//! `oracle/protocols.list` holds tshark's counts (its protocol hierarchy, made by
//! `oracle/protocols.sh`). `oracle/protocols.differ` holds what differs and why: capture,
//! tshark's protocol, our count, the rule.

use crate::columns::is_read;
use crate::support::{PROTOCOLS, analyse, captures, root};
use std::collections::BTreeMap;
use std::fmt::Write as _;

#[test]
fn frames_of_each_protocol_are_as_many_as_tsharks() {
    let Some(folder) = captures("frames of each protocol") else {
        return;
    };
    let oracle = root().join("tests/oracle");
    let list = std::fs::read_to_string(oracle.join("protocols.list")).unwrap();
    let mut theirs: BTreeMap<&str, BTreeMap<&str, u64>> = BTreeMap::new();
    for line in list.lines() {
        let [capture, protocol, frames] = cells(line);
        let frames = frames.parse().unwrap();
        theirs.entry(capture).or_default().insert(protocol, frames);
    }
    let known = std::fs::read_to_string(oracle.join("protocols.differ")).unwrap();
    let mut known: BTreeMap<(&str, &str), (u64, &str)> = known
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| {
            let [capture, protocol, ours, rule] = cells(line);
            ((capture, protocol), (ours.parse().unwrap(), rule))
        })
        .collect();
    let mut same = 0;
    let mut rules: BTreeMap<&str, u64> = BTreeMap::new();
    let mut wrong = String::new();
    for (capture, theirs) in &theirs {
        let path = folder.join(capture);
        if !is_read(&path) {
            continue;
        }
        let snapshot = analyse(&[path]).unwrap().snapshot;
        let ours: BTreeMap<&str, u64> = snapshot.protocols.iter().copied().collect();
        for (protocol, name) in PROTOCOLS {
            let theirs = theirs.get(protocol).copied().unwrap_or(0);
            let ours = ours.get(name).copied().unwrap_or(0);
            match known.remove(&(*capture, *protocol)) {
                None if ours == theirs => same += u64::from(theirs > 0),
                Some((count, rule)) if count == ours && ours != theirs => {
                    *rules.entry(rule).or_default() += 1;
                }
                _ => writeln!(wrong, "{capture}\t{protocol}\t{ours}\ttshark {theirs}").unwrap(),
            }
        }
    }
    println!("frames of a protocol in a capture: {same} counts are tshark's");
    for (rule, n) in &rules {
        println!("  {n} differ: {rule}");
    }
    assert!(wrong.is_empty(), "counts differ:\n{wrong}");
    assert!(known.is_empty(), "nothing there to differ: {known:?}");
    assert!(same > 800, "only {same} counts");
}

fn cells<const N: usize>(line: &str) -> [&str; N] {
    let cells: Vec<&str> = line.split('\t').collect();
    cells
        .try_into()
        .unwrap_or_else(|_| panic!("{N} cells: {line}"))
}

//! The same pairs as tshark, to the nanosecond, on real captures.
//!
//! `oracle/*.tsv` hold what tshark 4.0.17 finds (`refresh.sh` makes them): the frame that
//! completes a request, the one that completes its response, and the time between them,
//! which is our t4 - t2. Where tshark measures something else by its nature, the kind of
//! difference is named and counted; a difference of no such kind fails the test.

use crate::support::{analyse, assert_frames_close, captures, root};
use std::collections::{BTreeMap, HashMap};
use wirewait_analysis::{Outcome, Transaction};

/// A pair as tshark has it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Pair {
    request: u64,
    response: u64,
    ns: i64,
}

fn pair(t: &Transaction) -> Option<Pair> {
    let (request, response) = (t.request?.last, t.response?.last);
    Some(Pair {
        request: request.frame,
        response: response.frame,
        ns: response.at.since(request.at),
    })
}

/// Why tshark's value is not t4 - t2 of one of our transactions.
fn explain(theirs: Pair, transactions: &[Transaction]) -> Option<&'static str> {
    let touches = |t: &&Transaction| {
        t.request
            .is_some_and(|r| (r.first.frame..=r.last.frame).contains(&theirs.request))
    };
    for t in transactions.iter().filter(touches) {
        let request = t.request?;
        let Some(response) = t.response else {
            if t.interims > 0 {
                return Some("an interim answer timed as if it were the answer");
            }
            continue;
        };
        let (first, last) = (response.first.frame, response.last.frame);
        if t.interims > 0 && theirs.response < last {
            return Some("an interim answer timed as if it were the answer");
        }
        if t.operation.name == "WRITE_RAW" {
            return Some("WRITE_RAW timed to the go-ahead");
        }
        if request.last.frame == theirs.request && (first..last).contains(&theirs.response) {
            return Some("one of several parts of an answer timed as if it were all");
        }
        if theirs.request < request.last.frame && theirs.response == last {
            return Some("timed from the first part of the request, not from its end");
        }
        if request.last.frame == theirs.request && theirs.response > last {
            return Some("a part of a compound timed to the end of the compound");
        }
        if request.last.frame == theirs.request && theirs.response == last && t.copies > 1 {
            return Some("a repeated request timed from its last copy");
        }
    }
    // Only of NetXRay and Sniffer Pro files: elsewhere tshark reckons in integers.
    let nearly = |ours: Pair| {
        (ours.request, ours.response) == (theirs.request, theirs.response)
            && ours.ns.abs_diff(theirs.ns) == 1
    };
    if transactions.iter().filter_map(pair).any(nearly) {
        return Some("a nanosecond off, from ticks reckoned in floating point");
    }
    let interim = |t: &Transaction| t.first_interim.is_some_and(|m| m.frame == theirs.response);
    if transactions.iter().any(interim) {
        return Some("an interim answer timed as if it were the answer");
    }
    let cancelled = |t: &&Transaction| {
        t.outcome == Outcome::Cancelled
            && t.response.is_some_and(|r| r.last.frame == theirs.response)
    };
    if transactions.iter().any(|t| cancelled(&t)) {
        return Some("a cancelled request timed from the cancel");
    }
    let copied = transactions
        .iter()
        .any(|t| t.copies > 1 && t.response.is_some_and(|r| r.last.frame == theirs.response));
    copied.then_some("a repeated request timed from its last copy")
}

#[test]
fn the_same_pairs_as_tshark() {
    let Some(captures) = captures("the same pairs as tshark") else {
        return;
    };
    let mut compared = 0;
    let mut same = 0;
    let mut ours_only = 0;
    let mut reasons: BTreeMap<&'static str, u64> = BTreeMap::new();
    let mut unread = Vec::new();
    let mut unexplained = Vec::new();
    let mut files = 0;
    for table in crate::support::files(&root().join("tests/oracle")) {
        let name = table.file_name().unwrap().to_string_lossy().into_owned();
        let Some(name) = name.strip_suffix(".tsv") else {
            continue;
        };
        let (folder, file) = name.split_once("__").unwrap();
        let path = captures.join(folder).join(file);
        assert!(path.exists(), "{} is not there", path.display());
        let analysis = match analyse(&[path]) {
            Ok(analysis) => analysis,
            Err(error) => {
                assert!(
                    error.contains("does not read") || error.contains("not a capture file"),
                    "{error}"
                );
                unread.push(file.to_owned());
                continue;
            }
        };
        files += 1;
        assert_frames_close(name, &analysis.snapshot);
        let mut ours: HashMap<Pair, u64> = HashMap::new();
        for found in analysis.transactions.iter().filter_map(pair) {
            *ours.entry(found).or_default() += 1;
        }
        for line in std::fs::read_to_string(&table).unwrap().lines() {
            let fields: Vec<&str> = line.split('\t').collect();
            let theirs = Pair {
                request: fields[1].parse().unwrap(),
                response: fields[2].parse().unwrap(),
                ns: fields[3].parse().unwrap(),
            };
            compared += 1;
            match ours.get_mut(&theirs) {
                Some(n) if *n > 0 => {
                    *n -= 1;
                    same += 1;
                }
                _ => match explain(theirs, &analysis.transactions) {
                    Some(reason) => *reasons.entry(reason).or_default() += 1,
                    None => unexplained.push(format!("{name}: {theirs:?}")),
                },
            }
        }
        ours_only += ours.values().sum::<u64>();
    }
    println!("tshark's pairs compared, in {files} captures: {compared}; the same: {same}");
    println!("pairs that only wirewait finds or times otherwise: {ours_only}");
    for (reason, n) in &reasons {
        println!("  tshark differs {n} times: {reason}");
    }
    println!(
        "captures in formats that are not read yet: {}",
        unread.join(", ")
    );
    assert!(
        unexplained.is_empty(),
        "{} pairs of tshark's without explanation:\n{}",
        unexplained.len(),
        unexplained.join("\n")
    );
    assert!(compared > 25_000, "only {compared} pairs were compared");
}

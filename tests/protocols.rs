//! What `wirewait protocols` says is counted: the table of evidence, what is decoded, put in
//! order and paired.

use crate::support::{analyse, captures, files, root};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;
use std::path::Path;
use wirewait_capture::Options;
use wirewait_dissectors::{ALL, EVIDENCE, registry};
use wirewait_wire::{Depth, Evidence, Facts, Order, Source, Verified, Walk};

/// Frames with a layer of each protocol, and the protocols that put data in order, in the
/// captures of a folder.
#[derive(Default)]
struct Seen {
    files: BTreeMap<&'static str, u64>,
    frames: BTreeMap<&'static str, u64>,
    order: BTreeSet<&'static str>,
}

impl Seen {
    fn folder(&mut self, folder: &Path) {
        let registry = registry();
        let mut walk = Walk::default();
        for path in files(folder) {
            let Ok(mut source) = wirewait_capture::open(&[path], &Options::default()) else {
                continue;
            };
            let mut here = BTreeSet::new();
            let mut damages = 0;
            while damages < 1000 {
                let frame = match source.next_frame() {
                    Ok(Some(frame)) => frame,
                    Ok(None) => break,
                    Err(_) => {
                        damages += 1;
                        continue;
                    }
                };
                registry.walk(&frame, Depth::Full, &mut walk);
                let mut names = BTreeSet::new();
                for span in walk.spans() {
                    let dissector = registry.dissector(span.dissector);
                    names.insert(dissector.name);
                    let mut facts = Facts::default();
                    let _ = (dissector.dissect)(walk.bytes(&frame, *span), &mut facts);
                    if !matches!(facts.order, Order::None) {
                        self.order.insert(dissector.name);
                    }
                }
                for name in &names {
                    *self.frames.entry(name).or_default() += 1;
                }
                here.extend(names);
            }
            for name in here {
                *self.files.entry(name).or_default() += 1;
            }
        }
    }
}

/// Pairs that tshark has too, to the nanosecond, by protocol.
fn pairs(captures: &Path) -> BTreeMap<&'static str, u64> {
    let mut same = BTreeMap::new();
    for table in files(&root().join("tests/oracle")) {
        let name = table.file_name().unwrap().to_string_lossy().into_owned();
        let Some((folder, file)) = name.strip_suffix(".tsv").and_then(|n| n.split_once("__"))
        else {
            continue;
        };
        let Ok(analysis) = analyse(&[captures.join(folder).join(file)]) else {
            continue;
        };
        let mut ours: HashMap<(u64, u64, i64), Vec<&'static str>> = HashMap::new();
        for t in &analysis.transactions {
            if let (Some(request), Some(response)) = (t.request, t.response) {
                let (request, response) = (request.last, response.last);
                let ns = response.at.since(request.at);
                let key = (request.frame, response.frame, ns);
                ours.entry(key).or_default().push(t.protocol);
            }
        }
        for line in std::fs::read_to_string(&table).unwrap().lines() {
            let fields: Vec<&str> = line.split('\t').collect();
            let theirs = (
                fields[1].parse().unwrap(),
                fields[2].parse().unwrap(),
                fields[3].parse().unwrap(),
            );
            if let Some(protocol) = ours.get_mut(&theirs).and_then(Vec::pop) {
                *same.entry(protocol).or_default() += 1;
            }
        }
    }
    same
}

#[test]
fn the_evidence_is_what_the_captures_hold() {
    let Some(captures) = captures("the evidence of `protocols`") else {
        return;
    };
    let (mut real, mut lab) = (Seen::default(), Seen::default());
    real.folder(&captures.join("real"));
    // Real traffic too, in the formats of other analysers.
    real.folder(&captures.join("formats"));
    lab.folder(&captures.join("lab"));
    let pairs = pairs(&captures);
    let count = |counts: &BTreeMap<&str, u64>, name| counts.get(name).copied().unwrap_or(0);
    let counted: Vec<(&str, Evidence)> = ALL
        .iter()
        .map(|d| {
            let evidence = Evidence {
                real_files: count(&real.files, d.name),
                real_frames: count(&real.frames, d.name),
                lab_frames: count(&lab.frames, d.name),
                pairs: count(&pairs, d.name),
            };
            (d.name, evidence)
        })
        .filter(|(_, evidence)| *evidence != Evidence::default())
        .collect();
    let mut rows = String::new();
    for (name, e) in &counted {
        writeln!(
            rows,
            "    ({name:?}, Evidence {{ real_files: {}, real_frames: {}, lab_frames: {}, pairs: {} }}),",
            e.real_files, e.real_frames, e.lab_frames, e.pairs
        )
        .unwrap();
    }
    if std::env::var_os("WIREWAIT_WRITE_EVIDENCE").is_some_and(|v| v == "1") {
        let path = root().join("dissectors/src/evidence.rs");
        let text = std::fs::read_to_string(&path).unwrap();
        let start = text.find("= &[\n").unwrap() + "= &[\n".len();
        std::fs::write(&path, format!("{}{rows}];\n", &text[..start])).unwrap();
        return;
    }
    assert_eq!(
        counted, EVIDENCE,
        "dissectors/src/evidence.rs should hold (WIREWAIT_WRITE_EVIDENCE=1 writes it):\n{rows}"
    );
    // No real capture has data over some of them.
    let mut made = Seen::default();
    for entry in std::fs::read_dir(root().join("captures")).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            made.folder(&path);
        }
    }
    let orders = real.order.iter().chain(&lab.order).chain(&made.order);
    let orders: BTreeSet<&str> = orders.copied().collect();
    let said: BTreeSet<&str> = ALL.iter().filter(|d| d.orders).map(|d| d.name).collect();
    assert_eq!(orders, said, "which protocols put data in order");
}

#[test]
fn nobody_claims_to_be_checked_by_what_is_not_there() {
    for dissector in ALL {
        let evidence = EVIDENCE.iter().find(|(name, _)| *name == dissector.name);
        let evidence = evidence.map(|(_, evidence)| *evidence).unwrap_or_default();
        for verified in dissector.verified {
            let there = match verified {
                Verified::RealCaptures => evidence.real_frames > 0,
                Verified::Lab => evidence.lab_frames > 0,
                Verified::Nothing => dissector.verified.len() == 1,
                _ => true,
            };
            assert!(there, "{}: {}", dissector.name, verified.name());
        }
    }
}

#[test]
fn what_is_paired_and_decoded_is_said() {
    let output = crate::support::program()
        .args(["protocols", "--format", "json"])
        .output()
        .unwrap();
    let rows: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let rows = rows.as_array().unwrap();
    assert_eq!(rows.len(), ALL.len());
    for (row, dissector) in rows.iter().zip(ALL) {
        assert_eq!(row["name"], dissector.name);
        assert_eq!(row["paired"], dissector.exchange.is_some());
        assert_eq!(row["ordered"], dissector.orders);
        assert_eq!(row["decoded"], dissector.is_decoded());
    }
}

//! The invariants of the architecture, read from the manifests and sources.

use crate::support::root;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Crates, and what of ours each may depend on.
const ALLOWED: &[(&str, &[&str])] = &[
    ("crates/wire", &[]),
    ("crates/model", &["wirewait-wire"]),
    ("crates/stats", &["wirewait-wire", "wirewait-model"]),
    ("crates/analysis", &["wirewait-wire", "wirewait-model"]),
    ("crates/judge", &["wirewait-wire", "wirewait-analysis"]),
    ("dissectors", &["wirewait-wire"]),
    ("crates/capture", &["wirewait-wire"]),
    (
        "crates/wirewait",
        &[
            "wirewait-wire",
            "wirewait-analysis",
            "wirewait-dissectors",
            "wirewait-judge",
            "wirewait-model",
            "wirewait-stats",
        ],
    ),
    (
        "crates/report",
        &["wirewait-wire", "wirewait-analysis", "wirewait-judge"],
    ),
    ("crates/rows", &["wirewait-report"]),
    ("dev/synth", &["wirewait-wire", "wirewait-capture"]),
    (
        "crates/tui",
        &[
            "wirewait-wire",
            "wirewait-analysis",
            "wirewait-judge",
            "wirewait-report",
        ],
    ),
];

/// The program uses all of them.
const PROGRAM: &str = "crates/cli";

/// Folders of the libraries and of the program.
fn folders() -> impl Iterator<Item = &'static str> {
    let libraries = ALLOWED.iter().map(|(folder, _)| *folder);
    libraries.chain([PROGRAM])
}

fn manifest(folder: &str) -> PathBuf {
    match folder {
        PROGRAM => root().join("Cargo.toml"),
        library => root().join(library).join("Cargo.toml"),
    }
}

/// The folder of a crate's sources.
fn source(folder: &Path) -> PathBuf {
    match folder.ends_with(PROGRAM) {
        true => folder.to_owned(),
        false => folder.join("src"),
    }
}

/// Libraries that only one crate may use.
const ONLY: &[(&str, &str)] = &[
    ("pcap", "crates/capture"),
    ("nom", "dissectors"),
    ("ratatui", "crates/tui"),
    ("askama", "crates/report"),
    ("parquet", "crates/rows"),
    ("arrow-array", "crates/rows"),
    ("arrow-ipc", "crates/rows"),
    ("arrow-schema", "crates/rows"),
];

/// Names of the packages in a manifest's `[dependencies]`.
fn dependencies(manifest: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(manifest).unwrap();
    let mut inside = false;
    let mut found = Vec::new();
    for line in text.lines() {
        if line.starts_with('[') {
            inside = line == "[dependencies]";
        } else if inside && let Some((name, _)) = line.split_once('=') {
            let name = name.trim();
            found.push(name.split('.').next().unwrap_or(name).to_owned());
        }
    }
    found
}

/// The sources of a crate, tests cut off.
fn sources(folder: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut folders = vec![source(folder)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                let product = text.split("#[cfg(test)]").next().unwrap_or("").to_owned();
                found.push((path.display().to_string(), product));
            }
        }
    }
    assert!(!found.is_empty());
    found
}

#[test]
fn crates_depend_only_on_what_lies_below_them() {
    for (folder, allowed) in ALLOWED {
        let manifest = root().join(folder).join("Cargo.toml");
        for dependency in dependencies(&manifest) {
            if dependency.starts_with("wirewait-") {
                assert!(
                    allowed.contains(&dependency.as_str()),
                    "{folder} depends on {dependency}"
                );
            }
        }
    }
}

#[test]
fn each_outside_library_has_one_home() {
    for (folder, _) in ALLOWED {
        for dependency in dependencies(&root().join(folder).join("Cargo.toml")) {
            for (library, home) in ONLY {
                assert!(
                    dependency != *library || folder == home,
                    "{folder} uses {library}, which belongs in {home}"
                );
            }
        }
    }
}

#[test]
fn the_core_does_no_input_or_output_and_has_no_clock() {
    for folder in [
        "crates/wire",
        "crates/model",
        "crates/analysis",
        "crates/stats",
        "crates/judge",
        "crates/wirewait",
        "dissectors",
    ] {
        for (file, text) in sources(&root().join(folder)) {
            for word in [
                "std::fs",
                "std::net::Tcp",
                "std::io",
                "SystemTime::",
                "Instant",
                "println!",
                "std::env",
            ] {
                assert!(!text.contains(word), "{file} uses {word}");
            }
            // One file has the threads.
            let threads = file.ends_with("crates/wirewait/src/ahead.rs");
            assert!(threads || !text.contains("std::thread"), "{file}");
        }
    }
}

#[test]
fn the_analysis_knows_no_protocol_by_name() {
    // In quotes: some names are words.
    let names = wirewait_dissectors::ALL.iter().flat_map(|d| {
        let carrier = d.carrier.unwrap_or(d.name);
        [d.name, carrier].map(|name| format!("\"{name}\""))
    });
    let names: std::collections::BTreeSet<String> = names.collect();
    assert!(names.len() > 20, "the registry is there");
    for (file, text) in sources(&root().join("crates/analysis")) {
        for line in text
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"))
        {
            assert!(!line.contains("wirewait_dissectors"), "{file}: {line}");
            for name in &names {
                assert!(!line.contains(name), "{file} names {name}: {line}");
            }
        }
    }
}

/// A name stands for one type in a crate, whichever module it is in. The exceptions: parsers and
/// builders of a protocol, each in the module of its protocol, and what is another type on another
/// system.
#[test]
fn a_type_name_stands_once_in_a_crate() {
    let excused = |folder: &str, name: &str| match folder {
        "dissectors" | "dev/synth" => matches!(name, "Header" | "Packet" | "Message"),
        PROGRAM => name == "Rights",
        _ => false,
    };
    let defined = |line: &str| -> Option<String> {
        let words = line.split_whitespace();
        let mut words = words.skip_while(|word| word.starts_with("pub"));
        let kind = words.next()?;
        // Of a module, or of a table of documents in it (`documents!`).
        let is_of = matches!(kind, "struct" | "enum") && line.contains(" of ");
        let of_document = line.starts_with("    ") && is_of;
        let of_module = line.starts_with(char::is_alphabetic) || of_document;
        let name = words.next()?;
        let end = name.find(|c: char| !c.is_alphanumeric() && c != '_');
        let is_type = matches!(kind, "struct" | "enum" | "trait" | "type");
        (is_type && of_module).then(|| name[..end.unwrap_or(name.len())].to_owned())
    };
    let mut types = 0;
    for folder in folders() {
        let mut known: BTreeMap<String, String> = BTreeMap::new();
        for (file, text) in sources(&root().join(folder)) {
            if file.contains("/tests/")
                || file.ends_with("tests.rs")
                || file.ends_with("testing.rs")
            {
                continue;
            }
            let text = text.split("#[cfg(test)]\nmod tests").next().unwrap_or("");
            for name in text.lines().filter_map(defined) {
                types += 1;
                if let Some(before) = known.insert(name.clone(), file.clone()) {
                    assert!(
                        excused(folder, &name),
                        "{folder}: {name} is defined in {before} and in {file}"
                    );
                }
            }
        }
    }
    assert!(types > 1000, "{types} types were seen");
}

#[test]
fn unsafe_code_is_forbidden_everywhere() {
    for folder in folders() {
        let source = source(&root().join(folder));
        let file = ["lib.rs", "main.rs"].map(|name| source.join(name));
        let file = file.iter().find(|file| file.exists()).unwrap();
        let text = std::fs::read_to_string(file).unwrap();
        assert!(text.contains("#![forbid(unsafe_code)]"), "{folder}");
    }
}

/// Whoever sends frames chooses the keys of most tables. `HashMap` of the standard library and
/// `RandomState` of foldhash have a secret; nothing else that hashes is used.
#[test]
fn no_table_hashes_without_a_secret() {
    const OPEN: &[&str] = &[
        "FixedState",
        "SeedableRandomState",
        "BuildHasherDefault",
        "FxHash",
        "Fnv",
    ];
    let mut keyed = 0;
    for folder in folders() {
        for (file, text) in sources(&root().join(folder)) {
            for hasher in OPEN {
                assert!(!text.contains(hasher), "{file} names {hasher}");
            }
            keyed += text.matches("foldhash::fast::RandomState").count();
        }
        for dependency in dependencies(&manifest(folder)) {
            let unkeyed = ["fnv", "fxhash", "rustc-hash", "nohash-hasher"];
            assert!(
                !unkeyed.contains(&dependency.as_str()),
                "{folder}: {dependency}"
            );
        }
    }
    assert!(keyed >= 2, "the tables of the analysis are there");
}

/// A file's module: `a::b` for `src/a/b.rs` and `src/a/b/mod.rs`.
fn module(folder: &Path, file: &str) -> String {
    let path = Path::new(file).strip_prefix(source(folder)).unwrap();
    let path = path.with_extension("");
    let parts = path.iter().map(|part| part.to_str().unwrap());
    parts
        .filter(|part| !["mod", "lib", "main"].contains(part))
        .collect::<Vec<_>>()
        .join("::")
}

/// The rooms of a crate: modules at the top, and in which others each names something by its home
/// (`crate::home::Name`).
fn rooms(folder: &Path) -> BTreeMap<String, BTreeSet<String>> {
    let top = |module: &str| module.split("::").next().unwrap_or("").to_owned();
    let sources = sources(folder);
    let modules: BTreeSet<String> = sources
        .iter()
        .map(|(file, _)| top(&module(folder, file)))
        .collect();
    let mut rooms: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (file, text) in &sources {
        let room = top(&module(folder, file));
        // What `lib.rs` exports is no use of it, and no module uses `main.rs`.
        if room.is_empty() || file.ends_with("tests.rs") || file.ends_with("testing.rs") {
            continue;
        }
        for line in text.lines().filter(|l| !l.trim_start().starts_with("//")) {
            for (at, _) in line.match_indices("crate::") {
                let rest = &line[at + "crate::".len()..];
                let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
                let name = &rest[..end.unwrap_or(rest.len())];
                if modules.contains(name) && name != room {
                    rooms
                        .entry(room.clone())
                        .or_default()
                        .insert(name.to_owned());
                }
            }
        }
    }
    rooms
}

/// All that is used from here on, one after the other.
fn reach(rooms: &BTreeMap<String, BTreeSet<String>>, from: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut next = vec![from.to_owned()];
    while let Some(room) = next.pop() {
        for used in rooms.get(&room).into_iter().flatten() {
            if found.insert(used.clone()) {
                next.push(used.clone());
            }
        }
    }
    found
}

/// A module and what lies in its folder are one here.
#[test]
fn no_modules_use_each_other_in_a_circle() {
    let mut found: Vec<(&str, BTreeSet<String>)> = Vec::new();
    let mut uses = 0;
    for folder in folders() {
        let rooms = rooms(&root().join(folder));
        uses += rooms.values().map(BTreeSet::len).sum::<usize>();
        for room in rooms.keys() {
            let mut circle = reach(&rooms, room);
            circle.retain(|other| reach(&rooms, other).contains(room));
            if !circle.is_empty() && !found.contains(&(folder, circle.clone())) {
                found.push((folder, circle));
            }
        }
    }
    assert_eq!(found, []);
    assert!(uses > 500, "{uses} uses were seen");
}

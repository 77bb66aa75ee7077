//! Finds the scenarios of the repository.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use wirewait_synth::Scenario;

/// The folder of captures.
pub(crate) fn captures() -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../captures")).to_path_buf()
}

/// The text of every scenario in it, by path.
pub(crate) fn texts() -> Vec<(PathBuf, String)> {
    let mut paths = Vec::new();
    find(&captures(), &mut paths);
    // The order in which a folder is read is not the same everywhere.
    paths.sort();
    assert!(!paths.is_empty(), "no scenario in {}", captures().display());
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).unwrap();
        (path, text)
    };
    paths.into_iter().map(read).collect()
}

/// Every scenario, played; once for all tests, for some are long.
pub(crate) fn scenarios() -> &'static [(PathBuf, Scenario)] {
    static ALL: OnceLock<Vec<(PathBuf, Scenario)>> = OnceLock::new();
    ALL.get_or_init(play)
}

fn play() -> Vec<(PathBuf, Scenario)> {
    texts()
        .into_iter()
        .map(|(path, text)| {
            let scenario = Scenario::parse(&path.display().to_string(), &text)
                .unwrap_or_else(|error| panic!("{error}"));
            (path, scenario)
        })
        .collect()
}

fn find(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            find(&path, paths);
        } else if path
            .extension()
            .is_some_and(|extension| extension == "scenario")
        {
            paths.push(path);
        }
    }
}

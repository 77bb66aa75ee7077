//! What the tests have in common.

use std::path::{Path, PathBuf};
use wirewait_analysis::{Analyzer, Settings, Snapshot, Transaction};
use wirewait_capture::Options;
use wirewait_wire::{Frame, Source};

/// The folder of the workspace.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The folder of real captures beside the project, or `None` with a loud word. They are
/// not part of the project; CI has them and must not skip.
pub(crate) fn captures(test: &str) -> Option<PathBuf> {
    let folder = root().join("../shared/captures");
    if folder.is_dir() {
        return Some(folder);
    }
    assert!(
        std::env::var_os("WIREWAIT_REQUIRE_CAPTURES").is_none(),
        "{test}: the real captures are required and are not there"
    );
    eprintln!("SKIPPED: {test}: no real captures beside the project");
    None
}

/// The program, without what the user of this machine has configured.
pub(crate) fn program() -> std::process::Command {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_wirewait"));
    for (name, _) in std::env::vars_os() {
        let ours = name.to_str().is_some_and(|name| {
            name.starts_with("WIREWAIT_") && !name.starts_with("WIREWAIT_REQUIRE_")
        });
        if ours {
            command.env_remove(name);
        }
    }
    command.env("XDG_CONFIG_HOME", NO_FOLDER);
    command
}

/// No program finds its configuration there.
pub(crate) const NO_FOLDER: &str = "/nonexistent";

/// Files of a folder, by name.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap_or_else(|e| panic!("{}: {e}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file())
        .collect();
    files.sort();
    files
}

/// All transactions and figures of some frames.
pub(crate) struct Analysis {
    pub(crate) transactions: Vec<Transaction>,
    pub(crate) snapshot: Snapshot,
}

/// Runs the analyser over files that are one capture. Damage ends a file, not the test.
pub(crate) fn analyse(paths: &[PathBuf]) -> Result<Analysis, String> {
    let mut source =
        wirewait_capture::open(paths, &Options::default()).map_err(|e| e.to_string())?;
    Ok(analyse_source(&mut source))
}

/// Runs the analyser over a source.
pub(crate) fn analyse_source(source: &mut dyn Source) -> Analysis {
    let mut run = Run::new();
    let mut damages = 0;
    // Interfaces of which the speed has been asked.
    let mut met = 0;
    while damages < 10_000 {
        match source.next_frame() {
            Ok(Some(frame)) => {
                let interface = frame.interface;
                run.frame(&frame);
                while met <= interface {
                    if let Some(speed) = source.link_speed(met) {
                        run.analyzer.link_speed(met, speed);
                    }
                    met += 1;
                }
            }
            Ok(None) => break,
            Err(_) => damages += 1,
        }
    }
    run.finish()
}

/// An analyser and what came out of it.
pub(crate) struct Run {
    analyzer: Analyzer,
    transactions: Vec<Transaction>,
}

impl Run {
    pub(crate) fn new() -> Self {
        Self {
            analyzer: Analyzer::new(wirewait_dissectors::registry(), Settings::default()),
            transactions: Vec::new(),
        }
    }

    pub(crate) fn frame(&mut self, frame: &Frame<'_>) {
        self.analyzer.frame(frame, &mut self.transactions);
    }

    pub(crate) fn finish(mut self) -> Analysis {
        self.analyzer.finish(&mut self.transactions);
        Analysis {
            transactions: self.transactions,
            snapshot: self.analyzer.snapshot(),
        }
    }
}

/// Asserts that every frame of the capture went somewhere, and only there.
pub(crate) fn assert_frames_close(name: &str, snapshot: &Snapshot) {
    let a = snapshot.attribution;
    let whole = wirewait_analysis::WHOLE_FRAME;
    assert_eq!(
        a.transactions + a.control + (a.other + a.duplicates) * whole,
        snapshot.capture.frames * whole,
        "{name}: frames of transactions, control, others and copies do not sum to the capture's"
    );
}

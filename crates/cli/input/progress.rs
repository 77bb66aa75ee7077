//! How far the reading is.

use indicatif::{ProgressBar, ProgressStyle};
use std::io::{self, IsTerminal};
use std::time::Duration;
use wirewait_capture::Files;
use wirewait_report::words::Grouped;

/// Inputs that are read in less than a blink need no progress bar.
const WORTH_A_BAR: u64 = 32 << 20;

/// A progress bar, for an input worth it and a user who can see it.
pub(super) struct Bar(Option<ProgressBar>);

impl Bar {
    pub(super) fn new(files: &Files, quiet: bool) -> Self {
        let total = files.progress().bytes_total.filter(|n| *n > WORTH_A_BAR);
        let Some(total) = total.filter(|_| !quiet && io::stderr().is_terminal()) else {
            return Self(None);
        };
        let bar = ProgressBar::new(total);
        if let Ok(style) =
            ProgressStyle::with_template("{bar:40} {bytes}/{total_bytes} {bytes_per_sec} {eta}")
        {
            bar.set_style(style);
        }
        Self(Some(bar))
    }

    pub(super) fn show(&self, read: u64) {
        if let Some(bar) = &self.0 {
            bar.set_position(read);
        }
    }

    /// Runs what writes to the terminal itself.
    pub(super) fn aside<T>(&self, write: impl FnOnce() -> T) -> T {
        match &self.0 {
            Some(bar) => bar.suspend(write),
            None => write(),
        }
    }

    pub(super) fn clear(&self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}

/// `1,234,567 frames, 45,678,901 of 1,200,345,678 bytes in 12.3 s`.
pub(super) fn how_far(frames: u64, read: Option<(u64, u64)>, elapsed: Duration) -> String {
    let bytes = read.map_or_else(String::new, |(read, total)| {
        format!(", {} of {} bytes", Grouped(read), Grouped(total))
    });
    let seconds = elapsed.as_secs_f64();
    format!("{} frames{bytes} in {seconds:.1} s", Grouped(frames))
}

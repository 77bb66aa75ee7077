//! Signals: to end, to report, to write out what waits.
//!
//! | signal | what it does |
//! |---|---|
//! | INT, TERM, QUIT, HUP | ends, with the report of what was seen; the same once more ends at once |
//! | HUP of a service | reads the configuration again, and opens the file of rows again |
//! | USR1 | reports how it stands, and goes on (as `dd` and `tcpdump` do) |
//! | USR2 | writes out what waits to be saved (as `tcpdump` does) |
//!
//! Windows has the first two.

use crate::failure::Failure;
#[cfg(unix)]
use signal_hook::consts::{SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGXFSZ};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Signals that end the program.
#[cfg(unix)]
const ENDS: &[i32] = &[SIGINT, SIGTERM, SIGQUIT, SIGHUP];
#[cfg(not(unix))]
const ENDS: &[i32] = &[SIGINT, SIGTERM];

/// Those of them that a terminal sends to all programs of a pipe.
#[cfg(unix)]
const ENDS_OF_PIPES: &[i32] = &[SIGINT, SIGQUIT];
#[cfg(not(unix))]
const ENDS_OF_PIPES: &[i32] = &[SIGINT];

/// What somebody asked of the program since it looked last.
#[derive(Clone, Debug)]
pub(crate) struct Signals {
    stop: Arc<AtomicBool>,
    report: Arc<AtomicBool>,
    flush: Arc<AtomicBool>,
    reload: Arc<AtomicBool>,
}

impl Signals {
    /// From now on signals are only noted.
    pub(crate) fn catch() -> Result<Self, Failure> {
        Self::heeding(ENDS)
    }

    /// For a program that nobody has at a terminal: HUP does not end it.
    #[cfg(unix)]
    pub(crate) fn catch_as_service() -> Result<Self, Failure> {
        let ends: Vec<i32> = ENDS.iter().copied().filter(|s| *s != SIGHUP).collect();
        let signals = Self::heeding(&ends)?;
        let caught = flag::register(SIGHUP, Arc::clone(&signals.reload));
        caught.map_err(|error| Failure::Cannot(format!("signals cannot be caught: {error}")))?;
        Ok(signals)
    }

    /// Catches fewer signals, for an input that may never end: only those that a terminal sends to
    /// all programs of a pipe, which ends the input as well.
    pub(crate) fn catch_in_pipe() -> Result<Self, Failure> {
        Self::heeding(ENDS_OF_PIPES)
    }

    /// Catches those that ask for something; those that end the program end it at once.
    pub(crate) fn catch_questions() -> Result<Self, Failure> {
        Self::heeding(&[])
    }

    fn heeding(ends: &[i32]) -> Result<Self, Failure> {
        let signals = Self {
            stop: Arc::default(),
            report: Arc::default(),
            flush: Arc::default(),
            reload: Arc::default(),
        };
        signals
            .register(ends)
            .map_err(|error| Failure::Cannot(format!("signals cannot be caught: {error}")))?;
        Ok(signals)
    }

    fn register(&self, ends: &[i32]) -> io::Result<()> {
        for signal in ends {
            // A closing terminal may say so twice, through the shell and by itself.
            #[cfg(unix)]
            if *signal == SIGHUP {
                if !is_ignored(SIGHUP) {
                    flag::register(SIGHUP, Arc::clone(&self.stop))?;
                }
                continue;
            }
            let asked = Arc::new(AtomicBool::new(false));
            // In this order: the first signal finds `asked` unset.
            flag::register_conditional_shutdown(*signal, 128 + signal, Arc::clone(&asked))?;
            flag::register(*signal, asked)?;
            flag::register(*signal, Arc::clone(&self.stop))?;
        }
        #[cfg(unix)]
        for (signal, asked) in [(SIGUSR1, &self.report), (SIGUSR2, &self.flush)] {
            flag::register(signal, Arc::clone(asked))?;
        }
        Ok(())
    }

    /// Whether it is to end.
    pub(crate) fn stop(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Whether it is to report now; asked once for each signal, or for several at once.
    pub(crate) fn report(&self) -> bool {
        self.report.load(Ordering::Relaxed) && self.report.swap(false, Ordering::Relaxed)
    }

    /// Whether it is to read its configuration again, likewise.
    pub(crate) fn reload(&self) -> bool {
        self.reload.load(Ordering::Relaxed) && self.reload.swap(false, Ordering::Relaxed)
    }

    /// Whether it is to write out what waits, likewise.
    pub(crate) fn flush(&self) -> bool {
        self.flush.load(Ordering::Relaxed) && self.flush.swap(false, Ordering::Relaxed)
    }
}

/// Whether a terminal can send this program a HUP: that of its session.
#[cfg(unix)]
pub(crate) fn has_terminal() -> bool {
    std::fs::File::open("/dev/tty").is_ok()
}

/// From now on a file that grows beyond what it may (`ulimit -f`) is an error when it is written,
/// and no sudden death.
pub(crate) fn survive_file_limits() {
    // If it cannot be, the signal ends the program: no file is half-written by that either.
    #[cfg(unix)]
    let _ = flag::register(SIGXFSZ, Arc::default());
}

/// Whether the program was started with this signal ignored (`nohup`).
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

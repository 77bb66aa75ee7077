//! Being asked to end.

use crate::failure::Failure;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether somebody asked the program to end: Ctrl-C, SIGTERM, or the terminal that closes.
/// Asked a second time by the same signal, it ends at once.
#[derive(Clone, Debug)]
pub(crate) struct Signals {
    stop: Arc<AtomicBool>,
}

impl Signals {
    /// From now on signals are only noted.
    pub(crate) fn catch() -> Result<Self, Failure> {
        let stop = Arc::new(AtomicBool::new(false));
        register(&stop)
            .map_err(|error| Failure::Cannot(format!("signals cannot be caught: {error}")))?;
        Ok(Self { stop })
    }

    /// Whether it is to end.
    pub(crate) fn stop(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

fn register(stop: &Arc<AtomicBool>) -> io::Result<()> {
    for signal in [SIGINT, SIGTERM] {
        let asked = Arc::new(AtomicBool::new(false));
        // In this order: the first signal finds `asked` unset.
        flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&asked))?;
        flag::register(signal, asked)?;
        flag::register(signal, Arc::clone(stop))?;
    }
    // A closing terminal may say so twice, through the shell and by itself.
    if !is_ignored(SIGHUP) {
        flag::register(SIGHUP, Arc::clone(stop))?;
    }
    Ok(())
}

/// Whether whoever started the program did not want it to hear this signal (`nohup`).
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

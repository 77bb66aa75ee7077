//! The pager: what a terminal shows goes through `$PAGER`, as with git.
//!
//! The program that pages is started before rights are given up, because afterwards no program can
//! be started. It waits for a first line before it becomes the pager, so that Ctrl-C still ends a
//! command that has nothing to show yet.

use std::process::{Child, ChildStdin, Stdio};
use std::sync::{Mutex, PoisonError};

/// The pager of this process, once it is started.
static CHILD: Mutex<Option<Child>> = Mutex::new(None);

/// The default: quit if one screen is enough, keep colours, leave the text on the screen.
const LESS: [(&str, &str); 2] = [("LESS", "FRX"), ("LESSCHARSET", "utf-8")];

/// Waits for a line, and becomes the pager; shows the text without one if there is none.
const WAIT: &str = "trap '' INT QUIT; IFS= read -r first || exit 0; trap - INT QUIT; \
    command -v \"$1\" >/dev/null 2>&1 || exec cat; eval \"$2\"";

/// The pager that the environment names, and its first word; none if that is `cat` or nothing.
fn chosen(pager: Option<String>, terminal: Option<String>) -> Option<(String, String)> {
    if terminal.is_none_or(|name| name.is_empty() || name == "dumb") {
        return None;
    }
    let pager = pager.unwrap_or_else(|| "less".to_owned());
    let first = pager.split_whitespace().next()?.to_owned();
    (first != "cat").then_some((pager, first))
}

/// Starts a pager for a text that is printed to a terminal, if the environment has one.
pub(crate) fn start() {
    if cfg!(windows) {
        return;
    }
    let variable = |name: &str| std::env::var(name).ok();
    let Some((pager, first)) = chosen(variable("PAGER"), variable("TERM")) else {
        return;
    };
    let mut shell = std::process::Command::new("/bin/sh");
    shell.args(["-c", WAIT, "sh", &first, &pager]);
    shell.stdin(Stdio::piped());
    for (name, value) in LESS {
        if variable(name).is_none() {
            shell.env(name, value);
        }
    }
    #[cfg(target_os = "linux")]
    if nix::unistd::Uid::effective().is_root() {
        // No shell and no editor from within.
        shell.env("LESSSECURE", "1");
    }
    // Without one the text is shown all the same.
    *CHILD.lock().unwrap_or_else(PoisonError::into_inner) = shell.spawn().ok();
}

/// Where the pager reads, for the one output that goes there.
pub(crate) fn input() -> Option<ChildStdin> {
    let mut child = CHILD.lock().unwrap_or_else(PoisonError::into_inner);
    child.as_mut()?.stdin.take()
}

/// Leaves Ctrl-C to the pager from now on.
pub(crate) fn leave_interrupts() {
    #[cfg(target_os = "linux")]
    {
        use nix::sys::signal::{SigSet, Signal};
        let mut signals = SigSet::empty();
        signals.add(Signal::SIGINT);
        signals.add(Signal::SIGQUIT);
        // If it cannot be, Ctrl-C ends both.
        let _ = signals.thread_block();
    }
}

/// Waits until the reader has seen enough.
pub(crate) fn wait() {
    let child = CHILD.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(mut child) = child {
        // Its input ends here, if nothing was written.
        drop(child.stdin.take());
        let _ = child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_names_the_pager() {
        let of = |pager: Option<&str>, terminal: Option<&str>| {
            chosen(pager.map(str::to_owned), terminal.map(str::to_owned)).map(|(text, _)| text)
        };
        assert_eq!(of(None, Some("xterm")).as_deref(), Some("less"));
        assert_eq!(
            of(Some("most -s"), Some("xterm")).as_deref(),
            Some("most -s")
        );
        assert_eq!(of(Some("cat"), Some("xterm")), None);
        assert_eq!(of(Some(""), Some("xterm")), None);
        assert_eq!(of(None, Some("dumb")), None);
        assert_eq!(of(None, None), None);
    }
}

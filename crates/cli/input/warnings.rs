//! What is said beside the results.

use std::cell::RefCell;
use std::io::{self, Write};
use wirewait_capture::unnumbered;
use wirewait_report::Escaped;

thread_local! {
    /// Warnings of this thread that are not said yet.
    static HELD: RefCell<Option<Vec<String>>> = const { RefCell::new(None) };
}

/// Does `work`, and gives the warnings of this thread with what comes of it: where several are at
/// work, they are to be said in an order that does not depend on who is first.
pub(crate) fn holding_warnings<T>(work: impl FnOnce() -> T) -> (T, Vec<String>) {
    HELD.set(Some(Vec::new()));
    let done = work();
    (done, HELD.take().unwrap_or_default())
}

/// Tells the user something beside the results.
pub(crate) fn warn(text: &str) {
    let text = &*unnumbered(text);
    let held = HELD.with_borrow_mut(|held| match held {
        Some(held) => {
            held.push(text.to_owned());
            true
        }
        None => false,
    });
    if held {
        return;
    }
    // If nobody listens to warnings, the exit code still tells.
    let _ = writeln!(io::stderr(), "wirewait: warning: {}", Escaped(text));
}

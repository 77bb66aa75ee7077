//! Files, opened with errors that say what to do.

use crate::causes::cannot_open;
use crate::fault::Fault;
use crate::held::{self, HeldCapture};
use std::path::Path;

/// Opens a file, with errors that say what to do.
pub(crate) fn open_file(path: &Path) -> Result<HeldCapture, Fault> {
    /// "Too many open files" on Linux, macOS and the BSDs.
    const EMFILE: i32 = 24;
    let file = held::open(path).map_err(|error| {
        Fault::unreadable(if cfg!(unix) && error.raw_os_error() == Some(EMFILE) {
            "cannot be opened: too many files of this capture overlap in time; raise the \
             limit of open files with `ulimit -n`"
                .to_owned()
        } else {
            cannot_open(&error)
        })
    })?;
    if file.metadata().is_ok_and(|metadata| metadata.is_dir()) {
        return Err(Fault::unreadable(
            "is a directory; name the capture files in it",
        ));
    }
    Ok(file)
}

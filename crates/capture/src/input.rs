//! What the caller names: paths, the standard input, streams.

use crate::format::Fault;
use crate::held::{self, Opened};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What a caller gives.
pub(crate) enum Input {
    Path(PathBuf),
    Stream(String, Box<dyn Read + Send>),
}

impl Input {
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Path(path) if is_stdin(path) => "standard input".to_owned(),
            Self::Path(path) => path.display().to_string(),
            Self::Stream(name, _) => name.clone(),
        }
    }
}

/// Counts what is read.
pub(crate) struct Counted {
    pub(crate) source: Box<dyn Read + Send>,
    pub(crate) bytes: Arc<AtomicU64>,
}

impl Read for Counted {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.source.read(out)?;
        self.bytes.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

/// Whether a path stands for the standard input.
pub(crate) fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Opens a file, with errors that say what to do.
pub(crate) fn open_file(path: &Path) -> Result<Opened, Fault> {
    /// "Too many open files" on Linux, macOS and the BSDs.
    const EMFILE: i32 = 24;
    let file = held::open(path).map_err(|error| {
        Fault::unreadable(if cfg!(unix) && error.raw_os_error() == Some(EMFILE) {
            "cannot be opened: too many files of this capture overlap in time; raise the \
             limit of open files with `ulimit -n`"
                .to_owned()
        } else {
            format!("cannot be opened: {error}")
        })
    })?;
    if file.metadata().is_ok_and(|metadata| metadata.is_dir()) {
        return Err(Fault::unreadable(
            "is a directory; name the capture files in it",
        ));
    }
    Ok(file)
}

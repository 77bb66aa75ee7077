//! What the caller names: paths, the standard input, streams.

use crate::archive::ArchivedFile;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What a caller gives.
pub(crate) enum Input {
    Path(PathBuf),
    /// A file of an archive.
    Part(ArchivedFile),
    Stream(String, Box<dyn Read + Send>),
}

impl Input {
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Path(path) if is_stdin(path) => "standard input".to_owned(),
            Self::Path(path) => path.display().to_string(),
            Self::Part(part) => part.name.clone(),
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

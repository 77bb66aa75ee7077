//! What happened to the saving, in words.

use crate::causes::{cannot_write, unnumbered};
use std::fmt;
use std::io;
use std::path::PathBuf;

/// What went wrong is tried again after this long, ns.
pub(super) const RETRY_NS: i64 = 10_000_000_000;

/// Why something could not be done, and to which file.
#[derive(Debug)]
pub struct Trouble {
    /// The file.
    pub file: PathBuf,
    /// What the operating system says.
    pub error: io::Error,
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, error } = self;
        write!(
            f,
            "cannot write to {}: {}",
            file.display(),
            cannot_write(error)
        )
    }
}

impl std::error::Error for Trouble {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.error)
    }
}

/// What happened to the saving.
#[derive(Debug)]
#[non_exhaustive]
pub enum News {
    /// Frames are not saved from now on. It is tried again every ten seconds.
    Stopped(Trouble),
    /// Frames are saved again.
    Resumed {
        /// The file that goes on, or was begun.
        file: PathBuf,
        /// Frames that are missing.
        lost: u64,
    },
    /// A file that should have gone is still there, and is not looked after any more.
    NotRemoved(Trouble),
}

impl fmt::Display for News {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stopped(trouble) => write!(
                f,
                "saving has stopped: {trouble}; it is tried again every {} s, and what is \
                 written can be read",
                RETRY_NS / 1_000_000_000
            ),
            Self::Resumed { file, lost } => {
                write!(
                    f,
                    "saving goes on in {}; frames that are missing: {lost}",
                    file.display()
                )
            }
            Self::NotRemoved(Trouble { file, error }) => write!(
                f,
                "cannot remove {}: {}; remove it by hand, it takes space beside the ring",
                file.display(),
                unnumbered(&error.to_string())
            ),
        }
    }
}

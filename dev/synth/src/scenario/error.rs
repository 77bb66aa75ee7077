//! What is wrong with a scenario, and where.

use std::fmt;

/// A place in a scenario file, and what is wrong there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The file, by the name it was parsed under.
    pub file: String,
    /// Line, counted from 1.
    pub line: usize,
    /// Column, counted from 1 in characters.
    pub column: usize,
    /// What is wrong, and what to write instead where that is known.
    pub message: String,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            file,
            line,
            column,
            message,
        } = self;
        write!(f, "{file}:{line}:{column}: {message}")
    }
}

impl std::error::Error for Error {}

/// A mistake before the file's name is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) place: Place,
    pub(super) message: String,
}

/// Line and column, both counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) line: usize,
    pub(super) column: usize,
}

impl Place {
    /// A fault at this place.
    pub(super) fn fault(self, message: impl Into<String>) -> Fault {
        Fault {
            place: self,
            message: message.into(),
        }
    }
}

impl Fault {
    pub(super) fn in_file(self, file: &str) -> Error {
        Error {
            file: file.to_owned(),
            line: self.place.line,
            column: self.place.column,
            message: self.message,
        }
    }
}

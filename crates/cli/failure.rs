//! How a command can end.

use std::fmt;
use std::io::{self, Write};
use std::path::Path;
use wirewait::SourceError;
use wirewait_capture::{cannot_write, unnumbered};
use wirewait_report::Escaped;

/// What the exit codes mean, for --help and the manual.
pub(crate) const CODES: [(u8, &str); 6] = [
    (0, "success"),
    (
        1,
        "failure: something could not be read, captured or written, or the capture has no such frame, \
         transaction or conversation",
    ),
    (
        2,
        "wrong arguments or configuration: an unknown name, a value out of range, a pattern without \
         a match",
    ),
    (
        3,
        "damaged input or interrupted reading (the results cover what was read), or not all frames \
         or sums were saved",
    ),
    (4, "a condition of --fail-if holds"),
    (130, "ended by a second Ctrl-C"),
];

/// It did what was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Of the whole input.
    Whole,
    /// Of what could be read of a damaged input, or not all frames or sums could be saved;
    /// that was reported.
    Damaged,
    /// A condition that the user asked about holds; it was said which.
    Held,
}

/// It did not.
#[derive(Debug)]
pub(crate) enum Failure {
    /// It was not asked properly.
    Usage(String),
    /// Something is in the way.
    Cannot(String),
    /// The reader closed the output (`| head`): not an error.
    NobodyReads,
}

impl Failure {
    /// The exit code.
    pub(crate) const fn code(&self) -> u8 {
        match self {
            Self::NobodyReads => 0,
            Self::Cannot(_) => 1,
            Self::Usage(_) => 2,
        }
    }

    /// This failure, with `more` at the end of its message.
    pub(crate) fn with(self, more: &str) -> Self {
        match self {
            Self::Usage(text) => Self::Usage(text + more),
            Self::Cannot(text) => Self::Cannot(text + more),
            Self::NobodyReads => Self::NobodyReads,
        }
    }

    /// Writing to `name` went wrong.
    pub(crate) fn writing(name: &str, error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::NobodyReads,
            kind => {
                let folder = Path::new(name).parent().filter(|folder| {
                    kind == io::ErrorKind::NotFound && !folder.as_os_str().is_empty()
                });
                if let Some(folder) = folder.filter(|folder| folder.is_dir()) {
                    return Self::Cannot(format!(
                        "cannot write to {name}: the folder {} takes no new file; name another folder",
                        shown(folder)
                    ));
                }
                let folder = folder.map_or(String::new(), |folder| format!(" {}", shown(folder)));
                let why = cannot_write(error);
                Self::Cannot(format!("cannot write to {name}: {why}{folder}"))
            }
        }
    }
}

/// A path in a message: harmless to a terminal, and in one line.
pub(crate) fn shown(path: &Path) -> String {
    Escaped(&path.display().to_string()).to_string()
}

/// Tells the user why the program ends as it does.
pub(crate) fn say(sentence: &str) {
    tell(&format!("wirewait: {sentence}"));
}

/// Writes lines to the standard error. Names in them are escaped where they come from, line ends
/// in them included; what was forgotten there cannot command the terminal either.
pub(crate) fn tell(text: &str) {
    let lines: Vec<String> = unnumbered(text)
        .lines()
        .map(|line| Escaped(line).to_string())
        .collect();
    // There is nobody left to tell if this fails.
    let _ = writeln!(io::stderr(), "{}", lines.join("\n"));
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage(text) | Self::Cannot(text) => f.write_str(&unnumbered(text)),
            Self::NobodyReads => f.write_str("nobody reads the output"),
        }
    }
}

impl From<SourceError> for Failure {
    fn from(error: SourceError) -> Self {
        Self::Cannot(Escaped(&error.to_string()).to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_made_only_if_it_is_missing() {
        let missing = io::Error::from(io::ErrorKind::NotFound);
        let said = |name: &str| Failure::writing(name, &missing).to_string();
        assert!(said("/no-such-folder/x").ends_with("; make the folder /no-such-folder"));
        let there = std::env::temp_dir().join("x.html");
        let said = said(&there.display().to_string());
        assert!(
            said.ends_with("takes no new file; name another folder"),
            "{said}"
        );
    }
}

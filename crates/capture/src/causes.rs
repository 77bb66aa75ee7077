//! What the system says of a file that it does not give, in words for people, and what helps.

use std::borrow::Cow;
use std::io;

/// Why a file cannot be opened, and what to do: a clause whose subject is the file.
#[must_use]
pub fn cannot_open(error: &io::Error) -> String {
    let what = error.to_string();
    let what = unnumbered(&what);
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
            format!("cannot be opened: {what}; check its name and folder")
        }
        io::ErrorKind::PermissionDenied if cfg!(unix) => {
            format!("cannot be opened: {what}; allow it (chmod +r), or run wirewait with sudo")
        }
        _ => format!("cannot be opened: {what}"),
    }
}

/// Why a file cannot be written, and what to do.
#[must_use]
pub fn cannot_write(error: &io::Error) -> String {
    let what = error.to_string();
    format!("{}; {}", unnumbered(&what), advice(error.kind()))
}

/// What helps where a file cannot be written.
pub(crate) const fn advice(kind: io::ErrorKind) -> &'static str {
    match kind {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "free some space",
        io::ErrorKind::FileTooLarge => "allow larger files (ulimit -f), or save smaller ones",
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "make the folder writable"
        }
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => "make the folder",
        io::ErrorKind::AlreadyExists | io::ErrorKind::IsADirectory => "name another file",
        _ => "see to the disk",
    }
}

/// A message without the numbers that Rust puts behind the system's words (`(os error 2)`): they
/// say nothing more.
#[must_use]
pub fn unnumbered(message: &str) -> Cow<'_, str> {
    const BEFORE: &str = " (os error ";
    let mut rest = message;
    let mut plain = String::new();
    while let Some((before, behind)) = rest.split_once(BEFORE) {
        plain.push_str(before);
        let digits = behind.trim_start_matches(|c: char| c.is_ascii_digit() || c == '-');
        rest = match digits.strip_prefix(')') {
            Some(after) => after,
            None => {
                plain.push_str(BEFORE);
                behind
            }
        };
    }
    match rest.len() == message.len() {
        true => Cow::Borrowed(message),
        false => Cow::Owned(plain + rest),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_systems_numbers_are_left_out() {
        for (message, plain) in [
            (
                "No such file or directory (os error 2)",
                "No such file or directory",
            ),
            (
                "x: full (os error 28); free some space",
                "x: full; free some space",
            ),
            ("a (os error 1), b (os error 2)", "a, b"),
            ("nothing to leave out", "nothing to leave out"),
            ("a file (os error none)", "a file (os error none)"),
        ] {
            assert_eq!(unnumbered(message), plain);
        }
    }

    #[cfg(unix)]
    #[test]
    fn what_cannot_be_opened_says_what_to_do() {
        let missing = cannot_open(&io::Error::from_raw_os_error(2));
        assert_eq!(
            missing,
            "cannot be opened: No such file or directory; check its name and folder"
        );
        let denied = cannot_open(&io::ErrorKind::PermissionDenied.into());
        assert!(
            denied.ends_with("; allow it (chmod +r), or run wirewait with sudo"),
            "{denied}"
        );
    }
}

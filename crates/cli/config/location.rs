//! Where the file of settings is, and what is in it.

use super::VARIABLE;
use crate::failure::Failure;
use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::path::{Path, PathBuf};
use wirewait_report::Escaped;

/// More than a file of settings can have.
const MOST: u64 = 1 << 20;

/// Where the file usually is.
pub(crate) fn usual_path(environment: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    // A relative one is to be ignored (XDG Base Directory Specification).
    let absolute = |name| {
        environment(name)
            .map(PathBuf::from)
            .filter(|p| p.is_absolute())
    };
    let folder = if cfg!(windows) {
        absolute("APPDATA")
    } else {
        absolute("XDG_CONFIG_HOME").or_else(|| absolute("HOME").map(|home| home.join(".config")))
    };
    folder.map(|folder| folder.join("wirewait").join("config.toml"))
}

/// Where settings are.
pub(super) enum Place {
    Nowhere,
    Named(PathBuf),
    /// If it is there.
    Usual(Option<PathBuf>),
}

pub(super) fn place(args: &[OsString], environment: impl Fn(&str) -> Option<OsString>) -> Place {
    let mut args = args.iter().skip(1).take_while(|arg| *arg != "--");
    while let Some(arg) = args.next() {
        if arg == "--no-config" {
            return Place::Nowhere;
        }
        if let Some(value) = option_value(arg, &mut args) {
            return Place::Named(value.into());
        }
    }
    match environment(VARIABLE) {
        Some(path) if path.is_empty() => Place::Usual(None),
        Some(path) => Place::Named(path.into()),
        None => Place::Usual(usual_path(environment)),
    }
}

/// The value of --config, if that is what `arg` is, with the next one where it stands there.
pub(super) fn option_value<'a>(
    arg: &'a OsStr,
    next: &mut impl Iterator<Item = &'a OsString>,
) -> Option<OsString> {
    value_of(arg, &["--config", "--config-file"], next)
}

/// The value of one of these options, likewise.
pub(super) fn value_of<'a>(
    arg: &'a OsStr,
    names: &[&str],
    next: &mut impl Iterator<Item = &'a OsString>,
) -> Option<OsString> {
    for name in names {
        if arg == *name {
            return next.next().cloned();
        }
        let value = arg
            .to_str()
            .and_then(|arg| arg.strip_prefix(*name)?.strip_prefix('='));
        if let Some(value) = value {
            return Some(value.into());
        }
    }
    None
}

/// The file of settings of a program with these arguments, if it is there.
pub(crate) fn file(
    args: &[OsString],
    environment: impl Fn(&str) -> Option<OsString>,
) -> Option<PathBuf> {
    let path = match place(args, environment) {
        Place::Nowhere => None,
        Place::Named(path) => Some(path),
        Place::Usual(path) => path,
    };
    path.filter(|path| path.exists())
}

/// Options of all commands without a value.
const ALONE: [&str; 3] = ["--no-config", "--no-sandbox", "--print-rights"];

/// How many of the first arguments say where settings are.
pub(crate) fn leading(args: &[OsString]) -> usize {
    let mut rest = args.iter();
    let mut count = 0;
    while let Some(arg) = rest.next() {
        let before = rest.len();
        let alone = ALONE.iter().any(|name| arg == name);
        if !alone
            && value_of(arg, &["--user"], &mut rest)
                .or_else(|| option_value(arg, &mut rest))
                .is_none()
        {
            break;
        }
        count += 1 + before - rest.len();
    }
    count
}

/// What is read of a file of settings.
pub(super) enum FileText {
    Whole(String),
    /// It is not there, and need not be.
    Absent,
    /// It may not be read, and need not be: why, in words.
    Denied(String),
}

/// The text of a file; one that is not named need not be there.
pub(super) fn read(path: &Path, named: bool) -> Result<FileText, Failure> {
    let name = path.display().to_string();
    let cannot = |error: std::io::Error| {
        let why = wirewait_capture::cannot_open(&error);
        Failure::Cannot(format!("{}: {why}", Escaped(&name)))
    };
    let file = match std::fs::File::open(path) {
        Ok(file) => file,
        Err(error) if !named && is_absent(error.kind()) => return Ok(FileText::Absent),
        // Who runs as somebody else (`sudo -u`) is often left with a home that is not theirs.
        Err(error) if !named && error.kind() == std::io::ErrorKind::PermissionDenied => {
            return Ok(FileText::Denied(format!("{}: {error}", Escaped(&name))));
        }
        Err(error) => return Err(cannot(error)),
    };
    let mut bytes = Vec::new();
    file.take(MOST + 1)
        .read_to_end(&mut bytes)
        .map_err(cannot)?;
    if bytes.len() as u64 > MOST {
        let message = format!("{} is larger than a configuration can be", Escaped(&name));
        return Err(Failure::Usage(message));
    }
    String::from_utf8(bytes)
        .map(FileText::Whole)
        .map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            Failure::Usage(format!("{}: byte {at} is no UTF-8", Escaped(&name)))
        })
}

const fn is_absent(kind: std::io::ErrorKind) -> bool {
    matches!(
        kind,
        std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory
    )
}

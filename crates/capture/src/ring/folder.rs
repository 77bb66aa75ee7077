//! The files of a ring, on the disk.

use super::Trouble;
use crate::write::create;
use jiff::tz::Offset;
use std::collections::VecDeque;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use wirewait_wire::Timestamp;

const EXTENSION: &str = ".pcapng";

/// Knows the names, and removes what is too much.
#[derive(Debug)]
pub(super) struct Folder {
    /// Of one file: its path. Of a ring: what the names begin with.
    path: PathBuf,
    is_ring: bool,
    /// Number of the next file.
    number: u64,
    /// Files to be kept.
    most: Option<usize>,
    /// The oldest first; only those that are to be removed some day.
    files: VecDeque<RingFile>,
    newest: PathBuf,
    /// Files of this ring that were removed, and the frames in them.
    pub(super) removed_files: u64,
    pub(super) removed_frames: u64,
}

#[derive(Debug)]
struct RingFile {
    path: PathBuf,
    /// Frames in it; `None` if an earlier ring left it there.
    frames: Option<u64>,
}

impl Folder {
    /// Exactly this file.
    pub(super) fn one(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            is_ring: false,
            number: 1,
            most: None,
            files: VecDeque::new(),
            newest: path.to_owned(),
            removed_files: 0,
            removed_frames: 0,
        }
    }

    /// Numbered files; goes on behind those that are there.
    pub(super) fn ring(path: &Path, most: Option<usize>) -> io::Result<Self> {
        let mut path = path.to_owned();
        if path.extension() == Some(OsStr::new(&EXTENSION[1..])) {
            path.set_extension("");
        }
        let Some(prefix) = path.file_name().map(OsStr::to_owned) else {
            let why = "it has no name; name the beginning of the files' names";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
        };
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let mut found = Vec::new();
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            if let Some(number) = number(&prefix, &entry.file_name())
                && entry.file_type()?.is_file()
            {
                found.push((number, path.with_file_name(entry.file_name())));
            }
        }
        found.sort();
        let last = found.last().map_or(0, |(number, _)| *number);
        let kept = found
            .into_iter()
            .map(|(_, path)| RingFile { path, frames: None });
        Ok(Self {
            newest: path.clone(),
            path,
            is_ring: true,
            number: last + 1,
            most: most.map(|most| most.max(1)),
            files: kept.filter(|_| most.is_some()).collect(),
            removed_files: 0,
            removed_frames: 0,
        })
    }

    /// Removes the oldest files until another one fits.
    pub(super) fn make_room(&mut self) -> Result<(), Trouble> {
        let Some(most) = self.most else {
            return Ok(());
        };
        let mut result = Ok(());
        while self.files.len() >= most {
            let Some(RingFile { path, frames }) = self.files.pop_front() else {
                break;
            };
            match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    result = Err(Trouble { file: path, error });
                }
                _ => {
                    self.removed_files += u64::from(frames.is_some());
                    self.removed_frames += frames.unwrap_or(0);
                }
            }
        }
        result
    }

    /// Makes the next file, whose first frame has this time.
    pub(super) fn next(&mut self, at: Timestamp) -> Result<File, Trouble> {
        let path = if self.is_ring {
            self.name(at)
        } else {
            self.path.clone()
        };
        let file = match create(&path) {
            Ok(file) => file,
            Err(error) => return Err(Trouble { file: path, error }),
        };
        self.number += 1;
        if self.most.is_some() {
            self.files.push_back(RingFile {
                path: path.clone(),
                frames: Some(0),
            });
        }
        self.newest = path;
        Ok(file)
    }

    /// Counts a frame of the last one that was made.
    pub(super) fn count(&mut self) {
        if let Some(RingFile { frames, .. }) = self.files.back_mut() {
            *frames = frames.map(|frames| frames + 1);
        }
    }

    /// The last one that was made.
    pub(super) fn newest(&self) -> &Path {
        &self.newest
    }

    fn name(&self, at: Timestamp) -> PathBuf {
        // jiff has every time that a `Timestamp` can hold.
        let at = jiff::Timestamp::from_nanosecond(at.as_nanos().into()).unwrap_or_default();
        let at = Offset::UTC.to_datetime(at).strftime("%Y%m%d%H%M%S");
        let mut name = self.path.file_name().unwrap_or_default().to_owned();
        name.push(format!("_{:05}_{at}{EXTENSION}", self.number));
        self.path.with_file_name(name)
    }
}

/// The number in the name of a file, if it is one of the ring's.
fn number(prefix: &OsStr, name: &OsStr) -> Option<u64> {
    let rest = name
        .as_encoded_bytes()
        .strip_prefix(prefix.as_encoded_bytes())?
        .strip_prefix(b"_")?
        .strip_suffix(EXTENSION.as_bytes())?;
    let (number, time) = std::str::from_utf8(rest).ok()?.split_once('_')?;
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let ours = number.len() >= 5 && digits(number) && time.len() == 14 && digits(time);
    // The next one needs a number, too.
    ours.then(|| number.parse().ok().filter(|n| *n < u64::MAX))?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_rings_own_files_are_known_by_their_names() {
        let number = |name: &str| number(OsStr::new("lan"), OsStr::new(name));
        assert_eq!(number("lan_00001_20261120170102.pcapng"), Some(1));
        assert_eq!(number("lan_123456_20261120170102.pcapng"), Some(123_456));
        for other in [
            "lan.pcapng",
            "lan_00001_20261120170102.pcap",
            "lan_00001_20261120170102.pcapng.gz",
            "lan_0001_20261120170102.pcapng",
            "lan_00001_2026112017010.pcapng",
            "lan_0000x_20261120170102.pcapng",
            "lan2_00001_20261120170102.pcapng",
            "lan_00001_20261120170102_x.pcapng",
            "_00001_20261120170102.pcapng",
            "lan_99999999999999999999_20261120170102.pcapng",
        ] {
            assert_eq!(number(other), None, "{other}");
        }
    }

    #[test]
    fn names_are_those_of_dumpcap() {
        let folder = std::env::temp_dir();
        let mut ring = Folder::ring(&folder.join("wirewait-names.pcapng"), None).unwrap();
        // `date -u -d @1700000000`
        let at = Timestamp::from_parts(1_700_000_000, 999);
        assert_eq!(
            ring.name(at),
            folder.join("wirewait-names_00001_20231114221320.pcapng")
        );
        // The first second of a `Timestamp`, the last before 1970, and the last of all.
        for (nanos, time) in [
            (i64::MIN, "16770921001243"),
            (-1, "19691231235959"),
            (i64::MAX, "22620411234716"),
        ] {
            let name = format!("wirewait-names_00001_{time}.pcapng");
            assert_eq!(ring.name(Timestamp::from_nanos(nanos)), folder.join(name));
        }
        ring.number = 100_000;
        let name = folder.join("wirewait-names_100000_20231114221320.pcapng");
        assert_eq!(ring.name(at), name);
        assert!(Folder::ring(Path::new("/"), None).is_err());
        assert!(Folder::ring(&folder.join("no-such-folder/x"), None).is_err());
    }
}

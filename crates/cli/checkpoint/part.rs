//! A capture file that is worked through: how it is known again.

use crate::failure::Failure;
use crate::input::is_stdin;
use serde::{Deserialize, Serialize};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use wirewait_capture::Options;
use wirewait_capture::held::{self, Opened};
use wirewait_engine::{Source, SourceErrorKind, Timestamp};
use wirewait_report::Escaped;

/// Bytes at either end that are looked at. There are times in them, so no two captures agree.
const LOOKED_AT: u64 = 1 << 16;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Part {
    /// Where it was.
    place: Vec<u8>,
    size: u64,
    /// CRC-32 of its first bytes, and of its last.
    head: u32,
    tail: u32,
    /// Time of its first frame, if it has one.
    pub(super) first: Option<Timestamp>,
}

impl Part {
    pub(super) fn of(path: &Path, options: &Options) -> Result<Self, Failure> {
        let name = path.display().to_string();
        let name = Escaped(&name);
        let only_files = |what: &str| {
            Failure::Usage(format!(
                "{name}: {what} cannot be known again, as --checkpoint needs it to; save it to a \
                 file first"
            ))
        };
        if is_stdin(path) {
            return Err(only_files("the standard input"));
        }
        let cannot = |error: io::Error| Failure::Cannot(format!("{name}: cannot be read: {error}"));
        // To open a pipe is to wait for who writes.
        if !held::metadata(path).map_err(cannot)?.is_file() {
            return Err(only_files("what is no file"));
        }
        let mut part = Self::by_content(path).map_err(cannot)?;
        part.first = first(path, options);
        Ok(part)
    }

    /// All but the time of its first frame.
    fn by_content(path: &Path) -> io::Result<Self> {
        let mut file = held::open(path)?;
        let size = file.metadata()?.len();
        let head = digest(&mut file, LOOKED_AT)?;
        file.seek(SeekFrom::Start(size.saturating_sub(LOOKED_AT)))?;
        Ok(Self {
            place: held::canonical(path)
                .unwrap_or_else(|| path.to_owned())
                .into_os_string()
                .into_encoded_bytes(),
            size,
            head,
            tail: digest(&mut file, LOOKED_AT)?,
            first: None,
        })
    }

    /// Whether `other` is the same file, whatever it is called now. Without frames any two are
    /// alike.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let content = |part: &Self| (part.size, part.head, part.tail);
        content(self) == content(other) && (self.first.is_some() || self.place == other.place)
    }

    /// Whether the file that is there now is this one with something added.
    pub(super) fn has_grown(&self, path: &Path, now: &Self) -> bool {
        let length = self.size.min(LOOKED_AT);
        let begins_alike = || held::open(path).and_then(|mut file| digest(&mut file, length));
        self.place == now.place
            && self.first.is_some()
            && begins_alike().is_ok_and(|head| head == self.head)
    }

    /// # Errors
    /// When the file was written to since it was looked at: nobody knows what of it was read.
    pub(super) fn is_unchanged(&self, path: &Path) -> Result<(), Failure> {
        let now = Self::by_content(path);
        let same = now
            .is_ok_and(|now| (now.size, now.head, now.tail) == (self.size, self.head, self.tail));
        if same {
            return Ok(());
        }
        Err(Failure::Cannot(format!(
            "{} changed while it was read; the checkpoint is as it was: name files when they are \
             complete",
            Escaped(&path.display().to_string())
        )))
    }
}

/// CRC-32 of so many bytes at the most.
fn digest(file: &mut Opened, length: u64) -> io::Result<u32> {
    let mut bytes = Vec::new();
    file.take(length).read_to_end(&mut bytes)?;
    Ok(crc32fast::hash(&bytes))
}

/// What is wrong with the file is said when it is read.
fn first(path: &Path, options: &Options) -> Option<Timestamp> {
    let mut files = wirewait_capture::open(&[path.to_owned()], options).ok()?;
    loop {
        match files.next_frame() {
            Ok(frame) => return frame.map(|frame| frame.at),
            Err(error) if error.kind == SourceErrorKind::Damaged => {}
            Err(_) => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_known_by_what_is_in_it() {
        let folder = std::env::temp_dir().join(format!("wirewait-part-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let write = |name: &str, bytes: &[u8]| {
            let path = folder.join(name);
            std::fs::write(&path, bytes).unwrap();
            let mut part = Part::by_content(&path).unwrap();
            part.first = Some(Timestamp::default());
            (path, part)
        };
        let long = vec![7; 200_000];
        let mut longer = long.clone();
        longer.push(1);
        for (content, more) in [
            (b"short".as_slice(), b"shorter".as_slice()),
            (&long, &longer),
        ] {
            let (path, one) = write("one", content);
            let (_, moved) = write("two", content);
            assert!(one.is_same(&one) && one.is_same(&moved));
            assert!(one.is_unchanged(&path).is_ok());
            let mut empty = moved;
            empty.first = None;
            assert!(!empty.is_same(&one), "without frames all are alike");
            let (_, grown) = write("one", more);
            assert!(!one.is_same(&grown) && one.has_grown(&path, &grown));
            assert!(one.is_unchanged(&path).is_err());
            let (_, other) = write("one", b"another capture");
            assert!(!one.is_same(&other) && !one.has_grown(&path, &other));
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }
}

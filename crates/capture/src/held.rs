//! Files opened while the program still had the rights for it.
//!
//! A program that gives up its rights before it reads a capture can no longer open what only those
//! rights could open. It [holds](hold) its files open instead: [`open`], which everything in this
//! crate uses, then lends the file that is held, with a read position of its own.
//!
//! One table for the process, as rights are the process's, too. It is filled once, before threads
//! are started.

use std::collections::HashMap;
use std::fs::{File, Metadata};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

static HELD: OnceLock<HashMap<PathBuf, OpenedFile>> = OnceLock::new();

/// A path that was opened, or why it could not be.
#[derive(Debug)]
struct OpenedFile {
    /// `Err` is the system's error number.
    file: Result<Arc<File>, Option<i32>>,
    canonical: Option<PathBuf>,
}

/// Opens these files, at most `most`, and keeps them open until the program ends. A file that
/// cannot be opened is reported when it is read. Returns the number of files left out because no
/// more may be open: they are opened when they are read. Only the first call has an effect.
pub fn hold<'p>(paths: impl IntoIterator<Item = &'p Path>, most: usize) -> usize {
    /// "Too many open files", of the process and of the system, on every Unix.
    const FULL: [i32; 2] = [24, 23];
    let mut held: HashMap<PathBuf, OpenedFile> = HashMap::new();
    let mut left_out = 0;
    for path in paths {
        if held.contains_key(path) {
            continue;
        }
        if left_out > 0 || held.len() >= most {
            left_out += 1;
            continue;
        }
        let file = match File::open(path) {
            Ok(file) => Ok(Arc::new(file)),
            Err(error) => match error.raw_os_error() {
                Some(number) if FULL.contains(&number) => {
                    left_out += 1;
                    continue;
                }
                number => Err(number),
            },
        };
        let canonical = path.canonicalize().ok();
        held.insert(path.to_owned(), OpenedFile { file, canonical });
    }
    let _ = HELD.set(held);
    left_out
}

/// Opens a file for reading: the one that is held under this path, else the one that is there.
///
/// # Errors
/// As [`File::open`]; for a path that was to be held, what happened then.
pub fn open(path: &Path) -> io::Result<HeldCapture> {
    let Some(held) = HELD.get().and_then(|held| held.get(path)) else {
        return File::open(path).map(HeldCapture::new);
    };
    match &held.file {
        Ok(file) => Ok(HeldCapture::lent(Arc::clone(file))),
        Err(Some(number)) => Err(io::Error::from_raw_os_error(*number)),
        Err(None) => Err(io::ErrorKind::Other.into()),
    }
}

/// What the system knows of a file, without opening it.
///
/// # Errors
/// As [`std::fs::metadata`]; for a path that was to be held, what happened then.
pub fn metadata(path: &Path) -> io::Result<Metadata> {
    match HELD.get().and_then(|held| held.get(path)) {
        Some(_) => open(path)?.metadata(),
        None => path.metadata(),
    }
}

/// Whether this path is held open.
#[must_use]
pub fn is_held(path: &Path) -> bool {
    let held = HELD.get().and_then(|held| held.get(path));
    held.is_some_and(|held| held.file.is_ok())
}

/// The absolute path without links, as it was when the file was opened; `None` if there is none.
#[must_use]
pub fn canonical(path: &Path) -> Option<PathBuf> {
    match HELD.get().and_then(|held| held.get(path)) {
        Some(held) => held.canonical.clone(),
        None => path.canonicalize().ok(),
    }
}

static SCRATCH: Mutex<Option<Arc<File>>> = Mutex::new(None);

/// Gives an empty file, open for reading and writing, into which compressed archives are unpacked.
/// Where none was given they are refused. Only the first call has an effect.
pub fn set_scratch(file: File) {
    let mut scratch = SCRATCH.lock().unwrap_or_else(PoisonError::into_inner);
    scratch.get_or_insert_with(|| Arc::new(file));
}

/// The scratch file, to be written at its end by one at a time.
pub(crate) fn scratch_writer() -> Option<Arc<File>> {
    let scratch = SCRATCH.lock().unwrap_or_else(PoisonError::into_inner);
    scratch.clone()
}

/// The scratch file, to be read.
pub(crate) fn open_scratch() -> io::Result<HeldCapture> {
    let scratch = scratch_writer().ok_or(io::ErrorKind::NotFound)?;
    Ok(HeldCapture::lent(scratch))
}

/// A file opened for reading from its beginning.
#[derive(Debug)]
pub struct HeldCapture {
    file: Arc<File>,
    /// Where to read next, in a file that others may read from at the same time. `None` for a file
    /// of its own, and for pipes and devices, which have one position only.
    at: Option<u64>,
}

impl HeldCapture {
    fn new(file: File) -> Self {
        Self {
            file: Arc::new(file),
            at: None,
        }
    }

    fn lent(file: Arc<File>) -> Self {
        let regular = file.metadata().is_ok_and(|metadata| metadata.is_file());
        Self {
            file,
            at: regular.then_some(0),
        }
    }

    /// What the system knows of the file.
    ///
    /// # Errors
    /// As [`File::metadata`].
    pub fn metadata(&self) -> io::Result<Metadata> {
        self.file.metadata()
    }
}

impl Seek for HeldCapture {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let Some(at) = self.at else {
            return (&*self.file).seek(to);
        };
        let moved = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::Current(by) => at.checked_add_signed(by),
            SeekFrom::End(by) => self.metadata()?.len().checked_add_signed(by),
        };
        let at = moved.ok_or(io::ErrorKind::InvalidInput)?;
        self.at = Some(at);
        Ok(at)
    }
}

impl Read for HeldCapture {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let Some(at) = self.at else {
            return (&*self.file).read(out);
        };
        let count = read_at(&self.file, out, at)?;
        self.at = Some(at.saturating_add(count as u64));
        Ok(count)
    }
}

#[cfg(unix)]
fn read_at(file: &File, out: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, out, at)
}

#[cfg(windows)]
fn read_at(file: &File, out: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, out, at)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The only test of this crate that fills the table.
    #[test]
    fn a_held_file_is_read_after_it_is_gone_and_by_two_at_once() {
        let folder = std::env::temp_dir().join(format!("wirewait-held-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let [kept, gone, later] = ["kept", "gone", "later"].map(|name| folder.join(name));
        let beyond = folder.join("beyond");
        std::fs::write(&kept, b"0123456789").unwrap();
        std::fs::write(&later, b"later").unwrap();
        assert_eq!(hold([kept.as_path(), &gone, &kept, &beyond], 2), 1);
        std::fs::write(&beyond, b"").unwrap();
        let canonical_then = kept.canonicalize().unwrap();
        std::fs::remove_file(&kept).unwrap();
        std::fs::write(&gone, b"came too late").unwrap();

        let (mut one, mut other) = (open(&kept).unwrap(), open(&kept).unwrap());
        let mut head = [0; 4];
        one.read_exact(&mut head).unwrap();
        let mut all = String::new();
        other.read_to_string(&mut all).unwrap();
        let mut rest = String::new();
        one.read_to_string(&mut rest).unwrap();
        assert_eq!((&head, rest.as_str()), (b"0123", "456789"));
        assert_eq!(all, "0123456789");
        assert_eq!(one.metadata().unwrap().len(), 10);
        let mut last = String::new();
        one.seek(SeekFrom::End(-2)).unwrap();
        other.seek(SeekFrom::Start(1)).unwrap();
        one.read_to_string(&mut last).unwrap();
        assert_eq!(last, "89");
        assert!(one.seek(SeekFrom::Current(-11)).is_err());
        assert_eq!(other.stream_position().unwrap(), 1);
        assert_eq!(metadata(&kept).unwrap().len(), 10);
        assert_eq!(canonical(&kept), Some(canonical_then));

        assert!(is_held(&kept) && !is_held(&gone) && !is_held(&later));
        assert!(open(&beyond).is_ok() && !is_held(&beyond));
        let why = open(&gone).unwrap_err().kind();
        assert_eq!(why, io::ErrorKind::NotFound, "as it was when it was held");
        let mut text = String::new();
        open(&later).unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "later");
        std::fs::remove_dir_all(&folder).unwrap();
    }
}

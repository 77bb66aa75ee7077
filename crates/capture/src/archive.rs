//! Archives: tar, zip, and tar within a compression. Each file in them is read like any other.
//!
//! Files of an archive are merged by time with all others, so they have to be opened wherever they
//! lie. In a tar or a zip that is a seek; a tar within a compression is unpacked once, into the file
//! that [`held::set_scratch`] was given. Memory holds the names and places of the files alone.

use crate::compressed;
use crate::fault::Fault;
use crate::held::{self, HeldCapture};
use crate::opening::open_file;
use crate::window::Window;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use wirewait_wire::SourceError;
use zip::CompressionMethod;

/// A header of a tar; what is looked at to find out what a file is.
const BLOCK: usize = 512;

/// Files of one archive at most.
const MOST_FILES: usize = 1 << 20;

/// A file of an archive.
#[derive(Clone, Debug)]
pub(crate) struct ArchivedFile {
    /// Name of the archive and its own, with a colon in between.
    pub(crate) name: String,
    store: Store,
    /// Where its bytes begin, and how many there are.
    at: u64,
    pub(crate) length: u64,
    packing: Packing,
}

#[derive(Clone, Debug)]
enum Store {
    Path(PathBuf),
    Scratch,
}

#[derive(Clone, Copy, Debug)]
enum Packing {
    Stored,
    Deflated,
}

/// The files of an archive.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    pub(crate) parts: Vec<ArchivedFile>,
    /// Files that cannot be read, and damage of the archive.
    pub(crate) errors: Vec<SourceError>,
}

impl Listing {
    /// Adds a file; hidden ones are left out, as in folders.
    fn add(&mut self, part: ArchivedFile, inside: &str) -> Result<(), Fault> {
        let file = inside.rsplit('/').next().unwrap_or(inside);
        if file.starts_with('.') {
            return Ok(());
        }
        if self.parts.len() >= MOST_FILES {
            return Err(Fault::unreadable(format!(
                "the archive holds more than {MOST_FILES} files; unpack it first"
            )));
        }
        self.parts.push(part);
        Ok(())
    }
}

impl ArchivedFile {
    /// Opens it. `counted` counts the bytes that are read of the archive.
    pub(crate) fn open(
        &self,
        counted: impl FnOnce(Box<dyn Read + Send>) -> Box<dyn Read + Send>,
    ) -> Result<Box<dyn Read + Send>, Fault> {
        let cannot = |error| Fault::unreadable(format!("cannot be opened: {error}"));
        let mut file = match &self.store {
            Store::Path(path) => open_file(path)?,
            Store::Scratch => held::open_scratch().map_err(cannot)?,
        };
        file.seek(SeekFrom::Start(self.at)).map_err(cannot)?;
        let bytes = counted(Box::new(file.take(self.length)));
        Ok(match self.packing {
            Packing::Stored => bytes,
            Packing::Deflated => compressed::deflated(bytes),
        })
    }
}

/// The files of an archive; `None` if it is none, or no regular file.
pub(crate) fn list(path: &Path) -> Result<Option<Listing>, Fault> {
    // A pipe can be opened only once. What is not there is reported when it is read.
    if !held::metadata(path).is_ok_and(|known| known.is_file()) {
        return Ok(None);
    }
    let mut file = open_file(path)?;
    let name = path.display().to_string();
    let Ok(head) = head(&mut file) else {
        // Reading it says so.
        return Ok(None);
    };
    if head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x05\x06") {
        return zip(file, path, &name).map(Some);
    }
    let rewound = file.seek(SeekFrom::Start(0));
    rewound.map_err(|error| Fault::unreadable(format!("cannot be read: {error}")))?;
    if is_tar(&head) {
        let store = Store::Path(path.to_owned());
        return tar(BufReader::new(file), 0, &store, &name).map(Some);
    }
    let window = Window::new(Box::new(file), 1 << 16);
    let Some(Ok(mut unpacked)) = compressed::unwrap(&head, window) else {
        return Ok(None);
    };
    match self::head(&mut unpacked) {
        Ok(head) if is_tar(&head) => packed_tar(&head, unpacked, &name).map(Some),
        _ => Ok(None),
    }
}

/// The first block, or what there is of it.
fn head(file: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut head = Vec::with_capacity(BLOCK);
    file.take(BLOCK as u64).read_to_end(&mut head)?;
    Ok(head)
}

/// Whether a header has the checksum that it names (POSIX.1-1988, "ustar" and older ones): the sum
/// of its bytes, those of the checksum taken as blanks.
fn is_tar(head: &[u8]) -> bool {
    let Some(field) = head.get(148..156).filter(|_| head.len() == BLOCK) else {
        return false;
    };
    let text = std::str::from_utf8(field).unwrap_or_default();
    let named = u32::from_str_radix(text.trim_matches(['\0', ' ']), 8);
    let sum: u32 = head.iter().map(|byte| u32::from(*byte)).sum();
    let own: u32 = field.iter().map(|byte| u32::from(*byte)).sum();
    head.first() != Some(&0) && named == Ok(sum - own + 8 * u32::from(b' '))
}

/// The files of a tar that begins at `base` of its store.
fn tar(source: impl Read + Seek, base: u64, store: &Store, name: &str) -> Result<Listing, Fault> {
    let mut listing = Listing::default();
    let mut archive = tar::Archive::new(source);
    let damaged = |error: io::Error| {
        Fault::unreadable(format!(
            "the tar archive is damaged ({error}); files before were read"
        ))
        .named(name)
    };
    let entries = archive
        .entries_with_seek()
        .map_err(|error| Fault::unreadable(format!("is a tar archive, but: {error}")))?;
    for entry in entries {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                listing.errors.push(damaged(error));
                break;
            }
        };
        let inside = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        let kind = entry.header().entry_type();
        if kind.is_gnu_sparse() {
            let sparse = Fault::unreadable("is a sparse file of a tar; unpack the archive first");
            listing
                .errors
                .push(sparse.named(&format!("{name}:{inside}")));
        } else if kind.is_file() || kind.is_contiguous() {
            let part = ArchivedFile {
                name: format!("{name}:{inside}"),
                store: store.clone(),
                at: base.saturating_add(entry.raw_file_position()),
                length: entry.size(),
                packing: Packing::Stored,
            };
            listing.add(part, &inside)?;
        }
    }
    Ok(listing)
}

/// Unpacks a tar into the scratch file.
fn packed_tar(head: &[u8], mut rest: impl Read, name: &str) -> Result<Listing, Fault> {
    let scratch = held::scratch_writer().ok_or_else(|| {
        Fault::unreadable(
            "is a compressed tar archive, and there is no room to unpack it: its name does not \
             end like one (.tar.gz, .tgz, .tar.zst ...), or no temporary file can be made (TMPDIR); \
             unpack it first",
        )
    })?;
    let full = |error: io::Error| {
        Fault::unreadable(format!(
            "cannot be unpacked into a temporary file: {error}; name another folder in TMPDIR, or \
             unpack it first"
        ))
    };
    let mut scratch = &*scratch;
    let base = scratch.seek(SeekFrom::End(0)).map_err(full)?;
    scratch.write_all(head).map_err(full)?;
    let damage = copy(&mut rest, scratch).map_err(full)?;
    let length = scratch.stream_position().map_err(full)? - base;
    let section = ArchiveSection::new(base, length).map_err(full)?;
    let mut listing = tar(BufReader::new(section), base, &Store::Scratch, name)?;
    if let Some(damage) = damage {
        listing.errors.clear();
        let damage = format!("{damage}; the files of the archive before were read");
        listing.errors.push(Fault::unreadable(damage).named(name));
    }
    Ok(listing)
}

/// Copies until the end, or until reading fails; the error of a write is one of this function.
fn copy(from: &mut impl Read, mut to: &File) -> io::Result<Option<io::Error>> {
    let mut buffer = vec![0; 1 << 16];
    loop {
        match from.read(&mut buffer) {
            Ok(0) => return Ok(None),
            Ok(count) => to.write_all(buffer.get(..count).unwrap_or_default())?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Ok(Some(error)),
        }
    }
}

/// A part of the scratch file, with positions of its own.
struct ArchiveSection {
    file: HeldCapture,
    base: u64,
    length: u64,
}

impl ArchiveSection {
    fn new(base: u64, length: u64) -> io::Result<Self> {
        let mut file = held::open_scratch()?;
        file.seek(SeekFrom::Start(base))?;
        Ok(Self { file, base, length })
    }
}

impl Read for ArchiveSection {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let at = self.file.stream_position()?.saturating_sub(self.base);
        let left = usize::try_from(self.length.saturating_sub(at)).unwrap_or(usize::MAX);
        let room = out.len().min(left);
        self.file.read(out.get_mut(..room).unwrap_or_default())
    }
}

impl Seek for ArchiveSection {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let to = match to {
            SeekFrom::Start(at) => SeekFrom::Start(self.base.saturating_add(at)),
            SeekFrom::Current(by) => SeekFrom::Current(by),
            SeekFrom::End(by) => {
                let end = self.base.saturating_add(self.length);
                let at = end.checked_add_signed(by);
                SeekFrom::Start(at.ok_or(io::ErrorKind::InvalidInput)?)
            }
        };
        self.file
            .seek(to)?
            .checked_sub(self.base)
            .ok_or_else(|| io::ErrorKind::InvalidInput.into())
    }
}

fn zip(file: HeldCapture, path: &Path, name: &str) -> Result<Listing, Fault> {
    let damaged = |error: zip::result::ZipError| {
        Fault::unreadable(format!("is a zip archive that cannot be read: {error}"))
    };
    let mut listing = Listing::default();
    let mut archive = zip::ZipArchive::new(BufReader::new(file)).map_err(damaged)?;
    for number in 0..archive.len() {
        let entry = archive.by_index_raw(number).map_err(damaged)?;
        if !entry.is_file() {
            continue;
        }
        let inside = String::from_utf8_lossy(entry.name_raw()).into_owned();
        let packing = match entry.compression() {
            _ if entry.encrypted() => Err("is encrypted; unpack the archive first".to_owned()),
            CompressionMethod::Stored => Ok(Packing::Stored),
            CompressionMethod::Deflated => Ok(Packing::Deflated),
            other => Err(format!(
                "is compressed in a way that is not read here ({other}); unpack the archive first"
            )),
        };
        let own = format!("{name}:{inside}");
        match (packing, entry.data_start()) {
            (Ok(packing), Some(at)) => {
                let part = ArchivedFile {
                    name: own,
                    store: Store::Path(path.to_owned()),
                    at,
                    length: entry.compressed_size(),
                    packing,
                };
                listing.add(part, &inside)?;
            }
            (Ok(_), None) => {
                let lost = Fault::unreadable("is not where the zip archive says");
                listing.errors.push(lost.named(&own));
            }
            (Err(why), _) => listing.errors.push(Fault::unreadable(why).named(&own)),
        }
    }
    Ok(listing)
}

#[cfg(test)]
mod tests;

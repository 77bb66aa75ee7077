//! A file that takes its name when it is complete. Whatever happens before (a full disk, a
//! signal, a power cut), the name stands for what it stood for.
//!
//! On Linux it has no name at all until then (`O_TMPFILE`, open(2)), so that nothing is left
//! behind even by `kill -9`. Where the file system cannot do that, it is called
//! `.wirewait-PID-N.new` meanwhile, and removed on failure.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// As many links in a row as Linux follows.
const LINKS: usize = 40;

/// Who may read a new file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Readers {
    /// As the umask has it.
    Usual,
    /// Its owner alone, whatever the permissions were before. It is never written in place.
    Owner,
}

/// An output that was opened with more rights than are left now.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) file: File,
    /// A file without a name on the same file system.
    pub(crate) scratch: Option<File>,
}

/// A file under way. Dropped before [`Replacement::commit`], it leaves nothing behind.
#[derive(Debug)]
pub(crate) struct Replacement {
    file: File,
    path: PathBuf,
    way: Replaced,
    /// The file it replaces. It is written over where it cannot be replaced after all.
    old: Option<File>,
    /// Something was in it.
    held: bool,
}

/// What is written to.
#[derive(Debug)]
enum Replaced {
    /// A file without a name in the same folder.
    #[cfg(target_os = "linux")]
    Unnamed,
    /// A file beside it.
    Beside(TemporaryFile),
    /// A file without a name that can be given none, because no other can be made in the folder,
    /// or none of its owner. The old file takes over its contents, for which room is reserved.
    Copied,
    /// The file itself: there is no other way.
    InPlace,
}

/// A file that is removed unless it got another name.
#[derive(Debug)]
struct TemporaryFile(PathBuf);

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        // It is not there any more if it was renamed.
        let _ = fs::remove_file(&self.0);
    }
}

impl Replacement {
    /// Begins what is to replace the regular file at `path`, or to be there. Links are followed.
    /// An existing file keeps its permissions and its owner; one that must not be written is not
    /// replaced either.
    ///
    /// # Errors
    /// What the operating system says.
    pub(crate) fn new(path: &Path, readers: Readers) -> io::Result<Self> {
        Self::of(path, readers, None)
    }

    /// As [`Replacement::new`], of a file that may have been opened already.
    ///
    /// # Errors
    /// What the operating system says.
    pub(crate) fn of(path: &Path, readers: Readers, opened: Option<Opened>) -> io::Result<Self> {
        let path = resolved(path);
        // Without truncating: for now it is only asked whether it may be written.
        let (old, scratch) = match opened {
            Some(Opened { file, scratch }) => (Ok(file), scratch),
            None => (OpenOptions::new().write(true).open(&path), None),
        };
        let existing = match old {
            Ok(file) => {
                let metadata = file.metadata()?;
                Some((file, metadata))
            }
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let made = make(&path, readers);
        let Some((old, metadata)) = existing else {
            let (file, way) = made?;
            return Ok(Self {
                file,
                path,
                way,
                old: None,
                held: false,
            });
        };
        let held = metadata.len() > 0;
        let made = made.and_then(|(file, way)| {
            if readers == Readers::Usual {
                belong_alike(&file, &metadata)?;
                file.set_permissions(metadata.permissions())?;
            }
            Ok((file, way))
        });
        match made {
            Ok((file, way)) => Ok(Self {
                file,
                path,
                way,
                old: (readers == Readers::Usual).then_some(old),
                held,
            }),
            Err(error) if is_refused(&error) && readers == Readers::Usual => match scratch {
                Some(scratch) => Ok(Self {
                    file: scratch,
                    path,
                    way: Replaced::Copied,
                    old: Some(old),
                    held,
                }),
                None => {
                    old.set_len(0)?;
                    Ok(Self {
                        file: old,
                        path,
                        way: Replaced::InPlace,
                        old: None,
                        held,
                    })
                }
            },
            Err(error) => Err(error),
        }
    }

    /// Whether the file itself is written, because nothing can take its place, and what it held is
    /// gone.
    pub(crate) fn is_in_place(&self) -> bool {
        matches!(self.way, Replaced::InPlace) && self.held
    }

    /// Puts it in its place.
    ///
    /// # Errors
    /// What the operating system says; the file is as it was then.
    pub(crate) fn commit(mut self) -> io::Result<()> {
        sync(&self.file)?;
        if matches!(self.way, Replaced::Copied) {
            let old = self.old.take();
            return old.map_or(Ok(()), |old| write_over(&mut self.file, old));
        }
        let placed = match self.named() {
            Ok(None) => return Ok(()),
            Ok(Some(beside)) => put(&beside.0, &self.path),
            Err(error) => Err(error),
        };
        match (placed, self.old.take()) {
            (Err(error), Some(old)) if is_refused(&error) => write_over(&mut self.file, old),
            (placed, _) => {
                sync_folder(&self.path);
                placed
            }
        }
    }

    /// Puts it where nothing is.
    ///
    /// # Errors
    /// What the operating system says: [`ErrorKind::AlreadyExists`] if something is there.
    pub(crate) fn commit_anew(mut self) -> io::Result<()> {
        sync(&self.file)?;
        #[cfg(target_os = "linux")]
        if matches!(self.way, Replaced::Unnamed) {
            match linux::name_as(&self.file, &self.path) {
                Ok(()) => {
                    sync_folder(&self.path);
                    return Ok(());
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists => return Err(error),
                // Without `/proc` it takes a file beside.
                Err(_) => {}
            }
        }
        if let Some(beside) = self.named()? {
            put_anew(&beside.0, &self.path)?;
        }
        sync_folder(&self.path);
        Ok(())
    }

    /// The file beside with all of it, on its disk.
    fn named(&mut self) -> io::Result<Option<TemporaryFile>> {
        match std::mem::replace(&mut self.way, Replaced::InPlace) {
            Replaced::InPlace | Replaced::Copied => Ok(None),
            Replaced::Beside(named) => Ok(Some(named)),
            #[cfg(target_os = "linux")]
            Replaced::Unnamed => linux::name(&mut self.file, &self.path).map(Some),
        }
    }
}

impl Write for Replacement {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Rights that were given up may leave no other way. A full disk is found before the old contents
/// are touched.
fn write_over(new: &mut File, mut old: File) -> io::Result<()> {
    let length = new.metadata()?.len();
    reserve(&old, length)?;
    new.rewind()?;
    old.rewind()?;
    io::copy(new, &mut old)?;
    old.set_len(length)?;
    sync(&old)
}

/// Reserves room for this many bytes, and leaves what the file holds.
#[cfg(target_os = "linux")]
fn reserve(file: &File, length: u64) -> io::Result<()> {
    use rustix::fs::{FallocateFlags, fallocate};
    if length == 0 {
        return Ok(());
    }
    match fallocate(file, FallocateFlags::KEEP_SIZE, 0, length) {
        // There are file systems that cannot.
        Err(rustix::io::Errno::OPNOTSUPP | rustix::io::Errno::NOSYS) => Ok(()),
        done => Ok(done?),
    }
}

#[cfg(not(target_os = "linux"))]
fn reserve(_: &File, _: u64) -> io::Result<()> {
    Ok(())
}

/// A file without a name in the folder of the one at `path`, where the system has such files.
pub(crate) fn scratch(path: &Path) -> Option<File> {
    #[cfg(target_os = "linux")]
    return linux::unnamed(folder(&resolved(path)), Readers::Owner).ok();
    #[cfg(not(target_os = "linux"))]
    {
        let _ = path;
        None
    }
}

/// A file without a name in this folder, for its owner alone.
///
/// # Errors
/// What the operating system says.
pub(crate) fn scratch_in(folder: &Path) -> io::Result<File> {
    #[cfg(target_os = "linux")]
    if let Ok(file) = linux::unnamed(folder, Readers::Owner) {
        return Ok(file);
    }
    // Its name is taken away again while it is open.
    beside(&folder.join("scratch"), Readers::Owner).map(|(file, _)| file)
}

fn put(beside: &Path, path: &Path) -> io::Result<()> {
    match fs::rename(beside, path) {
        // A file that is mounted, as containers do it, can only be written.
        Err(error) if error.kind() == ErrorKind::ResourceBusy => {
            let mut file = OpenOptions::new().write(true).truncate(true).open(path)?;
            io::copy(&mut File::open(beside)?, &mut file)?;
            sync(&file)
        }
        done => done,
    }
}

fn put_anew(beside: &Path, path: &Path) -> io::Result<()> {
    // Unlike renaming, this replaces nothing.
    match fs::hard_link(beside, path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(error),
        // A file system without links.
        Err(_) if path.symlink_metadata().is_err() => fs::rename(beside, path),
        Err(_) => Err(ErrorKind::AlreadyExists.into()),
        Ok(()) => Ok(()),
    }
}

/// The path behind all links, that of a file which is not there yet included.
fn resolved(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        let Ok(target) = fs::read_link(&path) else {
            break;
        };
        path = folder(&path).join(target);
    }
    path
}

/// The folder in which the file behind all links is, or will be, replaced.
#[cfg(target_os = "linux")]
pub(crate) fn folder_of(path: &Path) -> PathBuf {
    folder(&resolved(path)).to_owned()
}

/// The folder that a file is in.
fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

fn make(path: &Path, readers: Readers) -> io::Result<(File, Replaced)> {
    #[cfg(target_os = "linux")]
    if let Ok(file) = linux::unnamed(folder(path), readers) {
        return Ok((file, Replaced::Unnamed));
    }
    let (file, named) = beside(path, readers)?;
    Ok((file, Replaced::Beside(named)))
}

/// A file of this program's own in the same folder.
fn beside(path: &Path, readers: Readers) -> io::Result<(File, TemporaryFile)> {
    let mut options = OpenOptions::new();
    options.create_new(true);
    mode(&mut options, readers);
    loop {
        let beside = name_beside(path);
        match open_new(&mut options, &beside) {
            Ok(file) => return Ok((file, TemporaryFile(beside))),
            // Of a program with the same number that was killed: the next name is another one.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}

/// Opens a new file to be written, and to be read if that is allowed: a sandbox may let files of a
/// folder be written only.
fn open_new(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    match options.read(true).write(true).open(path) {
        Err(error) if is_refused(&error) => options.read(false).open(path),
        opened => opened,
    }
}

fn name_beside(path: &Path) -> PathBuf {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    folder(path).join(format!(".wirewait-{}-{number}.new", std::process::id()))
}

#[cfg(unix)]
fn mode(options: &mut OpenOptions, readers: Readers) {
    use std::os::unix::fs::OpenOptionsExt;
    options.mode(match readers {
        Readers::Usual => 0o666,
        Readers::Owner => 0o600,
    });
}

#[cfg(not(unix))]
fn mode(_: &mut OpenOptions, _: Readers) {}

/// Gives a new file to the owner of the old one.
#[cfg(unix)]
fn belong_alike(new: &File, old: &fs::Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, fchown};
    let mine = new.metadata()?;
    if (mine.uid(), mine.gid()) == (old.uid(), old.gid()) {
        return Ok(());
    }
    fchown(new, Some(old.uid()), Some(old.gid()))
}

#[cfg(not(unix))]
fn belong_alike(_: &File, _: &fs::Metadata) -> io::Result<()> {
    Ok(())
}

/// Whether the folder takes no new file, or none of that owner.
fn is_refused(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem
    )
}

fn sync(file: &File) -> io::Result<()> {
    match file.sync_all() {
        // There are file systems that do not know it.
        Err(error)
            if matches!(
                error.kind(),
                ErrorKind::InvalidInput | ErrorKind::Unsupported
            ) =>
        {
            Ok(())
        }
        synced => synced,
    }
}

/// Where a folder cannot be written through, the name will be on the disk soon.
fn sync_folder(path: &Path) {
    let _ = File::open(folder(path)).and_then(|folder| folder.sync_all());
}

#[cfg(target_os = "linux")]
mod linux {
    use super::{Readers, TemporaryFile, beside, mode, name_beside, open_new, sync};
    use rustix::fs::{AtFlags, CWD, OFlags, linkat};
    use std::fs::{File, OpenOptions};
    use std::io::{self, Seek};
    use std::os::fd::AsRawFd;
    use std::os::unix::fs::OpenOptionsExt;
    use std::path::Path;

    /// A file without a name.
    pub(super) fn unnamed(folder: &Path, readers: Readers) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.custom_flags(OFlags::TMPFILE.bits().cast_signed());
        mode(&mut options, readers);
        open_new(&mut options, folder)
    }

    /// Gives it this name, if nothing has it.
    pub(super) fn name_as(file: &File, name: &Path) -> io::Result<()> {
        let number = format!("/proc/self/fd/{}", file.as_raw_fd());
        linkat(CWD, &number, CWD, name, AtFlags::SYMLINK_FOLLOW)?;
        Ok(())
    }

    /// Gives it a name beside `path`; a copy of it, where the system gives it none (without
    /// `/proc`).
    pub(super) fn name(file: &mut File, path: &Path) -> io::Result<TemporaryFile> {
        let name = name_beside(path);
        if name_as(file, &name).is_ok() {
            return Ok(TemporaryFile(name));
        }
        let (mut copy, named) = beside(path, Readers::Owner)?;
        file.rewind()?;
        io::copy(file, &mut copy)?;
        copy.set_permissions(file.metadata()?.permissions())?;
        sync(&copy)?;
        Ok(named)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Folder(PathBuf);

    impl Folder {
        fn new(test: &str) -> Self {
            let name = format!("wirewait-{test}-{}", std::process::id());
            let folder = std::env::temp_dir().join(name);
            fs::create_dir_all(&folder).unwrap();
            Self(folder)
        }

        fn names(&self) -> Vec<String> {
            let entries = fs::read_dir(&self.0).unwrap();
            let mut names: Vec<String> = entries
                .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                .collect();
            names.sort();
            names
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    /// By either way, one after the other: without a name, and with one beside.
    fn both(path: &Path) -> impl Iterator<Item = Replacement> {
        [false, true].into_iter().map(move |named| {
            let mut new = Replacement::new(path, Readers::Usual).unwrap();
            if named {
                let (file, beside) = beside(path, Readers::Usual).unwrap();
                (new.file, new.way) = (file, Replaced::Beside(beside));
            }
            new
        })
    }

    #[test]
    fn a_name_stands_for_the_old_file_or_for_all_of_the_new_one() {
        let folder = Folder::new("replaced");
        let path = folder.0.join("report.txt");
        for mut new in both(&path) {
            fs::write(&path, "old").unwrap();
            new.write_all(b"half").unwrap();
            assert_eq!(fs::read(&path).unwrap(), b"old");
            drop(new);
            assert_eq!(fs::read(&path).unwrap(), b"old");
            assert_eq!(folder.names(), ["report.txt"], "and nothing is left behind");
        }
        for mut new in both(&path) {
            fs::write(&path, "old").unwrap();
            new.write_all(b"new").unwrap();
            new.commit().unwrap();
            assert_eq!(fs::read(&path).unwrap(), b"new");
            assert_eq!(folder.names(), ["report.txt"]);
        }
    }

    #[test]
    fn what_is_new_replaces_nothing() {
        let folder = Folder::new("anew");
        let path = folder.0.join("servers.csv");
        let mut ways = both(&path);
        ways.next().unwrap().commit_anew().unwrap();
        for new in both(&path) {
            let taken = new.commit_anew().unwrap_err();
            assert_eq!(taken.kind(), ErrorKind::AlreadyExists);
        }
        assert_eq!(folder.names(), ["servers.csv"]);
    }

    #[cfg(unix)]
    #[test]
    fn permissions_and_links_stay() {
        use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
        let folder = Folder::new("links");
        let (path, link) = (folder.0.join("real.txt"), folder.0.join("link.txt"));
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        symlink("real.txt", &link).unwrap();
        let mut new = Replacement::new(&link, Readers::Usual).unwrap();
        new.write_all(b"new").unwrap();
        new.commit().unwrap();
        assert!(link.symlink_metadata().unwrap().is_symlink());
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(path.metadata().unwrap().mode() & 0o777, 0o640);
        // One that leads to nothing yet.
        let (path, link) = (folder.0.join("later.txt"), folder.0.join("dangling.txt"));
        symlink("later.txt", &link).unwrap();
        Replacement::new(&link, Readers::Owner)
            .unwrap()
            .commit()
            .unwrap();
        assert!(link.symlink_metadata().unwrap().is_symlink());
        assert_eq!(path.metadata().unwrap().mode() & 0o777, 0o600);
    }
}

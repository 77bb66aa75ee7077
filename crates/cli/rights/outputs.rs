//! Outputs, opened with the rights the user gave, before anything is read. They are written
//! through these where the rights that are left give no way to replace a file as a whole.

use crate::failure::{Failure, shown};
use crate::replacement::{self, Opened};
use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Seek};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

/// Those of this process, as rights are the process's, too. Filled once.
static OPENED: OnceLock<HashMap<PathBuf, Opened>> = OnceLock::new();

/// Room for what does not fit memory, or why there is none.
static SCRATCH: Mutex<Option<io::Result<File>>> = Mutex::new(None);

/// Makes a file that is not there yet, where its folder takes none any more later.
pub(super) type Make<'a> = &'a dyn Fn(&Path) -> io::Result<Option<File>>;

/// Opens the outputs, and leaves in them what they hold. Those that `make` makes are left empty if
/// the command fails.
pub(super) fn open(paths: &[PathBuf], inputs: &[PathBuf], make: Make<'_>) -> Result<(), Failure> {
    if OPENED.get().is_some() || inputs.iter().any(|input| !input.exists()) {
        // The command will say what is missing; it needs no output for that.
        return Ok(());
    }
    let mut opened = HashMap::new();
    for path in paths {
        let target = path.canonicalize().ok();
        let same = |input: &PathBuf| target.is_some() && input.canonicalize().ok() == target;
        // What is an input is refused where it would be created.
        if opened.contains_key(path) || inputs.iter().any(same) {
            continue;
        }
        let file = existing_or_new(path, make);
        if let Some(file) = file.map_err(|error| Failure::writing(&shown(path), &error))? {
            let whole = file.metadata().is_ok_and(|metadata| metadata.is_file());
            let scratch = whole.then(|| replacement::scratch(path)).flatten();
            opened.insert(path.clone(), Opened { file, scratch });
        }
    }
    let _ = OPENED.set(opened);
    Ok(())
}

/// Opens room for what does not fit memory.
pub(super) fn open_scratch() {
    let file = replacement::scratch_in(&std::env::temp_dir());
    *SCRATCH.lock().unwrap_or_else(PoisonError::into_inner) = Some(file);
}

/// Opens room for archives that have to be unpacked. Where there is none, reading them says so.
pub(super) fn open_room() {
    if let Ok(file) = replacement::scratch_in(&std::env::temp_dir()) {
        wirewait_capture::held::set_scratch(file);
    }
}

/// A file without a name in the folder of temporary files. Only the first caller gets it.
///
/// # Errors
/// What the operating system said when it was opened; `NotFound` for all later callers.
pub(crate) fn scratch() -> io::Result<File> {
    let file = SCRATCH
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .take();
    file.unwrap_or_else(|| Err(ErrorKind::NotFound.into()))
}

/// The output at this path, if it was opened before rights were given up.
///
/// # Errors
/// What the operating system says.
pub(crate) fn opened(path: &Path) -> io::Result<Option<Opened>> {
    let opened = OPENED.get().and_then(|opened| opened.get(path));
    let again = |Opened { file, scratch }: &Opened| {
        Ok(Opened {
            file: file.try_clone()?,
            scratch: scratch.as_ref().map(File::try_clone).transpose()?,
        })
    };
    opened.map(again).transpose()
}

/// An empty file that grows while it is written.
///
/// # Errors
/// What the operating system says.
pub(crate) fn growing(path: &Path) -> io::Result<File> {
    let Some(Opened { mut file, .. }) = opened(path)? else {
        return File::create(path);
    };
    // Pipes and devices are as empty as they get.
    if file.metadata()?.is_file() {
        file.set_len(0)?;
        file.rewind()?;
    }
    Ok(file)
}

fn existing_or_new(path: &Path, make: Make<'_>) -> io::Result<Option<File>> {
    let mut options = OpenOptions::new();
    // Devices and pipes are opened as they are written.
    match options.write(true).append(is_special(path)).open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => make(path),
        file => file.map(Some),
    }
}

fn is_special(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| !metadata.is_file())
}

//! Files that are written once: opened with the rights the user gave, before anything is read.

use crate::failure::Failure;
use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Seek};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Those of this process, as rights are the process's, too. Filled once.
static OPENED: OnceLock<HashMap<PathBuf, File>> = OnceLock::new();

/// Opens the outputs. What is in them stays until [`create`]; one that was not there is left empty
/// if the command fails before. Files that are new go to `owner`.
pub(super) fn open(
    paths: &[PathBuf],
    inputs: &[PathBuf],
    owner: impl Fn(&File),
) -> Result<(), Failure> {
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
        let file = existing_or_new(path, &owner);
        let file = file.map_err(|e| Failure::writing(&path.display().to_string(), &e))?;
        opened.insert(path.clone(), file);
    }
    let _ = OPENED.set(opened);
    Ok(())
}

/// An empty file to be written: the one that was opened before rights were given up, else a new
/// one.
pub(crate) fn create(path: &Path) -> io::Result<File> {
    let Some(opened) = OPENED.get().and_then(|opened| opened.get(path)) else {
        return File::create(path);
    };
    let mut file = opened.try_clone()?;
    // Pipes and devices are as empty as they get.
    if file.metadata()?.is_file() {
        file.set_len(0)?;
        file.rewind()?;
    }
    Ok(file)
}

fn existing_or_new(path: &Path, owner: &impl Fn(&File)) -> io::Result<File> {
    match OpenOptions::new().write(true).create_new(true).open(path) {
        Ok(file) => {
            owner(&file);
            Ok(file)
        }
        // A link that leads nowhere counts as there, too.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            let mut options = OpenOptions::new();
            options.write(true).create(true).truncate(false).open(path)
        }
        Err(error) => Err(error),
    }
}

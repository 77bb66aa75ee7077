//! The file that holds the state: read as a whole, replaced as a whole.

use crate::failure::{Failure, shown};
use crate::replacement::{Readers, Replacement};
use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::path::Path;
use wirewait_engine::{Analyzer, Refused};
use wirewait_report::Escaped;

/// As it was when the run began.
pub(super) struct State {
    /// What stands in it, if it was there.
    pub(super) bytes: Option<Vec<u8>>,
}

impl State {
    pub(super) fn read(path: &Path) -> Result<Self, Failure> {
        let name = path.display().to_string();
        let cannot = |error: io::Error| {
            Failure::Cannot(format!("{}: cannot be read: {error}", Escaped(&name)))
        };
        match path.metadata() {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Self { bytes: None }),
            Err(error) => return Err(cannot(error)),
            Ok(metadata) if !metadata.is_file() => {
                return Err(Failure::Usage(format!(
                    "{}: is no file; name one for --checkpoint",
                    Escaped(&name)
                )));
            }
            Ok(_) => {}
        }
        let mut file = File::open(path).map_err(cannot)?;
        let mut bytes = head(&mut file).map_err(cannot)?;
        if !Analyzer::begins_checkpoint(&bytes) {
            return Err(super::told(path, &Refused::Foreign));
        }
        file.read_to_end(&mut bytes).map_err(cannot)?;
        Ok(Self { bytes: Some(bytes) })
    }

    /// Puts a new state in its place, or leaves the old one as it is and says why: it is written
    /// beside it, and takes its name when it is complete on the disk.
    pub(super) fn replace(&self, path: &Path, new: &[u8]) -> Result<(), Failure> {
        let kept = match &self.bytes {
            Some(_) => "the checkpoint is as it was",
            None => "no checkpoint was left",
        };
        let name = shown(path);
        let written = Replacement::new(path, Readers::Owner).and_then(|mut state| {
            state.write_all(new)?;
            if !self.is_there(path)? {
                return Ok(false);
            }
            state.commit()?;
            Ok(true)
        });
        match written {
            Ok(true) => Ok(()),
            Ok(false) => Err(Failure::Cannot(format!(
                "{name}: another run wrote it meanwhile, and nothing of this one is kept; run it \
                 again when no other does"
            ))),
            Err(error) => Err(Failure::Cannot(format!(
                "cannot write to {name}: {error}; {kept}, and nothing is lost if the same is run \
                 again"
            ))),
        }
    }

    /// Whether what is there is still what was read.
    fn is_there(&self, path: &Path) -> io::Result<bool> {
        let now = match File::open(path) {
            Ok(mut file) => Some(head(&mut file)?),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let front = |bytes: &Vec<u8>| bytes[..bytes.len().min(Analyzer::CHECKPOINT_HEAD)].to_vec();
        Ok(now == self.bytes.as_ref().map(front))
    }
}

fn head(file: &mut File) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let length = Analyzer::CHECKPOINT_HEAD as u64;
    file.take(length).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let name = |entry: io::Result<fs::DirEntry>| entry.unwrap().file_name();
        let mut names: Vec<String> = entries
            .map(name)
            .map(|n| n.into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_state_is_replaced_as_a_whole_or_not_at_all() {
        let folder = std::env::temp_dir().join(format!("wirewait-state-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("day.state");
        let state = |what: &str| [b"WWSTATE\x1a".as_slice(), what.as_bytes()].concat();
        let none = State::read(&path).unwrap();
        assert!(none.bytes.is_none());
        none.replace(&path, &state("one")).unwrap();
        let one = State::read(&path).unwrap();
        assert_eq!(one.bytes, Some(state("one")));
        #[cfg(unix)]
        {
            let metadata = path.metadata().unwrap();
            let mode = std::os::unix::fs::PermissionsExt::mode(&metadata.permissions());
            assert_eq!(mode & 0o777, 0o600, "only its owner");
        }
        one.replace(&path, &state("two")).unwrap();
        let lost = one.replace(&path, &state("three")).unwrap_err().to_string();
        assert!(lost.contains("another run wrote it meanwhile"), "{lost}");
        assert!(none.replace(&path, &state("three")).is_err());
        assert_eq!(State::read(&path).unwrap().bytes, Some(state("two")));
        let away = folder.join("away").join("day.state");
        let failed = none.replace(&away, &state("one")).unwrap_err().to_string();
        assert!(failed.contains("no checkpoint was left"), "{failed}");
        assert_eq!(names(&folder), ["day.state"]);
        fs::write(&path, b"notes").unwrap();
        let foreign = State::read(&path).err().unwrap().to_string();
        assert!(foreign.contains("this is no checkpoint"), "{foreign}");
        let no_file = State::read(&folder).err().unwrap().to_string();
        assert!(no_file.contains("is no file"), "{no_file}");
        fs::remove_dir_all(&folder).unwrap();
    }
}

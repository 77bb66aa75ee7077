//! Removes an output that stayed empty because the command failed.
//!
//! As root, an output in a folder where the user that it becomes makes no files is made before rights
//! are given up, and that user cannot remove it again. So this program is started once more, as a process
//! that reads nothing but a pipe: if that ends without a word, the command failed or was killed, and
//! the process removes the file if it is still empty. It may do nothing else.

use super::landlock::{self, May};
use super::seccomp::{self, Filter};
use super::user;
use rustix::thread::CapabilitySet;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};

/// The first argument of such a process. Nobody types it.
const ASKED: &str = "--remove-unless-kept";

/// Those that this process started.
static STARTED: Mutex<Vec<Child>> = Mutex::new(Vec::new());

/// Starts one for a file that was made at this path. Where none can be started, the file stays.
pub(super) fn start(path: &Path, file: &File) {
    let started = || -> io::Result<Child> {
        let made = file.metadata()?;
        Command::new(std::env::current_exe()?)
            .arg(ASKED)
            .arg(path.canonicalize()?)
            .args([made.dev().to_string(), made.ino().to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            // Ctrl-C ends the command, and this process after it.
            .process_group(0)
            .spawn()
    };
    if let Ok(child) = started() {
        let mut all = STARTED.lock().unwrap_or_else(PoisonError::into_inner);
        all.push(child);
    }
}

/// Ends them: the outputs stay if they are `kept`, else what is empty is removed.
pub(super) fn end(kept: bool) {
    let all = std::mem::take(&mut *STARTED.lock().unwrap_or_else(PoisonError::into_inner));
    for mut child in all {
        let told = child.stdin.take().map(|mut pipe| match kept {
            true => pipe.write_all(b"kept"),
            false => Ok(()),
        });
        // Where it is gone already, there is nothing to end.
        drop(told);
        let _ = child.wait();
    }
}

/// Whether this process is one of them. Does what it is there for.
pub(super) fn is_one(mut args: impl Iterator<Item = OsString>) -> bool {
    if args.nth(1).is_none_or(|first| first != ASKED) {
        return false;
    }
    let path = args.next();
    let mut number = || args.next()?.to_str()?.parse::<u64>().ok();
    if let (Some(path), Some(device), Some(inode)) = (path, number(), number()) {
        remove_unless_kept(Path::new(&path), (device, inode));
    }
    true
}

fn remove_unless_kept(path: &Path, made: (u64, u64)) {
    let Some(folder) = path.parent() else {
        return;
    };
    // Folders of others take no orders from a root without capabilities.
    if user::shed(None, CapabilitySet::DAC_OVERRIDE).is_err() {
        return;
    }
    let _ = landlock::confine(vec![(May::Remove, folder.to_owned())]);
    let _ = seccomp::confine(Filter::All);
    let _ = seccomp::confine(Filter::Readers);
    let mut word = [0];
    if !matches!(io::stdin().read(&mut word), Ok(0)) {
        return;
    }
    let is_it =
        |found: fs::Metadata| (found.dev(), found.ino(), found.len()) == (made.0, made.1, 0);
    if path.symlink_metadata().is_ok_and(is_it) {
        let _ = fs::remove_file(path);
    }
}

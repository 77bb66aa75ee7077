//! The copy of the program that may capture, which packages keep for the members of a group
//! (`packaging/postinst`). Everyone runs the program without rights; where it lacks the right to
//! capture, it becomes the copy.

use nix::unistd::{Gid, Group};
use rustix::thread::{CapabilitySet, capabilities, set_capabilities};
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::{env, process};

/// Where the copy is, seen from the folder of the program: `/usr/lib/wirewait/wirewait`.
const COPY: &str = "lib/wirewait/wirewait";

/// Becomes the copy, if this process has no right to capture and its user may run the copy. Nothing
/// has been opened yet.
pub(crate) fn become_capable() {
    take_up();
    if may_capture() {
        return;
    }
    if let Some(copy) = copy() {
        let mut typed = env::args_os();
        let mut copy = process::Command::new(copy);
        if let Some(name) = typed.next() {
            copy.arg0(name);
        }
        // It returns where the user may not run it; what is missing is said where it is missed.
        let _ = copy.args(typed).exec();
    }
}

/// The group whose members may run the copy.
pub(super) fn group() -> Option<String> {
    let of = copy()?.metadata().ok()?.gid();
    Some(Group::from_gid(Gid::from_raw(of)).ok()??.name)
}

/// Puts the right to capture into effect where this process has it, but not in effect. The image for
/// containers gives it so: a file that puts it into effect itself cannot be executed at all where the
/// right is withheld (capabilities(7), "Safety checking for capability-dumb binaries").
fn take_up() {
    let capture = CapabilitySet::NET_RAW | CapabilitySet::NET_ADMIN;
    if let Ok(mut has) = capabilities(None) {
        has.effective |= has.permitted & capture;
        // Where that fails, what is missing is said where it is missed.
        let _ = set_capabilities(None, has);
    }
}

fn may_capture() -> bool {
    capabilities(None).is_ok_and(|has| has.effective.contains(CapabilitySet::NET_RAW))
}

fn copy() -> Option<PathBuf> {
    copy_of(&env::current_exe().ok()?)
}

/// The copy of a program, which has none itself.
fn copy_of(program: &Path) -> Option<PathBuf> {
    let copy = program.parent()?.parent()?.join(COPY);
    copy.is_file().then_some(copy)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_copy_is_found_beside_the_folder_of_programs_and_has_none_itself() {
        let root = env::temp_dir().join(format!("wirewait-capable-{}", process::id()));
        let (program, copy) = (root.join("bin/wirewait"), root.join(COPY));
        fs::create_dir_all(copy.parent().unwrap()).unwrap();
        assert_eq!(copy_of(&program), None);
        fs::write(&copy, "").unwrap();
        let found = (copy_of(&program), copy_of(&copy));
        fs::remove_dir_all(&root).unwrap();
        assert_eq!(found, (Some(copy), None));
    }
}

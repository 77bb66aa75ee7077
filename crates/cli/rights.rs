//! Rights: those that capturing takes, and being rid of them as soon as it is under way.
//!
//! What comes from the wire is read by threads that may do nothing any more. Only the threads
//! that copy frames keep CAP_NET_RAW, so that an interface that went away can be opened again.
//! A thread inherits what the one has that starts it, and capabilities and users belong to
//! threads on Linux: so all of this has to happen while there is only one, in this order:
//! open, [`keep_only_reopening`], start the threads that capture, [`give_up_all`].

use crate::failure::Failure;
use std::path::Path;

/// What to do about missing rights.
pub(crate) fn advice() -> String {
    let program = std::env::current_exe().ok();
    let program = program.as_deref().unwrap_or(Path::new("wirewait"));
    let setcap = if cfg!(target_os = "linux") {
        format!(
            "Give it to the program, once:\n  sudo setcap cap_net_raw,cap_net_admin=eip {}\n",
            quoted(&program.display().to_string())
        )
    } else {
        "Run it with sudo.\n".to_owned()
    };
    format!("{setcap}Or let another program capture:\n  dumpcap -w - | wirewait live -")
}

/// As a shell reads it.
fn quoted(path: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+:@%".contains(c);
    if !path.is_empty() && path.chars().all(plain) {
        return path.to_owned();
    }
    format!("'{}'", path.replace('\'', r"'\''"))
}

#[cfg(target_os = "linux")]
pub(crate) use linux::give_up_all;
#[cfg(all(target_os = "linux", feature = "libpcap"))]
pub(crate) use linux::keep_only_reopening;

#[cfg(target_os = "linux")]
mod linux {
    use super::Failure;
    use rustix::io;
    use rustix::process::{Gid, Uid, geteuid};
    use rustix::thread::{
        CapabilitySet, CapabilitySets, capabilities, clear_ambient_capability_set,
        remove_capability_from_bounding_set, set_capabilities, set_keep_capabilities,
        set_no_new_privs, set_thread_groups, set_thread_res_gid, set_thread_res_uid,
    };

    /// Gives up everything but the right to open an interface again. Under sudo the program
    /// then belongs to the user who called it, and so do the files it writes.
    #[cfg(feature = "libpcap")]
    pub(crate) fn keep_only_reopening() -> Result<(), Failure> {
        shed(CapabilitySet::NET_RAW).map_err(stuck)
    }

    /// Gives up everything.
    pub(crate) fn give_up_all() -> Result<(), Failure> {
        shed(CapabilitySet::empty()).map_err(stuck)
    }

    fn shed(kept: CapabilitySet) -> io::Result<()> {
        forget_bounds();
        if let Some((user, group)) = caller() {
            // Changing the user takes all capabilities away unless this is asked for.
            set_keep_capabilities(!kept.is_empty())?;
            set_thread_groups(&[group])?;
            set_thread_res_gid(group, group, group)?;
            set_thread_res_uid(user, user, user)?;
        }
        let kept = kept & capabilities(None)?.permitted;
        set_capabilities(
            None,
            CapabilitySets {
                effective: kept,
                permitted: kept,
                inheritable: CapabilitySet::empty(),
            },
        )?;
        // Nothing this program may start gets more than it has. Old kernels have no ambient set.
        let _ = clear_ambient_capability_set();
        set_no_new_privs(true)
    }

    /// Capabilities that could be had again by a program that is started. To forget them takes
    /// a right, too, which only root has; without it `no_new_privs` does the same.
    fn forget_bounds() {
        for capability in CapabilitySet::all().iter() {
            let _ = remove_capability_from_bounding_set(capability);
        }
    }

    /// Who called sudo, if it made the program root.
    fn caller() -> Option<(Uid, Gid)> {
        let number = |name: &str| std::env::var(name).ok()?.parse::<u32>().ok();
        let (user, group) = (number("SUDO_UID")?, number("SUDO_GID")?);
        // The greatest number stands for "leave it as it is".
        let valid = user != 0 && user != u32::MAX && group != u32::MAX;
        (geteuid().is_root() && valid).then(|| (Uid::from_raw(user), Gid::from_raw(group)))
    }

    fn stuck(error: io::Errno) -> Failure {
        Failure::Cannot(format!(
            "the rights that are not needed cannot be given up ({error}), and with them nothing \
             is read from the wire"
        ))
    }
}

/// Other systems have no rights of threads: what the program may, it keeps.
#[cfg(all(not(target_os = "linux"), feature = "libpcap"))]
pub(crate) fn keep_only_reopening() -> Result<(), Failure> {
    Ok(())
}

/// As [`keep_only_reopening`].
#[cfg(not(target_os = "linux"))]
pub(crate) fn give_up_all() -> Result<(), Failure> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_quoted_where_a_shell_would_split_them() {
        assert_eq!(quoted("/usr/bin/wirewait"), "/usr/bin/wirewait");
        assert_eq!(quoted("/home/a b/w"), "'/home/a b/w'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
    }

    #[test]
    fn the_advice_names_the_program_that_runs() {
        let program = std::env::current_exe().unwrap();
        let name = program.file_name().unwrap().to_str().unwrap();
        let advice = advice();
        assert!(
            advice.contains(name) || !cfg!(target_os = "linux"),
            "{advice}"
        );
        assert!(
            advice.contains("dumpcap -w - | wirewait live -"),
            "{advice}"
        );
    }

    /// In a thread of its own: it cannot be undone.
    #[cfg(all(target_os = "linux", feature = "libpcap"))]
    #[test]
    fn a_thread_can_be_rid_of_all_rights() {
        use rustix::thread::{capabilities, no_new_privs};
        let shed = || {
            keep_only_reopening().unwrap();
            let kept = capabilities(None).unwrap();
            give_up_all().unwrap();
            (kept, capabilities(None).unwrap(), no_new_privs().unwrap())
        };
        let (kept, left, bound) = std::thread::spawn(shed).join().unwrap();
        assert_eq!(kept.permitted, kept.effective);
        assert!(
            kept.permitted
                .iter_names()
                .all(|(name, _)| name == "NET_RAW")
        );
        assert!(left.permitted.is_empty() && left.effective.is_empty());
        assert!(left.inheritable.is_empty() && bound);
    }
}

//! Users and capabilities of the calling thread.
//!
//! Both belong to threads on Linux, and a thread inherits them from the one that starts it: all of
//! this happens while there is only one thread that is not meant to keep more.

use crate::failure::Failure;
use nix::unistd;
use rustix::io::Errno;
use rustix::process::{Gid, Uid, geteuid};
use rustix::thread::{
    CapabilitySet, CapabilitySets, capabilities, clear_ambient_capability_set,
    remove_capability_from_bounding_set, set_capabilities, set_keep_capabilities, set_no_new_privs,
    set_thread_groups, set_thread_res_gid, set_thread_res_uid,
};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use wirewait_report::Escaped;

/// Who has no files and no rights, where the system does not say who that is.
const NOBODY: u32 = 65_534;

/// A user to become.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct User {
    pub(super) uid: Uid,
    pub(super) gid: Gid,
    pub(super) name: String,
    /// Named by `--user`, or who called sudo: outputs are theirs. Nobody owns nothing.
    pub(super) owns: bool,
}

impl User {
    /// Whom this process is to become; `None` to stay who it is.
    ///
    /// # Errors
    /// When the user asked for somebody who is not known, or whom it may not become.
    pub(super) fn to_become(wanted: Option<&str>) -> Result<Option<Self>, Failure> {
        let now = geteuid();
        match wanted {
            Some(text) => match Self::named(text)? {
                user if user.uid == now => Ok(None),
                user if now.is_root() => Ok(Some(user)),
                _ => Err(Failure::Usage(
                    "--user: only root can become another user; leave it out".to_owned(),
                )),
            },
            None if !now.is_root() => Ok(None),
            None => Ok(Some(Self::caller().unwrap_or_else(Self::nobody))),
        }
    }

    fn named(text: &str) -> Result<Self, Failure> {
        let found = match text.parse::<u32>() {
            // The greatest number stands for "leave it as it is".
            Ok(number) if number != u32::MAX => {
                let known = unistd::User::from_uid(unistd::Uid::from_raw(number));
                return Ok(known.ok().flatten().map_or_else(
                    || Self {
                        uid: Uid::from_raw(number),
                        gid: Gid::from_raw(number),
                        name: number.to_string(),
                        owns: true,
                    },
                    |known| Self::of(&known, true),
                ));
            }
            _ => unistd::User::from_name(text).ok().flatten(),
        };
        found.map(|known| Self::of(&known, true)).ok_or_else(|| {
            Failure::Usage(format!(
                "--user: there is no user {}; `getent passwd` lists them",
                Escaped(text)
            ))
        })
    }

    /// Who called sudo, if it made the program root.
    fn caller() -> Option<Self> {
        let number = |name: &str| std::env::var(name).ok()?.parse::<u32>().ok();
        let (user, group) = (number("SUDO_UID")?, number("SUDO_GID")?);
        let valid = user != 0 && user != u32::MAX && group != u32::MAX;
        valid.then(|| Self {
            uid: Uid::from_raw(user),
            gid: Gid::from_raw(group),
            name: std::env::var("SUDO_USER").unwrap_or_else(|_| user.to_string()),
            owns: true,
        })
    }

    fn nobody() -> Self {
        let known = unistd::User::from_name("nobody").ok().flatten();
        known.filter(|known| !known.uid.is_root()).map_or_else(
            || Self {
                uid: Uid::from_raw(NOBODY),
                gid: Gid::from_raw(NOBODY),
                name: NOBODY.to_string(),
                owns: false,
            },
            |known| Self::of(&known, false),
        )
    }

    /// Whether this user, who is in no other group, may make files in a folder.
    pub(super) fn may_write_in(&self, folder: &Path) -> bool {
        let Ok(folder) = folder.metadata() else {
            return false;
        };
        let shift = match folder {
            _ if folder.uid() == self.uid.as_raw() => 6,
            _ if folder.gid() == self.gid.as_raw() => 3,
            _ => 0,
        };
        // To write, and to reach what is in it.
        self.uid.is_root() || folder.mode() >> shift & 0o3 == 0o3
    }

    fn of(known: &unistd::User, owns: bool) -> Self {
        Self {
            uid: Uid::from_raw(known.uid.as_raw()),
            gid: Gid::from_raw(known.gid.as_raw()),
            name: known.name.clone(),
            owns,
        }
    }

    /// Becomes this user, in this group alone. Capabilities stay permitted if `keep` says so.
    fn become_it(&self, keep: bool) -> Result<(), Errno> {
        set_keep_capabilities(keep)?;
        set_thread_groups(&[self.gid])?;
        set_thread_res_gid(self.gid, self.gid, self.gid)?;
        set_thread_res_uid(self.uid, self.uid, self.uid)
    }
}

/// Whether this process may read what its user alone may not.
pub(super) fn reads_more() -> bool {
    let more = CapabilitySet::DAC_OVERRIDE | CapabilitySet::DAC_READ_SEARCH;
    geteuid().is_root() || capabilities(None).is_ok_and(|has| has.permitted.intersects(more))
}

/// Becomes `user`, and gives up all capabilities but `kept`. Without rights there is nothing to
/// lose, and it does nothing but forbid new ones. Whether it became the user.
pub(super) fn shed(user: Option<&User>, kept: CapabilitySet) -> Result<bool, Failure> {
    forget_bounds();
    let became = match user.map(|user| user.become_it(!kept.is_empty())) {
        None => false,
        Some(Ok(())) => true,
        // A container may have no other user, or none that may be become. Its root without
        // capabilities is then as little as it can be.
        Some(Err(Errno::PERM | Errno::INVAL)) if user.is_some_and(|user| !user.owns) => {
            set_keep_capabilities(false).map_err(stuck)?;
            false
        }
        Some(Err(error)) => return Err(stuck(error)),
    };
    give_up(kept).map_err(stuck)?;
    Ok(became)
}

fn give_up(kept: CapabilitySet) -> Result<(), Errno> {
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

fn stuck(error: Errno) -> Failure {
    Failure::Cannot(format!(
        "the rights that are not needed cannot be given up ({error}), and with them nothing is \
         read"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_are_found_by_name_and_by_number() {
        let root = User::named("root").unwrap();
        assert_eq!((root.uid, root.gid), (Uid::ROOT, Gid::ROOT));
        assert_eq!(User::named("0").unwrap(), root);
        // Nobody's number.
        let stranger = User::named("3999999999").unwrap();
        assert_eq!(stranger.uid.as_raw(), 3_999_999_999);
        assert_eq!(stranger.gid.as_raw(), 3_999_999_999);
        for text in ["no such user", "", "-1", "4294967295"] {
            let failure = User::named(text).unwrap_err();
            assert_eq!(failure.code(), 2, "{text}: {failure}");
        }
        assert!(!User::nobody().uid.is_root() && !User::nobody().owns);
    }

    #[test]
    fn a_user_who_is_not_root_stays_that_user() {
        let own = geteuid();
        let named = User::to_become(Some(&own.as_raw().to_string()));
        assert_eq!(named.unwrap(), None, "by name");
        if own.is_root() {
            assert!(User::to_become(None).unwrap().is_some_and(|u| u.uid != own));
            assert_eq!(User::to_become(Some("root")).unwrap(), None);
        } else {
            assert_eq!(User::to_become(None).unwrap(), None);
            assert!(User::to_become(Some("root")).is_err());
        }
    }

    /// In a thread of its own: it cannot be undone.
    #[test]
    fn a_thread_can_be_rid_of_all_rights() {
        use rustix::thread::no_new_privs;
        let drop = || {
            let user = User::to_become(None).unwrap();
            shed(user.as_ref(), CapabilitySet::NET_RAW).unwrap();
            let kept = capabilities(None).unwrap();
            shed(None, CapabilitySet::empty()).unwrap();
            (kept, capabilities(None).unwrap(), no_new_privs().unwrap())
        };
        let (kept, left, bound) = std::thread::spawn(drop).join().unwrap();
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

//! Landlock: which files this process can still open, whatever its user may.
//!
//! What is open already stays open: the standard streams, outputs (`outputs.rs`), and as root the
//! inputs (`wirewait_capture::held`). Everything else needs a rule.

use super::needs::Needs;
use crate::replacement;
use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, LandlockStatus,
    PathBeneath, PathFd, Ruleset, RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetStatus,
    Scope, make_bitflags,
};
use std::path::{Path, PathBuf};
use wirewait_capture::held;

/// The newest version whose rights are known here; older kernels leave out what they lack.
const KNOWN: ABI = ABI::V7;

/// What is read beside captures: this process's own figures, how many processors it may use, and
/// whether the C library's allocator may give memory back.
const OWN: [&str; 4] = [
    "/proc/self",
    "/sys/devices/system/cpu",
    "/sys/fs/cgroup",
    "/proc/sys/vm/overcommit_memory",
];

/// What libpcap and the reading of speeds need when an interface comes back: it is another entry
/// of the system then, below a device that nobody knows beforehand.
const INTERFACES: [&str; 2] = ["/sys/class/net", "/sys/devices"];

/// What names in a capture filter are looked up in, on a link that comes later.
const NAMES: [&str; 9] = [
    "/etc/ethers",
    "/etc/gai.conf",
    "/etc/host.conf",
    "/etc/hosts",
    "/etc/networks",
    "/etc/nsswitch.conf",
    "/etc/protocols",
    "/etc/resolv.conf",
    "/etc/services",
];

/// Where the screen asks the terminal when the standard streams are none.
const TERMINAL: [&str; 2] = ["/dev/tty", "/dev/null"];

/// What a rule allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum May {
    Read,
    /// A device that is open for both, such as the terminal.
    Use,
    /// Make, write, replace and remove files beneath a folder.
    Keep,
    /// Make, write and replace files beneath a folder.
    Write,
}

impl May {
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Use => "read and write",
            Self::Keep => "read, write, make and remove beneath",
            Self::Write => "write, make and remove beneath",
        }
    }

    fn access(self) -> BitFlags<AccessFs> {
        match self {
            Self::Read => make_bitflags!(AccessFs::{ReadFile | ReadDir}),
            Self::Use => make_bitflags!(AccessFs::{ReadFile | WriteFile | IoctlDev}),
            Self::Keep => make_bitflags!(AccessFs::{
                ReadFile | ReadDir | WriteFile | Truncate | MakeReg | RemoveFile | Refer
            }),
            // A file without a name gets one from beneath `/proc`, which is another folder.
            Self::Write => make_bitflags!(AccessFs::{
                WriteFile | Truncate | MakeReg | RemoveFile | Refer
            }),
        }
    }
}

/// A rule, and the path it is for.
pub(super) type Rule = (May, PathBuf);

/// What came of it.
#[derive(Debug)]
pub(super) enum Landlock {
    InForce {
        abi: String,
        rules: Vec<Rule>,
        /// While it is open, the system does not forget the entry that its rule is for.
        _own: Option<PathFd>,
    },
    /// Not here, and why.
    Absent(String),
}

/// What is allowed for these needs.
pub(super) fn rules(needs: &Needs) -> Vec<Rule> {
    let of = |may: May, paths: &[&str]| -> Vec<Rule> {
        paths.iter().map(|path| (may, path.into())).collect()
    };
    let mut rules = of(May::Read, &OWN);
    rules.extend(of(May::Use, &TERMINAL));
    if needs.interfaces {
        rules.extend(of(May::Read, &INTERFACES));
    }
    if needs.filter.is_some() {
        rules.extend(of(May::Read, &NAMES));
    }
    let reads = needs.reads.iter().filter(|path| !held::is_held(path));
    rules.extend(reads.map(|path| (May::Read, path.clone())));
    let again = needs.configuration.iter();
    rules.extend(again.map(|path| (May::Read, path.clone())));
    let folders = needs.folders.iter();
    rules.extend(folders.map(|folder| (May::Keep, folder.path.clone())));
    if needs.screen {
        rules.push((May::Write, PathBuf::from(".")));
    }
    let writes = needs.writes.iter();
    let files = writes.filter(|path| path.metadata().map_or(true, |target| target.is_file()));
    // What cannot be replaced after all is copied, as another user more often than not.
    let may = match needs.another_user {
        true => May::Keep,
        false => May::Write,
    };
    rules.extend(files.map(|path| (may, replacement::folder_of(path))));
    rules
}

/// Allows this thread, and those it starts from now on, nothing but what the rules say.
pub(super) fn confine(rules: Vec<Rule>) -> Landlock {
    match enforce(&rules) {
        Ok(Ok(abi)) => Landlock::InForce {
            abi,
            rules,
            _own: PathFd::new(OWN[0]).ok(),
        },
        Ok(Err(why)) => Landlock::Absent(why),
        Err(error) => Landlock::Absent(error.to_string()),
    }
}

/// The version that is in force, or why there is none.
fn enforce(rules: &[Rule]) -> Result<Result<String, String>, landlock::RulesetError> {
    let mut ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(KNOWN))?
        .handle_access(AccessNet::from_all(KNOWN))?
        // Signals are not scoped: Ctrl-Z stops the whole pipeline, which is not in this domain.
        .scope(Scope::AbstractUnixSocket)?
        .create()?;
    for (may, path) in rules {
        add(&mut ruleset, *may, path);
    }
    let status = ruleset.restrict_self()?;
    Ok(match (status.ruleset, status.landlock) {
        (RulesetStatus::NotEnforced, LandlockStatus::NotEnabled) => {
            Err("it is switched off in this kernel".to_owned())
        }
        (RulesetStatus::NotEnforced, _) => Err("this kernel does not have it".to_owned()),
        (_, LandlockStatus::Available { effective_abi, .. }) => {
            Ok(format!("ABI {effective_abi:?}"))
        }
        (status, _) => Ok(format!("{status:?}")),
    })
}

/// What is not there needs no rule: to open it fails as it should. Pipes without a name have no
/// rule, and need none.
fn add(ruleset: &mut RulesetCreated, may: May, path: &Path) {
    if let Ok(file) = PathFd::new(path) {
        let rule = PathBeneath::new(file, may.access());
        let _ = ruleset.add_rule(rule).map(|_| ());
    }
}

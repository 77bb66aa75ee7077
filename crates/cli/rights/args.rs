//! The options of every command about rights.

use clap::{ArgAction, Args};

/// What `--help` says about rights at its end.
pub(crate) const RIGHTS: &str = "\
Before a byte of a capture is read, wirewait gives up its capabilities and, as root, becomes an \
unprivileged user: the one who called sudo, or nobody. --user names another; --user root stays \
root, without capabilities. It opens the files that are named on the command line before, so files \
that only root can read are read all the same. --save makes files later: its folder \
has to be writable for that user. Where the kernel can (Landlock, seccomp), only the named \
files can be read, only the folders of outputs and of --save can be written, and \
there is neither network nor another program. What is saved from the screen has to be beneath the \
folder wirewait was started in. --print-rights shows what is in force.";

/// Rights that are kept or given up.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct RightsArgs {
    /// As root, become this user before anything is read [default: who called sudo, or nobody];
    /// root keeps being root, without capabilities
    #[arg(
        long,
        value_name = "NAME|UID",
        global = true,
        help_heading = "Rights",
        hide_short_help = true
    )]
    pub(crate) user: Option<String>,
    /// Leave out Landlock and seccomp, which let this program read and write only what it needs
    #[arg(
        long,
        global = true,
        action = ArgAction::SetTrue,
        help_heading = "Rights",
        hide_short_help = true
    )]
    pub(crate) no_sandbox: bool,
    /// Print the rights of each thread, give them up as for a run with these arguments, and exit
    #[arg(
        long,
        global = true,
        action = ArgAction::SetTrue,
        help_heading = "Rights",
        hide_short_help = true
    )]
    pub(crate) print_rights: bool,
}

//! The options of every command about rights.

use clap::{ArgAction, Args};

/// Notes on rights at the end of `live --help` and in the manual.
pub(crate) const RIGHTS: &str = "\
Before it reads the first byte of a capture, wirewait gives up its capabilities and, as root, becomes \
an unprivileged user: the one who called sudo, or nobody. --user names another; --user root stays \
root, without capabilities. Files named on the command line are opened before that, so wirewait reads \
files that only root can read. --save creates files later: its folder must be writable for that user. \
If the kernel can (Landlock, seccomp), only the named files can be read, only the folders of outputs \
and of --save can be written, and there is neither network nor another program; only the pager of a \
text at a terminal starts before. The screen saves beneath the folder in which wirewait was started. \
--print-rights shows what is in force.";

/// Rights that are kept or given up.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct RightsArgs {
    /// As root, become this user before reading [default: the user who called sudo, or nobody];
    /// root stays root, without capabilities
    #[arg(
        long,
        value_name = "NAME|UID",
        global = true,
        help_heading = "Rights",
        hide_short_help = true
    )]
    pub(crate) user: Option<String>,
    /// Disable the sandbox (Landlock, seccomp)
    #[arg(
        long,
        global = true,
        action = ArgAction::SetTrue,
        help_heading = "Rights",
        hide_short_help = true
    )]
    pub(crate) no_sandbox: bool,
    /// Give up rights as for this command, print those that remain for each thread, and exit
    #[arg(
        long,
        global = true,
        action = ArgAction::SetTrue,
        help_heading = "Rights",
        hide_short_help = true
    )]
    pub(crate) print_rights: bool,
}

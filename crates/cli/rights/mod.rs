//! Rights: captures are read without any.
//!
//! Before the first byte of a capture is read, [`Rights`] opens with the rights the user gave what
//! needs them, then gives them up for good: as root it becomes another user (`user.rs`), it has
//! no capabilities, nothing it starts gets more (`no_new_privs`), and the kernel refuses files that
//! were not named (`landlock.rs`) and system calls that nothing here needs (`seccomp.rs`). What is
//! not in a kernel is left out; `--print-rights` tells what is in force (`told.rs`).
//!
//! All of this belongs to threads, and a thread inherits it from the one that starts it. So it
//! happens while there is only one. Files: [`Rights::of`], [`Rights::give_up_all`], work.
//! Interfaces: open them, [`Rights::keep_only_reopening`], start the threads that copy frames,
//! which keep CAP_NET_RAW and the network to open an interface again that went away,
//! [`Rights::give_up_all`], work. Those threads never look into a frame.

mod needs;
mod outputs;

#[cfg(all(target_os = "linux", feature = "libpcap"))]
mod capable;
#[cfg(not(target_os = "linux"))]
mod elsewhere;
#[cfg(target_os = "linux")]
mod landlock;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
mod seccomp;
#[cfg(target_os = "linux")]
mod told;
#[cfg(target_os = "linux")]
mod user;

#[cfg(all(target_os = "linux", feature = "libpcap"))]
pub(crate) use capable::become_capable;
#[cfg(not(target_os = "linux"))]
pub(crate) use elsewhere::Rights;
#[cfg(target_os = "linux")]
pub(crate) use linux::Rights;
pub(crate) use needs::Needs;
pub(crate) use outputs::{growing, opened, scratch};

use std::path::Path;

/// What to do about missing rights, where these interfaces were named.
pub(crate) fn advice(interfaces: &[String]) -> String {
    let named = interfaces
        .iter()
        .map(|name| format!(" -i {}", quoted(name)));
    let named: String = named.collect();
    let otherwise =
        format!("Or let another program capture:\n  dumpcap{named} -w - | wirewait live -");
    let program = std::env::current_exe().ok();
    let program = program.as_deref().unwrap_or(Path::new("wirewait"));
    #[cfg(all(target_os = "linux", feature = "libpcap"))]
    if let Some(group) = capable::group() {
        return format!(
            "Members of the group {group} may capture: become one, and log in again:\n  \
             sudo usermod -aG {group} \"$USER\"\n{otherwise}",
            group = quoted(&group)
        );
    }
    let setcap = if cfg!(target_os = "linux") {
        format!(
            "Allow the program to capture, once:\n  sudo setcap cap_net_raw,cap_net_admin=eip {}\n",
            quoted(&program.display().to_string())
        )
    } else {
        "Run it with sudo.\n".to_owned()
    };
    format!("{setcap}{otherwise}")
}

/// Why a file that was named on the screen cannot be written, if rights are in the way.
pub(crate) fn hint(error: &std::io::Error) -> &'static str {
    match error.kind() {
        std::io::ErrorKind::PermissionDenied if cfg!(target_os = "linux") => {
            "; the screen writes beneath the folder wirewait was started in (--no-sandbox: \
             anywhere), as root with the rights of another user (--user)"
        }
        _ => "",
    }
}

/// As a shell reads it.
fn quoted(path: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+:@%".contains(c);
    if !path.is_empty() && path.chars().all(plain) {
        return path.to_owned();
    }
    format!("'{}'", path.replace('\'', r"'\''"))
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
        let advice = super::advice(&[]);
        assert!(
            advice.contains(name) || !cfg!(target_os = "linux"),
            "{advice}"
        );
        assert!(
            advice.contains("dumpcap -w - | wirewait live -"),
            "{advice}"
        );
        let named = super::advice(&["eth1".to_owned(), "a b".to_owned()]);
        let dumpcap = "dumpcap -i eth1 -i 'a b' -w - | wirewait live -";
        assert!(named.contains(dumpcap), "{named}");
    }
}

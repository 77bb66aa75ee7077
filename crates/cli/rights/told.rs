//! The rights that are in force, in words: what the system says of each thread, and the rules.

use super::landlock::Landlock;
use super::linux::Sandbox;
use rustix::thread::CapabilitySet;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};
use wirewait_report::Escaped;

/// A line for each thread, each rule and each filter.
pub(super) fn told(sandbox: &Sandbox) -> String {
    let mut out = String::new();
    for status in threads() {
        let _ = writeln!(out, "{}", thread(&status));
    }
    landlock(&mut out, sandbox.landlock.as_ref());
    seccomp(&mut out, "every thread", sandbox.all.as_ref());
    let readers = "threads that read captures, besides";
    seccomp(&mut out, readers, sandbox.readers.as_ref());
    out
}

/// A thread that was just started names itself within this time, if the machine is busy.
const NAMED_WITHIN: Duration = Duration::from_millis(200);

/// All threads, once each has its own name: it says what the thread is for.
fn threads() -> Vec<String> {
    let begun = Instant::now();
    loop {
        let now = statuses();
        let name = |status: &String| status.lines().next().map(str::to_owned);
        let first = now.first().and_then(name);
        let nameless = now.iter().skip(1).any(|one| name(one) == first);
        if !nameless || begun.elapsed() > NAMED_WITHIN {
            return now;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// `/proc/self/task/*/status`, the first thread first.
fn statuses() -> Vec<String> {
    let tasks = fs::read_dir("/proc/self/task").into_iter().flatten();
    let mut numbers: Vec<u32> = tasks
        .filter_map(|task| task.ok()?.file_name().to_str()?.parse().ok())
        .collect();
    numbers.sort_unstable();
    let status = |number| fs::read_to_string(format!("/proc/self/task/{number}/status")).ok();
    numbers.into_iter().filter_map(status).collect()
}

/// One thread, from its status (proc_pid_status(5)).
fn thread(status: &str) -> String {
    let field = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        line.map(str::trim).unwrap_or("unknown")
    };
    // Real, effective, saved and of the file system: one of them is enough for harm.
    let users = |name| {
        let mut all: Vec<&str> = field(name).split_whitespace().collect();
        all.dedup();
        all.join("/")
    };
    let bits = u64::from_str_radix(field("CapPrm:"), 16).ok();
    let capabilities = match bits.map(CapabilitySet::from_bits_retain) {
        None => "unknown".to_owned(),
        Some(set) if set.is_empty() => "none".to_owned(),
        Some(set) => {
            let names = set.iter_names().map(|(name, _)| name.to_lowercase());
            names
                .map(|n| format!("cap_{n}"))
                .collect::<Vec<_>>()
                .join(",")
        }
    };
    let seccomp = match field("Seccomp:") {
        "0" => "off",
        "1" => "strict",
        "2" => "filter",
        other => other,
    };
    format!(
        "thread {}: uid {}, gid {}, capabilities {capabilities}, no_new_privs {}, seccomp {seccomp}",
        Escaped(field("Name:")),
        users("Uid:"),
        users("Gid:"),
        field("NoNewPrivs:"),
    )
}

fn landlock(out: &mut String, landlock: Option<&Landlock>) {
    let _ = match landlock {
        None => writeln!(out, "landlock: off (--no-sandbox)"),
        Some(Landlock::Absent(why)) => writeln!(out, "landlock: off ({})", Escaped(why)),
        Some(Landlock::InForce { abi, rules, .. }) => {
            let mut written = writeln!(out, "landlock: {abi}, no TCP, no abstract sockets");
            for (may, path) in rules {
                let path = whole(path);
                let line = writeln!(out, "landlock: {}: {}", may.word(), Escaped(&path));
                written = written.and(line);
            }
            written
        }
    };
}

/// The folder that a relative path is in is part of what is in force.
fn whole(path: &Path) -> String {
    let whole = std::path::absolute(path);
    let whole = whole.as_deref().unwrap_or(path);
    whole.display().to_string()
}

fn seccomp(out: &mut String, threads: &str, filter: Option<&Result<usize, String>>) {
    let _ = match filter {
        None => writeln!(out, "seccomp: {threads}: off (--no-sandbox)"),
        Some(Err(why)) => writeln!(out, "seccomp: {threads}: off ({})", Escaped(why)),
        Some(Ok(calls)) => {
            writeln!(
                out,
                "seccomp: {threads}: {calls} system calls are refused (EPERM)"
            )
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_is_told_by_its_status() {
        let status = "Name:\tcapture-s0\nUid:\t65534\t65534\t65534\t65534\n\
            Gid:\t1\t1\t2\t1\nCapPrm:\t0000000000003000\nNoNewPrivs:\t1\nSeccomp:\t2\n";
        assert_eq!(
            thread(status),
            "thread capture-s0: uid 65534, gid 1/2/1, capabilities cap_net_admin,cap_net_raw, \
             no_new_privs 1, seccomp filter"
        );
        assert!(thread("Name: x\n").contains("capabilities unknown"));
        assert!(statuses().len() > 1, "the test's own");
    }

    #[test]
    fn what_is_off_says_why() {
        let sandbox = Sandbox {
            landlock: Some(Landlock::Absent("this kernel does not have it".to_owned())),
            all: Some(Err("no".to_owned())),
            readers: None,
        };
        let told = told(&sandbox);
        assert!(
            told.contains("\nlandlock: off (this kernel does not have it)\n"),
            "{told}"
        );
        assert!(
            told.contains("\nseccomp: every thread: off (no)\n"),
            "{told}"
        );
        assert!(told.ends_with("besides: off (--no-sandbox)\n"), "{told}");
    }
}

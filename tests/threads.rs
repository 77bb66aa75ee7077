//! With one thread to four: the same output to the last byte, the same messages, the same
//! exit code.

use crate::support::Folder;
use crate::support::{all_captures, root};
use std::path::PathBuf;
use std::process::{Command, Output};

/// What is asked of each capture.
const ASKED: [&[&str]; 3] = [
    &["report", "--format", "json"],
    &["transactions", "--format", "ndjson"],
    &["counters", "--format", "json"],
];
/// Larger captures say nothing more about threads.
const MOST_BYTES: u64 = 2_000_000;

fn run(threads: &str, arguments: &[&str], files: &[PathBuf]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_wirewait"))
        .current_dir(root())
        .arg("--no-config")
        .args(arguments)
        .args(["--threads", threads])
        .args(files)
        .output()
        .unwrap()
}

/// Says whether frames were analysed.
fn assert_same(arguments: &[&str], files: &[PathBuf]) -> bool {
    let [one, others @ ..] = ["1", "2", "3", "4"].map(|threads| run(threads, arguments, files));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let about = format!("{arguments:?} {files:?}");
    for more in others {
        assert_eq!(one.status.code(), more.status.code(), "{about}");
        assert_eq!(text(&one.stderr), text(&more.stderr), "{about}");
        assert!(one.stdout == more.stdout, "{about}: the outputs differ");
    }
    !one.stdout.is_empty()
}

#[test]
fn each_capture_gives_the_same() {
    let all = all_captures("threads", &["real", "lab", "formats"], MOST_BYTES);
    let mut compared = 0;
    for (n, file) in all.iter().enumerate() {
        // Each kind of question many times, and not all of each capture.
        let arguments = ASKED[n % ASKED.len()];
        compared += u32::from(assert_same(arguments, std::slice::from_ref(file)));
    }
    assert!(compared > 20, "only {compared} captures");
}

#[test]
fn windows_filters_and_several_files_give_the_same() {
    let all = all_captures("threads", &[], MOST_BYTES);
    let some: Vec<PathBuf> = all.iter().take(6).cloned().collect();
    assert!(assert_same(ASKED[0], &some));
    for options in [
        &["--since", "1"][..],
        &["--until", "2"],
        &["--since", "0.5", "--until", "1.5"],
        #[cfg(feature = "libpcap")]
        &["--filter", "tcp"],
        #[cfg(feature = "libpcap")]
        &["--filter", "len > 200", "--since", "0.2"],
    ] {
        for asked in ASKED {
            let arguments: Vec<&str> = asked.iter().chain(options).copied().collect();
            assert!(assert_same(&arguments, &some[..1]), "{arguments:?}");
        }
    }
}

/// What is wrong is said at the same frame, and what follows it is read.
#[test]
fn damage_is_met_at_the_same_frame() {
    let folder = Folder::new("threads");
    let whole = std::fs::read(root().join("captures/demo.pcapng")).unwrap();
    for (n, cut) in [whole.len() / 3, whole.len() / 2, whole.len() - 5]
        .into_iter()
        .enumerate()
    {
        let short = folder.file(&format!("short{n}"), &whole[..cut]);
        let mut broken = whole.clone();
        broken[cut - 200..cut - 100].fill(0xee);
        let broken = folder.file(&format!("broken{n}"), &broken);
        for asked in ASKED {
            assert_same(asked, std::slice::from_ref(&short));
            assert_same(asked, std::slice::from_ref(&broken));
            assert_same(asked, &[short.clone(), broken.clone()]);
        }
    }
    let output = run(
        "2",
        ASKED[0],
        &[folder.file("short", &whole[..whole.len() / 2])],
    );
    assert_eq!(output.status.code(), Some(3), "damage was told");
}

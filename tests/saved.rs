//! What a file misses is told: by the file that was saved, by the report on it and by the exit
//! code. And what a file holds is not told otherwise than it is: zeros are no frames, and a filter
//! finds the same in a file as on the wire.

use crate::support::Folder;
use crate::support::{captures, program, root};
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use wirewait_report::words::Grouped;

/// Frames of the shipped capture.
const DEMO: u64 = 2702;

fn demo() -> std::path::PathBuf {
    root().join("captures/demo.pcapng")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn report(file: &Path, format: &str) -> Output {
    let output = program()
        .args(["report", "--format", format])
        .arg(file)
        .output();
    output.unwrap()
}

fn json(file: &Path) -> Value {
    serde_json::from_slice(&report(file, "json").stdout).unwrap()
}

/// The capture's own statistics count 2,002 frames, and it holds 535 of them.
#[test]
fn saved_a_file_from_a_full_disk_tells_what_it_misses() {
    let Some(folder) = captures("saved") else {
        return;
    };
    let file = folder.join("found/disk-full-not-resumed.pcapng");
    let capture = &json(&file)["capture"];
    assert_eq!(capture["frames"], 535);
    assert_eq!(capture["dropped"], 0, "the system dropped none");
    assert_eq!(capture["not_saved"], 1467);
    assert_eq!(capture["quality"]["grade"], "poor");
    let reasons = capture["quality"]["reasons"].as_array().unwrap();
    let reason = reasons.iter().find(|reason| reason["name"] == "not_saved");
    assert_eq!(reason.unwrap()["count"], 1467);
    let shown = text(&report(&file, "text").stdout);
    for said in [
        "1,467 received frames are missing from the file",
        "poor: frames that were received but not saved",
        "The capture lost 1,467 frames (73.3 %)",
    ] {
        assert!(shown.contains(said), "{said}: {shown}");
    }
    let page = text(&report(&file, "html").stdout);
    assert!(page.contains("1,467 received frames are missing from the file"));
}

/// Of all captures at hand, only those whose own statistics say so miss frames.
#[test]
fn saved_no_capture_is_said_to_miss_what_it_holds() {
    let Some(folder) = captures("saved") else {
        return;
    };
    let mut missing = Vec::new();
    let mut complete = 0;
    for part in ["real", "lab", "formats", "found", "derived"] {
        for path in crate::support::files(&folder.join(part)) {
            let Ok(mut files) = wirewait_capture::open(
                std::slice::from_ref(&path),
                &wirewait_capture::Options::default(),
            ) else {
                continue;
            };
            use wirewait_wire::Source;
            while let Ok(Some(_)) = files.next_frame() {}
            match files.not_saved() {
                Some(0) => complete += 1,
                Some(n) => missing.push((text(path.file_name().unwrap().as_encoded_bytes()), n)),
                None => {}
            }
        }
    }
    let wanted = ("disk-full-not-resumed.pcapng".to_owned(), 1467);
    assert_eq!(
        missing,
        [wanted],
        "statistics that count twice, or since before the file"
    );
    assert!(complete >= 2, "{complete} say that they are complete");
}

/// Saves the shipped capture by a shell line in which `"$0"` is the program.
fn saved(shell: &str, file: &Path) -> Output {
    let wirewait = program();
    let mut command = Command::new("sh");
    command.arg("-c").arg(shell).arg(wirewait.get_program());
    for (key, value) in wirewait.get_envs() {
        match value {
            Some(value) => command.env(key, value),
            None => command.env_remove(key),
        };
    }
    command
        .arg(file)
        .stdin(std::fs::File::open(demo()).unwrap())
        .stdout(Stdio::null())
        .output()
        .unwrap()
}

/// The file holds some of the frames, and its statistics tell the rest.
fn assert_tells_the_rest(output: &Output, file: &Path, why: &str) {
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains(why), "{said}");
    let capture = &json(file)["capture"];
    let [kept, missing] =
        ["frames", "not_saved"].map(|key| capture[key].as_u64().unwrap_or(u64::MAX));
    assert!(kept > 100 && missing > 100, "{kept} and {missing}");
    assert_eq!(kept + missing, DEMO);
    assert_eq!(capture["damage"], Value::Array(Vec::new()));
    assert!(
        said.contains(&format!("{} frames saved", Grouped(kept))),
        "{said}"
    );
    assert!(
        said.contains(&format!("{} could not be saved", Grouped(missing))),
        "{said}"
    );
}

/// No frame follows those for which there was no room, so none can carry their number
/// (`epb_dropcount`): the statistics at the end of the file do.
#[test]
fn saved_a_file_that_may_not_grow_is_a_full_disk() {
    let folder = Folder::new("saved-limit");
    let file = folder.file("lan.pcapng", b"");
    std::fs::remove_file(&file).unwrap();
    // 200 blocks of 512 bytes; of 1,024 where the shell is bash.
    let output = saved("ulimit -f 200; exec \"$0\" live - --save \"$1\"", &file);
    assert_tells_the_rest(&output, &file, "ulimit -f");
    let size = std::fs::metadata(&file).unwrap().len();
    assert!(
        [102_400, 204_800]
            .iter()
            .any(|most| (most - 2000..=*most).contains(&size)),
        "{size}"
    );
}

#[test]
fn saved_a_disk_that_is_full_is_told_by_the_exit_code() {
    let folder = Folder::new("saved-full");
    let place = folder.file("here", b"").with_file_name("disk");
    std::fs::create_dir_all(&place).unwrap();
    let mounted = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=128k", "tmpfs"])
        .arg(&place)
        .output();
    if !mounted.is_ok_and(|output| output.status.success()) {
        eprintln!("SKIPPED: no right to mount a small file system, no disk was full");
        return;
    }
    let file = place.join("lan.pcapng");
    let output = saved("exec \"$0\" live - --save \"$1\"", &file);
    let checked = std::panic::catch_unwind(|| {
        assert_tells_the_rest(&output, &file, "free some space");
    });
    let _ = Command::new("umount").arg(&place).status();
    checked.unwrap();
}

#[test]
fn saved_a_whole_file_says_that_nothing_is_missing() {
    let folder = Folder::new("saved-whole");
    let file = folder.file("lan.pcapng", b"");
    std::fs::remove_file(&file).unwrap();
    let output = saved("exec \"$0\" live - --save \"$1\"", &file);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let capture = &json(&file)["capture"];
    assert_eq!(capture["frames"], DEMO);
    assert_eq!(capture["not_saved"], 0);
}

/// A file header and then zeros, as a machine that went down leaves them: one message, no frame.
#[test]
fn saved_zeros_behind_a_header_are_damage() {
    let folder = Folder::new("saved-zeros");
    let mut pcap = vec![0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0];
    pcap.extend([0; 8]);
    pcap.extend(65_535_u32.to_le_bytes());
    pcap.extend(1_u32.to_le_bytes());
    let header = pcap.len();
    pcap.resize(header + 160_000, 0);
    let mut pcapng = std::fs::read(demo()).unwrap();
    let end = pcapng.len();
    pcapng.resize(end + 160_000, 0);
    for (name, bytes, frames, at) in [
        ("zeros.pcap", pcap, 0, header),
        ("zeros.pcapng", pcapng, DEMO, end),
    ] {
        let output = report(&folder.file(name, &bytes), "json");
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{name}: {said}");
        assert_eq!(said.lines().count(), 1, "{name}: {said}");
        assert!(said.contains("the file is zeros"), "{name}: {said}");
        assert!(said.contains(&format!("at byte {at}")), "{name}: {said}");
        let document: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(document["capture"]["frames"], frames, "{name}");
    }
}

/// Each frame of the shipped capture with a VLAN tag, or with two.
fn tagged(folder: &Folder, tags: usize) -> std::path::PathBuf {
    use wirewait_capture::write::{PcapWriter, Precision};
    use wirewait_wire::{Frame, LinkType, Source};
    let mut source =
        wirewait_capture::open(&[demo()], &wirewait_capture::Options::default()).unwrap();
    let link = LinkType::ETHERNET;
    let mut writer = PcapWriter::new(Vec::new(), link, Precision::Nanos, 65_535).unwrap();
    while let Some(frame) = source.next_frame().unwrap() {
        let mut bytes = frame.bytes.to_vec();
        bytes.splice(12..12, [0x81, 0, 0, 5].repeat(tags));
        let frame = Frame {
            wire_len: frame.wire_len + 4 * tags as u32,
            interface: 0,
            bytes: &bytes,
            ..frame
        };
        writer.frame(&frame).unwrap();
    }
    folder.file(&format!("tagged-{tags}.pcap"), &writer.finish().unwrap())
}

/// As on the wire, where Linux takes the tag off before filters look.
#[cfg(feature = "libpcap")]
#[test]
fn saved_a_filter_looks_behind_a_tag() {
    let folder = Folder::new("saved-tags");
    let filtered = |file: &Path, filter: &str| {
        let output = program()
            .args(["report", "--format", "json", "--filter", filter])
            .arg(file)
            .output()
            .unwrap();
        let document: Value = serde_json::from_slice(&output.stdout).unwrap();
        let frames = document["capture"]["frames"].as_u64().unwrap();
        (frames, text(&output.stderr))
    };
    let (plain, said) = filtered(&demo(), "tcp port 445");
    assert!(plain > 100 && said.is_empty(), "{plain}: {said}");
    let one = tagged(&folder, 1);
    assert_eq!(filtered(&one, "tcp port 445"), (plain, String::new()));
    assert_eq!(
        filtered(&one, "vlan and tcp port 445"),
        (plain, String::new())
    );
    let (others, _) = filtered(&one, "not tcp port 445");
    assert_eq!(others, DEMO - plain);
    let (none, said) = filtered(&one, "udp port 9");
    assert_eq!(none, 0);
    assert!(said.contains("'vlan and (udp port 9)'"), "{said}");

    let two = tagged(&folder, 2);
    let (none, said) = filtered(&two, "tcp port 445");
    assert_eq!(none, 0);
    assert!(said.contains("2702 frames with two VLAN tags"), "{said}");
    assert!(
        said.contains("'vlan and vlan and (tcp port 445)'"),
        "{said}"
    );
    let hint = "vlan and vlan and (tcp port 445)";
    assert_eq!(filtered(&two, hint), (plain, String::new()));
}

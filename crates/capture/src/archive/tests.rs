//! Archives made by the libraries, and by tar and zip where they are installed.

use crate::files::{Options, open};
use crate::held;
use crate::write::{PcapWriter, Precision};
use std::io::Write;
use std::path::{Path, PathBuf};
use wirewait_wire::{Frame, LinkType, Source, SourceErrorKind, Timestamp};

const DAY: i64 = 1_700_000_000_000_000_000;

/// A capture of two frames, seconds after each other.
fn capture(second: i64) -> Vec<u8> {
    let mut writer = PcapWriter::new(Vec::new(), LinkType::ETHERNET, Precision::Nanos, 96).unwrap();
    for mark in [second, second + 1] {
        let bytes = mark.to_be_bytes();
        let frame = Frame {
            at: Timestamp::from_nanos(DAY + mark * 1_000_000_000),
            link: LinkType::ETHERNET,
            interface: 0,
            wire_len: 100,
            bytes: &bytes,
        };
        writer.frame(&frame).unwrap();
    }
    writer.finish().unwrap()
}

/// Three captures out of order, one of them compressed, and what is no capture.
fn members() -> Vec<(&'static str, Vec<u8>)> {
    let packed = zstd::stream::encode_all(&capture(2)[..], 1).unwrap();
    let long = "a-folder-with-a-long-name/another-folder-with-a-name-that-is-longer-still/\
                and-one-more-so-that-it-does-not-fit-a-header/c.pcap";
    vec![
        ("b.pcap", capture(4)),
        ("day/a.pcap.zst", packed),
        (long, capture(0)),
        ("day/README", b"not a capture".to_vec()),
        ("day/.hidden", b"nor this".to_vec()),
    ]
}

fn tar() -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (name, bytes) in members() {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        builder.append_data(&mut header, name, &bytes[..]).unwrap();
    }
    builder.into_inner().unwrap()
}

fn zip(method: zip::CompressionMethod) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default().compression_method(method);
    for (name, bytes) in members() {
        writer.start_file(name, options).unwrap();
        writer.write_all(&bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let name = format!("wirewait-archive-{}-{name}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        // All tests of this process share it.
        let scratch = path.join("scratch");
        let file = std::fs::OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(true)
            .open(scratch);
        held::set_scratch(file.unwrap());
        Self(path)
    }

    fn file(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The marks of all frames, and what was said.
fn read(path: &Path) -> (Vec<u64>, Vec<String>) {
    let mut files = open(&[path.to_owned()], &Options::default()).unwrap();
    let (mut marks, mut told) = (Vec::new(), Vec::new());
    loop {
        match files.next_frame() {
            Ok(Some(frame)) => marks.push(u64::from_be_bytes(frame.bytes.try_into().unwrap())),
            Ok(None) => return (marks, told),
            Err(error) => {
                assert_eq!(error.kind, SourceErrorKind::Damaged);
                told.push(error.to_string());
            }
        }
    }
}

fn assert_read(path: &Path) {
    let (marks, told) = read(path);
    assert_eq!(marks, [0, 1, 2, 3, 4, 5], "{}", path.display());
    let name = format!("{}:day/README: not a capture file", path.display());
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].starts_with(&name), "{told:?}");
    assert!(told[0].ends_with("it is skipped"), "{told:?}");
}

#[test]
fn archives_are_read_in_time_order() {
    let folder = Folder::new("all");
    let plain = tar();
    for (name, bytes) in [
        // What a file is called does not matter.
        ("x", plain.clone()),
        (
            "x.tar.zst",
            zstd::stream::encode_all(&plain[..], 1).unwrap(),
        ),
        ("x.tar.gz", crate::compressed::tests::gzip(&plain)),
        ("x.tar.xz", crate::compressed::tests::xz(&plain)),
        ("x.tar.bz2", crate::compressed::tests::bzip2(&plain)),
        ("x.zip", zip(zip::CompressionMethod::Deflated)),
        ("stored.zip", zip(zip::CompressionMethod::Stored)),
    ] {
        assert_read(&folder.file(name, &bytes));
    }
}

/// As the programs make them that people use.
#[test]
fn archives_of_tar_and_zip_are_read() {
    let folder = Folder::new("programs");
    for (name, bytes) in members() {
        let path = folder.0.join("in").join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
    let run = |program: &str, arguments: &[&str]| {
        let done = std::process::Command::new(program)
            .args(arguments)
            .current_dir(folder.0.join("in"))
            .output();
        match done {
            Ok(done) => assert!(done.status.success(), "{done:?}"),
            Err(_) => eprintln!("SKIPPED: archives_of_tar_and_zip_are_read: no {program}"),
        }
    };
    for (name, option) in [
        ("gnu.tar", "--format=gnu"),
        ("pax.tar", "--format=posix"),
        ("old.tar", "--format=oldgnu"),
    ] {
        let output = folder.0.join(name);
        run(
            "tar",
            &[
                option,
                "-cf",
                output.to_str().unwrap(),
                "b.pcap",
                "day",
                "a-folder-with-a-long-name",
            ],
        );
        if output.exists() {
            assert_read(&output);
        }
    }
    let output = folder.0.join("program.zip");
    run("zip", &["-qr", output.to_str().unwrap(), "."]);
    if output.exists() {
        assert_read(&output);
    }
}

#[test]
fn archives_beside_other_files() {
    let folder = Folder::new("beside");
    let paths = [
        folder.file("x.zip", &zip(zip::CompressionMethod::Deflated)),
        folder.file("z.pcap", &capture(9)),
    ];
    let mut files = open(&paths, &Options::default()).unwrap();
    let origins = files.track();
    let (mut frames, mut errors) = (0, 0);
    loop {
        match files.next_frame() {
            Ok(Some(_)) => frames += 1,
            Ok(None) => break,
            Err(_) => errors += 1,
        }
    }
    assert_eq!((frames, errors), (8, 1));
    let (file, frame) = origins.of(4).unwrap();
    assert_eq!(frame, 2);
    assert_eq!(*file, *format!("{}:day/a.pcap.zst", paths[0].display()));
    let progress = files.progress();
    // What was skipped is not read.
    let total = progress.bytes_total.unwrap();
    assert!(
        (total - 100..=total).contains(&progress.bytes_read),
        "{progress:?}"
    );
}

#[test]
fn damaged_archives_give_what_is_before() {
    let folder = Folder::new("damaged");
    let plain = tar();
    // In the third file.
    let cut = plain.len() - 4000;
    for bytes in [
        plain[..cut].to_vec(),
        zstd::stream::encode_all(&plain[..cut], 1).unwrap(),
    ] {
        let (marks, told) = read(&folder.file("cut.tar.zst", &bytes));
        assert!(marks.len() >= 4, "{marks:?} {told:?}");
        assert!(!told.is_empty());
    }
    let packed = crate::compressed::tests::gzip(&plain);
    let (marks, told) = read(&folder.file("cut.tar.gz", &packed[..packed.len() - 10]));
    assert!(marks.len() >= 4, "{marks:?}");
    assert!(
        told.iter().any(|t| t.contains("ends too early")),
        "{told:?}"
    );
    let zip = zip(zip::CompressionMethod::Deflated);
    let cut = folder.file("cut.zip", &zip[..zip.len() - 30]);
    let error = open(&[cut], &Options::default()).unwrap_err();
    assert!(error.to_string().contains("zip archive"), "{error}");
}

/// Lying headers: nothing panics, nothing hangs, and what is left of the frames is there.
#[test]
fn hostile_archives_do_no_harm() {
    let folder = Folder::new("hostile");
    let samples = [tar(), zip(zip::CompressionMethod::Deflated)];
    let mut dice: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut below = |bound: usize| {
        dice ^= dice >> 12;
        dice ^= dice << 25;
        dice ^= dice >> 27;
        (dice.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % bound
    };
    for _ in 0..300 {
        for sample in &samples {
            let mut bytes = sample.clone();
            for _ in 0..=below(8) {
                let at = below(bytes.len());
                bytes[at] = [0, 1, 0x7f, 0x80, 0xff, b'7'][below(6)];
            }
            let path = folder.file("x", &bytes);
            let Ok(mut files) = open(&[path], &Options::default()) else {
                continue;
            };
            let mut steps = 0;
            while !matches!(files.next_frame(), Ok(None)) {
                steps += 1;
                assert!(steps < 1000);
            }
        }
    }
}

//! Which files are read: folders, patterns and lists become the files that they stand for, before
//! rights are given up.

use crate::args::{InputArgs, NamedCapture};
use crate::failure::{Failure, shown};
use crate::input::is_stdin;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use walkdir::{DirEntry, WalkDir};
use wirewait_capture::cannot_open;

/// Bytes that a list of files may have: a million long paths.
const LIST: usize = 1 << 28;

/// Puts files in the place of folders, patterns and lists.
pub(crate) fn gather(input: &mut InputArgs) -> Result<(), Failure> {
    let named = std::mem::take(&mut input.files);
    let mut files = expanded(named, &mut input.places)?;
    input.gathered = !input.places.is_empty();
    if let Some(list) = &input.files_from {
        input.gathered = true;
        if is_stdin(list) && files.iter().any(|file| is_stdin(file)) {
            return Err(Failure::Usage(
                "the standard input is named twice: as a capture, and with --files-from".to_owned(),
            ));
        }
        files.append(&mut listed(list)?);
        input.places.push(list.clone());
    }
    input.files = files;
    Ok(())
}

/// Puts files in the place of folders and patterns of a capture with a name.
pub(crate) fn gather_named(capture: &mut NamedCapture) -> Result<(), Failure> {
    let named = std::mem::take(&mut capture.files);
    capture.files = expanded(named, &mut capture.places)?;
    Ok(())
}

/// The files that paths stand for. `places` are the folders and patterns among them.
fn expanded(named: Vec<PathBuf>, places: &mut Vec<PathBuf>) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::with_capacity(named.len());
    for path in named {
        if is_stdin(&path) {
            files.push(path);
        } else if path.is_dir() {
            files.append(&mut folder(&path)?);
            places.push(path);
        } else if let Some(pattern) = pattern(&path) {
            files.append(&mut matching(pattern)?);
            places.push(path);
        } else {
            files.push(path);
        }
    }
    Ok(files)
}

/// The files of a folder and of the folders in it, by name. Hidden ones are left out, and links to
/// folders are not followed.
fn folder(path: &Path) -> Result<Vec<PathBuf>, Failure> {
    let hidden = |entry: &DirEntry| {
        let name = entry.file_name().to_string_lossy();
        entry.depth() > 0 && name.starts_with('.')
    };
    let mut files = Vec::new();
    let entries = WalkDir::new(path).sort_by_file_name().into_iter();
    for entry in entries.filter_entry(|entry| !hidden(entry)) {
        let entry = entry.map_err(|error| {
            let folder = error.path().unwrap_or(path);
            let why = error.io_error().map(ToString::to_string);
            Failure::Cannot(format!(
                "{}: the folder cannot be read: {}",
                shown(folder),
                why.unwrap_or_else(|| "it contains itself".to_owned())
            ))
        })?;
        if entry.path().is_file() {
            files.push(entry.into_path());
        }
    }
    if files.is_empty() {
        return Err(Failure::Cannot(format!(
            "{}: no capture in this folder: it has no files; name the folder that has them",
            shown(path)
        )));
    }
    Ok(files)
}

/// A path that is no file and holds a sign of patterns.
fn pattern(path: &Path) -> Option<&str> {
    let text = path.to_str()?;
    let is_pattern = text.contains(['*', '?', '[']) && path.symlink_metadata().is_err();
    is_pattern.then_some(text)
}

fn matching(pattern: &str) -> Result<Vec<PathBuf>, Failure> {
    let name = shown(Path::new(pattern));
    let options = glob::MatchOptions {
        require_literal_separator: true,
        require_literal_leading_dot: true,
        ..glob::MatchOptions::new()
    };
    let found = glob::glob_with(pattern, options)
        .map_err(|error| Failure::Usage(format!("{name}: not a pattern: {error}")))?;
    let mut files = Vec::new();
    for path in found {
        let path = path.map_err(|error| {
            let (folder, why) = (shown(error.path()), error.error().to_string());
            Failure::Cannot(format!("{folder}: the folder cannot be read: {why}"))
        })?;
        if path.is_file() {
            files.push(path);
        }
    }
    match files.is_empty() {
        true => Err(Failure::Usage(format!(
            "{name}: no file matches; check the folder and the pattern"
        ))),
        false => Ok(files),
    }
}

/// The files of a list: one on each line, or separated by zero bytes (`find -print0`).
fn listed(list: &Path) -> Result<Vec<PathBuf>, Failure> {
    let name = if is_stdin(list) {
        "the standard input".to_owned()
    } else {
        shown(list)
    };
    let cannot = |error: io::Error| {
        Failure::Cannot(format!("{name}: the list of files {}", cannot_open(&error)))
    };
    let mut text = Vec::new();
    let read = if is_stdin(list) {
        io::stdin()
            .lock()
            .take(LIST as u64 + 1)
            .read_to_end(&mut text)
    } else {
        File::open(list).and_then(|file| file.take(LIST as u64 + 1).read_to_end(&mut text))
    };
    read.map_err(cannot)?;
    if text.len() > LIST {
        return Err(Failure::Cannot(format!(
            "{name}: a list of files has at most {LIST} bytes"
        )));
    }
    let zeros = text.contains(&0);
    let mut files = Vec::new();
    for line in text.split(|byte| *byte == if zeros { 0 } else { b'\n' }) {
        let line = match line {
            [line @ .., b'\r'] if !zeros => line,
            line => line,
        };
        if !line.is_empty() {
            files.push(path_of(line, &name)?);
        }
    }
    match files.is_empty() {
        true => Err(Failure::Cannot(format!("{name}: the list names no file"))),
        false => Ok(files),
    }
}

#[cfg(unix)]
fn path_of(bytes: &[u8], _: &str) -> Result<PathBuf, Failure> {
    use std::os::unix::ffi::OsStrExt;
    Ok(std::ffi::OsStr::from_bytes(bytes).into())
}

#[cfg(not(unix))]
fn path_of(bytes: &[u8], list: &str) -> Result<PathBuf, Failure> {
    let text = std::str::from_utf8(bytes);
    text.map(PathBuf::from)
        .map_err(|_| Failure::Cannot(format!("{list}: a name in the list is not UTF-8")))
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Folder(PathBuf);

    impl Folder {
        fn new(test: &str, files: &[&str]) -> Self {
            let name = format!("wirewait-gather-{test}-{}", std::process::id());
            let path = std::env::temp_dir().join(name);
            for file in files {
                let file = path.join(file);
                std::fs::create_dir_all(file.parent().unwrap()).unwrap();
                std::fs::write(file, "x").unwrap();
            }
            Self(path)
        }

        fn named(&self, files: &[&str]) -> Vec<PathBuf> {
            files.iter().map(|file| self.0.join(file)).collect()
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    fn text(failure: Failure) -> String {
        failure.to_string()
    }

    #[test]
    fn a_folder_gives_its_files_by_name() {
        let made = Folder::new("folder", &["b", "a/2", "a/1", ".hidden", ".git/x", "c.txt"]);
        let wanted = made.named(&["a/1", "a/2", "b", "c.txt"]);
        assert_eq!(folder(&made.0).ok(), Some(wanted));
        let empty = made.0.join("a/none");
        std::fs::create_dir(&empty).unwrap();
        assert!(text(folder(&empty).unwrap_err()).contains("no capture in this folder"));
    }

    #[test]
    fn a_pattern_gives_the_files_that_match() {
        let made = Folder::new("pattern", &["x1.pcap", "x2.pcap", "y.txt", "d/x3.pcap"]);
        let found = |pattern: &str| {
            let path = made.0.join(pattern);
            matching(super::pattern(&path).unwrap())
        };
        assert_eq!(
            found("x*.pcap").ok(),
            Some(made.named(&["x1.pcap", "x2.pcap"]))
        );
        assert_eq!(
            found("**/x[13].pcap").ok(),
            Some(made.named(&["d/x3.pcap", "x1.pcap"]))
        );
        assert!(text(found("z*").unwrap_err()).contains("no file matches"));
        // A file that is called like a pattern is that file.
        std::fs::write(made.0.join("a[1].pcap"), "x").unwrap();
        assert_eq!(super::pattern(&made.0.join("a[1].pcap")), None);
        assert_eq!(super::pattern(&made.0.join("missing")), None);
    }

    #[test]
    fn each_part_of_a_named_capture_is_a_file_a_folder_or_a_pattern() {
        let made = Folder::new("named", &["ring/2", "ring/1", "x1.pcap", "x2.pcap", "y"]);
        let shown = |name: &str| made.0.join(name).display().to_string();
        let typed = format!("n={},{},{}", shown("y"), shown("ring"), shown("x*.pcap"));
        let mut named: NamedCapture = typed.parse().unwrap();
        gather_named(&mut named).unwrap();
        let wanted = made.named(&["y", "ring/1", "ring/2", "x1.pcap", "x2.pcap"]);
        assert_eq!((named.name.as_str(), &named.files), ("n", &wanted));
        assert_eq!(named.places, made.named(&["ring", "x*.pcap"]));
        let mut none: NamedCapture = shown("z*").parse().unwrap();
        assert!(text(gather_named(&mut none).unwrap_err()).contains("no file matches"));
    }

    #[test]
    fn a_list_gives_the_files_that_it_names() {
        let made = Folder::new("list", &["x"]);
        let list = made.0.join("list");
        for text in ["a\nb c\n\n", "a\r\nb c", "a\0b c\0"] {
            std::fs::write(&list, text).unwrap();
            let wanted = vec![PathBuf::from("a"), PathBuf::from("b c")];
            assert_eq!(listed(&list).ok(), Some(wanted), "{text:?}");
        }
        std::fs::write(&list, "\n\n").unwrap();
        assert!(text(listed(&list).unwrap_err()).contains("names no file"));
        let missing = made.0.join("missing");
        assert!(text(listed(&missing).unwrap_err()).contains("cannot be opened"));
    }
}

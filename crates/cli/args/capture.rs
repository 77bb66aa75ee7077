//! Captures with names.

use super::groups::{InputArgs, SelectArgs};
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// One capture of a comparison, as it is named on the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NamedCapture {
    pub(crate) name: String,
    pub(crate) files: Vec<PathBuf>,
    /// Folders and patterns that files come from.
    pub(crate) places: Vec<PathBuf>,
}

impl NamedCapture {
    /// Its files, of which these frames are read.
    pub(crate) fn input(&self, select: &SelectArgs) -> InputArgs {
        InputArgs {
            files: self.files.clone(),
            files_from: None,
            gathered: !self.places.is_empty(),
            places: self.places.clone(),
            select: select.clone(),
        }
    }

    /// Whether it is called by the name of its only file.
    pub(crate) fn is_file_name(&self) -> bool {
        matches!(self.files.as_slice(), [file] if file.as_os_str() == self.name.as_str())
    }
}

impl FromStr for NamedCapture {
    type Err = String;

    /// `FILE`, `FILE,FILE`, `NAME=FILE,FILE`; folders and patterns may stand for files. What is called so
    /// as a whole is a file.
    fn from_str(text: &str) -> Result<Self, String> {
        let whole = |text: &str| !text.is_empty() && Path::new(text).exists();
        let (name, files) = match text.split_once('=') {
            Some((name, files)) if !whole(text) => (Some(name), files),
            _ => (None, text),
        };
        if name == Some("") {
            return Err("a name is missing before =; write NAME=FILE".to_owned());
        }
        let files: Vec<PathBuf> = if whole(files) {
            vec![files.into()]
        } else {
            files.split(',').map(PathBuf::from).collect()
        };
        if files.iter().any(|file| file.as_os_str().is_empty()) {
            return Err("a file name is missing; write FILE, FILE,FILE or NAME=FILE".to_owned());
        }
        Ok(Self {
            name: name.unwrap_or(text).to_owned(),
            files,
            places: Vec::new(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (String, Vec<PathBuf>) {
        let one: NamedCapture = text.parse().unwrap();
        (one.name, one.files)
    }

    #[test]
    fn captures_have_names_and_files() {
        let files = |names: &[&str]| names.iter().map(PathBuf::from).collect::<Vec<_>>();
        assert_eq!(read("a.pcap"), ("a.pcap".into(), files(&["a.pcap"])));
        assert_eq!(
            read("before=a.pcap,b.pcap"),
            ("before".into(), files(&["a.pcap", "b.pcap"]))
        );
        assert_eq!(read("-"), ("-".into(), files(&["-"])));
        assert_eq!(read("QIO/WAKE=b"), ("QIO/WAKE".into(), files(&["b"])));
        for wrong in ["", "=a", "a=", "a,,b", "n=a,"] {
            assert!(wrong.parse::<NamedCapture>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_file_may_have_commas_and_equal_signs() {
        let folder = std::env::temp_dir();
        let odd = folder.join(format!("wirewait-odd,{}=x", std::process::id()));
        std::fs::write(&odd, b"").unwrap();
        let text = odd.to_str().unwrap();
        assert_eq!(read(text), (text.to_owned(), vec![odd.clone()]));
        let named = format!("n={text}");
        assert_eq!(read(&named), ("n".to_owned(), vec![odd.clone()]));
        std::fs::remove_file(odd).unwrap();
    }
}

//! What a command is going to read and write, before it begins.

use crate::args::{InputArgs, OutputArgs, SelectArgs};
use crate::config;
use crate::failure::{Failure, shown};
use crate::input::is_stdin;
use std::path::{Path, PathBuf};

/// A folder in which files are made later, and the option that says so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Folder {
    pub(super) option: &'static str,
    pub(super) path: PathBuf,
    /// It is made if it is missing.
    pub(super) made: bool,
}

/// Files and folders, as the user named them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Needs {
    /// Files that are read.
    pub(super) reads: Vec<PathBuf>,
    /// The configuration, or its folder, which is read again later.
    pub(super) configuration: Option<PathBuf>,
    /// Files that are written once.
    pub(super) writes: Vec<PathBuf>,
    /// What does not fit memory goes to a file without a name.
    pub(crate) scratch: bool,
    /// An input may be an archive that has to be unpacked.
    pub(super) unpacks: bool,
    /// Where files are made, replaced and removed while the command runs.
    pub(super) folders: Vec<Folder>,
    /// The user of the screen may save files anywhere beneath the working directory.
    pub(crate) screen: bool,
    /// Interfaces are captured from.
    pub(crate) interfaces: bool,
    /// Another user than the one who started it writes the outputs.
    pub(super) another_user: bool,
    /// A capture filter may hold names of hosts and ports.
    pub(crate) filter: Option<String>,
}

impl Needs {
    /// The configuration is read again later. Editors put a new file in the place of the old one:
    /// that can be read where the folder is for nothing else.
    pub(crate) fn configuration(&mut self) {
        let typed: Vec<_> = std::env::args_os().collect();
        let Some(file) = config::file(&typed, |name| std::env::var_os(name)) else {
            return;
        };
        let folder = file.parent().filter(|folder| folder.ends_with("wirewait"));
        self.configuration = Some(folder.unwrap_or(&file).to_owned());
    }

    pub(crate) fn input(&mut self, input: &InputArgs) {
        self.files(&input.files);
        self.select(&input.select);
    }

    pub(crate) fn select(&mut self, select: &SelectArgs) {
        #[cfg(feature = "libpcap")]
        self.filter.clone_from(&select.filter);
        #[cfg(not(feature = "libpcap"))]
        let _ = select;
    }

    pub(crate) fn files<'p>(&mut self, files: impl IntoIterator<Item = &'p PathBuf>) {
        for path in files.into_iter().filter(|path| !is_stdin(path)) {
            self.unpacks |= is_packed_tar(path);
            self.reads.push(path.clone());
        }
    }

    pub(crate) fn read(&mut self, file: &Option<PathBuf>) {
        self.reads.extend(file.clone());
    }

    pub(crate) fn write(&mut self, file: &Option<PathBuf>) {
        self.writes.extend(file.clone());
    }

    pub(crate) fn output(&mut self, args: &OutputArgs) {
        let file = args.output.iter().filter(|path| !is_stdin(path));
        self.writes.extend(file.cloned());
    }

    /// A folder in which files are made later, and which is made if it is missing.
    pub(crate) fn make_folder(&mut self, option: &'static str, path: &Option<PathBuf>) {
        self.folders.extend(path.clone().map(|path| Folder {
            option,
            path,
            made: true,
        }));
    }

    /// The folder of a file that is made later.
    pub(crate) fn folder(&mut self, option: &'static str, file: &Path) {
        // A file that replaces another one behind a link is made beside that.
        let file = file.canonicalize().unwrap_or_else(|_| file.to_owned());
        let path = match file.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
            _ => PathBuf::from("."),
        };
        self.folders.push(Folder {
            option,
            path,
            made: false,
        });
    }
}

impl Folder {
    /// Makes it, with the rights that are left: what is written there later takes the same.
    pub(super) fn make(&self) -> Result<(), Failure> {
        if !self.made || self.path.is_dir() {
            return Ok(());
        }
        std::fs::create_dir_all(&self.path).map_err(|error| {
            Failure::Cannot(format!(
                "{}: the folder {} cannot be made: {error}; name one that is there, or one in a \
                 folder that can be written",
                self.option,
                shown(&self.path)
            ))
        })
    }
}

/// Whether a name is one of a tar within a compression. The content decides what a file is; this
/// decides alone whether there is room to unpack it, which has to be found before any is read.
fn is_packed_tar(path: &Path) -> bool {
    const ENDINGS: [&str; 8] = ["tgz", "taz", "tbz", "tbz2", "txz", "tzst", "tlz4", "tz4"];
    let name = path.file_name().and_then(|name| name.to_str());
    let name = name.unwrap_or_default().to_ascii_lowercase();
    let ending = name.rsplit('.').next().unwrap_or_default();
    name.contains(".tar.") || ENDINGS.contains(&ending)
}

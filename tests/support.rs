//! What the tests have in common.

use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use wirewait::Driver;
use wirewait_analysis::{Analyzer, Settings, Snapshot, Transaction};
use wirewait_capture::Options;
use wirewait_synth::OwnedFrame;
use wirewait_wire::{Frame, LinkType, Registry, Source};

/// The folder of the workspace.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The folder of real captures beside the project, or `None` with a loud word. They are
/// not part of the project; CI has them and must not skip.
pub(crate) fn captures(test: &str) -> Option<PathBuf> {
    let folder = root().join("../shared/captures");
    if folder.is_dir() {
        return Some(folder);
    }
    assert!(
        std::env::var_os("WIREWAIT_REQUIRE_CAPTURES").is_none(),
        "{test}: the real captures are required and are not there"
    );
    eprintln!("SKIPPED: {test}: no real captures beside the project");
    None
}

/// The program, without what the user of this machine has configured.
pub(crate) fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wirewait"));
    for (name, _) in std::env::vars_os() {
        let ours = name.to_str().is_some_and(|name| {
            name.starts_with("WIREWAIT_") && !name.starts_with("WIREWAIT_REQUIRE_")
        });
        if ours {
            command.env_remove(name);
        }
    }
    command.env("XDG_CONFIG_HOME", NO_FOLDER);
    command
}

/// The program with these arguments, in the folder of the workspace and with nothing to read.
pub(crate) fn command(arguments: &[&str]) -> Command {
    let mut command = program();
    command.args(arguments).current_dir(root());
    command.stdin(Stdio::null());
    command
}

/// What it says and how it ends.
pub(crate) fn wirewait(arguments: &[&str]) -> Output {
    command(arguments).output().unwrap()
}

/// A path as an argument.
pub(crate) fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// No program finds its configuration there.
pub(crate) const NO_FOLDER: &str = "/nonexistent";

/// A folder in which the program may make files whoever it becomes: as root it is nobody.
pub(crate) fn shared_folder(folder: &Path) {
    std::fs::create_dir_all(folder).unwrap();
    #[cfg(unix)]
    {
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o777);
        std::fs::set_permissions(folder, mode).unwrap();
    }
}

/// A folder of its own for a test, in the system's temporary directory. It goes with the test, also with one that fails.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    /// Two of one name are two folders: tests run beside each other.
    pub(crate) fn new(name: &str) -> Self {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("wirewait-{name}-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        shared_folder(&folder);
        Self(folder)
    }

    /// A file in it.
    pub(crate) fn file(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }
}

impl Deref for Folder {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A leftover is no reason to fail.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A copy of the program at this path. Another process writes it: what this one has open to be
/// written cannot be run while a test beside starts a program (it inherits the open file).
#[cfg(unix)]
pub(crate) fn copied_program(to: &Path) {
    let from = env!("CARGO_BIN_EXE_wirewait");
    let copied = Command::new("cp").arg(from).arg(to).status().unwrap();
    assert!(copied.success(), "{}", to.display());
}

/// Files of a folder, by name.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap_or_else(|e| panic!("{}: {e}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file())
        .collect();
    files.sort();
    files
}

/// The captures of the project, and the real ones in these folders where they are, up to so many
/// bytes each: larger ones say nothing more about what is asked of all.
pub(crate) fn all_captures(test: &str, real: &[&str], most_bytes: u64) -> Vec<PathBuf> {
    let own = root().join("captures");
    let inside = std::fs::read_dir(&own).unwrap();
    let inside = inside.map(|entry| entry.unwrap().path());
    let mut folders: Vec<PathBuf> = inside.filter(|path| path.is_dir()).collect();
    folders.push(own);
    folders.sort();
    if let Some(folder) = captures(test) {
        folders.extend(real.iter().map(|name| folder.join(name)));
    }
    let mut all: Vec<PathBuf> = folders.iter().flat_map(|folder| files(folder)).collect();
    all.retain(|path| {
        let ending = path.extension().and_then(|ending| ending.to_str());
        !matches!(ending, Some("md" | "scenario" | "svg"))
            && path.metadata().is_ok_and(|file| file.len() <= most_bytes)
    });
    all
}

/// tshark's protocol, and ours.
pub(crate) const PROTOCOLS: &[(&str, &str)] = &[
    ("eth", "ethernet"),
    ("tr", "token-ring"),
    ("fddi", "fddi"),
    ("sll", "sll"),
    ("null", "loopback"),
    ("ppp", "ppp"),
    ("chdlc", "chdlc"),
    ("vlan", "vlan"),
    ("llc", "llc"),
    ("arp", "arp"),
    ("ip", "ipv4"),
    ("ipv6", "ipv6"),
    ("tcp", "tcp"),
    ("udp", "udp"),
    ("ipx", "ipx"),
    ("ipxrip", "rip"),
    ("ipxsap", "sap"),
    ("spx", "spx"),
    ("netbios", "nbf"),
    ("nbipx", "nbipx"),
    ("nmpi", "nmpi"),
    ("nbdgm", "nbdgm"),
    ("nbns", "nbns"),
    ("ncp", "ncp"),
    ("smb", "smb1"),
    ("smb2", "smb2"),
];

/// All transactions and figures of some frames.
pub(crate) struct Analysis {
    pub(crate) transactions: Vec<Transaction>,
    pub(crate) snapshot: Snapshot,
}

/// Runs the analyser over files that are one capture. Damage ends a file, not the test.
pub(crate) fn analyse(paths: &[PathBuf]) -> Result<Analysis, String> {
    let mut source =
        wirewait_capture::open(paths, &Options::default()).map_err(|e| e.to_string())?;
    Ok(analyse_source(&mut source))
}

/// Runs the analyser over a source.
pub(crate) fn analyse_source(source: &mut dyn Source) -> Analysis {
    let mut run = Run::new();
    let mut damages = 0;
    while damages < 10_000 {
        match source.next_frame() {
            Ok(Some(frame)) => {
                let interface = frame.interface;
                run.frame(&frame);
                run.driver.meet(interface, source);
            }
            Ok(None) => break,
            Err(_) => damages += 1,
        }
    }
    run.finish()
}

/// The frames of a capture, up to its first damage.
pub(crate) fn owned_frames(path: &Path) -> Vec<OwnedFrame> {
    let mut source =
        wirewait_capture::open(&[path.to_owned()], &Options::default()).expect("a capture");
    let mut frames = Vec::new();
    while let Ok(Some(frame)) = source.next_frame() {
        frames.push(OwnedFrame::from(&frame));
    }
    frames
}

/// A file with these frames, of one interface.
pub(crate) fn capture_of(frames: &[OwnedFrame]) -> Vec<u8> {
    use wirewait_capture::write::{PcapWriter, Precision};
    let link = frames
        .first()
        .map_or(LinkType::ETHERNET, |frame| frame.link);
    let mut writer = PcapWriter::new(Vec::new(), link, Precision::Nanos, 65_535).unwrap();
    for frame in frames {
        writer.frame(&frame.as_frame()).unwrap();
    }
    writer.finish().unwrap()
}

/// Runs the analyser over frames.
pub(crate) fn analyse_frames<'a>(frames: impl IntoIterator<Item = &'a OwnedFrame>) -> Analysis {
    let mut run = Run::new();
    for frame in frames {
        run.frame(&frame.as_frame());
    }
    run.finish()
}

/// An analyser and what came out of it.
pub(crate) struct Run {
    driver: Driver,
    transactions: Vec<Transaction>,
}

impl Run {
    pub(crate) fn new() -> Self {
        Self::by(wirewait_dissectors::registry())
    }

    /// With other tables of fields than those that are built in.
    pub(crate) fn by(registry: Registry) -> Self {
        Self {
            driver: Driver::new(Analyzer::new(registry, Settings::default())),
            transactions: Vec::new(),
        }
    }

    pub(crate) fn frame(&mut self, frame: &Frame<'_>) {
        self.driver.frame(frame, &mut self.transactions);
    }

    pub(crate) fn finish(mut self) -> Analysis {
        self.driver.finish(&mut self.transactions);
        Analysis {
            transactions: self.transactions,
            snapshot: self.driver.snapshot(),
        }
    }
}

/// Asserts that every frame of the capture went somewhere, and only there.
pub(crate) fn assert_frames_close(name: &str, snapshot: &Snapshot) {
    let a = snapshot.attribution;
    let whole = wirewait_analysis::WHOLE_FRAME;
    assert_eq!(
        a.transactions + a.control + (a.other + a.duplicates) * whole,
        snapshot.capture.frames * whole,
        "{name}: frames of transactions, control, others and copies do not sum to the capture's"
    );
}

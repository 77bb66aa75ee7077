//! Giving up rights, step by step.

use super::landlock::{self, Landlock};
use super::needs::{Folder, Needs};
use super::seccomp::{self, Filter};
use super::user::{self, User};
use super::{outputs, told};
use crate::args::RightsArgs;
use crate::failure::Failure;
use crate::input;
use crate::replacement;
use rustix::fs::{Access, access, fchown};
use rustix::process::{Resource, Rlimit, geteuid, getrlimit, setrlimit};
use rustix::thread::{CapabilitySet, set_no_new_privs};
use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use wirewait_capture::held;
use wirewait_report::Escaped;

/// Descriptors for everything that is not an input.
const OTHER_FILES: u64 = 256;

/// The rights of this process on their way out.
#[derive(Debug)]
pub(crate) struct Rights {
    needs: Needs,
    wanted: RightsArgs,
    /// Whom to become, as long as it has not happened.
    user: Option<User>,
    was_root: bool,
    entered: bool,
    pub(super) sandbox: Sandbox,
}

/// What the kernel enforces.
#[derive(Debug, Default)]
pub(super) struct Sandbox {
    pub(super) landlock: Option<Landlock>,
    pub(super) all: Option<Result<usize, String>>,
    pub(super) readers: Option<Result<usize, String>>,
}

impl Rights {
    /// Opens, with the rights that the user gave, what a command needs them for.
    ///
    /// # Errors
    /// When the user to become is not known, or an output cannot be opened.
    pub(crate) fn of(mut needs: Needs, wanted: &RightsArgs) -> Result<Self, Failure> {
        let user = User::to_become(wanted.user.as_deref())?;
        needs.another_user = user.is_some();
        let was_root = geteuid().is_root();
        if user::reads_more() {
            hold(&needs.reads);
        }
        let make = |path: &Path| match &user {
            Some(user) if !user.may_write_in(&replacement::folder_of(path)) => {
                made_for(user, path).map(Some)
            }
            _ => Ok(None),
        };
        outputs::open(&needs.writes, &needs.reads, &make)?;
        if needs.scratch {
            outputs::open_scratch();
        }
        if needs.unpacks {
            outputs::open_room();
        }
        // What a program is started for, it gets from here on without more rights.
        let _ = set_no_new_privs(true);
        Ok(Self {
            needs,
            user,
            wanted: wanted.clone(),
            was_root,
            entered: false,
            sandbox: Sandbox::default(),
        })
    }

    /// Gives up everything but the right to open an interface again. The threads that capture are
    /// started next.
    #[cfg(feature = "libpcap")]
    pub(crate) fn keep_only_reopening(&mut self) -> Result<(), Failure> {
        self.enter(CapabilitySet::NET_RAW)
    }

    /// Gives up everything: what reads captures is started next, or is this thread.
    pub(crate) fn give_up_all(&mut self) -> Result<(), Failure> {
        if !self.entered {
            self.enter(CapabilitySet::empty())?;
        }
        user::shed(None, CapabilitySet::empty())?;
        if !self.wanted.no_sandbox {
            self.sandbox.readers = Some(seccomp::confine(Filter::Readers));
        }
        Ok(())
    }

    /// Starts a thread that takes connections at an address that is bound already, and has no other
    /// right: before [`Rights::give_up_all`], as threads that read captures take none.
    pub(crate) fn start_listener(
        &mut self,
        work: impl FnOnce() + Send + 'static,
    ) -> Result<(), Failure> {
        if !self.entered {
            self.enter(CapabilitySet::empty())?;
        }
        let confined = !self.wanted.no_sandbox;
        let (tell, told) = std::sync::mpsc::channel();
        let listen = move || {
            let shed = user::shed(None, CapabilitySet::empty()).map(|_| ());
            if confined {
                // What is missing in this kernel is missing for the other threads, too, and said
                // of them.
                let _ = seccomp::confine(Filter::Listener);
            }
            let ready = shed.is_ok();
            let _ = tell.send(shed);
            if ready {
                work();
            }
        };
        let thread = std::thread::Builder::new().name("metrics".to_owned());
        let started = thread.spawn(listen);
        started.map_err(|error| Failure::Cannot(format!("no thread can be started: {error}")))?;
        told.recv().unwrap_or(Ok(()))
    }

    /// Whether the user wants to know them, and nothing else.
    pub(crate) const fn are_asked_for(&self) -> bool {
        self.wanted.print_rights
    }

    /// What is in force, in words.
    pub(crate) fn in_force(&self) -> String {
        told::told(&self.sandbox)
    }

    fn enter(&mut self, kept: CapabilitySet) -> Result<(), Failure> {
        let user = self.user.take();
        user::shed(user.as_ref(), kept)?;
        self.entered = true;
        self.check_folders(user.as_ref())?;
        #[cfg(feature = "libpcap")]
        if let Some(filter) = self
            .needs
            .filter
            .as_ref()
            .filter(|_| !self.needs.interfaces)
        {
            // Names of hosts are looked up now: there is no network later.
            input::compile_filter(filter)?;
        }
        if !self.wanted.no_sandbox {
            let rules = landlock::rules(&self.needs);
            self.sandbox.landlock = Some(landlock::confine(rules));
            self.sandbox.all = Some(seccomp::confine(Filter::All));
        }
        Ok(())
    }

    /// An hour is not to be lost for want of a place: who was root may not write everywhere now.
    fn check_folders(&self, user: Option<&User>) -> Result<(), Failure> {
        if !self.was_root {
            return self.needs.folders.iter().try_for_each(Folder::make);
        }
        let name = user.map_or("root without capabilities", |user| &user.name);
        let name = Escaped(name).to_string();
        for folder in &self.needs.folders {
            if let Err(failure) = folder.make() {
                return Err(failure.with(&format!(
                    " (captures are read as {name}; --user root stays root, without capabilities)"
                )));
            }
            let may = access(&folder.path, Access::WRITE_OK | Access::EXEC_OK);
            if may == Err(rustix::io::Errno::ACCESS) {
                return Err(Failure::Cannot(refused(folder.option, &folder.path, &name)));
            }
        }
        Ok(())
    }
}

/// An empty file of this user. A link may lead to what is not there.
fn made_for(user: &User, path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    let file = options
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)?;
    if user.owns {
        // It may be on a file system without users.
        let _ = fchown(&file, Some(user.uid), Some(user.gid));
    }
    Ok(file)
}

fn refused(option: &str, folder: &Path, user: &str) -> String {
    let folder = folder.display().to_string();
    format!(
        "{option}: captures are read as {user}, who may not write in {}; name a folder of that \
         user, or another user (--user NAME; --user root stays root, without capabilities)",
        Escaped(&folder),
    )
}

/// Opens all files, or as many as may be open.
fn hold(files: &[PathBuf]) {
    let room = make_room(files.len() as u64).saturating_sub(OTHER_FILES);
    let most = usize::try_from(room).unwrap_or(usize::MAX);
    let left_out = held::hold(files.iter().map(AsRef::as_ref), most);
    if left_out > 0 {
        input::warn(&format!(
            "not more than {room} files can be opened as root before rights are given up; the \
             other {left_out} are opened as the user it becomes, if that user may read them: raise \
             `ulimit -n`, or stay root (--user root)"
        ));
    }
}

/// Raises the limit of open files as far as it may be and has to be. What it is then.
fn make_room(files: u64) -> u64 {
    let wanted = files.saturating_add(OTHER_FILES);
    let limit = getrlimit(Resource::Nofile);
    let raised = |current, maximum| {
        let limit = Rlimit { current, maximum };
        setrlimit(Resource::Nofile, limit).is_ok()
    };
    if limit.current.is_some_and(|current| current < wanted) {
        let within = limit.maximum.is_none_or(|maximum| maximum >= wanted);
        // Beyond the hard limit takes a right that root in a container seldom has.
        let far_enough =
            (within && raised(Some(wanted), limit.maximum)) || raised(Some(wanted), Some(wanted));
        if !far_enough {
            raised(limit.maximum, limit.maximum);
        }
    }
    let now = getrlimit(Resource::Nofile).current;
    now.unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::io::ErrorKind::PermissionDenied;
    use std::net::{TcpStream, UdpSocket};
    use std::os::unix::net::UnixStream;
    use std::process::Command as Program;

    /// A folder that goes with the test: outside of the sandbox, in which nothing of it can be removed.
    struct Scratch(PathBuf);

    impl Scratch {
        fn new(name: &str) -> Self {
            let name = format!("wirewait-sandbox-{name}-{}", std::process::id());
            let path = std::env::temp_dir().join(name);
            fs::create_dir_all(&path).unwrap();
            Self(path.canonicalize().unwrap())
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    /// In a thread of its own: it cannot be undone.
    fn confined<T: Send + 'static>(
        needs: Needs,
        work: impl FnOnce(&Landlock) -> T + Send + 'static,
    ) -> T {
        let confined = move || {
            set_no_new_privs(true).unwrap();
            let landlock = landlock::confine(landlock::rules(&needs));
            seccomp::confine(Filter::All).unwrap();
            seccomp::confine(Filter::Readers).unwrap();
            work(&landlock)
        };
        std::thread::spawn(confined).join().unwrap()
    }

    fn is_here(landlock: &Landlock) -> bool {
        match landlock {
            Landlock::InForce { .. } => true,
            Landlock::Absent(why) => {
                eprintln!("SKIPPED: files of the sandbox: {why}");
                false
            }
        }
    }

    #[test]
    fn only_named_files_can_be_opened() {
        let scratch = Scratch::new("reads");
        let folder = scratch.0.clone();
        let [named, other, shadow] = ["named", "other", "/etc/shadow"].map(|n| folder.join(n));
        fs::write(&named, b"named").unwrap();
        fs::write(&other, b"other").unwrap();
        let needs = Needs {
            reads: vec![named.clone(), folder.join("missing")],
            ..Needs::default()
        };
        confined(needs, move |landlock| {
            if !is_here(landlock) {
                return;
            }
            let kind = |path: &Path| File::open(path).map(|_| ()).map_err(|e| e.kind());
            assert_eq!(fs::read(&named).unwrap(), b"named");
            assert_eq!(kind(&other), Err(PermissionDenied));
            assert_eq!(kind(&shadow), Err(PermissionDenied));
            assert_eq!(
                kind(&folder.join("missing")),
                Err(std::io::ErrorKind::NotFound)
            );
            let write = |path: &Path| OpenOptions::new().write(true).open(path).map(|_| ());
            for path in [&named, &other] {
                assert_eq!(write(path).unwrap_err().kind(), PermissionDenied);
            }
            assert!(fs::write(folder.join("new"), b"").is_err());
            assert!(fs::remove_file(&other).is_err());
            // What the program tells of itself.
            assert!(crate::own::Own::now().memory > Some(0));
        });
    }

    #[test]
    fn folders_to_keep_files_in_are_no_others() {
        let scratch = ["ring", "beside"].map(Scratch::new);
        let [ring, beside] = scratch.each_ref().map(|one| one.0.clone());
        let needs = Needs {
            folders: vec![Folder {
                option: "--save",
                path: ring.clone(),
                made: false,
            }],
            ..Needs::default()
        };
        confined(needs, move |landlock| {
            if !is_here(landlock) {
                return;
            }
            let [old, new] = ["old", "new"].map(|name| ring.join(name));
            fs::write(&old, b"1").unwrap();
            fs::rename(&old, &new).unwrap();
            assert_eq!(fs::read_dir(&ring).unwrap().count(), 1);
            fs::write(&new, b"2").unwrap();
            fs::remove_file(&new).unwrap();
            let failed = fs::write(beside.join("file"), b"").unwrap_err();
            assert_eq!(failed.kind(), PermissionDenied);
            assert!(fs::create_dir(ring.join("sub")).is_err());
            assert!(std::os::unix::fs::symlink("/etc", ring.join("link")).is_err());
        });
    }

    /// Scrapes are answered, and nothing else is done over the network.
    #[test]
    fn a_listener_takes_connections_and_makes_none() {
        let bound = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = bound.local_addr().unwrap();
        let listen = move || {
            set_no_new_privs(true).unwrap();
            landlock::confine(landlock::rules(&Needs::default()));
            seccomp::confine(Filter::All).unwrap();
            seccomp::confine(Filter::Listener).unwrap();
            let (mut stream, _) = bound.accept().unwrap();
            io::Write::write_all(&mut stream, b"served").unwrap();
            let refused = |error: io::Error| assert_eq!(error.kind(), PermissionDenied, "{error}");
            refused(TcpStream::connect(address).unwrap_err());
            refused(std::net::TcpListener::bind("127.0.0.1:0").unwrap_err());
            refused(File::open("/etc/passwd").unwrap_err());
        };
        let thread = std::thread::spawn(listen);
        let mut read = String::new();
        let mut stream = TcpStream::connect(address).unwrap();
        io::Read::read_to_string(&mut stream, &mut read).unwrap();
        assert_eq!(read, "served");
        thread.join().unwrap();
    }

    /// As an intruder would go on.
    #[test]
    fn there_is_no_network_and_no_other_program() {
        confined(Needs::default(), |_| {
            let refused = |error: std::io::Error| {
                assert_eq!(error.kind(), PermissionDenied, "{error}");
            };
            refused(TcpStream::connect("127.0.0.1:9").unwrap_err());
            refused(UdpSocket::bind("127.0.0.1:0").unwrap_err());
            refused(UnixStream::connect("/nonexistent").unwrap_err());
            refused(Program::new("/bin/true").status().unwrap_err());
            let parent = rustix::process::getppid().unwrap();
            let signal = rustix::process::Signal::CONT;
            let sent = rustix::process::kill_process(parent, signal);
            assert_eq!(sent, Err(rustix::io::Errno::PERM));
            assert!(rustix::process::test_kill_process(rustix::process::getpid()).is_ok());
            // What signals come through, and what threads need.
            assert!(UnixStream::pair().is_ok());
            assert_eq!(std::thread::spawn(|| 1).join().unwrap(), 1);
        });
    }
}

//! Captures are read without rights: what the system says of every thread of a running program.
//! As root this proves that rights are given up; as anyone else, that there are none to begin
//! with. What needs root, setcap or network namespaces says so where they are missing.

use crate::support::{copied_program, program, root};
use std::fs::{self, Permissions};
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// The user that root becomes where nobody says whom (base-passwd).
const NOBODY: &str = "65534";
const NONE: &str = "0000000000000000";
/// CAP_NET_RAW is the 14th bit (capability.h).
const NET_RAW: &str = "0000000000002000";
const PATIENCE: Duration = Duration::from_secs(20);

fn is_root() -> bool {
    fs::metadata("/proc/self").unwrap().uid() == 0
}

fn skipped(test: &str, why: &str) {
    assert!(
        std::env::var_os("WIREWAIT_REQUIRE_LIVE").is_none(),
        "{test}: required here: {why}"
    );
    eprintln!("SKIPPED: {test}: {why}");
}

/// A folder of its own, gone with it.
struct Folder(PathBuf);

impl Folder {
    /// Only its owner may look into it.
    fn private(name: &str) -> Self {
        let name = format!("wirewait-rights-{name}-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o700)).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Ends the program if a test breaks off.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// What the system says of a thread.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Thread {
    name: String,
    users: Vec<String>,
    effective: String,
    permitted: String,
    inheritable: String,
    ambient: String,
    no_new_privs: String,
    seccomp: String,
}

impl Thread {
    fn read(task: &Path) -> Option<Self> {
        let status = fs::read_to_string(task.join("status")).ok()?;
        let field = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name));
            line.map(|line| line.trim().to_owned())
        };
        Some(Self {
            name: field("Name:")?,
            users: field("Uid:")?
                .split_whitespace()
                .map(str::to_owned)
                .collect(),
            effective: field("CapEff:")?,
            permitted: field("CapPrm:")?,
            inheritable: field("CapInh:")?,
            ambient: field("CapAmb:")?,
            no_new_privs: field("NoNewPrivs:")?,
            seccomp: field("Seccomp:")?,
        })
    }

    /// It is this user, and has these capabilities and no others.
    fn has_only(&self, user: &str, capabilities: &str) -> bool {
        self.users == [user; 4]
            && self.effective == capabilities
            && self.permitted == capabilities
            && self.inheritable == NONE
            && self.ambient == NONE
            && self.no_new_privs == "1"
            && self.seccomp == "2"
    }
}

fn threads(pid: u32) -> Vec<Thread> {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).unwrap();
    tasks
        .filter_map(|task| Thread::read(&task.unwrap().path()))
        .collect()
}

/// Waits until all threads are so.
fn until(pid: u32, what: &str, wanted: impl Fn(&[Thread]) -> bool) {
    let begun = Instant::now();
    loop {
        let now = threads(pid);
        if wanted(&now) {
            return;
        }
        assert!(begun.elapsed() < PATIENCE, "{what}: {now:#?}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn own_user() -> String {
    fs::metadata("/proc/self").unwrap().uid().to_string()
}

/// Who a program is that was started without another word.
fn expected_user() -> String {
    if is_root() {
        NOBODY.to_owned()
    } else {
        own_user()
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn demo() -> PathBuf {
    root().join("captures/demo.pcapng")
}

/// Starts a program that waits for a capture from its standard input.
fn waiting(mut command: Command) -> Running {
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    Running(command.spawn().unwrap())
}

/// Gives it the capture that it waits for.
fn served(mut running: Running) -> Output {
    let mut input = running.0.stdin.take().unwrap();
    let capture = fs::read(demo()).unwrap();
    let writer = std::thread::spawn(move || {
        // Some commands need only its beginning.
        let _ = input.write_all(&capture);
    });
    let mut out = Vec::new();
    let mut stdout = running.0.stdout.take().unwrap();
    std::io::Read::read_to_end(&mut stdout, &mut out).unwrap();
    writer.join().unwrap();
    let status = running.0.wait().unwrap();
    let mut stderr = Vec::new();
    let mut said = running.0.stderr.take().unwrap();
    std::io::Read::read_to_end(&mut said, &mut stderr).unwrap();
    Output {
        status,
        stdout: out,
        stderr,
    }
}

/// Before it was given one byte, no command has any rights; what it prints is the same.
#[test]
fn rights_are_gone_before_the_first_byte() {
    let file = demo();
    let file = file.to_str().unwrap();
    for args in [
        &["report", "-"][..],
        &["report", "--format", "json", "--threads", "2", "-"],
        &["report", "--explain", "-"],
        &["transactions", "-"],
        &["decode", "-F", "1-9", "-"],
        &["counters", "-"],
        &["compare", "-", file],
        &["between", "-", file],
        &["last-calibrate", "-"],
        &["live", "-", "--format", "json"],
        &["report", "--filter", "ip or ipx", "-"],
    ] {
        let running = {
            let mut command = program();
            command.args(args);
            waiting(command)
        };
        let user = expected_user();
        until(running.0.id(), &format!("{args:?}"), |threads| {
            !threads.is_empty() && threads.iter().all(|one| one.has_only(&user, NONE))
        });
        let confined = served(running);
        let mut free = program();
        free.args(args)
            .args(["--no-sandbox", "--user", &own_user()]);
        let free = served(waiting(free));
        // There is no DEC LAST in it, and a capture is at one place with itself.
        let empty = matches!(args[0], "last-calibrate" | "between");
        let said = text(&confined.stderr);
        assert_eq!(confined.stdout.is_empty(), empty, "{args:?}: {said}");
        assert_eq!(confined.status.code(), free.status.code(), "{args:?}");
        assert_eq!(text(&confined.stdout), text(&free.stdout), "{args:?}");
    }
}

#[test]
fn root_stays_root_only_without_capabilities() {
    if !is_root() {
        return skipped("root_stays_root", "this is not root");
    }
    for (user, number) in [("root", "0"), ("daemon", "1"), ("4711", "4711")] {
        let mut command = program();
        command.args(["report", "--user", user, "-"]);
        let running = waiting(command);
        until(running.0.id(), user, |threads| {
            !threads.is_empty() && threads.iter().all(|one| one.has_only(number, NONE))
        });
    }
    // Under sudo: who called it.
    let mut command = program();
    command.args(["report", "-"]);
    command.env("SUDO_UID", "1").env("SUDO_GID", "1");
    let running = waiting(command);
    until(running.0.id(), "sudo", |threads| {
        !threads.is_empty() && threads.iter().all(|one| one.has_only("1", NONE))
    });
}

#[test]
fn users_that_cannot_be_become_are_refused() {
    let unknown = program()
        .args(["report", "--user", "no-such-user", "-"])
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert_eq!(unknown.status.code(), Some(2));
    let said = text(&unknown.stderr);
    assert!(
        said.contains("--user: there is no user no-such-user"),
        "{said}"
    );
}

/// Files that only root may read, in a folder that only root may enter: more of them than may be
/// open by default, read twice, and written beside.
#[test]
fn files_of_root_alone_are_read_and_written() {
    let folder = Folder::private("files");
    let path = |name: &str| folder.0.join(name);
    let capture = path("demo.pcapng");
    fs::copy(demo(), &capture).unwrap();
    fs::set_permissions(&capture, Permissions::from_mode(0o600)).unwrap();

    let run = |args: &[&str], files: &[&Path]| {
        let mut command = program();
        let output = command.args(args).args(files).output().unwrap();
        assert!(
            output.status.success(),
            "{args:?}: {}",
            text(&output.stderr)
        );
        text(&output.stdout)
    };
    let rows = run(&["transactions"], &[&capture]);
    assert_eq!(rows, run(&["transactions"], &[&demo()]));
    // Read once more for the ladder.
    let (html, summary) = (path("report.html"), path("sums.json"));
    let out = ["report", "--format", "html", "-o", html.to_str().unwrap()];
    let sums = ["--summary", summary.to_str().unwrap()];
    run(&[&out[..], &sums[..]].concat(), &[&capture]);
    assert!(fs::metadata(&html).unwrap().len() > 10_000);
    run(&["merge"], &[&summary]);
    run(&["compare"], &[&capture, &capture]);
    run(&["report", "--parallel", "2"], &[&capture, &capture]);
    // It is still one file.
    let twice = run(&["transactions"], &[&capture, &path("./demo.pcapng")]);
    assert_eq!(twice, rows);
    // An input is never written over.
    let mut over = program();
    over.args(["report", "-o"]).args([&capture, &capture]);
    let over = over.output().unwrap();
    assert!(!over.status.success());
    assert_eq!(fs::read(&capture).unwrap(), fs::read(demo()).unwrap());
}

/// A capture of many files, each with a frame, under a limit that is far below their number.
#[test]
fn thousands_of_files_of_root_alone_are_one_capture() {
    let folder = Folder::private("many");
    let files: u32 = 3000;
    for number in 0..files {
        let mut bytes = Vec::new();
        for word in [0xa1b2_c3d4_u32, 0x0004_0002, 0, 0, 65_535, 1] {
            bytes.extend(word.to_le_bytes());
        }
        for word in [1_700_000_000 + number, 0, 60, 60] {
            bytes.extend(word.to_le_bytes());
        }
        bytes.extend([number.to_le_bytes().as_slice(), &[0; 56]].concat());
        let path = folder.0.join(format!("{number:05}.pcap"));
        fs::write(&path, bytes).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
    }
    let run = |limit: &str| {
        let script = format!("{limit}; exec \"$0\" report --format json \"$1\"/*.pcap");
        Command::new("sh")
            .args(["-c", &script, env!("CARGO_BIN_EXE_wirewait")])
            .arg(&folder.0)
            .env("XDG_CONFIG_HOME", crate::support::NO_FOLDER)
            .output()
            .unwrap()
    };
    let frames = |output: &Output| {
        assert!(output.status.success(), "{}", text(&output.stderr));
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        report["capture"]["frames"].as_u64()
    };
    // The soft limit may be raised by anyone.
    assert_eq!(frames(&run("ulimit -Sn 512")), Some(u64::from(files)));
    if !is_root() {
        return;
    }
    // Where the hard one may not be raised, that is told, and the others are opened as nobody.
    let limited = run("ulimit -n 512");
    let said = text(&limited.stderr);
    if limited.status.success() {
        return assert_eq!(frames(&limited), Some(u64::from(files)), "it may be raised");
    }
    assert!(
        said.contains("not more than 256 files can be opened as root"),
        "{said}"
    );
    assert!(said.contains("Permission denied"), "{said}");
    fs::set_permissions(&folder.0, Permissions::from_mode(0o755)).unwrap();
    for number in 0..files {
        let path = folder.0.join(format!("{number:05}.pcap"));
        fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
    }
    let limited = run("ulimit -n 512");
    assert_eq!(frames(&limited), Some(u64::from(files)));
    assert!(text(&limited.stderr).contains("the other 2744 are opened"));
}

/// A file that root alone may read is missing by the words of the system, not by those about
/// rights that are no more.
#[test]
fn what_is_missing_is_told_as_before() {
    let folder = Folder::private("missing");
    let file = folder.0.join("no.pcap");
    let output = program().arg("report").arg(&file).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output.stderr);
    assert!(said.contains("No such file"), "{said}");
    let out = folder.0.join("out.txt");
    let output = program()
        .arg("report")
        .arg(&file)
        .arg("-o")
        .arg(&out)
        .output();
    assert_eq!(output.unwrap().status.code(), Some(1));
    assert!(!out.exists(), "nothing is made for it");
}

/// Folders in which files are made later have to be writable for whoever the program becomes.
#[test]
fn folders_of_root_alone_are_refused_with_what_to_type() {
    if !is_root() {
        return skipped("folders_of_root_alone", "this is not root");
    }
    let folder = Folder::private("folders");
    let saved = folder.0.join("lan");
    let mut live = program();
    live.args(["live", "-", "--save"]).arg(&saved);
    let output = served(waiting(live));
    let said = text(&output.stderr);
    assert!(
        said.contains("--save: captures are read as nobody"),
        "{said}"
    );
    assert!(said.contains("--user root"), "{said}");
    let mut live = program();
    live.args(["live", "-", "--user", "root", "--save"])
        .arg(&saved);
    assert!(served(waiting(live)).status.success());
    let kept: Vec<_> = fs::read_dir(&folder.0).unwrap().collect();
    assert_eq!(kept.len(), 1);
    let kept = kept.into_iter().next().unwrap().unwrap();
    assert_eq!(kept.metadata().unwrap().uid(), 0);
    fs::remove_file(kept.path()).unwrap();
    fs::set_permissions(&folder.0, Permissions::from_mode(0o777)).unwrap();
    let mut live = program();
    live.args(["live", "-", "--save-size", "64K", "--save"])
        .arg(&saved);
    let output = served(waiting(live));
    assert!(output.status.success(), "{}", text(&output.stderr));
    let ring: Vec<_> = fs::read_dir(&folder.0)
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.file_name().to_string_lossy().starts_with("lan_"))
        .collect();
    assert!(ring.len() > 1, "a ring of several files");
    let owner = |file: &fs::DirEntry| file.metadata().unwrap().uid().to_string();
    assert!(ring.iter().all(|file| owner(file) == NOBODY));
}

/// Who called sudo owns what is written.
#[test]
fn outputs_belong_to_who_called_sudo() {
    if !is_root() {
        return skipped("outputs_belong", "this is not root");
    }
    let folder = Folder::private("owner");
    let path = |name: &str| folder.0.join(name);
    let run = |out: &Path, command: &mut Command| {
        let output = command
            .arg("report")
            .arg(demo())
            .arg("-o")
            .arg(out)
            .output();
        let output = output.unwrap();
        assert!(output.status.success(), "{}", text(&output.stderr));
        fs::metadata(out).unwrap().uid()
    };
    let (plain, sudo) = (path("plain"), path("sudo"));
    assert_eq!(run(&plain, &mut program()), 0, "nobody owns nothing");
    let called = |command: &mut Command| {
        command.env("SUDO_UID", "1").env("SUDO_GID", "1");
    };
    let mut command = program();
    called(&mut command);
    assert_eq!(run(&sudo, &mut command), 1);
    assert_eq!(fs::read(&plain).unwrap(), fs::read(&sudo).unwrap());
}

/// What is in force is data on the standard output.
#[test]
fn rights_in_force_are_printed() {
    let run = |args: &[&str]| {
        let output = program().args(args).arg(demo()).output().unwrap();
        assert!(output.status.success(), "{}", text(&output.stderr));
        assert!(output.stderr.is_empty(), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    let told = run(&["report", "--print-rights"]);
    let user = expected_user();
    let thread = format!("thread wirewait: uid {user}, gid ");
    assert!(told.starts_with(&thread), "{told}");
    assert!(
        told.contains("capabilities none, no_new_privs 1, seccomp filter\n"),
        "{told}"
    );
    assert!(told.contains("\nseccomp: every thread: "), "{told}");
    // As root it is open already.
    let rule = format!("\nlandlock: read: {}\n", demo().display());
    let landlock = !told.contains("landlock: off (");
    assert_eq!(told.contains(&rule), landlock && !is_root(), "{told}");
    let told = run(&["report", "--print-rights", "--no-sandbox"]);
    assert!(
        told.contains("seccomp off\nlandlock: off (--no-sandbox)\n"),
        "{told}"
    );
}

/// Gives the copy of the program the capabilities to capture; says that the test skipped otherwise.
fn may_capture(copy: &Path, how: &str, test: &str) -> bool {
    let mut setcap = Command::new("setcap");
    let set = setcap
        .arg(format!("cap_net_raw,cap_net_admin={how}"))
        .arg(copy)
        .output();
    let set = set.is_ok_and(|set| set.status.success());
    if !set {
        skipped(
            test,
            "setcap is missing, or does not work in the folder of tests",
        );
    }
    set
}

/// A program to which a file system gave capabilities has none when it reads a file.
#[test]
fn capabilities_of_the_program_are_given_up_for_files() {
    let test = "capabilities_of_the_program";
    if !is_root() {
        return skipped(test, "this is not root");
    }
    let folder = Folder::private("setcap");
    fs::set_permissions(&folder.0, Permissions::from_mode(0o755)).unwrap();
    let copy = folder.0.join("wirewait");
    copied_program(&copy);
    fs::set_permissions(&copy, Permissions::from_mode(0o755)).unwrap();
    if !may_capture(&copy, "eip", test) {
        return;
    }
    let mut command = Command::new("setpriv");
    command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]);
    command.arg(&copy).args(["--no-config", "report", "-"]);
    if Command::new("setpriv").arg("--version").output().is_err() {
        return skipped(test, "there is no setpriv");
    }
    let running = waiting(command);
    until(running.0.id(), test, |threads| {
        !threads.is_empty() && threads.iter().all(|one| one.has_only(NOBODY, NONE))
    });
    let output = served(running);
    assert!(output.status.success(), "{}", text(&output.stderr));
}

/// As packages install it: everyone runs the program, and who is in the group becomes the copy that
/// may capture.
#[test]
fn members_of_the_group_capture_and_others_are_told_of_it() {
    let test = "members_of_the_group";
    if !is_root() || Command::new("setpriv").arg("--version").output().is_err() {
        return skipped(test, "this is not root, or there is no setpriv");
    }
    let folder = Folder::private("group");
    let everyone = Permissions::from_mode(0o755);
    fs::set_permissions(&folder.0, everyone.clone()).unwrap();
    let (plain, copy) = ("bin/wirewait", "lib/wirewait/wirewait");
    let [plain, copy] = [plain, copy].map(|path| {
        let path = folder.0.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        copied_program(&path);
        path
    });
    fs::set_permissions(&plain, everyone).unwrap();
    fs::set_permissions(&copy, Permissions::from_mode(0o750)).unwrap();
    // The group daemon has the number 1 (base-passwd).
    std::os::unix::fs::chown(&copy, Some(0), Some(1)).unwrap();
    if !may_capture(&copy, "eip", test) {
        return;
    }
    let run = |groups: &str, args: &[&str]| {
        let mut command = Command::new("setpriv");
        command.args(["--reuid=65534", "--regid=65534", groups]);
        command.arg(&plain).arg("--no-config").args(args);
        command.output().unwrap()
    };
    let member = run("--groups=1", &LIVE);
    assert!(member.status.success(), "{}", text(&member.stderr));
    assert!(
        text(&member.stdout).starts_with('{'),
        "{}",
        text(&member.stdout)
    );
    let stranger = run("--clear-groups", &LIVE);
    assert_eq!(stranger.status.code(), Some(1));
    let said = text(&stranger.stderr);
    assert!(
        said.contains("Members of the group daemon may capture"),
        "{said}"
    );
    assert!(said.contains("sudo usermod -aG daemon"), "{said}");
    for groups in ["--groups=1", "--clear-groups"] {
        let demo = fs::File::open(demo()).unwrap();
        let mut command = Command::new("setpriv");
        command.args(["--reuid=65534", "--regid=65534", groups]);
        command
            .arg(&plain)
            .args(["--no-config", "report", "--print-rights", "-"]);
        let output = command.stdin(demo).output().unwrap();
        let told = text(&output.stdout);
        assert!(told.contains("capabilities none"), "{groups}: {told}");
    }
}

/// Captures for a moment.
const LIVE: [&str; 7] = [
    "live",
    "-i",
    "lo",
    "--duration",
    "200ms",
    "--format",
    "json",
];

/// As the image for containers has it: the file permits the right to capture, and the program puts it
/// into effect where it captures. Where the right is withheld, the program runs without it.
#[test]
fn a_right_that_is_permitted_is_taken_up_where_it_captures() {
    let test = "a_right_that_is_permitted";
    if !is_root() || Command::new("setpriv").arg("--version").output().is_err() {
        return skipped(test, "this is not root, or there is no setpriv");
    }
    let folder = Folder::private("permitted");
    fs::set_permissions(&folder.0, Permissions::from_mode(0o755)).unwrap();
    let program = folder.0.join("wirewait");
    copied_program(&program);
    fs::set_permissions(&program, Permissions::from_mode(0o755)).unwrap();
    if !may_capture(&program, "p", test) {
        return;
    }
    let run = |withheld: &[&str], args: &[&str]| {
        let mut command = Command::new("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]);
        command.args(withheld).arg(&program).arg("--no-config");
        command.args(args).stdin(fs::File::open(demo()).unwrap());
        command.output().unwrap()
    };
    let granted = run(&[], &LIVE);
    assert!(granted.status.success(), "{}", text(&granted.stderr));
    assert!(text(&granted.stdout).starts_with('{'));
    let alone = run(&["--bounding-set=-all,+net_raw"], &LIVE);
    assert!(alone.status.success(), "{}", text(&alone.stderr));
    let withheld = ["--bounding-set=-all"];
    let refused = run(&withheld, &LIVE);
    assert_eq!(refused.status.code(), Some(1));
    assert!(
        text(&refused.stderr).contains("cap_net_raw"),
        "{}",
        text(&refused.stderr)
    );
    for withheld in [&[][..], &withheld] {
        let report = run(withheld, &["report", "--print-rights", "-"]);
        let told = text(&report.stdout);
        assert!(told.contains("capabilities none"), "{withheld:?}: {told}");
    }
}

/// Two namespaces' worth of network in one: a pair of interfaces that only this test knows.
struct Network(String);

impl Network {
    fn new(test: &str) -> Option<Self> {
        let network = Self(format!("wwr{}", std::process::id()));
        let made = Command::new("ip")
            .args(["netns", "add", &network.0])
            .output();
        if !is_root() || !made.is_ok_and(|made| made.status.success()) {
            skipped(test, "there is no root, no ip, or no network namespaces");
            return None;
        }
        network.pair();
        Some(network)
    }

    fn ip(&self, args: &[&str]) {
        let output = Command::new("ip").args(["-n", &self.0]).args(args).output();
        let output = output.unwrap();
        assert!(
            output.status.success(),
            "{args:?}: {}",
            text(&output.stderr)
        );
    }

    fn pair(&self) {
        self.ip(&[
            "link", "add", "here0", "type", "veth", "peer", "name", "there0",
        ]);
        self.ip(&["link", "set", "here0", "up"]);
        self.ip(&["link", "set", "there0", "up"]);
    }

    /// `wirewait live` on one of them.
    fn live(&self, args: &[&str]) -> Command {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &self.0, env!("CARGO_BIN_EXE_wirewait")]);
        command
            .args(["--no-config", "live", "-i", "here0"])
            .args(args);
        command.env_remove("SUDO_UID");
        command
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        let _ = Command::new("ip").args(["netns", "del", &self.0]).output();
    }
}

/// Only threads that copy frames keep a right, that of opening an interface again, and use it.
#[test]
fn live_keeps_one_right_where_no_frame_is_read() {
    let Some(network) = Network::new("live_keeps_one_right") else {
        return;
    };
    for (args, user) in [
        (&["--format", "json"][..], NOBODY),
        (&["--user", "daemon"], "1"),
        (&["--user", "root", "--filter", "not port 9"], "0"),
    ] {
        let running = waiting(network.live(args));
        until(running.0.id(), &format!("{args:?}"), |threads| {
            let captures = |one: &Thread| one.name == "capture-0";
            threads.iter().filter(|one| captures(one)).count() == 1
                && threads.len() > 1
                && threads.iter().all(|one| {
                    let kept = if captures(one) { NET_RAW } else { NONE };
                    one.has_only(user, kept)
                })
        });
        // Another interface of the same name, with another number.
        network.ip(&["link", "del", "here0"]);
        std::thread::sleep(Duration::from_millis(1500));
        network.pair();
        std::thread::sleep(Duration::from_millis(2500));
        let pid = i32::try_from(running.0.id()).unwrap();
        let ended = Command::new("kill").arg(pid.to_string()).status().unwrap();
        assert!(ended.success());
        let output = served(running);
        let said = text(&output.stderr);
        assert!(output.status.success(), "{said}");
        assert!(said.contains("here0: the interface is gone"), "{said}");
        assert!(said.contains("here0: is back"), "{said}");
    }
    let output = network.live(&["--print-rights"]).output().unwrap();
    let told = text(&output.stdout);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let thread = format!("thread capture-0: uid {NOBODY}, gid {NOBODY}, capabilities cap_net_raw,");
    assert!(told.contains(&thread), "{told}");
    assert!(told.contains(&format!(
        "thread wirewait: uid {NOBODY}, gid {NOBODY}, capabilities none,"
    )));
}

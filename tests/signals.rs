//! Real signals: what ends the program, what makes it report and go on, and what is left then.

use crate::support::{program, root, shared_folder};
use serde_json::{Deserializer, Value};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

/// Nothing takes longer, however busy the machine is.
const PATIENCE: Duration = Duration::from_secs(60);

/// The program while it runs, fed by hand.
struct Running {
    child: Child,
    stdin: Option<ChildStdin>,
    /// Lines as they come.
    out: Receiver<String>,
    told: Receiver<String>,
    capture: Vec<u8>,
    /// Bytes of the capture that were fed.
    fed: usize,
}

fn lines(source: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, lines) = channel();
    thread::spawn(move || {
        for line in BufReader::new(source).lines() {
            if line.is_err() || sender.send(line.unwrap_or_default()).is_err() {
                return;
            }
        }
    });
    lines
}

impl Running {
    /// Started, ready for signals, and fed the first half of the shipped capture.
    fn new(arguments: &[&str], folder: &Path) -> Self {
        Self::of(program().args(arguments), folder)
    }

    /// Of this command.
    fn of(command: &mut Command, folder: &Path) -> Self {
        let mut running = Self::begun(command, folder);
        running.feed(running.capture.len() / 2);
        running.is_ready();
        running
    }

    /// Of this command, at its very beginning.
    fn begun(command: &mut Command, folder: &Path) -> Self {
        let mut child = command
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let stdin = child.stdin.take();
        let out = lines(child.stdout.take().unwrap());
        let told = lines(child.stderr.take().unwrap());
        let capture = fs::read(root().join("captures/demo.pcapng")).unwrap();
        Self {
            child,
            stdin,
            out,
            told,
            capture,
            fed: 0,
        }
    }

    /// Waits until USR1 (10), the last but one that is registered, is caught.
    fn is_ready(&self) {
        let status = format!("/proc/{}/status", self.child.id());
        self.until("signals are caught", || {
            let status = fs::read_to_string(&status).unwrap_or_default();
            let caught = status.lines().find_map(|l| l.strip_prefix("SigCgt:"));
            let caught = caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
            caught.is_some_and(|mask| mask >> 9 & 1 == 1)
        });
    }

    fn until(&self, what: &str, holds: impl Fn() -> bool) {
        let begin = Instant::now();
        while !holds() {
            assert!(begin.elapsed() < PATIENCE, "not in a minute: {what}");
            thread::sleep(Duration::from_millis(20));
        }
    }

    fn feed(&mut self, bytes: usize) {
        let to = (self.fed + bytes).min(self.capture.len());
        if let Some(stdin) = &mut self.stdin {
            // It may have had enough.
            let _ = stdin.write_all(&self.capture[self.fed..to]);
            let _ = stdin.flush();
        }
        self.fed = to;
    }

    fn signal(&self, name: &str) {
        let process = self.child.id().to_string();
        let sent = Command::new("kill").args([name, &process]).status();
        assert!(sent.unwrap().success());
    }

    /// The next line of the standard error with these words, while a little more is fed.
    fn says(&mut self, words: &str) -> String {
        let begin = Instant::now();
        while begin.elapsed() < PATIENCE {
            self.feed(200);
            while let Ok(line) = self.told.recv_timeout(Duration::from_millis(50)) {
                if line.contains(words) {
                    return line;
                }
            }
        }
        panic!("{words} was not said");
    }

    /// Feeds the rest, and waits for the end: the lines that are left of both outputs.
    fn ends(mut self) -> (ExitStatus, Vec<String>, Vec<String>) {
        self.feed(usize::MAX / 2);
        drop(self.stdin.take());
        let status = self.child.wait().unwrap();
        (
            status,
            self.out.iter().collect(),
            self.told.iter().collect(),
        )
    }
}

fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("signals")
        .join(test);
    let _ = fs::remove_dir_all(&folder);
    shared_folder(&folder);
    folder
}

fn documents(lines: &[String]) -> Vec<Value> {
    let text = lines.join("\n");
    let documents = Deserializer::from_str(&text).into_iter::<Value>();
    documents.map(|document| document.unwrap()).collect()
}

fn frames(report: &Value) -> u64 {
    report["capture"]["frames"].as_u64().unwrap()
}

#[test]
fn a_reading_that_is_interrupted_reports_what_was_read() {
    for signal in ["-INT", "-QUIT"] {
        let folder = folder(signal);
        let arguments = ["report", "--format", "json", "--summary", "sums", "-"];
        let mut running = Running::new(&arguments, &folder);
        running.signal("-USR1");
        let progress = running.says(" frames in ");
        assert!(progress.ends_with(" s"), "{progress}");
        running.signal(signal);
        running.says("interrupted by a signal: frames behind frame ");
        let (status, out, _) = running.ends();
        assert_eq!(status.code(), Some(3), "{signal}");
        let reports = documents(&out);
        assert_eq!(reports.len(), 1);
        // The capture has 2,698 frames; half of it was read.
        assert!((100..2500).contains(&frames(&reports[0])), "{signal}");
        let damage = reports[0]["capture"]["damage"].to_string();
        assert!(damage.contains("interrupted by a signal"), "{damage}");
        assert!(!folder.join("sums").exists(), "sums of a part are no sums");
    }
}

/// Several captures at once, one of them a pipe that waits: the signal makes it say how many are done, and
/// the report is that of a run of which nobody asked anything.
#[cfg(unix)]
#[test]
fn captures_that_are_analysed_at_once_say_how_many_are_done() {
    let folder = folder("parallel");
    let pipe = folder.join("pipe");
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    let capture = fs::read(root().join("captures/demo.pcapng")).unwrap();
    for name in ["a.pcapng", "b.pcapng"] {
        fs::write(folder.join(name), &capture).unwrap();
    }
    let started = || {
        let arguments = ["report", "--format", "json", "--parallel", "2"];
        let mut command = program();
        command
            .args(arguments)
            .args(["pipe", "a.pcapng", "b.pcapng"]);
        let mut running = Running::begun(&mut command, &folder);
        running.stdin = None;
        let mut end = fs::OpenOptions::new().write(true).open(&pipe).unwrap();
        end.write_all(&capture[..capture.len() / 2]).unwrap();
        running.is_ready();
        (running, end)
    };
    let finish = |(running, mut end): (Running, fs::File)| {
        end.write_all(&capture[capture.len() / 2..]).unwrap();
        drop(end);
        running.ends()
    };
    let (status, wanted, _) = finish(started());
    assert_eq!(status.code(), Some(0));

    let (mut running, end) = started();
    // The others are done within this time, or a later answer says so.
    let begin = Instant::now();
    loop {
        running.signal("-USR1");
        running.signal("-USR2");
        let said = running.says(" of 3 captures in ");
        if said.starts_with("wirewait: 2 of 3 captures in ") && said.ends_with(" s") {
            break;
        }
        assert!(begin.elapsed() < PATIENCE, "{said}");
    }
    let (status, out, _) = finish((running, end));
    assert_eq!(status.code(), Some(0));
    assert_eq!(documents(&out).len(), 1);
    assert_eq!(out, wanted);
}

#[test]
fn live_reports_when_it_is_asked_and_goes_on() {
    let folder = folder("live");
    let mut running = Running::new(&["live", "--format", "json", "-"], &folder);
    for _ in 0..2 {
        running.signal("-USR1");
        running.says(" frames in ");
    }
    running.signal("-QUIT");
    let (status, out, _) = running.ends();
    assert_eq!(status.code(), Some(0));
    let reports = documents(&out);
    let counts: Vec<u64> = reports.iter().map(frames).collect();
    assert_eq!(counts.len(), 3, "two when asked, one at the end");
    assert!(counts.is_sorted() && counts[0] > 100, "{counts:?}");
}

/// systemd's protocol, sd_notify(3): when it captures, that its loop goes round, and when it is
/// over. The socket is a file, or a name of the kernel's alone.
#[cfg(target_os = "linux")]
#[test]
fn a_manager_of_services_is_told_how_it_goes() {
    use std::os::linux::net::SocketAddrExt;
    use std::os::unix::net::{SocketAddr, UnixDatagram};
    let folder = folder("manager");
    let path = folder.join("notify").display().to_string();
    let name = format!("wirewait-test-{}", std::process::id());
    let by_name = SocketAddr::from_abstract_name(&name).unwrap();
    for (address, named) in [
        (SocketAddr::from_pathname(&path).unwrap(), path.clone()),
        (by_name, format!("@{name}")),
    ] {
        let manager = UnixDatagram::bind_addr(&address).unwrap();
        manager.set_read_timeout(Some(PATIENCE)).unwrap();
        let said = || {
            let mut bytes = [0; 64];
            let length = manager.recv(&mut bytes).unwrap();
            String::from_utf8(bytes[..length].to_vec()).unwrap()
        };
        let mut command = program();
        command.args(["live", "-o", "report.txt", "-"]);
        command.env("NOTIFY_SOCKET", &named);
        let running = Running::of(command.env("WATCHDOG_USEC", "200000"), &folder);
        assert_eq!(said(), "READY=1", "{named}");
        // The second sign of life comes although no frame does.
        assert_eq!([said(), said()], ["WATCHDOG=1", "WATCHDOG=1"]);
        running.signal("-TERM");
        let last = std::iter::repeat_with(said).find(|said| said != "WATCHDOG=1");
        assert_eq!(last.unwrap(), "STOPPING=1");
        let (status, ..) = running.ends();
        assert_eq!(status.code(), Some(0));
    }
}

#[test]
fn the_file_of_live_has_the_latest_report() {
    let folder = folder("file");
    let file = folder.join("now.json");
    let arguments = ["live", "--format", "json", "-o", "now.json", "-"];
    let mut running = Running::new(&arguments, &folder);
    assert!(!file.exists(), "nothing was asked for yet");
    running.signal("-USR1");
    running.says(" frames in ");
    let there = file.clone();
    running.until("the report", || there.exists());
    let first: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    running.signal("-TERM");
    let (status, out, _) = running.ends();
    assert_eq!((status.code(), out.len()), (Some(0), 0));
    let last: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    assert!(frames(&first) > 100 && frames(&last) >= frames(&first));
    let left = fs::read_dir(&folder).unwrap().count();
    assert_eq!(left, 1, "nothing beside it");
}

#[test]
fn what_is_saved_is_written_out_when_it_is_asked_for() {
    let folder = folder("saved");
    let arguments = ["live", "--format", "json", "--save", "lan.pcapng", "-"];
    let mut running = Running::new(&arguments, &folder);
    running.signal("-USR2");
    let said = running.says("written out to lan.pcapng");
    let saved: u64 = {
        let front = said.split(" frames saved").next().unwrap();
        // A number for people: in groups of three digits, if all that was fed has come by then.
        let count = front.rsplit(' ').next().unwrap().replace(',', "");
        count.parse().unwrap()
    };
    // It is still being written, and whole as far as it goes.
    let read = program()
        .args(["report", "--format", "json", "lan.pcapng"])
        .current_dir(&folder)
        .output()
        .unwrap();
    assert_eq!(read.status.code(), Some(0));
    let report: Value = serde_json::from_slice(&read.stdout).unwrap();
    assert!(saved > 100 && frames(&report) >= saved, "{said}");
    running.signal("-INT");
    assert_eq!(running.ends().0.code(), Some(0));
}

/// Killed in the middle, whatever is asked for: no file, and none that is half of one.
#[test]
fn a_sudden_death_leaves_no_file() {
    for (arguments, signal) in [
        (&["report", "-o", "x", "-"][..], "-KILL"),
        (&["report", "-o", "x", "--summary", "y", "-"], "-TERM"),
        (&["live", "-o", "x", "-"], "-KILL"),
        (&["counters", "--format", "json", "-o", "x", "-"], "-TERM"),
    ] {
        let folder = folder("killed");
        let mut running = Running::new(arguments, &folder);
        running.feed(1000);
        running.signal(signal);
        let (status, ..) = running.ends();
        assert!(!status.success(), "{arguments:?}");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0, "{arguments:?}");
    }
}

/// The program as a service manager starts it: in a session of its own, without a terminal.
#[cfg(target_os = "linux")]
fn service(arguments: &[&str]) -> Command {
    let program = program();
    let mut command = Command::new("setsid");
    command.arg(program.get_program()).args(arguments);
    for (name, value) in program.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command
}

/// HUP: the configuration is read again, and so is the name of the file of rows; what figures
/// depend on stays. The manager hears of it by systemd's protocol, sd_notify(3).
#[cfg(target_os = "linux")]
#[test]
fn a_service_reads_its_configuration_again() {
    use std::os::unix::net::UnixDatagram;
    let folder = folder("reload");
    let config = folder.join("wirewait/config.toml");
    fs::create_dir(folder.join("wirewait")).unwrap();
    let configure = |text: &str| {
        // As editors do: another file in its place.
        let new = folder.join("wirewait/new");
        fs::write(&new, text).unwrap();
        fs::rename(&new, &config).unwrap();
    };
    configure("[symptoms]\nslow_answer_ms = 250\n");
    let socket = folder.join("notify");
    let manager = UnixDatagram::bind(&socket).unwrap();
    manager.set_read_timeout(Some(PATIENCE)).unwrap();
    let told = || {
        let mut bytes = [0; 128];
        let length = manager.recv(&mut bytes).unwrap();
        String::from_utf8(bytes[..length].to_vec()).unwrap()
    };
    let arguments = [
        "live",
        "--format",
        "ndjson",
        "--interval",
        "1s",
        "-o",
        "rows.ndjson",
        "--config",
        "wirewait/config.toml",
        "-",
    ];
    let mut command = service(&arguments);
    let mut running = Running::of(command.env("NOTIFY_SOCKET", &socket), &folder);
    assert_eq!(told(), "READY=1");
    let grown = folder.join("rows.ndjson");
    let there = grown.clone();
    running.until("rows", || {
        fs::metadata(&there).is_ok_and(|file| file.len() > 0)
    });

    configure(
        "[report]\nformat = \"json\"\n[analysis]\ntimeout = \"30s\"\n[symptoms]\nslow_answer_ms = 100\n",
    );
    fs::rename(&grown, folder.join("rows.1")).unwrap();
    running.signal("-HUP");
    let said = running.says("configuration");
    assert_eq!(
        said,
        "wirewait: the configuration was read again; until the next start these stay as they were: \
         analysis.timeout, symptoms.slow_answer_ms"
    );
    running.says("the file of the rows was opened again");
    let reloading = told();
    let us = reloading
        .strip_prefix("RELOADING=1\nMONOTONIC_USEC=")
        .unwrap();
    assert!(us.parse::<u64>().unwrap() > 0);
    assert_eq!(told(), "READY=1");

    configure("[analysis]\ntimeout = \"soon\"\n");
    running.signal("-HUP");
    let said = running.says("config.toml:2:11: timeout: ");
    assert!(
        said.ends_with("; the configuration stays as it was"),
        "{said}"
    );
    assert!(told().starts_with("RELOADING=1\n"));
    assert_eq!(told(), "READY=1");

    // As at the start: nothing has changed.
    configure("[symptoms]\nslow_answer_ms = 250\n");
    running.signal("-HUP");
    assert_eq!(
        running.says("configuration"),
        "wirewait: the configuration was read again"
    );
    running.signal("-TERM");
    let (status, ..) = running.ends();
    assert_eq!(status.code(), Some(0));
    // Each row is in one of the files, whole.
    let [old, new] =
        ["rows.1", "rows.ndjson"].map(|name| fs::read_to_string(folder.join(name)).unwrap());
    let starts = |text: &str| -> Vec<String> {
        let rows = text
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        let segment = rows.filter(|row| row["type"] == "segment");
        segment
            .map(|row| row["start"].as_str().unwrap().to_owned())
            .collect()
    };
    let (old, new) = (starts(&old), starts(&new));
    assert!(!old.is_empty() && !new.is_empty());
    assert!([old, new].concat().windows(2).all(|pair| pair[0] < pair[1]));
}

/// As root it becomes another user, who may not look into root's own folder: no file was there, and nothing went wrong.
#[cfg(target_os = "linux")]
#[test]
fn a_service_without_a_configuration_has_none_to_read_again() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder("no-configuration");
    let home = folder.join("home");
    fs::create_dir(&home).unwrap();
    fs::set_permissions(&home, fs::Permissions::from_mode(0o700)).unwrap();
    let arguments = [
        "live",
        "--format",
        "ndjson",
        "--interval",
        "1s",
        "-o",
        "rows.ndjson",
        "-",
    ];
    let mut command = service(&arguments);
    let command = command
        .env("HOME", &home)
        .env_remove("XDG_CONFIG_HOME")
        .env_remove("WIREWAIT_CONFIG");
    let mut running = Running::of(command, &folder);
    let rows = folder.join("rows.ndjson");
    running.until("rows", || {
        fs::metadata(&rows).is_ok_and(|file| file.len() > 0)
    });
    running.signal("-HUP");
    let said = running.says("configuration");
    let none = said.contains("no configuration file was there at the start");
    assert!(
        none || said.ends_with("the configuration was read again"),
        "{said}"
    );
    running.signal("-TERM");
    let (status, ..) = running.ends();
    assert_eq!(status.code(), Some(0));
}

/// Where it is no service, HUP ends it with the report.
#[cfg(target_os = "linux")]
#[test]
fn a_hangup_ends_what_is_no_service() {
    let folder = folder("hangup");
    let mut running = Running::of(&mut service(&["live", "--format", "json", "-"]), &folder);
    running.signal("-HUP");
    running.says(" frames in ");
    let (status, out, _) = running.ends();
    assert_eq!(status.code(), Some(0));
    assert!(frames(&documents(&out)[0]) > 100);
}

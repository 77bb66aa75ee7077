//! The screen in a real terminal: tmux gives one, keys are sent, and what it shows is read.

use crate::support::{NO_FOLDER, root};
use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// Nothing takes longer, however busy the machine is.
const PATIENCE: Duration = Duration::from_secs(60);

/// A terminal of its own, with a shell in it.
struct Terminal {
    socket: String,
    /// Where the shell is, and files are written.
    folder: PathBuf,
}

impl Terminal {
    /// `None`, with a loud word, where there is no tmux.
    fn new(test: &str, width: u16, height: u16) -> Option<Self> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        if Command::new("tmux").arg("-V").output().is_err() {
            assert!(
                std::env::var_os("WIREWAIT_REQUIRE_TMUX").is_none(),
                "{test}: tmux is required and is not there"
            );
            eprintln!("SKIPPED: {test}: no tmux");
            return None;
        }
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let socket = format!("wirewait-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(&socket);
        crate::support::shared_folder(&folder);
        let terminal = Self { socket, folder };
        let size = (width.to_string(), height.to_string());
        let folder = terminal.folder.display().to_string();
        let shell = format!(
            "env -u NO_COLOR XDG_CONFIG_HOME={NO_FOLDER} ENV= PS1='ready> ' LC_ALL=C.UTF-8 sh"
        );
        terminal.tmux(&[
            "-f",
            "/dev/null",
            "new-session",
            "-d",
            "-x",
            &size.0,
            "-y",
            &size.1,
            "-c",
            &folder,
            &shell,
        ]);
        terminal.until("a prompt", |text| text.contains("ready>"));
        Some(terminal)
    }

    fn tmux(&self, args: &[&str]) -> Output {
        let output = Command::new("tmux")
            .args(["-L", &self.socket])
            .args(args)
            .output()
            .unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "tmux {args:?}: {error}");
        output
    }

    /// Runs a command of the shell.
    fn run(&self, line: &str) {
        self.tmux(&["send-keys", "-l", line]);
        self.keys(&["Enter"]);
    }

    /// Keys, by the names that tmux has for them.
    fn keys(&self, keys: &[&str]) {
        let mut args = vec!["send-keys"];
        args.extend(keys);
        self.tmux(&args);
    }

    /// Letters, as they are.
    fn type_in(&self, text: &str) {
        self.tmux(&["send-keys", "-l", text]);
    }

    fn resize(&self, width: u16, height: u16) {
        let (width, height) = (width.to_string(), height.to_string());
        self.tmux(&["resize-window", "-x", &width, "-y", &height]);
    }

    /// What is to be seen.
    fn seen(&self) -> String {
        let output = self.tmux(&["capture-pane", "-p"]);
        String::from_utf8(output.stdout).unwrap()
    }

    /// What is to be seen as soon as it is so.
    fn until(&self, what: &str, holds: impl Fn(&str) -> bool) -> String {
        let begin = Instant::now();
        let mut seen = String::new();
        while begin.elapsed() < PATIENCE {
            seen = self.seen();
            if holds(&seen) {
                return seen;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("{what} was not to be seen, but\n{seen}");
    }

    fn shows(&self, words: &[&str]) -> String {
        self.until(&format!("{words:?}"), |text| {
            words.iter().all(|word| text.contains(word))
        })
    }

    /// The number of the process that was started in the shell.
    fn process(&self) -> u32 {
        let output = self.tmux(&["display-message", "-p", "#{pane_pid}"]);
        let shell = String::from_utf8(output.stdout).unwrap();
        let children = format!("/proc/{0}/task/{0}/children", shell.trim());
        let children = std::fs::read_to_string(children).unwrap();
        children.trim().parse().unwrap()
    }

    fn files(&self) -> Vec<PathBuf> {
        crate::support::files(&self.folder)
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let kill = ["-L", &self.socket, "kill-server"];
        // A test may have killed it.
        let _ = Command::new("tmux").args(kill).output();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// `wirewait view` of the shipped capture.
fn view(options: &str) -> String {
    let program = env!("CARGO_BIN_EXE_wirewait");
    let capture = root().join("captures/demo.pcapng");
    format!("{program} view {} {options}", capture.display())
}

/// The names of the tabs, from the first line of a wide screen.
fn tabs(seen: &str) -> Vec<String> {
    let line = seen.lines().next().unwrap();
    let mut names = Vec::new();
    for word in line.split("  ").map(str::trim) {
        if let Some((number, name)) = word.split_once(' ')
            && number.parse() == Ok(names.len() + 1)
        {
            names.push(name.to_owned());
        }
    }
    names
}

/// By the user's table of DEC LAST there are 8 requests, all answered; by turn 7.
#[test]
fn last_is_shown_by_the_users_table() {
    let Some(terminal) = Terminal::new("last_is_shown_by_the_users_table", 160, 45) else {
        return;
    };
    let (capture, table) = ("captures/last/outstanding.pcapng", "dev/synth/last.csv");
    let view = format!(
        "{} view {} --last-profile {}",
        env!("CARGO_BIN_EXE_wirewait"),
        root().join(capture).display(),
        root().join(table).display()
    );
    terminal.run(&view);
    terminal.shows(&["only 8 requests were answered", "quality fair"]);
}

#[test]
fn a_capture_is_walked_through_with_keys() {
    let Some(terminal) = Terminal::new("a_capture_is_walked_through_with_keys", 160, 45) else {
        return;
    };
    terminal.run(&view("--speed max"));
    // The verdict of the report.
    let seen = terminal.shows(&["48.9 % of active time", "END"]);
    assert!(seen.contains("00000022.02001b000008"), "{seen}");
    // Every tab says its name below the tabs.
    let tabs = tabs(&seen);
    assert!(tabs.len() >= 2, "{tabs:?}\n{seen}");
    for (number, name) in (1..).zip(&tabs) {
        terminal.keys(&[&number.to_string()]);
        terminal.until(name, |text| {
            text.lines()
                .nth(1)
                .is_some_and(|line| line.starts_with(name.as_str()))
        });
    }
    // From a server down to a request and the numbers of its frames.
    let servers = tabs.iter().position(|name| name == "Servers").unwrap() + 1;
    terminal.keys(&[&servers.to_string()]);
    terminal.shows(&["Servers", "4 rows", "00000022.02001b000008"]);
    // A filter with negation, which is given up with Esc.
    terminal.keys(&["/"]);
    terminal.type_in("!10.0.0");
    let seen = terminal.shows(&["2 of 4 rows"]);
    assert!(!seen.contains("10.0.0.8"), "{seen}");
    terminal.keys(&["Enter", "Escape"]);
    terminal.shows(&["4 rows", "10.0.0.8"]);
    terminal.keys(&["/"]);
    terminal.type_in("10.0.0.8");
    terminal.shows(&["1 of 4 rows"]);
    terminal.keys(&["Enter", "Enter"]);
    terminal.shows(&["Servers › 10.0.0.8", "CHANGE_NOTIFY", "TREE_CONNECT"]);
    terminal.keys(&["/"]);
    terminal.type_in("TREE");
    terminal.shows(&["1 of 6 rows"]);
    terminal.keys(&["Enter", "Enter"]);
    terminal.shows(&["smb2 TREE_CONNECT"]);
    terminal.keys(&["Enter"]);
    // Its frames, as `wirewait transactions` has them.
    let seen = terminal.shows(&["smb2 TREE_CONNECT", "answered", "10.0.0.22:49152"]);
    let output = crate::support::program()
        .args(["transactions", "--format", "ndjson"])
        .arg(root().join("captures/demo.pcapng"))
        .output()
        .unwrap();
    let rows = String::from_utf8(output.stdout).unwrap();
    let row = rows
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .find(|row| row["command"] == "TREE_CONNECT" && row["server"] == "10.0.0.8:445")
        .unwrap();
    let frame = row["request_first_frame"].as_u64().unwrap();
    assert!(seen.contains(&format!("frame {frame}")), "{row}\n{seen}");
}

#[test]
fn what_is_shown_is_written_to_a_file_and_help_tells_the_keys() {
    let test = "what_is_shown_is_written_to_a_file_and_help_tells_the_keys";
    let Some(terminal) = Terminal::new(test, 132, 43) else {
        return;
    };
    terminal.run(&view("--speed max"));
    terminal.shows(&["END"]);
    terminal.keys(&["?"]);
    terminal.shows(&["Open that screen; again: back to its top."]);
    terminal.keys(&["End"]);
    terminal.shows(&["Frames of the previous place of the symptom.", "FRAMES"]);
    terminal.keys(&["Escape"]);
    terminal.until("no help", |text| {
        !text.contains("Frames of the previous place of the symptom.")
    });
    terminal.keys(&["e"]);
    terminal.shows(&["written to wirewait-overview"]);
    let files = terminal.files();
    assert_eq!(files.len(), 1, "{files:?}");
    let written = std::fs::read_to_string(&files[0]).unwrap();
    assert!(written.contains("48.9 % of"), "{written}");
    // A folder that is not there: it is said, and the screen goes on.
    std::fs::remove_dir_all(&terminal.folder).unwrap();
    terminal.keys(&["e"]);
    terminal.shows(&["cannot write to", "No such file"]);
    terminal.keys(&["2"]);
    terminal.shows(&["4 rows"]);
}

#[test]
fn a_replay_stands_still_and_goes_on() {
    let Some(terminal) = Terminal::new("a_replay_stands_still_and_goes_on", 132, 43) else {
        return;
    };
    terminal.run(&view("--speed 1 --paused"));
    terminal.shows(&["PAUSED", "1x"]);
    // To the end of the capture, as soon as it is known, and back to its beginning.
    terminal.until("the end", |text| {
        terminal.keys(&["}"]);
        text.contains("48.9 % of") && text.contains("END")
    });
    terminal.keys(&["{"]);
    terminal.until("the beginning", |text| !text.contains("48.9 % of"));
    terminal.keys(&["Space"]);
    terminal.until("no pause", |text| !text.contains("PAUSED"));
    terminal.keys(&["+"]);
    terminal.shows(&["2x"]);
}

#[test]
fn the_terminal_may_have_any_size_at_any_moment() {
    let Some(terminal) = Terminal::new("the_terminal_may_have_any_size_at_any_moment", 132, 43)
    else {
        return;
    };
    terminal.run(&view("--speed max"));
    terminal.shows(&["48.9 % of", "END", "waiting by design"]);
    terminal.resize(44, 12);
    let seen = terminal.until("a small screen", |text| {
        text.contains("48.9 %") && !text.contains("waiting by design")
    });
    assert!(
        seen.lines().all(|line| line.chars().count() <= 44),
        "{seen}"
    );
    terminal.resize(20, 5);
    terminal.shows(&["Too small"]);
    terminal.resize(132, 43);
    terminal.shows(&["48.9 % of", "waiting by design"]);
}

#[test]
fn the_terminal_is_given_back_as_it_was_or_with_the_last_screen() {
    let test = "the_terminal_is_given_back_as_it_was_or_with_the_last_screen";
    let Some(terminal) = Terminal::new(test, 132, 43) else {
        return;
    };
    terminal.run("clear; echo before");
    terminal.run(&view("--speed max; echo code $?"));
    terminal.shows(&["END"]);
    terminal.keys(&["q"]);
    let seen = terminal.shows(&["before", "code 0"]);
    assert!(!seen.contains("Overview"), "{seen}");
    // What is typed is seen again, line by line.
    terminal.run("echo a; echo b");
    terminal.shows(&["echo a; echo b\na\nb\n"]);
    terminal.run("clear");
    terminal.run(&view("--speed max; echo code $?"));
    terminal.shows(&["END"]);
    terminal.keys(&["Q"]);
    terminal.shows(&["48.9 % of", "code 0"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_terminal_that_is_closed_ends_the_program() {
    let Some(terminal) = Terminal::new("a_terminal_that_is_closed_ends_the_program", 80, 24) else {
        return;
    };
    terminal.run(&view("--speed 1"));
    terminal.shows(&["1x"]);
    let process = PathBuf::from(format!("/proc/{}", terminal.process()));
    assert!(process.exists());
    terminal.tmux(&["kill-server"]);
    let begin = Instant::now();
    // A second on a machine that is not busy.
    while process.exists() {
        assert!(begin.elapsed() < Duration::from_secs(10), "it still runs");
        std::thread::sleep(Duration::from_millis(20));
    }
    eprintln!(
        "it was over {} ms after its terminal",
        begin.elapsed().as_millis()
    );
}

/// Ctrl-Z gives the terminal to the shell as it was; `fg` shows the screen again.
#[test]
fn it_stands_still_in_the_background() {
    let Some(terminal) = Terminal::new("it_stands_still_in_the_background", 132, 43) else {
        return;
    };
    terminal.run("clear; echo before");
    terminal.run(&view("--speed 1"));
    terminal.shows(&["1x", "0:0"]);
    terminal.keys(&["C-z"]);
    let seen = terminal.shows(&["before", "Stopped"]);
    assert!(!seen.contains("Overview"), "{seen}");
    // The terminal shows what is typed, and takes lines.
    terminal.run("stty -a | grep -o '[-a-z]*icanon'; echo sum $((40 + 2))");
    let seen = terminal.shows(&["sum 42"]);
    assert!(seen.contains("\nicanon\n"), "{seen}");
    terminal.resize(100, 30);
    terminal.run("fg");
    // On a busy machine a message may stand where the speed does.
    let seen = terminal.shows(&["Overview", "Space freeze"]);
    assert!(!seen.contains("sum 42"), "{seen}");
    terminal.until("a replay", |text| !text.contains("PAUSED"));
    terminal.keys(&["2"]);
    terminal.until("servers", |text| {
        text.lines().nth(1) == Some("Servers") || text.contains("server  ")
    });
    // Stopped by somebody else, with the terminal as it is: what is typed ends with a line feed.
    let process = terminal.process().to_string();
    let kill = |signal: &str| {
        let killed = Command::new("kill").args([signal, &process]).status();
        assert!(killed.unwrap().success());
    };
    kill("-STOP");
    terminal.shows(&["Stopped"]);
    terminal.type_in("fg");
    terminal.keys(&["C-j"]);
    terminal.until("the screen", |text| {
        text.starts_with(" 1 Overview") && !text.contains("Stopped")
    });
    terminal.keys(&["q"]);
    // Where the shell was, and not over what it said.
    terminal.shows(&["icanon\nsum 42\nready> fg\n"]);
}

#[test]
fn where_only_ascii_is_known_there_is_nothing_else() {
    let test = "where_only_ascii_is_known_there_is_nothing_else";
    let Some(terminal) = Terminal::new(test, 132, 43) else {
        return;
    };
    terminal.run(&format!("LC_ALL=C {}", view("--speed max; echo code $?")));
    terminal.shows(&["48.9 % of", "END"]);
    for tab in ["1", "2", "3", "4", "5", "6"] {
        terminal.keys(&[tab]);
        let seen = terminal.shows(&["END"]);
        assert!(seen.is_ascii(), "{seen}");
    }
    terminal.keys(&["q"]);
    terminal.shows(&["code 0"]);
    terminal.run(&format!("LC_ALL=C {}", view("--ascii never")));
    terminal.until("signs", |text| {
        text.contains("48.9 % of") && text.contains('█')
    });
}

#[test]
fn a_capture_comes_through_a_pipe() {
    let Some(terminal) = Terminal::new("a_capture_comes_through_a_pipe", 132, 43) else {
        return;
    };
    let program = env!("CARGO_BIN_EXE_wirewait");
    let capture = root().join("captures/demo.pcapng");
    terminal.run(&format!("cat {} | {program} view -", capture.display()));
    terminal.shows(&["48.9 % of", "END"]);
    terminal.keys(&["("]);
    terminal.shows(&["cannot be read a second time"]);
    // A request's frames are those that are in memory.
    terminal.keys(&["2", "Enter", "Enter", "Enter", "Enter"]);
    terminal.until("frames", |text| text.contains("0000  "));
}

/// The list, the layers and the bytes of the dearest symptom's frames.
#[test]
fn frames_are_shown_in_three_parts() {
    let Some(terminal) = Terminal::new("frames_are_shown_in_three_parts", 132, 43) else {
        return;
    };
    terminal.run(&view("--speed max"));
    terminal.shows(&["END"]);
    terminal.keys(&["6", "Enter"]);
    let seen = terminal.until("bytes", |text| text.contains("0000  "));
    assert!(
        seen.contains("ethernet") && seen.contains("frames"),
        "{seen}"
    );
    // Into the layers, and down in them: the bytes of what is chosen are marked.
    let before = terminal.seen();
    terminal.keys(&["Tab"]);
    terminal.keys(&["Down", "Down"]);
    terminal.until("another place", |text| text != before);
}

#[test]
fn a_storm_of_sizes_ends_in_the_same_picture() {
    let Some(terminal) = Terminal::new("a_storm_of_sizes_ends_in_the_same_picture", 132, 43) else {
        return;
    };
    terminal.run(&view("--speed max"));
    terminal.shows(&["48.9 % of", "END"]);
    // What the program itself takes is of the moment.
    let steady = |text: &str| {
        let lines = text.lines().filter(|line| !line.contains("own: cpu"));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    let before = steady(&terminal.seen());
    for n in 0u16..60 {
        terminal.resize(10 + n * 37 % 190, 3 + n * 23 % 60);
    }
    terminal.resize(132, 43);
    terminal.until("the same", |text| steady(text) == before);
}

#[cfg(target_os = "linux")]
#[test]
fn a_hangup_ends_it_and_gives_the_terminal_back() {
    let test = "a_hangup_ends_it_and_gives_the_terminal_back";
    let Some(terminal) = Terminal::new(test, 132, 43) else {
        return;
    };
    terminal.run("clear; echo before");
    terminal.run(&view("--speed 1; echo code $?"));
    terminal.shows(&["1x"]);
    let process = terminal.process().to_string();
    let killed = Command::new("kill").args(["-HUP", &process]).status();
    assert!(killed.unwrap().success());
    let seen = terminal.shows(&["before", "code 0"]);
    assert!(!seen.contains("Overview"), "{seen}");
}

/// What would end a program at once and leave its terminal as it is.
#[cfg(target_os = "linux")]
#[test]
fn quit_and_abort_give_the_terminal_back() {
    let test = "quit_and_abort_give_the_terminal_back";
    // 134: it died of the abort, as whoever sent it wanted.
    for (signal, code) in [("-QUIT", "code 0"), ("-ABRT", "code 134")] {
        let Some(terminal) = Terminal::new(test, 132, 43) else {
            return;
        };
        terminal.run("clear; ulimit -c 0; echo before");
        terminal.run(&view(
            "--speed 1; echo code $?; stty -a | grep -o -w -e -*icanon",
        ));
        terminal.shows(&["1x"]);
        // Nothing but a word of what it cannot do here.
        let process = terminal.process().to_string();
        let kill = |signal: &str| Command::new("kill").args([signal, &process]).status();
        assert!(kill("-USR1").unwrap().success());
        terminal.shows(&["SIGUSR1: press e"]);
        assert!(kill("-USR2").unwrap().success());
        assert!(kill(signal).unwrap().success());
        let seen = terminal.shows(&["before", code, "\nicanon"]);
        assert!(!seen.contains("Overview"), "{seen}");
    }
}

/// Two ends of a cable in a network of their own, of which the terminal's shell is.
#[cfg(all(target_os = "linux", feature = "libpcap"))]
struct Cable {
    terminal: Terminal,
    /// The shell, by which others get into its network.
    inside: String,
}

#[cfg(all(target_os = "linux", feature = "libpcap"))]
impl Cable {
    /// `None`, with a loud word, where that cannot be had.
    fn new(test: &str) -> Option<Self> {
        let tools = ["unshare", "ip", "tcpreplay", "nsenter"];
        let there = |tool: &&str| Command::new(tool).arg("--version").output().is_ok();
        let root_user = Command::new("unshare").args(["-n", "true"]).status();
        if !tools.iter().all(there) || !root_user.is_ok_and(|status| status.success()) {
            assert!(
                std::env::var_os("WIREWAIT_REQUIRE_LIVE").is_none(),
                "live capture is required here"
            );
            eprintln!("SKIPPED: {test}: no network namespaces, or a tool is missing");
            return None;
        }
        let terminal = Terminal::new(test, 132, 43)?;
        terminal.run("exec unshare -n sh");
        terminal
            .run("ip link add wwa type veth peer name wwb; ip link set wwa up; ip link set wwb up");
        terminal.run("clear; echo cable $((6 * 7))");
        terminal.shows(&["cable 42"]);
        let output = terminal.tmux(&["display-message", "-p", "#{pane_pid}"]);
        let inside = String::from_utf8(output.stdout).unwrap().trim().to_owned();
        Some(Self { terminal, inside })
    }

    /// Sends the frames of the shipped capture so many times, as fast as `speed` says.
    fn replay(&self, speed: &str, times: u32) {
        let replayed = Command::new("nsenter")
            .args(["-t", &self.inside, "-n"])
            .args(["tcpreplay", "-q", speed, "-i", "wwa"])
            .arg(format!("--loop={times}"))
            .arg(root().join("captures/demo.pcapng"))
            .output()
            .unwrap();
        assert!(replayed.status.success(), "{replayed:?}");
    }
}

/// So that even a small buffer holds what comes until it is fetched.
#[cfg(all(target_os = "linux", feature = "libpcap"))]
const SLOWLY: &str = "--pps=1000";

/// Frames that are replayed onto one end are seen at the other; the picture stands still when it
/// is told to, and drops are told all the same.
#[cfg(all(target_os = "linux", feature = "libpcap"))]
#[test]
fn live_a_wire_is_watched() {
    let Some(cable) = Cable::new("live_a_wire_is_watched") else {
        return;
    };
    let terminal = &cable.terminal;
    terminal.run(&format!(
        "clear; {} live -i wwb",
        env!("CARGO_BIN_EXE_wirewait")
    ));
    terminal.shows(&["live wwb", "drops 0"]);
    cable.replay(SLOWLY, 1);
    terminal.keys(&["2"]);
    let seen = terminal.shows(&["00000022.02001b000008", "10.0.0.8"]);
    assert!(seen.contains("drops 0"), "{seen}");
    terminal.keys(&["Space"]);
    terminal.shows(&["FROZEN"]);
    let clock = |text: &str| {
        text.lines()
            .next()
            .map(|line| line[line.len() - 12..].to_owned())
    };
    let stood = clock(&terminal.seen());
    cable.replay(SLOWLY, 1);
    std::thread::sleep(Duration::from_secs(2));
    let seen = terminal.seen();
    assert_eq!(clock(&seen), stood, "{seen}");
    terminal.keys(&["Space"]);
    terminal.until("time goes on", |text| {
        !text.contains("FROZEN") && clock(text) != stood
    });
    terminal.keys(&["q"]);
    // What it took is said at the end: both times all frames of the capture.
    terminal.shows(&["ready>", "0 dropped"]);
}

/// The number behind a word of the screen.
#[cfg(all(target_os = "linux", feature = "libpcap"))]
fn number_behind(text: &str, word: &str) -> Option<u64> {
    let rest = text.split(word).nth(1)?.trim_start();
    let digits = rest.chars().take_while(|c| c.is_ascii_digit() || *c == ',');
    digits
        .filter(|c| *c != ',')
        .collect::<String>()
        .parse()
        .ok()
}

/// Ctrl-Z while frames come: the shell has the terminal as it was; behind `fg` the screen is drawn
/// anew, frames are counted on, and what the kernel could not keep meanwhile is told.
#[cfg(all(target_os = "linux", feature = "libpcap"))]
#[test]
fn live_it_stands_still_in_the_background() {
    let Some(cable) = Cable::new("live_it_stands_still_in_the_background") else {
        return;
    };
    let terminal = &cable.terminal;
    terminal.run("clear; echo before");
    // So small a buffer overflows while nobody fetches.
    let program = env!("CARGO_BIN_EXE_wirewait");
    terminal.run(&format!("{program} live -i wwb --buffer 1M"));
    terminal.shows(&["live wwb", "drops 0"]);
    cable.replay(SLOWLY, 1);
    terminal.keys(&["2"]);
    terminal.shows(&["10.0.0.8", "drops 0"]);
    terminal.keys(&["C-z"]);
    let seen = terminal.shows(&["before", "Stopped"]);
    assert!(!seen.contains("live wwb"), "{seen}");
    terminal.run("stty -a | grep -o '[-a-z]*icanon'; echo sum $((40 + 2))");
    let seen = terminal.shows(&["sum 42"]);
    assert!(seen.contains("\nicanon\n"), "{seen}");
    cable.replay("-t", 20);
    terminal.run("fg");
    let drops = |text: &str| number_behind(text, "DROPS ");
    let seen = terminal.until("what was dropped", |text| {
        text.contains("live wwb") && drops(text).is_some_and(|drops| drops > 1000)
    });
    assert!(!seen.contains("sum 42"), "{seen}");
    assert!(seen.contains("10.0.0.8"), "what was counted stands: {seen}");
    // What comes now is counted, and next to nothing is dropped any more.
    terminal.keys(&["1"]);
    terminal.shows(&["Overview"]);
    std::thread::sleep(Duration::from_secs(2));
    let requests = |text: &str| number_behind(text, "\n10.0.0.8 ");
    let before = terminal.seen();
    cable.replay(SLOWLY, 1);
    let seen = terminal.until("more requests", |text| requests(text) > requests(&before));
    assert!(requests(&before) > Some(100), "{before}");
    let further = drops(&seen).unwrap() - drops(&before).unwrap();
    assert!(further < 100, "{further} frames more: {seen}");
    terminal.keys(&["q"]);
    terminal.shows(&["ready>", " dropped"]);
    let seen = terminal.seen();
    assert!(!seen.contains(" 0 dropped"), "{seen}");
}

/// A file that ends in the middle of a frame says so on the screen, and a terminal of DEC's gets no
/// colours: what stands out is bold or reversed.
#[test]
fn a_damaged_file_is_said_on_a_terminal_without_colours() {
    let test = "a_damaged_file_is_said_on_a_terminal_without_colours";
    let Some(terminal) = Terminal::new(test, 132, 43) else {
        return;
    };
    let whole = std::fs::read(root().join("captures/demo.pcapng")).unwrap();
    let cut = terminal.folder.join("cut.pcapng");
    std::fs::write(&cut, &whole[..whole.len() * 3 / 4 + 5]).unwrap();
    let program = env!("CARGO_BIN_EXE_wirewait");
    let line = format!("TERM=vt100 {program} view {} --speed max", cut.display());
    terminal.run(&line);
    terminal.shows(&["DAMAGED", "END", "cut.pcapng"]);
    let output = terminal.tmux(&["capture-pane", "-p", "-e"]);
    let seen = String::from_utf8(output.stdout).unwrap();
    assert!(
        seen.contains("\u{1b}[1m") || seen.contains("\u{1b}[7m"),
        "{seen:?}"
    );
    for colour in ["[3", "[9", ";3", ";9"] {
        let of = seen.split('\u{1b}').filter(|part| part.starts_with(colour));
        assert_eq!(
            of.filter(|part| !part.starts_with("[39")).count(),
            0,
            "{seen:?}"
        );
    }
}

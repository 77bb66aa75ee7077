//! The thread, driven without a screen.

mod frames;

use super::*;
use crate::args::SelectArgs;
use crate::input::Input as Opened;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};
use wirewait::{Choice, Settings, Source, Thresholds, Timestamp};
use wirewait_report::json;
use wirewait_tui::{Feed, Input, What};

/// Nothing here takes longer, however busy the machine is.
const PATIENCE: Duration = Duration::from_secs(120);

fn capture(name: &str) -> InputArgs {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("captures")
        .join(name);
    of(path)
}

fn of(path: PathBuf) -> InputArgs {
    InputArgs {
        files: vec![path],
        files_from: None,
        gathered: false,
        places: Vec::new(),
        select: SelectArgs {
            since: None,
            until: None,
            #[cfg(feature = "libpcap")]
            filter: None,
            zone: None,
        },
    }
}

/// What `report --format json` writes.
fn report(input: &InputArgs) -> String {
    let opened = Opened::open(input).unwrap();
    let analysis = opened
        .analyse(Settings::default(), &mut (), true, |()| Ok(()))
        .unwrap();
    let mut out = Vec::new();
    json::report_with(&mut out, &analysis.about(input), &analysis.snapshot, None).unwrap();
    String::from_utf8(out).unwrap()
}

fn shown(feed: &Feed) -> String {
    let mut out = Vec::new();
    json::report_with(&mut out, &feed.about, &feed.snapshot, None).unwrap();
    String::from_utf8(out).unwrap()
}

/// The stamps of all frames.
fn stamps(input: &InputArgs) -> Vec<Timestamp> {
    let mut files = wirewait_capture::open(&input.files, &crate::input::options(input)).unwrap();
    let mut stamps = Vec::new();
    while let Some(frame) = files.next_frame().unwrap() {
        stamps.push(frame.at);
    }
    stamps
}

/// In place of the screen.
struct Rig {
    watch: Option<Watch>,
    commands: Sender<Command>,
    messages: Receiver<Message>,
    /// What was said, and what could not be done.
    said: Vec<String>,
    failed: Vec<String>,
}

impl Rig {
    fn new(input: &InputArgs, pace: Pace, paused: bool) -> Self {
        Self::keeping(input, pace, paused, 1 << 22)
    }

    fn keeping(input: &InputArgs, pace: Pace, paused: bool, frames: usize) -> Self {
        let plan = Plan {
            settings: Settings::default(),
            thresholds: Thresholds::default(),
            last: None,
            transactions: 50,
            frames,
            refresh: Duration::from_millis(250),
        };
        Self::planned(input, plan, pace, paused)
    }

    fn planned(input: &InputArgs, plan: Plan, pace: Pace, paused: bool) -> Self {
        let show = Show {
            input,
            texts: Texts::default(),
            pace,
            paused,
        };
        let signals = crate::signals::Signals::catch().unwrap();
        let (commands, orders) = channel();
        let (out, messages) = channel();
        Self {
            watch: Some(Watch::files(show, plan, signals, orders, out).unwrap()),
            commands,
            messages,
            said: Vec::new(),
            failed: Vec::new(),
        }
    }

    fn send(&self, command: Command) {
        self.commands.send(command).unwrap();
    }

    /// The first feed of which this holds.
    fn until(&mut self, mut holds: impl FnMut(&Feed) -> bool) -> Arc<Feed> {
        let begin = Instant::now();
        while begin.elapsed() < PATIENCE {
            match self.messages.recv_timeout(PATIENCE) {
                Ok(Message::Fed(feed)) if holds(&feed) => return feed,
                Ok(Message::Said(text)) => self.said.push(text),
                Ok(Message::Failed(text)) => self.failed.push(text),
                Ok(_) => {}
                Err(error) => panic!("{error}"),
            }
        }
        panic!(
            "it did not come; said {:?}, failed {:?}",
            self.said, self.failed
        );
    }

    /// The answer to a command.
    fn answer(&mut self) -> Result<String, String> {
        let begin = Instant::now();
        while begin.elapsed() < PATIENCE {
            match self.messages.recv_timeout(PATIENCE).unwrap() {
                Message::Said(text) => return Ok(text),
                Message::Failed(text) => return Err(text),
                _ => {}
            }
        }
        panic!("no answer");
    }

    fn decoded(&mut self) -> Arc<Vec<wirewait_tui::Decoded>> {
        let begin = Instant::now();
        while begin.elapsed() < PATIENCE {
            match self.messages.recv_timeout(PATIENCE).unwrap() {
                Message::Decoded(frames) => return frames,
                Message::Failed(text) => panic!("{text}"),
                _ => {}
            }
        }
        panic!("nothing was decoded");
    }

    fn quit(mut self) -> Verdict {
        self.send(Command::Quit { keep: false });
        self.watch.take().unwrap().join().unwrap().verdict
    }
}

/// (pace, paused, ended, seeking)
fn state(feed: &Feed) -> (Pace, bool, bool, Option<Timestamp>) {
    match &feed.input {
        Input::Files {
            pace,
            paused,
            ended,
            seeking,
            ..
        } => (*pace, *paused, *ended, *seeking),
        Input::Live { .. } => panic!("files are replayed"),
    }
}

fn has_ended(feed: &Feed) -> bool {
    state(feed).2
}

fn frames(feed: &Feed) -> u64 {
    feed.snapshot.capture.frames
}

#[test]
fn at_the_end_of_a_replay_the_figures_are_those_of_the_report() {
    for (name, pace) in [
        ("demo.pcapng", Pace::Max),
        ("demo.pcapng", Pace::Times(10)),
        ("nbf/example.pcapng", Pace::Max),
        ("nbf/example.pcapng", Pace::Times(10)),
        ("ncp/retransmitted-while-busy.pcapng", Pace::Max),
        ("ncp/retransmitted-while-busy.pcapng", Pace::Times(100)),
        ("spx/spx2.pcapng", Pace::Times(1000)),
        ("tcp/mid-connection.pcapng", Pace::Max),
        ("smb1/no-reply-flag.pcapng", Pace::Times(100)),
    ] {
        let input = capture(name);
        let mut rig = Rig::new(&input, pace, false);
        let begin = Instant::now();
        let feed = rig.until(has_ended);
        let took = begin.elapsed();
        assert_eq!(shown(&feed), report(&input), "{name} at {pace:?}");
        if let Pace::Times(times) = pace {
            let stamps = stamps(&input);
            let length = stamps[stamps.len() - 1].since(stamps[0]);
            let length = Duration::from_nanos(u64::try_from(length).unwrap()) / times;
            assert!(took >= length, "{name}: {took:?} of {length:?}");
        }
        assert_eq!(rig.quit(), Verdict::Whole);
    }
}

#[test]
fn any_moment_can_be_looked_for() {
    let input = capture("demo.pcapng");
    let stamps = stamps(&input);
    let (first, last) = (stamps[0], *stamps.iter().max().unwrap());
    // Stamps of the demo rise, so that this is how many frames there are up to then.
    assert!(stamps.is_sorted());
    let before = |at: Timestamp| stamps.partition_point(|stamp| *stamp <= at) as u64;
    let half = first.plus(last.since(first) / 2);
    let third = first.plus(last.since(first) / 3);
    let mut rig = Rig::new(&input, Pace::Times(1), true);
    let feed = rig.until(|_| true);
    assert_eq!((frames(&feed), feed.now), (0, None), "it stands still");
    let mut feed = feed;
    for at in [half, third, first, half, last] {
        rig.send(Command::Seek(at));
        feed = rig.until(|feed| feed.now == Some(at) && state(feed).3.is_none());
        assert_eq!(frames(&feed), before(at));
        assert_eq!(state(&feed), (Pace::Times(1), true, at == last, None));
    }
    // At the end it is over, and the same as if it had been read in one go.
    assert_eq!(shown(&feed), report(&input));
    assert_eq!(feed.now, Some(last));
    // A seek that another one follows does not come to its end.
    rig.send(Command::Seek(half));
    rig.send(Command::Seek(first));
    rig.send(Command::Seek(third));
    let feed = rig.until(|feed| feed.now == Some(third) && state(feed).3.is_none());
    assert_eq!(frames(&feed), before(third));
    // From there it goes on.
    rig.send(Command::Pace(Pace::Max));
    rig.send(Command::Pause(false));
    assert_eq!(shown(&rig.until(has_ended)), report(&input));
    rig.quit();
}

#[test]
fn a_pause_is_one_and_the_clock_goes_on_where_it_stood() {
    let input = capture("demo.pcapng");
    let mut rig = Rig::new(&input, Pace::Times(2), false);
    rig.until(|feed| frames(feed) > 0);
    rig.send(Command::Pause(true));
    let still = rig.until(|feed| state(feed).1);
    std::thread::sleep(Duration::from_millis(700));
    let later = loop {
        match rig.messages.recv_timeout(Duration::from_millis(100)) {
            Ok(Message::Fed(feed)) => assert_eq!(frames(&feed), frames(&still)),
            Ok(_) => {}
            Err(RecvTimeoutError::Timeout) => break Instant::now(),
            Err(error) => panic!("{error}"),
        }
    };
    rig.send(Command::Pause(false));
    let on = rig.until(|feed| !state(feed).1 && feed.now > still.now);
    let gone = on.now.unwrap().since(still.now.unwrap());
    let passed = i64::try_from(later.elapsed().as_nanos()).unwrap();
    assert!(
        gone <= 2 * passed,
        "{gone} ns of the capture in {passed} ns"
    );
    rig.quit();
}

#[test]
fn the_span_is_found_out_beside() {
    let input = capture("demo.pcapng");
    let stamps = stamps(&input);
    let mut rig = Rig::new(&input, Pace::Times(1), true);
    let wanted = Some((stamps[0], stamps[stamps.len() - 1]));
    rig.until(|feed| matches!(&feed.input, Input::Files { span, .. } if *span == wanted));
    rig.quit();
}

#[test]
fn after_a_reset_only_what_follows_counts() {
    let input = capture("demo.pcapng");
    let stamps = stamps(&input);
    let half = stamps[stamps.len() / 2];
    let mut rig = Rig::new(&input, Pace::Max, true);
    rig.send(Command::Seek(half));
    let before = frames(&rig.until(|feed| feed.now == Some(half) && state(feed).3.is_none()));
    rig.send(Command::Reset);
    rig.until(|feed| frames(feed) == 0 && feed.transactions.is_empty());
    rig.send(Command::Pause(false));
    let feed = rig.until(has_ended);
    assert_eq!(frames(&feed), stamps.len() as u64 - before);
    // Frames are called by their numbers in the capture.
    let first = feed
        .transactions
        .iter()
        .filter_map(|t| t.request)
        .map(|r| r.first.frame);
    assert!(first.min().unwrap() > before);
    rig.quit();
}

#[test]
fn what_cannot_be_written_is_said_and_the_watching_goes_on() {
    let input = capture("demo.pcapng");
    let mut rig = Rig::new(&input, Pace::Times(1), false);
    rig.until(|feed| frames(feed) > 0);
    let path = PathBuf::from("/no/such/folder/servers.csv");
    rig.send(Command::Export {
        path: path.clone(),
        content: "a".to_owned(),
    });
    let why = rig.answer().unwrap_err();
    assert!(why.contains("/no/such/folder/servers.csv"), "{why}");
    rig.send(Command::Save(What::LastSeconds(60), path));
    let why = rig.answer().unwrap_err();
    assert!(why.contains("make the folder"), "{why}");
    let before = rig.until(|_| true);
    rig.until(|feed| feed.now > before.now);
    rig.quit();
}

#[test]
fn a_damaged_file_is_shown_as_far_as_it_can_be_read() {
    let whole = std::fs::read(&capture("demo.pcapng").files[0]).unwrap();
    let path = std::env::temp_dir().join(format!("wirewait-cut-{}.pcapng", std::process::id()));
    std::fs::write(&path, &whole[..whole.len() - 7]).unwrap();
    let input = of(path.clone());
    let mut rig = Rig::new(&input, Pace::Max, false);
    let feed = rig.until(has_ended);
    assert_eq!(shown(&feed), report(&input));
    assert_eq!(feed.about.damage.len(), 1);
    assert_eq!(feed.remarks.len(), 1, "{:?}", feed.remarks);
    assert_eq!(rig.quit(), Verdict::Damaged);
    std::fs::remove_file(path).unwrap();
}

#[test]
fn a_screen_that_does_not_take_feeds_does_not_drown_in_them() {
    let input = capture("demo.pcapng");
    let rig = Rig::new(&input, Pace::Times(1), false);
    std::thread::sleep(Duration::from_secs(3));
    rig.send(Command::Quit { keep: false });
    let feeds = rig.messages.iter().filter(|m| matches!(m, Message::Fed(_)));
    assert_eq!(feeds.count(), 4);
}

#[test]
fn only_the_latest_transactions_are_kept_and_the_others_counted() {
    let mut rig = Rig::new(&capture("demo.pcapng"), Pace::Max, false);
    let feed = rig.until(has_ended);
    assert_eq!(feed.transactions.len(), 50);
    let closed: u64 = feed.transactions_forgotten + 50;
    let mut all = Vec::new();
    let opened = Opened::open(&capture("demo.pcapng")).unwrap();
    opened
        .analyse(Settings::default(), &mut all, true, |_| Ok(()))
        .unwrap();
    assert_eq!(all.len() as u64, closed);
    let numbers =
        |rows: &[wirewait::Transaction]| rows.iter().map(|t| t.number).collect::<Vec<u64>>();
    assert_eq!(numbers(&feed.transactions), numbers(&all[all.len() - 50..]));
    rig.quit();
}

/// IPX has no connection: a transaction is open until its client asks for the next thing.
#[test]
fn the_last_answered_request_of_an_ipx_conversation_is_shown_at_once() {
    let input = capture("ncp/session.pcapng");
    let mut all: Vec<wirewait::Transaction> = Vec::new();
    let opened = Opened::open(&input).unwrap();
    opened
        .analyse(Settings::default(), &mut all, true, |_| Ok(()))
        .unwrap();
    let t = &all[all.len() / 2];
    let answered = t.response.unwrap().last.at;
    // Nothing comes behind its response: it is the latest frame.
    let mut rig = Rig::new(&input, Pace::Times(1), true);
    rig.send(Command::Seek(answered));
    let feed = rig.until(|feed| feed.now == Some(answered) && frames(feed) > 0);
    let shown = feed.transactions.iter().find(|one| one.number == t.number);
    let shown = shown.expect("it is among those that are shown");
    assert_eq!(
        (
            shown.request,
            shown.response,
            shown.turnaround,
            shown.outcome
        ),
        (t.request, t.response, t.turnaround, t.outcome)
    );
    // Not twice when it is closed.
    rig.send(Command::Seek(answered.plus(600_000_000_000)));
    let feed = rig.until(has_ended);
    let times = |number: u64| {
        feed.transactions
            .iter()
            .filter(|t| t.number == number)
            .count()
    };
    assert!(all.iter().all(|t| times(t.number) == 1));
    rig.quit();
}

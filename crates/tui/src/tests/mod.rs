//! What people see, from one fixed capture; what each key does; and that nothing panics.

mod commands;
mod keys;
mod property;
mod said;
mod screens;
mod surfaces;
mod views;
mod why;

use crate::{Feed, Input, LiveInterface, Message, Model, Own, Pace, update};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use wirewait::{Choice, Engine, Progress, Settings};
use wirewait_analysis::recent::Recent;
use wirewait_analysis::{Analyzer, LedgerCourse, SymptomCourse};
use wirewait_report::About;
use wirewait_report::counters::Live;
use wirewait_wire::{Frame, Source};

/// The shipped capture, analysed once; as files that are replayed.
pub(crate) fn replayed() -> Feed {
    static READ: OnceLock<Feed> = OnceLock::new();
    READ.get_or_init(|| of_first(None)).clone()
}

/// The shipped capture, or no more of it than this time, ns.
pub(crate) fn of_first(most_ns: Option<i64>) -> Feed {
    let manifest = env!("CARGO_MANIFEST_DIR");
    let file: PathBuf = [manifest, "../../captures/demo.pcapng"].iter().collect();
    let source = wirewait_capture::open(&[file], &wirewait_capture::Options::default());
    let mut engine = Engine::new(source.unwrap(), Settings::default());
    let mut kept = (Vec::new(), Recent::default());
    let mut counters = Live::new(1_000_000_000, None);
    let mut first = None;
    loop {
        let choose = |frame: &Frame<'_>, analyzer: &Analyzer| {
            let first = *first.get_or_insert(frame.at);
            if most_ns.is_some_and(|most| frame.at.since(first) > most) {
                return Choice::Stop;
            }
            counters.advance(frame.at, || analyzer.readings());
            Choice::Take
        };
        if engine.step_watching(choose, &mut kept).unwrap() == Progress::End {
            break;
        }
    }
    let (snapshot, readings, _) = engine.finish_metered(&mut kept);
    kept.1.finish();
    counters.finish(&readings);
    Feed {
        now: snapshot.capture.last,
        input: Input::Files {
            names: vec!["demo.pcapng".to_owned()],
            span: snapshot.capture.first.zip(snapshot.capture.last),
            pace: Pace::Times(10),
            paused: false,
            ended: false,
            seeking: None,
            again: true,
        },
        about: Arc::new(About::default()),
        snapshot: Arc::new(snapshot),
        recent: Arc::new(kept.1.history()),
        ledgers: Arc::new(courses().0),
        symptoms: Arc::new(courses().1),
        counters: Arc::new(counters.chart()),
        transactions: Arc::new(kept.0),
        transactions_forgotten: 0,
        own: Own {
            cpu_thousandths: 21,
            memory_bytes: 34_000_000,
        },
        remarks: Vec::new(),
    }
}

/// Where the time of that capture went, second by second, and what its symptoms cost.
fn courses() -> (LedgerCourse, SymptomCourse) {
    let manifest = env!("CARGO_MANIFEST_DIR");
    let file: PathBuf = [manifest, "../../captures/demo.pcapng"].iter().collect();
    let mut source =
        wirewait_capture::open(&[file], &wirewait_capture::Options::default()).unwrap();
    let registry = wirewait::registry();
    let mut analyzer = Analyzer::new(registry, Settings::default()).keeping_course(600);
    while let Ok(Some(frame)) = source.next_frame() {
        analyzer.frame(&frame, &mut ());
    }
    analyzer.finish(&mut ());
    (analyzer.ledger_course(), analyzer.symptom_course())
}

/// The shipped capture, as if from a live interface that dropped `dropped` frames.
pub(crate) fn live(dropped: u64) -> Feed {
    Feed {
        input: Input::Live {
            interfaces: vec![LiveInterface {
                name: "eth0".to_owned(),
                speed: Some(1_000_000_000),
                up: true,
                received: 2702,
                dropped,
                dropped_by_interface: 0,
            }],
            filter: None,
            saving: None,
        },
        ..replayed()
    }
}

pub(crate) fn model(feed: Feed, width: u16, height: u16) -> Model {
    let mut model = Model::default().sized(width, height);
    update(&mut model, Message::Fed(Arc::new(feed)));
    model
}

/// A key by its name in the table of keys, or a letter.
pub(crate) fn key(name: &str) -> Message {
    let (code, modifiers) = match name {
        "enter" => (KeyCode::Enter, KeyModifiers::NONE),
        "esc" => (KeyCode::Esc, KeyModifiers::NONE),
        "backspace" => (KeyCode::Backspace, KeyModifiers::NONE),
        "tab" => (KeyCode::Tab, KeyModifiers::NONE),
        "backtab" => (KeyCode::BackTab, KeyModifiers::SHIFT),
        "up" => (KeyCode::Up, KeyModifiers::NONE),
        "down" => (KeyCode::Down, KeyModifiers::NONE),
        "left" => (KeyCode::Left, KeyModifiers::NONE),
        "right" => (KeyCode::Right, KeyModifiers::NONE),
        "pgup" => (KeyCode::PageUp, KeyModifiers::NONE),
        "pgdn" => (KeyCode::PageDown, KeyModifiers::NONE),
        "home" => (KeyCode::Home, KeyModifiers::NONE),
        "end" => (KeyCode::End, KeyModifiers::NONE),
        "delete" => (KeyCode::Delete, KeyModifiers::NONE),
        "space" => (KeyCode::Char(' '), KeyModifiers::NONE),
        "f1" => (KeyCode::F(1), KeyModifiers::NONE),
        other => match other.strip_prefix("ctrl-") {
            Some(letter) => (
                KeyCode::Char(letter.chars().next().unwrap()),
                KeyModifiers::CONTROL,
            ),
            None => {
                assert_eq!(other.chars().count(), 1, "{other}");
                (
                    KeyCode::Char(other.chars().next().unwrap()),
                    KeyModifiers::NONE,
                )
            }
        },
    };
    Message::Terminal(Event::Key(KeyEvent::new(code, modifiers)))
}

/// Presses keys, separated by blanks. Gives the commands of all of them.
pub(crate) fn press(model: &mut Model, keys: &str) -> Vec<crate::Command> {
    keys.split(' ')
        .flat_map(|name| update(model, key(name)))
        .collect()
}

/// What a terminal shows.
pub(crate) fn shown(model: &Model) -> String {
    let (width, height) = model.size;
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| crate::draw(model, frame)).unwrap();
    // Whatever it is, it can be shown where there is nothing but ASCII.
    let mut ascii = terminal.backend().buffer().clone();
    crate::ascii::only(&mut ascii);
    let all = ascii.content.iter().map(|cell| cell.symbol());
    assert!(all.clone().all(str::is_ascii), "{all:?}");
    crate::export::lines(terminal.backend().buffer()).join("\n") + "\n"
}

/// Compares `text` with the golden file of this name. With WIREWAIT_BLESS=1 in the environment
/// the file is written instead; read the difference before committing it.
pub(crate) fn golden(name: &str, text: &str) {
    // Every sign of ours has a letter that looks like it.
    for c in text.chars().filter(|c| *c != '?') {
        assert_ne!(crate::ascii::plain(c), '?', "{name}: {c}");
    }
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "golden", name]
        .iter()
        .collect();
    if std::env::var_os("WIREWAIT_BLESS").is_some_and(|v| v == "1") {
        std::fs::write(&path, text).unwrap();
        return;
    }
    let expected = std::fs::read_to_string(&path).unwrap();
    assert!(text == expected, "{} differs:\n{text}", path.display());
}

//! Shows the screen over a capture that was read already: `cargo run -p wirewait-tui --example
//! look -- FILE...`. For work on the views; `wirewait view` is the program.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread;
use wirewait::{Choice, Engine, Progress, Settings, registry};
use wirewait_analysis::recent::{Limits, Recent};
use wirewait_capture::open;
use wirewait_report::About;
use wirewait_report::counters::Live;
use wirewait_report::decode::{Decoder, Shape, Time};
use wirewait_report::text::Look;
use wirewait_tui::{Command, Decoded, Feed, Input, Message, Options, Own, Pace, Screen};
use wirewait_wire::{Frame, Source};

/// Those frames of the files that are wanted.
fn decode(files: &[PathBuf], wanted: impl Fn(u64) -> bool) -> Vec<Decoded> {
    let Ok(mut source) = open(files, &wirewait_capture::Options::default()) else {
        return Vec::new();
    };
    let registry = registry();
    let mut decoder = Decoder::new(&registry, Shape::Line, Time::Relative, Look::FILE)
        .following(wirewait::registry());
    let mut found = Vec::new();
    let mut number = 0;
    while let Ok(Some(frame)) = source.next_frame() {
        number += 1;
        decoder.pass(&frame);
        if wanted(number) {
            found.push(decoder.plain(&frame));
        }
    }
    found
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let files: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let names: Vec<String> = files.iter().map(|f| f.display().to_string()).collect();
    let source = open(&files, &wirewait_capture::Options::default())?;
    let mut engine = Engine::new(source, Settings::default());
    let mut all = (Vec::new(), Recent::new(Limits::default()));
    let mut counters = Live::new(1_000_000_000, None);
    loop {
        let choose = |frame: &Frame<'_>, analyzer: &wirewait_analysis::Analyzer| {
            counters.advance(frame.at, || analyzer.readings());
            Choice::Take
        };
        if engine.step_watching(choose, &mut all)? == Progress::End {
            break;
        }
    }
    let (snapshot, readings, _) = engine.finish_metered(&mut all);
    all.1.finish();
    counters.finish(&readings);
    let span = snapshot.capture.first.zip(snapshot.capture.last);
    let feed = Feed {
        now: snapshot.capture.last,
        input: Input::Files {
            names: names.clone(),
            span,
            pace: Pace::Max,
            paused: false,
            ended: true,
            seeking: None,
            again: false,
        },
        about: Arc::new(About {
            files: names,
            ..About::default()
        }),
        snapshot: Arc::new(snapshot),
        recent: Arc::new(all.1.history()),
        ledgers: Arc::default(),
        symptoms: Default::default(),
        counters: Arc::new(counters.chart()),
        transactions: Arc::new(all.0),
        transactions_forgotten: 0,
        own: Own::default(),
        remarks: Vec::new(),
    };
    let transactions = Arc::clone(&feed.transactions);
    let screen = Screen::new(Options::default());
    let sender = screen.sender();
    sender.send(Message::Fed(Arc::new(feed)))?;
    let (commands, asked) = channel();
    let answers = thread::spawn(move || {
        for command in asked {
            let answer = match command {
                Command::Export { path, content } => match std::fs::write(&path, content) {
                    Ok(()) => Message::Said(format!("written: {}", path.display())),
                    Err(error) => Message::Failed(format!("{}: {error}", path.display())),
                },
                Command::Decode(range) => {
                    Message::Decoded(Arc::new(decode(&files, |n| range.contains(&n))))
                }
                Command::DecodeTransaction(number) => {
                    let one = transactions.iter().find(|t| t.number == number);
                    let marks = one.into_iter().flat_map(|t| [t.request, t.response]);
                    let marks: Vec<u64> = marks
                        .flatten()
                        .flat_map(|e| [e.first.frame, e.last.frame])
                        .collect();
                    let first = marks.iter().min().copied().unwrap_or(0);
                    let last = marks.iter().max().copied().unwrap_or(0);
                    let between = |n: u64| (first..=last).contains(&n);
                    Message::Decoded(Arc::new(decode(&files, between)))
                }
                _ => continue,
            };
            if sender.send(answer).is_err() {
                return;
            }
        }
    });
    let ended = screen.run(&commands)?;
    drop(commands);
    let _ = answers.join();
    println!("{ended:?}");
    Ok(())
}

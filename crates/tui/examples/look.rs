//! Shows the screen over a capture that was read already: `cargo run -p wirewait-tui --example
//! look -- FILE...`. For whoever works on the views; `wirewait view` is the program.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread;
use wirewait_analysis::{Sink, Transaction};
use wirewait_capture::open;
use wirewait_engine::{Engine, Progress, Settings};
use wirewait_report::About;
use wirewait_tui::{Command, Feed, Input, Message, Options, Own, Pace, Screen};

struct All(Vec<Transaction>);

impl Sink for All {
    fn transaction(&mut self, transaction: &Transaction) {
        self.0.push(transaction.clone());
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let files: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let names: Vec<String> = files.iter().map(|f| f.display().to_string()).collect();
    let source = open(&files, &wirewait_capture::Options::default())?;
    let mut engine = Engine::new(source, Settings::default());
    let mut all = All(Vec::new());
    while engine.step(&mut all)? == Progress::More {}
    let (snapshot, _) = engine.finish(&mut all);
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
        transactions: Arc::new(all.0),
        transactions_forgotten: 0,
        own: Own::default(),
        remarks: Vec::new(),
    };
    let screen = Screen::new(Options::default());
    let sender = screen.sender();
    sender.send(Message::Fed(Arc::new(feed)))?;
    let (commands, asked) = channel();
    let answers = thread::spawn(move || {
        for command in asked {
            if let Command::Export { path, content } = command {
                let said = match std::fs::write(&path, content) {
                    Ok(()) => Message::Said(format!("written: {}", path.display())),
                    Err(error) => Message::Failed(format!("{}: {error}", path.display())),
                };
                if sender.send(said).is_err() {
                    return;
                }
            }
        }
    });
    let ended = screen.run(&commands)?;
    drop(commands);
    let _ = answers.join();
    println!("{ended:?}");
    Ok(())
}

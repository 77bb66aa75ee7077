//! The terminal: owns it, draws on it, gives it back.

use crate::export;
use crate::model::{Model, Options};
use crate::{Command, Message, draw, update};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{self, DisableMouseCapture, EnableMouseCapture};
use ratatui::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use ratatui::crossterm::{cursor, execute};
use std::io::{self, BufWriter, IsTerminal, Stdout, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

/// It is drawn no more often than this.
const BETWEEN: Duration = Duration::from_millis(100);

/// How often the thread that waits for keys looks whether it is still wanted.
const LOOK: Duration = Duration::from_millis(250);

/// Why the screen ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The user quit.
    Quit,
    /// Nobody feeds it any more, or the terminal is gone.
    Alone,
}

/// The screen, before it runs.
#[derive(Debug)]
pub struct Screen {
    options: Options,
    sender: Sender<Message>,
    messages: Receiver<Message>,
}

impl Screen {
    /// A screen that is not shown yet.
    #[must_use]
    pub fn new(options: Options) -> Self {
        let (sender, messages) = channel();
        Self {
            options,
            sender,
            messages,
        }
    }

    /// Where messages go; any thread may have one.
    #[must_use]
    pub fn sender(&self) -> Sender<Message> {
        self.sender.clone()
    }

    /// Takes the terminal and shows the screen until the user quits. What is to be done goes to
    /// `commands`; when nobody takes them any more, it ends. The terminal is given back in any
    /// case, when a thread panics too.
    ///
    /// # Errors
    /// When the standard output is no terminal, or cannot be drawn on.
    pub fn run(self, commands: &Sender<Command>) -> io::Result<Ended> {
        if !io::stdout().is_terminal() {
            return Err(io::Error::new(
                io::ErrorKind::Unsupported,
                "the standard output is no terminal",
            ));
        }
        let Self {
            options,
            sender,
            messages,
        } = self;
        restore_on_panic();
        let mut held = Held::take(options.mouse)?;
        let wanted = Arc::new(AtomicBool::new(true));
        let keys = {
            let wanted = Arc::clone(&wanted);
            thread::spawn(move || listen(&sender, &wanted))
        };
        let size = held.terminal.size()?;
        let mut model = Model::new(options).sized(size.width, size.height);
        let ended = turn(&mut model, &messages, commands, |model| {
            held.terminal.draw(|frame| draw(model, frame)).map(drop)
        });
        wanted.store(false, Ordering::Relaxed);
        let restored = held.give_back();
        // It looks up soon; it must not take what is typed for the shell.
        let _ = keys.join();
        let (ended, keep) = ended?;
        restored?;
        if keep {
            print(&export::picture(&model))?;
        }
        Ok(ended)
    }
}

/// Messages in, commands out, until it is over. Draws when something changed, and not more
/// often than [`BETWEEN`]. Gives whether the last screen is to be kept.
fn turn(
    model: &mut Model,
    messages: &Receiver<Message>,
    commands: &Sender<Command>,
    mut draw: impl FnMut(&Model) -> io::Result<()>,
) -> io::Result<(Ended, bool)> {
    let mut next = Instant::now();
    loop {
        let now = Instant::now();
        if model.changed() && now >= next {
            draw(model)?;
            model.drawn();
            next = Instant::now() + BETWEEN;
        }
        let message = if model.changed() {
            messages.recv_timeout(next.saturating_duration_since(now))
        } else {
            messages.recv().map_err(|_| RecvTimeoutError::Disconnected)
        };
        let message = match message {
            Ok(message) => message,
            Err(RecvTimeoutError::Timeout) => continue,
            Err(RecvTimeoutError::Disconnected) => return Ok((Ended::Alone, false)),
        };
        if matches!(message, Message::Closed) {
            // Whoever feeds it is told, so that files are closed and reports are written.
            let _ = commands.send(Command::Quit { keep: false });
            return Ok((Ended::Alone, false));
        }
        for command in update(model, message) {
            let quit = match command {
                Command::Quit { keep } => Some(keep),
                _ => None,
            };
            let alone = commands.send(command).is_err();
            if let Some(keep) = quit {
                return Ok((Ended::Quit, keep));
            }
            if alone {
                return Ok((Ended::Alone, false));
            }
        }
    }
}

/// Passes on what happens at the terminal.
fn listen(sender: &Sender<Message>, wanted: &AtomicBool) {
    while wanted.load(Ordering::Relaxed) {
        let message = match event::poll(LOOK) {
            Ok(false) => continue,
            Ok(true) => event::read().map_or(Message::Closed, Message::Terminal),
            Err(_) => Message::Closed,
        };
        let over = matches!(message, Message::Closed);
        if sender.send(message).is_err() || over {
            return;
        }
    }
}

/// The terminal while it is ours.
struct Held {
    terminal: Terminal<CrosstermBackend<BufWriter<Stdout>>>,
    mouse: bool,
}

impl Held {
    fn take(mouse: bool) -> io::Result<Self> {
        enable_raw_mode()?;
        let begun = || {
            execute!(io::stdout(), EnterAlternateScreen)?;
            if mouse {
                execute!(io::stdout(), EnableMouseCapture)?;
            }
            // A screen is a few kilobytes: one write.
            let out = BufWriter::with_capacity(1 << 16, io::stdout());
            let mut terminal = Terminal::new(CrosstermBackend::new(out))?;
            terminal.clear()?;
            Ok(terminal)
        };
        match begun() {
            Ok(terminal) => Ok(Self { terminal, mouse }),
            Err(error) => {
                restore();
                Err(error)
            }
        }
    }

    fn give_back(&mut self) -> io::Result<()> {
        if self.mouse {
            execute!(io::stdout(), DisableMouseCapture)?;
        }
        let left = execute!(io::stdout(), LeaveAlternateScreen, cursor::Show);
        disable_raw_mode()?;
        left
    }
}

/// As well as it can be done: what is wrong already has been said.
fn restore() {
    let _ = execute!(
        io::stdout(),
        DisableMouseCapture,
        LeaveAlternateScreen,
        cursor::Show
    );
    let _ = disable_raw_mode();
}

/// A panic's message is read on the normal screen.
fn restore_on_panic() {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        restore();
        before(panic);
    }));
}

/// The last screen, as text.
fn print(buffer: &Buffer) -> io::Result<()> {
    let mut out = io::stdout().lock();
    for line in export::lines(buffer) {
        writeln!(out, "{line}")?;
    }
    out.flush()
}

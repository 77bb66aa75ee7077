//! The terminal: owns it, draws on it, gives it back.

use crate::export;
use crate::model::{Model, Options};
use crate::{Command, Message, Palette, draw, update};
use ratatui::backend::CrosstermBackend;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{self, DisableMouseCapture, EnableMouseCapture};
use ratatui::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use ratatui::crossterm::{cursor, execute};
use ratatui::{Terminal, TerminalOptions, Viewport};
use std::ffi::OsStr;
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
        let _signals = signals(&sender)?;
        let keys = {
            let wanted = Arc::clone(&wanted);
            thread::spawn(move || listen(&sender, &wanted))
        };
        let size = held.terminal.size()?;
        let mut model = Model::new(coloured(options, std::env::var_os("NO_COLOR").as_deref()))
            .sized(size.width, size.height);
        let ended = turn(&mut model, &messages, commands, |model| {
            held.terminal.draw(|frame| draw(model, frame)).map(drop)
        });
        wanted.store(false, Ordering::Relaxed);
        let restored = held.give_back();
        // It looks up soon; it must not take what is typed for the shell. At a terminal that is
        // gone it may never do so: the end is read there again and again.
        let patience = Instant::now() + 2 * LOOK;
        while !keys.is_finished() && Instant::now() < patience {
            thread::sleep(Duration::from_millis(5));
        }
        let (ended, keep) = ended?;
        restored?;
        if keep {
            leave(&export::last(&model))?;
        }
        Ok(ended)
    }
}

/// As no-color.org has it: a variable that is not empty.
fn coloured(options: Options, no_color: Option<&OsStr>) -> Options {
    let none = no_color.is_some_and(|value| !value.is_empty());
    Options {
        palette: options.palette.or(none.then_some(Palette::Mono)),
        ..options
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

/// While it lives, the end of the terminal and of the program are messages and no sudden death:
/// what is being saved is closed, and the terminal is given back.
#[cfg(unix)]
struct Signals(signal_hook::iterator::Handle);

#[cfg(unix)]
impl Drop for Signals {
    fn drop(&mut self) {
        self.0.close();
    }
}

#[cfg(unix)]
fn signals(sender: &Sender<Message>) -> io::Result<Signals> {
    use signal_hook::consts::{SIGHUP, SIGTERM};
    let mut signals = signal_hook::iterator::Signals::new([SIGHUP, SIGTERM])?;
    let handle = signals.handle();
    let sender = sender.clone();
    thread::spawn(move || {
        for _ in signals.forever() {
            if sender.send(Message::Closed).is_err() {
                return;
            }
        }
    });
    Ok(Signals(handle))
}

#[cfg(not(unix))]
fn signals(_: &Sender<Message>) -> io::Result<()> {
    Ok(())
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

/// The last screen on the normal one, in its colours; without where the terminal does not say
/// where its cursor is.
fn leave(picture: &Buffer) -> io::Result<()> {
    let lines = export::lines(picture);
    let used = lines.iter().rposition(|line| !line.is_empty());
    let height = used.map_or(0, |last| last as u16 + 1);
    let options = TerminalOptions {
        viewport: Viewport::Inline(height),
    };
    let out = BufWriter::new(io::stdout());
    match Terminal::with_options(CrosstermBackend::new(out), options) {
        Ok(mut terminal) => {
            terminal.draw(|frame| {
                let area = frame.area();
                let shown = frame.buffer_mut();
                for y in 0..area.height {
                    for x in 0..area.width {
                        if let Some(cell) = picture.cell((x, y))
                            && let Some(there) = shown.cell_mut((area.x + x, area.y + y))
                        {
                            there.clone_from(cell);
                        }
                    }
                }
            })?;
            // Behind it, where the shell goes on.
            let behind = terminal.get_frame().area().bottom().saturating_sub(1);
            execute!(io::stdout(), cursor::MoveTo(0, behind), cursor::Show)?;
            writeln!(io::stdout())
        }
        Err(_) => {
            let mut out = io::stdout().lock();
            for line in &lines[..usize::from(height)] {
                writeln!(out, "{line}")?;
            }
            out.flush()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};

    fn press(c: char) -> Message {
        Message::Terminal(Event::Key(KeyEvent::new(
            KeyCode::Char(c),
            KeyModifiers::NONE,
        )))
    }

    #[test]
    fn many_messages_are_drawn_at_most_ten_times_a_second_and_none_not_at_all() {
        let (sender, messages) = channel();
        let (commands, asked) = channel();
        let feeder = thread::spawn(move || {
            for _ in 0..30 {
                sender.send(press('u')).unwrap();
                thread::sleep(Duration::from_millis(10));
            }
            // Nothing happens for a while.
            thread::sleep(Duration::from_millis(400));
            sender.send(press('Q')).unwrap();
        });
        let mut drawn = Vec::new();
        let mut model = Model::default();
        let ended = turn(&mut model, &messages, &commands, |_| {
            drawn.push(Instant::now());
            Ok(())
        });
        feeder.join().unwrap();
        assert_eq!(ended.unwrap(), (Ended::Quit, true));
        assert_eq!(
            asked.try_iter().collect::<Vec<_>>(),
            [Command::Quit { keep: true }]
        );
        assert!(
            drawn.windows(2).all(|pair| pair[1] - pair[0] >= BETWEEN),
            "{drawn:?}"
        );
        // One at once; the others share the time in which there was something to draw, however
        // long that took on a busy machine.
        let busy = *drawn.last().unwrap() - drawn[0];
        let most = busy.as_millis() / BETWEEN.as_millis() + 1;
        assert!(drawn.len() as u128 <= most, "{drawn:?}");
        assert!(drawn.len() >= 2, "{drawn:?}");
    }

    #[test]
    fn what_was_chosen_stands_above_the_environment() {
        let palette = |chosen, no_color: Option<&str>| {
            let options = Options {
                palette: chosen,
                ..Options::default()
            };
            coloured(options, no_color.map(OsStr::new)).palette
        };
        assert_eq!(palette(None, None), None);
        assert_eq!(palette(None, Some("")), None);
        assert_eq!(palette(None, Some("1")), Some(Palette::Mono));
        assert_eq!(
            palette(Some(Palette::Light), Some("1")),
            Some(Palette::Light)
        );
    }

    #[test]
    fn it_ends_when_the_terminal_is_gone_or_nobody_listens() {
        let (sender, messages) = channel();
        let (commands, asked) = channel();
        sender.send(Message::Closed).unwrap();
        let ended = turn(&mut Model::default(), &messages, &commands, |_| Ok(()));
        assert_eq!(ended.unwrap(), (Ended::Alone, false));
        assert_eq!(asked.try_recv(), Ok(Command::Quit { keep: false }));
        drop(asked);
        sender.send(press('r')).unwrap();
        sender.send(press('y')).unwrap();
        let ended = turn(&mut Model::default(), &messages, &commands, |_| Ok(()));
        assert_eq!(
            ended.unwrap(),
            (Ended::Alone, false),
            "nobody takes the reset"
        );
        drop(sender);
        let ended = turn(&mut Model::default(), &messages, &commands, |_| Ok(()));
        assert_eq!(ended.unwrap(), (Ended::Alone, false));
        let gone = || io::Error::other("gone");
        let failed = turn(&mut Model::default(), &messages, &commands, |_| Err(gone()));
        assert_eq!(failed.unwrap_err().to_string(), "gone");
    }
}

//! The terminal: owns it, draws on it, gives it back.

use crate::backend::{Blind, shows_colours};
use crate::export;
use crate::model::{Model, Options};
use crate::{Command, Message, Palette, draw, update};
use ratatui::backend::CrosstermBackend;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{self, DisableMouseCapture, EnableMouseCapture, Event};
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

/// A stop takes effect in no more than this.
const STOPS: Duration = Duration::from_millis(100);

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
        let mut held = OwnTerminal::take(options.mouse)?;
        let wanted = Arc::new(AtomicBool::new(true));
        let _signals = signals(&sender)?;
        let keys = {
            let wanted = Arc::clone(&wanted);
            thread::spawn(move || listen(&sender, &wanted))
        };
        let size = held.terminal.size()?;
        // Elsewhere terminals have no names.
        let coloured = !cfg!(unix) || shows_colours(std::env::var_os("TERM").as_deref());
        let no_color = std::env::var_os("NO_COLOR");
        let options = self::coloured(options, no_color.as_deref(), coloured);
        let mut model = Model::new(options).sized(size.width, size.height);
        let ended = turn(&mut model, &messages, commands, &mut held);
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

/// No colours unless the user chose some, where the terminal shows none or `NO_COLOR` is a variable
/// that is not empty (no-color.org).
fn coloured(options: Options, no_color: Option<&OsStr>, shows: bool) -> Options {
    let none = !shows || no_color.is_some_and(|value| !value.is_empty());
    Options {
        palette: options.palette.or(none.then_some(Palette::Mono)),
        ..options
    }
}

/// What a screen is shown on.
trait Stage {
    fn draw(&mut self, model: &Model) -> io::Result<()>;
    /// Gives it back, and stands still until somebody says go on.
    fn stand_still(&mut self) -> io::Result<()>;
    /// Takes it again, whatever was done to it, and draws everything anew.
    fn take_back(&mut self, model: &mut Model) -> io::Result<()>;
}

/// Messages in, commands out, until it is over. Draws when something changed, and not more
/// often than [`BETWEEN`]. Gives whether the last screen is to be kept.
fn turn(
    model: &mut Model,
    messages: &Receiver<Message>,
    commands: &Sender<Command>,
    stage: &mut impl Stage,
) -> io::Result<(Ended, bool)> {
    let mut next = Instant::now();
    loop {
        let now = Instant::now();
        if model.changed() && now >= next {
            stage.draw(model)?;
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
        if matches!(message, Message::Resumed) {
            stage.take_back(model)?;
        }
        for command in update(model, message) {
            if command == Command::Suspend {
                // A replay goes on where it stood, not where it would be by now.
                let runs = model.replays() && !model.paused();
                if runs {
                    let _ = commands.send(Command::Pause(true));
                }
                stage.stand_still()?;
                stage.take_back(model)?;
                if runs {
                    let _ = commands.send(Command::Pause(false));
                }
                continue;
            }
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
    use signal_hook::consts::{SIGABRT, SIGCONT, SIGHUP, SIGQUIT, SIGTERM};
    use signal_hook::low_level::emulate_default_handler;
    let noted = [SIGHUP, SIGTERM, SIGQUIT, SIGABRT, SIGCONT];
    let mut signals = signal_hook::iterator::Signals::new(noted)?;
    let handle = signals.handle();
    let sender = sender.clone();
    thread::spawn(move || {
        for signal in signals.forever() {
            let message = match signal {
                SIGCONT => Message::Resumed,
                // Whoever sends it wants a core of the program as it is.
                SIGABRT => {
                    restore();
                    let _ = emulate_default_handler(signal);
                    continue;
                }
                _ => Message::Closed,
            };
            if sender.send(message).is_err() {
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
struct OwnTerminal {
    terminal: Terminal<Blind<CrosstermBackend<BufWriter<Stdout>>>>,
    mouse: bool,
    /// It is somebody else's now.
    given: bool,
}

impl OwnTerminal {
    fn take(mouse: bool) -> io::Result<Self> {
        enable_raw_mode()?;
        let begun = || {
            execute!(io::stdout(), EnterAlternateScreen)?;
            if mouse {
                execute!(io::stdout(), EnableMouseCapture)?;
            }
            // A screen is a few kilobytes: one write.
            let out = BufWriter::with_capacity(1 << 16, io::stdout());
            let mut terminal = Terminal::new(Blind(CrosstermBackend::new(out)))?;
            terminal.clear()?;
            Ok(terminal)
        };
        match begun() {
            Ok(terminal) => Ok(Self {
                terminal,
                mouse,
                given: false,
            }),
            Err(error) => {
                restore();
                Err(error)
            }
        }
    }

    fn give_back(&mut self) -> io::Result<()> {
        // Twice would put the cursor where it was before the program began.
        if std::mem::replace(&mut self.given, true) {
            return Ok(());
        }
        if self.mouse {
            execute!(io::stdout(), DisableMouseCapture)?;
        }
        let left = execute!(io::stdout(), LeaveAlternateScreen, cursor::Show);
        disable_raw_mode()?;
        left
    }
}

impl Stage for OwnTerminal {
    fn draw(&mut self, model: &Model) -> io::Result<()> {
        self.terminal.draw(|frame| draw(model, frame)).map(drop)
    }

    fn stand_still(&mut self) -> io::Result<()> {
        self.give_back()?;
        // All of the job, as the terminal itself does it: a program that captures for us, too.
        // Where no shell could say go on, the system does not let it stop.
        #[cfg(unix)]
        rustix::process::kill_current_process_group(rustix::process::Signal::TSTP)?;
        // Other threads may be the ones that are told; it has stopped by then.
        thread::sleep(STOPS);
        Ok(())
    }

    fn take_back(&mut self, model: &mut Model) -> io::Result<()> {
        // Whoever had it may have left it in any state.
        self.give_back()?;
        *self = Self::take(self.mouse)?;
        let size = self.terminal.size()?;
        let resized = Event::Resize(size.width, size.height);
        update(model, Message::Terminal(resized));
        Ok(())
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
    use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

    /// What happened to a stage, and when it was drawn.
    #[derive(Default)]
    struct Played {
        drawn: Vec<Instant>,
        stood: u32,
        taken: u32,
        gone: bool,
    }

    impl Stage for Played {
        fn draw(&mut self, _: &Model) -> io::Result<()> {
            self.drawn.push(Instant::now());
            match self.gone {
                true => Err(io::Error::other("gone")),
                false => Ok(()),
            }
        }

        fn stand_still(&mut self) -> io::Result<()> {
            self.stood += 1;
            Ok(())
        }

        fn take_back(&mut self, model: &mut Model) -> io::Result<()> {
            self.taken += 1;
            update(model, Message::Terminal(Event::Resize(80, 24)));
            Ok(())
        }
    }

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
        let mut played = Played::default();
        let mut model = Model::default();
        let ended = turn(&mut model, &messages, &commands, &mut played);
        let drawn = played.drawn;
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
        let palette = |chosen, no_color: Option<&str>, shows| {
            let options = Options {
                palette: chosen,
                ..Options::default()
            };
            coloured(options, no_color.map(OsStr::new), shows).palette
        };
        assert_eq!(palette(None, None, true), None);
        assert_eq!(palette(None, None, false), Some(Palette::Mono));
        assert_eq!(palette(None, Some(""), true), None);
        assert_eq!(palette(None, Some("1"), true), Some(Palette::Mono));
        assert_eq!(
            palette(Some(Palette::Light), Some("1"), false),
            Some(Palette::Light)
        );
    }

    #[test]
    fn it_ends_when_the_terminal_is_gone_or_nobody_listens() {
        let (sender, messages) = channel();
        let (commands, asked) = channel();
        let mut stage = Played::default();
        sender.send(Message::Closed).unwrap();
        let ended = turn(&mut Model::default(), &messages, &commands, &mut stage);
        assert_eq!(ended.unwrap(), (Ended::Alone, false));
        assert_eq!(asked.try_recv(), Ok(Command::Quit { keep: false }));
        drop(asked);
        sender.send(press('r')).unwrap();
        sender.send(press('y')).unwrap();
        let ended = turn(&mut Model::default(), &messages, &commands, &mut stage);
        assert_eq!(
            ended.unwrap(),
            (Ended::Alone, false),
            "nobody takes the reset"
        );
        drop(sender);
        let ended = turn(&mut Model::default(), &messages, &commands, &mut stage);
        assert_eq!(ended.unwrap(), (Ended::Alone, false));
        stage.gone = true;
        let failed = turn(&mut Model::default(), &messages, &commands, &mut stage);
        assert_eq!(failed.unwrap_err().to_string(), "gone");
    }

    #[cfg(unix)]
    #[test]
    fn it_stands_still_and_goes_on_with_a_new_picture() {
        let (sender, messages) = channel();
        let (commands, asked) = channel();
        let z = KeyEvent::new(KeyCode::Char('z'), KeyModifiers::CONTROL);
        sender.send(Message::Terminal(Event::Key(z))).unwrap();
        sender.send(Message::Resumed).unwrap();
        sender.send(press('q')).unwrap();
        let mut stage = Played::default();
        let ended = turn(&mut Model::default(), &messages, &commands, &mut stage);
        assert_eq!(ended.unwrap(), (Ended::Quit, false));
        // Once for the key, and once for whoever else says go on.
        assert_eq!((stage.stood, stage.taken), (1, 2));
        let asked: Vec<_> = asked.try_iter().collect();
        assert_eq!(
            asked,
            [Command::Quit { keep: false }],
            "nobody else hears of it"
        );
    }
}

//! The thread that works for the screen.

use super::errands::{Errands, Job, Pick};
use super::origin::{Origin, Turn};
use super::own::Mirror;
use super::pulse::Pulse;
use super::study::Study;
use crate::failure::Failure;
use crate::signals::Signals;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};
use wirewait::LinkType;
use wirewait_capture::write::Description;
use wirewait_report::{About, Escaped, Interface};
use wirewait_tui::{Command, Feed, Message, Remark, What};

/// What the screen shows of the past of the input.
const REMARKS: usize = 8;

/// Replies of threads beside are looked for this often.
const LOOK: Duration = Duration::from_millis(20);

/// Without anything to do, it looks up all the same: the files may have been surveyed.
const NAP: Duration = Duration::from_millis(500);

const SECOND: Duration = Duration::from_secs(1);

/// Feeds that the screen may hold. It has one, and another one while it stands still; where
/// there are more, its terminal does not take what is drawn.
const UNDER_WAY: usize = 4;

/// Works until the screen quits, or is gone.
pub(super) struct Desk {
    study: Study,
    origin: Origin,
    errands: Errands,
    signals: Signals,
    commands: Receiver<Command>,
    messages: Sender<Message>,
    /// The feeds that the screen still has.
    fed: Vec<Weak<Feed>>,
    pulse: Pulse,
    mirror: Mirror,
    about: Arc<About>,
    remarks: Vec<Remark>,
    /// Something changed beside the figures.
    changed: bool,
    surveyed: bool,
}

/// The screen wants no more.
struct Quit;

impl Desk {
    pub(super) fn new(
        study: Study,
        origin: Origin,
        errands: Errands,
        signals: Signals,
        commands: Receiver<Command>,
        messages: Sender<Message>,
    ) -> Self {
        let pulse = Pulse::new(Instant::now(), study.refresh());
        Self {
            study,
            origin,
            errands,
            signals,
            commands,
            messages,
            fed: Vec::new(),
            pulse,
            mirror: Mirror::default(),
            about: Arc::default(),
            remarks: Vec::new(),
            changed: true,
            surveyed: false,
        }
    }

    /// Works. Gives back what it has worked on.
    pub(super) fn run(mut self) -> (Study, Origin) {
        while self.turn().is_ok() {}
        (self.study, self.origin)
    }

    fn turn(&mut self) -> Result<(), Quit> {
        if self.signals.stop() {
            return Err(Quit);
        }
        if self.signals.report() {
            self.tell(Message::Said(
                "SIGUSR1: press e to write what is shown to a file".to_owned(),
            ));
        }
        if self.signals.flush()
            && let Some(said) = self.origin.flush()
        {
            self.tell(Message::Said(said));
        }
        loop {
            match self.commands.try_recv() {
                Ok(command) => self.obey(command)?,
                Err(TryRecvError::Empty) => break,
                Err(TryRecvError::Disconnected) => return Err(Quit),
            }
        }
        let turn = self.origin.step(&mut self.study, Instant::now());
        self.look_around();
        if matches!(turn, Turn::Busy | Turn::Waited) {
            return Ok(());
        }
        match self.commands.recv_timeout(self.rest(turn)) {
            Ok(command) => self.obey(command),
            Err(RecvTimeoutError::Timeout) => Ok(()),
            Err(RecvTimeoutError::Disconnected) => Err(Quit),
        }
    }

    /// How long nothing is to do.
    fn rest(&self, turn: Turn) -> Duration {
        let now = Instant::now();
        let due = match turn {
            Turn::Due(then) => Some(then),
            _ => None,
        };
        let feed = self.wants_to_feed().then(|| self.next_feed());
        let look = self.errands.are_out().then(|| now + LOOK);
        let until = [due, feed, look].into_iter().flatten().min();
        until.map_or(NAP, |until| until.saturating_duration_since(now).min(NAP))
    }

    fn obey(&mut self, command: Command) -> Result<(), Quit> {
        let now = Instant::now();
        match command {
            Command::Quit { .. } => return Err(Quit),
            // The screen stands still by itself.
            Command::Suspend => {}
            Command::Reset => self.study.reset(),
            Command::Pause(_) | Command::Pace(_) | Command::Seek(_) => {
                if let Err(failure) = self.steer(&command, now) {
                    self.tell(Message::Failed(failure.to_string()));
                }
            }
            Command::Decode(frames) => self.errands.decode(Job::Frames(frames), &self.study),
            Command::DecodeTransaction(number) => match self.study.transaction(number) {
                Some(t) => self
                    .errands
                    .decode(Job::Transaction(Box::new(t)), &self.study),
                // The files have it, under the same number if all of them was analysed.
                None if self.errands.reads_again() && !self.study.begun_anew() => {
                    self.errands.decode(Job::Number(number), &self.study);
                }
                None => self.forgotten("transaction", number),
            },
            Command::Save(what, path) => match self.pick(what, now) {
                Ok(pick) => {
                    let interfaces = self.interfaces();
                    self.errands.save(pick, path, interfaces, &self.study);
                }
                Err((kind, number)) => self.forgotten(kind, number),
            },
            Command::Export { path, content } => self.errands.export(path, content),
        }
        // What was asked for is shown at once.
        self.changed = true;
        self.pulse.hurry(now);
        Ok(())
    }

    /// Where the frames are to go on, and how fast: files only.
    fn steer(&mut self, command: &Command, now: Instant) -> Result<(), Failure> {
        let Origin::Files(replay) = &mut self.origin else {
            return Err(Failure::Cannot(
                "a live capture cannot be paused or replayed faster".to_owned(),
            ));
        };
        match command {
            Command::Pause(paused) => replay.pause(*paused, now),
            Command::Pace(pace) => replay.pace(*pace, now),
            Command::Seek(at) => replay.seek(*at, &mut self.study)?,
            _ => {}
        }
        Ok(())
    }

    /// Which frames are meant; or of what is forgotten which.
    fn pick(&mut self, what: What, now: Instant) -> Result<Pick, (&'static str, u64)> {
        match what {
            What::Transaction(number) => {
                let t = self.study.transaction(number);
                Ok(Pick::Transaction(Box::new(
                    t.ok_or(("transaction", number))?,
                )))
            }
            What::Conversation(number) => {
                let t = self.study.log().find_conversation(number);
                let t = t.ok_or(("conversation", number))?;
                Ok(Pick::Conversation(t.client, t.server))
            }
            What::Frames(first, last) => Ok(Pick::Frames(first, last)),
            What::LastSeconds(seconds) => {
                let now = self.origin.now(now).unwrap_or_default();
                let from = now.plus(-1_000_000_000 * i64::from(seconds));
                Ok(Pick::Between(from, now))
            }
        }
    }

    /// The interfaces, as they are described where frames are saved.
    fn interfaces(&self) -> Vec<Description> {
        let about = self.origin.about();
        let described = |known: &Interface| Description {
            name: known.name.clone(),
            ..Description::of(LinkType(known.link_type))
        };
        about.interfaces.iter().map(described).collect()
    }

    fn forgotten(&self, kind: &str, number: u64) {
        self.tell(Message::Failed(format!(
            "{kind} {number} is no longer among the latest transactions in memory"
        )));
    }

    fn look_around(&mut self) {
        let now = Instant::now();
        for text in self.origin.news() {
            self.remarks.push(Remark {
                at: self.origin.now(now),
                text: Escaped(&text).to_string(),
            });
            let too_many = self.remarks.len().saturating_sub(REMARKS);
            self.remarks.drain(..too_many);
            self.changed = true;
        }
        while let Some(reply) = self.errands.reply() {
            self.tell(reply);
        }
        let surveyed = self.origin.is_surveyed();
        self.changed |= surveyed != std::mem::replace(&mut self.surveyed, surveyed);
        if self.wants_to_feed() && now >= self.next_feed() {
            self.feed(now);
        }
    }

    fn tell(&self, message: Message) {
        // If it is gone, the next look at its commands tells.
        let _ = self.messages.send(message);
    }

    fn wants_to_feed(&self) -> bool {
        self.changed || self.study.changed() || self.origin.is_moving()
    }

    /// When: where nothing but time passes, once a second will do.
    fn next_feed(&self) -> Instant {
        match self.changed || self.study.changed() {
            true => self.pulse.next(),
            false => self.pulse.next() + SECOND.saturating_sub(self.study.refresh()),
        }
    }

    fn feed(&mut self, now: Instant) {
        self.fed.retain(|feed| feed.strong_count() > 0);
        if self.fed.len() >= UNDER_WAY {
            self.pulse.skipped(now);
            return;
        }
        let about = self.origin.about();
        if *self.about != about {
            self.about = Arc::new(about);
        }
        let feed = Arc::new(Feed {
            now: self.origin.now(now),
            input: self.origin.input(&self.study),
            about: Arc::clone(&self.about),
            snapshot: self.study.snapshot(),
            recent: Arc::new(self.study.minutes()),
            ledgers: Arc::new(self.study.ledgers()),
            symptoms: Arc::new(self.study.symptoms()),
            counters: Arc::new(self.study.counters()),
            transactions: self.study.transactions(),
            transactions_forgotten: self.study.log().forgotten(),
            own: self.mirror.look(now),
            remarks: self.remarks.clone(),
        });
        self.changed = false;
        self.fed.push(Arc::downgrade(&feed));
        self.tell(Message::Fed(feed));
        if let Some(said) = self.pulse.made(Instant::now(), now.elapsed()) {
            self.tell(Message::Said(said));
        }
    }
}

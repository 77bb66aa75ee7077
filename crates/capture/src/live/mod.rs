//! Frames as they come: from interfaces, or from a capture that is written into a pipe.
//!
//! ```no_run
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use std::time::Duration;
//! use wirewait_capture::live::{self, Event, LiveOptions};
//! use wirewait_wire::Source;
//!
//! let opened = live::open(&["eth0".to_owned()], &LiveOptions::default())?;
//! // Rights are dropped here: capturing threads keep those of the thread that starts them.
//! let mut live = opened.start()?;
//! loop {
//!     match live.wait(Duration::from_millis(100)) {
//!         Event::Frames => while let Some(frame) = live.next_frame()? { /* ... */ },
//!         Event::Idle => { /* tell the analysis that it is `live.now()` */ }
//!         Event::Interface(change) => eprintln!("{change}"),
//!         Event::Damage(error) | Event::Remark(error) => eprintln!("{error}"),
//!         Event::End => break,
//!     }
//! }
//! # Ok(()) }
//! ```
//!
//! Every source has a thread that does nothing but copy frames into batches. There is a fixed
//! number of batches; while all of them wait to be read, the thread waits, too, and the
//! operating system drops what its buffer cannot hold. It counts that, and so memory is bounded
//! and no loss is hidden.

mod batch;
#[cfg(feature = "libpcap")]
mod device;
mod events;
#[cfg(feature = "libpcap")]
mod handle;
mod lanes;
#[cfg(feature = "libpcap")]
mod open;
mod pipe;
#[cfg(feature = "libpcap")]
mod system;
mod wall;
#[cfg(feature = "libpcap")]
mod worker;

use batch::Batch;
use lanes::Lanes;
use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};
use wall::Wall;
use wirewait_wire::{Frame, Source, SourceError, SourceErrorKind, Timestamp};

#[cfg(feature = "libpcap")]
pub use device::{Device, busiest, devices};
pub use events::{Change, Event, LiveError, LiveErrorKind, LiveInterface};
#[cfg(feature = "libpcap")]
pub use open::{Opened, open};
pub use pipe::{from_reader, from_stdin};

/// How often counters are read from the operating system.
const COUNT_EVERY: Duration = Duration::from_secs(1);

/// How to capture.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LiveOptions {
    /// Only frames that match, in the language of tcpdump; empty for all.
    pub filter: String,
    /// The most bytes kept of a frame.
    pub snaplen: u32,
    /// Bytes that the operating system may hold until they are fetched, for each interface.
    pub buffer: u32,
    /// Frames for others, too.
    pub promiscuous: bool,
    /// Each frame is handed on at once, which costs much more for each.
    pub immediate: bool,
    /// Which frames, by whether this machine sends them.
    pub direction: Direction,
}

impl Default for LiveOptions {
    fn default() -> Self {
        Self {
            filter: String::new(),
            snaplen: 65_535,
            buffer: 64 << 20,
            promiscuous: true,
            immediate: false,
            direction: Direction::Both,
        }
    }
}

/// Frames on their way in or out of this machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Direction {
    /// All.
    #[default]
    Both,
    /// Those that this machine does not send.
    In,
    /// Those that it sends.
    Out,
}

/// A capture under way: a [`Source`] whose [`next_frame`](Source::next_frame) says `None` when
/// no frame is at hand, and goes on after the next [`Event::Frames`].
pub struct Live {
    notes: Receiver<(usize, Note)>,
    lanes: Lanes,
    feeds: Vec<Feed>,
    interfaces: Vec<LiveInterface>,
    events: VecDeque<Event>,
    now: Instant,
    counted: Instant,
    stopped: Option<Instant>,
    clock: Option<(Timestamp, Instant)>,
    wall: Wall,
}

impl fmt::Debug for Live {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Live")
            .field("interfaces", &self.interfaces)
            .field("stopped", &self.stopped.is_some())
            .finish_non_exhaustive()
    }
}

/// What a source tells.
#[derive(Debug)]
enum Note {
    Frames(Batch),
    #[cfg(feature = "libpcap")]
    Gone(String),
    #[cfg(feature = "libpcap")]
    Back(wirewait_wire::LinkType, Option<u64>),
    /// The interfaces of a capture in a pipe, as far as they are known, and how many frames
    /// each had so far.
    Interfaces(Vec<(crate::Interface, u64)>),
    Damage(SourceError),
    Remark(SourceError),
    Ended,
}

/// The thread of one source, seen from outside.
struct Feed {
    ended: bool,
    control: Arc<Control>,
    /// The first of its interfaces. An interface has only one, a pipe comes alone.
    interface: usize,
    /// Makes a thread look up that waits for frames; a reader of a pipe cannot be woken.
    wake: Option<Box<dyn Fn() + Send>>,
}

/// What a source and its reader share.
#[derive(Debug, Default)]
struct Control {
    stop: AtomicBool,
    /// The thread was woken, and has not noticed yet.
    #[cfg(feature = "libpcap")]
    woken: AtomicBool,
    frames: AtomicU64,
    received: AtomicU64,
    dropped: AtomicU64,
    dropped_by_interface: AtomicU64,
}

impl Live {
    fn new(notes: Receiver<(usize, Note)>, lanes: Lanes) -> Self {
        let now = Instant::now();
        Self {
            notes,
            lanes,
            feeds: Vec::new(),
            interfaces: Vec::new(),
            events: VecDeque::new(),
            now,
            counted: now,
            stopped: None,
            clock: None,
            wall: Wall::now(),
        }
    }

    /// Waits until something happens, for `wait` at the most. Call it whenever there is no
    /// frame at hand.
    pub fn wait(&mut self, wait: Duration) -> Event {
        let deadline = Instant::now() + wait;
        loop {
            while let Ok((source, note)) = self.notes.try_recv() {
                self.take(source, note);
            }
            self.now = Instant::now();
            self.look_after_sources();
            if let Some(event) = self.events.pop_front() {
                return event;
            }
            if self.lanes.has_next(self.now) {
                return Event::Frames;
            }
            if self.feeds.iter().all(|feed| feed.ended) && self.lanes.is_empty() {
                return Event::End;
            }
            if self.now >= deadline {
                return Event::Idle;
            }
            let until = [self.lanes.due(), Some(self.now + self.next_look())]
                .into_iter()
                .flatten()
                .fold(deadline, Instant::min);
            match self.notes.recv_timeout(until - self.now) {
                Ok((source, note)) => self.take(source, note),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    for feed in &mut self.feeds {
                        feed.ended = true;
                    }
                    if self.lanes.is_empty() {
                        return Event::End;
                    }
                    std::thread::sleep(until - self.now);
                }
            }
        }
    }

    /// The time on the segment: that of the last frame, and what has passed since. `None`
    /// before the first one. The system's clock has no part in it, so it may be set meanwhile,
    /// and the capture in a pipe may be of any age.
    #[must_use]
    pub fn now(&self) -> Option<Timestamp> {
        let (at, since) = self.clock?;
        let passed = i64::try_from(since.elapsed().as_nanos()).unwrap_or(i64::MAX);
        Some(at.plus(passed))
    }

    /// Ends the capture. What was on the wire before still comes; then there is
    /// [`Event::End`].
    pub fn stop(&mut self) {
        if self.stopped.is_some() {
            return;
        }
        self.stopped = Some(Instant::now());
        for feed in &mut self.feeds {
            feed.control.stop.store(true, Ordering::Release);
            // Whoever reads a pipe may do so for ever.
            feed.ended |= feed.wake.is_none();
        }
    }

    /// Whether it is a capture that another program makes.
    #[must_use]
    pub fn is_pipe(&self) -> bool {
        self.feeds.iter().any(|feed| feed.wake.is_none())
    }

    /// Where frames are captured, by the number that `Frame::interface` has, with its counters
    /// as they stand.
    #[must_use]
    pub fn interfaces(&self) -> Vec<LiveInterface> {
        let mut interfaces = self.interfaces.clone();
        for feed in self.feeds.iter().filter(|feed| feed.wake.is_some()) {
            if let Some(interface) = interfaces.get_mut(feed.interface) {
                let read = |counter: &AtomicU64| Some(counter.load(Ordering::Relaxed));
                interface.frames = feed.control.frames.load(Ordering::Relaxed);
                interface.received = read(&feed.control.received);
                interface.dropped = read(&feed.control.dropped);
                interface.dropped_by_interface = read(&feed.control.dropped_by_interface);
            }
        }
        interfaces
    }

    fn take(&mut self, source: usize, note: Note) {
        let Some(feed) = self.feeds.get_mut(source) else {
            return;
        };
        match note {
            Note::Frames(batch) => self.lanes.arrive(source, batch),
            #[cfg(feature = "libpcap")]
            Note::Gone(why) => {
                let number = feed.interface;
                self.lanes.flows(source, false);
                self.changed(number, Some(why));
            }
            #[cfg(feature = "libpcap")]
            Note::Back(link, speed) => {
                let number = feed.interface;
                self.lanes.flows(source, true);
                if let Some(interface) = self.interfaces.get_mut(number) {
                    interface.link = link;
                    interface.speed = speed;
                }
                self.changed(number, None);
            }
            Note::Interfaces(known) => {
                self.interfaces = known
                    .iter()
                    .map(|(known, frames)| LiveInterface {
                        frames: *frames,
                        ..LiveInterface::from(known)
                    })
                    .collect();
            }
            Note::Damage(error) => self.events.push_back(Event::Damage(error)),
            Note::Remark(remark) => self.events.push_back(Event::Remark(remark)),
            Note::Ended => {
                feed.ended = true;
                self.lanes.flows(source, false);
            }
        }
    }

    #[cfg(feature = "libpcap")]
    fn changed(&mut self, number: usize, gone: Option<String>) {
        let Some(interface) = self.interfaces.get_mut(number) else {
            return;
        };
        interface.present = gone.is_none();
        self.events.push_back(Event::Interface(Change {
            interface: u32::try_from(number).unwrap_or(u32::MAX),
            name: interface.name.clone().unwrap_or_default(),
            gone,
        }));
    }

    /// Wakes the threads that wait for frames: each second, so that they read their counters,
    /// and often when they are to end.
    fn look_after_sources(&mut self) {
        if self.now.duration_since(self.counted) < self.next_look_every() {
            return;
        }
        self.counted = self.now;
        self.look_at_the_clock();
        for feed in self.feeds.iter().filter(|feed| !feed.ended) {
            if let Some(wake) = &feed.wake {
                wake();
            }
        }
    }

    /// Says that the system's clock was set: frames of interfaces are stamped by it.
    fn look_at_the_clock(&mut self) {
        let said = self.wall.look();
        if let Some(message) = said.filter(|_| !self.is_pipe()) {
            self.events.push_back(Event::Remark(SourceError {
                kind: SourceErrorKind::Damaged,
                name: "the system's clock".to_owned(),
                offset: None,
                message,
            }));
        }
    }

    fn next_look_every(&self) -> Duration {
        match self.stopped {
            None => COUNT_EVERY,
            Some(_) => Duration::from_millis(20),
        }
    }

    fn next_look(&self) -> Duration {
        self.next_look_every()
            .saturating_sub(self.now.duration_since(self.counted))
            .max(Duration::from_millis(1))
    }
}

impl Drop for Live {
    /// The threads end by themselves: nobody waits for them.
    fn drop(&mut self) {
        for feed in &self.feeds {
            feed.control.stop.store(true, Ordering::Release);
            if let Some(wake) = &feed.wake {
                wake();
            }
        }
    }
}

impl Source for Live {
    fn next_frame(&mut self) -> Result<Option<Frame<'_>>, SourceError> {
        let frame = self.lanes.next(self.now);
        if let Some(frame) = &frame {
            self.clock = Some((frame.at, self.now));
        }
        Ok(frame)
    }

    fn link_speed(&self, interface: u32) -> Option<u64> {
        self.interfaces.get(interface as usize)?.speed
    }

    fn lost(&self) -> Option<u64> {
        self.interfaces()
            .iter()
            .filter_map(LiveInterface::lost)
            .reduce(u64::saturating_add)
    }

    fn not_saved(&self) -> Option<u64> {
        self.interfaces
            .iter()
            .filter_map(|interface| interface.not_saved)
            .reduce(u64::saturating_add)
    }
}

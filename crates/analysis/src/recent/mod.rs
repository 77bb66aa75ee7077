//! The last minutes, second by second, for live views: the figures of a [`Snapshot`], restricted to
//! the latest part of the capture.
//!
//! [`Recent`] is a [`Sink`]: what is not requested costs nothing. Its [`History`] can be handed out
//! at any moment for the price of a pointer per second; a second that changes later is copied
//! first.
//!
//! [`Snapshot`]: crate::Snapshot

mod history;
mod second;
mod tally;
mod timing;

pub use history::{History, Missed, Window};
pub use second::Captured;
pub use tally::{End, Of, RecentParties, Tally, Transport};
pub use timing::RecentTiming;

use crate::{Notice, OperationKey, Sink, Transaction};
use second::Second;
use std::collections::VecDeque;
use std::sync::Arc;
use wirewait_wire::{Endpoint, Frame, Timestamp};

const SECOND_NS: i64 = 1_000_000_000;
/// Least step back of the clock that restarts the history, s; longer if more seconds are kept.
const STEP: i64 = 60;
/// Interfaces that are counted apart; frames of further ones count with the last.
const INTERFACES: usize = 256;

/// How much is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Seconds.
    pub seconds: u32,
    /// Rows in each second: servers, operations, clients and conversations to which something
    /// happened in it.
    pub rows: usize,
    /// Memory, bytes. The oldest seconds are given up early rather than to take more; only a
    /// single second may.
    pub bytes: usize,
}

/// Ten minutes in no more than 64 MiB.
impl Default for Limits {
    fn default() -> Self {
        Self {
            seconds: 600,
            rows: 2048,
            bytes: 64 << 20,
        }
    }
}

/// Keeps the last seconds of a capture.
#[derive(Debug)]
pub struct Recent {
    limits: Limits,
    history: History,
    /// Memory of each second, as it was when the next one began.
    held: VecDeque<usize>,
    /// Their sum.
    bytes: usize,
    /// The memory of a second that is over.
    spare: Option<Second>,
    /// Further addresses of clients, with the first one of each.
    channels: VecDeque<(Endpoint, Endpoint)>,
}

/// Further addresses of clients that are remembered.
const CHANNELS: usize = 1024;

impl Default for Recent {
    fn default() -> Self {
        Self::new(Limits::default())
    }
}

impl Recent {
    /// Nothing so far.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self {
            limits: Limits {
                seconds: limits.seconds.max(1),
                ..limits
            },
            history: History::default(),
            held: VecDeque::new(),
            bytes: 0,
            spare: None,
            channels: VecDeque::new(),
        }
    }

    /// Time passes without frames.
    pub fn advance(&mut self, now: Timestamp) {
        let second = number(now);
        if self.history.latest().is_none_or(|latest| latest < second) {
            self.open(second);
        }
        self.reaches(now);
    }

    /// The capture is over: its last second is as complete as it will be.
    pub fn finish(&mut self) {
        self.history.ended = true;
    }

    /// Memory that it takes, nearly, bytes: by this it keeps to [`Limits::bytes`].
    #[must_use]
    pub fn held(&self) -> usize {
        let latest = self.history.seconds.back();
        let spare = self.spare.as_ref().map_or(0, Second::held);
        self.bytes + latest.map_or(0, |second| second.held()) + spare
    }

    /// All that is kept, as it stands.
    #[must_use]
    pub fn history(&self) -> History {
        self.history.clone()
    }

    /// A frame came in this second.
    fn go_on(&mut self, second: i64) {
        let Some(latest) = self.history.latest() else {
            return self.open(second);
        };
        let room = i64::from(self.limits.seconds);
        let behind = latest.saturating_sub(second);
        if behind >= room.max(STEP) {
            // What was is no longer before what is.
            self.history.missed.restarts += 1;
            self.forget_all();
        }
        if behind < room && self.history.missed.seconds == 0 {
            while self.history.first > second {
                let earlier = self.empty();
                self.history.seconds.push_front(earlier);
                self.held.push_front(0);
                self.history.first -= 1;
            }
        }
        if behind < 0 || self.history.seconds.is_empty() {
            self.open(second);
        }
    }

    /// Makes this second the latest.
    fn open(&mut self, second: i64) {
        let room = i64::from(self.limits.seconds);
        let ahead = |latest: i64| second.saturating_sub(latest);
        if self.history.latest().is_none_or(|l| ahead(l) >= room) {
            self.forget_all();
            self.history.first = second;
            self.push();
        }
        while self.history.latest().is_some_and(|latest| latest < second) {
            if let (Some(latest), Some(held)) = (self.history.seconds.back(), self.held.back_mut())
            {
                *held = latest.held();
                self.bytes += *held;
            }
            self.push();
            self.bound();
        }
    }

    /// Gives up what is too old or too much.
    fn bound(&mut self) {
        let room = self.limits.seconds as usize;
        loop {
            let many = self.history.seconds.len() > room;
            let much = self.history.seconds.len() > 1 && self.bytes > self.limits.bytes;
            if !many && !much {
                return;
            }
            self.history.missed.seconds += u64::from(!many);
            self.history.first += 1;
            self.bytes -= self.held.pop_front().unwrap_or(0);
            let oldest = self.history.seconds.pop_front();
            self.spare = oldest.and_then(Arc::into_inner).or(self.spare.take());
        }
    }

    /// The history reaches to this moment.
    fn reaches(&mut self, at: Timestamp) {
        let (first, latest) = self.history.span.get_or_insert((at, at));
        *first = at.min(*first);
        *latest = at.max(*latest);
    }

    fn forget_all(&mut self) {
        self.history.span = None;
        self.history.seconds.clear();
        self.held.clear();
        self.bytes = 0;
    }

    fn push(&mut self) {
        let next = self.empty();
        self.history.seconds.push_back(next);
        self.held.push_back(0);
    }

    fn empty(&mut self) -> Arc<Second> {
        let mut second = self.spare.take().unwrap_or_default();
        second.clear();
        Arc::new(second)
    }

    /// The second of this moment, if it is still kept. A late event may be of a time before the
    /// clock was set back, which only looks like the future.
    fn second(&mut self, at: Timestamp) -> Option<&mut Second> {
        let at = number(at);
        match self.history.latest() {
            Some(latest) if at <= latest => {}
            Some(latest) if at.saturating_sub(latest) >= STEP => return None,
            _ => self.open(at),
        }
        let index = usize::try_from(at.checked_sub(self.history.first)?).ok()?;
        self.history.seconds.get_mut(index).map(Arc::make_mut)
    }
}

impl Sink for Recent {
    fn captured(&mut self, frame: &Frame<'_>, on_wire: u64) {
        let at = number(frame.at);
        if self.history.latest() != Some(at) {
            self.go_on(at);
        }
        self.reaches(frame.at);
        let interface = (frame.interface as usize).min(INTERFACES - 1);
        let captured = Captured {
            frames: 1,
            bytes: frame.wire_len.into(),
            on_wire,
        };
        match self.second(frame.at) {
            Some(second) => second.count(interface, captured),
            None => self.history.missed.frames += 1,
        }
    }

    fn transaction(&mut self, t: &Transaction) {
        let answered = t.response.map(|response| response.last.at);
        let Some(at) = answered.or(self.history.running()) else {
            self.history.missed.late += 1;
            return;
        };
        let room = self.limits.rows;
        let known = (self.channels.iter().copied()).find(|(one, _)| *one == t.client.station());
        let Some(second) = self.second(at) else {
            self.history.missed.late += 1;
            return;
        };
        let server = t.server.station();
        let client = t.client.station();
        let client = known.map_or(client, |(_, first)| first);
        let operation = OperationKey {
            server,
            protocol: t.protocol,
            carrier: t.carrier,
            command: t.operation.name,
            code: t.code,
            kind: t.kind,
        };
        let parties = RecentParties {
            client: t.client,
            server: t.server,
            protocol: t.protocol,
            carrier: t.carrier,
        };
        let mut missed = 0;
        for of in [
            Of::All,
            Of::Server(server),
            Of::Operation(operation),
            Of::Client(client),
            Of::Conversation(t.conversation),
        ] {
            let named = match of {
                Of::Conversation(number) => Some((number, parties)),
                _ => None,
            };
            let add = |tally: &mut Tally| tally.add(t, |kind| of.counts_times(kind));
            missed += u64::from(!second.change(of, room, named, add));
        }
        self.history.missed.rows += missed;
    }

    fn same_client(&mut self, client: Endpoint, first: Endpoint) {
        if self.channels.contains(&(client, first)) {
            return;
        }
        if self.channels.len() >= CHANNELS {
            self.channels.pop_front();
        }
        self.channels.push_back((client, first));
        for second in &mut self.history.seconds {
            if second.row(&Of::Client(client)).is_some() {
                Arc::make_mut(second).join(Of::Client(client), Of::Client(first));
            }
        }
    }

    fn noticed(&mut self, notice: &Notice) {
        if !Transport::hears(notice) {
            return;
        }
        let room = self.limits.rows;
        let Some(second) = self.second(notice.mark.at) else {
            self.history.missed.late += 1;
            return;
        };
        let conversation = notice.conversation.map(Of::Conversation);
        let mut missed = 0;
        for of in [Some(Of::All), conversation].into_iter().flatten() {
            let add = |tally: &mut Tally| {
                tally.transport.add(notice);
                if of != Of::All {
                    tally.transport.add_end(notice);
                }
            };
            missed += u64::from(!second.change(of, room, None, add));
        }
        self.history.missed.rows += missed;
    }
}

/// The number of the second of this moment, counted from 1970.
fn number(at: Timestamp) -> i64 {
    at.as_nanos().div_euclid(SECOND_NS)
}

#[cfg(test)]
mod tests;

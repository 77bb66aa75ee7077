//! Questions that a transport answers by itself, and what the answers and acknowledgements are samples of.

use crate::account::{BOTH_SHORTEST, DataThere, on_line};
use crate::bounds::{Bound, Hits};
use crate::flow::FULL;
use crate::table::Table;
use crate::world::{Reached, Seen};
use crate::{Mark, Notice, Noticed};
use wirewait_wire::{Carries, Cast, Endpoint, Facts, Numbered, NumberedKind, Order, Probe};

/// Questions that are open at once; the oldest goes when there are more.
pub(super) const OPEN: usize = 4096;

/// A question that the receiver's transport answers at once.
struct TripQuestion {
    at: Mark,
    /// Bytes of the frame.
    bytes: u32,
    /// What the answer acknowledges: of what opens a byte stream, and of data that polls.
    expects: Option<u32>,
    /// It asks with data, which is there when that is answered.
    data: bool,
    /// Asked more than once: which was answered cannot be told.
    repeated: bool,
}

/// Who asked whom, and on which of their connections.
type TripKey = (Endpoint, Endpoint, Option<(u16, u16)>);

/// Questions whose answers are awaited.
pub(crate) struct TripQuestions {
    open: Table<TripKey, TripQuestion>,
    pub(super) waiting: usize,
    pub(crate) hits: Hits,
}

/// How long a station's transport took to answer, or with what it acknowledged data.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TripSample {
    pub(super) station: Endpoint,
    /// Whom it answered.
    pub(super) other: Endpoint,
    /// When it was asked.
    pub(super) asked: Mark,
    pub(super) answered: Mark,
    /// Of both frames on the line.
    pub(super) bytes: u64,
    pub(super) shows: TripShows,
}

/// Data of which a sample shows that it is there.
#[derive(Clone, Copy, Debug)]
pub(super) struct DataShown {
    /// How many bytes had been sent behind it.
    pub(super) left: u32,
    /// How many are there that were not before; 0 where that is not known.
    pub(super) bytes: u32,
    /// Fewer than two full segments: some receivers keep them waiting for more, or for a timer.
    pub(super) may_wait: bool,
}

impl DataShown {
    const UNKNOWN: Self = Self {
        left: DataThere::UNKNOWN_LEFT,
        bytes: 0,
        may_wait: false,
    };
}

/// What a sample says of the way.
#[derive(Clone, Copy, Debug)]
pub(super) enum TripShows {
    /// It is as long: the transport answered by itself. `data`: some came with the question.
    Length { data: Option<DataShown> },
    /// It is no longer: data was acknowledged by itself, at once or later. `single`: its bytes, where that was one segment, else
    /// 0; `left`: bytes that were sent behind it.
    Late { single: u32, left: u32 },
    /// It is no longer: data was acknowledged with the next that was sent.
    AtMost,
    /// Messages of the station wait for the other's acknowledgement of what was before them, ns; 0 if they do not.
    Waits(u64),
    /// It is no shorter: somebody on the link answered for the station.
    AtLeast,
}

impl TripQuestions {
    pub(crate) fn new() -> Self {
        Self {
            open: Table::new(OPEN),
            waiting: 0,
            hits: Hits::NONE,
        }
    }

    /// Whether the frame may ask or answer something: nearly none does.
    #[inline]
    pub(crate) fn concern(&self, seen: &Seen<'_>) -> bool {
        match seen.walk.facts.order {
            Order::Stream(segment) => segment.syn || self.waiting > 0,
            Order::Numbered(n) => n.poll || self.waiting > 0,
            Order::None => matches!(seen.walk.facts.carries, Carries::Probe(_)),
        }
    }

    /// A frame came that may [concern](Self::concern) them: what it answers.
    pub(crate) fn seen(&mut self, seen: &Seen<'_>) -> Option<TripSample> {
        let mut sample = None;
        // Nearly always nothing waits for an answer, and then none is looked for.
        let facts = &seen.walk.facts;
        let (from, to) = (&facts.from, &facts.to);
        let frame = (seen.mark, seen.frame.wire_len);
        match facts.order {
            Order::Stream(segment) => {
                if let Some(ack) = segment.ack.filter(|_| self.waiting > 0) {
                    sample = self.answer((*to, *from, None), frame, Some(ack));
                }
                if segment.syn {
                    let expects = Some(segment.seq.wrapping_add(1));
                    self.ask((*from, *to, None), frame, (expects, false));
                }
            }
            Order::Numbered(n) => {
                let forth = n.connection.map(|c| (c.from, c.to));
                let back = n.connection.map(|c| (c.to, c.from));
                // LLC answers a poll with the final bit; SPX and its like with any
                // packet that says what is expected and asks for nothing.
                let ready = n.kind == NumberedKind::Ready;
                let answers = match n.connection {
                    None => n.response && n.poll,
                    Some(_) => ready && !n.poll,
                };
                if answers && self.waiting > 0 {
                    let expects = n.expects.map(u32::from);
                    sample = self.answer((*to, *from, back), frame, expects);
                } else if n.poll && !n.response {
                    // The answer to a copy of an earlier poll does not acknowledge this one.
                    let behind = (u32::from(n.number) + 1) % n.modulus.max(1);
                    let data = n.kind == NumberedKind::Data;
                    let expects = data.then_some(behind);
                    // LLC answers at once; over IPX an answer may wait.
                    let data = data && n.connection.is_none();
                    self.ask((*from, *to, forth), frame, (expects, data));
                }
            }
            Order::None => {
                if let Carries::Probe(probe) = facts.carries {
                    sample = self.probed(seen, probe);
                }
            }
        }
        sample
    }

    /// What this frame of a connection asks may be answered by what says something else.
    #[cold]
    pub(crate) fn take_back(&mut self, facts: &Facts) {
        let Order::Numbered(Numbered {
            connection: Some(c),
            ..
        }) = facts.order
        else {
            return;
        };
        let place = self
            .open
            .find(&(facts.from, facts.to, Some((c.from, c.to))));
        if place.and_then(|place| self.open.take(place)).is_some() {
            self.waiting = self.waiting.saturating_sub(1);
        }
    }

    /// A station is asked for a sign of life, or gives one.
    #[cold]
    fn probed(&mut self, seen: &Seen<'_>, probe: Probe) -> Option<TripSample> {
        let facts = &seen.walk.facts;
        // What is for a group may wait on its way, until all that sleep listen (IEEE 802.11, 11.2.3).
        if facts.cast != Cast::Unicast {
            return None;
        }
        let (from, to) = (facts.from, facts.to);
        let number = Some(((probe.number >> 16) as u16, probe.number as u16));
        let frame = (seen.mark, seen.frame.wire_len);
        if !probe.answers {
            self.ask((from, to, number), frame, (None, false));
            return None;
        }
        let sample = self.answer((to, from, number), frame, None)?;
        Some(match probe.of {
            None => sample,
            Some(address) => TripSample {
                station: Endpoint::at(address),
                shows: TripShows::AtLeast,
                ..sample
            },
        })
    }

    /// A message of these bytes asks a station for a sign of life, or gives one.
    #[cold]
    pub(crate) fn message(
        &mut self,
        facts: &Facts,
        (answers, number): (bool, Option<u16>),
        (at, bytes): (Mark, u32),
    ) -> Option<TripSample> {
        if facts.cast != Cast::Unicast {
            return None;
        }
        let (from, to) = (facts.from, facts.to);
        let frame = (at, u32::try_from(on_line(bytes.into())).unwrap_or(bytes));
        let number = Some((u16::MAX, number.unwrap_or(0)));
        if answers {
            return self.answer((to, from, number), frame, None);
        }
        self.ask((from, to, number), frame, (None, false));
        None
    }

    #[inline(never)]
    pub(super) fn ask(
        &mut self,
        key: TripKey,
        (at, bytes): (Mark, u32),
        (expects, data): (Option<u32>, bool),
    ) {
        let found = self.open.find(&key).and_then(|p| self.open.get_mut(p));
        if let Some(question) = found {
            question.repeated = true;
            (question.expects, question.data) = (expects, data);
            return;
        }
        let question = TripQuestion {
            at,
            bytes,
            expects,
            data,
            repeated: false,
        };
        match self.open.insert(key, question) {
            (_, None) => self.waiting += 1,
            (_, Some(_)) => self.hits.hit(Bound::Questions),
        }
    }

    /// This frame answers what was asked.
    #[inline(never)]
    fn answer(
        &mut self,
        key: TripKey,
        (at, bytes): (Mark, u32),
        acknowledges: Option<u32>,
    ) -> Option<TripSample> {
        let place = self.open.find(&key)?;
        let fits = |question: &mut TripQuestion| {
            let both = acknowledges.zip(question.expects);
            both.is_none_or(|(a, expects)| a == expects)
        };
        if !self.open.get_mut(place).is_some_and(fits) {
            return None;
        }
        let question = self.open.take(place)?;
        self.waiting = self.waiting.saturating_sub(1);
        if question.repeated {
            return None;
        }
        Some(TripSample {
            station: key.1.station(),
            other: key.0,
            asked: question.at,
            answered: at,
            bytes: u64::from(question.bytes) + u64::from(bytes),
            shows: TripShows::Length {
                data: question.data.then_some(DataShown::UNKNOWN),
            },
        })
    }
}

/// Bytes that are not acknowledged yet, of those that were outstanding.
fn left(outstanding: u64, acknowledged: u64) -> u32 {
    u32::try_from(outstanding.saturating_sub(acknowledged)).unwrap_or(DataThere::UNKNOWN_LEFT)
}

impl TripSample {
    /// What the acknowledgement of a message says of the way.
    #[cold]
    pub(crate) fn acknowledged(reached: &Reached) -> Self {
        let Reached {
            ends: [by, other],
            at,
            sent,
            bytes,
        } = *reached;
        Self {
            station: by.station(),
            other,
            asked: sent,
            answered: at,
            bytes: on_line(bytes) + BOTH_SHORTEST / 2,
            shows: TripShows::Length {
                data: Some(DataShown::UNKNOWN),
            },
        }
    }

    /// Messages of the first of these wait for so long.
    #[cold]
    pub(crate) fn waits([station, other]: [Endpoint; 2], at: Mark, ns: u64) -> Self {
        Self {
            station: station.station(),
            other,
            asked: at,
            answered: at,
            bytes: 0,
            shows: TripShows::Waits(ns),
        }
    }

    /// What an acknowledgement says of the way, if a transport sent it.
    pub(crate) fn of(notice: &Notice) -> Option<Self> {
        let Noticed::Acknowledged {
            bare,
            message: false,
            frames,
            last_bytes,
            outstanding,
            sent: Some(frame),
            after_ns,
            at_once,
            ..
        } = notice.what
        else {
            return None;
        };
        // Of several frames only the last is sure to have been on its way for so long.
        let bytes = match bare {
            true => on_line(last_bytes.into()) + BOTH_SHORTEST / 2,
            false => last_bytes.into(),
        };
        Some(Self {
            station: notice.from.station(),
            other: notice.to,
            asked: Mark {
                frame,
                at: notice.mark.at.plus(-after_ns),
            },
            answered: notice.mark,
            bytes,
            shows: match (at_once, bare) {
                (true, _) => TripShows::Length {
                    data: Some(DataShown {
                        left: left(outstanding, notice.bytes),
                        bytes: u32::try_from(notice.bytes).unwrap_or(0),
                        // Segments that are all as long are full, however long that is.
                        may_wait: notice.bytes < 2 * FULL
                            && u64::from(frames) * u64::from(last_bytes) != notice.bytes,
                    }),
                },
                (false, true) => TripShows::Late {
                    single: if frames == 1 { last_bytes } else { 0 },
                    left: left(outstanding, notice.bytes),
                },
                (false, false) => TripShows::AtMost,
            },
        })
    }
}

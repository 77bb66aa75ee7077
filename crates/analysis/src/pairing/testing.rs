//! A conversation of one client and one server, message by message. Times are in milliseconds; each
//! message is a frame.

use super::*;
use crate::account::{Phase, SURE, UNNUMBERED};
use crate::assembler::Rooms;
use crate::clock::Steps;
use crate::names::KnownNames;
use crate::trail::Trace;
use crate::turns::Said;
use crate::world::{Shared, WaitEvent};
use crate::{Outcome, Settings, Transaction};
use std::cell::{Cell, RefCell};
use std::sync::Arc;
use wirewait_wire::{Endpoint, Exchange, Input, Kind, Operation, Registry, Side};

pub(super) const CLIENT: usize = 0;
pub(super) const SERVER: usize = 1;

/// What was told of a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Heard {
    /// The request of this frame is answered.
    Answered(u64),
    /// Nobody waits for it any more since then.
    Ends(u64, i64),
    /// It is closed like this; of a response without a request, by the frame of that.
    Closed(u64, Outcome),
}

pub(super) struct Bench {
    pub(super) pairing: Pairing,
    pub(super) between: Between,
    /// The moment that has surely passed.
    pub(super) sure: i64,
    pub(super) steps: Steps,
    pub(super) heard: Vec<Heard>,
    /// How many responses counted as those without a request.
    pub(super) orphans: u64,
    /// From when to when something was lost.
    pub(super) lost: Vec<(i64, i64)>,
    /// How much of what requests took was loss recovery, ms.
    pub(super) recovered: i64,
    /// How long request and response may have been lost, of the request whose wait ended last.
    pub(super) unsure: [i64; 2],
    /// Until when somebody waited for those that were closed without a response, by their frames, ms.
    pub(super) gave_up: Vec<(u64, i64)>,
    /// As they were closed.
    pub(super) closed: Vec<Transaction>,
    pub(super) shared: Shared,
    pub(super) frame: u64,
}

pub(super) fn at(ms: i64) -> Timestamp {
    Timestamp::from_nanos(ms * 1_000_000)
}

/// A request, or the response to one, with this identifier.
pub(super) fn exchange(role: Role, id: u8) -> Exchange {
    static READ: Operation = Operation::new("READ", Kind::Read, false);
    let sender = match role {
        Role::Request => Side::Client,
        _ => Side::Server,
    };
    let mut x = Exchange::new(role, sender, &READ, 1);
    x.id = Some(Id::new(1, id.into()));
    x
}

impl Bench {
    /// Frames are not put in order below.
    pub(super) fn new() -> Self {
        let mut pairing = Pairing::default();
        pairing.restart(false, false);
        Self {
            pairing,
            between: Between {
                ends: [1, 9].map(|n| Endpoint::mac([2, 0, 0, 0, 0, n])),
                server: SERVER,
                carrier: "toy_link",
                conversation: 1,
                unordered: true,
                unsure: UNNUMBERED,
                stream: false,
                mid_capture: false,
                one_sided: false,
                turns: false,
                named: false,
                everyone: false,
                displaced: false,
                held_back: false,
                seen_to: u64::MAX,
                lost: Default::default(),
            },
            sure: 0,
            steps: Steps::default(),
            heard: Vec::new(),
            orphans: 0,
            lost: Vec::new(),
            recovered: 0,
            unsure: [SURE; 2],
            gave_up: Vec::new(),
            closed: Vec::new(),
            shared: Shared {
                registry: Arc::new(Registry::new(&[]).unwrap()),
                names: RefCell::new(KnownNames::new(8, false)),
                settings: Settings::default(),
                spare: RefCell::default(),
                rooms: Rooms::default(),
                steps: Default::default(),
                suspect: Cell::new(0),
                tick_ns: Cell::new(0),
                metered: true,
            },
            frame: 0,
        }
    }

    /// A frame with a request at that time.
    pub(super) fn asks(&mut self, id: u8, ms: i64) {
        self.says(CLIENT, exchange(Role::Request, id), ms);
    }

    /// A frame with a response.
    pub(super) fn answers(&mut self, id: u8, ms: i64) {
        self.says(SERVER, exchange(Role::Response, id), ms);
    }

    /// A frame with a question that any station may answer, to the station with this number, or to everyone.
    pub(super) fn asks_of(&mut self, station: Option<u8>, id: u8, ms: i64) {
        self.between.everyone = station.is_none();
        self.between.ends[SERVER] = Endpoint::mac([2, 0, 0, 0, 0, station.unwrap_or(255)]);
        let mut x = exchange(Role::Request, id);
        (x.anyone, x.repeats) = (true, true);
        self.says(CLIENT, x, ms);
    }

    /// The response of that station.
    pub(super) fn answers_as(&mut self, station: u8, id: u8, ms: i64) {
        self.between.ends[SERVER] = Endpoint::mac([2, 0, 0, 0, 0, station]);
        let mut x = exchange(Role::Response, id);
        x.anyone = true;
        self.says(SERVER, x, ms);
    }

    /// A frame with a request, its timestamp slightly lower than that of a frame before it.
    pub(super) fn asks_late(&mut self, id: u8, ms: i64) {
        self.between.displaced = true;
        self.asks(id, ms);
        self.between.displaced = false;
    }

    /// Another part of the message in the latest frame.
    pub(super) fn goes_on(&mut self, side: usize, x: Exchange, ms: i64) {
        self.frame -= 1;
        self.says(side, x, ms);
    }

    pub(super) fn says(&mut self, side: usize, mut x: Exchange, ms: i64) {
        self.frame += 1;
        let mark = Mark {
            frame: self.frame,
            at: at(ms),
        };
        let mut tally = PieceTally::new(mark);
        (tally.frames, tally.bytes) = (1, 10);
        let message = Message {
            dissector: None,
            input: Input::whole(&[]),
            exchange: Some(&mut x),
            malformed: false,
            tally,
            serial: self.frame,
            range: (0, 0),
            trace: Trace::default(),
            said: Said::New,
        };
        self.with(|pairing, between, world, events| {
            pairing.message(side, &message, between, world, events);
        });
    }

    pub(super) fn expire(&mut self, ms: i64) {
        self.with(|pairing, between, world, events| {
            pairing.expire(at(ms), between, world, events);
        });
    }

    /// This side acknowledges all that was sent to it.
    pub(super) fn acknowledges(&mut self, side: usize) {
        self.with(|pairing, between, world, events| {
            pairing.close_acknowledged(1 - side, between, world, events, |_| true);
        });
    }

    pub(super) fn finish(&mut self, ms: i64) {
        self.with(|pairing, between, world, events| {
            pairing.finish(at(ms), between, world, events);
        });
    }

    /// The server, or the client, repeats a frame of its first message; `had` where that had been
    /// acknowledged.
    pub(super) fn repeats(&mut self, side: usize, mark: Mark, had: bool) {
        let frame = RepeatedFrame {
            side,
            mark,
            again: true,
            had,
        };
        self.with(|pairing, _, _, events| assert!(pairing.repeated(0, frame, 0, events)));
    }

    /// The server's transport acknowledges the request with this number.
    pub(super) fn hears_of(&mut self, serial: u64) {
        self.with(|pairing, _, _, events| {
            assert!(pairing.acknowledged((serial, true), 0, events));
        });
    }

    /// This side closes the connection.
    pub(super) fn leaves(&mut self, side: usize, ms: i64) {
        self.frame += 1;
        let mark = Mark {
            frame: self.frame,
            at: at(ms),
        };
        self.with(|pairing, between, world, events| {
            pairing.leaves(side, mark, between, world, events);
        });
    }

    fn with(&mut self, act: impl FnOnce(&mut Pairing, &Between, &World<'_>, &mut Listener<'_>)) {
        self.shared.steps.set(&self.steps);
        let world = World {
            shared: &self.shared,
            sure: at(self.sure),
            open: 0,
            held: 0,
            over: false,
            observed: false,
        };
        let gave_up = &mut self.gave_up;
        let (heard, closed) = (&mut self.heard, &mut self.closed);
        let (orphans, lost) = (&mut self.orphans, &mut self.lost);
        let (recovered, unsure) = (&mut self.recovered, &mut self.unsure);
        let asked = |t: &Transaction| t.request.or(t.response).map_or(0, |e| e.first.frame);
        let mut events = |event: Event<'_>| match event {
            Event::Answered(case) => heard.push(Heard::Answered(asked(case.transaction))),
            Event::Ends(wait, at, outstanding) => {
                *unsure = outstanding.map_or([SURE; 2], |outstanding| outstanding.unsure);
                let mut from = wait.began;
                for (phase, end) in outstanding.iter().flat_map(|o| o.phases()) {
                    if phase == Phase::Retransmission {
                        *recovered += end.since(from) / 1_000_000;
                    }
                    from = end;
                }
                let ms = at.as_nanos() / 1_000_000;
                heard.push(Heard::Ends(asked(wait.case.transaction), ms));
            }
            Event::Happens(wait, WaitEvent::Lost(at)) => {
                lost.push((wait.began.as_nanos() / 1_000_000, at.as_nanos() / 1_000_000));
            }
            Event::GaveUp(t, end) => gave_up.push((asked(t), end.as_nanos() / 1_000_000)),
            Event::Orphaned(..) => *orphans += 1,
            Event::Closed(case, _) => {
                let t = case.transaction;
                heard.push(Heard::Closed(asked(t), t.outcome));
                closed.push(t.clone());
            }
            _ => {}
        };
        act(
            &mut self.pairing,
            &self.between,
            &world,
            &mut Listener(&mut events),
        );
    }
}

/// Hears what a pairing tells.
struct Listener<'a>(&'a mut dyn FnMut(Event<'_>));

impl Events for Listener<'_> {
    fn tell(&mut self, event: Event<'_>) {
        (self.0)(event);
    }
}

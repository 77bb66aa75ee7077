//! Messages on their way: frame by frame over cables and routers, acknowledged or not.

use super::map::Way;
use super::run::{Event, Simulation};
use super::worker::Worker;
use crate::scenario::carrier::{Context, Delivery, Kind, TO_SERVER, Unit};
use crate::scenario::error::Fault;
use crate::scenario::net::MOST_HOPS;
use crate::scenario::play::Talk;
use crate::scenario::wire::Wire;
use crate::scenario::words::{Options, Word};

/// A message on its way.
#[derive(Clone, Debug)]
pub(super) struct Flight {
    pub(super) worker: usize,
    pub(super) number: u64,
    pub(super) direction: usize,
    pub(super) purpose: Purpose,
    pub(super) units: Vec<Unit>,
    pub(super) arrived: usize,
    /// It does not get past the first cable.
    pub(super) lost: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    Request,
    Busy,
    Answer,
    /// Acknowledges; the flight and its unit that may go on then.
    Ack(Option<(usize, usize)>),
}

impl Simulation<'_> {
    pub(super) fn launch(&mut self, now: i64, flight: Flight) {
        let number = match self.landed.pop() {
            Some(number) => {
                self.flights[number] = flight;
                number
            }
            None => {
                self.flights.push(flight);
                self.flights.len() - 1
            }
        };
        let first = Event::Offer {
            flight: number,
            unit: 0,
            hop: 0,
        };
        self.plan(now, first);
    }

    /// A frame goes onto a cable as soon as that is free.
    pub(super) fn offer(
        &mut self,
        now: i64,
        number: usize,
        unit: usize,
        hop: usize,
    ) -> Result<(), Fault> {
        let flight = &self.flights[number];
        let station = &self.workers[flight.worker];
        let place = station.job.place;
        let (cable, sender) = station.leg(flight.direction, hop);
        let pace = station.job.wishes.pace;
        let window = station.job.wishes.window;
        let talk = &mut self.floor.talks[station.job.talk];
        let ends = [talk.client, talk.server];
        let mut nowhere = Wire::default();
        let mut context = Context {
            settings: &self.floor.map.views[cable],
            wire: &mut nowhere,
            place,
        };
        let frame = match flight.units.get(unit) {
            Some(unit) => {
                let plain = Delivery::default();
                let conversation = &mut talk.conversation;
                conversation.frame(&context, flight.direction, now, unit, &plain)?
            }
            None => acknowledgement(talk, &mut context, flight.direction, now)?,
        };
        let bytes = frame.len();
        // Routers send under numbers that no station has.
        let sender = sender.map_or(ends[flight.direction], |router| usize::MAX - router);
        let passed = self.cables[cable].send(now, sender, bytes);
        let (from, to) = (ends[flight.direction], ends[1 - flight.direction]);
        self.floor.wire.tune(self.floor.map.interfaces[cable]);
        self.floor.wire.put(passed, from, to, frame);
        let (lost, last) = (flight.lost, unit + 1 >= flight.units.len());
        if flight.purpose == Purpose::Request && (unit, hop) == (0, 0) {
            self.workers[flight.worker].sent(flight.number, passed);
        }
        if !lost {
            let there = Event::Arrive {
                flight: number,
                unit,
                hop,
                bytes,
            };
            self.plan(passed, there);
        }
        if hop == 0 && !last {
            let full = window.is_some_and(|window| (unit + 1).is_multiple_of(window));
            if lost || !full {
                let next = Event::Offer {
                    flight: number,
                    unit: unit + 1,
                    hop,
                };
                self.plan(passed.saturating_add(pace), next);
            }
        } else if lost {
            self.landed.push(number);
        }
        Ok(())
    }

    /// A frame has passed a cable: a router takes it, or it is there.
    pub(super) fn arrive(
        &mut self,
        now: i64,
        number: usize,
        unit: usize,
        hop: usize,
        bytes: usize,
    ) -> Result<(), Fault> {
        let flight = &mut self.flights[number];
        let station = &self.workers[flight.worker];
        if let Some(router) = station.router(flight.direction, hop) {
            if hop < usize::from(MOST_HOPS) {
                let onward = self.routers[router].take(now, bytes);
                let hop = hop + 1;
                let next = Event::Offer {
                    flight: number,
                    unit,
                    hop,
                };
                self.plan(onward, next);
            } else if unit + 1 >= flight.units.len() {
                // It has passed as many as it may: this one gives it up.
                self.landed.push(number);
            }
            return Ok(());
        }
        flight.arrived += 1;
        let (worker, direction) = (flight.worker, flight.direction);
        let wishes = &station.job.wishes;
        let talk = &mut self.floor.talks[station.job.talk];
        if let Some(unit) = flight.units.get(unit) {
            talk.conversation.arrive(direction, now, unit);
        }
        let (purpose, arrived) = (flight.purpose, flight.arrived);
        let last = arrived >= flight.units.len();
        let full = wishes
            .window
            .is_some_and(|window| arrived.is_multiple_of(window));
        let wanted = match (last, purpose) {
            (_, Purpose::Ack(_)) => None,
            (false, _) if full => Some(Some((number, arrived))),
            (true, _) if wishes.acks => Some(None),
            _ => None,
        };
        let about = flight.number;
        if last {
            flight.units = Vec::new();
            self.landed.push(number);
        }
        let wanted = wanted.filter(|_| ack_words(talk.conversation.kind()).is_some());
        if let Some(onward) = wanted {
            let ack = Flight {
                worker,
                number: about,
                direction: 1 - direction,
                purpose: Purpose::Ack(onward),
                units: Vec::new(),
                arrived: 0,
                lost: false,
            };
            self.launch(now, ack);
        } else if !last && full {
            // Nothing acknowledges here (IPX, LAST): the sender goes on by itself.
            self.plan(
                now,
                Event::Offer {
                    flight: number,
                    unit: arrived,
                    hop: 0,
                },
            );
        }
        match purpose {
            Purpose::Ack(Some((flight, unit))) => {
                self.plan(
                    now,
                    Event::Offer {
                        flight,
                        unit,
                        hop: 0,
                    },
                );
            }
            Purpose::Request if last => return self.requested(now, worker, about),
            Purpose::Busy if last => self.workers[worker].told_to_wait(about),
            Purpose::Answer if last => self.answered(now, worker, about),
            _ => {}
        }
        Ok(())
    }
}

/// How a carrier acknowledges with a frame of its own.
fn ack_words(kind: Kind) -> Option<(&'static str, &'static str)> {
    Some(match kind {
        Kind::Nbf => ("llc", "rr"),
        Kind::Spp => ("spp", "ack"),
        Kind::Nbipx => ("nbipx", "ack"),
        Kind::Tcp => ("tcp", "ack"),
        Kind::Nsp => ("nsp", "ack"),
        _ => return None,
    })
}

fn acknowledgement(
    talk: &mut Talk,
    context: &mut Context<'_>,
    direction: usize,
    now: i64,
) -> Result<Vec<u8>, Fault> {
    let place = context.place;
    let Some((protocol, verb)) = ack_words(talk.conversation.kind()) else {
        return Ok(Vec::new());
    };
    let word = |text: &str| Word {
        text: text.to_owned(),
        place,
    };
    let plain = Options::new(&[], place, 0);
    let conversation = &mut talk.conversation;
    conversation.upkeep(
        context,
        direction,
        now,
        &word(protocol),
        &word(verb),
        &plain,
    )?;
    Ok(std::mem::take(context.wire)
        .into_frames()
        .next()
        .unwrap_or_default())
}

/// Responses take the path of the requests in reverse.
impl Worker {
    /// The cable of a leg, and the router that sends there (none: the station or the server).
    fn leg(&self, direction: usize, hop: usize) -> (usize, Option<usize>) {
        let Way { cables, routers } = &self.way;
        if direction == TO_SERVER {
            let router = hop.checked_sub(1).and_then(|before| routers.get(before));
            (cables[hop], router.copied())
        } else {
            let cable = cables[cables.len() - 1 - hop];
            let router = hop
                .checked_sub(1)
                .map(|before| routers[routers.len() - 1 - before]);
            (cable, router)
        }
    }

    /// The router at the end of a leg, if the way goes on.
    fn router(&self, direction: usize, hop: usize) -> Option<usize> {
        let routers = &self.way.routers;
        if direction == TO_SERVER {
            return routers.get(hop).copied();
        }
        let at = routers.len().checked_sub(1 + hop)?;
        routers.get(at).copied()
    }
}

//! The events: frames are offered to cables and arrive, servers finish, stations go on.

use super::cable::{Cable, Forwarder};
use super::desk::Desk;
use super::map::{Map, Way, way};
use super::worker::{Next, Worker, chance};
use super::{By, Call, Job, speech};
use crate::prng::Random;
use crate::scenario::carrier::{Context, Delivery, Kind, TO_SERVER, Unit};
use crate::scenario::error::{Fault, Place};
use crate::scenario::net::MOST_HOPS;
use crate::scenario::play::Talk;
use crate::scenario::station::Settings;
use crate::scenario::syntax::Message;
use crate::scenario::wire::Wire;
use crate::scenario::words::{Options, Word, split};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use wirewait_wire::Timestamp;

/// More events, or more kept bytes, than this are a mistake in a number.
const MOST_EVENTS: u64 = 3_000_000;
const MOST_BYTES: usize = 256 << 20;

/// Time for setting a connection up before the first request.
const SETTLE: i64 = 2_000_000;

/// What stations at work share.
pub(in crate::scenario) struct Floor<'a> {
    pub(in crate::scenario) settings: &'a Settings,
    pub(in crate::scenario) map: &'a Map,
    pub(in crate::scenario) wire: &'a mut Wire,
    pub(in crate::scenario) random: &'a mut Random,
    pub(in crate::scenario) talks: &'a mut [Talk],
}

/// Lets the stations work until all are done. Gives what their programs measured.
pub(in crate::scenario) fn play(floor: Floor<'_>, jobs: Vec<Job>) -> Result<Vec<Call>, Fault> {
    let settings = floor.settings;
    let routers = settings.net.routers.iter();
    let mut simulation = Simulation {
        cables: floor.map.cables.iter().map(Cable::new).collect(),
        routers: routers
            .map(|router| Forwarder::new(router.forward, router.delay))
            .collect(),
        desks: Vec::new(),
        workers: Vec::new(),
        flights: Vec::new(),
        landed: Vec::new(),
        events: BinaryHeap::new(),
        serial: 0,
        calls: Vec::new(),
        floor,
    };
    for job in jobs {
        simulation.engage(job)?;
    }
    simulation.run()?;
    Ok(simulation.calls)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// A station makes its next request.
    Turn { worker: usize },
    /// A frame wants onto a cable of its way.
    Offer {
        flight: usize,
        unit: usize,
        hop: usize,
    },
    /// Its last bit has passed that cable.
    Arrive {
        flight: usize,
        unit: usize,
        hop: usize,
        bytes: usize,
    },
    /// The server is done with a request.
    Served { worker: usize, number: u64 },
    /// The server answers.
    Answer { worker: usize, number: u64 },
    /// The station has waited long enough.
    Timeout { worker: usize, number: u64 },
}

/// A message on its way.
#[derive(Clone, Debug)]
struct Flight {
    worker: usize,
    number: u64,
    direction: usize,
    purpose: Purpose,
    units: Vec<Unit>,
    arrived: usize,
    /// It does not get past the first cable.
    lost: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    Request,
    Busy,
    Answer,
    /// Acknowledges; the flight and its unit that may go on then.
    Ack(Option<(usize, usize)>),
}

struct Simulation<'a> {
    floor: Floor<'a>,
    cables: Vec<Cable>,
    routers: Vec<Forwarder>,
    desks: Vec<Desk>,
    workers: Vec<Worker>,
    flights: Vec<Flight>,
    /// Places of flights that are over.
    landed: Vec<usize>,
    /// Earliest first; what was planned first goes first.
    events: BinaryHeap<Reverse<(i64, u64, Event)>>,
    serial: u64,
    calls: Vec<Call>,
}

impl Simulation<'_> {
    fn engage(&mut self, job: Job) -> Result<(), Fault> {
        let talk = &self.floor.talks[job.talk];
        let (client, server, kind) = (talk.client, talk.server, talk.conversation.kind());
        let settings = self.floor.settings;
        let there = way(settings, client, server, job.place)?;
        if kind != Kind::Ipx && !there.routers.is_empty() {
            return Err(job.place.fault("only ipx stations can be behind routers"));
        }
        if !matches!(
            kind,
            Kind::Ipx | Kind::Nbf | Kind::Spp | Kind::Tcp | Kind::Nbipx
        ) {
            return Err(job
                .place
                .fault("only ipx, nbf, spp, nbipx and tcp stations can work"));
        }
        let known = self.desks.iter().position(|desk| desk.server == server);
        let desk = known.map_or_else(
            || -> Result<usize, Fault> {
                let services = &settings.net.services;
                let service = services.iter().find(|service| service.server == server);
                let service = service.ok_or_else(|| {
                    let name = &settings.stations[server].name;
                    let fault = format!("how long `{name}` takes is not said: service {name} ...");
                    job.place.fault(fault)
                })?;
                self.desks.push(Desk::new(service.clone()));
                Ok(self.desks.len() - 1)
            },
            Ok,
        )?;
        let name = settings.stations[client].name.clone();
        let from = job.from;
        self.workers.push(Worker::new(job, name, desk, there));
        let worker = self.workers.len() - 1;
        self.plan(from, Event::Turn { worker });
        Ok(())
    }

    fn plan(&mut self, at: i64, event: Event) {
        self.serial += 1;
        self.events.push(Reverse((at, self.serial, event)));
    }

    fn run(&mut self) -> Result<(), Fault> {
        let mut count = 0;
        while let Some(Reverse((now, _, event))) = self.events.pop() {
            count += 1;
            if count > MOST_EVENTS || self.floor.wire.bytes() > MOST_BYTES {
                let place = self.workers[0].job.place;
                return Err(place.fault("too much work for a scenario"));
            }
            match event {
                Event::Turn { worker } => self.turn(now, worker)?,
                Event::Offer { flight, unit, hop } => self.offer(now, flight, unit, hop)?,
                Event::Arrive {
                    flight,
                    unit,
                    hop,
                    bytes,
                } => self.arrive(now, flight, unit, hop, bytes)?,
                Event::Served { worker, number } => self.served(now, worker, number)?,
                Event::Answer { worker, number } => self.answer(now, worker, number)?,
                Event::Timeout { worker, number } => self.timeout(now, worker, number),
            }
        }
        Ok(())
    }

    /// The station asks for what comes next, or is done.
    fn turn(&mut self, now: i64, worker: usize) -> Result<(), Fault> {
        let station = &mut self.workers[worker];
        if station.must_connect() {
            let job = &station.job;
            let first = station.way.cables[0];
            let talk = &mut self.floor.talks[job.talk];
            if !matches!(talk.conversation.kind(), Kind::Ipx) {
                let place = job.place;
                self.floor.wire.tune(self.floor.map.interfaces[first]);
                let mut context = Context {
                    settings: &self.floor.map.views[first],
                    wire: self.floor.wire,
                    place,
                };
                let plain = Options::new(&[], place, 0);
                talk.conversation.connect(&mut context, now, &plain)?;
                self.plan(now.saturating_add(SETTLE), Event::Turn { worker });
                return Ok(());
            }
        }
        let Next::Ask(text) = station.next(now, self.floor.random) else {
            return Ok(());
        };
        let place = station.job.place;
        let (number, timeout) = (station.number, station.job.wishes.timeout);
        let lost = chance(self.floor.random, station.job.wishes.lost);
        let units = self.say(worker, TO_SERVER, &text, place)?;
        self.workers[worker].asked(units.clone());
        self.launch(
            now,
            Flight {
                worker,
                number,
                direction: TO_SERVER,
                purpose: Purpose::Request,
                units,
                arrived: 0,
                lost,
            },
        );
        if let Some(timeout) = timeout {
            self.plan(
                now.saturating_add(timeout),
                Event::Timeout { worker, number },
            );
        }
        Ok(())
    }

    /// The units of what is said in a line of the scenario language.
    fn say(
        &mut self,
        worker: usize,
        direction: usize,
        text: &str,
        place: Place,
    ) -> Result<Vec<Unit>, Fault> {
        let mut words = split(place.line, text)?;
        for word in &mut words {
            word.place = place;
        }
        let Some((protocol, command)) = words.split_first() else {
            return Ok(Vec::new());
        };
        let message = Message {
            protocol: protocol.clone(),
            commands: vec![command.to_vec()],
        };
        let talk = &mut self.floor.talks[self.workers[worker].job.talk];
        let messages = talk.message(direction, &message, 0)?;
        let mut nowhere = Wire::default();
        let context = Context {
            settings: self.floor.settings,
            wire: &mut nowhere,
            place,
        };
        let plain = Delivery::default();
        Ok(talk
            .conversation
            .units(&context, direction, messages, &plain))
    }

    fn launch(&mut self, now: i64, flight: Flight) {
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
    fn offer(&mut self, now: i64, number: usize, unit: usize, hop: usize) -> Result<(), Fault> {
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
    fn arrive(
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
            // Nothing acknowledges here (IPX): the sender goes on by itself.
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

    /// A request is whole at the server.
    fn requested(&mut self, now: i64, worker: usize, number: u64) -> Result<(), Fault> {
        let station = &mut self.workers[worker];
        let desk = station.desk;
        if station.arrives_first(number) {
            self.desks[desk].queue.push_back((worker, number));
            self.serve(now, desk);
            return Ok(());
        }
        // A server that still works at it says so.
        let text = match station.job.wishes.by {
            By::Ncp => "ncp being-processed",
            By::Burst => "burst busy",
            By::Core | By::Andx | By::Raw => return Ok(()),
        };
        if !station.is_waiting(number) {
            return Ok(());
        }
        let place = station.job.place;
        let units = self.say(worker, 1 - TO_SERVER, text, place)?;
        self.reply(now, worker, number, Purpose::Busy, units);
        Ok(())
    }

    /// Those who are free take what waits.
    fn serve(&mut self, now: i64, desk: usize) {
        while let Some((worker, number)) = self.desks[desk].take() {
            let (verb, bytes) = self.workers[worker].wants();
            let time = self.desks[desk].time(verb, bytes, self.floor.random);
            self.plan(now.saturating_add(time), Event::Served { worker, number });
        }
    }

    fn served(&mut self, now: i64, worker: usize, number: u64) -> Result<(), Fault> {
        let station = &self.workers[worker];
        let desk = &mut self.desks[station.desk];
        desk.busy -= 1;
        let index = station.desk;
        let miss = station.job.wishes.miss.unwrap_or(desk.service.miss);
        self.serve(now, index);
        if chance(self.floor.random, miss.chance) {
            self.plan(
                now.saturating_add(miss.nanos),
                Event::Answer { worker, number },
            );
            return Ok(());
        }
        self.answer(now, worker, number)
    }

    fn answer(&mut self, now: i64, worker: usize, number: u64) -> Result<(), Fault> {
        let station = &mut self.workers[worker];
        let Some(text) = station.answer(number) else {
            // The station has given up meanwhile.
            return Ok(());
        };
        let place = station.job.place;
        let units = self.say(worker, 1 - TO_SERVER, &text, place)?;
        self.reply(now, worker, number, Purpose::Answer, units);
        Ok(())
    }

    fn reply(&mut self, now: i64, worker: usize, number: u64, purpose: Purpose, units: Vec<Unit>) {
        let flight = Flight {
            worker,
            number,
            direction: 1 - TO_SERVER,
            purpose,
            units,
            arrived: 0,
            lost: false,
        };
        self.launch(now, flight);
    }

    /// The answer is whole at the station.
    fn answered(&mut self, now: i64, worker: usize, number: u64) {
        let start = Timestamp::from_nanos(self.floor.settings.start);
        if let Some((call, next)) =
            self.workers[worker].done(number, Some(now), start, self.floor.random)
        {
            self.calls.push(call);
            self.plan(now.saturating_add(next), Event::Turn { worker });
        }
    }

    /// No answer yet: asks again, or gives up.
    fn timeout(&mut self, now: i64, worker: usize, number: u64) {
        let station = &mut self.workers[worker];
        let Some(units) = station.ask_again(number) else {
            let start = Timestamp::from_nanos(self.floor.settings.start);
            if let Some((call, next)) = station.done(number, None, start, self.floor.random) {
                self.calls.push(call);
                self.plan(now.saturating_add(next), Event::Turn { worker });
            }
            return;
        };
        let timeout = station.job.wishes.timeout.unwrap_or(0);
        let lost = chance(self.floor.random, station.job.wishes.lost);
        self.launch(
            now,
            Flight {
                worker,
                number,
                direction: TO_SERVER,
                purpose: Purpose::Request,
                units,
                arrived: 0,
                lost,
            },
        );
        self.plan(
            now.saturating_add(timeout),
            Event::Timeout { worker, number },
        );
    }
}

/// How a carrier acknowledges with a frame of its own.
fn ack_words(kind: Kind) -> Option<(&'static str, &'static str)> {
    Some(match kind {
        Kind::Nbf => ("llc", "rr"),
        Kind::Spp => ("spp", "ack"),
        Kind::Nbipx => ("nbipx", "ack"),
        Kind::Tcp => ("tcp", "ack"),
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

/// The way back is the way there, from its other end.
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

/// What is said of the opening steps.
pub(super) fn steps(job: &Job, name: &str) -> Vec<(String, String)> {
    job.wishes.open.as_ref().map_or_else(Vec::new, |file| {
        speech::opening(job.wishes.by, job.file, file, name)
    })
}

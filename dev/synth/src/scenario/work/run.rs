//! The events: frames are offered to cables and arrive, servers finish, stations go on.

use super::cable::{Cable, Forwarder};
use super::desk::Desk;
use super::flight::{Flight, Purpose};
use super::map::{Map, way};
use super::worker::{Next, Worker, chance};
use super::{By, Call, Job, Verb, speech};
use crate::prng::Random;
use crate::scenario::carrier::{Context, Conversation, Delivery, Kind, TO_SERVER, Unit};
use crate::scenario::error::{Fault, Place};
use crate::scenario::play::Talk;
use crate::scenario::station::Settings;
use crate::scenario::syntax::Message;
use crate::scenario::wire::Wire;
use crate::scenario::words::{Options, split};
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
pub(super) enum Event {
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

pub(super) struct Simulation<'a> {
    pub(super) floor: Floor<'a>,
    pub(super) cables: Vec<Cable>,
    pub(super) routers: Vec<Forwarder>,
    pub(super) desks: Vec<Desk>,
    pub(super) workers: Vec<Worker>,
    pub(super) flights: Vec<Flight>,
    /// Places of flights that are over.
    pub(super) landed: Vec<usize>,
    /// Earliest first; what was planned first goes first.
    pub(super) events: BinaryHeap<Reverse<(i64, u64, Event)>>,
    pub(super) serial: u64,
    pub(super) calls: Vec<Call>,
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
            Kind::Ipx | Kind::Nbf | Kind::Spp | Kind::Tcp | Kind::Nbipx | Kind::Last | Kind::Nsp
        ) {
            let who = "ipx, nbf, spp, nbipx, tcp, last and decnet";
            return Err(job.place.fault(format!("only {who} stations can work")));
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

    pub(super) fn plan(&mut self, at: i64, event: Event) {
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
            if !matches!(talk.conversation.kind(), Kind::Ipx | Kind::Last) {
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
        self.conversation(worker).counts(TO_SERVER, &units, true);
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

    /// A request is whole at the server.
    pub(super) fn requested(&mut self, now: i64, worker: usize, number: u64) -> Result<(), Fault> {
        let station = &mut self.workers[worker];
        let desk = station.desk;
        if station.arrives_first(number) {
            self.desks[desk].queue.push_back((worker, number));
            self.serve(now, desk);
            return Ok(());
        }
        // A server that still works at it says so.
        let text = match station.job.wishes.by {
            By::Burst if matches!(station.wants().0, Verb::Read | Verb::Write) => "burst busy",
            By::Ncp | By::Burst => "ncp being-processed",
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
        self.conversation(worker)
            .counts(1 - TO_SERVER, &units, true);
        self.reply(now, worker, number, Purpose::Answer, units);
        Ok(())
    }

    fn conversation(&mut self, worker: usize) -> &mut Conversation {
        &mut self.floor.talks[self.workers[worker].job.talk].conversation
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
    pub(super) fn answered(&mut self, now: i64, worker: usize, number: u64) {
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
        self.conversation(worker).counts(TO_SERVER, &units, false);
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

/// What is said of the opening steps.
pub(super) fn steps(job: &Job, name: &str) -> Vec<(String, String)> {
    job.wishes.open.as_ref().map_or_else(Vec::new, |file| {
        speech::opening(job.wishes.by, job.file, file, name)
    })
}

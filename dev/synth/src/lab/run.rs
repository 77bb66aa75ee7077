//! The events of a run: frames arrive, timers expire, the server finishes, clients go on.

use super::exchange::{Answering, Asking};
use super::link::{LinkEnd, LinkPacket, TIMERS};
use super::places::{Places, TO_CLIENT, TO_SERVER};
use super::steps::{Step, steps};
use super::wire::LabWire;
use super::{LabCall, LabCarrier, LabCase, LabRun};
use crate::Random;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// What the server and a client need for everything, and up to so much more, ns.
const SERVICE_NS: (i64, u64) = (150_000, 30_000);
const TURN_NS: (i64, u64) = (60_000, 20_000);
/// Clients begin one after the other.
pub(super) const STAGGER_NS: i64 = 1_700_000;
/// More events than this are a mistake.
const MOST_EVENTS: u64 = 5_000_000;

/// What a frame means to who receives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LabPacket {
    Request(usize),
    Reply(usize),
    Interim(usize),
    Link(LinkPacket),
}

impl LabPacket {
    /// Whether nothing happens to it on its way: stations that cannot open a link would say so
    /// long before anything is asked.
    const fn is_spared(self) -> bool {
        matches!(self, Self::Link(LinkPacket::Open | LinkPacket::Opened))
    }
}

/// What a station does in an event.
pub(super) struct Stage<'a> {
    pub(super) steps: &'a [Step],
    pub(super) places: &'a mut Places,
    carrier: LabCarrier,
    frames: Vec<(Vec<u8>, LabPacket)>,
    timers: Vec<(usize, Option<i64>)>,
    delivered: Vec<usize>,
    opened: bool,
    repeated: u64,
}

impl Stage<'_> {
    pub(super) fn datagram(&mut self, direction: usize, data: &[u8]) -> Vec<u8> {
        self.places.datagram(self.carrier, direction, data)
    }

    pub(super) fn send(&mut self, frame: Vec<u8>, packet: LabPacket) {
        self.frames.push((frame, packet));
    }

    /// Expires after so long, unless it is set again.
    pub(super) fn arm(&mut self, timer: usize, ns: i64) {
        self.timers.push((timer, Some(ns)));
    }

    pub(super) fn disarm(&mut self, timer: usize) {
        self.timers.push((timer, None));
    }

    /// The message of this step is whole.
    pub(super) fn deliver(&mut self, step: usize) {
        self.delivered.push(step);
    }

    /// The first request can go.
    pub(super) fn open(&mut self) {
        self.opened = true;
    }

    pub(super) fn repeated(&mut self) {
        self.repeated += 1;
    }
}

/// The protocol at one end.
enum Speaker {
    Asking(Asking),
    Answering(Answering),
    Link(Box<LinkEnd>),
}

impl Speaker {
    fn new(carrier: LabCarrier, side: usize) -> Self {
        match (carrier, side) {
            (LabCarrier::NcpIpx | LabCarrier::NcpUdp | LabCarrier::SmbIpx, TO_SERVER) => {
                Self::Asking(Asking::default())
            }
            (LabCarrier::NcpIpx | LabCarrier::NcpUdp | LabCarrier::SmbIpx, _) => {
                Self::Answering(Answering::default())
            }
            _ => Self::Link(Box::new(LinkEnd::new(carrier, side))),
        }
    }

    fn send(&mut self, step: usize, stage: &mut Stage<'_>) {
        match self {
            Self::Asking(end) => end.send(step, stage),
            Self::Answering(end) => end.send(step, stage),
            Self::Link(end) => end.send(step, stage),
        }
    }

    fn receive(&mut self, packet: LabPacket, stage: &mut Stage<'_>) {
        match self {
            Self::Asking(end) => end.receive(packet, stage),
            Self::Answering(end) => end.receive(packet, stage),
            Self::Link(end) => end.receive(packet, stage),
        }
    }

    fn expired(&mut self, timer: usize, stage: &mut Stage<'_>) {
        match self {
            Self::Asking(end) => end.expired(stage),
            Self::Answering(_) => {}
            Self::Link(end) => end.expired(timer, stage),
        }
    }
}

/// A client, and the server's end of its conversation.
struct Pair {
    places: Places,
    steps: Vec<Step>,
    ends: [Speaker; 2],
    /// What each timer of each side was set to last; older settings do not count.
    timers: [[u64; TIMERS]; 2],
    calls: Vec<LabCall>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum LabEvent {
    Begin {
        pair: usize,
    },
    Ask {
        pair: usize,
    },
    Arrive {
        pair: usize,
        side: usize,
        frame: usize,
    },
    Expire {
        pair: usize,
        side: usize,
        timer: usize,
        setting: u64,
    },
    Served {
        pair: usize,
        step: usize,
    },
}

struct Lab<'a> {
    case: &'a LabCase,
    pairs: Vec<Pair>,
    wires: [LabWire; 2],
    chance: Random,
    /// Requests that wait for the server, and how many it works at.
    queue: VecDeque<(usize, usize)>,
    busy: usize,
    /// Reads that the server could have slept in.
    reads: u64,
    /// Frames on their way; and whether they were sent before the capture.
    flights: Vec<(Vec<u8>, LabPacket, bool)>,
    events: BinaryHeap<Reverse<(i64, u64, LabEvent)>>,
    serial: u64,
    out: LabRun,
}

/// A number from a name (FNV-1a).
fn seed(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |sum, byte| {
        (sum ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    })
}

pub(super) fn run(case: &LabCase) -> LabRun {
    let mut chance = Random::new(seed(&case.name));
    let wires = case
        .ways
        .map(|way| LabWire::new(way, Random::new(chance.bits())));
    let pairs = (0..case.clients).map(|client| {
        let steps = steps(case, client);
        Pair {
            places: Places::new(client),
            ends: [TO_SERVER, TO_CLIENT].map(|side| Speaker::new(case.carrier, side)),
            timers: [[0; TIMERS]; 2],
            calls: (0..steps.len())
                .map(|step| LabCall {
                    client,
                    step,
                    ..LabCall::default()
                })
                .collect(),
            steps,
        }
    });
    let mut lab = Lab {
        case,
        pairs: pairs.collect(),
        wires,
        chance,
        queue: VecDeque::new(),
        busy: 0,
        reads: 0,
        flights: Vec::new(),
        events: BinaryHeap::new(),
        serial: 0,
        out: LabRun {
            before: case.before,
            ..LabRun::default()
        },
    };
    for pair in 0..case.clients {
        lab.plan(STAGGER_NS * pair as i64, LabEvent::Begin { pair });
    }
    lab.run();
    let [up, down] = &lab.wires;
    lab.out.lost = [up.lost, down.lost];
    lab.out.late = [up.late, down.late];
    lab.out.twice = [up.twice, down.twice];
    for pair in lab.pairs {
        lab.out.calls.extend(pair.calls);
    }
    lab.out
}

impl Lab<'_> {
    fn plan(&mut self, at: i64, event: LabEvent) {
        self.events.push(Reverse((at, self.serial, event)));
        self.serial += 1;
    }

    fn run(&mut self) {
        while let Some(Reverse((now, serial, event))) = self.events.pop() {
            assert!(serial < MOST_EVENTS, "{}: it never ends", self.case.name);
            match event {
                LabEvent::Begin { pair } => self.begin(now, pair),
                LabEvent::Ask { pair } => self.ask(now, pair),
                LabEvent::Arrive { pair, side, frame } => {
                    let (bytes, packet, before) = &self.flights[frame];
                    if !before {
                        self.out.captured(side, now, bytes);
                    }
                    let packet = *packet;
                    self.act(now, pair, side, |end, stage| end.receive(packet, stage));
                }
                LabEvent::Expire {
                    pair,
                    side,
                    timer,
                    setting,
                } => {
                    if self.pairs[pair].timers[side][timer] == setting {
                        self.act(now, pair, side, |end, stage| end.expired(timer, stage));
                    }
                }
                LabEvent::Served { pair, step } => {
                    self.busy -= 1;
                    self.pairs[pair].calls[step].replied = now;
                    self.act(now, pair, TO_CLIENT, |end, stage| end.send(step, stage));
                    self.serve(now);
                }
            }
        }
    }

    fn begin(&mut self, now: i64, pair: usize) {
        self.act(now, pair, TO_SERVER, |end, stage| match end {
            Speaker::Link(end) => end.open(stage),
            _ => stage.open(),
        });
    }

    /// A client's next request.
    fn ask(&mut self, now: i64, pair: usize) {
        let calls = &mut self.pairs[pair].calls;
        let next = calls.iter().position(|call| call.answered == 0);
        let Some(step) = next else {
            return;
        };
        calls[step].asked = now;
        self.act(now, pair, TO_SERVER, |end, stage| end.send(step, stage));
    }

    /// Lets one end do something, and carries out what it wants.
    fn act(
        &mut self,
        now: i64,
        pair: usize,
        side: usize,
        what: impl FnOnce(&mut Speaker, &mut Stage<'_>),
    ) {
        let of = &mut self.pairs[pair];
        let mut stage = Stage {
            steps: &of.steps,
            places: &mut of.places,
            carrier: self.case.carrier,
            frames: Vec::new(),
            timers: Vec::new(),
            delivered: Vec::new(),
            opened: false,
            repeated: 0,
        };
        what(&mut of.ends[side], &mut stage);
        let Stage {
            frames,
            timers,
            delivered,
            opened,
            repeated,
            ..
        } = stage;
        self.out.repeated[side] += repeated;
        for (timer, ns) in timers {
            let setting = self.serial;
            self.pairs[pair].timers[side][timer] = setting;
            if let Some(ns) = ns {
                let event = LabEvent::Expire {
                    pair,
                    side,
                    timer,
                    setting,
                };
                self.plan(now.saturating_add(ns), event);
            } else {
                self.serial += 1;
            }
        }
        for (bytes, packet) in frames {
            let before = self.case.before == Some(pair) && self.pairs[pair].calls[0].asked == 0;
            if !before {
                self.out.captured(side, now, &bytes);
            }
            let far = self.case.far.filter(|(client, _)| *client == pair);
            let far = far.map_or(0, |(_, ns)| ns);
            let arrivals = self.wires[side].send(now, bytes.len(), packet.is_spared());
            let frame = self.flights.len();
            self.flights.push((bytes, packet, before));
            for at in arrivals {
                let side = 1 - side;
                let at = at.saturating_add(far);
                self.plan(at, LabEvent::Arrive { pair, side, frame });
            }
        }
        if opened {
            self.go_on(now, pair);
        }
        for step in delivered {
            self.delivered(now, pair, side, step);
        }
    }

    fn delivered(&mut self, now: i64, pair: usize, side: usize, step: usize) {
        let call = &mut self.pairs[pair].calls[step];
        if side == TO_CLIENT {
            call.arrived = now;
            self.queue.push_back((pair, step));
            self.serve(now);
        } else {
            call.answered = now;
            self.go_on(now, pair);
        }
    }

    /// The client asks again after its work.
    fn go_on(&mut self, now: i64, pair: usize) {
        let of = &self.pairs[pair];
        let next = of.calls.iter().position(|call| call.answered == 0);
        let Some(next) = next else {
            return;
        };
        let reads = of.steps[next].reads.is_some();
        let think = if reads { self.case.think_ns } else { 0 };
        let turn = self.about(TURN_NS).saturating_add(think);
        self.plan(now.saturating_add(turn), LabEvent::Ask { pair });
    }

    /// Who is free takes what waits.
    fn serve(&mut self, now: i64) {
        while self.busy < self.case.workers {
            let Some((pair, step)) = self.queue.pop_front() else {
                return;
            };
            self.busy += 1;
            let mut time = self.about(SERVICE_NS);
            let file = self.pairs[pair].steps[step].reads;
            let sleeps = file.is_some_and(|file| self.case.sleep_file.is_none_or(|f| f == file));
            if sleeps {
                self.reads += 1;
                if self.reads.is_multiple_of(self.case.sleep_every) {
                    time = time.saturating_add(self.case.sleep_ns);
                }
            }
            self.plan(now.saturating_add(time), LabEvent::Served { pair, step });
        }
    }

    fn about(&mut self, (least, more): (i64, u64)) -> i64 {
        least.saturating_add(self.chance.below(more + 1) as i64)
    }
}

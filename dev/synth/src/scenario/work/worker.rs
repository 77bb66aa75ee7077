//! A station: what it asks next, and what became of it.

use super::map::Way;
use super::run::steps;
use super::{Call, Job, Op, Verb, speech};
use crate::prng::Random;
use crate::scenario::carrier::Unit;
use crate::scenario::net::Chance;
use wirewait_wire::Timestamp;

/// Files are so long; reading and writing go on at their beginning.
const FILE: u64 = 1 << 20;

#[derive(Debug)]
pub(super) struct Worker {
    pub(super) job: Job,
    pub(super) desk: usize,
    pub(super) way: Way,
    /// Number of the request that is outstanding or will be next.
    pub(super) number: u64,
    name: String,
    connected: bool,
    /// Steps that come before the first record, the last one first.
    opening: Vec<(String, String)>,
    records: u64,
    /// What is left of the record.
    verb: Verb,
    left: u64,
    offset: u64,
    request: Option<Request>,
}

/// The outstanding request.
#[derive(Debug)]
struct Request {
    verb: Verb,
    bytes: u64,
    answer: String,
    failed: bool,
    units: Vec<Unit>,
    sent: Option<i64>,
    copies: u32,
    interims: u32,
    /// It has reached the server.
    there: bool,
    /// The answer is on its way.
    answering: bool,
}

pub(super) enum Next {
    Ask(String),
    Done,
}

impl Worker {
    pub(super) fn new(job: Job, name: String, desk: usize, way: Way) -> Self {
        let mut opening = steps(&job, &name);
        opening.reverse();
        Self {
            connected: opening.is_empty(),
            opening,
            name,
            desk,
            way,
            number: 0,
            records: 0,
            verb: Verb::Open,
            left: 0,
            offset: 0,
            request: None,
            job,
        }
    }

    /// Whether it must set up its connection first; it does so once.
    pub(super) fn must_connect(&mut self) -> bool {
        !std::mem::replace(&mut self.connected, true)
    }

    /// What it asks now.
    pub(super) fn next(&mut self, now: i64, random: &mut Random) -> Next {
        let wishes = &self.job.wishes;
        let (text, answer, verb, bytes, failed);
        if let Some(step) = self.opening.pop() {
            (text, answer) = step;
            (verb, bytes, failed) = (Verb::Open, 0, false);
        } else {
            if self.left == 0 {
                let over = self.job.until.is_some_and(|until| until <= now)
                    || self.job.count.is_some_and(|count| self.records >= count);
                if over {
                    return Next::Done;
                }
                let op = pick(&wishes.ops, random);
                (self.verb, self.left) = (op.verb, op.bytes);
                self.records += 1;
                if wishes.overlaid || self.offset.saturating_add(op.bytes) > FILE {
                    self.offset = 0;
                }
            }
            verb = self.verb;
            bytes = self.left.min(wishes.piece);
            failed = chance(random, wishes.failed);
            text = speech::request(wishes.by, verb, self.job.file, self.offset, bytes);
            answer = if failed {
                speech::failure(wishes.by, verb, bytes)
            } else {
                speech::answer(wishes.by, verb, self.offset, bytes)
            };
        }
        self.number += 1;
        self.request = Some(Request {
            verb,
            bytes,
            answer,
            failed,
            units: Vec::new(),
            sent: None,
            copies: 1,
            interims: 0,
            there: false,
            answering: false,
        });
        Next::Ask(text)
    }

    /// The outstanding request, if it is this one.
    fn request(&mut self, number: u64) -> Option<&mut Request> {
        self.request.as_mut().filter(|_| self.number == number)
    }

    /// Keeps the units of the outstanding request, for retransmission.
    pub(super) fn asked(&mut self, units: Vec<Unit>) {
        if let Some(request) = &mut self.request {
            request.units = units;
        }
    }

    /// Its first frame has passed the station's cable.
    pub(super) fn sent(&mut self, number: u64, at: i64) {
        if let Some(request) = self.request(number) {
            request.sent.get_or_insert(at);
        }
    }

    /// Whether it reaches the server for the first time.
    pub(super) fn arrives_first(&mut self, number: u64) -> bool {
        self.request(number)
            .is_some_and(|request| !std::mem::replace(&mut request.there, true))
    }

    /// Whether the server has it and has not answered.
    pub(super) fn is_waiting(&mut self, number: u64) -> bool {
        self.request(number)
            .is_some_and(|request| request.there && !request.answering)
    }

    pub(super) fn told_to_wait(&mut self, number: u64) {
        if let Some(request) = self.request(number) {
            request.interims += 1;
        }
    }

    /// What is served.
    pub(super) fn wants(&self) -> (Verb, u64) {
        self.request
            .as_ref()
            .map_or((Verb::Look, 0), |request| (request.verb, request.bytes))
    }

    /// The answer, which is on its way from now on.
    pub(super) fn answer(&mut self, number: u64) -> Option<String> {
        let request = self.request(number)?;
        request.answering = true;
        Some(request.answer.clone())
    }

    /// The request once more, unless it has been asked often enough.
    pub(super) fn ask_again(&mut self, number: u64) -> Option<Vec<Unit>> {
        let tries = self.job.wishes.tries;
        let request = self.request(number)?;
        if request.copies >= tries {
            return None;
        }
        request.copies += 1;
        Some(request.units.clone())
    }

    /// The request is answered, or given up: what was measured, and how long until the next.
    pub(super) fn done(
        &mut self,
        number: u64,
        answered: Option<i64>,
        start: Timestamp,
        random: &mut Random,
    ) -> Option<(Call, i64)> {
        self.request(number)?;
        let request = self.request.take()?;
        let call = Call {
            station: self.name.clone(),
            verb: request.verb.name(),
            record: self.records.saturating_sub(1),
            bytes: if request.failed || answered.is_none() {
                0
            } else {
                request.bytes
            },
            asked: start.plus(request.sent.unwrap_or(0)),
            answered: answered.map(|at| start.plus(at)),
            copies: request.copies,
            interims: request.interims,
            failed: request.failed,
        };
        let wishes = &self.job.wishes;
        if request.verb == Verb::Open {
            return Some((call, wishes.turn));
        }
        self.left -= request.bytes;
        self.offset += request.bytes;
        if self.left > 0 {
            return Some((call, wishes.turn));
        }
        let (think, more) = wishes.think;
        let more = match more {
            0 => 0,
            most => random.below(most + 1) as i64,
        };
        Some((call, wishes.turn.saturating_add(think).saturating_add(more)))
    }
}

/// One of the records by its weight.
fn pick(ops: &[Op], random: &mut Random) -> Op {
    let all = ops.iter().map(|op| op.weight).sum();
    let mut at = if ops.len() > 1 { random.below(all) } else { 0 };
    for op in ops {
        if at < op.weight {
            return *op;
        }
        at -= op.weight;
    }
    // Not reached: the number is below the sum of the weights.
    Op {
        verb: Verb::Look,
        bytes: 0,
        weight: 1,
    }
}

pub(super) fn chance(random: &mut Random, chance: Chance) -> bool {
    chance.times > 0 && random.below(chance.of) < chance.times
}

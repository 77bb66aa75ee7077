//! The times of single transactions, from which percentiles and tests of any grouping follow. What
//! rows keep of them suits the rows: histograms, or some values of each.

use super::blocks::{Block, Pace};
use super::group::{bare, measures_service, path};
use super::jobs::{JobTimes, Jobs};
use super::losses::Repeated;
use super::same::FirstRequests;
use super::serial::Course;
use super::{By, Key};
use std::collections::{BTreeMap, HashMap};
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use wirewait_analysis::{
    Draw, Fidelity, Place, Sample, Samples, Sink, Transaction, counts_for_places,
};
use wirewait_wire::{Endpoint, Kind};

/// Transactions whose times are kept at the most; of more they are drawn evenly.
pub const KEPT: usize = 1_000_000;

/// The times of a capture's transactions. It is a [`Sink`] of the analysis.
#[derive(Debug)]
#[non_exhaustive]
pub struct Values {
    drawn: Draw<Value>,
    /// To whom they belong, each once.
    whose: Vec<Whose>,
    known: HashMap<Whose, u32>,
    jobs: Jobs,
    pace: Pace,
    seen: FirstRequests,
    repeated: Repeated,
}

#[derive(Clone, Copy, Debug)]
struct Value {
    response_ns: i64,
    turnaround_ns: Option<i64>,
    whose: u32,
}

/// What a transaction is grouped by.
#[derive(Clone, Debug)]
struct Whose {
    protocol: &'static str,
    command: &'static str,
    code: u32,
    kind: Kind,
    client: Endpoint,
    server: Endpoint,
    place: Option<Arc<Place>>,
    failed: bool,
}

impl Sink for Values {
    fn transaction(&mut self, transaction: &Transaction) {
        self.jobs.transaction(transaction);
        self.pace.transaction(transaction);
        self.seen.transaction(transaction);
        self.repeated.transaction(transaction);
        let Some(took) = transaction.took() else {
            return;
        };
        let whose = Whose {
            protocol: transaction.protocol,
            command: transaction.operation.name,
            code: transaction.code,
            kind: transaction.kind,
            client: transaction.client.station(),
            server: transaction.server.station(),
            place: transaction.place.clone(),
            failed: transaction.status.is_some_and(|status| status.failure),
        };
        let whose = match self.known.get(&whose) {
            Some(number) => *number,
            None => {
                // There are fewer than transactions, and those have numbers of 64 bits; names
                // beyond 2^32 do not fit into memory.
                let number = u32::try_from(self.whose.len()).unwrap_or(u32::MAX);
                self.whose.push(whose.clone());
                self.known.insert(whose, number);
                number
            }
        };
        let value = Value {
            response_ns: took.response_ns,
            turnaround_ns: took.turnaround_ns,
            whose,
        };
        self.drawn.record(transaction.number, value);
    }
}

impl Values {
    /// Keeps the times of [`KEPT`] transactions, and as many jobs, at the most. Requests farther
    /// apart than `think_ns` are of two jobs.
    #[must_use]
    pub fn new(think_ns: i64) -> Self {
        Self::keeping(KEPT, think_ns)
    }

    /// Keeps the times of this many transactions at the most.
    #[must_use]
    pub fn keeping(most: usize, think_ns: i64) -> Self {
        Self {
            drawn: Draw::of(most),
            whose: Vec::new(),
            known: HashMap::new(),
            jobs: Jobs::new(think_ns, most),
            pace: Pace::new(think_ns),
            seen: FirstRequests::default(),
            repeated: Repeated::default(),
        }
    }

    /// Whether these are all or some.
    #[must_use]
    pub fn fidelity(&self) -> Fidelity {
        self.drawn.fidelity()
    }

    /// Those of everything that measures service, in order.
    pub(super) fn all(&self) -> Course {
        let mut groups = self.grouped(|whose| measures_service(whose.kind).then_some(Key::All));
        groups.remove(&Key::All).unwrap_or_default()
    }

    /// The jobs of its clients.
    pub(super) fn jobs(&self) -> JobTimes {
        self.jobs.finish()
    }

    /// Its requests, one after the other or some together.
    pub(super) fn parts(&self) -> Vec<Block> {
        self.pace.parts()
    }

    /// How many of them had something retransmitted.
    pub(super) fn repeated(&self) -> Repeated {
        self.repeated
    }

    /// Whether another capture is of the same traffic.
    pub(super) fn are_of_the_traffic_of(&self, other: &Self) -> bool {
        self.seen.is_that_of(&other.seen)
    }

    /// Those of each group, in order.
    pub(super) fn by(&self, by: By) -> BTreeMap<Key, Course> {
        self.grouped(|whose| whose.key(by))
    }

    /// Those of requests that succeeded.
    pub(super) fn succeeded(&self, by: By) -> BTreeMap<Key, Course> {
        self.grouped(|whose| whose.key(by).filter(|_| !whose.failed))
    }

    /// The values of a course, sorted.
    pub(super) fn samples(&self, course: &Course) -> Samples {
        let fidelity = self.fidelity();
        let sample = |values: &[i64]| {
            let values = values.iter().map(|ns| (*ns, 1));
            Sample::counted(values, fidelity)
        };
        Samples {
            turnaround: sample(&course.turnaround),
            response_time: sample(&course.response_time),
        }
    }

    fn grouped(&self, key: impl Fn(&Whose) -> Option<Key>) -> BTreeMap<Key, Course> {
        let mut numbers: BTreeMap<Key, usize> = BTreeMap::new();
        let group_of: Vec<Option<(usize, bool)>> = self
            .whose
            .iter()
            .map(|whose| {
                let next = numbers.len();
                key(whose).map(|key| (*numbers.entry(key).or_insert(next), whose.failed))
            })
            .collect();
        let mut courses = vec![Course::default(); numbers.len()];
        for (place, value) in self.drawn.values().enumerate() {
            let group = group_of.get(value.whose as usize).copied().flatten();
            let Some((group, failed)) = group else {
                continue;
            };
            if let Some(course) = courses.get_mut(group) {
                course.response_time.push(value.response_ns);
                course.failed.push(failed);
                course.places.push(u32::try_from(place).unwrap_or(u32::MAX));
                course.turnaround.extend(value.turnaround_ns);
            }
        }
        let groups = numbers.into_iter().filter_map(|(key, number)| {
            let course = courses.get_mut(number)?;
            Some((key, std::mem::take(course)))
        });
        groups.collect()
    }
}

impl Whose {
    /// The group of it whose times it counts in, by the rules of the rows.
    fn key(&self, by: By) -> Option<Key> {
        let place = || {
            self.place
                .as_deref()
                .filter(|_| counts_for_places(self.kind))
        };
        match by {
            By::Operation => Some(Key::Operation {
                protocol: self.protocol,
                command: self.command,
                code: self.code,
                kind: self.kind,
            }),
            By::Kind => Some(Key::Kind(self.kind)),
            By::Server => measures_service(self.kind).then_some(Key::Server(self.server)),
            By::Client => measures_service(self.kind).then_some(Key::Client(self.client)),
            By::Share => Some(Key::Share(bare(place()?.share.as_deref()?))),
            By::File => {
                let place = place()?;
                Some(Key::File {
                    share: place.share.as_deref().map(bare),
                    path: path(place.path.as_deref()?),
                })
            }
            By::Load => None,
        }
    }
}

impl PartialEq for Whose {
    fn eq(&self, other: &Self) -> bool {
        let place = |of: &Self| of.place.as_ref().map(Arc::as_ptr);
        (self.code, self.kind, self.client, self.server, self.failed)
            == (
                other.code,
                other.kind,
                other.client,
                other.server,
                other.failed,
            )
            && place(self) == place(other)
            && (self.protocol, self.command) == (other.protocol, other.command)
    }
}

impl Eq for Whose {}

impl Hash for Whose {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.code.hash(state);
        self.client.hash(state);
        self.server.hash(state);
        self.place.as_ref().map(Arc::as_ptr).hash(state);
    }
}

//! What changed against a baseline: the same figures of several captures side by side,
//! how much they differ, and whether chance alone could make it so.

mod active;
mod alike;
mod blame;
mod blocks;
mod caveat;
mod conclusion;
mod condition;
mod effect;
mod errors;
mod figure;
mod group;
mod jobs;
mod load;
mod losses;
mod moved;
mod pauses;
mod rank;
mod same;
mod serial;
mod share_limit;
mod sure;
mod values;
mod whose;
mod work;

pub use active::ActiveTime;
pub use alike::Alike;
pub use blame::CulpritTime;
pub use blocks::{BLOCKS, BlockTest};
pub use caveat::Caveat;
pub use conclusion::Conclusion;
pub use condition::{Against, Condition, ConditionResult, Outcome as ConditionOutcome, Relation};
pub use effect::{Basis, Effect};
pub use errors::{ErrorChange, FailedRequests};
pub use figure::{Better, Change, Figure, Ratio, Unit};
pub use jobs::{JobTimes, OPEN_JOBS};
pub use load::EqualLoad;
pub use losses::{Losses, Repeated};
pub use moved::{Moved, Tail};
pub use rank::{Confidence, FEWEST, RankTest};
pub use share_limit::{ShareLimit, ShareOutcome};
pub use values::{KEPT, Values};
pub use work::{MATERIAL, Work};

use std::sync::Arc;
use wirewait_analysis::{Counts, Fidelity, FrameSums, Samples, Snapshot, Times};
use wirewait_wire::{Endpoint, Kind};

/// How likely a difference may be by chance alone and still counts as one.
pub const LEVEL: f64 = 0.01;

/// What is compared with what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// Operations of the same protocol, name and class.
    Operation,
    /// Classes of operations: for different protocols.
    Kind,
    /// Servers with the same address.
    Server,
    /// Clients with the same address.
    Client,
    /// Shares with the same name, whichever the server.
    Share,
    /// Files with the same name on shares with the same name.
    File,
    /// Times with the same number of active stations.
    Load,
}

impl By {
    /// The name used in every output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Operation => "operation",
            Self::Kind => "kind",
            Self::Server => "server",
            Self::Client => "client",
            Self::Share => "share",
            Self::File => "file",
            Self::Load => "load",
        }
    }
}

/// What the transactions of a group have in common.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Key {
    /// Nothing: all of the capture.
    All,
    /// An operation.
    Operation {
        /// Its protocol.
        protocol: &'static str,
        /// The specification's name of it.
        command: &'static str,
        /// The protocol's number for it.
        code: u32,
        /// Its class.
        kind: Kind,
    },
    /// A class of operations.
    Kind(Kind),
    /// A server.
    Server(Endpoint),
    /// A client.
    Client(Endpoint),
    /// A share or volume, by its name without the server's and in lower case.
    Share(Arc<str>),
    /// A file likewise.
    File {
        /// Its share, if known.
        share: Option<Arc<str>>,
        /// Its name, without a separator in front.
        path: Arc<str>,
    },
    /// The number of stations that were active when they ended, and had been for a second or more.
    Stations {
        /// The number, or the least.
        from: u32,
        /// The most.
        to: u32,
    },
}

/// The load at which captures are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtLoad {
    /// With this number of active stations.
    Stations(u32),
    /// Each with the number at which its throughput is greatest.
    Peak,
}

/// The figures of a group in one capture.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Side {
    /// What became of the requests.
    pub counts: Counts,
    /// t3 - t2, as in [`wirewait_analysis::ServerRow::turnaround`].
    pub turnaround: Times,
    /// t4 - t1. In groups of several operations without waits by design, session set-up and
    /// breaks.
    pub response_time: Times,
    /// The values of both, or some of them.
    pub samples: Samples,
    /// Frames, by what they did.
    pub frames: FrameSums,
    /// File data moved.
    pub data_bytes: u64,
    /// Of the file data, that of requests that have a response time: what rates by a time of requests or
    /// clients count.
    pub moving_bytes: u64,
    /// Their response time.
    pub moving_ns: i128,
    /// From the first request's first frame to the last answer's last; `None` for operations.
    pub elapsed_ns: Option<u64>,
    /// Time with at least one request outstanding, summed over clients; only for all, and for
    /// a client.
    pub busy_ns: Option<u64>,
    /// Active time of the clients: waiting, or between requests and not idle. `None` where there is
    /// no account of time, as for operations.
    pub active_ns: Option<u64>,
    /// The number of active stations with the greatest throughput, and that, bytes per second; only
    /// for all.
    pub peak: Option<(u32, u64)>,
    /// Likewise of responses, thousandths of one per second.
    pub peak_transactions: Option<(u32, u64)>,
    /// The jobs of its clients; only for all, and where the transactions themselves were seen.
    pub jobs: Option<JobTimes>,
    /// Of a number of active stations: nothing is known of requests without a response, of frames,
    /// and of the turnaround but its extremes and its mean.
    pub of_load: bool,
}

impl Side {
    /// Whether percentiles would be those of a choice of the values.
    fn drawn(&self) -> bool {
        let samples = &self.samples;
        samples
            .turnaround
            .fidelity()
            .max(samples.response_time.fidelity())
            == Fidelity::Drawn
    }
}

/// A group of transactions, with its figures in each of the captures.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Group {
    /// What its transactions have in common.
    pub key: Key,
    /// Its figures, the baseline first; `None` where it does not occur.
    pub sides: Vec<Option<Side>>,
    /// How sure the differences of the others are, one by one.
    pub sure: Vec<Sure>,
}

/// How sure it is that a group differs from the baseline.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Sure {
    /// In turnaround.
    pub turnaround: Confidence,
    /// In response time.
    pub response_time: Confidence,
    /// Below this the probability has to be: [`LEVEL`], shared among the tests of the table,
    /// since one of many differs by chance.
    pub level: f64,
    /// How likely chance alone makes the difference of the parts of requests that fail, or a greater one, where failures
    /// follow each other; `None` where they do not, or their order is not known.
    pub failures: Option<f64>,
}

impl Sure {
    /// Whether the confidence suffices; `None` where no test was made.
    #[must_use]
    pub fn significant(&self, confidence: &Confidence) -> Option<bool> {
        confidence.p().map(|p| p < self.level)
    }
}

impl Group {
    /// The baseline's figures.
    #[must_use]
    pub fn base(&self) -> Option<&Side> {
        self.sides.first()?.as_ref()
    }

    /// The figures of the other with this number, counted from 0.
    #[must_use]
    pub fn other(&self, number: usize) -> Option<&Side> {
        self.sides.get(number + 1)?.as_ref()
    }

    /// Whether it is of this number of active stations.
    #[must_use]
    pub fn has_stations(&self, stations: u32) -> bool {
        matches!(self.key, Key::Stations { from, to } if (from..=to).contains(&stations))
    }

    /// A figure of the baseline and of another, where both have it.
    #[must_use]
    pub fn both(&self, number: usize, figure: Figure) -> Option<(Ratio, Ratio)> {
        Some((figure.of(self.base()?)?, figure.of(self.other(number)?)?))
    }

    /// How much another differs from the baseline.
    #[must_use]
    pub fn change(&self, number: usize, figure: Figure) -> Option<Change> {
        self.both(number, figure)
            .map(|(base, other)| base.change(other))
    }
}

/// Several captures against the first of them.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Comparison {
    /// By what the groups are formed.
    pub by: By,
    /// Nobody asked for classes of operations, but the captures have hardly an operation in
    /// common.
    pub fell_back: bool,
    /// Everything together.
    pub all: Group,
    /// The groups, by response time in all captures together, the greatest first.
    pub groups: Vec<Group>,
    /// The answer for each capture but the baseline.
    pub verdicts: Vec<Conclusion>,
    /// A capture has more transactions than times of them are [kept](KEPT): of the others there are
    /// histograms, or a choice.
    pub drawn: bool,
}

impl Comparison {
    /// Compares all others with the first. Without `by` operations are compared, or classes
    /// of them where the captures have no operations in common.
    #[must_use]
    pub fn of(captures: &[&Snapshot], by: Option<By>) -> Self {
        Self::with(captures, &[], by)
    }

    /// As [`Comparison::of`], with the times of the transactions of each capture: percentiles and
    /// tests are of them, where the rows have them rounded or have a few.
    #[must_use]
    pub fn with(captures: &[&Snapshot], values: &[Values], by: Option<By>) -> Self {
        let all = group::all(captures, values);
        let operations = group::groups(captures, values, By::Operation);
        let foreign = by.is_none() && group::foreign(&operations, captures.len());
        let chosen = match by {
            Some(by) => by,
            None if foreign => By::Kind,
            None => By::Operation,
        };
        let groups = match chosen {
            By::Operation => operations.clone(),
            other => group::groups(captures, values, other),
        };
        // Where classes are compared, classes make the mix.
        let mix = if chosen == By::Kind {
            &groups
        } else {
            &operations
        };
        let mix_by = if chosen == By::Kind {
            By::Kind
        } else {
            By::Operation
        };
        let succeeded: Vec<_> = values.iter().map(|one| one.succeeded(mix_by)).collect();
        let table = |by: By| match by == chosen {
            true => groups.clone(),
            false => group::groups(captures, values, by),
        };
        let (servers, clients) = (table(By::Server), table(By::Client));
        let tables = [
            (By::Server, servers.as_slice()),
            (By::Client, clients.as_slice()),
            (mix_by, mix.as_slice()),
        ];
        let places = captures.iter().enumerate();
        let parts: Vec<_> = places
            .map(|(place, snapshot)| match values.get(place) {
                Some(values) => values.parts(),
                None => blocks::of_timeline(&snapshot.load.timeline),
            })
            .collect();
        let repeated: Vec<_> = (0..captures.len())
            .map(|place| values.get(place).map(Values::repeated))
            .collect();
        let same_traffic = |number: usize| match (values.first(), values.get(number + 1)) {
            (Some(base), Some(other)) => base.are_of_the_traffic_of(other),
            _ => false,
        };
        let loads = |number: usize| {
            let line = |place: usize| Some(&captures.get(place)?.load.timeline);
            load::SameLoads::of(line(0)?, line(number + 1)?)
        };
        let verdicts = (0..captures.len().saturating_sub(1))
            .map(|number| {
                let premises = conclusion::Premises {
                    captures,
                    parts: &parts,
                    repeated: &repeated,
                    loads: loads(number),
                    all: &all,
                    groups: &groups,
                    mix,
                    tables: &tables,
                    succeeded: &succeeded,
                    same_traffic: same_traffic(number),
                };
                Conclusion::on(&premises, number)
            })
            .collect();
        Self {
            by: chosen,
            fell_back: foreign,
            all,
            groups,
            verdicts,
            drawn: values.iter().any(|v| v.fidelity() == Fidelity::Drawn),
        }
    }
}

#[cfg(test)]
mod false_alarms;
#[cfg(test)]
mod testing;

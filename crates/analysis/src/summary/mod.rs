//! Sums that can be added up: of shards of one capture, of sensors, of days.
//!
//! A [`Snapshot`] has percentiles, means and rankings, which cannot be added. A [`Summary`]
//! holds what can: integers, and values by which percentiles are found again. Adding is
//! associative and commutative, so that the sum is the same for any split and any order; and
//! it is that of the whole, as long as no conversation is in two parts. Where two parts have
//! the same conversation at the same time it [says so](Summary::quality).
//!
//! What is not in it: time in which several clients waited for one server, since two parts may
//! have waited at the same time (of each pair of stations it is); load, symptoms and whatever
//! else depends on what happened at the same moment.

mod rows;
mod seen;
mod timing;

pub use rows::{LedgerSum, OperationKey, OperationSum, PairKey, PlaceSum, StationSum, Total};
pub use seen::{Common, Conversations, KEPT as SIGHTINGS_KEPT, Sighting, Sightings};
pub use timing::{Inconsistent, Timing};

use crate::bounds::Bound;
use crate::quality::{self, Judged};
use crate::{Attribution, Grade, Histogram, Label, Reason, Snapshot};
use rows::add;
use std::collections::BTreeMap;
use wirewait_wire::word::Name;
use wirewait_wire::{Address, Endpoint, Timestamp};

/// Sums over a capture, or over several.
///
/// ```
/// use wirewait_analysis::Summary;
///
/// let mut month = Summary::default();
/// for day in [Summary::default(), Summary::default()] {
///     month.merge(&day);
/// }
/// assert_eq!(month.frames, 0);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// How many analyses are in it.
    pub parts: u64,
    /// Frames, mirror copies included.
    pub frames: u64,
    /// Bytes on the wire.
    pub bytes: u64,
    /// The earliest first frame.
    pub first: Option<Timestamp>,
    /// The latest last frame.
    pub last: Option<Timestamp>,
    /// From the first to the last frame of each part, together, ns.
    pub covered_ns: u64,
    /// Conversations that were followed. One that goes on in another part counts there, too.
    pub conversations: u64,
    /// What was found wrong or noteworthy, by the names of the reasons.
    pub faults: BTreeMap<Name, u64>,
    /// Frames that contain each protocol.
    pub protocols: BTreeMap<Name, u64>,
    /// Where the frames went.
    pub attribution: Attribution,
    /// By server and operation.
    pub operations: BTreeMap<OperationKey, OperationSum>,
    /// By client.
    pub stations: BTreeMap<Endpoint, StationSum>,
    /// Where the time of each client at each server went.
    pub pairs: BTreeMap<PairKey, LedgerSum>,
    /// By user, share and file.
    pub places: BTreeMap<Label, PlaceSum>,
    /// How turnaround is spread.
    pub turnaround: Histogram,
    /// How the response time is spread.
    pub response_time: Histogram,
    /// What was left out of which statistic, by statistic and reason.
    pub excluded: BTreeMap<(Name, Name), u64>,
    /// Conversations, by which two parts with the same ones are found.
    pub sightings: Sightings,
}

impl Summary {
    /// What of a snapshot can be added up.
    #[must_use]
    pub fn of(snapshot: &Snapshot) -> Self {
        let capture = &snapshot.capture;
        let stamps = [capture.first, capture.last];
        let stamps = stamps.map(|at| at.map_or(0, |at| at.as_nanos().cast_unsigned()));
        let part = [capture.frames, capture.bytes, stamps[0], stamps[1]];
        let mut summary = Self {
            parts: 1,
            frames: capture.frames,
            bytes: capture.bytes,
            first: capture.first,
            last: capture.last,
            covered_ns: capture.elapsed_ns,
            conversations: capture.conversations,
            attribution: snapshot.attribution,
            turnaround: snapshot.distribution.turnaround,
            response_time: snapshot.distribution.response_time,
            sightings: Sightings::of(&snapshot.seen, &part),
            ..Self::default()
        };
        for reason in &capture.reasons {
            add(summary.faults.entry(reason.name).or_default(), reason.count);
        }
        for (name, n) in &snapshot.protocols {
            add(summary.protocols.entry(name).or_default(), *n);
        }
        for row in &snapshot.excluded {
            let sum = summary.excluded.entry((row.from, row.reason)).or_default();
            add(sum, row.count);
        }
        for row in &snapshot.servers {
            let (key, sum) = rows::operation(row);
            summary.operations.entry(key).or_default().merge(&sum);
        }
        for row in &snapshot.stations {
            let (key, sum) = rows::station(row);
            summary.stations.entry(key).or_default().merge(&sum);
        }
        for (key, sum) in snapshot.ledgers.iter().filter_map(rows::pair) {
            summary.pairs.entry(key).or_default().merge(&sum);
        }
        for row in &snapshot.places {
            let (key, sum) = rows::place(row);
            summary.add_place(key, &sum);
        }
        summary
    }

    /// Adds to a place, which is called by the first of its spellings.
    pub fn add_place(&mut self, mut key: Label, part: &PlaceSum) {
        let mut sum = PlaceSum::default();
        if let Some((known, before)) = self.places.remove_entry(&key) {
            key.respell(&known);
            sum = before;
        }
        sum.merge(part);
        self.places.insert(key, sum);
    }

    /// Adds another part, in any order.
    pub fn merge(&mut self, other: &Self) {
        add(&mut self.parts, other.parts);
        add(&mut self.frames, other.frames);
        add(&mut self.bytes, other.bytes);
        self.first = self.first.into_iter().chain(other.first).min();
        self.last = self.last.max(other.last);
        add(&mut self.covered_ns, other.covered_ns);
        add(&mut self.conversations, other.conversations);
        for (name, n) in &other.faults {
            add(self.faults.entry(name).or_default(), *n);
        }
        for (name, n) in &other.protocols {
            add(self.protocols.entry(name).or_default(), *n);
        }
        let (sum, part) = (&mut self.attribution, &other.attribution);
        add(&mut sum.transactions, part.transactions);
        add(&mut sum.control, part.control);
        add(&mut sum.other, part.other);
        add(&mut sum.duplicates, part.duplicates);
        for (key, part) in &other.operations {
            self.operations.entry(*key).or_default().merge(part);
        }
        for (key, part) in &other.stations {
            self.stations.entry(*key).or_default().merge(part);
        }
        for (key, part) in &other.pairs {
            self.pairs.entry(*key).or_default().merge(part);
        }
        for (key, part) in &other.places {
            self.add_place(key.clone(), part);
        }
        self.turnaround.merge(&other.turnaround);
        self.response_time.merge(&other.response_time);
        for (key, n) in &other.excluded {
            add(self.excluded.entry(*key).or_default(), *n);
        }
        let beyond = self.sightings.merge(&other.sightings);
        if beyond > 0 {
            let name = Bound::Sightings.name();
            add(self.faults.entry(name).or_default(), beyond);
        }
    }

    /// What speaks for and against the figures, judged anew by the sums, and the worst of it.
    #[must_use]
    pub fn quality(&self) -> (Grade, Vec<Reason>) {
        let judged = Judged {
            frames: self.frames,
            conversations: self.conversations,
            known: self
                .frames
                .saturating_sub(self.faults.get(quality::UNKNOWN_LINK).copied().unwrap_or(0)),
        };
        let mut reasons =
            quality::reasons(&judged, |name| self.faults.get(name).copied().unwrap_or(0));
        let common = self.sightings.common();
        if common.repeated {
            reasons.push(Reason {
                name: "part_repeated",
                text: "times that the very same part was added once more: all of it counts again",
                count: 1,
                grade: Grade::Poor,
            });
        }
        if common.twice > 0 {
            reasons.push(Reason {
                name: "counted_twice",
                text: "conversations that two of the parts have at the same time, of those that \
                       were looked at: their requests count twice",
                count: common.twice,
                grade: Grade::Poor,
            });
        }
        let grade = reasons.iter().map(|r| r.grade).max();
        (grade.unwrap_or(Grade::Good), reasons)
    }

    /// Each server as a whole; by total response time, the greatest first.
    #[must_use]
    pub fn totals(&self) -> Vec<Total> {
        rows::totals(&self.operations)
    }
}

/// A station as it is written wherever it was seen: of the network of an ordinary node nobody
/// knows it always, and it tells nobody apart.
fn plain(end: Endpoint) -> Endpoint {
    let net = match end.address {
        Address::Node { net, .. } => net,
        _ => 0,
    };
    Endpoint { net, ..end }
}

#[cfg(test)]
mod tests;

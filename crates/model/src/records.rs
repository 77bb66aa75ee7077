//! What the pairing tells the statistics: values in batches, that borrow nothing and can be counted
//! where and when one likes. Transactions come in [groups](Group) that count in the same rows, so
//! that a row is found once for all of them. Who they concern stands in them as numbers, and
//! [`Entities`] know the names.

mod ids;

pub use ids::{EntityId, LabelId, OperationId, PairId, StationId};

use crate::distribution::{Batch, BitsOf};
use crate::exclusion::Exclusions;
use crate::figures::{Counts, FrameSums};
use crate::{Flags, Label, Outcome};
use std::hash::{Hash, Hasher};
use wirewait_wire::word::Name;
use wirewait_wire::{Endpoint, Kind, Operation, Timestamp};

/// A client and a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Pair {
    /// The client.
    pub client: Endpoint,
    /// The server.
    pub server: Endpoint,
}

/// An operation at a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OperationAt {
    /// The server; `None` where nothing is kept of it.
    pub server: Option<StationId>,
    /// The protocol of the requests.
    pub protocol: Name,
    /// What carried them.
    pub carrier: Name,
    /// The specification's name of the operation.
    pub command: Name,
    /// The protocol's number for it.
    pub code: u32,
    /// Its class.
    pub kind: Kind,
}

/// Without the names, which are the same wherever the numbers are, or nearly.
impl Hash for OperationAt {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.server.hash(state);
        state.write_u32(self.code);
        state.write_u8(self.kind as u8);
    }
}

/// What all transactions of a [`Group`] have in common.
#[derive(Clone, Copy, Debug)]
pub struct GroupKey {
    /// Who asked; `None` for clients of which nothing is kept, as of those in a flood.
    pub client: Option<StationId>,
    /// Who was asked; `None` likewise.
    pub server: Option<StationId>,
    /// Both.
    pub pair: Option<PairId>,
    /// What was asked for.
    pub at: OperationId,
    /// The user, the share and the file, where they have names.
    pub labels: [Option<LabelId>; 3],
    /// The client's end of the conversation; of [several](GroupKey::several) clients one of them.
    pub client_end: Endpoint,
    /// The server's.
    pub server_end: Endpoint,
    /// The protocol of the requests.
    pub protocol: Name,
    /// What carried them.
    pub carrier: Name,
    /// What was asked for.
    pub operation: &'static Operation,
    /// The protocol's number for it.
    pub code: u32,
    /// Its class.
    pub kind: Kind,
    /// Routers that the requests had passed, where these are counted.
    pub hops: Option<u8>,
    /// They are of several clients of which nothing is kept: each is among the
    /// [strangers](Records::strangers) of a batch.
    pub several: bool,
}

/// Transactions that are closed and count in the same rows, and what they add up to.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Group {
    /// What they have in common.
    pub key: GroupKey,
    /// What became of them.
    pub counts: Counts,
    /// Their frames, of those of which the capture has all.
    pub frames: FrameSums,
    /// Frames that were retransmitted for them.
    pub retransmitted: u64,
    /// Bytes of file data moved.
    pub data_bytes: u64,
    /// Those of transactions without a response time, which few lack.
    pub untimed_bytes: u64,
    /// Response time of those that moved some, ns.
    pub moving_ns: i128,
    /// From the first frame of those with times to the last.
    pub span: Option<(Timestamp, Timestamp)>,
    /// What they are left out of.
    pub excluded: Exclusions,
    /// Each of them, [`Group::MOST`] at most.
    pub lines: Vec<Line>,
}

impl Group {
    /// Bytes of those that moved some and have a response time.
    #[must_use]
    pub const fn moving_bytes(&self) -> u64 {
        self.data_bytes.saturating_sub(self.untimed_bytes)
    }

    /// Transactions in one of them.
    pub const MOST: usize = Batch::MOST;

    /// Without any transactions as yet.
    #[must_use]
    pub fn new(key: GroupKey) -> Self {
        Self {
            key,
            counts: Counts::default(),
            frames: FrameSums::default(),
            retransmitted: 0,
            data_bytes: 0,
            untimed_bytes: 0,
            moving_ns: 0,
            span: None,
            excluded: Exclusions::default(),
            lines: Vec::new(),
        }
    }

    /// As when it was new, of the same.
    pub fn clear(&mut self) {
        let Self {
            key: _,
            counts,
            frames,
            retransmitted,
            data_bytes,
            untimed_bytes,
            moving_ns,
            span,
            excluded,
            lines,
        } = self;
        (*counts, *frames) = (Counts::default(), FrameSums::default());
        (*retransmitted, *data_bytes) = (0, 0);
        (*untimed_bytes, *moving_ns) = (0, 0);
        *span = None;
        *excluded = Exclusions::default();
        lines.clear();
    }
}

/// One transaction of a group.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    /// Its number in the capture, counted from 1.
    pub number: u64,
    /// How many were closed before it.
    pub order: u64,
    /// Message bytes of the request, framing headers included.
    pub request_bytes: u64,
    /// Bytes of file data asked for.
    pub asked_bytes: u64,
    /// Bytes of file data moved.
    pub data_bytes: u64,
    /// What it took, where it counts in statistics of times.
    pub times: Option<LineTimes>,
    /// What became of it.
    pub outcome: Outcome,
    /// What to bear in mind.
    pub flags: Flags,
}

/// What a transaction took.
#[derive(Clone, Copy, Debug)]
pub struct LineTimes {
    /// First frame of the request.
    pub first_frame: u64,
    /// Last frame of the response.
    pub last_frame: u64,
    /// t4 - t1, ns.
    pub response_ns: i64,
    /// t3 - t2, if it is the server's work on this request alone, ns.
    pub turnaround_ns: Option<i64>,
    /// t2 - t1, ns.
    pub request_transfer_ns: i64,
    /// t4 - t3, ns.
    pub response_transfer_ns: i64,
}

/// The times of a group, column by column.
#[derive(Default)]
pub struct GroupTimes {
    /// t4 - t1.
    pub response_time: Batch,
    /// t3 - t2.
    pub turnaround: Batch,
    /// t2 - t1.
    pub request_transfer: Batch,
    /// t4 - t3.
    pub response_transfer: Batch,
}

impl GroupTimes {
    /// Those of this group, and nothing else.
    #[inline(always)]
    pub fn fill(&mut self, group: &Group) {
        let [response, requests, responses, turnaround] = [
            &mut self.response_time,
            &mut self.request_transfer,
            &mut self.response_transfer,
            &mut self.turnaround,
        ];
        // One walk for all of them; and what is zero throughout, as what is transferred in one
        // frame, is found with it.
        let mut bits = [BitsOf::default(); 4];
        let (mut n, mut turnarounds) = (0, 0);
        let rooms = [response.room(), requests.room(), responses.room()];
        let [response_ns, request_ns, transfer_ns] = rooms;
        let turnaround_ns = turnaround.room();
        for took in group.lines.iter().filter_map(|line| line.times.as_ref()) {
            if n >= Batch::MOST {
                break;
            }
            response_ns[n] = took.response_ns;
            request_ns[n] = took.request_transfer_ns;
            transfer_ns[n] = took.response_transfer_ns;
            bits[0].add(took.response_ns);
            bits[1].add(took.request_transfer_ns);
            bits[2].add(took.response_transfer_ns);
            n += 1;
            if let Some(ns) = took.turnaround_ns {
                // No more of them than lines.
                turnaround_ns[turnarounds % Batch::MOST] = ns;
                bits[3].add(ns);
                turnarounds += 1;
            }
        }
        response.find(n, bits[0], bits[0].are_none());
        requests.find(n, bits[1], bits[1].are_none());
        responses.find(n, bits[2], bits[2].are_none());
        turnaround.find(turnarounds, bits[3], bits[3].are_none());
    }
}

/// What happens one after the other.
// With a tag of its own: one that is made of what an answer lacks is dearer to read, several times for each.
#[derive(Clone, Copy, Debug)]
#[repr(u8)]
pub enum Moment {
    /// A client begins to wait for a request.
    Begins(Waiting),
    /// It no longer waits for it.
    Ends(Waiting),
    /// A request was answered, and is closed.
    Answered(Answer),
    /// Frames of an interface.
    Frames(Traffic),
    /// This is the time of the capture now; it is said every 50 ms.
    Now(Timestamp),
    /// The capture is over.
    Over,
    /// Two addresses turn out to be those of one client.
    Joined(Joined),
}

/// A client that turns out to be another one, with a further address: what it did and does belongs to that.
#[derive(Clone, Copy, Debug)]
pub struct Joined {
    /// The further address.
    pub client: StationId,
    /// The first one.
    pub first: StationId,
    /// And that as an address.
    pub first_end: Endpoint,
    /// The server that it asked there.
    pub server: Option<StationId>,
    /// The interface of the frame that shows it.
    pub interface: u32,
    /// Since when.
    pub at: Timestamp,
}

/// A client that waits for one of its requests, or no longer does.
#[derive(Clone, Copy, Debug)]
pub struct Waiting {
    /// Who; `None` for clients of which nothing is kept.
    pub client: Option<StationId>,
    /// For whom; `None` likewise.
    pub server: Option<StationId>,
    /// The interface of the frame that shows it.
    pub interface: u32,
    /// It asked anyone, not this server.
    pub anyone: bool,
    /// Since when.
    pub at: Timestamp,
}

/// An answered request, waits by design and breaks apart.
#[derive(Clone, Copy, Debug)]
pub struct Answer {
    /// Who asked; `None` for clients of which nothing is kept.
    pub client: Option<StationId>,
    /// Who was asked; `None` likewise.
    pub server: Option<StationId>,
    /// t1.
    pub began: Timestamp,
    /// t4, or t5 of a raw write if that is later.
    pub ended: Timestamp,
    /// The class of the operation.
    pub kind: Kind,
    /// Bytes of file data moved.
    pub data_bytes: u64,
    /// t4 - t1, if it counts in times of stations, ns.
    pub response_ns: Option<i64>,
    /// t3 - t2, if it counts there, ns.
    pub turnaround_ns: Option<i64>,
}

/// Frames of an interface, one after the other, within [`Traffic::NS`].
#[derive(Clone, Copy, Debug)]
pub struct Traffic {
    /// Which.
    pub interface: u32,
    /// When the first of this time was seen; it may have been recorded before.
    pub since: Timestamp,
    /// Bytes on the wire.
    pub bytes: u64,
}

impl Traffic {
    /// How long frames count as one, ns.
    pub const NS: i64 = 10_000_000;
}

/// Records on their way to the statistics: values that borrow nothing, so that they can be counted
/// on another thread. The room of one that was counted is used again.
#[derive(Clone, Debug, Default)]
pub struct RecordBatch {
    /// Who waits since when, and what ended when, in this order.
    pub moments: Vec<Moment>,
    /// Transactions.
    pub groups: Vec<Group>,
    /// Clients of which nothing is kept, each as often as it asked in a group of
    /// [several](GroupKey::several).
    pub strangers: Vec<Endpoint>,
    /// Clients are [joined](Moment::Joined) in it.
    pub joins: bool,
    /// Room of groups that were counted.
    spare: Vec<Group>,
}

impl RecordBatch {
    /// Groups and moments from which on a batch is worth handing over. A frame that closes many
    /// requests may make more.
    const GROUPS: usize = 16;
    const MOMENTS: usize = 512;

    /// Whether there is enough to hand it over.
    #[must_use]
    #[inline]
    pub fn is_full(&self) -> bool {
        Self::are_many(self.groups.len(), self.moments.len())
    }

    /// Whether this number of groups, or of moments, is enough to hand them over.
    #[must_use]
    #[inline]
    pub const fn are_many(groups: usize, moments: usize) -> bool {
        groups >= Self::GROUPS || moments >= Self::MOMENTS
    }

    /// Whether nothing is in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty() && self.moments.is_empty() && self.strangers.is_empty()
    }

    /// Takes a group and leaves room in its place, to be [cleared](Group::clear).
    pub fn take(&mut self, group: &mut Group) {
        let key = group.key;
        let mut room = self.spare.pop().unwrap_or_else(|| Group::new(key));
        room.key = key;
        self.groups.push(std::mem::replace(group, room));
    }

    /// It was counted: only its room is left.
    pub fn clear(&mut self) {
        self.moments.clear();
        self.strangers.clear();
        self.joins = false;
        if self.spare.is_empty() {
            // As where all of them were needed: groups are large.
            std::mem::swap(&mut self.spare, &mut self.groups);
        } else {
            self.spare.append(&mut self.groups);
        }
        self.spare.truncate(Self::GROUPS);
    }
}

/// What a [`RecordBatch`] holds, with the times of its groups.
#[derive(Clone, Copy, Default)]
pub struct Records<'a> {
    /// Who waits since when, and what ended when.
    pub moments: &'a [Moment],
    /// Transactions.
    pub groups: &'a [Group],
    /// The times of each group, in the same order.
    pub times: &'a [GroupTimes],
    /// Clients of which nothing is kept, each as often as it asked in a group of
    /// [several](GroupKey::several).
    pub strangers: &'a [Endpoint],
}

impl<'a> Records<'a> {
    /// Each group with its times.
    pub fn grouped(&self) -> impl Iterator<Item = (&'a Group, &'a GroupTimes)> + use<'a> {
        self.groups.iter().zip(self.times)
    }
}

/// Who and what is behind the numbers in records, while something is kept of it.
pub trait Entities {
    /// The station with this number.
    fn station(&self, id: StationId) -> Option<Endpoint>;

    /// The client and the server with this number.
    fn pair(&self, id: PairId) -> Option<Pair>;

    /// The operation with this number.
    fn operation(&self, id: OperationId) -> Option<OperationAt>;

    /// The user, share or file with this number.
    fn label(&self, id: LabelId) -> Option<&Label>;
}

//! Records as the pairing makes them.

use crate::Collector;
use std::num::NonZeroU32;
use wirewait_model::records::{
    Entities, EntityId, Group, GroupKey, GroupTimes, LabelId, Line, LineTimes, Moment, OperationAt,
    OperationId, Pair, PairId, Records, StationId, Waiting,
};
use wirewait_model::{Flags, Label, Outcome};
use wirewait_wire::{Endpoint, Kind, Operation, Timestamp};

/// Knows the first generation of stations below 9, by their numbers.
pub(crate) struct Named;

pub(crate) const NAMED: Named = Named;

pub(crate) const SERVER: u32 = 7;

pub(crate) static READ: Operation = Operation::new("READ", Kind::Read, true);

pub(crate) const fn id<T>(index: u32) -> EntityId<T> {
    EntityId::new(index, NonZeroU32::MIN)
}

pub(crate) fn end(index: u32) -> Endpoint {
    Endpoint::mac([2, 0, 0, 0, 0, u8::try_from(index).unwrap()])
}

impl Entities for Named {
    fn station(&self, of: StationId) -> Option<Endpoint> {
        let known = of.index() < 9 && of == id(of.index());
        known.then(|| end(of.index()))
    }

    /// A client at the server, by the number of the client.
    fn pair(&self, of: PairId) -> Option<Pair> {
        Some(Pair {
            client: self.station(id(of.index()))?,
            server: end(SERVER),
        })
    }

    fn operation(&self, of: OperationId) -> Option<OperationAt> {
        (of == id(0)).then(|| OperationAt {
            server: Some(id(SERVER)),
            protocol: "toy",
            carrier: "toy_link",
            command: READ.name,
            code: 1,
            kind: READ.kind,
        })
    }

    fn label(&self, _: LabelId) -> Option<&Label> {
        None
    }
}

/// An answered request without times.
pub(crate) fn line() -> Line {
    Line {
        number: 1,
        order: 0,
        request_bytes: 0,
        asked_bytes: 0,
        data_bytes: 0,
        times: None,
        outcome: Outcome::Answered,
        flags: Flags::default(),
    }
}

/// The next one in the same place.
pub(crate) fn later<T>(of: EntityId<T>) -> EntityId<T> {
    EntityId::new(of.index(), of.generation().saturating_add(1))
}

/// A client that waits, or no longer does.
pub(crate) fn waiting(client: u32, at: Timestamp) -> Waiting {
    Waiting {
        client: Some(id(client)),
        server: Some(id(SERVER)),
        interface: 0,
        anyone: false,
        at,
    }
}

/// Counts these.
pub(crate) fn batch(to: &mut impl Collector, moments: &[Moment], groups: &[Group]) {
    let times = groups.iter().map(|group| {
        let mut times = GroupTimes::default();
        times.fill(group);
        times
    });
    let times: Vec<GroupTimes> = times.collect();
    to.batch(&Records {
        moments,
        groups,
        times: &times,
        ..Records::default()
    });
}

/// One that took so long, turnaround and all.
pub(crate) fn timed(ns: i64) -> Line {
    Line {
        times: Some(LineTimes {
            first_frame: 1,
            last_frame: 2,
            response_ns: ns,
            turnaround_ns: Some(ns),
            request_transfer_ns: 0,
            response_transfer_ns: 0,
        }),
        ..line()
    }
}

/// Transactions of this client.
pub(crate) fn group(client: Option<u32>, lines: &[Line]) -> Group {
    let mut group = Group::new(GroupKey {
        client: client.map(id),
        server: Some(id(SERVER)),
        pair: client.map(id),
        at: id(0),
        labels: [None; 3],
        client_end: end(client.unwrap_or(0)),
        server_end: end(SERVER),
        protocol: "toy",
        carrier: "toy_link",
        operation: &READ,
        code: 1,
        kind: READ.kind,
        hops: None,
        several: client.is_none(),
    });
    group.counts.requests = lines.len() as u64;
    group.counts.answered = lines.len() as u64;
    group.lines = lines.to_vec();
    group
}

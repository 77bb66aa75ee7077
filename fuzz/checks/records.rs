//! What must hold for statistics over any records at all: in any order, with any numbers.

use crate::input::Choices;
use std::num::NonZeroU32;
use wirewait_model::records::{
    Answer, Entities, EntityId, Group, GroupKey, LabelId, Line, LineTimes, Moment, OperationAt,
    OperationId, Pair, PairId, RecordBatch, StationId, Traffic, Waiting,
};
use wirewait_model::{Figures, Flags, Label, Outcome};
use wirewait_stats::{Collectors, Options};
use wirewait_wire::{Endpoint, Kind, Operation, Timestamp};

static READ: Operation = Operation::new("READ", Kind::Read, true);
static WAIT: Operation = Operation::new("WAIT", Kind::Wait, true);

/// Knows stations, pairs and operations up to a number, in the generation that came last.
struct Known {
    most: u32,
    generation: NonZeroU32,
}

impl Known {
    fn has<T>(&self, id: EntityId<T>) -> bool {
        id.index() < self.most && id.generation() == self.generation
    }
}

fn end(index: u32) -> Endpoint {
    let [a, b, c, d] = index.to_be_bytes();
    Endpoint::mac([2, 0, a, b, c, d])
}

impl Entities for Known {
    fn station(&self, id: StationId) -> Option<Endpoint> {
        self.has(id).then(|| end(id.index()))
    }

    fn pair(&self, id: PairId) -> Option<Pair> {
        self.has(id).then(|| Pair {
            client: end(id.index()),
            server: end(id.index() / 2),
        })
    }

    fn operation(&self, id: OperationId) -> Option<OperationAt> {
        self.has(id).then(|| OperationAt {
            server: Some(EntityId::new(id.index() % 4, self.generation)),
            protocol: "toy",
            carrier: "toy_link",
            command: READ.name,
            code: id.index(),
            kind: Kind::Read,
        })
    }

    fn label(&self, _: LabelId) -> Option<&Label> {
        None
    }
}

/// Reads records, counts them whole and in pieces, and checks what must hold.
///
/// # Panics
/// When it does not.
pub(crate) fn check(data: &[u8]) {
    let mut input = Choices(data);
    let lasting = input.byte() & 1 == 0;
    let known = Known {
        most: u32::from(input.byte() % 40),
        generation: NonZeroU32::MIN.saturating_add(u32::from(!lasting)),
    };
    let (mut moments, mut groups) = (Vec::new(), Vec::new());
    while !input.0.is_empty() && groups.len() < 300 {
        match input.byte() % 3 {
            0 => moments.push(moment(&mut input, lasting)),
            _ => groups.push(group(&mut input, lasting)),
        }
    }
    let strangers = [end(7), end(8), end(7)];
    let options = Options {
        rows: 8,
        think_ns: 500_000_000,
    };
    let mut whole = Collectors::new(&options);
    batch(&mut whole, &moments, &groups, &strangers);
    let whole = whole.figures(&known);
    rows_make_sense(&whole, &groups);
    if lasting {
        // Nobody's number goes to another one: cuts change nothing.
        let mut pieces = Collectors::new(&options);
        for moments in moments.chunks(3) {
            batch(&mut pieces, moments, &[], &[]);
        }
        for groups in groups.chunks(2) {
            batch(&mut pieces, &[], groups, &[]);
        }
        batch(&mut pieces, &[], &[], &strangers);
        let pieces = pieces.figures(&known);
        assert_eq!(format!("{whole:?}"), format!("{pieces:?}"));
    }
}

fn batch(to: &mut Collectors, moments: &[Moment], groups: &[Group], strangers: &[Endpoint]) {
    let mut batch = RecordBatch::default();
    batch.moments.extend_from_slice(moments);
    batch.groups.extend_from_slice(groups);
    batch.strangers.extend_from_slice(strangers);
    to.batch(&batch);
}

fn rows_make_sense(figures: &Figures, groups: &[Group]) {
    let requests: u64 = groups.iter().map(|group| group.counts.requests).sum();
    let in_rows = |counts: &mut dyn Iterator<Item = u64>| counts.sum::<u64>() <= requests;
    assert!(in_rows(
        &mut figures.servers.iter().map(|row| row.counts.requests)
    ));
    assert!(in_rows(
        &mut figures.stations.iter().map(|row| row.counts.requests)
    ));
    let operations = figures.servers.iter().map(|row| row.response_time);
    let stations = figures.stations.iter().map(|row| row.response_time);
    for times in operations.chain(stations) {
        let ranks = [
            times.min, times.p50, times.p90, times.p95, times.p99, times.max,
        ];
        assert!(ranks.is_sorted(), "{ranks:?}");
    }
    let timed = groups.iter().flat_map(|group| &group.lines);
    let timed = timed.filter(|line| line.times.is_some()).count() as u64;
    assert!(figures.distribution.response_time.n() <= timed);
    let sizes = figures.sizes.iter().flat_map(|curve| &curve.sizes);
    assert!(sizes.map(|row| row.response_time.n).sum::<u64>() <= timed);
}

/// From next to nothing to days.
fn number(input: &mut Choices<'_>) -> i64 {
    i64::from(input.word()) << (input.byte() % 40)
}

fn id<T>(input: &mut Choices<'_>, lasting: bool) -> EntityId<T> {
    let generation = if lasting { 0 } else { input.byte() % 3 };
    let generation = NonZeroU32::MIN.saturating_add(generation.into());
    EntityId::new(u32::from(input.byte() % 50), generation)
}

fn maybe<T>(input: &mut Choices<'_>, lasting: bool) -> Option<EntityId<T>> {
    (input.byte() & 7 > 0).then(|| id(input, lasting))
}

fn moment(input: &mut Choices<'_>, lasting: bool) -> Moment {
    let at = Timestamp::from_nanos(number(input));
    match input.byte() % 8 {
        kind @ 0..4 => {
            let waiting = Waiting {
                client: maybe(input, lasting),
                server: maybe(input, lasting),
                interface: u32::from(input.byte() % 3),
                anyone: input.byte() & 7 == 0,
                at,
            };
            match kind & 1 {
                0 => Moment::Begins(waiting),
                _ => Moment::Ends(waiting),
            }
        }
        4 => Moment::Answered(Answer {
            client: maybe(input, lasting),
            server: maybe(input, lasting),
            began: Timestamp::from_nanos(number(input)),
            ended: at,
            kind: Kind::Read,
            data_bytes: u64::from(input.word()),
            response_ns: (input.byte() & 1 == 0).then(|| number(input)),
            turnaround_ns: (input.byte() & 1 == 0).then(|| number(input)),
        }),
        5 => Moment::Frames(Traffic {
            interface: u32::from(input.byte() % 3),
            since: at,
            bytes: u64::from(input.word()),
        }),
        6 => Moment::Now(at),
        _ => Moment::Over,
    }
}

fn group(input: &mut Choices<'_>, lasting: bool) -> Group {
    let client: Option<StationId> = maybe(input, lasting);
    let server: Option<StationId> = maybe(input, lasting);
    let operation = if input.byte() & 3 == 0 { &WAIT } else { &READ };
    let at: OperationId = id(input, lasting);
    let mut group = Group::new(GroupKey {
        client,
        server,
        pair: maybe(input, lasting),
        at,
        labels: [None, maybe(input, lasting), maybe(input, lasting)],
        client_end: end(client.map_or(99, EntityId::index)),
        server_end: end(at.index() % 4),
        protocol: "toy",
        carrier: "toy_link",
        operation,
        code: at.index(),
        kind: Kind::Read,
        hops: None,
        several: client.is_none() && input.byte() & 1 == 0,
    });
    let lines = usize::from(input.byte()) % (Group::MOST + 1);
    for nth in 0..lines as u64 {
        group.counts.requests += 1;
        let times = (input.byte() & 3 > 0).then(|| LineTimes {
            first_frame: nth,
            last_frame: nth + 1,
            response_ns: number(input),
            turnaround_ns: (input.byte() & 1 == 0).then(|| number(input)),
            request_transfer_ns: 0,
            response_transfer_ns: number(input),
        });
        group.counts.answered += u64::from(times.is_some());
        group.lines.push(Line {
            number: nth,
            order: nth,
            request_bytes: number(input).unsigned_abs(),
            asked_bytes: u64::from(input.byte() % 5),
            data_bytes: u64::from(input.byte() % 5),
            times,
            outcome: match times {
                Some(_) => Outcome::Answered,
                None => Outcome::Unanswered,
            },
            flags: Flags::default(),
        });
    }
    group
}

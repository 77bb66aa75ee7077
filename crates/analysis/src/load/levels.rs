//! Figures by the number of active stations.

use super::activity::{Activity, Stretch};
use super::knee;
use super::level::{LevelCurve, LevelFigures, LevelRow, LoadOf, Moved};
use crate::bounds::{Bound, Hits};
use crate::table::Place;
use crate::{ENOUGH, Outcome, Spread, Transaction};
use std::collections::VecDeque;
use wirewait_model::Distribution;
use wirewait_model::figures::counts_for_stations;
use wirewait_model::records::LineTimes;
use wirewait_wire::{Kind, Timestamp};

/// A number of active stations is steady when it does not change for so long, ns. Shorter
/// stretches are ramps: stations are just coming or going.
pub const STEADY_NS: u64 = 1_000_000_000;
/// Numbers of stations below this are told apart; from there on, so many per doubling.
const EXACT: u32 = 64;
const PER_DOUBLING: u32 = 8;
/// Transactions that wait for their stretch to be known.
const WAITING: usize = 16_384;
/// Bytes on the wire are gathered over so long until the number of stations is known, ns.
const SLOT_NS: i64 = 10_000_000;

/// What is remembered of a transaction until its level is known.
#[derive(Clone, Copy)]
pub(super) struct Item {
    begin: Timestamp,
    end: Timestamp,
    kind: Kind,
    data_bytes: u64,
    response_ns: Option<i64>,
    turnaround_ns: Option<i64>,
}

impl Item {
    /// `None` for what was not answered, waits by design or is no request of a client.
    pub(super) fn new(t: &Transaction, took: Option<&LineTimes>) -> Option<Self> {
        if t.outcome != Outcome::Answered || matches!(t.kind, Kind::Wait | Kind::Break) {
            return None;
        }
        let t4 = t.response?.last.at;
        let counts = counts_for_stations(t.kind);
        Some(Self {
            begin: t.request?.first.at,
            end: t.raw_end.map_or(t4, |mark| mark.at.max(t4)),
            kind: t.kind,
            data_bytes: t.data_bytes,
            response_ns: took.map(|took| took.response_ns).filter(|_| counts),
            turnaround_ns: took
                .map_or_else(|| t.clean_turnaround_ns(), |took| took.turnaround_ns)
                .filter(|_| counts),
        })
    }

    /// A request that took its server the whole of its time.
    #[cfg(test)]
    pub(super) fn of(begin: Timestamp, end: Timestamp, kind: Kind, data_bytes: u64) -> Self {
        Self {
            begin,
            end,
            kind,
            data_bytes,
            response_ns: Some(end.since(begin)),
            turnaround_ns: Some(end.since(begin)),
        }
    }

    /// When its last frame came.
    pub(super) fn end(&self) -> Timestamp {
        self.end
    }

    pub(super) fn data_bytes(&self) -> u64 {
        self.data_bytes
    }

    pub(super) fn response_ns(&self) -> Option<i64> {
        self.response_ns
    }

    pub(super) fn turnaround_ns(&self) -> Option<i64> {
        self.turnaround_ns
    }
}

#[derive(Clone, Default)]
struct Sums {
    ns: u64,
    answered: u64,
    data_bytes: u64,
    response_time: Distribution,
    turnaround: Spread,
    reads: Moved,
    writes: Moved,
    /// What neither reads nor writes moved.
    others: Moved,
    wire_bytes: u64,
}

impl Sums {
    fn figures(&self) -> LevelFigures {
        LevelFigures {
            ns: self.ns,
            answered: self.answered,
            data_bytes: self.data_bytes,
            response_time: self.response_time.times(),
            turnaround: self.turnaround,
            reads: self.reads,
            writes: self.writes,
            moved: self.reads.with(&self.writes).with(&self.others),
            wire_bytes: self.wire_bytes,
        }
    }

    /// `whole`: all of its life counts, not only its end.
    fn add(&mut self, item: &Item, whole: bool) {
        self.answered += 1;
        self.data_bytes = self.data_bytes.saturating_add(item.data_bytes);
        let Some(ns) = item.response_ns.filter(|_| whole) else {
            return;
        };
        self.response_time.record(ns);
        if let Some(ns) = item.turnaround_ns {
            self.turnaround.record(ns);
        }
        if item.data_bytes > 0 {
            let moved = match item.kind {
                Kind::Read => &mut self.reads,
                Kind::Write => &mut self.writes,
                _ => &mut self.others,
            };
            moved.add(item.data_bytes, ns);
        }
    }
}

#[derive(Clone, Default)]
struct Row {
    from: u32,
    to: u32,
    steady: Sums,
    ramps: Sums,
}

type Rows = Vec<Option<Box<Row>>>;

/// The levels of the capture, a server or an interface.
#[derive(Clone)]
pub(super) struct Levels {
    activity: Activity,
    /// By the number of their class.
    rows: Rows,
    waiting: VecDeque<Item>,
    wire: VecDeque<(Timestamp, u64)>,
    unplaced: u64,
}

impl Levels {
    pub(super) fn new(think_ns: i64) -> Self {
        Self {
            activity: Activity::new(think_ns),
            rows: Vec::new(),
            waiting: VecDeque::new(),
            wire: VecDeque::new(),
            unplaced: 0,
        }
    }

    #[inline]
    pub(super) fn begins(&mut self, client: Place, at: Timestamp) {
        self.activity.begins(client, at);
    }

    #[inline]
    pub(super) fn ends(&mut self, client: Place, at: Timestamp) {
        self.activity.ends(client, at);
    }

    /// A transaction is closed.
    #[inline]
    pub(super) fn closed(&mut self, item: Item) {
        self.waiting.push_back(item);
        if self.waiting.len() > WAITING
            && let Some(item) = self.waiting.pop_front()
        {
            self.activity.hits.hit(Bound::LoadWaiting);
            place(
                &mut self.activity,
                &mut self.rows,
                &mut self.unplaced,
                std::iter::once(item),
            );
        }
    }

    /// A frame had so many bytes on the wire.
    #[inline]
    pub(super) fn frame(&mut self, at: Timestamp, wire_bytes: u64) {
        match self.wire.back_mut() {
            Some((slot, sum)) if (0..SLOT_NS).contains(&at.since(*slot)) => *sum += wire_bytes,
            _ => self.wire.push_back((at, wire_bytes)),
        }
        if self.wire.len() > WAITING
            && let Some((at, bytes)) = self.wire.pop_front()
        {
            self.activity.hits.hit(Bound::LoadWaiting);
            self.place_wire(at, bytes);
        }
    }

    /// It is `now`: settles what can be known. Tells of each stretch that is over.
    pub(super) fn settle(&mut self, now: Timestamp, over: &mut impl FnMut(Stretch)) {
        let rows = &mut self.rows;
        self.activity.settle(now, &mut |stretch| {
            count_time(rows, stretch);
            over(stretch);
        });
        self.place_known();
    }

    /// Everything is known.
    pub(super) fn finish(&mut self, over: &mut impl FnMut(Stretch)) {
        let rows = &mut self.rows;
        self.activity.finish(&mut |stretch| {
            count_time(rows, stretch);
            over(stretch);
        });
        self.place_known();
    }

    /// What was lost to fixed bounds.
    pub(super) fn hits(&self) -> &Hits {
        &self.activity.hits
    }

    pub(super) fn curve(&self, of: LoadOf) -> LevelCurve {
        let mut levels: Vec<LevelRow> = self
            .rows
            .iter()
            .flatten()
            .map(|row| LevelRow {
                stations: row.from,
                stations_to: row.to,
                steady: row.steady.figures(),
                ramps: row.ramps.figures(),
            })
            .collect();
        if let LoadOf::Server(_) = of {
            // Others' frames are on the wire as well.
            for row in &mut levels {
                (row.steady.wire_bytes, row.ramps.wire_bytes) = (0, 0);
            }
        }
        let best = |value: fn(&LevelFigures) -> Option<u64>| {
            let enough = levels.iter().filter(|row| row.steady.answered >= ENOUGH);
            let mut best: Option<(u32, u64)> = None;
            for (stations, value) in
                enough.filter_map(|row| Some((row.stations, value(&row.steady)?)))
            {
                // The fewest stations that reach it.
                if value > best.map_or(0, |(_, most)| most) {
                    best = Some((stations, value));
                }
            }
            best
        };
        LevelCurve {
            of,
            elapsed_ns: levels
                .iter()
                .map(|row| row.steady.ns.saturating_add(row.ramps.ns))
                .fold(0, u64::saturating_add),
            peak: best(LevelFigures::throughput),
            peak_transactions: best(LevelFigures::transactions),
            knee: knee::find(&levels),
            levels,
            unplaced: self.unplaced,
        }
    }

    fn place_known(&mut self) {
        let known = |activity: &Activity, at: Timestamp| {
            at.plus(i64::try_from(STEADY_NS).unwrap_or(i64::MAX)) <= activity.frontier()
        };
        let ready = self.waiting.iter();
        let ready = ready.take_while(|item| known(&self.activity, item.end));
        let ready = ready.count();
        let ready = self.waiting.drain(..ready);
        place(
            &mut self.activity,
            &mut self.rows,
            &mut self.unplaced,
            ready,
        );
        while let Some((at, bytes)) = self.wire.front().copied()
            && known(&self.activity, at)
        {
            self.wire.pop_front();
            self.place_wire(at, bytes);
        }
    }

    fn place_wire(&mut self, at: Timestamp, bytes: u64) {
        if let Some(stretch) = self.activity.at(at) {
            let sums = sums(&mut self.rows, stretch);
            sums.wire_bytes = sums.wire_bytes.saturating_add(bytes);
        }
    }
}

/// Counts transactions where it is known how many stations were active at their ends. Most lie
/// in the same stretch as the one before.
fn place(
    activity: &mut Activity,
    rows: &mut Rows,
    unplaced: &mut u64,
    items: impl Iterator<Item = Item>,
) {
    let mut items = items.peekable();
    while let Some(first) = items.next() {
        let Some(stretch) = activity.at(first.end).filter(|s| s.stations > 0) else {
            *unplaced += 1;
            continue;
        };
        let steady = stretch.ns() >= STEADY_NS;
        let sums = sums(rows, stretch);
        let mut item = Some(first);
        while let Some(next) = item {
            sums.add(&next, !steady || next.begin >= stretch.start);
            item = items.next_if(|next| stretch.start < next.end && next.end <= stretch.end);
        }
    }
}

fn count_time(rows: &mut Rows, stretch: Stretch) {
    let sums = sums(rows, stretch);
    sums.ns = sums.ns.saturating_add(stretch.ns());
}

fn sums(rows: &mut Rows, stretch: Stretch) -> &mut Sums {
    let (number, from, to) = class(stretch.stations);
    if number >= rows.len() {
        rows.resize_with(number + 1, || None);
    }
    let row = rows[number].get_or_insert_with(|| {
        Box::new(Row {
            from,
            to,
            ..Row::default()
        })
    });
    if stretch.ns() >= STEADY_NS {
        &mut row.steady
    } else {
        &mut row.ramps
    }
}

/// Numbers of stations that share a row, and the number of that class.
fn class(stations: u32) -> (usize, u32, u32) {
    if stations < EXACT {
        return (stations as usize, stations, stations);
    }
    let doublings = stations.ilog2();
    let step = (1u32 << doublings) / PER_DOUBLING;
    let from = stations - stations % step;
    let number = EXACT + (doublings - EXACT.ilog2()) * PER_DOUBLING + (from / step - PER_DOUBLING);
    (number as usize, from, from + (step - 1))
}
#[cfg(test)]
mod tests;

//! Figures by the number of active stations.

use super::activity::{Activity, Stretch};
use super::knee;
use std::collections::VecDeque;
use wirewait_model::load::{LevelCurve, LevelFigures, LevelRow, LoadOf, Moved, STEADY_NS};
use wirewait_model::records::{Answer, StationId, Traffic};
use wirewait_model::{Distribution, ENOUGH, Losses, Spread};
use wirewait_wire::{Kind, Timestamp};

/// Each number of stations below this has its own row; above, [`PER_DOUBLING`] per doubling.
const EXACT: u32 = 64;
const PER_DOUBLING: u32 = 8;
/// Answers that wait for their stretch to be known.
const WAITING: usize = 16_384;

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

    /// Counts an answer; `whole`: all of its life, not only its end.
    fn add(&mut self, answer: &Queued, whole: bool) {
        self.answered = self.answered.saturating_add(1);
        self.data_bytes = self.data_bytes.saturating_add(answer.data_bytes);
        let ns = answer.response_ns;
        if ns == Queued::NONE || !whole {
            return;
        }
        self.response_time.record(ns);
        if answer.turnaround_ns != Queued::NONE {
            self.turnaround.record(answer.turnaround_ns);
        }
        if answer.data_bytes > 0 {
            let moved = match answer.kind {
                Kind::Read => &mut self.reads,
                Kind::Write => &mut self.writes,
                _ => &mut self.others,
            };
            moved.add(answer.data_bytes, ns);
        }
    }
}

#[derive(Clone, Default)]
struct LevelTally {
    from: u32,
    to: u32,
    steady: Sums,
    ramps: Sums,
}

/// What is needed of an [`Answer`] until its stretch is known. There are many.
#[derive(Clone, Copy)]
struct Queued {
    began: Timestamp,
    ended: Timestamp,
    data_bytes: u64,
    response_ns: i64,
    turnaround_ns: i64,
    kind: Kind,
}

impl Queued {
    /// No time: they are not below zero.
    const NONE: i64 = i64::MIN;

    fn of(answer: &Answer) -> Self {
        Self {
            began: answer.began,
            ended: answer.ended,
            data_bytes: answer.data_bytes,
            response_ns: answer.response_ns.unwrap_or(Self::NONE),
            turnaround_ns: answer.turnaround_ns.unwrap_or(Self::NONE),
            kind: answer.kind,
        }
    }
}

type LevelTallies = Vec<Option<Box<LevelTally>>>;

/// The levels of the capture, a server or an interface.
#[derive(Clone)]
pub(super) struct Levels {
    activity: Activity,
    /// By the number of their class.
    rows: LevelTallies,
    waiting: VecDeque<Queued>,
    wire: VecDeque<(Timestamp, u64)>,
    unplaced: u64,
    /// Placed before it was known how many stations were active.
    hasty: u64,
}

impl Levels {
    pub(super) fn new(think_ns: i64) -> Self {
        Self {
            activity: Activity::new(think_ns),
            rows: Vec::new(),
            waiting: VecDeque::new(),
            wire: VecDeque::new(),
            unplaced: 0,
            hasty: 0,
        }
    }

    #[inline]
    pub(super) fn begins(&mut self, client: StationId, at: Timestamp) {
        self.activity.begins(client, at);
    }

    #[inline]
    pub(super) fn ends(&mut self, client: StationId, at: Timestamp) {
        self.activity.ends(client, at);
    }

    #[inline]
    pub(super) fn answered(&mut self, answer: &Answer) {
        self.waiting.push_back(Queued::of(answer));
        if self.waiting.len() > WAITING {
            self.hasty = self.hasty.saturating_add(1);
            self.place(|_, n| n == 0);
        }
    }

    #[inline]
    pub(super) fn frames(&mut self, traffic: &Traffic) {
        let Traffic { since, bytes, .. } = *traffic;
        match self.wire.back_mut() {
            Some((slot, sum)) if (0..Traffic::NS).contains(&since.since(*slot)) => {
                *sum = sum.saturating_add(bytes);
            }
            _ => self.wire.push_back((since, bytes)),
        }
        if self.wire.len() > WAITING
            && let Some((at, bytes)) = self.wire.pop_front()
        {
            self.hasty = self.hasty.saturating_add(1);
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
        self.settle(Timestamp::from_nanos(i64::MAX), over);
    }

    /// What was lost to fixed bounds.
    pub(super) fn losses(&self) -> Losses {
        Losses {
            rows: 0,
            stretches: self.activity.forgotten,
            hasty: self.hasty,
        }
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
        let frontier = self.activity.frontier();
        let steady = i64::try_from(STEADY_NS).unwrap_or(i64::MAX);
        let known = |at: Timestamp| at.plus(steady) <= frontier;
        self.place(|answer, _| known(answer.ended));
        while let Some((at, bytes)) = self.wire.front().copied()
            && known(at)
        {
            self.wire.pop_front();
            self.place_wire(at, bytes);
        }
    }

    /// Counts answers where it is known how many stations were active at their ends: the first
    /// ones, as long as they are `due` by themselves and their number. Most lie in the same
    /// stretch as the one before.
    fn place(&mut self, due: impl Fn(&Queued, usize) -> bool) {
        let mut n = 0;
        while let Some(first) = self.waiting.front().filter(|first| due(first, n)) {
            let stretch = self.activity.at(first.ended);
            let Some(stretch) = stretch.filter(|stretch| stretch.stations > 0) else {
                self.unplaced = self.unplaced.saturating_add(1);
                self.waiting.pop_front();
                n += 1;
                continue;
            };
            let steady = stretch.ns() >= STEADY_NS;
            let sums = sums(&mut self.rows, stretch);
            let mut run = 0;
            for answer in &self.waiting {
                let inside = stretch.start < answer.ended && answer.ended <= stretch.end;
                if run > 0 && !(inside && due(answer, n + run)) {
                    break;
                }
                sums.add(answer, !steady || answer.began >= stretch.start);
                run += 1;
            }
            self.waiting.drain(..run);
            n += run;
        }
    }

    fn place_wire(&mut self, at: Timestamp, bytes: u64) {
        if let Some(stretch) = self.activity.at(at) {
            let sums = sums(&mut self.rows, stretch);
            sums.wire_bytes = sums.wire_bytes.saturating_add(bytes);
        }
    }
}

fn count_time(rows: &mut LevelTallies, stretch: Stretch) {
    let sums = sums(rows, stretch);
    sums.ns = sums.ns.saturating_add(stretch.ns());
}

fn sums(rows: &mut LevelTallies, stretch: Stretch) -> &mut Sums {
    let (number, from, to) = class(stretch.stations);
    if number >= rows.len() {
        rows.resize_with(number + 1, || None);
    }
    let row = rows[number].get_or_insert_with(|| {
        Box::new(LevelTally {
            from,
            to,
            ..LevelTally::default()
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

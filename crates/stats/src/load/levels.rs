//! Figures by the number of active stations.

use super::activity::{Activity, Stretch};
use super::answers::{Class, Queued, Run, WAITING};
use super::knee;
use std::collections::VecDeque;
use wirewait_model::load::{LevelCurve, LevelFigures, LevelRow, LoadOf, Moved, STEADY_NS};
use wirewait_model::records::Traffic;
use wirewait_model::{Distribution, ENOUGH, Losses, Spread};
use wirewait_wire::Timestamp;

/// Each number of stations below this has its own row; above, [`PER_DOUBLING`] per doubling.
const EXACT: u32 = 64;
const PER_DOUBLING: u32 = 8;
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

    /// Counts answers of one stretch: since this time all of their lives, not only their ends.
    fn add_all(&mut self, answers: &[Queued], since: Timestamp) {
        self.answered = self.answered.saturating_add(answers.len() as u64);
        let mut rest = answers;
        while let Some(first) = rest.first() {
            let (class, whole) = (first.class, first.began >= since);
            // Most are of the same class as the one before: they are added up apart, and counted
            // together.
            let mut sums = Run::default();
            let answers = rest.iter().take_while(|a| a.class == class);
            let n = match (class.is_small(), whole) {
                (false, _) => usize::from(sums.add(first)),
                (true, true) => {
                    let whole = answers.take_while(|a| a.began >= since);
                    whole.take_while(|a| sums.add(a)).count()
                }
                (true, false) => {
                    let ends = answers.take_while(|a| a.began < since);
                    ends.take_while(|a| sums.add(a)).count()
                }
            };
            let (run, others) = rest.split_at(n);
            self.add(run, &sums, class.filter(whole));
            rest = others;
        }
    }

    /// Counts answers of a class that come to these sums.
    fn add(&mut self, run: &[Queued], sums: &Run, class: Class) {
        let bytes = sums.data_bytes;
        self.data_bytes = self.data_bytes.saturating_add(bytes);
        let n = run.len() as u64;
        if !class.has(Class::RESPONSE) {
            return;
        }
        let response_time = sums.response_time.spread(n);
        let placed = run.iter().map(|a| (a.response_ns, a.slot));
        self.response_time.record_run(&response_time, placed);
        if class.has(Class::TURNAROUND) {
            self.turnaround.merge(&sums.turnaround.spread(n));
        }
        if let Some(moved) = self.moved(class) {
            moved.data_bytes = moved.data_bytes.saturating_add(bytes);
            moved.response_time.merge(&response_time);
        }
    }

    fn moved(&mut self, class: Class) -> Option<&mut Moved> {
        if class.has(Class::READS) {
            Some(&mut self.reads)
        } else if class.has(Class::WRITES) {
            Some(&mut self.writes)
        } else {
            class.has(Class::MOVES).then_some(&mut self.others)
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

type LevelTallies = Vec<Option<Box<LevelTally>>>;

/// The levels of the capture, a server or an interface.
#[derive(Clone)]
pub(super) struct Levels {
    /// Who waits since when.
    pub(super) activity: Activity,
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

    /// What is settled and what waits, without any station that is followed.
    pub(super) fn without_stations(&self) -> Self {
        Self {
            activity: self.activity.without_stations(),
            ..self.clone()
        }
    }

    #[inline]
    pub(super) fn answered(&mut self, answer: &Queued) {
        self.waiting.push_back(*answer);
        if self.waiting.len() > WAITING {
            self.place_hastily();
        }
    }

    #[cold]
    fn place_hastily(&mut self) {
        self.hasty = self.hasty.saturating_add(1);
        self.place(Timestamp::from_nanos(i64::MAX), 1);
    }

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
    #[inline(never)]
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
        let steady = i64::try_from(STEADY_NS).unwrap_or(i64::MAX);
        // Up to here a stretch is known to be steady or not.
        let frontier = self.activity.frontier().as_nanos().checked_sub(steady);
        let Some(known) = frontier.map(Timestamp::from_nanos) else {
            return;
        };
        self.place(known, usize::MAX);
        while let Some((at, bytes)) = self.wire.front().copied()
            && at <= known
        {
            self.wire.pop_front();
            self.place_wire(at, bytes);
        }
    }

    /// Counts answers where it is known how many stations were active at their ends: the first
    /// ones, `most` of them, as long as they ended no later than `known`.
    fn place(&mut self, known: Timestamp, most: usize) {
        let (front, back) = self.waiting.as_slices();
        let front = &front[..most.min(front.len())];
        let back = &back[..(most - front.len()).min(back.len())];
        let mut placed = 0;
        for part in [front, back] {
            let mut rest = part;
            while let Some(first) = rest.first().filter(|first| first.ended <= known) {
                let stretch = self.activity.at(first.ended);
                let Some(stretch) = stretch.filter(|stretch| stretch.stations > 0) else {
                    self.unplaced = self.unplaced.saturating_add(1);
                    rest = &rest[1..];
                    continue;
                };
                // Most lie in the same stretch as the one before.
                let until = stretch.end.min(known);
                let inside = |a: &&Queued| stretch.start < a.ended && a.ended <= until;
                let others = rest[1..].iter().take_while(inside).count();
                let (run, behind) = rest.split_at(1 + others);
                let since = match stretch.ns() >= STEADY_NS {
                    true => stretch.start,
                    false => Timestamp::from_nanos(i64::MIN),
                };
                sums(&mut self.rows, stretch).add_all(run, since);
                rest = behind;
            }
            placed += part.len() - rest.len();
            if !rest.is_empty() {
                break;
            }
        }
        self.waiting.drain(..placed);
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

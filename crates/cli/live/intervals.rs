//! `--interval`: figures of each interval as rows, while a live capture goes on.
//!
//! Intervals are multiples of their length on the capture's clock. Each is written when that clock
//! passes its end, also if nothing happened in it. Where the clock is set, or frames of a long time
//! are missing, the interval under way ends early and another begins there; nothing is written for
//! what lies between. Two moments in a row have to agree on that, as a single stamp may be wrong.

use super::plain::Stream;
use super::requests::{Class, RequestEnd, Servers};
use crate::failure::Failure;
use crate::input::warn;
use crate::output::Output;
use std::collections::BTreeMap;
use std::io::Write;
use wirewait::model::Distribution;
use wirewait::model::figures::counts_for_places;
use wirewait::{Sink, Snapshot, Timestamp, Transaction};
use wirewait_report::intervals::{IntervalOf, IntervalRow, RequestFigures, Standing, ndjson};

/// A clock that goes back by more was set, ns; ahead, too, where time is known while it is silent.
const STEP_NS: i64 = 60_000_000_000;

/// Empty intervals that are written at once, where silence is only known from the next frame.
const EMPTY: usize = 60;

/// Steps of the clock that are reported.
const REPORTED: usize = 8;

/// Writes the figures of intervals.
pub(super) struct Intervals<W = Output> {
    length_ns: i64,
    /// A longer time without frames at once is no silence.
    silence_ns: i64,
    servers: Servers,
    open: Option<OpenInterval>,
    /// A moment far from those before: the next one tells whether the clock was set.
    far: Option<Timestamp>,
    all: RequestSums,
    classes: BTreeMap<Class, RequestSums>,
    /// The capture at the end of the interval before.
    before: Standing,
    steps: usize,
    output: W,
    /// What it is called in messages.
    name: String,
    failure: Option<Failure>,
}

/// What rows are written to.
pub(super) trait RowTarget: Write {
    /// Opens it again, if it is a file that grows.
    fn reopen(&mut self) -> Result<bool, Failure> {
        Ok(false)
    }
}

impl RowTarget for Output {
    fn reopen(&mut self) -> Result<bool, Failure> {
        Self::reopen(self)
    }
}

impl RowTarget for Vec<u8> {}

/// The interval under way.
#[derive(Clone, Copy, Debug)]
struct OpenInterval {
    start: Timestamp,
    /// From when on it is observed.
    from: Timestamp,
    /// How far the clock is.
    latest: Timestamp,
}

/// Requests that were over in the interval.
#[derive(Debug, Default)]
struct RequestSums {
    counts: RequestFigures,
    turnaround: Distribution,
    response_time: Distribution,
}

impl<W: Write> Intervals<W> {
    /// Writes a row of the segment for each interval of this length, and those of requests. In a
    /// pipe nobody tells the time while it is silent.
    pub(super) fn new(length_ns: i64, is_pipe: bool, output: W, name: &str) -> Self {
        Self {
            length_ns,
            silence_ns: match is_pipe {
                true => length_ns.saturating_mul(i64::try_from(EMPTY).unwrap_or(i64::MAX)),
                false => STEP_NS,
            },
            servers: Servers::default(),
            open: None,
            far: None,
            all: RequestSums::default(),
            classes: BTreeMap::new(),
            before: Standing::default(),
            steps: 0,
            output,
            name: name.to_owned(),
            failure: None,
        }
    }

    /// Where rows were written to.
    pub(super) fn into_output(self) -> W {
        self.output
    }

    /// The beginning of the interval of this moment.
    fn start(&self, at: Timestamp) -> Timestamp {
        at.plus(-at.as_nanos().rem_euclid(self.length_ns))
    }

    /// The clock stands here. Whether an interval is over by now, and how it ends.
    fn advance(&mut self, now: Timestamp) -> Option<Over> {
        let start = self.start(now);
        let Some(open) = &mut self.open else {
            self.open = Some(OpenInterval {
                start,
                from: now,
                latest: now,
            });
            return None;
        };
        let ahead = now.since(open.latest);
        if ahead < -STEP_NS || ahead > self.silence_ns {
            let agrees = |far: &Timestamp| now.since(*far).unsigned_abs() <= STEP_NS.unsigned_abs();
            let Some(from) = self.far.take_if(|far| agrees(far)) else {
                self.far = Some(now);
                return None;
            };
            return Some(Over::Step(from.min(now)));
        }
        self.far = None;
        if start <= open.start {
            open.latest = open.latest.max(now);
            return None;
        }
        Some(Over::Passed(start))
    }

    /// Ends the interval under way, of which nothing more comes.
    fn end(&mut self, over: Over, now: Timestamp, snapshot: &Snapshot) {
        let Some(open) = self.open else { return };
        let standing = Standing::of(snapshot);
        let (from, start) = match over {
            Over::Passed(start) => {
                let end = open.start.plus(self.length_ns);
                self.write(open, end, &standing);
                let mut empty = end;
                while empty < start {
                    let next = empty.plus(self.length_ns);
                    let between = OpenInterval {
                        start: empty,
                        from: empty,
                        latest: next,
                    };
                    self.write(between, next, &standing);
                    empty = next;
                }
                (start, start)
            }
            Over::Step(from) => {
                self.write(open, open.latest, &standing);
                self.report(open.latest, from);
                (from, self.start(from))
            }
        };
        self.open = Some(OpenInterval {
            start,
            from,
            latest: now.max(from),
        });
    }

    /// Writes the rows of an interval that was observed up to this moment.
    fn write(&mut self, open: OpenInterval, until: Timestamp, now: &Standing) {
        let all = std::mem::take(&mut self.all).figures();
        let row = IntervalRow {
            start: open.start,
            duration_ns: until.since(open.from).max(0),
            of: IntervalOf::Segment(&self.before, now),
            requests: &all,
        };
        let mut written = ndjson(&mut self.output, &row);
        for (class, sums) in std::mem::take(&mut self.classes) {
            let requests = sums.figures();
            let of = IntervalOf::Requests {
                server: self.servers.name(class),
                protocol: class.protocol,
                class: class.kind.name(),
            };
            let row = IntervalRow {
                of,
                requests: &requests,
                ..row
            };
            written = written.and_then(|()| ndjson(&mut self.output, &row));
        }
        self.before = *now;
        if let Err(error) = written
            && self.failure.is_none()
        {
            self.failure = Some(Failure::writing(&self.name, &error));
        }
    }

    /// Says that there are no rows for a time, or rows of the same time again.
    fn report(&mut self, before: Timestamp, from: Timestamp) {
        self.steps += 1;
        let ns = from.since(before);
        let seconds = ns.unsigned_abs() / 1_000_000_000;
        match self.steps {
            ..=REPORTED if ns < 0 => warn(&format!(
                "the clock of the capture went {seconds} s back: the interval under way ends early, \
                 and rows of the same time come again"
            )),
            ..=REPORTED => warn(&format!(
                "the clock of the capture went {seconds} s ahead at once (it was set, or frames are \
                 missing): there are no rows for that time"
            )),
            _ => {}
        }
        if self.steps == REPORTED {
            warn("further steps of the clock are not reported");
        }
    }
}

/// How an interval ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Over {
    /// Time has passed; the interval that begins here is under way.
    Passed(Timestamp),
    /// The clock is somewhere else since this moment.
    Step(Timestamp),
}

impl RequestSums {
    fn count(&mut self, end: &RequestEnd, timed: bool) {
        let counts = &mut self.counts;
        counts.requests += 1;
        counts.errors += u64::from(end.error);
        counts.unanswered += u64::from(end.unanswered);
        counts.retransmitted = counts.retransmitted.saturating_add(end.retransmitted);
        counts.data_bytes = counts.data_bytes.saturating_add(end.data_bytes);
        if let Some(ns) = end.turnaround_ns.filter(|_| timed) {
            self.turnaround.record(ns);
        }
        if let Some(ns) = end.response_time_ns.filter(|_| timed) {
            self.response_time.record(ns);
        }
    }

    fn figures(self) -> RequestFigures {
        RequestFigures {
            turnaround: self.turnaround.times(),
            response_time: self.response_time.times(),
            ..self.counts
        }
    }
}

impl<W: Write> Sink for Intervals<W> {
    fn transaction(&mut self, transaction: &Transaction) {
        if let Some(end) = RequestEnd::of(transaction) {
            let class = self.servers.class(transaction);
            let sums = self.classes.entry(class).or_default();
            sums.count(&end, true);
            self.all.count(&end, counts_for_places(transaction.kind));
        }
    }
}

impl<W: RowTarget> Stream for Intervals<W> {
    fn tick(&mut self, now: Timestamp, snapshot: impl FnOnce() -> Snapshot) {
        if let Some(over) = self.advance(now) {
            self.end(over, now, &snapshot());
        }
    }

    fn hand_on(&mut self) -> Result<(), Failure> {
        self.failure.take().map_or(Ok(()), Err)?;
        let flushed = self.output.flush();
        flushed.map_err(|error| Failure::writing(&self.name, &error))
    }

    fn reopen(&mut self) -> Result<bool, Failure> {
        self.output.reopen()
    }

    fn finish(&mut self, snapshot: &Snapshot) {
        if let Some(open) = self.open.take() {
            self.write(open, open.latest, &Standing::of(snapshot));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;
    use wirewait::{Analyzer, Driver, Settings, registry};

    const SECOND: i64 = 1_000_000_000;
    const HOUR: i64 = 3_600;
    /// A multiple of ten seconds.
    const BEGIN: i64 = 1_700_000_000;

    /// What is written when the clock shows these moments, ms since `BEGIN`: how many seconds after
    /// `BEGIN` each interval begins, and how many ms of it were observed.
    fn rows(is_pipe: bool, moments: &[i64]) -> Vec<(i64, i64)> {
        let nothing = Driver::new(Analyzer::new(registry(), Settings::default())).snapshot();
        let mut intervals = Intervals::new(10 * SECOND, is_pipe, Vec::new(), "rows");
        for ms in moments {
            let at = Timestamp::from_nanos(BEGIN * SECOND + ms * 1_000_000);
            intervals.tick(at, || nothing.clone());
        }
        intervals.finish(&nothing);
        intervals.hand_on().unwrap();
        let text = String::from_utf8(intervals.into_output()).unwrap();
        let row = |line: &str| {
            let row: Value = serde_json::from_str(line).unwrap();
            assert_eq!(
                (&row["type"], &row["requests"]),
                (&"segment".into(), &0.into())
            );
            let start: String = serde_json::from_value(row["start"].clone()).unwrap();
            (start, row["duration_ns"].as_i64().unwrap() / 1_000_000)
        };
        let start = |seconds: i64| {
            let at = Timestamp::from_nanos((BEGIN + seconds) * SECOND);
            wirewait_report::Rfc3339(at).to_string()
        };
        let all = (-2 * HOUR..=2 * HOUR).step_by(10).map(|s| (start(s), s));
        let all: BTreeMap<String, i64> = all.collect();
        text.lines()
            .map(row)
            .map(|(at, ms)| (all[&at], ms))
            .collect()
    }

    #[test]
    fn each_interval_of_the_clock_has_a_row() {
        // The first is observed from 3 s on, the last one until 44.5 s.
        let found = rows(
            true,
            &[3_000, 9_999, 10_000, 15_000, 41_000, 40_900, 44_500],
        );
        let expected = [
            (0, 7_000),
            (10, 10_000),
            (20, 10_000),
            (30, 10_000),
            (40, 4_500),
        ];
        assert_eq!(found, expected);
        assert_eq!(rows(true, &[]), []);
        assert_eq!(rows(true, &[12_000]), [(10, 0)]);
    }

    #[test]
    fn a_clock_that_is_set_back_begins_anew() {
        let back = -HOUR * 1000;
        let found = rows(
            false,
            &[1_000, 4_000, back + 5_000, back + 6_000, back + 12_000],
        );
        assert_eq!(found, [(0, 3_000), (-HOUR, 5_000), (-HOUR + 10, 2_000)]);
    }

    #[test]
    fn a_clock_that_is_set_ahead_is_no_hour_of_silence() {
        let ahead = HOUR * 1000;
        for is_pipe in [false, true] {
            let found = rows(is_pipe, &[1_000, 4_000, ahead + 605_000, ahead + 606_000]);
            assert_eq!(found, [(0, 3_000), (HOUR + 600, 1_000)], "{is_pipe}");
        }
        // Five minutes at once: in a pipe it may have been silent, on an interface it was not.
        assert_eq!(rows(true, &[0, 300_000, 301_000]).len(), 31);
        assert_eq!(rows(false, &[0, 300_000, 301_000]), [(0, 0), (300, 1_000)]);
    }

    #[test]
    fn a_single_wrong_stamp_moves_nothing() {
        for far in [-HOUR * 1000, 26 * 365 * 24 * HOUR * 1000] {
            let found = rows(false, &[1_000, far, 2_000, far, 11_000, far]);
            assert_eq!(found, [(0, 9_000), (10, 1_000)], "{far}");
        }
    }

    #[test]
    fn a_clock_set_back_by_less_than_a_minute_stays_in_its_interval() {
        assert_eq!(
            rows(false, &[45_000, 15_000, 44_000, 50_000]),
            [(40, 5_000), (50, 0)]
        );
    }
}

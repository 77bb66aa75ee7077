//! What servers and operations have in common: their figures, and the columns for them.

use super::bars;
use crate::table::{Cell, Column, Head, Value, columns_of};
use crate::theme::Tone;
use wirewait_analysis::recent::{Of, Tally};
use wirewait_analysis::{Bucket, Counts, FrameSums, Samples, ServerRow, ServerTotal, Times};
use wirewait_report::words::frames_per_request;

/// Figures of all the capture, or of its last seconds.
pub(super) struct Figures<'m> {
    pub(super) counts: Counts,
    pub(super) frames: FrameSums,
    pub(super) data_bytes: u64,
    pub(super) turnaround: Times,
    pub(super) response_time: Times,
    spread: Spread<'m>,
}

enum Spread<'m> {
    Samples(&'m Samples),
    Tally(Box<Tally>),
}

impl<'m> From<&'m ServerTotal> for Figures<'m> {
    fn from(total: &'m ServerTotal) -> Self {
        Self {
            counts: total.counts,
            frames: total.frames,
            data_bytes: total.data_bytes,
            turnaround: total.turnaround,
            response_time: total.response_time,
            spread: Spread::Samples(&total.samples),
        }
    }
}

impl<'m> From<&'m ServerRow> for Figures<'m> {
    fn from(row: &'m ServerRow) -> Self {
        Self {
            counts: row.counts,
            frames: row.frames,
            data_bytes: row.data_bytes,
            turnaround: row.turnaround,
            response_time: row.response_time,
            spread: Spread::Samples(&row.samples),
        }
    }
}

impl From<Tally> for Figures<'_> {
    fn from(tally: Tally) -> Self {
        Self {
            counts: tally.counts,
            frames: tally.frames,
            data_bytes: tally.data_bytes,
            turnaround: tally.turnaround.times(),
            response_time: tally.response_time.times(),
            spread: Spread::Tally(Box::new(tally)),
        }
    }
}

impl Figures<'_> {
    /// How turnarounds are spread.
    pub(super) fn turnarounds(&self) -> Vec<Bucket> {
        match &self.spread {
            Spread::Samples(samples) => bars::steps(&samples.turnaround),
            Spread::Tally(tally) => tally.turnaround.buckets().collect(),
        }
    }

    /// How response times are spread.
    pub(super) fn responses(&self) -> Vec<Bucket> {
        match &self.spread {
            Spread::Samples(samples) => bars::steps(&samples.response_time),
            Spread::Tally(tally) => tally.response_time.buckets().collect(),
        }
    }
}

impl Figures<'_> {
    /// One of its times: of all the capture exactly, of a window at most.
    fn time(&self, all: &Times, one: i64) -> Cell {
        match self.spread {
            Spread::Samples(_) => times(all, one),
            Spread::Tally(_) => at_most(all, one),
        }
    }
}

/// A row with such figures.
pub(super) trait Counted {
    fn figures(&self) -> &Figures<'_>;
    /// What it is in the last minutes.
    fn of(&self) -> Of;
    /// Whether it waits by design: nobody loses that time.
    fn waits(&self) -> bool;
}

/// One of a row's times, if there are any.
pub(super) fn times(all: &Times, one: i64) -> Cell {
    Cell::time((all.n > 0).then_some(one))
}

/// A percentile of times that were counted in steps, at most 4.2 % wide.
pub(super) fn at_most(all: &Times, one: i64) -> Cell {
    match all.n {
        0 => Cell::default(),
        _ => Value::AtMost(one).into(),
    }
}

/// The columns that all of them have.
pub(super) fn columns<R: Counted>() -> Vec<Column<R>> {
    columns_of![|r: &R, context|
        Head::right("requests", 8).rank(2).help("Requests in the capture.")
            => Cell::count(r.figures().counts.requests),
        Head::right("p50", 7).under("turnaround").rank(4).percentile()
            .help("Server turnaround, from the complete request to the first frame of the response: median.")
            => {
                let figures = r.figures();
                figures.time(&figures.turnaround, figures.turnaround.p50)
            },
        Head::right("p95", 7).under("turnaround").rank(1).percentile()
            .help("95th percentile of the turnaround.")
            => {
                let figures = r.figures();
                figures.time(&figures.turnaround, figures.turnaround.p95)
            },
        Head::right("p99", 7).under("turnaround").rank(5).percentile()
            .help("99th percentile of the turnaround.")
            => {
                let figures = r.figures();
                figures.time(&figures.turnaround, figures.turnaround.p99)
            },
        Head::right("total", 8).under("response").rank(1)
            .help("Sum of the response times, without waits by design. The greatest cost stands first.")
            => {
                let all = &r.figures().response_time;
                if r.waits() {
                    return Cell::default();
                }
                times(all, i64::try_from(all.total).unwrap_or(i64::MAX))
            },
        Head::right("p95", 7).under("response").rank(4).percentile()
            .help("95th percentile of the response time, from the first frame of the request to the last frame of the response.")
            => {
                let figures = r.figures();
                figures.time(&figures.response_time, figures.response_time.p95)
            },
        Head::right("max", 7).under("response").rank(6).help("The longest response time.")
            => {
                let all = &r.figures().response_time;
                times(all, all.max)
            },
        Head::left("spread", 10).under("response").rank(7)
            .help("Distribution of the response times, short ones at the left, in steps of 1, 1.5, 2, 3, 5, 7, 10.")
            => bars::spread(&r.figures().responses()),
        Head::left("response rate", 17).rank(5)
            .help("Responses in each second of the last minute, or of the window. The highest bar is full.")
            => Cell::from(Value::Course(context.course(&r.of()))).quiet(),
        Head::right("data", 9).rank(7).help("File data transferred.")
            => Cell::from(Value::Bytes(r.figures().data_bytes)).quiet(),
        Head::right("frames/req", 10).rank(8)
            .help("Mean number of frames that carry a request and its response.")
            => {
                let (data, _) = frames_per_request(&r.figures().frames, &r.figures().counts);
                data.map_or_else(Cell::default, |n| Value::Milli(n.0).into())
            },
        Head::right("errors", 6).rank(3).help("Responses that report a failure.")
            => Cell::trouble(r.figures().counts.failures, Tone::Warn),
        Head::right("unanswered", 10).rank(3).help("Requests without a response.")
            => Cell::trouble(r.figures().counts.unanswered, Tone::Bad),
        Head::right("repeated", 8).rank(6).help("Requests that were sent more than once.")
            => Cell::trouble(r.figures().counts.repeated, Tone::Warn),
    ]
}

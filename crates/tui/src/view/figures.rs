//! What servers and operations have in common: their figures, and the columns for them.

use super::bars;
use crate::table::{Cell, Column, Head, Value, columns_of};
use crate::theme::Tone;
use wirewait_analysis::recent::{Of, Tally};
use wirewait_analysis::{
    Bucket, Counts, FrameSums, Samples, ServerRow, ServerTotal, StationRow, Times,
};
use wirewait_report::columns::TimeColumn::{self, Max, P50, P95, P99, Total};
use wirewait_report::columns::{ERRORS, REPEATED, REQUESTS, TimeFigures, UNANSWERED};
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

macro_rules! figures_of {
    ($($row:ty),+) => {$(
        impl<'m> From<&'m $row> for Figures<'m> {
            fn from(row: &'m $row) -> Self {
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
    )+};
}

figures_of!(ServerTotal, ServerRow, StationRow);

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
    /// A time of its turnaround.
    fn turnaround(&self, column: TimeColumn) -> Cell {
        time(&self.turnaround, column, self.in_steps())
    }

    /// A time of its responses.
    pub(super) fn response(&self, column: TimeColumn) -> Cell {
        time(&self.response_time, column, self.in_steps())
    }

    /// Those of all the capture are exact, those of a window counted in steps.
    fn in_steps(&self) -> bool {
        matches!(self.spread, Spread::Tally(_))
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

/// One of a row's times, if there are any; a percentile that was counted in steps, at most 4.2 % wide, is at
/// most this.
pub(super) fn time(all: &Times, column: TimeColumn, in_steps: bool) -> Cell {
    match all.value(column) {
        Some(ns) if in_steps && column.is_percentile() => Value::AtMost(ns).into(),
        found => Cell::time(found),
    }
}

/// How response times are spread.
pub(super) fn spread(width: u16) -> Head {
    Head::left("spread", width)
        .under("response")
        .rank(7)
        .help("Distribution of the response times, short ones at the left, in steps of 1, 1.5, 2, 3, 5, 7, 10.")
}

/// The columns that all of them have.
pub(super) fn columns<R: Counted>() -> Vec<Column<R>> {
    columns_of![|r: &R, context|
        Head::count(REQUESTS, 8).rank(2)
            => Cell::count(REQUESTS.value(&r.figures().counts)),
        Head::time(P50, 7).under("turnaround").rank(4)
            .help("Server turnaround, from the complete request to the first frame of the response: median.")
            => r.figures().turnaround(P50),
        Head::time(P95, 7).under("turnaround").rank(1).help("95th percentile of the turnaround.")
            => r.figures().turnaround(P95),
        Head::time(P99, 7).under("turnaround").rank(5).help("99th percentile of the turnaround.")
            => r.figures().turnaround(P99),
        Head::time(Total, 8).under("response").rank(1)
            .help("Sum of the response times, without waits by design. The greatest cost stands first.")
            => match r.waits() {
                true => Cell::default(),
                false => r.figures().response(Total),
            },
        Head::time(P95, 7).under("response").rank(4)
            .help("95th percentile of the response time, from the first frame of the request to the last frame of the response.")
            => r.figures().response(P95),
        Head::time(Max, 7).under("response").rank(6).help("The longest response time.")
            => r.figures().response(Max),
        spread(10) => bars::spread(&r.figures().responses()),
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
        Head::count(ERRORS, 6).rank(3)
            => Cell::trouble(ERRORS.value(&r.figures().counts), Tone::Warn),
        Head::count(UNANSWERED, 10).rank(3)
            => Cell::trouble(UNANSWERED.value(&r.figures().counts), Tone::Bad),
        Head::count(REPEATED, 8).rank(6)
            => Cell::trouble(REPEATED.value(&r.figures().counts), Tone::Warn),
    ]
}

//! The columns that tables of text, of the page and of the screen have in common: each with its
//! name and its value, once. A face adds what it alone has: a heading, a width, a tone.

use wirewait_analysis::{Counts, Spread, Times};

/// A column of a time, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeColumn {
    /// The shortest.
    Min,
    /// The median.
    P50,
    /// 95th percentile.
    P95,
    /// 99th percentile.
    P99,
    /// The longest.
    Max,
    /// The mean.
    Mean,
    /// The sum.
    Total,
}

/// Times of which columns show something.
pub trait TimeFigures {
    /// The value of a column, ns; `None` where there is none.
    fn value(&self, column: TimeColumn) -> Option<i64>;
}

impl TimeColumn {
    /// The name in every table.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Min => "min",
            Self::P50 => "p50",
            Self::P95 => "p95",
            Self::P99 => "p99",
            Self::Max => "max",
            Self::Mean => "mean",
            Self::Total => "total",
        }
    }

    /// Whether lost frames and counts in steps show in it.
    #[must_use]
    pub const fn is_percentile(self) -> bool {
        matches!(self, Self::P50 | Self::P95 | Self::P99)
    }
}

impl TimeFigures for Times {
    fn value(&self, column: TimeColumn) -> Option<i64> {
        let ns = match column {
            TimeColumn::Min => self.min,
            TimeColumn::P50 => self.p50,
            TimeColumn::P95 => self.p95,
            TimeColumn::P99 => self.p99,
            TimeColumn::Max => self.max,
            TimeColumn::Mean => return self.mean(),
            TimeColumn::Total => i64::try_from(self.total).unwrap_or(i64::MAX),
        };
        (self.n > 0).then_some(ns)
    }
}

/// It has no percentiles.
impl TimeFigures for Spread {
    fn value(&self, column: TimeColumn) -> Option<i64> {
        let ns = match column {
            TimeColumn::Min => self.min,
            TimeColumn::Max => self.max,
            TimeColumn::Mean => return self.mean(),
            TimeColumn::Total => i64::try_from(self.total).unwrap_or(i64::MAX),
            TimeColumn::P50 | TimeColumn::P95 | TimeColumn::P99 => return None,
        };
        (self.n > 0).then_some(ns)
    }
}

/// A column of requests, or of what became of them.
#[derive(Clone, Copy, Debug)]
pub struct CountColumn {
    /// The name in every table.
    pub title: &'static str,
    /// How many.
    pub value: fn(&Counts) -> u64,
}

macro_rules! count_columns {
    ($($(#[$doc:meta])* $name:ident $title:literal $value:expr;)+) => {$(
        $(#[$doc])*
        pub const $name: CountColumn = CountColumn { title: $title, value: $value };
    )+};
}

count_columns! {
    /// Requests.
    REQUESTS "requests" |n| n.requests;
    /// Requests with a response.
    ANSWERED "answered" |n| n.answered;
    /// Responses that report a failure.
    ERRORS "errors" |n| n.failures;
    /// Requests without a response.
    UNANSWERED "unanswered" |n| n.unanswered;
    /// Requests of which only one direction was captured.
    ONE_SIDED "one-sided" |n| n.one_sided;
    /// Requests that were sent more than once.
    REPEATED "repeated" |n| n.repeated;
    /// Requests that were taken back.
    CANCELLED "cancelled" |n| n.cancelled;
    /// Responses without a request.
    ORPHANS "orphans" |n| n.orphan_responses;
    /// What limits keep out of the figures.
    LOST_TO_LIMITS "lost to limits" Counts::lost_to_limits;
}

/// What may go wrong.
pub const TROUBLE: [CountColumn; 7] = [
    ERRORS,
    UNANSWERED,
    ONE_SIDED,
    REPEATED,
    CANCELLED,
    ORPHANS,
    LOST_TO_LIMITS,
];

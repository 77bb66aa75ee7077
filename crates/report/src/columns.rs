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
    /// What it says, in a sentence.
    pub help: &'static str,
    of: fn(&Counts) -> u64,
}

impl CountColumn {
    /// How many.
    #[must_use]
    pub fn value(&self, counts: &Counts) -> u64 {
        (self.of)(counts)
    }
}

macro_rules! count_columns {
    ($($name:ident $title:literal, $help:literal, $of:expr;)+) => {$(
        #[doc = $help]
        pub const $name: CountColumn = CountColumn { title: $title, help: $help, of: $of };
    )+};
}

count_columns! {
    REQUESTS "requests", "Requests in the capture.", |n| n.requests;
    ANSWERED "answered", "Requests with a response.", |n| n.answered;
    ERRORS "errors", "Responses that report a failure.", |n| n.failures;
    UNANSWERED "unanswered", "Requests without a response, as far as the capture shows.", |n| n.unanswered;
    ONE_SIDED "one-sided", "Requests of which only one direction was captured.", |n| n.one_sided;
    REPEATED "repeated", "Requests that were sent more than once.", |n| n.repeated;
    CANCELLED "cancelled", "Requests that were taken back.", |n| n.cancelled;
    ORPHANS "orphans", "Responses without a request.", |n| n.orphan_responses;
    LOST_TO_LIMITS "lost to limits", "What limits keep out of the figures.", Counts::lost_to_limits;
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

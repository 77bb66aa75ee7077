//! The figures that are compared, and how much one differs from the other.

use super::Side;

/// Figures, each once: name, what it is counted in, which way is better, and whether load curves do not have it.
macro_rules! figures {
    (
        $(#[$of:meta])*
        pub enum $enum:ident of $side:ty {
            $($(#[$doc:meta])* $figure:ident = $name:literal: $unit:ident, $better:ident $(, $only:ident)?;)+
        }
    ) => {
        $(#[$of])*
        pub enum $enum {
            $($(#[$doc])* $figure,)+
        }

        impl $enum {
            /// All of them, in the order in which they are shown.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$figure),+];

            /// The name used in every output and in conditions.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$figure => $name,)+
                }
            }

            /// What it is counted in.
            #[must_use]
            pub const fn unit(self) -> Unit {
                match self {
                    $(Self::$figure => Unit::$unit,)+
                }
            }

            /// Which way is better.
            #[must_use]
            pub const fn better(self) -> Better {
                match self {
                    $(Self::$figure => Better::$better,)+
                }
            }

            /// Whether load curves do not have it.
            const fn is_of_all_requests(self) -> bool {
                match self {
                    $(Self::$figure => !<[&str]>::is_empty(&[$(stringify!($only))?]),)+
                }
            }
        }
    };
}

figures! {
    /// Something measured on one side of a comparison.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum Figure of Side {
        /// Requests seen.
        Requests = "requests": Count, Neither;
        /// Requests without a final response.
        Unanswered = "unanswered": Count, Less, OfAllRequests;
        /// Requests answered with a failure that is not normal control flow.
        Errors = "errors": Count, Less, OfAllRequests;
        /// t3 - t2: its mean.
        Turnaround = "turnaround": Nanoseconds, Less;
        /// Its median.
        TurnaroundP50 = "turnaround.p50": Nanoseconds, Less, OfAllRequests;
        /// What 95 % of it are no longer than.
        TurnaroundP95 = "turnaround.p95": Nanoseconds, Less, OfAllRequests;
        /// What 99 % of it are no longer than.
        TurnaroundP99 = "turnaround.p99": Nanoseconds, Less, OfAllRequests;
        /// The longest.
        TurnaroundMax = "turnaround.max": Nanoseconds, Less;
        /// t4 - t1: its mean.
        ResponseTime = "response_time": Nanoseconds, Less;
        /// Its median.
        ResponseTimeP50 = "response_time.p50": Nanoseconds, Less;
        /// What 95 % of it are no longer than.
        ResponseTimeP95 = "response_time.p95": Nanoseconds, Less;
        /// What 99 % of it are no longer than.
        ResponseTimeP99 = "response_time.p99": Nanoseconds, Less;
        /// The longest.
        ResponseTimeMax = "response_time.max": Nanoseconds, Less;
        /// Frames that carry messages, for each request.
        FramesPerRequest = "frames_per_request": PerRequest, Less, OfAllRequests;
        /// Stand-alone acknowledgements, for each request.
        AcksPerRequest = "acks_per_request": PerRequest, Less, OfAllRequests;
        /// Retransmitted frames, for each request.
        RetransmittedPerRequest = "retransmitted_per_request": PerRequest, Less, OfAllRequests;
        /// File data moved.
        DataBytes = "data_bytes": Bytes, Neither;
        /// File data per response time of the requests that moved it.
        Throughput = "throughput": ByteRate, More;
        /// File data per time in which a client had a request outstanding.
        BusyThroughput = "busy_throughput": ByteRate, More;
        /// File data per active time of the clients.
        ActiveThroughput = "active_throughput": ByteRate, More;
        /// File data per elapsed time.
        WallThroughput = "wall_throughput": ByteRate, More;
        /// Final responses per elapsed time.
        TransactionsPerSecond = "transactions_per_second": Rate, More;
        /// From the first request's first frame to the last answer's last.
        Elapsed = "elapsed": Nanoseconds, Less;
        /// Jobs: requests of one client for one file, one after the other.
        Jobs = "jobs": Count, Neither;
        /// What a job takes: its mean.
        JobTime = "job_time": Nanoseconds, Less;
        /// Its median.
        JobTimeP50 = "job_time.p50": Nanoseconds, Less;
        /// What 95 % of the jobs take no longer than.
        JobTimeP95 = "job_time.p95": Nanoseconds, Less;
        /// Requests of a job.
        RequestsPerJob = "requests_per_job": PerRequest, Neither;
        /// The greatest steady file data per second of all numbers of active stations.
        PeakThroughput = "peak_throughput": ByteRate, More;
        /// With how many stations that was.
        PeakStations = "peak_stations": Count, Neither;
        /// The most steady final responses per second likewise.
        PeakTransactions = "peak_transactions_per_second": Rate, More;
        /// With how many stations those were.
        PeakTransactionsStations = "peak_transactions_stations": Count, Neither;
        /// Requests answered with a failure that is not normal control flow, of all answered ones.
        ErrorsPerRequest = "errors_per_request": PerRequest, Less, OfAllRequests;
    }
}

/// What a figure is counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Pieces.
    Count,
    /// Nanoseconds.
    Nanoseconds,
    /// Bytes.
    Bytes,
    /// Bytes per nanosecond.
    ByteRate,
    /// Pieces per nanosecond.
    Rate,
    /// Pieces for each piece.
    PerRequest,
}

/// Which way is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// Less of it.
    Less,
    /// More of it.
    More,
    /// Neither: it says what was done, not how well.
    Neither,
}

impl Figure {
    /// Its value on one side; `None` where it was not measured.
    #[must_use]
    pub fn of(self, side: &Side) -> Option<Ratio> {
        let exchanges = side
            .counts
            .requests
            .saturating_add(side.counts.orphan_responses);
        let per = |frames: u64| Ratio::new(u128::from(frames), u128::from(exchanges));
        let whole = |n: u64| {
            Some(Ratio {
                part: u128::from(n),
                of: 1,
            })
        };
        let time = |ns: i64| u128::try_from(ns).ok().map(|part| Ratio { part, of: 1 });
        let (turnaround, response) = (&side.turnaround, &side.response_time);
        let mean = |times: &wirewait_analysis::Times| {
            Ratio::new(u128::try_from(times.total).ok()?, u128::from(times.n))
        };
        let there =
            |times: &wirewait_analysis::Times, ns: i64| if times.n > 0 { time(ns) } else { None };
        // Percentiles of a choice of the values would be guesses.
        let ranked = |times: &wirewait_analysis::Times, ns: i64| {
            if side.drawn() { None } else { there(times, ns) }
        };
        let rate = |bytes: u64, ns: u128| {
            let moved = u128::from(bytes);
            (moved > 0).then(|| Ratio::new(moved, ns)).flatten()
        };
        // No time of clients contains requests whose time is not known.
        let moved = |ns: u128| rate(side.moving_bytes, ns);
        if side.of_load && self.is_of_all_requests() {
            return None;
        }
        let elapsed = side.elapsed_ns.filter(|ns| *ns > 0).map(u128::from);
        match self {
            Self::Requests => whole(side.counts.requests),
            Self::Unanswered => whole(side.counts.unanswered),
            Self::Errors => whole(side.counts.failures),
            Self::Turnaround => mean(turnaround),
            Self::TurnaroundP50 => ranked(turnaround, turnaround.p50),
            Self::TurnaroundP95 => ranked(turnaround, turnaround.p95),
            Self::TurnaroundP99 => ranked(turnaround, turnaround.p99),
            Self::TurnaroundMax => there(turnaround, turnaround.max),
            Self::ResponseTime => mean(response),
            Self::ResponseTimeP50 => ranked(response, response.p50),
            Self::ResponseTimeP95 => ranked(response, response.p95),
            Self::ResponseTimeP99 => ranked(response, response.p99),
            Self::ResponseTimeMax => there(response, response.max),
            Self::FramesPerRequest => per(side.frames.data()),
            Self::AcksPerRequest => per(side.frames.ack),
            Self::RetransmittedPerRequest => per(side.frames.retransmitted),
            Self::DataBytes => whole(side.data_bytes),
            Self::Throughput => moved(side.moving_ns.unsigned_abs()),
            Self::BusyThroughput => moved(u128::from(side.busy_ns?)),
            Self::ActiveThroughput => moved(u128::from(side.active_ns?)),
            Self::WallThroughput => rate(side.data_bytes, elapsed?),
            Self::TransactionsPerSecond => Ratio::new(u128::from(side.counts.answered), elapsed?),
            Self::Elapsed => elapsed.map(|part| Ratio { part, of: 1 }),
            Self::Jobs => whole(side.jobs.as_ref()?.took.n),
            Self::JobTime => mean(&side.jobs.as_ref()?.took),
            Self::JobTimeP50 => there(&side.jobs.as_ref()?.took, side.jobs.as_ref()?.took.p50),
            Self::JobTimeP95 => there(&side.jobs.as_ref()?.took, side.jobs.as_ref()?.took.p95),
            Self::RequestsPerJob => {
                let jobs = side.jobs.as_ref()?;
                Ratio::new(u128::from(jobs.requests), u128::from(jobs.took.n))
            }
            Self::PeakThroughput => Ratio::new(side.peak?.1.into(), 1_000_000_000),
            Self::PeakStations => whole(side.peak?.0.into()),
            Self::PeakTransactions => {
                Ratio::new(side.peak_transactions?.1.into(), 1_000_000_000_000)
            }
            Self::PeakTransactionsStations => whole(side.peak_transactions?.0.into()),
            Self::ErrorsPerRequest => {
                Ratio::new(side.counts.failures.into(), side.counts.answered.into())
            }
        }
    }
}

/// A value as a fraction, so that nothing is rounded before it is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ratio {
    /// The numerator.
    pub part: u128,
    /// The denominator; never 0.
    pub of: u128,
}

/// How much the other differs from the baseline, in thousandths of the baseline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    /// So much more, or less if negative; rounded half up, away from 0.
    Thousandths(i64),
    /// Something, where the baseline has nothing: no part of it.
    FromNothing,
}

impl Ratio {
    pub(super) fn new(part: u128, of: u128) -> Option<Self> {
        (of > 0).then_some(Self { part, of })
    }

    /// In `scale`th parts, rounded half up.
    #[must_use]
    pub fn scaled(self, scale: u128) -> u128 {
        let exact = || {
            let twice = self.part.checked_mul(scale)?.checked_mul(2)?;
            Some(twice.checked_add(self.of)? / self.of.checked_mul(2)?)
        };
        exact().unwrap_or_else(|| (self.number() * scale as f64) as u128)
    }

    /// As a number.
    #[must_use]
    pub fn number(self) -> f64 {
        self.part as f64 / self.of as f64
    }

    /// How much `other` is more than this.
    #[must_use]
    pub fn change(self, other: Self) -> Change {
        if self.part == 0 {
            return match other.part {
                0 => Change::Thousandths(0),
                _ => Change::FromNothing,
            };
        }
        let exact = || {
            let base = self.part.checked_mul(other.of)?;
            let new = other.part.checked_mul(self.of)?;
            let twice = new.abs_diff(base).checked_mul(2000)?;
            let more = i64::try_from(twice.checked_add(base)? / base.checked_mul(2)?);
            let more = more.unwrap_or(i64::MAX);
            Some(if new < base { -more } else { more })
        };
        // What is too large to be multiplied is so large that digits behind the 15th do not
        // matter.
        Change::Thousandths(
            exact().unwrap_or_else(|| {
                ((other.number() / self.number() - 1.0) * 1000.0).round() as i64
            }),
        )
    }
}

impl Change {
    /// Whether it is better, worse, or neither.
    #[must_use]
    pub fn verdict(self, better: Better) -> Option<bool> {
        let more = match self {
            Self::Thousandths(0) => return None,
            Self::Thousandths(n) => n > 0,
            Self::FromNothing => true,
        };
        match better {
            Better::Less => Some(!more),
            Better::More => Some(more),
            Better::Neither => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(part: u128, of: u128) -> Ratio {
        Ratio { part, of }
    }

    /// Table III of the bridge paper, and what it is against the row without a bridge.
    #[test]
    fn changes_are_rounded_half_up() {
        let none = ratio(62_292, 100);
        for (rate, drop) in [
            (36_539, -413),
            (29_597, -525),
            (25_186, -596),
            (17_252, -723),
            (15_083, -758),
            (11_950, -808),
            (62_292, 0),
        ] {
            assert_eq!(
                none.change(ratio(rate, 100)),
                Change::Thousandths(drop),
                "{rate}"
            );
        }
        assert_eq!(
            ratio(2000, 1).change(ratio(2001, 1)),
            Change::Thousandths(1)
        );
        assert_eq!(
            ratio(2000, 1).change(ratio(1999, 1)),
            Change::Thousandths(-1)
        );
        assert_eq!(
            ratio(2001, 1).change(ratio(2002, 1)),
            Change::Thousandths(0)
        );
    }

    #[test]
    fn there_is_no_part_of_nothing() {
        let nothing = ratio(0, 5);
        assert_eq!(nothing.change(ratio(0, 1)), Change::Thousandths(0));
        assert_eq!(nothing.change(ratio(1, 9)), Change::FromNothing);
        assert_eq!(ratio(1, 9).change(nothing), Change::Thousandths(-1000));
    }

    #[test]
    fn what_is_too_large_is_still_near() {
        let (base, twice) = (ratio(u128::MAX / 2, 7), ratio(u128::MAX, 7));
        assert_eq!(base.change(twice), Change::Thousandths(1000));
        assert_eq!(ratio(1, 3).scaled(1000), 333);
        assert_eq!(ratio(2, 3).scaled(1000), 667);
    }

    #[test]
    fn better_depends_on_the_figure() {
        let more = Change::Thousandths(10);
        assert_eq!(more.verdict(Figure::ResponseTime.better()), Some(false));
        assert_eq!(more.verdict(Figure::Throughput.better()), Some(true));
        assert_eq!(more.verdict(Figure::Requests.better()), None);
        assert_eq!(
            Change::FromNothing.verdict(Figure::Errors.better()),
            Some(false)
        );
    }

    #[test]
    fn every_figure_has_a_name_of_its_own() {
        let names: std::collections::BTreeSet<&str> =
            Figure::ALL.iter().map(|figure| figure.name()).collect();
        assert_eq!(names.len(), Figure::ALL.len());
    }
}

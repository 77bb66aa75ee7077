//! The document as it is written, and what it has to be to be read.

mod reading;

use super::{SCHEMA, spelling};
use crate::document::{Written, documents, of};
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;
use std::sync::Arc;
use wirewait_analysis::{
    Attribution, Bounds, Counts, EXACT_VALUES, FrameSums, Grouping, Histogram, Label, Ledger,
    LedgerSum, OperationKey, OperationSum, PairKey, Phase, PlaceSum, STEPS_NS, Sighting, Sightings,
    Spread, StationSum, Summary, Timing,
};
use wirewait_wire::word::{self, Name};
use wirewait_wire::{Endpoint, Kind, Timestamp};

/// Significant bits of a time that buckets tell apart.
const BITS: u32 = 8;

/// What says whether the rest can be understood.
#[derive(Deserialize)]
pub(super) struct DocumentForm {
    schema: String,
    histogram: Option<Layout>,
}

impl DocumentForm {
    pub(super) fn check(&self) -> Result<(), String> {
        if self.schema != SCHEMA {
            return Err(format!(
                "its schema is {:?}, and this program knows {SCHEMA:?}",
                self.schema
            ));
        }
        match &self.histogram {
            Some(layout) if *layout == Layout::known() => Ok(()),
            Some(layout) => Err(format!(
                "its histograms tell {} bits of a time apart and keep up to {} values exact; here \
                 they are {BITS} and {EXACT_VALUES}, with other steps they cannot be added",
                layout.significant_bits, layout.exact_up_to
            )),
            None => Err("it does not say how its histograms are made".into()),
        }
    }
}

/// How times are counted.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct Layout {
    /// Of a time, where there are more values than are kept exact.
    significant_bits: u32,
    /// Most values that are kept exact.
    exact_up_to: u64,
    /// Bounds of the steps of `distribution`.
    steps_ns: Vec<i64>,
}

impl Layout {
    fn known() -> Self {
        Self {
            significant_bits: BITS,
            exact_up_to: EXACT_VALUES as u64,
            steps_ns: STEPS_NS.to_vec(),
        }
    }
}

/// A figure computed from others: written for readers, ignored when read back.
struct Derived<T>(Option<T>);

impl<T> Derived<T> {
    const fn of(value: T) -> Self {
        Self(Some(value))
    }
}

impl<T> Default for Derived<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T: Serialize> Serialize for Derived<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de, T> Deserialize<'de> for Derived<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        IgnoredAny::deserialize(deserializer)?;
        Ok(Self(None))
    }
}

#[cfg(test)]
impl<T: schemars::JsonSchema> schemars::JsonSchema for Derived<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        T::schema_name()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        T::json_schema(generator)
    }
}

documents! {
    /// Sums of one analysis or of many, which can be added to others.
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    pub(super) struct Document of summary: &Summary
    where
        let (grade, reasons) = summary.quality();
        let judged = |name: &str| {
            let reason = reasons.iter().find(|reason| reason.name == name);
            Derived(reason.map(|reason| reason.grade.name()))
        };
        let faults = summary.faults.iter();
        let seen = summary.sightings.list().iter();
    {
        schema: String = SCHEMA.to_owned(),
        histogram: Layout = Layout::known(),
        /// How many analyses are in it.
        parts: u64,
        frames: u64,
        bytes: u64,
        /// Nanoseconds since 1970; null without frames.
        first_ns: Option<i64> = summary.first.map(Timestamp::as_nanos),
        last_ns: Option<i64> = summary.last.map(Timestamp::as_nanos),
        /// From the first to the last frame of each part, together.
        covered_ns: u64,
        conversations: u64,
        /// Judged by the sums.
        #[serde(default)]
        grade: Derived<&'static str> = Derived::of(grade.name()),
        reasons: Vec<SummedReason> =
            faults.map(|(name, count)| of((*name, *count, judged(name)))).collect(),
        frames_of: SummedFrames = of(&summary.attribution),
        protocols: Vec<SummedProtocol> = summary.protocols.iter().map(of).collect(),
        /// Each server as a whole, by total response time.
        #[serde(default)]
        totals: Derived<Vec<Total>> = Derived::of(summary.totals().iter().map(of).collect()),
        servers: Vec<Operation> = summary.operations.iter().map(of).collect(),
        stations: Vec<SummedStation> = summary.stations.iter().map(of).collect(),
        pairs: Vec<Pair> = summary.pairs.iter().map(of).collect(),
        places: Vec<SummedPlace> = spelling::places(summary).map(of).collect(),
        distribution: SummedDistribution = of(summary),
        excluded: Vec<SummedExcluded> = summary.excluded.iter().map(of).collect(),
        /// By which the same conversation in two parts is noticed: a number made of its ends, one
        /// made of the part, when it was first and last seen there, ns.
        sightings: Vec<(u64, u64, i64, i64)> =
            seen.map(|s| (s.conversation, s.part, s.first.as_nanos(), s.last.as_nanos())).collect(),
    }

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct SummedReason of name, count, judged: (Name, u64, Derived<&'static str>) {
        name: String = name.to_owned(),
        count: u64 = count,
        #[serde(default)]
        grade: Derived<&'static str> = judged,
    }

    /// Transactions and control in 2^-20 of a frame.
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct SummedFrames of attribution: &Attribution {
        transactions_shares: u64 = attribution.transactions,
        control_shares: u64 = attribution.control,
        other: u64,
        duplicates: u64,
    }

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct SummedProtocol of name, frames: (&Name, &u64) {
        protocol: String = (*name).to_owned(),
        frames: u64 = *frames,
    }

    /// A time; extremes and mean are null when there is no value.
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct SummedExtremes of spread: &Spread
    where
        let there = |ns| (spread.n > 0).then_some(ns);
    {
        n: u64,
        min_ns: Option<i64> = there(spread.min),
        max_ns: Option<i64> = there(spread.max),
        total_ns: i128 = spread.total,
        #[serde(default)]
        mean_ns: Derived<Option<i64>> = Derived::of(spread.mean()),
    }

    /// A time with the values behind it, each with how often it occurred: as they are, or the upper
    /// ends of their buckets where there are more than are kept exact.
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct SummedTimes of timing: &Timing
    where
        let times = timing.times();
        let there = |ns| (times.n > 0).then_some(ns);
    {
        n: u64 = times.n,
        min_ns: Option<i64> = there(times.min),
        max_ns: Option<i64> = there(times.max),
        total_ns: i128 = times.total,
        #[serde(default)]
        mean_ns: Derived<Option<i64>> = Derived::of(times.mean()),
        #[serde(default)]
        p50_ns: Derived<Option<i64>> = Derived::of(there(times.p50)),
        #[serde(default)]
        p90_ns: Derived<Option<i64>> = Derived::of(there(times.p90)),
        #[serde(default)]
        p95_ns: Derived<Option<i64>> = Derived::of(there(times.p95)),
        #[serde(default)]
        p99_ns: Derived<Option<i64>> = Derived::of(there(times.p99)),
        values: Vec<(i64, u64)> = timing.values().to_vec(),
    }

    /// The figures of a time.
    struct SummedFigures of timing: &Timing
    where
        let times = timing.times();
        let there = |ns| (times.n > 0).then_some(ns);
    {
        n: u64 = times.n,
        min_ns: Option<i64> = there(times.min),
        p50_ns: Option<i64> = there(times.p50),
        p90_ns: Option<i64> = there(times.p90),
        p95_ns: Option<i64> = there(times.p95),
        p99_ns: Option<i64> = there(times.p99),
        max_ns: Option<i64> = there(times.max),
        mean_ns: Option<i64> = times.mean(),
        total_ns: i128 = times.total,
    }

    struct Total of total: &wirewait_analysis::Total {
        server: String,
        outcomes: Outcomes = of(&total.counts),
        turnaround: SummedFigures,
        response_time: SummedFigures,
        frames: Frames,
        data_bytes: u64,
    }

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Operation of key, sum: (&OperationKey, &OperationSum) {
        server: String,
        protocol: String = key.protocol.to_owned(),
        carrier: String = key.carrier.to_owned(),
        command: String = key.command.to_owned(),
        code: u32,
        kind: String = key.kind.name().to_owned(),
        outcomes: Outcomes = of(&sum.counts),
        turnaround: SummedTimes = of(&sum.turnaround),
        response_time: SummedTimes = of(&sum.response_time),
        request_transfer: SummedExtremes = of(&sum.request_transfer),
        response_transfer: SummedExtremes = of(&sum.response_transfer),
        frames: Frames = of(&sum.frames),
        data_bytes: u64 = sum.data_bytes,
        /// File data of the requests that moved some and have a response time; it took `moving_ns`. Files of
        /// earlier versions lack it: then it is all file data, if there is such a time.
        #[serde(default)]
        moving_bytes: Option<u64> = Some(sum.moving_bytes),
        /// Response time of the requests that moved file data.
        moving_ns: i128 = sum.moving_ns,
    }

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct SummedStation of client, sum: (&Endpoint, &StationSum) {
        client: String = of(client),
        outcomes: Outcomes = of(&sum.counts),
        turnaround: SummedTimes = of(&sum.turnaround),
        response_time: SummedTimes = of(&sum.response_time),
        retransmitted: u64 = sum.retransmitted,
        frames: Frames = of(&sum.frames),
        data_bytes: u64 = sum.data_bytes,
        #[serde(default)]
        moving_bytes: Option<u64> = Some(sum.moving_bytes),
        moving_ns: i128 = sum.moving_ns,
    }

    /// Where the time of a client at a server went.
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Pair of key, sum: (&PairKey, &LedgerSum)
    where
        let ns = |phase| sum.ledger.get(phase);
        let two = |bounds: Bounds| [bounds.low, bounds.high];
    {
        client: String,
        server: String,
        client_ns: u64 = ns(Phase::Client),
        request_transfer_ns: u64 = ns(Phase::Request),
        server_ns: u64 = ns(Phase::Server),
        response_transfer_ns: u64 = ns(Phase::Response),
        retransmission_ns: u64 = ns(Phase::Retransmission),
        unanswered_ns: u64 = ns(Phase::Unanswered),
        waiting_ns: u64 = ns(Phase::Waiting),
        idle_ns: u64 = ns(Phase::Idle),
        #[serde(default)]
        unknown_ns: u64 = ns(Phase::Unknown),
        #[serde(default)]
        distance_ns: u64 = ns(Phase::Distance),
        /// The way between the capture and the server: at least, as in `distance_ns`, and at most.
        #[serde(default)]
        network_in_server_ns: [u64; 2] = two(sum.ledger.network_in_server()),
        /// The way to the client, within gaps.
        #[serde(default)]
        network_in_client_ns: [u64; 2] = two(sum.ledger.network_in_client()),
        /// Of the client's time, with the way that is proved there, what lies within requests.
        #[serde(default)]
        client_within_requests_ns: u64 = sum.ledger.client_within_requests(),
        turnarounds: u64 = sum.turnarounds,
        pauses: u64 = sum.pauses,
    }

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct SummedPlace of key, sum: (Label, &PlaceSum) {
        by: String = key.by.name().to_owned(),
        server: String,
        share: Option<String> = key.share.as_deref().map(str::to_owned),
        name: String = key.name.as_ref().to_owned(),
        outcomes: Outcomes = of(&sum.counts),
        turnaround: SummedExtremes = of(&sum.turnaround),
        response_time: SummedExtremes = of(&sum.response_time),
        written_bytes: u64 = sum.written_bytes,
        read_bytes: u64 = sum.read_bytes,
        frames: Frames = of(&sum.frames),
        #[serde(default)]
        moving_bytes: Option<u64> = Some(sum.moving_bytes),
        moving_ns: i128 = sum.moving_ns,
    }

    /// Numbers of steps, the first of which lies below the first bound, each with its count.
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct SummedDistribution of summary: &Summary {
        turnaround: Vec<(u64, u64)> = sparse(&summary.turnaround),
        response_time: Vec<(u64, u64)> = sparse(&summary.response_time),
    }

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct SummedExcluded of left, count: (&(Name, Name), &u64) {
        from: String = left.0.to_owned(),
        reason: String = left.1.to_owned(),
        count: u64 = *count,
    }
}

// What serde asks for is by reference.
fn is_zero(n: &u64) -> bool {
    *n == 0
}

macro_rules! sums {
    ($(#[$doc:meta])* $name:ident of $of:ident { $($(#[$of_field:meta])* $field:ident),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Serialize, Deserialize)]
        #[cfg_attr(test, derive(schemars::JsonSchema))]
        #[serde(deny_unknown_fields)]
        struct $name { $($(#[$of_field])* $field: u64),* }

        impl Written<&$of> for $name {
            fn of(of: &$of) -> Self {
                Self { $($field: of.$field),* }
            }
        }

        impl From<&$name> for $of {
            fn from(sums: &$name) -> Self {
                Self { $($field: sums.$field),* }
            }
        }
    };
}

sums!(
    /// What became of requests.
    Outcomes of Counts {
        requests, answered, unanswered, one_sided, cancelled, orphan_responses, failures, not_ok,
        repeated, interims, duplicate_responses,
        #[serde(default, skip_serializing_if = "is_zero")] open_at_end,
        #[serde(default, skip_serializing_if = "is_zero")] capture_loss,
        #[serde(default, skip_serializing_if = "is_zero")] given_up,
        #[serde(default, skip_serializing_if = "is_zero")] responses_given_up,
        #[serde(default, skip_serializing_if = "is_zero")] forgotten,
    }
);
sums!(
    /// Frames, by what they did.
    Frames of FrameSums {
        request, response, interim, ack, control, retransmitted,
        #[serde(default, skip_serializing_if = "is_zero")] offloaded,
    }
);

fn sparse(histogram: &Histogram) -> Vec<(u64, u64)> {
    let counts = (0..).zip(histogram.counts().iter().copied());
    counts.filter(|(_, n)| *n > 0).collect()
}

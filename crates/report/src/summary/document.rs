//! The document as it is written, and what it has to be to be read.

use super::{SCHEMA, address, spelling};
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
        #[serde(default, skip_serializing_if = "is_zero")] given_up,
        #[serde(default, skip_serializing_if = "is_zero")] responses_given_up,
        #[serde(default, skip_serializing_if = "is_zero")] forgotten,
    }
);
sums!(
    /// Frames, by what they did.
    Frames of FrameSums { request, response, interim, ack, control, retransmitted }
);

impl SummedExtremes {
    fn read(&self) -> Result<Spread, String> {
        let (min, max) = match (self.n, self.min_ns, self.max_ns) {
            (0, None, None) if self.total_ns == 0 => return Ok(Spread::default()),
            (1.., Some(min), Some(max)) if min <= max => (min, max),
            _ => return Err("the extremes are not those of so many values".into()),
        };
        let n = i128::from(self.n);
        let times = |ns: i64| i128::from(ns).saturating_mul(n);
        if !(times(min)..=times(max)).contains(&self.total_ns) {
            return Err("the sum is not that of such values".into());
        }
        Ok(Spread {
            n: self.n,
            min,
            max,
            total: self.total_ns,
        })
    }
}

impl SummedTimes {
    fn read(self) -> Result<Timing, String> {
        let spread = SummedExtremes {
            n: self.n,
            min_ns: self.min_ns,
            max_ns: self.max_ns,
            total_ns: self.total_ns,
            mean_ns: Derived::default(),
        };
        Timing::from_parts(spread.read()?, self.values).map_err(|error| error.to_string())
    }
}

impl Document {
    /// The sums, if they can be such.
    pub(super) fn read(self) -> Result<Summary, String> {
        let sightings = self.sightings.into_iter();
        let sightings = sightings.map(|(conversation, part, first, last)| Sighting {
            conversation,
            part,
            first: Timestamp::from_nanos(first),
            last: Timestamp::from_nanos(last),
        });
        let sightings = Sightings::from_list(sightings.collect());
        let mut summary = Summary {
            parts: self.parts,
            frames: self.frames,
            bytes: self.bytes,
            first: self.first_ns.map(Timestamp::from_nanos),
            last: self.last_ns.map(Timestamp::from_nanos),
            covered_ns: self.covered_ns,
            conversations: self.conversations,
            faults: rows("reasons", self.reasons, |row| {
                Ok((name(&row.name)?, row.count))
            })?,
            protocols: rows("protocols", self.protocols, |row| {
                Ok((name(&row.protocol)?, row.frames))
            })?,
            attribution: Attribution {
                transactions: self.frames_of.transactions_shares,
                control: self.frames_of.control_shares,
                other: self.frames_of.other,
                duplicates: self.frames_of.duplicates,
            },
            operations: rows("servers", self.servers, read_operation)?,
            stations: rows("stations", self.stations, read_station)?,
            pairs: rows("pairs", self.pairs, |row| read_pair(&row))?,
            places: BTreeMap::new(),
            turnaround: full(&self.distribution.turnaround)
                .map_err(|error| format!("distribution.turnaround: {error}"))?,
            response_time: full(&self.distribution.response_time)
                .map_err(|error| format!("distribution.response_time: {error}"))?,
            excluded: rows("excluded", self.excluded, |row| {
                Ok(((name(&row.from)?, name(&row.reason)?), row.count))
            })?,
            sightings: sightings.ok_or("sightings: they are too many, or not in order")?,
        };
        for (n, row) in self.places.iter().enumerate() {
            let (key, sum) = read_place(row).map_err(|error| format!("places[{n}]: {error}"))?;
            let known = summary.places.get_key_value(&key);
            if known.is_some_and(|(known, _)| known.is_spelled_as(&key)) {
                return Err(format!("places[{n}]: stands there twice"));
            }
            // Earlier files have a row for each spelling.
            summary.add_place(key, &sum);
        }
        Ok(summary)
    }
}

fn read_operation(row: Operation) -> Result<(OperationKey, OperationSum), String> {
    let key = OperationKey {
        server: end(&row.server)?,
        protocol: name(&row.protocol)?,
        carrier: name(&row.carrier)?,
        command: name(&row.command)?,
        code: row.code,
        kind: kind(&row.kind)?,
    };
    let sum = OperationSum {
        counts: Counts::from(&row.outcomes),
        turnaround: at("turnaround", row.turnaround.read())?,
        response_time: at("response_time", row.response_time.read())?,
        request_transfer: at("request_transfer", row.request_transfer.read())?,
        response_transfer: at("response_transfer", row.response_transfer.read())?,
        frames: FrameSums::from(&row.frames),
        data_bytes: row.data_bytes,
        moving_ns: row.moving_ns,
    };
    Ok((key, sum))
}

fn read_station(row: SummedStation) -> Result<(Endpoint, StationSum), String> {
    let sum = StationSum {
        counts: Counts::from(&row.outcomes),
        turnaround: at("turnaround", row.turnaround.read())?,
        response_time: at("response_time", row.response_time.read())?,
        retransmitted: row.retransmitted,
        frames: FrameSums::from(&row.frames),
        data_bytes: row.data_bytes,
        moving_ns: row.moving_ns,
    };
    Ok((end(&row.client)?, sum))
}

fn read_pair(row: &Pair) -> Result<(PairKey, LedgerSum), String> {
    let key = PairKey {
        client: end(&row.client)?,
        server: end(&row.server)?,
    };
    let ledger = Ledger::from_parts([
        row.client_ns,
        row.request_transfer_ns,
        row.server_ns,
        row.response_transfer_ns,
        row.distance_ns,
        row.retransmission_ns,
        row.unanswered_ns,
        row.waiting_ns,
        row.idle_ns,
        row.unknown_ns,
    ]);
    let bounds = |[low, high]: [u64; 2]| Bounds { low, high };
    let ledger = ledger.with_network(
        bounds(row.network_in_server_ns),
        bounds(row.network_in_client_ns),
    );
    let sum = LedgerSum {
        ledger,
        turnarounds: row.turnarounds,
        pauses: row.pauses,
    };
    Ok((key, sum))
}

fn read_place(row: &SummedPlace) -> Result<(Label, PlaceSum), String> {
    let known = [Grouping::User, Grouping::Share, Grouping::File];
    let by = known.into_iter().find(|by| by.name() == row.by);
    let key = Label {
        by: by.ok_or_else(|| format!("{:?} is neither user nor share nor file", row.by))?,
        server: end(&row.server)?,
        share: row.share.as_deref().map(Arc::from),
        name: Arc::from(row.name.as_str()),
    };
    let sum = PlaceSum {
        counts: Counts::from(&row.outcomes),
        turnaround: at("turnaround", row.turnaround.read())?,
        response_time: at("response_time", row.response_time.read())?,
        written_bytes: row.written_bytes,
        read_bytes: row.read_bytes,
        frames: FrameSums::from(&row.frames),
        moving_ns: row.moving_ns,
    };
    Ok((key, sum))
}

fn sparse(histogram: &Histogram) -> Vec<(u64, u64)> {
    let counts = (0..).zip(histogram.counts().iter().copied());
    counts.filter(|(_, n)| *n > 0).collect()
}

fn full(steps: &[(u64, u64)]) -> Result<Histogram, String> {
    let mut counts = *Histogram::default().counts();
    if !steps.is_sorted_by(|a, b| a.0 < b.0) {
        return Err("the steps do not ascend".into());
    }
    for (step, n) in steps {
        let place = usize::try_from(*step)
            .ok()
            .and_then(|at| counts.get_mut(at));
        *place.ok_or_else(|| format!("there is no step {step}"))? = *n;
    }
    Ok(Histogram::from_counts(counts))
}

/// Rows by their keys, of which there may be no two.
fn rows<T, K: Ord, V>(
    list: &str,
    items: Vec<T>,
    read: impl Fn(T) -> Result<(K, V), String>,
) -> Result<BTreeMap<K, V>, String> {
    let mut rows = BTreeMap::new();
    for (n, item) in items.into_iter().enumerate() {
        let (key, value) = read(item).map_err(|error| format!("{list}[{n}]: {error}"))?;
        if rows.insert(key, value).is_some() {
            return Err(format!("{list}[{n}]: stands there twice"));
        }
    }
    Ok(rows)
}

fn at<T>(place: &str, read: Result<T, String>) -> Result<T, String> {
    read.map_err(|error| format!("{place}: {error}"))
}

fn end(text: &str) -> Result<Endpoint, String> {
    address::station(text).ok_or_else(|| format!("{text:?} is not a station"))
}

fn name(text: &str) -> Result<Name, String> {
    word::intern(text).ok_or_else(|| "there are more names than any program has".to_owned())
}

fn kind(text: &str) -> Result<Kind, String> {
    let known = [
        Kind::Read,
        Kind::Write,
        Kind::Open,
        Kind::Close,
        Kind::Directory,
        Kind::Lock,
        Kind::Session,
        Kind::Transaction,
        Kind::Break,
        Kind::Wait,
        Kind::Other,
    ];
    let kind = known.into_iter().find(|kind| kind.name() == text);
    kind.ok_or_else(|| format!("{text:?} is not a kind of operation"))
}

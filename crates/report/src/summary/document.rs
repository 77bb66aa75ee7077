//! The document as it is written, and what it has to be to be read.

use super::{SCHEMA, address, spelling};
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

/// Sums of one analysis or of many, which can be added to others.
#[derive(Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct Document {
    schema: String,
    histogram: Layout,
    /// How many analyses are in it.
    parts: u64,
    frames: u64,
    bytes: u64,
    /// Nanoseconds since 1970; null without frames.
    first_ns: Option<i64>,
    last_ns: Option<i64>,
    /// From the first to the last frame of each part, together.
    covered_ns: u64,
    conversations: u64,
    /// Judged by the sums.
    #[serde(default)]
    grade: Derived<&'static str>,
    reasons: Vec<SummedReason>,
    frames_of: SummedFrames,
    protocols: Vec<SummedProtocol>,
    /// Each server as a whole, by total response time.
    #[serde(default)]
    totals: Derived<Vec<Total>>,
    servers: Vec<Operation>,
    stations: Vec<SummedStation>,
    pairs: Vec<Pair>,
    places: Vec<SummedPlace>,
    distribution: SummedDistribution,
    excluded: Vec<SummedExcluded>,
    /// By which the same conversation in two parts is noticed: a number made of its ends, one
    /// made of the part, when it was first and last seen there, ns.
    sightings: Vec<(u64, u64, i64, i64)>,
}

#[derive(Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct SummedReason {
    name: String,
    count: u64,
    #[serde(default)]
    grade: Derived<&'static str>,
}

/// Transactions and control in 2^-20 of a frame.
#[derive(Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct SummedFrames {
    transactions_shares: u64,
    control_shares: u64,
    other: u64,
    duplicates: u64,
}

#[derive(Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct SummedProtocol {
    protocol: String,
    frames: u64,
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

        impl From<&$of> for $name {
            fn from(of: &$of) -> Self {
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

/// A time; extremes and mean are null when there is no value.
#[derive(Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct SummedExtremes {
    n: u64,
    min_ns: Option<i64>,
    max_ns: Option<i64>,
    total_ns: i128,
    #[serde(default)]
    mean_ns: Derived<Option<i64>>,
}

/// A time with the values behind it, each with how often it occurred: as they are, or the upper
/// ends of their buckets where there are more than are kept exact.
#[derive(Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct SummedTimes {
    n: u64,
    min_ns: Option<i64>,
    max_ns: Option<i64>,
    total_ns: i128,
    #[serde(default)]
    mean_ns: Derived<Option<i64>>,
    #[serde(default)]
    p50_ns: Derived<Option<i64>>,
    #[serde(default)]
    p90_ns: Derived<Option<i64>>,
    #[serde(default)]
    p95_ns: Derived<Option<i64>>,
    #[serde(default)]
    p99_ns: Derived<Option<i64>>,
    values: Vec<(i64, u64)>,
}

/// The figures of a time.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct SummedFigures {
    n: u64,
    min_ns: Option<i64>,
    p50_ns: Option<i64>,
    p90_ns: Option<i64>,
    p95_ns: Option<i64>,
    p99_ns: Option<i64>,
    max_ns: Option<i64>,
    mean_ns: Option<i64>,
    total_ns: i128,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Total {
    server: String,
    outcomes: Outcomes,
    turnaround: SummedFigures,
    response_time: SummedFigures,
    frames: Frames,
    data_bytes: u64,
}

#[derive(Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct Operation {
    server: String,
    protocol: String,
    carrier: String,
    command: String,
    code: u32,
    kind: String,
    outcomes: Outcomes,
    turnaround: SummedTimes,
    response_time: SummedTimes,
    request_transfer: SummedExtremes,
    response_transfer: SummedExtremes,
    frames: Frames,
    data_bytes: u64,
    /// Response time of the requests that moved file data.
    moving_ns: i128,
}

#[derive(Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct SummedStation {
    client: String,
    outcomes: Outcomes,
    turnaround: SummedTimes,
    response_time: SummedTimes,
    retransmitted: u64,
    frames: Frames,
    data_bytes: u64,
    moving_ns: i128,
}

/// Where the time of a client at a server went.
#[derive(Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct Pair {
    client: String,
    server: String,
    client_ns: u64,
    request_transfer_ns: u64,
    server_ns: u64,
    response_transfer_ns: u64,
    retransmission_ns: u64,
    unanswered_ns: u64,
    waiting_ns: u64,
    idle_ns: u64,
    #[serde(default)]
    unknown_ns: u64,
    #[serde(default)]
    distance_ns: u64,
    /// The way between the capture and the server: at least, as in `distance_ns`, and at most.
    #[serde(default)]
    network_in_server_ns: [u64; 2],
    /// The way to the client, within gaps.
    #[serde(default)]
    network_in_client_ns: [u64; 2],
    turnarounds: u64,
    pauses: u64,
}

#[derive(Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct SummedPlace {
    by: String,
    server: String,
    share: Option<String>,
    name: String,
    outcomes: Outcomes,
    turnaround: SummedExtremes,
    response_time: SummedExtremes,
    written_bytes: u64,
    read_bytes: u64,
    frames: Frames,
    moving_ns: i128,
}

/// Numbers of steps, the first of which lies below the first bound, each with its count.
#[derive(Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct SummedDistribution {
    turnaround: Vec<(u64, u64)>,
    response_time: Vec<(u64, u64)>,
}

#[derive(Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct SummedExcluded {
    from: String,
    reason: String,
    count: u64,
}

impl From<&Spread> for SummedExtremes {
    fn from(spread: &Spread) -> Self {
        let there = |ns| (spread.n > 0).then_some(ns);
        Self {
            n: spread.n,
            min_ns: there(spread.min),
            max_ns: there(spread.max),
            total_ns: spread.total,
            mean_ns: Derived::of(spread.mean()),
        }
    }
}

impl From<&Timing> for SummedFigures {
    fn from(timing: &Timing) -> Self {
        let times = timing.times();
        let there = |ns| (times.n > 0).then_some(ns);
        Self {
            n: times.n,
            min_ns: there(times.min),
            p50_ns: there(times.p50),
            p90_ns: there(times.p90),
            p95_ns: there(times.p95),
            p99_ns: there(times.p99),
            max_ns: there(times.max),
            mean_ns: times.mean(),
            total_ns: times.total,
        }
    }
}

impl From<&Timing> for SummedTimes {
    fn from(timing: &Timing) -> Self {
        let figures = SummedFigures::from(timing);
        Self {
            n: figures.n,
            min_ns: figures.min_ns,
            max_ns: figures.max_ns,
            total_ns: figures.total_ns,
            mean_ns: Derived::of(figures.mean_ns),
            p50_ns: Derived::of(figures.p50_ns),
            p90_ns: Derived::of(figures.p90_ns),
            p95_ns: Derived::of(figures.p95_ns),
            p99_ns: Derived::of(figures.p99_ns),
            values: timing.values().to_vec(),
        }
    }
}

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
    pub(super) fn of(summary: &Summary) -> Self {
        let (grade, reasons) = summary.quality();
        let judged = |name: &str| {
            let reason = reasons.iter().find(|reason| reason.name == name);
            Derived(reason.map(|reason| reason.grade.name()))
        };
        Self {
            schema: SCHEMA.to_owned(),
            histogram: Layout::known(),
            parts: summary.parts,
            frames: summary.frames,
            bytes: summary.bytes,
            first_ns: summary.first.map(Timestamp::as_nanos),
            last_ns: summary.last.map(Timestamp::as_nanos),
            covered_ns: summary.covered_ns,
            conversations: summary.conversations,
            grade: Derived::of(grade.name()),
            reasons: summary
                .faults
                .iter()
                .map(|(name, count)| SummedReason {
                    name: (*name).to_owned(),
                    count: *count,
                    grade: judged(name),
                })
                .collect(),
            frames_of: SummedFrames {
                transactions_shares: summary.attribution.transactions,
                control_shares: summary.attribution.control,
                other: summary.attribution.other,
                duplicates: summary.attribution.duplicates,
            },
            protocols: summary
                .protocols
                .iter()
                .map(|(name, frames)| SummedProtocol {
                    protocol: (*name).to_owned(),
                    frames: *frames,
                })
                .collect(),
            totals: Derived::of(totals(summary)),
            servers: summary.operations.iter().map(operation).collect(),
            stations: summary.stations.iter().map(station).collect(),
            pairs: summary.pairs.iter().map(pair).collect(),
            places: spelling::places(summary).map(place).collect(),
            distribution: SummedDistribution {
                turnaround: sparse(&summary.turnaround),
                response_time: sparse(&summary.response_time),
            },
            excluded: summary
                .excluded
                .iter()
                .map(|((from, reason), count)| SummedExcluded {
                    from: (*from).to_owned(),
                    reason: (*reason).to_owned(),
                    count: *count,
                })
                .collect(),
            sightings: summary
                .sightings
                .list()
                .iter()
                .map(|s| {
                    (
                        s.conversation,
                        s.part,
                        s.first.as_nanos(),
                        s.last.as_nanos(),
                    )
                })
                .collect(),
        }
    }

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

fn totals(summary: &Summary) -> Vec<Total> {
    let totals = summary.totals();
    totals
        .iter()
        .map(|total| Total {
            server: total.server.to_string(),
            outcomes: Outcomes::from(&total.counts),
            turnaround: SummedFigures::from(&total.turnaround),
            response_time: SummedFigures::from(&total.response_time),
            frames: Frames::from(&total.frames),
            data_bytes: total.data_bytes,
        })
        .collect()
}

fn operation((key, sum): (&OperationKey, &OperationSum)) -> Operation {
    Operation {
        server: key.server.to_string(),
        protocol: key.protocol.to_owned(),
        carrier: key.carrier.to_owned(),
        command: key.command.to_owned(),
        code: key.code,
        kind: key.kind.name().to_owned(),
        outcomes: Outcomes::from(&sum.counts),
        turnaround: SummedTimes::from(&sum.turnaround),
        response_time: SummedTimes::from(&sum.response_time),
        request_transfer: SummedExtremes::from(&sum.request_transfer),
        response_transfer: SummedExtremes::from(&sum.response_transfer),
        frames: Frames::from(&sum.frames),
        data_bytes: sum.data_bytes,
        moving_ns: sum.moving_ns,
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

fn station((client, sum): (&Endpoint, &StationSum)) -> SummedStation {
    SummedStation {
        client: client.to_string(),
        outcomes: Outcomes::from(&sum.counts),
        turnaround: SummedTimes::from(&sum.turnaround),
        response_time: SummedTimes::from(&sum.response_time),
        retransmitted: sum.retransmitted,
        frames: Frames::from(&sum.frames),
        data_bytes: sum.data_bytes,
        moving_ns: sum.moving_ns,
    }
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

fn pair((key, sum): (&PairKey, &LedgerSum)) -> Pair {
    let ns = |share| sum.ledger.get(share);
    let two = |bounds: Bounds| [bounds.low, bounds.high];
    Pair {
        client: key.client.to_string(),
        server: key.server.to_string(),
        client_ns: ns(Phase::Client),
        request_transfer_ns: ns(Phase::Request),
        server_ns: ns(Phase::Server),
        response_transfer_ns: ns(Phase::Response),
        retransmission_ns: ns(Phase::Retransmission),
        unanswered_ns: ns(Phase::Unanswered),
        waiting_ns: ns(Phase::Waiting),
        idle_ns: ns(Phase::Idle),
        unknown_ns: ns(Phase::Unknown),
        distance_ns: ns(Phase::Distance),
        network_in_server_ns: two(sum.ledger.network_in_server()),
        network_in_client_ns: two(sum.ledger.network_in_client()),
        turnarounds: sum.turnarounds,
        pauses: sum.pauses,
    }
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

fn place((key, sum): (Label, &PlaceSum)) -> SummedPlace {
    SummedPlace {
        by: key.by.name().to_owned(),
        server: key.server.to_string(),
        share: key.share.as_deref().map(str::to_owned),
        name: key.name.as_ref().to_owned(),
        outcomes: Outcomes::from(&sum.counts),
        turnaround: SummedExtremes::from(&sum.turnaround),
        response_time: SummedExtremes::from(&sum.response_time),
        written_bytes: sum.written_bytes,
        read_bytes: sum.read_bytes,
        frames: Frames::from(&sum.frames),
        moving_ns: sum.moving_ns,
    }
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

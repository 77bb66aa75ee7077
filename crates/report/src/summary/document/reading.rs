//! Sums of a document that was read, if they can be such.

use super::super::address;
use super::*;

impl SummedExtremes {
    fn read(&self) -> Result<Spread, String> {
        let (min, max) = match (self.n, self.min_ns, self.max_ns) {
            (0, None, None) if self.total_ns == 0 => return Ok(Spread::default()),
            (1.., Some(min), Some(max)) if min <= max => (min, max),
            _ => return Err("the extremes are not those of the values".into()),
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
    pub(in crate::summary) fn read(self) -> Result<Summary, String> {
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
        moving_bytes: moving(row.moving_bytes, row.data_bytes, row.moving_ns),
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
        moving_bytes: moving(row.moving_bytes, row.data_bytes, row.moving_ns),
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
    let ledger = ledger.with_client_within_requests(row.client_within_requests_ns);
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
        moving_bytes: moving(
            row.moving_bytes,
            row.read_bytes.saturating_add(row.written_bytes),
            row.moving_ns,
        ),
        moving_ns: row.moving_ns,
    };
    Ok((key, sum))
}

/// The bytes that `ns` is the time of. Earlier files have only those of all requests.
fn moving(bytes: Option<u64>, all: u64, ns: i128) -> u64 {
    bytes.unwrap_or(if ns == 0 { 0 } else { all })
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

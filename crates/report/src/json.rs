//! The whole report as one JSON document, for programs. Names, shape and order are a
//! promise; integers carry their unit in their name (`_ns`, `_bytes`).

use crate::about::About;
use crate::escape::Escaped;
use crate::figures::{Command, Milli, frames_per_request};
use crate::time::Rfc3339;
use crate::transactions::Row;
use serde::Serialize;
use std::io::{self, Write};
use std::sync::Arc;
use wirewait_analysis::{
    Counts, Culprit, FrameSums, Grouping, InterfaceRow, LedgerOf, LedgerRow, ServerRow, Settings,
    Share, Snapshot, Spread, StationRow, Times, Verdict, WHOLE_FRAME,
};

/// Changes when a name, its meaning or the shape of the document does.
pub const SCHEMA: &str = "wirewait-report/1";

/// Writes the report.
///
/// # Errors
/// What `out` says.
pub fn report(out: &mut impl Write, about: &About, snapshot: &Snapshot) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, &document(about, snapshot))?;
    writeln!(out)
}

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    verdict: Judged,
    capture: Capture<'a>,
    protocols: Protocols<'a>,
    segment: Vec<Segment<'a>>,
    servers: Vec<Server>,
    stations: Vec<Station>,
    ledger: Ledgers,
    users: Vec<Place>,
    shares: Vec<Place>,
    files: Vec<Place>,
    slowest: Vec<Row<'a>>,
    excluded: Vec<Excluded>,
    settings: SettingsUsed,
}

fn document<'a>(about: &'a About, snapshot: &'a Snapshot) -> Document<'a> {
    Document {
        schema: SCHEMA,
        verdict: judged(snapshot),
        capture: capture(about, snapshot),
        protocols: Protocols(&snapshot.protocols),
        segment: (0..)
            .zip(&snapshot.interfaces)
            .map(|(number, row)| segment(about, number, row))
            .collect(),
        servers: snapshot.servers.iter().map(server).collect(),
        stations: snapshot.stations.iter().map(station).collect(),
        ledger: ledgers(snapshot),
        users: places(snapshot, Grouping::User),
        shares: places(snapshot, Grouping::Share),
        files: places(snapshot, Grouping::File),
        slowest: snapshot.slowest.iter().map(Row::from).collect(),
        excluded: snapshot
            .excluded
            .iter()
            .map(|e| Excluded {
                from: e.from,
                reason: e.reason,
                transactions: e.count,
            })
            .collect(),
        settings: SettingsUsed::from(&snapshot.settings),
    }
}

/// The answer in one sentence, and what it rests on.
#[derive(Serialize)]
struct Judged {
    sentence: String,
    /// `client`, `network` or `server`; null where there is too little to tell.
    culprit: Option<&'static str>,
    share: Option<f64>,
    active_ns: u64,
    clients: u64,
    answered: u64,
    at: Option<String>,
    at_share: Option<f64>,
    command: Option<String>,
    doubts: Vec<String>,
}

fn judged(snapshot: &Snapshot) -> Judged {
    let verdict = Verdict::on(snapshot);
    let part = |thousandths: u64| thousandths as f64 / 1e3;
    Judged {
        sentence: crate::verdict::sentence(&verdict),
        culprit: verdict.culprit.map(Culprit::name),
        share: verdict.culprit.map(|_| part(verdict.share)),
        active_ns: verdict.active_ns,
        clients: verdict.clients,
        answered: verdict.answered,
        at: verdict.at.map(|(at, _)| at.to_string()),
        at_share: verdict.at.map(|(_, share)| part(share)),
        command: verdict
            .operation
            .map(|(_, name, code)| Command { name, code }.to_string()),
        doubts: crate::verdict::doubts(&verdict).collect(),
    }
}

#[derive(Serialize)]
struct Capture<'a> {
    files: &'a [String],
    selection: Selected<'a>,
    frames: u64,
    bytes: u64,
    first: Option<Rfc3339>,
    last: Option<Rfc3339>,
    duration_ns: Option<i64>,
    /// Frames lost before they got into the files; null if the files do not say.
    dropped: Option<u64>,
    damage: &'a [String],
    quality: Quality,
    conversations: u64,
    evicted_conversations: u64,
    frames_of: FramesOf,
}

/// Which frames of the files were wanted, as the user put it; all null for all of them.
#[derive(Serialize)]
struct Selected<'a> {
    since: Option<&'a str>,
    until: Option<&'a str>,
    filter: Option<&'a str>,
}

#[derive(Serialize)]
struct Quality {
    grade: &'static str,
    reasons: Vec<Reason>,
}

#[derive(Serialize)]
struct Reason {
    name: &'static str,
    text: &'static str,
    count: u64,
    grade: &'static str,
}

/// Where the frames went. A frame that several transactions share counts once.
#[derive(Serialize)]
struct FramesOf {
    transactions: f64,
    control: f64,
    other: u64,
    duplicates: u64,
}

fn capture<'a>(about: &'a About, snapshot: &Snapshot) -> Capture<'a> {
    let row = &snapshot.capture;
    Capture {
        files: &about.files,
        selection: Selected {
            since: about.selection.since.as_deref(),
            until: about.selection.until.as_deref(),
            filter: about.selection.filter.as_deref(),
        },
        frames: row.frames,
        bytes: row.bytes,
        first: row.first.map(Rfc3339),
        last: row.last.map(Rfc3339),
        duration_ns: row
            .first
            .zip(row.last)
            .map(|(first, last)| last.since(first)),
        dropped: about.dropped(),
        damage: &about.damage,
        quality: Quality {
            grade: row.grade.name(),
            reasons: row
                .reasons
                .iter()
                .map(|reason| Reason {
                    name: reason.name,
                    text: reason.text,
                    count: reason.count,
                    grade: reason.grade.name(),
                })
                .collect(),
        },
        conversations: row.conversations,
        evicted_conversations: row.evicted,
        frames_of: FramesOf {
            transactions: frames(snapshot.attribution.transactions),
            control: frames(snapshot.attribution.control),
            other: snapshot.attribution.other,
            duplicates: snapshot.attribution.duplicates,
        },
    }
}

/// Whole and parts of frames. A share is a power of two's part, so this is exact.
fn frames(shares: u64) -> f64 {
    shares as f64 / WHOLE_FRAME as f64
}

/// Frames that contain each protocol, links first.
struct Protocols<'a>(&'a [(&'static str, u64)]);

impl Serialize for Protocols<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().copied())
    }
}

#[derive(Serialize)]
struct Segment<'a> {
    interface: u32,
    name: Option<&'a str>,
    link_type: Option<u16>,
    frames: u64,
    bytes: u64,
    multicast_frames: u64,
    broadcast_frames: u64,
    dropped: Option<u64>,
}

fn segment<'a>(about: &'a About, number: u32, row: &InterfaceRow) -> Segment<'a> {
    let known = about.interfaces.get(number as usize);
    Segment {
        interface: number,
        name: known.and_then(|interface| interface.name.as_deref()),
        link_type: known.map(|interface| interface.link_type),
        frames: row.frames,
        bytes: row.bytes,
        multicast_frames: row.multicast,
        broadcast_frames: row.broadcast,
        dropped: known.and_then(|interface| interface.dropped),
    }
}

#[derive(Serialize)]
struct Outcomes {
    requests: u64,
    answered: u64,
    unanswered: u64,
    one_sided: u64,
    cancelled: u64,
    orphan_responses: u64,
    failures: u64,
    not_ok: u64,
    repeated: u64,
    interims: u64,
    duplicate_responses: u64,
}

impl From<&Counts> for Outcomes {
    fn from(n: &Counts) -> Self {
        Self {
            requests: n.requests,
            answered: n.answered,
            unanswered: n.unanswered,
            one_sided: n.one_sided,
            cancelled: n.cancelled,
            orphan_responses: n.orphan_responses,
            failures: n.failures,
            not_ok: n.not_ok,
            repeated: n.repeated,
            interims: n.interims,
            duplicate_responses: n.duplicate_responses,
        }
    }
}

/// All but `n` and `total_ns` are null when there is no value.
#[derive(Serialize)]
struct Distribution {
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

impl From<&Times> for Distribution {
    fn from(times: &Times) -> Self {
        let there = |value| (times.n > 0).then_some(value);
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

#[derive(Serialize)]
struct Frames {
    request: u64,
    response: u64,
    interim: u64,
    ack: u64,
    control: u64,
    retransmitted: u64,
}

impl From<&FrameSums> for Frames {
    fn from(n: &FrameSums) -> Self {
        Self {
            request: n.request,
            response: n.response,
            interim: n.interim,
            ack: n.ack,
            control: n.control,
            retransmitted: n.retransmitted,
        }
    }
}

#[derive(Serialize)]
struct FramesPerRequest {
    data: Option<f64>,
    acks: Option<f64>,
}

#[derive(Serialize)]
struct Server {
    server: String,
    protocol: &'static str,
    carrier: &'static str,
    command: String,
    code: u32,
    kind: &'static str,
    #[serde(flatten)]
    counts: Outcomes,
    turnaround: Distribution,
    response_time: Distribution,
    request_transfer: Distribution,
    response_transfer: Distribution,
    frames: Frames,
    frames_per_request: FramesPerRequest,
    data_bytes: u64,
    throughput_bytes_per_second: Option<u64>,
}

fn server(row: &ServerRow) -> Server {
    let (data, acks) = frames_per_request(&row.frames, &row.counts);
    Server {
        server: row.server.to_string(),
        protocol: row.protocol,
        carrier: row.carrier,
        command: Command {
            name: row.command,
            code: row.code,
        }
        .to_string(),
        code: row.code,
        kind: row.kind.name(),
        counts: Outcomes::from(&row.counts),
        turnaround: Distribution::from(&row.turnaround),
        response_time: Distribution::from(&row.response_time),
        request_transfer: Distribution::from(&row.request_transfer),
        response_transfer: Distribution::from(&row.response_transfer),
        frames: Frames::from(&row.frames),
        frames_per_request: FramesPerRequest {
            data: data.map(Milli::number),
            acks: acks.map(Milli::number),
        },
        data_bytes: row.data_bytes,
        throughput_bytes_per_second: row.throughput,
    }
}

#[derive(Serialize)]
struct Station {
    client: String,
    servers: u64,
    #[serde(flatten)]
    counts: Outcomes,
    response_time: Distribution,
    deviation_ns: Option<u64>,
    normalised_mean: Option<f64>,
    normalised_min: Option<f64>,
    normalised_max: Option<f64>,
    retransmitted_frames: u64,
    busy_ns: u64,
    client_ns: u64,
    think_ns: u64,
    thinks: u64,
    data_bytes: u64,
}

fn station(row: &StationRow) -> Station {
    Station {
        client: row.client.to_string(),
        servers: row.servers,
        counts: Outcomes::from(&row.counts),
        response_time: Distribution::from(&row.response_time),
        deviation_ns: row.deviation,
        normalised_mean: row.normalised_mean.map(ratio),
        normalised_min: row.normalised_min.map(ratio),
        normalised_max: row.normalised_max.map(ratio),
        retransmitted_frames: row.retransmitted,
        busy_ns: row.busy_ns,
        client_ns: row.client_ns,
        think_ns: row.think_ns,
        thinks: row.thinks,
        data_bytes: row.data_bytes,
    }
}

/// Where the time went, of each kind by time waited.
#[derive(Serialize)]
struct Ledgers {
    /// Null where nothing was waited for.
    capture: Option<OneLedger>,
    servers: Vec<OneLedger>,
    clients: Vec<OneLedger>,
    pairs: Vec<OneLedger>,
    shares: Vec<OneLedger>,
    files: Vec<OneLedger>,
}

/// Elapsed time and its parts, which sum to it.
#[derive(Serialize)]
struct OneLedger {
    client: Option<String>,
    server: Option<String>,
    share: Option<String>,
    file: Option<String>,
    elapsed_ns: u64,
    waited_ns: u64,
    client_ns: u64,
    request_transfer_ns: u64,
    server_ns: u64,
    response_transfer_ns: u64,
    retransmission_ns: u64,
    unanswered_ns: u64,
    waiting_ns: u64,
    idle_ns: u64,
}

fn ledgers(snapshot: &Snapshot) -> Ledgers {
    let of = |wanted: fn(&LedgerOf) -> bool| {
        let rows = snapshot.ledgers.iter();
        rows.filter(|row| wanted(&row.of)).map(ledger).collect()
    };
    Ledgers {
        capture: snapshot
            .ledgers
            .iter()
            .find(|row| row.of == LedgerOf::Capture)
            .map(ledger),
        servers: of(|of| matches!(of, LedgerOf::Server(_))),
        clients: of(|of| matches!(of, LedgerOf::Client(_))),
        pairs: of(|of| matches!(of, LedgerOf::Pair { .. })),
        shares: of(|of| matches!(of, LedgerOf::Share { .. })),
        files: of(|of| matches!(of, LedgerOf::File { .. })),
    }
}

fn ledger(row: &LedgerRow) -> OneLedger {
    let (client, server, share, file) = match &row.of {
        LedgerOf::Capture => (None, None, None, None),
        LedgerOf::Server(server) => (None, Some(server), None, None),
        LedgerOf::Client(client) => (Some(client), None, None, None),
        LedgerOf::Pair { client, server } => (Some(client), Some(server), None, None),
        LedgerOf::Share { server, share } => (None, Some(server), Some(share), None),
        LedgerOf::File {
            server,
            share,
            path,
        } => (None, Some(server), share.as_ref(), Some(path)),
    };
    let name = |name: &Arc<str>| Escaped(name).to_string();
    let part = |share| row.ledger.get(share);
    OneLedger {
        client: client.map(ToString::to_string),
        server: server.map(ToString::to_string),
        share: share.map(name),
        file: file.map(name),
        elapsed_ns: row.ledger.elapsed(),
        waited_ns: row.ledger.waited(),
        client_ns: part(Share::Client),
        request_transfer_ns: part(Share::Request),
        server_ns: part(Share::Server),
        response_transfer_ns: part(Share::Response),
        retransmission_ns: part(Share::Retransmission),
        unanswered_ns: part(Share::Unanswered),
        waiting_ns: part(Share::Waiting),
        idle_ns: part(Share::Idle),
    }
}

#[derive(Serialize)]
struct Place {
    server: String,
    share: Option<String>,
    name: String,
    #[serde(flatten)]
    counts: Outcomes,
    turnaround: Extremes,
    response_time: Extremes,
    read_bytes: u64,
    written_bytes: u64,
}

/// A time without percentiles; all but `n` and `total_ns` are null when there is no value.
#[derive(Serialize)]
struct Extremes {
    n: u64,
    min_ns: Option<i64>,
    max_ns: Option<i64>,
    mean_ns: Option<i64>,
    total_ns: i128,
}

impl From<&Spread> for Extremes {
    fn from(spread: &Spread) -> Self {
        let there = |value| (spread.n > 0).then_some(value);
        Self {
            n: spread.n,
            min_ns: there(spread.min),
            max_ns: there(spread.max),
            mean_ns: spread.mean(),
            total_ns: spread.total,
        }
    }
}

fn places(snapshot: &Snapshot, by: Grouping) -> Vec<Place> {
    snapshot
        .places
        .iter()
        .filter(|row| row.by == by)
        .map(|row| Place {
            server: row.server.to_string(),
            share: row.share.as_deref().map(|share| Escaped(share).to_string()),
            name: Escaped(&row.name).to_string(),
            counts: Outcomes::from(&row.counts),
            turnaround: Extremes::from(&row.turnaround),
            response_time: Extremes::from(&row.response_time),
            read_bytes: row.read_bytes,
            written_bytes: row.written_bytes,
        })
        .collect()
}

fn ratio(millionths: u64) -> f64 {
    millionths as f64 / 1e6
}

#[derive(Serialize)]
struct Excluded {
    from: &'static str,
    reason: &'static str,
    transactions: u64,
}

#[derive(Serialize)]
struct SettingsUsed {
    timeout_ns: i64,
    think_ns: i64,
    duplicate_ns: i64,
    duplicate_id_ns: i64,
    conversations: usize,
    rows: usize,
    slowest: usize,
    names: usize,
    private: bool,
}

impl From<&Settings> for SettingsUsed {
    fn from(settings: &Settings) -> Self {
        Self {
            timeout_ns: settings.timeout_ns,
            think_ns: settings.think_ns,
            duplicate_ns: settings.duplicate_ns,
            duplicate_id_ns: settings.duplicate_id_ns,
            conversations: settings.conversations,
            rows: settings.rows,
            slowest: settings.slowest,
            names: settings.names,
            private: settings.private,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;
    use crate::text::tests::about;

    fn written(about: &About, snapshot: &Snapshot) -> String {
        let mut out = Vec::new();
        report(&mut out, about, snapshot).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn the_whole_document() {
        let text = written(&about(), &samples::snapshot());
        crate::golden::check("report.json", &text);
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["schema"], SCHEMA);
    }

    #[test]
    fn the_sections_stand_in_a_fixed_order() {
        let text = written(&about(), &samples::snapshot());
        let sections: Vec<&str> = text
            .lines()
            .filter(|line| line.starts_with("  \""))
            .filter_map(|line| line.split('"').nth(1))
            .collect();
        assert_eq!(
            sections,
            [
                "schema",
                "verdict",
                "capture",
                "protocols",
                "segment",
                "servers",
                "stations",
                "ledger",
                "users",
                "shares",
                "files",
                "slowest",
                "excluded",
                "settings"
            ]
        );
    }

    #[test]
    fn an_empty_capture_is_a_document_too() {
        let mut empty = samples::snapshot();
        empty.capture.first = None;
        empty.capture.last = None;
        empty.capture.reasons.clear();
        empty.protocols.clear();
        empty.interfaces.clear();
        empty.servers.clear();
        empty.stations.clear();
        empty.slowest.clear();
        empty.excluded.clear();
        let value: serde_json::Value =
            serde_json::from_str(&written(&About::default(), &empty)).unwrap();
        assert!(value["capture"]["first"].is_null());
        assert!(value["capture"]["duration_ns"].is_null());
        assert!(value["capture"]["dropped"].is_null());
        assert_eq!(value["servers"].as_array().unwrap().len(), 0);
        assert_eq!(value["protocols"].as_object().unwrap().len(), 0);
    }
}

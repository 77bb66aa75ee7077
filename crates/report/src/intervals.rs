//! Figures of intervals of a live capture: one row for the whole segment, and one for each server,
//! protocol and class of operations with requests. Names are those of the metrics.

use crate::rows::json::RowObject;
use crate::rows::{CellValue, Get, RowColumn, RowTable, Width, Write as WriteText};
use serde::{Serialize, Serializer};
use std::io::{self, Write};
use wirewait_analysis::{Ledger, LedgerOf, Phase, SegmentRow, Snapshot, Times};
use wirewait_wire::Timestamp;

/// The rows of `live --interval`: schema `schemas/interval.schema.json`.
#[derive(Debug)]
pub enum Intervals {}

/// A row of an interval.
#[derive(Clone, Copy, Debug)]
pub struct IntervalRow<'a> {
    /// Beginning of the interval, a multiple of its length since 1970, UTC.
    pub start: Timestamp,
    /// How much of it was observed, ns.
    pub duration_ns: i64,
    /// What it has figures of.
    pub of: IntervalOf<'a>,
    /// Requests that were over in it.
    pub requests: &'a RequestFigures,
}

/// What a row of an interval has figures of.
#[derive(Clone, Copy, Debug)]
pub enum IntervalOf<'a> {
    /// All of the segment: what passed between these two states of the capture.
    Segment(&'a Standing, &'a Standing),
    /// A class of operations of one protocol on one server.
    Requests {
        /// The server's address.
        server: &'a str,
        /// Protocol of the requests.
        protocol: &'static str,
        /// Class of their operations.
        class: &'static str,
    },
}

/// Figures of requests that were over in an interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RequestFigures {
    /// Requests, answered or not.
    pub requests: u64,
    /// Those whose response is a failure.
    pub errors: u64,
    /// Those without a response: not those that were cancelled, or may have been answered (one direction captured, open at the end, capture loss, a limit).
    pub unanswered: u64,
    /// Those that were sent more than once.
    pub retransmitted: u64,
    /// File data that was moved, bytes.
    pub data_bytes: u64,
    /// From the last byte of the request to the first byte of the response.
    pub turnaround: Times,
    /// From the first byte of the request to the last byte of the response.
    pub response_time: Times,
}

/// Sums of a capture since its beginning, at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    ledger: Ledger,
    frames: u64,
    bytes: u64,
    segment_frames: u64,
    segment_bytes: u64,
    dropped: u64,
    not_saved: u64,
    clock_steps: u64,
    conversations: u64,
    evicted: u64,
}

impl Standing {
    /// The sums of a snapshot.
    #[must_use]
    pub fn of(snapshot: &Snapshot) -> Self {
        let capture = &snapshot.capture;
        let interfaces = snapshot.segment.interfaces.iter();
        let total =
            |of: fn(&SegmentRow) -> u64| interfaces.clone().map(of).fold(0, u64::saturating_add);
        let mut ledgers = snapshot.ledgers.iter();
        let all = ledgers.find(|row| row.of == LedgerOf::Capture);
        let mut reasons = capture.reasons.iter();
        let steps = reasons.find(|reason| reason.name == "clock_steps");
        Self {
            ledger: all.map(|row| row.ledger).unwrap_or_default(),
            frames: capture.frames,
            bytes: capture.bytes,
            segment_frames: total(|row| row.frames()),
            segment_bytes: total(|row| row.bytes.on_wire),
            dropped: capture.dropped(),
            not_saved: capture.not_saved(),
            clock_steps: steps.map_or(0, |reason| reason.count),
            conversations: capture.conversations,
            evicted: capture.evicted,
        }
    }
}

/// Writes a row as a JSON object on a line of its own.
///
/// # Errors
/// What `out` says.
pub fn ndjson(out: &mut impl Write, row: &IntervalRow<'_>) -> io::Result<()> {
    serde_json::to_writer(&mut *out, &IntervalObject(row))?;
    out.write_all(b"\n")
}

struct IntervalObject<'a>(&'a IntervalRow<'a>);

impl Serialize for IntervalObject<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        RowObject::<Intervals>::new(Intervals::COLUMNS, self.0).serialize(serializer)
    }
}

impl RowTable for Intervals {
    type Row<'a> = IntervalRow<'a>;
    const SCHEMA: &'static str = "wirewait.interval/1";
    const COLUMNS: &'static [RowColumn<Self>] = COLUMNS;
}

#[rustfmt::skip]
const COLUMNS: &[RowColumn<Intervals>] = &[
    text("type", "`segment`: all of the capture; `requests`: one class of operations of one protocol on one \
        server.",
        |r, o| {
            o.word(match r.of {
                IntervalOf::Segment(..) => "segment",
                IntervalOf::Requests { .. } => "requests",
            })
        }),
    RowColumn::new("start", "Beginning of the interval, UTC: a multiple of its length since 1970.",
        IntervalCell::Time(|r| Some(r.start))),
    RowColumn::new("duration_ns", "How much of the interval was observed: less than its length in the first one, in the last \
        one, and where the clock was set.",
        IntervalCell::Signed(|r| Some(r.duration_ns))),
    text("server", "The server's address, or `other` for all beyond 256; null for the segment.",
        |r, o| match r.of {
            IntervalOf::Requests { server, .. } => o.word(server),
            IntervalOf::Segment(..) => Ok(()),
        }).or_null(),
    text("protocol", "Protocol of the requests; null for the segment.",
        |r, o| match r.of {
            IntervalOf::Requests { protocol, .. } => o.word(protocol),
            IntervalOf::Segment(..) => Ok(()),
        }).or_null(),
    text("class", "Class of the operations: read, write, open, close, directory, lock, session, transaction, \
        break, wait, other; null for the segment.",
        |r, o| match r.of {
            IntervalOf::Requests { class, .. } => o.word(class),
            IntervalOf::Segment(..) => Ok(()),
        }).or_null(),
    count("requests", "Requests that were over in the interval, answered or not.",
        |r| Some(r.requests.requests)),
    count("request_errors", "Those whose response is a failure.", |r| Some(r.requests.errors)),
    count("unanswered_requests", "Those without a response: not those that were cancelled, or may have been answered (one direction captured, open at the end, capture loss, a limit).", |r| Some(r.requests.unanswered)),
    count("retransmitted_requests", "Those that were sent more than once.", |r| Some(r.requests.retransmitted)),
    count("data_bytes", "File data that they moved.", |r| Some(r.requests.data_bytes)),
    count("server_turnaround_count", "Values of the time from the last byte of the request to the first byte of the response, as the report counts \
        them: ambiguous ones and those of pipelined requests are left out, and from the segment those of requests that \
        wait by design.",
        |r| Some(r.requests.turnaround.n)),
    total("server_turnaround_sum_ns", "Their sum.", |r| Some(sum(&r.requests.turnaround))),
    ns("server_turnaround_p50_ns", "Half of them are no greater; null without values.",
        |r| some(&r.requests.turnaround, |times| times.p50)),
    ns("server_turnaround_p90_ns", "90 % are no greater.", |r| some(&r.requests.turnaround, |times| times.p90)),
    ns("server_turnaround_p95_ns", "95 % are no greater.", |r| some(&r.requests.turnaround, |times| times.p95)),
    ns("server_turnaround_p99_ns", "99 % are no greater.", |r| some(&r.requests.turnaround, |times| times.p99)),
    ns("server_turnaround_max_ns", "The greatest of them.", |r| some(&r.requests.turnaround, |times| times.max)),
    count("response_time_count",
        "Values of the time from the first byte of the request to the last byte of the response, of requests that were \
        answered.",
        |r| Some(r.requests.response_time.n)),
    total("response_time_sum_ns", "Their sum.", |r| Some(sum(&r.requests.response_time))),
    ns("response_time_p50_ns", "Half of them are no greater; null without values.",
        |r| some(&r.requests.response_time, |times| times.p50)),
    ns("response_time_p90_ns", "90 % are no greater.", |r| some(&r.requests.response_time, |times| times.p90)),
    ns("response_time_p95_ns", "95 % are no greater.", |r| some(&r.requests.response_time, |times| times.p95)),
    ns("response_time_p99_ns", "99 % are no greater.", |r| some(&r.requests.response_time, |times| times.p99)),
    ns("response_time_max_ns", "The greatest of them.", |r| some(&r.requests.response_time, |times| times.max)),
    ns("client_time_active_ns", "Active time of all clients that was accounted in the interval, the sum of its phases. Here \
        and below: a value below zero is time of an earlier interval that turned out to be of \
        another phase; null but for the segment.",
        |r| passed(r, |ledger| ledger.active())),
    ns("client_time_client_ns", "Active: pauses of clients between requests.", |r| phase(r, Phase::Client)),
    ns("client_time_request_transfer_ns", "Active: transfer of requests.", |r| phase(r, Phase::Request)),
    ns("client_time_server_ns", "Active: server turnaround.", |r| phase(r, Phase::Server)),
    ns("client_time_response_transfer_ns", "Active: transfer of responses.", |r| phase(r, Phase::Response)),
    ns("client_time_distance_ns", "Active: the way between the capture and the stations.",
        |r| phase(r, Phase::Distance)),
    ns("client_time_retransmission_ns", "Active: loss recovery.", |r| phase(r, Phase::Retransmission)),
    ns("client_time_unanswered_ns", "Active: requests without a response, until they were given up.",
        |r| phase(r, Phase::Unanswered)),
    ns("client_time_waiting_ns", "Not active: waiting by design.", |r| phase(r, Phase::Waiting)),
    ns("client_time_idle_ns", "Not active: think time.", |r| phase(r, Phase::Idle)),
    ns("client_time_unknown_ns",
        "Not active: a request is outstanding, and the capture cannot tell what became of it.",
        |r| phase(r, Phase::Unknown)),
    of_segment("frames", "Frames captured, mirror copies included; here and below: null but for the segment.",
        |r| between(r, |s| s.frames)),
    of_segment("bytes", "Their bytes.", |r| between(r, |s| s.bytes)),
    of_segment("segment_frames", "Frames without mirror copies.", |r| between(r, |s| s.segment_frames)),
    of_segment("segment_bytes", "Their bytes on the wire, preamble and gap included.",
        |r| between(r, |s| s.segment_bytes)),
    of_segment("dropped_frames", "Frames lost before they were captured, in the kernel or the interface, as far as they \
        were counted.",
        |r| between(r, |s| s.dropped)),
    of_segment("not_saved_frames", "Frames that the program at the other end of a pipe had and did not write.",
        |r| between(r, |s| s.not_saved)),
    of_segment("clock_steps", "How often the stamps of frames went back.", |r| between(r, |s| s.clock_steps)),
    of_segment("conversations", "Conversations that began.", |r| between(r, |s| s.conversations)),
    of_segment("evicted_conversations", "Conversations forgotten early because the table was full.",
        |r| between(r, |s| s.evicted)),
];

type IntervalCell = CellValue<Intervals>;

const fn text(
    name: &'static str,
    about: &'static str,
    write: WriteText<Intervals>,
) -> RowColumn<Intervals> {
    RowColumn::new(name, about, IntervalCell::Text(write))
}

const fn count(
    name: &'static str,
    about: &'static str,
    get: Get<Intervals, u64>,
) -> RowColumn<Intervals> {
    RowColumn::new(name, about, IntervalCell::Count(Width::Large, get))
}

const fn ns(
    name: &'static str,
    about: &'static str,
    get: Get<Intervals, i64>,
) -> RowColumn<Intervals> {
    RowColumn::new(name, about, IntervalCell::Signed(get)).or_null()
}

const fn total(
    name: &'static str,
    about: &'static str,
    get: Get<Intervals, i64>,
) -> RowColumn<Intervals> {
    RowColumn::new(name, about, IntervalCell::Signed(get))
}

const fn of_segment(
    name: &'static str,
    about: &'static str,
    get: Get<Intervals, u64>,
) -> RowColumn<Intervals> {
    count(name, about, get).or_null()
}

fn sum(times: &Times) -> i64 {
    i64::try_from(times.total).unwrap_or(i64::MAX)
}

fn some(times: &Times, of: fn(&Times) -> i64) -> Option<i64> {
    (times.n > 0).then(|| of(times))
}

/// What was added to a sum that only grows.
fn between(row: &IntervalRow<'_>, of: fn(&Standing) -> u64) -> Option<u64> {
    match row.of {
        IntervalOf::Segment(before, now) => Some(of(now).saturating_sub(of(before))),
        IntervalOf::Requests { .. } => None,
    }
}

/// What was added to a time, or taken from it.
fn passed(row: &IntervalRow<'_>, of: impl Fn(&Ledger) -> u64) -> Option<i64> {
    match row.of {
        IntervalOf::Segment(before, now) => {
            let [before, now] = [before, now].map(|one| i128::from(of(&one.ledger)));
            i64::try_from(now - before).ok()
        }
        IntervalOf::Requests { .. } => None,
    }
}

fn phase(row: &IntervalRow<'_>, phase: Phase) -> Option<i64> {
    passed(row, |ledger| ledger.get(phase))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::json;
    use schemars::{JsonSchema, Schema, SchemaGenerator};
    use serde_json::Value;
    use std::borrow::Cow;

    impl JsonSchema for IntervalObject<'_> {
        fn schema_name() -> Cow<'static, str> {
            "Interval".into()
        }

        fn json_schema(generator: &mut SchemaGenerator) -> Schema {
            let about = "A row of `live --interval`: figures of one interval, of the whole segment \
                         or of a class of operations.\n\nVersion 1 of the row schema. New fields \
                         are added at the end; the names and meanings of the\nothers stay.";
            json::schema(generator, about, Intervals::COLUMNS)
        }
    }

    #[test]
    fn rows_are_as_their_schema_says() {
        let title = "Row of wirewait live --interval, version 1";
        let schema = crate::schema::of::<IntervalObject<'_>>(title);
        crate::schema::check("interval.schema.json", &schema);
    }

    fn written(of: IntervalOf<'_>, requests: &RequestFigures) -> Value {
        let row = IntervalRow {
            start: Timestamp::from_parts(86_410, 0),
            duration_ns: 9_700_000_000,
            of,
            requests,
        };
        let mut line = Vec::new();
        ndjson(&mut line, &row).unwrap();
        assert_eq!(line.pop(), Some(b'\n'));
        let value: Value = serde_json::from_slice(&line).unwrap();
        let names: Vec<_> = Intervals::COLUMNS
            .iter()
            .map(|column| column.name)
            .collect();
        let object = value.as_object().unwrap();
        assert!(names.iter().all(|name| object.contains_key(*name)));
        assert_eq!(object.len(), names.len());
        value
    }

    #[test]
    fn a_segment_has_what_was_added_since_the_interval_before() {
        let before = Standing {
            ledger: [(Phase::Unknown, 50), (Phase::Server, 70)]
                .into_iter()
                .collect(),
            frames: 10,
            bytes: 1_000,
            ..Standing::default()
        };
        let now = Standing {
            ledger: [(Phase::Unknown, 20), (Phase::Server, 170)]
                .into_iter()
                .collect(),
            frames: 14,
            bytes: 1_400,
            clock_steps: 1,
            ..Standing::default()
        };
        let none = RequestFigures::default();
        let row = written(IntervalOf::Segment(&before, &now), &none);
        assert_eq!(row["type"], "segment");
        assert_eq!(row["start"], "1970-01-02T00:00:10.000000000Z");
        assert_eq!(row["duration_ns"], 9_700_000_000_i64);
        assert_eq!((&row["frames"], &row["bytes"]), (&4.into(), &400.into()));
        assert_eq!(row["client_time_active_ns"], 100);
        assert_eq!(row["client_time_server_ns"], 100);
        assert_eq!(row["client_time_unknown_ns"], -30);
        assert_eq!(row["clock_steps"], 1);
        for name in ["server", "protocol", "class", "response_time_p50_ns"] {
            assert!(row[name].is_null(), "{name}");
        }
        assert_eq!(row["response_time_count"], 0);
    }

    #[test]
    fn requests_have_no_figures_of_the_segment() {
        let requests = RequestFigures {
            requests: 3,
            errors: 1,
            data_bytes: 4096,
            turnaround: Times {
                n: 2,
                min: 5,
                p50: 5,
                p90: 9,
                p95: 9,
                p99: 9,
                max: 9,
                total: 14,
            },
            ..RequestFigures::default()
        };
        let of = IntervalOf::Requests {
            server: "10.0.0.1",
            protocol: "smb2",
            class: "read",
        };
        let row = written(of, &requests);
        assert_eq!(
            (&row["type"], &row["class"]),
            (&"requests".into(), &"read".into())
        );
        assert_eq!(
            (&row["requests"], &row["request_errors"]),
            (&3.into(), &1.into())
        );
        assert_eq!(row["server_turnaround_sum_ns"], 14);
        assert_eq!(row["server_turnaround_p99_ns"], 9);
        assert!(row["frames"].is_null() && row["client_time_active_ns"].is_null());
    }
}

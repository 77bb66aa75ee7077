//! What a live capture shows to Prometheus: figures for each server, protocol and class of
//! operations, and what the capture itself did.
//!
//! Counters and histograms of requests grow as requests are over; the rest follows from a snapshot
//! [`EVERY`] second. Names are by
//! <https://prometheus.io/docs/practices/naming/>; no label is a client or a file.

use super::requests::{Class, RequestEnd, Servers};
use crate::own::Own;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, NativeHistogramConfig};
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::{Registry, Unit};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use wirewait::{LedgerOf, Phase, Snapshot, Transaction};
use wirewait_capture::live::LiveInterface;

/// From one snapshot to the next.
const EVERY: Duration = Duration::from_secs(1);

/// Upper ends of the buckets of times, seconds.
const BUCKETS: [f64; 17] = [
    0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5,
    5.0, 10.0, 30.0,
];

/// Buckets of a native histogram, which has those with values alone. Where there would be more, two
/// neighbours become one.
const NATIVE_BUCKETS: usize = 160;

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Requests {
    server: String,
    protocol: &'static str,
    class: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OfPhase {
    phase: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OfInterface {
    interface: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Dropped {
    interface: String,
    place: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OfReason {
    reason: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Build {
    version: &'static str,
}

type Count<L> = Family<L, Counter>;
type Level<L> = Family<L, Gauge<f64, AtomicU64>>;
type Times = Family<Requests, Histogram, fn() -> Histogram>;

/// All metrics of a capture.
pub(super) struct Metrics {
    families: Families,
    servers: Servers,
    series: HashMap<Class, Series>,
    due: Instant,
}

/// What a request counts in.
struct Series {
    requests: Counter,
    errors: Counter,
    unanswered: Counter,
    retransmissions: Counter,
    data: Counter,
    turnaround: Histogram,
    response: Histogram,
}

/// Metrics, each once: type, name, unit, and what it says.
macro_rules! families {
    ($($field:ident: $type:ty $(= $new:expr)?, $name:literal $(in $unit:ident)?, $help:literal;)+) => {
        #[derive(Clone)]
        struct Families {
            $($field: $type),+
        }

        impl Families {
            /// Nothing counted yet, and the registry that shows them.
            fn new() -> (Self, Registry) {
                let mut registry = Registry::with_prefix("wirewait");
                let build = Info::new(Build {
                    version: env!("CARGO_PKG_VERSION"),
                });
                registry.register("build", "Version of the program", build);
                let families = Self {
                    $($field: first!($($new,)? <$type>::default())),+
                };
                $(
                    let metric = families.$field.clone();
                    first!(
                        $(registry.register_with_unit($name, $help, Unit::$unit, metric),)?
                        registry.register($name, $help, metric)
                    );
                )+
                (families, registry)
            }
        }
    };
}

macro_rules! first {
    ($first:expr $(, $other:expr)?) => {
        $first
    };
}

families! {
    requests: Count<Requests>, "requests", "Requests that are over, answered or not";
    errors: Count<Requests>, "request_errors", "Requests whose response is a failure";
    unanswered: Count<Requests>, "unanswered_requests", "Requests without a response";
    retransmissions: Count<Requests>, "retransmitted_requests", "Requests that were sent more than once";
    data: Count<Requests>, "data" in Bytes, "File data that was moved";
    turnaround: Times = Family::new_with_constructor(times), "server_turnaround" in Seconds,
        "From the last byte of the request to the first byte of the response, of requests that were queued behind none and were sent once";
    response: Times = Family::new_with_constructor(times), "response_time" in Seconds,
        "From the first byte of the request to the last byte of the response, of requests that were answered";
    phases: Level<OfPhase>, "client_time" in Seconds,
        "Time of all clients since the start, by phase of the account of time; a phase can lose time to another one when it turns out whose it was";
    frames: Count<OfInterface>, "segment_frames", "Frames without mirror copies";
    bytes: Count<OfInterface>, "segment" in Bytes, "Bytes on the wire, preamble and gap included";
    present: Family<OfInterface, Gauge>, "interface_up", "Whether frames are captured there at this moment";
    dropped: Count<Dropped>, "dropped_frames",
        "Frames that were lost before they were captured, by the place of the loss";
    faults: Count<OfReason>, "capture_faults",
        "What was found wrong or noteworthy with the capture, full tables included";
    evicted: Counter, "evicted_conversations", "Conversations forgotten early because the table was full";
    conversations: Counter, "conversations", "Conversations that were followed";
    last: Gauge<f64, AtomicU64>, "last_frame_timestamp" in Seconds,
        "Time stamp of the last frame, since 1970";
    processor: Counter<f64, AtomicU64>, "process_cpu" in Seconds, "Processor time of the program";
    memory: Gauge, "process_memory" in Bytes, "Memory of the program, without the buffer of captured frames";
}

/// Classic, and native for those who read Prometheus' binary format.
fn times() -> Histogram {
    // The width that its documentation advises: a bucket ends at most a tenth above where it begins.
    let native = NativeHistogramConfig::new(1.1).max_buckets(NATIVE_BUCKETS);
    Histogram::new_classic_and_native(BUCKETS, native)
}

impl Metrics {
    /// No request yet, and the registry that shows them.
    pub(super) fn new() -> (Self, Registry) {
        let (families, registry) = Families::new();
        let metrics = Self {
            families,
            servers: Servers::default(),
            series: HashMap::new(),
            due: Instant::now(),
        };
        (metrics, registry)
    }

    /// Counts a request that is over.
    pub(super) fn transaction(&mut self, t: &Transaction) {
        let Some(end) = RequestEnd::of(t) else {
            return;
        };
        let class = self.servers.class(t);
        if !self.series.contains_key(&class) {
            let series = self.new_series(class);
            self.series.insert(class, series);
        }
        let Some(series) = self.series.get(&class) else {
            return;
        };
        series.requests.inc();
        if end.error {
            series.errors.inc();
        }
        if end.unanswered {
            series.unanswered.inc();
        }
        series.retransmissions.inc_by(end.retransmitted);
        series.data.inc_by(end.data_bytes);
        if let Some(ns) = end.turnaround_ns {
            series.turnaround.observe(seconds(ns));
        }
        if let Some(ns) = end.response_time_ns {
            series.response.observe(seconds(ns));
        }
    }

    /// Whether a snapshot is wanted.
    pub(super) fn is_due(&mut self, now: Instant) -> bool {
        let due = now >= self.due;
        if due {
            self.due = now + EVERY;
        }
        due
    }

    /// Shows how the capture stands.
    pub(super) fn show(&self, snapshot: &Snapshot, interfaces: &[LiveInterface], own: &Own) {
        let families = &self.families;
        let mut rows = snapshot.ledgers.iter();
        if let Some(all) = rows.find(|row| row.of == LedgerOf::Capture) {
            for phase in Phase::ALL {
                let ns = all.ledger.get(phase);
                let labels = OfPhase {
                    phase: phase.name(),
                };
                let ns = i64::try_from(ns).unwrap_or(i64::MAX);
                families.phases.get_or_create(&labels).set(seconds(ns));
            }
        }
        for (n, interface) in interfaces.iter().enumerate() {
            let name = interface.name.clone().unwrap_or_else(|| n.to_string());
            let of = OfInterface {
                interface: name.clone(),
            };
            if let Some(row) = snapshot.segment.interfaces.get(n) {
                set(&families.frames, &of, row.frames());
                set(&families.bytes, &of, row.bytes.on_wire);
            }
            let present = i64::from(interface.present);
            families.present.get_or_create(&of).set(present);
            let places = [
                ("kernel", interface.dropped),
                ("interface", interface.dropped_by_interface),
                ("writer", interface.not_saved),
            ];
            for (place, count) in places {
                let interface = name.clone();
                if let Some(count) = count {
                    set(&families.dropped, &Dropped { interface, place }, count);
                }
            }
        }
        for reason in &snapshot.capture.reasons {
            let labels = OfReason {
                reason: reason.name,
            };
            set(&families.faults, &labels, reason.count);
        }
        raise(&families.evicted, snapshot.capture.evicted);
        raise(&families.conversations, snapshot.capture.conversations);
        if let Some(last) = snapshot.capture.last {
            families.last.set(seconds(last.as_nanos()));
        }
        if let Some(time) = own.processor {
            let inner = families.processor.inner();
            inner.store(time.as_secs_f64().to_bits(), Ordering::Relaxed);
        }
        if let Some(bytes) = own.memory {
            let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
            families.memory.set(bytes);
        }
    }

    fn new_series(&self, class: Class) -> Series {
        let labels = Requests {
            server: self.servers.name(class).to_owned(),
            protocol: class.protocol,
            class: class.kind.name(),
        };
        let families = &self.families;
        Series {
            requests: families.requests.get_or_create_owned(&labels),
            errors: families.errors.get_or_create_owned(&labels),
            unanswered: families.unanswered.get_or_create_owned(&labels),
            retransmissions: families.retransmissions.get_or_create_owned(&labels),
            data: families.data.get_or_create_owned(&labels),
            turnaround: families.turnaround.get_or_create_owned(&labels),
            response: families.response.get_or_create_owned(&labels),
        }
    }
}

/// Counts of a snapshot are those since the start.
fn set<L: Clone + std::hash::Hash + Eq>(family: &Count<L>, labels: &L, count: u64) {
    raise(&family.get_or_create(labels), count);
}

/// A counter never falls.
fn raise(counter: &Counter, count: u64) {
    counter.inner().fetch_max(count, Ordering::Relaxed);
}

#[expect(
    clippy::cast_precision_loss,
    reason = "53 bits of nanoseconds are 104 days, exactly"
)]
fn seconds(ns: i64) -> f64 {
    ns as f64 / 1e9
}

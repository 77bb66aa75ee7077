//! From frames to figures, for any protocol: conversations, ordering, messages, pairing, the account of
//! time, symptoms. No I/O, no clock but the frames' own, no protocol by name: what a message
//! means is learned from the registry that the analyser is handed.

#![forbid(unsafe_code)]

mod account;
mod accounting;
mod analyzer;
mod apart;
mod arrivals;
mod assembler;
mod books;
mod bounds;
mod breaks;
mod by_template;
mod case;
mod clock;
mod column;
mod conversation;
mod course;
mod datagrams;
mod duplicates;
mod efficiency;
mod fairness;
mod flow;
mod intake;
mod journal;
mod key;
mod lateness;
mod machines;
mod message;
mod meters;
mod names;
mod notice;
mod numbered;
mod one_frame;
mod open;
mod packets;
mod pairing;
mod parties;
mod path;
mod piece;
mod position;
mod protocols;
mod quality;
mod ranges;
pub mod recent;
mod recorder;
mod round_trips;
mod routing;
mod segment;
mod service_wait;
mod services;
mod sink;
mod slowest;
mod snapshot;
mod stalls;
mod stream;
mod summary;
mod sums;
mod symptoms;
mod table;
mod tick;
mod timeline;
mod totals;
mod trail;
mod transaction;
mod turns;
mod unfinished;
mod windows;
mod world;

pub use account::{Bounds, Ledger, PauseParts, Phase, UnsurePauses};
pub use accounting::{Accounting, EntryBatch};
pub use analyzer::Analyzer;
pub use apart::ClocksApart;
pub use breaks::{BreakWaiter, TakenBack};
pub use clock::{ClockSet, Resumed};
pub use course::LedgerCourse;
pub use efficiency::{
    ASSUMED_BUFFER, Accesses, Efficiency, EfficiencyRow, LayerAcks, Rates, Throughput, Units,
};
pub use fairness::{Fairness, Index, STARVES_PERCENT, Starving};
pub use intake::{Intake, Look};
pub use meters::{
    ErrorKey, LATE_ACK_NS, PairMeter, Readings, RequestMeter, Role, SegmentMeter, ShareKey,
    ShareMeter, StationMeter, Task, TransportMeter,
};
pub use names::{LONGEST_NAME, Place};
pub use notice::{DEAD_AFTER, Notice, Noticed};
pub use routing::{HOP_LIMIT, RouteRow, ServiceRow, TransitRow};
pub use segment::{
    Busiest, Course, Directions, Duplex, Flow, KnownBy, Peak, SIZES, Segment, SegmentRow, Spacing,
    Volume, WireBytes, parts_on_wire,
};
pub use sink::Sink;
pub use slowest::UnansweredRequest;
pub use snapshot::{
    Attribution, CaptureRow, Grade, LedgerOf, LedgerRow, Load, Reason, RoundTrip, Settings,
    Snapshot,
};
pub use stalls::{StallCause, StallSum, Stalls};
pub use summary::{
    Common, Conversations, Inconsistent, LedgerSum, OperationKey, OperationSum, PairKey, PlaceSum,
    SIGHTINGS_KEPT, Sighting, Sightings, StationSum, Summary, Timing, Total,
};
pub use symptoms::{
    Against, Base, Limit, Losses, Lost, RULES, Rule, Severity, Sight, Sights, State, Subject,
    Symptom, SymptomCourse, Symptoms, Threshold, Thresholds, Whose, WindowLimit,
};
pub use tick::ClockTick;
pub use totals::ServerTotal;
pub use trail::{Assembled, Deed, Stretch};
pub use transaction::{Transaction, WHOLE_FRAME};
pub use unfinished::Unfinished;
pub use windows::Windows;
pub use wirewait_model::figures::counts_for_places;
pub use wirewait_model::load::{
    Anomaly, BREAKS_PERCENT, BREAKS_TIMES, DEPTH_PERCENT, Dip, Dips, ENOUGH_OF_A_SIZE,
    ENOUGH_PER_BUCKET, ENOUGH_SIZES, Example, GROWN_PERCENT, Interval, Knee, LevelCurve,
    LevelFigures, LevelRow, LoadOf, Moved, NOISE_TIMES, STEADY_NS, SizeCurve, SizeRow, Timeline,
};
pub use wirewait_model::sample::Draw;
pub use wirewait_model::{
    Bucket, Cell, Column, Counts, DistributionRow, Distributions, ENOUGH, EXACT_VALUES, Excluded,
    Extent, Fidelity, Figures, Flags, FrameCounts, FrameSums, Grouping, Histogram, HopRow, Label,
    Mark, Outcome, PlaceRow, STEPS_NS, Sample, Samples, ServerRow, Spread, StationRow, Statistic,
    Times, Turnaround,
};

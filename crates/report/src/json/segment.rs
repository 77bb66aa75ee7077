//! Key `segment`.

use crate::about::About;
use crate::time::Rfc3339;
use serde::Serialize;
use wirewait_analysis::{
    Course, Directions, Flow, Peak, SIZES, Segment as Segments, SegmentRow, Snapshot, Volume,
};

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Segment<'a> {
    interfaces: Vec<SegmentInterface<'a>>,
    /// The sum of several; null where there is one.
    together: Option<SegmentLoad>,
    /// The highest utilisation of any link in any second; null where no speed is known.
    busiest_second: Option<Busiest>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Busiest {
    interface: usize,
    begins: Rfc3339,
    utilisation: f64,
    wire_bytes: u64,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct SegmentInterface<'a> {
    interface: u32,
    name: Option<&'a str>,
    link_type: Option<u16>,
    dropped: Option<u64>,
    speed_bits_per_second: Option<u64>,
    /// `given` or `capture`.
    speed_by: Option<&'static str>,
    speed_at_least_bits_per_second: Option<u64>,
    /// `half` or `full`.
    duplex: Option<&'static str>,
    /// `given`, `capture` or `assumed`.
    duplex_by: Option<&'static str>,
    #[serde(flatten)]
    load: SegmentLoad,
    /// Null where they cannot be told apart.
    directions: Option<Ways>,
    /// Null where there is nothing to judge by.
    spacing: Option<Spacing>,
}

/// `frames` and `bytes` are those of the capture, copies included; all others are without them.
/// What is called `wire_bytes` is variant C.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct SegmentLoad {
    frames: u64,
    bytes: u64,
    copied_frames: u64,
    copied_bytes: u64,
    first: Option<Rfc3339>,
    last: Option<Rfc3339>,
    data_link_bytes: u64,
    preamble_bytes: u64,
    wire_bytes: u64,
    without_fcs_bytes: u64,
    unframed_frames: u64,
    oversize_frames: u64,
    oversize_wire_frames: u64,
    multicast_frames: u64,
    multicast_wire_bytes: u64,
    broadcast_frames: u64,
    broadcast_wire_bytes: u64,
    wire_bytes_per_second: Option<u64>,
    utilisation: Option<f64>,
    peaks: Vec<Busy>,
    sizes: Vec<FrameSize>,
    timeline: SegmentTimeline,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Busy {
    width_ns: i64,
    begins: Rfc3339,
    frames: u64,
    wire_bytes: u64,
    utilisation: Option<f64>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct FrameSize {
    /// Null for the longest.
    up_to_bytes: Option<u64>,
    frames: u64,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct SegmentTimeline {
    begins: Option<Rfc3339>,
    width_ns: i64,
    frames: Vec<u64>,
    wire_bytes: Vec<u64>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Ways {
    station: String,
    from: SegmentWay,
    to: SegmentWay,
    undirected_frames: u64,
    undirected_wire_bytes: u64,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct SegmentWay {
    frames: u64,
    wire_bytes: u64,
    utilisation: Option<f64>,
    peaks: Vec<Busy>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Spacing {
    pairs: u64,
    too_close: u64,
}

pub(super) fn segment<'a>(about: &'a About, snapshot: &Snapshot) -> Segment<'a> {
    let Segments {
        interfaces,
        together,
    } = &snapshot.segment;
    Segment {
        together: (interfaces.len() > 1).then(|| load(together)),
        busiest_second: snapshot
            .segment
            .busiest(1_000_000_000)
            .map(|busiest| Busiest {
                interface: busiest.interface,
                begins: Rfc3339(busiest.peak.begins),
                utilisation: part(busiest.utilisation),
                wire_bytes: busiest.peak.bytes,
            }),
        interfaces: (0..)
            .zip(interfaces)
            .map(|(number, row)| interface(about, number, row))
            .collect(),
    }
}

fn interface<'a>(about: &'a About, number: u32, row: &SegmentRow) -> SegmentInterface<'a> {
    let known = about.interfaces.get(number as usize);
    SegmentInterface {
        interface: number,
        name: known.and_then(|interface| interface.name.as_deref()),
        link_type: known.map(|interface| interface.link_type),
        dropped: known.and_then(|interface| interface.dropped),
        speed_bits_per_second: row.speed.map(|(speed, _)| speed),
        speed_by: row.speed.map(|(_, by)| by.name()),
        speed_at_least_bits_per_second: row.speed_at_least,
        duplex: row.duplex.map(|(duplex, _)| duplex.name()),
        duplex_by: row.duplex.map(|(_, by)| by.name()),
        load: load(row),
        directions: row.directions.as_ref().map(ways),
        spacing: row.spacing.map(|found| Spacing {
            pairs: found.pairs,
            too_close: found.too_close,
        }),
    }
}

fn load(row: &SegmentRow) -> SegmentLoad {
    SegmentLoad {
        frames: row.captured.frames,
        bytes: row.captured.bytes,
        copied_frames: row.copies.frames,
        copied_bytes: row.copies.bytes,
        first: row.first.map(Rfc3339),
        last: row.last.map(Rfc3339),
        data_link_bytes: row.bytes.data_link,
        preamble_bytes: row.bytes.with_preamble,
        wire_bytes: row.bytes.on_wire,
        without_fcs_bytes: row.bytes.without_check,
        unframed_frames: row.bare,
        oversize_frames: row.oversize,
        oversize_wire_frames: row.oversize_on_wire,
        multicast_frames: row.multicast.frames,
        multicast_wire_bytes: row.multicast.bytes,
        broadcast_frames: row.broadcast.frames,
        broadcast_wire_bytes: row.broadcast.bytes,
        wire_bytes_per_second: row.rate(),
        utilisation: row.all.utilisation.map(part),
        peaks: peaks(&row.all),
        sizes: SIZES
            .iter()
            .map(|size| Some(*size))
            .chain([None])
            .zip(row.sizes)
            .map(|(up_to_bytes, frames)| FrameSize {
                up_to_bytes,
                frames,
            })
            .collect(),
        timeline: timeline(&row.course),
    }
}

fn ways(ways: &Directions) -> Ways {
    let way = |flow: &Flow| SegmentWay {
        frames: flow.total.frames,
        wire_bytes: flow.total.bytes,
        utilisation: flow.utilisation.map(part),
        peaks: peaks(flow),
    };
    let Volume { frames, bytes } = ways.before;
    Ways {
        station: ways.station.to_string(),
        from: way(&ways.from),
        to: way(&ways.to),
        undirected_frames: frames,
        undirected_wire_bytes: bytes,
    }
}

/// Nothing was busiest where nothing was.
fn peaks(flow: &Flow) -> Vec<Busy> {
    let peaks = flow.peaks.iter().zip(flow.peak_utilisation);
    peaks
        .filter(|(peak, _)| peak.frames > 0)
        .map(|(peak, utilisation)| busy(peak, utilisation))
        .collect()
}

fn busy(peak: &Peak, utilisation: Option<u64>) -> Busy {
    Busy {
        width_ns: peak.width_ns,
        begins: Rfc3339(peak.begins),
        frames: peak.frames,
        wire_bytes: peak.bytes,
        utilisation: utilisation.map(part),
    }
}

fn timeline(course: &Course) -> SegmentTimeline {
    SegmentTimeline {
        begins: (!course.buckets.is_empty()).then_some(Rfc3339(course.begins)),
        width_ns: course.width_ns,
        frames: course.buckets.iter().map(|bucket| bucket.frames).collect(),
        wire_bytes: course.buckets.iter().map(|bucket| bucket.bytes).collect(),
    }
}

/// Millionths as a part of one.
fn part(millionths: u64) -> f64 {
    millionths as f64 / 1e6
}

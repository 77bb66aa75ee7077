//! Key `segment`.

use super::common::millionths;
use crate::about::About;
use crate::document::{documents, of};
use crate::time::Rfc3339;
use wirewait_analysis::{Course, Directions, Flow, Peak, SIZES, SegmentRow, Snapshot};

documents! {
    pub(super) struct Segment<'a> of about, snapshot: (&'a About, &Snapshot)
    where
        let segment = &snapshot.segment;
        let rows = &segment.interfaces;
    {
        interfaces: Vec<SegmentInterface<'a>> =
            (0..).zip(rows).map(|(number, row)| of((row, number, about))).collect(),
        /// The sum of several; null where there is one.
        together: Option<SegmentLoad> = (rows.len() > 1).then(|| of(&segment.together)),
        /// The highest utilisation of any link in any second; null where no speed is known.
        busiest_second: Option<Busiest> = segment.busiest(1_000_000_000).map(of),
    }

    struct Busiest of busiest: wirewait_analysis::Busiest {
        interface: usize,
        begins: Rfc3339 = Rfc3339(busiest.peak.begins),
        utilisation: f64 = millionths(busiest.utilisation),
        wire_bytes: u64 = busiest.peak.bytes,
    }

    struct SegmentInterface<'a> of row, number, about: (&SegmentRow, u32, &'a About)
    where
        let known = about.interfaces.get(number as usize);
    {
        interface: u32 = number,
        name: Option<&'a str> = known.and_then(|interface| interface.name.as_deref()),
        link_type: Option<u16> = known.map(|interface| interface.link_type),
        dropped: Option<u64> = known.and_then(|interface| interface.dropped),
        speed_bits_per_second: Option<u64> = row.speed.map(|(speed, _)| speed),
        /// `given` or `capture`.
        speed_by: Option<&'static str> = row.speed.map(|(_, by)| by.name()),
        speed_at_least_bits_per_second: Option<u64> = row.speed_at_least,
        /// `half` or `full`.
        duplex: Option<&'static str> = row.duplex.map(|(duplex, _)| duplex.name()),
        /// `given`, `capture` or `assumed`.
        duplex_by: Option<&'static str> = row.duplex.map(|(_, by)| by.name()),
        #[serde(flatten)]
        load: SegmentLoad = of(row),
        /// Null where they cannot be told apart.
        directions: Option<Ways>,
        /// Null where there is nothing to judge by.
        spacing: Option<Spacing>,
    }

    /// `frames` and `bytes` are those of the capture, copies included; all others are without them.
    /// What is called `wire_bytes` is variant C.
    struct SegmentLoad of row: &SegmentRow {
        frames: u64 = row.captured.frames,
        bytes: u64 = row.captured.bytes,
        copied_frames: u64 = row.copies.frames,
        copied_bytes: u64 = row.copies.bytes,
        first: Option<Rfc3339>,
        last: Option<Rfc3339>,
        data_link_bytes: u64 = row.bytes.data_link,
        preamble_bytes: u64 = row.bytes.with_preamble,
        wire_bytes: u64 = row.bytes.on_wire,
        without_fcs_bytes: u64 = row.bytes.without_check,
        unframed_frames: u64 = row.bare,
        oversize_frames: u64 = row.oversize,
        oversize_wire_frames: u64 = row.oversize_on_wire,
        multicast_frames: u64 = row.multicast.frames,
        multicast_wire_bytes: u64 = row.multicast.bytes,
        broadcast_frames: u64 = row.broadcast.frames,
        broadcast_wire_bytes: u64 = row.broadcast.bytes,
        wire_bytes_per_second: Option<u64> = row.rate(),
        utilisation: Option<f64> = row.all.utilisation.map(millionths),
        peaks: Vec<Busy> = peaks(&row.all),
        sizes: Vec<FrameSize> =
            SIZES.iter().copied().map(Some).chain([None]).zip(row.sizes).map(of).collect(),
        timeline: SegmentTimeline = of(&row.course),
    }

    struct Busy of peak, utilisation: (&Peak, Option<u64>) {
        width_ns: i64,
        begins: Rfc3339,
        frames: u64,
        wire_bytes: u64 = peak.bytes,
        utilisation: Option<f64> = utilisation.map(millionths),
    }

    struct FrameSize of up_to_bytes, frames: (Option<u64>, u64) {
        /// Null for the longest.
        up_to_bytes: Option<u64> = up_to_bytes,
        frames: u64 = frames,
    }

    struct SegmentTimeline of course: &Course
    where
        let buckets = &course.buckets;
    {
        begins: Option<Rfc3339> = (!buckets.is_empty()).then_some(Rfc3339(course.begins)),
        width_ns: i64,
        frames: Vec<u64> = buckets.iter().map(|bucket| bucket.frames).collect(),
        wire_bytes: Vec<u64> = buckets.iter().map(|bucket| bucket.bytes).collect(),
    }

    struct Ways of ways: &Directions {
        station: String,
        from: SegmentWay,
        to: SegmentWay,
        undirected_frames: u64 = ways.before.frames,
        undirected_wire_bytes: u64 = ways.before.bytes,
    }

    struct SegmentWay of flow: &Flow {
        frames: u64 = flow.total.frames,
        wire_bytes: u64 = flow.total.bytes,
        utilisation: Option<f64> = flow.utilisation.map(millionths),
        peaks: Vec<Busy> = peaks(flow),
    }

    struct Spacing of found: &wirewait_analysis::Spacing {
        pairs: u64,
        too_close: u64,
    }
}

/// Nothing was busiest where nothing was.
fn peaks(flow: &Flow) -> Vec<Busy> {
    let peaks = flow.peaks.iter().zip(flow.peak_utilisation);
    peaks.filter(|(peak, _)| peak.frames > 0).map(of).collect()
}

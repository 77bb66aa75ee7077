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
        /// By interface.
        interfaces: Vec<SegmentInterface<'a>> =
            (0..).zip(rows).map(|(number, row)| of((row, number, about))).collect(),
        /// The sum of several; null where there is one.
        together: Option<SegmentLoad> = (rows.len() > 1).then(|| of(&segment.together)),
        /// The highest utilisation of any link in any second; null where no speed is known.
        busiest_second: Option<Busiest> = segment.busiest(1_000_000_000).map(of),
    }

    struct Busiest of busiest: wirewait_analysis::Busiest {
        /// Number of the interface.
        interface: usize,
        /// When the second begins.
        begins: Rfc3339 = Rfc3339(busiest.peak.begins),
        /// By the link's capacity, 0 to 1.
        utilisation: f64 = millionths(busiest.utilisation),
        /// Bytes on the wire in it, of the busier direction.
        wire_bytes: u64 = busiest.peak.bytes,
    }

    struct SegmentInterface<'a> of row, number, about: (&SegmentRow, u32, &'a About)
    where
        let known = about.interfaces.get(number as usize);
    {
        /// Its number.
        interface: u32 = number,
        /// Its name; null where the capture has none.
        name: Option<&'a str> = known.and_then(|interface| interface.name.as_deref()),
        /// Its kind of link, as in pcap files.
        link_type: Option<u16> = known.map(|interface| interface.link_type),
        /// Frames that were dropped; null where that is not known.
        dropped: Option<u64> = known.and_then(|interface| interface.dropped),
        /// Speed of the link, bit/s; null where it is not known.
        speed_bits_per_second: Option<u64> = row.speed.map(|(speed, _)| speed),
        /// `given` or `capture`.
        speed_by: Option<&'static str> = row.speed.map(|(_, by)| by.name()),
        /// What the speed is at least in one direction, bit/s, by the busiest 10 ms.
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
        /// Frames, copies included.
        frames: u64 = row.captured.frames,
        /// Their lengths as recorded, added up.
        bytes: u64 = row.captured.bytes,
        /// Copies among them.
        copied_frames: u64 = row.copies.frames,
        /// Lengths of the copies, added up.
        copied_bytes: u64 = row.copies.bytes,
        /// Stamp of the earliest frame.
        first: Option<Rfc3339>,
        /// Stamp of the latest frame.
        last: Option<Rfc3339>,
        /// Bytes with check sequence (variant A).
        data_link_bytes: u64 = row.bytes.data_link,
        /// Bytes with check sequence and preamble (variant B).
        preamble_bytes: u64 = row.bytes.with_preamble,
        /// Bytes with check sequence, preamble and gap (variant C).
        wire_bytes: u64 = row.bytes.on_wire,
        /// Bytes without check sequence, but padded (variant D).
        without_fcs_bytes: u64 = row.bytes.without_check,
        /// Frames of a link whose framing is not known.
        unframed_frames: u64 = row.bare,
        /// Frames longer than the link carries: the capturing station put several together.
        oversize_frames: u64 = row.oversize,
        /// Frames on the wire that those stand for.
        oversize_wire_frames: u64 = row.oversize_on_wire,
        /// Frames to a group.
        multicast_frames: u64 = row.multicast.frames,
        /// Their bytes on the wire.
        multicast_wire_bytes: u64 = row.multicast.bytes,
        /// Frames to everyone.
        broadcast_frames: u64 = row.broadcast.frames,
        /// Their bytes on the wire.
        broadcast_wire_bytes: u64 = row.broadcast.bytes,
        /// On the wire from the first frame to the end of the last, bytes per second.
        wire_bytes_per_second: Option<u64> = row.rate(),
        /// By the link's capacity, 0 to 1; null where its speed is not known.
        utilisation: Option<f64> = row.all.utilisation.map(millionths),
        /// The fullest 10 ms, 100 ms and second.
        peaks: Vec<Busy> = peaks(&row.all),
        /// Frames by size with check sequence.
        sizes: Vec<FrameSize> =
            SIZES.iter().copied().map(Some).chain([None]).zip(row.sizes).map(of).collect(),
        /// Over time.
        timeline: SegmentTimeline = of(&row.course),
    }

    struct Busy of peak, utilisation: (&Peak, Option<u64>) {
        /// How long, ns.
        width_ns: i64,
        /// When it begins.
        begins: Rfc3339,
        /// Frames in it.
        frames: u64,
        /// Their bytes on the wire.
        wire_bytes: u64 = peak.bytes,
        /// By the link's capacity, 0 to 1; null where its speed is not known.
        utilisation: Option<f64> = utilisation.map(millionths),
    }

    struct FrameSize of up_to_bytes, frames: (Option<u64>, u64) {
        /// Null for the longest.
        up_to_bytes: Option<u64> = up_to_bytes,
        /// Frames up to that size.
        frames: u64 = frames,
    }

    struct SegmentTimeline of course: &Course
    where
        let buckets = &course.buckets;
    {
        /// When the first step begins; null without frames.
        begins: Option<Rfc3339> = (!buckets.is_empty()).then_some(Rfc3339(course.begins)),
        /// Width of a step, ns.
        width_ns: i64,
        /// Frames in each step.
        frames: Vec<u64> = buckets.iter().map(|bucket| bucket.frames).collect(),
        /// Bytes on the wire in each step.
        wire_bytes: Vec<u64> = buckets.iter().map(|bucket| bucket.bytes).collect(),
    }

    struct Ways of ways: &Directions {
        /// The only station behind the link.
        station: String,
        /// What it sent.
        from: SegmentWay,
        /// What others sent.
        to: SegmentWay,
        /// Frames before the direction was known.
        undirected_frames: u64 = ways.before.frames,
        /// Their bytes on the wire.
        undirected_wire_bytes: u64 = ways.before.bytes,
    }

    struct SegmentWay of flow: &Flow {
        /// Frames.
        frames: u64 = flow.total.frames,
        /// Bytes on the wire.
        wire_bytes: u64 = flow.total.bytes,
        /// By the capacity of this direction, 0 to 1; null where it is not known.
        utilisation: Option<f64> = flow.utilisation.map(millionths),
        /// The fullest 10 ms, 100 ms and second.
        peaks: Vec<Busy> = peaks(flow),
    }

    struct Spacing of found: &wirewait_analysis::Spacing {
        /// Frames with one before them in the same direction.
        pairs: u64,
        /// Those closer than the link allows, by more than 1 µs.
        too_close: u64,
    }
}

/// Nothing was busiest where nothing was.
fn peaks(flow: &Flow) -> Vec<Busy> {
    let peaks = flow.peaks.iter().zip(flow.peak_utilisation);
    peaks.filter(|(peak, _)| peak.frames > 0).map(of).collect()
}

//! Key `efficiency`.

use super::common::ratio;
use crate::document::{documents, of};
use wirewait_analysis::{ASSUMED_BUFFER, Accesses, EfficiencyRow, LayerAcks, Rates, Units, Volume};

documents! {
    /// All bytes are those on the wire (variant C), but for `data_bytes` and what is in `reads` and
    /// `writes`, which are file data.
    pub(super) struct Efficiency of found: &wirewait_analysis::Efficiency {
        together: EfficiencyDocument,
        servers: Vec<EfficiencyDocument> = of(&found.rows),
        not_followed: FramesByRole = of(&found.elsewhere),
        copies: FramesByRole,
        assumed_buffer_bytes: u64 = ASSUMED_BUFFER,
    }

    struct EfficiencyDocument of row: &EfficiencyRow
    where
        let all = row.all();
        let [clients, servers] = &row.units;
    {
        /// Null for all, and for what no server was asked for.
        server: Option<String>,
        carrier: Option<&'static str> = Some(row.carrier).filter(|carrier| !carrier.is_empty()),
        frames: u64 = all.frames,
        wire_bytes: u64 = all.bytes,
        data: FramesByRole,
        retransmitted: FramesByRole = of(&row.resent),
        acks: Vec<Acks> = row.acks.iter().map(|acks| of((acks, all))).collect(),
        acks_together: FrameShare = of((row.acks_alone(), all)),
        control: FramesByRole,
        session_frames: u64,
        control_overhead: Option<f64> = ratio(row.control.frames + row.session_frames, all.frames),
        requests: u64 = row.exchanges,
        data_frames_per_request: Option<f64> = ratio(row.data_frames(), row.exchanges),
        acks_per_request: Option<f64> = ratio(row.frames.ack, row.exchanges),
        protocol_overhead: Option<f64> =
            ratio(all.bytes.saturating_sub(row.moved.bytes), all.bytes),
        from_clients: Sent = of(clients),
        from_servers: Sent = of(servers),
        reads: Ops,
        writes: Ops,
        throughput: Throughput = of(&row.moved),
    }

    struct FramesByRole of volume: &Volume {
        frames: u64,
        wire_bytes: u64 = volume.bytes,
    }

    struct FrameShare of part, all: (Volume, Volume) {
        frames: u64,
        wire_bytes: u64 = part.bytes,
        share_of_frames: Option<f64> = ratio(part.frames, all.frames),
        share_of_bytes: Option<f64> = ratio(part.bytes, all.bytes),
    }

    struct Acks of acks, all: (&LayerAcks, Volume) {
        layer: &'static str,
        #[serde(flatten)]
        alone: FrameShare = of((acks.alone, all)),
        piggybacked: u64 = acks.riding,
        piggyback_ratio: Option<f64> = ratio(acks.riding, acks.riding + acks.alone.frames),
    }

    struct Sent of units: &Units {
        data_units: u64 = units.sent,
        retransmitted: u64 = units.resent,
        retransmission_rate: Option<f64> = ratio(units.resent, units.sent),
        lost_ns: u64,
    }

    struct Ops of ops: &Accesses {
        operations: u64 = ops.count,
        bytes: u64,
        bytes_per_operation: Option<f64> = ratio(ops.bytes, ops.count),
        sized: u64,
        small: u64,
        large: u64,
        buffer_assumed: u64 = ops.assumed,
        placed: u64,
        random: u64,
        again_bytes: u64,
        crossed_bytes: u64,
    }

    struct Throughput of moved: &wirewait_analysis::Throughput
    where
        let Rates { exchange, busy, wall, sending, .. } = moved.rates();
        let answers_per_ns = moved.wall_ns().and_then(|ns| ratio(moved.answers, ns));
    {
        data_bytes: u64 = moved.bytes,
        exchange_bytes_per_second: Option<u64> = exchange,
        busy_bytes_per_second: Option<u64> = busy,
        wall_bytes_per_second: Option<u64> = wall,
        sending_bytes_per_second: Option<u64> = sending,
        answers_per_second: Option<f64> = answers_per_ns.map(|per_ns| per_ns * 1e9),
        timed_bytes: u64,
        response_ns: u64,
        busy_ns: u64,
        wall_ns: Option<u64> = moved.wall_ns(),
        sending_bytes: u64,
        sending_ns: u64,
        answers: u64,
    }
}

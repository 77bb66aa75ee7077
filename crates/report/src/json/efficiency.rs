//! Key `efficiency`.

use super::common::ratio;
use crate::document::{documents, of};
use wirewait_analysis::{ASSUMED_BUFFER, Accesses, EfficiencyRow, LayerAcks, Rates, Units, Volume};

documents! {
    /// All bytes are those on the wire (variant C), but for `data_bytes` and what is in `reads` and
    /// `writes`, which are file data.
    pub(super) struct Efficiency of found: &wirewait_analysis::Efficiency {
        /// All servers, and what belongs to none.
        together: EfficiencyDocument,
        /// By server and carrier.
        servers: Vec<EfficiencyDocument> = of(&found.rows),
        /// Frames of nothing that is followed.
        not_followed: FramesByRole = of(&found.elsewhere),
        /// Frames that were captured before.
        copies: FramesByRole,
        /// Size of a buffer where the capture does not have it, bytes.
        assumed_buffer_bytes: u64 = ASSUMED_BUFFER,
    }

    struct EfficiencyDocument of row: &EfficiencyRow
    where
        let all = row.all();
        let [clients, servers] = &row.units;
    {
        /// Null for all, and for what no server was asked for.
        server: Option<String>,
        /// What carried the requests; null for all.
        carrier: Option<&'static str> = Some(row.carrier).filter(|carrier| !carrier.is_empty()),
        /// Frames.
        frames: u64 = all.frames,
        /// Bytes on the wire.
        wire_bytes: u64 = all.bytes,
        /// Frames with new bytes of messages.
        data: FramesByRole,
        /// Frames whose bytes were seen before.
        retransmitted: FramesByRole = of(&row.resent),
        /// Acknowledgements by layer.
        acks: Vec<Acks> = row.acks.iter().map(|acks| of((acks, all))).collect(),
        /// Frames that only acknowledge, of all layers.
        acks_together: FrameShare = of((row.acks_alone(), all)),
        /// Frames of control traffic.
        control: FramesByRole,
        /// Frames that set up or end sessions.
        session_frames: u64,
        /// Control and session frames by all frames, 0 to 1.
        control_overhead: Option<f64> = ratio(row.control.frames + row.session_frames, all.frames),
        /// Requests, and responses without one.
        requests: u64 = row.exchanges,
        /// Frames with messages by requests.
        data_frames_per_request: Option<f64> = ratio(row.data_frames(), row.exchanges),
        /// Frames that only acknowledge by requests.
        acks_per_request: Option<f64> = ratio(row.frames.ack, row.exchanges),
        /// Bytes on the wire that are no file data, 0 to 1.
        protocol_overhead: Option<f64> =
            ratio(all.bytes.saturating_sub(row.moved.bytes), all.bytes),
        /// Data that clients sent.
        from_clients: Sent = of(clients),
        /// Data that servers sent.
        from_servers: Sent = of(servers),
        /// Reads.
        reads: Ops,
        /// Writes.
        writes: Ops,
        /// File data by time.
        throughput: Throughput = of(&row.moved),
    }

    struct FramesByRole of volume: &Volume {
        /// Frames.
        frames: u64,
        /// Bytes on the wire.
        wire_bytes: u64 = volume.bytes,
    }

    struct FrameShare of part, all: (Volume, Volume) {
        /// Frames.
        frames: u64,
        /// Bytes on the wire.
        wire_bytes: u64 = part.bytes,
        /// By all frames of the row, 0 to 1.
        share_of_frames: Option<f64> = ratio(part.frames, all.frames),
        /// By all bytes of the row, 0 to 1.
        share_of_bytes: Option<f64> = ratio(part.bytes, all.bytes),
    }

    struct Acks of acks, all: (&LayerAcks, Volume) {
        /// Protocol of the acknowledgements.
        layer: &'static str,
        #[serde(flatten)]
        alone: FrameShare = of((acks.alone, all)),
        /// Acknowledgements of something new carried by data.
        piggybacked: u64 = acks.riding,
        /// Those by all acknowledgements of the layer, 0 to 1.
        piggyback_ratio: Option<f64> = ratio(acks.riding, acks.riding + acks.alone.frames),
    }

    struct Sent of units: &Units {
        /// Data units sent (segments, packets, LLC frames).
        data_units: u64 = units.sent,
        /// Data units that were retransmitted.
        retransmitted: u64 = units.resent,
        /// Those by all, 0 to 1.
        retransmission_rate: Option<f64> = ratio(units.resent, units.sent),
        /// From the transmission before to each of those, ns.
        lost_ns: u64,
    }

    struct Ops of ops: &Accesses {
        /// Operations that were answered.
        operations: u64 = ops.count,
        /// File data that they moved, bytes.
        bytes: u64,
        /// Mean of those, bytes.
        bytes_per_operation: Option<f64> = ratio(ops.bytes, ops.count),
        /// Operations that say how much they want.
        sized: u64,
        /// Below a quarter of the server's buffer, of `sized`.
        small: u64,
        /// Above twice the buffer, of `sized`.
        large: u64,
        /// Judged by an assumed buffer, of `sized`.
        buffer_assumed: u64 = ops.assumed,
        /// Operations with one before them on the same handle.
        placed: u64,
        /// Not where the one before ended, of `placed`.
        random: u64,
        /// Bytes read, or written, before on the same handle.
        again_bytes: u64,
        /// Bytes read after they were written, or the reverse.
        crossed_bytes: u64,
    }

    struct Throughput of moved: &wirewait_analysis::Throughput
    where
        let Rates { exchange, busy, wall, sending, .. } = moved.rates();
        let answers_per_ns = moved.wall_ns().and_then(|ns| ratio(moved.answers, ns));
    {
        /// File data moved, bytes.
        data_bytes: u64 = moved.bytes,
        /// `timed_bytes` by `response_ns`, bytes per second.
        exchange_bytes_per_second: Option<u64> = exchange,
        /// `timed_bytes` by `busy_ns`, bytes per second.
        busy_bytes_per_second: Option<u64> = busy,
        /// `data_bytes` by `wall_ns`, bytes per second.
        wall_bytes_per_second: Option<u64> = wall,
        /// `sending_bytes` by `sending_ns`, bytes per second.
        sending_bytes_per_second: Option<u64> = sending,
        /// `answers` by `wall_ns`, per second.
        answers_per_second: Option<f64> = answers_per_ns.map(|per_ns| per_ns * 1e9),
        /// File data of transactions with a response time, bytes.
        timed_bytes: u64,
        /// Those response times, ns.
        response_ns: u64,
        /// Time with at least one request outstanding, of each client by itself, ns.
        busy_ns: u64,
        /// From the first request to the last response, ns.
        wall_ns: Option<u64> = moved.wall_ns(),
        /// File data within responses of several frames, behind the first, bytes.
        sending_bytes: u64,
        /// Time that took, ns.
        sending_ns: u64,
        /// Final responses.
        answers: u64,
    }
}

//! Key `efficiency`.

use serde::Serialize;
use wirewait_analysis::{
    ASSUMED_BUFFER, Accesses, Efficiency as Found, EfficiencyRow, Snapshot, Throughput as ByTime,
    Units, Volume,
};

/// All bytes are those on the wire (variant C), but for `data_bytes` and what is in `reads` and
/// `writes`, which are file data.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Efficiency {
    together: EfficiencyDocument,
    servers: Vec<EfficiencyDocument>,
    not_followed: FramesByRole,
    copies: FramesByRole,
    assumed_buffer_bytes: u64,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct EfficiencyDocument {
    /// Null for all, and for what no server was asked for.
    server: Option<String>,
    carrier: Option<&'static str>,
    frames: u64,
    wire_bytes: u64,
    data: FramesByRole,
    retransmitted: FramesByRole,
    acks: Vec<Acks>,
    acks_together: FrameShare,
    control: FramesByRole,
    session_frames: u64,
    control_overhead: Option<f64>,
    requests: u64,
    data_frames_per_request: Option<f64>,
    acks_per_request: Option<f64>,
    protocol_overhead: Option<f64>,
    from_clients: Sent,
    from_servers: Sent,
    reads: Ops,
    writes: Ops,
    throughput: Throughput,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct FramesByRole {
    frames: u64,
    wire_bytes: u64,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct FrameShare {
    frames: u64,
    wire_bytes: u64,
    share_of_frames: Option<f64>,
    share_of_bytes: Option<f64>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Acks {
    layer: &'static str,
    #[serde(flatten)]
    alone: FrameShare,
    piggybacked: u64,
    piggyback_ratio: Option<f64>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Sent {
    data_units: u64,
    retransmitted: u64,
    retransmission_rate: Option<f64>,
    lost_ns: u64,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Ops {
    operations: u64,
    bytes: u64,
    bytes_per_operation: Option<f64>,
    sized: u64,
    small: u64,
    large: u64,
    buffer_assumed: u64,
    placed: u64,
    random: u64,
    again_bytes: u64,
    crossed_bytes: u64,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Throughput {
    data_bytes: u64,
    exchange_bytes_per_second: Option<u64>,
    busy_bytes_per_second: Option<u64>,
    wall_bytes_per_second: Option<u64>,
    sending_bytes_per_second: Option<u64>,
    answers_per_second: Option<f64>,
    timed_bytes: u64,
    response_ns: u64,
    busy_ns: u64,
    wall_ns: Option<u64>,
    sending_bytes: u64,
    sending_ns: u64,
    answers: u64,
}

pub(super) fn efficiency(snapshot: &Snapshot) -> Efficiency {
    let Found {
        rows,
        together,
        elsewhere,
        copies,
    } = &snapshot.efficiency;
    Efficiency {
        together: row(together),
        servers: rows.iter().map(row).collect(),
        not_followed: volume(*elsewhere),
        copies: volume(*copies),
        assumed_buffer_bytes: ASSUMED_BUFFER,
    }
}

fn row(row: &EfficiencyRow) -> EfficiencyDocument {
    let all = row.all();
    let of_all = |part: Volume| FrameShare {
        frames: part.frames,
        wire_bytes: part.bytes,
        share_of_frames: ratio(part.frames, all.frames),
        share_of_bytes: ratio(part.bytes, all.bytes),
    };
    let [clients, servers] = row.units;
    EfficiencyDocument {
        server: row.server.map(|server| server.to_string()),
        carrier: Some(row.carrier).filter(|carrier| !carrier.is_empty()),
        frames: all.frames,
        wire_bytes: all.bytes,
        data: volume(row.data),
        retransmitted: volume(row.resent),
        acks: row
            .acks
            .iter()
            .map(|acks| Acks {
                layer: acks.layer,
                alone: of_all(acks.alone),
                piggybacked: acks.riding,
                piggyback_ratio: ratio(acks.riding, acks.riding + acks.alone.frames),
            })
            .collect(),
        acks_together: of_all(row.acks_alone()),
        control: volume(row.control),
        session_frames: row.session_frames,
        control_overhead: ratio(row.control.frames + row.session_frames, all.frames),
        requests: row.exchanges,
        data_frames_per_request: ratio(row.data_frames(), row.exchanges),
        acks_per_request: ratio(row.frames.ack, row.exchanges),
        protocol_overhead: ratio(all.bytes.saturating_sub(row.moved.bytes), all.bytes),
        from_clients: sent(clients),
        from_servers: sent(servers),
        reads: ops(&row.reads),
        writes: ops(&row.writes),
        throughput: throughput(&row.moved),
    }
}

fn volume(volume: Volume) -> FramesByRole {
    FramesByRole {
        frames: volume.frames,
        wire_bytes: volume.bytes,
    }
}

fn sent(units: Units) -> Sent {
    Sent {
        data_units: units.sent,
        retransmitted: units.resent,
        retransmission_rate: ratio(units.resent, units.sent),
        lost_ns: units.lost_ns,
    }
}

fn ops(of: &Accesses) -> Ops {
    Ops {
        operations: of.count,
        bytes: of.bytes,
        bytes_per_operation: ratio(of.bytes, of.count),
        sized: of.sized,
        small: of.small,
        large: of.large,
        buffer_assumed: of.assumed,
        placed: of.placed,
        random: of.random,
        again_bytes: of.again_bytes,
        crossed_bytes: of.crossed_bytes,
    }
}

fn throughput(moved: &ByTime) -> Throughput {
    let rates = moved.rates();
    Throughput {
        data_bytes: moved.bytes,
        exchange_bytes_per_second: rates.exchange,
        busy_bytes_per_second: rates.busy,
        wall_bytes_per_second: rates.wall,
        sending_bytes_per_second: rates.sending,
        answers_per_second: moved
            .wall_ns()
            .and_then(|ns| ratio(moved.answers, ns))
            .map(|per_ns| per_ns * 1e9),
        timed_bytes: moved.timed_bytes,
        response_ns: moved.response_ns,
        busy_ns: moved.busy_ns,
        wall_ns: moved.wall_ns(),
        sending_bytes: moved.sending_bytes,
        sending_ns: moved.sending_ns,
        answers: moved.answers,
    }
}

fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

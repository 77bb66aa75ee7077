//! A hand-made segment, and how efficiently it was used.

use super::{at, made, server_row, v4};
use wirewait_analysis::{
    Accesses, Course, Duplex, Efficiency, EfficiencyRow, Flow, KnownBy, LayerAcks, Peak, Segment,
    SegmentRow, Spacing, Throughput, Units, Volume, WireBytes,
};
use wirewait_wire::LinkType;

/// Three reads of one server, and 1,200 frames that nobody follows.
pub(super) fn efficiency() -> Efficiency {
    let volume = |frames, bytes| Volume { frames, bytes };
    let acks = |layer, frames, riding| LayerAcks {
        layer,
        alone: volume(frames, frames * 84),
        riding,
    };
    let row = made!(EfficiencyRow {
        server: Some(v4(1, None)),
        carrier: "nbt",
        data: volume(20, 12_000),
        resent: volume(1, 1000),
        acks: vec![acks("llc", 5, 3), acks("nbf", 2, 0)],
        control: volume(6, 504),
        session_frames: 4,
        units: [
            Units {
                sent: 10,
                resent: 1,
                lost_ns: 400_000_000,
            },
            Units {
                sent: 11,
                ..Units::default()
            },
        ],
        exchanges: 4,
        frames: server_row().frames,
        reads: made!(Accesses {
            count: 3,
            bytes: 8192,
            sized: 3,
            small: 1,
            assumed: 3,
            placed: 2,
            random: 1,
            again_bytes: 512,
            ..Accesses::default()
        }),
        moved: made!(Throughput {
            bytes: 8192,
            timed_bytes: 8192,
            response_ns: 2_001_510_000,
            busy_ns: 2_001_510_000,
            first: Some(at(0)),
            last: Some(at(32_400_000)),
            sending_bytes: 2699,
            sending_ns: 500_000,
            answers: 3,
        }),
        ..EfficiencyRow::default()
    });
    Efficiency {
        together: made!(EfficiencyRow {
            server: None,
            carrier: "",
            ..row.clone()
        }),
        rows: vec![row],
        elsewhere: volume(1200, 582_898),
        copies: volume(6, 744),
    }
}

/// A link of 10 Mbit/s with 1,234 frames in 90 s, and 9 % of it used in its busiest second.
pub(super) fn segment() -> Segment {
    let peak = |width_ns, frames, bytes| Peak {
        width_ns,
        begins: at(60_000_000),
        frames,
        bytes,
    };
    let row = made!(SegmentRow {
        link: Some(LinkType::ETHERNET),
        captured: Volume {
            frames: 1240,
            bytes: 567_890,
        },
        copies: Volume {
            frames: 6,
            bytes: 600,
        },
        first: Some(at(0)),
        last: Some(at(90_000_000)),
        bytes: WireBytes {
            data_link: 572_226,
            with_preamble: 582_098,
            on_wire: 596_906,
            without_check: 567_290,
        },
        multicast: Volume {
            frames: 3,
            bytes: 3000,
        },
        broadcast: Volume {
            frames: 40,
            bytes: 4000,
        },
        sizes: [600, 100, 34, 0, 100, 400, 0],
        speed: Some((10_000_000, KnownBy::Given)),
        speed_at_least: Some(2_000_000),
        duplex: Some((Duplex::Half, KnownBy::Assumed)),
        all: Flow {
            total: Volume {
                frames: 1234,
                bytes: 596_906,
            },
            peaks: [
                peak(10_000_000, 4, 5000),
                peak(100_000_000, 30, 22_500),
                peak(1_000_000_000, 90, 112_500),
            ],
            utilisation: Some(5306),
            peak_utilisation: [Some(400_000), Some(180_000), Some(90_000)],
        },
        spacing: Some(Spacing {
            pairs: 1233,
            too_close: 12,
        }),
        course: Course {
            begins: at(0),
            width_ns: 1_000_000_000,
            buckets: vec![
                Volume {
                    frames: 1144,
                    bytes: 484_406,
                },
                Volume {
                    frames: 90,
                    bytes: 112_500,
                },
            ],
        },
        ..SegmentRow::default()
    });
    Segment {
        interfaces: vec![row.clone()],
        together: row,
    }
}

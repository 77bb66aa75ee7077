//! Data of TCP in a frame, and how many frames it was on the wire.

use wirewait_analysis::parts_on_wire;
use wirewait_wire::{Frame, Order, Registry, Walk};

/// The data of a segment of TCP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SegmentSight {
    /// The number of its first byte.
    pub(super) seq: u32,
    /// Bytes, at least 1.
    pub(super) length: u32,
    /// Ports of the sender and the receiver.
    pub(super) ports: [u16; 2],
    /// Bytes in each frame on the wire, if it was several there; else 0.
    pub(super) each: u32,
}

impl SegmentSight {
    pub(super) fn of(frame: &Frame<'_>, walk: &Walk, registry: &Registry) -> Option<Self> {
        let Order::Stream(stream) = &walk.facts.order else {
            return None;
        };
        let seq = stream.seq;
        let spans = walk.spans().iter();
        let mut tcp = spans.filter(|span| registry.dissector(span.dissector).name == "tcp");
        let tcp = tcp.next_back()?;
        let length = tcp.end.saturating_sub(tcp.payload);
        if length == 0 {
            return None;
        }
        let longest = registry
            .medium(frame.link)
            .and_then(|medium| medium.longest);
        let each = longest.and_then(|longest| parts_on_wire(frame.wire_len, longest, walk));
        Some(Self {
            seq,
            length,
            ports: [walk.facts.from, walk.facts.to].map(|end| end.port.unwrap_or(0)),
            each: each.map_or(0, |(_, each)| each),
        })
    }

    /// How many frames this was on the wire.
    pub(super) fn on_wire(&self) -> u64 {
        self.frames(self.length.into())
    }

    /// How many frames on the wire this number of its bytes was.
    pub(super) fn frames(&self, bytes: u64) -> u64 {
        match self.each {
            0 => u64::from(bytes > 0),
            each => bytes.div_ceil(each.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_combined_segment_counts_as_the_frames_on_the_wire() {
        let segment = |each| SegmentSight {
            seq: 1,
            length: 50_000,
            ports: [1_025, 445],
            each,
        };
        // 50,000 / 1,448 = 34.5.
        assert_eq!(segment(1_448).on_wire(), 35);
        assert_eq!(segment(0).on_wire(), 1);
        assert_eq!(segment(1_448).frames(1_449), 2);
        assert_eq!(segment(1_448).frames(0), 0);
    }
}

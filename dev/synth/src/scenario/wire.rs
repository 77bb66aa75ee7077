//! The cable, and the capture point on it.

use super::station::Settings;
use crate::OwnedFrame;
use wirewait_wire::{LinkType, Timestamp};

/// Frames as they pass, in scenario time.
#[derive(Debug)]
pub(super) struct Wire {
    passed: Vec<Passed>,
    /// Who sees what passes.
    interface: Option<u32>,
    /// Bytes that the capture keeps of each frame.
    snaplen: Option<usize>,
    /// Bytes of all that is kept.
    bytes: usize,
    /// When the capturing host's clock was set, and by how much.
    steps: Vec<(i64, i64)>,
}

#[derive(Clone, Debug)]
struct Passed {
    at: i64,
    from: usize,
    to: usize,
    interface: u32,
    wire_len: u32,
    bytes: Vec<u8>,
}

impl Default for Wire {
    fn default() -> Self {
        Self::new(None)
    }
}

impl Wire {
    pub(super) fn new(snaplen: Option<usize>) -> Self {
        Self {
            passed: Vec::new(),
            interface: Some(0),
            snaplen,
            bytes: 0,
            steps: Vec::new(),
        }
    }

    /// What passes from now on is seen by this interface, or by none.
    pub(super) fn tune(&mut self, interface: Option<u32>) {
        self.interface = interface;
    }

    /// A frame passes.
    pub(super) fn put(&mut self, at: i64, from: usize, to: usize, mut bytes: Vec<u8>) {
        let Some(interface) = self.interface else {
            return;
        };
        let wire_len = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        if let Some(most) = self.snaplen.filter(|most| *most < bytes.len()) {
            bytes = bytes[..most].to_vec();
        }
        self.bytes = self.bytes.saturating_add(bytes.len());
        self.passed.push(Passed {
            at,
            from,
            to,
            interface,
            wire_len,
            bytes,
        });
    }

    /// The frames that have passed, for a caller that assigns times itself.
    pub(super) fn into_frames(self) -> impl Iterator<Item = Vec<u8>> {
        self.passed.into_iter().map(|frame| frame.bytes)
    }

    /// Bytes that are kept of what has passed.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(super) fn set_clock(&mut self, at: i64, step: i64) {
        self.steps.push((at, step));
    }

    /// What the capture point makes of it all.
    pub(super) fn capture(mut self, settings: &Settings) -> Vec<OwnedFrame> {
        if let Some((from, to)) = settings.only {
            self.passed
                .retain(|frame| (frame.from, frame.to) == (from, to));
        }
        if let Some(after) = settings.mirror {
            let again: Vec<_> = self
                .passed
                .iter()
                .map(|frame| Passed {
                    at: frame.at.saturating_add(after),
                    ..frame.clone()
                })
                .collect();
            self.passed.extend(again);
        }
        // Stable: frames of the same moment stay in the order in which they were written.
        self.passed.sort_by_key(|frame| frame.at);
        let steps = self.steps;
        let frames = self.passed.into_iter().map(|frame| {
            let set = steps
                .iter()
                .filter(|(at, _)| *at <= frame.at)
                .fold(0, |sum: i64, (_, step)| sum.saturating_add(*step));
            OwnedFrame {
                at: Timestamp::from_nanos(settings.start)
                    .plus(frame.at)
                    .plus(set),
                link: LinkType::ETHERNET,
                interface: frame.interface,
                wire_len: frame.wire_len,
                bytes: frame.bytes,
            }
        });
        match settings.tunnel {
            Some(tunnel) => {
                let frames = frames.enumerate();
                frames.map(|(n, frame)| tunnel.through(n, &frame)).collect()
            }
            None => frames.collect(),
        }
    }
}

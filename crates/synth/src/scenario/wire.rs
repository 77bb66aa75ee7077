//! The cable, and the capture point on it.

use super::station::Settings;
use crate::OwnedFrame;
use wirewait_wire::{LinkType, Timestamp};

/// Frames as they pass, in scenario time.
#[derive(Debug, Default)]
pub(super) struct Wire {
    passed: Vec<Passed>,
    /// Bytes of all of them.
    bytes: usize,
    /// When the capturing host's clock was set, and by how much.
    steps: Vec<(i64, i64)>,
}

#[derive(Clone, Debug)]
struct Passed {
    at: i64,
    from: usize,
    to: usize,
    bytes: Vec<u8>,
}

impl Wire {
    pub(super) fn put(&mut self, at: i64, from: usize, to: usize, bytes: Vec<u8>) {
        self.bytes = self.bytes.saturating_add(bytes.len());
        self.passed.push(Passed {
            at,
            from,
            to,
            bytes,
        });
    }

    /// Bytes that have passed.
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
        self.passed
            .into_iter()
            .map(|frame| {
                let set = steps
                    .iter()
                    .filter(|(at, _)| *at <= frame.at)
                    .fold(0, |sum: i64, (_, step)| sum.saturating_add(*step));
                let mut bytes = frame.bytes;
                let wire_len = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
                if let Some(most) = settings.snaplen {
                    bytes.truncate(most);
                }
                OwnedFrame {
                    at: Timestamp::from_nanos(settings.start)
                        .plus(frame.at)
                        .plus(set),
                    link: LinkType::ETHERNET,
                    wire_len,
                    bytes,
                }
            })
            .collect()
    }
}

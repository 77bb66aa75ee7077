//! For the display of frames: of which bytes of which frames a message was reassembled, and
//! what it did in its transaction. Gathered only on request.

use crate::piece::Piece;
use wirewait_wire::{Asked, DissectorId, Input};

/// Stretches of one message that are told; a message in more of them says how many are left
/// out.
const STRETCHES: usize = 4096;
/// Frames without bytes of a message that are told with it: acknowledgements, repetitions.
const OTHERS: usize = 1024;

/// Bytes of a message that lie side by side in a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// Number of the frame; 0 for bytes that were never captured.
    pub frame: u64,
    /// Where in the frame they begin.
    pub at: u32,
    /// How many there are.
    pub length: u32,
}

/// What a message or a frame does in a transaction. The names are those of
/// [`FrameCounts`](crate::FrameCounts).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Deed {
    /// Asks, or carries more of what is asked.
    Request,
    /// Answers.
    Response,
    /// Says that the answer will follow, or that more may be sent.
    Interim,
    /// Acknowledges data, and does nothing else.
    Ack,
    /// Keeps up the connection meanwhile.
    Control,
    /// Brings what was seen before.
    Retransmitted,
}

impl Deed {
    /// The name used in every output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Request => "request",
            Self::Response => "response",
            Self::Interim => "interim",
            Self::Ack => "ack",
            Self::Control => "control",
            Self::Retransmitted => "retransmitted",
        }
    }
}

/// A message, or a part of one that is read by itself, as far as it was put together.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Assembled<'a> {
    /// It goes on where the message told before it ended, and shares its framing with it (an
    /// SMB2 compound).
    pub follows: bool,
    /// Complete; otherwise it is under way, and more of it came with the frame at hand.
    pub complete: bool,
    /// Who cuts the stream that it came in into messages.
    pub framer: Option<DissectorId>,
    /// Who reads it, if that is known.
    pub dissector: Option<DissectorId>,
    /// Bytes of framing in front of it; they are part of its stretches.
    pub header: u32,
    /// Its head, and how long it is; as long as what came of it where that is not known yet.
    pub head: Input<'a>,
    /// Where its bytes were, framing included, in order.
    pub stretches: &'a [Stretch],
    /// Stretches that are not listed, because there were too many.
    pub omitted: u32,
    /// The transaction that it belongs to, and what it does there.
    pub deed: Option<(u64, Deed)>,
    /// The request that it answers.
    pub asked: Option<Asked>,
}

/// Where a message was in the capture, as opposed to what it means.
#[derive(Clone, Copy, Default)]
pub(crate) struct Trace<'a> {
    pub(crate) follows: bool,
    pub(crate) header: u32,
    pub(crate) stretches: &'a [Stretch],
    pub(crate) omitted: u32,
    /// Frames that did something for it without bringing bytes of it.
    pub(crate) others: &'a [(u64, Deed)],
}

/// Of which bytes the message under way was put together so far.
#[derive(Default)]
pub(crate) struct Trail {
    pub(crate) follows: bool,
    pub(crate) header: u32,
    stretches: Vec<Stretch>,
    omitted: u32,
    others: Vec<(u64, Deed)>,
}

impl Trail {
    pub(crate) fn clear(&mut self) {
        self.follows = false;
        self.header = 0;
        self.stretches.clear();
        self.omitted = 0;
        self.others.clear();
    }

    /// `n` bytes of the piece belong to it.
    pub(crate) fn add(&mut self, piece: &Piece<'_>, n: u32) {
        if n > 0 {
            self.push(stretch(piece, n));
        }
    }

    /// It is these bytes, and no others.
    pub(crate) fn only(&mut self, piece: &Piece<'_>, n: u32) {
        self.stretches.clear();
        self.add(piece, n);
    }

    /// `n` bytes of it were never captured.
    pub(crate) fn miss(&mut self, n: u64) {
        self.push(Stretch {
            frame: 0,
            at: 0,
            length: u32::try_from(n).unwrap_or(u32::MAX),
        });
    }

    /// A frame did something for it that brought no byte of it.
    pub(crate) fn other(&mut self, frame: u64, deed: Deed) {
        if self.others.len() < OTHERS {
            self.others.push((frame, deed));
        }
    }

    /// Only the first `n` bytes hold.
    pub(crate) fn cut_back(&mut self, n: u64) {
        let mut left = n;
        for stretch in &mut self.stretches {
            stretch.length = u32::try_from(left).unwrap_or(u32::MAX).min(stretch.length);
            left -= u64::from(stretch.length);
        }
        self.stretches.retain(|stretch| stretch.length > 0);
    }

    pub(crate) fn trace(&self) -> Trace<'_> {
        Trace {
            follows: self.follows,
            header: self.header,
            stretches: &self.stretches,
            omitted: self.omitted,
            others: &self.others,
        }
    }

    fn push(&mut self, next: Stretch) {
        if let Some(last) = self.stretches.last_mut()
            && last.frame == next.frame
            && (next.frame == 0 || last.at.saturating_add(last.length) == next.at)
        {
            last.length = last.length.saturating_add(next.length);
        } else if self.stretches.len() < STRETCHES {
            self.stretches.push(next);
        } else {
            self.omitted = self.omitted.saturating_add(1);
        }
    }
}

/// The first `n` bytes of a piece.
pub(crate) fn stretch(piece: &Piece<'_>, n: u32) -> Stretch {
    Stretch {
        frame: piece.mark.frame,
        at: piece.at,
        length: n,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trail(stretches: &[(u64, u32, u32)]) -> Trail {
        let mut trail = Trail::default();
        for (frame, at, length) in stretches {
            trail.push(Stretch {
                frame: *frame,
                at: *at,
                length: *length,
            });
        }
        trail
    }

    fn told(trail: &Trail) -> Vec<(u64, u32, u32)> {
        let stretches = trail.trace().stretches.iter();
        stretches.map(|s| (s.frame, s.at, s.length)).collect()
    }

    #[test]
    fn neighbours_in_a_frame_are_one_stretch() {
        let t = trail(&[
            (1, 54, 4),
            (1, 58, 100),
            (2, 54, 10),
            (2, 70, 5),
            (0, 0, 3),
            (0, 0, 4),
        ]);
        assert_eq!(told(&t), [(1, 54, 104), (2, 54, 10), (2, 70, 5), (0, 0, 7)]);
    }

    #[test]
    fn what_the_receiver_did_not_keep_is_cut_off() {
        let mut t = trail(&[(1, 54, 100), (2, 54, 100), (3, 54, 100)]);
        t.cut_back(150);
        assert_eq!(told(&t), [(1, 54, 100), (2, 54, 50)]);
        t.cut_back(0);
        assert!(told(&t).is_empty());
    }

    #[test]
    fn stretches_without_a_place_are_counted() {
        let mut t = Trail::default();
        for frame in 1..=STRETCHES as u64 + 3 {
            t.push(Stretch {
                frame,
                at: 0,
                length: 1,
            });
            t.other(frame, Deed::Ack);
        }
        let trace = t.trace();
        assert_eq!((trace.stretches.len(), trace.omitted), (STRETCHES, 3));
        assert_eq!(trace.others.len(), OTHERS);
        t.clear();
        assert!(t.trace().stretches.is_empty() && t.trace().omitted == 0);
    }
}

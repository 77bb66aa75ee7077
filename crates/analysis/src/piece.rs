//! New bytes on their way into a message, and what is counted of them.

use crate::{Extent, Flags, Mark, WHOLE_FRAME};
use std::num::NonZeroU32;

/// What the numbers of a frame say of when it was sent, as positions that never wrap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sent {
    /// Behind its data, among all that its sender sent; 0 where nothing is numbered.
    pub(crate) behind: u64,
    /// How far its sender had what the other side sent; all of it where that is not said.
    pub(crate) covers: u64,
    /// The other side had acknowledged it before it was captured.
    pub(crate) late: bool,
}

impl Sent {
    /// Nothing is said.
    pub(crate) const UNKNOWN: Self = Self {
        behind: 0,
        covers: u64::MAX,
        late: false,
    };
}

/// New bytes of one direction of a conversation, in order.
#[derive(Clone, Copy)]
pub(crate) struct Piece<'a> {
    /// What was captured of them.
    pub(crate) bytes: &'a [u8],
    /// How many there are.
    pub(crate) length: u32,
    /// The frame that brought them.
    pub(crate) mark: Mark,
    /// Where in that frame they begin.
    pub(crate) at: u32,
    /// Where they begin among the new bytes of that frame, and how many those are: for
    /// sharing the frame out.
    pub(crate) share: (u32, u32),
    /// Routers that the frame passed.
    pub(crate) hops: Option<u8>,
    /// When these bytes were seen again before they could be put in order.
    pub(crate) resent: Option<Mark>,
    /// How long bytes behind them had been there when they came, ns.
    pub(crate) late_ns: i64,
    /// How long they were there when what was missing before them came, ns.
    pub(crate) held_ns: i64,
    /// When the frame was sent.
    pub(crate) sent: Sent,
    /// Its sender's number for the packet.
    pub(crate) packet: Option<u16>,
    /// Its sender's time stamp.
    pub(crate) stamp: Option<NonZeroU32>,
    /// Of a frame that was several on the wire.
    pub(crate) offload: Offload,
}

/// How a segment that is longer than any on the wire was cut there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Offload {
    /// Where its data begins in the frame that was captured.
    pub(crate) header: u32,
    /// Bytes of data in each frame on the wire; 0 where it is one.
    pub(crate) each: u32,
}

impl Offload {
    /// Frames on the wire beyond the first with `n` bytes from `at` on; or beyond that of the byte before.
    #[cold]
    fn beyond(self, (at, n): (u32, u32), goes_on: bool) -> u32 {
        let of = |byte: u32| byte.saturating_sub(self.header) / self.each.max(1);
        let first = at.saturating_sub(u32::from(goes_on));
        let last = at.saturating_add(n).saturating_sub(1);
        of(last).saturating_sub(of(first))
    }
}

impl<'a> Piece<'a> {
    pub(crate) fn after(self, n: u32) -> Self {
        Self {
            bytes: self.bytes.get(n as usize..).unwrap_or_default(),
            length: self.length.saturating_sub(n),
            at: self.at.saturating_add(n),
            share: (self.share.0.saturating_add(n), self.share.1),
            // Counted with the bytes before.
            late_ns: 0,
            ..self
        }
    }

    /// The first `n` bytes alone; what follows them is nobody's, and the frame is theirs.
    pub(crate) fn first(self, n: u32) -> Self {
        let length = self.length.min(n);
        Self {
            bytes: clip(self.bytes, length.into()),
            length,
            share: (0, length),
            ..self
        }
    }

    /// Without the first `n` bytes, which are nobody's either.
    pub(crate) fn without(self, n: u32) -> Self {
        let rest = self.after(n);
        Self {
            share: (0, rest.length),
            ..rest
        }
    }

    /// The part of the frame that `n` of these bytes are, in [`WHOLE_FRAME`]ths. Over all
    /// bytes of the frame it sums to the whole, however they are cut.
    pub(crate) fn worth(&self, n: u32) -> u64 {
        let (at, of) = self.share;
        if of == 0 || at == 0 && n >= of {
            return WHOLE_FRAME;
        }
        let up_to = |x: u32| match x {
            0 => 0,
            x if x >= of => WHOLE_FRAME,
            x => WHOLE_FRAME * u64::from(x) / u64::from(of),
        };
        up_to(at.saturating_add(n)) - up_to(at)
    }
}

/// What was gathered about a part of a message besides its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PieceTally {
    pub(crate) extent: Extent,
    /// Frames with at least one new byte of it.
    pub(crate) frames: u32,
    /// Frames on the wire beyond those.
    pub(crate) offloaded: u32,
    /// Bytes of it in the first of them.
    pub(crate) head: u64,
    /// Stand-alone acknowledgements of its bytes that came before its end.
    pub(crate) acks: u32,
    /// Frames that only repeated bytes of it, before its end.
    pub(crate) retransmitted: u32,
    /// Passes over it in such frames, and the end of the last.
    pub(crate) copies: u32,
    pub(crate) resent: Option<Mark>,
    /// Time without progress until what was lost came again, ns.
    pub(crate) lost_ns: i64,
    /// As long after its last frame had come was it in order, ns.
    pub(crate) held_ns: i64,
    /// Its share of frames.
    pub(crate) share: u64,
    /// Bytes, framing included.
    pub(crate) bytes: u64,
    pub(crate) hops: Option<u8>,
    pub(crate) flags: Flags,
    /// Behind its last frame; how far the sender had the other side's data in the first.
    pub(crate) sent: Sent,
}

impl PieceTally {
    pub(crate) fn new(mark: Mark) -> Self {
        Self {
            extent: Extent {
                first: mark,
                last: mark,
            },
            frames: 0,
            offloaded: 0,
            head: 0,
            acks: 0,
            retransmitted: 0,
            copies: 0,
            resent: None,
            lost_ns: 0,
            held_ns: 0,
            share: 0,
            bytes: 0,
            hops: None,
            flags: Flags::default(),
            sent: Sent::UNKNOWN,
        }
    }

    /// Of a message that is all of a piece: what [adding](Self::add) it to a new one gives.
    #[inline]
    pub(crate) fn of(piece: &Piece<'_>) -> Self {
        let mut flags = Flags::default();
        flags.set_if(Flags::OUT_OF_ORDER, piece.sent.late);
        Self {
            frames: 1,
            offloaded: match piece.offload.each {
                0 => 0,
                _ => piece.offload.beyond((piece.at, piece.length), false),
            },
            head: piece.length.into(),
            copies: piece.resent.is_some().into(),
            resent: piece.resent,
            lost_ns: piece.late_ns,
            held_ns: piece.held_ns,
            share: piece.worth(piece.length),
            bytes: piece.length.into(),
            hops: piece.hops,
            flags,
            sent: Sent {
                late: false,
                ..piece.sent
            },
            ..Self::new(piece.mark)
        }
    }

    #[inline(always)]
    pub(crate) fn add(&mut self, piece: &Piece<'_>, n: u32, last_frame: &mut u64) {
        if self.frames == 0 {
            self.sent.covers = piece.sent.covers;
        }
        self.sent.behind = piece.sent.behind;
        self.flags.set_if(Flags::OUT_OF_ORDER, piece.sent.late);
        if piece.offload.each > 0 && n > 0 {
            let goes_on = *last_frame == piece.mark.frame;
            let beyond = piece.offload.beyond((piece.at, n), goes_on);
            self.offloaded = self.offloaded.saturating_add(beyond);
        }
        if *last_frame != piece.mark.frame {
            *last_frame = piece.mark.frame;
            self.frames = self.frames.saturating_add(1);
        }
        self.reach(piece.mark);
        self.share += piece.worth(n);
        self.bytes += u64::from(n);
        if self.frames <= 1 {
            self.head += u64::from(n);
        }
        self.hops = self.hops.or(piece.hops);
        self.lost_ns = self.lost_ns.saturating_add(piece.late_ns);
        // The last of it was in order last.
        self.held_ns = match piece.held_ns {
            0 => 0,
            held => piece.mark.at.plus(held).since(self.extent.last.at).max(0),
        };
        if let Some(mark) = piece.resent {
            self.copies = self.copies.max(1);
            self.resent = Some(mark);
        }
    }

    /// All of the frame is further bytes of it, in order: what [adding](Self::add) them does.
    #[inline]
    pub(crate) fn continues(&mut self, bytes: u32, mark: Mark, hops: Option<u8>) {
        self.frames = self.frames.saturating_add(1);
        self.reach(mark);
        self.share += WHOLE_FRAME;
        self.bytes += u64::from(bytes);
        self.hops = self.hops.or(hops);
        self.held_ns = 0;
        self.sent.behind = Sent::UNKNOWN.behind;
    }

    /// It reaches over this frame as well.
    #[inline]
    fn reach(&mut self, mark: Mark) {
        let Extent { first, last } = self.extent;
        // In order, by the stamps and in the capture, as nearly all are: what widening it gives.
        if mark.frame >= last.frame
            && mark.at >= last.at
            && mark.frame >= first.frame
            && mark.at >= first.at
        {
            self.extent.last = mark;
            return;
        }
        if mark.at < last.at {
            self.flags.set(Flags::OUT_OF_ORDER);
        }
        self.extent.widen(Extent {
            first: mark,
            last: mark,
        });
    }

    /// A frame repeated bytes of it before its end.
    pub(crate) fn repeat(&mut self, mark: Mark) {
        let since = self
            .resent
            .map_or(self.extent.last.at, |m| m.at.max(self.extent.last.at));
        self.lost_ns = self.lost_ns.saturating_add(mark.at.since(since).max(0));
        self.retransmitted = self.retransmitted.saturating_add(1);
        self.copies = self.copies.max(1);
        self.resent = Some(mark);
        self.share += WHOLE_FRAME;
    }
}

/// The first of these bytes, `n` at most.
#[inline]
pub(crate) fn clip(bytes: &[u8], n: u64) -> &[u8] {
    let n = usize::try_from(n).unwrap_or(usize::MAX);
    &bytes[..bytes.len().min(n)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use wirewait_wire::Timestamp;

    /// Definitions, section 4: ceil(payload / MSS). Ethernet, IPv4 and TCP with time stamps: 66 bytes of headers, and
    /// 1,448 of data in 1,514.
    #[test]
    fn a_frame_that_was_put_together_counts_as_those_on_the_wire() {
        let offload = Offload {
            header: 66,
            each: 1_448,
        };
        let more = |at: u32, n: u32, goes_on: bool| offload.beyond((66 + at, n), goes_on);
        // ceil(7,240 / 1,448) = 5, ceil(7,241 / 1,448) = 6, ceil(1,448 / 1,448) = 1.
        assert_eq!(more(0, 7_240, false), 4);
        assert_eq!(more(0, 7_241, false), 5);
        assert_eq!(more(0, 1_448, false), 0);
        // A message of 100 bytes over the end of the first of them is in two; behind it, in one.
        assert_eq!(more(1_400, 100, false), 1);
        assert_eq!(more(1_448, 100, false), 0);
        // Cut into pieces, it is as many.
        assert_eq!(more(0, 4, false) + more(4, 7_236, true), 4);
        assert_eq!(more(0, 1_448, false) + more(1_448, 5_792, true), 4);
    }

    #[test]
    fn a_tally_of_one_piece_is_what_adding_it_makes() {
        let mark = |frame| Mark {
            frame,
            at: Timestamp::from_nanos(1_000 * frame as i64),
        };
        let plain = Piece {
            bytes: &[1, 2, 3],
            length: 3,
            mark: mark(7),
            at: 40,
            share: (0, 3),
            hops: None,
            resent: None,
            late_ns: 0,
            held_ns: 0,
            sent: Sent::UNKNOWN,
            packet: None,
            stamp: None,
            offload: Offload::default(),
        };
        let numbered = Piece {
            share: (2, 9),
            hops: Some(2),
            resent: Some(mark(8)),
            late_ns: 5,
            sent: Sent {
                behind: 12,
                covers: 34,
                late: true,
            },
            ..plain
        };
        for piece in [
            plain,
            numbered,
            Piece {
                share: (0, 0),
                ..plain
            },
        ] {
            let mut added = PieceTally::new(piece.mark);
            added.add(&piece, piece.length, &mut 0);
            assert_eq!(PieceTally::of(&piece), added);
        }
        assert_eq!(PieceTally::of(&plain).share, WHOLE_FRAME);
        assert_eq!(
            PieceTally::of(&numbered).share,
            WHOLE_FRAME * 5 / 9 - WHOLE_FRAME * 2 / 9
        );
    }

    /// Frames 1 to 4 with stamps that go on, stand still and step back, near and far.
    #[test]
    fn what_comes_in_order_reaches_as_far_as_widening_says() {
        const MS: i64 = 1_000_000;
        let marks: Vec<Mark> = [1, 2, 3, 4]
            .into_iter()
            .flat_map(|frame| {
                let stamps = [0, 1, 9 * MS, 10 * MS, 11 * MS, 30 * MS];
                stamps.map(|ns| Mark {
                    frame,
                    at: Timestamp::from_nanos(ns),
                })
            })
            .collect();
        let one = |a: Mark, b: Mark| a.frame != b.frame || a == b;
        for first in &marks {
            for last in marks.iter().filter(|last| one(*first, **last)) {
                let here = |mark: &&Mark| one(*first, **mark) && one(*last, **mark);
                for mark in marks.iter().filter(here) {
                    let mut widened = PieceTally::new(*first);
                    widened.extent.last = *last;
                    let mut reached = widened;
                    reached.reach(*mark);
                    let late = mark.at < last.at;
                    widened.flags.set_if(Flags::OUT_OF_ORDER, late);
                    widened.extent.widen(Extent {
                        first: *mark,
                        last: *mark,
                    });
                    assert_eq!(reached, widened, "{first:?} {last:?} {mark:?}");
                }
            }
        }
    }
}

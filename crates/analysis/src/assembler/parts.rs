//! The part of a message that is under way: its bytes are gathered and counted, and it learns when
//! it is complete.

use super::{Assembler, AssemblyState, WINDOW};
use crate::message::{ENOUGH, Message, Reading, is_cut, part_of};
use crate::piece::{Piece, PieceTally, clip};
use crate::trail::Trace;
use crate::turns::Said;
use crate::{Flags, Mark};
use wirewait_wire::{DissectorId, Input, Registry};

impl Assembler {
    /// Consumes bytes of a message; says how many.
    pub(super) fn inside(
        &mut self,
        piece: &Piece<'_>,
        registry: &Registry,
        out: &mut dyn FnMut(Message<'_>),
    ) -> u32 {
        if self.tally.is_none() {
            if self.seeking {
                let skipped = self.seek(piece, registry);
                if skipped > 0 || self.state != AssemblyState::Inside {
                    return skipped;
                }
            }
            // The next part of a compound.
            self.begin_next(piece.mark);
        }
        let here = u64::from(piece.length).min(self.left);
        if self.got == 0 && self.head.is_empty() {
            // Nothing of this part was seen before: if all of it lies here, nothing is copied.
            let input = Input {
                bytes: clip(piece.bytes, here),
                length: u32::try_from(self.left).unwrap_or(u32::MAX),
            };
            if here == self.left || input.bytes.len() >= ENOUGH {
                let dissector = registry.resolve(&self.next, input.bytes);
                let length_of = dissector.and_then(|id| registry.dissector(id).part);
                let longer = length_of
                    .filter(|_| here < self.left)
                    .map(|length_of| u64::from(length_of(input)).min(self.left))
                    .filter(|length| *length > here);
                if longer.is_some() {
                    self.length = longer;
                    self.narrow(input, dissector, registry);
                    return self.gather(piece, here, registry, out);
                }
                let mut part = part_of(input, dissector, registry);
                let reading = Reading::new(input, dissector, &mut part);
                let length = reading.length.min(self.left).max(1);
                if length <= here {
                    // `here` came from a u32.
                    let n = u32::try_from(length).unwrap_or(u32::MAX);
                    self.count(piece, n);
                    self.left -= length;
                    self.got = length;
                    let input = Input {
                        bytes: clip(input.bytes, length),
                        length: n,
                    };
                    self.position += u64::from(n);
                    self.emit(input, reading, out);
                    self.position -= u64::from(n);
                    return n;
                }
                self.length = Some(length);
            }
        }
        self.gather(piece, here, registry, out)
    }

    /// Takes up to `here` bytes of a part that does not lie in one piece; says how many.
    fn gather(
        &mut self,
        piece: &Piece<'_>,
        here: u64,
        registry: &Registry,
        out: &mut dyn FnMut(Message<'_>),
    ) -> u32 {
        let here = self
            .length
            .map_or(here, |l| here.min(l.saturating_sub(self.got)));
        let mut n = u32::try_from(here).unwrap_or(u32::MAX);
        self.keep(clip(piece.bytes, here), n);
        if self.length.is_none() && (self.head.len() >= ENOUGH || here == self.left) {
            let input = Input {
                bytes: &self.head,
                length: u32::try_from(self.got + self.left).unwrap_or(u32::MAX),
            };
            let dissector = registry.resolve(&self.next, input.bytes);
            self.unread = dissector.is_none();
            let mut part = part_of(input, dissector, registry);
            let length = Reading::new(input, dissector, &mut part).length.max(1);
            self.length = Some(length.min(self.got + self.left));
            // What lies behind the part's end belongs to the next one.
            let beyond = (self.got + here).saturating_sub(length);
            n -= u32::try_from(beyond).unwrap_or(0).min(n.saturating_sub(1));
            let keep = usize::try_from(length).unwrap_or(usize::MAX);
            self.head.truncate(keep);
        }
        self.count(piece, n);
        self.got += u64::from(n);
        self.left -= u64::from(n).min(self.left);
        if self.left == 0 || self.length.is_some_and(|l| self.got >= l) {
            self.position += u64::from(n);
            self.gathered(registry, out);
            self.position -= u64::from(n);
        }
        n
    }

    /// The part under way is complete in one piece.
    pub(super) fn whole(
        &mut self,
        mut piece: Piece<'_>,
        registry: &Registry,
        out: &mut dyn FnMut(Message<'_>),
    ) {
        loop {
            let input = Input {
                bytes: piece.bytes,
                length: piece.length,
            };
            let dissector = registry.resolve(&self.next, input.bytes);
            let mut part = part_of(input, dissector, registry);
            let reading = Reading::new(input, dissector, &mut part);
            let length = reading.length.min(self.left);
            let n = u32::try_from(length).unwrap_or(u32::MAX);
            self.left -= length;
            self.got = length;
            if let Some(tally) = &mut self.tally {
                tally.bytes = length;
            }
            if let Some(trail) = &mut self.trail {
                trail.only(&piece, n);
            }
            let input = Input {
                bytes: clip(input.bytes, length),
                length: n,
            };
            self.emit(input, reading, out);
            if self.left == 0 || n == 0 {
                return;
            }
            // Further parts share the frame: counted with the first.
            piece = piece.after(n);
            self.begin_next(piece.mark);
            self.state = AssemblyState::Inside;
            if let Some(tally) = &mut self.tally {
                tally.frames = 1;
                tally.bytes = u64::from(piece.length);
                tally.hops = piece.hops;
            }
        }
    }

    /// The part under way is complete and its head was kept.
    pub(super) fn gathered(&mut self, registry: &Registry, out: &mut dyn FnMut(Message<'_>)) {
        let head = std::mem::take(&mut self.head);
        // A part says where it ends relative to the rest of the message.
        let rest = Input {
            bytes: &head,
            length: u32::try_from(self.got + self.left).unwrap_or(u32::MAX),
        };
        let dissector = registry.resolve(&self.next, rest.bytes);
        let mut part = part_of(rest, dissector, registry);
        let reading = Reading::new(rest, dissector, &mut part);
        let input = Input {
            length: u32::try_from(self.got).unwrap_or(u32::MAX),
            ..rest
        };
        self.emit(input, reading, out);
        self.head = head;
        self.head.clear();
    }

    fn emit(&mut self, input: Input<'_>, reading: Reading<'_>, out: &mut dyn FnMut(Message<'_>)) {
        let Some(mut tally) = self.tally.take() else {
            return;
        };
        tally.flags.set_if(Flags::SNAPPED, is_cut(input));
        self.reader = reading.dissector;
        out(Message {
            dissector: reading.dissector,
            input,
            malformed: reading.malformed,
            exchange: reading.exchange,
            tally,
            serial: self.serial,
            range: (self.start, self.position),
            trace: self
                .trail
                .as_ref()
                .map_or(Trace::default(), |trail| trail.trace()),
            said: Said::New,
        });
        let (left, next) = (self.left, self.next);
        self.reset_part();
        if left > 0 {
            (self.left, self.next, self.state) = (left, next, AssemblyState::Inside);
        } else {
            self.state = AssemblyState::Between;
        }
    }

    pub(super) fn begin(&mut self, mark: Mark) {
        self.serial += 1;
        self.start = self.position;
        self.tally = Some(PieceTally::new(mark));
        self.last_frame = 0;
        self.got = 0;
        self.confirmed = 0;
        self.length = None;
        self.unread = false;
        self.head.clear();
        self.window = WINDOW;
        self.head_closed = false;
        if let Some(trail) = &mut self.trail {
            trail.clear();
        }
    }

    /// Begins another part of the same message.
    fn begin_next(&mut self, mark: Mark) {
        let serial = self.serial;
        self.begin(mark);
        self.serial = serial;
        if let Some(trail) = &mut self.trail {
            trail.follows = true;
        }
    }

    // Twice for most messages, and part of both.
    #[inline(always)]
    pub(super) fn count(&mut self, piece: &Piece<'_>, n: u32) {
        if let Some(tally) = &mut self.tally {
            tally.add(piece, n, &mut self.last_frame);
        }
        if let Some(trail) = &mut self.trail {
            trail.add(piece, n);
        }
    }

    /// The part under way begins with this, and goes on elsewhere: what nobody reads of it is not kept.
    pub(super) fn narrow(
        &mut self,
        input: Input<'_>,
        dissector: Option<DissectorId>,
        registry: &Registry,
    ) {
        let head = dissector.and_then(|id| registry.dissector(id).head);
        // Who wants to know of its bytes sees all that there is room for.
        if self.trail.is_none()
            && let Some(needed) = head.and_then(|head| head(input))
        {
            self.window = WINDOW.min(needed as usize);
        }
    }

    pub(super) fn keep(&mut self, bytes: &[u8], length: u32) {
        if !self.head_closed {
            let room = self.window.saturating_sub(self.head.len());
            self.head.extend_from_slice(&bytes[..bytes.len().min(room)]);
            self.head_closed = (bytes.len() as u64) < u64::from(length);
        }
    }

    pub(super) fn reset_part(&mut self) {
        self.tally = None;
        self.head.clear();
        self.head_closed = false;
        self.got = 0;
        self.left = 0;
        self.length = None;
        (self.seeking, self.unread) = (false, false);
    }
}

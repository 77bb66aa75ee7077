//! Bytes are missing: the message goes on behind them, or its next part is looked for there.

use super::{Assembler, AssemblyState};
use crate::message::Message;
use crate::piece::{Piece, clip};
use crate::{Flags, Mark};
use wirewait_wire::Registry;

impl Assembler {
    /// `n` bytes are missing before this frame; the flag says why.
    pub(crate) fn gap(
        &mut self,
        n: u64,
        (mark, why): (Mark, Flags),
        registry: &Registry,
        out: &mut dyn FnMut(Message<'_>),
    ) {
        self.position += n;
        if self.state == AssemblyState::Inside && self.left >= n {
            let part_left = self.length.map(|l| l.saturating_sub(self.got));
            // The end of this part and the head of the next are missing, or that alone.
            let ends = self.seeking || part_left.is_some_and(|l| l < n);
            if ends || self.tally.is_none() {
                if self.can_seek(registry) {
                    self.seek_behind(n);
                    return;
                }
                if ends {
                    self.abandon();
                    return;
                }
            }
            if self.tally.is_none() {
                self.begin(mark);
            }
            if let Some(tally) = &mut self.tally {
                tally.flags.set(why);
            }
            self.head_closed = true;
            if let Some(trail) = &mut self.trail {
                trail.miss(n);
            }
            self.got += n;
            self.left -= n;
            if self.left == 0 || part_left == Some(n) {
                self.gathered(registry, out);
            }
        } else {
            self.abandon();
        }
    }

    /// Whether who reads the parts of this message can find the next one.
    fn can_seek(&mut self, registry: &Registry) -> bool {
        if !self.head.is_empty() {
            self.reader = registry.resolve(&self.next, &self.head);
        }
        let reader = self.reader.map(|id| registry.dissector(id));
        reader.is_some_and(|reader| reader.resync.is_some())
    }

    /// Goes on `n` bytes farther in the message, to look for its next part there.
    fn seek_behind(&mut self, n: u64) {
        let left = self.left - n;
        if let Some(tally) = self.tally.take() {
            self.loose += tally.share;
        }
        self.pass_over();
        if left > 0 {
            (self.left, self.seeking, self.state) = (left, true, AssemblyState::Inside);
        }
    }

    /// Looks for the next part of the message in bytes behind a gap; says how many are none of it.
    pub(super) fn seek(&mut self, piece: &Piece<'_>, registry: &Registry) -> u32 {
        let here = u64::from(piece.length).min(self.left);
        let reader = self.reader.map(|id| registry.dissector(id));
        let resync = reader.and_then(|reader| reader.resync);
        let found = resync.and_then(|resync| resync(clip(piece.bytes, here)));
        self.seeking = found.is_none();
        let skip = found.map_or(here, |n| n as u64);
        self.left -= skip;
        if self.left == 0 {
            self.pass_over();
        }
        let skip = u32::try_from(skip).unwrap_or(u32::MAX);
        self.loose += piece.worth(skip);
        skip
    }

    /// Nothing is left of a message of which a part was not found.
    fn pass_over(&mut self) {
        self.reset_part();
        self.state = AssemblyState::Between;
    }
}

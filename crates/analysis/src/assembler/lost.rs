//! Where the next message begins is not known: bytes are looked through until one does. It may begin
//! in one segment and show only in the next that it does: some senders put few bytes in each.

use super::{Assembler, AssemblyState, FRAMING};
use crate::Mark;
use crate::piece::Piece;
use wirewait_wire::{Dissector, Framing};

/// The last bytes that were looked through: fewer than a framing header needs at most, each with the
/// frame that brought it.
#[derive(Default)]
pub(super) struct Tail(Vec<(u8, Mark)>);

impl Assembler {
    /// Looks for the beginning of a message; says how many bytes are before it.
    pub(super) fn look(&mut self, piece: &Piece<'_>, framer: &Dissector) -> u32 {
        let mut tail = self.tail.take().unwrap_or_default();
        if let Some(from) = tail.begins(piece, framer) {
            self.go_on_from(&tail.0[from..]);
            self.passed_to = self.start;
            return 0;
        }
        let found = start(piece.bytes, framer);
        let skip = found.map_or(piece.length, |n| u32::try_from(n).unwrap_or(u32::MAX));
        let skip = skip.min(piece.length);
        self.loose += piece.worth(skip);
        self.passed_to = self.position.saturating_add(skip.into());
        if found.is_some() {
            self.state = AssemblyState::Between;
        } else if tail.keep(piece) {
            self.tail = Some(tail);
        }
        skip
    }

    /// Whether what is taken for a message that nobody reads is none: damaged bytes may say that one of millions of bytes
    /// begins, and nothing behind them would be read. This segment lies inside the supposed message, and is a whole,
    /// recognizable message of this framing and nothing else.
    #[cold]
    pub(super) fn is_misled(&self, piece: &Piece<'_>, framer: &Dissector) -> bool {
        let inside = self.state == AssemblyState::Inside && self.left > u64::from(piece.length);
        inside && start(piece.bytes, framer) == Some(0) && is_whole(piece, framer)
    }

    /// A message begins here; what was under way is passed over.
    #[cold]
    pub(super) fn go_on_here(&mut self) {
        self.abandon();
        self.passed_to = self.position;
        self.state = AssemblyState::Between;
    }

    /// A message began with these bytes, which were passed over.
    fn go_on_from(&mut self, bytes: &[(u8, Mark)]) {
        let Some((_, mark)) = bytes.first() else {
            return;
        };
        self.begin(*mark);
        self.start = self.position.saturating_sub(bytes.len() as u64);
        self.head.extend(bytes.iter().map(|(byte, _)| *byte));
        if let Some(tally) = &mut self.tally {
            tally.bytes = bytes.len() as u64;
        }
        if let Some(trail) = &mut self.trail {
            trail.miss(bytes.len() as u64);
        }
        self.state = AssemblyState::Framing;
    }
}

impl Tail {
    /// Where a message begins in it that shows with the next bytes.
    fn begins(&self, piece: &Piece<'_>, framer: &Dissector) -> Option<usize> {
        if self.0.is_empty() {
            return None;
        }
        let behind = piece.bytes.iter().take(FRAMING);
        let bytes = self.0.iter().map(|(byte, _)| byte).chain(behind);
        let bytes: Vec<u8> = bytes.copied().collect();
        start(&bytes, framer).filter(|from| *from < self.0.len())
    }

    /// Keeps the last of these bytes, too; false if the capture cut some of them off.
    fn keep(&mut self, piece: &Piece<'_>) -> bool {
        let from = piece.bytes.len().saturating_sub(FRAMING);
        let last = piece.bytes.get(from..).unwrap_or_default();
        self.0.extend(last.iter().map(|byte| (*byte, piece.mark)));
        let beyond = self.0.len().saturating_sub(FRAMING - 1);
        self.0.drain(..beyond);
        piece.bytes.len() as u64 >= u64::from(piece.length)
    }
}

/// Whether a message that begins with these bytes ends with them.
fn is_whole(piece: &Piece<'_>, framer: &Dissector) -> bool {
    let framing = framer.framing.map(|framing| framing(piece.bytes));
    matches!(framing, Some(Framing::Message { header, length, .. })
        if header > 0 && length > 0 && header.checked_add(length) == Some(piece.length))
}

/// Where a message begins in these bytes. A place counts only if a message can be framed there, or this
/// would go round in circles.
fn start(bytes: &[u8], framer: &Dissector) -> Option<usize> {
    let found = framer.resync.and_then(|resync| resync(bytes))?;
    let rest = bytes.get(found..).unwrap_or_default();
    let framing = framer.framing.map(|framing| framing(rest));
    let framed = matches!(framing, Some(Framing::Message { header, length, .. })
        if header > 0 || length > 0);
    framed.then_some(found)
}

//! A part of a message, complete: what its dissector says it means.

use crate::Flags;
use crate::piece::{Piece, PieceTally};
use crate::trail::{Trace, stretch};
use crate::turns::Said;
use wirewait_wire::{Dissector, DissectorId, Exchange, Fault, Framing, Input, Part, Registry};

/// Bytes of a part that suffice for a dissector to tell its length.
pub(crate) const ENOUGH: usize = 64;

/// One part of a message, complete.
pub(crate) struct Message<'a> {
    /// Who read it; `None` if nobody recognised it.
    pub(crate) dissector: Option<DissectorId>,
    /// Its head, as far as it was kept, and its true length.
    pub(crate) input: Input<'a>,
    /// What it means: large, and never copied.
    pub(crate) exchange: Option<&'a mut Exchange>,
    /// It could not be read.
    pub(crate) malformed: bool,
    pub(crate) tally: PieceTally,
    /// Number of the message on this direction; parts of one share it.
    pub(crate) serial: u64,
    /// Position of the part's first byte and of the byte behind it, on this direction.
    pub(crate) range: (u64, u64),
    pub(crate) trace: Trace<'a>,
    /// How it stands to what its sender said before, where the ends take turns.
    pub(crate) said: Said,
}

/// A message that is a frame's whole payload, read by `dissector`.
pub(crate) fn datagram(
    piece: &Piece<'_>,
    dissector: DissectorId,
    registry: &Registry,
    out: impl FnOnce(&mut Message<'_>),
) {
    let input = Input {
        bytes: piece.bytes,
        length: piece.length,
    };
    let mut part = part_of(input, Some(dissector), registry);
    let reading = Reading::new(input, Some(dissector), &mut part);
    // Counted where it stays: it is large, too.
    let mut message = Message {
        dissector: reading.dissector,
        input,
        malformed: reading.malformed,
        exchange: reading.exchange,
        tally: PieceTally::of(piece),
        serial: 0,
        range: (0, 0),
        trace: Trace {
            stretches: &[stretch(piece, piece.length)],
            ..Trace::default()
        },
        said: Said::New,
    };
    message.tally.flags.set_if(Flags::SNAPPED, is_cut(input));
    out(&mut message);
}

/// A piece of a byte stream that is one message, whole and in one part, cut out by `framer`.
/// Whether it is that, and `take` accepts the message.
pub(crate) fn framed(
    piece: Piece<'_>,
    framer: &Dissector,
    registry: &Registry,
    take: impl FnOnce(Message<'_>) -> bool,
) -> bool {
    let Some(Framing::Message {
        header,
        length,
        next,
    }) = framer.framing.map(|framing| framing(piece.bytes))
    else {
        return false;
    };
    let Some(bytes) = piece.bytes.get(header as usize..) else {
        return false;
    };
    if length == 0 || Some(piece.length) != header.checked_add(length) {
        return false;
    }
    let input = Input { bytes, length };
    let dissector = registry.resolve(&next, bytes);
    let mut part = part_of(input, dissector, registry);
    let reading = Reading::new(input, dissector, &mut part);
    if reading.length != u64::from(length) {
        return false;
    }
    let mut tally = PieceTally::of(&piece);
    tally.flags.set_if(Flags::SNAPPED, is_cut(input));
    take(Message {
        dissector: reading.dissector,
        input,
        malformed: reading.malformed,
        exchange: reading.exchange,
        tally,
        serial: 1,
        range: (0, piece.length.into()),
        trace: Trace::default(),
        said: Said::New,
    })
}

/// What a dissector makes of some bytes. What it says is large, and stays where it is.
pub(crate) struct Reading<'a> {
    pub(crate) dissector: Option<DissectorId>,
    pub(crate) exchange: Option<&'a mut Exchange>,
    pub(crate) length: u64,
    pub(crate) malformed: bool,
}

impl<'a> Reading<'a> {
    /// Of what [`part_of`] gave for the same bytes.
    pub(crate) fn new(
        input: Input<'_>,
        dissector: Option<DissectorId>,
        part: &'a mut Result<Part, Fault>,
    ) -> Self {
        let whole = u64::from(input.length);
        let (exchange, length, malformed) = match part {
            Ok(part) => (part.exchange.as_mut(), part.length.into(), false),
            Err(Fault::Malformed { .. }) => (None, whole, true),
            Err(Fault::Short { .. }) => (None, whole, input.bytes.len() as u64 >= whole),
        };
        Self {
            dissector,
            exchange,
            length,
            malformed,
        }
    }
}

/// What a dissector says of some bytes; nothing, if there is none.
#[inline]
pub(crate) fn part_of(
    input: Input<'_>,
    dissector: Option<DissectorId>,
    registry: &Registry,
) -> Result<Part, Fault> {
    match dissector.and_then(|id| registry.dissector(id).exchange) {
        Some(exchange) => exchange(input),
        None => Ok(Part {
            exchange: None,
            length: input.length,
        }),
    }
}

/// Too little is there for a dissector to be sure of what it reads.
pub(crate) fn is_cut(input: Input<'_>) -> bool {
    (input.bytes.len() as u64) < u64::from(input.length).min(ENOUGH as u64)
}

//! Cuts ordered bytes into messages and parts of messages, and keeps of each only the
//! head that its dissector needs.

mod continuing;
mod gaps;
mod lost;
mod parts;

use crate::Flags;
use crate::message::Message;
use crate::piece::{Piece, PieceTally, clip};
use crate::trail::{Assembled, Deed, Trail};
use lost::Tail;
use std::cell::RefCell;
use wirewait_wire::{DissectorId, Framing, Input, Next, Registry};

/// Bytes of a part that are kept when it does not lie in one piece.
const WINDOW: usize = 2048;
/// No framing header is longer.
const FRAMING: usize = 64;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum AssemblyState {
    /// Where the next message begins is not known.
    Lost,
    /// Between messages.
    Between,
    /// Inside a framing header.
    Framing,
    /// Inside a message.
    Inside,
}

/// Room for heads, which those who have a message under way share: there are many conversations,
/// and few of them are in the middle of one.
#[derive(Default)]
pub(crate) struct Rooms(RefCell<Vec<Vec<u8>>>);

impl Rooms {
    /// Kept at most.
    const MOST: usize = 64;
}

/// One direction of a conversation, as a row of messages.
pub(crate) struct Assembler {
    state: AssemblyState,
    /// The head of the part under way, when it does not lie in one piece.
    head: Vec<u8>,
    /// No more bytes of the part under way are kept.
    window: usize,
    /// Nothing more can be appended to the head: bytes are missing behind it.
    head_closed: bool,
    next: Next,
    /// Bytes of the message that are still to come.
    left: u64,
    /// Bytes of the part under way that were consumed, framing header apart.
    got: u64,
    /// How many of them the receiver said it kept, where it says so.
    confirmed: u64,
    /// Length of the part under way, once its dissector has said so.
    length: Option<u64>,
    /// Who read the latest part, or the one under way.
    reader: Option<DissectorId>,
    /// Where the next part of the message begins is not known.
    seeking: bool,
    /// Nobody reads the message under way.
    unread: bool,
    tally: Option<PieceTally>,
    last_frame: u64,
    serial: u64,
    /// Position of the next byte.
    position: u64,
    /// Position of the first byte of the part under way.
    start: u64,
    /// Share of frames whose bytes belong to no message.
    loose: u64,
    /// What was looked through last for the beginning of a message, and up to where.
    tail: Option<Box<Tail>>,
    passed_to: u64,
    /// Where the bytes of the part under way were, if somebody wants to know.
    trail: Option<Box<Trail>>,
}

impl Default for Assembler {
    fn default() -> Self {
        Self::new(false, false)
    }
}

impl Assembler {
    /// A direction of which the first byte that comes may or may not begin a message.
    /// `observed`: somebody wants to know of which bytes messages are put together.
    pub(crate) fn new(known_start: bool, observed: bool) -> Self {
        Self {
            state: if known_start {
                AssemblyState::Between
            } else {
                AssemblyState::Lost
            },
            head: Vec::new(),
            window: WINDOW,
            head_closed: false,
            next: Next::NONE,
            left: 0,
            got: 0,
            confirmed: 0,
            length: None,
            reader: None,
            seeking: false,
            unread: false,
            tally: None,
            last_frame: 0,
            serial: 0,
            position: 0,
            start: 0,
            loose: 0,
            tail: None,
            passed_to: 0,
            trail: observed.then(Box::default),
        }
    }

    /// Does something that may need room for a head, which is lent for as long as there is one.
    #[inline]
    pub(crate) fn in_room(&mut self, rooms: &Rooms, work: impl FnOnce(&mut Self)) {
        if self.head.capacity() == 0
            && let Some(room) = rooms.0.borrow_mut().pop()
        {
            self.head = room;
        }
        work(self);
        if self.head.is_empty() && self.head.capacity() > 0 {
            let room = std::mem::take(&mut self.head);
            let mut rooms = rooms.0.borrow_mut();
            if rooms.len() < Rooms::MOST {
                rooms.push(room);
            }
        }
    }

    /// As when it was [new](Self::new).
    pub(crate) fn renew(&mut self, known_start: bool, observed: bool) {
        *self = Self::new(known_start, observed);
    }

    /// As when it was new, at a byte that begins a message.
    pub(crate) fn restart(&mut self) {
        self.renew(true, self.trail.is_some());
    }

    /// What came so far of the message under way.
    pub(crate) fn so_far(&self, registry: &Registry) -> Option<Assembled<'_>> {
        let trace = self
            .trail
            .as_ref()
            .filter(|_| self.tally.is_some())?
            .trace();
        let (got, left) = (self.got, self.left);
        let (head, dissector) = match self.state {
            AssemblyState::Inside => {
                let bytes = clip(&self.head, got);
                (bytes, registry.resolve(&self.next, bytes))
            }
            _ => (Default::default(), None),
        };
        Some(Assembled {
            follows: trace.follows,
            complete: false,
            framer: None,
            dissector,
            header: trace.header,
            head: Input {
                bytes: head,
                length: u32::try_from(got.saturating_add(left)).unwrap_or(u32::MAX),
            },
            stretches: trace.stretches,
            omitted: trace.omitted,
            deed: None,
            asked: None,
        })
    }

    /// A frame did something for the message under way that brought no byte of it.
    pub(crate) fn note(&mut self, frame: u64, deed: Deed) {
        if let Some(trail) = &mut self.trail {
            trail.other(frame, deed);
        }
    }

    /// Number of the message under way, or of the last one.
    pub(crate) fn serial(&self) -> u64 {
        self.serial
    }

    /// A number for a message that is none of its own.
    pub(crate) fn number_one(&mut self) -> u64 {
        self.serial += 1;
        self.serial
    }

    /// Position of the next byte.
    pub(crate) fn position(&self) -> u64 {
        self.position
    }

    /// The part under way, if the byte at `position` is in it.
    pub(crate) fn under_way(&mut self, position: u64) -> Option<&mut PieceTally> {
        self.tally.as_mut().filter(|_| position >= self.start)
    }

    /// Share of frames that belongs to no message, taken out.
    pub(crate) fn take_loose(&mut self) -> u64 {
        std::mem::take(&mut self.loose)
    }

    /// Gives up the part under way; its share becomes loose.
    pub(crate) fn abandon(&mut self) {
        if let Some(tally) = self.tally.take() {
            self.loose += tally.share;
        }
        self.reset_part();
        self.tail = None;
        self.state = AssemblyState::Lost;
    }

    /// Whether it is not known where the next message begins.
    #[inline]
    pub(crate) fn is_lost(&self) -> bool {
        matches!(self.state, AssemblyState::Lost)
    }

    /// Whether bytes were passed over of which nothing told where a message begins.
    #[cold]
    pub(crate) fn is_astray(&self) -> bool {
        self.is_lost() && self.position > self.start
    }

    /// Up to where bytes were passed over because nothing told where a message begins.
    pub(crate) fn passed_to(&self) -> u64 {
        self.passed_to
    }

    /// Bytes of a stream; messages are found by the framing of `framer`.
    pub(crate) fn stream(
        &mut self,
        piece: &Piece<'_>,
        framer: DissectorId,
        registry: &Registry,
        out: &mut dyn FnMut(Message<'_>),
    ) {
        let framer = registry.dissector(framer);
        if self.unread && self.is_misled(piece, framer) {
            self.go_on_here();
        }
        let mut rest = None;
        while let piece = rest.as_ref().unwrap_or(piece)
            && piece.length > 0
        {
            let used = match self.state {
                AssemblyState::Lost => self.look(piece, framer),
                AssemblyState::Between | AssemblyState::Framing => {
                    self.frame_message(piece, framer.framing, registry, out)
                }
                AssemblyState::Inside => self.inside(piece, registry, out),
            };
            self.position += u64::from(used);
            if used >= piece.length {
                return;
            }
            // A state that uses nothing has changed, and another one goes on.
            rest = Some(piece.after(used));
        }
    }

    /// A segment of a message whose end the carrier marks. `after_gap`: segments before it
    /// are missing, and why.
    pub(crate) fn segment(
        &mut self,
        piece: &Piece<'_>,
        next: Next,
        (last, after_gap): (bool, Option<Flags>),
        registry: &Registry,
        out: &mut dyn FnMut(Message<'_>),
    ) {
        if let Some(why) = after_gap
            && let Some(tally) = &mut self.tally
        {
            if registry.resolve(&next, piece.bytes).is_some() {
                self.abandon();
            } else {
                tally.flags.set(why);
                self.head_closed = true;
                if let Some(trail) = &mut self.trail {
                    trail.miss(0);
                }
            }
        }
        if self.tally.is_none() {
            self.begin(piece.mark);
            self.next = next;
            self.state = AssemblyState::Inside;
        }
        self.position += u64::from(piece.length);
        self.count(piece, piece.length);
        if last && self.got == 0 && self.head.is_empty() {
            self.left = u64::from(piece.length);
            self.whole(*piece, registry, out);
            return;
        }
        if self.head.is_empty() && !self.head_closed {
            let begins = Input {
                bytes: piece.bytes,
                length: piece.length,
            };
            // Who reads it shows when all is there: as a rule who read the one before.
            self.narrow(begins, self.reader, registry);
        }
        self.keep(piece.bytes, piece.length);
        self.got += u64::from(piece.length);
        if last {
            self.left = 0;
            self.gathered(registry, out);
        }
    }

    /// The receiver kept `n` bytes of what came since it last said so; the rest will come
    /// again: says how much that is.
    pub(crate) fn accepted(&mut self, n: u64) -> u64 {
        let got = self.got;
        if self.tally.is_some() {
            self.confirmed = self.confirmed.saturating_add(n).min(self.got);
            self.got = self.confirmed;
            let keep = usize::try_from(self.confirmed).unwrap_or(usize::MAX);
            self.head.truncate(keep);
            if let Some(trail) = &mut self.trail {
                trail.cut_back(self.confirmed);
            }
        }
        got - self.got
    }

    /// The receiver kept everything so far.
    pub(crate) fn accepted_all(&mut self) {
        self.confirmed = self.got;
    }

    /// Whether a message is under way of which exactly `got` bytes (not 0) have come.
    pub(crate) fn goes_on(&self, got: u64) -> bool {
        got > 0 && self.tally.is_some() && self.got == got
    }

    /// Bytes of the message under way that have come.
    pub(crate) fn got(&self) -> u64 {
        self.got
    }

    /// Nothing more will come of the message under way; `lost` when something should have.
    pub(crate) fn cut_short(
        &mut self,
        lost: bool,
        registry: &Registry,
        out: &mut dyn FnMut(Message<'_>),
    ) {
        if let Some(tally) = &mut self.tally {
            tally.flags.set_if(Flags::CAPTURE_LOSS, lost);
            self.left = 0;
            self.gathered(registry, out);
        }
    }

    /// Whether a message is under way.
    pub(crate) fn is_under_way(&self) -> bool {
        self.tally.is_some()
    }

    /// Whether this number of bytes, which may be cut off, end the message of a stream that is under way.
    #[cold]
    pub(crate) fn ends_within(&self, bytes: u32) -> bool {
        self.state == AssemblyState::Inside && self.left <= u64::from(bytes)
    }

    /// Finds the framing at the beginning of a message; says how many bytes it used.
    fn frame_message(
        &mut self,
        piece: &Piece<'_>,
        framing: Option<fn(&[u8]) -> Framing>,
        registry: &Registry,
        out: &mut dyn FnMut(Message<'_>),
    ) -> u32 {
        let Some(framing) = framing else {
            self.abandon();
            return 0;
        };
        let before = self.head.len();
        let found = if before == 0 {
            framing(piece.bytes)
        } else {
            let room = FRAMING.saturating_sub(before);
            self.head
                .extend_from_slice(&piece.bytes[..piece.bytes.len().min(room)]);
            framing(&self.head)
        };
        match found {
            Framing::Message {
                header,
                length,
                next,
            } if header > 0 || length > 0 => {
                let fresh = header.saturating_sub(u32::try_from(before).unwrap_or(u32::MAX));
                let fresh = fresh.min(piece.length);
                if self.state == AssemblyState::Between {
                    self.begin(piece.mark);
                }
                self.count(piece, fresh);
                if let Some(trail) = &mut self.trail {
                    trail.header = header;
                }
                // A framer may have wanted to see more than the header to tell how long it
                // is: those bytes are the message's.
                let extra = before.saturating_sub(header as usize).min(length as usize);
                self.head.truncate(before);
                self.head.drain(..(header as usize).min(before));
                self.head.truncate(extra);
                self.next = next;
                self.got = extra as u64;
                self.left = u64::from(length) - self.got;
                self.state = AssemblyState::Inside;
                if self.left == 0 {
                    self.position += u64::from(fresh);
                    self.gathered(registry, out);
                    self.position -= u64::from(fresh);
                }
                fresh
            }
            Framing::Need(n) if (n as usize) > self.head.len().max(piece.bytes.len()) => {
                if (piece.bytes.len() as u64) < u64::from(piece.length) || n as usize > FRAMING {
                    // The capture cut the header off.
                    self.abandon();
                    return 0;
                }
                if self.state == AssemblyState::Between {
                    self.begin(piece.mark);
                    self.state = AssemblyState::Framing;
                }
                if before == 0 {
                    self.head.extend_from_slice(piece.bytes);
                }
                self.count(piece, piece.length);
                piece.length
            }
            Framing::Need(_) | Framing::Lost | Framing::Message { .. } => {
                self.abandon();
                0
            }
        }
    }
}

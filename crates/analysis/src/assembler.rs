//! Cuts ordered bytes into messages and parts of messages, and keeps of each only the
//! head that its dissector needs.

mod lost;

use crate::message::{ENOUGH, Message, Reading, is_cut, part_of};
use crate::piece::{Piece, PieceTally, clip};
use crate::trail::{Assembled, Deed, Trace, Trail};
use crate::turns::Said;
use crate::{Flags, Mark};
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
    tail: Option<Tail>,
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
            head_closed: false,
            next: Next::NONE,
            left: 0,
            got: 0,
            confirmed: 0,
            length: None,
            reader: None,
            seeking: false,
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
        if last && self.got == 0 && self.head.is_empty() {
            self.count(piece, piece.length);
            self.left = u64::from(piece.length);
            self.whole(*piece, registry, out);
            return;
        }
        self.count(piece, piece.length);
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
    fn seek(&mut self, piece: &Piece<'_>, registry: &Registry) -> u32 {
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

    /// Consumes bytes of a message; says how many.
    fn inside(
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
    fn whole(
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
    fn gathered(&mut self, registry: &Registry, out: &mut dyn FnMut(Message<'_>)) {
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

    fn begin(&mut self, mark: Mark) {
        self.serial += 1;
        self.start = self.position;
        self.tally = Some(PieceTally::new(mark));
        self.last_frame = 0;
        self.got = 0;
        self.confirmed = 0;
        self.length = None;
        self.head.clear();
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

    fn count(&mut self, piece: &Piece<'_>, n: u32) {
        if let Some(tally) = &mut self.tally {
            tally.add(piece, n, &mut self.last_frame);
        }
        if let Some(trail) = &mut self.trail {
            trail.add(piece, n);
        }
    }

    fn keep(&mut self, bytes: &[u8], length: u32) {
        if !self.head_closed {
            let room = WINDOW.saturating_sub(self.head.len());
            self.head.extend_from_slice(&bytes[..bytes.len().min(room)]);
            self.head_closed = (bytes.len() as u64) < u64::from(length);
        }
    }

    fn reset_part(&mut self) {
        self.tally = None;
        self.head.clear();
        self.head_closed = false;
        self.got = 0;
        self.left = 0;
        self.length = None;
        self.seeking = false;
    }
}

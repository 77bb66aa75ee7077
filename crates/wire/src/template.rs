//! Walks frames that are like an earlier one in few steps.
//!
//! A template remembers a walk together with the bits of the headers that decided it, as each
//! dissector [declares](Steady) them. A frame in which those bits are the same has the same
//! layers; what varies (lengths, numbers, flags) is read by the dissectors in short. The idea is
//! that of header prediction (Jacobson, RFC 1144 section 3.2, and the fast path of 4.3BSD-Reno).
//! Everything else is walked in full: first frames, headers that were cut, unusual ones.

mod repeat;
mod shape;

use crate::stop::stop;
use crate::walk::{Ending, slice};
use crate::{Depth, Dissector, Facts, Frame, Input, Registry, Stop, StopReason, Walk};
use repeat::Varying;
pub use repeat::{KnownWalks, Repeat};
use shape::{HeaderShape, is_same, padded, read};
use std::num::NonZeroU64;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// How a dissector reads a header that is like an earlier one.
///
/// If the bits that [`decides`](Self::decides) names are the same in two headers, and `varies`
/// reads both, then `dissect` gives both the same length of header, the same
/// [`Next`](crate::Next), the same [`Carries`](crate::Carries) but for what is in it, and adds
/// the same facts but for those that `varies` sets anew.
#[derive(Clone, Copy, Debug)]
pub struct Steady {
    /// Which bits of a header decide; `None` for headers that are always to be dissected.
    pub decides: fn(Input<'_>) -> Option<Deciding>,
    /// Sets the facts that vary (the order, what is carried, the packet's identification and the routers that it
    /// passed; no others), and gives where the PDU ends, as
    /// [`Layer::end`](crate::Layer::end) does; `None` where the header has to be dissected.
    pub varies: fn(Input<'_>, &mut Facts) -> Option<u32>,
}

/// The bits of a header that decide how it is read.
#[derive(Clone, Debug)]
pub struct Deciding {
    /// By byte from the start of the header, all that have one in them. May reach into the
    /// payload.
    pub mask: &'static [u8],
    /// Which of the bytes say who is concerned; the others say what kind of header it is.
    pub whom: Range<usize>,
}

/// Which template a frame fits: frames with the same one have the same layers, ends, sessions
/// and carriers.
// A number that no two templates of a program share, with the slot in its lowest bits: it is compared some times a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TemplateId {
    number: NonZeroU64,
}

impl TemplateId {
    /// The next one in this slot.
    fn next(slot: usize) -> Option<Self> {
        let number = NUMBERS.fetch_add(1, Ordering::Relaxed);
        let id = number * Templates::SLOTS as u64 + slot as u64;
        NonZeroU64::new(id).map(|number| Self { number })
    }

    /// The slot for its values, below [`Templates::SLOTS`]. Others may stand there, too.
    #[must_use]
    pub const fn slot(self) -> usize {
        // Truncation intended: the lowest bits.
        self.number.get() as usize % Templates::SLOTS
    }

    /// Its number, which no other template of the program has.
    #[must_use]
    pub const fn number(self) -> u64 {
        self.number.get()
    }
}

/// Words of a frame in which the bits that decide can stand.
const WORDS: usize = 8;
/// Layers that a template can have.
const LAYERS: usize = 6;
/// Templates that can share a set.
const WAYS: usize = 4;
/// Kinds of headers that are told apart at once.
const SHAPES: usize = 12;

/// The numbers of templates.
static NUMBERS: AtomicU64 = AtomicU64::new(1);

/// Templates of the latest frames. Of fixed size: where more than four fall into one set the
/// latest stay, and frames of the others are walked in full. A template is made of the second of
/// two frames in a row that want a place in the set, so that a flood of single frames makes none.
#[derive(Debug)]
pub struct Templates {
    /// Those that were often of use lately first.
    shapes: Vec<HeaderShape>,
    /// How many frames had another shape than the first.
    late: u8,
    slots: Vec<Option<Box<Template>>>,
    /// What was wanted in each set last.
    wanted: Vec<u32>,
    /// What did not fit the template of its own frame, in each set the latest.
    unfit: Vec<u32>,
    /// Shapes and templates so far.
    made: u64,
    /// The walk of a frame that fits none.
    full: Walk,
}

/// What is known of frames whose bits that decide are these.
#[derive(Clone, Debug)]
struct Template {
    shape: u64,
    words: [u64; WORDS],
    layers: Vec<Again>,
    /// The walk of the latest frame.
    latest: Varying,
    /// Routers that the packet passed are counted up.
    counts_up: bool,
}

/// A layer that is read again.
#[derive(Clone, Copy, Debug)]
struct Again {
    start: u32,
    payload: u32,
    varies: fn(Input<'_>, &mut Facts) -> Option<u32>,
}

impl Default for Templates {
    fn default() -> Self {
        Self {
            shapes: Vec::new(),
            late: 0,
            slots: std::iter::repeat_with(|| None).take(Self::SLOTS).collect(),
            wanted: vec![0; Self::SLOTS / WAYS],
            unfit: vec![0; Self::SLOTS / WAYS],
            made: 0,
            full: Walk::default(),
        }
    }
}

impl Registry {
    /// Walks the layers of `frame` up to the [handover](Depth::Handover), in short where a
    /// template of an earlier frame fits. The result is that of [`Registry::walk`], but for
    /// [`Walk::template`].
    #[inline(always)]
    pub fn walk_by<'t>(&self, templates: &'t mut Templates, frame: &Frame<'_>) -> &'t Walk {
        let found = templates.find(frame);
        // Not by a closure: the compiler makes it a function of its own.
        let filled = match found {
            Ok(slot) => match &mut templates.slots[slot] {
                Some(template) => template.fill(self, frame).then_some(slot),
                None => None,
            },
            Err(_) => None,
        };
        if filled.is_none() {
            self.walk_anew(templates, frame, found.err());
        }
        let template = filled.and_then(|slot| templates.slots[slot].as_ref());
        template.map_or(&templates.full, |template| &template.latest.walk)
    }

    /// Walks the layers of a frame of its own; with what was [not found](Templates::find), if that is so.
    #[inline(never)]
    fn walk_anew(&self, templates: &mut Templates, frame: &Frame<'_>, missed: Option<Option<u64>>) {
        self.walk(frame, Depth::Handover, &mut templates.full);
        if let Some(hash) = missed
            && hash.is_none_or(|hash| templates.wants(hash))
        {
            templates.learn(self, frame);
        }
    }
}

impl Templates {
    /// Templates that are kept at once.
    pub const SLOTS: usize = 8192;

    /// The template that a frame fits. Where there is none: the hash of the bits that decide, if a
    /// shape fits.
    #[inline(always)]
    fn find(&mut self, frame: &Frame<'_>) -> Result<usize, Option<u64>> {
        let room;
        let head = match read(frame.bytes) {
            Some(head) => head,
            None => {
                room = padded(frame.bytes);
                &room
            }
        };
        let mut shapes = self.shapes.iter();
        let at = shapes.position(|shape| shape.may_fit(frame, head));
        let Some((at, shape)) = at.and_then(|at| Some((at, self.shapes.get(at)?))) else {
            return Err(None);
        };
        let words = shape.words(head);
        let hash = shape.hash(&words);
        match self.slot_of(shape, &words, hash) {
            Some(slot) => {
                if at > 0 {
                    self.was_late(at);
                }
                Ok(slot)
            }
            None => self.find_behind((at, hash), frame, head),
        }
    }

    /// As [`Self::find`], behind the first shape that may fit, which has no template of this hash.
    // By itself: what a loop over shapes takes out of it would be kept on the stack for each frame.
    #[inline(never)]
    fn find_behind(
        &mut self,
        (first, hash): (usize, u64),
        frame: &Frame<'_>,
        head: &Head,
    ) -> Result<usize, Option<u64>> {
        let shapes = self.shapes.get(first..).unwrap_or_default();
        let fits = shapes.first().is_some_and(|shape| shape.fits(head));
        let mut missed = fits.then_some(hash);
        for (at, shape) in (first..).zip(shapes).skip(1) {
            if !shape.may_fit(frame, head) {
                continue;
            }
            let words = shape.words(head);
            let hash = shape.hash(&words);
            if let Some(slot) = self.slot_of(shape, &words, hash) {
                self.was_late(at);
                return Ok(slot);
            }
            if missed.is_none() && shape.fits(head) {
                missed = Some(hash);
            }
        }
        Err(missed)
    }

    /// Where the template of these bits stands.
    #[inline(always)]
    fn slot_of(&self, shape: &HeaderShape, words: &[u64; WORDS], hash: u64) -> Option<usize> {
        let set = set(hash);
        for (slot, template) in (set..).zip(&self.slots[set..set + WAYS]) {
            if let Some(template) = template
                && template.shape == shape.number
                && is_same(words, &template.words)
            {
                return Some(slot);
            }
        }
        None
    }

    /// A shape was found behind others. One in a few moves up: those of most frames come to
    /// stand first, and do not change places with each other at every frame.
    #[inline]
    fn was_late(&mut self, at: usize) {
        self.late = self.late.wrapping_add(1);
        if self.late.is_multiple_of(64) {
            self.shapes.swap(at, at - 1);
        }
    }

    /// Whether a frame with this hash was the latest that wanted a place in its set; it is now.
    #[inline]
    fn wants(&mut self, hash: u64) -> bool {
        // Truncation intended: other bits of it.
        let wanted = hash as u32;
        std::mem::replace(&mut self.wanted[set(hash) / WAYS], wanted) == wanted
    }

    /// Makes a template of a frame that was walked in full.
    fn learn(&mut self, registry: &Registry, frame: &Frame<'_>) {
        let walk = &self.full;
        // What the capture cut off behind the headers is no header.
        let whole = |stop: Stop| stop.reason == StopReason::Snapped;
        if walk.ending == Ending::Unsure || !walk.stop.is_none_or(whole) || walk.len > LAYERS {
            return;
        }
        let Some(shape) = self.shape_of(registry, frame) else {
            return;
        };
        let shape = &self.shapes[shape];
        let head = &read(frame.bytes).map_or_else(|| padded(frame.bytes), |head| *head);
        let words = shape.words(head);
        let (hash, of_shape) = (shape.hash(&words), shape.number);
        if !self.wants(hash) {
            return;
        }
        let set = set(hash);
        // Truncation intended, as there.
        let wanted = hash as u32;
        // A frame that does not fit a template of its own is not tried again and again.
        if self.unfit[set / WAYS] == wanted {
            return;
        }
        let free = (set..set + WAYS).find(|slot| self.slots[*slot].is_none());
        self.made += 1;
        // What stands where follows from the frames alone.
        let slot = free.unwrap_or(set + self.made as usize % WAYS);
        let Some(id) = TemplateId::next(slot) else {
            return;
        };
        let template = Template::new(registry, (of_shape, words), &self.full, id);
        // Only of frames that it fits itself.
        match template.filter(|template| template.clone().fill(registry, frame)) {
            Some(template) => self.slots[slot] = Some(template),
            None => self.unfit[set / WAYS] = wanted,
        }
    }

    /// The shape of the frame that was walked in full, made if there is none.
    fn shape_of(&mut self, registry: &Registry, frame: &Frame<'_>) -> Option<usize> {
        let (mut mask, mut kind) = ([0u8; WORDS * 8], [0u8; WORDS * 8]);
        let mut length = 0;
        let mut end = whole(frame);
        for span in self.full.spans() {
            let steady = registry.dissector(span.dissector).steady?;
            let deciding = (steady.decides)(slice(frame, span.start, end))?;
            let start = span.start as usize;
            length = length.max(start + deciding.mask.len());
            if length > mask.len() {
                return None;
            }
            let places = mask[start..].iter_mut().zip(&mut kind[start..]);
            for ((at, bits), (mask, kind)) in (0..).zip(deciding.mask).zip(places) {
                *mask |= bits;
                if !deciding.whom.contains(&at) {
                    *kind |= bits;
                }
            }
            end = span.end;
        }
        let head = &read(frame.bytes).map_or_else(|| padded(frame.bytes), |head| *head);
        let mask = (*read(&mask)?).map(u64::from_le_bytes);
        let kind = (*read(&kind)?).map(u64::from_le_bytes);
        let kinds = (0..WORDS).filter(|at| kind[*at] > 0);
        let kinds = kinds.map(|at| (at, kind[at], u64::from_le_bytes(head[at]) & kind[at]));
        let same = |s: &HeaderShape| {
            let known = s.kinds.iter().copied();
            s.link == frame.link && s.mask == mask && s.length == length && known.eq(kinds.clone())
        };
        if let Some(known) = self.shapes.iter().position(same) {
            return Some(known);
        }
        self.shapes.truncate(SHAPES - 1);
        self.made += 1;
        self.shapes.push(HeaderShape {
            number: self.made,
            link: frame.link,
            mask,
            length,
            kinds: kinds.collect(),
        });
        Some(self.shapes.len() - 1)
    }
}

/// The first bytes of a frame, in words.
type Head = [[u8; 8]; WORDS];

/// The first slot of the set that templates with this hash are in.
#[inline]
fn set(hash: u64) -> usize {
    (hash >> 48) as usize % (Templates::SLOTS / WAYS) * WAYS
}

impl Template {
    /// A template of a frame with these bits, whose walk was this.
    fn new(
        registry: &Registry,
        (shape, words): (u64, [u64; WORDS]),
        walk: &Walk,
        id: TemplateId,
    ) -> Option<Box<Self>> {
        let spans = walk.spans();
        let layers = spans.iter().map(|span| {
            let steady = registry.dissector(span.dissector).steady?;
            Some(Again {
                start: span.start,
                payload: span.payload,
                varies: steady.varies,
            })
        });
        Some(Box::new(Self {
            shape,
            words,
            layers: layers.collect::<Option<_>>()?,
            counts_up: walk.facts.hops.is_some(),
            latest: Varying::new(Walk {
                template: Some(id),
                ..walk.clone()
            })?,
        }))
    }

    /// Makes the walk that of a frame that fits. False if what varies in it is unusual.
    // Part of the walk of every frame, and of what makes a template.
    #[inline(always)]
    fn fill(&mut self, registry: &Registry, frame: &Frame<'_>) -> bool {
        let walk = &mut self.latest.walk;
        walk.stop = None;
        let captured = u32::try_from(frame.bytes.len()).unwrap_or(u32::MAX);
        let mut end = whole(frame);
        let mut cut_at = None;
        for (layer, span) in self.layers.iter().zip(&mut walk.spans) {
            let at_hand = end.min(captured);
            // Where nothing of it was captured, or it begins behind the end, it is walked in full.
            let Some(bytes) = frame.bytes.get(layer.start as usize..at_hand as usize) else {
                return false;
            };
            let input = Input {
                bytes,
                length: end.saturating_sub(layer.start),
            };
            let Some(own_end) = (layer.varies)(input, &mut walk.facts) else {
                return false;
            };
            let own_end = layer.start.saturating_add(own_end);
            if own_end > at_hand {
                cut_at = Some((span.dissector, own_end, end));
            }
            end = own_end.min(end);
            if end < layer.payload {
                return false;
            }
            span.end = end;
        }
        if let Some((dissector, own_end, end)) = cut_at {
            let dissector = registry.dissector(dissector);
            walk.stop = Some(cut(dissector, own_end, end, captured));
        }
        self.latest.ends(end);
        let walk = &self.latest.walk;
        walk.facts.packet_id.is_some() == walk.packet_start.is_some()
            && walk.facts.hops.is_some() == self.counts_up
    }
}

/// A PDU ends behind what was captured, or behind the one around it, which ends at `end`.
#[cold]
fn cut(dissector: &'static Dissector, own_end: u32, end: u32, captured: u32) -> Stop {
    match own_end > end {
        true => stop(StopReason::Truncated, dissector, end, "payload"),
        false => stop(StopReason::Snapped, dissector, captured, "payload"),
    }
}

/// Where a frame ends.
fn whole(frame: &Frame<'_>) -> u32 {
    let captured = u32::try_from(frame.bytes.len()).unwrap_or(u32::MAX);
    frame.wire_len.max(captured)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Carries, Claim, Endpoint, Layer, LinkType, Next, Span, Table, Timestamp};

    const TOY: Table = Table::new("toy.kind");
    const LINK: LinkType = LinkType(4711);

    /// Who (2 bytes), kind, routers passed, length.
    static OUTER: Dissector = Dissector {
        name: "outer",
        claims: &[Claim::Exact(LINK.key())],
        conveys: true,
        carrier: Some("outer"),
        dissect: |input, facts| {
            let h: &[u8; 5] = input.bytes.first_chunk().unwrap();
            facts.from = Endpoint::mac([0, 0, 0, 0, h[0], h[1]]);
            facts.hops = Some(h[3]);
            Ok(Layer {
                header: 5,
                end: h[4].into(),
                next: Next::one(TOY.key(h[2].into())),
            })
        },
        steady: Some(Steady {
            decides: |_| {
                Some(Deciding {
                    mask: &[0xff, 0xff, 0xff],
                    whom: 0..2,
                })
            },
            varies: |input, facts| {
                let h: &[u8; 5] = input.bytes.first_chunk()?;
                facts.hops = Some(h[3]);
                // As if these were unusual.
                Some(h[4].into()).filter(|_| h[3] < 200)
            },
        }),
        ..Dissector::PLAIN
    };

    #[test]
    fn shorter_frames_have_zeros_behind_them() {
        let bytes: Vec<u8> = (1..64).collect();
        for length in 0..=bytes.len() {
            let mut expected = [0; WORDS * 8];
            expected[..length].copy_from_slice(&bytes[..length]);
            assert_eq!(padded(&bytes[..length]).as_flattened(), expected);
        }
    }

    /// One byte.
    static INNER: Dissector = Dissector {
        name: "inner",
        claims: &[Claim::Exact(TOY.key(1)), Claim::Signature(TOY, &[9])],
        conveys: true,
        dissect: |input, facts| {
            facts.carries = Carries::Stream;
            Ok(Layer::over(input, 1, Next::NONE))
        },
        steady: Some(Steady {
            decides: |_| {
                Some(Deciding {
                    mask: &[],
                    whom: 0..0,
                })
            },
            varies: |input, _| Some(input.length),
        }),
        ..Dissector::PLAIN
    };

    struct Walker(Registry, Templates, Walk);

    impl Walker {
        fn new() -> Self {
            static TOYS: [&Dissector; 2] = [&OUTER, &INNER];
            let registry = Registry::new(&TOYS).unwrap();
            Self(registry, Templates::default(), Walk::default())
        }

        /// Whether a template fits. Its walk is that in full.
        fn fits(&mut self, bytes: &[u8]) -> bool {
            let frame = Frame {
                at: Timestamp::default(),
                link: LINK,
                interface: 0,
                wire_len: 20,
                bytes,
            };
            let Self(registry, templates, full) = self;
            registry.walk(&frame, Depth::Handover, full);
            let short = registry.walk_by(templates, &frame);
            let shown = |walk: &Walk| {
                let mut walk = walk.clone();
                walk.template = None;
                let behind = walk.len;
                walk.spans[behind..].fill(Span::default());
                format!("{walk:?}")
            };
            assert_eq!(shown(short), shown(full));
            short.template.is_some()
        }
    }

    #[test]
    fn the_third_frame_fits_whatever_varies() {
        let mut walker = Walker::new();
        assert!(!walker.fits(&[0, 7, 1, 0, 10, 5, 5, 5, 5, 5]));
        assert!(!walker.fits(&[0, 7, 1, 0, 10, 5, 5, 5, 5, 5]));
        assert!(walker.fits(&[0, 7, 1, 3, 8, 6, 5, 5, 5, 5]));
        assert!(
            walker.fits(&[0, 7, 1, 3, 11, 6, 5, 5, 5, 5]),
            "cut by the capture"
        );
        assert!(
            walker.fits(&[0, 7, 1, 3, 33, 6, 5, 5, 5, 5]),
            "cut by the sender"
        );
        assert!(!walker.fits(&[0, 7, 1, 3, 5, 6]), "nothing within");
        assert!(!walker.fits(&[0, 7, 1, 3, 4, 6]), "shorter than the header");
        assert!(!walker.fits(&[0, 7, 1, 200, 8, 6, 5]), "unusual");
        assert!(!walker.fits(&[0, 8, 1, 3, 8, 6, 5]), "another sender");
        assert!(walker.fits(&[0, 7, 1, 3, 8, 6, 5]));
    }

    #[test]
    fn what_is_recognised_by_its_looks_makes_no_template() {
        let mut walker = Walker::new();
        for _ in 0..5 {
            assert!(!walker.fits(&[0, 7, 2, 0, 10, 9, 5, 5, 5, 5]));
            assert!(!walker.fits(&[0, 7, 3, 0, 10, 1, 5, 5, 5, 5]));
        }
    }

    #[test]
    fn a_flood_of_single_frames_makes_none_and_tables_do_not_grow() {
        let mut walker = Walker::new();
        for n in 0..20_000u16 {
            let [a, b] = n.to_be_bytes();
            walker.fits(&[a, b, 1, 0, 10, 5, 5, 5, 5, 5]);
        }
        let Walker(_, templates, _) = &walker;
        let made = templates.slots.iter().flatten().count();
        assert!(made < 5, "{made} templates");
        assert_eq!(templates.shapes.len(), 1);
        assert_eq!(templates.slots.len(), Templates::SLOTS);
    }
}

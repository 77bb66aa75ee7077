//! What the walk of a frame has that fits the template of an earlier one, and that one's has not: few bytes, which
//! another thread makes the same walk of.

use super::{LAYERS, TemplateId, Templates};
use crate::{Carries, Depth, Frame, Order, Registry, Span, Stop, Walk};

/// What is its own in a walk by a template whose walk is known: all that a dissector may [vary](super::Steady).
#[derive(Clone, Copy, Debug)]
pub struct Repeat {
    template: TemplateId,
    /// Where its layers end.
    ends: [u32; LAYERS],
    order: Order,
    carries: Carries,
    packet_id: Option<u16>,
    hops: Option<u8>,
    stop: Option<Stop>,
}

impl Walk {
    /// What is its own in it, where it is one by a template.
    #[must_use]
    #[inline]
    pub fn repeat(&self) -> Option<Repeat> {
        let template = self.template?;
        let mut ends = [0; LAYERS];
        for (end, span) in ends.iter_mut().zip(self.spans()) {
            *end = span.end;
        }
        Some(Repeat {
            template,
            ends,
            order: self.facts.order,
            carries: self.facts.carries,
            packet_id: self.facts.packet_id,
            hops: self.facts.hops,
            stop: self.stop,
        })
    }
}

impl Repeat {
    /// The template that the frame fits.
    #[must_use]
    pub const fn template(&self) -> TemplateId {
        self.template
    }
}

/// A walk whose layers end elsewhere from frame to frame.
#[derive(Clone, Debug)]
pub(super) struct Varying {
    pub(super) walk: Walk,
    /// Which of the layers these are, if there are such.
    carrier: usize,
    counted: usize,
}

impl Varying {
    /// None where the walk is not what its layers make it.
    pub(super) fn new(walk: Walk) -> Option<Self> {
        let at = |found: Option<Span>| match found {
            Some(found) => walk.spans().iter().position(|s| s.start == found.start),
            None => Some(usize::MAX),
        };
        Some(Self {
            carrier: at(walk.carrier)?,
            counted: at(walk.counted)?,
            walk,
        })
    }

    #[inline]
    fn fill(&mut self, repeat: &Repeat) -> &Walk {
        let walk = &mut self.walk;
        let mut last = 0;
        for (span, end) in walk.spans[..walk.len.min(LAYERS)]
            .iter_mut()
            .zip(repeat.ends)
        {
            span.end = end;
            last = end;
        }
        walk.stop = repeat.stop;
        walk.facts.order = repeat.order;
        walk.facts.carries = repeat.carries;
        walk.facts.packet_id = repeat.packet_id;
        walk.facts.hops = repeat.hops;
        self.ends(last);
        &self.walk
    }

    /// The ends of its layers were set, the last one to this: so are those that follow from them.
    #[inline]
    pub(super) fn ends(&mut self, last: u32) {
        let walk = &mut self.walk;
        if let Some(message) = &mut walk.message {
            message.end = last;
        }
        if let (Some(carrier), Some(span)) = (&mut walk.carrier, walk.spans.get(self.carrier)) {
            carrier.end = span.end;
        }
        if let (Some(counted), Some(span)) = (&mut walk.counted, walk.spans.get(self.counted)) {
            counted.end = span.end;
        }
    }
}

/// Walks by their templates, for a thread that gets each whole once, and then [what is its own](Repeat) in further
/// ones. Of fixed size, as [`Templates`] are.
#[derive(Debug)]
pub struct KnownWalks {
    slots: Vec<Option<Box<Varying>>>,
    /// The walk of a frame whose template is not known.
    full: Walk,
}

impl Default for KnownWalks {
    fn default() -> Self {
        Self {
            slots: std::iter::repeat_with(|| None)
                .take(Templates::SLOTS)
                .collect(),
            full: Walk::default(),
        }
    }
}

impl KnownWalks {
    /// The next ones with its template are like this walk.
    pub fn keep(&mut self, walk: &Walk) {
        if let Some(template) = walk.template
            && let Some(place) = self.slots.get_mut(template.slot())
        {
            *place = Varying::new(walk.clone()).map(Box::new);
        }
    }

    /// The walk of the frame of which this was made.
    #[inline]
    pub fn again(&mut self, repeat: &Repeat, registry: &Registry, frame: &Frame<'_>) -> &Walk {
        let Self { slots, full } = self;
        let known = slots.get_mut(repeat.template.slot());
        let known = known.and_then(Option::as_deref_mut);
        match known.filter(|known| known.walk.template == Some(repeat.template)) {
            Some(known) => known.fill(repeat),
            None => anew(full, registry, frame),
        }
    }

    /// The walk of a frame of which nothing is known.
    pub fn anew(&mut self, registry: &Registry, frame: &Frame<'_>) -> &Walk {
        anew(&mut self.full, registry, frame)
    }
}

#[cold]
fn anew<'a>(full: &'a mut Walk, registry: &Registry, frame: &Frame<'_>) -> &'a Walk {
    registry.walk(frame, Depth::Handover, full);
    full
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Dissector, LinkType, Templates, Timestamp};

    /// Who is not told of a template walks its frames in full, and so says the same.
    #[test]
    fn what_is_not_known_is_walked_in_full() {
        static NONE: [&Dissector; 0] = [];
        let registry = Registry::new(&NONE).unwrap();
        let mut known = KnownWalks::default();
        let bytes = [0; 20];
        let frame = Frame {
            at: Timestamp::default(),
            link: LinkType(4711),
            interface: 0,
            wire_len: 20,
            bytes: &bytes,
        };
        let mut full = Walk::default();
        registry.walk(&frame, Depth::Handover, &mut full);
        let repeat = Repeat {
            template: TemplateId::next(Templates::SLOTS - 1).unwrap(),
            ends: [0; LAYERS],
            order: Order::None,
            carries: Carries::Stream,
            packet_id: None,
            hops: None,
            stop: None,
        };
        let walk = known.again(&repeat, &registry, &frame);
        assert_eq!(format!("{walk:?}"), format!("{full:?}"));
        assert_eq!(walk.template, None);
    }
}

//! How many frames contain each protocol.
//!
//! Frames with one template have the same layers. They are counted together, and what that makes
//! for each protocol is found when somebody asks.

use wirewait_wire::{DissectorId, TemplateId, Templates, Walk};

/// Counts frames by protocol.
pub(crate) struct Protocols {
    /// Each protocol, without frames that are counted by their templates.
    all: Vec<ProtocolFrames>,
    templates: Vec<TemplateFrames>,
    /// The latest frame whose layers were counted by its template, and where.
    counted: (u64, usize),
}

/// Frames that contain a protocol.
#[derive(Clone, Copy, Default)]
struct ProtocolFrames {
    count: u64,
    /// The latest of them.
    latest: u64,
}

/// Frames with one template.
#[derive(Clone, Default)]
struct TemplateFrames {
    /// The number of that; 0 for none.
    of: u64,
    frames: u64,
    /// What is in each of them, once.
    protocols: Vec<DissectorId>,
}

impl Protocols {
    /// For this number of dissectors.
    pub(crate) fn new(protocols: usize) -> Self {
        Self {
            all: vec![ProtocolFrames::default(); protocols],
            templates: vec![TemplateFrames::default(); Templates::SLOTS],
            counted: (0, 0),
        }
    }

    /// The layers of the frame with this number, which is above 0.
    #[inline]
    pub(crate) fn seen(&mut self, frame: u64, walk: &Walk) {
        if let Some(template) = walk.template {
            let at = template.slot();
            if let Some(known) = self.templates.get_mut(at)
                && known.of == template.number()
            {
                known.frames += 1;
                self.counted = (frame, at);
                return;
            }
            self.meet(template, walk);
        }
        for id in layers(walk) {
            self.count(frame, id);
        }
    }

    /// The frame with this number completes a message of this protocol.
    #[inline]
    pub(crate) fn completes(&mut self, frame: u64, id: DissectorId) {
        if self.counted.0 == frame && self.templates[self.counted.1].protocols.contains(&id) {
            return;
        }
        self.count(frame, id);
    }

    /// Frames with each protocol, in the order of the dissectors.
    pub(crate) fn frames(&self) -> Vec<u64> {
        let mut frames: Vec<u64> = self.all.iter().map(|protocol| protocol.count).collect();
        for template in &self.templates {
            for id in &template.protocols {
                if let Some(frames) = frames.get_mut(usize::from(id.0)) {
                    *frames += template.frames;
                }
            }
        }
        frames
    }

    /// The next frames with this template are counted by it.
    #[cold]
    #[inline(never)]
    fn meet(&mut self, template: TemplateId, walk: &Walk) {
        let Some(place) = self.templates.get_mut(template.slot()) else {
            return;
        };
        for id in &place.protocols {
            if let Some(protocol) = self.all.get_mut(usize::from(id.0)) {
                protocol.count += place.frames;
            }
        }
        place.of = template.number();
        place.frames = 0;
        place.protocols.clear();
        for id in layers(walk) {
            if !place.protocols.contains(&id) {
                place.protocols.push(id);
            }
        }
    }

    /// Counts each protocol once for a frame.
    fn count(&mut self, frame: u64, id: DissectorId) {
        if let Some(protocol) = self.all.get_mut(usize::from(id.0))
            && protocol.latest != frame
        {
            protocol.latest = frame;
            protocol.count += 1;
        }
    }
}

/// What a frame contains by itself.
fn layers(walk: &Walk) -> impl Iterator<Item = DissectorId> {
    let spans = walk.spans().iter().chain(&walk.message);
    spans.map(|span| span.dissector)
}

#[cfg(test)]
mod tests {
    use super::*;
    use wirewait_wire::{
        Claim, Deciding, Dissector, Frame, Layer, LinkType, Next, Registry, Steady, Table,
        Templates, Timestamp,
    };

    const LINK: LinkType = LinkType(4711);
    const KIND: Table = Table::new("toy.kind");

    /// Who (2 bytes), and what comes next.
    static OUTER: Dissector = Dissector {
        name: "outer",
        claims: &[Claim::Exact(LINK.key())],
        conveys: true,
        dissect: |input, _| {
            Ok(Layer {
                header: 3,
                end: input.length,
                next: Next::one(KIND.key(input.bytes[2].into())),
            })
        },
        steady: Some(Steady {
            decides: |_| {
                Some(Deciding {
                    mask: &[0xff, 0xff, 0xff],
                    whom: 0..2,
                })
            },
            varies: |input, _| Some(input.length),
        }),
        ..Dissector::PLAIN
    };

    static INNER: Dissector = Dissector {
        name: "inner",
        claims: &[Claim::Exact(KIND.key(1))],
        conveys: true,
        dissect: |input, _| {
            Ok(Layer {
                header: 1,
                end: input.length,
                next: Next::NONE,
            })
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

    static MESSAGE: Dissector = Dissector {
        name: "message",
        ..Dissector::PLAIN
    };

    static ALL: &[&Dissector] = &[&OUTER, &INNER, &MESSAGE];

    /// More senders than there are templates, four frames of each, of which every second sender
    /// sends both layers: all are counted, also those of templates that others pushed out; and a
    /// message that a frame completes counts unless its protocol is one of the layers.
    #[test]
    fn frames_count_once_however_their_layers_are_known() {
        let registry = Registry::new(ALL).unwrap();
        let id = |name: &str| {
            let mut all = registry.dissectors().iter();
            DissectorId(u16::try_from(all.position(|d| d.name == name).unwrap()).unwrap())
        };
        let (inner, message) = (id("inner"), id("message"));
        let mut templates = Templates::default();
        let mut protocols = Protocols::new(3);
        let (mut frame, mut by_template) = (0, 0);
        for sender in 0..10_000u16 {
            let [high, low] = sender.to_be_bytes();
            for _ in 0..4 {
                frame += 1;
                let walk = registry.walk_by(
                    &mut templates,
                    &Frame {
                        at: Timestamp::from_nanos(0),
                        link: LINK,
                        interface: 0,
                        wire_len: 64,
                        bytes: &[[high, low, low % 2, 0].as_slice(), &[0; 60]].concat(),
                    },
                );
                assert_eq!(walk.spans().len(), 1 + usize::from(low % 2));
                by_template += u64::from(walk.template.is_some());
                protocols.seen(frame, walk);
                protocols.completes(frame, inner);
                protocols.completes(frame, message);
                protocols.completes(frame, message);
            }
        }
        assert!(by_template >= 10_000, "{by_template}");
        assert_eq!(protocols.frames(), [40_000, 40_000, 40_000]);
        // A copy of a frame: its layers count for nobody.
        protocols.completes(frame + 1, inner);
        assert_eq!(protocols.frames(), [40_000, 40_001, 40_000]);
    }

    /// Without a template as yet, frames are told apart by their numbers.
    #[test]
    fn a_frame_that_is_seen_twice_counts_once() {
        let registry = Registry::new(ALL).unwrap();
        let bytes = [0, 1, 1, 0, 0];
        let frame = Frame {
            at: Timestamp::from_nanos(0),
            link: LINK,
            interface: 0,
            wire_len: 5,
            bytes: &bytes,
        };
        let mut templates = Templates::default();
        let mut protocols = Protocols::new(3);
        protocols.seen(1, registry.walk_by(&mut templates, &frame));
        protocols.seen(1, registry.walk_by(&mut templates, &frame));
        assert_eq!(protocols.frames(), [1, 1, 0]);
    }
}

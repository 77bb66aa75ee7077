//! Walks the layers of a frame, or of a message that was put together from several.

use crate::stop::{judge, stop};
use crate::{
    Address, Carries, DissectorId, Facts, Frame, Framing, Input, Next, Registry, Routed, Stop,
    StopReason, TemplateId,
};

/// More layers than any frame of these protocols has; a deeper one is malformed.
pub const MAX_LAYERS: usize = 24;

/// How far a walk goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// To where the analysis takes over: a byte stream, a segment, or the first layer that
    /// is a message of requests and responses.
    Handover,
    /// To the innermost layer that this frame alone shows; for decoding.
    Full,
}

/// One layer of a walked frame. Positions count from the start of the frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// Whose layer it is.
    pub dissector: DissectorId,
    /// Where its header begins.
    pub start: u32,
    /// Where its payload begins.
    pub payload: u32,
    /// Where it ends by its own account; may lie behind what was captured.
    pub end: u32,
}

/// The result of walking one frame. Reused from frame to frame, so that walking
/// allocates nothing.
#[derive(Clone, Debug)]
pub struct Walk {
    pub(crate) spans: [Span; MAX_LAYERS],
    pub(crate) len: usize,
    /// What the layers mean together.
    pub facts: Facts,
    /// Why the walk ended early, if it did.
    pub stop: Option<Stop>,
    /// What the payload of the last layer goes by.
    pub next: Next,
    /// The message of requests and responses that the walk was handed over at: who reads
    /// it, and where it begins and ends (`start` and `payload` are the same).
    pub message: Option<Span>,
    /// Who sent it and to whom, as its link knows them: the innermost, where a tunnel or a mirror
    /// carries whole frames. [`Facts::from`] and [`Facts::to`] may be far behind routers.
    pub neighbours: (Address, Address),
    /// The layer that counts the routers that its packets passed: up ([`Facts::hops`]), if there is one, or
    /// the outermost that counts [down](crate::Routed).
    pub counted: Option<Span>,
    /// What routers change in that layer, where that is known.
    pub routed: Option<&'static Routed>,
    /// The innermost of the layers that have a [name as a carrier](crate::Dissector::carrier).
    pub carrier: Option<Span>,
    /// Where the layer begins that identifies its packets ([`Facts::packet_id`]).
    pub packet_start: Option<u32>,
    /// From which byte of the frame to before which there are [tags](crate::Dissector::tag); (0, 0) without.
    pub tags: (u32, u32),
    /// The layer at which the walk stopped because its header could not be read (`start` and
    /// `payload` are the same); it is none of the [`Walk::spans`].
    pub unread: Option<Span>,
    /// The [template](crate::Templates) of an earlier frame by which it was walked.
    pub template: Option<TemplateId>,
    /// How many of the layers were read before the bytes of a stream were searched for
    /// messages.
    pub(crate) nested: usize,
    /// How many of the layers there are down to the one that carries a stream, or pieces of
    /// messages.
    pub(crate) carriers: usize,
    pub(crate) ending: Ending,
}

/// Whether the layers and where the walk ended follow from headers alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Ending {
    /// They do.
    Sure,
    /// Something was recognised by how its bytes look, or not recognised, or not read.
    #[default]
    Unsure,
}

impl Default for Walk {
    fn default() -> Self {
        Self {
            spans: [Span::default(); MAX_LAYERS],
            len: 0,
            facts: Facts::default(),
            stop: None,
            next: Next::NONE,
            message: None,
            neighbours: (Address::None, Address::None),
            packet_start: None,
            counted: None,
            routed: None,
            carrier: None,
            tags: (0, 0),
            unread: None,
            template: None,
            nested: 0,
            carriers: 0,
            ending: Ending::Unsure,
        }
    }
}

impl Walk {
    /// The layers, outermost first.
    #[must_use]
    pub fn spans(&self) -> &[Span] {
        &self.spans[..self.len]
    }

    /// Those of the layers that lie one in the payload of the other. The ones behind them are
    /// messages that a stream segment begins with, one after the other, each with its framing.
    #[must_use]
    pub fn nested(&self) -> &[Span] {
        &self.spans[..self.nested.min(self.len)]
    }

    /// The layers down to the one that carries a stream, or pieces of messages: what lies in
    /// its payload is known for certain only when the messages were put together. All of
    /// them, if there is none.
    #[must_use]
    pub fn carriers(&self) -> &[Span] {
        match self.carriers {
            0 => self.spans(),
            n => &self.spans[..n.min(self.len)],
        }
    }

    /// The innermost layer.
    #[must_use]
    pub fn last(&self) -> Option<Span> {
        self.spans().last().copied()
    }

    /// The payload of the innermost layer, as far as it was captured, with its true length.
    #[must_use]
    pub fn payload<'a>(&self, frame: &Frame<'a>) -> Input<'a> {
        self.last().map_or(
            Input {
                bytes: &[],
                length: 0,
            },
            |s| slice(frame, s.payload, s.end),
        )
    }

    /// The bytes of a layer with its header, as far as they were captured.
    #[must_use]
    pub fn bytes<'a>(&self, frame: &Frame<'a>, span: Span) -> Input<'a> {
        slice(frame, span.start, span.end)
    }

    /// Whether a layer carries a stream, or pieces of messages.
    #[must_use]
    pub fn carries_pieces(&self) -> bool {
        self.carriers > 0
    }

    /// Makes it a copy of another one.
    pub fn copy(&mut self, other: &Self) {
        let Self { spans, .. } = other;
        let behind = other.len.min(MAX_LAYERS);
        self.spans[..behind].copy_from_slice(&spans[..behind]);
        self.len = other.len;
        self.facts = other.facts;
        self.stop = other.stop;
        self.next = other.next;
        self.message = other.message;
        self.neighbours = other.neighbours;
        self.packet_start = other.packet_start;
        self.counted = other.counted;
        self.routed = other.routed;
        self.carrier = other.carrier;
        self.tags = other.tags;
        self.unread = other.unread;
        self.template = other.template;
        self.nested = other.nested;
        self.carriers = other.carriers;
        self.ending = other.ending;
    }

    fn reset(&mut self) {
        self.len = 0;
        self.facts = Facts::default();
        self.stop = None;
        self.next = Next::NONE;
        self.message = None;
        self.neighbours = (Address::None, Address::None);
        self.packet_start = None;
        self.counted = None;
        self.routed = None;
        self.carrier = None;
        self.tags = (0, 0);
        self.unread = None;
        self.template = None;
        self.nested = 0;
        self.carriers = 0;
        self.ending = Ending::Unsure;
    }

    /// A link begins in the packet of another: the frame went through a tunnel, or was mirrored, and what
    /// stands before it is none of that frame's.
    #[cold]
    fn begins_anew(&mut self) {
        self.neighbours = (self.facts.from.address, self.facts.to.address);
        self.packet_start = None;
        self.counted = None;
        self.routed = None;
        self.tags = (0, 0);
        self.facts.packet_id = None;
        self.facts.flow_label = 0;
        self.facts.hops = None;
    }

    fn push(&mut self, span: Span) {
        if let Some(place) = self.spans.get_mut(self.len) {
            *place = span;
            self.len += 1;
        }
    }
}

pub(crate) fn slice<'a>(frame: &Frame<'a>, start: u32, end: u32) -> Input<'a> {
    let captured = frame.bytes.len().min(end as usize);
    Input {
        bytes: frame
            .bytes
            .get(start as usize..captured)
            .unwrap_or_default(),
        length: end.saturating_sub(start),
    }
}

impl Registry {
    /// Walks the layers of `frame` into `walk`.
    pub fn walk(&self, frame: &Frame<'_>, depth: Depth, walk: &mut Walk) {
        walk.reset();
        let mut start = 0;
        let mut end = frame
            .wire_len
            .max(u32::try_from(frame.bytes.len()).unwrap_or(u32::MAX));
        walk.next = Next::one(frame.link.key());
        walk.ending = Ending::Sure;
        let mut counts_up = false;
        loop {
            let input = slice(frame, start, end);
            let id = match self.claimed(&walk.next) {
                Some((_, id)) => id,
                None => {
                    walk.ending = Ending::Unsure;
                    let Some(id) = self.recognise(&walk.next, input.bytes) else {
                        return;
                    };
                    id
                }
            };
            let dissector = self.dissector(id);
            if depth == Depth::Handover && dissector.exchange.is_some() && !dissector.conveys {
                walk.facts.carries = Carries::Message;
                walk.message = Some(Span {
                    dissector: id,
                    start,
                    payload: start,
                    end,
                });
                return;
            }
            if walk.len == MAX_LAYERS {
                walk.ending = Ending::Unsure;
                walk.stop = Some(stop(
                    StopReason::Malformed,
                    dissector,
                    start,
                    "too many layers",
                ));
                return;
            }
            // By reference: to copy what was written just now would wait until it is stored.
            let outcome = (dissector.dissect)(input, &mut walk.facts);
            let layer = match &outcome {
                Ok(layer) => layer,
                Err(fault) => {
                    walk.ending = Ending::Unsure;
                    walk.stop = Some(judge(*fault, dissector, start, input));
                    walk.unread = Some(Span {
                        dissector: id,
                        start,
                        payload: start,
                        end,
                    });
                    return;
                }
            };
            if walk.len == 0 {
                walk.neighbours = (walk.facts.from.address, walk.facts.to.address);
            } else if dissector.medium.is_some() {
                walk.begins_anew();
                counts_up = false;
            }
            if walk.packet_start.is_none() && walk.facts.packet_id.is_some() {
                walk.packet_start = Some(start);
            }
            let payload = start.saturating_add(layer.header.min(layer.end)).min(end);
            let own_end = start.saturating_add(layer.end);
            let span = Span {
                dissector: id,
                start,
                payload,
                end: own_end.min(end),
            };
            walk.push(span);
            if dissector.tag {
                let (from, to) = (start.saturating_sub(2), payload.saturating_sub(2));
                walk.tags = match walk.tags {
                    (first, end) if end == from && end > 0 => (first, to),
                    _ => (from, to),
                };
            }
            if dissector.carrier.is_some() {
                walk.carrier = Some(span);
            }
            if !counts_up
                && (walk.facts.hops.is_some()
                    || walk.counted.is_none() && dissector.routed.is_some())
            {
                walk.counted = Some(span);
                walk.routed = dissector.routed;
                counts_up = walk.facts.hops.is_some();
            }
            walk.nested = walk.len;
            if own_end > end {
                walk.stop = Some(stop(StopReason::Truncated, dissector, end, "payload"));
            } else if own_end as usize > frame.bytes.len() {
                let cut = u32::try_from(frame.bytes.len()).unwrap_or(u32::MAX);
                walk.stop = Some(stop(StopReason::Snapped, dissector, cut, "payload"));
            }
            end = own_end.min(end);
            start = payload;
            walk.next = layer.next;
            if walk.carriers == 0
                && matches!(walk.facts.carries, Carries::Stream | Carries::Segment(_))
            {
                walk.carriers = walk.len;
            }
            // Behind a header that was cut there is nothing to walk.
            if payload as usize > frame.bytes.len() && depth == Depth::Full {
                return;
            }
            match walk.facts.carries {
                Carries::Message if depth == Depth::Handover => {
                    walk.ending = Ending::Unsure;
                    walk.message = walk.last();
                    return;
                }
                Carries::Stream => {
                    if depth == Depth::Full {
                        self.walk_stream(frame, start, end, layer.next, walk);
                    }
                    return;
                }
                Carries::Segment(_)
                | Carries::Ack(_)
                | Carries::Accepted(_)
                | Carries::Overrun(_)
                | Carries::Control
                | Carries::Turn(_)
                    if depth == Depth::Handover =>
                {
                    return;
                }
                _ => {}
            }
            if walk.next.is_none() {
                return;
            }
        }
    }

    /// Walks the layers of a message that this dissector reads, wherever it came from.
    /// Positions count from its first byte.
    pub fn walk_from(&self, reader: DissectorId, message: Input<'_>, walk: &mut Walk) {
        walk.reset();
        let frame = Frame {
            at: crate::Timestamp::default(),
            link: crate::LinkType(u16::MAX),
            interface: 0,
            wire_len: message.length,
            bytes: message.bytes,
        };
        let end = message.length;
        self.walk_message(&frame, 0, end, end, Some(reader), walk);
        walk.nested = walk.len;
    }

    /// The messages of a stream segment that begin at its start, one after the other.
    fn walk_stream(&self, frame: &Frame<'_>, start: u32, end: u32, next: Next, walk: &mut Walk) {
        let mut at = start;
        while at < end && walk.len < MAX_LAYERS {
            let input = slice(frame, at, end);
            let Some(id) = self.resolve(&next, input.bytes) else {
                return;
            };
            let framer = self.dissector(id);
            let Some(framing) = framer.framing else {
                return;
            };
            let Framing::Message {
                header,
                length,
                next: inner,
            } = framing(input.bytes)
            else {
                return;
            };
            let payload = at.saturating_add(header);
            let message_end = payload.saturating_add(length);
            // Zeros of file data look like empty messages; a real one has the segment to itself.
            if length == 0 && message_end < end {
                return;
            }
            walk.push(Span {
                dissector: id,
                start: at,
                payload,
                end: message_end,
            });
            let message = slice(frame, payload, message_end);
            let reader = self.resolve(&inner, message.bytes);
            if !self.walk_message(frame, payload, message_end, end, reader, walk) {
                return;
            }
            if message_end <= at {
                return;
            }
            at = message_end;
        }
    }

    /// The layers of one message of a stream, of which the frame holds the bytes up to
    /// `frame_end`; false if one could not be read, so that nothing behind it can either.
    fn walk_message(
        &self,
        frame: &Frame<'_>,
        mut start: u32,
        end: u32,
        frame_end: u32,
        mut reader: Option<DissectorId>,
        walk: &mut Walk,
    ) -> bool {
        while let Some(id) = reader
            && walk.len < MAX_LAYERS
        {
            let input = slice(frame, start, end);
            let dissector = self.dissector(id);
            match (dissector.dissect)(input, &mut walk.facts) {
                Ok(layer) => {
                    let own_end = start.saturating_add(layer.end).min(end);
                    let payload = start.saturating_add(layer.header).min(own_end);
                    walk.push(Span {
                        dissector: id,
                        start,
                        payload,
                        end: own_end,
                    });
                    start = payload;
                    reader = self.resolve(&layer.next, slice(frame, start, end).bytes);
                }
                Err(fault) => {
                    // The rest of the message may stand in the next segment.
                    if end <= frame_end {
                        walk.stop = Some(judge(fault, dissector, start, input));
                    }
                    walk.unread = Some(Span {
                        dissector: id,
                        start,
                        payload: start,
                        end,
                    });
                    return false;
                }
            }
        }
        true
    }
}

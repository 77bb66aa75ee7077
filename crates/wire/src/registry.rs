//! Finds the dissector for a payload and walks the layers of a frame.

use crate::{
    Asked, Carries, Claim, Dissector, Facts, Fault, Field, Fields, Frame, Framing, Input, Key,
    Layout, Next, Stop, StopReason,
};
use std::fmt;
use std::sync::Arc;

/// More layers than any frame of these protocols has; a deeper one is malformed.
pub const MAX_LAYERS: usize = 24;

/// The place of a dissector in the registry's list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DissectorId(pub u16);

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
#[derive(Clone, Copy, Debug, Default)]
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
    spans: [Span; MAX_LAYERS],
    len: usize,
    /// What the layers mean together.
    pub facts: Facts,
    /// Why the walk ended early, if it did.
    pub stop: Option<Stop>,
    /// What the payload of the last layer goes by.
    pub next: Next,
    /// The message of requests and responses that the walk was handed over at: who reads
    /// it, and where it begins and ends (`start` and `payload` are the same).
    pub message: Option<Span>,
    /// Where the layer begins that identifies its packets ([`Facts::packet_id`]).
    pub packet_start: Option<u32>,
    /// The layer at which the walk stopped because its header could not be read (`start` and
    /// `payload` are the same); it is none of the [`Walk::spans`].
    pub unread: Option<Span>,
    /// How many of the layers were read before the bytes of a stream were searched for
    /// messages.
    nested: usize,
    /// How many of the layers there are down to the one that carries a stream, or pieces of
    /// messages.
    carriers: usize,
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
            packet_start: None,
            unread: None,
            nested: 0,
            carriers: 0,
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

    fn reset(&mut self) {
        self.len = 0;
        self.facts = Facts::default();
        self.stop = None;
        self.next = Next::NONE;
        self.message = None;
        self.packet_start = None;
        self.unread = None;
        self.nested = 0;
        self.carriers = 0;
    }

    fn push(&mut self, span: Span) {
        if let Some(place) = self.spans.get_mut(self.len) {
            *place = span;
            self.len += 1;
        }
    }
}

fn slice<'a>(frame: &Frame<'a>, start: u32, end: u32) -> Input<'a> {
    let captured = frame.bytes.len().min(end as usize);
    Input {
        bytes: frame
            .bytes
            .get(start as usize..captured)
            .unwrap_or_default(),
        length: end.saturating_sub(start),
    }
}

/// Two claims on the same payload, or two tables with one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The one dissector.
    pub one: &'static str,
    /// The other.
    pub other: &'static str,
    /// The table.
    pub table: &'static str,
    /// The value in it, where the claims are exact.
    pub value: u32,
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} and {} both claim {:#x} in table {}",
            self.one, self.other, self.value, self.table
        )
    }
}

impl std::error::Error for Conflict {}

#[derive(Clone, Copy)]
struct Exact {
    table: u32,
    value: u32,
    dissector: DissectorId,
}

struct Probe {
    table: u32,
    accepts: fn(&[u8]) -> bool,
    dissector: DissectorId,
}

/// All dissectors, indexed by their claims.
pub struct Registry {
    dissectors: &'static [&'static Dissector],
    /// Open addressing, a power of two in size, at most half full.
    exact: Vec<Option<Exact>>,
    signatures: Vec<(u32, &'static [u8], DissectorId)>,
    probes: Vec<Probe>,
    layouts: Vec<(DissectorId, Arc<Layout>)>,
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(self.dissectors.iter().map(|d| d.name))
            .finish()
    }
}

impl Registry {
    /// Indexes the claims of these dissectors.
    ///
    /// # Errors
    /// A [`Conflict`] when two of them claim the same.
    pub fn new(dissectors: &'static [&'static Dissector]) -> Result<Self, Conflict> {
        let claims = dissectors.iter().map(|d| d.claims.len()).sum::<usize>();
        let mut registry = Self {
            dissectors,
            exact: vec![None; (claims * 2).next_power_of_two().max(16)],
            signatures: Vec::new(),
            probes: Vec::new(),
            layouts: Vec::new(),
        };
        let mut tables: Vec<(crate::Table, &'static str)> = Vec::new();
        for (number, dissector) in (0u16..).zip(dissectors.iter()) {
            let id = DissectorId(number);
            for claim in dissector.claims {
                let (table, value) = match *claim {
                    Claim::Exact(key) => (key.table, key.value),
                    Claim::Signature(table, _) | Claim::Probe(table, _) => (table, u32::MAX),
                };
                if let Some((_, other)) = tables
                    .iter()
                    .find(|(t, _)| t.id() == table.id() && t.name() != table.name())
                {
                    return Err(conflict(dissector.name, other, table, value));
                }
                tables.push((table, dissector.name));
                match *claim {
                    Claim::Exact(key) => registry.insert(key, id, dissector.name)?,
                    Claim::Signature(table, prefix) => {
                        registry.signatures.push((table.id(), prefix, id));
                    }
                    Claim::Probe(table, accepts) => registry.probes.push(Probe {
                        table: table.id(),
                        accepts,
                        dissector: id,
                    }),
                }
            }
        }
        Ok(registry)
    }

    /// All dissectors, in the order of their [`DissectorId`]s.
    #[must_use]
    pub fn dissectors(&self) -> &'static [&'static Dissector] {
        self.dissectors
    }

    /// The dissector with this number. Numbers come from this registry only; another
    /// registry's number gives the first dissector at worst.
    #[must_use]
    pub fn dissector(&self, id: DissectorId) -> &'static Dissector {
        self.dissectors[usize::from(id.0).min(self.dissectors.len().saturating_sub(1))]
    }

    /// Shows the fields of the dissector with this name by another table than its own. Says
    /// whether there is such a dissector.
    pub fn set_layout(&mut self, name: &str, layout: Layout) -> bool {
        let Some(id) = (0u16..)
            .zip(self.dissectors)
            .find(|(_, dissector)| dissector.name == name)
            .map(|(number, _)| DissectorId(number))
        else {
            return false;
        };
        self.layouts.retain(|(other, _)| *other != id);
        self.layouts.push((id, Arc::new(layout)));
        true
    }

    /// The fields of a PDU of this dissector; `asked` is the request that it answers, where
    /// that is known.
    #[must_use]
    pub fn fields<'a>(
        &self,
        id: DissectorId,
        input: Input<'a>,
        asked: Option<Asked>,
    ) -> Vec<Field<'a>> {
        let layout = self.layouts.iter().find(|(other, _)| *other == id);
        let layout = layout.map(|(_, layout)| Arc::clone(layout));
        let mut fields = Fields::new(input, asked).with_layout(layout);
        // Where the bytes end too early the fields say so themselves.
        let _ = (self.dissector(id).fields)(&mut fields);
        fields.finish()
    }

    /// Who reads a payload that goes by `next` and looks like `bytes`: exact claims first,
    /// in the order of the keys, then signatures, then probes.
    #[must_use]
    pub fn resolve(&self, next: &Next, bytes: &[u8]) -> Option<DissectorId> {
        next.keys()
            .find_map(|key| self.find(key))
            .or_else(|| self.recognise(next, bytes))
    }

    /// Who reads a payload that looks like `bytes`, whatever it goes by: signatures before
    /// probes.
    #[must_use]
    pub fn recognise(&self, next: &Next, bytes: &[u8]) -> Option<DissectorId> {
        next.keys()
            .find_map(|key| {
                self.signatures
                    .iter()
                    .find(|(t, prefix, _)| *t == key.table.id() && bytes.starts_with(prefix))
                    .map(|s| s.2)
            })
            .or_else(|| {
                next.keys().find_map(|key| {
                    self.probes
                        .iter()
                        .find(|p| p.table == key.table.id() && (p.accepts)(bytes))
                        .map(|p| p.dissector)
                })
            })
    }

    /// Which of the keys a dissector claims exactly, and who that is.
    #[must_use]
    pub fn claimed(&self, next: &Next) -> Option<(Key, DissectorId)> {
        next.keys()
            .find_map(|key| self.find(key).map(|id| (key, id)))
    }

    /// Walks the layers of `frame` into `walk`.
    pub fn walk(&self, frame: &Frame<'_>, depth: Depth, walk: &mut Walk) {
        walk.reset();
        let mut start = 0;
        let mut end = frame
            .wire_len
            .max(u32::try_from(frame.bytes.len()).unwrap_or(u32::MAX));
        let mut next = Next::one(frame.link.key());
        loop {
            let input = slice(frame, start, end);
            walk.next = next;
            let Some(id) = self.resolve(&next, input.bytes) else {
                return;
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
                walk.stop = Some(stop(
                    StopReason::Malformed,
                    dissector,
                    start,
                    "too many layers",
                ));
                return;
            }
            let layer = match (dissector.dissect)(input, &mut walk.facts) {
                Ok(layer) => layer,
                Err(fault) => {
                    walk.stop = Some(judge(fault, dissector, start, input));
                    walk.unread = Some(Span {
                        dissector: id,
                        start,
                        payload: start,
                        end,
                    });
                    return;
                }
            };
            if walk.packet_start.is_none() && walk.facts.packet_id.is_some() {
                walk.packet_start = Some(start);
            }
            let payload = start.saturating_add(layer.header.min(layer.end)).min(end);
            let own_end = start.saturating_add(layer.end);
            walk.push(Span {
                dissector: id,
                start,
                payload,
                end: own_end.min(end),
            });
            walk.nested = walk.len;
            if own_end > end {
                walk.stop = Some(stop(StopReason::Truncated, dissector, end, "payload"));
            } else if own_end as usize > frame.bytes.len() {
                let cut = u32::try_from(frame.bytes.len()).unwrap_or(u32::MAX);
                walk.stop = Some(stop(StopReason::Snapped, dissector, cut, "payload"));
            }
            end = own_end.min(end);
            start = payload;
            next = layer.next;
            walk.next = next;
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
                    walk.message = walk.last();
                    return;
                }
                Carries::Stream => {
                    if depth == Depth::Full {
                        self.walk_stream(frame, start, end, next, walk);
                    }
                    return;
                }
                Carries::Segment(_)
                | Carries::Ack(_)
                | Carries::Accepted(_)
                | Carries::Control
                | Carries::Turn(_)
                    if depth == Depth::Handover =>
                {
                    return;
                }
                _ => {}
            }
            if next.is_none() {
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

    fn find(&self, key: Key) -> Option<DissectorId> {
        let mask = self.exact.len() - 1;
        let mut at = slot(key.table.id(), key.value) & mask;
        while let Some(entry) = self.exact[at] {
            if entry.table == key.table.id() && entry.value == key.value {
                return Some(entry.dissector);
            }
            at = (at + 1) & mask;
        }
        None
    }

    fn insert(&mut self, key: Key, id: DissectorId, name: &'static str) -> Result<(), Conflict> {
        if let Some(other) = self.find(key) {
            return Err(conflict(
                name,
                self.dissector(other).name,
                key.table,
                key.value,
            ));
        }
        let mask = self.exact.len() - 1;
        let mut at = slot(key.table.id(), key.value) & mask;
        while self.exact[at].is_some() {
            at = (at + 1) & mask;
        }
        self.exact[at] = Some(Exact {
            table: key.table.id(),
            value: key.value,
            dissector: id,
        });
        Ok(())
    }
}

fn slot(table: u32, value: u32) -> usize {
    let mixed = (table ^ value.wrapping_mul(0x9e37_79b9)).wrapping_mul(0x85eb_ca6b);
    (mixed >> 12) as usize
}

fn conflict(one: &'static str, other: &'static str, table: crate::Table, value: u32) -> Conflict {
    Conflict {
        one,
        other,
        table: table.name(),
        value,
    }
}

fn stop(
    reason: StopReason,
    dissector: &'static Dissector,
    offset: u32,
    what: &'static str,
) -> Stop {
    Stop {
        reason,
        layer: dissector.name,
        offset,
        what,
    }
}

fn judge(fault: Fault, dissector: &'static Dissector, start: u32, input: Input<'_>) -> Stop {
    match fault {
        Fault::Malformed { offset, what } => stop(
            StopReason::Malformed,
            dissector,
            start.saturating_add(offset),
            what,
        ),
        Fault::Short { offset } => {
            let reason = if (input.bytes.len() as u64) < u64::from(input.length) {
                StopReason::Snapped
            } else {
                StopReason::Truncated
            };
            stop(reason, dissector, start.saturating_add(offset), "header")
        }
    }
}

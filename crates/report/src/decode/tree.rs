//! A block of bytes as a tree of layers and fields, in which every byte has one place.

use super::follow::{Heard, Message, Share};
use crate::figures::Grouped;
use std::ops::Range;
use wirewait_wire::{Asked, Dissector, Field, Frame, Input, Registry, Span, Stop, Value, Walk};

/// A frame, or a message put together from several: its layers, and what lies between and
/// behind them. Positions count from the first byte of the block.
#[derive(Debug)]
pub struct Tree<'a> {
    /// What was captured of it.
    pub bytes: &'a [u8],
    /// What is in it, in the order of its bytes.
    pub items: Vec<Item<'a>>,
    /// Why it could not be read to the innermost layer.
    pub stop: Option<Stop>,
}

/// Something that covers bytes.
#[derive(Debug)]
pub enum Item<'a> {
    /// A layer's header, or all of a layer that carries no other.
    Layer(Layer<'a>),
    /// Bytes that no layer describes.
    Rest(Rest),
}

/// A layer and its fields.
#[derive(Debug)]
pub struct Layer<'a> {
    /// Who read it.
    pub dissector: &'static Dissector,
    /// Where it is; what goes on in later frames ends behind the block.
    pub span: Span,
    /// How many layers it lies in.
    pub depth: usize,
    /// All of its bytes, its payload included.
    pub input: Input<'a>,
    /// Its fields.
    pub fields: Vec<Field<'a>>,
    /// The request that it answers.
    pub asked: Option<Asked>,
    /// The message goes on in a later frame.
    pub goes_on: bool,
}

impl Layer<'_> {
    /// The bytes that its fields describe.
    #[must_use]
    pub fn described(&self) -> Range<u32> {
        let end = self.fields.iter().map(|field| field.end).max();
        self.span.start..end.unwrap_or(self.span.start)
    }
}

/// Bytes that no layer describes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rest {
    /// [`DATA`] or [`PADDING`].
    pub name: &'static str,
    /// Where they are.
    pub range: Range<u32>,
    /// How many layers they lie in.
    pub depth: usize,
    /// What else is known of them; empty if nothing.
    pub note: String,
}

/// Payload that no dissector claims.
pub const DATA: &str = "Data";
/// What follows the end of what a layer carries: padding, a trailer, a checksum.
pub const PADDING: &str = "Padding";

impl<'a> Tree<'a> {
    /// The tree of a frame that was walked to its full depth.
    #[must_use]
    pub fn of_frame(registry: &Registry, frame: &Frame<'a>, walk: &Walk) -> Self {
        build(registry, frame.bytes, &Plan::of_walk(walk))
    }

    /// The tree of a frame, with what is known of the messages in it.
    pub(super) fn of_known_frame(
        registry: &Registry,
        frame: &Frame<'a>,
        walk: &Walk,
        heard: &Heard,
    ) -> Self {
        let shares = heard.shares();
        let carriers = walk.carriers();
        let payload = carriers.last().map_or(0, |span| span.payload);
        let pieces = walk.carries_pieces();
        let known = pieces && shares.iter().any(|share| share.stretch.at >= payload);
        let mut plan = Plan::of_walk(walk);
        if known || (pieces && !begins_message(registry, frame, walk)) {
            plan.cut(registry, carriers);
            for share in shares.iter().filter(|_| known) {
                share.plan(registry, frame.bytes, &mut plan);
            }
        } else {
            for entry in &mut plan.entries {
                if let TreeEntry::Layer(planned) = entry
                    && let Some(message) = shares
                        .iter()
                        .map(|share| share.message)
                        .find(|message| planned.is_of(message))
                {
                    planned.asked = message.asked;
                }
            }
        }
        build(registry, frame.bytes, &plan)
    }

    /// The tree of a message that was put together.
    pub(super) fn of_message(registry: &Registry, bytes: &'a [u8], message: &Message) -> Self {
        let mut plan = Plan::default();
        let end = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        plan_message(registry, bytes, (0, end), message, &mut plan);
        build(registry, bytes, &plan)
    }

    /// Every stretch of bytes that has a name of its own, in order: together they are the
    /// whole block, and no two overlap.
    pub fn stretches(&self) -> impl Iterator<Item = Range<u32>> + '_ {
        self.items.iter().flat_map(|item| {
            let (fields, rest) = match item {
                Item::Layer(layer) => (layer.fields.as_slice(), None),
                Item::Rest(rest) => (Default::default(), Some(rest.range.clone())),
            };
            fields
                .iter()
                .filter(|field| field.is_whole())
                .map(|field| field.start..field.end)
                .chain(rest)
        })
    }
}

/// What is to be placed, in the order of its first bytes.
enum TreeEntry {
    Layer(Planned),
    /// Bytes of a message that began in another frame.
    Share(Range<u32>, String),
}

struct Planned {
    span: Span,
    /// Where the bytes end that are at hand of it.
    limit: u32,
    /// It lies in the payload of the one before it, whatever their bounds say.
    chained: bool,
    asked: Option<Asked>,
    goes_on: bool,
}

impl Planned {
    fn new(span: Span, chained: bool) -> Self {
        Self {
            span,
            limit: span.end,
            chained,
            asked: None,
            goes_on: false,
        }
    }

    /// Whether it is this message, all of which is in the frame.
    fn is_of(&self, message: &Message) -> bool {
        message.dissector == Some(self.span.dissector)
            && matches!(message.stretches.as_slice(), [only]
                if only.at.saturating_add(message.header) == self.span.start)
    }
}

/// What is to be placed.
#[derive(Default)]
struct Plan {
    entries: Vec<TreeEntry>,
    stop: Option<Stop>,
}

impl Plan {
    /// The layers that a walk found by itself.
    fn of_walk(walk: &Walk) -> Self {
        let nested = walk.nested().len();
        let all_nested = nested == walk.spans().len();
        let unread = walk.unread.map(|span| (span, all_nested));
        let spans = walk.spans().iter().enumerate();
        let entries = spans
            .map(|(n, span)| (*span, n < nested))
            .chain(unread)
            .map(|(span, chained)| TreeEntry::Layer(Planned::new(span, chained)))
            .collect();
        Self {
            entries,
            stop: walk.stop,
        }
    }

    /// Leaves only the carriers: what lies in their payload is told by others.
    fn cut(&mut self, registry: &Registry, carriers: &[Span]) {
        self.entries.truncate(carriers.len());
        self.stop = self.stop.filter(|stop| {
            let mut names = carriers
                .iter()
                .map(|s| registry.dissector(s.dissector).name);
            names.any(|name| name == stop.layer)
        });
    }
}

/// Whether the payload of a stream's segment looks like the beginning of a message, for
/// segments of which nothing better is known.
fn begins_message(registry: &Registry, frame: &Frame<'_>, walk: &Walk) -> bool {
    let (carriers, spans) = (walk.carriers().len(), walk.spans());
    let Some(first) = spans.get(carriers) else {
        return true;
    };
    let resync = registry.dissector(first.dissector).resync;
    resync.is_none_or(|resync| resync(walk.bytes(frame, *first).bytes) == Some(0))
}

impl Share<'_> {
    /// Plans what these bytes are.
    fn plan(&self, registry: &Registry, bytes: &[u8], plan: &mut Plan) {
        let (start, message) = (self.stretch.at, self.message);
        let end = start.saturating_add(self.stretch.length);
        if self.position == 0 && (message.dissector.is_some() || message.header > 0) {
            plan_message(registry, bytes, (start, end), message, plan);
            return;
        }
        if message.complete && message.stretches.len() == 1 {
            // Nobody reads it, and there is nothing else to say.
            return;
        }
        let name = message
            .dissector
            .map_or("unknown kind", |id| registry.dissector(id).name);
        let last = self.position + u64::from(self.stretch.length).saturating_sub(1);
        let mut note = format!("message of {name}, byte {}", Grouped(self.position));
        if last > self.position {
            note = format!(
                "message of {name}, bytes {}-{}",
                Grouped(self.position),
                Grouped(last)
            );
        }
        if message.length > 0 && (message.complete || message.framer.is_some()) {
            note += &format!(" of {}", Grouped(message.total().into()));
        }
        plan.entries.push(TreeEntry::Share(start..end, note));
    }
}

/// Plans the layers of a message whose first bytes lie from `start` to `end`.
fn plan_message(
    registry: &Registry,
    bytes: &[u8],
    (start, end): (u32, u32),
    message: &Message,
    plan: &mut Plan,
) {
    let body = start.saturating_add(message.header);
    let whole = body.saturating_add(message.length);
    let goes_on = end < whole || !message.complete;
    let mut add = |span: Span, asked| {
        plan.entries.push(TreeEntry::Layer(Planned {
            span,
            limit: end.min(span.end),
            chained: false,
            asked,
            goes_on,
        }));
    };
    if let Some(framer) = message.framer.filter(|_| message.header > 0) {
        add(
            Span {
                dissector: framer,
                start,
                payload: body,
                end: whole,
            },
            None,
        );
    }
    let Some(reader) = message.dissector else {
        return;
    };
    let captured = bytes.len().min(end as usize);
    let input = Input {
        bytes: bytes.get(body as usize..captured).unwrap_or_default(),
        length: message.length,
    };
    let mut walk = Walk::default();
    registry.walk_from(reader, input, &mut walk);
    let mut asked = message.asked;
    for span in walk.spans().iter().chain(&walk.unread) {
        let moved = Span {
            dissector: span.dissector,
            start: span.start.saturating_add(body),
            payload: span.payload.saturating_add(body),
            end: span.end.saturating_add(body),
        };
        add(moved, asked.take());
    }
    if !goes_on && let Some(stop) = walk.stop {
        let offset = stop.offset.saturating_add(body);
        plan.stop = plan.stop.or(Some(Stop { offset, ..stop }));
    }
}

fn build<'a>(registry: &Registry, bytes: &'a [u8], plan: &Plan) -> Tree<'a> {
    let mut builder = Builder {
        registry,
        bytes,
        plan: &plan.entries,
        items: Vec::new(),
        at: 0,
    };
    let mut next = 0;
    while next < plan.entries.len() {
        next = builder.place(next, 0);
    }
    let name = if plan.entries.is_empty() {
        DATA
    } else {
        PADDING
    };
    builder.fill(u32::MAX, name, 0);
    Tree {
        bytes,
        items: builder.items,
        stop: plan.stop,
    }
}

struct Builder<'a, 'b> {
    registry: &'b Registry,
    bytes: &'a [u8],
    plan: &'b [TreeEntry],
    items: Vec<Item<'a>>,
    /// Everything before is accounted for.
    at: u32,
}

impl Builder<'_, '_> {
    /// Adds what is planned under this number with all that lies in its payload; says which
    /// number is the next one behind them.
    fn place(&mut self, number: usize, depth: usize) -> usize {
        let planned = match self.plan.get(number) {
            None => return self.plan.len(),
            Some(TreeEntry::Share(range, note)) => {
                self.fill(range.start, DATA, depth);
                self.rest(range.end, DATA, depth, note);
                return number + 1;
            }
            Some(TreeEntry::Layer(planned)) => planned,
        };
        let span = planned.span;
        self.fill(span.start, DATA, depth);
        let mut next = number + 1;
        let first = self.start_inside(next, span);
        let header = first.unwrap_or(span.end);
        self.layer(planned, header, first.is_some(), depth);
        while self.start_inside(next, span).is_some() {
            next = self.place(next, depth + 1);
        }
        // What follows a message in a stream belongs to another one.
        let is_chain = matches!(self.plan.get(number + 1), Some(TreeEntry::Layer(l)) if l.chained);
        let name = if is_chain || (next > number + 1 && !planned.chained) {
            PADDING
        } else {
            DATA
        };
        self.fill(planned.limit.min(span.end), name, depth + 1);
        next
    }

    /// Where something begins, if it lies in the payload of this layer.
    fn start_inside(&self, number: usize, parent: Span) -> Option<u32> {
        let start = match self.plan.get(number)? {
            TreeEntry::Layer(layer) if layer.chained => return Some(layer.span.start),
            TreeEntry::Layer(layer) => layer.span.start,
            TreeEntry::Share(range, _) => range.start,
        };
        (start >= parent.payload && start < parent.end).then_some(start)
    }

    /// Adds a layer whose own bytes end at `header`.
    fn layer(&mut self, planned: &Planned, header: u32, carries: bool, depth: usize) {
        let span = planned.span;
        let dissector = self.registry.dissector(span.dissector);
        let input = slice(self.bytes, span, planned.limit);
        let mut fields = self.registry.fields(span.dissector, input, planned.asked);
        for field in &mut fields {
            field.start = field.start.saturating_add(span.start);
            field.end = field.end.saturating_add(span.start);
        }
        if carries {
            // The payload is described by whoever reads it.
            fields.retain(|field| field.start < header);
            for field in fields.iter_mut().filter(|field| field.end > header) {
                field.end = header;
                if let Value::Bytes(bytes) = &mut field.value {
                    let length = header.saturating_sub(field.start) as usize;
                    *bytes = bytes.get(..length).unwrap_or(bytes);
                }
            }
        }
        let covered = fields.iter().map(|field| field.end).max();
        self.at = self.at.max(covered.unwrap_or(0));
        self.items.push(Item::Layer(Layer {
            dissector,
            span,
            depth,
            input,
            fields,
            asked: planned.asked,
            goes_on: planned.goes_on,
        }));
    }

    /// Names what is left before `end`.
    fn fill(&mut self, end: u32, name: &'static str, depth: usize) {
        self.rest(end, name, depth, "");
    }

    fn rest(&mut self, end: u32, name: &'static str, depth: usize, note: &str) {
        let captured = u32::try_from(self.bytes.len()).unwrap_or(u32::MAX);
        let end = end.min(captured);
        if self.at < end {
            self.items.push(Item::Rest(Rest {
                name,
                range: self.at..end,
                depth,
                note: note.to_owned(),
            }));
            self.at = end;
        }
    }
}

/// The bytes of a layer as far as they are at hand, and its true length.
fn slice(bytes: &[u8], span: Span, limit: u32) -> Input<'_> {
    let captured = bytes.len().min(limit.min(span.end) as usize);
    Input {
        bytes: bytes.get(span.start as usize..captured).unwrap_or_default(),
        length: span.end.saturating_sub(span.start),
    }
}

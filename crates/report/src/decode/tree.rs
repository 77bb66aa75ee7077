//! A block of bytes as a tree of layers and fields, in which every byte has one place.

use std::ops::Range;
use wirewait_wire::{Asked, Dissector, Field, Fields, Frame, Input, Registry, Span, Value, Walk};

/// A frame, or a message put together from several: its layers, and what lies between and
/// behind them. Positions count from the first byte of the block.
#[derive(Debug)]
pub struct Tree<'a> {
    /// What was captured of it.
    pub bytes: &'a [u8],
    /// What is in it, in the order of its bytes.
    pub items: Vec<Item<'a>>,
}

/// Something that covers bytes.
#[derive(Debug)]
pub enum Item<'a> {
    /// A layer's header, or all of a layer that carries nobody else.
    Layer(Layer<'a>),
    /// Bytes that no layer describes.
    Rest(Rest),
}

/// A layer and its fields.
#[derive(Debug)]
pub struct Layer<'a> {
    /// Who read it.
    pub dissector: &'static Dissector,
    /// Where it is.
    pub span: Span,
    /// How many layers it lies in.
    pub depth: usize,
    /// All of its bytes, its payload included.
    pub input: Input<'a>,
    /// Its fields.
    pub fields: Vec<Field<'a>>,
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
}

/// Payload that no dissector claims.
pub const DATA: &str = "Data";
/// What follows the end of what a layer carries: padding, a trailer, a checksum.
pub const PADDING: &str = "Padding";

impl<'a> Tree<'a> {
    /// The tree of a frame that was walked to its full depth.
    #[must_use]
    pub fn of_frame(registry: &Registry, frame: &Frame<'a>, walk: &Walk) -> Self {
        let mut spans = walk.spans().to_vec();
        let mut nested = walk.nested().len();
        if let Some(unread) = walk.unread {
            nested += usize::from(nested == spans.len());
            spans.push(unread);
        }
        let mut builder = Builder {
            registry,
            bytes: frame.bytes,
            spans: &spans,
            nested,
            items: Vec::new(),
            at: 0,
        };
        let mut next = 0;
        while next < spans.len() {
            next = builder.place(next, 0);
        }
        let name = if spans.is_empty() { DATA } else { PADDING };
        builder.fill(u32::MAX, name, 0);
        Self {
            bytes: frame.bytes,
            items: builder.items,
        }
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

struct Builder<'a, 'b> {
    registry: &'b Registry,
    bytes: &'a [u8],
    spans: &'b [Span],
    /// So many of the spans lie one in the payload of the other, whatever their bounds say.
    nested: usize,
    items: Vec<Item<'a>>,
    /// Everything before is accounted for.
    at: u32,
}

impl Builder<'_, '_> {
    /// Adds a layer with all layers in its payload; says which is the next one behind them.
    fn place(&mut self, number: usize, depth: usize) -> usize {
        let Some(span) = self.spans.get(number).copied() else {
            return self.spans.len();
        };
        self.fill(span.start, DATA, depth);
        let mut next = number + 1;
        let first = self.spans.get(next).filter(|_| self.is_inside(next, span));
        let header = first.map_or(span.end, |child| child.start);
        self.layer(span, header, first.is_some(), depth);
        while next < self.spans.len() && self.is_inside(next, span) {
            next = self.place(next, depth + 1);
        }
        // What follows a message in a stream belongs to another one.
        let is_stream = number + 1 == self.nested && self.spans.len() > self.nested;
        let name = if next == number + 1 || is_stream {
            DATA
        } else {
            PADDING
        };
        self.fill(span.end, name, depth + 1);
        next
    }

    fn is_inside(&self, number: usize, parent: Span) -> bool {
        let Some(span) = self.spans.get(number) else {
            return false;
        };
        number < self.nested || (span.start >= parent.payload && span.start < parent.end)
    }

    /// Adds a layer whose own bytes end at `header`.
    fn layer(&mut self, span: Span, header: u32, carries: bool, depth: usize) {
        let dissector = self.registry.dissector(span.dissector);
        let input = slice(self.bytes, span.start, span.end);
        let mut fields = described(dissector, input, None);
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
        }));
    }

    /// Names what is left before `end`.
    fn fill(&mut self, end: u32, name: &'static str, depth: usize) {
        let captured = u32::try_from(self.bytes.len()).unwrap_or(u32::MAX);
        let end = end.min(captured);
        if self.at < end {
            self.items.push(Item::Rest(Rest {
                name,
                range: self.at..end,
                depth,
            }));
            self.at = end;
        }
    }
}

/// The fields that a dissector finds.
fn described<'a>(dissector: &Dissector, input: Input<'a>, asked: Option<Asked>) -> Vec<Field<'a>> {
    let mut fields = Fields::new(input, asked);
    // Where the bytes end too early the last field says so.
    let _ = (dissector.fields)(&mut fields);
    fields.finish()
}

fn slice(bytes: &[u8], start: u32, end: u32) -> Input<'_> {
    let captured = bytes.len().min(end as usize);
    Input {
        bytes: bytes.get(start as usize..captured).unwrap_or_default(),
        length: end.saturating_sub(start),
    }
}

//! One JSON object per frame. Names and shape are a promise to other programs.

use super::tree::{Item, Layer};
use super::{Shown, Summary, Tree, Whole};
use crate::escape::Escaped;
use crate::time::Rfc3339;
use serde::ser::SerializeSeq;
use serde::{Serialize, Serializer};
use std::fmt;
use wirewait_wire::{Endpoint, Field, Value};

/// A frame. All fields are always there unless said otherwise; positions are bytes counted
/// from 0, and `end` is the byte behind the last one.
#[derive(Serialize)]
pub(super) struct Object<'a> {
    frame: u64,
    time: Rfc3339,
    interface: u32,
    link_type: u16,
    captured_bytes: usize,
    wire_bytes: u32,
    source: Words<Endpoint>,
    destination: Words<Endpoint>,
    #[serde(flatten)]
    tree: TreeOf<'a>,
    /// What the frame does in which transactions.
    transactions: Vec<DeedOf>,
    /// Messages that came in several frames, of which this is the one that completes them.
    messages: Vec<MessageOf<'a>>,
}

/// Layers, and what lies between and behind them.
#[derive(Serialize)]
struct TreeOf<'a> {
    layers: Vec<LayerOf<'a>>,
    /// Bytes that no layer describes: payload that nobody claims, padding.
    rest: Vec<RestOf<'a>>,
    stopped: Option<Words<wirewait_wire::Stop>>,
}

#[derive(Serialize)]
struct DeedOf {
    transaction: u64,
    part: &'static str,
}

/// A message that was put together. Positions in its layers count from its first byte.
#[derive(Serialize)]
struct MessageOf<'a> {
    /// Bytes, framing included.
    length: u32,
    /// How many of them are at hand, from the first one on.
    captured_bytes: usize,
    /// Where they were.
    stretches: Vec<StretchOf>,
    /// Stretches that are not listed.
    omitted_stretches: u32,
    #[serde(flatten)]
    tree: TreeOf<'a>,
}

/// Bytes of a message in a frame.
#[derive(Serialize)]
struct StretchOf {
    /// Null where they were never captured.
    frame: Option<u64>,
    start: u32,
    bytes: u32,
}

impl<'a> Object<'a> {
    pub(super) fn new(shown: &'a Shown<'_>) -> Self {
        let Shown { frame, walk, .. } = *shown;
        Self {
            frame: shown.number,
            time: Rfc3339(frame.at),
            interface: frame.interface,
            link_type: frame.link.0,
            captured_bytes: frame.bytes.len(),
            wire_bytes: frame.wire_len,
            source: Words(walk.facts.from),
            destination: Words(walk.facts.to),
            tree: TreeOf::new(&shown.tree),
            transactions: shown
                .deeds
                .iter()
                .map(|(transaction, deed)| DeedOf {
                    transaction: *transaction,
                    part: deed.name(),
                })
                .collect(),
            messages: shown.wholes.iter().map(MessageOf::new).collect(),
        }
    }
}

impl<'a> TreeOf<'a> {
    fn new(tree: &'a Tree<'_>) -> Self {
        let mut found = Self {
            layers: Vec::new(),
            rest: Vec::new(),
            stopped: tree.stop.map(Words),
        };
        for item in &tree.items {
            match item {
                Item::Layer(layer) => found.layers.push(LayerOf::new(layer)),
                Item::Rest(rest) => found.rest.push(RestOf {
                    name: rest.name,
                    start: rest.range.start,
                    end: rest.range.end,
                    note: &rest.note,
                }),
            }
        }
        found
    }
}

impl<'a> MessageOf<'a> {
    fn new(whole: &'a Whole<'_>) -> Self {
        let message = whole.message;
        let stretches = message.stretches.iter();
        Self {
            length: message.total(),
            captured_bytes: whole.tree.bytes.len(),
            stretches: stretches
                .map(|stretch| StretchOf {
                    frame: Some(stretch.frame).filter(|frame| *frame > 0),
                    start: stretch.at,
                    bytes: stretch.length,
                })
                .collect(),
            omitted_stretches: message.omitted,
            tree: TreeOf::new(&whole.tree),
        }
    }
}

#[derive(Serialize)]
struct LayerOf<'a> {
    protocol: &'static str,
    start: u32,
    payload: u32,
    end: u32,
    depth: usize,
    /// True where the message goes on in a later frame.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    goes_on: bool,
    summary: Words<Summary<'a>>,
    fields: LayerLevel<'a>,
}

impl<'a> LayerOf<'a> {
    fn new(layer: &'a Layer<'_>) -> Self {
        Self {
            protocol: layer.dissector.name,
            start: layer.span.start,
            payload: layer.span.payload,
            end: layer.span.end,
            depth: layer.depth,
            summary: Words(Summary(layer)),
            goes_on: layer.goes_on,
            fields: LayerLevel(&layer.fields),
        }
    }
}

#[derive(Serialize)]
struct RestOf<'a> {
    name: &'static str,
    start: u32,
    end: u32,
    /// What else is known of them.
    #[serde(skip_serializing_if = "str::is_empty")]
    note: &'a str,
}

/// Written as a string, by way of its `Display`.
struct Words<T>(T);

impl<T: fmt::Display> Serialize for Words<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

/// Fields of one level, each followed by its parts.
struct LayerLevel<'a>(&'a [Field<'a>]);

impl Serialize for LayerLevel<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(None)?;
        let mut rest = self.0;
        while let Some((field, behind)) = rest.split_first() {
            let parts = behind.iter().take_while(|f| f.depth > field.depth).count();
            let (parts, next) = behind.split_at(parts);
            list.serialize_element(&FieldOf::new(field, parts))?;
            rest = next;
        }
        list.end()
    }
}

/// A field. Which of `value`, `bytes` and `cut` is there tells what it holds; a heading has
/// none of them.
#[derive(Serialize)]
struct FieldOf<'a> {
    name: Escape<'a>,
    start: u32,
    end: u32,
    /// Of a part of a number: its bits.
    #[serde(skip_serializing_if = "Option::is_none")]
    mask: Option<u64>,
    /// A number, or words.
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<Scalar<'a>>,
    /// Bytes without a form of their own, in hexadecimal.
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<Words<Hex<'a>>>,
    /// True where the capture or the sender cut the field off.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    cut: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    meaning: Option<Escape<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fields: Option<LayerLevel<'a>>,
}

impl<'a> FieldOf<'a> {
    fn new(field: &'a Field<'a>, parts: &'a [Field<'a>]) -> Self {
        let (value, bytes) = match &field.value {
            Value::Decimal(number) | Value::Hex(number) => (Some(Scalar::Number(*number)), None),
            Value::Text(words) => (Some(Scalar::Words(Escape(words))), None),
            Value::Bytes(bytes) => (None, Some(Words(Hex(bytes)))),
            Value::Heading | Value::Cut => (None, None),
        };
        Self {
            name: Escape(&field.name),
            start: field.start,
            end: field.end,
            mask: Some(field.mask).filter(|mask| *mask != 0),
            value,
            bytes,
            cut: field.value == Value::Cut,
            meaning: Some(field.meaning.as_str())
                .filter(|meaning| !meaning.is_empty())
                .map(Escape),
            fields: Some(LayerLevel(parts)).filter(|level| !level.0.is_empty()),
        }
    }
}

#[derive(Serialize)]
#[serde(untagged)]
enum Scalar<'a> {
    Number(u64),
    Words(Escape<'a>),
}

struct Escape<'a>(&'a str);

impl Serialize for Escape<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&Escaped(self.0))
    }
}

struct Hex<'a>(&'a [u8]);

impl fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

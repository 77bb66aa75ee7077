//! One JSON object per frame. Names and shape are a promise to other programs.

use super::tree::{Item, Layer};
use super::{Shown, Tree};
use crate::escape::{Escaped, Escaping};
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
    layers: Vec<LayerOf<'a>>,
    /// Bytes that no layer describes: payload that nobody claims, padding.
    rest: Vec<RestOf>,
    stopped: Option<Words<wirewait_wire::Stop>>,
}

impl<'a> Object<'a> {
    pub(super) fn new(shown: &Shown<'a>) -> Self {
        let Shown { frame, walk, .. } = *shown;
        let tree = Tree::of_frame(shown.registry, frame, walk);
        let mut object = Self {
            frame: shown.number,
            time: Rfc3339(frame.at),
            interface: frame.interface,
            link_type: frame.link.0,
            captured_bytes: frame.bytes.len(),
            wire_bytes: frame.wire_len,
            source: Words(walk.facts.from),
            destination: Words(walk.facts.to),
            layers: Vec::new(),
            rest: Vec::new(),
            stopped: walk.stop.map(Words),
        };
        for item in tree.items {
            match item {
                Item::Layer(layer) => object.layers.push(LayerOf::new(layer)),
                Item::Rest(rest) => object.rest.push(RestOf {
                    name: rest.name,
                    start: rest.range.start,
                    end: rest.range.end,
                }),
            }
        }
        object
    }
}

#[derive(Serialize)]
struct LayerOf<'a> {
    protocol: &'static str,
    start: u32,
    payload: u32,
    end: u32,
    depth: usize,
    summary: Words<Summary<'a>>,
    fields: FieldsOf<'a>,
}

impl<'a> LayerOf<'a> {
    fn new(layer: Layer<'a>) -> Self {
        Self {
            protocol: layer.dissector.name,
            start: layer.span.start,
            payload: layer.span.payload,
            end: layer.span.end,
            depth: layer.depth,
            summary: Words(Summary(layer.dissector, layer.input)),
            fields: FieldsOf(layer.fields),
        }
    }
}

#[derive(Serialize)]
struct RestOf {
    name: &'static str,
    start: u32,
    end: u32,
}

/// Written as a string, by way of its `Display`.
struct Words<T>(T);

impl<T: fmt::Display> Serialize for Words<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

struct Summary<'a>(&'static wirewait_wire::Dissector, wirewait_wire::Input<'a>);

impl fmt::Display for Summary<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (self.0.describe)(self.1, &mut Escaping(f))
    }
}

/// All fields of a layer, those that are parts of others inside them.
struct FieldsOf<'a>(Vec<Field<'a>>);

impl Serialize for FieldsOf<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Level(&self.0).serialize(serializer)
    }
}

/// Fields of one level, each followed by its parts.
struct Level<'a>(&'a [Field<'a>]);

impl Serialize for Level<'_> {
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
    fields: Option<Level<'a>>,
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
            fields: Some(Level(parts)).filter(|level| !level.0.is_empty()),
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

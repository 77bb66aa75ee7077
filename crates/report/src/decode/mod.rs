//! Frames, layer by layer: a line each, with or without the tree of layers and fields and
//! the bytes below it, or a JSON object each.

mod detail;
mod follow;
mod hex;
mod json;
mod line;
mod plain;
mod row;
mod select;
mod show;
mod tree;

pub use follow::Cast;
pub use plain::{Decoded, TreeLine};
pub use row::{FrameRow, FrameRows};
pub use select::Selector;
pub use show::{Filter, FilterError};
pub use tree::{DATA, Item, Layer, PADDING, Rest, Tree};

use crate::escape::Escaped;
use crate::text::Look;
use follow::{Alongside, Message};
use std::fmt;
use std::io::{self, Write};
use wirewait_analysis::Deed;
use wirewait_wire::{Depth, Frame, Registry, Timestamp, Walk};

/// How a frame's time is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Time {
    /// Seconds since the first frame of the capture.
    Relative,
    /// RFC 3339, UTC.
    Absolute,
    /// Seconds since the frame that was shown before.
    Delta,
}

/// What is shown of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One line.
    Line,
    /// The line; below it each layer with its fields, and the bytes.
    Detail,
    /// One JSON object per line.
    Json,
}

/// Writes frames one after the other.
#[derive(Debug)]
pub struct Decoder<'r> {
    registry: &'r Registry,
    time: Time,
    shape: Shape,
    look: Look,
    selectors: Vec<Selector>,
    /// Which of them were found in a frame.
    found: Vec<bool>,
    clock: FrameClock,
    /// Number of the frame taken in last.
    number: u64,
    alongside: Option<Box<Alongside>>,
    cast: Option<Cast>,
    filter: Option<Filter>,
    /// Reused from frame to frame, like the text.
    walk: Walk,
    text: String,
}

/// The moments from which times are counted.
#[derive(Clone, Copy, Debug, Default)]
struct FrameClock {
    /// Time of the first frame of the capture.
    start: Option<Timestamp>,
    /// Time of the frame shown last.
    shown: Option<Timestamp>,
}

impl FrameClock {
    /// Nanoseconds since the first frame.
    fn since_start(&self, at: Timestamp) -> i64 {
        at.since(self.start.unwrap_or(at))
    }

    /// Nanoseconds since the frame shown before.
    fn since_shown(&self, at: Timestamp) -> i64 {
        at.since(self.shown.unwrap_or(at))
    }
}

impl<'r> Decoder<'r> {
    /// A decoder for the protocols of `registry`, which takes each frame by itself.
    #[must_use]
    pub fn new(registry: &'r Registry, shape: Shape, time: Time, look: Look) -> Self {
        Self {
            registry,
            time,
            shape,
            look,
            selectors: Vec::new(),
            found: Vec::new(),
            clock: FrameClock::default(),
            number: 0,
            alongside: None,
            cast: None,
            filter: None,
            walk: Walk::default(),
            text: String::new(),
        }
    }

    /// Follows the traffic, so that messages that came in several frames are shown whole, and
    /// answers in the light of what was asked. `registry` has the same dissectors.
    #[must_use]
    pub fn following(mut self, registry: Registry) -> Self {
        self.alongside = Some(Box::new(Alongside::new(registry)));
        self
    }

    /// Marks these fields where details are shown.
    pub fn select(&mut self, selectors: Vec<Selector>) {
        self.found = vec![false; selectors.len()];
        self.selectors = selectors;
    }

    /// Marks the frames of a transaction with what they did in it.
    pub fn mark(&mut self, cast: Cast) {
        self.cast = Some(cast);
    }

    /// Shows only frames that fit.
    pub fn show(&mut self, filter: Filter) {
        self.filter = Some(filter);
    }

    /// The filter, which knows what no frame had of what it names.
    #[must_use]
    pub fn filter(&self) -> Option<&Filter> {
        self.filter.as_ref()
    }

    /// Those of the fields to be marked that no frame had so far.
    pub fn missing(&self) -> impl Iterator<Item = &Selector> {
        let found = self.found.iter();
        self.selectors
            .iter()
            .zip(found)
            .filter(|(_, found)| !**found)
            .map(|(selector, _)| selector)
    }

    /// Takes in the next frame of the capture, whether it is going to be shown or not.
    pub fn pass(&mut self, frame: &Frame<'_>) {
        self.count(frame);
        if let Some(alongside) = &mut self.alongside {
            alongside.frame(self.number, frame);
        }
    }

    /// Leaves the next frame of the capture out of everything but the numbers of frames.
    pub fn skip(&mut self, frame: &Frame<'_>) {
        self.count(frame);
        if let Some(alongside) = &mut self.alongside {
            alongside.skip();
        }
    }

    /// Passes over `frames` frames of the capture that are not available; the first frame of all
    /// was captured at `first`. Numbers of frames stay those of the capture; those of transactions
    /// are no longer known, and are left out.
    pub fn absent(&mut self, frames: u64, first: Option<Timestamp>) {
        self.number = self.number.saturating_add(frames);
        self.clock.start = self.clock.start.or(first);
        if let Some(alongside) = &mut self.alongside {
            alongside.absent(frames);
        }
    }

    /// Writes the frame that was passed last, if it fits the filter.
    ///
    /// # Errors
    /// What `out` says.
    pub fn write(&mut self, out: &mut impl Write, frame: &Frame<'_>) -> io::Result<()> {
        self.shown(frame, |decoder, shown| {
            if let Some(filter) = &mut decoder.filter
                && !filter.fits(shown)
            {
                return Ok(());
            }
            let text = &mut decoder.text;
            text.clear();
            match decoder.shape {
                Shape::Json => {
                    serde_json::to_writer(&mut *out, &json::Object::new(shown))?;
                    text.push('\n');
                }
                Shape::Line => shown.line(decoder.time, text).map_err(io::Error::other)?,
                Shape::Detail => {
                    shown.line(decoder.time, text).map_err(io::Error::other)?;
                    let found = &mut decoder.found;
                    shown
                        .detail(decoder.look, &decoder.selectors, found, text)
                        .map_err(io::Error::other)?;
                }
            }
            decoder.clock.shown = Some(frame.at);
            out.write_all(text.as_bytes())
        })
    }

    /// Does something with the frame that was passed last and all that is known of it.
    fn shown<R>(&mut self, frame: &Frame<'_>, then: impl FnOnce(&mut Self, &Shown<'_>) -> R) -> R {
        // Taken out, so that the rest can be changed meanwhile.
        let mut walk = std::mem::take(&mut self.walk);
        let (alongside, cast) = (self.alongside.take(), self.cast.take());
        self.registry.walk(frame, Depth::Full, &mut walk);
        let registry = self.registry;
        let known = alongside.as_deref();
        let wholes = known.map(Alongside::wholes).unwrap_or_default();
        let shown = Shown {
            walk: &walk,
            number: self.number,
            frame,
            clock: self.clock,
            tree: match known {
                Some(known) => Tree::of_known_frame(registry, frame, &walk, known.heard()),
                None => Tree::of_frame(registry, frame, &walk),
            },
            wholes: wholes
                .iter()
                .map(|(message, bytes)| Whole {
                    message,
                    tree: Tree::of_message(registry, bytes, message),
                })
                .collect(),
            deeds: known.map(|a| a.heard().deeds()).unwrap_or_default(),
            role: cast.as_ref().map(|cast| {
                let deeds = cast.frames().get(&self.number);
                deeds.map(Vec::as_slice).unwrap_or_default()
            }),
        };
        let result = then(self, &shown);
        drop(shown);
        drop(wholes);
        (self.walk, self.alongside, self.cast) = (walk, alongside, cast);
        result
    }

    fn count(&mut self, frame: &Frame<'_>) {
        self.number += 1;
        self.clock.start.get_or_insert(frame.at);
    }
}

/// A frame, and all that is known of it.
struct Shown<'a> {
    walk: &'a Walk,
    number: u64,
    frame: &'a Frame<'a>,
    clock: FrameClock,
    tree: Tree<'a>,
    wholes: Vec<Whole<'a>>,
    /// What it did in which transactions.
    deeds: Vec<(u64, Deed)>,
    /// What it did in the one that was asked for.
    role: Option<&'a [Deed]>,
}

/// One line that says what a layer is, escaped.
struct Summary<'a>(&'a Layer<'a>);

impl fmt::Display for Summary<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Layer {
            dissector,
            input,
            asked,
            ..
        } = self.0;
        let mut text = String::new();
        (dissector.describe)(*input, &mut text)?;
        let asked = asked.map(|asked| asked.operation.name);
        // Answers of some protocols do not say what they answer.
        match asked.filter(|name| !text.contains(name)) {
            Some(name) => write!(f, "{} [to {name}]", Escaped(text.trim_end())),
            None => write!(f, "{}", Escaped(&text)),
        }
    }
}

/// A message that the frame completes.
struct Whole<'a> {
    message: &'a Message,
    tree: Tree<'a>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use wirewait_wire::{
        Carries, Claim, Dissector, Endpoint, Exchange, Facts, Fault, Fields, Input, Key, LINK,
        Layer, LinkType, Next, Part, Role, Side, Table, Verified,
    };

    const INNER: Table = Table::new("test.inner");

    fn two_byte_header(input: Input<'_>, facts: &mut Facts) -> Result<Layer, Fault> {
        let Some([kind, length, ..]) = input.bytes.get(..2).and_then(|b| b.first_chunk::<2>())
        else {
            return Err(Fault::Short { offset: 0 });
        };
        facts.from = Endpoint::mac([2, 0, 0, 0, 0, 1]);
        facts.to = Endpoint::mac([2, 0, 0, 0, 0, 2]);
        Ok(Layer {
            header: 2,
            end: u32::from(*length),
            next: Next::one(INNER.key(u32::from(*kind))),
        })
    }

    fn message(input: Input<'_>, facts: &mut Facts) -> Result<Layer, Fault> {
        facts.carries = Carries::Message;
        Ok(Layer {
            header: 1,
            end: input.length,
            next: Next::NONE,
        })
    }

    fn exchange(_: Input<'_>) -> Result<Part, Fault> {
        let exchange = Exchange::new(Role::Notice, Side::Client, &crate::samples::READ, 0);
        Ok(Part {
            exchange: Some(exchange),
            length: 1,
        })
    }

    fn describe(input: Input<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
        write!(out, "{} bytes of ", input.length)?;
        out.write_str(std::str::from_utf8(input.bytes).unwrap_or("?"))
    }

    fn outer_fields(f: &mut Fields<'_>) -> Option<()> {
        f.u8("Kind")?;
        f.hex().means("of payload");
        f.flag(0x80, "Reply", "reply", "request");
        f.bits(0x0f, "Low");
        f.u8("Length").map(|_| ())
    }

    fn last_fields(f: &mut Fields<'_>) -> Option<()> {
        f.open("Body");
        f.be16("Two\x07")?;
        f.hex().means("a\x1b[2J");
        f.text(2, "Name")?;
        f.close();
        f.be32("Four")?;
        f.rest("Data").map(|_| ())
    }

    const fn claim(key: Key) -> Claim {
        Claim::Exact(key)
    }

    static OUTER: Dissector = Dissector {
        name: "outer",
        title: "",
        does: "",
        verified: &[Verified::Nothing],
        claims: &[claim(LinkType(147).key())],
        dissect: two_byte_header,
        describe,
        fields: outer_fields,
        ..Dissector::PLAIN
    };

    /// Carries others, and has messages of its own.
    static MIDDLE: Dissector = Dissector {
        name: "middle",
        claims: &[claim(INNER.key(b'm' as u32))],
        conveys: true,
        exchange: Some(exchange),
        ..OUTER
    };

    static LAST: Dissector = Dissector {
        name: "last",
        claims: &[claim(INNER.key(b'x' as u32))],
        dissect: message,
        fields: last_fields,
        ..OUTER
    };

    fn registry() -> Registry {
        static ALL: &[&Dissector] = &[&OUTER, &MIDDLE, &LAST];
        assert_eq!(LINK.name(), "link.type");
        Registry::new(ALL).unwrap()
    }

    fn shown(shape: Shape, time: Time, frames: &[(i64, &[u8], u32)]) -> String {
        let registry = registry();
        let mut decoder = Decoder::new(&registry, shape, time, Look::FILE);
        let mut out = Vec::new();
        for (nanos, bytes, wire_len) in frames {
            let frame = Frame {
                at: Timestamp::from_nanos(*nanos),
                link: LinkType(147),
                interface: 0,
                wire_len: *wire_len,
                bytes,
            };
            decoder.pass(&frame);
            decoder.write(&mut out, &frame).unwrap();
        }
        String::from_utf8(out).unwrap()
    }

    const ADDRESSES: &str = "02-00-00-00-00-01 > 02-00-00-00-00-02      ";

    #[test]
    fn a_line_names_the_innermost_layer_and_what_conveys_it() {
        let frames: [(i64, &[u8], u32); 3] = [
            (5_000_000_000, b"x\x04ab", 4),
            (5_000_001_000, b"m\x06x\x04cd", 6),
            (4_999_999_999, b"x\x04a", 4),
        ];
        assert_eq!(
            shown(Shape::Line, Time::Relative, &frames),
            format!(
                "     1       0.000000000  {ADDRESSES}  last   2 bytes of ab\n\
                 \x20    2       0.000001000  {ADDRESSES}  middle 4 bytes of x\\x04cd | \
                 last   2 bytes of cd\n\
                 \x20    3      -0.000000001  {ADDRESSES}  last   2 bytes of a \
                 [last: cut off by the capture at byte 3 (payload)]\n"
            )
        );
        assert_eq!(
            shown(Shape::Line, Time::Absolute, &frames[..1]),
            format!("     1  1970-01-01T00:00:05.000000000Z  {ADDRESSES}  last   2 bytes of ab\n")
        );
    }

    #[test]
    fn names_on_the_wire_cannot_command_the_terminal() {
        let frame: (i64, &[u8], u32) = (0, b"x\x08\x1b[2J\n\r", 8);
        for shape in [Shape::Line, Shape::Json] {
            let text = shown(shape, Time::Relative, &[frame]);
            assert!(
                !text.contains('\x1b') && text.lines().count() == 1,
                "{text}"
            );
        }
        let text = shown(Shape::Detail, Time::Relative, &[frame]);
        assert!(!text.contains('\x1b'), "{text}");
    }

    #[test]
    fn an_unknown_link_is_named_by_its_number() {
        let registry = registry();
        let mut decoder = Decoder::new(&registry, Shape::Line, Time::Relative, Look::FILE);
        let mut out = Vec::new();
        let frame = Frame {
            at: Timestamp::default(),
            link: LinkType(999),
            interface: 0,
            wire_len: 0,
            bytes: &[],
        };
        decoder.pass(&frame);
        decoder.write(&mut out, &frame).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(text.ends_with("-      link type 999\n"), "{text}");
    }

    #[test]
    fn detail_shows_layers_fields_and_bytes() {
        let registry = registry();
        let mut decoder = Decoder::new(&registry, Shape::Detail, Time::Relative, Look::FILE);
        decoder.select(
            ["last.name", "MIDDLE", "outer.none"]
                .map(|s| s.parse().unwrap())
                .into(),
        );
        let mut out = Vec::new();
        let frames: [(&[u8], u32); 3] = [
            // Padding behind the middle one, bytes that nobody claims, a frame cut short.
            (b"m\x1bx\x18ab\x1bcdefghijklmnopqrs..  ", 28),
            (b"\x81\x05abcdefg", 9),
            (b"m\x14x\x12abcde", 20),
        ];
        for (number, (bytes, wire_len)) in (1..).zip(frames) {
            let frame = Frame {
                at: Timestamp::from_nanos(1000 * number),
                link: LinkType(147),
                interface: 0,
                wire_len,
                bytes,
            };
            decoder.pass(&frame);
            decoder.write(&mut out, &frame).unwrap();
        }
        let text = String::from_utf8(out).unwrap();
        let missing: Vec<String> = decoder.missing().map(Selector::to_string).collect();
        assert_eq!(missing, ["outer.none"]);
        crate::golden::check("detail.txt", &text);
    }

    #[test]
    fn plain_data_says_what_the_detail_says() {
        let registry = registry();
        let mut decoder = Decoder::new(&registry, Shape::Line, Time::Relative, Look::FILE);
        let bytes = b"x\x09ab\x1bc\0\0\0\x01!";
        let frame = Frame {
            at: Timestamp::from_nanos(1),
            link: LinkType(147),
            interface: 3,
            wire_len: 12,
            bytes,
        };
        decoder.pass(&frame);
        let decoded = decoder.plain(&frame);
        assert_eq!((decoded.number, decoded.wire_len), (1, 12));
        assert_eq!(decoded.source, "02-00-00-00-00-01");
        assert_eq!(decoded.protocol, "last");
        assert_eq!(decoded.summary, r"last   7 bytes of ab\x1bc\x00\x00\x00");
        assert_eq!(decoded.bytes, bytes);
        let tree: Vec<_> = decoded
            .tree
            .iter()
            .map(|l| (l.depth, l.text.as_str(), l.bytes.start, l.bytes.end))
            .collect();
        assert_eq!(
            tree,
            [
                (0, "frame: 1, 12 bytes on the wire, 11 captured", 0, 11),
                (1, "Time  1970-01-01T00:00:00.000000001Z", 0, 0),
                (1, "Since the first frame  0.000000000 s", 0, 0),
                (1, "Interface  3", 0, 0),
                (0, r"outer: 9 bytes of x\tab\x1bc\x00\x00\x00", 0, 2),
                (1, "Kind  0x78  of payload", 0, 1),
                (2, "0... ....  Reply  request", 0, 1),
                (2, ".... 1000  Low  8", 0, 1),
                (1, "Length  9", 1, 2),
                (0, r"last: 7 bytes of ab\x1bc\x00\x00\x00", 2, 9),
                (1, "Body", 2, 6),
                (2, r"Two\x07  0x6162  a\x1b[2J", 2, 4),
                (2, r"Name  \x1bc", 4, 6),
                (1, "Four  cut off", 6, 9),
                (0, "Padding, 2 bytes", 9, 11),
            ]
        );
    }

    #[test]
    fn objects_have_every_layer_and_field() {
        assert_eq!(
            shown(
                Shape::Json,
                Time::Relative,
                &[(1, b"x\x09ab\x1bc\0\0\0\x01!", 11)]
            ),
            concat!(
                r#"{"frame":1,"time":"1970-01-01T00:00:00.000000001Z","interface":0,"#,
                r#""link_type":147,"captured_bytes":11,"wire_bytes":11,"#,
                r#""source":"02-00-00-00-00-01","destination":"02-00-00-00-00-02","#,
                r#""layers":[{"protocol":"outer","start":0,"payload":2,"end":9,"depth":0,"#,
                r#""summary":"9 bytes of x\\tab\\x1bc\\x00\\x00\\x00","fields":["#,
                r#"{"name":"Kind","start":0,"end":1,"value":120,"meaning":"of payload","fields":["#,
                r#"{"name":"Reply","start":0,"end":1,"mask":128,"value":0,"meaning":"request"},"#,
                r#"{"name":"Low","start":0,"end":1,"mask":15,"value":8}]},"#,
                r#"{"name":"Length","start":1,"end":2,"value":9}]},"#,
                r#"{"protocol":"last","start":2,"payload":3,"end":9,"depth":1,"#,
                r#""summary":"7 bytes of ab\\x1bc\\x00\\x00\\x00","fields":["#,
                r#"{"name":"Body","start":2,"end":6,"fields":["#,
                r#"{"name":"Two\\x07","start":2,"end":4,"value":24930,"meaning":"a\\x1b[2J"},"#,
                r#"{"name":"Name","start":4,"end":6,"value":"\\x1bc"}]},"#,
                r#"{"name":"Four","start":6,"end":9,"cut":true}]}],"#,
                r#""rest":[{"name":"Padding","start":9,"end":11}],"stopped":null,"#,
                r#""transactions":[],"messages":[]}"#,
                "\n"
            )
        );
    }

    #[test]
    fn every_byte_of_a_frame_has_one_place() {
        let registry = registry();
        let mut walk = Walk::default();
        let mut bytes = *b"m\x1bx\x18ab\x1bcdefghijklmnopqrs..  ";
        for length in 0..=bytes.len() as u8 {
            for (outer, inner) in [(27, 24), (5, 3), (0, 255), (2, 1), (29, 27), (200, 200)] {
                (bytes[1], bytes[3]) = (outer, inner);
                let frame = Frame {
                    at: Timestamp::default(),
                    link: LinkType(147),
                    interface: 0,
                    wire_len: 40,
                    bytes: &bytes[..length.into()],
                };
                registry.walk(&frame, Depth::Full, &mut walk);
                let tree = Tree::of_frame(&registry, &frame, &walk);
                let mut at = 0;
                for range in tree.stretches() {
                    assert_eq!(range.start, at, "{tree:#?}");
                    at = range.end;
                }
                assert_eq!(at, u32::from(length), "{tree:#?}");
            }
        }
    }

    #[test]
    fn times_are_since_the_start_or_the_frame_before() {
        let frames: [(i64, &[u8], u32); 2] = [(5_000, b"", 0), (4_000, b"", 0)];
        let text = shown(Shape::Line, Time::Delta, &frames);
        let times: Vec<&str> = text
            .lines()
            .map(|line| line.split_whitespace().nth(1).unwrap())
            .collect();
        assert_eq!(times, ["0.000000000", "-0.000001000"]);
    }
}

//! Frames, layer by layer: a line each, with or without the layers and bytes below it, or
//! a JSON object each.

use crate::escape::Escaping;
use crate::time::Rfc3339;
use serde::{Serialize, Serializer};
use std::fmt::{self, Write as _};
use std::io::{self, Write};
use wirewait_wire::{Depth, Endpoint, Frame, Registry, Span, Timestamp, Walk};

/// How a frame's time is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Time {
    /// Seconds since the first frame of the capture.
    Relative,
    /// RFC 3339, UTC.
    Absolute,
}

/// What is shown of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One line.
    Line,
    /// The line; below it each layer with the bytes it covers, and the bytes.
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
    /// Time of the first frame of the capture.
    start: Option<Timestamp>,
    /// Reused from frame to frame, like the two texts.
    walk: Walk,
    text: String,
    cell: String,
}

impl<'r> Decoder<'r> {
    /// A decoder for the protocols of `registry`.
    #[must_use]
    pub fn new(registry: &'r Registry, shape: Shape, time: Time) -> Self {
        Self {
            registry,
            time,
            shape,
            start: None,
            walk: Walk::default(),
            text: String::new(),
            cell: String::new(),
        }
    }

    /// Passes a frame over: the first one of the capture is where relative time begins,
    /// whether it is shown or not.
    pub fn pass(&mut self, frame: &Frame<'_>) {
        self.start.get_or_insert(frame.at);
    }

    /// Writes the frame, which is the `number`th of the capture, counted from 1.
    ///
    /// # Errors
    /// What `out` says.
    pub fn write(
        &mut self,
        out: &mut impl Write,
        number: u64,
        frame: &Frame<'_>,
    ) -> io::Result<()> {
        self.pass(frame);
        self.registry.walk(frame, Depth::Full, &mut self.walk);
        if self.shape == Shape::Json {
            serde_json::to_writer(&mut *out, &self.object(number, frame))?;
            return writeln!(out);
        }
        self.text.clear();
        self.line(number, frame).map_err(io::Error::other)?;
        if self.shape == Shape::Detail {
            self.detail(frame).map_err(io::Error::other)?;
        }
        out.write_all(self.text.as_bytes())
    }

    fn line(&mut self, number: u64, frame: &Frame<'_>) -> fmt::Result {
        write!(self.text, "{number:>6}  ")?;
        match self.time {
            Time::Absolute => write!(self.text, "{}  ", Rfc3339(frame.at))?,
            Time::Relative => {
                let since = frame.at.since(self.start.unwrap_or(frame.at));
                self.cell.clear();
                write!(self.cell, "{}", Seconds(since))?;
                write!(self.text, "{:>16}  ", self.cell)?;
            }
        }
        self.cell.clear();
        write!(
            self.cell,
            "{} > {}",
            self.walk.facts.from, self.walk.facts.to
        )?;
        write!(self.text, "{:<43}  ", self.cell)?;
        let mut any = false;
        for (n, span) in self.walk.spans().iter().enumerate() {
            if !self.is_shown(n) {
                continue;
            }
            let dissector = self.registry.dissector(span.dissector);
            if any {
                self.text.push_str(" | ");
            }
            any = true;
            write!(self.text, "{:<6} ", dissector.name)?;
            let input = self.walk.bytes(frame, *span);
            (dissector.describe)(input, &mut Escaping(&mut self.text))?;
        }
        if !any {
            write!(self.text, "-      link type {}", frame.link.0)?;
        }
        if let Some(stop) = self.walk.stop {
            write!(self.text, " [{stop}]")?;
        }
        self.text.truncate(self.text.trim_end().len());
        self.text.push('\n');
        Ok(())
    }

    /// Whether a layer is worth words in one line: it is innermost, or its messages mean
    /// something of their own beside what they carry (NBF).
    fn is_shown(&self, n: usize) -> bool {
        let spans = self.walk.spans();
        let Some(span) = spans.get(n) else {
            return false;
        };
        let carries_the_next = spans
            .get(n + 1)
            .is_some_and(|next| next.start >= span.payload && next.start < span.end.max(1));
        !carries_the_next || self.registry.dissector(span.dissector).exchange.is_some()
    }

    fn detail(&mut self, frame: &Frame<'_>) -> fmt::Result {
        for (depth, span) in self.walk.spans().iter().enumerate() {
            let dissector = self.registry.dissector(span.dissector);
            write!(
                self.text,
                "{:>8}{:indent$}{} [bytes {}, header {}]: ",
                "",
                "",
                dissector.name,
                Range(span.start, span.end),
                span.payload.saturating_sub(span.start),
                indent = depth * 2
            )?;
            let input = self.walk.bytes(frame, *span);
            (dissector.describe)(input, &mut Escaping(&mut self.text))?;
            self.text.truncate(self.text.trim_end().len());
            self.text.push('\n');
        }
        if let Some(stop) = self.walk.stop {
            writeln!(self.text, "{:>8}{stop}", "")?;
        }
        hex(&mut self.text, frame.bytes)?;
        let missing = (frame.wire_len as usize).saturating_sub(frame.bytes.len());
        if missing > 0 {
            writeln!(
                self.text,
                "{:>8}({missing} more bytes were not captured)",
                ""
            )?;
        }
        self.text.push('\n');
        Ok(())
    }

    fn object<'a>(&'a self, number: u64, frame: &'a Frame<'a>) -> Object<'a> {
        Object {
            frame: number,
            time: Rfc3339(frame.at),
            interface: frame.interface,
            link_type: frame.link.0,
            captured_bytes: frame.bytes.len(),
            wire_bytes: frame.wire_len,
            source: Shown(self.walk.facts.from),
            destination: Shown(self.walk.facts.to),
            layers: self
                .walk
                .spans()
                .iter()
                .map(|span| LayerOf {
                    protocol: self.registry.dissector(span.dissector).name,
                    start: span.start,
                    payload: span.payload,
                    end: span.end,
                    summary: Shown(Summary(self, frame, *span)),
                })
                .collect(),
            stopped: self.walk.stop.map(Shown),
        }
    }
}

#[derive(Serialize)]
struct Object<'a> {
    frame: u64,
    time: Rfc3339,
    interface: u32,
    link_type: u16,
    captured_bytes: usize,
    wire_bytes: u32,
    source: Shown<Endpoint>,
    destination: Shown<Endpoint>,
    layers: Vec<LayerOf<'a>>,
    stopped: Option<Shown<wirewait_wire::Stop>>,
}

#[derive(Serialize)]
struct LayerOf<'a> {
    protocol: &'static str,
    start: u32,
    payload: u32,
    end: u32,
    summary: Shown<Summary<'a>>,
}

/// Written as a string, by way of its `Display`.
struct Shown<T>(T);

impl<T: fmt::Display> Serialize for Shown<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

struct Summary<'a>(&'a Decoder<'a>, &'a Frame<'a>, Span);

impl fmt::Display for Summary<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(decoder, frame, span) = self;
        let dissector = decoder.registry.dissector(span.dissector);
        (dissector.describe)(decoder.walk.bytes(frame, *span), &mut Escaping(f))
    }
}

/// Seconds with 9 digits.
struct Seconds(i64);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let nanos = self.0.unsigned_abs();
        write!(
            f,
            "{sign}{}.{:09}",
            nanos / 1_000_000_000,
            nanos % 1_000_000_000
        )
    }
}

/// Bytes from the first to the last, both counted from 0.
struct Range(u32, u32);

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.1.checked_sub(1).filter(|last| *last >= self.0) {
            Some(last) => write!(f, "{}-{last}", self.0),
            None => write!(f, "{}, empty", self.0),
        }
    }
}

/// Sixteen bytes to a line, in hexadecimal and as ASCII.
fn hex(text: &mut String, bytes: &[u8]) -> fmt::Result {
    for (n, line) in bytes.chunks(16).enumerate() {
        write!(text, "{:>8}{:04x} ", "", n * 16)?;
        for (i, byte) in line.iter().enumerate() {
            let gap = if i == 8 { "  " } else { " " };
            write!(text, "{gap}{byte:02x}")?;
        }
        let used = line.len() * 3 + usize::from(line.len() > 8);
        write!(text, "{:fill$}", "", fill = 51 - used)?;
        for byte in line {
            let shown = if byte.is_ascii_graphic() || *byte == b' ' {
                char::from(*byte)
            } else {
                '.'
            };
            text.push(shown);
        }
        text.truncate(text.trim_end_matches(' ').len());
        text.push('\n');
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use wirewait_wire::{
        Carries, Claim, Dissector, Exchange, Facts, Fault, Input, Key, LINK, Layer, LinkType, Next,
        Part, Role, Side, Table, Verified,
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
        ..OUTER
    };

    fn registry() -> Registry {
        static ALL: &[&Dissector] = &[&OUTER, &MIDDLE, &LAST];
        assert_eq!(LINK.name(), "link.type");
        Registry::new(ALL).unwrap()
    }

    fn shown(shape: Shape, time: Time, frames: &[(u64, i64, &[u8], u32)]) -> String {
        let registry = registry();
        let mut decoder = Decoder::new(&registry, shape, time);
        let mut out = Vec::new();
        for (number, nanos, bytes, wire_len) in frames {
            let frame = Frame {
                at: Timestamp::from_nanos(*nanos),
                link: LinkType(147),
                interface: 0,
                wire_len: *wire_len,
                bytes,
            };
            decoder.write(&mut out, *number, &frame).unwrap();
        }
        String::from_utf8(out).unwrap()
    }

    const ADDRESSES: &str = "02-00-00-00-00-01 > 02-00-00-00-00-02      ";

    #[test]
    fn a_line_names_the_innermost_layer_and_what_conveys_it() {
        let frames: [(u64, i64, &[u8], u32); 3] = [
            (1, 5_000_000_000, b"x\x04ab", 4),
            (2, 5_000_001_000, b"m\x06x\x04cd", 6),
            (3, 4_999_999_999, b"x\x04a", 4),
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
        let frame: (u64, i64, &[u8], u32) = (1, 0, b"x\x08\x1b[2J\n\r", 8);
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
        let mut decoder = Decoder::new(&registry, Shape::Line, Time::Relative);
        let mut out = Vec::new();
        let frame = Frame {
            at: Timestamp::default(),
            link: LinkType(999),
            interface: 0,
            wire_len: 0,
            bytes: &[],
        };
        decoder.write(&mut out, 1, &frame).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(text.ends_with("-      link type 999\n"), "{text}");
    }

    #[test]
    fn detail_shows_layers_and_bytes() {
        let text = shown(
            Shape::Detail,
            Time::Relative,
            &[(1, 0, b"m\x14x\x12abcdefghijklmno", 20)],
        );
        assert_eq!(text, include_str!("../golden/detail.txt"));
    }

    #[test]
    fn objects_have_every_layer() {
        assert_eq!(
            shown(Shape::Json, Time::Relative, &[(7, 1, b"x\x04ab", 4)]),
            concat!(
                r#"{"frame":7,"time":"1970-01-01T00:00:00.000000001Z","interface":0,"#,
                r#""link_type":147,"captured_bytes":4,"wire_bytes":4,"#,
                r#""source":"02-00-00-00-00-01","destination":"02-00-00-00-00-02","#,
                r#""layers":[{"protocol":"outer","start":0,"payload":2,"end":4,"#,
                r#""summary":"4 bytes of x\\x04ab"},{"protocol":"last","start":2,"#,
                r#""payload":3,"end":4,"summary":"2 bytes of ab"}],"stopped":null}"#,
                "\n"
            )
        );
    }
}

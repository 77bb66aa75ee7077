//! Fields by the names that display filters of Wireshark have for them.
//!
//! They are compared as Wireshark compares them (wireshark-filter(4)): a test holds if any value of
//! the field in the frame fits, but `!=` only if the frame has the field and no value is equal. Of a
//! message that spans frames, Wireshark has the fields in the last frame; here each frame has those
//! that `decode` shows in it.

use super::Operator;
use super::test::Scene;
use regex::bytes::{Regex, RegexBuilder};
use std::fmt;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::ops::RangeInclusive;

/// A field of Wireshark, and where its values are found.
#[derive(Debug)]
pub(super) struct Synonym {
    pub(super) name: &'static str,
    kind: ValueKind,
    place: FoundIn,
}

impl PartialEq for Synonym {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Synonym {}

/// The values that it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ValueKind {
    Number,
    /// Seconds, kept as nanoseconds.
    Seconds,
    Mac,
    V4,
    V6,
    Bytes,
}

#[derive(Debug)]
enum FoundIn {
    Number,
    SinceStart,
    WireLength,
    CapturedLength,
    Frame,
    /// Layers and their fields.
    Fields(&'static [(&'static str, &'static str)]),
    /// Function of an NCP request; of a reply that of its request.
    Function,
}

/// A value found in a frame, or typed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Datum {
    Number(i128),
    Bytes(Vec<u8>),
}

/// How the values are compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Relation {
    /// There is one.
    Exists,
    Compared(Operator, Datum),
    /// With the first bits of an address.
    Within(Operator, Vec<u8>, u32),
    In(Vec<RangeInclusive<Datum>>),
    Contains(Vec<u8>),
    Matches(Pattern),
}

/// A regular expression; without regard to case, as in Wireshark.
#[derive(Clone, Debug)]
pub(super) struct Pattern(Regex);

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Pattern {}

impl Pattern {
    pub(super) fn new(text: &str) -> Result<Self, String> {
        let built = RegexBuilder::new(text)
            .case_insensitive(true)
            .unicode(false)
            .size_limit(1 << 20)
            .build();
        built.map(Self).map_err(|error| error.to_string())
    }

    pub(super) fn is_match(&self, bytes: &[u8]) -> bool {
        self.0.is_match(bytes)
    }

    /// As it was typed.
    pub(super) fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

const fn field(
    name: &'static str,
    kind: ValueKind,
    fields: &'static [(&'static str, &'static str)],
) -> Synonym {
    Synonym {
        name,
        kind,
        place: FoundIn::Fields(fields),
    }
}

const fn of_frame(name: &'static str, kind: ValueKind, place: FoundIn) -> Synonym {
    Synonym { name, kind, place }
}

/// All that are known.
pub(super) static SYNONYMS: &[Synonym] = &[
    of_frame("frame", ValueKind::Bytes, FoundIn::Frame),
    of_frame("frame.number", ValueKind::Number, FoundIn::Number),
    of_frame(
        "frame.time_relative",
        ValueKind::Seconds,
        FoundIn::SinceStart,
    ),
    of_frame("frame.len", ValueKind::Number, FoundIn::WireLength),
    of_frame("frame.cap_len", ValueKind::Number, FoundIn::CapturedLength),
    field(
        "eth.addr",
        ValueKind::Mac,
        &[("ethernet", "Source"), ("ethernet", "Destination")],
    ),
    field("eth.src", ValueKind::Mac, &[("ethernet", "Source")]),
    field("eth.dst", ValueKind::Mac, &[("ethernet", "Destination")]),
    field(
        "ip.addr",
        ValueKind::V4,
        &[("ipv4", "Source"), ("ipv4", "Destination")],
    ),
    field("ip.src", ValueKind::V4, &[("ipv4", "Source")]),
    field("ip.dst", ValueKind::V4, &[("ipv4", "Destination")]),
    field("ip.id", ValueKind::Number, &[("ipv4", "Identification")]),
    field("ip.ttl", ValueKind::Number, &[("ipv4", "Time to live")]),
    field("ip.proto", ValueKind::Number, &[("ipv4", "Protocol")]),
    field(
        "ipv6.addr",
        ValueKind::V6,
        &[("ipv6", "Source"), ("ipv6", "Destination")],
    ),
    field("ipv6.src", ValueKind::V6, &[("ipv6", "Source")]),
    field("ipv6.dst", ValueKind::V6, &[("ipv6", "Destination")]),
    field(
        "tcp.port",
        ValueKind::Number,
        &[("tcp", "Source port"), ("tcp", "Destination port")],
    ),
    field("tcp.srcport", ValueKind::Number, &[("tcp", "Source port")]),
    field(
        "tcp.dstport",
        ValueKind::Number,
        &[("tcp", "Destination port")],
    ),
    field(
        "tcp.seq_raw",
        ValueKind::Number,
        &[("tcp", "Sequence number")],
    ),
    field(
        "tcp.ack_raw",
        ValueKind::Number,
        &[("tcp", "Acknowledgement number")],
    ),
    field("tcp.flags.syn", ValueKind::Number, &[("tcp", "SYN")]),
    field("tcp.flags.fin", ValueKind::Number, &[("tcp", "FIN")]),
    field("tcp.flags.reset", ValueKind::Number, &[("tcp", "RST")]),
    field("tcp.flags.ack", ValueKind::Number, &[("tcp", "ACK")]),
    field(
        "tcp.window_size_value",
        ValueKind::Number,
        &[("tcp", "Window")],
    ),
    field(
        "udp.port",
        ValueKind::Number,
        &[("udp", "Source port"), ("udp", "Destination port")],
    ),
    field("udp.srcport", ValueKind::Number, &[("udp", "Source port")]),
    field(
        "udp.dstport",
        ValueKind::Number,
        &[("udp", "Destination port")],
    ),
    field(
        "nbss.length",
        ValueKind::Number,
        &[
            ("nbss", "Length"),
            ("nbt", "Length"),
            ("direct_tcp", "Length"),
        ],
    ),
    field("smb.cmd", ValueKind::Number, &[("smb1", "Command")]),
    field("smb.mid", ValueKind::Number, &[("smb1", "Multiplex ID")]),
    field("smb.uid", ValueKind::Number, &[("smb1", "User ID")]),
    field("smb.tid", ValueKind::Number, &[("smb1", "Tree ID")]),
    field("smb.nt_status", ValueKind::Number, &[("smb1", "Status")]),
    field("smb2.cmd", ValueKind::Number, &[("smb2", "Command")]),
    field("smb2.msg_id", ValueKind::Number, &[("smb2", "MessageId")]),
    field("smb2.sesid", ValueKind::Number, &[("smb2", "SessionId")]),
    field("smb2.nt_status", ValueKind::Number, &[("smb2", "Status")]),
    of_frame("ncp.func", ValueKind::Number, FoundIn::Function),
    field("ncp.seq", ValueKind::Number, &[("ncp", "Sequence number")]),
];

/// Fields of Wireshark that sound like one of `decode` and are another: what each is there, and what to write for it.
static OTHERS: &[(&str, &str, &str)] = &[
    (
        "tcp.ack",
        "the acknowledgement number counted from 0",
        "tcp.ack_raw, as it is on the wire",
    ),
    (
        "smb2.flags",
        "of the header alone",
        "smb2.Flags, of the header and of commands",
    ),
    (
        "smb2.read_data",
        "data",
        "smb2.READ_DATA, the right to read",
    ),
    (
        "smb2.write_data",
        "data",
        "smb2.WRITE_DATA, the right to write",
    ),
    (
        "smb.stream_size",
        "a size",
        "smb.StreamSize, whether it was requested",
    ),
    (
        "smb.stream_name",
        "a name",
        "smb.StreamName, whether it was requested",
    ),
    (
        "ncp.length",
        "of a packet over IP",
        "ncp_tcp.Length, or ncp.Length of what ncp has",
    ),
    (
        "ncp.data_stream_size",
        "a size",
        "ncp.DataStreamSize, whether it was requested",
    ),
    (
        "gre.checksum",
        "its value",
        "gre.Checksum, whether there is one",
    ),
    ("gre.key", "its value", "gre.Key, whether there is one"),
    (
        "gre.sequence_number",
        "its value",
        "gre.SequenceNumber, whether there is one",
    ),
    (
        "lanman.server",
        "a structure",
        "lanman.Server, a bit of what a server is",
    ),
    (
        "browser.server",
        "a name",
        "browser.Server, a bit of what a server is",
    ),
];

/// Why a field that is typed as Wireshark has it is none here, if it would be taken for another one.
pub(super) fn other(typed: &str) -> Option<String> {
    let (name, there, instead) = OTHERS.iter().find(|(name, ..)| *name == typed)?;
    Some(format!(
        "{name} is {there} in Wireshark, which no field here is; write {instead}"
    ))
}

/// Names of protocols that Wireshark calls otherwise.
pub(super) const LAYERS: [(&str, &str); 4] = [
    ("eth", "ethernet"),
    ("ip", "ipv4"),
    ("smb", "smb1"),
    ("netbios", "nbf"),
];

impl Synonym {
    /// The field that is called so.
    pub(super) fn called(name: &str) -> Option<&'static Self> {
        SYNONYMS
            .iter()
            .find(|synonym| synonym.name.eq_ignore_ascii_case(name))
    }

    /// Reads a value as it is typed; for addresses also `10.0.0.0/8`, with the number of bits.
    pub(super) fn value(&self, text: &str) -> Result<(Datum, Option<u32>), String> {
        let says = |what: &str| Err(format!("{} takes {what}", self.name));
        let (address, bits) = match text.split_once('/') {
            Some((address, bits)) => (address, bits.parse().ok()),
            None => (text, None),
        };
        let none = text.contains('/') && bits.is_none();
        match self.kind {
            ValueKind::Number => match super::parse::number(text) {
                Some(number) => Ok((Datum::Number(number.into()), None)),
                None => says("a number (445, 0x451)"),
            },
            ValueKind::Seconds => match nanos(text) {
                Some(nanos) => Ok((Datum::Number(nanos), None)),
                None => says("seconds (1.5)"),
            },
            ValueKind::V4 => match address.parse::<Ipv4Addr>() {
                Ok(address) if !none && bits.is_none_or(|bits: u32| bits <= 32) => {
                    Ok((Datum::Bytes(address.octets().into()), bits))
                }
                _ => says("an address of IPv4 (10.0.0.1, 10.0.0.0/8)"),
            },
            ValueKind::V6 => match address.parse::<Ipv6Addr>() {
                Ok(address) if !none && bits.is_none_or(|bits: u32| bits <= 128) => {
                    Ok((Datum::Bytes(address.octets().into()), bits))
                }
                _ => says("an address of IPv6 (fe80::1, fe80::/10)"),
            },
            ValueKind::Mac => match hex(text).filter(|bytes| bytes.len() == 6) {
                Some(bytes) => Ok((Datum::Bytes(bytes), None)),
                None => says("a MAC address (00:00:1b:12:34:56)"),
            },
            ValueKind::Bytes => says("contains or matches"),
        }
    }

    /// What is searched for: words, or bytes in hexadecimal with colons in between.
    pub(super) fn part(&self, text: &str, quoted: bool) -> Result<Vec<u8>, String> {
        match self.kind {
            ValueKind::Number | ValueKind::Seconds => {
                Err(format!("{} is a number, which contains nothing", self.name))
            }
            _ => Ok(hex(text)
                .filter(|_| !quoted)
                .unwrap_or_else(|| text.as_bytes().to_vec())),
        }
    }

    pub(super) fn holds(&self, relation: &Relation, scene: &Scene<'_>) -> bool {
        let mut values = self.values(scene).into_iter();
        match relation {
            Relation::Exists => values.next().is_some(),
            Relation::Compared(Operator::NotEqual, wanted) => {
                let all: Vec<Datum> = values.collect();
                !all.is_empty() && all.iter().all(|value| value != wanted)
            }
            Relation::Compared(operator, wanted) => {
                values.any(|value| super::test::holds(value.cmp(wanted), *operator))
            }
            Relation::Within(operator, net, bits) => {
                let all: Vec<Datum> = values.collect();
                let mut inside = all.iter().map(|value| within(value, net, *bits));
                match operator {
                    Operator::NotEqual => !all.is_empty() && inside.all(|inside| !inside),
                    _ => inside.any(|inside| inside),
                }
            }
            Relation::In(ranges) => {
                values.any(|value| ranges.iter().any(|range| range.contains(&value)))
            }
            Relation::Contains(part) => values.any(|value| match value {
                Datum::Bytes(bytes) => {
                    part.is_empty() || bytes.windows(part.len()).any(|at| at == part)
                }
                Datum::Number(_) => false,
            }),
            Relation::Matches(pattern) => values.any(|value| match value {
                Datum::Bytes(bytes) => pattern.is_match(&bytes),
                Datum::Number(_) => false,
            }),
        }
    }

    fn values(&self, scene: &Scene<'_>) -> Vec<Datum> {
        let number = |number: u64| vec![Datum::Number(number.into())];
        match &self.place {
            FoundIn::Number => number(scene.number),
            FoundIn::SinceStart => vec![Datum::Number(scene.since_start.into())],
            FoundIn::WireLength => number(scene.wire_len.into()),
            FoundIn::CapturedLength => number(scene.bytes.len() as u64),
            FoundIn::Frame => vec![Datum::Bytes(scene.bytes.to_vec())],
            FoundIn::Function => scene.functions().into_iter().flat_map(number).collect(),
            FoundIn::Fields(places) => places
                .iter()
                .flat_map(|(layer, name)| scene.complete(layer, name))
                .filter_map(|field| self.found(&field.value))
                .collect(),
        }
    }

    fn found(&self, value: &wirewait_wire::Value<'_>) -> Option<Datum> {
        use wirewait_wire::Value;
        match (value, self.kind) {
            (Value::Decimal(number) | Value::Hex(number), ValueKind::Number) => {
                Some(Datum::Number((*number).into()))
            }
            (Value::Text(text), ValueKind::V4) => {
                let address: Ipv4Addr = text.parse().ok()?;
                Some(Datum::Bytes(address.octets().into()))
            }
            (Value::Text(text), ValueKind::V6) => {
                let address: Ipv6Addr = text.parse().ok()?;
                Some(Datum::Bytes(address.octets().into()))
            }
            (Value::Text(text), ValueKind::Mac) => hex(text).map(Datum::Bytes),
            (Value::Bytes(bytes), _) => Some(Datum::Bytes(bytes.to_vec())),
            _ => None,
        }
    }
}

/// Whether the first bits of an address are those of a network.
fn within(value: &Datum, net: &[u8], bits: u32) -> bool {
    let Datum::Bytes(bytes) = value else {
        return false;
    };
    let mut left = bits;
    bytes.len() == net.len()
        && bytes.iter().zip(net).all(|(a, b)| {
            let here = left.min(8);
            left -= here;
            let mask = u8::try_from(0xff00_u32 >> here & 0xff).unwrap_or(0);
            a & mask == b & mask
        })
}

/// Bytes in hexadecimal, with `:`, `-` or `.` in between; at least two.
pub(super) fn hex(text: &str) -> Option<Vec<u8>> {
    let separator = text.chars().find(|c| matches!(c, ':' | '-' | '.'))?;
    let byte = |part: &str| {
        let digits = part.len() == 2 && part.bytes().all(|b| b.is_ascii_hexdigit());
        u8::from_str_radix(part, 16).ok().filter(|_| digits)
    };
    text.split(separator).map(byte).collect()
}

/// Decimal seconds as nanoseconds.
fn nanos(text: &str) -> Option<i128> {
    let (sign, text) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text),
    };
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    if whole.is_empty() || whole.len() > 18 || part.len() > 9 || !digits(whole) || !digits(part) {
        return None;
    }
    let whole: i128 = whole.parse().ok()?;
    let part: i128 = format!("{part:0<9}").parse().ok()?;
    Some(sign * (whole * 1_000_000_000 + part))
}

/// A test of such a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct WireTest {
    pub(super) synonym: &'static Synonym,
    pub(super) relation: Relation,
    /// What stands behind the name, as it can be typed again.
    pub(super) typed: String,
}

impl fmt::Display for WireTest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.synonym.name, self.typed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_as_they_are_typed() {
        let value = |name: &str, text: &str| Synonym::called(name).unwrap().value(text);
        let number = |n: i128| Ok((Datum::Number(n), None));
        assert_eq!(value("tcp.port", "445"), number(445));
        assert_eq!(value("TCP.port", "0x1bd"), number(445));
        assert_eq!(value("frame.time_relative", "1.5"), number(1_500_000_000));
        assert_eq!(value("frame.time_relative", "-0.000000001"), number(-1));
        let net = Datum::Bytes(vec![10, 0, 0, 0]);
        assert_eq!(value("ip.addr", "10.0.0.0/8"), Ok((net, Some(8))));
        let mac = Datum::Bytes(vec![0, 0x1b, 2, 3, 4, 0xff]);
        for text in ["00:1b:02:03:04:ff", "00-1B-02-03-04-FF"] {
            assert_eq!(value("eth.src", text), Ok((mac.clone(), None)));
        }
        for (name, wrong) in [
            ("tcp.port", "http"),
            ("ip.addr", "10.0.0"),
            ("ip.addr", "10.0.0.0/33"),
            ("ip.addr", "10.0.0.0/x"),
            ("eth.addr", "00:1b"),
            ("frame.time_relative", "1.2.3"),
            ("frame", "1"),
        ] {
            assert!(value(name, wrong).is_err(), "{name} {wrong}");
        }
    }

    #[test]
    fn networks_have_bits() {
        let address = Datum::Bytes(vec![10, 1, 0x82, 4]);
        for (net, bits, inside) in [
            ([10, 0, 0, 0], 8, true),
            ([10, 1, 0x80, 0], 22, true),
            ([10, 1, 0x80, 0], 23, false),
            ([0, 0, 0, 0], 0, true),
            ([10, 1, 0x82, 4], 32, true),
            ([10, 1, 0x82, 5], 32, false),
        ] {
            assert_eq!(within(&address, &net, bits), inside, "{net:?}/{bits}");
        }
    }
}

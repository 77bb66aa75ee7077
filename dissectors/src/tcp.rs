//! Transmission Control Protocol. RFC 9293.

use crate::ipv4;
use crate::parse::{header, malformed};
use std::fmt;
use std::num::NonZeroU32;
use wirewait_wire::{
    Carries, Claim, Deciding, Dissector, Facts, Fault, Fields, Input, Layer, Next, Order, Scaling,
    SegmentStamps, Steady, Stream, Table, Verified,
};

/// Ports of either end; the lower one is tried first.
pub const PORT: Table = Table::new("tcp.port");

/// A TCP header without its options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Source port.
    pub source: u16,
    /// Destination port.
    pub destination: u16,
    /// Sequence number.
    pub sequence: u32,
    /// Acknowledgement number; means nothing without the ACK bit.
    pub acknowledgement: u32,
    /// Bytes of header with options.
    pub header_length: u8,
    /// Control bits, FIN lowest.
    pub control: u8,
    /// Receive window as written, unscaled.
    pub window: u16,
}

/// Control bits (RFC 9293, 3.1).
const FIN: u8 = 0x01;
const SYN: u8 = 0x02;
const RST: u8 = 0x04;
const PSH: u8 = 0x08;
const ACK: u8 = 0x10;
const URG: u8 = 0x20;

impl Header {
    /// Reads a header.
    ///
    /// # Errors
    /// [`Fault::Short`], or [`Fault::Malformed`] for a data offset inside the header or
    /// behind the segment.
    pub fn parse(input: Input<'_>) -> Result<Self, Fault> {
        let h: &[u8; 20] = header(input)?;
        let parsed = Self {
            source: u16::from_be_bytes([h[0], h[1]]),
            destination: u16::from_be_bytes([h[2], h[3]]),
            sequence: u32::from_be_bytes([h[4], h[5], h[6], h[7]]),
            acknowledgement: u32::from_be_bytes([h[8], h[9], h[10], h[11]]),
            header_length: (h[12] >> 4) * 4,
            control: h[13],
            window: u16::from_be_bytes([h[14], h[15]]),
        };
        if parsed.header_length < 20 {
            return Err(malformed(12, "data offset less than 5"));
        }
        if u32::from(parsed.header_length) > input.length {
            return Err(malformed(12, "data offset behind the segment"));
        }
        Ok(parsed)
    }

    const fn has(&self, bit: u8) -> bool {
        self.control & bit != 0
    }
}

pub(crate) static DISSECTOR: Dissector = Dissector {
    name: "tcp",
    orders: true,
    title: "Transmission Control Protocol, RFC 9293",
    does: "ports, sequence and acknowledgement numbers, window, control bits, options",
    lacks: "selective acknowledgements are followed of bytes that arrived twice only, echoes of time stamps not",
    verified: &[
        Verified::Specification,
        Verified::RealCaptures,
        Verified::Tshark,
    ],
    claims: &[Claim::Exact(ipv4::PROTOCOL.key(6))],
    conveys: true,
    carrier: Some("tcp"),
    dissect,
    steady: Some(Steady { decides, varies }),
    describe,
    fields,
    largest_segment: Some(largest_segment),
    ..Dissector::PLAIN
};

fn dissect(input: Input<'_>, facts: &mut Facts) -> Result<Layer, Fault> {
    let h = Header::parse(input)?;
    facts.from = facts.from.with_port(h.source);
    facts.to = facts.to.with_port(h.destination);
    facts.order = Order::Stream(Stream {
        seq: h.sequence,
        ack: h.has(ACK).then_some(h.acknowledgement),
        window: h.window,
        scaling: match h.has(SYN) {
            true => scaling(input.bytes.get(20..h.header_length.into())),
            false => Scaling::Unsaid,
        },
        twice: input
            .bytes
            .get(20..h.header_length.into())
            .and_then(|options| twice(options, h.acknowledgement)),
        stamps: input
            .bytes
            .get(20..h.header_length.into())
            .and_then(stamps)
            .unwrap_or_default(),
        syn: h.has(SYN),
        fin: h.has(FIN),
        rst: h.has(RST),
    });
    facts.carries = Carries::Stream;
    let (low, high) = (h.source.min(h.destination), h.source.max(h.destination));
    Ok(Layer {
        header: h.header_length.into(),
        end: input.length,
        next: Next::two(PORT.key(low.into()), PORT.key(high.into())),
    })
}

/// The ports and the length of the header; that it has no options, or the usual time stamps only
/// (RFC 7323, appendix A). Others have to be read.
fn decides(input: Input<'_>) -> Option<Deciding> {
    const PLAIN: [u8; 24] = [
        0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0xf0, 0, 0, 0, 0, 0, 0, 0, //
        0xff, 0xff, 0xff, 0xff,
    ];
    let mask = match input.bytes.get(12)? >> 4 {
        5 => &PLAIN[..13],
        8 if input.bytes.get(20..24)? == [1, 1, 8, 10] => &PLAIN,
        _ => return None,
    };
    Some(Deciding { mask, whom: 0..4 })
}

fn varies(input: Input<'_>, facts: &mut Facts) -> Option<u32> {
    let h: &[u8; 20] = input.bytes.first_chunk()?;
    if h[13] & SYN != 0 || u32::from(h[12] >> 4) * 4 > input.length {
        return None;
    }
    facts.order = Order::Stream(Stream {
        seq: u32::from_be_bytes([h[4], h[5], h[6], h[7]]),
        ack: (h[13] & ACK != 0).then_some(u32::from_be_bytes([h[8], h[9], h[10], h[11]])),
        window: u16::from_be_bytes([h[14], h[15]]),
        scaling: Scaling::Unsaid,
        twice: None,
        stamps: (h[12] >> 4 == 8)
            .then(|| input.bytes.get(24..32)?.first_chunk())
            .flatten()
            .map_or(SegmentStamps::default(), |both| {
                SegmentStamps::of(u64::from_be_bytes(*both))
            }),
        syn: false,
        fin: h[13] & FIN != 0,
        rst: h[13] & RST != 0,
    });
    Some(input.length)
}

/// The window scale option of a segment that opens the stream; no shift above 14 counts (RFC
/// 7323, 2.3).
fn scaling(options: Option<&[u8]>) -> Scaling {
    let Some(mut rest) = options else {
        return Scaling::Unsaid;
    };
    loop {
        rest = match rest {
            [3, 3, shift, ..] => return Scaling::By((*shift).min(14)),
            [0, ..] | [] => return Scaling::Never,
            [1, rest @ ..] => rest,
            [_, length, ..] if *length >= 2 => rest.get(usize::from(*length)..).unwrap_or(&[]),
            _ => return Scaling::Never,
        };
    }
}

/// The maximum segment size of the option of that name (RFC 9293, 3.7.1); 0 says nothing.
fn largest_segment(input: Input<'_>) -> Option<u16> {
    let h = Header::parse(input).ok()?;
    let mut rest = input.bytes.get(20..h.header_length.into())?;
    loop {
        rest = match rest {
            [2, 4, high, low, ..] => {
                let size = u16::from_be_bytes([*high, *low]);
                return Some(size).filter(|size| *size > 0);
            }
            [0, ..] | [] => return None,
            [1, rest @ ..] => rest,
            [_, length, ..] if *length >= 2 => rest.get(usize::from(*length)..)?,
            _ => return None,
        };
    }
}

/// The time stamps of the option of that name (RFC 7323, 3.2).
fn stamps(options: &[u8]) -> Option<SegmentStamps> {
    let mut rest = options;
    loop {
        rest = match rest {
            [8, 10, both @ ..] => {
                return Some(SegmentStamps::of(u64::from_be_bytes(*both.first_chunk()?)));
            }
            [0, ..] | [] => return None,
            [1, rest @ ..] => rest,
            [_, length, ..] if *length >= 2 => rest.get(usize::from(*length)..)?,
            _ => return None,
        };
    }
}

/// Where the first block of a selective acknowledgement begins, before what is acknowledged, if it
/// is of bytes that arrived twice: they are acknowledged already, or within the second block (RFC
/// 2883, 4).
#[cold]
fn twice(options: &[u8], ack: u32) -> Option<NonZeroU32> {
    let mut rest = options;
    let blocks = loop {
        rest = match rest {
            [0, ..] | [] => return None,
            [1, rest @ ..] => rest,
            [5, length, ..] => break rest.get(2..usize::from(*length))?,
            [_, length, ..] if *length >= 2 => rest.get(usize::from(*length)..)?,
            _ => return None,
        };
    };
    let (blocks, _) = blocks.as_chunks::<8>();
    let mut blocks = blocks.iter().map(|b| {
        let [from, to] = [[b[0], b[1], b[2], b[3]], [b[4], b[5], b[6], b[7]]];
        (u32::from_be_bytes(from), u32::from_be_bytes(to))
    });
    let first = blocks.next()?;
    // Sequence numbers start again at 0: RFC 9293, 3.4.
    let not_behind = |a: u32, b: u32| (b.wrapping_sub(a) as i32) >= 0;
    let within = |(from, to): (u32, u32)| not_behind(from, first.0) && not_behind(first.1, to);
    let twice = not_behind(first.1, ack) || blocks.next().is_some_and(within);
    NonZeroU32::new(ack.wrapping_sub(first.0)).filter(|_| twice && first.0 != first.1)
}

/// As tcpdump writes it: flags by their letters, ACK as a dot.
fn describe(input: Input<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    let h = match Header::parse(input) {
        Ok(h) => h,
        Err(Fault::Malformed { what, .. }) => return out.write_str(what),
        Err(Fault::Short { .. }) => return out.write_str("cut off"),
    };
    write!(out, "{} > {} [", h.source, h.destination)?;
    for (bit, letter) in [
        (SYN, 'S'),
        (FIN, 'F'),
        (RST, 'R'),
        (PSH, 'P'),
        (URG, 'U'),
        (ACK, '.'),
    ] {
        if h.has(bit) {
            out.write_char(letter)?;
        }
    }
    write!(out, "] seq {}", h.sequence)?;
    if h.has(ACK) {
        write!(out, " ack {}", h.acknowledgement)?;
    }
    let length = input.length.saturating_sub(h.header_length.into());
    write!(out, " win {}, length {length}", h.window)
}

fn fields(f: &mut Fields<'_>) -> Option<()> {
    f.be16("Source port")?;
    f.be16("Destination port")?;
    f.be32("Sequence number")?;
    f.be32("Acknowledgement number")?;
    f.be16("Data offset and control bits")?;
    f.hex();
    let length = f.bits(0xf000, "Data offset").saturating_mul(4);
    f.means(format_args!("{length} bytes of header"));
    for (bit, name) in [
        (0x80, "CWR"),
        (0x40, "ECE"),
        (URG, "URG"),
        (ACK, "ACK"),
        (PSH, "PSH"),
        (RST, "RST"),
        (SYN, "SYN"),
        (FIN, "FIN"),
    ] {
        f.flag(bit.into(), name, "set", "");
    }
    f.be16("Window")?;
    f.be16("Checksum")?;
    f.hex();
    f.be16("Urgent pointer")?;
    let options_length = u32::try_from(length).unwrap_or(0).saturating_sub(20);
    if options_length > 0 && f.left() > 0 {
        f.open("Options");
        f.within(options_length, "Padding", options)?;
        f.close();
    }
    Some(())
}

/// RFC 9293, 3.1, and the documents that name the others (IANA, "TCP option kind numbers").
fn options(f: &mut Fields<'_>) -> Option<()> {
    while f.left() > 0 {
        let kind = f.u8("Option")?;
        f.means(match kind {
            0 => "end of options",
            1 => "no operation",
            2 => "maximum segment size",
            3 => "window scale",
            4 => "selective acknowledgement permitted",
            5 => "selective acknowledgement",
            6 => "echo",
            7 => "echo reply",
            8 => "timestamps",
            19 => "MD5 signature",
            28 => "user timeout",
            29 => "authentication",
            30 => "multipath",
            34 => "fast open",
            _ => "",
        });
        match kind {
            0 => break,
            1 => continue,
            _ => {}
        }
        let length = f.u8("Option length")?;
        f.within(u32::from(length).saturating_sub(2), "Option data", |f| {
            option(f, kind)
        })?;
    }
    Some(())
}

fn option(f: &mut Fields<'_>, kind: u8) -> Option<()> {
    match (kind, f.left()) {
        (2, 2) => {
            f.be16("Maximum segment size")?;
        }
        (3, 1) => {
            let shift = f.u8("Window scale")?;
            // RFC 7323, 2.3: no shift above 14 counts.
            f.means(format_args!("window times {}", 1u32 << shift.min(14)));
        }
        // RFC 2018, 3.
        (5, _) => {
            while f.left() >= 8 {
                f.be32("Left edge of block")?;
                f.be32("Right edge of block")?;
            }
        }
        // RFC 7323, 3.2.
        (8, 8) => {
            f.be32("Timestamp value")?;
            f.be32("Timestamp echo reply")?;
        }
        _ => {}
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, line, short_when_cut};
    use proptest::prelude::*;

    /// Port 1025 to 139, sequence 100, acknowledgement 200, PSH and ACK, window 8760.
    const BYTES: [u8; 20] = [
        0x04, 0x01, 0x00, 0x8b, 0, 0, 0, 100, 0, 0, 0, 200, 0x50, 0x18, 0x22, 0x38, 0, 0, 0, 0,
    ];

    fn read(bytes: &[u8], length: u32) -> (Layer, Stream) {
        let mut facts = Facts::default();
        let layer = dissect(Input { bytes, length }, &mut facts).unwrap();
        assert_eq!(facts.carries, Carries::Stream);
        match facts.order {
            Order::Stream(stream) => (layer, stream),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn reads_numbers_and_tries_the_lower_port_first() {
        let (layer, stream) = read(&BYTES, 30);
        assert_eq!((layer.header, layer.end), (20, 30));
        assert!(layer.next.keys().eq([PORT.key(139), PORT.key(1025)]));
        assert_eq!(
            stream,
            Stream {
                seq: 100,
                ack: Some(200),
                window: 8760,
                ..Stream::default()
            }
        );
        assert_eq!(
            line(&DISSECTOR, &BYTES),
            "1025 > 139 [P.] seq 100 ack 200 win 8760, length 0"
        );
    }

    #[test]
    fn opening_and_ending() {
        let mut bytes = BYTES;
        bytes[13] = SYN;
        let (_, stream) = read(&bytes, 20);
        assert!(stream.syn && !stream.fin && !stream.rst);
        assert_eq!(stream.ack, None, "the field means nothing without ACK");
        bytes[13] = FIN | RST | ACK;
        let (_, stream) = read(&bytes, 20);
        assert!(!stream.syn && stream.fin && stream.rst);
    }

    /// MSS 1460 behind a window scale; then none, then cut by the capture.
    #[test]
    fn a_segment_that_opens_says_how_long_others_may_be() {
        let mut bytes = BYTES.to_vec();
        (bytes[12], bytes[13]) = (0x70, SYN);
        bytes.extend([3, 3, 7, 1, 2, 4, 0x05, 0xb4]);
        let says = |bytes: &[u8], length| largest_segment(Input { bytes, length });
        assert_eq!(says(&bytes, 28), Some(1460));
        assert_eq!(says(&bytes[..27], 28), None);
        bytes[24] = 5;
        assert_eq!(says(&bytes, 28), None);
    }

    /// MSS 1460, no operation, window scale 7; then none, then cut by the capture.
    #[test]
    fn a_segment_that_opens_says_how_windows_are_scaled() {
        let mut bytes = BYTES.to_vec();
        bytes[12] = 0x70;
        bytes.extend([2, 4, 0x05, 0xb4, 1, 3, 3, 7]);
        let scaling = |bytes: &[u8]| read(bytes, 28).1.scaling;
        assert_eq!(scaling(&bytes), Scaling::Unsaid, "not a SYN");
        bytes[13] = SYN;
        assert_eq!(scaling(&bytes), Scaling::By(7));
        bytes[27] = 200;
        assert_eq!(scaling(&bytes), Scaling::By(14));
        bytes[24] = 0;
        assert_eq!(scaling(&bytes), Scaling::Never, "the list ended before");
        bytes[24..28].copy_from_slice(&[30, 0, 3, 3]);
        assert_eq!(scaling(&bytes), Scaling::Never, "a length without itself");
        assert_eq!(scaling(&bytes[..26]), Scaling::Unsaid);
    }

    /// The examples of RFC 2883, 4.1 and 4.2: acknowledgement, blocks, and what arrived twice.
    #[test]
    fn bytes_that_came_twice_are_told_from_those_that_came_early() {
        let said = |ack: u32, blocks: &[(u32, u32)]| {
            let mut bytes = BYTES.to_vec();
            bytes[8..12].copy_from_slice(&ack.to_be_bytes());
            bytes.extend([1, 1, 5, 2 + 8 * blocks.len() as u8]);
            for (from, to) in blocks {
                bytes.extend(from.to_be_bytes());
                bytes.extend(to.to_be_bytes());
            }
            bytes[12] = (bytes.len() as u8 / 4) << 4;
            let twice = read(&bytes, bytes.len() as u32).1.twice;
            twice.map(|before| ack.wrapping_sub(before.get()))
        };
        assert_eq!(said(4000, &[(3000, 3500)]), Some(3000));
        let both = [(3000, 3500), (4500, 5000)];
        assert_eq!(said(4000, &both), Some(3000), "4.1.2");
        let within = [(5000, 5500), (4500, 6000)];
        assert_eq!(said(4000, &within), Some(5000), "4.2.1");
        let whole = [(5000, 5500), (5000, 5500)];
        assert_eq!(said(4000, &whole), Some(5000));
        assert_eq!(said(4000, &[(4500, 5000)]), None, "came early");
        let early = [(4500, 5000), (5500, 6000)];
        assert_eq!(said(4000, &early), None);
        // Across 2^32, where what follows comes first.
        assert_eq!(said(20, &[(u32::MAX - 9, 10)]), Some(u32::MAX - 9));
        assert_eq!(said(u32::MAX - 9, &[(10, 20)]), None);
        assert_eq!(said(4000, &[(3000, 3000)]), None, "no byte");
        assert_eq!(said(4000, &[]), None);
    }

    /// The layout of RFC 7323, appendix A, by both ways to read it; then behind another option, cut, and as a SYN
    /// has it.
    #[test]
    fn a_time_stamp_is_read_wherever_it_stands() {
        let mut bytes = BYTES.to_vec();
        bytes.extend([1, 1, 8, 10, 0x12, 0x34, 0x56, 0x78, 0, 0, 0, 2]);
        bytes[12] = 0x80;
        let both = |bytes: &[u8]| {
            let mut facts = Facts::default();
            varies(Input { bytes, length: 40 }, &mut facts).unwrap();
            let of = |stream: Stream| {
                [stream.stamps.stamp(), stream.stamps.echo()].map(|of| of.map(NonZeroU32::get))
            };
            match facts.order {
                Order::Stream(stream) => (of(read(bytes, 40).1), of(stream)),
                other => panic!("{other:?}"),
            }
        };
        // RFC 7323, 3.2: kind, length, TSval, TSecr.
        let found = [Some(0x1234_5678), Some(2)];
        assert_eq!(both(&bytes), (found, found));
        let stamp = |bytes: &[u8]| read(bytes, 40).1.stamps.stamp().map(NonZeroU32::get);
        let predicted = |bytes: &[u8]| both(bytes).1[0];
        for cut in [27, 28, 31] {
            let found = (stamp(&bytes[..cut]), predicted(&bytes[..cut]));
            assert_eq!(found, (None, None), "cut to {cut}");
        }
        bytes[24..28].fill(0);
        assert_eq!(both(&bytes), ([None, Some(2)], [None, Some(2)]));
        bytes[28..32].fill(0);
        assert_eq!(both(&bytes), ([None; 2], [None; 2]));
        assert_eq!(predicted(&BYTES), None);
        let mut opens = BYTES.to_vec();
        opens.extend([2, 4, 5, 0xb4, 4, 2, 8, 10, 0, 0, 0, 7, 0, 0, 0, 0]);
        (opens[12], opens[13]) = (0x90, SYN);
        assert_eq!(stamp(&opens), Some(7));
        opens[23] = 0;
        opens[20] = 0;
        assert_eq!(stamp(&opens), None, "the list ended before");
    }

    /// Options behind time stamps, and lists that say nothing: nobody reads beyond them.
    #[test]
    fn a_selective_acknowledgement_is_found_in_any_list() {
        let found = |options: &[u8]| twice(options, 4000);
        let block = [0, 0, 0x0b, 0xb8, 0, 0, 0x0d, 0xac];
        let behind = |before: &[u8], length: u8| [before, &[5, length], &block].concat();
        let stamps = [1, 1, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2, 1, 1];
        assert_eq!(found(&behind(&stamps, 10)), NonZeroU32::new(1000));
        for length in [0, 1, 2, 9, 11, 255] {
            assert_eq!(found(&behind(&[], length)), None, "{length}");
        }
        assert_eq!(found(&behind(&[0], 10)), None, "the list ended before");
        assert_eq!(found(&behind(&[8, 0], 10)), None, "a length without itself");
        assert_eq!(found(&behind(&[8, 200], 10)), None);
        assert_eq!(found(&[5]), None);
        assert_eq!(found(&[8]), None);
    }

    #[test]
    fn options_are_skipped_even_when_the_capture_cut_them() {
        let mut bytes = BYTES;
        bytes[12] = 0x80;
        assert_eq!(read(&bytes, 1460).0.header, 32);
    }

    #[test]
    fn options_are_told_apart() {
        // What Linux sends with a SYN, and a selective acknowledgement of one block.
        let mut bytes = BYTES.to_vec();
        bytes[12] = 0xd0;
        bytes.extend([
            2, 4, 0x05, 0xb4, 4, 2, 8, 10, 0, 0, 1, 2, 0, 0, 3, 4, 1, 3, 3, 7,
        ]);
        bytes.extend([5, 10, 0, 0, 0, 9, 0, 0, 0, 11, 1, 0]);
        let fields = testing::fields(&DISSECTOR, Input::whole(&bytes));
        for (name, value) in [
            ("Maximum segment size", 1460),
            ("Timestamp value", 0x0102),
            ("Timestamp echo reply", 0x0304),
            ("Window scale", 7),
            ("Left edge of block", 9),
            ("Right edge of block", 11),
        ] {
            assert_eq!(testing::number(&fields, name), Some(value), "{name}");
        }
        let scale = fields.iter().find(|f| f.name == "Window scale").unwrap();
        assert_eq!(scale.meaning, "window times 128");
    }

    #[test]
    fn a_data_offset_outside_the_segment_is_malformed() {
        for offset in [0x40, 0x60] {
            let mut bytes = BYTES;
            bytes[12] = offset;
            assert!(matches!(
                Header::parse(Input::whole(&bytes)),
                Err(Fault::Malformed { offset: 12, .. })
            ));
        }
    }

    #[test]
    fn a_cut_header_is_short() {
        short_when_cut(&DISSECTOR, &BYTES);
    }

    proptest! {
        #[test]
        fn fields_are_those_of_the_header(bytes in prop::collection::vec(any::<u8>(), 20..70)) {
            let input = Input::whole(&bytes);
            let fields = testing::fields(&DISSECTOR, input);
            if let Ok(h) = Header::parse(input) {
                for (name, value) in [
                    ("Source port", h.source.into()),
                    ("Destination port", h.destination.into()),
                    ("Sequence number", h.sequence.into()),
                    ("Acknowledgement number", h.acknowledgement.into()),
                    ("Data offset", u64::from(h.header_length) / 4),
                    ("SYN", h.has(SYN).into()),
                    ("ACK", h.has(ACK).into()),
                    ("FIN", h.has(FIN).into()),
                    ("RST", h.has(RST).into()),
                    ("Window", h.window.into()),
                ] {
                    prop_assert_eq!(testing::number(&fields, name), Some(value), "{}", name);
                }
                prop_assert_eq!(fields.last().unwrap().end, u32::from(h.header_length));
            }
        }
    }
}

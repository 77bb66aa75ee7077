//! Internet Protocol version 4. RFC 791.

use crate::parse::{header, malformed};
use crate::{ethernet, llc, notes};
use std::fmt;
use std::net::Ipv4Addr;
use wirewait_wire::{
    Address, Carries, Claim, Deciding, Dissector, Endpoint, Facts, Fault, Fields, Input, Layer,
    Next, Routed, Steady, Table, Verified,
};

/// Protocol numbers, of IPv4 and of the IPv6 next header alike.
pub const PROTOCOL: Table = Table::new("ip.protocol");

/// An IPv4 header without its options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Bytes of header with options.
    pub header_length: u8,
    /// Bytes of header and data; 0 where the sending host's adapter was to fill it in.
    pub total_length: u16,
    /// Identification, by which fragments are put together.
    pub identification: u16,
    /// More fragments follow this one.
    pub more_fragments: bool,
    /// Where this fragment's data belongs, in bytes.
    pub fragment_offset: u16,
    /// Time to live, in routers.
    pub time_to_live: u8,
    /// Protocol of the data.
    pub protocol: u8,
    /// Source address.
    pub source: [u8; 4],
    /// Destination address.
    pub destination: [u8; 4],
}

impl Header {
    /// Reads a header.
    ///
    /// # Errors
    /// [`Fault::Short`], or [`Fault::Malformed`] for another version or lengths that
    /// contradict each other.
    pub fn parse(input: Input<'_>) -> Result<Self, Fault> {
        let h: &[u8; 20] = header(input)?;
        if h[0] >> 4 != 4 {
            return Err(malformed(0, "version is not 4"));
        }
        let fragment = u16::from_be_bytes([h[6], h[7]]);
        let parsed = Self {
            header_length: (h[0] & 0x0f) * 4,
            total_length: u16::from_be_bytes([h[2], h[3]]),
            identification: u16::from_be_bytes([h[4], h[5]]),
            more_fragments: fragment & 0x2000 != 0,
            // 13 bits in units of 8 bytes: at most 65528.
            fragment_offset: (fragment & 0x1fff) << 3,
            time_to_live: h[8],
            protocol: h[9],
            source: [h[12], h[13], h[14], h[15]],
            destination: [h[16], h[17], h[18], h[19]],
        };
        if parsed.header_length < 20 {
            return Err(malformed(0, "header length less than 20"));
        }
        if parsed.total_length != 0 && parsed.total_length < parsed.header_length.into() {
            return Err(malformed(2, "total length less than the header"));
        }
        if u32::from(parsed.header_length) > input.length {
            return Err(malformed(0, "header longer than the packet"));
        }
        Ok(parsed)
    }
}

pub(crate) static DISSECTOR: Dissector = Dissector {
    name: "ipv4",
    title: "Internet Protocol version 4, RFC 791",
    does: "addresses, protocol, length (also when left to the adapter), identification",
    lacks: "fragments are not put together: only the first one is read further",
    verified: &[
        Verified::Specification,
        Verified::RealCaptures,
        Verified::Tshark,
    ],
    claims: &[
        Claim::Exact(ethernet::TYPE.key(0x0800)),
        Claim::Exact(llc::SAP.key(0x06)),
        Claim::Exact(PROTOCOL.key(4)),
    ],
    conveys: true,
    dissect,
    steady: Some(Steady { decides, varies }),
    routed: Some(&ROUTED),
    describe,
    fields,
    ..Dissector::PLAIN
};

/// Time to live, and the checksum over it. RFC 1812 section 5.3.1.
const ROUTED: Routed = Routed {
    counter: 8,
    up: false,
    stays: [
        0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0xff, 0, 0, 0xff, 0xff, 0xff, 0xff,
    ],
};

fn dissect(input: Input<'_>, facts: &mut Facts) -> Result<Layer, Fault> {
    let h = Header::parse(input)?;
    facts.from = Endpoint::at(Address::V4(h.source));
    facts.to = Endpoint::at(Address::V4(h.destination));
    facts.packet_id = identification(h.identification.to_be_bytes());
    if h.fragment_offset != 0 && may_carry_files(h.protocol) {
        facts.carries = Carries::Fragment;
    }
    Ok(Layer {
        header: h.header_length.into(),
        end: if h.total_length == 0 {
            input.length
        } else {
            h.total_length.into()
        },
        next: if h.fragment_offset == 0 {
            Next::one(PROTOCOL.key(h.protocol.into()))
        } else {
            Next::NONE
        },
    })
}

/// Whether requests to file servers may be behind this header: in TCP, or in a tunnel. Fragments of others, as
/// file servers over UDP send them, are nobody's here.
pub(crate) const fn may_carry_files(protocol: u8) -> bool {
    matches!(protocol, 4 | 6 | 41 | 47)
}

/// Version, header length, fragment offset, protocol and both ends.
fn decides(_: Input<'_>) -> Option<Deciding> {
    const MASK: [u8; 20] = [
        0xff, 0, 0, 0, 0, 0, 0x1f, 0xff, 0, 0xff, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
        0xff,
    ];
    Some(Deciding {
        mask: &MASK,
        whom: 12..20,
    })
}

fn varies(input: Input<'_>, facts: &mut Facts) -> Option<u32> {
    let h: &[u8; 20] = input.bytes.first_chunk()?;
    let header = u32::from(h[0] & 0x0f) * 4;
    let total = u32::from(u16::from_be_bytes([h[2], h[3]]));
    if header > input.length || total < header {
        return None;
    }
    facts.packet_id = identification([h[4], h[5]]);
    Some(total)
}

/// 0 and 0xFFFF are what stacks write that do not count their packets (RFC 6864 section 4.1
/// allows any value in a packet that is not fragmented).
fn identification(bytes: [u8; 2]) -> Option<u16> {
    Some(u16::from_be_bytes(bytes)).filter(|id| !matches!(id, 0 | 0xffff))
}

fn describe(input: Input<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    let h = match Header::parse(input) {
        Ok(h) => h,
        Err(Fault::Malformed { what, .. }) => return out.write_str(what),
        Err(Fault::Short { .. }) => return out.write_str("cut off"),
    };
    write!(
        out,
        "{} > {}, protocol {}, id {:04x}, ttl {}, length {}",
        Ipv4Addr::from(h.source),
        Ipv4Addr::from(h.destination),
        h.protocol,
        h.identification,
        h.time_to_live,
        h.total_length,
    )?;
    match (h.fragment_offset, h.more_fragments) {
        (0, false) => Ok(()),
        (offset, true) => write!(out, ", fragment at {offset}, more follow"),
        (offset, false) => write!(out, ", last fragment at {offset}"),
    }
}

fn fields(f: &mut Fields<'_>) -> Option<()> {
    let header = f.peek();
    f.u8("Version and header length")?;
    f.hex();
    f.bits(0xf0, "Version");
    let length = f.bits(0x0f, "Header length").saturating_mul(4);
    f.means(format_args!("{length} bytes"));
    f.u8("Type of service")?;
    f.hex();
    f.bits(0xfc, "Differentiated services");
    let notification = f.bits(0x03, "Explicit congestion notification");
    f.means(match notification {
        0 => "not capable",
        3 => "congestion experienced",
        _ => "capable",
    });
    if f.be16("Total length")? == 0 {
        f.means("left to the adapter");
    }
    f.be16("Identification")?;
    f.hex();
    f.be16("Flags and fragment offset")?;
    f.hex();
    f.flag(0x4000, "Don't fragment", "set", "may be fragmented");
    f.flag(0x2000, "More fragments", "more follow", "last or only one");
    let offset = f.bits(0x1fff, "Fragment offset");
    f.means(format_args!("byte {}", offset * 8));
    f.u8("Time to live")?;
    let protocol = f.u8("Protocol")?;
    f.means(protocol_name(protocol));
    let checksum = f.be16("Header checksum")?;
    f.hex();
    let end = u32::try_from(length).unwrap_or(0);
    match header.get(..end as usize).map(internet_checksum) {
        _ if checksum == 0 => f.means("left to the adapter"),
        Some(0) => f.means("correct"),
        Some(_) => f.means("wrong"),
        None => f,
    };
    notes::v4(f, "Source")?;
    notes::v4(f, "Destination")?;
    if f.at() < end {
        f.open("Options");
        f.within(end - f.at(), "Padding", options)?;
        f.close();
    }
    Some(())
}

/// RFC 791, 3.1, "Options".
fn options(f: &mut Fields<'_>) -> Option<()> {
    while f.left() > 0 {
        let kind = f.u8("Option")?;
        f.hex().means(match kind {
            0 => "end of options",
            1 => "no operation",
            0x07 => "record route",
            0x44 => "timestamps",
            0x82 => "security",
            0x83 => "loose source route",
            0x88 => "stream identifier",
            0x89 => "strict source route",
            0x94 => "router alert",
            _ => "",
        });
        match kind {
            0 => break,
            1 => continue,
            _ => {}
        }
        let length = f.u8("Option length")?;
        f.within(u32::from(length).saturating_sub(2), "Option data", |f| {
            if matches!(kind, 0x07 | 0x83 | 0x89) {
                f.u8("Pointer")?;
                while f.left() >= 4 {
                    notes::v4(f, "Router")?;
                }
            }
            Some(())
        })?;
    }
    Some(())
}

/// Protocol numbers that are met in these networks; IANA's registry has them all.
pub(crate) fn protocol_name(protocol: u8) -> &'static str {
    match protocol {
        0 => "hop-by-hop options",
        1 => "ICMP",
        2 => "IGMP",
        4 => "IPv4",
        6 => "TCP",
        8 => "EGP",
        9 => "IGRP",
        17 => "UDP",
        41 => "IPv6",
        43 => "routing header",
        44 => "fragment header",
        46 => "RSVP",
        47 => "GRE",
        50 => "ESP",
        51 => "authentication header",
        58 => "ICMPv6",
        59 => "nothing",
        60 => "destination options",
        88 => "EIGRP",
        89 => "OSPF",
        94 => "IP in IP",
        103 => "PIM",
        111 => "IPX in IP",
        112 => "VRRP",
        115 => "L2TP",
        132 => "SCTP",
        135 => "mobility header",
        _ => "",
    }
}

/// The Internet checksum of these bytes (RFC 1071); 0 where they hold a correct one.
fn internet_checksum(bytes: &[u8]) -> u16 {
    let words = bytes.chunks(2).map(|pair| match *pair {
        [high, low] => u32::from(u16::from_be_bytes([high, low])),
        [high, ..] => u32::from(high) << 8,
        [] => 0,
    });
    // At most 30 words come here, so that two folds take in every carry.
    let sum = words.fold(0u32, u32::wrapping_add);
    let once = (sum & 0xffff) + (sum >> 16);
    !(((once & 0xffff) + (once >> 16)) as u16)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, line, short_when_cut, stands};
    use proptest::prelude::*;

    /// RFC 791, appendix A, example 1, with a length of 41, TCP, id 0x1234.
    const BYTES: [u8; 20] = [
        0x45, 0x00, 0x00, 41, 0x12, 0x34, 0x40, 0x00, 123, 6, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2,
    ];

    fn read(bytes: &[u8], length: u32) -> (Layer, Facts) {
        let mut facts = Facts::default();
        let layer = dissect(Input { bytes, length }, &mut facts).unwrap();
        (layer, facts)
    }

    #[test]
    fn reads_addresses_protocol_and_length() {
        let (layer, facts) = read(&BYTES, 46);
        assert_eq!((layer.header, layer.end), (20, 41), "5 bytes of padding");
        assert_eq!(layer.next.keys().next(), Some(PROTOCOL.key(6)));
        assert_eq!(facts.from, Endpoint::at(Address::V4([10, 0, 0, 1])));
        assert_eq!(facts.to, Endpoint::at(Address::V4([10, 0, 0, 2])));
        assert_eq!(facts.packet_id, Some(0x1234));
        assert_eq!(
            line(&DISSECTOR, &BYTES),
            "10.0.0.1 > 10.0.0.2, protocol 6, id 1234, ttl 123, length 41"
        );
    }

    #[test]
    fn an_unfilled_length_is_the_frames() {
        let mut bytes = BYTES;
        bytes[2..6].copy_from_slice(&[0; 4]);
        let (layer, facts) = read(&bytes, 64_000);
        assert_eq!(layer.end, 64_000);
        assert_eq!(facts.packet_id, None, "0 is no identification");
    }

    #[test]
    fn options_are_header() {
        let mut bytes = BYTES;
        bytes[0] = 0x47;
        assert_eq!(read(&bytes, 46).0.header, 28);
    }

    #[test]
    fn only_the_first_fragment_goes_on() {
        let mut bytes = BYTES;
        bytes[6] = 0x20;
        assert!(!read(&bytes, 46).0.next.is_none());
        bytes[7] = 0xb9;
        assert!(read(&bytes, 46).0.next.is_none());
        assert!(line(&DISSECTOR, &bytes).ends_with("fragment at 1480, more follow"));
        bytes[6] = 0x00;
        assert!(line(&DISSECTOR, &bytes).ends_with("last fragment at 1480"));
    }

    #[test]
    fn checksums_are_judged() {
        let meaning = |bytes: &[u8]| {
            let fields = testing::fields(&DISSECTOR, Input::whole(bytes));
            let field = fields.into_iter().find(|f| f.name == "Header checksum");
            field.unwrap().meaning
        };
        assert_eq!(meaning(&BYTES), "left to the adapter");
        // Words of the header: their sum is 0x12666, with the carry added 0x2667.
        let mut bytes = BYTES;
        bytes[10..12].copy_from_slice(&(!0x2667u16).to_be_bytes());
        assert_eq!(meaning(&bytes), "correct");
        bytes[8] -= 1;
        assert_eq!(meaning(&bytes), "wrong");
    }

    #[test]
    fn options_are_told_apart() {
        // RFC 791, 3.1: a record route of one slot, then no operation.
        let mut bytes = BYTES.to_vec();
        bytes[0] = 0x47;
        bytes.extend([0x07, 7, 4, 10, 0, 0, 9, 1]);
        let fields = testing::fields(&DISSECTOR, Input::whole(&bytes));
        assert_eq!(
            testing::text(&fields, "Router").as_deref(),
            Some("10.0.0.9")
        );
        let options = fields.iter().filter(|f| f.name == "Option");
        assert_eq!(options.count(), 2);
    }

    #[test]
    fn contradictions_are_malformed() {
        for (at, value) in [(0, 0x65), (0, 0x44), (3, 19), (0, 0x4f)] {
            let mut bytes = BYTES;
            bytes[at] = value;
            assert!(
                matches!(
                    Header::parse(Input {
                        bytes: &bytes,
                        length: 46
                    }),
                    Err(Fault::Malformed { .. })
                ),
                "{at} {value:02x}"
            );
        }
    }

    #[test]
    fn a_cut_header_is_short() {
        short_when_cut(&DISSECTOR, &BYTES);
    }

    proptest! {
        #[test]
        fn any_bytes(mut bytes in prop::collection::vec(any::<u8>(), 0..80), cut in 0u32..2000) {
            stands(&DISSECTOR, &bytes, cut);
            if let Some(first) = bytes.first_mut() {
                *first = *first & 0x0f | 0x40;
            }
            stands(&DISSECTOR, &bytes, cut);
        }

        #[test]
        fn fields_are_those_of_the_header(mut bytes in prop::collection::vec(any::<u8>(), 20..70)) {
            bytes[0] = bytes[0] & 0x0f | 0x40;
            let input = Input::whole(&bytes);
            let fields = testing::fields(&DISSECTOR, input);
            if let Ok(h) = Header::parse(input) {
                for (name, value) in [
                    ("Header length", u64::from(h.header_length) / 4),
                    ("Total length", h.total_length.into()),
                    ("Identification", h.identification.into()),
                    ("More fragments", h.more_fragments.into()),
                    ("Fragment offset", u64::from(h.fragment_offset) / 8),
                    ("Time to live", h.time_to_live.into()),
                    ("Protocol", h.protocol.into()),
                ] {
                    prop_assert_eq!(testing::number(&fields, name), Some(value), "{}", name);
                }
                let address = |address| Some(Ipv4Addr::from(address).to_string());
                prop_assert_eq!(testing::text(&fields, "Source"), address(h.source));
                prop_assert_eq!(testing::text(&fields, "Destination"), address(h.destination));
            }
        }
    }
}

//! Internet Protocol version 4. RFC 791.

use crate::parse::{header, malformed};
use crate::{ethernet, llc};
use std::fmt;
use std::net::Ipv4Addr;
use wirewait_wire::{
    Address, Claim, Dissector, Endpoint, Facts, Fault, Input, Layer, Next, Table, Verified,
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
    describe,
    ..Dissector::PLAIN
};

fn dissect(input: Input<'_>, facts: &mut Facts) -> Result<Layer, Fault> {
    let h = Header::parse(input)?;
    facts.from = endpoint(h.source);
    facts.to = endpoint(h.destination);
    // 0 and 0xFFFF are what stacks write that do not count their packets (RFC 6864
    // section 4.1 allows any value in a packet that is not fragmented).
    facts.packet_id = Some(h.identification).filter(|id| !matches!(id, 0 | 0xffff));
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

fn endpoint(address: [u8; 4]) -> Endpoint {
    Endpoint {
        address: Address::V4(address),
        port: None,
        net: 0,
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ethernet::tests::{line, short_when_cut, stands};
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
        assert_eq!(facts.from, endpoint([10, 0, 0, 1]));
        assert_eq!(facts.to, endpoint([10, 0, 0, 2]));
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
    }
}

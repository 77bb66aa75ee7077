//! Internet Protocol version 6 with its extension headers. RFC 8200, RFC 4302, RFC 6275.

use crate::ethernet;
use crate::ipv4::PROTOCOL;
use crate::parse::{be16, be64, header, malformed};
use std::fmt;
use std::net::Ipv6Addr;
use wirewait_wire::{
    Address, Claim, Dissector, Endpoint, Facts, Fault, Input, Layer, Next, Verified,
};

/// An IPv6 header and what its extension headers lead to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Bytes behind the fixed header; 0 in a jumbogram or where the sending host's
    /// adapter was to fill it in.
    pub payload_length: u16,
    /// Hop limit.
    pub hop_limit: u8,
    /// Source address.
    pub source: [u8; 16],
    /// Destination address.
    pub destination: [u8; 16],
    /// Bytes of the fixed header and all extension headers.
    pub header_length: u32,
    /// Protocol behind the last extension header.
    pub protocol: u8,
    /// Where this fragment's data belongs, in bytes; `None` when it is no fragment.
    pub fragment_offset: Option<u16>,
}

/// Bytes of the fixed header (RFC 8200, 3).
const FIXED: u32 = 40;

/// More extension headers than any sender has a use for: RFC 8200, 4.1 lets each occur
/// once, destination options twice.
const MAX_EXTENSIONS: usize = 10;

/// No next header (RFC 8200, 4.7).
const NO_NEXT_HEADER: u8 = 59;

impl Header {
    /// Reads a header and walks over its extension headers.
    ///
    /// # Errors
    /// [`Fault::Short`], or [`Fault::Malformed`] for another version, too many extension
    /// headers or one that is longer than the packet.
    pub fn parse(input: Input<'_>) -> Result<Self, Fault> {
        let h: &[u8; 40] = header(input)?;
        if h[0] >> 4 != 6 {
            return Err(malformed(0, "version is not 6"));
        }
        let mut parsed = Self {
            payload_length: u16::from_be_bytes([h[4], h[5]]),
            hop_limit: h[7],
            source: address(h, 8),
            destination: address(h, 24),
            header_length: FIXED,
            protocol: h[6],
            fragment_offset: None,
        };
        for _ in 0..MAX_EXTENSIONS {
            if !parsed.extend(input)? {
                return Ok(parsed);
            }
        }
        Err(malformed(
            parsed.header_length,
            "too many extension headers",
        ))
    }

    /// Takes in the next extension header; `false` when there is none.
    fn extend(&mut self, input: Input<'_>) -> Result<bool, Fault> {
        const UNIT: u32 = 8;
        let at = self.header_length;
        let head = |offset| be16(input.bytes, offset as usize).ok_or(Fault::Short { offset });
        // A fragment other than the first continues data, so no header follows.
        if self.fragment_offset.is_some_and(|offset| offset != 0) {
            return Ok(false);
        }
        let length = match self.protocol {
            // Hop-by-hop options, routing, destination options, mobility: units of 8
            // bytes without the first.
            0 | 43 | 60 | 135 => (u32::from(head(at)? & 0xff) + 1) * UNIT,
            // Fragment (RFC 8200, 4.5): 13 bits of offset in units of 8 bytes.
            44 => {
                let offset = head(at.saturating_add(2))?;
                self.fragment_offset = Some(offset & 0xfff8);
                UNIT
            }
            // Authentication (RFC 4302, 2.2): units of 4 bytes without the first two.
            51 => (u32::from(head(at)? & 0xff) + 2) * 4,
            _ => return Ok(false),
        };
        let end = at.saturating_add(length);
        if end > input.length {
            return Err(malformed(at, "extension header longer than the packet"));
        }
        // The bits before the length are the type of the header after this one.
        self.protocol = (head(at)? >> 8) as u8;
        self.header_length = end;
        Ok(true)
    }
}

fn address(h: &[u8; 40], at: usize) -> [u8; 16] {
    // Both callers' places lie inside the 40 bytes.
    be64(h, at)
        .zip(be64(h, at + 8))
        .map(|(high, low)| (u128::from(high) << 64 | u128::from(low)).to_be_bytes())
        .unwrap_or_default()
}

pub(crate) static DISSECTOR: Dissector = Dissector {
    name: "ipv6",
    title: "Internet Protocol version 6, RFC 8200",
    does: "addresses, protocol, length (also when left to the adapter), extension headers",
    lacks: "fragments are not put together: only the first one is read further",
    verified: &[
        Verified::Specification,
        Verified::RealCaptures,
        Verified::Tshark,
    ],
    claims: &[
        Claim::Exact(ethernet::TYPE.key(0x86dd)),
        Claim::Exact(PROTOCOL.key(41)),
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
    // A packet around this one has an identification of its own, this one has none.
    facts.packet_id = None;
    let end = match h.payload_length {
        0 => input.length,
        length => FIXED.saturating_add(length.into()),
    };
    if end < h.header_length {
        return Err(malformed(
            4,
            "payload length less than the extension headers",
        ));
    }
    Ok(Layer {
        header: h.header_length,
        end,
        next: match (h.protocol, h.fragment_offset) {
            (NO_NEXT_HEADER, _) | (_, Some(1..)) => Next::NONE,
            (protocol, _) => Next::one(PROTOCOL.key(protocol.into())),
        },
    })
}

fn endpoint(address: [u8; 16]) -> Endpoint {
    Endpoint {
        address: Address::V6(address),
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
        "{} > {}, protocol {}, hop limit {}, length {}",
        Ipv6Addr::from(h.source),
        Ipv6Addr::from(h.destination),
        h.protocol,
        h.hop_limit,
        h.payload_length,
    )?;
    match h.fragment_offset {
        Some(offset) => write!(out, ", fragment at {offset}"),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ethernet::tests::{line, short_when_cut, stands};
    use proptest::prelude::*;

    /// RFC 8200, 3: payload of `length` bytes that goes by `protocol`, fe80::1 to fe80::2.
    fn packet(protocol: u8, length: u8, payload: &[u8]) -> Vec<u8> {
        let mut bytes = vec![0x60, 0, 0, 0, 0, length, protocol, 64];
        for last in [1, 2] {
            bytes.extend([0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, last]);
        }
        bytes.extend(payload);
        bytes
    }

    fn read(bytes: &[u8]) -> Layer {
        dissect(Input::whole(bytes), &mut Facts::default()).unwrap()
    }

    #[test]
    fn reads_addresses_protocol_and_length() {
        let bytes = packet(6, 20, &[0; 26]);
        let mut facts = Facts::default();
        let layer = dissect(Input::whole(&bytes), &mut facts).unwrap();
        assert_eq!((layer.header, layer.end), (40, 60), "6 bytes of padding");
        assert_eq!(layer.next.keys().next(), Some(PROTOCOL.key(6)));
        assert_eq!(facts.from.to_string(), "fe80::1");
        assert_eq!(facts.to.to_string(), "fe80::2");
        assert_eq!(
            line(&DISSECTOR, &bytes),
            "fe80::1 > fe80::2, protocol 6, hop limit 64, length 20"
        );
    }

    #[test]
    fn extension_headers_are_walked_over() {
        // Hop-by-hop (8 bytes), routing (24), destination options (8), authentication (24).
        let mut chain = vec![0; 64];
        chain[0] = 43;
        chain[8..10].copy_from_slice(&[60, 2]);
        chain[32] = 51;
        chain[40..42].copy_from_slice(&[17, 4]);
        let layer = read(&packet(0, 64, &chain));
        assert_eq!((layer.header, layer.end), (104, 104));
        assert_eq!(layer.next.keys().next(), Some(PROTOCOL.key(17)));
    }

    #[test]
    fn only_the_first_fragment_goes_on() {
        let first = packet(
            44,
            16,
            &[17, 0, 0x00, 0x01, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0],
        );
        let layer = read(&first);
        assert_eq!(layer.header, 48);
        assert_eq!(layer.next.keys().next(), Some(PROTOCOL.key(17)));
        // Destination options behind a later fragment's header are data.
        let later = packet(
            44,
            16,
            &[60, 0, 0x05, 0xa8, 0, 0, 0, 9, 1, 9, 0, 0, 0, 0, 0, 0],
        );
        let layer = read(&later);
        assert_eq!((layer.header, layer.next.is_none()), (48, true));
        assert!(line(&DISSECTOR, &later).ends_with("fragment at 1448"));
    }

    #[test]
    fn an_unfilled_length_is_the_frames_and_59_is_the_end() {
        assert_eq!(read(&packet(6, 0, &[0; 90])).end, 130);
        assert!(read(&packet(59, 8, &[0; 8])).next.is_none());
    }

    #[test]
    fn contradictions_are_malformed() {
        let mut options = packet(60, 8, &[6, 1, 0, 0, 0, 0, 0, 0]);
        let malformed = |bytes: &[u8]| {
            matches!(
                dissect(Input::whole(bytes), &mut Facts::default()),
                Err(Fault::Malformed { .. })
            )
        };
        assert!(malformed(&options), "longer than the packet");
        options.extend([0; 8]);
        assert!(malformed(&options), "longer than the payload");
        options[0] = 0x45;
        assert!(malformed(&options), "version 4");
        assert!(malformed(&packet(
            60,
            96,
            &[60, 0, 0, 0, 0, 0, 0, 0].repeat(12)
        )));
    }

    #[test]
    fn a_cut_header_is_short() {
        short_when_cut(&DISSECTOR, &packet(6, 20, &[]));
        let fragment = packet(44, 16, &[17, 0, 0x00, 0x01]);
        short_when_cut(&DISSECTOR, &fragment);
    }

    proptest! {
        #[test]
        fn any_bytes(mut bytes in prop::collection::vec(any::<u8>(), 0..120), cut in 0u32..2000) {
            stands(&DISSECTOR, &bytes, cut);
            if let Some(first) = bytes.first_mut() {
                *first = 0x60;
            }
            if let Some(protocol) = bytes.get_mut(6) {
                *protocol = [0, 43, 44, 51, 60, 135][usize::from(*protocol) % 6];
            }
            stands(&DISSECTOR, &bytes, cut);
        }
    }
}

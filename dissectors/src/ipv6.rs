//! Internet Protocol version 6 with its extension headers. RFC 8200, RFC 4302, RFC 6275.

use crate::ipv4::{PROTOCOL, may_carry_files, protocol_name};
use crate::parse::{be16, be64, header, malformed};
use crate::{ethernet, notes};
use std::fmt;
use std::net::Ipv6Addr;
use wirewait_wire::{
    Address, Carries, Claim, Dissector, Endpoint, Facts, Fault, Fields, Input, Layer, Next, Routed,
    Verified,
};

/// An IPv6 header and what its extension headers lead to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Bytes behind the fixed header; 0 in a jumbogram or where the sending host's
    /// adapter was to fill it in.
    pub payload_length: u16,
    /// Flow label (RFC 6437), 20 bits; 0 where the sender gave none.
    pub flow_label: u32,
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

/// Unit of the length of extension headers, bytes.
const UNIT: u32 = 8;

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
            flow_label: u32::from_be_bytes([0, h[1] & 0x0f, h[2], h[3]]),
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
        let at = self.header_length;
        let head = |offset: u32| {
            be16(input.bytes, offset as usize).ok_or(Fault::Short {
                // An extension header may have led behind what was captured.
                offset: offset.min(u32::try_from(input.bytes.len()).unwrap_or(u32::MAX)),
            })
        };
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
    routed: Some(&ROUTED),
    describe,
    fields,
    ..Dissector::PLAIN
};

/// The hop limit. RFC 8200 section 3.
const ROUTED: Routed = Routed {
    counter: 7,
    up: false,
    stays: [
        0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
    ],
};

fn dissect(input: Input<'_>, facts: &mut Facts) -> Result<Layer, Fault> {
    let h = Header::parse(input)?;
    facts.from = Endpoint::at(Address::V6(h.source));
    facts.to = Endpoint::at(Address::V6(h.destination));
    // A packet around this one has an identification of its own, this one has none.
    facts.packet_id = None;
    facts.flow_label = h.flow_label;
    if matches!(h.fragment_offset, Some(1..)) && may_carry_files(h.protocol) {
        facts.carries = Carries::Fragment;
    }
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

fn fields(f: &mut Fields<'_>) -> Option<()> {
    f.be32("Version, traffic class and flow label")?;
    f.hex();
    f.bits(0xf000_0000, "Version");
    f.bits(0x0ff0_0000, "Traffic class");
    f.bits(0x000f_ffff, "Flow label");
    if f.be16("Payload length")? == 0 {
        f.means("jumbogram, or left to the adapter");
    }
    let mut protocol = next_header(f)?;
    f.u8("Hop limit")?;
    notes::v6(f, "Source")?;
    notes::v6(f, "Destination")?;
    // As `Header::parse` walks over them.
    for _ in 0..MAX_EXTENSIONS {
        let name = match protocol {
            0 => "Hop-by-hop options",
            43 => "Routing header",
            44 => "Fragment header",
            51 => "Authentication header",
            60 => "Destination options",
            135 => "Mobility header",
            _ => return Some(()),
        };
        f.open(name);
        let later_fragment;
        (protocol, later_fragment) = extension(f, protocol)?;
        f.close();
        if later_fragment {
            break;
        }
    }
    Some(())
}

/// One extension header: what comes behind it, and whether that continues a packet whose
/// first fragment went before.
fn extension(f: &mut Fields<'_>, protocol: u8) -> Option<(u8, bool)> {
    let next = next_header(f)?;
    if protocol == 44 {
        f.u8("Reserved")?;
        let offset = f.be16("Fragment offset and flag")? & 0xfff8;
        f.hex();
        f.bits(0xfff8, "Fragment offset");
        f.means(format_args!("byte {offset}"));
        f.flag(0x0001, "More fragments", "more follow", "last or only one");
        f.be32("Fragment identification")?;
        f.hex();
        return Some((next, offset != 0));
    }
    let length = u32::from(f.u8("Extension length")?);
    let length = match protocol {
        51 => (length + 2) * 4,
        _ => (length + 1) * UNIT,
    };
    f.means(format_args!("{length} bytes"));
    f.within(length - 2, "Data", |f| match protocol {
        0 | 60 => options(f),
        43 => routing(f),
        51 => {
            f.be16("Reserved")?;
            f.be32("Security parameters index")?;
            f.hex();
            f.be32("Sequence number")?;
            f.rest("Integrity check value").map(|_| ())
        }
        _ => {
            f.u8("Mobility type")?;
            f.u8("Reserved")?;
            f.be16("Checksum")?;
            f.hex();
            f.rest("Mobility data").map(|_| ())
        }
    })?;
    Some((next, false))
}

fn routing(f: &mut Fields<'_>) -> Option<()> {
    let kind = f.u8("Routing type")?;
    f.u8("Segments left")?;
    // RFC 5095 has abolished type 0; RFC 6275, 6.4 has addresses in type 2.
    if matches!(kind, 0 | 2) {
        f.be32("Reserved")?;
        while f.left() >= 16 {
            notes::v6(f, "Address")?;
        }
    }
    Some(())
}

/// RFC 8200, 4.2.
fn options(f: &mut Fields<'_>) -> Option<()> {
    while f.left() > 0 {
        let kind = f.u8("Option")?;
        f.hex().means(match kind {
            0x00 => "one byte of padding",
            0x01 => "padding",
            0x05 => "router alert",
            0xc2 => "jumbo payload",
            0xc9 => "home address",
            _ => "",
        });
        if kind != 0 {
            let length = f.u8("Option length")?;
            f.bytes(length.into(), "Option data")?;
        }
    }
    Some(())
}

fn next_header(f: &mut Fields<'_>) -> Option<u8> {
    let protocol = f.u8("Next header")?;
    f.means(protocol_name(protocol));
    Some(protocol)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, line, short_when_cut, stands};
    use proptest::prelude::*;
    use wirewait_wire::Value;

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
        // Only of what may have requests in it.
        for (protocol, carries) in [(6, Carries::Fragment), (17, Carries::Nothing)] {
            let mut later = later.clone();
            later[40] = protocol;
            let mut facts = Facts::default();
            dissect(Input::whole(&later), &mut facts).unwrap();
            assert_eq!(facts.carries, carries);
        }
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
        // Hop-by-hop options of 24 bytes, of which eight were captured.
        let input = Input {
            bytes: &packet(0, 32, &[6, 2, 0, 0, 0, 0, 0, 0]),
            length: 72,
        };
        let parsed = Header::parse(input).map(|h| (h.protocol, h.header_length));
        assert_eq!(parsed, Ok((6, 64)));
        let input = Input {
            bytes: &packet(0, 32, &[60, 2, 0, 0, 0, 0, 0, 0]),
            length: 72,
        };
        assert_eq!(Header::parse(input), Err(Fault::Short { offset: 48 }));
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

        #[test]
        fn fields_are_those_of_the_header(
            mut bytes in prop::collection::vec(any::<u8>(), 40..140),
            chain in prop::collection::vec((0usize..7, 0u8..3), 5),
        ) {
            bytes[0] = 0x60;
            // Extension headers of up to 24 bytes, one behind the other.
            let (mut at, mut link) = (40, 6);
            for (protocol, units) in chain {
                let protocol = [0, 43, 44, 51, 60, 135, 17][protocol];
                bytes[link] = protocol;
                if at + 2 > bytes.len() {
                    break;
                }
                link = at;
                bytes[at + 1] = units;
                at += match protocol {
                    44 => 8,
                    51 => (usize::from(units) + 2) * 4,
                    _ => (usize::from(units) + 1) * 8,
                };
            }
            let input = Input::whole(&bytes);
            let fields = testing::fields(&DISSECTOR, input);
            if let Ok(h) = Header::parse(input) {
                prop_assert_eq!(fields.last().unwrap().end, h.header_length);
                let next = fields.iter().rfind(|f| f.name == "Next header").unwrap();
                prop_assert_eq!(&next.value, &Value::Decimal(h.protocol.into()));
                for (name, value) in [
                    ("Payload length", Some(h.payload_length.into())),
                    ("Hop limit", Some(h.hop_limit.into())),
                    ("Fragment offset", h.fragment_offset.map(|o| u64::from(o) / 8)),
                ] {
                    prop_assert_eq!(testing::number(&fields, name), value, "{}", name);
                }
                prop_assert_eq!(
                    testing::text(&fields, "Source"),
                    Some(Ipv6Addr::from(h.source).to_string())
                );
            }
        }
    }
}

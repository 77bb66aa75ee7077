//! User Datagram Protocol. RFC 768.

use crate::parse::{header, malformed};
use std::fmt;
use wirewait_wire::{Claim, Dissector, Facts, Fault, Fields, Input, Layer, Next, Table, Verified};

/// Ports of either end; the lower one is tried first.
pub const PORT: Table = Table::new("udp.port");

/// A UDP header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Source port.
    pub source: u16,
    /// Destination port.
    pub destination: u16,
    /// Bytes of header and data; 0 in a jumbogram, where it is not known.
    pub length: u16,
}

impl Header {
    /// Bytes of the header.
    pub const LENGTH: u32 = 8;

    /// Reads a header.
    ///
    /// # Errors
    /// [`Fault::Short`], or [`Fault::Malformed`] when the length is less than the header's.
    pub fn parse(input: Input<'_>) -> Result<Self, Fault> {
        let h: &[u8; 8] = header(input)?;
        let parsed = Self {
            source: u16::from_be_bytes([h[0], h[1]]),
            destination: u16::from_be_bytes([h[2], h[3]]),
            length: u16::from_be_bytes([h[4], h[5]]),
        };
        if parsed.length != 0 && u32::from(parsed.length) < Self::LENGTH {
            return Err(malformed(4, "length less than 8"));
        }
        Ok(parsed)
    }
}

pub(crate) static DISSECTOR: Dissector = Dissector {
    name: "udp",
    title: "User Datagram Protocol, RFC 768",
    does: "ports",
    verified: &[Verified::Specification, Verified::RealCaptures],
    claims: &[Claim::Exact(Table::new("ip.protocol").key(17))],
    conveys: true,
    carrier: Some("udp"),
    dissect,
    describe,
    fields,
    ..Dissector::PLAIN
};

fn dissect(input: Input<'_>, facts: &mut Facts) -> Result<Layer, Fault> {
    let h = Header::parse(input)?;
    facts.from = facts.from.with_port(h.source);
    facts.to = facts.to.with_port(h.destination);
    let (low, high) = (h.source.min(h.destination), h.source.max(h.destination));
    Ok(Layer {
        header: Header::LENGTH,
        end: if h.length == 0 {
            input.length
        } else {
            u32::from(h.length)
        },
        next: Next::two(PORT.key(low.into()), PORT.key(high.into())),
    })
}

fn describe(input: Input<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    match Header::parse(input) {
        Ok(h) => write!(out, "{} > {}, length {}", h.source, h.destination, h.length),
        Err(_) => out.write_str("cut off"),
    }
}

fn fields(f: &mut Fields<'_>) -> Option<()> {
    f.be16("Source port")?;
    f.be16("Destination port")?;
    if f.be16("Length")? == 0 {
        f.means("jumbogram: not said here");
    }
    let checksum = f.be16("Checksum")?;
    f.hex();
    if checksum == 0 {
        f.means("none");
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;
    use proptest::prelude::*;

    /// A DNS query's header: 53124 to 53, 33 bytes (RFC 768, "Fields").
    const BYTES: [u8; 8] = [0xcf, 0x84, 0x00, 0x35, 0x00, 0x21, 0x12, 0x34];

    #[test]
    fn reads_ports_and_length() {
        let mut facts = Facts::default();
        let layer = dissect(
            Input {
                bytes: &BYTES,
                length: 40,
            },
            &mut facts,
        )
        .unwrap();
        assert_eq!((layer.header, layer.end), (8, 33), "the rest is padding");
        assert_eq!((facts.from.port, facts.to.port), (Some(53124), Some(53)));
    }

    #[test]
    fn every_strict_prefix_is_short() {
        for n in 0..BYTES.len() {
            assert!(matches!(
                Header::parse(Input::whole(&BYTES[..n])),
                Err(Fault::Short { .. })
            ));
        }
    }

    #[test]
    fn a_length_below_the_header_is_malformed() {
        let mut bytes = BYTES;
        bytes[5] = 7;
        assert_eq!(
            Header::parse(Input::whole(&bytes)),
            Err(malformed(4, "length less than 8"))
        );
    }

    proptest! {
        #[test]
        fn fields_are_those_of_the_header(bytes: [u8; 12]) {
            let fields = testing::fields(&DISSECTOR, Input::whole(&bytes));
            if let Ok(h) = Header::parse(Input::whole(&bytes)) {
                prop_assert_eq!(testing::number(&fields, "Source port"), Some(h.source.into()));
                prop_assert_eq!(
                    testing::number(&fields, "Destination port"),
                    Some(h.destination.into())
                );
                prop_assert_eq!(testing::number(&fields, "Length"), Some(h.length.into()));
            }
        }
    }
}

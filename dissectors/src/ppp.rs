//! Point-to-Point Protocol. RFC 1661, with or without the framing of RFC 1662.

use crate::ethernet;
use std::fmt;
use wirewait_wire::{
    Claim, Dissector, Facts, Fault, Fields, Input, Layer, LinkType, Next, Verified,
};

/// A PPP header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Bytes of the header, 1 to 4: address and control may be absent, and the protocol
    /// compressed to one byte.
    pub length: u8,
    /// Protocol number.
    pub protocol: u16,
}

impl Header {
    /// Reads a header.
    ///
    /// # Errors
    /// [`Fault::Short`].
    pub fn parse(input: Input<'_>) -> Result<Self, Fault> {
        let (framing, protocol) = match input.bytes {
            [0xff, 0x03, rest @ ..] => (2, rest),
            // No protocol is ff: the control byte is missing.
            [0xff] => return Err(Fault::Short { offset: 1 }),
            rest => (0, rest),
        };
        // Protocol numbers are odd in their last byte only (RFC 1661, 2).
        let (bytes, protocol) = match *protocol {
            [low, ..] if low & 1 != 0 => (1, u16::from(low)),
            [high, low, ..] => (2, u16::from_be_bytes([high, low])),
            _ => {
                return Err(Fault::Short {
                    offset: framing.into(),
                });
            }
        };
        Ok(Self {
            length: framing + bytes,
            protocol,
        })
    }

    /// The EtherType of the same protocol; `None` if there is nothing for it here.
    #[must_use]
    pub const fn ethernet_type(&self) -> Option<u16> {
        match self.protocol {
            0x0021 => Some(0x0800),
            0x002b => Some(0x8137),
            0x0057 => Some(0x86dd),
            _ => None,
        }
    }
}

pub(crate) static DISSECTOR: Dissector = Dissector {
    name: "ppp",
    title: "Point-to-Point Protocol, RFC 1661",
    does: "IPv4, IPv6 and IPX, with or without address and control field",
    lacks: "compressed headers, multilink and encryption",
    verified: &[
        Verified::Specification,
        Verified::RealCaptures,
        Verified::Tshark,
    ],
    claims: &[Claim::Exact(LinkType::PPP.key())],
    conveys: true,
    dissect,
    describe,
    fields,
    ..Dissector::PLAIN
};

fn dissect(input: Input<'_>, _: &mut Facts) -> Result<Layer, Fault> {
    let h = Header::parse(input)?;
    let next = match h.ethernet_type() {
        Some(t) => Next::one(ethernet::TYPE.key(t as u32)),
        None => Next::NONE,
    };
    Ok(Layer::over(input, h.length.into(), next))
}

fn describe(input: Input<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    match Header::parse(input) {
        Ok(h) => write!(out, "protocol {:04x}", h.protocol),
        Err(_) => out.write_str("cut off"),
    }
}

fn fields(f: &mut Fields<'_>) -> Option<()> {
    if matches!(f.peek(), [0xff] | [0xff, 0x03, ..]) {
        f.u8("Address")?;
        f.hex().means("all stations");
        f.u8("Control")?;
        f.hex().means("unnumbered information");
    }
    let protocol = if f.peek().first().is_some_and(|low| low & 1 != 0) {
        f.u8("Protocol")?.into()
    } else {
        f.be16("Protocol")?
    };
    f.hex().means(match protocol {
        0x0021 => "IPv4",
        0x002b => "IPX",
        0x002d => "compressed TCP/IP",
        0x002f => "uncompressed TCP/IP",
        0x003d => "multilink",
        0x003f => "NetBIOS frames",
        0x0057 => "IPv6",
        0x00fd => "compressed",
        0x8021 => "IPv4 control (IPCP)",
        0x802b => "IPX control (IPXCP)",
        0x803f => "NetBIOS frames control (NBFCP)",
        0x8057 => "IPv6 control (IPV6CP)",
        0x80fd => "compression control (CCP)",
        0xc021 => "link control (LCP)",
        0xc023 => "password authentication (PAP)",
        0xc025 => "link quality",
        0xc223 => "challenge authentication (CHAP)",
        _ => "",
    });
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, line, short_when_cut};
    use proptest::prelude::*;

    fn read(bytes: &[u8]) -> (u32, Option<wirewait_wire::Key>) {
        let layer = dissect(Input::whole(bytes), &mut Facts::default()).unwrap();
        (layer.header, layer.next.keys().next())
    }

    #[test]
    fn with_and_without_framing_and_compression() {
        let ip = Some(ethernet::TYPE.key(0x0800));
        assert_eq!(read(&[0xff, 0x03, 0x00, 0x21, 0x45]), (4, ip));
        assert_eq!(read(&[0xff, 0x03, 0x21, 0x45]), (3, ip));
        assert_eq!(read(&[0x00, 0x21, 0x45]), (2, ip));
        assert_eq!(read(&[0x21, 0x45]), (1, ip));
    }

    #[test]
    fn protocols() {
        assert_eq!(read(&[0x00, 0x2b]).1, Some(ethernet::TYPE.key(0x8137)));
        assert_eq!(read(&[0x00, 0x57]).1, Some(ethernet::TYPE.key(0x86dd)));
        assert_eq!(read(&[0xc0, 0x21]).1, None, "link control");
        assert_eq!(line(&DISSECTOR, &[0xff, 0x03, 0xc0, 0x21]), "protocol c021");
    }

    #[test]
    fn a_cut_header_is_short() {
        short_when_cut(&DISSECTOR, &[0xff, 0x03, 0x00, 0x21]);
    }

    proptest! {
        #[test]
        fn fields_are_those_of_the_header(mut bytes: [u8; 6], framed: bool) {
            if framed {
                bytes[..2].copy_from_slice(&[0xff, 0x03]);
            }
            let fields = testing::fields(&DISSECTOR, Input::whole(&bytes));
            let h = Header::parse(Input::whole(&bytes)).unwrap();
            prop_assert_eq!(testing::number(&fields, "Protocol"), Some(h.protocol.into()));
            prop_assert_eq!(fields.last().unwrap().end, u32::from(h.length));
        }
    }
}

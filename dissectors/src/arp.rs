//! Address Resolution Protocol. RFC 826. Recognised, so that its share of the traffic shows; a request
//! and its reply say how far the one that is asked is away at least.

use crate::parse::{be32, header};
use crate::{ethernet, llc, notes};
use std::fmt;
use std::net::Ipv4Addr;
use wirewait_wire::{
    Address, Carries, Claim, Dissector, Facts, Fault, Fields, Input, Layer, Next, Probe, Verified,
};

/// The part of an ARP packet that says what the rest looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// EtherType of the protocol whose addresses are resolved.
    pub protocol: u16,
    /// Bytes of a hardware address.
    pub hardware_length: u8,
    /// Bytes of a protocol address.
    pub protocol_length: u8,
    /// 1 request, 2 reply.
    pub operation: u16,
}

impl Header {
    /// Bytes of the header; four addresses follow it.
    pub const LENGTH: u32 = 8;

    /// Reads a header.
    ///
    /// # Errors
    /// [`Fault::Short`].
    pub fn parse(input: Input<'_>) -> Result<Self, Fault> {
        let h: &[u8; 8] = header(input)?;
        Ok(Self {
            protocol: u16::from_be_bytes([h[2], h[3]]),
            hardware_length: h[4],
            protocol_length: h[5],
            operation: u16::from_be_bytes([h[6], h[7]]),
        })
    }

    /// Bytes of the whole packet.
    #[must_use]
    pub const fn packet_length(&self) -> u32 {
        Self::LENGTH + 2 * (self.hardware_length as u32 + self.protocol_length as u32)
    }

    /// Sender's and target's IPv4 address, if this is about IPv4.
    fn v4(&self, input: Input<'_>) -> Option<(Ipv4Addr, Ipv4Addr)> {
        if self.protocol != 0x0800 || self.protocol_length != 4 {
            return None;
        }
        let hardware = usize::from(self.hardware_length);
        let sender = be32(input.bytes, 8 + hardware)?;
        let target = be32(input.bytes, 12 + 2 * hardware)?;
        Some((sender.into(), target.into()))
    }

    /// Who is asked for, or says that he is here; not who announces himself unasked.
    fn probe(&self, input: Input<'_>) -> Option<Probe> {
        let (sender, target) = self.v4(input).filter(|(from, to)| from != to)?;
        let (answers, who) = match self.operation {
            1 => (false, target),
            2 => (true, sender),
            _ => return None,
        };
        Some(Probe {
            answers,
            number: who.into(),
            of: Some(Address::V4(who.octets())),
        })
    }
}

pub(crate) static DISSECTOR: Dissector = Dissector {
    name: "arp",
    title: "Address Resolution Protocol, RFC 826",
    does: "recognised; the reply to a request for one station alone shows how far it is",
    lacks: "addresses other than IPv4's; requests are no transactions",
    verified: &[
        Verified::Specification,
        Verified::RealCaptures,
        Verified::Tshark,
    ],
    claims: &[
        Claim::Exact(ethernet::TYPE.key(0x0806)),
        Claim::Exact(llc::SAP.key(0x98)),
    ],
    conveys: true,
    dissect,
    describe,
    fields,
    ..Dissector::PLAIN
};

fn dissect(input: Input<'_>, facts: &mut Facts) -> Result<Layer, Fault> {
    let h = Header::parse(input)?;
    if let Some(probe) = h.probe(input) {
        facts.carries = Carries::Probe(probe);
    }
    Ok(Layer {
        header: h.packet_length(),
        end: h.packet_length(),
        next: Next::NONE,
    })
}

fn describe(input: Input<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    let Ok(h) = Header::parse(input) else {
        return out.write_str("cut off");
    };
    match (h.operation, h.v4(input)) {
        (1, Some((sender, target))) => write!(out, "who has {target}, tell {sender}"),
        (2, Some((sender, _))) => write!(out, "{sender} is here"),
        (operation, _) => write!(out, "operation {operation}, protocol {:04x}", h.protocol),
    }
}

fn fields(f: &mut Fields<'_>) -> Option<()> {
    let hardware = f.be16("Hardware type")?;
    f.means(match hardware {
        1 => "Ethernet",
        6 => "IEEE 802",
        7 => "ARCnet",
        15 => "frame relay",
        _ => "",
    });
    let protocol = ethernet::ethernet_type(f, "Protocol type")?;
    let hardware_length = f.u8("Hardware address length")?;
    let protocol_length = f.u8("Protocol address length")?;
    let operation = f.be16("Operation")?;
    f.means(match operation {
        1 => "request",
        2 => "reply",
        3 => "reverse request",
        4 => "reverse reply",
        8 => "inverse request",
        9 => "inverse reply",
        _ => "",
    });
    for (hardware, address) in [
        ("Sender hardware address", "Sender protocol address"),
        ("Target hardware address", "Target protocol address"),
    ] {
        match hardware_length {
            6 => notes::mac(f, hardware).map(|_| ())?,
            length => f.bytes(length.into(), hardware).map(|_| ())?,
        }
        match (protocol, protocol_length) {
            (0x0800, 4) => notes::v4(f, address).map(|_| ())?,
            (_, length) => f.bytes(length.into(), address).map(|_| ())?,
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, line, short_when_cut};
    use proptest::prelude::*;

    /// RFC 826, "Packet format": who has 10.0.0.2, asked by 10.0.0.1.
    const BYTES: [u8; 28] = [
        0, 1, 0x08, 0x00, 6, 4, 0, 1, 0, 0, 0x1b, 1, 2, 3, 10, 0, 0, 1, 0, 0, 0, 0, 0, 0, 10, 0, 0,
        2,
    ];

    #[test]
    fn asks_and_answers() {
        let input = Input {
            bytes: &BYTES,
            length: 46,
        };
        let layer = dissect(input, &mut Facts::default()).unwrap();
        assert_eq!((layer.header, layer.end), (28, 28), "18 bytes of padding");
        assert_eq!(line(&DISSECTOR, &BYTES), "who has 10.0.0.2, tell 10.0.0.1");
        let mut reply = BYTES;
        reply[7] = 2;
        assert_eq!(line(&DISSECTOR, &reply), "10.0.0.1 is here");
        reply[7] = 9;
        assert_eq!(line(&DISSECTOR, &reply), "operation 9, protocol 0800");
    }

    /// Of RFC 826's example: Y answers X, who asked for Y's address.
    #[test]
    fn a_reply_answers_the_request_for_its_sender() {
        let carried = |bytes: &[u8]| {
            let mut facts = Facts::default();
            dissect(Input::whole(bytes), &mut facts).unwrap();
            facts.carries
        };
        let probe = |answers| {
            Carries::Probe(Probe {
                answers,
                number: 0x0a00_0002,
                of: Some(Address::V4([10, 0, 0, 2])),
            })
        };
        assert_eq!(carried(&BYTES), probe(false));
        let mut reply = BYTES;
        reply[7] = 2;
        reply[14..18].copy_from_slice(&[10, 0, 0, 2]);
        reply[24..28].copy_from_slice(&[10, 0, 0, 1]);
        assert_eq!(carried(&reply), probe(true));
        let mut announced = BYTES;
        announced[14..18].copy_from_slice(&[10, 0, 0, 2]);
        assert_eq!(carried(&announced), Carries::Nothing, "RFC 5227, 2.3");
        assert_eq!(carried(&BYTES[..27]), Carries::Nothing, "cut");
    }

    #[test]
    fn a_cut_header_is_short() {
        short_when_cut(&DISSECTOR, &BYTES[..8]);
    }

    proptest! {
        #[test]
        fn fields_are_those_of_the_packet(mut bytes: [u8; 44], hardware in 0u8..9, protocol in 0u8..9) {
            bytes[2..6].copy_from_slice(&[0x08, 0x00, hardware, protocol]);
            let input = Input::whole(&bytes);
            let fields = testing::fields(&DISSECTOR, input);
            let h = Header::parse(input).unwrap();
            prop_assert_eq!(testing::number(&fields, "Operation"), Some(h.operation.into()));
            prop_assert_eq!(fields.last().unwrap().end, h.packet_length());
            if let Some((sender, target)) = h.v4(input) {
                let text = |name| testing::text(&fields, name);
                prop_assert_eq!(text("Sender protocol address"), Some(sender.to_string()));
                prop_assert_eq!(text("Target protocol address"), Some(target.to_string()));
            }
        }
    }
}

//! Token Ring. IEEE 802.5, clause 3; source routing IEEE 802.1D, annex C.

use crate::ethernet;
use crate::parse::{header, malformed};
use std::fmt;
use wirewait_wire::{
    Cast, Claim, Dissector, Endpoint, Facts, Fault, Input, Layer, LinkType, Next, Verified,
};

/// A MAC header. Addresses are in the bit order of the ring, as its people write them
/// (`c0-00-00-00-00-80`); a bridge to Ethernet turns each byte round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Access control: priority, token, monitor, reservation.
    pub access_control: u8,
    /// Frame control: frame type in the two high bits.
    pub frame_control: u8,
    /// Destination address.
    pub destination: [u8; 6],
    /// Source address, without the bit that announces routing information.
    pub source: [u8; 6],
    /// Bytes of routing information, 0 where there is none.
    pub route_length: u8,
}

/// Bytes before the routing information.
const FIXED: u32 = 14;

/// Marks a group in a destination, and routing information in a source address.
const HIGH_BIT: u8 = 0x80;

impl Header {
    /// Reads a header.
    ///
    /// # Errors
    /// [`Fault::Short`], or [`Fault::Malformed`] for routing information of a length
    /// that it cannot have.
    pub fn parse(input: Input<'_>) -> Result<Self, Fault> {
        let h: &[u8; 14] = header(input)?;
        let route_length = if h[8] & HIGH_BIT == 0 {
            0
        } else {
            let control = input.bytes.get(14).ok_or(Fault::Short { offset: FIXED })?;
            match control & 0x1f {
                length if length >= 2 && length % 2 == 0 => length,
                _ => return Err(malformed(FIXED, "length of the routing information")),
            }
        };
        let parsed = Self {
            access_control: h[0],
            frame_control: h[1],
            destination: [h[2], h[3], h[4], h[5], h[6], h[7]],
            source: [h[8] & !HIGH_BIT, h[9], h[10], h[11], h[12], h[13]],
            route_length,
        };
        if parsed.length() > input.length {
            return Err(malformed(
                FIXED,
                "routing information longer than the frame",
            ));
        }
        Ok(parsed)
    }

    /// Bytes of the header with routing information.
    #[must_use]
    pub const fn length(&self) -> u32 {
        FIXED + self.route_length as u32
    }

    /// Whether an LLC header follows; else the frame is about the ring itself.
    #[must_use]
    pub const fn is_llc(&self) -> bool {
        self.frame_control >> 6 == 1
    }

    fn cast(&self) -> Cast {
        match self.destination {
            [0xff, 0xff, 0xff, 0xff, 0xff, 0xff] | [0xc0, 0x00, 0xff, 0xff, 0xff, 0xff] => {
                Cast::Broadcast
            }
            [first, ..] if first & HIGH_BIT != 0 => Cast::Multicast,
            _ => Cast::Unicast,
        }
    }
}

pub(crate) static DISSECTOR: Dissector = Dissector {
    name: "token-ring",
    title: "Token Ring, IEEE 802.5",
    does: "addresses, source routes, LLC frames",
    lacks: "frames of the ring's own management; addresses stay in the ring's bit order",
    verified: &[
        Verified::Specification,
        Verified::RealCaptures,
        Verified::Tshark,
    ],
    claims: &[Claim::Exact(LinkType::TOKEN_RING.key())],
    conveys: true,
    dissect,
    describe,
    ..Dissector::PLAIN
};

fn dissect(input: Input<'_>, facts: &mut Facts) -> Result<Layer, Fault> {
    let h = Header::parse(input)?;
    facts.from = Endpoint::mac(h.source);
    facts.to = Endpoint::mac(h.destination);
    facts.cast = h.cast();
    Ok(Layer {
        header: h.length(),
        end: input.length,
        next: if h.is_llc() {
            Next::one(ethernet::LLC.any())
        } else {
            Next::NONE
        },
    })
}

fn describe(input: Input<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    let h = match Header::parse(input) {
        Ok(h) => h,
        Err(Fault::Malformed { what, .. }) => return out.write_str(what),
        Err(Fault::Short { .. }) => return out.write_str("cut off"),
    };
    let (from, to) = (Endpoint::mac(h.source), Endpoint::mac(h.destination));
    let kind = match h.frame_control >> 6 {
        0 => "MAC",
        1 => "LLC",
        _ => "reserved type",
    };
    write!(out, "{from} > {to}, {kind}")?;
    let route = input.bytes.get(14..h.length() as usize);
    let Some([control, _, designators @ ..]) = route else {
        return Ok(());
    };
    out.write_str(match control >> 5 {
        0..=3 => ", route",
        4 | 5 => ", all routes",
        _ => ", single route",
    })?;
    // Ring (12 bits) and the bridge that leads out of it.
    for designator in designators.chunks_exact(2) {
        let [high, low] = [designator[0], designator[1]];
        write!(out, " {high:02x}{:x}-{:x}", low >> 4, low & 0x0f)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ethernet::tests::{line, short_when_cut, stands};
    use proptest::prelude::*;

    /// To the functional address of NetBIOS, with a route over one bridge.
    const BYTES: [u8; 20] = [
        0x10, 0x40, 0xc0, 0, 0, 0, 0, 0x80, 0x90, 0x00, 0x5a, 1, 2, 3, //
        0x06, 0x30, 0x0a, 0x11, 0x0a, 0x20,
    ];

    fn read(bytes: &[u8]) -> (Layer, Facts) {
        let mut facts = Facts::default();
        let layer = dissect(Input { bytes, length: 80 }, &mut facts).unwrap();
        (layer, facts)
    }

    #[test]
    fn routing_information_is_header_and_its_bit_no_address() {
        let (layer, facts) = read(&BYTES);
        assert_eq!((layer.header, layer.end), (20, 80));
        assert_eq!(layer.next.keys().next(), Some(ethernet::LLC.any()));
        assert_eq!(facts.from, Endpoint::mac([0x10, 0x00, 0x5a, 1, 2, 3]));
        assert_eq!(facts.cast, Cast::Multicast);
        assert_eq!(
            line(&DISSECTOR, &BYTES),
            "10-00-5a-01-02-03 > c0-00-00-00-00-80, LLC, route 0a1-1 0a2-0"
        );
    }

    #[test]
    fn without_the_bit_there_is_no_route() {
        let mut bytes = BYTES;
        bytes[8] = 0x10;
        assert_eq!(read(&bytes).0.header, 14);
        bytes[1] = 0x00;
        assert!(read(&bytes).0.next.is_none(), "a MAC frame");
        bytes[2..8].copy_from_slice(&[0xc0, 0, 0xff, 0xff, 0xff, 0xff]);
        assert_eq!(read(&bytes).1.cast, Cast::Broadcast);
    }

    #[test]
    fn a_route_has_an_even_length_inside_the_frame() {
        for length in [0, 1, 7] {
            let mut bytes = BYTES;
            bytes[14] = length;
            assert!(matches!(
                Header::parse(Input::whole(&bytes)),
                Err(Fault::Malformed { offset: 14, .. })
            ));
        }
        let mut bytes = BYTES;
        bytes[14] = 8;
        assert!(Header::parse(Input::whole(&bytes)).is_err());
    }

    #[test]
    fn a_cut_header_is_short() {
        short_when_cut(&DISSECTOR, &BYTES[..15]);
    }

    proptest! {
        #[test]
        fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..80), cut in 0u32..2000) {
            stands(&DISSECTOR, &bytes, cut);
        }
    }
}

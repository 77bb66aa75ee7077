//! Token Ring. IEEE 802.5, clause 3; source routing IEEE 802.1D, annex C.

use crate::ethernet;
use crate::notes;
use crate::parse::{header, malformed};
use std::fmt;
use wirewait_wire::{
    Cast, Claim, Dissector, Endpoint, Facts, Fault, Fields, Input, Layer, LinkType, Medium, Next,
    Verified,
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

/// IEEE 802.5, 3.2: a starting delimiter before, an ending delimiter and the frame status behind
/// each frame. Nothing pads it; the token and the gap before it are nobody's.
const MEDIUM: Medium = Medium {
    shortest: 0,
    longest: None,
    check: 4,
    preamble: 3,
    gap: 0,
    duplex_from: None,
};

pub(crate) static DISSECTOR: Dissector = Dissector {
    name: "token-ring",
    title: "Token Ring, IEEE 802.5",
    aliases: &["802.5"],
    does: "addresses, source routes, LLC frames",
    lacks: "frames of the ring's own management; addresses stay in the ring's bit order",
    verified: &[
        Verified::Specification,
        Verified::RealCaptures,
        Verified::Tshark,
    ],
    claims: &[Claim::Exact(LinkType::TOKEN_RING.key())],
    conveys: true,
    medium: Some(MEDIUM),
    dissect,
    describe,
    fields,
    ..Dissector::PLAIN
};

fn dissect(input: Input<'_>, facts: &mut Facts) -> Result<Layer, Fault> {
    let h = Header::parse(input)?;
    facts.from = Endpoint::mac(h.source);
    facts.to = Endpoint::mac(h.destination);
    facts.cast = h.cast();
    let next = if h.is_llc() {
        Next::one(ethernet::LLC.any())
    } else {
        Next::NONE
    };
    Ok(Layer::over(input, h.length(), next))
}

fn describe(input: Input<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    let h = match Header::parse(input) {
        Ok(h) => h,
        Err(Fault::Malformed { what, .. }) => return out.write_str(what),
        Err(Fault::Short { .. }) => return out.write_str("cut off"),
    };
    let (from, to) = (Endpoint::mac(h.source), Endpoint::mac(h.destination));
    let kind = frame_type(h.frame_control);
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

fn fields(f: &mut Fields<'_>) -> Option<()> {
    f.u8("Access control (AC)")?;
    f.hex();
    f.bits(0xe0, "Priority");
    f.flag(0x10, "Token", "frame", "token");
    f.flag(0x08, "Monitor", "passed the active monitor", "no");
    f.bits(0x07, "Reservation");
    let control = f.u8("Frame control (FC)")?;
    f.hex();
    let kind = f.bits(0xc0, "Frame type");
    f.means(frame_type(control));
    match kind {
        0 => {
            let code = f.bits(0x0f, "Physical control field (PCF)");
            f.means(match code {
                0 => "normal buffer",
                1 => "express buffer",
                2 => "beacon",
                3 => "claim token",
                4 => "ring purge",
                5 => "active monitor present",
                6 => "standby monitor present",
                _ => "",
            });
        }
        1 => {
            f.bits(0x07, "User priority");
        }
        _ => {}
    }
    let destination = notes::mac(f, "Destination")?;
    f.means(address_name(destination));
    let source: [u8; 6] = f.bytes(6, "Source")?.try_into().ok()?;
    let [first, rest @ ..] = source;
    let [b, c, d, e, last] = rest;
    f.shown(Endpoint::mac([first & !HIGH_BIT, b, c, d, e, last]));
    if first & HIGH_BIT == 0 {
        return Some(());
    }
    f.means("routing information follows");
    f.open("Routing information (RIF)");
    route(f)?;
    f.close();
    Some(())
}

fn route(f: &mut Fields<'_>) -> Option<()> {
    let start = f.at();
    f.be16("Routing control")?;
    f.hex();
    let broadcast = f.bits(0xe000, "Broadcast");
    f.means(match broadcast {
        0..=3 => "none: specific route",
        4 | 5 => "all routes",
        _ => "single route",
    });
    let length = f.bits(0x1f00, "Length");
    f.flag(
        0x0080,
        "Direction",
        "from right to left",
        "from left to right",
    );
    let largest = f.bits(0x0070, "Largest frame");
    f.means(notes::largest_frame(largest));
    // A length that cannot be ends the header; see `Header::parse`.
    let end = start.saturating_add(u32::try_from(length).unwrap_or(0));
    while f.at() < end && length.is_multiple_of(2) {
        let designator = f.be16("Route designator")?;
        let (ring, bridge) = (designator >> 4, designator & 0x0f);
        f.hex();
        if f.at() < end {
            f.means(format_args!("{ring:03x}-{bridge:x}"));
            f.bits(0xfff0, "Ring");
            f.bits(0x000f, "Bridge");
        } else {
            // No bridge leads out of the last ring.
            f.means(format_args!("{ring:03x}"));
            f.bits(0xfff0, "Ring");
            f.bits(0x000f, "Reserved");
        }
    }
    Some(())
}

const fn frame_type(control: u8) -> &'static str {
    match control >> 6 {
        0 => "MAC",
        1 => "LLC",
        _ => "reserved type",
    }
}

/// Functional addresses (IEEE 802.5, 3.2.4.1; IBM Token-Ring Network Architecture Reference).
fn address_name(address: [u8; 6]) -> &'static str {
    match address {
        [0xff, 0xff, 0xff, 0xff, 0xff, 0xff] | [0xc0, 0x00, 0xff, 0xff, 0xff, 0xff] => "everyone",
        [0xc0, 0x00, 0x00, 0x00, 0x00, 0x01] => "active monitor",
        [0xc0, 0x00, 0x00, 0x00, 0x00, 0x02] => "ring parameter server",
        [0xc0, 0x00, 0x00, 0x00, 0x00, 0x08] => "ring error monitor",
        [0xc0, 0x00, 0x00, 0x00, 0x00, 0x10] => "configuration report server",
        [0xc0, 0x00, 0x00, 0x00, 0x00, 0x80] => "NetBIOS",
        [0xc0, 0x00, 0x00, 0x00, 0x01, 0x00] => "bridge",
        [first, ..] if first & HIGH_BIT != 0 => "group",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, line, short_when_cut};
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
        fn fields_are_those_of_the_header(mut bytes: [u8; 40], route in 0u8..24) {
            bytes[14] = bytes[14] & 0xe0 | route;
            let input = Input::whole(&bytes);
            let fields = testing::fields(&DISSECTOR, input);
            if let Ok(h) = Header::parse(input) {
                let address = |address| Some(Endpoint::mac(address).to_string());
                prop_assert_eq!(testing::text(&fields, "Source"), address(h.source));
                prop_assert_eq!(testing::text(&fields, "Destination"), address(h.destination));
                prop_assert_eq!(
                    testing::number(&fields, "Length").unwrap_or(0),
                    h.route_length.into()
                );
                let designators = fields.iter().filter(|f| f.name == "Route designator");
                prop_assert_eq!(
                    designators.count(),
                    usize::from(h.route_length.saturating_sub(2) / 2)
                );
            }
        }
    }
}

//! FDDI. ISO 9314-2, clause 7; LLC follows as on the other IEEE LANs (RFC 1390).

use crate::ethernet;
use crate::notes;
use crate::parse::header;
use std::fmt;
use wirewait_wire::{
    Claim, Dissector, Endpoint, Facts, Fault, Fields, Input, Layer, LinkType, Next, Verified,
};

/// A MAC header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Frame control: class, address length, format, priority.
    pub frame_control: u8,
    /// Destination address, in the bit order of the capture.
    pub destination: [u8; 6],
    /// Source address likewise.
    pub source: [u8; 6],
}

impl Header {
    /// Bytes of the header.
    pub const LENGTH: u32 = 13;

    /// Reads a header.
    ///
    /// # Errors
    /// [`Fault::Short`].
    pub fn parse(input: Input<'_>) -> Result<Self, Fault> {
        let h: &[u8; 13] = header(input)?;
        Ok(Self {
            frame_control: h[0],
            destination: [h[1], h[2], h[3], h[4], h[5], h[6]],
            source: [h[7], h[8], h[9], h[10], h[11], h[12]],
        })
    }

    /// Whether an LLC header follows: 48-bit addresses, format 01, of either class.
    #[must_use]
    pub const fn is_llc(&self) -> bool {
        self.frame_control & 0x70 == 0x50
    }
}

pub(crate) static DISSECTOR: Dissector = Dissector {
    name: "fddi",
    title: "FDDI, ISO 9314-2",
    does: "addresses, LLC frames",
    lacks: "station management frames; captures keep addresses in either bit order without \
            saying which, so they are shown as they stand, and a group may count as a station",
    verified: &[
        Verified::Specification,
        Verified::RealCaptures,
        Verified::Tshark,
    ],
    claims: &[Claim::Exact(LinkType::FDDI.key())],
    conveys: true,
    dissect,
    describe,
    fields,
    ..Dissector::PLAIN
};

fn dissect(input: Input<'_>, facts: &mut Facts) -> Result<Layer, Fault> {
    let h = Header::parse(input)?;
    facts.from = Endpoint::mac(h.source);
    facts.to = Endpoint::mac(h.destination);
    facts.cast = ethernet::cast(h.destination);
    let next = if h.is_llc() {
        Next::one(ethernet::LLC.any())
    } else {
        Next::NONE
    };
    Ok(Layer::over(input, Header::LENGTH, next))
}

fn describe(input: Input<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    let Ok(h) = Header::parse(input) else {
        return out.write_str("cut off");
    };
    let (from, to) = (Endpoint::mac(h.source), Endpoint::mac(h.destination));
    let kind = if h.is_llc() { "LLC" } else { "not LLC" };
    write!(
        out,
        "{from} > {to}, {kind}, control {:02x}",
        h.frame_control
    )
}

fn fields(f: &mut Fields<'_>) -> Option<()> {
    let control = f.u8("Frame control (FC)")?;
    f.hex();
    f.flag(0x80, "Class", "synchronous", "asynchronous");
    f.flag(0x40, "Address length", "48 bits", "16 bits");
    f.bits(0x30, "Format");
    f.means(match control & 0x30 {
        0x10 => "LLC",
        0x00 => "MAC or station management",
        0x20 => "implementer's",
        _ => "",
    });
    f.bits(0x0f, "Control");
    notes::mac(f, "Destination")?;
    notes::mac(f, "Source")?;
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, line, short_when_cut};
    use proptest::prelude::*;

    const BYTES: [u8; 13] = [0x50, 0, 0, 0x1b, 1, 2, 3, 0, 0xa0, 0x24, 4, 5, 6];

    fn read(bytes: &[u8]) -> (Layer, Facts) {
        let mut facts = Facts::default();
        let layer = dissect(Input { bytes, length: 60 }, &mut facts).unwrap();
        (layer, facts)
    }

    #[test]
    fn llc_of_either_class_and_nothing_else() {
        let (layer, facts) = read(&BYTES);
        assert_eq!((layer.header, layer.end), (13, 60));
        assert_eq!(layer.next.keys().next(), Some(ethernet::LLC.any()));
        assert_eq!(facts.from, Endpoint::mac([0, 0xa0, 0x24, 4, 5, 6]));
        assert_eq!(
            line(&DISSECTOR, &BYTES),
            "00-a0-24-04-05-06 > 00-00-1b-01-02-03, LLC, control 50"
        );
        // Asynchronous with priority, synchronous; then station management, beacon, token.
        for (control, llc) in [
            (0x54, true),
            (0xd0, true),
            (0x41, false),
            (0xc2, false),
            (0x80, false),
        ] {
            let mut bytes = BYTES;
            bytes[0] = control;
            assert_eq!(!read(&bytes).0.next.is_none(), llc, "{control:02x}");
        }
    }

    #[test]
    fn a_cut_header_is_short() {
        short_when_cut(&DISSECTOR, &BYTES);
    }

    proptest! {
        #[test]
        fn fields_are_those_of_the_header(bytes: [u8; 15]) {
            let fields = testing::fields(&DISSECTOR, Input::whole(&bytes));
            let h = Header::parse(Input::whole(&bytes)).unwrap();
            let address = |address| Some(Endpoint::mac(address).to_string());
            prop_assert_eq!(
                testing::number(&fields, "Frame control (FC)"),
                Some(h.frame_control.into())
            );
            prop_assert_eq!(testing::text(&fields, "Source"), address(h.source));
            prop_assert_eq!(testing::text(&fields, "Destination"), address(h.destination));
        }
    }
}

//! PPP over Ethernet, as on lines of subscribers. RFC 2516.

use crate::ethernet;
use crate::parse::{header, malformed};
use std::fmt;
use wirewait_wire::{
    Claim, Dissector, Facts, Fault, Fields, Input, Layer, LinkType, Next, Verified,
};

/// A PPPoE header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// 0 in a session; discovery says here what it wants.
    pub code: u8,
    /// Session, as its access concentrator numbers them.
    pub session: u16,
    /// Bytes of payload.
    pub length: u16,
}

impl Header {
    /// Bytes of the header.
    pub const LENGTH: u32 = 6;

    /// Reads a header.
    ///
    /// # Errors
    /// [`Fault::Short`], or [`Fault::Malformed`] for another version or type than 1.
    pub fn parse(input: Input<'_>) -> Result<Self, Fault> {
        let h: &[u8; 6] = header(input)?;
        if h[0] != 0x11 {
            return Err(malformed(0, "version or type is not 1"));
        }
        Ok(Self {
            code: h[1],
            session: u16::from_be_bytes([h[2], h[3]]),
            length: u16::from_be_bytes([h[4], h[5]]),
        })
    }
}

pub(crate) static DISSECTOR: Dissector = Dissector {
    name: "pppoe",
    title: "PPP over Ethernet, RFC 2516",
    does: "sessions, and the PPP in them",
    lacks: "the tags of discovery",
    verified: &[
        Verified::Specification,
        Verified::RealCaptures,
        Verified::Tshark,
    ],
    claims: &[
        // Discovery and session.
        Claim::Exact(ethernet::TYPE.key(0x8863)),
        Claim::Exact(ethernet::TYPE.key(0x8864)),
    ],
    conveys: true,
    dissect,
    describe,
    fields,
    ..Dissector::PLAIN
};

fn dissect(input: Input<'_>, _: &mut Facts) -> Result<Layer, Fault> {
    let h = Header::parse(input)?;
    Ok(Layer {
        header: Header::LENGTH,
        end: Header::LENGTH + u32::from(h.length),
        next: match h.code {
            0 => Next::one(LinkType::PPP.key()),
            _ => Next::NONE,
        },
    })
}

fn describe(input: Input<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    match Header::parse(input) {
        Ok(Header {
            code: 0,
            session,
            length,
        }) => write!(out, "session {session:04x}, length {length}"),
        Ok(h) => match stage(h.code) {
            "" => write!(out, "discovery, code {:02x}", h.code),
            name => write!(out, "discovery, {name}"),
        },
        Err(Fault::Malformed { what, .. }) => out.write_str(what),
        Err(Fault::Short { .. }) => out.write_str("cut off"),
    }
}

fn fields(f: &mut Fields<'_>) -> Option<()> {
    f.u8("Version and type")?;
    f.hex();
    f.bits(0xf0, "Version");
    f.bits(0x0f, "Type");
    let code = f.u8("Code")?;
    f.hex().means(stage(code));
    f.be16("Session")?;
    f.hex();
    f.be16("Length")?;
    Some(())
}

/// RFC 2516, 5.
const fn stage(code: u8) -> &'static str {
    match code {
        0x00 => "session",
        0x07 => "offer",
        0x09 => "initiation",
        0x19 => "request",
        0x65 => "confirmation",
        0xa7 => "termination",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, line, short_when_cut};
    use proptest::prelude::*;

    /// RFC 2516, appendix B: a session's packet, here of session 0x1234 with 42 bytes.
    const SESSION: [u8; 6] = [0x11, 0x00, 0x12, 0x34, 0x00, 0x2a];

    #[test]
    fn a_session_carries_ppp() {
        let layer = dissect(Input::whole(&SESSION), &mut Facts::default()).unwrap();
        assert_eq!((layer.header, layer.end), (6, 48), "the rest is padding");
        assert_eq!(layer.next.keys().next(), Some(LinkType::PPP.key()));
        assert_eq!(line(&DISSECTOR, &SESSION), "session 1234, length 42");
    }

    #[test]
    fn discovery_carries_nothing() {
        let bytes = [0x11, 0x09, 0, 0, 0, 4, 1, 1, 0, 0];
        let layer = dissect(Input::whole(&bytes), &mut Facts::default()).unwrap();
        assert!(layer.next.is_none());
        assert_eq!(line(&DISSECTOR, &bytes), "discovery, initiation");
    }

    #[test]
    fn a_cut_header_is_short_and_another_version_malformed() {
        short_when_cut(&DISSECTOR, &SESSION);
        let got = Header::parse(Input::whole(&[0x21, 0, 0, 0, 0, 0]));
        assert_eq!(got, Err(malformed(0, "version or type is not 1")));
    }

    proptest! {
        #[test]
        fn fields_are_those_of_the_header(mut bytes: [u8; 8]) {
            bytes[0] = 0x11;
            let fields = testing::fields(&DISSECTOR, Input::whole(&bytes));
            let h = Header::parse(Input::whole(&bytes)).unwrap();
            prop_assert_eq!(testing::number(&fields, "Code"), Some(h.code.into()));
            prop_assert_eq!(testing::number(&fields, "Session"), Some(h.session.into()));
            prop_assert_eq!(testing::number(&fields, "Length"), Some(h.length.into()));
        }
    }
}

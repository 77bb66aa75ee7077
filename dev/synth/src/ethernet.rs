//! Ethernet frames: Ethernet II and IEEE 802.3, with an optional 802.1Q tag, padded to the
//! minimum of 60 bytes (64 on the wire with the check sequence, which captures leave out).

use crate::bytes::{Put, len16};

/// A station's address.
pub type Mac = [u8; 6];

/// Everyone.
pub const BROADCAST: Mac = [0xff; 6];

/// The shortest frame, without check sequence (IEEE 802.3).
pub const MINIMUM: usize = 60;

/// The largest payload behind the type or length field.
pub const MAXIMUM_PAYLOAD: usize = 1500;

/// The addresses and the tag in front of every frame.
#[derive(Clone, Copy, Debug)]
pub struct Header {
    /// Who it is for.
    pub destination: Mac,
    /// Who sent it.
    pub source: Mac,
    /// VLAN identifier of an 802.1Q tag, if there is one.
    pub vlan: Option<u16>,
}

/// What stands in the two bytes behind the addresses.
#[derive(Clone, Copy, Debug)]
pub enum Encapsulation {
    /// Ethernet II: a protocol number.
    Type(u16),
    /// IEEE 802.3: the length of the payload.
    Length,
}

/// A whole frame.
#[must_use]
pub fn frame(header: &Header, encapsulation: Encapsulation, payload: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(18 + payload.len().max(46));
    out.put(&header.destination).put(&header.source);
    if let Some(vlan) = header.vlan {
        out.be16(0x8100).be16(vlan & 0x0fff);
    }
    match encapsulation {
        Encapsulation::Type(value) => out.be16(value),
        Encapsulation::Length => out.be16(len16(payload)),
    };
    out.put(payload);
    if out.len() < MINIMUM {
        out.resize(MINIMUM, 0);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: Header = Header {
        destination: [2, 0, 0, 0, 0, 1],
        source: [2, 0, 0, 0, 0, 2],
        vlan: None,
    };

    #[test]
    fn short_frames_are_padded_behind_their_length() {
        let out = frame(&HEADER, Encapsulation::Length, &[0xf0, 0xf0, 0x7f]);
        assert_eq!(out.len(), MINIMUM);
        assert_eq!(out[12..17], [0, 3, 0xf0, 0xf0, 0x7f]);
        assert!(out[17..].iter().all(|byte| *byte == 0));
    }

    #[test]
    fn a_tag_comes_before_the_type() {
        let tagged = Header {
            vlan: Some(5),
            ..HEADER
        };
        let out = frame(&tagged, Encapsulation::Type(0x8137), &[0; 64]);
        assert_eq!(out[12..18], [0x81, 0, 0, 5, 0x81, 0x37]);
        assert_eq!(out.len(), 82);
    }
}

//! NetWare's watchdog and message notices over IPX: two bytes beside the NCP connection.
//!
//! A server asks a silent client whether it is still there, at the socket after that of its
//! connection, and tells of a waiting message at the socket after that one. Sockets of
//! clients are dynamic, so that the two bytes are known by their looks: a connection and one
//! of three characters. Novell's IPX Router Specification and NCP documentation name them.

use crate::ipx;
use crate::parse::header;
use std::fmt;
use wirewait_wire::{Claim, Dissector, Facts, Fault, Fields, Input, Layer, Next, Verified};

/// A notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Notice {
    /// The low byte of the connection's number.
    pub connection: u8,
    /// `?`, `Y` or `!`.
    pub signature: u8,
}

impl Notice {
    /// Bytes of a notice.
    pub const LENGTH: u32 = 2;

    /// Reads a notice.
    ///
    /// # Errors
    /// [`Fault::Short`].
    pub fn parse(input: Input<'_>) -> Result<Self, Fault> {
        let [connection, signature] = *header(input)?;
        Ok(Self {
            connection,
            signature,
        })
    }

    /// What the character says.
    #[must_use]
    pub const fn meaning(self) -> Option<&'static str> {
        Some(match self.signature {
            b'?' => "is the station still there?",
            b'Y' => "it is",
            b'!' => "a message waits",
            _ => return None,
        })
    }
}

fn looks_like(bytes: &[u8]) -> bool {
    matches!(bytes, [_, b'?' | b'Y' | b'!'])
}

pub(crate) static DISSECTOR: Dissector = Dissector {
    name: "ncp_watchdog",
    title: "NetWare watchdog and message notices over IPX",
    does: "connection and what is asked or said",
    lacks: "it is upkeep of an NCP connection between other sockets and not counted to it",
    verified: &[Verified::Nothing],
    claims: &[Claim::Probe(ipx::SOCKET, looks_like)],
    dissect,
    describe,
    fields,
    ..Dissector::PLAIN
};

fn dissect(input: Input<'_>, _: &mut Facts) -> Result<Layer, Fault> {
    Notice::parse(input)?;
    Ok(Layer {
        header: Notice::LENGTH,
        end: input.length,
        next: Next::NONE,
    })
}

fn describe(input: Input<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    match Notice::parse(input) {
        Ok(notice) => write!(
            out,
            "conn {}: {}",
            notice.connection,
            notice.meaning().unwrap_or("not known")
        ),
        Err(_) => out.write_str("cut off"),
    }
}

fn fields(f: &mut Fields<'_>) -> Option<()> {
    let notice = Notice::parse(f.input()).ok();
    f.u8("Connection number")?;
    f.u8("Signature character")?;
    f.hex();
    f.means(notice.and_then(Notice::meaning).unwrap_or("not known"));
    f.rest("Padding").map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;
    use wirewait_wire::{Depth, Frame, LinkType, Timestamp, Walk};

    #[test]
    fn says_what_is_asked_and_answered() {
        let line = |bytes: &[u8]| {
            let mut out = String::new();
            describe(Input::whole(bytes), &mut out).unwrap();
            out
        };
        assert_eq!(line(b"\x05?"), "conn 5: is the station still there?");
        assert_eq!(line(b"\x05Y"), "conn 5: it is");
        assert_eq!(line(b"\x05!"), "conn 5: a message waits");
        assert_eq!(line(b"\x05"), "cut off");
        let fields = testing::fields(&DISSECTOR, Input::whole(b"\x05Y"));
        assert_eq!(testing::number(&fields, "Connection number"), Some(5));
        assert_eq!(fields[1].meaning, "it is");
    }

    #[test]
    fn two_bytes_on_any_sockets_are_known_by_their_looks() {
        let found = |data: &[u8]| {
            let mut bytes = vec![2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x81, 0x37, 0xff, 0xff, 0];
            bytes.push(30 + u8::try_from(data.len()).unwrap());
            bytes.extend([0, 0]);
            bytes.extend([0, 0, 0, 2, 2, 0, 0, 0, 0, 2, 0x40, 0x04]);
            bytes.extend([0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0x40, 0x01]);
            bytes.extend(data);
            let mut walk = Walk::default();
            let registry = crate::registry();
            let frame = Frame {
                at: Timestamp::default(),
                link: LinkType::ETHERNET,
                interface: 0,
                wire_len: u32::try_from(bytes.len()).unwrap(),
                bytes: &bytes,
            };
            registry.walk(&frame, Depth::Full, &mut walk);
            let last = walk.last().unwrap();
            registry.dissector(last.dissector).name
        };
        assert_eq!(found(b"\x05?"), "ncp_watchdog");
        assert_eq!(found(b"\x05Y"), "ncp_watchdog");
        assert_eq!(found(b"\x05N"), "ipx");
        assert_eq!(found(b"\x05?\0"), "ipx");
    }
}

//! What a NetWare server tells a workstation in two bytes: the watchdog, by which it asks
//! whether a silent connection is still in use, and the notice that a message waits (NetWare
//! client SDK; the sources of ncpfs and mars_nwe agree). A workstation takes them on the two
//! sockets behind that of its NCP connection, so only their shape tells them.

use crate::ipx;
use crate::parse::header;
use std::fmt;
use wirewait_wire::{
    Carries, Claim, Dissector, Facts, Fault, Fields, Input, Layer, Next, Probe, Verified,
};

/// Signature characters.
pub mod signature {
    /// The server asks: are you still there?
    pub const QUERY: u8 = b'?';
    /// The workstation is.
    pub const YES: u8 = b'Y';
    /// The connection is used no more.
    pub const NO: u8 = b'N';
    /// A broadcast message waits; the workstation fetches it by NCP.
    pub const MESSAGE: u8 = b'!';
    /// A mirrored server took over from its partner.
    pub const SWITCHED: u8 = b'@';
}

/// A message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// The NCP connection, as far as one byte can tell.
    pub connection: u8,
    /// See [`signature`].
    pub signature: u8,
}

impl Message {
    /// Bytes of a message.
    pub const LENGTH: u32 = 2;

    /// Reads a message.
    ///
    /// # Errors
    /// [`Fault::Short`].
    pub fn parse(input: Input<'_>) -> Result<Self, Fault> {
        let &[connection, signature] = header(input)?;
        Ok(Self {
            connection,
            signature,
        })
    }
}

pub(crate) static DISSECTOR: Dissector = Dissector {
    name: "ncp_watchdog",
    title: "NetWare watchdog and message notices",
    aliases: &["watchdog", "WDOG", "IPX message"],
    does: "watchdog queries and responses, which show how far a workstation is; notices of \
            waiting messages",
    lacks: "they are counted as other traffic, not with the NCP connection, which has sockets of its own; a query \
            without a response is not pointed out",
    verified: &[Verified::Specification, Verified::Tshark],
    claims: &[
        Claim::Exact(ipx::MESSAGE.key(signature::QUERY as u32)),
        Claim::Exact(ipx::MESSAGE.key(signature::YES as u32)),
        Claim::Exact(ipx::MESSAGE.key(signature::NO as u32)),
        Claim::Exact(ipx::MESSAGE.key(signature::MESSAGE as u32)),
        Claim::Exact(ipx::MESSAGE.key(signature::SWITCHED as u32)),
    ],
    dissect,
    describe,
    fields,
    ..Dissector::PLAIN
};

fn dissect(input: Input<'_>, facts: &mut Facts) -> Result<Layer, Fault> {
    let m = Message::parse(input)?;
    if let signature::QUERY | signature::YES | signature::NO = m.signature {
        facts.carries = Carries::Probe(Probe {
            answers: m.signature != signature::QUERY,
            number: m.connection.into(),
            of: None,
        });
    }
    Ok(Layer {
        header: Message::LENGTH,
        end: Message::LENGTH,
        next: Next::NONE,
    })
}

fn describe(input: Input<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    match Message::parse(input) {
        Ok(m) => write!(out, "{}, connection {}", meaning(m.signature), m.connection),
        Err(_) => out.write_str("cut off"),
    }
}

fn fields(f: &mut Fields<'_>) -> Option<()> {
    f.u8("Connection number")?;
    let signature = f.u8("Signature character")?;
    f.hex().means(meaning(signature));
    Some(())
}

const fn meaning(signature: u8) -> &'static str {
    match signature {
        signature::QUERY => "watchdog: still there?",
        signature::YES => "watchdog: still there",
        signature::NO => "watchdog: not there any more",
        signature::MESSAGE => "a message waits",
        signature::SWITCHED => "the mirrored server took over",
        _ => "unknown",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, line, short_when_cut};
    use proptest::prelude::*;
    use wirewait_wire::{Depth, Frame, LinkType, Timestamp, Walk};

    #[test]
    fn one_line_each() {
        assert_eq!(
            line(&DISSECTOR, &[7, b'?']),
            "watchdog: still there?, connection 7"
        );
        assert_eq!(
            line(&DISSECTOR, &[7, b'Y']),
            "watchdog: still there, connection 7"
        );
        assert_eq!(
            line(&DISSECTOR, &[7, b'!']),
            "a message waits, connection 7"
        );
    }

    /// The layers of a packet of this type between these sockets.
    fn layers(packet_type: u8, sockets: [u16; 2], data: &[u8]) -> Vec<&'static str> {
        let mut bytes = vec![2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x81, 0x37];
        bytes.extend([0xff, 0xff, 0, 30 + data.len() as u8, 0, packet_type]);
        for socket in sockets {
            bytes.extend([0, 0, 0, 0x22, 2, 0, 0, 0, 0, 1]);
            bytes.extend(socket.to_be_bytes());
        }
        bytes.extend(data);
        let frame = Frame {
            at: Timestamp::default(),
            link: LinkType::ETHERNET,
            interface: 0,
            wire_len: bytes.len() as u32,
            bytes: &bytes,
        };
        let registry = crate::registry();
        let mut walk = Walk::default();
        registry.walk(&frame, Depth::Full, &mut walk);
        let probe = |answers| {
            Carries::Probe(Probe {
                answers,
                number: 7,
                of: None,
            })
        };
        let carries = match data {
            [7, b'?'] => probe(false),
            [7, b'Y' | b'N'] => probe(true),
            _ => Carries::Nothing,
        };
        assert_eq!(walk.facts.carries, carries);
        let spans = walk.spans().iter();
        spans
            .map(|span| registry.dissector(span.dissector).name)
            .collect()
    }

    #[test]
    fn found_by_shape_between_dynamic_sockets() {
        // NetWare sends them with NCP's packet type too.
        for packet_type in [0, 4, 0x11] {
            assert_eq!(
                layers(packet_type, [0x4004, 0x4001], &[7, b'?']),
                ["ethernet", "ipx", "ncp_watchdog"]
            );
        }
        for answer in *b"YN!" {
            let layers = layers(4, [0x4001, 0x4004], &[7, answer]);
            assert_eq!(layers, ["ethernet", "ipx", "ncp_watchdog"]);
        }
        assert_eq!(
            layers(4, [0x4004, 0x4001], &[7, b'x']),
            ["ethernet", "ipx"],
            "another program's two bytes"
        );
        assert_eq!(
            layers(4, [0x4004, 0x4001], &[7, b'?', 0]),
            ["ethernet", "ipx"],
            "three bytes"
        );
    }

    #[test]
    fn every_strict_prefix_is_short() {
        short_when_cut(&DISSECTOR, &[7, b'?']);
    }

    proptest! {
        #[test]
        fn fields_are_those_of_the_message(bytes: [u8; 2]) {
            let fields = testing::fields(&DISSECTOR, Input::whole(&bytes));
            let m = Message::parse(Input::whole(&bytes)).unwrap();
            let number = |name| testing::number(&fields, name);
            prop_assert_eq!(number("Connection number"), Some(m.connection.into()));
            prop_assert_eq!(number("Signature character"), Some(m.signature.into()));
        }
    }
}

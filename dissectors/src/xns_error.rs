//! Xerox Error Protocol ("Internet Transport Protocols", XSIS 028112): a packet was not
//! delivered, and its beginning comes back. Numbers below 1000 (octal) come from the station
//! that it was for, the others from a router on the way.

use crate::parse::header;
use crate::{idp, pep};
use std::fmt;
use wirewait_wire::{
    Claim, Dissector, Exchange, Fault, Fields, Input, Part, Role, Side, Status, Verified,
};

/// The head of every error packet; the beginning of the packet that it is about follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// What is wrong.
    pub number: u16,
    /// Says more: the largest size that would do, for [`Header::TOO_BIG`].
    pub parameter: u16,
}

impl Header {
    /// Bytes of the header.
    pub const LENGTH: u32 = 4;

    /// The packet is larger than a network on the way can carry.
    pub const TOO_BIG: u16 = 0o1004;

    /// Reads a header.
    ///
    /// # Errors
    /// [`Fault::Short`].
    pub fn parse(input: Input<'_>) -> Result<Self, Fault> {
        let h: &[u8; 4] = header(input)?;
        Ok(Self {
            number: u16::from_be_bytes([h[0], h[1]]),
            parameter: u16::from_be_bytes([h[2], h[3]]),
        })
    }

    /// Whether the packet reached the station that it was for.
    #[must_use]
    pub const fn is_from_destination(&self) -> bool {
        self.number < 0o1000
    }

    /// What is wrong, in the specification's words.
    #[must_use]
    pub const fn name(&self) -> Option<&'static str> {
        Some(match self.number {
            0 => "unspecified error",
            1 => "bad checksum",
            2 => "no such socket",
            3 => "resource limit",
            4 => "listen reject",
            5 => "invalid packet type",
            6 => "protocol violation",
            0o1000 => "unspecified error on the way",
            0o1001 => "bad checksum on the way",
            0o1002 => "destination unreachable",
            0o1003 => "too many hops",
            Self::TOO_BIG => "packet too big",
            0o1005 => "congestion warning",
            0o1006 => "discarded for congestion",
            _ => return None,
        })
    }
}

/// The packet that an error is about, if the station that it was for refused it.
pub(crate) fn refused(input: Input<'_>) -> Option<idp::Header> {
    let h = Header::parse(input).ok()?;
    let offending = idp::Header::parse(input.skip(Header::LENGTH)).ok()?;
    h.is_from_destination().then_some(offending)
}

pub(crate) static DISSECTOR: Dissector = Dissector {
    name: "xns_error",
    title: "Xerox Error Protocol, XSIS 028112",
    does: "errors by name, the packet that each is about; a refusal by the receiver is the response \
           to a PEP request",
    lacks: "errors about other protocols, and those of routers, are shown but end nothing; tried \
            on made captures only",
    verified: &[Verified::Specification],
    claims: &[Claim::Exact(idp::TYPE.key(idp::packet::ERROR as u32))],
    exchange: Some(exchange),
    describe,
    fields,
    ..Dissector::PLAIN
};

fn exchange(input: Input<'_>) -> Result<Part, Fault> {
    let h = Header::parse(input)?;
    let body = input.skip(Header::LENGTH + idp::Header::LENGTH);
    let exchange = refused(input)
        .filter(|offending| offending.packet_type == idp::packet::PEP)
        .and_then(|_| pep::Header::parse(body).ok())
        .map(|asked| Exchange {
            id: Some(pep::id(asked.id)),
            anyone: true,
            status: Some(Status {
                code: h.number.into(),
                name: h.name(),
                ok: false,
                failure: true,
            }),
            ..Exchange::new(
                Role::Response,
                Side::Server,
                pep::asks(asked.client_type),
                asked.client_type.into(),
            )
        });
    Ok(Part {
        exchange,
        length: input.length,
    })
}

fn describe(input: Input<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    let Ok(h) = Header::parse(input) else {
        return out.write_str("cut off");
    };
    match h.name() {
        Some(name) => write!(out, "{name}, ")?,
        None => write!(out, "error {}, ", h.number)?,
    }
    if h.number == Header::TOO_BIG {
        write!(out, "at most {} bytes, ", h.parameter)?;
    }
    let offending = input.skip(Header::LENGTH);
    match idp::Header::parse(offending) {
        Ok(o) => write!(
            out,
            "about {} > {}",
            o.source.endpoint(),
            o.destination.endpoint()
        ),
        Err(_) => out.write_str("about an unknown packet"),
    }
}

fn fields(f: &mut Fields<'_>) -> Option<()> {
    let number = f.be16("Error number")?;
    let parameter = 0;
    let h = Header { number, parameter };
    f.means(format_args!(
        "{number:o} octal, {}",
        h.name().unwrap_or("unknown")
    ));
    f.be16("Error parameter")?;
    if number == Header::TOO_BIG {
        f.means("largest packet that can be forwarded");
    }
    f.open("Offending packet");
    // Only its beginning is here, so there is nothing to check the checksum by.
    idp::header_fields(f, "")?;
    f.rest("Data")?;
    f.close();
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, line, stands};
    use proptest::prelude::*;
    use wirewait_wire::{Facts, Id};

    /// Number and parameter, then the beginning of a packet of this type from socket 0bc1 to
    /// 0464: 42 bytes, as 4.3BSD sends them.
    fn error(number: u16, parameter: u16, packet_type: u8) -> Vec<u8> {
        let mut bytes = [number.to_be_bytes(), parameter.to_be_bytes()].concat();
        bytes.extend([0xff, 0xff, 0x00, 0x32, 0x00, packet_type]);
        bytes.extend([0, 0, 0, 0, 2, 0x60, 0x8c, 0, 0, 9, 0x04, 0x64]);
        bytes.extend([0, 0, 0, 0x22, 2, 0x60, 0x8c, 0x12, 0x34, 0x56, 0x0b, 0xc1]);
        bytes.extend([0, 0, 0x12, 0x34, 0, 1, b'd', b'a', b't', b'a', 0, 0]);
        bytes
    }

    fn part(bytes: &[u8]) -> Option<Exchange> {
        exchange(Input::whole(bytes)).unwrap().exchange
    }

    /// What an IDP packet that carries `body` from `from` to `to` says of its ends' sockets.
    fn sockets(body: &[u8], from: [u8; 6], to: u16) -> (Option<u16>, Option<u16>) {
        let length = u16::try_from(30 + body.len()).unwrap();
        let mut packet = vec![0xff, 0xff];
        packet.extend(length.to_be_bytes());
        packet.extend([0, 3, 0, 0, 0, 0x22, 2, 0x60, 0x8c, 0x12, 0x34, 0x56]);
        packet.extend(to.to_be_bytes());
        packet.extend([0, 0, 0, 0]);
        packet.extend(from);
        packet.extend([0, 3]);
        packet.extend(body);
        let mut facts = Facts::default();
        (idp::DISSECTOR.dissect)(Input::whole(&packet), &mut facts).unwrap();
        (facts.from.port, facts.to.port)
    }

    #[test]
    fn a_refusal_answers_a_pep_request() {
        let x = part(&error(2, 0, 4)).unwrap();
        assert_eq!((x.role, x.sender), (Role::Response, Side::Server));
        assert_eq!(x.id, Some(Id::new(0, 0x1234)));
        let status = x.status.unwrap();
        assert_eq!((status.code, status.name), (2, Some("no such socket")));
        assert!(!status.ok && status.failure && x.anyone);
    }

    #[test]
    fn routers_and_other_protocols_answer_nothing() {
        assert!(part(&error(0o1002, 0, 4)).is_none(), "unreachable");
        assert!(part(&error(2, 0, 5)).is_none(), "SPP");
        assert!(part(&error(2, 0, 4)[..10]).is_none(), "cut off");
    }

    #[test]
    fn the_station_that_refuses_speaks_for_the_socket_that_was_asked() {
        let (asked, other) = ([2, 0x60, 0x8c, 0, 0, 9], [2, 0x60, 0x8c, 0, 0, 1]);
        let refusal = error(2, 0, 4);
        assert_eq!(sockets(&refusal, asked, 3), (Some(0x0464), Some(0x0bc1)));
        assert_eq!(
            sockets(&refusal, asked, 0x0bc1),
            (Some(0x0464), Some(0x0bc1))
        );
        assert_eq!(sockets(&refusal, other, 3), (Some(3), Some(3)), "a router");
        let unreachable = error(0o1002, 0, 4);
        assert_eq!(sockets(&unreachable, asked, 3), (Some(3), Some(3)));
    }

    #[test]
    fn one_line_each() {
        let about = "about 00000022.02608c123456:0bc1 > 00000000.02608c000009:0464";
        assert_eq!(
            line(&DISSECTOR, &error(2, 0, 4)),
            format!("no such socket, {about}")
        );
        assert_eq!(
            line(&DISSECTOR, &error(0o1004, 576, 5)),
            format!("packet too big, at most 576 bytes, {about}")
        );
        assert_eq!(
            line(&DISSECTOR, &error(77, 0, 5)),
            format!("error 77, {about}")
        );
        assert_eq!(
            line(&DISSECTOR, &[0, 1, 0, 0, 1]),
            "bad checksum, about an unknown packet"
        );
    }

    #[test]
    fn the_offending_header_is_described() {
        let bytes = error(0o1004, 576, 5);
        let fields = testing::fields(&DISSECTOR, Input::whole(&bytes));
        assert_eq!(fields[0].meaning, "1004 octal, packet too big");
        assert_eq!(testing::number(&fields, "Error parameter"), Some(576));
        assert_eq!(testing::number(&fields, "Destination socket"), Some(0x0464));
        assert_eq!(fields.last().unwrap().end, 46);
    }

    proptest! {
        #[test]
        fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..60), cut in 0u32..2000) {
            stands(&DISSECTOR, &bytes, cut);
            let fields = testing::fields(&DISSECTOR, Input::whole(&bytes));
            if let Ok(h) = Header::parse(Input::whole(&bytes)) {
                prop_assert_eq!(testing::number(&fields, "Error number"), Some(h.number.into()));
                prop_assert_eq!(
                    testing::number(&fields, "Error parameter"),
                    Some(h.parameter.into())
                );
            }
        }
    }
}

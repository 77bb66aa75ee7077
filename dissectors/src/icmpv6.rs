//! Internet Control Message Protocol for IPv6. RFC 4443; neighbours by RFC 4861 sections 4.3 and 4.4.
//!
//! Of interest are questions that a station answers by itself: an echo, and whether a neighbour is
//! still there. They show how far it is.

use crate::ipv4::PROTOCOL;
use crate::parse::header;
use crate::{icmp, notes};
use std::fmt;
use std::net::Ipv6Addr;
use wirewait_wire::{
    Address, Carries, Claim, Dissector, Facts, Fault, Fields, Input, Layer, Next, Probe, Verified,
};

/// Echo request.
const ECHO: u8 = 128;
/// Echo reply.
const ECHO_REPLY: u8 = 129;
/// Who has this address?
const SOLICITATION: u8 = 135;
/// I have it.
const ADVERTISEMENT: u8 = 136;
/// Of an advertisement: it answers a solicitation.
const SOLICITED: u8 = 0x40;
/// Bytes of the header that all types share.
const HEADER: u32 = 4;

pub(crate) static DISSECTOR: Dissector = Dissector {
    name: "icmpv6",
    title: "Internet Control Message Protocol for IPv6, RFC 4443 and RFC 4861",
    does: "type; an echo, or a question for one neighbour alone, shows how far a station is",
    lacks: "fields of other types than these; what could not be delivered",
    verified: &[
        Verified::Specification,
        Verified::RealCaptures,
        Verified::Tshark,
    ],
    claims: &[Claim::Exact(PROTOCOL.key(58))],
    conveys: true,
    dissect,
    describe,
    fields,
    ..Dissector::PLAIN
};

fn dissect(input: Input<'_>, facts: &mut Facts) -> Result<Layer, Fault> {
    let _: &[u8; 4] = header(input)?;
    let echo = icmp::echo(input, [ECHO, ECHO_REPLY]);
    if let Some(probe) = echo.or_else(|| neighbour(input)) {
        facts.carries = Carries::Probe(probe);
    }
    Ok(Layer::over(input, HEADER, Next::NONE))
}

/// Whether a neighbour is asked for, or answers; not what it announces unasked.
fn neighbour(icmp: Input<'_>) -> Option<Probe> {
    let answers = match *icmp.bytes.first_chunk::<5>()? {
        [SOLICITATION, 0, ..] => false,
        [ADVERTISEMENT, 0, _, _, flags] if flags & SOLICITED != 0 => true,
        _ => return None,
    };
    let address = u128::from(target(icmp)?);
    Some(Probe {
        answers,
        // The end of an address tells a station's addresses apart.
        number: address as u32,
        of: Some(Address::V6(address.to_be_bytes())),
    })
}

/// Whose address a solicitation or an advertisement is about.
fn target(icmp: Input<'_>) -> Option<Ipv6Addr> {
    let address: &[u8; 16] = icmp.bytes.get(8..)?.first_chunk()?;
    Some(Ipv6Addr::from(*address))
}

fn describe(input: Input<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    let Some([kind, code, ..]) = input.bytes.first_chunk::<4>() else {
        return out.write_str("cut off");
    };
    match type_name(*kind) {
        "" => write!(out, "type {kind}, code {code}")?,
        name => out.write_str(name)?,
    }
    match (*kind, target(input)) {
        (SOLICITATION | ADVERTISEMENT, Some(target)) => write!(out, " of {target}"),
        _ => Ok(()),
    }
}

fn fields(f: &mut Fields<'_>) -> Option<()> {
    let kind = f.u8("Type")?;
    f.means(type_name(kind));
    f.u8("Code")?;
    f.be16("Checksum")?;
    f.hex();
    match kind {
        ECHO | ECHO_REPLY => {
            f.be16("Identifier")?;
            f.hex();
            f.be16("Sequence number")?;
        }
        SOLICITATION | ADVERTISEMENT => {
            f.be32("Flags")?;
            f.hex();
            notes::v6(f, "Target address")?;
        }
        _ => {}
    }
    Some(())
}

/// RFC 4443 section 2.1, RFC 4861 section 4, RFC 3810.
fn type_name(kind: u8) -> &'static str {
    match kind {
        1 => "destination unreachable",
        2 => "packet too big",
        3 => "time exceeded",
        4 => "parameter problem",
        ECHO => "echo request",
        ECHO_REPLY => "echo reply",
        130 => "multicast listener query",
        131 => "multicast listener report",
        132 => "multicast listener done",
        133 => "router solicitation",
        134 => "router advertisement",
        SOLICITATION => "neighbour solicitation",
        ADVERTISEMENT => "neighbour advertisement",
        137 => "redirect",
        143 => "multicast listener report, version 2",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, line, short_when_cut, stands};
    use proptest::prelude::*;

    const TARGET: [u8; 16] = [
        0xfe, 0x80, 0, 0, 0, 0, 0, 0, 2, 0x50, 0x56, 0xff, 0xfe, 0xc0, 0, 1,
    ];

    /// RFC 4861 sections 4.3 and 4.4: type, code, checksum, flags, target.
    fn about(kind: u8, flags: u8) -> Vec<u8> {
        let mut bytes = vec![kind, 0, 1, 2, flags, 0, 0, 0];
        bytes.extend(TARGET);
        bytes
    }

    fn carried(bytes: &[u8]) -> Carries {
        let mut facts = Facts::default();
        dissect(Input::whole(bytes), &mut facts).unwrap();
        facts.carries
    }

    #[test]
    fn an_advertisement_answers_the_solicitation_of_its_target() {
        let probe = |answers| {
            Carries::Probe(Probe {
                answers,
                number: 0xfec0_0001,
                of: Some(Address::V6(TARGET)),
            })
        };
        assert_eq!(carried(&about(135, 0)), probe(false));
        assert_eq!(
            carried(&about(136, 0x60)),
            probe(true),
            "solicited, override"
        );
        assert_eq!(carried(&about(136, 0x20)), Carries::Nothing, "unasked");
        assert_eq!(carried(&about(135, 0)[..23]), Carries::Nothing, "cut");
        assert_eq!(
            line(&DISSECTOR, &about(135, 0)),
            "neighbour solicitation of fe80::250:56ff:fec0:1"
        );
    }

    /// RFC 4443 sections 4.1 and 4.2.
    #[test]
    fn an_echo_is_known_by_its_numbers() {
        let probe = |answers| {
            Carries::Probe(Probe {
                answers,
                number: 0x0001_0002,
                of: None,
            })
        };
        assert_eq!(carried(&[128, 0, 9, 9, 0, 1, 0, 2]), probe(false));
        assert_eq!(carried(&[129, 0, 9, 9, 0, 1, 0, 2]), probe(true));
        assert_eq!(carried(&[8, 0, 9, 9, 0, 1, 0, 2]), Carries::Nothing);
        assert_eq!(line(&DISSECTOR, &[129, 0, 0, 0]), "echo reply");
        assert_eq!(line(&DISSECTOR, &[200, 7, 0, 0]), "type 200, code 7");
    }

    #[test]
    fn a_cut_header_is_short() {
        short_when_cut(&DISSECTOR, &[128, 0, 0, 0]);
    }

    proptest! {
        #[test]
        fn any_bytes(kind in 120u8..150, mut bytes in prop::collection::vec(any::<u8>(), 1..60), cut in 0u32..100) {
            bytes[0] = kind;
            stands(&DISSECTOR, &bytes, cut);
            let length = u32::try_from(bytes.len()).unwrap() + cut;
            testing::fields(&DISSECTOR, Input { bytes: &bytes, length });
        }
    }
}

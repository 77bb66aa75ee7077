//! Internet Control Message Protocol. RFC 792; the codes behind 5 are of RFC 1122 section 3.2.2.1
//! and RFC 1812 section 5.2.7.1.
//!
//! Of interest is what a station or router says of a datagram that it could not deliver: who sent
//! that has no answer to wait for. Only name queries are looked for in what is quoted; file services
//! use no other datagrams that a station waits for. And an echo shows how far a station is.

use crate::ipv4::PROTOCOL;
use crate::nbns;
use crate::parse::header;
use std::fmt;
use wirewait_wire::{
    Carries, Claim, Dissector, Exchange, Facts, Fault, Fields, Id, Input, Kind, Layer, Next,
    Operation, Part, Probe, Role, Side, Verified,
};

/// Destination unreachable.
const UNREACHABLE: u8 = 3;
/// Echo, and its reply.
const ECHO: u8 = 8;
const ECHO_REPLY: u8 = 0;
/// Bytes of the header, behind which the datagram is quoted.
const HEADER: u32 = 8;
/// Bytes that a router need not cut into fragments (RFC 791 section 3.1): of an echo that is longer, the frame
/// here may be the first of several, and is answered when the last has come.
const UNCUT: u32 = 548;
/// UDP among the protocols of IP.
const UDP: u8 = 17;
/// Where name services listen (RFC 1002 section 4.2).
const NAME_SERVICE: u16 = 137;

/// A name query that could not be delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Undelivered {
    /// The sender's address and port.
    pub from: ([u8; 4], u16),
    /// The transaction number, where the quotation goes so far (RFC 792 asks for the UDP header
    /// only).
    pub id: Option<u16>,
}

impl Undelivered {
    /// Reads the quotation of a message that says that the destination is not reachable.
    #[must_use]
    pub fn read(icmp: Input<'_>) -> Option<Self> {
        let [UNREACHABLE, code, ..] = *icmp.bytes.first_chunk::<8>()? else {
            return None;
        };
        // Not: too large, source route failed. Those are no matter of who listens.
        if !matches!(code, 0..=3 | 6..=13) {
            return None;
        }
        let ip = icmp.bytes.get(HEADER as usize..)?;
        let fixed = ip.first_chunk::<20>()?;
        let length = usize::from(fixed[0] & 0x0f) * 4;
        let fragment = u16::from_be_bytes([fixed[6], fixed[7]]) & 0x1fff;
        if fixed[0] >> 4 != 4 || length < 20 || fixed[9] != UDP || fragment != 0 {
            return None;
        }
        let udp = ip.get(length..)?;
        let ports = udp.first_chunk::<8>()?;
        let [source, destination] = [0, 2].map(|at| u16::from_be_bytes([ports[at], ports[at + 1]]));
        if destination != NAME_SERVICE {
            return None;
        }
        let query = nbns::Header::parse(Input::whole(&udp[8..])).ok();
        if query.is_some_and(|query| query.response()) {
            return None;
        }
        Some(Self {
            from: ([fixed[12], fixed[13], fixed[14], fixed[15]], source),
            id: query.map(|query| query.id),
        })
    }
}

/// An echo, or its reply, by identifier and sequence number.
pub(crate) fn echo(icmp: Input<'_>, [asks, answers]: [u8; 2]) -> Option<Probe> {
    let [kind, 0, _, _, number @ ..] = *icmp.bytes.first_chunk::<8>()? else {
        return None;
    };
    let known = [asks, answers].contains(&kind) && icmp.length <= UNCUT;
    known.then_some(Probe {
        answers: kind == answers,
        number: u32::from_be_bytes(number),
        of: None,
    })
}

pub(crate) static DISSECTOR: Dissector = Dissector {
    name: "icmp",
    title: "Internet Control Message Protocol, RFC 792",
    does: "header; a name query that could not be delivered ends there; an echo shows how far a station is",
    lacks: "other datagrams that are quoted, and fields of other types than \"destination \
            unreachable\"",
    verified: &[
        Verified::Specification,
        Verified::RealCaptures,
        Verified::Lab,
        Verified::Tshark,
    ],
    claims: &[Claim::Exact(PROTOCOL.key(1))],
    conveys: true,
    dissect,
    exchange: Some(exchange),
    describe,
    fields,
    ..Dissector::PLAIN
};

fn dissect(input: Input<'_>, facts: &mut Facts) -> Result<Layer, Fault> {
    let _: &[u8; 8] = header(input)?;
    if let Some(query) = Undelivered::read(input) {
        // It goes to who sent the query.
        facts.to = facts.to.with_port(query.from.1);
        facts.carries = Carries::Message;
    } else if let Some(probe) = echo(input, [ECHO, ECHO_REPLY]) {
        facts.carries = Carries::Probe(probe);
    }
    Ok(Layer::over(input, HEADER, Next::NONE))
}

static UNREACHABLE_PORT: Operation = Operation::new("UNREACHABLE", Kind::Session, true);

fn exchange(input: Input<'_>) -> Result<Part, Fault> {
    let exchange = Undelivered::read(input).map(|query| Exchange {
        id: query.id.map(|id| Id::new(0, id.into())),
        anyone: true,
        ..Exchange::new(Role::Refusal, Side::Server, &UNREACHABLE_PORT, 0)
    });
    Ok(Part {
        exchange,
        length: input.length,
    })
}

fn describe(input: Input<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    let Some([kind, code, ..]) = input.bytes.first_chunk::<8>() else {
        return out.write_str("cut off");
    };
    match type_name(*kind) {
        "" => write!(out, "type {kind}, code {code}")?,
        name => out.write_str(name)?,
    }
    if *kind == UNREACHABLE {
        match code_name(*code) {
            "" => write!(out, ", code {code}")?,
            name => write!(out, ": {name}")?,
        }
    }
    if let Some(query) = Undelivered::read(input) {
        write!(out, ", of a name query from port {}", query.from.1)?;
        if let Some(id) = query.id {
            write!(out, ", 0x{id:04x}")?;
        }
    }
    Ok(())
}

fn fields(f: &mut Fields<'_>) -> Option<()> {
    let kind = f.u8("Type")?;
    f.means(type_name(kind));
    let code = f.u8("Code")?;
    if kind == UNREACHABLE {
        f.means(code_name(code));
    }
    f.be16("Checksum")?;
    f.hex();
    f.be32("Rest of header")?;
    f.hex();
    Some(())
}

/// RFC 792, and RFC 1256 for 9 and 10.
fn type_name(kind: u8) -> &'static str {
    match kind {
        ECHO_REPLY => "echo reply",
        UNREACHABLE => "destination unreachable",
        4 => "source quench",
        5 => "redirect",
        ECHO => "echo",
        9 => "router advertisement",
        10 => "router solicitation",
        11 => "time exceeded",
        12 => "parameter problem",
        13 => "timestamp",
        14 => "timestamp reply",
        _ => "",
    }
}

fn code_name(code: u8) -> &'static str {
    match code {
        0 => "network unreachable",
        1 => "host unreachable",
        2 => "protocol unreachable",
        3 => "port unreachable",
        4 => "fragmentation needed",
        5 => "source route failed",
        6 => "destination network unknown",
        7 => "destination host unknown",
        8 => "source host isolated",
        9 => "network prohibited",
        10 => "host prohibited",
        11 => "network unreachable for the type of service",
        12 => "host unreachable for the type of service",
        13 => "communication prohibited",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, line, stands};
    use proptest::prelude::*;

    /// A port unreachable as Linux sends it, quoting a node status query of 10.77.0.101, port
    /// 54202, to 10.77.0.1 with the transaction number 0x7882: RFC 792 over RFC 791, 768 and 1002.
    fn quoting(bytes_of_datagram: usize) -> Vec<u8> {
        let mut m = vec![3, 3, 0xab, 0xcd, 0, 0, 0, 0];
        m.extend([0x45, 0, 0, 78, 0, 1, 0x40, 0, 64, 17, 0, 0]);
        m.extend([10, 77, 0, 101, 10, 77, 0, 1]);
        let mut datagram = vec![0xd3, 0xba, 0, 137, 0, 58, 0, 0];
        datagram.extend([0x78, 0x82, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]);
        datagram.resize(58, 0);
        m.extend(&datagram[..bytes_of_datagram]);
        m
    }

    #[test]
    fn a_name_query_that_is_refused() {
        let bytes = quoting(58);
        let read = Undelivered::read(Input::whole(&bytes)).unwrap();
        assert_eq!(read.from, ([10, 77, 0, 101], 54202));
        assert_eq!(read.id, Some(0x7882));
        let mut facts = Facts::default();
        let layer = dissect(Input::whole(&bytes), &mut facts).unwrap();
        assert_eq!((layer.header, facts.to.port), (8, Some(54202)));
        assert_eq!(facts.carries, Carries::Message);
        let x = exchange(Input::whole(&bytes)).unwrap().exchange.unwrap();
        assert_eq!((x.role, x.id), (Role::Refusal, Some(Id::new(0, 0x7882))));
        assert_eq!(
            line(&DISSECTOR, &bytes),
            "destination unreachable: port unreachable, of a name query from port 54202, 0x7882"
        );
    }

    /// RFC 792 asks for 64 bits of the datagram: the UDP header.
    #[test]
    fn a_short_quotation_names_the_port() {
        let bytes = quoting(8);
        let read = Undelivered::read(Input::whole(&bytes)).unwrap();
        assert_eq!((read.from.1, read.id), (54202, None));
        assert_eq!(Undelivered::read(Input::whole(&quoting(7))), None);
    }

    #[test]
    fn what_is_no_refused_query() {
        let good = quoting(58);
        let changed = |at: usize, byte: u8| {
            let mut bytes = good.clone();
            bytes[at] = byte;
            Undelivered::read(Input::whole(&bytes))
        };
        assert_eq!(changed(0, 11), None, "time exceeded");
        assert_eq!(changed(1, 4), None, "too large");
        assert_eq!(changed(8, 0x65), None, "no IPv4");
        assert_eq!(changed(15, 1), None, "a later fragment");
        assert_eq!(changed(17, 6), None, "TCP");
        assert_eq!(changed(31, 138), None, "a datagram");
        assert_eq!(
            changed(38, 0x84),
            None,
            "an answer that its client did not want"
        );
        assert!(changed(1, 1).is_some(), "host unreachable");
    }

    /// RFC 792: type, code, checksum, identifier, sequence number.
    #[test]
    fn a_reply_brings_the_numbers_of_its_echo_back() {
        let carried = |bytes: &[u8]| {
            let mut facts = Facts::default();
            dissect(Input::whole(bytes), &mut facts).unwrap();
            facts.carries
        };
        let probe = |answers| {
            Carries::Probe(Probe {
                answers,
                number: 0x0200_0900,
                of: None,
            })
        };
        let mut bytes = vec![8, 0, 1, 2, 2, 0, 9, 0];
        assert_eq!(carried(&bytes), probe(false));
        bytes[0] = 0;
        assert_eq!(carried(&bytes), probe(true));
        bytes.resize(548, 0);
        assert_eq!(carried(&bytes), probe(true));
        bytes.push(0);
        assert_eq!(carried(&bytes), Carries::Nothing, "it may be a fragment");
        assert_eq!(carried(&[8, 1, 1, 2, 2, 0, 9, 0]), Carries::Nothing);
        assert_eq!(carried(&[13, 0, 1, 2, 2, 0, 9, 0]), Carries::Nothing);
    }

    proptest! {
        #[test]
        fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..90), cut in 0u32..100) {
            stands(&DISSECTOR, &bytes, cut);
            let length = u32::try_from(bytes.len()).unwrap() + cut;
            testing::fields(&DISSECTOR, Input { bytes: &bytes, length });
        }
    }
}

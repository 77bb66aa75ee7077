//! Xerox Routing Information Protocol ("Internet Transport Protocols", XSIS 028112): which
//! networks can be reached, and over how many routers. Novell's has a field more.

use crate::parse::{be16, be32, header};
use crate::{idp, sap};
use std::fmt;
use wirewait_wire::{
    Announcement, Carries, Claim, Dissector, Exchange, Facts, Fault, Fields, Id, Input, Kind,
    Layer, Next, Operation, Part, Role, Side, Verified,
};

/// What a packet asks or tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packet {
    /// Which way to these networks?
    Request,
    /// Answers, or tells all ways to everyone, again and again.
    Response,
    /// Another operation.
    Other(u16),
}

/// The head of every packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// What the packet asks or tells.
    pub packet: Packet,
    /// The first network that it is about; `None` when it is about none.
    pub network: Option<u32>,
}

/// The network number that stands for all of them.
const ALL_NETWORKS: u32 = 0xffff_ffff;

/// Hops of a network that cannot be reached any more.
const INFINITY: u16 = 16;

/// Bytes that tell of one network: its number and hops.
const ENTRY: u32 = 6;

impl Header {
    /// Reads a header.
    ///
    /// # Errors
    /// [`Fault::Short`].
    pub fn parse(input: Input<'_>) -> Result<Self, Fault> {
        let packet = match u16::from_be_bytes(*header::<2>(input)?) {
            1 => Packet::Request,
            2 => Packet::Response,
            other => Packet::Other(other),
        };
        let network = if input.length <= 2 {
            None
        } else {
            Some(be32(input.bytes, 2).ok_or(Fault::Short { offset: 2 })?)
        };
        Ok(Self { packet, network })
    }
}

static ROUTE: Operation = Operation {
    name: "ROUTE REQUEST",
    kind: Kind::Other,
    idempotent: true,
    function: None,
    subfunction: None,
};

pub(crate) static DISSECTOR: Dissector = Dissector {
    name: "xns_rip",
    title: "Xerox Routing Information Protocol, XSIS 028112",
    does: "requests for routes and their answers; periodic updates are left out of the pairing",
    lacks: "a request for several networks goes by the first one; only the first answer counts; \
            tried on made captures only",
    verified: &[Verified::Specification],
    claims: &[Claim::Exact(idp::TYPE.key(idp::packet::RIP as u32))],
    // Not because something follows, but because only the facts tell an answer from an
    // update, and only `dissect` sees them.
    conveys: true,
    dissect,
    exchange: Some(exchange),
    announces: Some(announces),
    describe,
    fields,
    ..Dissector::PLAIN
};

fn dissect(input: Input<'_>, facts: &mut Facts) -> Result<Layer, Fault> {
    let h = Header::parse(input)?;
    facts.carries = match h.packet {
        Packet::Other(_) => Carries::Nothing,
        Packet::Response if sap::to_everyone(facts) => Carries::Nothing,
        _ => Carries::Message,
    };
    Ok(Layer {
        // The message begins at the first byte, so there is no header before it.
        header: 0,
        end: input.length,
        next: Next::NONE,
    })
}

fn exchange(input: Input<'_>) -> Result<Part, Fault> {
    let h = Header::parse(input)?;
    let exchange = match h.packet {
        Packet::Request => Some((Role::Request, Side::Client)),
        Packet::Response => Some((Role::Response, Side::Server)),
        Packet::Other(_) => None,
    }
    .map(|(role, sender)| {
        let id = |network: u32| Id::new(0, network.into());
        Exchange {
            id: h.network.map(id),
            // An answer names each network, also to a request for all.
            alias: (role == Role::Response).then(|| id(ALL_NETWORKS)),
            repeats: true,
            anyone: true,
            ..Exchange::new(role, sender, &ROUTE, 1)
        }
    });
    Ok(Part {
        exchange,
        length: input.length,
    })
}

fn announces(input: Input<'_>, tell: &mut dyn FnMut(Announcement<'_>)) {
    if !matches!(Header::parse(input), Ok(h) if h.packet == Packet::Response) {
        return;
    }
    let told = input.bytes.get(2..).unwrap_or_default();
    for entry in told.chunks_exact(ENTRY as usize) {
        if let (Some(network), Some(hops)) = (be32(entry, 0), be16(entry, 4)) {
            tell(Announcement::Route {
                network,
                hops: Some(hops).filter(|hops| *hops < INFINITY),
                ticks: None,
            });
        }
    }
}

fn describe(input: Input<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    let Ok(h) = Header::parse(input) else {
        return out.write_str("cut off");
    };
    out.write_str(match h.packet {
        Packet::Request => "request",
        Packet::Response => "response",
        Packet::Other(other) => return write!(out, "operation {other}"),
    })?;
    match h.network {
        None => return out.write_str(", no network"),
        Some(ALL_NETWORKS) => out.write_str(", all networks")?,
        Some(network) => write!(out, ", network {network:08x}")?,
    }
    if h.packet == Packet::Response
        && let Some(hops) = be16(input.bytes, 6)
    {
        if hops >= INFINITY {
            out.write_str(" unreachable")?;
        } else {
            write!(out, ", hops {hops}")?;
        }
    }
    match (input.length.saturating_sub(2) / ENTRY).saturating_sub(1) {
        0 => Ok(()),
        more => write!(out, ", and {more} more"),
    }
}

fn fields(f: &mut Fields<'_>) -> Option<()> {
    let operation = f.be16("Operation")?;
    f.means(match operation {
        1 => "request",
        2 => "response",
        _ => "",
    });
    while f.left() >= ENTRY {
        f.open("Network");
        let network = f.be32("Network number")?;
        f.hex();
        if network == ALL_NETWORKS {
            f.means("all networks");
        }
        let hops = f.be16("Hops")?;
        if hops >= INFINITY {
            f.means(match operation {
                1 => "not asked for",
                _ => "unreachable",
            });
        }
        f.close();
    }
    f.rest("Data")?;
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ethernet::tests::{line, short_when_cut, stands};
    use crate::testing;
    use proptest::prelude::*;
    use wirewait_wire::Endpoint;

    const REQUEST: [u8; 8] = [0, 1, 0, 0, 0, 0x22, 0xff, 0xff];
    const RESPONSE: [u8; 8] = [0, 2, 0, 0, 0, 0x22, 0, 1];

    fn part(bytes: &[u8]) -> Exchange {
        let part = exchange(Input::whole(bytes)).unwrap();
        assert_eq!(part.length as usize, bytes.len());
        part.exchange.unwrap()
    }

    #[test]
    fn an_answer_goes_by_the_network_asked_for() {
        let (asks, answers) = (part(&REQUEST), part(&RESPONSE));
        assert_eq!((asks.role, asks.sender), (Role::Request, Side::Client));
        assert_eq!(
            (answers.role, answers.sender),
            (Role::Response, Side::Server)
        );
        assert_eq!(asks.id, answers.id);
        let all = part(&[0, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]);
        assert_ne!(all.id, answers.id);
        assert_eq!(all.id, answers.alias);
    }

    #[test]
    fn an_update_is_no_message() {
        let carried = |bytes: &[u8], to: [u8; 6]| {
            let mut facts = Facts {
                to: Endpoint::ipx(0x22, to, 1),
                ..Facts::default()
            };
            dissect(Input::whole(bytes), &mut facts).unwrap();
            facts.carries
        };
        assert_eq!(carried(&RESPONSE, [0xff; 6]), Carries::Nothing);
        assert_eq!(
            carried(&RESPONSE, [2, 0x60, 0x8c, 1, 2, 3]),
            Carries::Message
        );
        assert_eq!(carried(&REQUEST, [0xff; 6]), Carries::Message);
    }

    #[test]
    fn one_line_each() {
        assert_eq!(line(&DISSECTOR, &REQUEST), "request, network 00000022");
        assert_eq!(
            line(&DISSECTOR, &[&RESPONSE[..], &[0; 6]].concat()),
            "response, network 00000022, hops 1, and 1 more"
        );
        let mut gone = RESPONSE;
        gone[7] = 16;
        assert_eq!(
            line(&DISSECTOR, &gone),
            "response, network 00000022 unreachable"
        );
        assert_eq!(line(&DISSECTOR, &[0, 1]), "request, no network");
        assert_eq!(line(&DISSECTOR, &[0, 7]), "operation 7");
        short_when_cut(&DISSECTOR, &RESPONSE[..6]);
    }

    #[test]
    fn each_network_has_its_fields() {
        let bytes = [&RESPONSE[..], &[0, 0, 0, 7, 0, 16, 9]].concat();
        let fields = testing::fields(&DISSECTOR, Input::whole(&bytes));
        let hops: Vec<_> = fields.iter().filter(|f| f.name == "Hops").collect();
        assert_eq!(hops.len(), 2);
        assert_eq!(
            (hops[0].start, hops[1].meaning.as_str()),
            (6, "unreachable")
        );
        assert_eq!(fields.last().unwrap().name, "Data", "half an entry");
    }

    proptest! {
        #[test]
        fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..40), cut in 0u32..2000) {
            stands(&DISSECTOR, &bytes, cut);
            let fields = testing::fields(&DISSECTOR, Input::whole(&bytes));
            if let Ok(h) = Header::parse(Input::whole(&bytes)) {
                let network = h.network.filter(|_| bytes.len() >= 8);
                prop_assert_eq!(
                    testing::number(&fields, "Network number"),
                    network.map(u64::from)
                );
            }
        }
    }
}

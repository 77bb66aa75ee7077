//! Novell Routing Information Protocol ("IPX Router Specification", chapter 2): by it a
//! workstation finds the way to a server's network. Xerox's, from which it was made, knows no
//! ticks and is otherwise the same ([`crate::xns_rip`]).

use crate::parse::{be16, be32, header};
use crate::{ipx, sap};
use std::fmt;
use wirewait_wire::{
    Announcement, Carries, Claim, Dissector, Exchange, Facts, Fault, Fields, Id, Input, Kind,
    Layer, Next, Operation, Part, Role, Side, Verified,
};

/// What a packet asks or tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packet {
    /// Which way to a network?
    Request,
    /// Answers, or tells all ways, once a minute to everyone.
    Response,
    /// Another operation.
    Other(u16),
}

/// The head of every RIP packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// What the packet asks or tells.
    pub packet: Packet,
    /// The first network that it is about; `None` when it is about none.
    pub network: Option<u32>,
}

/// The network number that stands for all of them.
pub(crate) const ALL_NETWORKS: u32 = 0xffff_ffff;

/// Hops of a network that cannot be reached any more.
pub(crate) const UNREACHABLE: u16 = 16;

/// Bytes that tell of one network: its number, hops and, here, ticks.
pub(crate) const fn entry(ticks: bool) -> u32 {
    if ticks { 8 } else { 6 }
}

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

static ROUTE: Operation = Operation::new("ROUTE REQUEST", Kind::Other, true);

pub(crate) static DISSECTOR: Dissector = Dissector {
    name: "rip",
    title: "Novell Routing Information Protocol",
    aliases: &["IPX RIP", "NetWare routing", "XNS RIP"],
    does: "requests for routes and their responses; periodic updates are left out of the pairing",
    lacks: "a request for several networks goes by the first one; only the first response counts",
    verified: &[
        Verified::Specification,
        Verified::RealCaptures,
        Verified::Tshark,
    ],
    claims: &[Claim::Exact(ipx::SOCKET.key(0x0453))],
    // Not because something follows, but because only the facts tell an answer from an
    // update, and only `dissect` sees them.
    conveys: true,
    dissect,
    exchange: Some(exchange),
    announces: Some(announces::<true>),
    describe: describe::<true>,
    fields,
    ..Dissector::PLAIN
};

pub(crate) fn dissect(input: Input<'_>, facts: &mut Facts) -> Result<Layer, Fault> {
    let h = Header::parse(input)?;
    facts.carries = match h.packet {
        Packet::Other(_) => Carries::Nothing,
        Packet::Response if sap::to_everyone(facts) => Carries::Nothing,
        _ => Carries::Message,
    };
    // The message begins at the first byte, so there is no header before it.
    Ok(Layer::over(input, 0, Next::NONE))
}

pub(crate) fn exchange(input: Input<'_>) -> Result<Part, Fault> {
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

pub(crate) fn announces<const TICKS: bool>(
    input: Input<'_>,
    tell: &mut dyn FnMut(Announcement<'_>),
) {
    if !matches!(Header::parse(input), Ok(h) if h.packet == Packet::Response) {
        return;
    }
    let told = input.bytes.get(2..).unwrap_or_default();
    for entry in told.chunks_exact(entry(TICKS) as usize) {
        if let (Some(network), Some(hops)) = (be32(entry, 0), be16(entry, 4)) {
            tell(Announcement::Route {
                network,
                hops: Some(hops).filter(|hops| *hops < UNREACHABLE),
                ticks: be16(entry, 6),
            });
        }
    }
}

pub(crate) fn describe<const TICKS: bool>(
    input: Input<'_>,
    out: &mut dyn fmt::Write,
) -> fmt::Result {
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
        if hops >= UNREACHABLE {
            out.write_str(" unreachable")?;
        } else {
            write!(out, ", hops {hops}")?;
            if let Some(ticks) = be16(input.bytes, 8).filter(|_| TICKS) {
                write!(out, ", ticks {ticks}")?;
            }
        }
    }
    match (input.length.saturating_sub(2) / entry(TICKS)).saturating_sub(1) {
        0 => Ok(()),
        more => write!(out, ", and {more} more"),
    }
}

fn fields(f: &mut Fields<'_>) -> Option<()> {
    match f.be16("Operation")? {
        1 => f.means("request"),
        2 => f.means("response"),
        _ => f,
    };
    for number in 1.. {
        if f.left() < entry(true) {
            break;
        }
        f.open(format!("Network {number}"));
        ipx::network(f, "Network number")?;
        match f.be16("Hops")? {
            0xffff => f.means("asked for"),
            UNREACHABLE.. => f.means("unreachable"),
            _ => f,
        };
        match f.be16("Ticks")? {
            0xffff => f.means("asked for"),
            ticks => f.means(format_args!("{} ms", ms(ticks))),
        };
        f.close();
    }
    f.rest("Trailing bytes").map(|_| ())
}

/// A tick is an 18.2th of a second, that of a PC's clock: 1193182 / 65536.
fn ms(ticks: u16) -> u32 {
    let ms = u64::from(ticks) * 65_536_000 / 1_193_182;
    u32::try_from(ms).unwrap_or(u32::MAX)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::testing::{self, line, short_when_cut, stands};
    use proptest::prelude::*;
    use wirewait_wire::Endpoint;

    const REQUEST: [u8; 10] = [0, 1, 0, 0, 0, 0x22, 0xff, 0xff, 0xff, 0xff];
    const RESPONSE: [u8; 10] = [0, 2, 0, 0, 0, 0x22, 0, 1, 0, 2];

    fn part(bytes: &[u8]) -> Exchange {
        let part = exchange(Input::whole(bytes)).unwrap();
        assert_eq!(part.length as usize, bytes.len());
        part.exchange.unwrap()
    }

    /// `all` asks for all networks, `request` for the one that `response` tells of.
    pub(crate) fn pairs(request: &[u8], response: &[u8], all: &[u8]) {
        let (asks, answers, all) = (part(request), part(response), part(all));
        assert_eq!((asks.role, asks.sender), (Role::Request, Side::Client));
        assert_eq!(
            (answers.role, answers.sender),
            (Role::Response, Side::Server)
        );
        assert_eq!(asks.id, answers.id);
        assert_ne!(all.id, answers.id);
        assert_eq!(all.id, answers.alias);
    }

    /// What tells everyone is no answer.
    pub(crate) fn tells_or_answers(request: &[u8], response: &[u8], socket: u16) {
        let carried = |bytes: &[u8], to: [u8; 6]| {
            let mut facts = Facts {
                to: Endpoint::ipx(0x22, to, socket),
                ..Facts::default()
            };
            dissect(Input::whole(bytes), &mut facts).unwrap();
            facts.carries
        };
        assert_eq!(carried(response, [0xff; 6]), Carries::Nothing);
        assert_eq!(
            carried(response, [2, 0x60, 0x8c, 1, 2, 3]),
            Carries::Message
        );
        assert_eq!(carried(request, [0xff; 6]), Carries::Message);
    }

    #[test]
    fn an_answer_goes_by_the_network_asked_for() {
        let all = [0, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff];
        pairs(&REQUEST, &RESPONSE, &all);
    }

    #[test]
    fn an_update_is_no_message() {
        tells_or_answers(&REQUEST, &RESPONSE, 0x0453);
    }

    #[test]
    fn a_response_tells_of_ways_and_a_request_of_none() {
        let told = |bytes: &[u8]| {
            let mut all = Vec::new();
            announces::<true>(Input::whole(bytes), &mut |told| match told {
                Announcement::Route {
                    network,
                    hops,
                    ticks,
                } => all.push((network, hops, ticks)),
                Announcement::Service { .. } => all.clear(),
            });
            all
        };
        // The second one cannot be reached; the third is cut off.
        let three = [&RESPONSE[..], &[0, 0, 0, 0x33, 0, 16, 0, 3, 0, 0, 0]].concat();
        assert_eq!(
            told(&three),
            [(0x22, Some(1), Some(2)), (0x33, None, Some(3))]
        );
        assert_eq!(told(&REQUEST), []);
    }

    #[test]
    fn one_line_each() {
        assert_eq!(line(&DISSECTOR, &REQUEST), "request, network 00000022");
        assert_eq!(
            line(&DISSECTOR, &[&RESPONSE[..], &[0; 8]].concat()),
            "response, network 00000022, hops 1, ticks 2, and 1 more"
        );
        let mut gone = RESPONSE;
        gone[7] = 16;
        assert_eq!(
            line(&DISSECTOR, &gone),
            "response, network 00000022 unreachable"
        );
        assert_eq!(
            line(&DISSECTOR, &[0, 1, 0xff, 0xff, 0xff, 0xff]),
            "request, all networks"
        );
    }

    #[test]
    fn a_cut_header_is_short() {
        short_when_cut(&DISSECTOR, &REQUEST[..6]);
    }

    #[test]
    fn fields_of_a_response_about_two_networks() {
        let two = [&RESPONSE[..], &[0, 0, 0, 0x33, 0, 16, 0, 3, 0]].concat();
        let fields = testing::fields(&DISSECTOR, Input::whole(&two));
        let shown: Vec<(&str, u32, &str)> = fields
            .iter()
            .map(|f| (f.name.as_ref(), f.start, f.meaning.as_str()))
            .collect();
        assert_eq!(
            shown,
            [
                ("Operation", 0, "response"),
                ("Network 1", 2, ""),
                ("Network number", 2, ""),
                ("Hops", 6, ""),
                ("Ticks", 8, "109 ms"),
                ("Network 2", 10, ""),
                ("Network number", 10, ""),
                ("Hops", 14, "unreachable"),
                ("Ticks", 16, "164 ms"),
                ("Trailing bytes", 18, ""),
            ]
        );
        assert_eq!(ms(18), 988, "one tick less than a second");
    }

    proptest! {
        #[test]
        fn fields_are_those_of_the_header(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
            let input = Input::whole(&bytes);
            let fields = testing::fields(&DISSECTOR, input);
            if let Ok(h) = Header::parse(input)
                && bytes.len() >= 10
            {
                let number = testing::number(&fields, "Network number");
                prop_assert_eq!(number, h.network.map(u64::from));
                let networks = fields.iter().filter(|f| f.name == "Hops").count();
                prop_assert_eq!(networks, (bytes.len() - 2) / 8);
            }
        }

        #[test]
        fn any_bytes(mut bytes in prop::collection::vec(any::<u8>(), 0..60), cut in 0u32..500) {
            stands(&DISSECTOR, &bytes, cut);
            if let [high, low, ..] = &mut bytes[..] {
                (*high, *low) = (0, *low % 4);
            }
            stands(&DISSECTOR, &bytes, cut);
        }
    }
}

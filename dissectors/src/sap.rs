//! Novell Service Advertising Protocol ("IPX Router Specification", chapter 3): by it a
//! workstation finds its first server.

use crate::ipx;
use crate::parse::{be16, be32, header};
use std::fmt;
use wirewait_wire::{
    Address, Announcement, Carries, Claim, Dissector, Endpoint, Exchange, Facts, Fault, Fields, Id,
    Input, Kind, Layer, Next, Operation, Part, Presence, Role, Side, Verified,
};

/// What a packet asks or tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packet {
    /// Which servers of a type are there?
    GeneralQuery,
    /// Answers a general query, or advertises what is there, once a minute to everyone.
    GeneralResponse,
    /// Which server of a type is nearest?
    NearestQuery,
    /// Answers it.
    NearestResponse,
    /// Another packet type.
    Other(u16),
}

/// The head of every SAP packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// What the packet asks or tells.
    pub packet: Packet,
    /// The server type that is asked for, or that of the first server told of; `None` when
    /// a response tells of no server.
    pub server_type: Option<u16>,
}

/// The server type that stands for all of them.
const ALL_TYPES: u16 = 0xffff;

impl Header {
    /// Reads a header.
    ///
    /// # Errors
    /// [`Fault::Short`].
    pub fn parse(input: Input<'_>) -> Result<Self, Fault> {
        let packet = match u16::from_be_bytes(*header::<2>(input)?) {
            1 => Packet::GeneralQuery,
            2 => Packet::GeneralResponse,
            3 => Packet::NearestQuery,
            4 => Packet::NearestResponse,
            other => Packet::Other(other),
        };
        let server_type = if input.length <= 2 {
            None
        } else {
            Some(be16(input.bytes, 2).ok_or(Fault::Short { offset: 2 })?)
        };
        Ok(Self {
            packet,
            server_type,
        })
    }
}

static GENERAL: Operation = operation("GENERAL SERVICE QUERY");
static NEAREST: Operation = operation("NEAREST SERVICE QUERY");

const fn operation(name: &'static str) -> Operation {
    Operation::new(name, Kind::Other, true)
}

pub(crate) static DISSECTOR: Dissector = Dissector {
    name: "sap",
    title: "Novell Service Advertising Protocol",
    aliases: &["NetWare SAP", "server advertising"],
    does: "queries for servers and their responses; periodic advertisements are left out of the \
           pairing",
    lacks: "of several servers that respond to one query only the first counts",
    verified: &[
        Verified::Specification,
        Verified::RealCaptures,
        Verified::Tshark,
    ],
    claims: &[Claim::Exact(ipx::SOCKET.key(0x0452))],
    // Not because something follows, but because only the facts tell an answer from an
    // advertisement, and only `dissect` sees them.
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
    if h.packet == Packet::GeneralResponse && to_everyone(facts) {
        facts.presence = Some(Presence {
            what: "services",
            again_ms: AGAIN_MS,
        });
    }
    facts.carries = match h.packet {
        Packet::Other(_) => Carries::Nothing,
        Packet::GeneralResponse if to_everyone(facts) => Carries::Nothing,
        _ => Carries::Message,
    };
    // The message begins at the first byte, so there is no header before it.
    Ok(Layer::over(input, 0, Next::NONE))
}

/// What is there is told again once a minute ("IPX Router Specification", chapter 3).
const AGAIN_MS: u32 = 60_000;

/// Whether a packet went to all nodes of a network: nobody asked for it.
pub(crate) fn to_everyone(facts: &Facts) -> bool {
    matches!(facts.to.address, Address::Node { node, .. } if node == [0xff; 6])
}

fn exchange(input: Input<'_>) -> Result<Part, Fault> {
    let h = Header::parse(input)?;
    let exchange = match h.packet {
        Packet::GeneralQuery => Some((Role::Request, Side::Client, &GENERAL, 1)),
        Packet::GeneralResponse => Some((Role::Response, Side::Server, &GENERAL, 1)),
        Packet::NearestQuery => Some((Role::Request, Side::Client, &NEAREST, 3)),
        Packet::NearestResponse => Some((Role::Response, Side::Server, &NEAREST, 3)),
        Packet::Other(_) => None,
    }
    .map(|(role, sender, operation, code)| {
        let id = |server_type: u16| Id::new(code, server_type.into());
        Exchange {
            id: h.server_type.map(id),
            // An answer names the type of each server, also to a query for all types.
            alias: (role == Role::Response).then(|| id(ALL_TYPES)),
            repeats: true,
            anyone: true,
            ..Exchange::new(role, sender, operation, code.into())
        }
    });
    Ok(Part {
        exchange,
        length: input.length,
    })
}

fn announces(input: Input<'_>, tell: &mut dyn FnMut(Announcement<'_>)) {
    let answers = |packet| matches!(packet, Packet::GeneralResponse | Packet::NearestResponse);
    if !Header::parse(input).is_ok_and(|h| answers(h.packet)) {
        return;
    }
    let told = input.bytes.get(2..).unwrap_or_default();
    for entry in told.chunks_exact(ENTRY as usize) {
        if let (Some(kind), Some(name), Some(at), Some(hops)) = (
            be16(entry, 0),
            entry.get(2..50),
            place(entry),
            be16(entry, 62),
        ) {
            tell(Announcement::Service {
                kind,
                kind_name: type_name(kind),
                name: name.split(|&b| b == 0).next().unwrap_or_default(),
                at,
                hops: Some(hops).filter(|hops| *hops < DOWN),
            });
        }
    }
}

/// Where the server of an entry is.
fn place(entry: &[u8]) -> Option<Endpoint> {
    let node: [u8; 6] = entry.get(54..60)?.try_into().ok()?;
    Some(Endpoint::ipx(be32(entry, 50)?, node, be16(entry, 60)?))
}

/// Bytes that tell of one server, and where its fields are.
const ENTRY: u32 = 64;

fn describe(input: Input<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    let Ok(h) = Header::parse(input) else {
        return out.write_str("cut off");
    };
    out.write_str(match h.packet {
        Packet::GeneralQuery => "general query",
        Packet::GeneralResponse => "general response",
        Packet::NearestQuery => "nearest query",
        Packet::NearestResponse => "nearest response",
        Packet::Other(other) => return write!(out, "packet type {other}"),
    })?;
    let Some(server_type) = h.server_type else {
        return out.write_str(", no server");
    };
    write!(out, ", type {server_type:04x}")?;
    if let Some(name) = type_name(server_type) {
        write!(out, " ({name})")?;
    }
    if matches!(h.packet, Packet::GeneralQuery | Packet::NearestQuery) {
        return Ok(());
    }
    let entry = input.skip(2).bytes;
    if let Some(name) = entry.get(2..50) {
        let name = name.split(|&b| b == 0).next().unwrap_or_default();
        write!(out, " {}", name.escape_ascii())?;
    }
    if let (Some(server), Some(hops)) = (place(entry), be16(entry, 62)) {
        write!(out, " at {server}, hops {hops}")?;
    }
    match (input.length.saturating_sub(2) / ENTRY).saturating_sub(1) {
        0 => Ok(()),
        more => write!(out, ", and {more} more"),
    }
}

fn fields(f: &mut Fields<'_>) -> Option<()> {
    let packet = f.be16("Operation")?;
    match packet {
        1 => f.means("general query"),
        2 => f.means("general response"),
        3 => f.means("nearest query"),
        4 => f.means("nearest response"),
        _ => f,
    };
    if matches!(packet, 1 | 3) && f.left() >= 2 {
        server_type(f)?;
    }
    for number in 1.. {
        if f.left() < ENTRY || matches!(packet, 1 | 3) {
            break;
        }
        f.open(format!("Server {number}"));
        server_type(f)?;
        f.text(48, "Server name")?;
        ipx::network(f, "Network")?;
        ipx::node(f, "Node")?;
        ipx::socket(f, "Socket")?;
        if f.be16("Hops")? >= DOWN {
            f.means("down");
        }
        f.close();
    }
    f.rest("Trailing bytes").map(|_| ())
}

pub(crate) fn server_type(f: &mut Fields<'_>) -> Option<()> {
    let server_type = f.be16("Server type")?;
    f.hex();
    if let Some(name) = type_name(server_type) {
        f.means(name);
    }
    Some(())
}

/// Hops to a server that is going down.
const DOWN: u16 = 16;

fn type_name(server_type: u16) -> Option<&'static str> {
    Some(match server_type {
        0x0003 => "print queue",
        0x0004 => "file server",
        0x0005 => "job server",
        0x0007 => "print server",
        0x0009 => "archive server",
        0x0020 => "NetBIOS",
        0x0024 => "remote bridge",
        0x0047 => "advertising print server",
        0x0107 => "remote console",
        0x026b => "time synchronisation",
        0x0278 => "directory tree",
        0x0640 => "NT RPC server",
        ALL_TYPES => "all",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, line, short_when_cut, stands};
    use proptest::prelude::*;
    use wirewait_wire::Value;

    const QUERY: [u8; 4] = [0, 3, 0, 4];

    fn response(packet: u8) -> Vec<u8> {
        let mut bytes = vec![0, packet, 0, 4];
        let mut name = [0; 48];
        name[..3].copy_from_slice(b"FS\n");
        bytes.extend(name);
        bytes.extend([0, 0, 0, 0x22, 0, 0, 0, 0, 0, 1, 0x04, 0x51, 0, 1]);
        bytes
    }

    fn part(bytes: &[u8]) -> Exchange {
        let part = exchange(Input::whole(bytes)).unwrap();
        assert_eq!(part.length as usize, bytes.len());
        part.exchange.unwrap()
    }

    #[test]
    fn the_nearest_server_answers_under_the_type_asked_for() {
        let (asks, answers) = (part(&QUERY), part(&response(4)));
        assert_eq!((asks.role, asks.sender), (Role::Request, Side::Client));
        assert_eq!(
            (answers.role, answers.sender),
            (Role::Response, Side::Server)
        );
        assert_eq!(asks.id, answers.id);
        assert_eq!(asks.operation, answers.operation);
        assert!(asks.anyone && asks.repeats);
        assert_ne!(part(&response(2)).id, asks.id, "a general response");
    }

    #[test]
    fn a_query_for_all_types_is_answered_by_any() {
        let asks = part(&[0, 1, 0xff, 0xff]);
        let answers = part(&response(2));
        assert_ne!(asks.id, answers.id);
        assert_eq!(asks.id, answers.alias);
    }

    #[test]
    fn an_advertisement_is_no_message() {
        let carried = |bytes: &[u8], to: [u8; 6]| {
            let mut facts = Facts {
                to: Endpoint::ipx(0x22, to, 0x0452),
                ..Facts::default()
            };
            let layer = dissect(Input::whole(bytes), &mut facts).unwrap();
            assert_eq!(layer.header, 0);
            facts.carries
        };
        let station = [0, 0, 0x1b, 1, 2, 3];
        assert_eq!(carried(&response(2), [0xff; 6]), Carries::Nothing);
        assert_eq!(carried(&response(2), station), Carries::Message);
        assert_eq!(carried(&QUERY, [0xff; 6]), Carries::Message);
        assert_eq!(carried(&[0, 9, 0, 0], station), Carries::Nothing);
        assert!(
            exchange(Input::whole(&[0, 9, 0, 0]))
                .unwrap()
                .exchange
                .is_none()
        );
    }

    #[test]
    fn a_response_tells_of_servers_and_a_query_of_none() {
        let told = |bytes: &[u8]| {
            let mut all = Vec::new();
            announces(Input::whole(bytes), &mut |told| {
                if let Announcement::Service {
                    kind,
                    kind_name,
                    name,
                    at,
                    hops,
                } = told
                {
                    all.push((kind, kind_name, name.to_vec(), at.to_string(), hops));
                }
            });
            all
        };
        let place = "00000022.000000000001:0451".to_owned();
        let up = (4, Some("file server"), b"FS\n".to_vec(), place, Some(1));
        let mut down = response(4);
        down[65] = 16;
        let both = [&response(2)[..], &down[2..], &[0; 63]].concat();
        assert_eq!(told(&both), [up.clone(), (up.0, up.1, up.2, up.3, None)]);
        assert_eq!(told(&QUERY), []);
    }

    #[test]
    fn one_line_each() {
        assert_eq!(
            line(&DISSECTOR, &QUERY),
            "nearest query, type 0004 (file server)"
        );
        let mut two = response(2);
        two.extend([0; 64]);
        assert_eq!(
            line(&DISSECTOR, &two),
            "general response, type 0004 (file server) FS\\n at 00000022.000000000001:0451, \
             hops 1, and 1 more"
        );
        assert_eq!(line(&DISSECTOR, &[0, 4]), "nearest response, no server");
        assert_eq!(line(&DISSECTOR, &[0, 9]), "packet type 9");
    }

    #[test]
    fn a_cut_header_is_short() {
        short_when_cut(&DISSECTOR, &QUERY);
        assert!(matches!(
            exchange(Input {
                bytes: &QUERY[..3],
                length: 4
            }),
            Err(Fault::Short { .. })
        ));
    }

    #[test]
    fn fields_of_a_query_and_of_an_answer() {
        let fields = testing::fields(&DISSECTOR, Input::whole(&QUERY));
        let meanings: Vec<&str> = fields.iter().map(|f| f.meaning.as_str()).collect();
        assert_eq!(meanings, ["nearest query", "file server"]);
        let bytes = response(2);
        let fields = testing::fields(&DISSECTOR, Input::whole(&bytes));
        let layout: Vec<(&str, u32, u32)> = fields
            .iter()
            .map(|f| (f.name.as_ref(), f.start, f.end))
            .collect();
        assert_eq!(
            layout,
            [
                ("Operation", 0, 2),
                ("Server 1", 2, 66),
                ("Server type", 2, 4),
                ("Server name", 4, 52),
                ("Network", 52, 56),
                ("Node", 56, 62),
                ("Socket", 62, 64),
                ("Hops", 64, 66),
            ]
        );
        assert_eq!(fields[3].value, Value::Text("FS\n".into()));
        assert_eq!(fields[6].meaning, "NCP");
    }

    proptest! {
        #[test]
        fn fields_are_those_of_the_header(
            packet in 0u8..6,
            rest in prop::collection::vec(any::<u8>(), 64..300),
        ) {
            let bytes = [&[0, packet], rest.as_slice()].concat();
            let input = Input::whole(&bytes);
            let fields = testing::fields(&DISSECTOR, input);
            let h = Header::parse(input).unwrap();
            let number = testing::number(&fields, "Server type");
            prop_assert_eq!(number, h.server_type.map(u64::from));
        }

        #[test]
        fn any_bytes(mut bytes in prop::collection::vec(any::<u8>(), 0..200), cut in 0u32..500) {
            stands(&DISSECTOR, &bytes, cut);
            if let [high, low, ..] = &mut bytes[..] {
                (*high, *low) = (0, *low % 6);
            }
            stands(&DISSECTOR, &bytes, cut);
        }
    }
}

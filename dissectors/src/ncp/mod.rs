//! NetWare Core Protocol: the requests and replies of NetWare file servers.
//!
//! Packets, functions and completion codes as in Novell's NetWare Core Protocol
//! documentation; headers are big-endian. A client has one request outstanding on a
//! connection, and the reply does not say what it answers: it is read by its request
//! ([`Dissector::answer`]). Over IPX and UDP a packet is a datagram; over TCP
//! [`crate::ncp_tcp`] frames it. A packet signature that is appended to a datagram lies
//! behind everything that is read here.

mod burst;
mod describe;
mod detail;
mod functions;
mod names;
mod nds;
mod open_file;
mod path;
mod sequence;
mod status;

pub use burst::Burst;

use crate::parse::{be32, header, malformed};
use crate::{ipx, ncp_tcp, udp};
use describe::describe;
use status::Function;
use wirewait_wire::{
    Answered, Asked, Claim, Dissector, Effects, Exchange, Facts, Fault, File, Id, Input, Kind,
    Layer, Next, Operation, Part, Role, Side, Verified,
};

/// An NCP packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packet {
    /// A packet of a service connection.
    Service(Header),
    /// A packet of a burst (type 0x7777).
    Burst(Burst),
    /// An echo by which a client finds out what packet size the way to the server takes.
    Echo,
}

/// The header of a packet of a service connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// What the packet is.
    pub message: Message,
    /// Number of the request, from 0 to 255 and around; a reply repeats it.
    pub sequence: u8,
    /// Number of the connection; 0xFFFF in a request to create one.
    pub connection: u16,
    /// Which program on the client asks. No part of the identity of a request.
    pub task: u8,
}

/// What a packet of a service connection is, by its type in the first two bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Message {
    /// 0x1111: asks for a connection.
    Create,
    /// 0x2222: asks for a service.
    Request {
        /// The function.
        function: u8,
        /// The subfunction, of functions that have them. `None` when the packet or the
        /// capture of it ends before.
        subfunction: Option<u8>,
    },
    /// 0x3333: answers any of the requests.
    Reply {
        /// 0 is success; what else it says depends on the function that was asked for.
        completion: u8,
        /// State of the connection: [`Header::BAD_CONNECTION`] and the others.
        state: u8,
    },
    /// 0x5555: gives the connection back.
    Destroy,
    /// 0x9999: the server has the request, the reply will follow.
    BeingProcessed,
    /// 0xBBBB: the server has something to say unasked.
    Notice {
        /// `!` for a message waiting, `$` for an op-lock to clear.
        what: u8,
    },
    /// 0x3E3E: the server asks whether the station is still there, or the station's answer.
    Watchdog {
        /// `?`, `Y` or `N`.
        what: u8,
    },
}

impl Packet {
    /// Reads the header of a packet.
    ///
    /// # Errors
    /// [`Fault::Short`], or [`Fault::Malformed`] when the type is none of NCP's.
    pub fn parse(input: Input<'_>) -> Result<Self, Fault> {
        Self::read(input)
    }

    fn read(input: Input<'_>) -> Result<Self, Fault> {
        let [high, low]: [u8; 2] = *header(input)?;
        let message = match u16::from_be_bytes([high, low]) {
            0x1111 => Message::Create,
            REQUEST => Message::request(input)?,
            REPLY_TYPE => Message::reply(input)?,
            0x5555 => Message::Destroy,
            0x7777 => return Burst::parse(input).map(Self::Burst),
            0x9999 => {
                let _: &[u8; 8] = header(input)?;
                Message::BeingProcessed
            }
            0xbbbb => Message::Notice {
                what: header::<10>(input)?[9],
            },
            0x3e3e => Message::Watchdog {
                what: header::<10>(input)?[9],
            },
            // "Li", as in "LIP Echo Data".
            0x4c69 => return Ok(Self::Echo),
            _ => return Err(malformed(0, "packet type")),
        };
        Ok(Self::Service(Header::of(message, input)?))
    }

    /// Bytes of the header.
    #[must_use]
    pub const fn length(&self) -> u32 {
        match self {
            Self::Service(header) => header.message.header_length(),
            Self::Burst(_) => Burst::LENGTH,
            Self::Echo => 2,
        }
    }
}

impl Header {
    /// State of the connection: the server does not know it.
    pub const BAD_CONNECTION: u8 = 0x01;
    /// State of the connection: the server is going down.
    pub const SERVER_DOWN: u8 = 0x10;
    /// State of the connection: a message waits to be fetched.
    pub const MESSAGE_WAITING: u8 = 0x40;

    /// What stands in each beside what it is.
    #[inline(always)]
    fn of(message: Message, input: Input<'_>) -> Result<Self, Fault> {
        let h: &[u8; 7] = header(input)?;
        Ok(Self {
            message,
            sequence: h[2],
            connection: u16::from_be_bytes([h[5], h[3]]),
            task: h[4],
        })
    }
}

/// Type of a request, see [`Message::Request`].
const REQUEST: u16 = 0x2222;
/// Type of a reply, see [`Message::Reply`].
const REPLY_TYPE: u16 = 0x3333;

impl Message {
    #[inline(always)]
    fn request(input: Input<'_>) -> Result<Self, Fault> {
        let h: &[u8; 7] = header(input)?;
        let subfunction = functions::subfunction_offset(h[6])
            .and_then(|at| input.bytes.get(at as usize).copied());
        Ok(Self::Request {
            function: h[6],
            subfunction,
        })
    }

    #[inline(always)]
    fn reply(input: Input<'_>) -> Result<Self, Fault> {
        let h: &[u8; 8] = header(input)?;
        Ok(Self::Reply {
            completion: h[6],
            state: h[7],
        })
    }

    const fn header_length(&self) -> u32 {
        match self {
            Self::Create | Self::Destroy => 7,
            Self::Request { function, .. } => match functions::subfunction_offset(*function) {
                Some(at) => at + 1,
                None => 7,
            },
            Self::BeingProcessed | Self::Reply { .. } => 8,
            Self::Notice { .. } | Self::Watchdog { .. } => 10,
        }
    }
}

/// Whether the bytes begin with one of NCP's packet types; `None` if they are too few.
pub(crate) fn begins(bytes: &[u8]) -> Option<bool> {
    let [high, low, ..] = *bytes else {
        return None;
    };
    Some(matches!(
        u16::from_be_bytes([high, low]),
        0x1111 | 0x2222 | 0x3333 | 0x5555 | 0x7777 | 0x9999 | 0xbbbb | 0x3e3e | 0x4c69
    ))
}

pub(crate) static DISSECTOR: Dissector = Dissector {
    name: "ncp",
    title: "NetWare Core Protocol, Novell's NCP documentation",
    aliases: &["NetWare", "NetWare Core Protocol", "Novell", "burst mode"],
    does: "service requests and replies with every function named, request being processed, \
           connections, file handles, offsets and byte counts, completion codes by function; \
           NDS requests by verb and result; packet bursts, each read or write one call; the \
           parameters of requests field by field, and of the common replies; watchdogs over UDP and \
           acknowledgements of bursts, which show how far a station is",
    lacks: "packet bursts are known from free implementations and were tried on made captures \
            only; what tells of files in the new style, most of what NDS carries, NCP \
            extensions and other remote calls is shown as bytes; signatures are not checked",
    verified: &[Verified::RealCaptures, Verified::Lab, Verified::Tshark],
    claims: &[
        Claim::Exact(ipx::SOCKET.key(0x0451)),
        Claim::Exact(ipx::TYPE.key(0x11)),
        Claim::Exact(udp::PORT.key(524)),
        Claim::Exact(ncp_tcp::MESSAGE.any()),
    ],
    dissect,
    exchange: Some(exchange),
    part: Some(|input| input.length),
    skipped: Some(sequence::skipped),
    answer: Some(answer),
    names: Some(names::tell),
    opened: Some(names::tell_opened),
    describe,
    fields: detail::fields,
    ..Dissector::PLAIN
};

/// Name space of identifiers: connection and sequence number.
const BY_CONNECTION: u8 = 1;
/// Name space of identifiers: the sequence number of a request to create a connection,
/// which has no connection yet. Its reply carries the number of the new one.
const CREATION: u8 = 2;
/// Name space of identifiers: both numbers of a burst connection and the burst.
const BY_BURST: u8 = 3;

/// The code of a packet that has no function: its type in the upper half. The code of a
/// request is the function, plus 256 times the subfunction (see [`asked_for`]).
const fn type_code(packet_type: u16) -> u32 {
    (packet_type as u32) << 16
}

const CREATE: u32 = type_code(0x1111);

const fn request_code(function: u8, subfunction: Option<u8>) -> u32 {
    let subfunction = match subfunction {
        Some(subfunction) => subfunction,
        None => 0,
    };
    u16::from_le_bytes([function, subfunction]) as u32
}

/// The function and subfunction of a request with this code, if it is a request's.
fn asked_function(code: u32) -> Option<Function> {
    let [function, subfunction, _, packet_type] = code.to_le_bytes();
    (packet_type == 0).then_some(Function(function, subfunction))
}

/// What a request asks for, and the code of it. That of an NDS request that begins has the
/// verb in its upper half, below the packet types.
fn asked_for(function: u8, subfunction: Option<u8>, input: Input<'_>) -> (&'static Operation, u32) {
    let found = functions::find(function, subfunction);
    let code = request_code(function, subfunction);
    if (function, subfunction) != (nds::FUNCTION.0, Some(nds::FUNCTION.1)) {
        return (found, code);
    }
    match nds::verb(input.bytes) {
        Some(verb @ 1..0x100) => (nds::find(verb).unwrap_or(found), code | verb << 16),
        _ => (found, code),
    }
}

/// Whether it logs somebody in: the bindery's functions 0, 20 and 24, and the verbs of NDS from
/// BEGIN LOGIN to FINISH AUTHENTICATION.
fn logs_in(function: u8, subfunction: u8, code: u32) -> bool {
    match function {
        23 => matches!(subfunction, 0 | 20 | 24),
        _ if function == nds::FUNCTION.0 => matches!(code >> 16, 57..=60),
        _ => false,
    }
}

static CREATE_CONNECTION: Operation =
    Operation::new("CREATE SERVICE CONNECTION", Kind::Session, false);
static DESTROY_CONNECTION: Operation =
    Operation::new("DESTROY SERVICE CONNECTION", Kind::Session, true);
/// Stands for whatever a reply answers, until its request is known.
static REPLY: Operation = Operation::new("REPLY", Kind::Other, false);
static MESSAGE_WAITING: Operation = Operation::new("MESSAGE WAITING", Kind::Other, true);
static CLEAR_OP_LOCK: Operation = Operation::new("CLEAR OP-LOCK", Kind::Break, true);
static WATCHDOG: Operation = Operation::new("WATCHDOG", Kind::Other, true);
static BROADCAST: Operation = Operation::new("SERVER BROADCAST", Kind::Other, true);

fn dissect(input: Input<'_>, _: &mut Facts) -> Result<Layer, Fault> {
    let header = Packet::parse(input)?.length().min(input.length);
    Ok(Layer::over(input, header, Next::NONE))
}

fn packet_type(input: Input<'_>) -> Option<u16> {
    input.bytes.first_chunk().copied().map(u16::from_be_bytes)
}

/// What a packet says. Each of the two that nearly all are is read by a function of its own: what comes of it is
/// large, and is written once, and by parts that are known, where it can be nothing else.
fn exchange(input: Input<'_>) -> Result<Part, Fault> {
    match packet_type(input) {
        Some(REQUEST) => request(input),
        Some(REPLY_TYPE) => reply(input),
        _ => other(input),
    }
}

#[inline(never)]
fn request(input: Input<'_>) -> Result<Part, Fault> {
    service(Header::of(Message::request(input)?, input)?, input)
}

#[inline(never)]
fn reply(input: Input<'_>) -> Result<Part, Fault> {
    service(Header::of(Message::reply(input)?, input)?, input)
}

#[inline(never)]
fn other(input: Input<'_>) -> Result<Part, Fault> {
    let exchange = match Packet::read(input)? {
        Packet::Service(header) => return service(header, input),
        Packet::Burst(burst) => Some(burst.exchange(input)),
        Packet::Echo => None,
    };
    Ok(Part {
        exchange,
        length: input.length,
    })
}

#[inline(always)]
fn service(header: Header, input: Input<'_>) -> Result<Part, Fault> {
    Ok(Part {
        exchange: header.exchange(input),
        length: input.length,
    })
}

impl Header {
    #[inline(always)]
    fn exchange(&self, input: Input<'_>) -> Option<Exchange> {
        let (role, sender, operation, code) = match self.message {
            Message::Create => (Role::Request, Side::Client, &CREATE_CONNECTION, CREATE),
            Message::Destroy => {
                let code = type_code(0x5555);
                (Role::Request, Side::Client, &DESTROY_CONNECTION, code)
            }
            Message::Request {
                function,
                subfunction,
            } => {
                let (operation, code) = asked_for(function, subfunction, input);
                (Role::Request, Side::Client, operation, code)
            }
            Message::Reply { .. } => (Role::Response, Side::Server, &REPLY, type_code(0x3333)),
            Message::BeingProcessed => (Role::Interim, Side::Server, &REPLY, type_code(0x9999)),
            Message::Notice { what } => {
                let operation = match what {
                    b'!' => &MESSAGE_WAITING,
                    b'$' => &CLEAR_OP_LOCK,
                    _ => &BROADCAST,
                };
                let code = type_code(0xbbbb) | u32::from(what);
                (Role::Notice, Side::Server, operation, code)
            }
            Message::Watchdog { what } => return self.watchdog(what),
        };
        // In one place, as it is large.
        let mut x = Exchange::new(role, sender, operation, code);
        if role == Role::Notice {
            x.file = self.op_lock(input);
            return Some(x);
        }
        let number = u128::from(self.connection) << 8 | u128::from(self.sequence);
        let lane = Some(Id::new(BY_CONNECTION, self.connection.into()));
        let creation = Some(Id::new(CREATION, self.sequence.into()));
        (x.id, x.lane) = (Some(Id::new(BY_CONNECTION, number)), lane);
        // Who is logged in is remembered by the connection.
        x.session = lane;
        x.repeats = role == Role::Request;
        match self.message {
            Message::Create => {
                (x.id, x.lane) = (creation, None);
                x.effects = Effects::SETS_UP;
            }
            Message::Request {
                function,
                subfunction,
            } => {
                let subfunction = subfunction.unwrap_or(0);
                let fields = open_file::request(function, subfunction, input);
                (x.file, x.asked, x.data) = (fields.file, fields.asked, fields.data);
                x.may_wait = fields.may_wait;
                x.names = names::has_some(function, subfunction);
                if logs_in(function, subfunction, code) {
                    x.effects = Effects::SETS_UP;
                }
            }
            Message::Reply { completion, .. } => {
                x.alias = creation;
                x.status = Some(status::status(completion, None));
            }
            _ => {}
        }
        Some(x)
    }

    /// The server asks by `?`; whatever the station says comes from its transport.
    fn watchdog(&self, what: u8) -> Option<Exchange> {
        let (role, sender) = match what {
            b'?' => (Role::Probe, Side::Server),
            b'Y' | b'N' => (Role::Alive, Side::Client),
            _ => return None,
        };
        Some(Exchange {
            number: Some(self.connection),
            ..Exchange::new(role, sender, &WATCHDOG, type_code(0x3e3e))
        })
    }

    /// The file whose op-lock a notice takes back.
    fn op_lock(&self, input: Input<'_>) -> Option<File> {
        match self.message {
            Message::Notice { what: b'$' } => be32(input.bytes, 10).map(|h| File {
                handle: h.into(),
                offset: None,
            }),
            _ => None,
        }
    }
}

fn answer(input: Input<'_>, asked: &Asked) -> Answered {
    let replies = packet_type(input) == Some(REPLY_TYPE);
    let Some(Ok(Message::Reply { completion, .. })) = replies.then(|| Message::reply(input)) else {
        return Answered::default();
    };
    let Some(function) = asked_function(asked.code) else {
        return Answered {
            status: (asked.code == CREATE).then(|| status::refused(completion)),
            ..Answered::default()
        };
    };
    let (data, file) = match completion {
        0 => (
            open_file::moved(function.0, function.1, asked.asked, input),
            open_file::opened(function.0, function.1, input),
        ),
        _ => (0, None),
    };
    let in_nds = || {
        let begins = (function.0, function.1) == nds::FUNCTION && asked.code >> 16 != 0;
        (begins && completion == 0)
            .then(|| nds::result(input.bytes))
            .flatten()
    };
    Answered {
        status: Some(match in_nds() {
            Some(result) => nds::status(result),
            None => status::status(completion, Some(function)),
        }),
        data,
        file,
        ..Answered::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, described};
    use proptest::prelude::*;

    /// Read 1024 bytes at 4096 from handle 0x04000000 (6-byte form), sequence 17,
    /// connection 0x0103, task 2.
    const READ: [u8; 20] = [
        0x22, 0x22, 17, 3, 2, 1, 72, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0x10, 0, 4, 0,
    ];
    /// Its reply: 3 bytes, the end of the file.
    const READ_REPLY: [u8; 13] = [0x33, 0x33, 17, 3, 2, 1, 0, 0, 0, 3, b'a', b'b', b'c'];
    const CREATE_REQUEST: [u8; 7] = [0x11, 0x11, 0, 0xff, 2, 0xff, 0];
    const CREATE_REPLY: [u8; 8] = [0x33, 0x33, 0, 3, 2, 1, 0, 0];

    fn meaning(bytes: &[u8]) -> Exchange {
        exchange(Input::whole(bytes)).unwrap().exchange.unwrap()
    }

    fn asked(request: &[u8]) -> Asked {
        let e = meaning(request);
        Asked {
            operation: e.operation,
            code: e.code,
            asked: e.asked,
            file: e.file,
        }
    }

    fn line(bytes: &[u8]) -> String {
        described(describe, Input::whole(bytes))
    }

    /// Whatever its type, a packet is what the long way says, cut anywhere; and so is the code of a reply.
    #[test]
    fn the_usual_packets_mean_what_any_packet_would() {
        let same = |bytes: &[u8]| {
            let input = Input::whole(bytes);
            let [short, long] = [exchange(input), other(input)].map(|part| format!("{part:?}"));
            assert_eq!(short, long, "{bytes:x?}");
            let reply = match Packet::parse(input) {
                Ok(Packet::Service(header)) => Some(header.message),
                _ => None,
            };
            let reply = reply.filter(|message| matches!(message, Message::Reply { .. }));
            let answered = answer(input, &asked(&CREATE_REQUEST)).status;
            assert_eq!(answered.is_some(), reply.is_some(), "{bytes:x?}");
        };
        let mut packets = vec![READ.to_vec(), READ_REPLY.to_vec()];
        packets.extend([CREATE_REQUEST.to_vec(), CREATE_REPLY.to_vec()]);
        for packet_type in [0x5555_u16, 0x7777, 0x9999, 0xbbbb, 0x3e3e, 0x4c69, 0x1234] {
            let mut other = packet_type.to_be_bytes().to_vec();
            other.extend(&READ[2..]);
            packets.push(other);
        }
        for function in 0..=u8::MAX {
            let mut request = READ.to_vec();
            request[6] = function;
            packets.push(request);
            let mut reply = READ_REPLY.to_vec();
            reply[6] = function;
            packets.push(reply);
        }
        for packet in &packets {
            (0..=packet.len()).for_each(|n| same(&packet[..n]));
        }
    }

    #[test]
    fn a_read_and_its_reply() {
        let request = meaning(&READ);
        assert_eq!(
            (request.role, request.sender),
            (Role::Request, Side::Client)
        );
        assert_eq!(request.operation.name, "READ FROM A FILE");
        assert_eq!((request.asked, request.data), (1024, 0));
        let file = request.file.unwrap();
        assert_eq!((file.handle, file.offset), (0x0400_0000, Some(4096)));
        assert!(request.repeats && !request.may_wait);

        let reply = meaning(&READ_REPLY);
        assert_eq!((reply.role, reply.sender), (Role::Response, Side::Server));
        assert_eq!((reply.id, reply.lane), (request.id, request.lane));
        assert_eq!(request.lane, Some(Id::new(BY_CONNECTION, 0x0103)));
        let answered = answer(Input::whole(&READ_REPLY), &asked(&READ));
        assert_eq!(answered.data, 3, "fewer than asked: the end of the file");
        assert!(answered.status.unwrap().ok);
    }

    #[test]
    fn sequence_and_connection_identify_a_request_and_the_task_does_not() {
        let id = |at: usize, value: u8| {
            let mut bytes = READ;
            bytes[at] = value;
            meaning(&bytes).id
        };
        let here = meaning(&READ).id;
        assert_ne!(id(2, 18), here, "sequence");
        assert_ne!(id(3, 4), here, "connection, low");
        assert_ne!(id(5, 2), here, "connection, high");
        assert_eq!(id(4, 3), here, "task");
    }

    #[test]
    fn the_next_request_counts_on() {
        let [here, next] = [READ, {
            let mut next = READ;
            next[2] += 1;
            next
        }]
        .map(|bytes| meaning(&bytes).id);
        assert!(Id::counts_on(here, next) && !Id::counts_on(next, here));
    }

    #[test]
    fn a_new_connection_is_answered_under_its_own_number() {
        let create = meaning(&CREATE_REQUEST);
        let reply = meaning(&CREATE_REPLY);
        assert_eq!(create.operation.name, "CREATE SERVICE CONNECTION");
        assert_ne!(reply.id, create.id);
        assert_eq!(reply.alias, create.id);
        let lane = Some(Id::new(BY_CONNECTION, 0x0103));
        assert_eq!((create.lane, reply.lane), (None, lane));
        let refused = [0x33, 0x33, 0, 0, 2, 0, 0xf9, 0];
        let answered = answer(Input::whole(&refused), &asked(&CREATE_REQUEST));
        assert_eq!(answered.status.unwrap().name, Some("no free connection"));
        let mut destroy = CREATE_REQUEST;
        destroy[..2].copy_from_slice(&[0x55, 0x55]);
        assert_eq!(
            meaning(&destroy).operation.name,
            "DESTROY SERVICE CONNECTION"
        );
    }

    #[test]
    fn being_processed_is_an_interim_of_the_same_request() {
        let mut bytes = CREATE_REPLY;
        bytes[..3].copy_from_slice(&[0x99, 0x99, 17]);
        let interim = meaning(&bytes);
        assert_eq!(interim.role, Role::Interim);
        assert_eq!((interim.id, interim.alias), (meaning(&READ).id, None));
        assert_eq!(line(&bytes), "R request being processed (conn 259 seq 17)");
        let answered = answer(Input::whole(&bytes), &asked(&READ));
        assert!(answered.status.is_none(), "no reply");
    }

    #[test]
    fn an_unknown_function_keeps_its_numbers() {
        let bytes = [0x22, 0x22, 1, 3, 2, 0, 87, 250];
        let e = meaning(&bytes);
        assert_eq!((e.operation.name, e.code), ("UNKNOWN", 87 | 250 << 8));
        assert_eq!(line(&bytes), "C UNKNOWN 87/250 (conn 3 seq 1)");
        let bytes = [0x22, 0x22, 1, 3, 2, 0, 255];
        assert_eq!(meaning(&bytes).code, 255);
        assert_eq!(line(&bytes), "C UNKNOWN 255 (conn 3 seq 1)");
    }

    #[test]
    fn a_subfunction_stands_behind_a_length_in_some_functions() {
        let login = [0x22, 0x22, 4, 1, 2, 0, 23, 0, 1, 23];
        let e = meaning(&login);
        assert_eq!((e.operation.name, e.code), ("GET LOGIN KEY", 23 | 23 << 8));
        assert_eq!(e.operation.subfunction, Some(23));
        let packet = Packet::parse(Input::whole(&login)).unwrap();
        assert_eq!(packet.length(), 10);
        let cut = meaning(&login[..9]);
        assert_eq!(
            cut.id, e.id,
            "still pairs when the capture cut the subfunction off"
        );
        assert_eq!(cut.operation.name, "UNKNOWN");
    }

    /// Resolve Name in one fragment of 12 bytes and as many of parameters.
    const NDS: [u8; 44] = [
        0x22, 0x22, 9, 3, 2, 0, 104, 2, 0xff, 0xff, 0xff, 0xff, 0, 2, 0, 0, 24, 0, 0, 0, 0, 0, 0,
        0, 1, 0, 0, 0, 0, 16, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    ];

    #[test]
    fn a_request_of_nds_is_known_by_its_verb_and_answered_by_its_result() {
        let e = meaning(&NDS);
        assert_eq!(e.operation.name, "NDS RESOLVE NAME");
        assert_eq!(e.code, 104 | 2 << 8 | 1 << 16);
        assert_eq!(
            (e.operation.function, e.operation.subfunction),
            (Some(104), Some(2))
        );
        assert_eq!(line(&NDS), "C NDS RESOLVE NAME (conn 3 seq 9)");
        let mut reply = vec![0x33, 0x33, 9, 3, 2, 0, 0, 0, 8, 0, 0, 0, 5, 0, 0, 0];
        reply.extend((-601i32).to_le_bytes());
        let status = answer(Input::whole(&reply), &asked(&NDS)).status.unwrap();
        assert_eq!(
            (status.name, status.failure),
            (Some("no such entry"), false)
        );
        reply[8] = 4;
        let status = answer(Input::whole(&reply), &asked(&NDS)).status.unwrap();
        assert!(status.ok, "more fragments are to come");
        let mut later = NDS;
        later[8] = 5;
        assert_eq!(
            meaning(&later).operation.name,
            "SEND NDS FRAGMENTED REQUEST/REPLY"
        );
        let mut unknown = NDS;
        unknown[24] = 106;
        assert_eq!(meaning(&unknown).code, 104 | 2 << 8 | 106 << 16);
    }

    #[test]
    fn what_the_server_says_unasked_needs_no_answer() {
        let notice = [
            0xbb, 0xbb, 0, 3, 0, 0, 0, 0, 3, b'$', 0xa1, 0xb2, 0xc3, 0xd4,
        ];
        let e = meaning(&notice);
        assert_eq!((e.role, e.id), (Role::Notice, None));
        assert_eq!(e.operation.kind, Kind::Break);
        assert_eq!(e.file.unwrap().handle, 0xa1b2_c3d4);
        assert_eq!(line(&notice), "S clear op-lock h=a1b2c3d4 (conn 3 seq 0)");
        let watchdog = [0x3e, 0x3e, 0, 6, 0, 0, 0, 0, 6, b'?'];
        let asks = meaning(&watchdog);
        assert_eq!((asks.role, asks.sender), (Role::Probe, Side::Server));
        // As a station said it over UDP.
        let alive = [0x3e, 0x3e, 0, 6, 0, 0, 0, 0, 6, b'Y', 0, 0, 0, 0];
        let answers = meaning(&alive);
        assert_eq!((answers.role, answers.sender), (Role::Alive, Side::Client));
        assert_eq!((asks.number, answers.number), (Some(6), Some(6)));
        assert_eq!(line(&watchdog), "S watchdog: still there? (conn 6 seq 0)");
        let echo = b"LiP Echo Data";
        assert!(exchange(Input::whole(echo)).unwrap().exchange.is_none());
        assert_eq!(line(echo), "LIP echo, 13 bytes");
        let mut burst = [0; 36];
        burst[..2].copy_from_slice(&[0x77, 0x77]);
        let part = exchange(Input {
            bytes: &burst,
            length: 500,
        })
        .unwrap();
        assert_eq!(part.exchange.unwrap().role, Role::Upkeep, "no data in it");
        assert_eq!(part.length, 500);
    }

    #[test]
    fn describes_requests_and_replies() {
        assert_eq!(
            line(&READ),
            "C READ FROM A FILE h=04000000 off=4096 len=1024 (conn 259 seq 17)"
        );
        assert_eq!(line(&READ_REPLY), "R ok (conn 259 seq 17)");
        let failed = [0x33, 0x33, 17, 3, 2, 0, 0x9c, 0x50];
        assert_eq!(
            line(&failed),
            "R 0x9c invalid path, server down, message waiting (conn 3 seq 17)"
        );
        let open = *b"\x22\x22\x05\x03\x02\x00\x4c\x00\x06\x01\x05A.TXT";
        assert_eq!(line(&open), "C OPEN FILE \"A.TXT\" (conn 3 seq 5)");
        assert_eq!(line(&CREATE_REQUEST), "C CREATE SERVICE CONNECTION (seq 0)");
        assert_eq!(line(&[0x12, 0x34]), "malformed packet type");
        assert_eq!(line(&READ[..5]), "cut off");
    }

    #[test]
    fn every_strict_prefix_of_a_header_is_short() {
        let notice = [0xbb, 0xbb, 0, 3, 0, 0, 0, 0, 3, b'!'];
        let headers: [&[u8]; 4] = [&READ[..7], &CREATE_REQUEST, &CREATE_REPLY, &notice];
        for header in headers {
            assert!(Packet::parse(Input::whole(header)).is_ok());
            for n in 0..header.len() {
                assert!(
                    matches!(
                        Packet::parse(Input::whole(&header[..n])),
                        Err(Fault::Short { .. })
                    ),
                    "{n} of {header:02x?}"
                );
            }
        }
    }

    #[test]
    fn another_packet_type_is_malformed() {
        assert_eq!(
            Packet::parse(Input::whole(&[0x22, 0x23, 0, 0, 0, 0, 0])),
            Err(malformed(0, "packet type"))
        );
        assert_eq!(begins(&[0x22, 0x23]), Some(false));
        assert_eq!(begins(&[0x22, 0x22]), Some(true));
        assert_eq!(begins(&[0x22]), None);
    }

    proptest! {
        #[test]
        fn fields_are_those_of_the_header(
            packet_type in prop::sample::select(
                vec![0x1111u16, 0x2222, 0x3333, 0x5555, 0x9999, 0xbbbb, 0x3e3e],
            ),
            tail in prop::collection::vec(any::<u8>(), 0..120),
        ) {
            let mut bytes = packet_type.to_be_bytes().to_vec();
            bytes.extend(tail);
            let input = Input::whole(&bytes);
            let whole = exchange(input).map_or(input.length, |part| part.length);
            prop_assert_eq!(DISSECTOR.part.map(|part| part(input)), Some(whole));
            let fields = testing::fields(&DISSECTOR, input);
            let number = |name| testing::number(&fields, name);
            if let Ok(Packet::Service(header)) = Packet::parse(input) {
                prop_assert_eq!(number("Packet type"), Some(packet_type.into()));
                prop_assert_eq!(number("Sequence number"), Some(header.sequence.into()));
                let [high, low] = header.connection.to_be_bytes();
                prop_assert_eq!(number("Connection number high"), Some(high.into()));
                prop_assert_eq!(number("Connection number low"), Some(low.into()));
                prop_assert_eq!(number("Task number"), Some(header.task.into()));
                match header.message {
                    Message::Request { function, subfunction } => {
                        prop_assert_eq!(number("Function code"), Some(function.into()));
                        prop_assert_eq!(number("Subfunction code"), subfunction.map(u64::from));
                    }
                    Message::Reply { completion, state } => {
                        prop_assert_eq!(number("Completion code"), Some(completion.into()));
                        prop_assert_eq!(number("Connection status"), Some(state.into()));
                    }
                    Message::Notice { what } | Message::Watchdog { what } => {
                        prop_assert_eq!(number("Signature character"), Some(what.into()));
                    }
                    Message::Create | Message::Destroy | Message::BeingProcessed => {}
                }
            }
        }

        #[test]
        fn any_bytes_are_survived(
            packet_type in prop::sample::select(
                vec![0x1111u16, 0x2222, 0x3333, 0x5555, 0x7777, 0x9999, 0xbbbb, 0x3e3e, 0x4c69, 0],
            ),
            tail in prop::collection::vec(any::<u8>(), 0..120),
            code in any::<u32>(),
            bytes_asked in any::<u64>(),
            cut in 0u32..100_000,
        ) {
            let mut bytes = packet_type.to_be_bytes().to_vec();
            bytes.extend(tail);
            let length = u32::try_from(bytes.len()).unwrap() + cut;
            let input = Input { bytes: &bytes, length };
            let mut facts = Facts::default();
            if let Ok(layer) = dissect(input, &mut facts) {
                prop_assert_eq!(layer.end, length);
            }
            if let Ok(part) = exchange(input) {
                prop_assert_eq!(part.length, length);
                if let Some(e) = part.exchange {
                    prop_assert!(e.data <= u64::from(length));
                    let asked = Asked { operation: e.operation, code, asked: bytes_asked, file: e.file };
                    let answered = answer(input, &asked);
                    prop_assert!(answered.status.is_none_or(|s| !(s.ok && s.failure)));
                    let mut told = 0;
                    names::tell(input, &mut |_, text| told += text.to_string().len());
                    names::tell_opened(input, &asked, &mut |_, text| told += text.to_string().len());
                    // Latin-1 takes two bytes in UTF-8, and a slash stands between components.
                    prop_assert!(told <= 3 * bytes.len() + 255, "{told}");
                }
            }
            let out = described(describe, input);
            prop_assert!(!out.is_empty() && !out.chars().any(char::is_control), "{out}");
        }
    }
}

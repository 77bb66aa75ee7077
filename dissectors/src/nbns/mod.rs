//! NetBIOS name service over UDP (also called WINS). RFC 1002 section 4.2.

use crate::nbt::Name;
use crate::parse::{be16, header};
use crate::udp;
use std::fmt;
use std::net::Ipv4Addr;
use wirewait_wire::{
    Claim, Dissector, Exchange, Facts, Fault, Id, Input, Kind, Layer, Names, Naming, Next,
    Operation, Part, Role, Side, Status, Text, Verified,
};

mod fields;

/// A name service header, RFC 1002 section 4.2.1.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Transaction number, given back in the answer.
    pub id: u16,
    /// Response flag, opcode, flags and result code as one number.
    pub flags: u16,
    /// Number of questions.
    pub questions: u16,
    /// Number of answers.
    pub answers: u16,
}

impl Header {
    /// Bytes of the header.
    pub const LENGTH: u32 = 12;

    /// Reads a header.
    ///
    /// # Errors
    /// [`Fault::Short`].
    pub fn parse(input: Input<'_>) -> Result<Self, Fault> {
        let h: &[u8; 12] = header(input)?;
        Ok(Self {
            id: u16::from_be_bytes([h[0], h[1]]),
            flags: u16::from_be_bytes([h[2], h[3]]),
            questions: u16::from_be_bytes([h[4], h[5]]),
            answers: u16::from_be_bytes([h[6], h[7]]),
        })
    }

    /// Whether it is an answer.
    #[must_use]
    pub const fn response(&self) -> bool {
        self.flags & 0x8000 != 0
    }

    /// What is asked, 0 to 15.
    #[must_use]
    pub const fn opcode(&self) -> u8 {
        (self.flags >> 11) as u8 & 0x0f
    }

    /// Whether it was sent to everyone.
    #[must_use]
    pub const fn broadcast(&self) -> bool {
        self.flags & 0x0010 != 0
    }

    /// The result, in an answer.
    #[must_use]
    pub const fn code(&self) -> u8 {
        self.flags as u8 & 0x0f
    }

    /// A registration that asks (a name server to go on, or everyone to object) rather
    /// than overwriting what others have noted.
    const fn recursion_desired(&self) -> bool {
        self.flags & 0x0100 != 0
    }
}

pub(crate) static DISSECTOR: Dissector = Dissector {
    name: "nbns",
    title: "NetBIOS name service over UDP, RFC 1002",
    aliases: &["WINS", "NetBIOS name service"],
    does: "queries, node status, registrations and their responses by transaction number",
    lacks: "NetBIOS scopes",
    verified: &[
        Verified::Specification,
        Verified::RealCaptures,
        Verified::Tshark,
    ],
    claims: &[Claim::Exact(udp::PORT.key(137))],
    dissect,
    exchange: Some(exchange),
    describe,
    names: Some(names),
    fields: fields::fields,
    ..Dissector::PLAIN
};

fn dissect(input: Input<'_>, _: &mut Facts) -> Result<Layer, Fault> {
    Header::parse(input)?;
    Ok(Layer::over(input, Header::LENGTH, Next::NONE))
}

/// An answer does not say whether the question went to everyone, so every conversation is
/// the asking station's alone; the transaction number tells its questions apart.
///
/// What is announced to everyone is accepted by silence, and an overwrite demand is not
/// answered either (section 5.1.1): these are notices.
fn exchange(input: Input<'_>) -> Result<Part, Fault> {
    let h = Header::parse(input)?;
    let announces = h.opcode() == REGISTRATION && !h.recursion_desired();
    let role = match (h.response(), h.opcode()) {
        (true, WACK) => Role::Interim,
        (true, _) => Role::Response,
        (false, QUERY) => Role::Request,
        (false, _) if h.broadcast() || announces => Role::Notice,
        (false, _) => Role::Request,
    };
    let operation = match h.opcode() {
        QUERY if record_type(input) == Some(NBSTAT) => &NODE_STATUS,
        QUERY => &NAME_QUERY,
        REGISTRATION | MULTIHOMED => &NAME_REGISTRATION,
        RELEASE => &NAME_RELEASE,
        WACK => &WAIT_FOR_ACKNOWLEDGEMENT,
        REFRESH | REFRESH_ALTERNATIVE => &NAME_REFRESH,
        _ => &UNKNOWN,
    };
    Ok(Part {
        exchange: Some(Exchange {
            id: Some(Id::new(0, h.id.into())),
            names: role == Role::Request && std::ptr::eq(operation, &raw const NAME_QUERY),
            repeats: true,
            anyone: true,
            everyone: !h.response() && h.broadcast(),
            status: (role == Role::Response).then(|| status(h.code())),
            ..Exchange::new(
                role,
                match h.response() {
                    true => Side::Server,
                    false => Side::Client,
                },
                operation,
                h.opcode().into(),
            )
        }),
        length: input.length,
    })
}

/// The name that a query looks for.
fn names(input: Input<'_>, out: Names<'_>) {
    if let Ok((name, _)) = Name::encoded(input.bytes, Header::LENGTH as usize) {
        out(Naming::Station, Text::Bytes(name.to_string().as_bytes()));
    }
}

fn describe(input: Input<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    let Ok(h) = Header::parse(input) else {
        return out.write_str("cut off");
    };
    match opcode_name(h.opcode()) {
        _ if h.opcode() == QUERY && record_type(input) == Some(NBSTAT) => {
            out.write_str("NODE STATUS")?;
        }
        "" => write!(out, "UNKNOWN {}", h.opcode())?,
        name => out.write_str(name)?,
    }
    out.write_str(if h.response() {
        " response"
    } else {
        " request"
    })?;
    write!(out, " 0x{:04x}", h.id)?;
    let first = Name::encoded(input.bytes, 12).ok();
    if let Some((name, _)) = first {
        write!(out, " {name}")?;
    }
    if h.broadcast() {
        out.write_str(", broadcast")?;
    }
    if !h.response() {
        return Ok(());
    }
    let result = status(h.code());
    match (result.ok, result.name) {
        (true, _) => {}
        (false, Some(name)) => return write!(out, ", {name}"),
        (false, None) => return write!(out, ", error {}", result.code),
    }
    // Resource record behind its name: type, class, time to live, length, flags, address
    // (section 4.2.1.3 and 4.2.13).
    let address = first
        .filter(|_| h.questions == 0 && record_type(input) == Some(NB))
        .and_then(|(_, end)| input.bytes.get(end.checked_add(12)?..)?.first_chunk::<4>());
    match address {
        Some(address) => write!(out, ", {}", Ipv4Addr::from(*address)),
        None => Ok(()),
    }
}

// Opcodes, section 4.2.1.1; 9 is what section 4.2.4 draws for a refresh, 15 is Microsoft's.
const QUERY: u8 = 0;
const REGISTRATION: u8 = 5;
const RELEASE: u8 = 6;
const WACK: u8 = 7;
const REFRESH: u8 = 8;
const REFRESH_ALTERNATIVE: u8 = 9;
const MULTIHOMED: u8 = 15;

// Record types, section 4.2.1.3.
const NB: u16 = 0x0020;
const NBSTAT: u16 = 0x0021;

static NAME_QUERY: Operation = operation("NAME QUERY");
static NODE_STATUS: Operation = operation("NODE STATUS");
static NAME_REGISTRATION: Operation = operation("NAME REGISTRATION");
static NAME_RELEASE: Operation = operation("NAME RELEASE");
static NAME_REFRESH: Operation = operation("NAME REFRESH");
static WAIT_FOR_ACKNOWLEDGEMENT: Operation = operation("WACK");
static UNKNOWN: Operation = operation("UNKNOWN");

const fn operation(name: &'static str) -> Operation {
    Operation::new(name, Kind::Session, true)
}

/// Result codes of sections 4.2.6 and 4.2.14. That a name does not exist, or is another's,
/// is what a client asks for; the rest are failures.
fn status(code: u8) -> Status {
    let name = match code {
        0 => None,
        1 => Some("FMT_ERR"),
        2 => Some("SRV_ERR"),
        3 => Some("NAM_ERR"),
        4 => Some("IMP_ERR"),
        5 => Some("RFS_ERR"),
        6 => Some("ACT_ERR"),
        7 => Some("CFT_ERR"),
        _ => None,
    };
    Status {
        code: code.into(),
        name,
        ok: code == 0,
        failure: !matches!(code, 0 | 3 | 6 | 7),
    }
}

/// What an opcode asks.
const fn opcode_name(opcode: u8) -> &'static str {
    match opcode {
        QUERY => "NAME QUERY",
        REGISTRATION => "NAME REGISTRATION",
        RELEASE => "NAME RELEASE",
        WACK => "WACK",
        REFRESH | REFRESH_ALTERNATIVE => "NAME REFRESH",
        MULTIHOMED => "MULTIHOMED NAME REGISTRATION",
        _ => "",
    }
}

/// The type of the first question or record. Its name stands at the same place in both.
fn record_type(input: Input<'_>) -> Option<u16> {
    let (_, end) = Name::encoded(input.bytes, Header::LENGTH as usize).ok()?;
    be16(input.bytes, end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::line;
    use proptest::prelude::*;

    /// Header and first name, laid out as in RFC 1002 section 4.2.12.
    fn packet(flags: u16, questions: u8, answers: u8, kind: u16) -> Vec<u8> {
        let mut bytes = vec![0x12, 0x34];
        bytes.extend(flags.to_be_bytes());
        bytes.extend([0, questions, 0, answers, 0, 0, 0, 0]);
        bytes.push(32);
        for c in b"SERVER         \x20" {
            bytes.extend([b'A' + (c >> 4), b'A' + (c & 15)]);
        }
        bytes.push(0);
        bytes.extend(kind.to_be_bytes());
        bytes.extend([0, 1]);
        bytes
    }

    fn positive_response() -> Vec<u8> {
        let mut bytes = packet(0x8500, 0, 1, NB);
        bytes.extend([0, 0, 0, 0, 0, 6, 0, 0, 10, 0, 0, 7]);
        bytes
    }

    fn read(bytes: &[u8]) -> Exchange {
        exchange(Input::whole(bytes)).unwrap().exchange.unwrap()
    }

    #[test]
    fn a_broadcast_query_and_its_answer_meet() {
        let query = read(&packet(0x0110, 1, 0, NB));
        let answer = read(&positive_response());
        assert_eq!((query.role, query.sender), (Role::Request, Side::Client));
        assert_eq!((answer.role, answer.sender), (Role::Response, Side::Server));
        assert_eq!(query.id, answer.id);
        assert!(query.anyone && answer.anyone && query.repeats);
        assert_eq!(query.operation, answer.operation);
        assert!(answer.status.unwrap().ok);
    }

    /// A query tells the name that it looks for; a response and a query for a status need none.
    #[test]
    fn a_query_tells_its_name() {
        let told = |bytes: &[u8]| {
            let mut found = Vec::new();
            names(Input::whole(bytes), &mut |naming, text| {
                found.push((naming, text.to_string()));
            });
            found
        };
        let query = packet(0x0110, 1, 0, NB);
        assert!(read(&query).names);
        assert_eq!(told(&query), [(Naming::Station, "SERVER<20>".to_owned())]);
        assert_eq!(told(&query[..40]), []);
        assert!(!read(&positive_response()).names);
        assert!(!read(&packet(0x0000, 1, 0, NBSTAT)).names);
    }

    #[test]
    fn a_missing_name_is_no_failure_but_a_broken_server_is() {
        let missing = read(&packet(0x8583, 0, 1, 0x000a)).status.unwrap();
        assert_eq!((missing.ok, missing.failure), (false, false));
        assert_eq!(missing.name, Some("NAM_ERR"));
        let broken = read(&packet(0x8582, 0, 1, 0x000a)).status.unwrap();
        assert_eq!((broken.ok, broken.failure), (false, true));
    }

    #[test]
    fn what_is_announced_to_everyone_needs_no_answer() {
        assert_eq!(read(&packet(0x2910, 1, 0, NB)).role, Role::Notice);
        assert_eq!(
            read(&packet(0x2800, 1, 0, NB)).role,
            Role::Notice,
            "overwrite"
        );
        assert_eq!(
            read(&packet(0x3010, 1, 0, NB)).role,
            Role::Notice,
            "release"
        );
        assert_eq!(read(&packet(0x2900, 1, 0, NB)).role, Role::Request);
        assert_eq!(read(&packet(0xbc00, 0, 1, NB)).role, Role::Interim, "WACK");
    }

    #[test]
    fn packets_are_described() {
        assert_eq!(
            line(&DISSECTOR, &packet(0x0110, 1, 0, NB)),
            "NAME QUERY request 0x1234 SERVER<20>, broadcast"
        );
        assert_eq!(
            line(&DISSECTOR, &positive_response()),
            "NAME QUERY response 0x1234 SERVER<20>, 10.0.0.7"
        );
        assert_eq!(
            line(&DISSECTOR, &packet(0x0000, 1, 0, NBSTAT)),
            "NODE STATUS request 0x1234 SERVER<20>"
        );
        assert_eq!(
            line(&DISSECTOR, &packet(0xad86, 0, 1, NB)),
            "NAME REGISTRATION response 0x1234 SERVER<20>, ACT_ERR"
        );
    }

    #[test]
    fn every_strict_prefix_of_the_header_is_short() {
        let bytes = packet(0x0110, 1, 0, NB);
        for n in 0..12 {
            let result = dissect(Input::whole(&bytes[..n]), &mut Facts::default());
            assert!(matches!(result, Err(Fault::Short { .. })));
            assert!(exchange(Input::whole(&bytes[..n])).is_err());
        }
    }

    #[test]
    fn a_name_that_is_cut_off_still_has_its_transaction() {
        let bytes = packet(0x0110, 1, 0, NB);
        for n in 12..bytes.len() {
            assert_eq!(read(&bytes[..n]).id, read(&bytes).id);
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_panic(
            flags in any::<u16>(),
            tail in proptest::collection::vec(any::<u8>(), 0..40),
            at in 0usize..50,
            with in any::<u8>(),
        ) {
            let mut bytes = packet(flags, 1, 1, NB);
            bytes.extend(tail);
            bytes[at] = with;
            let _ = dissect(Input::whole(&bytes), &mut Facts::default());
            let _ = exchange(Input::whole(&bytes));
            line(&DISSECTOR, &bytes);
        }
    }
}

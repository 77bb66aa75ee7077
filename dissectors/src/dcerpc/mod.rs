//! DCE/RPC, connection-oriented, as it runs on named pipes. C706 chapter 12 (12.6
//! connection-oriented PDUs), MS-RPCE 2.2.2.
//!
//! A pipe does not say what it carries, and a read or write seen alone does not even say
//! that it is on a pipe. So a PDU is known by its appearance: sixteen bytes of header
//! whose constants file data does not match by chance.

mod fields;
mod interfaces;

pub use interfaces::Uuid;

use crate::parse::{header, malformed};
use std::fmt::{self, Write};
use wirewait_wire::{Claim, Dissector, Facts, Fault, Input, Layer, Next, Table, Verified};

/// What is read from, written to or transacted on a named pipe, whatever version of SMB
/// carried it.
pub const PIPE: Table = Table::new("smb.pipe");

/// PDU types, C706 12.6.4 and MS-RPCE 2.2.2.
pub mod ptype {
    /// Calls an operation.
    pub const REQUEST: u8 = 0;
    /// Brings its result.
    pub const RESPONSE: u8 = 2;
    /// Says why there is none.
    pub const FAULT: u8 = 3;
    /// Chooses interfaces.
    pub const BIND: u8 = 11;
    /// Grants them.
    pub const BIND_ACK: u8 = 12;
    /// Refuses the bind.
    pub const BIND_NAK: u8 = 13;
    /// Chooses further interfaces.
    pub const ALTER_CONTEXT: u8 = 14;
    /// Answers [`ALTER_CONTEXT`].
    pub const ALTER_CONTEXT_RESP: u8 = 15;
    /// Third leg of an authentication.
    pub const AUTH3: u8 = 16;
}

/// The header that all PDUs have in common. C706 12.6.3.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Minor version; the major one is 5.
    pub minor: u8,
    /// See [`ptype`].
    pub ptype: u8,
    /// First and last fragment, object UUID and others.
    pub flags: u8,
    /// Integers have the low byte first.
    pub little_endian: bool,
    /// Bytes of this fragment, header included.
    pub frag_length: u16,
    /// Bytes of credentials at its end.
    pub auth_length: u16,
    /// Number of the call.
    pub call_id: u32,
}

impl Header {
    /// Bytes of the common header.
    pub const LENGTH: u32 = 16;

    /// Reads a header.
    ///
    /// # Errors
    /// [`Fault::Short`], or [`Fault::Malformed`] for what no PDU of a connection can be.
    pub fn parse(input: Input<'_>) -> Result<Self, Fault> {
        let h: &[u8; 16] = header(input)?;
        if h[0] != 5 || h[1] > 1 {
            return Err(malformed(0, "version"));
        }
        if type_name(h[2]).is_none() {
            return Err(malformed(2, "PDU type"));
        }
        // Integers and characters, then floating point, then two bytes that must be zero
        // (C706 14.2.5).
        if h[4] & 0xee != 0 || h[5] > 3 || h[6] != 0 || h[7] != 0 {
            return Err(malformed(4, "data representation"));
        }
        let little_endian = h[4] & 0x10 != 0;
        let short = |at: usize| {
            let bytes = [h[at], h[at + 1]];
            if little_endian {
                u16::from_le_bytes(bytes)
            } else {
                u16::from_be_bytes(bytes)
            }
        };
        let call = [h[12], h[13], h[14], h[15]];
        let parsed = Self {
            minor: h[1],
            ptype: h[2],
            flags: h[3],
            little_endian,
            frag_length: short(8),
            auth_length: short(10),
            call_id: if little_endian {
                u32::from_le_bytes(call)
            } else {
                u32::from_be_bytes(call)
            },
        };
        if u32::from(parsed.frag_length) < Self::LENGTH {
            return Err(malformed(8, "fragment length less than 16"));
        }
        if parsed.auth_length > parsed.frag_length - 16 {
            return Err(malformed(10, "more credentials than fragment"));
        }
        Ok(parsed)
    }
}

/// Whether a PDU begins here.
#[must_use]
pub fn looks_like(bytes: &[u8]) -> bool {
    Header::parse(Input::whole(bytes)).is_ok()
}

/// Behind which byte a message can be cut off whose data begins there, where it is no PDU.
pub(crate) fn cut(message: &[u8], at: usize) -> Option<u32> {
    let enough = at.checked_add(Header::LENGTH as usize)?;
    let data = message.get(at..enough)?;
    u32::try_from(enough).ok().filter(|_| !looks_like(data))
}

/// Whether a PDU begins here that the other side answers: a request, a bind or an alter_context
/// (C706 12.6.3.1).
pub(crate) fn is_call(bytes: &[u8]) -> bool {
    const ANSWERED: [u8; 3] = [0, 11, 14];
    looks_like(bytes) && bytes.get(2).is_some_and(|kind| ANSWERED.contains(kind))
}

pub(crate) static DISSECTOR: Dissector = Dissector {
    name: "dcerpc",
    title: "DCE/RPC on named pipes, connection-oriented, C706 and MS-RPCE",
    aliases: &["RPC", "MSRPC", "named pipes"],
    does: "header of every PDU, interfaces of a bind by name, operation number, status of a \
           fault, authentication trailer",
    lacks: "parameters of the calls (NDR) are shown as bytes, and operations by number; calls \
            are not paired: the SMB request and response that carry them are; only the first \
            PDU of a message is read, and fragments of a call are not put together",
    verified: &[
        Verified::Specification,
        Verified::RealCaptures,
        Verified::Tshark,
    ],
    claims: &[Claim::Probe(PIPE, looks_like)],
    dissect,
    describe,
    fields: fields::fields,
    ..Dissector::PLAIN
};

fn dissect(input: Input<'_>, _: &mut Facts) -> Result<Layer, Fault> {
    let h = Header::parse(input)?;
    // A read of a pipe brings as much of a fragment as the client had room for.
    let end = u32::from(h.frag_length).min(input.length);
    Ok(Layer {
        header: end,
        end,
        next: Next::NONE,
    })
}

fn describe(input: Input<'_>, out: &mut dyn Write) -> fmt::Result {
    let h = match Header::parse(input) {
        Ok(h) => h,
        Err(Fault::Short { .. }) => return out.write_str("cut off"),
        Err(Fault::Malformed { what, .. }) => return write!(out, "malformed: {what}"),
    };
    out.write_str(type_name(h.ptype).unwrap_or("unknown"))?;
    write!(out, " call={}", h.call_id)?;
    let body = PduBody(&h, input.bytes);
    match h.ptype {
        ptype::REQUEST => {
            if let (Some(context), Some(opnum)) = (body.u16(20), body.u16(22)) {
                write!(out, " opnum={opnum} context={context}")?;
            }
        }
        ptype::FAULT => {
            if let Some(status) = body.u32(24) {
                write!(out, " status={status:#010x}")?;
                if let Some(name) = fields::fault_name(status) {
                    write!(out, " {name}")?;
                }
            }
        }
        ptype::BIND | ptype::ALTER_CONTEXT => {
            if let Some(uuid) = body.uuid(32) {
                match uuid.name() {
                    Some(name) => write!(out, " {name}")?,
                    None => write!(out, " {uuid}")?,
                }
            }
            if let Some(more @ 1..) = body.u8(24).map(|n| n.saturating_sub(1)) {
                write!(out, " + {more} more")?;
            }
        }
        _ => {}
    }
    write!(out, ", {} bytes", h.frag_length)?;
    match h.flags & 3 {
        1 => out.write_str(", first fragment"),
        2 => out.write_str(", last fragment"),
        0 => out.write_str(", middle fragment"),
        _ => Ok(()),
    }
}

/// Numbers behind the common header, in the byte order of the PDU.
struct PduBody<'a>(&'a Header, &'a [u8]);

impl PduBody<'_> {
    fn array<const N: usize>(&self, at: usize) -> Option<[u8; N]> {
        self.1.get(at..at + N)?.try_into().ok()
    }

    fn u8(&self, at: usize) -> Option<u8> {
        self.1.get(at).copied()
    }

    fn u16(&self, at: usize) -> Option<u16> {
        let bytes = self.array(at)?;
        Some(if self.0.little_endian {
            u16::from_le_bytes(bytes)
        } else {
            u16::from_be_bytes(bytes)
        })
    }

    fn u32(&self, at: usize) -> Option<u32> {
        let bytes = self.array(at)?;
        Some(if self.0.little_endian {
            u32::from_le_bytes(bytes)
        } else {
            u32::from_be_bytes(bytes)
        })
    }

    fn uuid(&self, at: usize) -> Option<Uuid> {
        Some(Uuid::from_wire(self.array(at)?, self.0.little_endian))
    }
}

fn type_name(ptype: u8) -> Option<&'static str> {
    Some(match ptype {
        ptype::REQUEST => "request",
        1 => "ping",
        ptype::RESPONSE => "response",
        ptype::FAULT => "fault",
        4 => "working",
        5 => "nocall",
        6 => "reject",
        7 => "ack",
        8 => "cl_cancel",
        9 => "fack",
        10 => "cancel_ack",
        ptype::BIND => "bind",
        ptype::BIND_ACK => "bind_ack",
        ptype::BIND_NAK => "bind_nak",
        ptype::ALTER_CONTEXT => "alter_context",
        ptype::ALTER_CONTEXT_RESP => "alter_context_resp",
        ptype::AUTH3 => "auth3",
        17 => "shutdown",
        18 => "co_cancel",
        19 => "orphaned",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, line};
    use proptest::prelude::*;
    use wirewait_wire::Value;

    /// A bind to srvsvc 3.0 with NDR 2.0, call 1 (C706 12.6.4.3).
    const BIND: [u8; 72] = [
        5, 0, 11, 3, 0x10, 0, 0, 0, 72, 0, 0, 0, 1, 0, 0, 0, // common header
        0xb8, 0x10, 0xb8, 0x10, 0, 0, 0, 0, // fragment sizes, association group
        1, 0, 0, 0, // one context
        0, 0, 1, 0, // context 0, one transfer syntax
        0xc8, 0x4f, 0x32, 0x4b, 0x70, 0x16, 0xd3, 0x01, 0x12, 0x78, 0x5a, 0x47, 0xbf, 0x6e, 0xe1,
        0x88, 3, 0, 0, 0, // srvsvc 3.0
        0x04, 0x5d, 0x88, 0x8a, 0xeb, 0x1c, 0xc9, 0x11, 0x9f, 0xe8, 0x08, 0x00, 0x2b, 0x10, 0x48,
        0x60, 2, 0, 0, 0, // NDR 2.0
    ];

    /// Common header of `n` bytes and what is behind it.
    fn pdu(ptype: u8, auth: u8, body: &[u8]) -> Vec<u8> {
        let n = u8::try_from(16 + body.len()).unwrap();
        let mut bytes = vec![5, 0, ptype, 3, 0x10, 0, 0, 0, n, 0, auth, 0, 7, 0, 0, 0];
        bytes.extend(body);
        bytes
    }

    fn shown(bytes: &[u8], name: &str) -> Option<(Value<'static>, String)> {
        let fields = testing::fields(&DISSECTOR, Input::whole(bytes));
        let field = fields.into_iter().find(|f| f.name == name)?;
        let value = match field.value {
            Value::Bytes(_) => Value::Heading,
            Value::Decimal(n) => Value::Decimal(n),
            Value::Hex(n) => Value::Hex(n),
            Value::Text(t) => Value::Text(t),
            other => panic!("{other:?}"),
        };
        Some((value, field.meaning))
    }

    #[test]
    fn a_bind_names_its_interface() {
        assert_eq!(line(&DISSECTOR, &BIND), "bind call=1 srvsvc, 72 bytes");
        let (value, meaning) = shown(&BIND, "Interface UUID").unwrap();
        assert_eq!(
            value,
            Value::Text("4b324fc8-1670-01d3-1278-5a47bf6ee188".into())
        );
        assert_eq!(meaning, "srvsvc");
        assert_eq!(shown(&BIND, "Transfer syntax UUID").unwrap().1, "NDR");
        assert_eq!(
            shown(&BIND, "Interface version").unwrap().0,
            Value::Decimal(3)
        );
    }

    #[test]
    fn requests_and_faults_show_operation_and_status() {
        let request = pdu(0, 0, &[12, 0, 0, 0, 1, 0, 15, 0, 1, 2, 3, 4]);
        assert_eq!(
            line(&DISSECTOR, &request),
            "request call=7 opnum=15 context=1, 28 bytes"
        );
        assert_eq!(shown(&request, "Operation").unwrap().0, Value::Decimal(15));
        let fault = pdu(3, 0, &[0, 0, 0, 0, 0, 0, 0, 0, 6, 0, 0, 0x1c, 0, 0, 0, 0]);
        assert_eq!(
            line(&DISSECTOR, &fault),
            "fault call=7 status=0x1c000006 nca_s_fault_invalid_tag, 32 bytes"
        );
        assert_eq!(shown(&fault, "Status").unwrap().0, Value::Hex(0x1c00_0006));
    }

    #[test]
    fn credentials_stand_at_the_end() {
        // Four bytes of stub, no padding, NTLMSSP at the level of packets, 4 bytes.
        let mut body = vec![4, 0, 0, 0, 0, 0, 2, 0, 1, 2, 3, 4];
        body.extend([10, 4, 0, 0, 9, 0, 0, 0, 0xaa, 0xbb, 0xcc, 0xdd]);
        let bytes = pdu(0, 4, &body);
        assert_eq!(
            shown(&bytes, "Authentication type").unwrap().1,
            "NTLMSSP".to_owned()
        );
        assert_eq!(
            shown(&bytes, "Authentication level").unwrap().1,
            "packet".to_owned()
        );
        let fields = testing::fields(&DISSECTOR, Input::whole(&bytes));
        let stub = fields.iter().find(|f| f.name == "Stub data").unwrap();
        assert_eq!((stub.start, stub.end), (24, 28));
        let credentials = fields.iter().find(|f| f.name == "Credentials").unwrap();
        assert_eq!((credentials.start, credentials.end), (36, 40));
    }

    #[test]
    fn a_bind_is_granted_or_refused() {
        // Port of 4 bytes at 26, one result at 36 (padded), acceptance, NDR.
        let mut body = vec![0xb8, 0x10, 0xb8, 0x10, 1, 0, 0, 0, 4, 0];
        body.extend(b"\\p\\\0");
        body.extend([0, 0]);
        body.extend([1, 0, 0, 0, 0, 0, 0, 0]);
        body.extend(&BIND[52..72]);
        let bytes = pdu(12, 0, &body);
        assert_eq!(
            shown(&bytes, "Secondary address").unwrap().0,
            Value::Text("\\p\\".into())
        );
        assert_eq!(shown(&bytes, "Result").unwrap().1, "acceptance");
        assert_eq!(shown(&bytes, "Transfer syntax UUID").unwrap().1, "NDR");
        let nak = pdu(13, 0, &[4, 0, 1, 5, 0]);
        assert_eq!(
            shown(&nak, "Reject reason").unwrap().1,
            "protocol version not supported"
        );
    }

    #[test]
    fn integers_follow_the_data_representation() {
        let big = [
            5, 0, 0, 3, 0, 0, 0, 0, 0, 26, 0, 0, 0, 0, 0, 9, 0, 0, 0, 2, 0, 1, 0, 15, 1, 2,
        ];
        assert_eq!(
            line(&DISSECTOR, &big),
            "request call=9 opnum=15 context=1, 26 bytes"
        );
        assert_eq!(shown(&big, "Call ID").unwrap().0, Value::Decimal(9));
    }

    #[test]
    fn what_is_behind_the_fragment_is_not_its_own() {
        let mut bytes = BIND.to_vec();
        bytes.extend([0; 9]);
        let layer = dissect(Input::whole(&bytes), &mut Facts::default()).unwrap();
        assert_eq!((layer.header, layer.end), (72, 72));
        let cut = dissect(Input::whole(&BIND[..40]), &mut Facts::default()).unwrap();
        assert_eq!(cut.end, 40, "the next read brings the rest");
    }

    #[test]
    fn other_data_is_not_taken_for_a_pdu() {
        for (at, value) in [(0, 4), (1, 2), (2, 20), (4, 0x20), (5, 4), (6, 1), (9, 0)] {
            let mut bytes = BIND;
            bytes[at] = value;
            if at == 9 {
                bytes[8] = 15;
            }
            assert!(!looks_like(&bytes), "byte {at}");
        }
        assert!(!looks_like(&BIND[..15]));
        assert!(looks_like(&BIND[..16]));
    }

    proptest! {
        #[test]
        fn any_body_is_survived(
            ptype in 0u8..20,
            flags: u8,
            drep in prop::sample::select(vec![0u8, 0x10]),
            frag in 16u16..400,
            auth in 0u16..60,
            body in prop::collection::vec(any::<u8>(), 0..200),
        ) {
            let mut bytes = vec![5, 0, ptype, flags, drep, 0, 0, 0];
            let short = |v: u16| if drep == 0 { v.to_be_bytes() } else { v.to_le_bytes() };
            bytes.extend(short(frag));
            bytes.extend(short(auth));
            bytes.extend([0; 4]);
            bytes.extend(body);
            let fields = testing::fields(&DISSECTOR, Input::whole(&bytes));
            line(&DISSECTOR, &bytes);
            if let Ok(h) = Header::parse(Input::whole(&bytes)) {
                prop_assert_eq!(testing::number(&fields, "PDU type"), Some(h.ptype.into()));
                prop_assert_eq!(
                    testing::number(&fields, "Fragment length"),
                    Some(h.frag_length.into())
                );
                prop_assert_eq!(testing::number(&fields, "Call ID"), Some(h.call_id.into()));
            }
        }
    }
}

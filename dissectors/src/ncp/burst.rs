//! Packet burst: reads and writes of many packets under one request (packet type 0x7777).
//!
//! Header fields are big-endian. The meaning of the flags and the layout of the commands
//! come from free implementations, not from a specification of Novell's.

use super::functions::UNKNOWN;
use super::{BY_BURST, type_code};
use crate::parse::{be16, be32, header, le16, le32};
use std::fmt;
use wirewait_wire::{
    Exchange, Fault, Fields, File, Id, Input, Kind, Operation, Parts, Role, Side, Status,
};

/// The header of a packet burst packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Burst {
    /// [`Burst::SYSTEM`] and the other flags.
    pub flags: u8,
    /// 2 for a large burst.
    pub stream: u8,
    /// The sender's number for the burst connection.
    pub source: u32,
    /// The receiver's.
    pub destination: u32,
    /// Number of the packet: a retransmitted packet has a new one, too.
    pub packet: u32,
    /// Time that the sender leaves between packets, in units of 100 µs.
    pub delay: u32,
    /// Number of the burst.
    pub sequence: u16,
    /// The burst that is expected next.
    pub ack: u16,
    /// Bytes of the whole burst.
    pub total: u32,
    /// Where in the burst this packet's data belongs, in bytes.
    pub offset: u32,
    /// Bytes of data in this packet.
    pub length: u16,
    /// How many fragments the sender of this packet lacks and lists.
    pub missing: u16,
}

impl Burst {
    /// Bytes of the header.
    pub const LENGTH: u32 = 36;
    /// Acknowledges or lists missing fragments; carries no data of the burst.
    pub const SYSTEM: u8 = 0x80;
    /// Asks for a list of missing fragments.
    pub const LIST: u8 = 0x40;
    /// The last packet of the burst.
    pub const END: u8 = 0x10;
    /// The server is busy.
    pub const BUSY: u8 = 0x08;
    /// The burst is given up.
    pub const ABORT: u8 = 0x04;

    /// Reads a header, packet type included.
    ///
    /// # Errors
    /// [`Fault::Short`].
    pub fn parse(input: Input<'_>) -> Result<Self, Fault> {
        let h: &[u8; 36] = header(input)?;
        let word = |at: usize| u16::from_be_bytes([h[at], h[at + 1]]);
        let long = |at: usize| u32::from_be_bytes([h[at], h[at + 1], h[at + 2], h[at + 3]]);
        Ok(Self {
            flags: h[2],
            stream: h[3],
            source: long(4),
            destination: long(8),
            packet: long(12),
            delay: long(16),
            sequence: word(20),
            ack: word(22),
            total: long(24),
            offset: long(28),
            length: word(32),
            missing: word(34),
        })
    }

    /// Whether the packet begins a request: a client's burst carries the number that it
    /// expects from the server next.
    #[must_use]
    pub const fn is_command(&self) -> bool {
        self.flags & Self::SYSTEM == 0 && self.offset == 0 && self.sequence == self.ack
    }

    /// What the packet means. That a burst is whole is told by its bytes alone: where a
    /// sender fills gaps, [`Burst::END`] may stand on any packet or on none.
    pub(super) fn exchange(&self, input: Input<'_>) -> Exchange {
        let ends = [self.source, self.destination];
        let [low, high] = [ends[0].min(ends[1]), ends[0].max(ends[1])].map(u128::from);
        let connection = low << 32 | high;
        let packet = |role, sender, operation, code| Exchange {
            id: Some(Id::new(
                BY_BURST,
                connection << 16 | u128::from(self.sequence),
            )),
            lane: Some(Id::new(BY_BURST, connection)),
            ..Exchange::new(role, sender, operation, code)
        };
        let length = u32::from(self.length).min(input.length.saturating_sub(Self::LENGTH));
        if self.flags & Self::SYSTEM != 0 || length == 0 {
            return packet(self.service(), Side::Unknown, &BURST, CODE);
        }
        let parts = Parts::Ranged {
            at: self.offset,
            length,
            of: self.total,
        };
        let end = self.offset.saturating_add(length);
        let behind = |head: u32| u64::from(end.saturating_sub(self.offset.max(head)));
        let data = input.skip(Self::LENGTH).bytes;
        if self.sequence != self.ack {
            return Exchange {
                parts,
                status: (self.offset == 0).then(|| status(data, length)).flatten(),
                data: behind(REPLY_HEAD),
                ..packet(Role::Response, Side::Server, &BURST, CODE)
            };
        }
        let request = |operation, code| Exchange {
            parts,
            data: behind(COMMAND_HEAD),
            ..packet(Role::Request, Side::Client, operation, code)
        };
        if !self.is_command() {
            return request(&BURST, CODE);
        }
        let command = BurstCommand::parse(data);
        let (operation, function) = match command.function {
            Some(n @ READ_FUNCTION) => (&READ, n),
            Some(n @ WRITE_FUNCTION) => (&WRITE, n),
            Some(n) => (&UNKNOWN, n),
            None => (&BURST, 0),
        };
        Exchange {
            asked: command.count.unwrap_or(0).into(),
            file: command.file(),
            ..request(operation, CODE | function & 0xffff)
        }
    }

    /// What a packet without data is for.
    const fn service(&self) -> Role {
        if self.flags & Self::SYSTEM == 0 || self.flags & Self::ABORT != 0 || self.missing > 0 {
            Role::Upkeep
        } else if self.flags & Self::BUSY != 0 {
            Role::Interim
        } else {
            Role::Ack
        }
    }
}

/// The code of a burst; that of a request has the function in its lower half.
const CODE: u32 = type_code(0x7777);
const READ_FUNCTION: u32 = 1;
const WRITE_FUNCTION: u32 = 2;
/// Bytes of a command before the data to write.
const COMMAND_HEAD: u32 = 24;
/// Bytes of a reply before the data read: the result and a count.
const REPLY_HEAD: u32 = 8;

static READ: Operation = Operation::new("PACKET BURST READ", Kind::Read, true);
static WRITE: Operation = Operation::new("PACKET BURST WRITE", Kind::Write, true);
/// Stands for whatever a packet is of that does not begin a request.
static BURST: Operation = Operation::new("PACKET BURST", Kind::Other, false);

/// The head of a request: function (little-endian), handle, 8 bytes reserved, offset and
/// count.
struct BurstCommand {
    function: Option<u32>,
    handle: Option<u32>,
    offset: Option<u32>,
    count: Option<u32>,
}

impl BurstCommand {
    /// Reads as much of it as was captured.
    fn parse(bytes: &[u8]) -> Self {
        Self {
            function: le32(bytes, 0),
            handle: be32(bytes, 4),
            offset: be32(bytes, 16),
            count: be32(bytes, 20),
        }
    }

    fn file(&self) -> Option<File> {
        Some(File {
            handle: self.handle?.into(),
            offset: self.offset.map(u64::from),
        })
    }
}

/// The result at the start of a reply, little-endian. The result of a write may have two
/// bytes only.
fn status(bytes: &[u8], length: u32) -> Option<Status> {
    let code = match length {
        0..4 => le16(bytes, 0)?.into(),
        _ => le32(bytes, 0)?,
    };
    let name = match code {
        0 => Some("ok"),
        1 => Some("initialization error"),
        2 => Some("I/O error"),
        3 => Some("no data read"),
        4 => Some("write error"),
        _ => None,
    };
    Some(Status {
        code,
        name,
        ok: code == 0,
        // Nothing to read is the end of the file.
        failure: !matches!(code, 0 | 3),
    })
}

pub(super) fn describe(input: Input<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    let Ok(burst) = Burst::parse(input) else {
        return out.write_str("packet burst, cut off");
    };
    write!(out, "burst {} ack {}", burst.sequence, burst.ack)?;
    if burst.flags & Burst::SYSTEM != 0 {
        match burst.missing {
            0 => out.write_str(" received")?,
            n => {
                write!(out, " lacks {n} fragments")?;
                for (at, length) in fragments(&burst, input).take(SHOWN_FRAGMENTS) {
                    let end = u64::from(at) + u64::from(length);
                    write!(out, " {at}-{}", end.saturating_sub(1).max(at.into()))?;
                }
                if usize::from(n) > SHOWN_FRAGMENTS {
                    out.write_str(" and more")?;
                }
            }
        }
    } else {
        write!(
            out,
            " {} bytes at {} of {}",
            burst.length, burst.offset, burst.total
        )?;
        if burst.is_command() {
            describe_command(input.skip(Burst::LENGTH).bytes, out)?;
        }
    }
    for (flag, name) in [
        (Burst::END, " end"),
        (Burst::BUSY, " busy"),
        (Burst::ABORT, " abort"),
    ] {
        if burst.flags & flag != 0 {
            out.write_str(name)?;
        }
    }
    Ok(())
}

/// How many missing fragments one line names.
const SHOWN_FRAGMENTS: usize = 4;

/// Offset and length of the fragments that a packet lists as missing, as far as captured.
fn fragments(burst: &Burst, input: Input<'_>) -> impl Iterator<Item = (u32, u16)> {
    let list = input.skip(Burst::LENGTH).bytes.chunks_exact(6);
    list.take(burst.missing.into())
        .filter_map(|entry| Some((be32(entry, 0)?, be16(entry, 4)?)))
}

fn describe_command(bytes: &[u8], out: &mut dyn fmt::Write) -> fmt::Result {
    let command = BurstCommand::parse(bytes);
    let name = match command.function {
        Some(READ_FUNCTION) => "READ",
        Some(WRITE_FUNCTION) => "WRITE",
        _ => return Ok(()),
    };
    if let (Some(handle), Some(offset), Some(count)) =
        (command.handle, command.offset, command.count)
    {
        write!(out, ", {name} h={handle:08x} off={offset} len={count}")?;
    }
    Ok(())
}

/// Describes a packet: header, list of missing fragments, and the data, of which the head of
/// a request or reply is taken apart.
pub(super) fn fields(f: &mut Fields<'_>) -> Option<()> {
    let header = Burst::parse(f.input()).ok();
    f.be16("Packet type")?;
    f.hex().means("packet burst");
    f.u8("Flags")?;
    f.hex();
    f.flag(Burst::SYSTEM.into(), "SYS", "system packet", "data packet");
    f.flag(Burst::LIST.into(), "LST", "return a fragment list", "no");
    f.flag(Burst::END.into(), "EOB", "end of the burst", "no");
    f.flag(Burst::BUSY.into(), "BSY", "server busy", "no");
    f.flag(Burst::ABORT.into(), "ABT", "given up", "no");
    if f.u8("Stream type")? == 2 {
        f.means("big send burst");
    }
    f.be32("Source connection ID")?;
    f.hex();
    f.be32("Destination connection ID")?;
    f.hex();
    f.be32("Packet sequence number")?;
    let delay = f.be32("Send delay time")?;
    f.means(format_args!(
        "{} µs between packets",
        u64::from(delay) * 100
    ));
    f.be16("Burst sequence number")?;
    f.be16("Acknowledgement sequence number")?;
    f.means("the burst expected next");
    f.be32("Burst length")?;
    f.be32("Burst offset")?;
    f.be16("Data bytes")?;
    let missing = f.be16("Missing fragments")?;
    // All of the header was there, or this line would not have been reached.
    let header = header?;
    for _ in 0..missing {
        if f.peek().is_empty() {
            break;
        }
        f.open("Missing fragment");
        let at = f.be32("Fragment offset")?;
        let length = f.be16("Fragment length")?;
        f.means(format_args!("to {}", u64::from(at) + u64::from(length)));
        f.close();
    }
    if header.flags & Burst::SYSTEM == 0 && header.offset == 0 {
        if header.is_command() {
            command(f, header.length)?;
        } else {
            result(f, header.length)?;
        }
    }
    f.rest("Data").map(|_| ())
}

/// The head of a request of `length` bytes in this packet.
fn command(f: &mut Fields<'_>, length: u16) -> Option<()> {
    if u32::from(length) < COMMAND_HEAD || f.left() < COMMAND_HEAD {
        return Some(());
    }
    f.open("Request");
    let function = f.le32("Burst function")?;
    f.means(match function {
        READ_FUNCTION => "read",
        WRITE_FUNCTION => "write",
        _ => "not known",
    });
    f.be32("File handle")?;
    f.hex();
    f.bytes(8, "Reserved")?;
    f.be32("File offset")?;
    f.be32("Bytes to transfer")?;
    f.close();
    Some(())
}

/// The head of a reply of `length` bytes in this packet. That a reply of no more than a
/// result answers a write is told by its length: one to a read has a count behind it.
fn result(f: &mut Fields<'_>, length: u16) -> Option<()> {
    let status = status(f.peek(), length.into());
    let words = status.and_then(|s| s.name).unwrap_or("not known");
    match length {
        2 | 3 => {
            f.le16("Result")?;
            f.means(words);
        }
        4.. if f.left() >= 4 => {
            f.le32("Result")?;
            f.means(words);
            if u32::from(length) >= REPLY_HEAD && f.left() >= 4 {
                f.be32("Bytes read")?;
            }
        }
        _ => {}
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::super::DISSECTOR;
    use super::*;
    use crate::testing::{self, described};
    use proptest::prelude::*;
    use wirewait_wire::Value;

    /// A request to read 65536 bytes at 4096: a burst of 24 bytes in one packet.
    const REQUEST: [u8; 60] = [
        0x77, 0x77, 0x10, 2, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 9, 0, 0, 0, 3, 0, 7, 0, 7, 0, 0, 0,
        24, 0, 0, 0, 0, 0, 24, 0, 0, //
        1, 0, 0, 0, 0xa1, 0xb2, 0xc3, 0xd4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10, 0, 0, 1, 0, 0,
    ];

    fn line(bytes: &[u8]) -> String {
        described(describe, Input::whole(bytes))
    }

    #[test]
    fn reads_the_header() {
        let burst = Burst::parse(Input::whole(&REQUEST)).unwrap();
        assert_eq!((burst.source, burst.destination), (1, 2));
        assert_eq!((burst.packet, burst.delay), (9, 3));
        assert_eq!((burst.sequence, burst.ack), (7, 7));
        assert_eq!((burst.total, burst.offset, burst.length), (24, 0, 24));
        assert_eq!((burst.stream, burst.missing), (2, 0));
        assert!(burst.is_command());
    }

    #[test]
    fn describes_commands_data_and_acknowledgements() {
        assert_eq!(
            line(&REQUEST),
            "burst 7 ack 7 24 bytes at 0 of 24, READ h=a1b2c3d4 off=4096 len=65536 end"
        );
        let mut data = REQUEST;
        data[23] = 8;
        assert_eq!(line(&data), "burst 7 ack 8 24 bytes at 0 of 24 end");
        let mut ack = REQUEST;
        ack[2] = Burst::SYSTEM | Burst::BUSY;
        assert_eq!(line(&ack), "burst 7 ack 7 received busy");
        ack[35] = 3;
        assert_eq!(
            line(&ack[..36]),
            "burst 7 ack 7 lacks 3 fragments busy",
            "the list was cut off"
        );
        assert_eq!(
            line(&lacking()),
            "burst 7 ack 7 lacks 2 fragments 1400-2099 5600-6999"
        );
    }

    fn meaning(bytes: &[u8]) -> Exchange {
        let input = Input::whole(bytes);
        Burst::parse(input).unwrap().exchange(input)
    }

    /// A packet of the server's: 12 bytes at `offset` of a reply of 20.
    fn reply(offset: u8, data: [u8; 12]) -> Vec<u8> {
        let mut bytes = REQUEST[..36].to_vec();
        bytes[4..12].copy_from_slice(&[0, 0, 0, 2, 0, 0, 0, 1]);
        (bytes[23], bytes[27], bytes[31], bytes[33]) = (8, 20, offset, 12);
        bytes.extend(data);
        bytes
    }

    #[test]
    fn a_read_is_a_request_for_bytes_of_a_file() {
        let x = meaning(&REQUEST);
        assert_eq!((x.role, x.sender), (Role::Request, Side::Client));
        assert_eq!(
            (x.operation.name, x.operation.kind),
            ("PACKET BURST READ", Kind::Read)
        );
        assert_eq!((x.asked, x.data, x.code), (65536, 0, CODE | 1));
        let file = x.file.unwrap();
        assert_eq!((file.handle, file.offset), (0xa1b2_c3d4, Some(4096)));
        let (at, length, of) = (0, 24, 24);
        assert_eq!(x.parts, Parts::Ranged { at, length, of });
        let mut unknown = REQUEST;
        unknown[36] = 9;
        let x = meaning(&unknown);
        assert_eq!((x.operation.name, x.code), ("UNKNOWN", CODE | 9));
        assert_eq!(
            meaning(&REQUEST[..36]).role,
            Role::Upkeep,
            "no data in the packet"
        );
    }

    #[test]
    fn what_a_write_brings_begins_behind_the_command() {
        let mut bytes = REQUEST.to_vec();
        (bytes[27], bytes[33], bytes[36]) = (60, 30, 2);
        bytes.extend([7; 6]);
        let x = meaning(&bytes);
        assert_eq!((x.operation.name, x.data), ("PACKET BURST WRITE", 6));
        bytes[31] = 30;
        let rest = meaning(&bytes);
        assert_eq!(
            (rest.role, rest.operation.name),
            (Role::Request, "PACKET BURST")
        );
        assert_eq!((rest.data, rest.file), (30, None));
        assert_eq!((rest.id, rest.lane), (x.id, x.lane));
    }

    #[test]
    fn a_reply_has_the_identity_of_its_request() {
        let ok = meaning(&reply(0, [0; 12]));
        assert_eq!((ok.role, ok.sender), (Role::Response, Side::Server));
        assert_eq!(
            (ok.id, ok.lane),
            (meaning(&REQUEST).id, meaning(&REQUEST).lane)
        );
        assert_eq!(ok.data, 4, "behind result and count");
        assert!(ok.status.unwrap().ok);
        let rest = meaning(&reply(8, [1; 12]));
        assert_eq!((rest.data, rest.status), (12, None));
        let none = meaning(&reply(0, [3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]))
            .status
            .unwrap();
        assert!(!none.ok && !none.failure, "the end of the file");
        let mut short = reply(0, [4, 0, 9, 9, 0, 0, 0, 0, 0, 0, 0, 0]);
        (short[27], short[33]) = (2, 2);
        let failed = meaning(&short).status.unwrap();
        assert_eq!((failed.code, failed.name), (4, Some("write error")));
        assert!(failed.failure);
    }

    #[test]
    fn system_packets_serve_a_burst() {
        let role = |flags, missing| {
            let mut bytes = REQUEST;
            (bytes[2], bytes[35]) = (flags, missing);
            let x = meaning(&bytes);
            assert_eq!((x.id, x.sender), (meaning(&REQUEST).id, Side::Unknown));
            x.role
        };
        assert_eq!(role(Burst::SYSTEM, 0), Role::Ack);
        assert_eq!(role(Burst::SYSTEM, 2), Role::Upkeep);
        assert_eq!(role(Burst::SYSTEM | Burst::BUSY, 0), Role::Interim);
        assert_eq!(role(Burst::SYSTEM | Burst::ABORT, 0), Role::Upkeep);
    }

    /// A system packet that lacks 700 bytes at 1400 and 1400 at 5600.
    fn lacking() -> Vec<u8> {
        let mut bytes = REQUEST[..36].to_vec();
        (bytes[2], bytes[33], bytes[35]) = (Burst::SYSTEM, 0, 2);
        bytes.extend([0, 0, 5, 0x78, 2, 0xbc, 0, 0, 0x15, 0xe0, 5, 0x78]);
        bytes
    }

    /// Name, number and meaning of the fields from `from` on, without the flags' bits.
    fn shown(bytes: &[u8], from: u32) -> Vec<(String, Option<u64>, String)> {
        testing::fields(&DISSECTOR, Input::whole(bytes))
            .into_iter()
            .filter(|field| field.start >= from && field.mask == 0)
            .map(|field| {
                let number = match field.value {
                    Value::Decimal(n) | Value::Hex(n) => Some(n),
                    _ => None,
                };
                (field.name.into_owned(), number, field.meaning)
            })
            .collect()
    }

    fn row(name: &str, number: u64, meaning: &str) -> (String, Option<u64>, String) {
        (name.into(), Some(number), meaning.into())
    }

    #[test]
    fn the_fields_take_a_request_apart() {
        let fields = testing::fields(&DISSECTOR, Input::whole(&REQUEST));
        assert_eq!(testing::number(&fields, "EOB"), Some(1));
        assert_eq!(testing::number(&fields, "SYS"), Some(0));
        assert_eq!(
            shown(&REQUEST, 16),
            [
                row("Send delay time", 3, "300 µs between packets"),
                row("Burst sequence number", 7, ""),
                row(
                    "Acknowledgement sequence number",
                    7,
                    "the burst expected next"
                ),
                row("Burst length", 24, ""),
                row("Burst offset", 0, ""),
                row("Data bytes", 24, ""),
                row("Missing fragments", 0, ""),
                ("Request".into(), None, String::new()),
                row("Burst function", 1, "read"),
                row("File handle", 0xa1b2_c3d4, ""),
                ("Reserved".into(), None, String::new()),
                row("File offset", 4096, ""),
                row("Bytes to transfer", 65536, ""),
            ]
        );
    }

    #[test]
    fn the_fields_list_every_missing_fragment() {
        let missing = ("Missing fragment".to_owned(), None, String::new());
        assert_eq!(
            shown(&lacking(), 36),
            [
                missing.clone(),
                row("Fragment offset", 1400, ""),
                row("Fragment length", 700, "to 2100"),
                missing,
                row("Fragment offset", 5600, ""),
                row("Fragment length", 1400, "to 7000"),
            ]
        );
    }

    #[test]
    fn the_fields_show_the_result_of_a_reply() {
        let shown = shown(&reply(0, [3, 0, 0, 0, 0, 0, 0, 4, 9, 9, 9, 9]), 36);
        assert_eq!(
            shown[..2],
            [row("Result", 3, "no data read"), row("Bytes read", 4, "")]
        );
        assert_eq!((shown[2].0.as_str(), shown.len()), ("Data", 3));
    }

    proptest! {
        #[test]
        fn fields_are_those_of_the_header(
            head in prop::array::uniform32(any::<u8>()),
            tail in prop::collection::vec(any::<u8>(), 0..60),
            flags in prop::sample::select(vec![0u8, 0x10, 0x80, 0x84, 0x88]),
            at_start: bool,
        ) {
            let mut bytes = vec![0x77, 0x77];
            bytes.extend(head);
            bytes.extend(tail);
            bytes[2] = flags;
            if at_start {
                bytes[28..32].fill(0);
            }
            let fields = testing::fields(&DISSECTOR, Input::whole(&bytes));
            if let Ok(b) = Burst::parse(Input::whole(&bytes)) {
                for (name, value) in [
                    ("Flags", b.flags.into()),
                    ("Stream type", b.stream.into()),
                    ("Source connection ID", b.source.into()),
                    ("Destination connection ID", b.destination.into()),
                    ("Packet sequence number", b.packet.into()),
                    ("Send delay time", u64::from(b.delay)),
                    ("Burst sequence number", b.sequence.into()),
                    ("Acknowledgement sequence number", b.ack.into()),
                    ("Burst length", b.total.into()),
                    ("Burst offset", b.offset.into()),
                    ("Data bytes", b.length.into()),
                    ("Missing fragments", b.missing.into()),
                ] {
                    prop_assert_eq!(testing::number(&fields, name), Some(value), "{}", name);
                }
            }
        }
    }

    #[test]
    fn every_strict_prefix_of_the_header_is_short() {
        for n in 0..36 {
            assert!(matches!(
                Burst::parse(Input::whole(&REQUEST[..n])),
                Err(Fault::Short { .. })
            ));
        }
    }
}

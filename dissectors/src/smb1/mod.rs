//! Server Message Block, version 1: from the core protocol of the PC Network Program to
//! NT LM 0.12. MS-CIFS, with the additions of MS-SMB.
//!
//! Every message has one header, which says what is asked, by whom, and whether it is the
//! answer. What makes the protocol hard to time lies beside that: several commands in one
//! message, several messages in one request or answer, answers without a header, requests
//! that are never answered, and requests of the server's own. Each of these is put into
//! the neutral words of an [`Exchange`] here; nothing else knows of them.
//!
//! A message counts as one exchange, whatever it chains. It is the first command's, by
//! name and by class of work; the others stand in [`Exchange::chain`]. Bytes and file are
//! taken from whichever of them says so.

mod andx;
mod commands;
mod describe;
mod fields;
mod names;
mod payload;
mod rap;
pub(crate) mod status;
mod transact;
mod transfer;

pub use commands::Command;

use crate::parse::{header, le16, malformed};
use crate::{browser, ipx, mailslot, nbt};
use andx::{Block, Blocks};
use transfer::Transfer;
use wirewait_wire::{
    Carries, Claim, Dissector, Effects, Exchange, Expect, Facts, Fault, Id, Input, Kind, Layer,
    Next, Part, Parts, Presence, Role, Side, Status, Verified,
};

/// Every message begins with it.
const SIGNATURE: &[u8] = b"\xffSMB";

/// The identifier of every NEGOTIATE. There is one for a connection, and an SMB2 response
/// may answer it (MS-SMB2 3.3.5.3.1).
pub(crate) const NEGOTIATE: Id = Id::new(0x11, 0);

/// Name space of requests: process and multiplex identifier.
const REQUEST: u8 = 0x10;

/// Name space of oplock breaks: the FID.
const BREAK: u8 = 0x12;

/// Name spaces of trees (shares) and sessions (users).
const TREE: u8 = 0x13;
const SESSION: u8 = 0x14;

/// The process of an oplock break, which is none's (MS-CIFS 3.3.4.2).
const NO_PID: u32 = 0xffff;
/// The MID of an oplock break (MS-CIFS 2.2.1.6.2). Some clients give it back under that number.
const NO_MID: u16 = 0xffff;

/// The header that every message has, as far as it was captured. MS-CIFS 2.2.3.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// What is asked or answered.
    pub command: Command,
    /// How it ended, as the four bytes stand in the message.
    pub status: u32,
    /// Flags.
    pub flags: u8,
    /// Flags2; 0x4000 says that `status` is an NTSTATUS, 0x8000 that strings are Unicode.
    pub flags2: u16,
    /// Tree identifier.
    pub tid: Option<u16>,
    /// Process identifier, both halves.
    pub pid: Option<u32>,
    /// User identifier.
    pub uid: Option<u16>,
    /// Multiplex identifier.
    pub mid: Option<u16>,
    /// It answers: by flag 0x80, or because only servers send such a message.
    pub response: bool,
}

impl Header {
    /// Bytes of the header.
    pub const LENGTH: u32 = 32;

    /// Reads a header, or the first 12 bytes of one and what else was captured.
    ///
    /// # Errors
    /// [`Fault::Short`] when less is there, or when the message is not as long as a header;
    /// [`Fault::Malformed`] when it does not begin like one.
    pub fn parse(input: Input<'_>) -> Result<Self, Fault> {
        let h: &[u8; 12] = header(input)?;
        if h[..4] != *SIGNATURE {
            return Err(malformed(0, "no SMB signature"));
        }
        if input.length < Self::LENGTH {
            return Err(Fault::Short {
                offset: input.length,
            });
        }
        let b = input.bytes;
        Ok(Self {
            command: Command(h[4]),
            status: u32::from_le_bytes([h[5], h[6], h[7], h[8]]),
            flags: h[9],
            flags2: u16::from_le_bytes([h[10], h[11]]),
            tid: le16(b, 24),
            pid: le16(b, 12)
                .zip(le16(b, 26))
                .map(|(high, low)| u32::from(high) << 16 | u32::from(low)),
            uid: le16(b, 28),
            mid: le16(b, 30),
            response: h[9] & 0x80 != 0 || only_servers_send(Command(h[4]), input.length),
        })
    }

    /// Whether strings are UTF-16.
    #[must_use]
    pub const fn is_unicode(&self) -> bool {
        self.flags2 & 0x8000 != 0
    }

    fn outcome(&self) -> Status {
        if self.flags2 & 0x4000 != 0 {
            status::ntstatus(self.status)
        } else {
            status::dos(self.status)
        }
    }

    /// TID and UID are no part of it: responses that assign them carry the new ones.
    fn id(&self) -> Option<Id> {
        if self.command == Command::NEGOTIATE {
            return Some(NEGOTIATE);
        }
        let (pid, mid) = self.pid.zip(self.mid)?;
        Some(Id::new(REQUEST, u128::from(pid) << 16 | u128::from(mid)))
    }

    fn tree(&self) -> Option<Id> {
        Some(Id::new(TREE, self.tid?.into()))
    }

    fn session(&self) -> Option<Id> {
        Some(Id::new(SESSION, self.uid?.into()))
    }

    /// Whether the server asks for an oplock back (MS-CIFS 2.2.4.32.1, 3.3.4.2). A client that
    /// gives one back may use that MID, too, but names its own process.
    fn is_break(&self) -> bool {
        self.command == Command::LOCKING_ANDX
            && !self.response
            && self.mid == Some(NO_MID)
            && self.pid.is_none_or(|pid| pid & 0xffff == NO_PID)
    }
}

/// Whether a message answers although flag 0x80 may be missing. Samba's go-ahead to a raw
/// write is such: it carries the flags of the request. It has one word, an error none, the
/// request at least twelve (MS-CIFS 2.2.4.25).
const fn only_servers_send(command: Command, length: u32) -> bool {
    const SHORTEST_REQUEST: u32 = Header::LENGTH + 1 + 2 * 12 + 2;
    match command {
        Command::WRITE_COMPLETE | Command::READ_MPX_SECONDARY => true,
        Command::WRITE_RAW => length < SHORTEST_REQUEST,
        _ => false,
    }
}

pub(crate) static DISSECTOR: Dissector = Dissector {
    name: "smb1",
    title: "Server Message Block 1 (CIFS), core protocol to NT LM 0.12, MS-CIFS and MS-SMB",
    aliases: &[
        "CIFS",
        "SMB",
        "LAN Manager",
        "LAN Server",
        "PATHWORKS",
        "3+Open",
        "Core protocol",
    ],
    does: "every command, transaction subfunction and LAN Manager call by name; AndX chains, \
           raw and multiplexed mode, transactions in parts, oplock breaks, cancels, file, \
           offset, bytes and status; every field of requests and responses",
    lacks: "responses of the few old servers that never set the reply flag are paired, but \
            decode shows them as requests; bytes moved through pipe transactions are not \
            counted as file data; what information levels bring back is shown as bytes, and \
            so are security blobs and security descriptors",
    verified: &[
        Verified::Specification,
        Verified::RealCaptures,
        Verified::Lab,
        Verified::Tshark,
    ],
    claims: &[
        Claim::Signature(nbt::MESSAGE, SIGNATURE),
        Claim::Signature(nbt::DATAGRAM, SIGNATURE),
        // Direct hosting: server socket 0550, client 0552 or any other.
        Claim::Signature(ipx::SOCKET, SIGNATURE),
    ],
    dissect,
    exchange: Some(exchange),
    part: Some(|input| input.length),
    head: Some(|input| payload::head(&Header::parse(input).ok()?, input)),
    unmarked: Some(unmarked),
    names: Some(names::tell),
    describe: describe::describe,
    fields: fields::fields,
    ..Dissector::PLAIN
};

fn dissect(input: Input<'_>, facts: &mut Facts) -> Result<Layer, Fault> {
    let h = Header::parse(input)?;
    facts.carries = Carries::Message;
    let (header, next) = match payload::carried(&h, input) {
        Some((at, key)) => (at, Next::one(key)),
        None => (Header::LENGTH, Next::NONE),
    };
    Ok(Layer::over(input, header, next))
}

fn exchange(input: Input<'_>) -> Result<Part, Fault> {
    let h = Header::parse(input)?;
    let length = input.length;
    // Each where it is returned: it is large.
    if h.response {
        let exchange = Some(response(&h, input));
        return Ok(Part { exchange, length });
    }
    if h.is_break() {
        let exchange = Some(oplock_break(&h, input));
        return Ok(Part { exchange, length });
    }
    let exchange = Some(request(&h, input));
    Ok(Part { exchange, length })
}

/// A response without flag 0x80.
fn unmarked(input: Input<'_>) -> Result<Part, Fault> {
    let h = Header::parse(input)?;
    Ok(Part {
        exchange: Some(response(&h, input)),
        length: input.length,
    })
}

fn request(h: &Header, input: Input<'_>) -> Exchange {
    let opening = h.command.opening();
    let role = if h.command == Command::NT_CANCEL {
        Role::Cancel
    } else if opening != h.command {
        Role::More
    } else {
        Role::Request
    };
    let mut x = Exchange::new(role, Side::Client, opening.operation(), opening.code(None));
    (x.id, x.command) = (h.id(), Some(opening.0));
    // The sequence number of connectionless transports, 0 in what may be repeated freely
    // (MS-CIFS 2.2.3.1).
    x.number = le16(input.bytes, 20).filter(|number| *number != 0);
    (x.tree, x.session) = (h.tree(), h.session());
    if role == Role::Cancel {
        x.expect = Expect::Nothing;
        return x;
    }
    if h.flags2 & PAGING_IO != 0 {
        x.effects = x.effects.with(Effects::PAGES);
    }
    let mut opened = false;
    for (n, block) in Blocks::new(h, input).enumerate() {
        let moved = transfer::request(&block);
        x.names |= names::has_some(&block);
        x.effects = x.effects.with(block.command.effects());
        x.asked = x.asked.saturating_add(moved.asked);
        x.data = x.data.saturating_add(moved.data);
        // Behind an open in a chain a FID means nothing: the server puts the new one there.
        opened |= block.command.operation().kind == Kind::Open;
        if !opened {
            x.file = x.file.or(moved.file());
        }
        if transfer::closes(block.command) && !opened {
            x.answers = moved.fid.map(break_id).or(x.answers);
        }
        if block.command == Command::LOCKING_ANDX {
            locking(&mut x, &block);
        }
        if n == 0 {
            first_block(&mut x, &block);
        } else {
            x.chain.push(block.command.operation());
            if x.role == Role::Notice {
                // What is chained to it is answered after all.
                x.role = Role::Request;
                x.expect = Expect::Response;
            }
        }
    }
    if x.role == Role::Notice {
        x.presence = presence(h, input);
    }
    if x.data > 0 && payload::is_call(h, input) {
        x.effects = x.effects.with(Effects::REMOTE_CALL);
    }
    x
}

/// What a message to the mailslot of browsers announces.
fn presence(h: &Header, input: Input<'_>) -> Option<Presence> {
    let (at, key) = payload::carried(h, input)?;
    let message = input.bytes.get(at as usize..)?;
    (key == mailslot::BROWSE).then(|| browser::presence(message))?
}

/// What only the command that names the exchange decides.
fn first_block(x: &mut Exchange, b: &Block<'_>) {
    match b.command {
        Command::READ_RAW => x.expect = Expect::Headerless,
        Command::WRITE_RAW => x.expect = write_raw(x, b),
        Command::ECHO => {
            x.expect = match b.u16(0) {
                Some(0) => Expect::Nothing,
                Some(times) => Expect::Times(times),
                None => Expect::Response,
            }
        }
        Command::WRITE_MPX => {
            // Only the last part carries a sequence number, and only it is answered
            // (MS-CIFS 2.2.4.26.1).
            let sequence = le16(b.message.bytes, 20);
            if let Some((mask, sequence)) = b.u32(16).zip(sequence) {
                let last = sequence != 0;
                x.parts = Parts::Masked { mask, last };
            }
        }
        Command::LOCKING_ANDX => {
            let ranges = [b.u16(12), b.u16(14)];
            if x.answers.is_some() && ranges == [Some(0), Some(0)] {
                // Gives an oplock back and asks for nothing: never answered.
                x.role = Role::Notice;
                x.expect = Expect::Nothing;
            }
        }
        command if transact::is_transaction(command) => {
            let asked = transact::request(b);
            x.operation = asked.operation;
            x.code = asked.code;
            x.parts = transact::request_parts(b);
            if x.code == Command::TRANSACTION2.code(Some(1)) {
                x.effects = x.effects.with(Effects::SEARCHES);
            }
            x.file = Transfer::of(asked.fid).file();
            if asked.mailslot {
                x.role = Role::Notice;
            }
            if asked.mailslot || asked.one_way {
                x.expect = Expect::Nothing;
            }
        }
        _ => x.parts = transact::request_parts(b),
    }
}

/// Bytes before data that make it begin at a multiple of four.
const MOST_PADDING: u32 = 3;

/// The bytes that come without a header once the server says go; in write-through mode it
/// answers again when they are written (MS-CIFS 2.2.4.25).
fn write_raw(x: &Exchange, b: &Block<'_>) -> Expect {
    let Some(total) = b.u16(2) else {
        // Cut off: what will come is not known, so the go-ahead has to do as the answer.
        return Expect::GoAhead {
            rest: 0,
            confirmed: Some(false),
        };
    };
    // Cut off behind that, as many as the message has, but for padding.
    let cut = || b.cut_bytes().saturating_sub(MOST_PADDING);
    let here = b.u16(20).map_or_else(cut, u32::from);
    match u32::from(total).checked_sub(here) {
        Some(rest) if rest > 0 => Expect::GoAhead {
            rest,
            confirmed: b.u16(14).map(|mode| mode & 1 != 0),
        },
        _ => x.expect,
    }
}

/// A lock that may be waited for, an oplock given back (MS-CIFS 2.2.4.32.1).
fn locking(x: &mut Exchange, b: &Block<'_>) {
    x.may_wait |= b.u32(8).is_some_and(|timeout| timeout != 0) && b.u16(14) != Some(0);
    if b.u8(6).is_some_and(|kind| kind & 2 != 0) {
        x.answers = b.u16(4).map(break_id);
    }
}

fn oplock_break(h: &Header, input: Input<'_>) -> Exchange {
    let mut x = Exchange::new(
        Role::Request,
        Side::Server,
        &commands::OPLOCK_BREAK,
        h.command.code(Some(2)),
    );
    if let Some(block) = Blocks::new(h, input).next() {
        let concerned = transfer::request(&block);
        x.id = concerned.fid.map(break_id);
        x.file = concerned.file();
    }
    x
}

fn response(h: &Header, input: Input<'_>) -> Exchange {
    let opening = h.command.opening();
    let mut x = Exchange::new(
        Role::Response,
        Side::Server,
        opening.operation(),
        opening.code(None),
    );
    (x.id, x.command) = (h.id(), Some(opening.0));
    (x.tree, x.session) = (h.tree(), h.session());
    let status = h.outcome();
    x.status = Some(status);
    for (n, block) in Blocks::new(h, input).enumerate() {
        let moved = transfer::response(&block);
        x.data = x.data.saturating_add(moved.data);
        x.file = x.file.or(moved.file());
        if transfer::opens_pipe(&block) {
            x.effects = x.effects.with(Effects::PIPES);
        }
        if n > 0 {
            x.chain.push(block.command.operation());
        }
        if block.command == Command::NEGOTIATE {
            x.choice = block.u16(0).filter(|choice| *choice != 0xffff);
            x.buffer = largest(&block);
        }
        match block_parts(&block, moved.data) {
            Parts::Whole => {}
            parts => x.parts = parts,
        }
        if n == 0 && is_interim(&block, &status) {
            x.role = Role::Interim;
        }
    }
    x
}

/// MaxBufferSize: behind the security mode of two bytes in LAN Manager's answer, behind one of
/// one byte and the numbers of requests and circuits in NT's (MS-CIFS 2.2.4.52.2). The core
/// protocol has none.
fn largest(b: &Block<'_>) -> Option<u32> {
    match b.word_count? {
        13 => b.u16(4).map(u32::from),
        17 => b.u32(7),
        _ => None,
    }
}

/// Whether a response only says that the answer will follow, or that the request may go on.
fn is_interim(b: &Block<'_>, status: &Status) -> bool {
    if status.code == status::WORKING {
        return true;
    }
    // A transaction's answer always has words; a go-ahead has none (MS-CIFS 3.2.5.1.4).
    let go_ahead = match b.command {
        Command::WRITE_RAW => true,
        command => transact::is_transaction(command) && b.word_count == Some(0),
    };
    go_ahead && status.code == 0
}

fn block_parts(b: &Block<'_>, data: u64) -> Parts {
    match b.command {
        Command::READ_MPX | Command::READ_MPX_SECONDARY => match b.u16(4) {
            // Complete when the lowest count is reached (MS-CIFS 3.2.5.18).
            Some(count) => Parts::Counted {
                got: [u32::try_from(data).unwrap_or(u32::MAX), 0],
                of: [count.into(), 0],
            },
            None => Parts::Whole,
        },
        Command::WRITE_MPX => match b.u32(0) {
            Some(mask) => Parts::Masked { mask, last: true },
            None => Parts::Whole,
        },
        _ => transact::response_parts(b),
    }
}

/// Flags2: reads that a page fault caused (MS-CIFS 2.2.3.1).
const PAGING_IO: u16 = 0x2000;

fn break_id(fid: u16) -> Id {
    Id::new(BREAK, fid.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::described;
    use proptest::prelude::*;

    /// A message: tree 1, process 0x4C1, user 0x64, multiplex identifier 0x17.
    pub(super) fn message(command: u8, flags: u8, words: &[u8], bytes: &[u8]) -> Vec<u8> {
        let mut m = b"\xffSMB".to_vec();
        m.push(command);
        m.extend([0; 4]);
        m.extend([flags, 0, 0]);
        m.extend([0; 12]);
        for id in [1u16, 0x4c1, 0x64, 0x17] {
            m.extend(id.to_le_bytes());
        }
        m.push(u8::try_from(words.len() / 2).unwrap());
        m.extend(words);
        m.extend(u16::try_from(bytes.len() & 0xffff).unwrap().to_le_bytes());
        m.extend(bytes);
        m
    }

    /// Words from 16-bit values.
    pub(super) fn words<const N: usize>(values: [u16; N]) -> Vec<u8> {
        values.iter().flat_map(|v| v.to_le_bytes()).collect()
    }

    /// The message with this status and these flags2 in its header.
    pub(super) fn with_status(mut m: Vec<u8>, status: u32, flags2: u16) -> Vec<u8> {
        m[5..9].copy_from_slice(&status.to_le_bytes());
        m[10..12].copy_from_slice(&flags2.to_le_bytes());
        m
    }

    pub(super) fn meaning(m: &[u8]) -> Exchange {
        let part = exchange(Input::whole(m)).unwrap();
        assert_eq!(part.length as usize, m.len());
        part.exchange.unwrap()
    }

    const REPLY: u8 = 0x80;

    #[test]
    fn a_header_is_read_as_far_as_it_was_captured() {
        let m = message(0x04, 0, &[7, 0, 0, 0, 0, 0], &[]);
        for n in 0..32 {
            assert!(
                matches!(
                    dissect(Input::whole(&m[..n]), &mut Facts::default()),
                    Err(Fault::Short { .. })
                ),
                "{n} bytes are no message"
            );
            let cut = Input {
                bytes: &m[..n],
                length: 41,
            };
            match exchange(cut) {
                Ok(part) => {
                    assert!(n >= 12);
                    let x = part.exchange.unwrap();
                    assert_eq!((x.operation.name, x.id), ("CLOSE", None), "{n}");
                }
                Err(fault) => {
                    assert!(n < 12);
                    assert!(matches!(fault, Fault::Short { .. }), "{n}");
                }
            }
        }
        let x = meaning(&m);
        assert_eq!(x.id, Some(Id::new(REQUEST, 0x4c1_0017)));
        assert_eq!((x.role, x.sender), (Role::Request, Side::Client));
        let mut facts = Facts::default();
        let layer = dissect(Input::whole(&m), &mut facts).unwrap();
        assert_eq!((layer.header, layer.end), (32, 41));
        assert_eq!(facts.carries, Carries::Message);
    }

    #[test]
    fn other_signatures_are_malformed() {
        let mut m = message(0x04, 0, &[], &[]);
        m[0] = 0xfe;
        assert!(matches!(
            exchange(Input::whole(&m)),
            Err(Fault::Malformed { offset: 0, .. })
        ));
    }

    #[test]
    fn every_carrier_hands_over_by_signature() {
        let registry = crate::registry();
        let server = Next::two(ipx::SOCKET.key(0x0550), ipx::SOCKET.key(0x0552));
        let dynamic = Next::two(ipx::SOCKET.key(0x4003), ipx::SOCKET.key(0x4007));
        for next in [
            server,
            dynamic,
            Next::one(nbt::MESSAGE.any()),
            Next::one(nbt::DATAGRAM.any()),
        ] {
            let found = registry.resolve(&next, SIGNATURE).unwrap();
            assert_eq!(registry.dissector(found).name, "smb1");
        }
    }

    #[test]
    fn identifiers_are_process_and_multiplex_only() {
        let request = message(0x75, 0, &words([0xff, 0, 0, 0]), &[]);
        let mut reply = message(0x75, REPLY, &words([0xff, 0, 0]), &[]);
        reply[24] = 9; // the new tree
        reply[28] = 9; // and another user
        assert_eq!(meaning(&request).id, meaning(&reply).id);
        let mut other = request.clone();
        other[12] = 1; // PIDHigh
        assert_ne!(meaning(&request).id, meaning(&other).id);
    }

    #[test]
    fn a_negotiation_is_known_without_identifiers() {
        let request = message(0x72, 0, &[], b"\x02NT LM 0.12\0");
        assert_eq!(meaning(&request).id, Some(NEGOTIATE));
        let cut = Input {
            bytes: &message(0x72, REPLY, &words([0; 17]), &[])[..26],
            length: 69,
        };
        let x = exchange(cut).unwrap().exchange.unwrap();
        assert_eq!((x.id, x.role), (Some(NEGOTIATE), Role::Response));
    }

    #[test]
    fn a_chain_is_one_exchange() {
        // OPEN_ANDX at 32 to 67, then READ_ANDX.
        let mut open = words([0; 15]);
        open[..4].copy_from_slice(&[0x2e, 0, 67, 0]);
        let mut request = message(0x2d, 0, &open, b"A\0");
        request.push(10);
        request.extend(words([0xff, 0, 0, 0x200, 0, 512, 0, 0, 0, 0]));
        request.extend([0, 0]);
        let x = meaning(&request);
        assert_eq!((x.operation.name, x.asked), ("OPEN_ANDX", 512));
        assert_eq!(x.file, None, "the FID in the read is not known yet");
        let chained: Vec<_> = x.chain.iter().map(|o| o.name).collect();
        assert_eq!(chained, ["READ_ANDX"]);

        let mut opened = words([0; 15]);
        opened[..6].copy_from_slice(&[0x2e, 0, 65, 0, 7, 0]);
        let mut reply = message(0x2d, REPLY, &opened, &[]);
        reply.push(12);
        reply.extend(words([0xff, 0, 0, 0, 0, 3, 92, 0, 0, 0, 0, 0]));
        reply.extend([3, 0, 9, 9, 9]);
        let x = meaning(&reply);
        assert_eq!((x.file.unwrap().handle, x.data), (7, 3));
        assert_eq!(x.chain.iter().count(), 1);
    }

    #[test]
    fn raw_reads_are_answered_without_a_header() {
        let x = meaning(&message(0x1a, 0, &words([7, 0, 0, 30720, 0, 0, 0, 0]), &[]));
        assert_eq!((x.expect, x.asked), (Expect::Headerless, 30720));
    }

    #[test]
    fn raw_writes_wait_for_a_go_ahead() {
        let write = |total, mode, here| {
            let w = words([7, total, 0, 0, 0, 0, 0, mode, 0, 0, here, 59]);
            meaning(&message(0x1d, 0, &w, &vec![0; here.into()]))
        };
        let x = write(4096, 1, 0);
        assert_eq!(
            x.expect,
            Expect::GoAhead {
                rest: 4096,
                confirmed: Some(true)
            }
        );
        assert_eq!((x.asked, x.data), (4096, 0));
        let x = write(4096, 0, 1000);
        assert_eq!(
            x.expect,
            Expect::GoAhead {
                rest: 3096,
                confirmed: Some(false)
            }
        );
        assert_eq!(write(1000, 0, 1000).expect, Expect::Response);

        let go_ahead = message(0x1d, REPLY, &words([0xffff]), &[]);
        assert_eq!(meaning(&go_ahead).role, Role::Interim);
        let of_samba = message(0x1d, 0, &words([0xffff]), &[]);
        let x = meaning(&of_samba);
        assert_eq!((x.role, x.sender), (Role::Interim, Side::Server));
        assert_eq!(x.id, meaning(&go_ahead).id);
        let cut = Input {
            bytes: &of_samba[..26],
            length: 37,
        };
        let x = exchange(cut).unwrap().exchange.unwrap();
        assert_eq!((x.role, x.id), (Role::Interim, None));

        let refused = with_status(message(0x1d, REPLY, &[], &[]), 0x00fb_0002, 0);
        let x = meaning(&refused);
        assert_eq!(x.role, Role::Response);
        assert!(!x.status.unwrap().ok && !x.status.unwrap().failure);
        let complete = meaning(&message(0x20, REPLY, &words([4096]), &[]));
        assert_eq!((complete.role, complete.data), (Role::Response, 4096));
        assert_eq!(
            complete.operation.name, "WRITE_RAW",
            "so that it is found by order when identifiers are cut off"
        );
    }

    #[test]
    fn echoes_are_answered_as_often_as_asked() {
        let echo = |n| meaning(&message(0x2b, 0, &words([n]), b"x")).expect;
        assert_eq!(echo(3), Expect::Times(3));
        assert_eq!(echo(0), Expect::Nothing);
    }

    #[test]
    fn multiplexed_mode_is_counted_and_masked() {
        let w = words([0x200, 0, 4096, 0xffff, 0, 0, 512, 59]);
        let x = meaning(&message(0x1b, REPLY, &w, &[0; 512]));
        assert_eq!(
            x.parts,
            Parts::Counted {
                got: [512, 0],
                of: [4096, 0]
            }
        );
        let w = words([7, 1024, 0, 0, 0, 0, 0, 0x80, 2, 0, 512, 59]);
        let mut m = message(0x1e, 0, &w, &[0; 512]);
        let masked = |m: &[u8]| meaning(m).parts;
        assert_eq!(
            masked(&m),
            Parts::Masked {
                mask: 2,
                last: false
            }
        );
        m[20] = 5; // the sequence number of the last part
        assert_eq!(
            masked(&m),
            Parts::Masked {
                mask: 2,
                last: true
            }
        );
        let reply = message(0x1e, REPLY, &words([3, 0]), &[]);
        assert_eq!(
            masked(&reply),
            Parts::Masked {
                mask: 3,
                last: true
            }
        );
        let refused = with_status(message(0x1e, REPLY, &[], &[]), 0x00fb_0002, 0);
        assert_eq!(masked(&refused), Parts::Whole);
    }

    #[test]
    fn a_cancel_names_what_it_cancels() {
        let x = meaning(&message(0xa4, 0, &[], &[]));
        assert_eq!((x.role, x.expect), (Role::Cancel, Expect::Nothing));
        assert_eq!(x.id, Some(Id::new(REQUEST, 0x4c1_0017)));
    }

    /// LOCKING_ANDX for FID 7: type, time-out, unlocks, locks.
    fn locking_andx(kind: u16, timeout: u16, unlocks: u16, locks: u16) -> Vec<u8> {
        let w = words([0xff, 0, 7, kind, timeout, 0, unlocks, locks]);
        message(0x24, 0, &w, &[])
    }

    #[test]
    fn an_oplock_break_is_the_servers_request() {
        let mut m = locking_andx(2, 0, 0, 0);
        m[26..28].fill(0xff);
        m[30..32].fill(0xff);
        let x = meaning(&m);
        assert_eq!((x.role, x.sender), (Role::Request, Side::Server));
        assert_eq!(
            (x.operation.name, x.id),
            ("OPLOCK_BREAK", Some(break_id(7)))
        );

        // As a real client gives one back.
        m[26..28].copy_from_slice(&0xfeff_u16.to_le_bytes());
        let back = meaning(&m);
        assert_eq!((back.role, back.sender), (Role::Notice, Side::Client));
        assert_eq!(back.answers, x.id);

        let acknowledged = meaning(&locking_andx(2, 0, 0, 0));
        assert_eq!(acknowledged.role, Role::Notice, "never answered");
        assert_eq!(acknowledged.answers, x.id);
        let with_lock = meaning(&locking_andx(2, 0, 0, 1));
        assert_eq!((with_lock.role, with_lock.answers), (Role::Request, x.id));
        let closed = meaning(&message(0x04, 0, &words([7, 0, 0]), &[]));
        assert_eq!((closed.role, closed.answers), (Role::Request, x.id));

        let mut chained = locking_andx(2, 0, 0, 0);
        chained[33..37].copy_from_slice(&[0x04, 0, 51, 0]);
        chained.push(3);
        chained.extend(words([7, 0, 0]));
        chained.extend([0, 0]);
        let x = meaning(&chained);
        assert_eq!((x.role, x.expect), (Role::Request, Expect::Response));
    }

    #[test]
    fn only_locks_with_a_time_out_may_wait() {
        assert!(meaning(&locking_andx(0, 500, 0, 1)).may_wait);
        assert!(!meaning(&locking_andx(0, 0, 0, 1)).may_wait);
        assert!(!meaning(&locking_andx(0, 500, 1, 0)).may_wait, "unlocks");
        assert_eq!(meaning(&locking_andx(0, 0, 1, 1)).answers, None);
    }

    #[test]
    fn a_server_that_is_still_working_answers_later() {
        let busy = with_status(message(0x04, REPLY, &[], &[]), 0x0011_0002, 0);
        assert_eq!(meaning(&busy).role, Role::Interim);
    }

    #[test]
    fn another_round_of_a_logon_is_an_answer() {
        let more = with_status(
            message(0x73, REPLY, &words([0xff, 0, 0, 0]), &[]),
            0xc000_0016,
            0x4000,
        );
        let x = meaning(&more);
        let status = x.status.unwrap();
        assert_eq!(x.role, Role::Response);
        assert_eq!(status.name, Some("STATUS_MORE_PROCESSING_REQUIRED"));
        assert!(!status.failure);
    }

    #[test]
    fn unknown_commands_keep_their_code() {
        let x = meaning(&message(0x62, 0, &[], &[]));
        assert_eq!((x.operation.name, x.code), ("UNKNOWN", 0x62));
    }

    /// Whatever comes, everything answers, and what it says stays within the message.
    fn survives(bytes: &[u8], length: u32) {
        let input = Input { bytes, length };
        let _ = dissect(input, &mut Facts::default());
        if let Ok(part) = exchange(input) {
            let x = part.exchange.unwrap();
            assert!(x.sender == Side::Client || x.expect == Expect::Response);
            assert_eq!(part.length, length);
        }
        assert_eq!(DISSECTOR.part.map(|part| part(input)), Some(length));
        let line = described(describe::describe, input);
        assert!(!line.contains(|c: char| c.is_control()), "{line:?}");
        assert!(line.len() < 8000, "{}", line.len());
    }

    proptest! {
        #[test]
        fn any_words_and_bytes_are_survived(
            command: u8,
            reply: bool,
            flags2: u16,
            tail in prop::collection::vec(any::<u8>(), 0..300),
            more in 0u32..100_000,
        ) {
            let mut m = message(command, if reply { REPLY } else { 0 }, &[], &[]);
            m.truncate(32);
            m[10..12].copy_from_slice(&flags2.to_le_bytes());
            m.extend(tail);
            let length = u32::try_from(m.len()).unwrap();
            survives(&m, length);
            survives(&m, length + more);
        }

        #[test]
        fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
            survives(&bytes, u32::try_from(bytes.len()).unwrap());
        }

        #[test]
        fn any_cut_of_a_chain_is_survived(cut in 0usize..110, andx in 0u16..120, command: u8) {
            let mut open = words([0; 15]);
            open[0] = command;
            open[2..4].copy_from_slice(&andx.to_le_bytes());
            let m = message(0x2d, 0, &open, &[b'A'; 45]);
            survives(&m[..cut], 110);
        }
    }
}

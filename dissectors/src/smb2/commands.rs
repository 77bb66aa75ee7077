//! What the commands of [MS-SMB2] mean for pairing and statistics (sections 2.2.3 to 2.2.44).
//!
//! An [`Exchange`]'s `code` is the Command of the header; for an IOCTL of which the body is
//! at hand it is the control code, which is always larger than any command.

use super::{ASYNC, Header, RELATED, RESPONSE, breaks, leases, names, payload};
use crate::parse::{le16, le32, le64};
use crate::smb1;
use crate::smb1::status::ntstatus;
use wirewait_wire::{Effects, Exchange, File, Id, Input, Kind, Operation, Role, Side, Status};

/// Command codes (2.2.1.2).
pub(super) mod command {
    pub(crate) const NEGOTIATE: u16 = 0x00;
    pub(crate) const SESSION_SETUP: u16 = 0x01;
    pub(crate) const LOGOFF: u16 = 0x02;
    pub(crate) const TREE_CONNECT: u16 = 0x03;
    pub(crate) const TREE_DISCONNECT: u16 = 0x04;
    pub(crate) const CREATE: u16 = 0x05;
    pub(crate) const CLOSE: u16 = 0x06;
    pub(crate) const FLUSH: u16 = 0x07;
    pub(crate) const READ: u16 = 0x08;
    pub(crate) const WRITE: u16 = 0x09;
    pub(crate) const LOCK: u16 = 0x0a;
    pub(crate) const IOCTL: u16 = 0x0b;
    pub(crate) const CANCEL: u16 = 0x0c;
    pub(crate) const ECHO: u16 = 0x0d;
    pub(crate) const QUERY_DIRECTORY: u16 = 0x0e;
    pub(crate) const CHANGE_NOTIFY: u16 = 0x0f;
    pub(crate) const QUERY_INFO: u16 = 0x10;
    pub(crate) const SET_INFO: u16 = 0x11;
    pub(crate) const OPLOCK_BREAK: u16 = 0x12;
    pub(crate) const NOTIFICATION: u16 = 0x13;
}

/// Where a body begins: its StructureSize tells its forms apart.
pub(super) const BODY: usize = 64;

/// The handle that stands for "the file of the part before" in a related compound part.
pub(super) const PREVIOUS_FILE: u128 = File::PREVIOUS;

/// Lock flags (2.2.26.1).
pub(super) mod lock {
    pub(crate) const SHARED: u32 = 0x01;
    pub(crate) const EXCLUSIVE: u32 = 0x02;
    pub(crate) const FAIL_IMMEDIATELY: u32 = 0x10;
}

/// The commands, by code.
pub(super) static COMMANDS: [Operation; 0x14] = [
    Operation::new("NEGOTIATE", Kind::Session, true),
    Operation::new("SESSION_SETUP", Kind::Session, false),
    Operation::new("LOGOFF", Kind::Session, false),
    Operation::new("TREE_CONNECT", Kind::Session, false),
    Operation::new("TREE_DISCONNECT", Kind::Session, false),
    Operation::new("CREATE", Kind::Open, false),
    Operation::new("CLOSE", Kind::Close, false),
    Operation::new("FLUSH", Kind::Other, true),
    Operation::new("READ", Kind::Read, true),
    Operation::new("WRITE", Kind::Write, true),
    Operation::new("LOCK", Kind::Lock, false),
    Operation::new("IOCTL", Kind::Other, false),
    Operation::new("CANCEL", Kind::Other, true),
    Operation::new("ECHO", Kind::Other, true),
    Operation::new("QUERY_DIRECTORY", Kind::Directory, false),
    Operation::new("CHANGE_NOTIFY", Kind::Wait, false),
    Operation::new("QUERY_INFO", Kind::Directory, true),
    Operation::new("SET_INFO", Kind::Directory, true),
    Operation::new("OPLOCK_BREAK", Kind::Break, false),
    Operation::new("SERVER_TO_CLIENT_NOTIFICATION", Kind::Other, false),
];
static UNKNOWN: Operation = Operation::new("UNKNOWN", Kind::Other, false);

/// Changes of names (file information classes of [MS-FSCC] section 2.4).
static SET_INFO_RENAME: Operation = Operation::new("SET_INFO_RENAME", Kind::Directory, false);
static SET_INFO_LINK: Operation = Operation::new("SET_INFO_LINK", Kind::Directory, false);
static SET_INFO_DISPOSITION: Operation =
    Operation::new("SET_INFO_DISPOSITION", Kind::Directory, true);

/// Control codes with a meaning of their own in SMB 2 (2.2.31).
static CONTROLS: [(u32, Operation); 13] = [
    (
        0x0011_c017,
        Operation::new("IOCTL_PIPE_TRANSCEIVE", Kind::Transaction, false),
    ),
    (
        0x0011_0018,
        Operation::new("IOCTL_PIPE_WAIT", Kind::Wait, true),
    ),
    (
        0x0011_400c,
        Operation::new("IOCTL_PIPE_PEEK", Kind::Transaction, true),
    ),
    (
        DFS_GET_REFERRALS,
        Operation::new("IOCTL_DFS_GET_REFERRALS", Kind::Directory, true),
    ),
    (
        DFS_GET_REFERRALS_EX,
        Operation::new("IOCTL_DFS_GET_REFERRALS_EX", Kind::Directory, true),
    ),
    // The server copies by itself: work without payload on the wire.
    (
        0x0014_40f2,
        Operation::new("IOCTL_SRV_COPYCHUNK", Kind::Transaction, true),
    ),
    (
        0x0014_80f2,
        Operation::new("IOCTL_SRV_COPYCHUNK_WRITE", Kind::Transaction, true),
    ),
    (
        0x0014_0078,
        Operation::new("IOCTL_SRV_REQUEST_RESUME_KEY", Kind::Other, true),
    ),
    (
        0x0014_4064,
        Operation::new("IOCTL_SRV_ENUMERATE_SNAPSHOTS", Kind::Directory, true),
    ),
    (
        0x0014_41bb,
        Operation::new("IOCTL_SRV_READ_HASH", Kind::Other, true),
    ),
    (
        0x0014_01d4,
        Operation::new("IOCTL_LMR_REQUEST_RESILIENCY", Kind::Other, true),
    ),
    (
        0x0014_01fc,
        Operation::new("IOCTL_QUERY_NETWORK_INTERFACE_INFO", Kind::Session, true),
    ),
    (
        0x0014_0204,
        Operation::new("IOCTL_VALIDATE_NEGOTIATE_INFO", Kind::Session, true),
    ),
];
const DFS_GET_REFERRALS: u32 = 0x0006_0194;
const DFS_GET_REFERRALS_EX: u32 = 0x0006_01b0;

/// The specification's name of a command.
pub(super) fn name(command: u16) -> Option<&'static str> {
    Some(COMMANDS.get(usize::from(command))?.name)
}

/// Name spaces of the identifiers.
pub(super) mod space {
    pub(in super::super) const MESSAGE: u8 = 1;
    pub(in super::super) const ASYNC: u8 = 2;
    pub(in super::super) const OPLOCK: u8 = 3;
    pub(in super::super) const LEASE: u8 = 4;
    pub(in super::super) const SESSION: u8 = 5;
    pub(in super::super) const TREE: u8 = 6;
    /// The last two bytes of a MessageId.
    pub(in super::super) const MESSAGE_CUT: u8 = 7;
    /// The break of a connection of which the capture has no more.
    pub(in super::super) const BREAK_CUT: u8 = 8;
}

/// What the part means. Fields behind the bytes at hand are left out.
pub(super) fn exchange(h: &Header, part: Input<'_>) -> Exchange {
    let mut ex = read(h, part);
    ex.session = h
        .session
        .map(|session| Id::new(space::SESSION, session.into()));
    // Trees are numbered within their session (2.2.1.2, "TreeId").
    ex.tree = h
        .session
        .zip(h.tree)
        .map(|(session, tree)| Id::new(space::TREE, u128::from(session) << 32 | u128::from(tree)));
    ex.names = names::has_some(h);
    ex.effects = ex.effects.with(effects(h.command));
    ex
}

/// What a command does to what the server keeps. A search ends with its handle.
const fn effects(code: u16) -> Effects {
    match code {
        command::NEGOTIATE => Effects::NEGOTIATES,
        command::SESSION_SETUP => Effects::LOGS_ON,
        command::LOGOFF => Effects::LOGS_OFF,
        command::TREE_CONNECT => Effects::ATTACHES,
        command::TREE_DISCONNECT => Effects::DETACHES,
        command::ECHO => Effects::PROBES,
        _ => Effects::NONE,
    }
}

fn read(h: &Header, part: Input<'_>) -> Exchange {
    if !h.has(RESPONSE) {
        return request(h, part);
    }
    match h.command {
        command::OPLOCK_BREAK if message_id(h, part.bytes).is_some_and(is_unsolicited) => {
            breaks::notified(part)
        }
        command::NOTIFICATION => plain(h, Role::Notice),
        _ => response(h, part),
    }
}

/// The file that the body names at this place. All ones stand for the file of the part
/// before in a related part, and for no file at all elsewhere (an IOCTL on a tree).
pub(super) fn file(h: &Header, bytes: &[u8], at: usize, offset: Option<u64>) -> Option<File> {
    let handle = le128(bytes, at)?;
    (handle != PREVIOUS_FILE || h.has(RELATED)).then_some(File { handle, offset })
}

/// A 16-byte identifier (FileId, lease key).
pub(super) fn le128(bytes: &[u8], at: usize) -> Option<u128> {
    let low = le64(bytes, at)?;
    let high = le64(bytes, at.checked_add(8)?)?;
    Some(u128::from(high) << 64 | u128::from(low))
}

/// Where the FileId of a request stands.
pub(super) const fn file_at(code: u16) -> Option<usize> {
    match code {
        command::CLOSE
        | command::FLUSH
        | command::LOCK
        | command::IOCTL
        | command::QUERY_DIRECTORY
        | command::CHANGE_NOTIFY
        | command::OPLOCK_BREAK => Some(72),
        command::READ | command::WRITE | command::SET_INFO => Some(80),
        command::QUERY_INFO => Some(88),
        _ => None,
    }
}

/// How a response ended.
pub(super) fn status(h: &Header) -> Status {
    const FILE_CLOSED: u32 = 0xc000_0128;
    const FS_DRIVER_REQUIRED: u32 = 0xc000_019c;
    let mut status = ntstatus(h.status);
    let expected = match h.status {
        // The file of the part before was never opened: that part has failed, not this one.
        FILE_CLOSED => h.has(RELATED),
        // A referral was asked of a server that has no DFS.
        FS_DRIVER_REQUIRED => h.command == command::IOCTL,
        _ => false,
    };
    status.failure &= !expected;
    status
}

fn plain(h: &Header, role: Role) -> Exchange {
    let sender = if h.has(RESPONSE) {
        Side::Server
    } else {
        Side::Client
    };
    let operation = COMMANDS.get(usize::from(h.command)).unwrap_or(&UNKNOWN);
    Exchange::new(role, sender, operation, h.command.into())
}

fn request(h: &Header, part: Input<'_>) -> Exchange {
    let bytes = part.bytes;
    let mut ex = plain(h, Role::Request);
    ex.id = message_id(h, bytes);
    ex.file = file_at(h.command).and_then(|at| file(h, bytes, at, None));
    match h.command {
        command::CANCEL => cancel(h, &mut ex),
        // SMB2_SESSION_FLAG_BINDING (2.2.5).
        command::SESSION_SETUP if bytes.get(BODY + 2).is_some_and(|flags| flags & 1 != 0) => {
            ex.effects = Effects::BINDS;
        }
        command::CLOSE => ex.answers = ex.file.map(|f| folded(space::OPLOCK, f.handle)),
        command::READ => {
            ex.asked = le32(bytes, 68).unwrap_or_default().into();
            ex.file = file(h, bytes, 80, le64(bytes, 72));
        }
        command::WRITE => {
            // What was cut off is the data, behind a header of which the capture has less than that.
            ex.asked = le32(bytes, 68).map_or(behind(part, 112), u64::from);
            ex.data = ex.asked.min(behind(part, 112));
            if payload::is_call(h, bytes) {
                ex.effects = Effects::REMOTE_CALL;
            }
            ex.file = file(h, bytes, 80, le64(bytes, 72));
        }
        command::LOCK => {
            // Several elements must all fail at once or the server refuses the request
            // (3.3.5.14.2), so the first one decides.
            // Cut off, only a server that says that it waits tells.
            ex.may_wait = le32(bytes, 104).is_none_or(|flags| {
                flags & (lock::SHARED | lock::EXCLUSIVE) != 0 && flags & lock::FAIL_IMMEDIATELY == 0
            });
        }
        command::IOCTL => control(&mut ex, bytes),
        command::SET_INFO => {
            const FILE: u8 = 1;
            if bytes.get(66) == Some(&FILE) {
                // The second number of a pair is the "Ex" form of the class.
                match bytes.get(67) {
                    Some(10 | 65) => ex.operation = &SET_INFO_RENAME,
                    Some(11 | 72) => ex.operation = &SET_INFO_LINK,
                    Some(13 | 64) => ex.operation = &SET_INFO_DISPOSITION,
                    _ => {}
                }
            }
        }
        command::OPLOCK_BREAK => {
            ex.answers = breaks::acknowledgment(&mut ex, part);
        }
        _ => {}
    }
    ex
}

fn response(h: &Header, part: Input<'_>) -> Exchange {
    const PENDING: u32 = 0x0000_0103;
    const SHARE_TYPE_PIPE: u8 = 2;
    let bytes = part.bytes;
    let mut ex = plain(h, Role::Response);
    ex.id = message_id(h, bytes);
    ex.status = Some(status(h));
    if h.status == PENDING {
        // The client may name the request by the AsyncId from now on (3.2.4.24).
        ex.role = Role::Interim;
        ex.alias = h.async_id.map(async_id);
    }
    match (h.command, le16(bytes, BODY)) {
        // The first answer to the NEGOTIATE of SMB 1 (3.3.5.3) has number 0.
        (command::NEGOTIATE, structure) => {
            // The first answer to the NEGOTIATE of SMB 1 (3.3.5.3) has number 0, as that to the
            // NEGOTIATE of a client that begins with SMB2 has.
            if h.message == Some(0) {
                ex.alias = Some(smb1::NEGOTIATE);
            }
            if structure == Some(65) {
                ex.buffer = le32(bytes, 96);
            }
        }
        // ShareType (2.2.10).
        (command::TREE_CONNECT, Some(16)) if bytes.get(66) == Some(&SHARE_TYPE_PIPE) => {
            ex.effects = ex.effects.with(Effects::PIPES);
        }
        (command::CREATE, Some(89)) => {
            ex.file = file(h, bytes, 128, None);
            if bytes.get(66) == Some(&leases::LEASE)
                && let Some(key) = leases::key(bytes)
            {
                ex.effects = ex.effects.with(Effects::LEASES);
                ex.alias = Some(folded(space::LEASE, key));
            }
        }
        (command::READ, Some(17)) => {
            let length = le32(bytes, 68).map_or(behind(part, 80), u64::from);
            ex.data = length.min(behind(part, 80));
        }
        // Cut off before that: a response that succeeded is data, behind headers of 80 bytes (2.2.20).
        (command::READ, None) if ex.status.is_some_and(|status| !status.failure) => {
            ex.data = behind(part, 80);
        }
        (command::WRITE, Some(17)) => ex.data = le32(bytes, 68).unwrap_or_default().into(),
        (command::IOCTL, Some(49)) => control(&mut ex, bytes),
        (command::OPLOCK_BREAK, _) => {
            breaks::acknowledgment(&mut ex, part);
        }
        _ => {}
    }
    ex
}

/// A CANCEL has the number of the request that it takes back, or 0 when that request is
/// named by its AsyncId alone.
fn cancel(h: &Header, ex: &mut Exchange) {
    ex.role = Role::Cancel;
    let by_async = h.async_id.map(async_id);
    if h.has(ASYNC) && h.message == Some(0) {
        ex.id = by_async;
    } else {
        ex.alias = by_async;
    }
}

fn control(ex: &mut Exchange, bytes: &[u8]) {
    let Some(code) = le32(bytes, 68) else { return };
    ex.code = code;
    if let Some((_, operation)) = CONTROLS.iter().find(|(c, _)| *c == code) {
        ex.operation = operation;
    }
}

/// A capture length of 96 bytes, behind a TCP header with time stamps, leaves two bytes of the MessageId, and the
/// lower ones: they tell the few requests apart that are open together.
fn message_id(h: &Header, bytes: &[u8]) -> Option<Id> {
    match h.message {
        Some(whole) => Some(Id::new(space::MESSAGE, whole.into())),
        None => le16(bytes, 24).map(|low| Id::new(space::MESSAGE_CUT, low.into())),
    }
}

/// Whether it is the MessageId of what a server sends unasked.
fn is_unsolicited(id: Id) -> bool {
    let (space, value) = id.parts();
    match space {
        space::MESSAGE_CUT => value == u128::from(u16::MAX),
        _ => value == u128::from(Header::UNSOLICITED),
    }
}

fn async_id(id: u64) -> Id {
    Id::new(space::ASYNC, id.into())
}

/// An identifier of 16 bytes in the 15 that an [`Id`] holds: the last byte is folded into
/// the first.
pub(super) fn folded(space: u8, value: u128) -> Id {
    Id::new(space, value ^ (value >> 120))
}

/// Bytes of the part behind its first `fixed` ones: more data it cannot hold.
fn behind(part: Input<'_>, fixed: u32) -> u64 {
    part.length.saturating_sub(fixed).into()
}

#[cfg(test)]
mod tests {
    use super::super::testing::{message, with};
    use super::*;

    const FILE: [u8; 16] = [7; 16];
    const HANDLE: u128 = u128::from_le_bytes(FILE);

    fn read(m: &[u8]) -> Exchange {
        let part = Input::whole(m);
        exchange(&Header::parse(part).unwrap(), part)
    }

    /// Likewise that the capture cut off behind these bytes.
    fn snapped(m: &[u8], bytes: usize) -> Exchange {
        let part = Input {
            bytes: &m[..bytes],
            length: u32::try_from(m.len()).unwrap(),
        };
        exchange(&Header::parse(part).unwrap(), part)
    }

    /// A body of this StructureSize, `length` bytes long, with fields at offsets that count
    /// from the header.
    fn body(size: u16, length: usize, fields: &[(usize, &[u8])]) -> Vec<u8> {
        let mut b = vec![0; length];
        b[..2].copy_from_slice(&size.to_le_bytes());
        for (at, field) in fields {
            b[at - BODY..at - BODY + field.len()].copy_from_slice(field);
        }
        b
    }

    fn failed(mut m: Vec<u8>, status: u32) -> Vec<u8> {
        m = with(m, 8, &status.to_le_bytes());
        m.truncate(BODY);
        m.extend([9, 0, 0, 0, 0, 0, 0, 0, 0]);
        m
    }

    /// ShareType: 1 disk, 2 pipe, 3 print (MS-SMB2 2.2.10).
    #[test]
    fn a_share_of_pipes_says_so() {
        for (share_type, pipes) in [(1, false), (2, true), (3, false)] {
            let b = body(16, 16, &[(66, &[share_type])]);
            let answer = message(command::TREE_CONNECT, RESPONSE, 3, &b);
            let effects = read(&answer).effects;
            assert_eq!(effects.has(Effects::PIPES), pipes, "{share_type}");
            assert!(effects.has(Effects::ATTACHES));
            let refused = read(&failed(answer, 0xc000_00cc)).effects;
            assert!(!refused.has(Effects::PIPES));
        }
    }

    /// A request, a bind and an alter_context are answered, a shutdown (17) is not (C706 12.6.3.1).
    #[test]
    fn a_remote_call_is_known_by_what_is_written() {
        for (kind, called) in [(0, true), (11, true), (14, true), (17, false)] {
            let pdu = [5, 0, kind, 3, 0x10, 0, 0, 0, 24, 0, 0, 0, 1, 0, 0, 0];
            let fields: [(usize, &[u8]); 3] =
                [(66, &[112, 0]), (68, &24u32.to_le_bytes()), (80, &FILE)];
            let mut b = body(49, 48, &fields);
            b.extend(pdu);
            b.extend([0; 8]);
            let x = read(&message(command::WRITE, 0, 4, &b));
            assert_eq!(x.effects.has(Effects::REMOTE_CALL), called, "{kind}");
        }
    }

    #[test]
    fn read_asks_and_brings() {
        let b = body(
            49,
            49,
            &[
                (68, &65536u32.to_le_bytes()),
                (72, &0x1_0000_0000u64.to_le_bytes()),
                (80, &FILE),
            ],
        );
        let ex = read(&message(command::READ, 0, 17, &b));
        assert_eq!((ex.role, ex.asked, ex.data), (Role::Request, 65536, 0));
        assert_eq!(
            ex.file,
            Some(File {
                handle: HANDLE,
                offset: Some(0x1_0000_0000)
            })
        );

        let mut b = body(17, 16, &[(66, &[80]), (68, &100u32.to_le_bytes())]);
        b.extend([0xaa; 100]);
        let answer = message(command::READ, RESPONSE, 17, &b);
        let rs = read(&answer);
        assert_eq!((rs.role, rs.sender), (Role::Response, Side::Server));
        assert_eq!((rs.id, rs.data), (ex.id, 100));
        assert!(rs.status.unwrap().ok);

        let lie = with(answer.clone(), 68, &u32::MAX.to_le_bytes());
        assert_eq!(read(&lie).data, 100, "no more than the message holds");

        let end = read(&failed(answer, 0xc000_0011));
        let status = end.status.unwrap();
        assert_eq!((end.data, status.ok, status.failure), (0, false, false));
    }

    #[test]
    fn the_length_field_counts_when_the_data_was_cut_off() {
        let b = body(17, 16, &[(66, &[80]), (68, &65536u32.to_le_bytes())]);
        let m = message(command::READ, RESPONSE, 17, &b);
        let part = Input {
            bytes: &m,
            length: 80 + 65536,
        };
        let ex = exchange(&Header::parse(part).unwrap(), part);
        assert_eq!(ex.data, 65536);
    }

    /// Of headers of 64 and 16 bytes (2.2.20), or 64 and 48 (2.2.21), 26 to 70 were captured; an error has 9 behind its own.
    #[test]
    fn the_length_of_the_message_counts_when_that_was_cut_off_too() {
        let answer = message(command::READ, RESPONSE, 17, &body(17, 16, &[(66, &[80])]));
        let asks = message(command::WRITE, 0, 17, &body(49, 49, &[(66, &[112])]));
        let error = failed(answer.clone(), 0xc000_0022);
        let data = |m: &[u8], captured: usize, length: u32| {
            let bytes = &m[..captured];
            let part = Input { bytes, length };
            exchange(&Header::parse(part).unwrap(), part).data
        };
        for captured in [26, 64, 70] {
            assert_eq!(data(&answer, captured, 80 + 65536), 65536, "{captured}");
            assert_eq!(data(&asks, captured, 112 + 4096), 4096, "{captured}");
            assert_eq!(data(&error, captured.min(error.len()), 73), 0, "{captured}");
        }
    }

    #[test]
    fn write_brings_and_is_counted() {
        let mut b = body(
            49,
            48,
            &[
                (66, &112u16.to_le_bytes()),
                (68, &300u32.to_le_bytes()),
                (72, &4096u64.to_le_bytes()),
                (80, &FILE),
            ],
        );
        b.extend([0xaa; 300]);
        let ex = read(&message(command::WRITE, 0, 18, &b));
        assert_eq!((ex.asked, ex.data), (300, 300));
        assert_eq!(ex.file.unwrap().offset, Some(4096));
        let b = body(17, 17, &[(68, &300u32.to_le_bytes())]);
        let rs = read(&message(command::WRITE, RESPONSE, 18, &b));
        assert_eq!((rs.id, rs.data), (ex.id, 300));
    }

    #[test]
    fn a_write_that_lies_about_its_length() {
        // Seen in a capture: 65542 bytes announced, 6 sent.
        let mut b = body(49, 48, &[(68, &65542u32.to_le_bytes())]);
        b.extend([0; 6]);
        let ex = read(&message(command::WRITE, 0, 18, &b));
        assert_eq!((ex.asked, ex.data), (65542, 6));
    }

    #[test]
    fn create_names_the_file_that_it_opened() {
        let b = body(89, 89, &[(128, &FILE)]);
        let m = message(command::CREATE, RESPONSE, 4, &b);
        assert_eq!(read(&m).file.map(|f| f.handle), Some(HANDLE));
        let missing = read(&failed(m, 0xc000_0034));
        assert_eq!(missing.file, None);
        let status = missing.status.unwrap();
        assert!(!status.ok && !status.failure, "a probe for a name");
        assert_eq!(status.name, Some("STATUS_OBJECT_NAME_NOT_FOUND"));
    }

    #[test]
    fn what_follows_a_part_that_failed_is_no_failure_of_its_own() {
        let m = message(command::CLOSE, RESPONSE | RELATED, 4, &[]);
        assert!(!read(&failed(m, 0xc000_0128)).status.unwrap().failure);
        let m = message(command::CLOSE, RESPONSE, 4, &[]);
        assert!(read(&failed(m, 0xc000_0128)).status.unwrap().failure);
    }

    #[test]
    fn requests_have_no_status() {
        // The same four bytes are a channel sequence in dialects 3.x.
        let m = with(message(command::READ, 0, 4, &[]), 8, &[1, 0, 0, 0]);
        assert_eq!(read(&m).status, None);
    }

    #[test]
    fn all_ones_are_the_file_before_or_no_file() {
        let b = body(
            57,
            57,
            &[(68, &0x0014_0204u32.to_le_bytes()), (72, &[0xff; 16])],
        );
        assert_eq!(read(&message(command::IOCTL, 0, 9, &b)).file, None);
        let related = read(&message(command::IOCTL, RELATED, 9, &b));
        assert_eq!(related.file.map(|f| f.handle), Some(PREVIOUS_FILE));
    }

    #[test]
    fn control_codes_have_names() {
        let cases = [
            (0x0011_c017, "IOCTL_PIPE_TRANSCEIVE", Kind::Transaction),
            (0x0011_0018, "IOCTL_PIPE_WAIT", Kind::Wait),
            (0x0014_40f2, "IOCTL_SRV_COPYCHUNK", Kind::Transaction),
            (0x0009_009c, "IOCTL", Kind::Other),
        ];
        for (code, name, kind) in cases {
            let field = u32::to_le_bytes(code);
            let rq = read(&message(
                command::IOCTL,
                0,
                9,
                &body(57, 57, &[(68, &field), (72, &FILE)]),
            ));
            let rs = read(&message(
                command::IOCTL,
                RESPONSE,
                9,
                &body(49, 49, &[(68, &field)]),
            ));
            for ex in [rq, rs] {
                assert_eq!(
                    (ex.operation.name, ex.operation.kind, ex.code),
                    (name, kind, code)
                );
                assert_eq!((ex.asked, ex.data), (0, 0), "no file data");
            }
        }
    }

    #[test]
    fn an_unknown_command_keeps_its_code() {
        let ex = read(&message(0x77, 0, 9, &[]));
        assert_eq!((ex.operation.name, ex.code), ("UNKNOWN", 0x77));
    }

    #[test]
    fn changes_of_names_are_told_from_changes_of_attributes() {
        for (kind, class, name, idempotent) in [
            (1, 4, "SET_INFO", true),
            (1, 10, "SET_INFO_RENAME", false),
            (1, 13, "SET_INFO_DISPOSITION", true),
            (2, 10, "SET_INFO", true),
        ] {
            let b = body(33, 33, &[(66, &[kind, class]), (80, &FILE)]);
            let ex = read(&message(command::SET_INFO, 0, 9, &b));
            assert_eq!(
                (ex.operation.name, ex.operation.idempotent),
                (name, idempotent)
            );
            assert_eq!(ex.file.map(|f| f.handle), Some(HANDLE));
        }
    }

    #[test]
    fn a_lock_waits_unless_it_says_otherwise() {
        for (flags, waits) in [
            (0x02u32, true),
            (0x01, true),
            (0x12, false),
            (0x11, false),
            (0x04, false),
        ] {
            let b = body(
                48,
                48,
                &[
                    (66, &[1, 0]),
                    (72, &FILE),
                    (96, &[100, 0]),
                    (104, &flags.to_le_bytes()),
                ],
            );
            let m = message(command::LOCK, 0, 9, &b);
            assert_eq!(read(&m).may_wait, waits, "{flags:#x}");
            assert!(snapped(&m, 107).may_wait, "{flags:#x}: cut off");
        }
    }

    #[test]
    fn pending_is_an_interim_answer_known_by_its_async_id() {
        let m = message(command::CHANGE_NOTIFY, RESPONSE | ASYNC, 5, &[]);
        let m = failed(with(m, 32, &[5, 0, 0, 0, 0, 0, 0, 0]), 0x103);
        let interim = read(&m);
        assert_eq!(interim.role, Role::Interim);
        assert_eq!(interim.id, Some(Id::new(space::MESSAGE, 5)));
        assert_eq!(interim.alias, Some(Id::new(space::ASYNC, 5)));
        assert_eq!(interim.operation.kind, Kind::Wait);

        let answer = read(&with(m, 8, &0x10cu32.to_le_bytes()));
        assert_eq!((answer.role, answer.id), (Role::Response, interim.id));
        assert!(answer.status.unwrap().ok);
    }

    #[test]
    fn cancel_names_its_request_either_way() {
        let plain = read(&message(command::CANCEL, 0, 5, &[4, 0, 0, 0]));
        assert_eq!(plain.role, Role::Cancel);
        assert_eq!(plain.id, Some(Id::new(space::MESSAGE, 5)));
        assert_eq!(plain.alias, None);

        // Some clients give both, others (Windows) only the AsyncId.
        let async_id = [0x9a, 1, 0, 0, 0, 0, 0, 0];
        let both = message(command::CANCEL, ASYNC, 0x19a, &[4, 0, 0, 0]);
        let both = read(&with(both, 32, &async_id));
        assert_eq!(both.id, Some(Id::new(space::MESSAGE, 0x19a)));
        assert_eq!(both.alias, Some(Id::new(space::ASYNC, 0x19a)));

        let by_async = message(command::CANCEL, ASYNC, 0, &[4, 0, 0, 0]);
        let by_async = read(&with(by_async, 32, &async_id));
        assert_eq!(by_async.role, Role::Cancel);
        assert_eq!(by_async.id, Some(Id::new(space::ASYNC, 0x19a)));
    }

    #[test]
    fn the_first_negotiate_response_answers_smb1_too() {
        let b = body(65, 65, &[]);
        let first = read(&message(command::NEGOTIATE, RESPONSE, 0, &b));
        assert_eq!(first.id, Some(Id::new(space::MESSAGE, 0)));
        assert_eq!(first.alias, Some(smb1::NEGOTIATE));
        let second = read(&message(command::NEGOTIATE, RESPONSE, 1, &b));
        assert_eq!(second.alias, None);
        assert_eq!(
            read(&message(command::NEGOTIATE, 0, 0, &[36, 0])).alias,
            None
        );
    }

    #[test]
    fn an_oplock_break_is_the_servers_request() {
        let b = body(24, 24, &[(66, &[1]), (72, &FILE)]);
        let asked = read(&message(
            command::OPLOCK_BREAK,
            RESPONSE,
            Header::UNSOLICITED,
            &b,
        ));
        assert_eq!((asked.role, asked.sender), (Role::Request, Side::Server));
        assert_eq!(
            (asked.operation.name, asked.operation.kind),
            ("OPLOCK_BREAK", Kind::Break)
        );
        assert_eq!(asked.status, None);

        let word = read(&message(command::OPLOCK_BREAK, 0, 30, &b));
        assert_eq!((word.role, word.sender), (Role::Request, Side::Client));
        assert_eq!(word.operation.name, "OPLOCK_BREAK_ACKNOWLEDGMENT");
        assert_eq!(word.id, Some(Id::new(space::MESSAGE, 30)));
        assert_eq!(word.answers, asked.id);

        let done = read(&message(command::OPLOCK_BREAK, RESPONSE, 30, &b));
        assert_eq!((done.role, done.id), (Role::Response, word.id));
        assert_eq!((done.operation, done.answers), (word.operation, None));

        let close = read(&message(
            command::CLOSE,
            0,
            31,
            &body(24, 24, &[(72, &FILE)]),
        ));
        assert_eq!(close.answers, asked.id, "closing the file answers as well");
    }

    #[test]
    fn a_lease_break_says_whether_it_is_to_be_acknowledged() {
        let b = body(44, 44, &[(68, &[1, 0, 0, 0]), (72, &FILE), (88, &[7])]);
        let asked = message(command::OPLOCK_BREAK, RESPONSE, Header::UNSOLICITED, &b);
        let ex = read(&asked);
        assert_eq!((ex.role, ex.operation.name), (Role::Request, "LEASE_BREAK"));
        let word = body(36, 36, &[(72, &FILE)]);
        let word = read(&message(command::OPLOCK_BREAK, 0, 30, &word));
        assert_eq!(word.operation.name, "LEASE_BREAK_ACKNOWLEDGMENT");
        assert_eq!((word.answers, word.file), (ex.id, None));
        assert_ne!(
            ex.id,
            Some(folded(space::OPLOCK, HANDLE)),
            "a key is no FileId"
        );
        let told = read(&with(asked.clone(), 68, &[0]));
        assert_eq!(told.role, Role::Notice);
    }

    #[test]
    fn a_break_that_is_cut_off_is_answered_by_the_next_acknowledgment() {
        let lease = body(44, 44, &[(68, &[1, 0, 0, 0]), (72, &FILE)]);
        let oplock = body(24, 24, &[(66, &[1]), (72, &FILE)]);
        for (b, acknowledgment, name) in [
            (lease.clone(), body(36, 36, &[(72, &FILE)]), "LEASE_BREAK"),
            (oplock.clone(), oplock, "OPLOCK_BREAK"),
        ] {
            let asked = message(command::OPLOCK_BREAK, RESPONSE, Header::UNSOLICITED, &b);
            let word = message(command::OPLOCK_BREAK, 0, 30, &acknowledgment);
            for length in [26, 58, 70, 87] {
                let cut = snapped(&asked, length);
                assert_eq!((cut.role, cut.operation.name), (Role::Request, name));
                assert_eq!(cut.id, Some(breaks::CUT));
                let word = snapped(&word, length);
                assert_eq!((word.role, word.answers), (Role::Request, cut.id));
                assert_eq!(word.operation.name, format!("{name}_ACKNOWLEDGMENT"));
            }
            assert_eq!(read(&asked[..87]).role, Role::Notice, "cut by its sender");
        }
        let told = message(
            command::OPLOCK_BREAK,
            RESPONSE,
            Header::UNSOLICITED,
            &with(lease, 4, &[0]),
        );
        assert_eq!(snapped(&told, 72).role, Role::Notice);
        assert_eq!(
            snapped(&told, 71).role,
            Role::Request,
            "it may be asked for"
        );
    }

    #[test]
    fn two_bytes_of_its_number_name_a_message() {
        let of = |number: u64, flags: u32, length: usize| {
            snapped(&message(command::READ, flags, number, &[0; 49]), length).id
        };
        assert_eq!(of(0x1_0007, 0, 26), of(7, RESPONSE, 31));
        assert_ne!(of(7, 0, 26), of(8, RESPONSE, 26));
        assert_ne!(of(7, 0, 26), of(7, 0, 32), "names of another kind");
        assert_eq!(of(7, 0, 25), None);
    }

    #[test]
    fn the_servers_own_notice_is_no_response() {
        let ex = read(&message(
            command::NOTIFICATION,
            RESPONSE,
            Header::UNSOLICITED,
            &[4, 0, 0, 0],
        ));
        assert_eq!((ex.role, ex.id, ex.status), (Role::Notice, None, None));
    }

    #[test]
    fn folding_tells_identifiers_apart_that_differ_in_their_last_byte() {
        let other = HANDLE ^ (1 << 127);
        assert_ne!(folded(space::OPLOCK, HANDLE), folded(space::OPLOCK, other));
    }
}

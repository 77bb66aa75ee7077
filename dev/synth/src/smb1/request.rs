//! What clients ask.

use super::{Block, command};
use crate::bytes::{Put, len16};

/// The dialects that a Windows client offers, oldest first.
pub const DIALECTS: [&str; 6] = [
    "PC NETWORK PROGRAM 1.0",
    "LANMAN1.0",
    "Windows for Workgroups 3.1a",
    "LM1.2X002",
    "LANMAN2.1",
    "NT LM 0.12",
];

fn text(bytes: &mut Vec<u8>, text: &str) {
    bytes.put(text.as_bytes()).u8(0);
}

/// NEGOTIATE with these dialects.
#[must_use]
pub fn negotiate(dialects: &[&str]) -> Block {
    let mut block = Block::new(command::NEGOTIATE);
    for dialect in dialects {
        block.bytes.u8(2);
        text(&mut block.bytes, dialect);
    }
    block
}

/// SESSION_SETUP_ANDX of NT LM 0.12 without extended security, with an empty password.
#[must_use]
pub fn session_setup_andx(user: &str) -> Block {
    let mut block = Block::new(command::SESSION_SETUP_ANDX);
    // Buffer, outstanding requests, circuit, session key, password lengths, capabilities.
    block.words.le16(4356).le16(10).le16(1).le32(0);
    block.words.le16(1).le16(0).le32(0).le32(0x0000_0050);
    block.bytes.u8(0);
    for part in [user, "WORKGROUP", "Windows 4.0", "Windows 4.0"] {
        text(&mut block.bytes, part);
    }
    block
}

/// TREE_CONNECT_ANDX to a share.
#[must_use]
pub fn tree_connect_andx(path: &str) -> Block {
    let mut block = Block::new(command::TREE_CONNECT_ANDX);
    block.words.le16(0).le16(1);
    block.bytes.u8(0);
    text(&mut block.bytes, path);
    text(&mut block.bytes, "?????");
    block
}

/// OPEN_ANDX for reading and writing.
#[must_use]
pub fn open_andx(name: &str) -> Block {
    let mut block = Block::new(command::OPEN_ANDX);
    // Flags, access, search attributes, attributes, time, open function, size, timeout.
    block.words.le16(0).le16(0x0042).le16(0x16).le16(0).le32(0);
    block.words.le16(0x01).le32(0).le32(0).le32(0);
    text(&mut block.bytes, name);
    block
}

/// NT_CREATE_ANDX: open an existing file, with a batch oplock wished for if `oplock`.
#[must_use]
pub fn nt_create_andx(name: &str, oplock: bool) -> Block {
    let mut block = Block::new(command::NT_CREATE_ANDX);
    let flags = if oplock { 0x06 } else { 0 };
    block.words.u8(0).le16(len16(name.as_bytes())).le32(flags);
    // Root, access, allocation, attributes, share, disposition (open), options.
    block.words.le32(0).le32(0x0012_019f).le64(0).le32(0);
    block.words.le32(3).le32(1).le32(0).le32(2).u8(3);
    text(&mut block.bytes, name);
    block
}

/// CLOSE.
#[must_use]
pub fn close(fid: u16) -> Block {
    let mut block = Block::new(command::CLOSE);
    block.words.le16(fid).le32(0);
    block
}

/// DELETE of a name.
#[must_use]
pub fn delete(name: &str) -> Block {
    let mut block = Block::new(command::DELETE);
    block.words.le16(0);
    block.bytes.u8(4);
    text(&mut block.bytes, name);
    block
}

/// QUERY_INFORMATION of a name.
#[must_use]
pub fn query_information(name: &str) -> Block {
    let mut block = Block::new(command::QUERY_INFORMATION);
    block.bytes.u8(4);
    text(&mut block.bytes, name);
    block
}

/// READ of the core protocol.
#[must_use]
pub fn read(fid: u16, offset: u32, count: u16) -> Block {
    let mut block = Block::new(command::READ);
    block.words.le16(fid).le16(count).le32(offset).le16(0);
    block
}

/// WRITE of the core protocol.
#[must_use]
pub fn write(fid: u16, offset: u32, data: &[u8]) -> Block {
    let mut block = Block::new(command::WRITE);
    block.words.le16(fid).le16(len16(data)).le32(offset).le16(0);
    block.bytes.u8(1).le16(len16(data)).put(data);
    block
}

/// READ_ANDX.
#[must_use]
pub fn read_andx(fid: u16, offset: u32, count: u16) -> Block {
    let mut block = Block::new(command::READ_ANDX);
    block.words.le16(fid).le32(offset).le16(count).le16(count);
    block.words.le32(0).le16(0);
    block
}

/// READ_ANDX with the high half of the offset, as NT sends it, and `padding` bytes of padding.
#[must_use]
pub fn read_andx_padded(fid: u16, offset: u32, count: u16, padding: u8) -> Block {
    let mut block = read_andx(fid, offset, count);
    block.words.le32(0);
    for _ in 0..padding {
        block.bytes.u8(0);
    }
    block
}

/// WRITE_ANDX.
#[must_use]
pub fn write_andx(fid: u16, offset: u32, data: &[u8]) -> Block {
    let mut block = Block::new(command::WRITE_ANDX);
    block.words.le16(fid).le32(offset).le32(0).le16(0).le16(0);
    block.words.le16(0).le16(len16(data));
    block.bytes.u8(0);
    block.offset_here();
    block.bytes.put(data);
    block
}

/// READ_RAW.
#[must_use]
pub fn read_raw(fid: u16, offset: u32, count: u16) -> Block {
    let mut block = Block::new(command::READ_RAW);
    block.words.le16(fid).le32(offset).le16(count).le16(0);
    block.words.le32(0).le16(0);
    block
}

/// READ_MPX.
#[must_use]
pub fn read_mpx(fid: u16, offset: u32, count: u16) -> Block {
    Block {
        command: command::READ_MPX,
        ..read_raw(fid, offset, count)
    }
}

/// WRITE_RAW: `total` bytes, of which `data` goes at once, the rest after the go-ahead.
#[must_use]
pub fn write_raw(fid: u16, offset: u32, total: u16, through: bool, data: &[u8]) -> Block {
    let mut block = Block::new(command::WRITE_RAW);
    block
        .words
        .le16(fid)
        .le16(total)
        .le16(0)
        .le32(offset)
        .le32(0);
    block
        .words
        .le16(u16::from(through))
        .le32(0)
        .le16(len16(data));
    block.bytes.u8(0);
    block.offset_here();
    block.bytes.put(data);
    block
}

/// WRITE_MPX: a part of a write, with its bit in the mask.
#[must_use]
pub fn write_mpx(fid: u16, offset: u32, total: u16, mask: u32, data: &[u8]) -> Block {
    let mut block = Block::new(command::WRITE_MPX);
    block
        .words
        .le16(fid)
        .le16(total)
        .le16(0)
        .le32(offset)
        .le32(0);
    // Mode: connectionless.
    block.words.le16(0x0080).le32(mask).le16(len16(data));
    block.bytes.u8(0);
    block.offset_here();
    block.bytes.put(data);
    block
}

/// ECHO that requests `count` responses.
#[must_use]
pub fn echo(count: u16, data: &[u8]) -> Block {
    let mut block = Block::new(command::ECHO);
    block.words.le16(count);
    block.bytes.put(data);
    block
}

/// LOCKING_ANDX with one lock or none. `kind` is the type of lock: 2 acknowledges an oplock
/// break.
#[must_use]
pub fn locking_andx(
    fid: u16,
    kind: u8,
    oplock: u8,
    timeout: u32,
    lock: Option<(u32, u32)>,
) -> Block {
    let mut block = Block::new(command::LOCKING_ANDX);
    block.words.le16(fid).u8(kind).u8(oplock).le32(timeout);
    block.words.le16(0).le16(u16::from(lock.is_some()));
    if let Some((offset, length)) = lock {
        block.bytes.le16(1).le32(offset).le32(length);
    }
    block
}

/// TREE_DISCONNECT.
#[must_use]
pub fn tree_disconnect() -> Block {
    Block::new(command::TREE_DISCONNECT)
}

/// LOGOFF_ANDX.
#[must_use]
pub fn logoff_andx() -> Block {
    Block::new(command::LOGOFF_ANDX)
}

/// NT_CANCEL.
#[must_use]
pub fn nt_cancel() -> Block {
    Block::new(command::NT_CANCEL)
}

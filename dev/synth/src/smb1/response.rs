//! What servers answer.

use super::{Block, command};
use crate::bytes::{Put, len16};

/// Windows time of 1 March 1999, 09:00:00 UTC, in units of 100 ns since 1601.
pub(crate) const FILE_TIME: u64 = (920_278_800 + 11_644_473_600) * 10_000_000;

/// NEGOTIATE: the dialect with this index, NT LM 0.12, user level, with an 8-byte challenge.
#[must_use]
pub fn negotiate(index: u16) -> Block {
    let mut block = Block::new(command::NEGOTIATE);
    block.words.le16(index).u8(3).le16(50).le16(1);
    // Buffer, raw buffer, session key, capabilities (raw, mpx, large files, NT SMBs,
    // NT status, level II oplocks), time, zone, length of the challenge.
    block.words.le32(4356).le32(65536).le32(0).le32(0x0000_00db);
    block.words.le64(FILE_TIME).le16(0).u8(8);
    block.bytes.put(&[1, 2, 3, 4, 5, 6, 7, 8]);
    block.bytes.put(b"W\0O\0R\0K\0\0\0");
    block
}

/// SESSION_SETUP_ANDX.
#[must_use]
pub fn session_setup_andx() -> Block {
    let mut block = Block::new(command::SESSION_SETUP_ANDX);
    block.words.le16(0);
    block
        .bytes
        .put(b"Windows NT 4.0\0NT LAN Manager 4.0\0WORK\0");
    block
}

/// TREE_CONNECT_ANDX to a share of this service: "A:" for a disk, "IPC" for pipes.
#[must_use]
pub fn tree_connect_andx(service: &str) -> Block {
    let mut block = Block::new(command::TREE_CONNECT_ANDX);
    block.words.le16(0);
    block.bytes.put(service.as_bytes()).put(b"\0NTFS\0");
    block
}

/// OPEN_ANDX of a resource of this type: 0 disk, 1 or 2 pipe.
#[must_use]
pub fn open_andx(fid: u16, size: u32, resource: u16) -> Block {
    let mut block = Block::new(command::OPEN_ANDX);
    // File, attributes, time, size, granted access, type, pipe state, action (opened).
    block
        .words
        .le16(fid)
        .le16(0x20)
        .le32(920_278_800)
        .le32(size);
    block
        .words
        .le16(2)
        .le16(resource)
        .le16(0)
        .le16(1)
        .le32(0)
        .le16(0);
    block
}

/// NT_CREATE_ANDX, granting this oplock level (2 is batch).
#[must_use]
pub fn nt_create_andx(fid: u16, size: u64, oplock: u8) -> Block {
    let mut block = Block::new(command::NT_CREATE_ANDX);
    block.words.u8(oplock).le16(fid).le32(1);
    for _ in 0..4 {
        block.words.le64(FILE_TIME);
    }
    // Attributes, allocation, size, type, pipe state, not a directory.
    block.words.le32(0x20).le64(size).le64(size);
    block.words.le16(0).le16(0).u8(0);
    block
}

/// An answer that is all header: CLOSE, TREE_DISCONNECT, and every error.
#[must_use]
pub fn empty(command: u8) -> Block {
    Block {
        command,
        ..Block::default()
    }
}

/// QUERY_INFORMATION.
#[must_use]
pub fn query_information(size: u32) -> Block {
    let mut block = Block::new(command::QUERY_INFORMATION);
    block
        .words
        .le16(0x20)
        .le32(920_278_800)
        .le32(size)
        .zeros(10);
    block
}

/// READ of the core protocol.
#[must_use]
pub fn read(data: &[u8]) -> Block {
    let mut block = Block::new(command::READ);
    block.words.le16(len16(data)).zeros(8);
    block.bytes.u8(1).le16(len16(data)).put(data);
    block
}

/// WRITE of the core protocol, or with another code WRITE_RAW's go-ahead and end: a count.
#[must_use]
pub fn count(command: u8, count: u16) -> Block {
    let mut block = Block::new(command);
    block.words.le16(count);
    block
}

/// READ_ANDX.
#[must_use]
pub fn read_andx(data: &[u8]) -> Block {
    let mut block = Block::new(command::READ_ANDX);
    block.words.le16(0xffff).le16(0).le16(0).le16(len16(data));
    block.bytes.u8(0);
    block.offset_here();
    block.words.le16(0).zeros(8);
    block.bytes.put(data);
    block
}

/// WRITE_ANDX.
#[must_use]
pub fn write_andx(count: u16) -> Block {
    let mut block = Block::new(command::WRITE_ANDX);
    block.words.le16(count).le16(0xffff).le16(0).le16(0);
    block
}

/// READ_MPX: a part of the data, at this offset of the file; `count` is the whole.
#[must_use]
pub fn read_mpx(offset: u32, count: u16, data: &[u8]) -> Block {
    let mut block = Block::new(command::READ_MPX);
    block.words.le32(offset).le16(count).le16(0xffff);
    block.words.le16(0).le16(0).le16(len16(data));
    block.bytes.u8(0);
    block.offset_here();
    block.bytes.put(data);
    block
}

/// WRITE_MPX: the parts that have arrived.
#[must_use]
pub fn write_mpx(mask: u32) -> Block {
    let mut block = Block::new(command::WRITE_MPX);
    block.words.le32(mask);
    block
}

/// ECHO: the answer with this number.
#[must_use]
pub fn echo(number: u16, data: &[u8]) -> Block {
    let mut block = Block::new(command::ECHO);
    block.words.le16(number);
    block.bytes.put(data);
    block
}

/// LOCKING_ANDX or LOGOFF_ANDX: nothing but the chain.
#[must_use]
pub fn chain_only(command: u8) -> Block {
    Block::new(command)
}

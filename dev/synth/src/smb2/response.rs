//! Bodies of responses, and of what servers send unasked.

use super::{put_file, wide};
use crate::bytes::{Put, len16, len32};
use crate::smb1::response::FILE_TIME;

/// NEGOTIATE: the dialect that was chosen.
#[must_use]
pub fn negotiate(dialect: u16) -> Vec<u8> {
    let mut out = Vec::new();
    out.le16(65).le16(1).le16(dialect).le16(0).put(&[0x22; 16]);
    // Capabilities (large transfers, leases), largest transaction, read and write.
    let capabilities = if dialect == 0x0202 { 0 } else { 0x06 };
    out.le32(capabilities)
        .le32(1 << 20)
        .le32(1 << 20)
        .le32(1 << 20);
    out.le64(FILE_TIME)
        .le64(FILE_TIME)
        .le16(64 + 64)
        .le16(0)
        .le32(0);
    out
}

/// SESSION_SETUP: round 1 challenges, round 2 is content.
#[must_use]
pub fn session_setup(round: u8) -> Vec<u8> {
    let mut token = Vec::new();
    if round <= 1 {
        token.put(b"NTLMSSP\0").le32(2).le16(0).le16(0).le32(48);
        token
            .le32(0x0008_8201)
            .put(&[1, 2, 3, 4, 5, 6, 7, 8])
            .le64(0);
        token.le16(0).le16(0).le32(48);
    }
    let mut out = Vec::new();
    out.le16(9)
        .le16(0)
        .le16(64 + 8)
        .le16(len16(&token))
        .put(&token);
    out
}

/// TREE_CONNECT to a share of this type: 1 disk, 2 pipe.
#[must_use]
pub fn tree_connect(share_type: u8) -> Vec<u8> {
    let mut out = Vec::new();
    out.le16(16)
        .u8(share_type)
        .u8(0)
        .le32(0)
        .le32(0)
        .le32(0x001f_01ff);
    out
}

/// CREATE: opened, with this size and oplock level.
#[must_use]
pub fn create(file: u64, size: u64, oplock: u8) -> Vec<u8> {
    let mut out = Vec::new();
    out.le16(89).u8(oplock).u8(0).le32(1);
    for _ in 0..4 {
        out.le64(FILE_TIME);
    }
    out.le64(size).le64(size).le32(0x80).le32(0);
    put_file(&mut out, file);
    out.le32(0).le32(0);
    out
}

/// CREATE: opened, with a lease of this key for read, handle and write.
#[must_use]
pub fn create_leased(file: u64, size: u64, key: u64) -> Vec<u8> {
    let mut out = create(file, size, 0xff);
    // The context (MS-SMB2 2.2.14.2.10) in place of none.
    out.truncate(80);
    out.le32(64 + 88).le32(56);
    out.le32(0).le16(16).le16(4).le16(0).le16(24).le32(32);
    out.put(b"RqLs").le32(0);
    put_file(&mut out, key);
    out.le32(7).le32(0).le64(0);
    out
}

/// CLOSE.
#[must_use]
pub fn close() -> Vec<u8> {
    let mut out = Vec::new();
    out.le16(60).zeros(58);
    out
}

/// READ.
#[must_use]
pub fn read(data: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(16 + data.len());
    out.le16(17)
        .u8(64 + 16)
        .u8(0)
        .le32(len32(data))
        .le64(0)
        .put(data);
    out
}

/// WRITE.
#[must_use]
pub fn write(count: u32) -> Vec<u8> {
    let mut out = Vec::new();
    out.le16(17).le16(0).le32(count).le32(0).le32(0);
    out
}

/// An answer of four bytes: LOGOFF, TREE_DISCONNECT, FLUSH, LOCK, ECHO.
#[must_use]
pub fn bare() -> Vec<u8> {
    vec![4, 0, 0, 0]
}

/// What stands in place of the body in errors and in "pending".
#[must_use]
pub fn error() -> Vec<u8> {
    vec![9, 0, 0, 0, 0, 0, 0, 0, 0]
}

/// An answer that is a buffer: QUERY_DIRECTORY, CHANGE_NOTIFY, QUERY_INFO.
fn buffer(data: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    out.le16(9).le16(64 + 8).le32(len32(data)).put(data);
    out
}

/// QUERY_DIRECTORY: names only.
#[must_use]
pub fn query_directory(entries: u32) -> Vec<u8> {
    let mut data = Vec::new();
    for number in 0..entries {
        let name = wide(&format!("file{number:04}.txt"));
        let next = if number + 1 < entries {
            12 + len32(&name)
        } else {
            0
        };
        data.le32(next).le32(0).le32(len32(&name)).put(&name);
    }
    buffer(&data)
}

/// CHANGE_NOTIFY: one name was added.
#[must_use]
pub fn change_notify(name: &str) -> Vec<u8> {
    let name = wide(name);
    let mut data = Vec::new();
    data.le32(0).le32(1).le32(len32(&name)).put(&name);
    buffer(&data)
}

/// QUERY_INFO: standard information.
#[must_use]
pub fn query_info(size: u64) -> Vec<u8> {
    let mut data = Vec::new();
    data.le64(size).le64(size).le32(1).le32(0);
    buffer(&data)
}

/// OPLOCK_BREAK notification of a lease: from read, handle and write to this state.
#[must_use]
pub fn lease_break(key: u64, state: u32) -> Vec<u8> {
    let mut out = Vec::new();
    out.le16(44).le16(1).le32(1);
    put_file(&mut out, key);
    out.le32(7).le32(state).le32(0).le32(0).le32(0);
    out
}

//! Bodies of requests. Offsets count from the header, 64 bytes before the body.

use super::{put_file, wide};
use crate::bytes::{Put, len16, len32};

/// NEGOTIATE with these dialects.
#[must_use]
pub fn negotiate(dialects: &[u16]) -> Vec<u8> {
    let mut out = Vec::new();
    out.le16(36)
        .le16(u16::try_from(dialects.len()).unwrap_or(0));
    out.le16(1).le16(0).le32(0x04).put(&[0x11; 16]).le64(0);
    for dialect in dialects {
        out.le16(*dialect);
    }
    out
}

/// SESSION_SETUP: round 1 offers NTLM, round 2 answers its challenge. Flag 1 binds the connection to a session that
/// has another one.
#[must_use]
pub fn session_setup(round: u8, flags: u8) -> Vec<u8> {
    let token = if round <= 1 {
        ntlm_negotiate()
    } else {
        ntlm_authenticate()
    };
    let mut out = Vec::new();
    out.le16(25).u8(flags).u8(1).le32(0).le32(0);
    out.le16(64 + 24).le16(len16(&token)).le64(0).put(&token);
    out
}

fn ntlm_negotiate() -> Vec<u8> {
    let mut out = Vec::new();
    out.put(b"NTLMSSP\0").le32(1).le32(0x0008_8201);
    out.le16(0).le16(0).le32(32).le16(0).le16(0).le32(32);
    out
}

fn ntlm_authenticate() -> Vec<u8> {
    let mut out = Vec::new();
    out.put(b"NTLMSSP\0").le32(3);
    for _ in 0..6 {
        out.le16(0).le16(0).le32(64);
    }
    out.le32(0x0008_8201);
    out
}

/// TREE_CONNECT to a share.
#[must_use]
pub fn tree_connect(path: &str) -> Vec<u8> {
    let path = wide(path);
    let mut out = Vec::new();
    out.le16(9)
        .le16(0)
        .le16(64 + 8)
        .le16(len16(&path))
        .put(&path);
    out
}

/// CREATE: open if it is there. `oplock` is the level wished for: 9 batch, 0xff lease.
#[must_use]
pub fn create(name: &str, oplock: u8) -> Vec<u8> {
    let name = wide(name);
    let mut out = Vec::new();
    out.le16(57).u8(0).u8(oplock).le32(2).le64(0).le64(0);
    // Access, attributes, share, disposition (open if), options.
    out.le32(0x0012_019f).le32(0x80).le32(7).le32(3).le32(0);
    out.le16(64 + 56).le16(len16(&name)).le32(0).le32(0);
    out.put(&name);
    if name.is_empty() {
        out.u8(0);
    }
    out
}

/// CLOSE.
#[must_use]
pub fn close(file: u64) -> Vec<u8> {
    let mut out = Vec::new();
    out.le16(24).le16(0).le32(0);
    put_file(&mut out, file);
    out
}

/// FLUSH: the layout of CLOSE.
#[must_use]
pub fn flush(file: u64) -> Vec<u8> {
    close(file)
}

/// READ.
#[must_use]
pub fn read(file: u64, offset: u64, length: u32) -> Vec<u8> {
    let mut out = Vec::new();
    out.le16(49).u8(0x50).u8(0).le32(length).le64(offset);
    put_file(&mut out, file);
    out.le32(0).le32(0).le32(0).le16(0).le16(0).u8(0);
    out
}

/// WRITE.
#[must_use]
pub fn write(file: u64, offset: u64, data: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(48 + data.len());
    out.le16(49).le16(64 + 48).le32(len32(data)).le64(offset);
    put_file(&mut out, file);
    out.le32(0).le32(0).le16(0).le16(0).le32(0).put(data);
    out
}

/// LOCK of one range; `flags` 2 is exclusive, 4 unlocks, 0x10 does not wait.
#[must_use]
pub fn lock(file: u64, offset: u64, length: u64, flags: u32) -> Vec<u8> {
    let mut out = Vec::new();
    out.le16(48).le16(1).le32(0);
    put_file(&mut out, file);
    out.le64(offset).le64(length).le32(flags).le32(0);
    out
}

/// A request of four bytes: LOGOFF, TREE_DISCONNECT, CANCEL, ECHO.
#[must_use]
pub fn bare() -> Vec<u8> {
    vec![4, 0, 0, 0]
}

/// QUERY_DIRECTORY, names only.
#[must_use]
pub fn query_directory(file: u64, pattern: &str) -> Vec<u8> {
    let pattern = wide(pattern);
    let mut out = Vec::new();
    out.le16(33).u8(12).u8(0).le32(0);
    put_file(&mut out, file);
    out.le16(64 + 32)
        .le16(len16(&pattern))
        .le32(65536)
        .put(&pattern);
    out
}

/// CHANGE_NOTIFY of names in a directory.
#[must_use]
pub fn change_notify(file: u64) -> Vec<u8> {
    let mut out = Vec::new();
    out.le16(32).le16(0).le32(2048);
    put_file(&mut out, file);
    out.le32(3).le32(0);
    out
}

/// QUERY_INFO: standard information of a file.
#[must_use]
pub fn query_info(file: u64) -> Vec<u8> {
    let mut out = Vec::new();
    out.le16(41).u8(1).u8(5).le32(24).le16(0).le16(0).le32(0);
    out.le32(0).le32(0);
    put_file(&mut out, file);
    out.u8(0);
    out
}

/// OPLOCK_BREAK: the client acknowledges; the server's notification and its answer look the
/// same.
#[must_use]
pub fn oplock_break(file: u64, level: u8) -> Vec<u8> {
    let mut out = Vec::new();
    out.le16(24).u8(level).u8(0).le32(0);
    put_file(&mut out, file);
    out
}

/// The acknowledgement of a lease break, and the answer to it.
#[must_use]
pub fn lease_break(key: u64, state: u32) -> Vec<u8> {
    let mut out = Vec::new();
    out.le16(36).le16(0).le32(0);
    put_file(&mut out, key);
    out.le32(state).le64(0);
    out
}

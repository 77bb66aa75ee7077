//! SMB2 and SMB3 messages: header, compounds, encryption's outside, and the bodies of the
//! commands.

pub mod compressed;
pub mod request;
pub mod response;

use crate::bytes::Put;

/// Command codes.
pub mod command {
    /// Agree on a dialect.
    pub const NEGOTIATE: u16 = 0;
    /// Log on, in rounds.
    pub const SESSION_SETUP: u16 = 1;
    /// Log off.
    pub const LOGOFF: u16 = 2;
    /// Join a share.
    pub const TREE_CONNECT: u16 = 3;
    /// Leave it.
    pub const TREE_DISCONNECT: u16 = 4;
    /// Open or create a file.
    pub const CREATE: u16 = 5;
    /// Close it.
    pub const CLOSE: u16 = 6;
    /// Write out what is buffered.
    pub const FLUSH: u16 = 7;
    /// Read.
    pub const READ: u16 = 8;
    /// Write.
    pub const WRITE: u16 = 9;
    /// Lock or unlock ranges.
    pub const LOCK: u16 = 10;
    /// Take a request back.
    pub const CANCEL: u16 = 12;
    /// Still there?
    pub const ECHO: u16 = 13;
    /// List a directory.
    pub const QUERY_DIRECTORY: u16 = 14;
    /// Wait for a change in a directory.
    pub const CHANGE_NOTIFY: u16 = 15;
    /// Ask about a file.
    pub const QUERY_INFO: u16 = 16;
    /// An oplock or a lease is taken back.
    pub const OPLOCK_BREAK: u16 = 18;
}

/// Header flags.
pub mod flag {
    /// From the server.
    pub const RESPONSE: u32 = 1;
    /// Has an asynchronous id in place of process and tree.
    pub const ASYNC: u32 = 2;
    /// Belongs to the part before it.
    pub const RELATED: u32 = 4;
}

/// Status: the answer will follow.
pub const PENDING: u32 = 0x103;

/// The handle that means "the file that the part before me opened".
pub const SAME_FILE: u64 = u64::MAX;

/// The header of one part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Command code.
    pub command: u16,
    /// Status, in responses.
    pub status: u32,
    /// Message identifiers that the request takes up.
    pub credit_charge: u16,
    /// Credits asked for or granted.
    pub credits: u16,
    /// Flags.
    pub flags: u32,
    /// Message identifier.
    pub message: u64,
    /// Asynchronous id, where the flag is set.
    pub asynchronous: u64,
    /// Tree.
    pub tree: u32,
    /// Session.
    pub session: u64,
}

/// A message of one part, or a compound of several.
#[must_use]
pub fn message(parts: &[(Header, Vec<u8>)]) -> Vec<u8> {
    let mut out = Vec::with_capacity(128);
    for (index, (header, body)) in parts.iter().enumerate() {
        let last = index + 1 == parts.len();
        let length = if last {
            0
        } else {
            (64 + body.len()).next_multiple_of(8)
        };
        out.put(b"\xfeSMB").le16(64).le16(header.credit_charge);
        out.le32(header.status)
            .le16(header.command)
            .le16(header.credits);
        out.le32(header.flags)
            .le32(u32::try_from(length).unwrap_or(u32::MAX));
        out.le64(header.message);
        if header.flags & flag::ASYNC == 0 {
            out.le32(0xfeff).le32(header.tree);
        } else {
            out.le64(header.asynchronous);
        }
        out.le64(header.session).zeros(16).put(body);
        if !last {
            out.align(8);
        }
    }
    out
}

/// The outside of an encrypted message: what is inside cannot be read.
#[must_use]
pub fn encrypted(session: u64, nonce: u64, ciphertext: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(52 + ciphertext.len());
    // The tag of the cipher is as unreadable as the rest.
    let tag = nonce.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    out.put(b"\xfdSMB").le64(tag).le64(tag.rotate_left(29));
    out.le64(nonce).le64(0);
    out.le32(u32::try_from(ciphertext.len()).unwrap_or(u32::MAX));
    out.le16(0).le16(1).le64(session).put(ciphertext);
    out
}

/// A file's two identifiers, both made of one number.
pub(crate) fn put_file(out: &mut Vec<u8>, file: u64) {
    out.le64(file).le64(file);
}

/// UTF-16, as names are written.
pub(crate) fn wide(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: Header = Header {
        command: command::CLOSE,
        status: 0,
        credit_charge: 1,
        credits: 1,
        flags: 0,
        message: 7,
        asynchronous: 0,
        tree: 9,
        session: 11,
    };

    #[test]
    fn parts_of_a_compound_are_aligned_and_linked() {
        let part = (HEADER, vec![0; 25]);
        let out = message(&[part.clone(), part]);
        assert_eq!(out[20..24], [96, 0, 0, 0]);
        assert_eq!(&out[96..100], b"\xfeSMB");
        assert_eq!(out[96 + 20..96 + 24], [0; 4]);
        assert_eq!(out.len(), 96 + 89);
    }

    #[test]
    fn an_asynchronous_id_takes_the_place_of_process_and_tree() {
        let header = Header {
            flags: flag::ASYNC,
            asynchronous: 5,
            ..HEADER
        };
        assert_eq!(
            message(&[(header, Vec::new())])[32..40],
            [5, 0, 0, 0, 0, 0, 0, 0]
        );
    }

    #[test]
    fn encryption_shows_size_and_session() {
        let out = encrypted(0x0102, 3, &[0; 80]);
        assert_eq!(out.len(), 52 + 80);
        assert_eq!(out[36..40], [80, 0, 0, 0]);
        assert_eq!(out[42..46], [1, 0, 2, 1]);
    }
}

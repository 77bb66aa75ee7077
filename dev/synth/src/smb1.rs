//! SMB1 messages: the header, AndX chains, and the words and bytes of the commands.

pub mod request;
pub mod response;
pub mod transaction;

use crate::bytes::{Put, len16};

/// Command codes.
pub mod command {
    /// Close a file.
    pub const CLOSE: u8 = 0x04;
    /// Delete files by name.
    pub const DELETE: u8 = 0x06;
    /// File attributes by name.
    pub const QUERY_INFORMATION: u8 = 0x08;
    /// Core read.
    pub const READ: u8 = 0x0a;
    /// Core write.
    pub const WRITE: u8 = 0x0b;
    /// Read answered without header.
    pub const READ_RAW: u8 = 0x1a;
    /// Read answered in several messages.
    pub const READ_MPX: u8 = 0x1b;
    /// Write whose data follows without header.
    pub const WRITE_RAW: u8 = 0x1d;
    /// Write asked in several messages.
    pub const WRITE_MPX: u8 = 0x1e;
    /// Last answer to a raw write.
    pub const WRITE_COMPLETE: u8 = 0x20;
    /// Locks, and the acknowledgement of oplock breaks.
    pub const LOCKING_ANDX: u8 = 0x24;
    /// Echo.
    pub const ECHO: u8 = 0x2b;
    /// Open.
    pub const OPEN_ANDX: u8 = 0x2d;
    /// Read.
    pub const READ_ANDX: u8 = 0x2e;
    /// Write.
    pub const WRITE_ANDX: u8 = 0x2f;
    /// Transaction, second kind.
    pub const TRANSACTION2: u8 = 0x32;
    /// More of one.
    pub const TRANSACTION2_SECONDARY: u8 = 0x33;
    /// Leave a share.
    pub const TREE_DISCONNECT: u8 = 0x71;
    /// Agree on a dialect.
    pub const NEGOTIATE: u8 = 0x72;
    /// Log on.
    pub const SESSION_SETUP_ANDX: u8 = 0x73;
    /// Log off.
    pub const LOGOFF_ANDX: u8 = 0x74;
    /// Join a share.
    pub const TREE_CONNECT_ANDX: u8 = 0x75;
    /// Transaction of Windows NT.
    pub const NT_TRANSACT: u8 = 0xa0;
    /// Open as Windows NT does.
    pub const NT_CREATE_ANDX: u8 = 0xa2;
    /// Take a request back.
    pub const NT_CANCEL: u8 = 0xa4;
}

/// Whether another command can follow this one in the same message.
#[must_use]
pub const fn is_andx(code: u8) -> bool {
    matches!(
        code,
        command::LOCKING_ANDX
            | command::OPEN_ANDX
            | command::READ_ANDX
            | command::WRITE_ANDX
            | command::SESSION_SETUP_ANDX
            | command::LOGOFF_ANDX
            | command::TREE_CONNECT_ANDX
            | command::NT_CREATE_ANDX
    )
}

/// The flag that marks a message from the server.
pub const REPLY: u8 = 0x80;
/// Flags2: status codes are those of Windows NT.
pub const NT_STATUS: u16 = 0x4000;

/// The header of a message, without its command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Status, as it stands on the wire.
    pub status: u32,
    /// Flags.
    pub flags: u8,
    /// Flags2.
    pub flags2: u16,
    /// Directly over IPX: connection and sequence number; else zero.
    pub connectionless: (u16, u16),
    /// Tree.
    pub tid: u16,
    /// Process.
    pub pid: u16,
    /// User.
    pub uid: u16,
    /// Multiplex number.
    pub mid: u16,
}

/// A command in a message: its words and its bytes.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// Command code.
    pub command: u8,
    /// Parameter words. Those of an AndX command begin with four bytes for the chain.
    pub words: Vec<u8>,
    /// What follows the words.
    pub bytes: Vec<u8>,
    /// Words that say where something in the bytes begins: (place among the words in
    /// bytes, place in the bytes). The message fills them in, counted from its start.
    pub offsets: Vec<(usize, usize)>,
}

impl Block {
    /// A command without words or bytes; with the chain's four bytes if it has them.
    #[must_use]
    pub fn new(command: u8) -> Self {
        let mut words = Vec::new();
        if is_andx(command) {
            words.put(&[0xff, 0, 0, 0]);
        }
        Self {
            command,
            words,
            ..Self::default()
        }
    }

    /// Adds a 16-bit word that will say where the next byte of the bytes is.
    pub(crate) fn offset_here(&mut self) {
        self.offsets.push((self.words.len(), self.bytes.len()));
        self.words.le16(0);
    }
}

/// A message of one command, or of several chained ones.
#[must_use]
pub fn message(header: &Header, blocks: &[Block]) -> Vec<u8> {
    let command = blocks.first().map_or(0, |block| block.command);
    let mut out = Vec::with_capacity(64);
    out.put(b"\xffSMB").u8(command).le32(header.status);
    out.u8(header.flags).le16(header.flags2).le16(0);
    let (connection, sequence) = header.connectionless;
    out.le32(0).le16(connection).le16(sequence).le16(0);
    out.le16(header.tid).le16(header.pid);
    out.le16(header.uid).le16(header.mid);
    for (index, block) in blocks.iter().enumerate() {
        let start = out.len();
        out.u8((block.words.len() / 2) as u8).put(&block.words);
        out.le16(len16(&block.bytes));
        let bytes = out.len();
        out.put(&block.bytes);
        let mut patch = |at: usize, value: usize| {
            let value = u16::try_from(value).unwrap_or(u16::MAX);
            out[start + 1 + at..start + 3 + at].copy_from_slice(&value.to_le_bytes());
        };
        for (word, place) in &block.offsets {
            patch(*word, bytes + place);
        }
        if let Some(next) = blocks.get(index + 1) {
            // The chain: next command, and where its word count stands.
            let end = bytes + block.bytes.len();
            patch(2, end);
            patch(0, usize::from(next.command));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::smb1::request::{open_andx, read_andx};

    const HEADER: Header = Header {
        status: 0,
        flags: 0x18,
        flags2: NT_STATUS,
        connectionless: (0, 0),
        tid: 1,
        pid: 2,
        uid: 3,
        mid: 4,
    };

    #[test]
    fn the_header_is_32_bytes_and_ends_with_the_multiplex_number() {
        let out = message(&HEADER, &[Block::new(command::NT_CANCEL)]);
        assert_eq!(out.len(), 35);
        assert_eq!(out[..5], *b"\xffSMB\xa4");
        assert_eq!(out[24..32], [1, 0, 2, 0, 3, 0, 4, 0]);
        assert_eq!(out[32..], [0, 0, 0]);
    }

    #[test]
    fn a_chain_points_at_the_next_word_count() {
        let out = message(&HEADER, &[open_andx("A"), read_andx(0xffff, 0, 512)]);
        assert_eq!(out[33], command::READ_ANDX);
        let next = usize::from(u16::from_le_bytes([out[35], out[36]]));
        assert_eq!(out[next], 10, "words of READ_ANDX");
        assert_eq!(out[next + 1], 0xff, "nothing follows");
    }

    #[test]
    fn data_offsets_count_from_the_start_of_the_message() {
        let out = message(&HEADER, &[response::read_andx(b"data")]);
        let at = usize::from(u16::from_le_bytes([out[45], out[46]]));
        assert_eq!(&out[at..], b"data");
    }
}

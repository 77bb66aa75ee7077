//! DEC LAST with a header that is invented here: the real one is not public. What is real is
//! the type, the length word, and the message that keeps a circuit up, as four frames of a
//! public capture show it.
//!
//! The invented header is 20 bytes, little-endian: length (2), kind (1), flags (1), the
//! receiver's and the sender's number of the circuit (2 each), slot (2), sequence (2), segment
//! (1), segments (1), transaction of the buffer management (4), zeros (2). Sequence changes with
//! every copy of a request, transaction with every new request; the answer brings back both.

use crate::bytes::{Put, len16};

/// The EtherType.
pub const TYPE: u16 = 0x8041;

/// Bytes of the invented header.
pub const HEADER: usize = 20;

/// The largest payload of a frame, less the header.
pub const MOST: usize = 1500 - HEADER;

/// What the invented header says.
#[derive(Clone, Copy, Debug, Default)]
pub struct Header {
    /// 1 asks, 2 answers.
    pub kind: u8,
    /// The receiver's number of the circuit.
    pub to: u16,
    /// The sender's.
    pub from: u16,
    /// Which of the client's requests that may be outstanding it is about.
    pub slot: u16,
    /// Which copy.
    pub sequence: u16,
    /// Number of the segment and of all of them.
    pub segment: (u8, u8),
    /// Which request, however often it is sent.
    pub transaction: u32,
}

/// A message or a segment of one.
#[must_use]
pub fn message(h: Header, data: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(HEADER + data.len());
    out.le16(0).u8(h.kind).u8(0).le16(h.to).le16(h.from);
    out.le16(h.slot).le16(h.sequence);
    out.u8(h.segment.0).u8(h.segment.1);
    out.le32(h.transaction).zeros(2);
    out.put(data);
    with_length(out)
}

/// What keeps a circuit up, with `stale` in the 33 bytes that are sent as they are found in
/// memory.
#[must_use]
pub fn upkeep(address: [u8; 6], name: &str, stale: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(84);
    out.le16(0).le32(6).put(&address).le32(0);
    out.put(&[3, 1, 3, 3, 1]);
    let name = &name.as_bytes()[..name.len().min(24)];
    out.u8(name.len() as u8).put(name).zeros(24 - name.len());
    out.put(&[0x35, 0x10, 0, 0, 0]);
    out.put(&stale[..stale.len().min(33)]);
    out.resize(84, 0);
    with_length(out)
}

/// The length word counts all bytes, itself included.
fn with_length(mut out: Vec<u8>) -> Vec<u8> {
    let length = len16(&out).to_le_bytes();
    out[..2].copy_from_slice(&length);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_upkeep_of_a_real_capture() {
        let address = [0x08, 0x00, 0x2b, 0xe2, 0x86, 0x4c];
        let mut stale = b"\xffSMB%".to_vec();
        stale.resize(32, 0);
        stale.push(0x11);
        let out = upkeep(address, "ZINGER", &stale);
        assert_eq!(out.len(), 84);
        assert_eq!(
            out[..28],
            [
                0x54, 0, 6, 0, 0, 0, 8, 0, 0x2b, 0xe2, 0x86, 0x4c, 0, 0, 0, 0, 3, 1, 3, 3, 1, 6,
                b'Z', b'I', b'N', b'G', b'E', b'R'
            ]
        );
        assert_eq!(
            out[46..56],
            [0x35, 0x10, 0, 0, 0, 0xff, b'S', b'M', b'B', 0x25]
        );
        assert_eq!(out[83], 0x11);
    }

    #[test]
    fn the_invented_header_is_20_bytes() {
        let h = Header {
            kind: 1,
            to: 0x0201,
            from: 0x0403,
            slot: 1,
            sequence: 7,
            segment: (1, 2),
            transaction: 9,
        };
        assert_eq!(
            message(h, b"data"),
            [
                24, 0, 1, 0, 1, 2, 3, 4, 1, 0, 7, 0, 1, 2, 9, 0, 0, 0, 0, 0, b'd', b'a', b't', b'a'
            ]
        );
    }
}

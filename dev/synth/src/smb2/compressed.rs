//! Compressed messages (MS-SMB2 2.2.42): a head that stays as it is, then the rest packed.

use crate::bytes::Put;

/// How the rest is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packing {
    /// In one piece, with LZNT1.
    OnePiece,
    /// In a chain of pieces: the head as it is, then one byte with its number of repetitions.
    /// The rest must consist of that byte.
    Chain,
}

/// The message, of which `clear` bytes stay as they are.
#[must_use]
pub fn compressed(message: &[u8], clear: usize, packing: Packing) -> Vec<u8> {
    let (head, rest) = message.split_at(clear.min(message.len()));
    let mut out = Vec::with_capacity(32 + message.len());
    out.put(b"\xfcSMB");
    match packing {
        Packing::OnePiece => {
            out.le32(len32(rest)).le16(1).le16(0).le32(len32(head));
            out.put(head).put(&lznt1(rest));
        }
        Packing::Chain => {
            out.le32(len32(message));
            out.le16(0).le16(1).le32(len32(head)).put(head);
            let byte = rest.first().copied().unwrap_or_default();
            out.le16(4).le16(0).le32(8);
            out.u8(byte).u8(0).le16(0).le32(len32(rest));
        }
    }
    out
}

/// MS-XCA 2.5: chunks of up to 4096 bytes, each with a header of two bytes. A chunk of one
/// byte many times is a literal and a reference to it; any other is stored as it is.
fn lznt1(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for chunk in bytes.chunks(4096) {
        let uniform = chunk.iter().all(|byte| *byte == chunk[0]);
        // A reference is 3 to 4098 bytes long where one byte stands before it.
        match u16::try_from(chunk.len().saturating_sub(4)) {
            Ok(reference) if uniform && chunk.len() >= 4 => {
                out.le16(0xb003).u8(0x02).u8(chunk[0]).le16(reference);
            }
            _ => {
                let size = u16::try_from(chunk.len() - 1).unwrap_or(0x0fff);
                out.le16(0x3000 | size).put(chunk);
            }
        }
    }
    out
}

fn len32(bytes: &[u8]) -> u32 {
    u32::try_from(bytes.len()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_byte_many_times_is_six_bytes_a_chunk() {
        // 0xb003: compressed, signature 3, six bytes altogether less 3.
        let full = [0x03, 0xb0, 0x02, 7, 0xfc, 0x0f];
        let short = [0x03, 0xb0, 0x02, 7, 0x00, 0x00];
        assert_eq!(lznt1(&[7; 4100]), [full, short].concat());
        assert_eq!(lznt1(b"abcd"), b"\x03\x30abcd");
        assert_eq!(lznt1(&[7; 3]), b"\x02\x30\x07\x07\x07");
    }

    #[test]
    fn the_head_stays_as_it_is() {
        let message = [&[1, 2, 3][..], &[0; 100]].concat();
        let one = compressed(&message, 3, Packing::OnePiece);
        assert_eq!(
            one[..19],
            *b"\xfcSMB\x64\0\0\0\x01\0\0\0\x03\0\0\0\x01\x02\x03"
        );
        assert_eq!(one.len(), 19 + 6);
        let chain = compressed(&message, 3, Packing::Chain);
        assert_eq!(chain[4..8], [103, 0, 0, 0]);
        assert_eq!(
            chain[8..],
            *b"\0\0\x01\0\x03\0\0\0\x01\x02\x03\x04\0\0\0\x08\0\0\0\0\0\0\0\x64\0\0\0"
        );
    }
}

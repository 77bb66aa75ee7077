//! Finds an SMB in a message whose own header is of unknown length.
//!
//! The four bytes of the signature are not enough: memory is sent as it is, and what once was
//! an SMB stands in messages that carry none. So the rest must fit too: a known command, a
//! status that can be, words and bytes that end where the message ends.

use crate::parse::{le16, le32};
use crate::smb1::Command;
use wirewait_wire::Input;

const SIGNATURE: &[u8] = b"\xffSMB";
/// Header, word count and byte count.
const SHORTEST: u32 = 35;
/// Where the word count stands.
const WORD_COUNT: usize = 32;
/// Bytes that may stand behind an SMB in its message: padding, a checksum.
const TRAILER: u32 = 16;
/// No sender cuts a message into pieces shorter than this, so an SMB that goes on in the next
/// one comes in a message of at least this length.
const PIECE: u32 = 512;
/// Blocks that a chain of commands has at most.
const CHAIN: usize = 8;

/// An SMB in a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    /// Its first byte, from the start of the message.
    pub(crate) at: u32,
    /// Bytes of the whole of it, which may go on in further messages.
    pub(crate) length: u32,
    /// It answers.
    pub(crate) reply: bool,
}

/// The first SMB in the bytes `from..to`, if one is there. `more` says whether the message goes
/// on in another piece, where the carrier does.
pub(crate) fn smb(pdu: Input<'_>, from: u32, to: u32, more: Option<bool>) -> Option<Found> {
    let to = (to as usize).min(pdu.bytes.len());
    let bytes = pdu.bytes.get(from as usize..to)?;
    let starts = bytes
        .windows(SIGNATURE.len())
        .enumerate()
        .filter(|(_, four)| *four == SIGNATURE);
    starts
        .filter_map(|(n, _)| u32::try_from(n).ok()?.checked_add(from))
        .find_map(|at| plausible(pdu.skip(at), more).map(|found| Found { at, ..found }))
}

/// What begins with the signature, if the rest of it fits.
fn plausible(smb: Input<'_>, more: Option<bool>) -> Option<Found> {
    let b = smb.bytes;
    let command = Command(*b.get(4)?);
    let known = command.operation().name != "UNKNOWN" && command != Command::INVALID;
    let reply = b.get(9)? & 0x80 != 0;
    if !known || smb.length < SHORTEST || !status_fits(b, reply)? {
        return None;
    }
    let whole = match length(smb, command) {
        Some(whole) => whole,
        // The capture cut the counts off: nothing speaks against it.
        None if b.len() <= WORD_COUNT + 2 => smb.length,
        None => return None,
    };
    let fits = match more {
        Some(more) if more != (whole > smb.length) => false,
        _ if whole <= smb.length => smb.length - whole <= TRAILER,
        Some(_) => true,
        None => smb.length >= PIECE,
    };
    fits.then_some(Found {
        at: 0,
        length: whole,
        reply,
    })
}

/// A request has no status. That of a response is a class and a code with a zero between
/// them, or one of Windows NT, whose top bits say how severe it is.
fn status_fits(b: &[u8], reply: bool) -> Option<bool> {
    let status = le32(b, 5)?;
    let nt = le16(b, 10)? & 0x4000 != 0;
    let class = status & 0xff;
    Some(match (reply, nt) {
        (false, _) => status == 0,
        (true, true) => status == 0 || status >> 30 >= 2,
        (true, false) => {
            let known = matches!(class, 0x01..=0x04 | 0xe1..=0xe3 | 0xff);
            status == 0 || known && status & 0xff00 == 0 && status >> 16 != 0
        }
    })
}

/// Bytes of the whole SMB by its counts, and by those of the commands chained to it. `None`
/// if they lie outside of the message, or were not captured.
fn length(smb: Input<'_>, mut command: Command) -> Option<u32> {
    let b = smb.bytes;
    let mut at = WORD_COUNT;
    let mut end = 0;
    for _ in 0..CHAIN {
        let words = at + 1;
        let bytes = words + 2 * usize::from(*b.get(at)?);
        if bytes + 2 > smb.length as usize {
            return None;
        }
        let count = usize::from(le16(b, bytes)?);
        end = end.max(bytes + 2 + count);
        let next = usize::from(le16(b, words + 2).unwrap_or(0));
        let chained = command.is_andx() && bytes >= words + 4;
        if !chained || b.get(words) == Some(&Command::NONE.0) {
            break;
        }
        // The rest of a chain may be in the next message.
        if next < bytes + 2 || next + 3 > b.len() {
            break;
        }
        command = Command(b[words]);
        at = next;
    }
    u32::try_from(end).ok()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use proptest::prelude::*;

    /// An SMB with these words and bytes.
    pub(in crate::last) fn smb1(command: u8, flags: u8, words: &[u8], bytes: &[u8]) -> Vec<u8> {
        let mut m = SIGNATURE.to_vec();
        m.push(command);
        m.extend([0; 4]);
        m.push(flags);
        m.resize(32, 0);
        m.push(u8::try_from(words.len() / 2).unwrap());
        m.extend(words);
        m.extend(u16::try_from(bytes.len()).unwrap().to_le_bytes());
        m.extend(bytes);
        m
    }

    fn find(bytes: &[u8], more: Option<bool>) -> Option<Found> {
        smb(Input::whole(bytes), 0, u32::MAX, more)
    }

    fn behind(header: usize, smb: &[u8]) -> Vec<u8> {
        let mut m = vec![7; header];
        m.extend(smb);
        m
    }

    #[test]
    fn an_smb_behind_a_header_of_any_length() {
        let read = smb1(0x0a, 0, &[0; 10], &[]);
        for header in [0, 1, 38, 100] {
            let found = find(&behind(header, &read), None).unwrap();
            assert_eq!(found.at as usize, header);
            assert_eq!((found.length, found.reply), (45, false));
        }
        let mut reply = smb1(0x0a, 0x80, &[], &[]);
        reply[5] = 1;
        reply[7] = 6;
        assert!(find(&behind(9, &reply), None).is_some_and(|f| f.reply));
    }

    #[test]
    fn what_does_not_fit_is_stale_memory() {
        let good = behind(20, &smb1(0x0a, 0, &[0; 10], &[1, 2, 3]));
        assert!(find(&good, None).is_some());
        let changed = |at: usize, byte: u8| {
            let mut m = good.clone();
            m[at] = byte;
            find(&m, None)
        };
        assert_eq!(changed(24, 0x60), None, "no such command");
        assert_eq!(changed(25, 1), None, "a request with a status");
        assert_eq!(changed(52, 17), None, "more words than there is room for");
        assert_eq!(changed(63, 200), None, "more bytes, in a short message");
        let mut long = good.clone();
        long.extend([0; 17]);
        assert_eq!(find(&long, None), None, "ends too early");
        assert!(find(&long[..long.len() - 1], None).is_some());
        let mut status = behind(20, &smb1(0x0a, 0x80, &[], &[]));
        status[25..29].copy_from_slice(&[1, 9, 2, 0]);
        assert_eq!(find(&status, None), None, "no status has that");
    }

    #[test]
    fn an_smb_that_goes_on_elsewhere() {
        let read = smb1(0x0a, 0x80, &[0; 10], &[0; 4096]);
        let first = behind(30, &read[..1000]);
        let found = find(&first, None).unwrap();
        assert_eq!((found.at, found.length), (30, 45 + 4096));
        assert!(find(&first, Some(true)).is_some());
        assert_eq!(find(&first, Some(false)), None);
        assert_eq!(find(&behind(30, &read[..300]), None), None);
    }

    #[test]
    fn a_chain_is_as_long_as_its_last_command() {
        let mut m = smb1(0x2d, 0, &[0; 30], b"FILE");
        m[33] = 0x2e;
        m[35..37].copy_from_slice(&69u16.to_le_bytes());
        assert_eq!(m.len(), 69);
        m.push(10);
        m.push(0xff);
        m.extend([0; 19]);
        m.extend([2, 0, 9, 9]);
        assert_eq!(find(&m, Some(false)).unwrap().length as usize, m.len());
    }

    #[test]
    fn a_cut_capture_does_not_hide_it() {
        let whole = behind(20, &smb1(0x0a, 0, &[0; 10], &[]));
        let input = Input {
            bytes: &whole[..52],
            length: 65,
        };
        assert_eq!(smb(input, 2, 65, None).unwrap().length, 45);
    }

    proptest! {
        #[test]
        fn any_bytes(mut bytes in prop::collection::vec(any::<u8>(), 0..200), at in 0usize..200, cut in 0u32..3000) {
            if let Some(place) = bytes.get_mut(at..at + 4) {
                place.copy_from_slice(SIGNATURE);
            }
            let input = Input { bytes: &bytes, length: bytes.len() as u32 + cut };
            for more in [None, Some(false), Some(true)] {
                if let Some(found) = smb(input, 2, u32::MAX, more) {
                    prop_assert!(found.at >= 2 && found.at < input.length);
                    prop_assert!(found.length > 0);
                }
            }
        }
    }
}

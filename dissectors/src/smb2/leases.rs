//! The lease that a CREATE was given: its key, by which the server takes it back.

use super::commands::{BODY, le128};
use crate::parse::{le16, le32};

/// OplockLevel of an open with a lease (2.2.14).
pub(super) const LEASE: u8 = 0xff;
/// SMB2_CREATE_RESPONSE_LEASE and its version 2 (2.2.14.2.10, 2.2.14.2.11).
const NAME: &[u8] = b"RqLs";
/// More contexts than a response has.
const CONTEXTS: usize = 16;

/// The LeaseKey in the contexts of a CREATE response, which is whole.
#[cold]
pub(super) fn key(bytes: &[u8]) -> Option<u128> {
    let place = |of: u32| usize::try_from(of).ok();
    let first = place(le32(bytes, BODY + 80)?)?;
    let length = place(le32(bytes, BODY + 84)?)?;
    let mut list = bytes.get(first..)?;
    list = list.get(..length).unwrap_or(list);
    for _ in 0..CONTEXTS {
        let name = usize::from(le16(list, 4)?);
        if list.get(name..name.checked_add(NAME.len())?)? == NAME && le16(list, 6) == Some(4) {
            return le128(list, usize::from(le16(list, 10)?));
        }
        let next = place(le32(list, 0)?).filter(|next| *next > 0)?;
        list = list.get(next..)?;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2.2.13.2: Next, NameOffset, NameLength, Reserved, DataOffset, DataLength, then name and data.
    fn context(next: u32, name: &[u8; 4], data: &[u8]) -> Vec<u8> {
        let mut out = next.to_le_bytes().to_vec();
        out.extend([16, 0, 4, 0, 0, 0, 24, 0]);
        out.extend(u32::try_from(data.len()).unwrap().to_le_bytes());
        out.extend(name);
        out.extend([0; 4]);
        out.extend(data);
        out
    }

    fn response(contexts: &[u8]) -> Vec<u8> {
        let mut out = vec![0; 144];
        out.extend(152_u32.to_le_bytes());
        out.extend(u32::try_from(contexts.len()).unwrap().to_le_bytes());
        out.extend(contexts);
        out
    }

    #[test]
    fn the_key_of_a_lease_stands_in_its_context() {
        let data: Vec<u8> = (1..=32).collect();
        let lease = context(0, b"RqLs", &data);
        let wanted = u128::from_le_bytes(data[..16].try_into().unwrap());
        assert_eq!(key(&response(&lease)), Some(wanted));
        let mut both = context(56, b"MxAc", &data);
        both.extend(&lease);
        let whole = response(&both);
        assert_eq!(key(&whole), Some(wanted));
        assert_eq!(key(&response(&context(0, b"MxAc", &data))), None);
        assert_eq!(key(&response(&[])), None);
        // Cut by the capture; and a list that never ends.
        for end in 0..whole.len() - 16 {
            assert_eq!(key(&whole[..end]), None, "{end}");
        }
        assert_eq!(key(&response(&context(0, b"QFid", &data).repeat(40))), None);
    }
}

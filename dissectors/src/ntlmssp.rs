//! The user in an NTLM AUTHENTICATE_MESSAGE, bare or wrapped in SPNEGO. [MS-NLMP] 2.2.1.3.

use crate::parse::{le16, le32};
use wirewait_wire::Text;

const SIGNATURE: &[u8] = b"NTLMSSP\0";
const AUTHENTICATE: u32 = 3;
/// NegotiateFlags: strings are UTF-16 (2.2.2.5, "A").
const UNICODE: u32 = 1;

/// Bytes of a security buffer that are searched: SPNEGO puts a few dozen before the message.
const SEARCHED: usize = 256;

/// The user named in a security buffer; `None` in the other messages of the exchange, in
/// Kerberos, and where the name was not captured.
pub(crate) fn user(buffer: &[u8]) -> Option<Text<'_>> {
    let start = buffer
        .get(..buffer.len().min(SEARCHED))?
        .windows(SIGNATURE.len())
        .position(|window| window == SIGNATURE)?;
    let message = buffer.get(start..)?;
    if le32(message, 8)? != AUTHENTICATE {
        return None;
    }
    let length = usize::from(le16(message, 36)?);
    let at = usize::try_from(le32(message, 40)?).ok()?;
    let name = message.get(at..at.checked_add(length)?)?;
    // The oldest clients send no flags: the strings begin where they would stand.
    let unicode = at >= 64 && le32(message, 60)? & UNICODE != 0;
    Some(if unicode {
        Text::Utf16(name)
    } else {
        Text::Bytes(name)
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// An AUTHENTICATE_MESSAGE of this user in domain D, as 2.2.1.3 draws it.
    pub(crate) fn authenticate(user: &str) -> Vec<u8> {
        let wide = |s: &str| -> Vec<u8> { s.encode_utf16().flat_map(u16::to_le_bytes).collect() };
        let (domain, user) = (wide("D"), wide(user));
        let mut m = b"NTLMSSP\0\x03\0\0\0".to_vec();
        let mut at = 64u32;
        let mut payload: Vec<u8> = Vec::new();
        for field in [&[][..], &[], &domain, &user, &[], &[]] {
            let length = u16::try_from(field.len()).unwrap();
            m.extend(length.to_le_bytes());
            m.extend(length.to_le_bytes());
            m.extend(at.to_le_bytes());
            at += u32::from(length);
            payload.extend(field);
        }
        m.extend(UNICODE.to_le_bytes());
        m.extend(payload);
        m
    }

    #[test]
    fn a_user_is_found_in_a_wrapped_message() {
        let mut buffer = vec![0xa1, 0x82, 0x01, 0x02];
        buffer.extend(authenticate("anna"));
        assert_eq!(user(&buffer).unwrap().to_string(), "anna");
    }

    #[test]
    fn other_messages_name_nobody_and_lies_are_survived() {
        let mut m = authenticate("anna");
        for n in 0..m.len() {
            let _ = user(&m[..n]);
        }
        m[40..44].fill(0xff);
        assert_eq!(user(&m), None);
        m[8] = 1;
        assert_eq!(user(&m), None);
    }
}

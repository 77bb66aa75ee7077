//! The names in requests, and the dialect in the answer to a NEGOTIATE.

use super::commands::command;
use super::{Header, RESPONSE};
use crate::ntlmssp;
use crate::parse::le16;
use crate::share;
use wirewait_wire::{Input, Names, Naming, Text};

/// Whether a part with this header may name something.
pub(super) const fn has_some(h: &Header) -> bool {
    let response = h.has(RESPONSE);
    match h.command {
        command::NEGOTIATE => response,
        command::SESSION_SETUP | command::TREE_CONNECT | command::CREATE => !response,
        _ => false,
    }
}

/// Tells them.
pub(super) fn tell(input: Input<'_>, names: Names<'_>) {
    // The part may be all there is: where the next one begins does not matter here.
    let Ok(h) = Header::parse(input) else {
        return;
    };
    if !has_some(&h) {
        return;
    }
    match h.command {
        command::NEGOTIATE => {
            if let Some(dialect) = le16(input.bytes, 68).and_then(dialect) {
                names(Naming::Dialect, Text::Known(dialect));
            }
        }
        command::SESSION_SETUP => {
            if let Some(user) = buffer(input.bytes, 76).and_then(ntlmssp::user) {
                names(Naming::User, user);
            }
        }
        command::TREE_CONNECT => {
            if let Some(share) = buffer(input.bytes, 68) {
                share::tell(Text::Utf16(share), names);
            }
        }
        command::CREATE => match buffer(input.bytes, 108) {
            Some([]) => names(Naming::Path, Text::Known("\\")),
            Some(name) => names(Naming::Path, Text::Utf16(name)),
            None => {}
        },
        _ => {}
    }
}

/// The dialects that a server may choose (2.2.4, "DialectRevision").
const fn dialect(revision: u16) -> Option<&'static str> {
    Some(match revision {
        0x0202 => "SMB 2.0.2",
        0x0210 => "SMB 2.1",
        0x02ff => "SMB 2.???",
        0x0300 => "SMB 3.0",
        0x0302 => "SMB 3.0.2",
        0x0311 => "SMB 3.1.1",
        _ => return None,
    })
}

/// What lies at an offset, and with a length, that stand at `at`: as far as it was
/// captured, or nothing where none of it was.
fn buffer(bytes: &[u8], at: usize) -> Option<&[u8]> {
    let offset = usize::from(le16(bytes, at)?);
    let length = usize::from(le16(bytes, at + 2)?);
    if length == 0 {
        return Some(&[]);
    }
    let there = bytes.get(offset..)?;
    let cut = there.get(..length).unwrap_or(there);
    (!cut.is_empty()).then_some(cut)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{CREATE_READ_CLOSE, hex, message, with};
    use super::*;
    use crate::ntlmssp::tests::authenticate;

    fn told(m: &[u8]) -> Vec<(Naming, String)> {
        let mut found = Vec::new();
        tell(Input::whole(m), &mut |naming, text| {
            found.push((naming, text.to_string()));
        });
        found
    }

    /// Section 2.2.9: structure, flags, offset 72, length; then the path.
    #[test]
    fn a_share() {
        let path: Vec<u8> = r"\\FS1\DATA"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        let mut body = vec![9, 0, 0, 0, 72, 0, u8::try_from(path.len()).unwrap(), 0];
        body.extend(path);
        let m = message(command::TREE_CONNECT, 0, 4, &body);
        assert_eq!(told(&m), [(Naming::Share, r"\\FS1\DATA".to_owned())]);
    }

    #[test]
    fn the_file_of_the_first_part_and_the_root() {
        let m = hex(CREATE_READ_CLOSE);
        assert_eq!(told(&m), [(Naming::Path, "data4m.bin".to_owned())]);
        let root = with(m, 110, &[0, 0]);
        assert_eq!(told(&root), [(Naming::Path, "\\".to_owned())]);
    }

    /// Section 2.2.5: structure 25, flags, mode, channel, capabilities, previous session
    /// would be longer; SecurityBufferOffset at 12, its length at 14.
    #[test]
    fn a_user() {
        let blob = authenticate("anna");
        let mut body = vec![0u8; 24];
        body[0] = 25;
        body[12..14].copy_from_slice(&88u16.to_le_bytes());
        body[14..16].copy_from_slice(&u16::try_from(blob.len()).unwrap().to_le_bytes());
        body.extend(blob);
        let m = message(command::SESSION_SETUP, 0, 2, &body);
        assert_eq!(told(&m), [(Naming::User, "anna".to_owned())]);
    }

    #[test]
    fn the_dialect_that_the_server_chose() {
        let body = [65, 0, 1, 0, 0x11, 0x03, 0, 0];
        let m = message(command::NEGOTIATE, RESPONSE, 0, &body);
        assert_eq!(told(&m), [(Naming::Dialect, "SMB 3.1.1".to_owned())]);
        assert_eq!(told(&message(command::NEGOTIATE, 0, 0, &body)), []);
    }
}

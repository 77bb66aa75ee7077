//! The names in requests: dialects, users, shares, paths.

use super::andx::{Block, Blocks};
use super::{Command, Header, transact};
use crate::ntlmssp;
use crate::share;
use wirewait_wire::{Input, Names, Naming, Text};

/// Whether a request with this block may name something.
pub(super) fn has_some(b: &Block<'_>) -> bool {
    match b.command {
        Command::NEGOTIATE
        | Command::SESSION_SETUP_ANDX
        | Command::TREE_CONNECT_ANDX
        | Command::TRANSACTION
        | Command::OPEN_ANDX
        | Command::NT_CREATE_ANDX => true,
        Command::TRANSACTION2 => transact::path_at(b).is_some(),
        command => begins_with_format(command),
    }
}

/// Tells them.
pub(super) fn tell(input: Input<'_>, names: Names<'_>) {
    let Ok(h) = Header::parse(input) else {
        return;
    };
    for block in Blocks::new(&h, input) {
        tell_block(&h, &block, names);
    }
}

fn tell_block(h: &Header, b: &Block<'_>, names: Names<'_>) {
    let wide = h.is_unicode();
    let start = b.bytes_at();
    let mut path = |at: usize, length: Option<usize>| {
        if let Some(text) = string(b, at, wide, length) {
            names(Naming::Path, text);
        }
    };
    match b.command {
        Command::NEGOTIATE => {
            // Each is 02 and a string (MS-CIFS 2.2.4.52.1).
            for entry in b.bytes().split(|byte| *byte == 0) {
                if let Some((2, dialect)) = entry.split_first() {
                    names(Naming::Dialect, Text::Bytes(dialect));
                }
            }
        }
        Command::SESSION_SETUP_ANDX => user(b, wide, names),
        Command::TREE_CONNECT_ANDX => {
            if let Some(password) = b.u16(6)
                && let Some(text) = string(b, start + usize::from(password), wide, None)
            {
                share::tell(text, names);
            }
        }
        Command::TREE_CONNECT if b.bytes().first() == Some(&4) => {
            if let Some(text) = string(b, start + 1, wide, None) {
                share::tell(text, names);
            }
        }
        // A pipe that is open is known by its FID; what stands here then is only "\PIPE\".
        Command::TRANSACTION if transact::request(b).fid.is_none() => path(start, None),
        Command::TRANSACTION2 => {
            if let Some(at) = transact::path_at(b) {
                path(at, None);
            }
        }
        Command::OPEN_ANDX => path(start, None),
        // Without a name it opens the root of the share.
        Command::NT_CREATE_ANDX if b.u16(5) == Some(0) => names(Naming::Path, Text::Known("\\")),
        Command::NT_CREATE_ANDX => path(start, b.u16(5).map(usize::from)),
        command if begins_with_format(command) && b.bytes().first() == Some(&4) => {
            path(start + 1, None);
        }
        _ => {}
    }
}

/// Commands whose bytes begin with 04 and a path (MS-CIFS 2.2.4.1 and on), or with a share.
pub(super) const fn begins_with_format(command: Command) -> bool {
    matches!(
        command,
        Command::CREATE_DIRECTORY
            | Command::DELETE_DIRECTORY
            | Command::OPEN
            | Command::CREATE
            | Command::CREATE_TEMPORARY
            | Command::CREATE_NEW
            | Command::DELETE
            | Command::RENAME
            | Command::NT_RENAME
            | Command::QUERY_INFORMATION
            | Command::SET_INFORMATION
            | Command::CHECK_DIRECTORY
            | Command::TREE_CONNECT
            | Command::SEARCH
            | Command::FIND
            | Command::FIND_UNIQUE
            | Command::OPEN_PRINT_FILE
    )
}

/// The account of a SESSION_SETUP_ANDX, in each of its three forms: LAN Manager (10 words),
/// NT (13), extended security (12, MS-SMB 2.2.4.6.1).
fn user(b: &Block<'_>, wide: bool, names: Names<'_>) {
    let start = b.bytes_at();
    let length = |at| b.u16(at).map(usize::from);
    let text = match b.word_count {
        Some(10) => length(14).and_then(|password| string(b, start + password, wide, None)),
        Some(13) => length(14)
            .zip(length(16))
            .and_then(|(one, other)| string(b, start + one + other, wide, None)),
        Some(12) => length(14)
            .and_then(|blob| b.bytes().get(..blob.min(b.bytes().len())))
            .and_then(ntlmssp::user),
        _ => None,
    };
    if let Some(text) = text {
        names(Naming::User, text);
    }
}

/// The string at `at` of the message. UTF-16 begins at an even place of the message.
fn string<'a>(b: &Block<'a>, at: usize, wide: bool, length: Option<usize>) -> Option<Text<'a>> {
    let at = if wide { at.next_multiple_of(2) } else { at };
    let bytes = b.message.bytes.get(at..)?;
    let bytes = length.and_then(|n| bytes.get(..n)).unwrap_or(bytes);
    Some(if wide {
        Text::Utf16(bytes)
    } else {
        Text::Bytes(bytes)
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::{message, words};
    use super::*;
    use crate::ntlmssp::tests::authenticate;

    fn told(m: &[u8]) -> Vec<(Naming, String)> {
        let mut found = Vec::new();
        tell(Input::whole(m), &mut |naming, text| {
            found.push((naming, text.to_string()));
        });
        found
    }

    fn unicode(mut m: Vec<u8>) -> Vec<u8> {
        m[11] |= 0x80;
        m
    }

    #[test]
    fn dialects_in_their_order() {
        let m = message(0x72, 0, &[], b"\x02LANMAN1.0\0\x02NT LM 0.12\0");
        let named = |name: &str| (Naming::Dialect, name.to_owned());
        assert_eq!(told(&m), [named("LANMAN1.0"), named("NT LM 0.12")]);
    }

    #[test]
    fn a_user_in_each_form_of_session_setup() {
        let user = |name: &str| vec![(Naming::User, name.to_owned())];
        let mut w = [0u8; 26];
        w[0] = 0xff;
        w[14] = 3;
        assert_eq!(
            told(&message(0x73, 0, &w[..20], b"pw\0ANNA\0D\0")),
            user("ANNA")
        );
        w[16] = 2;
        assert_eq!(told(&message(0x73, 0, &w, b"abcdeANNA\0D\0")), user("ANNA"));
        let blob = authenticate("anna");
        w[14..16].copy_from_slice(&u16::try_from(blob.len()).unwrap().to_le_bytes());
        assert_eq!(told(&message(0x73, 0, &w[..24], &blob)), user("anna"));
    }

    #[test]
    fn shares_and_paths_in_both_character_sets() {
        let share = |name: &str| vec![(Naming::Share, name.to_owned())];
        let path = |name: &str| vec![(Naming::Path, name.to_owned())];
        let m = message(0x75, 0, &words([0xff, 0, 0, 1]), b"\0\\\\FS1\\DATA\0A:\0");
        assert_eq!(told(&m), share(r"\\FS1\DATA"));
        let m = message(0x70, 0, &[], b"\x04\\\\FS1\\DATA\0\x04\0\x04A:\0");
        assert_eq!(told(&m), share(r"\\FS1\DATA"));
        let m = message(0x02, 0, &words([0, 0]), b"\x04\\A.TXT\0");
        assert_eq!(told(&m), path(r"\A.TXT"));
        // NT_CREATE_ANDX: 24 words, the name two bytes a character behind a pad byte.
        let mut w = [0u8; 48];
        w[0] = 0xff;
        w[5] = 4;
        let m = unicode(message(0xa2, 0, &w, b"\0\\\0A\0B\0"));
        assert_eq!(told(&m), path(r"\A"));
    }

    #[test]
    fn a_transaction_on_an_open_pipe_names_nothing() {
        let mut w = [0u8; 32];
        w[26] = 2;
        w[28] = 0x26;
        w[30] = 7;
        assert_eq!(told(&message(0x25, 0, &w, b"\\PIPE\\\0")), []);
        let m = message(0x25, 0, &[0; 28], b"\\PIPE\\LANMAN\0");
        assert_eq!(told(&m), [(Naming::Path, r"\PIPE\LANMAN".to_owned())]);
    }
}

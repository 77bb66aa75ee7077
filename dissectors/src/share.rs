//! Names of shares, in every version of SMB.

use wirewait_wire::{Names, Naming, Text};

/// The share of pipes, which every server has (MS-CIFS 2.2.4.55.1, MS-SMB2 2.2.10).
const PIPES: &[u8] = b"IPC$";

/// Tells a share's name, and whether what is opened there are pipes.
pub(crate) fn tell(text: Text<'_>, names: Names<'_>) {
    names(Naming::Share, text);
    let pipes = match text {
        Text::Bytes(bytes) => ends_with_pipes(bytes.iter().copied()),
        Text::Utf16(bytes) => {
            let low = bytes
                .chunks_exact(2)
                .map(|c| if c[1] == 0 { c[0] } else { 1 });
            ends_with_pipes(low)
        }
        Text::Components { .. } | Text::Known(_) => false,
    };
    if pipes {
        names(Naming::Pipes, text);
    }
}

/// As far as the first zero.
fn ends_with_pipes(characters: impl Iterator<Item = u8>) -> bool {
    let mut end = [0; PIPES.len()];
    for c in characters.take_while(|c| *c != 0) {
        end.rotate_left(1);
        end[PIPES.len() - 1] = c;
    }
    end.eq_ignore_ascii_case(PIPES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pipes_are_known_by_the_name_of_their_share() {
        let pipes = |text: Text<'_>| {
            let mut told = Vec::new();
            tell(text, &mut |naming, _| told.push(naming));
            assert_eq!(told[0], Naming::Share);
            told.len() == 2
        };
        assert!(pipes(Text::Bytes(b"\\\\FS1\\IPC$")));
        assert!(pipes(Text::Bytes(b"ipc$\0rest")));
        assert!(pipes(Text::Utf16(b"I\0P\0C\0$\0\0\0x\0")));
        assert!(!pipes(Text::Utf16(b"I\x01P\0C\0$\0")));
        assert!(!pipes(Text::Bytes(b"PC$")));
        assert!(!pipes(Text::Bytes(b"IPC$2")));
    }
}

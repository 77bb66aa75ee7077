//! Mailslots: one-way messages to a name, in SMB TRANSACTION messages that are not answered.
//! MS-MAIL 2.2.1. Each mailslot has a protocol of its own; they are told apart by name.

use std::fmt::{self, Write};
use wirewait_wire::{Fault, Fields, Input, Key, Layer, Next, Table, Value};

/// What a mailslot message carries, by the mailslot that it is for.
pub const MAILSLOT: Table = Table::new("smb.mailslot");

/// Messages to `\MAILSLOT\BROWSE`.
pub const BROWSE: Key = MAILSLOT.key(1);

/// Messages to `\MAILSLOT\LANMAN`.
pub const LANMAN: Key = MAILSLOT.key(2);

/// Messages to `\MAILSLOT\NET\NETLOGON` and the mailslots that its answers go to.
pub const NETLOGON: Key = MAILSLOT.key(3);

/// Mailslots with a protocol that is read here, by the beginnings of their names.
pub(crate) const KNOWN: [(&[u8], Key); 7] = [
    (b"\\MAILSLOT\\BROWSE", BROWSE),
    (b"\\MAILSLOT\\LANMAN", LANMAN),
    (b"\\MAILSLOT\\NET\\NETLOGON", NETLOGON),
    (b"\\MAILSLOT\\NET\\NTLOGON", NETLOGON),
    (b"\\MAILSLOT\\NET\\GETDC", NETLOGON),
    (b"\\MAILSLOT\\TEMP\\NETLOGON", NETLOGON),
    (b"\\MAILSLOT\\TEMP\\GETDC", NETLOGON),
];

/// Characters of a name in a line.
const SHOWN: usize = 80;

/// What a host is and offers: SV_TYPE bits (MS-BRWS 2.2.1, MS-RAP 2.5.5.3.1).
pub(crate) const SERVER_TYPE: &[(u64, &str)] = &[
    (0x0000_0001, "Workstation"),
    (0x0000_0002, "Server"),
    (0x0000_0004, "SQL server"),
    (0x0000_0008, "Domain controller"),
    (0x0000_0010, "Backup domain controller"),
    (0x0000_0020, "Time source"),
    (0x0000_0040, "Apple file server"),
    (0x0000_0080, "Novell server"),
    (0x0000_0100, "Domain member"),
    (0x0000_0200, "Print queue server"),
    (0x0000_0400, "Dial-in server"),
    (0x0000_0800, "Xenix server"),
    (0x0000_1000, "NT workstation"),
    (0x0000_2000, "Windows for Workgroups"),
    (0x0000_4000, "File and print for NetWare"),
    (0x0000_8000, "NT server"),
    (0x0001_0000, "Potential browser"),
    (0x0002_0000, "Backup browser"),
    (0x0004_0000, "Master browser"),
    (0x0008_0000, "Domain master browser"),
    (0x0010_0000, "OSF"),
    (0x0020_0000, "VMS"),
    (0x0040_0000, "Windows 95 or above"),
    (0x0080_0000, "DFS root"),
    (0x0100_0000, "Cluster"),
    (0x0200_0000, "Terminal server"),
    (0x1000_0000, "DCE"),
    (0x2000_0000, "Alternate transport"),
    (0x4000_0000, "Local list only"),
    (0x8000_0000, "Domain enumeration"),
];

/// A message that is all its protocol's, of which `least` bytes say what it is.
pub(crate) fn whole(input: Input<'_>, least: u32) -> Result<Layer, Fault> {
    if (input.bytes.len() as u64) < least.into() {
        return Err(Fault::Short { offset: 0 });
    }
    Ok(Layer::over(input, input.length, Next::NONE))
}

/// Adds the names in a message to a line about it.
pub(crate) fn names(
    input: Input<'_>,
    fields: fn(&mut Fields<'_>) -> Option<()>,
    out: &mut dyn Write,
) -> fmt::Result {
    let mut f = Fields::new(input, None);
    // Where the message was cut off, the names before that are shown.
    let _ = fields(&mut f);
    for field in f.finish() {
        let Value::Text(text) = field.value else {
            continue;
        };
        let is_name = field.name.ends_with("name")
            || matches!(&*field.name, "Machine group" | "Browser to promote");
        if is_name && !text.trim_end().is_empty() {
            out.write_char(' ')?;
            for c in text.trim_end().chars().take(SHOWN) {
                match c {
                    '\\' | '\'' => out.write_char(c)?,
                    c => write!(out, "{}", c.escape_debug())?,
                }
            }
        }
    }
    Ok(())
}

/// A string of one byte a character up to its terminator, if anything is left.
pub(crate) fn string(f: &mut Fields<'_>, name: &'static str) -> Option<()> {
    let bytes = f.peek();
    let end = bytes.iter().position(|b| *b == 0).map(|n| n + 1);
    let n = end.and_then(|n| u32::try_from(n).ok());
    f.text(n.unwrap_or(f.left()), name).map(|_| ())
}

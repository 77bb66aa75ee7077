//! The bytes behind the parameter words: names, passwords, lists, data. MS-CIFS 2.2.4.

use super::super::Command;
use super::params::*;
use super::{Block, Header, bits, place, transaction};
use wirewait_wire::Fields;

/// Reads the byte block of one command.
pub(super) fn read(f: &mut Fields<'_>, h: &Header, b: &Block<'_>) -> Option<()> {
    if let Some((at, length)) = data(h, b).filter(|data| place(data.0) <= end(f)) {
        f.until(place(at), "Padding")?;
        // What is missing of it is cut off; nothing is if another protocol reads it.
        if f.left() > 0 {
            f.bytes(length.min(f.left()), "Data")?;
        }
        return Some(());
    }
    let wide = h.is_unicode();
    match (b.command, h.response) {
        (Command::NEGOTIATE, false) => dialects(f),
        (Command::NEGOTIATE, true) => negotiated(f, b, wide),
        (Command::SESSION_SETUP_ANDX, false) => session_setup(f, b, wide),
        (Command::SESSION_SETUP_ANDX, true) if matches!(b.word_count, Some(3 | 4)) => {
            if b.has_words(4) {
                f.bytes(length(f, b.u16(6)), "Security blob")?;
            }
            strings(
                f,
                wide,
                &["Native OS", "Native LAN manager", "Primary domain"],
            )
        }
        (Command::TREE_CONNECT_ANDX, false) => {
            f.bytes(length(f, b.u16(6)), "Password")?;
            string(f, "Path", wide)?;
            string(f, "Service", false)
        }
        (Command::TREE_CONNECT_ANDX, true) => {
            string(f, "Service", false)?;
            string(f, "Native file system", wide)
        }
        (Command::LOCKING_ANDX, false) => locks(f, b),
        (Command::OPEN_ANDX, false) => string(f, "File name", wide),
        (Command::NT_CREATE_ANDX, false) => {
            align(f, wide)?;
            let n = length(f, b.u16(5));
            text(f, n, "File name", wide)
        }
        (Command::ECHO, _) => f.rest("Data").map(|_| ()),
        (Command::SEARCH | Command::FIND | Command::FIND_UNIQUE | Command::FIND_CLOSE, true) => {
            entries(f)
        }
        (Command::GET_PRINT_QUEUE, true) => queue(f),
        (command, _) if transaction::has_own_words(command) => transaction::bytes(f, h, b),
        (command, _) => formatted(f, wide, formats(command)),
    }
}

/// Data of a command that lies behind the commands chained to it.
pub(super) fn data_behind(f: &mut Fields<'_>, h: &Header, b: &Block<'_>) -> Option<()> {
    let Some((at, length)) = data(h, b) else {
        return Some(());
    };
    if f.at() <= place(at) && place(at) < end(f) {
        f.until(place(at), "Padding")?;
        f.bytes(length.min(f.left()), "Data")?;
    }
    Some(())
}

/// Where the part at hand ends.
pub(super) fn end(f: &Fields<'_>) -> u32 {
    f.at().saturating_add(f.left())
}

/// Where the data of a command ends that says itself where it lies and how long it is.
pub(super) fn data_end(h: &Header, b: &Block<'_>) -> u32 {
    data(h, b).map_or(0, |(at, length)| place(at).saturating_add(length))
}

/// Where file data lies and how long it is, for commands that have an offset for it.
fn data(h: &Header, b: &Block<'_>) -> Option<(usize, u32)> {
    // Data length, its upper half, offset; as places in the words.
    let (low, high, offset) = match (b.command, h.response) {
        (Command::READ_ANDX, true) => (10, Some(14), 12),
        (Command::READ_MPX | Command::READ_MPX_SECONDARY, true) => (12, None, 14),
        (Command::WRITE_ANDX, false) => (20, Some(18), 22),
        (Command::WRITE_RAW | Command::WRITE_MPX, false) => (20, None, 22),
        (Command::WRITE_MPX_SECONDARY, false) => (12, None, 14),
        (Command::WRITE_AND_CLOSE, false) => {
            // Behind one byte that aligns it (MS-CIFS 2.2.4.40.1).
            return Some((b.bytes_at() + 1, b.u16(2)?.into()));
        }
        _ => return None,
    };
    let high = high.and_then(|at| b.u16(at)).unwrap_or(0);
    let length = u32::from(high) << 16 | u32::from(b.u16(low)?);
    let at = usize::from(b.u16(offset)?);
    (length > 0 && at >= b.bytes_at()).then_some((at, length))
}

/// A length from the words, no longer than the bytes at hand.
fn length(f: &Fields<'_>, words: Option<u16>) -> u32 {
    u32::from(words.unwrap_or(0)).min(f.left())
}

/// The dialects of a request, one by one (MS-CIFS 2.2.4.52.1).
fn dialects(f: &mut Fields<'_>) -> Option<()> {
    let mut index = 0u32;
    while f.peek().first() == Some(&2) {
        f.open("Dialect");
        f.u8("Buffer format")?;
        f.means("dialect");
        string(f, "Name", false)?;
        f.means(format_args!("index {index}"));
        f.close();
        index += 1;
    }
    Some(())
}

/// MS-CIFS 2.2.4.52.2, MS-SMB 2.2.4.5.2.
fn negotiated(f: &mut Fields<'_>, b: &Block<'_>, wide: bool) -> Option<()> {
    const EXTENDED_SECURITY: u32 = 1 << 31;
    match b.word_count {
        Some(17) if b.u32(19).is_some_and(|c| c & EXTENDED_SECURITY != 0) => {
            f.bytes(16.min(f.left()), "Server GUID")?;
            f.rest("Security blob").map(|_| ())
        }
        Some(17) => {
            f.bytes(length(f, b.u8(33).map(u16::from)), "Challenge")?;
            // Not aligned, unlike all other strings.
            string_here(f, "Domain name", wide)?;
            string_here(f, "Server name", wide)
        }
        Some(13) => {
            f.bytes(length(f, b.u16(22)), "Challenge")?;
            string(f, "Primary domain", false)
        }
        _ => Some(()),
    }
}

/// MS-CIFS 2.2.4.53.1, MS-SMB 2.2.4.6.1.
fn session_setup(f: &mut Fields<'_>, b: &Block<'_>, wide: bool) -> Option<()> {
    match b.word_count {
        Some(12) => {
            f.bytes(length(f, b.u16(14)), "Security blob")?;
            return strings(
                f,
                wide,
                &["Native OS", "Native LAN manager", "Primary domain"],
            );
        }
        Some(10) => {
            f.bytes(length(f, b.u16(14)), "Account password")?;
        }
        _ => {
            f.bytes(length(f, b.u16(14)), "OEM password")?;
            f.bytes(length(f, b.u16(16)), "Unicode password")?;
        }
    }
    strings(
        f,
        wide,
        &[
            "Account name",
            "Primary domain",
            "Native OS",
            "Native LAN manager",
        ],
    )
}

/// The ranges to unlock and to lock (MS-CIFS 2.2.4.32.1).
fn locks(f: &mut Fields<'_>, b: &Block<'_>) -> Option<()> {
    const SMALL: FieldTable = &[le16("Process ID").hex(), le32("Offset"), le32("Length")];
    const LARGE: FieldTable = &[
        le16("Process ID").hex(),
        reserved(2),
        le32("Offset high"),
        le32("Offset low"),
        le32("Length high"),
        le32("Length low"),
    ];
    let (items, size) = match b.u8(6) {
        Some(kind) if kind & 0x10 != 0 => (LARGE, 20),
        _ => (SMALL, 10),
    };
    for (name, count) in [("Unlock", b.u16(12)), ("Lock", b.u16(14))] {
        for _ in 0..count.unwrap_or(0) {
            if f.left() < size {
                return Some(());
            }
            f.open(name);
            describe_present(f, items)?;
            f.close();
        }
    }
    Some(())
}

/// Entries of a directory, 43 bytes each (MS-CIFS 2.2.4.58.2).
fn entries(f: &mut Fields<'_>) -> Option<()> {
    const ENTRY: FieldTable = &[
        bytes(21, "Resume key"),
        u8("File attributes").flags(bits::ATTRIBUTES),
        time("Last write time"),
        date("Last write date"),
        le32("File size"),
    ];
    buffer_header(f, "variable block")?;
    while f.left() >= 43 {
        f.open("Directory entry");
        describe_present(f, ENTRY)?;
        f.text(13, "File name")?;
        f.close();
    }
    Some(())
}

/// Entries of a print queue, 28 bytes each (MS-CIFS 2.2.4.70.2).
fn queue(f: &mut Fields<'_>) -> Option<()> {
    const ENTRY: FieldTable = &[
        date("File date"),
        time("File time"),
        u8("Status").codes(PRINT_STATUS),
        le16("Spool file number"),
        le32("Spool file size"),
        reserved(1),
    ];
    const PRINT_STATUS: ValueNames = &[
        (1, "held or stopped"),
        (2, "printing"),
        (3, "awaiting print"),
        (4, "in intercept"),
        (5, "file had an error"),
        (6, "printer error"),
    ];
    buffer_header(f, "data block")?;
    while f.left() >= 28 {
        f.open("Queue entry");
        describe_present(f, ENTRY)?;
        f.text(16, "Originator name")?;
        f.close();
    }
    Some(())
}

/// What a data block or variable block begins with.
fn buffer_header(f: &mut Fields<'_>, meaning: &str) -> Option<()> {
    if f.left() >= 3 {
        f.u8("Buffer format")?;
        f.means(meaning);
        f.le16("Buffer length")?;
    }
    Some(())
}

/// What the strings and blocks of a core command are, in their order.
fn formats(command: Command) -> &'static [&'static str] {
    match command {
        Command::CREATE_DIRECTORY | Command::DELETE_DIRECTORY | Command::CHECK_DIRECTORY => {
            &["Directory name"]
        }
        Command::RENAME | Command::NT_RENAME => &["Old file name", "New file name"],
        Command::COPY | Command::MOVE => &["Source file name", "Target file name"],
        Command::TREE_CONNECT => &["Path", "Password", "Service"],
        Command::SEARCH | Command::FIND | Command::FIND_UNIQUE | Command::FIND_CLOSE => {
            &["File name", "Resume key"]
        }
        Command::CREATE_TEMPORARY => &["Directory or file name"],
        Command::OPEN_PRINT_FILE => &["Identifier"],
        Command::SEND_MESSAGE | Command::SEND_START_MULTI_BLOCK => {
            &["Originator name", "Destination name", "Message"]
        }
        Command::SEND_BROADCAST => &["Originator name", "Message"],
        Command::SEND_TEXT_MULTI_BLOCK => &["Message"],
        Command::FORWARD_USER_NAME | Command::CANCEL_FORWARD => &["Forwarded name"],
        Command::GET_MACHINE_NAME => &["Machine name"],
        Command::READ | Command::LOCK_AND_READ => &["Data"],
        Command::WRITE | Command::WRITE_AND_UNLOCK | Command::WRITE_PRINT_FILE => &["Data"],
        Command::OPEN
        | Command::CREATE
        | Command::CREATE_NEW
        | Command::DELETE
        | Command::QUERY_INFORMATION
        | Command::SET_INFORMATION => &["File name"],
        _ => &[],
    }
}

/// Buffers that say themselves what they are: 01 data, 02 dialect, 03 path, 04 string, 05
/// variable block (MS-CIFS 2.2.3.3), with these names in turn.
fn formatted(f: &mut Fields<'_>, wide: bool, names: &[&'static str]) -> Option<()> {
    for &name in names {
        match f.peek().first() {
            Some(format @ (1 | 5)) if f.left() >= 3 => {
                let variable = *format == 5;
                let bytes = f.peek();
                buffer_header(
                    f,
                    if variable {
                        "variable block"
                    } else {
                        "data block"
                    },
                )?;
                let n = length(f, crate::parse::le16(bytes, 1));
                f.bytes(n, name)?;
            }
            Some(format @ 2..=4) => {
                let meaning = match format {
                    2 => "dialect",
                    3 => "path",
                    _ => "string",
                };
                f.u8("Buffer format")?;
                f.means(meaning);
                // Names of services and passwords are never Unicode (MS-CIFS 2.2.4.50.1).
                let plain = matches!(name, "Password" | "Service");
                string(f, name, wide && !plain)?;
            }
            _ => break,
        }
    }
    Some(())
}

/// Strings one after the other, as far as there are any.
fn strings(f: &mut Fields<'_>, wide: bool, names: &[&'static str]) -> Option<()> {
    for &name in names {
        string(f, name, wide)?;
    }
    Some(())
}

/// A string up to its terminator, or to the end of the part at hand; UTF-16 begins at an
/// even place of the message (MS-CIFS 2.2.1.1.1).
pub(super) fn string(f: &mut Fields<'_>, name: &'static str, wide: bool) -> Option<()> {
    align(f, wide)?;
    string_here(f, name, wide)
}

/// A string that begins where it begins.
fn string_here(f: &mut Fields<'_>, name: &'static str, wide: bool) -> Option<()> {
    let bytes = f.peek();
    let end = if wide {
        let units = bytes.chunks_exact(2).position(|unit| unit == [0, 0]);
        units.map(|n| 2 * n + 2)
    } else {
        bytes.iter().position(|b| *b == 0).map(|n| n + 1)
    };
    let n = end.map_or(f.left(), place);
    text(f, n, name, wide)
}

/// Text of `n` bytes, in UTF-16 if `wide`.
pub(super) fn text(f: &mut Fields<'_>, n: u32, name: &'static str, wide: bool) -> Option<()> {
    if wide {
        f.utf16(n, name).map(|_| ())
    } else {
        f.text(n, name).map(|_| ())
    }
}

/// The byte that brings UTF-16 to an even place.
fn align(f: &mut Fields<'_>, wide: bool) -> Option<()> {
    if wide && f.left() > 0 && f.at() % 2 == 1 {
        f.bytes(1, "Padding")?;
    }
    Some(())
}

//! The parameter words of every request, in the order of their command codes. What AndX
//! commands begin with is read before. MS-CIFS 2.2.4 (each command, "Request"), MS-SMB 2.2.4.

use super::super::Command;
use super::bits;
use super::layout::Item::{
    self, Bits8, Bits16, Bits32, Code8, Code16, Code32, Date, Id, Id32, Reserved, Seconds, Time,
    Timeout, U8, U16, U32, U64,
};

/// The layout for a command with so many words; `None` where no dialect has such a one.
/// Transactions have a file of their own.
pub(super) fn layout(command: Command, words: u8) -> Option<&'static [Item]> {
    let (layout, counts): (&[Item], &[u8]) = match command {
        Command::OPEN => (
            &[
                Bits16("Access mode", bits::ACCESS_MODE),
                Bits16("Search attributes", bits::SEARCH_ATTRIBUTES),
            ],
            &[2],
        ),
        Command::CREATE | Command::CREATE_NEW | Command::CREATE_TEMPORARY => (
            &[
                Bits16("File attributes", bits::ATTRIBUTES),
                Seconds("Creation time"),
            ],
            &[3],
        ),
        Command::CLOSE => (&[Id("FID"), Seconds("Last time modified")], &[3]),
        Command::FLUSH | Command::QUERY_INFORMATION2 | Command::CLOSE_PRINT_FILE => {
            (&[Id("FID")], &[1])
        }
        Command::DELETE | Command::RENAME => (
            &[Bits16("Search attributes", bits::SEARCH_ATTRIBUTES)],
            &[1],
        ),
        Command::SET_INFORMATION => (
            &[
                Bits16("File attributes", bits::ATTRIBUTES),
                Seconds("Last write time"),
                Reserved(10),
            ],
            &[8],
        ),
        Command::READ | Command::LOCK_AND_READ => (
            &[
                Id("FID"),
                U16("Count of bytes to read"),
                U32("Read offset"),
                U16("Estimate of remaining bytes"),
            ],
            &[5],
        ),
        Command::WRITE | Command::WRITE_AND_UNLOCK => (
            &[
                Id("FID"),
                U16("Count of bytes to write"),
                U32("Write offset"),
                U16("Estimate of remaining bytes"),
            ],
            &[5],
        ),
        Command::LOCK_BYTE_RANGE | Command::UNLOCK_BYTE_RANGE => {
            (&[Id("FID"), U32("Count of bytes"), U32("Offset")], &[5])
        }
        Command::SEEK => (
            &[Id("FID"), Code16("Mode", bits::SEEK_MODE), U32("Offset")],
            &[4],
        ),
        Command::READ_RAW => (
            &[
                Id("FID"),
                U32("Offset"),
                U16("Max count of bytes to return"),
                U16("Min count of bytes to return"),
                Timeout,
                Reserved(2),
                U32("Offset high"),
            ],
            &[8, 10],
        ),
        Command::READ_MPX => (
            &[
                Id("FID"),
                U32("Offset"),
                U16("Max count of bytes to return"),
                U16("Min count of bytes to return"),
                Timeout,
                Reserved(2),
            ],
            &[8],
        ),
        Command::WRITE_RAW => (
            &[
                Id("FID"),
                U16("Count of bytes"),
                Reserved(2),
                U32("Offset"),
                Timeout,
                Bits16("Write mode", bits::WRITE_MODE),
                Reserved(4),
                U16("Data length"),
                U16("Data offset"),
                U32("Offset high"),
            ],
            &[12, 14],
        ),
        Command::WRITE_MPX => (
            &[
                Id("FID"),
                U16("Total byte count"),
                Reserved(2),
                U32("Offset"),
                Timeout,
                Bits16("Write mode", bits::WRITE_MODE),
                Id32("Request mask"),
                U16("Data length"),
                U16("Data offset"),
            ],
            &[12],
        ),
        Command::WRITE_MPX_SECONDARY => (
            &[
                Id("FID"),
                U16("Total byte count"),
                U32("Offset"),
                Reserved(4),
                U16("Data length"),
                U16("Data offset"),
            ],
            &[8],
        ),
        Command::SET_INFORMATION2 => (
            &[
                Id("FID"),
                Date("Create date"),
                Time("Creation time"),
                Date("Last access date"),
                Time("Last access time"),
                Date("Last write date"),
                Time("Last write time"),
            ],
            &[7],
        ),
        Command::LOCKING_ANDX => (
            &[
                Id("FID"),
                Bits8("Type of lock", bits::LOCK_TYPE),
                Code8("New oplock level", bits::NEW_OPLOCK_LEVEL),
                Timeout,
                U16("Number of requested unlocks"),
                U16("Number of requested locks"),
            ],
            &[8],
        ),
        Command::IOCTL => (
            &[
                Id("FID"),
                Id("Category"),
                Id("Function"),
                U16("Total parameter count"),
                U16("Total data count"),
                U16("Max parameter count"),
                U16("Max data count"),
                Timeout,
                Reserved(2),
                U16("Parameter count"),
                U16("Parameter offset"),
                U16("Data count"),
                U16("Data offset"),
            ],
            &[14],
        ),
        Command::COPY | Command::MOVE => (
            &[
                Id("Target tree ID"),
                Bits16("Open function", bits::OPEN_MODE),
                Bits16("Flags", bits::COPY_FLAGS),
            ],
            &[3],
        ),
        Command::ECHO => (&[U16("Echo count")], &[1]),
        Command::WRITE_AND_CLOSE => (
            &[
                Id("FID"),
                U16("Count of bytes to write"),
                U32("Write offset"),
                Seconds("Last write time"),
                Reserved(12),
            ],
            &[6, 12],
        ),
        Command::OPEN_ANDX => (
            &[
                Bits16("Flags", bits::OPEN_FLAGS),
                Bits16("Access mode", bits::ACCESS_MODE),
                Bits16("Search attributes", bits::SEARCH_ATTRIBUTES),
                Bits16("File attributes", bits::ATTRIBUTES),
                Seconds("Creation time"),
                Bits16("Open mode", bits::OPEN_MODE),
                U32("Allocation size"),
                Timeout,
                Reserved(4),
            ],
            &[15],
        ),
        Command::READ_ANDX => (
            &[
                Id("FID"),
                U32("Offset"),
                U16("Max count of bytes to return"),
                U16("Min count of bytes to return"),
                U32("Timeout or max count high"),
                U16("Remaining"),
                U32("Offset high"),
            ],
            &[10, 12],
        ),
        Command::WRITE_ANDX => (
            &[
                Id("FID"),
                U32("Offset"),
                Timeout,
                Bits16("Write mode", bits::WRITE_MODE),
                U16("Remaining"),
                U16("Data length high"),
                U16("Data length"),
                U16("Data offset"),
                U32("Offset high"),
            ],
            &[12, 14],
        ),
        Command::FIND_CLOSE2 => (&[Id("Search handle")], &[1]),
        Command::FIND_NOTIFY_CLOSE => (&[Id("Notify handle")], &[1]),
        Command::SESSION_SETUP_ANDX => return session_setup(words),
        Command::LOGOFF_ANDX | Command::SECURITY_PACKAGE_ANDX => (&[], &[2]),
        Command::TREE_CONNECT_ANDX => (
            &[Bits16("Flags", bits::TREE_FLAGS), U16("Password length")],
            &[4],
        ),
        Command::SEARCH | Command::FIND | Command::FIND_UNIQUE | Command::FIND_CLOSE => (
            &[
                U16("Max count"),
                Bits16("Search attributes", bits::SEARCH_ATTRIBUTES),
            ],
            &[2],
        ),
        Command::NT_CREATE_ANDX => (
            &[
                Reserved(1),
                U16("Name length"),
                Bits32("Flags", bits::CREATE_FLAGS),
                Id32("Root directory FID"),
                Bits32("Desired access", bits::ACCESS_MASK),
                U64("Allocation size"),
                Bits32("File attributes", bits::EXT_ATTRIBUTES),
                Bits32("Share access", bits::SHARE_ACCESS),
                Code32("Create disposition", bits::CREATE_DISPOSITION),
                Bits32("Create options", bits::CREATE_OPTIONS),
                Code32("Impersonation level", bits::IMPERSONATION),
                Bits8("Security flags", bits::SECURITY_FLAGS),
            ],
            &[24],
        ),
        Command::NT_RENAME => (
            &[
                Bits16("Search attributes", bits::SEARCH_ATTRIBUTES),
                Code16("Information level", bits::RENAME_LEVEL),
                Reserved(4),
            ],
            &[4],
        ),
        Command::OPEN_PRINT_FILE => (
            &[U16("Setup length"), Code16("Mode", bits::PRINT_MODE)],
            &[2],
        ),
        Command::WRITE_PRINT_FILE => (&[Id("FID")], &[1]),
        Command::GET_PRINT_QUEUE => (&[U16("Max count"), U16("Start index")], &[2]),
        Command::SEND_END_MULTI_BLOCK | Command::SEND_TEXT_MULTI_BLOCK => {
            (&[Id("Message group ID")], &[1])
        }
        _ => return None,
    };
    counts.contains(&words).then_some(layout)
}

/// LANMAN, NT LM 0.12, and the same with extended security, each by its word count
/// (MS-CIFS 2.2.4.53.1, MS-SMB 2.2.4.6.1).
fn session_setup(words: u8) -> Option<&'static [Item]> {
    Some(match words {
        10 => &[
            U16("Max buffer size"),
            U16("Max mpx count"),
            U16("VC number"),
            Id32("Session key"),
            U16("Password length"),
            Reserved(4),
        ],
        12 => &[
            U16("Max buffer size"),
            U16("Max mpx count"),
            U16("VC number"),
            Id32("Session key"),
            U16("Security blob length"),
            Reserved(4),
            Bits32("Capabilities", bits::CAPABILITIES),
        ],
        13 => &[
            U16("Max buffer size"),
            U16("Max mpx count"),
            U16("VC number"),
            Id32("Session key"),
            U16("OEM password length"),
            U16("Unicode password length"),
            Reserved(4),
            Bits32("Capabilities", bits::CAPABILITIES),
        ],
        _ => return None,
    })
}

/// What every AndX command's words begin with (MS-CIFS 2.2.3.4); the command is read apart.
pub(super) const ANDX: &[Item] = &[U8("AndX reserved"), U16("AndX offset")];

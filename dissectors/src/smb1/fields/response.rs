//! The parameter words of every response, in the order of their command codes; a response
//! that failed has none. MS-CIFS 2.2.4 (each command, "Response"), MS-SMB 2.2.4.

use super::super::Command;
use super::bits;
use super::layout::Item::{
    self, Bits8, Bits16, Bits32, Bytes, Code8, Code16, Code32, Date, FileTime, Id, Id32, Reserved,
    Seconds, Time, U8, U16, U32, U64, Zone,
};

/// The layout for a command with so many words; `None` where no dialect has such a one.
pub(super) fn layout(command: Command, words: u8) -> Option<&'static [Item]> {
    let (layout, counts): (&[Item], &[u8]) = match command {
        Command::OPEN => (
            &[
                Id("FID"),
                Bits16("File attributes", bits::ATTRIBUTES),
                Seconds("Last modified"),
                U32("File size"),
                Bits16("Access mode", bits::ACCESS_MODE),
            ],
            &[7],
        ),
        Command::CREATE
        | Command::CREATE_NEW
        | Command::CREATE_TEMPORARY
        | Command::OPEN_PRINT_FILE => (&[Id("FID")], &[1]),
        Command::QUERY_INFORMATION => (
            &[
                Bits16("File attributes", bits::ATTRIBUTES),
                Seconds("Last write time"),
                U32("File size"),
                Reserved(10),
            ],
            &[10],
        ),
        Command::READ | Command::LOCK_AND_READ => {
            (&[U16("Count of bytes returned"), Reserved(8)], &[5])
        }
        Command::WRITE
        | Command::WRITE_AND_UNLOCK
        | Command::WRITE_AND_CLOSE
        | Command::WRITE_COMPLETE => (&[U16("Count of bytes written")], &[1]),
        Command::SEEK => (&[U32("Offset")], &[2]),
        Command::READ_MPX | Command::READ_MPX_SECONDARY => (
            &[
                U32("Offset"),
                U16("Count"),
                U16("Remaining"),
                U16("Data compaction mode"),
                Reserved(2),
                U16("Data length"),
                U16("Data offset"),
            ],
            &[8],
        ),
        Command::WRITE_RAW => (&[U16("Available")], &[1]),
        Command::WRITE_MPX => (&[Id32("Response mask")], &[2]),
        Command::QUERY_INFORMATION2 => (
            &[
                Date("Create date"),
                Time("Create time"),
                Date("Last access date"),
                Time("Last access time"),
                Date("Last write date"),
                Time("Last write time"),
                U32("File data size"),
                U32("File allocation size"),
                Bits16("File attributes", bits::ATTRIBUTES),
            ],
            &[11],
        ),
        Command::IOCTL => (
            &[
                U16("Total parameter count"),
                U16("Total data count"),
                U16("Parameter count"),
                U16("Parameter offset"),
                U16("Parameter displacement"),
                U16("Data count"),
                U16("Data offset"),
                U16("Data displacement"),
            ],
            &[8],
        ),
        Command::COPY | Command::MOVE => (&[U16("Count of files")], &[1]),
        Command::ECHO => (&[U16("Sequence number")], &[1]),
        // Plain, and extended by access rights (MS-SMB 2.2.4.1.2).
        Command::OPEN_ANDX => (
            &[
                Id("FID"),
                Bits16("File attributes", bits::ATTRIBUTES),
                Seconds("Last write time"),
                U32("File data size"),
                Bits16("Access rights", bits::ACCESS_MODE),
                Code16("Resource type", bits::RESOURCE_TYPE),
                Bits16("Named pipe status", bits::PIPE_STATUS),
                Bits16("Open results", bits::OPEN_RESULTS),
                Id32("Server FID"),
                Reserved(2),
                Bits32("Maximal access rights", bits::ACCESS_MASK),
                Bits32("Guest maximal access rights", bits::ACCESS_MASK),
            ],
            &[15, 19],
        ),
        Command::READ_ANDX => (
            &[
                U16("Available"),
                U16("Data compaction mode"),
                Reserved(2),
                U16("Data length"),
                U16("Data offset"),
                U16("Data length high"),
                Reserved(8),
            ],
            &[12],
        ),
        Command::WRITE_ANDX => (
            &[
                U16("Count of bytes written"),
                U16("Available"),
                U16("Count high"),
                Reserved(2),
            ],
            &[6],
        ),
        Command::LOCKING_ANDX | Command::LOGOFF_ANDX | Command::SECURITY_PACKAGE_ANDX => {
            (&[], &[2])
        }
        Command::TREE_CONNECT => (&[U16("Max buffer size"), Id("Tree ID")], &[2]),
        Command::NEGOTIATE => return negotiate(words),
        Command::SESSION_SETUP_ANDX => (
            &[
                Bits16("Action", bits::SETUP_ACTION),
                U16("Security blob length"),
            ],
            &[3, 4],
        ),
        Command::TREE_CONNECT_ANDX => (
            &[
                Bits16("Optional support", bits::TREE_SUPPORT),
                Bits32("Maximal share access rights", bits::ACCESS_MASK),
                Bits32("Guest maximal share access rights", bits::ACCESS_MASK),
            ],
            &[2, 3, 7],
        ),
        Command::QUERY_INFORMATION_DISK => (
            &[
                U16("Total units"),
                U16("Blocks per unit"),
                U16("Block size"),
                U16("Free units"),
                Reserved(2),
            ],
            &[5],
        ),
        Command::SEARCH | Command::FIND | Command::FIND_UNIQUE | Command::FIND_CLOSE => {
            (&[U16("Count")], &[1])
        }
        Command::NT_CREATE_ANDX => (NT_CREATE_ANDX, &[34, 50]),
        Command::GET_PRINT_QUEUE => (&[U16("Count"), U16("Restart index")], &[2]),
        Command::SEND_START_MULTI_BLOCK => (&[Id("Message group ID")], &[1]),
        _ => return None,
    };
    counts.contains(&words).then_some(layout)
}

/// Core, LANMAN and NT LM 0.12, each by its word count (MS-CIFS 2.2.4.52.2; the LANMAN form
/// from X/Open, Protocols for PC Interworking: SMB, 12.1).
fn negotiate(words: u8) -> Option<&'static [Item]> {
    Some(match words {
        1 => &[U16("Dialect index")],
        13 => &[
            U16("Dialect index"),
            Bits16("Security mode", bits::SECURITY_MODE),
            U16("Max buffer size"),
            U16("Max mpx count"),
            U16("Max number of VCs"),
            Bits16("Raw mode", bits::RAW_MODE),
            Id32("Session key"),
            Time("Server time"),
            Date("Server date"),
            Zone,
            U16("Challenge length"),
            Reserved(2),
        ],
        17 => &[
            U16("Dialect index"),
            Bits8("Security mode", bits::SECURITY_MODE),
            U16("Max mpx count"),
            U16("Max number of VCs"),
            U32("Max buffer size"),
            U32("Max raw size"),
            Id32("Session key"),
            Bits32("Capabilities", bits::CAPABILITIES),
            FileTime("System time"),
            Zone,
            U8("Challenge length"),
        ],
        _ => return None,
    })
}

/// Plain, and extended by identifiers and access rights (MS-CIFS 2.2.4.64.2, MS-SMB
/// 2.2.4.9.2).
const NT_CREATE_ANDX: &[Item] = &[
    Code8("Oplock level", bits::OPLOCK_LEVEL),
    Id("FID"),
    Code32("Create disposition", bits::CREATE_ACTION),
    FileTime("Create time"),
    FileTime("Last access time"),
    FileTime("Last write time"),
    FileTime("Last change time"),
    Bits32("File attributes", bits::EXT_ATTRIBUTES),
    U64("Allocation size"),
    U64("End of file"),
    Code16("Resource type", bits::RESOURCE_TYPE),
    Bits16("Named pipe status", bits::PIPE_STATUS),
    U8("Directory"),
    Bytes("Volume GUID", 16),
    U64("File ID"),
    Bits32("Maximal access rights", bits::ACCESS_MASK),
    Bits32("Guest maximal access rights", bits::ACCESS_MASK),
];

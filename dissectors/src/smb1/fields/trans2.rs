//! Parameters and data of TRANSACTION2 subcommands and NT_TRANSACT functions. MS-CIFS 2.2.6,
//! 2.2.7, MS-SMB 2.2.6, 2.2.7.

use super::super::{Command, transact};
use super::layout::{self, Item};
use super::{Block, bits, bytes, information};
use crate::parse::le16;
use Item::{
    Bits8, Bits16, Bits32, Bytes, Code8, Code16, Code32, FileTime, Id, Id32, Reserved, Seconds, U8,
    U16, U32, U64,
};
use wirewait_wire::Fields;

/// The parameters of a TRANSACTION2 request: a fixed part, then at most one name.
pub(super) fn request(f: &mut Fields<'_>, subcommand: Option<u16>, wide: bool) -> Option<()> {
    let (items, name): (&[Item], Option<&'static str>) = match subcommand {
        Some(0x00) => (OPEN2, Some("File name")),
        Some(0x01) => (
            &[
                Bits16("Search attributes", bits::SEARCH_ATTRIBUTES),
                U16("Search count"),
                Bits16("Flags", bits::FIND_FLAGS),
                Code16("Information level", information::FIND),
                Code32("Search storage type", STORAGE_TYPE),
            ],
            Some("File name"),
        ),
        Some(0x02) => (
            &[
                Id("Search ID"),
                U16("Search count"),
                Code16("Information level", information::FIND),
                Id32("Resume key"),
                Bits16("Flags", bits::FIND_FLAGS),
            ],
            Some("File name"),
        ),
        Some(0x03) => (&[Code16("Information level", information::QUERY_FS)], None),
        Some(0x04) => (
            &[Id("FID"), Code16("Information level", information::SET_FS)],
            None,
        ),
        Some(0x05) => (
            &[Code16("Information level", information::QUERY), Reserved(4)],
            Some("File name"),
        ),
        Some(0x06) => (
            &[Code16("Information level", information::SET), Reserved(4)],
            Some("File name"),
        ),
        Some(0x07) => (
            &[Id("FID"), Code16("Information level", information::QUERY)],
            None,
        ),
        Some(0x08) => (
            &[
                Id("FID"),
                Code16("Information level", information::SET),
                Reserved(2),
            ],
            None,
        ),
        Some(0x0b) => (
            &[
                Bits16("Search attributes", bits::SEARCH_ATTRIBUTES),
                U16("Change count"),
                U16("Information level"),
                Reserved(4),
            ],
            Some("Path"),
        ),
        Some(0x0c) => (&[Id("Notify handle"), U16("Change count")], None),
        Some(0x0d) => (&[Reserved(4)], Some("Directory name")),
        Some(0x10) => (&[U16("Max referral level")], Some("Request file name")),
        Some(0x11) => (&[], Some("Path")),
        _ => return Some(()),
    };
    layout::read(f, items)?;
    match name {
        Some(name) if f.left() > 0 => bytes::string(f, name, wide),
        _ => Some(()),
    }
}

/// The parameters of an NT_TRANSACT request.
pub(super) fn nt_request(f: &mut Fields<'_>, function: Option<u16>, wide: bool) -> Option<()> {
    match function {
        Some(1) => {
            layout::read(f, NT_CREATE)?;
            if f.left() > 0 {
                bytes::string(f, "Name", wide)?;
            }
            Some(())
        }
        Some(3 | 6) => layout::read(
            f,
            &[
                Id("FID"),
                Reserved(2),
                Bits32("Security information", bits::SECURITY_INFORMATION),
            ],
        ),
        Some(5) => {
            layout::read(f, &[Id("FID"), Id("Rename flags")])?;
            if f.left() > 0 {
                bytes::string(f, "New name", wide)?;
            }
            Some(())
        }
        Some(7) => layout::read(
            f,
            &[
                Id("FID"),
                U8("Return single entry"),
                U8("Restart scan"),
                U32("SID list length"),
                U32("Start SID length"),
                U32("Start SID offset"),
            ],
        ),
        Some(8) => layout::read(f, &[Id("FID")]),
        _ => Some(()),
    }
}

/// The data of a TRANSACTION2 request: what is set, by information level.
pub(super) fn request_data(f: &mut Fields<'_>, b: &Block<'_>, wide: bool) -> Option<()> {
    let level_at = match transact::setup(b) {
        Some(0x06) => 0,
        Some(0x08) => 2,
        _ => return Some(()),
    };
    let level = transact::parameters_at(b).and_then(|at| le16(b.message.bytes, at + level_at));
    level.map_or(Some(()), |level| information::set(f, level, wide))
}

/// The parameters of a response to the request that has this code.
pub(super) fn response(f: &mut Fields<'_>, command: Command, code: u32) -> Option<()> {
    let Ok(function) = u16::try_from(code >> 8 & 0xffff) else {
        return Some(());
    };
    let items: &[Item] = match (command, function) {
        (Command::TRANSACTION2, 0x00) => &[
            Id("FID"),
            Bits16("File attributes", bits::ATTRIBUTES),
            Seconds("Creation time"),
            U32("File data size"),
            Bits16("Access mode", bits::ACCESS_MODE),
            Code16("Resource type", bits::RESOURCE_TYPE),
            Bits16("Named pipe status", bits::PIPE_STATUS),
            Bits16("Action taken", bits::OPEN_RESULTS),
            Id32("Server FID"),
            U16("EA error offset"),
            U32("EA length"),
        ],
        (Command::TRANSACTION2, 0x01) => &[
            Id("Search ID"),
            U16("Search count"),
            U16("End of search"),
            U16("EA error offset"),
            U16("Last name offset"),
        ],
        (Command::TRANSACTION2, 0x02) => &[
            U16("Search count"),
            U16("End of search"),
            U16("EA error offset"),
            U16("Last name offset"),
        ],
        (Command::TRANSACTION2, 0x05..=0x08 | 0x0d) => &[U16("EA error offset")],
        (Command::TRANSACTION2, 0x0b) => &[
            Id("Notify handle"),
            U16("Change count"),
            U16("EA error offset"),
        ],
        (Command::TRANSACTION2, 0x0c) => &[U16("Change count"), U16("EA error offset")],
        (Command::TRANSACTION, 0x21) => &[Bits16("Named pipe status", bits::PIPE_STATUS)],
        (Command::TRANSACTION, 0x23) => &[
            U16("Read data available"),
            U16("Message bytes length"),
            Code16("Named pipe state", PIPE_STATE),
        ],
        (Command::TRANSACTION, 0x31 | 0x37) => &[U16("Bytes written")],
        (Command::NT_TRANSACT, 1) => NT_CREATED,
        (Command::NT_TRANSACT, 4) => return changes(f),
        (Command::NT_TRANSACT, 6) => &[U32("Length needed")],
        (Command::NT_TRANSACT, 7) => &[U32("Data length")],
        _ => return Some(()),
    };
    layout::read(f, items)
}

/// The data of a response: of the requests whose data has but one form.
pub(super) fn response_data(f: &mut Fields<'_>, b: &Block<'_>) -> Option<()> {
    match (b.command, f.asked().map(|asked| asked.code)) {
        (command @ Command::TRANSACTION, Some(code)) if code == command.code(Some(0x22)) => {
            layout::read(
                f,
                &[
                    U16("Output buffer size"),
                    U16("Input buffer size"),
                    U8("Maximum instances"),
                    U8("Current instances"),
                    U8("Pipe name length"),
                ],
            )
        }
        _ => Some(()),
    }
}

/// FILE_NOTIFY_INFORMATION entries (MS-CIFS 2.2.7.4.2).
fn changes(f: &mut Fields<'_>) -> Option<()> {
    loop {
        let (start, bytes) = (f.at(), f.peek());
        if f.left() < 12 {
            return Some(());
        }
        f.open("Change");
        let next = f.le32("Next entry offset")?;
        let action = f.le32("Action")?;
        layout::means(f, NOTIFY_ACTION, action.into());
        let declared = crate::parse::le32(bytes, 8).unwrap_or(0);
        f.le32("File name length")?;
        f.utf16(declared.min(f.left()), "File name")?;
        f.close();
        if next == 0 {
            return Some(());
        }
        let next = start
            .saturating_add(next)
            .min(f.at().saturating_add(f.left()));
        f.until(next, "Padding")?;
    }
}

const OPEN2: &[Item] = &[
    Bits16("Flags", bits::OPEN_FLAGS),
    Bits16("Access mode", bits::ACCESS_MODE),
    Reserved(2),
    Bits16("File attributes", bits::ATTRIBUTES),
    Seconds("Creation time"),
    Bits16("Open mode", bits::OPEN_MODE),
    U32("Allocation size"),
    Reserved(10),
];

const NT_CREATE: &[Item] = &[
    Bits32("Flags", bits::CREATE_FLAGS),
    Id32("Root directory FID"),
    Bits32("Desired access", bits::ACCESS_MASK),
    U64("Allocation size"),
    Bits32("File attributes", bits::EXT_ATTRIBUTES),
    Bits32("Share access", bits::SHARE_ACCESS),
    Code32("Create disposition", bits::CREATE_DISPOSITION),
    Bits32("Create options", bits::CREATE_OPTIONS),
    U32("Security descriptor length"),
    U32("EA length"),
    U32("Name length"),
    Code32("Impersonation level", bits::IMPERSONATION),
    Bits8("Security flags", bits::SECURITY_FLAGS),
];

const NT_CREATED: &[Item] = &[
    Code8("Oplock level", bits::OPLOCK_LEVEL),
    Bytes("Reserved", 1),
    Id("FID"),
    Code32("Create action", bits::CREATE_ACTION),
    U32("EA error offset"),
    FileTime("Creation time"),
    FileTime("Last access time"),
    FileTime("Last write time"),
    FileTime("Last change time"),
    Bits32("File attributes", bits::EXT_ATTRIBUTES),
    U64("Allocation size"),
    U64("End of file"),
    Code16("Resource type", bits::RESOURCE_TYPE),
    Bits16("Named pipe status", bits::PIPE_STATUS),
    U8("Directory"),
];

/// MS-CIFS 2.2.6.2.1.
const STORAGE_TYPE: &[layout::Code] = &[
    (0, "any"),
    (1, "FILE_DIRECTORY_FILE"),
    (0x40, "FILE_NON_DIRECTORY_FILE"),
];

/// MS-CIFS 2.2.5.5.2.
const PIPE_STATE: &[layout::Code] = &[
    (1, "disconnected by the server"),
    (2, "listening"),
    (3, "connected"),
    (4, "closed by the server"),
];

/// MS-CIFS 2.2.7.4.2.
const NOTIFY_ACTION: &[layout::Code] = &[
    (1, "FILE_ACTION_ADDED"),
    (2, "FILE_ACTION_REMOVED"),
    (3, "FILE_ACTION_MODIFIED"),
    (4, "FILE_ACTION_RENAMED_OLD_NAME"),
    (5, "FILE_ACTION_RENAMED_NEW_NAME"),
    (6, "FILE_ACTION_ADDED_STREAM"),
    (7, "FILE_ACTION_REMOVED_STREAM"),
    (8, "FILE_ACTION_MODIFIED_STREAM"),
];

//! Parameters and data of TRANSACTION2 subcommands and NT_TRANSACT functions. MS-CIFS 2.2.6,
//! 2.2.7, MS-SMB 2.2.6, 2.2.7.

use super::super::{Command, transact};
use super::params::*;
use super::{Block, bits, bytes, information};
use crate::parse;
use wirewait_wire::{Fields, field_tables};

/// The parameters of a TRANSACTION2 or NT_TRANSACT request with this subcommand or function: a
/// fixed part, then at most one name.
pub(super) fn request(
    f: &mut Fields<'_>,
    command: Command,
    function: Option<u16>,
    wide: bool,
) -> Option<()> {
    let Some(function) = function.and_then(|function| u8::try_from(function).ok()) else {
        return Some(());
    };
    let Some(table) = find(&[REQUESTS], command.0, Some(function)) else {
        return Some(());
    };
    describe_present(f, table.params)?;
    match name_behind(command, function) {
        Some(name) if f.left() > 0 => bytes::string(f, name, wide),
        _ => Some(()),
    }
}

/// What the string behind the fixed part names, if there is one.
const fn name_behind(command: Command, function: u8) -> Option<&'static str> {
    Some(match (command, function) {
        (Command::TRANSACTION2, 0x00 | 0x01 | 0x02 | 0x05 | 0x06) => "File name",
        (Command::TRANSACTION2, 0x0b | 0x11) => "Path",
        (Command::TRANSACTION2, 0x0d) => "Directory name",
        (Command::TRANSACTION2, 0x10) => "Request file name",
        (Command::NT_TRANSACT, 1) => "Name",
        (Command::NT_TRANSACT, 5) => "New name",
        _ => return None,
    })
}

/// The fixed part of the parameters, by subcommand or function.
static REQUESTS: &[CodedTable] = field_tables! {
    Command;
    TRANSACTION2 / 0x00 => [
        le16("Flags").flags(bits::OPEN_FLAGS),
        le16("Access mode").bits(bits::ACCESS_MODE),
        reserved(2),
        le16("File attributes").flags(bits::ATTRIBUTES),
        utime("Creation time"),
        le16("Open mode").bits(bits::OPEN_MODE),
        le32("Allocation size"),
        reserved(10),
    ];
    TRANSACTION2 / 0x01 => [
        le16("Search attributes").flags(bits::SEARCH_ATTRIBUTES),
        le16("Search count"),
        le16("Flags").flags(bits::FIND_FLAGS),
        le16("Information level").hex().codes(information::FIND),
        le32("Search storage type").hex().codes(STORAGE_TYPE),
    ];
    TRANSACTION2 / 0x02 => [
        le16("Search ID").hex(),
        le16("Search count"),
        le16("Information level").hex().codes(information::FIND),
        le32("Resume key").hex(),
        le16("Flags").flags(bits::FIND_FLAGS),
    ];
    TRANSACTION2 / 0x03 => [le16("Information level").hex().codes(information::QUERY_FS)];
    TRANSACTION2 / 0x04 => [FID, le16("Information level").hex().codes(information::SET_FS)];
    TRANSACTION2 / 0x05 => [le16("Information level").hex().codes(information::QUERY), reserved(4)];
    TRANSACTION2 / 0x06 => [le16("Information level").hex().codes(information::SET), reserved(4)];
    TRANSACTION2 / 0x07 => [FID, le16("Information level").hex().codes(information::QUERY)];
    TRANSACTION2 / 0x08 => [
        FID,
        le16("Information level").hex().codes(information::SET),
        reserved(2),
    ];
    TRANSACTION2 / 0x0b => [
        le16("Search attributes").flags(bits::SEARCH_ATTRIBUTES),
        le16("Change count"),
        le16("Information level"),
        reserved(4),
    ];
    TRANSACTION2 / 0x0c => [le16("Notify handle").hex(), le16("Change count")];
    TRANSACTION2 / 0x0d => [reserved(4)];
    TRANSACTION2 / 0x10 => [le16("Max referral level")];
    TRANSACTION2 / 0x11 => [];
    NT_TRANSACT / 1 => [
        le32("Flags").flags(bits::CREATE_FLAGS),
        le32("Root directory FID").hex(),
        le32("Desired access").flags(bits::ACCESS_MASK),
        le64("Allocation size"),
        le32("File attributes").flags(bits::EXT_ATTRIBUTES),
        le32("Share access").flags(bits::SHARE_ACCESS),
        le32("Create disposition").hex().codes(bits::CREATE_DISPOSITION),
        le32("Create options").flags(bits::CREATE_OPTIONS),
        le32("Security descriptor length"),
        le32("EA length"),
        le32("Name length"),
        le32("Impersonation level").hex().codes(bits::IMPERSONATION),
        u8("Security flags").flags(bits::SECURITY_FLAGS),
    ];
    NT_TRANSACT / 3 | 6 => [
        FID,
        reserved(2),
        le32("Security information").flags(bits::SECURITY_INFORMATION),
    ];
    NT_TRANSACT / 5 => [FID, le16("Rename flags").hex()];
    NT_TRANSACT / 7 => [
        FID,
        u8("Return single entry"),
        u8("Restart scan"),
        le32("SID list length"),
        le32("Start SID length"),
        le32("Start SID offset"),
    ];
    NT_TRANSACT / 8 => [FID];
};

/// The data of a TRANSACTION2 request: what is set, by information level.
pub(super) fn request_data(f: &mut Fields<'_>, b: &Block<'_>, wide: bool) -> Option<()> {
    let level_at = match transact::setup(b) {
        Some(0x06) => 0,
        Some(0x08) => 2,
        _ => return Some(()),
    };
    let level =
        transact::parameters_at(b).and_then(|at| parse::le16(b.message.bytes, at + level_at));
    level.map_or(Some(()), |level| information::set(f, level, wide))
}

/// The parameters of a response to the request that has this code.
pub(super) fn response(f: &mut Fields<'_>, command: Command, code: u32) -> Option<()> {
    let Ok(function) = u8::try_from(code >> 8 & 0xffff) else {
        return Some(());
    };
    if (command, function) == (Command::NT_TRANSACT, NOTIFY_CHANGE) {
        return changes(f);
    }
    match find(&[RESPONSES], command.0, Some(function)) {
        Some(table) => describe_present(f, table.params),
        None => Some(()),
    }
}

/// The function of NT_TRANSACT that is answered by a list of changes.
const NOTIFY_CHANGE: u8 = 4;

/// The parameters, by the subcommand or function of the request.
static RESPONSES: &[CodedTable] = field_tables! {
    Command;
    TRANSACTION2 / 0x00 => [
        FID,
        le16("File attributes").flags(bits::ATTRIBUTES),
        utime("Creation time"),
        le32("File data size"),
        le16("Access mode").bits(bits::ACCESS_MODE),
        le16("Resource type").hex().codes(bits::RESOURCE_TYPE),
        le16("Named pipe status").bits(bits::PIPE_STATUS),
        le16("Action taken").bits(bits::OPEN_RESULTS),
        le32("Server FID").hex(),
        le16("EA error offset"),
        le32("EA length"),
    ];
    TRANSACTION2 / 0x01 => [
        le16("Search ID").hex(),
        le16("Search count"),
        le16("End of search"),
        le16("EA error offset"),
        le16("Last name offset"),
    ];
    TRANSACTION2 / 0x02 => [
        le16("Search count"),
        le16("End of search"),
        le16("EA error offset"),
        le16("Last name offset"),
    ];
    TRANSACTION2 / 0x05 | 0x06 | 0x07 | 0x08 | 0x0d => [le16("EA error offset")];
    TRANSACTION2 / 0x0b => [
        le16("Notify handle").hex(),
        le16("Change count"),
        le16("EA error offset"),
    ];
    TRANSACTION2 / 0x0c => [le16("Change count"), le16("EA error offset")];
    TRANSACTION / 0x21 => [le16("Named pipe status").bits(bits::PIPE_STATUS)];
    TRANSACTION / 0x23 => [
        le16("Read data available"),
        le16("Message bytes length"),
        le16("Named pipe state").hex().codes(PIPE_STATE),
    ];
    TRANSACTION / 0x31 | 0x37 => [le16("Bytes written")];
    NT_TRANSACT / 1 => [
        u8("Oplock level").codes(bits::OPLOCK_LEVEL),
        reserved(1),
        FID,
        le32("Create action").hex().codes(bits::CREATE_ACTION),
        le32("EA error offset"),
        file_time("Creation time"),
        file_time("Last access time"),
        file_time("Last write time"),
        file_time("Last change time"),
        le32("File attributes").flags(bits::EXT_ATTRIBUTES),
        le64("Allocation size"),
        le64("End of file"),
        le16("Resource type").hex().codes(bits::RESOURCE_TYPE),
        le16("Named pipe status").bits(bits::PIPE_STATUS),
        u8("Directory"),
    ];
    NT_TRANSACT / 6 => [le32("Length needed")];
    NT_TRANSACT / 7 => [le32("Data length")];
};

/// The data of a response: of the requests whose data has but one form.
pub(super) fn response_data(f: &mut Fields<'_>, b: &Block<'_>) -> Option<()> {
    match (b.command, f.asked().map(|asked| asked.code)) {
        (command @ Command::TRANSACTION, Some(code)) if code == command.code(Some(0x22)) => {
            describe_present(
                f,
                &[
                    le16("Output buffer size"),
                    le16("Input buffer size"),
                    u8("Maximum instances"),
                    u8("Current instances"),
                    u8("Pipe name length"),
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
        describe_present(f, &[le32("Action").codes(NOTIFY_ACTION)])?;
        let declared = parse::le32(bytes, 8).unwrap_or(0);
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

/// MS-CIFS 2.2.6.2.1.
const STORAGE_TYPE: ValueNames = &[
    (0, "any"),
    (1, "FILE_DIRECTORY_FILE"),
    (0x40, "FILE_NON_DIRECTORY_FILE"),
];

/// MS-CIFS 2.2.5.5.2.
const PIPE_STATE: ValueNames = &[
    (1, "disconnected by the server"),
    (2, "listening"),
    (3, "connected"),
    (4, "closed by the server"),
];

/// MS-CIFS 2.2.7.4.2.
const NOTIFY_ACTION: ValueNames = &[
    (1, "FILE_ACTION_ADDED"),
    (2, "FILE_ACTION_REMOVED"),
    (3, "FILE_ACTION_MODIFIED"),
    (4, "FILE_ACTION_RENAMED_OLD_NAME"),
    (5, "FILE_ACTION_RENAMED_NEW_NAME"),
    (6, "FILE_ACTION_ADDED_STREAM"),
    (7, "FILE_ACTION_REMOVED_STREAM"),
    (8, "FILE_ACTION_MODIFIED_STREAM"),
];

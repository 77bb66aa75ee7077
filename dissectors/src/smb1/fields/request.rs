//! The parameter words of every request, in the order of their command codes. What AndX
//! commands begin with is read before. MS-CIFS 2.2.4 (each command, "Request"), MS-SMB 2.2.4.

use super::super::Command;
use super::bits;
use super::params::*;
use wirewait_wire::field_tables;

/// By command and number of words; a form that no dialect has is not there. Transactions have a
/// file of their own.
pub(super) static REQUESTS: &[CodedTable] = field_tables! {
    Command;
    OPEN / 2 => [
        le16("Access mode").bits(bits::ACCESS_MODE),
        le16("Search attributes").flags(bits::SEARCH_ATTRIBUTES),
    ];
    CREATE | CREATE_NEW | CREATE_TEMPORARY / 3 => [
        le16("File attributes").flags(bits::ATTRIBUTES),
        utime("Creation time"),
    ];
    CLOSE / 3 => [FID, utime("Last time modified")];
    FLUSH | QUERY_INFORMATION2 | CLOSE_PRINT_FILE / 1 => [FID];
    DELETE | RENAME / 1 => [le16("Search attributes").flags(bits::SEARCH_ATTRIBUTES)];
    SET_INFORMATION / 8 => [
        le16("File attributes").flags(bits::ATTRIBUTES),
        utime("Last write time"),
        reserved(10),
    ];
    READ | LOCK_AND_READ / 5 => [
        FID,
        le16("Count of bytes to read"),
        le32("Read offset"),
        le16("Estimate of remaining bytes"),
    ];
    WRITE | WRITE_AND_UNLOCK / 5 => [
        FID,
        le16("Count of bytes to write"),
        le32("Write offset"),
        le16("Estimate of remaining bytes"),
    ];
    LOCK_BYTE_RANGE | UNLOCK_BYTE_RANGE / 5 => [FID, le32("Count of bytes"), le32("Offset")];
    SEEK / 4 => [FID, le16("Mode").hex().codes(bits::SEEK_MODE), le32("Offset")];
    READ_RAW / 8 | 10 => [
        FID,
        le32("Offset"),
        le16("Max count of bytes to return"),
        le16("Min count of bytes to return"),
        TIMEOUT,
        reserved(2),
        le32("Offset high"),
    ];
    READ_MPX / 8 => [
        FID,
        le32("Offset"),
        le16("Max count of bytes to return"),
        le16("Min count of bytes to return"),
        TIMEOUT,
        reserved(2),
    ];
    WRITE_RAW / 12 | 14 => [
        FID,
        le16("Count of bytes"),
        reserved(2),
        le32("Offset"),
        TIMEOUT,
        le16("Write mode").flags(bits::WRITE_MODE),
        reserved(4),
        le16("Data length"),
        le16("Data offset"),
        le32("Offset high"),
    ];
    WRITE_MPX / 12 => [
        FID,
        le16("Total byte count"),
        reserved(2),
        le32("Offset"),
        TIMEOUT,
        le16("Write mode").flags(bits::WRITE_MODE),
        le32("Request mask").hex(),
        le16("Data length"),
        le16("Data offset"),
    ];
    WRITE_MPX_SECONDARY / 8 => [
        FID,
        le16("Total byte count"),
        le32("Offset"),
        reserved(4),
        le16("Data length"),
        le16("Data offset"),
    ];
    SET_INFORMATION2 / 7 => [
        FID,
        date("Create date"),
        time("Creation time"),
        date("Last access date"),
        time("Last access time"),
        date("Last write date"),
        time("Last write time"),
    ];
    LOCKING_ANDX / 8 => [
        FID,
        u8("Type of lock").flags(bits::LOCK_TYPE),
        u8("New oplock level").codes(bits::NEW_OPLOCK_LEVEL),
        TIMEOUT,
        le16("Number of requested unlocks"),
        le16("Number of requested locks"),
    ];
    IOCTL / 14 => [
        FID,
        le16("Category").hex(),
        le16("Function").hex(),
        le16("Total parameter count"),
        le16("Total data count"),
        le16("Max parameter count"),
        le16("Max data count"),
        TIMEOUT,
        reserved(2),
        le16("Parameter count"),
        le16("Parameter offset"),
        le16("Data count"),
        le16("Data offset"),
    ];
    COPY | MOVE / 3 => [
        le16("Target tree ID").hex(),
        le16("Open function").bits(bits::OPEN_MODE),
        le16("Flags").bits(bits::COPY_FLAGS),
    ];
    ECHO / 1 => [le16("Echo count")];
    WRITE_AND_CLOSE / 6 | 12 => [
        FID,
        le16("Count of bytes to write"),
        le32("Write offset"),
        utime("Last write time"),
        reserved(12),
    ];
    OPEN_ANDX / 15 => [
        le16("Flags").flags(bits::OPEN_FLAGS),
        le16("Access mode").bits(bits::ACCESS_MODE),
        le16("Search attributes").flags(bits::SEARCH_ATTRIBUTES),
        le16("File attributes").flags(bits::ATTRIBUTES),
        utime("Creation time"),
        le16("Open mode").bits(bits::OPEN_MODE),
        le32("Allocation size"),
        TIMEOUT,
        reserved(4),
    ];
    READ_ANDX / 10 | 12 => [
        FID,
        le32("Offset"),
        le16("Max count of bytes to return"),
        le16("Min count of bytes to return"),
        le32("Timeout or max count high"),
        le16("Remaining"),
        le32("Offset high"),
    ];
    WRITE_ANDX / 12 | 14 => [
        FID,
        le32("Offset"),
        TIMEOUT,
        le16("Write mode").flags(bits::WRITE_MODE),
        le16("Remaining"),
        le16("Data length high"),
        le16("Data length"),
        le16("Data offset"),
        le32("Offset high"),
    ];
    FIND_CLOSE2 / 1 => [le16("Search handle").hex()];
    FIND_NOTIFY_CLOSE / 1 => [le16("Notify handle").hex()];
    // LANMAN, and NT LM 0.12 with extended security and without (MS-CIFS 2.2.4.53.1, MS-SMB
    // 2.2.4.6.1).
    SESSION_SETUP_ANDX / 10 => [
        le16("Max buffer size"),
        le16("Max mpx count"),
        le16("VC number"),
        le32("Session key").hex(),
        le16("Password length"),
        reserved(4),
    ];
    SESSION_SETUP_ANDX / 12 => [
        le16("Max buffer size"),
        le16("Max mpx count"),
        le16("VC number"),
        le32("Session key").hex(),
        le16("Security blob length"),
        reserved(4),
        le32("Capabilities").flags(bits::CAPABILITIES),
    ];
    SESSION_SETUP_ANDX / 13 => [
        le16("Max buffer size"),
        le16("Max mpx count"),
        le16("VC number"),
        le32("Session key").hex(),
        le16("OEM password length"),
        le16("Unicode password length"),
        reserved(4),
        le32("Capabilities").flags(bits::CAPABILITIES),
    ];
    LOGOFF_ANDX | SECURITY_PACKAGE_ANDX / 2 => [];
    TREE_CONNECT_ANDX / 4 => [le16("Flags").flags(bits::TREE_FLAGS), le16("Password length")];
    SEARCH | FIND | FIND_UNIQUE | FIND_CLOSE / 2 => [
        le16("Max count"),
        le16("Search attributes").flags(bits::SEARCH_ATTRIBUTES),
    ];
    NT_CREATE_ANDX / 24 => [
        reserved(1),
        le16("Name length"),
        le32("Flags").flags(bits::CREATE_FLAGS),
        le32("Root directory FID").hex(),
        le32("Desired access").flags(bits::ACCESS_MASK),
        le64("Allocation size"),
        le32("File attributes").flags(bits::EXT_ATTRIBUTES),
        le32("Share access").flags(bits::SHARE_ACCESS),
        le32("Create disposition").hex().codes(bits::CREATE_DISPOSITION),
        le32("Create options").flags(bits::CREATE_OPTIONS),
        le32("Impersonation level").hex().codes(bits::IMPERSONATION),
        u8("Security flags").flags(bits::SECURITY_FLAGS),
    ];
    NT_RENAME / 4 => [
        le16("Search attributes").flags(bits::SEARCH_ATTRIBUTES),
        le16("Information level").hex().codes(bits::RENAME_LEVEL),
        reserved(4),
    ];
    OPEN_PRINT_FILE / 2 => [le16("Setup length"), le16("Mode").hex().codes(bits::PRINT_MODE)];
    WRITE_PRINT_FILE / 1 => [FID];
    GET_PRINT_QUEUE / 2 => [le16("Max count"), le16("Start index")];
    SEND_END_MULTI_BLOCK | SEND_TEXT_MULTI_BLOCK / 1 => [le16("Message group ID").hex()];
};

/// What every AndX command's words begin with (MS-CIFS 2.2.3.4); the command is read apart.
pub(super) const ANDX: FieldTable = &[u8("AndX reserved"), le16("AndX offset")];

//! The parameter words of every response, in the order of their command codes; a response
//! that failed has none. MS-CIFS 2.2.4 (each command, "Response"), MS-SMB 2.2.4.

use super::super::Command;
use super::bits;
use super::params::*;
use wirewait_wire::field_tables;

/// By command and number of words; a form that no dialect has is not there.
pub(super) static RESPONSES: &[CodedTable] = field_tables! {
    Command;
    OPEN / 7 => [
        FID,
        le16("File attributes").flags(bits::ATTRIBUTES),
        utime("Last modified"),
        le32("File size"),
        le16("Access mode").bits(bits::ACCESS_MODE),
    ];
    CREATE | CREATE_NEW | CREATE_TEMPORARY | OPEN_PRINT_FILE / 1 => [FID];
    QUERY_INFORMATION / 10 => [
        le16("File attributes").flags(bits::ATTRIBUTES),
        utime("Last write time"),
        le32("File size"),
        reserved(10),
    ];
    READ | LOCK_AND_READ / 5 => [le16("Count of bytes returned"), reserved(8)];
    WRITE | WRITE_AND_UNLOCK | WRITE_AND_CLOSE | WRITE_COMPLETE / 1 => [
        le16("Count of bytes written"),
    ];
    SEEK / 2 => [le32("Offset")];
    READ_MPX | READ_MPX_SECONDARY / 8 => [
        le32("Offset"),
        le16("Count"),
        le16("Remaining"),
        le16("Data compaction mode"),
        reserved(2),
        le16("Data length"),
        le16("Data offset"),
    ];
    WRITE_RAW / 1 => [le16("Available")];
    WRITE_MPX / 2 => [le32("Response mask").hex()];
    QUERY_INFORMATION2 / 11 => [
        date("Create date"),
        time("Create time"),
        date("Last access date"),
        time("Last access time"),
        date("Last write date"),
        time("Last write time"),
        le32("File data size"),
        le32("File allocation size"),
        le16("File attributes").flags(bits::ATTRIBUTES),
    ];
    IOCTL / 8 => [
        le16("Total parameter count"),
        le16("Total data count"),
        le16("Parameter count"),
        le16("Parameter offset"),
        le16("Parameter displacement"),
        le16("Data count"),
        le16("Data offset"),
        le16("Data displacement"),
    ];
    COPY | MOVE / 1 => [le16("Count of files")];
    ECHO / 1 => [le16("Sequence number")];
    // Plain, and extended by access rights (MS-SMB 2.2.4.1.2).
    OPEN_ANDX / 15 | 19 => [
        FID,
        le16("File attributes").flags(bits::ATTRIBUTES),
        utime("Last write time"),
        le32("File data size"),
        le16("Access rights").bits(bits::ACCESS_MODE),
        le16("Resource type").hex().codes(bits::RESOURCE_TYPE),
        le16("Named pipe status").bits(bits::PIPE_STATUS),
        le16("Open results").bits(bits::OPEN_RESULTS),
        le32("Server FID").hex(),
        reserved(2),
        le32("Maximal access rights").flags(bits::ACCESS_MASK),
        le32("Guest maximal access rights").flags(bits::ACCESS_MASK),
    ];
    READ_ANDX / 12 => [
        le16("Available"),
        le16("Data compaction mode"),
        reserved(2),
        le16("Data length"),
        le16("Data offset"),
        le16("Data length high"),
        reserved(8),
    ];
    WRITE_ANDX / 6 => [
        le16("Count of bytes written"),
        le16("Available"),
        le16("Count high"),
        reserved(2),
    ];
    LOCKING_ANDX | LOGOFF_ANDX | SECURITY_PACKAGE_ANDX / 2 => [];
    TREE_CONNECT / 2 => [le16("Max buffer size"), le16("Tree ID").hex()];
    // Core, LANMAN and NT LM 0.12 (MS-CIFS 2.2.4.52.2; the LANMAN form from X/Open, Protocols
    // for PC Interworking: SMB, 12.1).
    NEGOTIATE / 1 => [le16("Dialect index")];
    NEGOTIATE / 13 => [
        le16("Dialect index"),
        le16("Security mode").bits(bits::SECURITY_MODE),
        le16("Max buffer size"),
        le16("Max mpx count"),
        le16("Max number of VCs"),
        le16("Raw mode").flags(bits::RAW_MODE),
        le32("Session key").hex(),
        time("Server time"),
        date("Server date"),
        ZONE,
        le16("Challenge length"),
        reserved(2),
    ];
    NEGOTIATE / 17 => [
        le16("Dialect index"),
        u8("Security mode").bits(bits::SECURITY_MODE),
        le16("Max mpx count"),
        le16("Max number of VCs"),
        le32("Max buffer size"),
        le32("Max raw size"),
        le32("Session key").hex(),
        le32("Capabilities").flags(bits::CAPABILITIES),
        file_time("System time"),
        ZONE,
        u8("Challenge length"),
    ];
    SESSION_SETUP_ANDX / 3 | 4 => [
        le16("Action").flags(bits::SETUP_ACTION),
        le16("Security blob length"),
    ];
    TREE_CONNECT_ANDX / 2 | 3 | 7 => [
        le16("Optional support").bits(bits::TREE_SUPPORT),
        le32("Maximal share access rights").flags(bits::ACCESS_MASK),
        le32("Guest maximal share access rights").flags(bits::ACCESS_MASK),
    ];
    QUERY_INFORMATION_DISK / 5 => [
        le16("Total units"),
        le16("Blocks per unit"),
        le16("Block size"),
        le16("Free units"),
        reserved(2),
    ];
    SEARCH | FIND | FIND_UNIQUE | FIND_CLOSE / 1 => [le16("Count")];
    // Plain, and extended by identifiers and access rights (MS-CIFS 2.2.4.64.2, MS-SMB
    // 2.2.4.9.2).
    NT_CREATE_ANDX / 34 | 50 => [
        u8("Oplock level").codes(bits::OPLOCK_LEVEL),
        FID,
        le32("Create disposition").hex().codes(bits::CREATE_ACTION),
        file_time("Create time"),
        file_time("Last access time"),
        file_time("Last write time"),
        file_time("Last change time"),
        le32("File attributes").flags(bits::EXT_ATTRIBUTES),
        le64("Allocation size"),
        le64("End of file"),
        le16("Resource type").hex().codes(bits::RESOURCE_TYPE),
        le16("Named pipe status").bits(bits::PIPE_STATUS),
        u8("Directory"),
        bytes(16, "Volume GUID"),
        le64("File ID"),
        le32("Maximal access rights").flags(bits::ACCESS_MASK),
        le32("Guest maximal access rights").flags(bits::ACCESS_MASK),
    ];
    GET_PRINT_QUEUE / 2 => [le16("Count"), le16("Restart index")];
    SEND_START_MULTI_BLOCK / 1 => [le16("Message group ID").hex()];
};

//! How a server says an operation ended: NTSTATUS, or the older class and code.
//! MS-CIFS 2.2.2.4 (SMB error classes and codes), MS-ERREF 2.3 (NTSTATUS).
//!
//! Two questions are answered apart. `ok`: was it done, be it with a warning that carries a
//! result? `failure`: is it an error that nobody expects? End of file, "no more files", a
//! name that is not there, a lock that is held, another round of a logon are neither:
//! programs provoke them all day, and counting them would hide the real ones.

use wirewait_wire::Status;

/// ERRSRV/ERRworking as the header carries it: a repeated command is still being worked
/// on (direct hosting on IPX).
pub(super) const WORKING: u32 = dos_code(2, 0x11);

/// The meaning of a 32-bit NTSTATUS, for SMB1 and SMB2.
#[must_use]
pub(crate) fn ntstatus(code: u32) -> Status {
    // MS-CIFS 2.2.2.4 gives class and code the shape of a 32-bit status too
    // (STATUS_INVALID_SMB 0x00010002 is ERRSRV/ERRerror).
    if matches!(code & 0xffff, 1..=3) && matches!(code >> 16, 1..0x4000) {
        return dos(code);
    }
    const BUFFER_OVERFLOW: u32 = 0x8000_0005;
    const EXPECTED: [u32; 14] = [
        0x8000_0006, // NO_MORE_FILES
        0x8000_001a, // NO_MORE_ENTRIES
        0x8000_002d, // STOPPED_ON_SYMLINK: the client goes on along the link
        0xc000_000f, // NO_SUCH_FILE
        0xc000_0011, // END_OF_FILE
        0xc000_0016, // MORE_PROCESSING_REQUIRED
        0xc000_0034, // OBJECT_NAME_NOT_FOUND
        0xc000_003a, // OBJECT_PATH_NOT_FOUND
        0xc000_0052, // NO_EAS_ON_FILE
        0xc000_0054, // FILE_LOCK_CONFLICT
        0xc000_0055, // LOCK_NOT_GRANTED
        0xc000_0120, // CANCELLED: the client asked for it
        0xc000_0225, // NOT_FOUND
        0xc000_0257, // PATH_NOT_COVERED: the client asks for a referral
    ];
    // Severity, the top two bits: 0 success, 1 informational (MS-ERREF 2.3).
    let ok = code < 0x8000_0000 || code == BUFFER_OVERFLOW;
    Status {
        code,
        name: named(&NTSTATUS, code),
        ok,
        failure: !ok && !EXPECTED.contains(&code),
    }
}

/// The meaning of a status in the older form, as the header's four bytes: class in the
/// lowest, code in the upper two.
#[must_use]
pub(super) fn dos(code: u32) -> Status {
    const EXPECTED: [u32; 10] = [
        dos_code(1, 0x02), // ERRbadfile
        dos_code(1, 0x03), // ERRbadpath
        dos_code(1, 0x12), // ERRnofiles
        dos_code(1, 0x21), // ERRlock
        dos_code(1, 0x26), // ERReof
        dos_code(2, 0x03), // ERRbadpath: the client asks for a referral
        dos_code(2, 0xfa), // ERRusempx, ERRusestd, ERRcontmpx: the client takes the other way
        dos_code(2, 0xfb),
        dos_code(2, 0xfc),
        WORKING,
    ];
    const WITH_RESULT: [u32; 2] = [dos_code(1, 0xea), dos_code(1, 0x3fe)];
    // The byte between class and code is reserved, and old servers leave anything in it.
    let plain = code & 0xffff_00ff;
    let ok = plain & 0xff == 0 || WITH_RESULT.contains(&plain);
    Status {
        code,
        name: if plain & 0xff == 0 {
            Some("SUCCESS")
        } else {
            named(&DOS, plain)
        },
        ok,
        failure: !ok && !EXPECTED.contains(&plain),
    }
}

/// Class and code as the header's four bytes.
const fn dos_code(class: u8, code: u16) -> u32 {
    class as u32 | (code as u32) << 16
}

fn named(table: &[(u32, &'static str)], code: u32) -> Option<&'static str> {
    let at = table.binary_search_by_key(&code, |entry| entry.0).ok()?;
    table.get(at).map(|entry| entry.1)
}

/// MS-CIFS 2.2.2.4, in the order of [`dos_code`] (code first, then class). Servers send further numbers of Win32 in
/// class ERRDOS: those that tshark knows, too, by their names in MS-ERREF 2.2.
static DOS: [(u32, &str); 117] = [
    (0x0000_00ff, "ERRCMD"),
    (0x0001_0001, "ERRDOS/ERRbadfunc"),
    (0x0001_0002, "ERRSRV/ERRerror"),
    (0x0002_0001, "ERRDOS/ERRbadfile"),
    (0x0002_0002, "ERRSRV/ERRbadpw"),
    (0x0003_0001, "ERRDOS/ERRbadpath"),
    (0x0003_0002, "ERRSRV/ERRbadpath"),
    (0x0004_0001, "ERRDOS/ERRnofids"),
    (0x0004_0002, "ERRSRV/ERRaccess"),
    (0x0005_0001, "ERRDOS/ERRnoaccess"),
    (0x0005_0002, "ERRSRV/ERRinvtid"),
    (0x0006_0001, "ERRDOS/ERRbadfid"),
    (0x0006_0002, "ERRSRV/ERRinvnetname"),
    (0x0007_0001, "ERRDOS/ERRbadmcb"),
    (0x0007_0002, "ERRSRV/ERRinvdevice"),
    (0x0008_0001, "ERRDOS/ERRnomem"),
    (0x0008_0002, "ERRSRV/ERRnomem"),
    (0x0009_0001, "ERRDOS/ERRbadmem"),
    (0x000a_0001, "ERRDOS/ERRbadenv"),
    (0x000b_0001, "ERRDOS/ERRbadformat"),
    (0x000c_0001, "ERRDOS/ERRbadaccess"),
    (0x000d_0001, "ERRDOS/ERRbaddata"),
    (0x000f_0001, "ERRDOS/ERRbaddrive"),
    (0x0010_0001, "ERRDOS/ERRremcd"),
    (0x0010_0002, "ERRSRV/ERRinvsess"),
    (0x0011_0001, "ERRDOS/ERRdiffdevice"),
    (0x0011_0002, "ERRSRV/ERRworking"),
    (0x0012_0001, "ERRDOS/ERRnofiles"),
    (0x0012_0002, "ERRSRV/ERRnotme"),
    (0x0013_0003, "ERRHRD/ERRnowrite"),
    (0x0014_0003, "ERRHRD/ERRbadunit"),
    (0x0015_0003, "ERRHRD/ERRnotready"),
    (0x0016_0002, "ERRSRV/ERRbadcmd"),
    (0x0016_0003, "ERRHRD/ERRbadcmd"),
    (0x0017_0003, "ERRHRD/ERRdata"),
    (0x0018_0001, "ERRDOS/ERRbadlength"),
    (0x0018_0003, "ERRHRD/ERRbadreq"),
    (0x0019_0003, "ERRHRD/ERRseek"),
    (0x001a_0003, "ERRHRD/ERRbadmedia"),
    (0x001b_0003, "ERRHRD/ERRbadsector"),
    (0x001c_0003, "ERRHRD/ERRnopaper"),
    (0x001d_0003, "ERRHRD/ERRwrite"),
    (0x001e_0003, "ERRHRD/ERRread"),
    (0x001f_0001, "ERRDOS/ERRgeneral"),
    (0x001f_0003, "ERRHRD/ERRgeneral"),
    (0x0020_0001, "ERRDOS/ERRbadshare"),
    (0x0020_0003, "ERRHRD/ERRbadshare"),
    (0x0021_0001, "ERRDOS/ERRlock"),
    (0x0021_0003, "ERRHRD/ERRlock"),
    (0x0022_0003, "ERRHRD/ERRwrongdisk"),
    (0x0023_0003, "ERRHRD/ERRFCBUnavail"),
    (0x0024_0003, "ERRHRD/ERRsharebufexc"),
    (0x0026_0001, "ERRDOS/ERReof"),
    (0x0027_0003, "ERRHRD/ERRdiskfull"),
    (0x0031_0002, "ERRSRV/ERRqfull"),
    (0x0032_0001, "ERRDOS/ERRunsup"),
    (0x0032_0002, "ERRSRV/ERRqtoobig"),
    (0x0033_0002, "ERRSRV/ERRqeof"),
    (0x0034_0002, "ERRSRV/ERRinvpfid"),
    (0x0040_0001, "ERRDOS/ERROR_NETNAME_DELETED"),
    (0x0040_0002, "ERRSRV/ERRsmbcmd"),
    (0x0041_0002, "ERRSRV/ERRsrverror"),
    (0x0042_0001, "ERRDOS/ERROR_BAD_DEV_TYPE"),
    (0x0043_0001, "ERRDOS/ERRnosuchshare"),
    (0x0043_0002, "ERRSRV/ERRfilespecs"),
    (0x0044_0002, "ERRSRV/ERRbadlink"),
    (0x0045_0002, "ERRSRV/ERRbadpermits"),
    (0x0046_0001, "ERRDOS/ERRpaused"),
    (0x0046_0002, "ERRSRV/ERRbadpid"),
    (0x0047_0001, "ERRDOS/ERRreqnotaccep"),
    (0x0047_0002, "ERRSRV/ERRsetattrmode"),
    (0x0050_0001, "ERRDOS/ERRfilexists"),
    (0x0051_0002, "ERRSRV/ERRpaused"),
    (0x0052_0002, "ERRSRV/ERRmsgoff"),
    (0x0053_0002, "ERRSRV/ERRnoroom"),
    (0x0057_0001, "ERRDOS/ERRinvalidparam"),
    (0x0057_0002, "ERRSRV/ERRrmuns"),
    (0x0058_0002, "ERRSRV/ERRtimeout"),
    (0x0059_0002, "ERRSRV/ERRnoresource"),
    (0x005a_0002, "ERRSRV/ERRtoomanyuids"),
    (0x005b_0002, "ERRSRV/ERRbaduid"),
    (0x006e_0001, "ERRDOS/ERROR_OPEN_FAILED"),
    (0x006f_0001, "ERRDOS/ERROR_BUFFER_OVERFLOW"),
    (0x0070_0001, "ERRDOS/ERRdiskfull"),
    (0x0071_0001, "ERRDOS/ERROR_NO_MORE_SEARCH_HANDLES"),
    (0x007a_0001, "ERRDOS/ERROR_INSUFFICIENT_BUFFER"),
    (0x007b_0001, "ERRDOS/ERRinvalidname"),
    (0x007c_0001, "ERRDOS/ERRunknownlevel"),
    (0x0083_0001, "ERRDOS/ERRinvalidseek"),
    (0x009e_0001, "ERRDOS/ERROR_NOT_LOCKED"),
    (0x00a1_0001, "ERRDOS/ERROR_BAD_PATHNAME"),
    (0x00ad_0001, "ERRDOS/ERROR_CANCEL_VIOLATION"),
    (0x00ae_0001, "ERRDOS/ERROR_ATOMIC_LOCKS_NOT_SUPPORTED"),
    (0x00b7_0001, "ERRDOS/ERROR_ALREADY_EXISTS"),
    (0x00e6_0001, "ERRDOS/ERRbadpipe"),
    (0x00e7_0001, "ERRDOS/ERRpipebusy"),
    (0x00e8_0001, "ERRDOS/ERRpipeclosing"),
    (0x00e9_0001, "ERRDOS/ERRnotconnected"),
    (0x00e9_0002, "ERRSRV/ERRnotconnected"),
    (0x00ea_0001, "ERRDOS/ERRmoredata"),
    (0x00fa_0002, "ERRSRV/ERRusempx"),
    (0x00fb_0002, "ERRSRV/ERRusestd"),
    (0x00fc_0002, "ERRSRV/ERRcontmpx"),
    (0x00fe_0002, "ERRSRV/ERRbadPassword"),
    (0x00ff_0001, "ERRDOS/ERRbadealist"),
    (0x0103_0001, "ERRDOS/ERROR_NO_MORE_ITEMS"),
    (0x010a_0001, "ERRDOS/ERROR_CANNOT_COPY"),
    (0x010b_0001, "ERRDOS/ERROR_DIRECTORY"),
    (0x0113_0001, "ERRDOS/ERROR_EAS_DIDNT_FIT"),
    (0x011a_0001, "ERRDOS/ERROR_EAS_NOT_SUPPORTED"),
    (0x03fe_0001, "ERRDOS/ERR_NOTIFY_ENUM_DIR"),
    (0x0867_0001, "ERRDOS/NERR_JobNotFound"),
    (0x08bf_0002, "ERRSRV/ERRaccountExpired"),
    (0x08c0_0002, "ERRSRV/ERRbadClient"),
    (0x08c1_0002, "ERRSRV/ERRbadLogonTime"),
    (0x08c2_0002, "ERRSRV/ERRpasswordExpired"),
    (0xffff_0002, "ERRSRV/ERRnosupport"),
];

/// The part of MS-ERREF 2.3.1 that file servers answer with.
static NTSTATUS: [(u32, &str); 222] = [
    (0x0000_0000, "STATUS_SUCCESS"),
    (0x0000_0102, "STATUS_TIMEOUT"),
    (0x0000_0103, "STATUS_PENDING"),
    (0x0000_0104, "STATUS_REPARSE"),
    (0x0000_0105, "STATUS_MORE_ENTRIES"),
    (0x0000_0108, "STATUS_OPLOCK_BREAK_IN_PROGRESS"),
    (0x0000_010b, "STATUS_NOTIFY_CLEANUP"),
    (0x0000_010c, "STATUS_NOTIFY_ENUM_DIR"),
    (0x4000_0000, "STATUS_OBJECT_NAME_EXISTS"),
    (0x8000_0005, "STATUS_BUFFER_OVERFLOW"),
    (0x8000_0006, "STATUS_NO_MORE_FILES"),
    (0x8000_000e, "STATUS_DEVICE_PAPER_EMPTY"),
    (0x8000_0010, "STATUS_DEVICE_OFF_LINE"),
    (0x8000_0011, "STATUS_DEVICE_BUSY"),
    (0x8000_0012, "STATUS_NO_MORE_EAS"),
    (0x8000_0013, "STATUS_INVALID_EA_NAME"),
    (0x8000_0014, "STATUS_EA_LIST_INCONSISTENT"),
    (0x8000_001a, "STATUS_NO_MORE_ENTRIES"),
    (0x8000_002d, "STATUS_STOPPED_ON_SYMLINK"),
    (0xc000_0001, "STATUS_UNSUCCESSFUL"),
    (0xc000_0002, "STATUS_NOT_IMPLEMENTED"),
    (0xc000_0003, "STATUS_INVALID_INFO_CLASS"),
    (0xc000_0004, "STATUS_INFO_LENGTH_MISMATCH"),
    (0xc000_0005, "STATUS_ACCESS_VIOLATION"),
    (0xc000_0008, "STATUS_INVALID_HANDLE"),
    (0xc000_000d, "STATUS_INVALID_PARAMETER"),
    (0xc000_000e, "STATUS_NO_SUCH_DEVICE"),
    (0xc000_000f, "STATUS_NO_SUCH_FILE"),
    (0xc000_0010, "STATUS_INVALID_DEVICE_REQUEST"),
    (0xc000_0011, "STATUS_END_OF_FILE"),
    (0xc000_0012, "STATUS_WRONG_VOLUME"),
    (0xc000_0013, "STATUS_NO_MEDIA_IN_DEVICE"),
    (0xc000_0015, "STATUS_NONEXISTENT_SECTOR"),
    (0xc000_0016, "STATUS_MORE_PROCESSING_REQUIRED"),
    (0xc000_0017, "STATUS_NO_MEMORY"),
    (0xc000_001e, "STATUS_INVALID_LOCK_SEQUENCE"),
    (0xc000_001f, "STATUS_INVALID_VIEW_SIZE"),
    (0xc000_0021, "STATUS_ALREADY_COMMITTED"),
    (0xc000_0022, "STATUS_ACCESS_DENIED"),
    (0xc000_0023, "STATUS_BUFFER_TOO_SMALL"),
    (0xc000_0024, "STATUS_OBJECT_TYPE_MISMATCH"),
    (0xc000_002a, "STATUS_NOT_LOCKED"),
    (0xc000_0030, "STATUS_INVALID_PARAMETER_MIX"),
    (0xc000_0032, "STATUS_DISK_CORRUPT_ERROR"),
    (0xc000_0033, "STATUS_OBJECT_NAME_INVALID"),
    (0xc000_0034, "STATUS_OBJECT_NAME_NOT_FOUND"),
    (0xc000_0035, "STATUS_OBJECT_NAME_COLLISION"),
    (0xc000_0037, "STATUS_PORT_DISCONNECTED"),
    (0xc000_0039, "STATUS_OBJECT_PATH_INVALID"),
    (0xc000_003a, "STATUS_OBJECT_PATH_NOT_FOUND"),
    (0xc000_003b, "STATUS_OBJECT_PATH_SYNTAX_BAD"),
    (0xc000_003e, "STATUS_DATA_ERROR"),
    (0xc000_003f, "STATUS_CRC_ERROR"),
    (0xc000_0040, "STATUS_SECTION_TOO_BIG"),
    (0xc000_0041, "STATUS_PORT_CONNECTION_REFUSED"),
    (0xc000_0042, "STATUS_INVALID_PORT_HANDLE"),
    (0xc000_0043, "STATUS_SHARING_VIOLATION"),
    (0xc000_0044, "STATUS_QUOTA_EXCEEDED"),
    (0xc000_004f, "STATUS_EAS_NOT_SUPPORTED"),
    (0xc000_0050, "STATUS_EA_TOO_LARGE"),
    (0xc000_0051, "STATUS_NONEXISTENT_EA_ENTRY"),
    (0xc000_0052, "STATUS_NO_EAS_ON_FILE"),
    (0xc000_0053, "STATUS_EA_CORRUPT_ERROR"),
    (0xc000_0054, "STATUS_FILE_LOCK_CONFLICT"),
    (0xc000_0055, "STATUS_LOCK_NOT_GRANTED"),
    (0xc000_0056, "STATUS_DELETE_PENDING"),
    (0xc000_0057, "STATUS_CTL_FILE_NOT_SUPPORTED"),
    (0xc000_005e, "STATUS_NO_LOGON_SERVERS"),
    (0xc000_005f, "STATUS_NO_SUCH_LOGON_SESSION"),
    (0xc000_0061, "STATUS_PRIVILEGE_NOT_HELD"),
    (0xc000_0064, "STATUS_NO_SUCH_USER"),
    (0xc000_0066, "STATUS_NO_SUCH_GROUP"),
    (0xc000_006a, "STATUS_WRONG_PASSWORD"),
    (0xc000_006c, "STATUS_PASSWORD_RESTRICTION"),
    (0xc000_006d, "STATUS_LOGON_FAILURE"),
    (0xc000_006e, "STATUS_ACCOUNT_RESTRICTION"),
    (0xc000_006f, "STATUS_INVALID_LOGON_HOURS"),
    (0xc000_0070, "STATUS_INVALID_WORKSTATION"),
    (0xc000_0071, "STATUS_PASSWORD_EXPIRED"),
    (0xc000_0072, "STATUS_ACCOUNT_DISABLED"),
    (0xc000_0073, "STATUS_NONE_MAPPED"),
    (0xc000_0077, "STATUS_INVALID_ACL"),
    (0xc000_0078, "STATUS_INVALID_SID"),
    (0xc000_0079, "STATUS_INVALID_SECURITY_DESCR"),
    (0xc000_007e, "STATUS_RANGE_NOT_LOCKED"),
    (0xc000_007f, "STATUS_DISK_FULL"),
    (0xc000_0097, "STATUS_TOO_MANY_PAGING_FILES"),
    (0xc000_0098, "STATUS_FILE_INVALID"),
    (0xc000_009a, "STATUS_INSUFFICIENT_RESOURCES"),
    (0xc000_009b, "STATUS_DFS_EXIT_PATH_FOUND"),
    (0xc000_009c, "STATUS_DEVICE_DATA_ERROR"),
    (0xc000_009d, "STATUS_DEVICE_NOT_CONNECTED"),
    (0xc000_009e, "STATUS_DEVICE_POWER_FAILURE"),
    (0xc000_00a2, "STATUS_MEDIA_WRITE_PROTECTED"),
    (0xc000_00a3, "STATUS_DEVICE_NOT_READY"),
    (0xc000_00a5, "STATUS_BAD_IMPERSONATION_LEVEL"),
    (0xc000_00ab, "STATUS_INSTANCE_NOT_AVAILABLE"),
    (0xc000_00ac, "STATUS_PIPE_NOT_AVAILABLE"),
    (0xc000_00ad, "STATUS_INVALID_PIPE_STATE"),
    (0xc000_00ae, "STATUS_PIPE_BUSY"),
    (0xc000_00af, "STATUS_ILLEGAL_FUNCTION"),
    (0xc000_00b0, "STATUS_PIPE_DISCONNECTED"),
    (0xc000_00b1, "STATUS_PIPE_CLOSING"),
    (0xc000_00b2, "STATUS_PIPE_CONNECTED"),
    (0xc000_00b3, "STATUS_PIPE_LISTENING"),
    (0xc000_00b4, "STATUS_INVALID_READ_MODE"),
    (0xc000_00b5, "STATUS_IO_TIMEOUT"),
    (0xc000_00b6, "STATUS_FILE_FORCED_CLOSED"),
    (0xc000_00ba, "STATUS_FILE_IS_A_DIRECTORY"),
    (0xc000_00bb, "STATUS_NOT_SUPPORTED"),
    (0xc000_00bc, "STATUS_REMOTE_NOT_LISTENING"),
    (0xc000_00bd, "STATUS_DUPLICATE_NAME"),
    (0xc000_00be, "STATUS_BAD_NETWORK_PATH"),
    (0xc000_00bf, "STATUS_NETWORK_BUSY"),
    (0xc000_00c0, "STATUS_DEVICE_DOES_NOT_EXIST"),
    (0xc000_00c1, "STATUS_TOO_MANY_COMMANDS"),
    (0xc000_00c3, "STATUS_INVALID_NETWORK_RESPONSE"),
    (0xc000_00c4, "STATUS_UNEXPECTED_NETWORK_ERROR"),
    (0xc000_00c6, "STATUS_PRINT_QUEUE_FULL"),
    (0xc000_00c7, "STATUS_NO_SPOOL_SPACE"),
    (0xc000_00c8, "STATUS_PRINT_CANCELLED"),
    (0xc000_00c9, "STATUS_NETWORK_NAME_DELETED"),
    (0xc000_00ca, "STATUS_NETWORK_ACCESS_DENIED"),
    (0xc000_00cb, "STATUS_BAD_DEVICE_TYPE"),
    (0xc000_00cc, "STATUS_BAD_NETWORK_NAME"),
    (0xc000_00cd, "STATUS_TOO_MANY_NAMES"),
    (0xc000_00ce, "STATUS_TOO_MANY_SESSIONS"),
    (0xc000_00cf, "STATUS_SHARING_PAUSED"),
    (0xc000_00d0, "STATUS_REQUEST_NOT_ACCEPTED"),
    (0xc000_00d1, "STATUS_REDIRECTOR_PAUSED"),
    (0xc000_00d2, "STATUS_NET_WRITE_FAULT"),
    (0xc000_00d4, "STATUS_NOT_SAME_DEVICE"),
    (0xc000_00d5, "STATUS_FILE_RENAMED"),
    (0xc000_00d6, "STATUS_VIRTUAL_CIRCUIT_CLOSED"),
    (0xc000_00d7, "STATUS_NO_SECURITY_ON_OBJECT"),
    (0xc000_00d8, "STATUS_CANT_WAIT"),
    (0xc000_00d9, "STATUS_PIPE_EMPTY"),
    (0xc000_00df, "STATUS_NO_SUCH_DOMAIN"),
    (0xc000_00e2, "STATUS_OPLOCK_NOT_GRANTED"),
    (0xc000_00e3, "STATUS_INVALID_OPLOCK_PROTOCOL"),
    (0xc000_00e5, "STATUS_INTERNAL_ERROR"),
    (0xc000_00e9, "STATUS_UNEXPECTED_IO_ERROR"),
    (0xc000_0101, "STATUS_DIRECTORY_NOT_EMPTY"),
    (0xc000_0102, "STATUS_FILE_CORRUPT_ERROR"),
    (0xc000_0103, "STATUS_NOT_A_DIRECTORY"),
    (0xc000_0105, "STATUS_LOGON_SESSION_COLLISION"),
    (0xc000_0106, "STATUS_NAME_TOO_LONG"),
    (0xc000_0107, "STATUS_FILES_OPEN"),
    (0xc000_0108, "STATUS_CONNECTION_IN_USE"),
    (0xc000_011f, "STATUS_TOO_MANY_OPENED_FILES"),
    (0xc000_0120, "STATUS_CANCELLED"),
    (0xc000_0121, "STATUS_CANNOT_DELETE"),
    (0xc000_0123, "STATUS_FILE_DELETED"),
    (0xc000_0128, "STATUS_FILE_CLOSED"),
    (0xc000_0133, "STATUS_TIME_DIFFERENCE_AT_DC"),
    (0xc000_013b, "STATUS_LOCAL_DISCONNECT"),
    (0xc000_013c, "STATUS_REMOTE_DISCONNECT"),
    (0xc000_013d, "STATUS_REMOTE_RESOURCES"),
    (0xc000_013e, "STATUS_LINK_FAILED"),
    (0xc000_013f, "STATUS_LINK_TIMEOUT"),
    (0xc000_0140, "STATUS_INVALID_CONNECTION"),
    (0xc000_0141, "STATUS_INVALID_ADDRESS"),
    (0xc000_014b, "STATUS_PIPE_BROKEN"),
    (0xc000_0155, "STATUS_LOGON_NOT_GRANTED"),
    (0xc000_015b, "STATUS_LOGON_TYPE_NOT_GRANTED"),
    (0xc000_016a, "STATUS_DISK_OPERATION_FAILED"),
    (0xc000_0184, "STATUS_INVALID_DEVICE_STATE"),
    (0xc000_0186, "STATUS_DEVICE_PROTOCOL_ERROR"),
    (0xc000_018a, "STATUS_NO_TRUST_LSA_SECRET"),
    (0xc000_018b, "STATUS_NO_TRUST_SAM_ACCOUNT"),
    (0xc000_018c, "STATUS_TRUSTED_DOMAIN_FAILURE"),
    (0xc000_018d, "STATUS_TRUSTED_RELATIONSHIP_FAILURE"),
    (0xc000_0190, "STATUS_TRUST_FAILURE"),
    (0xc000_0192, "STATUS_NETLOGON_NOT_STARTED"),
    (0xc000_0193, "STATUS_ACCOUNT_EXPIRED"),
    (0xc000_0195, "STATUS_NETWORK_CREDENTIAL_CONFLICT"),
    (0xc000_019c, "STATUS_FS_DRIVER_REQUIRED"),
    (0xc000_01a1, "STATUS_INVALID_LOCK_RANGE"),
    (0xc000_0202, "STATUS_NO_USER_SESSION_KEY"),
    (0xc000_0203, "STATUS_USER_SESSION_DELETED"),
    (0xc000_0205, "STATUS_INSUFF_SERVER_RESOURCES"),
    (0xc000_0206, "STATUS_INVALID_BUFFER_SIZE"),
    (0xc000_020c, "STATUS_CONNECTION_DISCONNECTED"),
    (0xc000_020d, "STATUS_CONNECTION_RESET"),
    (0xc000_021b, "STATUS_DATA_NOT_ACCEPTED"),
    (0xc000_0224, "STATUS_PASSWORD_MUST_CHANGE"),
    (0xc000_0225, "STATUS_NOT_FOUND"),
    (0xc000_022d, "STATUS_RETRY"),
    (0xc000_0233, "STATUS_DOMAIN_CONTROLLER_NOT_FOUND"),
    (0xc000_0234, "STATUS_ACCOUNT_LOCKED_OUT"),
    (0xc000_0235, "STATUS_HANDLE_NOT_CLOSABLE"),
    (0xc000_0236, "STATUS_CONNECTION_REFUSED"),
    (0xc000_0237, "STATUS_GRACEFUL_DISCONNECT"),
    (0xc000_023c, "STATUS_NETWORK_UNREACHABLE"),
    (0xc000_023d, "STATUS_HOST_UNREACHABLE"),
    (0xc000_023e, "STATUS_PROTOCOL_UNREACHABLE"),
    (0xc000_023f, "STATUS_PORT_UNREACHABLE"),
    (0xc000_0240, "STATUS_REQUEST_ABORTED"),
    (0xc000_0241, "STATUS_CONNECTION_ABORTED"),
    (0xc000_0253, "STATUS_LPC_REPLY_LOST"),
    (0xc000_0257, "STATUS_PATH_NOT_COVERED"),
    (0xc000_026e, "STATUS_VOLUME_DISMOUNTED"),
    (0xc000_0275, "STATUS_NOT_A_REPARSE_POINT"),
    (0xc000_0276, "STATUS_IO_REPARSE_TAG_INVALID"),
    (0xc000_0277, "STATUS_IO_REPARSE_TAG_MISMATCH"),
    (0xc000_0278, "STATUS_IO_REPARSE_DATA_INVALID"),
    (0xc000_0279, "STATUS_IO_REPARSE_TAG_NOT_HANDLED"),
    (0xc000_028a, "STATUS_ENCRYPTION_FAILED"),
    (0xc000_02b6, "STATUS_DEVICE_REMOVED"),
    (0xc000_02c3, "STATUS_MUTUAL_AUTHENTICATION_FAILED"),
    (0xc000_035c, "STATUS_NETWORK_SESSION_EXPIRED"),
    (0xc000_0388, "STATUS_DOWNGRADE_DETECTED"),
    (0xc000_042a, "STATUS_REQUEST_OUT_OF_SEQUENCE"),
    (0xc000_0465, "STATUS_INVALID_TOKEN"),
    (0xc000_0466, "STATUS_SERVER_UNAVAILABLE"),
    (0xc000_0467, "STATUS_FILE_NOT_AVAILABLE"),
    (0xc000_0480, "STATUS_SHARE_UNAVAILABLE"),
    (0xc000_205a, "STATUS_SMB_TOO_MANY_UIDS"),
    (0xc000_a100, "STATUS_HASH_NOT_SUPPORTED"),
    (0xc000_a101, "STATUS_HASH_NOT_PRESENT"),
    (0xc05d_0000, "STATUS_SMB_NO_PREAUTH_INTEGRITY_HASH_OVERLAP"),
    (0xc05d_0001, "STATUS_SMB_BAD_CLUSTER_DIALECT"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted_and_without_doubles() {
        assert!(DOS.windows(2).all(|w| w[0].0 < w[1].0));
        assert!(NTSTATUS.windows(2).all(|w| w[0].0 < w[1].0));
    }

    #[test]
    fn success_warning_expected_and_failure_are_told_apart() {
        let judged = |code| {
            let s = ntstatus(code);
            (s.name, s.ok, s.failure)
        };
        assert_eq!(judged(0), (Some("STATUS_SUCCESS"), true, false));
        assert_eq!(
            judged(0x10c),
            (Some("STATUS_NOTIFY_ENUM_DIR"), true, false),
            "success with less than was asked"
        );
        assert_eq!(
            judged(0x8000_0005),
            (Some("STATUS_BUFFER_OVERFLOW"), true, false)
        );
        assert_eq!(
            judged(0xc000_0034),
            (Some("STATUS_OBJECT_NAME_NOT_FOUND"), false, false)
        );
        assert_eq!(
            judged(0xc000_0022),
            (Some("STATUS_ACCESS_DENIED"), false, true)
        );
        assert_eq!(judged(0xc7ff_ffff), (None, false, true));
    }

    #[test]
    fn class_and_code_are_judged_alike() {
        let judged = |class, code| {
            let s = dos(dos_code(class, code));
            (s.name, s.ok, s.failure)
        };
        assert_eq!(judged(0, 0), (Some("SUCCESS"), true, false));
        assert_eq!(judged(1, 2), (Some("ERRDOS/ERRbadfile"), false, false));
        assert_eq!(judged(1, 5), (Some("ERRDOS/ERRnoaccess"), false, true));
        assert_eq!(judged(1, 0xea), (Some("ERRDOS/ERRmoredata"), true, false));
        assert_eq!(judged(2, 0xfb), (Some("ERRSRV/ERRusestd"), false, false));
        assert_eq!(judged(3, 0x1f), (Some("ERRHRD/ERRgeneral"), false, true));
        assert_eq!(judged(0xff, 0), (Some("ERRCMD"), false, true));
        // A number of Win32.
        let exists = (Some("ERRDOS/ERROR_ALREADY_EXISTS"), false, true);
        assert_eq!(judged(1, 183), exists);
        let reserved = dos(dos_code(1, 2) | 0x4200);
        assert_eq!(reserved.name, Some("ERRDOS/ERRbadfile"));
        assert_eq!(reserved.code, dos_code(1, 2) | 0x4200, "as on the wire");
    }

    #[test]
    fn class_and_code_are_known_in_the_shape_of_an_ntstatus() {
        let s = ntstatus(0x00fb_0002);
        assert_eq!(
            (s.code, s.name, s.failure),
            (0x00fb_0002, Some("ERRSRV/ERRusestd"), false)
        );
        assert!(!s.ok);
        assert!(ntstatus(0x103).ok, "STATUS_PENDING is no class 3");
    }
}

//! Bits and codes that several layouts have in common. MS-CIFS 2.2.1 and 2.2.4, MS-SMB
//! 2.2.1 and 2.2.4.

use super::layout::{Bit, Code};
use Bit::{Flag, Number, Of};

/// Flags of the header, MS-CIFS 2.2.3.1.
pub(super) const FLAGS: &[Bit] = &[
    Flag(0x01, "Lock and read supported"),
    Flag(0x02, "Receive buffer posted"),
    Flag(0x08, "Case insensitive"),
    Flag(0x10, "Canonicalized paths"),
    Flag(0x20, "Oplock"),
    Flag(0x40, "Batch oplock"),
    Of(0x80, "Reply", &[(0, "request"), (1, "response")]),
];

/// Flags2 of the header, MS-CIFS 2.2.3.1 and MS-SMB 2.2.3.1.
pub(super) const FLAGS2: &[Bit] = &[
    Flag(0x0001, "Long names allowed"),
    Flag(0x0002, "Extended attributes"),
    Flag(0x0004, "Security signatures"),
    Flag(0x0008, "Compressed"),
    Flag(0x0010, "Security signatures required"),
    Flag(0x0040, "Long names used"),
    Flag(0x0400, "Reparse path"),
    Flag(0x0800, "Extended security"),
    Flag(0x1000, "DFS path"),
    Flag(0x2000, "Read if execute"),
    Of(0x4000, "Status form", &[(0, "DOS error"), (1, "NTSTATUS")]),
    Of(0x8000, "Strings", &[(0, "OEM"), (1, "Unicode")]),
];

/// SMB_FILE_ATTRIBUTES, MS-CIFS 2.2.1.2.4.
pub(super) const ATTRIBUTES: &[Bit] = &[
    Flag(0x0001, "Read only"),
    Flag(0x0002, "Hidden"),
    Flag(0x0004, "System"),
    Flag(0x0008, "Volume"),
    Flag(0x0010, "Directory"),
    Flag(0x0020, "Archive"),
];

/// SMB_EXT_FILE_ATTR, MS-CIFS 2.2.1.2.3.
pub(super) const EXT_ATTRIBUTES: &[Bit] = &[
    Flag(0x0000_0001, "Read only"),
    Flag(0x0000_0002, "Hidden"),
    Flag(0x0000_0004, "System"),
    Flag(0x0000_0010, "Directory"),
    Flag(0x0000_0020, "Archive"),
    Flag(0x0000_0080, "Normal"),
    Flag(0x0000_0100, "Temporary"),
    Flag(0x0000_0200, "Sparse"),
    Flag(0x0000_0400, "Reparse point"),
    Flag(0x0000_0800, "Compressed"),
    Flag(0x0000_1000, "Offline"),
    Flag(0x0000_2000, "Not content indexed"),
    Flag(0x0000_4000, "Encrypted"),
    Flag(0x0100_0000, "POSIX semantics"),
    Flag(0x0200_0000, "Backup semantics"),
    Flag(0x0400_0000, "Delete on close"),
    Flag(0x0800_0000, "Sequential scan"),
    Flag(0x1000_0000, "Random access"),
    Flag(0x2000_0000, "No buffering"),
    Flag(0x8000_0000, "Write through"),
];

/// Attributes of a search: the upper byte says which a file must have
/// (MS-CIFS 2.2.1.2.4).
pub(super) const SEARCH_ATTRIBUTES: &[Bit] = &[
    Flag(0x0001, "Read only"),
    Flag(0x0002, "Hidden"),
    Flag(0x0004, "System"),
    Flag(0x0008, "Volume"),
    Flag(0x0010, "Directory"),
    Flag(0x0020, "Archive"),
    Flag(0x0100, "Must be read only"),
    Flag(0x0200, "Must be hidden"),
    Flag(0x0400, "Must be system"),
    Flag(0x1000, "Must be directory"),
    Flag(0x2000, "Must be archive"),
];

/// AccessMode of OPEN, MS-CIFS 2.2.4.3.1.
pub(super) const ACCESS_MODE: &[Bit] = &[
    Of(
        0x0007,
        "Access",
        &[
            (0, "read"),
            (1, "write"),
            (2, "read and write"),
            (3, "execute"),
        ],
    ),
    Of(
        0x0070,
        "Sharing",
        &[
            (0, "compatibility mode"),
            (1, "deny all"),
            (2, "deny write"),
            (3, "deny read and execute"),
            (4, "deny none"),
        ],
    ),
    Of(
        0x0700,
        "Locality of reference",
        &[
            (0, "unknown"),
            (1, "sequential"),
            (2, "random"),
            (3, "random with some locality"),
        ],
    ),
    Flag(0x1000, "Do not cache"),
    Flag(0x4000, "Write through"),
];

/// OpenMode of OPEN_ANDX, MS-CIFS 2.2.4.41.1.
pub(super) const OPEN_MODE: &[Bit] = &[
    Of(
        0x0003,
        "If the file exists",
        &[(0, "fail"), (1, "open"), (2, "truncate")],
    ),
    Of(0x0010, "If it does not", &[(0, "fail"), (1, "create")]),
];

/// Flags of OPEN_ANDX, MS-CIFS 2.2.4.41.1 and MS-SMB 2.2.4.1.1.
pub(super) const OPEN_FLAGS: &[Bit] = &[
    Flag(0x0001, "Attributes asked for"),
    Flag(0x0002, "Exclusive oplock asked for"),
    Flag(0x0004, "Batch oplock asked for"),
    Flag(0x0008, "EA length asked for"),
    Flag(0x0010, "Extended response asked for"),
];

/// OpenResults and ActionTaken, MS-CIFS 2.2.4.41.2.
pub(super) const OPEN_RESULTS: &[Bit] = &[
    Of(
        0x0003,
        "Result",
        &[
            (1, "the file existed and was opened"),
            (2, "the file did not exist and was created"),
            (3, "the file existed and was truncated"),
        ],
    ),
    Flag(0x8000, "Oplock granted"),
];

/// ResourceType, MS-CIFS 2.2.4.41.2.
pub(super) const RESOURCE_TYPE: &[Code] = &[
    (0, "file or directory"),
    (1, "byte mode named pipe"),
    (2, "message mode named pipe"),
    (3, "printer"),
    (4, "character mode device"),
];

/// SMB_NMPIPE_STATUS, MS-CIFS 2.2.1.3.
pub(super) const PIPE_STATUS: &[Bit] = &[
    Number(0x00ff, "Instances"),
    Of(0x0300, "Read mode", &[(0, "byte"), (1, "message")]),
    Of(0x0c00, "Pipe type", &[(0, "byte"), (1, "message")]),
    Of(0x4000, "End", &[(0, "client"), (1, "server")]),
    Of(0x8000, "Blocking", &[(0, "waits"), (1, "does not wait")]),
];

/// WriteMode, MS-CIFS 2.2.4.43.1 and 2.2.4.26.1.
pub(super) const WRITE_MODE: &[Bit] = &[
    Flag(0x0001, "Write through"),
    Flag(0x0002, "Return bytes available"),
    Flag(0x0004, "Raw mode on a named pipe"),
    Flag(0x0008, "Start of a message"),
    Flag(0x0080, "Connectionless"),
];

/// TypeOfLock, MS-CIFS 2.2.4.32.1.
pub(super) const LOCK_TYPE: &[Bit] = &[
    Flag(0x01, "Shared lock"),
    Flag(0x02, "Oplock release"),
    Flag(0x04, "Change lock type"),
    Flag(0x08, "Cancel lock"),
    Flag(0x10, "Large file offsets"),
];

/// NewOpLockLevel and OpLockLevel, MS-CIFS 2.2.4.32.1 and 2.2.4.64.2.
pub(super) const OPLOCK_LEVEL: &[Code] =
    &[(0, "none"), (1, "exclusive"), (2, "batch"), (3, "level II")];

/// The level to which an oplock is broken, MS-CIFS 2.2.4.32.1.
pub(super) const NEW_OPLOCK_LEVEL: &[Code] = &[(0, "none"), (1, "level II")];

/// Flags of COPY and MOVE, MS-CIFS 2.2.4.35.1.
pub(super) const COPY_FLAGS: &[Bit] = &[
    Flag(0x01, "Target must be a file"),
    Flag(0x02, "Target must be a directory"),
    Of(0x04, "Copy mode of target", &[(0, "binary"), (1, "ASCII")]),
    Of(0x08, "Copy mode of source", &[(0, "binary"), (1, "ASCII")]),
    Flag(0x10, "Verify writes"),
    Flag(0x20, "Copy a tree"),
];

/// SecurityMode of NEGOTIATE, MS-CIFS 2.2.4.52.2.
pub(super) const SECURITY_MODE: &[Bit] = &[
    Of(0x01, "Access control", &[(0, "share"), (1, "user")]),
    Of(
        0x02,
        "Passwords",
        &[(0, "plain"), (1, "challenge and response")],
    ),
    Flag(0x04, "Security signatures enabled"),
    Flag(0x08, "Security signatures required"),
];

/// RawMode of NEGOTIATE, LANMAN dialects.
pub(super) const RAW_MODE: &[Bit] = &[
    Flag(0x0001, "READ_RAW supported"),
    Flag(0x0002, "WRITE_RAW supported"),
];

/// Capabilities, MS-CIFS 2.2.4.52.2 and MS-SMB 2.2.4.5.2.1.
pub(super) const CAPABILITIES: &[Bit] = &[
    Flag(0x0000_0001, "Raw mode"),
    Flag(0x0000_0002, "Multiplexed mode"),
    Flag(0x0000_0004, "Unicode"),
    Flag(0x0000_0008, "Large files"),
    Flag(0x0000_0010, "NT SMBs"),
    Flag(0x0000_0020, "RPC remote APIs"),
    Flag(0x0000_0040, "NTSTATUS"),
    Flag(0x0000_0080, "Level II oplocks"),
    Flag(0x0000_0100, "Lock and read"),
    Flag(0x0000_0200, "NT find"),
    Flag(0x0000_0400, "Bulk transfer"),
    Flag(0x0000_0800, "Compressed data"),
    Flag(0x0000_1000, "DFS"),
    Flag(0x0000_2000, "Information level pass-through"),
    Flag(0x0000_4000, "Large reads"),
    Flag(0x0000_8000, "Large writes"),
    Flag(0x0001_0000, "Lightweight I/O"),
    Flag(0x0080_0000, "UNIX extensions"),
    Flag(0x0200_0000, "Compressed data transfer"),
    Flag(0x2000_0000, "Dynamic reauthentication"),
    Flag(0x4000_0000, "Persistent handles"),
    Flag(0x8000_0000, "Extended security"),
];

/// Action of SESSION_SETUP_ANDX, MS-CIFS 2.2.4.53.2.
pub(super) const SETUP_ACTION: &[Bit] = &[
    Flag(0x0001, "Logged on as guest"),
    Flag(0x0002, "LAN Manager session key used"),
];

/// Flags of TREE_CONNECT_ANDX, MS-CIFS 2.2.4.55.1 and MS-SMB 2.2.4.7.1.
pub(super) const TREE_FLAGS: &[Bit] = &[
    Flag(0x0001, "Disconnect the tree of the header"),
    Flag(0x0004, "Extended signatures"),
    Flag(0x0008, "Extended response asked for"),
];

/// OptionalSupport of TREE_CONNECT_ANDX, MS-CIFS 2.2.4.55.2 and MS-SMB 2.2.4.7.2.
pub(super) const TREE_SUPPORT: &[Bit] = &[
    Flag(0x0001, "Exclusive search bits"),
    Flag(0x0002, "In DFS"),
    Of(
        0x000c,
        "Client-side caching",
        &[
            (0, "manual"),
            (1, "documents"),
            (2, "programs"),
            (3, "none"),
        ],
    ),
    Flag(0x0010, "Unique file names"),
    Flag(0x0020, "Extended signatures"),
];

/// ACCESS_MASK, MS-CIFS 2.2.1.4.1 (DesiredAccess) and MS-SMB 2.2.1.4.
pub(super) const ACCESS_MASK: &[Bit] = &[
    Flag(0x0000_0001, "Read data"),
    Flag(0x0000_0002, "Write data"),
    Flag(0x0000_0004, "Append data"),
    Flag(0x0000_0008, "Read extended attributes"),
    Flag(0x0000_0010, "Write extended attributes"),
    Flag(0x0000_0020, "Execute"),
    Flag(0x0000_0040, "Delete child"),
    Flag(0x0000_0080, "Read attributes"),
    Flag(0x0000_0100, "Write attributes"),
    Flag(0x0001_0000, "Delete"),
    Flag(0x0002_0000, "Read control"),
    Flag(0x0004_0000, "Write DAC"),
    Flag(0x0008_0000, "Write owner"),
    Flag(0x0010_0000, "Synchronize"),
    Flag(0x0100_0000, "System security"),
    Flag(0x0200_0000, "Maximum allowed"),
    Flag(0x1000_0000, "Generic all"),
    Flag(0x2000_0000, "Generic execute"),
    Flag(0x4000_0000, "Generic write"),
    Flag(0x8000_0000, "Generic read"),
];

/// Flags of NT_CREATE_ANDX, MS-CIFS 2.2.4.64.1 and MS-SMB 2.2.4.9.1.
pub(super) const CREATE_FLAGS: &[Bit] = &[
    Flag(0x02, "Exclusive oplock asked for"),
    Flag(0x04, "Batch oplock asked for"),
    Flag(0x08, "Open the target directory"),
    Flag(0x10, "Extended response asked for"),
];

/// ShareAccess, MS-CIFS 2.2.4.64.1.
pub(super) const SHARE_ACCESS: &[Bit] =
    &[Flag(0x1, "Read"), Flag(0x2, "Write"), Flag(0x4, "Delete")];

/// CreateDisposition, MS-CIFS 2.2.4.64.1.
pub(super) const CREATE_DISPOSITION: &[Code] = &[
    (0, "FILE_SUPERSEDE"),
    (1, "FILE_OPEN"),
    (2, "FILE_CREATE"),
    (3, "FILE_OPEN_IF"),
    (4, "FILE_OVERWRITE"),
    (5, "FILE_OVERWRITE_IF"),
];

/// CreateAction, MS-CIFS 2.2.4.64.2.
pub(super) const CREATE_ACTION: &[Code] = &[
    (0, "FILE_SUPERSEDED"),
    (1, "FILE_OPENED"),
    (2, "FILE_CREATED"),
    (3, "FILE_OVERWRITTEN"),
    (4, "FILE_EXISTS"),
    (5, "FILE_DOES_NOT_EXIST"),
];

/// CreateOptions, MS-CIFS 2.2.4.64.1.
pub(super) const CREATE_OPTIONS: &[Bit] = &[
    Flag(0x0000_0001, "Directory"),
    Flag(0x0000_0002, "Write through"),
    Flag(0x0000_0004, "Sequential only"),
    Flag(0x0000_0008, "No intermediate buffering"),
    Flag(0x0000_0010, "Synchronous, alertable"),
    Flag(0x0000_0020, "Synchronous, not alertable"),
    Flag(0x0000_0040, "Not a directory"),
    Flag(0x0000_0080, "Create tree connection"),
    Flag(0x0000_0100, "Complete if oplocked"),
    Flag(0x0000_0200, "No knowledge of EAs"),
    Flag(0x0000_0400, "Open for recovery"),
    Flag(0x0000_0800, "Random access"),
    Flag(0x0000_1000, "Delete on close"),
    Flag(0x0000_2000, "Open by file ID"),
    Flag(0x0000_4000, "Open for backup"),
    Flag(0x0000_8000, "No compression"),
    Flag(0x0010_0000, "Reserve opfilter"),
    Flag(0x0020_0000, "Open reparse point"),
    Flag(0x0040_0000, "Open without recall"),
    Flag(0x0080_0000, "Open for free space query"),
];

/// ImpersonationLevel, MS-CIFS 2.2.4.64.1.
pub(super) const IMPERSONATION: &[Code] = &[
    (0, "anonymous"),
    (1, "identification"),
    (2, "impersonation"),
    (3, "delegation"),
];

/// SecurityFlags, MS-CIFS 2.2.4.64.1.
pub(super) const SECURITY_FLAGS: &[Bit] =
    &[Flag(0x01, "Context tracking"), Flag(0x02, "Effective only")];

/// SecurityInformation, MS-CIFS 2.2.7.3.1.
pub(super) const SECURITY_INFORMATION: &[Bit] = &[
    Flag(0x1, "Owner"),
    Flag(0x2, "Group"),
    Flag(0x4, "DACL"),
    Flag(0x8, "SACL"),
];

/// CompletionFilter, MS-CIFS 2.2.7.4.1.
pub(super) const COMPLETION_FILTER: &[Bit] = &[
    Flag(0x001, "File name"),
    Flag(0x002, "Directory name"),
    Flag(0x004, "Attributes"),
    Flag(0x008, "Size"),
    Flag(0x010, "Last write"),
    Flag(0x020, "Last access"),
    Flag(0x040, "Creation"),
    Flag(0x080, "Extended attributes"),
    Flag(0x100, "Security"),
    Flag(0x200, "Stream name"),
    Flag(0x400, "Stream size"),
    Flag(0x800, "Stream write"),
];

/// Flags of TRANSACTION and TRANSACTION2, MS-CIFS 2.2.4.33.1.
pub(super) const TRANSACTION_FLAGS: &[Bit] = &[
    Flag(0x0001, "Disconnect the tree"),
    Flag(0x0002, "One way: no answer"),
];

/// Flags of TRANS2_FIND_FIRST2 and FIND_NEXT2, MS-CIFS 2.2.6.2.1.
pub(super) const FIND_FLAGS: &[Bit] = &[
    Flag(0x01, "Close after this request"),
    Flag(0x02, "Close at the end of the search"),
    Flag(0x04, "Return resume keys"),
    Flag(0x08, "Continue from last"),
    Flag(0x10, "Backup intent"),
];

/// Mode of SEEK, MS-CIFS 2.2.4.19.1.
pub(super) const SEEK_MODE: &[Code] = &[
    (0, "from the start"),
    (1, "from the current position"),
    (2, "from the end"),
];

/// Mode of OPEN_PRINT_FILE, MS-CIFS 2.2.4.67.1.
pub(super) const PRINT_MODE: &[Code] = &[(0, "text"), (1, "graphics")];

/// InformationLevel of NT_RENAME, MS-CIFS 2.2.4.66.1.
pub(super) const RENAME_LEVEL: &[Code] = &[
    (0x0103, "SMB_NT_RENAME_SET_LINK_INFO"),
    (0x0104, "SMB_NT_RENAME_RENAME_FILE"),
];

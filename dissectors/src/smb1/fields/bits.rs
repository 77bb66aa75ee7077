//! Bits and codes that several tables have in common. MS-CIFS 2.2.1 and 2.2.4, MS-SMB
//! 2.2.1 and 2.2.4.

use super::params::{Bit, ValueNames};
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
pub(super) const ATTRIBUTES: ValueNames = &[
    (0x0001, "Read only"),
    (0x0002, "Hidden"),
    (0x0004, "System"),
    (0x0008, "Volume"),
    (0x0010, "Directory"),
    (0x0020, "Archive"),
];

/// SMB_EXT_FILE_ATTR, MS-CIFS 2.2.1.2.3.
pub(super) const EXT_ATTRIBUTES: ValueNames = &[
    (0x0000_0001, "Read only"),
    (0x0000_0002, "Hidden"),
    (0x0000_0004, "System"),
    (0x0000_0010, "Directory"),
    (0x0000_0020, "Archive"),
    (0x0000_0080, "Normal"),
    (0x0000_0100, "Temporary"),
    (0x0000_0200, "Sparse"),
    (0x0000_0400, "Reparse point"),
    (0x0000_0800, "Compressed"),
    (0x0000_1000, "Offline"),
    (0x0000_2000, "Not content indexed"),
    (0x0000_4000, "Encrypted"),
    (0x0100_0000, "POSIX semantics"),
    (0x0200_0000, "Backup semantics"),
    (0x0400_0000, "Delete on close"),
    (0x0800_0000, "Sequential scan"),
    (0x1000_0000, "Random access"),
    (0x2000_0000, "No buffering"),
    (0x8000_0000, "Write through"),
];

/// Attributes of a search: the upper byte says which a file must have
/// (MS-CIFS 2.2.1.2.4).
pub(super) const SEARCH_ATTRIBUTES: ValueNames = &[
    (0x0001, "Read only"),
    (0x0002, "Hidden"),
    (0x0004, "System"),
    (0x0008, "Volume"),
    (0x0010, "Directory"),
    (0x0020, "Archive"),
    (0x0100, "Must be read only"),
    (0x0200, "Must be hidden"),
    (0x0400, "Must be system"),
    (0x1000, "Must be directory"),
    (0x2000, "Must be archive"),
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
pub(super) const OPEN_FLAGS: ValueNames = &[
    (0x0001, "Attributes asked for"),
    (0x0002, "Exclusive oplock asked for"),
    (0x0004, "Batch oplock asked for"),
    (0x0008, "EA length asked for"),
    (0x0010, "Extended response asked for"),
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
pub(super) const RESOURCE_TYPE: ValueNames = &[
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
pub(super) const WRITE_MODE: ValueNames = &[
    (0x0001, "Write through"),
    (0x0002, "Return bytes available"),
    (0x0004, "Raw mode on a named pipe"),
    (0x0008, "Start of a message"),
    (0x0080, "Connectionless"),
];

/// TypeOfLock, MS-CIFS 2.2.4.32.1.
pub(super) const LOCK_TYPE: ValueNames = &[
    (0x01, "Shared lock"),
    (0x02, "Oplock release"),
    (0x04, "Change lock type"),
    (0x08, "Cancel lock"),
    (0x10, "Large file offsets"),
];

/// NewOpLockLevel and OpLockLevel, MS-CIFS 2.2.4.32.1 and 2.2.4.64.2.
pub(super) const OPLOCK_LEVEL: ValueNames =
    &[(0, "none"), (1, "exclusive"), (2, "batch"), (3, "level II")];

/// The level to which an oplock is broken, MS-CIFS 2.2.4.32.1.
pub(super) const NEW_OPLOCK_LEVEL: ValueNames = &[(0, "none"), (1, "level II")];

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
pub(super) const RAW_MODE: ValueNames = &[
    (0x0001, "READ_RAW supported"),
    (0x0002, "WRITE_RAW supported"),
];

/// Capabilities, MS-CIFS 2.2.4.52.2 and MS-SMB 2.2.4.5.2.1.
pub(super) const CAPABILITIES: ValueNames = &[
    (0x0000_0001, "Raw mode"),
    (0x0000_0002, "Multiplexed mode"),
    (0x0000_0004, "Unicode"),
    (0x0000_0008, "Large files"),
    (0x0000_0010, "NT SMBs"),
    (0x0000_0020, "RPC remote APIs"),
    (0x0000_0040, "NTSTATUS"),
    (0x0000_0080, "Level II oplocks"),
    (0x0000_0100, "Lock and read"),
    (0x0000_0200, "NT find"),
    (0x0000_0400, "Bulk transfer"),
    (0x0000_0800, "Compressed data"),
    (0x0000_1000, "DFS"),
    (0x0000_2000, "Information level pass-through"),
    (0x0000_4000, "Large reads"),
    (0x0000_8000, "Large writes"),
    (0x0001_0000, "Lightweight I/O"),
    (0x0080_0000, "UNIX extensions"),
    (0x0200_0000, "Compressed data transfer"),
    (0x2000_0000, "Dynamic reauthentication"),
    (0x4000_0000, "Persistent handles"),
    (0x8000_0000, "Extended security"),
];

/// Action of SESSION_SETUP_ANDX, MS-CIFS 2.2.4.53.2.
pub(super) const SETUP_ACTION: ValueNames = &[
    (0x0001, "Logged on as guest"),
    (0x0002, "LAN Manager session key used"),
];

/// Flags of TREE_CONNECT_ANDX, MS-CIFS 2.2.4.55.1 and MS-SMB 2.2.4.7.1.
pub(super) const TREE_FLAGS: ValueNames = &[
    (0x0001, "Disconnect the tree of the header"),
    (0x0004, "Extended signatures"),
    (0x0008, "Extended response asked for"),
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
pub(super) const ACCESS_MASK: ValueNames = &[
    (0x0000_0001, "Read data"),
    (0x0000_0002, "Write data"),
    (0x0000_0004, "Append data"),
    (0x0000_0008, "Read extended attributes"),
    (0x0000_0010, "Write extended attributes"),
    (0x0000_0020, "Execute"),
    (0x0000_0040, "Delete child"),
    (0x0000_0080, "Read attributes"),
    (0x0000_0100, "Write attributes"),
    (0x0001_0000, "Delete"),
    (0x0002_0000, "Read control"),
    (0x0004_0000, "Write DAC"),
    (0x0008_0000, "Write owner"),
    (0x0010_0000, "Synchronize"),
    (0x0100_0000, "System security"),
    (0x0200_0000, "Maximum allowed"),
    (0x1000_0000, "Generic all"),
    (0x2000_0000, "Generic execute"),
    (0x4000_0000, "Generic write"),
    (0x8000_0000, "Generic read"),
];

/// Flags of NT_CREATE_ANDX, MS-CIFS 2.2.4.64.1 and MS-SMB 2.2.4.9.1.
pub(super) const CREATE_FLAGS: ValueNames = &[
    (0x02, "Exclusive oplock asked for"),
    (0x04, "Batch oplock asked for"),
    (0x08, "Open the target directory"),
    (0x10, "Extended response asked for"),
];

/// ShareAccess, MS-CIFS 2.2.4.64.1.
pub(super) const SHARE_ACCESS: ValueNames = &[(0x1, "Read"), (0x2, "Write"), (0x4, "Delete")];

/// CreateDisposition, MS-CIFS 2.2.4.64.1.
pub(super) const CREATE_DISPOSITION: ValueNames = &[
    (0, "FILE_SUPERSEDE"),
    (1, "FILE_OPEN"),
    (2, "FILE_CREATE"),
    (3, "FILE_OPEN_IF"),
    (4, "FILE_OVERWRITE"),
    (5, "FILE_OVERWRITE_IF"),
];

/// CreateAction, MS-CIFS 2.2.4.64.2.
pub(super) const CREATE_ACTION: ValueNames = &[
    (0, "FILE_SUPERSEDED"),
    (1, "FILE_OPENED"),
    (2, "FILE_CREATED"),
    (3, "FILE_OVERWRITTEN"),
    (4, "FILE_EXISTS"),
    (5, "FILE_DOES_NOT_EXIST"),
];

/// CreateOptions, MS-CIFS 2.2.4.64.1.
pub(super) const CREATE_OPTIONS: ValueNames = &[
    (0x0000_0001, "Directory"),
    (0x0000_0002, "Write through"),
    (0x0000_0004, "Sequential only"),
    (0x0000_0008, "No intermediate buffering"),
    (0x0000_0010, "Synchronous, alertable"),
    (0x0000_0020, "Synchronous, not alertable"),
    (0x0000_0040, "Not a directory"),
    (0x0000_0080, "Create tree connection"),
    (0x0000_0100, "Complete if oplocked"),
    (0x0000_0200, "No knowledge of EAs"),
    (0x0000_0400, "Open for recovery"),
    (0x0000_0800, "Random access"),
    (0x0000_1000, "Delete on close"),
    (0x0000_2000, "Open by file ID"),
    (0x0000_4000, "Open for backup"),
    (0x0000_8000, "No compression"),
    (0x0010_0000, "Reserve opfilter"),
    (0x0020_0000, "Open reparse point"),
    (0x0040_0000, "Open without recall"),
    (0x0080_0000, "Open for free space query"),
];

/// ImpersonationLevel, MS-CIFS 2.2.4.64.1.
pub(super) const IMPERSONATION: ValueNames = &[
    (0, "anonymous"),
    (1, "identification"),
    (2, "impersonation"),
    (3, "delegation"),
];

/// SecurityFlags, MS-CIFS 2.2.4.64.1.
pub(super) const SECURITY_FLAGS: ValueNames =
    &[(0x01, "Context tracking"), (0x02, "Effective only")];

/// SecurityInformation, MS-CIFS 2.2.7.3.1.
pub(super) const SECURITY_INFORMATION: ValueNames =
    &[(0x1, "Owner"), (0x2, "Group"), (0x4, "DACL"), (0x8, "SACL")];

/// CompletionFilter, MS-CIFS 2.2.7.4.1.
pub(super) const COMPLETION_FILTER: ValueNames = &[
    (0x001, "File name"),
    (0x002, "Directory name"),
    (0x004, "Attributes"),
    (0x008, "Size"),
    (0x010, "Last write"),
    (0x020, "Last access"),
    (0x040, "Creation"),
    (0x080, "Extended attributes"),
    (0x100, "Security"),
    (0x200, "Stream name"),
    (0x400, "Stream size"),
    (0x800, "Stream write"),
];

/// Flags of TRANSACTION and TRANSACTION2, MS-CIFS 2.2.4.33.1.
pub(super) const TRANSACTION_FLAGS: ValueNames = &[
    (0x0001, "Disconnect the tree"),
    (0x0002, "One way: no answer"),
];

/// Flags of TRANS2_FIND_FIRST2 and FIND_NEXT2, MS-CIFS 2.2.6.2.1.
pub(super) const FIND_FLAGS: ValueNames = &[
    (0x01, "Close after this request"),
    (0x02, "Close at the end of the search"),
    (0x04, "Return resume keys"),
    (0x08, "Continue from last"),
    (0x10, "Backup intent"),
];

/// Mode of SEEK, MS-CIFS 2.2.4.19.1.
pub(super) const SEEK_MODE: ValueNames = &[
    (0, "from the start"),
    (1, "from the current position"),
    (2, "from the end"),
];

/// Mode of OPEN_PRINT_FILE, MS-CIFS 2.2.4.67.1.
pub(super) const PRINT_MODE: ValueNames = &[(0, "text"), (1, "graphics")];

/// InformationLevel of NT_RENAME, MS-CIFS 2.2.4.66.1.
pub(super) const RENAME_LEVEL: ValueNames = &[
    (0x0103, "SMB_NT_RENAME_SET_LINK_INFO"),
    (0x0104, "SMB_NT_RENAME_RENAME_FILE"),
];

//! What the codes and bits in parameters are called.

use wirewait_wire::table::ValueNames;

pub(super) const SEARCH: ValueNames = &[
    (0x01, "Read only"),
    (0x02, "Hidden"),
    (0x04, "System"),
    (0x08, "Execute only"),
    (0x10, "Subdirectories only"),
    (0x20, "Archive"),
    (0x40, "Execute confirm"),
    (0x80, "Shareable"),
];

/// Of two bytes.
pub(super) const WIDE_SEARCH: ValueNames = &[
    (0x8000, "Files and subdirectories"),
    (0x01, "Read only"),
    (0x02, "Hidden"),
    (0x04, "System"),
    (0x08, "Execute only"),
    (0x10, "Subdirectories only"),
    (0x20, "Archive"),
    (0x40, "Execute confirm"),
    (0x80, "Shareable"),
];

/// Of one byte; of two, the low one.
pub(super) const ATTRIBUTES: ValueNames = &[
    (0x01, "Read only"),
    (0x02, "Hidden"),
    (0x04, "System"),
    (0x08, "Execute only"),
    (0x10, "Subdirectory"),
    (0x20, "Archive"),
    (0x40, "Execute confirm"),
    (0x80, "Shareable"),
];

/// Of four bytes.
pub(super) const WIDE_ATTRIBUTES: ValueNames = &[
    (0x0000_0001, "Read only"),
    (0x0000_0002, "Hidden"),
    (0x0000_0004, "System"),
    (0x0000_0008, "Execute only"),
    (0x0000_0010, "Subdirectory"),
    (0x0000_0020, "Archive"),
    (0x0000_0040, "Execute confirm"),
    (0x0000_0080, "Shareable"),
    (0x0000_0700, "Search mode"),
    (0x0000_0800, "No suballocation"),
    (0x0000_1000, "Transaction"),
    (0x0000_4000, "Read audit"),
    (0x0000_8000, "Write audit"),
    (0x0001_0000, "Immediate purge"),
    (0x0002_0000, "Rename inhibit"),
    (0x0004_0000, "Delete inhibit"),
    (0x0008_0000, "Copy inhibit"),
    (0x0040_0000, "Data migrated"),
    (0x0080_0000, "Inhibit data migration"),
    (0x0100_0000, "Data migration save key"),
    (0x0200_0000, "Immediate compress"),
    (0x0400_0000, "Compressed"),
    (0x0800_0000, "Inhibit compression"),
    (0x2000_0000, "Cannot compress"),
    (0x4000_0000, "Archive attributes"),
];

/// How a file may be used by the one who opens it, and by others.
pub(super) const ACCESS: ValueNames = &[
    (0x01, "Read"),
    (0x02, "Write"),
    (0x04, "Deny read"),
    (0x08, "Deny write"),
    (0x10, "Compatibility"),
    (0x40, "Write through"),
];

/// What a trustee may do.
pub(super) const RIGHTS: ValueNames = &[
    (0x01, "Read"),
    (0x02, "Write"),
    (0x04, "Open"),
    (0x08, "Create"),
    (0x10, "Erase"),
    (0x20, "Access control"),
    (0x40, "File scan"),
    (0x80, "Modify"),
];

/// Of two bytes.
pub(super) const WIDE_RIGHTS: ValueNames = &[
    (0x0001, "Read"),
    (0x0002, "Write"),
    (0x0004, "Open"),
    (0x0008, "Create"),
    (0x0010, "Erase"),
    (0x0020, "Access control"),
    (0x0040, "File scan"),
    (0x0080, "Modify"),
    (0x0100, "Supervisor"),
];

pub(super) const OPEN_MODE: ValueNames = &[
    (0x01, "Open"),
    (0x02, "Replace"),
    (0x08, "Create"),
    (0x20, "64-bit access"),
    (0x40, "Read-only access"),
    (0x80, "Callback (op-lock)"),
];

/// What an open or create did.
pub(super) const OPEN_ACTION: ValueNames = &[
    (0x01, "Opened"),
    (0x02, "Created"),
    (0x04, "Replaced"),
    (0x08, "Compressed"),
    (0x80, "Callback (op-lock) granted"),
];

/// Parts of the information on a file that are asked for.
pub(super) const RETURN: ValueNames = &[
    (0x0001, "File name"),
    (0x0002, "Space allocated"),
    (0x0004, "Attributes"),
    (0x0008, "Data stream size"),
    (0x0010, "Total size"),
    (0x0020, "Extended attributes"),
    (0x0040, "Archive"),
    (0x0080, "Modification"),
    (0x0100, "Creation"),
    (0x0200, "Name space"),
    (0x0400, "Directory"),
    (0x0800, "Rights"),
    (0x1000, "Reference ID"),
    (0x2000, "Name space attributes"),
    (0x4000, "Actual sizes"),
    (0x8000, "Logical sizes"),
];

pub(super) const EXTENDED_RETURN: ValueNames = &[
    (0x0001, "Last update"),
    (0x0002, "DOS name"),
    (0x0004, "Flush time"),
    (0x0008, "Parent"),
    (0x0010, "Macintosh Finder"),
    (0x0020, "Sibling"),
    (0x0040, "Effective rights"),
    (0x0080, "Macintosh date"),
    (0x0100, "Last access"),
    (0x0400, "64-bit sizes"),
    (0x8000, "New style"),
];

/// Which of the values that follow are to be set.
pub(super) const MODIFY: ValueNames = &[
    (0x0002, "Attributes"),
    (0x0004, "Creation date"),
    (0x0008, "Creation time"),
    (0x0010, "Creator"),
    (0x0020, "Archive date"),
    (0x0040, "Archive time"),
    (0x0080, "Archiver"),
    (0x0100, "Modification date"),
    (0x0200, "Modification time"),
    (0x0400, "Modifier"),
    (0x0800, "Last access"),
    (0x1000, "Inheritance"),
    (0x2000, "Maximum space"),
];

pub(super) const NAME_SPACES: ValueNames = &[
    (0, "DOS"),
    (1, "Macintosh"),
    (2, "NFS"),
    (3, "FTAM"),
    (4, "OS/2, long names"),
];

pub(super) const STREAMS: ValueNames = &[(0, "resource fork or DOS"), (1, "data fork")];

pub(super) const FORKS: ValueNames = &[(0, "data"), (1, "resource")];

pub(super) const LOCKS: ValueNames = &[
    (0, "log, for an exclusive lock later"),
    (1, "exclusive lock"),
    (2, "log, for a shared lock later"),
    (3, "shared lock"),
];

pub(super) const OP_LOCKS: ValueNames = &[
    (1, "clear"),
    (2, "acknowledge callback"),
    (3, "decline callback"),
    (4, "level 2"),
];

pub(super) const OBJECTS: ValueNames = &[
    (0x0001, "user"),
    (0x0002, "user group"),
    (0x0003, "print queue"),
    (0x0004, "file server"),
    (0x0005, "job server"),
    (0x0006, "gateway"),
    (0x0007, "print server"),
    (0x0008, "archive queue"),
    (0x0009, "archive server"),
    (0x000a, "job queue"),
    (0x000b, "administration"),
    (0x0021, "NAS SNA gateway"),
    (0x0026, "remote bridge server"),
    (0x0027, "TCP/IP gateway"),
    (0x0047, "advertising print server"),
    (0x004b, "Btrieve server"),
    (0x0107, "remote console"),
    (0x0278, "directory server"),
    (0xffff, "any"),
];

/// Who may read and who may write: each half of the byte is one of
/// anyone, logged in, object, supervisor, operating system (0 to 4).
pub(super) const SECURITY: ValueNames = &[
    (0x00, "read: anyone, write: anyone"),
    (0x11, "read: logged in, write: logged in"),
    (0x20, "read: anyone, write: object"),
    (0x21, "read: logged in, write: object"),
    (0x22, "read: object, write: object"),
    (0x30, "read: anyone, write: supervisor"),
    (0x31, "read: logged in, write: supervisor"),
    (0x32, "read: object, write: supervisor"),
    (0x33, "read: supervisor, write: supervisor"),
    (0x40, "read: anyone, write: system"),
    (0x41, "read: logged in, write: system"),
    (0x43, "read: supervisor, write: system"),
    (0x44, "read: system, write: system"),
];

pub(super) const OBJECT_FLAGS: ValueNames = &[(0, "static"), (1, "dynamic")];

pub(super) const PROPERTY_FLAGS: ValueNames = &[(0x01, "Dynamic"), (0x02, "Set")];

pub(super) const MORE: ValueNames = &[(0, "no"), (0xff, "yes")];

/// Bits of the options in a negotiation of the packet size.
pub(super) const PACKET_OPTIONS: ValueNames = &[
    (0x01, "IPX checksum"),
    (0x02, "Packet signature"),
    (0x04, "Complete signature"),
    (0x08, "Encryption"),
    (0x80, "LIP disabled"),
];

pub(super) const QUEUE_STATUS: ValueNames = &[
    (0x01, "No new jobs"),
    (0x02, "No new servers"),
    (0x04, "No service"),
];

pub(super) const JOB_FLAGS: ValueNames = &[
    (0x08, "Service restart"),
    (0x10, "Service auto start"),
    (0x20, "Entry open"),
    (0x40, "User hold"),
    (0x80, "Operator hold"),
];

pub(super) const PRINT_FLAGS: ValueNames = &[
    (0x08, "Suppress form feeds"),
    (0x10, "Create"),
    (0x20, "Delete after printing"),
    (0x40, "Expand tabs"),
    (0x80, "Banner page"),
];

/// What kind of directory handle is allocated.
pub(super) const ALLOCATE: ValueNames = &[
    (0x01, "Permanent"),
    (0x02, "Special temporary"),
    (0x4000, "Reply level 2"),
    (0x8000, "Destination name space given"),
];

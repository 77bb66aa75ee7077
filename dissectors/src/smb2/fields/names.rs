//! What codes and bits are called in [MS-SMB2] and [MS-FSCC], without the common beginnings
//! of the names (`FILE_`, `SMB2_`).

use wirewait_wire::table::ValueNames;

/// 2.2.1.2, Flags.
pub(super) const HEADER_FLAGS: ValueNames = &[
    (0x0000_0001, "SERVER_TO_REDIR"),
    (0x0000_0002, "ASYNC_COMMAND"),
    (0x0000_0004, "RELATED_OPERATIONS"),
    (0x0000_0008, "SIGNED"),
    (0x1000_0000, "DFS_OPERATIONS"),
    (0x2000_0000, "REPLAY_OPERATION"),
];

/// 2.2.3 and 2.2.4, Dialects and DialectRevision.
pub(super) const DIALECT: ValueNames = &[
    (0x0202, "SMB 2.0.2"),
    (0x0210, "SMB 2.1"),
    (0x02ff, "SMB 2.???"),
    (0x0300, "SMB 3.0"),
    (0x0302, "SMB 3.0.2"),
    (0x0311, "SMB 3.1.1"),
];

/// 2.2.3, SecurityMode.
pub(super) const SECURITY_MODE: ValueNames = &[(1, "SIGNING_ENABLED"), (2, "SIGNING_REQUIRED")];

/// 2.2.3, Capabilities.
pub(super) const CAPABILITIES: ValueNames = &[
    (0x01, "DFS"),
    (0x02, "LEASING"),
    (0x04, "LARGE_MTU"),
    (0x08, "MULTI_CHANNEL"),
    (0x10, "PERSISTENT_HANDLES"),
    (0x20, "DIRECTORY_LEASING"),
    (0x40, "ENCRYPTION"),
    (0x80, "NOTIFICATIONS"),
];

/// 2.2.3.1, ContextType.
pub(super) const NEGOTIATE_CONTEXT: ValueNames = &[
    (0x0001, "PREAUTH_INTEGRITY_CAPABILITIES"),
    (0x0002, "ENCRYPTION_CAPABILITIES"),
    (0x0003, "COMPRESSION_CAPABILITIES"),
    (0x0005, "NETNAME_NEGOTIATE_CONTEXT_ID"),
    (0x0006, "TRANSPORT_CAPABILITIES"),
    (0x0007, "RDMA_TRANSFORM_CAPABILITIES"),
    (0x0008, "SIGNING_CAPABILITIES"),
    (0x0100, "POSIX_EXTENSIONS_AVAILABLE"),
];

/// 2.2.3.1.1, HashAlgorithms.
pub(super) const HASH: ValueNames = &[(1, "SHA-512")];

/// 2.2.3.1.2, Ciphers.
pub(super) const CIPHER: ValueNames = &[
    (1, "AES-128-CCM"),
    (2, "AES-128-GCM"),
    (3, "AES-256-CCM"),
    (4, "AES-256-GCM"),
];

/// 2.2.3.1.3, CompressionAlgorithms.
pub(super) const COMPRESSION: ValueNames = &[
    (0, "NONE"),
    (1, "LZNT1"),
    (2, "LZ77"),
    (3, "LZ77+Huffman"),
    (4, "Pattern_V1"),
    (5, "LZ4"),
];

/// 2.2.3.1.6, RDMATransformIds.
pub(super) const RDMA_TRANSFORM: ValueNames = &[(0, "NONE"), (1, "ENCRYPTION"), (2, "SIGNING")];

/// 2.2.3.1.7, SigningAlgorithms.
pub(super) const SIGNING: ValueNames = &[(0, "HMAC-SHA256"), (1, "AES-CMAC"), (2, "AES-GMAC")];

/// 2.2.6, SessionFlags.
pub(super) const SESSION_FLAGS: ValueNames =
    &[(1, "IS_GUEST"), (2, "IS_NULL"), (4, "ENCRYPT_DATA")];

/// 2.2.9, Flags.
pub(super) const TREE_CONNECT_FLAGS: ValueNames = &[
    (1, "CLUSTER_RECONNECT"),
    (2, "REDIRECT_TO_OWNER"),
    (4, "EXTENSION_PRESENT"),
];

/// 2.2.10, ShareType.
pub(super) const SHARE_TYPE: ValueNames = &[(1, "DISK"), (2, "PIPE"), (3, "PRINT")];

/// 2.2.10, ShareFlags apart from the caching.
pub(super) const SHARE_FLAGS: ValueNames = &[
    (0x0000_0001, "DFS"),
    (0x0000_0002, "DFS_ROOT"),
    (0x0000_0100, "RESTRICT_EXCLUSIVE_OPENS"),
    (0x0000_0200, "FORCE_SHARED_DELETE"),
    (0x0000_0400, "ALLOW_NAMESPACE_CACHING"),
    (0x0000_0800, "ACCESS_BASED_DIRECTORY_ENUM"),
    (0x0000_1000, "FORCE_LEVELII_OPLOCK"),
    (0x0000_2000, "ENABLE_HASH_V1"),
    (0x0000_4000, "ENABLE_HASH_V2"),
    (0x0000_8000, "ENCRYPT_DATA"),
    (0x0004_0000, "IDENTITY_REMOTING"),
    (0x0010_0000, "COMPRESS_DATA"),
    (0x0020_0000, "ISOLATED_TRANSPORT"),
];

/// 2.2.10, ShareFlags: the two bits of offline caching.
pub(super) const CACHING: ValueNames = &[
    (0, "MANUAL_CACHING"),
    (1, "AUTO_CACHING"),
    (2, "VDO_CACHING"),
    (3, "NO_CACHING"),
];

/// 2.2.10, Capabilities.
pub(super) const SHARE_CAPABILITIES: ValueNames = &[
    (0x0008, "DFS"),
    (0x0010, "CONTINUOUS_AVAILABILITY"),
    (0x0020, "SCALEOUT"),
    (0x0040, "CLUSTER"),
    (0x0080, "ASYMMETRIC"),
    (0x0100, "REDIRECT_TO_OWNER"),
];

/// 2.2.13, RequestedOplockLevel.
pub(super) const OPLOCK: ValueNames = &[
    (0x00, "NONE"),
    (0x01, "II"),
    (0x08, "EXCLUSIVE"),
    (0x09, "BATCH"),
    (0xff, "LEASE"),
];

/// 2.2.13, ImpersonationLevel.
pub(super) const IMPERSONATION: ValueNames = &[
    (0, "Anonymous"),
    (1, "Identification"),
    (2, "Impersonation"),
    (3, "Delegate"),
];

/// 2.2.13, ShareAccess.
pub(super) const SHARE_ACCESS: ValueNames = &[(1, "READ"), (2, "WRITE"), (4, "DELETE")];

/// 2.2.13, CreateDisposition.
pub(super) const DISPOSITION: ValueNames = &[
    (0, "SUPERSEDE"),
    (1, "OPEN"),
    (2, "CREATE"),
    (3, "OPEN_IF"),
    (4, "OVERWRITE"),
    (5, "OVERWRITE_IF"),
];

/// 2.2.13, CreateOptions.
pub(super) const CREATE_OPTIONS: ValueNames = &[
    (0x0000_0001, "DIRECTORY_FILE"),
    (0x0000_0002, "WRITE_THROUGH"),
    (0x0000_0004, "SEQUENTIAL_ONLY"),
    (0x0000_0008, "NO_INTERMEDIATE_BUFFERING"),
    (0x0000_0010, "SYNCHRONOUS_IO_ALERT"),
    (0x0000_0020, "SYNCHRONOUS_IO_NONALERT"),
    (0x0000_0040, "NON_DIRECTORY_FILE"),
    (0x0000_0100, "COMPLETE_IF_OPLOCKED"),
    (0x0000_0200, "NO_EA_KNOWLEDGE"),
    (0x0000_0400, "OPEN_REMOTE_INSTANCE"),
    (0x0000_0800, "RANDOM_ACCESS"),
    (0x0000_1000, "DELETE_ON_CLOSE"),
    (0x0000_2000, "OPEN_BY_FILE_ID"),
    (0x0000_4000, "OPEN_FOR_BACKUP_INTENT"),
    (0x0000_8000, "NO_COMPRESSION"),
    (0x0001_0000, "OPEN_REQUIRING_OPLOCK"),
    (0x0002_0000, "DISALLOW_EXCLUSIVE"),
    (0x0010_0000, "RESERVE_OPFILTER"),
    (0x0020_0000, "OPEN_REPARSE_POINT"),
    (0x0040_0000, "OPEN_NO_RECALL"),
    (0x0080_0000, "OPEN_FOR_FREE_SPACE_QUERY"),
];

/// 2.2.13.1.1, access of files, pipes and printers; for directories some bits have other
/// names (LIST_DIRECTORY, ADD_FILE, ADD_SUBDIRECTORY, TRAVERSE).
pub(super) const ACCESS: ValueNames = &[
    (0x0000_0001, "READ_DATA"),
    (0x0000_0002, "WRITE_DATA"),
    (0x0000_0004, "APPEND_DATA"),
    (0x0000_0008, "READ_EA"),
    (0x0000_0010, "WRITE_EA"),
    (0x0000_0020, "EXECUTE"),
    (0x0000_0040, "DELETE_CHILD"),
    (0x0000_0080, "READ_ATTRIBUTES"),
    (0x0000_0100, "WRITE_ATTRIBUTES"),
    (0x0001_0000, "DELETE"),
    (0x0002_0000, "READ_CONTROL"),
    (0x0004_0000, "WRITE_DAC"),
    (0x0008_0000, "WRITE_OWNER"),
    (0x0010_0000, "SYNCHRONIZE"),
    (0x0100_0000, "ACCESS_SYSTEM_SECURITY"),
    (0x0200_0000, "MAXIMUM_ALLOWED"),
    (0x1000_0000, "GENERIC_ALL"),
    (0x2000_0000, "GENERIC_EXECUTE"),
    (0x4000_0000, "GENERIC_WRITE"),
    (0x8000_0000, "GENERIC_READ"),
];

/// [MS-FSCC] 2.6.
pub(super) const ATTRIBUTES: ValueNames = &[
    (0x0000_0001, "READONLY"),
    (0x0000_0002, "HIDDEN"),
    (0x0000_0004, "SYSTEM"),
    (0x0000_0010, "DIRECTORY"),
    (0x0000_0020, "ARCHIVE"),
    (0x0000_0080, "NORMAL"),
    (0x0000_0100, "TEMPORARY"),
    (0x0000_0200, "SPARSE_FILE"),
    (0x0000_0400, "REPARSE_POINT"),
    (0x0000_0800, "COMPRESSED"),
    (0x0000_1000, "OFFLINE"),
    (0x0000_2000, "NOT_CONTENT_INDEXED"),
    (0x0000_4000, "ENCRYPTED"),
    (0x0000_8000, "INTEGRITY_STREAM"),
    (0x0002_0000, "NO_SCRUB_DATA"),
    (0x0004_0000, "RECALL_ON_OPEN"),
    (0x0008_0000, "PINNED"),
    (0x0010_0000, "UNPINNED"),
    (0x0040_0000, "RECALL_ON_DATA_ACCESS"),
];

/// 2.2.14, CreateAction.
pub(super) const CREATE_ACTION: ValueNames = &[
    (0, "SUPERSEDED"),
    (1, "OPENED"),
    (2, "CREATED"),
    (3, "OVERWRITTEN"),
];

/// 2.2.13.2, names of create contexts of four letters.
pub(super) const CREATE_CONTEXT: ValueNames = &[
    (0x4578_7441, "EA_BUFFER"),
    (0x5365_6344, "SD_BUFFER"),
    (0x4448_6e51, "DURABLE_HANDLE_REQUEST"),
    (0x4448_6e43, "DURABLE_HANDLE_RECONNECT"),
    (0x416c_5369, "ALLOCATION_SIZE"),
    (0x4d78_4163, "QUERY_MAXIMAL_ACCESS"),
    (0x5457_7270, "TIMEWARP_TOKEN"),
    (0x5146_6964, "QUERY_ON_DISK_ID"),
    (0x5271_4c73, "LEASE"),
    (0x4448_3251, "DURABLE_HANDLE_REQUEST_V2"),
    (0x4448_3243, "DURABLE_HANDLE_RECONNECT_V2"),
    (0x4141_504c, "AAPL"),
];

/// 2.2.13.2.8, LeaseState.
pub(super) const LEASE_STATE: ValueNames = &[
    (1, "READ_CACHING"),
    (2, "HANDLE_CACHING"),
    (4, "WRITE_CACHING"),
];

/// 2.2.14.2.10, LeaseFlags.
pub(super) const LEASE_FLAGS: ValueNames = &[(2, "BREAK_IN_PROGRESS"), (4, "PARENT_LEASE_KEY_SET")];

/// 2.2.19, Flags.
pub(super) const READ_FLAGS: ValueNames = &[(1, "READ_UNBUFFERED"), (2, "REQUEST_COMPRESSED")];

/// 2.2.19 and 2.2.21, Channel.
pub(super) const CHANNEL: ValueNames = &[
    (0, "NONE"),
    (1, "RDMA_V1"),
    (2, "RDMA_V1_INVALIDATE"),
    (3, "RDMA_TRANSFORM"),
];

/// 2.2.21, Flags.
pub(super) const WRITE_FLAGS: ValueNames = &[(1, "WRITE_THROUGH"), (2, "WRITE_UNBUFFERED")];

/// 2.2.26.1, Flags.
pub(super) const LOCK_FLAGS: ValueNames = &[
    (0x01, "SHARED_LOCK"),
    (0x02, "EXCLUSIVE_LOCK"),
    (0x04, "UNLOCK"),
    (0x10, "FAIL_IMMEDIATELY"),
];

/// 2.2.33, Flags.
pub(super) const SEARCH_FLAGS: ValueNames = &[
    (0x01, "RESTART_SCANS"),
    (0x02, "RETURN_SINGLE_ENTRY"),
    (0x04, "INDEX_SPECIFIED"),
    (0x10, "REOPEN"),
];

/// 2.2.35, CompletionFilter.
pub(super) const COMPLETION_FILTER: ValueNames = &[
    (0x0001, "CHANGE_FILE_NAME"),
    (0x0002, "CHANGE_DIR_NAME"),
    (0x0004, "CHANGE_ATTRIBUTES"),
    (0x0008, "CHANGE_SIZE"),
    (0x0010, "CHANGE_LAST_WRITE"),
    (0x0020, "CHANGE_LAST_ACCESS"),
    (0x0040, "CHANGE_CREATION"),
    (0x0080, "CHANGE_EA"),
    (0x0100, "CHANGE_SECURITY"),
    (0x0200, "CHANGE_STREAM_NAME"),
    (0x0400, "CHANGE_STREAM_SIZE"),
    (0x0800, "CHANGE_STREAM_WRITE"),
];

/// [MS-FSCC] 2.7.1, Action.
pub(super) const NOTIFY_ACTION: ValueNames = &[
    (0x1, "ADDED"),
    (0x2, "REMOVED"),
    (0x3, "MODIFIED"),
    (0x4, "RENAMED_OLD_NAME"),
    (0x5, "RENAMED_NEW_NAME"),
    (0x6, "ADDED_STREAM"),
    (0x7, "REMOVED_STREAM"),
    (0x8, "MODIFIED_STREAM"),
    (0x9, "REMOVED_BY_DELETE"),
    (0xa, "ID_NOT_TUNNELLED"),
    (0xb, "TUNNELLED_ID_COLLISION"),
];

/// 2.2.37, InfoType.
pub(super) const INFO_TYPE: ValueNames = &[
    (FILE, "FILE"),
    (FILESYSTEM, "FILESYSTEM"),
    (SECURITY, "SECURITY"),
    (4, "QUOTA"),
];
pub(super) const FILE: u64 = 1;
pub(super) const FILESYSTEM: u64 = 2;
pub(super) const SECURITY: u64 = 3;

/// 2.2.37, AdditionalInformation where security is asked for or set.
pub(super) const SECURITY_INFORMATION: ValueNames = &[
    (0x0001, "OWNER"),
    (0x0002, "GROUP"),
    (0x0004, "DACL"),
    (0x0008, "SACL"),
    (0x0010, "LABEL"),
    (0x0020, "ATTRIBUTE"),
    (0x0040, "SCOPE"),
    (0x0001_0000, "BACKUP"),
];

/// 2.2.37, Flags, where extended attributes are asked for.
pub(super) const SCAN_FLAGS: ValueNames = &[
    (1, "RESTART_SCAN"),
    (2, "RETURN_SINGLE_ENTRY"),
    (4, "INDEX_SPECIFIED"),
];

/// [MS-FSCC] 2.4.
pub(super) const FILE_CLASS: ValueNames = &[
    (1, "FileDirectoryInformation"),
    (2, "FileFullDirectoryInformation"),
    (3, "FileBothDirectoryInformation"),
    (4, "FileBasicInformation"),
    (5, "FileStandardInformation"),
    (6, "FileInternalInformation"),
    (7, "FileEaInformation"),
    (8, "FileAccessInformation"),
    (9, "FileNameInformation"),
    (10, "FileRenameInformation"),
    (11, "FileLinkInformation"),
    (12, "FileNamesInformation"),
    (13, "FileDispositionInformation"),
    (14, "FilePositionInformation"),
    (15, "FileFullEaInformation"),
    (16, "FileModeInformation"),
    (17, "FileAlignmentInformation"),
    (18, "FileAllInformation"),
    (19, "FileAllocationInformation"),
    (20, "FileEndOfFileInformation"),
    (21, "FileAlternateNameInformation"),
    (22, "FileStreamInformation"),
    (23, "FilePipeInformation"),
    (24, "FilePipeLocalInformation"),
    (25, "FilePipeRemoteInformation"),
    (26, "FileMailslotQueryInformation"),
    (27, "FileMailslotSetInformation"),
    (28, "FileCompressionInformation"),
    (29, "FileObjectIdInformation"),
    (32, "FileQuotaInformation"),
    (33, "FileReparsePointInformation"),
    (34, "FileNetworkOpenInformation"),
    (35, "FileAttributeTagInformation"),
    (36, "FileTrackingInformation"),
    (37, "FileIdBothDirectoryInformation"),
    (38, "FileIdFullDirectoryInformation"),
    (39, "FileValidDataLengthInformation"),
    (40, "FileShortNameInformation"),
    (44, "FileSfioReserveInformation"),
    (45, "FileSfioVolumeInformation"),
    (46, "FileHardLinkInformation"),
    (48, "FileNormalizedNameInformation"),
    (50, "FileIdGlobalTxDirectoryInformation"),
    (54, "FileStandardLinkInformation"),
    (59, "FileIdInformation"),
    (60, "FileIdExtdDirectoryInformation"),
    (64, "FileDispositionInformationEx"),
    (65, "FileRenameInformationEx"),
    (72, "FileLinkInformationEx"),
];

/// [MS-FSCC] 2.5.
pub(super) const FILESYSTEM_CLASS: ValueNames = &[
    (1, "FileFsVolumeInformation"),
    (2, "FileFsLabelInformation"),
    (3, "FileFsSizeInformation"),
    (4, "FileFsDeviceInformation"),
    (5, "FileFsAttributeInformation"),
    (6, "FileFsControlInformation"),
    (7, "FileFsFullSizeInformation"),
    (8, "FileFsObjectIdInformation"),
    (9, "FileFsDriverPathInformation"),
    (10, "FileFsVolumeFlagsInformation"),
    (11, "FileFsSectorSizeInformation"),
];

/// 2.2.31 and [MS-FSCC] 2.3, CtlCode.
pub(super) const CONTROL_CODE: ValueNames = &[
    (0x0006_0194, "FSCTL_DFS_GET_REFERRALS"),
    (0x0006_01b0, "FSCTL_DFS_GET_REFERRALS_EX"),
    (0x0009_003c, "FSCTL_GET_COMPRESSION"),
    (0x0009_0060, "FSCTL_FILESYSTEM_GET_STATISTICS"),
    (0x0009_0064, "FSCTL_GET_NTFS_VOLUME_DATA"),
    (0x0009_0073, "FSCTL_GET_RETRIEVAL_POINTERS"),
    (0x0009_008f, "FSCTL_FIND_FILES_BY_SID"),
    (0x0009_009c, "FSCTL_GET_OBJECT_ID"),
    (0x0009_00a4, "FSCTL_SET_REPARSE_POINT"),
    (0x0009_00a8, "FSCTL_GET_REPARSE_POINT"),
    (0x0009_00ac, "FSCTL_DELETE_REPARSE_POINT"),
    (0x0009_00c0, "FSCTL_CREATE_OR_GET_OBJECT_ID"),
    (0x0009_00c4, "FSCTL_SET_SPARSE"),
    (0x0009_00d7, "FSCTL_SET_ENCRYPTION"),
    (0x0009_027c, "FSCTL_GET_INTEGRITY_INFORMATION"),
    (0x0009_0284, "FSCTL_QUERY_FILE_REGIONS"),
    (0x0009_0300, "FSCTL_QUERY_SHARED_VIRTUAL_DISK_SUPPORT"),
    (0x0009_0304, "FSCTL_SVHDX_SYNC_TUNNEL_REQUEST"),
    (0x0009_0350, "FSCTL_STORAGE_QOS_CONTROL"),
    (0x0009_0364, "FSCTL_SVHDX_ASYNC_TUNNEL_REQUEST"),
    (0x0009_40cf, "FSCTL_QUERY_ALLOCATED_RANGES"),
    (0x0009_40eb, "FSCTL_READ_FILE_USN_DATA"),
    (0x0009_40ef, "FSCTL_WRITE_USN_CLOSE_RECORD"),
    (0x0009_4264, "FSCTL_OFFLOAD_READ"),
    (0x0009_8098, "FSCTL_SET_OBJECT_ID"),
    (0x0009_80a0, "FSCTL_DELETE_OBJECT_ID"),
    (0x0009_80a4, "FSCTL_SET_REPARSE_POINT"),
    (0x0009_80ac, "FSCTL_DELETE_REPARSE_POINT"),
    (0x0009_80bc, "FSCTL_SET_OBJECT_ID_EXTENDED"),
    (0x0009_80c8, "FSCTL_SET_ZERO_DATA"),
    (0x0009_8208, "FSCTL_FILE_LEVEL_TRIM"),
    (0x0009_8268, "FSCTL_OFFLOAD_WRITE"),
    (0x0009_8344, "FSCTL_DUPLICATE_EXTENTS_TO_FILE"),
    (0x0009_83e8, "FSCTL_DUPLICATE_EXTENTS_TO_FILE_EX"),
    (0x0009_c040, "FSCTL_SET_COMPRESSION"),
    (0x0009_c280, "FSCTL_SET_INTEGRITY_INFORMATION"),
    (0x0011_0018, "FSCTL_PIPE_WAIT"),
    (0x0011_400c, "FSCTL_PIPE_PEEK"),
    (0x0011_c017, "FSCTL_PIPE_TRANSCEIVE"),
    (0x0014_0078, "FSCTL_SRV_REQUEST_RESUME_KEY"),
    (0x0014_01d4, "FSCTL_LMR_REQUEST_RESILIENCY"),
    (0x0014_01fc, "FSCTL_QUERY_NETWORK_INTERFACE_INFO"),
    (0x0014_0204, "FSCTL_VALIDATE_NEGOTIATE_INFO"),
    (0x0014_4064, "FSCTL_SRV_ENUMERATE_SNAPSHOTS"),
    (0x0014_40f2, "FSCTL_SRV_COPYCHUNK"),
    (0x0014_41bb, "FSCTL_SRV_READ_HASH"),
    (0x0014_80f2, "FSCTL_SRV_COPYCHUNK_WRITE"),
];

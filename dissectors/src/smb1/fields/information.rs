//! Information levels: what is asked for or set, by number. MS-CIFS 2.2.2.3, 2.2.8; MS-SMB
//! 2.2.2.3 (also the pass-through levels, which are the classes of MS-FSCC 2.4 and 2.5 from
//! 1000 on); the UNIX levels from SNIA CIFS Technical Reference 4.

use super::params::*;
use super::{bits, bytes};
use wirewait_wire::Fields;

/// The data that a level sets.
pub(super) fn set(f: &mut Fields<'_>, level: u16, wide: bool) -> Option<()> {
    match level {
        0x0001 => describe_present(
            f,
            &[
                date("Creation date"),
                time("Creation time"),
                date("Last access date"),
                time("Last access time"),
                date("Last write date"),
                time("Last write time"),
                le32("File data size"),
                le32("Allocation size"),
                le16("Attributes").flags(bits::ATTRIBUTES),
                le32("EA size"),
            ],
        ),
        0x0101 | 1004 => describe_present(
            f,
            &[
                file_time("Creation time"),
                file_time("Last access time"),
                file_time("Last write time"),
                file_time("Change time"),
                le32("File attributes").flags(bits::EXT_ATTRIBUTES),
                reserved(4),
            ],
        ),
        0x0102 | 1013 => describe_present(f, &[u8("Delete pending")]),
        0x0103 | 1019 => describe_present(f, &[le64("Allocation size")]),
        0x0104 | 1020 => describe_present(f, &[le64("End of file")]),
        // MS-FSCC 2.4.42.1, as a client of SMB1 lays it out.
        1010 => {
            describe_present(
                f,
                &[
                    u8("Replace if exists"),
                    reserved(3),
                    le32("Root directory").hex(),
                    le32("File name length"),
                ],
            )?;
            let n = f.left();
            bytes::text(f, n, "File name", wide)
        }
        _ => Some(()),
    }
}

/// Of FIND_FIRST2 and FIND_NEXT2.
pub(super) const FIND: ValueNames = &[
    (0x0001, "SMB_INFO_STANDARD"),
    (0x0002, "SMB_INFO_QUERY_EA_SIZE"),
    (0x0003, "SMB_INFO_QUERY_EAS_FROM_LIST"),
    (0x0101, "SMB_FIND_FILE_DIRECTORY_INFO"),
    (0x0102, "SMB_FIND_FILE_FULL_DIRECTORY_INFO"),
    (0x0103, "SMB_FIND_FILE_NAMES_INFO"),
    (0x0104, "SMB_FIND_FILE_BOTH_DIRECTORY_INFO"),
    (0x0105, "SMB_FIND_FILE_ID_FULL_DIRECTORY_INFO"),
    (0x0106, "SMB_FIND_FILE_ID_BOTH_DIRECTORY_INFO"),
    (0x0202, "SMB_FIND_FILE_UNIX"),
    (0x020b, "SMB_FIND_FILE_UNIX_INFO2"),
];

/// Of QUERY_FS_INFORMATION.
pub(super) const QUERY_FS: ValueNames = &[
    (0x0001, "SMB_INFO_ALLOCATION"),
    (0x0002, "SMB_INFO_VOLUME"),
    (0x0102, "SMB_QUERY_FS_VOLUME_INFO"),
    (0x0103, "SMB_QUERY_FS_SIZE_INFO"),
    (0x0104, "SMB_QUERY_FS_DEVICE_INFO"),
    (0x0105, "SMB_QUERY_FS_ATTRIBUTE_INFO"),
    (0x0200, "SMB_QUERY_CIFS_UNIX_INFO"),
    (0x0301, "SMB_MAC_QUERY_FS_INFO"),
    (1001, "FileFsVolumeInformation"),
    (1002, "FileFsLabelInformation"),
    (1003, "FileFsSizeInformation"),
    (1004, "FileFsDeviceInformation"),
    (1005, "FileFsAttributeInformation"),
    (1006, "FileFsControlInformation"),
    (1007, "FileFsFullSizeInformation"),
    (1008, "FileFsObjectIdInformation"),
];

/// Of SET_FS_INFORMATION.
pub(super) const SET_FS: ValueNames = &[
    (0x0200, "SMB_SET_CIFS_UNIX_INFO"),
    (1002, "FileFsLabelInformation"),
    (1006, "FileFsControlInformation"),
    (1008, "FileFsObjectIdInformation"),
];

/// Of QUERY_PATH_INFORMATION and QUERY_FILE_INFORMATION.
pub(super) const QUERY: ValueNames = &[
    (0x0001, "SMB_INFO_STANDARD"),
    (0x0002, "SMB_INFO_QUERY_EA_SIZE"),
    (0x0003, "SMB_INFO_QUERY_EAS_FROM_LIST"),
    (0x0004, "SMB_INFO_QUERY_ALL_EAS"),
    (0x0006, "SMB_INFO_IS_NAME_VALID"),
    (0x0101, "SMB_QUERY_FILE_BASIC_INFO"),
    (0x0102, "SMB_QUERY_FILE_STANDARD_INFO"),
    (0x0103, "SMB_QUERY_FILE_EA_INFO"),
    (0x0104, "SMB_QUERY_FILE_NAME_INFO"),
    (0x0107, "SMB_QUERY_FILE_ALL_INFO"),
    (0x0108, "SMB_QUERY_FILE_ALT_NAME_INFO"),
    (0x0109, "SMB_QUERY_FILE_STREAM_INFO"),
    (0x010b, "SMB_QUERY_FILE_COMPRESSION_INFO"),
    (0x0200, "SMB_QUERY_FILE_UNIX_BASIC"),
    (0x0201, "SMB_QUERY_FILE_UNIX_LINK"),
    (0x0204, "SMB_QUERY_POSIX_ACL"),
    (0x0205, "SMB_QUERY_XATTR"),
    (0x020b, "SMB_QUERY_FILE_UNIX_INFO2"),
    (1004, "FileBasicInformation"),
    (1005, "FileStandardInformation"),
    (1006, "FileInternalInformation"),
    (1007, "FileEaInformation"),
    (1008, "FileAccessInformation"),
    (1009, "FileNameInformation"),
    (1014, "FilePositionInformation"),
    (1016, "FileModeInformation"),
    (1017, "FileAlignmentInformation"),
    (1018, "FileAllInformation"),
    (1021, "FileAlternateNameInformation"),
    (1022, "FileStreamInformation"),
    (1023, "FilePipeInformation"),
    (1024, "FilePipeLocalInformation"),
    (1025, "FilePipeRemoteInformation"),
    (1028, "FileCompressionInformation"),
    (1034, "FileNetworkOpenInformation"),
    (1035, "FileAttributeTagInformation"),
];

/// Of SET_PATH_INFORMATION and SET_FILE_INFORMATION.
pub(super) const SET: ValueNames = &[
    (0x0001, "SMB_INFO_STANDARD"),
    (0x0002, "SMB_INFO_SET_EAS"),
    (0x0101, "SMB_SET_FILE_BASIC_INFO"),
    (0x0102, "SMB_SET_FILE_DISPOSITION_INFO"),
    (0x0103, "SMB_SET_FILE_ALLOCATION_INFO"),
    (0x0104, "SMB_SET_FILE_END_OF_FILE_INFO"),
    (0x0200, "SMB_SET_FILE_UNIX_BASIC"),
    (0x0201, "SMB_SET_FILE_UNIX_LINK"),
    (0x0203, "SMB_SET_FILE_UNIX_HLINK"),
    (0x0204, "SMB_SET_POSIX_ACL"),
    (0x0205, "SMB_SET_XATTR"),
    (0x0209, "SMB_POSIX_PATH_OPEN"),
    (0x020a, "SMB_POSIX_PATH_UNLINK"),
    (0x020b, "SMB_SET_FILE_UNIX_INFO2"),
    (1004, "FileBasicInformation"),
    (1010, "FileRenameInformation"),
    (1011, "FileLinkInformation"),
    (1013, "FileDispositionInformation"),
    (1014, "FilePositionInformation"),
    (1016, "FileModeInformation"),
    (1019, "FileAllocationInformation"),
    (1020, "FileEndOfFileInformation"),
    (1023, "FilePipeInformation"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_listed_in_their_order() {
        for table in [FIND, QUERY_FS, SET_FS, QUERY, SET] {
            assert!(table.windows(2).all(|w| w[0].0 < w[1].0));
        }
    }
}

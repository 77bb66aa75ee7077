//! The words of SMB's tables: numbers have the low byte first, and times are those of the
//! server's local clock. MS-CIFS 2.2.1.4.

pub(super) use wirewait_wire::table::{
    Bit, CodedTable, FieldTable, Param, ValueNames, bytes, describe, describe_present, find, le16,
    le32, le64, reserved, u8,
};

/// SMB_DATE (MS-CIFS 2.2.1.4.1).
pub(super) const fn date(name: &'static str) -> Param {
    le16(name).dos_date("not given")
}

/// SMB_TIME (MS-CIFS 2.2.1.4.2).
pub(super) const fn time(name: &'static str) -> Param {
    le16(name).dos_time("local")
}

/// UTIME (MS-CIFS 2.2.1.4.3).
pub(super) const fn utime(name: &'static str) -> Param {
    le32(name).local_seconds()
}

/// FILETIME (MS-DTYP 2.3.3).
pub(super) const fn file_time(name: &'static str) -> Param {
    le64(name).file_time()
}

/// A file that is open.
pub(super) const FID: Param = le16("FID").hex();

/// How long the server is to wait.
pub(super) const TIMEOUT: Param = le32("Timeout").codes_or(
    &[
        (0, "none"),
        (0xffff_fffe, "the default"),
        (0xffff_ffff, "for ever"),
    ],
    "ms",
);

/// What to add to the server's local time for UTC.
pub(super) const ZONE: Param = le16("Server time zone").zone();

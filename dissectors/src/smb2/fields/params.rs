//! The words of SMB2's tables: numbers have the low byte first, and what several structures
//! have in common.

use super::super::commands::{PREVIOUS_FILE, le128};
use super::names;
use crate::parse::{le16 as u16_at, le32 as u32_at, le64 as u64_at};
use std::fmt;
use wirewait_wire::FileTime;
use wirewait_wire::table::custom;
pub(super) use wirewait_wire::table::{
    Bit, FieldTable, Param, ValueNames, bytes, describe, group, le16, le32, le64, u8, value_name,
};

/// SMB2_FILEID (2.2.14.1).
pub(super) const FILE_ID: Param = custom("FileId", |f, name| {
    let handle = le128(f.peek(), 0);
    f.open(name);
    f.le64("Persistent")?;
    f.hex();
    if handle == Some(PREVIOUS_FILE) {
        f.means("of the part before, or none");
    }
    f.le64("Volatile")?;
    f.hex();
    f.close();
    Some(())
});

/// FileAttributes ([MS-FSCC] 2.6).
pub(super) const ATTRIBUTES: Param = le32("FileAttributes").set_of(names::ATTRIBUTES);

/// The four times of a file, in the order of every structure that has them.
pub(super) const FOUR_TIMES: Param = custom("", |f, _| {
    describe(
        f,
        &[
            time("CreationTime"),
            time("LastAccessTime"),
            time("LastWriteTime"),
            time("ChangeTime"),
        ],
    )
});

/// FILETIME ([MS-DTYP] 2.3.3), shown in words instead of its number.
pub(super) const fn time(name: &'static str) -> Param {
    custom(name, |f, name| {
        let ticks = f.le64(name)?;
        f.shown(FileTime(ticks));
        Some(())
    })
}

/// A GUID.
pub(super) const fn guid(name: &'static str) -> Param {
    custom(name, |f, name| {
        let bytes = f.bytes(16, name)?;
        f.shown(Guid(bytes));
        Some(())
    })
}

/// Sixteen bytes as [MS-DTYP] 2.3.4.3 writes them; nothing where there are fewer.
struct Guid<'a>(&'a [u8]);

impl fmt::Display for Guid<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let b = self.0;
        let (Some(a), Some(c), Some(d), Some(e)) =
            (u32_at(b, 0), u16_at(b, 4), u16_at(b, 6), u64_at(b, 8))
        else {
            return Ok(());
        };
        // The last eight bytes are written in their order.
        let e = e.swap_bytes();
        let (e, g) = (e >> 48, e & 0xffff_ffff_ffff);
        write!(out, "{a:08x}-{c:04x}-{d:04x}-{e:04x}-{g:012x}")
    }
}

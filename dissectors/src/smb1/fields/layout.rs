//! Layouts as tables: what stands one after the other in words and parameters, and how it
//! is read. The tables themselves are in `request`, `response` and `trans2`.

use wirewait_wire::{DosDate, DosTime, Fields, FileTime, LocalSeconds};

/// One thing in a layout, by the specification's name.
#[derive(Clone, Copy, Debug)]
pub(super) enum Item {
    /// A byte.
    U8(&'static str),
    /// Two bytes.
    U16(&'static str),
    /// Four bytes.
    U32(&'static str),
    /// Eight bytes.
    U64(&'static str),
    /// An identifier of two bytes.
    Id(&'static str),
    /// An identifier or code of four bytes.
    Id32(&'static str),
    /// One of some values.
    Code8(&'static str, &'static [Code]),
    /// One of some values.
    Code16(&'static str, &'static [Code]),
    /// One of some values.
    Code32(&'static str, &'static [Code]),
    /// Bits.
    Bits8(&'static str, &'static [Bit]),
    /// Bits.
    Bits16(&'static str, &'static [Bit]),
    /// Bits.
    Bits32(&'static str, &'static [Bit]),
    /// So many bytes without a form.
    Bytes(&'static str, u32),
    /// So many bytes without a meaning.
    Reserved(u32),
    /// A time-out in ms.
    Timeout,
    /// Seconds since 1970 of the server's local time.
    Seconds(&'static str),
    /// A date as DOS keeps it.
    Date(&'static str),
    /// A time as DOS keeps it.
    Time(&'static str),
    /// 100 ns since 1601.
    FileTime(&'static str),
    /// A signed number of minutes to add for UTC.
    Zone,
}

/// A value and its name.
pub(super) type Code = (u64, &'static str);

/// Some bits of a number.
#[derive(Clone, Copy, Debug)]
pub(super) enum Bit {
    /// One that is set or not.
    Flag(u64, &'static str),
    /// Several that hold one of some values.
    Of(u64, &'static str, &'static [Code]),
    /// Several that hold a number.
    Number(u64, &'static str),
}

impl Item {
    /// Bytes that it takes.
    pub(super) const fn size(self) -> u32 {
        match self {
            Self::U8(_) | Self::Code8(..) | Self::Bits8(..) => 1,
            Self::U16(_)
            | Self::Id(_)
            | Self::Code16(..)
            | Self::Bits16(..)
            | Self::Date(_)
            | Self::Time(_)
            | Self::Zone => 2,
            Self::U32(_)
            | Self::Id32(_)
            | Self::Code32(..)
            | Self::Bits32(..)
            | Self::Timeout
            | Self::Seconds(_) => 4,
            Self::U64(_) | Self::FileTime(_) => 8,
            Self::Bytes(_, n) | Self::Reserved(n) => n,
        }
    }

    fn read(self, f: &mut Fields<'_>) -> Option<()> {
        match self {
            Self::U8(name) => f.u8(name).map(|_| ()),
            Self::U16(name) => f.le16(name).map(|_| ()),
            Self::U32(name) => f.le32(name).map(|_| ()),
            Self::U64(name) => f.le64(name).map(|_| ()),
            Self::Id(name) => {
                f.le16(name)?;
                f.hex();
                Some(())
            }
            Self::Id32(name) => {
                f.le32(name)?;
                f.hex();
                Some(())
            }
            Self::Code8(name, codes) => {
                let value = f.u8(name)?;
                means(f, codes, value.into());
                Some(())
            }
            Self::Code16(name, codes) => {
                let value = f.le16(name)?;
                f.hex();
                means(f, codes, value.into());
                Some(())
            }
            Self::Code32(name, codes) => {
                let value = f.le32(name)?;
                f.hex();
                means(f, codes, value.into());
                Some(())
            }
            Self::Bits8(name, list) => {
                f.u8(name)?;
                bits(f, list)
            }
            Self::Bits16(name, list) => {
                f.le16(name)?;
                bits(f, list)
            }
            Self::Bits32(name, list) => {
                f.le32(name)?;
                bits(f, list)
            }
            Self::Bytes(name, n) => f.bytes(n, name).map(|_| ()),
            Self::Reserved(n) => f.bytes(n, "Reserved").map(|_| ()),
            Self::Timeout => {
                match f.le32("Timeout")? {
                    0 => f.means("none"),
                    u32::MAX => f.means("for ever"),
                    0xffff_fffe => f.means("the default"),
                    _ => f.means("ms"),
                };
                Some(())
            }
            Self::Seconds(name) => {
                let value = f.le32(name)?;
                f.means(LocalSeconds(value));
                Some(())
            }
            Self::Date(name) => {
                let value = f.le16(name)?;
                f.hex();
                match value {
                    0 => f.means("not given"),
                    value => f.means(DosDate(value)),
                };
                Some(())
            }
            Self::Time(name) => {
                let value = f.le16(name)?;
                f.hex().means(format_args!("{} local", DosTime(value)));
                Some(())
            }
            Self::FileTime(name) => {
                let value = f.le64(name)?;
                f.means(FileTime(value));
                Some(())
            }
            Self::Zone => {
                let minutes = f.le16("Server time zone")?.cast_signed();
                f.means(format_args!("{minutes} minutes from local time to UTC"));
                Some(())
            }
        }
    }
}

/// Reads the items in turn, as many as find room before the end of the part at hand: what
/// an older dialect leaves out is always at the end.
pub(super) fn read(f: &mut Fields<'_>, items: &[Item]) -> Option<()> {
    for item in items {
        if f.left() < item.size() {
            break;
        }
        item.read(f)?;
    }
    Some(())
}

/// Says what the last field means, if the value has a name.
pub(super) fn means(f: &mut Fields<'_>, codes: &[Code], value: u64) {
    if let Some((_, name)) = codes.iter().find(|code| code.0 == value) {
        f.means(name);
    }
}

fn bits(f: &mut Fields<'_>, list: &[Bit]) -> Option<()> {
    f.hex();
    for bit in list {
        match *bit {
            Bit::Flag(mask, name) => {
                f.flag(mask, name, "yes", "no");
            }
            Bit::Of(mask, name, codes) => {
                let value = f.bits(mask, name);
                means(f, codes, value);
            }
            Bit::Number(mask, name) => {
                f.bits(mask, name);
            }
        }
    }
    Some(())
}

//! What the number in a field means.

use crate::Fields;
use crate::calendar::{DosDate, DosTime, FileTime, LocalSeconds};

/// Values or bits, with their names.
pub type ValueNames = &'static [(u64, &'static str)];

/// The name of a value.
#[must_use]
pub fn value_name(names: ValueNames, value: u64) -> Option<&'static str> {
    let (_, name) = names.iter().find(|(known, _)| *known == value)?;
    Some(name)
}

/// Some bits of a number.
#[derive(Clone, Copy, Debug)]
pub enum Bit {
    /// One that is set or not.
    Flag(u64, &'static str),
    /// Several that hold one of some values.
    Of(u64, &'static str, ValueNames),
    /// Several that hold a number.
    Number(u64, &'static str),
}

/// What the number in a field means.
#[derive(Clone, Copy, Debug)]
pub(super) enum Meaning {
    /// The value says all.
    None,
    /// One of some values; the words are those for any other.
    Codes(ValueNames, &'static str),
    /// A set of these bits, and what is said of one that is set and one that is not.
    Flags(ValueNames, [&'static str; 2]),
    /// Bits of several kinds.
    Bits(&'static [Bit]),
    /// A date as DOS writes it, and the words for none.
    DosDate(&'static str),
    /// A time of day as DOS writes it, and the words for its zone.
    DosTime(&'static str),
    /// Seconds since 1970, in the server's local time.
    LocalSeconds,
    /// 100 ns since 1601.
    FileTime,
    /// A signed number of minutes from local time to UTC.
    Zone,
}

impl Meaning {
    /// Says of the last field what its number means.
    pub(super) fn say(self, f: &mut Fields<'_>, number: u64) {
        // DOS's date, its time and the zone have two bytes, a time in seconds has four.
        let [a, b, c, d, ..] = number.to_le_bytes();
        let two = u16::from_le_bytes([a, b]);
        match self {
            Self::None => {}
            Self::Codes(names, other) => {
                f.means(value_name(names, number).unwrap_or(other));
            }
            Self::Flags(names, [set, clear]) => {
                for (mask, name) in names {
                    f.flag(*mask, name, set, clear);
                }
            }
            Self::Bits(list) => list.iter().for_each(|bit| bit.say(f)),
            Self::DosDate(none) if number == 0 => {
                f.means(none);
            }
            Self::DosDate(_) => {
                f.means(DosDate(two));
            }
            Self::DosTime("") => {
                f.means(DosTime(two));
            }
            Self::DosTime(zone) => {
                f.means(format_args!("{} {zone}", DosTime(two)));
            }
            Self::LocalSeconds => {
                f.means(LocalSeconds(u32::from_le_bytes([a, b, c, d])));
            }
            Self::FileTime => {
                f.means(FileTime(number));
            }
            Self::Zone => {
                let minutes = two.cast_signed();
                f.means(format_args!("{minutes} minutes from local time to UTC"));
            }
        }
    }
}

impl Bit {
    fn say(self, f: &mut Fields<'_>) {
        match self {
            Self::Flag(mask, name) => {
                f.flag(mask, name, "yes", "no");
            }
            Self::Of(mask, name, names) => {
                let value = f.bits(mask, name);
                f.means(value_name(names, value).unwrap_or_default());
            }
            Self::Number(mask, name) => {
                f.bits(mask, name);
            }
        }
    }
}

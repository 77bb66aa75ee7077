//! Tables of fields: what stands one after the other in a PDU, in the order and the words of
//! its specification. A protocol writes the table; [`describe`] reads a PDU by it.
//!
//! ```
//! use wirewait_wire::table::{describe, le16, le32, reserved, u8, FieldTable};
//! use wirewait_wire::{Fields, Input};
//!
//! const SEEK: FieldTable = &[
//!     le16("FID").hex(),
//!     u8("Mode").codes(&[(0, "from the start"), (2, "from the end")]),
//!     reserved(1),
//!     le32("Offset"),
//! ];
//! let mut f = Fields::new(Input::whole(&[3, 0x40, 2, 0, 0, 2, 0, 0]), None);
//! describe(&mut f, SEEK);
//! let fields = f.finish();
//! assert_eq!(fields[1].meaning, "from the end");
//! ```
//!
//! The forms that one protocol alone has enter by [`custom`].

mod coded;
mod form;
mod meaning;

pub use coded::{CodedTable, find};
pub use form::Form;
pub use meaning::{Bit, ValueNames, value_name};

use crate::Fields;
use meaning::Meaning;

/// What stands one after the other, in the order of the bytes.
pub type FieldTable = &'static [Param];

/// One row of a table: a field, or several that belong together.
#[derive(Clone, Copy, Debug)]
pub struct Param {
    name: &'static str,
    shape: Shape,
    /// The number's digits are a code or bits.
    hex: bool,
    meaning: Meaning,
}

/// Describes fields that no other row describes, under the name of their row or names of their
/// own; `None` if the bytes end before they do.
pub type Custom = fn(&mut Fields<'_>, &'static str) -> Option<()>;

#[derive(Clone, Copy, Debug)]
enum Shape {
    /// A number of bytes of this form.
    Fixed(Form, u32),
    /// A length byte and text.
    Name,
    /// A length of two bytes, the low one first, and text in UTF-8.
    LongName,
    /// As many bytes as the number before says.
    Counted,
    /// All that is left.
    Rest,
    /// These, as often as the number before says.
    Repeat(FieldTable),
    /// These, under one heading.
    Group(FieldTable),
    /// What this describes.
    Custom(Custom),
}

macro_rules! numbers {
    ($($(#[$doc:meta])* $name:ident $form:ident $width:literal;)*) => {
        $($(#[$doc])* #[must_use] pub const fn $name(name: &'static str) -> Param {
            param(name, Shape::Fixed(Form::$form, $width))
        })*
    };
}

numbers! {
    /// A number of one byte.
    u8 Be 1;
    /// A number of two bytes, the high one first.
    be16 Be 2;
    /// A number of four bytes, the high one first.
    be32 Be 4;
    /// A number of eight bytes, the high one first.
    be64 Be 8;
    /// A number of two bytes, the low one first.
    le16 Le 2;
    /// A number of four bytes, the low one first.
    le32 Le 4;
    /// A number of eight bytes, the low one first.
    le64 Le 8;
}

/// `n` bytes without a form of their own.
#[must_use]
pub const fn bytes(n: u32, name: &'static str) -> Param {
    param(name, Shape::Fixed(Form::Bytes, n))
}

/// `n` bytes that mean nothing.
#[must_use]
pub const fn reserved(n: u32) -> Param {
    bytes(n, "Reserved")
}

/// `n` bytes of text, filled up with zeros.
#[must_use]
pub const fn text(n: u32, name: &'static str) -> Param {
    param(name, Shape::Fixed(Form::Text, n))
}

/// A length byte and text.
#[must_use]
pub const fn name(name: &'static str) -> Param {
    param(name, Shape::Name)
}

/// A length of two bytes, the low one first, and text in UTF-8.
#[must_use]
pub const fn long_name(name: &'static str) -> Param {
    param(name, Shape::LongName)
}

/// As many bytes as the number before says.
#[must_use]
pub const fn counted(name: &'static str) -> Param {
    param(name, Shape::Counted)
}

/// All that is left.
#[must_use]
pub const fn rest(name: &'static str) -> Param {
    param(name, Shape::Rest)
}

/// `table`, as often as the number before says, each time under this heading.
#[must_use]
pub const fn repeat(name: &'static str, table: FieldTable) -> Param {
    param(name, Shape::Repeat(table))
}

/// `table` under this heading.
#[must_use]
pub const fn group(name: &'static str, table: FieldTable) -> Param {
    param(name, Shape::Group(table))
}

/// What `describe` describes: a form that one protocol alone has.
#[must_use]
pub const fn custom(name: &'static str, describe: Custom) -> Param {
    param(name, Shape::Custom(describe))
}

const fn param(name: &'static str, shape: Shape) -> Param {
    Param {
        name,
        shape,
        hex: false,
        meaning: Meaning::None,
    }
}

/// What the number means. Flags, bits and DOS's dates and times are shown in hexadecimal.
impl Param {
    /// The number names something or is a code: shown in hexadecimal.
    #[must_use]
    pub const fn hex(mut self) -> Self {
        self.hex = true;
        self
    }

    /// Some values of the number have a name.
    #[must_use]
    pub const fn codes(self, names: ValueNames) -> Self {
        self.codes_or(names, "")
    }

    /// The number is one of these: any other is not known.
    #[must_use]
    pub const fn one_of(self, names: ValueNames) -> Self {
        self.codes_or(names, "not known")
    }

    /// Some values of the number have a name; `other` says what all others are.
    #[must_use]
    pub const fn codes_or(self, names: ValueNames, other: &'static str) -> Self {
        self.with(Meaning::Codes(names, other))
    }

    /// Every number means this: its unit, for example.
    #[must_use]
    pub const fn means(self, words: &'static str) -> Self {
        self.codes_or(&[], words)
    }

    /// The number is a set of these bits, each said to be there ("yes") or not ("no").
    #[must_use]
    pub const fn flags(self, names: ValueNames) -> Self {
        self.hex().with(Meaning::Flags(names, ["yes", "no"]))
    }

    /// The number is a set of these bits, each said to be "set" or "not set".
    #[must_use]
    pub const fn set_of(self, names: ValueNames) -> Self {
        self.hex().with(Meaning::Flags(names, ["set", "not set"]))
    }

    /// Parts of the number have meanings of their own.
    #[must_use]
    pub const fn bits(self, list: &'static [Bit]) -> Self {
        self.hex().with(Meaning::Bits(list))
    }

    /// The number is a date as DOS writes it; 0 is none, in these words.
    #[must_use]
    pub const fn dos_date(self, none: &'static str) -> Self {
        self.hex().with(Meaning::DosDate(none))
    }

    /// The number is a time of day as DOS writes it, in this zone; "" if that is not known.
    #[must_use]
    pub const fn dos_time(self, zone: &'static str) -> Self {
        self.hex().with(Meaning::DosTime(zone))
    }

    /// The number counts seconds since 1970 in local time.
    #[must_use]
    pub const fn local_seconds(self) -> Self {
        self.with(Meaning::LocalSeconds)
    }

    /// The number counts 100 ns since 1601.
    #[must_use]
    pub const fn file_time(self) -> Self {
        self.with(Meaning::FileTime)
    }

    /// The number is a signed number of minutes to add to local time for UTC.
    #[must_use]
    pub const fn zone(self) -> Self {
        self.with(Meaning::Zone)
    }

    const fn with(mut self, meaning: Meaning) -> Self {
        self.meaning = meaning;
        self
    }

    /// Its bytes, if they are always as many; 0 otherwise.
    #[must_use]
    pub const fn length(&self) -> u32 {
        match self.shape {
            Shape::Fixed(_, n) => n,
            _ => 0,
        }
    }

    /// Describes it alone. Answers its number, or 0 if it has none; `None` if the bytes end
    /// before it does.
    pub fn read(&self, f: &mut Fields<'_>) -> Option<u64> {
        let mut last = 0;
        self.describe(f, &mut last)?;
        Some(last)
    }

    /// `last` is the number read last.
    fn describe(&self, f: &mut Fields<'_>, last: &mut u64) -> Option<()> {
        match self.shape {
            Shape::Fixed(form, n) => {
                if let Some(number) = form.describe(f, n, self.name)? {
                    self.say(f, number);
                    *last = number;
                }
            }
            Shape::Name => {
                let length = self.text_length(f, 1)?;
                f.text(length, self.name)?;
            }
            Shape::LongName => {
                let length = self.text_length(f, 2)?;
                let bytes = f.bytes(length, self.name)?;
                if length > 0 {
                    f.shown(String::from_utf8_lossy(bytes));
                }
            }
            Shape::Counted => {
                // What the sender did not send is not waited for: the count can lie.
                let n = u32::try_from(*last).unwrap_or(u32::MAX).min(f.left());
                f.bytes(n, self.name)?;
            }
            Shape::Rest => f.rest(self.name).map(|_| ())?,
            Shape::Repeat(table) => {
                for _ in 0..*last {
                    if f.left() == 0 {
                        break;
                    }
                    under(f, self.name, table)?;
                }
            }
            Shape::Group(table) => under(f, self.name, table)?,
            Shape::Custom(describe) => describe(f, self.name)?,
        }
        Some(())
    }

    fn say(&self, f: &mut Fields<'_>, number: u64) {
        if self.hex {
            f.hex();
        }
        self.meaning.say(f, number);
    }

    /// The length of this text, in `n` bytes.
    fn text_length(&self, f: &mut Fields<'_>, n: u32) -> Option<u32> {
        let length = f.number(n, false, "Length")?;
        f.means(format_args!("of {}", self.name));
        u32::try_from(length).ok()
    }
}

fn under(f: &mut Fields<'_>, heading: &'static str, table: &[Param]) -> Option<()> {
    f.open(heading);
    describe(f, table)?;
    f.close();
    Some(())
}

/// Describes all of the table; `None` if the bytes end before it does.
pub fn describe(f: &mut Fields<'_>, table: &[Param]) -> Option<()> {
    let mut last = 0;
    table
        .iter()
        .try_for_each(|param| param.describe(f, &mut last))
}

/// Describes as much of the table as finds room before the end of the part at hand: for
/// structures whose older versions leave out what is at the end.
pub fn describe_present(f: &mut Fields<'_>, table: &[Param]) -> Option<()> {
    let mut last = 0;
    for param in table {
        if f.left() < param.length() {
            break;
        }
        param.describe(f, &mut last)?;
    }
    Some(())
}

#[cfg(test)]
mod tests;

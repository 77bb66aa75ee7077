//! Which table a message has, by the codes that say what it is.

use super::{FieldTable, Param};

/// The fields of some messages, by a code and perhaps a second one: function and
/// subfunction, command and number of words. [`field_tables!`](crate::field_tables) writes
/// lists of them.
#[derive(Clone, Copy, Debug)]
pub struct CodedTable {
    /// The codes of the messages.
    pub codes: &'static [u8],
    /// Their second codes; none where the first one says all.
    pub second: &'static [u8],
    /// What stands in them.
    pub params: FieldTable,
}

impl CodedTable {
    /// Bytes of its fields, of those with a fixed length.
    #[must_use]
    pub fn length(&self) -> u32 {
        self.params.iter().map(Param::length).sum()
    }

    fn is_of(&self, code: u8, second: Option<u8>) -> bool {
        self.codes.contains(&code)
            && match second {
                Some(second) => self.second.contains(&second),
                None => self.second.is_empty(),
            }
    }
}

/// The table for these codes, out of several lists.
#[must_use]
pub fn find(
    lists: &[&'static [CodedTable]],
    code: u8,
    second: Option<u8>,
) -> Option<&'static CodedTable> {
    let all = lists.iter().copied().flatten();
    all.into_iter().find(|table| table.is_of(code, second))
}

/// A list of [`CodedTable`](crate::table::CodedTable)s: rows of `code => [fields]` or
/// `code / second => [fields]`; codes with one table are divided by `|`. The codes of
/// `Type; NAME => [fields]` are the byte in `Type::NAME`.
#[macro_export]
macro_rules! field_tables {
    ($of:ident; $($($code:ident)|+ $(/ $($second:literal)|+)? => [$($param:expr),* $(,)?];)*) => {
        &[$($crate::table::CodedTable {
            codes: &[$($of::$code.0),+],
            second: &[$($($second),+)?],
            params: &[$($param),*],
        },)*]
    };
    ($($($code:literal)|+ $(/ $($second:literal)|+)? => [$($param:expr),* $(,)?];)*) => {
        &[$($crate::table::CodedTable {
            codes: &[$($code),+],
            second: &[$($($second),+)?],
            params: &[$($param),*],
        },)*]
    };
}

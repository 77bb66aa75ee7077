//! Which parameters a function has.

use super::form::Param;

/// The parameters of some functions: of a request behind its function or subfunction code,
/// of a reply behind the connection status.
#[derive(Debug)]
pub(super) struct Layout {
    pub(super) functions: &'static [u8],
    /// None for functions that have no subfunctions.
    pub(super) subfunctions: &'static [u8],
    pub(super) params: &'static [Param],
}

impl Layout {
    /// Bytes of its parameters, of those with a fixed length.
    pub(super) fn length(&self) -> u32 {
        self.params.iter().map(Param::length).sum()
    }

    fn is_of(&self, function: u8, subfunction: Option<u8>) -> bool {
        self.functions.contains(&function)
            && match subfunction {
                Some(subfunction) => self.subfunctions.contains(&subfunction),
                None => self.subfunctions.is_empty(),
            }
    }
}

/// The layout of a function, out of several tables.
pub(super) fn find(
    tables: &[&'static [Layout]],
    function: u8,
    subfunction: Option<u8>,
) -> Option<&'static Layout> {
    tables
        .iter()
        .copied()
        .flatten()
        .find(|layout| layout.is_of(function, subfunction))
}

/// Rows of `function => [parameters]` or `function/subfunction => [parameters]`; numbers
/// with one layout are divided by `|`.
macro_rules! layouts {
    ($($($function:literal)|+ $(/ $($sub:literal)|+)? => [$($param:expr),* $(,)?];)*) => {
        &[$(Layout {
            functions: &[$($function),+],
            subfunctions: &[$($($sub),+)?],
            params: &[$($param),*],
        },)*]
    };
}
pub(super) use layouts;

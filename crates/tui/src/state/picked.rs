//! The overview.

use crate::table::RowIdentity;

/// What can be chosen, section by section.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Section {
    #[default]
    Symptoms,
    Servers,
    Clients,
}

/// The chosen row: it is followed as others pass it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Picked {
    pub(crate) row: Option<(Section, RowIdentity)>,
    pub(crate) at: usize,
}

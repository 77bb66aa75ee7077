//! A transaction and whom it concerns, as those who keep account of it see it.

use crate::Transaction;
use crate::parties::{Directory, Parties};
use crate::table::TablePlace;
use wirewait_wire::{File, Timestamp};

/// A transaction and its parties.
#[derive(Clone, Copy)]
pub(crate) struct Case<'a> {
    pub(crate) transaction: &'a Transaction,
    pub(crate) parties: &'a Parties,
}

impl<'a> Case<'a> {
    /// With its parties as they stand now; `room` is for those that have to be looked up again.
    #[inline]
    pub(crate) fn known(self, directory: &mut Directory, room: &'a mut Option<Parties>) -> Self {
        let parties = directory.current(self.transaction, self.parties, room);
        Self { parties, ..self }
    }

    /// Where the handle stands, if it has a number of its own, and what is read and written there has
    /// a place in a file: in a pipe it has none.
    #[inline]
    pub(crate) fn placed_handle(self) -> Option<TablePlace> {
        let t = self.transaction;
        let file = t.file?;
        let pipe = t.place.as_ref().is_some_and(|place| place.pipes);
        let placed = file.handle != File::PREVIOUS && !pipe;
        self.parties.handle().filter(|_| placed)
    }
}

/// Somebody waits for a request.
#[derive(Clone, Copy)]
pub(crate) struct Wait<'a> {
    pub(crate) case: Case<'a>,
    /// When its first byte was seen.
    pub(crate) began: Timestamp,
    /// Any station may respond: the server is not known before.
    pub(crate) anyone: bool,
    /// When it was repeated last, if it was.
    pub(crate) repeated: Option<Timestamp>,
}

impl<'a> Wait<'a> {
    /// The wait with the parties of its request as they stand now, as in [`Case::known`].
    #[inline]
    pub(crate) fn known(self, directory: &mut Directory, room: &'a mut Option<Parties>) -> Self {
        let case = self.case.known(directory, room);
        Self { case, ..self }
    }

    /// The wait with these parties.
    #[inline]
    pub(crate) fn between<'b>(&'b self, parties: &'b Parties) -> Wait<'b> {
        let case = Case {
            parties,
            ..self.case
        };
        Wait { case, ..*self }
    }
}

//! A transaction and whom it concerns, as those who keep account of it see it.

use crate::Transaction;
use crate::parties::{Directory, Parties};
use crate::table::TablePlace;
use wirewait_wire::word::Name;
use wirewait_wire::{Endpoint, File, Kind, Timestamp};

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

/// Somebody begins to wait for a request: what accounts ask of that, which is little.
pub(crate) trait NewWait {
    fn number(&self) -> u64;
    fn client(&self) -> &Endpoint;
    fn server(&self) -> &Endpoint;
    fn carrier(&self) -> Name;
    fn places(&self) -> NewWaitPlaces;
    fn began(&self) -> Timestamp;
    /// As in [`Wait`].
    fn anyone(&self) -> bool;
    fn asked(&self) -> Option<AskedRange>;
}

/// Where those stand who wait, and for whom.
#[derive(Clone, Copy)]
pub(crate) struct NewWaitPlaces {
    pub(crate) client: TablePlace,
    pub(crate) pair: TablePlace,
    /// [Nowhere](TablePlace::NOWHERE) also while the client is on probation.
    pub(crate) tie: TablePlace,
}

/// What is asked for of a file.
#[derive(Clone, Copy)]
pub(crate) struct AskedRange {
    /// Where the handle stands.
    pub(crate) handle: TablePlace,
    pub(crate) kind: Kind,
    pub(crate) offset: u64,
    pub(crate) bytes: u64,
}

impl NewWait for Wait<'_> {
    #[inline(always)]
    fn number(&self) -> u64 {
        self.case.transaction.number
    }

    #[inline(always)]
    fn client(&self) -> &Endpoint {
        &self.case.transaction.client
    }

    #[inline(always)]
    fn server(&self) -> &Endpoint {
        &self.case.transaction.server
    }

    #[inline(always)]
    fn carrier(&self) -> Name {
        self.case.transaction.carrier
    }

    #[inline(always)]
    fn places(&self) -> NewWaitPlaces {
        let parties = self.case.parties;
        NewWaitPlaces {
            client: parties.client,
            pair: parties.pair,
            tie: match parties.on_probation {
                true => TablePlace::NOWHERE,
                false => parties.tie,
            },
        }
    }

    #[inline(always)]
    fn began(&self) -> Timestamp {
        self.began
    }

    #[inline(always)]
    fn anyone(&self) -> bool {
        self.anyone
    }

    #[inline(always)]
    fn asked(&self) -> Option<AskedRange> {
        let t = self.case.transaction;
        Some(AskedRange {
            offset: t.file?.offset?,
            handle: self.case.placed_handle()?,
            kind: t.kind,
            bytes: t.asked_bytes,
        })
    }
}

impl<'a> Wait<'a> {
    /// The wait with the parties of its request as they stand now, as in [`Case::known`].
    #[inline]
    pub(crate) fn known(self, directory: &mut Directory, room: &'a mut Option<Parties>) -> Self {
        let case = self.case.known(directory, room);
        Self { case, ..self }
    }
}

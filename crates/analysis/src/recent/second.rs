//! One second of the capture's clock: rows for what happened in it, and for nothing else.

use super::tally::{Of, RecentParties, Tally};
use foldhash::fast::RandomState;
use std::collections::HashMap;
use std::ops::AddAssign;

/// Frames of one interface. Those that a mirror port shows twice count in the first two, as in
/// [`crate::CaptureRow`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Captured {
    /// Frames.
    pub frames: u64,
    /// Their bytes, as captures hold them.
    pub bytes: u64,
    /// Bytes that they took on the wire, preamble and gap included (variant C), as in
    /// [`crate::SegmentRow`]; copies apart.
    pub on_wire: u64,
}

/// What happened in one second.
#[derive(Clone, Debug, Default)]
pub(super) struct Second {
    /// By interface.
    pub(super) captured: Vec<Captured>,
    /// The first `used` are in use; those behind keep their memory for another second.
    rows: Vec<SecondRow>,
    used: usize,
    index: HashMap<Of, u32, RandomState>,
    /// Of conversations, as far as transactions showed them.
    pub(super) parties: Vec<(u64, RecentParties)>,
    /// Memory that the tallies hold, bytes.
    held: usize,
}

#[derive(Clone, Debug)]
struct SecondRow {
    of: Of,
    named: bool,
    tally: Tally,
}

impl Second {
    /// The rows, in the order in which they began.
    pub(super) fn rows(&self) -> impl Iterator<Item = (&Of, &Tally)> {
        self.rows
            .iter()
            .take(self.used)
            .map(|row| (&row.of, &row.tally))
    }

    /// The row of this, if anything happened to it.
    pub(super) fn row(&self, of: &Of) -> Option<&Tally> {
        let at = *self.index.get(of)?;
        self.rows.get(at as usize).map(|row| &row.tally)
    }

    /// Counts frames of an interface.
    pub(super) fn count(&mut self, interface: usize, captured: Captured) {
        if self.captured.len() <= interface {
            self.captured.resize(interface + 1, Captured::default());
        }
        self.captured[interface] += captured;
    }

    /// Changes the row of this, which is made if there is none; `false` if there is no room.
    pub(super) fn change(
        &mut self,
        of: Of,
        room: usize,
        parties: Option<(u64, RecentParties)>,
        change: impl FnOnce(&mut Tally),
    ) -> bool {
        let at = match self.index.get(&of) {
            Some(at) => *at as usize,
            None if self.used >= room => return false,
            None => {
                self.begin(of);
                self.used - 1
            }
        };
        let Some(row) = self.rows.get_mut(at) else {
            return false;
        };
        if let Some(parties) = parties.filter(|_| !row.named) {
            row.named = true;
            self.parties.push(parties);
        }
        let before = row.tally.held();
        change(&mut row.tally);
        self.held += row.tally.held() - before;
        true
    }

    /// What was counted of the first of these was of the second.
    #[cold]
    pub(super) fn join(&mut self, of: Of, other: Of) {
        let Some(at) = self.index.remove(&of) else {
            return;
        };
        let known = self.index.get(&other).copied();
        let Some(row) = self.rows.get_mut(at as usize) else {
            return;
        };
        row.of = other;
        let Some(known) = known else {
            self.index.insert(other, at);
            return;
        };
        // Its place stays, without anything.
        let tally = std::mem::take(&mut row.tally);
        if let Some(row) = self.rows.get_mut(known as usize) {
            let before = row.tally.held();
            row.tally.merge(&tally);
            self.held += row.tally.held();
            self.held = self.held.saturating_sub(before + tally.held());
        }
    }

    /// Forgets everything, and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.captured.clear();
        self.index.clear();
        self.parties.clear();
        self.used = 0;
    }

    /// Memory that it takes, nearly, bytes.
    pub(super) fn held(&self) -> usize {
        // A table is filled to seven eighths, and has a byte more for each place.
        let places = self.index.capacity() * 8 / 7;
        let index = places * (size_of::<(Of, u32)>() + 1);
        let parties = self.parties.capacity() * size_of::<(u64, RecentParties)>();
        let captured = self.captured.capacity() * size_of::<Captured>();
        let rows = self.rows.capacity() * size_of::<SecondRow>();
        size_of::<Self>() + rows + index + parties + captured + self.held
    }

    fn begin(&mut self, of: Of) {
        // Fewer than `room`, which is far below what 32 bits can tell apart.
        self.index
            .insert(of, u32::try_from(self.used).unwrap_or(u32::MAX));
        match self.rows.get_mut(self.used) {
            Some(row) => {
                let before = row.tally.held();
                row.tally.clear();
                self.held -= before - row.tally.held();
                (row.of, row.named) = (of, false);
            }
            None => self.rows.push(SecondRow {
                of,
                named: false,
                tally: Tally::default(),
            }),
        }
        self.used += 1;
    }
}

impl AddAssign for Captured {
    fn add_assign(&mut self, other: Self) {
        self.frames = self.frames.saturating_add(other.frames);
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.on_wire = self.on_wire.saturating_add(other.on_wire);
    }
}

impl Captured {
    /// Share of the capacity of a link in `seconds` that these frames took, in millionths; `None`
    /// without speed or time.
    #[must_use]
    pub fn utilisation(&self, bits_per_second: u64, seconds: u32) -> Option<u64> {
        let room = u128::from(bits_per_second) * u128::from(seconds);
        let share = (u128::from(self.on_wire) * 8_000_000).checked_div(room)?;
        Some(u64::try_from(share).unwrap_or(u64::MAX))
    }
}

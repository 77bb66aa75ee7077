//! What missing data does to open requests. Gaps come by the thousand where the capture lost frames,
//! or where somebody means to: none of them looks at more requests than it changes.

use super::Opens;
use crate::Flags;
use crate::open::{Open, OpenState};
use std::collections::BTreeSet;

/// Up to which serial numbers gaps were noted.
#[derive(Default)]
pub(super) struct Gaps {
    /// Of each side: to those before, the answer may be among frames that are missing.
    awaited: [u64; 2],
    /// And of these, those before are overlaid: data of their own side is missing behind them, too.
    overlaid: [u64; 2],
    /// How often data of each side was missing.
    lacked: [u64; 2],
    /// Those before whose answers are guessed have the flag: that data is missing, and that it was
    /// not waited for.
    flagged: [u64; 2],
}

impl Gaps {
    /// This one waits again.
    pub(super) fn reopened(&mut self, serial: u64) {
        for flagged in &mut self.flagged {
            *flagged = serial.min(*flagged);
        }
    }
}

impl Opens {
    /// The answers to requests of this side before `serial` may be among frames that are missing.
    pub(in super::super) fn await_all(&mut self, side: usize, serial: u64) {
        self.gaps.awaited[side] = serial;
    }

    /// The answer to this one may be among frames that are missing.
    pub(in super::super) fn awaits(&mut self, at: usize) {
        looked();
        let open = &mut self.list[at];
        let lacked = self.gaps.lacked[open.side];
        open.awaited.get_or_insert(lacked);
    }

    /// The server said that this one goes on.
    pub(in super::super) fn goes_on(&mut self, at: usize) {
        let open = &mut self.list[at];
        let lacked = self.gaps.lacked[open.side];
        open.goes_on.get_or_insert(lacked);
    }

    /// Whether data of its own side is missing since the server said that it goes on, or is
    /// `unseen` as yet: its rest, or another request under its identifier.
    pub(in super::super) fn lacks_since(&self, open: &Open, unseen: bool) -> bool {
        open.goes_on
            .is_some_and(|lacked| unseen || lacked < self.gaps.lacked[open.side])
    }

    /// Data of this side is missing: another request with the name of one whose answer may be
    /// missing, too, is perhaps among it.
    pub(in super::super) fn lacks(&mut self, side: usize) {
        self.gaps.lacked[side] += 1;
        self.gaps.overlaid[side] = self.gaps.awaited[side];
    }

    /// Whether the answer to this one may be among what is missing.
    pub(in super::super) fn is_awaited(&self, open: &Open) -> bool {
        open.awaited.is_some() || open.serial < self.gaps.awaited[open.side]
    }

    /// Whether another request with its name may be among what is missing behind it, when its
    /// answer may be missing.
    pub(in super::super) fn is_overlaid(&self, open: &Open) -> bool {
        let since = open
            .awaited
            .is_some_and(|lacked| lacked < self.gaps.lacked[open.side]);
        since || open.serial < self.gaps.overlaid[open.side]
    }

    /// The serial numbers, in order, of requests of this side whose sender had got less than up to
    /// `end`. Of many, those that were given before are left out.
    pub(in super::super) fn lacking(&mut self, side: usize, end: u64) -> Vec<u64> {
        let Self { list, lookup, .. } = self;
        let Some(lookup) = lookup else {
            let all = list.iter().inspect(|_| looked());
            let lacking = all.filter(|o| o.side == side && o.had < end);
            return lacking.map(|o| o.serial).collect();
        };
        let had = lookup.had.get_or_insert_with(|| {
            let mut had = Box::default();
            for open in list.iter().inspect(|_| looked()) {
                enter(&mut had, open);
            }
            had
        });
        let behind = had[side].split_off(&(end, 0));
        let lacking = std::mem::replace(&mut had[side], behind);
        let mut serials: Vec<u64> = lacking.into_iter().map(|(_, serial)| serial).collect();
        serials.sort_unstable();
        serials
    }

    /// The serial numbers of those whose answers are guessed and that were not given for this
    /// flag before.
    pub(in super::super) fn unflagged(&mut self, why: Flags) -> Vec<u64> {
        let from = &mut self.gaps.flagged[usize::from(why == Flags::LIMITED)];
        let to = self.list.back().map_or(0, |last| last.serial + 1);
        let from = std::mem::replace(from, to);
        match &self.lookup {
            Some(lookup) => lookup.guessed.range(from..).copied().collect(),
            None => {
                let all = self.list.iter().inspect(|_| looked());
                let guessed = all.filter(|o| o.serial >= from && o.is_guessed());
                guessed.map(|o| o.serial).collect()
            }
        }
    }

    /// Whether the answer to more than one of them is guessed.
    #[cold]
    pub(in super::super) fn are_guessed(&self) -> bool {
        match &self.lookup {
            Some(lookup) => lookup.guessed.len() > 1,
            None => self.list.iter().filter(|o| o.is_guessed()).nth(1).is_some(),
        }
    }

    /// Whether the answer to any of them is guessed.
    pub(in super::super) fn has_guessed(&self) -> bool {
        match &self.lookup {
            Some(lookup) => !lookup.guessed.is_empty(),
            None => self.list.iter().any(|o| o.is_guessed()),
        }
    }
}

impl Open {
    /// It waits, and only the order will tell its answer.
    pub(in super::super) fn is_guessed(&self) -> bool {
        self.opaque && self.state != OpenState::Done
    }
}

/// Requests of each side, by how far their senders had got what the other side sent.
pub(super) type Had = [BTreeSet<(u64, u64)>; 2];

/// Enters a request by how far its sender had got what the other side sent, if that is known.
pub(super) fn enter(had: &mut Had, open: &Open) {
    if open.had < u64::MAX && open.awaited.is_none() {
        had[open.side].insert((open.had, open.serial));
    }
}

/// A request is looked at; tests count.
#[inline]
pub(super) fn looked() {
    #[cfg(test)]
    super::tests::LOOKED.set(super::tests::LOOKED.get() + 1);
}

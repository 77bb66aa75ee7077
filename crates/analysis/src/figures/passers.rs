//! Requests of clients whose rows are gone, in sixteen bytes each.
//!
//! A flood has a new client in each frame: to note what it asked must cost next to nothing. A
//! note stands in one of a few slots that the client's digest names, the latest first. The digest
//! is the same in every run, and so is what is forgotten. Clients with responses are forgotten
//! after those who had none.

use crate::digest::Digest;
use wirewait_wire::Endpoint;

/// Slots of a set.
const WAYS: usize = 8;

/// Requests by client.
pub(super) struct Passers {
    /// None before the first of them.
    sets: Vec<[Note; WAYS]>,
    /// How many sets there are, a power of two.
    size: usize,
}

#[derive(Clone, Copy, Default)]
struct Note {
    /// The digest of the client; 0 where there is none.
    client: u64,
    requests: u64,
}

/// Of the requests: some were answered.
const ANSWERED: u64 = 1 << 63;

impl Note {
    fn is_answered(self) -> bool {
        self.requests & ANSWERED != 0
    }

    fn count(self) -> u64 {
        self.requests & !ANSWERED
    }
}

impl Passers {
    /// With room for twice as many as are to be remembered, as sets do not fill evenly.
    pub(super) fn new(clients: usize) -> Self {
        Self {
            sets: Vec::new(),
            size: (clients / WAYS * 2).max(1).next_power_of_two(),
        }
    }

    /// So many requests of this client are no longer in a row.
    pub(super) fn add(&mut self, client: &Endpoint, requests: u64, answered: bool) {
        if requests == 0 {
            return;
        }
        if self.sets.is_empty() {
            self.sets = vec![Default::default(); self.size];
        }
        let (digest, at) = self.place_of(client);
        let set = &mut self.sets[at];
        let mut note = Note {
            client: digest,
            requests: 0,
        };
        let slot = match set.iter().position(|note| note.client == digest) {
            Some(slot) => {
                note = set[slot];
                slot
            }
            // The oldest that had no response goes, and one with responses after them.
            None => set
                .iter()
                .rposition(|note| !note.is_answered())
                .unwrap_or(WAYS - 1),
        };
        let answered = answered || note.is_answered();
        note.requests = note.count().saturating_add(requests).min(ANSWERED - 1);
        note.requests |= if answered { ANSWERED } else { 0 };
        set.copy_within(..slot, 1);
        set[0] = note;
    }

    /// What rows of this client had counted.
    pub(super) fn of(&self, client: &Endpoint) -> u64 {
        let (digest, at) = self.place_of(client);
        let set = self.sets.get(at).into_iter().flatten();
        let mut notes = set.filter(|note| note.client == digest);
        notes.next().map_or(0, |note| note.count())
    }

    fn place_of(&self, client: &Endpoint) -> (u64, usize) {
        let mut digest = Digest::new();
        digest.end(client.identity());
        let digest = digest.finish().max(1);
        // The size is a power of two within `usize`.
        (digest, digest as usize & (self.size - 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wirewait_wire::Address;

    fn client(n: u32) -> Endpoint {
        Endpoint::at(Address::V4(n.to_be_bytes()))
    }

    #[test]
    fn as_many_as_fit_are_remembered_each_with_its_own_sum() {
        let mut passers = Passers::new(16_000);
        assert_eq!(passers.of(&client(0)), 0);
        for n in 0..16_000 {
            passers.add(&client(n), u64::from(n % 5), false);
            passers.add(&client(n), 1, n % 2 == 0);
        }
        let forgotten = (0..16_000).filter(|n| passers.of(&client(*n)) != u64::from(n % 5) + 1);
        // Sets of eight with four each on average: one in fifty finds no room.
        assert!(forgotten.count() < 16_000 / 50);
    }

    #[test]
    fn a_flood_takes_the_place_of_those_without_responses() {
        let mut passers = Passers::new(64);
        for n in 0..8 {
            passers.add(&client(n), 7, true);
        }
        for n in 1_000..100_000 {
            passers.add(&client(n), 1, false);
        }
        for n in 0..8 {
            assert_eq!(passers.of(&client(n)), 7, "client {n}");
        }
        assert_eq!(passers.of(&client(99_999)), 1);
        assert_eq!(passers.of(&client(1_000)), 0);
    }

    #[test]
    fn sums_end_at_their_bound() {
        let mut passers = Passers::new(8);
        passers.add(&client(1), u64::MAX, true);
        passers.add(&client(1), u64::MAX, false);
        assert_eq!(passers.of(&client(1)), ANSWERED - 1);
    }
}

//! Requests that rows had counted before they were dropped, in sixteen bytes for each row: for when
//! a row of the same comes back, which then says what it lacks.
//!
//! A flood has a new client in each frame: to note what it asked must cost next to nothing. A
//! note stands in one of a few slots that the digest of its owner names, the latest first. The
//! digest is the same in every run, and so is what is forgotten. Owners with responses are
//! forgotten after those who had none.

use wirewait_model::digest::Digest;
use wirewait_model::{Counts, records::OperationAt};
use wirewait_wire::Endpoint;

/// Slots of a set.
const WAYS: usize = 8;

/// Requests by owner of a row.
pub(crate) struct Passers {
    /// None before the first of them.
    sets: Vec<[Note; WAYS]>,
    /// How many sets there are, a power of two.
    size: usize,
}

#[derive(Clone, Copy, Default)]
struct Note {
    /// The digest of the owner; 0 where there is none.
    owner: u64,
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
    /// For eight times as many owners as `rows`.
    pub(crate) fn new(rows: usize) -> Self {
        let owners = rows.saturating_mul(8);
        Self {
            sets: Vec::new(),
            // With room for twice as many, as sets do not fill evenly.
            size: (owners / WAYS).saturating_mul(2).max(1).next_power_of_two(),
        }
    }

    /// What this owner's row had counted is no longer in one.
    pub(crate) fn add(&mut self, owner: u64, counts: &Counts) {
        self.note(owner, counts.requests, counts.answered > 0);
    }

    /// This number of requests of this owner is no longer in a row.
    pub(crate) fn note(&mut self, owner: u64, requests: u64, answered: bool) {
        if requests == 0 {
            return;
        }
        if self.sets.is_empty() {
            self.sets = vec![Default::default(); self.size];
        }
        let (digest, at) = self.place_of(owner);
        let set = &mut self.sets[at];
        let mut note = Note {
            owner: digest,
            requests: 0,
        };
        let slot = match set.iter().position(|note| note.owner == digest) {
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

    /// What rows of this owner had counted.
    pub(crate) fn of(&self, owner: u64) -> u64 {
        let (digest, at) = self.place_of(owner);
        let set = self.sets.get(at).into_iter().flatten();
        let mut notes = set.filter(|note| note.owner == digest);
        notes.next().map_or(0, |note| note.count())
    }

    fn place_of(&self, owner: u64) -> (u64, usize) {
        let digest = owner.max(1);
        // The size is a power of two within `usize`.
        (digest, digest as usize & (self.size - 1))
    }
}

/// A station as the owner of a row.
pub(crate) fn station(end: &Endpoint) -> u64 {
    let mut digest = Digest::new();
    digest.end(end.identity());
    digest.finish()
}

/// An operation at a server as the owner of a row.
pub(crate) fn operation(server: &Endpoint, at: &OperationAt) -> u64 {
    let mut digest = Digest::new();
    digest.end(server.identity());
    for name in [at.protocol, at.carrier, at.command] {
        // Up to eight bytes to a word, and the length, so that two names do not run together.
        digest.word(name.len() as u64);
        for part in name.as_bytes().chunks(8) {
            let word = part
                .iter()
                .fold(0, |word, byte| word << 8 | u64::from(*byte));
            digest.word(word);
        }
    }
    digest.word(u64::from(at.code) << 8 | at.kind as u64);
    digest.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use wirewait_wire::{Address, Kind};

    fn client(n: u32) -> u64 {
        station(&Endpoint::at(Address::V4(n.to_be_bytes())))
    }

    #[test]
    fn as_many_as_fit_are_remembered_each_with_its_own_sum() {
        let mut passers = Passers::new(2_000);
        assert_eq!(passers.of(client(0)), 0);
        for n in 0..16_000 {
            passers.note(client(n), u64::from(n % 5), false);
            passers.note(client(n), 1, n % 2 == 0);
        }
        let forgotten = (0..16_000).filter(|n| passers.of(client(*n)) != u64::from(n % 5) + 1);
        // Sets of eight with four each on average: one in fifty finds no room.
        assert!(forgotten.count() < 16_000 / 50);
    }

    #[test]
    fn a_flood_takes_the_place_of_those_without_responses() {
        let mut passers = Passers::new(8);
        for n in 0..8 {
            passers.note(client(n), 7, true);
        }
        for n in 1_000..100_000 {
            passers.note(client(n), 1, false);
        }
        for n in 0..8 {
            assert_eq!(passers.of(client(n)), 7, "client {n}");
        }
        assert_eq!(passers.of(client(99_999)), 1);
        assert_eq!(passers.of(client(1_000)), 0);
    }

    #[test]
    fn sums_end_at_their_bound() {
        let mut passers = Passers::new(1);
        passers.note(client(1), u64::MAX, true);
        passers.note(client(1), u64::MAX, false);
        assert_eq!(passers.of(client(1)), ANSWERED - 1);
    }

    #[test]
    fn operations_are_told_apart_by_all_that_names_them() {
        let at = OperationAt {
            server: None,
            protocol: "smb1",
            carrier: "nbt",
            command: "READ",
            code: 10,
            kind: Kind::Read,
        };
        let server = Endpoint::at(Address::V4([10, 0, 0, 1]));
        let others = [
            (Endpoint::at(Address::V4([10, 0, 0, 2])), at),
            (
                server,
                OperationAt {
                    protocol: "smb",
                    carrier: "1nbt",
                    ..at
                },
            ),
            (
                server,
                OperationAt {
                    carrier: "nbf",
                    ..at
                },
            ),
            (
                server,
                OperationAt {
                    command: "READ_ANDX",
                    ..at
                },
            ),
            (server, OperationAt { code: 11, ..at }),
            (
                server,
                OperationAt {
                    kind: Kind::Wait,
                    ..at
                },
            ),
        ];
        for (server_of, other) in others {
            assert_ne!(operation(&server, &at), operation(&server_of, &other));
        }
        assert_eq!(operation(&server, &at), operation(&server, &at));
    }
}

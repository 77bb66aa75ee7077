//! First and last times of conversations, so that one that is in two parts is noticed.
//!
//! Of each conversation a number made of its two ends is kept, with the times of its first and its
//! last frame. There is room for [`KEPT`]; beyond that those with the smallest numbers are kept,
//! which are the same in every part that has them: a fair and reproducible sample.

use std::collections::BTreeMap;
use wirewait_model::digest::Digest;
use wirewait_wire::word::Name;
use wirewait_wire::{Endpoint, Timestamp};

/// Conversations of a part, and of all parts together, that are kept.
pub const KEPT: usize = 4096;

/// The conversations of one analysis.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Conversations {
    by_number: BTreeMap<u64, (Timestamp, Timestamp)>,
    /// The greatest number, where no further one finds room.
    full_to: Option<u64>,
    /// How many found no room, or had to leave theirs.
    pub(crate) beyond: u64,
}

impl Conversations {
    /// One between these, on this carrier, with frames from `first` to `last`.
    pub(crate) fn saw(
        &mut self,
        ends: [Endpoint; 2],
        carrier: Name,
        (first, last): (Timestamp, Timestamp),
    ) {
        let number = number(ends, carrier);
        // One more with a greater number than all of them would have to go again.
        if self.full_to.is_some_and(|last| number > last) {
            self.beyond += 1;
            return;
        }
        let all = &mut self.by_number;
        let known = all.entry(number).or_insert((first, last));
        known.0 = known.0.min(first);
        known.1 = known.1.max(last);
        if all.len() > KEPT {
            all.pop_last();
            self.beyond += 1;
        }
        if all.len() == KEPT {
            self.full_to = all.last_key_value().map(|(last, _)| *last);
        }
    }
}

/// Number of a conversation between two ends in either order, equal on every machine.
fn number([a, b]: [Endpoint; 2], carrier: Name) -> u64 {
    let (a, b) = (a.identity(), b.identity());
    let (a, b) = (a.min(b), a.max(b));
    let mut digest = Digest::new();
    for end in [a, b] {
        digest.end(end);
    }
    for eight in carrier.as_bytes().chunks(8) {
        let word = eight
            .iter()
            .fold(0, |word, byte| word << 8 | u64::from(*byte));
        digest.word(word);
    }
    digest.finish()
}

/// A conversation, as it was in one part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Sighting {
    /// Made of its two ends.
    pub conversation: u64,
    /// Made of what the part holds: the same for the same part.
    pub part: u64,
    /// When it was first seen there.
    pub first: Timestamp,
    /// When it was last seen there.
    pub last: Timestamp,
}

/// What was seen in which part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sightings(Vec<Sighting>);

/// What several parts have in common.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Common {
    /// Conversations that were looked at.
    pub of: u64,
    /// Of those: how many two parts have at the same time.
    pub twice: u64,
    /// The very same part is there more than once.
    pub repeated: bool,
}

impl Sightings {
    /// Those of one part, of which the other figures are these.
    pub(super) fn of(conversations: &Conversations, part: &[u64]) -> Self {
        let mut digest = Digest::new();
        let stamps = conversations
            .by_number
            .iter()
            .flat_map(|(number, (first, last))| {
                let stamps = [*first, *last].map(|at| at.as_nanos().cast_unsigned());
                [*number, stamps[0], stamps[1]]
            });
        for number in part.iter().copied().chain(stamps) {
            digest.word(number);
        }
        let part = digest.finish();
        let sightings = conversations.by_number.iter();
        Self(
            sightings
                .map(|(conversation, (first, last))| Sighting {
                    conversation: *conversation,
                    part,
                    first: *first,
                    last: *last,
                })
                .collect(),
        )
    }

    /// Those that were written down before, if they are in order.
    #[must_use]
    pub fn from_list(list: Vec<Sighting>) -> Option<Self> {
        let ordered = list.is_sorted() && list.len() <= KEPT;
        let lasting = list.iter().all(|s| s.first <= s.last);
        (ordered && lasting).then_some(Self(list))
    }

    /// In order.
    #[must_use]
    pub fn list(&self) -> &[Sighting] {
        &self.0
    }

    /// How many found no room.
    pub(super) fn merge(&mut self, other: &Self) -> u64 {
        self.0.extend_from_slice(&other.0);
        self.0.sort_unstable();
        let beyond = self.0.len().saturating_sub(KEPT);
        self.0.truncate(KEPT);
        beyond as u64
    }

    /// What parts have in common.
    #[must_use]
    pub fn common(&self) -> Common {
        let mut common = Common::default();
        for same in self.0.chunk_by(|a, b| a.conversation == b.conversation) {
            common.of += 1;
            let overlap = |a: &Sighting, b: &Sighting| a.first <= b.last && b.first <= a.last;
            // In the order of their times the latest end so far is the one to compare with.
            let mut by_time = same.to_vec();
            by_time.sort_unstable_by_key(|s| (s.first, s.last, s.part));
            let mut latest: Option<Sighting> = None;
            let mut twice = false;
            for sighting in by_time {
                twice |= latest.is_some_and(|latest| overlap(&latest, &sighting));
                if latest.is_none_or(|latest| sighting.last > latest.last) {
                    latest = Some(sighting);
                }
            }
            common.twice += u64::from(twice);
            common.repeated |= same.windows(2).any(|pair| pair[0] == pair[1]);
        }
        common
    }
}

//! What a capture does to frames: loses some, hands some over in another order, stamps some wrong.

use std::collections::BTreeSet;
use wirewait_synth::{OwnedFrame, Random};

const MS: i64 = 1_000_000;
const SECOND: i64 = 1000 * MS;

/// Neighbours change places only if they came within this time, ns: a card with several queues
/// does that, and no card does it with frames that are far apart.
const NEIGHBOURS_NS: i64 = 10 * MS;

/// How a capture is hurt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Hurt {
    /// So many of 1000 frames are missing.
    Lost(u64),
    /// So many of 1000 frames change places with the next. Each keeps its stamp: the stamps are
    /// right, and stand in the wrong order in the file.
    Swapped(u64),
    /// From some frame on all stamps are lower.
    Back,
    /// From some frame on all stamps are higher. Nothing in the stamps tells that from silence:
    /// what spans it is not judged.
    Forward,
    /// One stamp is too low.
    GlitchBack,
    /// One stamp is too high.
    GlitchForward,
}

impl Hurt {
    pub(super) const ALL: [Self; 10] = [
        Self::Lost(3),
        Self::Lost(10),
        Self::Lost(30),
        Self::Swapped(3),
        Self::Swapped(10),
        Self::Swapped(30),
        Self::Back,
        Self::Forward,
        Self::GlitchBack,
        Self::GlitchForward,
    ];
}

/// A capture that was hurt.
pub(super) struct Wounded {
    /// Its frames as they stand in the file now, each with its number in the complete capture.
    pub(super) frames: Vec<(u64, OwnedFrame)>,
    /// Numbers of those that are missing.
    pub(super) lost: BTreeSet<u64>,
    /// Numbers of those that stand elsewhere or have another stamp than their neighbours.
    pub(super) moved: BTreeSet<u64>,
    /// The clock stepped between the frame before this one and this one.
    pub(super) step: Option<u64>,
}

impl Wounded {
    /// What happened to frames near these, by number.
    pub(super) fn near(&self, (first, last): (u64, u64)) -> String {
        let near = first.saturating_sub(12)..=last + 12;
        let among =
            |frames: &BTreeSet<u64>| -> Vec<u64> { frames.range(near.clone()).copied().collect() };
        let (lost, moved) = (among(&self.lost), among(&self.moved));
        format!("lost {lost:?}, moved {moved:?}, step {:?}", self.step)
    }

    /// Whether the clock stepped between the first of these frames and the last.
    pub(super) fn steps_within(&self, (first, last): (u64, u64)) -> bool {
        self.step.is_some_and(|step| first < step && step <= last)
    }
}

/// Hurts a capture; `None` if nothing happened that could be seen.
pub(super) fn hurt(frames: &[OwnedFrame], how: Hurt, dice: &mut Random) -> Option<Wounded> {
    let numbered = (1u64..).zip(frames.iter().cloned());
    let mut wounded = Wounded {
        frames: numbered.collect(),
        lost: BTreeSet::new(),
        moved: BTreeSet::new(),
        step: None,
    };
    let many = frames.len() as u64;
    if many < 3 {
        return None;
    }
    // Neither the first frame, before which there is nothing, nor the last.
    let at = 1 + dice.below(many - 2) as usize;
    let size = [100 * SECOND, 3600 * SECOND][dice.below(2) as usize];
    let now = |n: usize| frames[n].at;
    match how {
        Hurt::Lost(of_1000) => {
            let lost = (1..=many).filter(|_| dice.below(1000) < of_1000);
            wounded.lost = lost.collect();
            if wounded.lost.is_empty() {
                wounded.lost.insert(at as u64 + 1);
            }
            let lost = &wounded.lost;
            wounded.frames.retain(|(number, _)| !lost.contains(number));
        }
        Hurt::Swapped(of_1000) => {
            let mut n = 0;
            while n + 1 < frames.len() {
                let near = (1..NEIGHBOURS_NS).contains(&now(n + 1).since(now(n)));
                if near && dice.below(1000) < of_1000 {
                    wounded.frames.swap(n, n + 1);
                    wounded.moved.extend([n as u64 + 1, n as u64 + 2]);
                    n += 1;
                }
                n += 1;
            }
            if wounded.moved.is_empty() {
                return None;
            }
        }
        Hurt::Back | Hurt::Forward => {
            let by = if how == Hurt::Back { -size } else { size };
            if how == Hurt::Back && now(at).plus(by) >= now(at - 1) {
                return None;
            }
            for (_, frame) in &mut wounded.frames[at..] {
                frame.at = frame.at.plus(by);
            }
            wounded.step = Some(at as u64 + 1);
        }
        Hurt::GlitchBack | Hurt::GlitchForward => {
            let by = if how == Hurt::GlitchBack { -size } else { size };
            let wrong = now(at).plus(by);
            // A stamp between those of its neighbours is not to be told from a right one.
            if wrong >= now(at - 1) && wrong <= now(at + 1) {
                return None;
            }
            wounded.frames[at].1.at = wrong;
            wounded.moved.insert(at as u64 + 1);
        }
    }
    Some(wounded)
}

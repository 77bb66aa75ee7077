//! Frames of both captures that are the same, and how the clocks of the two stand to each other.

use super::drift::{Moving, Shifts};
use super::sights::FrameSight;
use std::collections::HashMap;
use wirewait_wire::Timestamp;

/// A frame that is nearer than this to where it is expected in the other capture may be the same, ns.
const NEAR_NS: i64 = 1_000_000_000;

/// The clock of the second capture against that of the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Clocks {
    /// How far it is ahead where the shortest way takes as long in both directions, ns; where it drifts, at the first
    /// frame that both have.
    pub ahead_ns: i64,
    /// How much it gains against the other, parts per billion; 0 where nothing shows that it drifts.
    pub drift_ppb: i64,
    /// By how much that may be wrong, as no frame tells how the way is shared out between the
    /// directions, ns.
    pub unsure_ns: i64,
    /// The shortest way forth and back, ns; where it drifts, within a short time.
    pub shortest_round_ns: i64,
    /// When the first frame that both have was seen at the clients.
    pub(super) since: Timestamp,
}

/// For each frame of the first capture the same one of the second, by place.
#[derive(Debug, Default)]
pub(super) struct SameFrames {
    /// Those of the first that are the same for sure: no other frame is like them.
    pub(super) sure: Vec<Option<u32>>,
    pub(super) of_first: Vec<Option<u32>>,
    pub(super) of_second: Vec<Option<u32>>,
}

impl SameFrames {
    /// Frames that occur once in both captures are the same. Of several that are alike, those are
    /// whose distance in time is that of the last ones that are sure.
    /// `cut`: one of the captures has fewer bytes of some.
    pub(super) fn of(first: &[FrameSight], second: &[FrameSight], cut: bool) -> Self {
        let mut same = Self {
            sure: Vec::new(),
            of_first: vec![None; first.len()],
            of_second: vec![None; second.len()],
        };
        let mut places: HashMap<u64, [Vec<u32>; 2]> = HashMap::new();
        for (which, frames) in [first, second].into_iter().enumerate() {
            for (place, frame) in (0u32..).zip(frames) {
                let digest = if cut {
                    frame.short_digest
                } else {
                    frame.digest
                };
                let both = places.entry(digest).or_default();
                both[which].push(place);
            }
        }
        for both in places.values() {
            if let [[a], [b]] = [both[0].as_slice(), both[1].as_slice()] {
                same.join(*a, *b);
            }
        }
        let sure = same.of_first.clone();
        let mut alike: Vec<[Vec<u32>; 2]> = places.into_values().collect();
        alike.retain(|[a, b]| !a.is_empty() && !b.is_empty() && a.len() + b.len() > 2);
        alike.sort_unstable();
        let far = match alike.is_empty() {
            true => Vec::new(),
            false => apart([first, second], &sure),
        };
        for [a, b] in alike {
            same.join_nearest([first, second], &far, &a, &b);
        }
        same.sure = sure;
        same
    }

    fn join(&mut self, a: u32, b: u32) {
        self.of_first[a as usize] = Some(b);
        self.of_second[b as usize] = Some(a);
    }

    /// Of frames that are alike, each of the fewer with the nearest of the others, in their order.
    fn join_nearest(
        &mut self,
        [first, second]: [&[FrameSight]; 2],
        far: &[i64],
        a: &[u32],
        b: &[u32],
    ) {
        let away = |a_at: usize, b_at: usize| {
            let here = a[a_at] as usize;
            let (frame, other) = (&first[here], &second[b[b_at] as usize]);
            (other.at.since(frame.at) - far[here]).abs()
        };
        let swapped = a.len() > b.len();
        let (few, many) = (a.len().min(b.len()), a.len().max(b.len()));
        let cost = |one: usize, other: usize| match swapped {
            false => away(one, other),
            true => away(other, one),
        };
        let mut from = 0;
        for one in 0..few {
            // The others of the fewer need one each.
            let to = many - (few - one);
            let mut best = from;
            for other in from..=to {
                if cost(one, other) < cost(one, best) {
                    best = other;
                } else if other > best + 1 {
                    break;
                }
            }
            if cost(one, best) < NEAR_NS {
                match swapped {
                    false => self.join(a[one], b[best]),
                    true => self.join(a[best], b[one]),
                }
                from = best + 1;
            }
        }
    }
}

/// How far the second capture's stamps are from the first's, for each frame of the first: by the nearest frame that is
/// sure and goes the same way, however long its stations were silent; else by the nearest that is sure.
fn apart([first, second]: [&[FrameSight]; 2], sure: &[Option<u32>]) -> Vec<i64> {
    /// How many frames away, and how far the stamps are there.
    type Near = Option<(usize, i64)>;
    let mut found: Vec<[Near; 2]> = vec![[None; 2]; first.len()];
    let mut pass = |places: &mut dyn Iterator<Item = usize>| {
        let mut latest: HashMap<[u32; 2], (usize, i64)> = HashMap::new();
        let mut any: Near = None;
        for place in places {
            let frame = &first[place];
            if let Some(other) = sure[place] {
                let here = (place, second[other as usize].at.since(frame.at));
                latest.insert(frame.ends, here);
                any = Some(here);
            }
            let same = latest.get(&frame.ends).copied();
            for (near, new) in found[place].iter_mut().zip([same, any]) {
                let new = new.map(|(at, ns)| (at.abs_diff(place), ns));
                *near = match (*near, new) {
                    (Some(near), Some(new)) => Some(near.min(new)),
                    (near, new) => near.or(new),
                };
            }
        }
    };
    pass(&mut (0..first.len()));
    pass(&mut (0..first.len()).rev());
    let far = found.iter().map(|[same, any]| same.or(*any));
    far.map(|near| near.map_or(0, |(_, ns)| ns)).collect()
}

impl Clocks {
    /// `pairs` are the same frames in both captures; whether they go from the first to the second. Where a clock was set:
    /// by how much at least, ns.
    pub(super) fn of(
        pairs: impl Iterator<Item = (bool, Timestamp, Timestamp)>,
    ) -> Option<Result<Self, u64>> {
        let pairs: Vec<_> = pairs.collect();
        let since = pairs.iter().map(|(_, first, _)| *first).min()?;
        let mut shifts = [Vec::new(), Vec::new()];
        for (forth, first, second) in pairs {
            let ns = match forth {
                true => second.since(first),
                false => first.since(second),
            };
            shifts[usize::from(!forth)].push((first.since(since), ns));
        }
        let (drift_ppb, [forth, back], round) = match Shifts::of(shifts).moving()? {
            Moving::By(ns) => return Some(Err(ns)),
            Moving::Not(least) => (0, least, None),
            Moving::Drift {
                ppb,
                least,
                round_ns,
            } => (ppb, least, Some(round_ns)),
        };
        let shortest_round_ns = round.unwrap_or(forth.saturating_add(back));
        Some(Ok(Self {
            ahead_ns: forth.saturating_sub(back) / 2,
            drift_ppb,
            unsure_ns: shortest_round_ns / 2,
            shortest_round_ns,
            since,
        }))
    }

    /// The first clock against the second.
    pub(super) fn turned(self) -> Self {
        Self {
            ahead_ns: -self.ahead_ns,
            drift_ppb: -self.drift_ppb,
            ..self
        }
    }

    /// How far the second clock was ahead when the first had this time, ns.
    pub(super) fn ahead_at(&self, at: Timestamp) -> i64 {
        let gained = i128::from(at.since(self.since)) * i128::from(self.drift_ppb) / 1_000_000_000;
        let gained = i64::try_from(gained).unwrap_or(0);
        self.ahead_ns.saturating_add(gained)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: i64) -> Timestamp {
        Timestamp::from_nanos(ms * 1_000_000)
    }

    /// The second clock is 100 ms ahead; 3 ms forth, 5 ms back, once 9: the round is 8 ms, and
    /// nothing tells 3 + 5 from 4 + 4.
    #[test]
    fn clocks_are_known_but_for_the_share_of_each_direction() {
        let pairs = [
            (true, at(0), at(103)),
            (true, at(10), at(119)),
            (false, at(25), at(120)),
        ];
        let clocks = Clocks::of(pairs.into_iter()).unwrap().unwrap();
        assert_eq!(clocks.shortest_round_ns, 8_000_000);
        assert_eq!((clocks.ahead_ns, clocks.unsure_ns), (99_000_000, 4_000_000));
        assert_eq!(Clocks::of(pairs.into_iter().take(2)), None, "one direction");
        // From the third frame on it is 50 ms further ahead: no way is shorter than none.
        let set = [pairs[0], pairs[2], (false, at(40), at(185))];
        assert_eq!(Clocks::of(set.into_iter()), Some(Err(42_000_000)));
    }

    fn frame(digest: u64, ms: i64) -> FrameSight {
        FrameSight {
            digest,
            short_digest: digest / 2,
            at: at(ms),
            number: 0,
            ends: [0, 1],
            segment: None,
        }
    }

    /// A station is silent while others send 300 frames, and repeats its request twice: which of the copies came is
    /// told by frames of its own before and behind, 70 and 230 frames away.
    #[test]
    fn a_silent_station_is_known_by_its_latest_frames() {
        let from = |ends: [u32; 2], digest, ms| FrameSight {
            ends,
            ..frame(digest, ms)
        };
        let [mut first, mut second] = [vec![from([2, 1], 7, 0)], vec![from([2, 1], 7, 900)]];
        for n in 0..300 {
            let ms = 10 * n as i64;
            first.push(frame(1_000 + n, ms));
            // The way of others takes half a second longer.
            second.push(frame(1_000 + n, ms + 1_400));
            if n == 70 || n == 120 {
                first.push(from([2, 1], 9, ms));
            }
            if n == 120 {
                second.push(from([2, 1], 9, ms + 900));
            }
        }
        second.sort_by_key(|frame| frame.at);
        let same = SameFrames::of(&first, &second, false);
        let copies = [70 + 2, 120 + 3].map(|place| same.of_first[place]);
        assert_eq!(copies[0], None, "500 ms before the one that came");
        let came = copies[1].map(|place| second[place as usize]);
        assert_eq!(
            came.map(|frame| (frame.digest, frame.at)),
            Some((9, at(2_100)))
        );
        assert_eq!(same.of_first[0], Some(0));
    }

    /// Of three that are alike, the second was lost: by their times the third is the third.
    #[test]
    fn frames_that_are_alike_are_told_apart_by_time() {
        let first = [
            frame(1, 0),
            frame(9, 10),
            frame(9, 20),
            frame(9, 30),
            frame(2, 40),
        ];
        let second = [
            frame(1, 500),
            frame(9, 510),
            frame(9, 531),
            frame(2, 540),
            frame(3, 550),
        ];
        let same = SameFrames::of(&first, &second, false);
        assert_eq!(same.of_first, [Some(0), Some(1), None, Some(2), Some(3)]);
        assert_eq!(same.of_second, [Some(0), Some(1), Some(3), Some(4), None]);
        // By fewer bytes these two are alike: no one is sure, and they are the same in their order.
        let pair = [frame(2, 0), frame(3, 10)];
        let cut = SameFrames::of(&pair, &[frame(2, 500), frame(3, 510)], true);
        assert_eq!(
            (cut.sure, cut.of_first),
            (vec![None; 2], vec![Some(0), Some(1)])
        );
    }
}

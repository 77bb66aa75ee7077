//! Which requests of two captures are the same.

use super::clocks::SameFrames;
use super::sights::{FrameSight, FramesSeen, RequestSight};
use std::collections::{BTreeMap, HashMap};
use wirewait_wire::Endpoint;

/// Frames by number, in both captures.
pub(super) struct Numbers {
    /// From a frame of the first capture to the same of the second.
    same: HashMap<u64, u64>,
}

impl Numbers {
    pub(super) fn of(first: &FramesSeen, second: &FramesSeen, same: &SameFrames) -> Self {
        let pair = |(frame, other): (&FrameSight, &Option<u32>)| {
            let other = second.frames.get((*other)? as usize)?;
            Some((frame.number, other.number))
        };
        let frames = first.frames.iter().zip(&same.of_first);
        Self {
            same: frames.filter_map(pair).collect(),
        }
    }

    /// Requests that are the same: one of their frames is, the first or last of the request or of the
    /// response.
    pub(super) fn requests(
        &self,
        first: &[RequestSight],
        second: &[RequestSight],
    ) -> HashMap<usize, usize> {
        let frames = |request: &RequestSight| {
            let response = request.response.map(|r| [r.first.frame, r.last.frame]);
            let asked = [request.request.first.frame, request.request.last.frame];
            asked.into_iter().chain(response.into_iter().flatten())
        };
        let mut of_frame: HashMap<u64, Vec<usize>> = HashMap::new();
        for (place, request) in second.iter().enumerate() {
            for frame in frames(request) {
                let places = of_frame.entry(frame).or_default();
                if !places.contains(&place) {
                    places.push(place);
                }
            }
        }
        let mut taken = vec![false; second.len()];
        let mut pairs = HashMap::new();
        for (place, request) in first.iter().enumerate() {
            let mut there = frames(request).filter_map(|frame| self.same.get(&frame));
            let found = there.find_map(|frame| {
                let places = of_frame.get(frame)?;
                places.iter().copied().find(|place| !taken[*place])
            });
            if let Some(found) = found {
                taken[found] = true;
                pairs.insert(place, found);
            }
        }
        in_their_order(first, second, &mut pairs);
        pairs
    }
}

/// Of a request of which each end has other copies no frame is in both. Requests of a client at a
/// server that lie between two that are the same are the same one by one, if they are alike.
fn in_their_order(
    first: &[RequestSight],
    second: &[RequestSight],
    pairs: &mut HashMap<usize, usize>,
) {
    let mut of_ends: BTreeMap<(Endpoint, Endpoint), [Vec<usize>; 2]> = BTreeMap::new();
    for (which, requests) in [first, second].into_iter().enumerate() {
        for (place, request) in requests.iter().enumerate() {
            let ends = (request.client, request.server);
            of_ends.entry(ends).or_default()[which].push(place);
        }
    }
    for [mut here, mut there] in of_ends.into_values() {
        here.sort_by_key(|place| first[*place].request.first.at);
        there.sort_by_key(|place| second[*place].request.first.at);
        let at: HashMap<usize, usize> = there.iter().enumerate().map(|(n, p)| (*p, n)).collect();
        let (mut run, mut from) = (Vec::new(), 0);
        let ends = here.iter().copied().map(Some).chain([None]);
        for place in ends {
            let known = place.map(|place| pairs.get(&place).copied());
            let to = match (place, known) {
                (Some(place), Some(None)) => {
                    run.push(place);
                    continue;
                }
                (_, Some(Some(other))) => at.get(&other).copied().unwrap_or(from),
                _ => there.len(),
            };
            let others = there.get(from..to).unwrap_or_default();
            let alike = |(a, b): (&usize, &usize)| first[*a].of == second[*b].of;
            if run.len() == others.len() && run.iter().zip(others).all(alike) {
                pairs.extend(run.iter().copied().zip(others.iter().copied()));
            }
            run.clear();
            from = from.max(to + 1);
        }
    }
}

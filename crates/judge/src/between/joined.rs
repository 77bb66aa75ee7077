//! The time of both ends together, and the frames that only one of them has.

use super::clocks::{Clocks, SameFrames};
use super::in_vain::InVain;
use super::offload::{ByBytes, ConnectionWay};
use super::rows::{BetweenRow, BetweenRows};
use super::same_requests::Numbers;
use super::sights::{FrameSight, FramesSeen, RequestSight, RequestsSeen};
use crate::{Culprit, Finding};
use std::collections::HashMap;
use wirewait_analysis::ENOUGH;
use wirewait_wire::{Endpoint, Timestamp};

/// Thousandths of the requests whose response time is longer in the capture at the clients, at least.
const LONGER: u64 = 667;

/// Where a capture was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlaceOfCapture {
    /// Nearer to the clients.
    Clients,
    /// Nearer to the servers.
    Servers,
}

/// Why two captures cannot be joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unjoined {
    /// They have no frame in common.
    NoFrame,
    /// They have frames in common, but no request that both have answered.
    NoRequest,
    /// A response takes as long in both: they were made at one place.
    OnePlace,
}

/// Frames of one direction that one capture alone has, while the other was made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LostFrames {
    /// Frames that the end that they come from has.
    pub sent: u64,
    /// Those of them that the other end does not have: lost between the two.
    pub lost: u64,
    /// The first of them, by their numbers in the capture of the end that they come from.
    pub first: Vec<u64>,
    /// Frames that the other end has alone: the capture at the end that they come from missed them, or
    /// they come from elsewhere.
    pub unseen: u64,
    /// Frames of either capture that offload had put together from several on the wire. Where there are some, what was
    /// sent and lost on their connections is counted in frames on the wire, by bytes.
    pub combined: u64,
}

/// Two captures of the same traffic.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Between {
    /// Whether the first capture is the one at the clients.
    pub first_at_clients: bool,
    /// How the clocks stand; `None` where frames of one direction alone are in both, and where they [moved](Self::clocks_moved_ns).
    pub clocks: Option<Clocks>,
    /// By how much the clocks moved against each other at least, as one was set or they drift, ns; 0 where nothing shows it.
    pub clocks_moved_ns: u64,
    /// Frames that both have.
    pub same_frames: u64,
    /// Requests that both have answered.
    pub requests: u64,
    /// Clients of these; one that has channels of one SMB session at several addresses is one.
    pub clients: u64,
    /// Requests that the capture at the clients has answered, and the other has not.
    pub only_at_clients: u64,
    /// Requests that were not answered at the clients.
    pub unanswered: u64,
    /// The time in which clients waited for those. It is part of the times below.
    pub in_vain: InVain,
    /// Who has most of the time, if it can be told.
    pub finding: Finding,
    /// Between requests, at the clients, and while others waited for one, ns.
    pub client_ns: u64,
    /// Of that, in requests that waited until another client gave an oplock or a lease back, ns.
    pub held_ns: u64,
    /// On the way between both captures, lost frames included, ns.
    pub way_ns: u64,
    /// From the whole request to the response, at the servers, ns.
    pub server_ns: u64,
    /// Of requests that one capture alone has, or that nobody answered, ns: nobody's.
    pub unknown_ns: u64,
    /// Pauses that count as idle, ns; no part of the active time.
    pub idle_ns: u64,
    /// In waits by design while nothing else was outstanding, ns; no part of the active time.
    pub waiting_ns: u64,
    /// Of the way, that of requests of which a frame was lost between the two, ns; and how many.
    pub lost_ns: u64,
    /// Those requests.
    pub with_losses: u64,
    /// What a request spent on the way: least, median, most, ns.
    pub way_of_a_request: [u64; 3],
    /// What its turnaround was at the servers, likewise.
    pub turnaround: [u64; 3],
    /// Frames to the servers.
    pub to_servers: LostFrames,
    /// Frames to the clients.
    pub to_clients: LostFrames,
    /// By client, server and operation.
    pub rows: Vec<BetweenRow>,
    /// Frames and requests that were not looked at because there are too many.
    pub left_out: u64,
}

/// When a frame was lost, and between which client and which server.
pub(super) type LostMoment = (Timestamp, (Endpoint, Endpoint));

/// Lost frames that are listed.
const LISTED: usize = 8;

impl Between {
    /// Joins two captures. A pause longer than `think_ns` is idle time.
    ///
    /// # Errors
    /// [`Unjoined`].
    pub fn of(
        first: (&FramesSeen, &RequestsSeen),
        second: (&FramesSeen, &RequestsSeen),
        think_ns: i64,
    ) -> Result<Self, Unjoined> {
        let cut = first.0.cut || second.0.cut;
        let same = SameFrames::of(&first.0.frames, &second.0.frames, cut);
        let same_frames = same.of_first.iter().flatten().count() as u64;
        if same_frames == 0 {
            return Err(Unjoined::NoFrame);
        }
        let numbers = Numbers::of(first.0, second.0, &same);
        let pairs = numbers.requests(&first.1.requests, &second.1.requests);
        let (mut all, mut longer) = (0u64, [0u64; 2]);
        for (a, b) in &pairs {
            let both = (&first.1.requests[*a], &second.1.requests[*b]);
            if let (Some(here), Some(there)) = (took(both.0), took(both.1)) {
                all += 1;
                longer[0] += u64::from(here > there);
                longer[1] += u64::from(there > here);
            }
        }
        if all == 0 {
            return Err(Unjoined::NoRequest);
        }
        if longer[0].max(longer[1]) * 1000 < all * LONGER {
            return Err(Unjoined::OnePlace);
        }
        let first_at_clients = longer[0] > longer[1];
        let swapped: HashMap<usize, usize> = match first_at_clients {
            true => pairs,
            false => pairs.into_iter().map(|(a, b)| (b, a)).collect(),
        };
        let (clients, servers, of_clients, of_servers) = match first_at_clients {
            true => (first, second, &same.of_first, &same.of_second),
            false => (second, first, &same.of_second, &same.of_first),
        };
        // Those that have others like them may have been taken for another.
        let sure = match first_at_clients {
            true => same.sure.clone(),
            false => inverted(&same.sure, clients.0.frames.len()),
        };
        let mut between = Self {
            first_at_clients,
            clocks: None,
            clocks_moved_ns: 0,
            same_frames,
            requests: 0,
            clients: 0,
            only_at_clients: 0,
            unanswered: 0,
            in_vain: InVain::default(),
            finding: Finding::None,
            client_ns: 0,
            held_ns: 0,
            way_ns: 0,
            server_ns: 0,
            unknown_ns: 0,
            idle_ns: 0,
            waiting_ns: 0,
            lost_ns: 0,
            with_losses: 0,
            way_of_a_request: [0; 3],
            turnaround: [0; 3],
            to_servers: LostFrames::default(),
            to_clients: LostFrames::default(),
            rows: Vec::new(),
            left_out: first.0.more + second.0.more + first.1.more + second.1.more,
        };
        let ends = Ends::of(clients.1, servers.1, &swapped);
        let moments = between.frames([clients.0, servers.0], [of_clients, of_servers], &ends);
        let last = clients.0.frames.last().map(|frame| frame.at);
        let clocks = match clocks(clients.0, servers.0, &sure, &ends) {
            Some(Ok(clocks)) => Some(clocks),
            Some(Err(moved_ns)) => {
                between.clocks_moved_ns = moved_ns;
                None
            }
            None => None,
        };
        between.clocks = clocks.map(|clocks| match first_at_clients {
            true => clocks,
            false => clocks.turned(),
        });
        let rows = BetweenRows::new(clocks);
        let known = (&moments[..], last, think_ns);
        let rows = between.time(clients.1, servers.1, &swapped, known, rows);
        between.rows = rows.found();
        between.finding = between.finding();
        Ok(between)
    }

    /// The base of all shares.
    #[must_use]
    pub fn active_ns(&self) -> u64 {
        [self.client_ns, self.way_ns, self.server_ns, self.unknown_ns]
            .into_iter()
            .fold(0, u64::saturating_add)
    }

    /// One had more than any other can have had, who may have all that is unknown.
    fn finding(&self) -> Finding {
        let mut parts = [
            (self.client_ns, Culprit::Client),
            (self.way_ns, Culprit::Network),
            (self.server_ns, Culprit::Server),
        ];
        if self.requests < ENOUGH || self.unknown_ns.saturating_mul(3) > self.active_ns() {
            return Finding::None;
        }
        parts.sort_by_key(|(ns, _)| std::cmp::Reverse(*ns));
        let [(most, one), (next, two), _] = parts;
        if most > next.saturating_add(self.unknown_ns) {
            return Finding::Named(one);
        }
        match (one as usize) < two as usize {
            true => Finding::Either(one, two),
            false => Finding::Either(two, one),
        }
    }

    /// Counts the frames of one capture alone, and gives when each of them was sent, by the clock of the
    /// capture at the clients.
    fn frames(
        &mut self,
        [clients, servers]: [&FramesSeen; 2],
        [of_clients, of_servers]: [&[Option<u32>]; 2],
        ends: &Ends,
    ) -> Vec<LostMoment> {
        let mut moments = Vec::new();
        let span = |same: &[Option<u32>]| {
            let first = same.iter().position(Option::is_some);
            let last = same.iter().rposition(Option::is_some);
            first.zip(last)
        };
        let stations = [ends.numbers(clients), ends.numbers(servers)];
        let way = |which: usize, frame: &FrameSight| {
            let known = stations[which].get(&frame.ends).copied();
            known.map(|(forth, ends)| ConnectionWay::of(forth, ends, frame.segment))
        };
        let by_bytes = ByBytes::of([clients, servers], [of_clients, of_servers], way);
        for (which, (seen, same)) in [(clients, of_clients), (servers, of_servers)]
            .into_iter()
            .enumerate()
        {
            let Some((from, to)) = span(same) else {
                continue;
            };
            // What lies before the first frame that both have, or behind the last, the other
            // capture may not have been made for.
            let frames = seen.frames.iter().zip(same).enumerate();
            for (place, (frame, known)) in frames.take(to + 1).skip(from) {
                let Some((forth, ends)) = stations[which].get(&frame.ends).copied() else {
                    continue;
                };
                let lost = match forth {
                    true => &mut self.to_servers,
                    false => &mut self.to_clients,
                };
                let combined = frame.segment.is_some_and(|segment| segment.each > 0);
                lost.combined += u64::from(combined);
                // Of frames that offload had put together or cut, those on the wire.
                let missing = match known {
                    Some(_) => 0,
                    None => by_bytes.missing(which, place).unwrap_or(1),
                };
                // Frames to the servers come from the capture at the clients.
                if forth == (which == 0) {
                    if seen.is_copy(place) {
                        continue;
                    }
                    lost.sent += frame.segment.map_or(1, |segment| segment.on_wire());
                    if missing > 0 {
                        lost.lost += missing;
                        if lost.first.len() < LISTED {
                            lost.first.push(frame.number);
                        }
                        let other = [of_clients, of_servers][which];
                        let others = [servers, clients][which];
                        let at = match which {
                            0 => Some(frame.at),
                            _ => moved(seen, others, other, place),
                        };
                        moments.extend(at.map(|at| (at, ends)));
                    }
                } else {
                    lost.unseen += missing;
                }
            }
        }
        moments.sort_unstable();
        moments
    }
}

/// What a request took at a place.
fn took(request: &RequestSight) -> Option<i64> {
    Some(request.response?.last.at.since(request.request.first.at))
}

/// When a frame of the capture at the servers would have been seen at the clients: by the nearest frame
/// before it that both have.
fn moved(
    seen: &FramesSeen,
    other: &FramesSeen,
    same: &[Option<u32>],
    place: usize,
) -> Option<Timestamp> {
    let known = (0..=place).rev().find(|at| same[*at].is_some())?;
    let there = other.frames.get(same[known]? as usize)?;
    let ahead = seen.frames[known].at.since(there.at);
    Some(seen.frames[place].at.plus(-ahead))
}

/// Clients and servers of the requests that both captures have.
struct Ends(Vec<(Endpoint, Endpoint)>);

impl Ends {
    fn of(clients: &RequestsSeen, servers: &RequestsSeen, pairs: &HashMap<usize, usize>) -> Self {
        let mut ends: Vec<(Endpoint, Endpoint)> = pairs
            .iter()
            .map(|(a, b)| (clients.requests[*a].client, servers.requests[*b].server))
            .collect();
        ends.sort_unstable();
        ends.dedup();
        Self(ends)
    }

    /// By sender and receiver, as a capture numbers them: whether the frame goes to the server, and the
    /// client and the server.
    fn numbers(&self, seen: &FramesSeen) -> HashMap<[u32; 2], (bool, (Endpoint, Endpoint))> {
        let known = |ends: &(Endpoint, Endpoint)| {
            let [from, to] = [seen.station_of(&ends.0)?, seen.station_of(&ends.1)?];
            Some([([from, to], (true, *ends)), ([to, from], (false, *ends))])
        };
        self.0.iter().filter_map(known).flatten().collect()
    }
}

/// The places of the second capture's frames in the first.
fn inverted(of_first: &[Option<u32>], of_second: usize) -> Vec<Option<u32>> {
    let mut places = vec![None; of_second];
    for (place, other) in (0u32..).zip(of_first) {
        if let Some(known) = other.and_then(|other| places.get_mut(other as usize)) {
            *known = Some(place);
        }
    }
    places
}

fn clocks(
    clients: &FramesSeen,
    servers: &FramesSeen,
    same: &[Option<u32>],
    ends: &Ends,
) -> Option<Result<Clocks, u64>> {
    let forth = ends.numbers(clients);
    let pair = |(frame, other): (&FrameSight, &Option<u32>)| {
        let other = servers.frames.get((*other)? as usize)?;
        Some((forth.get(&frame.ends)?.0, frame.at, other.at))
    };
    Clocks::of(clients.frames.iter().zip(same).filter_map(pair))
}

//! How many stations were active at each instant.
//!
//! A station is active from the first frame of a request to the last frame of its answer, and
//! on through a gap up to the think-time limit if another request follows. How a gap ends is
//! known only when it is over, so an instant is settled some time after it has passed.

use crate::rows::FewRows;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};
use wirewait_model::records::StationId;
use wirewait_wire::{Endpoint, Timestamp};

/// A request counts from its first byte, but is known when it is complete: so much later at
/// most, ns.
const LAG_NS: i64 = 500_000_000;
/// Stretches remembered behind the present one.
pub(super) const STRETCHES: usize = 16_384;
/// With this number more in the queue than were in it last, those are taken out that are gone.
const RESTING: usize = 1024;

/// A time in which the number of active stations did not change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stretch {
    pub(super) start: Timestamp,
    pub(super) end: Timestamp,
    pub(super) stations: u32,
}

impl Stretch {
    pub(super) fn ns(&self) -> u64 {
        u64::try_from(self.end.since(self.start)).unwrap_or(0)
    }
}

/// The only part of all for which a station counts (see `scopes`). It is active there as it is here,
/// and is followed here alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OnlyPart {
    /// What the part is found by.
    pub(super) number: u64,
    /// Its place among all; [`OnlyPart::NOWHERE`] as long as there is no part.
    pub(super) place: u8,
}

impl OnlyPart {
    pub(super) const NOWHERE: u8 = u8::MAX;
    /// It counts for several, each of which follows it, or for none. No part has this number.
    pub(super) const NONE: Self = Self {
        number: u64::MAX,
        place: Self::NOWHERE,
    };
}

#[derive(Clone)]
pub(super) struct Station {
    only: OnlyPart,
    outstanding: u32,
    /// Since when it is active.
    since: Timestamp,
    /// When its latest answer was complete; no earlier than `since`.
    idle_since: Timestamp,
    active: bool,
    /// It stands in the queue of those that may have become idle.
    queued: bool,
}

impl Default for Station {
    fn default() -> Self {
        Self {
            only: OnlyPart::NONE,
            outstanding: 0,
            since: Timestamp::default(),
            idle_since: Timestamp::default(),
            active: false,
            queued: false,
        }
    }
}

impl Station {
    /// It no longer waits for one of its requests. Whether it may become idle, and is not queued.
    #[inline]
    fn ends(&mut self, at: Timestamp) -> bool {
        if self.outstanding == 0 {
            // Its beginning went with an evicted station.
            return false;
        }
        self.outstanding -= 1;
        self.idle_since = self.idle_since.max(at);
        self.outstanding == 0 && !self.queued
    }

    /// It is active, and a request at this time leaves no gap that would end that.
    #[inline]
    fn goes_on(&self, at: Timestamp, think_ns: i64) -> bool {
        if !self.active || self.outstanding > 0 {
            return self.active;
        }
        match at.as_nanos().checked_sub(self.idle_since.as_nanos()) {
            Some(gap) => gap <= think_ns,
            None => is_before(at, self.idle_since),
        }
    }
}

/// Of stamps that lie too far apart to say how far.
#[cold]
fn is_before(at: Timestamp, other: Timestamp) -> bool {
    at < other
}

/// The number of active stations over time.
#[derive(Clone)]
pub(super) struct Activity {
    /// Of one server's many stations few may ask it for anything.
    stations: FewRows<Endpoint, Station>,
    /// Stations with nothing outstanding, by when they had at the earliest.
    resting: BinaryHeap<Reverse<(Timestamp, StationId)>>,
    /// With as many, those are looked for whose stations are not followed any more.
    most_resting: usize,
    /// Changes of the number that are not settled yet.
    edges: BTreeMap<Timestamp, i32>,
    /// Those of them that are changes in the only part of a station, by its place.
    passed_on: Vec<(u8, Timestamp, i32)>,
    stretches: VecDeque<Stretch>,
    /// The one that was found last.
    found: Option<Stretch>,
    /// Where the present stretch began.
    since: Option<Timestamp>,
    level: u32,
    think_ns: i64,
    /// Everything before is known.
    frontier: Timestamp,
    /// Up to when stretches are forgotten, if any is.
    gone: Option<Timestamp>,
    /// What ended so long ago that it is forgotten how many were active.
    pub(super) forgotten: u64,
}

impl Activity {
    pub(super) fn new(think_ns: i64) -> Self {
        Self {
            stations: FewRows::default(),
            resting: BinaryHeap::new(),
            most_resting: RESTING,
            edges: BTreeMap::new(),
            passed_on: Vec::new(),
            stretches: VecDeque::new(),
            found: None,
            since: None,
            level: 0,
            think_ns,
            frontier: Timestamp::from_nanos(i64::MIN),
            gone: None,
            forgotten: 0,
        }
    }

    /// A station waits for a request whose first byte came at `at`.
    pub(super) fn begins(&mut self, client: StationId, at: Timestamp) {
        self.begins_in(client, OnlyPart::NONE, at);
    }

    /// A station waits for a request, and has been active. The place of its only part, if that has
    /// this number.
    #[inline]
    pub(super) fn goes_on(&mut self, client: StationId, part: u64, at: Timestamp) -> Option<u8> {
        let think_ns = self.think_ns;
        let station = self.stations.known(client)?;
        if station.only.number != part || !station.goes_on(at, think_ns) {
            return None;
        }
        station.outstanding = station.outstanding.saturating_add(1);
        Some(station.only.place)
    }

    /// A station waits for a request. If it was not followed before, this is its only part.
    #[inline(never)]
    pub(super) fn begins_in(&mut self, client: StationId, only: OnlyPart, at: Timestamp) {
        let think_ns = self.think_ns;
        let is_new = self.stations.known(client).is_none();
        let mut gone = None;
        let Some(station) = self.stations.of(client, |before| gone = Some(before)) else {
            return;
        };
        if is_new {
            station.only = only;
        }
        let only = station.only;
        let goes_on = station.goes_on(at, think_ns);
        station.outstanding = station.outstanding.saturating_add(1);
        if goes_on {
            return;
        }
        let (idle_since, was_active) = (station.idle_since, station.active);
        station.active = true;
        // A request that began before the last answer was complete left no gap.
        let at = if was_active { at.max(idle_since) } else { at };
        station.since = at;
        station.idle_since = idle_since.max(at);
        if let Some(gone) = gone.filter(|gone| gone.active) {
            // The previous owner of the number is not followed any more.
            self.edge_of(gone.only, gone.idle_since, -1);
        }
        if was_active {
            self.edge_of(only, idle_since, -1);
        }
        self.edge_of(only, at, 1);
    }

    /// How many of its requests a station waits for.
    #[cold]
    pub(super) fn outstanding(&mut self, client: StationId) -> u32 {
        let station = self.stations.known(client);
        station.map_or(0, |station| station.outstanding)
    }

    /// A station no longer waits for one of its requests, since `at`.
    pub(super) fn ends(&mut self, client: StationId, at: Timestamp) {
        if let Some(station) = self.stations.known(client)
            && station.ends(at)
        {
            station.queued = true;
            let since = station.idle_since;
            self.may_rest(client, since);
        }
    }

    /// Likewise, if its only part has this number: whether it has.
    #[inline]
    pub(super) fn ends_in(&mut self, client: StationId, part: u64, at: Timestamp) -> bool {
        let station = self.stations.known(client);
        let Some(station) = station.filter(|station| station.only.number == part) else {
            return false;
        };
        if station.ends(at) {
            station.queued = true;
            let since = station.idle_since;
            self.may_rest(client, since);
        }
        true
    }

    /// A station that counted for another part than this alone: the place of that one, which is to
    /// [follow](Self::take_over) it itself from now on.
    pub(super) fn split(&mut self, client: StationId, part: u64) -> Option<(u8, Station)> {
        let station = self.stations.known(client)?;
        if station.only == OnlyPart::NONE || station.only.number == part {
            return None;
        }
        let only = std::mem::replace(&mut station.only, OnlyPart::NONE);
        Some((only.place, station.clone()))
    }

    /// Follows a station from here on.
    pub(super) fn take_over(&mut self, client: StationId, mut station: Station) {
        self.make_way(client);
        station.queued = station.active && station.outstanding == 0;
        let (queued, since) = (station.queued, station.idle_since);
        if let Some(row) = self.stations.of(client, drop) {
            *row = station;
            if queued {
                self.may_rest(client, since);
            }
        }
    }

    /// If a station had the number of this one, it is not followed any more.
    pub(super) fn make_way(&mut self, client: StationId) {
        if !self.stations.is_taken(client) {
            return;
        }
        let mut gone = None;
        self.stations.of(client, |before| gone = Some(before));
        if let Some(gone) = gone.filter(|gone| gone.active) {
            self.edge(gone.idle_since, -1);
        }
    }

    /// Whether a station is followed, but not for [one part](OnlyPart) alone.
    pub(super) fn is_shared(&mut self, client: StationId) -> bool {
        let station = self.stations.known(client);
        station.is_some_and(|station| station.only == OnlyPart::NONE)
    }

    /// The only parts of stations are elsewhere now, or are gone.
    pub(super) fn move_parts(&mut self, to: impl Fn(OnlyPart) -> OnlyPart) {
        for station in self.stations.iter_mut() {
            if station.only != OnlyPart::NONE {
                station.only = to(station.only);
            }
        }
    }

    /// Passes on what changed in the only parts of stations.
    pub(super) fn pass_on(&mut self, mut to: impl FnMut(u8, Timestamp, i32)) {
        for (place, at, change) in self.passed_on.drain(..) {
            to(place, at, change);
        }
    }

    /// What is settled and what waits, without any station that is followed.
    pub(super) fn without_stations(&self) -> Self {
        let mut same = self.clone();
        same.stations = FewRows::default();
        same.resting.clear();
        same.passed_on.clear();
        same
    }

    fn edge_of(&mut self, only: OnlyPart, at: Timestamp, change: i32) {
        if only.place != OnlyPart::NOWHERE {
            self.passed_on.push((only.place, at, change));
        }
        self.edge(at, change);
    }

    /// A station waits for nothing any more, since then.
    #[inline(never)]
    fn may_rest(&mut self, client: StationId, since: Timestamp) {
        if self.resting.len() >= self.most_resting {
            self.forget_gone();
        }
        self.resting.push(Reverse((since, client)));
    }

    /// All stations that were active.
    pub(super) fn stations(&self) -> impl Iterator<Item = StationId> {
        self.stations.iter().map(|(id, _)| id)
    }

    /// Takes those out of the queue whose numbers others have by now: no more of them are left
    /// than there are stations.
    #[cold]
    fn forget_gone(&mut self) {
        let stations = &mut self.stations;
        let mut resting = std::mem::take(&mut self.resting).into_vec();
        resting.retain(|Reverse((_, client))| stations.known(*client).is_some());
        self.most_resting = resting.len() * 2 + RESTING;
        self.resting = resting.into();
    }

    /// It is `now`: settles what can be known. Tells of each stretch that is over.
    pub(super) fn settle(&mut self, now: Timestamp, over: &mut impl FnMut(Stretch)) {
        let frontier = now.plus(-LAG_NS).plus(-self.think_ns);
        if frontier <= self.frontier {
            return;
        }
        self.frontier = frontier;
        while let Some(Reverse((since, client))) = self.resting.peek().copied()
            && since <= frontier
        {
            self.resting.pop();
            self.rest(client);
        }
        while let Some(edge) = self.edges.first_entry()
            && *edge.key() <= frontier
        {
            let (at, change) = edge.remove_entry();
            self.pass(at, change, over);
        }
    }

    /// Up to when everything is known.
    pub(super) fn frontier(&self) -> Timestamp {
        self.frontier
    }

    /// The stretch at whose end, or before, this instant lies; the present one ends where
    /// everything is known. `None` before the first and where it is forgotten.
    pub(super) fn at(&mut self, when: Timestamp) -> Option<Stretch> {
        if let Some(since) = self.since
            && (when > since || when == since && self.stretches.is_empty())
        {
            return Some(Stretch {
                start: since,
                end: self.frontier.max(when),
                stations: self.level,
            });
        }
        // They lie one behind the other, and most instants in the one that was found last.
        let is_in = |s: &Stretch| s.start < when && when <= s.end;
        if self.found.is_some_and(|s| is_in(&s)) {
            return self.found;
        }
        let n = self.stretches.partition_point(|s| s.end < when);
        let stretch = self.stretches.get(n).copied();
        self.found = stretch.filter(is_in);
        if self.gone.is_some_and(|gone| when <= gone) {
            self.forgotten = self.forgotten.saturating_add(1);
            return None;
        }
        stretch.filter(|s| s.start <= when)
    }

    /// A station in the queue has come to its turn.
    fn rest(&mut self, client: StationId) {
        let frontier = self.frontier;
        let Some(station) = self.stations.known(client) else {
            return;
        };
        station.queued = false;
        if station.outstanding > 0 || !station.active {
            return;
        }
        if station.idle_since > frontier {
            station.queued = true;
            self.resting.push(Reverse((station.idle_since, client)));
            return;
        }
        station.active = false;
        let (only, at) = (station.only, station.idle_since);
        self.edge_of(only, at, -1);
    }

    /// The number of active stations changes. What is known too late changes it now.
    pub(super) fn edge(&mut self, at: Timestamp, change: i32) {
        let at = self.since.map_or(at, |since| at.max(since));
        let sum = self.edges.entry(at).or_default();
        *sum += change;
        if *sum == 0 {
            self.edges.remove(&at);
        }
    }

    fn pass(&mut self, at: Timestamp, change: i32, over: &mut impl FnMut(Stretch)) {
        if let Some(start) = self.since
            && at > start
        {
            let stretch = Stretch {
                start,
                end: at,
                stations: self.level,
            };
            over(stretch);
            self.stretches.push_back(stretch);
            if self.stretches.len() > STRETCHES {
                let gone = self.stretches.pop_front();
                self.found.take_if(|found| Some(*found) == gone);
                self.gone = gone.map(|gone| gone.end);
            }
        }
        self.since = Some(at);
        let level = i64::from(self.level).saturating_add(change.into());
        self.level = u32::try_from(level).unwrap_or(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{id, later};
    use proptest::prelude::*;

    const THINK: i64 = 100;

    fn at(ns: i64) -> Timestamp {
        Timestamp::from_nanos(ns)
    }

    fn station(n: u8) -> StationId {
        id(n.into())
    }

    /// Start, end and stations of each stretch.
    fn stretches(activity: &mut Activity) -> Vec<(i64, i64, u32)> {
        let mut all = Vec::new();
        activity.settle(at(i64::MAX), &mut |s| {
            all.push((s.start.as_nanos(), s.end.as_nanos(), s.stations))
        });
        all
    }

    #[test]
    fn a_gap_up_to_the_limit_is_active_and_a_longer_one_is_not() {
        let mut activity = Activity::new(THINK);
        // 0-10, gap of 100, 110-120, gap of 101, 221-230.
        for (from, to) in [(0, 10), (110, 120), (221, 230)] {
            activity.begins(station(1), at(from));
            activity.ends(station(1), at(to));
        }
        assert_eq!(
            stretches(&mut activity),
            [(0, 120, 1), (120, 221, 0), (221, 230, 1)]
        );
    }

    #[test]
    fn stations_add_up() {
        let mut activity = Activity::new(THINK);
        activity.begins(station(1), at(0));
        activity.begins(station(2), at(5));
        activity.begins(station(2), at(6));
        activity.ends(station(2), at(20));
        activity.ends(station(1), at(30));
        activity.ends(station(2), at(50));
        assert_eq!(
            stretches(&mut activity),
            [(0, 5, 1), (5, 30, 2), (30, 50, 1)]
        );
    }

    #[test]
    fn an_instant_belongs_to_the_stretch_it_ends() {
        let mut activity = Activity::new(THINK);
        activity.begins(station(1), at(10));
        activity.ends(station(1), at(20));
        stretches(&mut activity);
        let mut level = |when| activity.at(at(when)).map(|s| s.stations);
        assert_eq!(level(9), None);
        assert_eq!(
            (level(10), level(15), level(20)),
            (Some(1), Some(1), Some(1))
        );
    }

    #[test]
    fn what_is_known_too_late_counts_from_when_it_is_known() {
        let mut activity = Activity::new(THINK);
        activity.begins(station(1), at(0));
        activity.begins(station(2), at(0));
        activity.ends(station(2), at(10));
        activity.settle(at(10_000_000_000), &mut |_| {});
        // The end of the first one's request is told late, before what is settled.
        activity.ends(station(1), at(5));
        assert_eq!(stretches(&mut activity), []);
        assert_eq!(activity.at(at(7)).map(|s| s.stations), Some(2));
    }

    #[test]
    fn a_station_whose_number_was_given_away_is_active_no_more() {
        let mut activity = Activity::new(THINK);
        activity.begins(station(1), at(1));
        activity.begins(later(station(1)), at(5));
        activity.settle(at(10_000_000_000), &mut |_| {});
        assert_eq!(activity.level, 1);
    }

    #[test]
    fn stations_that_are_gone_do_not_fill_the_queue() {
        let mut activity = Activity::new(THINK);
        let stays = station(2);
        activity.begins(stays, at(0));
        activity.ends(stays, at(5));
        let mut comes = station(1);
        for n in 0..20 * RESTING as i64 {
            activity.begins(comes, at(n));
            activity.ends(comes, at(n + 1));
            comes = later(comes);
            assert!(activity.resting.len() <= RESTING + 4, "after {n}");
        }
        // Both were active, each until its end.
        activity.settle(at(10_000_000_000), &mut |_| {});
        assert_eq!(activity.level, 0);
        assert!(activity.resting.is_empty());
    }

    proptest! {
        /// Stretches lie one behind the other without a gap, from the first beginning to the
        /// last end, and each has as many stations as the definition says.
        #[test]
        fn stretches_cover_the_elapsed_time(
            raw in prop::collection::vec((0u8..4, 0i64..400, 1i64..200), 1..40),
            step in 1i64..3_000_000_000,
        ) {
            // Each station has one request at a time.
            let mut free = [0i64; 4];
            let mut events = Vec::new();
            let mut active: Vec<Vec<(i64, i64)>> = vec![Vec::new(); 4];
            for (n, gap, length) in raw {
                let from = free[usize::from(n)] + gap;
                let to = from + length;
                free[usize::from(n)] = to;
                events.push((from, 0, n));
                events.push((to, 1, n));
                match active[usize::from(n)].last_mut() {
                    Some((_, end)) if from - *end <= THINK => *end = to,
                    _ => active[usize::from(n)].push((from, to)),
                }
            }
            events.sort_unstable();
            let mut activity = Activity::new(THINK);
            let mut found = Vec::new();
            for (when, ends, n) in &events {
                if *ends == 1 {
                    activity.ends(station(*n), at(*when));
                } else {
                    activity.begins(station(*n), at(*when));
                }
                activity.settle(at(when - when % step), &mut |s| found.push(s));
            }
            activity.settle(at(i64::MAX), &mut |s| found.push(s));
            prop_assert_eq!(found[0].start.as_nanos(), events[0].0);
            let last = events.iter().map(|e| e.0).max().unwrap_or(0);
            prop_assert_eq!(found[found.len() - 1].end.as_nanos(), last);
            for pair in found.windows(2) {
                prop_assert_eq!(pair[0].end, pair[1].start);
            }
            for s in found {
                let middle = (s.start.as_nanos() + s.end.as_nanos()) as f64 / 2.0;
                let level = active
                    .iter()
                    .flatten()
                    .filter(|(from, to)| (*from as f64) <= middle && middle < *to as f64)
                    .count();
                prop_assert_eq!(s.stations as usize, level);
            }
        }
    }
}

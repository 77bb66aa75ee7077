//! How the time of the clients is shared out, with the turnarounds of the servers' capture.

use super::in_vain::{IN_VAIN_NS, InVain};
use super::joined::{Between, LostMoment};
use super::rows::{BetweenRows, RequestSlices};
use super::sights::{RequestSight, RequestsSeen};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use wirewait_analysis::PauseParts;
use wirewait_wire::{Endpoint, Timestamp};

impl Between {
    /// Shares out the time of each client.
    pub(super) fn time(
        &mut self,
        clients: &RequestsSeen,
        servers: &RequestsSeen,
        pairs: &HashMap<usize, usize>,
        (lost, last, think_ns): (&[LostMoment], Option<Timestamp>, i64),
        mut rows: BetweenRows,
    ) -> BetweenRows {
        let mut of_client: BTreeMap<Endpoint, Vec<usize>> = BTreeMap::new();
        // What either capture shows to be one machine is.
        let client = |station: Endpoint| {
            let mut known = [clients, servers].into_iter();
            let first = known.find_map(|seen| seen.channels().get(&station));
            first.copied().unwrap_or(station)
        };
        for (place, request) in clients.requests.iter().enumerate() {
            let places = of_client.entry(client(request.client)).or_default();
            places.push(place);
        }
        let mut all_waits = clients.waits(client);
        // Who never has a response may ask nobody in particular, or be answered elsewhere.
        let answered = clients.requests.iter().filter(|of| of.response.is_some());
        let answered: BTreeSet<(Endpoint, Endpoint)> =
            answered.map(|of| (of.client, of.server)).collect();
        let (mut ways, mut turnarounds) = (Vec::new(), Vec::new());
        for (client, places) in &mut of_client {
            let mut waits = PausesBetween::of(all_waits.remove(client));
            places.sort_by_key(|place| clients.requests[*place].request.first.at);
            let mut until: Option<Timestamp> = None;
            // Which server's response that was, and when it ended there.
            let mut before: Option<(Endpoint, Timestamp)> = None;
            let mut any = false;
            let mut follows = BTreeMap::new();
            let next: Vec<Option<Timestamp>> = (places.iter().rev())
                .map(|place| {
                    let request = &clients.requests[*place];
                    follows.insert(request.server, request.request.first.at)
                })
                .collect();
            for (place, next) in places.iter().zip(next.into_iter().rev()) {
                let request = &clients.requests[*place];
                let ends = (request.client, request.server);
                if request.response.is_none() && !answered.contains(&ends) {
                    self.unanswered += 1;
                    continue;
                }
                let begin = request.request.first.at;
                let end = match request.response {
                    Some(response) => response.last.at,
                    None => begin.plus(IN_VAIN_NS).min(next.or(last).unwrap_or(begin)),
                };
                let end = request.lost_until.map_or(end, |until| until.max(end));
                let mut slices = RequestSlices::default();
                if let Some(until) = until {
                    let parts = waits.parts((until, begin), think_ns);
                    slices.client = parts.client;
                    self.idle_ns += parts.idle;
                    self.waiting_ns += parts.waiting;
                }
                self.client_ns += slices.client;
                let from = until.map_or(begin, |until| until.max(begin));
                let owns = until.is_none_or(|until| end > until);
                until = Some(until.map_or(end, |until| until.max(end)));
                let owned = positive(end.since(from));
                let other = pairs.get(place).map(|other| &servers.requests[*other]);
                if request.response.is_none() {
                    before = before.filter(|_| !owns);
                    let at = lost.partition_point(|(at, _)| *at < begin);
                    let mut sent = lost[at..].iter().take_while(|(at, _)| *at == begin);
                    let is_lost = sent.any(|(_, of)| *of == ends);
                    let waited = request.unanswered && next.is_some();
                    let vain = InVain::of(owned, other, (waited, is_lost));
                    self.waited_in_vain(&vain);
                    (slices.way, slices.server, slices.unknown) =
                        (vain.way_ns, vain.server_ns, vain.unknown_ns);
                    rows.add((*client, request), None, slices);
                    continue;
                }
                let waited = (from > begin).then_some(before).flatten();
                if owns {
                    let ended =
                        other.and_then(|other| Some((other.server, other.response?.last.at)));
                    let last = request.response.map(|response| response.last.at);
                    before = ended.filter(|_| last == Some(end));
                }
                let Some((t2, t3)) = other.and_then(|other| served(request, other)) else {
                    self.only_at_clients += 1;
                    self.unknown_ns += owned;
                    slices.unknown = owned;
                    rows.add((*client, request), None, slices);
                    continue;
                };
                any = true;
                self.requests += 1;
                // Behind a response of the same server, the server had it since that was sent.
                let behind = other.and_then(|other| in_hand(other, waited?));
                let served = behind.unwrap_or_else(|| positive(t3.min(end).since(t2.max(from))));
                slices.server = served.min(owned);
                slices.way = owned - slices.server;
                let held = other.map_or(0, |other| servers.held_ns(other));
                let held = held.min(slices.server);
                slices.server -= held;
                slices.client += held;
                self.client_ns += held;
                self.held_ns += held;
                self.server_ns += slices.server;
                self.way_ns += slices.way;
                let turnaround = positive(t3.since(t2));
                let way = positive(end.since(begin)).saturating_sub(turnaround);
                ways.push(way);
                turnarounds.push(turnaround);
                let known = (request.client, request.server);
                let at = lost.partition_point(|(at, _)| *at < begin);
                let within = lost[at..].iter().take_while(|(at, _)| *at <= end);
                if within.into_iter().any(|(_, of)| *of == known) {
                    self.with_losses += 1;
                    self.lost_ns += slices.way;
                    slices.with_losses = true;
                }
                rows.add((*client, request), other, slices);
            }
            self.clients += u64::from(any);
        }
        self.way_of_a_request = spread(ways);
        self.turnaround = spread(turnarounds);
        rows
    }

    fn waited_in_vain(&mut self, vain: &InVain) {
        self.unanswered += 1;
        self.way_ns += vain.way_ns;
        self.server_ns += vain.server_ns;
        self.unknown_ns += vain.unknown_ns;
        self.in_vain.add(vain);
    }
}

/// The pauses of a client, and its waits by design.
struct PausesBetween {
    /// By when they began; those behind `next` did later than what was asked about.
    all: Vec<WaitSpan>,
    next: usize,
    /// Those before that which are not over.
    on: Vec<WaitSpan>,
}

/// From when to when a wait by design lasted; without an end it goes on.
pub(super) type WaitSpan = (Timestamp, Option<Timestamp>);

impl PausesBetween {
    fn of(waits: Option<Vec<WaitSpan>>) -> Self {
        Self {
            all: waits.unwrap_or_default(),
            next: 0,
            on: Vec::new(),
        }
    }

    /// Shares out a pause that comes behind all before.
    fn parts(&mut self, (from, to): (Timestamp, Timestamp), think_ns: i64) -> PauseParts {
        let new = self.all[self.next..].iter();
        let new = new.take_while(|(began, _)| *began < to);
        self.on.extend(new);
        self.next += self.all[self.next..].partition_point(|(began, _)| *began < to);
        self.on.retain(|(_, end)| end.is_none_or(|end| end > from));
        PauseParts::of((from, to), &self.on, think_ns)
    }
}

/// When the turnaround of a request began and ended at the servers, by the clock of the capture at the
/// clients. The way is what it took there beyond that; half of it lies before the turnaround, as far
/// as anyone knows.
fn served(here: &RequestSight, there: &RequestSight) -> Option<(Timestamp, Timestamp)> {
    let (response, answer) = (here.response?, there.response?);
    let (t2, t3) = (there.request.last.at, answer.first.at);
    let forth = there.request.first.at.since(here.request.first.at);
    let back = response.last.at.since(answer.last.at);
    // The clock of the other capture is ahead by so much, if both directions take as long.
    let ahead = (forth - back) / 2;
    (t3 >= t2).then(|| (t2.plus(-ahead), t3.plus(-ahead)))
}

/// How long the server had a request since it had sent the response before, by its own clock.
fn in_hand(there: &RequestSight, (server, sent): (Endpoint, Timestamp)) -> Option<u64> {
    let answer = there.response?.first.at;
    (there.server == server).then(|| positive(answer.since(there.request.last.at.max(sent))))
}

pub(super) fn positive(ns: i64) -> u64 {
    u64::try_from(ns).unwrap_or(0)
}

/// Least, median and most.
pub(super) fn spread(mut values: Vec<u64>) -> [u64; 3] {
    values.sort_unstable();
    let at = |place: usize| values.get(place).copied().unwrap_or(0);
    let last = values.len().saturating_sub(1);
    [at(0), at(last / 2), at(last)]
}

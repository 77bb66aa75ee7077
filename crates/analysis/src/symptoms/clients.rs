//! Clients that wait for each other, and those that fare worse than the rest.

use super::evidence::{Against, Base, Book, Sight, Sights};
use super::rule::{Limit, Rule, Severity, Subject, Whose};
use super::watchers::{Watcher, WatcherLook, operation};
use super::{Threshold, Thresholds};
use crate::bounds::{Bound, Hits};
use crate::breaks::{BreakWaiter, TakenBack, is_exempt};
use crate::case::Case;
use crate::stalls::GivenBack;
use crate::table::TablePlace;
use crate::{Fidelity, Flags, Mark, Outcome, ServerRow, Transaction};
use std::collections::{BTreeMap, VecDeque};
use wirewait_model::records::LineTimes;
use wirewait_wire::{Effects, Endpoint, Kind, Timestamp};

pub(super) static BREAK_WAIT: Rule = Rule {
    id: "break_waits",
    severity: Severity::Symptom,
    whose: Whose::Server,
    counts: "requests that waited for an oplock or lease break of another client",
    limit: Limit::Beyond(Threshold::BreakWait),
    costly: false,
    covers: &[],
};

pub(super) static SLOW_BREAK: Rule = Rule {
    id: "slow_break",
    severity: Severity::Symptom,
    whose: Whose::Client,
    counts: "oplock and lease breaks acknowledged later than slow_break_ms, or never",
    limit: Limit::Beyond(Threshold::SlowBreak),
    costly: false,
    covers: &[],
};

pub(super) static QUEUEING: Rule = Rule {
    id: "queueing",
    severity: Severity::Symptom,
    whose: Whose::Server,
    counts: "responses to pipelined requests, and their time behind others",
    limit: Limit::Mean {
        of: Base::Queued,
        at: Threshold::Queueing,
        minimum: Threshold::MinimumRequests,
    },
    costly: false,
    covers: &[],
};

pub(super) static FLUCTUATION: Rule = Rule {
    id: "fluctuating_server",
    severity: Severity::Symptom,
    whose: Whose::Own,
    counts: "responses of an operation of which one in twenty takes many times the median",
    limit: Limit::Beyond(Threshold::Fluctuation),
    costly: false,
    covers: &[],
};

pub(super) static STARVING: Rule = Rule {
    id: "starving_client",
    severity: Severity::Diagnosis,
    whose: Whose::Own,
    counts: "reads that took many times as long as those of the other clients",
    limit: Limit::Beyond(Threshold::Starving),
    costly: false,
    covers: &[],
};

pub(super) static WATCHERS: &[Watcher] = &[
    Watcher {
        rule: &QUEUEING,
        look: queued,
        word: operation,
    },
    Watcher {
        rule: &SLOW_BREAK,
        look: slow_break,
        word: operation,
    },
];

fn queued(t: &Transaction, _: &Thresholds) -> Option<WatcherLook> {
    let own = super::answers::own_turnaround(t)?;
    let whole = t.turnaround.exact()?;
    let sight = Sight::between(t.request?.last, t.response?.first);
    let pipelined = t.flags.contains(Flags::PIPELINED);
    // What is its own comes behind the others'.
    let until = sight.to.at.plus(own.saturating_neg());
    pipelined.then(|| WatcherLook::For(sight.costing(whole - own).until(until)))
}

fn slow_break(t: &Transaction, thresholds: &Thresholds) -> Option<WatcherLook> {
    (t.kind == Kind::Break).then_some(())?;
    let request = t.request?;
    let limit = thresholds.ns(Threshold::SlowBreak);
    // Those who wait for it have the cost.
    match (t.outcome, t.response) {
        (Outcome::Unanswered, _) => {
            let sight = Sight::at(request.last);
            Some(match super::answers::excuse(t) {
                Some(why) => WatcherLook::Against(why, sight),
                None => WatcherLook::For(sight),
            })
        }
        (_, Some(response)) if t.times()?.turnaround > limit => Some(WatcherLook::For(
            Sight::between(request.last, response.first),
        )),
        _ => None,
    }
}

/// The file of a request, if it has a name.
fn file(case: Case<'_>) -> Option<TablePlace> {
    case.parties.named.and_then(|named| named.labels[2])
}

/// The latest promises that servers took back.
#[derive(Debug, Default)]
pub(super) struct Breaks {
    latest: VecDeque<GivenBack>,
    /// From when on they are remembered, if some are forgotten.
    since: Option<Timestamp>,
    pub(super) hits: Hits,
}

/// Breaks that are remembered at most.
const BREAKS: usize = 32;
impl Breaks {
    /// A promise is to be given back.
    #[cold]
    pub(super) fn took_back(&mut self, case: Case<'_>) {
        if let Some(request) = case.transaction.request {
            self.remember(case, request.last, request.last);
        }
    }

    /// A promise was given back.
    #[cold]
    pub(super) fn gave_back(&mut self, case: Case<'_>) {
        let t = case.transaction;
        let (Some(request), Some(response)) = (t.request, t.response) else {
            return;
        };
        let mut latest = self.latest.iter_mut().rev();
        match latest.find(|known| known.of.from == request.last && known.holder == t.client) {
            Some(known) => (known.of.to, known.of.file) = (response.first, file(case)),
            None => self.remember(case, request.last, response.first),
        }
    }

    fn remember(&mut self, case: Case<'_>, from: Mark, to: Mark) {
        let t = case.transaction;
        if self.latest.len() == BREAKS {
            let gone = self.latest.pop_front();
            self.since = self.since.max(gone.map(|gone| gone.of.from.at));
        }
        let of = TakenBack {
            server: t.server.station(),
            file: file(case),
            from,
            to,
        };
        self.latest.push_back(GivenBack {
            of,
            holder: t.client,
            at: case.parties.client,
            pair: case.parties.pair,
            lease: t.effects.has(Effects::LEASES),
            word: t.operation.name,
            in_vain: false,
            told: false,
        });
    }

    /// For which of them this transaction waited: the longest between its request and its response.
    #[inline]
    pub(super) fn awaited(&self, case: Case<'_>) -> Option<GivenBack> {
        match self.latest.is_empty() {
            true => None,
            false => self.longest(case),
        }
    }

    #[cold]
    #[inline(never)]
    fn longest(&self, case: Case<'_>) -> Option<GivenBack> {
        let t = case.transaction;
        let moments = [t.request?.last, t.response?.first];
        let waits = BreakWaiter::of((t.kind, t.server.station()), file(case), moments)?;
        let waited = self.latest.iter().filter_map(|given| {
            let to = waits.waited_for(&given.of)?;
            let of = TakenBack { to, ..given.of };
            let in_vain = !given.of.is_given();
            Some(GivenBack {
                of,
                in_vain,
                ..*given
            })
        });
        let by_length = |given: &GivenBack| (given.of.ns(), std::cmp::Reverse(given.of.from.frame));
        waited
            .max_by_key(by_length)
            .filter(|given| given.of.ns() > 0)
    }

    /// A break is closed. Whether it was said already that it comes late, or not at all; if nobody acknowledged it, that is said
    /// now.
    #[cold]
    pub(super) fn is_told(&mut self, t: &Transaction) -> bool {
        let mut latest = self.latest.iter_mut().rev();
        let known = t.request.and_then(|request| {
            latest.find(|known| known.of.from == request.last && known.holder == t.client)
        });
        let in_vain = t.outcome == Outcome::Unanswered;
        // Whether somebody waits for it shows when those are closed.
        let at_end = in_vain && t.flags.contains(Flags::OPEN_AT_END);
        known.is_some_and(|known| {
            let told = known.told || at_end;
            known.told |= in_vain && super::answers::excuse(t).is_none();
            told
        })
    }

    /// That this one comes late, or not at all, is said now; whether it was not before.
    #[cold]
    pub(super) fn tells(&mut self, given: &GivenBack) -> bool {
        let mut latest = self.latest.iter_mut().rev();
        let known = latest.find(|known| {
            known.of.from == given.of.from && known.holder == given.holder && !known.told
        });
        known.map(|known| known.told = true).is_some()
    }

    /// For which of them this transaction still waited when the capture ended, at `end`: the first that is late by then.
    #[cold]
    pub(super) fn awaited_at_end(
        &self,
        case: Case<'_>,
        end: Timestamp,
        thresholds: &Thresholds,
    ) -> Option<GivenBack> {
        let t = case.transaction;
        let request = t.request?.last;
        let last = Mark { at: end, ..request };
        let waits = BreakWaiter::of((t.kind, t.server.station()), file(case), [request, last])?;
        let late = thresholds.ns(Threshold::SlowBreak);
        let mut latest = self.latest.iter();
        let found = latest.find(|given| {
            let is_late = end.since(given.of.from.at) > late;
            !given.of.is_given() && is_late && waits.waited_for(&given.of).is_some()
        });
        found.map(|given| GivenBack {
            of: TakenBack {
                to: given.of.from,
                ..given.of
            },
            in_vain: true,
            ..*given
        })
    }

    /// How long this transaction waited for one of them, ns.
    #[inline]
    pub(super) fn closed(&mut self, case: Case<'_>, thresholds: &Thresholds) -> i64 {
        match self.latest.is_empty() {
            true => 0,
            false => self.waited(case, thresholds),
        }
    }

    #[cold]
    #[inline(never)]
    fn waited(&mut self, case: Case<'_>, thresholds: &Thresholds) -> i64 {
        let found = self.longest(case);
        let t = case.transaction;
        // It may have waited for one that is forgotten.
        if found.is_none()
            && !is_exempt(t.kind)
            && let (Some(request), Some(response), Some(since)) =
                (t.request, t.response, self.since)
            && request.last.at <= since
            && request
                .last
                .until(response.first)
                .is_some_and(|ns| ns >= thresholds.ns(Threshold::BreakWait))
        {
            self.hits.hit(Bound::Breaks);
        }
        found.map_or(0, |given| given.of.ns())
    }
}

/// Response times of the reads of one client at one server.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Mean {
    n: u64,
    total_ns: u64,
    bytes: u64,
    hops: u8,
    slowest: Option<Sight>,
}

impl Mean {
    /// A request that was answered is closed, which took so long.
    pub(super) fn closed(&mut self, t: &Transaction, took: &LineTimes) {
        if t.kind != Kind::Read {
            return;
        }
        let cost_ns = u64::try_from(took.response_ns).unwrap_or(0);
        self.n += 1;
        self.total_ns = self.total_ns.saturating_add(cost_ns);
        self.bytes = self.bytes.saturating_add(t.data_bytes);
        self.hops = self.hops.max(t.hops.unwrap_or(0));
        if self.slowest.is_none_or(|s| s.cost_ns < cost_ns)
            && let (Some(request), Some(response)) = (t.request, t.response)
        {
            let sight = Sight::between(request.first, response.last);
            self.slowest = Some(sight.costing(took.response_ns));
        }
    }

    fn mean(&self) -> u64 {
        self.total_ns / self.n.max(1)
    }

    fn size(&self) -> u64 {
        self.bytes / self.n.max(1)
    }
}

/// The reads of all clients of a server together, so that those of all but one are known without
/// adding them up for each.
#[derive(Default)]
struct Reads {
    clients: usize,
    n: u64,
    total_ns: u128,
    bytes: u128,
    /// The most hops, and how many clients have as many.
    hops: u8,
    farthest: usize,
}

impl Reads {
    fn add(&mut self, one: &Mean) {
        self.clients += 1;
        self.n += one.n;
        self.total_ns += u128::from(one.total_ns);
        self.bytes += u128::from(one.bytes);
        if one.hops > self.hops {
            (self.hops, self.farthest) = (one.hops, 0);
        }
        self.farthest += usize::from(one.hops == self.hops);
    }

    /// Those of all but this one.
    fn without(&self, one: &Mean) -> Mean {
        let rest = |all: u128, one: u64| u64::try_from(all - u128::from(one)).unwrap_or(u64::MAX);
        Mean {
            n: self.n - one.n,
            total_ns: rest(self.total_ns, one.total_ns),
            bytes: rest(self.bytes, one.bytes),
            ..Mean::default()
        }
    }

    /// Whether this one is farther away than all others.
    fn is_farthest(&self, one: &Mean) -> bool {
        one.hops > 0 && one.hops == self.hops && self.farthest == 1
    }
}

/// Other clients that there have to be.
const OTHERS: usize = 2;

/// Clients whose reads take many times as long as those of the others at the same server.
pub(super) fn starving(
    pairs: impl Iterator<Item = ((Endpoint, Endpoint), Mean)>,
    thresholds: &Thresholds,
    found: &mut dyn FnMut(Subject, &Book),
) {
    let minimum = thresholds.get(Threshold::MinimumRequests);
    let factor = thresholds.get(Threshold::Starving).max(1);
    let mut servers: BTreeMap<Endpoint, Vec<(Endpoint, Mean)>> = BTreeMap::new();
    for ((client, server), mean) in pairs.filter(|(_, mean)| mean.n >= minimum.max(1)) {
        servers.entry(server).or_default().push((client, mean));
    }
    for (server, clients) in servers {
        let mut together = Reads::default();
        clients.iter().for_each(|(_, mean)| together.add(mean));
        if together.clients <= OTHERS {
            continue;
        }
        for (client, mine) in &clients {
            let all = together.without(mine);
            let usual = all.mean();
            // So many times as large may take so many times as long.
            let larger = mine.size() / all.size().max(1);
            let limit = usual.saturating_mul(factor).saturating_mul(larger.max(1));
            let Some(sight) = mine.slowest.filter(|_| mine.mean() > limit) else {
                continue;
            };
            let cost = mine.total_ns.saturating_sub(usual.saturating_mul(mine.n));
            let mut sights = Sights::default();
            sights.add(
                &Sight {
                    cost_ns: cost,
                    ..sight
                },
                mine.n,
            );
            let mut book = Book::default();
            let cell = book.cell(&STARVING);
            if together.is_farthest(mine) {
                cell.against.push((Against::Distance, sights));
            } else {
                cell.hits = sights;
            }
            let subject = Subject::Pair {
                client: *client,
                server,
            };
            found(subject, &book);
        }
    }
}

/// Operations of servers whose turnaround fluctuates.
pub(super) fn fluctuating(
    (rows, varied): (&[ServerRow], &BTreeMap<Endpoint, u64>),
    servers: &BTreeMap<Endpoint, Book>,
    thresholds: &Thresholds,
    found: &mut dyn FnMut(Subject, &Book),
) {
    let factor = i64::try_from(thresholds.get(Threshold::Fluctuation)).unwrap_or(i64::MAX);
    let least = thresholds.ns(Threshold::FluctuationLeast);
    for row in rows {
        let t = &row.turnaround;
        let moves = matches!(row.kind, Kind::Read | Kind::Write);
        if !moves
            || t.n < thresholds.get(Threshold::FluctuationMinimum)
            || !one_in_twenty(row, t.p50.max(1).saturating_mul(factor).max(t.p50 + least))
        {
            continue;
        }
        // The slowest answers of the server are those to look at.
        let Some(slowest) = servers
            .get(&row.server)
            .and_then(|book| book.known(&super::answers::SLOW_SERVER))
        else {
            continue;
        };
        let beyond = t.total - i128::from(t.p50) * i128::from(t.n);
        let mut sights = slowest.hits.clone();
        // A moment that a client lost to several at once counts once, as far as that is so of all
        // of the server's responses.
        let (once, each) = (sights.cost_ns, sights.total_ns.max(1));
        let lost = beyond.max(0) * i128::from(once) / i128::from(each);
        sights.count = t.n;
        sights.cost_ns = u64::try_from(lost).unwrap_or(0);
        let mut book = Book::default();
        let cell = book.cell(&FLUCTUATION);
        // The half of it, or more, is the way's for sure.
        let way = varied.get(&row.server.station()).copied().unwrap_or(0);
        if way >= sights.cost_ns.div_ceil(2).max(1) {
            cell.against.push((Against::Way, sights));
        } else {
            cell.hits = sights;
        }
        cell.word(row.command, t.n);
        found(Subject::Server(row.server), &book);
    }
}

/// Whether one in twenty responses, or more, took so long. The 95th percentile is the longest of
/// the others where it is one in twenty exactly.
fn one_in_twenty(row: &ServerRow, ns: i64) -> bool {
    let sample = &row.samples.turnaround;
    if sample.fidelity() == Fidelity::Drawn || sample.n() != row.turnaround.n {
        return row.turnaround.p95 >= ns;
    }
    let values = sample.values().iter();
    let slow = values.filter(|(value, _)| *value >= ns);
    let slow: u64 = slow.map(|(_, times)| *times).sum();
    u128::from(slow) * 20 >= u128::from(sample.n())
}

#[cfg(test)]
mod tests;

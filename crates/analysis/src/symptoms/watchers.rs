//! Rules that are decided transaction by transaction, and who looks by them.

use super::evidence::{Against, Sight};
use super::page::Page;
use super::rule::Rule;
use super::{Threshold, Thresholds, answers, clients, opens, repeats, sessions};
use crate::{Flags, Outcome, Transaction};
use wirewait_wire::{Kind, Timestamp};

/// What a look at a transaction finds, for one rule.
pub(super) enum WatcherLook {
    For(Sight),
    Against(Against, Sight),
}

/// A rule that is decided transaction by transaction.
pub(super) struct Watcher {
    pub(super) rule: &'static Rule,
    pub(super) look: fn(&Transaction, &Thresholds) -> Option<WatcherLook>,
    /// What to remember of each: its operation, or how it ended.
    pub(super) word: fn(&Transaction) -> Option<&'static str>,
}

/// Asked once and answered once, with success and without a word in between, by a server that
/// did nothing else: as nearly all are.
pub(super) fn is_ordinary(t: &Transaction) -> bool {
    t.outcome == Outcome::Answered
        && t.copies == 1
        && t.first_interim.is_none()
        && t.status.is_none_or(|status| {
            !status.failure && (status.ok || !matches!(t.kind, Kind::Lock | Kind::Open))
        })
        && !t.flags.contains(Flags::PIPELINED)
        && !matches!(t.kind, Kind::Session | Kind::Break)
}

pub(super) fn operation(t: &Transaction) -> Option<&'static str> {
    Some(t.operation.name).filter(|name| !name.is_empty())
}

/// Of several operations in one message, the one that ended so, where that is not the first.
fn failed(t: &Transaction, watcher: &Watcher) -> Option<&'static str> {
    let of_status = std::ptr::fn_addr_eq(watcher.word, status as fn(&Transaction) -> _);
    let failed = t.chain.failed().filter(|_| of_status)?;
    Some(failed.name)
}

pub(super) fn status(t: &Transaction) -> Option<&'static str> {
    t.status.and_then(|status| status.name)
}

/// Those that find nothing in what [is ordinary](is_ordinary).
static WATCHERS: &[&[Watcher]] = &[
    answers::WATCHERS,
    repeats::WATCHERS,
    opens::WATCHERS,
    sessions::WATCHERS,
    clients::WATCHERS,
];

/// What watchers see of one transaction, and where they write it down.
pub(super) struct Witness<'a, 'b> {
    pub(super) t: &'a Transaction,
    pub(super) thresholds: &'a Thresholds,
    /// How long somebody waited for it, and until when, if the wait ended just now.
    pub(super) waited: Option<(i64, Timestamp)>,
    /// How long it waited for another client to give something back, or for an acknowledgement that the client kept, ns.
    pub(super) behind_ns: i64,
    /// Which of them.
    pub(super) behind: Against,
    pub(super) page: &'a mut Page<'b>,
}

impl Witness<'_, '_> {
    // Part of what each transaction goes through: which ones look is known there.
    #[inline(always)]
    pub(super) fn look(&mut self, watchers: &[Watcher]) {
        let t = self.t;
        for watcher in watchers {
            let rule = watcher.rule;
            // By reference: to copy what was written just now would wait until it is stored.
            match &(watcher.look)(t, self.thresholds) {
                None => {}
                Some(WatcherLook::For(sight)) if self.behind_ns > 0 && self.contains(rule) => {
                    self.behind(watcher, sight);
                }
                Some(WatcherLook::For(sight)) => {
                    let given_up = self.waited.filter(|_| t.outcome == Outcome::Unanswered);
                    match given_up {
                        Some((ns, until)) => {
                            self.page.hit(rule, &sight.costing(ns).until(until));
                        }
                        None => self.page.hit(rule, sight),
                    }
                    if let Some(word) = (watcher.word)(t) {
                        self.page.word(rule, word);
                    }
                    if let Some(failed) = failed(t, watcher) {
                        self.page.word(rule, failed);
                    }
                }
                Some(WatcherLook::Against(why, sight)) => self.page.oppose(rule, *why, sight),
            }
        }
    }
}

impl Witness<'_, '_> {
    /// All that look only at what is not [ordinary](is_ordinary).
    #[inline(never)]
    pub(super) fn look_on(&mut self) {
        WATCHERS.iter().for_each(|watchers| self.look(watchers));
    }

    /// Whether the time that it waited so is part of what this rule looks at.
    #[cold]
    fn contains(&self, rule: &Rule) -> bool {
        let held = self.behind == Against::Acknowledgement;
        answers::is_server(rule) || held && std::ptr::eq(rule, &clients::QUEUEING)
    }

    /// What the server seems to have taken for a transaction contains what a client took to give something back, or to acknowledge.
    #[cold]
    fn behind(&mut self, watcher: &Watcher, sight: &Sight) {
        let behind = self.behind_ns.unsigned_abs();
        let rest = sight.cost_ns.saturating_sub(behind);
        let least = match std::ptr::eq(watcher.rule, &answers::SERVER_BUSY) {
            true => self.thresholds.ns(Threshold::BusyLeast).unsigned_abs(),
            false => 1,
        };
        if rest < least {
            self.page.oppose(watcher.rule, self.behind, sight);
            return;
        }
        let own = Sight {
            cost_ns: rest,
            ..*sight
        };
        self.page.hit(watcher.rule, &own);
        if let Some(word) = (watcher.word)(self.t) {
            self.page.word(watcher.rule, word);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Turnaround;
    use crate::symptoms::testing::{failed, mark, transaction};

    /// All that a watcher looks at, each by itself and two at a time.
    fn changes() -> Vec<fn(&mut Transaction)> {
        vec![
            |_| {},
            |t| t.copies = 9,
            |t| t.first_interim = Some(mark(1, 1)),
            |t| t.status = failed("DENIED"),
            |t| t.flags.set(Flags::PIPELINED),
            |t| t.flags.set(Flags::CAPTURE_LOSS),
            |t| t.flags.set(Flags::ENCRYPTED),
            |t| t.duplicate_responses = 2,
            |t| t.turnaround = Turnaround::Between(1, 5_000_000_000),
            |t| t.outcome = Outcome::Cancelled,
            |t| (t.outcome, t.response) = (Outcome::Unanswered, None),
        ]
    }

    #[test]
    fn in_what_is_ordinary_only_those_that_look_at_times_find_something() {
        let thresholds = Thresholds::default();
        let kinds = [
            Kind::Read,
            Kind::Write,
            Kind::Open,
            Kind::Close,
            Kind::Session,
            Kind::Wait,
            Kind::Break,
            Kind::Transaction,
        ];
        let (mut ordinary, mut found) = (0, 0);
        for kind in kinds {
            for one in changes() {
                for other in changes() {
                    let mut t = transaction(1, kind, 10, 9000);
                    one(&mut t);
                    other(&mut t);
                    let quiet = is_ordinary(&t);
                    ordinary += u32::from(quiet);
                    for watcher in WATCHERS.iter().copied().flatten() {
                        let look = (watcher.look)(&t, &thresholds);
                        found += u32::from(look.is_some());
                        let id = watcher.rule.id;
                        assert!(look.is_none() || !quiet, "{id}: {t:?}");
                    }
                }
            }
        }
        assert!(ordinary > 10 && found > 10);
    }
}

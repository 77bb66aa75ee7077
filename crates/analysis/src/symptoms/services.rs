//! Stations that wait for other services: clients between their requests, for names, log-ons, directories; servers before they
//! respond, for a log-on server or a database.

use super::Threshold;
use super::evidence::{Book, Sight};
use super::page::{Page, Whom};
use super::rows::Rows;
use super::rule::{Limit, Rule, Severity, Subject, Whose};
use super::watch::Watch;
use crate::Transaction;
use crate::account::WaitElsewhere;
use crate::service_wait::{LONGEST_NS, ServiceWait};
use std::collections::VecDeque;
use wirewait_wire::{Endpoint, Kind};

pub(super) static SERVICE_WAITS: Rule = Rule {
    id: "service_waits",
    severity: Severity::Symptom,
    whose: Whose::Own,
    counts: "waits of a client for another service while it had no request outstanding",
    limit: Limit::Count(Threshold::ServiceWaits),
    costly: true,
    covers: &[],
};

pub(super) static LONG_SERVICE_WAITS: Rule = Rule {
    id: "long_service_waits",
    severity: Severity::Symptom,
    whose: Whose::Own,
    counts: "waits of a client for another service in pauses longer than the think limit",
    limit: Limit::Count(Threshold::ServiceWaits),
    costly: true,
    covers: &[],
};

pub(super) static SERVER_WAITS: Rule = Rule {
    id: "server_waits",
    severity: Severity::Symptom,
    whose: Whose::Own,
    counts: "responses of a server that mostly waited for another service",
    limit: Limit::Count(Threshold::ServiceWaits),
    costly: true,
    covers: &[],
};

/// Waits that are remembered until a server responds.
const RECENT: usize = 32;

/// What stations waited for elsewhere.
pub(super) struct ServiceEvidence {
    /// By station and service.
    books: Rows<(Endpoint, Endpoint), Book>,
    /// The latest waits, which may be those of servers.
    recent: VecDeque<ServiceWait>,
}

impl ServiceEvidence {
    /// At most this number of rows.
    pub(super) fn new(rows: usize) -> Self {
        Self {
            books: Rows::new(rows),
            recent: VecDeque::new(),
        }
    }

    /// Whether a server may have waited.
    #[inline]
    pub(super) fn has_recent(&self) -> bool {
        !self.recent.is_empty()
    }

    pub(super) fn books(&self) -> impl Iterator<Item = (&(Endpoint, Endpoint), &Book)> {
        self.books.iter()
    }

    /// Rows dropped because there were too many.
    pub(super) fn evicted(&self) -> u64 {
        self.books.evicted()
    }
}

impl Watch {
    /// A client waited for another service in a pause.
    pub(crate) fn waited_elsewhere(&mut self, WaitElsewhere { wait, idle }: &WaitElsewhere) {
        let rule = match idle {
            false => &SERVICE_WAITS,
            true => &LONG_SERVICE_WAITS,
        };
        self.waited_for(rule, wait);
    }

    /// A station waited for another service: a server may respond next.
    #[cold]
    pub(crate) fn waited_for_service(&mut self, wait: ServiceWait) {
        let recent = &mut self.services.recent;
        let old = wait.to.at.plus(-LONGEST_NS);
        while recent.len() >= RECENT || recent.front().is_some_and(|first| first.to.at < old) {
            recent.pop_front();
        }
        recent.push_back(wait);
    }

    /// A request is closed, whose server may have waited for another service in most of its turnaround.
    #[cold]
    #[inline(never)]
    pub(super) fn server_waited(&mut self, t: &Transaction) {
        let (Some(request), Some(response)) = (t.request, t.response) else {
            return;
        };
        if matches!(t.kind, Kind::Wait | Kind::Break) {
            return;
        }
        let latest = self.services.recent.back();
        if latest.is_some_and(|wait| wait.to.at < request.last.at.plus(-LONGEST_NS)) {
            self.services.recent.clear();
            return;
        }
        let turnaround = request.last.until(response.first).unwrap_or(0);
        let server = t.server.station();
        let within = |wait: &&ServiceWait| {
            let (from, to) = (wait.from.at, wait.to.at);
            wait.client == server && from >= request.last.at && to <= response.first.at
        };
        let waits: Vec<ServiceWait> = self
            .services
            .recent
            .iter()
            .filter(within)
            .copied()
            .collect();
        let waited = |wait: &ServiceWait| wait.from.until(wait.to);
        let all: i64 = waits.iter().filter_map(waited).sum();
        if all.saturating_mul(2) >= turnaround {
            for wait in waits {
                self.waited_for(&SERVER_WAITS, &wait);
            }
        }
    }

    fn waited_for(&mut self, rule: &'static Rule, wait: &ServiceWait) {
        let ends = (wait.client, wait.service);
        let (client, server) = ends;
        let ns = wait.from.until(wait.to).unwrap_or(0);
        let mut page = Page {
            book: self.services.books.of(&ends),
            of: Whom::Own(Subject::Pair { client, server }),
            course: self.course.as_deref_mut(),
        };
        page.hit(rule, &Sight::between(wait.from, wait.to).costing(ns));
    }
}

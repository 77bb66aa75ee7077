//! Clients that wait for other services between their requests: for names, log-ons, directories.

use super::Threshold;
use super::evidence::{Book, Sight};
use super::page::{Page, Whom};
use super::rule::{Limit, Rule, Severity, Subject, Whose};
use super::watch::Watch;
use crate::account::WaitElsewhere;

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

impl Watch {
    /// A client waited for another service in a pause.
    pub(crate) fn waited_elsewhere(&mut self, WaitElsewhere { wait, idle }: &WaitElsewhere) {
        let ends = (wait.client, wait.service);
        let (client, server) = ends;
        let rule = match idle {
            false => &SERVICE_WAITS,
            true => &LONG_SERVICE_WAITS,
        };
        let ns = wait.from.until(wait.to).unwrap_or(0);
        let book: &mut Book = self.services.of(&ends);
        let mut page = Page {
            book,
            of: Whom::Own(Subject::Pair { client, server }),
            course: self.course.as_deref_mut(),
        };
        page.hit(rule, &Sight::between(wait.from, wait.to).costing(ns));
    }
}

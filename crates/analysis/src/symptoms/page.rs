//! Where families of rules enter what they find.

use super::course::SymptomCourse;
use super::evidence::{Against, Base, Book, Sight};
use super::rule::{Rule, Subject, Whose};
use super::watchers::WatcherLook;
use super::window_limit::WindowLimit;
use std::sync::Arc;
use wirewait_wire::Endpoint;

/// Whom what is found may be said of.
#[derive(Clone, Copy, Debug)]
pub(super) enum Whom<'a> {
    /// A client at a server, either of them, or both; by their stations.
    Pair {
        client: &'a Endpoint,
        server: &'a Endpoint,
    },
    /// Whatever the rule itself names.
    Own(Subject),
}

/// A collector open for entries; for live views, each is entered by the second, too.
#[derive(Debug)]
pub(super) struct Page<'a> {
    pub(super) book: &'a mut Book,
    pub(super) of: Whom<'a>,
    pub(super) course: Option<&'a mut SymptomCourse>,
}

impl Page<'_> {
    /// It happened.
    pub(super) fn hit(&mut self, rule: &'static Rule, sight: &Sight) {
        self.enter(rule, sight, 1);
    }

    /// It happened, and a conversation has one of its kind at a time.
    #[inline(always)]
    pub(super) fn hit_one_by_one(&mut self, rule: &'static Rule, sight: &Sight) {
        let cost_ns = self.book.cell(rule).hits.add_one_by_one(sight);
        self.note(rule, sight, cost_ns, 1);
    }

    /// What happened already cost more.
    pub(super) fn goes_on(&mut self, rule: &'static Rule, sight: &Sight) {
        self.enter(rule, sight, 0);
    }

    fn enter(&mut self, rule: &'static Rule, sight: &Sight, times: u64) {
        let cost_ns = self.book.cell(rule).hits.add(sight, times);
        self.note(rule, sight, cost_ns, times);
    }

    #[inline(always)]
    fn note(&mut self, rule: &'static Rule, sight: &Sight, cost_ns: u64, times: u64) {
        if self.course.is_some() {
            self.note_by_second(rule, sight, cost_ns, times);
        }
    }

    #[inline(never)]
    fn note_by_second(&mut self, rule: &'static Rule, sight: &Sight, cost_ns: u64, times: u64) {
        if let Some(course) = self.course.as_deref_mut() {
            let cost = (cost_ns, sight.until);
            let subject = self.of.subject(rule.whose);
            course.enter(rule, subject, (sight.to.at, times), cost);
        }
    }

    /// It seemed to happen, but this speaks against it.
    pub(super) fn oppose(&mut self, rule: &'static Rule, why: Against, sight: &Sight) {
        self.book.oppose(rule, why, sight);
    }

    pub(super) fn look(&mut self, rule: &'static Rule, look: &WatcherLook) {
        match look {
            WatcherLook::For(sight) => self.hit(rule, sight),
            WatcherLook::Against(why, sight) => self.oppose(rule, *why, sight),
        }
    }

    pub(super) fn word(&mut self, rule: &'static Rule, word: &'static str) {
        self.book.cell(rule).word(word, 1);
    }

    /// A window allows no more: the one that allows least is kept.
    pub(super) fn window(&mut self, rule: &'static Rule, window: WindowLimit) {
        let known = &mut self.book.cell(rule).window;
        if known.is_none_or(|known| window.bytes_per_second() < known.bytes_per_second()) {
            *known = Some(window);
        }
    }

    /// A name was looked for, for so long.
    pub(super) fn name(&mut self, rule: &'static Rule, name: &Arc<str>, lasted_ns: i64) {
        let cell = self.book.cell(rule);
        cell.name(name, 1);
        let lasted = u64::try_from(lasted_ns).unwrap_or(0);
        cell.lasted_ns = cell.lasted_ns.saturating_add(lasted);
    }

    pub(super) fn count(&mut self, base: Base, times: u64) {
        self.book.count(base, times);
    }
}

impl Whom<'_> {
    fn subject(self, whose: Whose) -> Subject {
        let (client, server) = match self {
            Self::Own(subject) => return subject,
            Self::Pair { client, server } => (client.station(), server.station()),
        };
        match whose {
            Whose::Server => Subject::Server(server),
            Whose::Client => Subject::Client(client),
            _ => Subject::Pair { client, server },
        }
    }
}

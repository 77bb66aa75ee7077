//! What connections suffer from: acknowledgements that come late, receivers that can take no
//! more, data that is asked for again, ends that cannot be reached.

use super::course::SymptomCourse;
use super::evidence::{Against, Base, Book, Sight};
use super::knocks::{Answering, Knock, Knocks};
use super::page::{Page, Whom};
use super::rows::Rows;
use super::rule::{Limit, Rule, Severity, Subject, Whose};
use super::window_limit::{WINDOW_LIMITS, WindowLimit};
use super::{Threshold, Thresholds};
use crate::bounds::{Bound, Hits};
use crate::key::ConversationKey;
use crate::path::Path;
use crate::table::KnownSide;
use crate::world::Seen;
use crate::{Mark, Notice, Noticed};
use std::collections::VecDeque;
use wirewait_wire::{Endpoint, NumberedKind, Order, Timestamp};

pub(super) static ACK_WAIT: Rule = Rule {
    id: "acknowledgement_waits",
    severity: Severity::Symptom,
    whose: Whose::Own,
    counts: "pauses of a sender that an acknowledgement ended",
    limit: Limit::Count(Threshold::LeastEvents),
    costly: true,
    covers: &[],
};

pub(super) static LATE_ACKS: Rule = Rule {
    id: "late_acknowledgements",
    severity: Severity::Symptom,
    whose: Whose::Own,
    counts: "acknowledgements later than late_acknowledgement_ms",
    limit: Limit::Share {
        of: Base::Acks,
        percent: Threshold::LateAcks,
        minimum: Threshold::MinimumRequests,
        least: Threshold::LeastEvents,
    },
    costly: false,
    covers: &[],
};

pub(super) static RECEIVER_BUSY: Rule = Rule {
    id: "receiver_busy",
    severity: Severity::Symptom,
    whose: Whose::Own,
    counts: "times that a receiver's window was closed for longer than receiver_busy_ms",
    limit: Limit::Beyond(Threshold::ReceiverBusy),
    costly: false,
    covers: &[],
};

pub(super) static FROZEN_WINDOW: Rule = Rule {
    id: "frozen_window",
    severity: Severity::Diagnosis,
    whose: Whose::Own,
    counts: "times that a receiver's window was closed for longer than frozen_window_ms",
    limit: Limit::Beyond(Threshold::FrozenWindow),
    costly: false,
    covers: &["receiver_busy"],
};

pub(super) static REJECTS: Rule = Rule {
    id: "rejects",
    severity: Severity::Symptom,
    whose: Whose::Own,
    counts: "requests for retransmission (rejects)",
    limit: Limit::Count(Threshold::LeastEvents),
    costly: false,
    covers: &[],
};

pub(super) static POLL_UNANSWERED: Rule = Rule {
    id: "polls_unanswered",
    severity: Severity::Symptom,
    whose: Whose::Own,
    counts: "polls repeated because no response came",
    limit: Limit::Count(Threshold::LeastEvents),
    costly: true,
    covers: &[],
};

pub(super) static NOT_ACKNOWLEDGED: Rule = Rule {
    id: "data_not_acknowledged",
    severity: Severity::Diagnosis,
    whose: Whose::Own,
    counts: "times that data was retransmitted more than successive_repeats times in a row",
    limit: Limit::Beyond(Threshold::Repeats),
    costly: false,
    covers: &["polls_unanswered"],
};

pub(super) static TIMED_OUT: Rule = Rule {
    id: "connection_timed_out",
    severity: Severity::Diagnosis,
    whose: Whose::Own,
    counts: "connections whose other end stopped responding",
    limit: Limit::Beyond(Threshold::Repeats),
    costly: false,
    covers: &["polls_unanswered", "data_not_acknowledged"],
};

pub(super) static NOT_CONNECTED: Rule = Rule {
    id: "connection_not_answered",
    severity: Severity::Diagnosis,
    whose: Whose::Own,
    counts: "attempts to connect, with more than successive_repeats requests together, without any response",
    limit: Limit::Beyond(Threshold::Repeats),
    costly: false,
    covers: &[],
};

pub(super) static REFUSED: Rule = Rule {
    id: "connection_refused",
    severity: Severity::Symptom,
    whose: Whose::Own,
    counts: "connections refused, of a client that got none there, or none for slow_connect_ms",
    limit: Limit::Count(Threshold::LeastEvents),
    costly: false,
    covers: &[],
};

pub(super) static LATE_CONNECT: Rule = Rule {
    id: "slow_connection",
    severity: Severity::Symptom,
    whose: Whose::Own,
    counts: "connections that took longer than slow_connect_ms to open",
    limit: Limit::Beyond(Threshold::SlowConnect),
    costly: false,
    covers: &[],
};

/// A client that tries another connection within this time of a refusal waited meanwhile, ns.
const TRIES_AGAIN_NS: i64 = 30_000_000_000;
/// Data that follows so soon waited for what came before it, ns.
const AT_ONCE_NS: i64 = 1_000_000;
/// Who sends again waits longer in between, ns.
const ROUND_NS: i64 = 50_000_000;
/// Late acknowledgements that are remembered for that time.
const LATE: usize = 64;

/// The two ends of a connection.
#[derive(Debug, Default)]
struct LinkEvidence {
    ends: [Endpoint; 2],
    /// How often each sent data again since the other was last heard, since when, and when
    /// last.
    repeats: [(u64, Option<Mark>, Option<Timestamp>); 2],
    /// How soon each acknowledged what it may not keep waiting, at the soonest: a round trip, ns.
    soonest: [Option<i64>; 2],
    book: Book,
}

/// What became of the connections that a client asked a server for.
#[derive(Debug, Default)]
struct Door {
    opened: bool,
    /// The first refusal since it was opened last.
    refused: Option<Mark>,
    /// And the last.
    refused_last: Option<Timestamp>,
    /// It was refused for long before it was opened.
    kept_out: bool,
    /// When the server opened or refused one last.
    answering: Answering,
    /// Attempts since then that were not answered; mostly there is none.
    knocks: Option<Box<Knocks>>,
    /// Of most there is nothing to say.
    book: Option<Box<Book>>,
}

/// An acknowledgement that came late.
#[derive(Clone, Copy, Debug)]
struct Late {
    /// Who waited for it, and from whom it came.
    ends: (Endpoint, Endpoint),
    mark: Mark,
    waited_ns: i64,
}

pub(super) struct Links {
    links: Rows<ConversationKey, LinkEvidence>,
    doors: Rows<(Endpoint, Endpoint), Door>,
    late: VecDeque<Late>,
    pub(super) hits: Hits,
}

impl Links {
    pub(super) fn new(rows: usize) -> Self {
        Self {
            links: Rows::new(rows),
            doors: Rows::new(rows),
            late: VecDeque::new(),
            hits: Hits::NONE,
        }
    }

    pub(super) fn evicted(&self) -> u64 {
        self.links.evicted() + self.doors.evicted()
    }

    /// Whether a frame brings data that had to wait for an acknowledgement.
    #[inline(always)]
    pub(super) fn seen(&mut self, seen: &Seen<'_>, course: Option<&mut SymptomCourse>) {
        // Nearly always there is nothing to look for.
        if !self.late.is_empty() {
            self.came(seen, course);
        }
    }

    #[inline(never)]
    fn came(&mut self, seen: &Seen<'_>, course: Option<&mut SymptomCourse>) {
        let now = seen.mark.at;
        self.late.retain(|late| late.is_fresh(now));
        let facts = &seen.walk.facts;
        let data = match facts.order {
            Order::Stream(_) => seen.walk.last().is_some_and(|s| s.end > s.payload),
            Order::Numbered(n) => n.kind == NumberedKind::Data,
            Order::None => false,
        };
        let waited = |late: &Late| late.ends == (facts.from, facts.to);
        if data {
            // What is sent next may be the response to this, which had nothing to wait for.
            self.late.retain(|late| late.ends != (facts.to, facts.from));
        }
        if !data || !self.late.iter().any(waited) {
            return;
        }
        if let Some(late) = self.late.iter().rfind(|late| waited(late)).copied() {
            self.late.retain(|late| !waited(late));
            let sight = Sight::between(late.mark, seen.mark);
            let sight = sight.costing(late.waited_ns).until(late.mark.at);
            let link = self.link(facts.from, facts.to);
            link.page(course).hit(&ACK_WAIT, &sight);
        }
    }

    pub(super) fn noticed(
        &mut self,
        notice: &Notice,
        path: &Path,
        t: &Thresholds,
        course: Option<&mut SymptomCourse>,
    ) {
        let (from, to, mark) = (notice.from, notice.to, notice.mark);
        let sight = Sight::at(mark);
        match notice.what {
            Noticed::Resent { .. } => self.resent((from, to), mark, t, course),
            Noticed::Rejected => self.link(from, to).page(course).hit(&REJECTS, &sight),
            Noticed::Ready { after_ns } => {
                let mut page = self.link(from, to).page(course);
                if after_ns > t.ns(Threshold::ReceiverBusy) {
                    page.hit(&RECEIVER_BUSY, &sight.costing(after_ns));
                }
                if after_ns > t.ns(Threshold::FrozenWindow) {
                    page.hit(&FROZEN_WINDOW, &sight.costing(after_ns));
                }
            }
            Noticed::FilledWindow {
                first,
                window,
                round_trip_ns,
                least_ns,
            } => {
                let mut page = self.link(from, to).page(course);
                let sight = Sight::between(first, mark).costing(least_ns);
                page.hit(&WINDOW_LIMITS, &sight);
                let round_trip_ns = u64::try_from(round_trip_ns).unwrap_or(0);
                let limit = WindowLimit::new(to.station(), window, round_trip_ns);
                page.window(&WINDOW_LIMITS, limit);
            }
            Noticed::PollUnanswered { after_ns } => {
                let mut page = self.link(from, to).page(course);
                page.hit(&POLL_UNANSWERED, &sight.costing(after_ns));
            }
            Noticed::Acknowledged {
                bare,
                message: false,
                after_ns,
                at_once,
                ..
            } => self.acknowledged(notice, path, (bare, at_once, after_ns), t, course),
            Noticed::Opened { after_ns, .. } => {
                let door = self.door(to, from);
                door.opened = true;
                door.answers(mark, from.port);
                let limit = t.ns(Threshold::SlowConnect);
                door.refused_last = None;
                if let Some(refused) = door.refused.take() {
                    door.kept_out |= notice.mark.at.since(refused.at) > limit;
                }
                if after_ns > limit {
                    let sight = sight.costing(after_ns - limit);
                    door.page((&to, &from), course).hit(&LATE_CONNECT, &sight);
                }
            }
            Noticed::Refused { .. } => {
                let door = self.door(to, from);
                door.answers(mark, None);
                door.refused.get_or_insert(notice.mark);
                let last = door.refused_last.replace(notice.mark.at);
                let waited = last.map_or(0, |last| notice.mark.at.since(last));
                let sight = match waited {
                    0..=TRIES_AGAIN_NS => sight.costing(waited),
                    _ => sight,
                };
                door.page((&to, &from), course).hit(&REFUSED, &sight);
            }
            Noticed::NotAnswered { tries, first } => {
                let knock = Knock {
                    tries,
                    first,
                    last: mark,
                    port: to.port,
                };
                let door = self.door(from, to);
                let knocks = door.knocks.get_or_insert_default();
                let limit = t.get(Threshold::Repeats);
                if let Some((before, sight)) = knocks.another(&knock, door.answering, limit) {
                    let mut page = door.page((&from, &to), course);
                    page.book.cell(&NOT_CONNECTED).hits.join(&before);
                    page.hit(&NOT_CONNECTED, &sight);
                }
            }
            Noticed::Died { tries, silent_ns } => {
                if u64::from(tries) >= t.get(Threshold::Repeats) {
                    let mut page = self.link(from, to).page(course);
                    page.hit(&TIMED_OUT, &sight.costing(silent_ns));
                }
            }
            Noticed::Acknowledged { .. }
            | Noticed::Overtaken { .. }
            | Noticed::OvertakenBehind
            | Noticed::Busy
            | Noticed::Offered(_)
            | Noticed::Polled { .. }
            | Noticed::Asked { .. }
            | Noticed::Closed
            | Noticed::Aborted => {}
        }
    }

    pub(super) fn books(&self, found: &mut dyn FnMut(Subject, &Book)) {
        for (_, link) in self.links.iter() {
            let [a, b] = link.ends;
            found(Subject::Conversation(a, b), &link.book);
        }
        for (&(client, server), door) in self.doors.iter() {
            let subject = Subject::Pair { client, server };
            let Some(known) = door.book.as_deref() else {
                continue;
            };
            match known.known(&REFUSED) {
                // Clients knock at several doors and take the one that opens.
                Some(cell) if door.opened && !door.kept_out => {
                    let mut book = known.clone();
                    let hits = cell.hits.clone();
                    let cell = book.cell(&REFUSED);
                    cell.hits = Default::default();
                    cell.against.push((Against::OtherDoor, hits));
                    found(subject, &book);
                }
                _ => found(subject, known),
            }
        }
    }

    fn resent(
        &mut self,
        (from, to): (Endpoint, Endpoint),
        mark: Mark,
        t: &Thresholds,
        course: Option<&mut SymptomCourse>,
    ) {
        let limit = t.get(Threshold::Repeats);
        let (link, side) = self.link_side(&KnownSide::default(), from, to);
        let (times, since, latest) = &mut link.repeats[side];
        // All that is on its way is sent again at once.
        if latest.is_some_and(|at| (0..ROUND_NS).contains(&mark.at.since(at))) {
            return;
        }
        *latest = Some(mark.at);
        *times += 1;
        let since = *since.get_or_insert(mark);
        if *times == limit.saturating_add(1) {
            let ns = since.until(mark).unwrap_or(0);
            let sight = Sight::between(since, mark).costing(ns);
            link.page(course).hit(&NOT_ACKNOWLEDGED, &sight);
        }
    }

    fn acknowledged(
        &mut self,
        notice: &Notice,
        path: &Path,
        (bare, at_once, after_ns): (bool, bool, i64),
        t: &Thresholds,
        course: Option<&mut SymptomCourse>,
    ) {
        let (from, to, mark) = (notice.from, notice.to, notice.mark);
        let elsewhere = KnownSide::default();
        let known = match path.is(&from, &to) {
            true => &path.symptoms,
            false => &elsewhere,
        };
        let (link, side) = self.link_side(known, from, to);
        link.repeats[1 - side] = (0, None, None);
        if !bare {
            return;
        }
        link.book.count(Base::Acks, 1);
        if after_ns > t.ns(Threshold::LateAck) {
            link.page(course).hit(&LATE_ACKS, &Sight::at(mark));
        }
        let soonest = &mut link.soonest[side];
        if at_once {
            *soonest = Some(soonest.map_or(after_ns, |ns| ns.min(after_ns)));
        }
        // Nobody waits for less than a round trip.
        let way = soonest.unwrap_or(0).max(0);
        if after_ns >= t.ns(Threshold::AckWait).saturating_add(way) {
            if self.late.len() >= LATE {
                self.hits.hit(Bound::LateAcks);
                self.late.pop_front();
            }
            self.late.push_back(Late {
                ends: (to, from),
                mark,
                waited_ns: after_ns,
            });
        }
    }

    fn link(&mut self, from: Endpoint, to: Endpoint) -> &mut LinkEvidence {
        self.link_side(&KnownSide::default(), from, to).0
    }

    fn link_side(
        &mut self,
        known: &KnownSide,
        from: Endpoint,
        to: Endpoint,
    ) -> (&mut LinkEvidence, usize) {
        let key = || ConversationKey::new((from, to), None, 0);
        let (link, side) = self.links.of_side(known, key);
        link.ends[side] = from;
        link.ends[1 - side] = to;
        (link, side)
    }

    fn door(&mut self, client: Endpoint, server: Endpoint) -> &mut Door {
        let key = (client.station(), server.station());
        self.doors.of(&key)
    }
}

impl LinkEvidence {
    fn page<'a>(&'a mut self, course: Option<&'a mut SymptomCourse>) -> Page<'a> {
        let [a, b] = self.ends;
        Page {
            book: &mut self.book,
            of: Whom::Own(Subject::Conversation(a, b)),
            course,
        }
    }
}

impl Door {
    /// The server opened a connection at this port, or refused one.
    fn answers(&mut self, mark: Mark, port: Option<u16>) {
        self.answering.frame = mark.frame;
        self.answering.port = port.or(self.answering.port);
        self.knocks = None;
    }

    fn page<'a>(
        &'a mut self,
        (client, server): (&'a Endpoint, &'a Endpoint),
        course: Option<&'a mut SymptomCourse>,
    ) -> Page<'a> {
        Page {
            book: self.book.get_or_insert_default(),
            of: Whom::Pair { client, server },
            course,
        }
    }
}

impl Late {
    fn is_fresh(&self, now: Timestamp) -> bool {
        (0..=AT_ONCE_NS).contains(&now.since(self.mark.at))
    }
}

#[cfg(test)]
mod tests;

//! What is known of one client at one server, for symptoms.

use super::course::SymptomCourse;
use super::evidence::{Base, Book};
use super::page::{Page, Whom};
use super::watchers::WatcherLook;
use super::{answers, clients, repeats, rhythm};
use crate::Transaction;
use crate::bounds::{Bound, Hits};
use std::collections::VecDeque;
use wirewait_wire::{Endpoint, Timestamp};

/// Requests of a pair that are remembered from the retransmission of their response until they are
/// closed. One beyond counts once more among all requests.
pub(super) const RESENT: usize = 256;
/// Requests of a pair that are remembered while somebody waits for them.
pub(super) const WAITING: usize = 256;

/// One client at one server.
#[derive(Debug, Default)]
pub(super) struct PairEvidence {
    pub(super) book: Book,
    pub(super) silence: answers::Silence,
    /// The capture missed what one of them said.
    pub(super) missed: bool,
    /// Requests that somebody waits for, and when the next one behind each was asked.
    pub(super) waiting: VecDeque<(u64, Option<Timestamp>)>,
    /// Two of them were outstanding at once: what they cost may be the same moments.
    pub(super) overlaps: bool,
    /// Requests without a response that nobody waits for any more, and are not closed: for how long somebody did,
    /// ns, and until when.
    pub(super) given_up: VecDeque<(u64, i64, Timestamp)>,
    /// Some of them are forgotten, and which of those somebody waited for last.
    pub(super) crowded: bool,
    pub(super) forgotten: Option<u64>,
    /// Open requests whose response was retransmitted: they are counted already.
    pub(super) resent: VecDeque<u64>,
    pub(super) reads: clients::Mean,
    /// Of those with late responses.
    pub(super) rhythm: Option<Box<rhythm::Rhythm>>,
}

impl PairEvidence {
    /// Nobody waits for this request any more. When the next one began since, if one did.
    pub(super) fn waits_no_longer(&mut self, number: u64) -> Option<Timestamp> {
        let waiting = &mut self.waiting;
        let found = match waiting.front() {
            Some((oldest, _)) if *oldest == number => waiting.pop_front(),
            _ => {
                let known = waiting.iter().position(|(other, _)| *other == number);
                if known.is_none() && self.crowded {
                    self.forgotten = Some(number);
                }
                known.and_then(|place| waiting.remove(place))
            }
        };
        found.and_then(|(_, next)| next)
    }

    /// Nobody waits any more for a request without a response.
    #[cold]
    pub(super) fn gives_up(&mut self, ended: (u64, i64, Timestamp), hits: &mut Hits) {
        if self.given_up.len() >= WAITING {
            hits.hit(Bound::Waiting);
            self.given_up.pop_front();
        }
        self.given_up.push_back(ended);
    }

    pub(super) fn page<'a>(
        &'a mut self,
        (client, server): (&'a Endpoint, &'a Endpoint),
        course: Option<&'a mut SymptomCourse>,
    ) -> Page<'a> {
        Page {
            book: &mut self.book,
            of: Whom::Pair { client, server },
            course,
        }
    }

    /// The response to an open request was retransmitted, perhaps not for the first time. First
    /// evidence counts the request now, and not again when it is closed.
    pub(super) fn answer_resent(
        &mut self,
        t: &Transaction,
        look: &WatcherLook,
        course: Option<&mut SymptomCourse>,
        hits: &mut Hits,
    ) {
        let again = self.resent.contains(&t.number);
        if !again && matches!(look, WatcherLook::For(_)) {
            if self.resent.len() >= RESENT {
                hits.hit(Bound::Resent);
                self.resent.pop_front();
            }
            self.resent.push_back(t.number);
            self.book.count(Base::Requests, 1);
        }
        let mut page = self.page(between(t), course);
        match look {
            WatcherLook::For(sight) if again => page.goes_on(&repeats::ANSWER_RESENT, sight),
            _ => page.look(&repeats::ANSWER_RESENT, look),
        }
    }
}

pub(super) fn between(t: &Transaction) -> (&Endpoint, &Endpoint) {
    (&t.client, &t.server)
}

//! Time in which requests were made that the capture lacks: what their clients did then is not known.

use super::{Incoming, Pairing};
use crate::case::{Case, Wait};
use crate::open::Open;
use crate::parties::Parties;
use crate::world::{Between, Event, Events, WaitEvent};
use crate::{Flags, Transaction};
use wirewait_wire::{Exchange, Id, Timestamp};

/// What is known of requests that the capture lacks.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct UnseenRequests {
    /// When the latest response ended of which the request is missing.
    answered: Option<Timestamp>,
    /// Nothing was told yet of what is missing before the next request: since when it may have been made.
    since: Option<Timestamp>,
    /// What is found missing next was answered, and told of.
    told: bool,
    /// The responses before the next request of which the requests are missing.
    heard: Option<HeardResponses>,
}

/// Responses between two requests, of which the requests are missing.
#[derive(Clone, Copy, Debug)]
struct HeardResponses {
    /// The number that the next request gets.
    before: u64,
    /// The latest one.
    lane: Option<Id>,
    id: Option<Id>,
    count: u32,
}

impl UnseenRequests {
    /// Whether the next request has to do with it.
    #[inline]
    pub(super) const fn is_untold(&self) -> bool {
        self.since.is_some()
    }
}

impl Pairing {
    /// When the latest response ended, be its request known or not.
    fn answered_at(&self) -> Option<Timestamp> {
        let known = self.last_response.map(|(end, _)| end.at);
        known.max(self.unseen.answered)
    }

    /// Data of `side` is missing that the other side had.
    #[cold]
    pub(crate) fn lacks_requests(&mut self, side: usize, why: Flags, between: &Between) {
        if why != Flags::CAPTURE_LOSS || side == between.server {
            return;
        }
        if !std::mem::take(&mut self.unseen.told) && self.unseen.since.is_none() {
            self.unseen.since = self.answered_at();
        }
    }

    /// This request is the first one behind what is missing.
    #[cold]
    pub(super) fn comes_behind_unseen(&mut self, open: &Open, events: &mut impl Events) {
        let since = self.unseen.since.take();
        if let (Some(since), Some(request)) = (since, open.transaction.request) {
            events.tell(Event::Happens(
                open.wait(since),
                WaitEvent::Unseen(request.first.at),
            ));
        }
    }

    /// The request that stands there has to go for one that does not count on from it. Both directions may have lost what came
    /// between, which nothing else shows where nothing below is numbered.
    #[cold]
    #[inline(never)]
    pub(super) fn may_skip(
        &mut self,
        at: usize,
        x: &Exchange,
        incoming: &Incoming<'_>,
        events: &mut impl Events,
    ) {
        let (between, registry) = (incoming.between, &incoming.world.registry);
        let skipped = incoming
            .message
            .dissector
            .and_then(|id| registry.dissector(id).skipped);
        let open = &self.open[at];
        let (Some(skipped), Some(latest), Some(id)) = (skipped, open.id, x.id) else {
            return;
        };
        let in_order = between.unordered && !between.displaced;
        if !in_order || open.lane != x.lane || !self.is_last_of_lane(at) {
            return;
        }
        let lacks = skipped(latest, id);
        if lacks == 0 {
            return;
        }
        let next = self.next_serial;
        let same = |heard: &HeardResponses| heard.before == next && heard.lane == x.lane;
        let heard = self.unseen.heard.filter(same);
        // What those were to is counted already.
        let rest = lacks.saturating_sub(heard.map_or(0, |heard| heard.count));
        for _ in 0..rest {
            // Request and response.
            events.tell(Event::Lacked);
            events.tell(Event::Lacked);
        }
        if heard.is_some_and(|heard| Id::counts_on(heard.id, x.id)) {
            return;
        }
        let t = &open.transaction;
        let end = t.response.or(t.request).map(|extent| extent.last.at);
        self.unseen.since = end.max(self.unseen.answered);
    }

    /// A response of which the request is missing was told of.
    #[cold]
    pub(super) fn was_unseen(&mut self, response: &Exchange) {
        let before = self.next_serial;
        let same = |heard: &HeardResponses| heard.before == before && heard.lane == response.lane;
        let earlier = self.unseen.heard.filter(same);
        self.unseen.heard = Some(HeardResponses {
            before,
            lane: response.lane,
            id: response.id,
            count: earlier.map_or(0, |heard| heard.count).saturating_add(1),
        });
    }

    /// A message was cut off by the capture before it says what it is: it may be a response to any request.
    #[cold]
    pub(super) fn is_cut_off(&mut self, incoming: &Incoming<'_>, events: &mut impl Events) {
        let side = incoming.side;
        events.tell(Event::Lacked);
        self.awaits(side);
        self.lacks_requests(side, Flags::CAPTURE_LOSS, incoming.between);
    }

    /// The request of this response is missing.
    #[cold]
    pub(super) fn answers_unseen(
        &mut self,
        (t, parties): (&Transaction, &Parties),
        events: &mut impl Events,
    ) {
        let Some(end) = t.response.map(|response| response.last.at) else {
            return;
        };
        if let Some(began) = self.answered_at() {
            let wait = Wait {
                case: Case {
                    transaction: t,
                    parties,
                },
                began,
                anyone: false,
                repeated: None,
            };
            events.tell(Event::Happens(wait, WaitEvent::Unseen(end)));
        }
        self.unseen = UnseenRequests {
            answered: Some(end),
            since: None,
            told: true,
            heard: self.unseen.heard,
        };
    }
}

//! Messages that one frame holds: who asked whom, and to which conversation they belong.

use super::{AnalyzerState, Arrival};
use crate::Sink;
use crate::books::Reporter;
use crate::conversation::Beginning;
use crate::key::ConversationKey;
use crate::message::datagram;
use crate::numbered::{Link, Owner};
use crate::world::Shared;
use wirewait_wire::{Cast, Endpoint, Exchange, Facts, Role, Side};

impl AnalyzerState {
    /// A frame that is a message of its own, or a message on an ordered link. Gives the number of its conversation, too.
    pub(super) fn message(
        &mut self,
        arrival: &Arrival<'_>,
        link: Option<&Link>,
        common: &Shared,
        sink: &mut dyn Sink,
    ) -> Option<(Owner, u64)> {
        let dissector = arrival.message?;
        let world = self.world(common);
        let facts = arrival.facts;
        let counted = link.is_none() && facts.packet_id.is_some();
        let mut found = None;
        datagram(&arrival.piece, dissector, &common.registry, |message| {
            if let Some(x) = message.exchange.as_deref_mut() {
                by_address(x, facts.sender);
                if let Some(presence) = x.presence {
                    let mark = arrival.piece.mark;
                    self.books.announced(facts.from, presence, mark);
                }
                if let Role::Probe | Role::Alive = x.role {
                    let said = (x.role == Role::Alive, x.number);
                    let frame = (arrival.piece.mark, arrival.piece.length);
                    self.books.probed(facts, said, frame);
                }
            }
            let role = message
                .exchange
                .as_deref()
                .map(|x| (x.role, x.sender, x.anyone));
            let asked = match role {
                // The question was the client's, and anyone may answer it.
                Some((_, Side::Client, true)) => Some((asked_by(facts.from), 0)),
                Some((Role::Either, _, true)) => {
                    Some(self.asked_by_either(facts, message.exchange.as_deref()))
                }
                Some((_, _, true)) => Some((asked_by(facts.to), 1)),
                _ => None,
            };
            let found_at = match asked {
                Some((key, side)) => match self.conversations.find(&key) {
                    Some(place) => Ok((place, side)),
                    None => Err((key, side)),
                },
                None => {
                    let known = &arrival.path.conversation;
                    self.conversations.find_side(known, || arrival.key())
                }
            };
            let opens = matches!(
                role,
                Some((Role::Request | Role::Response | Role::Either, ..))
            );
            let (place, side) = match found_at {
                Ok(known) => known,
                Err(_) if !opens && link.is_none() => {
                    self.books.count_unread(message);
                    return;
                }
                Err((key, side)) => {
                    let mut ends = key.ends();
                    if role.is_some_and(|r| r.2) {
                        ends = [facts.from, facts.to];
                        if side == 1 {
                            ends.swap(0, 1);
                        }
                    }
                    let beginning = Beginning {
                        ends,
                        carrier: arrival.carrier,
                        server: role.is_some_and(|r| r.2).then_some(1),
                        ordered: link.is_some(),
                        from_start: link.is_some_and(|l| l.from_start),
                        silent: arrival.repeats_silently(),
                        anyone: role.is_some_and(|r| r.2),
                        ..Beginning::default()
                    };
                    (self.begin(key, beginning, &world, sink), side)
                }
            };
            let Some(conversation) = self.conversations.get_mut(place) else {
                return;
            };
            let books = &mut self.books;
            let mut events = Reporter::new(books, arrival.path, sink);
            conversation.touch(side, arrival.piece.mark.at, &world, &mut events);
            if counted {
                conversation.datagram(side, facts.packet_id, &arrival.piece);
            }
            // Who reports that it was not delivered may be a router.
            if role.is_some_and(|r| r.2 && r.0 != Role::Refusal) {
                let says = message.exchange.as_deref().is_some_and(|x| x.everyone);
                match side {
                    0 => conversation.asks(facts.to, says || facts.cast != Cast::Unicast),
                    _ => conversation.answered_by(facts.from),
                }
            }
            let serial = conversation.message(side, message, &world, &mut events);
            let (number, _) = conversation.named();
            if conversation.proves() {
                self.conversations.prove(place);
            }
            let owner = Owner {
                place,
                side,
                serial,
            };
            found = Some((owner, number));
        });
        found
    }

    /// The conversation of a question that anyone may answer, or of an answer that does not say
    /// that it is one; and the side.
    fn asked_by_either(&mut self, facts: &Facts, x: Option<&Exchange>) -> (ConversationKey, usize) {
        let asked = asked_by(facts.to);
        let place = self.conversations.find(&asked);
        let conversation = place.and_then(|place| self.conversations.get_mut(place));
        match conversation {
            Some(conversation) if conversation.was_asked(0, x.and_then(|x| x.id)) => (asked, 1),
            _ => (asked_by(facts.from), 0),
        }
    }
}

/// Completes an exchange that does not say who sent it by what the addresses tell.
fn by_address(x: &mut Exchange, sender: Side) {
    if x.sender == Side::Unknown {
        x.sender = sender;
    }
    x.role = match (x.role, x.sender) {
        (Role::Either, Side::Client) => Role::Request,
        (Role::Either, Side::Server) => Role::Response,
        (role, _) => role,
    };
}

/// Key of a conversation of requests to any server: the client alone.
fn asked_by(client: Endpoint) -> ConversationKey {
    ConversationKey::new((client, Endpoint::default()), None, u16::MAX).0
}

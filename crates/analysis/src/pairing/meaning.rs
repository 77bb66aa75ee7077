//! What a message means in the light of what was said before.

use super::{Incoming, Pairing};
use crate::open::{Open, OpenState};
use wirewait_wire::{Exchange, Role, Side};

impl Pairing {
    /// What a message means in the light of what was said before, if that is another thing.
    pub(super) fn meant(&self, said: &Exchange, incoming: &Incoming<'_>) -> Option<Exchange> {
        let side = incoming.side;
        let mut role = said.role;
        if said.opaque && side == incoming.between.server {
            role = Role::Response;
        }
        if role == Role::Either {
            role = match self.was_asked(1 - side, said.id) {
                true => Role::Response,
                false => Role::Request,
            };
        }
        if let Some(mut answer) = self.unmarked((role, said), incoming) {
            answer.role = self.turned(side, answer.role, &answer);
            return Some(answer);
        }
        let role = self.turned(side, role, said);
        if role == said.role {
            return None;
        }
        Some(Exchange { role, ..*said })
    }

    /// What looks like a client's request, but comes from the side that serves and goes by
    /// the identifier of a request that waits there, is its answer without the mark.
    pub(super) fn unmarked(
        &self,
        (role, x): (Role, &Exchange),
        incoming: &Incoming<'_>,
    ) -> Option<Exchange> {
        let (side, message) = (incoming.side, incoming.message);
        let asks = matches!(role, Role::Request | Role::Notice) && x.sender == Side::Client;
        if !asks || side != incoming.between.server {
            return None;
        }
        let read = incoming
            .world
            .registry
            .dissector(message.dissector?)
            .unmarked?;
        let waits = |o: &Open| {
            o.side != side
                && o.id == x.id
                && matches!(
                    o.state,
                    OpenState::Waiting | OpenState::Answering | OpenState::Asking
                )
        };
        self.open.latest(x.id?, waits)?;
        read(message.input).ok()?.exchange
    }
}

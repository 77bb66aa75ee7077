//! What a message means in the light of what was said before.

use super::Pairing;
use crate::message::Message;
use crate::open::{Open, OpenState};
use crate::world::{Between, World};
use wirewait_wire::{Exchange, Role, Side};

impl Pairing {
    /// What a message means in the light of what was said before, if that is another thing.
    pub(super) fn meant(
        &self,
        side: usize,
        said: &Exchange,
        message: &Message<'_>,
        between: &Between,
        world: &World<'_>,
    ) -> Option<Exchange> {
        let mut role = said.role;
        if said.opaque && side == between.server {
            role = Role::Response;
        }
        if role == Role::Either {
            role = match self.was_asked(1 - side, said.id) {
                true => Role::Response,
                false => Role::Request,
            };
        }
        if let Some(mut answer) = self.unmarked(side, (role, said), message, between, world) {
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
        side: usize,
        (role, x): (Role, &Exchange),
        message: &Message<'_>,
        between: &Between,
        world: &World<'_>,
    ) -> Option<Exchange> {
        let asks = matches!(role, Role::Request | Role::Notice) && x.sender == Side::Client;
        if !asks || side != between.server {
            return None;
        }
        let read = world.registry.dissector(message.dissector?).unmarked?;
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

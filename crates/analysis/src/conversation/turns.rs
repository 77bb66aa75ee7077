//! Messages of conversations whose ends take turns.

use super::{Conversation, learn};
use crate::WHOLE_FRAME;
use crate::message::{Message, datagram};
use crate::piece::Piece;
use crate::turns::{Heard, NamedMessage, Said, Turns};
use crate::world::{Event, Events, World};
use wirewait_wire::{DissectorId, Next, Placed, PlacedKind, Role, Side};

/// What a frame says of the message that it is part of.
pub(crate) struct HeardTurn<'a> {
    /// Bytes of the message that begins in it.
    pub(crate) begins: Option<u32>,
    /// What that goes by.
    pub(crate) next: Next,
    /// Its header.
    pub(crate) front: &'a [u8],
    /// What is known to stand in that.
    pub(crate) placed: Placed,
    /// Whose header that is.
    pub(crate) layer: DissectorId,
}

impl Conversation {
    /// A frame from `side`, whose turn it is now.
    pub(crate) fn turn(
        &mut self,
        side: usize,
        piece: Piece<'_>,
        heard: &HeardTurn<'_>,
        world: &World<'_>,
        events: &mut impl Events,
    ) {
        let placed = &heard.placed;
        if placed.kind == PlacedKind::Neither {
            self.pairing.control(WHOLE_FRAME, events);
            return;
        }
        let turns = self.turns.as_deref();
        let interrupts = turns.is_none_or(|turns| turns.may_be_about(1 - side, placed));
        let other = turns.is_some_and(|turns| !turns.may_be_about(side, placed));
        if interrupts {
            self.end_turn(1 - side, world, events);
        }
        if heard.begins.is_some() || other {
            self.end_turn(side, world, events);
        }
        let goes_on = self.assemblers[side].is_under_way();
        let Some(turns) = &mut self.turns else {
            return;
        };
        if let Some(length) = heard.begins {
            turns.begins(side, heard.front, heard.placed, length);
            self.say(side, piece.first(length), heard.next, world, events);
        } else if goes_on {
            let beyond = turns.goes_on(side, heard.front.len());
            self.say(side, piece.without(beyond), Next::NONE, world, events);
        } else {
            let beyond = turns.beyond(side, heard.front.len());
            self.utter(side, piece.without(beyond), heard, world, events);
        }
    }

    /// Bytes of a message that began in this frame or in one before it.
    fn say(
        &mut self,
        side: usize,
        piece: Piece<'_>,
        next: Next,
        world: &World<'_>,
        events: &mut impl Events,
    ) {
        let got = self.assemblers[side].got() + u64::from(piece.length);
        let last = self
            .turns
            .as_ref()
            .is_some_and(|turns| turns.is_whole(side, got));
        self.gather(side, world, events, |assembler, out| {
            assembler.in_room(&world.rooms, |assembler| {
                assembler.segment(&piece, next, (last, None), &world.registry, out);
            });
        });
    }

    /// Ends the turn of `side`: a message that it has not finished by now stays incomplete.
    pub(super) fn end_turn(&mut self, side: usize, world: &World<'_>, events: &mut impl Events) {
        let Some(turns) = &self.turns else {
            return;
        };
        if self.assemblers[side].is_under_way() {
            let lost = turns.is_lost(side, self.assemblers[side].got());
            self.gather(side, world, events, |assembler, out| {
                assembler.cut_short(lost, &world.registry, out);
            });
        }
    }

    /// Lets the assembler of `side` work, and takes the messages that come of it.
    fn gather(
        &mut self,
        side: usize,
        world: &World<'_>,
        events: &mut impl Events,
        work: impl FnOnce(&mut crate::assembler::Assembler, &mut dyn FnMut(Message<'_>)),
    ) {
        let Self {
            between,
            server_known,
            assemblers,
            pairing,
            faults,
            turns,
            ..
        } = self;
        work(&mut assemblers[side], &mut |mut message| {
            learn(between, server_known, side, message.exchange.as_deref());
            faults.malformed += u64::from(message.malformed);
            if let Some(id) = message.dissector {
                events.tell(Event::Protocol(id));
            }
            let input = message.input;
            let at = message.tally.extent.first.at;
            if let Some(turns) = turns.as_mut() {
                message.said = turns.said(side, input.bytes, input.length, at);
                between.named |= names(turns, side, &mut message);
            }
            pairing.message(side, &message, between, world, events);
            if world.observed {
                pairing.tell(&message, None, events);
            }
        });
        if let Some(so_far) = assemblers[side].so_far(&world.registry) {
            events.tell(Event::Assembled(&so_far));
        }
        let loose = assemblers[side].take_loose();
        if loose > 0 {
            events.tell(Event::Control(loose));
        }
    }

    /// A frame in which no message is seen to begin, and that does not go on with one.
    fn utter(
        &mut self,
        side: usize,
        piece: Piece<'_>,
        heard: &HeardTurn<'_>,
        world: &World<'_>,
        events: &mut impl Events,
    ) {
        let said = self
            .turns
            .as_mut()
            .map_or(Said::New, |turns: &mut Box<Turns>| {
                turns.uttered(side, piece.length, piece.mark.at)
            });
        let placed = &heard.placed;
        let sender = match placed.kind {
            PlacedKind::Request => Side::Client,
            PlacedKind::Response => Side::Server,
            _ => Side::Unknown,
        };
        // Raw data is part of another message, whatever it goes by.
        let id = placed.id.filter(|_| !self.pairing.expects_raw(side));
        let named = id.zip(self.turns.as_mut()).map(|(id, turns)| {
            let heard = Heard {
                said,
                whole: false,
                length: piece.length,
                at: piece.mark.at,
            };
            turns.named(side, (id, placed), &heard)
        });
        self.between.named |= named.is_some();
        self.learn_by_turn(side, sender, named.as_ref());
        let serial = self.assemblers[side].number_one();
        let Self {
            between, pairing, ..
        } = self;
        datagram(&piece, heard.layer, &world.registry, |message| {
            message.serial = serial;
            message.said = said;
            if let Some(x) = message.exchange.as_deref_mut() {
                x.sender = sender;
                if let Some(named) = &named {
                    (x.role, x.id) = (named.role, Some(named.id));
                    message.said = named.said;
                    if named.role == Role::Request && side == between.server {
                        // Requests of the side that serves are not counted.
                        x.role = Role::Notice;
                    }
                }
            }
            pairing.message(side, message, between, world, events);
            if world.observed {
                pairing.tell(message, None, events);
            }
        });
    }

    /// Learns who serves, where messages are not understood.
    fn learn_by_turn(&mut self, side: usize, sender: Side, named: Option<&NamedMessage>) {
        if self.server_known {
            return;
        }
        let answers = named.map_or(sender == Side::Server, |named| named.role == Role::Response);
        // Who speaks first asks.
        self.between.server = if answers { side } else { 1 - side };
        // Until it is answered, that is no more than a guess where an identifier will tell.
        self.server_known = named.is_none_or(|named| named.known || sender != Side::Unknown);
    }
}

/// Gives a message the identifier of its header, if that is known, and keeps its own as another
/// one. Whether it is matched by that.
fn names(turns: &mut Turns, side: usize, message: &mut Message<'_>) -> bool {
    let placed = turns.placed(side);
    let Some((id, x)) = placed.id.zip(message.exchange.as_deref_mut()) else {
        return false;
    };
    let heard = Heard {
        said: message.said,
        whole: true,
        length: message.input.length,
        at: message.tally.extent.first.at,
    };
    match (x.role, x.sender) {
        // What the server takes back goes by the file.
        (Role::Request, Side::Client | Side::Unknown) => {
            let named = turns.named(side, (id, &placed), &heard);
            message.said = named.said;
            x.alias = x.alias.or(x.id);
            x.id = Some(named.id);
        }
        (Role::Response | Role::Interim, Side::Server | Side::Unknown) => {
            let named = turns.named(side, (id, &placed), &heard);
            (x.id, x.alias) = (Some(named.id), None);
        }
        (Role::More, _) => {
            turns.also_named(side, id);
            return false;
        }
        _ => return false,
    }
    true
}

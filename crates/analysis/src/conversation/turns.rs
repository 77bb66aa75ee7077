//! Messages of conversations whose ends take turns.

use super::{Conversation, learn};
use crate::message::{Message, datagram};
use crate::piece::Piece;
use crate::turns::{Said, Turns};
use crate::world::{Event, Events, World};
use wirewait_wire::{DissectorId, Next};

/// What a frame says of the message that it is part of.
pub(crate) struct HeardTurn<'a> {
    /// Bytes of the message that begins in it.
    pub(crate) begins: Option<u32>,
    /// What that goes by.
    pub(crate) next: Next,
    /// Its header.
    pub(crate) front: &'a [u8],
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
        events: Events<'_>,
    ) {
        self.end_turn(1 - side, world, events);
        if heard.begins.is_some() {
            self.end_turn(side, world, events);
        }
        let goes_on = self.assemblers[side].is_under_way();
        let Some(turns) = &mut self.turns else {
            return;
        };
        if let Some(length) = heard.begins {
            turns.begins(side, heard.front, length);
            self.say(side, piece.first(length), heard.next, world, events);
        } else if goes_on {
            let beyond = turns.goes_on(side, heard.front.len());
            self.say(side, piece.without(beyond), Next::NONE, world, events);
        } else {
            let beyond = turns.beyond(side, heard.front.len());
            self.utter(side, piece.without(beyond), heard.layer, world, events);
        }
    }

    /// Bytes of a message that began in this frame or in one before it.
    fn say(
        &mut self,
        side: usize,
        piece: Piece<'_>,
        next: Next,
        world: &World<'_>,
        events: Events<'_>,
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
    pub(super) fn end_turn(&mut self, side: usize, world: &World<'_>, events: Events<'_>) {
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
        events: Events<'_>,
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
                events(Event::Protocol(id));
            }
            let input = message.input;
            let at = message.tally.extent.first.at;
            message.said = turns.as_mut().map_or(Said::New, |turns| {
                turns.said(side, input.bytes, input.length, at)
            });
            pairing.message(side, &message, between, world, events);
            if world.observed {
                pairing.tell(&message, None, events);
            }
        });
        if let Some(so_far) = assemblers[side].so_far(&world.registry) {
            events(Event::Assembled(&so_far));
        }
        let loose = assemblers[side].take_loose();
        if loose > 0 {
            events(Event::Control(loose));
        }
    }

    /// A frame in which no message is seen to begin, and that does not go on with one.
    fn utter(
        &mut self,
        side: usize,
        piece: Piece<'_>,
        layer: DissectorId,
        world: &World<'_>,
        events: Events<'_>,
    ) {
        let said = self
            .turns
            .as_mut()
            .map_or(Said::New, |turns: &mut Box<Turns>| {
                turns.uttered(side, piece.length, piece.mark.at)
            });
        if !self.server_known {
            // Whoever speaks first asks.
            self.between.server = 1 - side;
            self.server_known = true;
        }
        let serial = self.assemblers[side].number_one();
        let Self {
            between, pairing, ..
        } = self;
        datagram(&piece, layer, &world.registry, |mut message| {
            message.serial = serial;
            message.said = said;
            pairing.message(side, &message, between, world, events);
            if world.observed {
                pairing.tell(&message, None, events);
            }
        });
    }
}

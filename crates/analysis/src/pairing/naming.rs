//! Where the operations of one conversation happen, by name.

use super::open::Open;
use crate::message::Message;
use crate::names::{Number, Place};
use crate::world::World;
use std::sync::Arc;
use wirewait_wire::{Exchange, File, Kind};

/// What the conversation remembers besides the numbers.
#[derive(Default)]
pub(super) struct Naming {
    /// The dialect, once agreed on.
    base: Option<Arc<Place>>,
    /// What the latest request worked on, with its side and the message it came in.
    latest: Option<(usize, u64, Arc<Place>)>,
    /// Answers have told by which numbers they call what was named.
    bound: bool,
}

impl Naming {
    /// Finds the place of a request, in its numbers and in what it names itself.
    pub(super) fn asked(
        &mut self,
        open: &mut Open,
        x: &Exchange,
        message: &Message<'_>,
        world: &World<'_>,
    ) {
        let mut known = world.names.borrow_mut();
        let conversation = open.transaction.conversation;
        let handle = x.file.map(|file| file.handle);
        let mut place = self
            .latest
            .as_ref()
            .filter(|_| handle == Some(File::PREVIOUS))
            .filter(|(side, serial, _)| (*side, *serial) == (open.side, message.serial))
            .map(|(_, _, place)| Arc::clone(place));
        for number in [
            handle.map(Number::File),
            x.tree.map(Number::Tree),
            x.session.map(Number::Session),
        ] {
            let number = number.filter(|_| self.bound);
            place = place.or_else(|| known.find(conversation, number?));
        }
        place = place.or_else(|| self.base.clone());
        if x.names
            && let Some(names) = message
                .dissector
                .and_then(|id| world.registry.dissector(id).names)
        {
            (place, open.told) = known.read(names, message.input, place.as_ref());
        }
        self.latest = place
            .clone()
            .map(|place| (open.side, message.serial, place));
        open.transaction.place = place;
    }

    /// Remembers by which numbers the answer calls what the request named.
    pub(super) fn answered(
        &mut self,
        open: &mut Open,
        x: &Exchange,
        message: &Message<'_>,
        world: &World<'_>,
    ) {
        if x.status.is_some_and(|status| !status.ok) {
            return;
        }
        let mut known = world.names.borrow_mut();
        if x.choice.is_some() || x.names {
            open.parties.changed();
        }
        let t = &mut open.transaction;
        t.effects = t.effects.with(x.effects);
        t.buffer = t.buffer.or(x.buffer);
        if let (Some(choice), Some(place)) = (x.choice, &t.place) {
            t.place = known.chosen(place, choice);
            self.base.clone_from(&t.place);
        }
        if x.names
            && let Some(names) = message
                .dissector
                .and_then(|id| world.registry.dissector(id).names)
        {
            (t.place, _) = known.read(names, message.input, t.place.as_ref());
            self.base.clone_from(&t.place);
        }
        let told = open.told;
        if let Some(place) = &t.place {
            for number in [
                x.session.filter(|_| told.user).map(Number::Session),
                x.tree.filter(|_| told.share).map(Number::Tree),
                t.file
                    .filter(|_| told.path && t.kind == Kind::Open)
                    .map(|file| Number::File(file.handle)),
            ]
            .into_iter()
            .flatten()
            {
                known.bind(t.conversation, number, place);
                self.bound = true;
            }
        }
        if t.kind == Kind::Close
            && let Some(file) = t.file
        {
            known.unbind(t.conversation, Number::File(file.handle));
        }
    }
}

//! Where the operations of one conversation happen, by name.

use crate::Transaction;
use crate::message::Message;
use crate::names::{KnownNames, Number, Place, SessionStart};
use crate::open::Open;
use crate::world::{Event, Events, World};
use std::sync::Arc;
use wirewait_wire::{Effects, Exchange, File, Kind, Names, Registry};

/// What the conversation remembers besides the numbers.
#[derive(Default)]
pub(super) struct Naming {
    /// The dialect, once agreed on.
    base: Option<Arc<Place>>,
    /// What the latest request worked on, with its side and the message it came in.
    latest: Option<(usize, u64, Arc<Place>)>,
    /// Answers have told by which numbers they call what was named.
    bound: bool,
    /// The conversation that began the session of which this one is a channel: its numbers hold here.
    channel_of: Option<u64>,
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
        let conversation = self.numbers_of(open.transaction.conversation);
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
        if place.is_none() && x.operation.kind == Kind::Break {
            place = of_lease(&mut known, conversation, x);
        }
        place = place.or_else(|| self.base.clone());
        if x.names
            && let Some(names) = message
                .dissector
                .and_then(|id| world.registry.dissector(id).names)
        {
            if x.anyone {
                open.transaction.sought = known.sought(names, message.input);
                return;
            }
            (place, open.told) = known.read(names, message.input, place.as_ref());
        }
        // Where no share is known, who calls a remote procedure tells that this is a pipe.
        let unknown = |place: &Arc<Place>| place.share.is_none() && !place.pipes;
        if x.effects.has(Effects::REMOTE_CALL)
            && place.as_ref().is_none_or(unknown)
            && let Some(handle) = handle.filter(|handle| *handle != File::PREVIOUS)
            && let Some(pipe) = known.of_pipes(place.as_ref())
        {
            known.bind(conversation, Number::File(handle), &pipe);
            self.bound = true;
            place = Some(pipe);
        }
        self.latest = place
            .clone()
            .map(|place| (open.side, message.serial, place));
        let t = &mut *open.transaction;
        t.place = place;
        let call = handle.map(Number::Call);
        match (t.kind, &t.place) {
            (Kind::Write, Some(place)) if x.effects.has(Effects::REMOTE_CALL) => {
                if let Some(call) = call {
                    known.bind(conversation, call, place);
                }
            }
            // Until somebody writes to it, a pipe has nothing to give.
            (Kind::Read, Some(place)) if place.pipes => {
                let asked = call.filter(|call| known.find(conversation, *call).is_some());
                match asked {
                    Some(call) => known.unbind(conversation, call),
                    None => t.kind = Kind::Wait,
                }
            }
            _ => {}
        }
    }

    /// Remembers by which numbers the answer calls what the request named.
    pub(super) fn answered(
        &mut self,
        open: &mut Open,
        x: &Exchange,
        message: &Message<'_>,
        world: &World<'_>,
        events: &mut impl Events,
    ) {
        if x.status.is_some_and(|status| !status.ok) {
            return;
        }
        let mut known = world.names.borrow_mut();
        if x.choice.is_some() || x.names {
            open.parties.changed();
        }
        let t = &mut *open.transaction;
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
        let known_as_pipes = t.place.as_ref().is_some_and(|place| place.pipes);
        if x.effects.has(Effects::PIPES) && !known_as_pipes {
            t.place = known.of_pipes(t.place.as_ref());
            open.parties.changed();
        }
        let conversation = self.numbers_of(t.conversation);
        if let Some(session) = x.session.filter(|_| t.effects.has(Effects::LOGS_ON)) {
            let start = SessionStart {
                conversation,
                client: t.client,
            };
            if t.effects.has(Effects::BINDS) {
                let first = known.joins_session(session, start);
                self.channel_of = first.map(|first| first.conversation);
                self.bound = true;
                let elsewhere = first.filter(|of| of.client.station() != t.client.station());
                if let Some(first) = elsewhere {
                    events.tell(Event::SameClient(open.case(), first.client));
                }
            } else {
                known.begins_session(session, start);
            }
        }
        let t = &mut *open.transaction;
        let told = open.told;
        if let Some(place) = &t.place {
            for number in [
                x.session.filter(|_| told.user).map(Number::Session),
                x.tree.filter(|_| told.share).map(Number::Tree),
                t.file
                    .filter(|_| (told.path || place.pipes) && opens(t))
                    .map(|file| Number::File(file.handle)),
            ]
            .into_iter()
            .flatten()
            {
                known.bind(conversation, number, place);
                self.bound = true;
            }
        }
        if matches!(t.kind, Kind::Open | Kind::Close)
            && let Some(file) = t.file
        {
            if t.kind == Kind::Open {
                if x.effects.has(Effects::LEASES) {
                    binds_lease(&mut known, conversation, (x, t));
                }
                if !told.path {
                    self.opened(open, file, message, (&mut known, world.registry.as_ref()));
                }
                return;
            }
            known.unbind(conversation, Number::File(file.handle));
            known.unbind(conversation, Number::Call(file.handle));
        }
    }

    /// What a request opened that did not name it: its answer may.
    #[cold]
    #[inline(never)]
    fn opened(
        &mut self,
        open: &mut Open,
        file: File,
        message: &Message<'_>,
        (known, registry): (&mut KnownNames, &Registry),
    ) {
        let tells = message
            .dissector
            .and_then(|id| registry.dissector(id).opened);
        let Some(tells) = tells else {
            return;
        };
        let asked = open.question();
        let t = &mut *open.transaction;
        let tell = |names: Names<'_>| tells(message.input, &asked, names);
        let (place, told) = known.read_by(tell, t.place.as_ref());
        let Some(place) = place.filter(|_| told.path) else {
            return;
        };
        let conversation = self.numbers_of(t.conversation);
        known.bind(conversation, Number::File(file.handle), &place);
        self.bound = true;
        t.place = Some(place);
        open.parties.changed();
    }

    /// The conversation whose numbers hold in this one.
    fn numbers_of(&self, conversation: u64) -> u64 {
        self.channel_of.unwrap_or(conversation)
    }
}

/// Where the file is of which a lease is taken back.
#[cold]
#[inline(never)]
fn of_lease(known: &mut KnownNames, conversation: u64, x: &Exchange) -> Option<Arc<Place>> {
    known.find(conversation, Number::Lease(x.id?))
}

/// What was opened has a lease.
#[cold]
#[inline(never)]
fn binds_lease(known: &mut KnownNames, conversation: u64, (x, t): (&Exchange, &Transaction)) {
    if let (Some(lease), Some(place)) = (x.alias, &t.place) {
        known.bind(conversation, Number::Lease(lease), place);
    }
}

/// Whether it opens a file, by itself or with what else its message asks for.
fn opens(t: &Transaction) -> bool {
    let mut chain = t.chain.iter();
    t.operation.kind == Kind::Open || chain.any(|of| of.kind == Kind::Open)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Bench, CLIENT, SERVER, exchange};
    use super::*;
    use wirewait_wire::{Operation, Role};

    static OPEN: Operation = Operation::new("OPEN", Kind::Open, false);
    static WRITE: Operation = Operation::new("WRITE", Kind::Write, false);

    const PIPE: File = File {
        handle: 7,
        offset: None,
    };

    fn asks(bench: &mut Bench, id: u8, change: impl FnOnce(&mut Exchange), ms: i64) {
        let mut x = exchange(Role::Request, id);
        x.file = Some(PIPE);
        change(&mut x);
        bench.says(CLIENT, x, ms);
    }

    /// A pipe is opened; a read waits 200 s for what a program writes; a call is written, and the
    /// next read brings its result after 300 ms; the one behind it waits again.
    #[test]
    fn a_read_from_a_pipe_waits_by_design_if_it_brings_no_result() {
        let mut bench = Bench::new();
        asks(&mut bench, 1, |x| (x.operation, x.file) = (&OPEN, None), 0);
        let mut opened = exchange(Role::Response, 1);
        opened.file = Some(PIPE);
        opened.effects = Effects::PIPES;
        bench.says(SERVER, opened, 1);
        asks(&mut bench, 2, |_| (), 10);
        bench.sure = 150_000;
        bench.expire(150_000);
        bench.answers(2, 200_010);
        let call = |x: &mut Exchange| (x.operation, x.effects) = (&WRITE, Effects::REMOTE_CALL);
        asks(&mut bench, 3, call, 200_020);
        bench.answers(3, 200_021);
        asks(&mut bench, 4, |_| (), 200_022);
        bench.answers(4, 200_322);
        asks(&mut bench, 5, |_| (), 200_330);
        bench.answers(5, 200_331);
        bench.finish(300_000);
        let found: Vec<_> = bench
            .closed
            .iter()
            .map(|t| {
                (
                    t.kind,
                    t.work(),
                    t.response_time_ns().map(|ns| ns / 1_000_000),
                )
            })
            .collect();
        let expected = [
            (Kind::Open, Kind::Open, Some(1)),
            (Kind::Wait, Kind::Read, Some(200_000)),
            (Kind::Write, Kind::Write, Some(1)),
            (Kind::Read, Kind::Read, Some(300)),
            (Kind::Wait, Kind::Read, Some(1)),
        ];
        assert_eq!(found, expected);
    }
}

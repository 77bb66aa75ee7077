//! Matches the responses of one conversation with their requests.
//!
//! The rules are those of the definitions: t1..t4 per request, repeated requests make the
//! turnaround ambiguous, interim answers are never the answer, the latest request with an
//! identifier is the one that is answered.

mod answers;
mod asking;
mod beginning;
mod brief;
mod closing;
mod cut_off;
mod done;
mod frames;
mod holding;
mod kept;
mod meaning;
mod naming;
mod open;
mod opens;
mod ranges;
mod raw;
mod stalls;
mod strays;
#[cfg(test)]
mod testing;
mod turns;
mod unseen;
mod usual;
mod waits;

use crate::lateness::Lateness;
use crate::message::Message;
use crate::open::{Open, OpenState};
use crate::parties::Parties;
use crate::piece::PieceTally;
use crate::stalls::MessageStall;
use crate::world::{Between, Event, Events, World};
use crate::{Assembled, Deed, Extent, Flags, Mark, Transaction};
use brief::BriefResponse;
pub(crate) use frames::RepeatedFrame;
use holding::Holding;
use naming::Naming;
pub(crate) use opens::Opens;
use strays::Stray;
use unseen::UnseenRequests;
use usual::UsualTurnarounds;

use wirewait_wire::{Asked, DissectorId, Expect, Id, Role, Timestamp};

/// A request whose client has gone on to another command under its identifier is answered within
/// this time, or never, ns: a pipe may take a little longer, and DOS clients give up.
const OVERTAKEN_NS: i64 = 500_000_000;

/// The open requests of one conversation.
#[derive(Default)]
pub(crate) struct Pairing {
    open: Opens,
    next_serial: u64,
    /// Those of the latest transaction, and which side served in it.
    parties: Parties,
    server: usize,
    /// When the latest answer ended, and the number of the message that it was. Waits by
    /// design and promises taken back do not count: they keep the server from nothing.
    last_response: Option<(Mark, u64)>,
    /// The latest one in an earlier message than that.
    earlier_response: Option<(Mark, u64)>,
    /// When the latest two requests of those that were answered were complete, the latest first; likewise.
    last_answered: [Timestamp; 2],
    /// Nothing falls due before.
    due: Timestamp,
    /// Some request was seen.
    asked: bool,
    /// Some request was seen that raw data may follow, or some response that may be an interim one.
    apart: bool,
    /// Some request, or response, came in messages of their own.
    parts: bool,
    /// The latest request whose raw data may be confirmed, or not.
    unconfirmed: Option<u64>,
    /// Some request was answered.
    answered: bool,
    /// Requests that only asked whether the other end is there, before it was heard.
    probes: u64,
    /// Some request said what it is.
    named: bool,
    /// Data came from before what was taken for the beginning.
    began_late: bool,
    /// Messages are missing where only their order tells which belong together.
    doubtful: bool,
    naming: Naming,
    /// Somebody wants to know what messages and frames did.
    observed: bool,
    /// What the latest message did.
    told: Option<Box<ToldOf>>,
    /// Requests before this one that get no answer may have had one: some of the conversation
    /// was given up because of a limit.
    in_doubt: u64,
    /// Some of it was.
    limited: bool,
    /// Answered, by messages of these numbers, when it was not known how late it was.
    unsure: Vec<(u64, u64)>,
    /// The latest request of which a part was passed by, since it seemed late.
    passed_by: Option<Id>,
    /// The latest response without a request, while its request may still come.
    stray: Option<Box<Stray>>,
    /// A response that may be an interim one, until the next message.
    brief: Option<Box<BriefResponse>>,
    /// What messages of requests that are open stood still for.
    stalls: Vec<MessageStall>,
    /// Frames of each side that were longer than others on their way, until the request is over whose first ones
    /// they are.
    late: Vec<(usize, u64, Lateness)>,
    /// Whether responses may have waited for acknowledgements of others.
    holding: Holding,
    /// How long requests take that are asked once.
    usual: UsualTurnarounds,
    /// Requests that the capture lacks.
    unseen: UnseenRequests,
    /// Which message of each side was repeated last where nothing below repeats what is lost, and when.
    repeats: [Option<(u64, Timestamp)>; 2],
}

/// A message that comes from one side, and all that it comes into.
#[derive(Clone, Copy)]
struct Incoming<'a> {
    side: usize,
    message: &'a Message<'a>,
    between: &'a Between,
    world: &'a World<'a>,
}

/// What a message did.
#[derive(Clone, Copy, Default)]
struct ToldOf {
    /// In which transaction, and what.
    deed: Option<(u64, Deed)>,
    /// The request that it answers.
    asked: Option<Asked>,
}

impl Pairing {
    /// Begins anew, in the room of requests that are all closed. `rest`: those before may have
    /// been given up because of a limit.
    pub(crate) fn restart(&mut self, observed: bool, rest: bool) {
        let Self {
            open,
            next_serial,
            parties,
            server,
            last_response,
            earlier_response,
            last_answered,
            due,
            asked,
            apart,
            parts,
            unconfirmed,
            answered,
            probes,
            named,
            began_late,
            doubtful,
            naming,
            observed: is_observed,
            told,
            in_doubt,
            limited,
            unsure,
            passed_by,
            stray,
            brief,
            stalls,
            late,
            holding,
            usual,
            unseen,
            repeats,
        } = self;
        open.empty();
        stalls.clear();
        late.clear();
        *holding = Holding::default();
        *usual = UsualTurnarounds::default();
        *unseen = UnseenRequests::default();
        *repeats = [None; 2];
        (*next_serial, *probes) = (0, 0);
        *parties = Parties::UNKNOWN;
        *server = 0;
        (*last_response, *earlier_response) = (None, None);
        *last_answered = Default::default();
        *due = Timestamp::from_nanos(i64::MAX);
        *unconfirmed = None;
        (*asked, *apart, *parts, *answered, *named) = (false, false, false, false, false);
        (*began_late, *doubtful) = (false, false);
        *naming = Naming::default();
        *is_observed = observed;
        *told = None;
        *in_doubt = 0;
        *limited = rest;
        unsure.clear();
        *passed_by = None;
        (*stray, *brief) = (None, None);
    }

    /// Some of the conversation is given up because of a limit: what is open and gets no answer
    /// may have had one, and so may what seems to answer nothing.
    pub(crate) fn doubt(&mut self) {
        self.in_doubt = self.next_serial;
        self.limited = true;
    }

    /// Whether a request was answered.
    pub(crate) fn has_answered(&self) -> bool {
        self.answered
    }

    /// Whether a client waits for a response to what it asked since then, and was not asked to.
    pub(crate) fn asks(&self, since: Timestamp) -> bool {
        let mut asking = self.open.asking();
        asking.any(|open| open.is_urgent() && open.is_asked(since))
    }

    /// Whether it did until this frame, and was answered in it or asks nothing else in it.
    pub(crate) fn goes_on_waiting(&self, since: Timestamp, frame: u64) -> bool {
        let in_frame = |extent: Option<Extent>| extent.is_some_and(|of| of.first.frame == frame);
        let mut all = self.open.asking().chain(self.open.unclosed());
        let asked = |open: &Open| in_frame(open.transaction.request);
        if self.open.asking().any(asked) {
            return false;
        }
        all.any(|open| {
            let waits = open.state == OpenState::Waiting || in_frame(open.transaction.response);
            open.is_urgent() && open.is_asked(since) && waits
        })
    }

    /// Takes a message from `side`; says to which transaction it belongs.
    pub(crate) fn message(
        &mut self,
        side: usize,
        message: &Message<'_>,
        between: &Between,
        world: &World<'_>,
        events: &mut impl Events,
    ) -> Option<u64> {
        if self.told.is_some() {
            self.told = None;
        }
        let incoming = Incoming {
            side,
            message,
            between,
            world,
        };
        let found = self.take(&incoming, events);
        if between.displaced
            && let Some(serial) = found
        {
            self.displaced(serial, between, world, events);
        }
        if between.unordered
            && let Some(open) = found.and_then(|serial| self.by_serial(serial))
            && matches!(open.deed, Deed::Response | Deed::Retransmitted)
        {
            if open.deed == Deed::Response {
                let once = open.transaction.turnaround.exact();
                if let Some(ns) = once.filter(|_| open.state == OpenState::Done) {
                    self.usual.took(ns);
                }
                return self.noted(side, found);
            }
            let t = &*open.transaction;
            let (first, needless) = match open.side == side {
                true => (t.request, open.arrived[0]),
                false => (t.response, false),
            };
            let at = message.tally.extent.first.at;
            let serial = open.serial;
            let before = self.repeats[side].replace((serial, at));
            // All repetitions of one cost what passes up to the last.
            let before = before.filter(|(of, _)| *of == serial).map(|(_, at)| at);
            let before = before.or(first.map(|first| first.first.at));
            let lost = before.map_or(0, |before| at.since(before).max(0));
            // The server said before that it has it.
            events.tell(Event::Repeated(if needless { 0 } else { lost }));
        }
        self.noted(side, found)
    }

    /// What was found, for observers as well.
    fn noted(&mut self, side: usize, found: Option<u64>) -> Option<u64> {
        if self.observed {
            self.notes(side, found);
        }
        found
    }

    /// Keeps what observers hear of the message taken last.
    #[cold]
    fn notes(&mut self, side: usize, found: Option<u64>) {
        let open = found.and_then(|serial| self.by_serial(serial));
        let told = open.map(|open| ToldOf {
            deed: Some((open.transaction.number, open.deed)),
            asked: (open.side != side).then(|| open.question()),
        });
        if let Some(told) = told {
            self.told = Some(Box::new(told));
        }
    }

    /// Reports the message taken last, with what its frames did.
    pub(crate) fn tell(
        &self,
        message: &Message<'_>,
        framer: Option<DissectorId>,
        events: &mut impl Events,
    ) {
        let trace = message.trace;
        let ToldOf { deed, asked } = self.told.as_deref().copied().unwrap_or_default();
        if let Some((number, _)) = deed {
            for (frame, deed) in trace.others {
                events.tell(Event::Did(number, *deed, Some(*frame)));
            }
        }
        events.tell(Event::Assembled(&Assembled {
            follows: trace.follows,
            complete: true,
            framer,
            dissector: message.dissector,
            header: trace.header,
            head: message.input,
            stretches: trace.stretches,
            omitted: trace.omitted,
            deed,
            asked,
        }));
    }

    fn take(&mut self, incoming: &Incoming<'_>, events: &mut impl Events) -> Option<u64> {
        let (side, message) = (incoming.side, incoming.message);
        if self.apart
            && let Some(found) = self.headerless(incoming, events)
        {
            return Some(found);
        }
        let Some(said) = message.exchange.as_deref() else {
            if message.tally.flags.contains(Flags::SNAPPED) {
                self.is_cut_off(incoming, events);
            }
            self.upkeep(&message.tally, events);
            return None;
        };
        let meant = self.meant(said, incoming);
        let x = meant.as_ref().unwrap_or(said);
        if x.role == Role::Turn {
            let found = self.by_turn(x, incoming, events);
            if found.is_none() {
                self.upkeep(&message.tally, events);
            }
            return found;
        }
        self.named |= x.role == Role::Request;
        let answered = self.answers(x, incoming, events);
        let found = match x.role {
            Role::Request if x.expect == Expect::Nothing => None,
            Role::Request if self.is_stray(side, x) => {
                self.passed_by = x.id;
                None
            }
            Role::Request => Some(self.request(x, incoming, events)),
            Role::More => self.more(x, incoming, events),
            Role::Response | Role::Either | Role::Interim => self.response(x, incoming, events),
            Role::Cancel => self.cancel(x, message, events),
            Role::Ack | Role::Upkeep => self.serve(x, incoming, events),
            Role::Refusal => self.refuse(x, incoming, events),
            Role::Notice | Role::Probe | Role::Alive | Role::Turn => None,
        };
        match (found, answered) {
            (Some(serial), _) => Some(serial),
            (None, Some(serial)) => {
                match self.by_serial(serial) {
                    Some(open) => *open.transaction.counted().1 += message.tally.share,
                    None => events.tell(Event::Control(message.tally.share)),
                }
                Some(serial)
            }
            (None, None) => {
                self.upkeep(&message.tally, events);
                None
            }
        }
    }

    /// Bytes of `side` up to `end` are missing, for the reason that the flag says. Where only the order tells whose an answer
    /// is, nothing may count on it any more.
    pub(crate) fn missed(
        &mut self,
        side: usize,
        (end, why): (u64, Flags),
        now: Timestamp,
        between: &Between,
        world: &World<'_>,
        events: &mut impl Events,
    ) {
        for serial in self.open.lacking(1 - side, end) {
            let Some(at) = self.open.place_of(serial) else {
                continue;
            };
            // The answer may be among what is missing.
            self.open.awaits(at);
            let open = &mut *self.open[at];
            // What was asked before those bytes arrived may be what they answered.
            if open.is_guessed() {
                open.transaction.flags.set(why);
                self.close(at, Some(now), between, world, events);
            }
        }
        for serial in self.open.unflagged(why) {
            if let Some(open) = self.by_serial(serial) {
                open.transaction.flags.set(why);
            }
        }
        // Another request with the name of one of them may be among it.
        self.open.lacks(side);
        self.doubtful |= self.open.has_guessed();
    }

    /// Data came from before what was taken for the beginning: requests may be among it.
    pub(crate) fn began_late(&mut self) {
        self.began_late = true;
    }

    /// Frames of `side` are missing: answers may be among them, or requests.
    pub(crate) fn awaits(&mut self, side: usize) {
        self.open.await_all(1 - side, self.next_serial);
        self.open.lacks(side);
    }

    /// Transactions whose response is complete, and which are not closed yet.
    pub(crate) fn unclosed(&self) -> impl Iterator<Item = &Transaction> {
        self.open.unclosed().map(|open| &*open.transaction)
    }

    /// Whether something may have waited too long, as of `now`.
    #[inline]
    pub(crate) fn is_due(&self, now: Timestamp) -> bool {
        now >= self.due
    }

    /// Whether a request of `side` with this identifier is open, or was answered just now.
    pub(crate) fn was_asked(&self, side: usize, id: Option<Id>) -> bool {
        id.is_some_and(|id| {
            let asked = |o: &Open| o.side == side && o.id == Some(id);
            self.open.latest(id, asked).is_some()
        })
    }

    /// Those of the latest transaction, if it was between the same two.
    fn known(&mut self, between: &Between) -> &mut Parties {
        if self.server != between.server {
            self.server = between.server;
            self.parties = Parties::UNKNOWN;
        }
        &mut self.parties
    }

    /// The one who serves has another address.
    pub(crate) fn readdressed(&mut self) {
        self.parties = Parties::UNKNOWN;
    }

    /// Whether the transaction with this number of the conversation is.
    pub(crate) fn is_open(&self, serial: u64) -> bool {
        self.open.place_of(serial).is_some()
    }

    /// Whether nothing is open.
    pub(crate) fn is_idle(&self) -> bool {
        self.open.is_empty()
    }

    /// Nothing was said but requests that ask whether the other end is there, and it was not heard.
    pub(crate) fn only_probed(&self) -> bool {
        self.probes > 0 && self.probes == self.next_serial
    }

    fn by_serial(&mut self, serial: u64) -> Option<&mut Open> {
        self.open.with_serial(serial)
    }

    fn upkeep(&mut self, tally: &PieceTally, events: &mut impl Events) {
        match self.open.earliest_undone() {
            Some(at) => {
                let open = &mut *self.open[at];
                let frames = &mut open.transaction.frames;
                frames.control = frames.control.saturating_add(tally.frames);
                open.transaction.share += tally.share;
                if self.observed {
                    let deed = (open.transaction.number, Deed::Control);
                    self.told.get_or_insert_default().deed = Some(deed);
                }
            }
            None => events.tell(Event::Control(tally.share)),
        }
    }
}

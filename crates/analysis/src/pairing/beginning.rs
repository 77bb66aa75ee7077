//! The open request, and the transaction, that a message begins.

use crate::account::SURE;
use crate::message::Message;
use crate::names::Told;
use crate::open::{Open, OpenState, Waiting};
use crate::ranges::Ranges;
use crate::world::{Between, World};
use crate::{Deed, Flags, FrameCounts, Outcome, Transaction, Turnaround};
use wirewait_wire::{Chain, Exchange, Kind, Operation, Timestamp};

impl Open {
    /// Of a request that was seen just now, in the place of whatever was open here before.
    pub(super) fn begin(
        &mut self,
        (number, side_of): (u64, usize),
        x: &Exchange,
        message: &Message<'_>,
        between: &Between,
        world: &World<'_>,
    ) {
        let tally = &message.tally;
        begins(&mut self.transaction, x, message, between, world);
        // All of it, so that nothing is left of the one before; one by one, so that it is
        // written where it stays.
        let Self {
            serial,
            transaction: t,
            parties: _,
            state,
            side,
            id,
            alias,
            lane,
            command,
            asked_to,
            had,
            answered_to,
            awaited,
            goes_on,
            number: sent_as,
            expect,
            may_wait,
            opaque,
            cancelled,
            told,
            got,
            of,
            mask,
            worked_on_at,
            unconfirmed,
            asked_again_at: _,
            by_copy: _,
            lacking,
            asked,
            answered,
            resent,
            arrived,
            refused,
            repeated_at,
            arrived_but_for,
            heard_out,
            promised,
            reached,
            reached_at,
            lost_ns,
            held_ns,
            recovered_ns,
            unsure,
            unsure_ns,
            lost_until,
            waiting,
            anyone,
            by_turn,
            grown,
            overtaken,
            passed_over,
            followed,
            lingers,
            shelved,
            deadline,
            listed: _,
            deed,
        } = self;
        t.request = Some(tally.extent);
        t.request_bytes = tally.bytes;
        t.frames.request = tally.frames;
        t.frames.offloaded = tally.offloaded;
        t.asked_bytes = x.asked;
        t.data_bytes = x.data;
        t.copies = tally.copies.saturating_add(1);
        *serial = number;
        *state = OpenState::Asking;
        *side = side_of;
        *id = x.id;
        *alias = x.alias;
        *lane = x.lane;
        *command = x.command;
        (*asked_to, *had, *answered_to) = (tally.sent.behind, tally.sent.covers, 0);
        (*awaited, *goes_on) = (None, None);
        *sent_as = x.number.filter(|_| between.unordered);
        *expect = x.expect;
        (*may_wait, *opaque, *cancelled) = (x.may_wait, x.opaque, false);
        *told = Told::default();
        (*got, *of, *mask) = ([0; 2], [u64::MAX; 2], 0);
        (*asked, *answered) = (Ranges::default(), Ranges::default());
        *resent = tally.resent;
        *refused = None;
        (*arrived, *repeated_at, *arrived_but_for) = ([false; 2], None, u64::MAX);
        *lacking = false;
        (*worked_on_at, *unconfirmed) = (Timestamp::default(), None);
        (*promised, *reached, *heard_out) = (false, false, false);
        *reached_at = None;
        (*lost_ns, *held_ns) = ([tally.lost_ns, 0], [tally.held_ns, 0]);
        *recovered_ns = 0;
        // Where nothing numbers messages; a response that was lost is asked for again, which shows it.
        (*unsure, *unsure_ns) = ([between.unsure, SURE], i64::MAX);
        *lost_until = None;
        *waiting = Waiting::Nobody;
        *anyone = x.anyone;
        *by_turn = false;
        *grown = tally.frames > 1;
        (*overtaken, *passed_over) = (false, false);
        *followed = None;
        *lingers = x.lane.is_some() || between.turns;
        *shelved = None;
        *deadline = tally.extent.last.at.plus(world.settings.timeout_ns);
        *deed = Deed::Request;
    }
}

impl Transaction {
    /// The class of work of what was asked for, also where it waits by design.
    #[must_use]
    pub fn work(&self) -> Kind {
        match self.kind {
            Kind::Wait => kind_of(self.operation, &self.chain),
            kind => kind,
        }
    }
}

/// The transaction that a message begins.
pub(super) fn transaction(
    x: &Exchange,
    message: &Message<'_>,
    between: &Between,
    world: &World<'_>,
) -> Transaction {
    let mut t = Transaction::default();
    begins(&mut t, x, message, between, world);
    t
}

/// Makes it the transaction that a message begins, whatever it was: field by field, so that it
/// is written where it stays.
#[inline(always)]
fn begins(
    t: &mut Transaction,
    x: &Exchange,
    message: &Message<'_>,
    between: &Between,
    world: &World<'_>,
) {
    let tally = &message.tally;
    let Transaction {
        number,
        protocol,
        carrier,
        client,
        server,
        conversation,
        operation,
        code,
        chain,
        kind,
        outcome,
        status,
        request,
        response,
        raw_end,
        lost_until,
        turnaround,
        service_ns,
        interims,
        interim_bytes,
        first_interim,
        copies,
        duplicate_responses,
        asked_bytes,
        data_bytes,
        request_bytes,
        response_bytes,
        response_head_bytes,
        frames,
        share,
        file,
        place,
        effects,
        buffer,
        hops,
        flags,
        everyone,
        sought,
    } = t;
    let dissector = message.dissector;
    *number = 0;
    *protocol = dissector.map_or("", |id| world.registry.dissector(id).name);
    *carrier = between.carrier;
    *client = between.ends[1 - between.server];
    *server = between.ends[between.server];
    *conversation = between.conversation;
    *operation = x.operation;
    *code = x.code;
    *chain = x.chain;
    *kind = kind_of(x.operation, &x.chain);
    *outcome = Outcome::Unanswered;
    *status = None;
    (*request, *response, *raw_end, *lost_until) = (None, None, None, None);
    *everyone = between.everyone;
    if sought.is_some() {
        *sought = None;
    }
    (*turnaround, *service_ns) = (Turnaround::None, None);
    (*interims, *interim_bytes, *first_interim) = (0, 0, None);
    (*copies, *duplicate_responses) = (1, 0);
    (*asked_bytes, *data_bytes) = (0, 0);
    (*request_bytes, *response_bytes, *response_head_bytes) = (0, 0, 0);
    *frames = FrameCounts {
        ack: tally.acks,
        retransmitted: tally.retransmitted,
        ..FrameCounts::default()
    };
    *share = tally.share;
    *file = x.file;
    *place = None;
    *effects = x.effects;
    *buffer = None;
    *hops = tally.hops;
    *flags = tally.flags;
    flags.set_if(Flags::ENCRYPTED, x.opaque);
    flags.set_if(Flags::BY_ORDER, x.id.is_none() && !x.opaque);
}

/// Several operations in one message are of the kind of the last that reads, writes or
/// opens: that is what the client waits for.
pub(super) fn kind_of(operation: &Operation, chain: &Chain) -> Kind {
    if !chain.is_several() {
        return operation.kind;
    }
    let moves = |kind: &Kind| matches!(kind, Kind::Read | Kind::Write | Kind::Open);
    let kinds = chain.iter().map(|operation| operation.kind);
    std::iter::once(operation.kind)
        .chain(kinds)
        .filter(moves)
        .last()
        .unwrap_or(operation.kind)
}

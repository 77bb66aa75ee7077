//! What frames are spent on, by server and carrier: perf definitions, sections 4 to 6 and 8.

mod effort;
mod handles;
mod row;
mod spent;

pub use row::{Accesses, Efficiency, EfficiencyRow, LayerAcks, Rates, Throughput, Units};
pub(crate) use spent::{Payer, Spent};
use wirewait_wire::word::Name;

use crate::bounds::Hits;
use crate::case::{Case, Wait};
use crate::column::Column;
use crate::path::{Path, PathEffort};
use crate::table::{Table, TablePlace};
use crate::world::Seen;
use crate::{Notice, Noticed, Outcome, Settings, Transaction, Volume};
use effort::{Acts, Effort, brings_data};
use handles::Handles;
use std::collections::BTreeMap;
use wirewait_model::records::Group;
use wirewait_wire::{Address, Endpoint, Kind, Registry, Timestamp};

/// Bytes of the buffer that a server is taken to have where the capture does not show it.
pub const ASSUMED_BUFFER: u64 = 4096;

/// Gathers what is in an [`Efficiency`].
pub(crate) struct Spending {
    /// Frames of conversations, by their numbers.
    efforts: Table<u64, Effort>,
    /// Of conversations that were forgotten, and of transactions.
    rows: Table<RowKey, EfficiencyRow>,
    /// Each client at each server on each carrier.
    ties: Column<Tie>,
    handles: Handles,
    elsewhere: Volume,
    copies: Volume,
    acts: Acts,
    passer_by: Option<PasserBy>,
    /// The row that was asked for last.
    latest: Option<(RowKey, TablePlace)>,
    evicted: u64,
    /// Rows that had to go, so that all still sum to the capture.
    gone: EfficiencyRow,
}

type RowKey = (Option<Endpoint>, Name);

/// A conversation whose client is on probation, and whom it asks: its frame counts at once in the
/// row of that server.
#[derive(Clone, Copy)]
struct PasserBy {
    conversation: u64,
    client: Address,
    server: Endpoint,
    carrier: Name,
}

/// One client at one server on one carrier.
#[derive(Default)]
struct Tie {
    /// Requests that the client waits for, and since when.
    outstanding: u32,
    since: Timestamp,
    until: Option<Timestamp>,
    /// Their transactions.
    row: EfficiencyRow,
}

impl Spending {
    pub(crate) fn new(settings: &Settings) -> Self {
        Self {
            efforts: Table::new(settings.conversations),
            rows: Table::new(settings.rows),
            ties: Column::new(),
            handles: Handles::new(),
            elsewhere: Volume::default(),
            copies: Volume::default(),
            acts: Acts::default(),
            passer_by: None,
            latest: None,
            evicted: 0,
            gone: EfficiencyRow::default(),
        }
    }

    /// Rows that were dropped because there were too many.
    pub(crate) fn evicted(&self) -> u64 {
        self.evicted
    }

    /// What was lost to fixed bounds.
    pub(crate) fn hits(&self) -> &Hits {
        &self.handles.hits
    }

    /// A mirror copy of this length.
    pub(crate) fn copy(&mut self, bytes: u64) {
        self.copies += Volume::frame(bytes);
    }

    /// A frame that no conversation takes.
    pub(crate) fn elsewhere(&mut self, bytes: u64) {
        self.elsewhere += Volume::frame(bytes);
    }

    /// A transport did something with a frame.
    pub(crate) fn noticed(&mut self, notice: &Notice) {
        let frame = notice.mark.frame;
        match notice.what {
            Noticed::Acknowledged { message: true, .. } => self.acts(frame).messages = true,
            Noticed::Acknowledged { .. } => self.acts(frame).frames = true,
            Noticed::Resent { after_ns } => {
                let lost = after_ns.and_then(|ns| u64::try_from(ns).ok());
                let acts = self.acts(frame);
                acts.resent = true;
                acts.lost_ns = acts.lost_ns.saturating_add(lost.unwrap_or(0));
            }
            Noticed::Polled { .. } | Noticed::PollUnanswered { .. } => {
                self.acts(frame).probed = true;
            }
            // Some of the others are told of frames that are long past.
            _ => {}
        }
    }

    /// Nothing below repeats what is lost, and this frame repeats a message that first came so
    /// long ago.
    pub(crate) fn repeated(&mut self, frame: u64, after_ns: i64) {
        let acts = self.acts(frame);
        acts.resent = true;
        acts.lost_ns = u64::try_from(after_ns).unwrap_or(0);
    }

    /// A frame was taken in by a conversation; `None` where it is upkeep of none.
    pub(crate) fn frame(
        &mut self,
        seen: &Seen<'_>,
        conversation: Option<u64>,
        bytes: u64,
        registry: &Registry,
    ) {
        let acts = match self.acts.frame == seen.mark.frame {
            true => self.acts,
            false => Acts::default(),
        };
        let volume = Volume::frame(bytes);
        if self.passer_by.is_some() && self.passes_by(seen, conversation, acts, registry, bytes) {
            return;
        }
        let Some(number) = conversation else {
            let row = self.row((None, seen.carrier));
            row.control += volume;
            return;
        };
        // As nearly all are: of a conversation that is known, and nothing but one frame more.
        if acts.is_none()
            && let Some(known) = seen.path.effort.get()
            && known.conversation == number
            && let Some(side) = known.side
            && let Some(effort) = self.efforts.again(known.place)
            && effort.server.is_some()
        {
            effort.came(side, brings_data(seen), volume);
            return;
        }
        let effort = self.effort_of(number, seen.path);
        let side = effort.side(seen);
        seen.path.effort.update(|known| {
            known.map(|known| PathEffort {
                side: Some(side),
                ..known
            })
        });
        if effort.server.is_none() && !seen.carrier.is_empty() {
            effort.carrier = seen.carrier;
        }
        effort.frame(seen, acts, volume, registry);
    }

    /// Counts the frame at hand if it is of a client on probation.
    #[cold]
    fn passes_by(
        &mut self,
        seen: &Seen<'_>,
        conversation: Option<u64>,
        acts: Acts,
        registry: &Registry,
        bytes: u64,
    ) -> bool {
        let of = self.passer_by.take();
        let Some(of) = of.filter(|of| conversation == Some(of.conversation)) else {
            return false;
        };
        let row = self.row((Some(of.server), of.carrier));
        let towards = seen.walk.facts.from.address == of.client && of.client != of.server.address;
        // Nearly all of them are requests of which nothing else is to be said.
        if towards && acts.is_none() && brings_data(seen) {
            row.passed(Volume::frame(bytes));
            return true;
        }
        let mut effort = Effort::of(&of);
        effort.frame(seen, acts, Volume::frame(bytes), registry);
        effort.add_to(row);
        true
    }

    /// The frame at hand is a request of a client on probation.
    pub(crate) fn passes(
        &mut self,
        conversation: u64,
        (client, server): (Endpoint, Endpoint),
        carrier: Name,
    ) {
        self.passer_by = Some(PasserBy {
            conversation,
            client: client.address,
            server: server.station(),
            carrier,
        });
    }

    /// A client waits for a request.
    pub(crate) fn begins(&mut self, wait: Wait<'_>, path: &Path) {
        if wait.anyone {
            return;
        }
        let Case {
            transaction: t,
            parties,
        } = wait.case;
        if parties.on_probation {
            self.passes(t.conversation, (t.client, t.server), t.carrier);
            return;
        }
        let effort = self.effort_of(t.conversation, path);
        (effort.server, effort.carrier) = (Some(t.server.station()), t.carrier);
        effort.place = Some(parties.server);
        if parties.tie == TablePlace::NOWHERE {
            return;
        }
        let sequential = self.handles.asked(wait.case);
        let tie = self.tie(parties.tie, t.server, t.carrier);
        if tie.outstanding == 0 {
            tie.since = tie.until.map_or(wait.began, |at| at.max(wait.began));
        }
        tie.outstanding = tie.outstanding.saturating_add(1);
        if let Some(sequential) = sequential
            && let Some(accesses) = accesses(&mut tie.row, t.kind)
        {
            accesses.placed += 1;
            accesses.random += u64::from(!sequential);
        }
    }

    /// It no longer does, since `at`.
    pub(crate) fn ends(&mut self, wait: Wait<'_>, at: Timestamp) {
        if wait.anyone {
            return;
        }
        let t = wait.case.transaction;
        if wait.case.parties.tie == TablePlace::NOWHERE {
            return;
        }
        let tie = self.tie(wait.case.parties.tie, t.server, t.carrier);
        if tie.outstanding == 0 {
            // Its beginning was dropped with an evicted row.
            return;
        }
        tie.outstanding -= 1;
        let until = tie.until.map_or(at, |until| until.max(at));
        let until = until.max(tie.since);
        tie.until = Some(until);
        if tie.outstanding == 0 {
            let busy = u64::try_from(until.since(tie.since)).unwrap_or(0);
            let moved = &mut tie.row.moved;
            moved.busy_ns = moved.busy_ns.saturating_add(busy);
        }
    }

    /// A transaction is closed: on whose account it is, and what access it was.
    pub(crate) fn closed(&mut self, case: Case<'_>, path: &Path) -> (Payer, Accesses) {
        let t = case.transaction;
        if t.response.is_none() {
            // It changes nothing, and what is not known any more does not come back for it.
            let effort = self.efforts.get(&t.conversation);
            let payer = effort.map_or(Payer::Server(Some(t.server.station()), t.carrier), |e| {
                e.payer(case)
            });
            if matches!(t.kind, Kind::Open | Kind::Close) {
                self.handles.forget(case);
            }
            return (payer, Accesses::default());
        }
        let effort = self.effort_of(t.conversation, path);
        // Whom a question to anyone was for shows in the first answer.
        if effort.server.is_none() {
            (effort.server, effort.carrier) = (Some(t.server.station()), t.carrier);
            effort.place = Some(case.parties.server);
        }
        effort.buffer = t.buffer.or(effort.buffer);
        let buffer = effort.buffer;
        let payer = effort.payer(case);
        let mut access = Accesses::default();
        if t.outcome == Outcome::Answered && matches!(t.kind, Kind::Read | Kind::Write) {
            access.count = 1;
            access.bytes = t.data_bytes;
            size(t, buffer, &mut access);
            self.handles.answered(case, &mut access);
        }
        if matches!(t.kind, Kind::Open | Kind::Close) {
            self.handles.forget(case);
        }
        (payer, access)
    }

    /// Counts closed transactions of this group, which are on the account of `payer` and stand
    /// between the two of `tie`.
    pub(crate) fn post(&mut self, (payer, tie): (Payer, TablePlace), group: &Group, spent: &Spent) {
        let row = match payer {
            Payer::Server(server, carrier) => self.row((server, carrier)),
            // Whatever is gone was counted for its server.
            Payer::Tie if tie == TablePlace::NOWHERE => {
                self.row((Some(group.key.server_end.station()), group.key.carrier))
            }
            Payer::Tie => &mut self.tie(tie, group.key.server_end, group.key.carrier).row,
        };
        row.exchanges += spent.exchanges;
        row.frames.merge(&group.frames);
        row.session_frames += spent.session_frames;
        row.moved.absorb(&spent.moved);
        if let Some(accesses) = accesses(row, group.key.kind) {
            accesses.absorb(&spent.access);
        }
    }

    /// How things stand.
    pub(crate) fn found(&self) -> Efficiency {
        let mut rows: BTreeMap<RowKey, EfficiencyRow> = BTreeMap::new();
        for (key, row) in self.rows.iter() {
            rows.entry(*key).or_default().absorb(row);
        }
        for (_, tie) in self.ties.iter() {
            let key = (tie.row.server, tie.row.carrier);
            rows.entry(key).or_default().absorb(&tie.row);
        }
        for (_, effort) in self.efforts.iter() {
            let key = (effort.server, effort.carrier);
            let row = rows.entry(key).or_default();
            effort.add_to(row);
        }
        let mut together = self.gone.clone();
        let mut rows: Vec<EfficiencyRow> = rows
            .into_iter()
            .map(|((server, carrier), row)| {
                together.absorb(&row);
                EfficiencyRow {
                    server,
                    carrier,
                    ..row
                }
            })
            .collect();
        rows.sort_by(|a, b| {
            let rank = |row: &EfficiencyRow| (row.server.is_some(), row.all().bytes);
            rank(b)
                .cmp(&rank(a))
                .then_with(|| (a.server, a.carrier).cmp(&(b.server, b.carrier)))
        });
        Efficiency {
            rows,
            together,
            elsewhere: self.elsewhere,
            copies: self.copies,
        }
    }

    /// Acts of this frame.
    fn acts(&mut self, frame: u64) -> &mut Acts {
        if self.acts.frame != frame {
            self.acts = Acts {
                frame,
                ..Acts::default()
            };
        }
        &mut self.acts
    }

    fn effort_place(&mut self, number: u64) -> TablePlace {
        match self.efforts.find(&number) {
            Some(place) => place,
            None => {
                let (place, evicted) = self.efforts.insert(number, Effort::default());
                if let Some(evicted) = evicted {
                    let key = (evicted.server, evicted.carrier);
                    evicted.add_to(self.row(key));
                }
                place
            }
        }
    }

    /// Its effort, where that of the path's conversation is known.
    #[inline]
    fn effort_of(&mut self, number: u64, path: &Path) -> &mut Effort {
        let place = match path.effort.get() {
            Some(PathEffort {
                conversation,
                place,
                ..
            }) if conversation == number && self.efforts.again(place).is_some() => place,
            _ => self.effort_anew(number, path),
        };
        self.efforts.at(place)
    }

    #[cold]
    #[inline(never)]
    fn effort_anew(&mut self, number: u64, path: &Path) -> TablePlace {
        let place = self.effort_place(number);
        path.effort.set(Some(PathEffort {
            conversation: number,
            place,
            side: None,
        }));
        place
    }

    fn row(&mut self, key: RowKey) -> &mut EfficiencyRow {
        let same = |known: &RowKey| std::ptr::eq(known.1, key.1) && known.0 == key.0;
        let known = self.latest.filter(|(known, _)| same(known));
        let known = known.map(|(_, place)| place);
        let place = known.filter(|place| self.rows.again(*place).is_some());
        let place = place.unwrap_or_else(|| {
            let (place, evicted) = self.rows.place_of(&key, EfficiencyRow::default);
            if let Some(evicted) = evicted {
                self.evicted += 1;
                self.gone.absorb(&evicted);
            }
            self.latest = Some((key, place));
            place
        });
        self.rows.at(place)
    }

    #[inline]
    fn tie(&mut self, place: TablePlace, server: Endpoint, carrier: &'static str) -> &mut Tie {
        if !self.ties.has(place) {
            self.new_tie(place, server, carrier);
        }
        self.ties.of(place)
    }

    #[cold]
    fn new_tie(&mut self, place: TablePlace, server: Endpoint, carrier: &'static str) {
        if let Some(gone) = self.ties.renew(place) {
            let key = (gone.row.server, gone.row.carrier);
            self.row(key).absorb(&gone.row);
        }
        let row = &mut self.ties.of(place).row;
        (row.server, row.carrier) = (Some(server.station()), carrier);
    }
}

fn accesses(row: &mut EfficiencyRow, kind: Kind) -> Option<&mut Accesses> {
    match kind {
        Kind::Read => Some(&mut row.reads),
        Kind::Write => Some(&mut row.writes),
        _ => None,
    }
}

/// Small and large, by the size that was asked for.
fn size(t: &Transaction, buffer: Option<u32>, accesses: &mut Accesses) {
    if t.asked_bytes == 0 {
        return;
    }
    let known = buffer.filter(|buffer| *buffer > 0).map(u64::from);
    let buffer = known.unwrap_or(ASSUMED_BUFFER);
    accesses.sized = 1;
    accesses.assumed = u64::from(known.is_none());
    accesses.small = u64::from(t.asked_bytes.saturating_mul(4) < buffer);
    accesses.large = u64::from(t.asked_bytes > buffer * 2);
}

//! What frames are spent on, as they come: by conversation, and on whose account its requests are.

use super::effort::{Acts, Effort, brings_data};
use super::spent::Payer;
use super::{Efficiency, EfficiencyRow, PasserBy, RowKey, Spending};
use crate::case::{Case, Wait};
use crate::path::{Path, PathEffort};
use crate::table::{Table, TablePlace};
use crate::world::Seen;
use crate::{Notice, Noticed, Settings, Volume};
use std::collections::BTreeMap;
use wirewait_wire::word::Name;
use wirewait_wire::{Endpoint, Registry};

/// Gathers what is in an [`Efficiency`] of frames.
pub(crate) struct FrameSpending {
    /// Frames of conversations, by their numbers.
    efforts: Table<u64, Effort>,
    /// Of conversations that were forgotten.
    rows: EffortRows,
    elsewhere: Volume,
    copies: Volume,
    acts: Acts,
    passer_by: Option<PasserBy>,
}

/// Rows by server and carrier.
pub(super) struct EffortRows {
    rows: Table<RowKey, EfficiencyRow>,
    /// The row that was asked for last.
    latest: Option<(RowKey, TablePlace)>,
    pub(super) evicted: u64,
    /// Rows that had to go, so that all still sum to the capture.
    gone: EfficiencyRow,
}

impl FrameSpending {
    pub(crate) fn new(settings: &Settings) -> Self {
        Self {
            efforts: Table::new(settings.conversations),
            rows: EffortRows::new(settings.rows),
            elsewhere: Volume::default(),
            copies: Volume::default(),
            acts: Acts::default(),
            passer_by: None,
        }
    }

    /// Rows that were dropped because there were too many.
    pub(crate) fn evicted(&self) -> u64 {
        self.rows.evicted
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

    /// This frame acknowledges part of one.
    #[cold]
    pub(crate) fn part_acknowledged(&mut self, frame: u64) {
        self.acts(frame).frames = true;
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
        let volume = Volume::frame(bytes);
        // As nearly all are: of a conversation that is known, and most of them nothing but one frame more.
        if self.passer_by.is_none()
            && let Some(known) = seen.path.effort.get()
            && conversation == Some(known.conversation)
            && let Some(side) = known.side
            && let Some(effort) = self.efforts.again(known.place)
            && effort.server.is_some()
        {
            // Whatever was told of it is something that it did.
            match self.acts.frame == seen.mark.frame {
                false => effort.came(side, brings_data(seen), volume),
                true => effort.frame(side, (seen, self.acts), volume, registry),
            }
            return;
        }
        self.first_frame(seen, conversation, (bytes, volume), registry);
    }

    /// As [`Self::frame`], of a conversation of which little is known as yet, or of none.
    #[inline(never)]
    fn first_frame(
        &mut self,
        seen: &Seen<'_>,
        conversation: Option<u64>,
        (bytes, volume): (u64, Volume),
        registry: &Registry,
    ) {
        let acts = match self.acts.frame == seen.mark.frame {
            true => self.acts,
            false => Acts::default(),
        };
        if self.passer_by.is_some() && self.passes_by(seen, conversation, acts, registry, bytes) {
            return;
        }
        let Some(number) = conversation else {
            let row = self.rows.row((None, seen.carrier));
            row.control += volume;
            return;
        };
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
        effort.frame(side, (seen, acts), volume, registry);
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
        let row = self.rows.row((Some(of.server), of.carrier));
        let towards = seen.walk.facts.from.address == of.client && of.client != of.server.address;
        // Nearly all of them are requests of which nothing else is to be said.
        if towards && acts.is_none() && brings_data(seen) {
            row.passed(Volume::frame(bytes));
            return true;
        }
        let mut effort = Effort::of(&of);
        let side = effort.side(seen);
        effort.frame(side, (seen, acts), Volume::frame(bytes), registry);
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
    pub(crate) fn begins(&mut self, wait: &Wait<'_>, path: &Path) {
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
        // As for nearly all: the place is that station's.
        if effort.place != Some(parties.server) {
            (effort.server, effort.carrier) = (Some(t.server.station()), t.carrier);
            effort.place = Some(parties.server);
        }
    }

    /// A transaction is closed: on whose account it is, and the buffer that the server named.
    pub(crate) fn closed(&mut self, case: Case<'_>, path: &Path) -> (Payer, Option<u32>) {
        let t = case.transaction;
        if t.response.is_none() {
            // It changes nothing, and what is not known any more does not come back for it.
            let effort = self.efforts.get(&t.conversation);
            let payer = effort.map_or(Payer::Server(Some(t.server.station()), t.carrier), |e| {
                e.payer(case)
            });
            return (payer, None);
        }
        let effort = self.effort_of(t.conversation, path);
        // Whom a question to anyone was for shows in the first answer.
        if effort.server.is_none() {
            (effort.server, effort.carrier) = (Some(t.server.station()), t.carrier);
            effort.place = Some(case.parties.server);
        }
        effort.buffer = t.buffer.or(effort.buffer);
        (effort.payer(case), effort.buffer)
    }

    /// How things stand, with what closed transactions spent.
    pub(crate) fn found(&self, spending: &Spending) -> Efficiency {
        let mut rows: BTreeMap<RowKey, EfficiencyRow> = BTreeMap::new();
        self.rows.add_to(&mut rows);
        spending.add_to(&mut rows);
        for (_, effort) in self.efforts.iter() {
            let key = (effort.server, effort.carrier);
            let row = rows.entry(key).or_default();
            effort.add_to(row);
        }
        let mut together = self.rows.gone.clone();
        together.absorb(&spending.rows.gone);
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
                    evicted.add_to(self.rows.row(key));
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
}

impl EffortRows {
    pub(super) fn new(rows: usize) -> Self {
        Self {
            rows: Table::new(rows),
            latest: None,
            evicted: 0,
            gone: EfficiencyRow::default(),
        }
    }

    /// Adds them to these.
    pub(super) fn add_to(&self, rows: &mut BTreeMap<RowKey, EfficiencyRow>) {
        for (key, row) in self.rows.iter() {
            rows.entry(*key).or_default().absorb(row);
        }
    }

    pub(super) fn row(&mut self, key: RowKey) -> &mut EfficiencyRow {
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
}

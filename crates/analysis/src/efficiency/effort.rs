//! What the frames of one conversation are spent on.

use super::PasserBy;
use super::row::{EfficiencyRow, LayerAcks, Units, layer_of};
use super::spent::Payer;
use crate::Volume;
use crate::case::Case;
use crate::table::TablePlace;
use crate::world::Seen;
use wirewait_wire::word::Name;
use wirewait_wire::{Address, Carries, Endpoint, NumberedKind, Order, Registry, Span};

/// What the frame at hand did, as far as it was told.
#[derive(Clone, Copy, Default)]
pub(super) struct Acts {
    pub(super) frame: u64,
    /// Acknowledged something new: frames, and messages above them.
    pub(super) frames: bool,
    pub(super) messages: bool,
    pub(super) resent: bool,
    pub(super) lost_ns: u64,
    /// Only asked whether anyone is there.
    pub(super) probed: bool,
}

impl Acts {
    /// Whether it did nothing but come.
    pub(super) const fn is_none(&self) -> bool {
        !(self.frames || self.messages || self.resent || self.probed) && self.lost_ns == 0
    }
}

/// Frames of one conversation. Its sides are told apart by who sent the first.
#[derive(Default)]
pub(super) struct Effort {
    pub(super) server: Option<Endpoint>,
    /// Where the server stands.
    pub(super) place: Option<TablePlace>,
    pub(super) carrier: Name,
    pub(super) opener: Option<Address>,
    /// The buffer that the server named.
    pub(super) buffer: Option<u32>,
    pub(super) spent: FrameCosts,
}

/// The part of an [`EfficiencyRow`] that frames add up to; there is one for each conversation.
#[derive(Default)]
pub(super) struct FrameCosts {
    pub(super) data: Volume,
    pub(super) resent: Volume,
    pub(super) control: Volume,
    pub(super) acks: Vec<LayerAcks>,
    pub(super) units: [Units; 2],
}

impl Effort {
    /// Of one frame of a client that passes by.
    pub(super) fn of(passer_by: &PasserBy) -> Self {
        Self {
            server: Some(passer_by.server),
            carrier: passer_by.carrier,
            opener: Some(passer_by.client),
            ..Self::default()
        }
    }

    /// Which of its sides sends a frame; that of the first is 0.
    pub(super) fn side(&mut self, seen: &Seen<'_>) -> u8 {
        let sender = seen.walk.facts.from.address;
        u8::from(*self.opener.get_or_insert(sender) != sender)
    }

    /// Counts a frame of this side that did nothing but come.
    #[inline]
    pub(super) fn came(&mut self, side: u8, data: bool, volume: Volume) {
        let spent = &mut self.spent;
        if data {
            spent.units[usize::from(side != 0)].sent += 1;
            spent.data += volume;
        } else {
            spent.control += volume;
        }
    }

    /// Counts a frame of this side and volume that did this.
    pub(super) fn frame(
        &mut self,
        side: u8,
        (seen, acts): (&Seen<'_>, Acts),
        volume: Volume,
        registry: &Registry,
    ) {
        let side = usize::from(side != 0);
        let spent = &mut self.spent;
        let data = brings_data(seen) && !acts.probed;
        if data {
            let units = &mut spent.units[side];
            units.sent += 1;
            units.resent += u64::from(acts.resent);
            units.lost_ns = units.lost_ns.saturating_add(acts.lost_ns);
        }
        let dissector = |span: &Span| registry.dissector(span.dissector);
        let last = || {
            seen.walk
                .spans()
                .last()
                .map_or("", |span| dissector(span).name)
        };
        // What is acknowledged below stands in the layer that puts frames in order.
        let ordering = || {
            let mut layers = seen.walk.spans().iter().rev().map(dissector);
            let ordering = layers.find(|dissector| dissector.orders);
            ordering.map_or_else(last, |dissector| dissector.name)
        };
        let above = matches!(seen.walk.facts.carries, Carries::Ack(_));
        if acts.resent {
            spent.resent += volume;
        } else if above && acts.messages {
            layer_of(&mut spent.acks, last()).alone += volume;
        } else if data {
            spent.data += volume;
        } else if acts.frames {
            layer_of(&mut spent.acks, ordering()).alone += volume;
            return;
        } else {
            spent.control += volume;
        }
        // It rides on whatever else the frame is.
        if acts.frames {
            layer_of(&mut spent.acks, ordering()).riding += 1;
        }
        if acts.messages && !above {
            layer_of(&mut spent.acks, last()).riding += 1;
        }
    }

    /// On whose account a transaction of its conversation is.
    pub(super) fn payer(&self, case: Case<'_>) -> Payer {
        match self.place == Some(case.parties.server) {
            true => Payer::Tie,
            false => Payer::Server(self.server, case.transaction.carrier),
        }
    }

    /// Adds its frames, the client's direction first, where it is known who that is.
    pub(super) fn add_to(&self, row: &mut EfficiencyRow) {
        let spent = &self.spent;
        let server = self.server.map(|server| server.address);
        let mut units = spent.units;
        if server.is_some() && server == self.opener {
            units.swap(0, 1);
        }
        row.add_frames(
            [spent.data, spent.resent, spent.control],
            &spent.acks,
            units,
        );
    }
}

/// Whether the frame brings data, or is a message.
pub(super) fn brings_data(seen: &Seen<'_>) -> bool {
    let walk = seen.walk;
    match (walk.facts.order, walk.facts.carries) {
        _ if walk.message.is_some() => true,
        (Order::Stream(_), _) => walk.payload(seen.frame).length > 0,
        (_, Carries::Ack(_) | Carries::Accepted(..) | Carries::Control) => false,
        (Order::Numbered(numbered), _) => numbered.kind == NumberedKind::Data,
        (Order::None, carries) => matches!(carries, Carries::Turn(_)),
    }
}

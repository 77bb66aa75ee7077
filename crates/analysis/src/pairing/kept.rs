//! A message that is kept until others tell what it is.

use super::Incoming;
use crate::message::{ENOUGH, Message};
use crate::piece::{PieceTally, clip};
use crate::trail::Trace;
use crate::turns::Said;
use crate::world::{Between, World};
use wirewait_wire::{DissectorId, Exchange, Input};

/// As much of it as is needed to take it later.
pub(super) struct KeptMessage {
    pub(super) side: usize,
    dissector: Option<DissectorId>,
    pub(super) exchange: Exchange,
    pub(super) tally: PieceTally,
    serial: u64,
    range: (u64, u64),
    /// Its head, and its true length.
    head: Vec<u8>,
    length: u32,
}

impl KeptMessage {
    /// This one, which means so much.
    pub(super) fn of(x: &Exchange, incoming: &Incoming<'_>) -> Self {
        let message = incoming.message;
        Self {
            side: incoming.side,
            dissector: message.dissector,
            exchange: *x,
            tally: message.tally,
            serial: message.serial,
            range: message.range,
            head: clip(message.input.bytes, ENOUGH as u64).to_vec(),
            length: message.input.length,
        }
    }

    /// As if it came now.
    pub(super) fn again<T>(
        &self,
        (between, world): (&Between, &World<'_>),
        take: impl FnOnce(&Exchange, &Incoming<'_>) -> T,
    ) -> T {
        let mut exchange = self.exchange;
        let message = Message {
            dissector: self.dissector,
            input: Input {
                bytes: &self.head,
                length: self.length,
            },
            exchange: Some(&mut exchange),
            malformed: false,
            tally: self.tally,
            serial: self.serial,
            range: self.range,
            trace: Trace::default(),
            said: Said::New,
        };
        let incoming = Incoming {
            side: self.side,
            message: &message,
            between,
            world,
        };
        take(&self.exchange, &incoming)
    }
}

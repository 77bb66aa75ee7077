//! Who receives what an analysis finds as it goes.

use crate::{Assembled, Deed, Notice, Transaction};
use wirewait_wire::{Endpoint, Frame};

/// Receives transactions as they are closed.
pub trait Sink {
    /// A transaction is closed: nothing about it will change.
    fn transaction(&mut self, transaction: &Transaction);

    /// The client at the first of these addresses is the machine at the second one: a connection of it is a further channel of a
    /// session that began there. What it asked for before belongs to that as well.
    fn same_client(&mut self, client: Endpoint, first: Endpoint) {
        let _ = (client, first);
    }

    /// A transport did something that an administrator counts.
    fn noticed(&mut self, notice: &Notice) {
        let _ = notice;
    }

    /// A frame was counted. `on_wire` is its bytes on the wire, preamble and gap included (variant
    /// C), or 0 for a copy of a frame captured before on its interface. Its events are reported
    /// afterwards.
    fn captured(&mut self, frame: &Frame<'_>, on_wire: u64) {
        let _ = (frame, on_wire);
    }

    /// A message was put together, or goes on with the frame at hand. Only an
    /// [observed](crate::Analyzer::observed) analysis tells.
    fn assembled(&mut self, message: &Assembled<'_>) {
        let _ = message;
    }

    /// A frame did this for a transaction without bringing bytes of a message, or with bytes
    /// of one that belongs to another. Only an [observed](crate::Analyzer::observed) analysis tells.
    fn did(&mut self, frame: u64, transaction: u64, deed: Deed) {
        let _ = (frame, transaction, deed);
    }
}

/// Ignores them.
impl Sink for () {
    fn transaction(&mut self, _: &Transaction) {}
}

/// Tells both, the first one first.
impl<A: Sink, B: Sink> Sink for (A, B) {
    fn transaction(&mut self, transaction: &Transaction) {
        self.0.transaction(transaction);
        self.1.transaction(transaction);
    }

    fn same_client(&mut self, client: Endpoint, first: Endpoint) {
        self.0.same_client(client, first);
        self.1.same_client(client, first);
    }

    fn noticed(&mut self, notice: &Notice) {
        self.0.noticed(notice);
        self.1.noticed(notice);
    }

    fn captured(&mut self, frame: &Frame<'_>, on_wire: u64) {
        self.0.captured(frame, on_wire);
        self.1.captured(frame, on_wire);
    }

    fn assembled(&mut self, message: &Assembled<'_>) {
        self.0.assembled(message);
        self.1.assembled(message);
    }

    fn did(&mut self, frame: u64, transaction: u64, deed: Deed) {
        self.0.did(frame, transaction, deed);
        self.1.did(frame, transaction, deed);
    }
}

/// Keeps them all.
impl Sink for Vec<Transaction> {
    fn transaction(&mut self, transaction: &Transaction) {
        self.push(transaction.clone());
    }
}

//! What was asked for at which server: a place for each such operation, which owns slices and heads
//! the pages of the journal.

use crate::Transaction;
use crate::table::{Table, TablePlace};
use wirewait_model::records::OperationAt;
use wirewait_wire::word::Name;
use wirewait_wire::{Kind, Operation};

/// Operations whose places are remembered, so that most are found without a hash of their key.
const FOUND: usize = 1 << FOUND_BITS;
const FOUND_BITS: u32 = 6;

/// The operations at servers. The one untouched for longest gives way.
pub(crate) struct Operations {
    table: Table<OperationAt, ()>,
    /// Those found lately, each where it is looked for.
    found: [Option<FoundOperation>; FOUND],
    /// Operations dropped because there were too many.
    pub(crate) evicted: u64,
}

/// An operation, and where it stands.
#[derive(Clone, Copy)]
struct FoundOperation {
    server: TablePlace,
    protocol: Name,
    carrier: Name,
    operation: &'static Operation,
    code: u32,
    kind: Kind,
    at: TablePlace,
}

impl Operations {
    /// At most `rows` of them.
    pub(crate) fn new(rows: usize) -> Self {
        Self {
            table: Table::new(rows),
            found: [None; FOUND],
            evicted: 0,
        }
    }

    /// Where that stands which was asked for at this server; it may push another one out.
    #[inline]
    pub(crate) fn place_of(&mut self, t: &Transaction, server: TablePlace) -> TablePlace {
        let slot = FoundOperation::slot(t, server);
        if let Some(found) = &self.found[slot]
            && found.is(t, server)
            && self.table.again(found.at).is_some()
        {
            return found.at;
        }
        self.look_up(slot, t, server)
    }

    #[inline(never)]
    fn look_up(&mut self, slot: usize, t: &Transaction, server: TablePlace) -> TablePlace {
        // Of a server of which nothing is kept there are operations all the same.
        let key = OperationAt {
            server: server.id(),
            protocol: t.protocol,
            carrier: t.carrier,
            command: t.operation.name,
            code: t.code,
            kind: t.kind,
        };
        let (at, gone) = self.table.place_of(&key, || ());
        self.evicted += u64::from(gone.is_some());
        self.found[slot] = Some(FoundOperation {
            server,
            protocol: t.protocol,
            carrier: t.carrier,
            operation: t.operation,
            code: t.code,
            kind: t.kind,
            at,
        });
        at
    }

    /// Whether it is still there.
    #[inline]
    pub(crate) fn has(&self, at: TablePlace) -> bool {
        self.table.peek(at).is_some()
    }

    /// It was answered.
    pub(crate) fn prove(&mut self, at: TablePlace) {
        self.table.prove(at);
    }

    /// What stands there.
    pub(crate) fn at(&self, place: TablePlace) -> Option<&OperationAt> {
        self.table.key_at(place)
    }
}

impl FoundOperation {
    /// Where it is looked for.
    #[inline]
    fn slot(t: &Transaction, server: TablePlace) -> usize {
        const SCATTER: u64 = 0x9e37_79b9_7f4a_7c15;
        let operation = (u64::from(t.code) << 3).wrapping_add(t.kind as u64);
        let key = operation ^ ((server.index() as u64) << 40);
        (key.wrapping_mul(SCATTER) >> (u64::BITS - FOUND_BITS)) as usize
    }

    /// Names are compared by where they are: most are the same constant.
    #[inline]
    fn is(&self, t: &Transaction, server: TablePlace) -> bool {
        self.server == server
            && self.code == t.code
            && self.kind == t.kind
            && std::ptr::eq(self.operation, t.operation)
            && std::ptr::eq(self.protocol, t.protocol)
            && std::ptr::eq(self.carrier, t.carrier)
    }
}

//! Finds the dissector for a payload.

use crate::{
    Asked, Claim, Dissector, Field, Fields, Input, Key, Layout, LinkType, Medium, Next, Placed,
};
use std::fmt;
use std::sync::Arc;

/// The place of a dissector in the registry's list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DissectorId(pub u16);

/// Two claims on the same payload, or two tables with one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Conflict {
    /// The one dissector.
    pub one: &'static str,
    /// The other.
    pub other: &'static str,
    /// The table.
    pub table: &'static str,
    /// The value in it, where the claims are exact.
    pub value: u32,
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} and {} both claim {:#x} in table {}",
            self.one, self.other, self.value, self.table
        )
    }
}

impl std::error::Error for Conflict {}

#[derive(Clone, Copy)]
struct Exact {
    table: u32,
    value: u32,
    dissector: DissectorId,
}

struct Recogniser {
    table: u32,
    accepts: fn(&[u8]) -> bool,
    dissector: DissectorId,
}

/// All dissectors, indexed by their claims.
pub struct Registry {
    dissectors: &'static [&'static Dissector],
    /// Open addressing, a power of two in size, at most half full.
    exact: Vec<Option<Exact>>,
    signatures: Vec<(u32, &'static [u8], DissectorId)>,
    probes: Vec<Recogniser>,
    layouts: Vec<(DissectorId, Arc<Layout>)>,
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(self.dissectors.iter().map(|d| d.name))
            .finish()
    }
}

impl Registry {
    /// Indexes the claims of these dissectors.
    ///
    /// # Errors
    /// A [`Conflict`] when two of them claim the same.
    pub fn new(dissectors: &'static [&'static Dissector]) -> Result<Self, Conflict> {
        let claims = dissectors.iter().map(|d| d.claims.len()).sum::<usize>();
        let mut registry = Self {
            dissectors,
            exact: vec![None; (claims * 2).next_power_of_two().max(16)],
            signatures: Vec::new(),
            probes: Vec::new(),
            layouts: Vec::new(),
        };
        let mut tables: Vec<(crate::Table, &'static str)> = Vec::new();
        for (number, dissector) in (0u16..).zip(dissectors.iter()) {
            let id = DissectorId(number);
            for claim in dissector.claims {
                let (table, value) = match *claim {
                    Claim::Exact(key) => (key.table, key.value),
                    Claim::Signature(table, _) | Claim::Probe(table, _) => (table, u32::MAX),
                };
                if let Some((_, other)) = tables
                    .iter()
                    .find(|(t, _)| t.id() == table.id() && t.name() != table.name())
                {
                    return Err(conflict(dissector.name, other, table, value));
                }
                tables.push((table, dissector.name));
                match *claim {
                    Claim::Exact(key) => registry.insert(key, id, dissector.name)?,
                    Claim::Signature(table, prefix) => {
                        registry.signatures.push((table.id(), prefix, id));
                    }
                    Claim::Probe(table, accepts) => registry.probes.push(Recogniser {
                        table: table.id(),
                        accepts,
                        dissector: id,
                    }),
                }
            }
        }
        Ok(registry)
    }

    /// All dissectors, in the order of their [`DissectorId`]s.
    #[must_use]
    pub fn dissectors(&self) -> &'static [&'static Dissector] {
        self.dissectors
    }

    /// The dissector with this number. Numbers come from this registry only; another
    /// registry's number gives the first dissector at worst.
    #[must_use]
    #[inline]
    pub fn dissector(&self, id: DissectorId) -> &'static Dissector {
        self.dissectors[usize::from(id.0).min(self.dissectors.len().saturating_sub(1))]
    }

    /// What frames of this kind of link cost on the wire, if that is known.
    #[must_use]
    pub fn medium(&self, link: LinkType) -> Option<Medium> {
        self.dissector(self.find(link.key())?).medium
    }

    /// Reads the header of the dissector with this name by another table than its own: its fields,
    /// and what belongs together where [`Dissector::placed`] finds that in a table. Says whether
    /// there is such a dissector.
    pub fn set_layout(&mut self, name: &str, layout: Layout) -> bool {
        let Some(id) = (0u16..)
            .zip(self.dissectors)
            .find(|(_, dissector)| dissector.name == name)
            .map(|(number, _)| DissectorId(number))
        else {
            return false;
        };
        self.layouts.retain(|(other, _)| *other != id);
        self.layouts.push((id, Arc::new(layout)));
        true
    }

    /// What the table in force says of a message of this dissector whose ends take turns.
    #[must_use]
    pub fn placed(&self, id: DissectorId, pdu: Input<'_>) -> Placed {
        let Some(placed) = self.dissector(id).placed else {
            return Placed::default();
        };
        let layout = self.layouts.iter().find(|(other, _)| *other == id);
        placed(pdu, layout.map(|(_, layout)| &**layout))
    }

    /// How much data the sender of this segment takes in one, where it opens a stream and says so.
    #[must_use]
    pub fn largest_segment(&self, id: DissectorId, segment: Input<'_>) -> Option<u16> {
        let says = self.dissector(id).largest_segment?;
        says(segment)
    }

    /// The fields of a PDU of this dissector; `asked` is the request that it answers, where
    /// that is known.
    #[must_use]
    pub fn fields<'a>(
        &self,
        id: DissectorId,
        input: Input<'a>,
        asked: Option<Asked>,
    ) -> Vec<Field<'a>> {
        let layout = self.layouts.iter().find(|(other, _)| *other == id);
        let layout = layout.map(|(_, layout)| Arc::clone(layout));
        let mut fields = Fields::new(input, asked).with_layout(layout);
        // Where the bytes end too early the fields say so themselves.
        let _ = (self.dissector(id).fields)(&mut fields);
        fields.finish()
    }

    /// Who reads a payload that goes by `next` and looks like `bytes`: exact claims first,
    /// in the order of the keys, then signatures, then probes.
    #[must_use]
    pub fn resolve(&self, next: &Next, bytes: &[u8]) -> Option<DissectorId> {
        for key in next.keys() {
            if let Some(id) = self.find(key) {
                return Some(id);
            }
        }
        self.recognise(next, bytes)
    }

    /// Who reads a payload that looks like `bytes`, whatever it goes by: signatures before
    /// probes.
    #[must_use]
    pub fn recognise(&self, next: &Next, bytes: &[u8]) -> Option<DissectorId> {
        next.keys()
            .find_map(|key| {
                self.signatures
                    .iter()
                    .find(|(t, prefix, _)| *t == key.table.id() && bytes.starts_with(prefix))
                    .map(|s| s.2)
            })
            .or_else(|| {
                next.keys().find_map(|key| {
                    self.probes
                        .iter()
                        .find(|p| p.table == key.table.id() && (p.accepts)(bytes))
                        .map(|p| p.dissector)
                })
            })
    }

    /// Which of the keys a dissector claims exactly, and who that is.
    #[must_use]
    #[inline]
    pub fn claimed(&self, next: &Next) -> Option<(Key, DissectorId)> {
        for key in next.keys() {
            if let Some(id) = self.find(key) {
                return Some((key, id));
            }
        }
        None
    }

    #[inline]
    fn find(&self, key: Key) -> Option<DissectorId> {
        let mask = self.exact.len() - 1;
        let mut at = slot(key.table.id(), key.value) & mask;
        while let Some(entry) = self.exact[at] {
            if entry.table == key.table.id() && entry.value == key.value {
                return Some(entry.dissector);
            }
            at = (at + 1) & mask;
        }
        None
    }

    fn insert(&mut self, key: Key, id: DissectorId, name: &'static str) -> Result<(), Conflict> {
        if let Some(other) = self.find(key) {
            return Err(conflict(
                name,
                self.dissector(other).name,
                key.table,
                key.value,
            ));
        }
        let mask = self.exact.len() - 1;
        let mut at = slot(key.table.id(), key.value) & mask;
        while self.exact[at].is_some() {
            at = (at + 1) & mask;
        }
        self.exact[at] = Some(Exact {
            table: key.table.id(),
            value: key.value,
            dissector: id,
        });
        Ok(())
    }
}

fn slot(table: u32, value: u32) -> usize {
    let mixed = (table ^ value.wrapping_mul(0x9e37_79b9)).wrapping_mul(0x85eb_ca6b);
    (mixed >> 12) as usize
}

fn conflict(one: &'static str, other: &'static str, table: crate::Table, value: u32) -> Conflict {
    Conflict {
        one,
        other,
        table: table.name(),
        value,
    }
}

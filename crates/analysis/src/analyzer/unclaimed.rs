//! Byte streams on ports that nobody claims: known by what they look like.
//!
//! Only a segment that begins with a message gives a stream away, so nothing is kept of
//! other streams but who opened them, and that not for long.

use crate::bounds::{Bound, Hits};
use crate::conversation::Conversation;
use crate::key::ConversationKey;
use crate::table::Table;
use wirewait_wire::{DissectorId, Endpoint, Next, Registry, Stream};

/// Connections that were opened and are not known by what they carry, remembered at once.
const OPENED: usize = 1024;

pub(super) struct Unclaimed {
    /// Who opened a connection; sides as in its key.
    opened: Table<ConversationKey, usize>,
    /// Some who opened a connection are forgotten.
    forgot: bool,
    /// The dissectors by which streams were known, so that others need not be asked.
    found: Vec<DissectorId>,
    pub(super) hits: Hits,
}

impl Unclaimed {
    pub(super) fn new() -> Self {
        Self {
            opened: Table::new(OPENED),
            forgot: false,
            found: Vec::new(),
            hits: Hits::NONE,
        }
    }

    /// Who cuts the stream of this segment into messages.
    pub(super) fn framer(
        &mut self,
        ends: (Endpoint, Endpoint),
        segment: &Stream,
        (next, bytes): (&Next, &[u8]),
        registry: &Registry,
        conversations: &mut Table<ConversationKey, Box<Conversation>>,
    ) -> Option<DissectorId> {
        let mut known = self.found.iter().copied();
        if let Some(framer) = known.find(|framer| {
            let (key, _) = ConversationKey::new(ends, None, framer.0);
            conversations.find(&key).is_some()
        }) {
            return Some(framer);
        }
        if segment.syn {
            let (key, side) = any(ends);
            let opener = opener(side, segment);
            match self.opened.find(&key) {
                Some(place) => *self.opened.at(place) = opener,
                None => {
                    let (_, evicted) = self.opened.insert(key, opener);
                    self.forgot |= evicted.is_some();
                }
            }
            return None;
        }
        let framer = registry.recognise(next, bytes)?;
        registry.dissector(framer).framing?;
        if !self.found.contains(&framer) {
            self.found.push(framer);
        }
        Some(framer)
    }

    /// Which side opened this connection, if that was seen.
    pub(super) fn opener(&mut self, ends: (Endpoint, Endpoint), segment: &Stream) -> Option<usize> {
        let (key, side) = any(ends);
        if segment.syn {
            return Some(opener(side, segment));
        }
        let Some(place) = self.opened.find(&key) else {
            if self.forgot {
                self.hits.hit(Bound::Openers);
            }
            return None;
        };
        self.opened.take(place)
    }
}

/// A key for a connection of whatever kind, and the side of its first end.
fn any(ends: (Endpoint, Endpoint)) -> (ConversationKey, usize) {
    ConversationKey::new(ends, None, u16::MAX)
}

/// The side that opens the connection, of which `side` sent this segment.
fn opener(side: usize, segment: &Stream) -> usize {
    if segment.ack.is_some() {
        1 - side
    } else {
        side
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl crate::Analyzer {
        /// Two connections more are opened than are remembered, and the first of them is known by
        /// what it carries.
        pub(crate) fn overrun_openers() -> Hits {
            let registry = Registry::new(&[]).unwrap();
            let mut conversations = Table::new(1);
            let mut unclaimed = Unclaimed::new();
            let ends = |n: u16| {
                let client = Endpoint::mac([2, 0, 0, 0, 0, 1]).with_port(n);
                (client, Endpoint::mac([2, 0, 0, 0, 0, 9]).with_port(80))
            };
            let opens = Stream {
                syn: true,
                ..Stream::default()
            };
            for n in 0..OPENED as u16 + 2 {
                let payload = (&Next::NONE, &[][..]);
                unclaimed.framer(ends(n), &opens, payload, &registry, &mut conversations);
            }
            let later = Stream::default();
            assert_eq!(unclaimed.opener(ends(5), &later), Some(0));
            assert_eq!(unclaimed.opener(ends(0), &later), None);
            unclaimed.hits
        }
    }
}

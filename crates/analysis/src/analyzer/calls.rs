//! Calls for numbered links: the called end and its port, until the response comes.

use crate::bounds::{Bound, Hits};
use crate::key::ConversationKey;
use crate::table::Table;
use wirewait_wire::{Endpoint, Facts, Numbered};

pub(super) struct Calls {
    /// The called end, by the caller.
    called: Table<ConversationKey, Endpoint>,
    /// Some of them are forgotten.
    forgot: bool,
    pub(super) hits: Hits,
}

impl Calls {
    pub(super) fn new(capacity: usize) -> Self {
        Self {
            called: Table::new(capacity),
            forgot: false,
            hits: Hits::NONE,
        }
    }

    /// An end calls another, by its own number for the link.
    pub(super) fn call(&mut self, from: Endpoint, number: u16, to: Endpoint) {
        let key = caller(from, number);
        match self.called.find(&key).and_then(|p| self.called.get_mut(p)) {
            Some(called) => *called = to,
            None => {
                let (_, evicted) = self.called.insert(key, to);
                self.forgot |= evicted.is_some();
            }
        }
    }

    /// The end of a link that was called, and the port at which its station was. Either end may
    /// have sent the frame: the one that opens the link is not always in the capture.
    pub(super) fn called(&mut self, facts: &Facts, numbered: &Numbered) -> Option<(Endpoint, u16)> {
        let connection = numbered.connection?;
        let ends = [
            (facts.from, connection.from, facts.to),
            (facts.to, connection.to, facts.from),
        ];
        ends.into_iter().find_map(|(end, number, other)| {
            let place = self.called.find(&caller(end, number))?;
            let called = self.called.get_mut(place)?;
            (called.station() == other.station()).then_some((other, called.port?))
        })
    }

    /// A conversation begins on a link whose call is not known.
    pub(super) fn missed(&mut self) {
        if self.forgot {
            self.hits.hit(Bound::Calls);
        }
    }
}

/// By what a caller is known: his end and his number for the link.
fn caller(end: Endpoint, number: u16) -> ConversationKey {
    ConversationKey::new((end, Endpoint::default()), Some((number, 0)), u16::MAX).0
}

#[cfg(test)]
mod tests {
    use super::*;
    use wirewait_wire::{NumberedKind, Session};

    impl crate::Analyzer {
        /// The call of the first of three links is forgotten where there is room for two, and both
        /// others are known.
        pub(crate) fn overrun_calls() -> Hits {
            let mut calls = Calls::new(2);
            let server = Endpoint::mac([2, 0, 0, 0, 0, 9]);
            let client = |n: u8| Endpoint::mac([2, 0, 0, 0, 0, n]);
            calls.missed();
            assert_eq!(calls.hits, Hits::NONE, "none is forgotten yet");
            for n in 1..=3 {
                calls.call(client(n), n.into(), server.with_port(80));
            }
            for n in [3, 2, 1] {
                let facts = Facts {
                    from: client(n),
                    to: server,
                    ..Facts::default()
                };
                let numbered = Numbered {
                    kind: NumberedKind::Data,
                    number: 0,
                    connection: Some(Session {
                        from: n.into(),
                        to: 7,
                    }),
                    modulus: 65_536,
                    expects: None,
                    poll: false,
                    response: false,
                };
                let called = calls.called(&facts, &numbered);
                assert_eq!(called, (n > 1).then_some((server, 80)));
                if called.is_none() {
                    calls.missed();
                }
            }
            calls.hits
        }
    }
}

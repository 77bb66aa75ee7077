//! Connections from the asking to the end, as far as frames say it.

use crate::Mark;
use crate::bounds::{Bound, Hits};
use crate::key::ConversationKey;
use crate::notice::{Notice, Noticed};
use crate::table::Table;
use wirewait_wire::{Connection, Endpoint, Order, Session, Step, Stream};

/// Somebody has asked for a connection.
struct Asking {
    tries: u32,
    first: Mark,
    /// As the asking will be told of if nobody answers.
    last: Notice,
}

/// Connections that are asked for, that are open, and that are over.
pub(super) struct Connections {
    asking: Table<ConversationKey, Asking>,
    /// Whether the connection is open; it is over otherwise. By the identity of its key: there are
    /// many.
    open: Table<[u128; 3], bool>,
    /// Some that are over are forgotten.
    forgot: bool,
    pub(super) hits: Hits,
}

/// A frame that may take a step, and what its notice would say.
#[derive(Clone, Copy)]
pub(super) struct Stepping {
    pub(super) connection: Connection,
    pub(super) mark: Mark,
    pub(super) from: Endpoint,
    pub(super) to: Endpoint,
    pub(super) carrier: &'static str,
    pub(super) conversation: Option<u64>,
}

/// What a frame does to its connection, whatever its kind.
pub(super) fn step(connection: Option<Connection>, order: &Order) -> Option<Connection> {
    match order {
        Order::Stream(segment) => step_of(segment).map(|step| Connection::new(step, 0, 0)),
        _ => connection,
    }
}

fn step_of(segment: &Stream) -> Option<Step> {
    match segment {
        s if s.rst => Some(Step::Aborts),
        s if s.syn && s.ack.is_some() => Some(Step::Agrees),
        s if s.syn => Some(Step::Asks),
        s if s.fin => Some(Step::Ends),
        _ => None,
    }
}

impl Connections {
    pub(super) fn new(capacity: usize) -> Self {
        Self {
            asking: Table::new(capacity),
            open: Table::new(capacity),
            forgot: false,
            hits: Hits::NONE,
        }
    }

    /// Takes a step; returns what is to be noticed of it, and of an asking that had to be
    /// forgotten.
    pub(super) fn step(&mut self, stepping: &Stepping) -> [Option<Notice>; 2] {
        let Stepping {
            connection: Connection { step, numbers },
            mark,
            from,
            to,
            ..
        } = *stepping;
        let mut forgotten = None;
        let line = line(from, to, numbers);
        let what = match step {
            Step::Asks => {
                let (tries, evicted) = self.ask(stepping);
                forgotten = evicted;
                Some(Noticed::Asked { tries })
            }
            Step::Agrees => self.answered(stepping).map(|asking| {
                self.set(line, true);
                Noticed::Opened {
                    tries: asking.tries,
                    after_ns: mark.at.since(asking.first.at).max(0),
                }
            }),
            Step::Refuses | Step::Ends | Step::Aborts => match self.answered(stepping) {
                Some(asking) => Some(Noticed::Refused {
                    tries: asking.tries,
                }),
                None => self.end(line).then_some(match step {
                    Step::Ends => Noticed::Closed,
                    _ => Noticed::Aborted,
                }),
            },
        };
        [forgotten, what.map(|what| stepping.notice(what))]
    }

    /// Those who asked last before `since` and were not answered.
    pub(super) fn expire(&mut self, since: Option<wirewait_wire::Timestamp>) -> Vec<Notice> {
        let old = |asking: &Asking| since.is_none_or(|since| asking.last.mark.at < since);
        let due = self.asking.iter().filter(|(_, asking)| old(asking));
        let mut due: Vec<_> = due.map(|(key, asking)| (*key, asking.last.mark)).collect();
        due.sort_by_key(|(_, mark)| mark.frame);
        due.into_iter()
            .filter_map(|(key, _)| {
                let place = self.asking.find(&key)?;
                self.asking.take(place).map(Asking::given_up)
            })
            .collect()
    }

    /// A connection is open between these ends, although nobody was seen to ask for it.
    pub(super) fn is_open(&mut self, from: Endpoint, to: Endpoint) {
        let step = Connection::new(Step::Agrees, 0, 0);
        self.set(line(from, to, step.numbers), true);
    }

    fn ask(&mut self, stepping: &Stepping) -> (u32, Option<Notice>) {
        let key = asked_by(stepping.from, stepping.to, stepping.connection.numbers.from);
        let last = stepping.notice(Noticed::Asked { tries: 1 });
        if let Some(place) = self.asking.find(&key)
            && let Some(asking) = self.asking.get_mut(place)
        {
            asking.tries = asking.tries.saturating_add(1);
            asking.last = last;
            return (asking.tries, None);
        }
        let asking = Asking {
            tries: 1,
            first: stepping.mark,
            last,
        };
        let (_, evicted) = self.asking.insert(key, asking);
        if evicted.is_some() {
            self.hits.hit(Bound::Asking);
        }
        (1, evicted.map(Asking::given_up))
    }

    /// The asking of the other side, which this answers.
    fn answered(&mut self, stepping: &Stepping) -> Option<Asking> {
        let key = asked_by(stepping.to, stepping.from, stepping.connection.numbers.to);
        let place = self.asking.find(&key)?;
        self.asking.take(place)
    }

    fn set(&mut self, line: [u128; 3], open: bool) {
        match self.open.find(&line).and_then(|p| self.open.get_mut(p)) {
            Some(known) => *known = open,
            None => {
                let (_, evicted) = self.open.insert(line, open);
                // One that is not known counts as open.
                self.forgot |= evicted == Some(false);
            }
        }
    }

    /// Whether that ends a connection that was not over.
    fn end(&mut self, line: [u128; 3]) -> bool {
        let known = self.open.find(&line).and_then(|p| self.open.get_mut(p));
        if known.is_none() && self.forgot {
            self.hits.hit(Bound::Ended);
        }
        let was_open = known.is_none_or(|open| *open);
        self.set(line, false);
        was_open
    }
}

impl Asking {
    fn given_up(self) -> Notice {
        Notice {
            what: Noticed::NotAnswered {
                tries: self.tries,
                first: self.first,
            },
            ..self.last
        }
    }
}

impl Stepping {
    fn notice(&self, what: Noticed) -> Notice {
        Notice {
            mark: self.mark,
            from: self.from,
            to: self.to,
            carrier: self.carrier,
            conversation: self.conversation,
            bytes: 0,
            what,
        }
    }
}

/// Key of a connection request: the client, its connection number and the server's station. The
/// response may come from another port.
fn asked_by(client: Endpoint, server: Endpoint, number: u16) -> ConversationKey {
    let numbers = Some((number, 0));
    ConversationKey::new((client, server.station()), numbers, u16::MAX).0
}

fn line(from: Endpoint, to: Endpoint, numbers: Session) -> [u128; 3] {
    let numbers = Some((numbers.from, numbers.to));
    ConversationKey::new((from, to), numbers, u16::MAX)
        .0
        .identity()
}

#[cfg(test)]
mod tests {
    use super::*;
    use wirewait_wire::Timestamp;

    fn takes(connections: &mut Connections, step: Step, n: u16) -> [Option<Noticed>; 2] {
        let stepping = Stepping {
            connection: Connection::new(step, 0, 0),
            mark: Mark {
                frame: n.into(),
                at: Timestamp::from_nanos(0),
            },
            from: Endpoint::mac([2, 0, 0, 0, 0, 1]).with_port(n),
            to: Endpoint::mac([2, 0, 0, 0, 0, 9]).with_port(445),
            carrier: "toy_link",
            conversation: None,
        };
        let notices = connections.step(&stepping);
        notices.map(|notice| notice.map(|notice| notice.what))
    }

    impl crate::Analyzer {
        /// Three connections are asked for where there is room for two: the first counts as not
        /// answered, too early.
        pub(crate) fn overrun_asking() -> Hits {
            let mut connections = Connections::new(2);
            for n in 1..=2 {
                let asked = Some(Noticed::Asked { tries: 1 });
                assert_eq!(takes(&mut connections, Step::Asks, n), [None, asked]);
            }
            let [forgotten, _] = takes(&mut connections, Step::Asks, 3);
            let first = Mark {
                frame: 1,
                at: Timestamp::from_nanos(0),
            };
            assert_eq!(forgotten, Some(Noticed::NotAnswered { tries: 1, first }));
            connections.hits
        }

        /// Three connections end where there is room for two; then the other side of each ends it,
        /// and that of the first is taken for an end of its own. One that is forgotten while it is
        /// open loses nothing.
        pub(crate) fn overrun_ended() -> Hits {
            let mut connections = Connections::new(2);
            let closed = [None, Some(Noticed::Closed)];
            for n in 1..=3 {
                assert_eq!(takes(&mut connections, Step::Ends, n), closed);
            }
            for n in [3, 2] {
                assert_eq!(takes(&mut connections, Step::Ends, n), [None, None]);
            }
            assert_eq!(connections.hits, Hits::NONE);
            assert_eq!(takes(&mut connections, Step::Ends, 1), closed);
            connections.hits
        }
    }
}

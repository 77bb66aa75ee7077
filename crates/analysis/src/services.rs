//! What clients ask of other services: names, log-ons, directories. Nothing of it is read: a packet with data goes
//! to a port that no dissector claims, and data comes back from there. What a client waited for in between, the account of
//! time shows.

use crate::Mark;
use crate::bounds::{Bound, Hits};
use crate::parties::Directory;
use crate::service_wait::{LONGEST_NS, ServiceWait};
use crate::table::Table;
use crate::world::Seen;
use wirewait_wire::{Cast, Endpoint, Order};

/// Ports of clients' services that are followed at once.
const FOLLOWED: usize = 1024;
/// A response that comes sooner kept nobody waiting, ns.
const LEAST_NS: i64 = 1_000_000;

/// What became of the packets of one client to one port, of any station.
#[derive(Default)]
struct Asked {
    service: Endpoint,
    since: Option<Mark>,
    /// Something came back from such a port: who only reports there waits for nothing.
    answers: bool,
}

/// The latest that clients asked of other services.
pub(crate) struct Services {
    asked: Table<(Endpoint, u16), Asked>,
    pub(crate) hits: Hits,
}

/// What a packet does.
enum Does {
    Asks,
    Answers,
    GivesUp,
}

impl Services {
    pub(crate) fn new() -> Self {
        Self {
            asked: Table::new(FOLLOWED),
            hits: Hits::NONE,
        }
    }

    /// A frame that is no part of a conversation. Gives the wait that is over with it.
    pub(crate) fn frame(
        &mut self,
        seen: &Seen<'_>,
        directory: &mut Directory,
    ) -> Option<ServiceWait> {
        let facts = &seen.walk.facts;
        let ports = (facts.from.port?, facts.to.port?);
        if facts.cast != Cast::Unicast {
            return None;
        }
        let does = self.does(seen, ports)?;
        let (client, service) = match does {
            Does::Asks | Does::GivesUp => (facts.from, facts.to),
            Does::Answers => (facts.to, facts.from),
        };
        let key = (client.station(), service.port?);
        let wait = |service, since: Mark| {
            let ns = since.until(seen.mark)?;
            (LEAST_NS..=LONGEST_NS)
                .contains(&ns)
                .then_some(ServiceWait {
                    client: key.0,
                    service,
                    from: since,
                    to: seen.mark,
                })
        };
        let Some(place) = self.asked.find(&key) else {
            if matches!(does, Does::Asks) && directory.knows(client) {
                self.begins(key, service, seen.mark);
            }
            return None;
        };
        let asked = self.asked.at(place);
        match does {
            Does::Asks => {
                let since = *asked.since.get_or_insert(seen.mark);
                let late = since.until(seen.mark).is_none_or(|ns| ns > LONGEST_NS);
                if asked.service == service && !late {
                    return None;
                }
                let other = std::mem::replace(&mut asked.service, service);
                asked.since = Some(seen.mark);
                let waited = asked.answers && other != service;
                waited.then(|| wait(other, since)).flatten()
            }
            Does::Answers if asked.service == service => {
                asked.answers = true;
                let since = asked.since.take()?;
                wait(service, since)
            }
            Does::GivesUp if asked.service == service => {
                asked.since = None;
                None
            }
            _ => None,
        }
    }

    fn begins(&mut self, key: (Endpoint, u16), service: Endpoint, mark: Mark) {
        let asked = Asked {
            service,
            since: Some(mark),
            answers: false,
        };
        let (_, gone) = self.asked.insert(key, asked);
        if gone.is_some_and(|gone| gone.since.is_some()) {
            self.hits.hit(Bound::Services);
        }
    }

    /// Whether the first waits for the second, a service.
    fn waits(&mut self, client: Endpoint, service: Endpoint) -> bool {
        let key = service.port.map(|port| (client.station(), port));
        let place = key.and_then(|key| self.asked.find(&key));
        place.is_some_and(|place| {
            let asked = self.asked.at(place);
            asked.since.is_some() && asked.service == service
        })
    }

    /// The lower port serves, unless the packet opens a connection; where both are the same, who speaks first asks.
    fn does(&mut self, seen: &Seen<'_>, (from, to): (u16, u16)) -> Option<Does> {
        let facts = &seen.walk.facts;
        let data = seen.walk.payload(seen.frame).length;
        let asks = from > to || from == to && !self.waits(facts.to, facts.from);
        let says = match asks {
            true => Does::Asks,
            false => Does::Answers,
        };
        match &facts.order {
            Order::Stream(segment) if segment.syn => Some(match segment.ack {
                None => Does::Asks,
                Some(_) => Does::Answers,
            }),
            Order::Stream(segment) if segment.rst => Some(match asks {
                true => Does::GivesUp,
                false => Does::Answers,
            }),
            // A single byte asks whether the other end is there.
            Order::Stream(_) => (data > 1).then_some(says),
            Order::None => (data > 0).then_some(says),
            Order::Numbered(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::symptoms::testing::mark;

    /// One more than there is room for.
    #[test]
    fn who_is_forgotten_while_it_waits_is_counted() {
        let mut services = Services::new();
        let client = |n: usize| Endpoint::mac([2, 0, 0, 0, (n >> 8) as u8, n as u8]);
        for n in 0..=FOLLOWED {
            let service = client(n).with_port(53);
            services.begins((client(n), 53), service, mark(1, 0));
        }
        assert_eq!(services.hits.named("services"), 1);
        assert!(!services.waits(client(0), client(0).with_port(53)));
        assert!(services.waits(client(1), client(1).with_port(53)));
    }
}

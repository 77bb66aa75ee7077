//! What concerns the wire as a whole: storms, talkative stations, addresses that two
//! stations use.

use super::course::SymptomCourse;
use super::evidence::{Against, Book, Sight};
use super::page::{Page, Whom};
use super::rows::Rows;
use super::rule::{Limit, Rule, Severity, Subject, Whose};
use super::{Threshold, Thresholds, is_group};
use crate::Mark;
use crate::by_template::ByTemplate;
use crate::world::Seen;
use wirewait_wire::{Address, Cast, Endpoint};

pub(super) static STORM: Rule = Rule {
    id: "broadcast_storm",
    severity: Severity::Diagnosis,
    whose: Whose::Own,
    counts: "seconds with more than broadcast_storm_frames_per_second frames to groups",
    limit: Limit::Count(Threshold::StormSeconds),
    costly: false,
    covers: &[],
};

pub(super) static GROUP_MESSAGES: Rule = Rule {
    id: "excessive_group_messages",
    severity: Severity::Symptom,
    whose: Whose::Own,
    counts: "stretches of ten seconds with more than group_messages_per_second from one station",
    limit: Limit::Count(Threshold::LeastEvents),
    costly: false,
    covers: &[],
};

pub(super) static DUPLICATE_ADDRESS: Rule = Rule {
    id: "duplicate_address",
    severity: Severity::Diagnosis,
    whose: Whose::Own,
    counts: "times that a network address went to another station and back",
    limit: Limit::Count(Threshold::Duplicate),
    costly: false,
    covers: &[],
};

pub(super) static ILLEGAL_SOURCE: Rule = Rule {
    id: "illegal_source_address",
    severity: Severity::Symptom,
    whose: Whose::Own,
    counts: "frames whose sender has the address of a group",
    limit: Limit::Count(Threshold::LeastEvents),
    costly: false,
    covers: &[],
};

const SECOND_NS: i64 = 1_000_000_000;
/// The station of each frame on a loopback interface (Linux): every address of the host sends as it.
const LOOPBACK: Address = Address::Mac([0; 6]);
/// Stretches in which the messages of a station are counted, ns.
const STRETCH_NS: i64 = 10 * SECOND_NS;
/// Addresses that are remembered without a look at the table.
const QUICK: usize = 256;

/// Events in a stretch of time that begins at a multiple of its length.
#[derive(Clone, Copy, Debug)]
struct BusyStretch {
    number: i64,
    first: Mark,
    events: u64,
}

impl BusyStretch {
    /// Counts one event. Says where the stretch began that reached `limit` with it.
    fn count(this: &mut Option<Self>, length: i64, limit: u64, mark: Mark) -> Option<Mark> {
        let number = mark.at.as_nanos().div_euclid(length);
        let stretch = match this {
            Some(stretch) if stretch.number == number => stretch,
            _ => this.insert(Self {
                number,
                first: mark,
                events: 0,
            }),
        };
        stretch.events += 1;
        (stretch.events == limit.saturating_add(1)).then_some(stretch.first)
    }
}

/// Who uses a network address.
#[derive(Clone, Copy, Debug)]
struct User {
    station: Address,
    since: Mark,
    /// Who had it before.
    before: Option<Address>,
}

/// What a station on the link sends as.
#[derive(Clone, Copy, Debug)]
struct Sender {
    address: Endpoint,
    /// It sends under more than one network address.
    several: bool,
}

/// The station that sent last under an address.
#[derive(Clone, Copy, Debug)]
struct Quick {
    /// Its number; earlier entries of the slot had others.
    number: u64,
    address: Endpoint,
    /// On which interface: a server with several cards has one address at all of them.
    interface: u32,
    station: Address,
    /// The packet, if it says so.
    packet: Option<u16>,
    /// Of the station, or of the address, nothing else is known: it came in a flood.
    passing: bool,
}

/// Who uses an address, and what there is to say of it.
type AddressUse = (Option<User>, Option<Box<Book>>);

pub(super) struct SegmentWatch {
    second: Option<BusyStretch>,
    wire: Book,
    talkers: Rows<Endpoint, (Option<BusyStretch>, Book)>,
    /// By address and interface. Of most there is nothing to say.
    users: Rows<(Endpoint, u32), AddressUse>,
    senders: Rows<Endpoint, Option<Sender>>,
    quick: [Option<Quick>; QUICK],
    /// How many of them there were.
    numbered: u64,
    /// Frames by whose senders nothing changes while nothing else does: how often something had
    /// changed, and on which interface.
    settled: ByTemplate<(u64, u32)>,
    /// How often an address went to another station.
    moved: u64,
    illegal: Rows<Endpoint, Book>,
}

impl SegmentWatch {
    pub(super) fn new(rows: usize) -> Self {
        Self {
            second: None,
            wire: Book::default(),
            talkers: Rows::new(rows),
            users: Rows::new(rows),
            senders: Rows::new(rows),
            quick: [None; QUICK],
            numbered: 0,
            settled: ByTemplate::new((u64::MAX, 0)),
            moved: 0,
            illegal: Rows::new(rows),
        }
    }

    pub(super) fn evicted(&self) -> u64 {
        [
            self.talkers.evicted(),
            self.users.evicted(),
            self.senders.evicted(),
            self.illegal.evicted(),
        ]
        .iter()
        .sum()
    }

    /// A frame that is no copy. Nearly all go to one station, from one that is known.
    #[inline(always)]
    pub(super) fn seen(
        &mut self,
        seen: &Seen<'_>,
        thresholds: &Thresholds,
        mut course: Option<&mut SymptomCourse>,
    ) {
        let facts = &seen.walk.facts;
        if facts.cast != Cast::Unicast {
            self.broadcast(seen, thresholds, course.as_deref_mut());
        }
        let (interface, near) = (seen.frame.interface, facts.hops.unwrap_or(0) == 0);
        let state = (self.changes(), interface);
        // Of IPv4 the latest packet has to be known.
        let settles = seen.walk.template;
        let settles = settles.filter(|_| near && !matches!(facts.from.address, Address::V4(_)));
        if let Some(template) = settles
            && self.settled.get(template) == Some(state)
        {
            return;
        }
        let station = &seen.walk.neighbours.0;
        let (slot, number) = seen.path.sender();
        if let Some(quick) = &mut self.quick[slot % QUICK]
            && quick.number == number
            && quick.interface == interface
            && quick.station == *station
            && near
            && !quick.passing
        {
            quick.packet = facts.packet_id;
            if let Some(template) = settles {
                self.settled.set(template, state);
            }
            return;
        }
        self.sent(seen, course);
    }

    /// A frame to several stations.
    #[inline(never)]
    fn broadcast(
        &mut self,
        seen: &Seen<'_>,
        thresholds: &Thresholds,
        mut course: Option<&mut SymptomCourse>,
    ) {
        let limit = thresholds.get(Threshold::Storm);
        let began = BusyStretch::count(&mut self.second, SECOND_NS, limit, seen.mark);
        if let Some(first) = began {
            let mut page = own(&mut self.wire, Subject::Segment, course.as_deref_mut());
            page.hit(&STORM, &Sight::between(first, seen.mark));
        }
        if seen.walk.message.is_some() {
            let from = seen.walk.facts.from.station();
            self.told(from, seen.mark, (thresholds, course));
        }
    }

    /// A frame of a station that is not found at once.
    #[inline(never)]
    fn sent(&mut self, seen: &Seen<'_>, course: Option<&mut SymptomCourse>) {
        let facts = &seen.walk.facts;
        let (interface, near) = (seen.frame.interface, facts.hops.unwrap_or(0) == 0);
        let station = &seen.walk.neighbours.0;
        let (station, from) = (*station, facts.from.station());
        if is_group(&endpoint(station)) {
            self.illegal(endpoint(station), seen.mark, course);
        } else if from.address != station && is_group(&from) {
            self.illegal(from, seen.mark, course);
        } else if matches!(station, Address::Mac(_)) && near {
            let at = (station, interface);
            let known = self.sends(from, at, facts.packet_id, (seen.mark, course));
            seen.path.is_sent_by(known);
        }
    }

    /// How often anything changed that says who sends under which address.
    fn changes(&self) -> u64 {
        self.moved + self.senders.evicted() + self.users.evicted()
    }

    /// A station told or asked everyone something.
    fn told(
        &mut self,
        from: Endpoint,
        mark: Mark,
        (thresholds, course): (&Thresholds, Option<&mut SymptomCourse>),
    ) {
        let (stretch, book) = self.talkers.of(&from);
        let limit = thresholds.get(Threshold::GroupMessages).saturating_mul(10);
        if let Some(first) = BusyStretch::count(stretch, STRETCH_NS, limit, mark) {
            let mut page = own(book, Subject::Station(from), course);
            page.hit(&GROUP_MESSAGES, &Sight::between(first, mark));
        }
    }

    fn illegal(&mut self, from: Endpoint, mark: Mark, course: Option<&mut SymptomCourse>) {
        let mut page = own(self.illegal.of(&from), Subject::Station(from), course);
        page.hit(&ILLEGAL_SOURCE, &Sight::at(mark));
    }

    /// A station on the link of this interface sent under this address. Gives where that is
    /// found at once, and by which number.
    fn sends(
        &mut self,
        from: Endpoint,
        (station, interface): (Address, u32),
        packet: Option<u16>,
        (mark, course): (Mark, Option<&mut SymptomCourse>),
    ) -> (usize, u64) {
        let slot = slot_of(&from);
        if let Some(quick) = &mut self.quick[slot]
            && quick.interface == interface
            && quick.station == station
            && quick.address == from
            && !quick.passing
        {
            quick.packet = packet;
            return (slot, quick.number);
        }
        self.numbered += 1;
        let found = (slot, self.numbered);
        let now = Quick {
            number: self.numbered,
            address: from,
            interface,
            station,
            packet,
            passing: false,
        };
        let before = self.quick[slot]
            .replace(now)
            .filter(|q| q.address == from && q.interface == interface);
        let again = before.is_some_and(|q| q.passing && q.station == station);
        let sender = endpoint(station);
        match self.senders.of_passer_by(&sender, again) {
            Some(known) => {
                let known = known.get_or_insert(Sender {
                    address: from,
                    several: false,
                });
                known.several |= known.address != from;
            }
            None => self.passes(slot),
        }
        let network = matches!(from.address, Address::V4(_) | Address::Node { .. });
        if !network || from.address == Address::V4([0; 4]) || station == LOOPBACK {
            return found;
        }
        // The same packet once more: handed on, on its way through a router.
        let handed_on = packet.is_some() && before.is_some_and(|q| q.packet == packet);
        let Some((user, book)) = self.users.of_passer_by(&(from, interface), again) else {
            self.passes(slot);
            return found;
        };
        let user = user.get_or_insert(User {
            station,
            since: mark,
            before: None,
        });
        if user.station == station {
            return found;
        }
        let sight = Sight::between(user.since, mark);
        if handed_on {
            let book = book.get_or_insert_default();
            book.oppose(&DUPLICATE_ADDRESS, Against::Router, &sight);
            return found;
        }
        // Moved once is moved; back again is two of them.
        if user.before == Some(station) {
            let book = book.get_or_insert_default();
            own(book, Subject::Station(from), course).hit(&DUPLICATE_ADDRESS, &sight);
        }
        (user.before, user.station, user.since) = (Some(user.station), station, mark);
        self.moved += 1;
        found
    }

    fn passes(&mut self, slot: usize) {
        if let Some(quick) = &mut self.quick[slot] {
            quick.passing = true;
        }
    }

    pub(super) fn books(&self, found: &mut dyn FnMut(Subject, &Book)) {
        found(Subject::Segment, &self.wire);
        for (station, (_, book)) in self.talkers.iter() {
            found(Subject::Station(*station), book);
        }
        let two = self.senders.iter().count() + self.illegal.iter().count() <= 2;
        for (station, book) in self.illegal.iter() {
            match book.known(&ILLEGAL_SOURCE).filter(|_| two) {
                Some(cell) => {
                    let mut doubted = Book::default();
                    let against = (Against::PointToPoint, cell.hits.clone());
                    doubted.cell(&ILLEGAL_SOURCE).against.push(against);
                    found(Subject::Station(*station), &doubted);
                }
                None => found(Subject::Station(*station), book),
            }
        }
        let several = |of: Address| {
            let mut known = self.senders.iter();
            known.any(|(sender, s)| *sender == endpoint(of) && s.is_some_and(|s| s.several))
        };
        for ((address, _), (user, book)) in self.users.iter() {
            let Some(book) = book.as_deref() else {
                continue;
            };
            let Some(cell) = book.known(&DUPLICATE_ADDRESS) else {
                continue;
            };
            let router =
                user.is_some_and(|user| several(user.station) || user.before.is_some_and(several));
            if !router || cell.hits.count == 0 {
                found(Subject::Station(*address), book);
                continue;
            }
            let mut doubted = Book::default();
            let against = (Against::Router, cell.hits.clone());
            doubted.cell(&DUPLICATE_ADDRESS).against.push(against);
            found(Subject::Station(*address), &doubted);
        }
    }
}

fn own<'a>(book: &'a mut Book, of: Subject, course: Option<&'a mut SymptomCourse>) -> Page<'a> {
    let of = Whom::Own(of);
    Page { book, of, course }
}

fn endpoint(address: Address) -> Endpoint {
    Endpoint {
        address,
        ..Endpoint::default()
    }
}

/// The slot of an address. Stations are numbered in one byte or another: all of them count.
#[inline(never)]
fn slot_of(of: &Endpoint) -> usize {
    const K: u64 = 0x9e37_79b9_7f4a_7c15;
    let address = of.identity().address();
    let mixed = (address as u64 ^ (address >> 64) as u64).wrapping_mul(K);
    // Truncation intended: the upper bits depend on all of it.
    (mixed >> 48) as usize % QUICK
}

#[cfg(test)]
mod tests;

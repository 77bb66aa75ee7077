//! Who sends to whom, over what: whatever is looked up by that for every frame is found here by
//! one look.

use crate::by_template::ByTemplate;
use crate::table::{Known, KnownSide, Table, TablePlace};
use std::cell::{Cell, OnceCell};
use std::hash::{Hash, Hasher};
use wirewait_wire::{Address, DissectorId, Endpoint, Key, Order, Registry, Session, Walk};

/// One direction between two ends, as the layers of its frames show it, and the places of all data
/// about it. Each collector has its place in here; nothing else may depend on whether the place is
/// known.
#[derive(Default)]
pub(crate) struct Path {
    /// The ends from which and to which its frames go.
    pub(crate) ends: Option<(Endpoint, Endpoint)>,
    /// From which station on the link its first frame came.
    pub(crate) neighbour: Address,
    /// The innermost of the layers that carries requests; empty if there is none.
    pub(crate) carrier: &'static str,
    pub(crate) conversation: KnownSide,
    /// Where the conversation of its byte stream was found last, and which side sends.
    pub(crate) stream: KnownSide,
    /// Which port of its byte stream is claimed, and who cuts that into messages.
    pub(crate) claimed: OnceCell<Option<(Key, DissectorId)>>,
    pub(crate) link: KnownSide,
    /// What the meters keep of it; nothing where nobody reads them.
    metered: OnceCell<Box<Metered>>,
    /// Its frames announce ways and servers.
    pub(crate) announces: bool,
    /// Which station on the link sends them, as it is found at once.
    sender: (Cell<u32>, Cell<u64>),
    /// What is looked for between the two.
    pub(crate) symptoms: KnownSide,
    /// What the frames of this conversation were spent on.
    pub(crate) effort: Cell<Option<PathEffort>>,
}

/// Where it stands what the frames of a conversation on this path were spent on.
#[derive(Clone, Copy)]
pub(crate) struct PathEffort {
    pub(crate) conversation: u64,
    pub(crate) place: TablePlace,
    /// Which of its sides sends on this path, as soon as a frame has shown it.
    pub(crate) side: Option<u8>,
}

/// Where the meters keep what a path is about.
#[derive(Default)]
pub(crate) struct Metered {
    /// This direction.
    pub(crate) way: Known,
    /// It is known what the ports at its ends carry.
    pub(crate) learned: Cell<bool>,
    /// The stations at both ends.
    pub(crate) stations: [Known; 2],
    /// Their transports, by what carries the frames.
    pub(crate) transports: [Known; 2],
    /// Transports of its ends that transport events name.
    pub(crate) told: PathTold,
}

impl Path {
    /// Which station on the link sends its frames: the slot and the number.
    pub(crate) fn sender(&self) -> (usize, u64) {
        (self.sender.0.get() as usize, self.sender.1.get())
    }

    /// It is this one.
    pub(crate) fn is_sent_by(&self, (slot, number): (usize, u64)) {
        // There are a few thousand slots.
        self.sender.0.set(u32::try_from(slot).unwrap_or(u32::MAX));
        self.sender.1.set(number);
    }

    /// What the meters keep of it.
    pub(crate) fn metered(&self) -> &Metered {
        self.metered.get_or_init(Box::default)
    }

    /// Whether this goes from the one end to the other.
    pub(crate) fn is(&self, from: &Endpoint, to: &Endpoint) -> bool {
        self.ends
            .as_ref()
            .is_some_and(|ends| ends.0 == *from && ends.1 == *to)
    }
}

/// Transports of which notices tell. The frame that gives rise to one may not show what carries
/// it.
#[derive(Default)]
pub(crate) struct PathTold {
    carrier: Cell<&'static str>,
    ends: [Known; 2],
}

impl PathTold {
    /// The two ends on this carrier.
    pub(crate) fn on(&self, carrier: &'static str) -> &[Known; 2] {
        if !std::ptr::eq(self.carrier.replace(carrier), carrier) {
            for end in &self.ends {
                end.set(None);
            }
        }
        &self.ends
    }
}

/// What tells paths apart: all by which anything in a [`Path`] is found.
#[derive(Clone, Copy, PartialEq, Eq)]
struct PathKey {
    addresses: [u128; 2],
    /// Ports and kinds of addresses, and above them the layers.
    rest: [u64; 2],
    /// By which numbers the ends know the session and the link.
    numbers: [u64; 2],
}

impl Hash for PathKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // Number by number: an array would be hashed as bytes.
        for address in self.addresses {
            state.write_u128(address);
        }
        for number in self.rest.into_iter().chain(self.numbers) {
            state.write_u64(number);
        }
    }
}

impl PathKey {
    /// All of it, mixed: the upper bits best.
    fn mixed(&self) -> u64 {
        const K: u64 = 0x9e37_79b9_7f4a_7c15;
        // Truncation intended: what tells neighbours apart stands in the lower half.
        let [from, to] = self.addresses.map(|address| address as u64);
        let ports = self.rest[0].rotate_left(16) ^ self.rest[1];
        let numbers = self.numbers[0] ^ self.numbers[1].rotate_left(32);
        let mixed = (from ^ ports).wrapping_mul(K) ^ to.rotate_left(29) ^ numbers;
        mixed.wrapping_mul(K)
    }
}

/// Paths that are found without a look into the table, if no other one came in between that
/// falls into the same slot.
const GUESSES: usize = 8192;
/// Paths with one frame so far that are remembered by a number.
const ONCE: usize = 1 << 15;

/// The latest paths. One is kept from its second frame on: of a flood whose frames all come from
/// another station nothing is kept but a number each.
pub(crate) struct Paths {
    table: Table<PathKey, Path>,
    /// Place of the path that fell into each slot last. Colliding paths cost only a look-up in the
    /// table.
    guesses: Vec<TablePlace>,
    /// Paths by template: frames with one template are on one path.
    by_template: ByTemplate<TablePlace>,
    /// Numbers of paths with one frame so far; later paths overwrite their slots.
    once: Vec<u32>,
    /// That of a frame of which nothing is kept.
    passing: Path,
}

impl Paths {
    pub(crate) fn new(capacity: usize) -> Self {
        Self {
            table: Table::new(capacity.saturating_mul(2)),
            guesses: vec![TablePlace::NOWHERE; GUESSES],
            by_template: ByTemplate::new(TablePlace::NOWHERE),
            once: vec![0; ONCE],
            passing: Path::default(),
        }
    }

    /// The path of a frame.
    #[inline]
    pub(crate) fn of(&mut self, walk: &Walk, registry: &Registry) -> &Path {
        if let Some(template) = walk.template
            && let Some(place) = self.by_template.get(template)
            && self.table.again(place).is_some()
        {
            return self.table.at(place);
        }
        self.find(walk, registry)
    }

    #[inline(never)]
    fn find(&mut self, walk: &Walk, registry: &Registry) -> &Path {
        let facts = &walk.facts;
        let (from, to) = (facts.from.identity(), facts.to.identity());
        let layer = walk.last().map(|span| span.dissector);
        let carrier = walk.carrier.map(|span| span.dissector);
        // Identities leave the upper 29 bits; 0 stands for no layer.
        let above = |id: Option<DissectorId>| id.map_or(0, |id| u64::from(id.0) + 1) << 36;
        let link = match facts.order {
            Order::Numbered(numbered) => numbered.connection,
            _ => None,
        };
        let numbers = |session: Option<Session>| {
            session.map_or(0, |n| 1 << 32 | u64::from(n.from) << 16 | u64::from(n.to))
        };
        let key = PathKey {
            addresses: [from.address(), to.address()],
            rest: [from.rest() | above(layer), to.rest() | above(carrier)],
            numbers: [numbers(facts.session), numbers(link)],
        };
        let mixed = key.mixed();
        // Truncation intended: other bits of it.
        let slot = (mixed >> 51) as usize % GUESSES;
        let place = match self.guesses[slot] {
            place if self.table.is_at(place, &key) => place,
            _ => {
                let path = || Path {
                    ends: Some((facts.from, facts.to)),
                    neighbour: walk.neighbours.0,
                    carrier: carrier
                        .and_then(|id| registry.dissector(id).carrier)
                        .unwrap_or(""),
                    announces: layer.is_some_and(|id| registry.dissector(id).announces.is_some()),
                    ..Path::default()
                };
                let known = &mut self.once[(mixed >> 32) as usize % ONCE];
                let number = mixed as u32;
                let place = if std::mem::replace(known, number) == number {
                    self.table.place_of(&key, path).0
                } else if let Some(place) = self.table.find(&key) {
                    place
                } else {
                    self.passing = path();
                    return &self.passing;
                };
                self.guesses[slot] = place;
                place
            }
        };
        if let Some(template) = walk.template {
            self.by_template.set(template, place);
        }
        self.table.at(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walk(from: u32) -> Walk {
        let mut walk = Walk::default();
        let [a, b, c, d] = from.to_be_bytes();
        walk.facts.from = Endpoint::mac([2, 0, a, b, c, d]);
        walk.facts.to = Endpoint::mac([2, 1, 0, 0, 0, 0]);
        walk
    }

    fn of(paths: &mut Paths, from: u32) -> &Path {
        paths.of(&walk(from), &Registry::new(&[]).unwrap())
    }

    #[test]
    fn a_path_is_kept_from_its_second_frame_on_and_a_flood_keeps_nothing() {
        let mut paths = Paths::new(100);
        for station in 0..10_000 {
            of(&mut paths, station).metered().learned.set(true);
        }
        assert!(paths.table.is_empty());
        let again = of(&mut paths, 9_999);
        assert!(
            !again.metered().learned.get(),
            "nothing was kept of its first frame"
        );
        assert!(again.is(&walk(9_999).facts.from, &walk(9_999).facts.to));
        again.metered().learned.set(true);
        for station in 20_000..30_000 {
            of(&mut paths, station);
        }
        assert!(of(&mut paths, 9_999).metered().learned.get());
    }
}

//! Stations, pairs of them, shares and files by name that transactions concern, each in a place of
//! its own. Addresses and names are looked up once, when a conversation first needs them; data
//! about a station or a pair is in a [`Column`] by its place, without hashing or comparing.
//!
//! [`Column`]: crate::column::Column

mod proved;

use crate::table::{Table, TablePlace};
use crate::{Grouping, Transaction, names};
use proved::Proved;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use wirewait_model::Label;
use wirewait_wire::Endpoint;
use wirewait_wire::word::Name;

/// Where those stand whom a transaction concerns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parties {
    pub(crate) client: TablePlace,
    pub(crate) server: TablePlace,
    /// Both.
    pub(crate) pair: TablePlace,
    /// Both, on what carries their requests.
    pub(crate) tie: TablePlace,
    /// Where it happens, if that has a name.
    pub(crate) named: Option<Named>,
    /// The handle of the file it concerns, and where that stands.
    file: Option<(u128, TablePlace)>,
    /// What had gone from the directory when this was looked up: nothing since, and all of
    /// it is still there.
    as_of: u64,
    /// Nothing is kept of the client: it came in a flood of those whom nobody answers, and
    /// asked once.
    pub(crate) on_probation: bool,
}

impl Default for Parties {
    fn default() -> Self {
        Self::UNKNOWN
    }
}

/// Where those names stand that the place of a transaction has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Named {
    spot: TablePlace,
    /// The user, the share and the file at the server, in the order of [`Grouping`].
    pub(crate) labels: [Option<TablePlace>; 3],
    /// The client at the share.
    pub(crate) mount: Option<TablePlace>,
}

impl Parties {
    /// Not looked up yet.
    pub(crate) const UNKNOWN: Self = Self {
        client: TablePlace::NOWHERE,
        server: TablePlace::NOWHERE,
        pair: TablePlace::NOWHERE,
        tie: TablePlace::NOWHERE,
        named: None,
        file: None,
        as_of: u64::MAX,
        on_probation: false,
    };

    /// Whether these are the same, their file apart, and nothing has gone in between.
    pub(crate) fn are(&self, others: &Self) -> bool {
        let spot = |parties: &Self| parties.named.map(|named| named.spot);
        self.as_of == others.as_of && self.tie == others.tie && spot(self) == spot(others)
    }

    /// They may be others than were known.
    pub(crate) fn changed(&mut self) {
        *self = Self {
            on_probation: self.on_probation,
            ..Self::UNKNOWN
        };
    }

    /// Where the handle of the file stands that the transaction concerns.
    pub(crate) fn handle(&self) -> Option<TablePlace> {
        self.file.map(|(_, place)| place)
    }
}

/// A place by name, of which there is one copy, as a pair of stations uses it.
#[derive(Clone)]
struct Spot {
    pair: TablePlace,
    place: Arc<names::Place>,
}

/// All parties of transactions. The entry untouched for longest gives way, with all data about it
/// elsewhere.
///
/// While there is no room and stations without a response crowd the table, a client that is
/// not known is on probation: it has no place, and gives none to its pair and its file, until it
/// is [answered](Directory::admit) or asks once more. A flood drives nobody out then, and costs
/// no more than to find that its stations are not known.
pub(crate) struct Directory {
    stations: Table<Endpoint, ()>,
    pairs: Table<(Endpoint, Endpoint), ()>,
    ties: Table<(TablePlace, Name), ()>,
    labels: Table<Label, ()>,
    /// Clients, and the shares that they use.
    mounts: Table<(Endpoint, Label), ()>,
    spots: Table<Spot, ()>,
    /// Handles of files, by conversation.
    files: Table<(u64, u128), ()>,
    /// Entries that were dropped because there were too many.
    pub(crate) evicted: u64,
    /// Entries dropped from the tables whose places [`Parties`] keeps: older places may be gone.
    gone: u64,
    proved: Proved,
}

impl Directory {
    /// At most `rows` of each kind, and room for both stations of a pair.
    pub(crate) fn new(rows: usize) -> Self {
        Self {
            stations: Table::new(rows.max(2)),
            pairs: Table::new(rows),
            ties: Table::new(rows),
            labels: Table::new(rows),
            mounts: Table::new(rows),
            spots: Table::new(rows),
            files: Table::new(rows),
            evicted: 0,
            gone: 0,
            proved: Proved::new(),
        }
    }

    /// A transaction begins, or goes on with others than were known: finds its parties, and keeps them from being dropped. `parties`
    /// are those of the latest one between the same two on the same carrier, or
    /// [not known](Parties::UNKNOWN).
    #[inline(always)]
    pub(crate) fn meet(&mut self, t: &Transaction, parties: &mut Parties) {
        if parties.as_of == self.gone && !parties.on_probation {
            for station in [parties.client, parties.server] {
                self.stations.renew(station);
            }
            self.pairs.renew(parties.pair);
            self.ties.renew(parties.tie);
        } else {
            // A client that asks again, or was answered, is no passer-by.
            let admitted = parties.on_probation || t.response.is_some();
            *parties = self.between(t, admitted);
        }
        if parties.on_probation {
            return;
        }
        parties.named = self.named(t, parties);
        parties.file = self.file(t, parties);
        parties.as_of = self.gone;
    }

    /// A client on probation is answered: it and its pair get their places.
    pub(crate) fn admit(&mut self, t: &Transaction, parties: &mut Parties) {
        parties.on_probation = true;
        self.meet(t, parties);
    }

    /// A request was answered: all whom it concerns are kept longer than those whom nobody ever
    /// answered.
    pub(crate) fn prove(&mut self, parties: &Parties) {
        for station in [parties.client, parties.server] {
            self.stations.prove(station);
        }
        self.pairs.prove(parties.pair);
        self.ties.prove(parties.tie);
        if let Some(named) = parties.named {
            self.spots.prove(named.spot);
            for label in named.labels.into_iter().flatten() {
                self.labels.prove(label);
            }
            if let Some(mount) = named.mount {
                self.mounts.prove(mount);
            }
        }
        if let Some(file) = parties.handle() {
            self.files.prove(file);
        }
    }

    /// Whether that was said of the parties of a transaction before; it has to be said now if not.
    #[inline]
    pub(crate) fn are_proved(&mut self, t: &Transaction, parties: &Parties) -> bool {
        self.are_current(t, parties) && self.proved.are(parties)
    }

    /// The parties of a transaction; `room` is for those that have to be looked up again.
    #[inline]
    pub(crate) fn current<'a>(
        &mut self,
        t: &Transaction,
        parties: &'a Parties,
        room: &'a mut Option<Parties>,
    ) -> &'a Parties {
        if self.are_current(t, parties) {
            return parties;
        }
        room.insert(self.later(t, parties))
    }

    /// Whether nothing has gone, and the transaction is about the same file.
    #[inline]
    fn are_current(&self, t: &Transaction, parties: &Parties) -> bool {
        if parties.as_of != self.gone || parties.on_probation {
            return parties.as_of == self.gone;
        }
        match (&parties.file, &t.file) {
            (Some((known, _)), Some(file)) => *known == file.handle,
            (known, file) => known.is_none() && file.is_none(),
        }
    }

    /// The parties of a transaction that goes on, or is closed, after something has gone: who is
    /// no longer known does not come back for it, since those who are at work would have to go.
    #[cold]
    #[inline(never)]
    fn later(&mut self, t: &Transaction, known: &Parties) -> Parties {
        let mut parties = self.left(known);
        if known.as_of == Parties::UNKNOWN.as_of {
            self.meet(t, &mut parties);
            return parties;
        }
        let ends = [parties.client, parties.server, parties.pair, parties.tie];
        if ends.contains(&TablePlace::NOWHERE) {
            parties.named = None;
            parties.file = None;
            return parties;
        }
        let same_place = |named: &Named| {
            let spot = self.spots.key_at(named.spot);
            spot.is_none_or(|spot| {
                t.place
                    .as_ref()
                    .is_some_and(|p| Arc::ptr_eq(&spot.place, p))
            })
        };
        if !parties.named.as_ref().is_some_and(same_place) {
            parties.named = self.named(t, known);
        }
        parties.file = self.file(t, known);
        parties
    }

    /// These parties as far as they are still known: those dropped since are
    /// [nowhere](TablePlace::NOWHERE).
    pub(crate) fn left(&self, parties: &Parties) -> Parties {
        if parties.as_of == self.gone {
            return *parties;
        }
        fn or_nowhere<K: Hash + Eq + Clone>(table: &Table<K, ()>, place: TablePlace) -> TablePlace {
            table.key_at(place).map_or(TablePlace::NOWHERE, |_| place)
        }
        let label =
            |label: Option<TablePlace>| label.filter(|at| self.labels.key_at(*at).is_some());
        Parties {
            client: or_nowhere(&self.stations, parties.client),
            server: or_nowhere(&self.stations, parties.server),
            pair: or_nowhere(&self.pairs, parties.pair),
            tie: or_nowhere(&self.ties, parties.tie),
            named: parties.named.map(|named| Named {
                labels: named.labels.map(label),
                ..named
            }),
            ..*parties
        }
    }

    /// The station at this place, if it is not gone.
    pub(crate) fn station(&self, place: TablePlace) -> Option<Endpoint> {
        self.stations.key_at(place).copied()
    }

    /// Client and server.
    pub(crate) fn pair(&self, place: TablePlace) -> Option<(Endpoint, Endpoint)> {
        self.pairs.key_at(place).copied()
    }

    /// Client, server and carrier.
    pub(crate) fn tie(&self, place: TablePlace) -> Option<(Endpoint, Endpoint, &'static str)> {
        let (pair, carrier) = self.ties.key_at(place)?;
        let (client, server) = self.pair(*pair)?;
        Some((client, server, *carrier))
    }

    /// The user, share or file at this place.
    pub(crate) fn label(&self, place: TablePlace) -> Option<&Label> {
        self.labels.key_at(place)
    }

    /// Client and share. It is spelled as in the rows, however this client does.
    pub(crate) fn mount(&self, place: TablePlace) -> Option<(Endpoint, &Label)> {
        let (client, share) = self.mounts.key_at(place)?;
        Some((*client, self.labels.key_like(share).unwrap_or(share)))
    }

    /// Where this station stands, if it is known.
    #[cold]
    pub(crate) fn station_place(&mut self, station: Endpoint) -> Option<TablePlace> {
        self.stations.find(&station.station())
    }

    /// Whether a client has a row.
    pub(crate) fn knows(&mut self, client: Endpoint) -> bool {
        self.stations.find(&client.station()).is_some()
    }

    /// Where this pair stands, if it is known.
    pub(crate) fn known_pair(&mut self, client: Endpoint, server: Endpoint) -> Option<TablePlace> {
        self.pairs.find(&(client.station(), server.station()))
    }

    /// Where this pair stands.
    pub(crate) fn pair_of(&mut self, client: Endpoint, server: Endpoint) -> TablePlace {
        let found = self
            .pairs
            .place_of(&(client.station(), server.station()), || ());
        self.note(found)
    }

    fn between(&mut self, t: &Transaction, admitted: bool) -> Parties {
        if !admitted
            && self.stations.is_flooded()
            && self.stations.find(&t.client.station()).is_none()
        {
            let server = self.stations.place_of(&t.server.station(), || ());
            // The client, the pair and what carries its requests.
            self.evicted += 3;
            return Parties {
                server: self.note(server),
                as_of: self.gone,
                on_probation: true,
                ..Parties::UNKNOWN
            };
        }
        let pair = self.pair_of(t.client, t.server);
        let [client, server] = [t.client, t.server].map(|end| {
            let found = self.stations.place_of(&end.station(), || ());
            self.note(found)
        });
        let found = self.ties.place_of(&(pair, t.carrier), || ());
        let tie = self.note(found);
        Parties {
            client,
            server,
            pair,
            tie,
            named: None,
            file: None,
            as_of: self.gone,
            on_probation: false,
        }
    }

    #[inline(always)]
    fn named(&mut self, t: &Transaction, parties: &Parties) -> Option<Named> {
        let place = t.place.as_ref()?;
        if let Some(known) = parties.named
            && parties.as_of == self.gone
            && let Some(spot) = self.spots.key_at(known.spot)
            && spot.pair == parties.pair
            && Arc::ptr_eq(&spot.place, place)
        {
            self.spots.renew(known.spot);
            for label in known.labels.into_iter().flatten() {
                self.labels.renew(label);
            }
            if let Some(mount) = known.mount {
                self.mounts.renew(mount);
            }
            return Some(known);
        }
        let server = t.server.station();
        let label = |by, share: Option<&Arc<str>>, name: &Option<Arc<str>>| {
            Some(Label {
                by,
                server,
                share: share.cloned(),
                name: Arc::clone(name.as_ref()?),
            })
        };
        let share = label(Grouping::Share, None, &place.share);
        let mount = share.clone().map(|share| {
            let key = (t.client.station(), share);
            let found = self.mounts.place_of(&key, || ());
            self.note(found)
        });
        let labels = [
            label(Grouping::User, None, &place.user),
            share,
            label(Grouping::File, place.share.as_ref(), &place.path),
        ];
        let labels = labels.map(|label| {
            let label = label?;
            let (found, gone) = self.labels.place_of(&label, || ());
            if let Some(known) = self.labels.key_mut(found) {
                known.respell(&label);
            }
            Some(self.note((found, gone)))
        });
        let spot = Spot {
            pair: parties.pair,
            place: Arc::clone(place),
        };
        let (spot, gone) = self.spots.place_of(&spot, || ());
        self.gone += u64::from(gone.is_some());
        Some(Named {
            spot,
            labels,
            mount,
        })
    }

    #[inline(always)]
    fn file(&mut self, t: &Transaction, parties: &Parties) -> Option<(u128, TablePlace)> {
        let handle = t.file?.handle;
        let key = (t.conversation, handle);
        if let Some(known @ (_, place)) = parties.file
            && parties.as_of == self.gone
            && self.files.key_at(place) == Some(&key)
        {
            self.files.renew(place);
            return Some(known);
        }
        let found = self.files.place_of(&key, || ());
        Some((handle, self.note(found)))
    }

    /// Counts what had to go.
    fn note(&mut self, (place, evicted): (TablePlace, Option<()>)) -> TablePlace {
        self.gone += u64::from(evicted.is_some());
        self.evicted += u64::from(evicted.is_some());
        place
    }
}

impl PartialEq for Spot {
    fn eq(&self, other: &Self) -> bool {
        self.pair == other.pair && Arc::ptr_eq(&self.place, &other.place)
    }
}

impl Eq for Spot {}

impl Hash for Spot {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.pair.hash(state);
        Arc::as_ptr(&self.place).hash(state);
    }
}

#[cfg(test)]
mod tests;

//! Meters: what every station sent, received, asked and answered, in sums that only grow.
//!
//! The difference of two readings by the time between them is a rate. Nothing is kept of the times
//! between, so a meter costs the same however long the capture is. The program that shows a rate
//! chooses its name and unit.

mod counts;
mod kept;
mod requests;
mod transports;

pub use counts::{RequestMeter, ShareMeter};
pub use requests::{ErrorKey, Role, ShareKey, Task};
pub use transports::{LATE_ACK_NS, PairMeter, SegmentMeter, StationMeter, TransportMeter};

use crate::Outcome;
use crate::bounds::Hits;
use crate::case::Case;
use crate::notice::{Notice, Noticed};
use crate::parties::Directory;
use crate::path::Path;
use crate::table::Known;
use crate::table::Table;
use crate::world::{Growth, Seen};
use requests::Requests;
use std::hash::Hash;
use std::sync::Arc;
use transports::Transports;
use wirewait_wire::{Effects, Endpoint, Kind};

/// A struct of sums, with their names, so that a table can name them.
macro_rules! meter {
    ($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        #[non_exhaustive]
        pub struct $name {
            $($(#[$field_doc])* pub $field: u64,)*
        }

        impl $name {
            /// The names of the sums, in order.
            pub const FIELDS: &'static [&'static str] = &[$(stringify!($field)),*];

            /// Adds all sums of another.
            pub fn add(&mut self, other: &Self) {
                $(self.$field = self.$field.saturating_add(other.$field);)*
            }

            /// The sums, in the order of their names.
            #[must_use]
            pub fn values(&self) -> Vec<u64> {
                vec![$(self.$field),*]
            }
        }
    };
}
pub(crate) use meter;

/// What all meters show at one moment, in a fixed order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Readings {
    /// How long the capture is, however its clock was set, ns; `None` if nobody measured it.
    pub elapsed_ns: Option<i64>,
    /// What each station did on each carrier.
    pub transports: Vec<((Endpoint, &'static str), TransportMeter)>,
    /// What passed each station's adapter, as far as this segment shows it.
    pub stations: Vec<(Endpoint, StationMeter)>,
    /// Bytes of messages between a station (the first) and another, on each carrier.
    pub pairs: Vec<((Endpoint, Endpoint, &'static str), PairMeter)>,
    /// What each interface of the capture saw.
    pub segments: Vec<(u32, SegmentMeter)>,
    /// What each station asked or was asked, in each protocol.
    pub requests: Vec<((Endpoint, Role, &'static str), RequestMeter)>,
    /// What went wrong, by the kind of work and the name of the status.
    pub errors: Vec<(ErrorKey, u64)>,
    /// Sessions that agreed on each dialect, by client and dialect.
    pub dialects: Vec<((Endpoint, Arc<str>), u64)>,
    /// What each client did on each share.
    pub shares: Vec<(ShareKey, ShareMeter)>,
    /// Who asked whom on a connection that is not over: server, client, protocol.
    pub clients: Vec<(Endpoint, Endpoint, &'static str)>,
}

/// The meters of a capture.
pub(crate) struct Meters {
    transports: Transports,
    requests: Requests,
    /// Rows dropped because there were too many.
    pub(crate) evicted: u64,
}

impl Meters {
    /// At most `rows` rows of each kind.
    pub(crate) fn new(rows: usize) -> Self {
        Self {
            transports: Transports::new(rows),
            requests: Requests::new(rows),
            evicted: 0,
        }
    }

    pub(crate) fn seen(&mut self, seen: &Seen<'_>) {
        self.transports.seen(seen, &mut self.evicted);
    }

    pub(crate) fn noticed(&mut self, notice: &Notice, path: &Path) {
        self.transports.noticed(notice, path, &mut self.evicted);
        if let (Noticed::Closed | Noticed::Aborted, Some(conversation)) =
            (notice.what, notice.conversation)
        {
            self.requests.ended(conversation);
        }
    }

    pub(crate) fn asked(&mut self, case: Case<'_>) {
        self.requests.asked(case, &mut self.evicted);
        let t = case.transaction;
        self.transports
            .message(case, t.request_bytes, t.kind != Kind::Break);
    }

    /// A request is answered whose client was not known when it asked: it is entered now.
    pub(crate) fn admitted(&mut self, case: Case<'_>) {
        self.requests.asked_by_client(case, &mut self.evicted);
        let bytes = case.transaction.request_bytes;
        self.transports.message(case, bytes, true);
    }

    pub(crate) fn answered(&mut self, case: Case<'_>) {
        self.requests.answered(case, &mut self.evicted);
        let t = case.transaction;
        let bytes = t.response_bytes.saturating_add(t.interim_bytes);
        self.transports.message(case, bytes, t.kind == Kind::Break);
    }

    /// A message that was counted goes on: data that follows a raw write without a header, or
    /// frames by turn.
    pub(crate) fn grows(&mut self, case: Case<'_>, growth: Growth) {
        self.requests.grows(case, growth);
        self.transports.message(case, growth.bytes, growth.asks);
    }

    pub(crate) fn closed(&mut self, case: Case<'_>) {
        let t = case.transaction;
        if t.outcome == Outcome::OrphanResponse {
            self.answered(case);
        } else {
            self.requests.closed(case);
            if t.effects.has(Effects::CALLS) && Requests::is_missed(t) {
                self.transports.not_found(t, &mut self.evicted);
            }
        }
    }

    /// What was lost to fixed bounds.
    pub(crate) fn hits(&self) -> &Hits {
        &self.transports.hits
    }

    pub(crate) fn readings(&self, directory: &Directory) -> Readings {
        let mut readings = Readings::default();
        self.transports.read(directory, &mut readings);
        self.requests.read(directory, &mut readings);
        readings
    }
}

/// The meter of this key; a new one in the place of the one untouched for longest.
fn row<'a, K: Hash + Eq + Clone, V: Default>(
    table: &'a mut Table<K, V>,
    key: &K,
    evicted: &mut u64,
) -> &'a mut V {
    let place = match table.find(key) {
        Some(place) => place,
        None => {
            let (place, dropped) = table.insert(key.clone(), V::default());
            *evicted = evicted.saturating_add(u64::from(dropped.is_some()));
            place
        }
    };
    table.at(place)
}

/// The meter of a key whose row may be at a known place; a new one in the place of the one
/// untouched for longest.
fn known_row<'a, K: Hash + Eq + Clone, V: Default>(
    table: &'a mut Table<K, V>,
    known: &Known,
    key: impl Fn() -> K,
    evicted: &mut u64,
) -> &'a mut V {
    let place = table.find_known(known, &key).unwrap_or_else(|| {
        let (place, dropped) = table.insert(key(), V::default());
        *evicted = evicted.saturating_add(u64::from(dropped.is_some()));
        known.set(Some(place));
        place
    });
    table.at(place)
}

/// All rows, by key.
fn sorted<K: Hash + Eq + Clone + Ord, V: Clone>(table: &Table<K, V>) -> Vec<(K, V)> {
    let mut rows: Vec<_> = table.iter().map(|(k, v)| (k.clone(), v.clone())).collect();
    rows.sort_by(|a, b| a.0.cmp(&b.0));
    rows
}

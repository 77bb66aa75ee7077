//! The accounts of a capture: for all of it, for each client, server and pair of them, for
//! each share and file with a name.

use crate::column::Column;
use crate::ledger::Account;
use crate::ledger::Passage;
use crate::parties::Directory;
use crate::world::Wait;
use crate::{Grouping, LedgerOf, LedgerRow, Settings};
use std::cmp::Reverse;
use std::sync::Arc;
use wirewait_wire::{Endpoint, Timestamp};

/// A request is settled when nothing older can be on its way any more: this long after it
/// began, ns. A request counts from its first byte, but is known when it is complete.
const LAG_NS: i64 = 500_000_000;

pub(crate) struct Ledgers {
    capture: Account,
    servers: Column<Account>,
    clients: Column<Account>,
    pairs: Column<Account>,
    /// Of shares and files.
    labels: Column<Account>,
    think_ns: i64,
}

impl Ledgers {
    pub(crate) fn new(settings: &Settings) -> Self {
        Self {
            capture: Account::default(),
            servers: Column::new(),
            clients: Column::new(),
            pairs: Column::new(),
            labels: Column::new(),
            think_ns: settings.think_ns,
        }
    }

    /// A client waits for a request.
    pub(crate) fn begins(&mut self, wait: Wait<'_>) {
        // Who will answer a question to anyone is not known yet.
        if !wait.anyone {
            self.each(wait, |account, _| account.begins(wait.began));
        }
    }

    /// It no longer does, since `at`.
    pub(crate) fn ends(&mut self, wait: Wait<'_>, at: Timestamp, passage: Option<&Passage>) {
        if wait.anyone && wait.case.transaction.response.is_none() {
            return;
        }
        self.each(wait, |account, think| {
            if !wait.anyone {
                account.ends(wait.began);
            }
            if let Some(passage) = passage {
                account.closed(passage, at.plus(-LAG_NS), think);
            }
        });
    }

    /// A wait by design began.
    pub(crate) fn waits(&mut self, wait: Wait<'_>) {
        self.each(wait, |account, _| account.waits(wait.began));
    }

    /// It is over since `at`.
    pub(crate) fn waited(&mut self, wait: Wait<'_>, at: Timestamp) {
        self.each(wait, |account, _| account.waited(wait.began, at));
    }

    /// From the beginning of the wait to `at` the answer had to be sent again.
    pub(crate) fn lost(&mut self, wait: Wait<'_>, at: Timestamp) {
        self.each(wait, |account, _| account.lost(wait.began, at));
    }

    /// Everything is closed.
    pub(crate) fn finish(&mut self) {
        let columns = [
            &mut self.servers,
            &mut self.clients,
            &mut self.pairs,
            &mut self.labels,
        ];
        let accounts = columns.into_iter().flat_map(Column::values_mut);
        for account in accounts.chain([&mut self.capture]) {
            account.settle(Timestamp::from_nanos(i64::MAX), self.think_ns);
        }
    }

    /// As far as they are settled: the capture, servers, clients, pairs, shares, files; each
    /// kind by time waited, the longest first.
    pub(crate) fn rows(&self, directory: &Directory) -> Vec<LedgerRow> {
        let station = |place| directory.station(place);
        let pair = |place| {
            let (client, server) = directory.pair(place)?;
            Some(LedgerOf::Pair { client, server })
        };
        let label = |place| {
            let label = directory.label(place)?;
            let (server, share) = (label.server, label.share.clone());
            let name = Arc::clone(&label.name);
            match label.by {
                Grouping::User => None,
                Grouping::Share => Some(LedgerOf::Share {
                    server,
                    share: name,
                }),
                Grouping::File => Some(LedgerOf::File {
                    server,
                    share,
                    path: name,
                }),
            }
        };
        let all = std::iter::once((Some(LedgerOf::Capture), &self.capture));
        let servers = self.servers.iter();
        let servers = servers.map(|(at, a)| (station(at).map(LedgerOf::Server), a));
        let clients = self.clients.iter();
        let clients = clients.map(|(at, a)| (station(at).map(LedgerOf::Client), a));
        let pairs = self.pairs.iter().map(|(at, a)| (pair(at), a));
        let labels = self.labels.iter().map(|(at, a)| (label(at), a));
        let mut rows: Vec<LedgerRow> = all
            .chain(servers)
            .chain(clients)
            .chain(pairs)
            .chain(labels)
            .filter_map(|(of, account)| {
                Some(LedgerRow {
                    of: of?,
                    ledger: account.ledger(),
                    turnarounds: account.turnarounds(),
                    pauses: account.pauses(),
                })
            })
            .filter(|row| row.ledger.elapsed() > 0)
            .collect();
        rows.sort_by(|a, b| order(a).cmp(&order(b)));
        rows
    }

    fn each(&mut self, wait: Wait<'_>, mut book: impl FnMut(&mut Account, i64)) {
        let parties = wait.case.parties;
        let think_ns = self.think_ns;
        book(&mut self.capture, think_ns);
        book(self.servers.of(parties.server), think_ns);
        book(self.clients.of(parties.client), think_ns);
        book(self.pairs.of(parties.pair), think_ns);
        let labels = parties.named.map(|named| named.labels);
        // A user's time is not accounted for.
        let [_, share, file] = labels.unwrap_or_default();
        for label in [share, file].into_iter().flatten() {
            book(self.labels.of(label), think_ns);
        }
    }
}

type Whose<'a> = (
    u8,
    Reverse<u64>,
    [Option<Endpoint>; 2],
    [Option<&'a str>; 2],
);

/// The kinds in their order, each by time waited, the longest first.
fn order(row: &LedgerRow) -> Whose<'_> {
    let (kind, ends, names) = match &row.of {
        LedgerOf::Capture => (0, [None, None], [None, None]),
        LedgerOf::Server(server) => (1, [Some(*server), None], [None, None]),
        LedgerOf::Client(client) => (2, [Some(*client), None], [None, None]),
        LedgerOf::Pair { client, server } => (3, [Some(*client), Some(*server)], [None, None]),
        LedgerOf::Share { server, share } => (4, [Some(*server), None], [Some(&**share), None]),
        LedgerOf::File {
            server,
            share,
            path,
        } => {
            let names = [share.as_deref(), Some(&**path)];
            (5, [Some(*server), None], names)
        }
    };
    (kind, Reverse(row.ledger.waited()), ends, names)
}

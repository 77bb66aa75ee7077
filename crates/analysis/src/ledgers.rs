//! The accounts of a capture: for all of it, for each client, server and pair of them, for
//! each share and file with a name.

use crate::ledger::Account;
use crate::ledger::Passage;
use crate::table::Table;
use crate::world::Wait;
use crate::{LedgerOf, LedgerRow, Settings};
use std::sync::Arc;
use wirewait_wire::{Endpoint, Timestamp};

/// A request is settled when nothing older can be on its way any more: this long after it
/// began, ns. A request counts from its first byte, but is known when it is complete.
const LAG_NS: i64 = 500_000_000;

/// Whose account.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Owner {
    Capture,
    Server(Endpoint),
    Client(Endpoint),
    Pair(Endpoint, Endpoint),
    Share(Endpoint, Arc<str>),
    File(Endpoint, Option<Arc<str>>, Arc<str>),
}

pub(crate) struct Ledgers {
    accounts: Table<Owner, Account>,
    think_ns: i64,
    /// Accounts that were dropped because there were too many.
    pub(crate) evicted: u64,
}

impl Ledgers {
    pub(crate) fn new(settings: &Settings) -> Self {
        Self {
            accounts: Table::new(settings.rows),
            think_ns: settings.think_ns,
            evicted: 0,
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
    pub(crate) fn ends(&mut self, wait: Wait<'_>, at: Timestamp, passage: Option<Passage>) {
        if wait.anyone && wait.transaction.response.is_none() {
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
        for account in self.accounts.iter_mut() {
            account.settle(Timestamp::from_nanos(i64::MAX), self.think_ns);
        }
    }

    /// As far as they are settled: the capture, servers, clients, pairs, shares, files; each
    /// kind by time waited, the longest first.
    pub(crate) fn rows(&self) -> Vec<LedgerRow> {
        let mut rows: Vec<(&Owner, &Account)> = self
            .accounts
            .iter()
            .filter(|(_, account)| account.ledger().elapsed() > 0)
            .collect();
        rows.sort_by(|(a, a_account), (b, b_account)| {
            let rank = |owner: &Owner| match owner {
                Owner::Capture => 0,
                Owner::Server(_) => 1,
                Owner::Client(_) => 2,
                Owner::Pair(..) => 3,
                Owner::Share(..) => 4,
                Owner::File(..) => 5,
            };
            (rank(a), std::cmp::Reverse(a_account.ledger().waited()), *a).cmp(&(
                rank(b),
                std::cmp::Reverse(b_account.ledger().waited()),
                *b,
            ))
        });
        rows.into_iter()
            .map(|(owner, account)| LedgerRow {
                of: match owner.clone() {
                    Owner::Capture => LedgerOf::Capture,
                    Owner::Server(server) => LedgerOf::Server(server),
                    Owner::Client(client) => LedgerOf::Client(client),
                    Owner::Pair(client, server) => LedgerOf::Pair { client, server },
                    Owner::Share(server, share) => LedgerOf::Share { server, share },
                    Owner::File(server, share, path) => LedgerOf::File {
                        server,
                        share,
                        path,
                    },
                },
                ledger: account.ledger(),
                turnarounds: account.turnarounds(),
                pauses: account.pauses(),
            })
            .collect()
    }

    fn each(&mut self, wait: Wait<'_>, mut book: impl FnMut(&mut Account, i64)) {
        let t = wait.transaction;
        let (client, server) = (t.client.station(), t.server.station());
        let named = t.place.as_deref();
        let share = named.and_then(|place| place.share.clone());
        let path = named.and_then(|place| place.path.clone());
        let owners = [
            Some(Owner::Capture),
            Some(Owner::Server(server)),
            Some(Owner::Client(client)),
            Some(Owner::Pair(client, server)),
            share.clone().map(|share| Owner::Share(server, share)),
            path.map(|path| Owner::File(server, share, path)),
        ];
        for owner in owners.into_iter().flatten() {
            let at = match self.accounts.find(&owner) {
                Some(at) => at,
                None => {
                    let (at, evicted) = self.accounts.insert(owner, Account::default());
                    self.evicted += u64::from(evicted.is_some());
                    at
                }
            };
            book(self.accounts.at(at), self.think_ns);
        }
    }
}

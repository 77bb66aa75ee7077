//! The accounts of a capture: for all of it, for each client, server and pair of them, for
//! each share and file with a name.

use crate::column::Column;
use crate::ledger::Account;
use crate::ledger::Passage;
use crate::parties::{Directory, Parties};
use crate::table::Place;
use crate::world::Wait;
use crate::{Grouping, LedgerCourse, LedgerOf, LedgerRow, Settings};
use std::cmp::Reverse;
use std::sync::Arc;
use wirewait_wire::{Endpoint, Timestamp};

/// A request is settled when nothing older can be on its way any more: this long after it
/// began, ns. A request counts from its first byte, but is known when it is complete.
const LAG_NS: i64 = 500_000_000;

pub(crate) struct Ledgers {
    capture: Account,
    servers: Column<Account>,
    clients: Column<Client>,
    pairs: Column<Pair>,
    /// Of shares and files.
    labels: Column<Account>,
    think_ns: i64,
}

/// Where the account of a client is. Most have one server, and what is in the pair's account is
/// in theirs.
#[derive(Default)]
enum Client {
    /// Nowhere yet.
    #[default]
    New,
    /// It is that of this pair, the only one so far.
    Pair(Place),
    /// There are several pairs.
    Own(Box<Account>),
}

#[derive(Default)]
struct Pair {
    client: Option<Place>,
    account: Account,
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

    /// Keeps so many last seconds of the capture from now on.
    pub(crate) fn keep_course(&mut self, seconds: u32) {
        self.capture.keep_course(seconds);
    }

    /// The last seconds, if they are kept.
    pub(crate) fn course(&self) -> Option<&LedgerCourse> {
        self.capture.course()
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
        let columns = [&mut self.servers, &mut self.labels];
        let accounts = columns.into_iter().flat_map(Column::values_mut);
        let pairs = self.pairs.values_mut().map(|pair| &mut pair.account);
        let clients = self.clients.values_mut().filter_map(|client| match client {
            Client::Own(account) => Some(&mut **account),
            Client::New | Client::Pair(_) => None,
        });
        for account in accounts
            .chain(pairs)
            .chain(clients)
            .chain([&mut self.capture])
        {
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
        let clients = self.clients.iter().filter_map(|(at, client)| {
            let account = match client {
                Client::New => return None,
                Client::Pair(pair) => &self.pairs.get(*pair)?.account,
                Client::Own(account) => account,
            };
            Some((station(at).map(LedgerOf::Client), account))
        });
        let pairs = self.pairs.iter().map(|(at, p)| (pair(at), &p.account));
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
        if let Some(account) = self.of_client(parties) {
            book(account, think_ns);
        }
        book(&mut self.pairs.of(parties.pair).account, think_ns);
        let labels = parties.named.map(|named| named.labels);
        // A user's time is not accounted for.
        let [_, share, file] = labels.unwrap_or_default();
        for label in [share, file].into_iter().flatten() {
            book(self.labels.of(label), think_ns);
        }
    }
}

impl Ledgers {
    /// The account of a client, if it is not that of the pair. Both are there from now on.
    fn of_client(&mut self, parties: &Parties) -> Option<&mut Account> {
        if !self.pairs.has(parties.pair) {
            self.new_pair(parties);
        }
        let client = self.clients.of(parties.client);
        match client {
            Client::New => {
                *client = Client::Pair(parties.pair);
                self.pairs.of(parties.pair).client = Some(parties.client);
            }
            Client::Pair(pair) if *pair != parties.pair => {
                let only = self.pairs.get(*pair);
                let account = only.map(|pair| pair.account.clone());
                *client = Client::Own(Box::new(account.unwrap_or_default()));
            }
            Client::Pair(_) | Client::Own(_) => {}
        }
        match client {
            Client::Own(account) => Some(account),
            Client::New | Client::Pair(_) => None,
        }
    }

    #[cold]
    fn new_pair(&mut self, parties: &Parties) {
        let gone = self.pairs.renew(parties.pair);
        self.pairs.of(parties.pair).client = Some(parties.client);
        // Whoever had the place takes nothing with it that is its client's.
        if let Some(gone) = gone
            && let Some(client) = gone.client.and_then(|place| self.clients.known(place))
            && matches!(client, Client::Pair(pair) if pair.index() == parties.pair.index())
        {
            *client = Client::Own(Box::new(gone.account));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Ledger;
    use crate::symptoms::testing::{at, station, transaction};
    use crate::world::Case;
    use wirewait_wire::Kind;

    /// From so many milliseconds to so many this client waits for this server.
    type Request = (u8, u8, i64, i64);

    /// All of it the server's.
    fn passage(from: i64, to: i64) -> Passage {
        let ends = [from, from, to, to, to].map(at);
        Passage::new(at(from), ends, Passage::ANSWERED)
    }

    /// The ledgers of the first clients after these requests, with room for so many of each
    /// kind.
    fn clients(requests: &[Request], rows: usize) -> Vec<Option<Ledger>> {
        let mut ledgers = Ledgers::new(&Settings::default());
        let mut directory = Directory::new(rows);
        for (client, server, from, to) in requests {
            let mut t = transaction(1, Kind::Read, *from, *to);
            (t.client, t.server) = (station(*client), station(100 + *server));
            let mut parties = Parties::UNKNOWN;
            directory.meet(&t, &mut parties);
            let wait = Wait {
                case: Case {
                    transaction: &t,
                    parties: &parties,
                },
                began: at(*from),
                anyone: false,
            };
            let passage = passage(*from, *to);
            ledgers.begins(wait);
            ledgers.ends(wait, at(*to), Some(&passage));
        }
        ledgers.finish();
        let rows = ledgers.rows(&directory);
        let of = |client| {
            let of = LedgerOf::Client(station(client));
            let row = rows.iter().find(|row| row.of == of);
            row.map(|row| row.ledger)
        };
        (1..=2).map(of).collect()
    }

    fn alone(requests: &[Request], client: u8) -> Ledger {
        let mut account = Account::default();
        for (_, _, from, to) in requests.iter().filter(|r| r.0 == client) {
            account.closed(
                &passage(*from, *to),
                at(i64::MAX / 1_000_000),
                Settings::default().think_ns,
            );
        }
        account.ledger()
    }

    #[test]
    fn a_client_has_its_own_account_from_its_second_server_on() {
        let requests = [(1, 1, 0, 10), (2, 1, 3, 30), (1, 1, 15, 20)];
        let own = [alone(&requests, 1), alone(&requests, 2)].map(Some);
        assert_eq!(clients(&requests, 10), own);
        let requests = [requests.as_slice(), &[(1, 2, 40, 45), (1, 1, 60, 61)]].concat();
        let own = [alone(&requests, 1), alone(&requests, 2)].map(Some);
        assert_eq!(clients(&requests, 10), own);
    }

    #[test]
    fn it_keeps_what_a_pair_that_is_forgotten_had() {
        // Room for one pair and two stations: the second server takes the first one's place.
        let requests = [(1, 1, 0, 10), (1, 2, 20, 30), (1, 2, 35, 50)];
        assert_eq!(clients(&requests, 1)[0], Some(alone(&requests, 1)));
    }
}

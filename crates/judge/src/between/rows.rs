//! The time of both ends by client, by server and by operation: roll-ups of the same slices as the whole.

use super::clocks::Clocks;
use super::sights::RequestSight;
use super::time::{positive, spread};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use wirewait_wire::{Endpoint, Timestamp};

/// Whose time a row of joined captures splits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BetweenOf {
    /// One client, by its first address if it has channels of one SMB session at several.
    Client(Endpoint),
    /// What clients spent on requests to one server.
    Server(Endpoint),
    /// What they spent on requests for one operation there.
    Operation {
        /// The server.
        server: Endpoint,
        /// The protocol of the requests.
        protocol: &'static str,
        /// The specification's name of the operation.
        command: &'static str,
        /// The protocol's number for it.
        code: u32,
    },
}

/// Someone's time at both ends. The rows of each kind sum to the whole.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BetweenRow {
    /// Whose.
    pub of: BetweenOf,
    /// Requests that both captures have answered.
    pub requests: u64,
    /// Between requests, at the clients, and while others waited for one, ns. A pause belongs to the request that ends it.
    pub client_ns: u64,
    /// On the way between both captures, lost frames included, ns.
    pub way_ns: u64,
    /// At the servers, ns.
    pub server_ns: u64,
    /// Of requests that the capture at the clients alone has answered, or of which it is not known who kept them waiting, ns.
    pub unknown_ns: u64,
    /// Requests of which a frame was lost between the two.
    pub with_losses: u64,
    /// From the first frame of a request at the clients to its last at the servers: least, median, most, ns.
    /// Below zero where the clocks' difference is not known well enough; `None` where it is not known.
    pub request_way: Option<[i64; 3]>,
    /// The turnaround at the servers, likewise.
    pub turnaround: [u64; 3],
    /// From the first frame of a response at the servers to its last at the clients, likewise.
    pub response_way: Option<[i64; 3]>,
}

/// The slices of a request.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RequestSlices {
    /// The pause before it, if that is the client's.
    pub(super) client: u64,
    pub(super) way: u64,
    pub(super) server: u64,
    pub(super) unknown: u64,
    pub(super) with_losses: bool,
}

/// Rows as they are added up.
pub(super) struct BetweenRows {
    of: BTreeMap<BetweenOf, Sum>,
    /// The clock at the servers against that at the clients, if that is known.
    clocks: Option<Clocks>,
}

#[derive(Default)]
struct Sum {
    requests: u64,
    slices: RequestSlices,
    with_losses: u64,
    /// Times between stamps of two clocks, without the difference of these, ns.
    forth: Vec<i64>,
    back: Vec<i64>,
    turnarounds: Vec<u64>,
}

impl BetweenRows {
    pub(super) fn new(clocks: Option<Clocks>) -> Self {
        Self {
            of: BTreeMap::new(),
            clocks,
        }
    }

    /// A request of this client as the clients have it, and as the servers do, if those have it answered.
    pub(super) fn add(
        &mut self,
        (client, here): (Endpoint, &RequestSight),
        there: Option<&RequestSight>,
        slices: RequestSlices,
    ) {
        let (protocol, code, _) = here.of;
        let operation = BetweenOf::Operation {
            server: here.server,
            protocol,
            command: here.command,
            code,
        };
        let owners = [
            BetweenOf::Client(client),
            BetweenOf::Server(here.server),
            operation,
        ];
        for of in owners {
            let sum = self.of.entry(of).or_default();
            sum.add((here, there), &slices, self.clocks.as_ref());
        }
    }

    /// All of them, each kind by its active time.
    pub(super) fn found(self) -> Vec<BetweenRow> {
        let rows = self.of.into_iter();
        let mut rows: Vec<BetweenRow> = rows.map(|(of, sum)| sum.row(of)).collect();
        let kind = |of: &BetweenOf| match of {
            BetweenOf::Client(_) => 0,
            BetweenOf::Server(_) => 1,
            BetweenOf::Operation { .. } => 2,
        };
        rows.sort_by_key(|row| (kind(&row.of), Reverse(row.active_ns()), row.of));
        rows
    }
}

impl BetweenRow {
    /// The base of its shares.
    #[must_use]
    pub fn active_ns(&self) -> u64 {
        [self.client_ns, self.way_ns, self.server_ns, self.unknown_ns]
            .into_iter()
            .fold(0, u64::saturating_add)
    }
}

impl Sum {
    fn add(
        &mut self,
        (here, there): (&RequestSight, Option<&RequestSight>),
        slices: &RequestSlices,
        clocks: Option<&Clocks>,
    ) {
        let sum = &mut self.slices;
        sum.client += slices.client;
        sum.way += slices.way;
        sum.server += slices.server;
        sum.unknown += slices.unknown;
        self.with_losses += u64::from(slices.with_losses);
        let Some((there, answer)) = there.and_then(|there| Some((there, there.response?))) else {
            return;
        };
        self.requests += 1;
        let since = |to: Timestamp, from: Timestamp| to.since(from);
        self.turnarounds
            .push(positive(since(answer.first.at, there.request.last.at)));
        if let (Some(clocks), Some(response)) = (clocks, here.response) {
            let (asked, answered) = (here.request.first.at, response.last.at);
            let forth = since(there.request.last.at, asked);
            let back = since(answered, answer.first.at);
            self.forth
                .push(forth.saturating_sub(clocks.ahead_at(asked)));
            self.back
                .push(back.saturating_add(clocks.ahead_at(answered)));
        }
    }

    fn row(self, of: BetweenOf) -> BetweenRow {
        let way = |mut times: Vec<i64>| {
            let last = times.len().checked_sub(1)?;
            times.sort_unstable();
            Some([0, last / 2, last].map(|at| times[at]))
        };
        BetweenRow {
            of,
            requests: self.requests,
            client_ns: self.slices.client,
            way_ns: self.slices.way,
            server_ns: self.slices.server,
            unknown_ns: self.slices.unknown,
            with_losses: self.with_losses,
            request_way: way(self.forth),
            turnaround: spread(self.turnarounds),
            response_way: way(self.back),
        }
    }
}

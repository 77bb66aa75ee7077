//! Requests of a live capture as metrics and rows of intervals count them: by server, protocol and
//! class of operations.

use std::collections::HashMap;
use wirewait::{Endpoint, Kind, Transaction};

/// Servers with figures of their own; requests to further ones count under `other`.
const SERVERS: usize = 256;

/// The server of requests that have no figures of their own.
const OTHER: &str = "other";

/// Requests that count together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Class {
    /// `None` for servers that have no figures of their own.
    server: Option<Endpoint>,
    pub(super) protocol: &'static str,
    pub(super) kind: Kind,
}

/// The servers that have figures of their own.
#[derive(Debug, Default)]
pub(super) struct Servers {
    names: HashMap<Endpoint, String>,
}

impl Servers {
    /// What a request counts in.
    pub(super) fn class(&mut self, t: &Transaction) -> Class {
        Class {
            server: self.server(t.server),
            protocol: t.protocol,
            kind: t.kind,
        }
    }

    /// The server of a class, as it is shown.
    pub(super) fn name(&self, class: Class) -> &str {
        let name = class.server.and_then(|server| self.names.get(&server));
        name.map_or(OTHER, String::as_str)
    }

    /// The server without its port; `None` if there are too many.
    fn server(&mut self, server: Endpoint) -> Option<Endpoint> {
        let station = Endpoint {
            port: None,
            ..server
        };
        if !self.names.contains_key(&station) {
            if self.names.len() >= SERVERS {
                return None;
            }
            self.names.insert(station, station.to_string());
        }
        Some(station)
    }
}

/// What became of a request that is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RequestEnd {
    pub(super) error: bool,
    pub(super) unanswered: bool,
    pub(super) retransmitted: u64,
    pub(super) data_bytes: u64,
    /// As the report counts it: the server's work on this request alone.
    pub(super) turnaround_ns: Option<i64>,
    /// Of a request that was answered.
    pub(super) response_time_ns: Option<i64>,
}

impl RequestEnd {
    /// That of a transaction; a response without a request is none.
    pub(super) fn of(t: &Transaction) -> Option<Self> {
        t.request?;
        let took = t.took();
        Some(Self {
            error: t.status.is_some_and(|status| status.failure),
            unanswered: t.is_unanswered(),
            retransmitted: u64::from(t.copies > 1),
            data_bytes: t.data_bytes,
            turnaround_ns: took.and_then(|took| took.turnaround_ns),
            response_time_ns: took.map(|took| took.response_ns),
        })
    }
}

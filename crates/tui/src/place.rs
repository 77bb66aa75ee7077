//! Places one can be at.

use wirewait_report::counters::CounterPlace as Whose;
use wirewait_wire::Endpoint;

/// A place: a screen, or what is below one of its rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Overview,
    Servers,
    /// The operations of a server.
    Operations(Endpoint),
    /// Transactions that belong together.
    Transactions(Scope),
    /// One transaction, by its number.
    Transaction(u64),
    Clients,
    /// The conversations of a client, or all.
    Conversations(Option<Endpoint>),
    Counters,
    /// Performance Monitor's objects, to choose from.
    CounterObjects,
    /// The instances of one.
    CounterInstances(&'static str),
    /// The counters of an instance, or of all.
    CounterKinds(&'static str, Option<Whose>),
    Symptoms,
    /// The statistics that show themselves.
    Statistics,
    /// One of them, by its name.
    Statistic(&'static str),
    /// Frames that were asked for, and in words which.
    Frames(String),
}

/// Which transactions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// All of a server.
    Server(Endpoint),
    /// All of a client.
    Client(Endpoint),
    /// All of a conversation, by its number.
    Conversation(u64),
    /// One operation of a server: protocol, carrier, its name and its number.
    Operation {
        server: Endpoint,
        protocol: &'static str,
        carrier: &'static str,
        command: &'static str,
        code: u32,
    },
}

/// A screen with a tab.
#[derive(Debug)]
pub(crate) struct Tab {
    pub(crate) name: &'static str,
    pub(crate) place: Place,
}

/// The screens, as the digits open them.
pub(crate) static TABS: &[Tab] = &[
    Tab {
        name: "Overview",
        place: Place::Overview,
    },
    Tab {
        name: "Servers",
        place: Place::Servers,
    },
    Tab {
        name: "Clients",
        place: Place::Clients,
    },
    Tab {
        name: "Conversations",
        place: Place::Conversations(None),
    },
    Tab {
        name: "Counters",
        place: Place::Counters,
    },
    Tab {
        name: "Symptoms",
        place: Place::Symptoms,
    },
];

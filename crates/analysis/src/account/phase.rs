//! Phases of time, and time split by them.

use wirewait_wire::Timestamp;

/// What an instant of a client's time was spent on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Phase {
    /// Nothing outstanding, and the next request comes soon: work in the client, without the
    /// distance. And what of a request is a [stall](crate::Stalls) of a client's.
    Client,
    /// The request is on its way: t1 to t2.
    Request,
    /// Server turnaround: t2 to t3, without the distance.
    Server,
    /// The answer is on its way: t3 to t4.
    Response,
    /// The way between the capture and a station, as far as it is proved, within what would be
    /// the server's or the client's without it.
    Distance,
    /// Loss recovery: from the loss of a frame to its retransmission.
    Retransmission,
    /// No answer ever came: until the request was given up.
    Unanswered,
    /// Nothing but waits by design is outstanding.
    Waiting,
    /// Nothing outstanding, and nothing wanted for a while.
    Idle,
    /// A request is outstanding, and the capture cannot tell what became of it: only one
    /// direction was captured, its response may be among what is missing, or the capture ended.
    Unknown,
}

impl Phase {
    /// All of them, in the order in which they are shown.
    pub const ALL: [Self; 10] = [
        Self::Client,
        Self::Request,
        Self::Server,
        Self::Response,
        Self::Distance,
        Self::Retransmission,
        Self::Unanswered,
        Self::Waiting,
        Self::Idle,
        Self::Unknown,
    ];

    /// The phases of active time, in the same order.
    pub const ACTIVE: [Self; 7] = [
        Self::Client,
        Self::Request,
        Self::Server,
        Self::Response,
        Self::Distance,
        Self::Retransmission,
        Self::Unanswered,
    ];

    /// Whether it is part of active time.
    #[must_use]
    pub const fn is_active(self) -> bool {
        !matches!(self, Self::Waiting | Self::Idle | Self::Unknown)
    }

    /// The name used in every output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Request => "request_transfer",
            Self::Server => "server",
            Self::Response => "response_transfer",
            Self::Distance => "distance",
            Self::Retransmission => "retransmission",
            Self::Unanswered => "unanswered",
            Self::Waiting => "waiting",
            Self::Idle => "idle",
            Self::Unknown => "unknown",
        }
    }
}

/// What a time is at least and at most, ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    /// At least.
    pub low: u64,
    /// At most.
    pub high: u64,
}

impl Bounds {
    const fn plus(self, other: Self) -> Self {
        Self {
            low: self.low.saturating_add(other.low),
            high: self.high.saturating_add(other.high),
        }
    }

    /// What is left of a time that contains what may be more than the least of this.
    const fn rest_of(self, ns: u64) -> Self {
        let more = self.high.saturating_sub(self.low);
        Self {
            low: ns.saturating_sub(more),
            high: ns,
        }
    }
}

/// Time split by phase. Nanoseconds; of several clients, client-nanoseconds.
///
/// The way between the capture point and the stations lies within turnarounds and within the
/// clients' gaps. What is proved of it is [`Phase::Distance`]; more of [`Phase::Server`] and
/// [`Phase::Client`] may be. How much there is stands beside the phases, between bounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ledger {
    phases: [u64; Phase::ALL.len()],
    in_server: Bounds,
    in_client: Bounds,
    /// The clients' time within requests, and the way that is proved there.
    in_requests: u64,
}

impl FromIterator<(Phase, u64)> for Ledger {
    /// Adds up nanoseconds by phase.
    fn from_iter<I: IntoIterator<Item = (Phase, u64)>>(parts: I) -> Self {
        let mut ledger = Self::default();
        for (phase, ns) in parts {
            ledger.put(phase, ns);
        }
        ledger
    }
}

impl Ledger {
    /// The time of one phase.
    #[must_use]
    pub const fn get(&self, phase: Phase) -> u64 {
        self.phases[phase as usize]
    }

    /// All phases together. Of one client: from its first request's first frame to its last
    /// answer's last.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.phases
            .iter()
            .fold(0, |sum, ns| sum.saturating_add(*ns))
    }

    /// What was waited for: active time without the clients' gaps.
    #[must_use]
    pub fn waited(&self) -> u64 {
        let client = self.get(Phase::Client).saturating_add(self.in_client.low);
        let gaps = client.saturating_sub(self.in_requests);
        self.active().saturating_sub(gaps)
    }

    /// The clients' time that is not in their gaps but within requests, with the way to them that is proved there:
    /// their windows were closed, they kept acknowledgements waiting, or another one had to give something back.
    #[must_use]
    pub const fn client_within_requests(&self) -> u64 {
        self.in_requests
    }

    /// Active time, the base of every share: all but waiting by design, idle and unknown.
    #[must_use]
    pub fn active(&self) -> u64 {
        Phase::ACTIVE
            .iter()
            .map(|phase| self.get(*phase))
            .fold(0, u64::saturating_add)
    }

    /// The way from the capture to the servers, within turnarounds.
    #[must_use]
    pub const fn network_in_server(&self) -> Bounds {
        self.in_server
    }

    /// The way from the capture to the clients, within their gaps.
    #[must_use]
    pub const fn network_in_client(&self) -> Bounds {
        self.in_client
    }

    /// Time spent in clients.
    #[must_use]
    pub const fn client(&self) -> Bounds {
        self.in_client.rest_of(self.get(Phase::Client))
    }

    /// Time spent in servers.
    #[must_use]
    pub const fn server(&self) -> Bounds {
        self.in_server.rest_of(self.get(Phase::Server))
    }

    /// Time spent in the network: transfers, loss recovery, and the way from the capture to the
    /// stations.
    #[must_use]
    pub fn network(&self) -> Bounds {
        let proved = [
            Phase::Request,
            Phase::Response,
            Phase::Distance,
            Phase::Retransmission,
        ];
        let proved = proved.map(|phase| self.get(phase));
        let low = proved.into_iter().fold(0, u64::saturating_add);
        let more = |way: Bounds| way.high.saturating_sub(way.low);
        let more = more(self.in_server).saturating_add(more(self.in_client));
        Bounds {
            low,
            high: low.saturating_add(more),
        }
    }

    /// Adds the time of another one.
    pub fn merge(&mut self, other: &Self) {
        for (sum, ns) in self.phases.iter_mut().zip(other.phases) {
            *sum = sum.saturating_add(ns);
        }
        self.in_server = self.in_server.plus(other.in_server);
        self.in_client = self.in_client.plus(other.in_client);
        self.in_requests = self.in_requests.saturating_add(other.in_requests);
    }

    /// A ledger with these times, in the order of [`Phase::ALL`].
    #[must_use]
    pub const fn from_parts(ns: [u64; Phase::ALL.len()]) -> Self {
        let none = Bounds { low: 0, high: 0 };
        Self {
            phases: ns,
            in_server: none,
            in_client: none,
            in_requests: 0,
        }
    }

    /// This ledger with so much of the clients' time within requests, ns.
    #[must_use]
    pub const fn with_client_within_requests(mut self, ns: u64) -> Self {
        self.in_requests = ns;
        self
    }

    /// This ledger with this way to the servers within turnarounds, and to the clients within gaps.
    #[must_use]
    pub const fn with_network(mut self, in_server: Bounds, in_client: Bounds) -> Self {
        self.in_server = in_server;
        self.in_client = in_client;
        self
    }

    pub(crate) fn add(&mut self, phase: Phase, from: Timestamp, to: Timestamp) {
        self.put(phase, u64::try_from(to.since(from)).unwrap_or(0));
    }

    /// So much of the client's phase, with the way, lies within a request, ns.
    pub(super) fn add_within_request(&mut self, ns: u64) {
        self.in_requests = self.in_requests.saturating_add(ns);
    }

    /// Part of the server's or the client's phase is the way to that station.
    pub(super) fn add_network(&mut self, phase: Phase, way: Bounds) {
        match phase {
            Phase::Server => self.in_server = self.in_server.plus(way),
            Phase::Client => self.in_client = self.in_client.plus(way),
            _ => {}
        }
    }

    /// This with no more of the ways than there is of the phases that contain them.
    pub(super) fn within_phases(mut self) -> Self {
        let within = |way: Bounds, phase: u64| Bounds {
            high: way.high.min(way.low.saturating_add(phase)),
            ..way
        };
        self.in_server = within(self.in_server, self.get(Phase::Server));
        self.in_client = within(self.in_client, self.get(Phase::Client));
        self
    }

    fn put(&mut self, phase: Phase, ns: u64) {
        let place = &mut self.phases[phase as usize];
        *place = place.saturating_add(ns);
    }
}

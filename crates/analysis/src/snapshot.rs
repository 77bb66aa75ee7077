//! What every output shows: figures as they stand at one moment, in integers.

use crate::apart::ClocksApart;
use crate::clock::ClockSet;
use crate::slowest::UnansweredRequest;
use crate::summary::Conversations;
use crate::tick::ClockTick;
use crate::unfinished::Unfinished;
use crate::{
    Dips, Duplex, Efficiency, HopRow, Ledger, LevelCurve, RouteRow, Segment, ServiceRow, SizeCurve,
    Stalls, Symptoms, Timeline, Transaction, TransitRow, UnsurePauses,
};
use std::sync::Arc;
use wirewait_model::{Distributions, Excluded, PlaceRow, ServerRow, StationRow, Statistic};
use wirewait_wire::word::Name;
use wirewait_wire::{Endpoint, Kind, Timestamp};

/// Whose time a ledger splits. Rows of each kind sum to the capture's, but for those without
/// names and those that were dropped because there were too many.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum LedgerOf {
    /// All clients together.
    #[default]
    Capture,
    /// What clients spent on requests to one server.
    Server(Endpoint),
    /// One client.
    Client(Endpoint),
    /// One client at one server.
    Pair {
        /// Who waits.
        client: Endpoint,
        /// For whom.
        server: Endpoint,
    },
    /// What clients spent on requests on one share.
    Share {
        /// Its server.
        server: Endpoint,
        /// Its name.
        share: Arc<str>,
    },
    /// What clients spent on requests for one file.
    File {
        /// Its server.
        server: Endpoint,
        /// Its share, if known.
        share: Option<Arc<str>>,
        /// Its name.
        path: Arc<str>,
    },
    /// What clients spent on requests for one operation at a server.
    Operation {
        /// The server.
        server: Endpoint,
        /// The protocol of the requests.
        protocol: Name,
        /// What carried them.
        carrier: Name,
        /// The specification's name of the operation.
        command: Name,
        /// The protocol's number for it.
        code: u32,
        /// Its class.
        kind: Kind,
    },
}

/// The way from where the capture was made to a station and back, from what its transport
/// answers by itself: the opening of a TCP connection, an LLC poll, an SPX probe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RoundTrip {
    /// The station that answered.
    pub station: Endpoint,
    /// How many such answers there were, without those to a repeated question.
    pub samples: u64,
    /// The shortest of them, ns.
    pub shortest_ns: i64,
    /// The frame that asked, of the shortest.
    pub asked: u64,
    /// The frame that answered it.
    pub answered: u64,
}

/// Someone's time, split by phase: the sum of the slices of clients' time that it owns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LedgerRow {
    /// Whose.
    pub of: LedgerOf,
    /// Where it went.
    pub ledger: Ledger,
    /// Requests whose slices these are.
    pub requests: u64,
    /// Those that have a part in the servers' share.
    pub turnarounds: u64,
    /// Pauses that are the client's share.
    pub pauses: u64,
    /// Wall time from its first request's first frame to its last answer's last, ns.
    pub span_ns: u64,
}

/// Frames of the capture, by where they belong. Transactions and control share frames, so
/// they count in [`crate::WHOLE_FRAME`]ths of a frame; the others in frames. Together they
/// are exactly the frames of the capture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Attribution {
    /// Shares of transactions, in [`crate::WHOLE_FRAME`]ths.
    pub transactions: u64,
    /// Set-up, upkeep and everything else on conversations that are followed, likewise.
    pub control: u64,
    /// Frames of no conversation that is followed.
    pub other: u64,
    /// Frames that are copies from a mirror port, dropped.
    pub duplicates: u64,
}

/// How far the capture can be trusted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grade {
    /// Nothing speaks against it.
    #[default]
    Good,
    /// Some transactions are left out of some statistics.
    Fair,
    /// So much is missing that figures may mislead.
    Poor,
}

impl Grade {
    /// The name used in every output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Fair => "fair",
            Self::Poor => "poor",
        }
    }
}

/// What was found wrong or noteworthy with the capture, and how often.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reason {
    /// Short name, for machines.
    pub name: &'static str,
    /// In words.
    pub text: &'static str,
    /// How often.
    pub count: u64,
    /// What it does to the grade.
    pub grade: Grade,
}

/// The capture as a whole.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct CaptureRow {
    /// Frames, mirror copies included.
    pub frames: u64,
    /// Bytes on the wire.
    pub bytes: u64,
    /// Stamp of the first frame.
    pub first: Option<Timestamp>,
    /// Stamp of the last.
    pub last: Option<Timestamp>,
    /// Time from the first frame to the last, ns. Steps of the clock are no time.
    pub elapsed_ns: u64,
    /// Worst grade of the reasons.
    pub grade: Grade,
    /// What speaks for and against it, in a fixed order; only those that occurred.
    pub reasons: Vec<Reason>,
    /// Conversations that were followed.
    pub conversations: u64,
    /// Conversations dropped early because the table was full.
    pub evicted: u64,
}

impl CaptureRow {
    /// Frames dropped before the capture, as the capturing program counted them.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.count_of(crate::quality::DROPPED)
    }

    /// Frames that reached the capturing program and are not in its files.
    #[must_use]
    pub fn not_saved(&self) -> u64 {
        self.count_of(crate::quality::NOT_SAVED)
    }

    fn count_of(&self, name: &str) -> u64 {
        let mut reasons = self.reasons.iter();
        reasons
            .find(|reason| reason.name == name)
            .map_or(0, |reason| reason.count)
    }
}

/// Everything, as it stands.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Snapshot {
    /// The capture as a whole.
    pub capture: CaptureRow,
    /// Frames that contain each protocol, in the order of the registry; none is 0.
    pub protocols: Vec<(&'static str, u64)>,
    /// What frames were spent on.
    pub efficiency: Efficiency,
    /// How much of the segments was used.
    pub segment: Segment,
    /// By total response time, the greatest first; rows of one server stand together.
    pub servers: Vec<ServerRow>,
    /// By total response time, the greatest first.
    pub stations: Vec<StationRow>,
    /// Whether they are served alike.
    pub fairness: crate::Fairness,
    /// Users, then shares, then files; each by total response time, the greatest first.
    pub places: Vec<PlaceRow>,
    /// How the times are spread.
    pub distribution: Distributions,
    /// Where the time went: for the capture, servers, clients, pairs, shares and files, in
    /// this order; each kind by time waited, the longest first.
    pub ledgers: Vec<LedgerRow>,
    /// Pauses of clients that may be requests lost before the capture, retransmitted after a timer.
    pub unsure_pauses: UnsurePauses,
    /// Pauses beyond the think limit of which the same holds: idle, and no active time, if they are none.
    pub unsure_idle: UnsurePauses,
    /// Turnarounds that may be responses lost before the capture, likewise.
    pub unsure_turnarounds: UnsurePauses,
    /// Time within transfers and turnarounds that was a station's own, and why.
    pub stalls: Stalls,
    /// Packets have the stamps of two clocks: two captures of one traffic were merged.
    pub clocks_apart: Option<ClocksApart>,
    /// The clock of the capture was set while it was made.
    pub clock_set: Option<ClockSet>,
    /// What the clock of the capture cannot show.
    pub tick: ClockTick,
    /// How service changes with the load.
    pub load: Load,
    /// How far the stations are from the capture, as far as that is known; by address.
    pub round_trips: Vec<RoundTrip>,
    /// What is wrong with file service there, with its evidence.
    pub symptoms: Symptoms,
    /// The slowest transactions that have a response and did not wait by design, the slowest first.
    pub slowest: Vec<Transaction>,
    /// Requests that were given up or cancelled without a response and took as long as the slowest, the longest first; no waits by
    /// design. With `slowest` at most [`Settings::slowest`].
    pub unanswered: Vec<UnansweredRequest>,
    /// The request that was open for longest when the capture ended; no wait by design. `None` as long as it goes on.
    pub unfinished: Option<Unfinished>,
    /// Statistics that show themselves, each as a table; empty where nobody collects
    /// [records](crate::Analyzer::recording).
    pub statistics: Vec<Statistic>,
    /// Where the frames went.
    pub attribution: Attribution,
    /// What was left out.
    pub excluded: Vec<Excluded>,
    /// Which conversations there were when, by which two summaries of the same one are noticed.
    pub seen: Arc<Conversations>,
    /// Settings that figures depend on.
    pub settings: Settings,
}

/// How service changes with the load (definitions: sections 8 and 9 of the performance
/// definitions; S = N x M / T after Poo and Tan).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Load {
    /// By the number of active stations: for the capture, then for each server and each
    /// interface where there are several.
    pub levels: Vec<LevelCurve>,
    /// By the size of requests, for each server and kind; by total response time.
    pub sizes: Vec<SizeCurve>,
    /// Over time.
    pub timeline: Timeline,
    /// Throughput that fell for a while.
    pub dips: Dips,
    /// By routers that the requests passed, where these are counted.
    pub hops: Vec<HopRow>,
    /// Packets that were captured on both sides of a router.
    pub transits: Vec<TransitRow>,
    /// The most routers that a packet had passed, where they are counted.
    pub most_hops: Option<u8>,
    /// Packets that the next router throws away: they passed
    /// [`HOP_LIMIT`](crate::HOP_LIMIT) less one.
    pub at_hop_limit: u64,
    /// Ways to networks, as routers told them.
    pub routes: Vec<RouteRow>,
    /// Servers, as routers told of them.
    pub services: Vec<ServiceRow>,
}

/// The settings that figures depend on; every report prints them. Begin with
/// [`Settings::default`] and set fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Settings {
    /// A request without response is given up after this long, ns; not one of which the
    /// server said that the answer will follow, nor one that waits by design.
    pub timeout_ns: i64,
    /// Gaps up to this long are the client's work, longer ones think time, ns.
    pub think_ns: i64,
    /// A request that may be made to wait by design (a blocking lock) and is answered later
    /// than this did wait, ns.
    pub wait_ns: i64,
    /// Identical frames this close together are one frame captured twice, ns.
    pub duplicate_ns: i64,
    /// Identical packets with an identification of their own this close together are one packet
    /// captured twice, ns.
    pub duplicate_id_ns: i64,
    /// Conversations followed at once.
    pub conversations: usize,
    /// Requests kept open in all conversations together; beyond that a conversation keeps
    /// only its latest. Conversations of which only one side was seen share half of it.
    pub open_requests: usize,
    /// Requests kept open in one conversation. Credits of SMB2 have 16 bits ([MS-SMB2] 2.2.1); no
    /// other protocol allows more.
    pub conversation_requests: usize,
    /// Bytes of memory for what is held back in all streams and links together until what is
    /// missing comes.
    pub held_bytes: usize,
    /// Bytes of memory for what is held back in one direction. A TCP window is scaled to 1 GiB at
    /// most (RFC 7323, section 2.2); systems let it grow to 16 MiB at most by default.
    pub stream_bytes: usize,
    /// Rows (server and operation, station) kept. The rows of a client take some 6 KB, a
    /// conversation some 4 KB: as many as there are by default fit 128 MiB.
    pub rows: usize,
    /// Slowest transactions kept.
    pub slowest: usize,
    /// Names of users, shares and files kept, and as many numbers for them.
    pub names: usize,
    /// No such name is shown: each is replaced by a number, the same for the same name.
    pub private: bool,
    /// Bits per second of all links, whatever the capture says of them.
    pub link_speed: Option<u64>,
    /// Whether the directions of all links share one way, if that is known.
    pub duplex: Option<Duplex>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            timeout_ns: 60_000_000_000,
            think_ns: 500_000_000,
            wait_ns: 100_000_000,
            duplicate_ns: 100_000,
            duplicate_id_ns: 50_000_000,
            conversations: 16_000,
            open_requests: 100_000,
            conversation_requests: 65_535,
            held_bytes: 64 << 20,
            stream_bytes: 32 << 20,
            rows: 5_200,
            slowest: 10,
            names: 10_000,
            private: false,
            link_speed: None,
            duplex: None,
        }
    }
}

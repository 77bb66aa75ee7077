//! What every output shows: figures as they stand at one moment, in integers.

use crate::summary::Conversations;
use crate::{
    Duplex, Efficiency, Histogram, Ledger, Samples, Segment, Spread, Symptoms, Times, Transaction,
};
use std::sync::Arc;
use wirewait_model::Statistic;
use wirewait_wire::{Endpoint, Kind, Timestamp};

/// By which name transactions are grouped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Grouping {
    /// User.
    User,
    /// Share or volume.
    Share,
    /// File, directory or pipe, within its share.
    File,
}

impl Grouping {
    /// The name used in every output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Share => "share",
            Self::File => "file",
        }
    }
}

/// One user, share or file on one server, where the capture shows its name.
#[derive(Clone, Debug)]
pub struct PlaceRow {
    /// The server's station.
    pub server: Endpoint,
    /// What `name` names.
    pub by: Grouping,
    /// The share of a file, if known.
    pub share: Option<Arc<str>>,
    /// The name as the wire has it; not yet safe for a terminal.
    pub name: Arc<str>,
    /// What became of the requests there.
    pub counts: Counts,
    /// t3 - t2, as in [`ServerRow::turnaround`].
    pub turnaround: Spread,
    /// t4 - t1, waits by design and breaks apart.
    pub response_time: Spread,
    /// File data that writes moved, bytes.
    pub written_bytes: u64,
    /// File data that all others moved, bytes.
    pub read_bytes: u64,
    /// Frames, by what they did.
    pub frames: FrameSums,
    /// Response time of the requests that moved file data, ns.
    pub moving_ns: i128,
    /// Values of turnaround and response time, or some of them.
    pub samples: Samples,
}

/// How turnaround and response times of all operations are spread; waits by design and breaks
/// apart, otherwise those that count in [`ServerRow`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Distributions {
    /// t3 - t2 at all servers.
    pub turnaround: Histogram,
    /// t4 - t1 at all servers.
    pub response_time: Histogram,
    /// Each server, by total response time, the greatest first.
    pub servers: Vec<DistributionRow>,
}

/// How times at one server are spread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DistributionRow {
    /// The server's station.
    pub server: Endpoint,
    /// t3 - t2.
    pub turnaround: Histogram,
    /// t4 - t1.
    pub response_time: Histogram,
}

/// Whose time a ledger splits. Rows of each kind sum to the capture's, but for those without
/// names and those that were dropped because there were too many.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LedgerOf {
    /// All clients together.
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
}

/// The way from where the capture was made to a station and back, from what its transport
/// answers by itself: the opening of a TCP connection, an LLC poll, an SPX probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerRow {
    /// Whose.
    pub of: LedgerOf,
    /// Where it went.
    pub ledger: Ledger,
    /// Requests that have a part in the servers' share.
    pub turnarounds: u64,
    /// Pauses that are the client's share.
    pub pauses: u64,
    /// Wall time from its first request's first frame to its last answer's last, ns.
    pub span_ns: u64,
}

/// Sums of frames of transactions, by what they did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FrameSums {
    /// With new bytes of requests.
    pub request: u64,
    /// With new bytes of final responses.
    pub response: u64,
    /// With interim answers.
    pub interim: u64,
    /// Stand-alone acknowledgements.
    pub ack: u64,
    /// Polls, window updates and the like.
    pub control: u64,
    /// Seen before.
    pub retransmitted: u64,
}

/// What became of requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Requests seen.
    pub requests: u64,
    /// With a final response.
    pub answered: u64,
    /// Without one.
    pub unanswered: u64,
    /// Without one, on a conversation of which only one direction was captured.
    pub one_sided: u64,
    /// Taken back.
    pub cancelled: u64,
    /// No longer followed because of a limit of the [`Settings`]: they may have been answered.
    pub given_up: u64,
    /// Responses whose request may be one of those; not in `requests`.
    pub responses_given_up: u64,
    /// Requests of this row that were counted and lost again when the row was dropped because
    /// of the limit [`Settings::rows`]; not in `requests`.
    pub forgotten: u64,
    /// Responses without a request; not in `requests`.
    pub orphan_responses: u64,
    /// Answered with a failure that is not normal control flow.
    pub failures: u64,
    /// Answered with anything that is not success.
    pub not_ok: u64,
    /// Requests that were seen more than once.
    pub repeated: u64,
    /// Interim answers.
    pub interims: u64,
    /// Responses seen again after the final one.
    pub duplicate_responses: u64,
}

impl Counts {
    /// Requests and responses that limits of the [`Settings`] keep out of the figures of a row.
    #[must_use]
    pub const fn lost_to_limits(&self) -> u64 {
        self.given_up.saturating_add(self.forgotten)
    }
}

/// One operation on one server.
#[derive(Clone, Debug)]
pub struct ServerRow {
    /// The server's station.
    pub server: Endpoint,
    /// Protocol of the requests.
    pub protocol: &'static str,
    /// What carried them.
    pub carrier: &'static str,
    /// The specification's name of the operation.
    pub command: &'static str,
    /// The protocol's number for it.
    pub code: u32,
    /// Its class.
    pub kind: Kind,
    /// What became of them.
    pub counts: Counts,
    /// t3 - t2 of those where it is exact and the server was not busy with another request
    /// of the same conversation.
    pub turnaround: Times,
    /// t4 - t1.
    pub response_time: Times,
    /// t2 - t1.
    pub request_transfer: Times,
    /// t4 - t3.
    pub response_transfer: Times,
    /// Frames, by what they did.
    pub frames: FrameSums,
    /// File data moved, bytes.
    pub data_bytes: u64,
    /// Response time of the requests that moved file data, ns.
    pub moving_ns: i128,
    /// File data per second of that time, bytes; `None` where no data or no time.
    pub throughput: Option<u64>,
    /// The values of turnaround and response time.
    pub samples: Samples,
}

/// One client station.
#[derive(Clone, Debug)]
pub struct StationRow {
    /// The client's station.
    pub client: Endpoint,
    /// Servers it asked.
    pub servers: u64,
    /// What became of its requests.
    pub counts: Counts,
    /// t3 - t2 of these requests, as in [`ServerRow::turnaround`].
    pub turnaround: Times,
    /// t4 - t1 of its requests that count in time statistics, waits by design apart.
    pub response_time: Times,
    /// The values of turnaround and response time.
    pub samples: Samples,
    /// Standard deviation of the response time, ns, rounded down; `None` below two values.
    pub deviation: Option<u64>,
    /// Its mean response time relative to the mean of all stations, in millionths.
    pub normalised_mean: Option<u64>,
    /// Its shortest response time relative to that mean, in millionths.
    pub normalised_min: Option<u64>,
    /// Its longest likewise.
    pub normalised_max: Option<u64>,
    /// Frames it or its servers had to send again for its requests.
    pub retransmitted: u64,
    /// Frames of its requests, by what they did.
    pub frames: FrameSums,
    /// Response time of its requests that moved file data, ns.
    pub moving_ns: i128,
    /// Time with at least one request outstanding, ns.
    pub busy_ns: u64,
    /// Gaps between requests no longer than the think-time limit, ns: work in the client.
    pub client_ns: u64,
    /// Longer gaps, ns: a user or a program that wants nothing.
    pub think_ns: u64,
    /// How many of those longer gaps there were.
    pub thinks: u64,
    /// Those longer gaps.
    pub think_time: Times,
    /// File data moved, bytes.
    pub data_bytes: u64,
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grade {
    /// Nothing speaks against it.
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
#[derive(Clone, Debug)]
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
    /// Frames that were lost before they were captured, as whoever captured them counted.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.count_of(crate::books::DROPPED)
    }

    /// Frames that reached the capturing program and are not in its files.
    #[must_use]
    pub fn not_saved(&self) -> u64 {
        self.count_of(crate::books::NOT_SAVED)
    }

    fn count_of(&self, name: &str) -> u64 {
        let mut reasons = self.reasons.iter();
        reasons
            .find(|reason| reason.name == name)
            .map_or(0, |reason| reason.count)
    }
}

/// What was left out of a statistic, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Excluded {
    /// From which statistic.
    pub from: &'static str,
    /// Why.
    pub reason: &'static str,
    /// How many transactions.
    pub count: u64,
}

/// Everything, as it stands.
#[derive(Clone, Debug)]
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
    /// How service changes with the load.
    pub load: crate::Load,
    /// How far the stations are from the capture, as far as that is known; by address.
    pub round_trips: Vec<RoundTrip>,
    /// What is wrong with file service there, with its evidence.
    pub symptoms: Symptoms,
    /// The slowest transactions that were answered and did not wait by design.
    pub slowest: Vec<Transaction>,
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

/// The settings that figures depend on; every report prints them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    /// The same for packets that carry an identification of their own, ns.
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
    /// The same for one direction. A TCP window is scaled to 1 GiB at most (RFC 7323, section
    /// 2.2); systems let it grow to 16 MiB at most unless they are told otherwise.
    pub stream_bytes: usize,
    /// Rows (server and operation, station) kept.
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
            rows: 2_000,
            slowest: 10,
            names: 10_000,
            private: false,
            link_speed: None,
            duplex: None,
        }
    }
}

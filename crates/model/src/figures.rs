//! What transactions come to, by whom and what they concern: rows of integers.

use crate::load::{Dips, LevelCurve, SizeCurve, Timeline};
use crate::{Histogram, Label, Samples, Spread, Statistic, Times};
use std::sync::Arc;
use wirewait_wire::{Endpoint, Kind};

/// What the statistics found, as it stands at one moment.
#[derive(Clone, Debug, Default)]
pub struct Figures {
    /// By total response time, the greatest first; rows of one server stand together.
    pub servers: Vec<ServerRow>,
    /// By total response time, the greatest first.
    pub stations: Vec<StationRow>,
    /// Users, then shares, then files; each by total response time, the greatest first.
    pub places: Vec<PlaceRow>,
    /// How the times are spread.
    pub distribution: Distributions,
    /// By routers that the requests had passed, where these are counted; the fewest first.
    pub hops: Vec<HopRow>,
    /// By the number of active stations: for the capture, then for each server and each
    /// interface where there are several.
    pub levels: Vec<LevelCurve>,
    /// By the size of requests, for each server and kind; by total response time.
    pub sizes: Vec<SizeCurve>,
    /// Over time.
    pub timeline: Timeline,
    /// Throughput that fell for a while.
    pub dips: Dips,
    /// What was left out.
    pub excluded: Vec<Excluded>,
    /// What bounds of the statistics lost.
    pub losses: Losses,
    /// Statistics that show themselves, each as a table.
    pub statistics: Vec<Statistic>,
}

/// What statistics lost to their bounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Losses {
    /// Rows that were dropped because there were too many.
    pub rows: u64,
    /// Responses, and 10 ms of frames, in no load curve, because the number of active stations
    /// has changed too often since.
    pub stretches: u64,
    /// Responses, and 10 ms of frames, in a load curve before it was known how many stations
    /// were active, because too many waited for that.
    pub hasty: u64,
}

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
#[non_exhaustive]
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
    /// File data of the requests that moved some and have a response time, bytes; it took
    /// `moving_ns`.
    pub moving_bytes: u64,
    /// Response time of the requests that moved file data, ns.
    pub moving_ns: i128,
    /// Values of turnaround and response time, or some of them.
    pub samples: Samples,
}

impl PlaceRow {
    /// A row of this user, share or file, without figures.
    #[must_use]
    pub fn new(of: &Label) -> Self {
        Self {
            server: of.server,
            by: of.by,
            share: of.share.clone(),
            name: Arc::clone(&of.name),
            counts: Counts::default(),
            turnaround: Spread::default(),
            response_time: Spread::default(),
            written_bytes: 0,
            read_bytes: 0,
            frames: FrameSums::default(),
            moving_bytes: 0,
            moving_ns: 0,
            samples: Samples::default(),
        }
    }
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
    /// On the wire beyond those of requests and responses, see [`FrameCounts`](crate::FrameCounts::offloaded).
    pub offloaded: u64,
}

/// What became of requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Requests seen.
    pub requests: u64,
    /// With a final response.
    pub answered: u64,
    /// Without one, though it had the time, and the capture would show it.
    pub unanswered: u64,
    /// Without one when the capture ended, and their clients may not have waited for too long.
    pub open_at_end: u64,
    /// Without one, which may be among frames that the capture lacks.
    pub capture_loss: u64,
    /// Without one, on a conversation of which only one direction was captured.
    pub one_sided: u64,
    /// Taken back.
    pub cancelled: u64,
    /// No longer followed because of a limit: they may have been answered.
    pub given_up: u64,
    /// Responses whose request may be one of those; not in `requests`.
    pub responses_given_up: u64,
    /// Requests of this row that were counted and lost again when the row was dropped because
    /// of the limit of rows; not in `requests`.
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
    /// Requests and responses that limits keep out of the figures of a row.
    #[must_use]
    pub const fn lost_to_limits(&self) -> u64 {
        self.given_up.saturating_add(self.forgotten)
    }
}

/// One operation on one server.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
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
    /// File data of the requests that moved some and have a response time, bytes; it took
    /// `moving_ns`.
    pub moving_bytes: u64,
    /// Response time of the requests that moved file data, ns.
    pub moving_ns: i128,
    /// `moving_bytes` per second of that time; `None` where no data or no time.
    pub throughput: Option<u64>,
    /// The values of turnaround and response time.
    pub samples: Samples,
}

/// One client station.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
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
    /// Frames that it or its servers retransmitted for its requests.
    pub retransmitted: u64,
    /// Frames of its requests, by what they did.
    pub frames: FrameSums,
    /// File data of the requests that moved some and have a response time, bytes; it took
    /// `moving_ns`.
    pub moving_bytes: u64,
    /// Response time of its requests that moved file data, ns.
    pub moving_ns: i128,
    /// Active time that is not the client's own, ns: it waited for the network or a server.
    pub busy_ns: u64,
    /// Gaps between requests no longer than the think-time limit, without the distance that is
    /// known, ns: work in the client.
    pub client_ns: u64,
    /// Longer gaps, ns: a user or a program that wants nothing. Time within one in which a response
    /// was retransmitted is busy time, too.
    pub think_ns: u64,
    /// How many of those longer gaps there were.
    pub thinks: u64,
    /// Those longer gaps.
    pub think_time: Times,
    /// File data moved, bytes.
    pub data_bytes: u64,
}

/// Requests that passed this number of routers before they were captured.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct HopRow {
    /// Routers.
    pub hops: u8,
    /// What became of them.
    pub counts: Counts,
    /// t4 - t1, waits by design, session set-up and breaks apart.
    pub response_time: Times,
    /// t3 - t2 of the same where it is exact and the server had nothing else to do.
    pub turnaround: Spread,
    /// File data moved, bytes.
    pub data_bytes: u64,
    /// File data of the requests that moved some and have a response time, bytes; it took
    /// `moving_ns`.
    pub moving_bytes: u64,
    /// Response time of the requests that moved it, ns.
    pub moving_ns: i128,
    /// From the first request's first frame to the last answer's last, ns.
    pub elapsed_ns: u64,
}

impl HopRow {
    /// File data per second of elapsed time, bytes: what all stations together got.
    #[must_use]
    pub fn throughput(&self) -> Option<u64> {
        let scaled = u128::from(self.data_bytes) * 1_000_000_000;
        let rate = scaled.checked_div(u128::from(self.elapsed_ns))?;
        u64::try_from(rate).ok().filter(|_| self.data_bytes > 0)
    }

    /// File data per second of response time, bytes: what one request got.
    #[must_use]
    pub fn per_request(&self) -> Option<u64> {
        let scaled = u128::from(self.moving_bytes) * 1_000_000_000;
        let rate = scaled.checked_div(self.moving_ns.unsigned_abs())?;
        u64::try_from(rate).ok().filter(|_| self.moving_bytes > 0)
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

/// Adds all fields of another row.
macro_rules! sums {
    ($(#[$doc:meta])* $name:ident.$merge:ident { $($field:ident),+ $(,)? }) => {
        impl $name {
            $(#[$doc])*
            pub fn $merge(&mut self, other: &Self) {
                let Self { $($field),+ } = other;
                $(self.$field = self.$field.saturating_add(*$field);)+
            }
        }
    };
}

sums!(
    /// Adds those of another statistic.
    Losses.add { rows, stretches, hasty }
);
sums!(
    /// Adds the counts of another row.
    Counts.merge {
        requests, answered, unanswered, open_at_end, capture_loss, one_sided, cancelled, given_up, responses_given_up, forgotten,
        orphan_responses, failures, not_ok, repeated, interims, duplicate_responses,
    }
);
sums!(
    /// Adds the frames of another row.
    FrameSums.merge { request, response, interim, ack, control, retransmitted, offloaded }
);

impl FrameSums {
    /// Those on the wire with messages: requests, interim and final responses.
    #[must_use]
    pub const fn data(&self) -> u64 {
        let captured = self.request.saturating_add(self.interim);
        let captured = captured.saturating_add(self.response);
        captured.saturating_add(self.offloaded)
    }
}

/// Whether requests of this class count in times of users, shares and files: what waits for others
/// by design does not.
#[must_use]
pub const fn counts_for_places(kind: Kind) -> bool {
    !matches!(kind, Kind::Wait | Kind::Break)
}

/// Whether requests of this class count in times of stations: what is no measure of service does
/// not.
#[must_use]
pub const fn counts_for_stations(kind: Kind) -> bool {
    !matches!(kind, Kind::Wait | Kind::Session | Kind::Break)
}

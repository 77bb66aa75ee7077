//! What is counted of something in a second, and in several together.

use super::timing::RecentTiming;
use crate::{Counts, FrameSums, Notice, Noticed, OperationKey, Transaction, Windows};
use wirewait_model::figures::{counts_for_places, counts_for_stations};
use wirewait_wire::{Endpoint, Kind};

/// Of what something is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Of {
    /// Everything.
    All,
    /// One server's station.
    Server(Endpoint),
    /// One operation on one server.
    Operation(OperationKey),
    /// One client's station.
    Client(Endpoint),
    /// One conversation, by its number.
    Conversation(u64),
}

/// Equal ones have equal hashes; names are left to the comparison.
impl std::hash::Hash for Of {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        match self {
            Self::All => state.write_u64(0),
            Self::Server(station) => (1u8, station).hash(state),
            Self::Operation(key) => (2u8, key.server, key.code, key.kind).hash(state),
            Self::Client(station) => (3u8, station).hash(state),
            Self::Conversation(number) => (4u8, number).hash(state),
        }
    }
}

/// The two ends of a conversation, with its protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RecentParties {
    /// The client.
    pub client: Endpoint,
    /// The server.
    pub server: Endpoint,
    /// Its protocol.
    pub protocol: &'static str,
    /// What carries it.
    pub carrier: &'static str,
}

/// What was counted, and which times were measured. Each counts in the second in which the
/// transaction was answered (t4), or given up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tally {
    /// What became of the requests.
    pub counts: Counts,
    /// Frames of transactions of which the capture has all, by what they did.
    pub frames: FrameSums,
    /// Retransmitted frames of transactions, as in [`crate::StationRow`].
    pub retransmitted: u64,
    /// File data moved, bytes.
    pub data_bytes: u64,
    /// t3 - t2, as in the figures of the whole capture: of an operation as in
    /// [`crate::ServerRow`], of a client and a conversation as in [`crate::StationRow`], of a
    /// server and of everything as in [`crate::Distributions`].
    pub turnaround: RecentTiming,
    /// t4 - t1 likewise.
    pub response_time: RecentTiming,
    /// What transports did, in the second in which they did it; of conversations and of
    /// everything only.
    pub transport: Transport,
}

/// What transports did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Transport {
    /// Retransmitted data frames.
    pub resent: u64,
    /// Frames that requested retransmission of data of the other side.
    pub rejected: u64,
    /// Times that one side could take no more for now.
    pub busy: u64,
    /// Acknowledgements in frames without data, at whatever layer.
    pub acks_alone: u64,
    /// Acknowledgements on data.
    pub acks_riding: u64,
    /// Acknowledgements of data of which it is known how much was on its way.
    pub windows: u64,
    /// Bytes that were on their way when these came, summed.
    pub window_bytes: u64,
    /// The most of them.
    pub window_max: u64,
    /// Of a conversation whose transport tells: what each end can take, and what was on its way
    /// to it. See [`Transport::end`].
    ends: Option<Box<[End; 2]>>,
}

/// What one end of a conversation can take, and what was sent to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct End {
    /// The receive windows that it advertised.
    pub offered: Windows,
    /// The most bytes that were on their way to it when it acknowledged some of them.
    pub in_flight: u64,
}

impl Tally {
    /// Adds all of another one.
    pub fn merge(&mut self, other: &Self) {
        self.counts.merge(&other.counts);
        self.frames.merge(&other.frames);
        self.retransmitted = self.retransmitted.saturating_add(other.retransmitted);
        self.data_bytes = self.data_bytes.saturating_add(other.data_bytes);
        self.turnaround.merge(&other.turnaround);
        self.response_time.merge(&other.response_time);
        self.transport.merge(&other.transport);
    }

    pub(super) fn add(&mut self, t: &Transaction, times: impl FnOnce(Kind) -> bool) {
        t.count_in(&mut self.counts);
        t.count_frames_in(&mut self.frames);
        self.retransmitted += u64::from(t.frames.retransmitted);
        self.data_bytes = self.data_bytes.saturating_add(t.data_bytes);
        if let Some(took) = t.took().filter(|_| times(t.kind)) {
            self.response_time.record(took.response_ns);
            if let Some(ns) = took.turnaround_ns {
                self.turnaround.record(ns);
            }
        }
    }

    /// Forgets everything, and keeps the memory.
    pub(super) fn clear(&mut self) {
        let Self {
            counts,
            frames,
            retransmitted,
            data_bytes,
            turnaround,
            response_time,
            transport,
        } = self;
        (*counts, *frames) = Default::default();
        *transport = Transport::default();
        (*retransmitted, *data_bytes) = (0, 0);
        turnaround.clear();
        response_time.clear();
    }

    /// Memory beside its own size, bytes.
    pub(super) fn held(&self) -> usize {
        let ends = self.transport.ends.as_ref();
        let ends = ends.map_or(0, |_| size_of::<[End; 2]>());
        self.turnaround.held() + self.response_time.held() + ends
    }
}

impl Of {
    /// Which transactions count in statistics of its times.
    pub(super) fn counts_times(&self, kind: Kind) -> bool {
        match self {
            Self::All | Self::Server(_) => counts_for_places(kind),
            Self::Operation(_) => true,
            Self::Client(_) | Self::Conversation(_) => counts_for_stations(kind),
        }
    }
}

impl Transport {
    /// Bytes that were on their way when an acknowledgement came, on average, rounded down;
    /// `None` if that is not known of any.
    #[must_use]
    pub fn window_mean(&self) -> Option<u64> {
        self.window_bytes.checked_div(self.windows)
    }

    /// The receive room of the end `this`, and the bytes on their way to it, in the conversation
    /// with `other`.
    #[must_use]
    pub fn end(&self, this: &Endpoint, other: &Endpoint) -> End {
        let ends = self.ends.as_deref();
        ends.map_or_else(End::default, |ends| ends[place(this, other)])
    }

    /// Counts for the sender of the notice what its conversation alone has.
    pub(super) fn add_end(&mut self, notice: &Notice) {
        let place = place(&notice.from, &notice.to);
        match notice.what {
            Noticed::Offered(windows) => {
                self.ends.get_or_insert_default()[place]
                    .offered
                    .merge(&windows);
            }
            Noticed::Acknowledged { outstanding, .. } if outstanding > 0 => {
                let end = &mut self.ends.get_or_insert_default()[place];
                end.in_flight = end.in_flight.max(outstanding);
            }
            _ => {}
        }
    }

    /// Whether it counts this.
    pub(super) fn hears(notice: &Notice) -> bool {
        matches!(
            notice.what,
            Noticed::Resent { .. }
                | Noticed::Rejected
                | Noticed::Busy
                | Noticed::Acknowledged { .. }
                | Noticed::Offered(_)
        )
    }

    pub(super) fn add(&mut self, notice: &Notice) {
        match notice.what {
            Noticed::Resent { .. } => self.resent += 1,
            Noticed::Rejected => self.rejected += 1,
            Noticed::Busy => self.busy += 1,
            Noticed::Acknowledged {
                bare, outstanding, ..
            } => {
                self.acks_alone += u64::from(bare);
                self.acks_riding += u64::from(!bare);
                if outstanding > 0 {
                    self.windows += 1;
                    self.window_bytes = self.window_bytes.saturating_add(outstanding);
                    self.window_max = self.window_max.max(outstanding);
                }
            }
            _ => {}
        }
    }

    fn merge(&mut self, other: &Self) {
        let Self {
            resent,
            rejected,
            busy,
            acks_alone,
            acks_riding,
            windows,
            window_bytes,
            window_max,
            ends,
        } = other;
        for (sum, n) in [
            (&mut self.resent, resent),
            (&mut self.rejected, rejected),
            (&mut self.busy, busy),
            (&mut self.acks_alone, acks_alone),
            (&mut self.acks_riding, acks_riding),
            (&mut self.windows, windows),
            (&mut self.window_bytes, window_bytes),
        ] {
            *sum = sum.saturating_add(*n);
        }
        self.window_max = self.window_max.max(*window_max);
        if let Some(theirs) = ends {
            let ours = self.ends.get_or_insert_default();
            for (end, other) in ours.iter_mut().zip(theirs.iter()) {
                end.offered.merge(&other.offered);
                end.in_flight = end.in_flight.max(other.in_flight);
            }
        }
    }
}

/// The ends of a conversation stand in the order of their addresses: which of them serves is
/// not known to a notice.
fn place(this: &Endpoint, other: &Endpoint) -> usize {
    usize::from(this > other)
}

//! What the frames of servers were spent on, as every output shows it.

use crate::sums::add_each;
use crate::{FrameSums, Volume};
use wirewait_wire::word::Name;
use wirewait_wire::{Endpoint, Timestamp};

/// Acknowledgements of one layer: perf definitions, sections 5.3 and 6.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LayerAcks {
    /// The layer, by the name of its protocol.
    pub layer: Name,
    /// Frames that acknowledged something new and did nothing else; bytes on the wire (C). Of
    /// two layers that acknowledge the same data each has its own.
    pub alone: Volume,
    /// Acknowledgements of something new that rode on data. They are no frames.
    pub riding: u64,
}

/// Data units of one direction: frames with data of an upper layer, on its numbered or byte
/// ordered carrier or as messages of their own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Units {
    /// All units sent, retransmissions included.
    pub sent: u64,
    /// Those whose data had been seen before.
    pub resent: u64,
    /// From the transmission before to each of those, ns, summed: the time that was lost,
    /// where the transmission before is known.
    pub lost_ns: u64,
}

/// Reads or writes, as the old performance counters class them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Accesses {
    /// Those that were answered.
    pub count: u64,
    /// File data that they moved, bytes.
    pub bytes: u64,
    /// Those that say how much they want.
    pub sized: u64,
    /// Of the sized ones: less than a quarter of the server's buffer.
    pub small: u64,
    /// Of the sized ones: more than twice the server's buffer.
    pub large: u64,
    /// Of the sized ones: the server's buffer is not in the capture, and
    /// [`ASSUMED_BUFFER`](super::ASSUMED_BUFFER) was taken.
    pub assumed: u64,
    /// Those with one before them on the same handle, so that it can be told where they go on.
    pub placed: u64,
    /// Of the placed ones: not where the one before ended.
    pub random: u64,
    /// Bytes that the same kind of operation had moved before on the same handle: read again,
    /// written again. A lower bound: the memory of each handle is limited.
    pub again_bytes: u64,
    /// Bytes read that had been written before on the same handle, or written that had been read. A
    /// lower bound.
    pub crossed_bytes: u64,
}

/// What file data moved, and how long that took: perf definitions, section 8.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Throughput {
    /// File data, bytes.
    pub bytes: u64,
    /// Of transactions with a response time, and those times, ns: exchange throughput.
    pub timed_bytes: u64,
    /// See `timed_bytes`.
    pub response_ns: u64,
    /// Time with at least one request outstanding, of each client by itself, ns: busy
    /// throughput.
    pub busy_ns: u64,
    /// t1 of the first request and t4 of the last answer: wall throughput.
    pub first: Option<Timestamp>,
    /// See `first`.
    pub last: Option<Timestamp>,
    /// Of the answers to reads that took two frames or more: bytes behind the first frame.
    pub sending_bytes: u64,
    /// t4 - t3 of those, ns: the rate while sending.
    pub sending_ns: u64,
    /// Final answers.
    pub answers: u64,
}

/// Bytes of file data per second, rounded down; each `None` where there is no time to divide
/// by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rates {
    /// By the response times of the transactions that moved data.
    pub exchange: Option<u64>,
    /// By the time in which a client waited for at least one answer.
    pub busy: Option<u64>,
    /// By the time from the first request to the last answer.
    pub wall: Option<u64>,
    /// By the time that answers of several frames took from the first of them to the last;
    /// message bytes behind the first.
    pub sending: Option<u64>,
}

impl Throughput {
    /// File data by each of the times.
    #[must_use]
    pub fn rates(&self) -> Rates {
        let rate = |bytes: u64, ns: u64| {
            let rate = (u128::from(bytes) * 1_000_000_000).checked_div(ns.into())?;
            u64::try_from(rate).ok().filter(|_| bytes > 0)
        };
        Rates {
            exchange: rate(self.timed_bytes, self.response_ns),
            busy: rate(self.timed_bytes, self.busy_ns),
            wall: self.wall_ns().and_then(|ns| rate(self.bytes, ns)),
            sending: rate(self.sending_bytes, self.sending_ns),
        }
    }

    /// From the first request to the last answer, ns.
    #[must_use]
    pub fn wall_ns(&self) -> Option<u64> {
        u64::try_from(self.last?.since(self.first?)).ok()
    }
}

/// Frames of one server on one carrier, or of all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct EfficiencyRow {
    /// The server's station; `None` for all, and for conversations that asked no server for
    /// anything.
    pub server: Option<Endpoint>,
    /// What carried it.
    pub carrier: Name,
    /// Frames with data, or messages of their own, for the first time. All bytes here are
    /// those on the wire (C).
    pub data: Volume,
    /// Frames with data or messages that had been seen.
    pub resent: Volume,
    /// Stand-alone acknowledgements by layer, in the order of the layers' names.
    pub acks: Vec<LayerAcks>,
    /// All other frames: set-up, polls, window updates, acknowledgements of nothing new.
    pub control: Volume,
    /// Of the data: frames of requests that set up or end connections and sessions, and of
    /// their answers.
    pub session_frames: u64,
    /// Data units that clients sent, and that servers sent.
    pub units: [Units; 2],
    /// Requests, and answers without one.
    pub exchanges: u64,
    /// Frames of those.
    pub frames: FrameSums,
    /// Reads of file data.
    pub reads: Accesses,
    /// Writes of file data.
    pub writes: Accesses,
    /// File data by time.
    pub moved: Throughput,
}

impl EfficiencyRow {
    /// Stand-alone acknowledgements of all layers.
    #[must_use]
    pub fn acks_alone(&self) -> Volume {
        self.acks.iter().fold(Volume::default(), |mut sum, acks| {
            sum += acks.alone;
            sum
        })
    }

    /// Frames on the wire of requests and of their responses, interim ones included.
    #[must_use]
    pub const fn data_frames(&self) -> u64 {
        self.frames.data()
    }

    /// All frames.
    #[must_use]
    pub fn all(&self) -> Volume {
        let mut sum = self.acks_alone();
        for volume in [self.data, self.resent, self.control] {
            sum += volume;
        }
        sum
    }

    /// Adds all of another one.
    pub(super) fn absorb(&mut self, other: &Self) {
        self.add_frames(
            [other.data, other.resent, other.control],
            &other.acks,
            other.units,
        );
        self.session_frames += other.session_frames;
        self.exchanges += other.exchanges;
        self.frames.merge(&other.frames);
        self.reads.absorb(&other.reads);
        self.writes.absorb(&other.writes);
        self.moved.absorb(&other.moved);
    }

    /// Adds a frame of data from a client, which acknowledges nothing and was not sent before.
    pub(super) fn passed(&mut self, volume: Volume) {
        self.data += volume;
        self.units[0].sent += 1;
    }

    /// Adds what the frames of a conversation were.
    pub(super) fn add_frames(
        &mut self,
        [data, resent, control]: [Volume; 3],
        acks: &[LayerAcks],
        units: [Units; 2],
    ) {
        self.data += data;
        self.resent += resent;
        self.control += control;
        for acks in acks {
            let sum = layer_of(&mut self.acks, acks.layer);
            sum.alone += acks.alone;
            sum.riding += acks.riding;
        }
        for (sum, units) in self.units.iter_mut().zip(units) {
            sum.sent += units.sent;
            sum.resent += units.resent;
            sum.lost_ns = sum.lost_ns.saturating_add(units.lost_ns);
        }
    }
}

/// The acknowledgements of this layer.
pub(super) fn layer_of<'a>(all: &'a mut Vec<LayerAcks>, layer: &'static str) -> &'a mut LayerAcks {
    // There are one or two, whose names are those of dissectors.
    if let Some(at) = all.iter().position(|acks| std::ptr::eq(acks.layer, layer)) {
        return &mut all[at];
    }
    let at = match all.binary_search_by(|acks| acks.layer.cmp(layer)) {
        Ok(at) => at,
        Err(at) => {
            // Most have one layer that acknowledges.
            all.reserve_exact(1);
            let new = LayerAcks {
                layer,
                alone: Volume::default(),
                riding: 0,
            };
            all.insert(at, new);
            at
        }
    };
    &mut all[at]
}

impl Accesses {
    pub(super) fn absorb(&mut self, other: &Self) {
        add_each!(self, other: count, bytes, sized, small, large, assumed, placed, random, again_bytes, crossed_bytes);
    }
}

impl Throughput {
    pub(super) fn absorb(&mut self, other: &Self) {
        add_each!(self, other: bytes, timed_bytes, response_ns, busy_ns, sending_bytes, sending_ns, answers);
        self.first = self.first.into_iter().chain(other.first).min();
        self.last = self.last.into_iter().chain(other.last).max();
    }
}

/// What the frames of the capture were spent on. All of them sum to the frames of the capture.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Efficiency {
    /// By server and carrier; the one with most bytes first, then what belongs to no server.
    pub rows: Vec<EfficiencyRow>,
    /// Their sum.
    pub together: EfficiencyRow,
    /// Frames of traffic that is not followed.
    pub elsewhere: Volume,
    /// Mirror copies.
    pub copies: Volume,
}

//! From where on something is a symptom. Every figure can be set in the configuration.

macro_rules! thresholds {
    ($($(#[doc = $doc:literal])+ $key:ident = $name:literal, $default:literal;)*) => {
        /// Names a threshold.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Threshold {
            $($(#[doc = $doc])+ $key,)*
        }

        impl Threshold {
            /// All of them, in the order of the documentation.
            pub const ALL: &'static [Self] = &[$(Self::$key),*];

            /// The name in the configuration, with the unit at its end.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$key => $name,)*
                }
            }

            /// The value where nothing else is configured.
            #[must_use]
            pub const fn default_value(self) -> u64 {
                match self {
                    $(Self::$key => $default,)*
                }
            }

            /// What it decides, in a sentence or two.
            #[must_use]
            pub const fn meaning(self) -> &'static str {
                match self {
                    $(Self::$key => concat!($($doc),+),)*
                }
            }
        }
    };
}

thresholds! {
    /// Requests (or whatever is counted) below which no share is judged.
    MinimumRequests = "minimum_requests", 20;
    /// Frames below which no share of frames is judged.
    MinimumFrames = "minimum_frames", 100;
    /// What happened less often than this is no symptom of this kind.
    LeastEvents = "least_events", 3;
    /// What cost so much is a symptom however rare it was.
    NotableCost = "notable_cost_ms", 1000;
    /// Share of a server's requests that it answers with "being processed" first.
    Busy = "busy_percent", 5;
    /// An answer that follows "being processed" sooner is none of a busy server.
    BusyLeast = "busy_least_ms", 10;
    /// An answer with a longer turnaround is slow.
    SlowAnswer = "slow_answer_ms", 100;
    /// Share of slow answers of a server.
    SlowAnswers = "slow_answers_percent", 5;
    /// Mean turnaround of a slow server.
    SlowServer = "slow_server_mean_ms", 100;
    /// Share of a server's requests without an answer.
    Unanswered = "unanswered_percent", 1;
    /// Asked again more often than this, a station does not respond.
    Repeats = "successive_repeats", 3;
    /// Requests in a row without an answer that make one-way traffic.
    OneWay = "one_way_requests", 5;
    /// How long they have to go on for that.
    OneWayTime = "one_way_ms", 10_000;
    /// Share of a client's requests at a server that were seen more than once.
    Repeated = "repeated_percent", 1;
    /// Share of repeated requests of a client at a server that is too high.
    TooManyRepeated = "too_many_repeated_percent", 20;
    /// Share of frames that repeat data, of all that carry some.
    Resent = "resent_frames_percent", 5;
    /// Share of frames with data that others overtook.
    Reordered = "reordered_frames_percent", 1;
    /// Share of a client's requests that a server refuses.
    Denied = "denied_percent", 20;
    /// Share of a client's opens that find nothing.
    NotFound = "not_found_percent", 50;
    /// Opens of a client that find nothing.
    NotFoundTimes = "not_found_times", 20;
    /// Share of raw transfers that are refused.
    RawDenied = "raw_denied_percent", 20;
    /// Requests for one range of a file from which on they are a loop.
    LoopTimes = "loop_times", 3;
    /// Share of reads and writes that are loops.
    Loops = "loops_percent", 20;
    /// Share of reads of bytes that were read before.
    Overlap = "overlap_percent", 20;
    /// A read of at most this size is a small one.
    SmallRead = "small_read_bytes", 512;
    /// Share of reads that are small and go on where the one before ended.
    SmallReads = "small_reads_percent", 50;
    /// Reads below which nothing is said of their size.
    SmallReadsMinimum = "small_reads_minimum", 100;
    /// Bytes per second below which a transfer is slow.
    SlowTransfer = "slow_transfer_bytes_per_second", 50_000;
    /// A shorter transfer is not judged.
    TransferTime = "transfer_least_ms", 2000;
    /// A smaller transfer is not judged.
    TransferSize = "transfer_least_bytes", 65_536;
    /// Setting up a connection, session or share takes no longer than this.
    SlowConnect = "slow_connect_ms", 1000;
    /// A request that was open this long when its client closed or aborted the connection was abandoned: within less, both may
    /// have crossed.
    Abandoned = "abandoned_after_ms", 1;
    /// A server that resets a connection within this time of a response which its client has not acknowledged may have taken it away.
    ResetAfter = "reset_after_ms", 1000;
    /// Refused log-ons and shares of a client at a server.
    LogonRefused = "logon_refused_times", 3;
    /// Waits of a client for another service, while it had no request outstanding.
    ServiceWaits = "service_waits_times", 1000;
    /// Lookups of a client for names that no station of its network has.
    AbsentNames = "absent_names_times", 20;
    /// A wait for another client to give a promise back that is worth a word.
    BreakWait = "break_wait_ms", 50;
    /// A client that takes longer to give a promise back is slow.
    SlowBreak = "slow_break_ms", 1000;
    /// Mean time that pipelined requests spend behind others.
    Queueing = "queueing_mean_ms", 50;
    /// Turnaround fluctuates if its 95th percentile is at least this number of times the median.
    Fluctuation = "fluctuation_factor", 10;
    /// Below this difference between both nothing fluctuates.
    FluctuationLeast = "fluctuation_least_ms", 10;
    /// Answers below which nothing is said of their fluctuation.
    FluctuationMinimum = "fluctuation_minimum", 50;
    /// Late responses are at least this number of times the mean of the others.
    Regular = "regular_factor", 4;
    /// Share of them that come after the same number of responses.
    RegularPercent = "regular_percent", 80;
    /// Late responses below which nothing is said of their distance.
    RegularMinimum = "regular_minimum", 5;
    /// A client starves if its mean response time is more than this many times that of the others.
    Starving = "starving_factor", 5;
    /// A sender that waited longer for an acknowledgement before it went on waited for it.
    AckWait = "acknowledgement_wait_ms", 40;
    /// A later acknowledgement is a late one.
    LateAck = "late_acknowledgement_ms", 250;
    /// Share of late acknowledgements.
    LateAcks = "late_acknowledgements_percent", 20;
    /// A receive window closed for longer is frozen.
    FrozenWindow = "frozen_window_ms", 5000;
    /// A receiver that was busy for so long kept the sender waiting.
    ReceiverBusy = "receiver_busy_ms", 10;
    /// Share of data frames that had to be asked for again.
    Rejects = "rejects_percent", 1;
    /// Frames to groups and to everyone in a second that make it a storm.
    Storm = "broadcast_storm_frames_per_second", 300;
    /// Seconds of storm.
    StormSeconds = "broadcast_storm_seconds", 2;
    /// Messages of one station to groups and to everyone in a second, over ten seconds.
    GroupMessages = "group_messages_per_second", 5;
    /// How often an address goes from one station to another and back.
    Duplicate = "duplicate_address_changes", 3;
    /// Announcements are missed after this number of their own periods.
    Missed = "missed_announcement_periods", 2;
}

/// What every threshold stands at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Thresholds([u64; Threshold::ALL.len()]);

impl Default for Thresholds {
    fn default() -> Self {
        let mut values = [0; Threshold::ALL.len()];
        for (value, threshold) in values.iter_mut().zip(Threshold::ALL) {
            *value = threshold.default_value();
        }
        Self(values)
    }
}

impl Thresholds {
    /// What this one stands at.
    #[must_use]
    pub const fn get(&self, threshold: Threshold) -> u64 {
        self.0[threshold as usize]
    }

    /// Sets it.
    pub const fn set(&mut self, threshold: Threshold, value: u64) {
        self.0[threshold as usize] = value;
    }

    /// One in milliseconds, as nanoseconds.
    #[must_use]
    pub fn ns(&self, threshold: Threshold) -> i64 {
        let ns = self.get(threshold).saturating_mul(1_000_000);
        i64::try_from(ns).unwrap_or(i64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_tell_their_unit() {
        const UNITS: [&str; 13] = [
            "_percent",
            "_ms",
            "_bytes",
            "_per_second",
            "_requests",
            "_frames",
            "_events",
            "_times",
            "_repeats",
            "_seconds",
            "_factor",
            "_minimum",
            "_periods",
        ];
        for (n, threshold) in Threshold::ALL.iter().enumerate() {
            let name = threshold.name();
            assert!(
                UNITS.iter().any(|unit| name.ends_with(unit)) || name.ends_with("_changes"),
                "{name}"
            );
            assert!(
                Threshold::ALL[n + 1..]
                    .iter()
                    .all(|other| other.name() != name)
            );
            assert!(threshold.meaning().trim().ends_with('.'), "{name}");
        }
    }

    #[test]
    fn one_can_be_set_without_the_others() {
        let mut thresholds = Thresholds::default();
        thresholds.set(Threshold::SlowAnswer, 250);
        assert_eq!(thresholds.ns(Threshold::SlowAnswer), 250_000_000);
        assert_eq!(thresholds.get(Threshold::Busy), 5);
    }
}

//! Keys `excluded` and `settings`.

use crate::document::documents;
use wirewait_analysis::{Duplex, Settings};

documents! {
    pub(super) struct Excluded of row: &wirewait_analysis::Excluded {
        /// Statistic that lacks them.
        from: &'static str,
        /// Why.
        reason: &'static str,
        /// How many.
        transactions: u64 = row.count,
    }

    pub(super) struct SettingsUsed of settings: &Settings {
        /// A request without a response is given up after this, ns.
        timeout_ns: i64,
        /// Pauses longer than this count as think time, ns.
        think_ns: i64,
        /// A request that may wait by design and takes longer than this did wait, ns.
        wait_ns: i64,
        /// Identical frames within this are copies, ns.
        duplicate_ns: i64,
        /// Identical packets with an identification of their own within this are copies, ns.
        duplicate_id_ns: i64,
        /// Limit of conversations.
        conversations: usize,
        /// Limit of requests that are followed.
        open_requests: usize,
        /// Limit of requests that are followed in a conversation.
        conversation_requests: usize,
        /// Limit of bytes held for ordering in all.
        held_bytes: usize,
        /// Limit of bytes held for ordering in a stream.
        stream_bytes: usize,
        /// Limit of rows of a statistic.
        rows: usize,
        /// Slowest requests that are kept.
        slowest: usize,
        /// Limit of names of users, shares and files.
        names: usize,
        /// Whether names are replaced by numbers.
        private: bool,
        /// Option --link-speed, bit/s.
        link_speed_bits_per_second: Option<u64> = settings.link_speed,
        /// Option --duplex.
        duplex: Option<&'static str> = settings.duplex.map(Duplex::name),
    }
}

//! Keys `excluded` and `settings`.

use crate::document::documents;
use wirewait_analysis::{Duplex, Settings};

documents! {
    pub(super) struct Excluded of row: &wirewait_analysis::Excluded {
        from: &'static str,
        reason: &'static str,
        transactions: u64 = row.count,
    }

    pub(super) struct SettingsUsed of settings: &Settings {
        timeout_ns: i64,
        think_ns: i64,
        wait_ns: i64,
        duplicate_ns: i64,
        duplicate_id_ns: i64,
        conversations: usize,
        open_requests: usize,
        conversation_requests: usize,
        held_bytes: usize,
        stream_bytes: usize,
        rows: usize,
        slowest: usize,
        names: usize,
        private: bool,
        link_speed_bits_per_second: Option<u64> = settings.link_speed,
        duplex: Option<&'static str> = settings.duplex.map(Duplex::name),
    }
}

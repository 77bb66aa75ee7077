//! Keys `excluded` and `settings`.

use serde::Serialize;
use wirewait_analysis::{Duplex, Settings, Snapshot};

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Excluded {
    from: &'static str,
    reason: &'static str,
    transactions: u64,
}

pub(super) fn excluded(snapshot: &Snapshot) -> Vec<Excluded> {
    snapshot
        .excluded
        .iter()
        .map(|row| Excluded {
            from: row.from,
            reason: row.reason,
            transactions: row.count,
        })
        .collect()
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct SettingsUsed {
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
    link_speed_bits_per_second: Option<u64>,
    duplex: Option<&'static str>,
}

impl From<&Settings> for SettingsUsed {
    fn from(settings: &Settings) -> Self {
        Self {
            timeout_ns: settings.timeout_ns,
            think_ns: settings.think_ns,
            wait_ns: settings.wait_ns,
            duplicate_ns: settings.duplicate_ns,
            duplicate_id_ns: settings.duplicate_id_ns,
            conversations: settings.conversations,
            open_requests: settings.open_requests,
            conversation_requests: settings.conversation_requests,
            held_bytes: settings.held_bytes,
            stream_bytes: settings.stream_bytes,
            rows: settings.rows,
            slowest: settings.slowest,
            names: settings.names,
            private: settings.private,
            link_speed_bits_per_second: settings.link_speed,
            duplex: settings.duplex.map(Duplex::name),
        }
    }
}

//! Keys `capture` and `protocols`.

use crate::about::About;
use crate::time::Rfc3339;
use serde::Serialize;
use wirewait_analysis::{Snapshot, WHOLE_FRAME};

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Capture<'a> {
    files: &'a [String],
    selection: Selected<'a>,
    frames: u64,
    bytes: u64,
    first: Option<Rfc3339>,
    last: Option<Rfc3339>,
    duration_ns: Option<i64>,
    /// Frames lost before they got into the files; null if the files do not say.
    dropped: Option<u64>,
    /// Frames that reached the capturing program and are not in the files; null if the files
    /// do not tell.
    not_saved: Option<u64>,
    damage: &'a [String],
    quality: Quality,
    conversations: u64,
    evicted_conversations: u64,
    frames_of: ProtocolFrames,
}

/// Which frames of the files were wanted, as the user put it; all null for all of them.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Selected<'a> {
    since: Option<&'a str>,
    until: Option<&'a str>,
    filter: Option<&'a str>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Quality {
    grade: &'static str,
    reasons: Vec<QualityReason>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct QualityReason {
    name: &'static str,
    text: &'static str,
    count: u64,
    grade: &'static str,
}

/// Where the frames went. A frame that several transactions share counts once.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ProtocolFrames {
    transactions: f64,
    control: f64,
    other: u64,
    duplicates: u64,
}

pub(super) fn capture<'a>(about: &'a About, snapshot: &Snapshot) -> Capture<'a> {
    let row = &snapshot.capture;
    Capture {
        files: &about.files,
        selection: Selected {
            since: about.selection.since.as_deref(),
            until: about.selection.until.as_deref(),
            filter: about.selection.filter.as_deref(),
        },
        frames: row.frames,
        bytes: row.bytes,
        first: row.first.map(Rfc3339),
        last: row.last.map(Rfc3339),
        duration_ns: row
            .first
            .and(row.last)
            .map(|_| i64::try_from(row.elapsed_ns).unwrap_or(i64::MAX)),
        dropped: about.dropped(),
        not_saved: about.not_saved(),
        damage: &about.damage,
        quality: Quality {
            grade: row.grade.name(),
            reasons: row
                .reasons
                .iter()
                .map(|reason| QualityReason {
                    name: reason.name,
                    text: reason.text,
                    count: reason.count,
                    grade: reason.grade.name(),
                })
                .collect(),
        },
        conversations: row.conversations,
        evicted_conversations: row.evicted,
        frames_of: ProtocolFrames {
            transactions: frames(snapshot.attribution.transactions),
            control: frames(snapshot.attribution.control),
            other: snapshot.attribution.other,
            duplicates: snapshot.attribution.duplicates,
        },
    }
}

/// Whole and parts of frames. A share is a power of two's part, so this is exact.
fn frames(shares: u64) -> f64 {
    shares as f64 / WHOLE_FRAME as f64
}

/// Frames that contain each protocol, links first.
pub(super) struct Protocols<'a>(&'a [(&'static str, u64)]);

pub(super) fn protocols(snapshot: &Snapshot) -> Protocols<'_> {
    Protocols(&snapshot.protocols)
}

#[cfg(test)]
crate::schema::written_as!(for<'a> = Protocols<'a>, std::collections::BTreeMap<String, u64>);

impl Serialize for Protocols<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().copied())
    }
}

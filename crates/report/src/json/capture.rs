//! Keys `capture` and `protocols`.

use crate::about::{About, Selection};
use crate::document::{documents, of};
use crate::time::Rfc3339;
use serde::Serialize;
use wirewait_analysis::{Attribution, ClockSet, Reason, Snapshot, WHOLE_FRAME};

documents! {
    pub(super) struct Capture<'a> of about, snapshot: (&'a About, &Snapshot)
    where
        let row = &snapshot.capture;
    {
        files: &'a [String],
        selection: Selected<'a>,
        frames: u64 = row.frames,
        bytes: u64 = row.bytes,
        first: Option<Rfc3339> = of(&row.first),
        last: Option<Rfc3339> = of(&row.last),
        duration_ns: Option<i64> =
            row.first.and(row.last).map(|_| i64::try_from(row.elapsed_ns).unwrap_or(i64::MAX)),
        /// Frames lost before they got into the files; null if the files do not say.
        dropped: Option<u64> = about.dropped(),
        /// Frames that reached the capturing program and are not in the files; null if the files
        /// do not tell.
        not_saved: Option<u64> = about.not_saved(),
        damage: &'a [String],
        quality: Quality = of(snapshot),
        conversations: u64 = row.conversations,
        evicted_conversations: u64 = row.evicted,
        frames_of: ProtocolFrames = of(&snapshot.attribution),
    }

    /// Which frames of the files were wanted, as the user put it; all null for all of them.
    struct Selected<'a> of selection: &'a Selection {
        since: Option<&'a str>,
        until: Option<&'a str>,
        filter: Option<&'a str>,
    }

    struct Quality of snapshot: &Snapshot
    where
        let row = &snapshot.capture;
    {
        /// `good`, `fair` or `poor`; null where nothing was captured.
        grade: Option<&'static str> = crate::text::capture::grade(row),
        reasons: Vec<QualityReason> = of(&row.reasons),
        /// That the clock was set while the capture was made; absent where it was not.
        #[serde(skip_serializing_if = "Option::is_none")]
        clock_set: Option<ClockWasSet> = of(&snapshot.clock_set),
    }

    /// How often the clock of the capture was set; before which frame first, by how much then, and whether that is proved
    /// or only seems so; and for how long clients waited if it was not, which the shares allow for.
    struct ClockWasSet of set: &ClockSet {
        times: u64,
        frame: u64,
        by_ns: i64 = set.ns,
        proved: bool,
        unsure_ns: u64,
    }

    struct QualityReason of reason: &Reason {
        name: &'static str,
        text: &'static str,
        count: u64,
        grade: &'static str = reason.grade.name(),
    }

    /// Where the frames went. A frame that several transactions share counts once.
    struct ProtocolFrames of attribution: &Attribution {
        transactions: f64 = frames(attribution.transactions),
        control: f64 = frames(attribution.control),
        other: u64,
        duplicates: u64,
    }
}

/// Whole and parts of frames. A share is a power of two's part, so this is exact.
fn frames(shares: u64) -> f64 {
    shares as f64 / WHOLE_FRAME as f64
}

/// Frames that contain each protocol, links first.
pub(super) struct Protocols<'a>(pub(super) &'a [(&'static str, u64)]);

#[cfg(test)]
crate::schema::written_as!(for<'a> = Protocols<'a>, std::collections::BTreeMap<String, u64>);

impl Serialize for Protocols<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().copied())
    }
}

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
        /// Files, or interfaces, as the user named them.
        files: &'a [String],
        /// Which frames were wanted.
        selection: Selected<'a>,
        /// Frames, copies included.
        frames: u64 = row.frames,
        /// Their lengths as recorded, added up: without preamble, gap and usually check sequence.
        bytes: u64 = row.bytes,
        /// Stamp of the earliest frame; null without frames.
        first: Option<Rfc3339> = of(&row.first),
        /// Stamp of the latest frame; null without frames.
        last: Option<Rfc3339> = of(&row.last),
        /// From the first to the last frame, ns; null without frames.
        duration_ns: Option<i64> =
            row.first.and(row.last).map(|_| i64::try_from(row.elapsed_ns).unwrap_or(i64::MAX)),
        /// Frames lost before they got into the files; null if the files do not say.
        dropped: Option<u64> = about.dropped(),
        /// Frames that reached the capturing program and are not in the files; null if the files
        /// do not tell.
        not_saved: Option<u64> = about.not_saved(),
        /// Damage that was met while reading, a sentence each.
        damage: &'a [String],
        /// How far the capture can be trusted.
        quality: Quality = of(snapshot),
        /// Conversations that were seen.
        conversations: u64 = row.conversations,
        /// Conversations that were given up because of the limit of the table.
        evicted_conversations: u64 = row.evicted,
        /// Where the frames went.
        frames_of: ProtocolFrames = of(&snapshot.attribution),
    }

    /// Which frames of the files were wanted, as the user put it; all null for all of them.
    struct Selected<'a> of selection: &'a Selection {
        /// Option --since.
        since: Option<&'a str>,
        /// Option --until.
        until: Option<&'a str>,
        /// Option --filter.
        filter: Option<&'a str>,
    }

    struct Quality of snapshot: &Snapshot
    where
        let row = &snapshot.capture;
    {
        /// `good`, `fair` or `poor`; null where nothing was captured.
        grade: Option<&'static str> = crate::text::capture::grade(row),
        /// Why the grade is what it is.
        reasons: Vec<QualityReason> = of(&row.reasons),
        /// That the clock was set while the capture was made; absent where it was not.
        #[serde(skip_serializing_if = "Option::is_none")]
        clock_set: Option<ClockWasSet> = of(&snapshot.clock_set),
    }

    /// How often the clock of the capture was set; before which frame first, by how much then, and whether that is proved
    /// or only seems so; and for how long clients waited if it was not, which the shares allow for.
    struct ClockWasSet of set: &ClockSet {
        /// How often it was set.
        times: u64,
        /// Before which frame first.
        frame: u64,
        /// By how much then, ns; below 0 for back.
        by_ns: i64 = set.ns,
        /// Whether that is proved or only seems so.
        proved: bool,
        /// How long clients waited if it was not, ns.
        unsure_ns: u64,
    }

    struct QualityReason of reason: &Reason {
        /// Its name.
        name: &'static str,
        /// What it is.
        text: &'static str,
        /// How often it was seen.
        count: u64,
        /// The grade that it alone gives.
        grade: &'static str = reason.grade.name(),
    }

    /// Where the frames went. A frame that several transactions share counts once.
    struct ProtocolFrames of attribution: &Attribution {
        /// Frames of transactions; parts of a frame are possible.
        transactions: f64 = frames(attribution.transactions),
        /// Frames of control traffic; parts of a frame are possible.
        control: f64 = frames(attribution.control),
        /// Frames of nothing that is followed.
        other: u64,
        /// Frames that were captured before.
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

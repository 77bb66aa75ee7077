//! Why a walk ended early: by what a dissector says, or by where the bytes end.

use crate::{Dissector, Fault, Input, Stop, StopReason};

/// Of this layer, at this byte of the frame.
pub(crate) fn stop(
    reason: StopReason,
    dissector: &'static Dissector,
    offset: u32,
    what: &'static str,
) -> Stop {
    Stop {
        reason,
        layer: dissector.name,
        offset,
        what,
    }
}

/// Of a header that could not be read and begins at `start`.
pub(crate) fn judge(
    fault: Fault,
    dissector: &'static Dissector,
    start: u32,
    input: Input<'_>,
) -> Stop {
    match fault {
        Fault::Malformed { offset, what } => stop(
            StopReason::Malformed,
            dissector,
            start.saturating_add(offset),
            what,
        ),
        Fault::Short { offset } => {
            let reason = if (input.bytes.len() as u64) < u64::from(input.length) {
                StopReason::Snapped
            } else {
                StopReason::Truncated
            };
            stop(reason, dissector, start.saturating_add(offset), "header")
        }
    }
}

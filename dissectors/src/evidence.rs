//! How much each protocol was tried on, as `wirewait protocols` shows it.
//!
//! Counted, not claimed: `tests/protocols.rs` counts anew and fails where a row differs;
//! WIREWAIT_WRITE_EVIDENCE=1 makes it write this table.

use wirewait_wire::Evidence;

/// A row per protocol that any capture at hand leads to, in the order of [`crate::ALL`].
#[rustfmt::skip]
pub const EVIDENCE: &[(&str, Evidence)] = &[
];

//! OPLOCK_BREAK: of oplocks and of leases (2.2.23 to 2.2.25). The StructureSize tells.

use super::Body;
use super::names::{LEASE_STATE, OPLOCK};
use super::params::*;
use wirewait_wire::Fields;

const LEASE_NOTIFICATION: u16 = 44;
const LEASE_ACKNOWLEDGMENT: u16 = 36;

/// What the server sends unasked.
pub(super) fn notification(f: &mut Fields<'_>, body: Body) -> Option<()> {
    if body.size != Some(LEASE_NOTIFICATION) {
        return oplock(f);
    }
    describe(
        f,
        &[
            le16("NewEpoch"),
            le32("Flags").set_of(&[(1, "ACK_REQUIRED")]),
            bytes(16, "LeaseKey"),
            le32("CurrentLeaseState").set_of(LEASE_STATE),
            le32("NewLeaseState").set_of(LEASE_STATE),
            le32("BreakReason"),
            le32("AccessMaskHint").hex(),
            le32("ShareMaskHint").hex(),
        ],
    )
}

/// The client's word, and the response to it.
pub(super) fn acknowledgment(f: &mut Fields<'_>, body: Body) -> Option<()> {
    if body.size != Some(LEASE_ACKNOWLEDGMENT) {
        return oplock(f);
    }
    describe(
        f,
        &[
            le16("Reserved"),
            le32("Flags").hex(),
            bytes(16, "LeaseKey"),
            le32("LeaseState").set_of(LEASE_STATE),
            le64("LeaseDuration"),
        ],
    )
}

fn oplock(f: &mut Fields<'_>) -> Option<()> {
    describe(
        f,
        &[
            u8("OplockLevel").hex().codes(OPLOCK),
            u8("Reserved"),
            le32("Reserved2"),
            FILE_ID,
        ],
    )
}

//! OPLOCK_BREAK: of oplocks and of leases (2.2.23 to 2.2.25). The StructureSize tells.

use super::names::{LEASE_STATE, OPLOCK};
use super::{Body, code, file_id, flags_of};
use wirewait_wire::Fields;

const LEASE_NOTIFICATION: u16 = 44;
const LEASE_ACKNOWLEDGMENT: u16 = 36;

/// What the server sends unasked.
pub(super) fn notification(f: &mut Fields<'_>, body: Body) -> Option<()> {
    if body.size != Some(LEASE_NOTIFICATION) {
        return oplock(f);
    }
    f.le16("NewEpoch")?;
    f.le32("Flags")?;
    f.hex();
    f.flag(1, "ACK_REQUIRED", "set", "not set");
    f.bytes(16, "LeaseKey")?;
    f.le32("CurrentLeaseState")?;
    flags_of(f, LEASE_STATE);
    f.le32("NewLeaseState")?;
    flags_of(f, LEASE_STATE);
    f.le32("BreakReason")?;
    f.le32("AccessMaskHint")?;
    f.hex();
    f.le32("ShareMaskHint")?;
    f.hex();
    Some(())
}

/// The client's word, and the response to it.
pub(super) fn acknowledgment(f: &mut Fields<'_>, body: Body) -> Option<()> {
    if body.size != Some(LEASE_ACKNOWLEDGMENT) {
        return oplock(f);
    }
    f.le16("Reserved")?;
    f.le32("Flags")?;
    f.hex();
    f.bytes(16, "LeaseKey")?;
    f.le32("LeaseState")?;
    flags_of(f, LEASE_STATE);
    f.le64("LeaseDuration")?;
    Some(())
}

fn oplock(f: &mut Fields<'_>) -> Option<()> {
    let level = f.u8("OplockLevel")?;
    f.hex();
    code(f, level, OPLOCK);
    f.u8("Reserved")?;
    f.le32("Reserved2")?;
    file_id(f)
}

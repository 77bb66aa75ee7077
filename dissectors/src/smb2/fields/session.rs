//! SESSION_SETUP (2.2.5, 2.2.6) and TREE_CONNECT (2.2.9, 2.2.10).

use super::names::{
    ACCESS, CACHING, CAPABILITIES, SECURITY_MODE, SESSION_FLAGS, SHARE_CAPABILITIES, SHARE_FLAGS,
    SHARE_TYPE, TREE_CONNECT_FLAGS,
};
use super::{Body, Read, buffers, code, flags_of, utf16};
use wirewait_wire::Fields;

/// Tokens of SPNEGO, NTLM or Kerberos; they are not taken apart.
const SECURITY: Read<'_> = &|f| f.rest("Security buffer").map(|_| ());

pub(super) fn setup_request(f: &mut Fields<'_>, body: Body) -> Option<()> {
    f.u8("Flags")?;
    f.hex();
    f.flag(1, "SESSION_FLAG_BINDING", "another channel", "new session");
    f.u8("SecurityMode")?;
    flags_of(f, SECURITY_MODE);
    f.le32("Capabilities")?;
    flags_of(f, CAPABILITIES);
    f.le32("Channel")?;
    let offset = f.le16("SecurityBufferOffset")?;
    let length = f.le16("SecurityBufferLength")?;
    f.le64("PreviousSessionId")?;
    f.hex();
    buffers(
        f,
        body.start,
        &mut [(offset.into(), length.into(), SECURITY)],
    )
}

pub(super) fn setup_response(f: &mut Fields<'_>, body: Body) -> Option<()> {
    f.le16("SessionFlags")?;
    flags_of(f, SESSION_FLAGS);
    let offset = f.le16("SecurityBufferOffset")?;
    let length = f.le16("SecurityBufferLength")?;
    buffers(
        f,
        body.start,
        &mut [(offset.into(), length.into(), SECURITY)],
    )
}

pub(super) fn tree_connect_request(f: &mut Fields<'_>, body: Body) -> Option<()> {
    const EXTENSION_PRESENT: u16 = 4;
    let flags = f.le16("Flags")?;
    flags_of(f, TREE_CONNECT_FLAGS);
    let offset = f.le16("PathOffset")?;
    let length = f.le16("PathLength")?;
    if flags & EXTENSION_PRESENT != 0 {
        f.open("Extension");
        f.le32("TreeConnectContextOffset")?;
        f.le16("TreeConnectContextCount")?;
        f.bytes(10, "Reserved")?;
        f.close();
    }
    let path: Read<'_> = &|f| utf16(f, "PathName");
    buffers(f, body.start, &mut [(offset.into(), length.into(), path)])?;
    if flags & EXTENSION_PRESENT != 0 {
        f.rest("TreeConnectContexts")?;
    }
    Some(())
}

pub(super) fn tree_connect_response(f: &mut Fields<'_>) -> Option<()> {
    let kind = f.u8("ShareType")?;
    code(f, kind, SHARE_TYPE);
    f.u8("Reserved")?;
    f.le32("ShareFlags")?;
    flags_of(f, SHARE_FLAGS);
    let caching = f.bits(0x30, "Caching");
    code(f, caching, CACHING);
    f.le32("Capabilities")?;
    flags_of(f, SHARE_CAPABILITIES);
    f.le32("MaximalAccess")?;
    flags_of(f, ACCESS);
    Some(())
}

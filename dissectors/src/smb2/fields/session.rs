//! SESSION_SETUP (2.2.5, 2.2.6) and TREE_CONNECT (2.2.9, 2.2.10).

use super::names::{
    ACCESS, CACHING, CAPABILITIES, SECURITY_MODE, SESSION_FLAGS, SHARE_CAPABILITIES, SHARE_FLAGS,
    SHARE_TYPE, TREE_CONNECT_FLAGS,
};
use super::params::*;
use super::{Body, Read, buffers, utf16};
use wirewait_wire::Fields;

/// Tokens of SPNEGO, NTLM or Kerberos; they are not taken apart.
const SECURITY: Read<'_> = &|f| f.rest("Security buffer").map(|_| ());

pub(super) fn setup_request(f: &mut Fields<'_>, body: Body) -> Option<()> {
    const BINDING: Bit = Bit::Of(
        1,
        "SESSION_FLAG_BINDING",
        &[(0, "new session"), (1, "another channel")],
    );
    describe(
        f,
        &[
            u8("Flags").bits(&[BINDING]),
            u8("SecurityMode").set_of(SECURITY_MODE),
            le32("Capabilities").set_of(CAPABILITIES),
            le32("Channel"),
        ],
    )?;
    let offset = f.le16("SecurityBufferOffset")?;
    let length = f.le16("SecurityBufferLength")?;
    le64("PreviousSessionId").hex().read(f)?;
    buffers(
        f,
        body.start,
        &mut [(offset.into(), length.into(), SECURITY)],
    )
}

pub(super) fn setup_response(f: &mut Fields<'_>, body: Body) -> Option<()> {
    le16("SessionFlags").set_of(SESSION_FLAGS).read(f)?;
    let offset = f.le16("SecurityBufferOffset")?;
    let length = f.le16("SecurityBufferLength")?;
    buffers(
        f,
        body.start,
        &mut [(offset.into(), length.into(), SECURITY)],
    )
}

pub(super) fn tree_connect_request(f: &mut Fields<'_>, body: Body) -> Option<()> {
    const EXTENSION_PRESENT: u64 = 4;
    let flags = le16("Flags").set_of(TREE_CONNECT_FLAGS).read(f)?;
    let offset = f.le16("PathOffset")?;
    let length = f.le16("PathLength")?;
    if flags & EXTENSION_PRESENT != 0 {
        group("Extension", EXTENSION).read(f)?;
    }
    let path: Read<'_> = &|f| utf16(f, "PathName");
    buffers(f, body.start, &mut [(offset.into(), length.into(), path)])?;
    if flags & EXTENSION_PRESENT != 0 {
        f.rest("TreeConnectContexts")?;
    }
    Some(())
}

const EXTENSION: FieldTable = &[
    le32("TreeConnectContextOffset"),
    le16("TreeConnectContextCount"),
    bytes(10, "Reserved"),
];

pub(super) fn tree_connect_response(f: &mut Fields<'_>) -> Option<()> {
    describe(
        f,
        &[
            u8("ShareType").codes(SHARE_TYPE),
            u8("Reserved"),
            le32("ShareFlags").set_of(SHARE_FLAGS),
        ],
    )?;
    let caching = f.bits(0x30, "Caching");
    f.means(value_name(CACHING, caching).unwrap_or_default());
    describe(
        f,
        &[
            le32("Capabilities").set_of(SHARE_CAPABILITIES),
            le32("MaximalAccess").set_of(ACCESS),
        ],
    )
}

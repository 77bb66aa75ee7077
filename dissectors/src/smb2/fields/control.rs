//! IOCTL (2.2.31, 2.2.32) and the structures of the control codes that SMB 2 defines itself.

use super::names::{CAPABILITIES, CONTROL_CODE, DIALECT, SECURITY_MODE};
use super::params::*;
use super::{Body, Read, buffers, entries, utf16};
use std::net::{Ipv4Addr, Ipv6Addr};
use wirewait_wire::Fields;

/// Control codes whose buffers are taken apart.
mod fsctl {
    pub(super) const DFS_GET_REFERRALS: u32 = 0x0006_0194;
    pub(super) const SRV_REQUEST_RESUME_KEY: u32 = 0x0014_0078;
    pub(super) const LMR_REQUEST_RESILIENCY: u32 = 0x0014_01d4;
    pub(super) const QUERY_NETWORK_INTERFACE_INFO: u32 = 0x0014_01fc;
    pub(super) const VALIDATE_NEGOTIATE_INFO: u32 = 0x0014_0204;
    pub(super) const SRV_ENUMERATE_SNAPSHOTS: u32 = 0x0014_4064;
    pub(super) const SRV_COPYCHUNK: u32 = 0x0014_40f2;
    pub(super) const SRV_COPYCHUNK_WRITE: u32 = 0x0014_80f2;
    pub(super) const PIPE_WAIT: u32 = 0x0011_0018;
}

pub(super) fn request(f: &mut Fields<'_>, body: Body) -> Option<()> {
    let control = begin(f)?;
    let input_offset = f.le32("InputOffset")?;
    let input_count = f.le32("InputCount")?;
    f.le32("MaxInputResponse")?;
    let output_offset = f.le32("OutputOffset")?;
    let output_count = f.le32("OutputCount")?;
    f.le32("MaxOutputResponse")?;
    const IS_FSCTL: Bit = Bit::Of(
        1,
        "IS_FSCTL",
        &[(0, "device control"), (1, "file system control")],
    );
    describe(f, &[le32("Flags").bits(&[IS_FSCTL]), le32("Reserved2")])?;
    let input: Read<'_> = &|f| input(f, control);
    let mut list = [
        (input_offset, input_count, input),
        (output_offset, output_count, OUTPUT),
    ];
    buffers(f, body.start, &mut list)
}

pub(super) fn response(f: &mut Fields<'_>, body: Body) -> Option<()> {
    let control = begin(f)?;
    let input_offset = f.le32("InputOffset")?;
    let input_count = f.le32("InputCount")?;
    let output_offset = f.le32("OutputOffset")?;
    let output_count = f.le32("OutputCount")?;
    describe(f, &[le32("Flags").hex(), le32("Reserved2")])?;
    let input: Read<'_> = &|f| f.rest("Input buffer").map(|_| ());
    let output: Read<'_> = &|f| output(f, control);
    let mut list = [
        (input_offset, input_count, input),
        (output_offset, output_count, output),
    ];
    buffers(f, body.start, &mut list)
}

const OUTPUT: Read<'_> = &|f| f.rest("Output buffer").map(|_| ());

/// Answers the control code.
fn begin(f: &mut Fields<'_>) -> Option<u32> {
    f.le16("Reserved")?;
    let control = le32("CtlCode").hex().codes(CONTROL_CODE).read(f)?;
    FILE_ID.read(f)?;
    u32::try_from(control).ok()
}

fn input(f: &mut Fields<'_>, control: u32) -> Option<()> {
    f.open("Input buffer");
    match control {
        // [MS-DFSC] 2.2.2.
        fsctl::DFS_GET_REFERRALS => {
            f.le16("MaxReferralLevel")?;
            utf16(f, "RequestFileName")?;
        }
        fsctl::SRV_COPYCHUNK | fsctl::SRV_COPYCHUNK_WRITE => copy_chunks(f)?,
        fsctl::LMR_REQUEST_RESILIENCY => {
            describe(f, &[le32("Timeout").means("ms"), le32("Reserved")])?;
        }
        fsctl::VALIDATE_NEGOTIATE_INFO => {
            describe(f, NEGOTIATED)?;
            let count = f.le16("DialectCount")?;
            for _ in 0..count {
                if f.left() < 2 {
                    break;
                }
                DIALECT_OF.read(f)?;
            }
        }
        // [MS-FSCC] 2.3.49.
        fsctl::PIPE_WAIT => {
            le64("Timeout").means("in 100 ns").read(f)?;
            let length = f.le32("NameLength")?;
            f.u8("TimeoutSpecified")?;
            f.u8("Padding")?;
            let length = f.left().min(length);
            f.utf16(length, "Name")?;
        }
        _ => {}
    }
    f.rest("Data")?;
    f.close();
    Some(())
}

fn output(f: &mut Fields<'_>, control: u32) -> Option<()> {
    f.open("Output buffer");
    match control {
        fsctl::SRV_REQUEST_RESUME_KEY => {
            describe(f, &[bytes(24, "ResumeKey"), le32("ContextLength")])?;
        }
        fsctl::SRV_COPYCHUNK | fsctl::SRV_COPYCHUNK_WRITE => describe(f, COPIED)?,
        fsctl::SRV_ENUMERATE_SNAPSHOTS => describe(f, SNAPSHOTS)?,
        fsctl::QUERY_NETWORK_INTERFACE_INFO => {
            entries(f, 24, &interface)?;
        }
        fsctl::VALIDATE_NEGOTIATE_INFO => {
            describe(f, NEGOTIATED)?;
            DIALECT_OF.read(f)?;
        }
        _ => {}
    }
    f.rest("Data")?;
    f.close();
    Some(())
}

/// 2.2.31.1.
fn copy_chunks(f: &mut Fields<'_>) -> Option<()> {
    f.bytes(24, "SourceKey")?;
    let count = f.le32("ChunkCount")?;
    f.le32("Reserved")?;
    for _ in 0..count {
        if f.left() < 24 {
            break;
        }
        group("Chunk", CHUNK).read(f)?;
    }
    Some(())
}

const CHUNK: FieldTable = &[
    le64("SourceOffset"),
    le64("TargetOffset"),
    le32("Length"),
    le32("Reserved"),
];

/// 2.2.32.1.
const COPIED: FieldTable = &[
    le32("ChunksWritten"),
    le32("ChunkBytesWritten"),
    le32("TotalBytesWritten"),
];

/// 2.2.32.2.
const SNAPSHOTS: FieldTable = &[
    le32("NumberOfSnapShots"),
    le32("NumberOfSnapShotsReturned"),
    le32("SnapShotArraySize"),
];

/// What 2.2.31.4 and 2.2.32.6 begin with.
const NEGOTIATED: FieldTable = &[
    le32("Capabilities").set_of(CAPABILITIES),
    guid("Guid"),
    le16("SecurityMode").set_of(SECURITY_MODE),
];

const DIALECT_OF: Param = le16("Dialect").hex().codes(DIALECT);

/// 2.2.32.5.
fn interface(f: &mut Fields<'_>) -> Option<()> {
    const IPV4: u16 = 2;
    const IPV6: u16 = 23;
    f.open("Network interface");
    describe(
        f,
        &[
            le32("Next"),
            le32("IfIndex"),
            le32("Capability").set_of(&[(1, "RSS_CAPABLE"), (2, "RDMA_CAPABLE")]),
            le32("Reserved"),
            le64("LinkSpeed").means("bit/s"),
        ],
    )?;
    let family = f.le16("Family")?;
    f.be16("Port")?;
    match family {
        IPV4 => {
            let address: [u8; 4] = f.bytes(4, "IPv4Address")?.try_into().ok()?;
            f.shown(Ipv4Addr::from(address));
        }
        IPV6 => {
            f.le32("FlowInfo")?;
            let address: [u8; 16] = f.bytes(16, "IPv6Address")?.try_into().ok()?;
            f.shown(Ipv6Addr::from(address));
            f.le32("ScopeId")?;
        }
        _ => {}
    }
    f.rest("Reserved")?;
    f.close();
    Some(())
}

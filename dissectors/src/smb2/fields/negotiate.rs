//! NEGOTIATE (2.2.3, 2.2.4) and its contexts, one by one.

use super::names::{
    CAPABILITIES, CIPHER, COMPRESSION, DIALECT, HASH, NEGOTIATE_CONTEXT, RDMA_TRANSFORM,
    SECURITY_MODE, SIGNING,
};
use super::params::*;
use super::{Body, align, buffers, utf16};
use crate::parse;
use wirewait_wire::Fields;

const SMB_3_1_1: u64 = 0x0311;

pub(super) fn request(f: &mut Fields<'_>, body: Body) -> Option<()> {
    /// From the DialectCount to the dialects.
    const TO_DIALECTS: usize = 34;
    let rest = f.peek();
    let count = f.le16("DialectCount")?;
    describe(
        f,
        &[
            le16("SecurityMode").set_of(SECURITY_MODE),
            le16("Reserved"),
            le32("Capabilities").set_of(CAPABILITIES),
            guid("ClientGuid"),
        ],
    )?;
    // With 3.1.1 among the dialects the time makes room for contexts.
    let has_contexts = (0..usize::from(count))
        .map_while(|n| parse::le16(rest, TO_DIALECTS + 2 * n))
        .any(|dialect| u64::from(dialect) == SMB_3_1_1);
    let mut contexts = None;
    if has_contexts {
        let offset = f.le32("NegotiateContextOffset")?;
        contexts = Some((offset, f.le16("NegotiateContextCount")?));
        f.le16("Reserved2")?;
    } else {
        time("ClientStartTime").read(f)?;
    }
    f.open("Dialects");
    for _ in 0..count {
        if f.left() < 2 {
            break;
        }
        dialect("Dialect").read(f)?;
    }
    f.close();
    list(f, body, contexts)
}

pub(super) fn response(f: &mut Fields<'_>, body: Body) -> Option<()> {
    le16("SecurityMode").set_of(SECURITY_MODE).read(f)?;
    let has_contexts = dialect("DialectRevision").read(f)? == SMB_3_1_1;
    let count = f.le16(if has_contexts {
        "NegotiateContextCount"
    } else {
        "Reserved"
    })?;
    describe(
        f,
        &[
            guid("ServerGuid"),
            le32("Capabilities").set_of(CAPABILITIES),
            le32("MaxTransactSize"),
            le32("MaxReadSize"),
            le32("MaxWriteSize"),
            time("System time"),
            time("ServerStartTime"),
        ],
    )?;
    let offset = f.le16("SecurityBufferOffset")?;
    let length = f.le16("SecurityBufferLength")?;
    let contexts = f.le32(if has_contexts {
        "NegotiateContextOffset"
    } else {
        "Reserved2"
    })?;
    let security: super::Read<'_> = &|f| f.rest("Security buffer").map(|_| ());
    buffers(
        f,
        body.start,
        &mut [(offset.into(), length.into(), security)],
    )?;
    list(f, body, has_contexts.then_some((contexts, count)))
}

const fn dialect(name: &'static str) -> Param {
    le16(name).hex().codes(DIALECT)
}

fn list(f: &mut Fields<'_>, body: Body, contexts: Option<(u32, u16)>) -> Option<()> {
    let Some((offset, count)) = contexts else {
        return Some(());
    };
    let read: super::Read<'_> = &|f| {
        for n in 0..count {
            if n > 0 {
                align(f)?;
            }
            if f.left() < 8 {
                break;
            }
            context(f)?;
        }
        Some(())
    };
    buffers(f, body.start, &mut [(offset, u32::MAX, read)])
}

/// 2.2.3.1.
fn context(f: &mut Fields<'_>) -> Option<()> {
    f.open("Negotiate context");
    let kind = le16("ContextType").hex().codes(NEGOTIATE_CONTEXT).read(f)?;
    let length = f.le16("DataLength")?;
    f.le32("Reserved")?;
    let length = f.left().min(length.into());
    f.within(length, "Data", |f| data(f, kind))?;
    f.close();
    Some(())
}

fn data(f: &mut Fields<'_>, kind: u64) -> Option<()> {
    match kind {
        1 => {
            let count = f.le16("HashAlgorithmCount")?;
            f.le16("SaltLength")?;
            codes(f, count, "HashAlgorithm", HASH)?;
            f.rest("Salt")?;
        }
        2 => {
            let count = f.le16("CipherCount")?;
            codes(f, count, "Cipher", CIPHER)?;
        }
        3 => {
            let count = f.le16("CompressionAlgorithmCount")?;
            le16("Padding").read(f)?;
            le32("Flags").set_of(&[(1, "CHAINED")]).read(f)?;
            codes(f, count, "CompressionAlgorithm", COMPRESSION)?;
        }
        5 => utf16(f, "NetName")?,
        6 => {
            const ACCEPT: ValueNames = &[(1, "ACCEPT_TRANSPORT_LEVEL_SECURITY")];
            le32("Flags").set_of(ACCEPT).read(f)?;
        }
        7 => {
            let count = f.le16("TransformCount")?;
            f.le16("Reserved1")?;
            f.le32("Reserved2")?;
            codes(f, count, "RDMATransformId", RDMA_TRANSFORM)?;
        }
        8 => {
            let count = f.le16("SigningAlgorithmCount")?;
            codes(f, count, "SigningAlgorithm", SIGNING)?;
        }
        _ => {}
    }
    Some(())
}

/// Numbers of two bytes, as many as there are.
fn codes(f: &mut Fields<'_>, count: u16, name: &'static str, names: ValueNames) -> Option<()> {
    for _ in 0..count {
        if f.left() < 2 {
            break;
        }
        le16(name).codes(names).read(f)?;
    }
    Some(())
}

//! The headers of encrypted (2.2.41) and compressed messages (2.2.42).

use super::names::COMPRESSION;
use super::{code, unwrapped};
use crate::parse::le16;
use wirewait_wire::Fields;

pub(super) fn encrypted(f: &mut Fields<'_>) -> Option<()> {
    f.open("SMB2 transform header");
    protocol(f, "FD 'SMB'")?;
    f.bytes(16, "Signature")?;
    f.bytes(16, "Nonce")?;
    f.le32("OriginalMessageSize")?;
    f.le16("Reserved")?;
    let flags = f.le16("Flags/EncryptionAlgorithm")?;
    f.hex();
    if flags == 1 {
        // The same number in all dialects.
        f.means("encrypted (3.1.1), or AES-128-CCM (3.0, 3.0.2)");
    }
    f.le64("SessionId")?;
    f.hex();
    f.close();
    f.rest("Encrypted data").map(|_| ())
}

pub(super) fn compressed(f: &mut Fields<'_>) -> Option<()> {
    const CHAINED: u16 = 1;
    match le16(f.peek(), 10) {
        Some(CHAINED) => chained(f),
        _ => unchained(f),
    }
}

/// 2.2.42.1: some bytes as they were, then the compressed ones.
fn unchained(f: &mut Fields<'_>) -> Option<()> {
    f.open("SMB2 compression transform header");
    protocol(f, "FC 'SMB'")?;
    f.le32("OriginalCompressedSegmentSize")?;
    algorithm(f)?;
    f.le16("Flags")?;
    f.means("one piece");
    let offset = f.le32("Offset")?;
    f.close();
    let readable = offset.min(f.left());
    f.within(readable, "Uncompressed data", unwrapped)?;
    f.rest("Compressed data").map(|_| ())
}

/// 2.2.42.2: pieces, each with a header of its own.
fn chained(f: &mut Fields<'_>) -> Option<()> {
    f.open("SMB2 compression transform header");
    protocol(f, "FC 'SMB'")?;
    f.le32("OriginalCompressedSegmentSize")?;
    f.close();
    let mut first = true;
    while f.left() >= 8 {
        payload(f, first)?;
        first = false;
    }
    f.rest("Further bytes").map(|_| ())
}

/// 2.2.42.2.1. Only the first piece can begin with the header of a message.
fn payload(f: &mut Fields<'_>, first: bool) -> Option<()> {
    const NONE: u16 = 0;
    const PATTERN: u16 = 4;
    f.open("Compression payload");
    let algorithm = algorithm(f)?;
    f.le16("Flags")?;
    f.hex();
    f.flag(1, "CHAINED", "first piece", "later piece");
    let length = f.le32("Length")?;
    let length = f.left().min(length);
    let rest = match algorithm {
        NONE => "Uncompressed data",
        PATTERN => "Further bytes",
        _ => "Compressed data",
    };
    f.within(length, rest, |f| match algorithm {
        NONE if first => unwrapped(f),
        NONE => Some(()),
        // 2.2.42.2.2.
        PATTERN if f.left() >= 8 => {
            f.u8("Pattern")?;
            f.hex();
            f.u8("Reserved1")?;
            f.le16("Reserved2")?;
            f.le32("Repetitions").map(|_| ())
        }
        _ if f.left() >= 4 => f.le32("OriginalPayloadSize").map(|_| ()),
        _ => Some(()),
    })?;
    f.close();
    Some(())
}

fn algorithm(f: &mut Fields<'_>) -> Option<u16> {
    let algorithm = f.le16("CompressionAlgorithm")?;
    code(f, algorithm, COMPRESSION);
    Some(algorithm)
}

fn protocol(f: &mut Fields<'_>, shown: &str) -> Option<()> {
    f.bytes(4, "ProtocolId")?;
    f.shown(shown);
    Some(())
}

//! The headers of encrypted (2.2.41) and compressed messages (2.2.42).

use super::names::COMPRESSION;
use super::params::*;
use super::unwrapped;
use crate::parse;
use wirewait_wire::Fields;

pub(super) fn encrypted(f: &mut Fields<'_>) -> Option<()> {
    f.open("SMB2 transform header");
    protocol(f, "FD 'SMB'")?;
    describe(
        f,
        &[
            bytes(16, "Signature"),
            bytes(16, "Nonce"),
            le32("OriginalMessageSize"),
            le16("Reserved"),
            le16("Flags/EncryptionAlgorithm").hex().codes(ENCRYPTED),
            le64("SessionId").hex(),
        ],
    )?;
    f.close();
    f.rest("Encrypted data").map(|_| ())
}

/// Values of `Flags/EncryptionAlgorithm`: 1 in all dialects, with two meanings.
const ENCRYPTED: ValueNames = &[(1, "encrypted (3.1.1), or AES-128-CCM (3.0, 3.0.2)")];

pub(super) fn compressed(f: &mut Fields<'_>) -> Option<()> {
    const CHAINED: u16 = 1;
    match parse::le16(f.peek(), 10) {
        Some(CHAINED) => chained(f),
        _ => unchained(f),
    }
}

/// 2.2.42.1: some bytes as they were, then the compressed ones.
fn unchained(f: &mut Fields<'_>) -> Option<()> {
    f.open("SMB2 compression transform header");
    protocol(f, "FC 'SMB'")?;
    f.le32("OriginalCompressedSegmentSize")?;
    describe(f, &[ALGORITHM, le16("Flags").means("one piece")])?;
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
    const NONE: u64 = 0;
    const PATTERN: u64 = 4;
    const FIRST: Bit = Bit::Of(1, "CHAINED", &[(0, "later piece"), (1, "first piece")]);
    f.open("Compression payload");
    let algorithm = ALGORITHM.read(f)?;
    le16("Flags").bits(&[FIRST]).read(f)?;
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
        PATTERN if f.left() >= 8 => describe(
            f,
            &[
                u8("Pattern").hex(),
                u8("Reserved1"),
                le16("Reserved2"),
                le32("Repetitions"),
            ],
        ),
        _ if f.left() >= 4 => f.le32("OriginalPayloadSize").map(|_| ()),
        _ => Some(()),
    })?;
    f.close();
    Some(())
}

const ALGORITHM: Param = le16("CompressionAlgorithm").codes(COMPRESSION);

fn protocol(f: &mut Fields<'_>, shown: &str) -> Option<()> {
    f.bytes(4, "ProtocolId")?;
    f.shown(shown);
    Some(())
}

//! CLOSE, FLUSH, READ, WRITE and LOCK (2.2.15 to 2.2.27).

use super::names::{CHANNEL, LOCK_FLAGS, READ_FLAGS, WRITE_FLAGS};
use super::params::*;
use super::{Body, Read, buffers};
use wirewait_wire::Fields;

const DATA: Read<'_> = &|f| f.rest("Data").map(|_| ());
/// Where the peer's memory is (2.2.19, SMB_DIRECT_BUFFER_DESCRIPTOR_V1).
const CHANNEL_INFO: Read<'_> = &|f| {
    while f.left() >= 16 {
        group("Buffer descriptor", DESCRIPTOR).read(f)?;
    }
    f.rest("Channel information").map(|_| ())
};

const DESCRIPTOR: FieldTable = &[le64("Offset").hex(), le32("Token").hex(), le32("Length")];

const CLOSE_FLAGS: Param = le16("Flags").set_of(&[(1, "POSTQUERY_ATTRIB")]);

pub(super) const CLOSE_REQUEST: FieldTable = &[CLOSE_FLAGS, le32("Reserved"), FILE_ID];

pub(super) const CLOSE_RESPONSE: FieldTable = &[
    CLOSE_FLAGS,
    le32("Reserved"),
    FOUR_TIMES,
    le64("AllocationSize"),
    le64("EndofFile"),
    ATTRIBUTES,
];

pub(super) const FLUSH_REQUEST: FieldTable = &[le16("Reserved1"), le32("Reserved2"), FILE_ID];

const CHANNEL_KIND: Param = le32("Channel").codes(CHANNEL);

pub(super) fn read_request(f: &mut Fields<'_>, body: Body) -> Option<()> {
    describe(
        f,
        &[
            u8("Padding").means("where the data should begin in the response"),
            u8("Flags").set_of(READ_FLAGS),
            le32("Length"),
            le64("Offset"),
            FILE_ID,
            le32("MinimumCount"),
            CHANNEL_KIND,
            le32("RemainingBytes"),
        ],
    )?;
    let offset = f.le16("ReadChannelInfoOffset")?;
    let length = f.le16("ReadChannelInfoLength")?;
    buffers(
        f,
        body.start,
        &mut [(offset.into(), length.into(), CHANNEL_INFO)],
    )
}

pub(super) fn read_response(f: &mut Fields<'_>, body: Body) -> Option<()> {
    let offset = f.u8("DataOffset")?;
    f.u8("Reserved")?;
    let length = f.le32("DataLength")?;
    describe(
        f,
        &[
            le32("DataRemaining"),
            le32("Flags").set_of(&[(1, "RDMA_TRANSFORM")]),
        ],
    )?;
    buffers(f, body.start, &mut [(offset.into(), length, DATA)])
}

pub(super) fn write_request(f: &mut Fields<'_>, body: Body) -> Option<()> {
    let offset = f.le16("DataOffset")?;
    let length = f.le32("Length")?;
    describe(
        f,
        &[
            le64("Offset"),
            FILE_ID,
            CHANNEL_KIND,
            le32("RemainingBytes"),
        ],
    )?;
    let info = f.le16("WriteChannelInfoOffset")?;
    let info_length = f.le16("WriteChannelInfoLength")?;
    le32("Flags").set_of(WRITE_FLAGS).read(f)?;
    let mut list = [
        (info.into(), info_length.into(), CHANNEL_INFO),
        (offset.into(), length, DATA),
    ];
    buffers(f, body.start, &mut list)
}

pub(super) fn write_response(f: &mut Fields<'_>, body: Body) -> Option<()> {
    f.le16("Reserved")?;
    f.le32("Count")?;
    f.le32("Remaining")?;
    let offset = f.le16("WriteChannelInfoOffset")?;
    let length = f.le16("WriteChannelInfoLength")?;
    buffers(
        f,
        body.start,
        &mut [(offset.into(), length.into(), CHANNEL_INFO)],
    )
}

pub(super) fn lock_request(f: &mut Fields<'_>) -> Option<()> {
    let count = f.le16("LockCount")?;
    describe(f, &[le32("LockSequence").bits(LOCK_SEQUENCE), FILE_ID])?;
    for _ in 0..count {
        if f.left() < 24 {
            break;
        }
        group("Lock element", LOCK).read(f)?;
    }
    Some(())
}

const LOCK_SEQUENCE: &[Bit] = &[
    Bit::Number(0x0000_000f, "LockSequenceNumber"),
    Bit::Number(0xffff_fff0, "LockSequenceIndex"),
];

/// SMB2_LOCK_ELEMENT (2.2.26.1).
const LOCK: FieldTable = &[
    le64("Offset"),
    le64("Length"),
    le32("Flags").set_of(LOCK_FLAGS),
    le32("Reserved"),
];

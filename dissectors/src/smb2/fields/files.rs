//! CLOSE, FLUSH, READ, WRITE and LOCK (2.2.15 to 2.2.27).

use super::names::{CHANNEL, LOCK_FLAGS, READ_FLAGS, WRITE_FLAGS};
use super::{Body, Read, attributes, buffers, code, file_id, flags_of, four_times};
use wirewait_wire::Fields;

const DATA: Read<'_> = &|f| f.rest("Data").map(|_| ());
/// Where the peer's memory is (2.2.19, SMB_DIRECT_BUFFER_DESCRIPTOR_V1).
const CHANNEL_INFO: Read<'_> = &|f| {
    while f.left() >= 16 {
        f.open("Buffer descriptor");
        f.le64("Offset")?;
        f.hex();
        f.le32("Token")?;
        f.hex();
        f.le32("Length")?;
        f.close();
    }
    f.rest("Channel information").map(|_| ())
};

pub(super) fn close_request(f: &mut Fields<'_>) -> Option<()> {
    close_flags(f)?;
    f.le32("Reserved")?;
    file_id(f)
}

pub(super) fn close_response(f: &mut Fields<'_>) -> Option<()> {
    close_flags(f)?;
    f.le32("Reserved")?;
    four_times(f)?;
    f.le64("AllocationSize")?;
    f.le64("EndofFile")?;
    attributes(f)
}

fn close_flags(f: &mut Fields<'_>) -> Option<()> {
    f.le16("Flags")?;
    f.hex();
    f.flag(1, "POSTQUERY_ATTRIB", "set", "not set");
    Some(())
}

pub(super) fn flush_request(f: &mut Fields<'_>) -> Option<()> {
    f.le16("Reserved1")?;
    f.le32("Reserved2")?;
    file_id(f)
}

pub(super) fn read_request(f: &mut Fields<'_>, body: Body) -> Option<()> {
    f.u8("Padding")?;
    f.means("where the data should begin in the response");
    f.u8("Flags")?;
    flags_of(f, READ_FLAGS);
    f.le32("Length")?;
    f.le64("Offset")?;
    file_id(f)?;
    f.le32("MinimumCount")?;
    channel(f)?;
    f.le32("RemainingBytes")?;
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
    f.le32("DataRemaining")?;
    f.le32("Flags")?;
    f.hex();
    f.flag(1, "RDMA_TRANSFORM", "set", "not set");
    buffers(f, body.start, &mut [(offset.into(), length, DATA)])
}

pub(super) fn write_request(f: &mut Fields<'_>, body: Body) -> Option<()> {
    let offset = f.le16("DataOffset")?;
    let length = f.le32("Length")?;
    f.le64("Offset")?;
    file_id(f)?;
    channel(f)?;
    f.le32("RemainingBytes")?;
    let info = f.le16("WriteChannelInfoOffset")?;
    let info_length = f.le16("WriteChannelInfoLength")?;
    f.le32("Flags")?;
    flags_of(f, WRITE_FLAGS);
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

fn channel(f: &mut Fields<'_>) -> Option<()> {
    let channel = f.le32("Channel")?;
    code(f, channel, CHANNEL);
    Some(())
}

pub(super) fn lock_request(f: &mut Fields<'_>) -> Option<()> {
    let count = f.le16("LockCount")?;
    f.le32("LockSequence")?;
    f.hex();
    f.bits(0x0000_000f, "LockSequenceNumber");
    f.bits(0xffff_fff0, "LockSequenceIndex");
    file_id(f)?;
    for _ in 0..count {
        if f.left() < 24 {
            break;
        }
        f.open("Lock element");
        f.le64("Offset")?;
        f.le64("Length")?;
        f.le32("Flags")?;
        flags_of(f, LOCK_FLAGS);
        f.le32("Reserved")?;
        f.close();
    }
    Some(())
}

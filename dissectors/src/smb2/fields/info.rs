//! QUERY_DIRECTORY, CHANGE_NOTIFY, QUERY_INFO and SET_INFO (2.2.33 to 2.2.40).
//!
//! What a QUERY_INFO or QUERY_DIRECTORY asked for stands in the request alone, so the
//! buffers of their responses are shown as bytes.

use super::names::{
    COMPLETION_FILTER, FILE, FILE_CLASS, FILESYSTEM, FILESYSTEM_CLASS, INFO_TYPE, NOTIFY_ACTION,
    SCAN_FLAGS, SEARCH_FLAGS, SECURITY, SECURITY_INFORMATION,
};
use super::params::*;
use super::{Body, Read, buffers, entries, utf16};
use wirewait_wire::Fields;

const OUTPUT: Read<'_> = &|f| f.rest("Output buffer").map(|_| ());

pub(super) fn query_directory_request(f: &mut Fields<'_>, body: Body) -> Option<()> {
    describe(
        f,
        &[
            u8("FileInformationClass").codes(FILE_CLASS),
            u8("Flags").set_of(SEARCH_FLAGS),
            le32("FileIndex"),
            FILE_ID,
        ],
    )?;
    let offset = f.le16("FileNameOffset")?;
    let length = f.le16("FileNameLength")?;
    f.le32("OutputBufferLength")?;
    let pattern: Read<'_> = &|f| utf16(f, "FileName");
    buffers(
        f,
        body.start,
        &mut [(offset.into(), length.into(), pattern)],
    )
}

pub(super) fn query_directory_response(f: &mut Fields<'_>, body: Body) -> Option<()> {
    output(f, body, OUTPUT)
}

pub(super) fn change_notify_request(f: &mut Fields<'_>) -> Option<()> {
    describe(
        f,
        &[
            le16("Flags").set_of(&[(1, "WATCH_TREE")]),
            le32("OutputBufferLength"),
            FILE_ID,
            le32("CompletionFilter").set_of(COMPLETION_FILTER),
            le32("Reserved"),
        ],
    )
}

pub(super) fn change_notify_response(f: &mut Fields<'_>, body: Body) -> Option<()> {
    output(f, body, &|f| entries(f, 12, &change))
}

/// [MS-FSCC] 2.7.1.
fn change(f: &mut Fields<'_>) -> Option<()> {
    f.open("Change");
    describe(
        f,
        &[le32("NextEntryOffset"), le32("Action").codes(NOTIFY_ACTION)],
    )?;
    let length = f.le32("FileNameLength")?;
    let length = f.left().min(length);
    f.utf16(length, "FileName")?;
    f.close();
    Some(())
}

pub(super) fn query_request(f: &mut Fields<'_>, body: Body) -> Option<()> {
    let (kind, _) = information(f)?;
    f.le32("OutputBufferLength")?;
    let offset = f.le16("InputBufferOffset")?;
    f.le16("Reserved")?;
    let length = f.le32("InputBufferLength")?;
    describe(
        f,
        &[additional(kind), le32("Flags").set_of(SCAN_FLAGS), FILE_ID],
    )?;
    let input: Read<'_> = &|f| f.rest("Input buffer").map(|_| ());
    buffers(f, body.start, &mut [(offset.into(), length, input)])
}

pub(super) fn query_response(f: &mut Fields<'_>, body: Body) -> Option<()> {
    output(f, body, OUTPUT)
}

pub(super) fn set_request(f: &mut Fields<'_>, body: Body) -> Option<()> {
    let (kind, class) = information(f)?;
    let length = f.le32("BufferLength")?;
    let offset = f.le16("BufferOffset")?;
    f.le16("Reserved")?;
    describe(f, &[additional(kind), FILE_ID])?;
    let read: Read<'_> = &|f| match kind {
        FILE => set_file(f, class),
        _ => f.rest("Buffer").map(|_| ()),
    };
    buffers(f, body.start, &mut [(offset.into(), length, read)])
}

/// What is to be set of a file ([MS-FSCC] 2.4).
fn set_file(f: &mut Fields<'_>, class: u64) -> Option<()> {
    f.open(value_name(FILE_CLASS, class).unwrap_or("Buffer"));
    match class {
        4 => describe(f, &[FOUR_TIMES, ATTRIBUTES])?,
        // SMB2 uses the 64-bit form of both (2.4.42.2, 2.4.27).
        10 | 11 | 65 | 72 => {
            if class < 64 {
                describe(f, &[u8("ReplaceIfExists"), bytes(7, "Reserved")])?;
            } else {
                describe(f, &[le32("Flags").hex(), le32("Reserved")])?;
            }
            f.le64("RootDirectory")?;
            let length = f.le32("FileNameLength")?;
            let length = f.left().min(length);
            f.utf16(length, "FileName")?;
        }
        13 => describe(f, &[u8("DeletePending")])?,
        14 => describe(f, &[le64("CurrentByteOffset")])?,
        16 => describe(f, &[le32("Mode").hex()])?,
        19 => describe(f, &[le64("AllocationSize")])?,
        20 => describe(f, &[le64("EndOfFile")])?,
        39 => describe(f, &[le64("ValidDataLength")])?,
        64 => describe(f, &[le32("Flags").hex()])?,
        _ => {}
    }
    f.rest("Further bytes")?;
    f.close();
    Some(())
}

/// Answers the kind of information and its class.
fn information(f: &mut Fields<'_>) -> Option<(u64, u64)> {
    let kind = u8("InfoType").codes(INFO_TYPE).read(f)?;
    let classes = match kind {
        FILE => FILE_CLASS,
        FILESYSTEM => FILESYSTEM_CLASS,
        _ => &[],
    };
    Some((kind, u8("FileInfoClass").codes(classes).read(f)?))
}

const fn additional(kind: u64) -> Param {
    let parts = match kind {
        SECURITY => SECURITY_INFORMATION,
        _ => &[],
    };
    le32("AdditionalInformation").set_of(parts)
}

/// The bodies that consist of one buffer.
fn output(f: &mut Fields<'_>, body: Body, read: Read<'_>) -> Option<()> {
    let offset = f.le16("OutputBufferOffset")?;
    let length = f.le32("OutputBufferLength")?;
    buffers(f, body.start, &mut [(offset.into(), length, read)])
}

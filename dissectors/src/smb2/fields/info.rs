//! QUERY_DIRECTORY, CHANGE_NOTIFY, QUERY_INFO and SET_INFO (2.2.33 to 2.2.40).
//!
//! What a QUERY_INFO or QUERY_DIRECTORY asked for stands in the request alone, so the
//! buffers of their responses are shown as bytes.

use super::names::{
    COMPLETION_FILTER, FILE, FILE_CLASS, FILESYSTEM, FILESYSTEM_CLASS, INFO_TYPE, NOTIFY_ACTION,
    Names, SCAN_FLAGS, SEARCH_FLAGS, SECURITY, SECURITY_INFORMATION,
};
use super::{Body, Read, attributes, buffers, code, entries, file_id, flags_of, four_times, utf16};
use wirewait_wire::Fields;

const OUTPUT: Read<'_> = &|f| f.rest("Output buffer").map(|_| ());

pub(super) fn query_directory_request(f: &mut Fields<'_>, body: Body) -> Option<()> {
    let class = f.u8("FileInformationClass")?;
    code(f, class, FILE_CLASS);
    f.u8("Flags")?;
    flags_of(f, SEARCH_FLAGS);
    f.le32("FileIndex")?;
    file_id(f)?;
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
    f.le16("Flags")?;
    f.hex();
    f.flag(1, "WATCH_TREE", "set", "not set");
    f.le32("OutputBufferLength")?;
    file_id(f)?;
    f.le32("CompletionFilter")?;
    flags_of(f, COMPLETION_FILTER);
    f.le32("Reserved")?;
    Some(())
}

pub(super) fn change_notify_response(f: &mut Fields<'_>, body: Body) -> Option<()> {
    output(f, body, &|f| entries(f, 12, &change))
}

/// [MS-FSCC] 2.7.1.
fn change(f: &mut Fields<'_>) -> Option<()> {
    f.open("Change");
    f.le32("NextEntryOffset")?;
    let action = f.le32("Action")?;
    code(f, action, NOTIFY_ACTION);
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
    additional(f, kind)?;
    f.le32("Flags")?;
    flags_of(f, SCAN_FLAGS);
    file_id(f)?;
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
    additional(f, kind)?;
    file_id(f)?;
    let read: Read<'_> = &|f| match u64::from(kind) {
        FILE => set_file(f, class),
        _ => f.rest("Buffer").map(|_| ()),
    };
    buffers(f, body.start, &mut [(offset.into(), length, read)])
}

/// What is to be set of a file ([MS-FSCC] 2.4).
fn set_file(f: &mut Fields<'_>, class: u8) -> Option<()> {
    f.open(super::name(FILE_CLASS, class.into()).unwrap_or("Buffer"));
    match class {
        4 => {
            four_times(f)?;
            attributes(f)?;
        }
        // SMB2 uses the 64-bit form of both (2.4.42.2, 2.4.27).
        10 | 11 | 65 | 72 => {
            if class < 64 {
                f.u8("ReplaceIfExists")?;
                f.bytes(7, "Reserved")?;
            } else {
                f.le32("Flags")?;
                f.hex();
                f.le32("Reserved")?;
            }
            f.le64("RootDirectory")?;
            let length = f.le32("FileNameLength")?;
            let length = f.left().min(length);
            f.utf16(length, "FileName")?;
        }
        13 => {
            f.u8("DeletePending")?;
        }
        14 => {
            f.le64("CurrentByteOffset")?;
        }
        16 => {
            f.le32("Mode")?;
            f.hex();
        }
        19 => {
            f.le64("AllocationSize")?;
        }
        20 => {
            f.le64("EndOfFile")?;
        }
        39 => {
            f.le64("ValidDataLength")?;
        }
        64 => {
            f.le32("Flags")?;
            f.hex();
        }
        _ => {}
    }
    f.rest("Further bytes")?;
    f.close();
    Some(())
}

fn information(f: &mut Fields<'_>) -> Option<(u8, u8)> {
    let kind = f.u8("InfoType")?;
    code(f, kind, INFO_TYPE);
    let class = f.u8("FileInfoClass")?;
    let classes: Names = match u64::from(kind) {
        FILE => FILE_CLASS,
        FILESYSTEM => FILESYSTEM_CLASS,
        _ => &[],
    };
    code(f, class, classes);
    Some((kind, class))
}

fn additional(f: &mut Fields<'_>, kind: u8) -> Option<()> {
    f.le32("AdditionalInformation")?;
    f.hex();
    if u64::from(kind) == SECURITY {
        flags_of(f, SECURITY_INFORMATION);
    }
    Some(())
}

/// The bodies that consist of one buffer.
fn output(f: &mut Fields<'_>, body: Body, read: Read<'_>) -> Option<()> {
    let offset = f.le16("OutputBufferOffset")?;
    let length = f.le32("OutputBufferLength")?;
    buffers(f, body.start, &mut [(offset.into(), length, read)])
}

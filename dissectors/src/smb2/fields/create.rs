//! CREATE (2.2.13, 2.2.14) and its contexts, by name.

use super::names::{
    ACCESS, CREATE_ACTION, CREATE_CONTEXT, CREATE_OPTIONS, DISPOSITION, IMPERSONATION, LEASE_FLAGS,
    LEASE_STATE, OPLOCK, SHARE_ACCESS, name,
};
use super::{
    Body, Read, attributes, buffers, code, entries, file_id, flags_of, four_times, guid,
    milliseconds, time, utf16,
};
use crate::parse::be32;
use crate::smb1::status::ntstatus;
use wirewait_wire::Fields;

pub(super) fn request(f: &mut Fields<'_>, body: Body) -> Option<()> {
    f.u8("SecurityFlags")?;
    oplock(f, "RequestedOplockLevel")?;
    let level = f.le32("ImpersonationLevel")?;
    code(f, level, IMPERSONATION);
    f.le64("SmbCreateFlags")?;
    f.hex();
    f.le64("Reserved")?;
    f.le32("DesiredAccess")?;
    flags_of(f, ACCESS);
    attributes(f)?;
    f.le32("ShareAccess")?;
    flags_of(f, SHARE_ACCESS);
    let disposition = f.le32("CreateDisposition")?;
    code(f, disposition, DISPOSITION);
    f.le32("CreateOptions")?;
    flags_of(f, CREATE_OPTIONS);
    let offset = f.le16("NameOffset")?;
    let length = f.le16("NameLength")?;
    let contexts = f.le32("CreateContextsOffset")?;
    let contexts_length = f.le32("CreateContextsLength")?;
    let file_name: Read<'_> = &|f| utf16(f, "FileName");
    let list: Read<'_> = &|f| list(f, Sender::Client);
    buffers(
        f,
        body.start,
        &mut [
            (offset.into(), length.into(), file_name),
            (contexts, contexts_length, list),
        ],
    )
}

pub(super) fn response(f: &mut Fields<'_>, body: Body) -> Option<()> {
    oplock(f, "OplockLevel")?;
    f.u8("Flags")?;
    f.hex();
    f.flag(1, "REPARSEPOINT", "set", "not set");
    let action = f.le32("CreateAction")?;
    code(f, action, CREATE_ACTION);
    four_times(f)?;
    f.le64("AllocationSize")?;
    f.le64("EndofFile")?;
    attributes(f)?;
    f.le32("Reserved2")?;
    file_id(f)?;
    let offset = f.le32("CreateContextsOffset")?;
    let length = f.le32("CreateContextsLength")?;
    let list: Read<'_> = &|f| list(f, Sender::Server);
    buffers(f, body.start, &mut [(offset, length, list)])
}

fn oplock(f: &mut Fields<'_>, field: &'static str) -> Option<()> {
    let level = f.u8(field)?;
    f.hex();
    code(f, level, OPLOCK);
    Some(())
}

/// Some contexts of one name differ with who sends them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sender {
    Client,
    Server,
}

fn list(f: &mut Fields<'_>, sender: Sender) -> Option<()> {
    entries(f, 16, &|f| context(f, sender))
}

/// 2.2.13.2.
fn context(f: &mut Fields<'_>, sender: Sender) -> Option<()> {
    let start = f.at();
    f.open("Create context");
    f.le32("Next")?;
    let name_offset = f.le16("NameOffset")?;
    let name_length = f.le16("NameLength")?;
    f.le16("Reserved")?;
    let offset = f.le16("DataOffset")?;
    let length = f.le32("DataLength")?;
    // The name decides on the data, wherever it stands.
    let at = usize::from(name_offset).checked_sub(16);
    let called = at
        .and_then(|at| f.peek().get(at..at.checked_add(name_length.into())?))
        .map_or(Context::Other, Context::new);
    let name: Read<'_> = &|f| {
        let left = f.left();
        match called {
            Context::Letters(letters) => {
                f.text(left, "Name")?;
                code(f, letters, CREATE_CONTEXT);
            }
            Context::Number(meaning) => {
                guid(f, "Name")?;
                f.means(meaning);
            }
            Context::Other => {
                f.rest("Name")?;
            }
        }
        Some(())
    };
    let read: Read<'_> = &|f| data(f, called, sender);
    buffers(
        f,
        start,
        &mut [
            (name_offset.into(), name_length.into(), name),
            (offset.into(), length, read),
        ],
    )?;
    if f.left() < 8 {
        f.rest("Padding")?;
    }
    f.rest("Further bytes")?;
    f.close();
    Some(())
}

/// What a context is called.
#[derive(Clone, Copy)]
enum Context {
    /// By four letters, as a number.
    Letters(u32),
    /// By sixteen bytes that stand for this.
    Number(&'static str),
    Other,
}

const APP_INSTANCE_ID: &str = "APP_INSTANCE_ID";
const APP_INSTANCE_VERSION: &str = "APP_INSTANCE_VERSION";

impl Context {
    fn new(bytes: &[u8]) -> Self {
        match bytes {
            [_, _, _, _] => be32(bytes, 0).map_or(Self::Other, Self::Letters),
            b"\x45\xbc\xa6\x6a\xef\xa7\xf7\x4a\x90\x08\xfa\x46\x2e\x14\x4d\x74" => {
                Self::Number(APP_INSTANCE_ID)
            }
            b"\xb9\x82\xd0\xb7\x3b\x56\x07\x4f\xa0\x7b\x52\x4a\x81\x16\xa0\x10" => {
                Self::Number(APP_INSTANCE_VERSION)
            }
            b"\x9c\xcb\xcf\x9e\x04\xc1\xe6\x43\x98\x0e\x15\x8d\xa1\xf6\xec\x83" => {
                Self::Number("SVHDX_OPEN_DEVICE_CONTEXT")
            }
            b"\x93\xad\x25\x50\x9c\xb4\x11\xe7\xb4\x23\x83\xde\x96\x8b\xcd\x7c" => {
                Self::Number("POSIX extensions")
            }
            _ => Self::Other,
        }
    }
}

/// 2.2.13.2.1 to 2.2.13.2.15, and their responses from 2.2.14.2.1 on.
fn data(f: &mut Fields<'_>, called: Context, sender: Sender) -> Option<()> {
    let name = match called {
        Context::Letters(letters) => name(CREATE_CONTEXT, letters.into()).unwrap_or_default(),
        Context::Number(name) => name,
        Context::Other => "",
    };
    match (name, sender) {
        ("DURABLE_HANDLE_REQUEST", _) => {
            let left = f.left();
            f.bytes(left.min(16), "Reserved")?;
        }
        ("DURABLE_HANDLE_RECONNECT", Sender::Client) => file_id(f)?,
        ("ALLOCATION_SIZE", _) => {
            f.le64("AllocationSize")?;
        }
        ("QUERY_MAXIMAL_ACCESS", Sender::Client) | ("TIMEWARP_TOKEN", _) => time(f, "Timestamp")?,
        ("QUERY_MAXIMAL_ACCESS", Sender::Server) => {
            let status = f.le32("QueryStatus")?;
            f.hex();
            if let Some(name) = ntstatus(status).name {
                f.means(name);
            }
            f.le32("MaximalAccess")?;
            flags_of(f, ACCESS);
        }
        ("QUERY_ON_DISK_ID", Sender::Server) => {
            f.le64("DiskFileId")?;
            f.hex();
            f.le64("VolumeId")?;
            f.hex();
            f.bytes(16, "Reserved")?;
        }
        ("LEASE", _) => lease(f)?,
        ("DURABLE_HANDLE_REQUEST_V2", _) => {
            milliseconds(f, "Timeout")?;
            persistent(f)?;
            if sender == Sender::Client {
                f.le64("Reserved")?;
                guid(f, "CreateGuid")?;
            }
        }
        ("DURABLE_HANDLE_RECONNECT_V2", Sender::Client) => {
            file_id(f)?;
            guid(f, "CreateGuid")?;
            persistent(f)?;
        }
        (APP_INSTANCE_ID, _) => {
            f.le16("StructureSize")?;
            f.le16("Reserved")?;
            guid(f, "AppInstanceId")?;
        }
        (APP_INSTANCE_VERSION, _) => {
            f.le16("StructureSize")?;
            f.le16("Reserved")?;
            f.le32("Padding")?;
            f.le64("AppInstanceVersionHigh")?;
            f.le64("AppInstanceVersionLow")?;
        }
        _ => {}
    }
    f.rest("Data").map(|_| ())
}

/// Both versions (2.2.13.2.8, 2.2.13.2.10); the second is longer.
fn lease(f: &mut Fields<'_>) -> Option<()> {
    f.bytes(16, "LeaseKey")?;
    f.le32("LeaseState")?;
    flags_of(f, LEASE_STATE);
    f.le32("LeaseFlags")?;
    flags_of(f, LEASE_FLAGS);
    f.le64("LeaseDuration")?;
    if f.left() >= 20 {
        f.bytes(16, "ParentLeaseKey")?;
        f.le16("Epoch")?;
        f.le16("Reserved")?;
    }
    Some(())
}

fn persistent(f: &mut Fields<'_>) -> Option<()> {
    f.le32("Flags")?;
    f.hex();
    f.flag(2, "PERSISTENT", "set", "not set");
    Some(())
}

//! CREATE (2.2.13, 2.2.14) and its contexts, by name.

use super::names::{
    ACCESS, CREATE_ACTION, CREATE_CONTEXT, CREATE_OPTIONS, DISPOSITION, IMPERSONATION, LEASE_FLAGS,
    LEASE_STATE, OPLOCK, SHARE_ACCESS,
};
use super::params::*;
use super::{Body, Read, buffers, entries, utf16};
use crate::parse::be32;
use crate::smb1::status::ntstatus;
use wirewait_wire::Fields;

const REQUEST: FieldTable = &[
    u8("SecurityFlags"),
    u8("RequestedOplockLevel").hex().codes(OPLOCK),
    le32("ImpersonationLevel").codes(IMPERSONATION),
    le64("SmbCreateFlags").hex(),
    le64("Reserved"),
    le32("DesiredAccess").set_of(ACCESS),
    ATTRIBUTES,
    le32("ShareAccess").set_of(SHARE_ACCESS),
    le32("CreateDisposition").codes(DISPOSITION),
    le32("CreateOptions").set_of(CREATE_OPTIONS),
];

const RESPONSE: FieldTable = &[
    u8("OplockLevel").hex().codes(OPLOCK),
    u8("Flags").set_of(&[(1, "REPARSEPOINT")]),
    le32("CreateAction").codes(CREATE_ACTION),
    FOUR_TIMES,
    le64("AllocationSize"),
    le64("EndofFile"),
    ATTRIBUTES,
    le32("Reserved2"),
    FILE_ID,
];

pub(super) fn request(f: &mut Fields<'_>, body: Body) -> Option<()> {
    describe(f, REQUEST)?;
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
    describe(f, RESPONSE)?;
    let offset = f.le32("CreateContextsOffset")?;
    let length = f.le32("CreateContextsLength")?;
    let list: Read<'_> = &|f| list(f, Sender::Server);
    buffers(f, body.start, &mut [(offset, length, list)])
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
                f.means(value_name(CREATE_CONTEXT, letters).unwrap_or_default());
            }
            Context::Number(meaning) => {
                guid("Name").read(f)?;
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
    Letters(u64),
    /// By sixteen bytes that stand for this.
    Number(&'static str),
    Other,
}

const APP_INSTANCE_ID: &str = "APP_INSTANCE_ID";
const APP_INSTANCE_VERSION: &str = "APP_INSTANCE_VERSION";

impl Context {
    fn new(bytes: &[u8]) -> Self {
        match bytes {
            [_, _, _, _] => be32(bytes, 0).map_or(Self::Other, |n| Self::Letters(n.into())),
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
        Context::Letters(letters) => value_name(CREATE_CONTEXT, letters).unwrap_or_default(),
        Context::Number(name) => name,
        Context::Other => "",
    };
    match (name, sender) {
        ("DURABLE_HANDLE_REQUEST", _) => {
            let left = f.left();
            f.bytes(left.min(16), "Reserved")?;
        }
        ("DURABLE_HANDLE_RECONNECT", Sender::Client) => describe(f, &[FILE_ID])?,
        ("ALLOCATION_SIZE", _) => describe(f, &[le64("AllocationSize")])?,
        ("QUERY_MAXIMAL_ACCESS", Sender::Client) | ("TIMEWARP_TOKEN", _) => {
            describe(f, &[time("Timestamp")])?;
        }
        ("QUERY_MAXIMAL_ACCESS", Sender::Server) => {
            let status = f.le32("QueryStatus")?;
            f.hex();
            if let Some(name) = ntstatus(status).name {
                f.means(name);
            }
            le32("MaximalAccess").set_of(ACCESS).read(f)?;
        }
        ("QUERY_ON_DISK_ID", Sender::Server) => describe(f, DISK_ID)?,
        ("LEASE", _) => lease(f)?,
        ("DURABLE_HANDLE_REQUEST_V2", _) => {
            describe(f, &[le32("Timeout").means("ms"), PERSISTENT])?;
            if sender == Sender::Client {
                describe(f, &[le64("Reserved"), guid("CreateGuid")])?;
            }
        }
        ("DURABLE_HANDLE_RECONNECT_V2", Sender::Client) => {
            describe(f, &[FILE_ID, guid("CreateGuid"), PERSISTENT])?;
        }
        (APP_INSTANCE_ID, _) => describe(f, INSTANCE_ID)?,
        (APP_INSTANCE_VERSION, _) => describe(f, INSTANCE_VERSION)?,
        _ => {}
    }
    f.rest("Data").map(|_| ())
}

/// Both versions (2.2.13.2.8, 2.2.13.2.10); the second is longer.
fn lease(f: &mut Fields<'_>) -> Option<()> {
    const FIRST: FieldTable = &[
        bytes(16, "LeaseKey"),
        le32("LeaseState").set_of(LEASE_STATE),
        le32("LeaseFlags").set_of(LEASE_FLAGS),
        le64("LeaseDuration"),
    ];
    const SECOND: FieldTable = &[bytes(16, "ParentLeaseKey"), le16("Epoch"), le16("Reserved")];
    describe(f, FIRST)?;
    if f.left() >= 20 {
        describe(f, SECOND)?;
    }
    Some(())
}

const PERSISTENT: Param = le32("Flags").set_of(&[(2, "PERSISTENT")]);

/// The response to QUERY_ON_DISK_ID.
const DISK_ID: FieldTable = &[
    le64("DiskFileId").hex(),
    le64("VolumeId").hex(),
    bytes(16, "Reserved"),
];

/// 2.2.13.2.13.
const INSTANCE_ID: FieldTable = &[
    le16("StructureSize"),
    le16("Reserved"),
    guid("AppInstanceId"),
];

/// 2.2.13.2.15.
const INSTANCE_VERSION: FieldTable = &[
    le16("StructureSize"),
    le16("Reserved"),
    le32("Padding"),
    le64("AppInstanceVersionHigh"),
    le64("AppInstanceVersionLow"),
];

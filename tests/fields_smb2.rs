//! The fields of SMB 2 have the values that tshark shows, in every capture that there is.

use crate::columns::{Column, decimal, hex, same_as_tshark, words};
use wirewait_wire::Field;

const fn column(
    theirs: &'static str,
    ours: &'static str,
    form: fn(&Field<'_>) -> Option<String>,
) -> Column {
    Column {
        theirs,
        layers: &["smb2"],
        ours,
        form,
    }
}

#[rustfmt::skip]
const SMB2: &[Column] = &[
    column("smb2.credit.charge", "CreditCharge", decimal),
    column("smb2.channel_sequence", "ChannelSequence", decimal),
    column("smb2.nt_status", "Status", hex),
    column("smb2.cmd", "Command", decimal),
    column("smb2.credits.requested", "CreditRequest", decimal),
    column("smb2.credits.granted", "CreditResponse", decimal),
    column("smb2.flags", "SMB2 header > Flags", hex),
    column("smb2.chain_offset", "NextCommand", hex),
    column("smb2.msg_id", "MessageId", decimal),
    column("smb2.pid", "ProcessId", hex),
    column("smb2.aid", "AsyncId", hex),
    column("smb2.tid", "TreeId", hex),
    column("smb2.sesid", "SessionId", hex),
    column("smb2.dialect_count", "DialectCount", decimal),
    column("smb2.dialect", "Dialect | DialectRevision", hex),
    column("smb2.server_guid", "ServerGuid | Output buffer > Guid", words),
    column("smb2.max_read_size", "MaxReadSize", decimal),
    column("smb2.share_flags", "ShareFlags", hex),
    column("smb2.impersonation.level", "ImpersonationLevel", decimal),
    column("smb2.create.disposition", "CreateDisposition", decimal),
    column("smb2.create.action", "CreateAction", decimal),
    column("smb2.read_length", "READ request > Length", decimal),
    column("smb2.write_length", "WRITE request > Length", decimal),
    column("smb2.file_offset",
        "READ request > Offset | WRITE request > Offset | Lock element > Offset", decimal),
    column("smb2.min_count", "MinimumCount", decimal),
    column("smb2.ioctl.function", "CtlCode", hex),
    column("smb2.find.pattern", "QUERY_DIRECTORY request > FileName", words),
    column("smb2.lock_count", "LockCount", decimal),
    column("smb2.notify.action", "Change > Action", hex),
    column("smb2.header.transform.msg_size", "OriginalMessageSize", decimal),
    column("smb2.header.comp_transform.original_size", "OriginalCompressedSegmentSize", decimal),
];

#[test]
fn fields_of_smb2_are_those_of_tshark() {
    let compared = same_as_tshark("smb2", SMB2);
    assert!(
        compared == 0 || compared > 200_000,
        "only {compared} values"
    );
}

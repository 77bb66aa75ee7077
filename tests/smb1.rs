//! SMB1 against tshark: the fields of its messages, of DCE/RPC on its pipes and of the browser
//! in its mailslots; requests of SMB1 that SMB2 answers.

use crate::columns::{Column, column, decimal, hex, hex2, same_as_tshark, words};
use crate::support::{analyse, captures};
use wirewait_analysis::{Outcome, Turnaround};
use wirewait_wire::Field;

const SMB: &[&str] = &["smb1"];

const MAILSLOTS: &[&str] = &["browser", "lanman"];

const fn smb(
    theirs: &'static str,
    ours: &'static str,
    form: fn(&Field<'_>) -> Option<String>,
) -> Column {
    column(theirs, SMB, ours, form)
}

/// Commands have flags of their own, in more bytes.
fn byte(field: &Field<'_>) -> Option<String> {
    (field.end - field.start == 1).then(|| hex(field)).flatten()
}

/// Pipes and mailslots have subcommands too; tshark has other fields for them.
fn trans2(field: &Field<'_>) -> Option<String> {
    let is_own = field.meaning.starts_with("TRANS2_") || field.meaning == "TRANSACTION2";
    is_own.then(|| hex(field)).flatten()
}

/// Calls of LAN Manager have functions too.
fn nt_transact(field: &Field<'_>) -> Option<String> {
    let is_own = field.meaning.starts_with("NT_TRANSACT");
    is_own.then(|| decimal(field)).flatten()
}

/// In ms; LAN Manager has 16 bits, and counts seconds.
fn period(field: &Field<'_>) -> Option<String> {
    let count: u64 = decimal(field)?.parse().ok()?;
    let unit = if field.end - field.start == 2 {
        1000
    } else {
        1
    };
    Some((unit * count).to_string())
}

#[rustfmt::skip]
const COLUMNS: &[Column] = &[
    smb("smb.cmd", "Command", hex),
    smb("smb.tid", "Tree ID", decimal),
    smb("smb.pid", "Process ID", decimal),
    smb("smb.pid.high", "Process ID high", decimal),
    smb("smb.uid", "User ID", decimal),
    smb("smb.mid", "Multiplex ID", decimal),
    smb("smb.flags", "Flags", byte),
    smb("smb.flags2", "Flags2", hex),
    smb("smb.nt_status", "Status", hex),
    smb("smb.error_class", "Error class", hex),
    smb("smb.error_code", "Error code", hex),
    smb("smb.wct", "Word count", decimal),
    smb("smb.bcc", "Byte count", decimal),
    smb("smb.trans2.cmd", "Subcommand", trans2),
    smb("smb.nt.function", "Function", nt_transact),
    column("dcerpc.ver", &["dcerpc"], "Version", decimal),
    column("dcerpc.pkt_type", &["dcerpc"], "PDU type", decimal),
    column("dcerpc.cn_frag_len", &["dcerpc"], "Fragment length", decimal),
    column("dcerpc.cn_auth_len", &["dcerpc"], "Authentication length", decimal),
    column("dcerpc.cn_call_id", &["dcerpc"], "Call ID", decimal),
    column("dcerpc.cn_bind_to_uuid", &["dcerpc"], "Interface UUID", words),
    column("browser.command", MAILSLOTS, "Command", hex2),
    column("browser.server_type", MAILSLOTS, "Server type", hex),
    column("browser.period", MAILSLOTS, "Periodicity", period),
];

#[test]
fn fields_of_smb1_are_those_of_tshark() {
    let compared = same_as_tshark("smb1", COLUMNS);
    assert!(
        compared == 0 || compared > 200_000,
        "only {compared} values"
    );
}

/// The frames of each NEGOTIATE of SMB1 and of the first answer of SMB2 behind it on the same
/// connection, by tshark.
const NEGOTIATED_IN_SMB2: &[(&str, &[(u64, u64)])] = &[
    ("smb31_win10-handshake.pcapng", &[(195, 196), (703, 704)]),
    ("smb311_negotiate-contexts.pcap", &[(8, 10)]),
    ("smb2_netshareenum_139.pcap.gz", &[(20, 21), (88, 89)]),
    ("smb2_null-linktype_loopback.pcap", &[(11, 13), (55, 57)]),
    ("smb2_nfstrace_cifs2.pcap", &[(219, 220)]),
    ("smb2_rawip-linktype_krb5.pcap", &[(696, 699)]),
    (
        "smb1+2_nfstrace_cifs1-2_filtered.pcap.gz",
        &[(17964, 17966)],
    ),
];

#[test]
fn a_negotiate_that_smb2_answers_is_one_transaction() {
    let Some(folder) = captures("a NEGOTIATE that SMB2 answers") else {
        return;
    };
    for (file, pairs) in NEGOTIATED_IN_SMB2 {
        let analysis = analyse(&[folder.join("real").join(file)]).unwrap();
        for (request, response) in *pairs {
            let t = analysis
                .transactions
                .iter()
                .find(|t| t.request.is_some_and(|r| r.first.frame == *request))
                .unwrap_or_else(|| panic!("{file}: no request in frame {request}"));
            assert_eq!(t.operation.name, "NEGOTIATE", "{file} frame {request}");
            assert_eq!(t.outcome, Outcome::Answered, "{file} frame {request}");
            let answered = t.response.map(|r| r.first.frame);
            assert_eq!(answered, Some(*response), "{file} frame {request}");
        }
    }
}

/// The client resets its connection in frame 90, while the response to its ECHO of frame 84 is on
/// its way: frame 91 acknowledges all that the client had sent and has its identifiers. The client
/// waits no longer than until the reset.
#[test]
fn a_response_that_crosses_a_reset_is_paired() {
    let Some(folder) = captures("a response that crosses a reset") else {
        return;
    };
    let file = folder.join("real/smb1_filename.pcap");
    let analysis = analyse(&[file]).unwrap();
    let of_frame = |frame: u64| {
        let mut all = analysis.transactions.iter();
        all.find(|t| t.request.is_some_and(|r| r.first.frame == frame))
            .unwrap_or_else(|| panic!("no request in frame {frame}"))
    };
    let echo = of_frame(84);
    assert_eq!(echo.operation.name, "ECHO");
    assert_eq!(echo.outcome, Outcome::Answered);
    assert_eq!(echo.response.map(|r| r.first.frame), Some(91));
    assert_eq!(echo.turnaround, Turnaround::Exact(627_000));
    // Nothing came for what was asked after it.
    assert_eq!(of_frame(88).outcome, Outcome::Unanswered);
    let orphans = analysis.transactions.iter();
    let orphans =
        orphans.filter(|t| t.request.is_none() && t.response.is_some_and(|r| r.first.frame == 91));
    assert_eq!(orphans.count(), 0);
}

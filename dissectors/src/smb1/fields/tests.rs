//! Messages laid out by hand from the specification; every test goes through the checks of
//! `testing::fields`: each byte in one field, and every prefix read without harm.

use super::super::tests::{message, with_status, words};
use super::super::{Command, DISSECTOR};
use super::{params, request, response};
use crate::testing;
use proptest::prelude::*;
use wirewait_wire::{Asked, Field, Fields, Input, Value};

const REPLY: u8 = 0x80;

/// What a field shows, its meaning behind a colon.
fn shown(field: &Field<'_>) -> String {
    let value = match &field.value {
        Value::Heading => String::new(),
        Value::Decimal(n) => n.to_string(),
        Value::Hex(n) => format!("{n:#x}"),
        Value::Bytes(b) => format!("{} bytes", b.len()),
        Value::Text(t) => t.clone(),
        Value::Cut => "cut".into(),
    };
    match field.meaning.as_str() {
        "" => value,
        meaning => format!("{value}: {meaning}"),
    }
}

/// All fields of this name, as they are shown.
fn all(m: &[u8], name: &str) -> Vec<String> {
    let fields = testing::fields(&DISSECTOR, Input::whole(m));
    assert_eq!(end(&fields), m.len(), "everything is described");
    let named = fields.iter().filter(|f| f.name == name);
    named.map(shown).collect()
}

/// The only field of this name.
fn one(m: &[u8], name: &str) -> String {
    let found = all(m, name);
    assert_eq!(found.len(), 1, "{name}: {found:?}");
    found[0].clone()
}

fn end(fields: &[Field<'_>]) -> usize {
    fields.iter().map(|f| f.end).max().unwrap_or(0) as usize
}

/// UTF-16 with its terminator.
fn wide(text: &str) -> Vec<u8> {
    text.encode_utf16()
        .chain([0])
        .flat_map(u16::to_le_bytes)
        .collect()
}

/// Fields with the request known.
fn answering(m: &[u8], command: Command, subfunction: u16, name: &str) -> Vec<String> {
    let code = command.code(Some(subfunction));
    with_code(m, code, name)
}

fn with_code(m: &[u8], code: u32, name: &str) -> Vec<String> {
    let asked = Asked {
        operation: Command::TRANSACTION.operation(),
        code,
        asked: 0,
        file: None,
    };
    let mut f = Fields::new(Input::whole(m), Some(asked));
    assert_eq!((DISSECTOR.fields)(&mut f), Some(()));
    let fields = f.finish();
    assert_eq!(end(&fields), m.len());
    let named = fields.iter().filter(|f| f.name == name);
    named.map(shown).collect()
}

#[test]
fn the_header_with_an_ntstatus() {
    let mut m = with_status(message(0x2e, REPLY, &[], &[]), 0xc000_0022, 0xc841);
    m[12] = 2;
    assert_eq!(one(&m, "Command"), "0x2e: READ_ANDX");
    assert_eq!(one(&m, "Status"), "0xc0000022: STATUS_ACCESS_DENIED");
    assert_eq!(one(&m, "Flags"), "0x80");
    assert_eq!(one(&m, "Reply"), "1: response");
    assert_eq!(one(&m, "Flags2"), "0xc841");
    assert_eq!(one(&m, "Strings"), "1: Unicode");
    assert_eq!(one(&m, "Process ID high"), "0x2");
    for (name, value) in [
        ("Tree ID", "0x1"),
        ("Process ID", "0x4c1"),
        ("User ID", "0x64"),
        ("Multiplex ID", "0x17"),
        ("Word count", "0"),
        ("Byte count", "0"),
    ] {
        assert_eq!(one(&m, name), value);
    }
}

#[test]
fn the_header_with_class_and_code() {
    let m = with_status(message(0x02, REPLY, &[], &[]), 0x0002_0001, 0);
    assert_eq!(one(&m, "Error class"), "0x1: ERRDOS");
    assert_eq!(one(&m, "Error code"), "0x2: ERRbadfile");
    assert_eq!(one(&m, "Key"), "0x0");
    let mut signed = message(0x02, REPLY, &[], &[]);
    signed[10] = 4;
    assert_eq!(one(&signed, "Security signature"), "8 bytes");
    let mut ipx = message(0x02, 0, &words([0, 0]), b"\x04A\0");
    ipx[18..22].copy_from_slice(&[7, 0, 9, 0]);
    assert_eq!(one(&ipx, "Connection ID"), "0x7");
    assert_eq!(one(&ipx, "Sequence number"), "9");
}

/// The bytes of each field of a table must add up to each of its word counts.
#[test]
fn tables_are_as_long_as_their_words() {
    let mut seen = 0;
    for code in 0..=255 {
        let command = Command(code);
        let andx = if command.is_andx() { 4 } else { 0 };
        for count in 1..=60 {
            for table in [request::REQUESTS, response::RESPONSES]
                .into_iter()
                .filter_map(|list| params::find(&[list], code, Some(count)))
            {
                let mut at = andx;
                let ends = std::iter::once(at).chain(table.params.iter().map(|param| {
                    at += param.length();
                    at
                }));
                let wanted = 2 * u32::from(count);
                assert!(
                    ends.into_iter().any(|end| end == wanted),
                    "{code:#x} {count}"
                );
                seen += 1;
            }
        }
    }
    assert_eq!(seen, 104);
}

#[test]
fn reads_and_writes_show_words_and_data() {
    let w = words([0xff, 0xdead, 0x4007, 61440, 0, 4096, 0, 0xffff, 0xffff, 9]);
    let m = message(0x2e, 0, &w, &[]);
    assert_eq!(one(&m, "AndX command"), "0xff: none");
    assert_eq!(one(&m, "FID"), "0x4007");
    assert_eq!(one(&m, "Offset"), "61440");
    assert_eq!(one(&m, "Max count of bytes to return"), "4096");
    assert_eq!(all(&m, "Offset high").len(), 0, "the shorter form");
    let w = words([0xff, 0, 0xffff, 0, 0, 3, 60, 0, 0, 0, 0, 0]);
    let m = message(0x2e, REPLY, &w, &[0, 7, 8, 9]);
    assert_eq!(one(&m, "Data"), "3 bytes");
    assert_eq!(one(&m, "Padding"), "1 bytes");
    let core = message(0x0b, 0, &words([7, 3, 0, 0, 0]), &[1, 3, 0, 7, 8, 9]);
    assert_eq!(one(&core, "Buffer format"), "1: data block");
    assert_eq!(one(&core, "Data"), "3 bytes");
    let w = words([7, 3, 0, 0, 0, 0]);
    let close = message(0x2c, 0, &w, &[0, 7, 8, 9]);
    assert_eq!(one(&close, "Data"), "3 bytes");
}

#[test]
fn data_goes_beyond_a_byte_count_of_16_bits() {
    let w = words([0xff, 0, 7, 0, 0, 0, 0, 0, 0, 1, 3, 64, 0, 0]);
    let mut m = message(0x2f, 0, &w, &[]);
    m.extend(vec![9; 1 + 0x1_0003]);
    m[61] = 4; // 0x10004 modulo 65536
    let mut f = Fields::new(Input::whole(&m), None);
    assert_eq!((DISSECTOR.fields)(&mut f), Some(()));
    let fields = f.finish();
    let data = fields.iter().find(|f| f.name == "Data").unwrap();
    assert_eq!(data.end - data.start, 0x1_0003);
    assert_eq!(end(&fields), m.len());
}

#[test]
fn each_command_of_a_chain_is_a_group() {
    let mut open = words([0; 15]);
    open[0] = 0x2e;
    open[2..4].copy_from_slice(&68u16.to_le_bytes());
    let mut m = message(0x2d, 0, &open, b"X\0");
    m.extend([0, 10, 0xff, 0, 0, 0]);
    m.extend([0; 16]);
    m.extend([0, 0]);
    assert_eq!(all(&m, "OPEN_ANDX request").len(), 1);
    assert_eq!(all(&m, "READ_ANDX request").len(), 1);
    assert_eq!(all(&m, "AndX offset"), ["68", "0"]);
    assert_eq!(one(&m, "File name"), "X");
    assert_eq!(one(&m, "Padding"), "1 bytes");
    assert_eq!(all(&m, "Word count"), ["15", "10"]);
}

/// A LOCKING_ANDX, a WRITE_ANDX and a CLOSE, then what is written.
#[test]
fn data_behind_the_chain_is_data() {
    let mut m = message(0x24, 0, &words([0x2f, 51, 7, 0, 0, 0, 0, 0]), &[]);
    m.push(14);
    m.extend(words([0x04, 83, 7, 0, 0, 0, 0, 0, 0, 0, 3, 92, 0, 0]));
    m.extend([4, 0, 0]);
    assert_eq!(m.len(), 83);
    m.extend([3, 7, 0, 0, 0, 0, 0, 0, 0, 9, 9, 9]);
    assert_eq!(one(&m, "Data"), "3 bytes");
    assert_eq!(all(&m, "CLOSE request").len(), 1);
}

#[test]
fn an_answer_without_the_mark_is_read_as_one_when_the_request_is_known() {
    let m = message(0x08, 0, &words([0x20, 0, 0, 1000, 0, 0, 0, 0, 0, 0]), &[]);
    assert_eq!(all(&m, "File size").len(), 0);
    assert_eq!(with_code(&m, 0x08, "File size"), ["1000"]);
    assert_eq!(with_code(&m, 0x0a, "File size").len(), 0, "something else");
}

#[test]
fn chains_that_lead_back_are_one_group() {
    for offset in [0u16, 32, 36, 65, 0xffff] {
        let mut w = words([0; 15]);
        w[0] = 0x2d;
        w[2..4].copy_from_slice(&offset.to_le_bytes());
        let m = message(0x2d, 0, &w, &[]);
        let groups = all(&m, "OPEN_ANDX request").len();
        assert_eq!(groups, 1, "{offset}");
    }
}

#[test]
fn dialects_are_listed() {
    let m = message(
        0x72,
        0,
        &[],
        b"\x02PC NETWORK PROGRAM 1.0\0\x02NT LM 0.12\0",
    );
    assert_eq!(
        all(&m, "Name"),
        ["PC NETWORK PROGRAM 1.0: index 0", "NT LM 0.12: index 1"]
    );
    assert_eq!(
        one(
            &message(0x72, REPLY, &words([0xffff]), &[]),
            "Dialect index"
        ),
        "65535"
    );
    let mut w = vec![0; 34];
    w[0] = 1;
    w[2] = 3;
    w[33] = 8;
    let bytes = [&[1, 2, 3, 4, 5, 6, 7, 8][..], &wide("DOM"), &wide("SRV")].concat();
    let m = with_status(message(0x72, REPLY, &w, &bytes), 0, 0x8000);
    assert_eq!(one(&m, "Challenge"), "8 bytes");
    assert_eq!(one(&m, "Domain name"), "DOM");
    assert_eq!(one(&m, "Server name"), "SRV");
    w[22] = 0x80; // extended security
    let m = message(0x72, REPLY, &w, &[7; 20]);
    assert_eq!(one(&m, "Server GUID"), "16 bytes");
    assert_eq!(one(&m, "Security blob"), "4 bytes");
    let mut w = words([0; 13]);
    w[22] = 8;
    let m = message(0x72, REPLY, &w, b"12345678DOM\0");
    assert_eq!(one(&m, "Primary domain"), "DOM");
}

#[test]
fn a_session_is_set_up_in_three_forms() {
    let mut w = words([0xff, 0, 4356, 50, 1, 0, 0, 1, 2, 0, 0, 0xd4, 0]);
    let bytes = [
        &[1, 2, 3][..],
        &wide("me"),
        &wide("GROUP"),
        &wide("OS"),
        &wide("LM"),
    ]
    .concat();
    // Bytes begin at 61; the passwords take three, so the name is aligned at 64.
    let m = with_status(message(0x73, 0, &w, &bytes), 0, 0x8000);
    assert_eq!(one(&m, "OEM password"), "1 bytes");
    assert_eq!(one(&m, "Unicode password"), "2 bytes");
    assert_eq!(one(&m, "Account name"), "me");
    assert_eq!(one(&m, "Primary domain"), "GROUP");
    assert_eq!(one(&m, "Native OS"), "OS");
    assert_eq!(one(&m, "Native LAN manager"), "LM");
    assert_eq!(one(&m, "Capabilities"), "0xd4");
    w.truncate(20);
    w[14] = 2;
    let m = message(0x73, 0, &w, b"PWme\0GROUP\0OS\0LM\0");
    assert_eq!(one(&m, "Account password"), "2 bytes");
    assert_eq!(one(&m, "Account name"), "me");
    let w = words([0xff, 0, 4356, 50, 1, 0, 0, 5, 0, 0, 0, 0x8000]);
    let m = message(0x73, 0, &w, b"NTLMSOS\0LM\0");
    assert_eq!(one(&m, "Security blob"), "5 bytes");
    assert_eq!(one(&m, "Native OS"), "OS");
    let m = message(0x73, REPLY, &words([0xff, 0, 1]), b"OS\0LM\0DOM\0");
    assert_eq!(one(&m, "Logged on as guest"), "1: yes");
    assert_eq!(one(&m, "Primary domain"), "DOM");
}

#[test]
fn trees_are_connected_old_and_new() {
    let m = message(0x70, 0, &[], b"\x04\\\\S\\C\0\x04secret\0\x04A:\0");
    assert_eq!(one(&m, "Path"), "\\\\S\\C");
    assert_eq!(one(&m, "Service"), "A:");
    assert_eq!(all(&m, "Buffer format"), ["4: string"; 3]);
    let bytes = [&[0][..], &wide("\\\\S\\C"), b"?????\0"].concat();
    // Bytes begin at 43, the password takes one.
    let m = with_status(message(0x75, 0, &words([0xff, 0, 8, 1]), &bytes), 0, 0x8000);
    assert_eq!(one(&m, "Path"), "\\\\S\\C");
    assert_eq!(one(&m, "Service"), "?????");
    let m = message(0x75, REPLY, &words([0xff, 0, 1]), b"IPC\0FAT\0");
    assert_eq!(one(&m, "Service"), "IPC");
    assert_eq!(one(&m, "Native file system"), "FAT");
}

#[test]
fn locks_are_listed_in_either_width() {
    let mut w = words([0xff, 0, 7, 0x0300, 0, 0, 1, 1]);
    w[6] = 0;
    let small = [[1u16, 2, 0, 3, 0], [4, 5, 0, 6, 0]].concat();
    let bytes: Vec<u8> = small.iter().flat_map(|v| v.to_le_bytes()).collect();
    let m = message(0x24, 0, &w, &bytes);
    assert_eq!(all(&m, "Unlock").len(), 1);
    assert_eq!(all(&m, "Offset"), ["2", "5"]);
    assert_eq!(all(&m, "Length"), ["3", "6"]);
    w[6] = 0x10;
    let m = message(0x24, 0, &w, &[1; 40]);
    assert_eq!(all(&m, "Length low").len(), 2);
    let m = message(0x24, 0, &w, &[1; 30]);
    assert_eq!(one(&m, "Further bytes"), "10 bytes", "one too few");
}

#[test]
fn searches_bring_entries_of_43_bytes() {
    let mut entry = vec![0; 43];
    entry[21] = 0x10;
    entry[24..26].copy_from_slice(&0x24acu16.to_le_bytes());
    entry[30..34].copy_from_slice(b"DIR\0");
    let bytes = [&[5, 43, 0][..], &entry].concat();
    let m = message(0x81, REPLY, &words([1]), &bytes);
    assert_eq!(one(&m, "File name"), "DIR");
    assert_eq!(one(&m, "Last write date"), "0x24ac: 1998-05-12");
    assert_eq!(one(&m, "Directory"), "1: yes");
    let m = message(0x81, 0, &words([10, 0x16]), b"\x04A:\\*.*\0\x05\0\0");
    assert_eq!(one(&m, "File name"), "A:\\*.*");
    assert_eq!(all(&m, "Buffer format"), ["4: string", "5: variable block"]);
}

#[test]
fn an_extended_create_has_more_words_than_it_says() {
    let mut w = vec![0; 84];
    w[0] = 0xff;
    w[5..7].copy_from_slice(&0x4007u16.to_le_bytes());
    let mut m = message(0xa2, REPLY, &w, &[]);
    m.truncate(33 + 84);
    m.extend([0; 16]);
    m.extend([0, 0]);
    assert_eq!(one(&m, "Word count"), "42: 50 words, in fact");
    assert_eq!(one(&m, "FID"), "0x4007");
    assert_eq!(one(&m, "Volume GUID"), "16 bytes");
    assert_eq!(one(&m, "Guest maximal access rights"), "0x0");
    assert_eq!(one(&m, "Byte count"), "0");
}

/// TRANSACTION2 or TRANSACTION; parameters and data behind one another from an even place.
fn transaction<const N: usize>(
    command: u8,
    name: &[u8],
    setup: [u16; N],
    parameters: &[u8],
    data: &[u8],
) -> Vec<u8> {
    let bytes_at = 33 + 28 + 2 * N + 2;
    let at = (bytes_at + name.len()).next_multiple_of(4);
    let count = |b: &[u8]| u16::try_from(b.len()).unwrap();
    let place = |n: usize| u16::try_from(n).unwrap();
    let mut w = words([
        count(parameters),
        count(data),
        10,
        1024,
        0,
        0,
        0,
        0,
        0,
        count(parameters),
        place(at),
        count(data),
        place(at + parameters.len()),
        place(N),
    ]);
    w.extend(words(setup));
    let mut bytes = name.to_vec();
    bytes.resize(at - bytes_at, 0);
    bytes.extend(parameters);
    bytes.extend(data);
    message(command, 0, &w, &bytes)
}

#[test]
fn find_first_shows_level_and_name() {
    let mut parameters = words([0x16, 512, 6, 0x104, 0, 0]);
    parameters.extend(b"\\*\0");
    let m = transaction(0x32, &[0], [1], &parameters, &[]);
    assert_eq!(one(&m, "Subcommand"), "0x1: TRANS2_FIND_FIRST2");
    assert_eq!(
        one(&m, "Information level"),
        "0x104: SMB_FIND_FILE_BOTH_DIRECTORY_INFO"
    );
    assert_eq!(one(&m, "File name"), "\\*");
    assert_eq!(one(&m, "Search count"), "512");
    assert_eq!(one(&m, "Return resume keys"), "1: yes");
}

#[test]
fn what_is_set_is_shown_by_its_level() {
    let parameters = words([7, 0x104, 0]);
    let m = transaction(0x32, &[0], [8], &parameters, &1000u64.to_le_bytes());
    assert_eq!(one(&m, "FID"), "0x7");
    assert_eq!(
        one(&m, "Information level"),
        "0x104: SMB_SET_FILE_END_OF_FILE_INFO"
    );
    assert_eq!(one(&m, "End of file"), "1000");
    let parameters = [&words([0x101, 0, 0])[..], b"A\0"].concat();
    let m = transaction(0x32, &[0], [6], &parameters, &[1; 40]);
    assert_eq!(all(&m, "Change time").len(), 1);
    let m = transaction(0x32, &[0], [8], &words([7, 0x7777, 0]), &[1; 5]);
    assert_eq!(one(&m, "Data"), "5 bytes", "an unknown level");
}

#[test]
fn responses_are_read_with_their_request() {
    let w = words([10, 4, 0, 10, 56, 0, 4, 68, 0, 0]);
    let bytes = [&[0][..], &words([9, 1, 1, 0, 0]), &[0, 0], &[7; 4]].concat();
    let m = message(0x32, REPLY, &w, &bytes);
    assert_eq!(one(&m, "Parameters"), "10 bytes: (request not known)");
    assert_eq!(
        answering(&m, Command::TRANSACTION2, 1, "Search ID"),
        ["0x9"]
    );
    assert_eq!(answering(&m, Command::TRANSACTION2, 1, "Data"), ["4 bytes"]);
    assert_eq!(
        answering(&m, Command::TRANSACTION2, 2, "Search count"),
        ["9"]
    );
    assert_eq!(
        answering(&m, Command::TRANSACTION2, 0x77, "Parameters"),
        ["10 bytes"]
    );
    let rap = super::super::rap::code(104);
    assert_eq!(with_code(&m, rap, "Entries returned"), ["1"]);
    assert_eq!(with_code(&m, rap, "Entries available"), ["0"]);
}

#[test]
fn calls_of_lan_manager_describe_themselves() {
    let mut parameters = 104u16.to_le_bytes().to_vec();
    parameters.extend(b"WrLehDz\0B16BBDz\0");
    parameters.extend(words([1, 4200, 0xffff, 0xffff]));
    parameters.extend(b"GROUP\0");
    let m = transaction(0x25, b"\\PIPE\\LANMAN\0", [], &parameters, &[]);
    assert_eq!(one(&m, "Name"), "\\PIPE\\LANMAN");
    assert_eq!(one(&m, "Function"), "104: NetServerEnum2");
    assert_eq!(one(&m, "Parameter descriptor"), "WrLehDz");
    assert_eq!(one(&m, "Information level"), "1");
    assert_eq!(one(&m, "Receive buffer length"), "4200");
    assert_eq!(one(&m, "Server type"), "0xffffffff");
    assert_eq!(one(&m, "Domain"), "GROUP");
}

#[test]
fn setups_of_pipes_and_mailslots() {
    let m = transaction(0x25, b"\\PIPE\\\0", [0x26, 7], &[], &[1, 2]);
    assert_eq!(one(&m, "Subcommand"), "0x26: TRANS_TRANSACT_NMPIPE");
    assert_eq!(one(&m, "FID"), "0x7");
    let m = transaction(0x25, b"\\PIPE\\x\0", [0x53, 1], &[], &[]);
    assert_eq!(one(&m, "Priority"), "0x1");
    let m = transaction(0x25, b"\\MAILSLOT\\x\0", [1, 1, 2], &[], &[1, 2]);
    assert_eq!(one(&m, "Mailslot opcode"), "1: TRANS_MAILSLOT_WRITE");
    assert_eq!(one(&m, "Class"), "0x2: unreliable");
    assert_eq!(one(&m, "Data"), "2 bytes");
}

#[test]
fn secondaries_name_what_they_bring() {
    let w = words([4, 500, 0, 0, 0, 4, 53, 100, 7]);
    let m = message(0x33, 0, &w, &[1, 2, 3, 4]);
    assert_eq!(one(&m, "Data displacement"), "100");
    assert_eq!(one(&m, "FID"), "0x7");
    assert_eq!(one(&m, "Data"), "4 bytes");
}

#[test]
fn counts_beyond_the_message_are_survived() {
    let mut m = transaction(0x32, &[0], [1], &words([0; 6]), &[1; 8]);
    for at in [51, 53, 55, 57] {
        for value in [0u16, 1, 33, 70, 0x7fff, 0xffff] {
            let kept = [m[at], m[at + 1]];
            m[at..at + 2].copy_from_slice(&value.to_le_bytes());
            let fields = testing::fields(&DISSECTOR, Input::whole(&m));
            assert_eq!(end(&fields), m.len(), "{at} {value}");
            m[at..at + 2].copy_from_slice(&kept);
        }
    }
}

#[test]
fn nt_transactions_show_function_and_changes() {
    let mut w = vec![0; 38];
    w[35] = 4;
    w[36] = 4;
    w.extend([3, 0, 0, 0, 7, 0, 1, 0]);
    let m = message(0xa0, 0, &w, &[]);
    assert_eq!(one(&m, "Function"), "4: NT_TRANSACT_NOTIFY_CHANGE");
    assert_eq!(one(&m, "Completion filter"), "0x3");
    assert_eq!(one(&m, "Watch tree"), "1");
    let name = &wide("a.txt")[..10];
    let mut changes = Vec::new();
    for (next, action) in [(24u32, 1u32), (0, 3)] {
        changes.extend(next.to_le_bytes());
        changes.extend(action.to_le_bytes());
        changes.extend(10u32.to_le_bytes());
        changes.extend(name);
        changes.extend([0, 0]);
    }
    changes.truncate(46);
    let mut w = vec![0; 36];
    w[3] = 46;
    w[11] = 46;
    w[15] = 72;
    let m = message(0xa0, REPLY, &w, &[&[0], &changes[..]].concat());
    assert_eq!(
        answering(&m, Command::NT_TRANSACT, 4, "File name"),
        ["a.txt", "a.txt"]
    );
    assert_eq!(
        answering(&m, Command::NT_TRANSACT, 4, "Action"),
        ["1: FILE_ACTION_ADDED", "3: FILE_ACTION_MODIFIED"]
    );
}

#[test]
fn unknown_commands_and_forms_show_words_and_bytes() {
    let m = message(0x62, 0, &words([1, 2]), &[9; 3]);
    assert_eq!(all(&m, "Command 0x62 request").len(), 1);
    assert_eq!(all(&m, "Word"), ["0x1", "0x2"]);
    assert_eq!(one(&m, "Further bytes"), "3 bytes");
    let odd = message(0x0a, 0, &words([1, 2, 3]), &[]);
    assert_eq!(all(&odd, "Word").len(), 3);
    let mut trailing = message(0x62, 0, &[], &[]);
    trailing.extend([1, 2]);
    assert_eq!(one(&trailing, "Trailing bytes"), "2 bytes");
    let bare = message(0x62, 0, &[], &[])[..33].to_vec();
    assert_eq!(all(&bare, "Byte count").len(), 0);
}

#[test]
fn names_with_control_characters_are_text() {
    let m = message(0x06, 0, &words([0]), b"\x04a\x1b[2J\n\0");
    assert_eq!(one(&m, "File name"), "a\u{1b}[2J\n");
    let unpaired = [&[4][..], &[0x00, 0xd8, 0, 0]].concat();
    let m = with_status(message(0x06, 0, &words([0]), &unpaired), 0, 0x8000);
    assert_eq!(one(&m, "File name"), "\u{fffd}");
}

#[test]
fn what_a_pipe_carries_is_left_to_its_protocol() {
    let pdu = [5, 0, 17, 3, 0x10, 0, 0, 0, 16, 0, 0, 0, 1, 0, 0, 0];
    let m = transaction(0x25, b"\\PIPE\\\0", [0x26, 7], &[], &pdu);
    let fields = testing::fields(&DISSECTOR, Input::whole(&m));
    assert_eq!(end(&fields), m.len() - 16);
    assert!(fields.iter().all(|f| f.name != "Data"));
    assert_eq!(fields.last().unwrap().value, Value::Bytes(&[0, 0]));
    let w = words([0xff, 0, 7, 0, 0, 0, 0, 8, 16, 0, 16, 63, 0, 0]);
    let m = message(0x2f, 0, &w, &pdu);
    let fields = testing::fields(&DISSECTOR, Input::whole(&m));
    assert_eq!(end(&fields), m.len() - 16);
}

proptest! {
    #[test]
    fn any_words_and_bytes_are_described(
        command in prop::sample::select(vec![
            0x04u8, 0x0a, 0x0b, 0x1d, 0x24, 0x25, 0x26, 0x27, 0x2c, 0x2d, 0x2e, 0x2f, 0x32, 0x33,
            0x62, 0x72, 0x73, 0x75, 0x81, 0xa0, 0xa1, 0xa2, 0xc3,
        ]),
        reply: bool,
        flags2: u16,
        tail in prop::collection::vec(any::<u8>(), 0..160),
        more in 0u32..70_000,
        asked in prop::sample::select(vec![
            0x8000_0132u32, 0x8000_0232, 0x8000_04a0, 0x8000_2325, 0xc000_6825, 0xc000_0025,
        ]),
    ) {
        let mut m = message(command, if reply { REPLY } else { 0 }, &[], &[]);
        m.truncate(32);
        m[10..12].copy_from_slice(&flags2.to_le_bytes());
        m.extend(tail);
        testing::fields(&DISSECTOR, Input::whole(&m));
        let length = u32::try_from(m.len()).unwrap();
        testing::fields(&DISSECTOR, Input { bytes: &m, length: length + more });
        let asked = Asked {
            operation: Command::TRANSACTION.operation(),
            code: asked,
            asked: 0,
            file: None,
        };
        let mut f = Fields::new(Input::whole(&m), Some(asked));
        let _ = (DISSECTOR.fields)(&mut f);
        let mut at = 0;
        for field in f.finish().iter().filter(|f| f.is_whole()) {
            prop_assert_eq!(field.start, at);
            at = field.end;
        }
    }

    #[test]
    fn a_wrong_byte_loses_no_other(
        which in 0usize..5,
        at in 4usize..100,
        with: u8,
        cut in 0usize..20,
    ) {
        let pdu = [5, 0, 17, 3, 0x10, 0, 0, 0, 16, 0, 0, 0, 1, 0, 0, 0];
        let w = words([0xff, 0, 7, 0, 0, 0, 0, 8, 16, 0, 16, 63, 0, 0]);
        let mut m = match which {
            0 => transaction(0x25, b"\\MAILSLOT\\BROWSE\0", [1, 1, 2], &[], &[1; 9]),
            1 => transaction(0x25, b"\\PIPE\\\0", [0x26, 7], &[], &pdu),
            2 => message(0x2f, 0, &w, &pdu),
            3 => transaction(0x32, &[0], [6], &[1, 1, 0, 0, 0, 0, b'A', 0], &[1; 40]),
            _ => transaction(0x25, b"\\PIPE\\LANMAN\0", [], b"\x68\0WrLeh\0B13\0\x01\0\x02\0", &[]),
        };
        let place = at.min(m.len() - 1);
        m[place] = with;
        testing::fields(&DISSECTOR, Input::whole(&m));
        let length = u32::try_from(m.len()).unwrap();
        let kept = &m[..m.len() - cut];
        testing::fields(&DISSECTOR, Input { bytes: kept, length });
    }

    #[test]
    fn the_header_is_that_of_the_parse(bytes: [u8; 28], more in 0usize..20) {
        let mut m = b"\xffSMB".to_vec();
        m.extend(bytes);
        m.extend(vec![0; more]);
        let fields = testing::fields(&DISSECTOR, Input::whole(&m));
        let h = super::super::Header::parse(Input::whole(&m)).unwrap();
        let number = |name| testing::number(&fields, name);
        prop_assert_eq!(number("Command"), Some(h.command.0.into()));
        prop_assert_eq!(number("Flags"), Some(h.flags.into()));
        prop_assert_eq!(number("Flags2"), Some(h.flags2.into()));
        prop_assert_eq!(number("Tree ID"), h.tid.map(u64::from));
        prop_assert_eq!(number("User ID"), h.uid.map(u64::from));
        prop_assert_eq!(number("Multiplex ID"), h.mid.map(u64::from));
        let pid = h.pid.map(u64::from);
        let shown = number("Process ID high").zip(number("Process ID"));
        prop_assert_eq!(shown.map(|(high, low)| high << 16 | low), pid);
        let status = number("Status").or_else(|| {
            let class = number("Error class")?;
            Some(class | u64::from(m[6]) << 8 | number("Error code")? << 16)
        });
        prop_assert_eq!(status, Some(h.status.into()));
    }
}

//! What the fields of messages are, from bytes of the specification.

use super::*;
use crate::smb2::testing::{CREATE_READ_CLOSE, compound, hex, message, with};
use crate::smb2::{DISSECTOR, RELATED, SIGNED};
use crate::testing;
use proptest::prelude::*;
use wirewait_wire::{Field, Value};

/// Checked for tiling and every prefix.
fn read(bytes: &[u8]) -> Vec<Field<'_>> {
    let fields = testing::fields(&DISSECTOR, Input::whole(bytes));
    let end = fields.iter().map(|f| f.end).max();
    assert_eq!(end, u32::try_from(bytes.len()).ok(), "the whole message");
    assert!(fields.iter().all(|f| f.value != Value::Cut), "{fields:#?}");
    fields
}

/// Names, values and meanings of the fields from this heading on, bits left out.
fn rows(fields: &[Field<'_>], heading: &str) -> Vec<String> {
    let from = fields.iter().position(|f| f.name == heading).unwrap();
    let depth = fields[from].depth;
    let below = fields[from + 1..].iter().take_while(|f| f.depth > depth);
    below.filter(|f| f.mask == 0).map(row).collect()
}

fn row(field: &Field<'_>) -> String {
    let mut row = format!("{}=", field.name);
    row.push_str(&match &field.value {
        Value::Heading => ":".to_owned(),
        Value::Decimal(number) => number.to_string(),
        Value::Hex(number) => format!("{number:#x}"),
        Value::Bytes(bytes) => bytes.iter().map(|b| format!("{b:02x}")).collect(),
        Value::Text(text) => text.clone(),
        Value::Cut => "cut".to_owned(),
    });
    if !field.meaning.is_empty() {
        row = format!("{row} ({})", field.meaning);
    }
    row
}

fn set(fields: &[Field<'_>], number: &str) -> Vec<String> {
    let at = fields.iter().position(|f| f.name == number).unwrap();
    let bits = fields[at + 1..].iter().take_while(|f| f.mask != 0);
    bits.filter(|f| f.meaning == "set")
        .map(|f| f.name.to_string())
        .collect()
}

/// A buffer of 16-bit characters.
fn wide(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

#[test]
fn the_header_of_a_request_and_of_a_response() {
    let m = message(0x0d, SIGNED | 0x20, 17, &[4, 0, 0, 0]);
    let fields = read(&m);
    assert_eq!(
        rows(&fields, "SMB2 header"),
        [
            "ProtocolId=FE 'SMB'",
            "StructureSize=64",
            "CreditCharge=1",
            "ChannelSequence=0",
            "Reserved=0",
            "Command=13 (ECHO)",
            "CreditRequest=31",
            "Flags=0x28",
            "NextCommand=0",
            "MessageId=17",
            "ProcessId=0xfeff",
            "TreeId=0x7",
            "SessionId=0x40000000025",
            "Signature=00000000000000000000000000000000",
        ]
    );
    assert_eq!(set(&fields, "Flags"), ["SIGNED"]);
    assert_eq!(testing::number(&fields, "PRIORITY_MASK"), Some(2));
    assert_eq!(
        rows(&fields, "ECHO request"),
        ["StructureSize=4", "Reserved=0"]
    );

    let pending = hex("09 00 00 00 00000000 00");
    let m = message(command::CHANGE_NOTIFY, RESPONSE | ASYNC, 5, &pending);
    let m = with(with(m, 8, &[3, 1, 0, 0]), 32, &[9, 0, 0, 0, 0, 0, 0, 0]);
    let fields = read(&m);
    assert!(rows(&fields, "SMB2 header").contains(&"Status=0x103 (STATUS_PENDING)".into()));
    assert!(rows(&fields, "SMB2 header").contains(&"AsyncId=0x9".into()));
    assert_eq!(
        rows(&fields, "ERROR response to CHANGE_NOTIFY"),
        [
            "StructureSize=9",
            "ErrorContextCount=0",
            "Reserved=0",
            "ByteCount=0",
            "ErrorData=00"
        ]
    );
}

#[test]
fn every_part_of_a_compound_has_its_header_and_body() {
    let m = hex(CREATE_READ_CLOSE);
    let fields = read(&m);
    let groups: Vec<_> = fields
        .iter()
        .filter(|f| f.depth == 0)
        .map(|f| (f.name.to_string(), f.start, f.end))
        .collect();
    assert_eq!(
        groups,
        [
            ("SMB2 header".into(), 0, 64),
            ("CREATE request".into(), 64, 144),
            ("SMB2 header".into(), 144, 208),
            ("READ request".into(), 208, 264),
            ("SMB2 header".into(), 264, 328),
            ("CLOSE request".into(), 328, 352),
        ]
    );
    assert_eq!(
        rows(&fields, "CREATE request"),
        [
            "StructureSize=57",
            "SecurityFlags=0",
            "RequestedOplockLevel=0x0 (NONE)",
            "ImpersonationLevel=2 (Impersonation)",
            "SmbCreateFlags=0x0",
            "Reserved=0",
            "DesiredAccess=0x80000000",
            "FileAttributes=0x80",
            "ShareAccess=0x7",
            "CreateDisposition=1 (OPEN)",
            "CreateOptions=0x40",
            "NameOffset=120",
            "NameLength=20",
            "CreateContextsOffset=0",
            "CreateContextsLength=0",
            "FileName=data4m.bin",
            "Padding=00000000",
        ]
    );
    assert_eq!(set(&fields, "DesiredAccess"), ["GENERIC_READ"]);
    assert_eq!(set(&fields, "ShareAccess"), ["READ", "WRITE", "DELETE"]);
    assert_eq!(set(&fields, "CreateOptions"), ["NON_DIRECTORY_FILE"]);
    assert_eq!(
        rows(&fields, "READ request"),
        [
            "StructureSize=49",
            "Padding=80 (where the data should begin in the response)",
            "Flags=0x0",
            "Length=4096",
            "Offset=0",
            "FileId=:",
            "Persistent=0xffffffffffffffff (of the part before, or none)",
            "Volatile=0xffffffffffffffff",
            "MinimumCount=0",
            "Channel=0 (NONE)",
            "RemainingBytes=0",
            "ReadChannelInfoOffset=0",
            "ReadChannelInfoLength=0",
            "Further bytes=0000000000000000",
        ]
    );
}

#[test]
fn create_contexts_are_told_apart_by_name() {
    // 2.2.13: name at 120, contexts behind it at 128: MxAc without data, RqLs of version 1.
    let mut body = vec![0; 56];
    body[..2].copy_from_slice(&[57, 0]);
    body[44..48].copy_from_slice(&[120, 0, 2, 0]);
    body[48..52].copy_from_slice(&128u32.to_le_bytes());
    body[52..56].copy_from_slice(&80u32.to_le_bytes());
    body.extend(wide("a"));
    body.extend([0; 6]);
    // Next, NameOffset, NameLength, Reserved, DataOffset, DataLength, name, padding.
    body.extend(hex(
        "18000000 1000 0400 0000 0000 00000000 4d784163 00000000",
    ));
    body.extend(hex(
        "00000000 1000 0400 0000 1800 20000000 52714c73 00000000",
    ));
    body.extend([0x11; 16]);
    body.extend(hex("07000000 00000000 0000000000000000"));
    let m = message(command::CREATE, 0, 3, &body);
    let fields = read(&m);
    let rows = rows(&fields, "CREATE request");
    let from = rows.iter().position(|r| r == "FileName=a").unwrap();
    assert_eq!(
        rows[from..],
        [
            "FileName=a",
            "Padding=000000000000",
            "Create context=:",
            "Next=24",
            "NameOffset=16",
            "NameLength=4",
            "Reserved=0",
            "DataOffset=0",
            "DataLength=0",
            "Name=MxAc (QUERY_MAXIMAL_ACCESS)",
            "Padding=00000000",
            "Create context=:",
            "Next=0",
            "NameOffset=16",
            "NameLength=4",
            "Reserved=0",
            "DataOffset=24",
            "DataLength=32",
            "Name=RqLs (LEASE)",
            "Padding=00000000",
            "LeaseKey=11111111111111111111111111111111",
            "LeaseState=0x7",
            "LeaseFlags=0x0",
            "LeaseDuration=0",
        ]
    );
}

#[test]
fn negotiate_contexts_are_shown_one_by_one() {
    // 2.2.3: two dialects; contexts at 104: one hash, then two ciphers.
    let mut body = hex("2400 0200 0100 0000 7f000000");
    body.extend(hex("78563412 3412 7856 0102030405060708"));
    body.extend(hex("68000000 0200 0000 0203 1103"));
    body.extend(hex("0100 0800 00000000 0100 0200 0100 aabb"));
    body.extend(hex("0200 0600 00000000 0200 0200 0100"));
    let m = message(command::NEGOTIATE, 0, 0, &body);
    let fields = read(&m);
    let rows = rows(&fields, "NEGOTIATE request");
    assert_eq!(
        rows[5..],
        [
            "ClientGuid=12345678-1234-5678-0102-030405060708",
            "NegotiateContextOffset=104",
            "NegotiateContextCount=2",
            "Reserved2=0",
            "Dialects=:",
            "Dialect=0x302 (SMB 3.0.2)",
            "Dialect=0x311 (SMB 3.1.1)",
            "Negotiate context=:",
            "ContextType=0x1 (PREAUTH_INTEGRITY_CAPABILITIES)",
            "DataLength=8",
            "Reserved=0",
            "HashAlgorithmCount=1",
            "SaltLength=2",
            "HashAlgorithm=1 (SHA-512)",
            "Salt=aabb",
            "Negotiate context=:",
            "ContextType=0x2 (ENCRYPTION_CAPABILITIES)",
            "DataLength=6",
            "Reserved=0",
            "CipherCount=2",
            "Cipher=2 (AES-128-GCM)",
            "Cipher=1 (AES-128-CCM)",
        ]
    );
}

#[test]
fn each_lock_and_each_change_is_shown() {
    let mut body = hex("3000 0200 15000000");
    body.extend([5; 16]);
    body.extend(hex("0100000000000000 0200000000000000 12000000 00000000"));
    body.extend(hex("0300000000000000 0400000000000000 04000000 00000000"));
    let m = message(command::LOCK, 0, 3, &body);
    let fields = read(&m);
    assert_eq!(testing::number(&fields, "LockSequenceNumber"), Some(5));
    assert_eq!(testing::number(&fields, "LockSequenceIndex"), Some(1));
    let elements = fields.iter().filter(|f| f.name == "Lock element").count();
    assert_eq!(elements, 2);

    let mut body = hex("0900 4800 28000000");
    body.extend(hex("14000000 03000000 06000000"));
    body.extend(wide("new"));
    body.extend([0; 2]);
    body.extend(hex("00000000 05000000 08000000"));
    body.extend(wide("name"));
    let m = message(command::CHANGE_NOTIFY, RESPONSE, 3, &body);
    let fields = read(&m);
    assert_eq!(
        rows(&fields, "CHANGE_NOTIFY response")[3..],
        [
            "Change=:",
            "NextEntryOffset=20",
            "Action=3 (MODIFIED)",
            "FileNameLength=6",
            "FileName=new",
            "Padding=0000",
            "Change=:",
            "NextEntryOffset=0",
            "Action=5 (RENAMED_NEW_NAME)",
            "FileNameLength=8",
            "FileName=name",
        ]
    );
}

#[test]
fn buffers_that_lie_are_left_out_or_cut_short() {
    // A WRITE whose data begins inside its body, and one whose data ends behind it.
    for (offset, shown) in [(80u16, "Further bytes"), (112, "Data")] {
        let mut body = vec![0; 48 + 16];
        body[0] = 49;
        body[2..4].copy_from_slice(&offset.to_le_bytes());
        body[4..8].copy_from_slice(&u32::MAX.to_le_bytes());
        let m = message(command::WRITE, 0, 3, &body);
        let fields = read(&m);
        assert_eq!(fields.last().unwrap().name, shown);
    }
}

#[test]
fn a_body_ends_with_its_part() {
    // A CLOSE of which NextCommand leaves 8 bytes of body.
    let close = message(command::CLOSE, 0, 3, &[24, 0, 0, 0, 0, 0, 0, 0]);
    let echo = message(0x0d, RELATED, 4, &[4, 0, 0, 0]);
    let m = compound(&[close, echo]);
    let fields = testing::fields(&DISSECTOR, Input::whole(&m));
    let cut = fields.iter().position(|f| f.value == Value::Cut).unwrap();
    assert_eq!(
        (fields[cut].name.as_ref(), fields[cut].end),
        ("Persistent", 72)
    );
    assert_eq!(fields[cut + 1].name, "SMB2 header");
    assert_eq!(fields.last().unwrap().end, 140);
}

#[test]
fn the_error_of_a_symbolic_link_names_its_target() {
    // 2.2.2.2.1, relative: SubstituteName "ab" behind PrintName "c".
    let mut body = hex("0900 00 00 22000000");
    body.extend(hex("1e000000 53594d4c 0c0000a0 1200 0000"));
    body.extend(hex("0200 0400 0000 0200 01000000"));
    body.extend(wide("cab"));
    let m = message(command::CREATE, RESPONSE, 3, &body);
    let m = with(m, 8, &0x8000_002du32.to_le_bytes());
    let fields = read(&m);
    let rows = rows(&fields, "Symbolic link error");
    assert_eq!(rows[9..], ["Flags=0x1", "PrintName=c", "SubstituteName=ab"]);
}

#[test]
fn encrypted_messages_are_shown_as_far_as_they_show() {
    let mut m = hex("fd534d42 978f9c9819651b6c13e59c231fccefec
        0100000000000000bedbf50000000000 04000000 0000 0100 ff959ebd00000000 5a5a5a5a");
    m.extend(m.clone());
    let fields = read(&m);
    assert_eq!(testing::number(&fields, "OriginalMessageSize"), Some(4));
    assert_eq!(testing::number(&fields, "SessionId"), Some(0xbd9e_95ff));
    let data: Vec<_> = fields
        .iter()
        .filter(|f| f.name == "Encrypted data")
        .collect();
    assert_eq!(data.len(), 2);
    assert_eq!((data[1].start, data[1].end), (108, 112));
}

#[test]
fn compressed_messages_show_what_stands_in_the_clear() {
    let head = message(0x0d, 0, 1, &[4, 0, 0, 0]);
    let size = u32::try_from(head.len()).unwrap().to_le_bytes();
    let mut one = hex("fc534d42 00100000 0200 0000");
    one.extend(size);
    one.extend(&head);
    one.extend([0x11; 9]);
    let fields = read(&one);
    assert_eq!(
        rows(&fields, "ECHO request"),
        ["StructureSize=4", "Reserved=0"]
    );
    assert_eq!(fields.last().unwrap().name, "Compressed data");

    let mut chain = hex("fc534d42 00100000 0000 0100");
    chain.extend(size);
    chain.extend(&head);
    chain.extend(hex("0400 0000 08000000 aa 00 0000 00100000"));
    chain.extend(hex("0500 0000 06000000 00020000 1122"));
    let fields = read(&chain);
    assert_eq!(
        rows(&fields, "ECHO request"),
        ["StructureSize=4", "Reserved=0"]
    );
    assert_eq!(testing::number(&fields, "Repetitions"), Some(4096));
    assert_eq!(testing::number(&fields, "OriginalPayloadSize"), Some(512));
}

#[test]
fn what_is_wrapped_in_a_compressed_message_is_not_unwrapped_again() {
    // Each level would be another call: 4000 of them end no stack.
    let level = hex("fc534d42 00100000 0200 0000 ffffffff");
    let m = level.repeat(4000);
    let mut f = Fields::new(Input::whole(&m), None);
    assert_eq!(fields(&mut f), Some(()));
}

proptest! {
    #[test]
    fn fields_are_those_of_the_header(
        bytes in prop::collection::vec(any::<u8>(), 64..120),
        command in 0u16..0x15,
        flags in prop_oneof![0u32..16, any::<u32>()],
    ) {
        let m = with(bytes, 0, b"\xfeSMB\x40\0");
        let m = with(m, 12, &command.to_le_bytes());
        let m = with(m, 16, &flags.to_le_bytes());
        let h = Header::parse(Input::whole(&m)).unwrap();
        let fields = testing::fields(&DISSECTOR, Input::whole(&m));
        let number = |name| testing::number(&fields, name);
        prop_assert_eq!(number("CreditCharge"), Some(h.credit_charge.into()));
        prop_assert_eq!(number("Command"), Some(h.command.into()));
        prop_assert_eq!(number("Flags"), Some(h.flags.into()));
        prop_assert_eq!(number("NextCommand"), h.next.map(u64::from));
        prop_assert_eq!(number("MessageId"), h.message);
        prop_assert_eq!(number("AsyncId"), h.async_id);
        prop_assert_eq!(number("TreeId"), h.tree.map(u64::from));
        prop_assert_eq!(number("SessionId"), h.session);
        let (status, credits) = if h.has(RESPONSE) {
            (Some(h.status), "CreditResponse")
        } else {
            (None, "CreditRequest")
        };
        prop_assert_eq!(number("Status"), status.map(u64::from));
        prop_assert_eq!(number(credits), Some(h.credits.into()));
    }

    #[test]
    fn any_body_is_shown_once(
        command in 0u16..0x15,
        response: bool,
        size in prop_oneof![
            Just(9u8), Just(16), Just(17), Just(24), Just(25), Just(33), Just(36),
            Just(41), Just(44), Just(49), Just(57), Just(60), Just(65), Just(89)
        ],
        mut body in prop::collection::vec(prop_oneof![0u8..8, any::<u8>()], 2..300),
        unasked: bool,
    ) {
        body[0] = size;
        body[1] = 0;
        let id = if unasked { u64::MAX } else { 7 };
        let m = message(command, u32::from(response), id, &body);
        testing::fields(&DISSECTOR, Input::whole(&m));
    }

    #[test]
    fn any_wrapping_is_shown_once(
        bytes in prop::collection::vec(prop_oneof![0u8..3, any::<u8>()], 20..250),
        compressed: bool,
    ) {
        let first = if compressed { b"\xfcSMB" } else { b"\xfdSMB" };
        let m = with(bytes, 0, first);
        testing::fields(&DISSECTOR, Input::whole(&m));
    }
}

//! Each form and meaning, with bytes and words written down beside it.

use super::*;
use crate::field_tables;
use crate::{Input, Value};

fn shown(table: &[Param], bytes: &[u8]) -> Vec<(String, String)> {
    shown_by(describe, table, bytes)
}

fn shown_by(
    read: fn(&mut Fields<'_>, &[Param]) -> Option<()>,
    table: &[Param],
    bytes: &[u8],
) -> Vec<(String, String)> {
    let mut f = Fields::new(Input::whole(bytes), None);
    let _ = read(&mut f, table);
    let fields = f.finish();
    fields
        .into_iter()
        .map(|field| {
            let value = match field.value {
                Value::Heading => "-".into(),
                Value::Decimal(n) => n.to_string(),
                Value::Hex(n) => format!("{n:#x}"),
                Value::Bytes(bytes) => format!("{bytes:?}"),
                Value::Text(text) => text,
                Value::Cut => "cut".into(),
            };
            (field.name.into_owned(), value + " " + &field.meaning)
        })
        .collect()
}

fn pairs(rows: &[(&str, &str)]) -> Vec<(String, String)> {
    rows.iter()
        .map(|(a, b)| ((*a).into(), (*b).into()))
        .collect()
}

#[test]
fn numbers_in_both_orders_codes_flags_and_dates() {
    let table = [
        be16("High"),
        le16("Low"),
        u8("Code").one_of(&[(7, "seven")]),
        u8("Bits").flags(&[(1, "One"), (2, "Two")]),
        be16("Date").dos_date("none"),
        be16("Time").dos_time(""),
    ];
    // 1 March 1999, 09:05:06.
    let bytes = [1, 2, 1, 2, 7, 2, 0x26, 0x61, 0x48, 0xa3];
    assert_eq!(
        shown(&table, &bytes),
        pairs(&[
            ("High", "258 "),
            ("Low", "513 "),
            ("Code", "7 seven"),
            ("Bits", "0x2 "),
            ("One", "0 no"),
            ("Two", "1 yes"),
            ("Date", "0x2661 1999-03-01"),
            ("Time", "0x48a3 09:05:06"),
        ])
    );
}

#[test]
fn values_that_are_not_listed() {
    const ONE: ValueNames = &[(1, "one")];
    let table = [
        u8("Some named").codes(ONE),
        u8("All named").one_of(ONE),
        u8("Others").codes_or(ONE, "ms"),
        u8("Unit").means("bytes"),
        le16("Hexadecimal").hex().codes(ONE),
    ];
    assert_eq!(
        shown(&table, &[9, 9, 9, 1, 1, 0]),
        pairs(&[
            ("Some named", "9 "),
            ("All named", "9 not known"),
            ("Others", "9 ms"),
            ("Unit", "1 bytes"),
            ("Hexadecimal", "0x1 one"),
        ])
    );
}

#[test]
fn bits_of_several_kinds() {
    const BITS: &[Bit] = &[
        Bit::Flag(0x01, "Flag"),
        Bit::Of(0x06, "Mode", &[(2, "two")]),
        Bit::Number(0xf0, "Count"),
    ];
    assert_eq!(
        shown(
            &[u8("Bits").bits(BITS), u8("Set").set_of(&[(1, "One")])],
            &[0x34, 0]
        ),
        pairs(&[
            ("Bits", "0x34 "),
            ("Flag", "0 no"),
            ("Mode", "2 two"),
            ("Count", "3 "),
            ("Set", "0x0 "),
            ("One", "0 not set"),
        ])
    );
}

#[test]
fn times_of_other_clocks() {
    let table = [
        le16("Date").dos_date("not given"),
        le16("Time").dos_time("local"),
        le32("Seconds").local_seconds(),
        le64("Ticks").file_time(),
        le16("Zone").zone(),
    ];
    let mut bytes = vec![0, 0, 0x7d, 0x88];
    bytes.extend(951_827_696u32.to_le_bytes());
    bytes.extend(1u64.to_le_bytes());
    bytes.extend((-60i16).to_le_bytes());
    let meanings: Vec<String> = {
        let mut f = Fields::new(Input::whole(&bytes), None);
        describe(&mut f, &table).unwrap();
        f.finish().into_iter().map(|x| x.meaning).collect()
    };
    assert_eq!(
        meanings,
        [
            "not given",
            "17:03:58 local",
            "2000-02-29 12:34:56 local",
            "1601-01-01T00:00:00.0000001Z",
            "-60 minutes from local time to UTC",
        ]
    );
}

#[test]
fn names_groups_and_forms_of_one_protocol() {
    fn twice(f: &mut Fields<'_>, one: &'static str) -> Option<()> {
        f.u8(one)?;
        f.u8("Two").map(|_| ())
    }
    let table = [
        name("Short"),
        long_name("Long"),
        group("Group", const { &[text(2, "Text"), custom("One", twice)] }),
        reserved(1),
        rest("Rest"),
    ];
    assert_eq!(
        shown(&table, b"\x03DIR\x02\0\xc3\xa9A\0\x01\x02\0\x09"),
        pairs(&[
            ("Length", "3 of Short"),
            ("Short", "DIR "),
            ("Length", "2 of Long"),
            ("Long", "\u{e9} "),
            ("Group", "- "),
            ("Text", "A "),
            ("One", "1 "),
            ("Two", "2 "),
            ("Reserved", "[0] "),
            ("Rest", "[9] "),
        ])
    );
}

#[test]
fn counts_that_lie_end_with_the_packet() {
    let table = [u8("Count"), repeat("Item", const { &[be16("Number")] })];
    assert_eq!(
        shown(&table, &[200, 0, 1, 0, 2]),
        pairs(&[
            ("Count", "200 "),
            ("Item", "- "),
            ("Number", "1 "),
            ("Item", "- "),
            ("Number", "2 "),
        ])
    );
    let table = [be16("Count"), counted("Data")];
    let shown = shown(&table, &[9, 9, 1]);
    assert_eq!(shown[1], ("Data".into(), "[1] ".into()));
}

#[test]
fn one_row_answers_its_number() {
    let mut f = Fields::new(Input::whole(&[1, 2, 3]), None);
    assert_eq!(be16("Number").hex().read(&mut f), Some(0x0102));
    assert_eq!(bytes(1, "Bytes").read(&mut f), Some(0));
    assert_eq!(u8("Behind").read(&mut f), None);
}

#[test]
fn what_an_older_version_leaves_out_is_not_cut_off() {
    let table = [le16("One"), le32("Two"), u8("Three")];
    assert_eq!(shown(&table, &[1, 0, 2])[1].1, "cut ");
    assert_eq!(
        shown_by(describe_present, &table, &[1, 0, 2]),
        pairs(&[("One", "1 ")])
    );
}

#[test]
fn tables_by_one_code_or_two() {
    struct Command(u8);
    impl Command {
        const OPEN: Self = Self(2);
        const CLOSE: Self = Self(4);
    }
    static NUMBERED: &[CodedTable] = field_tables! {
        1 | 3 => [u8("One")];
        7 / 1 | 2 => [le16("Two"), name("Name")];
    };
    static NAMED: &[CodedTable] = field_tables! {
        Command;
        OPEN | CLOSE / 5 => [le64("Eight")];
    };
    let length = |code, second| find(&[NUMBERED, NAMED], code, second).map(CodedTable::length);
    assert_eq!(length(3, None), Some(1));
    assert_eq!(length(3, Some(1)), None);
    assert_eq!(length(7, Some(2)), Some(2));
    assert_eq!(length(7, None), None);
    assert_eq!(length(4, Some(5)), Some(8));
}

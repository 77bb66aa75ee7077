//! The fields of an NCP packet, as a detail pane shows them.

mod names;
mod nds;
mod params;
mod replies;
mod requests;

pub(super) use params::OLD_STYLE;

use super::functions::UNKNOWN;
use super::functions::{self, subfunction_offset};
use super::nds::FUNCTION as FRAGMENT;
use super::status::{self, Function};
use super::{CREATE, Header, asked_function, burst};
use wirewait_wire::Fields;
use wirewait_wire::table;

/// Describes a whole packet.
pub(super) fn fields(f: &mut Fields<'_>) -> Option<()> {
    let [high, low, ..] = *f.peek() else {
        return f.be16("Packet type").map(|_| ());
    };
    let packet_type = u16::from_be_bytes([high, low]);
    match packet_type {
        0x7777 => return burst::fields(f),
        0x4c69 => return echo(f),
        _ => {}
    }
    f.be16("Packet type")?;
    f.hex();
    let Some(name) = packet_type_name(packet_type) else {
        f.rest("Data")?;
        return Some(());
    };
    f.means(name);
    f.u8("Sequence number")?;
    let low = f.u8("Connection number low")?;
    f.u8("Task number")?;
    let high = f.u8("Connection number high")?;
    f.means(format_args!(
        "connection {}",
        u16::from_be_bytes([high, low])
    ));
    match packet_type {
        0x2222 => request(f),
        0x3333 => reply(f),
        0x9999 => {
            completion(f, None)?;
            rest(f, "Data")
        }
        0xbbbb | 0x3e3e => notice(f, packet_type),
        _ => {
            f.u8("Function code")?;
            f.means("none: the packet type says all");
            rest(f, "Data")
        }
    }
}

/// What a packet of this type is.
pub(super) const fn packet_type_name(packet_type: u16) -> Option<&'static str> {
    Some(match packet_type {
        0x1111 => "create service connection",
        0x2222 => "service request",
        0x3333 => "service reply",
        0x5555 => "destroy service connection",
        0x7777 => "packet burst",
        0x9999 => "request being processed",
        0xbbbb => "server broadcast",
        0x3e3e => "watchdog",
        0x4c69 => "LIP echo",
        _ => return None,
    })
}

fn echo(f: &mut Fields<'_>) -> Option<()> {
    f.be16("Packet type")?;
    f.hex().means("\"Li\", the start of \"LIP Echo Data\"");
    rest(f, "Padding")
}

fn request(f: &mut Fields<'_>) -> Option<()> {
    let function = f.u8("Function code")?;
    let subfunction = match subfunction_offset(function) {
        None => {
            name(f, function, None);
            None
        }
        Some(at) => {
            if let Some(family) = functions::family(function) {
                f.means(family);
            }
            if at == 9 {
                f.be16("Subfunction structure length")?;
            }
            let subfunction = f.u8("Subfunction code")?;
            name(f, function, Some(subfunction));
            Some(subfunction)
        }
    };
    if (function, subfunction) == (FRAGMENT.0, Some(FRAGMENT.1)) {
        return nds::request(f);
    }
    match requests::find(function, subfunction, f.input().length) {
        Some(layout) => {
            table::describe(f, layout.params)?;
            rest(f, "Trailing bytes")
        }
        None => rest(f, "Parameters"),
    }
}

fn name(f: &mut Fields<'_>, function: u8, subfunction: Option<u8>) {
    let found = functions::find(function, subfunction);
    if std::ptr::eq(found, &UNKNOWN) {
        f.means("not known");
    } else {
        f.means(found.name);
    }
}

fn reply(f: &mut Fields<'_>) -> Option<()> {
    let code = f.asked().map(|asked| asked.code);
    let offset = f.asked().and_then(|asked| asked.file?.offset);
    let completion = completion(f, code)?;
    let asked = code.filter(|_| completion == 0).and_then(asked_function);
    if asked == Some(Function(FRAGMENT.0, FRAGMENT.1)) {
        return nds::reply(f, code.is_some_and(|code| code >> 16 != 0));
    }
    let layout = asked.and_then(|Function(function, subfunction)| {
        replies::find(
            function,
            subfunction_offset(function).map(|_| subfunction),
            offset,
        )
    });
    if let Some(layout) = layout {
        table::describe(f, layout.params)?;
        return rest(f, "Trailing bytes");
    }
    let any = f.left() > 0;
    rest(f, "Data")?;
    if any && code.is_none() {
        f.means("request not known");
    }
    Some(())
}

/// The completion code, and the connection status behind it. `code` is that of the request.
fn completion(f: &mut Fields<'_>, code: Option<u32>) -> Option<u8> {
    let completion = f.u8("Completion code")?;
    let status = match code {
        Some(CREATE) => status::refused(completion),
        code => status::status(completion, code.and_then(asked_function)),
    };
    f.hex().means(status.name.unwrap_or("not known"));
    f.u8("Connection status")?;
    f.hex();
    for (bit, name) in [
        (Header::BAD_CONNECTION, "Bad service connection"),
        (Header::SERVER_DOWN, "Server down"),
        (Header::MESSAGE_WAITING, "Broadcast message pending"),
    ] {
        f.flag(bit.into(), name, "yes", "no");
    }
    Some(completion)
}

/// A server's broadcast or a watchdog packet: both have a reply's header and a character
/// that says what they want.
fn notice(f: &mut Fields<'_>, packet_type: u16) -> Option<()> {
    completion(f, None)?;
    f.u8("Slot")?;
    let what = f.u8("Signature character")?;
    f.hex().means(match (packet_type, what) {
        (0xbbbb, b'!') => "message waiting",
        (0xbbbb, b'$') => "clear op-lock",
        (0x3e3e, b'?') => "is the station still there?",
        (0x3e3e, b'Y') => "it is",
        _ => "not known",
    });
    if (packet_type, what) == (0xbbbb, b'$') {
        f.be32("File handle")?;
        f.hex();
    }
    rest(f, "Data")
}

/// What is left of the packet, if anything is.
pub(super) fn rest(f: &mut Fields<'_>, name: &'static str) -> Option<()> {
    f.rest(name).map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::super::{DISSECTOR, exchange, open_file};
    use crate::testing;
    use proptest::prelude::*;
    use wirewait_wire::{Asked, Field, Fields, File, Input, Value};

    /// The fields of a reply to this request.
    fn answered<'a>(request: &[u8], reply: &'a [u8]) -> Vec<Field<'a>> {
        let part = exchange(Input::whole(request)).unwrap();
        let x = part.exchange.unwrap();
        let asked = Asked {
            operation: x.operation,
            code: x.code,
            asked: x.asked,
            file: x.file,
        };
        let mut fields = Fields::new(Input::whole(reply), Some(asked));
        let _ = super::fields(&mut fields);
        fields.finish()
    }

    fn text<'a>(fields: &'a [Field<'_>], name: &str) -> &'a str {
        match &fields.iter().find(|f| f.name == name).unwrap().value {
            Value::Text(text) => text,
            other => panic!("{other:?}"),
        }
    }

    fn meaning<'a>(fields: &'a [Field<'_>], name: &str) -> &'a str {
        &fields.iter().find(|f| f.name == name).unwrap().meaning
    }

    #[test]
    fn a_request_is_taken_apart_to_its_end() {
        // Keyed login of user GUEST: key, object type, name.
        let login = *b"\x22\x22\x05\x03\x02\0\x17\0\x10\x18KEYKEYKE\0\x01\x05GUEST";
        let fields = testing::fields(&DISSECTOR, Input::whole(&login));
        assert_eq!(meaning(&fields, "Connection number high"), "connection 3");
        assert_eq!(meaning(&fields, "Subfunction code"), "KEYED OBJECT LOGIN");
        assert_eq!(
            testing::number(&fields, "Subfunction structure length"),
            Some(16)
        );
        assert_eq!(meaning(&fields, "Object type"), "user");
        assert_eq!(text(&fields, "Object name"), "GUEST");
        assert_eq!(fields.last().unwrap().end, 26);
    }

    #[test]
    fn a_rename_has_the_names_behind_both_places() {
        let rename = *b"\x22\x22\0\x01\x02\0\x57\x04\0\x01\x06\0\0\xa6\x01\0\0\x01\x01\0\
                        \xa6\x01\0\0\x01\x01\x03OLD\x03NEW";
        let fields = testing::fields(&DISSECTOR, Input::whole(&rename));
        let rows: Vec<_> = fields.iter().map(|f| f.name.as_ref()).collect();
        let at = rows.iter().position(|name| *name == "Source path").unwrap();
        assert_eq!(
            rows[at..],
            [
                "Source path",
                "Length",
                "Component",
                "Destination path",
                "Length",
                "Component"
            ]
        );
        assert_eq!(text(&fields, "Component"), "OLD");
    }

    #[test]
    fn a_reply_is_read_by_its_request() {
        let mut read = *b"\x22\x22\x11\x03\x02\x01H\0\0\0\x04\0\0\0\0\0\x10\0\x04\0";
        let reply = *b"\x33\x33\x11\x03\x02\x01\0\x40\0\x03abc";
        let fields = answered(&read, &reply);
        assert_eq!(testing::number(&fields, "Bytes read"), Some(3));
        assert_eq!(
            testing::number(&fields, "Broadcast message pending"),
            Some(1)
        );
        assert_eq!(fields.last().unwrap().value, Value::Bytes(b"abc"));
        // The same from an odd offset.
        read[17] = 1;
        let padded = *b"\x33\x33\x11\x03\x02\x01\0\0\0\x03\0abc";
        let fields = answered(&read, &padded);
        assert_eq!(fields.last().unwrap().value, Value::Bytes(b"abc"));

        let fields = testing::fields(&DISSECTOR, Input::whole(&reply));
        assert_eq!(meaning(&fields, "Data"), "request not known");
        let failed = *b"\x33\x33\x11\x03\x02\x01\x88\0xyz";
        let fields = answered(&read, &failed);
        assert_eq!(meaning(&fields, "Completion code"), "invalid file handle");
        assert_eq!(fields.last().unwrap().value, Value::Bytes(b"xyz"));
    }

    #[test]
    fn file_information_in_the_old_style_has_everything() {
        let search =
            *b"\x22\x22\x0f\x01\x02\0\x57\x03\0\0\x06\x80\xff\x0f\0\0\0\0\0\0\0\0\0\0\0\x02\xff*";
        // What a server answered: a file of 3 bytes, created on 20 November 2026 at 05:12:20
        // by object 1.
        let mut reply = b"\x33\x33\x0f\x01\x02\0\0\0\0\xa6\x01\0\0\0\x03\0\0\0".to_vec();
        reply.extend([
            3, 0, 0, 0, 0x20, 0, 0, 0, 0x20, 0, 3, 0, 0, 0, 3, 0, 0, 0, 1, 0,
        ]);
        reply.extend([
            0x8a, 0x29, 0x74, 0x5d, 0, 0, 0, 1, 0x8a, 0x29, 0x74, 0x5d, 0, 0, 0, 1,
        ]);
        reply.extend([0x74, 0x5d]);
        reply.extend([0; 38]);
        reply.extend(b"\x07F30.TXT");
        let fields = answered(&search, &reply);
        assert_eq!(testing::number(&fields, "Data stream size"), Some(3));
        assert_eq!(testing::number(&fields, "Creator ID"), Some(1));
        assert_eq!(meaning(&fields, "Creation date"), "2026-11-20");
        assert_eq!(meaning(&fields, "Creation time"), "05:12:20");
        assert_eq!(text(&fields, "File name"), "F30.TXT");
        let searched = testing::fields(&DISSECTOR, Input::whole(&search));
        assert_eq!(text(&searched, "Search pattern"), "*", "0xFF before it");
        // In function 89 the length of the name has two bytes.
        let search = *b"\x22\x22\x0f\x01\x02\0\x59\x03\0\0\x06\x80\xff\x0f\0\0";
        let mut long = reply.clone();
        let name = long.len() - 7;
        long.insert(name, 0);
        let fields = answered(&search, &long);
        assert_eq!(text(&fields, "File name"), "F30.TXT");
        assert_eq!(fields.last().unwrap().name, "File name");
        let search =
            *b"\x22\x22\x0f\x01\x02\0\x57\x03\0\0\x06\x80\xff\x0f\0\0\0\0\0\0\0\0\0\0\0\x02\xff*";
        // The new style is shorter, or has no name where the old one ends.
        let fields = answered(&search, &reply[..60]);
        assert_eq!(
            meaning(&fields, "NetWare information"),
            "what it holds is said in the request"
        );
    }

    #[test]
    fn nds_shows_the_verb_and_the_result() {
        let mut read = b"\x22\x22\x09\x03\x02\0\x68\x02\xff\xff\xff\xff".to_vec();
        for number in [512u32, 40, 0, 3, 4096, 0, 0, u32::MAX, 0x0002_9fa1, 1, 0, 1] {
            read.extend(number.to_le_bytes());
        }
        let fields = testing::fields(&DISSECTOR, Input::whole(&read));
        assert_eq!(meaning(&fields, "Verb"), "NDS READ");
        assert_eq!(testing::number(&fields, "Entry ID"), Some(0x0002_9fa1));
        assert_eq!(testing::number(&fields, "Attribute count"), Some(1));
        let mut reply = b"\x33\x33\x09\x03\x02\0\0\0".to_vec();
        for number in [8, 7, -603i32] {
            reply.extend(number.to_le_bytes());
        }
        let fields = answered(&read, &reply);
        assert_eq!(meaning(&fields, "Result"), "-603, no such attribute");
        read[8] = 7;
        let fields = testing::fields(&DISSECTOR, Input::whole(&read));
        assert_eq!(
            meaning(&fields, "Fragment handle"),
            "of a request that began before"
        );
    }

    #[test]
    fn notices_and_watchdogs_say_what_they_want() {
        let notice = *b"\xbb\xbb\0\x03\0\0\0\0\x03$\xa1\xb2\xc3\xd4";
        let fields = testing::fields(&DISSECTOR, Input::whole(&notice));
        assert_eq!(meaning(&fields, "Signature character"), "clear op-lock");
        assert_eq!(testing::number(&fields, "File handle"), Some(0xa1b2_c3d4));
        let watchdog = *b"\x3e\x3e\0\x06\0\0\0\0\x06?";
        let fields = testing::fields(&DISSECTOR, Input::whole(&watchdog));
        assert_eq!(
            meaning(&fields, "Signature character"),
            "is the station still there?"
        );
        let fields = testing::fields(&DISSECTOR, Input::whole(b"LiP Echo Data"));
        assert_eq!(fields.len(), 2);
        let fields = testing::fields(&DISSECTOR, Input::whole(b"\x12\x34\x56"));
        assert_eq!(fields.len(), 2, "none of NCP's packets");
    }

    proptest! {
        /// What pairing reads of a request is what its fields show.
        #[test]
        fn fields_are_those_that_pairing_reads(
            function in prop::sample::select(vec![
                (26u8, 0u8), (28, 0), (30, 0), (59, 0), (66, 0), (71, 0), (72, 0), (73, 0), (74, 0),
                (75, 0), (85, 0), (109, 0), (87, 31), (87, 34), (87, 43), (87, 44), (87, 64),
                (87, 65), (87, 66), (87, 67), (87, 68), (87, 69), (87, 70), (87, 71), (87, 72),
                (87, 73),
            ]),
            body in prop::collection::vec(any::<u8>(), 50..90),
        ) {
            let mut bytes = vec![0x22, 0x22, 5, 3, 2, 0, function.0];
            if function.0 == 87 {
                bytes.push(function.1);
            }
            bytes.extend(body);
            let input = Input::whole(&bytes);
            let fields = testing::fields(&DISSECTOR, input);
            let read = open_file::request(function.0, function.1, input);
            let handle = fields
                .iter()
                .find(|f| f.name == "File handle" || f.name == "Source file handle")
                .unwrap();
            let last_four = &bytes[handle.end as usize - 4..handle.end as usize];
            let shown = File {
                handle: u32::from_be_bytes(last_four.try_into().unwrap()).into(),
                offset: ["File offset", "Start offset", "Starting offset", "Source file offset"]
                    .iter()
                    .find_map(|name| testing::number(&fields, name)),
            };
            prop_assert_eq!(read.file, Some(shown));
            let asked = ["Bytes to read", "Bytes to copy", "Bytes to write"]
                .iter()
                .find_map(|name| testing::number(&fields, name));
            if let Some(asked) = asked {
                prop_assert!(read.asked <= asked, "{} of {}", read.asked, asked);
            }
        }

        /// Requests and replies of every function in any bytes: each byte in one field.
        #[test]
        fn any_request_and_reply_is_covered(
            function: u8,
            subfunction: u8,
            body in prop::collection::vec(any::<u8>(), 0..60),
            code in prop_oneof![any::<u32>(), any::<u16>().prop_map(u32::from)],
        ) {
            let mut request = vec![0x22, 0x22, 5, 3, 2, 0, function];
            match super::subfunction_offset(function) {
                Some(9) => request.extend([0, 9, subfunction]),
                Some(_) => request.push(subfunction),
                None => {}
            }
            request.extend(&body);
            testing::fields(&DISSECTOR, Input::whole(&request));
            let mut reply = vec![0x33, 0x33, 5, 3, 2, 0, 0, 0];
            reply.extend(&body);
            let part = exchange(Input::whole(&request)).unwrap();
            let x = part.exchange.unwrap();
            for code in [code, x.code] {
                let asked = Asked { operation: x.operation, code, asked: 0, file: None };
                let mut fields = Fields::new(Input::whole(&reply), Some(asked));
                let _ = super::fields(&mut fields);
                let mut at = 0;
                for field in fields.finish().iter().filter(|field| field.is_whole()) {
                    prop_assert_eq!(field.start, at, "{:?}", field);
                    at = field.end;
                }
                prop_assert_eq!(at as usize, reply.len());
            }
        }
    }
}

//! The names in requests: who logs in, volumes, files.

use super::detail::OLD_STYLE;
use super::path::{self, Shape};
use super::status::Function;
use super::{Header, Message, Packet, asked_function};
use crate::parse::le32;
use wirewait_wire::{Asked, Input, Names, Naming, Text};

/// Whether a request may name something.
pub(super) const fn has_some(function: u8, subfunction: u8) -> bool {
    path::place(function, subfunction).is_some() || login(function, subfunction).is_some()
}

/// Tells them.
pub(super) fn tell(input: Input<'_>, names: Names<'_>) {
    let Ok(Packet::Service(Header {
        message: Message::Request {
            function,
            subfunction,
        },
        ..
    })) = Packet::parse(input)
    else {
        return;
    };
    let subfunction = subfunction.unwrap_or(0);
    if let Some(at) = login(function, subfunction) {
        if let Some((name, _)) = input
            .bytes
            .get(at..)
            .and_then(|bytes| path::component(Shape::Name, bytes))
        {
            names(Naming::User, Text::Bytes(name));
        }
        return;
    }
    let Some((shape, count, rest)) = path::components(function, subfunction, input.bytes) else {
        return;
    };
    let Some((first, _)) = path::component(shape, rest).filter(|_| count > 0) else {
        return;
    };
    // A path from the root begins with its volume: SYS:PUBLIC.
    if let Some(colon) = first.iter().position(|byte| *byte == b':') {
        names(Naming::Share, Text::Bytes(&first[..colon]));
    }
    let pattern = path::is_pattern(function, subfunction, input.bytes);
    if let Some(path) = path::with_wildcards((shape, count, rest), pattern) {
        return names(Naming::Path, Text::Bytes(&path));
    }
    names(
        Naming::Path,
        Text::Components {
            count,
            wide: shape == Shape::LongPath,
            bytes: rest,
        },
    );
}

/// Tells the name in the answer to an open that gave only the directory entry (NCP 87 1 and the others like it, with the bit
/// "File name" in what is to be returned).
pub(super) fn tell_opened(input: Input<'_>, asked: &Asked, names: Names<'_>) {
    let name = asked_function(asked.code)
        .and_then(|Function(function, subfunction)| opened(function, subfunction, input));
    if let Some(name) = name {
        names(Naming::Path, Text::Bytes(name));
    }
}

/// Where the information on the file begins in the answer to an open.
const INFORMATION: usize = 14;
/// In it: the name space of its creator, in one byte with three of 0 behind it, and the name.
const CREATOR_SPACE: usize = INFORMATION + 72;
const NAME: usize = INFORMATION + OLD_STYLE as usize;
/// Name spaces are numbered up to here.
const SPACES: u32 = 10;

/// The name that an answer brings in the old style of the information, which has a place for everything, asked for or not.
/// Only the request says of which style it is, and which parts the new one has: what is no name up to the end of the packet is
/// taken for none.
fn opened(function: u8, subfunction: u8, input: Input<'_>) -> Option<&[u8]> {
    let shape = match (function, subfunction) {
        (87, 1 | 30 | 32 | 33) => Shape::Name,
        (89, 1 | 30 | 32 | 33) => Shape::LongName,
        _ => return None,
    };
    let space = le32(input.bytes, CREATOR_SPACE)?;
    let (name, behind) = path::component(shape, input.bytes.get(NAME..)?)?;
    let whole = input.bytes.len() - behind.len() == input.length as usize;
    let is_text = !name.is_empty() && name.iter().all(|byte| *byte >= b' ');
    (space <= SPACES && whole && is_text).then_some(name)
}

/// Where the name of who logs in stands, from the packet type: behind the object type of
/// LOGIN OBJECT, and behind the key and object type of KEYED OBJECT LOGIN (NCP 23 20, 23 24).
const fn login(function: u8, subfunction: u8) -> Option<usize> {
    match (function, subfunction) {
        (23, 20) => Some(12),
        (23, 24) => Some(20),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A request of connection 3: type, sequence, connection, task, connection, function.
    fn told(function: u8, rest: &[u8]) -> Vec<(Naming, String)> {
        let mut m = vec![0x22, 0x22, 9, 3, 1, 0, function];
        m.extend(rest);
        let mut found = Vec::new();
        tell(Input::whole(&m), &mut |naming, text| {
            found.push((naming, text.to_string()));
        });
        found
    }

    #[test]
    fn a_volume_and_a_file() {
        let open = told(76, b"\0\0\0\x06SYS:AB");
        assert_eq!(open.len(), 2, "{open:?}");
        assert_eq!(open[0], (Naming::Share, "SYS".to_owned()));
        assert_eq!(open[1], (Naming::Path, "SYS:AB".to_owned()));
        assert_eq!(told(76, b"\0\0\0\x02AB"), [(Naming::Path, "AB".to_owned())]);
        assert_eq!(told(76, b"\0\0\0\x05AB"), [], "cut off");
        assert_eq!(told(66, b"\0\0\0\x02AB"), [], "has none");
    }

    #[test]
    fn components_of_a_path() {
        let mut rest = vec![6];
        rest.resize(22 - 7, 0);
        rest[0] = 6;
        rest.extend(b"\x02\x03DIR\x01F");
        assert_eq!(told(87, &rest), [(Naming::Path, "DIR/F".to_owned())]);
    }

    #[test]
    fn a_rename_has_its_names_behind_both_places() {
        let rename = b"\x04\0\x01\x06\0\0\xa6\x01\0\0\x01\x01\0\xa6\x01\0\0\x01\x01\x03OLD\x03NEW";
        assert_eq!(told(87, rename), [(Naming::Path, "OLD".to_owned())]);
    }

    #[test]
    fn who_logs_in() {
        let mut rest = vec![0, 16, 24];
        rest.extend([7; 8]);
        rest.extend([0, 1]);
        rest.extend(b"\x05GUEST");
        assert_eq!(told(23, &rest), [(Naming::User, "GUEST".to_owned())]);
    }

    /// What functions 87 and 89 are answered that open the file of a directory entry: handle, action, flags, the 76 bytes of
    /// the old style, and its name.
    fn opened_by(function: u8, subfunction: u8, name: &[u8]) -> Vec<u8> {
        let mut reply = b"\x33\x33\x09\x03\x01\0\0\0\x01\x02\x03\x04\x01\0".to_vec();
        // Sizes, dates and objects, whatever they are; the file was created in name space 4.
        reply.extend((1..=72).chain([4, 0, 0, 0]));
        let length = [name.len() as u8, 0];
        reply.extend(&length[..if function == 89 { 2 } else { 1 }]);
        reply.extend(name);
        assert!(matches!(subfunction, 1 | 30 | 32 | 33));
        reply
    }

    fn told_of_reply(function: u8, subfunction: u8, input: Input<'_>) -> Vec<(Naming, String)> {
        let asked = Asked {
            operation: &crate::ncp::REPLY,
            code: crate::ncp::request_code(function, Some(subfunction)),
            asked: 0,
            file: None,
        };
        let mut found = Vec::new();
        tell_opened(input, &asked, &mut |naming, text| {
            found.push((naming, text.to_string()));
        });
        found
    }

    #[test]
    fn the_answer_to_an_open_names_the_file() {
        let named = [(Naming::Path, "LEDGER.DAT".to_owned())];
        for function in [87, 89] {
            for subfunction in [1, 30, 32, 33] {
                let reply = opened_by(function, subfunction, b"LEDGER.DAT");
                let input = Input::whole(&reply);
                assert_eq!(told_of_reply(function, subfunction, input), named);
                // Cut off anywhere, by the capture or the sender.
                for n in 0..reply.len() {
                    let cut = Input {
                        bytes: &reply[..n],
                        length: input.length,
                    };
                    assert_eq!(told_of_reply(function, subfunction, cut), []);
                    let short = Input::whole(&reply[..n]);
                    assert_eq!(told_of_reply(function, subfunction, short), []);
                }
                assert_eq!(told_of_reply(function, 6, input), [], "opens nothing");
                assert_eq!(told_of_reply(66, 0, input), [], "opens nothing");
            }
        }
    }

    #[test]
    fn what_is_no_name_in_an_answer_is_taken_for_none() {
        let told = |reply: &[u8]| told_of_reply(87, 1, Input::whole(reply));
        assert_eq!(told(&opened_by(87, 1, b"")), [], "not asked for");
        assert_eq!(told(&opened_by(87, 1, b"A\x01B")), []);
        // More behind it: a part that the new style has.
        let mut more = opened_by(87, 1, b"A.TXT");
        more.extend([0; 4]);
        assert_eq!(told(&more), []);
        // There are fewer name spaces than that: something else stands there.
        let mut other = opened_by(87, 1, b"A.TXT");
        other[CREATOR_SPACE + 2] = 1;
        assert_eq!(told(&other), []);
    }

    /// Shells write wildcards behind 0xFF, with their high bit or without it.
    #[test]
    fn wildcards_are_those_that_a_person_types() {
        let searched = told(64, b"\0\0\x01\x06\x06\xff*\xff.\xff?");
        assert_eq!(searched, [(Naming::Path, "*.?".to_owned())]);
        let searched = told(64, b"\0\0\x01\x06\x06\xff\xaa.T\xbfT");
        assert_eq!(searched, [(Naming::Path, "*.T?T".to_owned())]);
        // What is no pattern has no character without 0xFF.
        let opened = told(76, b"\0\0\0\x02\xaaA");
        assert_eq!(opened, [(Naming::Path, "\u{aa}A".to_owned())]);
        let erased = told(68, b"\x01\x06\x05\xff\xaa.\xff*");
        assert_eq!(erased, [(Naming::Path, "*.*".to_owned())]);
        let mut rest = vec![8];
        rest.resize(18 - 7, 0);
        rest.extend(b"\x02\x03DIR\x03\xff*F");
        assert_eq!(told(87, &rest), [(Naming::Path, "DIR/*F".to_owned())]);
    }
}

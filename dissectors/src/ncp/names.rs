//! The names in requests: who logs in, volumes, files.

use super::path::{self, Shape};
use super::{Header, Message, Packet};
use wirewait_wire::{Input, Names, Naming, Text};

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
    names(
        Naming::Path,
        Text::Components {
            count,
            wide: shape == Shape::LongPath,
            bytes: rest,
        },
    );
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
}

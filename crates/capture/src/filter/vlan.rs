//! VLAN tags (IEEE 802.1Q) in front of what a filter looks at.

use wirewait_wire::LinkType;

/// Bytes of a tag.
pub(crate) const TAG: usize = 4;

/// Types of a tag that Linux takes off: of customers and of providers.
const TYPES: [[u8; 2]; 2] = [[0x81, 0x00], [0x88, 0xa8]];

/// Whether an expression has the word `vlan`.
pub(crate) fn is_named(expression: &str) -> bool {
    let in_word = |letter: char| letter.is_alphanumeric() || "._-".contains(letter);
    expression
        .split(|letter| !in_word(letter))
        .any(|word| word == "vlan")
}

/// The expression that matches behind one tag, too, where tags are not taken off.
pub(crate) fn also_behind_a_tag(expression: &str) -> Option<String> {
    let empty = expression.trim().is_empty();
    (!empty && !is_named(expression))
        .then(|| format!("({expression}) or (vlan and ({expression}))"))
}

/// Where the outermost tag of a frame is.
pub(super) fn tag(link: LinkType, bytes: &[u8]) -> Option<usize> {
    let place = match link {
        LinkType::ETHERNET => 12,
        LinkType::LINUX_SLL => 14,
        _ => return None,
    };
    let kind = bytes.get(place..place + TAG)?.first_chunk()?;
    TYPES.contains(kind).then_some(place)
}

/// The frame without the tag at `place`.
pub(super) fn without<'a>(bytes: &[u8], place: usize, room: &'a mut Vec<u8>) -> &'a [u8] {
    room.clear();
    room.extend_from_slice(bytes.get(..place).unwrap_or_default());
    room.extend_from_slice(bytes.get(place + TAG..).unwrap_or_default());
    room
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_is_found_as_a_word() {
        for (expression, named) in [
            ("vlan", true),
            ("not vlan", true),
            ("(vlan 5) or udp", true),
            ("host vlan.example.org", false),
            ("tcp port 445", false),
            ("", false),
        ] {
            assert_eq!(is_named(expression), named, "{expression}");
        }
        assert_eq!(also_behind_a_tag(" "), None);
        assert_eq!(also_behind_a_tag("vlan 5"), None);
        let both = also_behind_a_tag("udp or arp").unwrap();
        assert_eq!(both, "(udp or arp) or (vlan and (udp or arp))");
    }
}

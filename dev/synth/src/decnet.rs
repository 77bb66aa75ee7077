//! DECnet Phase IV: routing headers and NSP messages, as a public capture of DEC's PHONE shows
//! them. All fields are little-endian.

use crate::bytes::{Put, len16};
use crate::ethernet::Mac;

/// The EtherType.
pub const TYPE: u16 = 0x6003;

/// The station address that a node takes.
#[must_use]
pub const fn mac(node: u16) -> Mac {
    let [low, high] = node.to_le_bytes();
    [0xaa, 0, 4, 0, low, high]
}

/// What stands in front of data.
#[derive(Clone, Copy, Debug)]
pub struct Routing {
    /// The node that it is for: area in the upper 6 bits, number in the lower 10.
    pub to: u16,
    /// The node that sent it.
    pub from: u16,
    /// Routers passed.
    pub visits: u8,
    /// Padding bytes in front of the flags.
    pub padding: u8,
    /// The long format, as endnodes on Ethernet use it.
    pub long: bool,
}

/// A data packet, with the length in front.
#[must_use]
pub fn packet(h: Routing, data: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(32 + data.len());
    out.le16(0);
    if h.padding > 0 {
        out.u8(0x80 | h.padding).zeros(usize::from(h.padding) - 1);
    }
    if h.long {
        out.u8(0x2e).zeros(2).put(&mac(h.to));
        out.zeros(2).put(&mac(h.from));
        out.u8(0).u8(h.visits).zeros(2);
    } else {
        out.u8(0x02).le16(h.to).le16(h.from).u8(h.visits);
    }
    out.put(data);
    let length = (len16(&out) - 2).to_le_bytes();
    out[..2].copy_from_slice(&length);
    out
}

/// First bytes of NSP messages.
pub mod message {
    /// A middle piece of data; [`FIRST`] and [`LAST`] are added to it.
    pub const DATA: u8 = 0x00;
    /// Begins a message.
    pub const FIRST: u8 = 0x20;
    /// Ends one.
    pub const LAST: u8 = 0x40;
    /// Flow control.
    pub const LINK_SERVICE: u8 = 0x10;
    /// Acknowledges data.
    pub const DATA_ACK: u8 = 0x04;
    /// Acknowledges flow control.
    pub const OTHER_ACK: u8 = 0x14;
    /// The request for a link has arrived.
    pub const CONNECT_ACK: u8 = 0x24;
    /// Asks for a link.
    pub const CONNECT_INITIATE: u8 = 0x18;
    /// Grants it.
    pub const CONNECT_CONFIRM: u8 = 0x28;
    /// Ends it.
    pub const DISCONNECT_INITIATE: u8 = 0x38;
    /// So it is.
    pub const DISCONNECT_CONFIRM: u8 = 0x48;
}

/// The acknowledgement of everything up to this number.
#[must_use]
pub const fn ack(number: u16) -> u16 {
    0x8000 | number & 0x0fff
}

/// The segment behind this number is wanted again.
#[must_use]
pub const fn nak(number: u16) -> u16 {
    0x9000 | number & 0x0fff
}

/// The acknowledgement of everything up to this number, in a message of the other subchannel.
#[must_use]
pub const fn cross(number: u16) -> u16 {
    0xa000 | number & 0x0fff
}

/// An NSP message: its first byte, the receiver's number of the link and the sender's, further
/// words, and what follows.
#[must_use]
pub fn nsp(kind: u8, (to, from): (u16, u16), words: &[u16], data: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(5 + 2 * words.len() + data.len());
    out.u8(kind).le16(to);
    // An acknowledgement of a connect does not name its sender.
    if kind != message::CONNECT_ACK {
        out.le16(from);
    }
    for word in words {
        out.le16(*word);
    }
    out.put(data);
    out
}

/// What follows the link numbers when a link is asked for: no flow control, version 4.0, the
/// largest segment, and the program by its name.
#[must_use]
pub fn initiate(segment: u16, object: &str, user: &str) -> Vec<u8> {
    let mut out = vec![0x01, 0x02];
    out.le16(segment);
    out.put(&[1, 0])
        .u8(object.len() as u8)
        .put(object.as_bytes());
    out.put(&[1, 0]).u8(user.len() as u8).put(user.as_bytes());
    out.u8(0);
    out
}

/// What follows when it is granted.
#[must_use]
pub fn confirm(segment: u16) -> Vec<u8> {
    let mut out = vec![0x01, 0x02];
    out.le16(segment).u8(0);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_of_a_real_capture() {
        let short = Routing {
            to: 0x0401,
            from: 0x0401,
            visits: 0,
            padding: 0,
            long: false,
        };
        let link = (0x2003, 0x2004);
        assert_eq!(
            packet(short, &nsp(message::CONNECT_ACK, link, &[], &[])),
            [9, 0, 2, 1, 4, 1, 4, 0, 0x24, 3, 0x20]
        );
        assert_eq!(
            packet(
                short,
                &nsp(message::DATA_ACK, link, &[ack(1), cross(1)], &[])
            ),
            [
                0x0f, 0, 2, 1, 4, 1, 4, 0, 4, 3, 0x20, 4, 0x20, 1, 0x80, 1, 0xa0
            ]
        );
        let only = message::FIRST | message::LAST;
        assert_eq!(
            packet(short, &nsp(only, link, &[ack(1), cross(1), 1], &[1])),
            [
                0x12, 0, 2, 1, 4, 1, 4, 0, 0x60, 3, 0x20, 4, 0x20, 1, 0x80, 1, 0xa0, 1, 0, 1
            ]
        );
    }

    #[test]
    fn long_packets_and_padding() {
        let long = Routing {
            to: 0x0405,
            from: 0x0409,
            visits: 2,
            padding: 3,
            long: true,
        };
        let out = packet(long, &[7]);
        assert_eq!(out.len(), 2 + 3 + 21 + 1);
        assert_eq!(out[..6], [25, 0, 0x83, 0, 0, 0x2e]);
        assert_eq!(out[8..14], [0xaa, 0, 4, 0, 5, 4]);
        assert_eq!(out[23], 2, "visits");
    }
}

//! NetBIOS over IPX: session packets, as captures of Windows for Workgroups show them.

use crate::bytes::{Put, len16};

/// The socket of both ends.
pub const SOCKET: u16 = 0x0455;

/// Destination connection number while it is not known.
pub const UNKNOWN: u16 = 0xffff;

/// Bits of the connection control byte.
pub mod flag {
    /// Carries no number of its own.
    pub const SYSTEM: u8 = 0x80;
    /// An acknowledgement is wanted.
    pub const ACK_WANTED: u8 = 0x40;
    /// The message ends here.
    pub const END_OF_MESSAGE: u8 = 0x10;
    /// Send again from the number that is expected.
    pub const RESEND: u8 = 0x08;
    /// Microsoft sets it while a session is opened.
    pub const MICROSOFT: u8 = 0x01;
}

/// Data stream types.
pub mod stream {
    /// Who has this name?
    pub const FIND_NAME: u8 = 1;
    /// The answer to it.
    pub const NAME_RECOGNIZED: u8 = 2;
    /// Opening, data and acknowledgements.
    pub const DATA: u8 = 6;
    /// The session ends.
    pub const END: u8 = 7;
    /// So it does.
    pub const END_ACK: u8 = 8;
}

/// What stands before the data.
#[derive(Clone, Copy, Debug, Default)]
pub struct Header {
    /// Bits of [`flag`].
    pub control: u8,
    /// Of [`stream`].
    pub stream: u8,
    /// The sender's number for the connection.
    pub source: u16,
    /// The receiver's.
    pub destination: u16,
    /// Number of this packet, or of the next one in a system packet.
    pub sequence: u16,
    /// Bytes of the whole message.
    pub total: u16,
    /// Where in it the data belongs.
    pub offset: u16,
    /// The number expected next.
    pub expects: u16,
}

/// A session packet: 18 bytes and the data.
#[must_use]
pub fn session(h: Header, data: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(18 + data.len());
    out.u8(h.control).u8(h.stream).le16(h.source);
    out.le16(h.destination).le16(h.sequence).le16(h.total);
    out.le16(h.offset).le16(len16(data)).le16(h.expects).le16(0);
    out.put(data);
    out
}

/// The data of the packets that open a session: who to whom, the largest packet, and times.
#[must_use]
pub fn opening(from: &[u8; 16], to: &[u8; 16], most: u16) -> Vec<u8> {
    let mut out = Vec::with_capacity(38);
    out.put(from).put(to).le16(most).le16(37).le16(13);
    out
}

/// A packet about a name: eight places for networks passed, flags, what about it, the name.
#[must_use]
pub fn about_name(flags: u8, stream: u8, name: &[u8; 16]) -> Vec<u8> {
    let mut out = vec![0; 32];
    out.u8(flags).u8(stream).put(name);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nbf::name;

    #[test]
    fn the_call_of_a_real_capture() {
        let h = Header {
            control: flag::ACK_WANTED | flag::MICROSOFT,
            stream: stream::DATA,
            source: 1,
            destination: UNKNOWN,
            total: 38,
            ..Header::default()
        };
        let data = opening(&name("WFW_HOST_1", 0), &name("WFW_HOST_2", 0x20), 1424);
        let out = session(h, &data);
        assert_eq!(out.len(), 56);
        assert_eq!(
            out[..18],
            [
                0x41, 6, 1, 0, 0xff, 0xff, 0, 0, 0x26, 0, 0, 0, 0x26, 0, 0, 0, 0, 0
            ]
        );
        assert_eq!(out[50..], [0x90, 0x05, 0x25, 0, 0x0d, 0]);
    }
}

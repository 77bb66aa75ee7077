//! NetBIOS frames (NetBEUI): names, session set-up and session data.

use crate::bytes::Put;
use crate::ethernet::Mac;

/// Where name frames are sent.
pub const GROUP: Mac = [3, 0, 0, 0, 0, 1];

/// Command codes.
pub mod command {
    /// Who has this name (and will it take a call)?
    pub const NAME_QUERY: u8 = 0x0a;
    /// The answer.
    pub const NAME_RECOGNIZED: u8 = 0x0e;
    /// Acknowledges a last (or only) data frame.
    pub const DATA_ACK: u8 = 0x14;
    /// Data, more of the message follows.
    pub const DATA_FIRST_MIDDLE: u8 = 0x15;
    /// Data, the message ends here.
    pub const DATA_ONLY_LAST: u8 = 0x16;
    /// The session is accepted.
    pub const SESSION_CONFIRM: u8 = 0x17;
    /// The session ends.
    pub const SESSION_END: u8 = 0x18;
    /// A session is wanted.
    pub const SESSION_INITIALIZE: u8 = 0x19;
    /// No buffer: data was not (all) taken.
    pub const NO_RECEIVE: u8 = 0x1a;
    /// A buffer is there again.
    pub const RECEIVE_OUTSTANDING: u8 = 0x1b;
    /// The first frame was taken, go on.
    pub const RECEIVE_CONTINUE: u8 = 0x1c;
    /// Still there.
    pub const SESSION_ALIVE: u8 = 0x1f;
}

/// Flag bits of data frames (DATA1).
pub mod flag {
    /// RECEIVE_CONTINUE is wanted (first frame of a message).
    pub const CONTINUE: u8 = 0x01;
    /// No DATA_ACK will come.
    pub const NO_ACK: u8 = 0x02;
    /// The acknowledgement may ride on the peer's next data frame.
    pub const ACK_WITH_DATA: u8 = 0x04;
    /// This frame acknowledges the peer's last message.
    pub const ACK_INCLUDED: u8 = 0x08;
}

/// What stands behind length and delimiter in every frame.
#[derive(Clone, Copy, Debug, Default)]
pub struct Header {
    /// Command, of [`command`].
    pub command: u8,
    /// DATA1.
    pub data1: u8,
    /// DATA2.
    pub data2: u16,
    /// Transmit correlator: what the peer wants back.
    pub transmit: u16,
    /// Response correlator: what this side wants back.
    pub response: u16,
}

fn header(length: u16, h: Header) -> Vec<u8> {
    let mut out = Vec::with_capacity(usize::from(length));
    out.le16(length).le16(0xefff).u8(h.command).u8(h.data1);
    out.le16(h.data2).le16(h.transmit).le16(h.response);
    out
}

/// A frame between names (commands up to 13), 44 bytes.
#[must_use]
pub fn names(h: Header, destination: &[u8; 16], source: &[u8; 16]) -> Vec<u8> {
    let mut out = header(44, h);
    out.put(destination).put(source);
    out
}

/// A frame of a session (commands from 14): 14 bytes and the user data.
#[must_use]
pub fn session(h: Header, destination: u8, source: u8, data: &[u8]) -> Vec<u8> {
    let mut out = header(14, h);
    out.u8(destination).u8(source).put(data);
    out
}

/// A NetBIOS name: upper case, blank-padded to 15, and the type of service.
#[must_use]
pub fn name(text: &str, service: u8) -> [u8; 16] {
    let mut out = [b' '; 16];
    for (to, from) in out[..15].iter_mut().zip(text.bytes()) {
        *to = from.to_ascii_uppercase();
    }
    out[15] = service;
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn session_frames_have_fourteen_bytes_of_header() {
        let h = Header {
            command: command::SESSION_ALIVE,
            ..Header::default()
        };
        assert_eq!(
            session(h, 7, 5, &[]),
            [0x0e, 0, 0xff, 0xef, 0x1f, 0, 0, 0, 0, 0, 0, 0, 7, 5]
        );
    }

    #[test]
    fn name_frames_have_forty_four() {
        let h = Header {
            command: command::NAME_QUERY,
            data2: 5,
            response: 0x1111,
            ..Header::default()
        };
        let out = names(h, &name("filesrv", 0x20), &name("WKSTA", 0));
        assert_eq!(out.len(), 44);
        assert_eq!(
            out[..12],
            [0x2c, 0, 0xff, 0xef, 0x0a, 0, 5, 0, 0, 0, 0x11, 0x11]
        );
        assert_eq!(&out[12..28], b"FILESRV         ");
    }
}

//! NCP packets: requests, replies, "request being processed", and the framing over TCP.

pub mod burst;

use crate::bytes::{Put, len32};

/// Request: create a service connection.
pub const CREATE: u16 = 0x1111;
/// Request: a service.
pub const REQUEST: u16 = 0x2222;
/// Reply.
pub const REPLY: u16 = 0x3333;
/// Request: destroy the service connection.
pub const DESTROY: u16 = 0x5555;
/// Positive acknowledgement: the request is being processed.
pub const BEING_PROCESSED: u16 = 0x9999;

/// Whether the station is still there, and what it says to that.
pub const WATCHDOG: u16 = 0x3e3e;

/// The connection number in a request to create one: none yet.
pub const NO_CONNECTION: u16 = 0xffff;

/// What identifies a request and its reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Id {
    /// Sequence number, one more for every new request, wrapping.
    pub sequence: u8,
    /// Connection number.
    pub connection: u16,
    /// Task of the client program.
    pub task: u8,
}

fn header(kind: u16, id: Id) -> Vec<u8> {
    let [high, low] = id.connection.to_be_bytes();
    let mut out = Vec::with_capacity(32);
    out.be16(kind).u8(id.sequence).u8(low).u8(id.task).u8(high);
    out
}

/// A service request: function code and what follows it.
#[must_use]
pub fn request(id: Id, function: u8, body: &[u8]) -> Vec<u8> {
    let mut out = header(REQUEST, id);
    out.u8(function).put(body);
    out
}

/// A request that is all header: [`CREATE`] or [`DESTROY`].
#[must_use]
pub fn bare_request(kind: u16, id: Id) -> Vec<u8> {
    let mut out = header(kind, id);
    out.u8(0);
    out
}

/// A reply, or with kind [`BEING_PROCESSED`] the promise of one.
#[must_use]
pub fn reply(kind: u16, id: Id, completion: u8, status: u8, body: &[u8]) -> Vec<u8> {
    let mut out = header(kind, id);
    out.u8(completion).u8(status).put(body);
    out
}

/// A watchdog packet: `?`, or `Y` as a station was seen to send it over UDP.
#[must_use]
pub fn watchdog(connection: u16, what: u8) -> Vec<u8> {
    let id = Id {
        sequence: 0,
        connection,
        task: 0,
    };
    let mut out = header(WATCHDOG, id);
    // No completion, no state; the slot is the connection's low byte.
    out.be16(0).u8(connection.to_be_bytes()[1]).u8(what).be32(0);
    out
}

/// A six-byte NetWare file handle made from the number of a file, as function 66, 72 and
/// 73 carry it: a short form of the number, then the number.
#[must_use]
pub fn handle(number: u32) -> [u8; 6] {
    let [a, b] = (number as u16).wrapping_add(1).to_le_bytes();
    let [c, d, e, f] = number.to_le_bytes();
    [a, b, c, d, e, f]
}

/// Body of function 72, read from a file.
#[must_use]
pub fn read(file: u32, offset: u32, length: u16) -> Vec<u8> {
    let mut out = Vec::new();
    out.u8(0).put(&handle(file)).be32(offset).be16(length);
    out
}

/// Body of the reply to function 72. Data from an odd offset stands behind a pad byte.
#[must_use]
pub fn read_reply(offset: u32, data: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(data.len() + 3);
    out.be16(u16::try_from(data.len()).unwrap_or(u16::MAX));
    if offset % 2 == 1 {
        out.u8(0);
    }
    out.put(data);
    out
}

/// Body of function 73, write to a file.
#[must_use]
pub fn write(file: u32, offset: u32, data: &[u8]) -> Vec<u8> {
    let mut out = read(file, offset, u16::try_from(data.len()).unwrap_or(u16::MAX));
    out.put(data);
    out
}

/// Body of function 66, close file.
#[must_use]
pub fn close(file: u32) -> Vec<u8> {
    let mut out = Vec::new();
    out.u8(0).put(&handle(file));
    out
}

/// Body of function 76, open file: directory handle, search attributes, access, name.
#[must_use]
pub fn open(name: &str) -> Vec<u8> {
    let name = name.as_bytes();
    let length = u8::try_from(name.len()).unwrap_or(u8::MAX);
    let mut out = Vec::new();
    out.u8(1).u8(0x06).u8(0x01).u8(length);
    out.put(&name[..usize::from(length)]);
    out
}

/// Body of the reply to function 76: handle, name, attributes, size and dates.
#[must_use]
pub fn open_reply(file: u32, name: &str, size: u32) -> Vec<u8> {
    let mut padded = [0u8; 14];
    for (to, from) in padded.iter_mut().zip(name.bytes()) {
        *to = from;
    }
    let mut out = Vec::new();
    out.put(&handle(file)).be16(0).put(&padded);
    out.u8(0).u8(0).be32(size);
    // Creation, last access, last update date and time in DOS form: 1 March 1999, 09:00.
    out.be16(0x2661).be16(0x2661).be16(0x2661).be16(0x4800);
    out
}

/// A request with the header that TCP needs ("DmdT"), offering a reply buffer.
#[must_use]
pub fn request_over_tcp(packet: &[u8], reply_buffer: u32) -> Vec<u8> {
    let mut out = Vec::with_capacity(16 + packet.len());
    out.put(b"DmdT").be32(len32(packet).saturating_add(16));
    out.be32(1).be32(reply_buffer).put(packet);
    out
}

/// A reply with the header that TCP needs ("tNcP").
#[must_use]
pub fn reply_over_tcp(packet: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(8 + packet.len());
    out.put(b"tNcP").be32(len32(packet).saturating_add(8));
    out.put(packet);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: Id = Id {
        sequence: 7,
        connection: 0x0105,
        task: 2,
    };

    #[test]
    fn a_read_request_has_handle_offset_and_length_where_the_sheet_says() {
        let out = request(ID, 72, &read(0x0a0b_0c0d, 0x1000, 1024));
        assert_eq!(out[..8], [0x22, 0x22, 7, 5, 2, 1, 72, 0]);
        assert_eq!(out[8..14], [0x0e, 0x0c, 0x0d, 0x0c, 0x0b, 0x0a]);
        assert_eq!(out[14..20], [0, 0, 0x10, 0, 4, 0]);
    }

    #[test]
    fn replies_put_the_completion_code_where_requests_have_the_function() {
        let out = reply(REPLY, ID, 0x88, 0, &read_reply(1, b"x"));
        assert_eq!(out, [0x33, 0x33, 7, 5, 2, 1, 0x88, 0, 0, 1, 0, b'x']);
    }

    #[test]
    fn tcp_lengths_count_their_own_header() {
        let packet = bare_request(CREATE, ID);
        assert_eq!(request_over_tcp(&packet, 512)[4..8], [0, 0, 0, 23]);
        assert_eq!(reply_over_tcp(&packet)[4..8], [0, 0, 0, 15]);
    }

    #[test]
    fn the_size_in_an_open_reply_stands_at_byte_32_of_the_packet() {
        let out = reply(REPLY, ID, 0, 0, &open_reply(1, "A.TXT", 0x0102_0304));
        assert_eq!(out[32..36], [1, 2, 3, 4]);
    }
}

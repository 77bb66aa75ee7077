//! The lines that begin with `burst`: NCP packet burst.

use super::error::Fault;
use super::words::{Options, Word};
use crate::bytes::file_data;
use crate::ncp::burst::{self, Header, flag};

/// Bytes of a burst in one packet: Ethernet's 1500 less 30 of IPX and 36 of the burst, and
/// rounded down.
const MOST: usize = 1400;

/// One client's bursts with one server.
#[derive(Debug)]
pub(super) struct BurstState {
    client: u32,
    server: u32,
    /// Number of the current burst.
    burst: u16,
    /// Packet sequences of client and server.
    packets: [u32; 2],
}

impl BurstState {
    pub(super) fn new(number: u16) -> Self {
        Self {
            client: 0x0c00_0000 + u32::from(number),
            server: 0x0500_0000 + u32::from(number),
            burst: 0,
            packets: [0; 2],
        }
    }

    /// The identifiers that function 101 exchanges.
    pub(super) fn identifiers(&self) -> (u32, u32) {
        (self.client, self.server)
    }

    /// The packets of a burst, or one system packet.
    pub(super) fn packets(
        &mut self,
        from_client: bool,
        verb: &Word,
        options: &Options,
    ) -> Result<Vec<Vec<u8>>, Fault> {
        let file: u32 = options.or("handle", 1)?;
        let offset: u32 = options.or("offset", 0)?;
        let from: u32 = options.or("from", 0)?;
        let length: u32 = options.or("length", u32::MAX)?;
        let data = |default| options.bytes("data", default);
        let burst = match (verb.text.as_str(), from_client) {
            ("missing", _) => {
                let missing = match options.text("fragments")? {
                    Some(text) => fragments(text).ok_or_else(|| {
                        verb.fault("`fragments` needs `from:length`, several between commas")
                    })?,
                    None => vec![(from, options.or("length", 0)?)],
                };
                options.done()?;
                let header = self.header(from_client, 0);
                return Ok(vec![burst::system(&header, &missing)]);
            }
            ("acknowledge", _) => {
                options.done()?;
                let header = self.header(from_client, 0);
                return Ok(vec![burst::system(&header, &[])]);
            }
            ("busy", false) => {
                options.done()?;
                let mut header = self.header(from_client, 0);
                header.flags |= flag::BUSY;
                return Ok(vec![burst::system(&header, &[])]);
            }
            ("read", true) => {
                self.burst = self.burst.wrapping_add(1);
                let length = options.or("length", 4096)?;
                options.done()?;
                return Ok(self.cut(from_client, &burst::read(file, offset, length), 0, u32::MAX));
            }
            ("write", true) => {
                if from == 0 {
                    self.burst = self.burst.wrapping_add(1);
                }
                burst::write(file, offset, &file_data(offset.into(), data(4096)?))
            }
            ("read", false) => {
                let data = file_data(offset.into(), data(0)?);
                burst::read_reply(options.or("result", 0)?, &data)
            }
            ("write", false) => burst::write_reply(options.or("result", 0)?),
            _ => return Err(verb.expected("read, write, missing, acknowledge or busy")),
        };
        options.done()?;
        Ok(self.cut(from_client, &burst, from, length))
    }

    fn header(&mut self, from_client: bool, total: u32) -> Header {
        let (source, destination) = if from_client {
            (self.client, self.server)
        } else {
            (self.server, self.client)
        };
        let packet = &mut self.packets[usize::from(!from_client)];
        *packet = packet.wrapping_add(1);
        Header {
            flags: 0,
            source,
            destination,
            packet: *packet,
            burst: self.burst,
            // The client's request expects an answer under its own number.
            expected: if from_client {
                self.burst
            } else {
                self.burst.wrapping_add(1)
            },
            total,
            offset: 0,
        }
    }

    /// The packets of the bytes from `from` on, at most `length` of them.
    fn cut(&mut self, from_client: bool, burst: &[u8], from: u32, length: u32) -> Vec<Vec<u8>> {
        let total = u32::try_from(burst.len()).unwrap_or(u32::MAX);
        let (from, length) = (from as usize, length as usize);
        let end = from.saturating_add(length).min(burst.len());
        let mut packets = Vec::new();
        let mut at = from.min(burst.len());
        while at < end {
            let next = (at + MOST).min(end);
            let mut header = self.header(from_client, total);
            header.offset = u32::try_from(at).unwrap_or(u32::MAX);
            if next == burst.len() {
                header.flags |= flag::END;
            }
            packets.push(burst::packet(&header, &burst[at..next]));
            at = next;
        }
        packets
    }
}

/// Fragments as in `1400:1400,4200:700`: where they begin and how long they are.
fn fragments(text: &str) -> Option<Vec<(u32, u16)>> {
    let one = |fragment: &str| {
        let (from, length) = fragment.split_once(':')?;
        Some((from.parse().ok()?, length.parse().ok()?))
    };
    text.split(',').map(one).collect()
}

//! Packet burst: reads and writes of many packets under one request (packet type 0x7777).
//!
//! Header fields are big-endian. The meaning of the flags and the layout of the commands
//! come from free implementations, not from a specification of Novell's.

use crate::parse::{be32, header, le32};
use std::fmt;
use wirewait_wire::{Fault, Input};

/// The header of a packet burst packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Burst {
    /// [`Burst::SYSTEM`] and the other flags.
    pub flags: u8,
    /// 2 for a large burst.
    pub stream: u8,
    /// The sender's number for the burst connection.
    pub source: u32,
    /// The receiver's.
    pub destination: u32,
    /// Number of the packet: every packet has a new one, one sent again too.
    pub packet: u32,
    /// Time that the sender leaves between packets, in units of 100 µs.
    pub delay: u32,
    /// Number of the burst.
    pub sequence: u16,
    /// The burst that is expected next.
    pub ack: u16,
    /// Bytes of the whole burst.
    pub total: u32,
    /// Where in the burst this packet's data belongs, in bytes.
    pub offset: u32,
    /// Bytes of data in this packet.
    pub length: u16,
    /// How many fragments the sender of this packet lacks and lists.
    pub missing: u16,
}

impl Burst {
    /// Bytes of the header.
    pub const LENGTH: u32 = 36;
    /// Acknowledges or lists missing fragments; carries no data of the burst.
    pub const SYSTEM: u8 = 0x80;
    /// Asks for a list of missing fragments.
    pub const LIST: u8 = 0x40;
    /// The last packet of the burst.
    pub const END: u8 = 0x10;
    /// The server is busy.
    pub const BUSY: u8 = 0x08;
    /// The burst is given up.
    pub const ABORT: u8 = 0x04;

    /// Reads a header, packet type included.
    ///
    /// # Errors
    /// [`Fault::Short`].
    pub fn parse(input: Input<'_>) -> Result<Self, Fault> {
        let h: &[u8; 36] = header(input)?;
        let word = |at: usize| u16::from_be_bytes([h[at], h[at + 1]]);
        let long = |at: usize| u32::from_be_bytes([h[at], h[at + 1], h[at + 2], h[at + 3]]);
        Ok(Self {
            flags: h[2],
            stream: h[3],
            source: long(4),
            destination: long(8),
            packet: long(12),
            delay: long(16),
            sequence: word(20),
            ack: word(22),
            total: long(24),
            offset: long(28),
            length: word(32),
            missing: word(34),
        })
    }

    /// Whether the packet begins a request: a client's burst carries the number that it
    /// expects from the server next.
    #[must_use]
    pub const fn is_command(&self) -> bool {
        self.flags & Self::SYSTEM == 0 && self.offset == 0 && self.sequence == self.ack
    }
}

pub(super) fn describe(input: Input<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    let Ok(burst) = Burst::parse(input) else {
        return out.write_str("packet burst, cut off");
    };
    write!(out, "burst {} ack {}", burst.sequence, burst.ack)?;
    if burst.flags & Burst::SYSTEM != 0 {
        match burst.missing {
            0 => out.write_str(" received")?,
            n => write!(out, " lacks {n} fragments")?,
        }
    } else {
        write!(
            out,
            " {} bytes at {} of {}",
            burst.length, burst.offset, burst.total
        )?;
        if burst.is_command() {
            command(input.skip(Burst::LENGTH).bytes, out)?;
        }
    }
    for (flag, name) in [
        (Burst::END, " end"),
        (Burst::BUSY, " busy"),
        (Burst::ABORT, " abort"),
    ] {
        if burst.flags & flag != 0 {
            out.write_str(name)?;
        }
    }
    Ok(())
}

/// The command at the start of a request: function (little-endian), handle, 8 bytes
/// reserved, offset and count.
fn command(bytes: &[u8], out: &mut dyn fmt::Write) -> fmt::Result {
    let name = match le32(bytes, 0) {
        Some(1) => "READ",
        Some(2) => "WRITE",
        _ => return Ok(()),
    };
    if let (Some(handle), Some(offset), Some(count)) =
        (be32(bytes, 4), be32(bytes, 16), be32(bytes, 20))
    {
        write!(out, ", {name} h={handle:08x} off={offset} len={count}")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A request to read 65536 bytes at 4096: a burst of 24 bytes in one packet.
    const READ: [u8; 60] = [
        0x77, 0x77, 0x10, 2, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 9, 0, 0, 0, 3, 0, 7, 0, 7, 0, 0, 0,
        24, 0, 0, 0, 0, 0, 24, 0, 0, //
        1, 0, 0, 0, 0xa1, 0xb2, 0xc3, 0xd4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10, 0, 0, 1, 0, 0,
    ];

    fn line(bytes: &[u8]) -> String {
        let mut out = String::new();
        describe(Input::whole(bytes), &mut out).unwrap();
        out
    }

    #[test]
    fn reads_the_header() {
        let burst = Burst::parse(Input::whole(&READ)).unwrap();
        assert_eq!((burst.source, burst.destination), (1, 2));
        assert_eq!((burst.packet, burst.delay), (9, 3));
        assert_eq!((burst.sequence, burst.ack), (7, 7));
        assert_eq!((burst.total, burst.offset, burst.length), (24, 0, 24));
        assert_eq!((burst.stream, burst.missing), (2, 0));
        assert!(burst.is_command());
    }

    #[test]
    fn describes_commands_data_and_acknowledgements() {
        assert_eq!(
            line(&READ),
            "burst 7 ack 7 24 bytes at 0 of 24, READ h=a1b2c3d4 off=4096 len=65536 end"
        );
        let mut data = READ;
        data[23] = 8;
        assert_eq!(line(&data), "burst 7 ack 8 24 bytes at 0 of 24 end");
        let mut ack = READ;
        ack[2] = Burst::SYSTEM | Burst::BUSY;
        assert_eq!(line(&ack), "burst 7 ack 7 received busy");
        ack[35] = 3;
        assert_eq!(line(&ack), "burst 7 ack 7 lacks 3 fragments busy");
    }

    #[test]
    fn every_strict_prefix_of_the_header_is_short() {
        for n in 0..36 {
            assert!(matches!(
                Burst::parse(Input::whole(&READ[..n])),
                Err(Fault::Short { .. })
            ));
        }
    }
}

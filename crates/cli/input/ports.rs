//! TCP ports of a capture without file traffic: what it holds instead.

use std::collections::BTreeMap;
use wirewait::{Frame, LinkType};

/// Frames that are looked at, the first.
const LOOKED_AT: u32 = 10_000;
/// Ports that are named.
const NAMED: usize = 3;

/// How many of the first frames are of each TCP port.
#[derive(Clone, Debug, Default)]
pub(super) struct Ports {
    seen: u32,
    frames: BTreeMap<u16, u64>,
}

impl Ports {
    // Part of the loop over frames.
    #[inline(always)]
    pub(super) fn frame(&mut self, frame: &Frame<'_>) {
        if self.seen < LOOKED_AT {
            self.look(frame);
        }
    }

    #[cold]
    #[inline(never)]
    fn look(&mut self, frame: &Frame<'_>) {
        self.seen += 1;
        if let Some((a, b)) = tcp(frame) {
            // A server has the port of its service, mostly the lesser one.
            let frames = self.frames.entry(a.min(b)).or_default();
            *frames = frames.saturating_add(1);
        }
    }

    /// The busiest, with their frames.
    pub(super) fn busiest(&self) -> Vec<(u16, u64)> {
        let mut all: Vec<(u16, u64)> = self.frames.iter().map(|(port, n)| (*port, *n)).collect();
        all.sort_by_key(|(port, n)| (std::cmp::Reverse(*n), *port));
        all.truncate(NAMED);
        all
    }
}

/// Both ports of a frame that carries TCP in IPv4 or IPv6.
fn tcp(frame: &Frame<'_>) -> Option<(u16, u16)> {
    let two = |bytes: &[u8], at: usize| {
        let two = bytes.get(at..at.checked_add(2)?)?;
        Some(u16::from_be_bytes([*two.first()?, *two.get(1)?]))
    };
    let packet = match frame.link {
        LinkType::ETHERNET => {
            let mut at = 12;
            while matches!(two(frame.bytes, at)?, 0x8100 | 0x88a8) {
                at += 4;
            }
            match two(frame.bytes, at)? {
                0x0800 | 0x86dd => frame.bytes.get(at + 2..)?,
                _ => return None,
            }
        }
        LinkType::RAW => frame.bytes,
        _ => return None,
    };
    let first = *packet.first()?;
    let (protocol, header) = match first >> 4 {
        // Of a later fragment nothing is a port.
        4 if two(packet, 6)? & 0x1fff == 0 => (*packet.get(9)?, usize::from(first & 15) * 4),
        6 => (*packet.get(6)?, 40),
        _ => return None,
    };
    if protocol != 6 {
        return None;
    }
    Some((two(packet, header)?, two(packet, header + 2)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use wirewait::Timestamp;

    /// 802.1Q, IPv4, TCP from 50000 to 2049.
    #[test]
    fn the_port_of_the_service_is_counted() {
        let mut bytes = vec![0; 12];
        bytes.extend([0x81, 0, 0, 1, 8, 0, 0x45, 0, 0, 40, 0, 0, 0x40, 0, 64, 6]);
        bytes.extend([0; 10]);
        bytes.extend([0xc3, 0x50, 0x08, 0x01]);
        let mut ports = Ports::default();
        for len in 0..=bytes.len() {
            ports.frame(&Frame {
                at: Timestamp::from_parts(0, 0),
                link: LinkType::ETHERNET,
                interface: 0,
                wire_len: 60,
                bytes: &bytes[..len],
            });
        }
        assert_eq!(ports.busiest(), [(2049, 1)]);
    }
}

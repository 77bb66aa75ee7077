//! The few blocks of a pcapng file that a scenario needs, written the same way everywhere
//! so that a capture can be compared byte for byte.

use crate::OwnedFrame;
use crate::bytes::{Put, len32};
use wirewait_wire::LinkType;

/// An interface that the file describes.
#[derive(Clone, Debug)]
pub(crate) struct Interface {
    /// What it is called.
    pub(crate) name: String,
    /// Bits per second.
    pub(crate) rate: u64,
}

/// A file of one section with nanosecond time stamps; without interfaces that are described,
/// it has one that is not.
pub(crate) fn file(comment: &str, interfaces: &[Interface], frames: &[OwnedFrame]) -> Vec<u8> {
    let link = frames
        .first()
        .map_or(LinkType::ETHERNET, |frame| frame.link);
    let mut out = Vec::new();
    let mut section = Vec::new();
    section.le32(0x1a2b_3c4d).le16(1).le16(0).le64(u64::MAX);
    if !comment.is_empty() {
        option(&mut section, 1, comment.as_bytes());
    }
    option(&mut section, 4, b"wirewait synth");
    option(&mut section, 0, &[]);
    block(&mut out, 0x0a0d_0d0a, &section);
    for described in interfaces
        .iter()
        .map(Some)
        .chain(interfaces.is_empty().then_some(None))
    {
        let mut interface = Vec::new();
        interface.le16(link.0).le16(0).le32(0);
        if let Some(described) = described {
            // if_name and if_speed.
            option(&mut interface, 2, described.name.as_bytes());
            option(&mut interface, 8, &described.rate.to_le_bytes());
        }
        // if_tsresol: units of 10^-9 s.
        option(&mut interface, 9, &[9]);
        option(&mut interface, 0, &[]);
        block(&mut out, 1, &interface);
    }
    for frame in frames {
        // Time stamps are unsigned here; a scenario does not start before 1970.
        let at = u64::try_from(frame.at.as_nanos()).unwrap_or(0);
        let mut packet = Vec::with_capacity(24 + frame.bytes.len());
        packet
            .le32(frame.interface)
            .le32((at >> 32) as u32)
            .le32(at as u32);
        packet.le32(len32(&frame.bytes)).le32(frame.wire_len);
        packet.put(&frame.bytes).align(4);
        block(&mut out, 6, &packet);
    }
    out
}

fn block(out: &mut Vec<u8>, kind: u32, body: &[u8]) {
    let length = len32(body).saturating_add(12);
    out.le32(kind).le32(length).put(body).le32(length);
}

fn option(out: &mut Vec<u8>, code: u16, value: &[u8]) {
    let length = u16::try_from(value.len()).unwrap_or(u16::MAX);
    out.le16(code).le16(length);
    out.put(&value[..usize::from(length)]).align(4);
}

#[cfg(test)]
mod tests {
    use super::*;
    use wirewait_wire::Timestamp;

    #[test]
    fn blocks_end_with_their_length_and_are_aligned() {
        let frame = OwnedFrame {
            at: Timestamp::from_nanos(0x1_0000_0002),
            link: LinkType::ETHERNET,
            interface: 0,
            wire_len: 9,
            bytes: vec![7; 5],
        };
        let out = file("hi", &[], &[frame]);
        let length = u32::from_le_bytes(out[4..8].try_into().unwrap()) as usize;
        assert_eq!(out[length - 4..length], out[4..8]);
        let packet = &out[out.len() - 40..];
        assert_eq!(packet[..4], [6, 0, 0, 0]);
        assert_eq!(packet[12..20], [1, 0, 0, 0, 2, 0, 0, 0]);
        assert_eq!(packet[20..28], [5, 0, 0, 0, 9, 0, 0, 0]);
        assert_eq!(packet[36..], [40, 0, 0, 0]);
    }
}

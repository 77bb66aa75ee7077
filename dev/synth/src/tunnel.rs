//! Tunnels: what is put in front of a frame, or of the packet in it, where networks carry or mirror others' traffic.

use crate::OwnedFrame;
use crate::ipv4::sum;
use wirewait_wire::LinkType;

/// Bytes of an Ethernet header.
const LINK: usize = 14;

/// A tunnel through an Ethernet.
#[derive(Clone, Copy, Debug)]
pub struct Tunnel {
    /// Its name in scenarios.
    pub name: &'static str,
    /// A whole frame goes through it, or a packet of this EtherType alone.
    pub whole: bool,
    /// What stands between the outer link's header and what goes through, for the frame of this number and a
    /// payload of this length.
    before: fn(u32, usize) -> Vec<u8>,
    /// The outer link's type.
    link: [u8; 2],
}

impl Tunnel {
    /// That of this name.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        TUNNELS.iter().copied().find(|tunnel| tunnel.name == name)
    }

    /// Whether all of these frames can go through.
    #[must_use]
    pub fn carries(&self, frames: &[OwnedFrame]) -> bool {
        let ip = |frame: &OwnedFrame| frame.bytes.get(12..14) == Some(&[0x08, 0x00]);
        let short = |frame: &OwnedFrame| frame.bytes.len() >= LINK && frame.wire_len < 65_000;
        let ethernet = |frame: &OwnedFrame| frame.link == LinkType::ETHERNET;
        frames.iter().all(|frame| ethernet(frame) && short(frame))
            && (self.whole || frames.iter().all(ip))
    }

    /// The frame in the tunnel's frame of this number.
    #[must_use]
    pub fn through(&self, n: usize, frame: &OwnedFrame) -> OwnedFrame {
        let taken = if self.whole { 0 } else { LINK };
        let payload = &frame.bytes[taken..];
        let before = (self.before)(n as u32, frame.wire_len as usize - taken);
        let ends = [2, 0, 0, 0, 0, 0xfd, 2, 0, 0, 0, 0, 0xfe];
        let bytes = [&ends[..], &self.link, &before, payload].concat();
        OwnedFrame {
            wire_len: frame.wire_len + (LINK + before.len() - taken) as u32,
            bytes,
            ..frame.clone()
        }
    }

    /// All of them, one after the other.
    #[must_use]
    pub fn all(&self, frames: &[OwnedFrame]) -> Vec<OwnedFrame> {
        let frames = frames.iter().enumerate();
        frames.map(|(n, frame)| self.through(n, frame)).collect()
    }
}

/// All that are known.
pub const TUNNELS: &[Tunnel] = &[
    // RFC 3032: labels 100 and 18, the second at the bottom; then IP.
    Tunnel {
        name: "mpls",
        whole: false,
        before: |_, _| vec![0x00, 0x06, 0x40, 0x40, 0x00, 0x01, 0x21, 0x40],
        link: [0x88, 0x47],
    },
    // RFC 4448: a control word before Ethernet.
    Tunnel {
        name: "mpls-ethernet",
        whole: true,
        before: |_, _| vec![0x00, 0x01, 0x21, 0x40, 0, 0, 0, 0],
        link: [0x88, 0x47],
    },
    // RFC 2516 and RFC 1661: session 9, protocol 0021.
    Tunnel {
        name: "pppoe",
        whole: false,
        before: |_, length| {
            let length = (length as u16 + 2).to_be_bytes();
            [&[0x11, 0, 0, 9][..], &length, &[0x00, 0x21]].concat()
        },
        link: [0x88, 0x64],
    },
    // RFC 2784.
    Tunnel {
        name: "gre",
        whole: false,
        before: |n, length| ip(n, 47, &[0, 0, 0x08, 0x00], length),
        link: [0x08, 0x00],
    },
    // RFC 7637: a key, bridged.
    Tunnel {
        name: "nvgre",
        whole: true,
        before: |n, length| ip(n, 47, &[0x20, 0, 0x65, 0x58, 0, 0, 99, 1], length),
        link: [0x08, 0x00],
    },
    // draft-foschiano-erspan-03, 4.1 to 4.3.
    Tunnel {
        name: "erspan-1",
        whole: true,
        before: |n, length| ip(n, 47, &[0, 0, 0x88, 0xbe], length),
        link: [0x08, 0x00],
    },
    Tunnel {
        name: "erspan-2",
        whole: true,
        before: |n, length| {
            let gre = [&[0x10, 0, 0x88, 0xbe][..], &n.to_be_bytes()].concat();
            ip(
                n,
                47,
                &[&gre[..], &[0x10, 0x05, 0, 77, 0, 0, 0, 3]].concat(),
                length,
            )
        },
        link: [0x08, 0x00],
    },
    Tunnel {
        name: "erspan-3",
        whole: true,
        before: |n, length| {
            let gre = [&[0x10, 0, 0x22, 0xeb][..], &n.to_be_bytes()].concat();
            let header = [0x20, 0x05, 0, 77, 0, 0, 0, 9, 0, 0, 0, 0];
            ip(n, 47, &[&gre[..], &header].concat(), length)
        },
        link: [0x08, 0x00],
    },
    // RFC 7348, 5 and RFC 8926, 3.4: network 99.
    Tunnel {
        name: "vxlan",
        whole: true,
        before: |n, length| udp(n, 4789, &[0x08, 0, 0, 0, 0, 0, 99, 0], length),
        link: [0x08, 0x00],
    },
    Tunnel {
        name: "geneve",
        whole: true,
        before: |n, length| {
            udp(
                n,
                6081,
                &[0x01, 0, 0x65, 0x58, 0, 0, 99, 0, 0, 0, 0, 0],
                length,
            )
        },
        link: [0x08, 0x00],
    },
];

/// RFC 791: a packet of this protocol, and what stands behind its header.
fn ip(n: u32, protocol: u8, behind: &[u8], length: usize) -> Vec<u8> {
    let total = (20 + behind.len() + length) as u16;
    let mut header = vec![0x45, 0];
    header.extend(total.to_be_bytes());
    header.extend((n as u16).wrapping_add(1).to_be_bytes());
    header.extend([0, 0, 64, protocol, 0, 0, 192, 0, 2, 1, 192, 0, 2, 2]);
    let folded = sum(&header) % 0xffff;
    header[10..12].copy_from_slice(&(!(folded as u16)).to_be_bytes());
    header.extend(behind);
    header
}

/// RFC 768.
fn udp(n: u32, port: u16, behind: &[u8], length: usize) -> Vec<u8> {
    let bytes = (8 + behind.len() + length) as u16;
    let words = [40_000, port, bytes, 0];
    let header = words.map(u16::to_be_bytes).concat();
    ip(n, 17, &[&header[..], behind].concat(), length)
}

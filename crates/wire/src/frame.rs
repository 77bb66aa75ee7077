//! One captured link-layer record.

use crate::{Key, Table, Timestamp};

/// What kind of link a frame was captured on: a LINKTYPE value of the pcap formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LinkType(pub u16);

/// The table in which link-layer dissectors claim their [`LinkType`].
pub const LINK: Table = Table::new("link.type");

impl LinkType {
    /// BSD loopback: a protocol family in the byte order of the capturing host.
    pub const NULL: Self = Self(0);
    /// Ethernet.
    pub const ETHERNET: Self = Self(1);
    /// IEEE 802.5 Token Ring.
    pub const TOKEN_RING: Self = Self(6);
    /// PPP.
    pub const PPP: Self = Self(9);
    /// FDDI.
    pub const FDDI: Self = Self(10);
    /// Raw IP as OpenBSD numbers it.
    pub const RAW_BSD: Self = Self(14);
    /// Raw IP: the first byte is that of an IPv4 or IPv6 header.
    pub const RAW: Self = Self(101);
    /// Cisco HDLC.
    pub const C_HDLC: Self = Self(104);
    /// OpenBSD loopback: a protocol family in network byte order.
    pub const LOOP: Self = Self(108);
    /// Linux "cooked" capture, version 1.
    pub const LINUX_SLL: Self = Self(113);
    /// Raw IPv4.
    pub const IPV4: Self = Self(228);
    /// Raw IPv6.
    pub const IPV6: Self = Self(229);
    /// Linux "cooked" capture, version 2.
    pub const LINUX_SLL2: Self = Self(276);

    /// The key by which the dissector of this link is found.
    #[must_use]
    pub const fn key(self) -> Key {
        LINK.key(self.0 as u32)
    }
}

/// One captured record, lent by a [`crate::Source`] until the next one is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// When the capture point saw it.
    pub at: Timestamp,
    /// The kind of link it was seen on.
    pub link: LinkType,
    /// Which interface of the capture saw it, counted from 0.
    pub interface: u32,
    /// Bytes on the wire, as the capture says; at least `bytes.len()`.
    pub wire_len: u32,
    /// The bytes that were captured.
    pub bytes: &'a [u8],
}

/// A frame that owns its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnedFrame {
    /// When the capture point saw it.
    pub at: Timestamp,
    /// The kind of link.
    pub link: LinkType,
    /// The interface that saw it; 0 is the first one.
    pub interface: u32,
    /// Bytes on the wire; at least `bytes.len()`.
    pub wire_len: u32,
    /// The bytes that were captured.
    pub bytes: Vec<u8>,
}

impl OwnedFrame {
    /// The frame as a source would lend it.
    #[must_use]
    pub fn as_frame(&self) -> Frame<'_> {
        Frame {
            at: self.at,
            link: self.link,
            interface: self.interface,
            wire_len: self.wire_len,
            bytes: &self.bytes,
        }
    }
}

impl From<&Frame<'_>> for OwnedFrame {
    fn from(frame: &Frame<'_>) -> Self {
        Self {
            at: frame.at,
            link: frame.link,
            interface: frame.interface,
            wire_len: frame.wire_len,
            bytes: frame.bytes.to_vec(),
        }
    }
}

impl Frame<'_> {
    /// Whether the capture kept less than was on the wire.
    #[must_use]
    pub const fn is_snapped(&self) -> bool {
        (self.bytes.len() as u64) < self.wire_len as u64
    }
}

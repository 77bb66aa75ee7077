//! Linux "cooked" capture, version 1 (LINKTYPE_LINUX_SLL): what libpcap makes of the
//! device "any" and of links without a header of their own.

use crate::ethernet;
use crate::notes;
use crate::parse::header;
use std::fmt;
use wirewait_wire::{
    Cast, Claim, Dissector, Endpoint, Facts, Fault, Fields, Input, Layer, LinkType, Next, Verified,
};

/// A cooked header, of either version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// 0 to us, 1 broadcast, 2 multicast, 3 to another host, 4 sent by us.
    pub packet_type: u8,
    /// ARPHRD value: the kind of device.
    pub hardware: u16,
    /// Address of the sender, when it has six bytes.
    pub source: Option<[u8; 6]>,
    /// EtherType, or one of Linux's own values below 0x0600.
    pub protocol: u16,
}

impl Header {
    /// Bytes of the header, version 1.
    pub const LENGTH: u32 = 16;

    /// Reads a header of version 1.
    ///
    /// # Errors
    /// [`Fault::Short`].
    pub fn parse(input: Input<'_>) -> Result<Self, Fault> {
        let h: &[u8; 16] = header(input)?;
        let address_length = u16::from_be_bytes([h[4], h[5]]);
        Ok(Self {
            // The field has two bytes, its values one.
            packet_type: if h[0] == 0 { h[1] } else { u8::MAX },
            hardware: u16::from_be_bytes([h[2], h[3]]),
            source: (address_length == 6).then_some([h[6], h[7], h[8], h[9], h[10], h[11]]),
            protocol: u16::from_be_bytes([h[14], h[15]]),
        })
    }

    /// What the payload goes by.
    pub(crate) const fn next(&self) -> Next {
        if !has_ethernet_type(self.hardware) {
            return Next::NONE;
        }
        match self.protocol {
            // ETH_P_802_3 and ETH_P_802_2 of linux/if_ether.h.
            0x0001 => Next::one(ethernet::RAW.key(ethernet::RAW_IPX)),
            0x0004 => Next::one(ethernet::LLC.any()),
            other => Next::one(ethernet::TYPE.key(other as u32)),
        }
    }

    /// Adds the sender and whom it sent to. The receiver's address was not captured.
    pub(crate) fn tell(&self, facts: &mut Facts) {
        facts.from = self.source.map(Endpoint::mac).unwrap_or_default();
        facts.to = Endpoint::default();
        facts.cast = match self.packet_type {
            1 => Cast::Broadcast,
            2 => Cast::Multicast,
            _ => Cast::Unicast,
        };
    }
}

/// `from 00-00-1b-12-34-56 to us, type 0800`.
impl fmt::Display for Header {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let way = way(self.packet_type);
        match self.source.map(Endpoint::mac) {
            Some(from) => write!(f, "from {from} {way}")?,
            None => f.write_str(way)?,
        }
        match self.protocol {
            0x0001 => f.write_str(", raw 802.3"),
            0x0004 => f.write_str(", 802.2"),
            other => write!(f, ", type {other:04x}"),
        }
    }
}

pub(crate) static DISSECTOR: Dissector = Dissector {
    name: "sll",
    title: "Linux cooked capture",
    does: "sender, direction, EtherTypes, 802.2 and raw IPX",
    lacks: "the receiver's address and the 802.3 length are not in the capture",
    verified: &[
        Verified::Specification,
        Verified::RealCaptures,
        Verified::Tshark,
    ],
    claims: &[Claim::Exact(LinkType::LINUX_SLL.key())],
    conveys: true,
    dissect,
    describe,
    fields,
    ..Dissector::PLAIN
};

fn dissect(input: Input<'_>, facts: &mut Facts) -> Result<Layer, Fault> {
    let h = Header::parse(input)?;
    h.tell(facts);
    Ok(Layer::over(input, Header::LENGTH, h.next()))
}

fn describe(input: Input<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    match Header::parse(input) {
        Ok(h) => write!(out, "{h}"),
        Err(_) => out.write_str("cut off"),
    }
}

fn fields(f: &mut Fields<'_>) -> Option<()> {
    let packet_type = f.be16("Packet type")?;
    f.means(way(u8::try_from(packet_type).unwrap_or(u8::MAX)));
    let hardware = f.be16("Hardware type (ARPHRD)")?;
    f.means(hardware_name(hardware));
    let length = f.be16("Address length")?;
    address(f, length.into())?;
    protocol(f, hardware)
}

/// Eight bytes, of which the address takes the first ones.
pub(crate) fn address(f: &mut Fields<'_>, length: u32) -> Option<()> {
    const PLACE: u32 = 8;
    if length == 6 {
        notes::mac(f, "Source")?;
    } else {
        f.bytes(length.min(PLACE), "Source")?;
    }
    f.bytes(PLACE.saturating_sub(length), "Unused")?;
    Some(())
}

/// An EtherType, or what Linux has in place of one.
pub(crate) fn protocol(f: &mut Fields<'_>, hardware: u16) -> Option<()> {
    let ours = !has_ethernet_type(hardware);
    match ethernet::ethernet_type(f, "Protocol")? {
        _ if ours => f.means(""),
        0x0001 => f.means("raw 802.3: IPX follows"),
        0x0004 => f.means("802.2 follows"),
        _ => f,
    };
    Some(())
}

pub(crate) fn hardware_name(hardware: u16) -> &'static str {
    match hardware {
        1 => "Ethernet",
        6 => "IEEE 802",
        512 => "PPP",
        513 => "Cisco HDLC",
        768 => "tunnel",
        770 => "frame relay",
        772 => "loopback",
        774 => "FDDI",
        800 => "Token Ring",
        803 => "802.11 with radiotap",
        824 => "netlink",
        0xfffe => "none",
        _ => "",
    }
}

pub(crate) const fn way(packet_type: u8) -> &'static str {
    match packet_type {
        0 => "to us",
        1 => "broadcast",
        2 => "multicast",
        3 => "to another host",
        4 => "sent by us",
        _ => "unknown direction",
    }
}

/// Frame relay, 802.11 with radiotap and netlink have no EtherType in the protocol field.
const fn has_ethernet_type(hardware: u16) -> bool {
    !matches!(hardware, 770 | 803 | 824)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, line, short_when_cut};
    use proptest::prelude::*;

    /// LINKTYPE_LINUX_SLL: broadcast from an Ethernet device, 802.2.
    const BYTES: [u8; 16] = [
        0, 1, 0, 1, 0, 6, 0x00, 0x00, 0x1b, 0x12, 0x34, 0x56, 0, 0, 0x00, 0x04,
    ];

    fn read(bytes: &[u8]) -> (Layer, Facts) {
        let mut facts = Facts::default();
        let layer = dissect(Input { bytes, length: 60 }, &mut facts).unwrap();
        (layer, facts)
    }

    #[test]
    fn reads_sender_direction_and_protocol() {
        let (layer, facts) = read(&BYTES);
        assert_eq!((layer.header, layer.end), (16, 60));
        assert_eq!(layer.next.keys().next(), Some(ethernet::LLC.any()));
        assert_eq!(facts.from, Endpoint::mac([0, 0, 0x1b, 0x12, 0x34, 0x56]));
        assert_eq!(facts.to, Endpoint::default());
        assert_eq!(facts.cast, Cast::Broadcast);
        assert_eq!(
            line(&DISSECTOR, &BYTES),
            "from 00-00-1b-12-34-56 broadcast, 802.2"
        );
    }

    #[test]
    fn types_and_raw_ipx() {
        let mut bytes = BYTES;
        bytes[14..].copy_from_slice(&[0x08, 0x00]);
        assert_eq!(
            read(&bytes).0.next.keys().next(),
            Some(ethernet::TYPE.key(0x0800))
        );
        bytes[14..].copy_from_slice(&[0x00, 0x01]);
        assert_eq!(
            read(&bytes).0.next.keys().next(),
            Some(ethernet::RAW.key(0xffff))
        );
    }

    #[test]
    fn a_device_without_address_has_no_sender() {
        let mut bytes = BYTES;
        bytes[1] = 4;
        bytes[5] = 0;
        let (_, facts) = read(&bytes);
        assert_eq!(facts.from, Endpoint::default());
        assert_eq!(facts.cast, Cast::Unicast);
        assert_eq!(line(&DISSECTOR, &bytes), "sent by us, 802.2");
    }

    #[test]
    fn netlink_is_no_network() {
        let mut bytes = BYTES;
        bytes[2..4].copy_from_slice(&824u16.to_be_bytes());
        assert!(read(&bytes).0.next.is_none());
    }

    #[test]
    fn a_cut_header_is_short() {
        short_when_cut(&DISSECTOR, &BYTES);
    }

    proptest! {
        #[test]
        fn fields_are_those_of_the_header(mut bytes: [u8; 18], length in 0u8..10) {
            bytes[4..6].copy_from_slice(&[0, length]);
            let fields = testing::fields(&DISSECTOR, Input::whole(&bytes));
            let h = Header::parse(Input::whole(&bytes)).unwrap();
            prop_assert_eq!(testing::number(&fields, "Protocol"), Some(h.protocol.into()));
            prop_assert_eq!(
                testing::number(&fields, "Hardware type (ARPHRD)"),
                Some(h.hardware.into())
            );
            if let Some(source) = h.source {
                prop_assert_eq!(
                    testing::text(&fields, "Source"),
                    Some(Endpoint::mac(source).to_string())
                );
            }
        }
    }
}

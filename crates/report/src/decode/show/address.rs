//! Addresses as they are typed.

use std::fmt;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::str::FromStr;
use wirewait_wire::{Address, Endpoint};

/// What an address must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AddressPattern {
    V4(Ipv4Addr),
    V6(Ipv6Addr),
    /// A MAC address, or an IPX node on any network.
    Node([u8; 6]),
    /// An IPX network and node.
    Ipx(u32, [u8; 6]),
    /// A DECnet area and node.
    Decnet(u8, u16),
}

impl AddressPattern {
    pub(super) fn is(self, end: &Endpoint) -> bool {
        match (self, end.address) {
            (Self::V4(wanted), Address::V4(address)) => wanted.octets() == address,
            (Self::V6(wanted), Address::V6(address)) => wanted.octets() == address,
            (Self::Node(wanted), Address::Mac(address)) => wanted == address,
            (Self::Node(wanted), Address::Node { node, .. }) => wanted == node,
            (Self::Ipx(net, wanted), Address::Node { node, .. }) => {
                wanted == node && net == end.net
            }
            (Self::Decnet(area, node), Address::Decnet(address)) => {
                (u16::from(area), node) == (address >> 10, address & 0x3ff)
            }
            _ => false,
        }
    }
}

impl FromStr for AddressPattern {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        if let Ok(address) = text.parse() {
            return Ok(Self::V4(address));
        }
        if let Some(node) = octets(text) {
            return Ok(Self::Node(node));
        }
        if let Ok(address) = text.trim_matches(['[', ']']).parse() {
            return Ok(Self::V6(address));
        }
        let (net, node) = text.split_once('.').ok_or(())?;
        if let Some(node) = octets(node).filter(|_| net.len() <= 8 && is_hex(net)) {
            let net = u32::from_str_radix(net, 16).map_err(|_| ())?;
            return Ok(Self::Ipx(net, node));
        }
        let decimal = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
        if !decimal(net) || !decimal(node) {
            return Err(());
        }
        match (net.parse(), node.parse()) {
            (Ok(area @ 0..=63), Ok(node @ 0..=1023)) => Ok(Self::Decnet(area, node)),
            _ => Err(()),
        }
    }
}

/// Six bytes: `00-00-1b-12-34-56`, `00:00:1b:12:34:56`, `00001b123456`.
fn octets(text: &str) -> Option<[u8; 6]> {
    let mut digits = String::with_capacity(12);
    if text.len() == 12 {
        digits.push_str(text);
    } else {
        let separator = text.chars().find(|c| matches!(c, '-' | ':'))?;
        for octet in text.split(separator) {
            if octet.len() != 2 {
                return None;
            }
            digits.push_str(octet);
        }
    }
    if digits.len() != 12 || !is_hex(&digits) {
        return None;
    }
    let number = u64::from_str_radix(&digits, 16).ok()?;
    let [_, _, node @ ..] = number.to_be_bytes();
    Some(node)
}

fn is_hex(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_hexdigit())
}

impl fmt::Display for AddressPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::V4(address) => write!(f, "{address}"),
            Self::V6(address) => write!(f, "{address}"),
            Self::Node(node) => write!(f, "{}", Endpoint::mac(*node)),
            Self::Ipx(net, node) => {
                write!(f, "{net:08x}.")?;
                node.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
            }
            Self::Decnet(area, node) => write!(f, "{area}.{node}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_every_kind() {
        let wanted = |text: &str| text.parse::<AddressPattern>();
        assert_eq!(
            wanted("10.0.0.1"),
            Ok(AddressPattern::V4(Ipv4Addr::new(10, 0, 0, 1)))
        );
        assert_eq!(wanted("fe80::1"), wanted("[fe80::1]"));
        let node = [0, 0, 0x1b, 0x12, 0x34, 0x56];
        for text in ["00-00-1b-12-34-56", "00:00:1B:12:34:56", "00001b123456"] {
            assert_eq!(wanted(text), Ok(AddressPattern::Node(node)), "{text}");
        }
        assert_eq!(
            wanted("22.00001b123456"),
            Ok(AddressPattern::Ipx(0x22, node))
        );
        assert_eq!(wanted("1.13"), Ok(AddressPattern::Decnet(1, 13)));
        for wrong in [
            "",
            "10.0.0",
            "64.1",
            "1.1024",
            "00-00-1b",
            "x",
            "00-00-1b-12-34-5g",
        ] {
            assert_eq!(wanted(wrong), Err(()), "{wrong}");
        }
    }

    #[test]
    fn a_node_is_found_under_any_network() {
        let node = [2, 0, 0, 0, 0x22, 1];
        let end = Endpoint::ipx(0x22, node, 0x4003);
        assert!(
            AddressPattern::Node(node).is(&end)
                && AddressPattern::Node(node).is(&Endpoint::mac(node))
        );
        assert!(AddressPattern::Ipx(0x22, node).is(&end));
        assert!(!AddressPattern::Ipx(0x23, node).is(&end));
        assert!(!AddressPattern::Ipx(0x22, node).is(&Endpoint::mac(node)));
    }
}

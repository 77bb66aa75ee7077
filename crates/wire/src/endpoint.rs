//! Who talks: addresses of any protocol in one neutral, hashable shape.

use std::fmt;

/// A station's address, by the protocol that gave it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Address {
    /// No address (a loopback or point-to-point link).
    #[default]
    None,
    /// A MAC address in canonical bit order.
    Mac([u8; 6]),
    /// An IPv4 address.
    V4([u8; 4]),
    /// An IPv6 address.
    V6([u8; 16]),
    /// An IPX or XNS node. The network number is shown but does not tell stations
    /// apart, because 0 means "this segment" and stands for a real number; only a
    /// server's internal node 1 needs its network (`net` below).
    Node {
        /// Network number; 0 unless the node is an internal one.
        net: u32,
        /// Node address, on a LAN the MAC address.
        node: [u8; 6],
    },
    /// A DECnet Phase IV node: area and number.
    Decnet(u16),
}

/// One end of a conversation: an address and, where the protocol has one, a port or socket.
#[derive(Clone, Copy, Debug, Default)]
pub struct Endpoint {
    /// The station.
    pub address: Address,
    /// TCP or UDP port, IPX socket, LLC service access point; `None` where there is none.
    pub port: Option<u16>,
    /// IPX network number as seen in the frame; shown, never compared.
    pub net: u32,
}

impl Endpoint {
    /// A station known by MAC address alone.
    #[must_use]
    pub const fn mac(mac: [u8; 6]) -> Self {
        Self::at(Address::Mac(mac))
    }

    /// The station with this address, of no known network.
    #[must_use]
    pub const fn at(address: Address) -> Self {
        Self {
            address,
            port: None,
            net: 0,
        }
    }

    /// An IPX node and socket. See [`Address::Node`] for how the network number counts.
    #[must_use]
    pub const fn ipx(net: u32, node: [u8; 6], socket: u16) -> Self {
        let internal = matches!(node, [0, 0, 0, 0, 0, _]);
        Self {
            address: Address::Node {
                net: if internal { net } else { 0 },
                node,
            },
            port: Some(socket),
            net,
        }
    }

    /// The station with this port or socket.
    #[must_use]
    pub const fn with_port(mut self, port: u16) -> Self {
        self.port = Some(port);
        self
    }

    /// The endpoint without its port: the "station" that figures are grouped by.
    #[must_use]
    pub const fn station(mut self) -> Self {
        self.port = None;
        self
    }
}

/// All that tells an endpoint from others, in two numbers: endpoints are compared and
/// hashed for every frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Identity {
    kind: u32,
    address: u128,
    port: u32,
}

impl Identity {
    /// The address without its kind.
    #[must_use]
    #[inline]
    pub const fn address(self) -> u128 {
        self.address
    }

    /// Kind of address and port, in 35 bits.
    #[must_use]
    #[inline]
    pub const fn rest(self) -> u64 {
        (self.kind as u64) << 32 | self.port as u64
    }
}

impl Endpoint {
    /// What is compared when endpoints are: the kind of address, the address, the port.
    #[must_use]
    #[inline]
    pub const fn identity(&self) -> Identity {
        let (kind, address) = match self.address {
            Address::None => (0, 0),
            Address::Mac(mac) => (1, six(mac) as u128),
            Address::V4(address) => (2, u32::from_be_bytes(address) as u128),
            Address::V6(address) => (3, u128::from_be_bytes(address)),
            Address::Node { net, node } => (4, (net as u128) << 48 | six(node) as u128),
            Address::Decnet(address) => (5, address as u128),
        };
        let port = match self.port {
            Some(port) => 1 << 16 | port as u32,
            None => 0,
        };
        Identity {
            kind,
            address,
            port,
        }
    }
}

const fn six([a, b, c, d, e, f]: [u8; 6]) -> u64 {
    u64::from_be_bytes([0, 0, a, b, c, d, e, f])
}

impl PartialEq for Endpoint {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.port == other.port && self.address == other.address
    }
}

impl Eq for Endpoint {}

impl std::hash::Hash for Endpoint {
    #[inline]
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        let identity = self.identity();
        state.write_u128(identity.address);
        state.write_u64(identity.rest());
    }
}

impl PartialOrd for Endpoint {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Endpoint {
    #[inline]
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.identity().cmp(&other.identity())
    }
}

/// `10.0.0.1:445`, `[fe80::1]:445`, `00-00-1b-12-34-56`, `00000022.020000002201:4003`
/// (network, node and socket in hexadecimal, as NetWare writes them), `1.13` for DECnet.
impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.address {
            Address::None => f.write_str("-")?,
            Address::Mac(m) => write!(
                f,
                "{:02x}-{:02x}-{:02x}-{:02x}-{:02x}-{:02x}",
                m[0], m[1], m[2], m[3], m[4], m[5]
            )?,
            Address::V4(a) => write!(f, "{}", std::net::Ipv4Addr::from(a))?,
            Address::V6(a) if self.port.is_some() => {
                write!(f, "[{}]", std::net::Ipv6Addr::from(a))?
            }
            Address::V6(a) => write!(f, "{}", std::net::Ipv6Addr::from(a))?,
            Address::Node { node: n, .. } => write!(
                f,
                "{:08x}.{:02x}{:02x}{:02x}{:02x}{:02x}{:02x}",
                self.net, n[0], n[1], n[2], n[3], n[4], n[5]
            )?,
            Address::Decnet(a) => write!(f, "{}.{}", a >> 10, a & 0x3ff)?,
        }
        match (self.address, self.port) {
            (_, None) => Ok(()),
            (Address::Node { .. }, Some(socket)) => write!(f, ":{socket:04x}"),
            (Address::Mac(_), Some(sap)) => write!(f, ":{sap:02x}"),
            (_, Some(port)) => write!(f, ":{port}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_number_only_counts_for_an_internal_node() {
        let node = [0, 0, 0x1b, 1, 2, 3];
        assert_eq!(
            Endpoint::ipx(0, node, 0x4003),
            Endpoint::ipx(0x22, node, 0x4003)
        );
        let server = [0, 0, 0, 0, 0, 1];
        assert_ne!(
            Endpoint::ipx(1, server, 0x451),
            Endpoint::ipx(2, server, 0x451)
        );
    }

    #[test]
    fn endpoints_read_as_their_field_writes_them() {
        let v6 = Endpoint {
            address: Address::V6([0; 16]),
            port: Some(445),
            net: 0,
        };
        assert_eq!(v6.to_string(), "[::]:445");
        assert_eq!(v6.station().to_string(), "::");
        assert_eq!(
            Endpoint::ipx(0x22, [2, 0, 0, 0, 0x22, 1], 0x4003).to_string(),
            "00000022.020000002201:4003"
        );
        assert_eq!(
            Endpoint::mac([0, 0, 0x1b, 0x12, 0x34, 0x56]).to_string(),
            "00-00-1b-12-34-56"
        );
    }
}

//! Clients that are one machine with several protocols, each with an address of its own.
//!
//! A workstation that reads from a NetWare server by IPX and from a LAN Manager server by NetBEUI waits for one and then for the
//! other: one timeline, not two. The node of an IPX address is that of the network card (Novell, IPX Router
//! Specification, section 1), and so is an address of NetBEUI or LAST. An IP address is its card's where one alone sends with
//! that; a router sends with many.

use crate::table::Table;
use wirewait_wire::{Address, Endpoint};

/// A network card that clients send with.
#[derive(Clone, Copy, Debug, Default)]
struct Machine {
    /// The client that was met first.
    first: Endpoint,
    /// The IP address that it sends with, as far as one was met.
    ip: Option<Address>,
    /// There was another one: it is a router's, and these are those of others.
    routes: bool,
}

/// The machines of clients.
pub(crate) struct Machines {
    cards: Table<[u8; 6], Machine>,
    pub(crate) evicted: u64,
}

impl Machines {
    pub(crate) fn new(rows: usize) -> Self {
        Self {
            cards: Table::new(rows),
            evicted: 0,
        }
    }

    /// This client is met, whose frames come from this address on the link: the one that it is, if it was met under another address.
    /// `known`: whether something is kept of that one.
    #[cold]
    #[inline(never)]
    pub(crate) fn meets(
        &mut self,
        client: Endpoint,
        neighbour: Address,
        known: impl FnOnce(Endpoint) -> bool,
    ) -> Option<Endpoint> {
        let client = client.station();
        let (card, ip) = match (client.address, neighbour) {
            (Address::Mac(mac), _) => (mac, None),
            // Internal networks have nodes of their own.
            (Address::Node { net: 0, node }, _) => (node, None),
            (ip @ (Address::V4(_) | Address::V6(_)), Address::Mac(mac)) => (mac, Some(ip)),
            _ => return None,
        };
        let machine = Machine {
            first: client,
            ip,
            routes: false,
        };
        let (place, evicted) = self.cards.place_of(&card, || machine);
        self.evicted += u64::from(evicted.is_some());
        let machine = self.cards.at(place);
        if let Some(ip) = ip {
            machine.routes |= *machine.ip.get_or_insert(ip) != ip;
        }
        let is_ip = machine.ip == Some(machine.first.address);
        if machine.first == client || machine.routes && (ip.is_some() || is_ip) {
            return None;
        }
        if !known(machine.first) {
            machine.first = client;
            return None;
        }
        Some(machine.first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CARD: [u8; 6] = [2, 0, 0, 0, 0, 7];
    const MAC: Address = Address::Mac(CARD);

    fn ip(last: u8) -> Endpoint {
        Endpoint::at(Address::V4([10, 0, 0, last]))
    }

    fn ipx(card: [u8; 6]) -> Endpoint {
        Endpoint::ipx(0x10, card, 0x4003)
    }

    /// The first address of each of these, met one after the other, if it has another.
    fn met<const N: usize>(clients: [Endpoint; N]) -> [Option<Endpoint>; N] {
        let mut machines = Machines::new(10);
        clients.map(|client| machines.meets(client, MAC, |_| true))
    }

    #[test]
    fn a_card_has_one_machine() {
        let (netbeui, ipx_first) = (Endpoint::mac(CARD), ipx(CARD).station());
        assert_eq!(
            met([ipx(CARD), netbeui, ip(1), ipx(CARD)]),
            [None, Some(ipx_first), Some(ipx_first), None]
        );
        assert_eq!(met([ip(1), netbeui]), [None, Some(ip(1))]);
        let other = [2, 0, 0, 0, 0, 8];
        assert_eq!(met([ipx(CARD), Endpoint::mac(other)]), [None; 2]);
        assert_eq!(met([ipx([0, 0, 0, 0, 0, 1]), ip(1)]), [None; 2], "internal");
    }

    #[test]
    fn a_router_is_no_machine_of_those_behind_it() {
        assert_eq!(met([ip(1), ip(2)]), [None; 2]);
        assert_eq!(met([ip(1), ip(2), ipx(CARD)]), [None; 3]);
        let first = Some(ipx(CARD).station());
        assert_eq!(met([ipx(CARD), ip(1), ip(2)]), [None, first, None]);
    }

    #[test]
    fn who_is_forgotten_is_no_longer_the_first() {
        let mut machines = Machines::new(10);
        machines.meets(ipx(CARD), MAC, |_| true);
        let netbeui = Endpoint::mac(CARD);
        assert_eq!(machines.meets(netbeui, MAC, |_| false), None);
        assert_eq!(machines.meets(ip(1), MAC, |_| true), Some(netbeui));
    }
}

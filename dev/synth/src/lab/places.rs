//! Where the stations are: the frames around what they send.

use super::LabCarrier;
use crate::ethernet::{self, Encapsulation, Header, Mac};
use crate::ipv4::{self, Socket};
use crate::ipx::{self, Address, Framing};
use crate::llc::{self, Control};
use crate::nbipx;
use std::net::Ipv4Addr;

/// From a client to the server, and back.
pub(super) const TO_SERVER: usize = 0;
pub(super) const TO_CLIENT: usize = 1;

const SERVER: Mac = [2, 0, 0, 0, 0, 1];
const NET: u32 = 0x22;
/// The client's port or socket where the protocol leaves the choice to it.
const NCP_CLIENT: u16 = 0x4003;
const SMB_CLIENT: u16 = 0x0552;
const NCP_PORT: u16 = 524;

/// One client and the server.
#[derive(Clone, Copy)]
pub(super) struct Places {
    number: u8,
    /// IP identification of the next packet of each side.
    ids: [u16; 2],
}

impl Places {
    pub(super) fn new(client: usize) -> Self {
        Self {
            number: u8::try_from(client + 2).unwrap_or(u8::MAX),
            ids: [1; 2],
        }
    }

    fn macs(&self, direction: usize) -> (Mac, Mac) {
        let client = [2, 0, 0, 0, 0x22, self.number];
        match direction {
            TO_SERVER => (client, SERVER),
            _ => (SERVER, client),
        }
    }

    fn header(&self, direction: usize) -> Header {
        let (source, destination) = self.macs(direction);
        Header {
            destination,
            source,
            vlan: None,
        }
    }

    fn ipx(&self, direction: usize, sockets: (u16, u16), kind: u8, data: &[u8]) -> Vec<u8> {
        let (from, to) = self.macs(direction);
        let (client, server) = sockets;
        let (from_socket, to_socket) = match direction {
            TO_SERVER => (client, server),
            _ => (server, client),
        };
        let address = |node, socket| Address {
            net: NET,
            node,
            socket,
        };
        let (from, to) = (address(from, from_socket), address(to, to_socket));
        let packet = ipx::packet(&from, &to, kind, 0, data);
        ipx::frame(&self.header(direction), Framing::Raw, &packet)
    }

    /// A packet of its own.
    pub(super) fn datagram(
        &mut self,
        carrier: LabCarrier,
        direction: usize,
        data: &[u8],
    ) -> Vec<u8> {
        match carrier {
            LabCarrier::NcpUdp => self.udp(direction, data),
            LabCarrier::SmbIpx => {
                let sockets = (SMB_CLIENT, ipx::SMB_SOCKET);
                self.ipx(direction, sockets, ipx::TYPE_EXCHANGE, data)
            }
            _ => self.ipx(
                direction,
                (NCP_CLIENT, ipx::NCP_SOCKET),
                ipx::TYPE_NCP,
                data,
            ),
        }
    }

    fn udp(&mut self, direction: usize, data: &[u8]) -> Vec<u8> {
        let at = |host, port| Socket {
            address: Ipv4Addr::new(10, 7, 0, host),
            port,
        };
        let (client, server) = (at(self.number, 1024), at(1, NCP_PORT));
        let (from, to) = match direction {
            TO_SERVER => (client, server),
            _ => (server, client),
        };
        let id = self.ids[direction];
        self.ids[direction] = id.wrapping_add(1);
        let datagram = ipv4::udp(from, to, data);
        let packet = ipv4::packet(from.address, to.address, ipv4::UDP, id, &datagram);
        ethernet::frame(
            &self.header(direction),
            Encapsulation::Type(0x0800),
            &packet,
        )
    }

    /// A frame of the link below NetBEUI.
    pub(super) fn llc(&self, direction: usize, control: Control, data: &[u8]) -> Vec<u8> {
        let pdu = llc::pdu(control, data);
        ethernet::frame(&self.header(direction), Encapsulation::Length, &pdu)
    }

    /// A packet of a NetBIOS session over IPX.
    pub(super) fn nbipx(&self, direction: usize, data: &[u8]) -> Vec<u8> {
        let sockets = (nbipx::SOCKET, nbipx::SOCKET);
        self.ipx(direction, sockets, ipx::TYPE_EXCHANGE, data)
    }

    /// NetBEUI's session numbers, or NBIPX's connection numbers: of the client, and of the server.
    pub(super) fn numbers(&self) -> [u8; 2] {
        [self.number, 0x40 + self.number]
    }
}

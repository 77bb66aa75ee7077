//! From a unit to the frame that carries it.

use super::{Conversation, Delivery, Kind, TO_SERVER, Unit};
use crate::ethernet::{self, Encapsulation, Header};
use crate::ipv4::{self, Segment, Socket, flag};
use crate::ipx;
use crate::llc::{self, Control};
use crate::scenario::station::{Settings, StationAddress};

impl Conversation {
    /// The frame of a unit at this moment.
    pub(super) fn render(
        &mut self,
        settings: &Settings,
        direction: usize,
        at: i64,
        unit: &Unit,
        delivery: &Delivery,
    ) -> Vec<u8> {
        match self.kind {
            Kind::Ipx => self.ipx_frame(settings, direction, &unit.payload),
            Kind::Nbipx | Kind::Spx => self.packet(settings, direction, at, unit),
            Kind::Idp => self.datagram(settings, direction, unit),
            Kind::Spp => self.sequenced(settings, direction, at, unit, !delivery.unmarked),
            Kind::Nbp => self.nbp_frame(settings, direction, unit),
            Kind::Last => self.last_frame(settings, direction, unit, delivery),
            Kind::Nsp => self.nsp_frame(settings, direction, at, unit, delivery),
            Kind::Udp => {
                let (from, to) = self.sockets(settings, direction);
                let datagram = ipv4::udp(from, to, &unit.payload);
                self.ip_frame(settings, direction, ipv4::UDP, &datagram)
            }
            Kind::Tcp => {
                let flags = if unit.last {
                    flag::PSH | flag::ACK
                } else {
                    flag::ACK
                };
                self.tcp_frame(settings, direction, at, unit.start, flags, &unit.payload)
            }
            Kind::Nbf => {
                let expected = self.ends[direction].received.expected(at);
                let control = Control::I(unit.start as u8, expected as u8, delivery.poll);
                self.llc_frame(settings, direction, control, &unit.payload)
            }
        }
    }

    pub(super) fn ipx_frame(&self, settings: &Settings, direction: usize, data: &[u8]) -> Vec<u8> {
        let ends = [direction, 1 - direction].map(|end| self.station(settings, end));
        let [Some(from), Some(to)] = ends.map(|station| station.address.ipx()) else {
            return Vec::new();
        };
        let ncp = [from.socket, to.socket].contains(&ipx::NCP_SOCKET);
        let kind = match self.kind {
            Kind::Spx => ipx::TYPE_SPX,
            _ if ncp => ipx::TYPE_NCP,
            _ => ipx::TYPE_EXCHANGE,
        };
        let packet = ipx::packet(from, to, kind, ends[0].hops, data);
        let header = self.header(settings, direction);
        ipx::frame(&header, self.framing(settings), &packet)
    }

    pub(super) fn framing(&self, settings: &Settings) -> ipx::Framing {
        let framing = self.ends[TO_SERVER].own(settings, |client| client.framing);
        framing.unwrap_or(settings.framing)
    }

    pub(super) fn sockets(&self, settings: &Settings, direction: usize) -> (Socket, Socket) {
        let socket = |end: usize| match self.station(settings, end).address {
            StationAddress::Tcp(socket) | StationAddress::Udp(socket) => socket,
            // Not reached: only conversations over IP ask.
            _ => Socket {
                address: [0; 4].into(),
                port: 0,
            },
        };
        (socket(direction), socket(1 - direction))
    }

    pub(super) fn ip_frame(
        &mut self,
        settings: &Settings,
        direction: usize,
        protocol: u8,
        data: &[u8],
    ) -> Vec<u8> {
        let (from, to) = self.sockets(settings, direction);
        let end = &mut self.ends[direction];
        let unnumbered = end.own(settings, |station| Some(station.unnumbered));
        let id = match unnumbered {
            Some(true) => 0,
            _ => end.packet_id,
        };
        let packet = ipv4::packet(from.address, to.address, protocol, id, data);
        end.packet_id = end.packet_id.wrapping_add(1);
        let header = self.header(settings, direction);
        ethernet::frame(&header, Encapsulation::Type(0x0800), &packet)
    }

    /// Where the numbers of a direction begin.
    pub(super) fn first_number(&self, direction: usize) -> u32 {
        let station = u32::try_from(self.ends[direction].station).unwrap_or(0);
        0x1000_0000u32
            .wrapping_mul(direction as u32 + 1)
            .wrapping_add(station << 20)
    }

    pub(super) fn tcp_frame(
        &mut self,
        settings: &Settings,
        direction: usize,
        at: i64,
        start: u64,
        flags: u8,
        data: &[u8],
    ) -> Vec<u8> {
        // An opening SYN acknowledges nothing and offers the segment size.
        let opening = flags & flag::SYN != 0;
        let expected = self.ends[direction].received.expected(at);
        let (from, to) = self.sockets(settings, direction);
        let most = self.station(settings, direction).most.to_be_bytes();
        let offer = [2, 4, most[most.len() - 2], most[most.len() - 1]];
        let segment = Segment {
            sequence: self.first_number(direction).wrapping_add(start as u32),
            acknowledgement: if flags & flag::ACK == 0 {
                0
            } else {
                self.first_number(1 - direction)
                    .wrapping_add(expected as u32)
            },
            flags,
            window: self.ends[direction].window,
            options: if opening { &offer } else { &[] },
            data,
        };
        let segment = ipv4::tcp(from, to, &segment);
        self.ip_frame(settings, direction, ipv4::TCP, &segment)
    }

    pub(super) fn llc_frame(
        &self,
        settings: &Settings,
        direction: usize,
        control: Control,
        information: &[u8],
    ) -> Vec<u8> {
        let pdu = llc::pdu(control, information);
        ethernet::frame(
            &self.header(settings, direction),
            Encapsulation::Length,
            &pdu,
        )
    }

    pub(super) fn header(&self, settings: &Settings, direction: usize) -> Header {
        Header {
            destination: self.station(settings, 1 - direction).mac,
            source: self.station(settings, direction).mac,
            vlan: self.ends[TO_SERVER]
                .own(settings, |client| client.vlan)
                .or(settings.vlan),
        }
    }
}

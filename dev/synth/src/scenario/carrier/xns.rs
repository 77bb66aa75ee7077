//! XNS: datagrams, the connections of SPP, and 3Com's NBP.

use super::{Context, Conversation, Kind, TO_SERVER, Unit};
use crate::ethernet::{self, Encapsulation};
use crate::idp;
use crate::ipx;
use crate::scenario::error::Fault;
use crate::scenario::station::{Settings, StationAddress};
use crate::scenario::words::{Options, Word};
use crate::spp::{self, flag};

/// Packets that a receiver takes before it must acknowledge.
const WINDOW: u16 = 4;

/// A datagram before it is addressed.
pub(in crate::scenario) struct Datagram {
    pub(in crate::scenario) kind: u8,
    /// It goes to all hosts of the network.
    pub(in crate::scenario) everyone: bool,
    pub(in crate::scenario) data: Vec<u8>,
}

impl Datagram {
    /// As a unit carries it: type, then 1 if it is for everyone, then the data.
    pub(in crate::scenario) fn pack(self) -> Vec<u8> {
        let mut out = vec![self.kind, u8::from(self.everyone)];
        out.extend(self.data);
        out
    }

    fn unpack(bytes: &[u8]) -> Self {
        let (head, data) = bytes.split_at(bytes.len().min(2));
        Self {
            kind: head.first().copied().unwrap_or(0),
            everyone: head.get(1) == Some(&1),
            data: data.to_vec(),
        }
    }
}

impl Conversation {
    /// The frame of a datagram between these stations' addresses.
    pub(super) fn datagram(
        &mut self,
        settings: &Settings,
        direction: usize,
        unit: &Unit,
    ) -> Vec<u8> {
        let datagram = Datagram::unpack(&unit.payload);
        let everyone = datagram.everyone.then_some([0xff; 6]);
        let (from, mut to) = self.xns_ends(settings, direction);
        to.node = everyone.unwrap_or(to.node);
        let hops = self.station(settings, direction).hops;
        let packet = idp::packet(&from, &to, datagram.kind, hops, &datagram.data);
        let mut header = self.header(settings, direction);
        header.destination = everyone.unwrap_or(header.destination);
        let frame = idp::frame(&header, self.framing(settings), &packet);
        self.ends[direction].packet = packet;
        frame
    }

    /// The packet of a connection's unit at this moment.
    pub(super) fn sequenced(
        &mut self,
        settings: &Settings,
        direction: usize,
        at: i64,
        unit: &Unit,
        marked: bool,
    ) -> Vec<u8> {
        let ends = marked && unit.offset + unit.payload.len() == unit.total;
        let header = spp::Header {
            control: flag::ACK_WANTED | if ends { flag::END_OF_MESSAGE } else { 0 },
            sequence: unit.start as u16,
            ..self.spp_header(settings, direction, at)
        };
        self.spp_frame(settings, direction, header, &unit.payload, None)
    }

    /// A frame of NBP: its unit begins with the EtherType.
    pub(super) fn nbp_frame(&self, settings: &Settings, direction: usize, unit: &Unit) -> Vec<u8> {
        let (kind, data) = unit.payload.split_at(unit.payload.len().min(2));
        let kind = match *kind {
            [high, low] => u16::from_be_bytes([high, low]),
            _ => 0,
        };
        let header = self.header(settings, direction);
        ethernet::frame(&header, Encapsulation::Type(kind), data)
    }

    /// Sender and receiver of this direction.
    fn xns_ends(&self, settings: &Settings, direction: usize) -> (ipx::Address, ipx::Address) {
        let address = |end: usize| match &self.station(settings, end).address {
            StationAddress::Idp(address) | StationAddress::Spp { idp: address, .. } => *address,
            // Not reached: only conversations over IDP ask.
            _ => ipx::Address {
                net: 0,
                node: [0; 6],
                socket: 0,
            },
        };
        (address(direction), address(1 - direction))
    }

    /// What an SPP packet says at this moment.
    fn spp_header(&mut self, settings: &Settings, direction: usize, at: i64) -> spp::Header {
        let number = |end: usize| match self.station(settings, end).address {
            StationAddress::Spp { connection, .. } => connection,
            _ => 0,
        };
        let (source, destination) = (number(direction), number(1 - direction));
        let acknowledge = self.ends[direction].received.expected(at) as u16;
        let window = self.ends[direction].window.min(WINDOW);
        spp::Header {
            stream: self.ends[direction].stream,
            source,
            destination,
            sequence: self.ends[direction].next as u16,
            acknowledge,
            allocation: acknowledge.wrapping_add(window).wrapping_sub(1),
            ..spp::Header::default()
        }
    }

    /// A packet in its frame; `socket` is the receiver's if it is not his own.
    fn spp_frame(
        &mut self,
        settings: &Settings,
        direction: usize,
        header: spp::Header,
        data: &[u8],
        socket: Option<u16>,
    ) -> Vec<u8> {
        let (from, mut to) = self.xns_ends(settings, direction);
        to.socket = socket.unwrap_or(to.socket);
        let hops = self.station(settings, direction).hops;
        let packet = idp::packet(&from, &to, idp::TYPE_SPP, hops, &spp::packet(header, data));
        let frame = idp::frame(
            &self.header(settings, direction),
            self.framing(settings),
            &packet,
        );
        self.ends[direction].packet = packet;
        frame
    }

    fn spp_put(
        &mut self,
        context: &mut Context<'_>,
        direction: usize,
        at: i64,
        header: spp::Header,
        data: &[u8],
    ) {
        let frame = self.spp_frame(context.settings, direction, header, data, None);
        self.put(context, direction, at, frame);
    }

    /// A packet that has a number but is no piece of a message.
    fn spp_numbered(
        &mut self,
        context: &mut Context<'_>,
        direction: usize,
        at: i64,
        header: spp::Header,
        data: &[u8],
    ) {
        self.spp_put(context, direction, at, header, data);
        let unit = self.unit(direction, Vec::new(), 1);
        self.arrive(direction, at, &unit);
    }

    /// The call goes to the socket at which the server listens; the server answers from its
    /// own, and the client acknowledges that. None of them has a number.
    pub(super) fn connect_spp(&mut self, context: &mut Context<'_>, at: i64, gap: i64) {
        let (client, server) = (TO_SERVER, 1 - TO_SERVER);
        let listens = match self.station(context.settings, server).address {
            StationAddress::Spp { listens, .. } => listens,
            _ => None,
        };
        let call = spp::Header {
            control: flag::SYSTEM | flag::ACK_WANTED,
            destination: spp::UNKNOWN,
            ..self.spp_header(context.settings, client, at)
        };
        let frame = self.spp_frame(context.settings, client, call, &[], listens);
        self.put(context, client, at, frame);
        let at = at.saturating_add(gap);
        let answer = spp::Header {
            control: flag::SYSTEM | flag::ACK_WANTED,
            ..self.spp_header(context.settings, server, at)
        };
        self.spp_put(context, server, at, answer, &[]);
        let at = at.saturating_add(gap);
        let ready = spp::Header {
            control: flag::SYSTEM,
            ..self.spp_header(context.settings, client, at)
        };
        self.spp_put(context, client, at, ready, &[]);
    }

    /// End, end reply, end reply: each has a number.
    pub(super) fn finish_spp(
        &mut self,
        context: &mut Context<'_>,
        direction: usize,
        at: i64,
        gap: i64,
    ) {
        let other = 1 - direction;
        let turns = [
            (direction, spp::END),
            (other, spp::END_REPLY),
            (direction, spp::END_REPLY),
        ];
        let mut at = at;
        for (from, stream) in turns {
            let header = spp::Header {
                stream,
                ..self.spp_header(context.settings, from, at)
            };
            self.spp_numbered(context, from, at, header, &[]);
            at = at.saturating_add(gap);
        }
    }

    pub(super) fn spp_upkeep(
        &mut self,
        context: &mut Context<'_>,
        direction: usize,
        at: i64,
        verb: &Word,
        options: &Options,
    ) -> Result<(), Fault> {
        if verb.text == "stream" {
            self.ends[direction].stream = options.or("type", 0)?;
            return Ok(());
        }
        let header = self.spp_header(context.settings, direction, at);
        let (control, window) = match verb.text.as_str() {
            "ack" => (flag::SYSTEM, options.maybe("window")?),
            "probe" => (flag::SYSTEM | flag::ACK_WANTED, options.maybe("window")?),
            "attention" => {
                let control = flag::ATTENTION | flag::ACK_WANTED;
                let byte = options.or("byte", 1)?;
                let header = spp::Header { control, ..header };
                self.spp_numbered(context, direction, at, header, &[byte]);
                return Ok(());
            }
            _ => return Err(verb.expected("ack, probe, attention, stream or data")),
        };
        let allocation = window.map_or(header.allocation, |window: u16| {
            header.acknowledge.wrapping_add(window).wrapping_sub(1)
        });
        let header = spp::Header {
            control,
            allocation,
            ..header
        };
        self.spp_put(context, direction, at, header, &[]);
        Ok(())
    }

    /// What is said about the last packet of the other side: that it could not be delivered.
    pub(super) fn xns_upkeep(
        &mut self,
        context: &mut Context<'_>,
        direction: usize,
        at: i64,
        verb: &Word,
        options: &Options,
    ) -> Result<(), Fault> {
        if verb.text != "error" {
            return Err(verb.expected("error"));
        }
        let error = idp::error(
            options.or("number", 0)?,
            options.or("parameter", 0)?,
            &self.ends[1 - direction].packet,
        );
        let (from, mut to) = self.xns_ends(context.settings, direction);
        to.socket = options.or("socket", to.socket)?;
        let packet = idp::packet(&from, &to, idp::TYPE_ERROR, 0, &error);
        let header = self.header(context.settings, direction);
        let frame = idp::frame(&header, self.framing(context.settings), &packet);
        self.put(context, direction, at, frame);
        Ok(())
    }

    /// Whether stations of this kind speak IDP.
    pub(super) fn speaks_xns(&self) -> bool {
        matches!(self.kind, Kind::Idp | Kind::Spp)
    }
}

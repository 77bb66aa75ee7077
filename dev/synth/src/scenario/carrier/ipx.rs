//! The connections over IPX: NetBIOS sessions and SPX.

use super::{Context, Conversation, Kind, TO_SERVER, Unit, cut};
use crate::ethernet::{self, Header};
use crate::nbipx;
use crate::scenario::error::Fault;
use crate::scenario::station::{Settings, StationAddress};
use crate::scenario::words::Word;
use crate::{ipx, spx};

impl Conversation {
    /// The numbers of the connection: the receiver's, then the sender's.
    fn connections(&self, settings: &Settings, direction: usize) -> (u16, u16) {
        let number = |end: usize| match self.station(settings, end).address {
            StationAddress::Nbipx { connection, .. } | StationAddress::Spx { connection, .. } => {
                connection
            }
            _ => 0,
        };
        (number(1 - direction), number(direction))
    }

    /// Each message in packets; they say where in it they belong.
    pub(super) fn packet_units(
        &mut self,
        direction: usize,
        messages: &[Vec<u8>],
        most: usize,
        sizes: &[usize],
    ) -> Vec<Unit> {
        let mut units = Vec::new();
        for message in messages {
            let mut offset = 0;
            for piece in cut(message, most, sizes) {
                let unit = self.unit(direction, piece.to_vec(), 1);
                units.push(Unit {
                    offset,
                    total: message.len(),
                    ..unit
                });
                offset += piece.len();
            }
        }
        units
    }

    /// The packet of a unit at this moment.
    pub(super) fn packet(
        &mut self,
        settings: &Settings,
        direction: usize,
        at: i64,
        unit: &Unit,
    ) -> Vec<u8> {
        let end = if unit.offset + unit.payload.len() == unit.total {
            nbipx::flag::END_OF_MESSAGE
        } else {
            0
        };
        let payload = match self.kind {
            Kind::Spx => {
                let mut header = self.spx_header(settings, direction, at);
                header.control |= spx::flag::ACK_WANTED | end;
                header.sequence = unit.start as u16;
                spx::packet(header, &unit.payload)
            }
            _ => {
                let header = nbipx::Header {
                    control: nbipx::flag::ACK_WANTED | end,
                    sequence: unit.start as u16,
                    total: u16::try_from(unit.total).unwrap_or(u16::MAX),
                    offset: u16::try_from(unit.offset).unwrap_or(u16::MAX),
                    ..self.nbipx_header(settings, direction, at)
                };
                nbipx::session(header, &unit.payload)
            }
        };
        self.ipx_frame(settings, direction, &payload)
    }

    /// What an NBIPX session packet says at this moment, whatever it is.
    fn nbipx_header(&mut self, settings: &Settings, direction: usize, at: i64) -> nbipx::Header {
        let (destination, source) = self.connections(settings, direction);
        nbipx::Header {
            stream: nbipx::stream::DATA,
            source,
            destination,
            sequence: self.ends[direction].next as u16,
            expects: self.ends[direction].received.expected(at) as u16,
            ..nbipx::Header::default()
        }
    }

    /// What an SPX packet says at this moment. One packet more than is acknowledged is taken;
    /// in SPX II, eight.
    fn spx_header(&mut self, settings: &Settings, direction: usize, at: i64) -> spx::Header {
        let (destination, source) = self.connections(settings, direction);
        let acknowledge = self.ends[direction].received.expected(at) as u16;
        let size = match self.station(settings, direction).address {
            StationAddress::Spx { size, .. } => size,
            _ => None,
        };
        spx::Header {
            control: size.map_or(0, |_| spx::flag::SPX2),
            source,
            destination,
            sequence: self.ends[direction].next as u16,
            acknowledge,
            allocation: acknowledge.wrapping_add(size.map_or(0, |_| 7)),
            size,
            ..spx::Header::default()
        }
    }

    fn nbipx_put(
        &mut self,
        context: &mut Context<'_>,
        direction: usize,
        at: i64,
        header: nbipx::Header,
        data: &[u8],
    ) {
        let payload = nbipx::session(header, data);
        let frame = self.ipx_frame(context.settings, direction, &payload);
        self.put(context, direction, at, frame);
    }

    fn spx_put(
        &mut self,
        context: &mut Context<'_>,
        direction: usize,
        at: i64,
        header: spx::Header,
        data: &[u8],
    ) {
        let payload = spx::packet(header, data);
        let frame = self.ipx_frame(context.settings, direction, &payload);
        self.put(context, direction, at, frame);
    }

    /// The call, which takes the caller's number 0, and its answer, which takes none.
    pub(super) fn connect_nbipx(&mut self, context: &mut Context<'_>, at: i64, gap: i64) {
        let (client, server) = (TO_SERVER, 1 - TO_SERVER);
        let name = |end: usize| match self.station(context.settings, end).address {
            StationAddress::Nbipx { name, .. } => name,
            _ => [0; 16],
        };
        let (caller, called) = (name(client), name(server));
        let most = |end: usize| u16::try_from(self.station(context.settings, end).most);
        let most = most(client).unwrap_or(u16::MAX);
        let call = nbipx::Header {
            control: nbipx::flag::ACK_WANTED | nbipx::flag::MICROSOFT,
            destination: nbipx::UNKNOWN,
            sequence: 0,
            total: 38,
            ..self.nbipx_header(context.settings, client, at)
        };
        let data = nbipx::opening(&caller, &called, most);
        self.nbipx_put(context, client, at, call, &data);
        let at = at.saturating_add(gap);
        let answer = nbipx::Header {
            control: nbipx::flag::SYSTEM | nbipx::flag::MICROSOFT,
            total: 38,
            ..self.nbipx_header(context.settings, server, at)
        };
        let data = nbipx::opening(&called, &caller, most);
        self.nbipx_put(context, server, at, answer, &data);
    }

    /// Opening takes no numbers. In SPX II the client tries the size of packets with one of
    /// that size, and the server sets the session up likewise.
    pub(super) fn connect_spx(&mut self, context: &mut Context<'_>, at: i64, gap: i64) {
        let (client, server) = (TO_SERVER, 1 - TO_SERVER);
        let mut turns = vec![(client, true, true), (server, false, false)];
        if let StationAddress::Spx { size: Some(_), .. } =
            self.station(context.settings, client).address
        {
            turns.extend([
                (client, true, false),
                (server, false, false),
                (server, true, false),
                (client, false, false),
            ]);
        }
        let mut at = at;
        for (direction, asks, opens) in turns {
            let mut header = self.spx_header(context.settings, direction, at);
            header.control |= spx::flag::SYSTEM;
            if asks {
                header.control |= spx::flag::ACK_WANTED;
            }
            let mut filling = 0;
            if let Some(size) = header.size {
                header.control |= spx::flag::NEGOTIATE;
                if asks && !opens {
                    filling = usize::from(size.saturating_sub(44));
                }
            }
            if opens {
                header.destination = spx::UNKNOWN;
                header.size = None;
            }
            self.spx_put(context, direction, at, header, &vec![0; filling]);
            at = at.saturating_add(gap);
        }
    }

    /// As captures show it, the end has a number, and the answer to it does not count it.
    pub(super) fn finish_nbipx(
        &mut self,
        context: &mut Context<'_>,
        direction: usize,
        at: i64,
        gap: i64,
    ) {
        let end = nbipx::Header {
            control: nbipx::flag::ACK_WANTED,
            stream: nbipx::stream::END,
            ..self.nbipx_header(context.settings, direction, at)
        };
        self.nbipx_put(context, direction, at, end, &[]);
        let at = at.saturating_add(gap);
        let ended = nbipx::Header {
            control: nbipx::flag::SYSTEM,
            stream: nbipx::stream::END_ACK,
            ..self.nbipx_header(context.settings, 1 - direction, at)
        };
        self.nbipx_put(context, 1 - direction, at, ended, &[]);
    }

    /// The end takes a number.
    pub(super) fn finish_spx(
        &mut self,
        context: &mut Context<'_>,
        direction: usize,
        at: i64,
        gap: i64,
    ) {
        let mut end = self.spx_header(context.settings, direction, at);
        end.control |= spx::flag::ACK_WANTED;
        end.stream = spx::END;
        self.spx_put(context, direction, at, end, &[]);
        let unit = self.unit(direction, Vec::new(), 1);
        self.arrive(direction, at, &unit);
        let at = at.saturating_add(gap);
        let ended = spx::Header {
            stream: spx::END_ACK,
            ..self.spx_header(context.settings, 1 - direction, at)
        };
        self.spx_put(context, 1 - direction, at, ended, &[]);
    }

    pub(super) fn nbipx_upkeep(
        &mut self,
        context: &mut Context<'_>,
        direction: usize,
        at: i64,
        verb: &Word,
    ) -> Result<(), Fault> {
        let about_name = match verb.text.as_str() {
            "find-name" => Some(nbipx::stream::FIND_NAME),
            "name-recognized" => Some(nbipx::stream::NAME_RECOGNIZED),
            _ => None,
        };
        if let Some(stream) = about_name {
            self.about_name(context, direction, at, stream);
            return Ok(());
        }
        let more = match verb.text.as_str() {
            "ack" => 0,
            "nak" => nbipx::flag::RESEND,
            "probe" => nbipx::flag::ACK_WANTED,
            _ => return Err(verb.expected("ack, nak, probe, find-name or name-recognized")),
        };
        let header = nbipx::Header {
            control: nbipx::flag::SYSTEM | more,
            ..self.nbipx_header(context.settings, direction, at)
        };
        self.nbipx_put(context, direction, at, header, &[]);
        Ok(())
    }

    pub(super) fn spx_upkeep(
        &mut self,
        context: &mut Context<'_>,
        direction: usize,
        at: i64,
        verb: &Word,
    ) -> Result<(), Fault> {
        let more = match verb.text.as_str() {
            "ack" => 0,
            "watchdog" => spx::flag::ACK_WANTED,
            _ => return Err(verb.expected("ack, watchdog or data")),
        };
        let mut header = self.spx_header(context.settings, direction, at);
        header.control |= spx::flag::SYSTEM | more;
        self.spx_put(context, direction, at, header, &[]);
        Ok(())
    }

    /// Who looks for the server's name asks everybody; the answer goes to the asker alone.
    fn about_name(&mut self, context: &mut Context<'_>, direction: usize, at: i64, stream: u8) {
        let settings = context.settings;
        let name = match self.station(settings, 1 - TO_SERVER).address {
            StationAddress::Nbipx { name, .. } => name,
            _ => [0; 16],
        };
        let frame = if direction == TO_SERVER {
            let data = nbipx::about_name(0, stream, &name);
            self.propagated(settings, direction, &data)
        } else {
            // Registered, in use.
            let data = nbipx::about_name(0x44, stream, &name);
            self.ipx_frame(settings, direction, &data)
        };
        self.put(context, direction, at, frame);
    }

    /// A broadcast that routers pass on.
    fn propagated(&self, settings: &Settings, direction: usize, data: &[u8]) -> Vec<u8> {
        let ends = [direction, 1 - direction].map(|end| self.station(settings, end));
        let [Some(from), Some(to)] = ends.map(|station| station.address.ipx()) else {
            return Vec::new();
        };
        let everyone = ipx::Address {
            net: 0,
            node: ethernet::BROADCAST,
            socket: to.socket,
        };
        let packet = ipx::packet(from, &everyone, ipx::TYPE_PROPAGATED, ends[0].hops, data);
        let header = Header {
            destination: ethernet::BROADCAST,
            ..self.header(settings, direction)
        };
        ipx::frame(&header, self.framing(settings), &packet)
    }
}

//! LAST, whose header is invented (`crate::last`), and logical links of DECnet.

use super::{Context, Conversation, Delivery, Kind, TO_SERVER, Unit};
use crate::decnet::{self, Routing, ack, cross, message, nak};
use crate::ethernet::{self, Encapsulation};
use crate::last;
use crate::scenario::error::Fault;
use crate::scenario::station::{Settings, StationAddress};
use crate::scenario::words::{Options, Word};
use crate::smb1::{self, response};

/// What LAST counts besides the bytes.
#[derive(Debug, Default)]
pub(super) struct Last {
    /// Copies of requests.
    pub(super) copies: u16,
    /// Requests.
    pub(super) requests: u32,
}

/// Whatever hides in the memory of a sender.
fn stale(kind: &str, mid: u16, place: &Options) -> Result<Vec<u8>, Fault> {
    let header = smb1::Header {
        status: 0,
        flags: 0x18 | smb1::REPLY,
        flags2: smb1::NT_STATUS,
        connectionless: (0, 0),
        tid: 0x0801,
        pid: 0x1001,
        uid: 0x0801,
        mid,
    };
    match kind {
        "zeros" => Ok(Vec::new()),
        // As in a real capture: the beginning of one, cut off.
        "begun" => {
            let mut bytes = b"\xffSMB%".to_vec();
            bytes.resize(32, 0);
            bytes.push(0x11);
            Ok(bytes)
        }
        "reply" => Ok(smb1::message(&header, &[response::read(b"stale")])),
        _ => Err(place.place.fault("expected zeros, begun or reply")),
    }
}

impl Conversation {
    /// Sizes of the frames of a response that is longer than its receiver's data link holds:
    /// the buffer management cuts it into messages of what the link holds, and each of those
    /// is cut into frames.
    pub(super) fn buffered(
        &self,
        settings: &Settings,
        direction: usize,
        messages: &[Vec<u8>],
        most: usize,
    ) -> Option<Vec<usize>> {
        let holds = self.station(settings, 1 - direction).buffer?;
        let [message] = messages else {
            return None;
        };
        let parts = message.chunks(holds);
        Some(
            parts
                .flat_map(|part| part.chunks(most).map(<[u8]>::len))
                .collect(),
        )
    }

    /// A caller with its own clock sends these units of LAST from now on: a message that is new, or
    /// another copy of a request.
    pub(in crate::scenario) fn counts(&mut self, direction: usize, units: &[Unit], new: bool) {
        if self.kind != Kind::Last {
            return;
        }
        if direction == TO_SERVER {
            self.last.requests += u32::from(new);
            self.last.copies = self.last.copies.wrapping_add(1);
        }
        self.ends[direction].sent = units.to_vec();
    }

    /// The frame of a message of LAST or of a segment of one.
    pub(super) fn last_frame(
        &self,
        settings: &Settings,
        direction: usize,
        unit: &Unit,
        delivery: &Delivery,
    ) -> Vec<u8> {
        let sent = &self.ends[direction].sent;
        let place = sent.iter().position(|other| other.start == unit.start);
        let number = |n: usize| u8::try_from(n).unwrap_or(u8::MAX);
        let (to, from) = match direction {
            TO_SERVER => (0x0202, 0x0101),
            _ => (0x0101, 0x0202),
        };
        let h = last::Header {
            kind: if direction == TO_SERVER { 1 } else { 2 },
            to,
            from,
            slot: 1,
            sequence: delivery.sequence.unwrap_or(self.last.copies),
            segment: (number(place.unwrap_or(0) + 1), number(sent.len())),
            transaction: delivery.transaction.unwrap_or(self.last.requests),
        };
        self.last_put(settings, direction, &last::message(h, &unit.payload))
    }

    fn last_put(&self, settings: &Settings, direction: usize, pdu: &[u8]) -> Vec<u8> {
        let header = self.header(settings, direction);
        ethernet::frame(&header, Encapsulation::Type(last::TYPE), pdu)
    }

    /// `last upkeep`, with stale memory in it, or in the frame behind it.
    pub(super) fn last_upkeep(
        &mut self,
        context: &mut Context<'_>,
        direction: usize,
        at: i64,
        verb: &Word,
        options: &Options,
    ) -> Result<(), Fault> {
        if verb.text != "upkeep" {
            return Err(verb.expected("upkeep or data"));
        }
        let mid = options.or("mid", 1)?;
        let inside = stale(options.text("stale")?.unwrap_or("zeros"), mid, options)?;
        let behind = stale(options.text("behind")?.unwrap_or("zeros"), mid, options)?;
        let station = self.station(context.settings, direction);
        let mut pdu = last::upkeep(station.mac, &station.name, &inside);
        pdu.extend(behind);
        let frame = self.last_put(context.settings, direction, &pdu);
        self.put(context, direction, at, frame);
        Ok(())
    }

    /// The numbers of the link: the receiver's, then the sender's.
    fn links(&self, settings: &Settings, direction: usize) -> (u16, u16) {
        let number = |end: usize| match self.station(settings, end).address {
            StationAddress::Decnet { link, .. } => link,
            _ => 0,
        };
        (number(1 - direction), number(direction))
    }

    /// The number of the last segment that has arrived here.
    fn arrived(&mut self, direction: usize, at: i64) -> u16 {
        (self.ends[direction].received.expected(at).saturating_sub(1) & 0x0fff) as u16
    }

    fn nsp_packet(&self, settings: &Settings, direction: usize, nsp: &[u8]) -> Vec<u8> {
        let node = |end: usize| match self.station(settings, end).address {
            StationAddress::Decnet { node, .. } => node,
            _ => 0,
        };
        let (long, padding) = match self.station(settings, direction).address {
            StationAddress::Decnet { long, padding, .. } => (long, padding),
            _ => (false, 0),
        };
        let routing = Routing {
            to: node(1 - direction),
            from: node(direction),
            visits: self.station(settings, direction).hops,
            padding,
            long,
        };
        let header = self.header(settings, direction);
        let packet = decnet::packet(routing, nsp);
        ethernet::frame(&header, Encapsulation::Type(decnet::TYPE), &packet)
    }

    /// The frame of a segment, with what has arrived until now.
    pub(super) fn nsp_frame(
        &mut self,
        settings: &Settings,
        direction: usize,
        at: i64,
        unit: &Unit,
        delivery: &Delivery,
    ) -> Vec<u8> {
        let mut flags = message::DATA;
        if unit.offset == 0 {
            flags |= message::FIRST;
        }
        if unit.offset + unit.payload.len() == unit.total {
            flags |= message::LAST;
        }
        let segment = (unit.start & 0x0fff) as u16;
        let arrived = self.arrived(direction, at);
        let words = [ack(arrived), segment];
        let words = if delivery.plain { &words[1..] } else { &words };
        let links = self.links(settings, direction);
        let nsp = decnet::nsp(flags, links, words, &unit.payload);
        self.nsp_packet(settings, direction, &nsp)
    }

    fn nsp_put(
        &mut self,
        context: &mut Context<'_>,
        direction: usize,
        at: i64,
        (kind, links): (u8, (u16, u16)),
        words: &[u16],
        data: &[u8],
    ) {
        let nsp = decnet::nsp(kind, links, words, data);
        let frame = self.nsp_packet(context.settings, direction, &nsp);
        self.put(context, direction, at, frame);
    }

    /// Asked for, heard, granted; the first flow control acknowledges the grant.
    pub(super) fn connect_nsp(&mut self, context: &mut Context<'_>, at: i64, gap: i64) {
        let (client, server) = (TO_SERVER, 1 - TO_SERVER);
        let most = self.station(context.settings, client).most;
        let most = u16::try_from(most).unwrap_or(u16::MAX);
        let time = |turn: i64| at.saturating_add(gap.saturating_mul(turn));
        let (_, number) = self.links(context.settings, client);
        let back = self.links(context.settings, server);
        let asks = decnet::initiate(most, "FILES", "WKSTA");
        let asked = (message::CONNECT_INITIATE, (0, number));
        self.nsp_put(context, client, time(0), asked, &[], &asks);
        self.nsp_put(
            context,
            server,
            time(1),
            (message::CONNECT_ACK, back),
            &[],
            &[],
        );
        let grants = decnet::confirm(most);
        let granted = (message::CONNECT_CONFIRM, back);
        self.nsp_put(context, server, time(2), granted, &[], &grants);
        self.link_service(context, client, time(3));
        self.other_ack(context, server, time(4));
    }

    pub(super) fn finish_nsp(
        &mut self,
        context: &mut Context<'_>,
        direction: usize,
        at: i64,
        gap: i64,
    ) {
        let there = self.links(context.settings, direction);
        let back = self.links(context.settings, 1 - direction);
        let ends = (message::DISCONNECT_INITIATE, there);
        self.nsp_put(context, direction, at, ends, &[0], &[0]);
        let at = at.saturating_add(gap);
        let confirms = (message::DISCONNECT_CONFIRM, back);
        self.nsp_put(context, 1 - direction, at, confirms, &[42], &[]);
    }

    /// No change of flow control; it takes a number of the other subchannel.
    fn link_service(&mut self, context: &mut Context<'_>, direction: usize, at: i64) {
        self.ends[direction].others += 1;
        let theirs = self.ends[1 - direction].others;
        let own = self.ends[direction].others;
        let data = self.arrived(direction, at);
        let links = self.links(context.settings, direction);
        let words = [ack(theirs), cross(data), own];
        let kind = (message::LINK_SERVICE, links);
        self.nsp_put(context, direction, at, kind, &words, &[0, 0]);
    }

    fn other_ack(&mut self, context: &mut Context<'_>, direction: usize, at: i64) {
        let theirs = self.ends[1 - direction].others;
        let data = self.arrived(direction, at);
        let links = self.links(context.settings, direction);
        let words = [ack(theirs), cross(data)];
        self.nsp_put(
            context,
            direction,
            at,
            (message::OTHER_ACK, links),
            &words,
            &[],
        );
    }

    pub(super) fn nsp_upkeep(
        &mut self,
        context: &mut Context<'_>,
        direction: usize,
        at: i64,
        verb: &Word,
    ) -> Result<(), Fault> {
        let data = self.arrived(direction, at);
        let links = self.links(context.settings, direction);
        let kind = (message::DATA_ACK, links);
        match verb.text.as_str() {
            "ack" => self.nsp_put(context, direction, at, kind, &[ack(data)], &[]),
            "nak" => self.nsp_put(context, direction, at, kind, &[nak(data)], &[]),
            "link-service" => self.link_service(context, direction, at),
            "other-ack" => self.other_ack(context, direction, at),
            _ => return Err(verb.expected("ack, nak, link-service, other-ack or data")),
        }
        Ok(())
    }
}

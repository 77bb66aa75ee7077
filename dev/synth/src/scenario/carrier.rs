//! Conversations: how the messages of two stations become frames.
//!
//! A message is cut into units that the carrier numbers (TCP segments, LLC I-frames, NBIPX,
//! SPX and SPP packets, NSP segments, single packets); a unit becomes a frame at the moment it is sent, because what it acknowledges
//! depends on that moment. A unit sent once more is a retransmission.

mod connect;
mod control;
mod dec;
mod ipx;
mod nbf;
mod render;
mod xns;

pub(super) use xns::Datagram;

use super::error::{Fault, Place};
use super::station::{Settings, Station, StationAddress};
use super::wire::Wire;
use super::words::Options;
use crate::ethernet;
use dec::Last;

/// Directions index the two ends.
pub(super) const TO_SERVER: usize = 0;

/// What arrived in order at one end, by the time it did.
#[derive(Debug)]
struct Received {
    /// Everything before this number has arrived.
    upto: u64,
    /// Units that have arrived or will, not yet counted in `upto`.
    later: Vec<(i64, u64, u64)>,
}

impl Received {
    fn add(&mut self, at: i64, start: u64, end: u64) {
        self.later.push((at, start, end));
    }

    /// The next number expected at this time.
    fn expected(&mut self, now: i64) -> u64 {
        while let Some(next) = self
            .later
            .iter()
            .position(|(at, start, end)| *at <= now && *start <= self.upto && *end > self.upto)
        {
            self.upto = self.later.swap_remove(next).2;
        }
        let upto = self.upto;
        self.later.retain(|(_, _, end)| *end > upto);
        upto
    }
}

/// Something that the carrier numbers and can send again.
#[derive(Clone, Debug)]
pub(super) struct Unit {
    start: u64,
    end: u64,
    payload: Vec<u8>,
    /// Where in its message it begins, and the bytes of that message.
    offset: usize,
    total: usize,
    /// The last one of what was sent together.
    last: bool,
}

/// One end's sending side.
#[derive(Debug)]
struct End {
    station: usize,
    /// The number of the next new unit.
    next: u64,
    received: Received,
    /// The units of the last message, kept for retransmission.
    sent: Vec<Unit>,
    /// IP identification of the next packet.
    packet_id: u16,
    window: u16,
    /// NBF response correlator of the next frame.
    correlator: u16,
    /// Correlator of the peer's last message, while that waits for an acknowledgement that
    /// may ride on data.
    owed: Option<u16>,
    /// Correlator of the peer's last message or RECEIVE_CONTINUE wish.
    last_heard: u16,
    /// SPP datastream type.
    stream: u8,
    /// The IDP packet sent last, for an error about it.
    packet: Vec<u8>,
    /// NSP messages of the other subchannel that it has numbered.
    others: u16,
}

impl End {
    /// A setting of its station alone.
    fn own<T>(&self, settings: &Settings, setting: impl Fn(&Station) -> Option<T>) -> Option<T> {
        settings.stations.get(self.station).and_then(setting)
    }
}

/// Two stations and what they have said.
#[derive(Debug)]
pub(super) struct Conversation {
    ends: [End; 2],
    kind: Kind,
    last: Last,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Ipx,
    Udp,
    Tcp,
    Nbf,
    Nbipx,
    Spx,
    Idp,
    Spp,
    Nbp,
    Last,
    Nsp,
}

/// How units get to the other side, and past the capture point.
#[derive(Debug, Default)]
pub(super) struct Delivery {
    /// Time between units.
    gap: i64,
    /// Most bytes in a unit.
    most: Option<usize>,
    /// Sizes of the first units.
    cut: Vec<usize>,
    /// The units by number, in the order in which they pass.
    order: Option<Vec<usize>>,
    /// Lost before the capture point: neither captured nor received.
    lost: Option<Vec<usize>>,
    /// Lost behind the capture point: captured, not received.
    dropped: Option<Vec<usize>>,
    /// The capture missed it: received, not captured.
    missed: Option<Vec<usize>>,
    /// LLC poll bit.
    poll: bool,
    /// NBF: without acknowledgement riding on data.
    plain: bool,
    /// NBF: RECEIVE_CONTINUE is wanted for the first frame.
    go_on: bool,
    /// NBF: SEND.NO.ACK.
    no_ack: bool,
    /// LAST: which request it is about, and which copy of it, if not the latest ones.
    transaction: Option<u32>,
    sequence: Option<u16>,
    /// SPP: bytes before each message.
    before: usize,
    /// SPP: the end of the message is not marked.
    unmarked: bool,
}

impl Delivery {
    pub(super) fn new(options: &Options) -> Result<Self, Fault> {
        let delivery = Self {
            gap: options.seconds("gap", 0)?,
            most: options
                .maybe::<u32>("most")?
                .map(|most| most.max(1) as usize),
            cut: options.list("cut")?.unwrap_or_default(),
            order: options.list("order")?,
            lost: options.list("lost")?,
            dropped: options.list("dropped")?,
            missed: options.list("missed")?,
            poll: options.flag("poll")?,
            plain: options.flag("plain")?,
            go_on: options.flag("continue")?,
            no_ack: options.flag("noack")?,
            transaction: options.maybe("transaction")?,
            sequence: options.maybe("sequence")?,
            before: options.bytes("before", 0)?,
            unmarked: options.flag("unmarked")?,
        };
        options.done()?;
        Ok(delivery)
    }
}

/// Whether a list names this unit; a list without numbers names all.
fn names(list: &Option<Vec<usize>>, number: usize) -> bool {
    list.as_ref()
        .is_some_and(|list| list.is_empty() || list.contains(&number))
}

/// What sending needs besides the conversation itself.
pub(super) struct Context<'a> {
    pub(super) settings: &'a Settings,
    pub(super) wire: &'a mut Wire,
    pub(super) place: Place,
}

impl Conversation {
    /// A conversation between a client and a server that speak the same protocol.
    pub(super) fn new(
        settings: &Settings,
        client: usize,
        server: usize,
        place: Place,
    ) -> Result<Self, Fault> {
        let address = |index: usize| &settings.stations[index].address;
        let kind = match (address(client), address(server)) {
            (StationAddress::Ipx(_), StationAddress::Ipx(_)) => Kind::Ipx,
            (StationAddress::Udp(_), StationAddress::Udp(_)) => Kind::Udp,
            (StationAddress::Tcp(_), StationAddress::Tcp(_)) => Kind::Tcp,
            (StationAddress::Nbf { .. }, StationAddress::Nbf { .. }) => Kind::Nbf,
            (StationAddress::Nbipx { .. }, StationAddress::Nbipx { .. }) => Kind::Nbipx,
            (StationAddress::Spx { .. }, StationAddress::Spx { .. }) => Kind::Spx,
            (StationAddress::Idp(_), StationAddress::Idp(_)) => Kind::Idp,
            (StationAddress::Spp { .. }, StationAddress::Spp { .. }) => Kind::Spp,
            (StationAddress::Nbp, StationAddress::Nbp) => Kind::Nbp,
            (StationAddress::Last, StationAddress::Last) => Kind::Last,
            (StationAddress::Decnet { .. }, StationAddress::Decnet { .. }) => Kind::Nsp,
            _ => return Err(place.fault("these two stations do not speak the same protocol")),
        };
        // TCP counts its SYN, and NBIPX the call, so data begins at 1; NSP begins there.
        let server_first = u64::from(matches!(kind, Kind::Tcp | Kind::Nsp));
        let client_first = u64::from(matches!(kind, Kind::Tcp | Kind::Nbipx | Kind::Nsp));
        let end = |station: usize, correlator: u16, first: u64, theirs: u64| End {
            station,
            next: first,
            received: Received {
                upto: theirs,
                later: Vec::new(),
            },
            sent: Vec::new(),
            packet_id: 1,
            window: 8760,
            correlator,
            owed: None,
            last_heard: 0,
            stream: 0,
            packet: Vec::new(),
            others: 0,
        };
        Ok(Self {
            ends: [
                end(client, 0x0010, client_first, server_first),
                end(server, 0x0020, server_first, client_first),
            ],
            kind,
            last: Last::default(),
        })
    }

    pub(super) fn kind(&self) -> Kind {
        self.kind
    }

    fn station<'a>(&self, settings: &'a Settings, direction: usize) -> &'a Station {
        &settings.stations[self.ends[direction].station]
    }

    /// Sends messages: joined in TCP's stream, one after the other elsewhere.
    pub(super) fn send(
        &mut self,
        context: &mut Context<'_>,
        direction: usize,
        at: i64,
        messages: Vec<Vec<u8>>,
        delivery: &Delivery,
    ) -> Result<(), Fault> {
        if self.kind == Kind::Last && direction == TO_SERVER {
            self.last.requests += 1;
        }
        self.ends[direction].sent = self.units(context, direction, messages, delivery);
        let all: Vec<usize> = (1..=self.ends[direction].sent.len()).collect();
        let order = delivery.order.clone().unwrap_or(all);
        self.pass(context, direction, at, &order, delivery)
    }

    /// The units that messages are cut into. A caller with its own clock sends them with
    /// [`Conversation::frame`] and reports their arrival with [`Conversation::arrive`].
    pub(super) fn units(
        &mut self,
        context: &Context<'_>,
        direction: usize,
        messages: Vec<Vec<u8>>,
        delivery: &Delivery,
    ) -> Vec<Unit> {
        let most = self.station(context.settings, direction).most;
        let most = delivery.most.unwrap_or(most);
        let mut units: Vec<Unit> = match self.kind {
            Kind::Ipx | Kind::Udp | Kind::Idp | Kind::Nbp => messages
                .into_iter()
                .map(|payload| self.unit(direction, payload, 1))
                .collect(),
            Kind::Tcp => cut(&messages.concat(), most, &delivery.cut)
                .into_iter()
                .map(|piece| {
                    let length = piece.len() as u64;
                    self.unit(direction, piece.to_vec(), length)
                })
                .collect(),
            Kind::Last => {
                let sizes = self.buffered(context.settings, direction, &messages, most);
                let sizes = sizes.unwrap_or_else(|| delivery.cut.clone());
                self.packet_units(direction, &messages, most, &sizes)
            }
            Kind::Nbipx | Kind::Spx | Kind::Nsp => {
                self.packet_units(direction, &messages, most, &delivery.cut)
            }
            Kind::Spp => {
                let shifted: Vec<_> = messages
                    .iter()
                    .map(|message| [&vec![0x55; delivery.before][..], message].concat())
                    .collect();
                self.packet_units(direction, &shifted, most, &delivery.cut)
            }
            Kind::Nbf => self.nbf_units(context, direction, &messages, most, delivery),
        };
        if let Some(last) = units.last_mut() {
            last.last = true;
        }
        units
    }

    /// The frame of a unit at this moment, if Ethernet can carry it.
    pub(super) fn frame(
        &mut self,
        context: &Context<'_>,
        direction: usize,
        at: i64,
        unit: &Unit,
        delivery: &Delivery,
    ) -> Result<Vec<u8>, Fault> {
        let frame = self.render(context.settings, direction, at, unit, delivery);
        let tag = self
            .header(context.settings, direction)
            .vlan
            .map_or(0, |_| 4);
        let most = ethernet::MAXIMUM_PAYLOAD + 14 + tag;
        if frame.len() > most {
            let bytes = frame.len();
            return Err(context.place.fault(format!(
                "this makes a frame of {bytes} bytes; Ethernet carries {most}"
            )));
        }
        Ok(frame)
    }

    /// Sends units of the last message again.
    pub(super) fn again(
        &mut self,
        context: &mut Context<'_>,
        direction: usize,
        at: i64,
        parts: Option<Vec<usize>>,
        delivery: &Delivery,
    ) -> Result<(), Fault> {
        let all = (1..=self.ends[direction].sent.len()).collect();
        let parts = parts.unwrap_or(all);
        if parts.is_empty() {
            return Err(context
                .place
                .fault("nothing has been sent that could be sent again"));
        }
        self.pass(context, direction, at, &parts, delivery)
    }

    fn unit(&mut self, direction: usize, payload: Vec<u8>, length: u64) -> Unit {
        let start = self.ends[direction].next;
        let end = start + length;
        self.ends[direction].next = end;
        Unit {
            start,
            end,
            offset: 0,
            total: payload.len(),
            payload,
            last: false,
        }
    }

    /// Lets units pass the capture point and arrive, as the delivery says.
    fn pass(
        &mut self,
        context: &mut Context<'_>,
        direction: usize,
        at: i64,
        order: &[usize],
        delivery: &Delivery,
    ) -> Result<(), Fault> {
        if self.kind == Kind::Last && direction == TO_SERVER {
            self.last.copies = self.last.copies.wrapping_add(1);
        }
        for (turn, number) in order.iter().copied().enumerate() {
            let unit = number
                .checked_sub(1)
                .and_then(|index| self.ends[direction].sent.get(index))
                .cloned()
                .ok_or_else(|| {
                    let parts = self.ends[direction].sent.len();
                    let fault = format!("there is no part {number}, only {parts}");
                    context.place.fault(fault)
                })?;
            let at = at.saturating_add(delivery.gap.saturating_mul(turn as i64));
            let frame = self.frame(context, direction, at, &unit, delivery)?;
            if !names(&delivery.lost, number) {
                if !names(&delivery.dropped, number) {
                    self.ends[1 - direction]
                        .received
                        .add(at, unit.start, unit.end);
                }
                if !names(&delivery.missed, number) {
                    let (from, to) = (
                        self.ends[direction].station,
                        self.ends[1 - direction].station,
                    );
                    context.wire.put(at, from, to, frame);
                }
            }
        }
        Ok(())
    }
}

/// Cuts bytes into pieces: first those sizes that are given, then the largest allowed.
/// Nothing is one empty piece.
fn cut<'a>(mut bytes: &'a [u8], most: usize, sizes: &[usize]) -> Vec<&'a [u8]> {
    let mut pieces = Vec::new();
    let mut sizes = sizes.iter().copied();
    loop {
        let size = sizes.next().unwrap_or(most).clamp(1, most.max(1));
        let (piece, rest) = bytes.split_at(size.min(bytes.len()));
        pieces.push(piece);
        bytes = rest;
        if bytes.is_empty() {
            return pieces;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_by_size() {
        let lengths = |bytes: &[u8], most, sizes: &[usize]| -> Vec<usize> {
            cut(bytes, most, sizes).iter().map(|p| p.len()).collect()
        };
        assert_eq!(lengths(&[0; 10], 4, &[]), [4, 4, 2]);
        assert_eq!(lengths(&[0; 10], 4, &[2]), [2, 4, 4]);
        assert_eq!(lengths(&[], 4, &[]), [0]);
        assert_eq!(lengths(&[0; 8], 4, &[]), [4, 4]);
    }

    #[test]
    fn what_is_expected_depends_on_the_time_and_on_gaps() {
        let mut received = Received {
            upto: 1,
            later: Vec::new(),
        };
        received.add(10, 1, 5);
        received.add(30, 9, 12);
        assert_eq!(received.expected(5), 1);
        assert_eq!(received.expected(10), 5);
        assert_eq!(received.expected(40), 5, "the part before is missing");
        received.add(50, 5, 9);
        assert_eq!(received.expected(50), 12);
    }
}

//! Setting conversations up and ending them.

use super::{Context, Conversation, Kind, TO_SERVER, Unit};
use crate::ethernet::{self, Encapsulation, Header};
use crate::ipv4::flag;
use crate::llc::{self, Control, Supervisory};
use crate::nbf::{self, command};
use crate::scenario::error::Fault;
use crate::scenario::station::StationAddress;
use crate::scenario::words::Options;

/// The port of the NetBIOS session service, which wants names exchanged first.
const NETBIOS_PORT: u16 = 139;

/// Time between the frames of a set-up when the scenario does not say.
const PACE: i64 = 100_000;

const NO_CONNECTION: &str = "only tcp, nbf, nbipx, spx, spp and decnet have connections";

impl Conversation {
    /// Sets the conversation up, frame by frame.
    pub(in crate::scenario) fn connect(
        &mut self,
        context: &mut Context<'_>,
        at: i64,
        options: &Options,
    ) -> Result<(), Fault> {
        let gap = options.seconds("gap", PACE)?;
        options.done()?;
        match self.kind {
            Kind::Tcp => self.connect_tcp(context, at, gap),
            Kind::Nbf => self.connect_nbf(context, at, gap),
            Kind::Nbipx => self.connect_nbipx(context, at, gap),
            Kind::Spx => self.connect_spx(context, at, gap),
            Kind::Spp => self.connect_spp(context, at, gap),
            Kind::Nsp => self.connect_nsp(context, at, gap),
            Kind::Ipx | Kind::Udp | Kind::Idp | Kind::Nbp | Kind::Last => {
                return Err(context.place.fault(NO_CONNECTION));
            }
        }
        Ok(())
    }

    /// Ends it.
    pub(in crate::scenario) fn finish(
        &mut self,
        context: &mut Context<'_>,
        direction: usize,
        at: i64,
        options: &Options,
    ) -> Result<(), Fault> {
        let gap = options.seconds("gap", PACE)?;
        options.done()?;
        match self.kind {
            Kind::Tcp => {
                let fin = flag::FIN | flag::ACK;
                self.tcp_control(context, direction, at, fin);
                self.tcp_control(context, 1 - direction, later(at, 1, gap), fin);
                self.tcp_control(context, direction, later(at, 2, gap), flag::ACK);
            }
            Kind::Nbf => {
                let end = nbf::Header {
                    command: command::SESSION_END,
                    ..nbf::Header::default()
                };
                self.nbf_control(context, direction, at, end);
                let acknowledge = |expected| {
                    Control::Rr(Supervisory {
                        expected,
                        poll_final: false,
                        response: true,
                    })
                };
                self.supervisory(context, 1 - direction, later(at, 1, gap), acknowledge);
                self.llc_control(context, direction, later(at, 2, gap), Control::Disc);
                self.llc_control(context, 1 - direction, later(at, 3, gap), Control::Ua);
            }
            Kind::Nbipx => self.finish_nbipx(context, direction, at, gap),
            Kind::Spx => self.finish_spx(context, direction, at, gap),
            Kind::Spp => self.finish_spp(context, direction, at, gap),
            Kind::Nsp => self.finish_nsp(context, direction, at, gap),
            Kind::Ipx | Kind::Udp | Kind::Idp | Kind::Nbp | Kind::Last => {
                return Err(context.place.fault(NO_CONNECTION));
            }
        }
        Ok(())
    }

    fn connect_tcp(&mut self, context: &mut Context<'_>, at: i64, gap: i64) {
        let (client, server) = (TO_SERVER, 1 - TO_SERVER);
        self.syn(context, client, at, flag::SYN);
        self.syn(context, server, later(at, 1, gap), flag::SYN | flag::ACK);
        self.tcp_control(context, client, later(at, 2, gap), flag::ACK);
        let (_, to) = self.sockets(context.settings, client);
        if to.port == NETBIOS_PORT {
            let [called, calling] = [server, client].map(|end| {
                let station = self.station(context.settings, end);
                let service = if end == server { 0x20 } else { 0 };
                encode(&nbf::name(&station.name, service))
            });
            let mut request = vec![0x81, 0, 0, 68];
            request.extend(called);
            request.extend(calling);
            self.stream(context, client, later(at, 3, gap), request);
            self.stream(context, server, later(at, 4, gap), vec![0x82, 0, 0, 0]);
        }
    }

    fn syn(&mut self, context: &mut Context<'_>, direction: usize, at: i64, flags: u8) {
        let frame = self.tcp_frame(context.settings, direction, at, 0, flags, &[]);
        self.put(context, direction, at, frame);
    }

    /// Bytes of the stream in one segment.
    fn stream(&mut self, context: &mut Context<'_>, direction: usize, at: i64, bytes: Vec<u8>) {
        let length = bytes.len() as u64;
        let unit = self.unit(direction, bytes, length);
        let flags = flag::PSH | flag::ACK;
        let settings = context.settings;
        let frame = self.tcp_frame(settings, direction, at, unit.start, flags, &unit.payload);
        self.arrive(direction, at, &unit);
        self.put(context, direction, at, frame);
    }

    /// A segment without data: FIN takes a number, the others do not.
    pub(super) fn tcp_control(
        &mut self,
        context: &mut Context<'_>,
        direction: usize,
        at: i64,
        flags: u8,
    ) {
        let start = self.ends[direction].next;
        let frame = self.tcp_frame(context.settings, direction, at, start, flags, &[]);
        if flags & flag::FIN != 0 {
            let unit = self.unit(direction, Vec::new(), 1);
            self.arrive(direction, at, &unit);
        }
        self.put(context, direction, at, frame);
    }

    fn connect_nbf(&mut self, context: &mut Context<'_>, at: i64, gap: i64) {
        let (client, server) = (TO_SERVER, 1 - TO_SERVER);
        let settings = context.settings;
        let name = |end: usize| match self.station(settings, end).address {
            StationAddress::Nbf { name, .. } => name,
            _ => [0; 16],
        };
        let (caller, called) = (name(client), name(server));
        let (server_session, client_session) = self.sessions(settings, client);
        let times: Vec<i64> = (0..10).map(|turn| later(at, turn, gap)).collect();
        // Names, in unnumbered frames: the question goes to everybody.
        let query = nbf::Header {
            command: command::NAME_QUERY,
            data2: u16::from(client_session),
            response: 0x1111,
            ..nbf::Header::default()
        };
        let header = Header {
            destination: nbf::GROUP,
            ..self.header(settings, client)
        };
        let frame = unnumbered(&header, &nbf::names(query, &called, &caller));
        self.put(context, client, times[0], frame);
        let recognized = nbf::Header {
            command: command::NAME_RECOGNIZED,
            data2: u16::from(server_session),
            transmit: 0x1111,
            response: 0x2222,
            ..nbf::Header::default()
        };
        let header = self.header(settings, server);
        let frame = unnumbered(&header, &nbf::names(recognized, &caller, &called));
        self.put(context, server, times[1], frame);
        // The link, and a first round of poll and final.
        self.llc_control(context, client, times[2], Control::Sabme);
        self.llc_control(context, server, times[3], Control::Ua);
        self.supervisory(context, client, times[4], |expected| {
            Control::Rr(Supervisory {
                expected,
                poll_final: true,
                response: false,
            })
        });
        self.supervisory(context, server, times[5], |expected| {
            Control::Rr(Supervisory {
                expected,
                poll_final: true,
                response: true,
            })
        });
        // The session.
        let most = |end: usize| u16::try_from(self.station(settings, end).most).unwrap_or(0);
        let (client_most, server_most) = (most(client), most(server));
        let initialize = nbf::Header {
            command: command::SESSION_INITIALIZE,
            data1: 0x8f,
            data2: client_most,
            transmit: 0x2222,
            response: 0x3333,
        };
        self.nbf_control(context, client, times[6], initialize);
        let acknowledge = |expected| {
            Control::Rr(Supervisory {
                expected,
                poll_final: false,
                response: true,
            })
        };
        self.supervisory(context, server, times[7], acknowledge);
        let confirm = nbf::Header {
            command: command::SESSION_CONFIRM,
            data1: 0x81,
            data2: server_most,
            transmit: 0x3333,
            ..nbf::Header::default()
        };
        self.nbf_control(context, server, times[8], confirm);
        self.supervisory(context, client, times[9], acknowledge);
    }

    /// A numbered NBF frame without data of its own.
    pub(super) fn nbf_control(
        &mut self,
        context: &mut Context<'_>,
        direction: usize,
        at: i64,
        header: nbf::Header,
    ) {
        let unit = self.nbf_unit(context, direction, header, &[]);
        let expected = self.ends[direction].received.expected(at);
        let control = Control::I(unit.start as u8, expected as u8, false);
        let frame = self.llc_frame(context.settings, direction, control, &unit.payload);
        self.arrive(direction, at, &unit);
        self.put(context, direction, at, frame);
    }

    /// A supervisory frame, which says what is expected next.
    pub(super) fn supervisory(
        &mut self,
        context: &mut Context<'_>,
        direction: usize,
        at: i64,
        control: impl Fn(u8) -> Control,
    ) {
        let expected = self.ends[direction].received.expected(at);
        self.llc_control(context, direction, at, control(expected as u8));
    }

    pub(super) fn llc_control(
        &mut self,
        context: &mut Context<'_>,
        direction: usize,
        at: i64,
        control: Control,
    ) {
        let frame = self.llc_frame(context.settings, direction, control, &[]);
        self.put(context, direction, at, frame);
    }

    pub(in crate::scenario) fn arrive(&mut self, direction: usize, at: i64, unit: &Unit) {
        self.ends[1 - direction]
            .received
            .add(at, unit.start, unit.end);
    }

    /// Puts a frame on the wire that nothing can happen to.
    pub(super) fn put(
        &mut self,
        context: &mut Context<'_>,
        direction: usize,
        at: i64,
        frame: Vec<u8>,
    ) {
        let (from, to) = (
            self.ends[direction].station,
            self.ends[1 - direction].station,
        );
        context.wire.put(at, from, to, frame);
    }
}

/// The time `gaps` gaps after `at`, ns.
fn later(at: i64, gaps: i64, gap: i64) -> i64 {
    at.saturating_add(gaps.saturating_mul(gap))
}

fn unnumbered(header: &Header, frame: &[u8]) -> Vec<u8> {
    ethernet::frame(header, Encapsulation::Length, &llc::pdu(Control::Ui, frame))
}

/// First-level encoding of a NetBIOS name (RFC 1001, section 14.1), with its length and
/// without a scope.
fn encode(name: &[u8; 16]) -> Vec<u8> {
    let mut out = vec![32];
    for byte in name {
        out.push(b'A' + (byte >> 4));
        out.push(b'A' + (byte & 0x0f));
    }
    out.push(0);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_rfc_1001() {
        let name = nbf::name("FRED", b' ');
        assert_eq!(encode(&name), b"\x20EGFCEFEECACACACACACACACACACACACA\0");
    }
}

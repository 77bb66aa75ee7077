//! Frames that only keep a conversation going: acknowledgements, polls, keep-alives.

use super::{Context, Conversation, Kind};
use crate::ipv4::flag;
use crate::llc::{Control, Supervisory};
use crate::nbf::{self, command};
use crate::scenario::error::Fault;
use crate::scenario::words::{Options, Word};

impl Conversation {
    /// A line of the carrier itself: `tcp ack`, `llc rr poll`, `nbf data-ack`.
    pub(in crate::scenario) fn upkeep(
        &mut self,
        context: &mut Context<'_>,
        direction: usize,
        at: i64,
        protocol: &Word,
        verb: &Word,
        options: &Options,
    ) -> Result<(), Fault> {
        let wanted = match protocol.text.as_str() {
            "tcp" => Kind::Tcp,
            "nbipx" => Kind::Nbipx,
            "spx" => Kind::Spx,
            "spp" => Kind::Spp,
            "xns" if self.speaks_xns() => self.kind,
            "xns" => Kind::Idp,
            "last" => Kind::Last,
            "nsp" => Kind::Nsp,
            _ => Kind::Nbf,
        };
        if self.kind != wanted {
            let fault = format!("these stations do not speak {}", protocol.text);
            return Err(protocol.fault(fault));
        }
        match protocol.text.as_str() {
            "tcp" => self.tcp_upkeep(context, direction, at, verb, options)?,
            "llc" => self.llc_upkeep(context, direction, at, verb, options)?,
            "nbipx" => self.nbipx_upkeep(context, direction, at, verb)?,
            "spx" => self.spx_upkeep(context, direction, at, verb)?,
            "spp" => self.spp_upkeep(context, direction, at, verb, options)?,
            "xns" => self.xns_upkeep(context, direction, at, verb, options)?,
            "last" => self.last_upkeep(context, direction, at, verb, options)?,
            "nsp" => self.nsp_upkeep(context, direction, at, verb)?,
            _ => self.nbf_upkeep(context, direction, at, verb)?,
        }
        options.done()
    }

    fn tcp_upkeep(
        &mut self,
        context: &mut Context<'_>,
        direction: usize,
        at: i64,
        verb: &Word,
        options: &Options,
    ) -> Result<(), Fault> {
        match verb.text.as_str() {
            "ack" => self.tcp_control(context, direction, at, flag::ACK),
            "reset" => self.tcp_control(context, direction, at, flag::RST | flag::ACK),
            "fin" => self.tcp_control(context, direction, at, flag::FIN | flag::ACK),
            "window" => {
                self.ends[direction].window = options.or("size", 0)?;
                self.tcp_control(context, direction, at, flag::ACK);
            }
            "keepalive" => {
                // One byte before the next one: the peer has had it and must acknowledge.
                let garbage: usize = options.or("bytes", 0)?;
                let start = self.ends[direction].next.saturating_sub(1);
                let data = vec![0; garbage.min(1)];
                let settings = context.settings;
                let frame = self.tcp_frame(settings, direction, at, start, flag::ACK, &data);
                self.put(context, direction, at, frame);
            }
            _ => return Err(verb.expected("ack, keepalive, window, fin or reset")),
        }
        Ok(())
    }

    fn llc_upkeep(
        &mut self,
        context: &mut Context<'_>,
        direction: usize,
        at: i64,
        verb: &Word,
        options: &Options,
    ) -> Result<(), Fault> {
        let kind = match verb.text.as_str() {
            "rr" => Control::Rr,
            "rnr" => Control::Rnr,
            "rej" => Control::Rej,
            "sabme" => {
                self.llc_control(context, direction, at, Control::Sabme);
                return Ok(());
            }
            "ua" => {
                self.llc_control(context, direction, at, Control::Ua);
                return Ok(());
            }
            "disc" => {
                self.llc_control(context, direction, at, Control::Disc);
                return Ok(());
            }
            "dm" => {
                self.llc_control(context, direction, at, Control::Dm);
                return Ok(());
            }
            _ => return Err(verb.expected("rr, rnr, rej, sabme, ua, disc or dm")),
        };
        let poll = options.flag("poll")?;
        let is_final = options.flag("final")?;
        let expected: Option<u8> = options.maybe("nr")?;
        self.supervisory(context, direction, at, |counted| {
            kind(Supervisory {
                expected: expected.unwrap_or(counted),
                poll_final: poll || is_final,
                response: !poll,
            })
        });
        Ok(())
    }

    fn nbf_upkeep(
        &mut self,
        context: &mut Context<'_>,
        direction: usize,
        at: i64,
        verb: &Word,
    ) -> Result<(), Fault> {
        let (command, transmit) = match verb.text.as_str() {
            "data-ack" => {
                // Whatever was owed is paid.
                self.ends[direction].owed = None;
                (command::DATA_ACK, self.ends[direction].last_heard)
            }
            "receive-continue" => (command::RECEIVE_CONTINUE, self.ends[direction].last_heard),
            "receive-outstanding" => (command::RECEIVE_OUTSTANDING, 0),
            "no-receive" => (command::NO_RECEIVE, 0),
            "session-alive" => (command::SESSION_ALIVE, 0),
            "session-end" => (command::SESSION_END, 0),
            _ => {
                return Err(verb.expected(
                    "data-ack, receive-continue, receive-outstanding, no-receive, \
                     session-alive or session-end",
                ));
            }
        };
        let header = nbf::Header {
            command,
            transmit,
            ..nbf::Header::default()
        };
        self.nbf_control(context, direction, at, header);
        Ok(())
    }
}

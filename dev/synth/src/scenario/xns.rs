//! What stations say in XNS: packet exchange, echo, routing, Courier.

use super::carrier::Datagram;
use super::error::Fault;
use super::words::{Options, Word};
use crate::file_data;
use crate::idp::{self, Courier};

/// What the last request was, for its answer.
#[derive(Debug)]
pub(super) struct XnsState {
    id: u32,
    client_type: u16,
    echo: Vec<u8>,
    network: u32,
    /// Courier's number of the last call.
    transaction: u16,
}

impl XnsState {
    pub(super) fn new(number: u16) -> Self {
        Self {
            id: u32::from(number) << 16,
            client_type: 0,
            echo: Vec::new(),
            network: 0,
            transaction: 0,
        }
    }

    /// A message of the packet exchange protocol.
    pub(super) fn pep(&mut self, verb: &Word, options: &Options) -> Result<Vec<u8>, Fault> {
        let everyone = options.flag("everyone")?;
        let length = options.bytes("data", 0)?;
        match verb.text.as_str() {
            "request" => {
                self.id = options.or("id", self.id.wrapping_add(1))?;
                self.client_type = options.or("type", 0)?;
            }
            "reply" => {
                self.id = options.or("id", self.id)?;
                self.client_type = options.or("type", self.client_type)?;
            }
            _ => return Err(verb.expected("request or reply")),
        }
        options.done()?;
        Ok(Datagram {
            kind: idp::TYPE_PEP,
            everyone,
            data: idp::pep(self.id, self.client_type, &file_data(0, length)),
        }
        .pack())
    }

    /// A Courier message, behind the versions that its sender speaks, or these alone.
    pub(super) fn courier(&mut self, verb: &Word, options: &Options) -> Result<Vec<u8>, Fault> {
        let mut out = Vec::new();
        let alone = verb.text == "versions";
        if alone || options.flag("versions")? {
            out.extend([0, 2, 0, 3]);
        }
        let courier = match verb.text.as_str() {
            "call" => {
                self.transaction = options.or("transaction", self.transaction.wrapping_add(1))?;
                Courier::Call {
                    program: options.or("program", 10)?,
                    version: options.or("version", 5)?,
                    procedure: options.or("procedure", 0)?,
                }
            }
            "return" | "versions" => Courier::Return,
            "reject" => Courier::Reject(options.or("reason", 0)?),
            "abort" => Courier::Abort(options.or("error", 0)?),
            _ => return Err(verb.expected("call, return, reject, abort or versions")),
        };
        let data = file_data(0, options.bytes("data", 0)?);
        options.done()?;
        if !alone {
            out.extend(idp::courier(self.transaction, courier, &data));
        }
        Ok(out)
    }

    /// An echo or a question about routes.
    pub(super) fn datagram(&mut self, verb: &Word, options: &Options) -> Result<Vec<u8>, Fault> {
        let (kind, data) = match verb.text.as_str() {
            "echo" => {
                let offset = options.or("offset", 0)?;
                self.echo = file_data(offset, options.bytes("data", 0)?);
                (idp::TYPE_ECHO, idp::echo(1, &self.echo))
            }
            "echo-reply" => (idp::TYPE_ECHO, idp::echo(2, &self.echo)),
            "route" => {
                self.network = options.or("network", u32::MAX)?;
                (idp::TYPE_RIP, idp::rip(1, self.network, u16::MAX))
            }
            "route-reply" => {
                let network = options.or("network", self.network)?;
                (idp::TYPE_RIP, idp::rip(2, network, options.or("hops", 1)?))
            }
            _ => return Err(verb.expected("echo, echo-reply, route, route-reply or error")),
        };
        let everyone = options.flag("everyone")?;
        options.done()?;
        Ok(Datagram {
            kind,
            everyone,
            data,
        }
        .pack())
    }
}

/// A frame of 3Com's NBP, of which only the EtherType is known.
pub(super) fn nbp(verb: &Word, options: &Options) -> Result<Vec<u8>, Fault> {
    let kind: u16 = match verb.text.as_str() {
        "data" => 0x3c00,
        "ack" => 0x3c01,
        "connect" => 0x3c02,
        "connected" => 0x3c03,
        "complete" => 0x3c04,
        "close" => 0x3c05,
        "closed" => 0x3c06,
        "datagram" => 0x3c07,
        "broadcast" => 0x3c08,
        "claim" => 0x3c09,
        "delete" => 0x3c0a,
        "status" => 0x3c0b,
        "status-reply" => 0x3c0c,
        "reset" => 0x3c0d,
        _ => {
            return Err(verb.expected(
                "data, ack, connect, connected, complete, close, closed, datagram, broadcast, \
                 claim, delete, status, status-reply or reset",
            ));
        }
    };
    let data = file_data(0, options.bytes("data", 0)?);
    options.done()?;
    Ok([&kind.to_be_bytes()[..], &data].concat())
}

//! The lines that begin with `ncp`.

use super::error::Fault;
use super::words::{Options, Word};
use crate::bytes::file_data;
use crate::ncp::{self, Id};

/// What one client says to one server: connection number, sequence, and what was asked.
#[derive(Debug)]
pub(super) struct NcpState {
    id: Id,
    asked: Vec<NcpAsked>,
    /// Packet burst identifiers of client and server.
    burst: (u32, u32),
}

/// What a reply must know of its request.
#[derive(Clone, Debug)]
struct NcpAsked {
    id: Id,
    kind: u16,
    function: u8,
    offset: u32,
    length: usize,
    name: String,
}

impl NcpState {
    pub(super) fn new(first_connection: u16, burst: (u32, u32)) -> Self {
        Self {
            id: Id {
                sequence: 0,
                connection: first_connection,
                task: 2,
            },
            asked: Vec::new(),
            burst,
        }
    }

    /// A message from the client.
    pub(super) fn request(&mut self, verb: &Word, options: &Options) -> Result<Vec<u8>, Fault> {
        let verb_text = verb.text.as_str();
        if verb_text == "still-there" {
            return self.watchdog(b'Y', options);
        }
        let kind = match verb_text {
            "create-connection" => ncp::CREATE,
            "destroy-connection" => ncp::DESTROY,
            _ => ncp::REQUEST,
        };
        if let Some(connection) = options.maybe("connection")? {
            self.id.connection = connection;
        }
        let default = if kind == ncp::CREATE {
            0
        } else {
            self.id.sequence
        };
        let sequence: u8 = options.or("sequence", default)?;
        self.id.sequence = sequence.wrapping_add(1);
        let id = Id {
            sequence,
            task: options.or("task", self.id.task)?,
            connection: if kind == ncp::CREATE {
                ncp::NO_CONNECTION
            } else {
                self.id.connection
            },
        };
        let mut asked = NcpAsked {
            id,
            kind,
            function: 0,
            offset: 0,
            length: 0,
            name: String::new(),
        };
        let file: u32 = options.or("handle", 1)?;
        let body = match verb_text {
            "create-connection" | "destroy-connection" => Vec::new(),
            "read" => {
                asked.function = 72;
                asked.offset = options.or("offset", 0)?;
                let length: u16 = options.or("length", 1024)?;
                asked.length = usize::from(length);
                ncp::read(file, asked.offset, length)
            }
            "write" => {
                asked.function = 73;
                let offset = options.or("offset", 0)?;
                let data: u16 = options.or("data", 1024)?;
                ncp::write(file, offset, &file_data(offset.into(), data.into()))
            }
            "close" => {
                asked.function = 66;
                ncp::close(file)
            }
            "open" => {
                asked.function = 76;
                options
                    .text("name")?
                    .unwrap_or("A.TXT")
                    .clone_into(&mut asked.name);
                ncp::open(&asked.name)
            }
            "negotiate-buffer" => {
                asked.function = 33;
                let size: u16 = options.or("size", 1024)?;
                asked.length = usize::from(size);
                size.to_be_bytes().to_vec()
            }
            "burst-connect" => {
                asked.function = 101;
                ncp::burst::connect(self.burst.0, 1500, options.or("socket", 0x4003)?)
            }
            "end-of-job" => {
                asked.function = 24;
                Vec::new()
            }
            "logout" => {
                asked.function = 25;
                Vec::new()
            }
            "date-and-time" => {
                asked.function = 20;
                Vec::new()
            }
            _ => {
                return Err(verb.expected(
                    "create-connection, negotiate-buffer, burst-connect, open, read, write, close, \
                     date-and-time, end-of-job, logout, destroy-connection or still-there",
                ));
            }
        };
        options.done()?;
        let packet = match kind {
            ncp::REQUEST => ncp::request(id, asked.function, &body),
            _ => ncp::bare_request(kind, id),
        };
        // One request at a time is outstanding, but a late reply may name an old one.
        self.asked.retain(|old| old.id.sequence != sequence);
        self.asked.push(asked);
        Ok(packet)
    }

    /// A message from the server.
    pub(super) fn reply(&mut self, verb: &Word, options: &Options) -> Result<Vec<u8>, Fault> {
        if verb.text == "watchdog" {
            return self.watchdog(b'?', options);
        }
        let sequence: Option<u8> = options.maybe("sequence")?;
        let asked = self
            .asked
            .iter()
            .rev()
            .find(|asked| sequence.is_none_or(|sequence| sequence == asked.id.sequence))
            .cloned();
        let asked = match (asked, sequence) {
            (Some(asked), _) => asked,
            // A reply to something before the scenario began: a read, as replies go.
            (None, Some(sequence)) => NcpAsked {
                id: Id {
                    sequence,
                    ..self.id
                },
                kind: ncp::REQUEST,
                function: 72,
                offset: 0,
                length: 0,
                name: String::new(),
            },
            (None, None) => return Err(verb.fault("nothing has been asked yet (sequence=...?)")),
        };
        let id = Id {
            connection: if asked.kind == ncp::CREATE {
                self.id.connection
            } else {
                asked.id.connection
            },
            ..asked.id
        };
        let status = options.or("status", 0)?;
        let packet = match verb.text.as_str() {
            "being-processed" => ncp::reply(ncp::BEING_PROCESSED, id, 0, status, &[]),
            "reply" => {
                let completion: u8 = options.or("completion", 0)?;
                let body = if completion == 0 {
                    self.reply_body(&asked, options)?
                } else {
                    Vec::new()
                };
                ncp::reply(ncp::REPLY, id, completion, status, &body)
            }
            _ => return Err(verb.expected("reply, being-processed or watchdog")),
        };
        options.done()?;
        Ok(packet)
    }

    /// Nothing that is asked or answered.
    fn watchdog(&self, what: u8, options: &Options) -> Result<Vec<u8>, Fault> {
        let connection = options.or("connection", self.id.connection)?;
        options.done()?;
        Ok(ncp::watchdog(connection, what))
    }

    fn reply_body(&self, asked: &NcpAsked, options: &Options) -> Result<Vec<u8>, Fault> {
        Ok(match asked.function {
            72 => {
                let length = options.or::<u16>("data", asked.length as u16)?;
                ncp::read_reply(asked.offset, &file_data(asked.offset.into(), length.into()))
            }
            76 => ncp::open_reply(
                options.or("handle", 1)?,
                &asked.name,
                options.or("size", 0)?,
            ),
            101 => ncp::burst::connect_reply(self.burst.1, 1500),
            33 => (asked.length as u16).to_be_bytes().to_vec(),
            // 1 March 1999, 09:00:00, a Monday.
            20 => vec![99, 3, 1, 9, 0, 0, 1],
            _ => Vec::new(),
        })
    }
}

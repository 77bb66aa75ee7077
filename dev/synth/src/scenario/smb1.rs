//! The lines that begin with `smb1`.

use super::error::Fault;
use super::words::{Options, Word};
use crate::bytes::file_data;
use crate::smb1::transaction::{self, TransactionPart};
use crate::smb1::{Block, Header, NT_STATUS, REPLY, command, message, request, response};

/// What one client says to one server.
#[derive(Debug)]
pub(super) struct Smb1State {
    pid: u16,
    tid: u16,
    uid: u16,
    /// Multiplex number of the next request.
    mid: u16,
    /// Requests by verb: (verb, header). The latest with a verb is what a response to it
    /// answers, if the line does not say otherwise.
    asked: Vec<(String, Header)>,
}

type Smb1Commands<'a> = [(&'a Word, Options)];

impl Smb1State {
    pub(super) fn new(number: u16) -> Self {
        Self {
            pid: 0x1000 + number,
            tid: 0x0800 + number,
            uid: 0x0800 + number,
            mid: 1,
            asked: Vec::new(),
        }
    }

    /// A message of one command, or of chained ones.
    pub(super) fn message(
        &mut self,
        from_client: bool,
        commands: &Smb1Commands<'_>,
    ) -> Result<Vec<u8>, Fault> {
        let Some(((verb, options), _)) = commands.split_first() else {
            return Ok(Vec::new());
        };
        if verb.text == "raw" {
            let offset = options.or("offset", 0)?;
            let data = file_data(offset, options.bytes("data", 0)?);
            options.done()?;
            return Ok(data);
        }
        let header = if from_client {
            self.ask(verb, options)?
        } else {
            self.answer(verb, options)?
        };
        let failed = header.status != 0 && !is_warning(header.status);
        let mut blocks = Vec::new();
        let last = commands.len() - 1;
        for (index, (verb, options)) in commands.iter().enumerate() {
            let block = if from_client {
                request_block(verb, options)?
            } else {
                // An error answers the last command of a chain: it has no words.
                let block = response_block(verb, options)?;
                if failed && index == last {
                    response::empty(block.command)
                } else {
                    block
                }
            };
            options.done()?;
            blocks.push(block);
        }
        Ok(message(&header, &blocks))
    }

    fn ask(&mut self, verb: &Word, options: &Options) -> Result<Header, Fault> {
        let mid = match options.maybe("mid")? {
            Some(mid) => mid,
            // More of a transaction or its cancellation goes under the same number.
            None if continues(verb, options) => {
                self.asked
                    .last()
                    .ok_or_else(|| verb.fault("there is nothing that this could belong to"))?
                    .1
                    .mid
            }
            None => {
                let mid = self.mid;
                self.mid = if mid >= 0xfffe { 1 } else { mid + 1 };
                mid
            }
        };
        let before_logon = matches!(verb.text.as_str(), "negotiate" | "session-setup-andx");
        let header = Header {
            status: 0,
            flags: 0x18,
            flags2: options.or("flags2", NT_STATUS | 1)?,
            connectionless: (options.or("cid", 0)?, options.or("sequence", 0)?),
            tid: options.or("tid", if before_logon { 0 } else { self.tid })?,
            pid: options.or("pid", self.pid)?,
            uid: options.or("uid", if before_logon { 0 } else { self.uid })?,
            mid,
        };
        if verb.text != "nt-cancel" {
            self.asked.retain(|(_, old)| old.mid != mid);
            self.asked.push((verb.text.clone(), header));
        }
        Ok(header)
    }

    fn answer(&mut self, verb: &Word, options: &Options) -> Result<Header, Fault> {
        let mid: Option<u16> = options.maybe("mid")?;
        let status = options.or("status", 0)?;
        if verb.text == "oplock-break" {
            return Ok(Header {
                status: 0,
                flags: 0,
                flags2: NT_STATUS,
                connectionless: (0, 0),
                tid: options.or("tid", self.tid)?,
                pid: 0xffff,
                uid: 0,
                mid: 0xffff,
            });
        }
        let verb_text = match verb.text.as_str() {
            "write-complete" => "write-raw",
            other => other,
        };
        let asked = self
            .asked
            .iter()
            .rev()
            .find(|(asked, header)| match mid {
                Some(mid) => mid == header.mid,
                None => asked == verb_text,
            })
            .map(|(_, header)| *header);
        let asked = match (asked, mid) {
            (Some(asked), _) => asked,
            // An answer to something before the scenario began.
            (None, Some(mid)) => Header {
                status: 0,
                flags: 0x18,
                flags2: NT_STATUS | 1,
                connectionless: (0, 0),
                tid: self.tid,
                pid: self.pid,
                uid: self.uid,
                mid,
            },
            (None, None) => {
                let fault = format!("nothing has asked for `{verb_text}` yet (mid=...?)");
                return Err(verb.fault(fault));
            }
        };
        let new_session = matches!(verb_text, "session-setup-andx" | "tree-connect-andx");
        let (cid, sequence) = asked.connectionless;
        Ok(Header {
            status,
            flags: options.or("flags", asked.flags | REPLY)?,
            flags2: options.or("flags2", asked.flags2)?,
            connectionless: (options.or("cid", cid)?, options.or("sequence", sequence)?),
            uid: options.or("uid", if new_session { self.uid } else { asked.uid })?,
            tid: options.or("tid", if new_session { self.tid } else { asked.tid })?,
            ..asked
        })
    }
}

/// Severity 10 of an NT status: a warning, whose answer has its body.
fn is_warning(status: u32) -> bool {
    status >> 30 == 2
}

/// Whether this belongs to the request before it.
fn continues(verb: &Word, options: &Options) -> bool {
    match verb.text.as_str() {
        "nt-cancel" => true,
        "set-path-info" => options.has("from"),
        "write-mpx" => options.has("more"),
        _ => false,
    }
}

fn data(options: &Options) -> Result<Vec<u8>, Fault> {
    let offset = options.or::<u64>("offset", 0)?;
    Ok(file_data(offset, options.bytes("data", 0)?))
}

/// The part of a transaction that `from` and `length` name; all of it without them.
fn part(options: &Options, parameters: Vec<u8>, data: Vec<u8>) -> Result<TransactionPart, Fault> {
    let from = options.or::<u16>("from", 0)?;
    let length = options.or::<u16>("length", u16::MAX)?;
    Ok(TransactionPart::of(
        parameters,
        data,
        from.into(),
        length.into(),
    ))
}

fn request_block(verb: &Word, options: &Options) -> Result<Block, Fault> {
    let fid = options.or("fid", 1);
    let offset = options.or("offset", 0);
    let name = || Ok(options.text("name")?.unwrap_or("\\A.TXT"));
    Ok(match verb.text.as_str() {
        "negotiate" => {
            let dialects: Vec<&str> = match options.text("dialects")? {
                Some(list) => list.split(',').collect(),
                None => request::DIALECTS.to_vec(),
            };
            request::negotiate(&dialects)
        }
        "session-setup-andx" => {
            request::session_setup_andx(options.text("user")?.unwrap_or("USER"))
        }
        "tree-connect-andx" => {
            let path = options.text("path")?.unwrap_or("\\\\SERVER\\DATA");
            request::tree_connect_andx(path)
        }
        "tree-disconnect" => request::tree_disconnect(),
        "logoff-andx" => request::logoff_andx(),
        "open-andx" => request::open_andx(name()?),
        "nt-create-andx" => request::nt_create_andx(name()?, options.flag("oplock")?),
        "delete" => request::delete(name()?),
        "query-information" => request::query_information(name()?),
        "close" => request::close(fid?),
        "read" => request::read(fid?, offset?, options.or("length", 1024)?),
        "write" => request::write(fid?, offset?, &data(options)?),
        "read-andx" => match options.maybe("padding")? {
            None => request::read_andx(fid?, offset?, options.or("length", 4096)?),
            Some(padding) => {
                let length = options.or("length", 4096)?;
                request::read_andx_padded(fid?, offset?, length, padding)
            }
        },
        "write-andx" => request::write_andx(fid?, offset?, &data(options)?),
        "read-raw" => request::read_raw(fid?, offset?, options.or("length", 65535)?),
        "read-mpx" => request::read_mpx(fid?, offset?, options.or("length", 4096)?),
        "write-raw" => {
            let total = options.or("total", 0)?;
            let through = options.flag("through")?;
            request::write_raw(fid?, offset?, total, through, &data(options)?)
        }
        "write-mpx" => {
            options.flag("more")?;
            let (total, mask) = (options.or("total", 0)?, options.or("mask", 1)?);
            request::write_mpx(fid?, offset?, total, mask, &data(options)?)
        }
        "echo" => request::echo(options.or("count", 1)?, &data(options)?),
        "find-first2" => {
            let most = options.or("most", 200)?;
            let pattern = options.text("pattern")?.unwrap_or("\\*");
            let parameters = transaction::find_first2(pattern, most);
            transaction::transaction2(1, &part(options, parameters, Vec::new())?)
        }
        "set-path-info" => {
            let first = options.or::<u16>("from", 0)? == 0;
            let parameters = transaction::set_path_information(options.or("level", 2)?, name()?);
            let part = part(options, parameters, data(options)?)?;
            if first {
                transaction::transaction2(6, &part)
            } else {
                transaction::transaction2_secondary(&part)
            }
        }
        "notify-change" => transaction::notify_change(fid?),
        "nt-cancel" => request::nt_cancel(),
        "locking-andx" => {
            let (offset, length) = (offset?, options.maybe("length")?);
            request::locking_andx(
                fid?,
                options.or("type", 0)?,
                options.or("oplock", 0)?,
                options.or("timeout", 0)?,
                length.map(|length| (offset, length)),
            )
        }
        _ => return Err(verb.expected("an SMB1 request (negotiate, read-andx, echo, ...)")),
    })
}

fn response_block(verb: &Word, options: &Options) -> Result<Block, Fault> {
    let fid = options.or("fid", 1);
    Ok(match verb.text.as_str() {
        "negotiate" => response::negotiate(options.or("index", 5)?),
        "session-setup-andx" => response::session_setup_andx(),
        "tree-connect-andx" => {
            response::tree_connect_andx(options.text("service")?.unwrap_or("A:"))
        }
        "tree-disconnect" => response::empty(command::TREE_DISCONNECT),
        "logoff-andx" => response::chain_only(command::LOGOFF_ANDX),
        "open-andx" => {
            response::open_andx(fid?, options.or("size", 0)?, options.or("resource", 0)?)
        }
        "nt-create-andx" => {
            let oplock = if options.flag("oplock")? { 2 } else { 0 };
            response::nt_create_andx(fid?, options.or("size", 0)?, oplock)
        }
        "delete" => response::empty(command::DELETE),
        "query-information" => response::query_information(options.or("size", 0)?),
        "close" => response::empty(command::CLOSE),
        "read" => response::read(&data(options)?),
        "write" => response::count(command::WRITE, options.or("count", 0)?),
        "read-andx" => response::read_andx(&data(options)?),
        "write-andx" => response::write_andx(options.or("count", 0)?),
        "read-mpx" => {
            let offset = options.or("offset", 0)?;
            response::read_mpx(offset, options.or("count", 0)?, &data(options)?)
        }
        "write-mpx" => response::write_mpx(options.or("mask", 0)?),
        "write-raw" => response::count(command::WRITE_RAW, options.or("available", 0xffff)?),
        "write-complete" => response::count(command::WRITE_COMPLETE, options.or("count", 0)?),
        "echo" => response::echo(options.or("number", 1)?, &data(options)?),
        "find-first2" => {
            let entries = options.or("entries", 1)?;
            let parameters = transaction::find_first2_answer(entries);
            let part = part(options, parameters, transaction::entries(entries))?;
            transaction::transaction2_response(&part)
        }
        "set-path-info" if options.flag("interim")? => response::empty(command::TRANSACTION2),
        "set-path-info" => {
            transaction::transaction2_response(&part(options, vec![0, 0], Vec::new())?)
        }
        "notify-change" => {
            transaction::notify_change_response(options.text("name")?.unwrap_or("NEW.TXT"))
        }
        "locking-andx" => response::chain_only(command::LOCKING_ANDX),
        "oplock-break" => request::locking_andx(fid?, 2, options.or("oplock", 0)?, 0, None),
        _ => return Err(verb.expected("an SMB1 response (negotiate, read-andx, echo, ...)")),
    })
}

//! The lines that begin with `smb2`.

use super::error::Fault;
use super::words::{Options, Word};
use crate::bytes::file_data;
use crate::prng::Random;
use crate::smb2::compressed::{Packing, compressed};
use crate::smb2::{
    Header, PENDING, SAME_FILE, command, encrypted, flag, message, request, response,
};

/// What one client says to one server.
#[derive(Debug)]
pub(super) struct Smb2State {
    session: u64,
    tree: u32,
    /// Identifier of the next request.
    message: u64,
    /// For the outside of encrypted messages.
    nonce: u64,
    asked: Vec<Smb2Asked>,
}

#[derive(Clone, Debug)]
struct Smb2Asked {
    verb: String,
    header: Header,
    pending: bool,
    answered: bool,
}

type Smb2Commands<'a> = [(&'a Word, Options)];

impl Smb2State {
    pub(super) fn new(number: u16) -> Self {
        Self {
            session: 0x0000_0400_0000_0000 + u64::from(number),
            tree: u32::from(number),
            message: 0,
            nonce: 0,
            asked: Vec::new(),
        }
    }

    /// A message of one part, or a compound.
    pub(super) fn message(
        &mut self,
        from_client: bool,
        commands: &Smb2Commands<'_>,
    ) -> Result<Vec<u8>, Fault> {
        if let [(verb, options)] = commands
            && verb.text == "encrypted"
        {
            let bytes = options.bytes("bytes", 100)?;
            options.done()?;
            self.nonce += 1;
            let mut random = Random::new(self.nonce);
            let ciphertext: Vec<u8> = (0..bytes).map(|_| random.bits() as u8).collect();
            return Ok(encrypted(self.session, self.nonce, &ciphertext));
        }
        let mut parts = Vec::new();
        for (verb, options) in commands {
            let part = if from_client {
                let header = self.ask(verb, options)?;
                (header, request_body(verb, options)?)
            } else {
                let header = self.answer(verb, options)?;
                let body = response_body(verb, options)?;
                let body = if has_body(verb, header.status) {
                    body
                } else {
                    response::error()
                };
                (header, body)
            };
            parts.push(part);
        }
        let out = message(&parts);
        let packed = match commands {
            [(_, options)] => pack(&out, options)?,
            _ => None,
        };
        for (_, options) in commands {
            options.done()?;
        }
        Ok(packed.unwrap_or(out))
    }

    fn ask(&mut self, verb: &Word, options: &Options) -> Result<Header, Fault> {
        let code = code(verb)?;
        let charge: u16 = options.or("charge", 1)?;
        let target: Option<u64> = options.maybe("mid")?;
        let mut header = Header {
            command: code,
            status: 0,
            credit_charge: charge,
            credits: options.or("credits", 1)?,
            flags: 0,
            message: 0,
            asynchronous: 0,
            tree: options.or("tree", self.tree)?,
            session: options.or("session", self.session)?,
        };
        if options.flag("related")? {
            header.flags |= flag::RELATED;
        }
        match code {
            command::NEGOTIATE => (header.session, header.tree) = (0, 0),
            // Another connection for a session: from now on, all of this one is of it.
            command::SESSION_SETUP if options.flag("binding")? => {
                header.tree = 0;
                self.session = header.session;
            }
            command::SESSION_SETUP => {
                header.tree = 0;
                if options.or::<u8>("round", 1)? <= 1 {
                    header.session = 0;
                }
            }
            command::TREE_CONNECT => header.tree = 0,
            command::CANCEL => {
                let target = self
                    .asked
                    .iter()
                    .rev()
                    .find(|asked| target.is_none_or(|mid| mid == asked.header.message))
                    .ok_or_else(|| verb.fault("there is nothing to cancel"))?;
                header.message = target.header.message;
                if target.pending {
                    header.flags |= flag::ASYNC;
                    header.asynchronous = target.header.message;
                }
                return Ok(header);
            }
            _ => {}
        }
        header.message = target.unwrap_or(self.message);
        self.message = header.message.wrapping_add(charge.max(1).into());
        self.asked.push(Smb2Asked {
            verb: verb.text.clone(),
            header,
            pending: false,
            answered: false,
        });
        Ok(header)
    }

    fn answer(&mut self, verb: &Word, options: &Options) -> Result<Header, Fault> {
        let code = code(verb)?;
        let mid: Option<u64> = options.maybe("mid")?;
        let status = status(options)?;
        let unasked = matches!(verb.text.as_str(), "oplock-break" | "lease-break")
            && !options.flag("answer")?;
        let mut header = Header {
            command: code,
            status,
            credit_charge: 1,
            credits: options.or("credits", 1)?,
            flags: flag::RESPONSE,
            message: u64::MAX,
            asynchronous: 0,
            tree: self.tree,
            session: self.session,
        };
        if unasked {
            (header.session, header.tree, header.credits) = (0, 0, 0);
            return Ok(header);
        }
        let verb_text = verb.text.as_str();
        // The oldest open request of that name, or the one that the line names.
        let asked = self.asked.iter_mut().find(|asked| match mid {
            Some(mid) => mid == asked.header.message,
            None => asked.verb == verb_text && !asked.answered,
        });
        let Some(asked) = asked else {
            // An answer to something before the scenario began, or to an SMB1 NEGOTIATE.
            let Some(mid) = mid else {
                let fault = format!("no `{verb_text}` waits for an answer (mid=...?)");
                return Err(verb.fault(fault));
            };
            header.message = mid;
            if code == command::NEGOTIATE {
                (header.session, header.tree) = (0, 0);
            }
            return Ok(header);
        };
        header.message = asked.header.message;
        header.credit_charge = asked.header.credit_charge;
        header.flags |= asked.header.flags & flag::RELATED;
        (header.session, header.tree) = (asked.header.session, asked.header.tree);
        if status == PENDING {
            asked.pending = true;
        } else {
            asked.answered = true;
        }
        if asked.pending {
            header.flags |= flag::ASYNC;
            header.asynchronous = header.message;
        }
        match code {
            command::SESSION_SETUP => header.session = self.session,
            command::TREE_CONNECT => header.tree = self.tree,
            _ => {}
        }
        Ok(header)
    }
}

/// The message compressed, if the line says so: what is behind its file data's beginning, or
/// all of it.
fn pack(message: &[u8], options: &Options) -> Result<Option<Vec<u8>>, Fault> {
    let Some(how) = options.text("packed")? else {
        return Ok(None);
    };
    let head = message.len().saturating_sub(options.bytes("data", 0)?);
    Ok(Some(match how {
        "chain" => compressed(message, head, Packing::Chain),
        "whole" => compressed(message, 0, Packing::OnePiece),
        _ => compressed(message, head, Packing::OnePiece),
    }))
}

fn code(verb: &Word) -> Result<u16, Fault> {
    Ok(match verb.text.as_str() {
        "negotiate" => command::NEGOTIATE,
        "session-setup" => command::SESSION_SETUP,
        "logoff" => command::LOGOFF,
        "tree-connect" => command::TREE_CONNECT,
        "tree-disconnect" => command::TREE_DISCONNECT,
        "create" => command::CREATE,
        "close" => command::CLOSE,
        "flush" => command::FLUSH,
        "read" => command::READ,
        "write" => command::WRITE,
        "lock" => command::LOCK,
        "cancel" => command::CANCEL,
        "echo" => command::ECHO,
        "query-directory" => command::QUERY_DIRECTORY,
        "change-notify" => command::CHANGE_NOTIFY,
        "query-info" => command::QUERY_INFO,
        "oplock-break" | "lease-break" => command::OPLOCK_BREAK,
        _ => return Err(verb.expected("an SMB2 command (negotiate, create, read, ...)")),
    })
}

/// A status by its number or by one of a few names.
fn status(options: &Options) -> Result<u32, Fault> {
    Ok(match options.text("status")? {
        Some("pending") => PENDING,
        Some("more-processing") => 0xc000_0016,
        Some("no-more-files") => 0x8000_0006,
        Some("end-of-file") => 0xc000_0011,
        Some("not-found") => 0xc000_0034,
        Some("not-granted") => 0xc000_0055,
        Some("cancelled") => 0xc000_0120,
        _ => options.or("status", 0)?,
    })
}

/// Errors and "pending" have no body of their own; the rounds of a logon have.
fn has_body(verb: &Word, status: u32) -> bool {
    match status {
        0 => true,
        0xc000_0016 => verb.text == "session-setup",
        _ => false,
    }
}

/// The file a request is about: in a related part, the one that was opened before it.
fn file(options: &Options) -> Result<u64, Fault> {
    let default = if options.has("related") { SAME_FILE } else { 1 };
    options.or("file", default)
}

fn data(options: &Options) -> Result<Vec<u8>, Fault> {
    let offset = options.or::<u64>("offset", 0)?;
    let length = options.bytes("data", 0)?;
    if options.has("packed") {
        // What is worth compressing.
        return Ok(vec![0; length]);
    }
    Ok(file_data(offset, length))
}

fn request_body(verb: &Word, options: &Options) -> Result<Vec<u8>, Fault> {
    Ok(match verb.text.as_str() {
        "negotiate" => request::negotiate(&[0x0202, 0x0210]),
        "session-setup" => {
            let flags = u8::from(options.flag("binding")?);
            request::session_setup(options.or("round", 1)?, flags)
        }
        "tree-connect" => {
            request::tree_connect(options.text("path")?.unwrap_or("\\\\server\\data"))
        }
        "create" => {
            let name = options.text("name")?.unwrap_or("a.txt");
            request::create(name, options.or("oplock", 0)?)
        }
        "close" => request::close(file(options)?),
        "flush" => request::flush(file(options)?),
        "read" => request::read(
            file(options)?,
            options.or("offset", 0)?,
            options.or("length", 4096)?,
        ),
        "write" => request::write(file(options)?, options.or("offset", 0)?, &data(options)?),
        "lock" => request::lock(
            file(options)?,
            options.or("offset", 0)?,
            options.or("length", 1)?,
            options.or("flags", 2)?,
        ),
        "query-directory" => {
            request::query_directory(file(options)?, options.text("pattern")?.unwrap_or("*"))
        }
        "change-notify" => request::change_notify(file(options)?),
        "query-info" => request::query_info(file(options)?),
        "oplock-break" => request::oplock_break(file(options)?, options.or("level", 0)?),
        "lease-break" => request::lease_break(options.or("key", 1)?, options.or("state", 0)?),
        _ => request::bare(),
    })
}

fn response_body(verb: &Word, options: &Options) -> Result<Vec<u8>, Fault> {
    Ok(match verb.text.as_str() {
        "negotiate" => response::negotiate(options.or("dialect", 0x0210)?),
        "session-setup" => response::session_setup(options.or("round", 1)?),
        "tree-connect" => response::tree_connect(options.or("type", 1)?),
        "create" => {
            let file = options.or("file", 1)?;
            let size = options.or("size", 0)?;
            match options.maybe("lease")? {
                Some(key) => response::create_leased(file, size, key),
                None => response::create(file, size, options.or("oplock", 0)?),
            }
        }
        "close" => response::close(),
        "read" => response::read(&data(options)?),
        "write" => response::write(options.or("count", 0)?),
        "query-directory" => response::query_directory(options.or::<u16>("entries", 1)?.into()),
        "change-notify" => response::change_notify(options.text("name")?.unwrap_or("new.txt")),
        "query-info" => response::query_info(options.or("size", 0)?),
        "oplock-break" => request::oplock_break(file(options)?, options.or("level", 0)?),
        "lease-break" => {
            let (key, state) = (options.or("key", 1)?, options.or("state", 0)?);
            if options.flag("answer")? {
                request::lease_break(key, state)
            } else {
                response::lease_break(key, state)
            }
        }
        _ => response::bare(),
    })
}

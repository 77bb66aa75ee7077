//! Requests and replies in one line.

use super::{
    CREATE_CONNECTION, DESTROY_CONNECTION, Header, Message, Packet, asked_for, burst, functions,
    open_file, path, status,
};
use std::fmt;
use wirewait_wire::{Fault, Input, Kind};

pub(super) fn describe(input: Input<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    let header = match Packet::parse(input) {
        Ok(Packet::Service(header)) => header,
        Ok(Packet::Burst(_)) => return burst::describe(input, out),
        Ok(Packet::Echo) => return write!(out, "LIP echo, {} bytes", input.length),
        Err(Fault::Short { .. }) => return out.write_str("cut off"),
        Err(Fault::Malformed { what, .. }) => return write!(out, "malformed {what}"),
    };
    let mut connection = true;
    match header.message {
        Message::Create => {
            connection = false;
            write!(out, "C {}", CREATE_CONNECTION.name)?;
        }
        Message::Destroy => write!(out, "C {}", DESTROY_CONNECTION.name)?,
        Message::Request {
            function,
            subfunction,
        } => describe_request(function, subfunction, input, out)?,
        Message::Reply { completion, state } => {
            let status = status::status(completion, None);
            match (completion, status.name) {
                (0, _) => out.write_str("R ok")?,
                (_, Some(name)) => write!(out, "R {completion:#04x} {name}")?,
                (_, None) => write!(out, "R {completion:#04x}")?,
            }
            for (bit, name) in [
                (Header::BAD_CONNECTION, ", bad connection"),
                (Header::SERVER_DOWN, ", server down"),
                (Header::MESSAGE_WAITING, ", message waiting"),
            ] {
                if state & bit != 0 {
                    out.write_str(name)?;
                }
            }
        }
        Message::BeingProcessed => out.write_str("R request being processed")?,
        Message::Notice { what: b'!' } => out.write_str("S message waiting")?,
        Message::Notice { what: b'$' } => {
            out.write_str("S clear op-lock")?;
            if let Some(file) = header.op_lock(input) {
                write!(out, " h={:08x}", file.handle)?;
            }
        }
        Message::Notice { what } => write!(out, "S notice {what:#04x}")?,
        Message::Watchdog { what: b'?' } => out.write_str("S watchdog: still there?")?,
        Message::Watchdog { what: b'Y' } => out.write_str("C watchdog: still there")?,
        Message::Watchdog { what } => write!(out, "watchdog {what:#04x}")?,
    }
    out.write_str(" (")?;
    if connection {
        write!(out, "conn {} ", header.connection)?;
    }
    write!(out, "seq {})", header.sequence)
}

fn describe_request(
    function: u8,
    subfunction: Option<u8>,
    input: Input<'_>,
    out: &mut dyn fmt::Write,
) -> fmt::Result {
    let (found, _) = asked_for(function, subfunction, input);
    write!(out, "C {}", found.name)?;
    if std::ptr::eq(found, &functions::UNKNOWN) {
        write!(out, " {function}")?;
        if let Some(subfunction) = subfunction {
            write!(out, "/{subfunction}")?;
        }
    }
    let sub = subfunction.unwrap_or(0);
    let fields = open_file::request(function, sub, input);
    if let Some(file) = fields.file {
        write!(out, " h={:08x}", file.handle)?;
        if let Some(offset) = file.offset {
            write!(out, " off={offset}")?;
        }
    }
    if matches!(found.kind, Kind::Read | Kind::Write)
        && fields.file.is_some_and(|f| f.offset.is_some())
    {
        write!(out, " len={}", fields.asked)?;
    }
    path::describe(function, sub, input, out)
}

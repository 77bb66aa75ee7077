//! Every field of a message, part by part: the header (2.2.1), the body of each command, and
//! what its buffers hold.
//!
//! A body has a fixed part that says where its buffers stand, counted from the header. What
//! lies between them is shown as padding, so that each byte is shown once.

mod breaks;
mod control;
mod create;
mod files;
mod info;
mod names;
mod negotiate;
mod params;
mod session;
mod wrapped;

use super::commands::{self, command};
use super::payload;
use super::{ASYNC, Encrypted, Header, RESPONSE, Wrapping, wrapping};
use crate::parse;
use crate::smb1::status::ntstatus;
use names::HEADER_FLAGS;
use params::*;
use wirewait_wire::{Fields, Input};

/// Where the body begins, counted from the header.
const BODY: usize = Header::LENGTH as usize;

pub(super) fn fields(f: &mut Fields<'_>) -> Option<()> {
    if let Ok(h) = Header::parse(f.input())
        && let Some((at, _)) = payload::carried(&h, f.input().bytes)
    {
        // What lies behind is another layer's.
        return f.within(at, "Further bytes", part);
    }
    while !f.peek().is_empty() {
        message(f)?;
    }
    Some(())
}

/// The part of a message that begins here, wrapped or not.
fn message(f: &mut Fields<'_>) -> Option<()> {
    let input = here(f);
    match wrapping(input) {
        Ok(Wrapping::Plain) => plain_part(f, input),
        Ok(Wrapping::Encrypted) => {
            let end = Encrypted::parse(input).map(|e| e.end());
            f.within(
                end.unwrap_or(input.length),
                "Encrypted data",
                wrapped::encrypted,
            )
        }
        Ok(Wrapping::Compressed) => wrapped::compressed(f),
        Err(_) => f.rest("Data").map(|_| ()),
    }
}

fn plain_part(f: &mut Fields<'_>, input: Input<'_>) -> Option<()> {
    let length = Header::parse(input).and_then(|h| h.part(input.length));
    f.within(length.unwrap_or(input.length), "Further bytes", part)
}

/// The parts of a message that a wrapping left readable. What is wrapped in there again is
/// not followed: no sender does that.
fn unwrapped(f: &mut Fields<'_>) -> Option<()> {
    while f.left() > 0 {
        let input = here(f);
        if !matches!(wrapping(input), Ok(Wrapping::Plain)) {
            break;
        }
        plain_part(f, input)?;
    }
    Some(())
}

/// What is left, as a dissector is given it.
fn here<'a>(f: &Fields<'a>) -> Input<'a> {
    Input {
        bytes: f.peek(),
        length: f.left(),
    }
}

/// A header and its body; they reach as far as the bytes do.
fn part(f: &mut Fields<'_>) -> Option<()> {
    let start = f.at();
    let bytes = f.peek();
    let flags = parse::le32(bytes, 16).unwrap_or_default();
    header(f, flags)?;
    let Ok(h) = Header::parse(Input::whole(bytes)) else {
        return f.rest("Data").map(|_| ());
    };
    let body = Body {
        start,
        size: parse::le16(bytes, BODY),
    };
    let name = commands::name(h.command).unwrap_or("Unknown command");
    if f.left() == 0 {
        return Some(());
    }
    if h.has(RESPONSE) && h.message == Some(Header::UNSOLICITED) {
        f.open(format!("{name} notification"));
        structure_size(f)?;
        notification(f, &h, body)?;
    } else if h.has(RESPONSE) && is_error(&h, body.size) {
        f.open(format!("ERROR response to {name}"));
        structure_size(f)?;
        error(f, &h)?;
    } else if h.has(RESPONSE) {
        f.open(format!("{name} response"));
        structure_size(f)?;
        response(f, &h, body)?;
    } else {
        f.open(format!("{name} request"));
        structure_size(f)?;
        request(f, &h, body)?;
    }
    if f.left() < 8 {
        f.rest("Padding")?;
    } else {
        f.rest("Further bytes")?;
    }
    f.close();
    Some(())
}

/// 2.2.1.1 and 2.2.1.2.
fn header(f: &mut Fields<'_>, flags: u32) -> Option<()> {
    let response = flags & RESPONSE != 0;
    f.open("SMB2 header");
    f.bytes(4, "ProtocolId")?;
    f.shown("FE 'SMB'");
    f.le16("StructureSize")?;
    f.le16("CreditCharge")?;
    if response {
        let status = f.le32("Status")?;
        f.hex();
        if let Some(name) = ntstatus(status).name {
            f.means(name);
        }
    } else {
        f.le16("ChannelSequence")?;
        f.le16("Reserved")?;
    }
    let command = f.le16("Command")?;
    f.means(commands::name(command).unwrap_or("unknown"));
    f.le16(if response {
        "CreditResponse"
    } else {
        "CreditRequest"
    })?;
    le32("Flags").set_of(HEADER_FLAGS).read(f)?;
    f.bits(0x70, "PRIORITY_MASK");
    f.le32("NextCommand")?;
    let message = f.le64("MessageId")?;
    if message == Header::UNSOLICITED {
        f.hex().means("sent unasked");
    }
    if flags & ASYNC != 0 {
        le64("AsyncId").hex().read(f)?;
    } else {
        describe(f, &[le32("ProcessId").hex(), le32("TreeId").hex()])?;
    }
    describe(f, &[le64("SessionId").hex(), bytes(16, "Signature")])?;
    f.close();
    Some(())
}

/// What a body needs to know of itself.
#[derive(Clone, Copy)]
struct Body {
    /// Where the header begins, from which its offsets count.
    start: u32,
    /// Its StructureSize, which tells its forms apart.
    size: Option<u16>,
}

fn request(f: &mut Fields<'_>, h: &Header, body: Body) -> Option<()> {
    match h.command {
        command::NEGOTIATE => negotiate::request(f, body),
        command::SESSION_SETUP => session::setup_request(f, body),
        command::TREE_CONNECT => session::tree_connect_request(f, body),
        command::CREATE => create::request(f, body),
        command::CLOSE => describe(f, files::CLOSE_REQUEST),
        command::FLUSH => describe(f, files::FLUSH_REQUEST),
        command::READ => files::read_request(f, body),
        command::WRITE => files::write_request(f, body),
        command::LOCK => files::lock_request(f),
        command::IOCTL => control::request(f, body),
        command::QUERY_DIRECTORY => info::query_directory_request(f, body),
        command::CHANGE_NOTIFY => info::change_notify_request(f),
        command::QUERY_INFO => info::query_request(f, body),
        command::SET_INFO => info::set_request(f, body),
        command::OPLOCK_BREAK => breaks::acknowledgment(f, body),
        _ => plain(f, h),
    }
}

fn response(f: &mut Fields<'_>, h: &Header, body: Body) -> Option<()> {
    match h.command {
        command::NEGOTIATE => negotiate::response(f, body),
        command::SESSION_SETUP => session::setup_response(f, body),
        command::TREE_CONNECT => session::tree_connect_response(f),
        command::CREATE => create::response(f, body),
        command::CLOSE => describe(f, files::CLOSE_RESPONSE),
        command::READ => files::read_response(f, body),
        command::WRITE => files::write_response(f, body),
        command::IOCTL => control::response(f, body),
        command::QUERY_DIRECTORY => info::query_directory_response(f, body),
        command::CHANGE_NOTIFY => info::change_notify_response(f, body),
        command::QUERY_INFO => info::query_response(f, body),
        command::SET_INFO => Some(()),
        command::OPLOCK_BREAK => breaks::acknowledgment(f, body),
        _ => plain(f, h),
    }
}

/// What the server sends unasked (2.2.23, 2.2.44).
fn notification(f: &mut Fields<'_>, h: &Header, body: Body) -> Option<()> {
    match h.command {
        command::OPLOCK_BREAK => breaks::notification(f, body),
        command::NOTIFICATION => {
            const KINDS: ValueNames = &[(0, "SmbNotifySessionClosed")];
            let kind = le32("NotificationType").codes(KINDS);
            describe(f, &[le16("Reserved"), kind, le32("Reserved")])
        }
        _ => Some(()),
    }
}

/// Bodies that consist of StructureSize and two reserved bytes: LOGOFF, TREE_DISCONNECT,
/// CANCEL, ECHO, and the responses of FLUSH and LOCK.
fn plain(f: &mut Fields<'_>, h: &Header) -> Option<()> {
    if commands::name(h.command).is_some() {
        f.le16("Reserved")?;
    }
    Some(())
}

/// Whether the body is that of an error (2.2.2). Its StructureSize is that of other bodies,
/// too, and then the status tells (3.3.4.4).
fn is_error(h: &Header, size: Option<u16>) -> bool {
    const SIZE: u16 = 9;
    const MORE_PROCESSING_REQUIRED: u32 = 0xc000_0016;
    const BUFFER_OVERFLOW: u32 = 0x8000_0005;
    const NOTIFY_CLEANUP: u32 = 0x0000_010b;
    const NOTIFY_ENUM_DIR: u32 = 0x0000_010c;
    let carries_a_result = match h.command {
        command::SESSION_SETUP => matches!(h.status, 0 | MORE_PROCESSING_REQUIRED),
        command::CHANGE_NOTIFY => matches!(h.status, 0 | NOTIFY_CLEANUP | NOTIFY_ENUM_DIR),
        command::QUERY_DIRECTORY | command::QUERY_INFO => {
            matches!(h.status, 0 | BUFFER_OVERFLOW)
        }
        _ => false,
    };
    size == Some(SIZE) && !carries_a_result
}

/// 2.2.2.
fn error(f: &mut Fields<'_>, h: &Header) -> Option<()> {
    const STOPPED_ON_SYMLINK: u32 = 0x8000_002d;
    const BUFFER_TOO_SMALL: u32 = 0xc000_0023;
    let contexts = f.u8("ErrorContextCount")?;
    f.u8("Reserved")?;
    let length = f.le32("ByteCount")?;
    if length == 0 {
        // One byte stands there all the same.
        let there = f.left().min(1);
        return f.bytes(there, "ErrorData").map(|_| ());
    }
    let length = length.min(f.left());
    f.within(length, "ErrorData", |f| {
        for _ in 0..contexts {
            if f.left() < 8 {
                break;
            }
            f.open("Error context");
            let length = f.le32("ErrorDataLength")?;
            le32("ErrorId").hex().read(f)?;
            let length = length.min(f.left());
            f.within(length, "ErrorContextData", |f| error_data(f, h))?;
            f.close();
            align(f)?;
        }
        if contexts == 0 {
            error_data(f, h)?;
        }
        Some(())
    })?;
    return Some(());

    fn error_data(f: &mut Fields<'_>, h: &Header) -> Option<()> {
        match h.status {
            STOPPED_ON_SYMLINK if f.left() >= 28 => symbolic_link(f),
            BUFFER_TOO_SMALL if f.left() >= 4 => {
                f.le32("Minimum required buffer length").map(|_| ())
            }
            _ => f.rest("ErrorData").map(|_| ()),
        }
    }
}

/// 2.2.2.2.1.
fn symbolic_link(f: &mut Fields<'_>) -> Option<()> {
    f.open("Symbolic link error");
    describe(
        f,
        &[
            le32("SymLinkLength"),
            le32("SymLinkErrorTag").hex(),
            le32("ReparseTag").hex(),
            le16("ReparseDataLength"),
            le16("UnparsedPathLength"),
        ],
    )?;
    let substitute = (
        f.le16("SubstituteNameOffset")?,
        f.le16("SubstituteNameLength")?,
    );
    let print = (f.le16("PrintNameOffset")?, f.le16("PrintNameLength")?);
    f.le32("Flags")?;
    f.hex();
    f.flag(1, "SYMLINK_FLAG_RELATIVE", "relative", "absolute");
    let paths = f.at();
    let name = |name: &'static str| move |f: &mut Fields<'_>| utf16(f, name);
    buffers(
        f,
        paths,
        &mut [
            (
                substitute.0.into(),
                substitute.1.into(),
                &name("SubstituteName"),
            ),
            (print.0.into(), print.1.into(), &name("PrintName")),
        ],
    )?;
    f.rest("PathBuffer")?;
    f.close();
    Some(())
}

fn structure_size(f: &mut Fields<'_>) -> Option<u16> {
    f.le16("StructureSize")
}

/// Describes what a buffer holds.
type Read<'r> = &'r dyn for<'f, 'a> Fn(&'f mut Fields<'a>) -> Option<()>;

/// Buffers at these offsets from `start`, of these lengths; what lies between them is
/// padding. One that begins before what is described already, or behind the end, is left out.
fn buffers(f: &mut Fields<'_>, start: u32, list: &mut [(u32, u32, Read<'_>)]) -> Option<()> {
    list.sort_by_key(|(offset, ..)| *offset);
    for (offset, length, read) in list {
        let from = start.saturating_add(*offset);
        let before = from.checked_sub(f.at());
        let Some(before) = before.filter(|n| *length > 0 && *n < f.left()) else {
            continue;
        };
        f.bytes(before, "Padding")?;
        let length = f.left().min(*length);
        f.within(length, "Further bytes", read)?;
    }
    Some(())
}

/// Entries that each begin with the distance to the next one, 0 in the last; none is
/// shorter than `least`.
fn entries(f: &mut Fields<'_>, least: u32, read: Read<'_>) -> Option<()> {
    while f.left() >= least {
        let next = parse::le32(f.peek(), 0).unwrap_or_default();
        let fits = (least..=f.left()).contains(&next);
        let length = if fits { next } else { f.left() };
        f.within(length, "Padding", read)?;
    }
    Some(())
}

/// The bytes to the next multiple of 8, if that much is left.
fn align(f: &mut Fields<'_>) -> Option<()> {
    // Lists begin at multiples of 8 from the header, and headers do within a message.
    let padding = f.at().wrapping_neg() % 8;
    if f.left() > 0 {
        let padding = padding.min(f.left());
        f.bytes(padding, "Padding")?;
    }
    Some(())
}

/// All that is left here, as text.
fn utf16(f: &mut Fields<'_>, name: &'static str) -> Option<()> {
    let left = f.left();
    f.utf16(left, name).map(|_| ())
}

#[cfg(test)]
mod tests;

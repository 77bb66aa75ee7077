//! The fields of an NCP packet, as a detail pane shows them.

use super::functions::{self, subfunction_offset};
use super::status;
use super::{CREATE, Header, asked_function, burst};
use super::functions::UNKNOWN;
use wirewait_wire::Fields;

/// Describes a whole packet.
pub(super) fn fields(f: &mut Fields<'_>) -> Option<()> {
    let [high, low, ..] = *f.peek() else {
        return f.be16("Packet type").map(|_| ());
    };
    let packet_type = u16::from_be_bytes([high, low]);
    match packet_type {
        0x7777 => return burst::fields(f),
        0x4c69 => return echo(f),
        _ => {}
    }
    f.be16("Packet type")?;
    f.hex();
    let Some(name) = packet_type_name(packet_type) else {
        f.rest("Data")?;
        return Some(());
    };
    f.means(name);
    f.u8("Sequence number")?;
    let low = f.u8("Connection number low")?;
    f.u8("Task number")?;
    let high = f.u8("Connection number high")?;
    f.means(format_args!("connection {}", u16::from_be_bytes([high, low])));
    match packet_type {
        0x2222 => request(f),
        0x3333 => reply(f),
        0x9999 => {
            completion(f, None)?;
            rest(f, "Data")
        }
        0xbbbb | 0x3e3e => notice(f, packet_type),
        _ => {
            f.u8("Function code")?;
            f.means("none: the packet type says all");
            rest(f, "Data")
        }
    }
}

/// What a packet of this type is.
pub(super) const fn packet_type_name(packet_type: u16) -> Option<&'static str> {
    Some(match packet_type {
        0x1111 => "create service connection",
        0x2222 => "service request",
        0x3333 => "service reply",
        0x5555 => "destroy service connection",
        0x7777 => "packet burst",
        0x9999 => "request being processed",
        0xbbbb => "server broadcast",
        0x3e3e => "watchdog",
        0x4c69 => "LIP echo",
        _ => return None,
    })
}

fn echo(f: &mut Fields<'_>) -> Option<()> {
    f.be16("Packet type")?;
    f.hex().means("\"Li\", the start of \"LIP Echo Data\"");
    rest(f, "Padding")
}

fn request(f: &mut Fields<'_>) -> Option<()> {
    let function = f.u8("Function code")?;
    match subfunction_offset(function) {
        None => name(f, function, None),
        Some(at) => {
            if let Some(family) = functions::family(function) {
                f.means(family);
            }
            if at == 9 {
                f.be16("Subfunction structure length")?;
            }
            let subfunction = f.u8("Subfunction code")?;
            name(f, function, Some(subfunction));
        }
    }
    rest(f, "Parameters")
}

fn name(f: &mut Fields<'_>, function: u8, subfunction: Option<u8>) {
    let found = functions::find(function, subfunction);
    if std::ptr::eq(found, &UNKNOWN) {
        f.means("not known");
    } else {
        f.means(found.name);
    }
}

fn reply(f: &mut Fields<'_>) -> Option<()> {
    let code = f.asked().map(|asked| asked.code);
    completion(f, code)?;
    rest(f, "Data")?;
    if code.is_none() && f.at() > Header::REPLY {
        f.means("request not known");
    }
    Some(())
}

/// The completion code, and the connection status behind it. `code` is that of the request.
fn completion(f: &mut Fields<'_>, code: Option<u32>) -> Option<u8> {
    let completion = f.u8("Completion code")?;
    let status = match code {
        Some(CREATE) => status::refused(completion),
        code => status::status(completion, code.and_then(asked_function)),
    };
    f.hex().means(status.name.unwrap_or("not known"));
    f.u8("Connection status")?;
    f.hex();
    for (bit, name) in [
        (Header::BAD_CONNECTION, "Bad service connection"),
        (Header::SERVER_DOWN, "Server down"),
        (Header::MESSAGE_WAITING, "Broadcast message pending"),
    ] {
        f.flag(bit.into(), name, "yes", "no");
    }
    Some(completion)
}

/// A server's broadcast or a watchdog packet: both have a reply's header and a character
/// that says what they want.
fn notice(f: &mut Fields<'_>, packet_type: u16) -> Option<()> {
    completion(f, None)?;
    f.u8("Slot")?;
    let what = f.u8("Signature character")?;
    f.hex().means(match (packet_type, what) {
        (0xbbbb, b'!') => "message waiting",
        (0xbbbb, b'$') => "clear op-lock",
        (0x3e3e, b'?') => "is the station still there?",
        (0x3e3e, b'Y') => "it is",
        _ => "not known",
    });
    if (packet_type, what) == (0xbbbb, b'$') {
        f.be32("File handle")?;
        f.hex();
    }
    rest(f, "Data")
}

/// What is left of the packet, if anything is.
pub(super) fn rest(f: &mut Fields<'_>, name: &'static str) -> Option<()> {
    f.rest(name).map(|_| ())
}

//! NBIPX in words, and field by field.

use super::*;
use crate::ipx;
use std::fmt;
use wirewait_wire::Fields;

pub(super) fn describe(input: Input<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    match Packet::parse(input) {
        Ok(Packet::Name { kind, flags, name }) => {
            write!(out, "{} {name}", about_name(kind, name).operation.name)?;
            out.write_str(if flags & GROUP == 0 { "" } else { ", group" })
        }
        Ok(Packet::Session(s)) => describe_session(&s, out),
        Ok(Packet::Datagram { from, to }) => write!(
            out,
            "DATAGRAM from {from} to {to}, {} bytes",
            input.length.saturating_sub(DATAGRAM_LENGTH)
        ),
        Ok(Packet::Other(STATUS_QUERY)) => out.write_str("STATUS QUERY"),
        Ok(Packet::Other(STATUS_RESPONSE)) => out.write_str("STATUS RESPONSE"),
        Ok(Packet::Other(kind)) => write!(out, "data stream type {kind}"),
        Err(Fault::Short { .. }) => out.write_str("cut off"),
        Err(Fault::Malformed { what, .. }) => write!(out, "malformed: {what}"),
    }
}

fn describe_session(s: &Session, out: &mut dyn fmt::Write) -> fmt::Result {
    out.write_str(match s.kind {
        SESSION_END => "SESSION END",
        SESSION_END_ACK => "SESSION END ACK",
        _ if s.is_call() => INITIALIZE.name,
        _ if s.is_answer() => "SESSION CONFIRM",
        _ if s.is_system() && s.control & SEND_AGAIN != 0 => "SESSION NAK",
        _ if s.is_system() => "SESSION ACK",
        _ => "SESSION DATA",
    })?;
    write!(
        out,
        " {:04x} > {:04x}, seq {}, expects {}",
        s.source, s.destination, s.sequence, s.expects
    )?;
    if s.length != 0 {
        let end = u32::from(s.offset) + u32::from(s.length);
        write!(out, ", bytes {}-{end} of {}", s.offset, s.total)?;
    }
    for (bit, word) in [
        (ACK_WANTED, "ack wanted"),
        (ATTENTION, "attention"),
        (END_OF_MESSAGE, "end of message"),
        (SEND_AGAIN, "send again"),
    ] {
        if s.control & bit != 0 {
            write!(out, ", {word}")?;
        }
    }
    Ok(())
}

pub(super) fn fields(f: &mut Fields<'_>) -> Option<()> {
    match has_networks(f.input()) {
        Ok(true) => return name(f),
        Ok(false) => {}
        // The byte that tells is not there.
        Err(_) => return f.rest("Data").map(|_| ()),
    }
    match f.peek().get(1) {
        Some(&(SESSION_DATA..=SESSION_END_ACK)) => session(f),
        kind => {
            let kind = kind.copied();
            f.u8("Connection control")?;
            f.hex();
            data_stream(f)?;
            if kind == Some(DATAGRAM) {
                netbios_name(f, "Source name")?;
                netbios_name(f, "Destination name")?;
                Some(())
            } else {
                f.rest("Data").map(|_| ())
            }
        }
    }
}

fn name(f: &mut Fields<'_>) -> Option<()> {
    ipx::passed(f)?;
    f.u8("Name flags")?;
    f.hex();
    f.flag(GROUP.into(), "Name", "group", "unique");
    f.flag(0x40, "In use", "yes", "no");
    f.flag(0x04, "Registered", "yes", "no");
    f.flag(0x02, "Duplicated", "yes", "no");
    f.flag(0x01, "Deregistered", "yes", "no");
    data_stream(f)?;
    netbios_name(f, "NetBIOS name")
}

fn session(f: &mut Fields<'_>) -> Option<()> {
    let control = f.u8("Connection control")?;
    f.hex();
    f.flag(SYSTEM.into(), "System packet", "yes", "no");
    f.flag(ACK_WANTED.into(), "Acknowledgement", "wanted", "not wanted");
    f.flag(ATTENTION.into(), "Attention", "yes", "no");
    f.flag(END_OF_MESSAGE.into(), "End of message", "yes", "no");
    f.flag(SEND_AGAIN.into(), "Send again", "yes", "no");
    let extended = f.flag(EXTENDED.into(), "Microsoft's extension", "yes", "no");
    let kind = data_stream(f)?;
    f.le16("Source connection ID")?;
    f.hex();
    let call = f.le16("Destination connection ID")? == UNKNOWN;
    f.hex();
    if call {
        f.means("not known yet");
    }
    f.le16("Send sequence number")?;
    f.le16("Total data length")?;
    f.le16("Data offset")?;
    let length = f.le16("Data length")?;
    f.le16("Receive sequence number")?;
    f.means("expected next");
    f.le16("Bytes received")?;
    if extended {
        f.means("here the highest number that is taken");
    }
    if kind == SESSION_DATA && (call || control & SYSTEM != 0) && length == OPENING_LENGTH {
        f.open("Session");
        netbios_name(f, "Source name")?;
        netbios_name(f, "Destination name")?;
        f.le16("Maximum data size")?;
        f.le16("Maximum packet time")?;
        f.le16("Start trip time")?;
        f.close();
    }
    // Data in a packet that carries no piece of a message is nobody else's.
    if call || control & SYSTEM != 0 || kind != SESSION_DATA {
        f.rest("Data")?;
    }
    Some(())
}

fn data_stream(f: &mut Fields<'_>) -> Option<u8> {
    let kind = f.u8("Data stream type")?;
    f.means(match kind {
        FIND_NAME => "find name",
        NAME_RECOGNIZED => "name recognized",
        CHECK_NAME => "check name",
        NAME_IN_USE => "name in use",
        DEREGISTER => "deregister name",
        SESSION_DATA => "session data",
        SESSION_END => "session end",
        SESSION_END_ACK => "session end acknowledgement",
        STATUS_QUERY => "status query",
        STATUS_RESPONSE => "status response",
        DATAGRAM => "directed datagram",
        _ => "unknown",
    });
    Some(kind)
}

fn netbios_name(f: &mut Fields<'_>, name: &'static str) -> Option<()> {
    let bytes = f.bytes(16, name)?;
    f.shown(Name(bytes.try_into().ok()?));
    Some(())
}

/// Bit of the name flags.
const GROUP: u8 = 0x80;

/// Bytes of data in a packet that opens a session.
const OPENING_LENGTH: u16 = 38;

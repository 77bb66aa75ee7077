//! An NBF frame in one line.

use super::{
    ACKNOWLEDGE_INCLUDED, ACKNOWLEDGE_WITH_DATA, CONTINUE_REQUESTED, Ends, Header, NO_ACK,
    NO_LISTEN, NO_RESOURCES, UNKNOWN, command, operation,
};
use crate::nbt::Name;
use std::fmt;
use wirewait_wire::{Fault, Input};

pub(super) fn describe(input: Input<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    let h = match Header::parse(input) {
        Ok(h) => h,
        Err(Fault::Short { .. }) => return out.write_str("cut off"),
        Err(Fault::Malformed { what, .. }) => return write!(out, "malformed: {what}"),
    };
    match operation(h.command).name {
        UNKNOWN => write!(out, "{UNKNOWN} 0x{:02x}", h.command)?,
        name => out.write_str(name)?,
    }
    match h.ends {
        Ends::Names {
            destination,
            source,
        } => describe_names(&h, destination, source, out)?,
        Ends::Numbers {
            destination,
            source,
        } => {
            write!(out, ", session {source} > {destination}")?;
            describe_session(&h, out)?;
        }
    }
    if carries_data(h.command) {
        write!(out, ", {} bytes", input.length.saturating_sub(h.length))?;
    }
    describe_correlators(&h, out)
}

fn describe_names(
    h: &Header,
    destination: Name,
    source: Name,
    out: &mut dyn fmt::Write,
) -> fmt::Result {
    match h.command {
        command::ADD_GROUP_NAME_QUERY | command::ADD_NAME_QUERY | command::ADD_NAME_RESPONSE => {
            write!(out, " {source}")?;
        }
        command::NAME_IN_CONFLICT => write!(out, " {destination}")?,
        command::DATAGRAM_BROADCAST => write!(out, " from {source}")?,
        command::NAME_RECOGNIZED | command::STATUS_RESPONSE => {
            write!(out, " {source} to {destination}")?;
        }
        command::DATAGRAM | command::NAME_QUERY | command::STATUS_QUERY => {
            write!(out, " {destination} from {source}")?;
        }
        _ => return Ok(()),
    }
    let [session, _] = h.data2.to_le_bytes();
    match (h.command, session) {
        (command::NAME_QUERY, 0) => out.write_str(", find only"),
        (command::NAME_RECOGNIZED, NO_LISTEN) => out.write_str(", nobody listens"),
        (command::NAME_RECOGNIZED, NO_RESOURCES) => out.write_str(", no resources"),
        (command::NAME_QUERY | command::NAME_RECOGNIZED, n) => write!(out, ", session {n}"),
        _ => Ok(()),
    }
}

fn describe_session(h: &Header, out: &mut dyn fmt::Write) -> fmt::Result {
    match h.command {
        command::SESSION_INITIALIZE | command::SESSION_CONFIRM => {
            write!(out, ", largest data {}", h.data2)
        }
        command::SESSION_END if h.data2 == 0 => out.write_str(", normal"),
        command::SESSION_END => out.write_str(", abnormal"),
        command::NO_RECEIVE | command::RECEIVE_OUTSTANDING => {
            write!(out, ", {} bytes accepted", h.data2)
        }
        command::DATA_FIRST_MIDDLE | command::DATA_ONLY_LAST => {
            let last = h.command == command::DATA_ONLY_LAST;
            for (set, word) in [
                (
                    last && h.data1 & ACKNOWLEDGE_WITH_DATA != 0,
                    "ack with data",
                ),
                (h.data1 & NO_ACK != 0, "no ack"),
                (!last && h.data1 & CONTINUE_REQUESTED != 0, "continue?"),
                (h.data2 == 1, "resync"),
            ] {
                if set {
                    write!(out, ", {word}")?;
                }
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

/// Which earlier frame it refers to, and by which number a later one may refer to it.
fn describe_correlators(h: &Header, out: &mut dyn fmt::Write) -> fmt::Result {
    let refers = match h.command {
        command::DATA_FIRST_MIDDLE | command::DATA_ONLY_LAST => h.data1 & ACKNOWLEDGE_INCLUDED != 0,
        code => operation(code).name != UNKNOWN,
    };
    if refers && h.transmit != 0 {
        write!(out, ", answers {:#06x}", h.transmit)?;
    }
    match h.response {
        0 => Ok(()),
        correlator => write!(out, ", correlator {correlator:#06x}"),
    }
}

/// Whether user data may follow the header.
fn carries_data(code: u8) -> bool {
    matches!(
        code,
        command::DATAGRAM
            | command::DATAGRAM_BROADCAST
            | command::STATUS_RESPONSE
            | command::DATA_FIRST_MIDDLE
            | command::DATA_ONLY_LAST
    )
}

//! Every field of an NSP message, and of what session control says in it.

use super::{Ack, DELAY, Header, Message, NUMBER, in_front, reason};
use crate::parse::le16;
use wirewait_wire::Fields;

pub(super) fn fields(f: &mut Fields<'_>) -> Option<()> {
    let input = f.input();
    let kind = Message::read(f.u8("Message flags")?);
    f.hex();
    let Some(kind) = kind else {
        f.means("no such message");
        return f.rest("Data").map(|_| ());
    };
    f.means(kind.name());
    if kind == Message::NoOperation {
        return f.rest("Data").map(|_| ());
    }
    f.le16("Destination link address")?;
    if kind != Message::ConnectAck {
        f.le16("Source link address")?;
    }
    if kind.acknowledges() {
        for _ in 0..2 {
            ack_field(f, kind)?;
        }
    }
    if kind.numbers() {
        f.le16("Segment")?;
        f.hex();
        f.bits(NUMBER.into(), "Segment number");
        f.flag(
            DELAY.into(),
            "Acknowledgment delay",
            "allowed",
            "not allowed",
        );
    }
    match kind {
        Message::Data { first, last } => {
            let shift = Header::parse(input).map_or(0, |h| in_front(&h, input, first, last));
            f.bytes(shift, "Header in front of the SMB")?;
            f.means("layout not known");
            Some(())
        }
        Message::LinkService => {
            f.u8("Link service flags")?;
            f.hex();
            let modifier = f.bits(0x03, "Modification");
            f.means(match modifier {
                0 => "no change",
                1 => "do not send data",
                2 => "send data",
                _ => "reserved",
            });
            f.flag(0x0c, "Interpretation", "interrupt request", "data request");
            f.u8("Flow control value")?;
            f.rest("Data").map(|_| ())
        }
        Message::ConnectInitiate { .. } | Message::ConnectConfirm => {
            services(f)?;
            match kind {
                Message::ConnectConfirm => counted(f, "User data")?,
                _ => session_control(f)?,
            }
            f.rest("Data").map(|_| ())
        }
        Message::DisconnectInitiate | Message::DisconnectConfirm => {
            let code = f.le16("Reason")?;
            f.means(reason(code).unwrap_or(""));
            f.rest("User data").map(|_| ())
        }
        _ => f.rest("Data").map(|_| ()),
    }
}

/// A word that acknowledges, if one stands here.
fn ack_field(f: &mut Fields<'_>, kind: Message) -> Option<()> {
    let absent = match le16(f.peek(), 0) {
        Some(word) => word & 0x8000 == 0,
        // Cut off, or not there at all.
        None => f.left() < 2,
    };
    if absent {
        return Some(());
    }
    let word = f.le16("Acknowledgment")?;
    f.hex();
    f.bits(NUMBER.into(), "Acknowledged segment");
    f.bits(0x7000, "Qualifier");
    let ack = Ack::read(word)?;
    let own = kind.is_data() != ack.cross;
    f.means(match (ack.negative, own) {
        (false, true) => "data, received",
        (true, true) => "data, send again",
        (false, false) => "other data, received",
        (true, false) => "other data, send again",
    });
    Some(())
}

/// What the sender of a connect message offers.
fn services(f: &mut Fields<'_>) -> Option<()> {
    f.u8("Services")?;
    f.hex();
    let flow = f.bits(0x0c, "Flow control");
    f.means(match flow {
        0 => "none",
        1 => "by segments",
        2 => "by messages",
        _ => "reserved",
    });
    let version = f.u8("Information")? & 3;
    f.means(match version {
        0 => "version 3.2",
        1 => "version 3.1",
        2 => "version 4.0",
        _ => "reserved",
    });
    f.le16("Segment size").map(|_| ())
}

/// Who calls whom ("Session Control Functional Specification", AA-K182A-TK, 3.1).
fn session_control(f: &mut Fields<'_>) -> Option<()> {
    f.open("Destination end user");
    end_user(f)?;
    f.close();
    f.open("Source end user");
    end_user(f)?;
    f.close();
    let menu = f.u8("Menu and version")?;
    f.hex();
    f.flag(0x01, "Access control", "follows", "absent");
    f.flag(0x02, "User data", "follows", "absent");
    if menu & 1 != 0 {
        counted(f, "Requester")?;
        counted(f, "Password")?;
        counted(f, "Account")?;
    }
    if menu & 2 != 0 {
        counted(f, "User data")?;
    }
    Some(())
}

fn end_user(f: &mut Fields<'_>) -> Option<()> {
    let format = f.u8("Format")?;
    let object = f.u8("Object")?;
    f.means(object_name(object));
    match format {
        1 => counted(f, "Name"),
        2 => {
            f.le16("Group")?;
            f.le16("User")?;
            counted(f, "Name")
        }
        _ => Some(()),
    }
}

/// A length byte and that number of characters.
fn counted(f: &mut Fields<'_>, name: &'static str) -> Option<()> {
    if f.left() == 0 {
        return Some(());
    }
    let n = f.u8("Length")?;
    f.text(n.into(), name).map(|_| ())
}

const fn object_name(object: u8) -> &'static str {
    match object {
        0 => "by name",
        17 => "FAL, file access",
        19 => "NML, network management",
        23 => "terminals",
        25 => "MIRROR, loop test",
        27 => "MAIL",
        29 => "PHONE",
        42 => "CTERM, terminals",
        63 => "DTR, test",
        _ => "",
    }
}

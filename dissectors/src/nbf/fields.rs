//! The fields of NBF frames: what DATA1 and DATA2 hold depends on the command (SC30-3587,
//! chapter 5).

use super::{
    ACKNOWLEDGE_INCLUDED, ACKNOWLEDGE_WITH_DATA, CONTINUE_REQUESTED, DELIMITER, NO_ACK, NO_LISTEN,
    NO_RESOURCES, UNKNOWN, command, operation,
};
use crate::{nbt, notes};
use wirewait_wire::Fields;

pub(super) fn fields(f: &mut Fields<'_>) -> Option<()> {
    let bytes = f.peek();
    if bytes.get(2..4) != Some(&DELIMITER) && bytes.get(3..5) == Some(&DELIMITER) {
        f.u8("Stray byte")?;
        f.hex();
    }
    f.le16("Length")?;
    f.le16("Delimiter")?;
    f.hex();
    let code = f.u8("Command")?;
    f.hex().means(match operation(code).name {
        UNKNOWN => "",
        name => name,
    });
    data1(f, code)?;
    data2(f, code)?;
    f.le16("Transmit correlator")?;
    f.hex();
    if !transmits(code) {
        f.means("reserved");
    }
    f.le16("Response correlator")?;
    f.hex();
    if !expects(code) {
        f.means("reserved");
    }
    if code < command::DATA_ACK {
        let (destination, source) = roles(code);
        name(f, "Destination name", destination)?;
        name(f, "Source name", source)?;
    } else {
        f.u8("Destination session number")?;
        f.u8("Source session number")?;
    }
    match code {
        // The next layer's.
        command::DATAGRAM
        | command::DATAGRAM_BROADCAST
        | command::DATA_FIRST_MIDDLE
        | command::DATA_ONLY_LAST => {}
        command::STATUS_RESPONSE => status(f)?,
        _ => f.rest("Padding").map(|_| ())?,
    }
    Some(())
}

fn data1(f: &mut Fields<'_>, code: u8) -> Option<()> {
    match code {
        command::STATUS_QUERY => {
            let names = f.u8("Status request (DATA1)")?;
            f.means(match names {
                0 => "NetBIOS 1.x or 2.0".to_owned(),
                1 => "NetBIOS 2.1, first request".to_owned(),
                n => format!("NetBIOS 2.1, {n} names received so far"),
            });
        }
        command::ADD_NAME_RESPONSE => {
            let adding = f.u8("Add name in process (DATA1)")?;
            f.means(match adding {
                0 => "no",
                1 => "yes",
                _ => "",
            });
        }
        command::STATUS_RESPONSE => {
            let names = f.u8("Status response (DATA1)")?;
            f.means(match names {
                0 => "NetBIOS 1.x or 2.0".to_owned(),
                n => format!("NetBIOS 2.1, {n} names sent so far"),
            });
        }
        command::DATA_FIRST_MIDDLE | command::DATA_ONLY_LAST => {
            let last = code == command::DATA_ONLY_LAST;
            f.u8("Flags (DATA1)")?;
            f.hex();
            f.flag(
                ACKNOWLEDGE_INCLUDED.into(),
                "ACKNOWLEDGE_INCLUDED",
                "acknowledges what the transmit correlator names",
                "no",
            );
            if last {
                f.flag(
                    ACKNOWLEDGE_WITH_DATA.into(),
                    "ACKNOWLEDGE_WITH_DATA_ALLOWED",
                    "may be acknowledged with data",
                    "no",
                );
            }
            f.flag(
                NO_ACK.into(),
                "NO.ACK",
                "no DATA_ACK follows",
                "DATA_ACK follows",
            );
            if !last {
                f.flag(
                    CONTINUE_REQUESTED.into(),
                    "RECEIVE_CONTINUE",
                    "requested",
                    "not requested",
                );
            }
        }
        command::SESSION_CONFIRM | command::SESSION_INITIALIZE => {
            f.u8("Flags (DATA1)")?;
            f.hex();
            f.flag(0x80, "SEND.NO.ACK", "can be handled", "cannot be handled");
            if code == command::SESSION_INITIALIZE {
                let largest = f.bits(0x0e, "Largest frame");
                f.means(notes::largest_frame(largest));
            }
            f.flag(0x01, "Version", "NetBIOS 2.0 or higher", "NetBIOS 1.x");
        }
        command::NO_RECEIVE => {
            f.u8("Flags (DATA1)")?;
            f.hex();
            f.flag(
                NO_ACK.into(),
                "SEND.NO.ACK",
                "data under it was not received",
                "no",
            );
        }
        _ => {
            f.u8("Reserved (DATA1)")?;
        }
    }
    Some(())
}

fn data2(f: &mut Fields<'_>, code: u8) -> Option<()> {
    match code {
        command::STATUS_QUERY => {
            f.le16("Length of the user's buffer (DATA2)")?;
        }
        command::NAME_QUERY | command::NAME_RECOGNIZED => {
            let [number, _] = f.le16("Session and name type (DATA2)")?.to_le_bytes();
            f.hex();
            f.bits(0x00ff, "Session number");
            f.means(match (code, number) {
                (command::NAME_QUERY, 0) => "none: FIND.NAME",
                (command::NAME_RECOGNIZED, NO_LISTEN) => "none: no LISTEN, or FIND.NAME",
                (command::NAME_RECOGNIZED, NO_RESOURCES) => "none: LISTEN, but no resources",
                _ => "",
            });
            let group = f.bits(0xff00, "Name type");
            f.means(name_type(group));
        }
        command::ADD_NAME_RESPONSE => {
            let group = f.le16("Name type (DATA2)")?;
            f.means(name_type(group.into()));
        }
        command::STATUS_RESPONSE => {
            f.le16("Status length (DATA2)")?;
            f.hex();
            f.flag(0x8000, "Longer than a frame", "yes", "no");
            f.flag(0x4000, "Longer than the user's buffer", "yes", "no");
            f.bits(0x3fff, "Bytes");
        }
        command::DATA_FIRST_MIDDLE | command::DATA_ONLY_LAST => {
            let resync = f.le16("Re-synchronization indicator (DATA2)")?;
            f.means(match resync {
                1 => "first frame after RECEIVE_OUTSTANDING",
                _ => "",
            });
        }
        command::SESSION_CONFIRM | command::SESSION_INITIALIZE => {
            f.le16("Maximum data receive size (DATA2)")?;
        }
        command::SESSION_END => {
            let reason = f.le16("Termination indicator (DATA2)")?;
            f.means(match reason {
                0 => "normal: HANG.UP",
                1 => "abnormal: SEND timed out",
                _ => "",
            });
        }
        command::NO_RECEIVE | command::RECEIVE_OUTSTANDING => {
            f.le16("Data bytes accepted (DATA2)")?;
        }
        _ => {
            f.le16("Reserved (DATA2)")?;
            f.hex();
        }
    }
    Some(())
}

/// Whether the command gives a correlator of the peer's back.
const fn transmits(code: u8) -> bool {
    matches!(
        code,
        command::ADD_NAME_RESPONSE
            | command::NAME_RECOGNIZED
            | command::STATUS_RESPONSE
            | command::DATA_ACK
            | command::DATA_FIRST_MIDDLE
            | command::DATA_ONLY_LAST
            | command::SESSION_CONFIRM
            | command::SESSION_INITIALIZE
            | command::RECEIVE_CONTINUE
    )
}

/// Whether the command has a correlator that the peer gives back.
const fn expects(code: u8) -> bool {
    matches!(
        code,
        command::ADD_GROUP_NAME_QUERY
            | command::ADD_NAME_QUERY
            | command::STATUS_QUERY
            | command::NAME_QUERY
            | command::NAME_RECOGNIZED
            | command::DATA_FIRST_MIDDLE
            | command::DATA_ONLY_LAST
            | command::SESSION_CONFIRM
            | command::SESSION_INITIALIZE
    )
}

const fn name_type(kind: u64) -> &'static str {
    match kind {
        0 => "unique name",
        1 => "group name",
        _ => "",
    }
}

/// What the two names of a command are; empty where the field is reserved.
const fn roles(code: u8) -> (&'static str, &'static str) {
    match code {
        command::ADD_GROUP_NAME_QUERY => ("", "group name to be added"),
        command::ADD_NAME_QUERY => ("", "name to be added"),
        command::NAME_IN_CONFLICT => ("name in conflict", "NAME_NUMBER_1 of the sender"),
        command::STATUS_QUERY => ("name whose status is asked", "NAME_NUMBER_1 of the sender"),
        command::DATAGRAM => ("receiver", "sender"),
        command::DATAGRAM_BROADCAST => ("", "sender"),
        command::NAME_QUERY => ("name to be called", "name of the caller"),
        command::ADD_NAME_RESPONSE => ("name to be added", "name to be added"),
        command::NAME_RECOGNIZED => ("name of the caller", "name that was called"),
        command::STATUS_RESPONSE => (
            "NAME_NUMBER_1 of the receiver",
            "name whose status was asked",
        ),
        _ => ("", ""),
    }
}

fn name(f: &mut Fields<'_>, field: &'static str, role: &str) -> Option<()> {
    let service = nbt::plain_name(f, field)?.service();
    f.means(match (role, service) {
        ("", _) => "reserved".to_owned(),
        (role, "") => role.to_owned(),
        (role, service) => format!("{role} ({service})"),
    });
    Some(())
}

/// The user data of STATUS_RESPONSE: what the command ADAPTER.STATUS gives.
fn status(f: &mut Fields<'_>) -> Option<()> {
    if f.left() == 0 {
        return Some(());
    }
    f.open("Adapter status");
    notes::mac(f, "Adapter address")?;
    f.u8("Major software level")?;
    f.u8("Reserved")?;
    let kind = f.u8("Adapter type")?;
    f.hex().means(match kind {
        0xff => "Token Ring",
        0xfe => "Ethernet",
        _ => "",
    });
    f.u8("Minor software level")?;
    f.le16("Reporting minutes")?;
    f.le16("FRMR frames received")?;
    f.le16("FRMR frames sent")?;
    f.le16("I-frames received in error")?;
    f.le16("Aborted transmissions")?;
    f.le32("Packets sent")?;
    f.le32("Packets received")?;
    f.le16("I-frames sent in error")?;
    f.le16("Times without a receive buffer")?;
    f.le16("T1 expirations")?;
    f.le16("Ti expirations")?;
    f.le32("Local address of extended status")?;
    f.hex();
    f.le16("Free command blocks")?;
    f.le16("Configured command blocks")?;
    f.le16("Maximum command blocks")?;
    f.le16("Times without a transmit buffer")?;
    f.le16("Maximum datagram size")?;
    f.le16("Pending sessions")?;
    f.le16("Configured sessions")?;
    f.le16("Maximum sessions")?;
    f.le16("Maximum session packet size")?;
    let names = f.le16("Number of names")?;
    f.close();
    for _ in 0..names {
        // More names than fit come in the next response.
        if f.left() == 0 {
            break;
        }
        f.open("Name table entry");
        nbt::plain_name(f, "Name")?;
        f.u8("Name number")?;
        f.u8("Name status")?;
        f.hex();
        f.flag(0x80, "Group", "group name", "unique name");
        let state = f.bits(0x07, "State");
        f.means(match state {
            0 => "being registered",
            4 => "registered",
            5 => "deregistered",
            6 => "duplicate found",
            7 => "duplicate found, being deregistered",
            _ => "",
        });
        f.close();
    }
    f.rest("Padding")?;
    Some(())
}

#[cfg(test)]
mod tests {
    use super::super::{DISSECTOR, Ends, Header};
    use crate::testing;
    use proptest::prelude::*;
    use wirewait_wire::Input;

    /// A frame of command `code` with this DATA1 and DATA2; names or numbers as it needs.
    fn frame(code: u8, data1: u8, data2: u16) -> Vec<u8> {
        let names = code < 0x14;
        let mut bytes = vec![if names { 44 } else { 14 }, 0, 0xff, 0xef, code, data1];
        for field in [data2, 0x1111, 0x2222] {
            bytes.extend(field.to_le_bytes());
        }
        if names {
            bytes.extend(b"SERVER         \x20CLIENT         \x00");
        } else {
            bytes.extend([7, 5]);
        }
        bytes
    }

    fn meaning(bytes: &[u8], name: &str) -> String {
        let fields = testing::fields(&DISSECTOR, Input::whole(bytes));
        let field = fields.into_iter().find(|f| f.name == name);
        field.unwrap_or_else(|| panic!("{name}")).meaning
    }

    #[test]
    fn every_command_has_its_own_data() {
        for (code, data1, data2, name, words) in [
            (
                0x03,
                1,
                9,
                "Status request (DATA1)",
                "NetBIOS 2.1, first request",
            ),
            (0x0a, 0, 0x0000, "Session number", "none: FIND.NAME"),
            (0x0a, 0, 0x0105, "Name type", "group name"),
            (
                0x0e,
                0,
                0x00ff,
                "Session number",
                "none: LISTEN, but no resources",
            ),
            (0x0d, 1, 0, "Add name in process (DATA1)", "yes"),
            (0x0d, 1, 1, "Name type (DATA2)", "group name"),
            (
                0x0f,
                3,
                0,
                "Status response (DATA1)",
                "NetBIOS 2.1, 3 names sent so far",
            ),
            (0x0f, 3, 0x8000, "Longer than a frame", "yes"),
            (0x15, 1, 0, "RECEIVE_CONTINUE", "requested"),
            (
                0x16,
                4,
                0,
                "ACKNOWLEDGE_WITH_DATA_ALLOWED",
                "may be acknowledged with data",
            ),
            (0x16, 2, 0, "NO.ACK", "no DATA_ACK follows"),
            (
                0x18,
                0,
                1,
                "Termination indicator (DATA2)",
                "abnormal: SEND timed out",
            ),
            (0x19, 0x8f, 1482, "Largest frame", "65535 bytes"),
            (0x17, 0x81, 1482, "Version", "NetBIOS 2.0 or higher"),
            (0x1a, 2, 9, "SEND.NO.ACK", "data under it was not received"),
            (0x0a, 0, 5, "Destination name", "name to be called (server)"),
            (0x00, 0, 5, "Destination name", "reserved"),
        ] {
            assert_eq!(
                meaning(&frame(code, data1, data2), name),
                words,
                "{code:#x}"
            );
        }
    }

    #[test]
    fn an_adapter_status_is_told_to_its_last_name() {
        let mut bytes = frame(0x0f, 1, 96);
        bytes.extend([0, 0, 0x1b, 1, 2, 3, 2, 0, 0xff, 0x21]);
        bytes.extend([0; 48]);
        bytes.extend([2, 0]);
        for (name, flags) in [
            (b"SERVER         \x20", 0x04),
            (b"GROUP          \x00", 0x84),
        ] {
            bytes.extend(name);
            bytes.extend([2, flags]);
        }
        let fields = testing::fields(&DISSECTOR, Input::whole(&bytes));
        assert_eq!(
            testing::text(&fields, "Adapter address").unwrap(),
            "00-00-1b-01-02-03"
        );
        assert_eq!(testing::number(&fields, "Number of names"), Some(2));
        let names: Vec<_> = fields.iter().filter(|f| f.name == "Name").collect();
        assert_eq!(names.len(), 2);
        assert_eq!(testing::number(&fields, "State"), Some(4));
        assert_eq!(fields.last().unwrap().name, "State");
    }

    #[test]
    fn a_stray_byte_is_named() {
        let mut bytes = frame(0x14, 0, 0);
        bytes.insert(0, 0x2a);
        let fields = testing::fields(&DISSECTOR, Input::whole(&bytes));
        assert_eq!(fields[0].name, "Stray byte");
        assert_eq!(testing::number(&fields, "Command"), Some(0x14));
    }

    proptest! {
        #[test]
        fn fields_are_those_of_the_header(
            code in 0u8..0x20,
            data1: u8,
            data2: u16,
            more in proptest::collection::vec(any::<u8>(), 0..40),
        ) {
            let bytes = [frame(code, data1, data2), more].concat();
            let input = Input::whole(&bytes);
            let fields = testing::fields(&DISSECTOR, input);
            let h = Header::parse(input).unwrap();
            let number = |name| testing::number(&fields, name);
            prop_assert_eq!(number("Command"), Some(h.command.into()));
            prop_assert_eq!(number("Transmit correlator"), Some(h.transmit.into()));
            prop_assert_eq!(number("Response correlator"), Some(h.response.into()));
            match h.ends {
                Ends::Names { destination, source } => {
                    let text = |name| testing::text(&fields, name);
                    prop_assert_eq!(text("Destination name"), Some(destination.to_string()));
                    prop_assert_eq!(text("Source name"), Some(source.to_string()));
                }
                Ends::Numbers { destination, source } => {
                    prop_assert_eq!(number("Destination session number"), Some(destination.into()));
                    prop_assert_eq!(number("Source session number"), Some(source.into()));
                }
            }
            let all = |part: &str| {
                let field = fields.iter().find(|f| f.name.ends_with(part)).unwrap();
                testing::number(&fields, &field.name)
            };
            prop_assert_eq!(all("(DATA1)"), Some(h.data1.into()));
            prop_assert_eq!(all("(DATA2)"), Some(h.data2.into()));
        }
    }
}

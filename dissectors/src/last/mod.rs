//! DEC Local Area System Transport (LAST, LASTport), which carries the disks of InfoServers and
//! the file service of PATHWORKS.
//!
//! Its specification (EK-LASTP-AS-001) is not public in a form that could be read here. What is
//! known stands in one table, with its sources ([`BUILT_IN`]); no position stands anywhere else.
//! An SMB in a message is found by what it looks like, so that what is measured does not hang
//! on the table.

mod calibrate;
mod locate;
mod table;

pub use calibrate::{Calibration, Findings};
pub(crate) use locate::smb;
pub use table::{BUILT_IN, profile};

use crate::{ethernet, nbt};
use std::fmt;
use wirewait_wire::{
    Carries, Cast, Claim, Dissector, Exchange, Facts, Fault, Fields, Input, Kind, Layer, Layout,
    Next, Operation, Part, Placed, PlacedKind, Role, Side, Turn, Verified,
};

/// What a message is, as far as that can be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Message {
    /// Keeps a circuit up.
    Upkeep,
    /// An SMB begins in it.
    Smb {
        /// Bytes in front of it: headers of unknown layout.
        header: u32,
        /// Bytes of the whole SMB; more than are here where it goes on in further messages.
        length: u32,
        /// It is a response.
        reply: bool,
    },
    /// Nothing that can be told.
    Other,
}

impl Message {
    /// Reads a message of which nothing follows ([`pdu`]).
    #[must_use]
    pub fn read(pdu: Input<'_>) -> Self {
        if table::is_upkeep(pdu) {
            return Self::Upkeep;
        }
        match smb(pdu, table::behind_length(), pdu.length, None) {
            Some(found) => Self::Smb {
                header: found.at,
                length: found.length,
                reply: found.reply,
            },
            None => Self::Other,
        }
    }
}

/// The message without what stands behind it in the frame, where its length word can be
/// believed.
#[must_use]
pub fn pdu(input: Input<'_>) -> Input<'_> {
    match table::length(input) {
        Some(length) => Input {
            bytes: input.bytes.get(..length as usize).unwrap_or(input.bytes),
            length,
        },
        None => input,
    }
}

pub(crate) static DISSECTOR: Dissector = Dissector {
    name: "last",
    title: "DEC Local Area System Transport (LAST, LASTport), EK-LASTP-AS-001 (not public)",
    does: "length word and circuit upkeep with the node's name; SMB found by its looks, in one \
           message or several; other messages as requests and responses by turn, or by the \
           identifiers of a table (--last-profile)",
    lacks: "the layout of its headers and of the buffer management (BMP) in front of SMB is not \
            known: `decode` shows what is, and says how sure it is. Without an identifier who \
            speaks first in the capture is the client, messages of unknown kinds count as \
            requests, and two that are outstanding at once are one: the report calls these roles \
            guessed. Requests of the server's end are not counted. Not tried on a real capture of \
            PATHWORKS",
    verified: &[Verified::RealCaptures],
    claims: &[Claim::Exact(ethernet::TYPE.key(0x8041))],
    conveys: true,
    carrier: Some("last"),
    dissect,
    exchange: Some(exchange),
    placed: Some(placed),
    describe,
    fields,
    ..Dissector::PLAIN
};

fn dissect(input: Input<'_>, facts: &mut Facts) -> Result<Layer, Fault> {
    let pdu = pdu(input);
    let turn = |begins| {
        Carries::Turn(Turn {
            begins,
            patience_ns: PATIENCE_NS,
        })
    };
    let (header, carries, next) = match Message::read(pdu) {
        Message::Upkeep => (pdu.length, Carries::Control, Next::NONE),
        Message::Smb { header, length, .. } => {
            (header, turn(Some(length)), Next::one(nbt::MESSAGE.any()))
        }
        Message::Other => {
            let header = table::behind_length().min(pdu.length);
            // Nobody is asked who is not named: servers announce themselves to groups.
            let carries = match facts.cast {
                Cast::Unicast => turn(None),
                _ => Carries::Control,
            };
            (header, carries, Next::NONE)
        }
    };
    facts.carries = carries;
    Ok(Layer::over(pdu, header, next))
}

/// Of a message whose kind is not known.
fn exchange(input: Input<'_>) -> Result<Part, Fault> {
    Ok(Part {
        exchange: Some(Exchange::new(Role::Turn, Side::Unknown, &MESSAGE, 0)),
        length: input.length,
    })
}

/// What a message is and which request it is about, as far as the table in force says so surely.
fn placed(input: Input<'_>, layout: Option<&Layout>) -> Placed {
    let layout = layout.unwrap_or(table::built_in());
    let pdu = pdu(input);
    let hint = match Message::read(pdu) {
        Message::Upkeep => PlacedKind::Neither,
        Message::Smb { reply: true, .. } => PlacedKind::Response,
        Message::Smb { reply: false, .. } => PlacedKind::Request,
        Message::Other => PlacedKind::Unknown,
    };
    table::placed(layout, pdu, hint)
}

static MESSAGE: Operation = Operation::new("MESSAGE", Kind::Transaction, false);

/// A client asks again after 2 to 5 s (HP's manual); less than half of that is no answer's
/// fault.
const PATIENCE_NS: i64 = 1_000_000_000;

fn describe(input: Input<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    let pdu = pdu(input);
    match Message::read(pdu) {
        Message::Upkeep => match table::node_name(pdu) {
            Some(name) => {
                let name = name.replace(char::is_control, "?");
                write!(out, "circuit upkeep, node {name}, {} bytes", pdu.length)
            }
            None => write!(out, "circuit upkeep, {} bytes", pdu.length),
        },
        Message::Smb { header, .. } => {
            write!(out, "{header} bytes of headers, layout not known, then SMB")
        }
        Message::Other => write!(out, "{} bytes, layout not known", pdu.length),
    }
}

fn fields(f: &mut Fields<'_>) -> Option<()> {
    let given = f.layout();
    let layout = given.as_deref().unwrap_or(table::built_in());
    let pdu = pdu(f.input());
    let (end, hint) = match Message::read(pdu) {
        Message::Upkeep => (pdu.length, Some(table::UPKEEP)),
        Message::Smb { header, reply, .. } => {
            let kind = if reply {
                table::RESPONSE
            } else {
                table::REQUEST
            };
            (header, Some(kind))
        }
        Message::Other => (pdu.length, None),
    };
    let message = layout.message(pdu, hint);
    layout.fields(f, pdu, &["last", "bmp"], message, end)?;
    if end == pdu.length {
        f.rest("Padding")?;
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, line, stands};
    use proptest::prelude::*;
    use wirewait_wire::Value;

    /// Frames 12 and 94 of genbroad.snoop, behind the EtherType.
    pub(super) const ZINGER: [&str; 2] = [
        "540006000000 08002be2864c 00000000 0301 030301 06 5a494e474552 000000000000000000000000\
         000000000000 35100000000000000000000080074e005001000053595354454d245a494e474552000000\
         0000",
        "540006000000 08002be2864c 00000000 0301 030301 06 5a494e474552 000000000000000000000000\
         000000000000 3510000000ff534d42250000000000000000000000000000000000000000000000000000\
         0011",
    ];

    pub(super) fn hex(text: &str) -> Vec<u8> {
        let digits: Vec<u32> = text.chars().filter_map(|c| c.to_digit(16)).collect();
        digits.chunks(2).map(|d| (d[0] << 4 | d[1]) as u8).collect()
    }

    #[test]
    fn circuit_upkeep_with_stale_memory() {
        for text in ZINGER {
            let bytes = hex(text);
            assert_eq!(bytes.len(), 84);
            assert_eq!(Message::read(pdu(Input::whole(&bytes))), Message::Upkeep);
            let mut facts = Facts::default();
            let layer = dissect(Input::whole(&bytes), &mut facts).unwrap();
            assert_eq!((layer.header, layer.end), (84, 84));
            assert_eq!(facts.carries, Carries::Control);
            assert_eq!(
                line(&DISSECTOR, &bytes),
                "circuit upkeep, node ZINGER, 84 bytes"
            );
        }
    }

    #[test]
    fn fields_of_circuit_upkeep() {
        let bytes = hex(ZINGER[1]);
        let fields = testing::fields(&DISSECTOR, Input::whole(&bytes));
        assert_eq!(testing::number(&fields, "length"), Some(84));
        assert_eq!(testing::number(&fields, "type"), Some(6));
        let name = fields.iter().find(|f| f.name == "node_name").unwrap();
        assert_eq!(name.value, Value::Text("ZINGER".to_owned()));
        assert_eq!(name.meaning, "capture-confirmed");
        let kind = fields.iter().find(|f| f.name == "type").unwrap();
        assert_eq!(kind.meaning, "circuit upkeep; capture-confirmed");
        let unknown: u32 = fields
            .iter()
            .filter(|f| f.name == "Not known")
            .map(|f| f.end - f.start)
            .sum();
        assert_eq!(unknown, 3 + 38, "behind the version, behind the name");
    }

    /// The stale SMB of the second frame would be one if its words had room.
    #[test]
    fn stale_memory_is_told_by_its_words_alone() {
        let mut bytes = hex(ZINGER[1]);
        bytes[2] = 1;
        assert_eq!(Message::read(pdu(Input::whole(&bytes))), Message::Other);
        bytes[83] = 0;
        bytes.extend([0, 0]);
        bytes[0] = 86;
        assert!(matches!(
            Message::read(pdu(Input::whole(&bytes))),
            Message::Smb { header: 51, .. }
        ));
    }

    #[test]
    fn what_stands_behind_the_length_is_not_looked_at() {
        let mut bytes = vec![46, 0];
        bytes.resize(46, 9);
        bytes.extend(b"\xffSMB\x04");
        bytes.resize(46 + 35, 0);
        let layer = dissect(Input::whole(&bytes), &mut Facts::default()).unwrap();
        assert_eq!((layer.end, layer.next.is_none()), (46, true));
        bytes[0] = 81;
        let layer = dissect(Input::whole(&bytes), &mut Facts::default()).unwrap();
        assert_eq!((layer.header, layer.end), (46, 81));
    }

    #[test]
    fn a_length_that_cannot_be_is_not_believed() {
        for word in [0u8, 1, 200] {
            let mut bytes = [0; 60];
            bytes[0] = word;
            assert_eq!(pdu(Input::whole(&bytes)).length, 60, "{word}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200), cut in 0u32..2000) {
            stands(&DISSECTOR, &bytes, cut);
            let length = u32::try_from(bytes.len()).unwrap() + cut;
            testing::fields(&DISSECTOR, Input { bytes: &bytes, length });
        }

        #[test]
        fn fields_are_those_of_the_table(mut tail in prop::collection::vec(any::<u8>(), 22..100)) {
            let mut bytes = hex(ZINGER[0]);
            bytes.truncate(22);
            bytes.append(&mut tail);
            let length = u16::try_from(bytes.len()).unwrap();
            bytes[..2].copy_from_slice(&length.to_le_bytes());
            let fields = testing::fields(&DISSECTOR, Input::whole(&bytes));
            if Message::read(pdu(Input::whole(&bytes))) == Message::Upkeep {
                prop_assert_eq!(testing::number(&fields, "length"), Some(bytes.len() as u64));
                prop_assert_eq!(testing::number(&fields, "name_length"), Some(u64::from(bytes[21])));
            }
        }
    }
}

//! Xerox Packet Exchange Protocol ("Internet Transport Protocols", XSIS 028112): one packet
//! asks, one packet answers, and both carry the number that the asker chose.

use crate::idp;
use crate::parse::header;
use std::fmt;
use wirewait_wire::{
    Claim, Dissector, Exchange, Fault, Fields, Id, Input, Kind, Operation, Part, Role, Side,
    Verified,
};

/// A PEP header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Transaction number; a retransmitted request keeps it.
    pub id: u32,
    /// What the data is.
    pub client_type: u16,
}

impl Header {
    /// Bytes of the header.
    pub const LENGTH: u32 = 6;

    /// Reads a header.
    ///
    /// # Errors
    /// [`Fault::Short`].
    pub fn parse(input: Input<'_>) -> Result<Self, Fault> {
        let h: &[u8; 6] = header(input)?;
        Ok(Self {
            id: u32::from_be_bytes([h[0], h[1], h[2], h[3]]),
            client_type: u16::from_be_bytes([h[4], h[5]]),
        })
    }
}

/// By what an answer, or a refusal, finds its request.
pub(crate) const fn id(transaction: u32) -> Id {
    Id::new(0, transaction as u128)
}

static EXCHANGE: Operation = operation("EXCHANGE");
static TIME: Operation = operation("TIME");
static CLEARINGHOUSE: Operation = operation("CLEARINGHOUSE");
static TELEDEBUG: Operation = operation("TELEDEBUG");

const fn operation(name: &'static str) -> Operation {
    Operation::new(name, Kind::Other, true)
}

/// What a client type asks for.
pub(crate) fn asks(client_type: u16) -> &'static Operation {
    match client_type {
        1 => &TIME,
        2 => &CLEARINGHOUSE,
        8 => &TELEDEBUG,
        _ => &EXCHANGE,
    }
}

pub(crate) static DISSECTOR: Dissector = Dissector {
    name: "pep",
    title: "Xerox Packet Exchange Protocol, XSIS 028112",
    does: "requests and responses by their number, also of broadcasts; repeated requests; the client \
           by well-known sockets, or by the first packet",
    lacks: "what the programs put into it (3+Name, 3+Mail, time, clearinghouse) is not read; an \
            operation is named by its client type only; tried on made captures only",
    verified: &[Verified::Specification],
    claims: &[Claim::Exact(idp::TYPE.key(idp::packet::PEP as u32))],
    exchange: Some(exchange),
    describe,
    fields,
    ..Dissector::PLAIN
};

fn exchange(input: Input<'_>) -> Result<Part, Fault> {
    let h = Header::parse(input)?;
    Ok(Part {
        exchange: Some(Exchange {
            id: Some(id(h.id)),
            repeats: true,
            anyone: true,
            ..Exchange::new(
                // Nothing in the packet says which it is.
                Role::Either,
                Side::Unknown,
                asks(h.client_type),
                h.client_type.into(),
            )
        }),
        length: input.length,
    })
}

fn describe(input: Input<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    let Ok(h) = Header::parse(input) else {
        return out.write_str("cut off");
    };
    let data = input.length.saturating_sub(Header::LENGTH);
    write!(out, "id {:08x}", h.id)?;
    match client_name(h.client_type) {
        "" => write!(out, ", client type {}", h.client_type)?,
        name => write!(out, ", {name}")?,
    }
    write!(out, ", {data} bytes")
}

fn fields(f: &mut Fields<'_>) -> Option<()> {
    f.be32("Transaction ID")?;
    f.hex();
    let client_type = f.be16("Client type")?;
    f.means(client_name(client_type));
    f.rest("Data")?;
    Some(())
}

const fn client_name(client_type: u16) -> &'static str {
    match client_type {
        0 => "unspecified",
        1 => "time",
        2 => "clearinghouse",
        8 => "teledebug",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, line};
    use proptest::prelude::*;

    const BYTES: [u8; 10] = [0, 0, 0x12, 0x34, 0, 1, 0, 2, 0, 1];

    #[test]
    fn the_number_is_all_that_pairs() {
        let part = exchange(Input::whole(&BYTES)).unwrap();
        let x = part.exchange.unwrap();
        assert_eq!(
            (x.role, x.sender, part.length),
            (Role::Either, Side::Unknown, 10)
        );
        assert_eq!(x.id, Some(Id::new(0, 0x1234)));
        assert!(x.repeats && x.anyone);
        assert_eq!((x.operation.name, x.code), ("TIME", 1));
        assert_eq!(line(&DISSECTOR, &BYTES), "id 00001234, time, 4 bytes");
        let mut other = BYTES;
        other[4] = 0x77;
        assert_eq!(
            exchange(Input::whole(&other)).unwrap().exchange.unwrap().id,
            x.id
        );
        assert_eq!(
            line(&DISSECTOR, &other),
            "id 00001234, client type 30465, 4 bytes"
        );
    }

    #[test]
    fn every_strict_prefix_is_short() {
        for n in 0..6 {
            let cut = Input {
                bytes: &BYTES[..n],
                length: 10,
            };
            assert!(matches!(exchange(cut), Err(Fault::Short { .. })), "{n}");
            assert_eq!(Header::parse(cut).ok(), None);
        }
    }

    proptest! {
        #[test]
        fn fields_are_those_of_the_header(bytes in prop::collection::vec(any::<u8>(), 6..20)) {
            let fields = testing::fields(&DISSECTOR, Input::whole(&bytes));
            let h = Header::parse(Input::whole(&bytes)).unwrap();
            prop_assert_eq!(testing::number(&fields, "Transaction ID"), Some(h.id.into()));
            prop_assert_eq!(testing::number(&fields, "Client type"), Some(h.client_type.into()));
            prop_assert_eq!(fields.last().unwrap().end as usize, bytes.len());
        }
    }
}

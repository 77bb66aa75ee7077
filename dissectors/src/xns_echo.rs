//! Xerox Echo Protocol ("Internet Transport Protocols", XSIS 028112): what is sent comes back.

use crate::idp;
use crate::parse::header;
use std::fmt;
use wirewait_wire::{
    Claim, Dissector, Exchange, Fault, Fields, Id, Input, Kind, Operation, Part, Role, Side,
    Verified,
};

/// The head of every echo packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// [`Header::REQUEST`] or [`Header::REPLY`].
    pub operation: u16,
}

impl Header {
    /// Bytes of the header.
    pub const LENGTH: u32 = 2;
    /// Asks for the data back.
    pub const REQUEST: u16 = 1;
    /// Brings it back.
    pub const REPLY: u16 = 2;

    /// Reads a header.
    ///
    /// # Errors
    /// [`Fault::Short`].
    pub fn parse(input: Input<'_>) -> Result<Self, Fault> {
        Ok(Self {
            operation: u16::from_be_bytes(*header::<2>(input)?),
        })
    }

    const fn name(self) -> &'static str {
        match self.operation {
            Self::REQUEST => "request",
            Self::REPLY => "reply",
            _ => "",
        }
    }
}

static ECHO: Operation = Operation::new("ECHO", Kind::Other, true);

pub(crate) static DISSECTOR: Dissector = Dissector {
    name: "xns_echo",
    title: "Xerox Echo Protocol, XSIS 028112",
    does: "requests and replies, by their data",
    lacks: "tried on made captures only",
    verified: &[Verified::Specification],
    claims: &[Claim::Exact(idp::TYPE.key(idp::packet::ECHO as u32))],
    exchange: Some(exchange),
    describe,
    fields,
    ..Dissector::PLAIN
};

fn exchange(input: Input<'_>) -> Result<Part, Fault> {
    let h = Header::parse(input)?;
    let data = input.skip(Header::LENGTH);
    let exchange = match h.operation {
        Header::REQUEST => Some((Role::Request, Side::Client)),
        Header::REPLY => Some((Role::Response, Side::Server)),
        _ => None,
    }
    .map(|(role, sender)| Exchange {
        id: Some(Id::new(0, hash(data.bytes).into())),
        // The same data may be sent again on purpose once it is back, so `repeats` is not set.
        anyone: true,
        ..Exchange::new(role, sender, &ECHO, 1)
    });
    Ok(Part {
        exchange,
        length: input.length,
    })
}

/// FNV-1a: the data is all that an echo is known by.
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

fn describe(input: Input<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    let Ok(h) = Header::parse(input) else {
        return out.write_str("cut off");
    };
    match h.name() {
        "" => write!(out, "operation {}", h.operation)?,
        name => out.write_str(name)?,
    }
    write!(
        out,
        ", {} bytes",
        input.length.saturating_sub(Header::LENGTH)
    )
}

fn fields(f: &mut Fields<'_>) -> Option<()> {
    let operation = f.be16("Operation")?;
    f.means(Header { operation }.name());
    f.rest("Data")?;
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, line, stands};
    use proptest::prelude::*;

    fn part(bytes: &[u8]) -> Option<Exchange> {
        exchange(Input::whole(bytes)).unwrap().exchange
    }

    #[test]
    fn a_reply_is_known_by_its_data() {
        let asks = part(&[0, 1, 7, 8, 9]).unwrap();
        let answers = part(&[0, 2, 7, 8, 9]).unwrap();
        let other = part(&[0, 2, 7, 8, 0]).unwrap();
        assert_eq!((asks.role, asks.sender), (Role::Request, Side::Client));
        assert_eq!(
            (answers.role, answers.sender),
            (Role::Response, Side::Server)
        );
        assert_eq!(asks.id, answers.id);
        assert_ne!(asks.id, other.id);
        assert!(!asks.repeats);
        assert_eq!(part(&[0, 3, 7]).map(|x| x.role), None);
    }

    #[test]
    fn one_line_each() {
        assert_eq!(line(&DISSECTOR, &[0, 1, 7, 8]), "request, 2 bytes");
        assert_eq!(line(&DISSECTOR, &[0, 2]), "reply, 0 bytes");
        assert_eq!(line(&DISSECTOR, &[0, 9, 1]), "operation 9, 1 bytes");
        assert_eq!(line(&DISSECTOR, &[0]), "cut off");
    }

    proptest! {
        #[test]
        fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..40), cut in 0u32..2000) {
            stands(&DISSECTOR, &bytes, cut);
            let fields = testing::fields(&DISSECTOR, Input::whole(&bytes));
            let h = Header::parse(Input::whole(&bytes)).ok();
            prop_assert_eq!(
                testing::number(&fields, "Operation"),
                h.map(|h| h.operation.into())
            );
        }
    }
}

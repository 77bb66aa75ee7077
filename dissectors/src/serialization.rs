//! NetWare serialization: about once a minute a server tells all others its serial number,
//! and who finds its own complains of a copy (Chappell and Hakes, "Novell's Guide to NetWare
//! LAN Analysis").

use crate::ipx;
use crate::parse::header;
use std::fmt;
use wirewait_wire::{Claim, Dissector, Facts, Fault, Fields, Input, Layer, Next, Verified};

/// What is announced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Announcement {
    /// The server's serial number.
    pub serial: [u8; 6],
}

impl Announcement {
    /// Bytes of an announcement.
    pub const LENGTH: u32 = 6;

    /// Reads an announcement.
    ///
    /// # Errors
    /// [`Fault::Short`].
    pub fn parse(input: Input<'_>) -> Result<Self, Fault> {
        Ok(Self {
            serial: *header(input)?,
        })
    }
}

pub(crate) static DISSECTOR: Dissector = Dissector {
    name: "serial",
    title: "NetWare serialization (copy protection)",
    aliases: &["serialization", "NetWare serialization"],
    does: "serial numbers that servers announce",
    verified: &[Verified::Specification, Verified::Tshark],
    claims: &[Claim::Exact(ipx::SOCKET.key(0x0457))],
    dissect,
    describe,
    fields,
    ..Dissector::PLAIN
};

fn dissect(input: Input<'_>, _: &mut Facts) -> Result<Layer, Fault> {
    Announcement::parse(input)?;
    Ok(Layer::over(input, Announcement::LENGTH, Next::NONE))
}

fn describe(input: Input<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    match Announcement::parse(input) {
        Ok(announcement) => {
            out.write_str("serial number ")?;
            announcement
                .serial
                .iter()
                .try_for_each(|byte| write!(out, "{byte:02x}"))
        }
        Err(_) => out.write_str("cut off"),
    }
}

fn fields(f: &mut Fields<'_>) -> Option<()> {
    f.bytes(Announcement::LENGTH, "Serial number")?;
    f.rest("Trailing bytes").map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, line, short_when_cut, stands};
    use proptest::prelude::*;
    use wirewait_wire::Value;

    #[test]
    fn one_line() {
        let bytes = [0x00, 0x61, 0x2a, 0xb5, 0x40, 0x00];
        assert_eq!(line(&DISSECTOR, &bytes), "serial number 00612ab54000");
        short_when_cut(&DISSECTOR, &bytes);
    }

    proptest! {
        #[test]
        fn fields_are_those_of_the_announcement(bytes: [u8; 8]) {
            let fields = testing::fields(&DISSECTOR, Input::whole(&bytes));
            let announcement = Announcement::parse(Input::whole(&bytes)).unwrap();
            prop_assert_eq!(&fields[0].value, &Value::Bytes(&announcement.serial));
        }

        #[test]
        fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..20), cut in 0u32..60) {
            stands(&DISSECTOR, &bytes, cut);
        }
    }
}

//! DEC protocols on Ethernet that are recognised by their type and not read: the NetBIOS
//! emulation of PATHWORKS over DECnet, whose layout is not public, and (in files of their own)
//! others that only share the wire with file service.

use crate::ethernet;
use std::fmt;
use wirewait_wire::{Claim, Dissector, Fields, Input, Verified};

pub(crate) static DISSECTOR: Dissector = Dissector {
    name: "dec_netbios",
    title: "PATHWORKS DECnet NetBIOS emulation (EtherType 8040, to 09-00-2b-00-00-07)",
    does: "recognised",
    lacks: "no description of it is public: nothing in it is read. It finds names; sessions go \
            over DECnet (nsp)",
    verified: &[Verified::Nothing],
    claims: &[Claim::Exact(ethernet::TYPE.key(0x8040))],
    ..NOT_READ
};

/// A protocol of which only the name is told.
pub(crate) const NOT_READ: Dissector = Dissector {
    does: "recognised",
    lacks: "nothing in it is read",
    verified: &[Verified::RealCaptures],
    describe,
    fields,
    ..Dissector::PLAIN
};

fn describe(input: Input<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    write!(out, "{} bytes, not read", input.length)
}

fn fields(f: &mut Fields<'_>) -> Option<()> {
    f.rest("Data")?;
    f.means("not read");
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::line;
    use crate::{lat, mop, sca, testing};
    use wirewait_wire::{Facts, Value};

    #[test]
    fn they_are_named_and_shown_as_bytes() {
        for dissector in [
            &DISSECTOR,
            &lat::DISSECTOR,
            &sca::DISSECTOR,
            &mop::DISSECTOR,
        ] {
            let layer = (dissector.dissect)(Input::whole(&[1, 2]), &mut Facts::default()).unwrap();
            assert!(layer.next.is_none(), "{}", dissector.name);
            assert_eq!(line(dissector, &[1, 2, 3]), "3 bytes, not read");
            let fields = testing::fields(dissector, Input::whole(&[1, 2, 3]));
            assert_eq!(fields[0].value, Value::Bytes(&[1, 2, 3]));
            assert!(!dissector.lacks.is_empty());
        }
    }
}

//! DEC Maintenance Operations Protocol: loading systems and their remote consoles.

use crate::dec_netbios::NOT_READ;
use crate::ethernet;
use wirewait_wire::{Claim, Dissector};

pub(crate) static DISSECTOR: Dissector = Dissector {
    name: "mop",
    title: "DEC Maintenance Operations Protocol (MOP)",
    claims: &[
        Claim::Exact(ethernet::TYPE.key(0x6001)),
        Claim::Exact(ethernet::TYPE.key(0x6002)),
    ],
    ..NOT_READ
};

//! DEC Local Area Transport, which carries terminals.

use crate::dec_netbios::NOT_READ;
use crate::ethernet;
use wirewait_wire::{Claim, Dissector};

pub(crate) static DISSECTOR: Dissector = Dissector {
    name: "lat",
    title: "DEC Local Area Transport (LAT)",
    claims: &[Claim::Exact(ethernet::TYPE.key(0x6004))],
    ..NOT_READ
};

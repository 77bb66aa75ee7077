//! DEC System Communication Architecture, by which the members of a VAXcluster talk.

use crate::dec_netbios::NOT_READ;
use crate::ethernet;
use wirewait_wire::{Claim, Dissector};

pub(crate) static DISSECTOR: Dissector = Dissector {
    name: "sca",
    title: "DEC System Communication Architecture (SCA, LAVC)",
    claims: &[Claim::Exact(ethernet::TYPE.key(0x6007))],
    ..NOT_READ
};

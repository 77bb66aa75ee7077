//! SMB directly over TCP port 445: the framing of the NetBIOS session service without its
//! session set-up. MS-SMB2 section 2.1: a zero byte, then a 24-bit length.
//!
//! `nbt` reads both; what differs is the port, and the name of the carrier.

use crate::{nbt, tcp};
use wirewait_wire::{Claim, Dissector, Verified};

pub(crate) static DISSECTOR: Dissector = Dissector {
    name: "direct_tcp",
    title: "SMB directly over TCP port 445, MS-SMB2 section 2.1",
    aliases: &["microsoft-ds", "Direct hosting", "SMB over TCP"],
    does: "messages in the TCP stream, finding the next one after a gap; streams on any port \
           that no other protocol claims, once a segment begins with a message",
    lacks: "On other ports than 139 and 445 a stream is not known whose messages never begin \
            with a segment, and what comes before the first that does is not looked at again.",
    verified: &[
        Verified::Specification,
        Verified::RealCaptures,
        Verified::Lab,
        Verified::Tshark,
    ],
    claims: &[
        Claim::Exact(tcp::PORT.key(445)),
        Claim::Probe(tcp::PORT, nbt::begins),
    ],
    conveys: true,
    carrier: Some("tcp"),
    dissect: nbt::dissect,
    framing: Some(nbt::framing),
    resync: Some(nbt::resync),
    describe: nbt::describe,
    fields: nbt::fields,
    ..Dissector::PLAIN
};

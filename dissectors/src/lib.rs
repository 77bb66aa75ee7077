//! The protocols of wirewait, one file each. Adding one is a file and a line in the list
//! below; `CONTRIBUTING.md` shows the order of things inside a file.
//!
//! A dissector holds no state. It reads one header with nom's `complete` parsers, taking
//! the fixed part once and indexing it (measured faster than field by field), and never
//! puts nom into a public signature.

#![forbid(unsafe_code)]

use wirewait_wire::{Dissector, Registry};

mod evidence;
pub mod mailslot;
mod notes;
mod ntlmssp;
mod parse;
mod share;
#[cfg(test)]
mod testing;

pub use evidence::EVIDENCE;

macro_rules! dissectors {
    ($($name:ident),* $(,)?; $($group:ident [$($part:ident),*]),* $(,)?) => {
        $(pub mod $name;)*
        $(pub mod $group;)*

        /// Every dissector, links first, in the order in which `wirewait protocols` shows them.
        pub static ALL: &[&Dissector] = &[$(&$name::DISSECTOR,)* $($(&$group::$part,)*)*];
    };
}

dissectors! {
    ethernet,
    vlan,
    llc,
    llc_dix,
    llc_3com,
    snap,
    sll,
    sll2,
    loopback,
    raw_ip,
    token_ring,
    fddi,
    ppp,
    pppoe,
    chdlc,
    mpls,
    arp,
    ipv4,
    ipv6,
    icmp,
    icmpv6,
    tcp,
    udp,
    gre,
    erspan,
    vxlan,
    geneve,
    ipx,
    rip,
    sap,
    nlsp,
    serialization,
    ipx_ping,
    spx,
    idp,
    xns_rip,
    xns_echo,
    xns_error,
    pep,
    spp,
    courier,
    nbf,
    nbipx,
    nmpi,
    nbt,
    nbt_session,
    direct_tcp,
    nbt_dgm,
    nbns,
    dec_netbios,
    lat,
    sca,
    mop,
    decnet,
    nsp,
    last,
    ncp,
    ncp_tcp,
    ncp_watchdog,
    smb1,
    smb2,
    dcerpc,
    browser,
    lanman,
    netlogon,
    ;
    // Several protocols in one file.
    nbp_3com [DATA, ACK, CONNECTION, DATAGRAM, NAME],
}

/// A registry of every dissector.
///
/// # Panics
/// Never: a test builds it, and the list is fixed when the program is compiled.
#[must_use]
pub fn registry() -> Registry {
    match Registry::new(ALL) {
        Ok(registry) => registry,
        Err(conflict) => panic!("{conflict}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::stands;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1024))]

        /// Every dissector stands them, short ones and long ones.
        #[test]
        fn any_bytes(
            bytes in prop_oneof![Just(20usize), Just(40), Just(80), Just(200)]
                .prop_flat_map(|most| prop::collection::vec(any::<u8>(), 0..most)),
            cut in 0u32..2000,
        ) {
            for dissector in ALL {
                stands(dissector, &bytes, cut);
            }
        }
    }

    #[test]
    fn no_two_dissectors_claim_the_same() {
        assert_eq!(registry().dissectors().len(), ALL.len());
    }

    #[test]
    fn every_dissector_says_what_it_is() {
        for d in ALL {
            assert!(!d.title.is_empty() && !d.does.is_empty(), "{}", d.name);
            assert!(!d.verified.is_empty(), "{}", d.name);
            assert!(
                d.claims.iter().len() > 0 || d.name == "ethernet",
                "{} is never found",
                d.name
            );
        }
    }
}

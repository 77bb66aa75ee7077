//! Xerox Routing Information Protocol ("Internet Transport Protocols", XSIS 028112): which
//! networks can be reached, and over how many routers. Novell's ([`crate::rip`]) has a field
//! more in each entry, and is read by the same functions.

use crate::idp;
use crate::rip::{ALL_NETWORKS, UNREACHABLE, announces, describe, dissect, entry, exchange};
use wirewait_wire::{Claim, Dissector, Fields, Verified};

pub(crate) static DISSECTOR: Dissector = Dissector {
    name: "xns_rip",
    title: "Xerox Routing Information Protocol, XSIS 028112",
    does: "requests for routes and their responses; periodic updates are left out of the pairing",
    lacks: "a request for several networks goes by the first one; only the first response counts; \
            tried on made captures only",
    verified: &[Verified::Specification],
    claims: &[Claim::Exact(idp::TYPE.key(idp::packet::RIP as u32))],
    // Not because something follows, but because only the facts tell an answer from an
    // update, and only `dissect` sees them.
    conveys: true,
    dissect,
    exchange: Some(exchange),
    announces: Some(announces::<false>),
    describe: describe::<false>,
    fields,
    ..Dissector::PLAIN
};

fn fields(f: &mut Fields<'_>) -> Option<()> {
    let operation = f.be16("Operation")?;
    f.means(match operation {
        1 => "request",
        2 => "response",
        _ => "",
    });
    while f.left() >= entry(false) {
        f.open("Network");
        let network = f.be32("Network number")?;
        f.hex();
        if network == ALL_NETWORKS {
            f.means("all networks");
        }
        let hops = f.be16("Hops")?;
        if hops >= UNREACHABLE {
            f.means(match operation {
                1 => "not asked for",
                _ => "unreachable",
            });
        }
        f.close();
    }
    f.rest("Data")?;
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rip::Header;
    use crate::rip::tests::{pairs, tells_or_answers};
    use crate::testing::{self, line, short_when_cut, stands};
    use proptest::prelude::*;
    use wirewait_wire::Input;

    const REQUEST: [u8; 8] = [0, 1, 0, 0, 0, 0x22, 0xff, 0xff];
    const RESPONSE: [u8; 8] = [0, 2, 0, 0, 0, 0x22, 0, 1];

    #[test]
    fn an_answer_goes_by_the_network_asked_for() {
        pairs(
            &REQUEST,
            &RESPONSE,
            &[0, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
        );
    }

    #[test]
    fn an_update_is_no_message() {
        tells_or_answers(&REQUEST, &RESPONSE, 1);
    }

    #[test]
    fn one_line_each() {
        assert_eq!(line(&DISSECTOR, &REQUEST), "request, network 00000022");
        assert_eq!(
            line(&DISSECTOR, &[&RESPONSE[..], &[0; 6]].concat()),
            "response, network 00000022, hops 1, and 1 more"
        );
        let mut gone = RESPONSE;
        gone[7] = 16;
        assert_eq!(
            line(&DISSECTOR, &gone),
            "response, network 00000022 unreachable"
        );
        assert_eq!(line(&DISSECTOR, &[0, 1]), "request, no network");
        assert_eq!(line(&DISSECTOR, &[0, 7]), "operation 7");
        short_when_cut(&DISSECTOR, &RESPONSE[..6]);
    }

    #[test]
    fn each_network_has_its_fields() {
        let bytes = [&RESPONSE[..], &[0, 0, 0, 7, 0, 16, 9]].concat();
        let fields = testing::fields(&DISSECTOR, Input::whole(&bytes));
        let hops: Vec<_> = fields.iter().filter(|f| f.name == "Hops").collect();
        assert_eq!(hops.len(), 2);
        assert_eq!(
            (hops[0].start, hops[1].meaning.as_str()),
            (6, "unreachable")
        );
        assert_eq!(fields.last().unwrap().name, "Data", "half an entry");
    }

    proptest! {
        #[test]
        fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..40), cut in 0u32..2000) {
            stands(&DISSECTOR, &bytes, cut);
            let fields = testing::fields(&DISSECTOR, Input::whole(&bytes));
            if let Ok(h) = Header::parse(Input::whole(&bytes)) {
                let network = h.network.filter(|_| bytes.len() >= 8);
                prop_assert_eq!(
                    testing::number(&fields, "Network number"),
                    network.map(u64::from)
                );
            }
        }
    }
}

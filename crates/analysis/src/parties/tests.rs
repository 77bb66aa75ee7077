use super::*;
use crate::symptoms::testing::transaction;
use wirewait_wire::Kind;

fn one() -> Transaction {
    transaction(1, Kind::Read, 10, 20)
}

fn known(directory: &mut Directory, t: &Transaction) -> Parties {
    let mut parties = Parties::UNKNOWN;
    directory.meet(t, &mut parties);
    parties
}

fn places(parties: &Parties) -> [Place; 4] {
    [parties.client, parties.server, parties.pair, parties.tie]
}

fn station(n: u8) -> Endpoint {
    Endpoint::mac([2, 0, 0, 0, 0, n])
}

#[test]
fn each_has_one_place_whatever_its_port() {
    let mut directory = Directory::new(10);
    let first = known(&mut directory, &one());
    let mut other = one();
    other.client = other.client.with_port(7);
    other.conversation = 2;
    assert_eq!(places(&known(&mut directory, &other)), places(&first));
    other.carrier = "another";
    let carried = known(&mut directory, &other);
    assert_eq!(carried.pair, first.pair);
    assert_ne!(carried.tie, first.tie);
    assert_eq!(directory.station(first.client), Some(one().client));
    assert_eq!(
        directory.pair(first.pair),
        Some((one().client, one().server))
    );
    let tie = directory.tie(carried.tie);
    assert_eq!(tie, Some((one().client, one().server, "another")));
}

#[test]
fn what_the_conversation_knows_is_good_only_for_the_same_ends() {
    let mut directory = Directory::new(10);
    let mut parties = known(&mut directory, &one());
    let mut other = one();
    other.server = station(8);
    directory.meet(&other, &mut parties);
    assert_eq!(directory.station(parties.server), Some(station(8)));
    let mut room = Parties::UNKNOWN;
    let same = directory.current(&other, &parties, &mut room);
    assert_eq!(places(same), places(&parties));
}

#[test]
fn who_was_dropped_is_looked_up_again() {
    let mut directory = Directory::new(1);
    let first = known(&mut directory, &one());
    let mut other = one();
    (other.client, other.server) = (station(3), station(4));
    known(&mut directory, &other);
    // The pair, its tie and both stations: there is room for those of one pair.
    assert_eq!(directory.evicted, 4);
    assert_eq!(directory.pair(first.pair), None);
    let mut room = Parties::UNKNOWN;
    let again = *directory.current(&one(), &first, &mut room);
    assert_eq!(
        directory.pair(again.pair),
        Some((one().client, one().server))
    );
    assert_eq!(directory.station(again.client), Some(one().client));
}

#[test]
fn names_stand_by_server_and_the_file_by_its_share() {
    let mut directory = Directory::new(10);
    let named = |share: &str| {
        let mut t = one();
        t.place = Some(Arc::new(names::Place {
            share: Some(share.into()),
            path: Some("A".into()),
            ..names::Place::default()
        }));
        t
    };
    let (sys, vol) = (named("SYS"), named("VOL"));
    let one = known(&mut directory, &sys);
    let other = known(&mut directory, &vol);
    let (one, other) = (one.named.unwrap(), other.named.unwrap());
    assert_eq!(one.labels[0], None);
    assert_ne!(one.labels[1], other.labels[1]);
    assert_ne!(one.labels[2], other.labels[2]);
    assert_ne!(one.mount, other.mount);
    let file = directory.label(other.labels[2].unwrap()).unwrap();
    assert_eq!((file.share.as_deref(), &*file.name), (Some("VOL"), "A"));
    // The same place again: nothing new.
    let mut parties = Parties::UNKNOWN;
    directory.meet(&sys, &mut parties);
    let again = parties;
    directory.meet(&sys, &mut parties);
    assert_eq!(parties.named.unwrap().labels, one.labels);
    assert_eq!(parties.named.unwrap().spot, again.named.unwrap().spot);
    assert_eq!(directory.evicted, 0);
}

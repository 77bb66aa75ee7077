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

fn places(parties: &Parties) -> [TablePlace; 4] {
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
fn what_is_known_is_kept_and_the_handle_is_looked_up_when_it_changes() {
    let mut directory = Directory::new(10);
    let mut parties = known(&mut directory, &one());
    let first = parties;
    let mut t = one();
    directory.meet(&t, &mut parties);
    assert_eq!(places(&parties), places(&first));
    assert_eq!(parties.handle(), None);
    t.file = Some(wirewait_wire::File {
        handle: 5,
        offset: None,
    });
    let mut room = None;
    let now = *directory.current(&t, &parties, &mut room);
    assert_eq!(places(&now), places(&first));
    let handle = now.handle().unwrap();
    t.conversation = 2;
    let elsewhere = known(&mut directory, &t).handle().unwrap();
    assert_ne!(
        handle, elsewhere,
        "a handle is good within its conversation"
    );
}

#[test]
fn who_was_dropped_comes_back_for_a_new_transaction_only() {
    let mut directory = Directory::new(1);
    let mut first = known(&mut directory, &one());
    let mut other = one();
    (other.client, other.server) = (station(3), station(4));
    known(&mut directory, &other);
    // The pair, its tie and both stations: there is room for those of one pair.
    assert_eq!(directory.evicted, 4);
    assert_eq!(directory.pair(first.pair), None);
    let mut room = None;
    let late = *directory.current(&one(), &first, &mut room);
    assert_eq!(places(&late), [TablePlace::NOWHERE; 4]);
    assert_eq!(directory.evicted, 4, "nobody had to go for it");
    directory.meet(&one(), &mut first);
    let now = *directory.current(&one(), &first, &mut room);
    assert_eq!(directory.pair(now.pair), Some((one().client, one().server)));
    assert_eq!(directory.station(now.client), Some(one().client));
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

#[test]
fn a_share_in_capitals_is_no_other_one() {
    let mut directory = Directory::new(10);
    let mut named = |client: Endpoint, share: &str, path: &str| {
        let mut t = one();
        t.client = client;
        t.place = Some(Arc::new(names::Place {
            share: Some(share.into()),
            path: Some(path.into()),
            ..names::Place::default()
        }));
        known(&mut directory, &t).named.unwrap()
    };
    let first = named(station(8), r"\\FS1\pub", "a");
    let second = named(station(8), r"\\FS1\PUB", "a");
    let third = named(station(8), r"\\FS1\Pub", "A");
    let elsewhere = named(station(9), r"\\FS1\pub", "a");
    assert_eq!((first.labels, first.mount), (second.labels, second.mount));
    assert_eq!(
        (first.labels[1], first.mount),
        (third.labels[1], third.mount)
    );
    assert_ne!(first.labels[2], third.labels[2], "files may");
    let share = |label: Option<TablePlace>| directory.label(label.unwrap()).unwrap();
    assert_eq!(&*share(first.labels[1]).name, r"\\FS1\PUB");
    assert_eq!(share(first.labels[2]).share.as_deref(), Some(r"\\FS1\PUB"));
    // Whichever client: the counters of the server have one instance.
    let (client, mounted) = directory.mount(elsewhere.mount.unwrap()).unwrap();
    assert_eq!((client, &*mounted.name), (station(9), r"\\FS1\PUB"));
    assert_eq!(directory.evicted, 0);
}

#[test]
fn a_client_in_a_flood_drives_nobody_out_until_it_is_answered_or_asks_again() {
    let asks = |n: u8| {
        let mut t = one();
        t.client = station(n);
        t.response = None;
        t
    };
    let mut directory = Directory::new(8);
    // The server and seven clients, who are never answered, take all of the room.
    for n in 10..17 {
        assert!(!known(&mut directory, &asks(n)).on_probation);
    }
    assert_eq!(directory.evicted, 0);
    let mut flood: Vec<Parties> = (100..200)
        .map(|n| known(&mut directory, &asks(n)))
        .collect();
    for parties in &flood {
        assert!(parties.on_probation);
        assert_eq!(directory.station(parties.server), Some(one().server));
        let nowhere = [parties.client, parties.pair, parties.tie];
        assert_eq!(nowhere, [TablePlace::NOWHERE; 3]);
    }
    assert_eq!(directory.evicted, 300, "rows that there are not");
    for n in 10..17 {
        assert!(
            !known(&mut directory, &asks(n)).on_probation,
            "{n} is still there"
        );
    }
    // One asks once more, and one is answered.
    directory.meet(&asks(150), &mut flood[50]);
    assert!(!flood[50].on_probation);
    assert_eq!(directory.station(flood[50].client), Some(station(150)));
    directory.admit(&asks(160), &mut flood[60]);
    assert_eq!(
        directory.pair(flood[60].pair),
        Some((station(160), one().server))
    );
    // A response tells of someone who was asked, whoever it is.
    let mut orphan = asks(170);
    orphan.response = one().response;
    assert!(orphan.response.is_some());
    assert!(!known(&mut directory, &orphan).on_probation);
}

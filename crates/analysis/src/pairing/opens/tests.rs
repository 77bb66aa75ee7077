use super::super::testing::exchange;
use super::*;
use crate::Flags;
use crate::open::Spare;
use crate::symptoms::testing::transaction;
use proptest::prelude::*;
use std::cell::Cell;
use wirewait_wire::{Kind, Role};

thread_local! {
    /// Requests that were looked at.
    pub(super) static LOOKED: Cell<u64> = const { Cell::new(0) };
}

fn at(ms: i64) -> Timestamp {
    Timestamp::from_nanos(ms * 1_000_000)
}

/// What happens to open requests; numbers choose among those that are there.
#[derive(Clone, Debug)]
enum Step {
    Push {
        id: u8,
        lane: u8,
        kind: u8,
        deadline: i64,
    },
    Remove(usize),
    Answer(usize, i64),
    Reopen(usize),
    Alias(usize, u8),
    Expire(i64),
    /// A side lacks what the other one sent up to there.
    Miss(usize, u64),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0..12u8, 0..6u8, 0..4u8, 0..1000i64)
            .prop_map(|(id, lane, kind, deadline)| Step::Push { id, lane, kind, deadline }),
        2 => any::<usize>().prop_map(Step::Remove),
        3 => (any::<usize>(), 0..1000i64).prop_map(|(n, at)| Step::Answer(n, at)),
        1 => any::<usize>().prop_map(Step::Reopen),
        1 => (any::<usize>(), 0..12u8).prop_map(|(n, id)| Step::Alias(n, id)),
        1 => (0..1000i64).prop_map(Step::Expire),
        2 => (0..2usize, 0..1200u64).prop_map(|(side, end)| Step::Miss(side, end)),
    ]
}

fn name(id: u8) -> Option<Id> {
    // Some have none.
    (id > 1).then(|| Id::new(1, id.into()))
}

/// Serial number, identifier, alias, lane, state and side.
type Listed = (u64, Option<Id>, Option<Id>, Option<Id>, OpenState, usize);

/// Every question, answered one by one and by the index.
fn compare(opens: &mut Opens) -> Result<(), TestCaseError> {
    let list: Vec<Listed> = opens
        .list
        .iter()
        .map(|o| (o.serial, o.id, o.alias, o.lane, o.state, o.side))
        .collect();
    for n in 0..12 {
        let Some(id) = name(n) else { continue };
        let named = |o: &&Listed| (o.1 == Some(id) || o.2 == Some(id)) && o.5 == 0;
        let serial = |at: Option<usize>| at.map(|at| list[at].0);
        let latest = opens.latest(id, |o| o.side == 0);
        prop_assert_eq!(serial(latest), list.iter().rfind(named).map(|o| o.0));
        let earliest = opens.earliest(id, |o| o.side == 0);
        prop_assert_eq!(serial(earliest), list.iter().find(named).map(|o| o.0));
        let of_lane = opens.latest_of_lane(id, |_| true);
        let expected = list.iter().rfind(|o| o.3 == Some(id)).map(|o| o.0);
        prop_assert_eq!(serial(of_lane), expected);
        let over = |o: &Open| o.state == OpenState::Done || o.id == Some(id) || o.lane == Some(id);
        let from = list.get(list.len() / 3).map_or(0, |o| o.0);
        let mut x = exchange(Role::Request, 0);
        (x.id, x.lane) = (Some(id), Some(id));
        let related = opens.next_related(from, (&x, true), over);
        let expected = list
            .iter()
            .find(|o| o.0 >= from && (o.4 == OpenState::Done || o.1 == Some(id) || o.3 == Some(id)))
            .map(|o| o.0);
        prop_assert_eq!(serial(related), expected);
    }
    let position = |which: &dyn Fn(&HeldRequest) -> bool| opens.list.iter().position(which);
    let unnamed = position(&|o| o.id.is_none());
    prop_assert_eq!(opens.earliest_unnamed(|o| o.id.is_none()), unnamed);
    let raw = position(&|o| o.expect == Expect::Headerless);
    prop_assert_eq!(opens.earliest_raw(|o| o.expect == Expect::Headerless), raw);
    let done = position(&|o| o.state == OpenState::Done);
    prop_assert_eq!(opens.next_done(0, |_| true), done);
    let undone = position(&|o| o.state != OpenState::Done);
    for (at, open) in opens.list.iter().enumerate() {
        prop_assert_eq!(opens.place_of(open.serial), Some(at));
    }
    let first = opens.list.iter().map(|o| o.deadline).min();
    if let Some(first) = first {
        prop_assert!(opens.first_due() <= first);
    }
    let guessed = position(&|o| o.opaque && o.state != OpenState::Done);
    prop_assert_eq!(opens.earliest_undone(), undone);
    prop_assert_eq!(opens.has_guessed(), guessed.is_some());
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn an_index_finds_what_looking_through_all_finds(
        steps in prop::collection::vec(step(), 1..60),
    ) {
        let mut spare = Spare::default();
        let mut opens = Opens::default();
        let mut serial = 0;
        let mut open = |id: u8, lane: u8, kind: u8, deadline: i64| {
            let mut open = spare.next();
            *open.transaction = transaction(serial + 1, Kind::Read, 0, 1);
            (open.serial, open.id, open.lane) = (serial, name(id), name(lane));
            open.state = if kind == 1 { OpenState::Asking } else { OpenState::Waiting };
            open.expect = if kind == 2 { Expect::Headerless } else { Expect::Response };
            open.side = usize::from(kind == 3);
            open.deadline = at(deadline);
            // In no order: frames may come late.
            open.had = if id == 5 { u64::MAX } else { deadline.unsigned_abs() };
            open.awaited = None;
            open.opaque = id.is_multiple_of(3);
            serial += 1;
            open
        };
        // Enough for an index from the beginning.
        for n in 0..MANY as u8 {
            opens.push(open(n % 12, n % 6, n % 4, n.into()));
        }
        prop_assert!(opens.lookup.is_some());
        for step in steps {
            let there = |n: usize| (!opens.is_empty()).then(|| n % opens.len().max(1));
            match step {
                Step::Push { id, lane, kind, deadline } => {
                    opens.push(open(id, lane, kind, deadline));
                }
                Step::Remove(n) => {
                    if let Some(at) = there(n) {
                        opens.remove(at);
                    }
                }
                Step::Answer(n, deadline) => {
                    if let Some(place) = there(n) {
                        opens[place].state = OpenState::Done;
                        opens[place].deadline = at(deadline);
                        opens.answered(opens[place].serial);
                        opens.falls_due(place);
                    }
                }
                Step::Reopen(n) => {
                    if let Some(place) = there(n) {
                        opens[place].state = OpenState::Waiting;
                        opens[place].deadline = at(2000);
                        opens.reopened(place);
                        opens.falls_due(place);
                    }
                }
                Step::Alias(n, id) => {
                    if let Some(place) = there(n) && opens[place].alias.is_none() {
                        opens[place].alias = name(id);
                        opens.aliased(place);
                    }
                }
                Step::Miss(..) => {}
                Step::Expire(now) => {
                    let now = at(now);
                    let due = opens.list.iter().filter(|o| o.deadline <= now);
                    let due: Vec<u64> = due.map(|o| o.serial).collect();
                    prop_assert_eq!(&opens.due(now), &due);
                    for serial in due {
                        let at = opens.place_of(serial);
                        opens.remove(at.unwrap());
                    }
                }
            }
            if let Step::Miss(side, end) = step {
                let lacks = |o: &&HeldRequest| o.side == side && o.had < end && o.awaited.is_none();
                let lacking: Vec<u64> = opens.list.iter().filter(lacks).map(|o| o.serial).collect();
                let mut given = opens.lacking(side, end);
                given.retain(|serial| opens.place_of(*serial).is_some_and(|at| opens[at].awaited.is_none()));
                prop_assert_eq!(&given, &lacking);
                for open in opens.list.iter_mut().filter(|o| o.side == side && o.had < end) {
                    open.awaited = Some(0);
                }
                for why in [Flags::CAPTURE_LOSS, Flags::LIMITED] {
                    for serial in opens.unflagged(why) {
                        let at = opens.place_of(serial).unwrap();
                        opens[at].transaction.flags.set(why);
                    }
                    let flagged = |o: &HeldRequest| o.transaction.flags.contains(why);
                    prop_assert!(opens.list.iter().filter(|o| o.is_guessed()).all(flagged));
                }
            }
            compare(&mut opens)?;
        }
    }
}

#[test]
fn the_index_is_there_only_while_many_are_open() {
    let mut spare = Spare::default();
    let mut opens = Opens::default();
    for serial in 0..MANY as u64 {
        assert!(opens.lookup.is_none());
        let mut open = spare.next();
        *open.transaction = transaction(serial + 1, Kind::Read, 0, 1);
        open.serial = serial;
        opens.push(open);
    }
    assert!(opens.lookup.is_some());
    while opens.len() > FEW {
        opens.remove(0);
    }
    assert!(opens.lookup.is_none());
}

/// As many as SMB2 allows, and a gap after each of a thousand frames, on both sides.
#[test]
fn a_gap_looks_at_no_more_requests_than_it_changes() {
    const OPEN: u64 = 65_535;
    const GAPS: u64 = 1000;
    let mut spare = Spare::default();
    let mut opens = Opens::default();
    for serial in 0..OPEN {
        let mut open = spare.next();
        *open.transaction = transaction(serial + 1, Kind::Read, 0, 1);
        (open.serial, open.had, open.opaque) = (serial, serial * 10, true);
        opens.push(open);
    }
    let lacked = |opens: &mut Opens, end: u64| {
        let serials = opens.lacking(0, end);
        for serial in &serials {
            let at = opens.place_of(*serial).unwrap();
            opens.awaits(at);
        }
        opens.unflagged(Flags::CAPTURE_LOSS);
        opens.await_all(1, serials.len() as u64);
        assert!(opens.has_guessed());
        serials.len()
    };
    // The index is made once.
    assert_eq!(lacked(&mut opens, 0), 0);
    LOOKED.set(0);
    let changed: usize = (1..=GAPS).map(|gap| lacked(&mut opens, gap * 100)).sum();
    assert_eq!(changed as u64, GAPS * 10, "those asked before it");
    let looked = LOOKED.get();
    assert!((changed as u64..=GAPS * 20).contains(&looked), "{looked}");
    assert!(opens.is_awaited(&opens[0]) && !opens.is_awaited(&opens[OPEN as usize - 1]));
}

/// By the rule, one by one: data of the own side is missing while the answer may be, too.
#[test]
fn overlaid_are_those_whose_own_side_lacks_data_later() {
    let (mut spare, mut opens) = (Spare::default(), Opens::default());
    let mut expected: Vec<(usize, bool, bool)> = Vec::new();
    let mut dice = 0x9e37_79b9_u64;
    for serial in 0..400_u64 {
        dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let side = (dice >> 33) as usize % 2;
        let mut open = spare.next();
        *open.transaction = transaction(serial + 1, Kind::Read, 0, 1);
        (open.serial, open.side) = (serial, side);
        open.awaited = None;
        opens.push(open);
        expected.push((side, false, false));
        match (dice >> 40) % 8 {
            // Frames of `side` are missing.
            0 => {
                opens.await_all(1 - side, serial + 1);
                opens.lacks(side);
                for (of, awaited, overlaid) in &mut expected {
                    *awaited |= *of != side;
                    *overlaid |= *of == side && *awaited;
                }
            }
            // The answer to one of them is.
            1 => {
                let at = (dice >> 45) as usize % expected.len();
                opens.awaits(at);
                expected[at].1 = true;
            }
            2 => {
                opens.lacks(side);
                for (of, awaited, overlaid) in &mut expected {
                    *overlaid |= *of == side && *awaited;
                }
            }
            _ => {}
        }
        let found: Vec<_> = (0..expected.len())
            .map(|at| {
                (
                    opens[at].side,
                    opens.is_awaited(&opens[at]),
                    opens.is_overlaid(&opens[at]),
                )
            })
            .collect();
        assert_eq!(found, expected, "behind {serial}");
    }
    assert!(expected.iter().any(|(.., overlaid)| *overlaid));
}

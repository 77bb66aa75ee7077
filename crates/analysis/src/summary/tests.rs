use super::*;
use crate::{Bounds, Counts, EXACT_VALUES, Fidelity, Grouping, Ledger, Sample, Spread};
use proptest::prelude::*;
use std::sync::Arc;
use wirewait_model::Distribution;
use wirewait_wire::Kind;

fn timing(values: &[i64]) -> Timing {
    let mut timing = Timing::default();
    for ns in values {
        let mut one = Distribution::default();
        one.record(*ns);
        timing.merge(&Timing::of(&one.times(), &one.sample()));
    }
    timing
}

fn whole(values: &[i64]) -> Timing {
    let mut all = Distribution::default();
    values.iter().for_each(|ns| all.record(*ns));
    Timing::of(&all.times(), &all.sample())
}

#[test]
fn percentiles_of_few_values_are_exact_and_of_many_within_a_bucket() {
    let few: Vec<i64> = (1..=64).map(|ms| ms * 1_000_000).collect();
    let times = timing(&few).times();
    // Nearest rank: 50 % of 64 is the 32nd.
    assert_eq!((times.p50, times.p95), (32_000_000, 61_000_000));
    let many: Vec<i64> = (1..=200).map(|ms| ms * 1_000_000).collect();
    let times = timing(&many).times();
    // The 100th is 100 ms; its bucket of eight bits is 2^19 ns wide and ends below 100,139,008.
    assert_eq!(times.p50, 100_139_007);
    assert_eq!((times.min, times.max), (1_000_000, 200_000_000));
    assert_eq!(times.mean(), Some(100_500_000));
}

#[test]
fn what_was_written_down_and_cannot_be_is_told() {
    let spread = |n, min, max, total| Spread { n, min, max, total };
    let told = |spread, values: &[(i64, u64)]| {
        Timing::from_parts(spread, values.to_vec()).map_err(|e| e.to_string())
    };
    assert_eq!(
        told(spread(3, 5, 9, 19), &[(5, 2), (9, 1)]),
        Ok(timing(&[9, 5, 5]))
    );
    assert_eq!(told(spread(0, 0, 0, 0), &[]), Ok(Timing::default()));
    for (spread, values, why) in [
        (spread(2, 5, 9, 14), &[(9, 1), (5, 1)][..], "do not ascend"),
        (spread(2, 5, 5, 10), &[(5, 1), (5, 1)], "do not ascend"),
        (spread(1, 5, 9, 5), &[(5, 1), (9, 0)], "not once"),
        (spread(3, 5, 9, 14), &[(5, 1), (9, 1)], "not as many"),
        (spread(2, 4, 9, 14), &[(5, 1), (9, 1)], "extremes"),
        (spread(2, 5, 9, 15), &[(5, 1), (9, 1)], "sum"),
        (spread(0, 0, 0, 1), &[], "of no values"),
        (spread(100, 300, 300, 30_000), &[(300, 100)], "extremes"),
        (
            spread(100, 256, 300, 30_000),
            &[(257, 50), (300, 30), (301, 20)],
            "upper end",
        ),
        (spread(100, 300, 300, 30_001), &[(301, 100)], "sum"),
    ] {
        let error = told(spread, values).unwrap_err();
        assert!(error.contains(why), "{error} and not {why}");
    }
    // 300 needs nine bits: buckets are two wide, and its own ends at 301.
    assert!(told(spread(100, 300, 300, 30_000), &[(301, 100)]).is_ok());
}

#[test]
fn sums_saturate() {
    let mut one = Summary {
        frames: u64::MAX - 1,
        ..Summary::default()
    };
    one.merge(&Summary {
        frames: 5,
        ..Summary::default()
    });
    assert_eq!(one.frames, u64::MAX);
}

fn seen(list: &[(u64, u64, i64, i64)]) -> Sightings {
    let mut list: Vec<Sighting> = list
        .iter()
        .map(|(conversation, part, first, last)| Sighting {
            conversation: *conversation,
            part: *part,
            first: Timestamp::from_nanos(*first),
            last: Timestamp::from_nanos(*last),
        })
        .collect();
    list.sort_unstable();
    Sightings::from_list(list).unwrap()
}

#[test]
fn a_conversation_in_two_parts_at_the_same_time_is_noticed() {
    let common = |list: &[(u64, u64, i64, i64)]| {
        let Common {
            of,
            twice,
            repeated,
        } = seen(list).common();
        (of, twice, repeated)
    };
    // One after the other is one that goes on.
    assert_eq!(
        common(&[(1, 10, 0, 5), (1, 20, 6, 9), (2, 10, 0, 9)]),
        (2, 0, false)
    );
    assert_eq!(
        common(&[(1, 10, 0, 5), (1, 20, 5, 9), (2, 10, 0, 9)]),
        (2, 1, false)
    );
    // The long one overlaps with what comes behind a short one.
    assert_eq!(
        common(&[
            (1, 10, 0, 50),
            (1, 20, 60, 70),
            (1, 30, 1, 2),
            (1, 40, 40, 41)
        ]),
        (1, 1, false)
    );
    assert_eq!(common(&[(7, 10, 0, 5), (7, 10, 0, 5)]), (1, 1, true));
}

fn place(name: &str) -> Label {
    Label {
        by: Grouping::Share,
        server: Endpoint::mac([1; 6]),
        share: None,
        name: Arc::from(name),
    }
}

prop_compose! {
    fn part()(
        numbers in proptest::array::uniform8(any::<u64>()),
        values in proptest::collection::vec(prop_oneof![-5i64..200, 0i64..i64::MAX], 0..90),
        key in 0u32..3,
        stamps in (0i64..50, 0i64..50),
        conversations in proptest::collection::vec((0u64..9, 0i64..9, 0i64..9), 0..5),
        number in any::<u64>(),
    ) -> Summary {
        let [a, b, c, d, e, f, g, h] = numbers;
        let times = whole(&values);
        let counts = Counts { requests: a, answered: b, ..Counts::default() };
        let operation = OperationSum {
            counts,
            turnaround: times.clone(),
            response_time: times.clone(),
            request_transfer: *times.spread(),
            data_bytes: c,
            moving_bytes: e,
            moving_ns: i128::from(d),
            ..OperationSum::default()
        };
        let operation_key = OperationKey {
            server: Endpoint::mac([1; 6]),
            protocol: "proto",
            carrier: ["a", "b", "c"][key as usize],
            command: "READ",
            code: key,
            kind: Kind::Read,
        };
        let station = StationSum { counts, turnaround: times, data_bytes: e, ..StationSum::default() };
        let ledger = LedgerSum { ledger: Ledger::from_parts([a, b, c, d, e, f, g, h, a, b]).with_network(Bounds { low: b, high: c }, Bounds { low: d, high: e }).with_client_within_requests(h), turnarounds: f, pauses: g };
        let client = Endpoint::mac([2, 0, 0, 0, 0, key as u8]);
        let pair = PairKey { client, server: Endpoint::mac([1; 6]) };
        let mut histogram = Histogram::default();
        values.iter().for_each(|ns| histogram.record(*ns));
        let list: Vec<_> = conversations
            .into_iter()
            .map(|(conversation, from, long)| (conversation, number, from, from + long))
            .collect();
        Summary {
            parts: 1,
            frames: a,
            bytes: b,
            first: Some(Timestamp::from_nanos(stamps.0)),
            last: (key > 0).then_some(Timestamp::from_nanos(stamps.1)),
            covered_ns: h,
            conversations: g,
            faults: [("snapped", a), ("gaps", b)].into_iter().skip(key as usize).collect(),
            protocols: [("one", c)].into_iter().skip(key as usize).collect(),
            attribution: Attribution { transactions: a, control: b, other: c, duplicates: d },
            operations: [(operation_key, operation)].into(),
            stations: [(client, station)].into(),
            pairs: [(pair, ledger)].into(),
            places: [(place(["A", "b", "B"][key as usize]), PlaceSum { counts, ..PlaceSum::default() })].into(),
            turnaround: histogram,
            response_time: histogram,
            excluded: [(("turnaround", "raw"), h)].into(),
            sightings: seen(&list),
        }
    }
}

fn sum<'a>(parts: impl IntoIterator<Item = &'a Summary>) -> Summary {
    let mut sum = Summary::default();
    parts.into_iter().for_each(|part| sum.merge(part));
    sum
}

proptest! {
    /// The sum depends neither on the order of the parts nor on their grouping.
    #[test]
    fn merging_is_associative_and_commutative(parts in proptest::collection::vec(part(), 3..6), at in 1usize..3) {
        let forth = sum(&parts);
        let back = sum(parts.iter().rev());
        prop_assert_eq!(&back, &forth);
        // Equal labels may be spelled in two ways.
        let spelled = |of: &Summary| of.places.keys().map(|key| key.name.to_string()).collect::<Vec<_>>();
        prop_assert_eq!(spelled(&back), spelled(&forth));
        prop_assert!(spelled(&forth).len() < 3, "b is B: {:?}", spelled(&forth));
        let (left, right) = parts.split_at(at);
        prop_assert_eq!(&sum(&[sum(left), sum(right)]), &forth);
        prop_assert_eq!(&sum(&[sum(right), sum(left)]), &forth);
        prop_assert_eq!(&sum(&[Summary::default(), forth.clone()]), &forth);
        prop_assert_eq!(forth.parts, parts.len() as u64);
    }

    /// Whichever value was in which part: the figures of all of them at once.
    #[test]
    fn times_in_parts_are_those_of_the_whole(
        values in proptest::collection::vec((prop_oneof![-9i64..9, 0i64..1 << 40], 0usize..3), 0..200)
    ) {
        let mut sum = Timing::default();
        for part in [2, 0, 1] {
            let part: Vec<i64> = values.iter().filter(|(_, p)| *p == part).map(|(ns, _)| *ns).collect();
            sum.merge(&whole(&part));
        }
        let all: Vec<i64> = values.iter().map(|(ns, _)| *ns).collect();
        let mut judge = Distribution::default();
        all.iter().for_each(|ns| judge.record(*ns));
        prop_assert_eq!(sum.times(), judge.times());
        prop_assert_eq!(&sum, &whole(&all));
        let again = Timing::from_parts(*sum.spread(), sum.values().to_vec());
        prop_assert_eq!(again, Ok(sum));
        let exact = all.len() <= EXACT_VALUES;
        prop_assert!(exact || Sample::counted(whole(&all).values().iter().copied(), Fidelity::Rounded).n() > 64);
    }

    /// Sightings are the same in any order, however many there are.
    #[test]
    fn sightings_are_a_choice_that_does_not_depend_on_the_order(numbers in proptest::collection::vec(any::<u64>(), 0..40)) {
        let one = |n: u64| seen(&[(n, n, 0, 1)]);
        let mut forth = Sightings::default();
        numbers.iter().for_each(|n| {
            forth.merge(&one(*n));
        });
        let mut back = Sightings::default();
        numbers.iter().rev().for_each(|n| {
            back.merge(&one(*n));
        });
        prop_assert_eq!(forth, back);
    }
}

#[test]
fn a_summary_is_graded_by_its_sums() {
    let mut sum = Summary {
        frames: 1000,
        faults: [("dropped", 5)].into(),
        ..Summary::default()
    };
    assert_eq!(sum.quality().0, Grade::Fair);
    // 15 of 1005.
    sum.merge(&Summary {
        frames: 5,
        faults: [("dropped", 10)].into(),
        ..Summary::default()
    });
    let (grade, reasons) = sum.quality();
    assert_eq!((grade, reasons[0].count), (Grade::Poor, 15));
}

impl Conversations {
    /// Two more than are kept.
    pub(crate) fn overrun() -> u64 {
        let mut seen = Conversations::default();
        let at = Timestamp::from_nanos(0);
        for n in 0..SIGHTINGS_KEPT as u32 + 2 {
            let client = Endpoint::mac([2, 0, 0, (n >> 16) as u8, (n >> 8) as u8, n as u8]);
            let server = Endpoint::mac([2, 1, 0, 0, 0, 9]);
            seen.saw([client, server], "toy_link", (at, at));
        }
        seen.beyond
    }
}

/// Whatever is left out when parts are added is counted, in whatever order they come.
#[test]
fn sightings_without_room_are_counted() {
    let part = |from: u64| {
        let sightings = (from..from + SIGHTINGS_KEPT as u64).map(|n| (n, 1, 0, 1));
        Summary {
            sightings: seen(&sightings.collect::<Vec<_>>()),
            ..Summary::default()
        }
    };
    let sum = |parts: [u64; 3]| {
        let mut sum = Summary::default();
        for from in parts {
            sum.merge(&part(from));
        }
        let (grade, reasons) = sum.quality();
        assert_eq!(grade, Grade::Good);
        let found = reasons.iter().find(|reason| reason.name == "sightings");
        found.map(|reason| reason.count)
    };
    assert_eq!(sum([0, 10_000, 20_000]), Some(2 * SIGHTINGS_KEPT as u64));
    assert_eq!(sum([20_000, 0, 10_000]), sum([0, 10_000, 20_000]));
}

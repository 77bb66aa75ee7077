use super::*;
use proptest::prelude::*;
use wirewait_wire::{Address, Claim, Dissector};

/// Ethernet's costs: perf definitions, section 7.
static LINK: Dissector = Dissector {
    name: "link",
    claims: &[Claim::Exact(LinkType::ETHERNET.key())],
    medium: Some(Medium {
        shortest: 60,
        longest: Some(1518),
        check: 4,
        preamble: 8,
        gap: 12,
        duplex_from: Some(1_000_000_000),
    }),
    ..Dissector::PLAIN
};

static LINKS: [&Dissector; 1] = [&LINK];

const A: Address = Address::Mac([2, 0, 0, 0, 0, 1]);
const B: Address = Address::Mac([2, 0, 0, 0, 0, 2]);

/// A frame: when (µs), how long, on which interface, from whom to whom (nobody: to everyone).
type Sent = (i64, u32, u32, Address, Option<Address>);

fn segments(link_speed: Option<u64>, duplex: Option<Duplex>) -> Segments {
    Segments::new(&Settings {
        link_speed,
        duplex,
        ..Settings::default()
    })
}

fn capture(segments: &mut Segments, frames: &[Sent], link: LinkType) -> Segment {
    let registry = Registry::new(&LINKS).unwrap();
    for (micros, wire_len, interface, from, to) in frames {
        let mut walk = Walk::default();
        walk.neighbours = (*from, to.unwrap_or(Address::Mac([255; 6])));
        walk.facts.cast = match to {
            Some(_) => Cast::Unicast,
            None => Cast::Broadcast,
        };
        let frame = Frame {
            at: Timestamp::from_nanos(micros * 1000),
            link,
            interface: *interface,
            wire_len: *wire_len,
            bytes: &[],
        };
        segments.frame(&frame, &walk, false, &registry);
    }
    segments.found()
}

fn one(speed: Option<u64>, duplex: Option<Duplex>, frames: &[Sent]) -> SegmentRow {
    let found = capture(&mut segments(speed, duplex), frames, LinkType::ETHERNET);
    assert_eq!(found.interfaces, std::slice::from_ref(&found.together));
    found.together
}

/// Four frames with 60, 42 (padded to 60), 1514 and 64 bytes.
const FOUR: [Sent; 4] = [
    (0, 60, 0, A, Some(B)),
    (10_000, 42, 0, B, Some(A)),
    (20_000, 1514, 0, A, Some(B)),
    (999_000, 64, 0, A, None),
];

#[test]
fn four_frames_in_four_variants() {
    let row = one(None, None, &FOUR);
    assert_eq!((row.captured.frames, row.captured.bytes), (4, 1680));
    // D: 60 + 60 + 1514 + 64; A: 4 more each; B: 8 more each; C: 12 more each.
    assert_eq!(
        row.bytes,
        WireBytes {
            without_check: 1698,
            data_link: 1714,
            with_preamble: 1746,
            on_wire: 1794,
        }
    );
    // With check sequence: 64, 64, 1518, 68.
    assert_eq!(row.sizes, [2, 1, 0, 0, 0, 1, 0]);
    assert_eq!((row.broadcast.frames, row.broadcast.bytes), (1, 88));
    assert_eq!((row.oversize, row.bare), (0, 0));
    // 1794 bytes in 0.999 s.
    assert_eq!(row.rate(), Some(1795));
    assert_eq!(
        row.all.utilisation, None,
        "nobody said how fast the link is"
    );
    assert_eq!(row.all.peak_utilisation, [None; 3]);
    assert_eq!(row.spacing, None);
}

#[test]
fn utilisation_of_ten_megabits() {
    let row = one(Some(10_000_000), None, &FOUR);
    assert_eq!(row.speed, Some((10_000_000, KnownBy::Given)));
    assert_eq!(row.duplex, Some((Duplex::Half, KnownBy::Assumed)));
    // The last frame lasts 88 x 0.8 = 70.4 µs: 8 x 1794 / (10^7 x 0.9990704) = 0.001436535.
    assert_eq!(row.all.utilisation, Some(1437));
    // 10 ms from 0.020 s: 8 x 1538 / 10^5; 100 ms and 1 s from 0: 84 + 84 + 1538, and all.
    let shown: Vec<_> = row
        .all
        .peaks
        .iter()
        .zip(row.all.peak_utilisation)
        .map(|(p, u)| (p.begins.as_nanos(), p.frames, p.bytes, u))
        .collect();
    assert_eq!(
        shown,
        [
            (20_000_000, 1, 1538, Some(123_040)),
            (0, 3, 1706, Some(13_648)),
            (0, 4, 1794, Some(1435)),
        ]
    );
    assert_eq!(
        row.spacing,
        Some(Spacing {
            pairs: 3,
            too_close: 0
        })
    );
    assert_eq!(
        (row.course.width_ns, row.course.buckets.len()),
        (10_000_000, 100)
    );
}

#[test]
fn each_direction_has_its_own_way_in_full_duplex() {
    let row = one(Some(10_000_000), Some(Duplex::Full), &FOUR);
    assert_eq!(row.all.utilisation, None, "directions are never added");
    let ways = row.directions.unwrap();
    assert_eq!(ways.station.address, A);
    assert_eq!(
        (ways.from.total.bytes, ways.to.total.bytes),
        (84 + 1538 + 88, 84)
    );
    assert_eq!(ways.from.peak_utilisation[0], Some(123_040));
    // 8 x 84 / 10^5.
    assert_eq!(ways.to.peak_utilisation[0], Some(6720));
    assert_eq!(row.spacing.map(|s| s.pairs), Some(2), "0, 20 and 999 ms");

    // A third station on both sides: nobody can say which way a frame went.
    let c = Address::Mac([2, 0, 0, 0, 0, 3]);
    let many = [FOUR[0], (1, 60, 0, B, Some(c)), (2, 60, 0, c, Some(A))];
    let row = one(Some(10_000_000), Some(Duplex::Full), &many);
    assert_eq!((row.directions, row.all.utilisation), (None, None));
    assert_eq!(row.spacing, None);
}

#[test]
fn directions_that_overlap_have_a_way_each() {
    // 1538 bytes take 123.04 µs at 100 Mbit/s.
    let crossing = [
        (0, 1514, 0, A, Some(B)),
        (10, 1514, 0, B, Some(A)),
        (200, 1514, 0, A, Some(B)),
        (210, 1514, 0, B, Some(A)),
    ];
    let row = one(Some(100_000_000), None, &crossing);
    assert_eq!(row.duplex, Some((Duplex::Full, KnownBy::Capture)));
    // Frames of one direction overlap too: these are no stamps of a wire.
    let row = one(Some(10_000_000), None, &crossing);
    assert_eq!(row.duplex, Some((Duplex::Half, KnownBy::Assumed)));
    assert_eq!(row.spacing.unwrap().too_close, 3);
    let row = one(Some(1_000_000_000), None, &FOUR);
    assert_eq!(row.duplex, Some((Duplex::Full, KnownBy::Assumed)));
}

#[test]
fn a_speed_is_bounded_and_not_guessed() {
    // Eight frames of 1538 bytes in 10 ms; the first may have been sent before that.
    let burst: Vec<Sent> = (0..8).map(|n| (n * 1000, 1514, 0, A, None)).collect();
    let row = one(None, Some(Duplex::Half), &burst);
    assert_eq!(row.speed, None);
    // 7 x 1538 x 8 / 0.01.
    assert_eq!(row.speed_at_least, Some(8_612_800));
    let row = one(None, None, &burst);
    assert_eq!(row.speed_at_least, Some(4_306_400), "half of it each way");
    let row = one(None, None, &FOUR[..1]);
    assert_eq!(row.speed_at_least, None);
}

#[test]
fn what_the_capture_says_of_a_link_holds_unless_the_user_knows_better() {
    let speed_of = |given| {
        let mut segments = segments(given, None);
        segments.speed(0, 4_000_000);
        capture(&mut segments, &FOUR, LinkType::ETHERNET)
            .together
            .speed
    };
    assert_eq!(speed_of(None), Some((4_000_000, KnownBy::Capture)));
    assert_eq!(speed_of(Some(10)), Some((10, KnownBy::Given)));
}

#[test]
fn a_link_of_unknown_framing_has_no_utilisation() {
    let mut segments = segments(Some(10_000_000), None);
    let row = capture(&mut segments, &FOUR, LinkType::RAW).together;
    assert_eq!(row.bare, 4);
    assert_eq!((row.speed, row.all.utilisation), (None, None));
    assert_eq!((row.bytes.on_wire, row.bytes.data_link), (1680, 1680));
}

#[test]
fn frames_that_are_too_long_are_told() {
    let row = one(
        None,
        None,
        &[(0, 1518, 0, A, None), (1, 65_000, 0, A, None)],
    );
    assert_eq!(row.oversize, 1, "1518 is a full frame with a tag");
    // Without headers that are known: 65,000 in parts of 1514 are 42.93.
    assert_eq!(row.oversize_on_wire, 43);
    assert_eq!(row.sizes, [0, 0, 0, 0, 0, 0, 2]);
}

/// No protocol but IP has messages of 262,144 bytes (IPv6 has, RFC 2675): the length is damaged. A datagram that
/// fills what a header can state is not.
#[test]
fn a_length_that_nothing_has_is_damaged() {
    let row = one(
        None,
        None,
        &[(0, 262_144, 0, A, None), (1, 65_536, 0, A, None)],
    );
    assert_eq!((row.oversize, row.oversize_on_wire), (0, 0));
    let row = one(None, None, &[(0, 65_535, 0, A, None)]);
    assert_eq!(row.oversize, 1);
}

#[test]
fn a_copy_takes_no_time_on_its_link() {
    let registry = Registry::new(&LINKS).unwrap();
    let mut segments = segments(None, None);
    let frame = Frame {
        at: Timestamp::default(),
        link: LinkType::ETHERNET,
        interface: 0,
        wire_len: 100,
        bytes: &[],
    };
    segments.frame(&frame, &Walk::default(), false, &registry);
    segments.frame(&frame, &Walk::default(), true, &registry);
    let row = segments.found().together;
    assert_eq!((row.captured.frames, row.captured.bytes), (2, 200));
    assert_eq!((row.copies.frames, row.copies.bytes), (1, 100));
    assert_eq!((row.frames(), row.bytes.on_wire), (1, 124));
}

#[test]
fn the_busiest_link_at_its_busiest() {
    let frames = [
        (0, 1514, 0, A, None),
        (0, 60, 1, A, None),
        (1, 60, 1, A, None),
    ];
    let found = capture(
        &mut segments(Some(10_000_000), None),
        &frames,
        LinkType::ETHERNET,
    );
    let busiest = found.busiest(1_000_000_000).unwrap();
    // 8 x 1538 / 10^7.
    assert_eq!((busiest.interface, busiest.utilisation), (0, 1230));
    assert_eq!(found.busiest(5), None);
    assert_eq!(Segment::default().busiest(1_000_000_000), None);
    assert_eq!(found.together.all.utilisation, None, "of two links none");
    assert_eq!(found.together.all.peaks[2].bytes, 1538 + 84 + 84);
}

proptest! {
    #[test]
    fn parts_sum_to_the_whole(
        sent in prop::collection::vec(
            (0..20_000_000i64, 0..3000u32, 0..4u32, 0..3u8, prop::option::of(0..3u8)),
            0..80,
        ),
        duplex in prop_oneof![Just(None), Just(Some(Duplex::Half)), Just(Some(Duplex::Full))],
    ) {
        let station = |n: u8| Address::Mac([2, 0, 0, 0, 0, n]);
        let frames: Vec<Sent> = sent
            .iter()
            .map(|(at, n, i, from, to)| (*at, *n, *i, station(*from), to.map(station)))
            .collect();
        let found = capture(
            &mut segments(Some(100_000_000), duplex),
            &frames,
            LinkType::ETHERNET,
        );
        // Of one interface alone the whole is that one.
        let whole: u64 = frames.iter().map(|f| u64::from(f.1.max(60)) + 24).sum();
        let count = frames.len() as u64;
        let rows = &found.interfaces;
        prop_assert_eq!(found.together.bytes.on_wire, whole);
        prop_assert_eq!(found.together.frames(), count);
        prop_assert_eq!(rows.iter().map(|r| r.bytes.on_wire).sum::<u64>(), whole);
        for row in rows.iter().chain([&found.together]) {
            let course: u64 = row.course.buckets.iter().map(|b| b.bytes).sum();
            prop_assert_eq!(course, row.bytes.on_wire);
            prop_assert_eq!(row.all.total.bytes, row.bytes.on_wire);
            prop_assert_eq!(row.sizes.iter().sum::<u64>(), row.frames());
            prop_assert_eq!(row.bytes.data_link, row.bytes.without_check + 4 * row.frames());
            let [narrow, middle, wide] = row.all.peaks.map(|p| p.bytes);
            prop_assert!(narrow <= middle && middle <= wide && wide <= row.bytes.on_wire);
            if let Some(ways) = row.directions {
                let mut sum = ways.before;
                sum += ways.from.total;
                sum += ways.to.total;
                prop_assert_eq!(sum, row.all.total);
            }
        }
    }
}

impl Segments {
    /// A frame of the last interface that counts apart, and two of further ones.
    pub(crate) fn overrun() -> Hits {
        let mut segments = segments(None, None);
        let numbers = [0, 1, 2].map(|n| INTERFACES as u32 - 1 + n);
        let frames = numbers.map(|interface| (0, 100, interface, A, Some(B)));
        let found = capture(&mut segments, &frames, LinkType::ETHERNET);
        let last = found.interfaces.last().unwrap();
        assert_eq!(
            (found.interfaces.len(), last.captured.frames),
            (INTERFACES, 3)
        );
        segments.hits
    }
}

use super::*;
use crate::format::tests::read_good;

/// A frame whose bytes tell its number.
fn bytes(number: u64) -> Vec<u8> {
    vec![number as u8; (number * 37 % 101) as usize]
}

fn frame(number: u64, bytes: &[u8]) -> Frame<'_> {
    Frame {
        at: Timestamp::from_nanos(number as i64 * 1000),
        link: LinkType(number as u16 % 7),
        interface: number as u32 % 3,
        wire_len: 1000 + number as u32,
        bytes,
    }
}

fn push(recent: &mut Recent, number: u64) {
    recent.push(number, &frame(number, &bytes(number)));
}

fn same(a: &Frame<'_>, b: &Frame<'_>) -> bool {
    (a.at, a.link, a.interface, a.wire_len, a.bytes)
        == (b.at, b.link, b.interface, b.wire_len, b.bytes)
}

#[test]
fn the_latest_frames_are_kept_whole_and_are_found_by_their_numbers() {
    for room in [200, 2_064, 5_000, 20_640, 100_000] {
        let mut recent = Recent::new(room);
        // What is kept, done in the simplest way.
        let mut simple: VecDeque<u64> = VecDeque::new();
        for n in 1..2_000u64 {
            // Some numbers are those of frames that a filter left out.
            if n % 5 == 0 {
                continue;
            }
            push(&mut recent, n);
            if recent.memory.is_empty() {
                continue;
            }
            simple.push_back(n);
            let kept = recent.kept();
            while simple.len() as u64 > kept.frames {
                simple.pop_front();
            }
            assert_eq!(simple.len() as u64, kept.frames);
            assert_eq!(kept.last.map(|(number, _)| number), Some(n));
            assert_eq!(
                kept.first.map(|(number, _)| number),
                simple.front().copied()
            );
            let bytes: u64 = simple.iter().map(|n| bytes(*n).len() as u64).sum();
            assert_eq!(kept.bytes, bytes);
            assert_eq!(kept.gone + kept.frames, n - n / 5);
            if n % 97 == 0 {
                let numbers: Vec<u64> = recent.iter().map(|(number, _)| number).collect();
                assert!(numbers.iter().eq(&simple), "{numbers:?} {simple:?}");
                for wanted in 0..n + 70 {
                    let found = recent.get(wanted);
                    assert_eq!(found.is_some(), simple.contains(&wanted), "{wanted} {n}");
                    let bytes = self::bytes(wanted);
                    assert!(found.is_none_or(|f| same(&f, &frame(wanted, &bytes))));
                }
            }
        }
        // What is free: the end, where the next one did not fit, and what the last one did not
        // need of the place that was made for it.
        let kept = recent.kept();
        let used = kept.bytes + kept.frames * HEADER as u64;
        assert!(
            used + 2 * 133 > kept.room || kept.room == 0,
            "{used} of {}",
            kept.room
        );
    }
}

#[test]
fn the_room_is_never_exceeded_and_no_memory_is_asked_for_again() {
    let room = 1 << 20;
    let mut recent = Recent::new(room);
    let capacity = (recent.memory.capacity(), recent.marks.capacity());
    let whole = capacity.0 + capacity.1 * size_of::<Mark>();
    assert!(
        whole <= room + 2 * size_of::<Mark>() && whole > room * 99 / 100,
        "{whole}"
    );
    // Frames of no bytes need the most marks.
    for n in 1..100_000 {
        recent.push(n, &frame(n, b""));
    }
    for n in 100_000..200_000 {
        push(&mut recent, n);
    }
    assert_eq!(
        capacity,
        (recent.memory.capacity(), recent.marks.capacity())
    );
}

#[test]
fn ranges_and_times_choose() {
    let mut recent = Recent::new(100_000);
    (1..=300).for_each(|n| push(&mut recent, n));
    let numbers = |frames: Vec<(u64, Frame<'_>)>| -> Vec<u64> {
        frames.iter().map(|(number, _)| *number).collect()
    };
    let range = numbers(recent.range(70..=140).collect());
    assert!(range.into_iter().eq(70..=140));
    let since = numbers(recent.since(Timestamp::from_nanos(290_000)).collect());
    assert!(since.into_iter().eq(290..=300));
    assert_eq!(numbers(recent.range(299..=u64::MAX).collect()), [299, 300]);
    assert_eq!(
        numbers(recent.these([1, 64, 65, 301, 3]).collect()),
        [1, 64, 65, 3]
    );
    assert_eq!(recent.range(301..=400).count(), 0);
}

#[test]
fn without_room_nothing_is_kept() {
    for room in [0, 31, 100] {
        let mut recent = Recent::new(room);
        push(&mut recent, 1);
        assert_eq!(recent.kept().frames, 0);
        assert_eq!(recent.kept().room, 0);
        assert!(recent.get(1).is_none() && recent.iter().next().is_none());
    }
    // A frame that is larger than everything is gone at once; the others stay.
    let mut recent = Recent::new(2_064);
    push(&mut recent, 1);
    recent.push(2, &frame(2, &[0; 2_017]));
    push(&mut recent, 3);
    let kept = recent.kept();
    assert_eq!((kept.frames, kept.gone), (2, 1));
    assert!(recent.get(2).is_none());
    recent.push(4, &frame(4, &[4; 2_016]));
    assert_eq!(recent.get(4).map(|f| f.bytes.len()), Some(2_016));
    assert_eq!(recent.kept().frames, 1);
}

#[test]
fn numbers_that_do_not_rise_begin_anew() {
    let mut recent = Recent::new(10_000);
    (1..=20).for_each(|n| push(&mut recent, n));
    push(&mut recent, 1);
    assert_eq!(recent.iter().count(), 1);
    assert_eq!(recent.kept().gone, 0);
}

#[test]
fn a_selection_is_a_file_with_comments() {
    let mut recent = Recent::new(100_000);
    (1..=9).for_each(|n| push(&mut recent, n));
    let interfaces = [0, 1, 2].map(|n| Description {
        name: Some(format!("eth{n}")),
        ..Description::of(LinkType(n))
    });
    let chosen = recent.these([1, 2, 4, 8, 100]);
    let comment = |n| (n == 4).then(|| "transaction 3: request".to_owned());
    let mut file = Vec::new();
    assert_eq!(
        save(&mut file, "wirewait", &interfaces, chosen, comment).unwrap(),
        4
    );
    let (frames, described) = read_good(&file);
    let got: Vec<_> = frames
        .iter()
        .map(|f| (f.nanos, f.link, f.bytes.len()))
        .collect();
    assert_eq!(
        got,
        [(1000, 1, 37), (2000, 2, 74), (4000, 4, 47), (8000, 1, 94)]
    );
    let names: Vec<_> = described.list().iter().map(|i| i.name.as_deref()).collect();
    // Number 4 is of a link that interface 1 is not described with, and 8 of interface 2.
    assert_eq!(names, [Some("eth1"), Some("eth2"), None, None]);
    let text = b"transaction 3: request";
    assert_eq!(
        file.windows(text.len()).filter(|part| part == text).count(),
        1
    );
}

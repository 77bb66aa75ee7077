//! Captures whose headers can be read in more than one way, and the answer to each: what is
//! called confirmed is the field that the header has, exactly.

mod random;
mod traffic;

use super::*;
use proptest::prelude::*;
use random::{Filler, Others, Placed, fillers, placed, traffic};
use traffic::{TRAFFIC, Told, Traffic, begin, header};
use wirewait_wire::{Confidence, Form};

fn row<'a>(found: &'a Findings, message: &str, field: &str) -> &'a LayoutRow {
    let mut rows = found.rows.iter();
    rows.find(|row| row.message == message && row.field == field)
        .unwrap_or_else(|| panic!("{message} {field}: {:?}", found.notes))
}

/// The row is assumed, and says which other reading fits.
fn assumed(found: &Findings, message: &str, field: &str, says: &str) {
    let row = row(found, message, field);
    assert_eq!(row.confidence, Confidence::Assumed, "{row}");
    assert!(row.source.contains(says), "{says}\n{row}");
}

fn confirmed(found: &Findings) -> Vec<String> {
    let rows = found.rows.iter();
    let sure = rows.filter(|row| row.confidence == Confidence::CaptureConfirmed);
    let place = |row: &LayoutRow| {
        format!(
            "{} {} {} {}",
            row.message,
            row.field,
            row.offset.unwrap_or_default(),
            row.bits.unwrap_or_default()
        )
    };
    sure.map(place).collect()
}

const HIGH: &str = "it did not count beyond 255: bytes beside it may be its high ones";

/// A segment number of 16 bits whose high byte was always 0, in either order, is no number of 8.
#[test]
fn a_segment_of_16_bits_is_not_confirmed_as_8() {
    for big in [true, false] {
        let found = TRAFFIC.findings(|told| {
            let segment = told.segment as u16;
            let segment = if big {
                segment.to_be_bytes()
            } else {
                segment.to_le_bytes()
            };
            header(
                told,
                &[told.transaction as u8, 0, 0, 0, segment[0], segment[1]],
            )
        });
        let low = if big { 13 } else { 12 };
        assert_eq!(row(&found, "response", "segment").offset, Some(low));
        assumed(&found, "response", "segment", HIGH);
        assumed(&found, "request", "segment", "no request went on");
        // The transaction stands as it did.
        assert_eq!(
            confirmed(&found),
            ["request transaction 8 8", "response transaction 8 8"]
        );
    }
}

/// Where messages have more than 256 frames, no byte beside it is its high one; and what requests
/// do is said by requests alone.
#[test]
fn a_segment_is_confirmed_beyond_256_frames_of_each_direction() {
    let traffic = Traffic {
        requests: 100,
        long: 30,
        most: 60,
        longest: 60 * 300,
        ..TRAFFIC
    };
    let by = |traffic: Traffic, wide: bool| {
        let found = traffic.findings(|told| {
            let [low, high] = (told.segment as u16).to_le_bytes();
            let high = if wide { high } else { 7 };
            header(told, &[told.transaction as u8, 0, 0, 0, low, high])
        });
        let rows = confirmed(&found);
        (rows, found)
    };
    let (rows, found) = by(traffic, false);
    assert_eq!(rows, ["response segment 12 8"]);
    assumed(&found, "request", "segment", "no request went on");
    let both = Traffic {
        writes: true,
        ..traffic
    };
    assert_eq!(
        by(both, false).0,
        ["request segment 12 8", "response segment 12 8"]
    );
    // One of 16 bits does not count as its low byte does, and its low byte is not the whole.
    let (rows, found) = by(both, true);
    assert!(rows.is_empty(), "{rows:?}");
    assumed(
        &found,
        "request",
        "segment",
        "bit 0 of byte 13 changed when it began anew: it may go on there",
    );
}

/// 15 bits of a sequence below a bit that answers set.
#[test]
fn a_bit_of_the_direction_hides_no_high_bits() {
    let found = TRAFFIC.findings(|told| {
        let direction = if told.kind == 2 { 0x8000 } else { 0 };
        let mut bytes = begin(told, 0);
        bytes.extend((told.sequence as u16 & 0x7fff | direction).to_be_bytes());
        bytes.resize(20, 0);
        bytes
    });
    assert!(confirmed(&found).is_empty(), "{:?}", confirmed(&found));
    assumed(
        &found,
        "request",
        "sequence",
        "bit 0 of byte 8 changed when it began anew: it may go on there",
    );
}

/// 12 bits of a sequence and 4 of a slot in one word: the same slot always, or two in turn.
#[test]
fn a_slot_in_the_word_of_a_sequence_is_no_part_of_it() {
    let found = |slots: u32| {
        TRAFFIC.findings(|told| {
            let slot = 5 + told.nth % slots;
            header(
                told,
                &((told.sequence & 0xfff | slot << 12) as u16).to_le_bytes(),
            )
        })
    };
    let one = found(1);
    assert!(confirmed(&one).is_empty(), "{:?}", confirmed(&one));
    assumed(
        &one,
        "request",
        "sequence",
        "new ones never change its bits 9 to 15: they may be another field",
    );
    let two = found(2);
    assert!(confirmed(&two).is_empty(), "{:?}", confirmed(&two));
    assumed(
        &two,
        "request",
        "sequence",
        "bit 0 of byte 9 changed when it began anew: it may go on there",
    );
}

/// A slot and a count of copies in one byte: 3 bits of copies, or 1, below the number of the request.
#[test]
fn a_count_of_copies_below_a_number_is_no_part_of_it() {
    for bits in [1, 3, 4] {
        let found = TRAFFIC
            .findings(|told| header(told, &[((told.transaction << bits) | told.copy) as u8]));
        assert!(
            confirmed(&found).is_empty(),
            "{bits} {:?}",
            confirmed(&found)
        );
    }
}

/// 6 bits that count above two that never change, and 4 below 4.
#[test]
fn bits_that_never_change_are_another_field() {
    let found = TRAFFIC.findings(|told| header(told, &[(told.transaction << 2 | 1) as u8]));
    assert!(confirmed(&found).is_empty(), "{:?}", confirmed(&found));
    assumed(
        &found,
        "request",
        "transaction",
        "new ones never change its bits 0 to 1: they may be another field",
    );
    let found = TRAFFIC.findings(|told| header(told, &[0x30 | told.transaction as u8 & 15]));
    assert!(confirmed(&found).is_empty(), "{:?}", confirmed(&found));
    // Clients that take numbers in turn each see an even one, or an odd one.
    let found =
        TRAFFIC.findings(|told| header(told, &[(told.nth * 2 + u32::from(told.client)) as u8]));
    assert!(confirmed(&found).is_empty(), "{:?}", confirmed(&found));
}

/// A time that is brought back, in units in which requests are few, and copies many.
#[test]
fn a_time_leaps_where_a_copy_is_late() {
    let found = TRAFFIC.findings(|told| {
        let time = told.nth * 2 + told.sequence / 100 * 500 + told.copy * 250;
        header(told, &(time as u16).to_le_bytes())
    });
    assert!(confirmed(&found).is_empty(), "{:?}", confirmed(&found));
}

/// A kind of 16 bits, one of 4 beside a version, and one of 8.
#[test]
fn a_kind_is_confirmed_by_bits_that_all_change() {
    let found = |kinds: [u8; 2], beside: u8| {
        TRAFFIC.findings(|told| {
            let kind = kinds[usize::from(told.kind) - 1];
            let counts = told.transaction as u8;
            match beside {
                // Between two bytes that change with each request.
                0 => vec![0, 0, counts, kind, counts ^ 0x55, 0],
                beside => vec![0, 0, counts, kind, beside, 0],
            }
        })
    };
    let both = ["request kind 3 8", "response kind 3 8"];
    let of_kind = |found: &Findings| -> Vec<String> {
        let rows = confirmed(found).into_iter();
        rows.filter(|row| row.contains("kind")).collect()
    };
    assert_eq!(of_kind(&found([0x0f, 0xf0], 0)), both);
    let wide = found([0x0f, 0xf0], 3);
    assert!(of_kind(&wide).is_empty());
    let says = "bits 0 to 7 of byte 4 say no more than it: it may go on there";
    assumed(&wide, "request", "kind", says);
    let nibble = found([0x31, 0x32], 0);
    assert!(of_kind(&nibble).is_empty());
    let says = "its bits 2 to 7 are the same in both: they may be another field";
    assumed(&nibble, "response", "kind", says);
}

/// A length of 11 bits below flags looks like one of 16 until a message is long enough.
#[test]
fn a_length_is_confirmed_as_far_as_it_was_seen() {
    let length = |most: usize| {
        let traffic = Traffic {
            requests: 200,
            most,
            longest: 65_000,
            ..TRAFFIC
        };
        traffic.findings(|told| vec![0, 0, 0x80 | told.kind, 3])
    };
    let says = "its bits 11 to 15 never changed: they may be another field";
    assumed(&length(1400), "any", "length", says);
    assert_eq!(confirmed(&length(65_100)), ["any length 0 16"]);
}

/// What has no other reading is confirmed: bytes that begin anew while nothing beside them counts.
#[test]
fn what_was_rightly_confirmed_stays() {
    let found = TRAFFIC.findings(|told| {
        header(
            told,
            &[told.sequence as u8, 7, told.transaction as u8, 0xff],
        )
    });
    assert_eq!(
        confirmed(&found),
        [
            "request sequence 8 8",
            "response sequence 8 8",
            "request transaction 10 8",
            "response transaction 10 8"
        ]
    );
    // A client that counts its requests to both servers: each of them sees every second number.
    let found = TRAFFIC.findings(|told| {
        let count = 2 * told.nth + u32::from(told.server) + 9 * u32::from(told.client);
        header(told, &[count as u8])
    });
    assert_eq!(
        confirmed(&found),
        ["request transaction 8 8", "response transaction 8 8"]
    );
    // Words that begin anew, in either order.
    let traffic = Traffic {
        sequence: 65_300,
        transaction: 65_400,
        ..TRAFFIC
    };
    for big in [true, false] {
        let found = traffic.findings(|told| {
            let both = [told.sequence as u16, told.transaction as u16];
            let both = both.map(|word| {
                if big {
                    word.to_be_bytes()
                } else {
                    word.to_le_bytes()
                }
            });
            header(told, &both.concat())
        });
        assert_eq!(
            confirmed(&found),
            [
                "request sequence 8 16",
                "response sequence 8 16",
                "request transaction 10 16",
                "response transaction 10 16"
            ]
        );
        let order = if big { Form::Be } else { Form::Le };
        assert_eq!(row(&found, "request", "sequence").form, Some(order));
    }
}

proptest! {
    /// Whatever the header is, what is called confirmed is one of its fields, exactly.
    #[test]
    fn what_is_confirmed_is_the_field(
        traffic in traffic(),
        numbers in [placed(), placed()],
        between in [fillers(), fillers(), fillers()],
        swapped in any::<bool>(),
    ) {
        let [first, second] = numbers;
        let header = |told: &Told| {
            let fill = |n: usize| between[n].iter().map(|filler| filler.byte(told));
            let both = [told.sequence, told.transaction];
            let [a, b] = if swapped { [both[1], both[0]] } else { both };
            let mut header = vec![0, 0];
            header.extend(fill(0));
            header.extend(first.put(told, a));
            header.extend(fill(1));
            header.extend(second.put(told, b));
            header.extend(fill(2));
            header
        };
        let found = traffic.findings(header);
        let names = if swapped { ["transaction", "sequence"] } else { ["sequence", "transaction"] };
        let at = 2 + between[0].len();
        let places = [at, at + first.bytes() + between[1].len()];
        // A byte between them that is another in requests than in responses, in all bits (0x55 and 0xaa), is a kind.
        let fills = [2, places[0] + first.bytes(), places[1] + second.bytes()];
        let is_kind = |offset: Option<u32>| {
            fills.iter().zip(&between).any(|(from, fillers)| {
                let mut fillers = fillers.iter().zip(*from..);
                fillers.any(|(filler, at)| {
                    matches!(filler, Filler::Direction(0x55)) && u32::try_from(at).ok() == offset
                })
            })
        };
        for row in &found.rows {
            if row.confidence != Confidence::CaptureConfirmed {
                continue;
            }
            if row.field.ends_with("kind") && is_kind(row.offset) {
                continue;
            }
            let is = |n: usize| {
                row.field.starts_with(names[n])
                    && row.offset == u32::try_from(places[n]).ok()
                    && row.bits == numbers[n].whole()
                    && (row.bits == Some(8)
                        || row.form == Some(if numbers[n].big { Form::Be } else { Form::Le }))
            };
            prop_assert!(is(0) || is(1), "{row}\n{traffic:?}\n{numbers:?}\n{between:?}");
        }
    }

    /// And where nothing else fits, it is confirmed.
    #[test]
    fn where_nothing_else_fits_it_is_confirmed(
        bytes in 1u32..3,
        big in any::<bool>(),
        front in prop::collection::vec(any::<u8>(), 0..6),
        behind in prop::collection::vec(any::<u8>(), 0..6),
        less in 20u32..200,
    ) {
        let traffic = Traffic {
            requests: 300,
            sequence: (1u32 << (8 * bytes)).wrapping_sub(less),
            ..TRAFFIC
        };
        let number = Placed { bits: 8 * bytes, shift: 0, others: Others::Constant(0), big };
        let found = traffic.findings(|told| {
            let mut header = vec![0, 0];
            header.extend(&front);
            header.extend(number.put(told, told.sequence));
            header.extend(&behind);
            header
        });
        let at = 2 + front.len();
        prop_assert_eq!(
            confirmed(&found),
            [
                format!("request sequence {at} {}", 8 * bytes),
                format!("response sequence {at} {}", 8 * bytes),
            ]
        );
    }
}

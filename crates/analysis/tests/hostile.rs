//! Frames that mean anything at all, in tables that are too small.

#[path = "../../../fuzz/checks/analyse.rs"]
mod analysis;
mod toy;

use analysis::Found;
use wirewait_analysis::Settings;
use wirewait_wire::{Frame, LinkType, Timestamp};

/// SplitMix64.
struct Dice(u64);

impl Dice {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.bits() % bound
    }
}

type Stamped = (i64, Vec<u8>);

fn run(frames: &[Stamped], settings: Settings) -> Found {
    let frames = frames.iter().map(|(at, bytes)| Frame {
        at: Timestamp::from_nanos(*at),
        link: LinkType(toy::LINK_TYPE),
        interface: 0,
        wire_len: bytes.len() as u32,
        bytes,
    });
    analysis::analyse(toy::registry, frames, settings)
}

fn narrow() -> Settings {
    let mut settings = Settings::default();
    settings.conversations = 4;
    settings.rows = 3;
    settings.slowest = 2;
    settings
}

/// A message; most of it is plain, some of it is anything.
fn message(dice: &mut Dice) -> Vec<u8> {
    let mut m = vec![0u8; toy::HEAD];
    for (at, byte) in m.iter_mut().enumerate() {
        let plain = match at {
            0 => dice.below(10),
            1 => [1, 2][dice.below(2) as usize],
            2 => dice.below(8),
            6 => dice.below(6),
            7 => 4,
            8 => 2,
            3..=5 => 0xff,
            13 => dice.below(4),
            _ => 0,
        };
        *byte = if dice.below(6) == 0 {
            dice.bits() as u8
        } else {
            plain as u8
        };
    }
    m.resize(toy::HEAD + [0, 8, 100, 3000][dice.below(4) as usize], 0);
    m
}

fn frames(dice: &mut Dice, n: usize) -> Vec<Stamped> {
    let mut at = 1_000_000_000_000i64;
    let mut next = [[0u8; 16]; 2];
    let mut seq = [[0u32; 16]; 2];
    let order = dice.below(4);
    (0..n)
        .map(|_| {
            at += match dice.below(50) {
                0 => -(dice.below(1_000_000_000) as i64),
                1 => dice.below(100_000_000_000) as i64,
                _ => dice.below(2_000_000) as i64,
            };
            let ends = dice.below(16) as u8;
            let order = if order == 3 { dice.below(3) } else { order } as u8;
            let mut b = vec![ends | order << 4 | (dice.below(2) as u8) << 6];
            match order {
                0 => b.extend(message(dice)),
                1 => {
                    let number = &mut next[0][usize::from(ends)];
                    *number = number.wrapping_add([1, 1, 1, 1, 2, 0][dice.below(6) as usize]);
                    let kind = [5, 6, 7, 7, 7, 7, 7, 0, 2, 3][dice.below(10) as usize];
                    b.extend([
                        kind,
                        *number,
                        [0x80, dice.bits() as u8][dice.below(2) as usize],
                        dice.bits() as u8,
                    ]);
                    b.extend(message(dice));
                }
                _ => {
                    let seq = &mut seq[0][usize::from(ends)];
                    let m = message(dice);
                    let mut data = (m.len() as u16).to_be_bytes().to_vec();
                    data.extend(m);
                    let cut = dice.below(data.len() as u64) as usize;
                    let data = match dice.below(6) {
                        0 => &data[..cut],
                        1 => &data[cut..],
                        _ => &data,
                    };
                    let from = match dice.below(12) {
                        0 => seq.wrapping_add(dice.below(4000) as u32),
                        1 => seq.wrapping_sub(dice.below(4000) as u32),
                        2 => [
                            dice.bits() as u32,
                            seq.wrapping_add(1 << 31),
                            seq.wrapping_add(1 << 28),
                        ][dice.below(3) as usize],
                        _ => *seq,
                    };
                    *seq = seq.wrapping_add(data.len() as u32);
                    let flags = if dice.below(20) == 0 {
                        dice.bits() as u8
                    } else {
                        8
                    };
                    b.extend(from.to_be_bytes());
                    b.push(flags);
                    let other = usize::from((ends >> 2 | ends << 2) & 15);
                    let ack = if dice.below(10) == 0 {
                        dice.bits() as u32
                    } else {
                        next[1][other].into()
                    };
                    b.extend(ack.to_be_bytes());
                    if dice.below(5) > 0 {
                        b.extend(data);
                    }
                }
            }
            (at, b)
        })
        .collect()
}

#[test]
fn anything_at_all() {
    let mut dice = Dice(0x746f_7921);
    let mut transactions = 0;
    for round in 0..1500 {
        let frames = frames(&mut dice, 150);
        for settings in [narrow(), Settings::default()] {
            let outcome = std::panic::catch_unwind(|| run(&frames, settings).transactions.len());
            transactions += outcome.unwrap_or_else(|_| panic!("round {round}, {settings:?}"));
        }
    }
    assert!(transactions > 10_000, "only {transactions} transactions");
}

/// A frame of a numbered link from end `from` to end `to`.
fn numbered(from: u8, to: u8, kind: u8, number: u8, expects: Option<u8>, carries: u8) -> Vec<u8> {
    vec![
        from | to << 2 | 0x10,
        kind,
        number,
        expects.unwrap_or(0x80),
        carries,
    ]
}

/// Data, the only segment of its message.
const DATA: u8 = 5;
const OPEN: u8 = 3;
const LAST: u8 = 5 | 8;

fn request(id: u8) -> Vec<u8> {
    let mut m = vec![0, 2, id, 0xff, 0xff, 0xff, 0, 4, 2];
    m.resize(toy::HEAD, 0);
    m
}

fn response(id: u8) -> Vec<u8> {
    let mut m = request(id);
    (m[0], m[1], m[13]) = (2, 1, 1);
    m
}

fn with(mut head: Vec<u8>, data: &[u8]) -> Vec<u8> {
    head.extend(data);
    head
}

// Found while writing the attack: a link that was evicted took its held frames with it.
#[test]
fn frames_held_on_an_evicted_link_are_counted() {
    let mut all = vec![(0, numbered(1, 2, OPEN, 0, None, 0))];
    // Number 1 waits for number 0.
    all.push((
        1_000_000,
        with(numbered(1, 2, DATA, 1, None, LAST), &request(1)),
    ));
    // As many other links as there is room for.
    for (n, (from, to)) in [(0, 1), (0, 2), (0, 3), (1, 3), (2, 3)]
        .into_iter()
        .enumerate()
    {
        all.push((2_000_000 + n as i64, numbered(from, to, OPEN, 0, None, 0)));
    }
    let found = run(&all, narrow());
    assert!(found.reason("evicted") > 0);
    assert_eq!(found.transactions.len(), 1, "the request that was held");
    // The frame before it was not waited for: no word of the capture.
    assert_eq!(found.reason("gaps"), 0);
}

// Found while writing the attack: a link that is opened anew forgot its held frames.
#[test]
fn frames_held_on_a_link_that_is_opened_again_are_counted() {
    let all = [
        (0, numbered(1, 2, OPEN, 0, None, 0)),
        (
            1_000_000,
            with(numbered(1, 2, DATA, 1, None, LAST), &request(1)),
        ),
        (2_000_000, numbered(1, 2, OPEN, 0, None, 0)),
    ];
    let found = run(&all, Settings::default());
    assert_eq!(found.transactions.len(), 1, "the request that was held");
}

/// A segment of a stream from end `from` to end `to`.
fn segment(from: u8, to: u8, seq: u32, ack: Option<u32>, flags: u8, data: &[u8]) -> Vec<u8> {
    let mut b = vec![from | to << 2 | 0x20];
    b.extend(seq.to_be_bytes());
    b.push(flags | u8::from(ack.is_some()) << 3);
    b.extend(ack.unwrap_or(0).to_be_bytes());
    b.extend(data);
    b
}

fn framed(message: &[u8]) -> Vec<u8> {
    with((message.len() as u16).to_be_bytes().to_vec(), message)
}

// Found while writing the attack: |-2^31| does not fit into 32 bits.
#[test]
fn sequence_numbers_half_the_circle_apart() {
    let (ask, reply) = (framed(&request(1)), framed(&response(1)));
    let n = ask.len() as u32;
    for origin in [0, 1, n, 0x7fff_ffff, 0x8000_0000, u32::MAX - 5] {
        for apart in [1u32 << 31, (1 << 31) - 1, (1 << 31) + 1] {
            let far = origin.wrapping_add(n).wrapping_add(apart);
            let all = [
                (0, segment(1, 0, origin.wrapping_sub(1), None, 1, b"")),
                (1_000_000, segment(1, 0, origin, Some(100), 0, &ask)),
                (2_000_000, segment(1, 0, far, Some(100), 0, &ask)),
                (3_000_000, segment(0, 1, 100, Some(far), 0, &reply)),
                (
                    4_000_000,
                    segment(0, 1, 100 + n, Some(origin.wrapping_add(n)), 0, b""),
                ),
            ];
            let found = run(&all, Settings::default());
            assert_eq!(found.transactions.len(), 1, "{origin} and {far}");
            assert_eq!(found.snapshot.servers[0].counts.answered, 1);
        }
    }
}

// Found while writing the attack: the time of a station whose row was evicted while it
// waited began in 1970; stamps at the ends of time overflowed sums.
#[test]
fn times_of_stations_stay_within_the_capture() {
    let start = 1_700_000_000_000_000_000;
    let from = |end: u8| end | (3 - end) << 2;
    let mut all = Vec::new();
    // More clients than rows, all waiting at once. Ends are 0 to 3; 0 and 3 talk, 1 and 2.
    for (n, end) in [0u8, 1, 2, 3].into_iter().enumerate() {
        all.push((
            start + n as i64 * 1_000_000,
            with(vec![from(end)], &request(end)),
        ));
    }
    for (n, end) in [0u8, 1, 2, 3].into_iter().enumerate() {
        let back = (3 - end) | end << 2;
        all.push((
            start + 10_000_000 + n as i64,
            with(vec![back], &response(end)),
        ));
    }
    for rows in 1..=4 {
        let mut settings = narrow();
        settings.rows = rows;
        run(&all, settings);
    }

    let mut wild = Vec::new();
    for n in 0..20u8 {
        let at = [i64::MIN, i64::MAX, 0][usize::from(n) % 3];
        wild.push((at, with(vec![from(1)], &request(n & 7))));
        wild.push((at, with(vec![2 | 1 << 2], &response(n & 7))));
    }
    run(&wild, Settings::default());
}

/// A message of `data` bytes besides its head, in segments of a link.
fn in_segments(
    all: &mut Vec<Stamped>,
    (from, to): (u8, u8),
    first: u8,
    message: &[u8],
    size: usize,
) -> u8 {
    let chunks: Vec<&[u8]> = message.chunks(size).collect();
    let mut number = first;
    for (n, chunk) in chunks.iter().enumerate() {
        let carries = if n + 1 == chunks.len() { LAST } else { DATA };
        let at = all.len() as i64 * 1_000_000;
        all.push((
            at,
            with(numbered(from, to, DATA, number, None, carries), chunk),
        ));
        number = (number + 1) % toy::MODULUS as u8;
    }
    number
}

// Found while writing the attack: a message in several segments was read with twice its
// length.
#[test]
fn a_message_is_as_long_in_segments_as_in_one_piece() {
    let mut message = request(1);
    message.resize(400, 7);
    message[6] = 1;
    let mut reply = response(1);
    reply.resize(500, 7);
    // As many bytes of data as their dissector is told there are.
    (message[15], reply[15]) = (254, 254);
    let measure = |size| {
        let mut all = Vec::new();
        in_segments(&mut all, (1, 0), 0, &message, size);
        in_segments(&mut all, (0, 1), 0, &reply, size);
        let found = run(&all, Settings::default());
        let [t] = &found.transactions[..] else {
            panic!("{:?}", found.transactions)
        };
        (
            t.request_bytes,
            t.response_bytes,
            t.data_bytes,
            t.asked_bytes,
        )
    };
    let whole = measure(1000);
    assert_eq!((whole.0, whole.1, whole.2), (400, 500, 500));
    for size in [399, 250, 100, 64, 17] {
        assert_eq!(measure(size), whole, "in segments of {size}");
    }
}

// Found while writing the attack: a connection that went on unseen for a while (the capture
// was stopped, or a SYN was lost and the port used again) was never read again when its
// numbers had moved on far enough.
#[test]
fn a_connection_that_was_not_seen_for_a_while_is_found_again() {
    let (ask, reply) = (framed(&request(1)), framed(&response(1)));
    let n = ask.len() as u32;
    for jump in [
        1u32 << 20,
        1 << 27,
        1 << 28,
        1 << 30,
        (1 << 31) + 1,
        3 << 30,
        u32::MAX - 1_000_000,
    ] {
        let mut all = Vec::new();
        let (mut mine, mut yours) = (1_000_000u32, 7_000_000u32);
        for round in 0..40i64 {
            if round == 10 {
                (mine, yours) = (mine.wrapping_add(jump), yours.wrapping_add(jump));
            }
            let at = round * 10_000_000;
            all.push((at, segment(1, 0, mine, Some(yours), 0, &ask)));
            mine = mine.wrapping_add(n);
            all.push((at + 1_000_000, segment(0, 1, yours, Some(mine), 0, &reply)));
            yours = yours.wrapping_add(n);
        }
        let found = run(&all, Settings::default());
        let answered = found.snapshot.servers[0].counts.answered;
        // A few may go by until it is certain.
        assert!(
            answered >= 34,
            "{answered} of 40 answered after a jump of {jump}"
        );
        // A jump of more than half the circle leads back, and far back no connection comes again.
        if (1 << 31..u32::MAX - (1 << 24)).contains(&jump) {
            assert_eq!(answered, 40, "another connection after a jump of {jump}");
        } else {
            assert!(found.reason("gaps") > 0, "a jump of {jump} is a gap");
        }
    }
}

/// The frame names a session.
const SESSION: u8 = 0x40;
/// That session has numbers of its own.
const OWN: u8 = 0x80;

fn on_connection(mut frame: Vec<u8>) -> Vec<u8> {
    frame[0] |= SESSION | OWN;
    frame
}

#[test]
fn segments_that_share_a_number_are_told_by_their_position() {
    const AT_4: u8 = 0x80 | 4 << 4 | LAST;
    let ask = request(1);
    let first = on_connection(with(numbered(1, 2, DATA, 3, None, DATA), &ask[..4]));
    let rest = on_connection(with(numbered(1, 2, DATA, 3, None, AT_4), &ask[4..]));
    let reply = on_connection(with(numbered(2, 1, DATA, 0, Some(4), LAST), &response(1)));
    let all = [
        (0, first),
        (1_000_000, rest.clone()),
        // A second copy does not go on anywhere.
        (2_000_000, rest),
        (5_000_000, reply),
    ];
    let found = run(&all, Settings::default());
    let [t] = found.transactions.as_slice() else {
        panic!("{:?}", found.transactions);
    };
    assert_eq!((t.frames.request, t.frames.retransmitted), (2, 1));
    assert!(t.response.is_some());
}

#[test]
fn links_are_shared_by_sessions_unless_each_counts_for_itself() {
    // The same number twice: without a session, and in one.
    let ask = |id| with(numbered(1, 2, DATA, 3, None, LAST), &request(id));
    let named = |mut frame: Vec<u8>, bits: u8| {
        frame[0] |= bits;
        frame
    };
    let both = |bits| {
        let all = [(0, ask(1)), (1_000_000, named(ask(2), bits))];
        run(&all, Settings::default())
    };
    let shared = both(SESSION);
    assert_eq!(shared.transactions.len(), 1, "number 3 again");
    assert_eq!(shared.reason("retransmitted"), 1);
    let apart = both(SESSION | OWN);
    assert_eq!(apart.transactions.len(), 2);
    assert_eq!(apart.reason("retransmitted"), 0);
}

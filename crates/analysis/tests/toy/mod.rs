//! A protocol in which bytes say directly what the analysis is told: every combination of
//! facts and exchanges is a few bytes away, also those that no real protocol has.
//!
//! A frame of link type 147: byte 0 has the ends (two bits each), how the frame is ordered
//! (two bits: not, numbered, stream) and whether it names a session. Numbered: kind, number,
//! expected number, what is carried. Stream: sequence number, flags, acknowledgement; its
//! messages have a header of two bytes, the length. Then the message: see [`exchange`].

use std::fmt;
use wirewait_wire::{
    Answered, Asked, Carries, Claim, Connection, Dissector, Endpoint, Exchange, Expect, Facts,
    Fault, File, Framing, Id, Input, Kind, LINK, Layer, Next, Numbered, NumberedKind, Operation,
    Order, Part, Parts, Registry, Role, Segment, Session, Side, Status, Step, Stream, Table,
};

const MESSAGE: Table = Table::new("toy.message");
const PORT: Table = Table::new("toy.port");
/// The link type (LINKTYPE_USER0).
pub(crate) const LINK_TYPE: u16 = 147;
/// Frames of a numbered toy link have numbers below this.
pub(crate) const MODULUS: u32 = 8;

static TOY_LINK: Dissector = Dissector {
    name: "toy_link",
    title: "toy link",
    does: "everything",
    verified: &[],
    claims: &[Claim::Exact(LINK.key(LINK_TYPE as u32))],
    conveys: true,
    carrier: Some("toy_link"),
    dissect: dissect_link,
    describe,
    ..Dissector::PLAIN
};

static TOY_FRAMER: Dissector = Dissector {
    name: "toy_framer",
    title: "toy framer",
    claims: &[Claim::Exact(PORT.key(1))],
    carrier: Some("toy_framer"),
    dissect,
    framing: Some(framing),
    resync: Some(resync),
    ..TOY_LINK
};

static TOY: Dissector = Dissector {
    name: "toy",
    title: "toy",
    claims: &[Claim::Exact(MESSAGE.any())],
    conveys: false,
    carrier: None,
    dissect,
    exchange: Some(exchange),
    answer: Some(answer),
    ..TOY_LINK
};

/// A registry of the toy protocol.
#[must_use]
pub(crate) fn registry() -> Registry {
    static ALL: [&Dissector; 3] = [&TOY_LINK, &TOY_FRAMER, &TOY];
    Registry::new(&ALL).expect("no two of them claim the same")
}

fn dissect_link(input: Input<'_>, facts: &mut Facts) -> Result<Layer, Fault> {
    let b = |at: usize| {
        input
            .bytes
            .get(at)
            .copied()
            .ok_or(Fault::Short { offset: at as u32 })
    };
    let ends = b(0)?;
    let end = |n: u8, port: bool| {
        let station = Endpoint::mac([2, 0, 0, 0, 0, n & 3]);
        match (port, n & 3) {
            (false, _) => station,
            (true, 0) => station.with_port(1),
            (true, _) => station.with_port(1000),
        }
    };
    let stream = ends >> 4 & 3 >= 2;
    facts.from = end(ends, stream);
    facts.to = end(ends >> 2, stream);
    if ends & 0x40 != 0 {
        facts.session = Some(Session {
            from: u16::from(ends & 3),
            to: u16::from(ends >> 2 & 3),
        });
    }
    let (header, next) = match ends >> 4 & 3 {
        0 => (1, MESSAGE.any()),
        1 => {
            let carried = b(4)?;
            facts.order = Order::Numbered(Numbered {
                kind: match b(1)? % 8 {
                    0 => NumberedKind::Ready,
                    1 => NumberedKind::Busy,
                    2 => NumberedKind::Reject,
                    3 => NumberedKind::Open,
                    4 => NumberedKind::Control,
                    _ => NumberedKind::Data,
                },
                number: u16::from(b(2)?) % MODULUS as u16,
                // With a bit of its own, so that links are shared by sessions and are not.
                connection: facts.session.filter(|_| ends & 0x80 != 0),
                modulus: MODULUS,
                expects: (b(3)? & 0x80 == 0).then_some(u16::from(b(3)?) % MODULUS as u16),
                poll: b(2)? & 0x10 != 0,
                response: b(2)? & 0x20 != 0,
            });
            facts.connection = match b(1)? >> 5 {
                1 => Some(Step::Asks),
                2 => Some(Step::Agrees),
                3 => Some(Step::Refuses),
                4 => Some(Step::Ends),
                5 => Some(Step::Aborts),
                _ => None,
            }
            .map(|step| Connection::new(step, u16::from(b'a'), u16::from(ends & 0x40)));
            facts.carries = match carried % 8 {
                0 => Carries::Ack(None),
                1 if carried & 0x80 != 0 => Carries::Overrun(u32::from(carried >> 3)),
                1 => Carries::Accepted(u32::from(carried >> 3)),
                2 => Carries::Control,
                3 => Carries::Nothing,
                4 => Carries::Message,
                _ => Carries::Segment(Segment {
                    last: carried & 0x08 != 0,
                    position: (carried & 0x80 != 0).then_some(u32::from(carried >> 4 & 7)),
                    resync: carried & 0x70 == 0x70,
                    correlator: None,
                    may_ride: false,
                    acknowledges: None,
                }),
            };
            (5, MESSAGE.any())
        }
        _ => {
            let word = |at| {
                Ok(u32::from_be_bytes([
                    b(at)?,
                    b(at + 1)?,
                    b(at + 2)?,
                    b(at + 3)?,
                ]))
            };
            let flags = b(5)?;
            facts.order = Order::Stream(Stream {
                seq: word(1)?,
                ack: if flags & 8 != 0 { Some(word(6)?) } else { None },
                window: u16::from(flags >> 4),
                syn: flags & 1 != 0,
                fin: flags & 2 != 0,
                rst: flags & 4 != 0,
                ..Stream::default()
            });
            facts.carries = Carries::Stream;
            (10, PORT.key(1))
        }
    };
    b(header as usize - 1)?;
    Ok(Layer {
        header,
        end: input.length,
        next: Next::one(next),
    })
}

fn dissect(input: Input<'_>, _: &mut Facts) -> Result<Layer, Fault> {
    Ok(Layer {
        header: 0,
        end: input.length,
        next: Next::NONE,
    })
}

fn framing(bytes: &[u8]) -> Framing {
    match *bytes {
        // Longer than any message.
        [0xff, ..] => Framing::Lost,
        [high, low, ..] => Framing::Message {
            header: 2,
            length: u32::from(high) << 8 | u32::from(low),
            next: Next::one(MESSAGE.any()),
        },
        _ => Framing::Need(2),
    }
}

fn resync(bytes: &[u8]) -> Option<usize> {
    bytes.iter().position(|b| *b == 0)
}

static OPERATIONS: [Operation; 6] = {
    const fn operation(name: &'static str, kind: Kind) -> Operation {
        Operation::new(name, kind, false)
    }
    [
        operation("READ", Kind::Read),
        operation("WRITE", Kind::Write),
        operation("LOCK", Kind::Lock),
        operation("BREAK", Kind::Break),
        operation("WAIT", Kind::Wait),
        operation("WRITE_RAW", Kind::Write),
    ]
};

/// Bytes of a message: role; sender and flags; id; alias; answers; lane; operation; expected
/// answer; parts (five bytes); status; length of the part in eights (0: all); data
/// (254: as many bytes as the message has).
pub(crate) const HEAD: usize = 16;

fn exchange(input: Input<'_>) -> Result<Part, Fault> {
    let Some(b) = input.bytes.first_chunk::<HEAD>() else {
        return Err(Fault::Short {
            offset: input.bytes.len() as u32,
        });
    };
    if b[0] == 0xee {
        return Err(Fault::Malformed {
            offset: 0,
            what: "role",
        });
    }
    let id = |byte: u8| (byte & 0xc0 == 0).then(|| Id::new(1, u128::from(byte & 7)));
    let role = match (b[0] % 16, b[0] % 8) {
        (8, _) => Role::Ack,
        (9, _) => Role::Upkeep,
        (_, 0..=1) => Role::Request,
        (_, 2..=3) => Role::Response,
        (_, 4) => Role::More,
        (_, 5) => Role::Interim,
        (_, 6) => Role::Cancel,
        _ => Role::Notice,
    };
    let sender = match b[1] & 3 {
        0 => Side::Unknown,
        1 => Side::Server,
        _ => Side::Client,
    };
    let operation = &OPERATIONS[usize::from(b[6]) % OPERATIONS.len()];
    let mut x = Exchange::new(role, sender, operation, u32::from(b[6]));
    x.repeats = b[1] & 0x04 != 0;
    x.anyone = b[1] & 0x18 == 0x18;
    x.opaque = b[1] & 0x60 == 0x60;
    x.may_wait = b[1] & 0x80 != 0;
    x.id = id(b[2]);
    x.alias = id(b[3]);
    x.answers = id(b[4]);
    x.lane = (b[5] & 0xc0 == 0).then(|| Id::new(1, u128::from(b[5] & 3)));
    x.expect = match b[7] % 8 {
        0 => Expect::Nothing,
        1 => Expect::Times(u16::from(b[7] >> 3)),
        2 => Expect::Headerless,
        3 => Expect::GoAhead {
            rest: u32::from(b[7] >> 3),
            confirmed: Some(b[7] & 0x80 != 0),
        },
        _ => Expect::Response,
    };
    x.parts = match b[8] % 4 {
        0 => Parts::Counted {
            got: [b[9].into(), b[10].into()],
            of: [b[11].into(), b[12].into()],
        },
        1 => Parts::Masked {
            mask: b[9].into(),
            last: b[10] & 1 != 0,
        },
        3 => Parts::Ranged {
            at: u32::from(b[9]) << (b[12] & 31),
            length: u32::from(b[10]) << (b[12] & 31),
            of: b[11].into(),
        },
        _ => Parts::Whole,
    };
    x.status = (b[13] & 3 > 0).then_some(Status {
        code: b[13].into(),
        name: None,
        ok: b[13] & 1 != 0,
        failure: b[13] & 2 != 0,
    });
    x.asked = u64::from(b[15]) * 1000;
    x.data = match b[15] {
        254 => input.length.into(),
        n => u64::from(u32::MAX >> (n & 31)),
    };
    x.file = (b[15] & 1 != 0).then(|| File {
        handle: b[15].into(),
        offset: Some(u64::MAX - 1),
    });
    Ok(Part {
        exchange: (b[0] & 0x80 == 0).then_some(x),
        length: match b[14] {
            0 => input.length,
            n => u32::from(n) * 8,
        },
    })
}

fn answer(input: Input<'_>, asked: &Asked) -> Answered {
    Answered {
        status: None,
        data: asked.asked.min(input.length.into()),
        file: asked.file,
        ..Answered::default()
    }
}

fn describe(_: Input<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    out.write_str("toy")
}

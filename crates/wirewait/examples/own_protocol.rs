//! A protocol of the program's own beside the built-in ones: a time service on UDP port 7007, whose
//! request is `Q` and a number of two bytes, and whose response is `R`, that number and the time.
//! `cargo run --example own_protocol` makes a capture in memory and prints what was paired.

use std::fmt;
use wirewait::dissectors::{ALL, udp};
use wirewait::wire::{
    Claim, Dissector, Exchange, Fault, Fields, Id, Input, Kind, Operation, Part, Role, Side,
    Verified,
};
use wirewait::{
    Analyzer, Engine, Frame, LinkType, Progress, Registry, Settings, Sink, Source, SourceError,
    Timestamp, Transaction,
};

fn main() {
    for line in pairs() {
        println!("{line}");
    }
}

/// Reading the time changes nothing: it can be repeated.
static TIME: Operation = Operation::new("TIME", Kind::Other, true);

static TIME_SERVICE: Dissector = Dissector {
    name: "time_service",
    title: "Time service",
    does: "requests and responses",
    lacks: "nothing",
    verified: &[Verified::Specification],
    claims: &[Claim::Exact(udp::PORT.key(7007))],
    exchange: Some(exchange),
    describe,
    fields,
    ..Dissector::PLAIN
};

/// What a message is in the exchange of requests and responses. A dissector has no state: the
/// analysis pairs by what it says.
fn exchange(input: Input<'_>) -> Result<Part, Fault> {
    let Some([what, high, low]) = input.bytes.first_chunk() else {
        return Err(Fault::Short { offset: 0 });
    };
    let exchange = match what {
        b'Q' => Some((Role::Request, Side::Client)),
        b'R' => Some((Role::Response, Side::Server)),
        _ => None,
    };
    let id = Id::new(0, u16::from_be_bytes([*high, *low]).into());
    Ok(Part {
        exchange: exchange.map(|(role, sender)| Exchange {
            id: Some(id),
            ..Exchange::new(role, sender, &TIME, 1)
        }),
        length: input.length,
    })
}

/// One line for people.
fn describe(input: Input<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    match input.bytes.first() {
        Some(b'Q') => out.write_str("what time is it"),
        Some(b'R') => out.write_str("the time"),
        _ => out.write_str("not known"),
    }
}

/// The fields of a message, in the order of its bytes.
fn fields(f: &mut Fields<'_>) -> Option<()> {
    f.u8("Kind")?;
    f.be16("Number")?;
    f.rest("Time")?;
    Some(())
}

/// Frames in memory, each with its time in ms and its bytes.
struct Frames(std::vec::IntoIter<(i64, Vec<u8>)>, Vec<u8>);

impl Source for Frames {
    fn next_frame(&mut self) -> Result<Option<Frame<'_>>, SourceError> {
        let Some((ms, bytes)) = self.0.next() else {
            return Ok(None);
        };
        self.1 = bytes;
        Ok(Some(Frame {
            at: Timestamp::from_nanos(ms * 1_000_000),
            link: LinkType(1),
            interface: 0,
            wire_len: u32::try_from(self.1.len()).unwrap_or(u32::MAX),
            bytes: &self.1,
        }))
    }
}

/// A datagram from one host and port to another: Ethernet, IPv4 and UDP, without check sums.
fn datagram(from: (u8, u16), to: (u8, u16), data: &[u8]) -> Vec<u8> {
    let mut frame = vec![2, 0, 0, 0, 0, to.0, 2, 0, 0, 0, 0, from.0, 8, 0];
    let length = |headers: usize| u16::try_from(headers + data.len()).unwrap().to_be_bytes();
    frame.extend([0x45, 0]);
    frame.extend(length(28));
    frame.extend([0, 0, 0, 0, 64, 17, 0, 0, 10, 0, 0, from.0, 10, 0, 0, to.0]);
    frame.extend(from.1.to_be_bytes());
    frame.extend(to.1.to_be_bytes());
    frame.extend(length(8));
    frame.extend([0, 0]);
    frame.extend(data);
    frame
}

/// A line for each transaction as it closes.
#[derive(Default)]
struct Lines(Vec<String>);

impl Sink for Lines {
    fn transaction(&mut self, t: &Transaction) {
        self.0.push(format!(
            "{} {}: {:?} in {:?} ns",
            t.protocol,
            t.operation.name,
            t.outcome,
            t.response_time_ns()
        ));
    }
}

pub(crate) fn pairs() -> Vec<String> {
    let (client, server) = ((1, 40_000), (9, 7007));
    let frames = vec![
        (0, datagram(client, server, b"Q\0\x01")),
        (1, datagram(client, server, b"Q\0\x02")),
        (5, datagram(server, client, b"R\0\x02noon")),
        (7, datagram(server, client, b"R\0\x01noon")),
        (9, datagram(client, server, b"Q\0\x03")),
    ];
    // The list lives as long as the program.
    let list: &'static [&'static Dissector] = [ALL, &[&TIME_SERVICE]].concat().leak();
    let registry = Registry::new(list).expect("no other protocol has this port");
    let source = Frames(frames.into_iter(), Vec::new());
    let mut engine = Engine::with(source, Analyzer::new(registry, Settings::default()));
    let mut lines = Lines::default();
    while engine.step(&mut lines) == Ok(Progress::More) {}
    engine.finish(&mut lines);
    lines.0
}

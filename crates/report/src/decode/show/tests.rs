use super::*;
use crate::decode::{Decoder, Shape, Time};
use crate::text::Look;
use proptest::prelude::*;
use wirewait_wire::{
    Claim, Dissector, Endpoint, Exchange, Facts, Fault, Fields, Frame, Input, LINK, Layer,
    LinkType, Next, Part, Role, Timestamp,
};

/// A link of two addresses of one byte, a command, and a number.
static TOY: Dissector = Dissector {
    name: "toy",
    aliases: &["Play Link"],
    claims: &[Claim::Exact(LINK.key(147))],
    dissect: |input: Input<'_>, facts: &mut Facts| {
        let [from, to, ..] = input.bytes else {
            return Err(Fault::Short { offset: 0 });
        };
        facts.from = Endpoint::mac([2, 0, 0, 0, 0, *from]).with_port(u16::from(*from));
        facts.to = Endpoint::mac([2, 0, 0, 0, 0, *to]);
        Ok(Layer {
            header: 2,
            end: input.length,
            next: Next::NONE,
        })
    },
    exchange: Some(|input: Input<'_>| {
        let code = input.bytes.get(2).copied().unwrap_or(0);
        let operation = match code {
            1 => &crate::samples::READ,
            _ => &crate::samples::CLOSE,
        };
        let side = wirewait_wire::Side::Client;
        Ok(Part {
            exchange: Some(Exchange::new(Role::Request, side, operation, code.into())),
            length: input.length,
        })
    }),
    fields: |f: &mut Fields<'_>| {
        f.u8("From")?;
        f.u8("To")?;
        f.u8("Code")?;
        f.means("told");
        f.be16("Big Number")?;
        f.flag(0x8000, "Top", "on", "off");
        f.text(4, "Name")?;
        f.bytes(2, "Tail").map(|_| ())
    },
    ..Dissector::PLAIN
};

static OTHER: Dissector = Dissector {
    name: "other",
    claims: &[Claim::Exact(LINK.key(148))],
    ..TOY
};

/// Wireshark has fields that begin with this name.
static TCP: Dissector = Dissector {
    name: "tcp",
    claims: &[Claim::Exact(LINK.key(149))],
    ..TOY
};

fn registry() -> Registry {
    static ALL: &[&Dissector] = &[&TOY, &OTHER];
    Registry::new(ALL).unwrap()
}

fn with_tcp() -> Registry {
    static ALL: &[&Dissector] = &[&TOY, &OTHER, &TCP];
    Registry::new(ALL).unwrap()
}

const BYTES: &[u8] = b"\x07\x09\x01\x80\x05A.TX\xbe\xef";

fn fits(expression: &str) -> bool {
    let registry = registry();
    let filter =
        Filter::parse(expression, &registry).unwrap_or_else(|e| panic!("{expression}: {e}"));
    let mut decoder = Decoder::new(&registry, Shape::Line, Time::Relative, Look::FILE);
    decoder.show(filter);
    let frame = Frame {
        at: Timestamp::default(),
        link: LinkType(147),
        interface: 0,
        wire_len: BYTES.len() as u32,
        bytes: BYTES,
    };
    let mut out = Vec::new();
    decoder.pass(&frame);
    decoder.write(&mut out, &frame).unwrap();
    !out.is_empty()
}

#[test]
fn what_fits() {
    for expression in [
        "toy",
        "TOY",
        "\"play link\"",
        "toy and not other",
        "other or toy",
        "!(other) && toy",
        "host 02-00-00-00-00-07",
        "host 020000000009",
        "src 02:00:00:00:00:07",
        "dst host 02-00-00-00-00-09",
        "port 7",
        "src port 0x7",
        "command read_andx",
        "command READ*",
        "toy.code",
        "toy.Code == 1",
        "toy.code = told",
        "toy.BigNumber == 0x8005",
        "toy.\"Big Number\" >= 32773",
        "toy.bignumber>32772",
        "toy.top == 1",
        "toy.top == ON",
        "toy.name == a.tx",
        "toy.name == \"A*\"",
        "toy.tail == be-ef",
        "toy.name != B",
        "toy.code != 2",
        "not toy.code == 2",
        "other and toy or toy",
        "((toy))",
        "toy.name contains \"A.\"",
        "toy.name contains .TX",
        "toy.name matches \"^a.tx$\"",
        "toy.tail contains be:ef",
        "toy.code contains told",
        "toy.code matches \"^TOLD\"",
        "toy.code in {5, 1}",
        "toy.code in {lost told}",
        "toy.BigNumber in {1, 0x8000..0x8010}",
        "toy.name in {\"B\", \"a*\"}",
        "toy.code eq 1 and toy.code ge 1",
        "toy contains \"A.T\"",
        "toy matches \"a.tx\" and not toy contains \"a.tx\"",
        "frame.number == 1",
        "FRAME.NUMBER in {3, 1..2}",
        "frame.number in {5 1}",
        "frame.number ne 2 and frame.number lt 2",
        "frame.len == 11 && frame.cap_len ge 0xb",
        "frame.time_relative == 0.0",
        "frame contains \"A.T\"",
        "frame contains be:ef",
        "frame matches \"a.tx?\"",
        "!(tcp.port == 445)",
    ] {
        assert!(fits(expression), "{expression}");
    }
}

#[test]
fn what_does_not() {
    for expression in [
        "other",
        "not toy",
        "toy and other",
        "toy and (other or not toy)",
        "host 02-00-00-00-00-08",
        "dst 02-00-00-00-00-07",
        "host 10.0.0.1",
        "port 9",
        "dst port 7",
        "command READ",
        "toy.nothing",
        "toy.nothing != 1",
        "toy.code == 2",
        "toy.code != 1",
        "toy.code < 1",
        "toy.name > 5",
        "other.code == 1",
        "toy.name == A",
        "toy.name contains a.tx",
        "toy.name contains be:ef",
        "toy.name matches \"^tx\"",
        "toy.code contains 1",
        "toy.code in {2, 3..9}",
        "toy.name in {3..9}",
        "toy.nothing contains \"\"",
        "toy contains be:ee",
        "other contains \"A\"",
        "frame.number != 1",
        "frame.number in {2, 3..9}",
        "frame.time_relative > 0",
        "frame contains \"a.T\"",
        "frame matches \"a.ty\"",
        "tcp.port",
        "tcp.port != 445",
        "ip.addr != 10.0.0.1",
    ] {
        assert!(!fits(expression), "{expression}");
    }
}

#[test]
fn errors_point_at_the_place() {
    for (expression, column, says) in [
        ("", 0, "should stand here"),
        ("toy and", 7, "should stand here"),
        ("toy toy", 4, "and, or"),
        ("toy)", 3, "no ( is open"),
        ("(toy", 4, "for the ( in column 1"),
        ("toy and tcp", 8, "no protocol tcp"),
        ("toy.code == ", 12, "a value should stand behind =="),
        ("toy.code < low", 11, "only numbers"),
        (
            "toy.code > 0.5",
            11,
            "whole numbers; for response times: wirewait transactions",
        ),
        ("toy.code contains", 17, "searched for"),
        ("toy.code matches \"(\"", 17, "unclosed group"),
        ("toy.code in 5", 12, "{ should stand here"),
        ("toy matches", 11, "a regular expression"),
        ("toy in {5}", 4, "and, or"),
        ("toy.", 0, "a field of toy"),
        ("host nobody", 5, "this is no address"),
        ("src", 3, "an address"),
        ("port 65536", 5, "number of a port"),
        ("command", 7, "name of a command"),
        ("toy & toy", 4, "nothing begins"),
        ("toy.name == \"A", 12, "not closed"),
        ("ä toy", 0, "no protocol ä"),
        ("ip.addr == 10.0.0", 11, "takes an address"),
        ("ip.addr < 10.0.0.0/8", 10, "== and != only"),
        ("tcp.port in 5", 12, "{ should stand here"),
        ("tcp.port in {}", 13, "a value or a range"),
        ("tcp.port in {5", 14, "a value or a range"),
        ("tcp.port == ", 12, "a value should stand here"),
        ("tcp.port contains 5", 18, "contains nothing"),
        ("frame", 5, "contains or matches"),
        ("tcp.ack == 1", 0, "write tcp.ack_raw"),
        ("frame matches \"(\"", 14, "unclosed group"),
    ] {
        let error = Filter::parse(expression, &registry()).unwrap_err();
        assert_eq!(error.column, column, "{expression}: {error}");
        assert!(error.message.contains(says), "{expression}: {error}");
    }
}

/// Found by fuzzing: an outer pair of marks made what was as deep as may be too deep.
#[test]
fn what_is_printed_is_no_deeper() {
    for (typed, printed) in [
        ("toy or toy and toy", "toy or toy and toy"),
        ("(toy or toy) and toy", "(toy or toy) and toy"),
        ("((toy and toy)) or toy", "toy and toy or toy"),
        ("toy or (toy or toy)", "toy or (toy or toy)"),
        ("not (toy and toy)", "not (toy and toy)"),
    ] {
        let filter = Filter::parse(typed, &registry()).unwrap();
        assert_eq!(filter.to_string(), printed);
        assert_eq!(Filter::parse(printed, &registry()), Ok(filter), "{typed}");
    }
    let deep = format!("toy or {}toy", "!".repeat(MOST_DEPTH));
    let filter = Filter::parse(&deep, &registry()).unwrap();
    assert_eq!(
        Filter::parse(&filter.to_string(), &registry()),
        Ok(filter),
        "{deep}"
    );
}

#[test]
fn expressions_are_bounded() {
    let deep = format!(
        "{}toy{}",
        "(".repeat(MOST_DEPTH + 2),
        ")".repeat(MOST_DEPTH + 2)
    );
    let error = Filter::parse(&deep, &registry()).unwrap_err();
    assert!(error.message.contains("within each other"), "{error}");
    assert!(Filter::parse(&"!".repeat(MOST_CHARACTERS), &registry()).is_err());
    let long = "toy or ".repeat(MOST_CHARACTERS);
    let error = Filter::parse(&long, &registry()).unwrap_err();
    assert!(error.message.contains("longer than"), "{error}");
    assert!(fits(&format!("{}toy", "toy or ".repeat(500))));
}

#[test]
fn fields_that_no_frame_has_are_told() {
    let registry = registry();
    let filter = Filter::parse("toy.code == 1 or toy.nothing", &registry).unwrap();
    assert_eq!(filter.missing().count(), 2, "nothing was seen yet");
}

/// Fuzzing found it: printed without the comma it was a field of Wireshark, which takes numbers.
#[test]
fn a_field_of_ours_is_not_printed_as_one_of_wiresharks() {
    let registry = with_tcp();
    for text in [",tcp.port=\0\0\0", "\"tcp.port\" = abc"] {
        let filter = Filter::parse(text, &registry).unwrap();
        let printed = filter.to_string();
        assert!(printed.starts_with("\"tcp.port\" == "), "{printed}");
        assert_eq!(Filter::parse(&printed, &registry), Ok(filter), "{printed}");
    }
    let error = Filter::parse("tcp.port = abc", &registry).unwrap_err();
    assert!(error.message.contains("takes a number"), "{error}");
}

proptest! {
    #[test]
    fn anything_is_read_or_refused_at_a_place_in_it(text in ".{0,80}") {
        if let Err(error) = Filter::parse(&text, &registry()) {
            prop_assert!(error.column <= text.chars().count());
        }
    }

    #[test]
    fn what_was_read_is_read_again(words in prop::collection::vec(
        prop::sample::select(vec![
            "toy", "other", "and", "or", "not", "(", ")", "toy.code", "==", "!=", "<", "5", "0x10",
            "told", "host", "src", "dst", "port", "7", "command", "READ*", "1.13", "\"a \\\" b\"",
            "02-00-00-00-00-07", "&&", "||", "!", "toy.\"Big Number\"",
            "ip.addr", "tcp.port", ",tcp.port", "\"tcp.port\"", "in", "{", "}", ",", "3..7",
            "contains", "matches", "toy.name", "be:ef", "\"be:ef\"", "10.0.0.0/8", "frame", "frame.number", "eq",
        ]),
        0..14,
    )) {
        let text = words.join(" ");
        if let Ok(filter) = Filter::parse(&text, &with_tcp()) {
            let again = Filter::parse(&filter.to_string(), &with_tcp());
            prop_assert_eq!(again.as_ref(), Ok(&filter), "{}", filter);
        }
    }
}

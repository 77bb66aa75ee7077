//! Multiprotocol Label Switching: a stack of labels before a packet. RFC 3032, RFC 5462.
//!
//! Nothing in a label says what it stands before. What begins like IP is IP (RFC 4928); the rest
//! is Ethernet, behind a control word (RFC 4448, 4.6) or without one.

use crate::ethernet;
use crate::parse::{be16, be32, malformed};
use std::fmt;
use wirewait_wire::{
    Claim, Dissector, Facts, Fault, Fields, Input, Layer, LinkType, Next, Verified,
};

/// A stack of labels, and how what it stands before begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stack {
    /// Labels in it.
    pub labels: u32,
    /// The label at its bottom, 20 bits: the one that says where the packet belongs.
    pub bottom: u32,
    /// What follows.
    pub content: LabelledContent,
}

/// What follows the bottom of a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LabelledContent {
    /// An IPv4 packet.
    V4,
    /// An IPv6 packet.
    V6,
    /// A control word and an Ethernet frame.
    Controlled,
    /// An Ethernet frame.
    Ethernet,
}

/// Bytes of a label, and of a control word.
const LABEL: u32 = 4;

/// More labels than any network has a use for.
const MAX_LABELS: u32 = 16;

impl Stack {
    /// Reads the labels down to the bottom of the stack, and how the content begins.
    ///
    /// # Errors
    /// [`Fault::Short`], or [`Fault::Malformed`] when the stack has no bottom.
    pub fn parse(input: Input<'_>) -> Result<Self, Fault> {
        for labels in 1..=MAX_LABELS {
            let at = (labels - 1) * LABEL;
            let short = Fault::Short { offset: at };
            let label = be32(input.bytes, at as usize).ok_or(short)?;
            if label & 0x100 != 0 {
                let behind = at + LABEL;
                let head = be16(input.bytes, behind as usize);
                let head = head.ok_or(Fault::Short { offset: behind })?;
                return Ok(Self {
                    labels,
                    bottom: label >> 12,
                    content: LabelledContent::of(head),
                });
            }
        }
        Err(malformed(0, "a stack of more than 16 labels"))
    }
}

impl LabelledContent {
    /// What begins with these two bytes.
    const fn of(head: u16) -> Self {
        match head >> 12 {
            4 => Self::V4,
            6 => Self::V6,
            // Reserved bits of a control word are 0; no adapter's address begins like that.
            _ if head == 0 => Self::Controlled,
            _ => Self::Ethernet,
        }
    }
}

pub(crate) static DISSECTOR: Dissector = Dissector {
    name: "mpls",
    title: "Multiprotocol Label Switching, RFC 3032",
    does: "stacks of labels before IPv4, IPv6 and Ethernet",
    lacks: "pseudowires of other links; Ethernet without a control word to an address that \
            begins with 4, 6 or 0000",
    verified: &[Verified::Specification, Verified::Tshark],
    claims: &[
        Claim::Exact(ethernet::TYPE.key(0x8847)),
        Claim::Exact(ethernet::TYPE.key(0x8848)),
    ],
    conveys: true,
    dissect,
    describe,
    fields,
    ..Dissector::PLAIN
};

fn dissect(input: Input<'_>, _: &mut Facts) -> Result<Layer, Fault> {
    let stack = Stack::parse(input)?;
    let (more, next) = match stack.content {
        LabelledContent::V4 => (0, ethernet::TYPE.key(0x0800)),
        LabelledContent::V6 => (0, ethernet::TYPE.key(0x86dd)),
        LabelledContent::Controlled => (LABEL, LinkType::ETHERNET.key()),
        LabelledContent::Ethernet => (0, LinkType::ETHERNET.key()),
    };
    let header = stack.labels * LABEL + more;
    if header > input.length {
        return Err(malformed(0, "control word longer than the packet"));
    }
    Ok(Layer::over(input, header, Next::one(next)))
}

fn describe(input: Input<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    match Stack::parse(input) {
        Ok(stack) => write!(out, "{} labels, bottom {}", stack.labels, stack.bottom),
        Err(Fault::Malformed { what, .. }) => out.write_str(what),
        Err(Fault::Short { .. }) => out.write_str("cut off"),
    }
}

fn fields(f: &mut Fields<'_>) -> Option<()> {
    for _ in 0..MAX_LABELS {
        f.be32("Label stack entry")?;
        f.hex();
        f.bits(0xffff_f000, "Label");
        f.bits(0x0000_0e00, "Traffic class");
        let bottom = f.bits(0x0000_0100, "Bottom of stack");
        f.bits(0x0000_00ff, "Time to live");
        if bottom == 1 {
            break;
        }
    }
    if be16(f.peek(), 0).map(LabelledContent::of) == Some(LabelledContent::Controlled) {
        f.be32("Control word")?;
        f.hex();
        f.bits(0x0000_ffff, "Sequence number");
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, line};
    use proptest::prelude::*;
    use wirewait_wire::Key;

    /// RFC 3032, 2.1: label 100 over label 18, which is the bottom; time to live 64.
    const LABELS: [u8; 8] = [0x00, 0x06, 0x40, 0x40, 0x00, 0x01, 0x21, 0x40];

    fn read(content: &[u8]) -> (u32, Option<Key>) {
        let bytes = [&LABELS[..], content].concat();
        let layer = dissect(Input::whole(&bytes), &mut Facts::default()).unwrap();
        (layer.header, layer.next.keys().next())
    }

    #[test]
    fn the_first_half_byte_tells_what_follows() {
        let ethernet = Some(LinkType::ETHERNET.key());
        assert_eq!(read(&[0x45, 0]), (8, Some(ethernet::TYPE.key(0x0800))));
        assert_eq!(read(&[0x60, 0]), (8, Some(ethernet::TYPE.key(0x86dd))));
        assert_eq!(read(&[0, 0, 0, 0, 0x52, 0x54]), (12, ethernet));
        assert_eq!(read(&[0x52, 0x54]), (8, ethernet));
        let bytes = [&LABELS[..], &[0x45, 0]].concat();
        assert_eq!(line(&DISSECTOR, &bytes), "2 labels, bottom 18");
    }

    #[test]
    fn a_cut_stack_is_short_and_one_without_end_malformed() {
        let cut = |n: usize| Input {
            bytes: &LABELS[..n],
            length: 100,
        };
        for n in 0..=LABELS.len() {
            let got = Stack::parse(cut(n));
            assert!(matches!(got, Err(Fault::Short { .. })), "{n}: {got:?}");
        }
        let endless = [0; 100];
        assert_eq!(
            Stack::parse(Input::whole(&endless)),
            Err(malformed(0, "a stack of more than 16 labels"))
        );
        // A control word of which the packet has two bytes.
        let bytes = [&LABELS[..], &[0, 0]].concat();
        let got = dissect(Input::whole(&bytes), &mut Facts::default());
        assert!(matches!(got, Err(Fault::Malformed { .. })), "{got:?}");
    }

    proptest! {
        #[test]
        fn fields_are_those_of_the_stack(bytes: [u8; 16]) {
            let input = Input::whole(&bytes);
            let fields = testing::fields(&DISSECTOR, input);
            if let Ok(stack) = Stack::parse(input) {
                let labels = fields.iter().filter(|f| f.name == "Label").count();
                prop_assert_eq!(labels, stack.labels as usize);
            }
        }
    }
}

//! Capture filter expressions ("tcp port 445"), as tcpdump knows them.
//!
//! libpcap compiles the expression; the program it makes runs here. That keeps C code
//! away from the frames, and lets `len` mean the length on the wire, which the offline
//! filter of the `pcap` crate takes to be the captured one.

mod place;
pub(crate) mod vlan;

use pcap::{Capture, Linktype};
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use wirewait_wire::{Frame, LinkType};

/// Links that are tried to find out whether an expression makes sense anywhere: some
/// words are only known on one of them.
const LIKELY: [LinkType; 7] = [
    LinkType::ETHERNET,
    LinkType::LINUX_SLL,
    LinkType::LINUX_SLL2,
    LinkType::RAW,
    LinkType::TOKEN_RING,
    LinkType::FDDI,
    LinkType::PPP,
];

/// An expression that libpcap does not understand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilterError {
    /// The expression.
    pub expression: String,
    /// What libpcap says.
    pub message: String,
    /// Which bytes of the expression it is about, where that can be told; none behind its end.
    pub at: Option<Range<usize>>,
}

impl FilterError {
    /// What libpcap says about an expression, and where.
    pub(crate) fn new(expression: &str, message: String) -> Self {
        let at = place::place(expression, &message, |begun| {
            compile(begun, LinkType::ETHERNET).map(|_| ())
        });
        Self {
            expression: expression.to_owned(),
            message,
            at,
        }
    }
}

impl fmt::Display for FilterError {
    /// One line, and two more if the place is known: the expression, and a mark below it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the filter '{}' cannot be used: {}; `man pcap-filter` describes the language",
            self.expression, self.message
        )?;
        let Some(at) = &self.at else {
            return Ok(());
        };
        let before = self.expression.get(..at.start).unwrap_or_default();
        let marked = self.expression.get(at.clone()).unwrap_or_default();
        let blank = " ".repeat(before.chars().count());
        let rest = "~".repeat(marked.chars().count().saturating_sub(1));
        write!(f, "\n  {}\n  {blank}^{rest}", self.expression)
    }
}

impl std::error::Error for FilterError {}

/// A filter expression, compiled for each kind of link on which it meets a frame.
///
/// An expression without the word `vlan` sees a frame without its outermost VLAN tag, as Linux
/// hands frames to the filters of a live capture: `tcp port 445` matches whether there is a tag
/// or not. An expression with that word sees the frame as it is, as `pcap-filter` describes.
#[derive(Clone, Debug)]
pub struct Filter {
    expression: String,
    /// The word `vlan` is in it.
    names_vlans: bool,
    /// The frame at hand without its tag.
    untagged: Vec<u8>,
    tally: FilterTally,
    /// `Err` is libpcap's reason why the expression cannot match on that link.
    programs: BTreeMap<LinkType, Result<Program, String>>,
}

impl Filter {
    /// Checks the expression; an empty one matches everything.
    ///
    /// # Errors
    /// When it makes sense on no common link.
    pub fn compile(expression: &str) -> Result<Self, FilterError> {
        let mut first = None;
        for link in LIKELY {
            match compile(expression, link) {
                Ok(_) => {
                    return Ok(Self {
                        expression: expression.to_owned(),
                        names_vlans: vlan::is_named(expression),
                        untagged: Vec::new(),
                        tally: FilterTally::default(),
                        programs: BTreeMap::new(),
                    });
                }
                Err(message) => {
                    first.get_or_insert(message);
                }
            }
        }
        Err(FilterError::new(expression, first.unwrap_or_default()))
    }

    /// Looks up now what names stand for, on all common links, so that [`Filter::matches`] needs
    /// neither the network nor files for it.
    pub fn prepare(&mut self) {
        for link in LIKELY {
            // Where it makes no sense is told of links that are met.
            if let Ok(program) = compile(&self.expression, link) {
                self.programs.insert(link, Ok(program));
            }
        }
    }

    /// Whether the frame is wanted. On a link where the expression makes no sense,
    /// none is.
    pub fn matches(&mut self, frame: &Frame<'_>) -> bool {
        let program = self
            .programs
            .entry(frame.link)
            .or_insert_with(|| compile(&self.expression, frame.link));
        let Ok(program) = program else {
            return false;
        };
        let tag = vlan::tag(frame.link, frame.bytes);
        let (matches, hidden) = match tag {
            Some(place) if !self.names_vlans => {
                let rest = vlan::without(frame.bytes, place, &mut self.untagged);
                let wire_len = frame.wire_len.saturating_sub(vlan::TAG as u32);
                let hidden = vlan::tag(frame.link, rest).is_some();
                (program.accepts(rest, wire_len), hidden)
            }
            _ => (program.accepts(frame.bytes, frame.wire_len), false),
        };
        self.tally.matched |= matches;
        self.tally.tagged += u64::from(tag.is_some());
        self.tally.missed += u64::from(hidden && !matches);
        matches
    }

    /// What was compiled.
    #[must_use]
    pub fn expression(&self) -> &str {
        &self.expression
    }

    /// What to write instead, where VLAN tags kept frames from matching.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        let Self {
            expression, tally, ..
        } = self;
        if tally.missed > 0 {
            return Some(format!(
                "{} frames with two VLAN tags did not match: a filter looks behind one tag only; \
                 'vlan and vlan and ({expression})' matches behind two",
                tally.missed
            ));
        }
        let unseen = !self.names_vlans && !tally.matched && tally.tagged > 0;
        unseen.then(|| {
            format!(
                "no frame matched, and {} frames have a VLAN tag, which a filter without the \
                 word 'vlan' does not see: 'vlan and ({expression})' sees it",
                tally.tagged
            )
        })
    }

    /// The links met so far on which the expression makes no sense, and why: all their
    /// frames were left out.
    pub fn useless_on(&self) -> impl Iterator<Item = (LinkType, &str)> {
        self.programs
            .iter()
            .filter_map(|(&link, program)| Some((link, program.as_ref().err()?.as_str())))
    }
}

/// What a filter met.
#[derive(Clone, Copy, Debug, Default)]
struct FilterTally {
    /// A frame matched.
    matched: bool,
    /// Frames with a VLAN tag.
    tagged: u64,
    /// Of these, frames with a second one that did not match.
    missed: u64,
}

fn compile(expression: &str, link: LinkType) -> Result<Program, String> {
    // libpcap wants its own DLT, which differs from the file's LINKTYPE for raw IP.
    let dlt = match link {
        LinkType::RAW | LinkType::RAW_BSD => Linktype(12),
        other => Linktype(i32::from(other.0)),
    };
    let handle = Capture::dead(dlt).map_err(|error| error.to_string())?;
    let program = handle
        .compile(expression, true)
        .map_err(|error| match error {
            pcap::Error::PcapError(message) => message,
            other => other.to_string(),
        })?;
    // The crate shows the fields of an instruction in its `Display` only.
    let instructions = program
        .get_instructions()
        .iter()
        .map(|instruction| Instruction::parse(&instruction.to_string()))
        .collect::<Option<Vec<_>>>()
        .ok_or("libpcap made a program that cannot be read")?;
    Ok(Program(instructions))
}

/// A classic BPF program (McCanne and Jacobson, 1993). Jumps only go forward, so it ends.
#[derive(Clone, Debug)]
struct Program(Vec<Instruction>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Instruction {
    code: u16,
    /// Instructions to pass over when the test holds, and when not.
    then: u8,
    otherwise: u8,
    k: u32,
}

impl Instruction {
    /// From "code jt jf k" in decimal.
    fn parse(text: &str) -> Option<Self> {
        let mut fields = text.split_whitespace();
        Some(Self {
            code: fields.next()?.parse().ok()?,
            then: fields.next()?.parse().ok()?,
            otherwise: fields.next()?.parse().ok()?,
            k: fields.next()?.parse().ok()?,
        })
    }
}

/// Words of scratch memory.
const SCRATCH: usize = 16;

impl Program {
    fn accepts(&self, bytes: &[u8], wire_len: u32) -> bool {
        self.run(bytes, wire_len).is_some_and(|length| length > 0)
    }

    /// The value returned; `None` when the program reaches beyond the frame, its
    /// memory or its end, or divides by zero: all of them mean no match.
    fn run(&self, bytes: &[u8], wire_len: u32) -> Option<u32> {
        let (mut a, mut x) = (0_u32, 0_u32);
        let mut memory = [0_u32; SCRATCH];
        let mut at = 0_usize;
        loop {
            let Instruction {
                code,
                then,
                otherwise,
                k,
            } = *self.0.get(at)?;
            at += 1;
            // Class in bits 0 to 2, size or operation above, addressing mode on top.
            match code & 0x07 {
                0x00 => a = load(code, k, x, bytes, wire_len, &memory)?,
                0x01 => {
                    x = match code & 0xe0 {
                        // Four times the low nibble: the length of an IP header.
                        0xa0 => u32::from(*bytes.get(k as usize)? & 0x0f) * 4,
                        _ => load(code, k, x, bytes, wire_len, &memory)?,
                    };
                }
                0x02 => *memory.get_mut(k as usize)? = a,
                0x03 => *memory.get_mut(k as usize)? = x,
                0x04 => a = calculate(code & 0xf0, a, if code & 0x08 != 0 { x } else { k })?,
                0x05 => {
                    let other = if code & 0x08 != 0 { x } else { k };
                    let holds = match code & 0xf0 {
                        0x00 => {
                            at = at.checked_add(k as usize)?;
                            continue;
                        }
                        0x10 => a == other,
                        0x20 => a > other,
                        0x30 => a >= other,
                        0x40 => a & other != 0,
                        _ => return None,
                    };
                    at += usize::from(if holds { then } else { otherwise });
                }
                0x06 => return Some(if code & 0x18 == 0x10 { a } else { k }),
                _ if code & 0x80 != 0 => a = x,
                _ => x = a,
            }
        }
    }
}

fn load(
    code: u16,
    k: u32,
    x: u32,
    bytes: &[u8],
    wire_len: u32,
    memory: &[u32; SCRATCH],
) -> Option<u32> {
    let from = match code & 0xe0 {
        0x00 => return Some(k),
        0x60 => return memory.get(k as usize).copied(),
        0x80 => return Some(wire_len),
        0x20 => k,
        0x40 => x.checked_add(k)?,
        _ => return None,
    };
    let rest = bytes.get(from as usize..)?;
    match code & 0x18 {
        0x00 => rest.first_chunk().map(|raw| u32::from_be_bytes(*raw)),
        0x08 => rest
            .first_chunk()
            .map(|raw| u32::from(u16::from_be_bytes(*raw))),
        0x10 => rest.first().map(|byte| u32::from(*byte)),
        _ => None,
    }
}

fn calculate(operation: u16, a: u32, b: u32) -> Option<u32> {
    Some(match operation {
        0x00 => a.wrapping_add(b),
        0x10 => a.wrapping_sub(b),
        0x20 => a.wrapping_mul(b),
        0x30 => a.checked_div(b)?,
        0x40 => a | b,
        0x50 => a & b,
        0x60 => a.checked_shl(b).unwrap_or(0),
        0x70 => a.checked_shr(b).unwrap_or(0),
        0x80 => a.wrapping_neg(),
        0x90 => a.checked_rem(b)?,
        0xa0 => a ^ b,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use wirewait_wire::Timestamp;

    /// IPv4, TCP from 10.0.0.1 port 40000 to 10.0.0.2 port 445.
    const IP: [u8; 40] = [
        0x45, 0, 0, 40, 0, 1, 0x40, 0, 64, 6, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2, 0x9c, 0x40, 0x01,
        0xbd, 0, 0, 0, 1, 0, 0, 0, 2, 0x50, 0x10, 0x20, 0, 0, 0, 0, 0,
    ];

    fn ethernet() -> Vec<u8> {
        let mut bytes = vec![0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 6, 8, 0];
        bytes.extend(IP);
        bytes
    }

    fn frame(link: LinkType, bytes: &[u8]) -> Frame<'_> {
        Frame {
            at: Timestamp::default(),
            link,
            interface: 0,
            wire_len: 1000,
            bytes,
        }
    }

    fn matches(expression: &str, link: LinkType, bytes: &[u8]) -> bool {
        Filter::compile(expression)
            .unwrap()
            .matches(&frame(link, bytes))
    }

    #[test]
    fn one_expression_works_on_several_links() {
        for (expression, wanted) in [
            ("", true),
            ("tcp port 445", true),
            ("tcp port 446", false),
            ("host 10.0.0.2 and not udp", true),
            ("net 10.0.0.0/24 and portrange 400-500", true),
            ("tcp[tcpflags] & tcp-ack != 0 and tcp[4:4] % 2 = 1", true),
            ("ip[2:2] - ((ip[0] & 0xf) << 2) > 20", false),
            ("ip6 or arp", false),
        ] {
            assert_eq!(
                matches(expression, LinkType::ETHERNET, &ethernet()),
                wanted,
                "{expression}"
            );
            assert_eq!(
                matches(expression, LinkType::RAW, &IP),
                wanted,
                "{expression}"
            );
        }
    }

    #[test]
    fn len_is_the_length_on_the_wire() {
        let bytes = ethernet();
        assert!(matches("greater 1000", LinkType::ETHERNET, &bytes));
        assert!(!matches("less 999", LinkType::ETHERNET, &bytes));
    }

    #[test]
    fn a_frame_too_short_for_the_test_does_not_match() {
        let bytes = ethernet();
        for end in 0..bytes.len() {
            let wanted = end >= 14 + 24;
            assert_eq!(
                matches("tcp dst port 445", LinkType::ETHERNET, &bytes[..end]),
                wanted,
                "{end}"
            );
        }
    }

    #[test]
    fn agrees_with_the_filter_of_libpcap() {
        let frames = [ethernet(), IP.to_vec(), vec![0; 60], vec![0xff; 60], vec![]];
        for expression in [
            "tcp port 445 or udp",
            "ether[0] & 1 = 0",
            "vlan and ip",
            "ipx or netbeui or llc",
            "ip proto \\tcp and tcp[13] = 16",
            "ip[6:2] & 0x1fff = 0 and ip[8] / 2 = 32",
            "ether broadcast or mpls",
        ] {
            let judge = Capture::dead(Linktype(1))
                .unwrap()
                .compile(expression, true)
                .unwrap();
            for bytes in &frames {
                let program = compile(expression, LinkType::ETHERNET).unwrap();
                assert_eq!(
                    program.accepts(bytes, bytes.len() as u32),
                    judge.filter(bytes),
                    "{expression} on {bytes:?}"
                );
            }
        }
    }

    /// The frame with these tags behind its addresses.
    fn tagged(tags: &[[u8; 4]]) -> Vec<u8> {
        let mut bytes = ethernet();
        bytes.splice(12..12, tags.concat());
        bytes
    }

    const VLAN_5: [u8; 4] = [0x81, 0, 0, 5];
    const SERVICE_7: [u8; 4] = [0x88, 0xa8, 0, 7];

    #[test]
    fn one_tag_does_not_hide_what_is_behind_it() {
        let (one, two) = (tagged(&[VLAN_5]), tagged(&[SERVICE_7, VLAN_5]));
        for (expression, behind_one, behind_two) in [
            ("tcp port 445", true, false),
            ("not tcp port 445", false, true),
            ("host 10.0.0.2 and not udp", true, false),
            ("udp", false, false),
            ("less 996", true, true),
            ("less 995", false, false),
            // With the word, the frame is as it is.
            ("vlan", true, true),
            ("vlan 5 and tcp port 445", true, false),
            ("vlan 6", false, false),
            ("vlan and vlan and tcp port 445", false, true),
            ("not vlan", false, false),
        ] {
            let matches = |bytes: &[u8]| matches(expression, LinkType::ETHERNET, bytes);
            assert_eq!(matches(&one), behind_one, "{expression}");
            assert_eq!(matches(&two), behind_two, "{expression}");
        }
        // Linux' cooked capture has its type two bytes further.
        let mut cooked = vec![0; 14];
        cooked.extend(VLAN_5);
        cooked.extend([8, 0]);
        cooked.extend(IP);
        assert!(matches("tcp port 445", LinkType::LINUX_SLL, &cooked));
    }

    #[test]
    fn a_hint_says_how_tags_are_matched() {
        let frames = [ethernet(), tagged(&[VLAN_5]), tagged(&[SERVICE_7, VLAN_5])];
        for (expression, met, hint) in [
            ("tcp port 445", &frames[..2], None),
            ("udp", &frames[..1], None),
            ("udp", &frames[..2], Some("'vlan and (udp)'")),
            (
                "tcp port 445",
                &frames,
                Some("'vlan and vlan and (tcp port 445)'"),
            ),
            ("vlan and tcp port 445", &frames[..2], None),
        ] {
            let mut filter = Filter::compile(expression).unwrap();
            for bytes in met {
                filter.matches(&frame(LinkType::ETHERNET, bytes));
            }
            let said = filter.hint();
            assert_eq!(said.is_some(), hint.is_some(), "{expression}: {said:?}");
            let shown = hint.is_none_or(|hint| said.unwrap().contains(hint));
            assert!(shown, "{expression}");
        }
    }

    #[test]
    fn nonsense_is_refused_and_a_useless_link_is_named() {
        let error = Filter::compile("tcp prot 445").unwrap_err();
        assert!(error.to_string().contains("tcp prot 445"), "{error}");
        assert!(Filter::compile("a\0b").is_err());

        let mut filter = Filter::compile("ether host 0:1:2:3:4:5").unwrap();
        assert!(filter.matches(&frame(LinkType::ETHERNET, &ethernet())));
        assert_eq!(filter.useless_on().count(), 0);
        assert!(!filter.matches(&frame(LinkType::RAW, &IP)));
        let (link, why) = filter.useless_on().next().unwrap();
        assert_eq!(link, LinkType::RAW);
        assert!(!why.is_empty());
    }
}

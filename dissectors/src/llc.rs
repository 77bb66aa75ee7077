//! IEEE 802.2 Logical Link Control, types 1 and 2 (ISO/IEC 8802-2, clause 5).

use crate::ethernet;
use crate::parse::{header, malformed};
use std::fmt;
use wirewait_wire::{
    Carries, Claim, Connection, Deciding, Dissector, Facts, Fault, Fields, Input, Layer, Next,
    Numbered, NumberedKind, Order, Steady, Step, Table, Verified,
};

/// Destination service access points, without the bit that marks a group.
pub const SAP: Table = Table::new("llc.sap");

/// The commands and responses without a number (ISO/IEC 8802-2, 5.4.1.2 and 5.4.2.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unnumbered {
    /// Unnumbered information: data of type 1.
    Ui,
    /// Exchange identification.
    Xid,
    /// Loop-back test of the link.
    Test,
    /// Set asynchronous balanced mode extended: opens or resets a link.
    Sabme,
    /// Disconnect.
    Disc,
    /// Unnumbered acknowledgement of SABME or DISC.
    Ua,
    /// Disconnected mode: there is no link.
    Dm,
    /// Frame reject: the link must be reset.
    Frmr,
    /// Acknowledged connectionless information of type 3 (AC0, AC1).
    Acknowledged,
    /// None of these; the modifier bits.
    Other(u8),
}

/// The control field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// Data of type 2.
    Information {
        /// N(S), the number of this frame, modulo 128.
        send: u8,
        /// N(R), the number expected next from the other side.
        receive: u8,
    },
    /// Receive ready.
    Ready {
        /// N(R).
        receive: u8,
    },
    /// Receive not ready.
    NotReady {
        /// N(R).
        receive: u8,
    },
    /// Reject: send again from N(R) on.
    Reject {
        /// N(R).
        receive: u8,
    },
    /// Without numbers.
    Unnumbered(Unnumbered),
}

/// An LLC header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Destination SAP as written; the low bit marks a group.
    pub destination: u8,
    /// Source SAP without its low bit, which says command or response.
    pub source: u8,
    /// A response; else a command.
    pub response: bool,
    /// Poll bit of a command, final bit of a response.
    pub poll: bool,
    /// What kind of frame it is, and its numbers.
    pub control: Control,
}

impl Header {
    /// Reads a header.
    ///
    /// # Errors
    /// [`Fault::Short`], or [`Fault::Malformed`] for a supervisory function that
    /// type 2 does not have.
    pub fn parse(input: Input<'_>) -> Result<Self, Fault> {
        Self::read(input)
    }

    // Part of what each frame is walked by.
    #[inline(always)]
    fn read(input: Input<'_>) -> Result<Self, Fault> {
        let h: &[u8; 3] = header(input)?;
        let (poll, control) = if h[2] & 3 == 3 {
            let unnumbered = Unnumbered::read(h[2]);
            (h[2] & 0x10 != 0, Control::Unnumbered(unnumbered))
        } else {
            let h: &[u8; 4] = header(input)?;
            let receive = h[3] >> 1;
            let control = match h[2] {
                i if i & 1 == 0 => Control::Information {
                    send: i >> 1,
                    receive,
                },
                // The four bits above the function are reserved and not looked at.
                s if s & 0x0c == 0x00 => Control::Ready { receive },
                s if s & 0x0c == 0x04 => Control::NotReady { receive },
                s if s & 0x0c == 0x08 => Control::Reject { receive },
                _ => return Err(malformed(2, "supervisory function 3")),
            };
            (h[3] & 1 != 0, control)
        };
        Ok(Self {
            destination: h[0],
            source: h[1] & 0xfe,
            response: h[1] & 1 != 0,
            poll,
            control,
        })
    }

    /// Bytes of the header.
    #[must_use]
    pub const fn length(&self) -> u32 {
        match self.control {
            Control::Unnumbered(_) => 3,
            _ => 4,
        }
    }

    /// The place of this frame in the order of its link; `None` for frames of type 1 and 3,
    /// which have no link.
    #[must_use]
    pub const fn numbered(&self) -> Option<Numbered> {
        let (kind, number, expects) = match self.control {
            Control::Information { send, receive } => (NumberedKind::Data, send, Some(receive)),
            Control::Ready { receive } => (NumberedKind::Ready, 0, Some(receive)),
            Control::NotReady { receive } => (NumberedKind::Busy, 0, Some(receive)),
            Control::Reject { receive } => (NumberedKind::Reject, 0, Some(receive)),
            Control::Unnumbered(Unnumbered::Sabme) => (NumberedKind::Open, 0, None),
            Control::Unnumbered(
                Unnumbered::Ua | Unnumbered::Dm | Unnumbered::Disc | Unnumbered::Frmr,
            ) => (NumberedKind::Control, 0, None),
            Control::Unnumbered(_) => return None,
        };
        Some(Numbered {
            kind,
            number: number as u16,
            connection: None,
            modulus: 128,
            expects: match expects {
                Some(receive) => Some(receive as u16),
                None => None,
            },
            poll: self.poll,
            response: self.response,
        })
    }
}

impl Header {
    /// What it does to its link.
    #[must_use]
    pub const fn step(&self) -> Option<Step> {
        match self.control {
            Control::Unnumbered(Unnumbered::Sabme) => Some(Step::Asks),
            Control::Unnumbered(Unnumbered::Ua) => Some(Step::Agrees),
            Control::Unnumbered(Unnumbered::Dm) => Some(Step::Refuses),
            Control::Unnumbered(Unnumbered::Disc) => Some(Step::Ends),
            Control::Unnumbered(Unnumbered::Frmr) => Some(Step::Aborts),
            _ => None,
        }
    }
}

impl Unnumbered {
    fn read(control: u8) -> Self {
        match control & !0x10 {
            0x03 => Self::Ui,
            0xaf => Self::Xid,
            0xe3 => Self::Test,
            0x6f => Self::Sabme,
            0x43 => Self::Disc,
            0x63 => Self::Ua,
            0x0f => Self::Dm,
            0x87 => Self::Frmr,
            0x67 | 0xe7 => Self::Acknowledged,
            other => Self::Other(other),
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Ui => "UI",
            Self::Xid => "XID",
            Self::Test => "TEST",
            Self::Sabme => "SABME",
            Self::Disc => "DISC",
            Self::Ua => "UA",
            Self::Dm => "DM",
            Self::Frmr => "FRMR",
            Self::Acknowledged => "AC",
            Self::Other(_) => "unknown",
        }
    }
}

pub(crate) static DISSECTOR: Dissector = Dissector {
    name: "llc",
    orders: true,
    title: "IEEE 802.2 Logical Link Control",
    aliases: &["802.2", "IEEE 802.2", "DLC"],
    does: "service access points; type 1 data; type 2 numbers, acknowledgements, polls, \
           busy and reject, opening and closing",
    lacks: "type 3 (acknowledged connectionless) is named, not followed",
    verified: &[
        Verified::Specification,
        Verified::RealCaptures,
        Verified::Tshark,
    ],
    claims: &[Claim::Exact(ethernet::LLC.any())],
    conveys: true,
    dissect,
    steady: Some(Steady { decides, varies }),
    describe,
    fields,
    ..Dissector::PLAIN
};

fn dissect(input: Input<'_>, facts: &mut Facts) -> Result<Layer, Fault> {
    let h = Header::parse(input)?;
    facts.from = facts.from.with_port(h.source.into());
    facts.to = facts.to.with_port(h.destination.into());
    facts.order = h.numbered().map_or(Order::None, Order::Numbered);
    facts.connection = h.step().map(|step| Connection::new(step, 0, 0));
    let next = match h.control {
        Control::Information { .. } | Control::Unnumbered(Unnumbered::Ui) => {
            Next::one(SAP.key(u32::from(h.destination & 0xfe)))
        }
        Control::Unnumbered(Unnumbered::Acknowledged | Unnumbered::Other(_)) => Next::NONE,
        _ => {
            facts.carries = Carries::Control;
            Next::NONE
        }
    };
    Ok(Layer {
        header: h.length(),
        end: input.length,
        next,
    })
}

/// The service access points, and what kind of frame it is.
fn decides(input: Input<'_>) -> Option<Deciding> {
    let mask: &[u8] = match Header::parse(input).ok()?.control {
        Control::Information { .. } => &[0xff, 0xff, 0x01],
        Control::Unnumbered(Unnumbered::Ui) => &[0xff, 0xff, 0xff],
        Control::Unnumbered(_) => return None,
        _ => &[0xff, 0xff, 0x03],
    };
    // What stands behind them is the same for many stations.
    Some(Deciding { mask, whom: 0..0 })
}

fn varies(input: Input<'_>, facts: &mut Facts) -> Option<u32> {
    let h = Header::read(input).ok()?;
    facts.order = h.numbered().map_or(Order::None, Order::Numbered);
    Some(input.length)
}

fn describe(input: Input<'_>, out: &mut dyn fmt::Write) -> fmt::Result {
    let Ok(h) = Header::parse(input) else {
        return out.write_str("cut off");
    };
    match h.control {
        Control::Information { send, receive } => write!(out, "I N(S)={send} N(R)={receive}")?,
        Control::Ready { receive } => write!(out, "RR N(R)={receive}")?,
        Control::NotReady { receive } => write!(out, "RNR N(R)={receive}")?,
        Control::Reject { receive } => write!(out, "REJ N(R)={receive}")?,
        Control::Unnumbered(u) => out.write_str(u.name())?,
    }
    out.write_str(match (h.poll, h.response) {
        (true, false) => " P",
        (true, true) => " F",
        (false, _) => "",
    })?;
    out.write_str(if h.response { " response" } else { " command" })?;
    write!(out, ", SAP {:02x} > {:02x}", h.source, h.destination)?;
    let info = input.skip(h.length());
    match (h.control, info.bytes) {
        // ISO/IEC 8802-2, 5.4.1.1.2: format identifier, classes, receive window.
        (Control::Unnumbered(Unnumbered::Xid), [0x81, class, window, ..]) => {
            write!(out, ", class {}, window {}", class & 0x1f, window >> 1)
        }
        // ISO/IEC 8802-2, 5.4.2.3.5: the rejected control field, V(S), V(R), reasons.
        (Control::Unnumbered(Unnumbered::Frmr), [c0, c1, send, receive, why, ..]) => write!(
            out,
            ", rejected {c0:02x}{c1:02x}, V(S)={}, V(R)={}, reasons {:02x}",
            send >> 1,
            receive >> 1,
            why & 0x1f
        ),
        (Control::Information { .. } | Control::Unnumbered(_), _) if info.length > 0 => {
            write!(out, ", length {}", info.length)
        }
        _ => Ok(()),
    }
}

fn fields(f: &mut Fields<'_>) -> Option<()> {
    let destination = f.u8("DSAP")?;
    f.hex().means(sap_name(destination & 0xfe));
    f.flag(0x01, "I/G", "group", "individual");
    let source = f.u8("SSAP")?;
    f.hex().means(sap_name(source & 0xfe));
    let response = f.flag(0x01, "C/R", "response", "command");
    let (set, clear) = match response {
        true => ("final", "not final"),
        false => ("poll", "no poll"),
    };
    let first = f.peek().first().copied().unwrap_or(0);
    if first & 3 == 3 {
        f.u8("Control")?;
        let kind = Unnumbered::read(first);
        f.hex().means(kind.name());
        f.bits(0xec, "Modifier");
        f.flag(0x10, "P/F", set, clear);
        return unnumbered(f, kind);
    }
    let control = f.le16("Control")?;
    f.hex();
    if control & 1 == 0 {
        f.means("I");
        f.bits(0x00fe, "N(S)");
    } else {
        let function = match control & 0x0c {
            0x00 => "RR",
            0x04 => "RNR",
            0x08 => "REJ",
            _ => "not of type 2",
        };
        f.means(function);
        f.bits(0x000c, "Supervisory function");
        f.means(function);
    }
    f.bits(0xfe00, "N(R)");
    f.flag(0x0100, "P/F", set, clear);
    if control & 1 == 1 {
        f.rest("Padding")?;
    }
    Some(())
}

/// Fields behind the control field of an unnumbered frame; the data of UI is the next layer's.
fn unnumbered(f: &mut Fields<'_>, kind: Unnumbered) -> Option<()> {
    match kind {
        // The next layer's.
        Unnumbered::Ui => return Some(()),
        // ISO/IEC 8802-2, 5.4.1.1.2: the basic format.
        Unnumbered::Xid if f.peek().starts_with(&[0x81]) => {
            f.u8("XID format identifier")?;
            f.hex().means("basic");
            f.u8("LLC types")?;
            f.hex();
            f.flag(0x01, "Type 1", "yes", "no");
            f.flag(0x02, "Type 2", "yes", "no");
            f.flag(0x04, "Type 3", "yes", "no");
            f.u8("Receive window size")?;
            f.bits(0xfe, "k");
        }
        // ISO/IEC 8802-2, 5.4.2.3.5.
        Unnumbered::Frmr if f.left() >= 5 => {
            f.le16("Rejected control field")?;
            f.hex();
            f.u8("V(S) of the station")?;
            f.hex();
            f.bits(0xfe, "V(S)");
            f.u8("V(R) of the station, C/R of the rejected frame")?;
            f.hex();
            f.bits(0xfe, "V(R)");
            f.flag(0x01, "C/R rejected", "response", "command");
            f.u8("Reasons")?;
            f.hex();
            f.flag(0x01, "W", "control field invalid or not implemented", "no");
            f.flag(0x02, "X", "information not permitted in this frame", "no");
            f.flag(0x04, "Y", "information longer than the station takes", "no");
            f.flag(0x08, "Z", "N(R) invalid", "no");
            f.flag(0x10, "V", "N(S) invalid", "no");
        }
        _ => {}
    }
    f.rest(match kind {
        Unnumbered::Test => "Test data",
        Unnumbered::Xid | Unnumbered::Acknowledged | Unnumbered::Other(_) => "Information",
        _ => "Padding",
    })?;
    Some(())
}

/// Who is behind a service access point.
fn sap_name(sap: u8) -> &'static str {
    match sap {
        0x00 => "null",
        0x02 => "LLC management",
        0x04 => "SNA path control",
        0x06 => "IP",
        0x08 | 0x0c => "SNA",
        0x0e => "PROWAY",
        0x10 => "NetWare",
        0x42 => "spanning tree",
        0x4e => "EIA RS-511",
        0x7e => "X.25",
        0x80 => "XNS",
        0x8e => "PROWAY active station list",
        0x98 => "ARP",
        0xaa => "SNAP",
        0xba => "Banyan VINES echo",
        0xbc => "Banyan VINES",
        0xe0 => "NetWare IPX",
        0xf0 => "NetBIOS",
        0xf4 => "IBM LAN management",
        0xf8 => "IBM remote program load",
        0xfa => "Ungermann-Bass",
        0xfc => "remote program load",
        0xfe => "OSI network layer",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, line, short_when_cut};
    use proptest::prelude::*;
    use wirewait_wire::Endpoint;

    fn read(bytes: &[u8]) -> (Layer, Facts) {
        let mut facts = Facts {
            from: Endpoint::mac([2, 0, 0, 0, 0, 1]),
            to: Endpoint::mac([2, 0, 0, 0, 0, 2]),
            ..Facts::default()
        };
        let layer = dissect(Input::whole(bytes), &mut facts).unwrap();
        (layer, facts)
    }

    fn numbered(facts: &Facts) -> Numbered {
        match facts.order {
            Order::Numbered(n) => n,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn information_carries_both_numbers() {
        // N(S)=5, N(R)=3, P=1, then the first bytes of a NetBIOS frame.
        let bytes = [0xf0, 0xf0, 0x0a, 0x07, 0x0e, 0x00, 0xff, 0xef, 0x1f];
        let (layer, facts) = read(&bytes);
        assert_eq!((layer.header, layer.end), (4, 9));
        assert_eq!(layer.next.keys().next(), Some(SAP.key(0xf0)));
        assert_eq!(
            numbered(&facts),
            Numbered {
                kind: NumberedKind::Data,
                number: 5,
                connection: None,
                modulus: 128,
                expects: Some(3),
                poll: true,
                response: false,
            }
        );
        assert_eq!(facts.carries, Carries::Nothing, "left to the child");
        assert_eq!((facts.from.port, facts.to.port), (Some(0xf0), Some(0xf0)));
        assert_eq!(
            line(&DISSECTOR, &bytes),
            "I N(S)=5 N(R)=3 P command, SAP f0 > f0, length 5"
        );
    }

    #[test]
    fn supervisory_frames_acknowledge_and_carry_nothing() {
        let (layer, facts) = read(&[0xf0, 0xf0, 0x01, 0x07]);
        assert!(layer.next.is_none());
        assert_eq!(facts.carries, Carries::Control);
        let n = numbered(&facts);
        assert_eq!((n.kind, n.expects), (NumberedKind::Ready, Some(3)));
        assert!(n.poll && !n.response);

        let n = numbered(&read(&[0xf0, 0xf1, 0x09, 0x06]).1);
        assert_eq!((n.kind, n.expects), (NumberedKind::Reject, Some(3)));
        assert!(!n.poll && n.response);

        let n = numbered(&read(&[0xf0, 0xf1, 0x05, 0xff]).1);
        assert_eq!((n.kind, n.expects), (NumberedKind::Busy, Some(127)));
        assert_eq!(
            line(&DISSECTOR, &[0xf0, 0xf1, 0x05, 0xff]),
            "RNR N(R)=127 F response, SAP f0 > f0"
        );
    }

    #[test]
    fn a_link_is_opened_and_closed() {
        let (layer, facts) = read(&[0xf0, 0xf0, 0x7f]);
        assert_eq!((layer.header, layer.next.is_none()), (3, true));
        assert_eq!(facts.carries, Carries::Control);
        assert_eq!(numbered(&facts).kind, NumberedKind::Open);
        assert!(numbered(&facts).poll);
        for (control, name) in [
            (0x73, "UA F response"),
            (0x1f, "DM F response"),
            (0x63, "UA response"),
        ] {
            let bytes = [0xf0, 0xf1, control];
            let n = numbered(&read(&bytes).1);
            assert_eq!((n.kind, n.expects), (NumberedKind::Control, None));
            assert!(line(&DISSECTOR, &bytes).starts_with(name));
        }
        assert_eq!(
            numbered(&read(&[0xf0, 0xf0, 0x53]).1).kind,
            NumberedKind::Control
        );
        let frmr = [0xf0, 0xf1, 0x87, 0x0a, 0x07, 0x04, 0x06, 0x08];
        assert_eq!(
            line(&DISSECTOR, &frmr),
            "FRMR response, SAP f0 > f0, rejected 0a07, V(S)=2, V(R)=3, reasons 08"
        );
    }

    #[test]
    fn type_one_has_no_order() {
        let (layer, facts) = read(&[0xe0, 0xe0, 0x03, 0xff, 0xff]);
        assert_eq!(facts.order, Order::None);
        assert_eq!(layer.next.keys().next(), Some(SAP.key(0xe0)));
        for control in [0xbf, 0xe3] {
            let (layer, facts) = read(&[0x00, 0x01, control, 0x81, 1, 0]);
            assert_eq!(facts.order, Order::None);
            assert_eq!(facts.carries, Carries::Control);
            assert!(layer.next.is_none());
        }
        assert_eq!(
            line(&DISSECTOR, &[0x04, 0x05, 0xbf, 0x81, 0x03, 0x0e]),
            "XID F response, SAP 04 > 04, class 3, window 7"
        );
    }

    #[test]
    fn a_group_is_looked_up_like_its_members() {
        let (layer, facts) = read(&[0xab, 0xaa, 0x03, 0, 0, 0, 8, 0]);
        assert_eq!(layer.next.keys().next(), Some(SAP.key(0xaa)));
        assert_eq!(facts.to.port, Some(0xab));
    }

    #[test]
    fn selective_reject_is_not_of_type_two() {
        assert!(matches!(
            Header::parse(Input::whole(&[0xf0, 0xf0, 0x0d, 0x00])),
            Err(Fault::Malformed { offset: 2, .. })
        ));
    }

    #[test]
    fn a_cut_header_is_short() {
        short_when_cut(&DISSECTOR, &[0xf0, 0xf0, 0x7f]);
        short_when_cut(&DISSECTOR, &[0xf0, 0xf0, 0x0a, 0x07]);
    }

    proptest! {
        #[test]
        fn fields_are_those_of_the_header(bytes in prop::collection::vec(any::<u8>(), 4..14)) {
            let input = Input::whole(&bytes);
            let fields = testing::fields(&DISSECTOR, input);
            let number = |name| testing::number(&fields, name);
            if let Ok(h) = Header::parse(input) {
                prop_assert_eq!(number("DSAP"), Some(h.destination.into()));
                prop_assert_eq!(number("SSAP").map(|s| s & 0xfe), Some(h.source.into()));
                prop_assert_eq!(number("C/R"), Some(h.response.into()));
                prop_assert_eq!(number("P/F"), Some(h.poll.into()));
                let (send, receive) = match h.control {
                    Control::Information { send, receive } => (Some(send), Some(receive)),
                    Control::Ready { receive }
                    | Control::NotReady { receive }
                    | Control::Reject { receive } => (None, Some(receive)),
                    Control::Unnumbered(_) => (None, None),
                };
                prop_assert_eq!(number("N(S)"), send.map(u64::from));
                prop_assert_eq!(number("N(R)"), receive.map(u64::from));
            }
        }
    }
}

//! IEEE 802.2 logical link control, as NetBEUI uses it: unnumbered frames, and type 2 with
//! modulo-128 sequence numbers.

use crate::bytes::Put;

/// The service access point of NetBIOS.
pub const NETBIOS: u8 = 0xf0;

/// The frames of a type 2 link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// Unnumbered information, command.
    Ui,
    /// Set asynchronous balanced mode extended, P=1.
    Sabme,
    /// Unnumbered acknowledgement, F=1.
    Ua,
    /// Disconnect, P=1.
    Disc,
    /// Disconnected mode, F=1.
    Dm,
    /// Information: N(S), N(R), P.
    I(u8, u8, bool),
    /// Receive ready.
    Rr(Supervisory),
    /// Receive not ready: stop sending.
    Rnr(Supervisory),
    /// Reject: send again from N(R).
    Rej(Supervisory),
}

/// What a supervisory frame says besides its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Supervisory {
    /// N(R): the next I-frame expected.
    pub expected: u8,
    /// Poll in a command, final in a response.
    pub poll_final: bool,
    /// A response, not a command.
    pub response: bool,
}

/// The LLC header for NetBIOS and what it carries.
#[must_use]
pub fn pdu(control: Control, information: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(4 + information.len());
    let response = match control {
        Control::Ua | Control::Dm => true,
        Control::Rr(s) | Control::Rnr(s) | Control::Rej(s) => s.response,
        _ => false,
    };
    out.u8(NETBIOS).u8(NETBIOS | u8::from(response));
    match control {
        Control::Ui => out.u8(0x03),
        Control::Sabme => out.u8(0x7f),
        Control::Ua => out.u8(0x73),
        Control::Disc => out.u8(0x53),
        Control::Dm => out.u8(0x1f),
        Control::I(sent, expected, poll) => out
            .u8((sent & 0x7f) << 1)
            .u8((expected & 0x7f) << 1 | u8::from(poll)),
        Control::Rr(s) => supervisory(&mut out, 0x01, s),
        Control::Rnr(s) => supervisory(&mut out, 0x05, s),
        Control::Rej(s) => supervisory(&mut out, 0x09, s),
    };
    out.put(information);
    out
}

fn supervisory(out: &mut Vec<u8>, code: u8, s: Supervisory) -> &mut Vec<u8> {
    out.u8(code)
        .u8((s.expected & 0x7f) << 1 | u8::from(s.poll_final))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_vectors_of_the_sheet() {
        assert_eq!(pdu(Control::Sabme, &[]), [0xf0, 0xf0, 0x7f]);
        assert_eq!(pdu(Control::Ua, &[]), [0xf0, 0xf1, 0x73]);
        let poll = Supervisory {
            expected: 3,
            poll_final: true,
            response: false,
        };
        assert_eq!(pdu(Control::Rr(poll), &[]), [0xf0, 0xf0, 0x01, 0x07]);
        let reject = Supervisory {
            expected: 3,
            poll_final: false,
            response: true,
        };
        assert_eq!(pdu(Control::Rej(reject), &[]), [0xf0, 0xf1, 0x09, 0x06]);
        assert_eq!(
            pdu(Control::I(5, 3, true), &[1]),
            [0xf0, 0xf0, 0x0a, 0x07, 1]
        );
    }
}

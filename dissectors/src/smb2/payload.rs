//! What other protocol a message carries: DCE/RPC in what is written to, read from or
//! transacted on a pipe.

use super::commands::{BODY, command};
use super::{Header, RESPONSE};
use crate::dcerpc;
use crate::parse::{le16, le32};
use wirewait_wire::Key;

/// The key of the protocol carried, and where it begins in the message. Only a message of
/// one part can carry one: what follows its data would be lost otherwise.
pub(super) fn carried(h: &Header, message: &[u8]) -> Option<(u32, Key)> {
    if h.next != Some(0) {
        return None;
    }
    let at = data_at(h, message).filter(|at| *at >= Header::LENGTH)?;
    let data = message.get(at as usize..)?;
    // Nothing in a read or write says that its file is a pipe.
    dcerpc::looks_like(data).then_some((at, dcerpc::PIPE.any()))
}

/// Whether a request to write writes a remote procedure call.
pub(super) fn is_call(h: &Header, message: &[u8]) -> bool {
    let at = data_at(h, message).filter(|at| *at >= Header::LENGTH);
    let data = at.and_then(|at| message.get(at as usize..));
    data.is_some_and(dcerpc::is_call)
}

/// Where a message of one part can be cut off that reads or writes a file: behind enough of its data to know that no call
/// is in it.
pub(super) fn head(h: &Header, message: &[u8]) -> Option<u32> {
    if h.next != Some(0) || h.command == command::IOCTL {
        return None;
    }
    let at = data_at(h, message).filter(|at| *at >= Header::LENGTH)?;
    dcerpc::cut(message, at as usize)
}

/// Where the data of a read, a write or a transaction on a pipe begins (2.2.20, 2.2.21,
/// 2.2.31, 2.2.32).
fn data_at(h: &Header, b: &[u8]) -> Option<u32> {
    const PIPE_TRANSCEIVE: u32 = 0x0011_c017;
    let size = le16(b, BODY)?;
    match (h.command, h.has(RESPONSE)) {
        (command::READ, true) if size == 17 => b.get(66).map(|at| u32::from(*at)),
        (command::WRITE, false) => le16(b, 66).map(u32::from),
        (command::IOCTL, response) if le32(b, 68) == Some(PIPE_TRANSCEIVE) => match response {
            false => le32(b, 88),
            true if size == 49 => le32(b, 96),
            true => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{compound, message, with};
    use super::super::{DISSECTOR, RESPONSE, dissect, exchange};
    use super::*;
    use crate::testing;
    use wirewait_wire::{Facts, Input};

    /// A shutdown: nothing but the common header (C706 12.6.4.12).
    const PDU: [u8; 16] = [5, 0, 17, 3, 0x10, 0, 0, 0, 16, 0, 0, 0, 1, 0, 0, 0];

    fn payload(m: &[u8]) -> Option<u32> {
        let layer = dissect(Input::whole(m), &mut Facts::default()).unwrap();
        let fields = testing::fields(&DISSECTOR, Input::whole(m));
        let end = fields.last().unwrap().end;
        let key = layer.next.keys().next()?;
        assert_eq!(key, dcerpc::PIPE.any());
        assert_eq!(end, layer.header, "the rest is another layer's");
        Some(layer.header)
    }

    fn body(size: u8, length: usize, fields: &[(usize, u32)]) -> Vec<u8> {
        let mut b = vec![0; length];
        b[0] = size;
        for (at, value) in fields {
            b[at - BODY..at - BODY + 4].copy_from_slice(&value.to_le_bytes());
        }
        b.extend(PDU);
        b
    }

    #[test]
    fn what_moves_on_a_pipe_is_known_by_its_appearance() {
        let write = message(0x09, 0, 3, &body(49, 48, &[(66, 112), (68, 16)]));
        assert_eq!(payload(&write), Some(112));
        assert_eq!(payload(&with(write, 112, &[7])), None, "no PDU");
        let read = message(0x08, RESPONSE, 3, &body(17, 16, &[(66, 80), (68, 16)]));
        assert_eq!(payload(&read), Some(80));
    }

    #[test]
    fn transactions_on_pipes_carry_it_both_ways() {
        let code = (68, 0x0011_c017);
        let asked = body(57, 56, &[code, (88, 120), (92, 16)]);
        let asked = message(0x0b, 0, 3, &asked);
        assert_eq!(payload(&asked), Some(120));
        let answer = body(49, 48, &[code, (88, 112), (96, 112), (100, 16)]);
        assert_eq!(payload(&message(0x0b, RESPONSE, 3, &answer)), Some(112));
        let other = with(asked, 68, &0x0009_009cu32.to_le_bytes());
        assert_eq!(payload(&other), None);
    }

    #[test]
    fn a_part_of_a_compound_keeps_its_data() {
        let write = message(0x09, 0, 3, &body(49, 48, &[(66, 112), (68, 16)]));
        assert_eq!(payload(&compound(&[write.clone(), write])), None);
    }

    /// As for SMB1.
    #[test]
    fn of_data_that_nobody_reads_little_is_needed() {
        let head = |m: &[u8]| head(&Header::parse(Input::whole(m)).unwrap(), m);
        let write = message(0x09, 0, 3, &body(49, 48, &[(66, 112), (68, 16)]));
        assert_eq!(head(&write), None, "a call");
        assert_eq!(head(&with(write.clone(), 112, &[7])), Some(112 + 16));
        assert_eq!(
            head(&with(write.clone(), 112, &[7])[..127]),
            None,
            "too few to tell"
        );
        let read = message(0x08, RESPONSE, 3, &body(17, 16, &[(66, 80), (68, 16)]));
        let read = with(read, 80, &[7]);
        assert_eq!(head(&read), Some(80 + 16));
        let file = with(write, 112, &[7]);
        for m in [read, file.clone()] {
            let m = [m, vec![7; 99]].concat();
            let cut = Input {
                bytes: &m[..head(&m).unwrap() as usize],
                length: m.len() as u32,
            };
            let [all, some] = [Input::whole(&m), cut].map(|m| format!("{:?}", exchange(m)));
            assert_eq!(all, some);
        }
        assert_eq!(head(&compound(&[file.clone(), file])), None);
    }
}

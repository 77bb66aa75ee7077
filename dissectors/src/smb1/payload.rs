//! What other protocol a message carries: DCE/RPC in what is written to, read from or
//! transacted on a pipe; what is written to a mailslot.

use super::andx::{Block, Blocks};
use super::{Command, Header, transact};
use crate::{dcerpc, mailslot};
use wirewait_wire::{Input, Key};

/// The key of the protocol carried, and where it begins in the message. Only a last block
/// can carry one: what follows its data would be lost otherwise.
pub(super) fn carried(h: &Header, message: Input<'_>) -> Option<(u32, Key)> {
    let block = Blocks::new(h, message).last()?;
    let at = data_at(&block, h.response)?;
    let place = u32::try_from(at).ok()?;
    let data = message.bytes.get(at..).filter(|data| !data.is_empty())?;
    if block.command == Command::TRANSACTION && !h.response && transact::is_mailslot(&block) {
        let known = |entry: &&(&[u8], Key)| transact::is_named(&block, entry.0);
        return Some((place, mailslot::KNOWN.iter().find(known)?.1));
    }
    // Nothing in a read or write says that its file is a pipe.
    dcerpc::looks_like(data).then_some((place, dcerpc::PIPE.any()))
}

/// Whether a request writes a remote procedure call.
pub(super) fn is_call(h: &Header, message: Input<'_>) -> bool {
    let block = Blocks::new(h, message).last();
    let block = block.filter(|b| matches!(b.command, Command::WRITE | Command::WRITE_ANDX));
    let at = block.and_then(|block| data_at(&block, false));
    let data = at.and_then(|at| message.bytes.get(at..));
    data.is_some_and(dcerpc::is_call)
}

/// Where a message can be cut off that reads or writes a file: behind enough of its data to know that no call is in it.
pub(super) fn head(h: &Header, message: Input<'_>) -> Option<u32> {
    let at = data_at(&Blocks::new(h, message).last()?, h.response)?;
    dcerpc::cut(message.bytes, at)
}

/// Where the data of a read, a write or a transaction begins, if there is any.
fn data_at(b: &Block<'_>, response: bool) -> Option<usize> {
    let (count, at) = match (b.command, response) {
        (Command::READ_ANDX, true) => (b.u16(10)?, b.u16(12)?),
        (Command::WRITE_ANDX, false) => (b.u16(20)?, b.u16(22)?),
        (Command::TRANSACTION, false) => (b.u16(22)?, b.u16(24)?),
        (Command::TRANSACTION, true) => (b.u16(12)?, b.u16(14)?),
        // The bytes: 01, length, data (MS-CIFS 2.2.4.11.2, 2.2.4.12.1).
        (Command::READ, true) | (Command::WRITE, false) => {
            return (b.bytes().first() == Some(&1)).then(|| b.bytes_at() + 3);
        }
        _ => return None,
    };
    let at = usize::from(at);
    (count > 0 && at >= b.bytes_at()).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{message, words};
    use super::super::{DISSECTOR, dissect, exchange};
    use super::*;
    use wirewait_wire::Facts;

    /// A shutdown: nothing but the common header (C706 12.6.4.12).
    const PDU: [u8; 16] = [5, 0, 17, 3, 0x10, 0, 0, 0, 16, 0, 0, 0, 1, 0, 0, 0];

    fn payload(m: &[u8]) -> Option<(u32, bool)> {
        let layer = dissect(Input::whole(m), &mut Facts::default()).unwrap();
        let key = layer.next.keys().next()?;
        assert_eq!(layer.end as usize, m.len(), "{}", DISSECTOR.name);
        Some((layer.header, key == dcerpc::PIPE.any()))
    }

    #[test]
    fn what_moves_on_a_pipe_is_known_by_its_appearance() {
        let write = |data: &[u8]| {
            let w = words([0xff, 0, 7, 0, 0, 0, 0, 8, 16, 0, 16, 63, 0, 0]);
            message(0x2f, 0, &w, data)
        };
        assert_eq!(payload(&write(&PDU)), Some((63, true)));
        assert_eq!(payload(&write(&[7; 16])), None);
        let read = words([0xff, 0, 0, 0, 0, 16, 59, 0, 0, 0, 0, 0]);
        assert_eq!(payload(&message(0x2e, 0x80, &read, &PDU)), Some((59, true)));
        let core = [&[1, 16, 0][..], &PDU].concat();
        let w = words([16, 0, 0, 0, 0]);
        assert_eq!(payload(&message(0x0a, 0x80, &w, &core)), Some((48, true)));
        let w = words([7, 16, 0, 0, 0]);
        assert_eq!(payload(&message(0x0b, 0, &w, &core)), Some((48, true)));
    }

    /// A bind (11) is answered, a shutdown (17) is not (C706 12.6.3.1).
    #[test]
    fn a_remote_call_is_known_by_what_is_written() {
        let bind = [&PDU[..2], &[11], &PDU[3..]].concat();
        let called = |command, words: &[u8], data: &[u8]| {
            let m = message(command, 0, words, data);
            let input = Input::whole(&m);
            is_call(&Header::parse(input).unwrap(), input)
        };
        let w = words([0xff, 0, 7, 0, 0, 0, 0, 8, 16, 0, 16, 63, 0, 0]);
        assert!(called(0x2f, &w, &bind));
        assert!(!called(0x2f, &w, &PDU));
        let core = words([7, 16, 0, 0, 0]);
        assert!(called(0x0b, &core, &[&[1, 16, 0][..], &bind].concat()));
    }

    #[test]
    fn transactions_on_pipes_carry_it_both_ways() {
        let mut w = words([0, 16, 0, 1024, 0, 0, 0, 0, 0, 0, 67, 16, 75, 2, 0x26, 7]);
        let bytes = [&b"\\PIPE\\\0\0"[..], &PDU].concat();
        assert_eq!(payload(&message(0x25, 0, &w, &bytes)), Some((75, true)));
        w[24] = 60;
        assert_eq!(payload(&message(0x25, 0, &w, &bytes)), None, "in the words");
        let w = words([0, 16, 0, 0, 56, 0, 16, 56, 0, 0]);
        let bytes = [&[0][..], &PDU].concat();
        assert_eq!(payload(&message(0x25, 0x80, &w, &bytes)), Some((56, true)));
    }

    #[test]
    fn mailslots_are_told_apart_by_name() {
        let send = |name: &[u8]| {
            let mut bytes = name.to_vec();
            bytes.resize(31, 0);
            bytes.extend([1, 2, 3]);
            let w = words([0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 100, 3, 1, 1, 2]);
            let m = message(0x25, 0, &w, &bytes);
            let layer = dissect(Input::whole(&m), &mut Facts::default()).unwrap();
            layer.next.keys().next().map(|key| (layer.header, key))
        };
        let browse = Some((100, mailslot::BROWSE));
        assert_eq!(send(b"\\MAILSLOT\\BROWSE\0"), browse);
        assert_eq!(send(b"\\MailSlot\\Browse\0"), browse);
        let netlogon = Some((100, mailslot::NETLOGON));
        assert_eq!(send(b"\\MAILSLOT\\NET\\NTLOGON\0"), netlogon);
        assert_eq!(send(b"\\MAILSLOT\\OTHER\0"), None);
    }

    #[test]
    fn what_is_chained_behind_stays_with_the_message() {
        let w = words([0x04, 79, 7, 0, 0, 0, 0, 8, 16, 0, 16, 63, 0, 0]);
        let mut m = message(0x2f, 0, &w, &PDU);
        m.extend([3, 7, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(payload(&m), None);
    }

    /// Of what moves to or from a file as much is needed as tells that it is no call on a pipe; of all else all.
    #[test]
    fn of_data_that_nobody_reads_little_is_needed() {
        let head = |m: &[u8]| head(&Header::parse(Input::whole(m)).unwrap(), Input::whole(m));
        let w = words([0xff, 0, 7, 0, 0, 0, 0, 8, 16, 0, 16, 63, 0, 0]);
        assert_eq!(head(&message(0x2f, 0, &w, &[7; 16])), Some(63 + 16));
        assert_eq!(
            head(&message(0x2f, 0, &w, &[7; 15])),
            None,
            "too few to tell"
        );
        assert_eq!(head(&message(0x2f, 0, &w, &PDU)), None, "a call");
        let read = words([0xff, 0, 0, 0, 0, 16, 59, 0, 0, 0, 0, 0]);
        assert_eq!(head(&message(0x2e, 0x80, &read, &[7; 99])), Some(59 + 16));
        assert_eq!(
            head(&message(0x2e, 0, &read, &[7; 99])),
            None,
            "a request to read"
        );
        for m in [
            message(0x2f, 0, &w, &[7; 16]),
            message(0x2e, 0x80, &read, &[7; 99]),
        ] {
            let cut = Input {
                bytes: &m[..head(&m).unwrap() as usize],
                length: m.len() as u32,
            };
            let [all, some] = [Input::whole(&m), cut].map(|m| format!("{:?}", exchange(m)));
            assert_eq!(all, some);
        }
        let mut chained = message(
            0x2f,
            0,
            &words([0x04, 79, 7, 0, 0, 0, 0, 8, 16, 0, 16, 63, 0, 0]),
            &[7; 16],
        );
        chained.extend([3, 7, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(head(&chained), None, "another command is behind it");
    }
}

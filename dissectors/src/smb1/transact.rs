//! TRANSACTION, TRANSACTION2 and NT_TRANSACT: requests that carry a subfunction and, in
//! parameters and data, more than one message holds. MS-CIFS 2.2.4.33, 2.2.4.46, 2.2.4.62
//! (messages), 2.2.5 to 2.2.7 (subfunctions), 3.2.4.1.5 (multi-part transactions).

use super::andx::Block;
use super::{Command, rap};
use crate::parse::le16;
use wirewait_wire::{Kind, Operation, Parts};

/// What the first message of a transaction says.
#[derive(Clone, Copy, Debug)]
pub(super) struct Request {
    /// The subfunction, if one was captured and the specification knows it; else the
    /// transaction itself.
    pub(super) operation: &'static Operation,
    /// The number under which it is known.
    pub(super) code: u32,
    /// Flag 0x0002: the server does not answer.
    pub(super) one_way: bool,
    /// Written to a mailslot, which nobody answers.
    pub(super) mailslot: bool,
    /// The FID that a pipe or file subfunction names in its setup words.
    pub(super) fid: Option<u16>,
}

/// Reads a primary request.
pub(super) fn request(b: &Block<'_>) -> Request {
    if let Some(function) = rap::function(b) {
        return Request {
            operation: rap::named(function).unwrap_or(b.command.operation()),
            code: rap::code(function),
            one_way: is_one_way(b),
            mailslot: false,
            fid: None,
        };
    }
    let (table, subfunction, fid): (&'static [(u16, Operation)], _, _) = match b.command {
        Command::NT_TRANSACT => {
            let fid = match b.u16(36) {
                // FSCTL code and FID; completion filter and FID (MS-CIFS 2.2.7.2, .4).
                Some(2 | 4) => b.u16(42),
                _ => None,
            };
            (&NT_FUNCTIONS, b.u16(36), fid)
        }
        Command::TRANSACTION2 => {
            let fid = match setup(b) {
                // The parameters of QUERY_ and SET_FILE_INFORMATION begin with it.
                Some(7 | 8) => parameters_at(b).and_then(|at| le16(b.message.bytes, at)),
                _ => None,
            };
            (&TRANS2, setup(b), fid)
        }
        // Mailslots have three setup words, pipes two: subfunction and FID (MS-CIFS 2.2.5).
        _ if is_mailslot(b) => (&MAILSLOT, setup(b), None),
        _ => {
            let fid = b.u8(26).filter(|n| *n == 2).and_then(|_| b.u16(30));
            (&PIPE, setup(b), fid)
        }
    };
    let known = subfunction.and_then(|number| table.iter().find(|entry| entry.0 == number));
    Request {
        operation: known.map_or(b.command.operation(), |entry| &entry.1),
        code: b.command.code(subfunction),
        one_way: b.command != Command::NT_TRANSACT && is_one_way(b),
        mailslot: std::ptr::eq(table, &MAILSLOT),
        fid,
    }
}

/// How much of the request this message is: a primary or a secondary one.
pub(super) fn request_parts(b: &Block<'_>) -> Parts {
    let [got, of] = match b.command {
        Command::NT_TRANSACT => [long(b, 19, 27), long(b, 3, 7)],
        Command::NT_TRANSACT_SECONDARY => [long(b, 11, 23), long(b, 3, 7)],
        Command::TRANSACTION | Command::TRANSACTION2 => [short(b, 18, 22), short(b, 0, 2)],
        Command::TRANSACTION_SECONDARY | Command::TRANSACTION2_SECONDARY => {
            [short(b, 4, 10), short(b, 0, 2)]
        }
        _ => return Parts::Whole,
    };
    counted(b, got, of)
}

/// How much of the response this message is.
pub(super) fn response_parts(b: &Block<'_>) -> Parts {
    let [got, of] = match b.command {
        Command::NT_TRANSACT => [long(b, 11, 23), long(b, 3, 7)],
        Command::TRANSACTION | Command::TRANSACTION2 => [short(b, 6, 12), short(b, 0, 2)],
        _ => return Parts::Whole,
    };
    counted(b, got, of)
}

/// Whether a command is one of the three.
pub(super) const fn is_transaction(command: Command) -> bool {
    matches!(
        command,
        Command::TRANSACTION | Command::TRANSACTION2 | Command::NT_TRANSACT
    )
}

/// Where the path of a TRANSACTION2 request begins, from the start of the message: behind
/// the fixed part of its parameters (MS-CIFS 2.2.6.1 to .14).
pub(super) fn path_at(b: &Block<'_>) -> Option<usize> {
    let fixed = match setup(b)? {
        0x00 => 28,
        0x01 => 12,
        0x05 | 0x06 => 6,
        0x0d => 4,
        0x10 => 2,
        _ => return None,
    };
    Some(parameters_at(b)? + fixed)
}

/// Where the parameters of a TRANSACTION or TRANSACTION2 request begin.
pub(super) fn parameters_at(b: &Block<'_>) -> Option<usize> {
    let at = usize::from(b.u16(20)?);
    (at >= b.bytes_at()).then_some(at)
}

fn counted(b: &Block<'_>, got: Option<[u32; 2]>, of: Option<[u32; 2]>) -> Parts {
    match (got, of) {
        (Some(got), Some(of)) => Parts::Counted { got, of },
        // Cut off between the two: all that the message has, padding included.
        (None, Some([parameters, data])) if b.cut_bytes() > 0 => Parts::Counted {
            got: [b.cut_bytes(), 0],
            of: [parameters.saturating_add(data), 0],
        },
        // Cut off, or an error without words: nothing says that there is more.
        _ => Parts::Whole,
    }
}

fn short(b: &Block<'_>, parameters: usize, data: usize) -> Option<[u32; 2]> {
    Some([b.u16(parameters)?.into(), b.u16(data)?.into()])
}

fn long(b: &Block<'_>, parameters: usize, data: usize) -> Option<[u32; 2]> {
    Some([b.u32(parameters)?, b.u32(data)?])
}

/// The first setup word of TRANSACTION and TRANSACTION2, if there is one.
pub(super) fn setup(b: &Block<'_>) -> Option<u16> {
    b.u8(26).filter(|count| *count > 0).and_then(|_| b.u16(28))
}

fn is_one_way(b: &Block<'_>) -> bool {
    b.u16(10).is_some_and(|flags| flags & 2 != 0)
}

/// Whether a TRANSACTION request writes to a mailslot: by its three setup words, or by its
/// name.
pub(super) fn is_mailslot(b: &Block<'_>) -> bool {
    b.u8(26) == Some(3) || is_named(b, b"\\MAILSLOT\\")
}

/// Whether the name in the bytes begins like this, in any case, in one byte a character or
/// two (then behind one byte of padding).
pub(super) fn is_named(b: &Block<'_>, name: &[u8]) -> bool {
    let bytes = b.bytes();
    let plain = bytes.get(..name.len());
    let wide = bytes.get(1..1 + 2 * name.len());
    plain.is_some_and(|n| n.eq_ignore_ascii_case(name))
        || wide.is_some_and(|n| {
            n.chunks_exact(2)
                .zip(name)
                .all(|(c, name)| c[0].eq_ignore_ascii_case(name) && c[1] == 0)
        })
}

/// MS-CIFS 2.2.5.12.
static MAILSLOT: [(u16, Operation); 1] = [(
    0x01,
    Operation::new("TRANS_MAILSLOT_WRITE", Kind::Other, false),
)];

/// MS-CIFS 2.2.5. What is read from a pipe is no file data: these stay out of the classes
/// of reads and writes.
static PIPE: [(u16, Operation); 11] = [
    (
        0x01,
        Operation::new("TRANS_SET_NMPIPE_STATE", Kind::Transaction, true),
    ),
    (
        0x11,
        Operation::new("TRANS_RAW_READ_NMPIPE", Kind::Wait, false),
    ),
    (
        0x21,
        Operation::new("TRANS_QUERY_NMPIPE_STATE", Kind::Transaction, true),
    ),
    (
        0x22,
        Operation::new("TRANS_QUERY_NMPIPE_INFO", Kind::Transaction, true),
    ),
    (
        0x23,
        Operation::new("TRANS_PEEK_NMPIPE", Kind::Transaction, true),
    ),
    (
        0x26,
        Operation::new("TRANS_TRANSACT_NMPIPE", Kind::Transaction, false),
    ),
    (
        0x31,
        Operation::new("TRANS_RAW_WRITE_NMPIPE", Kind::Transaction, false),
    ),
    (0x36, Operation::new("TRANS_READ_NMPIPE", Kind::Wait, false)),
    (
        0x37,
        Operation::new("TRANS_WRITE_NMPIPE", Kind::Transaction, false),
    ),
    (0x53, Operation::new("TRANS_WAIT_NMPIPE", Kind::Wait, true)),
    (
        0x54,
        Operation::new("TRANS_CALL_NMPIPE", Kind::Transaction, false),
    ),
];

/// MS-CIFS 2.2.6.
static TRANS2: [(u16, Operation); 17] = [
    (0x00, Operation::new("TRANS2_OPEN2", Kind::Open, false)),
    (
        0x01,
        Operation::new("TRANS2_FIND_FIRST2", Kind::Directory, true),
    ),
    (
        0x02,
        Operation::new("TRANS2_FIND_NEXT2", Kind::Directory, false),
    ),
    (
        0x03,
        Operation::new("TRANS2_QUERY_FS_INFORMATION", Kind::Directory, true),
    ),
    (
        0x04,
        Operation::new("TRANS2_SET_FS_INFORMATION", Kind::Directory, true),
    ),
    (
        0x05,
        Operation::new("TRANS2_QUERY_PATH_INFORMATION", Kind::Directory, true),
    ),
    (
        0x06,
        Operation::new("TRANS2_SET_PATH_INFORMATION", Kind::Directory, true),
    ),
    (
        0x07,
        Operation::new("TRANS2_QUERY_FILE_INFORMATION", Kind::Directory, true),
    ),
    (
        0x08,
        Operation::new("TRANS2_SET_FILE_INFORMATION", Kind::Directory, true),
    ),
    (0x09, Operation::new("TRANS2_FSCTL", Kind::Other, false)),
    (0x0a, Operation::new("TRANS2_IOCTL2", Kind::Other, false)),
    (
        0x0b,
        Operation::new("TRANS2_FIND_NOTIFY_FIRST", Kind::Wait, false),
    ),
    (
        0x0c,
        Operation::new("TRANS2_FIND_NOTIFY_NEXT", Kind::Wait, false),
    ),
    (
        0x0d,
        Operation::new("TRANS2_CREATE_DIRECTORY", Kind::Directory, false),
    ),
    (
        0x0e,
        Operation::new("TRANS2_SESSION_SETUP", Kind::Session, true),
    ),
    (
        0x10,
        Operation::new("TRANS2_GET_DFS_REFERRAL", Kind::Directory, true),
    ),
    (
        0x11,
        Operation::new("TRANS2_REPORT_DFS_INCONSISTENCY", Kind::Directory, true),
    ),
];

/// MS-CIFS 2.2.7, MS-SMB 2.2.7.5 and 2.2.7.6.
static NT_FUNCTIONS: [(u16, Operation); 8] = [
    (1, Operation::new("NT_TRANSACT_CREATE", Kind::Open, false)),
    (2, Operation::new("NT_TRANSACT_IOCTL", Kind::Other, false)),
    (
        3,
        Operation::new("NT_TRANSACT_SET_SECURITY_DESC", Kind::Directory, true),
    ),
    (
        4,
        Operation::new("NT_TRANSACT_NOTIFY_CHANGE", Kind::Wait, false),
    ),
    (
        5,
        Operation::new("NT_TRANSACT_RENAME", Kind::Directory, false),
    ),
    (
        6,
        Operation::new("NT_TRANSACT_QUERY_SECURITY_DESC", Kind::Directory, true),
    ),
    (
        7,
        Operation::new("NT_TRANSACT_QUERY_QUOTA", Kind::Directory, true),
    ),
    (
        8,
        Operation::new("NT_TRANSACT_SET_QUOTA", Kind::Directory, true),
    ),
];

#[cfg(test)]
mod tests {
    use super::super::tests::{meaning, message, with_status, words};
    use wirewait_wire::{Expect, Input, Kind, Parts, Role, Side};

    /// TRANSACTION2 or TRANSACTION: 4 of 4 bytes of parameters at 68, `data` of `total`.
    fn transaction<const N: usize>(
        command: u8,
        flags: u16,
        [data, total]: [u16; 2],
        setup: [u16; N],
        bytes: &[u8],
    ) -> Vec<u8> {
        let mut w = words([4, total, 10, 1024, 0, flags, 0, 0, 0, 4, 68, data, 72]);
        w.extend(words([u16::try_from(N).unwrap()]));
        w.extend(words(setup));
        message(command, 0, &w, bytes)
    }

    const REPLY: u8 = 0x80;

    #[test]
    fn subfunctions_have_their_own_operations() {
        let x = meaning(&transaction(0x32, 0, [0, 0], [1], &[0; 7]));
        assert_eq!(x.operation.name, "TRANS2_FIND_FIRST2");
        assert_eq!((x.operation.kind, x.code), (Kind::Directory, 0x8000_0132));
        let x = meaning(&transaction(0x32, 0, [0, 0], [0x77], &[]));
        assert_eq!((x.operation.name, x.code), ("TRANSACTION2", 0x8000_7732));
        let x = meaning(&transaction(0x25, 0, [8, 8], [0x26, 7], b"\\PIPE\\\0"));
        assert_eq!(x.operation.name, "TRANS_TRANSACT_NMPIPE");
        assert_eq!(x.file.unwrap().handle, 7);
        let x = meaning(&transaction(0x25, 0, [8, 8], [], b"\\PIPE\\OTHER\0"));
        assert_eq!((x.operation.name, x.code), ("TRANSACTION", 0x25));
    }

    #[test]
    fn the_file_of_an_information_level_stands_in_the_parameters() {
        // Bytes begin at 65: padding, then the parameters at 68.
        let x = meaning(&transaction(0x32, 0, [0, 0], [7], &[0, 0, 0, 9, 0, 1, 1]));
        assert_eq!(x.operation.name, "TRANS2_QUERY_FILE_INFORMATION");
        assert_eq!(x.file.unwrap().handle, 9);
    }

    #[test]
    fn requests_and_responses_are_counted() {
        let x = meaning(&transaction(0x32, 0, [100, 500], [5], &[]));
        let part = |got, of| Parts::Counted { got, of };
        assert_eq!(x.parts, part([4, 100], [4, 500]));
        assert_eq!((x.role, x.expect), (Role::Request, Expect::Response));
        let more = meaning(&message(
            0x33,
            0,
            &words([4, 500, 0, 0, 0, 400, 53, 100, 7]),
            &[],
        ));
        assert_eq!((more.role, more.id), (Role::More, x.id));
        assert_eq!(more.parts, part([0, 400], [4, 500]));

        let reply = meaning(&message(
            0x32,
            REPLY,
            &words([10, 900, 0, 10, 56, 0, 300, 68, 0, 0]),
            &[],
        ));
        assert_eq!((reply.role, reply.id), (Role::Response, x.id));
        assert_eq!(reply.parts, part([10, 300], [10, 900]));
        let refused = with_status(message(0x32, REPLY, &[], &[]), 0xc000_0022, 0x4000);
        assert_eq!(meaning(&refused).parts, Parts::Whole);
        assert_eq!(meaning(&refused).role, Role::Response);
    }

    /// 96 bytes of a frame leave 38 of the message, with the totals: what it has shows in its length.
    #[test]
    fn parts_that_are_cut_off_are_counted_by_their_length() {
        let whole = message(
            0x32,
            REPLY,
            &words([10, 900, 0, 10, 56, 0, 300, 68, 0, 0]),
            &[0; 313],
        );
        let cut = Input {
            bytes: &whole[..38],
            length: whole.len() as u32,
        };
        let x = super::super::exchange(cut).unwrap().exchange.unwrap();
        assert_eq!(
            x.parts,
            Parts::Counted {
                got: [313, 0],
                of: [910, 0]
            }
        );
        let cut = Input {
            bytes: &whole[..36],
            length: whole.len() as u32,
        };
        let x = super::super::exchange(cut).unwrap().exchange.unwrap();
        assert_eq!(x.parts, Parts::Whole, "the totals are cut off, too");
    }

    #[test]
    fn an_empty_success_asks_for_the_rest() {
        for command in [0x25, 0x32, 0xa0] {
            let x = meaning(&message(command, REPLY, &[], &[]));
            assert_eq!((x.role, x.sender), (Role::Interim, Side::Server));
        }
        let other = meaning(&message(0x04, REPLY, &[], &[]));
        assert_eq!(other.role, Role::Response);
    }

    #[test]
    fn mailslots_and_one_way_transactions_are_not_answered() {
        let mailslot = transaction(0x25, 0, [8, 8], [1, 1, 2], b"\\MAILSLOT\\BROWSE\0");
        let x = meaning(&mailslot);
        assert_eq!((x.role, x.expect), (Role::Notice, Expect::Nothing));
        assert_eq!(x.operation.name, "TRANS_MAILSLOT_WRITE");
        let by_name = meaning(&transaction(0x25, 0, [8, 8], [1, 1], b"\\mailslot\\x\0"));
        assert_eq!(by_name.role, Role::Notice);
        let wide: Vec<u8> = std::iter::once(0)
            .chain("\\MAILSLOT\\x\0".encode_utf16().flat_map(u16::to_le_bytes))
            .collect();
        assert_eq!(
            meaning(&transaction(0x25, 0, [8, 8], [], &wide)).role,
            Role::Notice
        );
        let one_way = meaning(&transaction(0x25, 2, [8, 8], [0x31, 7], b"\\PIPE\\\0"));
        assert_eq!(
            (one_way.role, one_way.expect),
            (Role::Request, Expect::Nothing)
        );
    }

    #[test]
    fn nt_transactions_count_in_32_bits() {
        // Totals 0 and 70000, of which 60000 here; function 4, setup: filter, FID 7.
        let mut w = vec![0u8; 38];
        w[7..11].copy_from_slice(&70_000u32.to_le_bytes());
        w[27..31].copy_from_slice(&60_000u32.to_le_bytes());
        w[35] = 4;
        w[36] = 4;
        w.extend([3, 0, 0, 0, 7, 0, 1, 0]);
        let x = meaning(&message(0xa0, 0, &w, &[]));
        assert_eq!(x.operation.name, "NT_TRANSACT_NOTIFY_CHANGE");
        assert_eq!((x.operation.kind, x.file.unwrap().handle), (Kind::Wait, 7));
        let part = |got, of| Parts::Counted { got, of };
        assert_eq!(x.parts, part([0, 60_000], [0, 70_000]));

        let mut w = vec![0u8; 36];
        w[7..11].copy_from_slice(&70_000u32.to_le_bytes());
        w[23..27].copy_from_slice(&10_000u32.to_le_bytes());
        assert_eq!(
            meaning(&message(0xa1, 0, &w, &[])).parts,
            part([0, 10_000], [0, 70_000])
        );
        assert_eq!(
            meaning(&message(0xa0, REPLY, &w, &[])).parts,
            part([0, 10_000], [0, 70_000])
        );
    }

    #[test]
    fn tables_have_no_doubles() {
        for table in [
            &super::PIPE[..],
            &super::TRANS2[..],
            &super::NT_FUNCTIONS[..],
        ] {
            assert!(table.windows(2).all(|w| w[0].0 < w[1].0));
        }
    }
}

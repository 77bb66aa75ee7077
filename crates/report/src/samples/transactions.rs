//! Hand-made transactions.

use super::{made, mark, v4};
use std::sync::Arc;
use wirewait_analysis::{
    Extent, Flags, FrameCounts, Outcome, Place, Transaction, Turnaround, Unfinished, WHOLE_FRAME,
};
use wirewait_wire::{Chain, Effects, Endpoint, File, Kind, Operation, Status};

pub(crate) static READ: Operation = Operation::new("READ_ANDX", Kind::Read, true);

pub(crate) static CLOSE: Operation = Operation::new("CLOSE", Kind::Close, false);

static UNKNOWN: Operation = Operation {
    name: "UNKNOWN",
    kind: Kind::Other,
    idempotent: false,
    function: Some(0x57),
    subfunction: Some(9),
};

/// A read of 4,096 bytes: t1 0, t2 10, t3 1010, t4 1510 µs, with a CLOSE in its chain.
pub(crate) fn answered() -> Transaction {
    let mut chain = Chain::default();
    chain.push(&CLOSE);
    made!(Transaction {
        number: 12,
        protocol: "smb1",
        carrier: "nbt",
        client: v4(9, Some(1025)),
        server: v4(1, Some(139)),
        conversation: 3,
        operation: &READ,
        code: 0x2e,
        chain: chain,
        kind: Kind::Read,
        outcome: Outcome::Answered,
        status: Some(Status {
            code: 0,
            name: Some("STATUS_SUCCESS"),
            ok: true,
            failure: false,
        }),
        request: Some(Extent {
            first: mark(17, 0),
            last: mark(18, 10),
        }),
        response: Some(Extent {
            first: mark(20, 1010),
            last: mark(23, 1510),
        }),
        raw_end: None,
        turnaround: Turnaround::Exact(1_000_000),
        service_ns: Some(1_000_000),
        interims: 0,
        interim_bytes: 0,
        first_interim: None,
        copies: 1,
        duplicate_responses: 0,
        asked_bytes: 4096,
        data_bytes: 4096,
        request_bytes: 63,
        response_bytes: 4159,
        response_head_bytes: 1460,
        frames: FrameCounts {
            request: 2,
            response: 3,
            ack: 1,
            ..FrameCounts::default()
        },
        share: 6 * WHOLE_FRAME,
        file: Some(File {
            handle: 0x4001,
            offset: Some(8192),
        }),
        place: Some(Arc::new(Place {
            dialect: None,
            user: Some("anna".into()),
            share: Some(r"\\FS1\DATA".into()),
            path: Some("\\pay\x1b.xls".into()),
            pipes: false,
        })),
        effects: Effects::NONE,
        buffer: None,
        hops: None,
        flags: Flags::RAW,
    })
}

/// An unknown NCP request seen twice, with an interim answer and an answer of unknown
/// status.
pub(crate) fn ambiguous() -> Transaction {
    made!(Transaction {
        number: 13,
        protocol: "ncp",
        carrier: "ipx",
        client: Endpoint::ipx(0x22, [0, 0, 0x1b, 1, 2, 3], 0x4003),
        server: Endpoint::ipx(1, [0, 0, 0, 0, 0, 1], 0x451),
        conversation: 4,
        operation: &UNKNOWN,
        code: 0x5709,
        chain: Chain::default(),
        kind: Kind::Other,
        status: Some(Status {
            code: 0xfe,
            name: None,
            ok: false,
            failure: true,
        }),
        turnaround: Turnaround::Between(10_000, 1_000_000),
        service_ns: None,
        interims: 1,
        interim_bytes: 37,
        first_interim: Some(mark(19, 510)),
        copies: 2,
        duplicate_responses: 1,
        data_bytes: 0,
        file: None,
        place: None,
        effects: Effects::NONE,
        buffer: None,
        hops: Some(2),
        flags: Flags::AMBIGUOUS,
        ..answered()
    })
}

pub(crate) fn unanswered() -> Transaction {
    made!(Transaction {
        number: 14,
        outcome: Outcome::Unanswered,
        chain: Chain::default(),
        status: None,
        response: None,
        turnaround: Turnaround::None,
        service_ns: None,
        data_bytes: 0,
        response_bytes: 0,
        response_head_bytes: 0,
        frames: FrameCounts {
            request: 1,
            ..FrameCounts::default()
        },
        file: None,
        place: None,
        flags: Flags::default(),
        ..answered()
    })
}

/// A request whose server has had it for so long when the capture ends, ns.
pub(crate) fn unfinished(open_ns: i64) -> Unfinished {
    let mut request = unanswered();
    request.flags.set(Flags::OPEN_AT_END);
    Unfinished::new(request, open_ns, true)
}

pub(crate) fn orphan() -> Transaction {
    made!(Transaction {
        number: 15,
        outcome: Outcome::OrphanResponse,
        request: None,
        turnaround: Turnaround::None,
        request_bytes: 0,
        copies: 0,
        flags: Flags::MID_CAPTURE,
        ..answered()
    })
}

pub(crate) fn all() -> [Transaction; 4] {
    [answered(), ambiguous(), unanswered(), orphan()]
}

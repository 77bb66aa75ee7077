//! Directory services (NDS) inside function 104/2.
//!
//! A request of NDS is a verb and its parameters, cut into fragments of one NCP request
//! each; the reply comes back in fragments too. Only the first fragment of either says what
//! it is: the verb, the result. Numbers are Lo-Hi throughout. Verbs and errors as in Novell's
//! NDS documentation.

use crate::parse::le32;
use wirewait_wire::{Kind, Operation, Status};

/// The function and subfunction of a fragment.
pub(super) const FUNCTION: (u8, u8) = (104, 2);
/// The fragment handle of a request that begins.
pub(super) const FIRST: u32 = 0xffff_ffff;

/// The verb of a request that begins in this packet.
pub(super) fn verb(packet: &[u8]) -> Option<u32> {
    le32(packet, 8)
        .filter(|handle| *handle == FIRST)
        .and_then(|_| le32(packet, 24))
}

/// What a verb does.
pub(super) fn find(verb: u32) -> Option<&'static Operation> {
    let index = VERBS.binary_search_by_key(&verb, |(v, _)| u32::from(*v));
    index.ok().and_then(|at| VERBS.get(at)).map(|(_, o)| o)
}

/// The result in a reply to a request that began: the fragment's size counts the handle
/// behind it, so that the result is there from 8 on.
pub(super) fn result(packet: &[u8]) -> Option<u32> {
    le32(packet, 8).filter(|size| *size >= 8)?;
    le32(packet, 16)
}

/// What a result says: 0, or an error below zero.
pub(super) fn status(result: u32) -> Status {
    let error = result.cast_signed();
    Status {
        code: result,
        name: error_name(error),
        ok: error == 0,
        // Nothing there is an answer; so is a comparison that finds a difference.
        failure: !matches!(error, 0 | -603..=-601 | -620),
    }
}

/// Rows of verb, class, whether it may be repeated, name.
macro_rules! verbs {
    ($($verb:literal $kind:ident $again:literal $name:literal,)+) => {
        &[$((
            $verb,
            Operation {
                name: concat!("NDS ", $name),
                kind: Kind::$kind,
                idempotent: $again,
                function: Some(104),
                subfunction: Some(2),
            },
        ),)+]
    };
}

static VERBS: &[(u8, Operation)] = verbs! {
    1 Other true "RESOLVE NAME",
    2 Other true "READ ENTRY INFORMATION",
    3 Other true "READ",
    4 Other true "COMPARE",
    5 Other true "LIST",
    6 Other true "SEARCH ENTRIES",
    7 Other false "ADD ENTRY",
    8 Other false "REMOVE ENTRY",
    9 Other false "MODIFY ENTRY",
    10 Other false "MODIFY RDN",
    11 Other false "DEFINE ATTRIBUTE",
    12 Other true "READ ATTRIBUTE DEFINITION",
    13 Other false "REMOVE ATTRIBUTE DEFINITION",
    14 Other false "DEFINE CLASS",
    15 Other true "READ CLASS DEFINITION",
    16 Other false "MODIFY CLASS DEFINITION",
    17 Other false "REMOVE CLASS DEFINITION",
    18 Other true "LIST CONTAINABLE CLASSES",
    19 Other true "GET EFFECTIVE RIGHTS",
    20 Other false "ADD PARTITION",
    21 Other false "REMOVE PARTITION",
    22 Other true "LIST PARTITIONS",
    23 Other false "SPLIT PARTITION",
    24 Other false "JOIN PARTITIONS",
    25 Other false "ADD REPLICA",
    26 Other false "REMOVE REPLICA",
    27 Open false "OPEN STREAM",
    28 Other true "SEARCH FILTER",
    29 Other false "CREATE SUBORDINATE REFERENCE",
    30 Other false "LINK REPLICA",
    31 Other true "CHANGE REPLICA TYPE",
    32 Other false "START UPDATE SCHEMA",
    33 Other false "END UPDATE SCHEMA",
    34 Other false "UPDATE SCHEMA",
    35 Other false "START UPDATE REPLICA",
    36 Other false "END UPDATE REPLICA",
    37 Other false "UPDATE REPLICA",
    38 Other true "SYNCHRONIZE PARTITION",
    39 Other true "SYNCHRONIZE SCHEMA",
    40 Other true "READ SYNTAXES",
    41 Other true "GET REPLICA ROOT ID",
    42 Other false "BEGIN MOVE ENTRY",
    43 Other false "FINISH MOVE ENTRY",
    44 Other false "RELEASE MOVED ENTRY",
    45 Other true "BACKUP ENTRY",
    46 Other false "RESTORE ENTRY",
    47 Other true "SAVE DIB",
    48 Other false "CONTROL",
    49 Other false "REMOVE BACKLINK",
    50 Other true "CLOSE ITERATION",
    51 Other false "MUTATE ENTRY",
    52 Other false "AUDIT SKULKING",
    53 Other true "GET SERVER ADDRESS",
    54 Other true "SET KEYS",
    55 Session false "CHANGE PASSWORD",
    56 Session true "VERIFY PASSWORD",
    57 Session false "BEGIN LOGIN",
    58 Session false "FINISH LOGIN",
    59 Session false "BEGIN AUTHENTICATION",
    60 Session false "FINISH AUTHENTICATION",
    61 Session true "LOGOUT",
    62 Other false "REPAIR RING",
    63 Other false "REPAIR TIMESTAMPS",
    64 Other false "CREATE BACK LINK",
    65 Other false "DELETE EXTERNAL REFERENCE",
    66 Other false "RENAME EXTERNAL REFERENCE",
    67 Other false "CREATE QUEUE ENTRY DIRECTORY",
    68 Other false "REMOVE QUEUE ENTRY DIRECTORY",
    69 Other false "MERGE ENTRIES",
    70 Other true "CHANGE TREE NAME",
    71 Other true "PARTITION ENTRY COUNT",
    72 Session true "CHECK LOGIN RESTRICTIONS",
    73 Other false "START JOIN",
    74 Other false "LOW LEVEL SPLIT",
    75 Other false "LOW LEVEL JOIN",
    76 Other false "ABORT PARTITION OPERATION",
    77 Other true "GET ALL SERVERS",
    78 Other false "PARTITION FUNCTION",
    79 Other true "READ REFERENCES",
    80 Other true "INSPECT ENTRY",
    81 Other true "GET REMOTE ENTRY ID",
    82 Other true "CHANGE SECURITY",
    83 Other true "CHECK CONSOLE OPERATOR",
    84 Other false "START MOVE TREE",
    85 Other false "MOVE TREE",
    86 Other false "END MOVE TREE",
    87 Other false "LOW LEVEL ABORT JOIN",
    88 Other true "CHECK SECURITY EQUIVALENCE",
    89 Other false "MERGE TREE",
    90 Other true "SYNC EXTERNAL REFERENCE",
    91 Other true "RESEND ENTRY",
    92 Other false "NEW SCHEMA EPOCH",
    93 Other true "STATISTICS",
    94 Other true "PING",
    95 Other true "GET BINDERY CONTEXTS",
    96 Other true "MONITOR CONNECTION",
    97 Other true "GET DS STATISTICS",
    98 Other true "RESET DS COUNTERS",
    99 Other false "CONSOLE",
    100 Other true "READ STREAM",
    101 Other true "WRITE STREAM",
    102 Other false "CREATE ORPHAN PARTITION",
    103 Other false "REMOVE ORPHAN PARTITION",
    104 Other false "LINK ORPHAN PARTITION",
    105 Other true "SET DISTRIBUTED REFERENCE LINK",
    108 Other true "VERIFY DISTRIBUTED REFERENCE LINK",
    109 Other true "VERIFY PARTITION",
    110 Other false "ITERATOR",
    112 Close true "CLOSE STREAM",
    114 Other true "READ STATUS",
    115 Other true "PARTITION SYNC STATUS",
    116 Other true "READ REFERENCE DATA",
    117 Other true "WRITE REFERENCE DATA",
    118 Other false "RESOURCE EVENT",
    119 Other false "DIB REQUEST",
    120 Other true "SET REPLICATION FILTER",
    121 Other true "GET REPLICATION FILTER",
    122 Other true "CHANGE ATTRIBUTE DEFINITION",
    123 Other true "SCHEMA IN USE",
    124 Other true "REMOVE KEYS",
    125 Other false "CLONE",
    126 Other false "MULTIPLE OPERATIONS TRANSACTION",
    240 Other true "PING",
    255 Other false "EDIRECTORY CALL",
};

/// What an error is called, of those that servers of NetWare 4 give.
fn error_name(error: i32) -> Option<&'static str> {
    if error == 0 {
        return Some("ok");
    }
    let index = error.checked_add(601)?.checked_neg()?;
    ERRORS.get(usize::try_from(index).ok()?).copied()
}

/// From -601 down.
static ERRORS: &[&str] = &[
    "no such entry",
    "no such value",
    "no such attribute",
    "no such class",
    "no such partition",
    "entry already exists",
    "not an effective class",
    "illegal attribute",
    "missing mandatory attribute",
    "illegal name",
    "illegal containment",
    "multiple values not allowed",
    "syntax violation",
    "duplicate value",
    "attribute already exists",
    "maximum of entries",
    "database format",
    "inconsistent database",
    "invalid comparison",
    "comparison failed",
    "transactions disabled",
    "invalid transport",
    "invalid syntax in name",
    "replica already exists",
    "transport failure",
    "all referrals failed",
    "naming value cannot be removed",
    "object class violation",
    "entry is no leaf",
    "different tree",
    "illegal replica type",
    "system failure",
    "invalid entry for root",
    "no referrals",
    "remote failure",
    "unreachable server",
    "previous move in progress",
    "no character mapping",
    "incomplete authentication",
    "invalid certificate",
    "invalid request",
    "invalid iteration",
    "schema cannot be removed",
    "schema is in use",
    "class already exists",
    "bad naming attributes",
    "no root partition",
    "insufficient stack",
    "insufficient buffer",
    "ambiguous containment",
    "ambiguous naming",
    "duplicate mandatory attribute",
    "duplicate optional attribute",
    "partition busy",
    "multiple replicas",
    "crucial replica",
    "schema synchronization in progress",
    "skulk in progress",
    "time not synchronized",
    "record in use",
    "DS volume not mounted",
    "DS volume I/O failure",
    "DS locked",
    "old epoch",
    "new epoch",
    "incompatible DS version",
    "partition root",
    "entry is no container",
    "failed authentication",
    "invalid context",
    "no such parent",
    "no access",
    "replica not on",
    "invalid name service",
    "invalid task",
    "invalid connection handle",
    "invalid identity",
    "duplicate ACL",
    "partition already exists",
    "transport modified",
    "alias of an alias",
    "auditing failed",
    "invalid API version",
    "secure NCP violation",
    "move in progress",
    "no leaf partition",
    "cannot abort",
    "cache overflow",
    "invalid subordinate count",
    "invalid RDN",
    "modification time not current",
    "incorrect base class",
    "missing reference",
    "lost entry",
    "agent already registered",
    "DS loader busy",
    "DS cannot reload",
    "replica in skulk",
    "fatal",
    "obsolete API",
    "synchronization disabled",
    "invalid parameter",
    "duplicate template",
    "no master replica",
    "duplicate containment",
    "not a sibling",
    "invalid signature",
    "invalid response",
    "insufficient sockets",
    "database read failure",
    "invalid code page",
    "invalid escape character",
    "invalid delimiters",
    "not implemented",
    "checksum failure",
    "checksumming not supported",
    "CRC failure",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_fragment_has_the_verb() {
        let mut packet = [0; 32];
        packet[8..12].fill(0xff);
        packet[24] = 1;
        assert_eq!(verb(&packet), Some(1));
        assert_eq!(find(1).unwrap().name, "NDS RESOLVE NAME");
        assert_eq!(verb(&packet[..27]), None, "cut off");
        packet[8] = 0;
        assert_eq!(verb(&packet), None, "a later fragment");
        assert_eq!(find(106), None);
        assert_eq!(find(256 + 1), None);
    }

    #[test]
    fn results_are_named_and_what_is_not_there_is_no_failure() {
        let of = |error: i32| {
            let s = status(error.cast_unsigned());
            (s.name, s.ok, s.failure)
        };
        assert_eq!(of(0), (Some("ok"), true, false));
        assert_eq!(of(-601), (Some("no such entry"), false, false));
        assert_eq!(of(-669), (Some("failed authentication"), false, true));
        assert_eq!(of(-717), (Some("CRC failure"), false, true));
        for error in [-718, -600, 1, i32::MIN, i32::MAX] {
            assert_eq!(of(error), (None, false, true), "{error}");
        }
    }

    #[test]
    fn a_reply_without_room_for_a_result_has_none() {
        let mut packet = vec![0; 20];
        packet[8] = 8;
        packet[16..20].copy_from_slice(&(-601i32).to_le_bytes());
        assert_eq!(result(&packet), Some((-601i32).cast_unsigned()));
        packet[8] = 4;
        assert_eq!(result(&packet), None);
    }

    #[test]
    fn verbs_are_in_order() {
        assert!(VERBS.windows(2).all(|w| w[0].0 < w[1].0));
        assert_eq!(VERBS.len(), 124);
    }
}

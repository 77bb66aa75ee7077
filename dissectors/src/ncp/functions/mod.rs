//! The function table: what each NCP function and subfunction is called, what class of work
//! it is, and whether doing it twice does harm.
//!
//! Names are those of Novell's NetWare Core Protocol documentation. That a server repeats
//! its stored reply to a repeated request makes every function safe on the wire; what is
//! written down here is the operation's own nature.

mod bindery;
mod files;
mod services;

use wirewait_wire::{Kind, Operation};

/// A function that is not in the table. The numbers are in the exchange's code.
pub(super) static UNKNOWN: Operation = op(None, None, Kind::Other, ONCE, "UNKNOWN");

/// The operation with these numbers, or [`UNKNOWN`].
pub(super) fn find(function: u8, subfunction: Option<u8>) -> &'static Operation {
    let group = GROUPS[usize::from(function)];
    match (group, subfunction) {
        ([only], None) if only.subfunction.is_none() => only,
        (_, Some(subfunction)) => group
            .binary_search_by_key(&Some(u16::from(subfunction)), |o| o.subfunction)
            .ok()
            .and_then(|at| group.get(at))
            .unwrap_or(&UNKNOWN),
        _ => &UNKNOWN,
    }
}

/// What the subfunctions of a function have in common.
pub(super) const fn family(function: u8) -> Option<&'static str> {
    Some(match function {
        17 => "print spooling",
        21 => "messages",
        22 => "directory services",
        23 => "bindery, queues, accounting, server",
        32 => "semaphores",
        34 => "transaction tracking",
        35 => "AFP",
        36 => "NCP extensions",
        86 => "extended attributes",
        87 => "name space services",
        88 => "volume auditing",
        89 => "enhanced name space services",
        90 => "data migration",
        92 => "SecretStore",
        94 => "NMAS",
        104 => "directory services (NDS)",
        111 => "semaphores",
        114 => "time synchronization",
        123 => "server statistics",
        131 => "remote console",
        _ => return None,
    })
}

/// Where the subfunction of this function stands in the packet, if it has one. Some
/// functions put a length of two bytes before it.
pub(super) const fn subfunction_offset(function: u8) -> Option<u32> {
    match function {
        17 | 21 | 22 | 23 | 35 | 36 | 90 | 114 | 123 | 131 => Some(9),
        32 | 34 | 86 | 87 | 88 | 89 | 92 | 94 | 104 | 111 => Some(7),
        _ => None,
    }
}

/// Doing it again leaves what doing it once leaves.
const SAFE: bool = true;
/// Doing it again does something again.
const ONCE: bool = false;

const fn op(
    function: Option<u16>,
    subfunction: Option<u16>,
    kind: Kind,
    idempotent: bool,
    name: &'static str,
) -> Operation {
    Operation {
        name,
        kind,
        idempotent,
        function,
        subfunction,
    }
}

/// Rows of one function: subfunction, class, whether it may be repeated, name.
macro_rules! functions {
    ($function:literal => $($sub:literal $kind:ident $again:ident $name:literal,)+) => {
        &[$(super::op(Some($function), Some($sub), Kind::$kind, $again, $name),)+]
    };
    ($($function:literal $kind:ident $again:ident $name:literal,)+) => {
        &[$(op(Some($function), None, Kind::$kind, $again, $name),)+]
    };
}
use functions;

/// Each function number's operations, in the order of their subfunctions.
static GROUPS: [&[Operation]; 256] = index(&[
    services::F17,
    services::F21,
    files::F22,
    bindery::F23,
    services::F32,
    services::F34,
    services::F35,
    services::F36,
    files::F86,
    files::F87,
    services::F88,
    files::F89,
    files::F90,
    services::F92,
    services::F94,
    services::F104,
    services::F111,
    services::F114,
    services::F123,
    services::F131,
]);

const fn index(groups: &[&'static [Operation]]) -> [&'static [Operation]; 256] {
    let mut table: [&'static [Operation]; 256] = [&[]; 256];
    let mut i = 0;
    while i < PLAIN.len() {
        if let Some(function) = PLAIN[i].function {
            table[function as usize] = std::slice::from_ref(&PLAIN[i]);
        }
        i += 1;
    }
    let mut i = 0;
    while i < groups.len() {
        if let Some(function) = groups[i][0].function {
            table[function as usize] = groups[i];
        }
        i += 1;
    }
    table
}

/// Functions without subfunctions.
static PLAIN: &[Operation] = functions! {
        1 Lock ONCE "FILE SET LOCK",
        2 Lock SAFE "FILE RELEASE LOCK",
        3 Lock ONCE "LOG FILE EXCLUSIVE",
        4 Lock ONCE "LOCK FILE SET",
        5 Lock SAFE "RELEASE FILE",
        6 Lock SAFE "RELEASE FILE SET",
        7 Lock SAFE "CLEAR FILE",
        8 Lock SAFE "CLEAR FILE SET",
        9 Lock ONCE "LOG LOGICAL RECORD",
        10 Lock ONCE "LOCK LOGICAL RECORD SET",
        11 Lock SAFE "CLEAR LOGICAL RECORD",
        12 Lock SAFE "RELEASE LOGICAL RECORD",
        13 Lock SAFE "RELEASE LOGICAL RECORD SET",
        14 Lock SAFE "CLEAR LOGICAL RECORD SET",
        15 Other ONCE "ALLOCATE RESOURCE",
        16 Other ONCE "DEALLOCATE RESOURCE",
        18 Directory SAFE "GET VOLUME INFO WITH NUMBER",
        19 Session SAFE "GET STATION NUMBER",
        20 Other SAFE "GET FILE SERVER DATE AND TIME",
        24 Session SAFE "END OF JOB",
        25 Session SAFE "LOGOUT",
        26 Lock ONCE "LOG PHYSICAL RECORD",
        27 Lock ONCE "LOCK PHYSICAL RECORD SET",
        28 Lock SAFE "RELEASE PHYSICAL RECORD",
        29 Lock SAFE "RELEASE PHYSICAL RECORD SET",
        30 Lock SAFE "CLEAR PHYSICAL RECORD",
        31 Lock SAFE "CLEAR PHYSICAL RECORD SET",
        33 Session SAFE "NEGOTIATE BUFFER SIZE",
        37 Other ONCE "EXECUTE NCP EXTENSION",
        59 Write SAFE "COMMIT FILE",
        60 Open ONCE "DUPLICATE FILE HANDLE",
        61 Write SAFE "COMMIT FILE",
        62 Directory SAFE "FILE SEARCH INITIALIZE",
        63 Directory SAFE "FILE SEARCH CONTINUE",
        64 Directory SAFE "SEARCH FOR A FILE",
        65 Open ONCE "OPEN FILE",
        66 Close ONCE "CLOSE FILE",
        67 Open ONCE "CREATE FILE",
        68 Directory ONCE "ERASE FILE",
        69 Directory ONCE "RENAME FILE",
        70 Directory SAFE "SET FILE ATTRIBUTES",
        71 Directory SAFE "GET CURRENT SIZE OF FILE",
        72 Read SAFE "READ FROM A FILE",
        73 Write SAFE "WRITE TO A FILE",
        74 Write SAFE "COPY FROM ONE FILE TO ANOTHER",
        75 Directory SAFE "SET FILE TIME DATE STAMP",
        76 Open ONCE "OPEN FILE",
        77 Open ONCE "CREATE FILE",
        78 Other SAFE "ALLOW TASK TO ACCESS FILE",
        79 Directory SAFE "SET FILE EXTENDED ATTRIBUTES",
        84 Open ONCE "OPEN/CREATE FILE",
        85 Directory SAFE "GET SPARSE FILE DATA BLOCK BIT MAP",
        91 Other ONCE "NMAS GRADED AUTHENTICATION",
        97 Session SAFE "GET BIG PACKET NCP MAX PACKET SIZE",
        98 Session SAFE "NEGOTIATE NDS CONNECTION BUFFER SIZE",
        99 Other ONCE "NEXT BIG WRITE (UNDOCUMENTED)",
        100 Other ONCE "BIG READ (UNDOCUMENTED)",
        101 Session ONCE "PACKET BURST CONNECTION REQUEST",
        102 Other ONCE "BIG REREAD (UNDOCUMENTED)",
        103 Other ONCE "BIG WRITE (UNDOCUMENTED)",
        105 Lock ONCE "LOG FILE",
        106 Lock ONCE "LOCK FILE SET",
        107 Lock ONCE "LOG LOGICAL RECORD",
        108 Lock ONCE "LOCK LOGICAL RECORD SET",
        109 Lock ONCE "LOG PHYSICAL RECORD",
        110 Lock ONCE "LOCK PHYSICAL RECORD SET",
        112 Lock ONCE "CLEAR AND GET WAITING LOCK COMPLETION",
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_functions_with_and_without_subfunctions() {
        let read = find(72, None);
        assert_eq!(
            (read.name, read.kind, read.idempotent),
            ("READ FROM A FILE", Kind::Read, true)
        );
        assert_eq!((read.function, read.subfunction), (Some(72), None));
        let info = find(87, Some(6));
        assert_eq!(info.name, "OBTAIN FILE OR SUBDIRECTORY INFORMATION");
        assert_eq!((info.function, info.subfunction), (Some(87), Some(6)));
        assert_eq!(find(23, Some(24)).name, "KEYED OBJECT LOGIN");
        assert_eq!(find(131, Some(7)).name, "RPC EXECUTE NCF FILE");
    }

    #[test]
    fn what_is_not_in_the_table_is_unknown() {
        for (function, subfunction) in [(0, None), (87, None), (87, Some(255)), (255, Some(1))] {
            assert_eq!(find(function, subfunction), &UNKNOWN);
        }
        assert_eq!(find(72, Some(1)), &UNKNOWN, "72 has no subfunctions");
    }

    #[test]
    fn every_row_is_found_under_its_own_numbers() {
        let mut rows = 0;
        for (function, group) in (0u8..=255).zip(GROUPS) {
            assert!(
                group
                    .windows(2)
                    .all(|w| w[0].subfunction < w[1].subfunction),
                "function {function} is not in order"
            );
            for row in group {
                assert_eq!(row.function, Some(function.into()));
                let subfunction = row.subfunction.map(|s| u8::try_from(s).unwrap());
                assert_eq!(
                    subfunction.is_some(),
                    subfunction_offset(function).is_some()
                );
                assert_eq!(find(function, subfunction), row);
                assert_eq!(row.name, row.name.to_uppercase(), "names are upper case");
                rows += 1;
            }
        }
        assert_eq!(rows, 586, "the number of functions known");
    }
}

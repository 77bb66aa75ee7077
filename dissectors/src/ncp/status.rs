//! Completion codes: byte 6 of a reply.
//!
//! The code is one byte and means different things for different functions, so a reply can
//! only be read with its request in hand. Client libraries show it as `0x89cc`; the high
//! byte is theirs and not on the wire. Codes and their meanings are those that Novell's
//! documentation lists with each function.

use super::functions;
use wirewait_wire::{Kind, Status};

/// The function and subfunction that a reply answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Function(pub(super) u8, pub(super) u8);

/// What a completion code says about a function; without the function, what it says most
/// often.
pub(super) fn status(code: u8, function: Option<Function>) -> Status {
    let scope = function.map_or(Scope::Unknown, scope);
    Status {
        code: code.into(),
        name: name(code, scope),
        ok: code == 0,
        failure: code != 0 && !function.is_some_and(|f| is_control_flow(code, f, scope)),
    }
}

/// The code of a server that has no connection left, in answer to a create request.
pub(super) fn refused(code: u8) -> Status {
    Status {
        code: code.into(),
        name: match code {
            0xf9 => Some("no free connection"),
            _ => name(code, Scope::Unknown),
        },
        ok: code == 0,
        failure: code != 0,
    }
}

/// Families of functions that share the meaning of their codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scope {
    /// The request is not known.
    Unknown,
    /// Reads, writes and copies.
    Data,
    /// Opens a file, or creates it as well if it is not there.
    Open,
    /// Always makes a new file.
    Create,
    /// Finds, reads about or lists files and directories, and changes nothing.
    Lookup,
    /// Lists trustees.
    Trustees,
    /// Other work on names and directories.
    Directory,
    /// Work on names and directories by directory handle (function 22).
    Handles,
    /// Extended attributes.
    Attributes,
    /// Takes a lock, or waits for one.
    Lock,
    /// Gives one back.
    Unlock,
    /// Login and passwords.
    Login,
    /// Bindery objects and properties.
    Bindery,
    /// Print and job queues.
    Queue,
    /// Transaction tracking.
    Transactions,
    /// NCP extensions.
    Extensions,
    /// NDS.
    Nds,
    /// Anything else.
    Other,
}

fn scope(function: Function) -> Scope {
    match (function.0, function.1) {
        (72..=74, _) | (87, 64 | 65 | 70 | 72 | 73) | (17, 0) => Scope::Data,
        (5..=8 | 11..=14 | 28..=31, _) | (87, 37 | 38 | 68 | 69) => Scope::Unlock,
        (1..=4 | 9 | 10 | 26 | 27 | 32 | 105..=112, _) | (87, 36 | 67) => Scope::Lock,
        (62..=64, _)
        | (22, 2 | 26 | 27 | 30 | 31)
        | (23, 15)
        | (35, 4..=6 | 10 | 12 | 15 | 17 | 18)
        | (87 | 89, 2 | 3 | 6 | 16 | 20 | 22 | 40)
        | (87, 41) => Scope::Lookup,
        (67 | 77, _) | (17, 9) | (35, 2 | 14) => Scope::Create,
        (22, 12 | 38) | (87 | 89, 5) => Scope::Trustees,
        (86, _) | (89, 52..=54) => Scope::Attributes,
        (23, 0 | 20 | 23 | 24 | 63 | 64 | 74 | 75) => Scope::Login,
        (23, 1..=10 | 21..=33 | 50..=76) => Scope::Bindery,
        (17, _) | (23, 100..=138) => Scope::Queue,
        (34, _) => Scope::Transactions,
        (36 | 37, _) => Scope::Extensions,
        (104, _) => Scope::Nds,
        (number, sub) => {
            match functions::find(number, functions::subfunction_offset(number).map(|_| sub)).kind {
                Kind::Read | Kind::Write => Scope::Data,
                Kind::Open => Scope::Open,
                Kind::Directory if number == 22 => Scope::Handles,
                Kind::Directory => Scope::Directory,
                _ => Scope::Other,
            }
        }
    }
}

/// Whether the code is an answer that programs count on, and no sign of trouble: the end
/// of a search, a name that is not there when it is looked up or opened, a lock that is
/// held by another, a feature that an older server does not have. Deleting, renaming or
/// changing what is not there is a failure; so is a path that is not there when a file is
/// created by a function that does nothing else.
fn is_control_flow(code: u8, function: Function, scope: Scope) -> bool {
    match (scope, code) {
        // "No files found" and "invalid path", as SMB's name and path not found.
        (Scope::Lookup | Scope::Open, 0xff | 0x9c) => true,
        (Scope::Trustees, 0x9c | 0xff) => true,
        (Scope::Lock, 0x7f | 0x80 | 0xfd | 0xfe) => true,
        (Scope::Attributes, 0xc9) => true,
        (Scope::Extensions, 0xff) => true,
        _ => match (function.0, function.1, code) {
            // The end of a scan of objects or properties, and objects looked up by name.
            (23, 32 | 53..=55, 0xfc) => true,
            // A property, or the next 128 bytes of one, that an object does not have.
            (23, 60 | 61, 0xfb) | (23, 61, 0xec) => true,
            // The answer "no" to a question.
            (23, 67, 0xea | 0xfb) | (23, 73, 0xff) => true,
            // Packet sizes and bursts are asked for by clients of servers that may not
            // know them, and so is NDS.
            (97 | 98 | 101, _, 0xfb) | (104, 1, 0xfb) => true,
            _ => false,
        },
    }
}

fn name(code: u8, scope: Scope) -> Option<&'static str> {
    use Scope::*;
    Some(match code {
        0x00 => "ok",
        0x01 => match scope {
            Other => "invalid parameter",
            _ => "out of disk space",
        },
        0x73 => "no such handle rights",
        0x77 => "buffer too small",
        0x79 => "invalid parameter or no items found",
        0x7a => "connection already temporary",
        0x7b => "connection already logged in",
        0x7c => "connection not authenticated",
        0x7d => "connection not logged in",
        0x7e => "invalid length",
        0x7f => "lock waiting",
        0x80 => match scope {
            Lock => "lock fail",
            Unknown => "file in use or lock fail",
            _ => "file in use",
        },
        0x81 => "out of file handles",
        0x82 => "no open privilege",
        0x83 => "hard I/O error",
        0x84 => "no create privilege",
        0x85 => "no privilege to delete or overwrite",
        0x87 => "invalid character in file name",
        0x88 => "invalid file handle",
        0x89 => "no search privilege",
        0x8a => "no delete privilege",
        0x8b => "no rename privilege",
        0x8c => "no modify privilege",
        0x8d => "some files in use",
        0x8e => "all files in use",
        0x8f => "some files read-only",
        0x90 => "all files or volume read-only",
        0x91 => "some names exist",
        0x92 => "all names exist",
        0x93 => "no read privilege",
        0x94 => "no write privilege",
        0x95 => "file detached",
        0x96 => "server out of memory",
        0x98 => "volume not mounted or disk map error",
        0x99 => "directory full",
        0x9a => "rename across volumes",
        0x9b => "bad directory handle",
        0x9c => match scope {
            Trustees => "no more trustees",
            _ => "invalid path",
        },
        0x9d => "out of directory handles",
        0x9e => "invalid file name",
        0x9f => "directory in use",
        0xa0 => "directory not empty",
        0xa1 => "directory I/O error",
        0xa2 => "region locked",
        0xa4 => "invalid directory rename",
        0xa5 => "invalid open or create mode",
        0xa6 => "auditor access removed",
        0xa7 => "auditing version error",
        0xa8 => "no access rights",
        0xa9 => "junction in path",
        0xaa => "invalid data type flag",
        0xbe => "invalid data stream",
        0xbf => "invalid name space",
        0xc0 => "no accounting privilege",
        0xc1 => "no account balance",
        0xc2 => "credit limit exceeded",
        0xc4 => "account disabled",
        0xc5 => "login locked out",
        0xc6 => "no console privilege",
        0xc8 => "extended attribute key missing",
        0xc9 => "extended attribute not found",
        0xcb => "extended attribute without key and data",
        0xce => "bad directory number",
        0xcf => "invalid extended attribute handle",
        0xd0 => "queue error",
        0xd1 => match scope {
            Attributes => "no access to extended attributes",
            _ => "no such queue",
        },
        0xd2 => match scope {
            Attributes => "odd size of data page",
            _ => "no queue server",
        },
        0xd3 => match scope {
            Attributes => "volume of extended attribute not mounted",
            _ => "no queue rights",
        },
        0xd4 => match scope {
            Attributes => "bad page boundary",
            _ => "queue full",
        },
        0xd5 => match scope {
            Attributes => "extended attribute not inspected",
            Extensions => "no such extension",
            _ => "no such queue job",
        },
        0xd6 => match scope {
            Login | Bindery => "unencrypted passwords not allowed",
            _ => "no job rights",
        },
        0xd7 => match scope {
            Login | Bindery => "bad account or same password",
            _ => "queue job in service",
        },
        0xd8 => match scope {
            Login | Bindery => "password too short",
            _ => "queue not active",
        },
        0xd9 => match scope {
            Login => "too many connections",
            Unknown => "too many connections or station not a queue server",
            _ => "station not a queue server",
        },
        0xda => match scope {
            Login => "login at a time not permitted",
            Attributes => "out of space for extended attributes",
            _ => "queue halted",
        },
        0xdb => match scope {
            Login => "login from a station not permitted",
            _ => "too many queue servers",
        },
        0xdc => match scope {
            Attributes => "too many extended attribute keys",
            _ => "account expired",
        },
        0xde => "bad password",
        0xdf => "password expired",
        0xe0 => "no login connections available",
        0xe7 => "no disk track",
        0xe8 => "write to a group property",
        0xe9 => "member exists",
        0xea => "no such member",
        0xeb => "property is not a set",
        0xec => "no such set",
        0xed => "property exists",
        0xee => "object exists",
        0xef => "illegal name",
        0xf0 => "illegal wildcard",
        0xf1 => "bindery security",
        0xf2 => "no privilege to read the object",
        0xf3 => "no privilege to rename the object",
        0xf4 => "no privilege to delete the object",
        0xf5 => "no privilege to create objects",
        0xf6 => "no privilege to delete the property",
        0xf7 => "no privilege to create properties",
        0xf8 => "no privilege to write the property",
        0xf9 => "no privilege to read the property",
        0xfa => "temporary remap error",
        0xfb => match scope {
            Bindery | Login => "no such property",
            Nds => "NDS not available or no such property",
            Unknown => "unknown request or no such property",
            Data | Lock | Directory | Handles => "invalid parameter",
            _ => "unknown request",
        },
        0xfc => "no such object",
        0xfd => match scope {
            Lock | Unlock => "lock collision",
            Transactions => "transaction tracking disabled",
            Unknown => "bad station number or lock collision",
            _ => "bad station number",
        },
        0xfe => match scope {
            Lock | Unlock => "lock timed out",
            Login | Bindery => "bindery locked",
            Transactions => "transaction restart",
            Extensions => "I/O failure",
            Nds => "bad packet",
            Unknown => "timed out or locked",
            _ => "directory locked",
        },
        0xff => match scope {
            Lookup | Open | Directory => "no files found",
            Data => "I/O bound error",
            Lock => "lock error",
            Unlock => "unlock error",
            Transactions => "transaction tracking not available or lock error",
            Extensions => "no such extension",
            _ => "failure",
        },
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(code: u8, function: u8, subfunction: u8) -> (&'static str, bool, bool) {
        let s = status(code, Some(Function(function, subfunction)));
        assert_eq!(s.code, u32::from(code));
        (s.name.unwrap_or("?"), s.ok, s.failure)
    }

    #[test]
    fn zero_is_ok_for_every_function() {
        for function in 0..=255 {
            assert_eq!(read(0, function, 1), ("ok", true, false));
        }
        assert!(status(0, None).ok);
    }

    #[test]
    fn the_end_of_a_search_and_a_missing_file_are_no_failures() {
        for (function, sub) in [(63, 0), (64, 0), (87, 3), (87, 20), (89, 40)] {
            assert_eq!(read(0xff, function, sub), ("no files found", false, false));
        }
        for (function, sub) in [(76, 0), (84, 0), (87, 1), (87, 6), (89, 32)] {
            assert_eq!(read(0xff, function, sub), ("no files found", false, false));
            assert_eq!(read(0x9c, function, sub), ("invalid path", false, false));
        }
        assert_eq!(read(0x9c, 87, 5), ("no more trustees", false, false));
    }

    #[test]
    fn deleting_or_renaming_what_is_not_there_is_a_failure() {
        for (function, sub) in [(68, 0), (69, 0), (87, 4), (87, 8)] {
            assert_eq!(read(0xff, function, sub), ("no files found", false, true));
            assert_eq!(read(0x9c, function, sub), ("invalid path", false, true));
        }
        for (function, sub) in [(22, 11), (67, 0), (77, 0)] {
            assert_eq!(read(0xff, function, sub), ("failure", false, true));
            assert_eq!(read(0x9c, function, sub), ("invalid path", false, true));
        }
    }

    #[test]
    fn one_code_has_many_meanings() {
        assert_eq!(read(0xff, 72, 0), ("I/O bound error", false, true));
        assert_eq!(read(0xff, 26, 0), ("lock error", false, true));
        assert_eq!(read(0xff, 28, 0), ("unlock error", false, true));
        assert_eq!(read(0xfe, 26, 0), ("lock timed out", false, false));
        assert_eq!(read(0xfe, 23, 55), ("bindery locked", false, true));
        assert_eq!(read(0xfd, 109, 0), ("lock collision", false, false));
        assert_eq!(read(0xfd, 22, 0), ("bad station number", false, true));
        assert_eq!(read(0xfb, 97, 0), ("unknown request", false, false));
        assert_eq!(read(0xfb, 23, 61), ("no such property", false, false));
        assert_eq!(read(0xfc, 23, 55), ("no such object", false, false));
        assert_eq!(read(0xd9, 23, 24), ("too many connections", false, true));
        assert_eq!(
            read(0xd9, 23, 124),
            ("station not a queue server", false, true)
        );
        assert_eq!(read(0x88, 72, 0), ("invalid file handle", false, true));
        assert_eq!(refused(0xf9).name, Some("no free connection"));
    }

    #[test]
    fn an_unknown_code_keeps_its_number_and_is_a_failure() {
        let s = status(0x42, None);
        assert_eq!((s.code, s.name, s.ok, s.failure), (0x42, None, false, true));
    }
}

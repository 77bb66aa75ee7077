//! Parameters of RAP calls, which describe themselves: two strings of letters say what
//! follows. MS-RAP 2.5.1 to 2.5.3, 2.4.1.

use super::super::rap::named;
use super::bytes;
use super::params::*;
use wirewait_wire::Fields;

/// The parameters of a request.
pub(super) fn request(f: &mut Fields<'_>) -> Option<()> {
    let function = f.le16("Function")?;
    let name = named(function).map_or("unknown", |operation| operation.name);
    f.means(name);
    let letters = f.peek().split(|b| *b == 0).next().unwrap_or_default();
    bytes::string(f, "Parameter descriptor", false)?;
    bytes::string(f, "Data descriptor", false)?;
    let mut letters = letters.iter().copied().peekable();
    let mut words = 0;
    while let Some(letter) = letters.next() {
        let mut count = 0u32;
        while let Some(digit) = letters.next_if(u8::is_ascii_digit) {
            count = count
                .saturating_mul(10)
                .saturating_add(u32::from(digit - b'0'));
        }
        if f.left() == 0 {
            break;
        }
        one(f, letter, count.max(1), name, &mut words)?;
    }
    if f.left() > 0 {
        // Of the structures within the data, where the function has such.
        bytes::string(f, "Auxiliary descriptor", false)?;
    }
    Some(())
}

/// One parameter by its letter (MS-RAP 2.5.1); those that only stand for what is returned
/// take no bytes.
fn one(f: &mut Fields<'_>, letter: u8, count: u32, function: &str, words: &mut u32) -> Option<()> {
    let size = match letter {
        b'W' | b'L' | b'T' | b'P' => 2,
        b'D' => 4,
        b'b' | b'F' => count,
        b'z' => return bytes::string(f, string_name(function), false),
        _ => return Some(()),
    };
    if f.left() < size {
        return Some(());
    }
    match letter {
        b'L' => f.le16("Receive buffer length").map(|_| ()),
        b'T' => f.le16("Send buffer length").map(|_| ()),
        b'P' => f.le16("Parameter number").map(|_| ()),
        b'W' => {
            *words += 1;
            let is_level = *words == 1 && has_level(function);
            let name = if is_level {
                "Information level"
            } else {
                "Word"
            };
            f.le16(name).map(|_| ())
        }
        b'D' => {
            let servers = function.starts_with("NetServerEnum");
            f.le32(if servers {
                "Server type"
            } else {
                "Double word"
            })?;
            f.hex();
            Some(())
        }
        _ => f
            .bytes(size, if letter == b'F' { "Fill" } else { "Bytes" })
            .map(|_| ()),
    }
}

/// Whether the first word of the parameters chooses how much is said.
fn has_level(function: &str) -> bool {
    [
        "Enum", "Enum2", "Enum3", "GetInfo", "GetInfo2", "SetInfo", "SetInfo2", "Add", "Logon",
    ]
    .iter()
    .any(|ending| function.ends_with(ending))
}

fn string_name(function: &str) -> &'static str {
    match function {
        "NetServerEnum2" | "NetServerEnum3" => "Domain",
        name if name.starts_with("NetShare") => "Share name",
        name if name.starts_with("NetUser") => "User name",
        name if name.starts_with("NetPrintQ") => "Queue name",
        _ => "String",
    }
}

/// The parameters of a response: how it ended, a number to take from pointers in the data,
/// and counts (MS-RAP 2.5.2).
pub(super) fn response(f: &mut Fields<'_>, function: u16) -> Option<()> {
    describe(f, &[le16("Status").codes(STATUS)])?;
    if f.left() < 2 {
        return Some(());
    }
    f.le16("Converter")?;
    f.hex();
    let name = named(function).map_or("", |operation| operation.name);
    let counts: &[&'static str] = if name.contains("Enum") {
        &["Entries returned", "Entries available"]
    } else if name.contains("GetInfo") {
        &["Total bytes available"]
    } else {
        &[]
    };
    for &count in counts {
        if f.left() >= 2 {
            f.le16(count)?;
        }
    }
    Some(())
}

/// Win32 error codes that functions end with (MS-RAP 2.5.2, MS-ERREF 2.2).
const STATUS: ValueNames = &[
    (0, "NERR_Success"),
    (5, "ERROR_ACCESS_DENIED"),
    (50, "ERROR_NOT_SUPPORTED"),
    (65, "ERROR_NETWORK_ACCESS_DENIED"),
    (86, "ERROR_INVALID_PASSWORD"),
    (87, "ERROR_INVALID_PARAMETER"),
    (124, "ERROR_INVALID_LEVEL"),
    (234, "ERROR_MORE_DATA"),
    (2114, "NERR_ServerNotStarted"),
    (2123, "NERR_BufTooSmall"),
    (2127, "NERR_RemoteErr"),
    (2138, "NERR_WkstaNotStarted"),
    (2141, "NERR_BadTransactConfig"),
    (2150, "NERR_QNotFound"),
    (2151, "NERR_JobNotFound"),
    (2152, "NERR_DestNotFound"),
    (2184, "NERR_ServiceNotInstalled"),
    (2221, "NERR_UserNotFound"),
    (2310, "NERR_NetNameNotFound"),
    (2453, "NERR_DCNotFound"),
    (6118, "ERROR_NO_BROWSER_SERVERS_FOUND"),
];

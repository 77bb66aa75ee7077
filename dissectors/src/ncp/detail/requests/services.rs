//! The parameters of requests for everything that is neither a file nor the bindery.

use super::super::names::*;
use super::super::params::*;
use wirewait_wire::field_tables;

const HANDLE: Param = byte("Directory handle");
const VOLUME: Param = byte("Volume number");
const BASE: Param = long("Directory entry ID").hex();
const START: Param = lo_long("Starting number");
const BOARD: Param = lo_long("Board number");
const STACK: Param = lo_long("Stack number");
const WIDE_VOLUME: Param = lo_long("Volume number");

/// What the Finder of a Macintosh keeps, in the order of its bytes.
const FINDER: FieldTable = &[
    word("Finder attributes").hex(),
    word("Horizontal location"),
    word("Vertical location"),
    word("Window"),
    reserved(16),
];

/// Printing and messages: functions 17 and 21.
pub(super) static MESSAGES: &[CodedTable] = field_tables! {
    17/0 => [rest("Data")];
    17/1 => [byte("Abort flag")];
    17/2 => [
        byte("Print flags").flags(PRINT_FLAGS),
        byte("Tab size"),
        byte("Target printer"),
        byte("Copies"),
        byte("Form type"),
        reserved(1),
        text(14, "Banner name"),
    ];
    17/3 | 9 => [HANDLE, name("File name")];
    17/6 | 10 => [byte("Target printer")];
    21/0 | 4 => [byte("Station count"), repeat("Station", &[byte("Connection number")]), name("Message")];
    21/6 | 7 | 8 => [byte("Station count"), repeat("Station", &[byte("Connection number")])];
    21/9 => [name("Message")];
    21/10 => [
        lo_word("Station count"), repeat("Station", &[lo_long("Connection number")]), name("Message"),
    ];
    21/12 => [
        byte("Connection control"), reserved(3),
        lo_long("Station count"), repeat("Station", &[lo_long("Connection number")]),
    ];
};

/// Semaphores and transaction tracking: functions 32, 34 and 111.
pub(super) static SEMAPHORES: &[CodedTable] = field_tables! {
    32/0 => [byte("Initial value"), name("Semaphore name")];
    32/1 | 3 | 4 => [long("Semaphore handle").hex()];
    32/2 => [long("Semaphore handle").hex(), word("Time-out")];
    34/4 => [long("Transaction number")];
    34/6 | 8 => [byte("Logical lock threshold"), byte("Physical lock threshold")];
    34/10 => [byte("Control flags")];
    111/0 => [byte("Initial value"), name("Semaphore name")];
    111/1 | 3 | 4 => [lo_long("Semaphore handle").hex()];
    111/2 => [lo_long("Semaphore handle").hex(), lo_word("Time-out")];
};

/// Macintosh files: function 35.
pub(super) static AFP: &[CodedTable] = field_tables! {
    35/1 => [VOLUME, BASE, reserved(1), long("Creator ID").hex(), reserved(4), group("Finder", FINDER), name("Path")];
    35/2 => [
        VOLUME, BASE, byte("Delete existing file"), long("Creator ID").hex(), reserved(4),
        group("Finder", FINDER), name("Path"),
    ];
    35/3 | 4 | 11 => [VOLUME, BASE, name("Path")];
    35/5 | 15 => [VOLUME, BASE, word("Request bit map").hex(), name("Path")];
    35/6 => [bytes(6, "File handle")];
    35/7 => [
        VOLUME, long("Source entry ID").hex(), long("Destination entry ID").hex(), name("Path"),
        name("New file name"),
    ];
    35/8 => [VOLUME, BASE, byte("Fork").one_of(FORKS), byte("Desired access").flags(ACCESS), name("Path")];
    35/9 => [
        VOLUME, BASE, word("Request bit map").hex(), group("File information", AFP_FILE),
        group("Finder", FINDER), name("Path"),
    ];
    35/10 | 17 => [
        VOLUME, BASE, long("Last seen ID").hex(), word("Desired responses"),
        word("Search bit map").hex(), word("Request bit map").hex(), name("Path"),
    ];
    35/12 => [HANDLE, name("Path")];
    35/13 => [
        VOLUME, BASE, reserved(1), long("Creator ID").hex(), reserved(4), group("Finder", FINDER),
        bytes(6, "ProDOS information"), name("Path"),
    ];
    35/14 => [
        VOLUME, BASE, byte("Delete existing file"), long("Creator ID").hex(), reserved(4),
        group("Finder", FINDER), bytes(6, "ProDOS information"), name("Path"),
    ];
    35/16 => [
        VOLUME, BASE, word("Request bit map").hex(), group("File information", AFP_FILE),
        group("Finder", FINDER), bytes(6, "ProDOS information"), name("Path"),
    ];
    35/18 => [VOLUME, BASE];
    35/19 => [VOLUME, long("Directory number").hex()];
};

const AFP_FILE: FieldTable = &[
    word("Attributes").hex(),
    date("Creation date"),
    date("Last access date"),
    date("Modification date"),
    time("Modification time"),
    date("Archive date"),
    time("Archive time"),
    long("Creator ID").hex(),
    reserved(4),
];

/// Extensions, auditing, SecretStore, NMAS, NDS without its fragments, time: functions 36,
/// 88, 92, 94, 104 and 114.
pub(super) static EXTENSIONS: &[CodedTable] = field_tables! {
    36/0 | 5 => [lo_long("NCP extension number")];
    36/2 => [name("NCP extension name")];
    36/4 => [lo_long("Starting number")];
    88/1 => [long("Connection number")];
    88/2 => [
        lo_long("Audit ID type"), long("Audit ID").hex(), lo_long("Audit file handle").hex(),
        long("Object ID").hex(), byte("Audit flag"),
    ];
    92/1 => [lo_long("Ping version"), lo_long("Flags").hex()];
    92/2 => [lo_long("Fragment handle").hex(), rest("Encrypted data")];
    94/1 => [lo_long("Ping version"), lo_long("Flags").hex()];
    94/2 => [lo_long("Fragment handle").hex(), rest("Encrypted data")];
    104/1 => [lo_long("Ping version"), lo_word("Low request flags").hex(), lo_word("High request flags").hex()];
    104/3 => [lo_long("Fragment handle").hex()];
    104/6 => [lo_word("Request flags").hex()];
    104/200 => [long("Connection number")];
    114/2 => [
        lo_long("Protocol flags").hex(),
        lo_long("Node flags").hex(),
        quad("Source originate time"),
        quad("Target receive time"),
        quad("Target transmit time"),
        quad("Source return time"),
        quad("Event offset"),
        lo_long("Event time"),
        name("Server name"),
    ];
    114/5 | 6 => [START];
};

/// What the server and its console tell and do: functions 123 and 131.
pub(super) static SERVER: &[CodedTable] = field_tables! {
    123/3 => [byte("File system ID")];
    123/4 => [lo_long("Connection number")];
    123/8 => [lo_long("CPU number")];
    123/9 | 10 | 20 | 40 | 53 | 60 | 61 => [START];
    123/11 => [lo_long("NLM number")];
    123/14 => [lo_long("Starting connection number"), byte("Connection type")];
    123/15 => [lo_long("NLM number"), lo_long("Starting number")];
    123/16 => [
        byte("Return information mask"), reserved(3),
        lo_long("Station count"), repeat("Station", &[lo_long("Connection number")]),
    ];
    123/17 => [lo_long("Search number")];
    123/21 | 24 | 26 | 27 | 45 => [BOARD];
    123/22 => [BOARD, lo_long("Block number")];
    123/23 => [BOARD, START];
    123/30 => [lo_long("Object number")];
    123/31 => [START, byte("Media object type")];
    123/32 => [START, byte("Media object type"), reserved(3), lo_long("Parent object number")];
    123/33 | 70 | 71 | 72 => [WIDE_VOLUME];
    123/34 => [WIDE_VOLUME, byte("Information level")];
    123/35 => [lo_long("Information type"), lo_long("Volume number or directory handle"), lo_long("Return information mask").hex()];
    123/41 | 42 => [STACK];
    123/43 => [STACK, START];
    123/44 | 46 => [lo_long("Media number")];
    123/51 => [lo_long("Network number").hex()];
    123/52 => [lo_long("Network number").hex(), START];
    123/54 => [lo_word("Server type"), reserved(2), name("Server name")];
    123/55 => [START, lo_word("Server type"), reserved(2), name("Server name")];
    123/56 => [START, lo_word("Server type")];
    123/62 => [name("Set parameter name")];
    131/1 => [lo_long("Load options").hex(), reserved(16), rest("Path and name")];
    131/2 | 3 | 4 | 5 | 7 => [reserved(20), rest("Names")];
    131/6 => [
        byte("Set command type"), reserved(3), lo_long("Set command value"), reserved(12),
        rest("Set command"),
    ];
};

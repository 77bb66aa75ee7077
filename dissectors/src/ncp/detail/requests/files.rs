//! The parameters of requests on files, directories and volumes, and of locks.
//!
//! In the order of the functions; those without parameters are left out.

use super::super::names::*;
use super::super::params::*;
use wirewait_wire::field_tables;

const HANDLE: Param = byte("Directory handle");
const SEARCHED: Param = byte("Search attributes").flags(SEARCH);
const WIDE_SEARCHED: Param = lo_word("Search attributes").flags(WIDE_SEARCH);
const SET: Param = byte("Attributes").flags(ATTRIBUTES);
const FILE: Param = bytes(6, "File handle");
const OPEN_FILE: Param = long("File handle").hex();
const LOCK: Param = byte("Lock flag").one_of(LOCKS);
const VOLUME: Param = byte("Volume number");
const WIDE_VOLUME: Param = lo_long("Volume number");
const BASE: Param = lo_long("Directory base").hex();
const OBJECT: Param = long("Object ID").hex();
const SPACE: Param = byte("Name space").one_of(NAME_SPACES);
const FROM_SPACE: Param = byte("Source name space").one_of(NAME_SPACES);
const TO_SPACE: Param = byte("Destination name space").one_of(NAME_SPACES);
const STREAM: Param = byte("Data stream").one_of(STREAMS);
const MODE: Param = byte("Open create mode").flags(OPEN_MODE);
const ASKED: Param = lo_word("Return information mask").flags(RETURN);
const ASKED_TOO: Param = lo_word("Extended return information").flags(EXTENDED_RETURN);
const ENTRY_ATTRIBUTES: Param = lo_long("Attributes").flags(WIDE_ATTRIBUTES);
const DESIRED: Param = lo_word("Desired access rights").flags(ACCESS);
const SEQUENCE: Param = lo_long("Sequence number").hex();
const SEARCH_SEQUENCE: Param = group(
    "Search sequence",
    &[VOLUME, lo_long("Directory entry number").hex(), SEQUENCE],
);
const TEXT_TYPE: Param = byte("Data type flag");
const TRUSTEE: FieldTable = &[OBJECT, lo_word("Trustee rights").flags(WIDE_RIGHTS)];

/// What function 22/37 sets of a directory entry.
const DOS_ENTRY: FieldTable = &[
    ENTRY_ATTRIBUTES,
    byte("Unique ID"),
    byte("Flags"),
    byte("Unused"),
    byte("Name space").one_of(NAME_SPACES),
    byte("Name length"),
    text(12, "Name"),
    lo_time("Creation time"),
    lo_date("Creation date"),
    long("Creator ID").hex(),
    lo_time("Archive time"),
    lo_date("Archive date"),
    long("Archiver ID").hex(),
    lo_time("Update time"),
    lo_date("Update date"),
    long("Updater ID").hex(),
    long("File size"),
    lo_long("First block of the data fork"),
    lo_long("Next trustee entry"),
    reserved(36),
    lo_word("Inherited rights mask").flags(WIDE_RIGHTS),
    lo_date("Last access date"),
];

/// What functions 87/7 and 89/7 set of a file.
const DOS_INFORMATION: FieldTable = &[
    lo_word("Attributes").flags(ATTRIBUTES),
    byte("File mode"),
    byte("File extended attributes"),
    lo_date("Creation date"),
    lo_time("Creation time"),
    long("Creator ID").hex(),
    lo_date("Modification date"),
    lo_time("Modification time"),
    long("Modifier ID").hex(),
    lo_date("Archive date"),
    lo_time("Archive time"),
    long("Archiver ID").hex(),
    lo_date("Last access date"),
    lo_word("Inherited rights grant mask").flags(WIDE_RIGHTS),
    lo_word("Inherited rights revoke mask").flags(WIDE_RIGHTS),
    lo_long("Maximum space"),
];

/// Locks, volumes, and files by directory handle and name.
pub(super) static FILES: &[CodedTable] = field_tables! {
    3 => [HANDLE, LOCK, word("Time-out"), name("File name")];
    4 => [word("Time-out")];
    5 | 7 => [HANDLE, name("File name")];
    6 | 8 | 13 | 14 | 29 | 31 => [LOCK];
    9 => [LOCK, word("Time-out"), name("Logical record name")];
    10 => [LOCK, word("Time-out")];
    11 | 12 => [name("Logical record name")];
    18 => [VOLUME];
    26 => [LOCK, FILE, long("Start offset"), long("Lock length"), word("Time-out")];
    27 => [LOCK, word("Time-out")];
    28 | 30 => [reserved(1), FILE, long("Start offset"), long("Lock length")];
    33 => [word("Proposed buffer size")];
    37 => [lo_long("NCP extension number"), rest("Data")];
    59 | 61 | 66 | 71 => [reserved(1), FILE];
    62 => [HANDLE, name("Path")];
    63 => [VOLUME, word("Directory ID").hex(), word("Search sequence"), SEARCHED, file_name("Search pattern")];
    64 => [word("Search sequence"), HANDLE, SEARCHED, file_name("File name")];
    65 => [HANDLE, SEARCHED, name("File name")];
    67 | 77 => [HANDLE, SET, name("File name")];
    68 => [HANDLE, SEARCHED, file_name("File name")];
    69 => [HANDLE, SEARCHED, file_name("File name"), byte("Target directory handle"), file_name("New file name")];
    70 => [SET, HANDLE, SEARCHED, file_name("File name")];
    72 => [reserved(1), FILE, long("File offset"), word("Bytes to read")];
    73 => [reserved(1), FILE, long("File offset"), word("Bytes to write"), counted("Data")];
    75 => [reserved(1), FILE, time("File time"), date("File date")];
    76 => [HANDLE, SEARCHED, byte("Desired access").flags(ACCESS), name("File name")];
    79 => [SET, HANDLE, SEARCHED, file_name("File name")];
    84 => [HANDLE, SET, byte("Desired access").flags(ACCESS), byte("Action"), name("File name")];
    85 => [word("Structure length"), FILE, lo_long("File offset")];
    97 => [word("Proposed maximum size"), byte("Options").flags(PACKET_OPTIONS)];
    98 => [quad("Proposed maximum size")];
    101 => [
        long("Local connection ID").hex(),
        long("Local maximum packet size"),
        word("Local target socket").hex(),
        long("Local maximum send size"),
        long("Local maximum receive size"),
    ];
    105 => [HANDLE, LOCK, lo_word("Time-out"), name("File name")];
    106 => [lo_word("Time-out")];
    107 => [LOCK, lo_word("Time-out"), name("Logical record name")];
    108 | 110 => [LOCK, lo_word("Time-out")];
    109 => [LOCK, FILE, lo_long("Start offset"), lo_long("Lock length"), lo_word("Time-out")];
};

/// Function 74: its count has 4 bytes in current documentation and 2 in older tables, which
/// the length of the packet tells apart.
pub(super) static COPY: CodedTable = CodedTable {
    codes: &[74],
    second: &[],
    params: &[
        reserved(1),
        FILE,
        bytes(6, "Target file handle"),
        long("File offset"),
        long("Target file offset"),
        long("Bytes to copy"),
    ],
};

/// Function 74 with a count of two bytes, as older tables have it.
pub(super) static OLD_COPY: CodedTable = CodedTable {
    codes: &[74],
    second: &[],
    params: &[
        reserved(1),
        FILE,
        bytes(6, "Target file handle"),
        long("File offset"),
        long("Target file offset"),
        word("Bytes to copy"),
    ],
};

/// Directories by handle, trustees, volumes: function 22.
pub(super) static DIRECTORIES: &[CodedTable] = field_tables! {
    22/0 => [byte("Target directory handle"), byte("Source directory handle"), name("Path")];
    22/1 | 17 | 20 | 21 | 23 | 31 | 35 | 45 => [HANDLE];
    22/2 => [HANDLE, word("Starting search number"), name("Path")];
    22/3 | 42 => [HANDLE, name("Path")];
    22/4 => [
        HANDLE,
        byte("Rights to grant").flags(RIGHTS),
        byte("Rights to revoke").flags(RIGHTS),
        name("Path"),
    ];
    22/5 => [name("Volume name")];
    22/6 | 44 | 47 | 51 => [VOLUME];
    22/10 => [HANDLE, byte("Access rights mask").flags(RIGHTS), name("Path")];
    22/11 => [HANDLE, reserved(1), name("Path")];
    22/12 => [HANDLE, byte("Trustee set number"), name("Path")];
    22/13 => [HANDLE, long("Trustee ID").hex(), byte("Trustee rights").flags(RIGHTS), name("Path")];
    22/14 => [HANDLE, long("Trustee ID").hex(), reserved(1), name("Path")];
    22/15 => [HANDLE, name("Path"), name("New directory name")];
    22/18 | 19 | 22 => [HANDLE, byte("Handle name"), name("Path")];
    22/24 => [bytes(10, "Server network address"), lo_long("Handle ID").hex()];
    22/25 => [
        HANDLE,
        lo_date("Creation date"),
        lo_time("Creation time"),
        long("Owner ID").hex(),
        byte("Access rights mask").flags(RIGHTS),
        name("Path"),
    ];
    22/26 => [VOLUME, lo_word("Directory entry number").hex()];
    22/27 => [HANDLE, SEQUENCE];
    22/28 => [HANDLE, SEQUENCE, name("File name"), name("New file name")];
    22/29 => [HANDLE, SEQUENCE];
    22/30 => [HANDLE, SEARCHED, SEQUENCE, file_name("Search pattern")];
    22/32 => [VOLUME, SEQUENCE];
    22/33 => [VOLUME, OBJECT, lo_long("Disk space limit")];
    22/34 => [VOLUME, OBJECT];
    22/36 => [HANDLE, lo_long("Disk space limit")];
    22/37 => [
        HANDLE,
        SEARCHED,
        SEQUENCE,
        lo_word("Change bits"),
        reserved(2),
        lo_long("Subdirectory").hex(),
        group("DOS information", DOS_ENTRY),
    ];
    22/38 => [HANDLE, byte("Sequence"), name("Path")];
    22/39 => [HANDLE, OBJECT, lo_word("Trustee rights").flags(WIDE_RIGHTS), name("Path")];
    22/40 => [HANDLE, SEARCHED, SEQUENCE, file_name("Search pattern")];
    22/41 => [VOLUME, lo_long("Object ID").hex()];
    22/43 => [HANDLE, OBJECT, byte("Unused"), name("Path")];
    22/46 => [
        byte("Source directory handle"),
        SEARCHED,
        path("Source path"),
        byte("Destination directory handle"),
        path("Destination path"),
    ];
    22/48 => [VOLUME, lo_long("DOS sequence").hex(), FROM_SPACE];
    22/49 => [STREAM, HANDLE, SET, byte("Open rights").flags(ACCESS), name("File name")];
    22/50 => [OBJECT, HANDLE, name("Path")];
    22/52 => [
        lo_long("Starting volume number"),
        lo_long("Volume request flags"),
        lo_long("Name space").one_of(NAME_SPACES),
    ];
    22/53 => [WIDE_VOLUME, lo_long("Version")];
    22/54 => [WIDE_VOLUME, lo_long("Object ID").hex(), lo_quad("Disk space limit")];
    22/55 => [WIDE_VOLUME, lo_long("Object ID").hex()];
    22/56 => [WIDE_VOLUME, SEQUENCE];
    22/57 => [lo_quad("Directory handle").hex(), lo_quad("Disk space limit")];
    22/58 => [lo_quad("Directory handle").hex()];
};

/// Extended attributes, data migration: functions 86 and 90.
pub(super) static ATTRIBUTES_AND_MIGRATION: &[CodedTable] = field_tables! {
    86/1 => [reserved(2), lo_long("EA handle").hex()];
    86/2 => [
        EA_FLAGS, EA_FILE, EA_DIRECTORY,
        lo_long("Total write data size"),
        lo_long("File offset"),
        lo_long("EA access flag").hex(),
        lo_word("Value length"),
        EA_KEY,
        rest("Data"),
    ];
    86/3 => [EA_FLAGS, EA_FILE, EA_DIRECTORY, lo_long("File offset"), lo_long("Inspect size"), EA_KEY];
    86/4 => [EA_FLAGS, EA_FILE, EA_DIRECTORY, lo_long("Inspect size"), lo_word("Sequence number"), EA_KEY];
    86/5 => [
        lo_word("Source EA flags").hex(),
        lo_word("Destination EA flags").hex(),
        EA_FILE, EA_DIRECTORY, EA_FILE, EA_DIRECTORY,
    ];
    90/0 => [
        lo_long("Information mask").hex(),
        reserved(4),
        reserved(4),
        lo_long("Limb count"),
        lo_long("Limb flags").hex(),
        WIDE_VOLUME,
        BASE,
        lo_long("Limb scan number"),
        lo_long("Name space").one_of(NAME_SPACES),
    ];
    90/10 => [WIDE_VOLUME, BASE, SPACE];
    90/11 => [lo_long("Directory handle")];
    90/12 => [FILE, lo_long("Suggested file size")];
    90/128 => [
        WIDE_VOLUME, lo_long("Directory entry number").hex(), SPACE, reserved(3),
        lo_long("Support module ID").hex(),
        byte("Flags"),
    ];
    90/129 | 133 => [WIDE_VOLUME, lo_long("Directory entry number").hex(), SPACE];
    90/130 => [WIDE_VOLUME, lo_long("Support module ID").hex()];
    90/132 => [byte("Information level"), reserved(3), lo_long("Support module ID").hex()];
    90/134 => [byte("Get or set"), reserved(3), lo_long("Support module ID").hex()];
    90/135 => [lo_long("Support module ID").hex(), WIDE_VOLUME, BASE];
    90/136 => [lo_long("Verb"), rest("Data")];
    90/150 => [WIDE_VOLUME, BASE, lo_long("File migration state")];
};

const EA_FLAGS: Param = lo_word("EA flags").hex();
/// The flags tell which of the two.
const EA_FILE: Param = bytes(4, "EA handle, file handle or volume");
const EA_DIRECTORY: Param = bytes(4, "Directory number or reserved");
const EA_KEY: Param = long_name("EA key");

/// Function 87: files and directories of any name space, and 64-bit files.
pub(super) static NAME_SPACE: &[CodedTable] = field_tables! {
    87/1 | 32 => [SPACE, MODE, WIDE_SEARCHED, ASKED, ASKED_TOO, ENTRY_ATTRIBUTES, DESIRED, place("File")];
    87/2 => [SPACE, reserved(1), place("Directory")];
    87/3 => [SPACE, STREAM, WIDE_SEARCHED, ASKED, ASKED_TOO, SEARCH_SEQUENCE, file_name("Search pattern")];
    87/4 => [SPACE, byte("Rename flag"), WIDE_SEARCHED, two_places()];
    87/5 => [SPACE, reserved(1), WIDE_SEARCHED, SEQUENCE, place("File")];
    87/6 | 29 => [FROM_SPACE, TO_SPACE, WIDE_SEARCHED, ASKED, ASKED_TOO, place("File")];
    87/7 => [
        SPACE, reserved(1), WIDE_SEARCHED,
        lo_word("Modify mask").flags(MODIFY),
        reserved(2),
        group("DOS information", DOS_INFORMATION),
        place("File"),
    ];
    87/8 => [SPACE, reserved(1), WIDE_SEARCHED, place("File")];
    87/9 => [SPACE, STREAM, byte("Destination directory handle"), reserved(1), place("Directory")];
    87/10 => [
        SPACE, reserved(1), WIDE_SEARCHED,
        lo_word("Trustee rights mask").flags(WIDE_RIGHTS),
        lo_word("Object ID count"),
        place("File"),
        repeat("Trustee", TRUSTEE),
    ];
    87/11 => [SPACE, reserved(1), lo_word("Object ID count"), place("File"), repeat("Trustee", TRUSTEE)];
    87/12 => [SPACE, reserved(1), lo_word("Allocate mode").flags(ALLOCATE), place("Directory")];
    87/16 => [SPACE, STREAM, ASKED, ASKED_TOO, SEQUENCE, place("Directory")];
    87/17 => [SPACE, reserved(1), SEQUENCE, WIDE_VOLUME, BASE, name("New file name")];
    87/18 => [SPACE, reserved(1), SEQUENCE, WIDE_VOLUME, BASE];
    87/19 => [FROM_SPACE, TO_SPACE, reserved(1), VOLUME, BASE, lo_word("Name space information mask").flags(MODIFY)];
    87/20 | 40 => [
        SPACE, STREAM, WIDE_SEARCHED, ASKED, ASKED_TOO,
        lo_word("Return information count"),
        SEARCH_SEQUENCE,
        file_name("Search pattern"),
    ];
    87/21 => [SPACE, HANDLE];
    87/22 => [FROM_SPACE, TO_SPACE, lo_word("Destination name space indicator"), place("Directory")];
    87/23 => [SPACE, VOLUME];
    87/24 => [reserved(2), VOLUME];
    87/25 => [
        FROM_SPACE, TO_SPACE, VOLUME, BASE,
        lo_word("Name space information mask").flags(MODIFY),
        reserved(2),
        rest("Name space information"),
    ];
    87/26 => [SPACE, VOLUME, BASE, lo_long("Huge mask").hex(), bytes(16, "Huge state information")];
    87/27 => [
        SPACE, VOLUME, BASE, lo_long("Huge mask").hex(), bytes(16, "Huge state information"),
        name("Huge data"),
    ];
    87/28 => [
        FROM_SPACE, TO_SPACE, lo_word("Path cookie flags").hex(),
        lo_long("Cookie 1").hex(), lo_long("Cookie 2").hex(),
        place("File"),
    ];
    87/30 | 33 => [
        SPACE, STREAM, MODE, reserved(1), WIDE_SEARCHED, reserved(2), ASKED, ASKED_TOO,
        ENTRY_ATTRIBUTES, DESIRED,
        place("File"),
    ];
    87/31 => [FILE, byte("Information level")];
    87/34 => [OPEN_FILE, byte("Function").one_of(OP_LOCKS)];
    87/35 => [SPACE, byte("Flags"), WIDE_SEARCHED, ASKED, ASKED_TOO, ENTRY_ATTRIBUTES, place("File")];
    87/36 => [
        SPACE, reserved(1), reserved(2), byte("Log file flags").hex(), byte("Log file flags, high byte").hex(),
        reserved(2), lo_long("Time-out"), place("File"),
    ];
    87/37 | 38 => [SPACE, reserved(1), reserved(2), place("File")];
    87/39 => [SPACE, reserved(2), place("Directory")];
    87/41 => [SPACE, reserved(1), lo_word("Control flags").hex(), SEQUENCE, place("Directory")];
    87/42 => [
        SPACE, reserved(1), lo_word("Purge flags").hex(), WIDE_VOLUME, BASE,
        lo_long("Purge count"),
        repeat("File", &[SEQUENCE]),
    ];
    87/43 => [reserved(3), byte("Query flag"), OPEN_FILE, byte("Rights to remove").flags(ACCESS)];
    87/44 => [
        reserved(2), VOLUME, SPACE, lo_long("Directory number").hex(),
        lo_word("Access rights").flags(ACCESS),
        lo_word("New access rights").flags(ACCESS),
        OPEN_FILE,
    ];
    87/64 => [OPEN_FILE, quad("Starting offset"), word("Bytes to read")];
    87/65 => [OPEN_FILE, quad("Starting offset"), word("Bytes to write"), counted("Data")];
    87/66 => [OPEN_FILE];
    87/67 => [
        lo_long("Lock flag").one_of(LOCKS), OPEN_FILE, quad("Starting offset"), quad("Lock length"),
        long("Time-out"),
    ];
    87/68 | 69 => [OPEN_FILE, quad("Starting offset"), quad("Lock length")];
    87/70 => [
        bytes(6, "Source file handle"), bytes(6, "Target file handle"),
        quad("Source file offset"), quad("Target file offset"), quad("Bytes to copy"),
    ];
    87/71 => [bytes(6, "Source file handle"), quad("Source file offset"), byte("Extent list format")];
    87/72 => [OPEN_FILE, quad("Starting offset"), long("Bytes to read")];
    87/73 => [OPEN_FILE, quad("Starting offset"), long("Bytes to write"), counted("Data")];
};

/// Function 89: the same with long names.
pub(super) static LONG_NAMES: &[CodedTable] = field_tables! {
    89/1 | 32 => [SPACE, MODE, WIDE_SEARCHED, ASKED, ASKED_TOO, ENTRY_ATTRIBUTES, DESIRED, long_place("File")];
    89/2 => [SPACE, reserved(1), long_place("Directory")];
    89/3 => [
        SPACE, STREAM, WIDE_SEARCHED, ASKED, ASKED_TOO, SEARCH_SEQUENCE, TEXT_TYPE,
        long_file_name("Search pattern"),
    ];
    89/4 => [SPACE, byte("Rename flag"), WIDE_SEARCHED, two_long_places()];
    89/5 => [SPACE, byte("Maximum object IDs"), WIDE_SEARCHED, SEQUENCE, long_place("File")];
    89/6 | 29 => [FROM_SPACE, TO_SPACE, WIDE_SEARCHED, ASKED, ASKED_TOO, long_place("File")];
    89/7 => [
        SPACE, reserved(1), WIDE_SEARCHED,
        lo_word("Modify mask").flags(MODIFY),
        reserved(2),
        group("DOS information", DOS_INFORMATION),
        long_place("File"),
    ];
    89/8 => [SPACE, reserved(1), WIDE_SEARCHED, long_place("File")];
    89/9 => [SPACE, STREAM, byte("Destination directory handle"), reserved(1), long_place("Directory")];
    89/10 => [
        SPACE, reserved(1), WIDE_SEARCHED,
        lo_word("Trustee rights mask").flags(WIDE_RIGHTS),
        lo_word("Object ID count"),
        repeat("Trustee", TRUSTEE),
        long_place("File"),
    ];
    89/11 => [
        SPACE, reserved(1), lo_word("Object ID count"), repeat("Trustee", TRUSTEE),
        long_place("File"),
    ];
    89/12 => [SPACE, TO_SPACE, lo_word("Allocate mode").flags(ALLOCATE), long_place("Directory")];
    89/16 => [SPACE, STREAM, ASKED, ASKED_TOO, SEQUENCE, long_place("Directory")];
    89/17 => [SPACE, reserved(1), SEQUENCE, WIDE_VOLUME, BASE, TEXT_TYPE, long_name("New file name")];
    89/19 => [FROM_SPACE, TO_SPACE, TEXT_TYPE, VOLUME, BASE, lo_word("Name space information mask").flags(MODIFY)];
    89/20 | 40 => [
        SPACE, STREAM, WIDE_SEARCHED, ASKED, ASKED_TOO,
        lo_word("Return information count"),
        SEARCH_SEQUENCE, TEXT_TYPE,
        long_file_name("Search pattern"),
    ];
    89/22 => [FROM_SPACE, TO_SPACE, lo_word("Destination name space indicator"), long_place("Directory")];
    89/25 => [
        FROM_SPACE, TO_SPACE, VOLUME, BASE,
        lo_word("Name space information mask").flags(MODIFY),
        TEXT_TYPE,
        rest("Name space information"),
    ];
    89/28 => [
        FROM_SPACE, TO_SPACE, lo_word("Path cookie flags").hex(),
        lo_long("Cookie 1").hex(), lo_long("Cookie 2").hex(),
        long_place("File"),
    ];
    89/30 | 33 => [
        SPACE, STREAM, MODE, reserved(1), WIDE_SEARCHED, reserved(2), ASKED, ASKED_TOO,
        ENTRY_ATTRIBUTES, DESIRED,
        long_place("File"),
    ];
    89/35 => [SPACE, byte("Flags"), WIDE_SEARCHED, ASKED, ASKED_TOO, ENTRY_ATTRIBUTES, long_place("File")];
    89/39 => [SPACE, reserved(2), long_place("Directory")];
    89/41 => [SPACE, reserved(1), byte("Information level"), long_place("Directory")];
    89/50 => [SPACE, OBJECT, long_place("File")];
    89/52 => [
        EA_FLAGS, EA_FILE, EA_DIRECTORY,
        lo_long("Total write data size"),
        lo_long("File offset"),
        lo_long("EA access flag").hex(),
        TEXT_TYPE,
        lo_word("Value length"),
        EA_KEY,
        rest("Data"),
    ];
    89/53 => [
        EA_FLAGS, EA_FILE, EA_DIRECTORY, lo_long("File offset"), lo_long("Inspect size"), TEXT_TYPE,
        lo_word("Maximum reply size"),
        EA_KEY,
    ];
    89/54 => [
        EA_FLAGS, EA_FILE, EA_DIRECTORY, lo_long("Inspect size"), lo_word("Sequence number"), TEXT_TYPE,
        EA_KEY,
    ];
    89/71 => [lo_long("Volume number"), OBJECT, SEQUENCE, TEXT_TYPE];
};

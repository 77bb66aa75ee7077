//! The parameters of successful replies, by the function that was asked for.
//!
//! Replies that bring information on files in the new style cannot be taken apart: only the
//! request says which parts are there.

use super::names::*;
use super::params::*;
use wirewait_wire::{field_tables, table};

/// The parameters of a successful reply. Data from an odd offset in the file stand behind a
/// byte of padding in the reply to function 72.
pub(super) fn find(
    function: u8,
    subfunction: Option<u8>,
    offset: Option<u64>,
) -> Option<&'static CodedTable> {
    if function == 72 && offset.is_some_and(|offset| offset % 2 == 1) {
        return Some(&READ_AT_ODD);
    }
    table::find(
        &[FILES, DIRECTORIES, NAME_SPACE, BINDERY, OTHERS],
        function,
        subfunction,
    )
}

const FILE: Param = bytes(6, "File handle");
const OPEN_FILE: Param = long("File handle").hex();
const OBJECT: Param = long("Object ID").hex();
const KIND: Param = word("Object type").one_of(OBJECTS);
const SECURE: Param = byte("Security").one_of(SECURITY);
const VOLUME: Param = byte("Volume number");
const SEQUENCE: Param = lo_long("Sequence number").hex();
const ENTRY: Param = lo_long("Directory entry number").hex();
const SET: Param = byte("Attributes").flags(ATTRIBUTES);
const SEARCH_SEQUENCE: Param = group("Search sequence", &[VOLUME, ENTRY, SEQUENCE]);
const QUEUE: Param = lo_long("Queue ID").hex();
const OPENED: Param = byte("Open create action").flags(OPEN_ACTION);
const RETURN_FLAGS: Param = byte("Return flags").hex();
const MORE_ENTRIES: Param = byte("More entries").one_of(MORE);
const INFORMATION_COUNT: Param = lo_word("Information count");
const EFFECTIVE: Param = lo_word("Effective rights").flags(WIDE_RIGHTS);

/// What an old open, create or search tells of a file.
const OLD_FILE: Param = group(
    "File information",
    &[
        text(14, "File name"),
        SET,
        byte("Execute type"),
        long("File size"),
        date("Creation date"),
        date("Last access date"),
        date("Modification date"),
        time("Modification time"),
    ],
);

/// A DOS directory entry, as far as files and directories have the same in it.
const ENTRY_HEAD: FieldTable = &[
    lo_long("Subdirectory").hex(),
    lo_long("Attributes").flags(WIDE_ATTRIBUTES),
    byte("Unique ID"),
    byte("Flags").hex(),
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
];

const SPACE: FieldTable = &[
    word("Sectors per cluster"),
    word("Total clusters"),
    word("Available clusters"),
    word("Total directory slots"),
    word("Available directory slots"),
    text(16, "Volume name"),
    word("Removable"),
];

const LOGIN_TIME: Param = group(
    "Login time",
    &[
        byte("Year"),
        byte("Month"),
        byte("Day"),
        byte("Hour"),
        byte("Minute"),
        byte("Second"),
        byte("Day of the week"),
    ],
);

static FILES: &[CodedTable] = field_tables! {
    18 => [group("Volume", SPACE)];
    20 => [
        byte("Year"), byte("Month"), byte("Day"), byte("Hour"), byte("Minute"), byte("Second"),
        byte("Day of the week"),
    ];
    33 => [word("Accepted buffer size")];
    62 => [
        VOLUME, word("Directory ID").hex(), word("Search sequence"),
        byte("Access rights").flags(RIGHTS),
    ];
    63 => [word("Search sequence"), word("Directory ID").hex(), OLD_FILE];
    64 => [word("Search sequence"), reserved(2), OLD_FILE];
    65 | 67 | 76 | 77 | 84 => [FILE, reserved(2), OLD_FILE];
    71 => [long("File size")];
    72 => [word("Bytes read"), counted("Data")];
    74 => [long("Bytes copied")];
    85 => [lo_long("Allocation block size"), reserved(4), rest("Bit map")];
    97 => [
        word("Accepted maximum size"), word("Echo socket").hex(),
        byte("Options").flags(PACKET_OPTIONS),
    ];
    98 => [quad("Accepted maximum size"), word("Echo socket").hex()];
    101 => [
        long("Remote connection ID").hex(), long("Remote maximum packet size"),
        rest("Send and receive sizes"),
    ];
};

static READ_AT_ODD: CodedTable = CodedTable {
    codes: &[72],
    second: &[],
    params: &[word("Bytes read"), bytes(1, "Padding"), counted("Data")],
};

static DIRECTORIES: &[CodedTable] = field_tables! {
    22/1 => [name("Path")];
    22/2 => [
        text(16, "Directory name"), date("Creation date"), time("Creation time"),
        long("Owner ID").hex(), byte("Access rights").flags(RIGHTS), reserved(1),
        word("Next search number"),
    ];
    22/3 => [byte("Effective rights").flags(RIGHTS)];
    22/5 => [VOLUME];
    22/6 => [name("Volume name")];
    22/18 | 19 | 22 | 24 => [byte("Directory handle"), byte("Access rights").flags(RIGHTS)];
    22/21 => [group("Volume", SPACE)];
    22/26 => [name("Path")];
    22/30 => [SEQUENCE, group("Directory entry", ENTRY_HEAD), rest("More of the entry")];
    22/31 => [group("Directory entry", ENTRY_HEAD), rest("More of the entry")];
    22/41 => [lo_long("Restriction"), lo_long("In use")];
    22/42 => [lo_word("Effective rights").flags(WIDE_RIGHTS)];
    22/44 => [
        lo_long("Total blocks"), lo_long("Free blocks"), lo_long("Purgeable blocks"),
        lo_long("Not yet purgeable blocks"), lo_long("Total directory entries"),
        lo_long("Available directory entries"), reserved(4), byte("Sectors per block"),
        name("Volume name"),
    ];
    22/45 => [
        lo_long("Total blocks"), lo_long("Available blocks"), lo_long("Total directory entries"),
        lo_long("Available directory entries"), reserved(4), byte("Sectors per block"),
        name("Volume name"),
    ];
    22/49 => [OPEN_FILE];
    22/50 => [lo_word("Effective rights").flags(WIDE_RIGHTS)];
    22/52 => [lo_long("Items in packet"), lo_long("Next volume number"), rest("Volumes")];
    22/55 => [lo_quad("Restriction"), lo_quad("In use")];
};

static NAME_SPACE: &[CodedTable] = field_tables! {
    87/1 | 30 | 32 | 33 => [OPEN_FILE, OPENED, RETURN_FLAGS, file_information()];
    89/1 | 30 | 32 | 33 => [OPEN_FILE, OPENED, RETURN_FLAGS, long_file_information()];
    87 | 89/2 => [VOLUME, lo_long("Directory number").hex(), ENTRY];
    87/3 => [SEARCH_SEQUENCE, reserved(1), file_information()];
    89/3 => [SEARCH_SEQUENCE, reserved(1), long_file_information()];
    87 | 89/5 => [
        SEQUENCE, lo_word("Object ID count"),
        repeat("Trustee", &[OBJECT, lo_word("Trustee rights").flags(WIDE_RIGHTS)]),
    ];
    87/6 => [file_information()];
    89/6 => [long_file_information()];
    87 | 89/12 => [byte("Directory handle"), VOLUME, reserved(4)];
    87/20 | 40 => [SEARCH_SEQUENCE, MORE_ENTRIES, INFORMATION_COUNT, file_information()];
    89/20 | 40 => [SEARCH_SEQUENCE, MORE_ENTRIES, INFORMATION_COUNT, long_file_information()];
    87/21 => [name("Path")];
    87 | 89/22 => [
        lo_long("Directory base").hex(), lo_long("DOS directory base").hex(), VOLUME,
    ];
    87/24 => [
        lo_word("Name spaces loaded"), repeat("Name space", &[byte("Name space").one_of(NAME_SPACES)]),
    ];
    87 | 89/28 => [
        lo_word("Path cookie flags").hex(), lo_long("Cookie 1").hex(), lo_long("Cookie 2").hex(),
        lo_word("Path component size"), lo_word("Path component count"), rest("Path components"),
    ];
    87/29 => [EFFECTIVE, file_information()];
    89/29 => [EFFECTIVE, long_file_information()];
    87/64 => [word("Bytes read"), counted("Data")];
    87/66 => [lo_quad("File size")];
    87/70 => [quad("Bytes copied")];
    87/72 => [long("Bytes read"), counted("Data")];
};

static BINDERY: &[CodedTable] = field_tables! {
    23/3 => [OBJECT];
    23/7 | 54 => [OBJECT, KIND, text(48, "Object name")];
    23/17 => [
        text(48, "Server name"), byte("OS version"), byte("OS subversion"),
        word("Maximum connections"), word("Connections in use"), word("Maximum volumes"),
        byte("OS revision"), byte("SFT level"), byte("TTS level"), word("Peak connections"),
        byte("Accounting version"), byte("VAP version"), byte("Queue management version"),
        byte("Print server version"), byte("Virtual console version"),
        byte("Security restriction version"), byte("Internet bridge version"),
        rest("More of the server"),
    ];
    23/19 => [
        long("Network address").hex(), bytes(6, "Node address"), word("Socket").hex(),
    ];
    23/22 | 28 => [OBJECT, KIND, text(48, "Object name"), LOGIN_TIME, reserved(1)];
    23/23 => [bytes(8, "Login key")];
    23/26 => [
        long("Network address").hex(), bytes(6, "Node address"), word("Socket").hex(),
        byte("Connection type"),
    ];
    23/53 => [OBJECT, KIND, text(48, "Object name")];
    23/55 => [
        OBJECT, KIND, text(48, "Object name"), byte("Object flags").one_of(OBJECT_FLAGS), SECURE,
        byte("Has properties").one_of(MORE),
    ];
    23/60 => [
        text(16, "Property name"), byte("Property flags").flags(PROPERTY_FLAGS), SECURE,
        long("Search instance"), byte("Value available").one_of(MORE),
        byte("More properties").one_of(MORE),
    ];
    23/61 => [
        bytes(128, "Property value"), byte("More segments").one_of(MORE),
        byte("Property flags").flags(PROPERTY_FLAGS),
    ];
    23/70 => [SECURE, OBJECT];
    23/71 => [word("Last sequence number"), OBJECT, byte("Access rights").flags(RIGHTS), name("Path")];
    23/72 => [SECURE];
    23/100 => [QUEUE];
    23/102 => [
        QUEUE, byte("Queue status").flags(QUEUE_STATUS), byte("Current entries"),
        byte("Current servers"), rest("Servers"),
    ];
    23/120 => [QUEUE, word("Job number"), long("File size")];
    23/125 => [
        QUEUE, byte("Queue status").flags(QUEUE_STATUS), reserved(3), lo_long("Current entries"),
        lo_long("Current servers"), repeat("Server", &[long("Server ID").hex()]),
    ];
    23/129 => [
        lo_long("Total jobs"), lo_long("Jobs in this reply"),
        repeat("Job", &[long("Job number")]),
    ];
    23/135 => [QUEUE, long("Job number"), long("File size")];
    23/201 => [rest("Descriptions")];
    23/205 => [byte("Login allowed")];
};

static OTHERS: &[CodedTable] = field_tables! {
    17/6 => [
        byte("Printer halted").one_of(MORE), byte("Printer off-line").one_of(MORE),
        byte("Current form type"), byte("Redirected printer"),
    ];
    17/10 => [OBJECT];
    21/1 | 11 => [name("Message")];
    32/0 => [long("Semaphore handle").hex(), byte("Open count")];
    32/1 => [byte("Semaphore value"), byte("Open count")];
    34/2 => [long("Transaction number")];
    34/5 | 7 => [byte("Logical lock threshold"), byte("Physical lock threshold")];
    34/9 => [byte("Control flags")];
    36/0 | 2 | 5 => [
        lo_long("NCP extension number"), byte("Major version"), byte("Minor version"),
        byte("Revision"), name("NCP extension name"), rest("Query data"),
    ];
    36/3 => [lo_long("NCP extensions")];
    104/1 => [byte("Ping version"), rest("NDS information")];
    104/4 => [name("Bindery context")];
    111/0 => [lo_long("Semaphore handle").hex(), byte("Open count")];
    111/1 => [byte("Semaphore value"), byte("Open count")];
    111/4 => [byte("Open count"), byte("Share count")];
    114/12 => [lo_long("Version")];
};

//! The parameters of requests to log in, to the bindery, to queues, of accounting and of the
//! console: function 23.

use super::super::names::*;
use super::super::params::*;
use wirewait_wire::field_tables;

const KIND: Param = word("Object type").one_of(OBJECTS);
const OBJECT: Param = name("Object name");
const OBJECT_ID: Param = long("Object ID").hex();
const PROPERTY: Param = name("Property name");
const SECURE: Param = byte("Security").one_of(SECURITY);
const KEY: Param = bytes(8, "Encrypted key");
const VOLUME: Param = byte("Volume number");
const QUEUE: Param = lo_long("Queue ID").hex();
const JOB: Param = word("Job number");
const WIDE_JOB: Param = long("Job number");
const STATION: Param = lo_word("Connection number");
const LAST_SEEN: Param = lo_word("Last record seen");
const DIRECTORY: Param = lo_long("Directory base").hex();
const STREAM: Param = byte("Data stream").one_of(STREAMS);

const ENTRY_TIME: FieldTable = &[
    byte("Year"),
    byte("Month"),
    byte("Day"),
    byte("Hour"),
    byte("Minute"),
    byte("Second"),
];

/// A queue job as NetWare 2 keeps it.
const OLD_JOB: FieldTable = &[
    byte("Client station"),
    byte("Client task"),
    long("Client ID").hex(),
    long("Target server ID").hex(),
    bytes(6, "Target execution time"),
    group("Job entry time", ENTRY_TIME),
    JOB,
    word("Job type"),
    byte("Job position"),
    byte("Job control flags").flags(JOB_FLAGS),
    text(14, "Job file name"),
    bytes(6, "Job file handle"),
    byte("Server station"),
    byte("Server task"),
    long("Server ID").hex(),
    text(50, "Job description"),
    rest("Client record area"),
];

/// A queue job as NetWare 3 and later keep it.
const JOB_ENTRY: FieldTable = &[
    lo_word("Record in use"),
    lo_long("Previous record"),
    lo_long("Next record"),
    lo_long("Client station"),
    lo_long("Client task"),
    long("Client ID").hex(),
    long("Target server ID").hex(),
    bytes(6, "Target execution time"),
    group("Job entry time", ENTRY_TIME),
    WIDE_JOB,
    word("Job type"),
    lo_word("Job position"),
    lo_word("Job control flags").flags(JOB_FLAGS),
    text(14, "Job file name"),
    long("Job file handle").hex(),
    lo_long("Server station"),
    lo_long("Server task"),
    long("Server ID").hex(),
    text(50, "Job description"),
    rest("Client record area"),
];

/// Login, connections and the server; the bindery and its properties.
pub(super) static BINDERY: &[CodedTable] = field_tables! {
    23/0 => [name("User name"), name("Password")];
    23/1 => [name("User name"), name("Password"), name("New password")];
    23/2 | 3 => [name("User name")];
    23/5 | 19 | 22 => [byte("Connection number")];
    23/4 | 7 | 8 => [OBJECT_ID];
    23/10 => [byte("Local drives"), name("Login directory")];
    23/12 => [lo_long("Serial number").hex()];
    23/13 => [name("Message")];
    23/14 => [VOLUME, long("Trustee ID").hex()];
    23/15 => [
        lo_word("Search index"), byte("Directory handle"),
        byte("Search attributes").flags(SEARCH),
        name("File name"),
    ];
    23/16 => [
        lo_word("Attributes").flags(ATTRIBUTES),
        long("File size"),
        date("Creation date"),
        date("Last access date"),
        date("Modification date"),
        time("Modification time"),
        long("Owner ID").hex(),
        date("Archive date"),
        time("Archive time"),
        reserved(56),
        byte("Directory handle"),
        byte("Search attributes").flags(SEARCH),
        name("File name"),
    ];
    23/20 => [KIND, OBJECT, name("Password")];
    23/21 => [KIND, OBJECT];
    23/24 | 74 => [KEY, KIND, OBJECT];
    23/26 => [STATION];
    23/27 => [lo_long("Search connection number"), KIND, OBJECT];
    23/28 => [lo_long("Connection number")];
    23/29 => [byte("Request code")];
    23/30 => [lo_long("Minutes to delay")];
    23/31 => [OBJECT_ID, long("Search connection number")];
    23/32 => [
        long("Last object ID").hex(), KIND, reserved(2), lo_long("Information flags").hex(), OBJECT,
    ];
    23/33 => [lo_long("GUID count")];
    23/34 => [
        lo_long("Set mask").hex(), lo_long("Encoded strings").hex(), lo_long("Code page"),
    ];
    23/50 => [byte("Object flags").one_of(OBJECT_FLAGS), SECURE, KIND, OBJECT];
    23/51 | 53 => [KIND, OBJECT];
    23/52 => [KIND, OBJECT, name("New object name")];
    23/54 | 72 => [OBJECT_ID];
    23/55 => [long("Last object ID").hex(), KIND, OBJECT];
    23/56 => [SECURE, KIND, OBJECT];
    23/57 => [KIND, OBJECT, byte("Property flags").flags(PROPERTY_FLAGS), SECURE, PROPERTY];
    23/58 => [KIND, OBJECT, PROPERTY];
    23/59 => [KIND, OBJECT, SECURE, PROPERTY];
    23/60 => [KIND, OBJECT, long("Last instance"), PROPERTY];
    23/61 => [KIND, OBJECT, byte("Segment number"), PROPERTY];
    23/62 => [
        KIND, OBJECT, byte("Segment number"), byte("More segments").one_of(MORE), PROPERTY,
        rest("Property value"),
    ];
    23/63 => [KIND, OBJECT, name("Password")];
    23/64 => [KIND, OBJECT, name("Password"), name("New password")];
    23/65 | 66 | 67 => [
        KIND, OBJECT, PROPERTY, word("Member type").one_of(OBJECTS), name("Member name"),
    ];
    23/71 => [VOLUME, word("Last sequence number"), OBJECT_ID];
    23/75 => [KEY, KIND, OBJECT, name("New password")];
    23/76 => [long("Last object ID").hex(), KIND, OBJECT, PROPERTY];
};

/// Print and job queues, accounting.
pub(super) static QUEUES: &[CodedTable] = field_tables! {
    23/100 => [
        word("Queue type").one_of(OBJECTS), name("Queue name"), byte("Directory handle"),
        name("Path"),
    ];
    23/101 | 102 | 107 | 111 | 112 | 125 => [QUEUE];
    23/103 | 126 => [QUEUE, byte("Queue status").flags(QUEUE_STATUS)];
    23/104 | 109 => [QUEUE, group("Job", OLD_JOB)];
    23/105 | 106 | 108 | 115 | 116 | 120 => [QUEUE, JOB];
    23/110 => [QUEUE, JOB, byte("New position")];
    23/113 => [QUEUE, word("Service type")];
    23/114 => [QUEUE, JOB, word("Charge")];
    23/118 => [QUEUE, long("Server ID").hex(), byte("Server station")];
    23/119 => [QUEUE, bytes(64, "Server status record")];
    23/121 | 123 => [QUEUE, group("Job", JOB_ENTRY)];
    23/122 | 127 | 128 | 132 | 133 | 135 => [QUEUE, WIDE_JOB];
    23/124 => [QUEUE, lo_word("Service type")];
    23/129 => [QUEUE, long("Queue start position")];
    23/130 => [QUEUE, WIDE_JOB, lo_long("Priority")];
    23/131 => [QUEUE, WIDE_JOB, lo_long("Charge")];
    23/134 => [QUEUE, long("Server ID").hex(), long("Server station")];
    23/136 => [QUEUE, WIDE_JOB, lo_long("Destination queue ID").hex()];
    23/137 | 138 => [
        QUEUE, lo_long("Queue start position"), lo_long("Form type count"),
        repeat("Form", &[lo_word("Form type")]),
    ];
    23/150 => [KIND, OBJECT];
    23/151 => [
        word("Service type"), long("Charge amount"), long("Hold cancel amount"), KIND,
        word("Comment type"), OBJECT, name("Comment"),
    ];
    23/152 => [long("Hold amount"), KIND, OBJECT];
    23/153 => [word("Service type"), KIND, word("Comment type"), OBJECT, name("Comment")];
};

/// The console: what an operator asks for and changes.
pub(super) static CONSOLE: &[CodedTable] = field_tables! {
    23/202 => [group("Date and time", ENTRY_TIME)];
    23/209 => [byte("Station count"), repeat("Station", &[byte("Connection number")]), name("Message")];
    23/253 => [byte("Station count"), repeat("Station", &[lo_long("Connection number")]), name("Message")];
    23/210 => [byte("Connection number")];
    23/211 => [byte("Force")];
    23/213 => [LAST_SEEN, name("Semaphore name")];
    23/216 => [byte("Physical disk number")];
    23/217 => [byte("Disk channel number")];
    23/218 => [byte("Connection number")];
    23/219 => [word("Connection number"), word("Last record seen")];
    23/220 => [word("Last record seen"), byte("Directory handle"), name("Path")];
    23/221 => [
        STATION, word("Last record seen"), VOLUME, word("Directory ID").hex(), text(14, "File name"),
    ];
    23/222 => [STATION, byte("Directory handle"), name("Path")];
    23/223 => [STATION, word("Last record seen")];
    23/224 | 240 => [LAST_SEEN, name("Logical record name")];
    23/225 | 235 | 241 => [word("Connection number"), LAST_SEEN];
    23/226 | 242 => [LAST_SEEN, name("Semaphore name")];
    23/227 => [byte("LAN driver number")];
    23/229 | 234 => [word("Connection number")];
    23/230 => [OBJECT_ID];
    23/233 => [VOLUME];
    23/236 | 238 => [STREAM, VOLUME, DIRECTORY, LAST_SEEN];
    23/237 => [STATION, STREAM, VOLUME, DIRECTORY, LAST_SEEN];
    23/239 => [STATION, LAST_SEEN];
    23/243 => [VOLUME, lo_long("Directory number").hex(), byte("Name space").one_of(NAME_SPACES)];
    23/244 => [byte("Directory handle"), name("Path")];
    23/254 => [long("Connection number")];
};

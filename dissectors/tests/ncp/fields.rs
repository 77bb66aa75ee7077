//! The fields of NCP as tshark takes them apart.
//!
//! `tests/oracle/ncp/*.tsv` (`refresh.py` makes them) have a request of every function that
//! tshark 4.0.17 knows and replies to the common ones, and where tshark sees fields begin and
//! end. Each of its fields must begin and end where fields of ours do, and its numbers must
//! be ours.

use crate::captures::{captures, packets};
use std::collections::{BTreeMap, HashMap};
use wirewait_dissectors::ALL;
use wirewait_wire::{Asked, Dissector, Field, Fields, Input, Value};

fn ncp() -> &'static Dissector {
    ALL.iter().find(|d| d.name == "ncp").unwrap()
}

fn fields(bytes: &[u8], asked: Option<Asked>) -> Vec<Field<'_>> {
    let mut fields = Fields::new(Input::whole(bytes), asked);
    let _ = (ncp().fields)(&mut fields);
    fields.finish()
}

fn number(field: &Field<'_>) -> Option<u64> {
    match field.value {
        Value::Decimal(n) | Value::Hex(n) => Some(n),
        _ => None,
    }
}

fn hex(digits: &str) -> Vec<u8> {
    (0..digits.len() / 2)
        .map(|i| u8::from_str_radix(&digits[2 * i..2 * i + 2], 16).unwrap())
        .collect()
}

/// A packet of a table and tshark's fields in it.
struct Row {
    /// Function and subfunction.
    key: String,
    packet: Vec<u8>,
    /// Start, end, and the number if it is one.
    fields: Vec<(u32, u32, Option<u64>)>,
}

fn table(name: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/oracle/ncp/");
    std::fs::read_to_string(format!("{folder}{name}")).unwrap()
}

fn rows(name: &str) -> Vec<Row> {
    table(name).lines().map(row).collect()
}

fn row(line: &str) -> Row {
    let columns: Vec<_> = line.split('\t').collect();
    let [function, subfunction, packet, theirs] = columns[..] else {
        panic!("{line}")
    };
    let key = match subfunction {
        "" => function.to_owned(),
        subfunction => format!("{function}/{subfunction}"),
    };
    Row {
        key,
        packet: hex(packet),
        fields: listed(theirs),
    }
}

/// `start:size=value`, with spaces between.
fn listed(text: &str) -> Vec<(u32, u32, Option<u64>)> {
    let field = |text: &str| {
        let (place, value) = match text.split_once('=') {
            Some((place, value)) => (place, Some(value.parse().unwrap())),
            None => (text, None),
        };
        let (start, size) = place.split_once(':').unwrap();
        let start: u32 = start.parse().unwrap();
        (start, start + size.parse::<u32>().unwrap(), value)
    };
    text.split_whitespace().map(field).collect()
}

/// What was compared, and what is apart by function.
#[derive(Default)]
struct Comparison {
    packets: u32,
    fields: u32,
    numbers: u32,
    /// Fields that lie within bytes which we leave undivided.
    undivided: u32,
    apart: BTreeMap<String, Vec<String>>,
}

impl Comparison {
    fn compare(&mut self, row: &Row, ours: &[Field<'_>]) {
        self.packets += 1;
        let whole: Vec<_> = ours
            .iter()
            .filter(|f| f.is_whole() && f.value != Value::Cut)
            .collect();
        for &(start, end, theirs) in &row.fields {
            if whole.iter().any(|f| {
                matches!(f.value, Value::Bytes(_))
                    && f.start <= start
                    && end <= f.end
                    && (f.start, f.end) != (start, end)
            }) {
                self.undivided += 1;
                continue;
            }
            self.fields += 1;
            let begins = whole.iter().any(|f| f.start == start);
            let ends = whole.iter().any(|f| f.end == end);
            let same = whole.iter().find(|f| (f.start, f.end) == (start, end));
            let mine = same.and_then(|f| number(f));
            let equal = match (mine, theirs) {
                (Some(mine), Some(theirs)) => {
                    self.numbers += 1;
                    mine == theirs
                }
                _ => true,
            };
            if !(begins && ends && equal) {
                self.apart.entry(row.key.clone()).or_default().push(format!(
                    "bytes {start} to {end}, {theirs:?} and ours {mine:?}"
                ));
            }
        }
    }

    fn differs_only(&self, known: &[(&str, &str)]) {
        let unknown: Vec<_> = self
            .apart
            .iter()
            .filter(|(key, _)| !known.iter().any(|(k, _)| k == key))
            .collect();
        assert!(unknown.is_empty(), "{unknown:#?}");
        for (key, why) in known {
            assert!(
                self.apart.contains_key(*key),
                "{key} is as tshark has it: {why}?"
            );
        }
    }
}

/// Where tshark is not followed in requests, by function and subfunction, and why.
const REQUESTS_APART: &[(&str, &str)] = &[
    ("4", TIME_OUT),
    ("10", TIME_OUT),
    ("26", TIME_OUT),
    ("27", TIME_OUT),
    ("28", "Hi-Lo as in 26 and 30, where tshark reads it so too"),
    ("22/52", PART),
    (
        "23/109",
        "the queue ID before the job as in 23/104, which tshark leaves out",
    ),
    (
        "23/123",
        "the job of NetWare 3 as in 23/121; tshark has that of NetWare 2",
    ),
    ("35/1", FINDER),
    ("35/2", FINDER),
    ("35/9", FINDER),
    ("35/10", PART),
    ("35/13", FINDER),
    ("35/14", FINDER),
    ("35/16", FINDER),
    ("35/17", PART),
    ("86/2", PART),
    ("87/67", PART),
    ("88/2", PART),
    ("89/52", PART),
    ("90/0", PART),
    (
        "90/11",
        "a handle of four bytes, Lo-Hi as all else in 90; tshark has a byte's type for it",
    ),
    ("90/150", PART),
];
/// Linux's client sends it so in 26, and tshark reads it so in 3 and 9.
const TIME_OUT: &str = "a time-out, Hi-Lo in the old functions";
const PART: &str = "tshark shows less of the number than stands there";
/// As tshark reads most of it itself in 35/2.
const FINDER: &str = "numbers of a Macintosh, Hi-Lo";

#[test]
fn requests_are_taken_apart_as_tshark_does() {
    let mut all = Comparison::default();
    for row in rows("requests.tsv") {
        all.compare(&row, &fields(&row.packet, None));
    }
    all.differs_only(REQUESTS_APART);
    assert_eq!(
        (all.packets, all.fields, all.numbers, all.undivided),
        (563, 1758, 1320, 8)
    );
}

/// Where tshark is not followed in replies.
const REPLIES_APART: &[(&str, &str)] = &[
    ("23/53", ID),
    ("87/1", ID),
    ("87/3", ID),
    ("87/6", ID),
    ("87/29", PART),
    ("87/30", ID),
    ("87/32", ID),
    ("87/40", ID),
    ("89/29", PART),
    ("89/30", ID),
    ("89/40", ID),
];
/// As in the bindery functions and in requests, where tshark reads it so too.
const ID: &str = "an object ID, Hi-Lo";

#[test]
fn replies_are_taken_apart_as_tshark_does() {
    let requests: HashMap<_, _> = rows("requests.tsv")
        .into_iter()
        .map(|row| (row.key, row.packet))
        .collect();
    let mut all = Comparison::default();
    for row in rows("replies.tsv") {
        let part = (ncp().exchange.unwrap())(Input::whole(&requests[&row.key])).unwrap();
        let x = part.exchange.unwrap();
        let asked = Asked {
            operation: x.operation,
            code: x.code,
            asked: x.asked,
            file: x.file,
        };
        all.compare(&row, &fields(&row.packet, Some(asked)));
    }
    all.differs_only(REPLIES_APART);
    assert_eq!(
        (all.packets, all.fields, all.numbers, all.undivided),
        (375, 622, 487, 880)
    );
}

/// Where tshark is not followed in captures: type, function, subfunction, completion code.
/// The first object of a bindery, the supervisor, is 1 only if it is read so.
const CAPTURES_APART: &[(&str, &str)] = &[
    ("13107/87/1/0", ID),
    ("13107/87/6/0", ID),
    ("13107/89/6/0", ID),
];

/// `captures.tsv`: the header of every packet, and all fields of some of each kind.
#[test]
fn packets_of_real_clients_and_servers_are_taken_apart_as_tshark_does() {
    let Some(folder) = captures() else { return };
    let table = table("captures.tsv");
    let mut all = Comparison::default();
    let mut headers = 0;
    let mut theirs = table
        .lines()
        .map(|line| line.split('\t').collect::<Vec<_>>());
    for capture in [
        "real/ncp_tcp524_netware-file-io.pcap",
        "lab/ncp3_8022_slowserver_requestbeingprocessed_srv.pcap",
    ] {
        for ours in packets(&folder.join(capture)) {
            let theirs = theirs.next().unwrap();
            assert_eq!(theirs[..2], [capture, &ours.frame.to_string()]);
            let asked = ours.answered.map(|pair| pair.asked);
            let fields = fields(&ours.bytes, asked);
            let value = |name: &str| {
                let field = fields.iter().find(|f| f.name == name);
                field
                    .and_then(number)
                    .map_or(String::new(), |n| n.to_string())
            };
            let shown = |name: &str| fields.iter().find(|f| f.name == name).map(|f| &f.meaning);
            let mut columns = vec![
                value("Packet type"),
                value("Sequence number"),
                shown("Connection number high")
                    .unwrap()
                    .replace("connection ", ""),
                value("Task number"),
            ];
            // tshark shows the function of its request with a reply, and numbers of its own
            // with packets that have none.
            if theirs[2] == "8738" {
                columns.extend([value("Function code"), value("Subfunction code")]);
            } else {
                columns.extend([theirs[6].to_owned(), theirs[7].to_owned()]);
            }
            columns.extend([value("Completion code"), value("Connection status")]);
            assert_eq!(columns, theirs[2..10], "{capture}, frame {}", ours.frame);
            headers += 1;
            let row = Row {
                key: [theirs[2], theirs[6], theirs[7], theirs[8]].join("/"),
                packet: ours.bytes.clone(),
                fields: listed(theirs[10]),
            };
            all.compare(&row, &fields);
        }
    }
    assert_eq!(theirs.next(), None);
    all.differs_only(CAPTURES_APART);
    assert_eq!(
        (headers, all.fields, all.numbers, all.undivided),
        (902, 498, 393, 101)
    );
}

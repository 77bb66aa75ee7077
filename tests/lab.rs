//! Captures of real servers and clients whose answer is known: beside each lies what the
//! client program asked for (`.json`) and every request as it timed it (`.ops.csv`).
//!
//! Numbers come from those files. Where they cannot say (what a program sends for one
//! `ls`, what it does around the requests that it timed) the expansion is written here.

use crate::support::{Analysis, Run, analyse, assert_frames_close, captures};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use wirewait_analysis::{Flags, Outcome, Transaction, Turnaround};
use wirewait_capture::Options;
use wirewait_wire::{Frame, Kind, LinkType, Source, Timestamp};

const FILE_SERVICE: &[&str] = &["smb1", "smb2", "ncp"];
const US: i64 = 1_000;
const MS: i64 = 1_000_000;
/// Client and capture read the same host's clock a few microseconds apart.
const TOLERANCE: i64 = 50 * US;

/// A row of `.ops.csv`: one call of the client program.
#[derive(Clone, Debug)]
struct Op {
    client: String,
    phase: String,
    name: String,
    size: u64,
    offset: u64,
    start: i64,
    end: i64,
    result: String,
}

impl Op {
    fn elapsed(&self) -> i64 {
        self.end - self.start
    }

    /// The number that the program got back.
    fn number(&self) -> u64 {
        self.result.parse().unwrap_or_else(|_| panic!("{self:?}"))
    }
}

/// Nanoseconds of `1795152786.488002`, without the rounding of a float.
fn nanos(text: &str) -> i64 {
    let (seconds, fraction) = text.split_once('.').unwrap();
    let digits = format!("{fraction:0<9}");
    seconds.parse::<i64>().unwrap() * 1_000_000_000 + digits[..9].parse::<i64>().unwrap()
}

fn read_ops(path: &Path) -> Vec<Op> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    let ops: Vec<Op> = lines
        .map(|line| {
            assert!(
                !line.contains('"'),
                "quoted fields are not expected: {line}"
            );
            let fields: Vec<&str> = line.splitn(names.len(), ',').collect();
            let field = |options: &[&str]| {
                let at = names.iter().position(|n| options.contains(n)).unwrap();
                fields[at].to_owned()
            };
            Op {
                client: field(&["client", "client_node"]),
                phase: field(&["phase", "connection"]),
                name: field(&["op"]),
                size: field(&["size"]).parse().unwrap(),
                offset: field(&["offset"]).parse().unwrap(),
                start: nanos(&field(&["t_start", "t_start_guest"])),
                end: nanos(&field(&["t_end", "t_end_guest"])),
                result: field(&["result"]),
            }
        })
        .collect();
    assert!(!ops.is_empty());
    ops
}

/// A lab capture with all that is known about it.
struct Lab {
    name: String,
    capture: PathBuf,
    json: Value,
    ops: Vec<Op>,
    analysis: Analysis,
}

impl Lab {
    /// `None` when the captures are not there. `extension` is that of the capture file.
    fn open(name: &str, extension: &str) -> Option<Self> {
        let folder = captures(name)?.join("lab");
        let capture = folder.join(format!("{name}.{extension}"));
        let text = std::fs::read_to_string(folder.join(format!("{name}.json"))).unwrap();
        let json: Value = serde_json::from_str(&text).unwrap();
        // Rows are shared by the captures of one run; smbclient does not write any.
        let run = json["name"].as_str().unwrap();
        let rows = folder.join(format!("{run}.ops.csv"));
        let ops = if rows.exists() {
            read_ops(&rows)
        } else {
            Vec::new()
        };
        let analysis = analyse(std::slice::from_ref(&capture)).unwrap();
        assert_eq!(
            analysis.snapshot.capture.frames,
            json["frames"].as_u64().unwrap()
        );
        assert_frames_close(name, &analysis.snapshot);
        assert_eq!(
            analysis.snapshot.attribution.duplicates,
            frames(&capture).iter().filter(|f| f.copy).count() as u64,
            "{name}: frames that are in the file twice"
        );
        Some(Self {
            name: name.to_owned(),
            capture,
            json,
            ops,
            analysis,
        })
    }

    /// Rows of a client, in the order in which they were sent.
    fn ops_of(&self, client: &str) -> Vec<&Op> {
        let mut ops: Vec<&Op> = self.ops.iter().filter(|o| o.client == client).collect();
        ops.sort_by_key(|o| o.start);
        assert!(!ops.is_empty(), "{}: nothing asked by {client}", self.name);
        ops
    }

    /// Transactions of a station over these protocols, in the order of their requests;
    /// parts of one compound by name and offset.
    fn of(&self, station: &str, protocols: &[&str]) -> Vec<&Transaction> {
        let mut found: Vec<&Transaction> = self
            .analysis
            .transactions
            .iter()
            .filter(|t| t.client.station().to_string() == station)
            .filter(|t| protocols.contains(&t.protocol))
            .collect();
        found.sort_by_key(|t| {
            let first = t.request.or(t.response).unwrap().first;
            let offset = t.file.and_then(|f| f.offset);
            (first.frame, t.operation.name, offset)
        });
        assert!(
            !found.is_empty(),
            "{}: nothing found of {station}",
            self.name
        );
        found
    }

    fn ip(&self, client: usize) -> &str {
        self.json["clients"][client]["ip"].as_str().unwrap()
    }

    /// Delays that the link was set to, both ways together and less the jitter, ns: what
    /// the client must have waited beyond what the server's side of the link saw.
    fn link_delay(&self) -> i64 {
        let setting = |key: &str| self.json["link_settings"][key].as_i64().unwrap_or(0) * US;
        setting("a2b__delay") + setting("b2a__delay")
            - setting("a2b__jitter")
            - setting("b2a__jitter")
    }

    /// Rows of a table of tshark's beside the capture, by column.
    fn tshark(&self, protocol: &str) -> Vec<HashMap<String, String>> {
        let path = self
            .capture
            .with_file_name(format!("{}.tx-{protocol}.tsv", self.name));
        let text = std::fs::read_to_string(path).unwrap();
        let mut lines = text.lines();
        let names: Vec<&str> = lines.next().unwrap().split('\t').collect();
        lines
            .map(|line| {
                let fields = line.split('\t').map(str::to_owned);
                names.iter().map(|n| (*n).to_owned()).zip(fields).collect()
            })
            .collect()
    }

    /// Pairs that tshark finds.
    fn tshark_pairs(&self, protocol: &str, column: &str) -> usize {
        let pairs = |row: &HashMap<String, String>| {
            row.get(column)
                .map_or(0, |v| v.split(',').filter(|v| !v.is_empty()).count())
        };
        self.tshark(protocol).iter().map(pairs).sum()
    }

    fn summary(&self, asked: usize, found: usize, tshark: &str) {
        let bytes = |kind| sum(self.analysis.transactions.iter().filter(|t| t.kind == kind));
        let answered = self
            .analysis
            .transactions
            .iter()
            .filter(|t| t.outcome == Outcome::Answered && FILE_SERVICE.contains(&t.protocol))
            .count();
        println!(
            "{}: {asked} calls of the clients, {found} transactions found for them, \
             {answered} answered in all, {} bytes read, {} written{tshark}",
            self.name,
            bytes(Kind::Read),
            bytes(Kind::Write),
        );
    }
}

fn sum<'a>(transactions: impl Iterator<Item = &'a Transaction>) -> u64 {
    transactions.map(|t| t.data_bytes).sum()
}

/// A frame of a file, and whether a mirror port or the link had already delivered it.
struct Raw {
    number: u64,
    at: Timestamp,
    link: LinkType,
    interface: u32,
    wire_len: u32,
    bytes: Vec<u8>,
    copy: bool,
}

/// All frames. The plain way to find copies, against which the analyser's is held: the
/// same packet within 50 ms where IPv4 numbers it, else the same frame within 100 us.
fn frames(path: &Path) -> Vec<Raw> {
    let mut source = wirewait_capture::open(&[path.to_owned()], &Options::default()).unwrap();
    let mut seen: HashMap<Vec<u8>, Timestamp> = HashMap::new();
    let mut found = Vec::new();
    while let Some(frame) = source.next_frame().unwrap() {
        let numbered = frame.bytes.get(12..14) == Some(&[8, 0])
            && frame.bytes.get(18..20).is_some_and(|id| id != [0, 0]);
        let (key, window) = if numbered {
            (&frame.bytes[14..], 50 * MS)
        } else {
            (frame.bytes, 100 * US)
        };
        let copy = seen
            .get(key)
            .is_some_and(|at| (0..=window).contains(&frame.at.since(*at)));
        if !copy {
            seen.insert(key.to_vec(), frame.at);
        }
        found.push(Raw {
            number: found.len() as u64 + 1,
            at: frame.at,
            link: frame.link,
            interface: frame.interface,
            wire_len: frame.wire_len,
            bytes: frame.bytes.to_vec(),
            copy,
        });
    }
    found
}

/// One request that a call of the program puts on the wire.
#[derive(Clone, Debug)]
struct Step {
    /// The operation may be any of these.
    names: &'static [&'static str],
    /// Bytes asked for, bytes moved, and where in the file.
    data: Option<(u64, u64, Option<u64>)>,
    /// Whether it succeeds.
    ok: bool,
    /// Whether the program's clock runs over it.
    timed: bool,
}

fn step(names: &'static [&'static str]) -> Step {
    Step {
        names,
        data: None,
        ok: true,
        timed: true,
    }
}

fn moves(names: &'static [&'static str], op: &Op) -> Step {
    Step {
        data: Some((op.size, op.size, Some(op.offset))),
        ..step(names)
    }
}

fn refused(names: &'static [&'static str]) -> Step {
    Step {
        ok: false,
        ..step(names)
    }
}

fn untimed(names: &'static [&'static str]) -> Step {
    Step {
        timed: false,
        ..step(names)
    }
}

const TREE_CONNECT: &[&str] = &["TREE_CONNECT_ANDX"];
const TREE_DISCONNECT: &[&str] = &["TREE_DISCONNECT"];

/// What impacket sends for a call. Its directory calls connect to the tree and leave it
/// each time, and look whether the thing is there before they delete it.
fn smb1(op: &Op) -> Vec<Step> {
    let in_tree = |names| vec![step(TREE_CONNECT), step(names), step(TREE_DISCONNECT)];
    match op.name.as_str() {
        "open" | "create" => vec![step(&["OPEN", "OPEN_ANDX", "NT_CREATE_ANDX"])],
        "open_missing" => vec![refused(&["NT_CREATE_ANDX"])],
        "close" => vec![step(&["CLOSE"])],
        "core_read" => vec![moves(&["READ"], op)],
        "read_andx" => vec![moves(&["READ_ANDX"], op)],
        "read_raw" => vec![moves(&["READ_RAW"], op)],
        "core_write" => vec![moves(&["WRITE"], op)],
        "write_andx" => vec![moves(&["WRITE_ANDX"], op)],
        "write_raw" => vec![moves(&["WRITE_RAW"], op)],
        "echo x3" => vec![step(&["ECHO"])],
        "ls" => in_tree(&["TRANS2_FIND_FIRST2"]),
        "mkdir" => in_tree(&["CREATE_DIRECTORY"]),
        "rmdir" => [
            in_tree(&["CHECK_DIRECTORY"]),
            in_tree(&["DELETE_DIRECTORY"]),
        ]
        .concat(),
        "delete" => [in_tree(&["TRANS2_FIND_FIRST2"]), in_tree(&["DELETE"])].concat(),
        "negotiate" => vec![step(&["NEGOTIATE"])],
        "login" => vec![step(&["SESSION_SETUP_ANDX"])],
        "tcon" => vec![step(TREE_CONNECT)],
        other => panic!("what does {other} send?"),
    }
}

/// What the programs on smbprotocol send for a call.
fn smb2(op: &Op) -> Vec<Step> {
    const CREATE: &[&str] = &["CREATE"];
    const CLOSE: &[&str] = &["CLOSE"];
    const READ: &[&str] = &["READ"];
    const LOCK: &[&str] = &["LOCK"];
    const NOTIFY: &[&str] = &["CHANGE_NOTIFY"];
    match op.name.as_str() {
        "create" => vec![step(CREATE)],
        "open_missing" => vec![refused(CREATE)],
        "close" => vec![step(CLOSE)],
        "read" => vec![moves(READ, op)],
        "write" => vec![moves(&["WRITE"], op)],
        "echo" => vec![step(&["ECHO"])],
        "find" if op.result == "NO_MORE_FILES" => vec![refused(&["QUERY_DIRECTORY"])],
        "find" => vec![step(&["QUERY_DIRECTORY"])],
        // In the order in which `Lab::of` puts parts of one compound.
        "compound3 create+read+close" => vec![step(CLOSE), step(CREATE), moves(READ, op)],
        "compound_unrelated read x4" => reads(4, op),
        "compound_unrelated read x8" => reads(8, op),
        // The directory is opened; another file is made in it meanwhile, and both closed.
        "notify_wait" => vec![
            untimed(CREATE),
            step(NOTIFY),
            untimed(CREATE),
            untimed(CLOSE),
            untimed(CLOSE),
        ],
        "notify_cancel" => vec![untimed(CREATE), refused(NOTIFY), untimed(CLOSE)],
        // Two handles: one locks, the other waits for it, the first unlocks.
        "lock_wait" => vec![
            untimed(CREATE),
            untimed(CREATE),
            untimed(LOCK),
            step(LOCK),
            untimed(LOCK),
            untimed(CLOSE),
            untimed(CLOSE),
        ],
        other => panic!("what does {other} send?"),
    }
}

/// `n` reads in one message; together they bring what the program got.
fn reads(n: u64, op: &Op) -> Vec<Step> {
    assert_eq!(op.number(), n * op.size, "{op:?}");
    let one = Step {
        data: Some((op.size, op.size, None)),
        ..step(&["READ"])
    };
    vec![one; n as usize]
}

/// A call and the transactions that it caused.
struct Call<'a> {
    op: &'a Op,
    transactions: Vec<&'a Transaction>,
    /// From the first byte of the first timed request to the last of the last timed
    /// response, as the capture saw it.
    span: i64,
}

impl Call<'_> {
    /// What the client waited beyond what the capture point saw.
    fn beyond(&self) -> i64 {
        self.op.elapsed() - self.span
    }
}

/// Walks through calls and transactions side by side: the same operations, sizes, places
/// and outcomes in the same order, nothing missing and nothing left over.
fn follow<'a>(
    name: &str,
    ops: &[&'a Op],
    transactions: &[&'a Transaction],
    expand: impl Fn(usize, &Op) -> Vec<Step>,
) -> Vec<Call<'a>> {
    let mut rest = transactions.iter().copied();
    let mut calls = Vec::new();
    for (i, op) in ops.iter().copied().enumerate() {
        let mut call = Call {
            op,
            transactions: Vec::new(),
            span: 0,
        };
        let mut first: Option<Timestamp> = None;
        for step in expand(i, op) {
            let t = rest
                .next()
                .unwrap_or_else(|| panic!("{name}: nothing found for {op:?} and what follows"));
            let place = format!("{name}: {op:?}\nexpected {step:?}\nfound {t:?}");
            assert!(step.names.contains(&t.operation.name), "{place}");
            let wanted = match op.name.as_str() {
                "notify_cancel" if step.timed => Outcome::Cancelled,
                _ => Outcome::Answered,
            };
            assert_eq!(t.outcome, wanted, "{place}");
            // A raw read has no status: its bytes are its success.
            assert_eq!(t.status.is_none_or(|s| s.ok), step.ok, "{place}");
            if let Some((asked, moved, offset)) = step.data {
                assert_eq!((t.asked_bytes, t.data_bytes), (asked, moved), "{place}");
                if offset.is_some() {
                    assert_eq!(t.file.and_then(|f| f.offset), offset, "{place}");
                }
            } else {
                assert_eq!(t.data_bytes, 0, "{place}");
            }
            let (t1, t4) = (t.request.unwrap().first.at, t.response.unwrap().last.at);
            if step.timed {
                let t0 = *first.get_or_insert(t1);
                call.span = call.span.max(t4.since(t0));
                assert!(
                    t.response_time_ns().unwrap() <= op.elapsed() + TOLERANCE,
                    "{place}"
                );
            }
            call.transactions.push(t);
        }
        assert!(
            call.span <= op.elapsed() + TOLERANCE,
            "{name}: {op:?} took no longer than {} ns for the client, but {} ns on the wire",
            op.elapsed(),
            call.span
        );
        calls.push(call);
    }
    let left: Vec<_> = rest.map(|t| (t.operation.name, t.request)).collect();
    assert!(
        left.is_empty(),
        "{name}: not asked for by any call: {left:?}"
    );
    calls
}

fn median(mut values: Vec<i64>) -> i64 {
    assert!(!values.is_empty());
    values.sort_unstable();
    values[values.len() / 2]
}

/// The client waited at least the delay of the link beyond what the capture point saw (the
/// delay between the requests of one call is in what it saw), and its program, half of the
/// time, no more than `over` longer.
fn assert_beyond(name: &str, calls: &[Call<'_>], delay: i64, over: i64) {
    let more: Vec<i64> = calls
        .iter()
        .map(|c| {
            let more = c.beyond() - delay;
            assert!(
                more >= -TOLERANCE,
                "{name}: {:?}: {} of {delay} ns",
                c.op,
                c.beyond()
            );
            more
        })
        .collect();
    let half = median(more);
    assert!(
        half <= over,
        "{name}: half of the calls took {half} ns longer than link and server"
    );
}

/// Takes the set-up of a session off the front and its end off the back, and asserts that
/// they are that.
fn inner<'a, 'b>(
    name: &str,
    transactions: &'b [&'a Transaction],
    front: &[&str],
    back: &[&str],
) -> &'b [&'a Transaction] {
    let names: Vec<&str> = transactions.iter().map(|t| t.operation.name).collect();
    assert!(names.len() >= front.len() + back.len(), "{name}: {names:?}");
    assert_eq!(names[..front.len()], *front, "{name}");
    assert_eq!(names[names.len() - back.len()..], *back, "{name}");
    &transactions[front.len()..names.len() - back.len()]
}

const SMB1_FRONT: &[&str] = &[
    "SESSION REQUEST",
    "NEGOTIATE",
    "SESSION_SETUP_ANDX",
    "SESSION_SETUP_ANDX",
    "TREE_CONNECT_ANDX",
];
const SMB1_BACK: &[&str] = &["TREE_DISCONNECT", "LOGOFF_ANDX"];
const SMB2_FRONT: &[&str] = &[
    "NEGOTIATE",
    "SESSION_SETUP",
    "SESSION_SETUP",
    "TREE_CONNECT",
];
const SMB2_BACK: &[&str] = &["TREE_DISCONNECT", "LOGOFF"];

/// The whole session of an impacket client.
fn smb1_client<'a>(lab: &'a Lab, client: &str, ip: &str) -> Vec<Call<'a>> {
    let all = lab.of(ip, &["smb1", "nbt"]);
    let inside = inner(&lab.name, &all, SMB1_FRONT, SMB1_BACK);
    follow(&lab.name, &lab.ops_of(client), inside, |_, op| smb1(op))
}

/// The whole session of a program on smbprotocol.
fn smb2_client<'a>(lab: &'a Lab, client: &str, ip: &str) -> Vec<Call<'a>> {
    let all = lab.of(ip, &["smb2"]);
    let inside = inner(&lab.name, &all, SMB2_FRONT, SMB2_BACK);
    follow(&lab.name, &lab.ops_of(client), inside, |_, op| smb2(op))
}

/// What the phases of the plan ask for is what was read and written, in number and bytes.
fn assert_phases(lab: &Lab, client: usize, calls: &[Call<'_>]) {
    let phases = lab.json["clients"][client]["phases"].as_array().unwrap();
    let mut checked = 0;
    for (number, phase) in phases.iter().enumerate() {
        let (Some(n), Some(size)) = (phase["n"].as_u64(), phase["size"].as_u64()) else {
            continue;
        };
        let width = phase["width"].as_u64().unwrap_or(1);
        let moved: Vec<&Transaction> = calls
            .iter()
            .filter(|c| c.op.phase == number.to_string())
            .flat_map(|c| c.transactions.iter().copied())
            .filter(|t| matches!(t.kind, Kind::Read | Kind::Write))
            .collect();
        assert_eq!(moved.len() as u64, n * width, "{}: {phase}", lab.name);
        assert_eq!(
            sum(moved.into_iter()),
            n * width * size,
            "{}: {phase}",
            lab.name
        );
        checked += 1;
    }
    assert!(checked > 0, "{}: no phase moves data", lab.name);
}

fn found(calls: &[Call<'_>]) -> usize {
    calls.iter().map(|c| c.transactions.len()).sum()
}

/// Requests that no client of a bad or cut capture could have: none may be left over.
fn assert_all_answered(lab: &Lab, protocols: &[&str]) {
    for t in &lab.analysis.transactions {
        if protocols.contains(&t.protocol) {
            let closed = matches!(t.outcome, Outcome::Answered | Outcome::Cancelled);
            assert!(closed, "{}: {t:?}", lab.name);
        }
    }
}

/// Bytes of the files that smbclient's commands of this kind move: `up300k.bin` has
/// 300 000 (k is 1000).
fn smbclient_bytes(commands: &str, verb: &str) -> u64 {
    commands
        .split(';')
        .map(|c| c.split_whitespace().collect::<Vec<_>>())
        .filter(|words| words.first() == Some(&verb))
        .map(|words| {
            let digits: String = words[1].chars().filter(char::is_ascii_digit).collect();
            digits.parse::<u64>().unwrap() * 1000
        })
        .sum()
}

fn smbclient_count(commands: &str, verb: &str) -> usize {
    commands
        .split(';')
        .filter(|c| c.split_whitespace().next() == Some(verb))
        .count()
}

#[test]
fn smb1_records_of_one_client() {
    let Some(lab) = Lab::open("01_smb1_nt1_port139_records_1client_srv", "pcap") else {
        return;
    };
    let calls = smb1_client(&lab, "c1", lab.ip(0));
    assert_phases(&lab, 0, &calls);
    assert_all_answered(&lab, &["smb1", "nbt"]);
    assert_beyond(&lab.name, &calls, lab.link_delay(), MS);

    // One ECHO, and as many answers as were asked for: three small frames.
    let echoes = lab.json["clients"][0]["phases"].as_array().unwrap();
    let count = echoes.iter().find(|p| p["op"] == "echo").unwrap()["count"]
        .as_u64()
        .unwrap();
    let echo = calls
        .iter()
        .find(|c| c.op.name.starts_with("echo"))
        .unwrap();
    assert_eq!(u64::from(echo.transactions[0].frames.response), count);

    for call in &calls {
        let t = call.transactions[0];
        let raw = call.op.name.ends_with("_raw");
        assert_eq!(t.flags.contains(Flags::RAW), raw, "{t:?}");
        // These raw writes need not be on disk when they are answered ([MS-CIFS] 2.2.4.25,
        // WriteMode 0): the go-ahead is the answer, and the data ends after it.
        let unconfirmed = call.op.name == "write_raw";
        assert_eq!(t.raw_end.is_some(), unconfirmed, "{t:?}");
        assert!(
            t.raw_end
                .is_none_or(|end| end.frame > t.response.unwrap().last.frame)
        );
        assert_eq!(t.interims, 0, "{t:?}");
        assert!(matches!(t.turnaround, Turnaround::Exact(_)), "{t:?}");
    }
    let misses = calls.iter().filter(|c| c.op.name == "open_missing");
    for call in misses {
        let status = call.transactions[0].status.unwrap();
        assert!(
            call.op
                .result
                .starts_with("SMB SessionError: code: 0xc0000034"),
            "{:?}",
            call.op
        );
        assert_eq!(
            (status.code, status.failure),
            (0xc000_0034, false),
            "a miss is no failure"
        );
    }
    let pairs = lab.tshark_pairs("smb", "response_to");
    lab.summary(
        calls.len(),
        found(&calls),
        &format!("; tshark pairs {pairs}"),
    );
}

#[test]
fn smb1_of_two_pipelining_smbclients() {
    let Some(lab) = Lab::open("02_smb1_lanman_smbclient_2clients_srv", "pcap") else {
        return;
    };
    let mut calls = 0;
    let mut transactions = 0;
    for client in 0..2 {
        let commands = lab.json["clients"][client]["commands"].as_str().unwrap();
        let found = lab.of(lab.ip(client), &["smb1"]);
        let of_kind = |kind| sum(found.iter().copied().filter(|t| t.kind == kind));
        assert_eq!(of_kind(Kind::Read), smbclient_bytes(commands, "get"));
        assert_eq!(of_kind(Kind::Write), smbclient_bytes(commands, "put"));
        let named = |name| found.iter().filter(|t| t.operation.name == name).count();
        assert_eq!(
            named("CREATE_DIRECTORY"),
            smbclient_count(commands, "mkdir")
        );
        assert_eq!(
            named("DELETE_DIRECTORY"),
            smbclient_count(commands, "rmdir")
        );
        assert_eq!(named("RENAME"), smbclient_count(commands, "rename"));
        assert_eq!(named("DELETE"), smbclient_count(commands, "del"));
        // One open and close for each file that is moved, and one for `allinfo`.
        let files = ["get", "put", "allinfo"]
            .map(|v| smbclient_count(commands, v))
            .iter()
            .sum();
        assert_eq!((named("NT_CREATE_ANDX"), named("CLOSE")), (files, files));
        let listings = smbclient_count(commands, "ls");
        assert!(named("SEARCH").max(named("TRANS2_FIND_FIRST2")) >= listings);
        calls += commands.split(';').count();
        transactions += found.len();
    }
    assert_all_answered(&lab, &["smb1", "nbt"]);
    // tshark names each request and response message; several may share a frame.
    let rows = lab.tshark("smb");
    let seen = |flag: &str| -> usize {
        rows.iter()
            .map(|r| r["response_flag"].split(',').filter(|f| *f == flag).count())
            .sum()
    };
    assert_eq!((transactions, transactions), (seen("0"), seen("1")));
    let pairs = lab.tshark_pairs("smb", "response_to");
    lab.summary(calls, transactions, &format!("; tshark pairs {pairs}"));
}

#[test]
fn the_same_traffic_at_both_ends_of_a_delay() {
    let stem = "04_smb2_202_delay5ms_server_egress";
    let (Some(server), Some(client)) = (
        Lab::open(&format!("{stem}_srv"), "pcap"),
        Lab::open(&format!("{stem}_cli"), "pcap"),
    ) else {
        return;
    };
    let at_server = smb2_client(&server, "c1", server.ip(0));
    let at_client = smb2_client(&client, "c1", client.ip(0));
    for (lab, calls, delay) in [
        (&server, &at_server, server.link_delay()),
        (&client, &at_client, 0),
    ] {
        assert_phases(lab, 0, calls);
        assert_all_answered(lab, &["smb2"]);
        assert_beyond(&lab.name, calls, delay, MS);
        let pairs = lab.tshark_pairs("smb2", "response_to");
        lab.summary(
            calls.len(),
            found(calls),
            &format!("; tshark pairs {pairs}"),
        );
    }
    // The delay lies behind the server's capture point: the client's sees it as turnaround.
    let pairs = at_server.iter().flat_map(|c| &c.transactions);
    let others = at_client.iter().flat_map(|c| &c.transactions);
    let mut differences = Vec::new();
    for (near, far) in pairs.zip(others) {
        let at = |t: &Transaction| t.turnaround.exact().unwrap_or_else(|| panic!("{t:?}"));
        assert!(at(far) >= at(near), "{near:?}\n{far:?}");
        assert_eq!(near.file, far.file);
        assert_eq!(near.data_bytes, far.data_bytes);
        // A pended request is answered in two frames on their way together.
        assert_eq!(near.interims, far.interims);
        differences.push(at(far) - at(near));
    }
    let difference = median(differences);
    let delay = server.link_delay();
    assert!(
        (delay..delay + MS).contains(&difference),
        "turnaround at the client is {difference} ns longer, the link delays by {delay}"
    );
    let half = median(
        at_server
            .iter()
            .map(|c| c.transactions[0].turnaround.exact().unwrap())
            .collect(),
    );
    assert!(
        half < MS,
        "the server took {half} ns, as at its own end of the link"
    );
}

#[test]
fn pipelined_requests_queue_behind_each_other() {
    let Some(lab) = Lab::open("05_smb2_210_pipelined_credits_srv", "pcapng") else {
        return;
    };
    let calls = smb2_client(&lab, "c1", lab.ip(0));
    assert_phases(&lab, 0, &calls);
    assert_all_answered(&lab, &["smb1", "smb2"]);
    assert_beyond(&lab.name, &calls, lab.link_delay(), 10 * MS);

    let commands = lab.json["clients"][1]["commands"].as_str().unwrap();
    let other = lab.of(lab.ip(1), &["smb2"]);
    let of_kind = |kind| sum(other.iter().copied().filter(|t| t.kind == kind));
    assert_eq!(of_kind(Kind::Read), smbclient_bytes(commands, "get"));
    assert_eq!(of_kind(Kind::Write), smbclient_bytes(commands, "put"));

    // Flagged if, and only if, an earlier request was still being worked on.
    let all = lab.of(lab.ip(0), &["smb2"]);
    let mut queued = 0;
    for t in &all {
        queued += usize::from(assert_pipelined(&lab, t, &all));
    }
    assert!(queued > 0, "with 16 requests outstanding some must queue");
    let pairs = lab.tshark_pairs("smb2", "response_to");
    lab.summary(
        calls.len(),
        found(&calls),
        &format!("; {queued} queued; tshark pairs {pairs}"),
    );
}

/// Asserts that a transaction is flagged as pipelined exactly when an earlier request of
/// its conversation was answered after this one was complete and before its own answer;
/// says whether it was.
fn assert_pipelined(lab: &Lab, t: &Transaction, all: &[&Transaction]) -> bool {
    let (t2, t3) = (t.request.unwrap().last.at, t.response.unwrap().first.at);
    let queued = all.iter().any(|o| {
        let (request, response) = (o.request.unwrap(), o.response.unwrap());
        o.conversation == t.conversation
            && !std::ptr::eq(*o, t)
            && !matches!(o.kind, Kind::Wait | Kind::Break)
            // Not later; two in one frame are worked off in the order of their answers.
            && request.last.at <= t2
            && response.last.at > t2
            // An answer may begin in the frame in which the one before it ends; parts of a
            // compound that are answered in one frame are one answer.
            && response.first.at < t3
            && response.last.at <= t3
    });
    assert_eq!(
        t.flags.contains(Flags::PIPELINED),
        queued,
        "{}: {t:?}",
        lab.name
    );
    queued
}

#[test]
fn encrypted_messages_are_paired_by_turn() {
    let Some(lab) = Lab::open("07_smb3_311_encrypted_srv", "pcap") else {
        return;
    };
    let (clear, sealed): (Vec<&Transaction>, Vec<&Transaction>) = lab
        .of(lab.ip(0), &["smb2"])
        .into_iter()
        .partition(|t| !t.flags.contains(Flags::ENCRYPTED));
    let names: Vec<&str> = clear.iter().map(|t| t.operation.name).collect();
    assert_eq!(names, ["NEGOTIATE", "SESSION_SETUP", "SESSION_SETUP"]);
    // Encrypted beside the calls: tree connect before, tree disconnect and logoff after.
    let ops = lab.ops_of("c1");
    assert_eq!(sealed.len(), ops.len() + 3);
    let delay = lab.link_delay();
    // Everything but the data: framing, transform header, header and body.
    let mut around: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
    for (op, t) in ops.iter().zip(&sealed[1..]) {
        assert_eq!(t.outcome, Outcome::Answered, "{t:?}");
        let beyond = op.elapsed() - t.response_time_ns().unwrap();
        assert!(
            (delay - TOLERANCE..delay + 5 * MS).contains(&beyond),
            "{op:?} {t:?}"
        );
        assert!(
            matches!(t.turnaround, Turnaround::Exact(ns) if ns >= 0),
            "{t:?}"
        );
        let bytes = match op.name.as_str() {
            "read" => t.response_bytes,
            "write" => t.request_bytes,
            _ => continue,
        };
        let extra = bytes
            .checked_sub(op.size)
            .unwrap_or_else(|| panic!("{op:?} {t:?}"));
        around
            .entry(if op.name == "read" { "read" } else { "write" })
            .or_default()
            .push(extra);
    }
    // [MS-SMB2]: 4 of framing, 52 of transform header, 64 of header; then 16 of READ
    // response or 48 of WRITE request, which may begin its data at a multiple of 8.
    assert!(
        around["read"].iter().all(|n| *n == 4 + 52 + 64 + 16),
        "{:?}",
        around["read"]
    );
    assert!(
        around["write"].iter().all(|n| (168..176).contains(n)),
        "{:?}",
        around["write"]
    );

    let commands = lab.json["clients"][1]["commands"].as_str().unwrap();
    let other: Vec<_> = lab
        .of(lab.ip(1), &["smb2"])
        .into_iter()
        .filter(|t| t.flags.contains(Flags::ENCRYPTED))
        .collect();
    let received: u64 = other.iter().map(|t| t.response_bytes).sum();
    let file = smbclient_bytes(commands, "get");
    assert!(
        (file..file + 20_000).contains(&received),
        "{received} bytes for a file of {file}"
    );
    assert_all_answered(&lab, &["smb1", "smb2"]);
    println!(
        "{}: {} calls of the clients, {} encrypted transactions; tshark's table has none",
        lab.name,
        ops.len(),
        sealed.len()
    );
}

#[test]
fn a_capture_that_begins_inside_a_connection() {
    let Some(lab) = Lab::open("09_midconnection_start_nt1_smb2_srv", "pcap") else {
        return;
    };
    // Client 2 was at work before the capture. The other one's connection begins in it,
    // though the description says otherwise: its set-up is in the file.
    let all = lab.of(lab.ip(1), &["smb2"]);
    let (orphans, reads): (Vec<&Transaction>, Vec<&Transaction>) = all
        .into_iter()
        .partition(|t| t.outcome == Outcome::OrphanResponse);
    assert_eq!(
        orphans.len(),
        1,
        "one request was under way when the capture began"
    );
    assert!(orphans[0].flags.contains(Flags::MID_CAPTURE));
    assert_within(&lab, "c2", &reads);
    let other = lab.of(lab.ip(0), &["smb1", "nbt"]);
    let inside = inner(&lab.name, &other, SMB1_FRONT, &[]);
    assert_eq!(inside[0].operation.name, "OPEN");
    assert_within(&lab, "c1", &inside[1..]);
    let begun_before = lab
        .analysis
        .snapshot
        .capture
        .reasons
        .iter()
        .find(|r| r.name == "mid_capture");
    assert_eq!(
        begun_before.map(|r| r.count),
        Some(1),
        "one connection had begun before"
    );
    let pairs = lab.tshark_pairs("smb", "response_to") + lab.tshark_pairs("smb2", "response_to");
    lab.summary(
        lab.ops.len(),
        reads.len() + inside.len(),
        &format!("; tshark pairs {pairs}"),
    );
    assert!(
        !orphans[0].flags.contains(Flags::ONE_SIDED),
        "both directions of the conversation are in the capture: {:?}",
        orphans[0]
    );
}

/// Reads of which only some lie inside the capture: those found are an unbroken run of
/// what was asked, and as many as the clocks say.
fn assert_within(lab: &Lab, client: &str, found: &[&Transaction]) {
    let asked: Vec<&Op> = lab
        .ops_of(client)
        .into_iter()
        .filter(|o| o.name.ends_with("read"))
        .collect();
    let place = |t: &Transaction| (t.asked_bytes, t.file.and_then(|f| f.offset));
    let fits = |from: usize| {
        asked.len() >= from + found.len()
            && found
                .iter()
                .zip(&asked[from..])
                .all(|(t, o)| place(t) == (o.size, Some(o.offset)))
    };
    let starts: Vec<usize> = (0..asked.len()).filter(|from| fits(*from)).collect();
    assert_eq!(
        starts.len(),
        1,
        "{client}: the reads found are one run of those asked"
    );
    let run = &asked[starts[0]..starts[0] + found.len()];
    // The last one may have been cut off by the end of the capture.
    let (last, answered) = found.split_last().unwrap();
    for (t, op) in answered.iter().zip(run) {
        assert_eq!(t.outcome, Outcome::Answered, "{t:?}");
        assert_eq!(t.data_bytes, op.size, "{t:?}");
        let beyond = op.elapsed() - t.response_time_ns().unwrap();
        assert!(beyond >= lab.link_delay() - TOLERANCE, "{op:?} {t:?}");
        assert!(!t.flags.contains(Flags::MID_CAPTURE), "{t:?}");
    }
    assert!(matches!(
        last.outcome,
        Outcome::Answered | Outcome::Unanswered
    ));
    let shift = median(
        found
            .iter()
            .zip(run)
            .map(|(t, o)| t.request.unwrap().first.at.as_nanos() - o.start)
            .collect(),
    );
    let capture = &lab.analysis.snapshot.capture;
    let (first, end) = (
        capture.first.unwrap().as_nanos(),
        capture.last.unwrap().as_nanos(),
    );
    let inside = asked
        .iter()
        .filter(|o| (first..=end).contains(&(o.start + shift)))
        .count();
    assert_eq!(
        found.len(),
        inside,
        "{client}: reads sent while the capture ran"
    );
}

#[test]
fn a_bad_link_loses_no_transaction() {
    let Some(lab) = Lab::open("10_loss3pct_dup1pct_reorder2pct_srv", "pcap") else {
        return;
    };
    let mut calls = 0;
    let mut transactions = 0;
    let mut ambiguous = Vec::new();
    for (client, name) in ["c1", "c2", "c3"].into_iter().enumerate() {
        let made = if client == 0 {
            smb1_client(&lab, name, lab.ip(client))
        } else {
            smb2_client(&lab, name, lab.ip(client))
        };
        assert_phases(&lab, client, &made);
        // Retransmissions make the client wait as long as they like.
        assert_beyond(&lab.name, &made, lab.link_delay(), 50 * MS);
        for t in made.iter().flat_map(|c| &c.transactions) {
            let exact = t.turnaround.exact().is_some();
            assert_eq!(exact, !t.flags.contains(Flags::AMBIGUOUS), "{t:?}");
            if !exact {
                ambiguous.push(format!(
                    "{} of frame {}",
                    t.operation.name,
                    t.request.unwrap().first.frame
                ));
            }
        }
        calls += made.len();
        transactions += found(&made);
    }
    assert_all_answered(&lab, &["smb1", "smb2", "nbt"]);
    // The capture was taken at the server: it saw what the link had doubled on the way to it.
    let doubled = lab.json["link_stats"]["client_to_server"]["duplicated"].as_u64();
    assert_eq!(Some(lab.analysis.snapshot.attribution.duplicates), doubled);
    let pairs = lab.tshark_pairs("smb", "response_to") + lab.tshark_pairs("smb2", "response_to");
    assert!(
        pairs < transactions + 2 * (SMB2_FRONT.len() + SMB2_BACK.len()),
        "tshark loses some"
    );
    lab.summary(
        calls,
        transactions,
        &format!(
            "; tshark pairs {pairs}; ambiguous: [{}]",
            ambiguous.join(", ")
        ),
    );
}

#[test]
fn every_part_of_a_compound_is_found() {
    let Some(lab) = Lab::open("11_smb2_compound_related_unrelated_srv", "pcapng") else {
        return;
    };
    let mut calls = 0;
    let mut transactions = 0;
    for (client, name) in ["c1", "c2"].into_iter().enumerate() {
        let all = lab.of(lab.ip(client), &["smb2"]);
        let inside = inner(&lab.name, &all, SMB2_FRONT, SMB2_BACK);
        let ops = lab.ops_of(name);
        // For a phase of unrelated reads the program opens the file first and closes it
        // last, and times neither.
        let unrelated = |op: &Op| op.name.starts_with("compound_unrelated");
        let made = follow(&lab.name, &ops, inside, |i, op| {
            let other = |at: Option<&&Op>| at.is_none_or(|o| o.phase != op.phase);
            let mut steps = smb2(op);
            if unrelated(op) && other(i.checked_sub(1).and_then(|i| ops.get(i))) {
                steps.insert(0, untimed(&["CREATE"]));
            }
            if unrelated(op) && other(ops.get(i + 1)) {
                steps.push(untimed(&["CLOSE"]));
            }
            steps
        });
        assert_phases(&lab, client, &made);
        assert_beyond(&lab.name, &made, lab.link_delay(), 2 * MS);
        for call in made.iter().filter(|c| c.op.name.starts_with("compound")) {
            let parts: Vec<_> = call
                .transactions
                .iter()
                .filter(|t| call.op.name.contains('+') || t.kind == Kind::Read)
                .collect();
            let requests: Vec<_> = parts
                .iter()
                .map(|t| t.request.unwrap().first.frame)
                .collect();
            assert!(
                requests.iter().all(|f| *f == requests[0]),
                "sent together: {parts:?}"
            );
        }
        calls += made.len();
        transactions += found(&made);
    }
    assert_all_answered(&lab, &["smb2"]);
    let pairs = lab.tshark_pairs("smb2", "response_to");
    lab.summary(calls, transactions, &format!("; tshark pairs {pairs}"));
}

#[test]
fn waits_by_design_are_a_class_of_their_own() {
    let Some(lab) = Lab::open("12_smb2_async_pending_notify_lock_cancel_srv", "pcap") else {
        return;
    };
    let waiting = smb2_client(&lab, "c1", lab.ip(0));
    let plain = smb2_client(&lab, "c2", lab.ip(1));
    let calls: Vec<&Call<'_>> = waiting.iter().chain(&plain).collect();
    let phases = lab.json["clients"][0]["phases"].as_array().unwrap();
    let phase = |op: &str| phases.iter().find(|p| p["op"] == op).unwrap();
    let ns = |value: &Value| (value.as_f64().unwrap() * 1e9) as i64;
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    // What makes a file appear or go, by either client: both work in one directory.
    let mut changes: Vec<Timestamp> = calls
        .iter()
        .flat_map(|c| &c.transactions)
        .filter(|t| matches!(t.operation.name, "CREATE" | "CLOSE"))
        .map(|t| t.request.unwrap().last.at)
        .collect();
    changes.sort_unstable();
    let mut own = 0;
    for call in &calls {
        let timed = match call.op.name.as_str() {
            "notify_wait" | "notify_cancel" => 1,
            "lock_wait" => 3,
            _ => usize::MAX,
        };
        for (i, t) in call.transactions.iter().enumerate() {
            assert_eq!(t.kind == Kind::Wait, i == timed, "{:?} {t:?}", call.op);
        }
        let Some(wait) = call.transactions.get(timed) else {
            continue;
        };
        *counts.entry(call.op.name.as_str()).or_default() += 1;
        assert_eq!(wait.interims, 1, "{wait:?}");
        assert!(wait.first_interim.unwrap().frame < wait.response.unwrap().first.frame);
        assert!(wait.first_interim_ns().unwrap() < 20 * MS, "{wait:?}");
        let waited = wait.response_time_ns().unwrap();
        let ended = wait.response.unwrap().first.at;
        match call.op.name.as_str() {
            "notify_wait" => {
                let cause = changes[..changes.partition_point(|at| *at <= ended)]
                    .last()
                    .unwrap();
                assert!((0..10 * MS).contains(&ended.since(*cause)), "{wait:?}");
                if *cause == call.transactions[2].request.unwrap().last.at {
                    own += 1;
                    assert!(waited >= ns(&phase("notify")["after"]) - 5 * MS, "{wait:?}");
                }
            }
            "lock_wait" => {
                assert!(
                    waited >= ns(&phase("lockwait")["hold"]) - 5 * MS,
                    "{wait:?}"
                );
                let unlock = call.transactions[4].request.unwrap().first.at;
                assert!((0..10 * MS).contains(&ended.since(unlock)), "{wait:?}");
            }
            _ => {
                assert_eq!(wait.status.unwrap().name, Some("STATUS_CANCELLED"));
                // The CANCEL is a frame of the request that it takes back.
                assert!(wait.frames.control >= 1, "{wait:?}");
            }
        }
    }
    assert!(
        own * 2 > counts["notify_wait"],
        "{own} ended by the client's own file"
    );
    for (op, name) in [
        ("notify", "notify_wait"),
        ("lockwait", "lock_wait"),
        ("cancel", "notify_cancel"),
    ] {
        assert_eq!(Some(counts[name]), phase(op)["n"].as_u64());
    }
    assert_phases(&lab, 1, &plain);
    assert_beyond(&lab.name, &plain, lab.link_delay(), MS);
    assert_all_answered(&lab, &["smb2"]);

    // Every STATUS_PENDING is an interim of something, never an answer.
    let pending = lab
        .tshark("smb2")
        .iter()
        .filter(|r| r["nt_status"] == "0x00000103")
        .count();
    let interims: u32 = lab.analysis.transactions.iter().map(|t| t.interims).sum();
    assert_eq!(interims as usize, pending);
    let pended = plain
        .iter()
        .flat_map(|c| &c.transactions)
        .filter(|t| t.interims > 0);
    let mut reads = 0;
    for t in pended {
        assert_eq!(
            (t.operation.name, t.kind),
            ("READ", Kind::Read),
            "stays what it is"
        );
        reads += 1;
    }
    assert!(reads > 0, "some ordinary reads were pended");
    let pairs = lab.tshark_pairs("smb2", "response_to");
    lab.summary(
        calls.len(),
        found(&waiting) + found(&plain),
        &format!("; {pending} pending, {reads} of them ordinary reads; tshark pairs {pairs}"),
    );
    // What answers while another request waits by design was not asked before it.
    let all = lab.of(lab.ip(0), &["smb2"]);
    for t in &all {
        assert_pipelined(&lab, t, &all);
    }
}

#[test]
fn a_mirror_port_that_delivers_every_frame_twice() {
    let Some(lab) = Lab::open("e1_span_duplicates_nt1_smb2_span", "pcap") else {
        return;
    };
    let smb1 = smb1_client(&lab, "c1", lab.ip(0));
    let smb2 = smb2_client(&lab, "c2", lab.ip(1));
    assert_phases(&lab, 0, &smb1);
    assert_phases(&lab, 1, &smb2);
    assert_all_answered(&lab, &["smb1", "smb2", "nbt"]);
    // First copies: the request enters the link at the client, the answer at the server,
    // which is then still one way from the client.
    let back = lab.json["link_settings"]["a2b__delay"].as_i64().unwrap() * US;
    for calls in [&smb1, &smb2] {
        assert_beyond(&lab.name, calls, back, MS);
    }
    for t in smb1.iter().chain(&smb2).flat_map(|c| &c.transactions) {
        assert_eq!(
            (t.copies, t.duplicate_responses, t.frames.retransmitted),
            (1, 0, 0),
            "{t:?}"
        );
    }

    // Every numbered IPv4 packet came twice, and the figures are those of the first copies.
    let raw = frames(&lab.capture);
    let numbered = raw
        .iter()
        .filter(|f| f.bytes.get(12..14) == Some(&[8, 0]) && f.bytes[18..20] != [0, 0])
        .count();
    let copies = raw.iter().filter(|f| f.copy).count();
    assert_eq!((copies * 2, numbered % 2), (numbered, 0));
    let mut run = Run::new();
    for f in raw.iter().filter(|f| !f.copy) {
        run.frame(&Frame {
            at: f.at,
            link: f.link,
            interface: f.interface,
            wire_len: f.wire_len,
            bytes: &f.bytes,
        });
    }
    let once = run.finish();
    let figures = |t: &Transaction| {
        let times = |e: Option<wirewait_analysis::Extent>| e.map(|e| (e.first.at, e.last.at));
        let names: Vec<&str> = t.flags.names().collect();
        (
            (
                t.operation.name,
                t.outcome,
                times(t.request),
                times(t.response),
                t.turnaround,
            ),
            (
                t.data_bytes,
                t.request_bytes,
                t.response_bytes,
                t.frames,
                t.copies,
                names,
            ),
        )
    };
    assert_eq!(lab.analysis.transactions.len(), once.transactions.len());
    for (doubled, single) in lab.analysis.transactions.iter().zip(&once.transactions) {
        assert_eq!(figures(doubled), figures(single));
    }
    lab.summary(
        smb1.len() + smb2.len(),
        found(&smb1) + found(&smb2),
        &format!("; {copies} copies dropped"),
    );
}

/// The largest read or write that this server and client agree on, by the `note` in the
/// description.
const NCP_BUFFER: u64 = 1024;
/// Around the data in the reply to a raw read: header, and length.
const NCP_HEADER: u64 = 8;
const NCP_READ: u64 = NCP_HEADER + 2;

/// What calls send, without the look-ups of names that the kernel adds as it likes.
fn ncp(op: &Op, raw_size: u64) -> Vec<Step> {
    const READ: &[&str] = &["READ FROM A FILE"];
    const OPEN: &[&str] = &["OPEN/CREATE FILE OR SUBDIRECTORY"];
    let buffers = |names, op: &Op| -> Vec<Step> {
        (0..op.size.div_ceil(NCP_BUFFER))
            .map(|i| {
                let n = (op.size - i * NCP_BUFFER).min(NCP_BUFFER);
                Step {
                    data: Some((n, n, Some(op.offset + i * NCP_BUFFER))),
                    ..step(names)
                }
            })
            .collect()
    };
    match op.name.as_str() {
        "read" => buffers(READ, op),
        "write" => buffers(&["WRITE TO A FILE"], op),
        "ncp72 read" if op.number() == NCP_HEADER => vec![Step {
            data: Some((raw_size, 0, None)),
            ..refused(READ)
        }],
        "ncp72 read" => vec![Step {
            data: Some((raw_size, op.number() - NCP_READ, None)),
            ..step(READ)
        }],
        "open" | "create" | "mkdir" => vec![step(OPEN)],
        "ncp76 open" => vec![step(&["OPEN FILE"])],
        "close" | "ncp66 close" => vec![step(&["CLOSE FILE"])],
        "unlink" | "rmdir" => vec![step(&["DELETE A FILE OR SUBDIRECTORY"])],
        "rename" => vec![step(&["RENAME OR MOVE A FILE OR SUBDIRECTORY"])],
        // "." and ".." are the kernel's own.
        "ls" => {
            let entries = op.number() as usize - 2;
            let search = step(&["SEARCH FOR FILE OR SUBDIRECTORY SET"]);
            [vec![step(&["INITIALIZE SEARCH"])], vec![search; entries]].concat()
        }
        "ncp23.17 fileserver info" => vec![step(&["GET FILE SERVER INFORMATION"])],
        "ncp23.23 get encryption key" => vec![step(&["GET LOGIN KEY"])],
        "ncp23.20 login" => vec![step(&["LOGIN OBJECT"])],
        "ncp23.19 internet address" => vec![step(&["GET INTERNET ADDRESS"])],
        "ncp20 get server date" => vec![step(&["GET FILE SERVER DATE AND TIME"])],
        "ncp22.5 get volume number" => vec![step(&["GET VOLUME NUMBER"])],
        "mount(create connection+negotiate)" => vec![step(&["CREATE SERVICE CONNECTION"])],
        "umount(logout/destroy)" => vec![step(&["DESTROY SERVICE CONNECTION"])],
        // A system call in the client, and look-ups only.
        "conn_logged_in" | "stat" | "open_missing" => Vec::new(),
        other => panic!("what does {other} send?"),
    }
}

/// What the kernel asks for by itself: how names are found, and what the mount settles.
const NCP_KERNEL: &[&str] = &[
    "GENERATE DIRECTORY BASE AND VOLUME NUMBER",
    "GET NAME SPACES LOADED LIST FROM VOLUME NUMBER",
    "OBTAIN FILE OR SUBDIRECTORY INFORMATION",
    "NEGOTIATE BUFFER SIZE",
    "GET BIG PACKET NCP MAX PACKET SIZE",
];

/// Follows the calls of the one NCP client.
fn ncp_client(lab: &Lab) -> Vec<Call<'_>> {
    let client = lab.json["clients"][0].as_str().unwrap();
    let node = client.split_once('.').unwrap().1;
    let all = lab.of(client, &["ncp"]);
    let asked: Vec<_> = all
        .into_iter()
        .filter(|t| !NCP_KERNEL.contains(&t.operation.name))
        .collect();
    // `rawread,file,SIZE,N`: the rows only name the size of the request packet.
    let plans = lab.json["plans"][0].as_str().unwrap();
    let sizes: Vec<u64> = plans
        .split(';')
        .filter_map(|p| p.strip_prefix("rawread,"))
        .flat_map(|p| {
            let fields: Vec<&str> = p.split(',').collect();
            let (size, n) = (
                fields[1].parse::<u64>().unwrap(),
                fields[2].parse().unwrap(),
            );
            std::iter::repeat_n(size, n)
        })
        .collect();
    let ops = lab.ops_of(node);
    let mut raw = 0;
    let places: Vec<usize> = ops
        .iter()
        .map(|op| {
            let place = raw;
            raw += usize::from(op.name == "ncp72 read");
            place
        })
        .collect();
    assert_eq!(
        raw,
        sizes.len(),
        "the plan and the rows agree on the raw reads"
    );
    let calls = follow(&lab.name, &ops, &asked, |i, op| {
        ncp(op, sizes.get(places[i]).copied().unwrap_or(0))
    });
    assert_all_answered(lab, &["ncp"]);

    // The same pairs as tshark, reply by reply, however often the sequence number wraps.
    let rows = lab.tshark("ncp");
    let replies: BTreeMap<u64, u64> = rows
        .iter()
        .filter(|r| r["type"] == "0x3333")
        .map(|r| (r["frame"].parse().unwrap(), r["req_frame"].parse().unwrap()))
        .collect();
    let ncps = lab
        .analysis
        .transactions
        .iter()
        .filter(|t| t.protocol == "ncp");
    let mut pairs = 0;
    for t in ncps.clone() {
        let (request, reply) = (t.request.unwrap(), t.response.unwrap());
        let theirs = replies[&reply.last.frame];
        // tshark takes the last copy of a request that was repeated.
        if t.copies == 1 {
            assert_eq!(request.last.frame, theirs, "{t:?}");
        } else {
            assert!(request.last.frame < theirs, "{t:?}");
        }
        pairs += 1;
    }
    assert_eq!(pairs, replies.len());
    let interims: u32 = ncps.clone().map(|t| t.interims).sum();
    assert_eq!(
        interims as usize,
        rows.iter().filter(|r| r["type"] == "0x9999").count()
    );
    let copies: u32 = ncps.map(|t| t.copies).sum();
    let requests = ["0x1111", "0x2222", "0x5555"];
    let sent = rows
        .iter()
        .filter(|r| requests.contains(&r["type"].as_str()))
        .count();
    assert_eq!(
        copies as usize, sent,
        "every request that was sent is a request or a copy of one"
    );
    calls
}

#[test]
fn ncp_sequence_numbers_wrap() {
    let Some(lab) = Lab::open("ncp1_ethernet_ii_1client_srv", "pcap") else {
        return;
    };
    let calls = ncp_client(&lab);
    let client = lab.json["clients"][0].as_str().unwrap();
    let all = lab.of(client, &["ncp"]);
    assert!(all.len() > 3 * 256, "the sequence number wraps");
    for t in &all {
        assert_eq!(
            (t.copies, t.interims, t.duplicate_responses),
            (1, 0, 0),
            "{t:?}"
        );
        assert!(matches!(t.turnaround, Turnaround::Exact(_)), "{t:?}");
        // One segment; the router inside the server, to its internal network, counts itself in
        // the answers.
        assert_eq!(t.hops, Some(1), "{t:?}");
    }
    // What the kernel looks up before it makes or renames something is not there yet.
    let before = ["create", "mkdir", "rename", "open_missing"];
    let expected = lab
        .ops
        .iter()
        .filter(|o| before.contains(&o.name.as_str()))
        .count();
    let misses: Vec<_> = all
        .iter()
        .filter(|t| t.operation.name == "OBTAIN FILE OR SUBDIRECTORY INFORMATION")
        .filter(|t| !t.status.unwrap().ok)
        .collect();
    assert_eq!(misses.len(), expected);
    assert!(
        misses.iter().all(|t| !t.status.unwrap().failure),
        "a miss is no failure"
    );
    // Only where one request follows another is the link's delay in the time of the call
    // but not in the capture; a call that looks names up first has waited longer.
    let plain: Vec<Call<'_>> = calls
        .into_iter()
        .filter(|c| ["read", "write", "ncp72 read"].contains(&c.op.name.as_str()))
        .collect();
    assert_beyond(&lab.name, &plain, lab.link_delay(), 2 * MS);
    let pairs = lab.tshark_pairs("ncp", "req_frame");
    lab.summary(
        lab.ops.len(),
        all.len(),
        &format!("; {} misses; tshark pairs {pairs}", misses.len()),
    );
}

#[test]
fn a_slow_netware_server_says_it_is_being_processed() {
    let stem = "ncp3_8022_slowserver_requestbeingprocessed";
    let (Some(server), Some(client)) = (
        Lab::open(&format!("{stem}_srv"), "pcap"),
        Lab::open(&format!("{stem}_cli"), "pcap"),
    ) else {
        return;
    };
    let mut halves = Vec::new();
    for (lab, at_client) in [(&server, false), (&client, true)] {
        let calls = ncp_client(lab);
        let setting = |key: &str| lab.json[key].as_i64().unwrap();
        let (wait, long) = (
            setting("server_read_wait_us") * US,
            setting("every_nth_us") * US,
        );
        let timer = setting("client_timeout_cs") * 10 * MS;
        let reads: Vec<&Call<'_>> = calls
            .iter()
            .filter(|c| c.op.name.ends_with("read"))
            .collect();
        let (slow, quick): (Vec<&Transaction>, Vec<&Transaction>) = reads
            .iter()
            .map(|c| c.transactions[0])
            .partition(|t| t.response_time_ns().unwrap() >= long - MS);
        assert_eq!(slow.len(), reads.len() / setting("every_nth") as usize);
        for t in &slow {
            assert_eq!(
                (t.interims, t.copies),
                (1, 2),
                "asked again, told to wait: {t:?}"
            );
            // "Being processed" is said to a copy of a request that the server works on: the first arrived.
            assert!(!t.flags.contains(Flags::AMBIGUOUS));
            let own = t.turnaround.exact().unwrap();
            assert!((long - MS..long + 50 * MS).contains(&own), "{t:?}");
            let told = t.first_interim_ns().unwrap();
            assert!(
                (timer..timer + timer / 2).contains(&told),
                "repeated before {told} ns: {t:?}"
            );
            let interim = t.first_interim.unwrap();
            assert!(interim.frame < t.response.unwrap().first.frame, "{t:?}");
            assert!(t.first_interim_ns().unwrap() < timer * 2, "{t:?}");
        }
        let times: Vec<i64> = quick
            .iter()
            .map(|t| t.turnaround.exact().unwrap())
            .collect();
        assert!(
            times.iter().all(|ns| *ns >= wait),
            "the server waits in every read"
        );
        let half = median(times);
        assert!(half < wait + 5 * MS, "{half}");
        halves.push(half);
        let delay = if at_client { 0 } else { lab.link_delay() };
        let plain: Vec<Call<'_>> = calls
            .into_iter()
            .filter(|c| c.op.name.ends_with("read"))
            .collect();
        assert_beyond(&lab.name, &plain, delay, 2 * MS);
        let pairs = lab.tshark_pairs("ncp", "req_frame");
        lab.summary(
            lab.ops.len(),
            lab.analysis
                .transactions
                .iter()
                .filter(|t| t.protocol == "ncp")
                .count(),
            &format!(
                "; {} times being processed; tshark pairs {pairs}",
                slow.len()
            ),
        );
    }
    let difference = halves[1] - halves[0];
    let delay = server.link_delay();
    assert!(
        (delay / 2..delay * 2).contains(&difference),
        "{difference} ns, the link has {delay}"
    );
}

/// Frames of one NBF link by what they are, read in the plainest way: 802.3, LLC, NBF.
#[derive(Default, Debug, PartialEq, Eq, Clone, Copy)]
struct LinkFrames {
    request: u32,
    response: u32,
    ready: u32,
    data_ack: u32,
}

#[test]
fn smb_over_netbeui_of_three_clients() {
    const DATA_ACK: u8 = 0x14;
    const FIRST_MIDDLE: u8 = 0x15;
    const ONLY_LAST: u8 = 0x16;
    const SESSION_END: u8 = 0x18;
    let Some(lab) = Lab::open("nbf1_llc2_smb1_3clients_srv", "pcap") else {
        return;
    };
    let raw = frames(&lab.capture);
    let mut calls = 0;
    let mut transactions = 0;
    for (client, name) in ["c1", "c2", "c3"].into_iter().enumerate() {
        let mac = lab.json["clients"][client].as_str().unwrap();
        let all = lab.of(&mac.replace(':', "-"), &["smb1"]);
        let inside = inner(&lab.name, &all, &[], SMB1_BACK);
        let made = follow(&lab.name, &lab.ops_of(name), inside, |_, op| smb1(op));
        // Only the server's frames are delayed.
        assert_beyond(&lab.name, &made, lab.link_delay(), 2 * MS);
        let phases = lab.json["phases"][client].as_array().unwrap();
        for (number, phase) in phases.iter().enumerate() {
            let Some(size) = phase["size"].as_u64() else {
                continue;
            };
            let n = phase["n"].as_u64().unwrap();
            let moved = made
                .iter()
                .filter(|c| c.op.phase == number.to_string())
                .flat_map(|c| c.transactions.iter().copied())
                .filter(|t| matches!(t.kind, Kind::Read | Kind::Write));
            assert_eq!(
                (moved.clone().count() as u64, sum(moved)),
                (n, n * size),
                "{phase}"
            );
        }

        // Its frames from one request to the next belong to the first.
        let address: Vec<u8> = mac
            .split(':')
            .map(|byte| u8::from_str_radix(byte, 16).unwrap())
            .collect();
        let mut expected: Vec<(u64, LinkFrames)> = Vec::new();
        let mut asking = false;
        let mut ended = false;
        for f in &raw {
            let from_client = f.bytes[6..12] == address[..];
            if !from_client && f.bytes[..6] != address[..] || f.bytes[14..16] == [0, 0] {
                continue;
            }
            let control = f.bytes[16];
            let command = f.bytes.get(22).copied().unwrap_or(0);
            let data = control & 1 == 0 && matches!(command, FIRST_MIDDLE | ONLY_LAST);
            ended |= control & 1 == 0 && command == SESSION_END;
            if ended {
                break;
            }
            if from_client && data && !asking {
                expected.push((f.number, LinkFrames::default()));
            }
            let Some((_, counts)) = expected.last_mut() else {
                continue;
            };
            if data {
                if from_client {
                    asking = command == FIRST_MIDDLE;
                    counts.request += 1;
                } else {
                    counts.response += 1;
                }
            } else if control & 3 == 1 {
                counts.ready += 1;
            } else if control & 1 == 0 && command == DATA_ACK {
                counts.data_ack += 1;
            }
        }
        let ours: Vec<(u64, LinkFrames)> = all
            .iter()
            .zip(&expected)
            .map(|(t, (_, e))| {
                assert_eq!(
                    u64::from(e.ready + e.data_ack),
                    u64::from(t.frames.ack),
                    "{e:?} {t:?}"
                );
                assert_eq!((t.frames.control, t.frames.retransmitted), (0, 0), "{t:?}");
                let counts = LinkFrames {
                    request: t.frames.request,
                    response: t.frames.response,
                    ..*e
                };
                (t.request.unwrap().first.frame, counts)
            })
            .collect();
        assert_eq!(all.len(), expected.len());
        assert_eq!(ours, expected);
        for t in &all {
            // Of the three frames that the server sends, only the one with data answers.
            let answer = &raw[t.response.unwrap().first.frame as usize - 1];
            assert!(
                matches!(answer.bytes[22], FIRST_MIDDLE | ONLY_LAST),
                "{t:?}"
            );
            assert_eq!(t.carrier, "nbf");
        }
        calls += made.len();
        transactions += found(&made);
    }
    assert_all_answered(&lab, &["smb1", "nbf"]);
    let pairs = lab.tshark_pairs("smb", "response_to");
    lab.summary(calls, transactions, &format!("; tshark pairs {pairs}"));
}

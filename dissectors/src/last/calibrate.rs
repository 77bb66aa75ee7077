//! What a capture says of the header between LAST's length word and SMB.
//!
//! The layout is not public, but what the fields do is: an answer brings back the identifiers
//! of the request, a copy of a request has another sequence number and the same transaction
//! identifier, the ends of a circuit change places. Bytes that do this in every case are rows
//! of the table; of the others it is said that nothing can be told.

use super::{Message, pdu, table};
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hasher};
use wirewait_wire::{Confidence, Endpoint, Form, Input, LayoutRow, Listed, Timestamp, Values};

/// Messages that are looked at.
const MESSAGES: usize = 20_000;
/// Conversations that are told apart.
const CONVERSATIONS: usize = 1024;
/// Bytes of a header that are looked at.
const FRONT: usize = 96;
/// So many cases without an exception are more than chance.
const SURE: usize = 3;
/// Cases that a row names.
const NAMED: usize = 3;
/// Characters of a file's name in a row.
const LABEL: usize = 60;

/// A message in which an SMB begins, or a frame that goes on with one.
struct Seen {
    frame: u64,
    conversation: usize,
    /// Which of its ends sent it.
    end: bool,
    kind: Kind,
    at: Timestamp,
    front: Vec<u8>,
    length: u32,
    digest: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Request,
    Response,
    /// Goes on with what the same station said before.
    More,
}

/// Gathers messages and looks for what is the same in all of them.
#[derive(Default)]
pub struct Calibration {
    seen: Vec<Seen>,
    ends: Vec<(Endpoint, Endpoint)>,
    /// Where the SMBs begin: the first place and the last.
    smb_at: Option<(u32, u32)>,
    messages: u64,
    upkeep: u64,
    omitted: u64,
}

/// What came of it.
#[derive(Debug, Default)]
pub struct Findings {
    /// Rows for a table.
    pub rows: Vec<LayoutRow>,
    /// What cannot be told, and from how much the rest was.
    pub notes: Vec<String>,
}

/// Two messages, one behind the other.
type Pair<'a> = (&'a Seen, &'a Seen);

/// What was found to belong together.
#[derive(Default)]
struct Cases<'a> {
    /// A request and its answer.
    answers: Vec<Pair<'a>>,
    /// A request and a copy of it.
    copies: Vec<Pair<'a>>,
    /// A request and the next one.
    news: Vec<Pair<'a>>,
    /// A message and a frame that goes on with it, the how-manieth.
    more: Vec<(&'a Seen, &'a Seen, u8)>,
}

impl Calibration {
    /// Nothing seen yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes in a LAST message: the number and time of its frame, who sent it to whom, and
    /// what stands behind the EtherType.
    pub fn take(
        &mut self,
        frame: u64,
        at: Timestamp,
        (from, to): (Endpoint, Endpoint),
        input: Input<'_>,
    ) {
        self.messages += 1;
        let pdu = pdu(input);
        let (kind, header) = match Message::read(pdu) {
            Message::Upkeep => {
                self.upkeep += 1;
                return;
            }
            Message::Smb { header, reply, .. } => {
                let (low, high) = self.smb_at.unwrap_or((header, header));
                self.smb_at = Some((low.min(header), high.max(header)));
                let kind = if reply { Kind::Response } else { Kind::Request };
                (kind, header as usize)
            }
            Message::Other => (Kind::More, pdu.bytes.len()),
        };
        let ends = (from.min(to), from.max(to));
        let known = self.ends.iter().position(|other| *other == ends);
        if self.seen.len() >= MESSAGES || known.is_none() && self.ends.len() >= CONVERSATIONS {
            self.omitted += 1;
            return;
        }
        let conversation = known.unwrap_or_else(|| {
            self.ends.push(ends);
            self.ends.len() - 1
        });
        let mut hasher = DefaultHasher::new();
        hasher.write(pdu.bytes.get(header..).unwrap_or_default());
        self.seen.push(Seen {
            frame,
            conversation,
            end: from < to,
            kind,
            at,
            front: pdu.bytes.iter().take(header.min(FRONT)).copied().collect(),
            length: pdu.length,
            digest: hasher.finish(),
        });
    }

    /// How many messages there were, upkeep included.
    #[must_use]
    pub fn messages(&self) -> u64 {
        self.messages
    }

    /// What they say. `file` is named in the rows.
    #[must_use]
    pub fn findings(&self, file: &str) -> Findings {
        let mut findings = Findings::default();
        findings.note(format!(
            "{} messages, of which {} keep circuits up",
            self.messages, self.upkeep
        ));
        if self.omitted > 0 {
            findings.note(format!("{} messages were left out: too many", self.omitted));
        }
        let Some((first, last)) = self.smb_at else {
            findings.note(
                "no SMB in any of them: what is header and what is data cannot be told".to_owned(),
            );
            return findings;
        };
        if first != last {
            findings.note(format!(
                "SMB begins at byte {first} at first, and up to byte {last}: the header has no \
                 fixed length, and only its first {first} bytes are compared"
            ));
        }
        let header = (first as usize).min(FRONT);
        let cases = self.cases();
        findings.note(format!(
            "{} requests with answers, {} requests behind others, {} copies of requests, {} \
             frames that go on; SMB at byte {first}",
            cases.answers.len(),
            cases.news.len(),
            cases.copies.len(),
            cases.more.len()
        ));
        Search {
            file,
            seen: &self.seen,
            cases,
            header,
            taken: vec![false; header],
            findings,
        }
        .run()
    }

    /// Which messages belong together.
    fn cases(&self) -> Cases<'_> {
        let mut cases = Cases::default();
        for conversation in 0..self.ends.len() {
            let mut asked: Option<&Seen> = None;
            let mut answered = true;
            let mut said: Option<(&Seen, u8)> = None;
            for seen in self.seen.iter().filter(|s| s.conversation == conversation) {
                match seen.kind {
                    Kind::More => {
                        let same = said.as_mut().filter(|(first, _)| first.end == seen.end);
                        if let Some((first, more)) = same {
                            *more = more.saturating_add(1);
                            cases.more.push((first, seen, *more));
                        }
                        continue;
                    }
                    Kind::Request => {
                        if let Some(before) = asked {
                            let same = before.digest == seen.digest;
                            if same && !answered {
                                cases.copies.push((before, seen));
                            } else if !same {
                                cases.news.push((before, seen));
                            }
                        }
                        (asked, answered) = (Some(seen), false);
                    }
                    Kind::Response => {
                        if let (Some(asked), false) = (asked, answered) {
                            cases.answers.push((asked, seen));
                        }
                        answered = true;
                    }
                }
                said = Some((seen, 0));
            }
        }
        cases
    }
}

impl Findings {
    /// A table of all this, with the rows of the built-in one that it does not replace, and
    /// what cannot be told as comments. `file` is where it comes from.
    #[must_use]
    pub fn profile(&self, file: &str) -> String {
        let mut text = format!(
            "# DEC LAST by `wirewait last-calibrate`, from {}\n\
             # A row holds for every case that its source counts; fewer than {SURE} cases make it\n\
             # assumed. Names are by what the bytes do. Rows from elsewhere are those of the\n\
             # built-in table.\n\
             #\n\
             # layer, message, field, offset, bits, endian, values, confidence, source\n",
            plain(file)
        );
        let replaced = |row: &LayoutRow| {
            let same = |own: &&LayoutRow| own.message == row.message && own.field == row.field;
            self.rows.iter().any(|own| same(&own))
        };
        let kept = table::built_in().rows().iter().filter(|row| !replaced(row));
        for row in kept.chain(&self.rows) {
            // A string takes everything.
            let _ = writeln!(text, "{row}");
        }
        text.push_str("#\n# What was seen, and what cannot be told:\n");
        for note in &self.notes {
            let _ = writeln!(text, "# - {}", plain(note));
        }
        text
    }

    fn note(&mut self, note: String) {
        self.notes.push(note);
    }
}

/// The search for fields, the surest first: bytes that are taken are not looked at again.
struct Search<'a> {
    file: &'a str,
    seen: &'a [Seen],
    cases: Cases<'a>,
    header: usize,
    taken: Vec<bool>,
    findings: Findings,
}

impl Search<'_> {
    fn run(mut self) -> Findings {
        self.length();
        self.ends();
        self.kinds();
        self.counts();
        self.identifiers();
        self.constants();
        self.rest();
        self.findings
    }

    fn starts(&self) -> impl Iterator<Item = &Seen> {
        self.seen.iter().filter(|s| s.kind != Kind::More)
    }

    fn free(&self, from: usize, n: usize) -> bool {
        self.taken
            .get(from..from + n)
            .is_some_and(|taken| taken.iter().all(|t| !t))
    }

    /// A number that is the length of every message.
    fn length(&mut self) {
        for at in 0..self.header.saturating_sub(1) {
            for form in [Form::Le, Form::Be] {
                let equal = self
                    .seen
                    .iter()
                    .filter(|s| word(&s.front, at, form) == Some(s.length));
                let n = equal.count();
                if n == self.seen.len() && self.lengths_differ() && self.free(at, 2) {
                    let source = self.source(format!("the length of all {n} messages"), &[]);
                    let row = row("any", "length", (at, 2), form, Values::Length, n);
                    self.add(row, source);
                }
            }
        }
    }

    fn lengths_differ(&self) -> bool {
        self.seen
            .windows(2)
            .any(|two| two[0].length != two[1].length)
    }

    /// Two words that change places with the direction: the ends of a circuit.
    fn ends(&mut self) {
        for one in 0..self.header.saturating_sub(3) {
            for other in one + 2..self.header.saturating_sub(1) {
                if !self.free(one, 2) || !self.free(other, 2) {
                    continue;
                }
                let swaps = |(asks, says): &Pair<'_>| {
                    let [a, b] = [one, other].map(|at| word(&asks.front, at, Form::Le));
                    let [c, d] = [one, other].map(|at| word(&says.front, at, Form::Le));
                    a == d && b == c && a != b
                };
                let n = self.cases.answers.iter().filter(|p| swaps(p)).count();
                if n == 0 || n < self.cases.answers.len() {
                    continue;
                }
                let text = format!("changes places with the other end in all {n} answers");
                let source = self.source(text, &self.cases.answers);
                for (name, at) in [("receiver", one), ("sender", other)] {
                    let name = self.unused(name);
                    self.add_both(&name, (at, 2), Form::Le, n, &source);
                }
            }
        }
    }

    /// A byte with one value in all requests, and another in all answers.
    fn kinds(&mut self) {
        for at in 0..self.header {
            let value = |kind: Kind| {
                let mut own = self.seen.iter().filter(|s| s.kind == kind);
                let first = own.next()?.front.get(at).copied()?;
                own.all(|s| s.front.get(at) == Some(&first))
                    .then_some(first)
            };
            let (Some(asks), Some(says)) = (value(Kind::Request), value(Kind::Response)) else {
                continue;
            };
            let n = self.starts().count();
            if asks == says || !self.free(at, 1) {
                continue;
            }
            let text = format!("{asks} in all requests and {says} in all answers, {n} of them");
            let source = self.source(text, &self.cases.answers);
            let name = self.unused("kind");
            for (message, value) in [(table::REQUEST, asks), (table::RESPONSE, says)] {
                let values = only(value);
                let row = row(message, &name, (at, 1), Form::Le, values, n);
                self.add(row, source.clone());
            }
        }
    }

    /// A byte that counts the frames of a message, and one that says how many there are.
    fn counts(&mut self) {
        if self.cases.more.is_empty() {
            return;
        }
        for at in 0..self.header {
            let counts = |(first, more, n): &(&Seen, &Seen, u8)| {
                let one = first.front.get(at).copied();
                one.map(|one| one.wrapping_add(*n)) == more.front.get(at).copied()
            };
            let n = self.cases.more.iter().filter(|case| counts(case)).count();
            if n == self.cases.more.len() && self.free(at, 1) {
                let pairs: Vec<Pair<'_>> = self.cases.more.iter().map(|c| (c.0, c.1)).collect();
                let text = format!("one more in each of {n} frames that go on");
                let source = self.source(text, &pairs);
                let name = self.unused("segment");
                self.add_both(&name, (at, 1), Form::Le, n, &source);
            }
        }
    }

    /// What answers bring back: by what becomes of it in copies and in new requests.
    fn identifiers(&mut self) {
        if self.cases.copies.is_empty() {
            self.findings.note(
                "no request was seen twice before its answer: LAST's sequence number, which \
                 changes then, and BMP's transaction identifier, which does not, cannot be told \
                 apart"
                    .to_owned(),
            );
        }
        let mut classes: Vec<Option<Class>> = (0..self.header).map(|at| self.class(at)).collect();
        let mut at = 0;
        while at < self.header {
            let Some(class) = classes[at].take() else {
                at += 1;
                continue;
            };
            let end = (at..self.header)
                .skip(1)
                .find(|next| classes[*next] != Some(class))
                .unwrap_or(self.header);
            self.identifier(class, at, (end - at).min(4));
            at = end;
        }
    }

    fn class(&self, at: usize) -> Option<Class> {
        let answers = &self.cases.answers;
        let back = answers.iter().all(|p| same(p, at));
        let varies = self.cases.news.iter().any(|p| !same(p, at));
        if !self.free(at, 1) || answers.is_empty() || !back || !varies {
            return None;
        }
        let copies = &self.cases.copies;
        Some(match copies.iter().filter(|p| !same(p, at)).count() {
            _ if copies.is_empty() => Class::Either,
            0 => Class::Transaction,
            n if n == copies.len() => Class::Sequence,
            _ => return None,
        })
    }

    fn identifier(&mut self, class: Class, at: usize, n: usize) {
        // The byte that changes most often is the low one.
        let changes = |at: usize| self.cases.news.iter().filter(|p| !same(p, at)).count();
        let form = if changes(at) >= changes(at + n - 1) {
            Form::Le
        } else {
            Form::Be
        };
        let answers = self.cases.answers.len();
        let copies = self.cases.copies.len();
        let mut text = format!("all {answers} answers bring it back");
        let (layer, name, cases) = match class {
            Class::Sequence => ("last", "sequence", copies),
            Class::Transaction => ("bmp", "transaction", copies),
            Class::Either => ("last", "identifier", 0),
        };
        // A string takes everything.
        let _ = match class {
            Class::Sequence => write!(text, ", and all {copies} copies have another"),
            Class::Transaction => write!(text, ", and all {copies} copies have the same"),
            Class::Either => write!(text, "; no copies were seen"),
        };
        let pairs = if copies > 0 {
            &self.cases.copies
        } else {
            &self.cases.answers
        };
        let source = self.source(text, pairs);
        let name = self.unused(name);
        self.add_both(&name, (at, n), form, cases.min(answers), &source);
        for row in self.findings.rows.iter_mut().rev().take(2) {
            row.layer = layer.to_owned();
        }
        self.findings.note(format!(
            "{name}: only bytes that changed are told of; those beside it that were always 0 may \
             be its high ones"
        ));
    }

    /// Bytes that never change.
    fn constants(&mut self) {
        let mut at = 0;
        while at < self.header {
            let constant = |at: usize| {
                let first = self.seen.first()?.front.get(at).copied()?;
                let all = self.seen.iter().all(|s| s.front.get(at) == Some(&first));
                (all && self.free(at, 1)).then_some(first)
            };
            let values: Vec<u8> = (at..self.header).map_while(constant).collect();
            let (from, to) = (at, at + values.len());
            at = to.max(at + 1);
            if !values.is_empty() {
                self.findings.note(format!(
                    "bytes {from} to {} are {} in all messages: a slot, flags, a version or \
                     nothing",
                    to - 1,
                    hex(&values)
                ));
                self.taken[from..to].fill(true);
            }
        }
    }

    /// Bytes that follow no rule.
    fn rest(&mut self) {
        let left: Vec<String> = (0..self.header)
            .filter(|at| !self.taken[*at])
            .map(|at| at.to_string())
            .collect();
        if !left.is_empty() {
            self.findings.note(format!(
                "bytes that change without a rule that is known (a checksum does): {}",
                left.join(", ")
            ));
        }
        self.findings.note(
            "group, inactivity timer and the client's capacity are said when a connection is \
             made; such messages cannot be told from others"
                .to_owned(),
        );
        let span = self.seen.first().zip(self.seen.last());
        if let Some((first, last)) = span.filter(|(first, last)| last.at < first.at) {
            self.findings.note(format!(
                "frame {} is earlier than frame {}: is it one capture?",
                last.frame, first.frame
            ));
        }
    }

    /// A row for requests and one for responses: upkeep has other fields in these places.
    fn add_both(
        &mut self,
        name: &str,
        place: (usize, usize),
        form: Form,
        cases: usize,
        source: &str,
    ) {
        for message in [table::REQUEST, table::RESPONSE] {
            let row = row(message, name, place, form, Values::Any, cases);
            self.add(row, source.to_owned());
        }
    }

    fn add(&mut self, mut row: LayoutRow, source: String) {
        let (Some(from), Some(bits)) = (row.offset, row.bits) else {
            return;
        };
        let from = from as usize;
        let to = (from + bits as usize / 8).min(self.taken.len());
        self.taken[from..to].fill(true);
        row.source = source;
        self.findings.rows.push(row);
    }

    /// A name that no row has; the second of its kind has a number.
    fn unused(&self, name: &str) -> String {
        let taken = |name: &str| self.findings.rows.iter().any(|row| row.field == name);
        let numbered = (2..).map(|n| format!("{name}_{n}"));
        std::iter::once(name.to_owned())
            .chain(numbered)
            .find(|name| !taken(name))
            .unwrap_or_default()
    }

    fn source(&self, text: String, cases: &[Pair<'_>]) -> String {
        let mut source = format!("{}: {text}", label(self.file));
        for (n, (one, other)) in cases.iter().take(NAMED).enumerate() {
            let between = if n == 0 { " (frames " } else { ", " };
            let _ = write!(source, "{between}{}>{}", one.frame, other.frame);
        }
        if !cases.is_empty() {
            source.push(')');
        }
        source
    }
}

/// What a field that answers bring back is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Sequence,
    Transaction,
    Either,
}

fn same((one, other): &Pair<'_>, at: usize) -> bool {
    one.front.get(at) == other.front.get(at)
}

fn word(front: &[u8], at: usize, form: Form) -> Option<u32> {
    let two = [*front.get(at)?, *front.get(at + 1)?];
    Some(u32::from(match form {
        Form::Be => u16::from_be_bytes(two),
        _ => u16::from_le_bytes(two),
    }))
}

fn only(value: u8) -> Values {
    Values::Listed(vec![Listed {
        from: value.into(),
        to: value.into(),
        means: String::new(),
    }])
}

fn row(
    message: &str,
    field: &str,
    (at, n): (usize, usize),
    form: Form,
    values: Values,
    cases: usize,
) -> LayoutRow {
    LayoutRow {
        layer: "last".to_owned(),
        message: message.to_owned(),
        field: field.to_owned(),
        offset: u32::try_from(at).ok(),
        bits: u32::try_from(8 * n).ok(),
        form: Some(form),
        values,
        confidence: if cases >= SURE {
            Confidence::CaptureConfirmed
        } else {
            Confidence::Assumed
        },
        source: String::new(),
        line: 0,
    }
}

/// Without what would end a line.
fn plain(text: &str) -> String {
    text.replace(char::is_control, "?")
}

/// The name of a file for a cell.
fn label(file: &str) -> String {
    plain(file).chars().take(LABEL).collect()
}

fn hex(bytes: &[u8]) -> String {
    let digits: Vec<String> = bytes.iter().map(|b| format!("{b:02x}")).collect();
    digits.join(" ")
}

#[cfg(test)]
mod tests {
    use super::super::locate::tests::smb1;
    use super::*;
    use crate::last::profile;

    /// A message with an invented header of 14 bytes: length, kind, ends, sequence,
    /// transaction, a constant, zeros.
    fn message(kind: u8, sequence: u8, transaction: u8, smb: &[u8]) -> Vec<u8> {
        let (to, from) = if kind == 1 { (2, 1) } else { (1, 2) };
        let mut m = vec![
            0,
            0,
            kind,
            0,
            to,
            0x10,
            from,
            0x10,
            sequence,
            0,
            transaction,
            0,
            5,
            0,
        ];
        m.extend(smb);
        let length = (m.len() as u16).to_le_bytes();
        m[..2].copy_from_slice(&length);
        m
    }

    struct Capture(Calibration, u64);

    impl Capture {
        fn say(&mut self, bytes: &[u8]) {
            self.1 += 1;
            let ends = (Endpoint::mac([1; 6]), Endpoint::mac([2; 6]));
            let at = Timestamp::from_nanos(self.1 as i64);
            self.0.take(self.1, at, ends, Input::whole(bytes));
        }
    }

    /// Ten reads; those of `again` are asked twice.
    fn reads(again: &[u8]) -> Findings {
        let mut capture = Capture(Calibration::new(), 0);
        let mut sequence = 0;
        for n in 0..10 {
            let asks = smb1(0x0a, 0, &[n; 10], &[]);
            let says = smb1(0x0a, 0x80, &[n; 10], &[1; 7][..usize::from(n % 3)]);
            for _ in 0..=u8::from(again.contains(&n)) {
                sequence += 1;
                capture.say(&message(1, sequence, n, &asks));
            }
            capture.say(&message(2, sequence, n, &says));
        }
        capture.0.findings("a.pcap")
    }

    fn place(findings: &Findings, message: &str, field: &str) -> Option<(u32, u32, Confidence)> {
        let row = findings
            .rows
            .iter()
            .find(|row| row.message == message && row.field == field)?;
        Some((row.offset?, row.bits?, row.confidence))
    }

    #[test]
    fn every_field_of_an_invented_header() {
        let found = reads(&[2, 5, 7]);
        let sure = Confidence::CaptureConfirmed;
        assert_eq!(place(&found, "any", "length"), Some((0, 16, sure)));
        assert_eq!(place(&found, "request", "kind"), Some((2, 8, sure)));
        assert_eq!(place(&found, "response", "kind"), Some((2, 8, sure)));
        assert_eq!(place(&found, "request", "receiver"), Some((4, 16, sure)));
        assert_eq!(place(&found, "response", "sender"), Some((6, 16, sure)));
        assert_eq!(place(&found, "request", "sequence"), Some((8, 8, sure)));
        assert_eq!(
            place(&found, "response", "transaction"),
            Some((10, 8, sure))
        );
        let row = found
            .rows
            .iter()
            .find(|row| row.field == "sequence")
            .unwrap();
        assert_eq!(
            row.source,
            "a.pcap: all 10 answers bring it back, and all 3 copies have another (frames 5>6, \
             12>13, 17>18)"
        );
        let notes = found.notes.join("\n");
        assert!(
            notes.contains("bytes 11 to 13 are 00 05 00 in all messages"),
            "{notes}"
        );
        assert!(!notes.contains("without a rule"), "{notes}");
    }

    #[test]
    fn without_copies_the_two_identifiers_are_not_told_apart() {
        let found = reads(&[]);
        assert_eq!(place(&found, "request", "sequence"), None);
        let assumed = Confidence::Assumed;
        assert_eq!(
            place(&found, "request", "identifier"),
            Some((8, 8, assumed))
        );
        assert_eq!(
            place(&found, "request", "identifier_2"),
            Some((10, 8, assumed))
        );
        assert!(
            found
                .notes
                .iter()
                .any(|note| note.starts_with("no request was seen twice"))
        );
    }

    #[test]
    fn rows_make_a_table() {
        let found = reads(&[2, 5, 7]);
        let text = found.profile("a.pcap");
        let layout = profile("derived", &text).unwrap();
        assert!(text.contains("# - bytes 11 to 13 are 00 05 00 in all messages"));
        assert!(layout.row("upkeep", "node_name").is_some());
        assert!(
            layout
                .row("request", "slot")
                .is_some_and(|row| row.place().is_none())
        );
        let asks = message(1, 9, 4, &smb1(0x0a, 0, &[0; 10], &[]));
        let pdu = Input::whole(&asks);
        assert_eq!(layout.message(pdu, None), Some("request"));
        let row = layout.row("request", "transaction").unwrap();
        assert_eq!(row.number(pdu), Some(4));
    }

    #[test]
    fn a_capture_without_smb_says_so() {
        let mut capture = Capture(Calibration::new(), 0);
        capture.say(&[4, 0, 9, 9]);
        let found = capture.0.findings("a");
        assert!(found.rows.is_empty());
        assert!(found.notes[1].starts_with("no SMB in any of them"));
    }
}

//! What a capture says of the header between LAST's length word and SMB.
//!
//! The layout is not public, but what the fields do is: an answer brings back the identifiers
//! of the request, a copy of a request has another sequence number and the same transaction
//! identifier, the ends of a circuit change places. Bytes that do this in every case are rows
//! of the table; of the others it is said that nothing can be told.

mod counting;
mod doubts;
mod identifiers;
#[cfg(test)]
mod readings;
mod rows;
mod search;

use super::{Message, pdu, table};
use search::Search;
use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hasher};
use wirewait_wire::{Endpoint, Input, LayoutRow, Timestamp};

/// Messages that are looked at.
const MESSAGES: usize = 20_000;
/// Conversations that are told apart.
const CONVERSATIONS: usize = 1024;
/// Bytes of a header that are looked at.
const FRONT: usize = 96;
/// Fewest cases, all without an exception, that confirm a row.
const SURE: usize = 3;
/// Cases that a row names.
const NAMED: usize = 3;

/// A message in which an SMB begins, or a frame that goes on with one.
struct SeenMessage {
    frame: u64,
    conversation: usize,
    /// Who sent it, and which of the conversation's ends that is.
    from: Endpoint,
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
    seen: Vec<SeenMessage>,
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
type Pair<'a> = (&'a SeenMessage, &'a SeenMessage);

/// What was found to belong together.
#[derive(Default)]
struct Cases<'a> {
    /// A request and its answer.
    answers: Vec<Pair<'a>>,
    /// A request and a copy of it.
    copies: Vec<Pair<'a>>,
    /// A request and the next one.
    news: Vec<Pair<'a>>,
    /// Those of them whose first one is no copy.
    plain: Vec<Pair<'a>>,
    /// A client's request and its next one, whichever servers they are to; neither is a copy.
    shared: Vec<Pair<'a>>,
    /// Frames that go on with a message.
    more: Vec<More<'a>>,
}

/// A frame that goes on with a message.
struct More<'a> {
    /// With which the message began.
    first: &'a SeenMessage,
    /// The one before this one.
    before: &'a SeenMessage,
    seen: &'a SeenMessage,
    /// How many frames of the message are before it.
    nth: u32,
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
        self.seen.push(SeenMessage {
            frame,
            conversation,
            from,
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
            cut: (first as usize) > FRONT,
            taken: vec![false; header],
            findings,
        }
        .run()
    }

    /// Which messages belong together.
    fn cases(&self) -> Cases<'_> {
        let mut cases = Cases::default();
        for conversation in 0..self.ends.len() {
            let mut asked: Option<&SeenMessage> = None;
            let (mut answered, mut again) = (true, false);
            let mut said: Option<(&SeenMessage, &SeenMessage, u32)> = None;
            for seen in self.seen.iter().filter(|s| s.conversation == conversation) {
                match seen.kind {
                    Kind::More => {
                        let same = said.as_mut().filter(|(first, ..)| first.end == seen.end);
                        if let Some((first, before, nth)) = same {
                            *nth = nth.saturating_add(1);
                            cases.more.push(More {
                                first,
                                before,
                                seen,
                                nth: *nth,
                            });
                            *before = seen;
                        }
                        continue;
                    }
                    Kind::Request => {
                        let same = asked.is_some_and(|before| before.digest == seen.digest);
                        if let Some(before) = asked {
                            if same && !answered {
                                cases.copies.push((before, seen));
                            } else if !same {
                                cases.news.push((before, seen));
                            }
                            if !same && !again {
                                cases.plain.push((before, seen));
                            }
                        }
                        (asked, answered, again) = (Some(seen), false, same);
                    }
                    Kind::Response => {
                        if let (Some(asked), false) = (asked, answered) {
                            cases.answers.push((asked, seen));
                        }
                        answered = true;
                    }
                }
                said = Some((seen, seen, 0));
            }
        }
        let again: HashSet<u64> = cases.copies.iter().map(|(_, copy)| copy.frame).collect();
        let mut last: BTreeMap<Endpoint, &SeenMessage> = BTreeMap::new();
        for seen in self.seen.iter().filter(|s| s.kind == Kind::Request) {
            let before = last.insert(seen.from, seen);
            let pair = before.map(|before| (before, seen));
            let plain = |(one, other): &Pair<'_>| {
                !again.contains(&one.frame) && !again.contains(&other.frame)
            };
            cases.shared.extend(pair.filter(plain));
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
             # A row holds for every case that its source counts. It is confirmed only if there are\n\
             # {SURE} cases or more and no other reading fits; otherwise its source says which one\n\
             # does. Names are by what the bytes do. Rows from elsewhere are those of the built-in\n\
             # table.\n\
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

/// Without what would end a line.
fn plain(text: &str) -> String {
    text.replace(char::is_control, "?")
}

#[cfg(test)]
mod tests {
    use super::super::locate::tests::smb1;
    use super::*;
    use crate::last::profile;
    use wirewait_wire::{Confidence, Form};

    /// A message with an invented header of 14 bytes: length, kind, ends, sequence,
    /// transaction, a constant, zeros.
    fn message(kind: u8, client: u8, sequence: u16, transaction: u16, smb: &[u8]) -> Vec<u8> {
        let (to, from) = if kind == 1 { (9, client) } else { (client, 9) };
        let mut m = vec![0, 0, kind, 0, to, 0x10, from, 0x10];
        m.extend(sequence.to_le_bytes());
        m.extend(transaction.to_le_bytes());
        m.extend([5, 0]);
        m.extend(smb);
        let length = (m.len() as u16).to_le_bytes();
        m[..2].copy_from_slice(&length);
        m
    }

    struct Capture(Calibration, u64);

    impl Capture {
        fn say(&mut self, client: u8, bytes: &[u8]) {
            self.1 += 1;
            let [client, server] = [client, 9].map(|end| Endpoint::mac([end; 6]));
            let answers = bytes.get(2) == Some(&2);
            let ends = if answers {
                (server, client)
            } else {
                (client, server)
            };
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
                capture.say(1, &message(1, 1, sequence, n.into(), &asks));
            }
            capture.say(1, &message(2, 1, sequence, n.into(), &says));
        }
        capture.0.findings("a.pcap")
    }

    /// Of each of two clients 300 reads, the last ones of more than 256 bytes; every hundredth is
    /// asked twice.
    fn many_reads() -> Findings {
        let mut capture = Capture(Calibration::new(), 0);
        for client in [1, 2] {
            // Not the same numbers at the same time, or they could be one; and they begin anew.
            let mut sequence = 65_300 + 40 * u16::from(client);
            for n in 0..300_u16 {
                let [low, high] = n.to_le_bytes();
                let asks = smb1(0x0a, 0, &[low, high, 0, 0, 0, 0, 0, 0, 0, 0], &[]);
                let data = vec![1; usize::from(n)];
                let says = smb1(0x0a, 0x80, &[low; 10], &data);
                for _ in 0..=u8::from(n % 100 == 50) {
                    sequence = sequence.wrapping_add(1);
                    capture.say(client, &message(1, client, sequence, n, &asks));
                }
                capture.say(client, &message(2, client, sequence, n, &says));
            }
        }
        capture.0.findings("a.pcap")
    }

    /// Messages of a header that each counter-example makes of its own: what it says of this one.
    fn with_header(
        requests: u32,
        clients: &[(u8, u8)],
        front: impl Fn(u8, u8, u8, u32, u32) -> Vec<u8>,
    ) -> Findings {
        let mut capture = Capture(Calibration::new(), 0);
        for (client, server) in clients {
            let mut sequence = 65_300 + u32::from(*client) * 40;
            for n in 0..requests {
                let words: Vec<u8> = [n.to_le_bytes(), [0; 4]].concat();
                let asks = smb1(0x0a, 0, &[&words[..], &[0; 2]].concat(), &[]);
                let says = smb1(0x0a, 0x80, &[n as u8; 10], &vec![1; (n % 300) as usize]);
                let mut say = |kind, sequence, smb: &[u8]| {
                    capture.1 += 1;
                    let ends = [client, server].map(|end| Endpoint::mac([*end; 6]));
                    let at = Timestamp::from_nanos(capture.1 as i64);
                    let mut bytes = front(kind, *client, *server, sequence, n);
                    bytes.extend(smb);
                    let length = (bytes.len() as u16).to_le_bytes();
                    bytes[..2].copy_from_slice(&length);
                    let ends = if kind == 1 {
                        (ends[0], ends[1])
                    } else {
                        (ends[1], ends[0])
                    };
                    capture.0.take(capture.1, at, ends, Input::whole(&bytes));
                };
                for _ in 0..=u8::from(n % 100 == 50) {
                    sequence += 1;
                    say(1, sequence, &asks);
                }
                say(2, sequence, &says);
            }
        }
        capture.0.findings("a.pcap")
    }

    const TWO: [(u8, u8); 2] = [(1, 9), (2, 9)];

    fn source(findings: &Findings, field: &str) -> String {
        let row = findings.rows.iter().find(|row| row.field == field);
        row.unwrap_or_else(|| panic!("{field}: {:?}", findings.notes))
            .source
            .clone()
    }

    /// A count in either byte order is confirmed in its own by a carry, and without one in none.
    #[test]
    fn byte_order_shows_by_a_carry_alone() {
        let order = |requests, big: bool| {
            let found = with_header(requests, &TWO, |kind, _, _, sequence, n| {
                let [sequence, n] = [sequence, n].map(|number| match big {
                    true => (number as u16).to_be_bytes(),
                    false => (number as u16).to_le_bytes(),
                });
                let mut m = vec![0, 0, kind];
                m.extend(sequence);
                m.extend(n);
                m
            });
            let row = found.rows.iter().find(|row| row.field == "sequence");
            let row = row.unwrap_or_else(|| panic!("{:?}", found.notes));
            (row.form, row.confidence, row.offset, row.bits)
        };
        let sure = Confidence::CaptureConfirmed;
        assert_eq!(order(600, false), (Some(Form::Le), sure, Some(3), Some(16)));
        assert_eq!(order(600, true), (Some(Form::Be), sure, Some(3), Some(16)));
        let (_, confidence, _, bits) = order(151, false);
        assert_eq!(
            (confidence, bits),
            (Confidence::Assumed, Some(8)),
            "no carry"
        );
    }

    /// A number of four bytes that never counts beyond two looks like one of two.
    #[test]
    fn high_bytes_that_never_changed_may_belong_to_it() {
        let found = with_header(600, &TWO, |kind, _, _, sequence, n| {
            let mut m = vec![0, 0, kind];
            m.extend((sequence as u16).to_le_bytes());
            m.extend(n.to_le_bytes());
            m
        });
        assert_eq!(
            place(&found, "request", "transaction"),
            Some((5, 16, Confidence::Assumed))
        );
        for says in [
            "; it did not begin anew: bits beside it that never changed may be its high ones",
            "; new ones never change its bits 10 to 15: they may be another field",
        ] {
            let source = source(&found, "transaction");
            assert!(source.contains(says), "{source}");
        }
        // So does a length of four bytes.
        let found = with_header(300, &TWO, |kind, _, _, sequence, _| {
            let mut m = vec![0, 0, 0, 0, kind];
            m.extend((sequence as u16).to_le_bytes());
            m
        });
        assert_eq!(
            place(&found, "any", "length"),
            Some((0, 16, Confidence::Assumed))
        );
    }

    /// A byte that begins anew at 256 has no high one.
    #[test]
    fn a_count_of_one_byte_is_confirmed_beyond_256_requests() {
        let bits = |requests| {
            let found = with_header(requests, &TWO, |kind, _, _, sequence, n| {
                vec![0, 0, kind, sequence as u8, 7, n as u8]
            });
            place(&found, "request", "transaction")
        };
        assert_eq!(bits(200), Some((5, 8, Confidence::Assumed)));
        assert_eq!(bits(300), Some((5, 8, Confidence::CaptureConfirmed)));
    }

    /// What a clock says is brought back, and is another in each copy, too.
    #[test]
    fn a_time_is_no_sequence() {
        let found = with_header(600, &TWO, |kind, _, _, sequence, n| {
            let mut m = vec![0, 0, kind];
            m.extend((sequence as u16).wrapping_mul(37).to_le_bytes());
            m.extend((n as u16).to_le_bytes());
            m
        });
        assert_eq!(
            place(&found, "request", "sequence").map(|(_, _, sure)| sure),
            Some(Confidence::Assumed)
        );
        let source = source(&found, "sequence");
        assert!(source.contains("it may be a time"), "{source}");
    }

    /// One byte of the receiver's address is the same in all requests, and in all answers where
    /// the clients have it in common.
    #[test]
    fn part_of_an_address_is_no_kind() {
        let one = with_header(300, &TWO, |kind, _, server, sequence, n| {
            let mut m = vec![0, 0, if kind == 1 { server } else { 0x10 }];
            m.extend((sequence as u16).to_le_bytes());
            m.extend((n as u16).to_le_bytes());
            m
        });
        assert_eq!(
            place(&one, "request", "kind"),
            Some((2, 8, Confidence::Assumed))
        );
        assert!(source(&one, "kind").contains("one server was seen"));
        // With two servers it is another in their requests.
        let two = with_header(300, &[(1, 8), (2, 9)], |kind, _, server, sequence, n| {
            let mut m = vec![0, 0, if kind == 1 { server } else { 0x10 }];
            m.extend((sequence as u16).to_le_bytes());
            m.extend((n as u16).to_le_bytes());
            m
        });
        assert_eq!(place(&two, "request", "kind"), None);
        // All of its bits change, as do those beside it.
        let kinds = with_header(300, &[(1, 8), (2, 9)], |kind, _, _, sequence, n| {
            let mut m = vec![0, 0, n as u8 ^ 0x55, if kind == 1 { 0x0f } else { 0xf0 }];
            m.extend((sequence as u16).to_le_bytes());
            m.extend((n as u16).to_le_bytes());
            m
        });
        assert_eq!(
            place(&kinds, "request", "kind"),
            Some((3, 8, Confidence::CaptureConfirmed))
        );
    }

    fn place(findings: &Findings, message: &str, field: &str) -> Option<(u32, u32, Confidence)> {
        let row = findings
            .rows
            .iter()
            .find(|row| row.message == message && row.field == field)?;
        Some((row.offset?, row.bits?, row.confidence))
    }

    /// Where nothing else fits: numbers that begin anew, and two clients.
    #[test]
    fn confirmed_is_what_has_no_other_reading() {
        let found = many_reads();
        let sure = Confidence::CaptureConfirmed;
        assert_eq!(place(&found, "request", "sequence"), Some((8, 16, sure)));
        // No message has 512 bytes; the constant 5 behind it may be its high byte; one server was
        // seen.
        let assumed = Confidence::Assumed;
        assert_eq!(place(&found, "any", "length"), Some((0, 16, assumed)));
        assert!(
            source(&found, "length")
                .ends_with("; its bits 9 to 15 never changed: they may be another field")
        );
        assert_eq!(
            place(&found, "response", "transaction"),
            Some((10, 16, assumed))
        );
        assert_eq!(place(&found, "request", "kind"), Some((2, 8, assumed)));
        let rows = found.rows.iter();
        assert!(rows.clone().all(|row| row.form == Some(Form::Le)));
        // What is only compared has no byte order.
        assert_eq!(place(&found, "request", "sender"), Some((6, 16, assumed)));
        let mut senders = rows.filter(|row| row.field == "sender");
        let source = &senders.next().unwrap().source;
        assert!(
            source.ends_with("; the order of its bytes does not show"),
            "{source}"
        );
    }

    #[test]
    fn every_field_of_an_invented_header() {
        let found = reads(&[2, 5, 7]);
        let sure = Confidence::Assumed;
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
             12>13, 17>18); it did not count beyond 255: bytes beside it may be its high ones; \
             new ones never change its bits 2 to 7: they may be another field; one client was seen: \
             whose number it is does not show"
        );
        let notes = found.notes.join("\n");
        // A source has no room for more than three other readings.
        let more = "kind: bits 0 to 7 of byte 3 say no more than it: it may go on there";
        assert!(notes.contains(more), "{notes}");
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
        let asks = message(1, 1, 9, 4, &smb1(0x0a, 0, &[0; 10], &[]));
        let pdu = Input::whole(&asks);
        assert_eq!(layout.message(pdu, None), Some("request"));
        let row = layout.row("request", "transaction").unwrap();
        assert_eq!(row.number(pdu), Some(4));
    }

    #[test]
    fn a_capture_without_smb_says_so() {
        let mut capture = Capture(Calibration::new(), 0);
        capture.say(1, &[4, 0, 9, 9]);
        let found = capture.0.findings("a");
        assert!(found.rows.is_empty());
        assert!(found.notes[1].starts_with("no SMB in any of them"));
    }
}

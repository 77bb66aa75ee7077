//! Looks for bytes that do what a field does, in every case.

use super::{Cases, Findings, Kind, NAMED, Pair, SURE, Seen, plain};
use crate::last::table;
use std::fmt::Write as _;
use wirewait_wire::{Confidence, Form, LayoutRow, Listed, Values};

/// Characters of a file's name in a row.
const LABEL: usize = 60;

/// The search for fields, the surest first: bytes that are taken are not looked at again.
pub(super) struct Search<'a> {
    pub(super) file: &'a str,
    pub(super) seen: &'a [Seen],
    pub(super) cases: Cases<'a>,
    pub(super) header: usize,
    pub(super) taken: Vec<bool>,
    pub(super) findings: Findings,
}

impl Search<'_> {
    pub(super) fn run(mut self) -> Findings {
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

/// The name of a file for a cell.
fn label(file: &str) -> String {
    plain(file).chars().take(LABEL).collect()
}

fn hex(bytes: &[u8]) -> String {
    let digits: Vec<String> = bytes.iter().map(|b| format!("{b:02x}")).collect();
    digits.join(" ")
}

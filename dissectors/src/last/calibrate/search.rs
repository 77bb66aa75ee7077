//! Looks for bytes that do what a field does, in every case.

use super::{Cases, Findings, Kind, NAMED, Pair, SURE, Seen, plain};
use crate::last::table;
use std::fmt::Write as _;
use wirewait_wire::{Confidence, Form, LayoutRow, Listed, Values};

/// A counter that went on by at most this much counts requests.
const STEP: u32 = 16;
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
        if !self.lengths_differ() {
            return;
        }
        let n = self.seen.len();
        let fits = |at: usize, form| {
            let mut all = self.seen.iter();
            all.all(|s| word(&s.front, at, form) == Some(s.length))
        };
        let places = (0..self.header.saturating_sub(1))
            .flat_map(|at| [(at, Form::Le), (at, Form::Be)])
            .filter(|(at, form)| fits(*at, *form));
        let places: Vec<(usize, Form)> = places.collect();
        let short = self.seen.iter().all(|s| s.length < 256);
        for (at, form) in &places {
            if !self.free(*at, 2) {
                continue;
            }
            let mut doubts = Doubts::default();
            doubts.add(
                short,
                "no message has 256 bytes: its high byte was always 0",
            );
            doubts.add(places.len() > 1, "other bytes are the length, too");
            doubts.add(
                self.beside(*at, 2, *form).is_some_and(|value| value == 0),
                "zeros beside it may be its high bytes",
            );
            let text = format!("the length of all {n} messages");
            self.found(
                "any",
                "length",
                (*at, 2),
                *form,
                Values::Length,
                n,
                text,
                &[],
                &doubts,
            );
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
                let mut doubts = Doubts::default();
                doubts.add(
                    !self.differ_by_circuit(one),
                    "one circuit was seen: any two numbers that change with the direction do so",
                );
                // What is only compared has no byte order.
                doubts.add(true, "the order of its bytes does not show");
                let text = format!("changes places with the other end in all {n} answers");
                let pairs = self.cases.answers.clone();
                for (name, at) in [("receiver", one), ("sender", other)] {
                    let name = self.unused(name);
                    for message in [table::REQUEST, table::RESPONSE] {
                        let text = text.clone();
                        self.found(
                            message,
                            &name,
                            (at, 2),
                            Form::Le,
                            Values::Any,
                            n,
                            text,
                            &pairs,
                            &doubts,
                        );
                    }
                }
            }
        }
    }

    /// A byte with one value in all requests, and another in all answers.
    fn kinds(&mut self) {
        let value = |at: usize, kind: Kind| {
            let mut own = self.seen.iter().filter(|s| s.kind == kind);
            let first = own.next()?.front.get(at).copied()?;
            let same = own.all(|s| s.front.get(at) == Some(&first));
            same.then_some(first)
        };
        let candidates = (0..self.header).filter(|at| self.free(*at, 1));
        let candidates = candidates.filter_map(|at| {
            let (asks, says) = value(at, Kind::Request).zip(value(at, Kind::Response))?;
            (asks != says).then_some((at, asks, says))
        });
        let candidates: Vec<(usize, u8, u8)> = candidates.collect();
        let n = self.starts().count();
        for (at, asks, says) in candidates.iter().copied() {
            let text = format!("{asks} in all requests and {says} in all answers, {n} of them");
            let mut doubts = Doubts::default();
            doubts.add(
                self.circuits() < 2,
                "one circuit was seen: it may be part of an address",
            );
            doubts.add(
                self.circuits() >= 2 && self.servers() < 2,
                "one server was seen: it may be part of an address that the clients share",
            );
            doubts.add(candidates.len() > 1, "other bytes do the same");
            let pairs = self.cases.answers.clone();
            let name = self.unused("kind");
            for (message, value) in [(table::REQUEST, asks), (table::RESPONSE, says)] {
                let (values, text) = (only(value), text.clone());
                self.found(
                    message,
                    &name,
                    (at, 1),
                    Form::Le,
                    values,
                    n,
                    text,
                    &pairs,
                    &doubts,
                );
            }
        }
    }

    /// A byte that counts the frames of a message, and one that says how many there are.
    fn counts(&mut self) {
        if self.cases.more.is_empty() {
            return;
        }
        let places: Vec<usize> = (0..self.header).filter(|at| self.free(*at, 1)).collect();
        let counts = |at: usize| {
            let counts = |(first, more, n): &(&Seen, &Seen, u8)| {
                let one = first.front.get(at).copied();
                one.map(|one| one.wrapping_add(*n)) == more.front.get(at).copied()
            };
            self.cases.more.iter().all(counts)
        };
        let places: Vec<usize> = places.into_iter().filter(|at| counts(*at)).collect();
        let n = self.cases.more.len();
        let pairs: Vec<Pair<'_>> = self.cases.more.iter().map(|c| (c.0, c.1)).collect();
        for at in &places {
            let mut doubts = Doubts::default();
            doubts.add(places.len() > 1, "other bytes count, too");
            doubts.add(
                self.cases.more.iter().all(|case| case.2 < 2),
                "no message has three frames: it may say that one goes on",
            );
            let begins = self.starts().map(|s| s.front.get(*at));
            let begins: Vec<Option<&u8>> = begins.collect();
            doubts.add(
                begins.windows(2).any(|two| two[0] != two[1]),
                "it does not begin anew with each message: it may count frames",
            );
            let name = self.unused("segment");
            for message in [table::REQUEST, table::RESPONSE] {
                let text = format!("one more in each of {n} frames that go on");
                self.found(
                    message,
                    &name,
                    (*at, 1),
                    Form::Le,
                    Values::Any,
                    n,
                    text,
                    &pairs,
                    &doubts,
                );
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
        // The high byte of a number changes too rarely to show of itself what it belongs to.
        for low in 0..self.header {
            for high in [low + 1, low.wrapping_sub(1)] {
                let is_one = |at: usize| classes.get(at).is_some_and(Option::is_some);
                if is_one(low) && is_one(high) && self.carries(low, high) {
                    classes[high] = classes[low];
                }
            }
        }
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
        let (form, doubts) = self.number(at, n);
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
            self.cases.copies.clone()
        } else {
            self.cases.answers.clone()
        };
        let name = self.unused(name);
        let cases = cases.min(answers);
        for message in [table::REQUEST, table::RESPONSE] {
            let text = text.clone();
            self.found(
                message,
                &name,
                (at, n),
                form,
                Values::Any,
                cases,
                text,
                &pairs,
                &doubts,
            );
        }
        for row in self.findings.rows.iter_mut().rev().take(2) {
            row.layer = layer.to_owned();
        }
        self.findings.note(format!(
            "{name}: only bytes that changed are told of; those beside it that were always 0 may \
             be its high ones"
        ));
    }

    /// Whether one byte counts how often the other one began anew.
    fn carries(&self, low: usize, high: usize) -> bool {
        let mut times = 0;
        let mut news = self.cases.news.iter();
        let all = news.all(|(before, next)| {
            let ends = |at: usize| before.front.get(at).zip(next.front.get(at));
            let (Some((from, to)), Some((was, is))) = (ends(low), ends(high)) else {
                return false;
            };
            let wraps = to < from && u32::from(to.wrapping_sub(*from)) <= STEP;
            times += usize::from(wraps);
            *is == was.wrapping_add(u8::from(wraps))
        });
        all && times > 0
    }

    /// How these bytes are read as a number that new requests count up, and what else they may be.
    /// Only a carry tells the low byte from the high one, and that there is no higher one.
    fn number(&self, at: usize, n: usize) -> (Form, Doubts) {
        let mut carried = [0, 0];
        let mut wrapped = [0, 0];
        let mut leaps = [0, 0];
        let greatest = u32::MAX >> (8 * (4 - n.clamp(1, 4)));
        for (before, next) in &self.cases.news {
            let value = |seen: &Seen, form| {
                let bytes = seen.front.get(at..at + n)?;
                Some(read(bytes, form))
            };
            let counts = carried.iter_mut().zip(&mut leaps).zip(&mut wrapped);
            for (form, ((carried, leaps), wrapped)) in [Form::Le, Form::Be].into_iter().zip(counts)
            {
                let (Some(from), Some(to)) = (value(before, form), value(next, form)) else {
                    continue;
                };
                // A few more, as other clients or copies take numbers, too.
                let near = (1..=STEP).contains(&(to.wrapping_sub(from) & greatest));
                *carried += usize::from(n > 1 && near && from >> 8 != to >> 8);
                *leaps += usize::from(!near);
                *wrapped += usize::from(near && to < from);
            }
        }
        let mut doubts = Doubts::default();
        let form = match carried {
            // The byte that changes most often is the low one.
            [0, 0] => {
                let changes = |at: usize| self.cases.news.iter().filter(|p| !same(p, at)).count();
                doubts.add(
                    n > 1,
                    "no carry was seen: the order of its bytes does not show",
                );
                doubts.add(
                    n == 1 && wrapped[0] == 0,
                    "it did not count beyond 255: bytes beside it may be its high ones",
                );
                match changes(at) >= changes(at + n - 1) {
                    true => Form::Le,
                    false => Form::Be,
                }
            }
            [le, be] => {
                doubts.add(le > 0 && be > 0, "it can be read in either order");
                if le >= be { Form::Le } else { Form::Be }
            }
        };
        let order = usize::from(form == Form::Be);
        doubts.add(
            n > 1 && wrapped[order] == 0 && self.beside(at, n, form).is_some(),
            "it did not begin anew: constant bytes beside it may be its high ones",
        );
        doubts.add(
            leaps[order] > 0,
            "it does not go on by few: it may be a time, or more than one number",
        );
        doubts.add(
            self.circuits() < 2,
            "one client was seen: whose number it is does not show",
        );
        (form, doubts)
    }

    /// The byte on the high side of a number, where nothing else is there and all messages have the
    /// same.
    fn beside(&self, at: usize, n: usize, form: Form) -> Option<u8> {
        let at = match form {
            Form::Be => at.checked_sub(1)?,
            _ => at + n,
        };
        let value = self.seen.first()?.front.get(at).copied()?;
        let same = |s: &Seen| s.front.get(at) == Some(&value);
        (self.free(at, 1) && self.seen.iter().all(same)).then_some(value)
    }

    /// Stations that answered.
    fn servers(&self) -> usize {
        let answers = self.cases.answers.iter();
        let mut seen: Vec<_> = answers.map(|(_, says)| says.from).collect();
        seen.sort_unstable();
        seen.dedup();
        seen.len()
    }

    /// Conversations with answers.
    fn circuits(&self) -> usize {
        let mut seen: Vec<usize> = self
            .cases
            .answers
            .iter()
            .map(|p| p.0.conversation)
            .collect();
        seen.sort_unstable();
        seen.dedup();
        seen.len()
    }

    /// Whether requests of different circuits have another word there.
    fn differ_by_circuit(&self, at: usize) -> bool {
        let mut known: Vec<(usize, Option<u32>)> = Vec::new();
        for (asks, _) in &self.cases.answers {
            let value = word(&asks.front, at, Form::Le);
            if known
                .iter()
                .any(|(of, other)| *of != asks.conversation && *other != value)
            {
                return true;
            }
            if !known.iter().any(|(of, _)| *of == asks.conversation) {
                known.push((asks.conversation, value));
            }
        }
        false
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

    /// A row, confirmed only where there are enough cases and nothing else fits.
    #[expect(clippy::too_many_arguments, reason = "the cells of a row")]
    fn found(
        &mut self,
        message: &str,
        name: &str,
        place: (usize, usize),
        form: Form,
        values: Values,
        cases: usize,
        text: String,
        pairs: &[Pair<'_>],
        doubts: &Doubts,
    ) {
        let mut row = row(message, name, place, form, values, cases);
        let mut source = self.source(text, pairs);
        for doubt in &doubts.0 {
            row.confidence = Confidence::Assumed;
            let _ = write!(source, "; {doubt}");
        }
        self.add(row, source);
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

/// What else bytes may be than what they are taken for.
#[derive(Default)]
struct Doubts(Vec<&'static str>);

impl Doubts {
    fn add(&mut self, holds: bool, why: &'static str) {
        if holds {
            self.0.push(why);
        }
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

/// At most four bytes as a number.
fn read(bytes: &[u8], form: Form) -> u32 {
    let add = |sum: u32, byte: &u8| sum << 8 | u32::from(*byte);
    match form {
        Form::Be => bytes.iter().fold(0, add),
        _ => bytes.iter().rev().fold(0, add),
    }
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

//! Looks for bytes that do what a field does, in every case.

use super::counting::Course;
use super::doubts::Doubts;
use super::{Cases, Findings, Kind, More, Pair, SeenMessage};
use crate::last::table;
use wirewait_wire::{Form, Listed, Values};

/// The search for fields, the surest first: bytes that are taken are not looked at again.
pub(super) struct Search<'a> {
    pub(super) file: &'a str,
    pub(super) seen: &'a [SeenMessage],
    pub(super) cases: Cases<'a>,
    pub(super) header: usize,
    /// More of the header is not looked at.
    pub(super) cut: bool,
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

    fn starts(&self) -> impl Iterator<Item = &SeenMessage> {
        self.seen.iter().filter(|s| s.kind != Kind::More)
    }

    pub(super) fn free(&self, from: usize, n: usize) -> bool {
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
            let changed = self
                .seen
                .windows(2)
                .fold(0, |changed, two| changed | two[0].length ^ two[1].length);
            let constant = u64::from(!changed & 0xffff);
            let before = "its ";
            let after = " never changed: they may be another field";
            doubts.add_bits(if short { 0 } else { constant }, before, after);
            let high = match form {
                Form::Be => at.checked_sub(1),
                _ => Some(at + 2).filter(|high| *high < self.header),
            };
            let zero = |high: usize| {
                let mut all = self.seen.iter().map(|s| s.front.get(high));
                all.all(|byte| byte.is_none_or(|byte| byte & 1 == 0))
            };
            doubts.add(
                high.is_some_and(zero),
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
            doubts.add_bits(
                u64::from(!(asks ^ says)),
                "its ",
                " are the same in both: they may be another field",
            );
            for beside in [at.checked_sub(1), Some(at + 1)].into_iter().flatten() {
                let bits = (0..8).filter(|bit| self.is_fixed(beside, *bit));
                let bits = bits.fold(0, |bits, bit| bits | 1 << bit);
                let after = format!(" of byte {beside} say no more than it: it may go on there");
                doubts.add_bits(bits, "", &after);
            }
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

    /// Whether a bit has one value in all requests and one in all answers.
    fn is_fixed(&self, at: usize, bit: u32) -> bool {
        let fixed = |kind: Kind| {
            let own = self.seen.iter().filter(|s| s.kind == kind);
            let mut bits = own.map(|s| s.front.get(at).map(|byte| byte >> bit & 1));
            let first = bits.next().flatten();
            first.is_some() && bits.all(|bit| bit == first)
        };
        at < self.header && fixed(Kind::Request) && fixed(Kind::Response)
    }

    /// A byte that counts the frames of a message.
    fn counts(&mut self) {
        if self.cases.more.is_empty() {
            return;
        }
        let places: Vec<usize> = (0..self.header).filter(|at| self.free(*at, 1)).collect();
        let counts = |at: usize| {
            self.cases.more.iter().all(|more| {
                let one = more.first.front.get(at).copied();
                // A byte begins anew.
                one.map(|one| one.wrapping_add(more.nth as u8)) == more.seen.front.get(at).copied()
            })
        };
        let places: Vec<usize> = places.into_iter().filter(|at| counts(*at)).collect();
        for at in &places {
            let name = self.unused("segment");
            for (message, kind) in [
                (table::REQUEST, Kind::Request),
                (table::RESPONSE, Kind::Response),
            ] {
                let own = self
                    .cases
                    .more
                    .iter()
                    .filter(|more| more.first.kind == kind);
                let own: Vec<&More<'_>> = own.collect();
                let mut doubts = Doubts::default();
                doubts.add(places.len() > 1, "other bytes count, too");
                doubts.add(
                    own.iter().all(|more| more.nth < 2),
                    "no message has three frames: it may say that one goes on",
                );
                let begins = self.starts().map(|s| s.front.get(*at));
                let begins: Vec<Option<&u8>> = begins.collect();
                doubts.add(
                    begins.windows(2).any(|two| two[0] != two[1]),
                    "it does not begin anew with each message: it may count frames",
                );
                let pairs: Vec<Pair<'_>> = own.iter().map(|m| (m.first, m.seen)).collect();
                let course: Vec<Pair<'_>> = own.iter().map(|m| (m.before, m.seen)).collect();
                let course = Course {
                    all: course.clone(),
                    plain: course,
                    ..Course::default()
                };
                let (form, other) = self.number(*at, 1, &course);
                doubts.extend(other);
                let n = own.len();
                let text = match n {
                    0 => {
                        doubts = Doubts::default();
                        format!("no {message} went on: only that the others count here is known")
                    }
                    _ => format!("one more in each of {n} frames that go on"),
                };
                let values = Values::Any;
                self.found(
                    message,
                    &name,
                    (*at, 1),
                    form,
                    values,
                    n,
                    text,
                    &pairs,
                    &doubts,
                );
            }
        }
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
    pub(super) fn circuits(&self) -> usize {
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
}

pub(super) fn same((one, other): &Pair<'_>, at: usize) -> bool {
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

fn hex(bytes: &[u8]) -> String {
    let digits: Vec<String> = bytes.iter().map(|b| format!("{b:02x}")).collect();
    digits.join(" ")
}

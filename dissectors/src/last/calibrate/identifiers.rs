//! Looks for what answers bring back: identifiers, and how they count.

use super::Seen;
use super::search::{Doubts, Search, same};
use crate::last::table;
use std::fmt::Write as _;
use wirewait_wire::{Form, Values};

/// A counter that went on by at most this much counts requests.
const STEP: u32 = 16;

impl Search<'_> {
    /// What answers bring back: by what becomes of it in copies and in new requests.
    pub(super) fn identifiers(&mut self) {
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
    pub(super) fn beside(&self, at: usize, n: usize, form: Form) -> Option<u8> {
        let at = match form {
            Form::Be => at.checked_sub(1)?,
            _ => at + n,
        };
        let value = self.seen.first()?.front.get(at).copied()?;
        let same = |s: &Seen| s.front.get(at) == Some(&value);
        (self.free(at, 1) && self.seen.iter().all(same)).then_some(value)
    }
}

/// What a field that answers bring back is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Sequence,
    Transaction,
    Either,
}

/// At most four bytes as a number.
fn read(bytes: &[u8], form: Form) -> u32 {
    let add = |sum: u32, byte: &u8| sum << 8 | u32::from(*byte);
    match form {
        Form::Be => bytes.iter().fold(0, add),
        _ => bytes.iter().rev().fold(0, add),
    }
}

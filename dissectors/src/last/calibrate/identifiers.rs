//! Looks for what answers bring back: identifiers, and how they count.

use super::Pair;
use super::counting::{Course, STEP, changes};
use super::doubts::Doubts;
use super::search::{Search, same};
use crate::last::table;
use std::fmt::Write as _;
use wirewait_wire::{Form, Values};

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
                let is_one = classes.get(low).is_some_and(Option::is_some);
                if is_one && high < self.header && self.may_be_high(high) && self.carries(low, high)
                {
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
        let (form, doubts) = self.counted(class, at, n);
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
        if !doubts.is_empty() {
            self.findings.note(format!(
                "{name}: only bytes that changed are told of; those beside it that were always 0 \
                 may be its high ones"
            ));
        }
    }

    /// Whether a byte that is brought back may be a high one: a carry may come with a copy alone.
    fn may_be_high(&self, at: usize) -> bool {
        let mut all = self.cases.news.iter().chain(&self.cases.copies);
        self.free(at, 1)
            && self.cases.answers.iter().all(|p| same(p, at))
            && all.any(|p| !same(p, at))
    }

    /// Whether one byte counts how often the other one began anew.
    fn carries(&self, low: usize, high: usize) -> bool {
        let mut times = 0;
        let mut pairs = self.cases.news.iter().chain(&self.cases.copies);
        let all = pairs.all(|(before, next)| {
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

    /// What becomes of an identifier from request to request, and what else its bytes may be.
    fn counted(&self, class: Class, at: usize, n: usize) -> (Form, Doubts) {
        let cases = &self.cases;
        let mut course = Course {
            all: cases.news.clone(),
            plain: cases.plain.clone(),
            shared: cases.shared.clone(),
            back: cases.answers.clone(),
        };
        if class == Class::Sequence {
            course.all.extend(&cases.copies);
        }
        let (form, mut doubts) = self.number(at, n, &course);
        let lowest = if form == Form::Be { at + n - 1 } else { at };
        let even = |pair: &Pair<'_>| !changes(pair, lowest, 0);
        doubts.add(
            class == Class::Sequence && cases.copies.iter().all(even),
            "copies have its lowest bit, too: that may be of a slot",
        );
        doubts.add(
            self.circuits() < 2,
            "one client was seen: whose number it is does not show",
        );
        (form, doubts)
    }
}

/// What a field that answers bring back is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Sequence,
    Transaction,
    Either,
}

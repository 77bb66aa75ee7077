//! How numbers go on from one message to the next, and which other readings of their bytes that
//! leaves.
//!
//! A row has whole bytes. That a number has just these bits shows in three ways: each of them
//! changed while the number went on by few, it began anew at the end of them, and nothing beside
//! them changed then. What did not change may be anything: a slot, flags, the high bits of a
//! longer number.

use super::doubts::Doubts;
use super::search::{Search, same};
use super::{Pair, SeenMessage};
use wirewait_wire::Form;

/// A number that went on by at most this much counts messages.
pub(super) const STEP: u32 = 16;

/// Where a number stands.
#[derive(Clone, Copy)]
pub(super) struct Number {
    pub(super) at: usize,
    /// Bytes, at most four.
    pub(super) n: usize,
    pub(super) form: Form,
}

/// The messages that a number goes through.
#[derive(Default)]
pub(super) struct Course<'a> {
    /// A message and the next one that has another number.
    pub(super) all: Vec<Pair<'a>>,
    /// Those of them that are about two new messages, not about a copy.
    pub(super) plain: Vec<Pair<'a>>,
    /// Likewise of a client, whichever servers they are to.
    pub(super) shared: Vec<Pair<'a>>,
    /// A message and the one that brings the number back.
    pub(super) back: Vec<Pair<'a>>,
}

/// What becomes of a number.
#[derive(Default)]
struct Going {
    /// How often it went on by few.
    near: usize,
    /// How often its bytes above the lowest changed with it.
    carried: usize,
    /// How often it did not go on by few.
    leaps: usize,
    /// How often it began anew.
    wrapped: usize,
    /// New messages that had not the very next number, of how many.
    uneven: usize,
    plain: usize,
    /// Bits that changed where it went on by few, and those that did from one new message to the next.
    changed: [u32; 2],
}

impl Going {
    /// Bits that belong to it. A count of copies in the lowest bits changes in copies alone; one above
    /// four bits that count new messages makes them leap.
    fn changed(&self) -> u32 {
        let [all, plain] = self.changed;
        if plain & 15 == 15 { all | plain } else { plain }
    }
}

impl Number {
    fn greatest(self) -> u32 {
        u32::MAX >> (8 * (4 - self.n.clamp(1, 4)))
    }

    fn value(self, seen: &SeenMessage) -> Option<u32> {
        let bytes = seen.front.get(self.at..self.at + self.n)?;
        let add = |sum: u32, byte: &u8| sum << 8 | u32::from(*byte);
        Some(match self.form {
            Form::Be => bytes.iter().fold(0, add),
            _ => bytes.iter().rev().fold(0, add),
        })
    }

    /// How far it is from one message to the next, if that is a few. Other clients, and copies, take
    /// numbers, too.
    fn step(self, (from, to): (u32, u32)) -> Option<u32> {
        let step = to.wrapping_sub(from) & self.greatest();
        (1..=STEP).contains(&step).then_some(step)
    }

    fn values(self, (one, other): &Pair<'_>) -> Option<(u32, u32)> {
        self.value(one).zip(self.value(other))
    }

    /// Whether it is a few further on, and yet smaller.
    fn wraps(self, pair: &Pair<'_>) -> bool {
        let values = self.values(pair);
        values.is_some_and(|(from, to)| to < from && self.step((from, to)).is_some())
    }

    fn going(self, course: &Course<'_>) -> Going {
        let mut going = Going::default();
        for pair in &course.all {
            let Some((from, to)) = self.values(pair) else {
                continue;
            };
            match self.step((from, to)) {
                None => going.leaps += 1,
                Some(_) => {
                    going.near += 1;
                    going.changed[0] |= from ^ to;
                    going.carried += usize::from(self.n > 1 && from >> 8 != to >> 8);
                    going.wrapped += usize::from(to < from);
                }
            }
        }
        // Where a client counts its requests to all servers, each of them sees a part of the numbers.
        let next = |pair: &Pair<'_>| self.values(pair).and_then(|both| self.step(both)).is_some();
        let plain = match !course.shared.is_empty() && course.shared.iter().all(next) {
            true => &course.shared,
            false => &course.plain,
        };
        for pair in plain {
            let Some((from, to)) = self.values(pair) else {
                continue;
            };
            if let Some(step) = self.step((from, to)) {
                going.plain += 1;
                going.uneven += usize::from(step > 1);
                going.changed[1] |= from ^ to;
            }
        }
        going
    }

    /// Bytes that may be its higher ones (or, of one byte in the other order, its lower ones).
    fn higher(self) -> Vec<usize> {
        let before = self.at.checked_sub(1);
        let behind = Some(self.at + self.n);
        let both = match self.form {
            _ if self.n == 1 => [before, behind],
            Form::Be => [before, None],
            _ => [None, behind],
        };
        both.into_iter().flatten().collect()
    }

    /// Bytes that may be its lower ones.
    fn lower(self) -> Vec<usize> {
        let other = match self.form {
            Form::Be => Form::Le,
            _ => Form::Be,
        };
        Self {
            form: other,
            ..self
        }
        .higher()
    }
}

impl Search<'_> {
    /// The order in which these bytes are a number that goes on, and which other readings fit. Only
    /// a carry tells the low byte from the high one.
    pub(super) fn number(&self, at: usize, n: usize, course: &Course<'_>) -> (Form, Doubts) {
        let mut doubts = Doubts::default();
        let ways = [Form::Le, Form::Be].map(|form| Number { at, n, form });
        let goings = ways.map(|number| number.going(course));
        let [le, be] = &goings;
        let form = match (le.carried, be.carried) {
            // The byte that changes most often is the low one.
            (0, 0) => {
                let changes = |at: usize| course.all.iter().filter(|p| !same(p, at)).count();
                doubts.add(
                    n > 1,
                    "no carry was seen: the order of its bytes does not show",
                );
                match changes(at) >= changes(at + n - 1) {
                    true => Form::Le,
                    false => Form::Be,
                }
            }
            (_, 0) => Form::Le,
            (0, _) => Form::Be,
            // From all ones to zero it is a carry in both.
            _ => {
                doubts.add(le.leaps == be.leaps, "it can be read in either order");
                if le.leaps <= be.leaps {
                    Form::Le
                } else {
                    Form::Be
                }
            }
        };
        let [le, be] = goings;
        let going = if form == Form::Be { be } else { le };
        doubts.add(
            going.leaps > 0,
            "it does not go on by few: it may be a time, or more than one number",
        );
        if going.near > 0 {
            let number = Number { at, n, form };
            doubts.add(
                n == 1 && going.wrapped == 0,
                "it did not count beyond 255: bytes beside it may be its high ones",
            );
            // A slot in its low bits makes a step of every second message longer.
            doubts.add(
                going.uneven * 4 > going.plain,
                "new ones often skip numbers: its low bits may be another field",
            );
            let constant = number.greatest() & !going.changed();
            doubts.add_bits(
                constant.into(),
                "new ones never change its ",
                ": they may be another field",
            );
            self.beside(number, course, &going, &mut doubts);
        }
        (form, doubts)
    }

    /// What stands beside a number and may belong to it.
    fn beside(&self, number: Number, course: &Course<'_>, going: &Going, doubts: &mut Doubts) {
        for at in number.higher() {
            doubts.add(
                at == self.header && self.cut,
                "the bytes behind it were not looked at",
            );
            let mut with = 0;
            for bit in (0..8).filter(|bit| at < self.header && is_back(course, at, *bit)) {
                let changing = course.all.iter().filter(|pair| changes(pair, at, bit));
                let (on, off): (Vec<&Pair<'_>>, Vec<&Pair<'_>>) =
                    changing.partition(|pair| number.wraps(pair));
                // Others may take enough numbers in between to hide a carry.
                if on.len() * 2 >= going.wrapped && off.len() * 2 <= on.len() && !on.is_empty() {
                    with |= 1 << bit;
                }
                doubts.add(
                    number.n > 1 && going.wrapped == 0 && bit == 0 && off.is_empty(),
                    "it did not begin anew: bits beside it that never changed may be its high ones",
                );
            }
            let after = format!(" of byte {at} changed when it began anew: it may go on there");
            doubts.add_bits(with, "", &after);
        }
        // The highest bit there is next to its own lowest one.
        let low = |at: &usize| {
            let is_one = *at < self.header && is_back(course, *at, 7);
            is_one && course.all.iter().any(|pair| changes(pair, *at, 7))
        };
        doubts.add(
            going.uneven > 0 && number.lower().iter().any(low),
            "it goes on by more than one at times, and the byte beside it changes, too: it may have \
             its low bits there",
        );
    }
}

/// Whether a bit is the same in what brings a number back.
fn is_back(course: &Course<'_>, at: usize, bit: u32) -> bool {
    course.back.iter().all(|pair| !changes(pair, at, bit))
}

pub(super) fn changes((one, other): &Pair<'_>, at: usize, bit: u32) -> bool {
    let value = |seen: &SeenMessage| seen.front.get(at).map(|byte| byte >> bit & 1);
    value(one) != value(other)
}

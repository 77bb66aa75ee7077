//! What is said of a comparison before and behind its verdict: errors, requests of the same operation, rows that
//! changed where all together did not, and long waits.

use super::Compared;
use super::headline::operation;
use super::words::{key_name, probability, value, worded};
use crate::figures::{Grouped, Percent};
use wirewait_judge::compare::{
    Alike, By, Conclusion, Effect, ErrorChange, Figure, LEVEL, MATERIAL, Moved, Tail,
};

/// That more requests fail, or fewer: what the verdict begins with.
pub(super) fn errors(errors: &ErrorChange) -> String {
    let way = if errors.rose() { "rose" } else { "fell" };
    let (base, other) = (errors.base, errors.other);
    let from = match base.answered == other.answered {
        true => Grouped(base.failed).to_string(),
        false => format!("{} of {}", Grouped(base.failed), Grouped(base.answered)),
    };
    let most = errors.most.as_ref().map_or_else(String::new, |key| {
        format!(", most of them {}", operation(key))
    });
    let chance = match errors.may_be_chance() {
        true => format!(
            " They follow each other, and so few rows of them may be chance ({}).",
            probability(errors.p)
        ),
        false => String::new(),
    };
    format!(
        "Errors {way} from {from} to {} of {} requests{most}.{chance}",
        Grouped(other.failed),
        Grouped(other.answered)
    )
}

/// That most requests have no counterpart.
pub(super) fn other_operations() -> String {
    "Cannot tell whether it is slower or faster: most requests are of operations that the other capture has none of, \
     or fewer."
        .to_owned()
}

/// What requests that succeeded say, where others failed.
pub(super) fn by_succeeded(
    compared: &Compared<'_>,
    number: usize,
    verdict: &Conclusion,
    errors: &ErrorChange,
) -> String {
    match &errors.succeeded {
        Some(alike) => format!(
            "Of requests that succeeded: {}",
            alike_sentence(compared, number, verdict, alike)
        ),
        None => "Cannot tell whether it is slower or faster: too few requests of one operation succeeded in both."
            .to_owned(),
    }
}

/// What requests of the same operation say, where the mix is another.
pub(super) fn by_operations(
    compared: &Compared<'_>,
    number: usize,
    verdict: &Conclusion,
    alike: &Alike,
) -> String {
    let sentence = alike_sentence(compared, number, verdict, alike);
    let mut text = capital(&sentence);
    if let Some((was, is)) = compared.comparison.all.both(number, Figure::ResponseTime) {
        let show = |ratio| value(compared.digits, Figure::ResponseTime, Some(ratio));
        text.push_str(&format!(
            " All requests together took {} (was {}): another mix of operations.",
            show(is),
            show(was)
        ));
    }
    text
}

fn alike_sentence(
    compared: &Compared<'_>,
    number: usize,
    verdict: &Conclusion,
    alike: &Alike,
) -> String {
    let show = |ratio| value(compared.digits, Figure::ResponseTime, Some(ratio));
    let (name, base) = (compared.name(number + 1), compared.name(0));
    let one = match alike.operations {
        1 => "a request",
        _ => "a request of equal operations",
    };
    let times = format!(
        "{one} took {} in {name}, {} in {base}: {}",
        show(alike.other),
        show(alike.base),
        worded(Figure::ResponseTime, Some(alike.change()))
    );
    let p = probability(alike.p);
    let most = verdict.most.as_ref();
    let most = most.map_or_else(String::new, |key| {
        format!("; most of it in {}", operation(key))
    });
    if !alike.agrees && alike.p < LEVEL && verdict.effect == Effect::TooFew {
        return format!(
            "cannot tell: {times}, but most requests changed the other way ({p}): a few very long ones decide the mean."
        );
    }
    match verdict.effect {
        Effect::Slower => format!("slower: {times}, significant ({p}){most}."),
        Effect::Faster => format!("faster: {times}, significant ({p}){most}."),
        Effect::TooFew => format!("cannot tell whether it is chance: {times} ({p})."),
        Effect::None if alike.p < LEVEL => format!(
            "no change: {times}, and less than {} does not count ({p}).",
            Percent(MATERIAL.unsigned_abs(), 1000)
        ),
        Effect::None => format!("no change: {times}, no more than chance ({p})."),
    }
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(chars).collect()
}

/// What the verdict does not show, a sentence each.
pub(super) fn hidden(compared: &Compared<'_>, verdict: &Conclusion) -> Vec<String> {
    let mut all = Vec::new();
    match verdict.moved.as_slice() {
        [] => {}
        [one] => all.push(format!("But {}{}.", row(compared, one), typed(one.by))),
        rows => {
            let rows: Vec<String> = rows.iter().map(|one| row(compared, one)).collect();
            let by = verdict
                .moved
                .first()
                .map_or_else(String::new, |one| typed(one.by));
            all.push(format!("But {}{by}.", rows.join(", and ")));
        }
    }
    all.extend(verdict.tail.as_ref().map(|tail| long_waits(compared, tail)));
    all
}

/// How to see the rows that are not those that are shown.
fn typed(by: By) -> String {
    match by {
        By::Operation | By::Kind => String::new(),
        other => format!("; --by {} shows each", other.name()),
    }
}

fn row(compared: &Compared<'_>, one: &Moved) -> String {
    let show = |ratio| value(compared.digits, Figure::ResponseTime, Some(ratio));
    let who = match one.by {
        By::Server => format!("server {}", key_name(&one.key)),
        By::Client => format!("client {}", key_name(&one.key)),
        _ => operation(&one.key),
    };
    format!(
        "{who} was {} ({}, was {}; {})",
        worded(Figure::ResponseTime, Some(one.change())),
        show(one.other),
        show(one.base),
        probability(one.p)
    )
}

fn long_waits(compared: &Compared<'_>, tail: &Tail) -> String {
    let span = |ns: i64| compared.digits.span(ns.unsigned_abs());
    format!(
        "Long waits: {} of {} {} took longer than {}, {} of {} before ({}); the longest took {} (was {}).",
        Grouped(tail.other.1),
        Grouped(tail.other.0),
        operation(&tail.key),
        span(tail.above_ns),
        Grouped(tail.base.1),
        Grouped(tail.base.0),
        probability(tail.p),
        span(tail.longest_ns.1),
        span(tail.longest_ns.0)
    )
}

/// A cell of a table: whether more of a group's requests fail, or fewer.
pub(super) fn errors_cell(errors: &ErrorChange) -> String {
    let part = |failed: u64, of: u64| {
        let thousandths = u128::from(failed) * 1000 / u128::from(of.max(1));
        Percent(u64::try_from(thousandths).unwrap_or(u64::MAX), 1000)
    };
    let (base, other) = (errors.base, errors.other);
    format!(
        "errors {} to {} (was {})",
        if errors.rose() { "rose" } else { "fell" },
        part(other.failed, other.answered),
        part(base.failed, base.answered)
    )
}
